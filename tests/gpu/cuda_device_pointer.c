/* cuda_device_pointer.c - memory that is on a device already is no region: the launch is an error that names parameter,
 * kernel and line, and nothing is run; pinned memory of the host is as any other */
#include "cuda_test.h"
#include "scratch.h"

enum { N = 100000 };
DF_KERNEL(adds, df_in(float, from, n), df_inout(float, to, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) to[i] += from[i];
})
DF_KERNEL(sets, df_out(float, x, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) x[i] = 1;
})

static char heard[1000];
static int hears;
static void hear(void *arg, int level, const char *text)
{
    (void)arg;
    CHECK(level == DFI_LOG_ERROR);
    strncat(heard, text, sizeof heard - strlen(heard) - 1);
    hears++;
}
#define SAYS(line, what) says(DFI_SITE, line, what)
static void says(const char *site, int line, const char *what)
{
    char place[80];
    (void)site;
    snprintf(place, sizeof place, "%s:%d: launch of ", __FILE__, line);
    if (hears != 1 || !strstr(heard, place) || !strstr(heard, what))
        fprintf(stderr, "expected %s%s, heard: %s\n", place, what, heard);
    CHECK(hears == 1 && strstr(heard, place) && strstr(heard, what));
    *heard = 0, hears = 0;
}

static float x[N], y[N];
static void run(void)
{
    df_config c;
    uintptr_t p;
    float *d, *pinned;
    void *host;
    int line;
    memset(&c, 0, sizeof c);
    c.log = hear;
    CHECK(df_start(&c) == DF_OK);
    twin_find();
    CHECK(df_gpu_devices() == 1 && dfi_cuda.cu.memory_alloc);
    p = dfi_engine.device[0]->gpu.driver->alloc(&dfi_engine.device[0]->gpu, sizeof x);
    CHECK(p);
    memcpy(&d, &p, sizeof d);
    df_launch(adds, df_grid(N), x, d, N), line = __LINE__;
    CHECK(df_wait_result() == DF_ERROR_DEVICE);
    SAYS(line, "adds: parameter to is an address of device memory (CUDA)");
    df_launch(sets, df_grid(N), d + 10, N - 10), line = __LINE__;
    CHECK(df_wait_result() == DF_ERROR_DEVICE);
    SAYS(line, "sets: parameter x");
    df_launch_with(DF_OPTS(.name = "mine", .device = DF_HOST), adds, df_grid(N), d, x, N), line = __LINE__;
    CHECK(df_wait_result() == DF_ERROR_DEVICE);
    SAYS(line, "mine: parameter from");
    df_launch(sets, df_grid(N), x, N); /* the next launches run */
    CHECK(!dfi_cuda_enter(&dfi_engine.device[0]->gpu) && !dfi_cuda.cu.host_alloc(&host, sizeof x, 0));
    dfi_cuda_leave();
    pinned = (float *)host;
    memset(pinned, 0, sizeof x);
    df_launch(adds, df_grid(N), x, pinned, N);
    df_launch(adds, df_grid(N), pinned, y, N);
    CHECK(df_wait_result() == DF_OK && !hears);
    CHECK(x[N - 1] == 1 && pinned[N - 1] == 1 && y[0] == 1 && y[N - 1] == 1);
    dfi_engine.device[0]->gpu.driver->free(&dfi_engine.device[0]->gpu, p);
    CHECK(!dfi_cuda_enter(&dfi_engine.device[0]->gpu) && !dfi_cuda.cu.host_free(host));
    dfi_cuda_leave();
    df_stop();
}

int main(int argc, char **argv)
{
    static const struct scenario all[] = { { "run", run, { "DF_WORKERS=2" } },
                                           { "one worker", run, { "DF_WORKERS=1" } } };
    return scenario_main(all, sizeof all / sizeof *all, argc, argv);
}
