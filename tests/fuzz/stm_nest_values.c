/* stm_nest_values.c - stm_nest.c with the engine that compares values */
#define DF_STM_ENGINE DF_STM_VALUES
#include "stm_nest.c"
