/* A stream of float for a task that reads int. */
#include "../../df.h"

DF_TASK(void, take, df_pop(int, x, 1));
void take(const int *x) { (void)x; }

void f(void)
{
    df_stream_of(float) *s = df_stream_new_of(float, 8);
    df_submit(take, s); /* gcc: incompatible type for argument 1 */ /* clang: incompatible type */
}
