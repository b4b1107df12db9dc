/* An array is no condition: which of its elements? */
#include "../../df.h"

DF_TASK(void, put, df_out(int, p, 1));
void run(int (*converged)[8], int *p)
{
    df_speculate_while(converged, 0) /* expect: df.h: the condition of df_speculate is the address of an integer, a floating-point number or a pointer; for other types declare DF_PREDICATE */
        df_submit(put, p);
}
