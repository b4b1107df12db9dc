/* containers_order_values.c - containers_order.c with the engine that compares values */
#define DF_STM_ENGINE DF_STM_VALUES
#include "containers_order.c"
