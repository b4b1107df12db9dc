/* headers.h - the headers that a test is about: -DSTM=1: df_stm.h; -DSTM=2: df.h, then df_stm.h; -DSTM=3: the other way
 * round; -DSTM=4: df_gpu.h; -DSTM=5: df_gpu.h, then df_stm.h; nothing: df.h. No guard, so that they can be included again. */
#ifndef STM
#define STM 0
#endif
#if STM == 1 || STM == 3
#include "../../df_stm.h"
#endif
#if STM >= 4
#include "../../df_gpu.h"
#elif STM != 1
#include "../../df.h"
#endif
#if STM == 2 || STM == 5
#include "../../df_stm.h"
#endif
