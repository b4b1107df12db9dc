/* One wrong parameter of many. */
#include "../../df.h"

DF_TASK(int, ten, (int, a), (int, b), (int, c), (int, d), (int, e), (int, f), (int, g), (int, h), (int, i), df_inot(int, j, 1)); /* expect: df.h: parameter 10 of task ten is `df_inot(int, j, 1)`: a task parameter is (type, name), df_in/df_out */
