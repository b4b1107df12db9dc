/* df_sync with the future itself instead of its address. */
#include "../../df.h"

DF_TASK(long, add, (long, a), (long, b));

long twice(long n)
{
    df_future(add) f;
    df_spawn(add, &f, n, n);
    return df_sync(add, f); /* gcc: incompatible type for argument 1 */ /* clang: incompatible type */
}
