/* A misspelt parameter word: the rest is taken for the body. */
#include "../../df_gpu.h"

DF_KERNEL(scale, (int, n), df_inn(double, x, n), { if (n) x[0] = 1; }) /* expect: df_inn */
/* flags: -Werror=implicit-function-declaration */
/* lines: 60 */
