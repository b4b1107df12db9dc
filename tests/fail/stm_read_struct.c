/* df_tm_read of a whole object. */
#include "../../df_stm.h"

struct pair { int a, b; };

struct pair get(const struct pair *p)
{
    DF_ATOMIC {
        return df_tm_read(p); /* expect: of at most 8 bytes; use df_tm_read_bytes and df_tm_write_bytes */
    }
    return *p;
}
