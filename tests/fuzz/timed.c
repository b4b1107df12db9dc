/* timed.c - random programs with waits whose time is over now and then: `timed FIRST_SEED COUNT` prints, per seed, a
 * hash of the memory
 *
 * Tasks update, add to, or commute on cells, submit children, and wait for them, some by df_wait_for. Between the
 * submissions, the code of a scope calls df_wait_for with no or little time, and goes on whatever the result: the scope
 * has then children that ended while it was closed, and gets further ones. Some tasks are held by a token that opens
 * later. The order of updates shows in the hash, and whether a wait ended too early. Seeds differ in the window. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { CELLS = 6, ROUNDS = 6, TASKS = 60, DEEP = 3 };
typedef uint64_t cell;

DF_STATIC_TASK(void, update, df_inout(cell, c, 1), (uint64_t, by), (unsigned, slow));
static void update(cell *c, uint64_t by, unsigned slow)
{
    test_spin(slow);
    *c = test_mix(*c, by);
}
DF_STATIC_TASK(void, mix_in, df_in(cell, a, 1), df_inout(cell, b, 1));
static void mix_in(const cell *a, cell *b) { *b = test_mix(*b, *a); }
DF_STATIC_TASK(void, add, df_reduce(df_sum, cell, c, 1), (uint64_t, k));
static void add(cell *c, uint64_t k) { *c += k; }
DF_STATIC_TASK(void, exchange, df_commute(cell, c, 1), (uint64_t, k));
static void exchange(cell *c, uint64_t k) { *c += k; }
DF_STATIC_TASK(void, family, df_inout(cell, c, CELLS), (uint64_t, seed), (int, depth));

static void submits(cell *c, uint64_t seed, int depth, int tasks)
{
    df_token open = DF_TOKEN(1);
    int held = 0, i, k;
    for (i = 0; i < tasks; i++) {
        uint64_t r = test_random(&seed);
        cell *a = &c[test_below(&seed, CELLS)], *b = &c[test_below(&seed, CELLS)];
        switch (test_below(&seed, 9)) {
        case 0: df_submit(add, a, r); break;
        case 1: df_submit(exchange, a, r); break;
        case 2:
            if (a != b) df_submit(mix_in, a, b);
            break;
        case 3:
            if (depth) df_submit(family, c, r, depth - 1);
            break;
        case 4:
            held++;
            df_submit_with(DF_OPTS(.after = DF_TOKENS(&open)), update, a, r, 0);
            break;
        case 5: /* whatever the result */
            if (df_wait_for(test_below(&seed, 4) / 3) == DF_OK) CHECK(!held);
            break;
        default: df_submit(update, a, r, test_below(&seed, 4) ? 0 : 20000); break;
        }
    }
    df_signal(&open);
    k = test_below(&seed, 4);
    if (k == 0) df_wait();
    else if (k == 1) CHECK(df_wait_for(100000) == DF_OK);
    else
        while (df_wait_for(k == 2) == DF_ERROR_TIMEOUT) continue;
}
static void family(cell *c, uint64_t seed, int depth)
{
    int tasks = test_below(&seed, 12);
    submits(c, seed, depth, tasks);
}

static void begins(uint64_t *seed) { (void)seed; }
static void ends(void) {}

#include "rounds.h"
