/* df_spawn passes the pointers of the body. */
#include "../../df.h"

DF_TASK(void, scale, df_pop(double, x, 1));
void scale(const double *x) { (void)x; }

void f(df_stream *s)
{
    df_future(scale) a;
    df_spawn(scale, &a, s); /* gcc: incompatible pointer type */ /* clang: incompatible pointer types */
    df_sync(scale, &a);
}
/* flags: -Werror=incompatible-pointer-types */
