/* The implementation where other headers have been. */
#include "hostile.h"
#define DF_IMPLEMENTATION
#include "headers.h"
#include "use.h"
