/* Graphs of nodes with df. In the chain and the grid one thread makes all nodes; a node that has its numbers also needs
 * to know where to give its own to, which is its last input. In the tree every node makes those below it. */
#include "nodes.h"
#define DF_IMPLEMENTATION
#include "../df.h"

static int run_start(void)
{
    df_start(&(df_config){0});
    return df_workers();
}
static void run_stop(void) { df_stop(); }

typedef df_node(step) *step_node;
DF_STATIC_TASK(void, step, (uint64_t, x), (step_node, next));
static void step(uint64_t x, step_node next)
{
    if (next) df_node_set(step, next, x, step_body(x));
    else result = step_body(x);
}

static double run_chain(long n)
{
    DF_PARALLEL {
        step_node at = df_node_new(step);
        df_node_set(step, at, x, 0);
        for (long i = 1; i < n; i++) {
            step_node next = df_node_new(step);
            df_node_set(step, at, next, next);
            at = next;
        }
        df_node_set(step, at, next, NULL);
    }
    return 0;
}

typedef df_node(cell) *cell_node;
typedef struct { cell_node right, down; uint64_t *out; } neighbours; /* NULL: at the border */
DF_STATIC_TASK(void, cell, (uint64_t, left), (uint64_t, up), (neighbours, to));
static void cell(uint64_t left, uint64_t up, neighbours to)
{
    uint64_t x = cell_body(left, up);
    if (to.right) df_node_set(cell, to.right, left, x);
    if (to.down) df_node_set(cell, to.down, up, x);
    else *to.out = x;
}

static double run_grid(long rounds)
{
    static cell_node row[2][SIDE + 1];
    for (long r = 0; r < rounds; r++)
        DF_PARALLEL {
            for (int i = 0; i < SIDE; i++) {
                row[0][i] = df_node_new(cell);
                df_node_set(cell, row[0][i], up, (uint64_t)i);
            }
            for (int j = 0; j < SIDE; j++) {
                cell_node *here = row[j % 2], *below = row[1 - j % 2];
                for (int i = 0; i < SIDE; i++) below[i] = j < SIDE - 1 ? df_node_new(cell) : NULL;
                df_node_set(cell, here[0], left, (uint64_t)j);
                for (int i = 0; i < SIDE; i++)
                    df_node_set(cell, here[i], to, ((neighbours){ here[i + 1], below[i], &last_row[i] }));
            }
        }
    return 0;
}

typedef df_node(join) *join_node;
typedef struct { join_node node; int right; } target;               /* input a or b of a node; of none: the result */
DF_STATIC_TASK(void, join, (uint64_t, a), (uint64_t, b), (target, to));
DF_STATIC_TASK(void, spread, (uint64_t, id), (int, level), (target, to));

static void give(target to, uint64_t x)
{
    if (!to.node) result = x;
    else if (to.right) df_node_set(join, to.node, b, x);
    else df_node_set(join, to.node, a, x);
}

static void make(uint64_t id, int level, target to)
{
    df_node(spread) *n = df_node_new(spread);
    df_node_set(spread, n, id, id);
    df_node_set(spread, n, level, level);
    df_node_set(spread, n, to, to);
}

static void join(uint64_t a, uint64_t b, target to) { give(to, join_body(a, b)); }

static void spread(uint64_t id, int level, target to)
{
    if (level == 0) {
        give(to, leaf_body(id));
        return;
    }
    join_node j = df_node_new(join);
    df_node_set(join, j, to, to);
    make(2 * id, level - 1, (target){ j, 0 });
    make(2 * id + 1, level - 1, (target){ j, 1 });
}

static double run_tree(int levels)
{
    DF_PARALLEL {
        make(1, levels, (target){ NULL, 0 });
    }
    return 0;
}
