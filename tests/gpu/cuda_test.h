/* cuda_test.h - for tests of the driver for CUDA: the double, and scenarios in processes of their own
 *
 * A scenario has its own environment, as libraries are loaded once in a process. Program [SCENARIO] runs all, or one of
 * them without a process of its own. Exit status 77: there is nothing to test with, as a line says. */
#ifndef CUDA_TEST_H
#define CUDA_TEST_H

#define DF_IMPLEMENTATION
#define DF_USE_CUDA
#include "df_gpu.h"
#include "../test.h"
#include "cuda_double.h"
#include <sys/wait.h>

#define V dfi_cuda_driver
#define GOOD(call) test_good((call), #call, __LINE__)
static void test_good(df_result r, const char *call, int line)
{
    if (!r) return;
    fprintf(stderr, "line %d: %s: %d: %s\n", line, call, (int)r, dfi_gpu_error);
    _Exit(1);
}

/* --- the double ----------------------------------------------------------------------------------------- */

static struct {
    cuda_double_fail_fn *fail;
    cuda_double_calls_fn *calls;
    cuda_double_name_fn *name;
    cuda_double_hold_fn *hold;
    cuda_double_lose_fn *lose;
    cuda_double_live_fn *live;
    cuda_double_wrongs_fn *wrongs;
} twin;

static void *test_symbol(const char *library, const char *name)
{
    void *l = dlopen(library, RTLD_NOW), *p = l ? dlsym(l, name) : NULL;
    CHECK(p);
    return p;
}
#define TWIN(member)                                                                                \
    do {                                                                                            \
        void *p_ = test_symbol(getenv("DF_CUDA_LIBRARY"), "cuda_double_" #member);                   \
        memcpy(&twin.member, &p_, sizeof p_);                                                       \
    } while (0)
static void twin_find(void)
{
    TWIN(fail);
    TWIN(calls);
    TWIN(name);
    TWIN(hold);
    TWIN(lose);
    TWIN(live);
    TWIN(wrongs);
}

/* --- devices -------------------------------------------------------------------------------------------- */

enum { TEST_DEVICES = 4 };
static struct dfi_gpu gpu[TEST_DEVICES];

static void test_open(int n)
{
    int i;
    CHECK(V.count() >= n);
    for (i = 0; i < n; i++) {
        memset(&gpu[i], 0, sizeof gpu[i]);
        gpu[i].index = i;
        gpu[i].driver = &V;
        GOOD(V.open(&gpu[i], i));
    }
}
static void test_close(int n)
{
    int i, q;
    for (i = 0; i < n; i++) {
        for (q = 0; q < DFI_QUEUES; q++) GOOD(V.sync(&gpu[i], q, gpu[i].issued[q]));
        V.close(&gpu[i]);
    }
    if (twin.live) {
        CHECK(twin.live() == 0);
        CHECK(twin.wrongs() == 0);
    }
}
static dfi_memory test_alloc(struct dfi_gpu *d, size_t bytes)
{
    dfi_memory m = V.alloc(d, bytes);
    CHECK(m);
    return m;
}
static struct dfi_box test_bytes(size_t bytes)
{
    struct dfi_box b = { 0, 1, 0, 0 };
    b.row = bytes;
    return b;
}
/* There and back, and waited for. */
static void test_in(struct dfi_gpu *d, dfi_memory to, const void *from, size_t bytes)
{
    struct dfi_box b = test_bytes(bytes);
    GOOD(V.copy_in(d, DFI_Q_IN, to, from, &b));
    GOOD(V.sync(d, DFI_Q_IN, d->issued[DFI_Q_IN]));
}
static void test_out(struct dfi_gpu *d, void *to, dfi_memory from, size_t bytes)
{
    struct dfi_box b = test_bytes(bytes);
    GOOD(V.copy_out(d, DFI_Q_OUT, to, from, &b));
    GOOD(V.sync(d, DFI_Q_OUT, d->issued[DFI_Q_OUT]));
}
static struct dfi_built test_build(struct dfi_gpu *d, struct dfi_kernel *k, int block)
{
    struct dfi_built b;
    char log[2000];
    df_result r;
    memset(&b, 0, sizeof b);
    b.device = d->index;
    if (block) b.block[0] = block, b.block[1] = b.block[2] = 1;
    if ((r = V.build(d, k, &b, log, sizeof log)) != DF_OK) {
        fprintf(stderr, "%s: %d: %s\n%s\n", k->name, (int)r, dfi_gpu_error, log);
        _Exit(1);
    }
    return b;
}

/* --- scenarios ------------------------------------------------------------------------------------------ */

struct scenario { const char *name; void (*run)(void); const char *environment[4]; };
enum { SCENARIO_SECONDS = 100 };

static void scenario_environment(const struct scenario *s)
{
    int i;
    for (i = 0; i < 4 && s->environment[i]; i++) {
        char name[64];
        const char *value = strchr(s->environment[i], '=');
        snprintf(name, sizeof name, "%.*s", (int)(value - s->environment[i]), s->environment[i]);
        setenv(name, value + 1, 1);
    }
}

static int scenario_run(const struct scenario *s)
{
    int status;
    pid_t child = fork();
    if (!child) {
        alarm(SCENARIO_SECONDS);
        scenario_environment(s);
        s->run();
        exit(0);
    }
    waitpid(child, &status, 0);
    if (!status) return 0;
    fprintf(stderr, "%s: %s %d\n", s->name, WIFSIGNALED(status) ? "signal" : "exit status",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return 1;
}

/* Builds the double next to the program. 0: it is there. */
static int scenario_double(const char *program)
{
    char command[4096], library[2048], folder[] = __FILE__;
    int status;
    *strrchr(folder, '/') = 0;
    snprintf(library, sizeof library, "%s%s.double.so", strchr(program, '/') ? "" : "./", program);
    snprintf(command, sizeof command, "%s/cuda_double/build '%s'", folder, library);
    status = system(command);
    if (status) return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    setenv("DF_CUDA_LIBRARY", library, 1);
    setenv("DF_NVRTC_LIBRARY", library, 1);
    return 0;
}

static int scenario_main(const struct scenario *s, int n, int argc, char **argv)
{
    int i, failed = scenario_double(argv[0]);
    if (failed) return failed;
    for (i = 0; i < n; i++)
        if (argc < 2) failed |= scenario_run(&s[i]);
        else if (!strcmp(argv[1], s[i].name)) {
            scenario_environment(&s[i]);
            s[i].run();
        }
    return failed;
}

#endif
