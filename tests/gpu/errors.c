/* errors.c - invalid launches: each gives its documented error, with a message that names the launch and the
 * mistake; memory stays as it was, and the next launch runs */
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include <limits.h>
#include "devices.h"

enum { N = 4096 }; /* 16 KiB */
typedef int32_t cell;
static cell a[N], b[N], c[N];

DF_KERNEL(plus, df_inout(int32_t, x, n), (int, n),
{
    int i = df_global_id(0) + df_global_id(1) + df_global_id(2);
    if (i < n) x[i] += 1;
})
DF_KERNEL(three, df_in(int32_t, x, n), df_in(int32_t, y, n), df_out(int32_t, z, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) z[i] = x[i] + y[i];
})
DF_KERNEL(broken, df_inout(int32_t, x, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) x[i] += 1;
})
DF_KERNEL(sums, df_in(int32_t, x, n), (int, n), df_reduce(df_sum, int32_t, sum, 1),
{
    int i = df_global_id(0);
    if (i < n) sum[0] += x[i];
})
DF_KERNEL(splits, df_inout(int32_t, x, n), (int, n),
{
    if (df_local_id(0) > 0) { df_barrier(); x[0] = n; }
})
DF_STATIC_TASK(void, host_plus, df_inout(cell, x, n), (int, n));
static void host_plus(cell *x, int n)
{
    for (int i = 0; i < n; i++) x[i]++;
}

static void begin(void)
{
    for (int i = 0; i < N; i++) a[i] = b[i] = c[i] = i;
}

/* The launch before gave this error; the log names it and has all of these words. Nothing was changed, and df
 * continues. */
static void is_error(int line, df_result want, const char *w1, const char *w2, const char *w3)
{
    const char *words[] = { w1, w2, w3 }, *text;
    df_result r = df_wait_result();
    text = heard();
    if (r != want) test_fail("df_wait_result is another error", line, df_error_text(r));
    for (int i = 0; i < 3; i++)
        if (words[i] && !strstr(text, words[i])) test_fail(text, line, words[i]);
    for (int i = 0; i < N; i++) CHECK(a[i] == i && b[i] == i && c[i] == i);
    CHECK(df_wait_result() == DF_OK);
    df_launch(plus, df_grid(10), a, 10);
    df_submit(host_plus, a, 10);
    CHECK(df_wait_result() == DF_OK && a[0] == 2 && a[9] == 11 && a[10] == 10 && !*heard());
    begin();
}
#define IS(code, ...) is_error(__LINE__, code, __VA_ARGS__)

static void grids(void)
{
    static const long none[][3] = { { 0, 1, 1 }, { 1, 0, 1 }, { 5, 5, 0 }, { 0, 0, 0 } };
    static const struct { long n[3]; int group[3]; const char *why; } wrong[] = {
        { { -1, 1, 1 }, { 0, 0, 0 }, "negative" },
        { { 1, LONG_MIN, 1 }, { 0, 0, 0 }, "negative" },
        { { 0, -1, 1 }, { 0, 0, 0 }, "negative" },
        { { 5, 5, 5 }, { 1, 1, -1 }, "negative" },
        { { 2048, 1, 1 }, { 1025, 1, 1 }, "so many items in that dimension of a group" },
        { { 2048, 1, 1 }, { INT_MAX, 1, 1 }, "so many items in that dimension of a group" },
        { { 1, 1, 200 }, { 1, 1, 65 }, "so many items in that dimension of a group" },
        { { 64, 64, 1 }, { 64, 32, 1 }, "so many items in a group" },
        { { 1, 70000, 1 }, { 1, 1, 1 }, "so many groups" },
        { { 1, 1, 5000000 }, { 1, 1, 64 }, "so many groups" },
        { { INT_MAX, 1, 1 }, { 256, 1, 1 }, "counts up to 2147483647" },
    };
    begin();
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        df_launch(plus, df_grid3(none[i][0], none[i][1], none[i][2], 0, 0, 0), a, N);
        IS(DF_OK, NULL, NULL, NULL);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (int device = 0; device < 2; device++) {
            const long *n = wrong[i].n;
            const int *g = wrong[i].group;
            df_launch_with(DF_OPTS(.device = device, .name = "the wrong one"), plus,
                           df_grid3(n[0], n[1], n[2], g[0], g[1], g[2]), a, N);
            IS(DF_ERROR_GRID, wrong[i].why, "errors.c:", "the wrong one");
        }
    if (LONG_MAX > INT_MAX) {
        df_launch(plus, df_grid(LONG_MAX), a, N);
        IS(DF_ERROR_GRID, "2147483647", "plus", "work-items");
    }
}

/* More than the host can have, too. */
static void host_grids(void)
{
    begin();
    df_launch_with(DF_OPTS(.device = DF_HOST), plus, df_grid(-5), a, N);
    IS(DF_ERROR_GRID, "negative", "plus", NULL);
    df_launch_with(DF_OPTS(.device = DF_HOST), plus, df_grid2(-5, 0, 0, 0), a, N);
    IS(DF_ERROR_GRID, "negative", "plus", NULL);
    df_launch_with(DF_OPTS(.device = DF_HOST), plus, df_grid1(INT_MAX, 256), a, N);
    IS(DF_ERROR_GRID, "2147483647", "plus", NULL);
}

static void numbers(void)
{
    int wrong[] = { 0, INT_MAX, -4, INT_MIN };
    df_gpu_device info;
    wrong[0] = df_gpu_devices() + 1;
    begin();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        df_launch_with(DF_OPTS(.device = wrong[i]), plus, df_grid(N), a, N);
        IS(DF_ERROR_DEVICE, "launch of plus on device", "does not exist", "use DF_HOST or a number up to 2");
        CHECK(df_gpu_info(wrong[i], &info) == DF_ERROR_DEVICE);
    }
    CHECK(df_gpu_info(0, &info) == DF_ERROR_DEVICE && df_gpu_info(DF_ANY_GPU, &info) == DF_ERROR_DEVICE);
    CHECK(df_gpu_info(DF_HOST, &info) == DF_OK && !strcmp(info.kind, "host"));
    CHECK(df_gpu_info(2, &info) == DF_OK && !strcmp(info.kind, "simulated") && info.memory == 20 << 10);
}

/* 20 KiB: one region never fits, or several do not together. A launch that fits runs, whatever the device held
 * before. */
static void too_large(void)
{
    begin();
    df_launch(three, df_grid(N), a, b, c, N);
    IS(DF_ERROR_DEVICE_MEMORY, "launch of three on device", "it accesses 49152 bytes, the largest part 16384 as x",
       "the device has 20480");
    df_launch_with(DF_OPTS(.device = 2), three, df_grid(2000), a, b, c, 2000);
    IS(DF_ERROR_DEVICE_MEMORY, "on device 2", "24576 bytes, the largest part 8000", "use smaller parts");
    df_launch_with(DF_OPTS(.device = 1), sums, df_grid1(6000, 1), a, 6, b);
    IS(DF_ERROR_DEVICE_MEMORY, "sums", "the largest part 24000 as sum", NULL);
    for (int i = 0; i < 3; i++) {
        df_launch(three, df_grid(N / 3), a, b, c, N / 3);
        df_launch(plus, df_grid(N), a, N);
        CHECK(df_wait_result() == DF_OK && c[5] == 10 + i && c[N / 3] == N / 3 && a[N - 1] == N + i);
    }
    /* the host has room for it */
    begin();
    df_launch_with(DF_OPTS(.device = DF_ANY_DEVICE), three, df_grid(N), a, b, c, N);
    CHECK(df_wait_result() == DF_OK && c[N - 1] == 2 * (N - 1));
    begin();
}

static void do_not_compile(void)
{
    begin();
    for (int i = 0; i < 2; i++) { /* logged once for each device, and an error each time */
        df_launch_with(DF_OPTS(.device = 2), broken, df_grid(N), a, N);
        IS(DF_ERROR_KERNEL, i ? NULL : "kernel broken does not compile for device 2", i ? NULL : "errors.c:",
           i ? NULL : "error: DF_GPU_SIM_BROKEN");
    }
    df_launch_with(DF_OPTS(.device = DF_HOST), broken, df_grid(N), a, N);
    CHECK(df_wait_result() == DF_OK && a[N - 1] == N);
}

/* Tasks that depend on the failed launch, in its scope, are skipped; earlier results are there. */
static void others(void)
{
    begin();
    df_launch(plus, df_grid(N), a, N);
    df_wait();
    df_launch_with(DF_OPTS(.device = 1), plus, df_grid1(N, 5000), a, N);
    df_submit(host_plus, a, N);
    df_launch(plus, df_grid(N), a, N);
    CHECK(df_wait_result() == DF_ERROR_GRID && strstr(heard(), "groups of 5000"));
    for (int i = 0; i < N; i++) CHECK(a[i] == i + 1);
    /* a scope inside of another one */
    DF_PARALLEL {
        df_launch(plus, df_grid(N), b, N);
        df_launch_with(DF_OPTS(.device = 7), plus, df_grid(N), c, N);
        CHECK(df_wait_result() == DF_ERROR_DEVICE);
        df_launch(plus, df_grid(N), c, N);
    }
    CHECK(df_wait_result() == DF_OK && c[7] == 8 && strstr(heard(), "does not exist"));
}

/* A kernel that goes wrong while it runs makes its device useless: the host takes over. */
static void go_wrong(void)
{
    const char *text;
    begin();
    df_launch_with(DF_OPTS(.device = 1), splits, df_grid1(4, 4), a, N);
    CHECK(df_wait_result() == DF_ERROR_DEVICE);
    text = heard();
    CHECK(strstr(text, "splits") && strstr(text, "df_barrier") && strstr(text, "device 1") &&
          strstr(text, "loses 16384 bytes that only it had"));
    for (int i = 0; i < N; i++) CHECK(a[i] == i);
    for (int device = 0; device < 3; device++) df_launch_with(DF_OPTS(.device = device), plus, df_grid(N), a, N);
    CHECK(df_wait_result() == DF_OK && a[0] == 3);
}

/* More memory than can be held, memory that is not held, or not with this number of bytes. */
static void holds(void)
{
    enum { MOST_HELD = 256 };
    begin();
    for (int i = 0; i < MOST_HELD; i++)
        CHECK(df_gpu_hold(&a[i], sizeof *a) == DF_OK && df_gpu_hold(&a[i], sizeof *a) == DF_OK);
    CHECK(df_gpu_hold(b, sizeof b) == DF_ERROR_MEMORY && df_gpu_hold(b, 0) == DF_OK &&
          df_gpu_hold(&a[3], sizeof *a) == DF_OK);
    DF_DATA_REGION(df_copy(b, N), df_copyin(c, N)) { /* as if they were not held: results are the same */
        df_launch(three, df_grid(100), c, c, b, 100);
        df_wait();
        CHECK(b[99] == 198);
    }
    df_gpu_release(b, sizeof b), df_gpu_release(a, sizeof a), df_gpu_release(NULL, 0), df_gpu_release(b, 0);
    for (int i = 0; i < MOST_HELD; i++) df_gpu_release(&a[i], sizeof *a), df_gpu_release(&a[i], sizeof *a);
    CHECK(df_gpu_hold(b, sizeof b) == DF_OK);
    df_gpu_release(b, sizeof b), df_gpu_release(&a[3], sizeof *a);
    df_launch(plus, df_grid(N), b, N);
    CHECK(df_wait_result() == DF_OK && b[99] == 199 && b[N - 1] == N);
}

int main(void)
{
    static const struct { const char *sim, *memory, *word; } wrong[] = {
        { "2:1M", "lots", "DF_GPU_MEMORY=" }, { "two", NULL, "DF_GPU_SIM=" }, { NULL, NULL, "no such device" },
    };
    set("DF_GPU_SIM_BROKEN", "broken");
    ON("2:20K", grids);
    ON("2:20K", host_grids);
    ON("2:20K", numbers);
    ON("2:20K", too_large);
    ON("2:20K", do_not_compile);
    ON("2:20K", others);
    ON("2:20K", go_wrong);
    ON("2:20K", holds);
    ON(NULL, host_grids);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) { /* and without devices the host does it */
        set("DF_GPU", "sim"), set("DF_GPU_SIM", wrong[i].sim), set("DF_GPU_MEMORY", wrong[i].memory);
        start_devices(WORKERS);
        begin();
        df_launch(plus, df_grid(N), a, N);
        df_wait();
        CHECK(a[0] == 1 && strstr(heard(), wrong[i].word));
        stop_devices("a wrong environment");
    }
    set("DF_GPU_MEMORY", "8K"), set("DF_GPU_SIM", "1:1M");
    start_devices(WORKERS);
    df_launch(plus, df_grid(N), a, N);
    CHECK(df_wait_result() == DF_ERROR_DEVICE_MEMORY && strstr(heard(), "has 8192"));
    stop_devices("DF_GPU_MEMORY");
}
