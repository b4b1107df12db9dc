/* A call with an argument too many. */
#include "../../df.h"

DF_TASK(long, add, (long, a), (long, b));

long twice(long n)
{
    df_future(add) f;
    df_spawn(add, &f, n, n, n); /* expect: too many arguments */
    return df_sync(add, &f);
}
