/* A task with weak accesses that holds units, for which its children could wait. */
#include "../../df.h"

DF_TASK(void, tree, df_weak_inout(int, p, n), (int, n), df_limit(s, 1)); /* expect: df.h: task tree has weak accesses and df_limit */
