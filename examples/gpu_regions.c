/* Data regions: three programs of TF-OpenACC (TERAFLUX D3.5, appendix A). Data that kernels of a region pass to each
 * other stay on the device, and the regions that they read and write order them.
 *
 *   gpu_regions [elements [txt|dot]]     default 300000, txt: whether each program is right, and its dependences:
 *                                        the edges that the compiler of that report found; dot: the
 *                                        latter for graphviz */
#define DF_IMPLEMENTATION
#include "../df_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS = 8 };

/* --- A1: the second kernel waits for the first ---------------------------------------------------------- */

DF_KERNEL(quarter, df_in(float, a, n), df_out(float, b, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) b[i] = a[i] / 4;
})
DF_KERNEL(square, df_in(float, b, n), df_out(float, c, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) c[i] = b[i] * b[i];
})
static int synchronised(const float *a, float *b, float *c, int n)
{
    DF_DATA_REGION(df_copyin(a, n), df_create(b, n), df_copyout(c, n)) {
        df_launch(quarter, df_grid(n), a, b, n);
        df_launch(square, df_grid(n), b, c, n);
    }
    for (int i = 0; i < n; i++)
        if (c[i] != a[i] / 4 * (a[i] / 4)) return 0;
    return 1;
}

/* --- A2: regions that run at the same time, each with its own choice of kernels ---------------------------- */

DF_KERNEL(begin, (float, alpha), df_out(float, b, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) b[i] = alpha + (float)(i % 100);
})
DF_KERNEL(edge, (float, beta), df_in(float, b, n), df_out(float, d, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) d[i] = b[i] + beta;
})
DF_KERNEL(inside, (float, beta), df_in(float, b, n), df_out(float, d, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) d[i] = b[i] * beta;
})
static int chosen(float *b, float *d, int n)
{
    int right = 1;
    for (int k = 0; k < REGIONS; k++)
        DF_DATA_REGION_ASYNC(k, df_create(b + k * n, n), df_copyout(d + k * n, n)) {
            df_launch(begin, df_grid(n), (float)k, b + k * n, n);
            if (k == 0 || k == REGIONS - 1) df_launch(edge, df_grid(n), 3, b + k * n, d + k * n, n);
            else df_launch(inside, df_grid(n), 2, b + k * n, d + k * n, n);
        }
    for (int k = 0; k < REGIONS; k++) {
        df_data_wait(k);
        for (int i = 0; i < n; i++) {
            float was = (float)(k + i % 100);
            right = right && d[k * n + i] == (k == 0 || k == REGIONS - 1 ? was + 3 : was * 2);
        }
    }
    df_wait();
    return right;
}

/* --- A3: one kernel's result goes to two others, and theirs are brought together; twice ---------------------- */

DF_KERNEL(scatter, df_in(float, a, n), df_out(float, b, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) b[i] = a[i] + 1;
})
DF_KERNEL(k1, df_in(float, b, n), df_out(float, c, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) c[i] = b[i] * 2;
})
DF_KERNEL(k2, df_in(float, b, n), df_out(float, d, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) d[i] = b[i] * 3;
})
DF_KERNEL(gather, df_in(float, c, n), df_in(float, d, n), df_out(float, e, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) e[i] = c[i] + d[i];
})
static int scattered(const float *a, float *room, float *h, int n)
{
    float *b = room, *c = b + n, *d = c + n, *e = d + n, *f = e + n, *g = f + n;
    DF_DATA_REGION(df_copyin(a, n), df_create(room, 6 * n), df_copyout(h, n)) {
        df_launch(scatter, df_grid(n), a, b, n);
        df_launch(k1, df_grid(n), b, c, n); /* these two at the same time */
        df_launch(k2, df_grid(n), b, d, n);
        df_launch(gather, df_grid(n), c, d, e, n);
        df_launch(k1, df_grid(n), e, f, n);
        df_launch(k2, df_grid(n), e, g, n);
        df_launch(gather, df_grid(n), f, g, h, n);
    }
    for (int i = 0; i < n; i++)
        if (h[i] != 25 * (a[i] + 1)) return 0;
    return 1;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300000;
    int dot = argc > 2 && !strcmp(argv[2], "dot");
    df_config config = { .graph = dot ? "-.dot" : "-.txt" };
    float *a = malloc((size_t)n * sizeof *a), *b = malloc((size_t)n * REGIONS * sizeof *b),
        *c = malloc((size_t)n * sizeof *c);
    float *d = malloc((size_t)n * REGIONS * sizeof *d);
    int right;
    if (n < 1 || !a || !b || !c || !d) return 1;
    df_start(&config);
    for (int i = 0; i < n; i++) a[i] = (float)(i % 1000);
    right = synchronised(a, b, c, n);
    if (!dot) printf("synchronised  %s\n", right ? "right" : "wrong");
    right &= chosen(b, d, n);
    if (!dot) printf("chosen        %s\n", right ? "right" : "wrong");
    right &= scattered(a, b, c, n);
    if (!dot) printf("scattered     %s\n", right ? "right" : "wrong");
    df_stop(); /* prints the graph */
    free(a), free(b), free(c), free(d);
    return !right;
}
