/* kernel_try_checked.c - kernel_try.c with DF_CHECK, on the host */
#define DF_CHECK 1
#include "kernel_try.c"
