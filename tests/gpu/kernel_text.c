/* The kernel text for a device, from that of DF_KERNEL: the parts that it must have and must not have, for OpenCL C
 * and for CUDA; where NVRTC is installed, it compiles the kernels of language.h. */
#include <dlfcn.h>
static long mallocs_left = -1, mallocs; /* then there is no more memory */
static void *test_malloc(unsigned long bytes);
#define DF_MALLOC(bytes) test_malloc(bytes)
#define DF_FREE(p) free(p)
#define DF_IMPLEMENTATION
#include "../../df_gpu.h"
#include "../test.h"
#include "language.h"

static void *test_malloc(unsigned long bytes)
{
    mallocs++;
    if (mallocs_left == 0) return NULL;
    if (mallocs_left > 0) mallocs_left--;
    return malloc(bytes);
}

/* --- texts --------------------------------------------------------------------------------------------- */

/* The text, for the kernel's file, between its first and its last statement: without lines, blanks as one blank. */
static char *squeeze(char *text)
{
    char *from = text, *to = text;
    while (*from) {
        if (*from == '#' && !strncmp(from, "#line", 5)) from += strcspn(from, "\n");
        else if (*from == '\n' || *from == ' ') {
            if (to > text && to[-1] != ' ') *to++ = ' ';
            from++;
        } else *to++ = *from++;
    }
    *to = 0;
    return text;
}

static char *text_for(const struct dfi_kernel *k, enum dfi_language language, const int *block)
{
    char why[200], *text = dfi_kernel_text(k, language, block, why, sizeof why);
    if (!text) fprintf(stderr, "%s\n", why);
    CHECK(text && !*why);
    return text;
}

static void has(const char *text, const char *part, int wanted, int line)
{
    if ((strstr(text, part) != NULL) == wanted) return;
    fprintf(stderr, "%s:%d: %s: %s\nin:\n%s\n", __FILE__, line, wanted ? "missing" : "there, but should not be", part,
            text);
    exit(1);
}
#define HAS(text, part) has(text, part, 1, __LINE__)
#define HAS_NOT(text, part) has(text, part, 0, __LINE__)

/* Both languages have this in the text of the kernel. */
static void both(const struct dfi_kernel *k, const char *part)
{
    char *opencl = squeeze(text_for(k, DFI_OPENCL_C, NULL)), *cuda = squeeze(text_for(k, DFI_CUDA_C, NULL));
    HAS(opencl, part);
    HAS(cuda, part);
    dfi_mfree(opencl);
    dfi_mfree(cuda);
}

/* --- where the body is ----------------------------------------------------------------------------------- */

static void test_body(void)
{
    CHECK(!strcmp(dfi_kernel_body("{ a; }"), "{ a; }"));
    CHECK(!strcmp(dfi_kernel_body("(int, n), df_in(float, x, n), { x, { y } }"), "{ x, { y } }"));
    CHECK(!strcmp(dfi_kernel_body("df_in(float, x, sizeof \"{(\"), (int, '{'), (char, '\\''), { z }"), "{ z }"));
    CHECK(!strcmp(dfi_kernel_body("df_in(float, x, f({1})), { z }"), "{ z }"));
    CHECK(dfi_kernel_body("(int, n), \"{\"") == NULL);
}

DF_KERNEL(literals, df_out(int, out, n), (int, n),
{
    const int open = '{', close = '}', quote = '\'', back = '\\';
    const char *text = "local \"} ; return; // kernel { 12LL"; /* gone: local { */
    int list[3] = { 1, 2, 3 }, more = list[1], i; // gone: too }
    for (i = 0; i < n; i++) out[i] = text[i];
    if (n > 3) { out[0] = open; out[1] = close, out[2] = quote; }
    out[3] = back + more;
})

static void test_literals(void)
{
    both(&literals_dfi_kernel, " const int open = '{', close = '}', quote = '\\'', back = '\\\\';");
    both(&literals_dfi_kernel, " *text = \"local \\\"} ; return; // kernel { 12LL\";");
    both(&literals_dfi_kernel, " int list[3] = { 1, 2, 3 }, more = list[1], i;");
    both(&literals_dfi_kernel, " for (i = 0; i < n; i++) out[i] = text[i];");
    both(&literals_dfi_kernel, " if (n > 3) { out[0] = open; out[1] = close, out[2] = quote; }");
}

/* --- lines -------------------------------------------------------------------------------------------------- */

DF_KERNEL_CODE(twice, static inline int twice_of(int x) { return 2 * x; })
enum { KERNEL_LINE = __LINE__ + 1 }; /* of one line: compilers differ in the number of longer ones */
DF_KERNEL_USING(twice, lines, df_inout(int, x, n), (int, n), { int i = df_global_id(0); if (i < n) x[i] = twice_of(i); })

static void test_lines(void)
{
    struct dfi_kernel k = lines_dfi_kernel;
    char want[100], *text = text_for(&k, DFI_OPENCL_C, NULL), *p;
    int n = 0;
    snprintf(want, sizeof want, "\n#line %d \"%s\"\n if (i < n) x[i] = twice_of(i);", KERNEL_LINE, __FILE__);
    HAS(text, want);
    snprintf(want, sizeof want, "\n#line %d \"%s\"\nstatic inline int twice_of(int x)", KERNEL_LINE - 2, __FILE__);
    HAS(text, want);
    for (p = text; (p = strstr(p, "#line")) != NULL; p++) n++;
    CHECK(n >= 7); /* each statement, code, head, end */
    dfi_mfree(text);
    k.file = "c:\\dir\\a \"b\".c", k.line = 7;
    text = text_for(&k, DFI_CUDA_C, NULL);
    HAS(text, "\n#line 7 \"c:\\\\dir\\\\a \\\"b\\\".c\"\n");
    dfi_mfree(text);
}

/* --- the kernel function -------------------------------------------------------------------------------------- */

DF_KERNEL(all_kinds, (float, a), df_in(float, x, n), df_out(double, y, n), df_inout2(int, z, n, n, ld),
          df_commute(short, c, n), df_concurrent(unsigned, o, n), df_reduce(df_sum, long long, r, 3), (int, n),
          (int, ld), (bool, b), df_in(bool, bs, n),
{
    if (n < ld) return;
    *r += (long long)(a + x[0]) + b + bs[0];
    y[0] = z[0] + c[0] + (double)o[0];
})
DF_KERNEL(without, { df_barrier(); return; })
DF_KERNEL(sized, df_inout(float, x, 1), { df_shared(float, t, df_block(0) + df_block(1)); t[df_local_id(0)] = x[0]; })
DF_KERNEL(unsized, df_inout(float, my_df_block, 1), { my_df_block[0] = 1; })
DF_KERNEL(counts, df_reduce(df_max, uint8_t, a, k), df_reduce(df_min, double, b, 1), df_reduce(df_prod, short, c, 16),
          (int, k), { if (k) return; a[0] = 1, b[0] = 2, c[0] = 3; })

static void test_function(void)
{
    static const int block[3] = { 8, 4, 2 }, odd[3] = { 5, 3, 1 };
    char *text = squeeze(text_for(&all_kinds_dfi_kernel, DFI_OPENCL_C, NULL)), name[20];
    HAS(text,
        "__kernel void all_kinds_dfi(float a, __global const float *x, __global double *y, __global int *z, __global short *c, "
              "__global unsigned int *o, __global long *r_dfi_partials, int n, int ld, unsigned char b_dfi_given, "
              "__global const unsigned char *bs_dfi_given, __local dfi_bits_8 *dfi_shared_memory) {");
    HAS(text, " if (n < ld) goto dfi_end;");
    HAS(text, "dfi_end: df_barrier();");
    HAS_NOT(text, "reqd_work_group_size");
    HAS_NOT(text, "return;");
    dfi_mfree(text);
    text = squeeze(text_for(&all_kinds_dfi_kernel, DFI_CUDA_C, NULL));
    HAS(text,
        "extern \"C\" __global__ void all_kinds_dfi(float a, const float *x, double *y, int *z, short *c, unsigned *o, "
              "long long *r_dfi_partials, int n, int ld, dfi__Bool b, const dfi__Bool *bs) {");
    HAS(text, " if (n < ld) goto dfi_end;");
    HAS(text, "extern __shared__ dfi_bits_8 dfi_shared_memory[];");
    HAS_NOT(text, "__global ");
    HAS_NOT(text, "__local ");
    dfi_mfree(text);
    text = squeeze(text_for(&without_dfi_kernel, DFI_OPENCL_C, block));
    HAS(text,
        "__kernel __attribute__((reqd_work_group_size(8, 4, 2))) void without_dfi(void) { df_barrier(); return; }");
    HAS_NOT(text, "dfi_end");
    dfi_mfree(text);
    text = squeeze(text_for(&without_dfi_kernel, DFI_CUDA_C, block));
    HAS(text,
        "extern \"C\" __global__ __launch_bounds__(8 * 4 * 2) void without_dfi(void) { { df_barrier(); return; }");
    dfi_mfree(text);
    text = text_for(&sized_dfi_kernel, DFI_OPENCL_C, block);
    HAS(text, "#define df_block(d) ((d) == 0 ? 8 : (d) == 1 ? 4 : 2)\n");
    dfi_mfree(text);
    CHECK(dfi_kernel_wants_block(&sized_dfi_kernel) && !dfi_kernel_wants_block(&unsized_dfi_kernel) &&
          !dfi_kernel_wants_block(&lines_dfi_kernel));
    CHECK(dfi_kernel_shared(&sized_dfi_kernel, block) == 0);
    CHECK(dfi_kernel_shared(&counts_dfi_kernel, block) == 64 * sizeof(double) &&
          dfi_kernel_shared(&counts_dfi_kernel, odd) == 15 * sizeof(double));
    text = squeeze(text_for(&counts_dfi_kernel, DFI_OPENCL_C, NULL));
    HAS(text, "dfi_of_a[16], *a = dfi_of_a;");
    HAS(text, "dfi_of_b[1], *b = dfi_of_b;");
    HAS(text, "dfi_of_c[16], *c = dfi_of_c;");
    HAS(text, "dfi_identity_b.bits = 9218868437227405312ul;"); /* +infinity */
    HAS(text, "dfi_identity_a.bits = 0u;");
    HAS(text, "dfi_identity_c.bits = 1u;");
    dfi_mfree(text);
    dfi_kernel_symbol(&counts_dfi_kernel, name, sizeof name);
    CHECK(!strcmp(name, "counts_dfi"));
}

/* --- words --------------------------------------------------------------------------------------------------- */

DF_KERNEL_CODE(tables,
    static const float weights[2] = { 1, 2 };
    static const int odd_one[] = { 1, 3 };
    static int in(int i) { static const int table[2] = { 1, 2 }; register int j = i; return table[j]; }
    static int of(int kernels) { return (kernels ? "local" : "new")[0]; }
    static inline long power(long n, unsigned long int e) { long p = 1; while (e--) p *= n; return p; }
)
DF_KERNEL_USING(tables, words, df_inout(long long int, x, 1), (unsigned long long, local), (float, dot),
{
    unsigned long int a = (unsigned long int)(0xFFull + 1LL + 2l + 3uLL + (unsigned long)(1e5f + 0x1p3 + 1.5L));
    long long b = (long long)a; long double c = 1; short unsigned d = 2; char e = 'a'; signed char f = 1;
    unsigned g = 2;
    struct { int class; float x2; } clamp = { 1, 2 };
    float float4 = (float)(sqrt(dot) + sqrtf(dot) + fmaf(dot, 1, 2) + fabs(dot) + (float)clamp.class);
    int16_t h = INT16_MAX; size_t i = sizeof(ptrdiff_t) + SIZE_MAX;
    x[0] = power((long)b, (unsigned long)local) + odd_one[0] +
        (long long)(weights[0] + float4 + c + d + e + f + g + h + i + of(1) + in(1));
})

static void test_words(void)
{
    char *text = squeeze(text_for(&words_dfi_kernel, DFI_OPENCL_C, NULL));
    const char *const l = sizeof(long) == 8 ? "long" : "int";
    char want[200];
    HAS(text, "__constant float weights[2] = { 1, 2 };");
    HAS(text, "__constant int odd_one[] = { 1, 3 };");
    HAS(text, "static int in(int i) { const int table[2] = { 1, 2 }; int j = i;");
    HAS(text, "static int of(int kernels) { return (kernels ? \"local\" : \"new\")[0]; }");
    snprintf(want, sizeof want, "static inline %s power(%s n, unsigned %s e) { %s p = 1;", l, l, l, l);
    HAS(text, want);
    HAS(text, "__kernel void words_dfi(__global long *x, unsigned long dfi_local, float dfi_dot)");
    snprintf(want, sizeof want,
             "unsigned %s a = (unsigned %s)(0xFFUL + 1L + 2%s + 3UL + (unsigned %s)(1e5f + 0x1p3 + 1.5L));", l, l,
             sizeof(long) == 8 ? "L" : "", l);
    HAS(text, want);
    HAS(text, "long b = (long)a; long double c = 1; unsigned short d = 2;");
    HAS(text, CHAR_MIN < 0 ? " char e = 'a'; char f = 1; unsigned int g = 2;"
        : " unsigned char e = 'a'; char f = 1; unsigned int g = 2;");
    HAS(text, "struct { int class; float x2; } dfi_clamp = { 1, 2 };");
    HAS(text,
        "float dfi_float4 = (float)(dfi_sqrt(dfi_dot) + dfi_sqrtf(dfi_dot) + dfi_fmaf(dfi_dot, 1, 2) + dfi_fabs(dfi_dot) + (float)dfi_clamp.class);");
    HAS(text, "dfi_int16_t h = dfi_INT16_MAX; dfi_size_t i = sizeof(dfi_ptrdiff_t) + dfi_SIZE_MAX;");
    HAS(text, "DFI_FN dfi_real dfi_sqrt(dfi_real x) { return sqrt(x); }");
    HAS(text, "DFI_FN float dfi_sqrtf(float x) { return sqrt(x); }");
    HAS_NOT(text, "dfi_sin(");
    HAS_NOT(text, "atomic"); /* not used: not there */
    dfi_mfree(text);
    text = squeeze(text_for(&words_dfi_kernel, DFI_CUDA_C, NULL));
    HAS(text, "static const float weights[2] = { 1, 2 };");
    HAS(text, "{ static const int table[2] = { 1, 2 }; int j = i;");
    HAS(text,
        "unsigned long int a = (unsigned long int)(0xFFull + 1LL + 2l + 3uLL + (unsigned long)(1e5f + 0x1p3 + 1.5L));");
    HAS(text, "struct { int dfi_class; float x2; } clamp = { 1, 2 };");
    HAS(text, "void words_dfi(long long int *x, unsigned long long local, float dot)");
    HAS(text, "DFI_FN float dfi_sqrtf(float x) { return sqrtf(x); }");
    dfi_mfree(text);
}

/* --- what no device has ---------------------------------------------------------------------------------------- */

static void largest(int *into, const int *from) { if (*from > *into) *into = *from; }
static void smallest_int(int *x) { *x = INT_MIN; }
DF_REDUCTION(own, int, largest, smallest_int);
DF_KERNEL(reduces_own, df_reduce(own, int, r, 1), { *r = df_global_id(0); })
DF_KERNEL(has_pointer, (const int *, p), df_out(int, x, 1), { x[0] = p != NULL; })
DF_KERNEL(has_many, df_reduce(df_sum, int, r, 17), { r[16] = 1; })
DF_KERNEL(has_long_double, df_reduce(df_sum, long double, r, 1), { r[0] = 1; })

static void refused(const struct dfi_kernel *k, const char *reason)
{
    char why[300], few[10];
    int language;
    for (language = 0; language < 2; language++) {
        CHECK(dfi_kernel_text(k, (enum dfi_language)language, NULL, why, sizeof why) == NULL);
        HAS(why, reason);
        HAS(why, k->name);
        HAS(why, "kernel_text.c:");
        CHECK(dfi_kernel_text(k, (enum dfi_language)language, NULL, few, sizeof few) == NULL &&
              strlen(few) == sizeof few - 1);
    }
}

static void test_refused(void)
{
    struct dfi_kernel k = without_dfi_kernel;
    refused(&reduces_own_dfi_kernel, "parameter r has an operator of the program (DF_REDUCTION)");
    refused(&has_pointer_dfi_kernel, "parameter p is a pointer");
    refused(&has_many_dfi_kernel, "parameter r has not 1 to 16 elements");
    refused(&sized_dfi_kernel, "df_block");
    if (sizeof(long double) != 8)
        refused(&has_long_double_dfi_kernel, "parameter r has a type that devices do not have");
    k.text = "(int, n)";
    refused(&k, "no body");
}

/* Without memory there is no text, and nothing is lost. */
static void test_memory(void)
{
    static const int block[3] = { 16, 1, 1 };
    char why[100], *text;
    long n;
    mallocs = 0;
    text = text_for(&exact_math_dfi_kernel, DFI_OPENCL_C, block);
    dfi_mfree(text);
    CHECK((n = mallocs) > 1);
    while (n--) {
        mallocs_left = n;
        strcpy(why, "-");
        CHECK(dfi_kernel_text(&exact_math_dfi_kernel, DFI_OPENCL_C, block, why, sizeof why) == NULL && !*why);
        mallocs_left = -1;
    }
}

/* --- NVRTC ------------------------------------------------------------------------------------------------------- */

static int (*create)(void **program, const char *text, const char *name, int n, const char *const *headers,
                     const char *const *names);
static int (*compile)(void *program, int n, const char *const *options);
static int (*destroy)(void **program);
static int (*log_size)(void *program, size_t *bytes);
static int (*get_log)(void *program, char *log);

static int find(void *library, const char *symbol, void *function)
{
    void *f = dlsym(library, symbol);
    memcpy(function, &f, sizeof f);
    return f != NULL;
}

static int find_nvrtc(void)
{
    static const char *const names[] = { "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                         "/usr/local/cuda/lib64/libnvrtc.so" };
    void *library = NULL;
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names && !library; i++) library = dlopen(names[i], RTLD_NOW);
    return library && find(library, "nvrtcCreateProgram", &create) && find(library, "nvrtcCompileProgram", &compile) &&
           find(library, "nvrtcDestroyProgram", &destroy) && find(library, "nvrtcGetProgramLogSize", &log_size) &&
           find(library, "nvrtcGetProgramLog", &get_log);
}

/* Nonzero: it does not compile. The log is to be freed. */
static int compiles(const struct dfi_kernel *k, char **log)
{
    static const char *const options[] = { "--fmad=false", "--device-as-default-execution-space", "--std=c++17",
                                           "--gpu-architecture=compute_80" };
    static const int block[3] = { 8, 8, 1 };
    char *text = text_for(k, DFI_CUDA_C, dfi_kernel_wants_block(k) ? block : NULL);
    void *program;
    size_t bytes = 0;
    int failed;
    CHECK(create(&program, text, k->name, 0, NULL, NULL) == 0);
    failed = compile(program, sizeof options / sizeof *options, options);
    CHECK(log_size(program, &bytes) == 0 && (*log = (char *)calloc(1, bytes + 1)) != NULL &&
          get_log(program, *log) == 0);
    destroy(&program);
    dfi_mfree(text);
    return failed;
}

enum { WRONG_LINE = __LINE__ + 1 };
DF_KERNEL(wrong, df_inout(float, x, 1), { void *p = x; float *q = p; q[0] = 1; }) /* C, but not C++ */

static void test_nvrtc(void)
{
#define LISTED(name) &name##_dfi_kernel,
    static const struct dfi_kernel *const all[] = { LANGUAGE(LISTED) &lines_dfi_kernel, &without_dfi_kernel,
                                                    &sized_dfi_kernel, &counts_dfi_kernel, &all_kinds_dfi_kernel };
    char *log, line[100];
    size_t i;
    if (!find_nvrtc()) {
        fprintf(stderr, "no NVRTC: the texts for CUDA were not compiled\n");
        return;
    }
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        if (compiles(all[i], &log)) {
            fprintf(stderr, "%s\n", log);
            test_fail(__FILE__, __LINE__, "it compiles for CUDA");
        }
        free(log);
    }
    CHECK(compiles(&wrong_dfi_kernel, &log));
    snprintf(line, sizeof line, "kernel_text.c(%d): error", WRONG_LINE);
    HAS(log, line);
    HAS(log, "float *q = p;");
    free(log);
}

int main(void)
{
    test_body();
    test_literals();
    test_lines();
    test_function();
    test_words();
    test_refused();
    test_memory();
    test_nvrtc();
    return 0;
}
