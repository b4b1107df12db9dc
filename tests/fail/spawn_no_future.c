/* The future forgotten: gcc warns about the number in its place, then says the error. */
/* lines: 18 */
#include "../../df.h"

DF_TASK(long, add, (long, a), (long, b));

void twice(long n)
{
    df_spawn(add, n, n); /* expect: too few arguments */
}
