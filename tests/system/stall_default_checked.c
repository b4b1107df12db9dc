/* stall_default_checked.c - stall_default.c with DF_CHECK */
#undef DF_CHECK
#define DF_CHECK 1
#include "stall_default.c"
