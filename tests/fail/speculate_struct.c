/* A condition that is neither a number nor a pointer. */
#include "../../df.h"

struct residual { double largest; };
DF_TASK(void, put, df_out(int, p, 1));
void run(struct residual *residual, int *p)
{
    df_speculate(residual, 1) /* expect: df.h: the condition of df_speculate is the address of an integer, a floating-point number or a pointer; for other types declare DF_PREDICATE */
        df_submit(put, p);
}
