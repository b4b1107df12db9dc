/* The future of a function that was not declared as a task. */
#include "../../df.h"

long add(long a, long b);

void twice(void)
{
    df_future(add) f; /* expect: add_future */
    (void)f;
}
