/* small.c - one of two parts of a program, a and b, that embed df in builds of their own
 *
 * -DPART=a    the name of this part
 * -DFORKS     it only forks and joins, as a build with DF_MINIMAL can; otherwise it also submits 1000 tasks
 * -DMAIN=BA   and it has main, which runs part b first; MAIN=AB: part a first. Its argument: 1: both have one pool
 * Returns 0 or prints the mistake. */
#ifndef MAIN
#define MAIN AB
#define NO_MAIN
#endif
#ifdef PART
#define DF_IMPLEMENTATION
#include "../../df.h"
#endif

#include <stdio.h>
#include <stdlib.h>

#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define CHECK(c) do { if (!(c)) failed = 1, printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #c); } while (0)

int a_works(void);
int b_works(void);
const void *a_pool(void);
const void *b_pool(void);

#ifdef PART
#include "fib.h"

#ifndef FORKS
DF_STATIC_TASK(void, add, df_inout(int, sum, 1), df_inout(int, one, 1));
static void add(int *sum, int *one) { ++*one, ++*sum; }
#endif

const void *CAT(PART, _pool)(void) { return &dfi_nobody; }
int CAT(PART, _works)(void)
{
    int failed = 0;
    CHECK(fib(20) == 6765);
    CHECK(df_workers() == 3);
#ifndef FORKS
    {
        static int sum, times[1000];
        int i;
        sum = 0;
        for (i = 0; i < 1000; i++) times[i] = 0;
        for (i = 0; i < 1000; i++) df_submit(add, &sum, &times[i]);
        df_wait();
        CHECK(sum == 1000);
        for (i = 0; i < 1000; i++) CHECK(times[i] == 1);
    }
#endif
    return failed;
}
#endif

#ifndef NO_MAIN
enum { AB, BA };
int main(int argc, char **argv)
{
    int failed = 0;
    if (MAIN == BA) CHECK(!b_works());
    CHECK(!a_works());
    CHECK(!b_works());
    CHECK(!a_works());
    CHECK((a_pool() == b_pool()) == (argc > 1 && atoi(argv[1])));
    return failed;
}
#endif
