/* stm_opacity_naps.c - stm_opacity.c with the processor given away between the atomic accesses of df_stm.h, see
 * stm_naps.h */
#define _DEFAULT_SOURCE
#include "stm_naps.h"
#define STM_NAPS 0.8
#include "stm_opacity.c"
