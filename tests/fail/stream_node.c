/* A task with streams cannot be a node. */
#include "../../df.h"

DF_TASK(void, scale, df_pop(double, x, 1));
void scale(const double *x) { (void)x; }

void f(void)
{
    (void)df_node_new(scale); /* gcc: scale_dfi_node_new */ /* clang: scale_dfi_node_new */
}
