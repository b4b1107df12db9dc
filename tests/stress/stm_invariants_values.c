/* stm_invariants_values.c - stm_invariants.c with the engine that compares values */
#define DF_STM_ENGINE DF_STM_VALUES
#include "stm_invariants.c"
