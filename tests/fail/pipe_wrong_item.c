/* A body for items of another type. */
#include "../../df.h"

DF_PIPE(pass, double);
int pass(int stage, float *x, long i, void *ctx) /* expect: conflicting types for */
{
    (void)stage, (void)x, (void)i, (void)ctx;
    return DF_PIPE_END;
}
