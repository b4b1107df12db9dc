/* scopes.c - scopes that open, wait and close all the time, inside each other, on all workers: `scopes SECONDS`
 *
 * What a scope promises is checked at its end: all below it is done, exactly once. */
#define _DEFAULT_SOURCE
#define DF_IMPLEMENTATION
#include "df.h"
#include "stress.h"

/* Adds to *count the number of calls below it that it will make. */
DF_TASK(void, any, (uint64_t, seed), (int, left), df_inout(int, count, 1));
DF_TASK(int, spawned, (uint64_t, seed), (int, left));

static int share(uint64_t *seed, int *left)
{
    int n = test_below(seed, *left);
    *left -= n + 1;
    return n;
}

int spawned(uint64_t seed, int left)
{
    int count = 0;
    DF_PARALLEL df_submit(any, seed, left, &count);
    CHECK(count == left + 1);
    return count;
}

void any(uint64_t seed, int left, int *count)
{
    int n = 1;
    if (seed % 31 == 0) sched_yield();
    while (left > 0) {
        int a = 0, b = 0, c, below;
        switch (test_below(&seed, 6)) {
        case 0: /* a block */
            c = left;
            DF_PARALLEL {
                while (left > 0 && test_below(&seed, 5)) {
                    below = share(&seed, &left);
                    df_submit(any, test_random(&seed), below, test_below(&seed, 2) ? &a : &b);
                }
                if (test_below(&seed, 3) == 0) break;
            }
            CHECK(a + b == c - left);
            n += a + b;
            break;
        case 1: { /* temporaries; the wait is for one of them */
            int *x = df_local(int, 40);
            CHECK(x && x[0] == 0 && x[39] == 0);
            c = below = share(&seed, &left);
            df_submit(any, test_random(&seed), below, &x[39]);
            df_wait_on(&x[39], sizeof *x);
            CHECK(x[39] == c + 1);
            n += x[39];
            break;
        }
        case 2: { /* a future */
            df_future(spawned) f;
            c = below = share(&seed, &left);
            df_spawn(spawned, &f, test_random(&seed), below);
            if (left > 0 && test_below(&seed, 2)) {
                below = share(&seed, &left);
                n += spawned(test_random(&seed), below);
            }
            below = df_sync(spawned, &f);
            CHECK(below == c + 1);
            n += below;
            break;
        }
        case 3: /* a wait */
            c = left;
            for (int k = 0; k < 4 && left > 0; k++) {
                below = share(&seed, &left);
                df_submit(any, test_random(&seed), below, k % 2 ? &a : &b);
            }
            df_wait();
            CHECK(a + b == c - left);
            n += a + b;
            break;
        case 4: /* two blocks, one in the other, left at once */
            c = left;
            DF_PARALLEL {
                below = share(&seed, &left);
                df_submit(any, test_random(&seed), below, &a);
                DF_PARALLEL {
                    if (left <= 0) goto out;
                    below = share(&seed, &left);
                    df_submit(any, test_random(&seed), below, &b);
                    if (seed % 2) goto out;
                }
            }
        out:
            CHECK(a + b == c - left);
            n += a + b;
            break;
        default: /* the rest is not waited for here: a wait for this task waits for it, too */
            *count += n;
            n = 0;
            df_submit(any, test_random(&seed), left - 1, count);
            return;
        }
    }
    *count += n;
}

int main(int argc, char **argv)
{
    uint64_t seed = 1;
    int cpus = stress_cpus(), workers = 0;
    stress_begin(argc, argv);
    while (stress_goes_on()) {
        df_config c = { .workers = workers = workers % (4 * cpus) + 1, .window = workers % 3 ? 0 : 2, .defer = 1 };
        CHECK(df_start(&c) == DF_OK);
        double until = stress_now() + 0.1;
        while (stress_now() < until) {
            int left = test_below(&seed, 500), count = 0, before;
            CHECK(spawned(test_random(&seed), left) == left + 1);
            before = left;
            df_submit(any, test_random(&seed), left, &count); /* in the scope of the thread */
            df_submit(any, test_random(&seed), left, &count);
            df_wait();
            CHECK(count == 2 * (before + 1));
        }
        df_stop();
    }
}
