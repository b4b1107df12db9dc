/* host_kernels.c - kernels on the host give what plain C gives: every word of the language, groups with and without
 * barriers, in one to three dimensions, reductions, atomics; and the effects of a kernel that cannot run
 *
 * At 1, 2 and 4 workers, and with -DDF_SERIAL. Prints the bits of floating-point reductions: they are the same
 * everywhere. */
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Memory for df that may fail: blocks of `fail_from` bytes and more. */
static size_t fail_from;
static void *test_malloc(size_t n)
{
    size_t from = __atomic_load_n(&fail_from, __ATOMIC_RELAXED);
    return from && n >= from ? NULL : malloc(n);
}
#define DF_MALLOC(n) test_malloc(n)
#define DF_FREE(p) free(p)
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "../system/hear.h"

/* The largest group: for a fibre TSan needs a vector with an entry for each fibre, and where fibres are threads they
 * are slow. */
enum { WIDE = DFI_FIBRE_HAND && !TEST_TSAN ? 1024 : 300 };

static int workers;

/* What has been said since the last time, as one text. */
static const char *heard(void)
{
    static char text[2000];
    size_t n = 0;
    int i;
    text[0] = 0;
    for (i = 0; i < n_said && n < sizeof text; i++) n += (size_t)snprintf(text + n, sizeof text - n, "%s\n", said[i]);
    n_said = 0;
    return text;
}

/* --- where an item is ------------------------------------------------------------------------------- */

enum { CELLS = 1 << 15 };
static int cells[CELLS][12];

DF_KERNEL(places, df_out(int, out, most * 12), (int, most),
{
    int x = df_global_id(0), y = df_global_id(1), z = df_global_id(2);
    int at = x + df_global_size(0) * (y + df_global_size(1) * z);
    if (at >= most) return;
    out[12 * at] = x, out[12 * at + 1] = y, out[12 * at + 2] = z;
    for (int d = 0; d < 3; d++) {
        out[12 * at + 3 + d] = df_local_id(d);
        out[12 * at + 6 + d] = df_workgroup_id(d) * 1000 + df_workgroup_size(d);
        out[12 * at + 9 + d] = df_workgroups(d);
    }
})

DF_KERNEL(places_fibres, df_out(int, out, most * 12), (int, most),
{
    df_shared(int, sum, 1);
    int x = df_global_id(0), y = df_global_id(1), z = df_global_id(2);
    int at = x + df_global_size(0) * (y + df_global_size(1) * z);
    if (df_local_id(0) + df_local_id(1) + df_local_id(2) == 0) *sum = 0;
    df_barrier();
    df_atomic_add(sum, 1);
    df_barrier();
    if (*sum == df_workgroup_size(0) * df_workgroup_size(1) * df_workgroup_size(2) && at < most) {
        out[12 * at] = x, out[12 * at + 1] = y, out[12 * at + 2] = z;
        for (int d = 0; d < 3; d++) {
            out[12 * at + 3 + d] = df_local_id(d);
            out[12 * at + 6 + d] = df_workgroup_id(d) * 1000 + df_block(d);
            out[12 * at + 9 + d] = df_workgroups(d);
        }
    }
})

static void check_places(df_ndrange g, int g0, int g1, int g2)
{
    int group[3] = { g0, g1, g2 }, size[3], d, i, k, at[3];
    for (k = 0; k < 2; k++) {
        memset(cells, -1, sizeof cells);
        if (k) places_fibres(g, cells[0], CELLS);
        else places(g, cells[0], CELLS);
        for (d = 0; d < 3; d++) size[d] = (int)((g.n[d] + group[d] - 1) / group[d]) * group[d];
        CHECK(size[0] * size[1] * size[2] <= CELLS);
        for (i = 0; i < CELLS; i++) {
            if (i >= size[0] * size[1] * size[2]) {
                CHECK(cells[i][0] == -1);
                continue;
            }
            at[0] = i % size[0], at[1] = i / size[0] % size[1], at[2] = i / size[0] / size[1];
            for (d = 0; d < 3; d++) {
                CHECK(cells[i][d] == at[d] && cells[i][3 + d] == at[d] % group[d]);
                CHECK(cells[i][6 + d] == at[d] / group[d] * 1000 + group[d] && cells[i][9 + d] == size[d] / group[d]);
            }
        }
    }
}

static void grids(void)
{
    check_places(df_grid(1), 1, 1, 1);
    check_places(df_grid(2), 256, 1, 1);
    check_places(df_grid(256), 256, 1, 1);
    check_places(df_grid(1000), 256, 1, 1);
    check_places(df_grid1(1000, 7), 7, 1, 1);
    check_places(df_grid1(5, 1), 1, 1, 1);
    check_places(df_grid1(3, WIDE), WIDE, 1, 1);
    check_places(df_grid2(100, 37, 0, 0), 16, 16, 1);
    check_places(df_grid2(100, 37, 5, 3), 5, 3, 1);
    check_places(df_grid2(100, 37, 32, 0), 32, 8, 1);
    check_places(df_grid2(37, 100, 0, 100), 2, 100, 1);
    check_places(df_grid2(1, 300, 0, 0), 1, 256, 1);
    check_places(df_grid2(300, 1, 0, 0), 256, 1, 1);
    check_places(df_grid3(20, 9, 13, 0, 0, 0), 8, 8, 4);
    check_places(df_grid3(20, 9, 13, 3, 2, 5), 3, 2, 5);
    check_places(df_grid3(1, 1, 70, 0, 0, 0), 1, 1, 64);
    check_places(df_grid3(2, 1, 70, 0, 1, 0), 16, 1, 16);
    memset(cells, -1, sizeof cells);
    places(df_grid(0), cells[0], CELLS);
    places(df_grid2(0, 10, 0, 0), cells[0], CELLS);
    places_fibres(df_grid3(3, 2, 0, 1, 1, 1), cells[0], CELLS);
    CHECK(cells[0][0] == -1);
}

/* --- types -------------------------------------------------------------------------------------------- */

DF_KERNEL_CODE(pairs,
typedef struct { double a; char b; } pair;
enum { PAIRS = 40 };
static inline double twice(double x) { return 2 * x; })

DF_KERNEL_USING(pairs, of_pairs, (pair, p), df_inout(pair, x, PAIRS),
{
    int i = df_global_id(0);
    if (i >= PAIRS) return;
    x[i].a = twice(x[i].a) + p.a;
    x[i].b = (char)(x[i].b + p.b);
})

#define OF(T, name)                                                                             \
    DF_KERNEL(name, (T, a), df_in(T, x, n), df_inout(T, y, n), (int, n),                        \
    {                                                                                           \
        int i = df_global_id(0);                                                                \
        if (i < n) y[i] = (T)(y[i] + (T)(a * x[i]));                                            \
    })                                                                                          \
    DF_KERNEL(name##_turn, (T, a), df_inout(T, x, n), (int, n),                                 \
    {                                                                                           \
        df_shared(T, t, df_block(0));                                                           \
        df_shared(char, odd, 3);                                                                \
        df_shared(T, u, df_block(0));                                                           \
        int i = df_global_id(0), l = df_local_id(0), b = df_block(0);                           \
        if (l < 3) odd[l] = 1;                                                                  \
        t[l] = x[i];                                                                            \
        df_barrier();                                                                           \
        u[l] = (T)(t[b - 1 - l] + a);                                                           \
        df_barrier();                                                                           \
        x[i] = u[(l + 1) % b];                                                                  \
    })                                                                                          \
    static void try_##name(void)                                                                \
    {                                                                                           \
        T x[96], y[96], z[96];                                                                  \
        for (int i = 0; i < 96; i++) x[i] = (T)i, y[i] = (T)1, z[i] = (T)i;                     \
        name(df_grid(96), (T)1, x, y, 96);                                                      \
        name##_turn(df_grid1(96, 12), (T)2, z, 96);                                             \
        for (int i = 0; i < 96; i++) {                                                          \
            CHECK(y[i] == (T)(i + 1));                                                          \
            CHECK(z[i] == (T)(i / 12 * 12 + 11 - (i % 12 + 1) % 12 + 2));                       \
        }                                                                                       \
    }
OF(char, of_char)
OF(signed char, of_signed_char)
OF(unsigned char, of_unsigned_char)
OF(short, of_short)
OF(unsigned short, of_unsigned_short)
OF(int, of_int)
OF(unsigned, of_unsigned)
OF(long, of_long)
OF(unsigned long, of_unsigned_long)
OF(float, of_float)
OF(double, of_double)
OF(int8_t, of_int8)
OF(uint16_t, of_uint16)
OF(int32_t, of_int32)
OF(int64_t, of_int64)
OF(uint64_t, of_uint64)
OF(size_t, of_size)

static void types(void)
{
    pair x[40], p = { 0.5, 3 };
    int i;
    for (i = 0; i < 40; i++) x[i].a = i, x[i].b = (char)i;
    of_pairs(df_grid(40), p, x);
    for (i = 0; i < 40; i++) CHECK(fabs(x[i].a - (2 * i + 0.5)) < 1e-12 && x[i].b == (char)(i + 3));
    try_of_char(), try_of_signed_char(), try_of_unsigned_char(), try_of_short(), try_of_unsigned_short();
    try_of_int(), try_of_unsigned(), try_of_long(), try_of_unsigned_long(), try_of_float(), try_of_double();
    try_of_int8(), try_of_uint16(), try_of_int32(), try_of_int64(), try_of_uint64(), try_of_size();
}

/* --- groups whose items wait for each other --------------------------------------------------------- */

/* inclusive sums of each group: barriers in a loop */
DF_KERNEL(scan, df_inout(int, x, n), (int, n),
{
    df_shared(int, t, 2 * df_block(0));
    int i = df_global_id(0), l = df_local_id(0), b = df_block(0), from = 0;
    t[l] = i < n ? x[i] : 0;
    for (int step = 1; step < b; step *= 2) {
        int to = 1 - from;
        df_barrier();
        t[to * b + l] = t[from * b + l] + (l >= step ? t[from * b + l - step] : 0);
        from = to;
    }
    if (i < n) x[i] = t[from * b + l];
})

DF_KERNEL(transpose, df_in2(float, a, rows, cols, lda), df_out2(float, b, cols, rows, ldb), (int, rows), (int, cols),
          (int, lda), (int, ldb),
{
    df_shared(float, t, df_block(0) * (df_block(0) + 1));
    int w = df_block(0) + 1, x = df_local_id(0), y = df_local_id(1);
    int col = df_global_id(0), row = df_global_id(1);
    if (row < rows && col < cols) t[y * w + x] = a[row * lda + col];
    df_barrier();
    col = df_workgroup_id(1) * df_workgroup_size(1) + x, row = df_workgroup_id(0) * df_workgroup_size(0) + y;
    if (row < cols && col < rows) b[row * ldb + col] = t[x * w + y];
})

/* a multiplication of tiles: each passes two barriers for each tile */
DF_KERNEL(multiply, df_in(float, a, n * n), df_in(float, b, n * n), df_out(float, c, n * n), (int, n),
{
    df_shared(float, s, df_block(0) * df_block(1));
    df_shared(float, t, df_block(0) * df_block(1));
    int x = df_local_id(0), y = df_local_id(1), w = df_block(0), col = df_global_id(0), row = df_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k += w) {
        s[y * w + x] = row < n && k + x < n ? a[row * n + k + x] : 0;
        t[y * w + x] = col < n && k + y < n ? b[(k + y) * n + col] : 0;
        df_barrier();
        for (int i = 0; i < w; i++) sum += s[y * w + i] * t[i * w + x];
        df_barrier();
    }
    if (row < n && col < n) c[row * n + col] = sum;
})

/* in three dimensions each item takes from its neighbour in the group, round and round */
DF_KERNEL(around, df_inout(int, x, n * n * n), (int, n), (int, times),
{
    df_shared(int, t, df_block(0) * df_block(1) * df_block(2));
    int a = df_local_id(0), b = df_local_id(1), c = df_local_id(2), p = df_block(0), q = df_block(1), r = df_block(2);
    int at = df_global_id(0) + n * (df_global_id(1) + n * df_global_id(2));
    for (int k = 0; k < times; k++) {
        t[a + p * (b + q * c)] = x[at];
        df_barrier();
        x[at] = t[(a + 1) % p + p * ((b + 1) % q + q * ((c + 1) % r))];
        df_barrier();
    }
})

/* whole groups leave, the others continue */
DF_KERNEL(some_groups, df_inout(int, x, n), (int, n),
{
    df_shared(int, t, df_block(0));
    int i = df_global_id(0);
    if (df_workgroup_id(0) % 2) return;
    t[df_local_id(0)] = i;
    df_barrier();
    if (i < n) x[i] = t[df_block(0) - 1 - df_local_id(0)];
})

/* shared memory and no barrier: a counter for each group */
DF_KERNEL(counted, df_out(int, x, n), (int, n), (int, ready),
{
    df_shared(int, c, 1);
    int i = df_global_id(0);
    if (df_local_id(0) == 0) *c = ready;
    if (i < n) x[i] = 1;
})

/* many arrays, aligned for any type, all apart */
DF_KERNEL(arrays, df_out(int, x, n), (int, n),
{
    df_shared(char, a, 1);
    df_shared(double, b, 3);
    df_shared(char, c, 5);
    df_shared(float, d, 100);
    df_shared(char, e, 7);
    df_shared(long, f, 1);
    df_shared(char, g, 1);
    df_shared(short, h, 9);
    df_shared(char, i, 11);
    df_shared(double, j, 1);
    df_shared(char, k, 1 << 20);
    int l = df_local_id(0), w = df_global_id(0);
    if (l == 0) {
        *a = 1, b[2] = 2, c[4] = 3, d[99] = 4, e[6] = 5, *f = 6, *g = 7, h[8] = 8, i[10] = 9, *j = 10, k[(1 << 20) - 1] = 11;
    }
    df_barrier();
    if (w < n) {
        x[w] = *a + (int)b[2] + c[4] + (int)d[99] + e[6] + (int)*f + *g + h[8] + i[10] + (int)*j + k[(1 << 20) - 1];
        if ((size_t)b % 64 || (size_t)d % 64 || (size_t)f % 64 || (size_t)j % 64) x[w] = -1;
    }
})

static void barriers(void)
{
    enum { N = 1000, R = 50, C = 71, M = WIDE / 10, S = 12 };
    static int x[N], y[S * S * S], z[S * S * S];
    static float a[R * C], b[C * R + 5 * C], p[M * M], q[M * M], c[M * M];
    static const int sizes[] = { 1, 2, 3, 8, 10, 64, 100, WIDE };
    size_t k;
    int i, j, l, t;
    for (k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (i = 0; i < N; i++) x[i] = i % 7;
        scan(df_grid1(N, sizes[k]), x, N);
        for (i = 0, j = 0; i < N; i++) {
            if (i % sizes[k] == 0) j = 0;
            j += i % 7;
            CHECK(x[i] == j);
        }
        some_groups(df_grid1(N, sizes[k]), x, N);
        for (i = 0, j = 0; i < N; i++) {
            if (i % sizes[k] == 0) j = 0;
            j += i % 7;
            CHECK(x[i] == (i / sizes[k] % 2 ? j : i / sizes[k] * sizes[k] + sizes[k] - 1 - i % sizes[k]));
        }
        counted(df_grid1(N, sizes[k]), x, N, 1);
        for (i = 0; i < N; i++) CHECK(x[i] == 1);
    }
    for (i = 0; i < R * C; i++) a[i] = (float)i;
    for (t = 1; t <= 16; t *= 2) {
        memset(b, 0, sizeof b);
        transpose(df_grid2(C, R, t, t), a, b, R, C, C, R + 5);
        for (i = 0; i < C; i++)
            for (j = 0; j < R + 5; j++) CHECK((int)b[i * (R + 5) + j] == (j < R ? j * C + i : 0));
    }
    for (i = 0; i < M * M; i++) p[i] = (float)(i % 11 - 5), q[i] = (float)(i % 7 - 3);
    for (t = 4; t <= 32; t *= 2) { /* long enough for all workers */
        multiply(df_grid2(M, M, t, t), p, q, c, M);
        for (i = 0; i < M; i++)
            for (j = 0; j < M; j++) {
                float sum = 0;
                for (l = 0; l < M; l++) sum += p[i * M + l] * q[l * M + j];
                CHECK((int)c[i * M + j] == (int)sum); /* whole numbers: exact */
            }
    }
    for (i = 0; i < S * S * S; i++) y[i] = i;
    around(df_grid3(S, S, S, 3, 4, 6), y, S, 5);
    for (i = 0; i < S * S * S; i++) z[i] = i;
    for (t = 0; t < 5; t++) {
        static int w[S * S * S];
        memcpy(w, z, sizeof w);
        for (i = 0; i < S; i++)
            for (j = 0; j < S; j++)
                for (l = 0; l < S; l++)
                    z[i + S * (j + S * l)] = w[i / 3 * 3 + (i + 1) % 3 +
                                               S * (j / 4 * 4 + (j + 1) % 4 + S * (l / 6 * 6 + (l + 1) % 6))];
    }
    CHECK(!memcmp(y, z, sizeof y));
    arrays(df_grid1(100, 10), x, 100);
    for (i = 0; i < 100; i++) CHECK(x[i] == 66);
}

/* --- reductions -------------------------------------------------------------------------------------- */

#define REDUCE(T, name)                                                                                              \
    DF_KERNEL(name, (int, n), df_reduce(df_sum, T, s, 2), df_reduce(df_prod, T, p, 1), df_reduce(df_land, T, la, 1), \
              df_reduce(df_lor, T, lo, 1), df_reduce(df_min, T, mi, 1), df_reduce(df_max, T, ma, 1),                 \
    {                                                                                                                \
        int i = df_global_id(0);                                                                                     \
        T v = (T)(i * 7 % 100);                                                                                      \
        if (i >= n) return;                                                                                          \
        s[i % 2] = (T)(s[i % 2] + 1);                                                                                \
        if (i % 100 == 0) *p = (T)(*p * 2);                                                                          \
        *la = (T)(*la && i != 900), *lo = (T)(*lo || i == 900);                                                      \
        if (v < *mi) *mi = v;                                                                                        \
        if (v > *ma) *ma = v;                                                                                        \
    })                                                                                                               \
    static void try_##name(void)                                                                                     \
    {                                                                                                                \
        static const int group[] = { 0, 1, 3, 64 };                                                                  \
        for (int g = 0; g < 4; g++) {                                                                                \
            T x[7] = { 1, 2, 3, 1, 0, 50, 50 }, s[2] = { 1, 2 };                                                     \
            int n[2] = { 150, 1000 };                                                                                \
            for (int k = 0; k < 2; k++) {                                                                            \
                name(df_grid1(n[k], group[g]), n[k], x, x + 2, x + 3, x + 4, x + 5, x + 6);                          \
                for (int i = 0; i < n[k]; i++) s[i % 2] = (T)(s[i % 2] + 1);                                         \
                CHECK(x[0] == s[0] && x[1] == s[1] && x[2] == (T)(k ? 12 * 1024 : 12));                              \
                CHECK(x[3] == (T)(k == 0) && x[4] == (T)(k == 1) && x[5] == 0 && x[6] == 99);                        \
            }                                                                                                        \
        }                                                                                                            \
    }
#define BITS(T, name)                                                                                                \
    REDUCE(T, name)                                                                                                  \
    DF_KERNEL(name##_bits, (int, n), df_reduce(df_band, T, a, 1), df_reduce(df_bor, T, o, 1), df_reduce(df_bxor, T, x, 1), \
    {                                                                                                                \
        int i = df_global_id(0);                                                                                     \
        if (i >= n) return;                                                                                          \
        *a = (T)(*a & (i % 64 + 64)), *o = (T)(*o | (i % 64)), *x = (T)(*x ^ i);                                     \
    })                                                                                                               \
    static void try_##name##_bits(void)                                                                              \
    {                                                                                                                \
        T x[3] = { (T)-1, 0, 1 }, y = 1;                                                                             \
        name##_bits(df_grid1(701, 5), 701, x, x + 1, x + 2);                                                         \
        for (int i = 0; i < 701; i++) y = (T)(y ^ i);                                                                \
        CHECK(x[0] == 64 && x[1] == 63 && x[2] == y);                                                                \
    }
BITS(signed char, r_char)
BITS(unsigned char, r_uchar)
BITS(short, r_short)
BITS(unsigned short, r_ushort)
BITS(int, r_int)
BITS(unsigned, r_unsigned)
BITS(long, r_long)
BITS(int64_t, r_int64)
BITS(uint64_t, r_uint64)
REDUCE(float, r_float)
REDUCE(double, r_double)

/* an operator of the program: the position of the largest */
typedef struct { double value; int at; } best;
static void better(best *into, const best *from)
{
    if (from->at >= 0 && (into->at < 0 || from->value > into->value ||
                          (!(from->value < into->value) && from->at < into->at))) *into = *from;
}
static void none(best *x) { x->value = 0, x->at = -1; }
DF_REDUCTION(the_best, best, better, none);
DF_KERNEL(find, df_in(double, x, n), (int, n), df_reduce(the_best, best, b, 1),
{
    int i = df_global_id(0);
    if (i < n && (b->at < 0 || x[i] > b->value)) b->value = x[i], b->at = i;
})

/* sixteen sums, in groups whose items wait for each other */
DF_KERNEL(histogram, df_in(int, x, n), (int, n), df_reduce(df_sum, int, h, 16),
{
    df_shared(int, t, df_block(0));
    int i = df_global_id(0), l = df_local_id(0);
    t[l] = i < n ? x[i] : -1;
    df_barrier();
    l = t[df_block(0) - 1 - l];
    if (l >= 0) h[l]++;
})

DF_KERNEL(sum_of, df_in(double, x, n), (int, n), df_reduce(df_sum, double, s, 1), df_reduce(df_sum, float, t, m),
          (int, m),
{
    int i = df_global_id(0);
    if (i >= n) return;
    *s += x[i];
    if (m > 0) t[i % m] += (float)x[i];
})

static void reductions(void)
{
    enum { N = 30000 };
    static double x[N];
    static int y[N];
    static uint64_t first;
    uint64_t seed = 5, bits = 0;
    double sums[2] = { 0.1, 0.1 };
    float more[2][7];
    int i, h[16], want[16];
    best b = { 0, -1 };
    try_r_char(), try_r_uchar(), try_r_short(), try_r_ushort(), try_r_int(), try_r_unsigned();
    try_r_long(), try_r_int64(), try_r_uint64(), try_r_float(), try_r_double();
    try_r_char_bits(), try_r_uchar_bits(), try_r_short_bits(), try_r_ushort_bits(), try_r_int_bits();
    try_r_unsigned_bits(), try_r_long_bits(), try_r_int64_bits(), try_r_uint64_bits();
    for (i = 0; i < N; i++) x[i] = (double)test_below(&seed, 1000000) / 999983, y[i] = test_below(&seed, 16);
    x[20001] = x[777] = 3;
    find(df_grid(N), x, N, &b);
    CHECK(b.at == 777);
    memset(want, 0, sizeof want);
    memset(h, 0, sizeof h);
    for (i = 0; i < N; i++) want[y[i]]++;
    histogram(df_grid1(N, 100), y, N, h);
    CHECK(!memcmp(h, want, sizeof h));
    for (i = 0; i < 7; i++) more[0][i] = more[1][i] = (float)i;
    sum_of(df_grid(N), x, N, &sums[0], more[0], 7);
    sum_of(df_grid(N), x, N, &sums[1], more[1], 7);
    CHECK(!memcmp(&sums[0], &sums[1], sizeof sums[0]) && !memcmp(more[0], more[1], sizeof more[0]));
    memcpy(&bits, &sums[0], sizeof bits);
    for (i = 0; i < 7; i++) bits = test_mix(bits, (uint64_t)(int64_t)(more[0][i] * 16384));
    CHECK(!first || bits == first); /* at the other numbers of workers */
    if (!first) printf("sums %016llx\n", (unsigned long long)bits);
    first = bits;
    sum_of(df_grid(0), x, N, &sums[1], more[1], 7);
    sum_of(df_grid(N), x, N, &sums[1], NULL, 0);
    CHECK(sums[1] > sums[0]);
}

/* --- atomics ----------------------------------------------------------------------------------------- */

#define ATOMIC(T, name)                                                                         \
    DF_KERNEL(name, df_concurrent(T, x, 4), df_concurrent(T, seen, n + 1), (int, n),            \
    {                                                                                           \
        df_shared(T, mine, 3);                                                                  \
        int i = df_global_id(0);                                                                \
        if (df_local_id(0) == 0) mine[0] = 0, mine[1] = (T)1000, mine[2] = 0;                   \
        df_barrier();                                                                           \
        df_atomic_add(&mine[0], 1);                                                             \
        df_atomic_min(&mine[1], (T)df_local_id(0) + 1);                                         \
        df_atomic_max(&mine[2], (T)df_local_id(0));                                             \
        df_barrier();                                                                           \
        if (mine[0] != (T)df_block(0) || mine[1] != 1 || mine[2] != (T)(df_block(0) - 1)) return; \
        if (i >= n) return;                                                                     \
        df_atomic_add(&seen[(int)df_atomic_add(&x[0], 1)], 1);                                  \
        df_atomic_min(&x[1], (T)(n - i));                                                       \
        df_atomic_max(&x[2], (T)(i + 1));                                                       \
        df_atomic_add(&seen[(int)df_atomic_exchange(&x[3], (T)(i + 1))], 1);                    \
    })                                                                                          \
    static void try_##name(void)                                                                \
    {                                                                                           \
        enum { N = 20 * WIDE };                                                                 \
        static T seen[N + 1];                                                                   \
        T x[4] = { 0, 3 * N, 0, 0 };                                                            \
        memset((void *)seen, 0, sizeof seen);                                                   \
        name(df_grid1(N, 16), x, seen, N);                                                      \
        CHECK(x[0] == N && x[1] == 1 && x[2] == N);                                             \
        seen[(int)x[3]]++, seen[N]++;                                                           \
        for (int i = 0; i <= N; i++) CHECK(seen[i] == 2); /* each value was the old one once */ \
    }
ATOMIC(int, a_int)
ATOMIC(unsigned, a_unsigned)
ATOMIC(float, a_float)

/* the items of all groups, one after the other through one word */
DF_KERNEL(turns, df_concurrent(int, x, 1), df_concurrent(unsigned, y, 1), (int, n),
{
    int i = df_global_id(0);
    if (i >= n) return;
    for (int old = 0, was; ; old = was) {
        was = df_atomic_cas(x, old, old + 3);
        if (was == old) break;
    }
    for (unsigned old = 0, was; ; old = was) {
        was = df_atomic_cas(y, old, old ^ (unsigned)i * 2654435761u);
        if (was == old) break;
    }
})
DF_KERNEL(wraps, df_concurrent(int, x, 1), { df_atomic_add(x, 2000000000); })

static void atomics(void)
{
    int x = 0, i;
    unsigned y = 0, z = 0;
    try_a_int(), try_a_unsigned(), try_a_float();
    turns(df_grid1(100000, 32), &x, &y, 100000);
    for (i = 0; i < 100000; i++) z ^= (unsigned)i * 2654435761u;
    CHECK(x == 300000 && y == z);
    x = 0;
    wraps(df_grid1(3, 1), &x);
    CHECK(x == 1705032704);
}

/* --- as a task, in tasks, in loops ------------------------------------------------------------------- */

DF_KERNEL(add, df_inout(int, x, n), (int, n), (int, k),
{
    int i = df_global_id(0);
    if (i < n) x[i] += k;
})
DF_TASK(void, in_task, df_inout(int, x, n), (int, n));
void in_task(int *x, int n)
{
    add(df_grid(n), x, n, 1);
    scan(df_grid1(n, 10), x, n);
}
DF_LOOP(in_loop, (int *, x), (int, n));
void in_loop(long lo, long hi, int *x, int n)
{
    for (long i = lo; i < hi; i++) {
        int h[16] = { 0 }, want[16] = { 0 };
        in_task(x + i * n, n);
        histogram(df_grid1(n, 10), x + i * n, n, h);
        for (int k = 0; k < n; k++) want[k % 10 + 1]++;
        CHECK(!memcmp(h, want, sizeof h));
    }
}

/* Recursion of which each leaf is a kernel without accesses: a task without a record (flow/lazy.h) where df calls
 * follow each other fast. It cannot name memory, so it writes behind an address that is a number. */
DF_KERNEL(leaf, (unsigned long long, where), (int, k),
{
    if (df_global_id(0) == 0) df_atomic_add((int *)(size_t)where, k);
})
DF_TASK(void, branch, (int, depth), (int *, where));
void branch(int depth, int *where)
{
    if (depth > 0) {
        df_submit(branch, depth - 1, where);
        df_launch(leaf, df_grid(3), (unsigned long long)(size_t)where, 1);
        df_submit(branch, depth - 1, where);
        if (depth % 2) df_wait();
        df_submit(leaf, df_grid(3), (unsigned long long)(size_t)where, 100000);
    }
    df_wait();
}

static void tasks(void)
{
    enum { N = 100, M = 20 };
    static int x[M * N], y[N];
    int i, k;
    memset(x, 0, sizeof x);
    for (k = 0; k < 3; k++) {
        df_submit(add, df_grid(N), x, N, 1);
        df_submit(in_task, x, N);
        df_launch_with(DF_OPTS(.device = DF_HOST), add, df_grid(N), x, N, -2);
    }
    df_wait();
    memset(y, 0, sizeof y);
    for (k = 0; k < 3; k++) {
        for (i = 0; i < N; i++) y[i] += 2;
        for (i = 0; i < N; i++) y[i] += i % 10 ? y[i - 1] : 0;
        for (i = 0; i < N; i++) y[i] -= 2;
    }
    CHECK(!memcmp(x, y, sizeof y));
    memset(x, 0, sizeof x);
    df_for(in_loop, 0, M, x, N);
    for (i = 0; i < M * N; i++) CHECK(x[i] == i % N % 10 + 1);
    i = 0;
    df_submit(branch, 12, &i);
    df_wait();
    CHECK(i == 4095 * 100001);
}

/* --- modes of floating-point arithmetic -------------------------------------------------------------- */

#if defined(FE_UPWARD) && defined(FE_DOWNWARD) && !defined(__riscv) /* there a thread's own, not a function's to keep */
DF_KERNEL(thirds, df_in(double, x, n), df_out(double, y, n), (int, n),
{
    int i = df_global_id(0);
    df_barrier();
    if (i < n) y[i] = x[0] / x[i];
    df_barrier();
    if (i < n) y[i] += 0 * x[i];
})
static void modes(void)
{
    static const int mode[] = { FE_UPWARD, FE_DOWNWARD, FE_TONEAREST, FE_UPWARD, FE_TONEAREST };
    volatile double x[40];
    double in[40], out[40];
    int i, k;
    for (k = 0; k < 5 && workers == 1; k++) {
        for (i = 0; i < 40; i++) x[i] = in[i] = i + 1;
        fesetround(mode[k]);
        thirds(df_grid1(40, 8), in, out, 40);
        CHECK(fegetround() == mode[k]);
        for (i = 0; i < 40; i++) {
            volatile double y = x[0] / x[i];
            CHECK(!memcmp((const void *)&y, (const void *)&out[i], sizeof y));
        }
    }
    fesetround(FE_TONEAREST);
}
#else
static void modes(void) {}
#endif

/* --- kernels that cannot run --------------------------------------------------------------------------- */

DF_KERNEL(divergent, df_inout(int, x, n), (int, n), (int, k),
{
    int i = df_global_id(0);
    if (i % 8 == k) return;
    df_barrier();
    if (i < n) x[i]++;
})
DF_KERNEL(once, df_inout(int, x, n), (int, n),
{
    int i = df_global_id(0);
    df_barrier();
    if (df_local_id(0) == 3) df_barrier();
    if (i < n) x[i]++;
})
#define SYNCHRONISE() df_barrier()
DF_KERNEL(hidden, df_inout(int, x, n), (int, n),
{
    int i = df_global_id(0);
    SYNCHRONISE();
    if (i < n) x[i]++;
})
enum { LARGE = DFI_FIBRE_STACK + 100000 };
DF_KERNEL(large, df_inout(int, x, n), (int, n),
{
    volatile char t[LARGE];
    int i = df_global_id(0);
    for (int k = 0; k < LARGE; k++) t[k] = (char)i;
    df_barrier();
    if (i < n) x[i] = t[i];
})
DF_KERNEL(greedy, df_inout(int, x, n), (int, n),
{
    df_shared(char, t, 64);
    df_shared(char, u, (size_t)1 << (8 * sizeof(size_t) - 4));
    t[df_local_id(0)] = 0;
    df_barrier();
    u[df_global_id(0)] = 1;
    x[0] = n;
})

static void works(void) /* as ever */
{
    int x[64] = { 0 }, i;
    some_groups(df_grid1(64, 8), x, 64);
    for (i = 0; i < 64; i++) CHECK(x[i] == (i / 8 % 2 ? 0 : i / 8 * 8 + 7 - i % 8));
    CHECK(df_wait_result() == DF_OK && !*heard());
}

static int many(const char *text, const char *what)
{
    int n = 0;
    while ((text = strstr(text, what)) != NULL) n++, text++;
    return n;
}

static void failures(void)
{
    static int x[600];
    const char *t;
    int k;
    works();
    for (k = 0; k < 8; k++) {
        divergent(df_grid1(64, 8), x, 64, k);
        CHECK(df_wait_result() == DF_ERROR_KERNEL);
        t = heard();
        CHECK(strstr(t, "kernel divergent") && strstr(t, "df_barrier") && many(t, "\n") == 1);
        works();
    }
    divergent(df_grid1(64, 8), x, 64, 9);
    CHECK(df_wait_result() == DF_OK);
    once(df_grid1(64, 4), x, 64);
    CHECK(df_wait_result() == DF_ERROR_KERNEL && strstr(heard(), "kernel once"));
    works();
    hidden(df_grid1(64, 4), x, 64);
    CHECK(df_wait_result() == DF_ERROR_KERNEL && strstr(heard(), "must stand in the text"));
    works();
#if DFI_FIBRE_HAND && !DFI_FIBRE_SHADOW
    large(df_grid1(64, 16), x, 64);
    t = heard();
    CHECK(df_wait_result() == DF_ERROR_KERNEL && strstr(t, "kernel large") && strstr(t, "stack"));
    works();
#endif
    memset(x, 0, sizeof x);
    __atomic_store_n(&fail_from, (size_t)1 << 26, __ATOMIC_RELAXED); /* a sanitizer's malloc would end the program */
    greedy(df_grid1(64, 16), x, 64);
    __atomic_store_n(&fail_from, (size_t)0, __ATOMIC_RELAXED);
    CHECK(df_wait_result() == DF_ERROR_MEMORY && strstr(heard(), "df_shared") && x[0] == 0);
    works();
    /* No memory for stacks, which this worker lost when its kernels failed. A helper may have kept its stacks; then it lacks
     * memory for df_shared, unless it has kept that, too. No memory for the parts of a reduction: it is done without. */
    __atomic_store_n(&fail_from, (size_t)1 << 10, __ATOMIC_RELAXED);
    scan(df_grid1(600, 200), x, 600);
#if DFI_FIBRE_HAND && !DFI_FIBRE_SHADOW
    k = df_wait_result(), t = heard();
    if (k == DF_ERROR_MEMORY) CHECK(strstr(t, "stacks") || (workers > 1 && strstr(t, "df_shared")));
    else CHECK(k == DF_OK && workers > 1);
#else
    df_wait_result(), heard();
#endif
    {
        double in[3] = { 1, 2, 4 }, s = 0.5;
        float f[2] = { 0, 0 };
        sum_of(df_grid1(3, 1), in, 3, &s, f, 2);
        CHECK(fabs(s - 7.5) < 1e-9 && fabsf(f[0] - 5) < 1e-6f && fabsf(f[1] - 2) < 1e-6f);
    }
    __atomic_store_n(&fail_from, (size_t)0, __ATOMIC_RELAXED);
    works();
    CHECK(df_wait_result() == DF_OK);
    x[0] = 0;
    add(df_grid(-1), x, 1, 1);
    CHECK(df_wait_result() == DF_ERROR_GRID && strstr(heard(), "negative"));
    add(df_grid1(1, -1), x, 1, 1);
    CHECK(df_wait_result() == DF_ERROR_GRID && strstr(heard(), "negative"));
    add(df_grid1(1, 1025), x, 1, 1);
    CHECK(df_wait_result() == DF_ERROR_GRID && strstr(heard(), "1025"));
    add(df_grid2(1, 1, 33, 32), x, 1, 1);
    CHECK(df_wait_result() == DF_ERROR_GRID && strstr(heard(), "33 x 32"));
#if LONG_MAX > 2147483647
    add(df_grid(3000000000), x, 1, 1);
    CHECK(df_wait_result() == DF_ERROR_GRID && strstr(heard(), "2147483647"));
    add(df_grid3(2000000000, 2000000000, 2000000000, 1, 1, 1), x, 1, 1);
    CHECK(df_wait_result() == DF_ERROR_GRID && strstr(heard(), "groups"));
#endif
    CHECK(x[0] == 0);
    works();
}

/* --- what the host is ------------------------------------------------------------------------------------ */

static void device(void)
{
    df_gpu_device i;
    CHECK(df_gpu_devices() == 1);
    CHECK(df_gpu_info(1, &i) == DF_OK && !strcmp(i.kind, "host") && i.units == workers && i.max_group == 1024 &&
          i.has_double);
    CHECK(df_gpu_info(DF_HOST, &i) == DF_OK && !strcmp(i.kind, "host"));
    CHECK(df_gpu_info(2, &i) == DF_ERROR_DEVICE && df_gpu_info(0, &i) == DF_ERROR_DEVICE);
}

int main(void)
{
    static const int numbers[] = { 1, 2, 4 };
    int k;
    setenv("DF_GPU", "none", 1);
    for (k = 0; k < 3; k++) {
        df_config c = { .workers = numbers[k], .log = hear };
        CHECK(df_start(&c) == DF_OK);
        workers = df_workers();
        grids();
        types();
        barriers();
        reductions();
        atomics();
        tasks();
        modes();
        CHECK(df_wait_result() == DF_OK && !*heard());
        failures();
        device();
        df_stop();
#if defined(DF_SERIAL)
        break;
#endif
    }
    puts("ok");
    return 0;
}
