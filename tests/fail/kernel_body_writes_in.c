/* A body that writes what the kernel only reads. */
#include "../../df_gpu.h"

DF_KERNEL(scale, df_in(double, x, n), (int, n), { int i = df_global_id(0); if (i < n) x[i] = 1; }) /* expect: read-only */
/* lines: 40 */
