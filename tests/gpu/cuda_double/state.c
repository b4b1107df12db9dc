/* state.c - the functions' names, counts and faults; errors */
#include "double.h"
#include <unistd.h>

pthread_mutex_t double_lock = PTHREAD_MUTEX_INITIALIZER;
static const char *const names[N_CALLS] = {
#define CALL_NAME(name) #name,
    CALLS(CALL_NAME)
};
static struct { long calls, fail_at; int code; } call[N_CALLS];
static long wrongs;
static int configured, initialised, broken;
static pid_t process;
static __thread struct context *stack[MAX_STACK];
static __thread int depth;

long double_number(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atol(text) : otherwise;
}

int double_is_fatal(int code)
{
    static const int fatal[] = { 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 999 };
    size_t i;
    for (i = 0; i < sizeof fatal / sizeof *fatal; i++)
        if (fatal[i] == code) return 1;
    return 0;
}

void double_wrong(const char *what)
{
    fprintf(stderr, "CUDA double: %s\n", what);
    __atomic_fetch_add(&wrongs, 1, __ATOMIC_SEQ_CST);
}
long cuda_double_wrongs(void);
long cuda_double_wrongs(void) { return __atomic_load_n(&wrongs, __ATOMIC_SEQ_CST); }

static int find(const char *name)
{
    int i;
    for (i = 0; i < N_CALLS; i++)
        if (!strcmp(names[i], name)) return i;
    return -1;
}

const char *cuda_double_name(int i);
const char *cuda_double_name(int i) { return i >= 0 && i < N_CALLS ? names[i] : NULL; }

int cuda_double_fail(const char *name, long n, int code);
int cuda_double_fail(const char *name, long n, int code)
{
    int i = find(name);
    if (i < 0) return -1;
    pthread_mutex_lock(&double_lock);
    call[i].fail_at = n ? call[i].calls + n : 0;
    call[i].code = code;
    pthread_mutex_unlock(&double_lock);
    return 0;
}

long cuda_double_calls(const char *name);
long cuda_double_calls(const char *name)
{
    int i = find(name);
    long n;
    if (i < 0) return -1;
    pthread_mutex_lock(&double_lock);
    n = call[i].calls;
    pthread_mutex_unlock(&double_lock);
    return n;
}

static void configure(void)
{
    const char *p = getenv("CUDA_DOUBLE_FAIL");
    char name[64];
    long n;
    int code, used, i;
    configured = 1;
    broken = (int)double_number("CUDA_DOUBLE_BROKEN", 0);
    for (; p && sscanf(p, "%63[^:]:%ld:%d%n", name, &n, &code, &used) == 3; p += used + (p[used] == ','))
        if ((i = find(name)) >= 0) call[i].fail_at = n, call[i].code = code;
        else fprintf(stderr, "CUDA_DOUBLE_FAIL: there is no %s\n", name);
}

int double_fault(enum call n)
{
    if (!configured) configure();
    call[n].calls++;
    if (broken) return broken;
    if (!call[n].fail_at || call[n].calls != call[n].fail_at) return 0;
    call[n].fail_at = 0;
    return call[n].code;
}

static int enter(enum call n, int needs_init)
{
    int code = double_fault(n);
    if (code && depth && double_is_fatal(code)) stack[depth - 1]->lost = code;
    return code ? code : needs_init && (!initialised || process != getpid()) ? E_NOT_INITIALIZED : 0;
}
int double_enter(enum call n)
{
    int code;
    pthread_mutex_lock(&double_lock);
    code = enter(n, n < N_nvrtcVersion && n != N_cuInit && n != N_cuDriverGetVersion && n != N_cuGetErrorName &&
                 n != N_cuGetErrorString);
    pthread_mutex_unlock(&double_lock);
    return code;
}
int double_enter_context(enum call n, struct context **c)
{
    int code;
    pthread_mutex_lock(&double_lock);
    code = enter(n, 1);
    if (!code && (!depth || !stack[depth - 1]->retained)) code = E_CONTEXT;
    if (!code) code = (*c = stack[depth - 1])->lost;
    pthread_mutex_unlock(&double_lock);
    return code;
}
int double_enter_destroy(enum call n, struct context **c)
{
    int code;
    pthread_mutex_lock(&double_lock);
    code = enter(n, 1);
    *c = depth && stack[depth - 1]->retained ? stack[depth - 1] : NULL;
    if (!code) code = *c ? (*c)->lost : E_CONTEXT;
    pthread_mutex_unlock(&double_lock);
    return code;
}

/* --- libcuda ------------------------------------------------------------------------------------------- */

int cuInit(unsigned flags);
int cuInit(unsigned flags)
{
    int code = double_enter(N_cuInit);
    if (code) return code;
    pthread_mutex_lock(&double_lock);
    if (!initialised) {
        double_devices = (int)double_number("CUDA_DOUBLE_DEVICES", 1);
        if (double_devices > MAX_DEVICES) double_devices = MAX_DEVICES;
        double_arch = (int)double_number("CUDA_DOUBLE_ARCH", 90);
        process = getpid();
        initialised = 1;
    }
    pthread_mutex_unlock(&double_lock);
    return double_devices ? 0 : E_NO_DEVICE;
}

int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version)
{
    int code = double_enter(N_cuDriverGetVersion);
    if (!code) *version = 12040;
    return code;
}

static const struct { int code; const char *name, *text; } errors[] = {
    { 0, "CUDA_SUCCESS", "no error" },
    { E_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
    { E_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
    { E_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error" },
    { E_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
    { E_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal" },
    { E_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid" },
    { E_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context" },
    { E_NO_BINARY, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device" },
    { E_PEER_UNSUPPORTED, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
      "peer access is not supported between these two devices" },
    { E_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle" },
    { E_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found" },
    { E_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready" },
    { E_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered" },
    { E_PEER_ENABLED, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled" },
    { E_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure" },
    { 999, "CUDA_ERROR_UNKNOWN", "unknown error" },
};

static int describe(enum call n, int code, const char **text, int name)
{
    int failed = double_enter(n);
    size_t i;
    if (failed) return failed;
    *text = NULL;
    for (i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code) *text = name ? errors[i].name : errors[i].text;
    return *text ? 0 : E_VALUE;
}
int cuGetErrorName(int code, const char **name);
int cuGetErrorName(int code, const char **name) { return describe(N_cuGetErrorName, code, name, 1); }
int cuGetErrorString(int code, const char **text);
int cuGetErrorString(int code, const char **text) { return describe(N_cuGetErrorString, code, text, 0); }

int cuCtxPushCurrent_v2(struct context *c);
int cuCtxPushCurrent_v2(struct context *c)
{
    int code = double_enter(N_cuCtxPushCurrent);
    if (code) return code;
    pthread_mutex_lock(&double_lock);
    if (c < double_context || c >= double_context + MAX_DEVICES || !c->retained) code = E_CONTEXT;
    else if (depth == MAX_STACK) double_wrong("contexts are pushed and not popped"), code = E_VALUE;
    else stack[depth++] = c;
    pthread_mutex_unlock(&double_lock);
    return code;
}
int cuCtxPopCurrent_v2(struct context **c);
int cuCtxPopCurrent_v2(struct context **c)
{
    int code = double_enter(N_cuCtxPopCurrent);
    if (!depth) return E_CONTEXT;
    *c = stack[--depth];
    return code;
}
