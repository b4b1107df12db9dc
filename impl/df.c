/* df.c - the implementation as a file of its own, for build systems: compile it and link with -pthread. With
 * DF_USE_OPENCL or DF_USE_CUDA defined it also has that of df_gpu.h (without a driver: DF_IMPLEMENTATION before
 * df_gpu.h, in a file of yours). */
#define DF_IMPLEMENTATION
#include "../df.h"
#include "../df_stm.h"
#include "../df_containers.h"
#include "../df_owm.h"
#if defined(DF_USE_OPENCL) || defined(DF_USE_CUDA)
#include "../df_gpu.h"
#endif
