/* df_tm_write of a pointer where a number is: the address instead of the value. */
/* flags: -pedantic-errors */
/* lines: 14 */
#include "../../df_stm.h"

void set(long *p, long *x)
{
    DF_ATOMIC {
        df_tm_write(p, x); /* gcc: makes integer from pointer */ /* clang: incompatible pointer to integer conversion */
    }
}
