/* stm_fence_values.c - stm_fence.c with the engine that compares values */
#define DF_STM_ENGINE DF_STM_VALUES
#define VALUES 1
#include "stm_fence.c"
