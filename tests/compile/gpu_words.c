/* Every form of kernel and of parameter, 0 and 15 parameters; valid C11 and C++11.
 *
 * Compiled by tests/compile/run in every language and at every level of optimisation; run once per compiler: prints
 * nothing and returns 0 when each kernel did what it says, on the host and on a simulated device. */
#define DF_IMPLEMENTATION
#include "../../df_gpu.h"

#include <stdio.h>

enum { N = 1000 };
static float x[N], y[N];
static int v[N], many[15];
static long sum;
static int wrong; /* line of the first check that failed */
#define CHECK(c) do { if (!(c) && !wrong) wrong = __LINE__; } while (0)

DF_KERNEL_CODE(helpers, static inline float twice(float z) { return z * 2; } enum { WIDTH = 16, HALF = 8 };)

DF_KERNEL(nothing, { })
DF_KERNEL(saxpy, (float, a), df_in(float, px, n), df_inout(float, py, n), (int, n),
{
    int i = df_global_id(0), j = 0, k = 1;
    if (i >= n) return;
    py[i] += a * px[i] * (float)(j + k);
})
DF_KERNEL(fill, df_out2(int, p, rows, cols, ld), (int, rows), (int, cols), (int, ld), (int, with),
{
    int j = df_global_id(0), i = df_global_id(1);
    if (i < rows && j < cols) p[i * ld + j] = with;
})
DF_KERNEL(add_up, df_in(int, p, n), (int, n), df_reduce(df_sum, long, s, 1),
{
    int i = df_global_id(0);
    if (i < n) *s += p[i];
})
DF_KERNEL_USING(helpers, reverse, df_inout(float, p, n), (int, n),
{
    df_shared(float, part, WIDTH);
    int i = df_global_id(0), l = df_local_id(0);
    df_on_global float *from = p;
    part[l] = i < n ? twice(from[i]) : 0;
    df_barrier();
    if (i < n) p[i] = part[WIDTH - 1 - l];
})
DF_KERNEL(fifteen, (int, a0), (int, a1), (int, a2), (int, a3), (int, a4), (int, a5), (int, a6), (int, a7), (int, a8),
          (int, a9), (int, a10), (int, a11), (int, a12), (int, a13), df_inout(int, p, 15),
{
    if (df_global_id(0) == 0) p[0] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13;
    df_atomic_add(&p[1], 1);
})
static void on_host(df_ndrange grid, int *p, int n)
{
    for (int i = 0; i < n && i < grid.n[0]; i++) p[i] += 1;
}
DF_KERNEL_OR(on_host_too, either, df_inout(int, p, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) p[i] += 1;
})
void on_host_too(df_ndrange grid, int *p, int n) { on_host(grid, p, n); }
DF_DEVICE_TASK(by_hand, df_inout(int, p, n), (int, n));
void by_hand(df_queue *q, int *p, int n)
{
    for (int i = 0; i < n && q->kind; i++) p[i] *= 3;
}

int main(void)
{
    for (int round = 0; round < 2; round++) { /* devices, the host */
        df_opts o;
        memset((void *)&o, 0, sizeof o);
        o.device = round ? DF_HOST : 0;
        for (int i = 0; i < N; i++) x[i] = (float)i, y[i] = 1;
        sum = 0;
        memset(many, 0, sizeof many);
        df_launch_with(&o, nothing, df_grid(5));
        df_launch_with(&o, saxpy, df_grid(N), 2, x, y, N);
        df_launch_with(&o, fill, df_grid2(100, 10, 0, 0), v, 10, 100, 100, 7);
        df_launch_with(&o, fill, df_grid2(10, 10, 4, 4), v, 10, 10, 100, 1);
        df_launch_with(&o, either, df_grid(N), v, N);
        df_launch_with(&o, by_hand, v, N);
        df_launch_with(&o, add_up, df_grid1(N, 64), v, N, &sum);
        df_launch_with(&o, reverse, df_grid1(32, 16), x, 32);
        df_launch_with(&o, fifteen, df_grid3(2, 3, 4, 1, 1, 1), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, many);
        CHECK(df_wait_result() == DF_OK);
        for (int i = 0; i < N; i++) CHECK(y[i] > 2.0f * (float)i + 0.5f && y[i] < 2.0f * (float)i + 1.5f);
        CHECK(sum == 3 * (900 * 8 + 100 * 2));
        CHECK(many[0] == 14 && many[1] == 24);
        CHECK(x[0] > 29.5f && x[0] < 30.5f && x[31] > 31.5f && x[31] < 32.5f);
    }
    df_stop();
    if (wrong) fprintf(stderr, "gpu_words.c:%d: not so\n", wrong);
    return wrong != 0;
}
