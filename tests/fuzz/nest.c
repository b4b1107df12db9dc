/* nest.c - random fork-join trees: `nest FIRST_SEED COUNT` prints a hash per seed; the serial build is the
 * oracle
 *
 * Every function spawns and syncs in random order, calls itself, submits tasks with and without a block,
 * leaves blocks early, waits, and mixes what it gets, order matters. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { FUTURES = 5, CELLS = 4, CALLS = 1500 };

/* `calls`: how many calls there may be below this one. */
DF_TASK(uint64_t, tree, (uint64_t, seed), (int, calls));
DF_TASK(void, tree_to, (uint64_t, seed), (int, calls), df_inout(uint64_t, to, 1));
void tree_to(uint64_t seed, int calls, uint64_t *to) { *to = test_mix(*to, tree(seed, calls)); }
DF_TASK(void, join_to, df_in(uint64_t, all, CELLS), df_inout(uint64_t, to, 1));
void join_to(const uint64_t *all, uint64_t *to)
{
    for (int i = 0; i < CELLS; i++) *to = test_mix(*to, all[i]);
}

static int share(uint64_t *seed, int *left)
{
    int n = *left > 0 ? test_below(seed, *left / 2 + 1) : 0;
    *left -= n + 1;
    return n;
}

/* Some tasks on x[0 .. CELLS), without waiting for them. */
static void submit_some(uint64_t *seed, int *left, uint64_t *x)
{
    for (int n = 1 + test_below(seed, 4); n > 0; n--) {
        int below = share(seed, left), to = test_below(seed, CELLS);
        df_submit(tree_to, test_random(seed), below, &x[to]);
        if (test_below(seed, 3) == 0) df_submit(join_to, x, &x[test_below(seed, CELLS)]);
    }
}

uint64_t tree(uint64_t seed, int calls)
{
    uint64_t h = seed, x[CELLS] = { 1, 2, 3, 4 };
    df_future(tree) f[FUTURES];
    int spawned[FUTURES] = { 0 }, waiting = 0, left = calls;
    if (test_below(&seed, 16) == 0) test_spin((unsigned)test_below(&seed, 3000));
    while (left > 0) {
        int i = test_below(&seed, FUTURES), below;
        switch (test_below(&seed, 10)) {
        case 0: case 1: case 2: case 3: /* spawn or sync, whatever this future is for now */
        case 4:
            if (spawned[i]) h = test_mix(h, df_sync(tree, &f[i]));
            else {
                below = share(&seed, &left);
                df_spawn(tree, &f[i], test_random(&seed), below);
            }
            spawned[i] = !spawned[i];
            break;
        case 5:
            below = share(&seed, &left);
            h = test_mix(h, tree(test_random(&seed), below));
            break;
        case 6: case 7: { /* a block, perhaps left early, perhaps with a wait, spawns, or a block inside */
            uint64_t y[CELLS] = { h };
            DF_PARALLEL {
                submit_some(&seed, &left, y);
                if (test_below(&seed, 4) == 0) break;
                if (spawned[i] && test_below(&seed, 2)) {
                    h = test_mix(h, df_sync(tree, &f[i]));
                    spawned[i] = 0;
                }
                if (test_below(&seed, 4) == 0) {
                    uint64_t z[CELLS] = { h };
                    DF_PARALLEL submit_some(&seed, &left, z);
                    h = test_mix(h, z[0] ^ z[3]);
                }
                if (test_below(&seed, 3) == 0) {
                    df_wait_on(&y[1], sizeof y[1]);
                    h = test_mix(h, y[1]);
                }
                if (test_below(&seed, 3) == 0) {
                    df_wait();
                    for (int k = 0; k < CELLS; k++) h = test_mix(h, y[k]);
                }
                submit_some(&seed, &left, y);
            }
            for (int k = 0; k < CELLS; k++) h = test_mix(h, y[k]);
            break;
        }
        case 8: /* tasks of the enclosing scope: waited for before this function returns */
            submit_some(&seed, &left, x);
            waiting = 1;
            break;
        default:
            if (waiting) df_wait();
            waiting = 0;
            for (int k = 0; k < CELLS; k++) h = test_mix(h, x[k]);
            break;
        }
    }
    for (int n = test_below(&seed, FUTURES), i = 0; i < FUTURES; i++, n = (n + 1) % FUTURES)
        if (spawned[n]) h = test_mix(h, df_sync(tree, &f[n]));
    if (waiting) df_wait();
    for (int k = 0; k < CELLS; k++) h = test_mix(h, x[k]);
    return h;
}

int main(int argc, char **argv)
{
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
        count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    for (unsigned long long n = first; n < first + count; n++)
        printf("%llu %016llx\n", n, (unsigned long long)tree(n, CALLS));
}
