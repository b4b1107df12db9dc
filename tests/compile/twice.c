/* The headers again and again: first their user's side, then the implementation as well, twice. */
#include "headers.h"
#include "headers.h"
#define DF_IMPLEMENTATION
#include "headers.h"
#include "headers.h"
#include "use.h"
