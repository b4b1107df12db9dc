/* graph.c - what DF_GRAPH writes, for everything that ties tasks together: memory in all modes, tokens, inputs of
 * nodes, streams, waits, scopes in scopes, many after many; as text and for graphviz, down to a level, and for a
 * program that starts df again */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

DF_TASK(void, put, df_out(int, to, n), (int, n));
DF_TASK(void, use, df_in(int, x, n), df_inout(int, y, n), (int, n));
DF_TASK(void, add, df_in2(int, x, 2, 2, 4), df_reduce(df_sum, int, sum, 1));
DF_TASK(void, any, df_commute(int, x, n), (int, n));
DF_TASK(void, halves, df_inout(int, x, n), (int, n), (int, deep));
DF_TASK(void, later, df_weak_inout(int, x, n), (int, n));
DF_TASK(void, plain, (int, n));
DF_TASK(void, join, (int, a), (int *, to), (int, b));
DF_TASK(void, feed, (df_node(join) *, node), (int *, to));
DF_TASK(void, ring, (df_token *, t));
DF_TASK(void, produce, df_push(int, p, n), (int, n));
DF_TASK(void, consume, df_peek(int, p, n, 1), (int, n));
void put(int *to, int n) { memset(to, 0, (size_t)n * sizeof *to); }
void use(const int *x, int *y, int n) { y[0] += x[n - 1]; }
void add(const int *x, int *sum) { *sum += x[0] + x[5]; }
void any(int *x, int n) { x[n - 1]++; }
void halves(int *x, int n, int deep)
{
    int *own = df_local(int, 2);
    if (!deep) return;
    df_submit(halves, x, n / 2, deep - 1);
    df_submit(halves, x + n / 2, n - n / 2, deep - 1);
    df_submit(put, own, 1);
    DF_PARALLEL { df_submit(any, own + 1, 1); } /* another scope: nothing that children use */
    df_wait();
    df_submit(use, own, x, 1);
}
void later(int *x, int n)
{
    for (int i = 0; i < n; i++) df_submit(any, x + i, 1);
}
void plain(int n) { (void)n; }
void join(int a, int *to, int b) { *to += a + b; }
void feed(df_node(join) *node, int *to) { df_node_set(join, node, to, to); }
void ring(df_token *t) { df_signal(t); }
void produce(int *p, int n) { memset(p, 0, (size_t)n * sizeof *p); }
void consume(const int *p, int n) { (void)p, (void)n; }

static void memory(void)
{
    static int x[8], y[8], z[8], sum;
    df_submit(put, z, 8); /* the block is another scope */
    DF_PARALLEL {
        DF_PARALLEL {}
        df_submit(put, x, 8);
        df_submit(put, y, 8);
        df_submit_with(DF_OPTS(.name = "x to \"y\""), use, x, y, 8);
        df_submit(add, x, &sum);
        df_submit(add, x + 2, &sum);
        df_submit(put, x + 4, 2);
        df_submit(use, &sum, y, 1);
        df_submit(any, y, 1);
        df_submit(any, y, 1);
        df_submit(put, y, 0); /* nothing */
        df_submit(put, y, 8);
        df_submit(halves, y, 4, 2);
        df_submit(later, y, 3);
        df_submit(use, x, y, 1);
    }
    df_wait();
    df_wait();
    df_submit(put, x, 8);
    df_wait_result();
    df_submit(put, x, 8);
    df_wait();
}

static int many_x[200], many_sum;
static void readers(int n)
{
    for (int i = 0; i < n; i++) df_submit(add, many_x, &many_sum);
}
static void commuting(int n)
{
    for (int i = 0; i < n; i++) df_submit(any, many_x, 100);
}
static void writers(int n)
{
    for (int i = 0; i < n; i++) df_submit(put, many_x + i, 1);
}
static void many_after_many(void)
{
    readers(8), commuting(9), df_wait(); /* few enough to have all edges */
    readers(9), commuting(8), df_wait();
    readers(40), df_submit(put, many_x, 100), readers(40), df_wait(); /* one in between */
    readers(9), commuting(9), df_wait(); /* join 1: of one region */
    DF_PARALLEL { writers(150), commuting(150); } /* join 2: of the parts of one */
    for (int i = 0; i < 30; i++) commuting(9), df_submit(put, many_x + i, 1); /* joins that grow */
    df_wait();
}

static void tokens_and_nodes(void)
{
    static int to;
    for (int again = 0; again < 2; again++) {
        df_token t = DF_TOKEN(2), u = DF_TOKEN(1);
        df_node(join) *node = df_node_new(join);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&t, &u)), plain, 1);
        df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), plain, 2);
        df_submit(ring, &t);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), plain, 3);
        df_submit(feed, node, &to);
        df_node_set(join, node, a, 1);
        df_node_set(join, node, b, 2);
        df_signal(&u);
        df_wait();
    }
}

static void streams(void)
{
    for (int again = 0; again < 2; again++) {
        df_stream *s = df_stream_new(sizeof(int), 4), *r = df_stream_reader(s);
        df_submit(consume, s, 2);
        df_submit(consume, s, 2);
        for (int i = 0; i < 2; i++) df_submit(produce, s, 3), df_submit(consume, r, 1), df_submit(consume, r, 2);
        for (int i = 0; i < 4; i++) df_submit(consume, s, 1);
        for (int i = 0; i < 2; i++) df_submit(consume, r, 1);
        df_wait();
        df_stream_free(s), df_stream_free(r);
    }
}

static void run(const char *file, int depth)
{
    df_config c;
    memset(&c, 0, sizeof c);
    c.graph = file, c.graph_depth = depth;
    CHECK(df_start(&c) == DF_OK);
}

static char text[1 << 18];
static void show(const char *file)
{
    FILE *f = fopen(file, "r");
    size_t n;
    CHECK(f);
    n = fread(text, 1, sizeof text - 1, f);
    text[n] = 0;
    fclose(f);
    printf("%s\n", text);
}
static void has(const char *line)
{
    if (!strstr(text, line)) fprintf(stderr, "missing: %s\n", line);
    CHECK(strstr(text, line));
}

int main(int argc, char **argv)
{
    char all[1000], one[1000], dot[1000];
    int edges, to_joins;
    CHECK(argc == 1);
    snprintf(all, sizeof all, "%s.txt", argv[0]);
    snprintf(one, sizeof one, "%s.1.txt", argv[0]);
    snprintf(dot, sizeof dot, "%s.dot", argv[0]);
    run(all, 0);
    memory();
    df_stop();
    run(all, 0);
    tokens_and_nodes();
    streams();
    df_stop();
    show(all);
    has("scope 2 block (tests/unit/graph.c:");
    has("task 2.3 x to \"y\" (tests/unit/graph.c:");
    has("    waits for 2.1 put: to -> x, flow (read after write), A[0..32)\n");
    has("    waits for 2.2 put: to -> y, flow (read after write), B[0..32)\n  task 2.4 add: in x A[0..8) x 2 rows 16 apart, reduce sum C[0..4)\n");
    has("    waits for 2.4 add: x -> to, anti (write after read), A[16..24) and A[0..8) x 2 rows 16 apart\n");
    has("task 2.10 put: out to nothing\n");
    has("task 2.12.1.3 put: out to E[0..4)\n");
    has("scope 2.12 halves, after wait 1\n  task 2.12.5 use: in x D[0..4), inout y B[0..4)\n");
    has(", weak, ");
    has("signalled\n");
    has("input given\n");
    has("elements written\n");
    has("room: elements read\n");
    run(one, 1);
    memory();
    df_stop();
    show(one);
    has("task 2.12 halves: inout x B[0..16); tasks inside: 15\n");
    CHECK(!strstr(text, "2.12.1"));
    run(dot, 0);
    memory();
    df_stop();
    show(dot);
    has("digraph df {\n");
    has("label=\"2.3 x to \\\"y\\\"\"");
    has("style=dashed");
    run(all, 0);
    many_after_many();
    df_stop();
    show(all);
    has("  join 1\n    waits for 116 add: in x A[0..8) x 2 rows 16 apart\n");
    CHECK(sscanf(strstr(text, "\n\n733 tasks"), " 733 tasks, %d edges", &edges) == 1);
    CHECK(sscanf(strstr(text, "; joins"), "; joins: 35, edges to them: %d\n", &to_joins) == 1);
    CHECK(edges + to_joins < 3 * 733);
    CHECK(remove(all) == 0 && remove(one) == 0 && remove(dot) == 0);
    return 0;
}
