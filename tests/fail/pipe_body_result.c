/* A body that returns nothing. */
#include "../../df.h"

DF_PIPE(pass, double);
void pass(int stage, double *x, long i, void *ctx) /* expect: conflicting types for */
{
    (void)stage, (void)x, (void)i, (void)ctx;
}
