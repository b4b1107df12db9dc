/* DF_ATOMIC is not a function. */
#include "../../df_stm.h"

void set(int *p)
{
    DF_ATOMIC(p) { /* gcc: expected ';' before '{' */ /* clang: expected ';' */
        df_tm_write(p, 1);
    }
}
