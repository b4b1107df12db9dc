/* unsynced_checked.c - unsynced.c with DF_CHECK=1 and without DF_DEBUG */
#undef DF_DEBUG
#undef DF_CHECK
#define DF_CHECK 1
#include "unsynced.c"
