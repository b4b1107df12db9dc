/* owm_copies.c - the programs of owm.c as three processes, each with a copy of its own */
#define DF_OWM_COPIES 1
#define PROCESSES 3
#include "owm.c"
