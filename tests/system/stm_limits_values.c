/* stm_limits_values.c - stm_limits.c with the engine that compares values */
#define DF_STM_ENGINE DF_STM_VALUES
#include "stm_limits.c"
