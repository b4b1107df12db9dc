/* A task of the host launched as a kernel. */
#include "../../df_gpu.h"

DF_TASK(void, scale, (int, n));

void twice(void)
{
    df_launch(scale, df_grid(10), 10); /* expect: scale_dfi_launch */
}
