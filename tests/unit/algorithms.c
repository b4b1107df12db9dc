/* algorithms.c - examples/algorithms: the results of serial loops and of qsort, for many lengths and kinds of keys
 *
 * The operators are not commutative, so that a wrong order shows. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../../examples/algorithms/df_for_each_2d.h"
#include "../../examples/algorithms/df_partition.h"
#include "../../examples/algorithms/df_reduce_by_key.h"
#include "../../examples/algorithms/df_scan.h"
#include "../../examples/algorithms/df_sort.h"
#include "../test.h"

enum { LONGEST = 20000 };
static const long lengths[] = { 0, 1, 2, 3, 7, 16, 17, 100, 1023, 2048, 2049, 4095, 4096, 4097, 8193, 16411, LONGEST };
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static void *need(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    CHECK(p);
    return p;
}

/* --- sort ---------------------------------------------------------------------------------------- */

typedef struct { int key, place; } small; /* 8 bytes: moved as a word */
typedef struct { int key, place; char rest[12]; } large;
static int compare_keys(const void *x, const void *y)
{
    const int *a = (const int *)x, *b = (const int *)y;
    return (*a > *b) - (*a < *b);
}
static int compare_keys_and_places(const void *x, const void *y)
{
    const int *a = (const int *)x, *b = (const int *)y;
    int order = compare_keys(a, b);
    return order ? order : compare_keys(a + 1, b + 1);
}

/* Kinds of keys: all the same, few, any, ascending, descending. */
static int key_of(int kind, long i, uint64_t *seed)
{
    switch (kind) {
    case 0: return 7;
    case 1: return test_below(seed, 5);
    case 2: return test_below(seed, 1 << 30) - (1 << 29);
    case 3: return (int)i;
    default: return (int)-i;
    }
}

static void sort(size_t size, uint64_t *seed)
{
    uint64_t hash = 0;
    for (int l = 0; l < LENGTHS; l++)
        for (int kind = 0; kind < 5; kind++) {
            size_t n = (size_t)lengths[l];
            char *a = (char *)need(n * size), *expected = (char *)need(n * size);
            memset(a, 1, n * size);
            for (size_t i = 0; i < n; i++) {
                int head[2] = { key_of(kind, (long)i, seed), (int)i };
                memcpy(a + i * size, head, size < sizeof head ? size : sizeof head);
            }
            memcpy(expected, a, n * size);
            qsort(expected, n, size, size < 2 * sizeof(int) ? compare_keys : compare_keys_and_places);
            CHECK(df_sort(a, n, size, compare_keys) == DF_OK);
            CHECK(memcmp(a, expected, n * size) == 0);
            for (size_t i = 0; i < n * size; i += 4) hash = test_mix(hash, (unsigned char)a[i]);
            free(a);
            free(expected);
        }
    printf("sort, %d bytes: %016llx\n", (int)size, (unsigned long long)hash);
}

/* --- scan ---------------------------------------------------------------------------------------- */

/* x -> mul * x + add, modulo 2^64: first into, then from. */
typedef struct { uint64_t mul, add; } affine;
static void affine_then(affine *into, const affine *from)
{
    into->mul *= from->mul;
    into->add = into->add * from->mul + from->add;
}
static void affine_one(affine *x) { x->mul = 1, x->add = 0; }
DF_SCAN(affine_scan, affine, affine_then, affine_one);

static void add(double *into, const double *from) { *into += *from; }
static void zero(double *x) { *x = 0; }
DF_SCAN(double_scan, double, add, zero);

static void scan(uint64_t *seed)
{
    uint64_t hash = 0;
    for (int l = 0; l < LENGTHS; l++) {
        long n = lengths[l];
        affine *x = (affine *)need((size_t)n * sizeof *x), *y = (affine *)need((size_t)n * sizeof *y), s;
        double *d = (double *)need((size_t)n * sizeof *d);
        for (long i = 0; i < n; i++) {
            x[i].mul = test_random(seed) | 1, x[i].add = test_random(seed);
            d[i] = (double)test_below(seed, 1000) / 7;
        }
        CHECK(affine_scan(DF_INCLUSIVE, x, y, n) == DF_OK);
        affine_one(&s);
        for (long i = 0; i < n; i++) {
            affine_then(&s, &x[i]);
            CHECK(y[i].mul == s.mul && y[i].add == s.add);
        }
        CHECK(affine_scan(DF_EXCLUSIVE, x, y, n) == DF_OK);
        affine_one(&s);
        for (long i = 0; i < n; i++) {
            CHECK(y[i].mul == s.mul && y[i].add == s.add);
            affine_then(&s, &x[i]);
        }
        CHECK(affine_scan(DF_EXCLUSIVE, x, x, n) == DF_OK); /* in place */
        CHECK(n == 0 || memcmp(x, y, (size_t)n * sizeof *x) == 0);
        CHECK(double_scan(DF_INCLUSIVE, d, d, n) == DF_OK);
        for (long i = 0; i < n; i++) { /* the same bits at every number of workers */
            uint64_t bits;
            memcpy(&bits, &d[i], sizeof bits);
            hash = test_mix(hash, bits);
        }
        free(x);
        free(y);
        free(d);
    }
    printf("scan: %016llx\n", (unsigned long long)hash);
}

/* --- partition ----------------------------------------------------------------------------------- */

typedef struct { int percent; long *calls; } some;
static int passes(const void *x, void *ctx)
{
    const some *s = (const some *)ctx;
    const int *key = (const int *)x;
    __atomic_fetch_add(s->calls, 1, __ATOMIC_RELAXED);
    return *key % 100 < s->percent;
}

static void partition(size_t size, uint64_t *seed)
{
    static const int percents[] = { 0, 3, 50, 100 };
    uint64_t hash = 0;
    for (int l = 0; l < LENGTHS; l++)
        for (int k = 0; k < 4; k++) {
            size_t n = (size_t)lengths[l];
            long calls = 0, count = 0, at = 0;
            some s = { percents[k], &calls };
            char *a = (char *)need(n * size), *expected = (char *)need(n * size);
            memset(a, 1, n * size);
            for (size_t i = 0; i < n; i++) {
                int key = test_below(seed, 100000);
                memcpy(a + i * size, &key, sizeof key);
            }
            for (int wanted = 1; wanted >= 0; wanted--)
                for (size_t i = 0; i < n; i++) {
                    if (passes(a + i * size, &s) != wanted) continue;
                    memcpy(expected + (size_t)at++ * size, a + i * size, size);
                    count += wanted;
                }
            calls = 0;
            CHECK(df_partition(a, n, size, passes, &s) == count && calls == (long)n);
            CHECK(memcmp(a, expected, n * size) == 0);
            for (size_t i = 0; i < n * size; i += 4) hash = test_mix(hash, (unsigned char)a[i]);
            free(a);
            free(expected);
        }
    printf("partition, %d bytes: %016llx\n", (int)size, (unsigned long long)hash);
}

/* --- reduce by key ------------------------------------------------------------------------------- */

static int same_int(const int *a, const int *b) { return *a == *b; }
DF_REDUCE_BY_KEY(affine_by_key, int, affine, same_int, affine_then);

static void reduce_by_key(uint64_t *seed)
{
    uint64_t hash = 0;
    for (int l = 0; l < LENGTHS; l++)
        for (int longest = 1; longest <= LONGEST; longest *= 10) {
            long n = lengths[l], runs = 0, at = 0;
            int *keys = (int *)need((size_t)n * sizeof *keys), *out_keys = (int *)need((size_t)n * sizeof *keys);
            affine *x = (affine *)need((size_t)n * sizeof *x), *out = (affine *)need((size_t)n * sizeof *x);
            for (long i = 0; i < n; i++) { /* 1 .. longest neighbours are alike, or more by accident */
                keys[i] = i > 0 && test_below(seed, longest) ? keys[i - 1] : test_below(seed, 3);
                x[i].mul = test_random(seed) | 1, x[i].add = test_random(seed);
            }
            runs = affine_by_key(keys, x, n, out_keys, out);
            for (long i = 0; i < n; at++) {
                affine s = x[i];
                int key = keys[i];
                while (++i < n && keys[i] == key) affine_then(&s, &x[i]);
                CHECK(at < runs && out_keys[at] == key && out[at].mul == s.mul && out[at].add == s.add);
                hash = test_mix(hash, s.add);
            }
            CHECK(at == runs);
            free(keys);
            free(out_keys);
            free(x);
            free(out);
        }
    printf("reduce by key: %016llx\n", (unsigned long long)hash);
}

/* --- for each ------------------------------------------------------------------------------------ */

static void mark(void *x, long i, long j, void *ctx)
{
    int *cell = (int *)x;
    *cell += (int)(1 + i * *(const long *)ctx + j);
}

static void for_each_2d(void)
{
    static const long sides[] = { -1, 0, 1, 2, 31, 200 };
    enum { SIDES = sizeof sides / sizeof *sides, LD = 203, MARGIN = 5 };
    static int cells[(200 + 1) * LD];
    for (int r = 0; r < SIDES; r++)
        for (int c = 0; c < SIDES; c++) {
            long rows = sides[r], cols = sides[c], ld = LD;
            memset(cells, 0, sizeof cells);
            df_for_each_2d(cells, rows, cols, ld, sizeof *cells, mark, &ld);
            for (long i = 0; i < 201; i++)
                for (long j = 0; j < LD; j++)
                    CHECK(cells[i * LD + j] == (i < rows && j < cols ? (int)(1 + i * ld + j) : 0));
        }
    puts("for each: each element once");
}

/* --- inside of tasks ----------------------------------------------------------------------------- */

DF_TASK(void, sort_task, df_inout(int, a, n), (long, n));
void sort_task(int *a, long n) { CHECK(df_sort(a, (size_t)n, sizeof *a, compare_keys) == DF_OK); }
DF_TASK(void, make, df_out(int, a, n), (long, n), (int, seed));
void make(int *a, long n, int seed)
{
    uint64_t state = (uint64_t)seed;
    for (long i = 0; i < n; i++) a[i] = test_below(&state, 1000);
}

static void in_tasks(void)
{
    enum { N = 5000, TASKS = 8 };
    static int a[TASKS][N];
    DF_PARALLEL {
        for (int t = 0; t < TASKS; t++) {
            df_submit(make, a[t], N, t);
            df_submit(sort_task, a[t], N);
        }
    }
    for (int t = 0; t < TASKS; t++)
        for (int i = 1; i < N; i++) CHECK(a[t][i - 1] <= a[t][i]);
    puts("in tasks: sorted");
}

/* --- cancelled ----------------------------------------------------------------------------------- */

DF_TASK(void, cancelled);
void cancelled(void)
{
    enum { N = 20000 };
    static int a[N], keys[N], out_keys[N];
    static affine x[N], out[N];
    long calls = 0;
    some s = { 50, &calls };
    for (int i = 0; i < N; i++) a[i] = N - i;
    df_cancel();
    CHECK(df_partition(a, N, sizeof *a, passes, &s) == DF_ERROR_CANCELLED && calls == 0);
    CHECK(affine_scan(DF_INCLUSIVE, x, x, N) == DF_ERROR_CANCELLED);
    CHECK(affine_by_key(keys, x, N, out_keys, out) == DF_ERROR_CANCELLED);
    CHECK(df_sort(a, N, sizeof *a, compare_keys) == DF_OK); /* functions of df_spawn are never left out */
    for (int i = 0; i < N; i++) CHECK(a[i] == i + 1);
    puts("cancelled: no harm done");
}

/* Parts are left out while the loop runs: all or nothing of an algorithm is reported. */
static int passes_and_cancels(const void *x, void *ctx)
{
    const int *key = (const int *)x;
    (void)ctx;
    if (*key == 77) df_cancel();
    return *key % 2;
}
static void cancelled_inside(void)
{
    static int a[LONGEST];
    for (int i = 0; i < LONGEST; i++) a[i] = i;
    long odd = df_partition(a, LONGEST, sizeof *a, passes_and_cancels, NULL);
    CHECK(odd == DF_ERROR_CANCELLED || odd == LONGEST / 2);
}

int main(void)
{
    uint64_t seed = 1;
    sort(sizeof(int), &seed);
    sort(sizeof(small), &seed);
    sort(sizeof(large), &seed);
    CHECK(df_sort(&seed, (size_t)-1 / 4, 8, compare_keys) == DF_ERROR_MEMORY);
    scan(&seed);
    partition(sizeof(int), &seed);
    partition(sizeof(large), &seed);
    long calls;
    some none = { 0, &calls };
    CHECK(df_partition(&seed, (size_t)-1 / 4, 8, passes, &none) == DF_ERROR_MEMORY);
    reduce_by_key(&seed);
    for_each_2d();
    in_tasks();
    DF_PARALLEL { df_submit(cancelled); }
    cancelled_inside();
    return 0;
}
