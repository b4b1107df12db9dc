/* taskgraph.c - graphs recorded once and run again, of tasks with everything a graph can have: the memory after each
 * run is that of the serial build, which submits the tasks again */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 64 };

DF_STATIC_TASK(void, add, df_inout(uint64_t, x, n), (int, n), (uint64_t, a));
DF_STATIC_TASK(void, copy, df_in(uint64_t, from, n), df_out(uint64_t, to, n), (int, n));
DF_STATIC_TASK(void, blocks, df_in2(uint64_t, from, rows, cols, 8), df_inout2(uint64_t, to, rows, cols, 8),
               (int, rows), (int, cols));
DF_STATIC_TASK(void, total, df_in(uint64_t, x, n), df_reduce(df_sum, uint64_t, sum, 1), (int, n));
DF_STATIC_TASK(void, largest, df_in_range(uint64_t, x, end), df_reduce(df_max, uint64_t, max, 1));
DF_STATIC_TASK(void, count, df_commute(uint64_t, c, 1), df_commute(uint64_t, d, 1), (uint64_t, a));
DF_STATIC_TASK(void, tick, df_concurrent(uint64_t, c, 1));
DF_STATIC_TASK(void, fill, df_weak_out(uint64_t, x, n), (int, n), (uint64_t, a));
DF_STATIC_TASK(void, halves, df_inout(uint64_t, x, n), (int, n), (uint64_t, a));
DF_STATIC_TASK(int, fails, df_inout(uint64_t, x, 1), (int, code));
DF_STATIC_TASK(void, nothing);

static void add(uint64_t *x, int n, uint64_t a) { for (int i = 0; i < n; i++) x[i] = test_mix(x[i], a); }
static void copy(const uint64_t *from, uint64_t *to, int n) { memcpy(to, from, (size_t)n * sizeof *to); }
static void blocks(const uint64_t *from, uint64_t *to, int rows, int cols)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) to[8 * i + j] = test_mix(to[8 * i + j], from[8 * i + j]);
}
static void total(const uint64_t *x, uint64_t *sum, int n) { for (int i = 0; i < n; i++) *sum += x[i]; }
static void largest(const uint64_t *x, const uint64_t *end, uint64_t *max)
{
    for (; x < end; x++) if (*x > *max) *max = *x;
}
static void count(uint64_t *c, uint64_t *d, uint64_t a) { *c += a, *d += a * a; }
static void tick(uint64_t *c)
{
#if defined(DF_SERIAL)
    ++*c;
#else
    __atomic_fetch_add(c, (uint64_t)1, __ATOMIC_RELAXED);
#endif
}
static void fill(uint64_t *x, int n, uint64_t a)
{
    for (int i = 0; i < n; i += 8) df_submit(add, x + i, n - i < 8 ? n - i : 8, a);
}
/* recursive: children without a wait, and memory of the scope */
static void halves(uint64_t *x, int n, uint64_t a)
{
    uint64_t *t;
    if (n < 8) {
        add(x, n, a);
        return;
    }
    t = df_local(uint64_t, n);
    df_submit(copy, x, t, n);
    df_submit(halves, x, n / 2, a);
    df_submit(halves, x + n / 2, n - n / 2, a + 1);
    df_submit(blocks, t, x, n / 8, 8);
}
static int fails(uint64_t *x, int code)
{
    *x += 1;
    if (code) df_fail(code, "as asked for");
    return code;
}
static void nothing(void) {}

static uint64_t x[N], y[N], s[4];
static void reset(void)
{
    for (uint64_t i = 0; i < N; i++) x[i] = i, y[i] = 3 * i;
    memset(s, 0, sizeof s);
}
static void show(const char *what)
{
    uint64_t h = 0;
    for (int i = 0; i < N; i++) h = test_mix(test_mix(h, x[i]), y[i]);
    printf("%s %016llx %llu %llu %llu %llu\n", what, (unsigned long long)h, (unsigned long long)s[0],
           (unsigned long long)s[1], (unsigned long long)s[2], (unsigned long long)s[3]);
}

/* --- blocks ---------------------------------------------------------------------------------------------- */

static void ranges(void)
{
    for (int i = 0; i + 12 <= N; i += 4) df_submit(add, x + i, 12, (uint64_t)i);
    df_submit(copy, x, y, N);
    for (int i = 0; i + 8 <= N; i += 8) df_submit(add, y + i, 8, 1);
    for (int i = 0; i < 4; i++) df_submit(blocks, y + i, x + i + 16, 4, 3);
    df_submit(add, x, 0, 0); /* accesses nothing */
    df_submit(nothing);
}

static void reductions(void)
{
    for (int i = 0; i < N; i += 4) df_submit(total, x + i, &s[0], 4);
    df_submit(add, x, N, 5);
    for (int i = 0; i < N; i += 16) df_submit(largest, x + i, x + i + 16, &s[1]);
    df_submit(total, &s[0], &s[1], 1);
    df_submit(add, &s[0], 2, 2);
    df_submit(total, x, &s[0], N);
}

static void sharing(void)
{
    for (uint64_t i = 0; i < 40; i++) df_submit(count, &s[i % 3], &s[(i + 1 + i % 2) % 3], i);
    for (int i = 0; i < 20; i++) df_submit(tick, &s[3]);
    df_submit(add, s, 4, 7);
    for (int i = 0; i < 20; i++) df_submit(tick, &s[3]);
}

static void nested(void)
{
    df_submit(halves, x, N, 1);
    df_submit(copy, x, y, N);
    df_submit(halves, y, N, 2);
    df_submit(halves, x, N / 2, 3);
}

static void weak(void)
{
    df_submit(fill, x, N, 3);
    df_submit(add, x + 8, 16, 4);
    df_submit(fill, x, N / 2, 5);
    df_submit(copy, x, y, N);
}

static void options(void)
{
    static df_group group;
    for (int i = 0; i < 16; i++) {
        df_submit_with(DF_OPTS(.priority = i % 5 - 2, .name = "with a priority"), add, x + 4 * i, 4, (uint64_t)i);
        df_submit_with(DF_OPTS(.worker = i % 3 == 1 ? DF_MAIN_THREAD : 0, .group = &group), add, y + 4 * i, 4,
                       (uint64_t)i);
    }
    df_submit(copy, x, y, N / 2);
}

static void waits(void)
{
    uint64_t *t = df_local(uint64_t, N);
    df_submit(copy, x, t, N);
    df_submit(add, t, N, 1);
    df_wait();
    df_wait();
    df_submit(add, x, N, 2);
    df_submit(copy, t, y, N);
    df_wait_on(y, sizeof y);
    df_submit(total, y, &s[2], N);
    df_submit(copy, y, t, N);
    df_wait();
}

static void mixed(void)
{
    ranges();
    sharing();
    reductions();
    df_wait();
    nested();
    options();
}

static void run(const char *name, void (*block)(void))
{
    df_taskgraph *g = df_taskgraph_new();
    reset();
    DF_TASKGRAPH(g) block();
    show(name);
    for (int i = 0; i < 4; i++) {
        CHECK(df_taskgraph_run(g) == DF_OK);
        show(name);
    }
    /* also in a block, in which other tasks run, and which is left by a jump */
    DF_PARALLEL {
        static uint64_t z[N];
        df_submit(halves, z, N, 1);
        if (df_taskgraph_run(g) != DF_OK) break;
    }
    show(name);
    df_taskgraph_free(g);
}

/* --- arguments ------------------------------------------------------------------------------------------- */

static void arguments(void)
{
    df_taskgraph *g = df_taskgraph_new();
    reset();
    DF_TASKGRAPH(g) {
        for (int i = 0; i < N; i += 8) df_submit(add, x + i, 8, 1);
        df_submit(copy, x, y, N);
        df_submit(add, x, 4, 2);
    }
    printf("%ld %ld %ld\n", df_taskgraph_count(g, add), df_taskgraph_count(g, copy), df_taskgraph_count(g, total));
    for (int k = 0; k < 9; k++) {
        df_taskgraph_set(g, add, k, a, (uint64_t)k * 10);
        CHECK(df_taskgraph_run(g) == DF_OK);
    }
    show("values");
    df_taskgraph_set(g, add, 3, n, 20); /* longer: now it overlaps its neighbours */
    CHECK(df_taskgraph_run(g) == DF_OK && df_taskgraph_run(g) == DF_OK);
    show("longer");
    df_taskgraph_set(g, copy, 0, from, y + 1);
    df_taskgraph_set(g, copy, 0, to, x);
    df_taskgraph_set(g, copy, 0, n, N - 1);
    CHECK(df_taskgraph_run(g) == DF_OK && df_taskgraph_run(g) == DF_OK);
    show("elsewhere");
    df_taskgraph_free(g);
}

/* --- errors ---------------------------------------------------------------------------------------------- */

static void errors(void)
{
    df_taskgraph *g = df_taskgraph_new();
    reset();
    DF_TASKGRAPH(g) {
        df_submit(fails, &s[0], 0);
        df_submit(add, x, N, 1);
        df_submit(copy, &s[0], &s[1], 1);
    }
    df_taskgraph_set(g, fails, 0, code, 5);
    /* of the other tasks only what comes after the one that fails is certain not to run */
    for (int i = 0; i < 3; i++) {
        df_result r = df_taskgraph_run(g);
        printf("%d %s %llu %llu\n", (int)r, df_error_text(r), (unsigned long long)s[0], (unsigned long long)s[1]);
    }
    df_taskgraph_set(g, fails, 0, code, 0);
    CHECK(df_taskgraph_run(g) == DF_OK);
    printf("%llu\n", (unsigned long long)s[1]);
    df_taskgraph_free(g);

    g = df_taskgraph_new(); /* a wait ends a cancellation */
    DF_TASKGRAPH(g) {
        df_submit(fails, &s[0], 0);
        df_submit(copy, &s[0], &s[2], 1);
        df_wait();
        df_submit(copy, &s[0], &s[3], 1);
    }
    df_taskgraph_set(g, fails, 0, code, 6);
    for (int i = 0; i < 3; i++) {
        df_result r = df_taskgraph_run(g);
        printf("%d %llu %llu\n", (int)r, (unsigned long long)s[2], (unsigned long long)s[3]);
    }
    df_taskgraph_free(g);

    {
        df_group group = DF_GROUP; /* what comes after a task that is cancelled is skipped; not after a wait */
        g = df_taskgraph_new();
        reset();
        DF_TASKGRAPH(g) {
            df_submit_with(DF_OPTS(.group = &group), add, &s[0], 1, 1);
            df_submit(add, &s[1], 1, 1);
            df_wait();
            df_submit(add, &s[2], 1, 1);
        }
        show("group");
        df_group_cancel(&group);
        printf("%d\n", (int)df_taskgraph_run(g));
        show("group");
        df_taskgraph_free(g);
    }
}

static void tokens(void)
{
    df_token t;
    df_taskgraph *g = df_taskgraph_new();
    df_token_init(&t, 2);
    reset();
    DF_TASKGRAPH(g) {
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), copy, x, y, N);
        df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), add, s, 2, 1);
        df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), add, s + 2, 2, 1);
        df_submit(add, y, N, 9);
    }
    show("tokens");
    for (int i = 0; i < 3; i++) {
        df_token_init(&t, 2);
        CHECK(df_taskgraph_run(g) == DF_OK);
        show("tokens");
    }
    df_taskgraph_free(g);
}

static void empty(void)
{
    df_taskgraph *g = df_taskgraph_new(), *h = df_taskgraph_new();
    DF_TASKGRAPH(g) {}
    CHECK(df_taskgraph_run(g) == DF_OK && df_taskgraph_run(g) == DF_OK);
    DF_TASKGRAPH(h) break;
    CHECK(df_taskgraph_run(h) == DF_OK);
    df_taskgraph_free(g);
    df_taskgraph_free(h);
    df_taskgraph_free(df_taskgraph_new());
    df_taskgraph_free(NULL);
}

static void all(void *arg)
{
    (void)arg;
    run("ranges", ranges);
    run("reductions", reductions);
    run("sharing", sharing);
    run("nested", nested);
    run("weak", weak);
    run("options", options);
    run("waits", waits);
    run("mixed", mixed);
    arguments();
}
DF_STATIC_TASK(void, inside);
static void inside(void) { all(NULL); }

int main(void)
{
    all(NULL);
    errors();
    tokens();
    empty();
    df_submit(inside); /* in the body of a task */
    df_wait();
    return 0;
}
