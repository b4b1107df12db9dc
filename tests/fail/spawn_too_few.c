/* A call with an argument missing. */
#include "../../df.h"

DF_TASK(long, add, (long, a), (long, b));

long twice(long n)
{
    df_future(add) f;
    df_spawn(add, &f, n); /* expect: too few arguments */
    return df_sync(add, &f);
}
