/* Items of a type that is not known. */
/* lines: 28 */
#include "../../df.h"

struct later;
DF_PIPE(pass, struct later); /* gcc: incomplete type */ /* clang: incomplete type */
