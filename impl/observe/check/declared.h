/* declared.h - DF_CHECK: invalid declarations, and changed memory of df_in
 *
 * With any compiler. The regions that a task declares must be within those of its parent, must not
 * be on a stack that is gone, and must be mapped memory. Memory that it only reads must be the same
 * before and after its body. */
#ifndef DFI_OBSERVE_CHECK_DECLARED_H
#define DFI_OBSERVE_CHECK_DECLARED_H

#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../os/mapped.h"
#include "../../api/access.h"
#include "../../api/task.h"
#include "../../work/future.h"
#include "../../flow/scope.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../../flow/region.h"
#include "../../flow/table.h"
#include "check.h"

#if DF_CHECK

enum {
    DFI_CHECK_LEVEL = DF_CHECK + 0,
    /* bytes compared of each parameter of a body; of larger ones, parts of DFI_CHECK_SUM_PART, */
    DFI_CHECK_SUM_BYTES = 1 << 20,
    /* spread evenly, and different in each task: 0.5 ms on the development machine, also for a gigabyte */
    DFI_CHECK_SUM_PART = 1 << 12,
    /* bytes: a function passes on a variable of a returned function soon after, if at all */
    DFI_CHECK_NEAR = 1 << 16,
    DFI_CHECK_FAR = 1 << 24        /* bytes: memory farther from the top of a stack holds none of its variables */
};

#if DFI_CHECK_ASAN
DFI_EXTERN_C_BEGIN /* it may keep variables elsewhere (detect_stack_use_after_return) */
extern void *dfi_asan_stack(void) __asm__("__asan_get_current_fake_stack");
extern void *dfi_asan_is_local(void *stack, void *p, void **begin, void **end) __asm__("__asan_addr_is_in_fake_stack");
DFI_EXTERN_C_END
#endif

/* The name of a parameter of a type, for "%.*s", until the next call in this thread; returns its length. */
static int dfi_check_label(const struct dfi_type *type, unsigned i, const char **name)
{
    static DFI_TLS char number[24];
    return dfi_access_label(type, i, number, name);
}

static const char *dfi_check_mode(unsigned mode)
{
    switch (mode & (DFI_INOUT | DFI_SHARED)) {
    case DFI_IN: return "in";
    case DFI_OUT: return "out";
    case DFI_COMMUTE: return "commute";
    case DFI_CONCURRENT: return "concurrent";
    case DFI_REDUCE: return "reduce";
    default: return "inout";
    }
}

/* The source line where t was submitted, as an insertion: "" if unknown. */
static const char *dfi_check_at(char *text, size_t bytes, const char *site)
{
    if (!site) return "";
    snprintf(text, bytes, " (submitted at %s)", site);
    return text;
}

static void dfi_check_say_memory(const struct dfi_flow *t, const struct dfi_checked *x, uintptr_t wrong)
{
    char at[160];
    const char *name;
    int n = dfi_check_label(t->type, x->parameter, &name);
    dfi_finding("task %s%s declares df_%s %.*s, %lu bytes at %p, but the program may not use byte %lu of them "
                "(DF_CHECK), because it was freed, lies behind the end, or belongs to a function that has returned: df "
                "does not check this parameter; correct its size, or free it later",
                t->type->name, dfi_check_at(at, sizeof at, dfi_task_checks(t)->site), dfi_check_mode(x->mode), n, name,
                (unsigned long)dfi_region_bytes(&x->region), (void *)x->region.p,
                      (unsigned long)(wrong - x->region.p));
}

/* --- declarations within those of the parent -------------------------------------------------- */

/* The address of parameter i of t, which may have been renamed, or be a private copy. */
static char *dfi_check_pointer(const struct dfi_flow *t, unsigned i)
{
    char *p = (char *)dfi_task_checks(t)->checked[i].region.p;
    unsigned arg = dfi_task_checks(t)->checked[i].arg;
    if (arg != DFI_NO_ARG) memcpy((void *)&p, (const char *)t->task.args + arg, sizeof p);
    return p;
}

/* True if the byte range [lo, hi) is covered by the declarations of t, as writable if `writes`. */
static int dfi_check_range(const struct dfi_flow *t, uintptr_t lo, uintptr_t hi, int writes)
{
    while (lo < hi) {
        uintptr_t best = lo;
        unsigned i;
        for (i = 0; i < 2 * dfi_task_checks(t)->n_checked; i++) {
            const struct dfi_region *q = &dfi_task_checks(t)->checked[i / 2].region;
            uintptr_t p = i % 2 ? (uintptr_t)dfi_check_pointer(t, i / 2) : q->p;
            size_t row = q->rows > 1 && lo >= p ? (lo - p) / q->ld : 0;
            uintptr_t from = p + row * q->ld, to = from + q->row;
            if (writes && !(dfi_task_checks(t)->checked[i / 2].mode & DFI_WRITES)) continue;
            if (row < q->rows && lo >= from && lo < to && to > best) best = to;
        }
        if (best == lo) return 0;
        lo = best;
    }
    return 1;
}

/* If p is a variable of this thread that the sanitizer keeps elsewhere: identifies the call of its
 * function. */
static uintptr_t dfi_check_frame(uintptr_t p)
{
#if DFI_CHECK_ASAN
    void *stack = dfi_asan_stack();
    return stack ? (uintptr_t)dfi_asan_is_local(stack, (void *)p, NULL, NULL) : 0;
#else
    return (void)p, (uintptr_t)0;
#endif
}

static void dfi_check_items(struct dfi_scope *s, const void *p, size_t bytes)
{
    if (s) dfi_scope_checks(s)->items = (uintptr_t)p, dfi_scope_checks(s)->items_end = (uintptr_t)p + bytes;
}

/* True if r needs no declaration, because only the parent knows the memory: its stack, its df_local
 * memory, and the items of its pipes. */
static int dfi_check_own(const struct dfi_worker *w, const struct dfi_scope *s, const struct dfi_region *r)
{
    const struct dfi_local *l;
    uintptr_t end = dfi_region_end(r);
    if ((r->p >= dfi_checked_of(w)->call && end <= dfi_checked_of(w)->body) || dfi_check_frame(r->p)) return 1;
    for (; s; s = s->outer) {
        if (r->p >= (uintptr_t)&dfi_flow_of(s)->room && end <= (uintptr_t)(&dfi_flow_of(s)->room + 1)) return 1;
        if (r->p >= dfi_scope_checks(s)->items && end <= dfi_scope_checks(s)->items_end) return 1;
        for (l = dfi_flow_of(s)->locals; l; l = l->next)
            if (r->p >= (uintptr_t)(l + 1) && end <= (uintptr_t)(l + 1) + l->bytes) return 1;
    }
    return 0;
}

#if DFI_CHECK_ASAN
static void dfi_check_lose(struct dfi_flow *t, uintptr_t p);
#endif

/* --- variables of functions that have returned ------------------------------------------------ */

static int dfi_check_is_done(const struct dfi_flow *t);

/* The functions below `call` on the stack of w have returned: reports, once, each unfinished child
 * of s that was given a variable of theirs. */
static void dfi_check_returned(struct dfi_scope *s, uintptr_t call)
{
    unsigned i, kept = 0;
    for (i = 0; i < dfi_scope_checks(s)->n_variables; i++) {
        const struct dfi_check_variable *v = &dfi_scope_checks(s)->variable[i];
        struct dfi_ref task;
        char at[160];
        const char *name;
        int n;
        task.task = v->task, task.seq = v->seq;
        if (dfi_ref_done(&task) || dfi_check_is_done(v->task)) continue;
        if (v->frame ? dfi_check_frame(v->p) == v->frame : v->p >= call || v->p < v->call) {
            dfi_scope_checks(s)->variable[kept++] = *v;
            continue;
        }
#if DFI_CHECK_ASAN
        dfi_check_lose(v->task, v->p);
#endif
        n = dfi_check_label(v->type, v->parameter, &name);
        dfi_finding("task %s%s is not done, and %.*s at %p is a variable of a function that has returned (DF_CHECK): "
                    "call df_wait before it returns, or submit in DF_PARALLEL",
                    v->type->name, dfi_check_at(at, sizeof at, v->site), n, name, (void *)v->p);
    }
    dfi_scope_checks(s)->n_variables = kept;
}

static void dfi_check_keep(struct dfi_worker *w, const struct dfi_flow *t, const struct dfi_checked *x)
{
    struct dfi_scope *s = t->scope;
    struct dfi_check_scope *own = dfi_scope_checks(s);
    struct dfi_check_worker *k = dfi_checked_of(w);
    struct dfi_check_variable *v;
    uintptr_t p = x->region.p, frame = dfi_check_frame(p);
    if (!k->call) return;
    if (!k->deepest || k->call < k->deepest) k->deepest = k->call;
    if (!frame && p < k->call && p >= k->deepest && k->call - p < (uintptr_t)DFI_CHECK_NEAR) {
        char at[160];
        const char *name;
        int n = dfi_check_label(t->type, x->parameter, &name);
        dfi_finding("task %s%s declares df_%s %.*s at %p, a variable of a function that has returned (DF_CHECK): use "
                    "memory that lives as long as the task",
                    t->type->name, dfi_check_at(at, sizeof at, dfi_task_checks(t)->site), dfi_check_mode(x->mode), n,
                    name, (void *)x->region.p);
        return;
    }
    if (!frame && (p < k->call || p - k->call > (uintptr_t)DFI_CHECK_FAR)) return;
    if (own->n_variables == own->room_variables) {
        dfi_check_returned(s, 0);
        if (own->n_variables >= own->room_variables / 2 &&
            dfi_array_grow((void *)&own->variable, NULL, &own->room_variables, sizeof *v)) {
            dfi_warn_once("out of memory: DF_CHECK misses tasks that use variables of functions that have returned");
            return;
        }
    }
    v = &own->variable[own->n_variables++];
    v->task = (struct dfi_flow *)(uintptr_t)t, v->seq = t->seq;
    v->p = p, v->frame = frame, v->call = k->call;
    v->type = t->type, v->parameter = x->parameter, v->site = dfi_task_checks(t)->site;
}

/* The code of s waits for its children. */
static void dfi_check_waits(struct dfi_worker *w, struct dfi_scope *s)
{
    uintptr_t call = dfi_checked_of(w)->call;
    if (dfi_scope_checks(s)->n_variables && call && s->owner == w) dfi_check_returned(s, call);
}

#if DFI_CHECK_ASAN
static void dfi_check_declare(struct dfi_worker *w, struct dfi_flow *t);
static void dfi_check_children_done(struct dfi_scope *s);
static void dfi_check_give_up(void);
#else
static void dfi_check_give_up(void) {}
static void dfi_check_children_done(struct dfi_scope *s) { dfi_scope_checks(s)->n_variables = 0; }
#endif

static void dfi_check_scope_end(struct dfi_scope *s)
{
    /* a body told it before its task, which may be gone, was done */
    if (s->kind != DFI_BODY) dfi_check_children_done(s);
    dfi_mfree((void *)dfi_scope_checks(s)->variable);
    dfi_scope_checks(s)->variable = NULL, dfi_scope_checks(s)->room_variables = 0;
}

/* The task in whose body s is, as far as that is on one thread. */
static const struct dfi_flow *dfi_check_parent(const struct dfi_scope *s)
{
    for (; s && s->kind == DFI_BLOCK; s = s->outer)
        if (s->saved_task) return s->saved_task;
    return s && s->kind == DFI_BODY ? s->task : NULL;
}

/* --- submission -------------------------------------------------------------------------------- */

static void dfi_check_family_of(const struct dfi_worker *w, struct dfi_flow *t, const struct dfi_flow *parent);

/* Does the parent declare the region of c? */
static int dfi_check_inside(const struct dfi_flow *parent, const struct dfi_checked *c)
{
    const struct dfi_region *r = &c->region;
    size_t k;
    for (k = 0; k < r->rows; k++)
        if (!dfi_check_range(parent, r->p + k * r->ld, r->p + k * r->ld + r->row, (c->mode & DFI_WRITES) != 0))
            return 0;
    return 1;
}

/* c->top, if the parent declares the region of c. */
static unsigned dfi_check_top(const struct dfi_flow *parent, const struct dfi_checked *c)
{
    unsigned i, top = 0;
    for (i = 0; i < dfi_task_checks(parent)->n_checked; i++) {
        const struct dfi_checked *of = &dfi_task_checks(parent)->checked[i];
        if (of->top > top && dfi_region_overlap(&of->region, &c->region)) top = of->top;
    }
    return top;
}

static void dfi_check_submit(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x, unsigned n)
{
    const struct dfi_flow *parent = dfi_check_parent(t->scope);
    unsigned i;
    dfi_task_checks(t)->n_checked = dfi_task_checks(t)->family.depth = 0;
    dfi_task_checks(t)->parent = parent ? parent->type : NULL;
    dfi_task_checks(t)->site = t->task.mem.special && t->extra->site ? t->extra->site
              : dfi_call_site == dfi_no_site ? NULL : dfi_call_site;
    dfi_call_site = dfi_no_site;
    if (t->type->modes & DFI_INTERNAL) return;
    if (n > DFI_PARAMETERS &&
        !(dfi_task_checks(t)->checked = (struct dfi_checked *)dfi_malloc(n * sizeof(struct dfi_checked)))) {
        dfi_task_checks(t)->checked = dfi_task_checks(t)->few, n = 0; /* as one that declares nothing */
        dfi_check_give_up();
        dfi_warn_once("out of memory: DF_CHECK does not check a task with many regions");
    }
    dfi_check_family_of(w, t, parent);
    if (dfi_scope_checks(t->scope)->n_variables && t->scope->owner == w)
        dfi_check_returned(t->scope, dfi_checked_of(w)->call);
    for (i = 0; i < n; i++) {
        struct dfi_region r = dfi_region_of(&x[i]);
        struct dfi_checked *c = &dfi_task_checks(t)->checked[dfi_task_checks(t)->n_checked];
        char at[160];
        int inside;
        if (!r.rows || dfi_region_is_all(&r)) continue;
        c->region = r, c->mode = x[i].mode, c->arg = x[i].arg, c->parameter = i, c->entry = NULL;
        c->elsewhere = dfi_check_elsewhere(r.p);
        dfi_task_checks(t)->n_checked++;
        dfi_check_keep(w, t, c);
        c->own = parent && dfi_check_own(w, t->scope, &r);
        inside = !parent || c->own || dfi_check_inside(parent, c);
        c->top = !parent || c->own ? 0 : inside ? dfi_check_top(parent, c) : dfi_task_checks(t)->family.depth - 1;
        if (inside || !dfi_task_checks(parent)->n_checked) continue; /* a parent that declares nothing: family.h */
        c->top = 0; /* once is enough */
        dfi_finding("task %s submits task %s%s, which accesses %lu bytes at %p that its parent did not declare "
                    "(DF_CHECK): add them to the declaration of %s",
                    parent->type->name, t->type->name, dfi_check_at(at, sizeof at, dfi_task_checks(t)->site),
                    (unsigned long)(r.rows * r.row), (void *)r.p, parent->type->name);
    }
#if DFI_CHECK_ASAN
    dfi_check_declare(w, t);
#endif
}

/* --- changes of read-only memory by a body ---------------------------------------------------- */

/* Hashes [p, p + n), in words where they are aligned. */
DFI_UNCHECKED static uint64_t dfi_check_add(uint64_t h, const char *p, size_t n)
{
#if DFI_GNU
    typedef uint64_t __attribute__((may_alias)) word;
#else
    typedef unsigned char word;
#endif
    const char *end = p + n;
    while (p < end && (uintptr_t)p % sizeof(word)) h = (h ^ (unsigned char)*p++) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
    for (; (size_t)(end - p) >= sizeof(word); p += sizeof(word))
        h = (h ^ *(const word *)(const void *)p) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
    while (p < end) h = (h ^ (unsigned char)*p++) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
    return h;
}

/* turn: selects the parts of a large region. */
static uint64_t dfi_check_sum_of(const struct dfi_region *r, const char *p, size_t turn)
{
    size_t bytes = r->rows * r->row, k = 0, step = 1, i, at, part;
    uint64_t h = 1;
    if (bytes > (size_t)DFI_CHECK_SUM_BYTES) step = bytes / DFI_CHECK_SUM_BYTES + 1;
    for (i = 0; i < r->rows; i++)
        for (at = 0; at < r->row; at += part, k++) {
            part = r->row - at < (size_t)DFI_CHECK_SUM_PART ? r->row - at : (size_t)DFI_CHECK_SUM_PART;
            if ((k + turn) % step == 0) h = dfi_check_add(h, p + i * r->ld + at, part);
        }
    return h;
}

/* True if t uses parameter i itself, in that mode, and declares no overlap with it in another mode. */
static int dfi_check_only(const struct dfi_flow *t, unsigned i, unsigned mode)
{
    unsigned k;
    if ((dfi_task_checks(t)->checked[i].mode & ~(unsigned)DFI_RANGE) != mode) return 0;
    if (t->parts) return 0; /* parts may be released, and used by others, before its end */
#if DFI_CHECK_ASAN
    if (!dfi_task_checks(t)->checked[i].entry || dfi_task_checks(t)->checked[i].entry->gone) return 0;
#endif
    for (k = 0; k < dfi_task_checks(t)->n_checked; k++)
        if (k != i && (dfi_task_checks(t)->checked[k].mode | mode) & DFI_WRITES &&
            dfi_region_overlap(&dfi_task_checks(t)->checked[i].region, &dfi_task_checks(t)->checked[k].region))
            return 0;
    return 1;
}

/* The first byte of r that is not mapped; 0: all of it is. */
static uintptr_t dfi_check_unmapped(const struct dfi_region *r)
{
    return dfi_os_unmapped(r->p, dfi_region_end(r));
}

/* The regions that the running task declares to write, as accesses of a loop that is its body (a kernel). Returns their
 * number. */
DFI_UNUSED static unsigned dfi_check_writes(const struct dfi_worker *w, struct dfi_access *x)
{
    unsigned i, n = 0;
    const struct dfi_flow *t = w ? w->task : NULL;
    for (i = 0; t && i < dfi_task_checks(t)->n_checked && n < DFI_PARAMETERS; i++) {
        const struct dfi_checked *c = &dfi_task_checks(t)->checked[i];
        if (!(c->mode & DFI_WRITES) || c->mode & DFI_SHARED) continue;
        memset((void *)&x[n], 0, sizeof *x);
        x[n].p = dfi_check_pointer(t, i);
        x[n].row = c->region.row, x[n].rows = c->region.rows, x[n].ld = c->region.ld;
        x[n].mode = c->mode & DFI_INOUT, x[n++].arg = DFI_NO_ARG;
    }
    return n;
}

static void dfi_check_before(const struct dfi_flow *t)
{
    uintptr_t wrong;
    unsigned i;
    for (i = 0; i < dfi_task_checks(t)->n_checked; i++) {
        struct dfi_checked *c = &dfi_task_checks(t)->checked[i];
        c->read = NULL;
        if (!dfi_check_only(t, i, DFI_IN) || c->elsewhere) continue;
        if ((wrong = dfi_check_unmapped(&c->region)) != 0) {
            dfi_check_say_memory(t, c, wrong);
            continue;
        }
        c->read = dfi_check_pointer(t, i);
        c->sum = dfi_check_sum_of(&c->region, c->read, t->index);
    }
}

static void dfi_check_after(const struct dfi_flow *t)
{
    unsigned i;
    for (i = 0; i < dfi_task_checks(t)->n_checked; i++) {
        const struct dfi_checked *c = &dfi_task_checks(t)->checked[i];
        char at[160];
        const char *name;
        int n;
        if (!c->read || dfi_check_sum_of(&c->region, c->read, t->index) == c->sum) continue;
        n = dfi_check_label(t->type, c->parameter, &name);
        dfi_finding("task %s%s changed df_in %.*s, which it declares to read only (DF_CHECK): declare df_inout(.., "
                    "%.*s, ..)",
                    t->type->name, dfi_check_at(at, sizeof at, dfi_task_checks(t)->site), n, name, n, name);
    }
}

#endif

#endif
