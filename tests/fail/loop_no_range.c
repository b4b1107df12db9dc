/* A loop without parameters called without its range. */
#include "../../df.h"

DF_LOOP(beep);

void twice(void)
{
    df_for(beep, 2); /* expect: too few arguments */
}
