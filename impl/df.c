/* df.c - the implementation as a file of its own, for build systems: compile it and link with -pthread. */
#define DF_IMPLEMENTATION
#include "../df.h"
#include "../df_stm.h"
#include "../df_gpu.h"
