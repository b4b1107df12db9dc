/* kernel_try.c - kernels that are right on the host and no text for a device are reported where there is none, each
 * once, with its line and the name it is about; right ones are not. Also kernel_try_compiled.c (by OpenCL, NVRTC),
 * kernel_try_checked.c (DF_CHECK). */
#define _DEFAULT_SOURCE /* setenv */
#define DF_IMPLEMENTATION
#include <limits.h>
#include <math.h>
#include "df_gpu.h"
#include "../test.h"

enum { N = 100, OF_THE_FILE = 16 };
#define TILE 16
static const float two_pi = 6.28f;

/* --- wrong: each in one line, whose number is tested ---------------------------------------------------------- */

DF_KERNEL(of_macro, df_out(float, o, n), (int, n), { int i = df_global_id(0); if (i < n) o[i] = TILE; })
enum { MACRO_AT = __LINE__ - 1 };
DF_KERNEL(of_enum, df_out(float, o, n), (int, n), { int i = df_global_id(0); if (i < n) o[i] = 2 * OF_THE_FILE; })
enum { ENUM_AT = __LINE__ - 1 };
DF_KERNEL(of_constant, df_out(float, o, n), (int, n), { int i = df_global_id(0); float f = two_pi; if (i < n) o[i] = f; })
enum { CONSTANT_AT = __LINE__ - 1 };
DF_KERNEL_CODE(number, typedef struct { float re, im; } number; )
DF_KERNEL_USING(number, of_literal, df_out(number, o, n), (int, n), { int i = df_global_id(0); if (i < n) o[i] = (number){ 1, 2 }; })
enum { LITERAL_AT = __LINE__ - 1 };
DF_KERNEL_USING(number, of_designator, df_out(number, o, n), (int, n), { int i = df_global_id(0); number z = { .im = 1, .re = 2 }; if (i < n) o[i] = z; })
enum { DESIGNATOR_AT = __LINE__ - 1 };
DF_KERNEL(of_pointer, df_in(float, x, n), df_out(float, o, n), (int, n), { int i = df_global_id(0); const float *q = x + i; if (i < n) o[i] = *q; })
enum { POINTER_AT = __LINE__ - 1 };
DF_KERNEL_CODE(helper, static float first(const float *a) { return a[0]; } )
DF_KERNEL_USING(helper, of_helper, df_in(float, x, n), df_out(float, o, n), (int, n), { int i = df_global_id(0); if (i < n) o[i] = first(x + i); })
enum { HELPER_AT = __LINE__ - 1 };
DF_KERNEL_CODE(twice, static inline int twice(int x) { return 2 * x; } )
DF_KERNEL_CODE(four, static inline int four(int x) { return twice(twice(x)); } )
DF_KERNEL_USING(four, of_code, df_out(float, o, n), (int, n), { int i = df_global_id(0); if (i < n) o[i] = (float)four(i); })
enum { CODE_AT = __LINE__ - 1 };

/* --- right ------------------------------------------------------------------------------------------------ */

DF_KERNEL_CODE(tools,
    enum { WIDTH = 4, HEIGHT };
    typedef struct { float v[WIDTH]; int n; } row;
    struct pair { int a, b; };
    static const float table[2] = { 0.5f, 2 };
    static inline float at(row r, int i) { return r.v[i] + table[i & 1]; }
    static void swap(float *a, float *b) { float c = *a; *a = *b, *b = c; }
    static float sum(df_on_global const float *p, int n) { float s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; })
DF_KERNEL_USING(tools, all_of_it, df_in(float, x, n), df_inout(float, o, n), (int, n), (uint32_t, seed),
{
    int i = df_global_id(0), k, w = 3, *here = &w, square[2][2] = { { 1, 2 }, { 3, 4 } };
    df_shared(float, part, 64);
    row r;
    struct pair p = { 1, 2 }, *to = &p;
    union { float f; uint32_t u; } bits;
    enum { NONE, SOME = 3 } kind = SOME;
    df_on_global const float *q = x;
    float a = 1, b = 2;
    const float *own = &a;
    unsigned long long big = 1ull << 40;
    register int last = INT_MAX;
    for (k = 0; k < WIDTH; k++) r.v[k] = (float)k;
    for (int j = 0, m = HEIGHT; j < m; j++) w += j * m;
    bits.f = fabsf(sqrtf(1.0f)) + *own, big += bits.u & seed;
    part[df_local_id(0)] = a;
    df_barrier();
    swap(&a, &b);
    switch (kind) { case NONE: goto out; case SOME: to->a++; break; default: break; }
    if (i < n) {
        double d = sin((double)a) * 0 + (double)sizeof(row) * 0 + 1e-30 * (double)big * 0;
        o[i] = at(r, 1) + (p.a > p.b ? part[0] : q[i]) + (float)d + (float)(last == INT_MAX) + sum(x, 2) +
            (float)(*here * square[1][0] * 0);
        df_atomic_add(&o[i], 0.0f);
    }
    out: if (i < 0) o[0] = 0;
})
DF_KERNEL(reduces, df_in(float, x, n), (int, n), df_reduce(df_max, float, most, 1),
{
    int i = df_global_id(0);
    if (i >= n) return;
    if (x[i] > most[0]) most[0] = x[i];
})

/* --- what is heard ---------------------------------------------------------------------------------------------- */

static char heard[4000];
static int hears;
static void hear(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    strncat(heard, text, sizeof heard - strlen(heard) - 1);
    hears++;
}
static void expect(const char *kernel, int line, const char *name)
{
    char place[100];
    df_result r = df_wait_result();
    snprintf(place, sizeof place, "%s:%d: kernel %s ", __FILE__, line, kernel);
#if defined(DF_USE_OPENCL) && !DF_CHECK
    CHECK(r == DF_ERROR_KERNEL);
    name = ""; /* in the words of a compiler */
#else
    CHECK(r == DF_OK);
#endif
    if (hears != 1 || !strstr(heard, place) || !strstr(heard, name))
        fprintf(stderr, "expected `%s' and `%s' once, heard %d: %s\n", place, name, hears, heard);
    CHECK(hears == 1 && strstr(heard, place) && strstr(heard, name));
    *heard = 0, hears = 0;
}

int main(void)
{
#if defined(DF_USE_OPENCL) && (TEST_TSAN || TEST_ASAN)
    fprintf(stderr, "not with sanitizers: they report compilers\n");
    return 77;
#else
    static float x[N], o[N];
    static number z[N];
    float most = 0;
    df_config c;
    memset(&c, 0, sizeof c);
    c.log = hear;
    setenv(DF_CHECK ? "DF_GPU" : "DF_GPU_SIM", DF_CHECK ? "none" : "2:1M", 1);
    CHECK(df_start(&c) == DF_OK);
#if defined(DF_USE_OPENCL)
    {
        char log[1000];
        if (dfi_try_opencl(&of_macro_dfi_kernel, log, sizeof log) != 1) { /* NVRTC alone accepts some of them */
            fprintf(stderr, "no device of OpenCL: install one with make deps\n");
            return 77;
        }
    }
#endif
    for (int i = 0; i < N; i++) x[i] = (float)i;
    for (int round = 0; round < 2; round++) { /* right ones: nothing is said */
        for (int device = 1; device <= (DF_CHECK ? 0 : 2); device++) {
            df_launch_with(DF_OPTS(.device = device), all_of_it, df_grid1(128, 64), x, o, N, 7);
            df_launch_with(DF_OPTS(.device = device), reduces, df_grid(N), x, N, &most);
        }
        df_launch(all_of_it, df_grid1(128, 64), x, o, N, 7);
        df_launch(reduces, df_grid(N), x, N, &most);
        if (df_wait_result() != DF_OK || hears) fprintf(stderr, "heard: %s\n", heard);
        CHECK(most == N - 1 && !hears);
    }
#define WRONG(kernel, line, name, ...) (df_launch(kernel, df_grid(N), __VA_ARGS__, N), expect(#kernel, line, name))
    WRONG(of_macro, MACRO_AT, "TILE", o);
    WRONG(of_enum, ENUM_AT, "OF_THE_FILE", o);
    WRONG(of_constant, CONSTANT_AT, "two_pi", o);
    WRONG(of_literal, LITERAL_AT, "compound literal", z);
    WRONG(of_designator, DESIGNATOR_AT, "designated initialiser", z);
    WRONG(of_pointer, POINTER_AT, "df_on_global", x, o);
    WRONG(of_helper, HELPER_AT, "df_on_global", x, o);
    WRONG(of_code, CODE_AT, "twice", o);
#if !defined(DF_USE_OPENCL) || DF_CHECK
    df_launch(of_macro, df_grid(N), o, N); /* once for each kernel */
    CHECK(df_wait_result() == DF_OK && !hears && o[N - 1] == TILE);
#endif
    df_stop();
    return 0;
#endif
}
