/* stm_limits_naps.c - stm_limits.c, the end of the clock and fork, with the processor given away between the atomic
 * accesses of df_stm.h, see stm_naps.h */
#define _DEFAULT_SOURCE
#include "stm_naps.h"
#define STM_NAPS 2
#define STM_ONLY "clock forks"
#include "stm_limits.c"
