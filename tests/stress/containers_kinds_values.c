/* containers_kinds_values.c - containers_kinds.c with the engine that compares values */
#define DF_STM_ENGINE DF_STM_VALUES
#include "containers_kinds.c"
