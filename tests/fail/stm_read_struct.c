/* df_tm_read of a whole object. */
#include "../../df_stm.h"

struct pair { int a, b; };

struct pair get(const struct pair *p)
{
    DF_ATOMIC {
        return df_tm_read(p); /* gcc: wrong type argument to unary */ /* clang: invalid argument type 'struct pair' */
    }
    return *p;
}
