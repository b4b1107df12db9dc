/* conditions.c - conditions of df_speculate that kernels compute: the newest contents may be on a device when a
 * predicate is called; launches in a block wait for the decision */
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "devices.h"

enum { N = 600, BLOCKS = 4, TURNS = 7 };

DF_KERNEL(halve, df_inout(double, residual, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) residual[i] /= 2;
})
DF_KERNEL(fill, df_out(int, p, n), (int, n), (int, value),
{
    int i = df_global_id(0);
    if (i < n) p[i] = value;
})
DF_STATIC_TASK(void, count, df_inout(int, turns, 1));
static void count(int *turns) { ++*turns; }
DF_STATIC_TASK(void, halve_first, df_inout(double, residual, 1));
static void halve_first(double *residual) { *residual /= 2; }

static int small(const double *residual)
{
    for (int i = 0; i < N; i++)
        if (residual[i] > 1. / (1 << TURNS)) return 0;
    return 1;
}
DF_PREDICATE(small, double, N);

static double residual[N];
static int x[N], turns;

static void reset(void)
{
    for (int i = 0; i < N; i++) residual[i] = 1, x[i] = 0;
    turns = 0;
}

/* Parts of the array are on several devices. */
static void sweep(void)
{
    for (int k = 0; k < BLOCKS; k++) df_launch(halve, df_grid(N / BLOCKS), residual + k * (N / BLOCKS), N / BLOCKS);
}

static void of_kernels(void)
{
    reset();
    sweep();
    df_speculate_while_on(small, residual, 0) { /* its launches wait for each decision */
        df_submit(count, &turns);
        sweep();
    }
    df_wait();
    CHECK(turns == TURNS - 1);
    for (int i = 0; i < N; i++) CHECK(residual[i] == 1. / (1 << TURNS));

    reset();
    sweep();
    df_speculate_on(small, residual, 0) { /* one scalar, in the memory that the kernels write */
        df_submit(halve_first, residual);
        df_submit(count, &turns);
        df_speculate(&residual[N - 1], 0) df_submit(count, &turns);
    }
    df_speculate_on(small, residual, 1) df_launch(fill, df_grid(N), x, N, 3);
    df_speculate(&residual[5], 1) df_launch(fill, df_grid(N), x, N, 5);
    df_speculate(&x[N - 1], 0) df_submit(count, &turns);
    df_wait();
    CHECK(turns == 1 && residual[0] == 0.25 && residual[1] == 0.5);
    for (int i = 0; i < N; i++) CHECK(x[i] == 5);
}

static int any(const int *p)
{
    for (int i = 0; i < N; i++)
        if (p[i]) return 1;
    return 0;
}
DF_PREDICATE(any, int, N);

/* The launch after it, and so the decision, are not known to be done when the block begins. */
DF_STATIC_TASK(void, delay, df_inout(int, p, N));
static void delay(int *p)
{
    test_spin(20000);
    p[0] += p[N - 1] - p[0];
}

/* The decision differs if the earlier value is read. */
static void of_newest_contents(void)
{
    int expected = 0;
    reset();
    for (int k = 0; k < 30; k++) {
        int value = k % 3 == 1 ? 5 : k % 2, guess = k / 2 % 2;
        if (k % 5) df_submit(delay, x);
        df_launch(fill, df_grid(N), x, N, value);
        if (k % 4) df_speculate_on(any, x, guess) df_submit(count, &turns);
        else df_speculate(&x[k], guess) df_submit(count, &turns);
        expected += (value != 0) == guess;
    }
    df_wait();
    CHECK(turns == expected);
}

int main(void)
{
    for (int i = 0; i < 5; i++) EVERYWHERE(of_kernels);
    for (int i = 0; i < 10; i++) EVERYWHERE(of_newest_contents);
    return 0;
}
