/* rename.h - renaming: a write-only access gets a new version of its region instead of WAR and WAW
 * dependences
 *
 * A task that writes all of a region without reading it (df_out) depends on users of the old value
 * only through the memory. If a worker would otherwise be idle, the task gets another buffer (a
 * version) instead of edges. The thread that owns the scope decides this when the task is
 * registered, so that no lock and no atomic is needed. Later tasks with exactly this region are
 * given the pointer to the current version. Any other use, including the wait of the scope, copies
 * the value back with an internal task.
 * Only regions that overlap no other region so far are renamed.
 * Source: StarSs; X-Kaapi (RT-0418, 4.4.5). */
#ifndef DFI_MORE_RENAME_H
#define DFI_MORE_RENAME_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../api/access.h"
#include "../api/task.h"
#include "../work/worker.h"
#include "../work/stack.h"
#include "../work/scope.h"
#include "../work/types.h"
#include "../flow/devices.h"
#include "../flow/edge.h"
#include "../flow/region.h"
#include "../flow/table.h"
#include "../observe/check/check.h"
#include "../observe/schedule/baton.h"

struct dfi_place {
    struct dfi_local local;    /* first: an ended scope may keep it until its tasks are done */
    struct dfi_place *next;    /* versions of one region */
    char *p;
    struct dfi_ref *users;     /* the tasks that use it, except those that the entry itself remembers */
    unsigned n_users, max_users;
    int original;              /* the memory of the region itself */
};

static int dfi_entry_order(struct dfi_worker *w, struct dfi_flow *t, struct dfi_entry *n, unsigned kind, int all,
                           int joins);
static void dfi_entry_close_group(struct dfi_worker *w, struct dfi_table *table, struct dfi_entry *n);
static void dfi_join_run(void *args, void *result);

static char *dfi_place_now(const struct dfi_entry *n) { return n->place ? n->place->p : (char *)n->region.p; }

static void dfi_places_keep(struct dfi_scope *s, struct dfi_entry *n)
{
    while (n->places) {
        struct dfi_place *p = n->places;
        n->places = p->next;
        if (p->users) dfi_mfree(p->users);
        p->local.next = s->locals, s->locals = &p->local;
    }
}

static int dfi_place_unused(struct dfi_place *p)
{
    unsigned i, kept = 0;
    for (i = 0; i < p->n_users; i++)
        if (!dfi_ref_done(&p->users[i])) p->users[kept++] = p->users[i];
    p->n_users = kept;
    return !kept;
}

static int dfi_place_add_user(struct dfi_place *p, const struct dfi_ref *r)
{
    void *array = p->users;
    if (dfi_ref_done(r)) return 0;
    if (p->n_users == p->max_users) {
        dfi_place_unused(p);
        if (p->n_users >= p->max_users / 2) {
            if (dfi_array_grow(&array, NULL, p->n_users, &p->max_users, sizeof *p->users)) return -1;
            p->users = (struct dfi_ref *)array;
        }
    }
    p->users[p->n_users++] = *r;
    return 0;
}

/* A new version of n with room for `bytes`, counted against the limit; bytes 0: the version for the
 * original. NULL: over the limit, or no memory. */
static struct dfi_place *dfi_place_new(struct dfi_entry *n, size_t bytes)
{
    struct dfi_place *p = NULL;
    if (bytes > dfi_pool.rename_bytes) return NULL;
    if (dfi_fetch_add_acq_rel(&dfi_pool.renamed, bytes) + bytes <= dfi_pool.rename_bytes || !bytes)
        p = (struct dfi_place *)dfi_malloc(sizeof *p + DFI_LINE + bytes);
    if (!p) {
        dfi_fetch_sub_acq_rel(&dfi_pool.renamed, bytes);
        return NULL;
    }
    memset(p, 0, sizeof *p);
    p->local.renamed = bytes;
    p->original = bytes == 0;
    p->p = bytes ? (char *)(p + 1) + (DFI_LINE - (uintptr_t)(p + 1) % DFI_LINE) % DFI_LINE : (char *)n->region.p;
    p->next = n->places, n->places = p;
    return p;
}

static struct dfi_place *dfi_place_original(struct dfi_entry *n)
{
    struct dfi_place *p;
    for (p = n->places; p; p = p->next)
        if (p->original) return p;
    return dfi_place_new(n, 0);
}

static void dfi_place_set(struct dfi_table *table, struct dfi_entry *n, struct dfi_place *to)
{
    if (to && to->original) to = NULL;
    table->unsettled += (size_t)(to != NULL) - (size_t)(n->place != NULL);
    n->place = to;
}

/* --- copying a value back ------------------------------------------------------------------------ */

struct dfi_copy_back { struct dfi_region region; char *from; };

static void dfi_place_copy_back(const struct dfi_region *r, const char *from)
{
    struct dfi_check_view v;
    int begun;
    size_t i;
    if (DFI_UNLIKELY(dfi_load_relaxed(&dfi_pool.devices))) dfi_gpu_before_copy_back(r, from);
    begun = dfi_check_own_begin(&v, r, 1);
    for (i = 0; i < r->rows; i++) memcpy((char *)(r->p + i * r->ld), from + i * r->ld, r->row);
    dfi_check_own_end(&v, begun);
}

static void dfi_copy_back_run(void *args, void *result)
{
    struct dfi_copy_back *a = (struct dfi_copy_back *)args;
    (void)result;
    dfi_place_copy_back(&a->region, a->from);
    dfi_internal_counted();
}

/* Copies the value of n back to its original address, by a task. 0, or -1 without memory: nothing
 * has changed. */
static int dfi_place_bring_back(struct dfi_worker *w, struct dfi_scope *s, struct dfi_entry *n)
{
    static const struct dfi_type type = { dfi_copy_back_run, "copy back", 0, 0, sizeof(struct dfi_copy_back),
                                          DFI_INTERNAL | DFI_WRITES, NULL };
    static const struct dfi_type nothing = { dfi_join_run, "nothing", 0, 0, 1, DFI_INTERNAL, NULL };
    struct dfi_place *original = dfi_place_original(n), *place = n->place;
    struct dfi_flow *t = original ? dfi_flow_new(w, s, &type) : NULL;
    struct dfi_copy_back a;
    struct dfi_ref me;
    const struct dfi_access *access = w->reg_access;
    unsigned i;
    int failed;
    if (!t) return -1;
    w->reg_access = NULL; /* the edges of the copy task do not belong to the access */
    a.region = n->region, a.from = place->p;
    memcpy(t->task.args, &a, sizeof a);
    me.task = t, me.seq = t->seq;
    failed = dfi_entry_order(w, t, n, DFI_IN, 0, 1) || dfi_place_add_user(place, &n->writer) ||
        dfi_place_add_user(place, &me);
    for (i = 0; i < n->n_readers && !failed; i++) failed = dfi_place_add_user(place, &n->readers[i]);
    for (i = 0; i < original->n_users && !failed; i++) failed = dfi_edge_add(w, t, &original->users[i]);
    if (failed) t->type = &nothing; /* it has edges already, so it runs as an empty task */
    else {
        original->n_users = 0;
        n->n_readers = 0;
        n->writer = me;
        dfi_place_set(s->table, n, NULL);
    }
    w->reg_access = access;
    dfi_ready_if(w, t);
    return failed ? -1 : 0;
}

static int dfi_wait_before(struct dfi_worker *w, struct dfi_scope *s, const struct dfi_flow *self,
                           const struct dfi_access *x, unsigned n);

/* The same before the wait of a scope. Without memory for the task, the caller waits here. */
static void dfi_place_settle(struct dfi_worker *w, struct dfi_scope *s, struct dfi_entry *n)
{
    struct dfi_access x;
    if (dfi_place_bring_back(w, s, n) == 0) return;
    dfi_wait_until(w, s, 0);
    if (s->gated) { /* and after the gate, if the gate was the last user of the region */
        dfi_access_region(&x, DFI_INOUT, &n->region);
        dfi_wait_before(w, s, NULL, &x, 1);
    }
    dfi_place_copy_back(&n->region, n->place->p);
    n->n_readers = 0, n->writer.task = NULL;
    dfi_place_set(s->table, n, NULL);
}

/* --- new versions for outputs ------------------------------------------------------------------------- */

/* True if the memory of n delays a writer while a worker is idle, or the calling worker would be. */
static int dfi_rename_helps(struct dfi_worker *w, struct dfi_entry *n)
{
    unsigned i;
    int waits = !dfi_ref_done(&n->writer);
    for (i = 0; i < n->n_readers && !waits; i++) waits = !dfi_ref_done(&n->readers[i]);
    return waits && (dfi_load_relaxed(&dfi_pool.n_slots) > 1 || dfi_baton_on()) &&
        (w->head == dfi_stack_floor(w) || dfi_hungry());
}

static void dfi_rename_output(struct dfi_worker *w, struct dfi_table *table, struct dfi_entry *n)
{
    struct dfi_place *old = n->place ? n->place : dfi_place_original(n), *to;
    unsigned i;
    if (!old || dfi_place_add_user(old, &n->writer)) return;
    for (i = 0; i < n->n_readers; i++)
        if (dfi_place_add_user(old, &n->readers[i])) return; /* too many users do no harm */
    for (to = n->places; to && (to == old || !dfi_place_unused(to));) to = to->next;
    if (!to && !(to = dfi_place_new(n, dfi_region_bytes(&n->region)))) return;
    dfi_entry_close_group(w, table, n);
    n->n_readers = 0, n->writer.task = NULL;
    dfi_place_set(table, n, to);
    dfi_store_relaxed(&w->n_renamings, dfi_load_relaxed(&w->n_renamings) + 1);
}

/* True if t needs its values at their original addresses, because its regions are compared with
 * those of others, or kept for undo. */
static int dfi_rename_never(const struct dfi_flow *t) { return t->parts || (t->task.mem.special && t->extra->guess); }

/* Runs before any access of t is registered. Copies back each renamed value that t overlaps in part,
 * or whose address t cannot be told. This comes first because the task that copies a value back must
 * not come after t itself. 0, or -1 without memory. */
static DFI_NOINLINE int dfi_rename_before(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x,
                                          unsigned n)
{
    struct dfi_scope *s = t->scope;
    unsigned i, j, pass;
    if (!s->table && !(s->table = dfi_table_new(w))) return -1;
    for (pass = 0; pass < 2; pass++) /* all entries are made first, because they may overlap each other */
        for (i = 0; i < n; i++) {
            struct dfi_region r = dfi_region_of(&x[i]);
            struct dfi_entry *m = r.rows ? dfi_table_find(w, s->table, &r) : NULL;
            if (!m && r.rows) return -1;
            if (!m || pass == 0) continue;
            for (j = 0; j < m->n_over; j++)
                if (dfi_entry_over(m, j)->place && dfi_place_bring_back(w, s, dfi_entry_over(m, j))) return -1;
            if ((x[i].arg == DFI_NO_ARG || m->n_over || dfi_rename_never(t)) && m->place &&
                dfi_place_bring_back(w, s, m)) return -1;
        }
    return 0;
}

/* Runs before an access of t is ordered: t may get a new version, and is told the address of the
 * current one. */
static DFI_NOINLINE void dfi_rename(struct dfi_worker *w, struct dfi_flow *t, struct dfi_entry *n,
                                    const struct dfi_access *x)
{
    struct dfi_scope *s = t->scope;
    if (x->arg == DFI_NO_ARG || n->n_over || dfi_rename_never(t)) return;
    if ((x->mode & ~(unsigned)DFI_RANGE) == DFI_OUT && dfi_pool.rename_bytes &&
        !dfi_load_relaxed(&dfi_pool.devices) && dfi_rename_helps(w, n))
        dfi_rename_output(w, s->table, n);
    if (n->place) {
        char *args = (char *)t->task.args + x->arg, *p = n->place->p, *end = p + n->region.row;
        memcpy(args, &p, sizeof p);
        if (x->mode & DFI_RANGE) memcpy(args + sizeof p, &end, sizeof end);
    }
}

#endif
