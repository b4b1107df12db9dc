/* METG with df, two systems: tasks that are submitted; -DTASKGRAPH=1: recorded, and run as a task graph. */
#include "metg.h"
#define DF_IMPLEMENTATION
#include "../df.h"
#ifndef TASKGRAPH
#define TASKGRAPH 0
#endif

typedef uint32_t u;
DF_TASK(void, task0, df_out(u, o, 1));
DF_TASK(void, task1, df_out(u, o, 1), df_in(u, a, 1));
DF_TASK(void, task2, df_out(u, o, 1), df_in(u, a, 1), df_in(u, b, 1));
DF_TASK(void, task3, df_out(u, o, 1), df_in(u, a, 1), df_in(u, b, 1), df_in(u, c, 1));
DF_TASK(void, task4, df_out(u, o, 1), df_in(u, a, 1), df_in(u, b, 1), df_in(u, c, 1), df_in(u, d, 1));
DF_TASK(void, task5, df_out(u, o, 1), df_in(u, a, 1), df_in(u, b, 1), df_in(u, c, 1), df_in(u, d, 1), df_in(u, e, 1));

#define BODY(out, n, ...) metg_body(out, n, (const u *const[]){ __VA_ARGS__ })
void task0(u *o) { metg_body(o, 0, NULL); }
void task1(u *o, const u *a) { BODY(o, 1, a); }
void task2(u *o, const u *a, const u *b) { BODY(o, 2, a, b); }
void task3(u *o, const u *a, const u *b, const u *c) { BODY(o, 3, a, b, c); }
void task4(u *o, const u *a, const u *b, const u *c, const u *d) { BODY(o, 4, a, b, c, d); }
void task5(u *o, const u *a, const u *b, const u *c, const u *d, const u *e) { BODY(o, 5, a, b, c, d, e); }

static df_taskgraph *graph;

static int metg_start(void)
{
    df_start(NULL);
    return df_workers();
}
static void metg_stop(void)
{
    df_taskgraph_free(graph);
    df_stop();
}

static void submit(int pattern, int steps)
{
    for (int t = 0; t < steps; t++)
        for (int i = 0; i < width; i++) {
            u *o = metg_out(t, i), *in[INPUTS_MAX];
            switch (metg_inputs(pattern, t, i, in)) {
            case 0: df_submit(task0, o); break;
            case 1: df_submit(task1, o, in[0]); break;
            case 2: df_submit(task2, o, in[0], in[1]); break;
            case 3: df_submit(task3, o, in[0], in[1], in[2]); break;
            case 4: df_submit(task4, o, in[0], in[1], in[2], in[3]); break;
            default: df_submit(task5, o, in[0], in[1], in[2], in[3], in[4]); break;
            }
        }
}

static void metg_pattern(int pattern, int steps)
{
    if (!TASKGRAPH) return;
    df_taskgraph_free(graph);
    graph = df_taskgraph_new();
    DF_TASKGRAPH(graph) { submit(pattern, steps); }
    memset(row, 0, sizeof row);
}

static void metg_block(int pattern, int steps)
{
    if (graph) df_taskgraph_run(graph);
    else DF_PARALLEL { submit(pattern, steps); }
}
