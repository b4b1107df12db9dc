/* weak.h - weak accesses and early release of regions: dependences finer than whole tasks
 *
 * A task with weak accesses starts while its weakly declared regions are still in use: only its
 * children wait. For each weak access an internal task, the gate, takes the edges that the task
 * would have had. The table of the task's scope begins with the gate as the last writer of the
 * region.
 * A successor of such a task (or of one with .release) does not wait for its end but for a list of
 * parts, each with the region it needs. When the body ends, or df_release releases that region, a
 * part is ordered in the table of the task's own scope by an internal task, after the children that
 * touch the region.
 * Argument: docs/internals/flow.md, "Parts".
 * Source: OmpSs-2's weak dependences (Perez et al., IPDPS 2017). */
#ifndef DFI_MORE_WEAK_H
#define DFI_MORE_WEAK_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/os.h"
#include "../api/access.h"
#include "../api/task.h"
#include "../work/blocks.h"
#include "../work/worker.h"
#include "../work/stack.h"
#include "../work/scope.h"
#include "../flow/scope.h"
#include "../work/types.h"
#include "../flow/supervise.h"
#include "../flow/types.h"
#include "types.h"
#include "../flow/at_once.h"
#include "../flow/edge.h"
#include "../flow/extra.h"
#include "../flow/moments.h"
#include "../flow/order.h"
#include "../flow/queue.h"
#include "../flow/region.h"
#include "../flow/table.h"
#include "../flow/task.h"
#include "../flow/waits.h"

DFI_SMALL_CODE_BEGIN

static const struct dfi_type dfi_gate_type = { dfi_join_run, "gate", 0, 0, 1, DFI_INTERNAL | DFI_WRITES, NULL };
DFI_LATER_IS(const struct dfi_type *, dfi_common_type, &dfi_gate_type);

static void dfi_weak_lock(struct dfi_parts *k)
{
    while (dfi_exchange_acq_rel(&k->lock, 1)) dfi_os_yield(); /* held for a few allocations */
}
static void dfi_weak_unlock(struct dfi_parts *k) { dfi_store_release(&k->lock, 0); }

/* True if everything that an access to r needs of the task's own accesses is released. pre: the lock */
static int dfi_part_released(const struct dfi_parts *k, const struct dfi_region *r)
{
    unsigned i, j;
    for (i = 0; i < k->n_strong + k->n_weak; i++) {
        int strong = i < k->n_strong; /* where an access is weak, the body may still submit tasks */
        const struct dfi_region *own = strong ? &k->strong[i] : &k->weak[i - k->n_strong].region;
        int free = !dfi_region_overlap(own, r);
        for (j = 0; j < k->n_released && !free; j++)
            free = dfi_region_covers(&k->released[j].region, r) ||
                (strong && dfi_region_covers(&k->released[j].region, own));
        if (!free) return 0;
    }
    return k->n_released > 0;
}

/* Makes an internal task of s that stays until a second thread has left it (dfi_gate_leave). NULL without memory. */
static struct dfi_flow *dfi_gate_new(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_flow *g = dfi_flow_new(w, s, &dfi_gate_type);
    struct dfi_extra *x = g ? dfi_extra_of(w, g) : NULL;
    if (x) dfi_gate_of(x)->stays = 2;
    else if (g) dfi_flow_free(w, g);
    return x ? g : NULL;
}

/* From here on, w registers no access. */
static void dfi_weak_unregister(struct dfi_worker *w)
{
    dfi_tasks_of(w)->reg_task = NULL, dfi_tasks_of(w)->reg_access = NULL;
}

/* --- the submitter ------------------------------------------------------------------------------- */

/* Makes the successors of t wait for parts. 0, or -1 without memory. */
static int dfi_weak_releasable(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *x = dfi_extra_of(w, t);
    struct dfi_parts *k;
    if (!x) return -1;
    if (t->parts) return 0;
    if (!(k = (struct dfi_parts *)dfi_block_get(w, DFI_CLS_WEAK))) return -1;
    k->task = t, k->seq = t->seq;
    k->last_index = 0;
    dfi_store_relaxed(&k->lock, 0);
    k->parts = NULL;
    k->late = NULL;
    k->closed = k->at_once = 0;
    k->n_weak = k->n_released = k->n_strong = 0;
    k->weak = k->few_weak, k->strong = k->few_strong, k->more = NULL;
    t->parts = k, x->apart = 1;
    dfi_store_relaxed(&dfi_pool.particular, 1);
    return 0;
}

/* Makes t come after the children of a task that touched a region which the task has released. 0, or
 * -1 without memory. pre: the lock */
static int dfi_part_after_release(struct dfi_worker *w, struct dfi_flow *t, struct dfi_parts *k,
                                  const struct dfi_region *r)
{
    unsigned i;
    for (i = 0; i < k->n_released; i++)
        if (dfi_region_overlap(&k->released[i].region, r) && dfi_edge_add(w, t, &k->released[i].gate)) return -1;
    return 0;
}

/* Does an access of the body itself overlap r? pre: the lock, and the body is not over */
static int dfi_part_strong(const struct dfi_parts *k, const struct dfi_region *r)
{
    unsigned i;
    for (i = 0; i < k->n_strong; i++)
        if (dfi_region_overlap(&k->strong[i], r)) return 1;
    return 0;
}

/* Makes t come after p, for the access being registered. 1: as a part; 0: the body of p is over; -1:
 * no memory. */
static int dfi_part_add(struct dfi_worker *w, struct dfi_flow *t, struct dfi_flow *p)
{
    struct dfi_parts *k = p->parts;
    const struct dfi_access *x = dfi_tasks_of(w)->reg_access;
    struct dfi_region r = dfi_region_of(x);
    struct dfi_part *part;
    int result = 1;
    if (k->task != p || k->seq != p->seq) return 0; /* p is done and its list of parts is in use again */
    if (!dfi_extra_of(w, t)) return -1; /* t will become ready from outside its scope (dfi_ready_any) */
    dfi_weak_lock(k);
    if (k->closed) result = 0;
    /* what p contributes is combined when it is done, not when its body is over */
    else if (p->type->modes & (unsigned)(DFI_REDUCE & DFI_SHARED) && dfi_part_strong(k, &r)) result = 0;
    else if (k->last_index == t->index && k->last_access == x) result = 1;
    else if (dfi_part_released(k, &r)) result = dfi_part_after_release(w, t, k, &r) ? -1 : 1;
    else if (!(part = (struct dfi_part *)dfi_block_get(w, DFI_CLS_PART))) result = -1;
    else if (!(part->edge = dfi_edge_new(w, t))) {
        dfi_block_free(w, w, &part->head);
        result = -1;
    } else {
        part->edge->task = t;
        part->region = r, part->mode = x->mode;
        part->next = k->parts, k->parts = part;
        t->n_edges++;
    }
    if (result == 1) k->last_index = t->index, k->last_access = x;
    dfi_weak_unlock(k);
    return result;
}

#define dfi_up_follows_parts_by , dfi_part_add

/* Gives the edges of the weak accesses of t to gates. 0, or -1 without memory. pre: dfi_weak_releasable */
static int dfi_weak_submit(struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n)
{
    unsigned i;
    for (i = 0; i < n; i++) {
        struct dfi_parts *k = t->parts;
        struct dfi_region r = dfi_region_of(&x[i]);
        struct dfi_flow *g;
        int failed;
        if (!(x[i].mode & DFI_CHILDREN) || !r.rows) continue;
        if (!(g = dfi_gate_new(w, t->scope))) return -1; /* stays until t is done: the children of t look at it */
        dfi_gate_of(g->extra)->of = t;
        k->weak[k->n_weak].gate.task = g, k->weak[k->n_weak].gate.seq = g->seq;
        k->weak[k->n_weak++].region = r;
        failed = dfi_register(w, t, g, &x[i]);
        dfi_weak_unregister(w);
        dfi_ready_if(w, g);
        if (failed > 0) dfi_region_report(t, i);
        if (failed < 0) return -1;
    }
    return 0;
}

/* The accesses of t, which has parts, are registered, except the weak ones, which come after the others: t itself waits
 * for regions covered by the others, so its children need not. */
static DFI_NOINLINE int dfi_weak_registered(struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n)
{
    struct dfi_parts *k = t->parts;
    unsigned i;
    if (n > DFI_PARAMETERS) {
        if (!(k->more = dfi_malloc(n * (sizeof *k->weak + sizeof *k->strong)))) return -1;
        k->weak = (struct dfi_gated *)k->more, k->strong = (struct dfi_region *)(void *)(k->weak + n);
    }
    for (i = 0; i < n; i++)
        if (!(x[i].mode & DFI_CHILDREN)) k->strong[k->n_strong++] = dfi_region_of(&x[i]);
    return t->type->modes & DFI_CHILDREN ? dfi_weak_submit(w, t, x, n) : 0;
}
#define dfi_up_registered_by , dfi_weak_registered

/* t runs inside its submission, for an observer, and so do its gates: they have no predecessors. */
static void dfi_weak_runs_here(struct dfi_worker *w, struct dfi_flow *t, size_t mark)
{
    t->parts->at_once = 1;
    while (dfi_run_own(w, mark, NULL)) continue;
}
#define dfi_up_runs_here_by , dfi_weak_runs_here

/* --- the worker that runs the task ------------------------------------------------------------------ */

/* Are the gates of t that overlap r done? r == NULL: all gates. acquire: what they waited for. */
static int dfi_gates_done(const struct dfi_flow *t, const struct dfi_region *r)
{
    const struct dfi_parts *k = t->parts;
    unsigned i;
    for (i = 0; i < k->n_weak; i++)
        if ((!r || dfi_region_overlap(&k->weak[i].region, r)) &&
            dfi_load_acquire(&k->weak[i].gate.task->succ) != DFI_DONE_EDGE)
            return 0;
    return 1;
}

/* A gate t has released its successors. It is freed at its own end or at the end of its task, whichever is later:
 * children of the task read it until then. */
static void dfi_gate_leave(struct dfi_worker *w, struct dfi_flow *t)
{
    if (dfi_fetch_sub_acq_rel(&dfi_gate_of(t->extra)->stays, 1) == 1) dfi_flow_free(w, t);
}
static int dfi_gate_ends(struct dfi_worker *w, struct dfi_flow *t)
{
    if (DFI_LIKELY(!dfi_load_relaxed(&dfi_gate_of(t->extra)->stays))) return 0;
    dfi_gate_leave(w, t);
    return 1;
}

static void dfi_weak_before(struct dfi_worker *w, struct dfi_before *b)
{
    if (b->scope) b->around = dfi_gated_in(b->scope)->task;
    else if (w->task && w->task->parts) b->around = w->task;
}
#define dfi_up_before_begins_by , dfi_weak_before
static int dfi_weak_before_done(const struct dfi_before *b, const struct dfi_region *r)
{
    return dfi_gates_done(b->around, r);
}
#define dfi_up_before_done_by , dfi_weak_before_done

/* w waits in the body of a task with weak accesses. Its children may depend on earlier siblings of that task, which
 * are outside the awaited scope. w may run earlier tasks nested in this wait, because they cannot depend on tasks
 * below on the stack; it moves other tasks to the queue. */
static int dfi_find_around(struct dfi_worker *w, const struct dfi_goal *g, struct dfi_stolen *stolen)
{
    const struct dfi_flow *gated = g->kind == DFI_GOAL_POLL && g->until == dfi_before_done
                                       ? ((const struct dfi_before *)g->arg)->around
                                       : g->scope ? dfi_gated_in(g->scope)->task : NULL;
    struct dfi_filter f;
    if (DFI_LIKELY(!gated) || dfi_gates_done(gated, NULL)) return 0;
    f.id = f.depth = 0;
    f.on_top_of = w, f.thief = NULL;
    if (dfi_take_queued(w, &f, 0, stolen)) return 1;
    while (dfi_steal(w, &f, stolen) || dfi_deque_steal_thief(w, &f, stolen)) {
        struct dfi_flow *t = dfi_task_of(stolen->entry);
        if (dfi_filter_admits(&f, t) || !dfi_up_task_leave(w, t)) return 1;
    }
    return 0;
}
#define dfi_up_find_around_by , dfi_find_around

/* Starts the table of s, in the body of t, with the gates. Without memory, s gets a table that takes
 * no region: each child of s then runs immediately, after the gates that overlap its regions
 * (flow/at_once.h). */
static void dfi_weak_seed(struct dfi_worker *w, struct dfi_scope *s, struct dfi_flow *t)
{
    struct dfi_parts *k = t->parts;
    unsigned i;
    dfi_gated_in(s)->task = t;
    for (i = 0; i < k->n_weak; i++) {
        struct dfi_entry *n = NULL;
        if (dfi_ref_gone(&k->weak[i].gate)) continue;
        if (dfi_table_of(w, s)) n = dfi_table_find(w, dfi_flow_of(s)->table, &k->weak[i].region);
        if (n && !n->writer.task) n->writer = k->weak[i].gate;
        /* the same region twice: one gate may have the edges of both */
        else if (!n || dfi_entry_add_reader(n, k->weak[i].gate)) {
            if (dfi_flow_of(s)->table) dfi_table_free(w, s);
            dfi_flow_of(s)->table = &dfi_table_closed;
            return;
        }
    }
}

static void dfi_weak_stolen(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_flow *gated = dfi_gated_in(dfi_load_relaxed(&s->parent))->task;
    if (DFI_UNLIKELY(gated != NULL)) dfi_weak_seed(w, s, gated);
}

/* A pipe in the body of a task with weak accesses declares none, so it begins after all gates. w: in a scope */
static DFI_NOINLINE void dfi_gates_await(struct dfi_worker *w, const struct dfi_flow *gated)
{
    const struct dfi_parts *k = gated->parts;
    struct dfi_flow *j = dfi_gates_done(gated, NULL) ? NULL : dfi_flow_new(w, w->scope, &dfi_wait_on_type);
    DFI_ATOMIC(intptr_t) flag;
    struct dfi_wait_on a;
    struct dfi_goal g;
    unsigned i;
    int failed = 0;
    if (!j) return; /* or no memory: then its stages wait */
    for (i = 0; i < k->n_weak && !failed; i++) failed = dfi_edge_add(w, j, &k->weak[i].gate);
    dfi_store_relaxed(&flag, (intptr_t)0);
    a.flag = &flag, a.waiter = w;
    memcpy(j->task.args, (void *)&a, sizeof a);
    dfi_ready_if(w, j);
    g.kind = DFI_GOAL_FLAG, g.scope = w->scope, g.flag = &flag;
    dfi_wait_helping(w, w->scope->mark, &g, DFI_WAIT_TASK, j, NULL);
}

/* Orders j, a child of s, after the children that conflict with such an access, without remembering it. */
static int dfi_order_after(struct dfi_worker *w, struct dfi_flow *j, const struct dfi_region *r, unsigned mode)
{
    struct dfi_scope *s = j->scope;
    unsigned kind = dfi_kind(mode);
    struct dfi_entry *n;
    if (!dfi_flow_of(s)->table) return 0;
    if (!(n = dfi_table_find(w, dfi_flow_of(s)->table, r))) return -1;
    dfi_weak_unregister(w);
    return dfi_order(w, j, n, kind, !(kind & DFI_ONE_REGION));
}

/* Releases the successor of a part when the children of s that touch its region are done. s: NULL
 * without memory. */
static void dfi_part_order(struct dfi_worker *w, struct dfi_scope *s, struct dfi_parts *k, struct dfi_part *part,
                           int skip)
{
    struct dfi_edge *e = part->edge;
    struct dfi_flow *j = s ? dfi_flow_new(w, s, &dfi_join_type) : NULL;
    struct dfi_worker *home = k->task->scope->owner;
    if (skip) dfi_store_relaxed(&e->task->skip, (unsigned)DFI_SKIPPED);
    if (j) {
        int failed = dfi_order_after(w, j, &part->region, part->mode);
        e->next = NULL;
        if (!failed) dfi_store_relaxed(&j->succ, e);
        dfi_ready_if(w, j);
        if (!failed) e = NULL;
    }
    if (e) e->next = k->late, k->late = e;
    dfi_block_free(w, home, &part->head);
}

/* Reverses the list into the order of submission. */
static struct dfi_part *dfi_parts_turn(struct dfi_part *p)
{
    struct dfi_part *oldest = NULL;
    while (p) {
        struct dfi_part *next = p->next;
        p->next = oldest, oldest = p;
        p = next;
    }
    return oldest;
}

/* The body of t ended or was skipped. pre: w->task or w->scope is that of t */
static DFI_NOINLINE void dfi_weak_body_end(struct dfi_worker *w, struct dfi_flow *t, int skip)
{
    struct dfi_parts *k = t->parts;
    struct dfi_scope *s;
    struct dfi_part *p, *next;
    unsigned i;
    while (w->scope->task != t && !w->task) dfi_block_left(w); /* a block inside */
    s = dfi_scope_here(w); /* NULL: t has no children */
    if (s && dfi_up_scope_waits) dfi_up_scope_waits(w, s);
    dfi_weak_lock(k);
    k->closed = 1;
    p = dfi_parts_turn(k->parts);
    dfi_weak_unlock(k);
    for (; p; p = next) {
        next = p->next;
        dfi_part_order(w, s, k, p, skip);
    }
    for (i = 0; i < k->n_weak; i++) { /* t is not done before its gates */
        struct dfi_flow *j;
        struct dfi_access x;
        int failed;
        if (dfi_ref_done(&k->weak[i].gate)) continue;
        j = s ? dfi_flow_new(w, s, &dfi_join_type) : NULL;
        failed = !j || dfi_edge_add(w, j, &k->weak[i].gate);
        if (j) dfi_ready_if(w, j);
        if (!failed) continue;
        dfi_access_region(&x, DFI_INOUT, &k->weak[i].region);
        dfi_wait_before(w, s, NULL, &x, 1);
    }
}

#define dfi_up_body_ends_by , dfi_weak_body_end

/* t and its children are done. */
static void dfi_weak_done(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_parts *k = t->parts;
    struct dfi_edge *e = k->late, *next;
    unsigned i;
    for (; e; e = next) {
        struct dfi_flow *u = e->task;
        next = e->next;
        if (dfi_flow_unblock(u)) dfi_ready_sibling(w, u);
    }
    for (i = 0; i < k->n_weak; i++) dfi_gate_leave(w, k->weak[i].gate.task);
    for (i = 0; i < k->n_released; i++) dfi_gate_leave(w, k->released[i].gate.task);
    if (k->more) dfi_mfree(k->more);
    dfi_block_free(w, t->scope->owner, &k->head);
}

/* Returns one task that comes after the children of s so far that touch r; it stays until t is done.
 * NULL without memory. */
static struct dfi_flow *dfi_released_task(struct dfi_worker *w, struct dfi_scope *s, const struct dfi_region *r)
{
    struct dfi_flow *j = dfi_gate_new(w, s);
    int failed = j && dfi_order_after(w, j, r, DFI_INOUT);
    if (failed) dfi_gate_of(j->extra)->stays = 0;
    if (j) dfi_ready_if(w, j);
    return failed ? NULL : j;
}

DFI_API void dfi_release(const void *p, size_t bytes)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_flow *t = !w ? NULL : w->task ? w->task : w->scope->task;
    struct dfi_parts *k = t ? t->parts : NULL;
    struct dfi_scope *s;
    struct dfi_access x;
    struct dfi_region r;
    struct dfi_part *part, **at, *parts = NULL;
    struct dfi_flow *j;
    if (w && dfi_dropped(w)) return;
    if (!k) {
        if (t) dfi_warn_once("df_release in task %s, which was not submitted with .release = 1: its memory is "
                             "released at its end; submit it by df_submit_with and that option", t->type->name);
        return; /* a task that runs immediately has no successors yet */
    }
    dfi_access_array(&x, DFI_INOUT, DFI_NO_ARG, p, bytes);
    r = dfi_region_of(&x);
    if (dfi_region_is_all(&r)) {
        dfi_error("df_release in task %s: the size is larger than the memory behind the address: the memory is "
                  "released at the end of the task; correct the size", t->type->name);
        return;
    }
    if (!r.rows || !(s = dfi_scope_here(w)) || k->n_released == DFI_RELEASES) return; /* released at the end then */
    if (!(j = dfi_released_task(w, s, &r))) return;
    dfi_weak_lock(k);
    k->released[k->n_released].gate.task = j, k->released[k->n_released].gate.seq = j->seq;
    k->released[k->n_released++].region = r;
    for (at = &k->parts; (part = *at) != NULL;)
        if (dfi_part_released(k, &part->region)) *at = part->next, part->next = parts, parts = part;
        else at = &part->next;
    dfi_weak_unlock(k);
    if (dfi_up_released) dfi_up_released(w, &r);
    for (; parts; parts = part) {
        part = parts->next;
        dfi_part_order(w, s, k, parts, 0);
    }
    if (!dfi_alone()) dfi_share(w); /* the body may run for a long time */
}

DFI_SMALL_CODE_END

#endif
