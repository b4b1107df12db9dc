/* A pipe run without its options. */
#include "../../df.h"

DF_PIPE(pass, double);

long all(void *ctx)
{
    return df_pipe(pass, ctx); /* expect: too few arguments */
}
