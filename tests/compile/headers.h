/* headers.h - the headers that a test is about: -DSTM=1: df_stm.h; -DSTM=2: df.h, then df_stm.h; -DSTM=3: the other way
 * round; -DSTM=4: df_gpu.h; -DSTM=5: df_gpu.h, then df_stm.h; -DSTM=6: df_owm.h; -DSTM=7:
 * all, df_owm.h and df_observe.h last; -DSTM=8: all, these first; -DSTM=9: df_containers.h; nothing: df.h. No guard, so
 * that they can be included again. */
#ifndef STM
#define STM 0
#endif
#if STM == 1 || STM == 3
#include "../../df_stm.h"
#endif
#if STM == 9
#include "../../df_containers.h"
#endif
#if STM == 6 || STM == 8
#include "../../df_owm.h"
#endif
#if STM == 8
#include "../../df_observe.h"
#endif
#if STM >= 4 && STM != 6 && STM != 9
#include "../../df_gpu.h"
#elif STM != 1 && STM != 9
#include "../../df.h"
#endif
#if STM == 2 || STM == 5 || STM == 7 || STM == 8
#include "../../df_stm.h"
#endif
#if STM == 7
#include "../../df_containers.h"
#include "../../df_owm.h"
#include "../../df_observe.h"
#endif
