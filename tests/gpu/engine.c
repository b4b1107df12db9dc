/* engine.c - every reader sees the last value written: kernels on one device and on another, tasks and loops of the
 * host, code after a wait
 *
 * Plain C on a second array computes the expected values. */
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "devices.h"

enum { N = 3000 };
typedef int32_t cell;
static cell a[N], b[N], want[N], want_b[N];

/* Neither of the two commutes with the other. */
DF_KERNEL(triple, df_inout(int32_t, x, n), (int, n), (int, plus),
{
    int i = df_global_id(0);
    if (i < n) x[i] = (int32_t)(3u * (uint32_t)x[i] + (uint32_t)(plus + i));
})
DF_KERNEL(add, df_in(int32_t, x, n), df_inout(int32_t, y, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) y[i] = (int32_t)((uint32_t)y[i] * 5u + (uint32_t)x[i]);
})
DF_KERNEL(fill, df_out(int32_t, x, n), (int, n), (int, value),
{
    int i = df_global_id(0);
    if (i < n) x[i] = value + i;
})

static void plain_triple(cell *x, int n, int plus)
{
    for (int i = 0; i < n; i++) x[i] = (cell)(3u * (uint32_t)x[i] + (uint32_t)(plus + i));
}
static void plain_add(const cell *x, cell *y, int n)
{
    for (int i = 0; i < n; i++) y[i] = (cell)((uint32_t)y[i] * 5u + (uint32_t)x[i]);
}
static void plain_fill(cell *x, int n, int value)
{
    for (int i = 0; i < n; i++) x[i] = value + i;
}

DF_STATIC_TASK(void, host_triple, df_inout(cell, x, n), (int, n), (int, plus));
static void host_triple(cell *x, int n, int plus) { plain_triple(x, n, plus); }
DF_STATIC_TASK(void, host_add, df_in(cell, x, n), df_inout(cell, y, n), (int, n));
static void host_add(const cell *x, cell *y, int n) { plain_add(x, y, n); }
DF_STATIC_TASK(void, host_fill, df_out(cell, x, n), (int, n), (int, value));
static void host_fill(cell *x, int n, int value) { plain_fill(x, n, value); }
DF_STATIC_LOOP(loop_triple, df_inout(cell, x, n), (int, n), (int, plus));
static void loop_triple(long lo, long hi, cell *x, int n, int plus)
{
    for (long i = lo; i < hi && i < n; i++) x[i] = (cell)(3u * (uint32_t)x[i] + (uint32_t)(plus + i));
}

static void begin(void)
{
    plain_fill(a, N, 1), plain_fill(want, N, 1);
    plain_fill(b, N, 7), plain_fill(want_b, N, 7);
}
/* a and b are as plain C makes them */
#define SAME() (CHECK(!memcmp(a, want, sizeof a)), CHECK(!memcmp(b, want_b, sizeof b)))

/* --- one after the other ----------------------------------------------------------------------------- */

/* Every pair of places: each updates data that the other one wrote, which it would not see if the data had not
 * moved. */
static void from_place_to_place(void)
{
    int places = df_gpu_devices() + 2;
    begin();
    for (int i = 0; i < places; i++)
        for (int j = 0; j < places; j++)
            for (int k = 0; k < 2; k++) {
                int where = k ? j : i, plus = i * 100 + j;
                if (where == 0) df_submit(host_triple, a, N, plus);
                else if (where == places - 1) df_for(loop_triple, 0, N, a, N, plus);
                else df_launch_with(DF_OPTS(.device = where), triple, df_grid(N), a, N, plus);
                plain_triple(want, N, plus);
            }
    CHECK(df_wait_result() == DF_OK);
    SAME();
}

/* The code between waits changes what kernels read, again and again. */
static void between_waits(void)
{
    begin();
    for (int i = 0; i < 50; i++) {
        df_launch_with(DF_OPTS(.device = device_of(i)), add, df_grid(N), a, b, N);
        plain_add(want, want_b, N);
        if (i % 3 == 0) {
            df_wait(); /* the block is a scope of its own */
            DF_PARALLEL {
                df_launch_with(DF_OPTS(.device = device_of(i / 3)), triple, df_grid(N / 2), a + N / 2, N / 2, i);
            }
            plain_triple(want + N / 2, N / 2, i);
        }
        df_wait();
        SAME();
        plain_triple(a, N, i), plain_triple(want, N, i);
        b[i] = want_b[i] = i;
    }
}

/* The region of df_wait_on may be read; the rest continues. */
static void wait_on_part(void)
{
    begin();
    for (int i = 0; i < 30; i++) {
        int at = i * 97 % (N - 100), d = device_of(i);
        df_launch_with(DF_OPTS(.device = d), triple, df_grid(N), a, N, i);
        plain_triple(want, N, i);
        if (i % 2) df_submit(host_triple, a + at, 50, i), plain_triple(want + at, 50, i);
        df_wait_on(a + at, 100 * sizeof *a);
        CHECK(!memcmp(a + at, want + at, 100 * sizeof *a));
        df_launch_with(DF_OPTS(.device = d), add, df_grid(N), a, b, N);
        plain_add(want, want_b, N);
    }
    df_wait();
    SAME();
}

/* Regions that overlap in part, are contained, or equal, in any order, by the host and by devices. */
static void overlaps(void)
{
    uint64_t seed = 5;
    begin();
    for (int i = 0; i < 400; i++) {
        int at = test_below(&seed, N / 100) * 50, n = 50 * (1 + test_below(&seed, 20)),
            d = device_of(test_below(&seed, 100));
        if (n > N - at) n = N - at;
        switch (test_below(&seed, 7)) {
        case 0: df_submit(host_triple, a + at, n, i), plain_triple(want + at, n, i); break;
        case 1: df_submit(host_add, a + at, b + at, n), plain_add(want + at, want_b + at, n); break;
        case 2: df_submit(host_fill, a + at, n, i), plain_fill(want + at, n, i); break;
        case 3:
            df_launch_with(DF_OPTS(.device = d), fill, df_grid(n), b + at, n, i), plain_fill(want_b + at, n, i); break;
        case 4:
            df_launch_with(DF_OPTS(.device = d), add, df_grid(n), b + at, a + at, n),
                plain_add(want_b + at, want + at, n); break;
        default:
            df_launch_with(DF_OPTS(.device = d), triple, df_grid(n), a + at, n, i), plain_triple(want + at, n, i);
            break;
        }
        if (test_below(&seed, 50) == 0) df_wait(), SAME();
    }
    df_wait();
    SAME();
}

/* The same region for two parameters, and outputs of a kernel that overlap its inputs: then one item processes all
 * of it. */
DF_KERNEL(running, df_in(int32_t, x, n), df_inout(int32_t, y, n), (int, n),
{
    if (df_global_id(0) == 0)
        for (int i = 0; i < n; i++) y[i] = (int32_t)((uint32_t)y[i] * 3u + (uint32_t)x[i]);
})
DF_KERNEL(square, df_in(int32_t, x, n), df_inout(int32_t, y, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) y[i] = (int32_t)((uint32_t)x[i] * 2u + 1u);
})
static void within_a_launch(void)
{
    begin();
    for (int i = 0; i < 6; i++) {
        df_launch_with(DF_OPTS(.device = device_of(i)), square, df_grid(100), a, a, 100);
        df_launch_with(DF_OPTS(.device = device_of(i + 1)), running, df_grid(1), a + i, a + 10, 100);
        for (int k = 0; k < 100; k++) want[k] = (cell)((uint32_t)want[k] * 2u + 1u);
        for (int k = 0; k < 100; k++) want[10 + k] = (cell)((uint32_t)want[10 + k] * 3u + (uint32_t)want[i + k]);
    }
    df_wait();
    SAME();
}

/* --- scopes ------------------------------------------------------------------------------------------ */

/* A task that launches, waits in between, and does the rest after its end. */
DF_STATIC_TASK(void, parent, df_inout(cell, x, n), (int, n), (int, depth), (int, how));
static void parent(cell *x, int n, int depth, int how)
{
    plain_triple(x, n, depth);
    df_launch_with(DF_OPTS(.device = device_of(how)), triple, df_grid(n / 2), x, n / 2, how);
    if (how % 3 == 0) {
        df_wait();
        plain_triple(x, n, how);
    }
    if (depth) {
        df_submit(parent, x, n / 2, depth - 1, how + 1);
        df_submit(parent, x + n / 2, n - n / 2, depth - 1, how + 2);
    }
    df_launch_with(DF_OPTS(.device = device_of(how + 1)), triple, df_grid(n), x, n, how);
}
static void plain_parent(cell *x, int n, int depth, int how)
{
    plain_triple(x, n, depth);
    plain_triple(x, n / 2, how);
    if (how % 3 == 0) plain_triple(x, n, how);
    if (depth) plain_parent(x, n / 2, depth - 1, how + 1), plain_parent(x + n / 2, n - n / 2, depth - 1, how + 2);
    plain_triple(x, n, how);
}
static void nested(void)
{
    begin();
    for (int i = 0; i < 4; i++) {
        df_submit(parent, a, N, 4, i);
        df_submit(host_add, a, b, N);
        plain_parent(want, N, 4, i), plain_add(want, want_b, N);
    }
    df_wait();
    SAME();
}

/* A spawned function waits for its kernels before it returns. */
DF_STATIC_TASK(int, spawned, (cell *, x), (int, n), (int, how));
static int spawned(cell *x, int n, int how)
{
    df_launch_with(DF_OPTS(.device = device_of(how)), triple, df_grid(n), x, n, how);
    df_wait();
    return x[n - 1];
}
static void spawns(void)
{
    begin();
    for (int i = 0; i < 20; i++) {
        df_future(spawned) left;
        df_spawn(spawned, &left, a, N / 2, i);
        int right = spawned(a + N / 2, N / 2, i + 1);
        plain_triple(want, N / 2, i), plain_triple(want + N / 2, N / 2, i + 1);
        CHECK(df_sync(spawned, &left) == want[N / 2 - 1] && right == want[N - 1]);
    }
    SAME();
}

/* df_local, small and large, is gone with the last kernel that uses it: the task that asked for it ended long
 * before. */
DF_KERNEL(total, df_in(int32_t, x, n), df_inout(int32_t, sum, 1), (int, n),
{
    if (df_global_id(0) == 0)
        for (int i = 0; i < n; i++) sum[0] = (int32_t)((uint32_t)sum[0] * 3u + (uint32_t)x[i]);
})
DF_STATIC_TASK(void, with_local, df_inout(cell, sum, 1), (int, n), (int, how));
static void with_local(cell *sum, int n, int how)
{
    cell *x = df_local(cell, n);
    df_launch_with(DF_OPTS(.device = device_of(how)), fill, df_grid(n), x, n, how);
    if (how % 3 == 1) df_submit(host_triple, x, n, how);
    if (how % 3 == 2) df_launch_with(DF_OPTS(.device = device_of(how + 1)), triple, df_grid(n), x, n, how);
    df_launch_with(DF_OPTS(.device = device_of(how / 2)), total, df_grid(1), x, sum, n);
    df_launch_with(DF_OPTS(.device = device_of(how / 2)), fill, df_grid(n), x, n, 0); /* for nobody */
}
static void locals(void)
{
    begin();
    for (int i = 0; i < 300; i++) {
        cell x[500];
        int n = i % 2 ? 1 + i % 20 : 100 + i;
        df_submit(with_local, &a[i % 7], n, i);
        plain_fill(x, n, i);
        if (i % 3) plain_triple(x, n, i);
        for (int k = 0; k < n; k++) want[i % 7] = (cell)((uint32_t)want[i % 7] * 3u + (uint32_t)x[k]);
        if (i % 50 == 0) df_wait();
    }
    df_wait();
    SAME();
}

/* Memory that is freed after a wait, and comes back as something else. */
static void reallocated(void)
{
    for (int i = 0; i < 60; i++) {
        int n = 1 + i * 331 % 2500;
        cell *x = (cell *)malloc((size_t)n * sizeof *x), *y = (cell *)malloc((size_t)n * sizeof *y);
        plain_fill(x, n, i), plain_fill(want, n, i);
        if (i % 2)
            df_launch_with(DF_OPTS(.device = device_of(i)), triple, df_grid(n), x, n, i), plain_triple(want, n, i);
        df_launch_with(DF_OPTS(.device = device_of(i / 2)), fill, df_grid(n), y, n, i);
        df_launch_with(DF_OPTS(.device = device_of(i / 3)), add, df_grid(n), x, y, n);
        plain_fill(want_b, n, i), plain_add(want, want_b, n);
        df_wait();
        CHECK(!memcmp(x, want, (size_t)n * sizeof *x) && !memcmp(y, want_b, (size_t)n * sizeof *y));
        free(x), free(y);
    }
}

/* --- options, loops ------------------------------------------------------------------------------------ */

/* A kernel that signals has its results in host memory: a task after the token need not declare them. */
DF_STATIC_TASK(void, undeclared, (const cell *, x), (cell *, sum), (int, n));
static void undeclared(const cell *x, cell *sum, int n)
{
    for (int i = 0; i < n; i++) *sum = (cell)((uint32_t)*sum * 3u + (uint32_t)x[i]);
}
static void tokens(void)
{
    begin();
    for (int i = 0; i < 20; i++) {
        df_token done = DF_TOKEN(2), read = DF_TOKEN(1);
        cell sum = i, plain = i;
        df_launch_with(DF_OPTS(.device = device_of(i), .signals = DF_TOKENS(&done)), triple, df_grid(N / 2), a, N / 2,
                       i);
        df_launch_with(DF_OPTS(.device = device_of(i + 1), .signals = DF_TOKENS(&done)), triple, df_grid(N / 2),
                       a + N / 2, N / 2, i);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&done), .signals = DF_TOKENS(&read)), undeclared, a, &sum, N);
        df_launch_with(DF_OPTS(.device = device_of(i / 2), .after = DF_TOKENS(&read)), triple, df_grid(N), a, N, i);
        plain_triple(want, N / 2, i), plain_triple(want + N / 2, N / 2, i);
        undeclared(want, &plain, N);
        plain_triple(want, N, i);
        CHECK(df_wait_token(&read) == DF_OK && sum == plain);
        df_wait();
    }
    SAME();
}

/* Nothing runs, nothing is written, and the thread that waits for the token continues. */
static void no_items(void)
{
    df_token t = DF_TOKEN(2);
    begin();
    df_launch(fill, df_grid(0), a, N, 5);
    df_launch_with(DF_OPTS(.device = 1, .signals = DF_TOKENS(&t)), fill, df_grid2(0, 7, 0, 0), a, N, 5);
    df_launch_with(DF_OPTS(.signals = DF_TOKENS(&t)), fill, df_grid3(4, 4, 0, 2, 2, 2), a, N, 5);
    df_launch(fill, df_grid(N), a, 0, 5);
    df_launch(add, df_grid(N), (const cell *)NULL, (cell *)NULL, 0);
    CHECK(df_wait_token(&t) == DF_OK && df_wait_result() == DF_OK);
    SAME();
}

/* Loops, and tasks of other kinds, after kernels without a wait. */
DF_STATIC_TASK(void, strong_and_weak, df_in(cell, x, n), df_weak_inout(cell, y, n), (int, n), (int, how));
static void strong_and_weak(const cell *x, cell *y, int n, int how)
{
    df_launch_with(DF_OPTS(.device = device_of(how)), add, df_grid(n / 2), x, y, n / 2);
    df_submit(host_add, x + n / 2, y + n / 2, n - n / 2);
}
DF_STATIC_TASK(void, releases, df_inout(cell, x, n), (int, n), (int, how));
static void releases(cell *x, int n, int how)
{
    df_launch_with(DF_OPTS(.device = device_of(how)), triple, df_grid(n / 2), x, n / 2, how);
    df_wait();
    df_release(x, n / 2);
    plain_triple(x + n / 2, n - n / 2, how);
    df_launch_with(DF_OPTS(.device = device_of(how)), triple, df_grid(n - n / 2), x + n / 2, n - n / 2, how);
}
static void other_tasks(void)
{
    begin();
    for (int i = 0; i < 30; i++) {
        df_launch_with(DF_OPTS(.device = device_of(i)), triple, df_grid(N), a, N, i);
        df_for(loop_triple, 10, N / 2, a, N, i);
        df_submit(strong_and_weak, a, b, N, i);
        df_launch_with(DF_OPTS(.device = device_of(i + 1)), triple, df_grid(N / 3), b, N / 3, i);
        df_submit_with(DF_OPTS(.release = 1), releases, a, N, i);
        df_launch_with(DF_OPTS(.device = device_of(i)), add, df_grid(N / 2), a, b, N / 2);
        plain_triple(want, N, i);
        loop_triple(10, N / 2, want, N, i);
        plain_add(want, want_b, N), plain_triple(want_b, N / 3, i);
        plain_triple(want, N / 2, i), plain_triple(want + N / 2, N - N / 2, i),
            plain_triple(want + N / 2, N - N / 2, i);
        plain_add(want, want_b, N / 2);
    }
    df_wait();
    SAME();
}

/* A stage of a pipe, and a task on a stream, launch and are launched after. */
struct item { int i; };
DF_STATIC_PIPE(stages, struct item);
static int stages(int stage, struct item *item, long i, void *ctx)
{
    if (stage == 0) {
        if (i == 20) return DF_PIPE_END;
        item->i = (int)i;
        return df_in_order(1);
    }
    df_launch_with(DF_OPTS(.device = device_of(item->i)), triple, df_grid(N), (cell *)ctx, N, item->i);
    df_wait();
    plain_triple((cell *)ctx, 10, item->i);
    return DF_PIPE_DONE;
}
DF_STATIC_TASK(void, pushes, df_in(cell, x, N), df_push(cell, out, 1), (int, n));
static void pushes(const cell *x, cell *out, int n) { out[0] = x[n]; }
DF_STATIC_TASK(void, pops, df_pop(cell, in, 1), df_inout(cell, x, N), (int, n));
static void pops(const cell *in, cell *x, int n) { x[n] = (cell)((uint32_t)x[n] + (uint32_t)in[0]); }
static void pipes_and_streams(void)
{
    df_stream *s = df_stream_new(sizeof(cell), 4);
    begin();
    CHECK(df_pipe(stages, NULL, a) == 20);
    for (int i = 0; i < 20; i++) plain_triple(want, N, i), plain_triple(want, 10, i);
    SAME();
    for (int i = 0; i < 20; i++) {
        df_launch_with(DF_OPTS(.device = device_of(i)), triple, df_grid(N), a, N, i);
        df_submit(pushes, a, s, i);
        df_submit(pops, s, b, i);
        df_launch_with(DF_OPTS(.device = device_of(i + 1)), triple, df_grid(N), b, N, i);
        plain_triple(want, N, i), pops(&want[i], want_b, i), plain_triple(want_b, N, i);
    }
    df_wait();
    df_stream_free(s);
    SAME();
}

/* Outputs that had buffers of their own before the first launch. */
static void renamed(void)
{
    begin();
    for (int i = 0; i < 200; i++) {
        df_submit(host_fill, a, N, i);
        df_submit(host_add, a, b, N);
        plain_fill(want, N, i), plain_add(want, want_b, N);
    }
    for (int i = 0; i < 20; i++) {
        df_launch_with(DF_OPTS(.device = device_of(i)), triple, df_grid(N), a, N, i);
        df_launch_with(DF_OPTS(.device = device_of(i)), add, df_grid(N), a, b, N);
        df_submit(host_fill, a, N, i);
        plain_triple(want, N, i), plain_add(want, want_b, N), plain_fill(want, N, i);
    }
    df_wait();
    SAME();
}

/* More regions than the engine keeps. */
static void many_regions(void)
{
    enum { CELLS = 13000 };
    static cell x[CELLS], y[CELLS];
    for (int round = 0; round < 2; round++) {
        plain_fill(x, CELLS, round), plain_fill(y, CELLS, round);
        for (int i = 0; i + 7 < CELLS; i += 3) {
            df_launch_with(DF_OPTS(.device = device_of(i / 500)), triple, df_grid(3 + i % 4), x + i, 3 + i % 4, i);
            plain_triple(y + i, 3 + i % 4, i);
            if (i % 3000 == 0) df_wait();
        }
        df_wait();
        CHECK(!memcmp(x, y, sizeof x));
    }
}

int main(void)
{
    EVERYWHERE(from_place_to_place);
    EVERYWHERE(between_waits);
    EVERYWHERE(wait_on_part);
    EVERYWHERE(overlaps);
    EVERYWHERE(within_a_launch);
    EVERYWHERE(nested);
    EVERYWHERE(spawns);
    EVERYWHERE(locals);
    EVERYWHERE(reallocated);
    EVERYWHERE(tokens);
    EVERYWHERE(no_items);
    EVERYWHERE(other_tasks);
    EVERYWHERE(pipes_and_streams);
    set("DF_RENAME_BYTES", "1000000");
    EVERYWHERE(renamed);
    set("DF_RENAME_BYTES", NULL);
    ON("2:1M", many_regions);
    return 0;
}
