/* gpu_part.c - a second file with kernels; -DDF_IMPLEMENTATION: embeds df */
#include "../../df_gpu.h"
#include "gpu_part.h"

DF_KERNEL(twice, df_inout(int, x, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) x[i] *= 2;
})

void part_double(int *x, int n) { df_launch(twice, df_grid(n), x, n); }
int part_devices(void) { return df_gpu_devices(); }
