/* The driver for CUDA, function by function, on the double of libcuda: devices, memory, copies, order. Kernels:
 * cuda_build.c. */
#include "cuda_add.h"

DF_KERNEL(axpy, (double, a), df_in(float, x, n), df_inout(float, y, n), (long, n),
{
    int i = df_global_id(0);
    if (i < n) y[i] += (float)a * x[i];
})

/* --- devices, memory ------------------------------------------------------------------------------------ */

static void devices(void)
{
    int i;
    twin_find();
    CHECK(V.count() == 3);
    for (i = 0; i < 3; i++) {
        const df_gpu_device *info = &gpu[i].info;
        char name[40];
        gpu[i].index = i;
        GOOD(V.open(&gpu[i], i));
        snprintf(name, sizeof name, "double of CUDA %d", i);
        CHECK(!strcmp(info->name, name) && !strcmp(info->kind, "CUDA"));
        CHECK(info->memory == 1 << 20 && info->units == 4 && info->max_group == 1024);
        CHECK(info->max_group_dim[0] == 1024 && info->max_group_dim[1] == 1024 && info->max_group_dim[2] == 64);
        CHECK(info->max_groups[0] == 2147483647 && info->max_groups[1] == 65535 && info->max_groups[2] == 65535);
        CHECK(info->max_shared == 48 << 10 && info->registers == 65536 && info->warp == 32 && info->has_double);
    }
    CHECK(V.open(&gpu[3], 3) == DF_ERROR_DEVICE && strstr(dfi_gpu_error, "cuDeviceGet: CUDA_ERROR_INVALID_DEVICE"));
    for (i = 0; i < 3; i++) V.close(&gpu[i]);
    CHECK(!twin.live());
    GOOD(V.open(&gpu[0], 0)); /* once more */
    V.close(&gpu[0]);
    CHECK(!twin.live() && !twin.wrongs());
}

static void memory(void)
{
    dfi_memory m[4];
    int i;
    twin_find();
    test_open(1);
    for (i = 0; i < 4; i++) m[i] = test_alloc(&gpu[0], 200 << 10);
    CHECK(!V.alloc(&gpu[0], 300 << 10));
    CHECK(strstr(dfi_gpu_error, "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY"));
    V.free(&gpu[0], m[2]);
    m[2] = test_alloc(&gpu[0], 300 << 10);
    for (i = 0; i < 4; i++) V.free(&gpu[0], m[i]);
    test_close(1);
}

/* --- copies ---------------------------------------------------------------------------------------------- */

static unsigned char *numbers(size_t bytes, uint64_t seed)
{
    unsigned char *p = (unsigned char *)malloc(bytes + 1);
    size_t i;
    CHECK(p);
    for (i = 0; i < bytes; i++) p[i] = (unsigned char)(test_mix(seed, i) >> 7);
    return p;
}
static size_t extent(const struct dfi_box *b, size_t pitch) { return b->rows ? (b->rows - 1) * pitch + b->row : 0; }

/* There and back through a block of device memory; the memory between the rows stays as it is. */
static void there_and_back(struct dfi_gpu *d, struct dfi_box b)
{
    size_t host = extent(&b, b.rows > 1 ? b.ld : b.row), device = extent(&b, b.rows > 1 ? b.pitch : b.row), y;
    unsigned char *from = numbers(host, 1), *to = numbers(host, 2), *expect = numbers(host, 2),
        *clear = numbers(device, 3);
    dfi_memory m = test_alloc(d, device + 1);
    test_in(d, m, clear, device);
    GOOD(V.copy_in(d, DFI_Q_IN, m, from, &b));
    GOOD(V.sync(d, DFI_Q_IN, d->issued[DFI_Q_IN]));
    GOOD(V.copy_out(d, DFI_Q_OUT, to, m, &b));
    GOOD(V.sync(d, DFI_Q_OUT, d->issued[DFI_Q_OUT]));
    for (y = 0; y < b.rows; y++) memcpy(expect + y * b.ld, from + y * b.ld, b.row);
    CHECK(!memcmp(to, expect, host));
    free(to);
    to = numbers(device, 4);
    test_out(d, to, m, device);
    for (y = 0; y < b.rows; y++) memcpy(clear + y * b.pitch, from + y * b.ld, b.row);
    CHECK(!memcmp(to, clear, device));
    V.free(d, m);
    free(from), free(to), free(expect), free(clear);
}

static void copies(void)
{
    static const struct dfi_box boxes[] = {
        { 0, 1, 0, 0 }, { 5, 0, 9, 9 }, { 1, 1, 0, 0 }, { 65536, 1, 0, 0 }, { 65537, 1, 0, 0 }, { 1 << 20, 1, 0, 0 },
            { (1 << 20) + 1, 1, 0, 0 },
        { 21 << 20, 1, 0, 0 },                                    /* more than all pieces */
        { 100, 7, 100, 100 }, { 100, 7, 128, 100 }, { 100, 7, 100, 128 }, { 3, 5000, 1000, 3 },
        { 1000, 5000, 1100, 1024 },
        { 700000, 9, 700001, 700002 },                            /* a row in a piece */
        { (1 << 20) + 3, 3, (1 << 20) + 100, (1 << 20) + 3 },     /* a row in two; too far apart for a strided copy */
        { 16, 3, (1 << 20) + 16, (1 << 20) + 16 }, { 8, 40, 8, 1 << 19 }
    };
    uint64_t seed = 5;
    size_t i;
    twin_find();
    test_open(1);
    for (i = 0; i < sizeof boxes / sizeof *boxes; i++) there_and_back(&gpu[0], boxes[i]);
    for (i = 0; i < 60; i++) {
        struct dfi_box b;
        b.row = 1 + test_random(&seed) % (i % 4 ? 3000 : 2000000);
        b.rows = 1 + test_random(&seed) % (b.row < 3000 ? 1000 : 6);
        b.ld = b.row + test_random(&seed) % 2 * (test_random(&seed) % 1000);
        b.pitch = b.row + test_random(&seed) % 2 * (test_random(&seed) % 300);
        there_and_back(&gpu[0], b);
    }
    test_close(1);
}

/* On the device, and strided on both sides. */
static void copies_on(void)
{
    static const struct dfi_box boxes[] = { { 10000, 1, 0, 0 }, { 10, 100, 10, 10 }, { 10, 100, 11, 12 },
                                            { 10, 3, 2 << 20, 10 } };
    size_t i, y;
    twin_find();
    test_open(1);
    for (i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        const struct dfi_box *b = &boxes[i];
        size_t source = extent(b, b->ld), target = extent(b, b->pitch);
        unsigned char *from = numbers(source, 1), *to = numbers(target, 2), *back = numbers(target, 3);
        dfi_memory m = test_alloc(&gpu[0], source), n = test_alloc(&gpu[0], target);
        test_in(&gpu[0], m, from, source);
        test_in(&gpu[0], n, to, target);
        GOOD(V.copy_on(&gpu[0], DFI_Q_RUN, n, m, b));
        GOOD(V.wait(&gpu[0], DFI_Q_OUT, &gpu[0], DFI_Q_RUN, gpu[0].issued[DFI_Q_RUN]));
        test_out(&gpu[0], back, n, target);
        for (y = 0; y < b->rows; y++) memcpy(to + y * b->pitch, from + y * b->ld, b->row);
        CHECK(!memcmp(back, to, target));
        V.free(&gpu[0], m), V.free(&gpu[0], n);
        free(from), free(to), free(back);
    }
    test_close(1);
}

/* Memory that the program has pinned is transferred directly, also strided; memory that is pinned in part goes
 * through a buffer. */
static void pinned(void)
{
    enum { BYTES = 4 << 20 };
    int (*push)(void *), (*pop)(void **), (*pin)(void *, size_t, unsigned), (*unpin)(void *);
    const char *library = getenv("DF_CUDA_LIBRARY");
    unsigned char *p = numbers(BYTES, 1), *q = numbers(BYTES, 2);
    struct dfi_box b = { 1000, 1000, 2000, 1000 };
    dfi_memory m;
    void *f, *context;
    long before;
    twin_find();
    f = test_symbol(library, "cuCtxPushCurrent_v2"), memcpy(&push, &f, sizeof f);
    f = test_symbol(library, "cuCtxPopCurrent_v2"), memcpy(&pop, &f, sizeof f);
    f = test_symbol(library, "cuMemHostRegister_v2"), memcpy(&pin, &f, sizeof f);
    f = test_symbol(library, "cuMemHostUnregister"), memcpy(&unpin, &f, sizeof f);
    test_open(1);
    m = test_alloc(&gpu[0], BYTES);
    CHECK(!push(dfi_cuda_of(&gpu[0])->context) && !pin(p, BYTES, 0) && !pin(q, BYTES / 2, 0) &&
          !pin(q + BYTES / 2, BYTES / 2, 0) && !pop(&context));
    before = twin.calls("cuMemHostAlloc");
    twin.hold(2); /* nothing of it waits */
    {
        struct dfi_box all = test_bytes(BYTES);
        GOOD(V.copy_in(&gpu[0], DFI_Q_IN, m, p, &all));
        GOOD(V.wait(&gpu[0], DFI_Q_OUT, &gpu[0], DFI_Q_IN, gpu[0].issued[DFI_Q_IN]));
        GOOD(V.copy_out(&gpu[0], DFI_Q_OUT, p, m, &b));
    }
    CHECK(twin.calls("cuMemHostAlloc") == before);
    CHECK(!V.reached(&gpu[0], DFI_Q_OUT, gpu[0].issued[DFI_Q_OUT]));
    twin.hold(0);
    GOOD(V.sync(&gpu[0], DFI_Q_OUT, gpu[0].issued[DFI_Q_OUT]));
    CHECK(p[2000] == (unsigned char)(test_mix(1, 1000) >> 7) && p[1999] == (unsigned char)(test_mix(1, 1999) >> 7));
    test_in(&gpu[0], m, q, BYTES); /* pinned in two parts */
    memset(q, 0, BYTES);
    test_out(&gpu[0], q, m, BYTES);
    CHECK(twin.calls("cuMemHostAlloc") > before);
    CHECK(q[BYTES / 2 - 1] == (unsigned char)(test_mix(2, BYTES / 2 - 1) >> 7) &&
          q[BYTES - 1] == (unsigned char)(test_mix(2, BYTES - 1) >> 7));
    CHECK(!push(dfi_cuda_of(&gpu[0])->context) && !unpin(p) && !unpin(q) && !unpin(q + BYTES / 2) && !pop(&context));
    V.free(&gpu[0], m);
    free(p), free(q);
    test_close(1);
}

/* --- order ------------------------------------------------------------------------------------------------ */

/* Each step copies a number in, when the kernel of the step before has read the last one, and a kernel in one of two
 * queues adds it, when it is there and the other queue's kernel is done. */
static void order(void)
{
    enum { STEPS = 150, N = 300 };
    struct dfi_gpu *d = &gpu[0];
    struct dfi_built b;
    dfi_memory x, y;
    float one[N], sum[N];
    static float value[STEPS][N];
    uintptr_t run = 0, in;
    long n = N;
    int i, j, q = DFI_Q_RUN;
    twin_find();
    test_open(1);
    b = test_build(d, &axpy_dfi_kernel, 0);
    x = test_alloc(d, sizeof one), y = test_alloc(d, sizeof sum);
    memset(sum, 0, sizeof sum);
    test_in(d, y, sum, sizeof sum);
    for (i = 0; i < STEPS; i++) {
        struct dfi_box box = test_bytes(sizeof value[i]);
        double a = i;
        struct dfi_arg args[4] = { { NULL, sizeof a, 0 }, { NULL, sizeof x, 1 }, { NULL, sizeof y, 1 },
                                   { NULL, sizeof n, 0 } };
        args[0].p = &a, args[1].p = &x, args[2].p = &y, args[3].p = &n;
        for (j = 0; j < N; j++) value[i][j] = (float)(i + j);
        GOOD(V.wait(d, DFI_Q_IN, d, q, run));
        GOOD(V.copy_in(d, DFI_Q_IN, x, value[i], &box));
        in = d->issued[DFI_Q_IN];
        GOOD(V.wait(d, q ^ 1, d, q, run));
        GOOD(V.wait(d, q ^ 1, d, DFI_Q_IN, in));
        q ^= 1;
        launch(d, q, &axpy_dfi_kernel, &b, (N + 31) / 32, 32, args, 4);
        run = d->issued[q];
        V.flush(d, q);
    }
    GOOD(V.wait(d, DFI_Q_OUT, d, q, run));
    test_out(d, sum, y, sizeof sum);
    for (j = 0; j < N; j++) {
        float expect = 0;
        for (i = 0; i < STEPS; i++) expect += (float)i * (float)(i + j);
        CHECK(sum[j] == expect);
    }
    V.free(d, x), V.free(d, y);
    test_close(1);
}

/* An attribute is asked for only once, and a queue that was never used is not waited for. */
static void asked_once(void)
{
    struct dfi_gpu *d = &gpu[0];
    struct dfi_built b;
    dfi_memory x;
    uintptr_t point;
    long records, waits;
    int i;
    twin_find();
    test_open(1);
    b = test_build(d, &add_dfi_kernel, 0);
    x = test_alloc(d, 400);
    GOOD(V.wait(d, DFI_Q_IN, d, DFI_Q_OUT, 0));
    CHECK(V.reached(d, DFI_Q_OUT, 0));
    GOOD(V.sync(d, DFI_Q_OUT, 0));
    CHECK(!twin.calls("cuEventRecord") && !twin.calls("cuStreamCreate"));
    twin.hold(1);
    for (i = 0; i < 5; i++) launch_add(d, DFI_Q_RUN, &b, i, x, 100);
    CHECK(!twin.calls("cuEventRecord")); /* not asked so far */
    point = d->issued[DFI_Q_RUN];
    for (i = 0; i < 5; i++) {
        GOOD(V.wait(d, DFI_Q_IN, d, DFI_Q_RUN, point - (uintptr_t)i));
        GOOD(V.wait(d, DFI_Q_OUT, d, DFI_Q_RUN, point - (uintptr_t)i));
        CHECK(!V.reached(d, DFI_Q_RUN, point - (uintptr_t)i));
        GOOD(V.wait(d, DFI_Q_RUN, d, DFI_Q_RUN, point)); /* of itself */
    }
    records = twin.calls("cuEventRecord"), waits = twin.calls("cuStreamWaitEvent");
    CHECK(records == 1 && waits == 2);
    launch_add(d, DFI_Q_RUN, &b, 1, x, 100);
    GOOD(V.wait(d, DFI_Q_IN, d, DFI_Q_RUN, point));
    CHECK(twin.calls("cuEventRecord") == 1 && twin.calls("cuStreamWaitEvent") == 2);
    GOOD(V.wait(d, DFI_Q_IN, d, DFI_Q_RUN, point + 1));
    CHECK(twin.calls("cuEventRecord") == 2 && twin.calls("cuStreamWaitEvent") == 3);
    twin.hold(0);
    GOOD(V.sync(d, DFI_Q_RUN, point + 1));
    CHECK(V.reached(d, DFI_Q_RUN, point) && V.reached(d, DFI_Q_RUN, point + 1));
    GOOD(V.wait(d, DFI_Q_OUT, d, DFI_Q_RUN, point + 1)); /* done: nothing to wait for */
    CHECK(twin.calls("cuStreamWaitEvent") == 3);
    V.free(d, x);
    test_close(1);
}

/* Transfers continue, through pinned memory too, while kernels run; and the host waits only where it must. */
static void overlap(void)
{
    enum { BYTES = 40 << 20 };
    struct dfi_gpu *d = &gpu[0];
    unsigned char *p = numbers(BYTES, 1), *q = numbers(BYTES, 2);
    struct dfi_box all = test_bytes(BYTES), small = test_bytes(7 << 20), strided = { 5000, 1000, 6000, 5120 };
    struct dfi_built b;
    dfi_memory x, m;
    twin_find();
    test_open(1);
    b = test_build(d, &add_dfi_kernel, 0);
    x = test_alloc(d, 400), m = test_alloc(d, BYTES);
    twin.hold(1);
    launch_add(d, DFI_Q_RUN, &b, 1, x, 100);
    GOOD(V.copy_in(d, DFI_Q_IN, m, p, &all));
    GOOD(V.sync(d, DFI_Q_IN, d->issued[DFI_Q_IN]));
    GOOD(V.copy_out(d, DFI_Q_OUT, q, m, &all));
    GOOD(V.sync(d, DFI_Q_OUT, d->issued[DFI_Q_OUT]));
    CHECK(!memcmp(p, q, BYTES));
    GOOD(V.copy_in(d, DFI_Q_IN, m, p, &strided));
    GOOD(V.sync(d, DFI_Q_IN, d->issued[DFI_Q_IN]));
    /* behind the kernel: put there, and the memory of the host is free at once */
    GOOD(V.wait(d, DFI_Q_IN, d, DFI_Q_RUN, d->issued[DFI_Q_RUN]));
    memset(q, 3, BYTES);
    GOOD(V.copy_in(d, DFI_Q_IN, m, q, &small));
    CHECK(!V.reached(d, DFI_Q_RUN, d->issued[DFI_Q_RUN]) && !V.reached(d, DFI_Q_IN, d->issued[DFI_Q_IN]));
    memset(q, 4, BYTES);
    twin.hold(0);
    GOOD(V.wait(d, DFI_Q_OUT, d, DFI_Q_IN, d->issued[DFI_Q_IN]));
    test_out(d, q, m, BYTES);
    CHECK(q[0] == 3 && q[(7 << 20) - 1] == 3 && q[7 << 20] == p[7 << 20]);
    V.free(d, x), V.free(d, m);
    free(p), free(q);
    test_close(1);
}

/* --- other threads -------------------------------------------------------------------------------------- */

struct waiter { pthread_t thread; uintptr_t point; df_result result; };
static void *wait_main(void *p)
{
    struct waiter *w = (struct waiter *)p;
    w->result = V.sync(&gpu[0], DFI_Q_RUN, w->point);
    if (!V.reached(&gpu[0], DFI_Q_RUN, w->point)) w->result = DF_ERROR_STUCK;
    return NULL;
}

/* More threads wait than there are events, for different points, while events are recorded again and again. */
static void waiters(void)
{
    enum { WAITERS = 40, LAUNCHES = 120 };
    static struct waiter w[WAITERS];
    struct dfi_gpu *d = &gpu[0];
    struct dfi_built b;
    dfi_memory x;
    int i, n[64], round;
    twin_find();
    test_open(1);
    b = test_build(d, &add_dfi_kernel, 0);
    x = test_alloc(d, sizeof n);
    memset(n, 0, sizeof n);
    test_in(d, x, n, sizeof n);
    for (round = 0; round < 3; round++) {
        twin.hold(1);
        for (i = 0; i < LAUNCHES; i++) {
            launch_add(d, DFI_Q_RUN, &b, 1, x, 64);
            if (i % 3) continue;
            CHECK(!V.reached(d, DFI_Q_RUN, d->issued[DFI_Q_RUN]));
            w[i / 3].point = d->issued[DFI_Q_RUN];
            CHECK(!pthread_create(&w[i / 3].thread, NULL, wait_main, &w[i / 3]));
        }
        twin.hold(0);
        for (i = 0; i < WAITERS; i++) {
            pthread_join(w[i].thread, NULL);
            CHECK(w[i].result == DF_OK);
        }
    }
    GOOD(V.sync(d, DFI_Q_RUN, d->issued[DFI_Q_RUN]));
    CHECK(twin.live() <= 24); /* a context, streams, at most 16 events for the queue, a module, memory */
    test_out(d, n, x, sizeof n);
    CHECK(n[0] == 3 * LAUNCHES && n[63] == 3 * LAUNCHES);
    V.free(d, x);
    test_close(1);
}

/* One thread for each queue, all at the same time, and each queries the others' queues. */
struct user { pthread_t thread; int q; dfi_memory m; struct dfi_built *built; int failed; };
static void *use_main(void *p)
{
    enum { N = 50000, ROUNDS = 25 };
    struct user *u = (struct user *)p;
    struct dfi_gpu *d = &gpu[0];
    int *x = (int *)malloc(N * sizeof *x), *y = (int *)malloc(N * sizeof *y), i, k, other = (u->q + 1) % DFI_QUEUES;
    struct dfi_box all = test_bytes(N * sizeof *x);
    for (i = 0; i < N; i++) x[i] = u->q;
    u->failed = V.copy_in(d, u->q, u->m, x, &all) != DF_OK;
    for (k = 0; k < ROUNDS && !u->failed; k++) {
        uintptr_t theirs = dfi_load_acquire(&d->issued[other]);
        launch_add(d, u->q, u->built, 1, u->m, N);
        if (V.wait(d, u->q, d, other, theirs)) u->failed = 1;
        if (V.copy_out(d, u->q, y, u->m, &all) || V.sync(d, u->q, d->issued[u->q])) u->failed = 1;
        if (V.sync(d, other, theirs) || !V.reached(d, other, theirs)) u->failed = 1;
        for (i = 0; i < N; i++)
            if (y[i] != u->q + k + 1) u->failed = 1;
    }
    free(x), free(y);
    return NULL;
}
static void threads(void)
{
    struct user u[DFI_QUEUES];
    struct dfi_built b;
    int q;
    twin_find();
    test_open(1);
    b = test_build(&gpu[0], &add_dfi_kernel, 0);
    for (q = 0; q < DFI_QUEUES; q++) {
        u[q].q = q, u[q].m = test_alloc(&gpu[0], 200000), u[q].built = &b, u[q].failed = 0;
        CHECK(!pthread_create(&u[q].thread, NULL, use_main, &u[q]));
    }
    for (q = 0; q < DFI_QUEUES; q++) {
        pthread_join(u[q].thread, NULL);
        CHECK(!u[q].failed);
    }
    for (q = 0; q < DFI_QUEUES; q++) V.free(&gpu[0], u[q].m);
    test_close(1);
}

/* --- several devices ------------------------------------------------------------------------------------ */

static int double_peers(void) { return !getenv("CUDA_DOUBLE_PEERS") || atoi(getenv("CUDA_DOUBLE_PEERS")); }

/* Around all devices, each adds a number; each waits for the one before, and overwrites when the next one has read. */
static void ring(void)
{
    enum { N = 10000, ROUNDS = 20 };
    static int x[N];
    struct dfi_built b[3];
    dfi_memory m[3];
    uintptr_t run[3] = { 0, 0, 0 }, read[3] = { 0, 0, 0 };
    int i, k;
    twin_find();
    test_open(3);
    for (i = 0; i < 3; i++) b[i] = test_build(&gpu[i], &add_dfi_kernel, 0), m[i] = test_alloc(&gpu[i], sizeof x);
    test_in(&gpu[0], m[0], x, sizeof x);
    for (k = 0; k < 3 * ROUNDS; k++) {
        struct dfi_gpu *d = &gpu[k % 3], *next = &gpu[(k + 1) % 3];
        launch_add(d, DFI_Q_RUN, &b[k % 3], k, m[k % 3], N);
        run[k % 3] = d->issued[DFI_Q_RUN];
        GOOD(V.wait(next, DFI_Q_IN, d, DFI_Q_RUN, run[k % 3]));
        GOOD(V.wait(next, DFI_Q_IN, next, DFI_Q_RUN, run[(k + 1) % 3]));
        GOOD(V.copy_peer(next, DFI_Q_IN, m[(k + 1) % 3], d, m[k % 3], sizeof x));
        read[k % 3] = next->issued[DFI_Q_IN];
        GOOD(V.wait(next, DFI_Q_RUN, next, DFI_Q_IN, read[k % 3]));
        GOOD(V.wait(d, DFI_Q_IN, next, DFI_Q_IN, read[k % 3]));
    }
    GOOD(V.wait(&gpu[0], DFI_Q_OUT, &gpu[0], DFI_Q_IN, gpu[0].issued[DFI_Q_IN]));
    test_out(&gpu[0], x, m[0], sizeof x);
    for (i = 0; i < N; i++) CHECK(x[i] == 3 * ROUNDS * (3 * ROUNDS - 1) / 2);
    CHECK(twin.calls("cuDeviceCanAccessPeer") == 3 && twin.calls("cuCtxEnablePeerAccess") == 3 * double_peers());
    twin.fail("cuMemcpyPeerAsync", 1, 1);
    CHECK(V.copy_peer(&gpu[1], DFI_Q_IN, m[1], &gpu[0], m[0], sizeof x) == DF_ERROR_DEVICE);
    CHECK(strstr(dfi_gpu_error, "cuMemcpyPeerAsync: CUDA_ERROR_INVALID_VALUE"));
    GOOD(V.copy_peer(&gpu[1], DFI_Q_IN, m[1], &gpu[0], m[0], sizeof x)); /* both still work */
    GOOD(V.sync(&gpu[1], DFI_Q_IN, gpu[1].issued[DFI_Q_IN]));
    for (i = 0; i < 3; i++) V.free(&gpu[i], m[i]);
    test_close(3);
}

int main(int argc, char **argv)
{
    static const struct scenario all[] = {
        { "devices", devices, { "CUDA_DOUBLE_DEVICES=3", "CUDA_DOUBLE_MEMORY=1048576" } },
        { "memory", memory, { "CUDA_DOUBLE_MEMORY=1048576" } },
        { "copies", copies, { NULL } },
        { "copies late", copies, { "CUDA_DOUBLE_DELAY=300" } },
        { "copies on", copies_on, { NULL } },
        { "pinned", pinned, { NULL } },
        { "order", order, { NULL } },
        { "order late", order, { "CUDA_DOUBLE_DELAY=200" } },
        { "asked once", asked_once, { NULL } },
        { "overlap", overlap, { NULL } },
        { "waiters", waiters, { NULL } },
        { "threads", threads, { NULL } },
        { "threads late", threads, { "CUDA_DOUBLE_DELAY=100" } },
        { "ring", ring, { "CUDA_DOUBLE_DEVICES=3" } },
        { "ring late", ring, { "CUDA_DOUBLE_DEVICES=3", "CUDA_DOUBLE_DELAY=300" } },
        { "ring without peers", ring, { "CUDA_DOUBLE_DEVICES=3", "CUDA_DOUBLE_PEERS=0" } }
    };
    return scenario_main(all, sizeof all / sizeof *all, argc, argv);
}
