/* The semicolon after an access forgotten. */
#include "../../df_stm.h"

int set(int *p)
{
    DF_ATOMIC {
        df_tm_write(p, 1) /* gcc: not a function */
        df_tm_write(p, 2); /* clang: not a function */
    }
    return 0;
}
