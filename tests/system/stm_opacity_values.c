/* stm_opacity_values.c - stm_opacity.c with the engine that compares values */
#define DF_STM_ENGINE DF_STM_VALUES
#include "stm_opacity.c"
