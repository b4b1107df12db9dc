/* The result of a task that has none. */
#include "../../df.h"

DF_TASK(void, clear, (long *, a));

long twice(long n)
{
    df_future(clear) f;
    df_spawn(clear, &f, &n);
    return 2 * df_sync(clear, &f); /* gcc: void value not ignored */ /* clang: invalid operands */
}
