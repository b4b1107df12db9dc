/* stream_ends.c - several readers, the close of a stream, elements left at the end, and futures */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

DF_TASK(void, put, (int, from), (int, n), df_push(int, p, n));
void put(int from, int n, int *p) { for (int i = 0; i < n; i++) p[i] = from + i; }
DF_TASK(void, get, df_peek(int, p, n, burst), (int, n), (int, burst), df_inout(uint64_t, h, 1));
void get(const int *p, int n, int burst, uint64_t *h)
{
    (void)burst;
    *h = test_mix(*h, df_stream_count(p) * 2 + (p != NULL));
    for (int i = 0; p && i < n; i++) {
        CHECK(i < (int)df_stream_count(p) || p[i] == 0);
        *h = test_mix(*h, (uint64_t)p[i]);
    }
}

/* Each reader sees all that is pushed by tasks submitted after it was made; the slowest holds the others up. */
static void readers(void)
{
    df_stream *s = df_stream_new(sizeof(int), 8), *r[4] = { NULL };
    uint64_t h[5] = { 0 };
    DF_PARALLEL {
        for (int i = 0; i < 40; i++) {
            if (i % 10 == 0) CHECK((r[i / 10] = df_stream_reader(s)) != NULL);
            df_submit(put, 3 * i, 3, s);
        }
        for (int i = 0; i < 120; i++) df_submit(get, s, 1, 1, &h[0]);
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 120 - 30 * k; i += 5) df_submit(get, r[k], 5, 5, &h[k + 1]);
    }
    for (int k = 0; k < 4; k++) df_stream_free(r[k]);
    df_stream_free(s);
    printf("readers");
    for (int k = 0; k < 5; k++) printf(" %016llx", (unsigned long long)h[k]);
    printf("\n");
}

/* A reader that is freed does not hold the others up any more; s may go first. */
static void leave(void)
{
    df_stream *s = df_stream_new(sizeof(int), 4), *r = df_stream_reader(s);
    uint64_t h = 0, g = 0;
    DF_PARALLEL {
        df_submit(put, 0, 4, s);
        df_submit(get, s, 2, 2, &g);
        df_submit(put, 4, 4, s); /* waits for both */
        for (int i = 0; i < 4; i++) df_submit(get, r, 2, 2, &h);
        df_stream_free(s);
        df_submit(put, 8, 4, r);
        df_submit(get, r, 4, 4, &h);
        df_stream_free(r);
    }
    printf("leave %016llx %016llx\n", (unsigned long long)h, (unsigned long long)g);
}

/* After the close: windows that end behind the end, or begin there; before it they wait. */
static void close_it(size_t capacity, int late)
{
    df_stream *s = df_stream_new(sizeof(int), capacity), *r = df_stream_reader(s);
    uint64_t h = 0, g = 0;
    DF_PARALLEL {
        for (int i = 0; i < 10; i++) df_submit(put, 7 * i, 7, s);
        if (!late) df_stream_close(s);
        for (int i = 0; i < 20; i++) df_submit(get, s, 8, 5, &h); /* 70 elements, 14 windows */
        for (int i = 0; i < 9; i++) df_submit(get, r, 8, 8, &g);
        df_submit(get, r, 0, 0, &g);
        df_submit(get, r, 3, 0, &g);
        if (late) df_stream_close(s);
    }
    df_stream_free(s), df_stream_free(r);
    printf("close %d %016llx %016llx\n", (int)capacity, (unsigned long long)h, (unsigned long long)g);
}
/* An empty stream, closed: as a signal. */
static void empty(void)
{
    df_stream *s = df_stream_new(1000, 1);
    CHECK(s != NULL);
    df_stream_close(s);
    df_stream_free(s);
    s = df_stream_new(sizeof(int), 5);
    uint64_t h = 0;
    DF_PARALLEL {
        for (int i = 0; i < 3; i++) df_submit(get, s, 2, 1, &h);
        df_stream_close(s);
    }
    df_stream_free(s);
    printf("empty %016llx\n", (unsigned long long)h);
}

/* A stream of one element is a future: asked for before or after it is there, by several. */
DF_TASK(void, answer, (long, n), df_push(long, to, 1));
void answer(long n, long *to)
{
    test_spin((unsigned)n % 700);
    *to = n * n;
}
DF_TASK(void, add, df_pop(long, a, 1), df_pop(long, b, 1), df_push(long, to, 1));
void add(const long *a, const long *b, long *to) { *to = *a + *b; }
DF_TASK(void, keep, df_pop(long, a, 1), df_out(long, x, 1));
void keep(const long *a, long *x) { *x = *a; }
DF_TASK(void, use, df_in(long, x, 1), df_out(long, y, 1));
void use(const long *x, long *y) { *y = *x + 1; }
static df_stream *sum_of(long from, long to) /* the future of a sum of squares */
{
    df_stream *f = df_stream_new(sizeof(long), 1);
    CHECK(f != NULL);
    if (to - from == 1) df_submit(answer, from, f);
    else {
        df_stream *a = sum_of(from, (from + to) / 2), *b = sum_of((from + to) / 2, to);
        df_submit(add, a, b, f);
        df_stream_free(a), df_stream_free(b);
    }
    return f;
}
static void futures(void)
{
    long x[3] = { 0, 0, 0 }, y = 0;
    DF_PARALLEL {
        df_stream *f = df_stream_new(sizeof(long), 1), *g = df_stream_reader(f), *all = sum_of(0, 300);
        df_submit(keep, f, &x[0]);
        df_submit(use, &x[0], &y); /* ordered after it by memory, though it does not wait for a stream itself */
        df_submit(keep, g, &x[1]);
        df_submit(keep, all, &x[2]);
        df_submit(answer, 12, f);
        df_stream_free(f), df_stream_free(g), df_stream_free(all);
        df_wait_on(&y, sizeof y);
        CHECK(y == 145);
    }
    printf("futures %ld %ld %ld %ld\n", x[0], x[1], x[2], y);
}

int main(void)
{
    readers();
    leave();
    for (int late = 0; late < 2; late++) close_it(14, late), close_it(15, late), close_it(100, late);
    empty();
    futures();
}
