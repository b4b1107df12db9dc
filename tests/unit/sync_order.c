/* sync_order.c - futures may be synced in any order, also while new ones are spawned */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

/* a small tree of spawns below each future, so that syncs meet work of others on the stack */
DF_TASK(uint64_t, tree, (uint64_t, x), (int, depth));
uint64_t tree(uint64_t x, int depth)
{
    df_future(tree) a, b;
    if (depth == 0) return test_mix(x, 1);
    df_spawn(tree, &a, x, depth - 1);
    df_spawn(tree, &b, x + 1, depth - 1);
    uint64_t first = df_sync(tree, &a); /* the older first */
    return test_mix(first, df_sync(tree, &b));
}

enum { N = 5, MANY = 64 };

/* all 120 orders of syncing five futures */
static uint64_t permutations(void)
{
    uint64_t h = 0;
    for (int p = 0; p < 120; p++) {
        df_future(tree) f[N];
        int left[N] = { 0, 1, 2, 3, 4 }, code = p;
        for (int i = 0; i < N; i++) df_spawn(tree, &f[i], (uint64_t)i, 3);
        for (int n = N; n > 0; code /= n, n--) {
            int k = code % n;
            h = test_mix(h, df_sync(tree, &f[left[k]]));
            for (; k + 1 < n; k++) left[k] = left[k + 1];
        }
    }
    return h;
}

/* 0: newest first, 1: oldest first, 2: random */
static uint64_t many(int order)
{
    df_future(tree) f[MANY];
    int at[MANY];
    uint64_t h = 0, seed = 7;
    for (int i = 0; i < MANY; i++) {
        at[i] = order == 0 ? MANY - 1 - i : i;
        df_spawn(tree, &f[i], (uint64_t)i, i % 6);
    }
    for (int i = MANY - 1; order == 2 && i > 0; i--) {
        int j = test_below(&seed, i + 1), t = at[i];
        at[i] = at[j], at[j] = t;
    }
    for (int i = 0; i < MANY; i++) h = test_mix(h, df_sync(tree, &f[at[i]]));
    return h;
}

/* always `width` futures in flight: the oldest is synced, then its record is spawned again */
static uint64_t sliding(int width)
{
    df_future(tree) f[MANY];
    uint64_t h = 0;
    for (int i = 0; i < 500 + width; i++) {
        if (i >= width) h = test_mix(h, df_sync(tree, &f[i % width]));
        if (i < 500) df_spawn(tree, &f[i % width], (uint64_t)i, i % 4);
    }
    return h;
}

int main(void)
{
    printf("permutations %016llx\n", (unsigned long long)permutations());
    for (int order = 0; order < 3; order++) printf("many %d %016llx\n", order, (unsigned long long)many(order));
    for (int width = 1; width <= MANY; width *= 4)
        printf("sliding %d %016llx\n", width, (unsigned long long)sliding(width));
}
