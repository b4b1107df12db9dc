/* A stream where an array of streams is needed. */
#include "../../df.h"

DF_TASK(void, merge, df_popv(int, x, 1, n), (int, n));
void merge(const int *const *x, int n) { (void)x, (void)n; }

void f(df_stream *s)
{
    df_submit(merge, s, 1); /* gcc: incompatible type for argument 1 */ /* clang: incompatible type */
}
