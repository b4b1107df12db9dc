/* The language of kernels on OpenCL: every kernel runs on the host and on each device, which must leave the same bytes. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#define DF_GPU_EXACT 1
#define DF_USE_OPENCL
#define DF_IMPLEMENTATION
#include "../../df_gpu.h"
#include "opencl.h"

enum { N = 840 }; /* divisible by the sizes of groups in use */

/* All data that kernels see. */
static struct {
    int i[N * 18];
    unsigned u[N];
    float f[N * 16];
    double d[N * 16];
    long long ll[N];
    unsigned long long ull[N];
    long l[N];
    unsigned long ul[N];
    short s[N];
    unsigned short us[N];
    signed char sc[N];
    unsigned char uc[N];
    char c[N];
    bool b[N];
    size_t z[N];
} data, before, expected;

/* Fills the data with what fits every type. */
static void fill(uint64_t seed)
{
    int k;
    memset(&data, 0, sizeof data);
    for (k = 0; k < N * 18; k++) data.i[k] = test_below(&seed, 2001) - 1000;
    for (k = 0; k < N * 16; k++) {
        data.f[k] = (float)(test_below(&seed, 2001) - 1000) / 8;
        data.d[k] = (double)(test_below(&seed, 2001) - 1000) / 16;
    }
    for (k = 0; k < N; k++) {
        data.u[k] = (unsigned)test_random(&seed);
        data.ll[k] = (long long)(test_random(&seed) >> 20) - (1ll << 43);
        data.ull[k] = test_random(&seed);
        data.l[k] = (long)data.i[k], data.ul[k] = (unsigned long)data.u[k];
        data.s[k] = (short)data.i[k], data.us[k] = (unsigned short)data.u[k];
        data.sc[k] = (signed char)(data.i[k] % 128), data.uc[k] = (unsigned char)data.u[k];
        data.c[k] = (char)(data.i[k] & 127);
        data.b[k] = data.i[k] > 0;
        data.z[k] = (size_t)data.u[k];
    }
}

/* What the engine does for one launch, with everything copied. */
static void run_on(struct dfi_gpu *d, struct dfi_kernel *k, const void *args)
{
    const struct dfi_gpu_driver *v = d->driver;
    const df_ndrange *grid = (const df_ndrange *)args;
    struct dfi_access x[16];
    struct dfi_arg arg[16];
    dfi_memory memory[16];
    struct dfi_box box[16];
    struct dfi_built *b = built_for(d, k, grid->group);
    int groups[3], i, n = 0;
    size_t all_groups, g;
    for (i = 0; i < 3; i++) groups[i] = (int)((grid->n[i] + grid->group[i] - 1) / grid->group[i]);
    all_groups = (size_t)groups[0] * (size_t)groups[1] * (size_t)groups[2];
    k->accesses(args, x);
    for (i = 0; i < k->n_params; i++) {
        const struct dfi_param *p = &k->param[i];
        arg[i].p = (const char *)args + p->at, arg[i].bytes = p->bytes, arg[i].is_memory = p->kind != DFI_P_VALUE;
        if (p->kind == DFI_P_VALUE) continue;
        box[n] = line_of(p->kind == DFI_P_REDUCE ? x[n].row * all_groups : x[n].rows < 2 ? x[n].row : (x[n].rows - 1) * x[n].ld + x[n].row);
        memory[n] = v->alloc(d, box[n].row);
        CHECK(memory[n] != 0);
        if (p->kind != DFI_P_REDUCE) CHECK(v->copy_in(d, DFI_Q_IN, memory[n], (const void *)x[n].p, &box[n]) == DF_OK);
        arg[i].p = &memory[n], arg[i].bytes = sizeof(dfi_memory);
        n++;
    }
    CHECK(v->wait(d, DFI_Q_RUN, d, DFI_Q_IN, dfi_load_relaxed(&d->issued[DFI_Q_IN])) == DF_OK);
    CHECK(v->launch(d, DFI_Q_RUN, k, b, groups, grid->group, arg, k->n_params) == DF_OK);
    CHECK(finish(d, DFI_Q_RUN) == DF_OK);
    for (i = n = 0; i < k->n_params; i++) {
        const struct dfi_param *p = &k->param[i];
        if (p->kind == DFI_P_VALUE) continue;
        if (p->kind == DFI_P_REDUCE) {
            char *partials = (char *)malloc(box[n].row);
            CHECK(partials && v->copy_out(d, DFI_Q_OUT, partials, memory[n], &box[n]) == DF_OK && finish(d, DFI_Q_OUT) == DF_OK);
            for (g = 0; g < all_groups; g++) p->combine((void *)x[n].p, partials + g * x[n].row, x[n].row / p->bytes);
            free(partials);
        } else if (p->mode != DFI_IN) {
            CHECK(v->copy_out(d, DFI_Q_OUT, (void *)x[n].p, memory[n], &box[n]) == DF_OK && finish(d, DFI_Q_OUT) == DF_OK);
        }
        v->free(d, memory[n++]);
    }
    free(b);
}

/* Runs a kernel on the host and on each device, with the same data. Nonzero: they differ. */
static int runs_differ(struct dfi_kernel *k, const void *args)
{
    int i, differ = 0;
    before = data;
    dfi_kernel_here(k, args);
    expected = data;
    for (i = 0; i < n_gpus; i++) {
        data = before;
        run_on(&gpu[i], k, args);
        differ |= memcmp(&data, &expected, sizeof data) != 0;
    }
    return differ;
}
#define BOTH(name, ...)                                                                                       \
    do {                                                                                                      \
        struct name##_dfi_args args = { __VA_ARGS__ };                                                        \
        if (runs_differ(&name##_dfi_kernel, &args)) test_fail(__FILE__, __LINE__, #name " does the same on all"); \
        CHECK(memcmp(&before, &expected, sizeof before) != 0);                                                \
    } while (0)

/* --- words ----------------------------------------------------------------------------------------- */

DF_KERNEL(places, df_out(int, p, 18 * n), (int, n),
{
    int d;
    int at = df_global_id(0) + df_global_size(0) * (df_global_id(1) + df_global_size(1) * df_global_id(2));
    if (at >= n) return;
    for (d = 0; d < 3; d++) {
        p[18 * at + d] = df_global_id(d);
        p[18 * at + 3 + d] = df_local_id(d);
        p[18 * at + 6 + d] = df_group_id(d);
        p[18 * at + 9 + d] = df_group_size(d);
        p[18 * at + 12 + d] = df_groups(d);
        p[18 * at + 15 + d] = df_global_size(d);
    }
})

/* Reverses each group, through shared memory of three times its size. */
DF_KERNEL(reverse, df_inout(float, x, n), (int, n),
{
    df_shared(float, t, 3 * df_block(0) * df_block(1));
    df_shared(int, count, 1);
    const int size = df_block(0) * df_block(1);
    const int me = df_local_id(0) + df_block(0) * df_local_id(1);
    const int first = df_group_id(0) * size;
    df_on_shared float *u = t + size;
    if (me == 0) count[0] = 0;
    u[me] = x[first + me];
    df_barrier();
    if (first + me < n) x[first + me] = u[size - 1 - me] + (float)count[0];
})

DF_KERNEL(atomics, df_concurrent(int, i, 8), df_concurrent(unsigned, u, 4), df_concurrent(float, f, 4), df_in(int, x, n), (int, n),
{
    df_shared(int, si, 3);
    df_shared(unsigned, su, 2);
    df_shared(float, sf, 4);
    const int id = df_global_id(0);
    const int v = x[id];
    if (df_local_id(0) == 0) {
        si[0] = 0; si[1] = INT_MAX; si[2] = INT_MIN; su[0] = 0; su[1] = 0;
        sf[0] = 0; sf[1] = 1e9f; sf[2] = -1e9f; sf[3] = 0;
    }
    df_barrier();
    if (id < n) {
        int seen = i[5];
        df_atomic_add(&i[0], v);
        df_atomic_min(&i[1], v);
        df_atomic_max(&i[2], v);
        df_atomic_add(&i[3], df_atomic_exchange(&i[4], v)); /* all but the last */
        do {
            const int old = df_atomic_cas(&i[5], seen, seen + v * v);
            if (old == seen) break;
            seen = old;
        } while (1);
        df_atomic_add(&u[0], (unsigned)v);
        df_atomic_min(&u[1], (unsigned)v);
        df_atomic_max(&u[2], (unsigned)v);
        df_atomic_cas(&u[3], 7u, 8u);
        df_atomic_add(&f[0], (float)v);
        df_atomic_min(&f[1], (float)v / 2);
        df_atomic_max(&f[2], (float)v / 2);
        df_atomic_add(&si[0], v);
        df_atomic_min(&si[1], v);
        df_atomic_max(&si[2], v);
        df_atomic_add(&su[0], 1);
        df_atomic_max(&su[1], (unsigned)v);
        df_atomic_add(&sf[0], (float)v);
        df_atomic_min(&sf[1], (float)v);
        df_atomic_max(&sf[2], (float)v);
        df_atomic_add(&sf[0], df_atomic_exchange(&sf[3], (float)v));
    }
    df_barrier();
    if (df_local_id(0) == 0) {
        df_atomic_add(&i[6], si[0] + si[1] - si[2]);
        df_atomic_add(&u[0], su[0] + su[1]);
        df_atomic_add(&f[3], sf[0] + sf[1] + sf[2] + sf[3]);
    }
})
/* What is left in i[4] is one of them, whichever came last. */
DF_KERNEL(atomics_end, df_inout(int, i, 8), { if (df_global_id(0) == 0) { i[3] += i[4]; i[4] = 0; } })

DF_KERNEL(blocks, df_in2(float, a, m, k, lda), df_in2(float, b, k, n, ldb), df_inout2(float, c, m, n, ldc), (int, m), (int, n), (int, k),
          (int, lda), (int, ldb), (int, ldc),
{
    int j = df_global_id(0), i = df_global_id(1), l;
    df_global const float *row = a + i * lda;
    float sum = 0;
    if (i >= m || j >= n) return;
    for (l = 0; l < k; l++) sum += row[l] * b[l * ldb + j];
    c[i * ldc + j] += sum;
})

static int calls_of_nothing;
DF_KERNEL(nothing, { if (df_global_id(0) < 0) return; })

static void test_words(void)
{
    static const int zero = 0;
    int k;
    fill(1);
    BOTH(places, df_grid3(12, 10, 7, 4, 5, 7), data.i, N);
    BOTH(places, df_grid1(N, 7), data.i, N);
    BOTH(reverse, df_grid1(N, 60), data.f, N);
    BOTH(reverse, df_grid2(N / 6, 6, 5, 6), data.f, N); /* groups of another size: compiled again */
    for (k = 0; k < 2; k++) {
        const int group = k ? 30 : 8;
        struct atomics_dfi_args a = { df_grid1(N, group), data.i, data.u, data.f, data.i + 100, N };
        struct atomics_end_dfi_args e = { df_grid1(1, 1), data.i };
        int d;
        fill(2);
        data.i[1] = data.i[4] = zero, data.u[3] = 7;
        before = data;
        dfi_kernel_here(&atomics_dfi_kernel, &a);
        dfi_kernel_here(&atomics_end_dfi_kernel, &e);
        expected = data;
        for (d = 0; d < n_gpus; d++) {
            data = before;
            run_on(&gpu[d], &atomics_dfi_kernel, &a);
            run_on(&gpu[d], &atomics_end_dfi_kernel, &e);
            CHECK(!memcmp(&data, &expected, sizeof data));
        }
        CHECK(data.u[3] == 8);
    }
    fill(3);
    BOTH(blocks, df_grid2(14, 10, 7, 5), data.f, data.f + 2000, data.f + 6000, 9, 13, 11, 20, 30, 17);
    for (k = 0; k < n_gpus; k++) {
        struct nothing_dfi_args a = { df_grid1(4, 2) };
        run_on(&gpu[k], &nothing_dfi_kernel, &a);
        calls_of_nothing++;
    }
    CHECK(calls_of_nothing == n_gpus);
}

/* --- types ----------------------------------------------------------------------------------------- */

DF_KERNEL(values_1, (char, c), (signed char, sc), (unsigned char, uc), (short, s), (unsigned short, us), (int, i), (unsigned, u), (long, l),
          (unsigned long, ul), (long long int, ll), (unsigned long long, ull), (bool, b), (float, f), df_out(long long, out, 13),
{
    unsigned char wraps = (unsigned char)(uc + 200);
    out[0] = c; out[1] = sc; out[2] = uc; out[3] = s; out[4] = us; out[5] = i; out[6] = u; out[7] = l;
    out[8] = (long long)ul; out[9] = ll; out[10] = (long long)(ull >> 1); out[11] = b ? wraps : -wraps; out[12] = (long long)(f * 4);
})
DF_KERNEL(values_2, (size_t, z), (int8_t, i8), (uint8_t, u8), (int16_t, i16), (uint16_t, u16), (int32_t, i32), (uint32_t, u32), (int64_t, i64),
          (uint64_t, u64), (double, d), (uintptr_t, up), (ptrdiff_t, pd), df_out(int64_t, out, 12),
{
    out[0] = (int64_t)z; out[1] = i8; out[2] = u8; out[3] = i16; out[4] = u16; out[5] = i32; out[6] = u32; out[7] = i64;
    out[8] = (int64_t)(u64 ^ 1ull << 63); out[9] = (int64_t)(d * 16); out[10] = (int64_t)up; out[11] = pd;
})
DF_KERNEL(arrays_1, df_inout(char, c, n), df_inout(signed char, sc, n), df_inout(unsigned char, uc, n), df_inout(short, s, n),
          df_inout(unsigned short, us, n), df_inout(unsigned, u, n), df_inout(long, l, n), df_inout(unsigned long int, ul, n),
          df_inout(long long, ll, n), df_inout(unsigned long long, ull, n), df_inout(bool, b, n), df_inout(size_t, z, n), df_inout(double, d, n),
          (int, n),
{
    const int i = df_global_id(0);
    if (i >= n) return;
    c[i] = (char)(c[i] / 2); sc[i] = (signed char)(sc[i] >> 1); uc[i] = (unsigned char)(uc[i] * 3); s[i] = (short)(s[i] * 7);
    us[i] = (unsigned short)~us[i]; u[i] = u[i] * 5u + 1u; l[i] = l[i] / -3 + 7L; ul[i] = ul[i] % 1000UL; ll[i] = ll[i] / 3 - (1LL << 40);
    ull[i] = ull[i] * 0x9E3779B97F4A7C15ULL ^ ull[i] >> 31; b[i] = !b[i]; z[i] += sizeof(long long) + (size_t)1; d[i] = d[i] / 3.0;
})

DF_KERNEL_CODE(shapes,
    enum { SIDES = 4, LAST = SIDES - 1 };
    typedef struct { float x; float y; } point;
    struct shape { point corner[SIDES]; long long id; unsigned char kind; struct { int a; short b; } inner; };
    static const float weight[SIDES] = { 1, 0.5f, 0.25f, 0.125f };
    static inline float area(point a, point b) { return a.x * b.y - a.y * b.x; }
    static float weighted(df_global const float *row, int n)
    {
        float sum = 0;
        for (int i = 0; i < n; i++) sum += row[i] * weight[i & LAST];
        return sum;
    }
)
DF_KERNEL_USING(shapes, use_shapes, (struct shape, one), df_inout(struct shape, all, n), df_in(float, x, 8 * n), (int, n),
{
    const int i = df_global_id(0);
    struct shape s;
    float sum = 0;
    if (i >= n) return;
    s = all[i];
    for (int k = 0; k < SIDES; k++) {
        s.corner[k].x += one.corner[LAST - k].y;
        sum += area(s.corner[k], one.corner[k]);
    }
    s.id += one.id + i;
    s.kind = (unsigned char)(s.kind + one.kind);
    s.inner.b = (short)(s.inner.b - one.inner.b);
    s.corner[0].y = sum + weighted(x + 8 * i, 8);
    all[i] = s;
})

static void test_types(void)
{
    struct shape one = { { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } }, 1ll << 33, 250, { 4, 5 } };
    fill(4);
    BOTH(values_1, df_grid1(1, 1), CHAR_MAX, SCHAR_MIN, UCHAR_MAX, SHRT_MIN, USHRT_MAX, INT_MIN, UINT_MAX, LONG_MIN, ULONG_MAX, LLONG_MIN,
         ULLONG_MAX, true, -1.75f, data.ll);
    BOTH(values_1, df_grid1(1, 1), (char)-5, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, false, FLT_MIN, data.ll);
    BOTH(values_2, df_grid1(1, 1), SIZE_MAX, INT8_MIN, UINT8_MAX, INT16_MIN, UINT16_MAX, INT32_MIN, UINT32_MAX, INT64_MIN, UINT64_MAX, -2.5,
         UINTPTR_MAX, PTRDIFF_MIN, (int64_t *)data.ll);
    BOTH(arrays_1, df_grid1(N, 12), data.c, data.sc, data.uc, data.s, data.us, data.u, data.l, data.ul, data.ll, data.ull, data.b, data.z, data.d, N);
    BOTH(use_shapes, df_grid1(30, 10), one, (struct shape *)(void *)data.d, data.f, 30);
}

/* --- reductions ------------------------------------------------------------------------------------- */


DF_KERNEL(sums, df_reduce(df_sum, float, a, 1), df_reduce(df_sum, double, b, k), df_reduce(df_sum, int16_t, c, 3), df_in(int, x, n), (int, n), (int, k),
{
    const int i = df_global_id(0) + df_global_size(0) * (df_global_id(1) + df_global_size(1) * df_global_id(2));
    if (i >= n) return;
    *a += (float)x[i];
    for (int j = 0; j < k; j++) b[j] += x[i] * (j + 1);
    c[i % 3] = (int16_t)(c[i % 3] + x[i]);
})
DF_KERNEL(products, df_reduce(df_prod, int, a, 1), df_reduce(df_prod, uint8_t, b, 1), df_reduce(df_prod, float, c, 1), df_reduce(df_prod, unsigned short, d, 1), (int, n),
{
    const int i = df_global_id(0);
    if (i >= n) return;
    *a = (int)((unsigned)*a * (2u * (unsigned)i + 1u));
    b[0] = (uint8_t)(b[0] * (2 * i + 3));
    *c *= i % 40 ? 1.0f : -2.0f;
    *d = (unsigned short)(*d * (unsigned)(2 * i + 65535));
})
DF_KERNEL(least, df_reduce(df_min, int, a, 2), df_reduce(df_min, uint64_t, b, 1), df_reduce(df_min, float, c, 1), df_reduce(df_min, signed char, d, 1),
          df_reduce(df_min, double, e, 2), df_in(int, x, n), (int, n),
{
    const int i = df_global_id(0);
    if (i >= n) return;
    if (x[i] < a[0]) a[0] = x[i];
    if ((uint64_t)x[i] < *b) *b = (uint64_t)x[i];
    if ((float)x[i] / 3 < *c) *c = (float)x[i] / 3;
    if ((signed char)x[i] < *d) *d = (signed char)x[i];
    if (i % 5 && x[i] / 7.0 < e[1]) e[1] = x[i] / 7.0;
})
DF_KERNEL(most, df_reduce(df_max, int, a, 2), df_reduce(df_max, int64_t, b, 1), df_reduce(df_max, float, c, 1), df_reduce(df_max, unsigned char, d, 1),
          df_reduce(df_max, double, e, 2), df_in(int, x, n), (int, n),
{
    const int i = df_global_id(0);
    if (i >= n) return;
    if (a[0] < x[i]) a[0] = x[i];
    if (*b < x[i] * 1000000007LL) *b = x[i] * 1000000007LL;
    if (*c < (float)x[i] / 3) *c = (float)x[i] / 3;
    if (*d < (unsigned char)x[i]) *d = (unsigned char)x[i];
    if (i % 5 && e[1] < x[i] / 7.0) e[1] = x[i] / 7.0;
})
DF_KERNEL(bits, df_reduce(df_band, unsigned, a, 1), df_reduce(df_bor, uint64_t, b, 1), df_reduce(df_bxor, short, c, 1), df_reduce(df_land, int, d, 2),
          df_reduce(df_lor, unsigned char, e, 2), df_reduce(df_band, size_t, f, 1), df_in(int, x, n), (int, n),
{
    const int i = df_global_id(0);
    if (i >= n) return;
    *a &= (unsigned)x[i] | 0xf0f0u;
    *b |= (uint64_t)(x[i] & 0x28) << 33;
    *c = (short)(*c ^ x[i]);
    d[0] = d[0] && x[i] != 1001; d[1] = d[1] && x[i] != x[0];
    e[0] = e[0] || x[i] == 1001; e[1] = e[1] || x[i] == x[n - 1];
    *f &= ~(size_t)(x[i] & 1);
})

static void test_reductions(void)
{
    static const int group[] = { 1, 3, 7, 24, 60 };
    unsigned k;
    for (k = 0; k < sizeof group / sizeof *group; k++) {
        const int g = group[k], n = N - (int)k * 5;
        fill(10 + k);
        BOTH(sums, df_grid1(N, g), data.f, data.d, data.s, data.i + 16, n, 1 + (int)k * 3);
        if (k % 2) continue;
        BOTH(products, df_grid1(N, g), data.i, data.uc, data.f, data.us, n);
        BOTH(least, df_grid1(N, g), data.i, (uint64_t *)data.ull, data.f, data.sc, data.d, data.i + 16, n);
        BOTH(most, df_grid1(N, g), data.i, (int64_t *)data.ll, data.f, data.uc, data.d, data.i + 16, n);
        BOTH(bits, df_grid1(N, g), data.u, (uint64_t *)data.ull, data.s, data.i, data.uc, data.z, data.i + 16, n);
    }
    BOTH(sums, df_grid3(20, 6, 7, 5, 2, 7), data.f, data.d, data.s, data.i + 16, N, 16);
}

/* --- C, where the languages of devices are others ---------------------------------------------------- */

DF_KERNEL_CODE(clashes,
    static inline int min(int a, int b) { return a < b ? a : b; }
    static inline float clamp(float x, float lo, float hi) { return x < lo ? lo : x > hi ? hi : x; }
    static inline float dot(float a, float b) { return a * b + 1; }
    typedef struct { float x; float y; float z; } float3;
    typedef unsigned char uchar;
    enum { private = 3, half = 5 };
)
DF_KERNEL_USING(clashes, mix, df_inout(float, global, n), df_in(int, constant, n), (int, n), (float, kernel), (int, local),
{
    int step = df_global_id(0), new = 2, this = 1, class = 3, and = 4, template = 5, normalize = 6;
    float3 cross = { 1, 2, 3 };
    uchar vec_step = (uchar)(constant[step] + 300);
    float4:
    if (step >= n) return;
    global[step] = clamp(dot(global[step], kernel), -50, 50) + (float)(min(constant[step], local) + new + this + class + and + template + normalize);
    global[step] += cross.x + cross.y * cross.z + (float)vec_step + (float)private * half;
    if (global[step] > 1e6f) goto float4;
})

DF_KERNEL(limits, df_out(long long, l, 32), df_out(double, d, 16), df_out(float, f, 8),
{
    static const int table[4] = { 10, 20, 30, 40 };
    int i = 0;
    l[i++] = CHAR_BIT; l[i++] = SCHAR_MIN; l[i++] = UCHAR_MAX; l[i++] = SHRT_MIN; l[i++] = USHRT_MAX; l[i++] = INT_MIN; l[i++] = INT_MAX;
    l[i++] = UINT_MAX; l[i++] = LONG_MIN; l[i++] = LONG_MAX; l[i++] = (long long)ULONG_MAX; l[i++] = LLONG_MIN; l[i++] = LLONG_MAX;
    l[i++] = (long long)ULLONG_MAX; l[i++] = INT8_MIN; l[i++] = UINT16_MAX; l[i++] = INT32_MIN; l[i++] = UINT32_MAX; l[i++] = INT64_MAX;
    l[i++] = INT64_MIN; l[i++] = (long long)UINT64_MAX; l[i++] = (long long)SIZE_MAX; l[i++] = table[l[0] & 3];
    l[i++] = (long long)sizeof(long); l[i++] = (long long)sizeof(size_t); l[i++] = -7 / 2; l[i++] = -7 % 3; l[i++] = 'a' + '\n';
    l[i++] = 0xFFu + 010; l[i++] = (long)(1ul << 20) + 1l;
    i = 0;
    d[i++] = DBL_MAX; d[i++] = DBL_MIN; d[i++] = DBL_EPSILON; d[i++] = FLT_MAX; d[i++] = FLT_EPSILON; d[i++] = HUGE_VAL; d[i++] = INFINITY;
    d[i++] = 1.0 / 3; d[i++] = 1e-3f; d[i++] = 0x1.8p3;
    f[0] = FLT_MIN; f[1] = -INFINITY; f[2] = (float)(1.0 / 3); f[3] = 1.0f / 3;
})

/* As in C, a function without suffix computes in double. Those of the first have one right result. */
DF_KERNEL(exact_math, df_inout(double, d, 16 * n), df_inout(float, f, 16 * n), (int, n),
{
    const int i = df_global_id(0);
    float x;
    int e;
    double whole;
    if (i >= n) return;
    x = f[16 * i];
    d[16 * i] = sqrt(fabs(x)); d[16 * i + 1] = floor(x) + ceil(x); d[16 * i + 2] = fmin(x, d[16 * i + 3]); d[16 * i + 3] = fmax(x, 1.5);
    d[16 * i + 4] = trunc(x) + rint(x) + round(x); d[16 * i + 5] = fmod(x, 7.25); d[16 * i + 6] = fma(x, x, 1e-9); d[16 * i + 7] = copysign(2, x);
    d[16 * i + 8] = ldexp(x, 3) + scalbn(x, -2); d[16 * i + 9] = frexp(x, &e); d[16 * i + 10] = e; d[16 * i + 11] = modf(x, &whole) + 1000 * whole;
    d[16 * i + 12] = isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * (signbit(x) != 0); d[16 * i + 13] = abs(-i) + labs(-2L * i) + (double)llabs(-3LL * i);
    d[16 * i + 14] = fdim(x, 2) + nearbyint(x) + (double)lrint(x) + (double)lround(x); d[16 * i + 15] = sqrt(2) + remainder(x, 3) + nextafter(x, 2);
    f[16 * i + 1] = sqrtf(fabsf(x)); f[16 * i + 2] = floorf(x) * ceilf(x); f[16 * i + 3] = fminf(x, 2) + fmaxf(x, 3); f[16 * i + 4] = fmodf(x, 3);
    f[16 * i + 5] = fmaf(x, x, 1e-3f); f[16 * i + 6] = x / 3; f[16 * i + 7] = 1 / (x + 1000); f[16 * i + 8] = x * x + x;
    f[16 * i + 9] = truncf(x) + rintf(x) + roundf(x); f[16 * i + 10] = copysignf(x, -1);
})
DF_KERNEL(near_math, df_inout(float, f, 16 * n), (int, n),
{
    const int i = df_global_id(0);
    float x, y;
    if (i >= n) return;
    x = f[16 * i] / 32, y = fabsf(x) + 0.25f;
    f[16 * i + 1] = exp(x) + expf(x); f[16 * i + 2] = log(y) + logf(y); f[16 * i + 3] = sin(x) + sinf(x); f[16 * i + 4] = cos(x) * cosf(x);
    f[16 * i + 5] = tan(x / 8) + tanh(x); f[16 * i + 6] = pow(y, 1.5) + powf(y, 0.75f); f[16 * i + 7] = atan2(x, y) + atan(x); f[16 * i + 8] = asin(x / 8) + acos(x / 8);
    f[16 * i + 9] = sinh(x / 4) + cosh(x / 4); f[16 * i + 10] = exp2(x) + expm1(x); f[16 * i + 11] = log2(y) + log10(y) + log1p(y); f[16 * i + 12] = cbrt(x) + hypot(x, y);
    f[16 * i + 13] = erf(x) + erfc(x); f[16 * i + 14] = tgamma(y + 1) + lgamma(y); f[16 * i + 15] = asinh(x) + acosh(1 + y) + atanh(x / 8) + logb(y) + ilogb(y);
})

static void test_language(void)
{
    struct near_math_dfi_args near = { df_grid1(N, 12), data.f, N };
    int d, k;
    fill(5);
    BOTH(mix, df_grid1(N, 12), data.f, data.i, N, 1.25f, 77);
    BOTH(limits, df_grid1(1, 1), data.ll, data.d, data.f);
    fill(6);
    BOTH(exact_math, df_grid1(N, 12), data.d, data.f, N);
    before = data;
    dfi_kernel_here(&near_math_dfi_kernel, &near);
    expected = data;
    for (d = 0; d < n_gpus; d++) {
        data = before;
        run_on(&gpu[d], &near_math_dfi_kernel, &near);
        for (k = 0; k < N * 16; k++) /* OpenCL C 1.2, 7.4, allows 16 units in the last place for some */
            CHECK(fabsf(data.f[k] - expected.f[k]) <= 16 * FLT_EPSILON * (fabsf(expected.f[k]) + 1));
    }
    CHECK(memcmp(&before, &expected, sizeof before));
}

/* --- what no device does ------------------------------------------------------------------------------ */

static void largest(int *into, const int *from) { if (*from > *into) *into = *from; }
static void smallest_int(int *x) { *x = INT_MIN; }
DF_REDUCTION(own, int, largest, smallest_int);
DF_KERNEL(own_reduction, df_reduce(own, int, r, 1), { *r = df_global_id(0); })
DF_KERNEL(pointer, (int *, p), { if (p) *p = 1; })
enum { WRONG_LINE = __LINE__ + 1 };
DF_KERNEL(wrong, df_inout(float, x, n), (int, n), { float *p = x + 1; p[0] = (float)n; }) /* without df_global */
DF_KERNEL_CODE(wrong_code, static inline float *first(float *p) { return p; })
enum { WRONG_CALL_LINE = __LINE__ + 1 };
DF_KERNEL_USING(wrong_code, wrong_too, df_inout(float, x, 1), { *first(x) = 1; })

static void refused(struct dfi_kernel *k, const char *say, const char *say_too)
{
    char log[4000];
    struct dfi_built b;
    memset(&b, 0, sizeof b);
    CHECK(dfi_opencl_driver.build(&gpu[0], k, &b, log, sizeof log) == DF_ERROR_KERNEL);
    if (!strstr(log, say) || !strstr(log, say_too)) {
        fprintf(stderr, "wanted: %s, %s\ngot: %s\n", say, say_too, log);
        CHECK(!"the log says what is wrong");
    }
    CHECK(b.handle == NULL);
}

static void test_refused(void)
{
    char line[100];
    refused(&own_reduction_dfi_kernel, "DF_REDUCTION", "own_reduction");
    refused(&pointer_dfi_kernel, "df_inout", "parameter p");
    snprintf(line, sizeof line, "opencl_kernels.c:%d", WRONG_LINE);
    refused(&wrong_dfi_kernel, line, "address space");
    snprintf(line, sizeof line, "opencl_kernels.c:%d", WRONG_CALL_LINE);
    refused(&wrong_too_dfi_kernel, line, "address space");
}

int main(void)
{
    open_all();
    test_words();
    test_types();
    test_reductions();
    test_language();
    test_refused();
    close_all();
    return 0;
}
