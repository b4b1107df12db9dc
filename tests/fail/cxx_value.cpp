/* An object that cannot be copied or moved. */
/* lines: 120 */
#include "../../df.h"
#include <mutex>

DF_TASK(void, lock, (int, n), (std::mutex, m)); /* expect: df.h: parameter 2 of task lock is `(std::mutex, m)`: the task keeps a value */
