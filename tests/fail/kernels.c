/* kernels.c - kernels, launches, and owner-writable memory (tests/fail/run) */
#include "../../df_gpu.h"
#include "../../df_owm.h"

#ifdef CASE_decl_kernel_16 /* 16 parameters */
DF_KERNEL(many, (int, a), (int, b), (int, c), (int, d), (int, e), (int, f), (int, g), (int, h), (int, i), (int, j), (int, k), (int, l), (int, m), (int, n), (int, o), (int, p), { }) /* expect: df_gpu.h: kernel many has more than 15 parameters */
#endif

#ifdef CASE_decl_kernel_pop /* A kernel with a window of a stream */
DF_KERNEL(scale, (int, n), df_pop(double, x, 4), { if (n) return; }) /* expect: df_gpu.h: parameter 2 of kernel scale is `df_pop(double, x, 4)` */
#endif

#ifdef CASE_decl_kernel_range_two /* A kernel with a region given as two pointers */
DF_KERNEL(scale, df_in_range(double, b, e), { }) /* expect: df_gpu.h: parameter 1 of kernel scale is `df_in_range(double, b, e)` */
#endif

#ifdef CASE_decl_kernel_weak /* A kernel with a weak access: it has no children */
DF_KERNEL(scale, df_weak_inout(double, x, n), (int, n), { if (n) return; }) /* expect: df_gpu.h: parameter 1 of kernel scale is `df_weak_inout(double, x, n)` */
#endif

#ifdef CASE_decl_limit_kernel /* A kernel that holds units of a semaphore */
DF_KERNEL(scale, (int, n), df_limit(s, 1), { if (n) return; }) /* expect: df_gpu.h: parameter 2 of kernel scale is `df_limit(s, 1)` */
#endif

#ifdef CASE_decl_owm_kernel /* A kernel cannot own: its memory is a copy on a device */
DF_KERNEL(scale, (int, n), df_owm_inout(double, x, n), { if (n) x[0] = 1; }) /* expect: df_owm_in/out/inout are for tasks */
#endif

#ifdef CASE_decl_owm_loop /* A loop cannot own: it runs in parts */
DF_LOOP(scale, (int, n), df_owm_inout(double, x, n)); /* expect: df_owm_in/out/inout are for tasks: acquire before the loop */
#endif

#ifdef CASE_decl_owm_two /* The number of elements is missing */
DF_TASK(void, scale, (int, n), df_owm_in(double, x)); /* expect: df.h: parameter 2 of task scale is `df_owm_in(double, x)` */
#endif

#ifdef CASE_kernel_body_writes_in /* A body that writes what the kernel only reads */
DF_KERNEL(scale, df_in(double, x, n), (int, n), { int i = df_global_id(0); if (i < n) x[i] = 1; }) /* expect: read-only */
/* lines: 40 */
#endif

#ifdef CASE_kernel_unknown_word /* A misspelt parameter word: the rest is taken for the body */
DF_KERNEL(scale, (int, n), df_inn(double, x, n), { if (n) x[0] = 1; }) /* expect: df_inn */
/* flags: -Werror=implicit-function-declaration */
/* lines: 60 */
#endif

#ifdef CASE_kernel_variants_differ /* Variants of a kernel that take other arguments */
DF_KERNEL(plain, (int, n), df_out(double, x, n), { if (n > df_global_id(0)) x[df_global_id(0)] = 1; })
DF_KERNEL(blocked, (int, n), df_out(float, x, n), { if (n > df_global_id(0)) x[df_global_id(0)] = 1; })
DF_VARIANTS(both, (blocked, .groups = { { 64 } }), plain); /* expect: df_gpu.h: DF_VARIANTS(both, ...): kernel plain must have the same parameters as kernel blocked */
#endif

#ifdef CASE_kernel_variants_nine /* More variants of a kernel than df allows */
DF_KERNEL(k, (int, n), df_out(double, x, n), { if (n > df_global_id(0)) x[df_global_id(0)] = 1; })
DF_VARIANTS(list, k, k, k, k, k, k, k, k, k); /* expect: df_gpu.h: DF_VARIANTS(list, ...) has more than 8 variants */
#endif

#ifdef CASE_launch_best_list /* The best of a kernel, which is not a list of variants */
DF_KERNEL(k, (int, n), df_out(double, x, n), { if (n > df_global_id(0)) x[df_global_id(0)] = 1; })
void f(double *x)
{
    df_launch_best(k, df_grid(10), 10, x); /* expect: k_dfi_variants */
}
#endif

#ifdef CASE_launch_no_grid /* A kernel launched without a grid */
DF_KERNEL(scale, df_inout(double, x, n), (int, n), { int i = df_global_id(0); if (i < n) x[i] = 1; })
void twice(double *x)
{
    df_launch(scale, 10, x, 10); /* expect: incompatible type */
}
#endif

#ifdef CASE_launch_task /* A task of the host launched as a kernel */
DF_TASK(void, scale, (int, n));
void twice(void)
{
    df_launch(scale, df_grid(10), 10); /* expect: scale_dfi_launch */
}
#endif

#ifdef CASE_launch_too_few /* A kernel launched with an argument missing */
DF_KERNEL(scale, df_inout(double, x, n), (int, n), { int i = df_global_id(0); if (i < n) x[i] = 1; })
void twice(double *x)
{
    df_launch(scale, df_grid(10), x); /* expect: too few arguments */
}
#endif

#ifdef CASE_launch_wrong_pointer /* A kernel launched with a pointer to another type */
DF_KERNEL(scale, df_inout(double, x, n), (int, n), { int i = df_global_id(0); if (i < n) x[i] = 1; })
void twice(float *x)
{
    df_launch(scale, df_grid(10), x, 10); /* expect: incompatible pointer type */
}
/* flags: -Werror=incompatible-pointer-types */
/* lines: 16 */
#endif

#ifdef CASE_owm_acquire_number /* A number for a pointer */
/* flags: -pedantic-errors -Werror */
df_result get(long at);
df_result get(long at)
{
    return df_owm_acquire(at, 8, DF_OWM_R); /* gcc: makes pointer from integer */ /* clang: incompatible integer to pointer conversion */
}
#endif

#ifdef CASE_owm_body_writes_in /* A body writes what it acquires to read */
DF_TASK(void, scale, (int, n), df_owm_in(double, x, n));
void scale(int n, const double *x)
{
    x[n - 1] = 2; /* gcc: read-only */ /* clang: not assignable */
}
#endif
