/* calls.c - submit, spawn, sync, nodes, results, outputs, bodies (tests/fail/run) */
#include "../../df.h"

#ifdef CASE_body_other_result /* A body with another result */
DF_TASK(long, add, (long, a), (long, b));
int add(long a, long b) /* gcc: conflicting types for */ /* clang: conflicting types for 'add' */
{
    return (int)(a + b);
}
#endif

#ifdef CASE_body_without_const /* A body whose parameter lacks the const of df_in */
DF_TASK(void, scale, (int, n), df_in(double, x, n));
void scale(int n, double *x) /* gcc: conflicting types for */ /* clang: conflicting types for 'scale' */
{
    x[0] = n;
}
#endif

#ifdef CASE_body_writes_in /* A body that writes to a region that its declaration only reads */
DF_TASK(void, scale, (int, n), df_in(double, x, n));
void scale(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= 2; /* gcc: assignment of read-only location */ /* clang: read-only variable is not assignable */
}
#endif

#ifdef CASE_future_undeclared /* The future of a function that was not declared as a task */
long add(long a, long b);
void twice(void)
{
    df_future(add) f; /* expect: add_future */
    (void)f;
}
#endif

#ifdef CASE_no_semicolon /* The semicolon forgotten: gcc finds out in the next line */
DF_TASK(long, add, (long, a), (long, b)) /* clang: expected ';' */
long add(long a, long b) /* gcc: expected ';' */
{
    return a + b;
}
#endif

#ifdef CASE_node_other_task /* A node of another task */
/* flags: -pedantic-errors */
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
DF_TASK(void, add, (int, n), df_inout(double, x, n), (double, a));
void twice(void)
{
    df_node(scale) *s = df_node_new(scale);
    df_node_set(add, s, n, 10); /* expect: incompatible pointer type */
}
#endif

#ifdef CASE_node_undeclared /* A node of a task that was not declared */
void *wait_for_two(void)
{
    return df_node_new(sum); /* expect: sum_dfi_node_new */
}
#endif

#ifdef CASE_node_unknown_parameter /* A node is given a parameter that its task does not have */
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
void twice(double *x)
{
    df_node(scale) *s = df_node_new(scale);
    df_node_set(scale, s, n, 10);
    df_node_set(scale, s, y, x); /* expect: scale_dfi_set_y */
}
#endif

#ifdef CASE_node_wrong_type /* A node is given a struct where its task has an int */
typedef struct { int n; } size;
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
void twice(size n)
{
    df_node(scale) *s = df_node_new(scale);
    df_node_set(scale, s, n, n); /* gcc: incompatible type for argument */ /* clang: passing 'size' */
}
#endif

#ifdef CASE_output_other_task /* An output of a node of another task */
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
DF_TASK(void, add, (int, n), df_inout(double, x, n), (double, a));
void twice(void)
{
    df_node(scale) *s = df_node_new(scale);
    df_give(df_node_output(add, s, n), 10); /* gcc: not compatible with any association */ /* clang: not compatible with any generic association */
}
#endif

#ifdef CASE_output_other_type /* An output of int is passed to a task that gives a double */
/* flags: -pedantic-errors */
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
DF_TASK(void, measure, (df_output(double) *, to));
void twice(void)
{
    df_node(scale) *s = df_node_new(scale);
    df_submit(measure, df_node_output(scale, s, n)); /* expect: incompatible pointer type */
}
#endif

#ifdef CASE_output_unknown_parameter /* An output of a parameter that the task does not have */
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
void twice(df_node(scale) *s)
{
    df_output(int) *m = df_node_output(scale, s, m); /* gcc: has no member named 'm' */ /* clang: no member named 'm' */
    df_give(m, 10);
}
#endif

#ifdef CASE_output_wrong_type /* An output of a pair is given a number */
typedef struct { double re, im; } pair;
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (pair, a));
void twice(double *x)
{
    df_node(scale) *s = df_node_new(scale);
    df_output(pair) *a = df_node_output(scale, s, a);
    df_node_set(scale, s, x, x);
    df_give(a, 2.0); /* gcc: incompatible types when assigning to type */ /* clang: from incompatible type 'double' */
}
#endif

#ifdef CASE_result_other_type /* The result of a task is a long, and its place a double */
DF_TASK(long, square, (long, n));
void f(double *r)
{
    df_submit_with(DF_OPTS(.result = DF_RESULT(square, r)), square, 7L); /* gcc: not compatible with any association */ /* clang: not compatible with any generic association */
}
#endif

#ifdef CASE_size_undeclared /* A region whose size is not among the parameters */
DF_TASK(void, scale, df_inout(double, x, m), (int, n)); /* gcc: 'm' undeclared */ /* clang: undeclared identifier 'm' */
#endif

#ifdef CASE_spawn_misspelt /* A task whose name is misspelt in df_sync: its result is not an int */
DF_TASK(double, half, (int, n));
double both(int n)
{
    df_future(half) f;
    df_spawn(half, &f, n);
    return df_sync(hlaf, &f); /* expect: hlaf_sync */
}
#endif

#ifdef CASE_spawn_no_future /* The future forgotten: gcc warns about the number in its place, then says the error */
/* lines: 18 */
DF_TASK(long, add, (long, a), (long, b));
void twice(long n)
{
    df_spawn(add, n, n); /* expect: too few arguments */
}
#endif

#ifdef CASE_spawn_other_future /* The future of another task */
/* flags: -pedantic-errors */
DF_TASK(long, add, (long, a), (long, b));
DF_TASK(long, mul, (long, a), (long, b));
long twice(long n)
{
    df_future(mul) f;
    df_spawn(add, &f, n, n); /* expect: incompatible pointer type */
    return df_sync(mul, &f);
}
#endif

#ifdef CASE_spawn_too_few /* A call with an argument missing */
DF_TASK(long, add, (long, a), (long, b));
long twice(long n)
{
    df_future(add) f;
    df_spawn(add, &f, n); /* expect: too few arguments */
    return df_sync(add, &f);
}
#endif

#ifdef CASE_spawn_too_many /* A call with an argument too many */
DF_TASK(long, add, (long, a), (long, b));
long twice(long n)
{
    df_future(add) f;
    df_spawn(add, &f, n, n, n); /* expect: too many arguments */
    return df_sync(add, &f);
}
#endif

#ifdef CASE_spawn_wrong_type /* A structure where a number is wanted */
struct pair { long a, b; };
DF_TASK(long, add, (long, a), (long, b));
long twice(struct pair n)
{
    df_future(add) f;
    df_spawn(add, &f, n.a, n); /* gcc: incompatible type for argument 3 */ /* clang: incompatible type */
    return df_sync(add, &f);
}
#endif

#ifdef CASE_submit_none_too_many /* A task without parameters submitted with an argument */
DF_TASK(void, tick);
void twice(void)
{
    DF_PARALLEL {
        df_submit(tick, 1); /* expect: too many arguments */
    }
}
#endif

#ifdef CASE_submit_number_for_pointer /* A number where an array is wanted */
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
void twice(double *x)
{
    DF_PARALLEL {
        df_submit(scale, 10, x[0], 2.0); /* gcc: incompatible type for argument 2 */ /* clang: incompatible type */
    }
}
#endif

#ifdef CASE_submit_out_const /* A constant array given to be written */
/* flags: -pedantic-errors */
DF_TASK(void, fill, (int, n), df_out(double, x, n));
void twice(const double *x)
{
    DF_PARALLEL {
        df_submit(fill, 10, x); /* gcc: discards */ /* clang: discards qualifiers */
    }
}
#endif

#ifdef CASE_submit_too_few /* A task submitted with an argument missing */
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
void twice(double *x)
{
    DF_PARALLEL {
        df_submit(scale, 10, x); /* expect: too few arguments */
    }
}
#endif

#ifdef CASE_submit_too_many /* A task submitted with an argument too many */
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
void twice(double *x)
{
    DF_PARALLEL {
        df_submit(scale, 10, x, 2.0, 1); /* expect: too many arguments */
    }
}
#endif

#ifdef CASE_submit_undeclared /* A function that was not declared as a task */
void fill(int n, double *x);
void twice(double *x)
{
    DF_PARALLEL {
        df_submit(fill, 10, x); /* expect: fill_submit */
    }
}
#endif

#ifdef CASE_submit_with_too_few /* A task submitted with options and with an argument missing */
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
void twice(double *x)
{
    DF_PARALLEL {
        df_submit_with(DF_OPTS(.priority = 1), scale, 10, x); /* expect: too few arguments */
    }
}
#endif

#ifdef CASE_submit_with_undeclared /* A task whose name is misspelt in df_submit_with */
DF_TASK(void, scale, df_inout(double, x, n), (int, n));
void twice(double *x, const df_opts *o)
{
    df_submit_with(o, scael, x, 10); /* expect: scael_dfi_with */
}
#endif

#ifdef CASE_submit_with_unknown_option /* An option that does not exist */
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
void twice(double *x)
{
    DF_PARALLEL {
        df_submit_with(DF_OPTS(.prio = 1), scale, 10, x, 2.0); /* expect: prio */
    }
}
#endif

#ifdef CASE_submit_wrong_pointer /* An array of another type */
/* flags: -pedantic-errors */
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
void twice(float *x)
{
    DF_PARALLEL {
        df_submit(scale, 10, x, 2.0); /* expect: incompatible pointer type */
    }
}
#endif

#ifdef CASE_sync_by_value /* df_sync with the future itself instead of its address */
DF_TASK(long, add, (long, a), (long, b));
long twice(long n)
{
    df_future(add) f;
    df_spawn(add, &f, n, n);
    return df_sync(add, f); /* gcc: incompatible type for argument 1 */ /* clang: incompatible type */
}
#endif

#ifdef CASE_sync_other_future /* df_sync with the future of another task */
/* flags: -pedantic-errors */
DF_TASK(long, add, (long, a), (long, b));
DF_TASK(long, mul, (long, a), (long, b));
long twice(long n)
{
    df_future(add) f;
    df_spawn(add, &f, n, n);
    return df_sync(mul, &f); /* expect: incompatible pointer type */
}
#endif

#ifdef CASE_sync_void_result /* The result of a task that has none */
DF_TASK(void, clear, (long *, a));
long twice(long n)
{
    df_future(clear) f;
    df_spawn(clear, &f, &n);
    return 2 * df_sync(clear, &f); /* gcc: void value not ignored */ /* clang: invalid operands */
}
#endif
