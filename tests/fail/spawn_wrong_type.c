/* A structure where a number is wanted. */
#include "../../df.h"

struct pair { long a, b; };
DF_TASK(long, add, (long, a), (long, b));

long twice(struct pair n)
{
    df_future(add) f;
    df_spawn(add, &f, n.a, n); /* gcc: incompatible type for argument 3 */ /* clang: incompatible type */
    return df_sync(add, &f);
}
