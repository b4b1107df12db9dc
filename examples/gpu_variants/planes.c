/* planes.c - the 2-D Jacobi iteration, transposition and addition of matrices */
#include "variants.h"

DF_KERNEL_CODE(rows, enum { ROWS = 4 }; /* results per work-item, one below the other */)

static size_t ints(long n) { return (size_t)n * sizeof(int); }

/* --- the mean of four neighbours, for w x h points with a border that stays ------------------------------------- */

DF_KERNEL_USING(rows, jacobi2_tiles, df_in(int, in, (w + 2) * (h + 2)), df_inout(int, out, (w + 2) * (h + 2)),
                (int, w), (int, h),
{
    df_shared(int, tile, (df_block(0) + 2) * (ROWS * df_block(1) + 2));
    int bx = df_block(0);
    int by = df_block(1);
    int x0 = df_workgroup_id(0) * bx;
    int y0 = df_workgroup_id(1) * ROWS * by;
    int x;
    int y;
    int k;
    for (y = df_local_id(1); y < ROWS * by + 2; y += by)
        for (x = df_local_id(0); x < bx + 2; x += bx)
            if (x0 + x < w + 2 && y0 + y < h + 2) tile[y * (bx + 2) + x] = in[(y0 + y) * (w + 2) + x0 + x];
    df_barrier();
    x = df_local_id(0) + 1;
    for (k = 0; k < ROWS; k++) {
        y = k * by + df_local_id(1) + 1;
        if (x0 + x <= w && y0 + y <= h)
            out[(y0 + y) * (w + 2) + x0 + x] = (tile[(y - 1) * (bx + 2) + x] + tile[(y + 1) * (bx + 2) + x] +
                                                tile[y * (bx + 2) + x - 1] + tile[y * (bx + 2) + x + 1]) / 4;
    }
})
DF_KERNEL(jacobi2_tile, df_in(int, in, (w + 2) * (h + 2)), df_inout(int, out, (w + 2) * (h + 2)), (int, w), (int, h),
{
    df_shared(int, tile, (df_block(0) + 2) * (df_block(1) + 2));
    int bx = df_block(0);
    int by = df_block(1);
    int x0 = df_workgroup_id(0) * bx;
    int y0 = df_workgroup_id(1) * by;
    int x;
    int y;
    for (y = df_local_id(1); y < by + 2; y += by)
        for (x = df_local_id(0); x < bx + 2; x += bx)
            if (x0 + x < w + 2 && y0 + y < h + 2) tile[y * (bx + 2) + x] = in[(y0 + y) * (w + 2) + x0 + x];
    df_barrier();
    x = df_local_id(0) + 1;
    y = df_local_id(1) + 1;
    if (x0 + x <= w && y0 + y <= h)
        out[(y0 + y) * (w + 2) + x0 + x] = (tile[(y - 1) * (bx + 2) + x] + tile[(y + 1) * (bx + 2) + x] +
                                            tile[y * (bx + 2) + x - 1] + tile[y * (bx + 2) + x + 1]) / 4;
})
DF_KERNEL(jacobi2_plain, df_in(int, in, (w + 2) * (h + 2)), df_inout(int, out, (w + 2) * (h + 2)), (int, w), (int, h),
{
    int x = df_global_id(0) + 1;
    int y = df_global_id(1) + 1;
    int i = y * (w + 2) + x;
    if (x <= w && y <= h) out[i] = (in[i - w - 2] + in[i + w + 2] + in[i - 1] + in[i + 1]) / 4;
})
static size_t jacobi2_bytes(const df_candidate *c)
{
    return ints((c->group[0] + 2L) * ((long)c->per_item[1] * c->group[1] + 2));
}
DF_VARIANTS(jacobi2,
    (jacobi2_tiles, .groups = { { 32, 8 }, { 16, 16 }, { 16, 8 } }, .per_item = { 1, ROWS }, .shared = jacobi2_bytes),
    (jacobi2_tile, .groups = { { 32, 8 }, { 16, 16 }, { 16, 8 } }, .shared = jacobi2_bytes),
    (jacobi2_plain, .groups = { { 32, 8 } }));

int jacobi_2d(void)
{
    enum { STEPS = 6 };
    int w = 201, h = 99, n = (w + 2) * (h + 2), t, x, y, *swap;
    int *a = numbers(n, 1000000, 3), *b = numbers(n, 1000000, 3), *p = numbers(n, 1000000, 3),
        *q = numbers(n, 1000000, 3);
    PREPARE(jacobi2, df_grid2(w, h, 0, 0), a, b, w, h);
    for (t = 0; t < STEPS; t += 2) {
        df_launch_best(jacobi2, df_grid2(w, h, 0, 0), a, b, w, h);
        df_launch_best(jacobi2, df_grid2(w, h, 0, 0), b, a, w, h);
    }
    df_wait();
    for (t = 0; t < STEPS; t++) {
        for (y = 1; y <= h; y++)
            for (x = 1; x <= w; x++) {
                int i = y * (w + 2) + x;
                q[i] = (p[i - w - 2] + p[i + w + 2] + p[i - 1] + p[i + 1]) / 4;
            }
        swap = p, p = q, q = swap;
    }
    free(b);
    free(q);
    return same("Jacobi, 2-D", a, p, n);
}

/* --- out, w rows of h, from in, h rows of w --------------------------------------------------------------------- */

/* The rows of a tile are one longer than it is wide, so that its columns lie in different banks of the memory. */
DF_KERNEL_USING(rows, transpose_tiles, df_in(int, in, w * h), df_out(int, out, w * h), (int, w), (int, h),
{
    df_shared(int, tile, (df_block(0) + 1) * ROWS * df_block(1));
    int bx = df_block(0);
    int by = df_block(1);
    int x0 = df_workgroup_id(0) * bx;
    int y0 = df_workgroup_id(1) * ROWS * by;
    int x = df_local_id(0);
    int y;
    int i;
    for (y = df_local_id(1); y < ROWS * by; y += by)
        if (x0 + x < w && y0 + y < h) tile[y * (bx + 1) + x] = in[(y0 + y) * w + x0 + x];
    df_barrier();
    for (i = df_local_id(1) * bx + df_local_id(0); i < bx * ROWS * by; i += bx * by) {
        x = i / (ROWS * by);
        y = i % (ROWS * by);
        if (x0 + x < w && y0 + y < h) out[(x0 + x) * h + y0 + y] = tile[y * (bx + 1) + x];
    }
})
DF_KERNEL(transpose_tile, df_in(int, in, w * h), df_out(int, out, w * h), (int, w), (int, h),
{
    df_shared(int, tile, (df_block(0) + 1) * df_block(1));
    int bx = df_block(0);
    int by = df_block(1);
    int x0 = df_workgroup_id(0) * bx;
    int y0 = df_workgroup_id(1) * by;
    int x = df_local_id(0);
    int y = df_local_id(1);
    int i = y * bx + x;
    if (x0 + x < w && y0 + y < h) tile[y * (bx + 1) + x] = in[(y0 + y) * w + x0 + x];
    df_barrier();
    x = i / by;
    y = i % by;
    if (x0 + x < w && y0 + y < h) out[(x0 + x) * h + y0 + y] = tile[y * (bx + 1) + x];
})
DF_KERNEL(transpose_plain, df_in(int, in, w * h), df_out(int, out, w * h), (int, w), (int, h),
{
    int x = df_global_id(0);
    int y = df_global_id(1);
    if (x < w && y < h) out[x * h + y] = in[y * w + x];
})
static size_t transpose_bytes(const df_candidate *c) { return ints((c->group[0] + 1L) * c->per_item[1] * c->group[1]); }
DF_VARIANTS(transpose,
    (transpose_tiles, .groups = { { 32, 8 }, { 16, 4 } }, .per_item = { 1, ROWS }, .shared = transpose_bytes),
    (transpose_tile, .groups = { { 16, 16 }, { 8, 8 } }, .shared = transpose_bytes),
    (transpose_plain, .groups = { { 8, 32 }, { 8, 8 } }));

int transposition(void)
{
    int w = 301, h = 203, x, y;
    int *in = numbers(w * h, 1000000, 4), *out = numbers(w * h, 0, 0), *expect = numbers(w * h, 0, 0);
    for (y = 0; y < h; y++)
        for (x = 0; x < w; x++) expect[x * h + y] = in[y * w + x];
    PREPARE(transpose, df_grid2(w, h, 0, 0), in, out, w, h);
    df_launch_best(transpose, df_grid2(w, h, 0, 0), in, out, w, h);
    df_wait();
    free(in);
    return same("transposition", out, expect, w * h);
}

/* --- c = a + b --------------------------------------------------------------------------------------------- */

DF_KERNEL_USING(rows, add_tiles, df_in(int, a, w * h), df_in(int, b, w * h), df_out(int, c, w * h), (int, w), (int, h),
{
    df_shared(int, ta, ROWS * df_block(0) * df_block(1));
    df_shared(int, tb, ROWS * df_block(0) * df_block(1));
    int x = df_global_id(0);
    int y0 = df_workgroup_id(1) * ROWS * df_block(1);
    int y;
    for (y = df_local_id(1); y < ROWS * df_block(1); y += df_block(1))
        if (x < w && y0 + y < h) {
            ta[y * df_block(0) + df_local_id(0)] = a[(y0 + y) * w + x];
            tb[y * df_block(0) + df_local_id(0)] = b[(y0 + y) * w + x];
        }
    df_barrier();
    for (y = df_local_id(1); y < ROWS * df_block(1); y += df_block(1))
        if (x < w && y0 + y < h)
            c[(y0 + y) * w + x] = ta[y * df_block(0) + df_local_id(0)] + tb[y * df_block(0) + df_local_id(0)];
})
DF_KERNEL(add_tile, df_in(int, a, w * h), df_in(int, b, w * h), df_out(int, c, w * h), (int, w), (int, h),
{
    df_shared(int, ta, df_block(0) * df_block(1));
    df_shared(int, tb, df_block(0) * df_block(1));
    int x = df_global_id(0);
    int y = df_global_id(1);
    int i = df_local_id(1) * df_block(0) + df_local_id(0);
    if (x < w && y < h) {
        ta[i] = a[y * w + x];
        tb[i] = b[y * w + x];
    }
    df_barrier();
    if (x < w && y < h) c[y * w + x] = ta[i] + tb[i];
})
DF_KERNEL(add_plain, df_in(int, a, w * h), df_in(int, b, w * h), df_out(int, c, w * h), (int, w), (int, h),
{
    int x = df_global_id(0);
    int y = df_global_id(1);
    if (x < w && y < h) c[y * w + x] = a[y * w + x] + b[y * w + x];
})
static size_t add_bytes(const df_candidate *c) { return ints(2L * c->per_item[1] * c->group[0] * c->group[1]); }
DF_VARIANTS(add,
    (add_tiles, .groups = { { 32, 8 }, { 32, 4 } }, .per_item = { 1, ROWS }, .shared = add_bytes),
    (add_tile, .groups = { { 32, 8 }, { 32, 4 } }, .shared = add_bytes),
    (add_plain, .groups = { { 32, 8 } }));

int matrix_addition(void)
{
    int w = 251, h = 199, i;
    int *a = numbers(w * h, 1000000, 5), *b = numbers(w * h, 1000000, 6), *c = numbers(w * h, 0, 0),
        *expect = numbers(w * h, 0, 0);
    for (i = 0; i < w * h; i++) expect[i] = a[i] + b[i];
    PREPARE(add, df_grid2(w, h, 0, 0), a, b, c, w, h);
    df_launch_best(add, df_grid2(w, h, 0, 0), a, b, c, w, h);
    df_wait();
    free(a);
    free(b);
    return same("matrix addition", c, expect, w * h);
}
