/* Kernels on devices by hand with CUDA's driver interface and NVRTC: resident memory, streams, transfers of pinned
 * memory, and of other memory through pinned pieces. */
#include "bench.h"
#include <cuda.h>
#include <nvrtc.h>
#define MEMORY CUdeviceptr
#define EVENT CUevent
#include "gpu_hand.h"

static const char text[] =
    "extern \"C\" {\n"
    "__global__ void bump(unsigned *x, unsigned k) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    x[i] = 3 * x[i] + k;\n"
    "}\n"
    "__global__ void add(float a, const float *__restrict__ x, float *__restrict__ y, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] += a * x[i];\n"
    "}\n"
    "__global__ void sweep(const float *__restrict__ from, float *__restrict__ to, int side) {\n"
    "    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y, at = i * side + j;\n"
    "    if (i >= side || j >= side) return;\n"
    "    if (i == 0 || j == 0 || i == side - 1 || j == side - 1) to[at] = from[at];\n"
    "    else to[at] = 0.25f * (from[at - side] + from[at - 1] + from[at + 1] + from[at + side]);\n"
    "}\n"
    "__global__ void multiply(const float *__restrict__ a, const float *__restrict__ b, "
    "float *__restrict__ c, int n) {\n"
    "    __shared__ float s[TILE * TILE], t[TILE * TILE];\n"
    "    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * TILE + y, j = blockIdx.x * TILE + x;\n"
    "    float sum = 0;\n"
    "    for (int k = 0; k < n; k += TILE) {\n"
    "        s[y * TILE + x] = a[i * n + k + x];\n"
    "        t[y * TILE + x] = b[(k + y) * n + j];\n"
    "        __syncthreads();\n"
    "        for (int m = 0; m < TILE; m++) sum += s[y * TILE + m] * t[m * TILE + x];\n"
    "        __syncthreads();\n"
    "    }\n"
    "    c[i * n + j] += sum;\n"
    "}\n"
    "__global__ void peek(const float *x, float *sum, long long last) { *sum += x[0] + x[last]; }\n"
    "__global__ void poke(float *x, long long step, float k) "
    "{ x[(blockIdx.x * blockDim.x + threadIdx.x) * step] += k; }\n"
    "}\n";

enum { BUMP, ADD, SWEEP, MULTIPLY, PEEK, POKE, KERNELS_IN_TEXT };
static const char *const names[KERNELS_IN_TEXT] = { "bump", "add", "sweep", "multiply", "peek", "poke" };
enum { PIECE = 1 << 20, PIECES = 8, PINS = 4 };     /* through which other memory travels; blocks that are pinned */

static struct {
    CUdevice id;
    CUcontext context;
    CUmodule module;
    CUstream stream[QUEUES];
    CUfunction function[KERNELS_IN_TEXT];
    char *piece[PIECES];
    CUevent travelled[PIECES];
    float a;                                        /* the arguments of `add` */
    CUdeviceptr x, y;
    int n;
} device[MOST];
static int devices, current = -1;
static struct { const char *p; size_t bytes; } pin[PINS];

static void check(CUresult code, const char *call)
{
    const char *name = NULL;
    if (code == CUDA_SUCCESS) return;
    cuGetErrorName(code, &name);
    fprintf(stderr, "%s: %s: %s\n", BENCH_SYSTEM, call, name ? name : "an error");
    exit(1);
}
#define CHECK(call, arguments) check(call arguments, #call)

static void use(int d)
{
    if (d == current) return;
    CHECK(cuCtxSetCurrent, (device[d].context));
    current = d;
}

/* --- devices ------------------------------------------------------------------------------------------------------ */

/* The text as a program for a device; the caller frees it. */
static char *compile(CUdevice id)
{
    nvrtcProgram program;
    char arch[32], tile[32], *image = NULL;
    const char *options[2] = { arch, tile };
    int major = 0, minor = 0;
    size_t bytes = 0;
    CHECK(cuDeviceGetAttribute, (&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, id));
    CHECK(cuDeviceGetAttribute, (&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, id));
    snprintf(arch, sizeof arch, "--gpu-architecture=sm_%d%d", major, minor);
    snprintf(tile, sizeof tile, "-DTILE=%d", TILE);
    if (!nvrtcCreateProgram(&program, text, "gpu_cuda.cu", 0, NULL, NULL)) {
        if (!nvrtcCompileProgram(program, 2, options) && !nvrtcGetCUBINSize(program, &bytes) &&
            (image = (char *)malloc(bytes)) != NULL && nvrtcGetCUBIN(program, image)) {
            free(image);
            image = NULL;
        }
        nvrtcDestroyProgram(&program);
    }
    if (image) return image;
    fprintf(stderr, "%s: NVRTC does not compile the kernels for %s\n", BENCH_SYSTEM, arch);
    exit(1);
}

static void open_device(int which)
{
    int d = devices++;
    char *image;
    CHECK(cuDeviceGet, (&device[d].id, which));
    CHECK(cuDevicePrimaryCtxRetain, (&device[d].context, device[d].id));
    use(d);
    for (int q = 0; q < QUEUES; q++) CHECK(cuStreamCreate, (&device[d].stream[q], CU_STREAM_NON_BLOCKING));
    image = compile(device[d].id);
    CHECK(cuModuleLoadData, (&device[d].module, image));
    free(image);
    for (int k = 0; k < KERNELS_IN_TEXT; k++)
        CHECK(cuModuleGetFunction, (&device[d].function[k], device[d].module, names[k]));
    for (int i = 0; i < PIECES; i++) {
        void *p = NULL;
        CHECK(cuMemHostAlloc, (&p, PIECE, 0));
        device[d].piece[i] = (char *)p;
        CHECK(cuEventCreate, (&device[d].travelled[i], CU_EVENT_DISABLE_TIMING));
    }
}

static int run_start(void)
{
    int n = 0;
    if (cuInit(0) || cuDeviceGetCount(&n)) return 0;
    for (int i = 0; i < n && i < MOST; i++) open_device(i);
    return devices;
}

static void run_stop(void)
{
    for (int d = 0; d < devices; d++) {
        use(d);
        for (int i = 0; i < PIECES; i++) {
            cuEventDestroy(device[d].travelled[i]);
            cuMemFreeHost(device[d].piece[i]);
        }
        for (int q = 0; q < QUEUES; q++) cuStreamDestroy(device[d].stream[q]);
        cuModuleUnload(device[d].module);
        cuDevicePrimaryCtxRelease(device[d].id);
    }
}

/* --- memory of the host ------------------------------------------------------------------------------------------- */

static int run_pin(void *p, size_t bytes)
{
    int i = 0;
    while (pin[i].p) i++;
    use(0);
    CHECK(cuMemHostRegister, (p, bytes, 0));
    pin[i].p = (const char *)p;
    pin[i].bytes = bytes;
    return 1;
}
static void run_unpin(void *p)
{
    int i = 0;
    while (pin[i].p != p) i++;
    CHECK(cuMemHostUnregister, (p));
    pin[i].p = NULL;
}
static int is_pinned(const void *p)
{
    int i = 0;
    while (i < PINS && (!pin[i].p || (const char *)p < pin[i].p || (const char *)p >= pin[i].p + pin[i].bytes)) i++;
    return i < PINS;
}

/* --- memory, queues ----------------------------------------------------------------------------------------------- */

static CUdeviceptr device_memory(int d, size_t bytes)
{
    CUdeviceptr m = 0;
    use(d);
    CHECK(cuMemAlloc, (&m, bytes));
    return m;
}
static void device_free(CUdeviceptr m) { CHECK(cuMemFree, (m)); }

/* Memory that is not pinned: the processor copies one piece while others travel. */
static size_t piece_of(size_t bytes, size_t piece)
{
    return bytes - piece * PIECE < PIECE ? bytes - piece * PIECE : (size_t)PIECE;
}
static void device_line_in(int d, int q, CUdeviceptr m, const void *p, size_t bytes)
{
    use(d);
    if (is_pinned(p)) {
        CHECK(cuMemcpyHtoDAsync, (m, p, bytes, device[d].stream[q]));
        return;
    }
    for (size_t k = 0; k * PIECE < bytes; k++) {
        char *room = device[d].piece[k % PIECES];
        CUevent travelled = device[d].travelled[k % PIECES];
        CHECK(cuEventSynchronize, (travelled));
        memcpy(room, (const char *)p + k * PIECE, piece_of(bytes, k));
        CHECK(cuMemcpyHtoDAsync, (m + k * PIECE, room, piece_of(bytes, k), device[d].stream[q]));
        CHECK(cuEventRecord, (travelled, device[d].stream[q]));
    }
}
static void device_line_out(int d, int q, void *p, CUdeviceptr m, size_t bytes)
{
    size_t asked = 0, taken = 0;
    use(d);
    if (is_pinned(p)) {
        CHECK(cuMemcpyDtoHAsync, (p, m, bytes, device[d].stream[q]));
        return;
    }
    while (taken * PIECE < bytes)
        if (asked * PIECE < bytes && asked - taken < PIECES) {
            CHECK(cuMemcpyDtoHAsync, (device[d].piece[asked % PIECES], m + asked * PIECE, piece_of(bytes, asked),
                                      device[d].stream[q]));
            CHECK(cuEventRecord, (device[d].travelled[asked % PIECES], device[d].stream[q]));
            asked++;
        } else {
            CHECK(cuEventSynchronize, (device[d].travelled[taken % PIECES]));
            memcpy((char *)p + taken * PIECE, device[d].piece[taken % PIECES], piece_of(bytes, taken));
            taken++;
        }
}

static void copy_square(int d, int q, CUdeviceptr m, struct square s, int in)
{
    size_t row = (size_t)s.n * sizeof *s.p, ld = (size_t)s.ld * sizeof *s.p;
    CUDA_MEMCPY2D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = in ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    c.dstMemoryType = in ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    c.srcHost = s.p, c.dstHost = s.p;
    c.srcDevice = c.dstDevice = m;
    c.srcPitch = in ? ld : row, c.dstPitch = in ? row : ld;
    c.WidthInBytes = row, c.Height = (size_t)s.n;
    use(d);
    CHECK(cuMemcpy2DAsync, (&c, device[d].stream[q]));
}
static void device_in(int d, int q, CUdeviceptr m, struct square s) { copy_square(d, q, m, s, 1); }
static void device_out(int d, int q, struct square s, CUdeviceptr m) { copy_square(d, q, m, s, 0); }

static CUevent device_mark(int d, int q)
{
    CUevent e;
    use(d);
    CHECK(cuEventCreate, (&e, CU_EVENT_DISABLE_TIMING));
    CHECK(cuEventRecord, (e, device[d].stream[q]));
    return e;
}
static void device_after(int d, int q, CUevent e)
{
    use(d);
    CHECK(cuStreamWaitEvent, (device[d].stream[q], e, 0));
}
static void device_drop(CUevent e) { CHECK(cuEventDestroy, (e)); }
static void device_finish(int d, int q)
{
    use(d);
    CHECK(cuStreamSynchronize, (device[d].stream[q]));
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

static void launch(int d, int k, long w, long h, unsigned group_w, unsigned group_h, void **arguments)
{
    use(d);
    check(cuLaunchKernel(device[d].function[k], (unsigned)(w - 1) / group_w + 1, (unsigned)(h - 1) / group_h + 1, 1,
                         group_w, group_h, 1, 0, device[d].stream[RUN], arguments, NULL), names[k]);
}

static void bump_begin(CUdeviceptr x) { device[0].x = x; }
static void bump(uint32_t k)
{
    void *arguments[] = { &device[0].x, &k };
    launch(0, BUMP, CHAIN, 1, CHAIN, 1, arguments);
}
static void add_begin(int d, float a, CUdeviceptr x, CUdeviceptr y, long n)
{
    device[d].a = a;
    device[d].x = x;
    device[d].y = y;
    device[d].n = (int)n;
}
static void add(int d)
{
    void *arguments[] = { &device[d].a, &device[d].x, &device[d].y, &device[d].n };
    launch(d, ADD, device[d].n, 1, GROUP, 1, arguments);
}
static void sweep(CUdeviceptr from, CUdeviceptr to, long side)
{
    int n = (int)side;
    void *arguments[] = { &from, &to, &n };
    launch(0, SWEEP, side, side, WIDE, HIGH, arguments);
}
static void multiply(CUdeviceptr a, CUdeviceptr b, CUdeviceptr c, long side)
{
    int n = (int)side;
    void *arguments[] = { &a, &b, &c, &n };
    launch(0, MULTIPLY, side, side, TILE, TILE, arguments);
}
static void peek(CUdeviceptr x, CUdeviceptr sum, long last)
{
    long long at = last;
    void *arguments[] = { &x, &sum, &at };
    launch(0, PEEK, 1, 1, 1, 1, arguments);
}
static void poke(CUdeviceptr x, long step, float k)
{
    long long apart = step;
    void *arguments[] = { &x, &apart, &k };
    launch(0, POKE, POKES, 1, POKES, 1, arguments);
}
