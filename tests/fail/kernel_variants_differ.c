/* Variants of a kernel that take other arguments. */
#include "../../df_gpu.h"

DF_KERNEL(plain, (int, n), df_out(double, x, n), { if (n > df_global_id(0)) x[df_global_id(0)] = 1; })
DF_KERNEL(blocked, (int, n), df_out(float, x, n), { if (n > df_global_id(0)) x[df_global_id(0)] = 1; })

DF_VARIANTS(both, (blocked, .groups = { { 64 } }), plain); /* expect: df_gpu.h: DF_VARIANTS(both, ...): kernel plain must have the same parameters as kernel blocked */
