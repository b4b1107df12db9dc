/* declarations.c - malformed declarations: one error, and it is a sentence of df.h, also as C99 (tests/fail/run) */
#include "../../df.h"

#ifdef CASE_decl_17 /* 17 parameters */
DF_TASK(void, many, (int, a), (int, b), (int, c), (int, d), (int, e), (int, f), (int, g), (int, h), (int, i), (int, j), (int, k), (int, l), (int, m), (int, n), (int, o), (int, p), (int, q)); /* expect: df.h: task many has more than 16 parameters */
#endif

#ifdef CASE_decl_31 /* 31 parameters */
DF_TASK(void, many, (int, a), (int, b), (int, c), (int, d), (int, e), (int, f), (int, g), (int, h), (int, i), (int, j), (int, k), (int, l), (int, m), (int, n), (int, o), (int, p), (int, q), (int, r), (int, s), (int, t), (int, u), (int, v), (int, w), (int, x), (int, y), (int, z), (int, A), (int, B), (int, C), (int, D), (int, E)); /* expect: df.h: task many has more than 16 parameters */
#endif

#ifdef CASE_decl_empty_parameter /* A comma too many */
DF_TASK(void, scale, (int, n), ); /* expect: df.h: parameter 2 of task scale is `` */
#endif

#ifdef CASE_decl_in2_four /* A block without its leading dimension */
DF_TASK(void, scale, (int, n), df_in2(double, x, n, n)); /* expect: df.h: parameter 2 of task scale is `df_in2(double, x, n, n)`: a task parameter is (type, name), df_in/df_out/df_inout/...(type, pointer, count) or df_in2/...(type, pointer, rows, columns, leading dimension) */
#endif

#ifdef CASE_decl_in_empty /* df_in with nothing in it */
DF_TASK(void, scale, (int, n), df_in()); /* expect: df.h: parameter 2 of task scale is `df_in()` */
#endif

#ifdef CASE_decl_in_four /* df_in with an argument too many */
DF_TASK(void, scale, (int, n), df_in(double, x, n, n)); /* expect: df.h: parameter 2 of task scale is `df_in(double, x, n, n)` */
#endif

#ifdef CASE_decl_in_two /* df_in without its size */
DF_TASK(void, scale, (int, n), df_in(double, x)); /* expect: df.h: parameter 2 of task scale is `df_in(double, x)` */
#endif

#ifdef CASE_decl_limit_loop /* A semaphore as the parameter of a loop */
DF_LOOP(load, df_limit(s, 1), (int, n)); /* expect: df.h: parameter 1 of loop load is `df_limit(s, 1)` */
#endif

#ifdef CASE_decl_limit_one /* df_limit without its number of units */
DF_TASK(void, load, (int, n), df_limit(s)); /* expect: df.h: parameter 2 of task load is `df_limit(s)` */
#endif

#ifdef CASE_decl_limit_weak /* A task with weak accesses that holds units, for which its children could wait */
DF_TASK(void, tree, df_weak_inout(int, p, n), (int, n), df_limit(s, 1)); /* expect: df.h: task tree has weak accesses and df_limit */
#endif

#ifdef CASE_decl_loop_17 /* A loop with 17 parameters */
DF_LOOP(many, (int, a), (int, b), (int, c), (int, d), (int, e), (int, f), (int, g), (int, h), (int, i), (int, j), (int, k), (int, l), (int, m), (int, n), (int, o), (int, p), (int, q)); /* expect: df.h: loop many has more than 16 parameters */
#endif

#ifdef CASE_decl_loop_no_parentheses /* A loop with a parameter written as in C */
DF_LOOP(scale, int n, df_inout(double, x, n)); /* expect: df.h: parameter 1 of loop scale is `int n` */
#endif

#ifdef CASE_decl_loop_pop /* A stream as the parameter of a loop */
DF_LOOP3(filter, (int, n), df_pop(double, x, n)); /* expect: df.h: parameter 2 of loop filter is `df_pop(double, x, n)` */
#endif

#ifdef CASE_decl_loop_push /* A stream that a loop writes to */
DF_LOOP(filter, df_push(double, x, 1)); /* expect: df.h: parameter 1 of loop filter is `df_push(double, x, 1)` */
#endif

#ifdef CASE_decl_loop_reduce_three /* A reduction of a loop without its operator */
DF_LOOP2(sum, df_reduce(double, s, 1)); /* expect: df.h: parameter 1 of loop sum is `df_reduce(double, s, 1)` */
#endif

#ifdef CASE_decl_loop_unknown_word /* A loop with a parameter word that does not exist */
DF_LOOP(scale, (int, n), df_load(double, x, n)); /* expect: df.h: parameter 2 of loop scale is `df_load(double, x, n)` */
#endif

#ifdef CASE_decl_no_name /* A parameter without a name */
DF_TASK(void, scale, (int), (double, a)); /* expect: df.h: parameter 1 of task scale is `(int)` */
#endif

#ifdef CASE_decl_no_parentheses /* A parameter written as in C */
DF_TASK(void, scale, int n, df_inout(double, x, n)); /* expect: df.h: parameter 1 of task scale is `int n` */
#endif

#ifdef CASE_decl_no_result /* The type of the result is missing */
DF_TASK(scale, df_inout(double, x, n), (int, n)); /* expect: df.h: DF_TASK(scale, ...) has no name */
#endif

#ifdef CASE_decl_owm_without_header /* A word of df_owm.h without it */
DF_TASK(void, scale, (int, n), df_owm_inout(double, x, n)); /* expect: df.h: parameter 2 of task scale is `df_owm_inout(double, x, n)` */
#endif

#ifdef CASE_decl_peek_three /* df_peek without its burst */
DF_TASK(void, scale, (int, n), df_peek(double, x, n), df_push(double, y, n)); /* expect: df.h: parameter 2 of task scale is `df_peek(double, x, n)` */
#endif

#ifdef CASE_decl_pop_two /* df_pop without its number of elements */
DF_TASK(void, scale, (int, n), df_pop(double, x)); /* expect: df.h: parameter 2 of task scale is `df_pop(double, x)` */
#endif

#ifdef CASE_decl_popv_three /* df_popv without the number of streams */
DF_TASK(void, scale, df_popv(double, x, 1)); /* expect: df.h: parameter 1 of task scale is `df_popv(double, x, 1)` */
#endif

#ifdef CASE_decl_range_two /* A range without its end */
DF_TASK(void, scale, df_in_range(double, b)); /* expect: df.h: parameter 1 of task scale is `df_in_range(double, b)` */
#endif

#ifdef CASE_decl_reduce_operator /* The operator is part of the text */
DF_STATIC_TASK(void, add, (int, n), (float, x), df_reduce2(df_sum, double, s, n, n)); /* expect: df.h: parameter 3 of task add is `df_reduce2(df_sum, double, s, n, n)` */
#endif

#ifdef CASE_decl_reduce_three /* A reduction without its operator */
DF_TASK(void, scale, (int, n), df_reduce(double, x, n)); /* expect: df.h: parameter 2 of task scale is `df_reduce(double, x, n)` */
#endif

#ifdef CASE_decl_result_with_name /* No comma between the type of the result and the name */
DF_TASK(void scale, (int, n)); /* expect: df.h: DF_TASK(void scale, ...) has no name */
#endif

#ifdef CASE_decl_tenth /* One wrong parameter of many */
DF_TASK(int, ten, (int, a), (int, b), (int, c), (int, d), (int, e), (int, f), (int, g), (int, h), (int, i), df_inot(int, j, 1)); /* expect: df.h: parameter 10 of task ten is `df_inot(int, j, 1)`: a task parameter is (type, name), df_in/df_out */
#endif

#ifdef CASE_decl_two_names /* Two names for one type */
DF_TASK(void, scale, (int, n, m), (double, a)); /* expect: df.h: parameter 1 of task scale is `(int, n, m)` */
#endif

#ifdef CASE_decl_unknown_word /* A parameter word that does not exist */
DF_TASK(void, scale, (int, n), df_load(double, x, n)); /* expect: df.h: parameter 2 of task scale is `df_load(double, x, n)` */
#endif
