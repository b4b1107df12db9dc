/* sim_driver.c - the simulated devices, driven as the data engine drives a device: operations happen exactly in the
 * requested order, on memory of their own, within their limits; and faults that are asked for happen
 *
 * Arguments: a first seed and a number of seeds for the random programs. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "../system/hear.h"

static const struct dfi_gpu_driver *const v = &dfi_sim_driver;
static struct dfi_gpu gpu[16];
static int opened;

static int has_been_said(const char *what)
{
    int i, yes = 0;
    for (i = 0; i < n_said; i++) yes |= strstr(said[i], what) != NULL;
    n_said = 0;
    return yes;
}

static void begin(const char *sim, const char *fail, int count)
{
    int i;
    CHECK(!opened);
    setenv("DF_GPU_SIM", sim, 1);
    setenv("DF_GPU_SIM_FAIL", fail ? fail : "", 1);
    CHECK(v->count() == count);
    memset((void *)gpu, 0, sizeof gpu);
    for (i = 0; i < count; i++) {
        gpu[i].driver = v, gpu[i].index = i;
        CHECK(v->open(&gpu[i], i) == DF_OK && gpu[i].own);
    }
    opened = count;
}

static void end(void)
{
    while (opened) v->close(&gpu[--opened]);
}

static struct dfi_box box(size_t row, size_t rows, size_t ld, size_t pitch)
{
    struct dfi_box b;
    b.row = row, b.rows = rows, b.ld = ld, b.pitch = pitch;
    return b;
}

static void sync_all(struct dfi_gpu *d)
{
    int q;
    for (q = 0; q < DFI_QUEUES; q++) CHECK(v->sync(d, q, dfi_load_relaxed(&d->issued[q])) == DF_OK);
}

/* --- what the environment says ---------------------------------------------------------------------- */

static void environment(void)
{
    static const char *const wrong[] = { "x", "4", "4:", ":64M", "0:64M", "-1:64M", "65:1M", "4:0", "4:64Q", "4:64M:",
                                         "4:64M:x", "4:64M:8Gx", "4:64M:0x", "4:64M:inf", "4:64M,", "4 :64M",
                                         "9999999999999999999999:1M" };
    static const char *const faults[] = { "x", "launch", "launch:", "launch:0", "launch:-1", "launch:x", "launch:1,",
                                          "launch:1,,", "launch:1@", "launch:1@0", "laun:1", "launch:1x", "launch 1" };
    static const struct { const char *text; int count; size_t bytes; } right[] = {
        { "1:1", 1, 1 }, { "4:64M", 4, 64u << 20 }, { "2:3k:8G", 2, 3 << 10 }, { "16:1G:0", 16, 1u << 30 },
            { "1:1.5K:100", 1, 1536 },
    };
    size_t i;
    unsetenv("DF_GPU_SIM");
    CHECK(v->count() == 0 && n_said == 0);
    setenv("DF_GPU_SIM", "", 1);
    CHECK(v->count() == 0 && n_said == 0);
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("DF_GPU_SIM", wrong[i], 1);
        CHECK(v->count() == 0 && n_said == 1 && has_been_said("DF_GPU_SIM="));
    }
    for (i = 0; i < sizeof faults / sizeof *faults; i++) {
        begin("1:1K", faults[i], 1);
        CHECK(n_said == 1 && has_been_said("DF_GPU_SIM_FAIL="));
        end();
    }
    for (i = 0; i < sizeof right / sizeof *right; i++) {
        begin(right[i].text, NULL, right[i].count);
        CHECK(n_said == 0 && gpu[right[i].count - 1].info.memory == right[i].bytes);
        CHECK(gpu[0].info.max_group == 1024 && gpu[0].info.max_shared == 48 << 10 && strstr(gpu[0].info.name, "1"));
        end();
    }
}

/* --- memory and copies -------------------------------------------------------------------------------- */

static void memory(void)
{
    dfi_memory a, b, c;
    unsigned char x[1000];
    struct dfi_box all = box(1000, 1, 0, 0);
    int i;
    begin("2:4K", NULL, 2);
    CHECK(v->alloc(&gpu[0], 0) == 0 && v->alloc(&gpu[0], 4097) == 0 && v->alloc(&gpu[0], SIZE_MAX) == 0);
    a = v->alloc(&gpu[0], 1000); /* 1024 of it */
    b = v->alloc(&gpu[0], 3000); /* 3072 */
    CHECK(a && b && !v->alloc(&gpu[0], 1));
    v->free(&gpu[0], b);
    CHECK(!v->alloc(&gpu[0], 3073));
    c = v->alloc(&gpu[0], 3072);
    CHECK(c && !v->alloc(&gpu[0], 1) && v->alloc(&gpu[1], 4096));
    memset(x, 7, sizeof x);
    CHECK(v->copy_out(&gpu[0], DFI_Q_OUT, x, a, &all) == DF_OK && gpu[0].issued[DFI_Q_OUT] == 1);
    CHECK(v->sync(&gpu[0], DFI_Q_OUT, 1) == DF_OK && v->reached(&gpu[0], DFI_Q_OUT, 1));
    for (i = 0; i < 1000; i++) CHECK(x[i] == DFI_SIM_NEW); /* memory that was never written is garbage */
    /* behind its end; of another device; in freed memory; freed twice: failures that `sync` reports, from then on */
    all.row = 1001;
    CHECK(v->copy_out(&gpu[0], DFI_Q_OUT, x, a, &all) == DF_OK && v->sync(&gpu[0], DFI_Q_OUT, 2) == DF_ERROR_DEVICE);
    CHECK(strstr(dfi_gpu_error, "memory") && v->sync(&gpu[0], DFI_Q_OUT, 2) == DF_ERROR_DEVICE);
    all.row = 10;
    CHECK(v->copy_out(&gpu[1], DFI_Q_OUT, x, a, &all) == DF_OK && v->sync(&gpu[1], DFI_Q_OUT, 1) == DF_ERROR_DEVICE);
    end(); /* frees the rest */
    begin("2:4K", NULL, 2);
    for (i = 0; i < 2; i++) {
        a = v->alloc(&gpu[i], 1000);
        v->free(&gpu[i], a);
        if (i) v->free(&gpu[1], a);
        else CHECK(v->copy_in(&gpu[0], DFI_Q_IN, a, x, &all) == DF_OK);
        CHECK(v->sync(&gpu[i], DFI_Q_IN, gpu[i].issued[DFI_Q_IN]) == DF_ERROR_DEVICE);
    }
    end();
}

static void rectangles(void)
{
    enum { LD = 50, PITCH = 40, ROWS = 9, ROW = 33 };
    static unsigned char in[ROWS * LD], out[ROWS * LD];
    struct dfi_box there = box(ROW, ROWS, LD, PITCH), on, back;
    dfi_memory a, b, c;
    int i, j;
    begin("2:64K", NULL, 2);
    a = v->alloc(&gpu[0], PITCH * (ROWS - 1) + ROW), b = v->alloc(&gpu[0], ROW * ROWS),
        c = v->alloc(&gpu[1], ROW * ROWS);
    for (i = 0; i < ROWS * LD; i++) in[i] = (unsigned char)(i * 7);
    on = box(ROW, ROWS, PITCH, ROW), back = box(ROW, ROWS, LD, ROW);
    CHECK(v->copy_in(&gpu[0], DFI_Q_RUN, a, in, &there) == DF_OK);
    CHECK(v->copy_on(&gpu[0], DFI_Q_RUN, b, a, &on) == DF_OK);
    CHECK(v->wait(&gpu[1], DFI_Q_IN, &gpu[0], DFI_Q_RUN, 2) == DF_OK);
    CHECK(v->copy_peer(&gpu[1], DFI_Q_IN, c, &gpu[0], b, ROW * ROWS) == DF_OK);
    CHECK(v->wait(&gpu[1], DFI_Q_OUT, &gpu[1], DFI_Q_IN, 1) == DF_OK);
    CHECK(v->copy_out(&gpu[1], DFI_Q_OUT, out, c, &back) == DF_OK);
    CHECK(gpu[0].issued[DFI_Q_RUN] == 2 && gpu[1].issued[DFI_Q_IN] == 1 && gpu[1].issued[DFI_Q_OUT] == 1);
    CHECK(v->sync(&gpu[1], DFI_Q_OUT, 1) == DF_OK);
    for (i = 0; i < ROWS; i++)
        for (j = 0; j < LD; j++) CHECK(out[i * LD + j] == (j < ROW ? in[i * LD + j] : 0));
    there.rows = 0;
    CHECK(v->copy_in(&gpu[0], DFI_Q_IN, a, in, &there) == DF_OK && v->sync(&gpu[0], DFI_Q_IN, 1) == DF_OK);
    end();
}

/* --- order ------------------------------------------------------------------------------------------------ */

/* A queue may wait for an operation that is put into another one later: they do not run in the order in which they
 * are filled. */
static void waits(void)
{
    enum { N = 64 };
    unsigned char x[DFI_QUEUES][N], y[N];
    struct dfi_box b = box(N, 1, 0, 0);
    dfi_memory m;
    int d, e, q, i;
    begin("2:64K", NULL, 2);
    for (d = 0; d < 2; d++)
        for (e = 0; e < 2; e++) {
            uintptr_t point[DFI_QUEUES];
            m = v->alloc(&gpu[e], N);
            for (q = 0; q < DFI_QUEUES; q++) {
                memset(x[q], q + 1, N);
                point[q] = gpu[q % 2 ? d : e].issued[q] + 1;
            }
            /* each queue waits for the one that is filled after it, the last one waits for nothing: so queue 0 is
             * last */
            for (q = 0; q < DFI_QUEUES; q++) {
                struct dfi_gpu *here = &gpu[q % 2 ? d : e], *other = &gpu[(q + 1) % 2 ? d : e];
                if (q + 1 < DFI_QUEUES) CHECK(v->wait(here, q, other, q + 1, point[q + 1]) == DF_OK);
                if (here == &gpu[e]) CHECK(v->copy_in(here, q, m, x[q], &b) == DF_OK);
                else {
                    dfi_memory own = v->alloc(here, N);
                    CHECK(own && v->copy_in(here, q, own, x[q], &b) == DF_OK);
                }
                v->flush(here, q);
            }
            CHECK(v->sync(&gpu[e], 0, point[0]) == DF_OK);
            for (q = 0; q < DFI_QUEUES; q++) CHECK(v->reached(&gpu[q % 2 ? d : e], q, point[q]));
            CHECK(v->copy_out(&gpu[e], DFI_Q_OUT, y, m, &b) == DF_OK);
            sync_all(&gpu[e]);
            for (i = 0; i < N; i++) CHECK(y[i] == 1);
        }
    end();
}

/* --- kernels ---------------------------------------------------------------------------------------------- */

DF_KERNEL(mix, df_in(unsigned, a, n), df_in(unsigned, b, n), df_inout(unsigned, c, n), (int, n), (unsigned, k),
{
    int i = df_global_id(0);
    if (i < n) c[i] = c[i] * 3 + (a[i] ^ b[n - 1 - i]) + k;
})
DF_KERNEL(turn, df_inout(unsigned, x, n), (int, n),
{
    df_shared(unsigned, t, df_block(0));
    int i = df_global_id(0), l = df_local_id(0);
    if (i < n) t[l] = x[i];
    df_barrier();
    if (i < n) x[i] = t[df_block(0) - 1 - l] + (unsigned)df_workgroup_id(0);
})
DF_KERNEL(sums, df_in(unsigned, x, n), (int, n), df_reduce(df_sum, unsigned, s, 2), df_reduce(df_max, unsigned, m, 1),
          df_reduce(df_sum, int, none, n - n),
{
    int i = df_global_id(0) + df_global_size(0) * df_global_id(1);
    if (i >= n) return;
    s[i % 2] += x[i];
    if (*m < x[i]) *m = x[i];
    if (none) return;
})
DF_KERNEL(large_shared, df_inout(unsigned, x, 1), (int, bytes),
{
    df_shared(char, t, bytes);
    t[df_local_id(0)] = (char)(70 + df_local_id(0));
    df_barrier();
    if (df_local_id(0) == 0) x[0] = (unsigned)t[1] + 6;
})
DF_KERNEL(splits, df_inout(unsigned, x, 1),
{
    if (df_local_id(0) == 1) return;
    df_barrier();
    x[0] = 78;
})

static df_result launch(struct dfi_gpu *d, int q, struct dfi_kernel *k, int groups, int group,
                        const struct dfi_arg *args)
{
    int g[3] = { 1, 1, 1 }, s[3] = { 1, 1, 1 };
    struct dfi_built b;
    char log[200];
    memset((void *)&b, 0, sizeof b);
    CHECK(v->build(d, k, &b, log, sizeof log) == DF_OK && b.result == DF_OK && b.max_group == 1024);
    g[0] = groups, s[0] = group;
    return v->launch(d, q, k, &b, g, s, args, k->n_params);
}

static struct dfi_arg arg(const void *p, size_t bytes, int is_memory)
{
    struct dfi_arg a;
    a.p = p, a.bytes = bytes, a.is_memory = is_memory;
    return a;
}

static df_result launch_mix(struct dfi_gpu *d, int q, dfi_memory a, dfi_memory b, dfi_memory c, int n, unsigned k,
                            int group)
{
    struct dfi_arg x[5];
    x[0] = arg(&a, sizeof a, 1), x[1] = arg(&b, sizeof b, 1), x[2] = arg(&c, sizeof c, 1), x[3] = arg(&n, sizeof n, 0),
        x[4] = arg(&k, sizeof k, 0);
    return launch(d, q, &mix_dfi_kernel, (n + group - 1) / group, group, x);
}

static df_result launch_turn(struct dfi_gpu *d, int q, dfi_memory p, int n, int group)
{
    struct dfi_arg x[2];
    x[0] = arg(&p, sizeof p, 1), x[1] = arg(&n, sizeof n, 0);
    return launch(d, q, &turn_dfi_kernel, n / group, group, x);
}

static void kernels(void)
{
    enum { N = 96 };
    unsigned x[N], y[N], back[N], sum[12][2], most[12], s[2] = { 0, 0 }, m = 0;
    struct dfi_box b = box(sizeof x, 1, 0, 0);
    struct dfi_arg args[5];
    struct dfi_built built;
    dfi_memory p, q, r, none = 0, ps, pm, here = (dfi_memory)x;
    char log[200];
    int i, j, n = N, groups[3] = { 2, 3, 2 }, group[3] = { 2, 2, 2 };
    begin("1:1M", NULL, 1);
    for (i = 0; i < N; i++) x[i] = (unsigned)i * 77 % 91, y[i] = (unsigned)i;
    p = v->alloc(&gpu[0], sizeof x), q = v->alloc(&gpu[0], sizeof x), r = v->alloc(&gpu[0], sizeof x);
    ps = v->alloc(&gpu[0], sizeof sum), pm = v->alloc(&gpu[0], sizeof most);
    CHECK(!v->copy_in(&gpu[0], DFI_Q_RUN, p, x, &b) && !v->copy_in(&gpu[0], DFI_Q_RUN, q, y, &b) &&
          !v->copy_in(&gpu[0], DFI_Q_RUN, r, y, &b));
    CHECK(!launch_mix(&gpu[0], DFI_Q_RUN, p, q, r, n, 5, 7) && !launch_turn(&gpu[0], DFI_Q_RUN, r, n, 12));
    CHECK(!v->copy_out(&gpu[0], DFI_Q_RUN, back, r, &b));
    sync_all(&gpu[0]);
    for (i = 0; i < N; i++) {
        j = i / 12 * 12 + 11 - i % 12;
        CHECK(back[i] == (unsigned)j * 3 + (x[j] ^ y[N - 1 - j]) + 5 + (unsigned)(i / 12));
    }
    /* group g leaves what it accumulated at g */
    args[0] = arg(&p, sizeof p, 1), args[1] = arg(&n, sizeof n, 0), args[2] = arg(&ps, sizeof ps, 1),
        args[3] = arg(&pm, sizeof pm, 1);
    args[4] = arg(&none, sizeof none, 1);
    memset((void *)&built, 0, sizeof built);
    CHECK(!v->build(&gpu[0], &sums_dfi_kernel, &built, log, sizeof log));
    CHECK(!v->launch(&gpu[0], DFI_Q_RUN, &sums_dfi_kernel, &built, groups, group, args, 5));
    b.row = sizeof sum;
    CHECK(!v->copy_out(&gpu[0], DFI_Q_RUN, sum, ps, &b));
    b.row = sizeof most;
    CHECK(!v->copy_out(&gpu[0], DFI_Q_RUN, most, pm, &b));
    sync_all(&gpu[0]);
    {
        unsigned want[12][2], want_most[12];
        memset(want, 0, sizeof want);
        memset(want_most, 0, sizeof want_most);
        for (i = 0; i < 4; i++) /* 4 x 6 x 4 items, of which the third dimension has the same numbers again */
            for (j = 0; j < 6; j++) {
                int at = i + 4 * j, z;
                for (z = 0; z < 2; z++) {
                    int g = i / 2 + 2 * (j / 2 + 3 * z);
                    want[g][at % 2] += 2 * x[at];
                    if (want_most[g] < x[at]) want_most[g] = x[at];
                }
            }
        CHECK(!memcmp(want, sum, sizeof sum) && !memcmp(want_most, most, sizeof most));
        for (i = 0; i < 12; i++) s[0] += sum[i][0], s[1] += sum[i][1], m = m < most[i] ? most[i] : m;
        CHECK(s[0] && s[1] && m);
    }
    /* more than a group may have; items that do not come to a barrier: `sync` reports it, and the device continues */
    n_said = 0;
    args[0] = arg(&p, sizeof p, 1), args[1] = arg(&n, sizeof n, 0);
    n = 48 << 10;
    CHECK(!launch(&gpu[0], DFI_Q_RUN, &large_shared_dfi_kernel, 1, 2, args) &&
          v->sync(&gpu[0], DFI_Q_RUN, gpu[0].issued[DFI_Q_RUN]) == DF_OK);
    n++;
    CHECK(!launch(&gpu[0], DFI_Q_RUN, &large_shared_dfi_kernel, 1, 2, args));
    CHECK(v->sync(&gpu[0], DFI_Q_RUN, gpu[0].issued[DFI_Q_RUN]) == DF_ERROR_KERNEL && has_been_said("large_shared"));
    b.row = sizeof x;
    CHECK(!v->copy_out(&gpu[0], DFI_Q_OUT, back, p, &b)); /* in another queue: it is executed */
    CHECK(v->sync(&gpu[0], DFI_Q_OUT, gpu[0].issued[DFI_Q_OUT]) == DF_ERROR_KERNEL && back[0] == 77);
    end();
    begin("2:1M", NULL, 2);
    p = v->alloc(&gpu[0], sizeof x);
    CHECK(!launch(&gpu[0], DFI_Q_RUN, &splits_dfi_kernel, 1, 2, args));
    CHECK(v->sync(&gpu[0], DFI_Q_RUN, gpu[0].issued[DFI_Q_RUN]) == DF_ERROR_KERNEL && has_been_said("splits"));
    args[0] = arg(&here, sizeof here, 1); /* memory of no device */
    CHECK(!launch(&gpu[1], DFI_Q_RUN, &splits_dfi_kernel, 1, 2, args));
    CHECK(v->sync(&gpu[1], DFI_Q_RUN, gpu[1].issued[DFI_Q_RUN]) == DF_ERROR_DEVICE);
    end();
    begin("1:1M", NULL, 1);
    p = v->alloc(&gpu[0], sizeof x);
    /* a function of the host, in its turn */
    CHECK(!v->copy_in(&gpu[0], DFI_Q_RUN + 1, p, y, &b));
    CHECK(v->native(&gpu[0], DFI_Q_RUN + 1));
    ((unsigned *)p)[5] += 1000;
    v->native_end(&gpu[0], DFI_Q_RUN + 1);
    CHECK(gpu[0].issued[DFI_Q_RUN + 1] == 2 && v->reached(&gpu[0], DFI_Q_RUN + 1, 2));
    CHECK(!v->copy_out(&gpu[0], DFI_Q_RUN + 1, back, p, &b));
    sync_all(&gpu[0]);
    CHECK(back[5] == 1005 && back[6] == 6);
    setenv("DF_GPU_SIM_BROKEN", "turns,mix,mi", 1);
    CHECK(v->build(&gpu[0], &mix_dfi_kernel, &built, log, sizeof log) == DF_ERROR_KERNEL &&
          built.result == DF_ERROR_KERNEL && strstr(log, "mix"));
    CHECK(v->build(&gpu[0], &turn_dfi_kernel, &built, log, sizeof log) == DF_OK && !*log);
    unsetenv("DF_GPU_SIM_BROKEN");
    end();
}

/* --- random programs --------------------------------------------------------------------------------------
 * Operations on some blocks of each of four devices, in random queues, each made to wait for those before it that it
 * conflicts with, and for no others; against the same done at once. */

enum { DEVICES = 4, BLOCKS = 6, N = 120, HOST = 8, OPS = 150 };
struct place { int device, queue; uintptr_t point; };
struct block { /* of a device or the host */
    struct place writer, reader[DEVICES * DFI_QUEUES];
    int written, readers;
};
static dfi_memory on_device[DEVICES][BLOCKS];
static unsigned model[DEVICES][BLOCKS][N], host[HOST][N], host_model[HOST][N];
static struct block use[DEVICES][BLOCKS], host_use[HOST];

static void after(struct place p, int device, int queue)
{
    if (p.device == device && p.queue == queue) return;
    CHECK(v->wait(&gpu[device], queue, &gpu[p.device], p.queue, p.point) == DF_OK);
}

static void before(struct block *b, int writes, int device, int queue)
{
    int i;
    if (b->written) after(b->writer, device, queue);
    for (i = 0; writes && i < b->readers; i++) after(b->reader[i], device, queue);
}

static void done(struct block *b, int writes, int device, int queue)
{
    struct place p = { device, queue, gpu[device].issued[queue] };
    int i;
    if (writes) {
        b->writer = p, b->written = 1, b->readers = 0;
        return;
    }
    for (i = 0; i < b->readers && (b->reader[i].device != device || b->reader[i].queue != queue);) i++;
    b->reader[i] = p;
    if (i == b->readers) b->readers++;
}

static void random_program(uint64_t seed)
{
    struct dfi_box all = box(N * sizeof(unsigned), 1, 0, 0);
    int i, j, k;
    memset((void *)use, 0, sizeof use);
    memset((void *)host_use, 0, sizeof host_use);
    for (i = 0; i < DEVICES; i++)
        for (j = 0; j < BLOCKS; j++) {
            CHECK((on_device[i][j] = v->alloc(&gpu[i], N * sizeof(unsigned))) != 0);
            memset(model[i][j], DFI_SIM_NEW, sizeof model[i][j]);
        }
    for (i = 0; i < HOST; i++)
        for (j = 0; j < N; j++) host[i][j] = host_model[i][j] = (unsigned)test_random(&seed);
    for (k = 0; k < OPS; k++) {
        int d = test_below(&seed, DEVICES), q = test_below(&seed, DFI_QUEUES), e = test_below(&seed, DEVICES),
            h = test_below(&seed, HOST);
        int a = test_below(&seed, BLOCKS), b = test_below(&seed, BLOCKS), c = test_below(&seed, BLOCKS),
            n = 1 + test_below(&seed, N);
        struct dfi_box part = box((size_t)(n % 10 + 1) * sizeof(unsigned), (size_t)(n / 10 + 1), 10 * sizeof(unsigned),
                                  9 * sizeof(unsigned));
        if (n % 10 == 9) part.row -= sizeof(unsigned);
        if (part.rows > 12) part.rows = 12;
        switch (test_below(&seed, 7)) {
        case 0: /* to the device, rows that get closer */
            before(&host_use[h], 0, d, q), before(&use[d][a], 1, d, q);
            CHECK(v->copy_in(&gpu[d], q, on_device[d][a], host[h], &part) == DF_OK);
            for (i = 0; i < (int)part.rows; i++) memcpy(&model[d][a][9 * i], &host_model[h][10 * i], part.row);
            done(&host_use[h], 0, d, q), done(&use[d][a], 1, d, q);
            break;
        case 1: /* and back */
            before(&host_use[h], 1, d, q), before(&use[d][a], 0, d, q);
            CHECK(v->copy_out(&gpu[d], q, host[h], on_device[d][a], &part) == DF_OK);
            for (i = 0; i < (int)part.rows; i++) memcpy(&host_model[h][10 * i], &model[d][a][9 * i], part.row);
            done(&host_use[h], 1, d, q), done(&use[d][a], 0, d, q);
            break;
        case 2:
            if (a == b) break;
            before(&use[d][b], 0, d, q), before(&use[d][a], 1, d, q);
            CHECK(v->copy_on(&gpu[d], q, on_device[d][a], on_device[d][b], &part) == DF_OK);
            for (i = 0; i < (int)part.rows; i++) memcpy(&model[d][a][9 * i], &model[d][b][10 * i], part.row);
            done(&use[d][b], 0, d, q), done(&use[d][a], 1, d, q);
            break;
        case 3:
            if (d == e) break;
            before(&use[e][b], 0, d, q), before(&use[d][a], 1, d, q);
            CHECK(v->copy_peer(&gpu[d], q, on_device[d][a], &gpu[e], on_device[e][b],
                               (size_t)n * sizeof(unsigned)) == DF_OK);
            memcpy(model[d][a], model[e][b], (size_t)n * sizeof(unsigned));
            done(&use[e][b], 0, d, q), done(&use[d][a], 1, d, q);
            break;
        case 4:
            before(&use[d][a], 1, d, q);
            n = 1 + test_below(&seed, 12), n = n == 7 || n == 9 || n == 11 ? 10 : n; /* divides N */
            CHECK(launch_turn(&gpu[d], q, on_device[d][a], N, n) == DF_OK);
            {
                unsigned was[N];
                memcpy(was, model[d][a], sizeof was);
                for (i = 0; i < N; i++) model[d][a][i] = was[i / n * n + n - 1 - i % n] + (unsigned)(i / n);
            }
            done(&use[d][a], 1, d, q);
            break;
        default:
            if (a == c || b == c) break;
            before(&use[d][a], 0, d, q), before(&use[d][b], 0, d, q), before(&use[d][c], 1, d, q);
            CHECK(launch_mix(&gpu[d], q, on_device[d][a], on_device[d][b], on_device[d][c], n, (unsigned)k,
                             1 + n % 50) == DF_OK);
            for (i = 0; i < n; i++)
                model[d][c][i] = model[d][c][i] * 3 + (model[d][a][i] ^ model[d][b][n - 1 - i]) + (unsigned)k;
            done(&use[d][a], 0, d, q), done(&use[d][b], 0, d, q), done(&use[d][c], 1, d, q);
        }
        if (test_below(&seed, 40) == 0) {
            q = test_below(&seed, DFI_QUEUES);
            CHECK(v->sync(&gpu[d], q, gpu[d].issued[q]) == DF_OK && v->reached(&gpu[d], q, gpu[d].issued[q]));
        }
    }
    for (i = 0; i < DEVICES; i++) sync_all(&gpu[i]);
    CHECK(!memcmp(host, host_model, sizeof host));
    for (i = 0; i < DEVICES; i++)
        for (j = 0; j < BLOCKS; j++) {
            CHECK(v->copy_out(&gpu[i], DFI_Q_OUT, host[0], on_device[i][j], &all) == DF_OK);
            CHECK(v->sync(&gpu[i], DFI_Q_OUT, gpu[i].issued[DFI_Q_OUT]) == DF_OK);
            CHECK(!memcmp(host[0], model[i][j], sizeof host[0]));
            v->free(&gpu[i], on_device[i][j]);
        }
}

static void random_programs(uint64_t first, int count)
{
    char seed[20];
    int i;
    for (i = 0; i < count; i++) {
        snprintf(seed, sizeof seed, "%d", i % 3 * (i + 1)); /* 0: not held up */
        setenv("DF_GPU_SIM_SEED", seed, 1);
        begin(i % 5 ? "4:64K" : "4:16K:20M", NULL, DEVICES);
        random_program(first + (uint64_t)i);
        end();
    }
    unsetenv("DF_GPU_SIM_SEED");
}

/* --- failures ----------------------------------------------------------------------------------------------- */

static void failures(void)
{
    unsigned x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, y[8] = { 0 };
    struct dfi_box b = box(sizeof x, 1, 0, 0);
    dfi_memory m, n;
    int i;
    begin("2:4K", "alloc:3,copy_in:2@2,launch:2,copy_out:1", 2);
    m = v->alloc(&gpu[0], 100), n = v->alloc(&gpu[1], 100);
    CHECK(m && n && !v->alloc(&gpu[0], 100));
    CHECK(v->alloc(&gpu[0], 100)); /* one failed, no more */
    for (i = 0; i < 4; i++) CHECK(v->copy_in(&gpu[0], DFI_Q_IN, m, x, &b) == DF_OK);
    CHECK(v->copy_in(&gpu[1], DFI_Q_IN, n, x, &b) == DF_OK &&
          v->copy_in(&gpu[1], DFI_Q_IN, n, x, &b) == DF_ERROR_DEVICE);
    CHECK(strstr(dfi_gpu_error, "fails") && gpu[1].issued[DFI_Q_IN] == 1 &&
          v->copy_in(&gpu[1], DFI_Q_IN, n, x, &b) == DF_OK);
    sync_all(&gpu[0]), sync_all(&gpu[1]);
    CHECK(launch_turn(&gpu[0], DFI_Q_RUN, m, 8, 8) == DF_OK &&
          launch_turn(&gpu[1], DFI_Q_RUN, n, 8, 8) == DF_ERROR_DEVICE);
    CHECK(launch_turn(&gpu[1], DFI_Q_RUN, n, 8, 8) == DF_OK);
    CHECK(v->copy_out(&gpu[0], DFI_Q_RUN, y, m, &b) == DF_ERROR_DEVICE &&
          v->copy_out(&gpu[0], DFI_Q_RUN, y, m, &b) == DF_OK);
    sync_all(&gpu[0]), sync_all(&gpu[1]);
    CHECK(y[0] == 8 && y[7] == 1);
    end();
    /* fails while it is executed: so do later operations in its queue, and those that wait for it on any device;
     * nothing else does */
    for (i = 0; i < 4; i++) {
        struct dfi_gpu *d = &gpu[i == 2];
        int q = i ? DFI_Q_OUT : DFI_Q_RUN;
        memset(y, 0, sizeof y);
        begin("2:4K", "fault:2", 2);
        m = v->alloc(&gpu[0], 100), n = v->alloc(&gpu[1], 100);
        CHECK(!v->copy_in(&gpu[0], DFI_Q_RUN, m, x, &b) && !launch_turn(&gpu[0], DFI_Q_RUN, m, 8, 8));
        if (i) CHECK(!v->wait(d, q, &gpu[0], DFI_Q_RUN, i == 3 ? 1 : 2));
        if (i == 2) CHECK(!v->copy_peer(d, q, n, &gpu[0], m, sizeof x));
        CHECK(!v->copy_out(d, q, y, i == 2 ? n : m, &b));
        CHECK(v->sync(&gpu[0], DFI_Q_RUN, 2) == DF_ERROR_DEVICE && strstr(dfi_gpu_error, "fails"));
        CHECK(v->sync(d, q, d->issued[q]) == DF_ERROR_DEVICE && v->reached(d, q, d->issued[q]));
        CHECK(i == 3 ? y[0] == 1 && y[7] == 8 : !y[0] && !y[7]);
        end();
    }
    /* lost: no call waits for it, and it no longer changes memory of the host */
    memset(y, 0, sizeof y);
    begin("2:4K", "lost:3@1", 2);
    m = v->alloc(&gpu[0], 100), n = v->alloc(&gpu[1], 100);
    CHECK(!v->copy_in(&gpu[0], DFI_Q_IN, m, x, &b) && !v->copy_in(&gpu[1], DFI_Q_IN, n, x, &b) &&
          !v->copy_in(&gpu[1], DFI_Q_IN, n, x, &b));
    /* which was, before it was gone */
    CHECK(!v->sync(&gpu[0], DFI_Q_IN, 1) && !v->wait(&gpu[1], DFI_Q_RUN + 1, &gpu[0], DFI_Q_IN, 1));
    CHECK(!v->wait(&gpu[0], DFI_Q_OUT, &gpu[1], DFI_Q_RUN, 100));
    CHECK(!v->copy_out(&gpu[0], DFI_Q_OUT, y, m, &b));
    CHECK(!v->wait(&gpu[1], DFI_Q_RUN, &gpu[1], DFI_Q_IN, 2) && !v->copy_out(&gpu[1], DFI_Q_RUN, y, n, &b));
    CHECK(launch_turn(&gpu[0], DFI_Q_RUN, m, 8, 8) == DF_ERROR_DEVICE && strstr(dfi_gpu_error, "gone"));
    CHECK(v->sync(&gpu[0], DFI_Q_OUT, 1) == DF_ERROR_DEVICE && v->reached(&gpu[0], DFI_Q_OUT, 1));
    CHECK(v->sync(&gpu[0], DFI_Q_RUN, 5) == DF_ERROR_DEVICE && v->reached(&gpu[0], DFI_Q_RUN, 5));
    CHECK(v->copy_in(&gpu[0], DFI_Q_IN, m, x, &b) == DF_ERROR_DEVICE &&
          v->wait(&gpu[0], DFI_Q_IN, &gpu[1], DFI_Q_IN, 1) == DF_ERROR_DEVICE);
    CHECK(!v->alloc(&gpu[0], 1));
    CHECK(v->sync(&gpu[1], DFI_Q_RUN, 1) == DF_OK && y[0] == 1 && y[7] == 8);
    CHECK(!v->wait(&gpu[1], DFI_Q_RUN + 1, &gpu[0], DFI_Q_RUN, 5)); /* which will never come */
    CHECK(!v->copy_out(&gpu[1], DFI_Q_RUN + 1, x, n, &b) && v->sync(&gpu[1], DFI_Q_RUN + 1, 1) == DF_ERROR_DEVICE);
    v->free(&gpu[0], m);
    end();
}

/* Bytes take their time: at least, as nothing can be said of the most. */
static void rate(void)
{
    enum { BYTES = 1 << 20 };
    static char x[BYTES], y[BYTES];
    struct dfi_box b = box(BYTES, 1, 0, 0);
    uint64_t t;
    dfi_memory m, n;
    begin("1:2M:50M", NULL, 1);
    m = v->alloc(&gpu[0], BYTES), n = v->alloc(&gpu[0], BYTES);
    t = dfi_os_ns();
    CHECK(!v->copy_in(&gpu[0], DFI_Q_IN, m, x, &b));
    CHECK(!v->copy_in(&gpu[0], DFI_Q_RUN, n, x, &b)); /* the same direction as the first: after it, or before */
    CHECK(!v->wait(&gpu[0], DFI_Q_OUT, &gpu[0], DFI_Q_IN, 1) && !v->wait(&gpu[0], DFI_Q_OUT, &gpu[0], DFI_Q_RUN, 1));
    CHECK(!v->copy_out(&gpu[0], DFI_Q_OUT, y, m, &b));
    sync_all(&gpu[0]);
    t = dfi_os_ns() - t;
    CHECK(t >= 58000000); /* three times 20 ms in a row */
    end();
}

int main(int argc, char **argv)
{
    df_config c = { .workers = 2, .log = hear };
    CHECK(df_start(&c) == DF_OK);
    environment();
    memory();
    rectangles();
    waits();
    kernels();
    failures();
    random_programs(argc > 1 ? strtoull(argv[1], NULL, 10) : 1, argc > 2 ? atoi(argv[2]) : TEST_TSAN ? 20 : 60);
    rate();
    CHECK(n_said == 0);
    df_stop();
    puts("ok");
    return 0;
}
