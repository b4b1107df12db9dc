/* try.h - a trial compilation of kernels where no device is present
 *
 * The host compiles a kernel within its file; a device gets only the kernel's text, in another language. So with
 * simulated devices, and under DF_CHECK, the text itself is also compiled: by NVRTC (DF_USE_CUDA) and by OpenCL
 * (DF_USE_OPENCL), whichever is installed. Without either, the text is scanned for the most common mistakes. The
 * scanner rejects only clear mistakes: doubtful names count as declared, and its findings are reported, not errors. */
#ifndef DFI_GPU_KERNEL_TRY_H
#define DFI_GPU_KERNEL_TRY_H

#include "../../base/atomic.h"
#include "../../base/env.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../api/kernel.h"
#include "../../api/result.h"
#include "../cuda/api.h"
#include "../cuda/build.h"
#include "../driver.h"
#include "prelude.h"
#include "scan.h"
#include "text.h"
#include "write.h"
#include "../opencl/api.h"
#include "../opencl/build.h"
#include "../opencl/opencl.h"
#include "../opencl/queue.h"

/* --- the scanner ------------------------------------------------------------------------------------- */

enum { DFI_TRY_NAMES = 512 };
struct dfi_try_name { const char *p; size_t n; int is_type, takes_pointer; };
struct dfi_try {
    const struct dfi_kernel *k;
    struct dfi_try_name name[DFI_TRY_NAMES];
    int n, full;
    char *log;
    size_t room;
};

static const char dfi_try_types[] = " char short int long float double signed unsigned void bool _Bool half ";
static const char dfi_try_words[] =
    " auto break case const continue default do else enum extern for goto if inline register restrict"
    " return sizeof static struct switch typedef union volatile while true false NULL printf defined dfi_w ";
static const char dfi_try_spaces[] = " df_on_global df_on_shared df_global "; /* the last: api/deprecated.h */
static const char dfi_try_no_type[] = " return goto else case sizeof do default break continue if while for switch ";

static struct dfi_try_name *dfi_try_find(struct dfi_try *t, const char *p, size_t n)
{
    int i;
    for (i = t->n - 1; i >= 0; i--) if (t->name[i].n == n && !memcmp(t->name[i].p, p, n)) return &t->name[i];
    return NULL;
}
static void dfi_try_declare(struct dfi_try *t, const char *p, size_t n, int is_type)
{
    struct dfi_try_name *m = dfi_try_find(t, p, n);
    if (m) { m->is_type |= is_type; return; }
    if (t->n == DFI_TRY_NAMES) { t->full = 1; return; }
    m = &t->name[t->n++];
    m->p = p, m->n = n, m->is_type = is_type, m->takes_pointer = 0;
}

/* Is the name part of the language of kernels? */
static int dfi_try_known(const char *p, size_t n)
{
    int i, types, all;
    const struct dfi_named *named = dfi_named_of_c(&types, &all);
    if ((n > 3 && !memcmp(p, "df_", 3)) || (n > 2 && p[0] == '_' && p[1] == '_')) return 1;
    if (dfi_in_list(p, n, dfi_try_types) || dfi_in_list(p, n, dfi_try_words)) return 1;
    for (i = 0; i < all; i++) if (dfi_is_word(p, n, named[i].name)) return 1;
    for (i = 0; i < DFI_FUNCTIONS; i++) {
        size_t length = strlen(dfi_functions[i].name);
        if (n >= length && n <= length + 1 && !memcmp(p, dfi_functions[i].name, length) &&
            (n == length || p[length] == 'f')) return 1;
    }
    return 0;
}
static int dfi_try_is_type(struct dfi_try *t, const char *p, size_t n)
{
    int i, types, all;
    const struct dfi_named *named = dfi_named_of_c(&types, &all);
    const struct dfi_try_name *m = dfi_try_find(t, p, n);
    for (i = 0; i < types; i++) if (dfi_is_word(p, n, named[i].name)) return 1;
    return dfi_in_list(p, n, dfi_try_types) || (m && m->is_type);
}

static int dfi_try_say(struct dfi_try *t, const char *p, size_t n, const char *what)
{
    snprintf(t->log, t->room, "`%.*s` %s", (int)(n < 80 ? n : 80), p, what);
    return 1;
}

/* Is it a parameter of the kernel that points to memory? */
static int dfi_try_points(const struct dfi_try *t, const char *p, size_t n)
{
    int i;
    for (i = 0; i < t->k->n_params; i++)
        if (t->k->param[i].kind != DFI_P_VALUE && t->k->param[i].kind != DFI_P_REDUCE &&
            dfi_is_word(p, n, t->k->param[i].name)) return 1;
    return 0;
}

/* The next token that is not white space. */
struct dfi_try_token { const char *p; size_t n; enum dfi_token kind; };
static struct dfi_try_token dfi_try_next(const char *p, const char *end)
{
    struct dfi_try_token k = { NULL, 0, DFI_T_OTHER };
    while (p < end && strchr(" \t\n\r\v\f", *p)) p++;
    if (p < end) k.p = p, k.n = (size_t)(dfi_token_end(p, &k.kind) - p);
    return k;
}
static int dfi_try_is(const struct dfi_try_token *k, char c) { return k->p && k->kind == DFI_T_OTHER && *k->p == c; }

/* All names that [p, end) declares, or may. Types are known from the second time on. */
static void dfi_try_declarations(struct dfi_try *t, const char *p, const char *end)
{
    struct dfi_try_token last = { NULL, 0, DFI_T_OTHER }, k, next, type = last, function = last;
    int depth = 0, braces = 0, listing = -1, enums = -1, is_typedef = -1, starred = 0, space = 0, shared = 0;
    for (k = dfi_try_next(p, end); k.p; k = next) {
        next = dfi_try_next(k.p + k.n, end);
        if (k.kind == DFI_T_NAME) {
            const int word = dfi_in_list(k.p, k.n, dfi_try_words), member = dfi_try_is(&last, '.') ||
                (dfi_try_is(&last, '>') && last.p[-1] == '-');
            if (dfi_is_word(k.p, k.n, "typedef")) is_typedef = braces;
            if (dfi_in_list(k.p, k.n, dfi_try_spaces)) space = 1;
            if (dfi_is_word(k.p, k.n, "enum")) enums = braces;
            if (dfi_is_word(k.p, k.n, "df_shared")) shared = depth + 1;
            if (!word && !member && !dfi_in_list(k.p, k.n, dfi_try_types)) {
                int declares = type.p && !starred && !dfi_in_list(type.p, type.n, dfi_try_no_type);
                declares |= type.p && starred && dfi_try_is_type(t, type.p, type.n);
                declares |= dfi_try_is(&last, '}') ||
                    (enums >= 0 && braces == enums + 1 && (dfi_try_is(&last, '{') || dfi_try_is(&last, ',')));
                declares |= listing == depth && (dfi_try_is(&last, ',') || dfi_try_is(&last, '*'));
                declares |= shared && depth == shared && dfi_try_is(&last, ',');
                declares |= dfi_try_is(&next, ':') &&
                    (dfi_try_is(&last, ';') || dfi_try_is(&last, '{') || dfi_try_is(&last, '}') || !last.p);
                if (declares) {
                    const int tag = type.p &&
                        (dfi_is_word(type.p, type.n, "struct") || dfi_is_word(type.p, type.n, "union") ||
                         dfi_is_word(type.p, type.n, "enum"));
                    dfi_try_declare(t, k.p, k.n, is_typedef == braces || tag);
                    if (!tag) listing = depth;
                    if (!depth && dfi_try_is(&next, '(')) function = k;
                    if (depth && starred && !space && function.p)
                        dfi_try_find(t, function.p, function.n)->takes_pointer = 1;
                }
            }
            if (member) type.p = NULL;
            else if (!dfi_in_list(k.p, k.n, dfi_try_spaces) &&
                     !dfi_in_list(k.p, k.n, " const volatile restrict static inline extern register typedef "))
                type = k, starred = 0;
        } else {
            const char c = k.kind == DFI_T_OTHER ? *k.p : 0;
            if (c == '(' || c == '[') depth++;
            else if (c == ')' || c == ']') depth--, shared = shared > depth ? 0 : shared;
            else if (c == '{') braces++;
            else if (c == '}') braces--, enums = enums >= braces ? -1 : enums;
            if (c == '*' && type.p) starred = 1;
            else type.p = NULL, starred = 0;
            if (c == ';' || (c == '{' && !dfi_try_is(&last, '=')) || c == ')')
                listing = c == ')' && listing < depth + 1 ? listing : -1;
            if (c == ';' && is_typedef == braces) is_typedef = -1;
            if (c == ',' || c == ';' || c == '(' || c == '{') space = 0;
            if (c == '{' && !depth) function.p = NULL;
        }
        last = k;
    }
}

/* A mistake in [p, end), whose names are declared. Nonzero: the log has it. */
static int dfi_try_uses(struct dfi_try *t, const char *p, const char *end)
{
    struct dfi_try_token third = { NULL, 0, DFI_T_OTHER }, fourth = third, before = third, last = third, k, next;
    /* a declaration of a pointer, without df_on_global; the depth of a call that takes one */
    int pointer = 0, plain = 1, called = -1, depth = 0;
    for (k = dfi_try_next(p, end); k.p; fourth = third, third = before, before = last, last = k, k = next) {
        next = dfi_try_next(k.p + k.n, end);
        if (k.kind != DFI_T_NAME) {
            const char c = k.kind == DFI_T_OTHER ? *k.p : 0;
            if (c == '(') depth++;
            if (c == ')') depth--, called = called > depth ? -1 : called;
            if (c == '{' && dfi_try_is(&last, ')') && before.p && before.kind == DFI_T_NAME &&
                dfi_try_is(&third, '(') &&
                !(fourth.p && fourth.kind == DFI_T_NAME && !dfi_is_word(fourth.p, fourth.n, "return")) &&
                dfi_try_is_type(t, before.p, before.n))
                return dfi_try_say(t, before.p, before.n,
                                   "is made by a compound literal, which CUDA C++ has not: declare a variable and "
                                   "set its members");
            if (c == '.' && next.kind == DFI_T_NAME && (dfi_try_is(&last, '{') || dfi_try_is(&last, ',')))
                return dfi_try_say(t, next.p, next.n,
                                   "is set by a designated initialiser, which CUDA C++ 14 has not: set the member "
                                   "in a statement");
            if (c == ';' || c == '{' || c == '}') pointer = 0, plain = 1;
            continue;
        }
        if (dfi_in_list(k.p, k.n, dfi_try_spaces)) plain = 0;
        if (dfi_try_is(&last, '.') || (dfi_try_is(&last, '>') && last.p[-1] == '-') ||
            (last.p && dfi_is_word(last.p, last.n, "goto"))) continue;
        if (dfi_try_is(&last, '*') && before.p && before.kind == DFI_T_NAME &&
            dfi_try_is_type(t, before.p, before.n) && dfi_try_is(&next, '=')) pointer = plain;
        if (pointer && dfi_try_is(&last, '=') && dfi_try_points(t, k.p, k.n) && !dfi_try_is(&next, '['))
            return dfi_try_say(t, k.p, k.n,
                               "is memory of the launch, and the pointer that is set to it is none to such memory "
                               "in OpenCL: write df_on_global before its type");
        if (called >= 0 && depth == called && (dfi_try_is(&last, '(') || dfi_try_is(&last, ',')) &&
            dfi_try_points(t, k.p, k.n) && !dfi_try_is(&next, '['))
            return dfi_try_say(t, k.p, k.n,
                               "is memory of the launch, and the function that it is given to takes none in OpenCL: "
                               "write df_on_global before the type of its parameter");
        if (dfi_try_is(&next, '(') && dfi_try_find(t, k.p, k.n) && dfi_try_find(t, k.p, k.n)->takes_pointer)
            called = depth + 1;
        if (dfi_try_known(k.p, k.n) || dfi_try_find(t, k.p, k.n)) continue;
        if (next.kind == DFI_T_LITERAL && next.p == k.p + k.n) continue; /* L"..." */
        return dfi_try_say(t, k.p, k.n,
                           "is not in the text that a device gets, as no macro, constant, function or type of the "
                           "file is: put it into the kernel's DF_KERNEL_CODE, or pass it as a parameter");
    }
    return 0;
}

static int dfi_try_scan(const struct dfi_kernel *k, char *log, size_t room)
{
    struct dfi_try *t = (struct dfi_try *)dfi_malloc(sizeof *t);
    const char *body = k->text ? dfi_kernel_body(k->text) : NULL, *end;
    int i, wrong = 0;
    if (!t) return 0;
    memset((void *)t, 0, sizeof *t);
    t->k = k, t->log = log, t->room = room;
    for (i = 0; i < k->n_params; i++) dfi_try_declare(t, k->param[i].name, strlen(k->param[i].name), 0);
    if (body) {
        end = body + strlen(body);
        for (i = 0; i < 2; i++) {
            if (k->code) dfi_try_declarations(t, k->code->text, k->code->text + strlen(k->code->text));
            dfi_try_declarations(t, body, end);
        }
        if (!t->full && k->code) wrong = dfi_try_uses(t, k->code->text, k->code->text + strlen(k->code->text));
        if (!t->full && !wrong) wrong = dfi_try_uses(t, body, end);
    }
    dfi_mfree((void *)t);
    return wrong;
}

/* --- compilers ------------------------------------------------------------------------------------------ */

static struct dfi_os_mutex dfi_try_lock = DFI_OS_MUTEX_INIT; /* of all that follows */

#if defined(DF_USE_CUDA)
/* 0: compiles; 1: does not, the log says why; -1: there is no compiler. */
static int dfi_try_nvrtc(const struct dfi_kernel *k, char *log, size_t room)
{
    static const int block[3] = { 64, 1, 1 };
    static int looked;
    struct dfi_cuda_target target = { 0, 1 };
    struct dfi_cuda_options o;
    size_t bytes;
    char why[200], *text, *image = NULL;
    df_result r;
    int i;
    if (!looked && !dfi_cuda.compiler && dfi_may_load()) (void)dfi_cuda_load_compiler(0, why, sizeof why);
    looked = 1;
    if (!dfi_cuda.compiler) return -1;
    for (i = 0; i < dfi_cuda.n_archs; i++) if (!target.arch || dfi_cuda.archs[i] < target.arch) target.arch =
        dfi_cuda.archs[i];
    if (!(text = dfi_kernel_text(k, DFI_CUDA_C, block, log, room))) return *log ? 1 : -1;
    dfi_cuda_options_of(&target, &o);
    r = dfi_cuda_compile(text, k->file, &o, 1, &image, &bytes, log, room);
    dfi_mfree(text);
    dfi_mfree(image);
    return r == DF_ERROR_KERNEL;
}
#endif

#if defined(DF_USE_OPENCL)
static int dfi_try_opencl(struct dfi_kernel *k, char *log, size_t room)
{
    static const int block[3] = { 64, 1, 1 };
    static struct dfi_gpu gpu; /* until the process ends */
    static int looked, found;
    struct dfi_cl_device *v;
    void *program;
    char *text;
    if (!looked) {
        looked = 1;
        gpu.driver = &dfi_opencl_driver;
        found = dfi_opencl_driver.count() > 0 && dfi_opencl_driver.open(&gpu, 0) == DF_OK;
    }
    if (!found) return -1;
    v = dfi_cl_of(&gpu);
    if (!(text = dfi_kernel_text(k, DFI_OPENCL_C, block, log, room))) return *log ? 1 : -1;
    program = dfi_cl_program(v, text, log, room);
    dfi_mfree(text);
    if (!program) return 1;
    dfi_cl.ReleaseProgram(program);
    return 0;
}
#endif

/* 0: the text would do, as far as can be seen; 1: a compiler refuses it, 2: the scanner objects: the log says to
 * what. */
static int dfi_kernel_try(struct dfi_kernel *k, char *log, size_t room)
{
    int asked = 0, r = 0;
    *log = 0;
    if (k->call || !k->text) return 0;
    dfi_os_lock(&dfi_try_lock);
#if defined(DF_USE_CUDA)
    r = dfi_try_nvrtc(k, log, room), asked |= r >= 0;
#endif
#if defined(DF_USE_OPENCL)
    if (r <= 0) r = dfi_try_opencl(k, log, room), asked |= r >= 0;
#endif
    dfi_os_unlock(&dfi_try_lock);
    return r > 0 ? 1 : asked ? 0 : dfi_try_scan(k, log, room) ? 2 : 0;
}

/* The same once for each kernel, and says what there is to object to; not what a compiler did, if the caller does
 * that. */
static int dfi_kernel_tried(struct dfi_kernel *k, int says, char *log, size_t room)
{
    int was = 0, r;
    if (!dfi_cas_acq_rel(&k->tried, &was, 1)) return was == 2; /* another thread may still try: it will say */
    r = dfi_kernel_try(k, log, room);
    if (r == 1) dfi_store_release(&k->tried, 2);
    if (r == 2 || (r && !says)) dfi_error("%s:%d: kernel %s runs on the host, but would not compile for a device: "
                                          "%s", k->file, k->line, k->name, log);
    return r == 1;
}

/* DF_CHECK: a kernel that the host runs. */
static void dfi_kernel_check(struct dfi_kernel *k)
{
    char log[DFI_COMPILER_LOG];
    if (!dfi_load_relaxed(&k->tried)) (void)dfi_kernel_tried(k, 0, log, sizeof log);
}

#endif
