/* An option that does not exist. */
#include "../../df.h"

DF_TASK(void, add, (int, n));
void two() { df_submit_with(DF_OPTS(.prio = 2), add, 1); } /* expect: prio */
