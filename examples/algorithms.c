/* Parallel algorithms: sort, scan, partition, reduce by key and for each, as headers to be copied.
 *
 * A small evaluation of measurements: n readings of stations, in the order in which they came in. Bad readings are
 * moved to the end, the others sorted by station, so that each station has one run, and reduced to a mean for each
 * station. Prefix sums add up the readings. At the end a matrix is filled. Each result is compared with that of the C
 * library or of a serial loop.
 *
 *     ./algorithms [--time] [READINGS]     --time: seconds of each step, and of its serial counterpart
 */
#define DF_IMPLEMENTATION
#include "algorithms/df_for_each_2d.h"
#include "algorithms/df_partition.h"
#include "algorithms/df_reduce_by_key.h"
#include "algorithms/df_scan.h"
#include "algorithms/df_sort.h"

#include <stdio.h>
#include <time.h>

typedef struct { int station, value; } reading;   /* value: -1 if the sensor failed */
typedef struct { long count, sum; } total;

enum { STATIONS = 1000, MOST = 100000000, SIDE = 1000 };

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static int timed;
static void report(const char *step, double ours, double serial)
{
    if (timed) printf("%-14s %8.4f s, serial %8.4f s, ratio %.2f\n", step, ours, serial, ours / serial);
}

static int is_good(const void *x, void *ctx)
{
    const reading *r = (const reading *)x;
    (void)ctx;
    return r->value >= 0;
}
static int by_station(const void *x, const void *y)
{
    const reading *a = (const reading *)x, *b = (const reading *)y;
    return (a->station > b->station) - (a->station < b->station);
}

static int same_station(const int *a, const int *b) { return *a == *b; }
static void add_total(total *into, const total *from) { into->count += from->count, into->sum += from->sum; }
DF_REDUCE_BY_KEY(total_by_station, int, total, same_station, add_total);

static void add(long *into, const long *from) { *into += *from; }
static void zero(long *x) { *x = 0; }
DF_SCAN(sums, long, add, zero);

static void product(void *x, long i, long j, void *ctx)
{
    int *cell = (int *)x;
    (void)ctx;
    *cell = (int)((i + 1) * (j + 1) % 1000);
}

/* Serial loops with the same results; steps are timed against them. */
static long partition_serial(reading *a, long n, reading *other)
{
    long good = 0, bad = 0;
    for (long i = 0; i < n; i++)
        if (is_good(&a[i], NULL)) a[good++] = a[i];
        else other[bad++] = a[i];
    memcpy(a + good, other, (size_t)bad * sizeof *a);
    return good;
}
static long reduce_serial(const int *keys, const total *values, long n, int *out_keys, total *out)
{
    long runs = 0;
    for (long i = 0; i < n; i++)
        if (i == 0 || keys[i] != keys[i - 1]) {
            out_keys[runs] = keys[i];
            out[runs++] = values[i];
        } else {
            add_total(&out[runs - 1], &values[i]);
        }
    return runs;
}

int main(int argc, char **argv)
{
    timed = argc > 1 && strcmp(argv[1], "--time") == 0;
    argc -= timed, argv += timed;
    char *end = "";
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 300000;
    if (argc > 2 || *end || n < 1 || n > MOST) {
        fprintf(stderr, "usage: %s [--time] [READINGS]    with READINGS from 1 to %d\n", argv[0], MOST);
        return 2;
    }
    size_t count = (size_t)n;
    reading *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b), *spare = malloc(count * sizeof *b);
    int *keys = malloc(count * sizeof *keys), *stations = malloc(2 * count * sizeof *stations);
    total *values = malloc(count * sizeof *values), *totals = malloc(2 * count * sizeof *totals);
    long *share = malloc(2 * count * sizeof *share);
    int *cells = malloc(2 * (size_t)SIDE * SIDE * sizeof *cells);
    if (!a || !b || !spare || !keys || !stations || !values || !totals || !share || !cells) {
        fprintf(stderr, "not enough memory for %ld readings\n", n);
        return 2;
    }
    memset(spare, 0, count * sizeof *spare);   /* the first access to a page is slow, and not what is timed */
    memset(stations, 0, 2 * count * sizeof *stations);
    memset(totals, 0, 2 * count * sizeof *totals);
    memset(share, 0, 2 * count * sizeof *share);
    memset(cells, 0, 2 * (size_t)SIDE * SIDE * sizeof *cells);
    unsigned long state = 1;
    for (long i = 0; i < n; i++) {
        state = (state * 1103515245 + 12345) & 0x7fffffff;
        a[i].station = (int)(state >> 8) % STATIONS;
        a[i].value = (state >> 4) % 50 == 0 ? -1 : (int)(state >> 5) % 1000;
    }
    memcpy(b, a, count * sizeof *a);
    df_workers();   /* starts the pool: not part of the first time */

    int wrong = 0;
    double t0 = seconds();
    long good = df_partition(a, count, sizeof *a, is_good, NULL);
    double t1 = seconds();
    if (good < 0) {
        fprintf(stderr, "not enough memory for %ld readings\n", n);
        return 2;
    }
    wrong += partition_serial(b, n, spare) != good || memcmp(a, b, count * sizeof *a) != 0;
    report("partition", t1 - t0, seconds() - t1);

    t0 = seconds();
    wrong += df_sort(a, (size_t)good, sizeof *a, by_station) != DF_OK;
    t1 = seconds();
    qsort(b, (size_t)good, sizeof *b, by_station);
    report("sort", t1 - t0, seconds() - t1);
    for (long i = 0; i < good; i++) {
        wrong += a[i].station != b[i].station;
        keys[i] = a[i].station;
        values[i].count = 1, values[i].sum = a[i].value;
    }

    t0 = seconds();
    long runs = total_by_station(keys, values, good, stations, totals);
    t1 = seconds();
    wrong += reduce_serial(keys, values, good, stations + n, totals + n) != runs || runs < 0;
    report("reduce by key", t1 - t0, seconds() - t1);
    for (long i = 0; i < runs; i++)
        wrong += stations[i] != stations[n + i] || totals[i].count != totals[n + i].count ||
                 totals[i].sum != totals[n + i].sum;

    for (long i = 0; i < n; i++) share[i] = a[i].value;
    t0 = seconds();
    wrong += sums(DF_INCLUSIVE, share, share, n) != DF_OK;
    t1 = seconds();
    for (long i = 0, sum = 0; i < n; i++) share[n + i] = sum += a[i].value;
    report("scan", t1 - t0, seconds() - t1);
    wrong += memcmp(share, share + n, count * sizeof *share) != 0;

    t0 = seconds();
    df_for_each_2d(cells, SIDE, SIDE, SIDE, sizeof *cells, product, NULL);
    t1 = seconds();
    int *expected = cells + (size_t)SIDE * SIDE;
    for (long i = 0; i < SIDE; i++)
        for (long j = 0; j < SIDE; j++) product(&expected[i * SIDE + j], i, j, NULL);
    report("for each", t1 - t0, seconds() - t1);
    wrong += memcmp(cells, expected, (size_t)SIDE * SIDE * sizeof *cells) != 0;

    printf("%ld readings, %ld good, of %ld stations\n", n, good, runs);
    if (runs > 0)
        printf("station %d: %ld readings, mean %.2f\n", stations[0], totals[0].count,
               (double)totals[0].sum / (double)totals[0].count);
    printf("all results are %s those of serial loops\n", wrong ? "NOT" : "exactly");
    free(a), free(b), free(spare), free(keys), free(stations);
    free(values), free(totals), free(share), free(cells);
    return wrong != 0;
}
