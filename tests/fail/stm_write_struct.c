/* df_tm_write of a whole object. */
/* lines: 22 */
#include "../../df_stm.h"

struct pair { int a, b; };

void set(struct pair *p, struct pair x)
{
    DF_ATOMIC {
        df_tm_write(p, x); /* expect: of at most 8 bytes; use df_tm_read_bytes and df_tm_write_bytes */
    }
}
