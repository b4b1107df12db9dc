/* stream_words.c - every word for a window of a stream, with elements of several sizes, windows that wrap around the
 * end of the buffer, mixed with every other kind of parameter */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

typedef struct { unsigned char r, g, b; } rgb; /* 3 bytes */
typedef struct { double x[5]; int n; } big;

/* --- pop, push, peek ------------------------------------------------------------------------------- */

DF_TASK(void, put, (int, from), (int, n), df_push(int, p, n));
void put(int from, int n, int *p) { for (int i = 0; i < n; i++) p[i] = from + i; }
DF_TASK(void, get, df_pop(int, p, n), (int, n), df_inout(uint64_t, h, 1));
void get(const int *p, int n, uint64_t *h)
{
    CHECK(df_stream_count(p) == (size_t)n);
    for (int i = 0; i < n; i++) *h = test_mix(*h, (uint64_t)p[i]);
}
DF_TASK(long, smooth, df_peek(int, in, width, 1), (size_t, width), df_push(int, out, 1));
long smooth(const int *in, size_t width, int *out)
{
    long sum = 0;
    for (size_t i = 0; i < width; i++) sum += in[i];
    *out = (int)(sum / (long)width);
    return sum; /* dropped */
}
DF_TASK(void, look, df_peek(int, in, 5, 0), df_out(int, to, 5));
void look(const int *in, int *to) { memcpy(to, in, 5 * sizeof *to); }

static void words(size_t capacity)
{
    df_stream *s = df_stream_new(sizeof(int), capacity + 4), *t = df_stream_new(sizeof(int), capacity);
    uint64_t h = 0;
    int seen[5];
    DF_PARALLEL {
        df_submit(look, s, seen);
        for (int i = 0; i < 100; i++) {
            df_submit(put, 7 * i, 7, s);
            for (int k = 0; k < 7 && 7 * i + k < 700 - 4; k++) df_submit(smooth, s, 5, t);
            if (i >= 1) df_submit(get, t, 7, &h);
        }
        df_submit(get, t, 3, &h);
        df_submit(get, s, 4, &h);
        df_submit(get, t, 0, &h);
    }
    df_stream_free(s);
    df_stream_free(t);
    printf("words %d %016llx %d %d\n", (int)capacity, (unsigned long long)h, seen[0], seen[4]);
}

/* --- arrays of streams ------------------------------------------------------------------------------ */

DF_TASK(void, deal, (int, from), df_pushv(long, p, burst, n), (int, n), (int, burst));
void deal(int from, long *const *p, int n, int burst)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < burst; k++) p[i][k] = from + 100 * i + k;
}
DF_TASK(void, merge, df_popv(long, p, burst, n), (int, n), (int, burst), df_push(long, to, n * burst));
void merge(const long *const *p, int n, int burst, long *to)
{
    for (int k = 0; k < burst; k++)
        for (int i = 0; i < n; i++) {
            CHECK(df_stream_count(p[i]) == (size_t)burst);
            *to++ = p[i][k];
        }
}
DF_TASK(void, sum, (int, n), df_pop(long, p, n), df_reduce(df_sum, long, to, 1), (long, factor));
void sum(int n, const long *p, long *to, long factor)
{
    for (int i = 0; i < n; i++) *to += p[i] * factor;
}
static void arrays(int n)
{
    df_stream *s[40], *all = df_stream_new(sizeof(long), (size_t)n * 5 + 3);
    long total = 0;
    for (int i = 0; i < n; i++) s[i] = df_stream_new(sizeof(long), 3 + (size_t)i % 5);
    DF_PARALLEL {
        for (int i = 0; i < 60; i++) {
            int burst = 1 + i % 3;
            df_submit(merge, s, n, burst, all);
            df_submit(sum, n * burst, all, &total, i);
            df_submit(deal, i, s, n, burst);
        }
        df_submit(merge, NULL, 0, 3, all); /* no streams */
        df_submit(deal, 0, s, 1, 0);       /* no elements */
    }
    for (int i = 0; i < n; i++) df_stream_free(s[i]);
    df_stream_free(all);
    printf("arrays %d %ld\n", n, total);
}
/* The same stream twice: its windows follow each other. */
static void twice(void)
{
    df_stream *s = df_stream_new(sizeof(long), 10), *two[] = { s, s }, *all = df_stream_new(sizeof(long), 4);
    long total = 0;
    DF_PARALLEL {
        for (int i = 0; i < 10; i++) {
            df_submit(deal, i * 1000, two, 2, 2);
            df_submit(merge, two, 2, 2, all);
            df_submit(sum, 4, all, &total, i + 1);
        }
    }
    df_stream_free(s), df_stream_free(all);
    printf("twice %ld\n", total);
}

/* --- elements of any size ----------------------------------------------------------------------------- */

DF_TASK(void, paint, (int, k), df_push(rgb, p, 5));
void paint(int k, rgb *p)
{
    for (int i = 0; i < 5; i++) p[i].r = (unsigned char)k, p[i].g = (unsigned char)(k + i), p[i].b = 7;
}
DF_TASK(void, grey, df_pop(rgb, p, 2), df_commute(int, total, 1));
void grey(const rgb *p, int *total) { *total += p[0].r + p[1].g + p[1].b; }
DF_TASK(void, grow, (int, k), df_push(big, p, 1));
void grow(int k, big *p) { p->n = k % 5, p->x[p->n] = k; }
DF_TASK(void, shrink, df_peek(big, p, 2, 1), df_concurrent(double, sum, 1), df_in2(double, f, 1, 2, 2));
void shrink(const big *p, double *at, const double *f) { at[p->n] += p->x[p->n] * f[1] + p[1].x[p[1].n] * f[0]; }
static void sizes(void)
{
    df_stream *s = df_stream_new(sizeof(rgb), 7), *t = df_stream_new(sizeof(big), 3);
    double sums[5] = { 0 }, f[2] = { 1, 1000 };
    int total = 0;
    DF_PARALLEL {
        for (int i = 0; i < 40; i++) {
            df_submit(paint, i, s);
            df_submit(grow, i, t);
        }
        for (int i = 0; i < 100; i++) df_submit(grey, s, &total);
        for (int i = 0; i < 39; i++) df_submit(shrink, t, sums, f);
        df_submit(shrink, t, sums, f); /* one more than there are */
        df_submit(grow, 0, t);
        df_submit(shrink, t, sums, f);
        df_submit(grow, 1, t);
    }
    printf("sizes %d", total);
    for (int i = 0; i < 5; i++) printf(" %.0f", sums[i]);
    printf("\n");
    df_stream_free(s), df_stream_free(t);
}

/* --- spawned and called: the pointers of the body --------------------------------------------------------- */

static void called(void)
{
    uint64_t h = 0;
    int p[3];
    df_future(put) f;
    df_future(smooth) g;
    df_spawn(put, &f, 5, 3, p);
    df_sync(put, &f);
    df_spawn(smooth, &g, p, 3, &p[0]);
    printf("called %ld", df_sync(smooth, &g));
    put(9, 2, p + 1);
    for (int i = 0; i < 3; i++) h = test_mix(h, (uint64_t)p[i]);
    printf(" %016llx %d\n", (unsigned long long)h, (int)df_stream_count(p));
}

/* --- with options -------------------------------------------------------------------------------------------- */

static void options(void)
{
    df_stream *s = df_stream_new(sizeof(int), 4);
    df_token t = DF_TOKEN(1), u = DF_TOKEN(6);
    uint64_t h = 0;
    DF_PARALLEL {
        for (int i = 0; i < 6; i++)
            df_submit_with(DF_OPTS(.priority = i, .name = "get", .signals = DF_TOKENS(&u)), get, s, 2, &h);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .worker = DF_MAIN_THREAD), put, 10, 4, s);
        for (int i = 0; i < 4; i++) df_submit_with(DF_OPTS(.priority = -i), put, 20 + i, 2, s);
        df_signal(&t);
        CHECK(df_wait_token(&u) == DF_OK);
        printf("options %016llx\n", (unsigned long long)h);
        df_submit_with(NULL, put, 30, 4, s);
        df_submit_with(DF_OPTS(.release = 1), get, s, 4, &h);
    }
    df_stream_free(s);
    printf("options %016llx\n", (unsigned long long)h);
}

int main(void)
{
    words(7), words(8), words(11), words(64), words(1000);
    arrays(1), arrays(3), arrays(16), arrays(17), arrays(40);
    twice();
    sizes();
    called();
    options();
}
