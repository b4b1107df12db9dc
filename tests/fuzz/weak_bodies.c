/* weak_bodies.c - random programs in bodies of tasks with weak accesses: `weak_bodies FIRST_SEED COUNT` prints, per seed,
 * a hash of the memory
 *
 * A body works on parts of the region that its task declares, which earlier tasks may still use: it submits tasks, also
 * weak ones, up to DEPTH deep; runs loops and pipes, which declare their part, or whose chunks and stages submit tasks;
 * waits for a part by df_wait_on; spawns a function that does the same with one half of it; and connects tasks by
 * streams and nodes. Before an operation that declares no memory, the body waits for its children. Seeds differ in
 * df_config.defer and in the size of the deque, and in whether another such program runs in a task at the same time. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SPAN = 48, DEPTH = 3, TASKS = 20, OPERATIONS = 4 };
typedef uint32_t cell;
static cell memory[SPAN], other[SPAN], numbers[SPAN] = { 1, 2, 3 };
static cell total; /* commutes */
static int few;    /* only tasks, weak tasks and waits for a part: many waits are nested in each other */

static void add_to_total(cell x) { __atomic_fetch_add(&total, x, __ATOMIC_RELAXED); }
static cell sum_of(const cell *p, int n)
{
    cell s = 1;
    for (int i = 0; i < n; i++) s = s * 31 + p[i];
    return s;
}
static void change(cell *p, int n, cell k)
{
    if (k % 4 == 0) test_spin(k % 2000);
    for (int i = 0; i < n; i++) p[i] = p[i] * 3 + k;
}

DF_TASK(void, changes, df_inout(cell, p, n), (int, n), (cell, k));
void changes(cell *p, int n, cell k) { change(p, n, k); }
DF_TASK(void, writes, df_in(cell, from, n), df_out(cell, p, 1), (int, n));
void writes(const cell *from, cell *p, int n) { *p = sum_of(from, n); }
DF_TASK(void, commutes, df_commute(cell, p, n), (int, n), (cell, k));
void commutes(cell *p, int n, cell k)
{
    for (int i = 0; i < n; i++) p[i] += k;
}
DF_TASK(void, sums, df_reduce(df_sum, cell, p, n), (int, n), (cell, k));
void sums(cell *p, int n, cell k) { commutes(p, n, k); }

DF_TASK(void, weak, df_weak_inout(cell, p, n), (int, n), (uint64_t, seed), (int, depth));
DF_TASK(void, weak_in, df_weak_in(cell, p, n), (int, n), (int, how));
DF_TASK(void, half_weak, df_weak_inout(cell, p, n), df_inout(cell, q, 1), (int, n), (uint64_t, seed), (int, depth));
DF_TASK(cell, summed, (const cell *, p), (int, n));
DF_TASK(int, spawned, (cell *, p), (int, n), (uint64_t, seed), (int, depth));

/* --- loops, pipes ------------------------------------------------------------------------------------------------- */

DF_LOOP(loop, df_inout(cell, p, n), (int, n), (cell, k));
void loop(long lo, long hi, cell *p, int n, cell k)
{
    (void)n;
    for (; lo < hi; lo++) change(p + lo, 1, k);
}
DF_LOOP(blocks, df_inout(cell, p, n), (int, n), (cell, k));
void blocks(long lo, long hi, cell *p, int n, cell k)
{
    (void)n;
    for (; lo < hi; lo++) {
        DF_PARALLEL { df_submit(changes, p + lo, 1, k); }
    }
}
DF_LOOP(submits, (cell *, p), (cell, k)); /* comes after nothing: each of its tasks does */
void submits(long lo, long hi, cell *p, cell k)
{
    for (; lo < hi; lo++) {
        df_submit(changes, p + lo, 1, k);
        if (lo % 3 == 0) df_wait();
    }
}
DF_LOOP(reads, df_in(cell, p, n), (int, n), df_reduce(df_sum, cell, s, 1));
void reads(long lo, long hi, const cell *p, int n, cell *s)
{
    (void)n;
    for (; lo < hi; lo++) *s += p[lo] * (cell)(2 * lo + 1);
}

struct part { cell *p; int n; cell k; };
DF_PIPE(pipe3, int);
int pipe3(int stage, int *item, long i, void *arg)
{
    const struct part *a = arg;
    (void)item;
    if (stage == 0) return i == a->n ? DF_PIPE_END : df_continue(1);
    if (stage == 2) {
        change(a->p + i, 1, a->k); /* the pipe begins after what the task of this body follows */
        return DF_PIPE_DONE;
    }
    df_submit(changes, a->p + i, 1, a->k);
    if (i % 2) df_submit(commutes, a->p + i, 1, a->k);
    df_wait();
    return i % 5 ? df_in_order(2) : DF_PIPE_DONE;
}

/* --- streams, nodes ----------------------------------------------------------------------------------------------- */

DF_TASK(void, pushes, df_in(cell, p, n), (int, n), df_push(cell, x, 2));
void pushes(const cell *p, int n, cell *x) { x[0] = sum_of(p, n), x[1] = p[0]; }
DF_TASK(void, pops, df_pop(cell, x, 2), df_inout(cell, p, n), (int, n));
void pops(const cell *x, cell *p, int n) { change(p, n, x[0] ^ x[1]); }
DF_TASK(void, joins, (cell, a), (cell, b));
void joins(cell a, cell b) { add_to_total(a * 7 + b); }
DF_TASK(void, gives, df_in(cell, p, n), (int, n), (df_output(cell) *, to));
void gives(const cell *p, int n, df_output(cell) *to) { df_give(to, sum_of(p, n)); }

/* --- bodies ------------------------------------------------------------------------------------------------------- */

static void operation(uint64_t *seed, int depth, cell *p, int n)
{
    const int m = 1 + test_below(seed, n), at = test_below(seed, n - m + 1), o = test_below(seed, n);
    const cell k = (cell)test_below(seed, 1000);
    const uint64_t next = test_random(seed);
    struct part a = { p + at, m, k };
    df_node(joins) *node;
    df_stream *s;
    cell sum = 0;
    static const int each[] = { 0, 0, 9, 14 };
    switch (few ? each[test_below(seed, depth > 0 ? 4 : 2)] : test_below(seed, depth > 0 ? 18 : 14)) {
    case 0: df_submit(changes, p + at, m, k); break;
    case 1: df_submit(writes, p + at, p + o, m); break;
    case 2: df_submit(commutes, p + at, m, k); break;
    case 3: df_submit(sums, p + at, m, k); break;
    case 4: df_for(loop, 0, m, p + at, m, k); break;
    case 5: df_for_with(DF_LOOP_OPTS(.schedule = DF_DYNAMIC, .grain = 1), blocks, 0, m, p + at, m, k); break;
    case 6: df_wait(); df_for_with(DF_LOOP_OPTS(.schedule = DF_DYNAMIC, .grain = 1), submits, 0, m, p + at, k); break;
    case 7: df_for(reads, 0, m, p + at, m, &sum); add_to_total(sum * k); break;
    case 8: df_wait(); df_pipe(pipe3, DF_PIPE_OPTS(.window = 1 + (long)k % 4), &a); break;
    case 9: df_wait_on(p + at, (size_t)m * sizeof *p); add_to_total(sum_of(p + at, m) * k); break;
    case 10:
        s = df_stream_new(sizeof(cell), 8);
        df_submit(pushes, p + at, m, s);
        df_submit(pops, s, p + o, 1);
        df_stream_free(s);
        break;
    case 11:
        node = df_node_new(joins);
        df_submit(gives, p + at, m, df_node_output(joins, node, a));
        df_submit(gives, p + o, 1, df_node_output(joins, node, b));
        break;
    case 12: df_submit(weak_in, p + at, m, (int)k); break;
    case 13: df_wait(); break;
    case 14: case 15: df_submit(weak, p + at, m, next, depth - 1); break;
    case 16:
        if (m > 1) df_submit(half_weak, p + at + 1, p + at, m - 1, next, depth - 1);
        break;
    default:
        df_wait();
        spawned(p + at, m, next, depth - 1);
    }
}
static void operations(uint64_t seed, int depth, cell *p, int n)
{
    for (int i = 0; i < OPERATIONS; i++) operation(&seed, depth, p, n);
}
void weak(cell *p, int n, uint64_t seed, int depth) { operations(seed, depth, p, n); }
void half_weak(cell *p, cell *q, int n, uint64_t seed, int depth)
{
    change(q, 1, (cell)seed);
    operations(seed, depth, p, n);
}
cell summed(const cell *p, int n)
{
    cell sum = 0;
    df_for(reads, 0, n, p, n, &sum);
    return sum;
}
void weak_in(const cell *p, int n, int how)
{
    cell sum = 0;
    df_future(summed) f;
    switch (how % 3) {
    case 0: df_wait_on(p, (size_t)n * sizeof *p); sum = sum_of(p, n); break;
    case 1: df_for(reads, 0, n, p, n, &sum); break;
    default:
        df_spawn(summed, &f, p, n);
        test_spin(2000);
        sum = df_sync(summed, &f);
    }
    add_to_total(sum * (cell)how);
}
int spawned(cell *p, int n, uint64_t seed, int depth)
{
    df_future(spawned) f;
    if (n < 2) {
        df_submit(changes, p, n, (cell)seed);
        df_wait();
        return 1;
    }
    df_spawn(spawned, &f, p, n / 2, seed + 1, depth - 1 < 0 ? 0 : depth - 1);
    operations(seed, depth, p + n / 2, n - n / 2);
    df_wait();
    df_sync(spawned, &f);
    return 1;
}
DF_TASK(void, program, (cell *, p), (uint64_t, seed));
void program(cell *p, uint64_t seed)
{
    DF_PARALLEL for (int i = 0; i < TASKS; i++) {
        int at = test_below(&seed, SPAN), n = 1 + test_below(&seed, SPAN - at);
        if (few) df_submit(weak, p + at, n, test_random(&seed), DEPTH);
        else operation(&seed, DEPTH, p, SPAN);
    }
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? (uint64_t)atoll(argv[1]) : 1, count = argc > 2 ? (uint64_t)atoll(argv[2]) : 20;
    for (uint64_t seed = first; seed < first + count; seed++) {
        uint64_t s = seed * 1000003, hash = seed;
        df_future(summed) f;
        df_stop();
        CHECK(df_start(DF_CONFIG(.defer = seed % 2, .deque = seed % 3 ? 0 : 4)) == DF_OK);
        total = 0, few = seed % 4 == 3;
        for (int i = 0; i < SPAN; i++) memory[i] = other[i] = (cell)(i * i);
        if (seed % 4 > 1) df_submit(program, other, s + 1); /* beside the block, which is not inside of it */
        if (seed % 4 > 1) program(memory, s + 2);
        df_spawn(summed, &f, numbers, SPAN); /* it stays below the tasks */
        for (int i = 0; i < TASKS; i++) operation(&s, DEPTH, memory, SPAN);
        df_wait();
        add_to_total(df_sync(summed, &f));
        for (int i = 0; i < SPAN; i++) hash = test_mix(test_mix(hash, memory[i]), other[i]);
        printf("%d %016llx\n", (int)seed, (unsigned long long)test_mix(hash, total));
    }
    return 0;
}
