/* A pipe run with a number for its options. */
/* flags: -pedantic-errors */
/* lines: 20 */
#include "../../df.h"

DF_PIPE(pass, double);

long all(void *ctx)
{
    return df_pipe(pass, 16, ctx); /* gcc: makes pointer from integer */ /* clang: integer to pointer */
}
