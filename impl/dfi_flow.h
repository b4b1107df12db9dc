/* dfi_flow.h - tasks ordered by the memory they declare
 *
 * The thread that owns a scope registers its children in order: for every access it looks up the
 * region, adds an edge from each unfinished task whose access conflicts, and records the access.
 * Edges are pushed on the predecessor's list and taken by whoever completes it, without locks.
 * Argument: docs/memory-order.md, "Edges". */
#ifndef DFI_FLOW_H
#define DFI_FLOW_H

/* --- completion -------------------------------------------------------------------------------- */

/* One predecessor of t is done. Nonzero: it was the last. */
static int dfi_flow_unblock(struct dfi_flow *t)
{
    /* 1 means that only the caller's predecessor is left, so nobody else changes it any more. acquire:
     * pairs with the release of the other predecessors' subtractions. */
    if (dfi_load_acquire(&t->wait) == 1) return 1;
    return dfi_fetch_sub_acq_rel(&t->wait, (intptr_t)1) == 1;
}

static void dfi_flow_free(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_worker *home = t->scope->owner;
    while (t->more) {
        struct dfi_edges *e = t->more;
        t->more = e->next;
        dfi_block_free(w, home, &e->head);
    }
    if (t->task.mem.cls == DFI_CLS_COUNT) { /* arguments in memory of their own */
        dfi_mfree(t->task.args);
        t->task.mem.cls = DFI_CLS_TASK;
    }
    dfi_block_free(w, home, &t->task.mem);
}

/* t and all its descendants are done. Returns one task that became ready, to be run next by this
 * worker (a chain stays where its data is); the others go on the stack. */
static struct dfi_flow *dfi_flow_done(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_flow *ready = NULL;
    for (;;) {
        struct dfi_scope *s = t->scope;
        struct dfi_worker *owner = s->owner;
        struct dfi_edge *e, *next;
        intptr_t left;
        if (owner == w) { /* edges are added by this very thread: no race for the list */
            e = dfi_load_relaxed(&t->succ);
            dfi_store_relaxed(&t->succ, DFI_DONE_EDGE);
        } else {
            /* acquire: the edges pushed by the owner; release: what the task wrote, to the acquire of
             * an owner that finds the list closed (dfi_ref_done, dfi_edge_add) */
            e = dfi_exchange_acq_rel(&t->succ, DFI_DONE_EDGE);
        }
        for (; e; e = next) {
            struct dfi_flow *u = e->task;
            next = e->next; /* u owns e: not after the subtraction */
            if (!dfi_flow_unblock(u)) continue;
            if (ready) dfi_push(w, ready);
            ready = u;
        }
        dfi_flow_free(w, t);
        if (owner == w && s->open) {
            s->done++;
            return ready;
        }
        /* release: all the task did, to whoever sees the count; seq_cst: before the look at the sleeper */
        left = dfi_fetch_sub_seq_cst(&s->pending, (intptr_t)1) - 1;
        if (left == 0) dfi_wake_waiting(owner); /* s may be gone */
        if (left != DFI_ENDED) return ready;
        t = s->task; /* the body of s is over and this was the last child: s is ours, its task is done */
        dfi_scope_free(w, s);
    }
}

/* The body of t is over and has left a scope. */
static DFI_NOINLINE struct dfi_flow *dfi_flow_end_scope(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_scope *s;
    intptr_t out;
    while ((s = w->scope)->task != t) { /* a block inside was left by a jump */
        if (s->site) dfi_log(DFI_LOG_LEFT_BLOCK, s->site);
        dfi_scope_finish(w, s);
        if (w->task == t) return dfi_flow_done(w, t);
    }
    if (w->sites) dfi_report_unsynced(w, s->mark);
    dfi_scope_pop(w, s);
    out = (intptr_t)(s->submitted - s->done);
    if (out || dfi_load_acquire(&s->pending)) {
        s->open = 0;
        /* acq_rel: pairs with the subtractions of the children */
        if (dfi_fetch_add_seq_cst(&s->pending, out + DFI_ENDED) + out != 0) return NULL;
    }
    dfi_scope_free(w, s);
    return dfi_flow_done(w, t);
}

/* Runs the body of t. Returns a task that became ready, or NULL. */
static struct dfi_flow *dfi_flow_run(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_flow *saved_task = w->task, *ready;
    size_t saved_mark = w->task_mark;
    struct dfi_scope *saved_scope = w->scope;
    dfi_flush(w);
    w->task = t;
    w->task_mark = w->head;
    dfi_store_relaxed(&w->n_tasks, dfi_load_relaxed(&w->n_tasks) + 1);
    t->type->run(t->task.args, NULL);
    if (DFI_LIKELY(w->scope == saved_scope)) {
        if (DFI_UNLIKELY(w->sites != NULL)) dfi_report_unsynced(w, w->task_mark);
        w->task = saved_task; /* before dfi_flow_done: what it wakes must not see t as running */
        w->task_mark = saved_mark;
        ready = dfi_flow_done(w, t);
    } else {
        ready = dfi_flow_end_scope(w, t);
        w->task = saved_task;
        w->task_mark = saved_mark;
    }
    return ready;
}

/* --- registration ------------------------------------------------------------------------------ */

static struct dfi_edge *dfi_edge_new(struct dfi_worker *w, struct dfi_flow *t)
{
    unsigned i = t->n_edges;
    if (DFI_LIKELY(i < DFI_EDGES_INLINE)) return (struct dfi_edge *)(void *)(t + 1) + i;
    i = (i - DFI_EDGES_INLINE) % DFI_EDGES_BLOCK;
    if (i == 0) {
        struct dfi_edges *more = (struct dfi_edges *)dfi_block_new(w, DFI_CLS_EDGES);
        if (!more) return NULL;
        more->next = t->more, t->more = more;
    }
    return &t->more->edge[i];
}

/* t must come after the remembered task. 0, or -1 without memory. */
static int dfi_edge_add(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_ref *before)
{
    struct dfi_flow *p = before->task;
    struct dfi_edge *e, *head;
    if (!p || p == t || p->seq != before->seq || p->last_succ == t) return 0;
    head = dfi_load_acquire(&p->succ); /* acquire; pairs with the exchange in dfi_flow_done */
    if (head == DFI_DONE_EDGE) return 0;
    if (!(e = dfi_edge_new(w, t))) return -1;
    e->task = t;
    do {
        if (head == DFI_DONE_EDGE) { /* done meanwhile: the cell stays for the next edge */
            if (t->n_edges >= DFI_EDGES_INLINE && (t->n_edges - DFI_EDGES_INLINE) % DFI_EDGES_BLOCK == 0) {
                struct dfi_edges *more = t->more;
                t->more = more->next;
                dfi_block_free(w, w, &more->head);
            }
            return 0;
        }
        e->next = head; /* release: the edge, to the acquire in dfi_flow_done; acquire: as above */
    } while (!dfi_cas_acq_rel(&p->succ, &head, e));
    p->last_succ = t;
    t->n_edges++;
    return 0;
}

/* Orders t after what conflicts with an access of the given kind to node n. */
static int dfi_node_order(struct dfi_worker *w, struct dfi_flow *t, struct dfi_node *n, int writes)
{
    unsigned i;
    if (writes)
        for (i = 0; i < n->n_readers; i++)
            if (dfi_edge_add(w, t, &n->readers[i])) return -1;
    /* readers since the last write come after it themselves, but they may have been forgotten when done */
    return dfi_edge_add(w, t, &n->writer);
}

static int dfi_register(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x)
{
    struct dfi_scope *s = t->scope;
    struct dfi_region r = dfi_region_of(x);
    struct dfi_node *n;
    struct dfi_ref me;
    int writes = (x->mode & DFI_WRITES) != 0;
    unsigned i;
    if (!r.rows) return 0;
    if (!s->table && !(s->table = dfi_table_new(w))) return -1;
    if (!(n = dfi_table_find(w, s->table, &r)) || dfi_node_order(w, t, n, writes)) return -1;
    for (i = 0; i < n->n_over; i++) {
        struct dfi_node *m = dfi_node_over(n, i);
        if (dfi_node_order(w, t, m, writes)) return -1;
        if (!writes) continue;
        if ((uintptr_t)n->over[i] & 1) { /* all of m is written: n's writer stands for what m remembers */
            m->n_readers = 0;
            m->writer.task = NULL;
        } else if (m->n_readers == m->max_readers) dfi_node_drop_done_readers(m);
    }
    me.task = t, me.seq = t->seq;
    if (!writes) return dfi_node_add_reader(n, me);
    n->n_readers = 0;
    n->writer = me;
    return 0;
}

/* --- submission -------------------------------------------------------------------------------- */

enum {
    DFI_WINDOW_STEP = 32 /* a throttled submitter makes room for one 32nd of the window at a time: the records
                            it frees and uses again are still in its first-level cache (half: +12 ns) */
};

/* The scope has `window` unfinished children, as far as its owner has counted. */
static DFI_NOINLINE void dfi_throttle(struct dfi_worker *w, struct dfi_scope *s)
{
    if (!s->open) return; /* on top of a wait for s, which counts in `pending` */
    /* take over what others completed; acquire: pairs with dfi_flow_done */
    if (dfi_load_relaxed(&s->pending)) s->submitted += (size_t)dfi_exchange_acq_rel(&s->pending, (intptr_t)0);
    if (s->submitted - s->done >= dfi_pool.window) dfi_wait_until(w, s, dfi_pool.window - 1 - dfi_pool.window / DFI_WINDOW_STEP);
}

static struct dfi_flow *dfi_flow_new(struct dfi_worker *w, struct dfi_scope *s, const struct dfi_type *type)
{
    unsigned cls = DFI_CLS_TASK;
    struct dfi_flow *t;
    while (cls < DFI_CLS_COUNT && (size_t)16 << (cls - DFI_CLS_TASK) < type->args_bytes) cls++;
    t = (struct dfi_flow *)dfi_block_new(w, cls < DFI_CLS_COUNT ? cls : (unsigned)DFI_CLS_TASK);
    if (!t) return NULL;
    if (DFI_UNLIKELY(cls == DFI_CLS_COUNT)) {
        if (!(t->task.args = dfi_malloc(type->args_bytes))) {
            dfi_log(DFI_LOG_NO_MEMORY);
            t->seq++;
            dfi_block_free(w, w, &t->task.mem);
            return NULL;
        }
        t->task.mem.cls = DFI_CLS_COUNT;
    } else t->task.args = (char *)t + DFI_ARGS_AT;
    t->type = type;
    t->scope = s;
    dfi_store_relaxed(&t->succ, NULL);
    dfi_store_relaxed(&t->wait, DFI_GUARD);
    t->seq++;
    t->last_succ = NULL;
    t->more = NULL;
    t->n_edges = 0;
    return t;
}

/* NULL: to be run at once (dfi_run_now); what it depends on is done. That is so without memory,
 * and while one worker is alone: then every task so far has run at once, in order, and there is
 * nothing to look up and nobody to share with. */
DFI_API struct dfi_task *dfi_task_new(const struct dfi_type *type)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_scope *s;
    struct dfi_flow *t;
    if (!w) return NULL;
    if (dfi_load_relaxed(&dfi_pool.n_slots) == 1 && !dfi_pool.defer && (w->task || w->scope->submitted == w->scope->done))
        return NULL;
    if (!(s = dfi_scope_here(w))) return NULL;
    if (DFI_UNLIKELY(s->submitted - s->done >= dfi_pool.window)) dfi_throttle(w, s);
    t = dfi_flow_new(w, s, type);
    if (!t) dfi_wait_until(w, s, 0);
    return t ? &t->task : NULL;
}

/* Runs a task at once, in the scope of its submitter, as dfi_task_new asked for. What it took from
 * df_local goes at its end, unless tasks that may use it are still to run. */
DFI_API void dfi_run_now(const struct dfi_type *type, void *args)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_scope *s;
    struct dfi_local *locals;
    size_t room_used, mark;
    if (!w) {
        type->run(args, NULL);
        return;
    }
    s = w->scope;
    locals = s->locals, room_used = s->room_used, mark = w->head;
    dfi_store_relaxed(&w->n_tasks, dfi_load_relaxed(&w->n_tasks) + 1);
    type->run(args, NULL);
    if (DFI_UNLIKELY(w->sites != NULL)) dfi_report_unsynced(w, mark);
    if (s != w->scope || s->submitted != s->done) return;
    if (DFI_UNLIKELY(s->locals != locals)) dfi_scope_free_locals(s, locals);
    s->room_used = room_used;
}

/* No memory to order t: everything before it is done first, then it runs here. */
static DFI_COLD void dfi_submit_now(struct dfi_worker *w, struct dfi_flow *t)
{
    dfi_wait_until(w, t->scope, 0);
    dfi_store_relaxed(&t->succ, DFI_DONE_EDGE); /* what was remembered of t is done */
    t->type->run(t->task.args, NULL);           /* in the submitter's scope */
    dfi_flow_free(w, t);
}

DFI_API void dfi_submit(struct dfi_task *task, struct dfi_access *x, unsigned n)
{
    struct dfi_worker *w = (struct dfi_worker *)(void *)dfi_self;
    struct dfi_flow *t = (struct dfi_flow *)(void *)task;
    struct dfi_scope *s = t->scope;
    unsigned i;
    for (i = 0; i < n; i++)
        if (DFI_UNLIKELY(dfi_register(w, t, &x[i]))) {
            dfi_submit_now(w, t);
            return;
        }
    if (DFI_LIKELY(s->open)) s->submitted++;
    else dfi_fetch_add_seq_cst(&s->pending, (intptr_t)1); /* on top of a wait for s: relaxed would do */
    if (t->n_edges) {
        dfi_store_relaxed(&w->n_edges, dfi_load_relaxed(&w->n_edges) + t->n_edges);
        /* acq_rel; as one more predecessor: pairs with dfi_flow_unblock */
        if (dfi_fetch_sub_acq_rel(&t->wait, DFI_GUARD - (intptr_t)t->n_edges) != DFI_GUARD - (intptr_t)t->n_edges) return;
    }
    if (DFI_UNLIKELY(w->head >= w->limit)) dfi_run_chain(w, t, NULL);
    else {
        dfi_push(w, t);
        /* The submitter may go on for long without looking here again: whatever it submits is public
         * at once, unless nobody is there to take it. */
        if (dfi_asked(w)) dfi_poll(w);
        else if (dfi_load_relaxed(&dfi_pool.n_slots) > 1) dfi_share(w);
    }
}

DFI_EXTERN_C_BEGIN
DFI_API void df_wait(void)
{
    struct dfi_worker *w = dfi_me();
    if (w && !w->task) dfi_wait_until(w, w->scope, 0);
}

struct dfi_wait_on { DFI_ATOMIC(intptr_t) *flag; struct dfi_worker *waiter; };

static void dfi_wait_on_run(void *args, void *result)
{
    struct dfi_wait_on a = *(struct dfi_wait_on *)args;
    (void)result;
    dfi_store_seq_cst(a.flag, (intptr_t)1); /* the flag is on the waiter's stack: gone from here on */
    dfi_wake_waiting(a.waiter);
}

DFI_API void df_wait_on(const void *p, size_t bytes)
{
    static const struct dfi_type type = { dfi_wait_on_run, "df_wait_on", 0, 0, sizeof(struct dfi_wait_on) };
    DFI_ATOMIC(intptr_t) flag;
    struct dfi_worker *w = dfi_me();
    struct dfi_wait_on a;
    struct dfi_access x;
    struct dfi_task *t;
    struct dfi_goal g;
    if (!w || w->task || !w->scope->table) return; /* no task so far */
    if (!(t = dfi_task_new(&type))) return;        /* without memory all tasks so far are done */
    dfi_store_relaxed(&flag, (intptr_t)0);
    a.flag = &flag, a.waiter = w;
    memcpy(t->args, &a, sizeof a);
    dfi_access_array(&x, DFI_IN, p, bytes);
    dfi_submit(t, &x, 1);
    g.kind = DFI_GOAL_FLAG, g.scope = w->scope, g.future = NULL, g.flag = &flag;
    dfi_help_until(w, w->scope->mark, &g);
}
DFI_EXTERN_C_END

#endif
