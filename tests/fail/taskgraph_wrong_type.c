/* A captured task is given a struct where it has an int. */
#include "../../df.h"

typedef struct { int n; } size;
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));

void twice(df_taskgraph *g, size n)
{
    df_taskgraph_set(g, scale, 0, n, n); /* gcc: incompatible type for argument */ /* clang: passing 'size' */
}
