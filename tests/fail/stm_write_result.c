/* df_tm_write has no result. */
#include "../../df_stm.h"

int set(int *p)
{
    return df_tm_write(p, 1); /* gcc: void value not ignored */ /* clang: returning 'void' */
}
