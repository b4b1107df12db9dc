/* df_retry takes no argument. */
/* lines: 13 */
#include "../../df_stm.h"

void set(int *p)
{
    DF_ATOMIC {
        if (!df_tm_read(p)) df_retry(p); /* gcc: macro "df_retry" passed 1 argument */ /* clang: too many arguments */
    }
}
