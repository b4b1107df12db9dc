/* The result of df_tm_read is of the type it points to: here the address of a list, not of a number. */
/* flags: -Werror */
#include "../../df_stm.h"

struct list { struct list *next; };

int *get(struct list *const *p)
{
    return df_tm_read(p); /* gcc: incompatible return type */ /* clang: incompatible pointer types returning */
}
