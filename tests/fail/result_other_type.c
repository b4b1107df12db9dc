/* The result of a task is a long, and its place a double. */
#include "../../df.h"

DF_TASK(long, square, (long, n));

void f(double *r)
{
    df_submit_with(DF_OPTS(.result = DF_RESULT(square, r)), square, 7L); /* gcc: not compatible with any association */ /* clang: not compatible with any generic association */
}
