/* rename.h - renaming: a write-only access gets a new version of its region instead of WAR and WAW
 * dependences
 *
 * A task that writes all of a region without reading it (df_out) depends on users of the old value
 * only through the memory. If a worker would otherwise be idle, the task gets another buffer (a
 * version) instead of edges. The thread that owns the scope decides this when the task is
 * registered, so that no lock and no atomic is needed. Later tasks with exactly this region are
 * given the pointer to the latest version. Any other use, including the wait of the scope, copies
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
#include "../work/director.h"
#include "../work/scope.h"
#include "../work/stack.h"
#include "../work/supervise.h"
#include "../work/types.h"
#include "../work/worker.h"
#include "../flow/at_once.h"
#include "../flow/edge.h"
#include "../flow/moments.h"
#include "../flow/order.h"
#include "../flow/region.h"
#include "../flow/scope.h"
#include "../flow/table.h"
#include "../flow/types.h"
#include "devices.h"
#include "state.h"
#include "types.h"

DFI_SMALL_CODE_BEGIN

struct dfi_version {
    struct dfi_local local;    /* first: an ended scope may keep it until its tasks are done */
    size_t bytes;              /* counted in dfi_more.renamed */
    struct dfi_version *next;  /* versions of one region */
    char *p;
    struct dfi_ref *users;     /* the tasks that use it, except those that the entry itself remembers */
    unsigned n_users, max_users;
    int original;              /* the memory of the region itself */
};

static char *dfi_version_now(const struct dfi_entry *n)
{
    return dfi_versions_of(n)->now ? dfi_versions_of(n)->now->p : (char *)n->region.p;
}

/* The memory of a version is about to be freed. */
static void dfi_version_drop(struct dfi_local *l)
{
    dfi_fetch_sub_acq_rel(&dfi_more.renamed, ((struct dfi_version *)(void *)l)->bytes);
}

/* The table of s is freed, and with it n; but tasks of s may still be running. */
static void dfi_versions_keep(struct dfi_scope *s, struct dfi_entry *n)
{
    while (dfi_versions_of(n)->all) {
        struct dfi_version *p = dfi_versions_of(n)->all;
        dfi_versions_of(n)->all = p->next;
        if (p->users) dfi_mfree(p->users);
        p->local.next = dfi_flow_of(s)->locals, dfi_flow_of(s)->locals = &p->local;
    }
}

static void dfi_warn_not_renamed(void)
{
    dfi_warn_once("out of memory: df_out regions are not renamed; lower df_config.rename_bytes");
}

static int dfi_version_unused(struct dfi_version *p)
{
    unsigned i, kept = 0;
    for (i = 0; i < p->n_users; i++)
        if (!dfi_ref_done(&p->users[i])) p->users[kept++] = p->users[i];
    p->n_users = kept;
    return !kept;
}

static int dfi_version_add_user(struct dfi_version *p, const struct dfi_ref *r)
{
    if (dfi_ref_done(r)) return 0;
    if (p->n_users == p->max_users) {
        dfi_version_unused(p);
        if (p->n_users >= p->max_users / 2 &&
            dfi_array_grow((void *)&p->users, NULL, &p->max_users, sizeof *p->users)) {
            dfi_warn_not_renamed();
            return -1;
        }
    }
    p->users[p->n_users++] = *r;
    return 0;
}

/* A new version of n with room for `bytes`, counted against the limit; bytes 0: the version for the
 * original. NULL: over the limit, or no memory. */
static struct dfi_version *dfi_version_new(struct dfi_entry *n, size_t bytes)
{
    struct dfi_version *p = NULL;
    if (bytes > dfi_rename_most()) return NULL;
    if (dfi_fetch_add_acq_rel(&dfi_more.renamed, bytes) + bytes <= dfi_rename_most() || !bytes) {
        p = (struct dfi_version *)dfi_malloc(sizeof *p + DFI_LINE + bytes);
        if (!p) dfi_warn_not_renamed();
    }
    if (!p) {
        dfi_fetch_sub_acq_rel(&dfi_more.renamed, bytes);
        return NULL;
    }
    memset(p, 0, sizeof *p);
    p->bytes = bytes;
    p->local.drop = dfi_version_drop;
    p->original = bytes == 0;
    p->p = bytes ? (char *)(p + 1) + (DFI_LINE - (uintptr_t)(p + 1) % DFI_LINE) % DFI_LINE : (char *)n->region.p;
    p->next = dfi_versions_of(n)->all, dfi_versions_of(n)->all = p;
    n->asks |= DFI_ENTRY_KEEP_TOO;
    return p;
}

static struct dfi_version *dfi_version_original(struct dfi_entry *n)
{
    struct dfi_version *p;
    for (p = dfi_versions_of(n)->all; p; p = p->next)
        if (p->original) return p;
    return dfi_version_new(n, 0);
}

static void dfi_version_set(struct dfi_table *table, struct dfi_entry *n, struct dfi_version *to)
{
    if (to && to->original) to = NULL;
    table->unsettled += (size_t)(to != NULL) - (size_t)(dfi_versions_of(n)->now != NULL);
    dfi_versions_of(n)->now = to;
}

/* --- copying a value back ------------------------------------------------------------------------ */

struct dfi_copy_back { struct dfi_region region; char *from; };

static void dfi_version_copy_back(const struct dfi_region *r, const char *from)
{
    struct dfi_extent c;
    size_t i;
    struct dfi_region version = *r;
    version.p = (uintptr_t)from;
    dfi_gpu_before_region(&version, DFI_IN);
    dfi_gpu_before_region(r, DFI_OUT);
    dfi_own_begin(&c, r, 1);
    for (i = 0; i < r->rows; i++) memcpy((char *)(r->p + i * r->ld), from + i * r->ld, r->row);
    dfi_own_end(&c);
}

static void dfi_copy_back_run(void *args, void *result)
{
    struct dfi_copy_back *a = (struct dfi_copy_back *)args;
    (void)result;
    dfi_version_copy_back(&a->region, a->from);
    dfi_internal_counted();
}

/* Copies the value of n back to its original address, by a task. 0, or -1 without memory: nothing
 * has changed. */
static int dfi_version_bring_back(struct dfi_worker *w, struct dfi_scope *s, struct dfi_entry *n)
{
    static const struct dfi_type type = { dfi_copy_back_run, "copy back", 0, 0, sizeof(struct dfi_copy_back),
                                          DFI_INTERNAL | DFI_WRITES, NULL };
    struct dfi_version *original = dfi_version_original(n), *latest = dfi_versions_of(n)->now;
    struct dfi_flow *t = original ? dfi_flow_new(w, s, &type) : NULL;
    struct dfi_copy_back a;
    struct dfi_ref me;
    const struct dfi_access *access = dfi_tasks_of(w)->reg_access;
    unsigned i;
    int failed;
    if (!t) return -1;
    dfi_tasks_of(w)->reg_access = NULL; /* the edges of the copy task do not belong to the access */
    a.region = n->region, a.from = latest->p;
    memcpy(t->task.args, &a, sizeof a);
    me.task = t, me.seq = t->seq;
    failed = dfi_entry_order(w, t, n, DFI_IN, 0, 1) || dfi_version_add_user(latest, &n->writer) ||
        dfi_version_add_user(latest, &me);
    for (i = 0; i < n->n_readers && !failed; i++) failed = dfi_version_add_user(latest, &n->readers[i]);
    for (i = 0; i < original->n_users && !failed; i++) failed = dfi_edge_add(w, t, &original->users[i]);
    if (failed) t->type = &dfi_join_type; /* it has edges already, so it runs as an empty task */
    else {
        original->n_users = 0;
        n->n_readers = 0;
        n->writer = me;
        dfi_version_set(dfi_flow_of(s)->table, n, NULL);
    }
    dfi_tasks_of(w)->reg_access = access;
    dfi_ready_if(w, t);
    return failed ? -1 : 0;
}

/* The same before the wait of a scope. Without memory for the task, the caller waits here. */
static void dfi_version_return(struct dfi_worker *w, struct dfi_scope *s, struct dfi_entry *n)
{
    struct dfi_access x;
    if (dfi_version_bring_back(w, s, n) == 0) return;
    dfi_wait_until(w, s, 0);
    if (dfi_gated_body(s)) { /* and after the gate, if the gate was the last user of the region */
        dfi_access_region(&x, DFI_INOUT, &n->region);
        dfi_wait_before(w, s, NULL, &x, 1);
    }
    dfi_version_copy_back(&n->region, dfi_versions_of(n)->now->p);
    n->n_readers = 0, n->writer.task = NULL;
    dfi_version_set(dfi_flow_of(s)->table, n, NULL);
}

/* --- new versions for outputs ------------------------------------------------------------------------- */

/* True if the memory of n delays a writer while a worker is idle, or the calling worker would be. */
static int dfi_rename_helps(struct dfi_worker *w, struct dfi_entry *n)
{
    unsigned i;
    int waits = !dfi_ref_done(&n->writer);
    for (i = 0; i < n->n_readers && !waits; i++) waits = !dfi_ref_done(&n->readers[i]);
    return waits && (!dfi_alone() || dfi_turns()) &&
        (w->head == dfi_stack_floor(w) || dfi_idle_waiters());
}

static void dfi_rename_output(struct dfi_worker *w, struct dfi_table *table, struct dfi_entry *n)
{
    struct dfi_version *old = dfi_versions_of(n)->now ? dfi_versions_of(n)->now : dfi_version_original(n), *to;
    unsigned i;
    if (!old || dfi_version_add_user(old, &n->writer)) return;
    for (i = 0; i < n->n_readers; i++)
        if (dfi_version_add_user(old, &n->readers[i])) return; /* too many users do no harm */
    for (to = dfi_versions_of(n)->all; to && (to == old || !dfi_version_unused(to));) to = to->next;
    if (!to && !(to = dfi_version_new(n, dfi_region_bytes(&n->region)))) return;
    dfi_sharers_end(w, table, n);
    n->n_readers = 0, n->writer.task = NULL;
    dfi_version_set(table, n, to);
    dfi_count(&dfi_tally_of(w)->n_renamings);
}

/* True if t needs its values at their original addresses, because its regions are compared with
 * those of others, or kept for undo, or because it stands for another task. */
static int dfi_rename_never(const struct dfi_flow *t)
{
    return t->parts || t->type->modes & DFI_INTERNAL || dfi_tentative(t);
}

/* Runs before any access of t is registered. Copies back each renamed value that t overlaps in part,
 * or whose address t cannot be told. This comes first because the task that copies a value back must
 * not come after t itself. 0, or -1 without memory. */
static DFI_NOINLINE int dfi_rename_before(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x,
                                          unsigned n)
{
    struct dfi_scope *s = t->scope;
    unsigned i, j, pass;
    if (!dfi_flow_of(s)->table && !(dfi_flow_of(s)->table = dfi_table_new(w))) return -1;
    for (pass = 0; pass < 2; pass++) /* all entries are made first, because they may overlap each other */
        for (i = 0; i < n; i++) {
            struct dfi_region r = dfi_region_of(&x[i]);
            struct dfi_entry *m = r.rows ? dfi_table_find(w, dfi_flow_of(s)->table, &r) : NULL;
            if (!m && r.rows) return -1;
            if (!m || pass == 0) continue;
            for (j = 0; j < m->n_over; j++)
                if (dfi_versions_of(dfi_entry_over(m, j))->now && dfi_version_bring_back(w, s, dfi_entry_over(m, j)))
                    return -1;
            if ((x[i].arg == DFI_NO_ARG || m->n_over || dfi_rename_never(t)) && dfi_versions_of(m)->now &&
                dfi_version_bring_back(w, s, m)) return -1;
        }
    return 0;
}

/* Runs before an access of t is ordered: t may get a new version, and is told the address of the
 * latest one. */
static DFI_NOINLINE void dfi_rename(struct dfi_worker *w, struct dfi_flow *t, struct dfi_entry *n,
                                    const struct dfi_access *x)
{
    struct dfi_scope *s = t->scope;
    if (x->arg == DFI_NO_ARG || n->n_over || dfi_rename_never(t)) return;
    if ((x->mode & ~(unsigned)DFI_RANGE) == DFI_OUT && dfi_rename_most() &&
        !dfi_load_relaxed(&dfi_more.devices) && dfi_rename_helps(w, n))
        dfi_rename_output(w, dfi_flow_of(s)->table, n);
    if (dfi_versions_of(n)->now) {
        char *args = (char *)t->task.args + x->arg, *p = dfi_versions_of(n)->now->p, *end = p + n->region.row;
        memcpy(args, &p, sizeof p);
        if (x->mode & DFI_RANGE) memcpy(args + sizeof p, &end, sizeof end);
    }
}

#define dfi_up_access_by , dfi_rename

/* A task without a record is about to run on the original memory of its regions. */
static void dfi_rename_bare(struct dfi_worker *w, struct dfi_scope *s)
{
    if (dfi_rename_most()) dfi_up_scope_waits(w, s);
}
#define dfi_up_bare_waits_by , dfi_rename_bare

DFI_SMALL_CODE_END

#endif
