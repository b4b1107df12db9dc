/* df.h before the system headers: it leaves nothing behind that disturbs them. */
#define DF_IMPLEMENTATION
#include "../../df.h"
#include "system.h"

DF_TASK(int, twice, (int, n));
