/* The future of another task. */
/* flags: -pedantic-errors */
#include "../../df.h"

DF_TASK(long, add, (long, a), (long, b));
DF_TASK(long, mul, (long, a), (long, b));

long twice(long n)
{
    df_future(mul) f;
    df_spawn(add, &f, n, n); /* expect: incompatible pointer type */
    return df_sync(mul, &f);
}
