/* renamed.c - a value got a buffer of its own before there were devices; then kernels use that buffer, or the memory
 * that it stands for */
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "devices.h"

enum { N = 1000, FIRST = 100 };
static int x[N], sum, renamed; /* how often */
static DFI_ATOMIC(int) go_on;

static void wait_until_on(void)
{
    while (!dfi_load_acquire(&go_on)) dfi_os_yield();
}
/* Who was to set it may have been given no buffer, and wait itself. */
static void wait_a_little(void)
{
    for (uint64_t end = dfi_os_ns() + 3000000; !dfi_load_acquire(&go_on) && dfi_os_ns() < end;) dfi_os_yield();
    dfi_store_release(&go_on, 1);
}

DF_KERNEL(fill, df_out(int, p, n), (int, n), (int, value),
{
    int i = df_global_id(0);
    if (i < n) p[i] = value + i;
})
DF_KERNEL(increase, df_inout(int, p, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) p[i]++;
})

/* Keeps the old value in use until it may continue. */
DF_STATIC_TASK(void, read_slowly, df_in(int, p, N));
static void read_slowly(const int *p)
{
    wait_until_on();
    CHECK(p[0] == FIRST && p[N - 1] == FIRST);
}
/* A kernel writes the new one, wherever that is. */
DF_STATIC_TASK(void, fill_below, df_out(int, p, N), (int, value));
static void fill_below(int *p, int value)
{
    renamed += p != x;
    df_launch(fill, df_grid(N), p, N, value);
    dfi_store_release(&go_on, 1);
}
DF_STATIC_TASK(void, add_up, df_in(int, p, N), df_inout(int, s, 1));
static void add_up(const int *p, int *s)
{
    for (int i = 0; i < N; i++) *s += p[i];
}

/* What follows is submitted when there are devices, and gets the value from that buffer. */
static void value_of_a_kernel(void)
{
    for (int i = 0; i < N; i++) x[i] = FIRST;
    sum = 0, dfi_store_release(&go_on, 0);
    DF_PARALLEL {
        df_submit(read_slowly, x);
        df_submit(fill_below, x, 5);
        wait_a_little();
        df_submit(add_up, x, &sum);
        df_launch(increase, df_grid(N), x, N);
    }
    CHECK(sum == N * 5 + N * (N - 1) / 2);
    for (int i = 0; i < N; i++) CHECK(x[i] == 6 + i);
}

/* The copy that a device has of the memory is older than the value that comes back into it. */
DF_STATIC_TASK(void, write_there, df_out(int, p, N), (int, value));
static void write_there(int *p, int value)
{
    renamed += p != x;
    for (int i = 0; i < N; i++) p[i] = value;
    dfi_store_release(&go_on, 1);
}
DF_STATIC_TASK(void, change_first, df_weak_inout(int, p, N));
static void change_first(int *p)
{
    wait_until_on();
    df_launch(increase, df_grid(N), p, N);
}
DF_STATIC_TASK(void, write_next, df_weak_out(int, p, N), (int, value));
static void write_next(int *p, int value) { df_submit(write_there, p, value); }

static void value_comes_back(void)
{
    for (int i = 0; i < N; i++) x[i] = FIRST;
    dfi_store_release(&go_on, 0);
    DF_PARALLEL {
        df_submit(change_first, x);
        df_submit(write_next, x, 77);
        wait_a_little();
    }
    for (int i = 0; i < N; i++) CHECK(x[i] == 77);
}

int main(void)
{
    static void (*const test[])(void) = { value_of_a_kernel, value_comes_back };
    /* deferred: read_slowly must not run inside its submission */
    df_config config = { .workers = WORKERS, .defer = 1, .rename_bytes = 1 << 20, .log = hear };
    setenv("DF_GPU", "sim", 1);
    for (int k = 0; k < 2; k++) {
        renamed = 0;
        /* depends on the work of the workers when the writer is submitted */
        for (int i = 0; i < 20 || (renamed < 3 && i < 1000); i++) {
            setenv("DF_GPU_SIM", i % 2 ? "1:1M" : "3:1M", 1);
            CHECK(df_start(&config) == DF_OK);
            test[k]();
            stop_devices("renamed");
        }
        CHECK(renamed);
    }
    return 0;
}
