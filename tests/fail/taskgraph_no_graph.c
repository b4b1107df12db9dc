/* A block is recorded into a number. */
/* flags: -Werror=int-conversion */
#include "../../df.h"

DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));

void twice(double *x)
{
    DF_TASKGRAPH(5) { df_submit(scale, 10, x, 2.0); } /* gcc: makes pointer from integer */ /* clang: incompatible integer to pointer */
}
