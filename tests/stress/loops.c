/* loops.c - loops, wavefronts and reductions of random sizes at once: in the main thread, in tasks, in spawned
 * functions and in several threads of the program, with 1 to 4 workers per CPU: `loops SECONDS` */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "stress.h"

enum { THREADS = 3, MOST = 4000, SIDE = 40 };

static void pause_for(uint64_t h)
{
    if (h % 97 == 0) sched_yield();
    if (h % 5 == 0) test_spin((unsigned)(h >> 8 & 1023));
}

/* --- what is run, each with a check ---------------------------------------------------------------- */

DF_LOOP(once, (unsigned char *, x), (uint64_t, seed), df_reduce(df_sum, long, n, 1));
void once(long lo, long hi, unsigned char *x, uint64_t seed, long *n)
{
    for (long i = lo; i < hi; i++) {
        x[i]++; /* plain: no other task has it */
        pause_for(test_mix(seed, (uint64_t)i));
    }
    *n += hi - lo;
}
static df_loop random_options(uint64_t *seed)
{
    df_loop o = { .schedule = test_below(seed, 4), .deterministic = test_below(seed, 4) == 0 };
    if (test_below(seed, 2)) o.grain = 1 + test_below(seed, 50);
    if (test_below(seed, 3) == 0) o.grain1 = 1 + test_below(seed, 9);
    return o;
}
static void a_loop(uint64_t seed)
{
    unsigned char x[MOST] = { 0 };
    long n = test_below(&seed, test_below(&seed, 3) ? 100 : MOST), sum = 3;
    df_loop o = random_options(&seed);
    df_for_with(&o, once, 0, n, x, seed, &sum);
    CHECK(sum == n + 3);
    for (long i = 0; i < MOST; i++) CHECK(x[i] == (i < n));
}

DF_LOOP2(sweep, (uint64_t *, x), (uint64_t, seed));
void sweep(long lo, long hi, long lo1, long hi1, uint64_t *x, uint64_t seed)
{
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++) {
            uint64_t h = i ? x[(i - 1) * SIDE + j] : 1;
            if (j) h = test_mix(h, x[i * SIDE + j - 1]);
            if (i && j < SIDE - 1) h = test_mix(h, x[(i - 1) * SIDE + j + 1]);
            x[i * SIDE + j] = test_mix(h, (uint64_t)(i * SIDE + j));
            pause_for(test_mix(seed, h));
        }
}
static uint64_t swept(void) /* the answer */
{
    uint64_t x[SIDE * SIDE];
    sweep(0, SIDE, 0, SIDE, x, 1);
    return x[SIDE * SIDE - 1];
}
static uint64_t answer;
static void a_wavefront(uint64_t seed)
{
    uint64_t x[SIDE * SIDE];
    df_loop o = random_options(&seed);
    o.deterministic = 0;
    if (test_below(&seed, 4) == 0)
        df_wavefront(sweep, DF_VECTORS({ 1, 0 }, { 0, 1 }, { 1, -1 }), 0, SIDE, 0, SIDE, x, seed);
    else df_wavefront_with(&o, sweep, DF_VECTORS({ 0, 1 }, { 1, -1 }), 0, SIDE, 0, SIDE, x, seed);
    CHECK(x[SIDE * SIDE - 1] == answer);
}

static void anything(uint64_t seed, int depth);
DF_TASK(void, anything_as_task, (uint64_t, seed), (int, depth), df_inout(int, x, 1));
void anything_as_task(uint64_t seed, int depth, int *x)
{
    anything(seed, depth);
    ++*x;
}
DF_TASK(int, anything_spawned, (uint64_t, seed), (int, depth));
int anything_spawned(uint64_t seed, int depth)
{
    anything(seed, depth);
    return 1;
}
DF_LOOP(anything_in_loop, (uint64_t, seed), (int, depth), (int *, count));
void anything_in_loop(long lo, long hi, uint64_t seed, int depth, int *count)
{
    int x[2] = { 0, 0 }, mine = 0; /* done by tasks, and here */
    for (long i = lo; i < hi; i++) {
        uint64_t h = test_mix(seed, (uint64_t)i);
        if (h % 3) anything(h, depth), mine++;
        else df_submit(anything_as_task, h, depth, &x[h % 2]);
        if (h % 7 == 0) df_wait();
        else if (h % 7 == 1) df_wait_on(x, sizeof x);
    }
    df_wait();
    __atomic_fetch_add(count, x[0] + x[1] + mine, __ATOMIC_RELAXED);
}
DF_LOOP(fails, (uint64_t, seed));
void fails(long lo, long hi, uint64_t seed)
{
    for (long i = lo; i < hi; i++) {
        pause_for(test_mix(seed, (uint64_t)i));
        if (i == (long)(seed % 40)) df_fail(33, "as intended");
        if (df_cancelled()) return;
    }
}
static void anything(uint64_t seed, int depth)
{
    int x[4] = { 0 }, count = 0, n;
    df_future(anything_spawned) f[3];
    df_loop o;
    switch (test_below(&seed, depth ? 8 : 3)) {
    case 0: case 1: a_loop(seed); break;
    case 2: a_wavefront(seed); break;
    case 3: case 4:
        n = test_below(&seed, 12);
        o = random_options(&seed);
        df_for_with(&o, anything_in_loop, 0, n, seed, depth - 1, &count);
        CHECK(count == n);
        break;
    case 5:
        for (int i = 0; i < 3; i++) df_spawn(anything_spawned, &f[i], test_random(&seed), depth - 1);
        a_loop(test_random(&seed));
        for (int i = 2; i >= 0; i--) CHECK(df_sync(anything_spawned, &f[i]) == 1);
        break;
    case 6:
        DF_PARALLEL {
            for (int i = 0; i < 8; i++) df_submit(anything_as_task, test_random(&seed), depth - 1, &x[i % 4]);
            a_wavefront(test_random(&seed));
            for (int i = 0; i < 8; i++) df_submit(anything_as_task, test_random(&seed), 0, &x[i % 4]);
        }
        for (int i = 0; i < 4; i++) CHECK(x[i] == 4);
        break;
    default:
        DF_PARALLEL {
            df_for_with(DF_LOOP_OPTS(.schedule = (int)(seed & 3)), fails, 0, 50, seed);
            CHECK(df_wait_result() == (df_result)33);
        }
        break;
    }
}

static int stop;
static void *thread(void *p)
{
    uint64_t seed = *(const uint64_t *)p;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) anything(test_random(&seed), 2);
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t seed = 1, seeds[THREADS];
    int cpus = stress_cpus(), round = 0;
    stress_begin(argc, argv);
    answer = swept();
    while (stress_goes_on()) {
        pthread_t t[THREADS];
        df_config c = { .workers = 1 + round * 5 % (4 * cpus), .window = round % 3 ? 0 : 3,
                        .deterministic = round % 5 == 4 };
        int threads = round++ % (THREADS + 1);
        double until = stress_now() + 0.2;
        CHECK(df_start(&c) == DF_OK);
        stop = 0;
        for (int i = 0; i < threads; i++) {
            seeds[i] = test_random(&seed);
            CHECK(!pthread_create(&t[i], NULL, thread, &seeds[i]));
        }
        while (stress_now() < until) anything(test_random(&seed), 3);
        __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
        for (int i = 0; i < threads; i++) CHECK(!pthread_join(t[i], NULL));
        CHECK(df_wait_result() == DF_OK);
        df_stop();
    }
}
