/* wake.c - bursts of work with idle gaps, so that workers go to sleep and are woken all the time: `wake SECONDS`
 *
 * A wake-up that is lost leaves work undone for ever: the alarm ends the test. */
#define _DEFAULT_SOURCE
#define DF_IMPLEMENTATION
#include "df.h"
#include "stress.h"

static void doze(uint64_t *seed) /* 0 to 200 us, sometimes asleep, sometimes computing */
{
    int us = test_below(seed, 200);
    switch (test_below(seed, 4)) {
    case 0: return;
    case 1: usleep((unsigned)us); return;
    case 2: test_spin((unsigned)us * 500); return;
    default: test_spin((unsigned)us * 20); return;
    }
}

DF_TASK(void, flow, df_inout(int, x, 1), (uint64_t, seed));
void flow(int *x, uint64_t seed)
{
    if (seed % 3 == 0) doze(&seed);
    ++*x;
}
DF_TASK(int, join, (uint64_t, seed), (int, depth));
int join(uint64_t seed, int depth)
{
    df_future(join) a;
    if (seed % 3 == 0) doze(&seed);
    if (depth == 0) return 1;
    df_spawn(join, &a, test_random(&seed), depth - 1);
    int n = join(test_random(&seed), depth - 1);
    return n + df_sync(join, &a);
}
DF_TASK(void, nested, df_inout(int, x, 4), (uint64_t, seed)); /* waits inside: a sleeper with a goal */
void nested(int *x, uint64_t seed)
{
    for (int i = 0; i < 4; i++) df_submit(flow, &x[i], test_random(&seed));
    df_wait_on(&x[1], sizeof x[1]);
    CHECK(x[1] % 2 == 1);
    if (seed % 2) df_wait();
    for (int i = 0; i < 4; i++) df_submit(flow, &x[i], test_random(&seed));
}

int main(int argc, char **argv)
{
    uint64_t seed = 1;
    int cpus = stress_cpus(), workers = 1;
    stress_begin(argc, argv);
    while (stress_goes_on()) {
        df_config c = { .workers = workers = workers % (4 * cpus) + 1 };
        CHECK(df_start(&c) == DF_OK);
        double until = stress_now() + 0.2;
        while (stress_now() < until) {
            int x[16] = { 0 }, n = 1 + test_below(&seed, 16);
            switch (test_below(&seed, 4)) {
            case 0:
                DF_PARALLEL {
                    for (int i = 0; i < n; i++) df_submit(flow, &x[i], test_random(&seed));
                }
                for (int i = 0; i < 16; i++) CHECK(x[i] == (i < n));
                break;
            case 1:
                for (int i = 0; i < n; i++) {
                    df_submit(flow, &x[0], test_random(&seed));
                    if (i % 4 == 3) doze(&seed);
                }
                df_wait_on(&x[0], sizeof x[0]);
                CHECK(x[0] == n);
                df_wait();
                break;
            case 2: CHECK(join(test_random(&seed), n % 6) == 1 << n % 6); break;
            default:
                DF_PARALLEL {
                    for (int i = 0; i < n; i++) df_submit(nested, &x[i % 4 * 4], test_random(&seed));
                }
                for (int i = 0; i < 4; i++) CHECK(x[4 * i] == 2 * (n / 4 + (i < n % 4)));
                break;
            }
            doze(&seed);
        }
        df_stop();
    }
}
