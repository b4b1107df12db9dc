/* loops.c - random nests of loops, wavefronts, pipes, tasks, spawned functions and blocks: `loops FIRST_SEED COUNT`
 * prints a hash per seed; the serial build is the oracle
 *
 * Options, shapes, vectors and costs are random. Iterations change their own elements, order matters, and accumulate in
 * any order; cells of a wavefront mix the values of those that their vectors name. */
#include <limits.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 60, CALLS = 2000, VECTORS = 3 };
typedef struct { uint64_t sum, xored, most; } totals;

static uint64_t nest(uint64_t seed, int calls);
DF_TASK(uint64_t, spawned, (uint64_t, seed), (int, calls));
uint64_t spawned(uint64_t seed, int calls) { return nest(seed, calls); }
DF_TASK(void, nest_to, (uint64_t, seed), (int, calls), df_inout(uint64_t, to, 1));
void nest_to(uint64_t seed, int calls, uint64_t *to) { *to = test_mix(*to, nest(seed, calls)); }
DF_TASK(void, set_all, df_out(uint64_t, x, n), (int, n), (uint64_t, seed));
void set_all(uint64_t *x, int n, uint64_t seed)
{
    for (int i = 0; i < n; i++) x[i] = test_mix(seed, (uint64_t)i);
}
DF_TASK(void, add_all, df_reduce(df_sum, uint64_t, x, n), (int, n), (uint64_t, seed));
void add_all(uint64_t *x, int n, uint64_t seed)
{
    for (int i = 0; i < n; i++) x[i] += test_mix(seed, (uint64_t)i);
}
static uint64_t hash(const uint64_t *x, int n)
{
    uint64_t h = 1;
    for (int i = 0; i < n; i++) h = test_mix(h, x[i]);
    return h;
}

/* What one iteration does: mostly little. */
static uint64_t iteration(uint64_t seed, uint64_t before, int calls)
{
    uint64_t h = test_mix(seed, before), s = h;
    int kind = test_below(&s, 12);
    if (kind == 0) test_spin((unsigned)test_below(&s, 4000));
    if (kind < 4 && calls > 0) h = test_mix(h, nest(s, calls));
    return h;
}

/* --- loops ------------------------------------------------------------------------------------------------- */

struct plan {
    uint64_t seed;
    int below;          /* calls of each iteration */
    long lo[4], step[4], n[4];
    int tasks;          /* iterations are done by tasks */
    df_vector v[VECTORS + 1];
};
static long number(const struct plan *p, int d, long x) { return (x - p->lo[d]) / p->step[d]; }

DF_TASK(void, iteration_to, (uint64_t, seed), (int, calls), df_inout(uint64_t, x, 1));
void iteration_to(uint64_t seed, int calls, uint64_t *x) { *x = iteration(seed, *x, calls); }

static void each(const struct plan *p, const long *from, const long *to, uint64_t *x, totals *t)
{
    for (long i = from[0]; i < to[0]; i++)
        for (long j = from[1]; j < to[1]; j++)
            for (long k = from[2]; k < to[2]; k++) {
                long at = (i * p->n[1] + j) * p->n[2] + k;
                uint64_t h = test_mix(p->seed, (uint64_t)at);
                if (t) { /* reduces as well */
                    t->sum += h, t->xored ^= h * 3;
                    if (h > t->most) t->most = h;
                }
                if (p->tasks && h % 3) df_submit(iteration_to, h, p->below, &x[at]);
                else x[at] = iteration(h, x[at], p->below);
            }
}
DF_LOOP(loop1, (const struct plan *, p), df_inout(uint64_t, x, N));
void loop1(long lo, long hi, const struct plan *p, uint64_t *x)
{
    const long from[3] = { number(p, 0, lo), 0, 0 }, to[3] = { number(p, 0, hi), 1, 1 };
    each(p, from, to, x, NULL);
}
DF_LOOP2(loop2, (const struct plan *, p), df_inout(uint64_t, x, N));
void loop2(long lo, long hi, long lo1, long hi1, const struct plan *p, uint64_t *x)
{
    const long from[3] = { number(p, 0, lo), number(p, 1, lo1), 0 }, to[3] = { number(p, 0, hi), number(p, 1, hi1), 1 };
    each(p, from, to, x, NULL);
}
DF_LOOP3(loop3, (const struct plan *, p), df_inout(uint64_t, x, N), df_reduce(df_sum, uint64_t, sum, 1),
         df_reduce(df_bxor, uint64_t, xored, 1), df_reduce(df_max, uint64_t, most, 1));
void loop3(long lo, long hi, long lo1, long hi1, long lo2, long hi2, const struct plan *p, uint64_t *x, uint64_t *sum,
           uint64_t *xored, uint64_t *most)
{
    const long from[3] = { number(p, 0, lo), number(p, 1, lo1), number(p, 2, lo2) };
    const long to[3] = { number(p, 0, hi), number(p, 1, hi1), number(p, 2, hi2) };
    totals t = { 0, 0, *most };
    each(p, from, to, x, &t);
    *sum += t.sum, *xored ^= t.xored, *most = t.most;
}

DF_LOOP4(loop4, (const struct plan *, p), df_inout(uint64_t, x, N), df_reduce(df_sum, uint64_t, sum, 1));
void loop4(long lo, long hi, long lo1, long hi1, long lo2, long hi2, long lo3, long hi3, const struct plan *p,
           uint64_t *x, uint64_t *sum)
{
    for (long l = number(p, 3, lo3); l < number(p, 3, hi3); l++) {
        const long from[3] = { number(p, 0, lo), number(p, 1, lo1), number(p, 2, lo2) };
        const long to[3] = { number(p, 0, hi), number(p, 1, hi1), number(p, 2, hi2) };
        struct plan q = *p; /* the last dimension is that of the others before */
        totals t = { 0, 0, 0 };
        q.seed += (uint64_t)l;
        each(&q, from, to, x + l * p->n[0] * p->n[1] * p->n[2], &t);
        *sum += t.sum;
    }
}
DF_LOOP_OVER(uint64_t, loop_over, (const struct plan *, p), (uint64_t *, first), df_inout(uint64_t, x, N),
             df_reduce(df_sum, uint64_t, sum, 1));
void loop_over(uint64_t *lo, uint64_t *hi, const struct plan *p, uint64_t *first, uint64_t *x, uint64_t *sum)
{
    for (uint64_t *y = lo; y != hi; y += p->step[0]) { /* with .exact */
        uint64_t h = test_mix(p->seed, (uint64_t)(y - first));
        CHECK(y >= x && y < x + N);
        *y = iteration(h, *y, p->below);
        *sum += h;
    }
}

static struct plan random_plan(uint64_t *seed, int dims, int *left, df_loop *o)
{
    struct plan p;
    long *const grain[4] = { &o->grain, &o->grain1, &o->grain2, &o->grain3 };
    long *const step[4] = { &o->step, &o->step1, &o->step2, &o->step3 };
    int all = 1, room = test_below(seed, 4) ? 12 : N, give = test_below(seed, 3) ? 0 : *left / 2;
    memset(o, 0, sizeof *o);
    memset(&p, 0, sizeof p);
    p.seed = test_random(seed);
    o->schedule = test_below(seed, 4);
    o->deterministic = test_below(seed, 4) == 0;
    for (int d = 0; d < 4; d++) {
        p.lo[d] = test_below(seed, 100) - 50, p.step[d] = 1, p.n[d] = 1;
        if (d >= dims) continue;
        p.n[d] = 1 + test_below(seed, room / all);
        all *= (int)p.n[d];
        if (test_below(seed, 3) == 0) p.step[d] = test_below(seed, 2) ? -1 - test_below(seed, 3) : 2;
        *step[d] = p.step[d] == 1 ? test_below(seed, 2) : p.step[d];
        if (test_below(seed, 3) == 0) *grain[d] = 1 + test_below(seed, test_below(seed, 9) ? 8 : 1000);
    }
    p.below = give / all;
    *left -= give + all / 4;
    return p;
}
#define RANGE(d) p.lo[d], p.lo[d] + p.n[d] * p.step[d]

static uint64_t some_loop(uint64_t *seed, int *left, uint64_t *x)
{
    df_loop o;
    int dims = 1 + test_below(seed, 5);
    struct plan p = random_plan(seed, dims > 4 ? 1 : dims, left, &o);
    totals t = { 1, 2, 3 };
    p.tasks = test_below(seed, 3) == 0;
    if (dims == 1) df_for_with(&o, loop1, RANGE(0), &p, x);
    else if (dims == 2) df_for2_with(&o, loop2, RANGE(0), RANGE(1), &p, x);
    else if (dims == 3) df_for3_with(&o, loop3, RANGE(0), RANGE(1), RANGE(2), &p, x, &t.sum, &t.xored, &t.most);
    else if (dims == 4) p.tasks = 0, df_for4_with(&o, loop4, RANGE(0), RANGE(1), RANGE(2), RANGE(3), &p, x, &t.sum);
    else {
        long way = (p.n[0] - 1) / (p.step[0] < 0 ? -p.step[0] : p.step[0]) * p.step[0]; /* to the last one */
        uint64_t *first = p.step[0] < 0 ? x + N - 1 : x;
        o.exact = 1;
        df_for_with(&o, loop_over, first, first + way + p.step[0], &p, first, x, &t.sum);
    }
    return test_mix(test_mix(t.sum, t.xored), t.most);
}

/* --- wavefronts --------------------------------------------------------------------------------------------- */

static void cells(const struct plan *p, const long *from, const long *to, uint64_t *x, uint64_t *sum)
{
    for (long i = from[0]; i < to[0]; i++)
        for (long j = from[1]; j < to[1]; j++)
            for (long k = from[2]; k < to[2]; k++) {
                long at = (i * p->n[1] + j) * p->n[2] + k;
                uint64_t h = x[at];
                for (const long *v = p->v[0]; v[0] || v[1] || v[2]; v += 3) {
                    long y[3] = { i - v[0], j - v[1], k - v[2] };
                    if (y[0] < 0 || y[1] < 0 || y[2] < 0 || y[1] >= p->n[1] || y[2] >= p->n[2]) continue;
                    h = test_mix(h, x[(y[0] * p->n[1] + y[1]) * p->n[2] + y[2]]);
                }
                x[at] = iteration(p->seed, h, p->below);
                *sum += x[at];
            }
}
DF_LOOP(wave1, (const struct plan *, p), df_inout(uint64_t, x, N), df_reduce(df_sum, uint64_t, sum, 1));
void wave1(long lo, long hi, const struct plan *p, uint64_t *x, uint64_t *sum)
{
    const long from[3] = { number(p, 0, lo), 0, 0 }, to[3] = { number(p, 0, hi), 1, 1 };
    cells(p, from, to, x, sum);
}
/* adds atomically: not in a tile's copy */
DF_LOOP2(wave2, (const struct plan *, p), df_inout(uint64_t, x, N), (uint64_t *, sum));
void wave2(long lo, long hi, long lo1, long hi1, const struct plan *p, uint64_t *x, uint64_t *sum)
{
    const long from[3] = { number(p, 0, lo), number(p, 1, lo1), 0 }, to[3] = { number(p, 0, hi), number(p, 1, hi1), 1 };
    uint64_t mine = 0;
    cells(p, from, to, x, &mine);
    __atomic_fetch_add(sum, mine, __ATOMIC_RELAXED);
}
DF_LOOP3(wave3, (const struct plan *, p), df_inout(uint64_t, x, N), df_reduce(df_sum, uint64_t, sum, 1));
void wave3(long lo, long hi, long lo1, long hi1, long lo2, long hi2, const struct plan *p, uint64_t *x, uint64_t *sum)
{
    const long from[3] = { number(p, 0, lo), number(p, 1, lo1), number(p, 2, lo2) };
    const long to[3] = { number(p, 0, hi), number(p, 1, hi1), number(p, 2, hi2) };
    cells(p, from, to, x, sum);
}
static uint64_t some_wavefront(uint64_t *seed, int *left, uint64_t *x)
{
    df_loop o;
    int dims = 1 + test_below(seed, 3), n = 1 + test_below(seed, VECTORS);
    struct plan p = random_plan(seed, dims, left, &o);
    uint64_t sum = 0;
    for (int i = 0; i < n; i++) {
        int first = test_below(seed, dims);
        for (int d = first; d < dims; d++)
            p.v[i][d] = d == first ? 1 + test_below(seed, 3) : test_below(seed, 3) ? test_below(seed, 3)
                : -test_below(seed, 4);
    }
    if (dims == 1) df_wavefront_with(&o, wave1, p.v, RANGE(0), &p, x, &sum);
    else if (dims == 2) df_wavefront_with(&o, wave2, p.v, RANGE(0), RANGE(1), &p, x, &sum);
    else df_wavefront_with(&o, wave3, p.v, RANGE(0), RANGE(1), RANGE(2), &p, x, &sum);
    return sum;
}

/* --- pipes ---------------------------------------------------------------------------------------------------- */

struct flow { uint64_t seed, log; int items, below; uint64_t *x; };
DF_PIPE(stages, uint64_t);
int stages(int stage, uint64_t *item, long i, void *ctx)
{
    struct flow *f = ctx;
    uint64_t h = test_mix(f->seed, (uint64_t)i);
    switch (stage) {
    case 0:
        if (i == f->items) return DF_PIPE_END;
        *item = f->x[i % N];
        return h % 3 ? df_continue(1) : df_in_order(1 + (int)(h % 2));
    case 1:
        *item = iteration(h, *item, f->below);
        return h % 4 ? df_in_order(2) : df_in_order(3);
    case 2:
        *item = iteration(h + 1, *item, 0);
        return df_in_order(3);
    default: /* all come here, in order */
        f->log = test_mix(f->log, *item);
        return DF_PIPE_DONE;
    }
}
static uint64_t some_pipe(uint64_t *seed, int *left, uint64_t *x)
{
    int give = test_below(seed, 3) ? 0 : *left / 3;
    struct flow f = { test_random(seed), 1, test_below(seed, 25), 0, x };
    df_pipe_opts o = { test_below(seed, 3) ? test_below(seed, 6) : 0 };
    f.below = give / (f.items + 1);
    *left -= give + f.items / 4 + 1;
    CHECK(df_pipe(stages, &o, &f) == f.items);
    return f.log;
}

/* --- all of it -------------------------------------------------------------------------------------------------- */

static uint64_t nest(uint64_t seed, int calls)
{
    uint64_t h = seed, x[N];
    int left = calls, pending = 0, below;
    df_future(spawned) f;
    for (int i = 0; i < N; i++) x[i] = test_mix(seed, (uint64_t)i);
    while (left > 0) {
        left--;
        switch (test_below(&seed, 10)) {
        case 0: case 1: case 2: h = test_mix(h, some_loop(&seed, &left, x)); break;
        case 3: case 4: h = test_mix(h, some_wavefront(&seed, &left, x)); break;
        case 5: h = test_mix(h, some_pipe(&seed, &left, x)); break;
        case 6: /* a spawn, with something in between */
            below = test_below(&seed, left / 2 + 1);
            left -= below;
            df_spawn(spawned, &f, test_random(&seed), below);
            h = test_mix(h, some_loop(&seed, &left, x));
            h = test_mix(h, df_sync(spawned, &f));
            break;
        case 7: /* tasks before and after a loop on the same elements, and beside it, in a block */
            DF_PARALLEL {
                uint64_t y[2] = { h, h };
                below = test_below(&seed, left / 3 + 1);
                left -= below;
                int n = test_below(&seed, N);
                df_submit(set_all, x, n, test_random(&seed));
                for (int k = test_below(&seed, 4); k > 0; k--) df_submit(add_all, x + N / 2, N / 2, test_random(&seed));
                df_submit(nest_to, test_random(&seed), below, &y[0]);
                h = test_mix(h, some_loop(&seed, &left, x));
                for (int k = test_below(&seed, 4); k > 0; k--) df_submit(add_all, x, N, test_random(&seed));
                df_submit(nest_to, test_random(&seed), 0, &y[1]);
                h = test_mix(h, some_wavefront(&seed, &left, x));
                df_wait();
                h = test_mix(h, hash(y, 2));
            }
            break;
        case 8: { /* a task of the enclosing scope: waited for before this function returns */
            uint64_t *to = &x[test_below(&seed, N)];
            below = test_below(&seed, left / 2 + 1);
            left -= below;
            df_submit(nest_to, test_random(&seed), below, to);
            pending = 1;
            break;
        }
        default:
            if (pending) df_wait();
            pending = 0;
            h = test_mix(h, hash(x, N));
            break;
        }
        if (pending) df_wait_on(x, sizeof x); /* what comes next changes x itself */
    }
    if (pending) df_wait();
    return test_mix(h, hash(x, N));
}

int main(int argc, char **argv)
{
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
        count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    for (unsigned long long n = first; n < first + count; n++)
        printf("%llu %016llx\n", n, (unsigned long long)nest(n, CALLS));
}
