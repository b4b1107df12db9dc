/* Items that are aligned to 128. */
#include "../../df.h"
typedef struct { _Alignas(128) double v[16]; } line;

DF_PIPE(pass, line); /* expect: df.h: pipe pass: the type line is aligned to more than 64 bytes */
