/* containers_values.c - containers.c with the engine that compares values */
#define DF_STM_ENGINE DF_STM_VALUES
#include "containers.c"
