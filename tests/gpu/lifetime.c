/* lifetime.c - devices from their first use to the end: started and stopped again, in the child of a fork; launches
 * by several threads, below tasks, cancelled and failed on the way; and less memory than the data of all threads
 * together */
#define _DEFAULT_SOURCE /* fork */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "devices.h"

enum { N = 2000, ROWS = 24 };
typedef int32_t cell;
static cell a[ROWS][N], want[ROWS][N];

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
static void plain_triple(cell *x, int n, int plus)
{
    for (int i = 0; i < n; i++) x[i] = (cell)(3u * (uint32_t)x[i] + (uint32_t)(plus + i));
}
static void plain_add(const cell *x, cell *y, int n)
{
    for (int i = 0; i < n; i++) y[i] = (cell)((uint32_t)y[i] * 5u + (uint32_t)x[i]);
}
DF_STATIC_TASK(void, host_triple, df_inout(cell, x, n), (int, n), (int, plus));
static void host_triple(cell *x, int n, int plus) { plain_triple(x, n, plus); }

static void begin(void)
{
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < N; i++) a[r][i] = want[r][i] = r * 100 + i;
}
#define SAME() CHECK(!memcmp(a, want, sizeof a))

/* A launch and a task of the host for each of some rows. */
static void some_work(int first, int rows, int k)
{
    for (int r = first; r < first + rows; r++) {
        df_launch_with(DF_OPTS(.device = r % 3 ? device_of(r + k) : 0), triple, df_grid(N), a[r], N, k);
        if ((r + k) % 4 == 0) df_submit(host_triple, a[r], N / 2, r);
        if (r > first) df_launch(add, df_grid(N), a[r - 1], a[r], N);
    }
    for (int r = first; r < first + rows; r++) {
        plain_triple(want[r], N, k);
        if ((r + k) % 4 == 0) plain_triple(want[r], N / 2, r);
        if (r > first) plain_add(want[r - 1], want[r], N);
    }
}

/* --- again and again ---------------------------------------------------------------------------------------------- */

static void again(void)
{
    begin();
    some_work(0, ROWS, 1); /* before that: df_start by the test, df_stop with all of it under way */
    df_stop();
    SAME();
    for (int i = 0; i < 6; i++) {
        if (i % 2) start_devices(1 + i); /* else the first launch starts the pool */
        CHECK(i % 3 || df_gpu_hold(a, sizeof a) == DF_OK); /* for ever: df_stop ends it */
        some_work(i, 4, i);
        if (i % 4 < 2) df_wait();
        df_stop();
        SAME();
    }
    df_stop();
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static void *thread(void *p)
{
    int first = (int)(intptr_t)p;
    for (int i = 0; i < 5; i++) {
        if (i % 2) DF_PARALLEL some_work(first, 4, i);
        else {
            some_work(first, 4, i);
            CHECK(df_wait_result() == DF_OK);
        }
        CHECK(!memcmp(a[first], want[first], 4 * sizeof a[0]));
        plain_triple(a[first], N, i), plain_triple(want[first], N, i);
    }
    return NULL;
}
static void threads(void)
{
    pthread_t t[5];
    begin();
    for (int i = 0; i < 5; i++) CHECK(!pthread_create(&t[i], NULL, thread, (void *)(intptr_t)(4 * i)));
    thread((void *)(intptr_t)20);
    for (int i = 0; i < 5; i++) CHECK(!pthread_join(t[i], NULL));
    SAME();
}

/* --- cancelled, failed -------------------------------------------------------------------------------------------- */

/* x has been through the first k of these steps, for some k. The host stops in the middle of one, as it does in
 * loops. */
static int is_prefix(const cell *x, cell *y, int n, int steps)
{
    if (!strcmp(getenv("DF_GPU"), "none")) return 1;
    for (int k = 0; k <= steps; k++) {
        if (!memcmp(x, y, (size_t)n * sizeof *x)) return 1;
        plain_triple(y, n, k);
    }
    return 0;
}
DF_STATIC_TASK(void, fails, df_inout(cell, x, n), (int, n), (int, how));
static void fails(cell *x, int n, int how)
{
    plain_triple(x, n, how);
    if (how % 2) df_fail(77, "on purpose");
    else df_cancel();
}
DF_STATIC_TASK(void, launches_and_fails, df_inout(cell, x, n), (int, n), (int, how));
static void launches_and_fails(cell *x, int n, int how)
{
    for (int k = 0; k < 6; k++) df_launch_with(DF_OPTS(.device = device_of(how)), triple, df_grid(n), x, n, k);
    if (how % 3) df_fail(77, "on purpose");
}
static void cancelled(void)
{
    begin();
    for (int i = 0; i < ROWS; i++) {
        df_result r;
        int steps = 0;
        for (; steps < 8; steps++) {
            if (steps == i % 8) df_submit(fails, a[i], N, steps);
            else df_launch_with(DF_OPTS(.device = device_of(i)), triple, df_grid(N), a[i], N, steps);
        }
        if (i % 5 == 0) df_cancel();
        r = df_wait_result();
        CHECK(i % 5 == 0 || r == (i % 2 ? (df_result)77 : DF_ERROR_CANCELLED));
        CHECK(is_prefix(a[i], want[i], N, steps));
        memcpy(want[i], a[i], sizeof a[i]);
        df_launch(triple, df_grid(N), a[i], N, 5), plain_triple(want[i], N, 5); /* from here on as always */
        CHECK(df_wait_result() == DF_OK && !memcmp(a[i], want[i], sizeof a[i]));
        df_submit(launches_and_fails, a[i], N, i);
        df_submit(host_triple, a[i], N, 6);
        r = df_wait_result();
        CHECK(r == (i % 3 ? (df_result)77 : DF_OK) && is_prefix(a[i], want[i], N, 7));
        memcpy(want[i], a[i], sizeof a[i]);
    }
    SAME();
}

/* --- below tasks -------------------------------------------------------------------------------------------------- */

DF_STATIC_TASK(void, tree, df_inout(cell, x, n), (int, n), (int, depth));
static void tree(cell *x, int n, int depth)
{
    if (depth % 3 == 0)
        DF_PARALLEL df_launch_with(DF_OPTS(.device = device_of(depth)), triple, df_grid(n), x, n, depth);
    else df_launch_with(DF_OPTS(.device = device_of(n + depth)), triple, df_grid(n), x, n, depth);
    if (!depth) return;
    df_submit(tree, x, n / 2, depth - 1);
    df_submit(tree, x + n / 2, n - n / 2, depth - 1);
    if (depth % 2) {
        df_wait();
        plain_triple(x, n, 1);
    }
    df_launch(triple, df_grid(n), x, n, 2);
}
static void plain_tree(cell *x, int n, int depth)
{
    plain_triple(x, n, depth);
    if (!depth) return;
    plain_tree(x, n / 2, depth - 1), plain_tree(x + n / 2, n - n / 2, depth - 1);
    if (depth % 2) plain_triple(x, n, 1);
    plain_triple(x, n, 2);
}
static void nested(void)
{
    begin();
    for (int r = 0; r < 3; r++) df_submit(tree, a[r], N, 4), plain_tree(want[r], N, 4);
    df_wait();
    SAME();
}

/* --- too little memory -------------------------------------------------------------------------------------------- */

/* Rows of 8 KB, 192 KB in all, in any order: a device has room for a few of them, and for two of the rows that a
 * launch has. */
DF_KERNEL(mix, df_in2(int32_t, x, 2, n, ld), df_inout(int32_t, y, n), (int, n), (int, ld),
{
    int i = df_global_id(0);
    if (i < n) y[i] = (int32_t)((uint32_t)y[i] * 7u + (uint32_t)x[i] - (uint32_t)x[ld + i]);
})
static void plain_mix(const cell *x, cell *y, int n, int ld)
{
    for (int i = 0; i < n; i++) y[i] = (cell)((uint32_t)y[i] * 7u + (uint32_t)x[i] - (uint32_t)x[ld + i]);
}
static void pressure(void)
{
    uint64_t seed = 9;
    begin();
    for (int i = 0; i < 150; i++) {
        int r = test_below(&seed, ROWS), s = test_below(&seed, ROWS),
            n = test_below(&seed, 3) ? N : N / (1 + test_below(&seed, 9));
        int on = test_below(&seed, 2) ? device_of(test_below(&seed, 9)) : 0;
        if (s == r || s == r + 1 || r + 1 == ROWS)
            df_launch_with(DF_OPTS(.device = on), triple, df_grid(n), a[s], n, i), plain_triple(want[s], n, i);
        else df_launch_with(DF_OPTS(.device = on), mix, df_grid(n), a[r], a[s], n, N),
            plain_mix(want[r], want[s], n, N);
        if (i % 10 == 0) df_submit(host_triple, a[s], N, i), plain_triple(want[s], N, i);
    }
    CHECK(df_wait_result() == DF_OK);
    SAME();
}

/* --- fork --------------------------------------------------------------------------------------------------------- */

/* The child has no devices, and the parent's under way are none of its business; after df_stop it has its own. */
static void forks(void)
{
    begin();
    for (int i = 0; i < 4; i++) {
        int status;
        pid_t pid;
        some_work(0, ROWS, i);
        /* a fork while a thread allocates leaves AddressSanitizer's allocator locked */
        if (i % 2 || TEST_ASAN) df_wait();
        pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            alarm(20);
            CHECK(df_gpu_devices() == 1 && df_gpu_hold(a, sizeof a) == DF_OK);
            if (TEST_TSAN) _exit(0); /* it cannot follow threads in the child of a fork */
            for (int again = 0; again < 2; again++) {
                begin();
                DF_DATA_REGION(df_copy(a[3], N)) some_work(0, 4, again);
                CHECK(df_wait_result() == DF_OK);
                SAME();
                df_stop();
                start_devices(2);
                if (again == 0) CHECK(df_gpu_devices() == 2);
            }
            _exit(0);
        }
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        df_wait();
        SAME();
    }
}

int main(void)
{
    static const char *const tight[] = { "1:48K", "2:32K", "3:24K", "4:24K" };
    alarm(60);
    EVERYWHERE(again);
    EVERYWHERE(threads);
    EVERYWHERE(cancelled);
    EVERYWHERE(nested);
    for (size_t i = 0; i < sizeof tight / sizeof *tight; i++) ON(tight[i], pressure), ON(tight[i], threads);
    ON("2:1M", forks);
}
