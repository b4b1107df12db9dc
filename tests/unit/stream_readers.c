/* stream_readers.c - streams whose element type the compiler knows, with several readers, which begin at different
 * places; and the error of a window that a stream cannot have */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

typedef struct { double x; short kind; } sample;

DF_TASK(void, measure, (int, from), (int, n), df_push(sample, to, n));
void measure(int from, int n, sample *to)
{
    for (int i = 0; i < n; i++) to[i].x = (from + i) / 4.0, to[i].kind = (short)((from + i) % 3);
}
DF_TASK(void, mean, df_peek(sample, in, 3, 1), df_push(double, out, 1));
void mean(const sample *in, double *out) { *out = (in[0].x + in[1].x + in[2].x) / 3; }
DF_TASK(void, sum, df_pop(double, in, n), (int, n), df_inout(double, total, 1));
void sum(const double *in, int n, double *total)
{
    for (int i = 0; i < n; i++) *total = *total / 2 + in[i];
}
DF_TASK(void, count, df_pop(sample, in, n), (int, n), df_inout(long, kinds, 3));
void count(const sample *in, int n, long *kinds)
{
    for (int i = 0; i < n && i < (int)df_stream_count(in); i++) {
        long *k = &kinds[in[i].kind];
        *k = 3 * *k % 1000003 + (long)(4 * in[i].x);
    }
}

/* The first reader sees all, the second one what is pushed after it was made, the third one the rest. */
static void readers(int capacity)
{
    df_stream_of(sample) *all = df_stream_new_of(sample, (size_t)capacity), *late, *last;
    df_stream_of(double) *means = df_stream_new_of(double, 5), *again = df_stream_reader_of(double, means);
    double total = 0, other = 0;
    long kinds[3] = { 0 }, few[3] = { 0 };
    CHECK(all && means && again);
    DF_PARALLEL {
        df_submit(measure, 0, 4, all);
        late = df_stream_reader_of(sample, all);
        CHECK(late);
        for (int i = 1; i < 20; i++) {
            df_submit(measure, 4 * i, 4, all);
            for (int k = 0; k < 4; k++) df_submit(mean, late, means);
            df_submit(sum, means, 4, &total);
            df_submit(sum, again, 1, &other);
            df_submit(sum, again, 3, &other);
            df_submit(count, all, 4, kinds);
        }
        last = df_stream_reader_of(sample, late); /* of the same stream */
        df_submit(measure, 1000, 2, all);
        df_stream_close(all);
        df_submit(count, all, 6, kinds);
        df_submit(count, last, 4, few); /* two are there */
        df_stream_free(late), df_stream_free(again);
    }
    printf("%d: means %.4f %.4f, kinds %ld %ld %ld, %ld %ld %ld\n", capacity, total, other, kinds[0], kinds[1],
           kinds[2], few[0], few[1], few[2]);
    df_stream_free(all), df_stream_free(last), df_stream_free(means);
}

static void hear(void *arg, int level, const char *text)
{
    (void)arg;
    if (level != 1 || !strstr(text, "a window of 5 elements")) fprintf(stderr, "%s\n", text);
}

/* A window larger than the stream: the task is skipped, others are not, and the next wait is as usual. */
static void too_large(void)
{
    df_stream_of(double) *s = df_stream_new_of(double, 4);
    df_stream_of(sample) *t = df_stream_new_of(sample, 4);
    double total = 1;
    long kinds[3] = { 5, 6, 7 };
    df_result r;
    df_submit(sum, s, 5, &total);
    df_submit(measure, 3, 2, t);
    df_submit(count, t, 2, kinds);
    r = df_wait_result();
    CHECK(r == DF_ERROR_STREAM);
    printf("too large: %d, %.1f, %ld %ld %ld\n", (int)r, total, kinds[0], kinds[1], kinds[2]);
    df_submit(measure, 9, 2, t);
    df_submit(count, t, 2, kinds);
    r = df_wait_result();
    printf("afterwards: %d, %ld %ld %ld\n", (int)r, kinds[0], kinds[1], kinds[2]);
    df_stream_free(s), df_stream_free(t);
}

int main(void)
{
    CHECK(df_start(DF_CONFIG(.log = hear)) == DF_OK);
    readers(6), readers(7), readers(100);
    too_large();
    return 0;
}
