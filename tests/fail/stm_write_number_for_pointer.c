/* df_tm_write of a number where a pointer is. */
/* flags: -pedantic-errors */
/* lines: 14 */
#include "../../df_stm.h"

void set(int **p, int x)
{
    DF_ATOMIC {
        df_tm_write(p, x); /* gcc: makes pointer from integer */ /* clang: incompatible integer to pointer conversion */
    }
}
