/* alignment_64.c - alignment.c with types that are aligned to 64 bytes */
#define WIDTH 64
#include "alignment.c"
