/* df_sync with the future of another task. */
/* flags: -pedantic-errors */
#include "../../df.h"

DF_TASK(long, add, (long, a), (long, b));
DF_TASK(long, mul, (long, a), (long, b));

long twice(long n)
{
    df_future(add) f;
    df_spawn(add, &f, n, n);
    return df_sync(mul, &f); /* expect: incompatible pointer type */
}
