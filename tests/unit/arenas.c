/* arenas.c - arenas: results of what runs in them, blocks that are left, nested blocks, misuse */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"
#include <string.h>

static df_arena one = DF_ARENA(1), several = DF_ARENA(3);
static df_token opened;

DF_TASK(long, fib, (int, n));
long fib(int n)
{
    df_future(fib) f;
    long x;
    if (n < 2) return n;
    df_spawn(fib, &f, n - 1);
    x = fib(n - 2);
    return x + df_sync(fib, &f);
}
DF_TASK(void, adds, (int, n), df_inout(long, x, 1));
void adds(int n, long *x) { *x += fib(n); }
DF_LOOP(squares, (long *, x));
void squares(long lo, long hi, long *x)
{
    for (; lo < hi; lo++) x[lo] = lo * lo;
}
DF_TASK(void, opens, (int, n));
void opens(int n)
{
    (void)n;
    df_signal(&opened);
}
/* its children, too, are in the arena; deeper than a worker counts arenas */
DF_TASK(void, nested, (int, depth), df_inout(long, x, 1));
void nested(int depth, long *x)
{
    df_submit(adds, 10, x);
    if (!depth) return;
    DF_PARALLEL_AT_MOST(1 + depth % 3) {
        df_submit(nested, depth - 1, x);
        df_submit(adds, 5, x);
    }
    DF_IN_ARENA(depth % 2 ? &one : &several) df_submit(adds, 6, x);
}

static void works(void)
{
    long x[100] = { 0 }, r = 0;
    df_future(fib) f;
    int i;
    DF_IN_ARENA(&several) {
        for (i = 0; i < 20; i++) df_submit(adds, i % 8, &x[i % 5]);
        df_wait();
        r = x[0] + x[4];
        df_for(squares, 10, 100, x);
        df_spawn(fib, &f, 12); /* synced after the block */
    }
    r += df_sync(fib, &f) + x[99];
    DF_IN_ARENA(&one) {
        df_submit(adds, 3, &r);
        break;
    }
    for (i = 0; i < 3; i++)
        DF_PARALLEL_AT_MOST(2) {
            if (i == 1) continue;
            df_submit(adds, 4, &r);
        }
    df_token_init(&opened, 1);
    DF_IN_ARENA(&one) DF_IN_ARENA(&one) {
        df_submit(opens, 1);
        df_wait_token(&opened);
    }
    DF_PARALLEL_AT_MOST(1) {
        df_submit(nested, 12, &x[1]);
        df_submit(nested, 7, &x[2]);
    }
    printf("works: %ld %ld %ld\n", r, x[1], x[2]);
}

static void hear(void *arg, int level, const char *text)
{
    (void)arg;
    text = strstr(text, ": ") + 2; /* after the line */
    printf("%d %s\n", level, text);
}
static void misuse(void)
{
    static df_arena a;
    df_config config = { .log = hear };
    long x = 0;
    df_stop();
    CHECK(df_start(&config) == DF_OK);
    df_arena_init(&a, 0);
    DF_IN_ARENA(&a) df_submit(adds, 1, &x);
    DF_PARALLEL_AT_MOST(-2) df_submit(adds, 1, &x);
    printf("ends: %ld %d %d %d\n", x, df_arena_destroy(&a), df_arena_destroy(&a), df_arena_destroy(&several));
}

int main(void)
{
    works();
    misuse();
    return 0;
}
