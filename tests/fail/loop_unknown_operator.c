/* A loop that reduces with an operator that does not exist. */
/* flags: -Werror=implicit-function-declaration */
/* lines: 20 */
#include "../../df.h"

DF_LOOP(mean, df_reduce(df_mean, double, s, 1)); /* expect: df_mean */
