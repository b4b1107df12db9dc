/* What is popped is const. */
#include "../../df.h"

DF_TASK(void, take, df_pop(int, x, 1));
void take(int *x) { *x = 0; } /* expect: conflicting types */
