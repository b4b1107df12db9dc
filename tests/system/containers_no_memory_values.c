/* containers_no_memory_values.c - containers_no_memory.c with the engine that compares values */
#define DF_STM_ENGINE DF_STM_VALUES
#include "containers_no_memory.c"
