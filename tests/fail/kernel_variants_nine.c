/* More variants of a kernel than df allows. */
#include "../../df_gpu.h"

DF_KERNEL(k, (int, n), df_out(double, x, n), { if (n > df_global_id(0)) x[df_global_id(0)] = 1; })

DF_VARIANTS(list, k, k, k, k, k, k, k, k, k); /* expect: df_gpu.h: DF_VARIANTS(list, ...) has more than 8 variants */
