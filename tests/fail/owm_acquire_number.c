/* A number for a pointer. */
/* flags: -pedantic-errors -Werror */
#include "../../df_owm.h"

df_result get(long at);
df_result get(long at)
{
    return df_owm_acquire(at, 8, DF_OWM_R); /* gcc: makes pointer from integer */ /* clang: incompatible integer to pointer conversion */
}
