/* The headers after those of the system. */
#include "system.h"
#define DF_IMPLEMENTATION
#include "headers.h"
#include "use.h"
