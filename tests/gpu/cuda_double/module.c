/* module.c - modules, kernels */
#include "double.h"
#include "image.h"
#include "../scratch.h"
#include <dlfcn.h>
#include <unistd.h>

enum { MODULE = 0x30D01, FUNCTION = 0xF0C7 };

/* The bytes of an ELF file that the real NVRTC made for a GPU; 0: it is none. */
static size_t real_bytes(const unsigned char *p)
{
    uint64_t sections;
    uint16_t size, n;
    if (memcmp(p, "\177ELF\2\1", 6) || p[18] != 190) return 0; /* 64 bits, EM_CUDA */
    memcpy(&sections, p + 40, 8), memcpy(&size, p + 58, 2), memcpy(&n, p + 60, 2);
    return (size_t)sections + (size_t)size * n;
}

static int load(struct module *m, const struct image *i)
{
    char name[SCRATCH];
    const char *p = (const char *)(i + 1);
    int file, code = E_IMAGE;
    if (i->sum != image_sum(p, i->bytes)) return E_IMAGE;
    if (i->is_ptx ? i->arch > double_arch : i->arch / 10 != double_arch / 10 || i->arch > double_arch)
        return E_NO_BINARY;
    if ((file = mkstemp(scratch(name, "cuda_double"))) < 0) return E_MEMORY;
    if (write(file, p, i->bytes) == (ssize_t)i->bytes && (m->library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) != NULL)
        code = 0;
    if (code) fprintf(stderr, "CUDA double: %s\n", dlerror());
    close(file);
    unlink(name);
    return code;
}

int cuModuleLoadData(struct module **module, const void *image);
int cuModuleLoadData(struct module **module, const void *image)
{
    struct context *c;
    struct module *m;
    int code = double_enter_context(N_cuModuleLoadData, &c);
    if (code) return code;
    if (!(m = calloc(1, sizeof *m))) return E_MEMORY;
    m->magic = MODULE, m->context = c;
    if (!memcmp(image, IMAGE_MAGIC, sizeof IMAGE_MAGIC)) code = load(m, image);
    else if ((m->real_bytes = real_bytes(image)) != 0) {
        char *copy = malloc(m->real_bytes);
        if (copy) memcpy(copy, image, m->real_bytes);
        else code = E_MEMORY;
        m->real = copy;
    } else code = E_IMAGE;
    if (code) return free(m), code;
    pthread_mutex_lock(&double_lock);
    c->modules++;
    pthread_mutex_unlock(&double_lock);
    *module = m;
    return 0;
}

int cuModuleUnload(struct module *m);
int cuModuleUnload(struct module *m)
{
    struct context *c;
    struct function *f;
    int code = double_enter_destroy(N_cuModuleUnload, &c);
    if (!c) return code;
    if (!m || m->magic != MODULE) return E_HANDLE;
    pthread_mutex_lock(&double_lock);
    if (m->pins) double_wrong("a module is unloaded while a stream has a kernel of it");
    m->context->modules--;
    pthread_mutex_unlock(&double_lock);
    while ((f = m->functions) != NULL) {
        m->functions = f->next;
        free(f);
    }
    if (m->library && !m->pins) dlclose(m->library);
    free((char *)m->real);
    memset(m, 0, sizeof *m);
    free(m);
    return code;
}

/* Does a real image have the kernel? Its code is in a section of that name. */
static int real_has(const struct module *m, const char *name)
{
    char section[300];
    size_t i, n = (size_t)snprintf(section, sizeof section, ".text.%s", name) + 1;
    for (i = 0; i + n <= m->real_bytes; i++)
        if (!memcmp(m->real + i, section, n)) return 1;
    return 0;
}

int cuModuleGetFunction(struct function **function, struct module *m, const char *name);
int cuModuleGetFunction(struct function **function, struct module *m, const char *name)
{
    struct context *c;
    struct function *f;
    char symbol[300];
    int code = double_enter_context(N_cuModuleGetFunction, &c);
    if (code) return code;
    if (!m || m->magic != MODULE || m->context != c) return E_HANDLE;
    if (!(f = calloc(1, sizeof *f))) return E_MEMORY;
    snprintf(symbol, sizeof symbol, "cuda_double_%s", name);
    f->magic = FUNCTION, f->module = m;
    snprintf(f->name, sizeof f->name, "%s", name);
    if (m->library) f->kernel = dlsym(m->library, symbol);
    if (!f->kernel && !(m->real && real_has(m, name))) return free(f), E_NOT_FOUND;
    pthread_mutex_lock(&double_lock);
    f->next = m->functions, m->functions = f;
    pthread_mutex_unlock(&double_lock);
    *function = f;
    return 0;
}

int cuFuncGetAttribute(int *value, int attribute, struct function *f);
int cuFuncGetAttribute(int *value, int attribute, struct function *f)
{
    struct context *c;
    int code = double_enter_context(N_cuFuncGetAttribute, &c);
    if (code) return code;
    if (!f || f->magic != FUNCTION || f->module->context != c) return E_HANDLE;
    switch (attribute) {
    case 0: return *value = f->kernel && f->kernel->max_threads ? f->kernel->max_threads : 1024, 0;
    case 1: return *value = 0, 0;
    case 3: return *value = 0, 0;
    case 4: return *value = 32, 0;
    default: return E_VALUE;
    }
}

int cuLaunchKernel(struct function *f, unsigned groups_x, unsigned groups_y, unsigned groups_z, unsigned x, unsigned y,
                   unsigned z, unsigned shared, struct stream *s, void **parameters, void **extra);
int cuLaunchKernel(struct function *f, unsigned groups_x, unsigned groups_y, unsigned groups_z, unsigned x, unsigned y,
                   unsigned z, unsigned shared, struct stream *s, void **parameters, void **extra)
{
    const unsigned groups[3] = { groups_x, groups_y, groups_z }, group[3] = { x, y, z };
    const struct cuda_double_kernel *k;
    struct context *c;
    void **values;
    char *at;
    size_t bytes = 0;
    int code = double_enter_context(N_cuLaunchKernel, &c), i;
    if (code) return code;
    if (!f || f->magic != FUNCTION || f->module->context != c || double_stream_context(s) != c) return E_HANDLE;
    if (!(k = f->kernel)) return E_NO_BINARY;
    if (!groups_x || !groups_y || !groups_z || !x || !y || !z || groups_y > 65535 || groups_z > 65535 ||
        groups_x > 2147483647 || z > 64 || (uint64_t)x * y * z > (unsigned)(k->max_threads ? k->max_threads : 1024) ||
        shared > SHARED_BYTES || extra)
        return E_VALUE;
    for (i = 0; i < k->n; i++) bytes += (k->bytes[i] + 15u) / 16u * 16u;
    /* as cuLaunchKernel: the values are taken now */
    if (!(values = malloc((MAX_PARAMETERS + 1) * sizeof *values + bytes))) return E_MEMORY;
    at = (char *)(values + MAX_PARAMETERS + (MAX_PARAMETERS & 1));
    for (i = 0; i < k->n; i++) {
        values[i] = at;
        memcpy(at, parameters[i], k->bytes[i]);
        at += (k->bytes[i] + 15u) / 16u * 16u;
    }
    pthread_mutex_lock(&double_lock);
    code = double_launch(s, f, groups, group, shared, values);
    pthread_mutex_unlock(&double_lock);
    if (code) free(values);
    return code;
}
