/* cuda_add.h - for tests of the driver for CUDA: a kernel, and how it is launched */
#ifndef CUDA_ADD_H
#define CUDA_ADD_H

#include "cuda_test.h"

DF_KERNEL(add, (int, by), df_inout(int, x, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) x[i] += by;
})

static void launch(struct dfi_gpu *d, int q, struct dfi_kernel *k, struct dfi_built *b, int groups, int group,
                   const struct dfi_arg *args, int n)
{
    int gs[3] = { 1, 1, 1 }, g[3] = { 1, 1, 1 };
    gs[0] = groups, g[0] = group;
    GOOD(V.launch(d, q, k, b, gs, g, args, n));
}
/* x[0 .. n-1] += by, in groups of 64. */
static void launch_add(struct dfi_gpu *d, int q, struct dfi_built *b, int by, dfi_memory x, int n)
{
    struct dfi_arg args[3] = { { NULL, sizeof by, 0 }, { NULL, sizeof x, 1 }, { NULL, sizeof n, 0 } };
    args[0].p = &by, args[1].p = &x, args[2].p = &n;
    launch(d, q, &add_dfi_kernel, b, (n + 63) / 64, 64, args, 3);
}

#endif
