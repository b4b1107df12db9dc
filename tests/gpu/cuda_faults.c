/* What can go wrong below the driver for CUDA: no library, one that is broken, a call that fails, a device that is
 * lost. Every result then is an error with a text, or right; nothing crashes, hangs or leaks. */
#include "cuda_test.h"
#include "scratch.h"

DF_KERNEL(add, (int, by), df_inout(int, x, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) x[i] += by;
})

/* --- what the log says -------------------------------------------------------------------------------------- */

static char heard[1000];
static void hear(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    strncat(heard, text, sizeof heard - strlen(heard) - 1);
}
static int count(void)
{
    dfi_logger.log = hear;
    return V.count();
}

static void no_library(void)
{
    CHECK(!count() && strstr(heard,
                             "CUDA: DF_CUDA_LIBRARY='/nonexistent/libcuda.so' cannot be loaded: its devices are not used"));
}
static void other_library(void)
{
    CHECK(!count() && strstr(heard, "libm.so.6 has no cuInit: CUDA 11 or later is needed"));
}
static void usual_library(void)
{
    void *l = dlopen("libcuda.so.1", RTLD_NOW);
    if (l) dlclose(l);
    else CHECK(!count() && !*heard); /* no GPU here: nothing to say */
}
static void broken_library(void)
{
    CHECK(!count() && strstr(heard, "CUDA: cuInit: error (34): no description: its devices are not used"));
}
static void no_devices(void) { CHECK(!count() && !*heard); }
static void no_compiler(void) { CHECK(!count() && strstr(heard, "/nonexistent/libnvrtc.so cannot be loaded")); }
static void other_compiler(void)
{
    CHECK(!count() && strstr(heard, "libm.so.6 has no nvrtcVersion: NVRTC 11.2 or later is needed"));
}

/* --- the n-th call of a function fails ------------------------------------------------------------------------ */

enum { N = 400000, ROW = 1000, ROWS = 200, NOT_REACHED = 3 };
static int x[N], y[N], z[N];
static int failures;

/* A result, right or with a text. Nonzero: it is right. */
static int good(df_result r)
{
    if (!r) return 1;
    failures++;
    CHECK(!strncmp(dfi_gpu_error, "cu", 2) || !strncmp(dfi_gpu_error, "nvrtc", 5));
    CHECK(strchr(dfi_gpu_error, ':') && r <= DF_ERROR_KERNEL && r >= DF_ERROR_DEVICE);
    return 0;
}

/* What the engine does with two devices: all calls that make sense after those before, whether they failed or not.
 * Closes e. */
static void work_with(struct dfi_gpu *d, struct dfi_gpu *e)
{
    struct dfi_box all = test_bytes(sizeof x), small = test_bytes(400),
        strided = { ROW * sizeof(int), ROWS, 2 * ROW * sizeof(int), ROW * sizeof(int) };
    struct dfi_built b;
    char log[2000];
    dfi_memory m[2], p;
    int i, by = 3, n = N, gs[3] = { (N + 255) / 256, 1, 1 }, g[3] = { 256, 1, 1 };
    struct dfi_arg args[3] = { { NULL, sizeof by, 0 }, { NULL, sizeof(dfi_memory), 1 }, { NULL, sizeof n, 0 } };
    df_result built;
    memset(&b, 0, sizeof b);
    for (i = 0; i < N; i++) x[i] = i, y[i] = z[i] = -1;
    built = V.build(d, &add_dfi_kernel, &b, log, sizeof log);
    if (!good(built)) CHECK(built != DF_ERROR_KERNEL || *log);
    for (i = 0; i < 2; i++)
        if (!(m[i] = V.alloc(d, sizeof x))) failures++;
    if (!(p = V.alloc(e, sizeof x))) failures++;
    args[0].p = &by, args[1].p = &m[0], args[2].p = &n;
    if (m[0] && m[1] && p) {
        void *stream;
        good(V.copy_in(d, DFI_Q_IN, m[0], x, &small));
        good(V.copy_in(d, DFI_Q_IN, m[0], x, &all));
        good(V.copy_in(d, DFI_Q_IN, m[1], x, &strided));
        good(V.wait(d, DFI_Q_RUN, d, DFI_Q_IN, d->issued[DFI_Q_IN]));
        if (!built) good(V.launch(d, DFI_Q_RUN, &add_dfi_kernel, &b, gs, g, args, 3));
        good(V.copy_on(d, DFI_Q_RUN, m[1], m[0], &all));
        if ((stream = V.native(d, DFI_Q_RUN)) != NULL) V.native_end(d, DFI_Q_RUN);
        else failures++;
        good(V.wait(e, DFI_Q_IN, d, DFI_Q_RUN, d->issued[DFI_Q_RUN]));
        good(V.copy_peer(e, DFI_Q_IN, p, d, m[1], sizeof x));
        good(V.wait(e, DFI_Q_OUT, e, DFI_Q_IN, e->issued[DFI_Q_IN]));
        if (good(V.copy_out(e, DFI_Q_OUT, y, p, &all))) good(V.sync(e, DFI_Q_OUT, e->issued[DFI_Q_OUT]));
        good(V.wait(d, DFI_Q_OUT, d, DFI_Q_RUN, d->issued[DFI_Q_RUN]));
        if (good(V.copy_out(d, DFI_Q_OUT, z, m[1], &strided))) good(V.sync(d, DFI_Q_OUT, d->issued[DFI_Q_OUT]));
    }
    for (i = 0; i < 2; i++) { /* all is done before memory is freed */
        struct dfi_gpu *v = i ? e : d;
        int q, first;
        for (q = 0; q < DFI_QUEUES; q++) {
            first = good(V.sync(v, q, v->issued[q]));
            /* a device that failed stays as it is; another one is asked once more and waits */
            if (!first && good(V.sync(v, q, v->issued[q]))) failures++;
            CHECK(V.reached(v, q, v->issued[q]));
        }
    }
    if (!failures) {
        for (i = 0; i < N; i++) CHECK(y[i] == i + 3);
        for (i = 0; i < ROW * ROWS; i++)
            CHECK(z[i / ROW * 2 * ROW + i % ROW] == i + 3 && z[i / ROW * 2 * ROW + ROW + i % ROW] == -1);
    }
    if (p) V.free(e, p);
    V.close(e); /* if it failed, its copies from d end here */
    for (i = 0; i < 2; i++)
        if (m[i]) V.free(d, m[i]);
}

static const char *fault_call;
static long fault_at;
static void work(void)
{
    int i, opened = 0;
    twin_find();
    if (count() == 2) {
        for (i = 0; i < 2; i++, opened++) {
            gpu[i].index = i;
            if (!good(V.open(&gpu[i], i))) break;
        }
        if (opened == 2) work_with(&gpu[0], &gpu[1]), opened = 1;
        while (opened) V.close(&gpu[--opened]);
    } else CHECK(*heard);
    if (twin.calls(fault_call) < fault_at) {
        CHECK(!failures);
        exit(NOT_REACHED);
    }
    /* these leave something behind */
    if (strncmp(fault_call, "cuCtxPush", 9) && strncmp(fault_call, "cuDevicePrimaryCtxRel", 21)) {
        if (twin.live()) fprintf(stderr, "%ld objects are left\n", twin.live());
        CHECK(!twin.live() && !twin.wrongs());
    }
}

static int fault(const char *call, long n, int code)
{
    char text[100];
    int status;
    pid_t child = fork();
    if (!child) {
        alarm(SCENARIO_SECONDS);
        snprintf(text, sizeof text, "%s:%ld:%d", call, n, code);
        setenv("CUDA_DOUBLE_FAIL", text, 1);
        setenv("CUDA_DOUBLE_DEVICES", "2", 1);
        if (!strncmp(call, "nvrtc", 5)) unsetenv("DF_KERNEL_CACHE");
        fault_call = call, fault_at = n;
        work();
        exit(0);
    }
    waitpid(child, &status, 0);
    if (status && !(WIFEXITED(status) && WEXITSTATUS(status) == NOT_REACHED))
        fprintf(stderr, "call %ld of %s returns %d: %s %d\n", n, call, code,
                WIFSIGNALED(status) ? "signal" : "exit status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return status ? WIFEXITED(status) ? WEXITSTATUS(status) : 1 : 0;
}

/* Every function, at its first calls, with a code that is the end of the device, and with others. */
static int all_faults(void)
{
    static const int codes[] = { 1, 2, 700 };
    enum { MOST = TEST_SLOW ? 2 : 4 };
    char folder[SCRATCH], command[SCRATCH + 100];
    const char *name;
    int i, failed = 0, faults = 0;
    size_t c;
    CHECK(mkdtemp(scratch(folder, "df_faults")));
    setenv("DF_KERNEL_CACHE", folder, 1); /* so that not every process compiles */
    for (i = 0; (name = twin.name(i)) != NULL; i++)
        for (c = 0; c < sizeof codes / sizeof *codes; c++) {
            long n;
            int r = 0, compiles = !strncmp(name, "nvrtc", 5), later = !strcmp(name, "kernel") || !strcmp(name, "copy");
            if ((compiles && c) || (later && codes[c] != 700)) continue; /* what fails in a stream is always the end */
            if (codes[c] == 2 && !strstr(name, "Alloc") && !strstr(name, "Create")) continue;
            for (n = 1; n <= (compiles ? 2 : MOST) && r != NOT_REACHED; n++) {
                r = fault(name, n, codes[c]);
                failed |= r && r != NOT_REACHED;
                faults += !r;
            }
        }
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(!system(command));
    printf("%d faults\n", faults);
    return failed;
}

/* --- devices that are lost --------------------------------------------------------------------------------- */

static df_result woken;
static uintptr_t until;
static void *wait_main(void *arg)
{
    (void)arg;
    woken = V.sync(&gpu[0], DFI_Q_RUN, until);
    CHECK(strstr(dfi_gpu_error, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    return NULL;
}

static void prepare(struct dfi_gpu *d, struct dfi_built *b, dfi_memory *m)
{
    *b = test_build(d, &add_dfi_kernel, 0);
    *m = test_alloc(d, 400);
}
static df_result launch(struct dfi_gpu *d, struct dfi_built *b, dfi_memory m)
{
    int by = 1, n = 100, gs[3] = { 2, 1, 1 }, g[3] = { 64, 1, 1 };
    struct dfi_arg args[3] = { { NULL, sizeof by, 0 }, { NULL, sizeof m, 1 }, { NULL, sizeof n, 0 } };
    args[0].p = &by, args[1].p = &m, args[2].p = &n;
    return V.launch(d, DFI_Q_RUN, &add_dfi_kernel, b, gs, g, args, 3);
}

/* Every call for device d fails, with the text of the first error, and waits for nothing. */
static void all_fail(struct dfi_gpu *d, struct dfi_gpu *other, struct dfi_built *b, dfi_memory m, const char *text)
{
    struct dfi_box box = test_bytes(400), large = test_bytes(sizeof x);
    struct dfi_built again;
    char log[200];
    memset(&again, 0, sizeof again);
#define FAILS(call) CHECK((*dfi_gpu_error = 0, (call) == DF_ERROR_DEVICE) && strstr(dfi_gpu_error, text))
    FAILS(launch(d, b, m));
    FAILS(V.copy_in(d, DFI_Q_IN, m, x, &box));
    FAILS(V.copy_in(d, DFI_Q_IN, m, x, &large));
    FAILS(V.copy_out(d, DFI_Q_OUT, y, m, &box));
    FAILS(V.copy_on(d, DFI_Q_IN, m, m, &box));
    FAILS(V.copy_peer(d, DFI_Q_IN, m, other, m, 400));
    FAILS(V.wait(d, DFI_Q_IN, d, DFI_Q_RUN, d->issued[DFI_Q_RUN]));
    FAILS(V.wait(other, DFI_Q_IN, d, DFI_Q_RUN, d->issued[DFI_Q_RUN]));
    FAILS(V.sync(d, DFI_Q_RUN, d->issued[DFI_Q_RUN]));
    FAILS(V.build(d, &add_dfi_kernel, &again, log, sizeof log));
    CHECK(V.reached(d, DFI_Q_RUN, d->issued[DFI_Q_RUN]));
    CHECK(!V.alloc(d, 400) && strstr(dfi_gpu_error, text));
    CHECK(!V.native(d, DFI_Q_RUN) && strstr(dfi_gpu_error, text));
    V.flush(d, DFI_Q_RUN);
    V.free(d, m);
}

/* While a thread waits for it; the other device continues. */
static void lost(void)
{
    struct dfi_built b[2];
    dfi_memory m[2];
    pthread_t thread;
    long queries;
    int i;
    twin_find();
    test_open(2);
    for (i = 0; i < 2; i++) prepare(&gpu[i], &b[i], &m[i]);
    twin.hold(1);
    queries = twin.calls("cuEventQuery");
    GOOD(launch(&gpu[0], &b[0], m[0]));
    until = gpu[0].issued[DFI_Q_RUN];
    CHECK(!pthread_create(&thread, NULL, wait_main, NULL));
    while (twin.calls("cuEventQuery") == queries) dfi_os_yield();
    twin.lose(0, 700);
    twin.hold(0);
    pthread_join(thread, NULL);
    CHECK(woken == DF_ERROR_DEVICE);
    all_fail(&gpu[0], &gpu[1], &b[0], m[0],
             "cuEventQuery: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered");
    test_in(&gpu[1], m[1], x, 400);
    GOOD(launch(&gpu[1], &b[1], m[1]));
    GOOD(V.wait(&gpu[1], DFI_Q_OUT, &gpu[1], DFI_Q_RUN, gpu[1].issued[DFI_Q_RUN]));
    test_out(&gpu[1], y, m[1], 400);
    CHECK(y[7] == x[7] + 1);
    V.free(&gpu[1], m[1]);
    for (i = 0; i < 2; i++) V.close(&gpu[i]);
    CHECK(!twin.live() && !twin.wrongs());
}

/* A kernel fails when it runs: the next call reports it. Earlier operations keep their results. */
static void kernel_fails(void)
{
    struct dfi_built b[2];
    dfi_memory m[2];
    uintptr_t before;
    int i;
    twin_find();
    test_open(2);
    for (i = 0; i < 2; i++) prepare(&gpu[i], &b[i], &m[i]);
    GOOD(launch(&gpu[0], &b[0], m[0]));
    before = gpu[0].issued[DFI_Q_RUN];
    GOOD(V.sync(&gpu[0], DFI_Q_RUN, before));
    CHECK(!twin.fail("kernel", 1, 719));
    if (!launch(&gpu[0], &b[0], m[0])) CHECK(V.sync(&gpu[0], DFI_Q_RUN, gpu[0].issued[DFI_Q_RUN]) == DF_ERROR_DEVICE);
    CHECK(strstr(dfi_gpu_error, "CUDA_ERROR_LAUNCH_FAILED (719): unspecified launch failure"));
    GOOD(V.sync(&gpu[0], DFI_Q_RUN, before));
    CHECK(V.reached(&gpu[0], DFI_Q_RUN, before));
    all_fail(&gpu[0], &gpu[1], &b[0], m[0], "CUDA_ERROR_LAUNCH_FAILED");
    V.free(&gpu[1], m[1]);
    for (i = 0; i < 2; i++) V.close(&gpu[i]);
    CHECK(!twin.live() && !twin.wrongs());
}

/* A pointer that is none: the kernel's fault, and the end of the device. */
static void wrong_pointer(void)
{
    struct dfi_built b;
    dfi_memory m;
    twin_find();
    test_open(1);
    prepare(&gpu[0], &b, &m);
    GOOD(launch(&gpu[0], &b, (dfi_memory)(uintptr_t)x));
    CHECK(V.sync(&gpu[0], DFI_Q_RUN, gpu[0].issued[DFI_Q_RUN]) == DF_ERROR_DEVICE);
    CHECK(strstr(dfi_gpu_error, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    V.close(&gpu[0]);
    CHECK(!twin.live());
}

/* A process cannot continue to use its parent's devices. */
static void forked(void)
{
    struct dfi_built b;
    dfi_memory m;
    pid_t child;
    int status;
    twin_find();
    test_open(1);
    prepare(&gpu[0], &b, &m);
    if (!(child = fork())) {
        CHECK(!V.alloc(&gpu[0], 400) && strstr(dfi_gpu_error, "CUDA_ERROR_NOT_INITIALIZED"));
        CHECK(launch(&gpu[0], &b, m) == DF_ERROR_DEVICE && strstr(dfi_gpu_error, "CUDA_ERROR_NOT_INITIALIZED"));
        _exit(0);
    }
    waitpid(child, &status, 0);
    CHECK(!status);
    GOOD(launch(&gpu[0], &b, m));
    GOOD(V.sync(&gpu[0], DFI_Q_RUN, gpu[0].issued[DFI_Q_RUN]));
    V.free(&gpu[0], m);
    test_close(1);
}

int main(int argc, char **argv)
{
    static const struct scenario all[] = {
        { "no library", no_library, { "DF_CUDA_LIBRARY=/nonexistent/libcuda.so" } },
        { "other library", other_library, { "DF_CUDA_LIBRARY=libm.so.6" } },
        { "usual library", usual_library, { "DF_CUDA_LIBRARY=" } },
        { "broken library", broken_library, { "CUDA_DOUBLE_BROKEN=34" } },
        { "no devices", no_devices, { "CUDA_DOUBLE_DEVICES=0" } },
        { "no compiler", no_compiler, { "DF_NVRTC_LIBRARY=/nonexistent/libnvrtc.so" } },
        { "other compiler", other_compiler, { "DF_NVRTC_LIBRARY=libm.so.6" } },
        { "lost", lost, { "CUDA_DOUBLE_DEVICES=2" } },
        { "kernel fails", kernel_fails, { "CUDA_DOUBLE_DEVICES=2" } },
        { "wrong pointer", wrong_pointer, { NULL } },
        { "forked", forked, { NULL } }
    };
    int failed = scenario_main(all, sizeof all / sizeof *all, argc, argv);
    if (failed || argc > 1) return failed;
    twin_find();
    return all_faults();
}
