/* An element for each worker that is aligned to 128. */
#include "../../df.h"
typedef struct { _Alignas(128) double v[16]; } line;

static df_per_worker(line) mine = DF_PER_WORKER; /* expect: df.h: df_per_worker: the type line is aligned to more than 64 */
double first(void) { return df_mine(&mine)->v[0]; }
