/* A loop cannot own: it runs in parts. */
#include "../../df_owm.h"

DF_LOOP(scale, (int, n), df_owm_inout(double, x, n)); /* expect: df_owm_in/out/inout are for tasks: acquire before the loop */
