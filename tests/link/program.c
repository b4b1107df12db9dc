/* program.c - a program of one or two files; -DDF_IMPLEMENTATION: with df in this one
 *
 * Returns 0 when tasks of this file and, with -DTWO_FILES, of part.c worked, in one order and one pool; with
 * -DSTM_PART when they excluded each other by blocks of stm_part.c. */
#include "../../df.h"
#include "part.h"
#ifdef STM_PART
#include "stm_part.h"
static long account[2];
DF_STATIC_TASK(void, move, (long, n));
static void move(long n)
{
    for (; n > 0; n--) part_move(&account[0], &account[1], 1);
}
#endif

DF_TASK(long, sum, (long, from), (long, to));
DF_TASK(void, append, df_inout(int, x, 1), (int, digit));

long sum(long from, long to)
{
    long low;
    df_future(sum) f;
    if (to - from < 10) {
        long s = 0;
        while (from < to) s += from++;
        return s;
    }
    df_spawn(sum, &f, from, (from + to) / 2);
    low = sum((from + to) / 2, to);
    return df_sync(sum, &f) + low;
}
void append(int *x, int digit) { *x = 10 * *x + digit; }

int main(void)
{
    int x = 0;
    if (sum(0, 1000) != 499500) return 1;
    DF_PARALLEL {
        df_submit(append, &x, 1);
#ifdef TWO_FILES
        part_append(&x, 2);
#else
        df_submit(append, &x, 2);
#endif
        df_submit(append, &x, 3);
    }
    if (x != 123) return 2;
#ifdef TWO_FILES
    if (part_fib(20) != 6765) return 3;
    if (part_workers() != df_workers()) return 4;
#endif
#ifdef STM_PART
    DF_PARALLEL {
        for (x = 0; x < 8; x++) df_submit(move, 1000);
    }
    if (account[0] != -8000 || account[1] != 8000 || part_commits() != 8000) return 5;
#endif
    return 0;
}
