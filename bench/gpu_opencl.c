/* Kernels on devices by hand with OpenCL 1.2: resident buffers, in-order queues, no blocking transfer. */
#include "bench.h"
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#define MEMORY cl_mem
#define EVENT cl_event
#include "gpu_hand.h"

static const char text[] =
    "kernel void bump(global uint *x, uint k) {\n"
    "    int i = get_global_id(0);\n"
    "    x[i] = 3 * x[i] + k;\n"
    "}\n"
    "kernel void add(float a, global const float *restrict x, global float *restrict y, int n) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) y[i] += a * x[i];\n"
    "}\n"
    "kernel void sweep(global const float *restrict from, global float *restrict to, int side) {\n"
    "    int j = get_global_id(0), i = get_global_id(1), at = i * side + j;\n"
    "    if (i >= side || j >= side) return;\n"
    "    if (i == 0 || j == 0 || i == side - 1 || j == side - 1) to[at] = from[at];\n"
    "    else to[at] = 0.25f * (from[at - side] + from[at - 1] + from[at + 1] + from[at + side]);\n"
    "}\n"
    "kernel void multiply(global const float *restrict a, global const float *restrict b, "
    "global float *restrict c, int n) {\n"
    "    local float s[TILE * TILE], t[TILE * TILE];\n"
    "    int x = get_local_id(0), y = get_local_id(1), i = get_global_id(1), j = get_global_id(0);\n"
    "    float sum = 0;\n"
    "    for (int k = 0; k < n; k += TILE) {\n"
    "        s[y * TILE + x] = a[i * n + k + x];\n"
    "        t[y * TILE + x] = b[(k + y) * n + j];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int m = 0; m < TILE; m++) sum += s[y * TILE + m] * t[m * TILE + x];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[i * n + j] += sum;\n"
    "}\n"
    "kernel void peek(global const float *x, global float *sum, long last) { *sum += x[0] + x[last]; }\n"
    "kernel void poke(global float *x, long step, float k) { x[get_global_id(0) * step] += k; }\n";

enum { BUMP, ADD, SWEEP, MULTIPLY, PEEK, POKE, KERNELS_IN_TEXT };
enum { WAITS = 8 };
static const char *const names[KERNELS_IN_TEXT] = { "bump", "add", "sweep", "multiply", "peek", "poke" };

static struct {
    cl_context context;
    cl_command_queue queue[QUEUES];
    cl_kernel kernel[KERNELS_IN_TEXT];
    cl_event wait[QUEUES][WAITS];               /* the event that the next operation of each queue waits for */
    cl_uint waits[QUEUES];
    size_t items;                               /* of `add` */
} device[MOST];
static int devices;

static void check(cl_int code, const char *call)
{
    if (code == CL_SUCCESS) return;
    fprintf(stderr, "%s: %s: %d\n", BENCH_SYSTEM, call, (int)code);
    exit(1);
}

/* --- devices ------------------------------------------------------------------------------------------------------ */

static void open_device(cl_device_id id)
{
    int d = devices++;
    const char *lines = text;
    char options[64];
    cl_int code;
    cl_program program;
    device[d].context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    check(code, "clCreateContext");
    for (int q = 0; q < QUEUES; q++) {
        device[d].queue[q] = clCreateCommandQueue(device[d].context, id, 0, &code);
        check(code, "clCreateCommandQueue");
    }
    program = clCreateProgramWithSource(device[d].context, 1, &lines, NULL, &code);
    check(code, "clCreateProgramWithSource");
    snprintf(options, sizeof options, "-cl-std=CL1.2 -DTILE=%d", TILE);
    check(clBuildProgram(program, 1, &id, options, NULL, NULL), "clBuildProgram");
    for (int k = 0; k < KERNELS_IN_TEXT; k++) {
        device[d].kernel[k] = clCreateKernel(program, names[k], &code);
        check(code, names[k]);
    }
    clReleaseProgram(program);
}

static int run_start(void)
{
    cl_platform_id platform[MOST];
    cl_uint platforms = 0;
    if (clGetPlatformIDs(MOST, platform, &platforms) != CL_SUCCESS) return 0;
    for (cl_uint p = 0; p < platforms && p < MOST; p++) {
        cl_device_id id[MOST];
        cl_uint n = 0;
        if (clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, MOST, id, &n) != CL_SUCCESS) continue;
        for (cl_uint i = 0; i < n && i < MOST && devices < MOST; i++) open_device(id[i]);
    }
    return devices;
}

static void run_stop(void)
{
    for (int d = 0; d < devices; d++) {
        for (int k = 0; k < KERNELS_IN_TEXT; k++) clReleaseKernel(device[d].kernel[k]);
        for (int q = 0; q < QUEUES; q++) clReleaseCommandQueue(device[d].queue[q]);
        clReleaseContext(device[d].context);
    }
}

static int run_pin(void *p, size_t bytes)   /* OpenCL has no pinned memory that is not a buffer */
{
    (void)p, (void)bytes;
    return 0;
}
static void run_unpin(void *p) { (void)p; }

/* --- memory, queues ----------------------------------------------------------------------------------------------- */

#define AFTER(d, q) device[d].waits[q], device[d].waits[q] ? device[d].wait[q] : NULL, NULL

static cl_mem device_memory(int d, size_t bytes)
{
    cl_int code;
    cl_mem m = clCreateBuffer(device[d].context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    check(code, "clCreateBuffer");
    return m;
}
static void device_free(cl_mem m) { clReleaseMemObject(m); }

static void put(int d, int q, cl_int code, const char *call)
{
    device[d].waits[q] = 0;
    check(code, call);
}
static void device_line_in(int d, int q, cl_mem m, const void *p, size_t bytes)
{
    put(d, q, clEnqueueWriteBuffer(device[d].queue[q], m, CL_FALSE, 0, bytes, p, AFTER(d, q)), "clEnqueueWriteBuffer");
}
static void device_line_out(int d, int q, void *p, cl_mem m, size_t bytes)
{
    put(d, q, clEnqueueReadBuffer(device[d].queue[q], m, CL_FALSE, 0, bytes, p, AFTER(d, q)), "clEnqueueReadBuffer");
}
static void device_in(int d, int q, cl_mem m, struct square s)
{
    static const size_t zero[3];
    size_t row = (size_t)s.n * sizeof *s.p, box[3] = { row, (size_t)s.n, 1 };
    put(d, q, clEnqueueWriteBufferRect(device[d].queue[q], m, CL_FALSE, zero, zero, box, row, 0,
                                       (size_t)s.ld * sizeof *s.p, 0, s.p, AFTER(d, q)), "clEnqueueWriteBufferRect");
}
static void device_out(int d, int q, struct square s, cl_mem m)
{
    static const size_t zero[3];
    size_t row = (size_t)s.n * sizeof *s.p, box[3] = { row, (size_t)s.n, 1 };
    put(d, q, clEnqueueReadBufferRect(device[d].queue[q], m, CL_FALSE, zero, zero, box, row, 0,
                                      (size_t)s.ld * sizeof *s.p, 0, s.p, AFTER(d, q)), "clEnqueueReadBufferRect");
}

/* An event that is waited for in another queue has to be flushed. */
static cl_event device_mark(int d, int q)
{
    cl_event e;
    check(clEnqueueMarkerWithWaitList(device[d].queue[q], 0, NULL, &e), "clEnqueueMarkerWithWaitList");
    check(clFlush(device[d].queue[q]), "clFlush");
    return e;
}
static void device_after(int d, int q, cl_event e)
{
    if (device[d].waits[q] == WAITS)
        put(d, q, clEnqueueBarrierWithWaitList(device[d].queue[q], AFTER(d, q)), "clEnqueueBarrierWithWaitList");
    device[d].wait[q][device[d].waits[q]++] = e;
}
static void device_drop(cl_event e) { clReleaseEvent(e); }
static void device_finish(int d, int q) { check(clFinish(device[d].queue[q]), "clFinish"); }

/* --- launches ----------------------------------------------------------------------------------------------------- */

static void argument(int d, int k, cl_uint i, size_t bytes, const void *value)
{
    check(clSetKernelArg(device[d].kernel[k], i, bytes, value), names[k]);
}
static void memory(int k, cl_uint i, cl_mem m) { argument(0, k, i, sizeof m, &m); }
static void number(int k, cl_uint i, long x)
{
    cl_int n = (cl_int)x;
    argument(0, k, i, sizeof n, &n);
}
static void launch(int d, int k, cl_uint dimensions, size_t w, size_t h, size_t group_w, size_t group_h)
{
    size_t items[2] = { (w + group_w - 1) / group_w * group_w, (h + group_h - 1) / group_h * group_h },
        group[2] = { group_w, group_h };
    put(d, RUN, clEnqueueNDRangeKernel(device[d].queue[RUN], device[d].kernel[k], dimensions, NULL, items, group,
                                       AFTER(d, RUN)), names[k]);
}

static void bump_begin(cl_mem x) { memory(BUMP, 0, x); }
static void bump(uint32_t k)
{
    argument(0, BUMP, 1, sizeof k, &k);
    launch(0, BUMP, 1, CHAIN, 1, CHAIN, 1);
}
static void add_begin(int d, float a, cl_mem x, cl_mem y, long n)
{
    cl_int items = (cl_int)n;
    argument(d, ADD, 0, sizeof a, &a);
    argument(d, ADD, 1, sizeof x, &x);
    argument(d, ADD, 2, sizeof y, &y);
    argument(d, ADD, 3, sizeof items, &items);
    device[d].items = (size_t)n;
}
static void add(int d) { launch(d, ADD, 1, device[d].items, 1, GROUP, 1); }
static void sweep(cl_mem from, cl_mem to, long side)
{
    memory(SWEEP, 0, from);
    memory(SWEEP, 1, to);
    number(SWEEP, 2, side);
    launch(0, SWEEP, 2, (size_t)side, (size_t)side, WIDE, HIGH);
}
static void multiply(cl_mem a, cl_mem b, cl_mem c, long n)
{
    memory(MULTIPLY, 0, a);
    memory(MULTIPLY, 1, b);
    memory(MULTIPLY, 2, c);
    number(MULTIPLY, 3, n);
    launch(0, MULTIPLY, 2, (size_t)n, (size_t)n, TILE, TILE);
}
static void peek(cl_mem x, cl_mem sum, long last)
{
    cl_long at = last;
    memory(PEEK, 0, x);
    memory(PEEK, 1, sum);
    argument(0, PEEK, 2, sizeof at, &at);
    launch(0, PEEK, 1, 1, 1, 1, 1);
}
static void poke(cl_mem x, long step, float k)
{
    cl_long apart = step;
    memory(POKE, 0, x);
    argument(0, POKE, 1, sizeof apart, &apart);
    argument(0, POKE, 2, sizeof k, &k);
    launch(0, POKE, 1, POKES, 1, POKES, 1);
}
