/* The future forgotten. */
#include "../../df.h"

DF_TASK(long, add, (long, a), (long, b));

void twice(long n)
{
    df_spawn(add, n, n); /* gcc: too few arguments */ /* clang: too few arguments */
}
