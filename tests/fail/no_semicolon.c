/* The semicolon forgotten: gcc finds out in the next line. */
#include "../../df.h"

DF_TASK(long, add, (long, a), (long, b)) /* clang: expected ';' */
long add(long a, long b) /* gcc: expected ';' */
{
    return a + b;
}
