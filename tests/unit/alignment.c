/* alignment.c - types that are aligned to 32 bytes, and in alignment_64.c to 64, as vectors of processors are: parameters
 * by value, alone and in structures of 40, in tasks, futures, nodes, task graphs and loops; elements of reductions,
 * pipes and streams, and df_local, at the addresses that a body sees */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

#ifndef WIDTH
#define WIDTH 32
#endif
#ifndef MAIN
#define MAIN main
#endif
typedef double wide __attribute__((vector_size(WIDTH)));
typedef struct { char c; wide v; } one;    /* its size is twice its alignment */
typedef struct { wide v[40]; } many;       /* larger than the largest record of a task */
enum { LANES = WIDTH / sizeof(double) };
#define ALIGNED(p) CHECK((uintptr_t)(p) % _Alignof(wide) == 0) /* WIDTH; for aarch64 compilers align to 16 */

static wide fill(double x)
{
    wide v;
    for (int i = 0; i < LANES; i++) v[i] = x + i;
    return v;
}
static one one_of(double x)
{
    one o;
    o.c = 'x', o.v = fill(x);
    return o;
}
static many many_of(double x)
{
    many m;
    for (int i = 0; i < 40; i++) m.v[i] = fill(x);
    return m;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

DF_TASK(void, value, (char, c), (wide, x), df_inout(double, s, 1));
void value(char c, wide x, double *s) { ALIGNED(&x); *s += x[LANES - 1] + (c != 'c'); }
DF_TASK(void, values, (char, c), (many, x), df_inout(double, s, 1));
void values(char c, many x, double *s) { ALIGNED(&x); *s += x.v[39][LANES - 1] + (c != 'c'); }
DF_TASK(one, forked, (char, c), (wide, x), (int, n));
one forked(char c, wide x, int n)
{
    df_future(forked) f;
    one y;
    ALIGNED(&x);
    y.c = c, y.v = x;
    if (n < 2) return y;
    df_spawn(forked, &f, c, x, n - 1);
    y = forked(c, x, n - 2);
    y.v += df_sync(forked, &f).v;
    return y;
}
DF_TASK(many, result, (char, c), (many, x));
many result(char c, many x) { (void)c; x.v[0] += x.v[39]; return x; }

static void by_value(void)
{
    double s[3] = { 0, 0, 0 }, each[20] = { 0 };
    df_token open = DF_TOKEN(1);
    df_taskgraph *graph = df_taskgraph_new();
    many r;
    for (int i = 0; i < 100; i++) {
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&open)), value, 'c', fill(i), &s[0]);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&open)), values, 'c', many_of(i), &s[1]);
        df_submit(value, 'c', fill(i), &s[2]);
    }
    df_signal(&open);
    df_wait();
    printf("queued: %g %g %g\n", s[0], s[1], s[2]);
    printf("forked: %g\n", forked('c', fill(1), 15).v[1]);
    s[0] = s[1] = 0;
    DF_TASKGRAPH(graph) {
        for (int i = 0; i < 10; i++) {
            df_submit(value, 'c', fill(i), &s[0]);
            df_submit(values, 'c', many_of(i), &s[1]);
        }
    }
    for (int i = 0; i < 3; i++) df_taskgraph_run(graph);
    df_taskgraph_free(graph);
    printf("task graph: %g %g\n", s[0], s[1]);
    s[0] = 0;
    for (int i = 0; i < 20; i++) { /* nodes are not ordered by memory */
        df_node(value) *n = df_node_new(value);
        df_node_set(value, n, x, fill(i));
        df_node_set(value, n, c, 'c');
        df_node_set(value, n, s, &each[i]);
    }
    df_wait();
    for (int i = 0; i < 20; i++) s[0] += each[i];
    printf("nodes: %g\n", s[0]);
    s[0] = 0;
    for (int i = 0; i < 20; i++) {
        df_submit_with(DF_OPTS(.result = DF_RESULT(result, &r)), result, 'c', many_of(i));
        df_wait();
        s[0] += r.v[0][0];
    }
    printf("results: %g\n", s[0]);
}

/* --- reductions, loops -------------------------------------------------------------------------------------------- */

static void add(one *a, const one *b) { ALIGNED(a); ALIGNED(b); a->v += b->v; }
static void none(one *a) { ALIGNED(a); memset(a, 0, sizeof *a); }
DF_REDUCTION(sum, one, add, none);
DF_ORDERED_REDUCTION(ordered, one, add, none);
static void add_wide(wide *a, const wide *b) { ALIGNED(a); ALIGNED(b); *a += *b; }
DF_ORDERED_REDUCTION(ordered_wide, wide, add_wide);
DF_TASK(void, reduces, df_reduce(sum, one, s, 3), (one, x));
void reduces(one *s, one x) { ALIGNED(s); s[2].v += x.v; }
DF_TASK(void, reduces_ordered, df_reduce(ordered, one, s, 3), df_reduce(ordered_wide, wide, t, 1), (wide, x));
void reduces_ordered(one *s, wide *t, wide x) { ALIGNED(s); ALIGNED(t); s[2].v += x; *t += x; }
DF_LOOP(loop, (char, c), (one, x), df_reduce(sum, one, s, 1), df_reduce(ordered_wide, wide, t, 1));
void loop(long lo, long hi, char c, one x, one *s, wide *t)
{
    ALIGNED(&x); ALIGNED(s); ALIGNED(t);
    for (; lo < hi; lo++) s->v += x.v + (double)(c != 'c'), *t += x.v;
}

static void reductions(void)
{
    static one a[3], b[3], s;
    static wide t, u;
    for (int i = 0; i < 200; i++) {
        df_submit(reduces, a, one_of(i));
        df_submit(reduces_ordered, b, &t, fill(i));
    }
    df_wait();
    printf("tasks: %g %g %g\n", a[2].v[1], b[2].v[1], t[1]);
    df_for_with(DF_LOOP_OPTS(.schedule = DF_DYNAMIC, .grain = 1), loop, 0, 1000, 'c', one_of(1), &s, &u);
    printf("loop: %g %g\n", s.v[1], u[1]);
}

/* --- pipes, streams, locals --------------------------------------------------------------------------------------- */

DF_PIPE(pipe3, one);
int pipe3(int stage, one *x, long i, void *arg)
{
    ALIGNED(x);
    if (stage == 0) {
        if (i == 50) return DF_PIPE_END;
        *x = one_of((double)i);
        return df_continue(1);
    }
    if (stage == 1) return df_in_order(2);
    *(double *)arg += x->v[1];
    return DF_PIPE_DONE;
}
DF_TASK(void, give, df_push(one, x, 3), (int, i));
void give(one *x, int i)
{
    ALIGNED(x);
    for (int k = 0; k < 3; k++) x[k] = one_of(i);
}
DF_TASK(void, take, df_pop(one, x, 2), df_inout(double, s, 1));
void take(const one *x, double *s) { ALIGNED(x); *s += x[0].v[1] + x[1].v[1]; }
DF_TASK(void, locals, (int, depth));
void locals(int depth)
{
    double *d = df_local(double, 1);
    wide *p = df_local(wide, 1);
    char *c = df_local(char, 5);
    one *q = df_local(one, depth + 1), *more = df_local(one, 100);
    CHECK(d && p && c && q && more);
    ALIGNED(p); ALIGNED(q); ALIGNED(more);
    *d = depth, *p = fill(depth), *c = 'c';
    q[depth] = more[99] = one_of(depth);
    CHECK(*d == depth && (*p)[1] == depth + 1 && *c == 'c' && q[depth].v[1] == depth + 1);
    if (depth) df_submit(locals, depth - 1);
}

static void elements(void)
{
    double piped = 0, streamed = 0;
    df_stream *s = df_stream_new(sizeof(one), 6);
    df_pipe(pipe3, NULL, &piped);
    for (int i = 0; i < 20; i++) df_submit(give, s, i);
    for (int i = 0; i < 30; i++) df_submit(take, s, &streamed);
    for (int i = 0; i < 20; i++) df_submit(locals, 5);
    df_wait();
    df_stream_free(s);
    printf("pipe %g, stream %g\n", piped, streamed);
}

int MAIN(void)
{
    by_value();
    reductions();
    elements();
    return 0;
}
