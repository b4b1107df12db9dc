/* A kernel cannot own: its memory is a copy on a device. */
#include "../../df_gpu.h"
#include "../../df_owm.h"

DF_KERNEL(scale, (int, n), df_owm_inout(double, x, n), { if (n) x[0] = 1; }) /* expect: df_owm_in/out/inout are for tasks */
