/* A pipe that was not declared. */
#include "../../df.h"

long all(void *ctx)
{
    return df_pipe(pass, NULL, ctx); /* expect: pass_dfi_pipe */
}
