/* An object that each part of a loop would have to copy. */
/* lines: 60 */
#include "../../df.h"
#include <memory>

DF_LOOP(each, (int, n), (std::unique_ptr<int>, p)); /* expect: df.h: parameter 2 of loop each is `(std::unique_ptr<int>, p)`: each part of the loop gets a copy */
