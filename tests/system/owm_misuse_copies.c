/* owm_misuse_copies.c - the tests of owm_misuse.c in the build for several processes */
#define DF_OWM_COPIES 1
#include "owm_misuse.c"
