/* Repetitions of one construct, for bench/costs.sh, which counts its instructions:  costs_df CONSTRUCT REPETITIONS */
#define DF_IMPLEMENTATION
#include "../df.h"
#include "../df_stm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long cell[3];
static df_stream *stream;

DF_TASK(long, fib, (long, n));
DF_TASK(void, none, (long, i));
DF_TASK(void, one, df_inout(long, p, 1));
DF_TASK(void, two, df_in(long, p, 1), df_inout(long, q, 1));
DF_TASK(void, source, df_push(long, out, 1));
DF_TASK(void, sink, df_pop(long, in, 1));
DF_LOOP(each, (long, n));

long fib(long n)
{
    df_future(fib) a;
    long b;
    if (n < 2) return n;
    df_spawn(fib, &a, n - 1);
    b = fib(n - 2);
    return df_sync(fib, &a) + b;
}
void none(long i) { (void)i; }
void one(long *p) { ++*p; }
void two(const long *p, long *q) { *q += *p; }
void source(long *out) { *out = 1; }
void sink(const long *in) { cell[0] += *in; }
void each(long lo, long hi, long n) { (void)lo, (void)hi, (void)n; }

static void two_called(void *arg, void *const *p) { (void)arg, two((const long *)p[0], (long *)p[1]); }
static void call_two(void)
{
    df_region r[2] = { df_region_of(&cell[0], 1), df_region_of(&cell[1], 1) };
    r[1].mode = DF_INOUT;
    df_call(NULL, two_called, NULL, 0, r, 2);
}

static void nested(void)
{
    DF_ATOMIC_CLOSED {
        df_tm_write(&cell[1], df_tm_read(&cell[1]) + 1);
    }
}

int main(int argc, char **argv)
{
    static const char *const construct[] = { "fib", "parallel", "submit0", "submit1", "submit2", "call2", "for", "stream",
                                             "atomic0", "atomic1", "nested" };
    enum { FIB, PARALLEL, SUBMIT0, SUBMIT1, SUBMIT2, CALL2, FOR, STREAM, ATOMIC0, ATOMIC1, NESTED };
    const int n_constructs = (int)(sizeof construct / sizeof *construct);
    long i, n = argc > 2 ? atol(argv[2]) : 1000;
    int what = 0;
    while (what < n_constructs && argc > 1 && strcmp(argv[1], construct[what]) != 0) what++;
    df_start(NULL);
    if (what == STREAM) stream = df_stream_new(sizeof(long), 16); /* while there is one, tasks are recorded */
    for (i = 0; i < n; i++)
        switch (what) {
        case FIB: fib(12); break;
        case PARALLEL: DF_PARALLEL df_submit(none, i); break;
        case SUBMIT0: df_submit(none, i); break;
        case SUBMIT1: df_submit(one, &cell[0]); break;
        case SUBMIT2: df_submit(two, &cell[0], &cell[1]); break;
        case CALL2: call_two(); break;
        case FOR: df_for(each, 0, 1000, 1000); break;
        case STREAM:
            df_submit(source, stream);
            df_submit(sink, stream);
            break;
        case ATOMIC0:
            DF_ATOMIC {
            }
            break;
        case ATOMIC1:
            DF_ATOMIC {
                df_tm_write(&cell[0], df_tm_read(&cell[0]) + 1);
            }
            break;
        case NESTED:
            DF_ATOMIC {
                df_tm_write(&cell[0], df_tm_read(&cell[0]) + 1);
                nested();
            }
            break;
        default: return 2;
        }
    df_wait();
    if (stream) df_stream_free(stream);
    printf("%ld\n", cell[0]);
    return 0;
}
