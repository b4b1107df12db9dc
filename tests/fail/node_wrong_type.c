/* A node is given a struct where its task has an int. */
#include "../../df.h"

typedef struct { int n; } size;
DF_TASK(void, scale, (int, n), df_inout(double, x, n), (double, a));

void twice(size n)
{
    df_node(scale) *s = df_node_new(scale);
    df_node_set(scale, s, n, n); /* gcc: incompatible type for argument */ /* clang: passing 'size' */
}
