/* cxx.cpp - C++ (tests/fail/run) */
#include "../../df.h"
#include "../../df_gpu.h"
#include <memory>
#include <mutex>
#include <string>

#ifdef CASE_kernel_value /* A kernel is given bytes */
/* lines: 60 */
DF_KERNEL(each, (int, n), (std::string, s), { (void)n, (void)s; }) /* expect: df.h: parameter 2 of kernel each is `(std::string, s)`: a kernel is given the bytes */
#endif

#ifdef CASE_loop_value /* An object that each part of a loop would have to copy */
/* lines: 60 */
DF_LOOP(each, (int, n), (std::unique_ptr<int>, p)); /* expect: df.h: parameter 2 of loop each is `(std::unique_ptr<int>, p)`: each part of the loop gets a copy */
#endif

#ifdef CASE_option /* An option that does not exist */
DF_TASK(void, add, (int, n));
void two() { df_submit_with(DF_OPTS(.prio = 2), add, 1); } /* expect: prio */
#endif

#ifdef CASE_output /* An output of int is passed to a task that gives a double */
/* lines: 16 */
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
DF_TASK(void, measure, (df_output(double) *, to));
void twice()
{
    df_node(scale) *s = df_node_new(scale);
    df_submit(measure, df_node_output(scale, s, n)); /* gcc: cannot convert */ /* clang: no matching function for call to 'measure_submit' */
}
#endif

#ifdef CASE_output_value /* An output of int is given an address */
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));
void twice(double *x)
{
    df_node(scale) *s = df_node_new(scale);
    df_give(df_node_output(scale, s, n), x); /* gcc: invalid conversion from */ /* clang: no matching function for call to 'dfi_give' */
}
#endif

#ifdef CASE_reference /* A const reference: it may be to a temporary, which is gone when the task runs */
/* lines: 60 */
DF_TASK(void, say, (const std::string &, s)); /* expect: df.h: parameter 1 of task say is `(const std::string &, s)`: the task keeps a value */
#endif

#ifdef CASE_speculate_class /* A condition that is neither a number nor a pointer, although it converts to bool */
/* lines: 60 */
DF_TASK(void, put, df_out(int, p, 1));
void run(std::unique_ptr<int> *given, int *p)
{
    df_speculate(given, 1) /* expect: df.h: the condition */
        df_submit(put, p);
}
#endif

#ifdef CASE_value /* An object that cannot be copied or moved */
/* lines: 120 */
DF_TASK(void, lock, (int, n), (std::mutex, m)); /* expect: df.h: parameter 2 of task lock is `(std::mutex, m)`: the task keeps a value */
#endif
