/* The value instead of the address: it is not known yet. */
/* lines: 20 */
#include "../../df.h"

DF_TASK(void, put, df_out(int, p, 1));
void run(int converged, int *p)
{
    df_speculate_while(converged, 0) /* gcc: invalid type argument of unary */ /* clang: indirection requires pointer operand */
        df_submit(put, p);
}
