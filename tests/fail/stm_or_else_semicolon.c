/* A semicolon between a block and its alternative. */
#include "../../df_stm.h"

void set(int *p)
{
    DF_ATOMIC { df_retry(); };
    DF_OR_ELSE df_tm_write(p, 2); /* gcc: 'else' without a previous 'if' */ /* clang: expected expression */
}
