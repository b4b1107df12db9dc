/* A task without parameters submitted with an argument. */
#include "../../df.h"

DF_TASK(void, tick);

void twice(void)
{
    DF_PARALLEL {
        df_submit(tick, 1); /* expect: too many arguments */
    }
}
