/* df_tm_write of a pointer to const where there is one without. */
/* flags: -pedantic-errors */
#include "../../df_stm.h"

void set(int **p, const int *x)
{
    DF_ATOMIC {
        df_tm_write(p, x); /* gcc: discards 'const' qualifier */ /* clang: discards qualifiers */
    }
}
