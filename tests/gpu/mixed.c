/* mixed.c - tasks of the host and kernels on the same memory: every pair of modes, places and shapes, in chains without
 * a wait; and reductions by both, whose bits are the same with any number of workers and devices
 *
 * What a test expects is worked out by plain C on a second array. */
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "devices.h"

enum { SPAN = 128 };
typedef uint32_t cell;

/* --- every pair ------------------------------------------------------------------------------------------------- */

enum mode { IN, OUT, INOUT, COMMUTE, CONCURRENT, REDUCE, MODES };
static const struct shape { int at, rows, cols, ld; } shapes[] = {
    /* all of it; ranges that overlap; the first one as a block */
    { 0, 1, SPAN, SPAN }, { 10, 1, 16, 16 }, { 18, 1, 16, 16 }, { 10, 4, 4, 4 },
    { 6, 4, 5, 12 }, { 9, 5, 4, 10 }, { 6, 4, 5, 13 },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

DF_KERNEL_CODE(steps,
    /* The new value of element k of a region, from its value x. */
    static inline uint32_t step(int how, uint32_t x, int k, int v)
    {
        if (how == 1) return (uint32_t)(v + k);            /* OUT */
        if (how == 2) return x * 3u + (uint32_t)(v + k);   /* INOUT */
        return x + (uint32_t)(v * (k + 1));                /* the others, in any order */
    })

DF_KERNEL_USING(steps, look_k, df_in2(uint32_t, x, rows, cols, ld), df_inout(uint32_t, sum, 1), (int, rows),
                (int, cols), (int, ld),
{
    if (df_global_id(0) > 0) return;
    for (int k = 0; k < rows * cols; k++) sum[0] = sum[0] * 31u + x[k / cols * ld + k % cols];
})
DF_KERNEL_USING(steps, fill_k, df_out2(uint32_t, x, rows, cols, ld), (int, rows), (int, cols), (int, ld), (int, v),
{
    int k = df_global_id(0);
    if (k < rows * cols) x[k / cols * ld + k % cols] = step(1, 0, k, v);
})
DF_KERNEL_USING(steps, change_k, df_inout2(uint32_t, x, rows, cols, ld), (int, rows), (int, cols), (int, ld), (int, v),
{
    int k = df_global_id(0);
    if (k < rows * cols) x[k / cols * ld + k % cols] = step(2, x[k / cols * ld + k % cols], k, v);
})
DF_KERNEL_USING(steps, commute_k, df_commute2(uint32_t, x, rows, cols, ld), (int, rows), (int, cols), (int, ld),
                (int, v),
{
    int k = df_global_id(0);
    if (k < rows * cols) x[k / cols * ld + k % cols] = step(3, x[k / cols * ld + k % cols], k, v);
})
DF_KERNEL_USING(steps, concurrent_k, df_concurrent(uint32_t, x, n), (int, n), (int, v),
{
    int k = df_global_id(0);
    if (k < n) df_atomic_add(x + k, (uint32_t)(v * (k + 1)));
})
DF_KERNEL_USING(steps, reduce_k, df_reduce(df_sum, uint32_t, x, n), (int, n), (int, v),
{
    int k = df_global_id(0);
    if (k < n) x[k] += (uint32_t)(v * (k + 1));
})

static void plain(enum mode how, cell *x, cell *sum, int rows, int cols, int ld, int v)
{
    for (int k = 0; k < rows * cols; k++) {
        cell *p = x + k / cols * ld + k % cols;
        if (how == IN) *sum = *sum * 31u + *p;
        else *p = step((int)how, *p, k, v);
    }
}
DF_STATIC_TASK(void, look_h, df_in2(cell, x, rows, cols, ld), df_inout(cell, sum, 1), (int, rows), (int, cols),
               (int, ld));
static void look_h(const cell *x, cell *sum, int rows, int cols, int ld)
{
    for (int k = 0; k < rows * cols; k++) *sum = *sum * 31u + x[k / cols * ld + k % cols];
}
#define HOST(name, how, ...)                                                                                        \
    DF_STATIC_TASK(void, name, __VA_ARGS__, (int, rows), (int, cols), (int, ld), (int, v));                          \
    static void name(cell *x, int rows, int cols, int ld, int v) { plain(how, x, NULL, rows, cols, ld, v); }
HOST(fill_h, OUT, df_out2(cell, x, rows, cols, ld))
HOST(change_h, INOUT, df_inout2(cell, x, rows, cols, ld))
HOST(commute_h, COMMUTE, df_commute2(cell, x, rows, cols, ld))
HOST(reduce_h, REDUCE, df_reduce2(df_sum, cell, x, rows, cols, ld))
DF_STATIC_TASK(void, concurrent_h, df_concurrent(cell, x, n), (int, n), (int, v));
static void concurrent_h(cell *x, int n, int v)
{
    for (int k = 0; k < n; k++) dfi_fetch_add_relaxed(&x[k], (cell)(v * (k + 1)));
}

static cell x[SPAN], want[SPAN], sum[SHAPES], want_sum[SHAPES];

/* A task of the host (device 0) or a kernel; 0 if there is none of this mode and shape. */
static int submit(enum mode how, int shape, int device, int v)
{
    const struct shape *s = &shapes[shape];
    cell *p = x + s->at;
    int rows = s->rows, cols = s->cols, ld = s->ld;
    df_ndrange all = df_grid(rows * cols);
    df_opts o = { .device = device };
    if (rows > 1 && (how == CONCURRENT || (how == REDUCE && device))) return 0;
    plain(how, want + s->at, &want_sum[shape], rows, cols, ld, v);
    switch (how) {
    case IN:
        device ? df_launch_with(&o, look_k, df_grid(1), p, &sum[shape], rows, cols, ld)
            : df_submit(look_h, p, &sum[shape], rows, cols, ld); break;
    case OUT:
        device ? df_launch_with(&o, fill_k, all, p, rows, cols, ld, v) : df_submit(fill_h, p, rows, cols, ld, v); break;
    case INOUT:
        device ? df_launch_with(&o, change_k, all, p, rows, cols, ld, v) : df_submit(change_h, p, rows, cols, ld, v);
        break;
    case COMMUTE:
        device ? df_launch_with(&o, commute_k, all, p, rows, cols, ld, v) : df_submit(commute_h, p, rows, cols, ld, v);
        break;
    case CONCURRENT:
        device ? df_launch_with(&o, concurrent_k, all, p, cols, v) : df_submit(concurrent_h, p, cols, v); break;
    default: device ? df_launch_with(&o, reduce_k, all, p, cols, v) : df_submit(reduce_h, p, rows, cols, ld, v); break;
    }
    return 1;
}

static void same(void)
{
    CHECK(df_wait_result() == DF_OK);
    CHECK(!memcmp(x, want, sizeof x) && !memcmp(sum, want_sum, sizeof sum));
}

/* Every pair once, each on some of the devices, at random; the code between waits has its turn, too. */
static int parts_done;
static void pairs(void)
{
    enum { PLACES = 2, ONE = MODES * SHAPES * PLACES, PAIRS = ONE * ONE, PARTS = 6 };
    static int order[PAIRS];
    uint64_t seed = 5;
    int first = PAIRS / PARTS * parts_done++, n = 0;
    for (int i = 0; i < PAIRS; i++) {
        int j = test_below(&seed, i + 1);
        order[i] = order[j], order[j] = i;
    }
    for (int i = first; i < first + PAIRS / PARTS; i += TEST_TSAN ? 4 : 1) {
        int of[2] = { order[i] / ONE, order[i] % ONE };
        for (int k = 0; k < 2; k++) {
            int on = of[k] % PLACES ? device_of(k ? i : i + i / 3) : 0;
            n += submit((enum mode)(of[k] / PLACES / SHAPES), of[k] / PLACES % SHAPES, on, i % 7 + 1);
        }
        if (test_below(&seed, 40)) continue;
        same();
        plain(INOUT, x, NULL, 1, SPAN, SPAN, i), plain(INOUT, want, NULL, 1, SPAN, SPAN, i);
    }
    same();
    CHECK(n > PAIRS / PARTS / 4);
}

/* --- reductions of floating-point numbers ------------------------------------------------------------------------- */

enum { M = 700, PARTS = 9 };
static float numbers[M], total[4];

DF_KERNEL(sums_k, df_in(float, y, n), (int, n), df_reduce(df_sum, float, s, 4),
{
    int i = df_global_id(0);
    if (i < n) s[i % 4] += y[i];
})
DF_STATIC_TASK(void, sums_h, df_in(float, y, n), (int, n), df_reduce(df_sum, float, s, 4));
static void sums_h(const float *y, int n, float *s)
{
    for (int i = 0; i < n; i++) s[i % 4] += y[i];
}
DF_STATIC_TASK(void, sums_below, df_in(float, y, n), (int, n), df_reduce(df_sum, float, s, 4));
static void sums_below(const float *y, int n, float *s)
{
    s[1] += 0.1f;
    df_launch(sums_k, df_grid1(n, 16), y, n, s);
    df_submit(sums_h, y, n / 2, s);
}

/* The bits of the sum of parts that the host and devices add up in turn. */
static void bits(float *result, int workers, const char *devices)
{
    df_config config = { .workers = workers, .deterministic = 1, .log = hear };
    set("DF_GPU", devices ? "sim" : "none"), set("DF_GPU_SIM", devices);
    CHECK(df_start(&config) == DF_OK);
    for (int i = 0; i < 4; i++) total[i] = 0.3f;
    for (int part = 0; part < PARTS; part++) {
        const float *y = numbers + part * (M / PARTS);
        int n = M / PARTS - part;
        if (part % 3 == 0) df_launch_with(DF_OPTS(.device = device_of(part)), sums_k, df_grid1(n, 16), y, n, total);
        else if (part % 3 == 1) df_submit(sums_h, y, n, total);
        else df_submit(sums_below, y, n, total);
    }
    CHECK(df_wait_result() == DF_OK);
    memcpy(result, total, sizeof total);
    df_stop();
    CHECK(!*heard());
}

static void deterministic(void)
{
    static const char *const devices[] = { "1:64K", "2:64K", "4:64K", "2:2K" };
    float first[4], now[4];
    double right = 4 * 0.3 + 3 * 0.1;
    uint64_t seed = 3;
    for (int i = 0; i < M; i++) numbers[i] = (float)(test_below(&seed, 2000000) - 1000000) * (i % 3 ? 1e-7f : 1e-3f);
    for (int part = 0; part < PARTS; part++)
        for (int i = 0, n = M / PARTS - part; i < n; i++)
            right += numbers[part * (M / PARTS) + i] * (part % 3 == 2 && i < n / 2 ? 2 : 1);
    /* a device may add in another order than the host does: no order is the same for both */
    for (int host = 0; host < 2; host++)
        for (int workers = 1; workers <= 4; workers += workers)
            for (size_t d = 0; d < (host ? 1 : sizeof devices / sizeof *devices); d++) {
                bits(now, workers, host ? NULL : devices[d]);
                if (workers == 1 && d == 0) memcpy(first, now, sizeof now);
                if (memcmp(first, now, sizeof now)) test_fail(host ? "the host" : devices[d], workers, "other bits");
                for (int i = 1; i < 4; i++) now[0] += now[i];
                CHECK(now[0] - right < 0.1 && right - now[0] < 0.1);
            }
}

int main(void)
{
    EVERYWHERE(pairs);
    if (parts_done > 1) ON("3:1K", pairs);
    deterministic();
}
