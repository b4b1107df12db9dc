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
 * Argument: docs/memory-order.md, "Parts".
 * Source: OmpSs-2's weak dependences (Perez et al., IPDPS 2017). */
#ifndef DFI_MORE_WEAK_H
#define DFI_MORE_WEAK_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/wait.h"
#include "../api/access.h"
#include "../api/task.h"
#include "../work/blocks.h"
#include "../work/worker.h"
#include "../work/stack.h"
#include "../work/scope.h"
#include "../work/types.h"
#include "../flow/at_once.h"
#include "../flow/edge.h"
#include "../flow/extra.h"
#include "../flow/order.h"
#include "../flow/region.h"
#include "../flow/table.h"
#include "../flow/task.h"
#include "../observe/check/check.h"

static void dfi_weak_lock(struct dfi_weak *k)
{
    while (dfi_exchange_acq_rel(&k->lock, 1)) dfi_os_yield(); /* held for a few allocations */
}
static void dfi_weak_unlock(struct dfi_weak *k) { dfi_store_release(&k->lock, 0); }

/* True if everything that an access to r needs of the task's own accesses is released. pre: the lock */
static int dfi_part_released(const struct dfi_weak *k, const struct dfi_region *r)
{
    unsigned i, j;
    for (i = 0; i < k->n_strong; i++) {
        int free = !dfi_region_overlap(&k->strong[i], r);
        for (j = 0; j < k->n_released && !free; j++)
            free = dfi_region_covers(&k->released[j].region, r) ||
                dfi_region_covers(&k->released[j].region, &k->strong[i]);
        if (!free) return 0;
    }
    for (i = 0; i < k->n_gates; i++) { /* the body may still submit tasks there */
        int free = !dfi_region_overlap(&k->gate[i].region, r);
        for (j = 0; j < k->n_released && !free; j++) free = dfi_region_covers(&k->released[j].region, r);
        if (!free) return 0;
    }
    return k->n_released > 0;
}

/* --- the submitter ------------------------------------------------------------------------------- */

/* Makes the successors of t wait for parts. 0, or -1 without memory. */
static int dfi_weak_releasable(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *x = dfi_extra_of(w, t);
    struct dfi_weak *k;
    if (!x) return -1;
    if (x->weak) return 0;
    if (!(k = (struct dfi_weak *)dfi_block_new(w, DFI_CLS_WEAK))) return -1;
    k->task = t, k->seq = t->seq;
    k->last_birth = 0;
    dfi_store_relaxed(&k->lock, 0);
    k->parts = NULL;
    k->late = NULL;
    k->closed = k->at_once = 0;
    k->n_gates = k->n_released = k->n_strong = 0;
    x->weak = t->parts = k;
    dfi_store_relaxed(&dfi_pool.particular, 1);
    return 0;
}

/* Makes t come after the children of a task that touched a region which the task has released. 0, or
 * -1 without memory. pre: the lock */
static int dfi_part_after_release(struct dfi_worker *w, struct dfi_flow *t, struct dfi_weak *k,
                                  const struct dfi_region *r)
{
    unsigned i;
    for (i = 0; i < k->n_released; i++) {
        struct dfi_flow *p = k->released[i].task;
        struct dfi_edge *e, *head = dfi_load_acquire(&p->succ);
        if (!dfi_region_overlap(&k->released[i].region, r)) continue;
        if (head == DFI_DONE_EDGE) {
            dfi_edge_spoilt(t, p);
            continue;
        }
        if (!(e = dfi_edge_new(w, t))) return -1;
        e->task = t;
        do e->next = head; /* as in dfi_edge_add */
        while (!dfi_cas_acq_rel(&p->succ, &head, e) && head != DFI_DONE_EDGE);
        if (head != DFI_DONE_EDGE) {
            t->n_edges++;
            continue;
        }
        dfi_edge_spoilt(t, p);
        dfi_edge_drop(w, t);
    }
    return 0;
}

/* Makes t come after p, for the access being registered. 1: as a part; 0: the body of p is over; -1:
 * no memory. */
static int dfi_part_add(struct dfi_worker *w, struct dfi_flow *t, struct dfi_flow *p)
{
    struct dfi_weak *k = p->parts;
    struct dfi_region r = dfi_region_of(w->reg_access);
    struct dfi_part *part;
    int result = 1;
    if (k->task != p || k->seq != p->seq) return 0; /* p is done and its list of parts is in use again */
    if (!dfi_extra_of(w, t)) return -1; /* t will become ready from outside its scope (dfi_ready_any) */
    dfi_weak_lock(k);
    if (k->closed) result = 0;
    else if (k->last_birth == t->birth && k->last_access == w->reg_access) result = 1;
    else if (dfi_part_released(k, &r)) result = dfi_part_after_release(w, t, k, &r) ? -1 : 1;
    else if (!(part = (struct dfi_part *)dfi_block_new(w, DFI_CLS_PART))) result = -1;
    else if (!(part->edge = dfi_edge_new(w, t))) {
        dfi_block_free(w, w, &part->head);
        result = -1;
    } else {
        part->edge->task = t;
        part->region = r, part->mode = w->reg_access->mode;
        part->next = k->parts, k->parts = part;
        t->n_edges++;
    }
    if (result == 1) k->last_birth = t->birth, k->last_access = w->reg_access;
    dfi_weak_unlock(k);
    return result;
}

/* Gives the edges of the weak accesses of t to gates. 0, or -1 without memory. pre: dfi_weak_releasable */
static int dfi_weak_submit(struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n)
{
    unsigned i;
    for (i = 0; i < n; i++) {
        struct dfi_weak *k = t->extra->weak;
        struct dfi_region r = dfi_region_of(&x[i]);
        struct dfi_flow *g;
        struct dfi_extra *gx;
        int failed;
        if (!(x[i].mode & DFI_WEAK) || !r.rows) continue;
        if (!(g = dfi_flow_new(w, t->scope, &dfi_gate_type))) return -1;
        if (!(gx = dfi_extra_of(w, g))) {
            dfi_flow_free(w, g);
            return -1;
        }
        gx->gate = 2; /* stays until t is done, because the children of t look at it */
        gx->gate_of = t;
        k->gate[k->n_gates].task = g, k->gate[k->n_gates].seq = g->seq;
        k->gate[k->n_gates++].region = r;
        failed = dfi_register(w, t, g, &x[i]);
        w->reg_task = NULL, w->reg_access = NULL;
        dfi_ready_if(w, g);
        if (failed > 0) dfi_region_report(t, i);
        if (failed < 0) return -1;
    }
    return 0;
}

static int dfi_wait_before(struct dfi_worker *w, struct dfi_scope *s, const struct dfi_flow *self,
                           const struct dfi_access *x, unsigned n);

/* --- the worker that runs the task ------------------------------------------------------------------ */

static int dfi_gates_closed(const struct dfi_flow *t)
{
    const struct dfi_weak *k = t->extra->weak;
    unsigned i;
    for (i = 0; i < k->n_gates; i++)
        if (dfi_load_acquire(&k->gate[i].task->succ) != DFI_DONE_EDGE) return 1;
    return 0;
}

/* Starts the table of s, in the body of t, with the gates. Without memory, s gets a table that takes
 * no region: each child of s then runs immediately, after the gates that overlap its regions
 * (flow/at_once.h). */
static void dfi_weak_seed(struct dfi_worker *w, struct dfi_scope *s, struct dfi_flow *t)
{
    struct dfi_weak *k = t->extra->weak;
    unsigned i;
    s->gated = t;
    for (i = 0; i < k->n_gates; i++) {
        struct dfi_ref gate;
        struct dfi_entry *n = NULL;
        gate.task = k->gate[i].task, gate.seq = k->gate[i].seq;
        if (dfi_ref_gone(&gate)) continue;
        if (s->table || (s->table = dfi_table_new(w)) != NULL) n = dfi_table_find(w, s->table, &k->gate[i].region);
        if (n && !n->writer.task) n->writer = gate;
        else if (!n || dfi_entry_add_reader(n, gate)) { /* the same region twice: one gate may have the edges of both */
            if (s->table) dfi_table_free(w, s);
            s->table = &dfi_table_closed;
            return;
        }
    }
}

/* Releases the successor of a part when the children of s that touch its region are done. s: NULL
 * without memory. */
static void dfi_part_order(struct dfi_worker *w, struct dfi_scope *s, struct dfi_weak *k, struct dfi_part *part,
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
    struct dfi_weak *k = t->extra->weak;
    struct dfi_scope *s;
    struct dfi_part *p, *next;
    unsigned i;
    while (w->scope->task != t && !w->task) { /* a block inside was left by a jump */
        if (w->scope->site) dfi_error(DFI_MESSAGE_LEFT_BLOCK, w->scope->site);
        dfi_scope_finish(w, w->scope);
    }
    s = dfi_scope_here(w); /* NULL: t has no children */
    if (s) dfi_settle(w, s);
    dfi_weak_lock(k);
    k->closed = 1;
    p = dfi_parts_turn(k->parts);
    dfi_weak_unlock(k);
    for (; p; p = next) {
        next = p->next;
        dfi_part_order(w, s, k, p, skip);
    }
    for (i = 0; i < k->n_gates; i++) { /* t is not done before its gates */
        struct dfi_ref gate;
        struct dfi_flow *j;
        gate.task = k->gate[i].task, gate.seq = k->gate[i].seq;
        if (dfi_ref_done(&gate)) continue;
        j = s ? dfi_flow_new(w, s, &dfi_join_type) : NULL;
        if (j && dfi_edge_add(w, j, &gate) == 0) dfi_ready_if(w, j);
        else {
            struct dfi_access x;
            if (j) dfi_ready_if(w, j);
            dfi_access_region(&x, DFI_INOUT, &k->gate[i].region);
            dfi_wait_before(w, s, NULL, &x, 1);
        }
    }
}

/* t and its children are done. */
static void dfi_weak_done(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_weak *k = t->extra->weak;
    struct dfi_edge *e = k->late, *next;
    unsigned i;
    for (; e; e = next) {
        struct dfi_flow *u = e->task;
        next = e->next;
        if (dfi_flow_unblock(u)) dfi_ready_sibling(w, u);
    }
    for (i = 0; i < k->n_gates; i++) dfi_gate_leave(w, k->gate[i].task);
    for (i = 0; i < k->n_released; i++) dfi_gate_leave(w, k->released[i].task);
    dfi_block_free(w, t->scope->owner, &k->head);
}

/* Returns one task that comes after the children of s so far that touch r; it stays until t is done.
 * NULL without memory. */
static struct dfi_flow *dfi_released_task(struct dfi_worker *w, struct dfi_scope *s, const struct dfi_region *r)
{
    struct dfi_flow *j = dfi_flow_new(w, s, &dfi_gate_type);
    struct dfi_extra *x = j ? dfi_extra_of(w, j) : NULL;
    if (!x) {
        if (j) dfi_flow_free(w, j);
        return NULL;
    }
    x->gate = 2;
    if (dfi_order_after(w, j, r, DFI_INOUT)) {
        x->gate = 0;
        dfi_ready_if(w, j);
        return NULL;
    }
    dfi_ready_if(w, j);
    return j;
}

DFI_API void dfi_release(const void *p, size_t bytes)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_flow *t = !w ? NULL : w->task ? w->task : w->scope->task;
    struct dfi_weak *k = t && t->task.mem.special ? t->extra->weak : NULL;
    struct dfi_scope *s;
    struct dfi_access x;
    struct dfi_region r;
    struct dfi_part *part, **at, *parts = NULL;
    struct dfi_flow *j;
    if (w && DFI_UNLIKELY(w->scope->guess != NULL) && dfi_guess_drops(w)) return;
    if (!k) {
        if (t) dfi_warn_once("df_release in task %s, which was not submitted with .release = 1: its memory is "
                             "released at its end", t->type->name);
        return; /* a task that runs immediately has no successors yet */
    }
    dfi_access_array(&x, DFI_INOUT, DFI_NO_ARG, p, bytes);
    r = dfi_region_of(&x);
    if (dfi_region_is_all(&r)) {
        dfi_error("df_release in task %s: the size is larger than the memory behind the address: no effect",
                  t->type->name);
        return;
    }
    if (!r.rows || !(s = dfi_scope_here(w)) || k->n_released == DFI_RELEASES) return; /* released at the end then */
    if (!(j = dfi_released_task(w, s, &r))) return;
    dfi_weak_lock(k);
    k->released[k->n_released].task = j;
    k->released[k->n_released++].region = r;
    for (at = &k->parts; (part = *at) != NULL;)
        if (dfi_part_released(k, &part->region)) *at = part->next, part->next = parts, parts = part;
        else at = &part->next;
    dfi_weak_unlock(k);
    dfi_check_release(w, &r);
    for (; parts; parts = part) {
        part = parts->next;
        dfi_part_order(w, s, k, parts, 0);
    }
    if (dfi_load_relaxed(&dfi_pool.n_slots) > 1) dfi_share(w); /* the body may run for a long time */
}

#endif
