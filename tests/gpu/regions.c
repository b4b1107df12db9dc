/* regions.c - data transfers: held memory and DF_DATA_REGION with each of their clauses, by the bytes transferred in
 * each direction; functions that put work into a device's queue, kernels with a second body, and where launches go */
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "devices.h"

enum { N = 3000, BYTES = N * sizeof(int32_t) };
typedef int32_t cell;
static cell a[N], b[N], c[N], d[N];

DF_KERNEL(plus, df_inout(int32_t, x, n), (int, n), (int, k),
{
    int i = df_global_id(0);
    if (i < n) x[i] += k;
})
DF_KERNEL(three, df_in(int32_t, x, n), df_in(int32_t, y, n), df_out(int32_t, z, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) z[i] = x[i] + y[i];
})
DF_STATIC_TASK(void, host_plus, df_inout(cell, x, n), (int, n), (int, k));
static void host_plus(cell *x, int n, int k)
{
    for (int i = 0; i < n; i++) x[i] += k;
}
DF_STATIC_TASK(void, host_look, df_in(cell, x, n), (int, n), (int, first));
static void host_look(const cell *x, int n, int first)
{
    for (int i = 0; i < n; i++) CHECK(x[i] == first + i);
}

static void fill(cell *x, int first)
{
    for (int i = 0; i < N; i++) x[i] = first + i;
}
static int is(const cell *x, int first)
{
    int i = 0;
    while (i < N && x[i] == first + i) i++;
    return i == N;
}

/* Did so many bytes go to the devices and come back since the last time? Not known where there are none. */
static size_t in_before, out_before;
static int moved(size_t in, size_t out)
{
    size_t sum_in = 0, sum_out = 0;
    int k, right;
    for (k = 0; k < dfi_engine.n; k++)
        sum_in += dfi_load_relaxed(&dfi_engine.device[k]->bytes_in),
            sum_out += dfi_load_relaxed(&dfi_engine.device[k]->bytes_out);
    right = sum_in - in_before == in && sum_out - out_before == out;
    in_before = sum_in, out_before = sum_out;
    return right || !dfi_engine.n;
}
static void begin(void)
{
    fill(a, 1), fill(b, 2), fill(c, 3), fill(d, 4);
    in_before = out_before = 0;
    df_gpu_devices();
    moved(0, 0);
}

/* On one device, and nothing that takes its memory away. */
static void clauses(void)
{
    begin();
    for (int round = 0; round < 2; round++) { /* without a region all of it goes each time */
        df_launch(three, df_grid(N), a, b, c, N);
        df_wait();
        CHECK(moved(2 * BYTES, BYTES) && c[5] == 13);
    }
    fill(c, 3);
    DF_DATA_REGION(df_copyin(a, N), df_create(b, N), df_copyout(c, N), df_copy(d, N)) {
        CHECK(moved(0, 0));
        for (int round = 0; round < 3; round++) {
            df_launch(plus, df_grid(N), a, N, 1); /* the host never sees it */
            df_launch(three, df_grid(N), a, a, b, N);
            df_launch(three, df_grid(N), a, b, c, N);
            df_launch(plus, df_grid(N), d, N, 1);
            df_wait();
            CHECK(moved(round ? 0 : 2 * BYTES, 0));
        }
    }
    CHECK(moved(0, 2 * BYTES));
    if (dfi_engine.n) CHECK(is(a, 1) && is(b, 2));
    for (int i = 0; i < N; i++) CHECK(c[i] == 3 * (4 + i));
    CHECK(is(d, 7));
    fill(a, 50); /* all of it is the program's again */
    df_launch(three, df_grid(N), a, a, b, N);
    df_wait();
    CHECK(moved(BYTES, BYTES) && b[1] == 102);
}

/* Tasks of the host in a region: data that they read come back, data that they change go to the device again; the
 * rest stays. */
static void tasks_inside(void)
{
    begin();
    DF_DATA_REGION(df_copy(a, N), df_copyin(b, N)) {
        df_launch(plus, df_grid(N), a, N, 10);
        df_launch(plus, df_grid(N), b, N, 10);
        df_submit(host_look, a, N, 11);
        df_wait();
        CHECK(moved(2 * BYTES, BYTES));
        df_launch(plus, df_grid(N), a, N, 10); /* the device still has it */
        df_wait();
        CHECK(moved(0, 0));
        df_submit(host_plus, a, N, 10);
        df_launch(plus, df_grid(N), a, N, 10);
        df_wait();
        CHECK(moved(BYTES, BYTES));
        df_launch(plus, df_grid(N / 2), a + N / 4, N / 2, 0); /* a part of it: through the host, as it overlaps */
        df_launch(plus, df_grid(N), a, N, 0);
    }
    CHECK(is(a, 41));
    CHECK(dfi_engine.n == 0 || is(b, 2));
}

static void holds(void)
{
    begin();
    CHECK(df_gpu_hold(a, BYTES) == DF_OK && df_gpu_hold(a, BYTES) == DF_OK);
    for (int i = 0; i < 4; i++) {
        df_launch(plus, df_grid(N), a, N, 1);
        df_launch(plus, df_grid(N / 2), b + 7, N / 2, 1);
        df_wait();
        CHECK(moved((i == 0) * BYTES + BYTES / 2, BYTES / 2));
    }
    df_gpu_release(a, BYTES);
    df_launch(plus, df_grid(N), a, N, 1);
    df_wait();
    CHECK(moved(0, 0));
    DF_DATA_REGION(df_copyin(a, N)) df_launch(plus, df_grid(N), a, N, 1); /* still held by the other one */
    CHECK(moved(0, 0));
    df_gpu_release(a, BYTES);
    CHECK(moved(0, BYTES) && is(a, 7));
    df_gpu_release(a, BYTES);
    CHECK(moved(0, 0));
    /* only what is in it altogether */
    CHECK(df_gpu_hold(a, BYTES / 2) == DF_OK);
    df_launch(plus, df_grid(N), a, N, 1);
    df_wait();
    CHECK(is(a, 8));
    df_launch(plus, df_grid(10), a + 5, 10, 1);
    df_wait();
    df_gpu_release(a, BYTES / 2);
    CHECK(a[4] == 12 && a[5] == 14 && a[14] == 23 && a[15] == 23);
}

/* Regions left in the middle, in each other, in tasks. */
static int leaves_early(int how)
{
    DF_DATA_REGION(df_copy(a, N), df_copyout(c, N)) {
        df_launch(plus, df_grid(N), a, N, 1);
        if (how == 0) return 0;
        df_launch(three, df_grid(N), a, a, c, N);
        if (how == 1) break;
        df_wait(); /* a region is a scope of its own */
        DF_DATA_REGION(df_copyin(a, N), df_create(b, N)) {
            df_launch(three, df_grid(N), a, a, b, N);
            if (how == 2) return 2;
            df_launch(three, df_grid(N), b, b, c, N);
        }
    }
    return how;
}
DF_STATIC_TASK(void, region_task, df_inout(cell, x, n), (int, n), (int, first), (int, how));
static void region_task(cell *x, int n, int first, int how)
{
    DF_DATA_REGION(df_copy(x, n)) {
        for (int i = 0; i < 3; i++) {
            df_launch_with(DF_OPTS(.device = device_of(how)), plus, df_grid(n), x, n, how);
            df_wait();
        }
    }
    host_look(x, n, first + 3 * how);
    df_launch(plus, df_grid(n), x, n, 1);
}
static void places(void)
{
    begin();
    for (int how = 0; how < 4; how++) {
        CHECK(leaves_early(how) == how && is(a, how + 2));
        if (how) CHECK(c[1] == (how < 3 ? 2 : 4) * (how + 3));
    }
    fill(b, 2), fill(c, 3);
    df_submit(region_task, a, N, 5, 7), df_submit(region_task, b, N, 2, 8), df_submit(region_task, c, N, 3, 9),
        df_submit(region_task, a, N, 27, 1);
    CHECK(df_wait_result() == DF_OK && is(a, 31) && is(b, 27) && is(c, 31) && dfi_engine.n_held == 0);
}

/* --- without a wait at their end -------------------------------------------------------------------------------- */

static void async(void)
{
    begin();
    for (int k = 0; k < 3; k++) {
        DF_DATA_REGION_ASYNC(1, df_copyin(a, N), df_copyout(b, N)) {
            df_launch_with(DF_OPTS(.device = device_of(k)), three, df_grid(N), a, a, b, N);
        }
        DF_DATA_REGION_ASYNC(2, df_copyin(b, N), df_create(c, N), df_copy(d, N)) { /* after it, as it declares b */
            df_launch_with(DF_OPTS(.device = device_of(k)), three, df_grid(N), a, b, c, N);
            df_launch_with(DF_OPTS(.device = device_of(k)), plus, df_grid(N), d, N, 1);
        }
        df_data_wait(1);
        for (int i = 0; i < N; i++) CHECK(b[i] == 2 * (1 + i));
        df_data_wait(2);
        CHECK(is(d, 5 + k));
        df_data_wait(2), df_data_wait(7); /* nothing of that number: nothing to wait for */
    }
    df_wait();
    /* cancelled with all that is in the scope: the memory is not held for ever */
    begin();
    CHECK(df_gpu_hold(d, BYTES) == DF_OK);
    df_launch(plus, df_grid(N), d, N, 1);
    df_cancel();
    DF_DATA_REGION_ASYNC(3, df_copy(a, N)) df_launch(plus, df_grid(N), a, N, 1);
    CHECK(df_wait_result() == DF_ERROR_CANCELLED);
    df_data_wait(3);
    df_gpu_release(d, BYTES);
    CHECK(is(a, 1) && dfi_engine.n_held == 0);
    if (dfi_engine.n) CHECK(is(d, 4) || is(d, 5));
    for (int i = 0; i < N; i++) CHECK(d[i] == 4 + i || d[i] == 5 + i); /* the host stops between groups */
    df_launch(plus, df_grid(N), a, N, 1);
    df_wait();
    CHECK(is(a, 2));
}

/* A task that runs while its parent waits, on the same worker, and has a region with the same number. */
DF_STATIC_TASK(void, own_region, df_inout(int, x, N), df_inout(int, y, N));
static void own_region(int *x, int *y)
{
    DF_DATA_REGION_ASYNC(1, df_copy(y, N)) df_launch(plus, df_grid(N), y, N, 10);
    df_data_wait(1);
    for (int i = 0; i < N; i++) x[i] += y[i];
}
DF_STATIC_TASK(void, region_around, df_inout(int, x, N), df_inout(int, y, N));
static void region_around(int *x, int *y)
{
    DF_DATA_REGION_ASYNC(1, df_copy(x, N)) {
        df_launch(plus, df_grid(N), x, N, 100);
        df_submit(own_region, x, y);
    }
    df_data_wait(1);
    for (int i = 0; i < N; i++) CHECK(x[i] == 1 + 100 + 14 + 2 * i);
}
static void async_inside(void)
{
    df_stop();
    start_devices(1);
    begin();
    df_submit(region_around, a, d);
    df_wait();
    CHECK(is(d, 14));
}

/* --- functions for a device's queue, second bodies, places -------------------------------------------------------- */

static int on_device, on_host;
static void count(int device)
{
    dfi_fetch_add_relaxed(device == DF_HOST ? &on_host : &on_device, 1);
}
DF_DEVICE_TASK(queue_block, df_in2(cell, x, rows, cols, ld), df_inout2(cell, y, rows, cols, ld2), (int, rows),
               (int, cols), (int, ld), (int, ld2));
void queue_block(df_queue *q, const cell *x, cell *y, int rows, int cols, int ld, int ld2)
{
    int host = !strcmp(q->kind, "host");
    CHECK(host == (q->device == DF_HOST) && host == !q->native && host == (ld == 50) && host == (ld2 == 60) &&
          host == (x == a + 3));
    count(q->device);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) y[i * ld2 + j] += 2 * x[i * ld + j];
}
static void device_tasks(void)
{
    int devices;
    begin();
    devices = dfi_engine.n > 0;
    on_device = on_host = 0;
    for (int k = 0; k < 6; k++) {
        df_launch(plus, df_grid(N), a, N, 1);
        df_launch_with(DF_OPTS(.device = k < 4 ? device_of(k) : DF_HOST), queue_block, a + 3, b + 5, 20, 30, 50, 60);
        df_launch(plus, df_grid(N), b, N, 1);
    }
    CHECK(df_wait_result() == DF_OK && on_device == (devices ? 4 : 0) && on_host == (devices ? 2 : 6));
    for (int i = 0; i < N; i++) {
        int at = i - 5, inside = at >= 0 && at / 60 < 20 && at % 60 < 30, want = 2 + i,
            x = 1 + at / 60 * 50 + at % 60 + 3;
        for (int k = 1; k <= 6; k++) want += 1 + inside * 2 * (x + k);
        CHECK(b[i] == want);
    }
}

static void plus_here(df_ndrange g, cell *x, int n)
{
    CHECK(g.n[0] == n && g.n[1] == 1);
    count(DF_HOST);
    for (int i = 0; i < n; i++) x[i] += 1;
}
DF_KERNEL_OR(plus_here, two_bodies, df_inout(int32_t, x, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) x[i] += 1;
})
static void bodies(void)
{
    int devices;
    begin();
    devices = dfi_engine.n > 0;
    on_host = 0;
    for (int k = 0; k < 10; k++)
        df_launch_with(DF_OPTS(.device = k % 2 ? device_of(k) : DF_HOST), two_bodies, df_grid(N), a, N);
    df_submit(two_bodies, df_grid(N), a, N);
    CHECK(df_wait_result() == DF_OK && is(a, 12) && on_host == (devices ? 6 : 11));
    two_bodies(df_grid(N), a, N);
    for (int k = 0; k < 40; k++)
        df_launch_with(DF_OPTS(.device = k % 4 ? DF_ANY_DEVICE : DF_ANY_GPU), two_bodies, df_grid(N - k), a, N - k);
    df_wait();
    for (int i = 0; i < N; i++) CHECK(a[i] == 13 + i + (N - i < 40 ? N - i : 40));
}

int main(void)
{
    ON(NULL, clauses), ON("1:1M", clauses);
    ON(NULL, tasks_inside), ON("1:1M", tasks_inside);
    ON("1:1M", holds);
    EVERYWHERE(places);
    EVERYWHERE(async);
    EVERYWHERE(async_inside);
    EVERYWHERE(device_tasks);
    EVERYWHERE(bodies);
}
