/* handles.h - tasks with handles and results in every kind of task and under every feature: each case checks itself, and
 * returns a hash of the codes and results; after df.h and test.h */
#ifndef HANDLES_H
#define HANDLES_H

enum { HANDLES = 12, LATE = 100000 };
static int handles_in_order; /* 1: each task could run when it is submitted, as without memory */

DF_TASK(long, twice, (long, n), (unsigned, ns));
DF_TASK(long, step, df_inout(long, x, 1), (long, k), (int, code));
DF_TASK(long, give, df_out(long, x, 1), (long, k));
DF_TASK(long, look, df_in(long, x, 1));
DF_TASK(long, gather, df_reduce(df_sum, long, x, 1), (long, k));
DF_TASK(long, count, df_commute(long, x, 1), (long, k));
DF_TASK(long, both, df_weak_inout(long, x, 2), (long, k), (int, code));
DF_TASK(long, early, df_inout(long, x, 2), (long, k));
DF_TASK(long, make, df_push(long, x, 1), (long, k));
DF_TASK(long, use, df_pop(long, x, 1), (long, k));
DF_TASK(void, choose, df_out(int, x, 1), (int, value), (unsigned, ns));
DF_TASK(uint64_t, inside, (uint64_t, seed), (int, depth));

long twice(long n, unsigned ns)
{
    test_spin(ns);
    return 2 * n;
}
long step(long *x, long k, int code)
{
    *x = *x * 3 + k;
    if (code) df_fail(code, "as planned");
    return *x;
}
long give(long *x, long k) { return *x = k; }
long look(const long *x) { return *x; }
long gather(long *x, long k)
{
    *x += k;
    return k + 1;
}
long count(long *x, long k)
{
    *x += k;
    return k + 2;
}
long both(long *x, long k, int code)
{
    df_submit(step, x, k, 0);
    df_submit(step, x + 1, k + 1, code);
    return k + 3;
}
long early(long *x, long k)
{
    df_submit(step, x, k, 0);
    df_release(x, 1);
    df_submit(step, x + 1, k + 1, 0);
    return k + 4;
}
long make(long *x, long k) { return *x = k; }
long use(const long *x, long k) { return x ? *x + k : -1; }
void choose(int *x, int value, unsigned ns)
{
    test_spin(ns);
    *x = value;
}

/* Waits in one of the ways that there are. */
static int await(uint64_t *seed, df_handle *h)
{
    df_result r;
    switch (test_below(seed, 4)) {
    case 0: return (int)df_wait_task(h);
    case 1: return (int)df_wait_task_for(h, LATE);
    case 2:
        while (!df_done(h)) continue;
        return (int)df_wait_task(h);
    default:
        while ((r = df_wait_task_for(h, 0)) == DF_ERROR_TIMEOUT) continue;
        return (int)r;
    }
}
/* The wait for the scope returns the code, or had no memory to keep it. */
static int ends_with(int code)
{
    df_result r = df_wait_result();
    return (int)r == code || (code && r == DF_ERROR_MEMORY && handles_in_order);
}
static uint64_t hash(uint64_t h, long a, long b) { return test_mix(test_mix(h, (uint64_t)a), (uint64_t)b); }

/* A chain in which one task may fail: those before it succeed, those behind it are skipped, by its error. */
static uint64_t in_chain(uint64_t seed)
{
    df_handle h[HANDLES];
    long x = 1, model = 1, r[HANDLES];
    int n = 1 + test_below(&seed, HANDLES), fails = test_below(&seed, 2 * n), code = 1 + test_below(&seed, 9);
    int back = test_below(&seed, 2);
    uint64_t all = 1;
    for (int i = 0; i < n; i++) {
        r[i] = -7;
        df_submit_with(DF_OPTS(.handle = &h[i], .result = DF_RESULT(step, &r[i])), step, &x, i, i == fails ? code : 0);
    }
    for (int k = 0; k < n; k++) {
        int i = back ? n - 1 - k : k, c = await(&seed, &h[i]);
        CHECK(c == (i < fails ? DF_OK : i == fails ? code : DF_ERROR_CANCELLED));
    }
    for (int i = 0; i < n; i++) CHECK(df_done(&h[i]));
    for (int i = 0; i < n; i++) {
        if (i <= fails) model = model * 3 + i;
        CHECK(r[i] == (i <= fails ? model : -7));
        all = hash(all, df_wait_task(&h[i]), r[i]);
    }
    CHECK(ends_with(fails < n ? code : DF_OK) && x == model);
    return hash(all, x, n);
}

/* A cancelled group, and the tasks that need the result of such a task. */
static uint64_t in_group(uint64_t seed)
{
    df_group g = DF_GROUP, other = DF_GROUP;
    df_handle h[6];
    long x = 1, y = 1, r[6];
    uint64_t all = 2;
    for (int i = 0; i < 6; i++) r[i] = -7;
    df_submit_with(DF_OPTS(.handle = &h[0], .group = &other, .result = DF_RESULT(step, &r[0])), step, &x, 1, 0);
    df_group_cancel(&g);
    df_submit_with(DF_OPTS(.handle = &h[1], .group = &g, .result = DF_RESULT(step, &r[1])), step, &x, 2, 0);
    df_submit_with(DF_OPTS(.handle = &h[2], .result = DF_RESULT(look, &r[2])), look, &x);
    df_submit_with(DF_OPTS(.handle = &h[3], .result = DF_RESULT(step, &r[3])), step, &y, 3, 0);
    df_submit_with(DF_OPTS(.handle = &h[4], .group = &g, .result = DF_RESULT(look, &r[4])), look, &y);
    df_submit_with(DF_OPTS(.handle = &h[5], .group = &other, .result = DF_RESULT(step, &r[5])), step, &y, 4, 0);
    for (int i = 0; i < 6; i++) {
        int c = await(&seed, &h[i]);
        CHECK(c ? r[i] == -7 : r[i] > 0);
        /* without memory for a record of task 1, its successor does not know that it was skipped */
        CHECK(c == (i == 1 || i == 2 || i == 4 ? DF_ERROR_CANCELLED : DF_OK) || (i == 2 && handles_in_order));
        all = hash(all, c, r[i]);
    }
    CHECK(df_wait_result() == DF_OK && x == 4 && y == 22);
    return all;
}

/* Tasks that wait for tokens, and signal them; a skipped task signals, and those that wait for it are skipped. */
static uint64_t by_tokens(uint64_t seed)
{
    df_token t = DF_TOKEN(1), u = DF_TOKEN(2), v = DF_TOKEN(1);
    df_group g = DF_GROUP;
    df_handle h[5];
    long x[5] = { 0 }, r[5];
    uint64_t all = 3;
    int skips = test_below(&seed, 2), now = test_below(&seed, 2) || handles_in_order;
    if (skips) df_group_cancel(&g);
    if (now) df_signal(&t);
    for (int i = 0; i < 5; i++) r[i] = -7;
    df_submit_with(DF_OPTS(.handle = &h[0], .after = DF_TOKENS(&t), .signals = DF_TOKENS(&u),
                           .result = DF_RESULT(give, &r[0])), give, &x[0], 1);
    df_submit_with(DF_OPTS(.handle = &h[2], .signals = DF_TOKENS(&u), .group = &g, .result = DF_RESULT(give, &r[2])),
                   give, &x[2], 3);
    df_submit_with(DF_OPTS(.handle = &h[1], .after = DF_TOKENS(&u), .signals = DF_TOKENS(&v),
                           .result = DF_RESULT(give, &r[1])), give, &x[1], 2);
    df_submit_with(DF_OPTS(.handle = &h[3], .after = DF_TOKENS(&u, &v), .result = DF_RESULT(give, &r[3])), give, &x[3],
                   4);
    df_submit_with(DF_OPTS(.handle = &h[4], .result = DF_RESULT(look, &r[4])), look, &x[4]);
    if (!now) {
        CHECK(df_wait_task_for(&h[1], 0) == DF_ERROR_TIMEOUT && !df_done(&h[3]));
        df_signal(&t);
    }
    for (int i = 4; i >= 0; i--) {
        int c = await(&seed, &h[i]);
        CHECK(c == (skips && i >= 1 && i <= 3 ? DF_ERROR_CANCELLED : DF_OK));
        all = hash(all, c, r[i]);
    }
    CHECK(df_wait_result() == DF_OK);
    for (int i = 0; i < 4; i++) CHECK(x[i] == (skips && i ? 0 : i + 1) && r[i] == (skips && i ? -7 : i + 1));
    return all;
}

/* Contributions and tasks in any order: a handle is open as soon as the contribution is made. */
static uint64_t in_common(uint64_t seed)
{
    df_handle h[HANDLES];
    long sum = 0, counted = 0, r[HANDLES];
    uint64_t all = 4;
    int n = 1 + test_below(&seed, HANDLES), deterministic = test_below(&seed, 2);
    for (int i = 0; i < n; i++)
        if (i % 2)
            df_submit_with(DF_OPTS(.handle = &h[i], .result = DF_RESULT(count, &r[i])), count, &counted, i);
        else
            df_submit_with(DF_OPTS(.handle = &h[i], .deterministic = deterministic, .result = DF_RESULT(gather, &r[i])),
                           gather, &sum, i);
    for (int i = 0; i < n; i++) {
        CHECK(await(&seed, &h[i]) == DF_OK && r[i] == i + 1 + i % 2);
        all = hash(all, i, r[i]);
    }
    df_wait();
    return hash(all, sum, counted);
}

/* Weak accesses and early release: done with the children; an error of a child is that of its parent. */
static uint64_t in_parts(uint64_t seed)
{
    df_handle h[4];
    long x[2] = { 1, 2 }, y[2] = { 3, 4 }, z[2] = { 5, 6 }, r[4];
    uint64_t all = 5;
    int code = test_below(&seed, 3) ? 0 : 5, failed_with;
    df_submit_with(DF_OPTS(.handle = &h[0], .result = DF_RESULT(both, &r[0])), both, x, 1, 0);
    df_submit_with(DF_OPTS(.handle = &h[1], .result = DF_RESULT(both, &r[1])), both, x, 2, 0);
    df_submit_with(DF_OPTS(.handle = &h[2], .release = 1, .result = DF_RESULT(early, &r[2])), early, y, 3);
    CHECK(await(&seed, &h[1]) == DF_OK && x[1] == 27);
    CHECK(await(&seed, &h[0]) == DF_OK && await(&seed, &h[2]) == DF_OK && y[0] == 12);
    df_submit_with(DF_OPTS(.handle = &h[3], .result = DF_RESULT(both, &r[3])), both, z, 4, code);
    /* without memory for a record of the parent, the error of its child is only that of the scope */
    failed_with = await(&seed, &h[3]);
    CHECK(failed_with == code || (handles_in_order && (!failed_with || failed_with == DF_ERROR_MEMORY)));
    CHECK(z[1] == 23);
    /* nor is there one without memory for a scope of the parent */
    if (handles_in_order) (void)df_wait_result();
    else CHECK(df_wait_result() == (df_result)code);
    for (int i = 0; i < 4; i++) all = hash(all, r[i], i < 2 ? x[i] : y[i - 2]);
    return hash(all, code ? 0 : z[0], z[1]); /* the error skips the other child, or not */
}

/* Elements of a stream; a task that should have written some is cancelled, and so is the one that should read them. */
static uint64_t in_streams(uint64_t seed)
{
    df_stream_of(long) *s = df_stream_new_of(long, (size_t)(1 + test_below(&seed, 4)));
    df_group g = DF_GROUP;
    df_handle h[HANDLES], k[HANDLES];
    long r[HANDLES], t[HANDLES];
    uint64_t all = 6;
    int n = 1 + test_below(&seed, HANDLES), skipped = test_below(&seed, 2 * n);
    if (!s) return all; /* no memory */
    df_group_cancel(&g);
    for (int i = 0; i < n; i++) {
        df_opts o = { .handle = &h[i], .result = DF_RESULT(make, &r[i]), .group = i == skipped ? &g : NULL };
        r[i] = t[i] = -7;
        df_submit_with(&o, make, s, i);
        df_submit_with(DF_OPTS(.handle = &k[i], .result = DF_RESULT(use, &t[i])), use, s, 100);
    }
    for (int i = 0; i < n; i++) {
        int c = await(&seed, &k[i]), d = await(&seed, &h[i]);
        CHECK(c == (i == skipped ? DF_ERROR_CANCELLED : DF_OK) && c == d);
        CHECK(r[i] == (i == skipped ? -7 : i) && t[i] == (i == skipped ? -7 : i + 100));
        all = hash(all, c, t[i]);
    }
    CHECK(df_wait_result() == DF_OK);
    df_stream_free(s);
    return all;
}

static int chosen(const int *p) { return *p; }
DF_PREDICATE(chosen, int, 1);

/* In a block whose guess is right, and in one whose guess is wrong: there no task was submitted. */
static uint64_t in_blocks(uint64_t seed)
{
    df_handle h = DF_HANDLE, k = DF_HANDLE, m = DF_HANDLE;
    long x = 1, r = -7, s = -7, failed = 1;
    int yes = 0, no = 1, turns = 3, wanted = test_below(&seed, 2);
    uint64_t all = 7;
    df_submit_with(DF_OPTS(.handle = &k), step, &failed, 5, 9);
    CHECK(df_wait_task(&k) == (df_result)9 && ends_with(9));
    df_submit(choose, &yes, 1, (unsigned)test_below(&seed, 20000));
    df_submit(choose, &no, !wanted, (unsigned)test_below(&seed, 20000));
    df_speculate_on(chosen, &yes, 1) {
        df_submit(step, &x, 1, 0);
        df_submit_with(DF_OPTS(.handle = &h, .result = DF_RESULT(look, &r)), look, &x);
        df_speculate(&no, 0) {
            df_submit(step, &x, 2, 0);
            df_submit_with(DF_OPTS(.handle = &k, .result = DF_RESULT(look, &s)), look, &x);
        }
    }
    CHECK(await(&seed, &h) == DF_OK && r == 4);
    /* if no task was submitted, the handle is that of before */
    CHECK(await(&seed, &k) == (wanted ? DF_OK : 9) && s == (wanted ? 14 : -7));
    df_submit(choose, &no, 1, 0);
    df_speculate_while_on(chosen, &no, 1) {
        df_submit_with(DF_OPTS(.handle = &m), choose, &no, --turns > 0, 500);
    }
    CHECK(await(&seed, &m) == DF_OK && df_wait_result() == DF_OK && no == 0);
    return hash(all, r, s + x);
}

/* A recorded block; its runs store results, and have no handles. */
static uint64_t in_graphs(uint64_t seed)
{
    df_taskgraph *g = df_taskgraph_new();
    df_handle h = DF_HANDLE, k = DF_HANDLE;
    long x = 1, r = -7, s = -7;
    if (!g) return 8;
    DF_TASKGRAPH(g) {
        df_submit_with(DF_OPTS(.handle = &h, .result = DF_RESULT(step, &r)), step, &x, 2, 0);
        df_submit_with(DF_OPTS(.handle = &k, .result = DF_RESULT(look, &s)), look, &x);
    }
    CHECK(await(&seed, &h) == DF_OK && df_done(&k) && r == 5 && s == 5);
    for (int i = 0; i < 2; i++) {
        r = s = 0;
        if (df_taskgraph_run(g) != DF_OK) break; /* no memory */
        CHECK(r == x && s == x && df_done(&h) && df_wait_task(&k) == DF_OK);
    }
    df_taskgraph_free(g);
    return 8;
}

/* Outputs that may be renamed, while readers of the earlier value exist. */
static uint64_t with_renaming(uint64_t seed)
{
    df_handle h[HANDLES], k[HANDLES];
    long x = 0, r[HANDLES], s[HANDLES];
    uint64_t all = 9;
    int n = 1 + test_below(&seed, HANDLES);
    for (int i = 0; i < n; i++) {
        df_submit_with(DF_OPTS(.handle = &h[i], .result = DF_RESULT(give, &r[i])), give, &x, i);
        df_submit_with(DF_OPTS(.handle = &k[i], .result = DF_RESULT(look, &s[i])), look, &x);
    }
    for (int i = n - 1; i >= 0; i--) {
        CHECK(await(&seed, &k[i]) == DF_OK && await(&seed, &h[i]) == DF_OK && r[i] == i && s[i] == i);
        all = hash(all, r[i], s[i]);
    }
    df_wait();
    CHECK(x == n - 1);
    return all;
}

/* Two handles in turn, used again and again; independent tasks. */
static uint64_t in_turn(uint64_t seed)
{
    df_handle h[2] = { DF_HANDLE, DF_HANDLE };
    long r[2] = { 0, 0 };
    uint64_t all = 10;
    for (int i = 0; i < 2 * HANDLES; i++) {
        int k = i % 2;
        CHECK(await(&seed, &h[k]) == DF_OK);
        CHECK(i < 2 || r[k] == 2 * (i - 2));
        df_submit_with(DF_OPTS(.handle = &h[k], .priority = i % 3, .result = DF_RESULT(twice, &r[k])), twice, i,
                       (unsigned)test_below(&seed, 3000));
        all = hash(all, i, k);
    }
    CHECK(await(&seed, &h[0]) == DF_OK && await(&seed, &h[1]) == DF_OK);
    df_wait();
    return hash(all, r[0], r[1]);
}

typedef uint64_t one_case(uint64_t seed);
static one_case *const handle_cases[] = { in_chain, in_group, by_tokens, in_common, in_parts, in_streams, in_blocks,
                                          in_graphs, with_renaming, in_turn };
enum { CASES = sizeof handle_cases / sizeof *handle_cases };

/* One of the cases here, or in a task or a block. */
static uint64_t handle_case(uint64_t seed, int which, int depth)
{
    uint64_t r[2] = { 0, 0 };
    df_handle h[2];
    switch (depth ? test_below(&seed, 3) : 0) {
    case 0: return handle_cases[which](seed);
    case 1: DF_PARALLEL r[0] = handle_case(seed, which, depth - 1);
        return r[0];
    default:
        for (int i = 0; i < 2; i++)
            df_submit_with(DF_OPTS(.handle = &h[i], .result = DF_RESULT(inside, &r[i])), inside,
                           seed - seed % CASES + (uint64_t)which, depth - 1);
        CHECK(await(&seed, &h[0]) == DF_OK && await(&seed, &h[1]) == DF_OK && r[0] == r[1]);
        return r[0];
    }
}
uint64_t inside(uint64_t seed, int depth) { return handle_case(seed, (int)(seed % CASES), depth); }

#endif
