/* steal.c - tiny tasks, 1 to 4 times as many workers as CPUs, yields at random places: `steal SECONDS` */
#define _DEFAULT_SOURCE
#define DF_IMPLEMENTATION
#include "df.h"
#include "stress.h"

enum { DEPTH = 9, CELLS = 40, TASKS = 400 };

static void maybe_yield(uint64_t x)
{
    if (x % 61 == 0) sched_yield();
    else if (x % 17 == 0) test_spin((unsigned)(x % 1000));
}

/* The combination of both halves; `plain` computes it without df. */
DF_TASK(uint64_t, tree, (uint64_t, x), (int, depth), (int, plain));
uint64_t tree(uint64_t x, int depth, int plain)
{
    uint64_t l = test_mix(x, 1), r = test_mix(x, 2);
    if (depth == 0) return x;
    if (plain) return test_mix(tree(l, depth - 1, 1), tree(r, depth - 1, 1));
    df_future(tree) a, b;
    df_spawn(tree, &a, l, depth - 1, 0);
    maybe_yield(x);
    df_spawn(tree, &b, r, depth - 1, 0);
    maybe_yield(l);
    if (x % 2) { /* in either order */
        l = df_sync(tree, &a);
        r = df_sync(tree, &b);
    } else {
        r = df_sync(tree, &b);
        maybe_yield(r);
        l = df_sync(tree, &a);
    }
    return test_mix(l, r);
}
DF_TASK(void, add, df_inout(uint64_t, to, 1), df_in(uint64_t, from, 1), (uint64_t, x));
void add(uint64_t *to, const uint64_t *from, uint64_t x)
{
    maybe_yield(x);
    *to = test_mix(*to, *from + x);
}

int main(int argc, char **argv)
{
    int cpus = stress_cpus(), workers = 0;
    stress_begin(argc, argv);
    while (stress_goes_on()) {
        df_config c = { .workers = workers = workers % (4 * cpus) + 1 };
        CHECK(df_start(&c) == DF_OK);
        double until = stress_now() + 0.1;
        for (uint64_t seed = 1; stress_now() < until; seed++) {
            uint64_t x[CELLS] = { 0 }, y[CELLS] = { 0 }, s = seed, t = seed;
            CHECK(tree(seed, DEPTH, 0) == tree(seed, DEPTH, 1));
            DF_PARALLEL {
                for (int i = 0; i < TASKS; i++) {
                    int a = test_below(&s, CELLS), b = test_below(&s, CELLS);
                    df_submit(add, &x[a], &x[b], s);
                }
            }
            for (int i = 0; i < TASKS; i++) {
                int a = test_below(&t, CELLS), b = test_below(&t, CELLS);
                y[a] = test_mix(y[a], y[b] + t);
            }
            for (int i = 0; i < CELLS; i++) CHECK(x[i] == y[i]);
        }
        df_stop();
    }
}
