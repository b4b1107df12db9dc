/* cuda.cu - for nvcc: declarations of df next to a kernel of CUDA's own, which runs where there is a device */
#include "headers.h"
#include <stdio.h>

DF_TASK(int, twice, (int, n));
int twice(int n) { return 2 * n; }
DF_TASK(void, halves, df_inout(float, x, n), (int, n));
__global__ void halve(float *x, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) x[i] /= 2;
}
void halves(float *x, int n)
{
    float *d;
    if (cudaMalloc(&d, n * sizeof *d) == cudaSuccess) {
        cudaMemcpy(d, x, n * sizeof *d, cudaMemcpyHostToDevice);
        halve<<<1, n>>>(d, n);
        cudaMemcpy(x, d, n * sizeof *d, cudaMemcpyDeviceToHost);
        cudaFree(d);
    } else {
        for (int i = 0; i < n; i++) x[i] /= 2;
    }
}
DF_KERNEL(adds, df_inout(float, x, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) x[i] += 1;
})

int main()
{
    float x[4] = { 2, 4, 6, 8 };
    df_future(twice) t;
    long atomically = 0;
    df_submit(halves, x, 4);
    df_launch(adds, df_grid(4), x, 4);
    df_wait();
    df_spawn(twice, &t, 21);
    DF_ATOMIC { df_tm_write(&atomically, df_tm_read(&atomically) + df_sync(twice, &t)); }
    printf("%g %g %ld\n", x[0], x[3], atomically);
    return !(x[0] == 2 && x[3] == 5 && atomically == 42);
}
