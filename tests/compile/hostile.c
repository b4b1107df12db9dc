/* The headers where a program has macros of its own, also for everyday words. */
#define HOSTILE_WORDS
#include "hostile.h"
#include "headers.h"
#include "use.h"

#if STM != 1 && STM != 9
DF_TASK(int, f, (int, n), df_in(int, p, n), df_out2(float, q, n, n, n), df_reduce(df_sum, long, r, 1));
DF_STATIC_TASK(void, g, df_in_range(short, b, e));

static void g(const short *b, const short *e) { (void)b, (void)e; }
int h(int *p, float *q, long *r)
{
    df_future(f) a;
    df_spawn(f, &a, 1, p, q, r);
    DF_PARALLEL {
        short *s = df_local(short, 3);
        df_submit(g, s, s + 3);
    }
    df_wait();
    return df_sync(f, &a);
}
#endif

#if STM
long k(int *p, float *q, long **r)
{
    DF_ATOMIC {
        DF_ATOMIC_CLOSED df_tm_write(q, df_tm_read(q) + 1);
        df_tm_write(p, 1);
        if (!df_tm_read(r)) df_retry();
        if (df_tm_read(df_tm_read(r)) < 0) df_abort();
    } DF_OR_ELSE {
        df_irrevocable();
        df_tm_copy(r, p, sizeof *r);
    }
    return df_atomically(df_tm_free, NULL);
}
#endif
