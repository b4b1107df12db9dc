/* kernel_try_compiled.c - kernel_try.c where OpenCL and NVRTC are installed: they compile the text, and a kernel that
 * they refuse is not run on a simulated device */
#define DF_USE_OPENCL
#define DF_USE_CUDA
#include "kernel_try.c"
