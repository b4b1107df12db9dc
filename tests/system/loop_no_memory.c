/* loop_no_memory.c - memory runs out at the n-th allocation of loops with reductions, wavefronts and pipes, for many n:
 * everything is still right, or the pipe says that it was not run
 *
 * Each n is a process of its own, once with only the n-th allocation failing and once with all from the n-th on.
 * Mistakes would be a wrong result, a hang, a leak (AddressSanitizer), a message that is not about memory. */
#define _DEFAULT_SOURCE
#include "failing_malloc.h"
#define DF_IMPLEMENTATION
#include "df.h"
#include "no_memory.h"
#include "work.h"

enum { N = 300, SIDE = 9 };

DF_TASK(void, add, df_reduce(df_sum, long, x, 1), (long, k));
void add(long *x, long k) { *x += k; }
DF_LOOP(sums, (int, tasks), df_reduce(df_sum, long, x, 2), df_reduce(df_max, int, most, 1),
        df_reduce2(df_sum, int, m, 2, 1, 3));
void sums(long lo, long hi, int tasks, long *x, int *most, int *m)
{
    for (long i = lo; i < hi; i++) {
        if (tasks) df_submit(add, &x[i % 2], i);
        else x[i % 2] += i;
        if (i > *most) *most = (int)i;
        m[i % 2 * 3]++;
        test_spin(i % 50 ? 0 : 2000);
    }
    if (tasks) df_wait();
}
static void loops(void)
{
    for (int k = 0; k < 8; k++) {
        df_loop o = { .schedule = k % 4, .deterministic = k > 3, .grain = k == 2 ? 20 : 0 };
        long x[2] = { 0, 0 };
        int most = 0, m[4] = { 0, 7, 7, 0 };
        df_for_with(&o, sums, 0, N, k == 1 || k == 6, x, &most, m);
        CHECK(x[0] == N / 2 * (N / 2 - 1) && x[1] == N / 2 * (N / 2) && most == N - 1);
        CHECK(m[0] == N / 2 && m[1] == 7 && m[2] == 7 && m[3] == N / 2);
    }
}

static int table[SIDE][SIDE];
DF_LOOP2(binomial, df_inout(int, t, SIDE *SIDE), (int, tasks), df_reduce(df_sum, long, sum, 1));
void binomial(long lo, long hi, long lo1, long hi1, int *t, int tasks, long *sum)
{
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++) {
            t[i * SIDE + j] = i && j ? t[(i - 1) * SIDE + j] + t[i * SIDE + j - 1] : 1;
            if (tasks) df_submit(add, sum, 1);
            else ++*sum;
        }
    if (tasks) df_wait();
}
static void wavefronts(void)
{
    for (int k = 0; k < 4; k++) {
        long sum = 5;
        memset(table, 0, sizeof table);
        df_wavefront_with(DF_LOOP_OPTS(.grain = 1 + k, .grain1 = k), binomial, DF_VECTORS({ 1, 0 }, { 0, 1 }), 0, SIDE,
                          0, SIDE, table[0], k == 2, &sum);
        CHECK(table[8][8] == 12870 && table[3][2] == 10 && sum == 5 + SIDE * SIDE);
    }
}

DF_PIPE(stages, long);
int stages(int stage, long *x, long i, void *ctx)
{
    long *total = ctx;
    switch (stage) {
    case 0:
        if (i == 40) return DF_PIPE_END;
        *x = i;
        return df_continue(1);
    case 1:
        DF_PARALLEL df_submit(add, x, 1);
        return df_in_order(2);
    default:
        *total = (*total * 3 + *x) % 1000003;
        return DF_PIPE_DONE;
    }
}
DF_PIPE(goes_wrong, long);
int goes_wrong(int stage, long *x, long i, void *ctx)
{
    (void)stage, (void)x, (void)ctx;
    return i > 3 ? df_continue(-1) : (int)DF_PIPE_DONE;
}
static void pipes(void)
{
    long want = 0, n;
    for (long i = 1; i <= 40; i++) want = (want * 3 + i) % 1000003;
    for (int k = 0; k < 4; k++) {
        long total = 0;
        n = df_pipe(stages, k ? &(df_pipe_opts){ .window = 5 * k - 4 } : NULL, &total);
        if (n == 40) CHECK(total == want);
        else CHECK(failed && n == DF_ERROR_MEMORY && total == 0);
    }
}
DF_TASK(void, in_task, df_out(int, done, 1));
void in_task(int *done)
{
    loops();
    wavefronts();
    *done = 1;
}

static int run(void *unused)
{
    int done = 0;
    long n;
    (void)unused;
    loops();
    wavefronts();
    pipes();
    n = df_pipe(goes_wrong, &(df_pipe_opts){ .window = 3 }, NULL);
    CHECK(n == DF_ERROR_MEMORY ? failed : n >= 5 && n <= 7); /* item 4 ends the pipe; at most 3 are in flight, 4 5 6 */
    n = df_wait_result();
    CHECK(n == DF_ERROR_STAGE || failed);
    df_submit(in_task, &done);
    df_wait();
    CHECK(done);
    if (failed && only_one) CHECK(work_right()); /* and it has recovered */
    df_stop();
    return failed ? 0 : 77;
}

/* Does every line say that there was no memory, or that the stage is wrong? */
static int as_expected(const struct child *c)
{
    const char *text = c->err;
    if (c->lines >= 20) return 0;
    while (*text) {
        char line[500];
        size_t n = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        if (!strstr(line, "memory") && !strstr(line, "goes_wrong")) return 0;
        text += n + (text[n] == '\n');
    }
    return 1;
}

int main(void)
{
    for (only_one = 0; only_one < 2; only_one++) {
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "1"), test_step(9), as_expected) > 10);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "2"), test_step(11), as_expected) > 10);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "4"), test_step(13), as_expected) > 10);
    }
}
