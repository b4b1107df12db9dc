/* nodes.c - random trees of nodes: `nodes FIRST_SEED COUNT` prints, per seed, the value at the root
 *
 * A value is wanted at an output. The code that is asked for it gives it immediately, asks a task or a node for it, or
 * makes a node that combines two or three values, for which it asks others. Inputs are given in random order, by
 * df_node_set or df_give, by the code that made the node and by tasks. A plain recursive function computes the same. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { DEEP = 9, TREES = 6 };
typedef struct { uint64_t a, b; } two;
typedef df_output(uint64_t) *place;

DF_TASK(void, ask, (uint64_t, seed), (int, depth), (place, to));
DF_TASK(void, combine, (uint64_t, a), (uint64_t, b), (place, to));
DF_TASK(void, combine_three, (place, to), (two, x), (uint64_t, c));
DF_TASK(void, give_two, (df_output(two) *, to), (uint64_t, a), (uint64_t, b));
DF_TASK(void, give_later, (df_output(place) *, to), (place, value));
DF_TASK(void, root, (uint64_t, value), (uint64_t *, to));

void combine(uint64_t a, uint64_t b, place to) { df_give(to, test_mix(a, b)); }
void combine_three(place to, two x, uint64_t c) { df_give(to, test_mix(test_mix(x.a, x.b), c)); }
void give_two(df_output(two) *to, uint64_t a, uint64_t b)
{
    two x = { a, b };
    df_give(to, x);
}
void give_later(df_output(place) *to, place value) { df_give(to, value); }
void root(uint64_t value, uint64_t *to) { *to = value; }

static void want(uint64_t seed, int depth, place to);
void ask(uint64_t seed, int depth, place to) { want(seed, depth, to); }

enum { NOW, SAME, TWO, THREE };
static int kind(uint64_t *seed, int depth)
{
    int k = test_below(seed, 8);
    return depth == 0 || k == 0 ? NOW : k == 1 ? SAME : k < 6 ? TWO : THREE;
}

/* The value that want gives. */
static uint64_t value_of(uint64_t seed, int depth)
{
    uint64_t a, b;
    switch (kind(&seed, depth)) {
    case NOW: return seed;
    case SAME: return value_of(seed, depth - 1);
    case TWO: return test_mix(value_of(seed + 1, depth - 1), value_of(seed + 2, depth - 1));
    default:
        a = value_of(seed + 1, depth < 2 ? 0 : depth - 2), b = value_of(seed + 2, depth - 1);
        return test_mix(test_mix(a, b), value_of(seed + 3, depth - 1));
    }
}

/* Asks somewhere for a value. */
static void asks(uint64_t seed, int depth, uint64_t *how, place to)
{
    df_node(ask) *n;
    switch (test_below(how, 4)) {
    case 0: want(seed, depth, to); break;
    case 1: df_submit(ask, seed, depth, to); break;
    case 2:
        n = df_node_new(ask);
        df_node_set(ask, n, depth, depth);
        df_submit(give_later, df_node_output(ask, n, to), to);
        df_give(df_node_output(ask, n, seed), seed);
        break;
    default:
        n = df_node_new(ask);
        df_give(df_node_output(ask, n, to), to);
        df_node_set(ask, n, seed, seed);
        df_give(df_node_output(ask, n, depth), depth);
    }
}

static void want(uint64_t seed, int depth, place to)
{
    int k = kind(&seed, depth);
    uint64_t how = seed ^ 0x5555;
    if (k == NOW) df_give(to, seed);
    else if (k == SAME) asks(seed, depth - 1, &how, to);
    else if (k == TWO) {
        df_node(combine) *n = df_node_new(combine);
        int first = test_below(&how, 2);
        place a = df_node_output(combine, n, a), b = df_node_output(combine, n, b);
        df_output(place) *o = df_node_output(combine, n, to);
        if (first) df_node_set(combine, n, to, to);
        asks(seed + 1, depth - 1, &how, a);
        asks(seed + 2, depth - 1, &how, b);
        if (!first) df_give(o, to);
    } else {
        df_node(combine_three) *n = df_node_new(combine_three);
        df_node(give_two) *pair = df_node_new(give_two);
        place a = df_node_output(give_two, pair, a), b = df_node_output(give_two, pair, b);
        place c = df_node_output(combine_three, n, c);
        df_submit(give_later, df_node_output(combine_three, n, to), to);
        asks(seed + 3, depth - 1, &how, c);
        asks(seed + 1, depth < 2 ? 0 : depth - 2, &how, a);
        df_give(df_node_output(give_two, pair, to), df_node_output(combine_three, n, x));
        asks(seed + 2, depth - 1, &how, b);
    }
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    for (uint64_t s = first; s < first + count; s++) {
        uint64_t seed = s, x[TREES];
        DF_PARALLEL for (int i = 0; i < TREES; i++) {
            df_node(root) *n = df_node_new(root);
            place value = df_node_output(root, n, value);
            df_node_set(root, n, to, &x[i]);
            asks(s * 100 + (uint64_t)i, DEEP, &seed, value);
        }
        printf("%llu:", (unsigned long long)s);
        for (int i = 0; i < TREES; i++) {
            CHECK(x[i] == value_of(s * 100 + (uint64_t)i, DEEP));
            printf(" %016llx", (unsigned long long)x[i]);
        }
        printf("\n");
    }
    return 0;
}
