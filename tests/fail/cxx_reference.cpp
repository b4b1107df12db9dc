/* A const reference: it may be to a temporary, which is gone when the task runs. */
/* lines: 60 */
#include "../../df.h"
#include <string>

DF_TASK(void, say, (const std::string &, s)); /* expect: df.h: parameter 1 of task say is `(const std::string &, s)`: the task keeps a value */
