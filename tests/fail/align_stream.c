/* Elements of a stream that are aligned to 128. */
#include "../../df.h"
typedef struct { _Alignas(128) double v[16]; } line;

DF_TASK(void, take, df_pop(line, x, 1)); /* expect: df.h: stream x of task take: the type line is aligned to more than 64 */
