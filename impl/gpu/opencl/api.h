/* api.h - the functions of libOpenCL, loaded at run time
 *
 * They are declared here, so that no header of OpenCL is needed: version 1.2, as of the Khronos specification. All
 * handles are void *; cl_int is int, cl_uint and cl_bool are unsigned, cl_bitfield is uint64_t. */
#ifndef DFI_GPU_OPENCL_API_H
#define DFI_GPU_OPENCL_API_H

#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../api/result.h"
#include "../driver.h"
#include "../library.h"

#if defined(DF_USE_OPENCL)

#if defined(_WIN32) && !defined(_WIN64)
#define DFI_CL_CALL __stdcall
#else
#define DFI_CL_CALL
#endif

/* Codes, flags and names of queries, from cl.h; those with NV and AMD from cl_ext.h. */
enum {
    DFI_CL_OK = 0, DFI_CL_COMPLETE = 0,
    DFI_CL_ALLOCATION_FAILURE = -4, DFI_CL_OUT_OF_HOST_MEMORY = -6,
    DFI_CL_INVALID_GROUP = -54, DFI_CL_INVALID_ITEM = -55, DFI_CL_INVALID_ITEMS = -63,
    DFI_CL_DEVICE_TYPE_CPU = 1 << 1, DFI_CL_DEVICE_TYPE_CUSTOM = 1 << 4,
    DFI_CL_MEM_READ_WRITE = 1,
    DFI_CL_CONTEXT_PLATFORM = 0x1084,
    DFI_CL_CORRECTLY_ROUNDED = 1 << 7,
    DFI_CL_EVENT_STATUS = 0x11D3,
    DFI_CL_PROGRAM_BINARY_SIZES = 0x1165, DFI_CL_PROGRAM_BINARIES = 0x1166,
    DFI_CL_BUILD_LOG = 0x1183,
    DFI_CL_KERNEL_GROUP = 0x11B0, DFI_CL_KERNEL_LOCAL = 0x11B2, DFI_CL_KERNEL_PRIVATE = 0x11B4
};
enum {
    DFI_CL_DEVICE_TYPE = 0x1000, DFI_CL_DEVICE_UNITS = 0x1002, DFI_CL_DEVICE_DIMENSIONS = 0x1003,
    DFI_CL_DEVICE_GROUP = 0x1004,
    DFI_CL_DEVICE_ITEMS = 0x1005, DFI_CL_DEVICE_MAX_ALLOC = 0x1010, DFI_CL_DEVICE_SINGLE = 0x101B,
    DFI_CL_DEVICE_MEMORY = 0x101F,
    DFI_CL_DEVICE_LOCAL = 0x1023, DFI_CL_DEVICE_LITTLE = 0x1026, DFI_CL_DEVICE_AVAILABLE = 0x1027,
    DFI_CL_DEVICE_COMPILER = 0x1028, DFI_CL_DEVICE_NAME = 0x102B, DFI_CL_DRIVER_VERSION = 0x102D,
    DFI_CL_DEVICE_VERSION = 0x102F, DFI_CL_DEVICE_DOUBLE = 0x1032, DFI_CL_DEVICE_UNIFIED = 0x1035,
    DFI_CL_DEVICE_REGISTERS_NV = 0x4002, DFI_CL_DEVICE_WARP_NV = 0x4003, DFI_CL_DEVICE_WAVEFRONT_AMD = 0x4043
};
static const uint64_t dfi_cl_all_devices = 0xFFFFFFFFu; /* CL_DEVICE_TYPE_ALL; custom devices are in it, too */

/* X(result, member, parameters), the function is cl and the member's name. DFI_CL_WAITS: the events an operation waits
 * for, and its own. */
#define DFI_CL_WAITS unsigned n_waits, void *const *waits, void **event
#define DFI_CL_FUNCTIONS(X)                                                                                            \
    X(int, GetPlatformIDs, (unsigned n, void **platforms, unsigned *n_platforms))                                      \
    X(int, GetDeviceIDs, (void *platform, uint64_t type, unsigned n, void **devices, unsigned *n_devices))             \
    X(int, GetDeviceInfo, (void *device, unsigned what, size_t bytes, void *value, size_t *bytes_of_value))            \
    X(void *, CreateContext, (const intptr_t *properties, unsigned n, void *const *devices,                            \
      void (DFI_CL_CALL *notify)(const char *text, const void *data, size_t bytes, void *arg), void *arg, int *error)) \
    X(int, ReleaseContext, (void *context))                                                                            \
    X(void *, CreateCommandQueue, (void *context, void *device, uint64_t properties, int *error))                      \
    X(int, ReleaseCommandQueue, (void *queue))                                                                         \
    X(int, Flush, (void *queue))                                                                                       \
    X(int, Finish, (void *queue))                                                                                      \
    X(void *, CreateBuffer, (void *context, uint64_t flags, size_t bytes, void *host, int *error))                     \
    X(int, ReleaseMemObject, (void *memory))                                                                           \
    X(int, EnqueueWriteBuffer, (void *queue, void *to, unsigned blocking, size_t at, size_t bytes, const void *from,   \
      DFI_CL_WAITS))                                                                                                   \
    X(int, EnqueueReadBuffer, (void *queue, void *from, unsigned blocking, size_t at, size_t bytes, void *to,          \
      DFI_CL_WAITS))                                                                                                   \
    X(int, EnqueueCopyBuffer, (void *queue, void *from, void *to, size_t from_at, size_t to_at, size_t bytes,          \
      DFI_CL_WAITS))                                                                                                   \
    X(int, EnqueueWriteBufferRect, (void *queue, void *to, unsigned blocking, const size_t *at, const size_t *host_at, \
      const size_t *box, size_t pitch, size_t slice, size_t host_pitch, size_t host_slice, const void *from,           \
      DFI_CL_WAITS))                                                                                                   \
    X(int, EnqueueReadBufferRect,                                                                                      \
      (void *queue, void *from, unsigned blocking, const size_t *at, const size_t *host_at,                            \
      const size_t *box, size_t pitch, size_t slice, size_t host_pitch, size_t host_slice, void *to, DFI_CL_WAITS))    \
    X(int, EnqueueCopyBufferRect, (void *queue, void *from, void *to, const size_t *from_at, const size_t *to_at,      \
      const size_t *box, size_t from_pitch, size_t from_slice, size_t to_pitch, size_t to_slice, DFI_CL_WAITS))        \
    X(int, EnqueueNDRangeKernel, (void *queue, void *kernel, unsigned dimensions, const size_t *offset,                \
      const size_t *items, const size_t *group, DFI_CL_WAITS))                                                         \
    X(int, EnqueueMarkerWithWaitList, (void *queue, DFI_CL_WAITS))                                                     \
    X(int, EnqueueBarrierWithWaitList, (void *queue, DFI_CL_WAITS))                                                    \
    X(int, WaitForEvents, (unsigned n, void *const *events))                                                           \
    X(int, GetEventInfo, (void *event, unsigned what, size_t bytes, void *value, size_t *bytes_of_value))              \
    X(int, RetainEvent, (void *event))                                                                                 \
    X(int, ReleaseEvent, (void *event))                                                                                \
    X(void *, CreateProgramWithSource,                                                                                 \
      (void *context, unsigned n, const char **texts, const size_t *bytes, int *error))                                \
    X(void *, CreateProgramWithBinary, (void *context, unsigned n, void *const *devices, const size_t *bytes,          \
      const unsigned char **binaries, int *status, int *error))                                                        \
    X(int, BuildProgram, (void *program, unsigned n, void *const *devices, const char *options,                        \
      void (DFI_CL_CALL *notify)(void *program, void *arg), void *arg))                                                \
    X(int, GetProgramInfo, (void *program, unsigned what, size_t bytes, void *value, size_t *bytes_of_value))          \
    X(int, GetProgramBuildInfo, (void *program, void *device, unsigned what, size_t bytes, void *value,                \
      size_t *bytes_of_value))                                                                                         \
    X(int, ReleaseProgram, (void *program))                                                                            \
    X(void *, CreateKernel, (void *program, const char *name, int *error))                                             \
    X(int, ReleaseKernel, (void *kernel))                                                                              \
    X(int, SetKernelArg, (void *kernel, unsigned i, size_t bytes, const void *value))                                  \
    X(int, GetKernelWorkGroupInfo, (void *kernel, void *device, unsigned what, size_t bytes, void *value,              \
      size_t *bytes_of_value))

#define DFI_CL_MEMBER(result, name, parameters) result (DFI_CL_CALL *name) parameters;
struct dfi_cl_api { DFI_CL_FUNCTIONS(DFI_CL_MEMBER) };
static struct dfi_cl_api dfi_cl; /* written by `count` alone, before anything else is called */

#define DFI_CL_ERRORS(X)                                                                                              \
    X(-1, DEVICE_NOT_FOUND) X(-2, DEVICE_NOT_AVAILABLE) X(-3, COMPILER_NOT_AVAILABLE) X(-4,                           \
        MEM_OBJECT_ALLOCATION_FAILURE)                                                                                \
    X(-5, OUT_OF_RESOURCES) X(-6, OUT_OF_HOST_MEMORY) X(-7, PROFILING_INFO_NOT_AVAILABLE) X(-8, MEM_COPY_OVERLAP)     \
    X(-9, IMAGE_FORMAT_MISMATCH) X(-10, IMAGE_FORMAT_NOT_SUPPORTED) X(-11, BUILD_PROGRAM_FAILURE) X(-12, MAP_FAILURE) \
    X(-13, MISALIGNED_SUB_BUFFER_OFFSET) X(-14, EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) X(-15,                     \
        COMPILE_PROGRAM_FAILURE)                                                                                      \
    X(-16, LINKER_NOT_AVAILABLE) X(-17, LINK_PROGRAM_FAILURE) X(-18, DEVICE_PARTITION_FAILED)                         \
    X(-19, KERNEL_ARG_INFO_NOT_AVAILABLE) X(-30, INVALID_VALUE) X(-31, INVALID_DEVICE_TYPE) X(-32, INVALID_PLATFORM)  \
    X(-33, INVALID_DEVICE) X(-34, INVALID_CONTEXT) X(-35, INVALID_QUEUE_PROPERTIES) X(-36, INVALID_COMMAND_QUEUE)     \
    X(-37, INVALID_HOST_PTR) X(-38, INVALID_MEM_OBJECT) X(-42, INVALID_BINARY) X(-43, INVALID_BUILD_OPTIONS)          \
    X(-44, INVALID_PROGRAM) X(-45, INVALID_PROGRAM_EXECUTABLE) X(-46, INVALID_KERNEL_NAME) X(-47,                     \
        INVALID_KERNEL_DEFINITION)                                                                                    \
    X(-48, INVALID_KERNEL) X(-49, INVALID_ARG_INDEX) X(-50, INVALID_ARG_VALUE) X(-51, INVALID_ARG_SIZE)               \
    X(-52, INVALID_KERNEL_ARGS) X(-53, INVALID_WORK_DIMENSION) X(-54, INVALID_WORK_GROUP_SIZE) X(-55,                 \
        INVALID_WORK_ITEM_SIZE)                                                                                       \
    X(-56, INVALID_GLOBAL_OFFSET) X(-57, INVALID_EVENT_WAIT_LIST) X(-58, INVALID_EVENT) X(-59, INVALID_OPERATION)     \
    X(-61, INVALID_BUFFER_SIZE) X(-63, INVALID_GLOBAL_WORK_SIZE) X(-64, INVALID_PROPERTY) X(-1001,                    \
        PLATFORM_NOT_FOUND_KHR)
static const char *dfi_cl_error_name(int code)
{
#define DFI_CL_ERROR_ROW(number, name) { number, "CL_" #name },
    static const struct { int code; const char *name; } rows[] = { DFI_CL_ERRORS(DFI_CL_ERROR_ROW) };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code) return rows[i].name;
    return "an error";
}

/* The result for the caller of a call that failed; dfi_gpu_error has the text. pre: code is not DFI_CL_OK. */
static df_result dfi_cl_fail(const char *call, int code)
{
    snprintf(dfi_gpu_error, sizeof dfi_gpu_error, "%s: %s (%d)", call, dfi_cl_error_name(code), code);
    switch (code) {
    case DFI_CL_ALLOCATION_FAILURE:
    case DFI_CL_OUT_OF_HOST_MEMORY: return DF_ERROR_DEVICE_MEMORY;
    case DFI_CL_INVALID_GROUP:
    case DFI_CL_INVALID_ITEM:
    case DFI_CL_INVALID_ITEMS: return DF_ERROR_GRID;
    default: return DF_ERROR_DEVICE;
    }
}
static df_result dfi_cl_check(const char *call, int code) { return code ? dfi_cl_fail(call, code) : DF_OK; }

#define DFI_CL_SYMBOL(result, name, parameters) "cl" #name,

/* Finds the library and its functions. 0, or -1: there is none, or it is older than OpenCL 1.2. It is never closed:
 * implementations have threads. */
static int dfi_cl_load(void)
{
    static const char *const name[] = { "libOpenCL.so.1", "libOpenCL.so",
        "/System/Library/Frameworks/OpenCL.framework/OpenCL" };
    static const char *const symbol[] = { DFI_CL_FUNCTIONS(DFI_CL_SYMBOL) };
    void *library = NULL;
    size_t i;
    DFI_STATIC_ASSERT(sizeof dfi_cl == sizeof symbol, "a function pointer is as large as an object pointer");
    for (i = 0; i < sizeof name / sizeof *name && !library; i++) library = dfi_library_open(name[i]);
    return library && !dfi_library_find(library, symbol, sizeof symbol / sizeof *symbol, (void *)&dfi_cl) ? 0 : -1;
}

/* A number that the device tells, 0 if it does not. T is the type that cl.h says. */
#define DFI_CL_ASK(T, device, what) ((uint64_t)dfi_cl_ask_##T(device, what))
#define DFI_CL_ASKS(T)                                                                          \
    static T dfi_cl_ask_##T(void *device, unsigned what)                                        \
    {                                                                                           \
        T value = 0;                                                                            \
        return dfi_cl.GetDeviceInfo(device, what, sizeof value, &value, NULL) ? 0 : value;      \
    }
DFI_CL_ASKS(unsigned)
DFI_CL_ASKS(uint64_t)
DFI_CL_ASKS(size_t)

/* A text that the device tells, as much of it as there is room for. */
static void dfi_cl_ask_text(void *device, unsigned what, char *text, size_t room)
{
    size_t bytes = 0;
    char *all;
    *text = 0;
    if (dfi_cl.GetDeviceInfo(device, what, 0, NULL, &bytes) || !bytes || !(all = (char *)dfi_malloc(bytes))) return;
    if (!dfi_cl.GetDeviceInfo(device, what, bytes, all, NULL)) snprintf(text, room, "%.*s", (int)bytes, all);
    dfi_mfree(all);
}

#endif

#endif
