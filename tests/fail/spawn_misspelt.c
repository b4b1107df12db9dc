/* A task whose name is misspelt in df_sync: its result is not an int. */
#include "../../df.h"

DF_TASK(double, half, (int, n));

double both(int n)
{
    df_future(half) f;
    df_spawn(half, &f, n);
    return df_sync(hlaf, &f); /* expect: hlaf_sync */
}
