/* A body with another result. */
#include "../../df.h"

DF_TASK(long, add, (long, a), (long, b));
int add(long a, long b) /* gcc: conflicting types for */ /* clang: conflicting types for 'add' */
{
    return (int)(a + b);
}
