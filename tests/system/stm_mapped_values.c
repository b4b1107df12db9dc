/* stm_mapped_values.c - stm_mapped.c with the engine that compares values */
#define DF_STM_ENGINE DF_STM_VALUES
#include "stm_mapped.c"
