/* df_tm_read of more than 8 bytes. */
#include "../../df_stm.h"

double get(const long double *p)
{
    double n = 0;
    DF_ATOMIC {
        n = (double)df_tm_read(p); /* expect: of at most 8 bytes; use df_tm_read_bytes and df_tm_write_bytes */
    }
    return n;
}
