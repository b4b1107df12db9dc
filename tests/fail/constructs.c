/* constructs.c - loops, pipes, streams, reductions, limits, speculation, task graphs, alignment (tests/fail/run) */
#include "../../df.h"

#ifdef CASE_align_local /* df_local of a type with an alignment of 128 */
typedef struct { _Alignas(128) double v[16]; } line;
double first(void)
{
    line *p = df_local(line, 4); /* expect: df.h: df_local: the type line is aligned to more than 64 bytes */
    return p->v[0];
}
#endif

#ifdef CASE_align_per_worker /* An element for each worker that is aligned to 128 */
typedef struct { _Alignas(128) double v[16]; } line;
static df_per_worker(line) mine = DF_PER_WORKER; /* expect: df.h: df_per_worker: the type line is aligned to more than 64 */
double first(void) { return df_mine(&mine)->v[0]; }
#endif

#ifdef CASE_align_pipe /* Items that are aligned to 128 */
typedef struct { _Alignas(128) double v[16]; } line;
DF_PIPE(pass, line); /* expect: df.h: pipe pass: the type line is aligned to more than 64 bytes */
#endif

#ifdef CASE_align_reduction /* A reduction of elements that are aligned to 128 */
typedef struct { _Alignas(128) double v[16]; } line;
static void add(line *a, const line *b) { a->v[0] += b->v[0]; }
DF_REDUCTION(sum, line, add); /* expect: df.h: reduction sum: the type line is aligned to more than 64 bytes */
#endif

#ifdef CASE_align_stream /* Elements of a stream that are aligned to 128 */
typedef struct { _Alignas(128) double v[16]; } line;
DF_TASK(void, take, df_pop(line, x, 1)); /* expect: df.h: stream x of task take: the type line is aligned to more than 64 */
#endif

#ifdef CASE_limit_wrong_pointer /* A mutex where the task has a semaphore */
/* flags: -pedantic-errors */
DF_TASK(void, load, df_limit(s, 1));
void go(df_mutex *m)
{
    df_submit(load, m); /* expect: incompatible pointer type */
}
#endif

#ifdef CASE_loop_body_int /* The body of a loop counts in int */
DF_LOOP(scale, df_inout(double, x, 100));
void scale(int lo, int hi, double *x) /* expect: conflicting types for */
{
    for (; lo < hi; lo++) x[lo] *= 2;
}
#endif

#ifdef CASE_loop_body_one_range /* The body of a loop of two dimensions has the range of one */
DF_LOOP2(scale, df_inout(double, x, 100));
void scale(long lo, long hi, double *x) /* expect: conflicting types for */
{
    for (; lo < hi; lo++) x[lo] *= 2;
}
#endif

#ifdef CASE_loop_body_result /* The body of a loop returns something */
DF_LOOP(scale, df_inout(double, x, 100));
int scale(long lo, long hi, double *x) /* expect: conflicting types for */
{
    for (; lo < hi; lo++) x[lo] *= 2;
    return 0;
}
#endif

#ifdef CASE_loop_body_without_const /* A body whose parameter lacks the const of df_in */
DF_LOOP(sum, df_in(double, x, 10), df_reduce(df_sum, double, s, 1));
void sum(long lo, long hi, double *x, double *s) /* expect: conflicting types for */
{
    for (; lo < hi; lo++) *s += x[lo];
}
#endif

#ifdef CASE_loop_no_range /* A loop without parameters called without its range */
DF_LOOP(beep);
void twice(void)
{
    df_for(beep, 2); /* expect: too few arguments */
}
#endif

#ifdef CASE_loop_of_task /* df_for of a task */
DF_TASK(void, scale, df_inout(double, x, 10));
void twice(double *x)
{
    df_for(scale, 0, 10, x); /* expect: scale_dfi_for */
}
#endif

#ifdef CASE_loop_one_range /* A loop of two dimensions with the range of one */
/* lines: 20 */
DF_LOOP2(scale, df_inout(double, x, 100));
void twice(double *x)
{
    df_for2(scale, 0, 10, x); /* expect: too few arguments */
}
#endif

#ifdef CASE_loop_options /* An option that does not exist */
DF_LOOP(scale, df_inout(double, x, 10));
void twice(double *x)
{
    df_for_with(DF_LOOP_OPTS(.chunk = 10), scale, 0, 10, x); /* gcc: has no member named */ /* clang: chunk */
}
#endif

#ifdef CASE_loop_options_of_tasks /* The options of df_submit_with for a loop */
/* flags: -pedantic-errors */
/* lines: 20 */
DF_LOOP(scale, df_inout(double, x, 10));
void twice(double *x)
{
    df_for_with(DF_OPTS(.priority = 1), scale, 0, 10, x); /* expect: incompatible pointer type */
}
#endif

#ifdef CASE_loop_out_const /* A loop that writes called with memory that is const */
/* flags: -pedantic-errors */
/* lines: 20 */
DF_LOOP(fill, df_out(double, x, 10));
void twice(const double *x)
{
    df_for(fill, 0, 10, x); /* expect: discards */
}
#endif

#ifdef CASE_loop_over_wrong_pointer /* A loop over floats called for doubles */
/* flags: -pedantic-errors */
/* lines: 20 */
DF_LOOP_OVER(float, scale, (float, factor));
void twice(double *x)
{
    df_for(scale, x, x + 10, 2); /* expect: incompatible pointer type */
}
#endif

#ifdef CASE_loop_submitted /* df_submit of a loop */
DF_LOOP(scale, df_inout(double, x, 10));
void twice(double *x)
{
    df_submit(scale, 0, 10, x); /* expect: scale_submit */
}
#endif

#ifdef CASE_loop_too_few /* A loop called with an argument missing */
DF_LOOP(scale, (long, n), df_inout(double, x, n), (double, a));
void twice(double *x)
{
    df_for(scale, 0, 10, 10, x); /* expect: too few arguments */
}
#endif

#ifdef CASE_loop_too_many /* A loop called with an argument too many */
DF_LOOP(scale, (long, n), df_inout(double, x, n));
void twice(double *x)
{
    df_for(scale, 0, 10, 10, x, 2.0); /* expect: too many arguments */
}
#endif

#ifdef CASE_loop_unknown_operator /* A loop that reduces with an operator that does not exist */
/* flags: -Werror=implicit-function-declaration */
/* lines: 20 */
DF_LOOP(mean, df_reduce(df_mean, double, s, 1)); /* expect: df_mean */
#endif

#ifdef CASE_loop_vectors /* A vector of four components */
/* flags: -pedantic-errors */
/* lines: 40 */
DF_LOOP3(sweep, df_inout(double, x, 10));
void twice(double *x)
{
    df_wavefront(sweep, DF_VECTORS({ 1, 0, 0, 1 }), 0, 10, 0, 10, 0, 10, x); /* expect: excess elements in array initializer */
}
#endif

#ifdef CASE_loop_wrong_pointer /* A loop over floats called with doubles */
/* flags: -pedantic-errors */
/* lines: 20 */
DF_LOOP(scale, (long, n), df_inout(float, x, n));
void twice(double *x)
{
    df_for(scale, 0, 10, 10, x); /* expect: incompatible pointer type */
}
#endif

#ifdef CASE_pipe_body_result /* A body that returns nothing */
DF_PIPE(pass, double);
void pass(int stage, double *x, long i, void *ctx) /* expect: conflicting types for */
{
    (void)stage, (void)x, (void)i, (void)ctx;
}
#endif

#ifdef CASE_pipe_incomplete_item /* Items of a type that is not known */
/* lines: 28 */
struct later;
DF_PIPE(pass, struct later); /* gcc: incomplete type */ /* clang: incomplete type */
#endif

#ifdef CASE_pipe_no_options /* A pipe run without its options */
DF_PIPE(pass, double);
long all(void *ctx)
{
    return df_pipe(pass, ctx); /* expect: too few arguments */
}
#endif

#ifdef CASE_pipe_number_for_options /* A pipe run with a number for its options */
/* flags: -pedantic-errors */
/* lines: 20 */
DF_PIPE(pass, double);
long all(void *ctx)
{
    return df_pipe(pass, 16, ctx); /* gcc: makes pointer from integer */ /* clang: integer to pointer */
}
#endif

#ifdef CASE_pipe_undeclared /* A pipe that was not declared */
long all(void *ctx)
{
    return df_pipe(pass, NULL, ctx); /* expect: pass_dfi_pipe */
}
#endif

#ifdef CASE_pipe_wrong_item /* A body for items of another type */
DF_PIPE(pass, double);
int pass(int stage, float *x, long i, void *ctx) /* expect: conflicting types for */
{
    (void)stage, (void)x, (void)i, (void)ctx;
    return DF_PIPE_END;
}
#endif

#ifdef CASE_reduce_band_double /* A reduction with an operator that its type does not have */
DF_TASK(void, scale, (int, n), df_reduce(df_band, double, x, n)); /* expect: invalid operands to binary */
#endif

#ifdef CASE_reduce_struct /* df_sum on a struct */
struct pair { int a; double b; };
DF_TASK(void, add, df_reduce(df_sum, struct pair, sum, 1)); /* expect: df.h: df_sum in parameter sum of add is an operator on numbers; declare one on struct pair with DF_REDUCTION */
/* lines: 22 */
#endif

#ifdef CASE_reduction_other_type /* An operator of one's own, used with another type */
/* flags: -pedantic-errors */
/* lines: 20 */
typedef struct { long n, sum; } mean;
void mean_join(mean *into, const mean *from);
void mean_none(mean *x);
DF_REDUCTION(averaged, mean, mean_join, mean_none);
DF_TASK(void, scale, (int, n), df_reduce(averaged, double, x, n)); /* expect: incompatible pointer type */
#endif

#ifdef CASE_speculate_array /* An array is no condition: which of its elements? */
DF_TASK(void, put, df_out(int, p, 1));
void run(int (*converged)[8], int *p)
{
    df_speculate_while(converged, 0) /* expect: df.h: the condition of df_speculate is the address of an integer, a floating-point number or a pointer; for other types declare DF_PREDICATE */
        df_submit(put, p);
}
#endif

#ifdef CASE_speculate_struct /* A condition that is neither a number nor a pointer */
struct residual { double largest; };
DF_TASK(void, put, df_out(int, p, 1));
void run(struct residual *residual, int *p)
{
    df_speculate(residual, 1) /* expect: df.h: the condition of df_speculate is the address of an integer, a floating-point number or a pointer; for other types declare DF_PREDICATE */
        df_submit(put, p);
}
#endif

#ifdef CASE_speculate_type /* A predicate of another type */
/* flags: -pedantic-errors */
static int small(const double *residual) { return *residual < 1e-6; }
DF_PREDICATE(small, double, 1);
DF_TASK(void, put, df_out(int, p, 1));
void run(float *residual, int *p)
{
    df_speculate_on(small, residual, 1) /* gcc: passing argument 1 of */ /* clang: incompatible pointer types passing */
        df_submit(put, p);
}
#endif

#ifdef CASE_speculate_undeclared /* A function without DF_PREDICATE */
/* lines: 14 */
static int small(const double *residual) { return *residual < 1e-6; }
DF_TASK(void, put, df_out(int, p, 1));
void run(double *residual, int *p)
{
    df_speculate_while_on(small, residual, 0) /* gcc: small_dfi_over */ /* clang: small_dfi_over */
        df_submit(put, p);
}
#endif

#ifdef CASE_speculate_value /* The value instead of the address: it is not known yet */
/* lines: 20 */
DF_TASK(void, put, df_out(int, p, 1));
void run(int converged, int *p)
{
    df_speculate_while(converged, 0) /* gcc: invalid type argument of unary */ /* clang: indirection requires pointer operand */
        df_submit(put, p);
}
#endif

#ifdef CASE_stream_body_pointer /* The body of df_popv gets an array of pointers */
DF_TASK(void, merge, df_popv(int, x, 1, n), (int, n));
void merge(const int *x, int n) { (void)x, (void)n; } /* expect: conflicting types */
#endif

#ifdef CASE_stream_body_writes /* What is popped is const */
DF_TASK(void, take, df_pop(int, x, 1));
void take(int *x) { *x = 0; } /* expect: conflicting types */
#endif

#ifdef CASE_stream_node /* A task with streams cannot be a node */
DF_TASK(void, scale, df_pop(double, x, 1));
void scale(const double *x) { (void)x; }
void f(void)
{
    (void)df_node_new(scale); /* gcc: scale_dfi_node_new */ /* clang: scale_dfi_node_new */
}
#endif

#ifdef CASE_stream_not_a_stream /* The elements in place of the stream */
DF_TASK(void, scale, df_pop(double, x, 4), df_push(double, y, 4));
void scale(const double *x, double *y) { *y = *x; }
void f(double *x, df_stream *y)
{
    df_submit(scale, x, y); /* gcc: incompatible type for argument 1 */ /* clang: incompatible type */
}
#endif

#ifdef CASE_stream_not_an_array /* A stream where an array of streams is needed */
DF_TASK(void, merge, df_popv(int, x, 1, n), (int, n));
void merge(const int *const *x, int n) { (void)x, (void)n; }
void f(df_stream *s)
{
    df_submit(merge, s, 1); /* gcc: incompatible type for argument 1 */ /* clang: incompatible type */
}
#endif

#ifdef CASE_stream_other_count /* The number of elements names no parameter */
DF_TASK(void, scale, df_pop(double, x, m), (int, n)); /* gcc: undeclared */ /* clang: undeclared */
#endif

#ifdef CASE_stream_other_type /* A stream of float for a task that reads int */
DF_TASK(void, take, df_pop(int, x, 1));
void take(const int *x) { (void)x; }
void f(void)
{
    df_stream_of(float) *s = df_stream_new_of(float, 8);
    df_submit(take, s); /* gcc: incompatible type for argument 1 */ /* clang: incompatible type */
}
#endif

#ifdef CASE_stream_reader_other_type /* A reader of int for a stream of float */
df_stream_of(int) *f(df_stream_of(float) *s)
{
    return df_stream_reader_of(int, s); /* gcc: not compatible with any association */ /* clang: not compatible with any generic association */
}
#endif

#ifdef CASE_stream_spawned /* df_spawn passes the pointers of the body */
DF_TASK(void, scale, df_pop(double, x, 1));
void scale(const double *x) { (void)x; }
void f(df_stream *s)
{
    df_future(scale) a;
    df_spawn(scale, &a, s); /* gcc: incompatible pointer type */ /* clang: incompatible pointer types */
    df_sync(scale, &a);
}
/* flags: -Werror=incompatible-pointer-types */
#endif

#ifdef CASE_stream_too_few /* A stream is missing */
DF_TASK(void, scale, df_pop(double, x, n), df_push(double, y, n), (int, n));
void scale(const double *x, double *y, int n) { *y = *x * n; }
void f(df_stream *x)
{
    df_submit(scale, x, x); /* gcc: too few arguments */ /* clang: too few arguments */
}
#endif

#ifdef CASE_taskgraph_no_graph /* A block is recorded into a number */
/* flags: -Werror=int-conversion */
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
void twice(double *x)
{
    DF_TASKGRAPH(5) { df_submit(scale, 10, x, 2.0); } /* gcc: makes pointer from integer */ /* clang: incompatible integer to pointer */
}
#endif

#ifdef CASE_taskgraph_unknown_parameter /* A captured task is given a parameter that it does not have */
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
void twice(df_taskgraph *g, double *x)
{
    df_taskgraph_set(g, scale, 0, n, 10);
    df_taskgraph_set(g, scale, 0, y, x); /* expect: scale_dfi_set_y */
}
#endif

#ifdef CASE_taskgraph_wrong_type /* A captured task is given a struct where it has an int */
typedef struct { int n; } size;
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
void twice(df_taskgraph *g, size n)
{
    df_taskgraph_set(g, scale, 0, n, n); /* gcc: incompatible type for argument */ /* clang: passing 'size' */
}
#endif

#ifdef CASE_unknown_operator /* A reduction with an operator that does not exist */
DF_TASK(void, scale, (int, n), df_reduce(df_plus, double, x, n)); /* expect: df_plus */
#endif

#ifdef CASE_weak_in_const /* A weak reader's body that takes its pointer for one to write to */
DF_TASK(void, scale, (int, n), df_weak_in(double, x, n));
void scale(int n, double *x) /* expect: conflicting types for */
{
    while (n-- > 0) *x++ *= 2;
}
#endif
