/* Pipelines with df_pipe. */
#include "pipes.h"
#define DF_IMPLEMENTATION
#include "../df.h"

DF_PIPE(three, uint64_t);
DF_PIPE(serial, uint64_t);
DF_PIPE(parallel, uint64_t);

int three(int stage, uint64_t *x, long i, void *n)
{
    switch (stage) {
    case 0:
        if (i == *(long *)n) return DF_PIPE_END;
        *x = begin_body(i);
        return df_continue(1);
    case 1:
        *x = middle_body(*x);
        return df_in_order(2);
    default:
        serial_body(1, *x);
        return DF_PIPE_DONE;
    }
}

int serial(int stage, uint64_t *x, long i, void *n)
{
    if (stage > 0) *x = serial_body(stage, *x);
    else if (i == *(long *)n) return DF_PIPE_END;
    else *x = begin_body(i);
    return stage < STAGES - 1 ? df_in_order(stage + 1) : DF_PIPE_DONE;
}

int parallel(int stage, uint64_t *x, long i, void *n)
{
    if (stage > STAGES) {
        serial_body(1, *x);
        return DF_PIPE_DONE;
    }
    if (stage > 0) *x = middle_body(*x);
    else if (i == *(long *)n) return DF_PIPE_END;
    else *x = begin_body(i);
    return stage < STAGES ? df_continue(stage + 1) : df_in_order(stage + 1);
}

static int run_start(void) { df_start(NULL); return df_workers(); }
static void run_stop(void) { df_stop(); }
static void run_three(long n) { df_pipe(three, &(df_pipe_opts){ .window = window }, &n); }
static void run_serial(long n) { df_pipe(serial, &(df_pipe_opts){ .window = window }, &n); }
static void run_parallel(long n) { df_pipe(parallel, &(df_pipe_opts){ .window = window }, &n); }
