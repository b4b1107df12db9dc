/* stm_litmus_naps.c - stm_litmus.c with the processor given away between the atomic accesses of df_stm.h, see
 * stm_naps.h */
#define _DEFAULT_SOURCE
#include "stm_naps.h"
#define STM_NAPS 12
#include "stm_litmus.c"
