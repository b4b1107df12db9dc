/* The choice of a device for launches by the times of kernels. Two simulated devices, of which the first can be made
 * slow, and the host. */
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "../test.h"
#include "kept.h"

int setenv(const char *name, const char *value, int overwrite); /* of POSIX, which -std=c11 hides */
int unsetenv(const char *name);

enum { N = 20000, SLOW = 40 };

/* Twice the same result, so that it may run more than once. */
DF_KERNEL(square, df_in(int, in, n), df_out(int, out, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) out[i] = in[i] * in[i] + 1;
})

static DFI_ATOMIC(int) on_host; /* calls */
DF_KERNEL_OR(cube_here, cube, df_in(int, in, n), df_out(int, out, n), (int, n),
{
    int i = df_global_id(0);
    int k;
    int x = 0;
    for (k = 0; k < 20; k++) x = in[i < n ? i : 0] * in[i < n ? i : 0];
    if (i < n) out[i] = x * in[i];
})
void cube_here(df_ndrange grid, const int *in, int *out, int n)
{
    int i;
    (void)grid;
    dfi_fetch_add_relaxed(&on_host, 1);
    for (i = 0; i < n; i++) out[i] = in[i] * in[i] * in[i];
}

static int in[N], out[N];

/* --- queries ------------------------------------------------------------------------------------------------------ */

static struct dfi_size size_of(struct dfi_kernel *k, int n)
{
    static const df_ndrange one = { { 1, 1, 1 }, { 0, 0, 0 } };
    struct dfi_access x[2];
    df_ndrange grid = one;
    grid.n[0] = n;
    dfi_access_array(&x[0], DFI_IN, 0, in, (size_t)n * sizeof *in);
    dfi_access_array(&x[1], DFI_OUT, 0, out, (size_t)n * sizeof *out);
    return dfi_size_of(k, x, 2, &grid);
}

static struct dfi_times *times_of(struct dfi_kernel *k, int n, int spot)
{
    struct dfi_size s = size_of(k, n);
    struct dfi_times *t;
    dfi_os_lock(&dfi_engine_lock);
    t = dfi_times_of(&s, &dfi_history.spot[spot]);
    dfi_os_unlock(&dfi_engine_lock);
    CHECK(t != NULL);
    return t;
}

/* As if it had been measured ten times. */
static void pretend(struct dfi_kernel *k, int n, int spot, double seconds)
{
    struct dfi_times *t = times_of(k, n, spot);
    int i;
    dfi_os_lock(&dfi_engine_lock);
    t->count = 0, t->mean = 0;
    for (i = 0; i < 10; i++) dfi_times_add(t, seconds);
    dfi_os_unlock(&dfi_engine_lock);
}

/* Where a launch would go. */
static int where(struct dfi_kernel *k, int n, int host)
{
    struct dfi_size s = size_of(k, n);
    struct dfi_access x[2];
    int spot;
    dfi_access_array(&x[0], DFI_IN, 0, in, (size_t)n * sizeof *in);
    dfi_access_array(&x[1], DFI_OUT, 0, out, (size_t)n * sizeof *out);
    dfi_os_lock(&dfi_engine_lock);
    spot = dfi_spot_choose(&s, x, 2, host).spot;
    dfi_os_unlock(&dfi_engine_lock);
    return spot;
}

static void copies_take(int spot, double seconds_per_gib)
{
    struct dfi_times *t = dfi_history.spot[spot].copy;
    CHECK(t != NULL);
    t->count = 100, t->mean = t->least = seconds_per_gib;
}

static void busy_for(int spot, double seconds)
{
    dfi_os_lock(&dfi_engine_lock);
    dfi_history.spot[spot].busy_until = dfi_os_ns() + (uint64_t)(seconds * 1e9);
    dfi_history.spot[spot].pending = seconds > 0;
    dfi_os_unlock(&dfi_engine_lock);
}

static size_t launches(int d) { return dfi_load_relaxed(&dfi_engine.device[d]->n_launches); }

static void launch_square(int n, int device)
{
    int i;
    for (i = 0; i < n; i++) in[i] = i % 1000, out[i] = 0;
    df_launch_with(DF_OPTS(.device = device), square, df_grid(n), in, out, n);
    CHECK(df_wait_result() == DF_OK);
    for (i = 0; i < n; i++) CHECK(out[i] == (i % 1000) * (i % 1000) + 1);
}

/* --- decisions, by times that are made up ------------------------------------------------------------------------- */

static void test_decisions(void)
{
    struct dfi_kernel *k = &square_dfi_kernel;
    int i, n = 5000;
    CHECK(df_gpu_devices() == 2);
    copies_take(0, 0.1);
    copies_take(1, 0.1);
    pretend(k, n, 0, 1e-3);
    pretend(k, n, 1, 2e-3);
    pretend(k, n, DFI_HOST_SPOT, 3e-3);
    CHECK(where(k, n, 1) == 0 && where(k, n, 0) == 0);
    pretend(k, n, DFI_HOST_SPOT, 0.5e-3);
    CHECK(where(k, n, 1) == DFI_HOST_SPOT && where(k, n, 0) == 0);
    pretend(k, n, 1, 0.1e-3);
    CHECK(where(k, n, 1) == 1 && where(k, n, 0) == 1);
    /* a busy device is done later */
    busy_for(1, 1000);
    CHECK(where(k, n, 1) == DFI_HOST_SPOT && where(k, n, 0) == 0);
    busy_for(DFI_HOST_SPOT, 1000);
    CHECK(where(k, n, 1) == 0);
    busy_for(0, 2000);
    busy_for(1, 3000);
    CHECK(where(k, n, 1) == DFI_HOST_SPOT && where(k, n, 0) == 0);
    busy_for(0, 0);
    busy_for(1, 0);
    busy_for(DFI_HOST_SPOT, 0);
    /* so is a device that has to get the data: 20000 bytes at a GiB in 100000 seconds are 1.9 */
    copies_take(1, 1e5);
    CHECK(where(k, n, 1) == DFI_HOST_SPOT && where(k, n, 0) == 0);
    copies_take(0, 1e7);
    CHECK(where(k, n, 0) == 1);
    /* unless it is there */
    df_gpu_hold(in, (size_t)n * sizeof *in);
    df_gpu_hold(out, (size_t)n * sizeof *out);
    for (i = 0; i < 2; i++) {
        df_launch_with(DF_OPTS(.device = i + 1), square, df_grid(n), in, out, n);
        df_launch_with(DF_OPTS(.device = i + 1), square, df_grid(n), out, in, n);
        df_wait();
        CHECK(where(k, n, 0) == i);
    }
    df_gpu_release(in, (size_t)n * sizeof *in);
    df_gpu_release(out, (size_t)n * sizeof *out);
    copies_take(0, 0.1);
    copies_take(1, 0.1);
    /* other sizes are other classes, of which nothing is known */
    CHECK(times_of(k, 4 * n, 0)->count == 0 && times_of(k, n, 0)->count >= 10 &&
          times_of(k, n + 1, 0) == times_of(k, n, 0));
}

/* Every kind of place gets two launches of a new class before they are compared. */
static void test_tries(void)
{
    int i, n = 300;
    for (i = 0; i < 6; i++) launch_square(n, DF_ANY_DEVICE);
    for (i = 0; i < 2; i++)
        CHECK(times_of(&square_dfi_kernel, n, i)->launches == 2 && times_of(&square_dfi_kernel, n, i)->count == 2);
    CHECK(times_of(&square_dfi_kernel, n, DFI_HOST_SPOT)->launches == 2 &&
          times_of(&square_dfi_kernel, n, DFI_HOST_SPOT)->count == 2);
    n = 100; /* devices only */
    for (i = 0; i < 4; i++) launch_square(n, 0);
    for (i = 0; i < 2; i++) CHECK(times_of(&square_dfi_kernel, n, i)->launches == 2);
    CHECK(times_of(&square_dfi_kernel, n, DFI_HOST_SPOT)->launches == 0);
    /* one of the two is measured four times, and then one time in 32 */
    for (i = 0; i < 100; i++) launch_square(n, 0);
    for (i = 0; i < 2; i++) {
        const struct dfi_times *t = times_of(&square_dfi_kernel, n, i);
        CHECK(t->count == (t->launches < 4 ? t->launches : 4 + t->launches / 32));
    }
}

/* --- for real: the first device is slow --------------------------------------------------------------------------- */

static df_result slow_launch(struct dfi_gpu *d, int q, struct dfi_kernel *k, struct dfi_built *b, const int *groups,
                             const int *group, const struct dfi_arg *args, int n_args)
{
    df_result r = DF_OK;
    int i;
    for (i = 0; i < SLOW && !r; i++) r = dfi_sim_driver.launch(d, q, k, b, groups, group, args, n_args);
    return r;
}
static struct dfi_gpu_driver slow_driver;
static void slow_down(int d)
{
    CHECK(df_gpu_devices() == 2);
    slow_driver = dfi_sim_driver;
    slow_driver.launch = slow_launch;
    dfi_engine.device[d]->gpu.driver = &slow_driver;
}

static void test_slow_device(void)
{
    int i, n = N;
    size_t before[2];
    for (i = 0; i < 16; i++) launch_square(n, 0);
    before[0] = launches(0), before[1] = launches(1);
    for (i = 0; i < 20; i++) launch_square(n, 0);
    CHECK(launches(1) - before[1] > launches(0) - before[0]);
    CHECK(launches(0) + launches(1) == before[0] + before[1] + 20);
}

/* The host, which has another body for it, is much faster than both: 20 times less to do, and no transfers. */
static void test_host(void)
{
    int i, k, before, n = N;
    for (i = 0; i < n; i++) in[i] = i % 1000;
    pretend(&cube_dfi_kernel, n, 0, 1);
    pretend(&cube_dfi_kernel, n, 1, 1);
    before = dfi_load_relaxed(&on_host);
    for (i = 0; i < 10; i++) {
        for (k = 0; k < n; k++) out[k] = 0;
        df_launch_with(DF_OPTS(.device = DF_ANY_DEVICE), cube, df_grid(n), in, out, n);
        CHECK(df_wait_result() == DF_OK);
        for (k = 0; k < n; k++) CHECK(out[k] == in[k] * in[k] * in[k]);
    }
    CHECK(dfi_load_relaxed(&on_host) == before + 10);
    CHECK(times_of(&cube_dfi_kernel, n, DFI_HOST_SPOT)->count == 4); /* measured */
}

/* Many at once, of all sizes, everywhere: each makes its row from the row before. */
static void test_many(void)
{
    enum { ROWS = 40, CHAINS = 4, LONG = 3000 };
    static int row[CHAINS][ROWS][LONG];
    int c, r, i, n;
    for (c = 0; c < CHAINS; c++)
        for (i = 0; i < LONG; i++) row[c][0][i] = (i + c) % 40;
    DF_PARALLEL {
        for (r = 1; r < ROWS; r++)
            for (c = 0; c < CHAINS; c++) {
                n = LONG >> (r % 5);
                df_launch_with(DF_OPTS(.device = r % 3 ? DF_ANY_DEVICE : 0), square, df_grid(n),
                               row[c][r % 7 ? 0 : r - 1], row[c][r], n);
            }
    }
    for (c = 0; c < CHAINS; c++)
        for (r = 1; r < ROWS; r++)
            for (i = 0; i < LONG >> (r % 5); i++) {
                unsigned x = (unsigned)row[c][r % 7 ? 0 : r - 1][i];
                CHECK((unsigned)row[c][r][i] == x * x + 1);
            }
    for (c = 0; c < 3; c++) CHECK(dfi_history.spot[c == 2 ? DFI_HOST_SPOT : c].pending == 0);
}

/* What no device has room for is run by the host if it may. */
static void test_too_large(void)
{
    enum { LARGE = 3 << 20 };
    static int a[LARGE], b[LARGE];
    size_t before = launches(0) + launches(1);
    int i;
    for (i = 0; i < LARGE; i++) a[i] = i & 1023;
    df_launch_with(DF_OPTS(.device = DF_ANY_DEVICE), square, df_grid(LARGE), a, b, LARGE);
    CHECK(df_wait_result() == DF_OK);
    for (i = 0; i < LARGE; i++) CHECK(b[i] == (i & 1023) * (i & 1023) + 1);
    CHECK(launches(0) + launches(1) == before);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static void start(void)
{
    df_config config = { 0 };
    config.log = count_messages, config.log_arg = "DF_HISTORY";
    config.workers = 2;
    CHECK(df_start(&config) == DF_OK);
}
static void test_file(void)
{
    unsigned long counts[3];
    int i;
    start();
    remove(file);
    setenv("DF_HISTORY", file, 1);
    slow_down(0);
    for (i = 0; i < 12; i++) launch_square(N, DF_ANY_DEVICE);
    for (i = 0; i < 3; i++)
        CHECK((counts[i] = times_of(&square_dfi_kernel, N, i == 2 ? DFI_HOST_SPOT : i)->count) >= 2);
    df_stop();
    CHECK(lines("square@history.c\t18 15\tsimulated\tsimulated device 1\n") == 1 &&
          lines("square@history.c\t18 15\thost\t2 workers\n") == 1);
    /* lines of other processes are kept, unreadable ones are not */
    put("a", "2 300 200\tother@other.c\t1 2\tCUDA\tsome GPU\nrubbish\n2 200 300\tsquare@history.c\t18 15\thost\t2 workers\n5 6 5\t\n");
    start();
    CHECK(df_gpu_devices() == 2 && messages == 1);
    for (i = 0; i < 3; i++) CHECK(times_of(&square_dfi_kernel, N, i == 2 ? DFI_HOST_SPOT : i)->count == counts[i]);
    pretend(&square_dfi_kernel, N, 0, 1e-6); /* known: nothing is tried */
    pretend(&square_dfi_kernel, N, 1, 10);
    pretend(&square_dfi_kernel, N, DFI_HOST_SPOT, 10);
    for (i = 0; i < 3; i++) launch_square(N, DF_ANY_DEVICE);
    CHECK(launches(0) == 3 && launches(1) == 0);
    df_stop();
    CHECK(lines("other@other.c") == 1 && lines("rubbish") == 0 &&
          lines("square@history.c\t18 15\tsimulated\tsimulated device 1\n") == 1);
    /* a file that is not ours, and one that cannot be written */
    put("w", "my thesis\n");
    start();
    launch_square(N, 0);
    df_stop();
    CHECK(lines("my thesis") == 1 && lines("") == 1);
    remove(file);
    setenv("DF_HISTORY", "/no/such/folder/history", 1);
    start();
    launch_square(N, 0);
    df_stop();
    CHECK(messages == 1); /* it is logged once */
    unsetenv("DF_HISTORY");
}

int main(int argc, char **argv)
{
    snprintf(file, sizeof file, "%s.times", argc ? argv[0] : "history");
    setenv("DF_GPU", "sim", 1);
    setenv("DF_GPU_SIM", "2:16M:1G", 1);
    start();
    test_decisions();
    test_tries();
    slow_down(0);
    test_slow_device();
    test_host();
    test_many();
    test_too_large();
    df_stop();
    test_file();
    return 0;
}
