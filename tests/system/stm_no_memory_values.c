/* stm_no_memory_values.c - stm_no_memory.c with the engine that compares values */
#define DF_STM_ENGINE DF_STM_VALUES
#include "stm_no_memory.c"
