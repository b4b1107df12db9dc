/* A header alone: it includes what it needs. */
#include "headers.h"
#include "use.h"
