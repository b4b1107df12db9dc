/* lines.c - array reversal and the 1-D Jacobi iteration */
#include "variants.h"

DF_KERNEL_CODE(grain, enum { GRAIN = 4 }; /* results per work-item */)

static size_t ints(long n) { return (size_t)n * sizeof(int); }

/* --- out[n-1-i] = in[i] ---------------------------------------------------------------------------------- */

/* A group takes GRAIN * df_block(0) elements. Adjacent work-items read and write adjacent elements. */
DF_KERNEL_USING(grain, reverse_tiles, df_in(int, in, n), df_out(int, out, n), (int, n),
{
    df_shared(int, tile, GRAIN * df_block(0));
    int b = df_block(0);
    int first = df_workgroup_id(0) * GRAIN * b;
    int k;
    for (k = 0; k < GRAIN; k++) {
        int i = k * b + df_local_id(0);
        if (first + i < n) tile[i] = in[first + i];
    }
    df_barrier();
    for (k = 0; k < GRAIN; k++) {
        int i = GRAIN * b - 1 - k * b - df_local_id(0);
        if (first + i < n) out[n - 1 - first - i] = tile[i];
    }
})
DF_KERNEL(reverse_tile, df_in(int, in, n), df_out(int, out, n), (int, n),
{
    df_shared(int, tile, df_block(0));
    int b = df_block(0);
    int first = df_workgroup_id(0) * b;
    int i = df_local_id(0);
    if (first + i < n) tile[i] = in[first + i];
    df_barrier();
    i = b - 1 - i;
    if (first + i < n) out[n - 1 - first - i] = tile[i];
})
DF_KERNEL(reverse_plain, df_in(int, in, n), df_out(int, out, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) out[n - 1 - i] = in[i];
})
static size_t reverse_bytes(const df_candidate *c) { return ints((long)c->per_item[0] * c->group[0]); }
DF_VARIANTS(reverse,
    (reverse_tiles, .groups = { { 256 }, { 128 }, { 64 } }, .per_item = { GRAIN }, .shared = reverse_bytes),
    (reverse_tile, .groups = { { 256 }, { 128 }, { 64 } }, .shared = reverse_bytes),
    reverse_plain);

int array_reversal(void)
{
    int n = 100003, i;
    int *in = numbers(n, 1000000, 1), *out = numbers(n, 0, 0), *expect = numbers(n, 0, 0);
    for (i = 0; i < n; i++) expect[n - 1 - i] = in[i];
    PREPARE(reverse, df_grid(n), in, out, n);
    df_launch_best(reverse, df_grid(n), in, out, n);
    df_wait();
    free(in);
    return same("array reversal", out, expect, n);
}

/* --- out[i] = (in[i-1] + in[i] + in[i+1]) / 3 for n points between two that stay ------------------------------- */

DF_KERNEL_USING(grain, jacobi1_tiles, df_in(int, in, n + 2), df_inout(int, out, n + 2), (int, n),
{
    df_shared(int, tile, GRAIN * df_block(0) + 2);
    int b = df_block(0);
    int first = df_workgroup_id(0) * GRAIN * b;
    int i;
    int k;
    for (i = df_local_id(0); i < GRAIN * b + 2; i += b)
        if (first + i < n + 2) tile[i] = in[first + i];
    df_barrier();
    for (k = 0; k < GRAIN; k++) {
        i = k * b + df_local_id(0);
        if (first + i < n) out[first + i + 1] = (tile[i] + tile[i + 1] + tile[i + 2]) / 3;
    }
})
DF_KERNEL(jacobi1_tile, df_in(int, in, n + 2), df_inout(int, out, n + 2), (int, n),
{
    df_shared(int, tile, df_block(0) + 2);
    int b = df_block(0);
    int first = df_workgroup_id(0) * b;
    int i;
    for (i = df_local_id(0); i < b + 2; i += b)
        if (first + i < n + 2) tile[i] = in[first + i];
    df_barrier();
    i = df_local_id(0);
    if (first + i < n) out[first + i + 1] = (tile[i] + tile[i + 1] + tile[i + 2]) / 3;
})
DF_KERNEL(jacobi1_plain, df_in(int, in, n + 2), df_inout(int, out, n + 2), (int, n),
{
    int i = df_global_id(0);
    if (i < n) out[i + 1] = (in[i] + in[i + 1] + in[i + 2]) / 3;
})
static size_t jacobi1_bytes(const df_candidate *c) { return ints((long)c->per_item[0] * c->group[0] + 2); }
DF_VARIANTS(jacobi1,
    (jacobi1_tiles, .groups = { { 64 }, { 128 }, { 32 } }, .per_item = { GRAIN }, .shared = jacobi1_bytes),
    (jacobi1_tile, .groups = { { 64 }, { 128 }, { 32 } }, .shared = jacobi1_bytes),
    (jacobi1_plain, .groups = { { 64 } }));

int jacobi_1d(void)
{
    enum { STEPS = 10 };
    int n = 20001, t, i, *swap;
    int *a = numbers(n + 2, 1000000, 2), *b = numbers(n + 2, 1000000, 2);
    int *p = numbers(n + 2, 1000000, 2), *q = numbers(n + 2, 1000000, 2);
    PREPARE(jacobi1, df_grid(n), a, b, n);
    for (t = 0; t < STEPS; t += 2) {
        df_launch_best(jacobi1, df_grid(n), a, b, n);
        df_launch_best(jacobi1, df_grid(n), b, a, n);
    }
    df_wait();
    for (t = 0; t < STEPS; t++) {
        for (i = 1; i <= n; i++) q[i] = (p[i - 1] + p[i] + p[i + 1]) / 3;
        swap = p, p = q, q = swap;
    }
    free(b);
    free(q);
    return same("Jacobi, 1-D", a, p, n + 2);
}
