/* A vector of four components. */
/* flags: -pedantic-errors */
/* lines: 40 */
#include "../../df.h"

DF_LOOP3(sweep, df_inout(double, x, 10));

void twice(double *x)
{
    df_wavefront(sweep, DF_VECTORS({ 1, 0, 0, 1 }), 0, 10, 0, 10, 0, 10, x); /* expect: excess elements in array initializer */
}
