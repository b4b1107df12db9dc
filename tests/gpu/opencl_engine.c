/* opencl_engine.c - engine.c on devices of OpenCL */
#define DF_USE_OPENCL
#define main engine
#include "engine.c"
#undef main
#include "opencl.h"

int main(void)
{
    open_all(); /* skips the test if there are none */
    close_all();
    setenv("DF_GPU", "opencl", 1);
    return engine();
}
