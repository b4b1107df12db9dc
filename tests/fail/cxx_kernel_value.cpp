/* A kernel is given bytes. */
/* lines: 60 */
#include "../../df_gpu.h"
#include <string>

DF_KERNEL(each, (int, n), (std::string, s), { (void)n, (void)s; }) /* expect: df.h: parameter 2 of kernel each is `(std::string, s)`: a kernel is given the bytes */
