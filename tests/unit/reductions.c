/* reductions.c - every operator on every scalar type, and operators on records; arrays, blocks, recursion; tasks
 * before and after, on the same elements and on some of them, see all contributions or none */
#include <limits.h>
#include <stdbool.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

/* --- operators and types ----------------------------------------------------------------------- */

enum { ELEMENTS = 5, ROUNDS = 24 }; /* the last element has no contributions */

#define DO_df_sum(T, x, v)  x = (T)(x + (T)v)
#define FACTOR(T, v) (T)(v > 2 ? 2 : v < 1 ? -1 : 1) /* no int overflows */
#define DO_df_prod(T, x, v) \
    x = sizeof(T) < sizeof(int) ? (T)((unsigned)x * (unsigned)FACTOR(T, v)) : (T)(x * FACTOR(T, v)) /* a short wraps */
#define DO_df_band(T, x, v) x = (T)(x & (T)~v)
#define DO_df_bor(T, x, v)  x = (T)(x | (T)v)
#define DO_df_bxor(T, x, v) x = (T)(x ^ (T)v)
#define DO_df_land(T, x, v) x = (T)(x && v)
#define DO_df_lor(T, x, v)  x = (T)(x || v)
#define DO_df_min(T, x, v)  if ((T)v < x) x = (T)v
#define DO_df_max(T, x, v)  if (x < (T)v) x = (T)v

#define START_df_sum(i)  i + 3
#define START_df_prod(i) i + 3
#define START_df_band(i) 127 - i
#define START_df_bor(i)  i * 8
#define START_df_bxor(i) i + 3
#define START_df_land(i) i % 2 /* && and || leave 0 and 1 only */
#define START_df_lor(i)  i % 2
#define START_df_min(i)  i + 2
#define START_df_max(i)  i + 2

#define OPERATOR(T, name, op)                                                                          \
    DF_STATIC_TASK(void, name##_##op, df_reduce(op, T, x, ELEMENTS), (int, i));                        \
    static void name##_##op(T *x, int i)                                                               \
    {                                                                                                  \
        int v = i % 6 - 2;                                                                             \
        test_spin(i % 4 ? 0 : 2000);                                                                   \
        DO_##op(T, x[i % (ELEMENTS - 1)], v);                                                          \
    }                                                                                                  \
    static void try_##name##_##op(void)                                                                \
    {                                                                                                  \
        T x[ELEMENTS];                                                                                 \
        for (int i = 0; i < ELEMENTS; i++) x[i] = (T)(START_##op(i));                                  \
        DF_PARALLEL {                                                                                  \
            for (int i = 0; i < ROUNDS; i++) df_submit(name##_##op, x, i);                             \
        }                                                                                              \
        printf(#name " " #op);                                                                         \
        for (int i = 0; i < ELEMENTS; i++) printf(" %.0f", (double)x[i]);                              \
        printf("\n");                                                                                  \
    }
#define TYPE(T, name)                                                                                  \
    OPERATOR(T, name, df_sum) OPERATOR(T, name, df_prod) OPERATOR(T, name, df_land)                    \
    OPERATOR(T, name, df_lor) OPERATOR(T, name, df_min) OPERATOR(T, name, df_max)
#define INTEGER(T, name)                                                                               \
    TYPE(T, name) OPERATOR(T, name, df_band) OPERATOR(T, name, df_bor) OPERATOR(T, name, df_bxor)
#define TRY(name)                                                                                      \
    try_##name##_df_sum(), try_##name##_df_prod(), try_##name##_df_land(), try_##name##_df_lor(),      \
    try_##name##_df_min(), try_##name##_df_max()
#define TRY_INTEGER(name) TRY(name), try_##name##_df_band(), try_##name##_df_bor(), try_##name##_df_bxor()

INTEGER(char, char_)
INTEGER(signed char, schar)
INTEGER(unsigned char, uchar)
INTEGER(short, short_)
INTEGER(unsigned short, ushort_)
INTEGER(int, int_)
INTEGER(unsigned, uint)
INTEGER(long, long_)
INTEGER(unsigned long, ulong_)
INTEGER(long long, llong)
INTEGER(unsigned long long, ullong)
INTEGER(bool, boolean)
TYPE(float, float_)
TYPE(double, double_)
TYPE(long double, ldouble)

static void operators(void)
{
    TRY_INTEGER(char_), TRY_INTEGER(schar), TRY_INTEGER(uchar), TRY_INTEGER(short_), TRY_INTEGER(ushort_);
    TRY_INTEGER(int_), TRY_INTEGER(uint), TRY_INTEGER(long_), TRY_INTEGER(ulong_), TRY_INTEGER(llong);
    TRY_INTEGER(ullong), TRY_INTEGER(boolean);
    TRY(float_), TRY(double_), TRY(ldouble);
}

/* --- an operator of one's own ------------------------------------------------------------------ */

typedef struct { long n, sum; int least, most; unsigned char seen[32]; } numbers;

static void numbers_none(numbers *x)
{
    *x = (numbers){ .least = 1 << 30, .most = -(1 << 30) };
}
static void numbers_join(numbers *into, const numbers *from)
{
    into->n += from->n, into->sum += from->sum;
    if (from->least < into->least) into->least = from->least;
    if (from->most > into->most) into->most = from->most;
    for (int i = 0; i < 32; i++) into->seen[i] |= from->seen[i];
}
DF_REDUCTION(joined, numbers, numbers_join, numbers_none);
DF_TASK(void, note, (int, value), df_reduce(joined, numbers, x, 2));
void note(int value, numbers *x)
{
    numbers one = { 1, value, value, value, { 0 } };
    one.seen[value % 32] = 1;
    numbers_join(&x[value % 2], &one);
}

static void largest(long *into, const long *from)
{
    if (*from > *into) *into = *from;
}
DF_REDUCTION(most_of_all, long, largest, ({ LONG_MIN }));
DF_TASK(void, note_largest, (long, value), df_reduce(most_of_all, long, x, 1));
void note_largest(long value, long *x) { if (value > *x) *x = value; }

static void records(void)
{
    long best = -100;
    for (int i = 0; i < 50; i++) df_submit(note_largest, -i - 10, &best);
    df_wait();
    printf("largest: %ld\n", best);

    numbers x[2];
    numbers_none(&x[0]), numbers_none(&x[1]);
    DF_PARALLEL {
        for (int i = 0; i < 3000; i++) df_submit(note, i * 17 % 5000, x);
    }
    for (int k = 0; k < 2; k++) {
        int seen = 0;
        for (int i = 0; i < 32; i++) seen += x[k].seen[i];
        printf("numbers: %ld %ld %d %d %d\n", x[k].n, x[k].sum, x[k].least, x[k].most, seen);
    }
}

/* --- blocks and long arrays -------------------------------------------------------------------- */

enum { LD = 9, ROWS = 6, COLS = 4, LONG = 10000 };

DF_TASK(void, add_block, df_reduce2(df_sum, long, x, ROWS, COLS, LD), (int, k));
void add_block(long *x, int k)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) x[i * LD + j] += k * (i + j);
}
DF_TASK(void, update, df_inout2(long, x, ROWS, LD - COLS, LD)); /* between the rows of the block */
void update(long *x)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < LD - COLS; j++) x[i * LD + j] = x[i * LD + j] * 3 + 1;
}
DF_TASK(void, count, df_reduce(df_sum, int, x, LONG), (int, k));
void count(int *x, int k)
{
    for (int i = 0; i < LONG; i += k) x[i]++;
}
static uint64_t hash(const void *p, size_t n)
{
    uint64_t h = 0;
    for (size_t i = 0; i < n; i++) h = test_mix(h, ((const unsigned char *)p)[i]);
    return h;
}
static void arrays(void)
{
    static int many[LONG];
    long x[ROWS * LD];
    for (int i = 0; i < ROWS * LD; i++) x[i] = i;
    DF_PARALLEL {
        for (int i = 0; i < 100; i++) {
            df_submit(add_block, x, i);
            if (i % 4 == 0 && i < 60) df_submit(update, x + COLS);
            if (i < 50) df_submit(count, many, i + 1);
        }
    }
    for (int i = 0; i < ROWS * LD; i++) printf("%ld%c", x[i], i % LD == LD - 1 ? '\n' : ' ');
    printf("%016llx\n", (unsigned long long)hash(many, sizeof many));
}

/* --- recursion --------------------------------------------------------------------------------- */

DF_TASK(void, fib, (int, n), df_reduce(df_sum, long, total, 1));
void fib(int n, long *total)
{
    if (n < 2) *total += n;
    else {
        df_submit(fib, n - 1, total);
        df_submit(fib, n - 2, total);
    }
}
DF_TASK(void, accumulate, df_in(int, x, n), (int, n), df_reduce(df_sum, long, total, 1),
        df_reduce(df_max, int, most, 1));
void accumulate(const int *x, int n, long *total, int *most)
{
    if (n > 8) {
        df_submit(accumulate, x, n / 2, total, most);
        df_submit(accumulate, x + n / 2, n - n / 2, total, most);
    } else
        for (int i = 0; i < n; i++) {
            *total += x[i];
            if (x[i] > *most) *most = x[i];
        }
}
/* contributes before, between and after its children, in other modes too, and to a part only */
DF_TASK(void, one_more, df_inout(long, x, 1), (long, k));
void one_more(long *x, long k) { *x += k; }
DF_TASK(void, one_more_commuting, df_commute(long, x, 1), (long, k));
void one_more_commuting(long *x, long k) { *x += k; }
DF_TASK(void, nested, (int, depth), df_reduce(df_sum, long, x, 3));
void nested(int depth, long *x)
{
    x[0]++;
    if (depth) {
        for (int i = 0; i < 3; i++) df_submit(nested, depth - 1, x);
        df_submit(one_more, &x[1], depth);
        df_submit(one_more_commuting, &x[1], 1);
        df_submit(fib, depth, &x[2]);
        if (depth % 2) {
            df_wait();
            x[2] += 100;
        }
        df_submit(one_more_commuting, &x[1], depth);
    }
}
static void recursion(void)
{
    enum { N = 3000 };
    static int numbers_of[N];
    long total = 5, sum = 7, x[3] = { 1, 2, 3 };
    int most = -100;
    uint64_t seed = 1;
    for (int i = 0; i < N; i++) numbers_of[i] = test_below(&seed, 1000000) - 500000;
    DF_PARALLEL {
        df_submit(fib, 17, &total);
        df_submit(accumulate, numbers_of, N, &sum, &most);
        for (int i = 0; i < 4; i++) df_submit(nested, 4, x);
    }
    printf("recursion: %ld %ld %d, %ld %ld %ld\n", total, sum, most, x[0], x[1], x[2]);
}

/* --- before and after -------------------------------------------------------------------------- */

enum { N = 12 };

DF_TASK(void, add, df_reduce(df_sum, long, x, n), (int, n), (long, k), (unsigned, slow));
void add(long *x, int n, long k, unsigned slow)
{
    for (int i = 0; i < n; i++) x[i] += k;
    test_spin(slow);
}
DF_TASK(void, most, df_reduce(df_max, long, x, n), (int, n), (long, k));
void most(long *x, int n, long k)
{
    for (int i = 0; i < n; i++) x[i] = x[i] > k ? x[i] : k;
}
DF_TASK(void, look, df_in(long, x, n), (int, n), df_inout(uint64_t, seen, 1));
void look(const long *x, int n, uint64_t *seen)
{
    for (int i = 0; i < n; i++) *seen = test_mix(*seen, (uint64_t)x[i]);
}
DF_TASK(void, set, df_out(long, x, n), (int, n), (long, k));
void set(long *x, int n, long k)
{
    for (int i = 0; i < n; i++) x[i] = k + i;
}
DF_TASK(void, turn, df_inout(long, x, n), (int, n));
void turn(long *x, int n)
{
    for (int i = 0; i < n; i++) x[i] = 3 * x[i] % 1000003;
}

/* A random mixture: whole and part, reductions of both operators, readers, writers, waits. */
static void mixture(uint64_t seed)
{
    long x[N] = { 0 };
    uint64_t seen[3] = { 0 }, h = 0;
    DF_PARALLEL {
        for (int i = 0; i < 150; i++) {
            int whole = test_below(&seed, 3), at = whole ? 0 : test_below(&seed, N),
                n = whole ? N : 1 + test_below(&seed, N - at);
            long k = test_below(&seed, 1000);
            unsigned slow = test_below(&seed, 10) ? 0 : 3000;
            switch (test_below(&seed, 9)) {
            case 0: df_submit(look, x + at, n, &seen[i % 3]); break;
            case 1: df_submit(set, x + at, n, k); break;
            case 2: df_submit(turn, x + at, n); break;
            case 3: df_submit(most, x + at, n, k); break;
            case 4: df_submit(add, x + at, 0, k, slow); break;
            case 5:
                if (test_below(&seed, 4)) break;
                df_wait_on(x + at, sizeof *x);
                h = test_mix(h, (uint64_t)x[at]);
                break;
            default:
                for (int more = test_below(&seed, 8); more >= 0; more--) df_submit(add, x + at, n, k + more, slow);
                break;
            }
        }
    }
    h = test_mix(test_mix(test_mix(h, seen[0]), seen[1]), seen[2]);
    for (int i = 0; i < N; i++) h = test_mix(h, (uint64_t)x[i]);
    printf("mixture %016llx\n", (unsigned long long)h);
}

/* One group after the other, each seen by a reader; groups side by side. */
static void groups(void)
{
    enum { SIDE = 300 };
    static long x[SIDE];
    long chain = 0;
    uint64_t seen = 0;
    DF_PARALLEL {
        for (int i = 0; i < 1000; i++) {
            for (int k = 0; k < 3; k++) df_submit(add, &chain, 1, i + k, 0);
            df_submit(look, &chain, 1, &seen);
        }
        for (int k = 0; k < 10; k++)
            for (int i = 0; i < SIDE; i++) df_submit(add, &x[i], 1, i * k, i == k ? 3000 : 0);
    }
    printf("groups: %ld %016llx %016llx\n", chain, (unsigned long long)seen, (unsigned long long)hash(x, sizeof x));
}

/* --- the sum of negative zeros is one, as the identity is -0.0 --------------------------------- */

DF_TASK(void, add_zeros, df_reduce(df_sum, double, s, 1), (double, x));
void add_zeros(double *s, double x) { *s += x; }
DF_LOOP(add_all_zeros, df_reduce(df_sum, double, s, 1), df_in(double, x, n), (long, n));
void add_all_zeros(long lo, long hi, double *s, const double *x, long n)
{
    (void)n;
    for (long i = lo; i < hi; i++) *s += x[i];
}
static void negative_zeros(void)
{
    static double x[1000];
    double by_tasks = -0.0, by_loop = -0.0, mixed = -0.0;
    for (int i = 0; i < 1000; i++) x[i] = -0.0;
    DF_PARALLEL {
        for (int i = 0; i < 1000; i++) df_submit(add_zeros, &by_tasks, x[i]);
        for (int i = 0; i < 1000; i++) df_submit(add_zeros, &mixed, i == 500 ? 0.0 : x[i]);
    }
    df_for(add_all_zeros, 0, 1000, &by_loop, x, 1000);
    printf("zeros: %g %g %g\n", by_tasks, by_loop, mixed);
}

int main(void)
{
    negative_zeros();
    operators();
    records();
    arrays();
    recursion();
    for (uint64_t seed = 1; seed <= 60; seed++) mixture(seed);
    groups();
}
