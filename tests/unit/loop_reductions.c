/* loop_reductions.c - df_reduce in loops: every operator, arrays, blocks, records, several at once, nested; and with
 * .deterministic the same bits in every run */
#include <float.h>
#include <limits.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 3000 };

static df_loop options(int k) /* various */
{
    static const df_loop o[] = {
        { .schedule = DF_AUTO },
        { .schedule = DF_STATIC },
        { .schedule = DF_DYNAMIC, .grain = 50 },
        { .schedule = DF_GUIDED },
        { .schedule = DF_STATIC, .grain = 7 },
        { .deterministic = 1 },
        { .deterministic = 1, .schedule = DF_DYNAMIC, .grain = 3 },
    };
    return o[k];
}
enum { OPTIONS = 7 };

/* --- operators ---------------------------------------------------------------------------------------- */

#define OF(T, name)                                                                                                  \
    DF_LOOP(name, df_reduce(df_sum, T, s, 1), df_reduce(df_prod, T, p, 1), df_reduce(df_land, T, la, 1),             \
            df_reduce(df_lor, T, lo_, 1), df_reduce(df_min, T, mi, 1), df_reduce(df_max, T, ma, 1));                 \
    void name(long lo, long hi, T *s, T *p, T *la, T *lo_, T *mi, T *ma)                                             \
    {                                                                                                                \
        for (long i = lo; i < hi; i++) {                                                                             \
            T v = (T)(i * 7 % 100);                                                                                  \
            *s = (T)(*s + (T)(i % 2));                                                                               \
            if (i % 1000 == 0) *p = (T)(*p * 2);                                                                     \
            *la = (T)(*la && (i != 2000)), *lo_ = (T)(*lo_ || (i == 2000));                                          \
            *mi = v < *mi ? v : *mi, *ma = v > *ma ? v : *ma;                                                        \
        }                                                                                                            \
    }                                                                                                                \
    static void try_##name(void)                                                                                     \
    {                                                                                                                \
        for (int k = 0; k < OPTIONS; k++) {                                                                          \
            df_loop o = options(k);                                                                                  \
            T x[6] = { 1, 3, 1, 0, 50, 50 };                                                                         \
            df_for_with(&o, name, 0, 100, x, x + 1, x + 2, x + 3, x + 4, x + 5);                                     \
            printf(#name);                                                                                           \
            for (int i = 0; i < 6; i++) printf(" %.0f", (double)x[i]);                                               \
            df_for_with(&o, name, 1500, 2100, x, x + 1, x + 2, x + 3, x + 4, x + 5);                                 \
            for (int i = 1; i < 6; i++) printf(" %.0f", (double)x[i]);                                               \
            printf("\n");                                                                                            \
        }                                                                                                            \
    }
#define BITS(T, name)                                                                                                \
    OF(T, name)                                                                                                      \
    DF_LOOP(name##_bits, df_reduce(df_band, T, a, 1), df_reduce(df_bor, T, o, 1), df_reduce(df_bxor, T, x, 1));      \
    void name##_bits(long lo, long hi, T *a, T *o, T *x)                                                             \
    {                                                                                                                \
        for (long i = lo; i < hi; i++)                                                                               \
            *a = (T)(*a & (T)(i | 5)), *o = (T)(*o | (T)(i & 6)), *x = (T)(*x ^ (T)(i & 1));                         \
    }                                                                                                                \
    static void try_##name##_bits(void)                                                                              \
    {                                                                                                                \
        for (int k = 0; k < OPTIONS; k++) {                                                                          \
            df_loop o = options(k);                                                                                  \
            T x[3] = { (T)127, 0, (T)1 };                                                                            \
            df_for_with(&o, name##_bits, 0, 501, x, x + 1, x + 2);                                                   \
            printf(#name " %.0f %.0f %.0f\n", (double)x[0], (double)x[1], (double)x[2]);                             \
        }                                                                                                            \
    }
BITS(char, of_char)
BITS(signed char, of_schar)
BITS(unsigned char, of_uchar)
BITS(short, of_short)
BITS(unsigned short, of_ushort)
BITS(int, of_int)
BITS(unsigned, of_unsigned)
BITS(long, of_long)
BITS(unsigned long, of_ulong)
BITS(long long, of_llong)
BITS(unsigned long long, of_ullong)
OF(_Bool, of_bool)
OF(float, of_float)
OF(double, of_double)
OF(long double, of_ldouble)

static void operators(void)
{
    try_of_char(), try_of_schar(), try_of_uchar(), try_of_short(), try_of_ushort(), try_of_int(), try_of_unsigned();
    try_of_long(), try_of_ulong(), try_of_llong(), try_of_ullong(), try_of_bool(), try_of_float(), try_of_double(),
        try_of_ldouble();
    try_of_char_bits(), try_of_schar_bits(), try_of_uchar_bits(), try_of_short_bits(), try_of_ushort_bits(),
        try_of_int_bits();
    try_of_unsigned_bits(), try_of_long_bits(), try_of_ulong_bits(), try_of_llong_bits(), try_of_ullong_bits();
}

/* An element without contributions keeps its value, also the extremes of the type. */
DF_LOOP(nothing, df_reduce(df_min, double, a, 2), df_reduce(df_max, long, b, 2), df_reduce(df_prod, float, c, 2),
        df_reduce(df_min, unsigned, d, 2), df_reduce(df_sum, int, none, 0), df_reduce(df_sum, int, less, -3));
void nothing(long lo, long hi, double *a, long *b, float *c, unsigned *d, int *none, int *less)
{
    CHECK(lo < hi && !none && !less);
    (void)a, (void)b, (void)c, (void)d;
}
static void untouched(void)
{
    double a[2] = { DBL_MAX, -DBL_MAX };
    long b[2] = { LONG_MAX, LONG_MIN };
    float c[2] = { -0.0f, 1e-30f };
    unsigned d[2] = { UINT_MAX, 0 };
    for (int k = 0; k < OPTIONS; k++) {
        df_loop o = options(k);
        df_for_with(&o, nothing, 0, 100, a, b, c, d, NULL, NULL);
    }
    printf("untouched: %a %a %ld %ld %a %a %u %u\n", a[0], a[1], b[0] - LONG_MAX, b[1] - LONG_MIN, (double)c[0],
           (double)c[1], d[0], d[1]);
}

/* --- arrays, blocks, records ------------------------------------------------------------------------------ */

enum { BINS = 64, ROWS = 5, COLS = 3, LD = 7 };
typedef struct { long n, sum; int least, most; } numbers;
static void numbers_none(numbers *x)
{
    *x = (numbers){ 0, 0, INT_MAX, INT_MIN };
}
static void numbers_join(numbers *into, const numbers *from)
{
    into->n += from->n, into->sum += from->sum;
    if (from->least < into->least) into->least = from->least;
    if (from->most > into->most) into->most = from->most;
}
DF_REDUCTION(joined, numbers, numbers_join, numbers_none);

DF_LOOP(shapes, (const int *, v), df_reduce(df_sum, int, bins, BINS), df_reduce2(df_sum, long, block, ROWS, COLS, LD),
        df_reduce(joined, numbers, x, 2), df_reduce2(joined, numbers, y, 2, 1, 3), df_reduce(df_max, short, most, 1));
void shapes(long lo, long hi, const int *v, int *bins, long *block, numbers *x, numbers *y, short *most)
{
    for (long i = lo; i < hi; i++) {
        numbers one = { 1, v[i], v[i], v[i] };
        bins[(unsigned)v[i] % BINS]++;
        block[i % ROWS * LD + v[i] % COLS] += i;
        numbers_join(&x[v[i] & 1], &one);
        numbers_join(&y[(i & 1) * 3], &one);
        if (v[i] % 30000 > *most) *most = (short)(v[i] % 30000);
    }
}
DF_LOOP2(two, df_reduce(df_sum, long, rows, 20), df_reduce(df_sum, long, cols, 150));
void two(long lo, long hi, long lo1, long hi1, long *rows, long *cols)
{
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++) rows[i] += i * j, cols[j] += i + j;
}
static uint64_t hash(const void *p, size_t n)
{
    uint64_t h = 0;
    for (size_t i = 0; i < n; i++) h = test_mix(h, ((const unsigned char *)p)[i]);
    return h;
}
static void arrays(void)
{
    static int v[N];
    uint64_t seed = 1;
    for (int i = 0; i < N; i++) v[i] = test_below(&seed, 1000000);
    for (int k = 0; k < OPTIONS; k++) {
        df_loop o = options(k);
        int bins[BINS + 2] = { 1, 2, 3 };
        long block[ROWS * LD], rows[20] = { 5 }, cols[150] = { 7 };
        numbers x[2], y[5];
        short most = -1;
        for (int i = 0; i < ROWS * LD; i++) block[i] = i;
        for (int i = 0; i < 5; i++) numbers_none(&y[i]), y[i].n = i; /* those between the rows stay as they are */
        numbers_none(&x[0]), numbers_none(&x[1]);
        bins[BINS] = 77;
        df_for_with(&o, shapes, 0, N, v, bins, block, x, y, &most);
        CHECK(bins[BINS] == 77 && y[1].n == 1 && y[2].n == 2 && y[4].n == 4 && y[1].least == INT_MAX);
        printf("shapes: %016llx %016llx", (unsigned long long)hash(bins, sizeof bins),
               (unsigned long long)hash(block, sizeof block));
        for (int i = 0; i < 2; i++)
            printf(" (%ld %ld %d %d) (%ld %ld)", x[i].n, x[i].sum, x[i].least, x[i].most, y[3 * i].n, y[3 * i].sum);
        printf(" %d\n", most);
        df_for2_with(&o, two, 0, 20, 0, 150, rows, cols);
        printf("two: %016llx %016llx\n", (unsigned long long)hash(rows, sizeof rows),
               (unsigned long long)hash(cols, sizeof cols));
    }
}

/* --- nested, and tasks that contribute ---------------------------------------------------------------------- */

DF_LOOP(inner, df_reduce(df_sum, long, x, 2));
void inner(long lo, long hi, long *x)
{
    for (long i = lo; i < hi; i++) x[0] += i, x[1]++;
}
DF_TASK(void, add, df_reduce(df_sum, long, x, 1), (long, k));
void add(long *x, long k) { *x += k; }
DF_LOOP(outer, (int, kind), df_reduce(df_sum, long, x, 2), df_reduce(df_max, long, most, 1));
void outer(long lo, long hi, int kind, long *x, long *most)
{
    for (long i = lo; i < hi; i++) {
        df_loop o = options(kind);
        df_for_with(&o, inner, i, i + 60, x); /* directly into the copy of this part */
        for (int k = 0; k < 3; k++) df_submit(add, x, k);
        df_wait();
        if (i > *most) *most = i;
        test_spin(i % 9 ? 0 : 1000);
    }
}
DF_TASK(void, in_task, df_reduce(df_sum, long, x, 2), (int, kind));
void in_task(long *x, int kind)
{
    long most = 0;
    df_loop o = options(kind);
    df_for_with(&o, outer, 0, 12, kind, x, &most);
    x[1] += most;
}
static void nested(void)
{
    for (int k = 0; k < OPTIONS; k++)
        for (int m = 0; m < OPTIONS; m += 2) {
            df_loop o = options(k);
            long x[2] = { 3, 4 }, most = -1;
            df_for_with(&o, outer, 0, 25, m, x, &most);
            DF_PARALLEL {
                for (int i = 0; i < 3; i++) df_submit(in_task, x, (k + i) % OPTIONS);
                df_for_with(&o, inner, 0, 10, x); /* after them */
            }
            printf("nested: %ld %ld %ld\n", x[0], x[1], most);
        }
}

/* --- the same bits -------------------------------------------------------------------------------------------- */

DF_LOOP(sum_of, (const float *, v), (unsigned, slow), df_reduce(df_sum, float, s, 1), df_reduce(df_prod, double, p, 1));
void sum_of(long lo, long hi, const float *v, unsigned slow, float *s, double *p)
{
    for (long i = lo; i < hi; i++) *s += v[i], *p *= 1.0 + (double)v[i] * 1e-9;
    test_spin(lo % 7 ? 0 : slow);
}
DF_LOOP2(sum_of2, (const float *, v), df_reduce(df_sum, float, s, 2));
void sum_of2(long lo, long hi, long lo1, long hi1, const float *v, float *s)
{
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++) s[i & 1] += v[(i * 131 + j * 17) % N];
}
static void same_bits(void)
{
    static float v[N];
    uint64_t seed = 3;
    static const long n[] = { 1, 7, 255, 256, 257, 1000, N };
    int differ = 0;
    for (int i = 0; i < N; i++) v[i] = (float)test_below(&seed, 1000000) / 7;
    for (int k = 0; k < 7; k++) {
        struct { double p; float s, s2[2], s3[2]; } first, x;
        for (int r = 0; r < 50; r++) {
            df_loop o = { .schedule = r % 4, .deterministic = 1 };
            memset(&x, 0, sizeof x);
            x.p = 1;
            df_for_with(&o, sum_of, 0, n[k], v, r % 3 ? 0 : 500, &x.s, &x.p);
            df_for2_with(&o, sum_of2, 0, n[k] % 50 + 1, 0, 20, v, x.s2);
            df_for2_with(&o, sum_of2, 0, 2, 0, n[k], v, x.s3);
            if (r == 0) first = x;
            differ += memcmp(&x, &first, sizeof x) != 0;
        }
        if (n[k] == 1) printf("one: %a %a\n", (double)x.s, x.p); /* no order to it */
    }
    printf("differ: %d\n", differ);
}

int main(void)
{
    operators();
    untouched();
    arrays();
    nested();
    same_bits();
}
