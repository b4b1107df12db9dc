/* nvrtc.c - the compiler: g++ makes a shared library of the text
 *
 * Behind the text, in a namespace of its own, comes a function for each kernel NAME that finds it (cuda_double_NAME,
 * kernel.h). Errors have the form that NVRTC gives them: file(line): error: what. */
#include "double.h"
#include "image.h"
#include "../scratch.h"
#include <ctype.h>
#include <sys/stat.h>
#include <unistd.h>

enum { R_MEMORY = 1, R_INPUT = 3, R_PROGRAM = 4, R_OPTION = 5, R_COMPILATION = 6, PROGRAM = 0x9406 };
struct program { unsigned magic; char *text, *name, *log; struct image *image; };

static int archs(int *list)
{
    const char *text = getenv("CUDA_DOUBLE_NVRTC");
    int n = 0, used;
    if (!text || !*text) text = "75,80,90";
    for (; n < 16 && sscanf(text, "%d%n", &list[n], &used) == 1; n++) text += used + (text[used] == ',');
    return n;
}

int nvrtcVersion(int *major, int *minor);
int nvrtcVersion(int *major, int *minor)
{
    int code = double_enter(N_nvrtcVersion);
    if (!code) *major = 12, *minor = 4;
    return code;
}
int nvrtcGetNumSupportedArchs(int *n);
int nvrtcGetNumSupportedArchs(int *n)
{
    int code = double_enter(N_nvrtcGetNumSupportedArchs), list[16];
    if (!code) *n = archs(list);
    return code;
}
int nvrtcGetSupportedArchs(int *list);
int nvrtcGetSupportedArchs(int *list)
{
    int code = double_enter(N_nvrtcGetSupportedArchs), all[16];
    if (!code) memcpy(list, all, (size_t)archs(all) * sizeof *all);
    return code;
}

int nvrtcCreateProgram(struct program **program, const char *text, const char *name, int n, const char *const *headers,
                       const char *const *names);
int nvrtcCreateProgram(struct program **program, const char *text, const char *name, int n, const char *const *headers,
                       const char *const *names)
{
    struct program *p;
    int code = double_enter(N_nvrtcCreateProgram);
    if (code) return code;
    if (!text || n) return R_INPUT;
    if (!(p = calloc(1, sizeof *p))) return R_MEMORY;
    p->magic = PROGRAM, p->text = strdup(text), p->name = strdup(name ? name : "default_program"), p->log = strdup("");
    *program = p;
    return 0;
}
int nvrtcDestroyProgram(struct program **program);
int nvrtcDestroyProgram(struct program **program)
{
    struct program *p = *program;
    int code = double_enter(N_nvrtcDestroyProgram);
    if (!p || p->magic != PROGRAM) return R_PROGRAM;
    free(p->text), free(p->name), free(p->log), free(p->image);
    memset(p, 0, sizeof *p);
    free(p);
    *program = NULL;
    return code;
}

/* --- the text ------------------------------------------------------------------------------------------- */

static const char *word_end(const char *p)
{
    while (isalnum((unsigned char)*p) || *p == '_') p++;
    return p;
}
static const char *blanks(const char *p)
{
    while (isspace((unsigned char)*p)) p++;
    return p;
}
static const char *parentheses(const char *p)
{
    int depth = 0;
    for (; *p; p++)
        if (*p == '(') depth++;
        else if (*p == ')' && !--depth) return p + 1;
    return p;
}

/* The function that finds __global__ __launch_bounds__(n) void NAME(...). */
static void put_kernels(FILE *f, const char *text)
{
    const char *p = text, *e;
    while ((p = strstr(p, "__global__")) != NULL) {
        const char *bounds = NULL, *bounds_end = NULL;
        p = blanks(p + 10);
        while (*p && *p != '{') {
            e = word_end(p);
            if (e == p) break;
            if (e - p == 17 && !strncmp(p, "__launch_bounds__", 17))
                bounds = e = blanks(e), bounds_end = e = parentheses(e);
            else if (*blanks(e) == '(') {
                fprintf(f,
                        "extern \"C\" const struct cuda_double_kernel cuda_double_%.*s = cuda_double_make<decltype(text::%.*s), &text::%.*s>(%.*s);\n", (int)(e - p), p, (int)(e - p), p, (int)(e - p), p, bounds ? (int)(bounds_end - bounds) : 1, bounds ? bounds : "0");
                break;
            }
            p = blanks(e);
        }
    }
}
/* extern __shared__ T NAME[]: the memory. */
static void put_shared(FILE *f, const char *text)
{
    const char *p = text, *name, *end;
    while ((p = strstr(p, "extern __shared__ ")) != NULL) {
        p += 18;
        for (name = end = p; *end && *end != '[' && *end != ';'; end++)
            if (*end == ' ' || *end == '*') name = end + 1;
        if (*end == '[')
            fprintf(f, "__attribute__((aligned(16))) thread_local %.*s %.*s[%d / sizeof(%.*s)];\n", (int)(name - p), p,
                    (int)(end - name), name, SHARED_BYTES, (int)(name - p), p);
    }
}

static int write_text(const char *path, const struct program *p)
{
    char folder[] = __FILE__;
    FILE *f = fopen(path, "w");
    if (!f) return -1;
    *strrchr(folder, '/') = 0;
    fprintf(f, "#include \"%s/kernel.h\"\nnamespace text {\n#line 1 \"%s\"\n%s\n", folder, p->name, p->text);
    fprintf(f, "#line 1 \"double\"\n");
    put_shared(f, p->text);
    fprintf(f, "}\n");
    put_kernels(f, p->text);
    return fclose(f);
}

/* file:line:column: error: what -> file(line): error: what */
static void read_log(struct program *p, const char *path)
{
    FILE *f = fopen(path, "r"), *to;
    char line[1000];
    size_t bytes;
    if (!f) return;
    free(p->log);
    to = open_memstream(&p->log, &bytes);
    while (fgets(line, sizeof line, f)) {
        char *what = strstr(line, ": error:"), *colon = what;
        int n = 0, column = 0;
        if (what) {
            for (colon = what - 1; colon > line && isdigit((unsigned char)*colon); colon--) continue;
            column = atoi(colon + 1);
            for (*colon-- = 0; colon > line && isdigit((unsigned char)*colon); colon--) continue;
            n = atoi(colon + 1);
            *colon = 0;
        }
        if (what && column) fprintf(to, "%s(%d)%s", line, n, what);
        else fputs(line, to);
    }
    fclose(to);
    fclose(f);
}

static int read_image(struct program *p, const char *path, int is_ptx, int arch)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    int good = f && !fstat(fileno(f), &st) && (p->image = malloc(sizeof *p->image + (size_t)st.st_size)) != NULL &&
               fread(p->image + 1, 1, (size_t)st.st_size, f) == (size_t)st.st_size;
    if (f) fclose(f);
    if (!good) return R_MEMORY;
    memset(p->image, 0, sizeof *p->image);
    memcpy(p->image->magic, IMAGE_MAGIC, sizeof IMAGE_MAGIC);
    p->image->is_ptx = is_ptx, p->image->arch = arch, p->image->bytes = (size_t)st.st_size;
    p->image->sum = image_sum((const char *)(p->image + 1), p->image->bytes);
    return 0;
}

int nvrtcCompileProgram(struct program *p, int n, const char *const *options);
int nvrtcCompileProgram(struct program *p, int n, const char *const *options)
{
    char folder[SCRATCH], path[4][SCRATCH + 20], command[4 * SCRATCH + 300];
    const char *cxx = getenv("CUDA_DOUBLE_CXX");
    static const char *const ends[4] = { "text.cpp", "kernels.so", "log", "" };
    int code = double_enter(N_nvrtcCompileProgram), i, is_ptx = 0, arch = 0, known = 0, all[16], contract = 1;
    if (code) return code;
    if (!p || p->magic != PROGRAM) return R_PROGRAM;
    for (i = 0; i < n; i++)
        if (sscanf(options[i], "--gpu-architecture=compute_%d", &arch) == 1) is_ptx = 1;
        else if (sscanf(options[i], "--gpu-architecture=sm_%d", &arch) == 1) is_ptx = 0;
        else if (!strcmp(options[i], "--fmad=false")) contract = 0;
        else if (strcmp(options[i], "--std=c++14") && strcmp(options[i], "--device-as-default-execution-space"))
            return R_OPTION;
    for (i = archs(all); i--;) known |= all[i] == arch;
    if (!known) return R_OPTION;
    if (!mkdtemp(scratch(folder, "cuda_double"))) return R_MEMORY;
    for (i = 0; i < 4; i++) snprintf(path[i], sizeof path[i], "%s/%s", folder, ends[i]);
    snprintf(command, sizeof command,
             "%s -x c++ -std=c++14 -O1 -w -fPIC -shared -fno-strict-aliasing -ffp-contract=%s -o %s %s 2> %s",
             cxx && *cxx ? cxx : "g++", contract ? "fast" : "off", path[1], path[0], path[2]);
    if (write_text(path[0], p)) code = R_MEMORY;
    else if (system(command)) code = R_COMPILATION;
    else code = read_image(p, path[1], is_ptx, arch);
    read_log(p, path[2]);
    for (i = 0; i < 3; i++) unlink(path[i]);
    rmdir(folder);
    return code;
}

int nvrtcGetProgramLogSize(struct program *p, size_t *bytes);
int nvrtcGetProgramLogSize(struct program *p, size_t *bytes)
{
    int code = double_enter(N_nvrtcGetProgramLogSize);
    if (!code) *bytes = strlen(p->log) + 1;
    return code;
}
int nvrtcGetProgramLog(struct program *p, char *log);
int nvrtcGetProgramLog(struct program *p, char *log)
{
    int code = double_enter(N_nvrtcGetProgramLog);
    if (!code) strcpy(log, p->log);
    return code;
}

static int size_of(enum call n, const struct program *p, size_t *bytes, int ptx)
{
    int code = double_enter(n);
    if (code) return code;
    if (!p || p->magic != PROGRAM || !p->image) return R_PROGRAM;
    *bytes = p->image->is_ptx == ptx ? sizeof *p->image + p->image->bytes : 0;
    return 0;
}
static int get(enum call n, const struct program *p, char *to, int ptx)
{
    int code = double_enter(n);
    if (code) return code;
    if (!p || p->magic != PROGRAM || !p->image || p->image->is_ptx != ptx) return R_PROGRAM;
    memcpy(to, p->image, sizeof *p->image + p->image->bytes);
    return 0;
}
int nvrtcGetPTXSize(struct program *p, size_t *bytes);
int nvrtcGetPTXSize(struct program *p, size_t *bytes) { return size_of(N_nvrtcGetPTXSize, p, bytes, 1); }
int nvrtcGetPTX(struct program *p, char *to);
int nvrtcGetPTX(struct program *p, char *to) { return get(N_nvrtcGetPTX, p, to, 1); }
int nvrtcGetCUBINSize(struct program *p, size_t *bytes);
int nvrtcGetCUBINSize(struct program *p, size_t *bytes) { return size_of(N_nvrtcGetCUBINSize, p, bytes, 0); }
int nvrtcGetCUBIN(struct program *p, char *to);
int nvrtcGetCUBIN(struct program *p, char *to) { return get(N_nvrtcGetCUBIN, p, to, 0); }
