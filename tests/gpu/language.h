/* language.h - kernels that use all of the language of kernels, each word, type and operator of it
 *
 * Run by opencl_kernels.c, compiled for CUDA by kernel_text.c. LANGUAGE(X): all of them. */
#ifndef TEST_LANGUAGE_H
#define TEST_LANGUAGE_H

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef M_PI /* of POSIX, which -std=c11 hides */
#define M_PI 3.14159265358979323846
#endif

/* --- words ----------------------------------------------------------------------------------------- */

DF_KERNEL(places, df_out(int, p, 18 * n), (int, n),
{
    int d;
    int at = df_global_id(0) + df_global_size(0) * (df_global_id(1) + df_global_size(1) * df_global_id(2));
    if (at >= n) return;
    for (d = 0; d < 3; d++) {
        p[18 * at + d] = df_global_id(d);
        p[18 * at + 3 + d] = df_local_id(d);
        p[18 * at + 6 + d] = df_workgroup_id(d);
        p[18 * at + 9 + d] = df_workgroup_size(d);
        p[18 * at + 12 + d] = df_workgroups(d);
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
    const int first = df_workgroup_id(0) * size;
    df_on_shared float *u = t + size;
    if (me == 0) count[0] = 0;
    u[me] = x[first + me];
    df_barrier();
    if (first + me < n) x[first + me] = u[size - 1 - me] + (float)count[0];
})

DF_KERNEL(atomics, df_concurrent(int, i, 8), df_concurrent(unsigned, u, 4), df_concurrent(float, f, 4),
          df_in(int, x, n), (int, n),
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
        int seen = df_atomic_add(&i[5], 0);
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

DF_KERNEL(blocks, df_in2(float, a, m, k, lda), df_in2(float, b, k, n, ldb), df_inout2(float, c, m, n, ldc), (int, m),
          (int, n), (int, k), (int, lda), (int, ldb), (int, ldc),
{
    int j = df_global_id(0), i = df_global_id(1), l;
    df_on_global const float *row = a + i * lda;
    float sum = 0;
    if (i >= m || j >= n) return;
    for (l = 0; l < k; l++) sum += row[l] * b[l * ldb + j];
    c[i * ldc + j] += sum;
})

DF_KERNEL(nothing, { if (df_global_id(0) < 0) return; })

/* --- types ----------------------------------------------------------------------------------------- */

DF_KERNEL(values_1, (char, c), (signed char, sc), (unsigned char, uc), (short, s), (unsigned short, us), (int, i),
          (unsigned, u), (long, l), (unsigned long, ul), (long long int, ll), (unsigned long long, ull), (bool, b),
          (float, f), df_out(long long, out, 13),
{
    unsigned char wraps = (unsigned char)(uc + 200);
    out[0] = c; out[1] = sc; out[2] = uc; out[3] = s; out[4] = us; out[5] = i; out[6] = u; out[7] = l;
    out[8] = (long long)ul; out[9] = ll; out[10] = (long long)(ull >> 1); out[11] = b ? wraps : -wraps;
    out[12] = (long long)(f * 4);
})
DF_KERNEL(values_2, (size_t, z), (int8_t, i8), (uint8_t, u8), (int16_t, i16), (uint16_t, u16), (int32_t, i32),
          (uint32_t, u32), (int64_t, i64), (uint64_t, u64), (double, d), (uintptr_t, up), (ptrdiff_t, pd),
          df_out(int64_t, out, 12),
{
    out[0] = (int64_t)z; out[1] = i8; out[2] = u8; out[3] = i16; out[4] = u16; out[5] = i32; out[6] = u32; out[7] = i64;
    out[8] = (int64_t)(u64 ^ 1ull << 63); out[9] = (int64_t)(d * 16); out[10] = (int64_t)up; out[11] = pd;
})
DF_KERNEL(arrays_1, df_inout(char, c, n), df_inout(signed char, sc, n), df_inout(unsigned char, uc, n),
          df_inout(short, s, n), df_inout(unsigned short, us, n), df_inout(unsigned, u, n), df_inout(long, l, n),
          df_inout(unsigned long int, ul, n),
          df_inout(long long, ll, n), df_inout(unsigned long long, ull, n), df_inout(bool, b, n),
          df_inout(size_t, z, n), df_inout(double, d, n), (int, n),
{
    const int i = df_global_id(0);
    if (i >= n) return;
    c[i] = (char)(c[i] / 2); sc[i] = (signed char)(sc[i] >> 1); uc[i] = (unsigned char)(uc[i] * 3);
    s[i] = (short)(s[i] * 7);
    us[i] = (unsigned short)~us[i]; u[i] = u[i] * 5u + 1u; l[i] = l[i] / -3 + 7L; ul[i] = ul[i] % 1000UL;
    ll[i] = ll[i] / 3 - (1LL << 40);
    ull[i] = ull[i] * 0x9E3779B97F4A7C15ULL ^ ull[i] >> 31; b[i] = !b[i]; z[i] += sizeof(long long) + (size_t)1;
    d[i] = d[i] / 3.0;
})

DF_KERNEL_CODE(shapes,
    enum { SIDES = 4, LAST = SIDES - 1 };
    typedef struct { float x; float y; } point;
    struct shape { point corner[SIDES]; long long id; unsigned char kind; struct { int a; short b; } inner; };
    static const float weight[SIDES] = { 1, 0.5f, 0.25f, 0.125f };
    static int nth(int n)
    {
        static const int primes[5] = { 2, 3, 5, 7, 11 };
        register int k = n < 0 ? -n : n;
        return primes[k % 5];
    }
    static inline float area(point a, point b) { return a.x * b.y - a.y * b.x; }
    static float weighted(df_on_global const float *row, int n)
    {
        float sum = 0;
        for (int i = 0; i < n; i++) sum += row[i] * weight[i & LAST];
        return sum;
    }
)
DF_KERNEL_USING(shapes, use_shapes, (struct shape, one), df_inout(struct shape, all, n), df_in(float, x, 8 * n),
                (int, n),
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
    s.id += one.id + nth(i);
    if (i > 3) {
        static const int few[2] = { 5, 6 };
        s.id += few[i & 1];
    }
    s.kind = (unsigned char)(s.kind + one.kind);
    s.inner.b = (short)(s.inner.b - one.inner.b);
    s.corner[0].y = sum + weighted(x + 8 * i, 8);
    all[i] = s;
})

/* --- reductions ------------------------------------------------------------------------------------- */

DF_KERNEL(sums, df_reduce(df_sum, float, a, 1), df_reduce(df_sum, double, b, k), df_reduce(df_sum, int16_t, c, 3),
          df_in(int, x, n), (int, n), (int, k),
{
    const int i = df_global_id(0) + df_global_size(0) * (df_global_id(1) + df_global_size(1) * df_global_id(2));
    if (i >= n) return;
    *a += (float)x[i];
    for (int j = 0; j < k; j++) b[j] += x[i] * (j + 1);
    c[i % 3] = (int16_t)(c[i % 3] + x[i]);
})
/* Changes memory, too, whether anything is reduced or not; its parameters change in each item by themselves. */
DF_KERNEL_USING(shapes, sums_too, df_inout(int, x, n), (int, n), (struct shape, s),
                df_reduce(df_sum, int, r, (int)s.id), df_in(int, y, n),
{
    const int i = df_global_id(0) + df_global_size(0) * df_global_id(1);
    if (i >= n || s.kind) return;
    x[i] += 7 + s.inner.a;
    for (int k = 0; k < (int)s.id; k++) r[k] += y[i] + k;
    s.inner.a = 100;
    s.kind = 1;
})
DF_KERNEL(products, df_reduce(df_prod, unsigned, a, 1), df_reduce(df_prod, uint8_t, b, 1),
          df_reduce(df_prod, float, c, 1), df_reduce(df_prod, unsigned short, d, 1), (int, n),
{
    const int i = df_global_id(0);
    if (i >= n) return;
    *a *= 2u * (unsigned)i + 1u;
    b[0] = (uint8_t)(b[0] * (2 * i + 3));
    *c *= i % 40 ? 1.0f : -2.0f;
    *d = (unsigned short)(*d * (unsigned)(2 * i + 65535));
})
DF_KERNEL(least, df_reduce(df_min, int, a, 2), df_reduce(df_min, uint64_t, b, 1), df_reduce(df_min, float, c, 1),
          df_reduce(df_min, signed char, d, 1), df_reduce(df_min, double, e, 2), df_in(int, x, n), (int, n),
{
    const int i = df_global_id(0);
    if (i >= n) return;
    if (x[i] < a[0]) a[0] = x[i];
    if ((uint64_t)x[i] < *b) *b = (uint64_t)x[i];
    if ((float)x[i] / 3 < *c) *c = (float)x[i] / 3;
    if ((signed char)x[i] < *d) *d = (signed char)x[i];
    if (i % 5 && x[i] / 7.0 < e[1]) e[1] = x[i] / 7.0;
})
DF_KERNEL(most, df_reduce(df_max, int, a, 2), df_reduce(df_max, int64_t, b, 1), df_reduce(df_max, float, c, 1),
          df_reduce(df_max, unsigned char, d, 1), df_reduce(df_max, double, e, 2), df_in(int, x, n), (int, n),
{
    const int i = df_global_id(0);
    if (i >= n) return;
    if (a[0] < x[i]) a[0] = x[i];
    if (*b < x[i] * 1000000007LL) *b = x[i] * 1000000007LL;
    if (*c < (float)x[i] / 3) *c = (float)x[i] / 3;
    if (*d < (unsigned char)x[i]) *d = (unsigned char)x[i];
    if (i % 5 && e[1] < x[i] / 7.0) e[1] = x[i] / 7.0;
})
DF_KERNEL(bits, df_reduce(df_band, unsigned, a, 1), df_reduce(df_bor, uint64_t, b, 1), df_reduce(df_bxor, short, c, 1),
          df_reduce(df_land, int, d, 2), df_reduce(df_lor, unsigned char, e, 2), df_reduce(df_band, size_t, f, 1),
          df_reduce(df_lor, bool, g, 1), df_in(int, x, n), (int, n),
{
    const int i = df_global_id(0);
    if (i >= n) return;
    *a &= (unsigned)x[i] | 0xf0f0u;
    *b |= (uint64_t)(x[i] & 0x28) << 33;
    *c = (short)(*c ^ x[i]);
    d[0] = d[0] && x[i] != 1001; d[1] = d[1] && x[i] != x[0];
    e[0] = e[0] || x[i] == 1001; e[1] = e[1] || x[i] == x[n - 1];
    *f &= ~(size_t)(x[i] & 1);
    *g = *g || x[i] == x[n / 2];
})

/* --- C, where the languages of devices are others ---------------------------------------------------- */

DF_KERNEL_CODE(clashes,
    static inline int min(int a, int b) { return a < b ? a : b; }
    static inline float clamp(float x, float lo, float hi) { return x < lo ? lo : x > hi ? hi : x; }
    static inline float dot(float a, float b) { return a * b + 1; }
    typedef struct { float x; float y; float z; } float3;
    typedef unsigned char uchar;
    enum { private = 3, half = 5 };
)
DF_KERNEL_USING(clashes, mix, df_inout(float, global, n), df_in(int, constant, n), (int, n), (float, kernel),
                (int, local),
{
    int step = df_global_id(0), new = 2, this = 1, class = 3, and = 4, template = 5, normalize = 6;
    float3 cross = { 1, 2, 3 };
    uchar vec_step = (uchar)(constant[step] + 300);
    float4:
    if (step >= n) return;
    global[step] = clamp(dot(global[step], kernel), -50, 50) +
        (float)(min(constant[step], local) + new + this + class + and + template + normalize);
    global[step] += cross.x + cross.y * cross.z + (float)vec_step + (float)private * half;
    if (global[step] > 1e6f) goto float4;
})

DF_KERNEL(limits, df_out(long long, l, 32), df_out(double, d, 16), df_out(float, f, 8),
{
    static const int table[4] = { 10, 20, 30, 40 };
    int i = 0;
    l[i++] = CHAR_BIT; l[i++] = SCHAR_MIN; l[i++] = UCHAR_MAX; l[i++] = SHRT_MIN; l[i++] = USHRT_MAX; l[i++] = INT_MIN;
    l[i++] = INT_MAX;
    l[i++] = UINT_MAX; l[i++] = LONG_MIN; l[i++] = LONG_MAX; l[i++] = (long long)ULONG_MAX; l[i++] = LLONG_MIN;
    l[i++] = LLONG_MAX;
    l[i++] = (long long)ULLONG_MAX; l[i++] = INT8_MIN; l[i++] = UINT16_MAX; l[i++] = INT32_MIN; l[i++] = UINT32_MAX;
    l[i++] = INT64_MAX;
    l[i++] = INT64_MIN; l[i++] = (long long)UINT64_MAX; l[i++] = (long long)SIZE_MAX; l[i++] = table[l[0] & 3];
    l[i++] = (long long)sizeof(long); l[i++] = (long long)sizeof(size_t); l[i++] = -7 / 2; l[i++] = -7 % 3;
    l[i++] = 'a' + '\n';
    l[i++] = 0xFFu + 010; l[i++] = (long)(1ul << 20) + 1l;
    i = 0;
    d[i++] = DBL_MAX; d[i++] = DBL_MIN; d[i++] = DBL_EPSILON; d[i++] = FLT_MAX; d[i++] = FLT_EPSILON;
    d[i++] = HUGE_VAL; d[i++] = INFINITY;
    /* one item: the host has signgam */
    d[i++] = M_PI; d[i++] = 1.0 / 3; d[i++] = 1e-3f; d[i++] = 0x1.8p3; d[i++] = lgamma((double)l[4] / USHRT_MAX);
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
    d[16 * i] = sqrt(fabs(x)); d[16 * i + 1] = floor(x) + ceil(x); d[16 * i + 2] = fmin(x, d[16 * i + 3]);
    d[16 * i + 3] = fmax(x, 1.5);
    d[16 * i + 4] = trunc(x) + rint(x) + round(x); d[16 * i + 5] = fmod(x, 7.25); d[16 * i + 6] = fma(x, x, 1e-9);
    d[16 * i + 7] = copysign(2, x);
    d[16 * i + 8] = ldexp(x, 3) + scalbn(x, -2); d[16 * i + 9] = frexp(x, &e); d[16 * i + 10] = e;
    d[16 * i + 11] = modf(x, &whole) + 1000 * whole;
    d[16 * i + 12] = isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * (signbit(x) != 0);
    d[16 * i + 13] = abs(-i) + (double)labs(-2L * i) + (double)llabs(-3LL * i);
    d[16 * i + 14] = fdim(x, 2) + nearbyint(x) + (double)lrint(x) + (double)lround(x);
    d[16 * i + 15] = sqrt(2) + remainder(x, 3) + nextafter(x, 2);
    f[16 * i + 1] = sqrtf(fabsf(x)); f[16 * i + 2] = floorf(x) * ceilf(x); f[16 * i + 3] = fminf(x, 2) + fmaxf(x, 3);
    f[16 * i + 4] = fmodf(x, 3);
    f[16 * i + 5] = fmaf(x, x, 1e-3f); f[16 * i + 6] = x / 3; f[16 * i + 7] = 1 / (x + 1000); f[16 * i + 8] = x * x + x;
    f[16 * i + 9] = truncf(x) + rintf(x) + roundf(x); f[16 * i + 10] = copysignf(x, -1);
})
DF_KERNEL(near_math, df_inout(float, f, 16 * n), (int, n),
{
    const int i = df_global_id(0);
    float x, y;
    if (i >= n) return;
    x = f[16 * i] / 32, y = fabsf(x) + 0.25f;
    f[16 * i + 1] = (float)(exp(x) + expf(x)); f[16 * i + 2] = (float)(log(y) + logf(y));
    f[16 * i + 3] = (float)(sin(x) + sinf(x)); f[16 * i + 4] = (float)(cos(x) * cosf(x));
    f[16 * i + 5] = (float)(tan(x / 8) + tanh(x)); f[16 * i + 6] = (float)(pow(y, 1.5) + powf(y, 0.75f));
    f[16 * i + 7] = (float)(atan2(x, y) + atan(x)); f[16 * i + 8] = (float)(asin(x / 8) + acos(x / 8));
    f[16 * i + 9] = (float)(sinh(x / 4) + cosh(x / 4)); f[16 * i + 10] = (float)(exp2(x) + expm1(x));
    f[16 * i + 11] = (float)(log2(y) + log10(y) + log1p(y)); f[16 * i + 12] = (float)(cbrt(x) + hypot(x, y));
    f[16 * i + 13] = (float)(erf(x) + erfc(x)); f[16 * i + 14] = (float)tgamma(y + 1);
    f[16 * i + 15] = (float)(asinh(x) + acosh(1 + y) + atanh(x / 8) + logb(y) + ilogb(y));
})
DF_KERNEL(old_words, df_in(float, f, n), df_out(int, p, n), (int, n),
{
    const int group = df_group_id(0) * df_group_size(0), at = group + df_local_id(0);
    df_global const float *here = f + group;
    if (at < n) p[at] = (int)here[df_local_id(0)] + df_groups(0);
})

#define LANGUAGE(X) X(places) X(reverse) X(atomics) X(atomics_end) X(blocks) X(nothing) X(values_1) X(values_2) \
    X(arrays_1) X(use_shapes) X(sums) X(sums_too) X(products) X(least) X(most) X(bits) X(mix) X(limits) X(exact_math) \
    X(near_math) X(old_words)

#endif
