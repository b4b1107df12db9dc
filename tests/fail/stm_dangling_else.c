/* An `else` after a block belongs to nothing that the user sees: -Wall says so. */
/* flags: -Werror */
#include "../../df_stm.h"

void set(int *p, int how)
{
    if (how) /* gcc: ambiguous 'else' */
        DF_ATOMIC {
            df_tm_write(p, 1);
        }
    else /* clang: dangling else */
        df_tm_write(p, 2);
}
