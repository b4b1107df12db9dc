/* The driver for OpenCL by itself: memory, copies, queues that wait for each other, many threads that ask, compiled
 * kernels on disk, and failures of OpenCL's functions. */
#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
static long mallocs_left = -1; /* then there is no more memory */
static void *test_malloc(unsigned long bytes);
#define DF_MALLOC(bytes) test_malloc(bytes)
#define DF_FREE(p) free(p)
#define DF_USE_OPENCL
#define DF_IMPLEMENTATION
#include "../../df_gpu.h"
#include "opencl.h"

char *mkdtemp(char *name);

static void *test_malloc(unsigned long bytes)
{
    if (mallocs_left == 0) return NULL;
    if (mallocs_left > 0) mallocs_left--;
    return malloc(bytes);
}

static const struct dfi_gpu_driver *const drv = &dfi_opencl_driver;
static uintptr_t point(struct dfi_gpu *d, int q) { return dfi_load_relaxed(&d->issued[q]); }

/* x = x * a + b (mod 2^32): the order of two of them matters. */
DF_KERNEL(step, df_inout(unsigned, x, 1), (unsigned, a), (unsigned, b), { if (df_global_id(0) == 0) *x = *x * a + b; })
DF_KERNEL(other, df_inout(unsigned, x, 1), { if (df_global_id(0) == 0) *x += 1; })
static struct dfi_built *step_on[MOST_DEVICES];

static void put_step(struct dfi_gpu *d, int q, dfi_memory x, unsigned a, unsigned b)
{
    static const int one[3] = { 1, 1, 1 };
    struct dfi_arg arg[3] = { { &x, sizeof x, 1 }, { &a, sizeof a, 0 }, { &b, sizeof b, 0 } };
    CHECK(drv->launch(d, q, &step_dfi_kernel, step_on[d->index], one, one, arg, 3) == DF_OK);
}

/* --- devices, memory, copies ---------------------------------------------------------------------------- */

static void test_info(void)
{
    int i, k;
    for (i = 0; i < n_gpus; i++) {
        const df_gpu_device *d = &gpu[i].info;
        CHECK(*d->name && strlen(d->name) < sizeof d->name && !strcmp(d->kind, "OpenCL"));
        CHECK(d->memory > 1 << 20 && d->units > 0 && d->max_group > 0 && d->max_shared >= 1 << 10 && d->warp > 0 &&
              d->registers >= 0);
        for (k = 0; k < 3; k++)
            CHECK(d->max_group_dim[k] > 0 && d->max_group_dim[k] <= d->max_group && d->max_groups[k] > 1000);
        CHECK(d->has_double == 0 || d->has_double == 1);
        CHECK(drv->alloc(&gpu[i], (size_t)-1 / 2) == 0);
        CHECK(strstr(dfi_gpu_error, "bytes"));
    }
}

/* Rows go to the device with one distance, on it to another, and back with a third; the memory between rows stays as
 * it is. */
static void test_copies(struct dfi_gpu *d, uint64_t *seed)
{
    enum { ROOM = 4096 };
    static unsigned char host[ROOM], got[ROOM], device[ROOM], other[ROOM];
    dfi_memory a = drv->alloc(d, ROOM), b = drv->alloc(d, ROOM);
    struct dfi_box all = line_of(ROOM), box;
    int round;
    CHECK(a && b);
    for (round = 0; round < 40; round++) {
        size_t row = 1 + (size_t)test_below(seed, 60), rows = 1 + (size_t)test_below(seed, 12), k, r;
        size_t ld = row + (size_t)test_below(seed, 200), pitch = row + (size_t)test_below(seed, 3) * 60,
            pitch_b = row + (size_t)test_below(seed, 2) * 33;
        size_t ld_back = row + (size_t)test_below(seed, 100);
        for (k = 0; k < ROOM; k++) host[k] = (unsigned char)test_random(seed), got[k] = (unsigned char)k;
        memset(device, 1, ROOM), memset(other, 2, ROOM);
        CHECK(drv->copy_in(d, DFI_Q_IN, a, device, &all) == DF_OK &&
              drv->copy_in(d, DFI_Q_IN, b, other, &all) == DF_OK);
        box.row = row, box.rows = rows, box.ld = ld, box.pitch = pitch;
        CHECK(drv->copy_in(d, DFI_Q_IN, a, host, &box) == DF_OK);
        box.ld = pitch, box.pitch = pitch_b;
        CHECK(drv->wait(d, DFI_Q_RUN, d, DFI_Q_IN, point(d, DFI_Q_IN)) == DF_OK);
        CHECK(drv->copy_on(d, DFI_Q_RUN, b, a, &box) == DF_OK);
        CHECK(drv->wait(d, DFI_Q_OUT, d, DFI_Q_RUN, point(d, DFI_Q_RUN)) == DF_OK);
        box.ld = ld_back, box.pitch = pitch_b;
        CHECK(drv->copy_out(d, DFI_Q_OUT, got, b, &box) == DF_OK && finish(d, DFI_Q_OUT) == DF_OK);
        for (k = 0; k < ROOM; k++) {
            const size_t at = rows == 1 ? 0 : k / ld_back, in_row = rows == 1 ? k : k % ld_back;
            CHECK(got[k] == (at < rows && in_row < row ? host[(rows == 1 ? 0 : at * ld) + in_row] : (unsigned char)k));
        }
        CHECK(drv->copy_out(d, DFI_Q_OUT, device, a, &all) == DF_OK &&
              drv->copy_out(d, DFI_Q_OUT, other, b, &all) == DF_OK);
        CHECK(finish(d, DFI_Q_OUT) == DF_OK);
        for (r = 0; r < rows; r++)
            CHECK(!memcmp(device + r * pitch, host + r * ld, row) && !memcmp(other + r * pitch_b, host + r * ld, row));
        CHECK(rows > 1 && pitch > row ? device[row] == 1 : 1);
    }
    box.rows = 0, box.row = 5;
    CHECK(drv->copy_in(d, DFI_Q_IN, a, host, &box) == DF_OK && drv->copy_out(d, DFI_Q_OUT, got, a, &box) == DF_OK);
    drv->free(d, a);
    drv->free(d, b);
}

static void test_peers(int own_contexts)
{
    static unsigned char from[5000], to[5000];
    struct dfi_box all = line_of(sizeof from);
    int i, j, k, done = 0;
    for (i = 0; i < n_gpus; i++)
        for (j = 0; j < n_gpus; j++) {
            dfi_memory a = drv->alloc(&gpu[i], sizeof from), b = drv->alloc(&gpu[j], sizeof from);
            df_result r;
            for (k = 0; k < (int)sizeof from; k++) from[k] = (unsigned char)(k * (i + 2) + j), to[k] = 0;
            CHECK(a && b && drv->copy_in(&gpu[i], DFI_Q_IN, a, from, &all) == DF_OK);
            CHECK(drv->wait(&gpu[j], DFI_Q_IN, &gpu[i], DFI_Q_IN, point(&gpu[i], DFI_Q_IN)) == DF_OK);
            r = drv->copy_peer(&gpu[j], DFI_Q_IN, b, &gpu[i], a, sizeof from);
            if (r == DF_OK) { /* else: through the host, says the interface */
                CHECK(drv->wait(&gpu[j], DFI_Q_OUT, &gpu[j], DFI_Q_IN, point(&gpu[j], DFI_Q_IN)) == DF_OK);
                CHECK(drv->copy_out(&gpu[j], DFI_Q_OUT, to, b, &all) == DF_OK && finish(&gpu[j], DFI_Q_OUT) == DF_OK);
                CHECK(!memcmp(from, to, sizeof from));
                done++;
            } else CHECK(r == DF_ERROR_DEVICE && *dfi_gpu_error);
            CHECK(finish(&gpu[i], DFI_Q_IN) == DF_OK && finish(&gpu[j], DFI_Q_IN) == DF_OK);
            drv->free(&gpu[i], a);
            drv->free(&gpu[j], b);
        }
    /* a device with itself: always */
    CHECK(done >= (dfi_cl_of(&gpu[0])->unified ? n_gpus : 0) && (!own_contexts || done <= n_gpus));
}

/* --- queues ------------------------------------------------------------------------------------------ */

enum { CHAIN = 2000 };
static DFI_ATOMIC(int) stop;

/* Asks for points of all queues, also for old ones, while others put work there. */
static void *ask(void *p)
{
    uint64_t seed = (uint64_t)(uintptr_t)p;
    while (!dfi_load_acquire(&stop)) {
        struct dfi_gpu *d = &gpu[test_below(&seed, n_gpus)];
        const int q = test_below(&seed, DFI_QUEUES);
        const uintptr_t last = dfi_load_acquire(&d->issued[q]);
        const uintptr_t at = last ? last - (uintptr_t)test_below(&seed, last < 300 ? (int)last : 300) : 0;
        if (test_below(&seed, 3)) {
            if (drv->reached(d, q, at) && at > 1) CHECK(drv->reached(d, q, at - 1)); /* never the other way round */
        } else {
            CHECK(drv->sync(d, q, at) == DF_OK);
            CHECK(drv->reached(d, q, at));
        }
    }
    return NULL;
}

/* One value per device and run queue, and one that wanders: each step of it waits for the one before, wherever that
 * was. */
static void test_chain(uint64_t *seed, int threads)
{
    pthread_t thread[4];
    unsigned x[MOST_DEVICES], wanted[MOST_DEVICES];
    dfi_memory m[MOST_DEVICES];
    struct dfi_box box = line_of(sizeof *x);
    struct dfi_gpu *last = NULL;
    int i, k, last_q = 0;
    dfi_store_release(&stop, 0);
    for (i = 0; i < threads; i++) CHECK(pthread_create(&thread[i], NULL, ask, (void *)(uintptr_t)(i + 1)) == 0);
    for (i = 0; i < n_gpus; i++) {
        x[i] = wanted[i] = (unsigned)i;
        CHECK((m[i] = drv->alloc(&gpu[i], sizeof *x)) != 0);
        CHECK(drv->copy_in(&gpu[i], DFI_Q_IN, m[i], &x[i], &box) == DF_OK && finish(&gpu[i], DFI_Q_IN) == DF_OK);
    }
    for (k = 0; k < CHAIN; k++) {
        struct dfi_gpu *d = &gpu[test_below(seed, n_gpus)];
        const int q = DFI_Q_RUN + test_below(seed, DFI_RUN_QUEUES);
        const unsigned a = (unsigned)test_random(seed) | 1, b = (unsigned)test_random(seed);
        if (last) CHECK(drv->wait(d, q, last, last_q, point(last, last_q)) == DF_OK);
        put_step(d, q, m[d->index], a, b);
        wanted[d->index] = wanted[d->index] * a + b;
        if (!test_below(seed, 20)) drv->flush(d, q);
        last = d, last_q = q;
    }
    CHECK(last && finish(last, last_q) == DF_OK); /* the last of all: its predecessors were not flushed */
    for (i = 0; i < n_gpus; i++) {
        CHECK(drv->copy_out(&gpu[i], DFI_Q_OUT, &x[i], m[i], &box) == DF_OK && finish(&gpu[i], DFI_Q_OUT) == DF_OK);
        CHECK(x[i] == wanted[i]);
    }
    dfi_store_release(&stop, 1);
    for (i = 0; i < threads; i++) pthread_join(thread[i], NULL);
    for (i = 0; i < n_gpus; i++) drv->free(&gpu[i], m[i]);
}

/* More sources than one operation can wait for, of one queue several points, in any order. */
static void test_many_waits(void)
{
    struct dfi_gpu *d = &gpu[0];
    dfi_memory m[DFI_QUEUES], theirs;
    unsigned zero = 0, x;
    struct dfi_box box = line_of(sizeof zero);
    struct dfi_cl_queue *u = &dfi_cl_of(d)->queue[DFI_Q_OUT];
    int q, k, i;
    for (q = 0; q < DFI_QUEUES; q++) {
        CHECK((m[q] = drv->alloc(d, sizeof zero)) != 0);
        CHECK(drv->copy_in(d, DFI_Q_IN, m[q], &zero, &box) == DF_OK);
    }
    CHECK(finish(d, DFI_Q_IN) == DF_OK);
    for (q = DFI_Q_RUN; q < DFI_QUEUES; q++) { /* whatever the order, for the last */
        for (k = 0; k < 50; k++) put_step(d, q, m[q], 1, 1);
        CHECK(drv->wait(d, DFI_Q_OUT, d, q, point(d, q) - (q % 2 ? 0 : 20)) == DF_OK);
        CHECK(drv->wait(d, DFI_Q_OUT, d, q, point(d, q) - (q % 2 ? 20 : 0)) == DF_OK);
        CHECK(u->wait_point[u->n_waits - 1] == point(d, q));
    }
    CHECK(u->n_waits <= DFI_RUN_QUEUES);
    CHECK(drv->wait(d, DFI_Q_OUT, d, DFI_Q_OUT, point(d, DFI_Q_OUT)) == DF_OK); /* itself: nothing to do */
    for (i = 1; i < n_gpus; i++) {
        CHECK((theirs = drv->alloc(&gpu[i], sizeof zero)) != 0);
        CHECK(drv->copy_in(&gpu[i], DFI_Q_IN, theirs, &zero, &box) == DF_OK && finish(&gpu[i], DFI_Q_IN) == DF_OK);
        for (q = DFI_Q_RUN; q < DFI_QUEUES; q++) {
            put_step(&gpu[i], q, theirs, 1, 0);
            CHECK(drv->wait(d, DFI_Q_OUT, &gpu[i], q, point(&gpu[i], q)) == DF_OK);
            put_step(&gpu[i], q, theirs, 1, 0);
            CHECK(drv->wait(d, DFI_Q_OUT, &gpu[i], q, point(&gpu[i], q)) == DF_OK);
        }
        for (q = DFI_Q_RUN; q < DFI_QUEUES; q++) CHECK(finish(&gpu[i], q) == DF_OK);
        drv->free(&gpu[i], theirs);
    }
    for (q = DFI_Q_RUN; q < DFI_QUEUES; q++) {
        CHECK(drv->copy_out(d, DFI_Q_OUT, &x, m[q], &box) == DF_OK && finish(d, DFI_Q_OUT) == DF_OK);
        CHECK(x == 50);
    }
    CHECK(u->n_waits == 0);
    for (q = 0; q < DFI_QUEUES; q++) drv->free(d, m[q]);
}

/* A function of the program that uses OpenCL itself. */
static void test_native(void)
{
    struct dfi_gpu *d = &gpu[n_gpus - 1];
    unsigned x = 5, y = 0;
    struct dfi_box box = line_of(sizeof x);
    dfi_memory a = drv->alloc(d, sizeof x), b = drv->alloc(d, sizeof x);
    uintptr_t before;
    void *queue;
    CHECK(a && b && drv->copy_in(d, DFI_Q_IN, a, &x, &box) == DF_OK);
    CHECK(drv->wait(d, DFI_Q_RUN, d, DFI_Q_IN, point(d, DFI_Q_IN)) == DF_OK);
    put_step(d, DFI_Q_RUN, a, 3, 4);
    before = point(d, DFI_Q_RUN + 1);
    CHECK(drv->wait(d, DFI_Q_RUN + 1, d, DFI_Q_RUN, point(d, DFI_Q_RUN)) == DF_OK);
    CHECK((queue = drv->native(d, DFI_Q_RUN + 1)) != NULL);
    CHECK(dfi_cl.EnqueueCopyBuffer(queue, (void *)a, (void *)b, 0, 0, sizeof x, 0, NULL, NULL) == 0);
    drv->native_end(d, DFI_Q_RUN + 1);
    CHECK(point(d, DFI_Q_RUN + 1) == before + 1);
    CHECK(drv->wait(d, DFI_Q_OUT, d, DFI_Q_RUN + 1, before + 1) == DF_OK);
    CHECK(drv->copy_out(d, DFI_Q_OUT, &y, b, &box) == DF_OK && finish(d, DFI_Q_OUT) == DF_OK && y == 19);
    drv->free(d, a);
    drv->free(d, b);
}

/* --- kernels on disk ------------------------------------------------------------------------------------ */

static int from_source, from_binary;
static void *(DFI_CL_CALL *real_source)(void *, unsigned, const char **, const size_t *, int *);
static void *(DFI_CL_CALL *real_binary)(void *, unsigned, void *const *, const size_t *, const unsigned char **, int *,
                                        int *);
static void *DFI_CL_CALL count_source(void *c, unsigned n, const char **t, const size_t *b, int *e)
{
    from_source++; return real_source(c, n, t, b, e);
}
static void *DFI_CL_CALL count_binary(void *c, unsigned n, void *const *d, const size_t *b, const unsigned char **p,
                                      int *s, int *e)
{
    from_binary++;
    return real_binary(c, n, d, b, p, s, e);
}

static char cache[200], cache_file[500];

/* How many files are in the folder; cache_file is one of them. */
static int find_cache_files(void)
{
    DIR *folder = opendir(cache);
    const struct dirent *e;
    int n = 0;
    CHECK(folder != NULL);
    while ((e = readdir(folder)) != NULL) {
        if (*e->d_name == '.') continue;
        snprintf(cache_file, sizeof cache_file, "%s/%s", cache, e->d_name);
        n++;
    }
    closedir(folder);
    return n;
}

static long size_of(const char *name)
{
    FILE *f = fopen(name, "rb");
    long n;
    CHECK(f && fseek(f, 0, SEEK_END) == 0);
    n = ftell(f);
    fclose(f);
    return n;
}

/* Compiles the kernel, runs it, and returns where the program came from. */
static void expect_build(int source, int binary)
{
    static const int one[3] = { 1, 1, 1 };
    struct dfi_gpu *d = &gpu[0];
    unsigned x = 7;
    struct dfi_box box = line_of(sizeof x);
    dfi_memory m = drv->alloc(d, sizeof x);
    struct dfi_built *b;
    from_source = from_binary = 0;
    b = built_for(d, &step_dfi_kernel, one);
    CHECK(from_source == source && from_binary == binary);
    CHECK(m && drv->copy_in(d, DFI_Q_RUN, m, &x, &box) == DF_OK);
    free(step_on[0]);
    step_on[0] = b;
    put_step(d, DFI_Q_RUN, m, 2, 1);
    CHECK(drv->copy_out(d, DFI_Q_RUN, &x, m, &box) == DF_OK && finish(d, DFI_Q_RUN) == DF_OK && x == 15);
    drv->free(d, m);
}

static int said_bad_env;
static void hear(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    if (strstr(text, "DF_KERNEL_CACHE")) said_bad_env++;
    else fprintf(stderr, "%s\n", text);
}

static void test_cache(void)
{
    static const int one[3] = { 1, 1, 1 };
    struct dfi_cache_key key;
    FILE *f;
    long size, k;
    size_t bytes;
    void *p;
    snprintf(cache, sizeof cache, "%s/df_kernel_cache.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    CHECK(mkdtemp(cache) != NULL);
    real_source = dfi_cl.CreateProgramWithSource, dfi_cl.CreateProgramWithSource = count_source;
    real_binary = dfi_cl.CreateProgramWithBinary, dfi_cl.CreateProgramWithBinary = count_binary;
    expect_build(1, 0);
    CHECK(!find_cache_files()); /* not asked for */
    setenv("DF_KERNEL_CACHE", cache, 1);
    expect_build(1, 0);
    CHECK(find_cache_files() == 1);
    expect_build(0, 1);
    size = size_of(cache_file);
    for (k = 0; k < 4; k++) { /* another byte in head, key, sum, body */
        const long at = k == 0 ? 0 : k == 1 ? 20 : k == 2 ? 40 : size - 1;
        int byte;
        CHECK((f = fopen(cache_file, "r+b")) != NULL && fseek(f, at, SEEK_SET) == 0 && (byte = fgetc(f)) != EOF);
        CHECK(fseek(f, at, SEEK_SET) == 0 && fputc(byte ^ 1, f) != EOF && fclose(f) == 0);
        expect_build(1, 0);
        expect_build(0, 1); /* it was written again */
    }
    CHECK((f = fopen(cache_file, "wb")) != NULL && fclose(f) == 0); /* empty */
    expect_build(1, 0);
    CHECK((f = fopen(cache_file, "ab")) != NULL && fputc(1, f) == 1 && fclose(f) == 0); /* too long */
    expect_build(1, 0);
    /* a file that is as it was written, of a program that the device does not take */
    CHECK((f = fopen(cache_file, "rb")) != NULL);
    CHECK(fseek(f, (long)offsetof(struct dfi_cache_head, key), SEEK_SET) == 0 && fread(&key, sizeof key, 1, f) == 1);
    fclose(f);
    dfi_cache_put(&key, "no program", 10);
    CHECK((p = dfi_cache_get(&key, &bytes)) != NULL && bytes == 10 && !memcmp(p, "no program", 10));
    dfi_mfree(p);
    expect_build(1, 1);
    expect_build(0, 1);
    /* another kernel is another file */
    from_source = from_binary = 0;
    free(built_for(&gpu[0], &other_dfi_kernel, one));
    CHECK(from_source == 1 && from_binary == 0);
    free(built_for(&gpu[0], &other_dfi_kernel, one));
    CHECK(from_source == 1 && from_binary == 1);
    CHECK(find_cache_files() == 2 && remove(cache_file) == 0 && find_cache_files() == 1 && remove(cache_file) == 0);
    expect_build(1, 0);
    CHECK(find_cache_files() == 1);
    /* a file that cannot be replaced: no incomplete file is left, and one message is logged */
    dfi_logger.log = hear;
    CHECK(remove(cache_file) == 0 && mkdir(cache_file, 0700) == 0);
    expect_build(1, 0);
    CHECK(find_cache_files() == 1 && remove(cache_file) == 0);
    expect_build(1, 0);
    CHECK(find_cache_files() == 1);
    CHECK(said_bad_env == 1);
    setenv("DF_KERNEL_CACHE", cache_file, 1); /* a file, not a folder: it is not used either */
    expect_build(1, 0);
    expect_build(1, 0);
    CHECK(said_bad_env == 1);
    dfi_logger.log = NULL;
    unsetenv("DF_KERNEL_CACHE");
    dfi_cl.CreateProgramWithSource = real_source, dfi_cl.CreateProgramWithBinary = real_binary;
    CHECK(remove(cache_file) == 0 && remove(cache) == 0);
}

/* --- failures ----------------------------------------------------------------------------------------- */

static int fail_code;
static int (DFI_CL_CALL *real_status)(void *, unsigned, size_t, void *, size_t *);
static int DFI_CL_CALL fail_status(void *event, unsigned what, size_t bytes, void *value, size_t *n)
{
    int code = real_status(event, what, bytes, value, n);
    if (!code && fail_code && what == DFI_CL_EVENT_STATUS && *(int *)value == 0) *(int *)value = fail_code;
    return code;
}
static int DFI_CL_CALL fail_write(void *queue, void *to, unsigned blocking, size_t at, size_t bytes, const void *from,
                                  DFI_CL_WAITS)
{
    (void)queue, (void)to, (void)blocking, (void)at, (void)bytes, (void)from, (void)n_waits, (void)waits, (void)event;
    return fail_code;
}
static int DFI_CL_CALL fail_launch(void *queue, void *kernel, unsigned dimensions, const size_t *offset,
                                   const size_t *items, const size_t *group, DFI_CL_WAITS)
{
    (void)queue, (void)kernel, (void)dimensions, (void)offset, (void)items, (void)group, (void)n_waits, (void)waits,
        (void)event;
    return fail_code;
}
static void *(DFI_CL_CALL *real_context)(const intptr_t *, unsigned, void *const *,
                                         void (DFI_CL_CALL *)(const char *, const void *, size_t, void *), void *,
                                         int *);
/* No context for as many devices as fail_code. */
static void *DFI_CL_CALL fail_context(const intptr_t *properties, unsigned n, void *const *devices,
                                      void (DFI_CL_CALL *notify)(const char *, const void *, size_t, void *),
                                      void *arg, int *error)
{
    if ((int)n < fail_code) return real_context(properties, n, devices, notify, arg, error);
    *error = -2;
    return NULL;
}
static void *DFI_CL_CALL fail_queue(void *context, void *device, uint64_t properties, int *error)
{
    (void)context, (void)device, (void)properties;
    *error = -5;
    return NULL;
}
static void *DFI_CL_CALL fail_kernel(void *program, const char *name, int *error)
{
    (void)program, (void)name;
    *error = -46;
    return NULL;
}
static void *DFI_CL_CALL fail_buffer(void *c, uint64_t flags, size_t bytes, void *host, int *error)
{
    (void)c, (void)flags, (void)bytes, (void)host;
    *error = fail_code;
    return NULL;
}
static int DFI_CL_CALL fail_marker(void *queue, DFI_CL_WAITS)
{
    (void)queue, (void)n_waits, (void)waits, (void)event;
    return fail_code;
}

static void test_failures(void)
{
    static const int one[3] = { 1, 1, 1 };
    const struct dfi_cl_api real = dfi_cl;
    struct dfi_gpu *d = &gpu[0];
    unsigned x = 1, y = 0;
    struct dfi_box box = line_of(sizeof x);
    dfi_memory m = drv->alloc(d, sizeof x), n;
    struct dfi_arg arg[3] = { { &m, sizeof m, 1 }, { &x, sizeof x, 0 }, { &x, sizeof x, 0 } };
    char log[1000];
    struct dfi_built b;
    static struct dfi_gpu lost;
    uintptr_t before;
    CHECK(m && drv->copy_in(d, DFI_Q_RUN, m, &x, &box) == DF_OK && finish(d, DFI_Q_RUN) == DF_OK);
    before = point(d, DFI_Q_RUN);
    /* memory that turns out not to be there, at once or with its first use */
    fail_code = -4;
    dfi_cl.CreateBuffer = fail_buffer;
    CHECK(drv->alloc(d, 100) == 0 && strstr(dfi_gpu_error, "clCreateBuffer: CL_MEM_OBJECT_ALLOCATION_FAILURE"));
    dfi_cl = real;
    dfi_cl_of(d)->touch = 1;
    CHECK((n = drv->alloc(d, 100)) != 0);
    drv->free(d, n);
    dfi_cl.EnqueueWriteBuffer = fail_write;
    CHECK(drv->alloc(d, 100) == 0 && strstr(dfi_gpu_error, "clEnqueueWriteBuffer: CL_MEM_OBJECT_ALLOCATION_FAILURE"));
    dfi_cl_of(d)->touch = 0;
    CHECK(drv->copy_in(d, DFI_Q_RUN, m, &x, &box) == DF_ERROR_DEVICE_MEMORY);
    dfi_cl = real;
    /* calls that fail count nothing */
    fail_code = -5;
    dfi_cl.EnqueueWriteBuffer = fail_write;
    dfi_cl.EnqueueNDRangeKernel = fail_launch;
    CHECK(drv->copy_in(d, DFI_Q_RUN, m, &x, &box) == DF_ERROR_DEVICE &&
          strstr(dfi_gpu_error, "clEnqueueWriteBuffer: CL_OUT_OF_RESOURCES (-5)"));
    CHECK(drv->launch(d, DFI_Q_RUN, &step_dfi_kernel, step_on[0], one, one, arg, 3) == DF_ERROR_DEVICE);
    CHECK(strstr(dfi_gpu_error, "clEnqueueNDRangeKernel"));
    fail_code = -54;
    CHECK(drv->launch(d, DFI_Q_RUN, &step_dfi_kernel, step_on[0], one, one, arg, 3) == DF_ERROR_GRID);
    dfi_cl = real;
    CHECK(point(d, DFI_Q_RUN) == before);
    CHECK(finish(d, DFI_Q_RUN) == DF_OK);
    /* an operation that fails on the device: reached, and said by sync whenever it is asked */
    real_status = real.GetEventInfo;
    fail_code = 0; /* the launch may look at operations before it, to make room */
    dfi_cl.GetEventInfo = fail_status;
    put_step(d, DFI_Q_RUN + 1, m, 1, 1);
    fail_code = -36;
    while (!drv->reached(d, DFI_Q_RUN + 1, point(d, DFI_Q_RUN + 1))) dfi_os_yield();
    fail_code = 0;
    CHECK(drv->sync(d, DFI_Q_RUN + 1, point(d, DFI_Q_RUN + 1)) == DF_ERROR_DEVICE &&
          strstr(dfi_gpu_error, "CL_INVALID_COMMAND_QUEUE"));
    CHECK(drv->sync(d, DFI_Q_RUN + 1, point(d, DFI_Q_RUN + 1)) == DF_ERROR_DEVICE);
    dfi_cl = real;
    /* a point that cannot be marked: the operations of the program have ended then, and sync reports it */
    CHECK(drv->native(d, DFI_Q_RUN + 2) != NULL);
    fail_code = -5;
    dfi_cl.EnqueueMarkerWithWaitList = fail_marker;
    before = point(d, DFI_Q_RUN + 2);
    drv->native_end(d, DFI_Q_RUN + 2);
    CHECK(point(d, DFI_Q_RUN + 2) == before && finish(d, DFI_Q_RUN + 2) == DF_ERROR_DEVICE);
    dfi_cl = real;
    /* a kernel that cannot be had, a queue, a device */
    memset(&b, 0, sizeof b);
    dfi_cl.CreateKernel = fail_kernel;
    CHECK(drv->build(d, &step_dfi_kernel, &b, log, sizeof log) == DF_ERROR_KERNEL &&
          strstr(log, "clCreateKernel: CL_INVALID_KERNEL_NAME"));
    dfi_cl = real;
    dfi_cl.CreateCommandQueue = fail_queue;
    CHECK(drv->open(&lost, 0) == DF_ERROR_DEVICE && strstr(dfi_gpu_error, "clCreateCommandQueue") && !lost.own);
    dfi_cl = real;
    mallocs_left = 0;
    CHECK(drv->open(&lost, 0) == DF_ERROR_MEMORY && !lost.own);
    mallocs_left = -1;
    /* no memory for a kernel's text */
    for (mallocs_left = 0; mallocs_left < 3; mallocs_left++) {
        long left = mallocs_left;
        df_result r = drv->build(d, &step_dfi_kernel, &b, log, sizeof log);
        CHECK(r == DF_ERROR_MEMORY || (r == DF_OK && left > 1));
        CHECK(r == DF_OK || (strstr(log, "memory") && !b.handle));
        mallocs_left = left;
    }
    mallocs_left = -1;
    CHECK(drv->copy_out(d, DFI_Q_OUT, &y, m, &box) == DF_OK && finish(d, DFI_Q_OUT) == DF_OK && y == 2);
    drv->free(d, m);
}

/* Without memory for the events of operations under way, a queue waits; it neither fails nor forgets one. Only the
 * first operation of all can fail. */
static void test_no_memory_for_events(void)
{
    struct dfi_gpu *d = &gpu[0];
    const int q = DFI_Q_RUN + 2;
    unsigned x = 0;
    int k;
    struct dfi_box box = line_of(sizeof x);
    dfi_memory m = drv->alloc(d, sizeof x);
    CHECK(m && point(d, q) == 0);
    mallocs_left = 0;
    CHECK(drv->copy_in(d, q, m, &x, &box) == DF_ERROR_DEVICE_MEMORY && strstr(dfi_gpu_error, "no memory for events"));
    mallocs_left = -1;
    CHECK(drv->copy_in(d, q, m, &x, &box) == DF_OK && point(d, q) == 1);
    mallocs_left = 0;
    for (k = 0; k < 3000; k++) put_step(d, q, m, 1, 1);
    CHECK(point(d, q) == 3001);
    mallocs_left = -1;
    CHECK(drv->copy_out(d, q, &x, m, &box) == DF_OK && finish(d, q) == DF_OK && x == 3000);
    CHECK(drv->reached(d, q, 1));
    drv->free(d, m);
}

/* A program that finds no platform continues without one. One library of OpenCL finds its own vendor's always. */
static void test_none(void)
{
    int status;
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        setenv("OCL_ICD_VENDORS", "/dev/null", 1);
        unsetenv("OCL_ICD_FILENAMES");
        _exit(drv->count());
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHECK(drv->count() == 0 || WEXITSTATUS(status) < drv->count());
}

int main(void)
{
    static const int one[3] = { 1, 1, 1 };
    uint64_t seed = 2024;
    int i, round, found;
    setenv("POCL_DEVICES", "pthread pthread pthread pthread pthread", 0);
    test_none();
    open_all();
    for (round = 0; round < 2; round++) {
        for (i = 0; i < n_gpus; i++) step_on[i] = built_for(&gpu[i], &step_dfi_kernel, one);
        test_info();
        test_no_memory_for_events();
        for (i = 0; i < n_gpus; i++) test_copies(&gpu[i], &seed);
        test_peers(round);
        test_chain(&seed, 0);
        test_chain(&seed, 3);
        test_many_waits();
        test_native();
        if (!round) {
            test_cache();
            test_failures();
        }
        for (i = 0; i < n_gpus; i++) free(step_on[i]);
        i = n_gpus;
        close_all();
        memset((void *)gpu, 0, sizeof gpu);
        if (!round) { /* the second time each device has a context of its own */
            found = drv->count();
            CHECK(found == drv->count() && found >= i); /* as often as df is started */
            real_context = dfi_cl.CreateContext, dfi_cl.CreateContext = fail_context;
            fail_code = 1;
            CHECK(drv->open(&gpu[0], 0) == DF_ERROR_DEVICE &&
                  strstr(dfi_gpu_error, "clCreateContext: CL_DEVICE_NOT_AVAILABLE"));
            fail_code = 2;
            for (; n_gpus < i; n_gpus++) {
                gpu[n_gpus].driver = drv, gpu[n_gpus].index = n_gpus;
                CHECK(drv->open(&gpu[n_gpus], n_gpus) == DF_OK);
            }
        }
    }
    return 0;
}
