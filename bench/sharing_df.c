/* Data shared by tasks, with df. The other way, "df-rename", gives df memory for renaming: a task that overwrites
 * the buffer need not wait for those that still read its old content. */
#define OTHER_WAY "-rename"
#include "sharing.h"
#define DF_IMPLEMENTATION
#include "../df.h"

DF_TASK(void, add, df_reduce(df_sum, uint64_t, x, 1), (long, i));
DF_TASK(void, count, (const unsigned short *, p), df_reduce(df_sum, unsigned, bins, BINS));
DF_TASK(void, update, df_commute(uint64_t, x, 1), (long, i));
DF_TASK(void, write_cell, df_inout(uint64_t, x, 1));
DF_TASK(void, read_cell, df_in(uint64_t, x, 1), (uint64_t *, s));
DF_TASK(void, write_buffer, df_out(uint64_t, b, BUFFER), (long, round));
DF_TASK(void, read_buffer, df_in(uint64_t, b, BUFFER), (uint64_t *, s));

void add(uint64_t *x, long i) { *x += (uint64_t)i; }
void count(const unsigned short *p, unsigned *bins) { count_body(p, bins); }
void update(uint64_t *x, long i) { *x += (uint64_t)i; }
void write_cell(uint64_t *x) { write_cell_body(x); }
void read_cell(const uint64_t *x, uint64_t *s) { read_cell_body(x, s); }
void write_buffer(uint64_t *b, long round) { write_buffer_body(b, round); }
void read_buffer(const uint64_t *b, uint64_t *s) { read_buffer_body(b, s); }

static int run_start(void)
{
    df_start(&(df_config){ .rename_bytes = way ? 64 << 20 : 0 });
    return df_workers();
}
static void run_stop(void) { df_stop(); }

static int run_reduce(long n)
{
    if (way) return 0;
    DF_PARALLEL {
        for (long i = 0; i < n; i++) df_submit(add, &total, i);
    }
    return 1;
}

static int run_histogram(long n)
{
    if (way) return 0;
    DF_PARALLEL {
        for (long i = 0; i < n; i++) df_submit(count, items(i), bin);
    }
    return 1;
}

static int run_commute(long n)
{
    if (way) return 0;
    DF_PARALLEL {
        for (long i = 0; i < n; i++) df_submit(update, counter_of(i), i);
    }
    return 1;
}

static int run_fan(long rounds)
{
    if (way) return 0;
    DF_PARALLEL {
        for (long k = 0; k < rounds; k++) {
            df_submit(write_cell, &cell);
            for (int i = 0; i < READERS; i++) df_submit(read_cell, &cell, &seen[i]);
        }
    }
    return 1;
}

static int run_pingpong(long rounds)
{
    DF_PARALLEL {
        for (long k = 0; k < rounds; k++) {
            df_submit(write_buffer, buffer, k);
            for (int i = 0; i < BUFFER_READERS; i++) df_submit(read_buffer, buffer, &sum[k * BUFFER_READERS + i]);
        }
    }
    return 1;
}
