/* df_tm_write to the variable itself instead of its address. */
/* lines: 22 */
#include "../../df_stm.h"

static int counter;

void set(void)
{
    DF_ATOMIC {
        df_tm_write(counter, 1); /* gcc: invalid type argument of unary */ /* clang: indirection requires pointer */
    }
}
