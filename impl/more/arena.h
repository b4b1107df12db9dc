/* arena.h - arenas: blocks of DF_PARALLEL whose tasks run on a limited number of workers
 *
 * The crew of an arena counts the workers in it. The scope of each of its blocks refers to the crew. A worker that
 * searches for work enters the crew of the innermost such scope around an entry before it takes the entry, or leaves
 * the entry where it is. Crews are reused, but never freed, because a thief may read the one of a scope that has ended.
 * Argument: docs/internals/work.md, "Arenas". */
#ifndef DFI_MORE_ARENA_H
#define DFI_MORE_ARENA_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../api/arena.h"
#include "../work/module.h"
#include "../work/types.h"
#include "../work/wake.h"
#include "../work/worker.h"
#include "../flow/types.h"
#include "types.h"

DFI_SMALL_CODE_BEGIN

static DFI_COLD int dfi_arena_number(int n, const char *what, const char *site)
{
    if (n >= 1) return n;
    dfi_error("%s: %s(%d): the arena is for 1 worker; pass 1 or more", site, what, n);
    return 1;
}

#if !defined(DF_SERIAL)

struct dfi_crew {
    struct dfi_crew *next, *next_free;
    DFI_ATOMIC(int) most, inside, blocks; /* workers at most, workers, blocks that run */
    int ends;                            /* with its block */
};

struct dfi_crews {
    struct dfi_os_mutex lock;
    struct dfi_crew *all, *free;
};
static const struct dfi_crews dfi_crews_empty = { DFI_OS_MUTEX_INIT, NULL, NULL };
static struct dfi_crews dfi_crews = { DFI_OS_MUTEX_INIT, NULL, NULL };

/* NULL: out of memory. */
static DFI_COLD struct dfi_crew *dfi_crew_new(int most, int ends)
{
    struct dfi_crew *c;
    dfi_os_lock(&dfi_crews.lock);
    if ((c = dfi_crews.free) != NULL) dfi_crews.free = c->next_free;
    else if ((c = (struct dfi_crew *)dfi_malloc(sizeof *c)) != NULL) {
        dfi_store_relaxed(&c->inside, 0);
        dfi_store_relaxed(&c->blocks, 0);
        c->next = dfi_crews.all, dfi_crews.all = c;
    }
    dfi_os_unlock(&dfi_crews.lock);
    if (c) {
        dfi_store_relaxed(&c->most, most);
        c->ends = ends;
    } else dfi_warn_once("out of memory for an arena: its tasks run on all workers");
    return c;
}

static void dfi_crew_free(struct dfi_crew *c)
{
    dfi_os_lock(&dfi_crews.lock);
    c->next_free = dfi_crews.free, dfi_crews.free = c;
    dfi_os_unlock(&dfi_crews.lock);
}

/* --- workers ----------------------------------------------------------------------------------------------- */

static int dfi_crew_has(const struct dfi_worker *w, const struct dfi_crew *c)
{
    const struct dfi_entered *e = dfi_entered_of(w);
    unsigned i = 0;
    while (i < e->depth && dfi_load_relaxed(&e->crew[i]) != c) i++;
    return i < e->depth;
}

/* w enters c. pre: it is not in too many */
static void dfi_crew_push(struct dfi_worker *w, struct dfi_crew *c, unsigned counts)
{
    struct dfi_entered *e = dfi_entered_of(w);
    e->counts = (e->counts & ~(1u << e->depth)) | counts << e->depth;
    e->mark[e->depth] = w->head;
    /* before w publishes futures that name it; pairs with dfi_deque_steal_thief */
    dfi_store_relaxed(&e->crew[e->depth++], c);
}

/* The place, from 1, of the innermost arena that w had entered when the future at that height of its stack was spawned;
 * 0: none. */
static unsigned dfi_crew_door(const struct dfi_worker *w, size_t at)
{
    const struct dfi_entered *e = dfi_entered_of(w);
    unsigned i = e->depth;
    while (i && e->mark[i - 1] > at) i--;
    return i;
}
#define dfi_up_door_by , dfi_crew_door

/* w leaves the arena that it entered last. wakes: and does not search for work next. */
static void dfi_crew_leave(struct dfi_worker *w, int wakes)
{
    struct dfi_entered *e = dfi_entered_of(w);
    struct dfi_crew *c;
    if (!e->depth) return; /* the end of the thread has left all */
    c = dfi_load_relaxed(&e->crew[--e->depth]);
    if (!(e->counts >> e->depth & 1)) return;
    /* seq_cst: pairs with the load in dfi_crew_enter by a worker that is about to park */
    if (dfi_fetch_sub_seq_cst(&c->inside, 1) >= dfi_load_relaxed(&c->most) && wakes && dfi_work_public())
        dfi_wake_for_work();
}
#define dfi_up_thief_leaves_by , dfi_crew_leave

/* The crew of the innermost arena around a scope. The structs read here may end at any time (dfi_scope_inside). */
static struct dfi_crew *dfi_crew_around(struct dfi_scope *s)
{
    uintptr_t d = s ? dfi_load_relaxed(&s->depth) : 0;
    for (;;) {
        struct dfi_scope *up;
        struct dfi_crew *c = s ? dfi_load_acquire(&dfi_arena_in(s)->crew) : NULL; /* pairs with dfi_arena_block */
        uintptr_t above;
        if (c || !s || !(up = dfi_load_relaxed(&s->parent))) return c;
        above = dfi_load_relaxed(&up->depth);
        if (above >= d) return NULL; /* this scope has ended meanwhile */
        s = up, d = above;
    }
}

static int dfi_crew_enter(struct dfi_worker *w, struct dfi_scope *s, const struct dfi_worker *victim, unsigned door)
{
    struct dfi_crew *c = !victim ? dfi_crew_around(s)
                         : door  ? dfi_load_relaxed(&dfi_entered_of(victim)->crew[(door - 1) % DFI_CREWS_NESTED])
                                 : NULL;
    int n;
    dfi_entered_of(w)->running = c;
    if (!c || dfi_crew_has(w, c) || dfi_entered_of(w)->depth == DFI_CREWS_NESTED) return DFI_THIEF_MAY;
    n = dfi_load_seq_cst(&c->inside);
    do if (n >= dfi_load_relaxed(&c->most)) return 0;
    while (!dfi_cas_seq_cst(&c->inside, &n, n + 1));
    dfi_crew_push(w, c, 1);
    return DFI_THIEF_ENTERED;
}
#define dfi_up_thief_enters_by , dfi_crew_enter

static int dfi_crew_admits(const struct dfi_worker *w, struct dfi_scope *s)
{
    const struct dfi_crew *c = dfi_crew_around(s);
    return !c || dfi_crew_has(w, c) || dfi_entered_of(w)->depth == DFI_CREWS_NESTED ||
           dfi_load_seq_cst(&c->inside) < dfi_load_relaxed(&c->most);
}
#define dfi_up_thief_may_enter_by , dfi_crew_admits

/* w runs a stolen future, with scope s. */
static void dfi_crew_stolen(const struct dfi_worker *w, struct dfi_scope *s)
{
    if (DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.doors)) && !s->team)
        dfi_store_release(&dfi_arena_in(s)->crew, dfi_entered_of(w)->running); /* as in dfi_arena_block */
}

/* w blocks: other workers, or a spare, may take its place in all its arenas. by -1; it continues: 1. */
static void dfi_crew_blocks(struct dfi_worker *w, int by)
{
    const struct dfi_entered *e = dfi_entered_of(w);
    unsigned i;
    int room = 0;
    for (i = 0; i < e->depth; i++)
        if (e->counts >> i & 1) {
            struct dfi_crew *c = dfi_load_relaxed(&e->crew[i]);
            room |= dfi_fetch_add_seq_cst(&c->inside, by) >= dfi_load_relaxed(&c->most);
        }
    if (room && by < 0) dfi_wake_for_missed_work(); /* idle workers that had to leave its tasks where they are */
}

/* --- blocks ------------------------------------------------------------------------------------------------- */

/* Gives crew c to the block that w has just opened. Zero: it has no scope of its own, or w is in too many. */
static DFI_COLD int dfi_arena_block(struct dfi_worker *w, struct dfi_crew *c)
{
    struct dfi_scope *s = w->scope;
    int counts = !dfi_crew_has(w, c);
    if (w->task || s->kind != DFI_BLOCK || dfi_load_relaxed(&dfi_arena_in(s)->crew) ||
        dfi_entered_of(w)->depth == DFI_CREWS_NESTED) return 0;
    if (counts) dfi_fetch_add_seq_cst(&c->inside, 1);
    dfi_crew_push(w, c, (unsigned)counts);
    dfi_fetch_add_relaxed(&c->blocks, 1);
    s->asks |= DFI_ASKS_ARENA;
    /* before the first task of the block is published; pairs with dfi_deque_steal_thief */
    dfi_store_release(&dfi_arena_in(s)->crew, c);
    dfi_store_seq_cst(&dfi_pool.doors, 1);
    return 1;
}

/* The block with scope s has ended. */
static DFI_COLD void dfi_arena_left(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_crew *c = dfi_load_relaxed(&dfi_arena_in(s)->crew);
    dfi_store_relaxed(&dfi_arena_in(s)->crew, NULL);
    s->asks &= ~(unsigned)DFI_ASKS_ARENA;
    dfi_crew_leave(w, 1);
    dfi_fetch_sub_acq_rel(&c->blocks, 1); /* release; pairs with dfi_arena_destroy */
    if (c->ends) dfi_crew_free(c);
}

DFI_EXTERN_C_BEGIN
DFI_API int dfi_arena_at_most(int n, const char *site)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_crew *c;
    n = dfi_arena_number(n, "DF_PARALLEL_AT_MOST", site);
    if (w && (c = dfi_crew_new(n, 1)) != NULL && !dfi_arena_block(w, c)) dfi_crew_free(c);
    return 1;
}

DFI_API int dfi_arena_enter(df_arena *a, const char *site)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_crew *c = (struct dfi_crew *)dfi_load_acquire(&a->dfi_crew);
    void *old = NULL;
    if (a->dfi_site) site = a->dfi_site;
    if (!c && w && (c = dfi_crew_new(dfi_arena_number(a->dfi_workers, "DF_ARENA", site), 0))) {
        if (!dfi_cas_acq_rel(&a->dfi_crew, &old, (void *)c)) {
            dfi_crew_free(c);
            c = (struct dfi_crew *)old;
        }
    }
    if (c && w) dfi_arena_block(w, c);
    return 1;
}

DFI_API int dfi_arena_destroy(df_arena *a, const char *site)
{
    struct dfi_crew *c = (struct dfi_crew *)dfi_load_acquire(&a->dfi_crew);
    if (!c) return 1;
    if (dfi_load_acquire(&c->blocks)) { /* workers that have run tasks may be about to leave */
        dfi_error("%s: df_arena_destroy of the arena of %s, in whose blocks threads are: it stays as it is; call it "
                  "after these blocks", site, a->dfi_site);
        return 0;
    }
    dfi_store_relaxed(&a->dfi_crew, NULL);
    dfi_crew_free(c);
    return 1;
}
DFI_EXTERN_C_END

static void dfi_module_arenas(const struct dfi_moment *m)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_crew *c;
    switch (m->is) {
    case DFI_THREAD_UNWOUND:
        while (dfi_entered_of(m->w)->depth) dfi_crew_leave(m->w, 1);
        break;
    case DFI_WORKER_IS_NEW: dfi_entered_of(m->w)->depth = 0; break;
    case DFI_FORK_CHILD: /* only the calling thread is left */
        dfi_crews.lock = dfi_crews_empty.lock;
        for (c = dfi_crews.all; c; c = c->next) dfi_store_relaxed(&c->inside, 0); /* `blocks` of others stay */
        if (w) dfi_crew_blocks(w, 1);
        break;
    default: break;
    }
}

#else

DFI_EXTERN_C_BEGIN
DFI_API int dfi_arena_at_most(int n, const char *site)
{
    dfi_arena_number(n, "DF_PARALLEL_AT_MOST", site);
    return 1;
}
DFI_API int dfi_arena_enter(df_arena *a, const char *site) { return (void)a, (void)site, 1; }
DFI_API int dfi_arena_destroy(df_arena *a, const char *site) { return (void)a, (void)site, 1; }
DFI_EXTERN_C_END

#endif

DFI_EXTERN_C_BEGIN
DFI_API void dfi_arena_init(df_arena *a, int n, const char *site)
{
    a->dfi_workers = dfi_arena_number(n, "df_arena_init", site);
    a->dfi_site = site;
    dfi_store_relaxed(&a->dfi_crew, NULL);
}
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#if defined(DF_SERIAL)

DFI_FAST void dfi_crew_blocks(struct dfi_worker *w, int by) { (void)w, (void)by; }
DFI_FAST void dfi_crew_stolen(const struct dfi_worker *w, struct dfi_scope *s) { (void)w, (void)s; }
DFI_FAST void dfi_arena_left(struct dfi_worker *w, struct dfi_scope *s) { (void)w, (void)s; }

#endif

#endif
