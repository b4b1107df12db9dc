/* A condition that is neither a number nor a pointer, although it converts to bool. */
/* lines: 60 */
#include "../../df.h"
#include <memory>

DF_TASK(void, put, df_out(int, p, 1));
void run(std::unique_ptr<int> *given, int *p)
{
    df_speculate(given, 1) /* expect: df.h: the condition */
        df_submit(put, p);
}
