/* The implementation where other headers have been. */
#include "hostile.h"
#define DF_IMPLEMENTATION
#include "../../df.h"

DF_TASK(int, twice, (int, n));
