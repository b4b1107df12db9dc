/* calls_no_memory_check.c - calls_no_memory.c with DF_CHECK=2, which copies regions before and after each task */
#undef DF_CHECK
#define DF_CHECK 2
#include "calls_no_memory.c"
