/* df_tm_copy to constant memory: from and to in the wrong order. */
/* flags: -pedantic-errors */
#include "../../df_stm.h"

void copy(char *to, const char *from)
{
    DF_ATOMIC {
        df_tm_copy(from, to, 10); /* gcc: argument 1 of 'df_tm_copy' discards */ /* clang: discards qualifiers */
    }
}
