/* Kernels on devices with df: declared accesses, and not one copy, queue or event. */
#include "gpu.h"
#define DF_IMPLEMENTATION
#include "../df_gpu.h"
#if defined(DF_USE_CUDA)
#include <dlfcn.h>
#endif

DF_KERNEL(bump, df_inout(uint32_t, x, CHAIN), (uint32_t, k),
{
    int i = df_global_id(0);
    x[i] = 3 * x[i] + k;
})
DF_KERNEL(add, (float, a), df_in(float, x, n), df_inout(float, y, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) y[i] += a * x[i];
})
DF_KERNEL(sweep, df_in(float, from, side * side), df_out(float, to, side * side), (int, side),
{
    int j = df_global_id(0);
    int i = df_global_id(1);
    int at = i * side + j;
    if (i >= side || j >= side) return;
    if (i == 0 || j == 0 || i == side - 1 || j == side - 1) to[at] = from[at];
    else to[at] = 0.25f * (from[at - side] + from[at - 1] + from[at + 1] + from[at + side]);
})
DF_KERNEL(multiply, df_in2(float, a, n, n, ld), df_in2(float, b, n, n, ld), df_inout2(float, c, n, n, ld), (int, n),
          (int, ld),
{
    df_shared(float, s, df_block(0) * df_block(0));
    df_shared(float, t, df_block(0) * df_block(0));
    int x = df_local_id(0);
    int y = df_local_id(1);
    int i = df_global_id(1);
    int j = df_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k += df_block(0)) {
        s[y * df_block(0) + x] = a[i * ld + k + x];
        t[y * df_block(0) + x] = b[(k + y) * ld + j];
        df_barrier();
        for (int m = 0; m < df_block(0); m++) sum += s[y * df_block(0) + m] * t[m * df_block(0) + x];
        df_barrier();
    }
    c[i * ld + j] += sum;
})
DF_KERNEL(peek, df_in(float, x, n), df_inout(float, sum, 1), (long, n), (long, last),
{
    *sum += x[0] + x[last];
})
DF_KERNEL(poke, df_inout(float, x, n), (long, n), (long, step), (float, k),
{
    x[df_global_id(0) * step] += k;
})
DF_TASK(void, touch, df_inout(float, x, n), (long, n), (long, k));
void touch(float *x, long n, long k) { touch_body(x, n, k); }

static void done(void)
{
    df_result r = df_wait_result();
    if (!r) return;
    fprintf(stderr, "%s: %s\n", BENCH_SYSTEM, df_error_text(r));
    exit(1);
}

static int run_start(void)
{
    df_gpu_device info;
    df_start(NULL);
    return !df_gpu_info(1, &info) && strcmp(info.kind, "host") ? df_gpu_devices() : 0;
}
static void run_stop(void) { df_stop(); }
static void run_keep(void *p, size_t bytes, int devices)
{
    (void)devices;
    df_gpu_hold(p, bytes);
}
static void run_back(void *p, size_t bytes) { df_gpu_release(p, bytes); }
static void run_limit(size_t bytes)
{
    char text[32];
    df_stop();
    snprintf(text, sizeof text, "%zu", bytes);
    if (bytes) setenv("DF_GPU_MEMORY", text, 1);
    else unsetenv("DF_GPU_MEMORY");
    df_start(NULL);
}

/* df finds by itself that memory is pinned. The program pins it, with CUDA's own function, in the context of the
 * device. */
#if defined(DF_USE_CUDA)
DF_DEVICE_TASK(pin, (void *, p), (size_t, bytes), (int *, code));
void pin(df_queue *q, void *p, size_t bytes, int *code)
{
    void *cuda = strcmp(q->kind, "CUDA") ? NULL : dlopen("libcuda.so.1", RTLD_NOW);
    int (*add_memory)(void *, size_t, unsigned) = NULL, (*drop_memory)(void *) = NULL;
    *code = -1;
    if (!cuda) return;
    *(void **)&add_memory = dlsym(cuda, "cuMemHostRegister_v2");
    *(void **)&drop_memory = dlsym(cuda, "cuMemHostUnregister");
    if (bytes ? add_memory != NULL : drop_memory != NULL) *code = bytes ? add_memory(p, bytes, 0) : drop_memory(p);
    dlclose(cuda);
}
static int run_pin(void *p, size_t bytes)
{
    int code;
    df_launch(pin, p, bytes, &code);
    done();
    return !code;
}
static void run_unpin(void *p) { run_pin(p, 0); }
#else
static int run_pin(void *p, size_t bytes)
{
    (void)p, (void)bytes;
    return 0;
}
static void run_unpin(void *p) { (void)p; }
#endif

static void run_chain(uint32_t *x, long times, int wait)
{
    for (long k = 0; k < times; k++) {
        df_launch(bump, df_grid1(CHAIN, CHAIN), x, (uint32_t)k);
        if (wait) done();
    }
    done();
}

static void run_axpy(float a, float *x, float *y, long n, int devices, long times)
{
    long part = n / devices;
    for (long k = 0; k < times; k++)
        if (devices == 1) df_launch(add, df_grid1(n, GROUP), a, x, y, (int)n);
        else for (int d = 0; d < devices; d++)
            df_launch_with(DF_OPTS(.device = d + 1), add, df_grid1(part, GROUP), a, x + d * part, y + d * part,
                           (int)part);
    done();
}

static void run_jacobi(float *from, float *to, long side, long sweeps)
{
    for (long k = 0; k < sweeps; k++)
        df_launch(sweep, df_grid2(side, side, WIDE, HIGH), k % 2 ? to : from, k % 2 ? from : to, (int)side);
    done();
}

static void multiply_tile(struct square a, struct square b, struct square c, long n)
{
    df_launch(multiply, df_grid2(n, n, TILE, TILE), a.p, b.p, c.p, (int)n, (int)a.ld);
}
static void run_multiply(struct square a, struct square b, struct square c, long times)
{
    for (long k = 0; k < times; k++) multiply_tile(a, b, c, a.n);
    done();
}

static void run_to_device(float *x, float *sum, long n, long times)
{
    for (long k = 0; k < times; k++) {
        df_submit(touch, x, n, k);
        df_launch(peek, df_grid1(1, 1), x, sum, n, n - n / POKES);
    }
    done();
}
static void run_to_host(float *x, float *sum, long n, long times)
{
    for (long k = 0; k < times; k++) {
        df_launch(poke, df_grid1(POKES, POKES), x, n, n / POKES, (float)k);
        df_wait_on(x, (size_t)n * sizeof *x);
        look_body(x, sum, n);
    }
    done();
}

/* Two rows of tiles at a time, so that half of the tiles that fit are enough for those that are used again soon. */
static void run_outofcore(struct square a, struct square b, struct square c, long tile, int what)
{
    (void)what;
    for (long i = 0; i < a.n; i += 2 * tile)
        for (long j = 0; j < a.n; j += tile)
            for (long k = 0; k < a.n; k += tile)
                for (long r = i; r < i + 2 * tile; r += tile) {
                    struct square x = a, y = b, z = c;
                    x.p += r * a.ld + k, y.p += k * b.ld + j, z.p += r * c.ld + j;
                    multiply_tile(x, y, z, tile);
                }
    done();
}
