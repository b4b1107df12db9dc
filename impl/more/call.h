/* call.h - df_call: tasks whose function and accesses are known only at run time
 *
 * Such a task is like that of a declaration (api/declare.h): it has a type, an argument record and accesses. The type
 * has what calls have in common: function, name, size of the record and modes. It is made at the first of these calls
 * and stays, so that what df learns about types (flow/fine.h) it also learns about called functions. */
#ifndef DFI_MORE_CALL_H
#define DFI_MORE_CALL_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../base/sized.h"
#include "../api/access.h"
#include "../api/call.h"
#include "../api/core.h"
#include "../api/limits.h"
#include "../api/submit_options.h"
#include "../api/task.h"
#include "../work/task.h"
#include "../work/types.h"
#include "../flow/options.h"
#include "../flow/region.h"
#include "../flow/submit.h"

/* The argument record: this, the addresses of the regions, and at `at` the argument. */
struct dfi_call_args {
    df_body *fn;
    size_t at;
};
enum {
    DFI_CALL_LISTS = 64,
    DFI_CALL_NAMES = 1000,     /* types until a name is no longer a reason for another one */
    DFI_CALL_BYTES = 304,      /* of an argument: so much, with DFI_PARAMETERS regions, is on the stack */
    DFI_CALL_ROOM = sizeof(struct dfi_call_args) + DFI_PARAMETERS * sizeof(void *) + DFI_CALL_BYTES + 16
};
DFI_FAST void **dfi_call_pointers(struct dfi_call_args *a) { return (void **)(void *)(a + 1); }

static void dfi_call_run(void *args, void *result)
{
    struct dfi_call_args *a = (struct dfi_call_args *)args;
    (void)result;
    a->fn((char *)args + a->at, dfi_call_pointers(a));
}

/* --- types ------------------------------------------------------------------------------------------------- */

struct dfi_call_type {
    struct dfi_type type;
    df_body *fn;
    struct dfi_call_type *next;
};
/* Lists to which types are only added, at the front. */
static DFI_ATOMIC(struct dfi_call_type *) dfi_call_types[DFI_CALL_LISTS];
static DFI_ATOMIC(int) dfi_call_count;
static const char dfi_call_unnamed[] = "df_call";

DFI_FAST DFI_ATOMIC(struct dfi_call_type *) *dfi_call_list(df_body *fn, const char *name, size_t bytes,
                                                           unsigned modes)
{
    return &dfi_call_types[(((uintptr_t)fn + bytes) / 16 + (uintptr_t)name + modes) % DFI_CALL_LISTS];
}
DFI_FAST struct dfi_call_type *dfi_call_find(struct dfi_call_type *c, df_body *fn, const char *name, size_t bytes,
                                             unsigned modes)
{
    while (c && (c->fn != fn || c->type.args_bytes != bytes || c->type.modes != modes || c->type.name != name))
        c = c->next;
    return c;
}

/* NULL: out of memory. */
static DFI_NOINLINE DFI_COLD const struct dfi_type *dfi_call_type_new(df_body *fn, const char *name, size_t bytes,
                                                                      unsigned modes)
{
    DFI_ATOMIC(struct dfi_call_type *) *list;
    struct dfi_call_type *c, *first, *same;
    if (dfi_load_relaxed(&dfi_call_count) >= DFI_CALL_NAMES) name = dfi_call_unnamed;
    list = dfi_call_list(fn, name, bytes, modes);
    first = dfi_load_acquire(list);
    if ((same = dfi_call_find(first, fn, name, bytes, modes)) != NULL) return &same->type;
    if (!(c = (struct dfi_call_type *)dfi_malloc(sizeof *c))) return NULL;
    memset((void *)c, 0, sizeof *c);
    c->type.run = dfi_call_run, c->type.name = name, c->type.args_bytes = bytes, c->type.modes = modes;
    c->type.access_names = "", c->fn = fn;
    for (c->next = first; !dfi_cas_acq_rel(list, &first, c); c->next = first)
        if ((same = dfi_call_find(first, fn, name, bytes, modes)) != NULL) { /* another thread has made it */
            dfi_mfree((void *)c);
            return &same->type;
        }
    dfi_fetch_add_relaxed(&dfi_call_count, 1);
    return &c->type;
}

DFI_FAST const struct dfi_type *dfi_type_of_call(df_body *fn, const char *name, size_t bytes, unsigned modes)
{
    /* acquire: the type, made by another thread */
    const struct dfi_call_type *c =
        dfi_call_find(dfi_load_acquire(dfi_call_list(fn, name, bytes, modes)), fn, name, bytes, modes);
    return DFI_LIKELY(c != NULL) ? &c->type : dfi_call_type_new(fn, name, bytes, modes);
}

/* --- calls ------------------------------------------------------------------------------------------------- */

static DFI_COLD df_result dfi_call_wrong(const char *what, const char *site)
{
    dfi_error("%s%sdf_call: %s: nothing was submitted", site ? site : "", site ? ": " : "", what);
    return DF_ERROR_ARGUMENT;
}

#define DFI_CALL_WRONG 0x40000000u /* no bit of a mode: the region has another mode than the program says */

/* The mode of region i, which is another than DF_IN, DF_OUT and DF_INOUT. tell: whether a mistake is reported. */
static DFI_NOINLINE unsigned dfi_call_mode(const df_region *r, int i, const char *site, int tell)
{
    const unsigned is = r->mode;
    const df_operator *op = is == DF_REDUCE && r->op && r->op->combine && r->op->size ? r->op : NULL;
    if (op)
        return is | (op->ordered ? (unsigned)DFI_ORDERED : 0u) |
               (op->align > (size_t)DFI_RECORD_ALIGN ? (unsigned)DFI_WIDE : 0u);
    if (is == DF_COMMUTE || is == DF_CONCURRENT || is == DFI_LIMIT ||
        ((is & (unsigned)DFI_INOUT) != 0 && (is & ~(unsigned)DFI_INOUT) == DF_WEAK)) return is;
    if (tell)
        dfi_error("%s%sdf_call: list[%d].mode is %u, %s: the task is ordered as with DF_INOUT", site ? site : "",
                  site ? ": " : "", i, is, is == DF_REDUCE ? "DF_REDUCE, and .op is no operator" : "which is no mode");
    return (unsigned)DF_INOUT | DFI_CALL_WRONG;
}

/* A task with these modes takes units. Returns its modes. */
static DFI_NOINLINE DFI_COLD unsigned dfi_call_limits(unsigned modes, const char *site)
{
    dfi_limits_begin();
    if (!(modes & DFI_CHILDREN)) return modes;
    dfi_error("%s%sdf_call: DF_WEAK in a task with units, whose children may follow tasks that wait for its units: "
              "it is ordered as without DF_WEAK", site ? site : "", site ? ": " : "");
    return modes & ~(unsigned)DFI_CHILDREN;
}

/* modes: those of all regions, and of the task. */
DFI_FAST void dfi_call_accesses(struct dfi_access *x, const df_region *r, int n, unsigned modes)
{
    unsigned arg = sizeof(struct dfi_call_args);
    int i;
    for (i = 0; i < n; i++, arg += (unsigned)sizeof(void *)) {
        unsigned mode = r[i].mode ? r[i].mode : (unsigned)DF_IN;
        if (DFI_UNLIKELY(modes > DF_INOUT) && mode > DF_INOUT) {
            const df_operator *op = r[i].op;
            mode = dfi_call_mode(&r[i], i, NULL, 0) & ~DFI_CALL_WRONG & (modes | ~(unsigned)DFI_CHILDREN);
            if (mode == DFI_LIMIT) {
                dfi_access_limit(&x[i], arg, r[i].p, r[i].bytes);
                continue;
            }
            if (dfi_kind(mode) == DF_REDUCE)
                dfi_access_reduce(&x[i], op->dfi_key ? op->dfi_key : (const void *)(uintptr_t)op->combine,
                                  op->combine, op->size);
        }
        memcpy((void *)&x[i], (const void *)&r[i], offsetof(df_region, mode)); /* p, bytes, rows, distance */
        x[i].mode = mode, x[i].arg = arg;
    }
}
DFI_STATIC_ASSERT(offsetof(struct dfi_access, row) == offsetof(df_region, bytes) &&
                  offsetof(struct dfi_access, rows) == offsetof(df_region, rows) &&
                  offsetof(struct dfi_access, ld) == offsetof(df_region, distance) &&
                  offsetof(struct dfi_access, mode) == offsetof(df_region, mode), "df.h");

DFI_EXTERN_C_BEGIN
DFI_API df_result dfi_call(const struct df_opts *o, df_body *fn, const void *arg, size_t bytes, const df_region *r,
                           int n, const char *site)
{
    union { char bytes[DFI_CALL_ROOM]; long double align; void *p; } few;
    struct dfi_access few_x[DFI_PARAMETERS], *x = few_x;
    struct dfi_call_args *a = (struct dfi_call_args *)(void *)few.bytes;
    const char *name = o && o->name ? o->name : dfi_call_unnamed;
    const struct dfi_type *type;
    struct dfi_task *t;
    const size_t at = (sizeof *a + (size_t)n * sizeof(void *) + 15) / 16 * 16, size = at + (bytes + 15) / 16 * 16;
    unsigned modes = 0;
    int i;
    df_opts own;
    if (DFI_LIBRARY && o && o->size != sizeof own) { /* of a program of another version */
        if (dfi_sized_copy((void *)&own, sizeof own, (const void *)o, DFI_OPTS_0_9))
            return dfi_call_wrong("opts->size is wrong, or opts has a field that libdf.so does not know", site);
        o = &own;
    }
    if (DFI_UNLIKELY((unsigned)n > (unsigned)DFI_PARAMETERS || bytes > (size_t)DFI_CALL_BYTES)) {
        const size_t room = DFI_NO_BYTES / 4;
        if (n < 0) return dfi_call_wrong("n is negative", site);
        if (bytes > room || (size_t)n > room / sizeof *x || (size_t)n > ~0u / sizeof(void *) - 4 ||
            !(a = (struct dfi_call_args *)dfi_malloc(size + (size_t)n * sizeof *x))) return DF_ERROR_MEMORY;
        x = (struct dfi_access *)(void *)((char *)a + size);
    }
    if (DFI_UNLIKELY((!r && n) || !fn)) goto wrong;
    a->fn = fn, a->at = at;
    for (i = 0; i < n; i++) {
        unsigned mode = r[i].mode ? r[i].mode : (unsigned)DF_IN;
        modes |= DFI_LIKELY(mode <= DF_INOUT) ? mode : dfi_call_mode(&r[i], i, site, 1);
        dfi_call_pointers(a)[i] = (void *)(uintptr_t)r[i].p;
    }
    if (bytes) {
        if (DFI_UNLIKELY(!arg)) goto wrong;
        memcpy((char *)a + at, arg, bytes);
    }
    if (DFI_UNLIKELY(modes & DFI_LIMIT)) modes = dfi_call_limits(modes, site);
    if ((type = dfi_type_of_call(fn, name, size, modes & ~DFI_CALL_WRONG)) != NULL) {
        if (o && type->name == name && !o->always && !dfi_opts_matter(o)) o = NULL;
        if (o) dfi_with(o, site);
#if (DF_DEBUG || DF_CHECK) && !defined(DF_SERIAL)
        dfi_here(site);
#endif
        if (!(t = dfi_task_new(type))) dfi_run_now(type, (void *)a);
        else {
            dfi_call_accesses(x, r, n, modes);
            if (DFI_UNLIKELY(t == DFI_BARE)) dfi_run_after(type, (void *)a, x, (unsigned)n);
            else {
                memcpy(t->args, (const void *)a, size);
                dfi_submit(t, x, (unsigned)n);
            }
        }
        if (o) dfi_with_end(o);
    }
    if (DFI_UNLIKELY(x != few_x)) dfi_mfree((void *)a);
    return type ? DF_OK : DF_ERROR_MEMORY;
wrong:
    if (x != few_x) dfi_mfree((void *)a);
    return dfi_call_wrong(!fn ? "fn is NULL" : n && !r ? "list is NULL, and n is not 0"
                          : "arg is NULL, and bytes is not 0", site);
}

/* The accesses as regions: as many as there is room for. Returns their number. */
DFI_API int dfi_regions(struct df_region *list, int n, const struct dfi_access *x, unsigned n_x)
{
    int i;
    for (i = 0; i < n && i < (int)n_x; i++) {
        memcpy((void *)&list[i], (const void *)&x[i], offsetof(df_region, mode));
        if (x[i].mode == DFI_LIMIT) list[i].bytes = x[i].size;
        list[i].mode = x[i].mode & (unsigned)(DFI_INOUT | DFI_SHARED | DFI_CHILDREN | DFI_LIMIT), list[i].op = NULL;
    }
    return (int)n_x;
}

DFI_API df_result (df_call)(const struct df_opts *o, df_body *fn, const void *arg, size_t bytes, const df_region *r,
                            int n)
{
    return dfi_call(o, fn, arg, bytes, r, n, NULL);
}
DFI_EXTERN_C_END

#endif
