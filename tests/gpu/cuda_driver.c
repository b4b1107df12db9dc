/* The driver for CUDA, function by function, on the double of libcuda: devices, memory, copies, order, kernels. */
#include "cuda_test.h"

DF_KERNEL(add, (int, by), df_inout(int, x, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) x[i] += by;
})
DF_KERNEL(axpy, (double, a), df_in(float, x, n), df_inout(float, y, n), (long, n),
{
    int i = df_global_id(0);
    if (i < n) y[i] += (float)a * x[i];
})
DF_KERNEL(turn, df_inout(int, x, n), (int, n),
{
    df_shared(int, s, df_block(0));
    int i = df_local_id(0);
    int g = df_global_id(0);
    s[i] = g < n ? x[g] : 0;
    df_barrier();
    if (g < n) x[g] = s[df_group_size(0) - 1 - i];
})
DF_KERNEL(place, df_out(int, x, n), (int, n),
{
    int w = df_global_size(0);
    int h = df_global_size(1);
    int i = df_global_id(0) + w * (df_global_id(1) + h * df_global_id(2));
    if (i < n) x[i] = df_local_id(0) + 10 * df_local_id(1) + 100 * df_local_id(2) + 1000 * df_group_id(0) + 10000 * df_group_id(1) +
                      100000 * df_group_id(2);
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

static void launch(struct dfi_gpu *d, int q, struct dfi_kernel *k, struct dfi_built *b, int groups, int group, const struct dfi_arg *args, int n)
{
    int gs[3] = { 1, 1, 1 }, g[3] = { 1, 1, 1 };
    gs[0] = groups, g[0] = group;
    GOOD(V.launch(d, q, k, b, gs, g, args, n));
}
/* x[0 .. n-1] += by, in groups of 64. */
static void launch_add(struct dfi_gpu *d, int q, struct dfi_built *b, int by, dfi_memory x, int n)
{
    struct dfi_arg args[3] = { { NULL, sizeof by, 0 }, { NULL, sizeof x, 1 }, { NULL, sizeof n, 0 } };
    args[0].p = &by, args[1].p = &x, args[2].p = &n;
    launch(d, q, &add_dfi_kernel, b, (n + 63) / 64, 64, args, 3);
}

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

/* There and back through a block of device memory; what lies between the rows stays as it is. */
static void there_and_back(struct dfi_gpu *d, struct dfi_box b)
{
    size_t host = extent(&b, b.rows > 1 ? b.ld : b.row), device = extent(&b, b.rows > 1 ? b.pitch : b.row), y;
    unsigned char *from = numbers(host, 1), *to = numbers(host, 2), *expect = numbers(host, 2), *clear = numbers(device, 3);
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
        { 0, 1, 0, 0 }, { 5, 0, 9, 9 }, { 1, 1, 0, 0 }, { 65536, 1, 0, 0 }, { 65537, 1, 0, 0 }, { 1 << 20, 1, 0, 0 }, { (1 << 20) + 1, 1, 0, 0 },
        { 21 << 20, 1, 0, 0 },                                    /* more than all pieces */
        { 100, 7, 100, 100 }, { 100, 7, 128, 100 }, { 100, 7, 100, 128 }, { 3, 5000, 1000, 3 }, { 1000, 5000, 1100, 1024 },
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
    static const struct dfi_box boxes[] = { { 10000, 1, 0, 0 }, { 10, 100, 10, 10 }, { 10, 100, 11, 12 }, { 10, 3, 2 << 20, 10 } };
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

/* Memory that the program has pinned goes directly, also strided; what is pinned in parts goes another way. */
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
    CHECK(!push(dfi_cuda_of(&gpu[0])->context) && !pin(p, BYTES, 0) && !pin(q, BYTES / 2, 0) && !pin(q + BYTES / 2, BYTES / 2, 0) && !pop(&context));
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
    CHECK(q[BYTES / 2 - 1] == (unsigned char)(test_mix(2, BYTES / 2 - 1) >> 7) && q[BYTES - 1] == (unsigned char)(test_mix(2, BYTES - 1) >> 7));
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
        struct dfi_arg args[4] = { { NULL, sizeof a, 0 }, { NULL, sizeof x, 1 }, { NULL, sizeof y, 1 }, { NULL, sizeof n, 0 } };
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

/* What is asked for once is not asked for again, and what was never used is not waited for. */
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
    CHECK(!twin.calls("cuEventRecord")); /* nobody has asked */
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

/* Transfers go on, through pinned memory too, while kernels run; and nothing is waited for but where it must. */
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

/* One thread for each queue, all at the same time, and each looks at the others' queues. */
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
    struct dfi_kernel wrong = with_body("(int, by), df_inout(int, x, n), (int, n), { x[0] = undeclared_name; x[1] = by + ; }"),
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

/* The second build of a kernel finds it on the disk; what the driver refuses, or is damaged, is made again. */
static void disk(void)
{
    char folder[] = "/tmp/df_cache_XXXXXX", command[100];
    struct dfi_built b;
    twin_find();
    CHECK(mkdtemp(folder));
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
    struct dfi_kernel *all[] = { &add_dfi_kernel, &axpy_dfi_kernel, &turn_dfi_kernel, &place_dfi_kernel, &total_dfi_kernel, &count_dfi_kernel };
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
        { "ring without peers", ring, { "CUDA_DOUBLE_DEVICES=3", "CUDA_DOUBLE_PEERS=0" } },
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
