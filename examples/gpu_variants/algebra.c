/* algebra.c - products with a vector and a matrix, and LU factorisation; integers, so that every order of sums gives
 * the same */
#include "variants.h"

DF_KERNEL_CODE(several, enum { SEVERAL = 4 }; /* results per work-item */)

static size_t ints(long n) { return (size_t)n * sizeof(int); }

/* --- y = a x, a of m rows and n columns --------------------------------------------------------------------------- */

/* A group has the sums of SEVERAL * df_block(0) rows. It works on tiles of df_block(0) columns, one after the other,
 * and adjacent work-items read along the rows. */
DF_KERNEL_USING(several, matvec_tiles, df_in(int, a, m * n), df_in(int, x, n), df_out(int, y, m), (int, m), (int, n),
{
    df_shared(int, tile, SEVERAL * df_block(0) * (df_block(0) + 1));
    df_shared(int, part, df_block(0));
    int b = df_block(0);
    int u = df_local_id(0);
    int first = df_workgroup_id(0) * SEVERAL * b;
    int sum[SEVERAL];
    int i;
    int j;
    int k;
    for (k = 0; k < SEVERAL; k++) sum[k] = 0;
    for (j = 0; j < n; j += b) {
        for (i = 0; i < SEVERAL * b; i++)
            tile[i * (b + 1) + u] = first + i < m && j + u < n ? a[(first + i) * n + j + u] : 0;
        part[u] = j + u < n ? x[j + u] : 0;
        df_barrier();
        for (k = 0; k < SEVERAL; k++)
            for (i = 0; i < b; i++) sum[k] += tile[(k * b + u) * (b + 1) + i] * part[i];
        df_barrier();
    }
    for (k = 0; k < SEVERAL; k++)
        if (first + k * b + u < m) y[first + k * b + u] = sum[k];
})
DF_KERNEL(matvec_tile, df_in(int, a, m * n), df_in(int, x, n), df_out(int, y, m), (int, m), (int, n),
{
    df_shared(int, tile, df_block(0) * (df_block(0) + 1));
    df_shared(int, part, df_block(0));
    int b = df_block(0);
    int u = df_local_id(0);
    int first = df_workgroup_id(0) * b;
    int sum = 0;
    int i;
    int j;
    for (j = 0; j < n; j += b) {
        for (i = 0; i < b; i++) tile[i * (b + 1) + u] = first + i < m && j + u < n ? a[(first + i) * n + j + u] : 0;
        part[u] = j + u < n ? x[j + u] : 0;
        df_barrier();
        for (i = 0; i < b; i++) sum += tile[u * (b + 1) + i] * part[i];
        df_barrier();
    }
    if (first + u < m) y[first + u] = sum;
})
DF_KERNEL(matvec_plain, df_in(int, a, m * n), df_in(int, x, n), df_out(int, y, m), (int, m), (int, n),
{
    int i = df_global_id(0);
    int sum = 0;
    int j;
    for (j = 0; i < m && j < n; j++) sum += a[i * n + j] * x[j];
    if (i < m) y[i] = sum;
})
static size_t matvec_bytes(const df_candidate *c)
{
    return ints((long)c->per_item[0] * c->group[0] * (c->group[0] + 1) + c->group[0]);
}
DF_VARIANTS(matvec,
    (matvec_tiles, .groups = { { 32 }, { 16 } }, .per_item = { SEVERAL }, .shared = matvec_bytes),
    (matvec_tile, .groups = { { 64 }, { 32 }, { 16 } }, .shared = matvec_bytes),
    (matvec_plain, .groups = { { 32 } }));

int matrix_vector(void)
{
    int m = 333, n = 207, i, j;
    int *a = numbers(m * n, 1000, 7), *x = numbers(n, 1000, 8), *y = numbers(m, 0, 0), *expect = numbers(m, 0, 0);
    for (i = 0; i < m; i++)
        for (j = 0; j < n; j++) expect[i] += a[i * n + j] * x[j];
    PREPARE(matvec, df_grid(m), a, x, y, m, n);
    df_launch_best(matvec, df_grid(m), a, x, y, m, n);
    df_wait();
    free(a);
    free(x);
    return same("matrix-vector product", y, expect, m);
}

/* --- c = a b, a of m rows and k columns, b of k rows and n columns ------------------------------------------------ */

DF_KERNEL_USING(several, matmul_tiles, df_in(int, a, m * k), df_in(int, b, k * n), df_out(int, c, m * n), (int, m),
                (int, n), (int, k),
{
    df_shared(int, ta, SEVERAL * df_block(1) * df_block(0));
    df_shared(int, tb, df_block(0) * df_block(0));
    int bx = df_block(0);
    int by = df_block(1);
    int u = df_local_id(0);
    int v = df_local_id(1);
    int x = df_workgroup_id(0) * bx + u;
    int y0 = df_workgroup_id(1) * SEVERAL * by;
    int sum[SEVERAL];
    int i;
    int j;
    int r;
    for (r = 0; r < SEVERAL; r++) sum[r] = 0;
    for (j = 0; j < k; j += bx) {
        for (i = v; i < SEVERAL * by; i += by) ta[i * bx + u] = y0 + i < m && j + u < k ? a[(y0 + i) * k + j + u] : 0;
        for (i = v; i < bx; i += by) tb[i * bx + u] = j + i < k && x < n ? b[(j + i) * n + x] : 0;
        df_barrier();
        for (i = 0; i < bx; i++)
            for (r = 0; r < SEVERAL; r++) sum[r] += ta[(r * by + v) * bx + i] * tb[i * bx + u];
        df_barrier();
    }
    for (r = 0; r < SEVERAL; r++)
        if (x < n && y0 + r * by + v < m) c[(y0 + r * by + v) * n + x] = sum[r];
})
DF_KERNEL(matmul_tile, df_in(int, a, m * k), df_in(int, b, k * n), df_out(int, c, m * n), (int, m), (int, n), (int, k),
{
    df_shared(int, ta, df_block(1) * df_block(0));
    df_shared(int, tb, df_block(0) * df_block(0));
    int bx = df_block(0);
    int by = df_block(1);
    int u = df_local_id(0);
    int v = df_local_id(1);
    int x = df_global_id(0);
    int y = df_global_id(1);
    int sum = 0;
    int i;
    int j;
    for (j = 0; j < k; j += bx) {
        ta[v * bx + u] = y < m && j + u < k ? a[y * k + j + u] : 0;
        for (i = v; i < bx; i += by) tb[i * bx + u] = j + i < k && x < n ? b[(j + i) * n + x] : 0;
        df_barrier();
        for (i = 0; i < bx; i++) sum += ta[v * bx + i] * tb[i * bx + u];
        df_barrier();
    }
    if (x < n && y < m) c[y * n + x] = sum;
})
DF_KERNEL(matmul_plain, df_in(int, a, m * k), df_in(int, b, k * n), df_out(int, c, m * n), (int, m), (int, n), (int, k),
{
    int x = df_global_id(0);
    int y = df_global_id(1);
    int sum = 0;
    int j;
    if (x < n && y < m) {
        for (j = 0; j < k; j++) sum += a[y * k + j] * b[j * n + x];
        c[y * n + x] = sum;
    }
})
static size_t matmul_bytes(const df_candidate *c)
{
    return ints((long)c->per_item[1] * c->group[1] * c->group[0] + (long)c->group[0] * c->group[0]);
}
DF_VARIANTS(matmul,
    (matmul_tiles, .groups = { { 32, 8 }, { 16, 16 }, { 16, 4 } }, .per_item = { 1, SEVERAL }, .shared = matmul_bytes),
    (matmul_tile, .groups = { { 16, 16 }, { 8, 8 } }, .shared = matmul_bytes),
    (matmul_plain, .groups = { { 32, 4 } }));

int matrix_matrix(void)
{
    int m = 101, n = 130, k = 75, x, y, j;
    int *a = numbers(m * k, 1000, 9), *b = numbers(k * n, 1000, 10), *c = numbers(m * n, 0, 0),
        *expect = numbers(m * n, 0, 0);
    for (y = 0; y < m; y++)
        for (j = 0; j < k; j++)
            for (x = 0; x < n; x++) expect[y * n + x] += a[y * k + j] * b[j * n + x];
    PREPARE(matmul, df_grid2(n, m, 0, 0), a, b, c, m, n, k);
    df_launch_best(matmul, df_grid2(n, m, 0, 0), a, b, c, m, n, k);
    df_wait();
    free(a);
    free(b);
    return same("matrix-matrix product", c, expect, m * n);
}

/* --- a = l u in place, without pivots: step k divides a column, then updates the block to the right of it and below
 * --------- */

/* The pivot is read once per group. */
DF_KERNEL_USING(several, divide_tiles, df_inout(int, a, n * n), (int, n), (int, k),
{
    df_shared(int, pivot, 1);
    int first = k + 1 + df_workgroup_id(0) * SEVERAL * df_workgroup_size(0);
    int i;
    int r;
    if (df_local_id(0) == 0) pivot[0] = a[k * n + k];
    df_barrier();
    for (r = 0; r < SEVERAL; r++) {
        i = first + r * df_workgroup_size(0) + df_local_id(0);
        if (i < n) a[i * n + k] /= pivot[0];
    }
})
DF_KERNEL(divide_tile, df_inout(int, a, n * n), (int, n), (int, k),
{
    df_shared(int, pivot, 1);
    int i = k + 1 + df_global_id(0);
    if (df_local_id(0) == 0) pivot[0] = a[k * n + k];
    df_barrier();
    if (i < n) a[i * n + k] /= pivot[0];
})
DF_KERNEL(divide_plain, df_inout(int, a, n * n), (int, n), (int, k),
{
    int i = k + 1 + df_global_id(0);
    if (i < n) a[i * n + k] /= a[k * n + k];
})
static size_t divide_bytes(const df_candidate *c) { return ints(c->group[0] > 0); }
DF_VARIANTS(divide,
    (divide_tiles, .groups = { { 128 }, { 32 } }, .per_item = { SEVERAL }, .shared = divide_bytes),
    (divide_tile, .groups = { { 128 }, { 32 } }, .shared = divide_bytes),
    (divide_plain, .groups = { { 128 } }));

/* A group reads a piece of the pivot's row, and one of its column, again and again. */
DF_KERNEL_USING(several, update_tiles, df_inout(int, a, n * n), (int, n), (int, k),
{
    df_shared(int, row, df_block(0));
    df_shared(int, column, SEVERAL * df_block(1));
    int x = k + 1 + df_global_id(0);
    int y0 = k + 1 + df_workgroup_id(1) * SEVERAL * df_block(1);
    int i = df_local_id(1) * df_block(0) + df_local_id(0);
    int y;
    if (df_local_id(1) == 0 && x < n) row[df_local_id(0)] = a[k * n + x];
    for (; i < SEVERAL * df_block(1); i += df_block(0) * df_block(1))
        if (y0 + i < n) column[i] = a[(y0 + i) * n + k];
    df_barrier();
    for (y = df_local_id(1); y < SEVERAL * df_block(1); y += df_block(1))
        if (x < n && y0 + y < n) a[(y0 + y) * n + x] -= column[y] * row[df_local_id(0)];
})
DF_KERNEL(update_tile, df_inout(int, a, n * n), (int, n), (int, k),
{
    df_shared(int, row, df_block(0));
    df_shared(int, column, df_block(1));
    int x = k + 1 + df_global_id(0);
    int y = k + 1 + df_global_id(1);
    if (df_local_id(1) == 0 && x < n) row[df_local_id(0)] = a[k * n + x];
    if (df_local_id(0) == 0 && y < n) column[df_local_id(1)] = a[y * n + k];
    df_barrier();
    if (x < n && y < n) a[y * n + x] -= column[df_local_id(1)] * row[df_local_id(0)];
})
DF_KERNEL(update_plain, df_inout(int, a, n * n), (int, n), (int, k),
{
    int x = k + 1 + df_global_id(0);
    int y = k + 1 + df_global_id(1);
    if (x < n && y < n) a[y * n + x] -= a[y * n + k] * a[k * n + x];
})
static size_t update_bytes(const df_candidate *c)
{
    return ints((long)c->group[0] + (long)c->per_item[1] * c->group[1]);
}
DF_VARIANTS(update,
    (update_tiles, .groups = { { 32, 8 }, { 16, 16 } }, .per_item = { 1, SEVERAL }, .shared = update_bytes),
    (update_tile, .groups = { { 16, 16 }, { 8, 8 } }, .shared = update_bytes),
    (update_plain, .groups = { { 16, 16 } }));

int lu_factorisation(void)
{
    int n = 70, i, j, k;
    int *lu = numbers(n * n, 1, 11), *a = numbers(n * n, 0, 0);
    for (i = 0; i < n; i++) lu[i * n + i] = i % 2 ? -1 : 1;
    for (i = 0; i < n; i++) /* the product of the two: all of the factorisation is in integers, then */
        for (j = 0; j < n; j++)
            for (k = 0; k <= i && k <= j; k++) a[i * n + j] += (k == i ? 1 : lu[i * n + k]) * lu[k * n + j];
    PREPARE(divide, df_grid(n - 1), a, n, 0);
    PREPARE(update, df_grid2(n - 1, n - 1, 0, 0), a, n, 0);
    for (k = 0; k < n - 1; k++) {
        df_launch_best(divide, df_grid(n - 1 - k), a, n, k);
        df_launch_best(update, df_grid2(n - 1 - k, n - 1 - k, 0, 0), a, n, k);
    }
    df_wait();
    return same("LU factorisation", a, lu, n * n);
}
