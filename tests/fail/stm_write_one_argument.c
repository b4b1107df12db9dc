/* df_tm_write without the value. */
/* lines: 17 */
#include "../../df_stm.h"

void set(int *p)
{
    DF_ATOMIC {
        df_tm_write(p); /* gcc: "df_tm_write" requires 2 arguments */ /* clang: too few arguments */
    }
}
