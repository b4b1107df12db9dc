/* df.h again and again: first its user's side, then the implementation as well, twice. */
#include "../../df.h"
#include "../../df.h"
#define DF_IMPLEMENTATION
#include "../../df.h"
#include "../../df.h"

DF_TASK(int, twice, (int, n));
