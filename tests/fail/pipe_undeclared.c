/* A pipe that was not declared. */
/* flags: -Werror=implicit-function-declaration */
#include "../../df.h"

long all(void *ctx)
{
    return df_pipe(pass, NULL, ctx); /* gcc: implicit declaration of function */ /* clang: pass_dfi_pipe */
}
