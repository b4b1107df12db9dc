/* device.c - devices, contexts, memory */
#include "double.h"
#include <sys/mman.h>

enum { ALIGN = 256, CANARY = 64, GARBAGE = 0xA5, GUARD = 0x5A, MAX_BLOCKS = 1 << 16 };
struct context double_context[MAX_DEVICES];
int double_devices, double_arch;
static struct block *blocks[MAX_BLOCKS]; /* by address */
static int n_blocks;

static size_t device_bytes(void) { return (size_t)double_number("CUDA_DOUBLE_MEMORY", 256 << 20); }

long cuda_double_live(void);
long cuda_double_live(void)
{
    long n;
    int i;
    pthread_mutex_lock(&double_lock);
    n = n_blocks;
    for (i = 0; i < MAX_DEVICES; i++) {
        const struct context *c = &double_context[i];
        n += c->streams + c->events + c->modules + (c->retained != 0);
    }
    pthread_mutex_unlock(&double_lock);
    return n;
}

void cuda_double_lose(int device, int code);
void cuda_double_lose(int device, int code)
{
    pthread_mutex_lock(&double_lock);
    double_context[device].lost = code;
    pthread_mutex_unlock(&double_lock);
}

int cuDeviceGetCount(int *n);
int cuDeviceGetCount(int *n)
{
    int code = double_enter(N_cuDeviceGetCount);
    if (!code) *n = double_devices;
    return code;
}
int cuDeviceGet(int *device, int i);
int cuDeviceGet(int *device, int i)
{
    int code = double_enter(N_cuDeviceGet);
    if (!code && (i < 0 || i >= double_devices)) code = E_DEVICE;
    if (!code) *device = i;
    return code;
}
int cuDeviceGetName(char *name, int bytes, int device);
int cuDeviceGetName(char *name, int bytes, int device)
{
    int code = double_enter(N_cuDeviceGetName);
    if (!code) snprintf(name, (size_t)bytes, "double of CUDA %d", device);
    return code;
}

int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const struct { int attribute, value; } known[] = {
        { 1, 1024 }, { 2, 1024 }, { 3, 1024 }, { 4, 64 }, { 5, 2147483647 }, { 6, 65535 }, { 7, 65535 },
            { 8, SHARED_BYTES },
        { 10, 32 }, { 11, MAX_PITCH }, { 12, 65536 }, { 16, 4 }
    };
    int code = double_enter(N_cuDeviceGetAttribute);
    size_t i;
    if (code) return code;
    if (device < 0 || device >= double_devices) return E_DEVICE;
    if (attribute == 75) return *value = double_arch / 10, 0;
    if (attribute == 76) return *value = double_arch % 10, 0;
    for (i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].attribute == attribute) return *value = known[i].value, 0;
    return E_VALUE;
}

/* --- contexts ------------------------------------------------------------------------------------------ */

int cuDevicePrimaryCtxRetain(struct context **context, int device);
int cuDevicePrimaryCtxRetain(struct context **context, int device)
{
    int code = double_enter(N_cuDevicePrimaryCtxRetain);
    struct context *c = double_context + device;
    if (code) return code;
    if (device < 0 || device >= double_devices) return E_DEVICE;
    pthread_mutex_lock(&double_lock);
    if (!c->first) {
        size_t bytes = device_bytes() * (sizeof(void *) == 8 ? 16 : 2);
        void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) code = E_MEMORY;
        else c->first = (uintptr_t)p, c->end = c->first + bytes;
    }
    if (!code) {
        if (!c->retained++) c->lost = 0;
        c->device = device;
        *context = c;
    }
    pthread_mutex_unlock(&double_lock);
    return code;
}

static void forget(int device);

int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease_v2(int device)
{
    int code = double_enter(N_cuDevicePrimaryCtxRelease);
    struct context *c = &double_context[device];
    if (code) return code;
    pthread_mutex_lock(&double_lock);
    if (!c->retained) code = E_CONTEXT;
    else if (!--c->retained) {
        if (c->streams || c->events || c->modules || (c->used && !c->lost))
            double_wrong("a context is given back with streams, events, modules or memory in it");
        forget(device);
        c->used = 0;
        memset(c->peer, 0, sizeof c->peer);
    }
    pthread_mutex_unlock(&double_lock);
    return code;
}

int cuDeviceCanAccessPeer(int *can, int device, int peer);
int cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    int code = double_enter(N_cuDeviceCanAccessPeer);
    if (!code) *can = device != peer && double_number("CUDA_DOUBLE_PEERS", 1);
    return code;
}
int cuCtxEnablePeerAccess(struct context *peer, unsigned flags);
int cuCtxEnablePeerAccess(struct context *peer, unsigned flags)
{
    struct context *c;
    int code = double_enter_context(N_cuCtxEnablePeerAccess, &c);
    if (code) return code;
    if (!double_number("CUDA_DOUBLE_PEERS", 1)) return E_PEER_UNSUPPORTED;
    pthread_mutex_lock(&double_lock);
    if (c->peer[peer->device]) code = E_PEER_ENABLED;
    c->peer[peer->device] = 1;
    pthread_mutex_unlock(&double_lock);
    return code;
}

/* --- memory -------------------------------------------------------------------------------------------- */

/* The number of blocks that begin at p or before. */
static int place(uintptr_t p)
{
    int low = 0, high = n_blocks;
    while (low < high) {
        int middle = (low + high) / 2;
        if (blocks[middle]->at <= p) low = middle + 1;
        else high = middle;
    }
    return low;
}

struct block *double_block_of(uintptr_t p)
{
    int i = place(p);
    struct block *b = i ? blocks[i - 1] : NULL;
    return b && b->device >= 0 && p - b->at <= b->bytes ? b : NULL;
}
struct block *double_block(uintptr_t p, size_t bytes)
{
    struct block *b = double_block_of(p);
    return b && bytes <= b->bytes - (p - b->at) ? b : NULL;
}
int double_host(uintptr_t p, size_t bytes, struct block **b)
{
    int i;
    *b = NULL;
    for (i = 0; i < double_devices; i++) {
        const struct context *c = &double_context[i];
        if (p < c->end && p + bytes > c->first) return -1;
    }
    i = place(p);
    if (i && p - blocks[i - 1]->at < blocks[i - 1]->bytes) {
        *b = blocks[i - 1];
        return bytes <= (*b)->bytes - (p - (*b)->at) ? 1 : -1;
    }
    return i < n_blocks && blocks[i]->at < p + bytes ? -1 : 0;
}

static int insert(uintptr_t at, size_t bytes, char *real, int device)
{
    struct block *b = malloc(sizeof *b);
    int i = place(at);
    if (!b || n_blocks == MAX_BLOCKS) return free(b), E_MEMORY;
    memset(b, 0, sizeof *b);
    b->at = at, b->bytes = bytes, b->real = real, b->device = device;
    memmove(blocks + i + 1, blocks + i, (size_t)(n_blocks - i) * sizeof *blocks);
    blocks[i] = b;
    n_blocks++;
    return 0;
}
/* The block that begins at `at` is gone; NULL: there is none of this device. */
static struct block *take(uintptr_t at, int device)
{
    int i = place(at);
    struct block *b = i ? blocks[i - 1] : NULL;
    if (!b || b->at != at || b->device != device) return NULL;
    if (b->pins) double_wrong("memory is freed while an operation in a stream uses it");
    n_blocks--;
    memmove(blocks + i - 1, blocks + i, (size_t)(n_blocks - i + 1) * sizeof *blocks);
    return b;
}

/* What is left in a device's memory goes with its context. */
static void forget(int device)
{
    int i, n = 0;
    for (i = 0; i < n_blocks; i++)
        if (blocks[i]->device == device) free(blocks[i]->real), free(blocks[i]);
        else blocks[n++] = blocks[i];
    n_blocks = n;
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total);
int cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    struct context *c;
    int code = double_enter_context(N_cuMemGetInfo, &c);
    if (code) return code;
    pthread_mutex_lock(&double_lock);
    *total = device_bytes();
    *free_bytes = *total - c->used;
    pthread_mutex_unlock(&double_lock);
    return 0;
}

int cuMemAlloc_v2(uintptr_t *p, size_t bytes);
int cuMemAlloc_v2(uintptr_t *p, size_t bytes)
{
    struct context *c;
    int code = double_enter_context(N_cuMemAlloc, &c), i;
    uintptr_t at;
    char *real;
    if (code) return code;
    if (!bytes) return E_VALUE;
    pthread_mutex_lock(&double_lock);
    if (bytes > device_bytes() - c->used || !(real = malloc(bytes + CANARY))) {
        pthread_mutex_unlock(&double_lock);
        return E_MEMORY;
    }
    memset(real, GARBAGE, bytes);
    memset(real + bytes, GUARD, CANARY);
    at = c->first;
    /* the first gap, with some room around */
    for (i = place(c->first - 1); i < n_blocks && blocks[i]->at < c->end; i++) {
        if (blocks[i]->at - at >= bytes + ALIGN) break;
        at = (blocks[i]->at + blocks[i]->bytes + 2 * ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
    }
    if (c->end - at < bytes + ALIGN || insert(at, bytes, real, c->device)) {
        free(real);
        code = E_MEMORY;
    } else c->used += bytes, *p = at;
    pthread_mutex_unlock(&double_lock);
    return code;
}

int cuMemFree_v2(uintptr_t p);
int cuMemFree_v2(uintptr_t p)
{
    struct context *c;
    int code = double_enter_destroy(N_cuMemFree, &c), i;
    struct block *b;
    if (!c) return code;
    pthread_mutex_lock(&double_lock);
    if (!(b = take(p, c->device))) {
        if (p) double_wrong("cuMemFree of what was not allocated"), code = E_VALUE;
    } else {
        for (i = 0; i < CANARY; i++)
            if (b->real[b->bytes + (size_t)i] != GUARD) break;
        if (i < CANARY) double_wrong("device memory was written behind its end");
        c->used -= b->bytes;
        if (!b->pins) free(b->real), free(b);
    }
    pthread_mutex_unlock(&double_lock);
    return code;
}

int cuMemHostAlloc(void **p, size_t bytes, unsigned flags);
int cuMemHostAlloc(void **p, size_t bytes, unsigned flags)
{
    struct context *c;
    int code = double_enter_context(N_cuMemHostAlloc, &c);
    char *real;
    if (code) return code;
    if (!(real = malloc(bytes))) return E_MEMORY;
    memset(real, GARBAGE, bytes);
    pthread_mutex_lock(&double_lock);
    code = insert((uintptr_t)real, bytes, real, -1);
    pthread_mutex_unlock(&double_lock);
    if (code) free(real);
    else *p = real;
    return code;
}
int cuMemFreeHost(void *p);
int cuMemFreeHost(void *p)
{
    struct context *c;
    int code = double_enter_destroy(N_cuMemFreeHost, &c);
    struct block *b;
    if (!c) return code;
    pthread_mutex_lock(&double_lock);
    if (!(b = take((uintptr_t)p, -1))) double_wrong("cuMemFreeHost of what was not allocated"), code = E_VALUE;
    else if (!b->pins) free(b->real), free(b);
    pthread_mutex_unlock(&double_lock);
    return code;
}
int cuMemHostRegister_v2(void *p, size_t bytes, unsigned flags);
int cuMemHostRegister_v2(void *p, size_t bytes, unsigned flags)
{
    struct context *c;
    struct block *b;
    int code = double_enter_context(N_cuMemHostRegister, &c);
    if (code) return code;
    pthread_mutex_lock(&double_lock);
    code = double_host((uintptr_t)p, bytes, &b) ? E_REGISTERED : insert((uintptr_t)p, bytes, p, -1);
    pthread_mutex_unlock(&double_lock);
    return code;
}
int cuMemHostUnregister(void *p);
int cuMemHostUnregister(void *p)
{
    struct context *c;
    int code = double_enter_destroy(N_cuMemHostUnregister, &c);
    struct block *b;
    if (!c) return code;
    pthread_mutex_lock(&double_lock);
    if (!(b = take((uintptr_t)p, -1))) code = E_NOT_REGISTERED;
    else if (!b->pins) free(b);
    pthread_mutex_unlock(&double_lock);
    return code;
}

int cuPointerGetAttribute(void *value, int attribute, uintptr_t p);
int cuPointerGetAttribute(void *value, int attribute, uintptr_t p)
{
    struct context *c;
    int code = double_enter_context(N_cuPointerGetAttribute, &c), type;
    struct block *b;
    if (code) return code;
    if (attribute != 2) return E_VALUE;
    pthread_mutex_lock(&double_lock);
    type = double_block(p, 1) ? 2 : double_host(p, 1, &b) == 1 ? 1 : 0;
    pthread_mutex_unlock(&double_lock);
    if (!type) return E_VALUE;
    memcpy(value, &type, sizeof type);
    return 0;
}
