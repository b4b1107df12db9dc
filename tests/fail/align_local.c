/* df_local of a type with an alignment of 128. */
#include "../../df.h"
typedef struct { _Alignas(128) double v[16]; } line;

double first(void)
{
    line *p = df_local(line, 4); /* expect: df.h: df_local: the type line is aligned to more than 64 bytes */
    return p->v[0];
}
