/* lost.c - every possible failure: the n-th call of a device's driver, for every n; the n-th operation while it is
 * executed; a device that is gone; the n-th allocation of the host
 *
 * The program ends. If df_wait_result finds no error all memory is right, whether the host or a device computed it.
 * If it finds one the log names the failure; memory that only a kernel was to write is as before or as after that
 * kernel, and all other memory is unchanged. */
#include "../system/failing_malloc.h"
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "devices.h"

enum { N = 96, ROWS = 6, COLS = 10, LD = 16 };
typedef int32_t cell;

DF_KERNEL(twice, df_in(int32_t, x, n), df_out(int32_t, y, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) y[i] = 2 * x[i] + 1;
})
DF_KERNEL(add, df_in(int32_t, x, n), df_inout(int32_t, y, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) y[i] = 3 * y[i] + x[i];
})
DF_KERNEL(block, df_inout2(int32_t, a, rows, cols, ld), (int, rows), (int, cols), (int, ld),
{
    int j = df_global_id(0), i = df_global_id(1);
    if (i < rows && j < cols) a[i * ld + j] = 5 * a[i * ld + j] + i - j;
})
DF_KERNEL(total, df_in(int32_t, x, n), (int, n), df_reduce(df_sum, int32_t, sum, 1),
{
    int i = df_global_id(0);
    if (i < n) sum[0] += x[i];
})
DF_STATIC_TASK(void, host_add, df_in(cell, x, n), df_inout(cell, y, n), (int, n));
static void host_add(const cell *x, cell *y, int n)
{
    for (int i = 0; i < n; i++) y[i] = 3 * y[i] + x[i];
}

/* --- a program of four parts: each begins with memory that plain C has written, and ends with a wait -------------- */

static struct memory { cell before[8], x[N], y[N], z[N], a[ROWS * LD], sum, behind[8]; } m, want;
static int errors, parts;

static void begin_part(void)
{
    memset(&m, 0x5a, sizeof m);
    for (int i = 0; i < N; i++) m.x[i] = i * 7 % 31, m.y[i] = i, m.z[i] = 100 - i;
    for (int i = 0; i < ROWS * LD; i++) m.a[i] = i;
    m.sum = 1000;
    want = m;
}

static void end_part(df_result r)
{
    parts++;
    if (r) errors++;
    if (!r) CHECK(!memcmp(&m, &want, sizeof m));
    CHECK(!memcmp(m.before, want.before, sizeof m.before) && !memcmp(m.behind, want.behind, sizeof m.behind));
    CHECK(!memcmp(m.x, want.x, sizeof m.x));
}

static int either(const cell *p, const cell *old, const cell *now, int n)
{
    size_t bytes = (size_t)n * sizeof *p;
    return !memcmp(p, old, bytes) || !memcmp(p, now, bytes);
}

static void plain_twice(const cell *x, cell *y, int n)
{
    for (int i = 0; i < n; i++) y[i] = 2 * x[i] + 1;
}
static void plain_block(cell *a)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) a[i * LD + j] = 5 * a[i * LD + j] + i - j;
}

/* Each of them writes memory of its own. */
static void by_themselves(void)
{
    struct memory old;
    df_result r;
    begin_part();
    old = want;
    df_launch(twice, df_grid(N), m.x, m.y, N);
    df_launch_with(DF_OPTS(.device = DF_ANY_GPU), add, df_grid(N), m.x, m.z, N);
    df_launch_with(DF_OPTS(.device = df_gpu_devices()), block, df_grid2(COLS, ROWS, 0, 0), m.a, ROWS, COLS, LD);
    df_launch(total, df_grid1(N, 32), m.x, N, &m.sum);
    plain_twice(want.x, want.y, N), host_add(want.x, want.z, N), plain_block(want.a);
    for (int i = 0; i < N; i++) want.sum += want.x[i];
    r = df_wait_result();
    CHECK(either(m.y, old.y, want.y, N) && either(m.z, old.z, want.z, N) && either(m.a, old.a, want.a, ROWS * LD) &&
          either(&m.sum, &old.sum, &want.sum, 1));
    end_part(r);
}

/* One device needs what another one has, and the host what both have. */
static void from_one_to_another(void)
{
    begin_part();
    for (int i = 0; i < 3; i++) {
        df_launch_with(DF_OPTS(.device = device_of(i)), add, df_grid(N), m.y, m.z, N), host_add(want.y, want.z, N);
        df_launch_with(DF_OPTS(.device = device_of(i + 1)), add, df_grid(N), m.z, m.y, N), host_add(want.z, want.y, N);
        if (i == 1) df_submit(host_add, m.z, m.y, N / 2), host_add(want.z, want.y, N / 2);
        if (i == 1)
            df_launch_with(DF_OPTS(.device = DF_ANY_DEVICE), twice, df_grid(N / 3), m.x, m.z + N / 2, N / 3),
                plain_twice(want.x, want.z + N / 2, N / 3);
    }
    end_part(df_wait_result());
}

/* Memory stays on the devices through waits, and blocks change their layout. */
static void through_waits(void)
{
    df_result r = DF_OK, s;
    begin_part();
    DF_DATA_REGION(df_copyin(m.x, N), df_copy(m.a, ROWS * LD), df_copyout(m.y, N)) {
        for (int i = 0; i < 2; i++) {
            df_launch_with(DF_OPTS(.device = device_of(i)), block, df_grid2(COLS, ROWS, 0, 0), m.a, ROWS, COLS, LD),
                plain_block(want.a);
            df_launch_with(DF_OPTS(.device = device_of(i)), add, df_grid(N), m.x, m.y, N), host_add(want.x, want.y, N);
            if ((s = df_wait_result()) != DF_OK && !r) r = s;
        }
        df_launch(add, df_grid(N / 2), m.a, m.y, N / 2), host_add(want.a, want.y, N / 2);
    }
    s = df_wait_result();
    end_part(r ? r : s);
}

/* Tasks below tasks launch; results are signalled. */
DF_STATIC_TASK(void, parent, df_in(cell, x, n), df_inout(cell, y, n), (int, n));
static void parent(const cell *x, cell *y, int n)
{
    df_launch(add, df_grid(n), x, y, n);
    df_submit(host_add, x, y, n);
    df_launch_with(DF_OPTS(.device = df_gpu_devices()), add, df_grid(n), x, y, n);
}
static void below(void)
{
    df_token t = DF_TOKEN(1);
    df_result r;
    begin_part();
    df_submit(parent, m.x, m.y, N);
    df_launch_with(DF_OPTS(.signals = DF_TOKENS(&t)), add, df_grid(N), m.x, m.z, N), host_add(want.x, want.z, N);
    for (int i = 0; i < 3; i++) host_add(want.x, want.y, N);
    df_wait_token(&t);
    r = df_wait_result();
    end_part(r);
}

/* --- what fails --------------------------------------------------------------------------------------------------- */

/* The program once, on devices that fail as `fail` says. Nonzero: the call that is to fail did. */
static int once(const char *devices, const char *fail)
{
    int happened;
    const char *text;
    set("DF_GPU_SIM", devices), set("DF_GPU_SIM_FAIL", fail);
    errors = parts = 0;
    start_devices(2);
    by_themselves(), from_one_to_another(), through_waits(), below();
    happened = dfi_sim.faults && dfi_sim.fault[0].seen >= dfi_sim.fault[0].at;
    df_stop();
    text = heard();
    if (errors && !strstr(text, "failed while")) test_fail(devices, errors, fail);
    if (!happened && (errors || *text)) test_fail(fail ? fail : devices, errors, text);
    CHECK(parts == 4);
    return happened;
}

static void every_fault(const char *devices, const char *what, const char *on)
{
    char fail[40];
    int n = 0;
    do snprintf(fail, sizeof fail, "%s:%d%s", what, ++n, on);
    while (once(devices, fail));
    CHECK(n > 3); /* it happened at all */
}

/* Memory of the host runs out: at one allocation, or at all from there on. */
static void every_allocation(int one, int step)
{
    int n, more = 1;
    set("DF_GPU_SIM", "2:64K"), set("DF_GPU_SIM_FAIL", NULL);
    for (n = 0, only_one = one; more; n += step) {
        errors = parts = 0;
        left = ENOUGH;
        start_devices(2);
        failed = 0;
        left = 1 + n;
        by_themselves(), from_one_to_another(), through_waits(), below();
        more = __atomic_load_n(&failed, __ATOMIC_RELAXED);
        left = ENOUGH;
        df_stop();
        heard();
        CHECK(parts == 4 && (more || !errors));
    }
    CHECK(n > 20);
}

int main(void)
{
    static const char *const events[] = { "alloc", "copy_in", "copy_out", "launch", "fault", "lost" };
    left = ENOUGH;
    alarm(60); /* a hang is a failure */
    set("DF_GPU", "sim"), set("DF_GPU_SIM_SEED", "0"); /* or it would take long under DF_DEBUG=3 */
    CHECK(!once("1:64K", NULL) && !once("2:64K", NULL));
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) every_fault("2:64K", events[i], "");
    every_fault("2:64K", "lost", "@2");
    every_fault("1:64K", "lost", "");
    if (TEST_TSAN) { /* operations are held up: it sees what still is in the queues when the device is given up */
        set("DF_GPU_SIM_SEED", "3");
        every_fault("2:64K", "launch", "");
        set("DF_GPU_SIM_SEED", "0");
    }
    every_allocation(1, TEST_TSAN ? 3 : 1);
    every_allocation(0, 7);
}
