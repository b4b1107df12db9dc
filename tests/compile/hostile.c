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

#if defined(__cplusplus) && !STM
#undef reduce /* names of df.hpp */
#undef in
#undef out
#undef inout
#undef commute
#undef concurrent
#undef value  /* of the C++ library */
#include "../../df.hpp"
static long n_squares;
long squares(const long *x, int n)
{
    auto one = df::spawn([=] { return x[0]; });
    df::for_each(0, n, [](long) {});
    df::submit([](const long *y, long &z) { z = *y; }, df::in(x, n), df::inout(n_squares));
    df::async([] { return 1; }).get();
    df::for_each(x, x + n, [](const long &) {});
    df::for_each_range(0, n, [](long, long) {});
    return df::reduce(0, n, 0L, [=](long i) { return x[i] * x[i]; }) + one.sync();
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
