/* gpu_program.c - a program of two files with kernels in each; -DDF_IMPLEMENTATION: with df in this one
 *
 * Returns 0 when the kernels of both files worked on the same data, one after the other. */
#include "../../df_gpu.h"
#include "gpu_part.h"

DF_KERNEL(fill, df_out(int, x, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) x[i] = i;
})

int main(void)
{
    enum { N = 1000 };
    static int x[N];
    int i;
    DF_PARALLEL {
        df_launch(fill, df_grid(N), x, N);
        part_double(x, N);
    }
    for (i = 0; i < N; i++)
        if (x[i] != 2 * i) return 1;
    return df_gpu_devices() != part_devices();
}
