/* The language of kernels on OpenCL: every kernel runs on the host and on each device, which must leave the same
 * bytes. */
#define DF_GPU_EXACT 1
#define DF_USE_OPENCL
#define DF_IMPLEMENTATION
#include "../../df_gpu.h"
#include "language.h"
#include "opencl.h"

enum { N = 840 }; /* divisible by the sizes of groups in use */

/* All data that kernels see. */
static struct {
    int i[N * 18];
    unsigned u[N];
    float f[N * 16];
    double d[N * 16];
    long long ll[N];
    unsigned long long ull[N];
    long l[N];
    unsigned long ul[N];
    short s[N];
    unsigned short us[N];
    signed char sc[N];
    unsigned char uc[N];
    char c[N];
    bool b[N];
    size_t z[N];
} data, before, expected;

/* Fills the data with values that fit every type. */
static void fill(uint64_t seed)
{
    int k;
    memset(&data, 0, sizeof data);
    for (k = 0; k < N * 18; k++) data.i[k] = test_below(&seed, 2001) - 1000;
    for (k = 0; k < N * 16; k++) {
        data.f[k] = (float)(test_below(&seed, 2001) - 1000) / 8;
        data.d[k] = (double)(test_below(&seed, 2001) - 1000) / 16;
    }
    for (k = 0; k < N; k++) {
        data.u[k] = (unsigned)test_random(&seed);
        data.ll[k] = (long long)(test_random(&seed) >> 20) - (1ll << 43);
        data.ull[k] = test_random(&seed);
        data.l[k] = (long)data.i[k], data.ul[k] = (unsigned long)data.u[k];
        data.s[k] = (short)data.i[k], data.us[k] = (unsigned short)data.u[k];
        data.sc[k] = (signed char)(data.i[k] % 128), data.uc[k] = (unsigned char)data.u[k];
        data.c[k] = (char)(data.i[k] & 127);
        data.b[k] = data.i[k] > 0;
        data.z[k] = (size_t)data.u[k];
    }
}

/* What the engine does for one launch, with everything copied. */
static void run_on(struct dfi_gpu *d, struct dfi_kernel *k, const void *args)
{
    const struct dfi_gpu_driver *v = d->driver;
    const df_ndrange *grid = (const df_ndrange *)args;
    struct dfi_access x[16];
    struct dfi_arg arg[16];
    dfi_memory memory[16];
    struct dfi_box box[16];
    struct dfi_built *b = built_for(d, k, grid->group);
    int groups[3], i, n = 0;
    size_t all_groups, g;
    for (i = 0; i < 3; i++) groups[i] = (int)((grid->n[i] + grid->group[i] - 1) / grid->group[i]);
    all_groups = (size_t)groups[0] * (size_t)groups[1] * (size_t)groups[2];
    k->accesses(args, x);
    for (i = 0; i < k->n_params; i++) {
        const struct dfi_param *p = &k->param[i];
        arg[i].p = (const char *)args + p->at, arg[i].bytes = p->bytes, arg[i].is_memory = p->kind != DFI_P_VALUE;
        if (p->kind == DFI_P_VALUE) continue;
        box[n] = line_of(p->kind == DFI_P_REDUCE ? x[n].row * all_groups : x[n].rows < 2 ? x[n].row
                         : (x[n].rows - 1) * x[n].ld + x[n].row);
        memory[n] = v->alloc(d, box[n].row);
        CHECK(memory[n] != 0);
        if (p->kind != DFI_P_REDUCE) CHECK(v->copy_in(d, DFI_Q_IN, memory[n], (const void *)x[n].p, &box[n]) == DF_OK);
        arg[i].p = &memory[n], arg[i].bytes = sizeof(dfi_memory);
        n++;
    }
    CHECK(v->wait(d, DFI_Q_RUN, d, DFI_Q_IN, dfi_load_relaxed(&d->issued[DFI_Q_IN])) == DF_OK);
    CHECK(v->launch(d, DFI_Q_RUN, k, b, groups, grid->group, arg, k->n_params) == DF_OK);
    CHECK(finish(d, DFI_Q_RUN) == DF_OK);
    for (i = n = 0; i < k->n_params; i++) {
        const struct dfi_param *p = &k->param[i];
        if (p->kind == DFI_P_VALUE) continue;
        if (p->kind == DFI_P_REDUCE) {
            char *partials = (char *)malloc(box[n].row);
            CHECK(partials && v->copy_out(d, DFI_Q_OUT, partials, memory[n], &box[n]) == DF_OK &&
                  finish(d, DFI_Q_OUT) == DF_OK);
            for (g = 0; g < all_groups; g++)
                p->combine((void *)(uintptr_t)x[n].p, partials + g * x[n].row, x[n].row / p->bytes);
            free(partials);
        } else if (p->mode != DFI_IN) {
            CHECK(v->copy_out(d, DFI_Q_OUT, (void *)(uintptr_t)x[n].p, memory[n], &box[n]) == DF_OK &&
                  finish(d, DFI_Q_OUT) == DF_OK);
        }
        v->free(d, memory[n++]);
    }
    free(b);
}

/* Runs a kernel on the host and on each device, with the same data. Nonzero: they differ. */
static int runs_differ(struct dfi_kernel *k, const void *args)
{
    int i, differ = 0;
    before = data;
    dfi_kernel_here(k, args);
    expected = data;
    for (i = 0; i < n_gpus; i++) {
        data = before;
        run_on(&gpu[i], k, args);
        differ |= memcmp(&data, &expected, sizeof data) != 0;
    }
    return differ;
}
#define BOTH(name, ...)                                                                                       \
    do {                                                                                                      \
        struct name##_dfi_args args = { __VA_ARGS__ };                                                        \
        if (runs_differ(&name##_dfi_kernel, &args)) test_fail(__FILE__, __LINE__, #name " does the same on all"); \
        CHECK(memcmp(&before, &expected, sizeof before) != 0);                                                \
    } while (0)

/* --- the kernels of language.h ------------------------------------------------------------------------ */

static void test_words(void)
{
    static const int zero = 0;
    int k;
    fill(1);
    BOTH(places, df_grid3(12, 10, 7, 4, 5, 7), data.i, N);
    BOTH(places, df_grid1(N, 7), data.i, N);
    BOTH(reverse, df_grid1(N, 60), data.f, N);
    BOTH(reverse, df_grid2(N / 6, 6, 5, 6), data.f, N); /* groups of another size: compiled again */
    for (k = 0; k < 2; k++) {
        const int group = k ? 30 : 8;
        struct atomics_dfi_args a = { df_grid1(N, group), data.i, data.u, data.f, data.i + 100, N };
        struct atomics_end_dfi_args e = { df_grid1(1, 1), data.i };
        int d;
        fill(2);
        data.i[1] = data.i[4] = zero, data.u[3] = 7;
        before = data;
        dfi_kernel_here(&atomics_dfi_kernel, &a);
        dfi_kernel_here(&atomics_end_dfi_kernel, &e);
        expected = data;
        for (d = 0; d < n_gpus; d++) {
            data = before;
            run_on(&gpu[d], &atomics_dfi_kernel, &a);
            run_on(&gpu[d], &atomics_end_dfi_kernel, &e);
            CHECK(!memcmp(&data, &expected, sizeof data));
        }
        CHECK(data.u[3] == 8);
    }
    fill(3);
    BOTH(blocks, df_grid2(14, 10, 7, 5), data.f, data.f + 2000, data.f + 6000, 9, 13, 11, 20, 30, 17);
    for (k = 0; k < n_gpus; k++) {
        struct nothing_dfi_args a = { df_grid1(4, 2) };
        run_on(&gpu[k], &nothing_dfi_kernel, &a); /* checks that it compiles and is done */
    }
}

static void test_types(void)
{
    struct shape one = { { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } }, 1ll << 33, 250, { 4, 5 } };
    fill(4);
    BOTH(values_1, df_grid1(1, 1), CHAR_MAX, SCHAR_MIN, UCHAR_MAX, SHRT_MIN, USHRT_MAX, INT_MIN, UINT_MAX, LONG_MIN,
         ULONG_MAX, LLONG_MIN, ULLONG_MAX, true, -1.75f, data.ll);
    BOTH(values_1, df_grid1(1, 1), (char)-5, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, false, FLT_MIN, data.ll);
    BOTH(values_2, df_grid1(1, 1), SIZE_MAX, INT8_MIN, UINT8_MAX, INT16_MIN, UINT16_MAX, INT32_MIN, UINT32_MAX,
         INT64_MIN, UINT64_MAX, -2.5, UINTPTR_MAX, PTRDIFF_MIN, (int64_t *)data.ll);
    BOTH(arrays_1, df_grid1(N, 12), data.c, data.sc, data.uc, data.s, data.us, data.u, data.l, data.ul, data.ll,
         data.ull, data.b, data.z, data.d, N);
    BOTH(use_shapes, df_grid1(30, 10), one, (struct shape *)(void *)data.d, data.f, 30);
    BOTH(old_words, df_grid1(N, 12), data.f, data.i, N);
}

static void test_reductions(void)
{
    static const int group[] = { 1, 3, 7, 24, 60 };
    unsigned k;
    for (k = 0; k < sizeof group / sizeof *group; k++) {
        const int g = group[k], n = N - (int)k * 5;
        fill(10 + k);
        BOTH(sums, df_grid1(N, g), data.f, data.d, data.s, data.i + 16, n, 1 + (int)k * 3);
        if (k % 2) continue;
        BOTH(products, df_grid1(N, g), data.u, data.uc, data.f, data.us, n);
        BOTH(least, df_grid1(N, g), data.i, (uint64_t *)data.ull, data.f, data.sc, data.d, data.i + 16, n);
        BOTH(most, df_grid1(N, g), data.i, (int64_t *)data.ll, data.f, data.uc, data.d, data.i + 16, n);
        BOTH(bits, df_grid1(N, g), data.u, (uint64_t *)data.ull, data.s, data.i, data.uc, data.z, data.b, data.i + 16,
             n);
    }
    for (k = 0; k < 12; k++) {
        static const int size[4][2] = { { 1, 1 }, { 1, 6 }, { 6, 1 }, { 4, 5 } };
        struct shape some = { { { 0, 0 } }, 0, 0, { 1, 1 } };
        some.id = k / 4 * 2; /* 0, 2, 4 elements */
        BOTH(sums_too, df_grid2(12, 60, size[k % 4][0], size[k % 4][1]), data.i, N, some, data.i + N, data.i + 2 * N);
    }
    BOTH(sums, df_grid3(20, 6, 7, 5, 2, 7), data.f, data.d, data.s, data.i + 16, N, 16);
}

static void test_language(void)
{
    struct near_math_dfi_args near = { df_grid1(N, 12), data.f, N };
    int d, k;
    fill(5);
    BOTH(mix, df_grid1(N, 12), data.f, data.i, N, 1.25f, 77);
    BOTH(limits, df_grid1(1, 1), data.ll, data.d, data.f);
    fill(6);
    BOTH(exact_math, df_grid1(N, 12), data.d, data.f, N);
    before = data;
    dfi_kernel_here(&near_math_dfi_kernel, &near);
    expected = data;
    for (d = 0; d < n_gpus; d++) {
        data = before;
        run_on(&gpu[d], &near_math_dfi_kernel, &near);
        for (k = 0; k < N * 16; k++) /* OpenCL C 1.2, 7.4, allows 16 units in the last place for some */
            CHECK(fabsf(data.f[k] - expected.f[k]) <= 16 * FLT_EPSILON * (fabsf(expected.f[k]) + 1));
    }
    CHECK(memcmp(&before, &expected, sizeof before));
}

/* --- what no device does ------------------------------------------------------------------------------ */

static void largest(int *into, const int *from) { if (*from > *into) *into = *from; }
static void smallest_int(int *x) { *x = INT_MIN; }
DF_REDUCTION(own, int, largest, smallest_int);
DF_KERNEL(own_reduction, df_reduce(own, int, r, 1), { *r = df_global_id(0); })
DF_KERNEL(pointer, (int *, p), { if (p) *p = 1; })
enum { WRONG_LINE = __LINE__ + 1 };
DF_KERNEL(wrong, df_inout(float, x, n), (int, n), { float *p = x + 1; p[0] = (float)n; }) /* without df_on_global */
DF_KERNEL_CODE(wrong_code, static inline float *first(float *p) { return p; })
enum { WRONG_CALL_LINE = __LINE__ + 1 };
DF_KERNEL_USING(wrong_code, wrong_too, df_inout(float, x, 1), { *first(x) = 1; })

static void refused(struct dfi_kernel *k, const char *say, const char *say_too)
{
    char log[4000];
    struct dfi_built b;
    memset(&b, 0, sizeof b);
    CHECK(dfi_opencl_driver.build(&gpu[0], k, &b, log, sizeof log) == DF_ERROR_KERNEL);
    if (!strstr(log, say) || !strstr(log, say_too)) {
        fprintf(stderr, "wanted: %s, %s\ngot: %s\n", say, say_too, log);
        test_fail(__FILE__, __LINE__, "the log names the mistake");
    }
    CHECK(b.handle == NULL);
}

static void test_refused(void)
{
    char line[100];
    refused(&own_reduction_dfi_kernel, "DF_REDUCTION", "own_reduction");
    refused(&pointer_dfi_kernel, "df_inout", "parameter p");
    snprintf(line, sizeof line, "opencl_kernels.c:%d", WRONG_LINE);
    refused(&wrong_dfi_kernel, line, "address space");
    snprintf(line, sizeof line, "opencl_kernels.c:%d", WRONG_CALL_LINE);
    refused(&wrong_too_dfi_kernel, line, "address space");
}

int main(void)
{
    open_all();
    test_words();
    test_types();
    test_reductions();
    test_language();
    test_refused();
    close_all();
    return 0;
}
