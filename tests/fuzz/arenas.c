/* arenas.c - random trees of tasks, functions and loops in arenas: `arenas FIRST_SEED COUNT` prints a hash per seed; the
 * serial build is the oracle
 *
 * Blocks share a few arenas or have their own, are nested, left early, and contain spawned functions, loops, mutexes and
 * tokens, at which workers block. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { CELLS = 4, ARENAS = 3, CALLS = 700 };
static df_arena arenas[ARENAS] = { DF_ARENA(1), DF_ARENA(2), DF_ARENA(3) };
static df_mutex mutex = DF_MUTEX;
static uint64_t under_mutex;

DF_TASK(uint64_t, tree, (uint64_t, seed), (int, calls));
DF_TASK(void, tree_to, (uint64_t, seed), (int, calls), df_inout(uint64_t, to, 1));
void tree_to(uint64_t seed, int calls, uint64_t *to) { *to = test_mix(*to, tree(seed, calls)); }
DF_TASK(void, locks, (uint64_t, by), (unsigned, slow));
void locks(uint64_t by, unsigned slow)
{
    df_mutex_lock(&mutex);
    test_spin(slow);
    under_mutex += by;
    df_mutex_unlock(&mutex);
}
DF_TASK(void, opens, (df_token *, t));
void opens(df_token *t) { df_signal(t); }
DF_LOOP(fill, (uint64_t *, x), (uint64_t, seed));
void fill(long lo, long hi, uint64_t *x, uint64_t seed)
{
    for (long i = lo; i < hi; i++) x[i] = test_mix(seed, (uint64_t)i);
}

static int share(uint64_t *seed, int *left)
{
    int n = *left > 0 ? test_below(seed, *left / 2 + 1) : 0;
    *left -= n + 1;
    return n;
}

/* What a block contains. Nonzero: it is left early. */
static int inside(uint64_t *seed, int *left, uint64_t *y, uint64_t *h)
{
    uint64_t z[100];
    df_future(tree) f;
    df_token t = DF_TOKEN(1);
    int n = 1 + test_below(seed, 4), below;
    for (; n > 0; n--) {
        uint64_t *to = &y[test_below(seed, CELLS)];
        below = share(seed, left);
        df_submit(tree_to, test_random(seed), below, to);
        if (test_below(seed, 3) == 0) df_submit(locks, n, test_random(seed) % 4 ? 0 : 2000);
    }
    switch (test_below(seed, 6)) {
    case 0: return 1;
    case 1:
        below = share(seed, left);
        df_spawn(tree, &f, test_random(seed), below);
        if (test_below(seed, 2)) df_submit(locks, 3, 0);
        *h = test_mix(*h, df_sync(tree, &f));
        break;
    case 2:
        df_for(fill, 0, 100, z, test_random(seed));
        *h = test_mix(*h, z[test_below(seed, 100)]);
        break;
    case 3:
        df_submit(opens, &t);
        df_wait_token(&t);
        break;
    case 4:
        df_wait();
        *h = test_mix(*h, y[0]);
        break;
    }
    return 0;
}

uint64_t tree(uint64_t seed, int calls)
{
    uint64_t h = seed;
    int left = calls, early;
    if (test_below(&seed, 16) == 0) test_spin((unsigned)test_below(&seed, 3000));
    while (left > 0) {
        uint64_t y[CELLS] = { h, 1, 2, 3 };
        int which = test_below(&seed, 6);
        early = 0;
        if (which == 0) DF_PARALLEL early = inside(&seed, &left, y, &h);
        else if (which < 3)
            DF_PARALLEL_AT_MOST(which) {
                if ((early = inside(&seed, &left, y, &h)) != 0) break;
                early = inside(&seed, &left, y, &h);
            }
        else
            DF_IN_ARENA(&arenas[which % ARENAS]) {
                if ((early = inside(&seed, &left, y, &h)) != 0) break;
                uint64_t z[CELLS] = { h }; /* tasks of this block may still write to y */
                DF_IN_ARENA(&arenas[test_below(&seed, ARENAS)]) inside(&seed, &left, z, &h);
                h = test_mix(h, z[1]);
            }
        for (int k = 0; k < CELLS; k++) h = test_mix(h, y[k]);
        h += (uint64_t)early;
    }
    return h;
}

int main(int argc, char **argv)
{
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
        count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    for (unsigned long long n = first; n < first + count; n++) {
        unsigned long long h = (unsigned long long)tree(n, CALLS);
        df_wait();
        printf("%llu %016llx %016llx\n", n, h, (unsigned long long)under_mutex);
    }
    for (int i = 0; i < ARENAS; i++) CHECK(df_arena_destroy(&arenas[i]));
}
