/* df.h after the system headers. */
#include "system.h"
#define DF_IMPLEMENTATION
#include "../../df.h"

DF_TASK(int, twice, (int, n));
