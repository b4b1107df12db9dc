/* An operator of one's own, used with another type. */
/* flags: -pedantic-errors */
/* lines: 20 */
#include "../../df.h"

typedef struct { long n, sum; } mean;
void mean_join(mean *into, const mean *from);
void mean_none(mean *x);
DF_REDUCTION(averaged, mean, mean_join, mean_none);
DF_TASK(void, scale, (int, n), df_reduce(averaged, double, x, n)); /* expect: incompatible pointer type */
