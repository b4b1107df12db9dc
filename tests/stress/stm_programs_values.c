/* stm_programs_values.c - stm_programs.c with the engine that compares values */
#define DF_STM_ENGINE DF_STM_VALUES
#include "stm_programs.c"
