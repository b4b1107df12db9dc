/* The semicolon forgotten: the compiler finds out in the next line. */
#include "../../df.h"

DF_TASK(long, add, (long, a), (long, b))
long add(long a, long b) /* gcc: expected */ /* clang: expected ';' */
{
    return a + b;
}
