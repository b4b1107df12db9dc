/* df_tm_read of the variable itself instead of its address. */
/* lines: 22 */
#include "../../df_stm.h"

static int counter;

int get(void)
{
    return df_tm_read(counter); /* gcc: invalid type argument of unary */ /* clang: indirection requires pointer */
}
