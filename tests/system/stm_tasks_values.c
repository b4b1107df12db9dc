/* stm_tasks_values.c - stm_tasks_before.c with the engine that compares values */
#define DF_STM_ENGINE DF_STM_VALUES
#include "stm_tasks_before.c"
