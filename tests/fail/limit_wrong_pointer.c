/* A mutex where the task has a semaphore. */
/* flags: -pedantic-errors */
#include "../../df.h"

DF_TASK(void, load, df_limit(s, 1));
void go(df_mutex *m)
{
    df_submit(load, m); /* expect: incompatible pointer type */
}
