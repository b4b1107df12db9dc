/* A task without parameters submitted with an argument. */
#include "../../df.h"

DF_TASK(void, tick);

void twice(void)
{
    DF_PARALLEL {
        df_submit(tick, 1); /* gcc: too many arguments */ /* clang: too many arguments */
    }
}
