/* The headers before those of the system: they leave nothing behind that disturbs them. */
#define DF_IMPLEMENTATION
#include "headers.h"
#include "system.h"
#include "use.h"
