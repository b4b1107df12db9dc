/* DF_OR_ELSE without DF_ATOMIC before it. */
#include "../../df_stm.h"

void set(int *p)
{
    df_tm_write(p, 1);
    DF_OR_ELSE { /* gcc: 'else' without a previous 'if' */ /* clang: expected expression */
        df_tm_write(p, 2);
    }
}
