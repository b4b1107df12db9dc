/* The semicolon after df_retry() forgotten. */
#include "../../df_stm.h"

void set(int *p)
{
    DF_ATOMIC {
        if (!df_tm_read(p)) df_retry() /* clang: expected ';' */
    } /* gcc: expected ';' before '}' */
}
