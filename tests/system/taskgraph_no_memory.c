/* taskgraph_no_memory.c - memory runs out at the n-th allocation, for every n, while a graph is recorded, planned and
 * run: runs are right, and a graph that does not run is reported
 *
 * As no_memory.c. A run that reports DF_ERROR_MEMORY has run nothing. */
#define _DEFAULT_SOURCE
#include "failing_malloc.h"
#define DF_IMPLEMENTATION
#include "df.h"
#include "no_memory.h"

enum { N = 24 };
struct data { uint64_t x[N], y[N], s[2]; };
static struct data data, model;

DF_TASK(void, mix, df_in(uint64_t, a, n), df_inout(uint64_t, b, n), (int, n), (uint64_t, salt));
DF_TASK(void, total, df_in(uint64_t, a, n), df_reduce(df_sum, uint64_t, s, 1), (int, n));
DF_TASK(void, count, df_commute(uint64_t, s, 1), (uint64_t, k));
DF_TASK(void, parent, df_inout(uint64_t, b, n), (int, n));
void mix(const uint64_t *a, uint64_t *b, int n, uint64_t salt)
{
    for (int i = 0; i < n; i++) b[i] = test_mix(b[i] + salt, a[i]);
}
void total(const uint64_t *a, uint64_t *s, int n) { for (int i = 0; i < n; i++) *s += a[i]; }
void count(uint64_t *s, uint64_t k) { *s += k; }
void parent(uint64_t *b, int n)
{
    for (int i = 0; i + 4 <= n; i += 2) df_submit(mix, b + i, b + i + 2, 2, 9);
}

static void block(struct data *d, uint64_t salt)
{
    for (int i = 0; i + 4 <= N; i += 2) df_submit(mix, d->x + i, d->y + i, 4, salt);
    /* more readers of y than are followed one by one */
    for (int i = 0; i < 10; i++) df_submit(mix, d->y, d->x + 2 * i, 2, 1);
    for (int i = 0; i < N; i += 4) df_submit(total, d->y + i, &d->s[0], 4);
    for (int i = 0; i < 6; i++) df_submit(count, &d->s[1], (uint64_t)i);
    df_submit_with(DF_OPTS(.priority = 1), mix, d->x, d->y, N, 2);
    df_wait();
    df_submit(mix, d->s, d->x, 2, 3);
    df_submit(parent, d->x, N);
}

/* The same by calls. */
static void model_parent(uint64_t *b, int n) { for (int i = 0; i + 4 <= n; i += 2) mix(b + i, b + i + 2, 2, 9); }
static void model_block(struct data *d, uint64_t salt)
{
    for (int i = 0; i + 4 <= N; i += 2) mix(d->x + i, d->y + i, 4, salt);
    for (int i = 0; i < 10; i++) mix(d->y, d->x + 2 * i, 2, 1);
    for (int i = 0; i < N; i += 4) total(d->y + i, &d->s[0], 4);
    for (int i = 0; i < 6; i++) count(&d->s[1], (uint64_t)i);
    mix(d->x, d->y, N, 2);
    mix(d->s, d->x, 2, 3);
    model_parent(d->x, N);
}
static void same(void) { CHECK(!memcmp((void *)&data, (void *)&model, sizeof data)); }

static void pass(void)
{
    df_taskgraph *g = df_taskgraph_new();
    for (uint64_t i = 0; i < N; i++) data.x[i] = i, data.y[i] = 2 * i;
    data.s[0] = data.s[1] = 0;
    memcpy((void *)&model, (void *)&data, sizeof data);
    if (g) {
        DF_TASKGRAPH(g) block(&data, 7);
        model_block(&model, 7);
        same();
        for (uint64_t i = 0; i < 4; i++) {
            int given = df_taskgraph_count(g, mix) > 0; /* it also needs memory */
            df_result r;
            if (given) df_taskgraph_set(g, mix, 2, salt, 7 + i);
            if (given && i == 2) df_taskgraph_set(g, mix, 0, a, data.x + 1); /* what it accesses changes */
            r = df_taskgraph_run(g);
            CHECK(r == DF_OK || r == DF_ERROR_MEMORY);
            if (r) same();
            /* compared with other settings by tests/fuzz/taskgraph.c */
            else memcpy((void *)&model, (void *)&data, sizeof data);
        }
        df_taskgraph_free(g);
        g = df_taskgraph_new();
    }
    if (g) {
        DF_TASKGRAPH(g) block(&data, 7);
        model_block(&model, 7);
        for (int i = 0; i < 3; i++)
            if (df_taskgraph_run(g) == DF_OK) model_block(&model, 7);
        same();
        df_taskgraph_free(g);
    }
}

static int run(void *unused)
{
    (void)unused;
    pass();
    if (failed && only_one) pass(); /* and it has recovered */
    df_stop();
    return failed ? 0 : 77;
}

/* Once, and once for each graph that is not recorded or run. */
static int few_lines(const struct child *c) { return c->lines <= 8; }

int main(void)
{
    left = ENOUGH;
    for (only_one = 0; only_one < 2; only_one++) {
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "1", "DF_DEFER", "1"), test_step(5), few_lines) > 10);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "2", "DF_DEFER", "0"), test_step(11), few_lines) > 10);
    }
    return 0;
}
