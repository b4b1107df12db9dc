/* df_tm_write of a whole object. */
/* lines: 14 */
#include "../../df_stm.h"

struct pair { int a, b; };

void set(struct pair *p, struct pair x)
{
    DF_ATOMIC {
        df_tm_write(p, x); /* gcc: wrong type argument to unary */ /* clang: invalid argument type 'struct pair' */
    }
}
