/* family.h - DF_CHECK: memory that tasks of different parents access although a parent does not declare it
 *
 * Accesses order the children of one scope. Two tasks of different scopes are therefore ordered if their ancestors in
 * the innermost common scope declare the memory. Otherwise the two tasks are reported if
 *   - these ancestors were ready at the same time, so that no token, wait or other memory orders them, and
 *   - the two tasks were ready at the same time, or the memory is a global variable. The program may have freed other
 *     memory between the tasks, and then the same address is other memory.
 * A table of limited size has the accesses of tasks that became ready. */
#ifndef DFI_OBSERVE_CHECK_FAMILY_H
#define DFI_OBSERVE_CHECK_FAMILY_H

#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../os/os.h"
#include "../../os/mapped.h"
#include "../../api/access.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../../flow/extra.h"
#include "../../flow/region.h"
#include "../../flow/supervise.h"
#include "../../more/types.h"
#include "check.h"
#include "declared.h"

#if DF_CHECK

DFI_SMALL_CODE_BEGIN

enum {
    DFI_CHECK_LIVES = 1 << 12, /* tasks whose times are known; a power of two */
    DFI_CHECK_USES = 1 << 10   /* declared accesses that are known, and undeclared ones; a power of two */
};
/* The times at which a task became ready, and at which it and its descendants were done; 0: not yet. */
struct dfi_check_life { uint64_t id, ready, done; };
/* An access of a task. */
struct dfi_check_use {
    struct dfi_region region;
    unsigned mode, top;                          /* top: as in struct dfi_checked */
    struct dfi_check_family family;
    const struct dfi_type *type, *parent;
    const char *site;
};
static struct dfi_os_mutex dfi_check_family_lock = DFI_OS_MUTEX_INIT; /* of the next four */
static uint64_t dfi_check_ids, dfi_check_clock;
static struct dfi_check_life dfi_check_lives[DFI_CHECK_LIVES];
/* [0]: accesses that all ancestors declare; [1]: other accesses. Each task that becomes ready reads the bounds of their
 * regions. */
static struct {
    int n, index[DFI_CHECK_USES];                /* a hash table: 1 + the index in the other arrays, or 0 */
    struct { uintptr_t begin, end; } bounds[DFI_CHECK_USES];
    struct dfi_check_use use[DFI_CHECK_USES];
} dfi_check_uses[2];

/* t is being submitted. Sets its family, but for its own number. */
static void dfi_check_family_of(const struct dfi_worker *w, struct dfi_flow *t, const struct dfi_flow *parent)
{
    struct dfi_check_family *f = &dfi_task_checks(t)->family;
    const struct dfi_scope *s = t->scope;
    while (s && s->kind == DFI_BLOCK) s = s->outer;
    if (parent) *f = dfi_task_checks(parent)->family;
    else f->depth = 0, f->root = t->scope->owner, f->hidden = s && s->kind == DFI_STOLEN;
    /* order by options, locks and streams, which accesses do not show; code that another worker runs; deep nesting */
    f->hidden |= dfi_tasks_of(w)->opts || dfi_tasks_of(w)->mutexes || (parent && !f->depth) ||
                 t->type->modes & (unsigned)(DFI_LIMIT | (DFI_COMMUTE & DFI_SHARED) | DFI_LAUNCH) ||
                 f->depth == DFI_CHECK_DEPTH - 1;
    if (f->hidden) f->depth = 0;
    f->id[f->depth++] = 0; /* it gets its number when it is ready */
}
static uint64_t *dfi_check_id(struct dfi_check_family *f) { return &f->id[f->depth - 1]; }

/* The life of the task with that id, or NULL if it is no longer known. pre of these: the lock */
static struct dfi_check_life *dfi_check_life_of(uint64_t id)
{
    struct dfi_check_life *l = &dfi_check_lives[id % DFI_CHECK_LIVES];
    return l->id == id ? l : NULL;
}
/* Were the two tasks ready, and not done, at the same time? */
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
    if (k == f->depth || k == g->depth || (a->top <= k && b->top <= k)) return 0; /* related; declared */
    return dfi_region_overlap(&a->region, &b->region) && dfi_check_at_once(f->id[k], g->id[k]) &&
           (dfi_os_is_static(a->region.p) || dfi_check_at_once(f->id[f->depth - 1], g->id[g->depth - 1]));
}

static void dfi_check_say_unordered(const struct dfi_check_use *a, const struct dfi_check_use *b)
{
    const struct dfi_check_use *of = a->top > b->top ? a : b, *other = of == a ? b : a;
    char at[160], where[160];
    dfi_finding("task %s%s accesses %lu bytes at %p that task %s, which submits it, does not declare, and nothing "
                "orders it with task %s%s, which accesses them, too (DF_CHECK): add them to the declaration of %s",
                of->type->name, dfi_check_at(at, sizeof at, of->site), (unsigned long)dfi_region_bytes(&of->region),
                (void *)of->region.p, of->parent->name, other->type->name,
                dfi_check_at(where, sizeof where, other->site), of->parent->name);
}

/* Finds a use that nothing orders with u. */
static const struct dfi_check_use *dfi_check_conflict(const struct dfi_check_use *u)
{
    const uintptr_t begin = u->region.p, end = dfi_region_end(&u->region);
    int kind, k;
    for (kind = u->top == 0; kind < 2; kind++) /* two declared accesses are ordered */
        for (k = 0; k < dfi_check_uses[kind].n; k++)
            if (dfi_check_uses[kind].bounds[k].end > begin && dfi_check_uses[kind].bounds[k].begin < end &&
                dfi_check_unordered(u, &dfi_check_uses[kind].use[k])) return &dfi_check_uses[kind].use[k];
    return NULL;
}

/* Children of one parent that access the same region replace each other. */
static void dfi_check_remember(const struct dfi_check_use *u)
{
    unsigned depth = u->family.depth, kind = u->top != 0;
    uint64_t parent = depth > 1 ? u->family.id[depth - 2] : 0;
    int *at = &dfi_check_uses[kind].index[((parent ^ u->region.p >> 3 ^ u->region.row) * 0x9E3779B97F4A7C15u >> 32) %
                                          DFI_CHECK_USES], k;
    if (!*at) *at = ++dfi_check_uses[kind].n;
    k = *at - 1;
    dfi_check_uses[kind].bounds[k].begin = u->region.p, dfi_check_uses[kind].bounds[k].end = dfi_region_end(&u->region);
    dfi_check_uses[kind].use[k] = *u;
}

/* t has become ready. */
static void dfi_check_ready(struct dfi_flow *t)
{
    struct dfi_check_task *c = dfi_task_checks(t);
    const struct dfi_extra *x = dfi_extra_if(t);
    const struct dfi_check_use *found = NULL;
    struct dfi_check_use now, other;
    struct dfi_check_life *l;
    unsigned i;
    if (t->type->modes & DFI_INTERNAL || !c->family.depth) return;
    if (x && (dfi_tokens_of(x)->held.after || dfi_windows_of(x)->first)) c->family.hidden = 1;
    dfi_os_lock(&dfi_check_family_lock);
    *dfi_check_id(&c->family) = ++dfi_check_ids;
    l = &dfi_check_lives[dfi_check_ids % DFI_CHECK_LIVES];
    l->id = dfi_check_ids, l->ready = ++dfi_check_clock, l->done = 0;
    for (i = 0; i < c->n_checked && !c->family.hidden && !found; i++) {
        if (c->checked[i].own) continue;
        now.region = c->checked[i].region, now.mode = c->checked[i].mode, now.top = c->checked[i].top;
        now.family = c->family, now.type = t->type, now.parent = c->parent, now.site = c->site;
        if ((found = dfi_check_conflict(&now)) != NULL) other = *found;
        dfi_check_remember(&now);
    }
    dfi_os_unlock(&dfi_check_family_lock);
    if (found) dfi_check_say_unordered(&now, &other);
}
#define dfi_up_is_ready_by , dfi_check_ready

/* Was t told to be done? pre: none; a task whose life is no longer known counts as unfinished */
static int dfi_check_is_done(const struct dfi_flow *t)
{
    const struct dfi_check_family *f = &dfi_task_checks(t)->family;
    const struct dfi_check_life *l;
    int done;
    if (!f->depth) return 0;
    dfi_os_lock(&dfi_check_family_lock); /* another thread may give t its number now (dfi_check_ready) */
    l = dfi_check_life_of(f->id[f->depth - 1]);
    done = l && l->done;
    dfi_os_unlock(&dfi_check_family_lock);
    return done;
}

static void dfi_check_family_done(struct dfi_flow *t)
{
    struct dfi_check_family *f = &dfi_task_checks(t)->family;
    struct dfi_check_life *l;
    if (t->type->modes & DFI_INTERNAL || !f->depth) return;
    dfi_os_lock(&dfi_check_family_lock);
    l = dfi_check_life_of(*dfi_check_id(f));
    if (l && !l->done) l->done = ++dfi_check_clock;
    dfi_os_unlock(&dfi_check_family_lock);
}

/* Called in the child of a fork: the tasks belong to the parent. */
static void dfi_check_family_forked(void)
{
    static const struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    dfi_check_family_lock = fresh;
    memset((void *)dfi_check_uses, 0, sizeof dfi_check_uses);
}

DFI_SMALL_CODE_END

#endif

#endif
