/* df_sum on a struct. */
#include "../../df.h"

struct pair { int a; double b; };

DF_TASK(void, add, df_reduce(df_sum, struct pair, sum, 1)); /* expect: df.h: df_sum in parameter sum of add is an operator on numbers; declare one on struct pair with DF_REDUCTION */
/* lines: 22 */
