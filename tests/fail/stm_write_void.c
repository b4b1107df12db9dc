/* df_tm_write to memory without a type. */
/* lines: 22 */
#include "../../df_stm.h"

void set(void *p)
{
    DF_ATOMIC {
        df_tm_write(p, 1); /* gcc: invalid use of void expression */ /* clang: incomplete type 'void' */
    }
}
