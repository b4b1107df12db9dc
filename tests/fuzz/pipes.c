/* pipes.c - random pipes: `pipes FIRST_SEED COUNT` prints a hash per seed; the serial build is the oracle
 *
 * Where an item goes is decided by a hash of the seed, the item and the stage. Some stages are entered in order by all
 * items that enter them at all: they append to a log each, without a lock. All others are entered in any way, and look
 * only at the item. Some stages run tasks, loops or a pipe of their own; some pipes run in tasks, side by side. */
#include <limits.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { STAGES = 12, MOST = 200 };

struct pipe_of {
    uint64_t seed;
    long items, window;
    int depth, gaps, costs, skips;
    unsigned serial;               /* a bit for each stage that is entered in order only */
    int in_stage_0, left[MOST];
    uint64_t log[STAGES], sum;
};
typedef struct { uint64_t h; long i; int by_order; } item;

static uint64_t run(uint64_t seed, int depth);

DF_TASK(void, change, df_inout(uint64_t, x, 1), (uint64_t, k));
void change(uint64_t *x, uint64_t k)
{
    test_spin((unsigned)(k % 16 ? 0 : k >> 8 & 1023));
    *x = test_mix(*x, k);
}
DF_LOOP(accumulate, (uint64_t, seed), df_reduce(df_sum, uint64_t, x, 1));
void accumulate(long lo, long hi, uint64_t seed, uint64_t *x)
{
    for (long i = lo; i < hi; i++) *x += test_mix(seed, (uint64_t)i);
}

static void labour(const struct pipe_of *p, uint64_t h, item *x)
{
    switch (h % 16) {
    case 0:
        if (p->costs > 1) test_spin((unsigned)(h >> 32 & 8191));
        break;
    case 1: case 2: case 3: case 4: case 5:
        if (p->costs) test_spin((unsigned)(h >> 32 & 1023));
        break;
    case 6:
        if (p->depth > 2) break;
        for (int k = 0; k < 4; k++) df_submit(change, &x->h, h >> k);
        if (h >> 20 & 1) df_wait_on(&x->h, sizeof x->h);
        else df_wait();
        break;
    case 7:
        if (p->depth > 2) break;
        DF_PARALLEL {
            for (int k = 0; k < 4; k++) df_submit(change, &x->h, h >> k);
        }
        break;
    case 8:
        if (p->depth > 2) break;
        df_for_with(DF_LOOP_OPTS(.schedule = (int)(h >> 30 & 3), .grain = (long)(h >> 40 & 7)), accumulate, 0,
                    (long)(h >> 50 & 31), h, &x->h);
        break;
    case 9:
        if (p->depth < 2 && h >> 60 == 0) x->h = test_mix(x->h, run(h, p->depth + 1));
        break;
    default: break;
    }
}

static int note(const int *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }

DF_PIPE(walk, item);
int walk(int stage, item *x, long i, void *ctx)
{
    struct pipe_of *p = ctx;
    uint64_t h = test_mix(test_mix(p->seed, (uint64_t)i * 4 + 1), (uint64_t)stage);
    int to = stage + 1, next;
    if (stage == 0) {
        CHECK(__atomic_exchange_n(&p->in_stage_0, 1, __ATOMIC_RELAXED) == 0);
        if (i == p->items) {
            __atomic_store_n(&p->in_stage_0, 0, __ATOMIC_RELAXED);
            return DF_PIPE_END;
        }
        if (i >= p->window) CHECK(note(&p->left[i - p->window]) == INT_MAX);
        CHECK(i == 0 || (x->i < i && x->i >= 0));
        x->h = h, x->i = i, x->by_order = 1;
    }
    CHECK(x->i == i);
    for (long k = i - 1; x->by_order && k >= 0 && k > i - 9; k--) CHECK(note(&p->left[k]) > stage);
    labour(p, h, x);
    x->h = test_mix(x->h, h);
    if (p->serial >> stage & 1) p->log[stage] = test_mix(p->log[stage], x->h);
    h = test_mix(h, 5);
    if (stage && !(p->serial >> stage & 1) && h % 8 == 0 && (x->h & 3)) to = stage; /* once more */
    else if (p->gaps) to += (int)(h >> 8 & 3) % (p->gaps + 1);
    if (h % 32 == 1) to = STAGES;
    if (!p->skips) /* all items enter those stages */
        for (int s = stage + 1; s < to; s++)
            if (p->serial >> s & 1) to = s;
    if (to >= STAGES) {
        __atomic_fetch_add(&p->sum, x->h, __ATOMIC_RELAXED);
        next = DF_PIPE_DONE;
    } else {
        x->by_order = to > stage && (p->serial >> to & 1 || h >> 20 & 1);
        next = x->by_order ? df_in_order(to) : df_continue(to);
    }
    __atomic_store_n(&p->left[i], next < 0 ? INT_MAX : to, __ATOMIC_RELAXED);
    if (stage == 0) __atomic_store_n(&p->in_stage_0, 0, __ATOMIC_RELAXED);
    return next;
}
DF_TASK(void, run_to, (uint64_t, seed), (int, depth), df_out(uint64_t, to, 1));
void run_to(uint64_t seed, int depth, uint64_t *to) { *to = run(seed, depth); }

static uint64_t run(uint64_t seed, int depth)
{
    struct pipe_of p = { .depth = depth };
    df_pipe_opts o = { 0 };
    uint64_t h = 0, side[3] = { 0, 0, 0 };
    p.seed = test_random(&seed);
    p.items = depth ? test_below(&seed, 12) : test_below(&seed, MOST);
    o.window = test_below(&seed, 4) ? test_below(&seed, 9) : test_below(&seed, 300);
    p.window = o.window ? o.window : 4 * df_workers();
    o.workers = test_below(&seed, 2) ? 0 : 1 + (int)test_below(&seed, 5);
    p.skips = test_below(&seed, 3) != 0;
    p.gaps = test_below(&seed, 4), p.costs = test_below(&seed, 3);
    p.serial = (unsigned)test_random(&seed) & (test_below(&seed, 2) ? (unsigned)test_random(&seed) : ~0u);
    if (depth == 0 && test_below(&seed, 4) == 0)
        DF_PARALLEL { /* others at the same time */
            for (int k = 0; k < 3; k++) df_submit(run_to, test_random(&seed), 1, &side[k]);
            CHECK(df_pipe(walk, &o, &p) == p.items);
        }
    else CHECK(df_pipe(walk, &o, &p) == p.items);
    for (int k = 0; k < STAGES; k++) h = test_mix(h, p.log[k]);
    for (int k = 0; k < 3; k++) h = test_mix(h, side[k]);
    for (long i = 0; i < p.items; i++) CHECK(p.left[i] == INT_MAX);
    return test_mix(h, p.sum);
}

int main(int argc, char **argv)
{
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
        count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    for (unsigned long long n = first; n < first + count; n++)
        printf("%llu %016llx\n", n, (unsigned long long)run(n, 0));
}
