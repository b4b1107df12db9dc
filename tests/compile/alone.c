/* df.h alone: it includes what it needs. */
#include "../../df.h"

DF_TASK(int, twice, (int, n));
