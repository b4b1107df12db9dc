/* trees.c - random trees of tasks without accesses: `trees FIRST_SEED COUNT` prints a hash per seed; the serial build is
 * the oracle
 *
 * Most tasks only submit tasks and wait for them, so that these are lazy (flow/lazy.h). In between, some do what a lazy
 * task cannot: they submit tasks with accesses or options, spawn, open blocks, take memory of their scope, fail, or end
 * without a wait. Trees differ in how often. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SLOTS = 6, CALLS = 3000, CODE = 7 };

static uint64_t left_behind; /* of tasks that nobody waits for: a sum */

/* `calls`: how many calls there may be below this one; plain: percentage of steps that only submit or wait. */
DF_TASK(void, tree, (uint64_t, seed), (int, calls), (int, plain), (uint64_t *, to));
DF_TASK(void, behind, (uint64_t, seed), (int, calls), (int, plain));
DF_TASK(uint64_t, called, (uint64_t, seed), (int, calls), (int, plain));
DF_TASK(void, add, (uint64_t, x), df_inout(uint64_t, to, 1));
DF_TASK(void, through, (uint64_t, seed), (int, calls), (int, plain), df_inout(uint64_t, to, 1));
DF_TASK(void, fails, (int, code));
DF_TASK(void, tries, (int, code), (uint64_t *, to));

void add(uint64_t x, uint64_t *to) { *to = test_mix(*to, x); }
void through(uint64_t seed, int calls, int plain, uint64_t *to)
{
    uint64_t h;
    df_submit(tree, seed, calls, plain, &h);
    df_wait();
    *to = test_mix(*to, h);
}
void fails(int code) { df_fail(code, "as it should"); }
void tries(int code, uint64_t *to)
{
    df_submit(fails, code);
    *to = (uint64_t)df_wait_result();
    CHECK(*to == (uint64_t)code);
}
uint64_t called(uint64_t seed, int calls, int plain)
{
    uint64_t h;
    tree(seed, calls, plain, &h);
    return h;
}
void behind(uint64_t seed, int calls, int plain)
{
    uint64_t h = 0;
    if (calls > 1) df_submit(behind, test_random(&seed), calls / 2, plain);
    if (calls > 3) tree(test_random(&seed), calls / 4, plain, &h);
    if (calls > 2) df_submit(behind, test_random(&seed), calls / 4, plain);
    __atomic_fetch_add(&left_behind, test_mix(seed, h), __ATOMIC_RELAXED);
}

static int share(uint64_t *seed, int *left)
{
    int n = *left > 0 ? test_below(seed, *left / 2 + 1) : 0;
    *left -= n + 1;
    return n;
}

/* A step that needs more than lazy tasks. */
static uint64_t special(uint64_t *seed, int *left, int plain)
{
    uint64_t x[2] = { 1, 2 }, h, y, *mine;
    df_future(called) f;
    int below = share(seed, left);
    uint64_t s = test_random(seed);
    switch (test_below(seed, 9)) {
    case 0:
        df_submit(behind, s, below, plain);
        return 0;
    case 1:
        df_spawn(called, &f, s, below, plain);
        if (s % 2) df_submit(tree, s, 0, plain, &x[1]);
        h = df_sync(called, &f);
        df_wait();
        return test_mix(h, x[1]);
    case 2:
        for (int i = 0; i < 3; i++) df_submit(add, s + (unsigned)i, &x[i % 2]);
        df_submit(through, s, below, plain, &x[0]);
        df_submit(tree, s, 0, plain, &y);
        df_wait_on(&x[1], sizeof x[1]);
        h = x[1];
        df_wait();
        return test_mix(x[0], test_mix(h, y));
    case 3:
        DF_PARALLEL {
            df_submit(tree, s, below, plain, &x[0]);
            df_submit(tree, s + 1, 0, plain, &x[1]);
        }
        return test_mix(x[0], x[1]);
    case 4:
        mine = df_local(uint64_t, 4);
        if (!mine) return 0;
        df_submit(tree, s, below, plain, &mine[2]);
        df_wait();
        return mine[2];
    case 5:
        df_submit(tries, CODE, &x[0]);
        df_submit(tree, s, below, plain, &x[1]);
        df_wait();
        return test_mix(x[0], x[1]);
    case 6:
        df_submit_with(DF_OPTS(.priority = (int)(s % 3)), tree, s, below, plain, &x[0]);
        df_submit(tree, s + 2, 0, plain, &x[1]);
        df_wait();
        return test_mix(x[0], x[1]);
    case 7:
        df_submit(tree, s, below, plain, &x[0]);
        CHECK(df_wait_result() == DF_OK && !df_cancelled());
        return x[0];
    default:
        df_submit(tree, s, below, plain, &x[0]);
        while (df_wait_for(100) != DF_OK) continue;
        return x[0];
    }
}

void tree(uint64_t seed, int calls, int plain, uint64_t *to)
{
    uint64_t h = seed, x[SLOTS];
    int n = 0, left = calls;
    if (test_below(&seed, 64) == 0) test_spin((unsigned)test_below(&seed, 3000));
    while (left > 0) {
        if (test_below(&seed, 100) >= plain) {
            uint64_t y = special(&seed, &left, plain);
            h = test_mix(h, y);
        } else if (n < SLOTS && test_below(&seed, 4)) {
            int below = share(&seed, &left);
            df_submit(tree, test_random(&seed), below, plain, &x[n++]);
        } else if (test_below(&seed, 8) == 0) {
            int below = share(&seed, &left);
            h = test_mix(h, called(test_random(&seed), below, plain));
        } else {
            df_wait();
            while (n > 0) h = test_mix(h, x[--n]);
        }
    }
    df_wait();
    while (n > 0) h = test_mix(h, x[--n]);
    *to = h;
}

int main(int argc, char **argv)
{
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
        count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    for (unsigned long long n = first; n < first + count; n++) {
        uint64_t h = 0;
        static const int plain[] = { 100, 99, 95, 80, 50 };
        left_behind = 0;
        df_submit(tree, n, CALLS, plain[n % 5], &h);
        df_wait();
        printf("%llu %016llx %016llx\n", n, (unsigned long long)h, (unsigned long long)left_behind);
    }
}
