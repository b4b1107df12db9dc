/* Kernels by the driver for CUDA, on the double of libcuda: launches, functions of the host, compiling. */
#include "cuda_add.h"
#include "scratch.h"

DF_KERNEL(turn, df_inout(int, x, n), (int, n),
{
    df_shared(int, s, df_block(0));
    int i = df_local_id(0);
    int g = df_global_id(0);
    s[i] = g < n ? x[g] : 0;
    df_barrier();
    if (g < n) x[g] = s[df_workgroup_size(0) - 1 - i];
})
DF_KERNEL(place, df_out(int, x, n), (int, n),
{
    int w = df_global_size(0);
    int h = df_global_size(1);
    int i = df_global_id(0) + w * (df_global_id(1) + h * df_global_id(2));
    if (i < n)
        x[i] = df_local_id(0) + 10 * df_local_id(1) + 100 * df_local_id(2) + 1000 * df_workgroup_id(0) +
            10000 * df_workgroup_id(1) +
                      100000 * df_workgroup_id(2);
})
DF_KERNEL(total, df_in(int, x, n), (int, n), df_reduce(df_sum, int, s, 1),
{
    int i = df_global_id(0);
    if (i >= n) return;
    *s += x[i];
})
DF_KERNEL(count, df_in(int, x, n), (int, n), df_inout(int, at, 4),
{
    int i = df_global_id(0);
    if (i < n) df_atomic_add(&at[x[i] & 3], 1);
})

/* --- kernels --------------------------------------------------------------------------------------------- */

static void kernels(void)
{
    enum { N = 1000 };
    struct dfi_gpu *d = &gpu[0];
    static int x[N], y[N];
    struct dfi_built b;
    dfi_memory m, n4, parts;
    int i, n = N, counts[4] = { 0, 0, 0, 0 }, sums[8], sum = 0, groups[3] = { 3, 2, 5 }, group[3] = { 4, 5, 2 };
    struct dfi_arg args[3] = { { NULL, sizeof m, 1 }, { NULL, sizeof n, 0 }, { NULL, sizeof m, 1 } };
    args[0].p = &m, args[1].p = &n;
    twin_find();
    test_open(1);
    m = test_alloc(d, sizeof x), n4 = test_alloc(d, sizeof counts), parts = test_alloc(d, sizeof sums);
    b = test_build(d, &place_dfi_kernel, 0); /* three dimensions */
    CHECK(b.max_group == 1024 && b.registers == 32 && !b.shared && !b.spilled);
    n = 3 * 2 * 5 * 4 * 5 * 2 < N ? 3 * 2 * 5 * 4 * 5 * 2 : N;
    GOOD(V.launch(d, DFI_Q_RUN, &place_dfi_kernel, &b, groups, group, args, 2));
    GOOD(V.wait(d, DFI_Q_OUT, d, DFI_Q_RUN, d->issued[DFI_Q_RUN]));
    test_out(d, x, m, sizeof x);
    for (i = 0; i < n; i++) {
        int px = i % 12, py = i / 12 % 10, pz = i / 120;
        CHECK(x[i] == px % 4 + 10 * (py % 5) + 100 * (pz % 2) + 1000 * (px / 4) + 10000 * (py / 5) + 100000 * (pz / 2));
    }
    n = N;
    for (i = 0; i < N; i++) x[i] = i * 7 % 64, sum += x[i], counts[x[i] & 3]++;
    test_in(d, m, x, sizeof x);
    b = test_build(d, &total_dfi_kernel, 0); /* a reduction */
    args[2].p = &parts;
    launch(d, DFI_Q_RUN, &total_dfi_kernel, &b, 8, 128, args, 3);
    GOOD(V.wait(d, DFI_Q_OUT, d, DFI_Q_RUN, d->issued[DFI_Q_RUN]));
    test_out(d, sums, parts, sizeof sums);
    for (i = 0; i < 8; i++) sum -= sums[i];
    CHECK(!sum);
    b = test_build(d, &count_dfi_kernel, 0); /* atomics */
    memset(y, 0, sizeof y);
    test_in(d, n4, y, sizeof counts);
    args[2].p = &n4;
    launch(d, DFI_Q_RUN, &count_dfi_kernel, &b, 16, 64, args, 3);
    GOOD(V.wait(d, DFI_Q_OUT, d, DFI_Q_RUN, d->issued[DFI_Q_RUN]));
    test_out(d, y, n4, sizeof counts);
    for (i = 0; i < 4; i++) CHECK(y[i] == counts[i]);
    b = test_build(d, &turn_dfi_kernel, 50); /* a barrier; compiled for this size */
    CHECK(b.max_group == 50);
    launch(d, DFI_Q_RUN, &turn_dfi_kernel, &b, 20, 50, args, 2);
    GOOD(V.wait(d, DFI_Q_OUT, d, DFI_Q_RUN, d->issued[DFI_Q_RUN]));
    test_out(d, y, m, sizeof y);
    for (i = 0; i < N; i++) CHECK(y[i] == x[i / 50 * 50 + 49 - i % 50]);
    groups[0] = 20, groups[1] = groups[2] = 1, group[0] = 51, group[1] = group[2] = 1;
    CHECK(V.launch(d, DFI_Q_RUN, &turn_dfi_kernel, &b, groups, group, args, 2) == DF_ERROR_DEVICE); /* another size */
    CHECK(strstr(dfi_gpu_error, "cuLaunchKernel: CUDA_ERROR_INVALID_VALUE"));
    test_out(d, y, m, sizeof y); /* that was all */
    V.free(d, m), V.free(d, n4), V.free(d, parts);
    test_close(1);
}

/* A function that is not a kernel puts work into a queue: with the device's context, and counted when it is there. */
static void native(void)
{
    int (*copy)(uintptr_t, const void *, size_t, void *), (*pop)(void **);
    struct dfi_gpu *d = &gpu[1];
    static int x[100], y[100];
    uintptr_t before;
    void *f, *stream, *context = NULL;
    dfi_memory m;
    int i;
    twin_find();
    f = test_symbol(getenv("DF_CUDA_LIBRARY"), "cuMemcpyHtoDAsync_v2"), memcpy(&copy, &f, sizeof f);
    f = test_symbol(getenv("DF_CUDA_LIBRARY"), "cuCtxPopCurrent_v2"), memcpy(&pop, &f, sizeof f);
    test_open(2);
    m = test_alloc(d, sizeof x);
    for (i = 0; i < 100; i++) x[i] = i;
    twin.hold(2);
    before = d->issued[DFI_Q_RUN + 3];
    CHECK((stream = V.native(d, DFI_Q_RUN + 3)) != NULL);
    CHECK(!V.reached(d, DFI_Q_RUN + 3, before) || !before); /* others may look meanwhile */
    CHECK(d->issued[DFI_Q_RUN + 3] == before);
    CHECK(!copy(m, x, sizeof x, stream));
    V.native_end(d, DFI_Q_RUN + 3);
    CHECK(d->issued[DFI_Q_RUN + 3] == before + 1);
    CHECK(pop(&context) != 0); /* the context of this thread is as before: none */
    GOOD(V.wait(d, DFI_Q_OUT, d, DFI_Q_RUN + 3, before + 1));
    CHECK(!V.reached(d, DFI_Q_RUN + 3, before + 1));
    twin.hold(0);
    test_out(d, y, m, sizeof y);
    CHECK(!memcmp(x, y, sizeof x));
    V.free(d, m);
    test_close(2);
}

/* --- compiling --------------------------------------------------------------------------------------------- */

/* A kernel with another body, as if it stood in that file. */
static struct dfi_kernel with_body(const char *text)
{
    struct dfi_kernel k = add_dfi_kernel;
    k.text = text, k.file = "folder/user's file.c", k.line = 1234;
    return k;
}
static df_result build(struct dfi_gpu *d, struct dfi_kernel *k, struct dfi_built *b, char *log, size_t bytes)
{
    memset(b, 0, sizeof *b);
    memset(log, 'x', bytes);
    log[bytes - 1] = 0;
    return V.build(d, k, b, log, bytes);
}

static void errors(void)
{
    struct dfi_kernel wrong =
        with_body("(int, by), df_inout(int, x, n), (int, n), { x[0] = undeclared_name; x[1] = by + ; }"),
                      refused = with_body("(int, by), df_inout(int, x, n), (int, n) no body"),
                      sized = with_body("(int, by), df_inout(int, x, n), (int, n), { x[0] = df_block(0); }");
    struct dfi_built b;
    char log[2000];
    test_open(1);
    CHECK(build(&gpu[0], &wrong, &b, log, sizeof log) == DF_ERROR_KERNEL);
    CHECK(strstr(log, "folder/user's file.c(1234): error:") && strstr(log, "undeclared_name"));
    CHECK(build(&gpu[0], &wrong, &b, log, 30) == DF_ERROR_KERNEL && strlen(log) == 29);
    CHECK(build(&gpu[0], &refused, &b, log, sizeof log) == DF_ERROR_KERNEL && strstr(log, "has no body"));
    CHECK(build(&gpu[0], &sized, &b, log, sizeof log) == DF_ERROR_KERNEL && strstr(log, "df_block"));
    test_build(&gpu[0], &add_dfi_kernel, 0);
    test_close(1);
}

/* NVRTC is older than the device: PTX. The device is older than NVRTC: a sentence. */
static void adds(void)
{
    struct dfi_built b;
    dfi_memory m;
    int x[100], i;
    test_open(1);
    b = test_build(&gpu[0], &add_dfi_kernel, 0);
    m = test_alloc(&gpu[0], sizeof x);
    for (i = 0; i < 100; i++) x[i] = i;
    test_in(&gpu[0], m, x, sizeof x);
    launch_add(&gpu[0], DFI_Q_RUN, &b, 5, m, 100);
    GOOD(V.wait(&gpu[0], DFI_Q_OUT, &gpu[0], DFI_Q_RUN, gpu[0].issued[DFI_Q_RUN]));
    test_out(&gpu[0], x, m, sizeof x);
    for (i = 0; i < 100; i++) CHECK(x[i] == i + 5);
    V.free(&gpu[0], m);
    test_close(1);
}
static void newer_device(void)
{
    twin_find();
    adds();
    CHECK(twin.calls("nvrtcGetPTX") == 1 && !twin.calls("nvrtcGetCUBIN"));
}
static void same_device(void)
{
    twin_find();
    adds();
    CHECK(!twin.calls("nvrtcGetPTX") && twin.calls("nvrtcGetCUBIN") == 1);
}
static void older_device(void)
{
    struct dfi_built b;
    char log[200];
    test_open(1);
    CHECK(build(&gpu[0], &add_dfi_kernel, &b, log, sizeof log) == DF_ERROR_KERNEL);
    CHECK(!strcmp(log, "NVRTC 12.4 does not compile for devices of compute capability 5.2"));
    test_close(1);
}

/* The second build of a kernel finds it on the disk; a file that the driver refuses, or that is damaged, is made
 * again. */
static void disk(void)
{
    char folder[SCRATCH], command[SCRATCH + 100];
    struct dfi_built b;
    twin_find();
    CHECK(mkdtemp(scratch(folder, "df_cache")));
    setenv("DF_KERNEL_CACHE", folder, 1);
    test_open(1);
    test_build(&gpu[0], &add_dfi_kernel, 0);
    CHECK(twin.calls("nvrtcCompileProgram") == 1);
    b = test_build(&gpu[0], &add_dfi_kernel, 0);
    CHECK(twin.calls("nvrtcCompileProgram") == 1 && b.max_group == 1024);
    b = test_build(&gpu[0], &add_dfi_kernel, 32); /* another size of group: another text */
    CHECK(twin.calls("nvrtcCompileProgram") == 2 && b.max_group == 32);
    twin.fail("cuModuleLoadData", 1, 209);
    test_build(&gpu[0], &add_dfi_kernel, 0);
    CHECK(twin.calls("nvrtcCompileProgram") == 3);
    snprintf(command, sizeof command, "for f in %s/*; do echo more >> $f; done", folder);
    CHECK(!system(command));
    test_build(&gpu[0], &add_dfi_kernel, 0);
    CHECK(twin.calls("nvrtcCompileProgram") == 4);
    test_build(&gpu[0], &add_dfi_kernel, 0);
    CHECK(twin.calls("nvrtcCompileProgram") == 4);
    test_close(1);
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(!system(command));
}

/* The NVRTC of this machine, if it has one: it compiles all kernels of this file, and names the line of an error. */
static void real_compiler(void)
{
    struct dfi_kernel *all[] = { &add_dfi_kernel, &turn_dfi_kernel, &place_dfi_kernel, &total_dfi_kernel,
                                 &count_dfi_kernel };
    struct dfi_kernel wrong = with_body("(int, by), df_inout(int, x, n), (int, n), { x[0] = undeclared_name; }");
    struct dfi_built b;
    char why[300], log[2000];
    size_t i;
    unsetenv("DF_NVRTC_LIBRARY");
    if (dfi_cuda_load_compiler(12000, why, sizeof why)) return; /* nothing to test with */
    test_open(1);
    for (i = 0; i < sizeof all / sizeof *all; i++) test_build(&gpu[0], all[i], 64);
    CHECK(build(&gpu[0], &wrong, &b, log, sizeof log) == DF_ERROR_KERNEL);
    CHECK(strstr(log, "folder/user's file.c(1234): error:") && strstr(log, "undeclared_name"));
    test_close(1);
    printf("NVRTC %d.%d of this machine: %d kernels\n", dfi_cuda.rtc_version[0], dfi_cuda.rtc_version[1], (int)i);
}

int main(int argc, char **argv)
{
    static const struct scenario all[] = {
        { "kernels", kernels, { NULL } },
        { "native", native, { "CUDA_DOUBLE_DEVICES=2" } },
        { "errors", errors, { NULL } },
        { "same device", same_device, { "CUDA_DOUBLE_NVRTC=70,86" , "CUDA_DOUBLE_ARCH=86" } },
        { "newer device", newer_device, { "CUDA_DOUBLE_NVRTC=75,100,80", "CUDA_DOUBLE_ARCH=90" } },
        { "older device", older_device, { "CUDA_DOUBLE_NVRTC=75,80", "CUDA_DOUBLE_ARCH=52" } },
        { "disk", disk, { NULL } },
        { "real compiler", real_compiler, { NULL } }
    };
    return scenario_main(all, sizeof all / sizeof *all, argc, argv);
}
