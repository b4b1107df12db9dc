/* df_tm_read of more than 8 bytes. */
#include "../../df_stm.h"

double get(const long double *p)
{
    double n = 0;
    DF_ATOMIC {
        n = (double)df_tm_read(p); /* gcc: array is negative */ /* clang: array size is negative */
    }
    return n;
}
