/* pipes.c - pipes of random windows, lengths and costs at once: in the main thread, in tasks, in loops, in stages of
 * each other and in several threads of the program, with 1 to 4 workers per CPU: `pipes SECONDS` */
#define _DEFAULT_SOURCE
#include <limits.h>
#include <pthread.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "stress.h"

enum { THREADS = 3, MOST = 600, LAST = 6 };

struct pipe_of {
    uint64_t seed;
    long items, window, end;        /* end: the item whose stage 2 ends the pipe, or -1 */
    int depth, fails, in_stage_0;
    unsigned slow;
    int left[MOST];                 /* the lowest stage the item may still enter; INT_MAX: it is finished */
    long next_of[LAST + 1];         /* of the stages that all items enter in order */
};
typedef struct { long i; int by_order, again; } item;

static long run(uint64_t seed, int depth);
static int note(const int *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }

DF_TASK(void, count_to, df_inout(long, x, 1), (long, k));
void count_to(long *x, long k)
{
    test_spin((unsigned)k * 10);
    *x = *x * 2 + k;
}
DF_TASK(void, run_to, (uint64_t, seed), (int, depth), df_inout(long, x, 1));
void run_to(uint64_t seed, int depth, long *x) { *x += run(seed, depth); }
DF_LOOP(runs, (uint64_t, seed), (int, depth), df_reduce(df_sum, long, x, 1));
void runs(long lo, long hi, uint64_t seed, int depth, long *x)
{
    for (long i = lo; i < hi; i++) *x += run(test_mix(seed, (uint64_t)i), depth) >= 0;
}

static void labour(const struct pipe_of *p, uint64_t h)
{
    long x = 1, n = 0;
    if (h % 101 == 0) sched_yield();
    if (h % 8 == 0) test_spin((unsigned)(h >> 8) % (p->slow + 1));
    switch (h >> 16 & 127) {
    case 0:
        DF_PARALLEL {
            for (long k = 1; k < 5; k++) df_submit(count_to, &x, k);
        }
        CHECK(x == 42 || df_cancelled());
        break;
    case 1:
        for (long k = 1; k < 5; k++) df_submit(count_to, &x, k);
        df_wait();
        CHECK(x == 42 || df_cancelled());
        break;
    case 2:
        if (p->depth) run(h, p->depth - 1);
        break;
    case 3:
        if (!p->depth) break;
        df_for_with(DF_LOOP_OPTS(.schedule = (int)(h >> 30 & 3)), runs, 0, 3, h, p->depth - 1, &n);
        CHECK(n == 3 || df_cancelled());
        break;
    default: break;
    }
}

/* Stages 0, 3 and LAST are those of all items, the latter two in order. */
DF_PIPE(walk, item);
int walk(int stage, item *x, long i, void *ctx)
{
    struct pipe_of *p = ctx;
    uint64_t h = test_mix(test_mix(p->seed, (uint64_t)i), (uint64_t)stage);
    int next, to;
    CHECK(i < MOST && stage <= LAST);
    if (stage == 0) {
        CHECK(__atomic_exchange_n(&p->in_stage_0, 1, __ATOMIC_RELAXED) == 0);
        CHECK(p->next_of[0]++ == i);
        if (i >= p->window) CHECK(note(&p->left[i - p->window]) == INT_MAX || df_cancelled());
        if (i == p->items) {
            __atomic_store_n(&p->in_stage_0, 0, __ATOMIC_RELAXED);
            return DF_PIPE_END;
        }
        x->i = i, x->by_order = 1, x->again = 0;
    }
    CHECK(x->i == i);
    if (!df_cancelled())
        for (long k = i - 1; x->by_order && k >= 0 && k > i - 9; k--) CHECK(note(&p->left[k]) > stage);
    if ((stage == 3 || stage == LAST) && !df_cancelled()) CHECK(p->next_of[stage]++ == i); /* plain: in order */
    labour(p, h);
    to = stage + 1 + (int)(h >> 40 & 1);
    if (stage && h % 6 == 0 && stage != 3 && stage != LAST && x->again < 5) to = stage;
    x->again = to == stage ? x->again + 1 : 0;
    if (stage < 3 && to > 3) to = 3;
    if (to > LAST) to = LAST;
    x->by_order = to == 3 || to == LAST || (to != stage && h >> 50 & 1);
    next = x->by_order ? df_in_order(to) : df_continue(to);
    if (stage == LAST) next = DF_PIPE_DONE, to = INT_MAX;
    if (stage == 4 && i == p->end && p->fails) h & 1 ? df_fail(34, "as intended") : df_cancel();
    __atomic_store_n(&p->left[i], to, __ATOMIC_RELAXED);
    if (stage == 0) __atomic_store_n(&p->in_stage_0, 0, __ATOMIC_RELAXED);
    return next;
}

/* The number of items, which is checked. */
static long run(uint64_t seed, int depth)
{
    struct pipe_of p = { .seed = test_random(&seed), .depth = depth };
    df_pipe_opts o = { test_below(&seed, 3) ? test_below(&seed, 10) : test_below(&seed, 200) };
    long n;
    p.items = test_below(&seed, depth > 1 && test_below(&seed, 2) ? MOST : 30);
    p.window = o.window ? o.window : 4 * df_workers();
    p.end = -1;
    p.slow = test_below(&seed, 3) ? 100 : 20000;
    if (depth && test_below(&seed, 8) == 0) p.fails = 1, p.end = test_below(&seed, 30);
    if (p.fails) {
        DF_PARALLEL {
            n = df_pipe(walk, &o, &p);
            CHECK(n >= 0 && n <= p.items);
            df_wait_result();
        }
        return n;
    }
    n = df_pipe(walk, &o, &p);
    if (df_cancelled()) return n; /* a stage of a pipe that fails */
    CHECK(n == p.items && p.next_of[LAST] == n);
    for (long i = 0; i < n; i++) CHECK(p.left[i] == INT_MAX);
    return n;
}
static void anything(uint64_t seed)
{
    long x[3] = { 0, 0, 0 };
    switch (test_below(&seed, 6)) {
    case 0:
        DF_PARALLEL {
            for (int k = 0; k < 9; k++) df_submit(run_to, test_random(&seed), 1, &x[k % 3]);
            if (seed & 1) run(seed, 2);
        }
        break;
    case 1: df_for_with(DF_LOOP_OPTS(.schedule = DF_DYNAMIC), runs, 0, 5, seed, 1, x); CHECK(x[0] == 5); break;
    default: run(test_random(&seed), 2); break;
    }
}

static int stop;
static void *thread(void *p)
{
    uint64_t seed = *(const uint64_t *)p;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) anything(test_random(&seed));
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t seed = 1, seeds[THREADS];
    int cpus = stress_cpus(), round = 0;
    stress_begin(argc, argv);
    while (stress_goes_on()) {
        pthread_t t[THREADS];
        df_config c = { .workers = 1 + round * 5 % (4 * cpus) };
        int threads = round++ % (THREADS + 1);
        double until = stress_now() + 0.2;
        CHECK(df_start(&c) == DF_OK);
        stop = 0;
        for (int i = 0; i < threads; i++) {
            seeds[i] = test_random(&seed);
            CHECK(!pthread_create(&t[i], NULL, thread, &seeds[i]));
        }
        while (stress_now() < until) anything(test_random(&seed));
        __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
        for (int i = 0; i < threads; i++) CHECK(!pthread_join(t[i], NULL));
        CHECK(df_wait_result() == DF_OK);
        df_stop();
    }
}
