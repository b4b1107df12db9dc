/* A reduction of elements that are aligned to 128. */
#include "../../df.h"
typedef struct { _Alignas(128) double v[16]; } line;

static void add(line *a, const line *b) { a->v[0] += b->v[0]; }
DF_REDUCTION(sum, line, add); /* expect: df.h: reduction sum: the type line is aligned to more than 64 bytes */
