/* family.h - DF_CHECK: memory that tasks of different parents access, and that a parent does not declare
 *
 * Accesses order the children of one scope. So two tasks of different scopes are ordered if in the innermost scope that
 * both are inside of, the tasks that they belong to declare the memory. Otherwise they are reported if
 *   - these two tasks were ready at the same time, so that no token, wait or other memory orders them, and
 *   - the two accesses were possible at the same time as well, or the memory is that of global variables: other memory
 *     may have been freed in between, and then it is not the same.
 * What ready tasks access is kept in a table of limited size. */
#ifndef DFI_OBSERVE_CHECK_FAMILY_H
#define DFI_OBSERVE_CHECK_FAMILY_H

#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../os/wait.h"
#include "../../api/access.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../../flow/region.h"
#include "../../flow/supervise.h"
#include "check.h"
#include "declared.h"
#include "../../flow/extra.h"
#include "../../more/types.h"

#if DF_CHECK

DFI_SMALL_CODE_BEGIN

enum {
    DFI_CHECK_LIVES = 1 << 12, /* tasks whose times are known; a power of two */
    DFI_CHECK_USES = 1 << 10   /* accesses that are known, of each kind; a power of two */
};
/* When a task became ready, and was done with all of its descendants; 0: not yet. */
struct dfi_check_life { uint64_t id, ready, done; };
/* An access of a task. */
struct dfi_check_use {
    struct dfi_region region;
    unsigned mode;
    struct dfi_check_family family;
    const struct dfi_type *type, *parent;
    const char *site;
};
static struct {
    struct dfi_os_mutex lock;
    uint64_t ids, clock;
    struct dfi_check_life life[DFI_CHECK_LIVES];
    struct dfi_check_use use[2][DFI_CHECK_USES]; /* declared by all ancestors; and not */
    int undeclared;                              /* number of the second kind so far */
} dfi_check_family = { DFI_OS_MUTEX_INIT, 0, 0, { { 0, 0, 0 } },
                       { { { { 0, 0, 0, 0 }, 0, { { 0 }, NULL, 0, 0, 0 }, NULL, NULL, NULL } } }, 0 };

#if defined(__linux__) && DFI_GNU
DFI_EXTERN_C_BEGIN
extern char dfi_sys_data[1] __asm__("__data_start") __attribute__((weak));
extern char dfi_sys_end[1] __asm__("_end") __attribute__((weak));
DFI_EXTERN_C_END
static int dfi_check_global(uintptr_t p) { return p >= (uintptr_t)dfi_sys_data && p < (uintptr_t)dfi_sys_end; }
#else
static int dfi_check_global(uintptr_t p) { return (void)p, 0; }
#endif

/* t is being submitted: who are its ancestors? Later its accesses are declared by all of them from `top` on. */
static void dfi_check_family_of(const struct dfi_worker *w, struct dfi_flow *t, const struct dfi_flow *parent)
{
    struct dfi_check_family *f = &dfi_task_checks(t)->family;
    const struct dfi_scope *s;
    f->depth = 0, f->root = t->scope->owner;
    /* order that accesses do not show: options, locks, streams, code that another worker runs */
    f->hidden = dfi_tasks_of(w)->opts || dfi_tasks_of(w)->mutexes ||
                t->type->modes & (unsigned)(DFI_LIMIT | (DFI_COMMUTE & DFI_SHARED) | DFI_LAUNCH);
    for (s = t->scope; s && !parent && s->kind == DFI_BLOCK; s = s->outer) continue;
    if (!parent && s && s->kind == DFI_STOLEN) f->hidden = 1;
    if (parent) {
        const struct dfi_check_family *g = &dfi_task_checks(parent)->family;
        f->root = g->root, f->hidden |= g->hidden || !g->depth || g->depth == DFI_CHECK_DEPTH - 1;
        for (; f->depth < g->depth && !f->hidden; f->depth++) f->id[f->depth] = g->id[f->depth];
    }
    dfi_os_lock(&dfi_check_family.lock);
    f->id[f->depth++] = ++dfi_check_family.ids;
    dfi_os_unlock(&dfi_check_family.lock);
}

/* The life of the task with that id, or NULL. pre of these: the lock */
static struct dfi_check_life *dfi_check_life_of(uint64_t id)
{
    struct dfi_check_life *l = &dfi_check_family.life[id % DFI_CHECK_LIVES];
    return l->id == id ? l : NULL;
}
/* Were both ready, and not done, at some time? */
static int dfi_check_at_once(uint64_t a, uint64_t b)
{
    const struct dfi_check_life *x = dfi_check_life_of(a), *y = dfi_check_life_of(b);
    return x && y && (!x->done || x->done > y->ready) && (!y->done || y->done > x->ready);
}

static int dfi_check_unordered(const struct dfi_check_use *a, const struct dfi_check_use *b)
{
    const struct dfi_check_family *f = &a->family, *g = &b->family;
    unsigned k = 0;
    if (f->root != g->root || !((a->mode | b->mode) & DFI_WRITES)) return 0;
    if (a->mode & b->mode & DFI_SHARED && (a->mode & DFI_SHARED) == (b->mode & DFI_SHARED)) return 0;
    while (k < f->depth && k < g->depth && f->id[k] == g->id[k]) k++;
    if (k == f->depth || k == g->depth || (f->top <= k && g->top <= k)) return 0; /* related; declared */
    return dfi_region_overlap(&a->region, &b->region) && dfi_check_at_once(f->id[k], g->id[k]) &&
           (dfi_check_global(a->region.p) || dfi_check_at_once(f->id[f->depth - 1], g->id[g->depth - 1]));
}

static void dfi_check_say_unordered(const struct dfi_check_use *a, const struct dfi_check_use *b)
{
    const struct dfi_check_use *of = a->family.top > b->family.top ? a : b, *other = of == a ? b : a;
    char at[160], where[160];
    dfi_finding("task %s%s accesses %lu bytes at %p that task %s, which submits it, does not declare, and nothing "
                "orders it with task %s%s, which accesses them, too (DF_CHECK): add them to the declaration of %s",
                of->type->name, dfi_check_at(at, sizeof at, of->site), (unsigned long)dfi_region_bytes(&of->region),
                (void *)of->region.p, of->parent->name, other->type->name,
                dfi_check_at(where, sizeof where, other->site), of->parent->name);
}

/* t has become ready: nothing that it comes after is unfinished. */
static void dfi_check_ready(struct dfi_flow *t)
{
    struct dfi_check_task *c = dfi_task_checks(t);
    const struct dfi_extra *x = dfi_extra_if(t);
    struct dfi_check_use now, *said = NULL, other;
    struct dfi_check_life *l;
    unsigned i, k, kind;
    if (t->type->modes & DFI_INTERNAL || !c->family.depth) return;
    if (x && (dfi_tokens_of(x)->held.after || dfi_windows_of(x)->first)) c->family.hidden = 1;
    dfi_os_lock(&dfi_check_family.lock);
    l = &dfi_check_family.life[c->family.id[c->family.depth - 1] % DFI_CHECK_LIVES];
    l->id = c->family.id[c->family.depth - 1], l->ready = ++dfi_check_family.clock, l->done = 0;
    for (i = 0; i < c->n_checked && !c->family.hidden; i++) {
        if (c->checked[i].own) continue;
        now.region = c->checked[i].region, now.mode = c->checked[i].mode, now.family = c->family;
        now.family.top = c->checked[i].top;
        now.type = t->type, now.parent = c->parent, now.site = c->site;
        for (kind = now.family.top == 0; kind < 2 && !said; kind++) /* both, or those that are not declared */
            for (k = 0; k < (unsigned)DFI_CHECK_USES && !said && (!kind || dfi_check_family.undeclared); k++) {
                const struct dfi_check_use *u = &dfi_check_family.use[kind][k];
                if (u->type && dfi_check_unordered(&now, u)) other = *u, said = &now;
            }
        kind = now.family.top != 0;
        if (kind && dfi_check_family.undeclared < INT_MAX) dfi_check_family.undeclared++;
        k = (unsigned)(dfi_hash(c->family.depth > 1 ? c->family.id[c->family.depth - 2] : 0, &now.region,
                                sizeof now.region) % DFI_CHECK_USES);
        dfi_check_family.use[kind][k] = now;
        if (said) break;
    }
    dfi_os_unlock(&dfi_check_family.lock);
    if (said) dfi_check_say_unordered(&now, &other);
}
DFI_UPCALL_IS(dfi_up_is_ready, dfi_check_ready);

static void dfi_check_family_done(const struct dfi_flow *t)
{
    const struct dfi_check_family *f = &dfi_task_checks(t)->family;
    struct dfi_check_life *l;
    if (t->type->modes & DFI_INTERNAL || !f->depth) return;
    dfi_os_lock(&dfi_check_family.lock);
    l = dfi_check_life_of(f->id[f->depth - 1]);
    if (l && !l->done) l->done = ++dfi_check_family.clock;
    dfi_os_unlock(&dfi_check_family.lock);
}

/* The tasks are the parent's. */
static void dfi_check_family_forked(void)
{
    static const struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    dfi_check_family.lock = fresh;
    memset((void *)dfi_check_family.use, 0, sizeof dfi_check_family.use);
}

DFI_SMALL_CODE_END

#endif

#endif
