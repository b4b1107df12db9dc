/* A loop that writes called with memory that is const. */
/* flags: -pedantic-errors */
/* lines: 20 */
#include "../../df.h"

DF_LOOP(fill, df_out(double, x, 10));

void twice(const double *x)
{
    df_for(fill, 0, 10, x); /* expect: discards */
}
