/* Streams with df. */
#include "streams.h"
#define DF_IMPLEMENTATION
#include "../df.h"

DF_TASK(void, put, (long, i), (int, burst), df_push(uint64_t, to, burst));
DF_TASK(void, take, (long, i), (int, burst), df_pop(uint64_t, from, burst));
DF_TASK(void, source, (long, n), (const int *, from), df_push(int, to, n));
DF_TASK(void, filter, (int, b), df_peek(int, from, BLOCK + PAST, BLOCK), df_push(int64_t, to, BLOCK));
DF_TASK(void, sum, df_popv(int64_t, band, BLOCK, BANDS), (int64_t *, to));

void put(long i, int burst, uint64_t *to) { (void)burst; put_body(i, to); }
void take(long i, int burst, const uint64_t *from) { (void)burst; take_body(i, from); }
void source(long n, const int *from, int *to) { source_body(n, from, to); }
void filter(int b, const int *from, int64_t *to) { filter_body(b, from, to); }
void sum(const int64_t *const *band, int64_t *to) { sum_body(band, to); }

static int run_start(void) { df_start(NULL); return df_workers(); }
static void run_stop(void) { df_stop(); }

static void run_windows(long n, int burst)
{
    df_stream *s = df_stream_new(sizeof(uint64_t), (size_t)CAPACITY * (size_t)burst);
    DF_PARALLEL {
        for (long i = 0; i < n; i++) {
            df_submit(put, i, burst, s);
            df_submit(take, i, burst, s);
        }
    }
    df_stream_free(s);
}

static void run_bank(long blocks)
{
    df_stream *samples[BANDS], *band[BANDS];
    for (int b = 0; b < BANDS; b++) {
        samples[b] = b ? df_stream_reader(samples[0]) : df_stream_new(sizeof(int), PAST + BLOCKS * BLOCK);
        band[b] = df_stream_new(sizeof(int64_t), BLOCKS * BLOCK);
    }
    DF_PARALLEL {
        df_submit(source, PAST, input, samples[0]);
        for (long k = 0; k < blocks; k++) {
            df_submit(source, BLOCK, input + PAST + k * BLOCK, samples[0]);
            for (int b = 0; b < BANDS; b++) df_submit(filter, b, samples[b], band[b]);
            df_submit(sum, band, output + k * BLOCK);
        }
    }
    for (int b = BANDS - 1; b >= 0; b--) {
        df_stream_free(band[b]);
        df_stream_free(samples[b]);
    }
}
