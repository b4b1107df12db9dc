/* flow_fib.c - recursive submission: no task ever waits, temporaries live as long as the subtree */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

DF_TASK(void, add, df_in(long, a, 1), df_in(long, b, 1), df_out(long, r, 1));
void add(const long *a, const long *b, long *r) { *r = *a + *b; }

DF_TASK(void, fib, (int, n), df_out(long, r, 1));
void fib(int n, long *r)
{
    if (n < 2) {
        *r = n;
        return;
    }
    long *x = df_local(long, 2);
    CHECK(x != NULL && x[0] == 0 && x[1] == 0);
    df_submit(fib, n - 1, &x[0]);
    df_submit(fib, n - 2, &x[1]);
    df_submit(add, &x[0], &x[1], r);
}

int main(void)
{
    long r[19], after = 0;
    DF_PARALLEL {
        for (int n = 0; n <= 18; n++) df_submit(fib, n, &r[n]);
        df_submit(add, &r[17], &r[18], &after);
    }
    for (int n = 0; n <= 18; n++) printf("fib(%d) = %ld\n", n, r[n]);
    printf("after %ld\n", after);
    df_submit(fib, 15, &after); /* the thread itself is a scope too */
    df_wait();
    printf("without a block %ld\n", after);
}
