/* stm_litmus_values.c - stm_litmus.c with the engine that compares values */
#define DF_STM_ENGINE DF_STM_VALUES
#include "stm_litmus.c"
