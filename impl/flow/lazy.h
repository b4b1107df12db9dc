/* lazy.h - lazy tasks: recursion by df_submit and df_wait at the cost of calls
 *
 * Most tasks of a recursion run where they were submitted, at the next df_wait of their parent. So a task without
 * accesses and options, which code of a task submits, gets no record at first: only its arguments are kept, in memory
 * of the worker, and df_wait calls its body. It gets a record, which other workers can steal, when one asks for work,
 * or when the running code does something that needs to know its children or to be a task itself (dfi_flush). Lazy
 * task creation: Mohr, Kranz and Halstead, IEEE TPDS 2 (3), 1991.
 *
 * The list of a worker, newest first, holds lazy tasks that wait, and those whose bodies run: each of these is nested
 * in the wait of code of the next one. All of them are descendants of the task with a record whose body runs, and have
 * its context, w->task and w->scope. When they get records, those that run become what dfi_flow_run would have made
 * of them.
 *
 * A task that waits in this list is not on offer while the code that submitted it goes on. So it has to be known that
 * this code soon calls df again: times from a submission to the next call are measured, for the type of the task with
 * the record. Argument: docs/internals/flow.md, "Lazy tasks". */
#ifndef DFI_FLOW_LAZY_H
#define DFI_FLOW_LAZY_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../api/core.h"
#include "../api/hooks.h"
#include "../api/task.h"
#include "../os/os.h"
#include "../work/find.h"
#include "../work/scope.h"
#include "../work/stack.h"
#include "../work/task.h"
#include "../work/types.h"
#include "careful.h"
#include "edge.h"
#include "fine.h"
#include "moments.h"
#include "scope.h"
#include "task.h"
#include "types.h"

enum {
    DFI_LAZY_ROOM = 256 * 1024, /* bytes for lazy tasks of a worker, allocated for the first: 3,000 or so, as many as
                                 * a deep recursion has */
    DFI_LAZY_SAMPLE = DF_DEBUG > 2 ? 1 : 64, /* of so many, the time to the next call is measured */
    DFI_LAZY_SOON = 2000,      /* ns: it is short */
    DFI_LAZY_SURE = DF_DEBUG > 2 ? 1 : 8, /* so many more short times than long ones make the next tasks lazy; */
    DFI_LAZY_SUREST = 64,      /* no more of them count, .. */
    DFI_LAZY_LONG = 4          /* .. and a long one takes away all but this part */
};

/* The task with a record whose code runs, unless it is in a block. */
DFI_FAST struct dfi_flow *dfi_lazy_root(const struct dfi_worker *w)
{
    return w->task ? w->task : w->scope->kind == DFI_BODY ? w->scope->task : NULL;
}

/* Is it enough that tasks run? Not if another worker asks for work, or the code is in an atomic block. */
DFI_FAST int dfi_lazy_may(struct dfi_worker *w)
{
    return !dfi_steal_requested(w) && !*dfi_block_here &&
           !(dfi_load_relaxed(&dfi_flow_pool.asks) | dfi_load_relaxed(&dfi_flow_pool.asks_begin) |
             dfi_load_relaxed(&dfi_flow_pool.queue.urgent)) && dfi_careless();
}

DFI_SMALL_CODE_BEGIN

/* --- does the code call df soon? ------------------------------------------------------------------------- */

/* A task of the code of w was submitted at that time: the time to the next call is measured. */
static void dfi_lazy_measures(struct dfi_worker *w, uint64_t now)
{
    const struct dfi_flow *root = dfi_lazy_root(w);
    if (root) dfi_tasks_of(w)->lazy_since = now, dfi_tasks_of(w)->lazy_measured = root->type;
}

/* This is the next call. */
static DFI_NOINLINE DFI_COLD void dfi_lazy_called(struct dfi_worker *w)
{
    struct dfi_flow_worker *own = dfi_tasks_of(w);
    const struct dfi_flow *root = dfi_lazy_root(w);
    const uint64_t ns = dfi_os_ns() - own->lazy_since;
    struct dfi_fine *f;
    own->lazy_since = 0;
    if (!root || root->type != own->lazy_measured || !(f = dfi_fine_entry(w, root->type))) return;
    if (ns >= DFI_LAZY_SOON) f->soon /= DFI_LAZY_LONG;
    else if (f->soon < DFI_LAZY_SUREST) f->soon++;
    if (f->soon < DFI_LAZY_SURE && own->lazy_root == root->type) own->lazy_root = NULL;
}

/* May tasks be lazy that a task of that type submits? */
static DFI_NOINLINE int dfi_lazy_allowed(struct dfi_worker *w, const struct dfi_type *type)
{
    struct dfi_flow_worker *own = dfi_tasks_of(w);
    const struct dfi_fine *f = dfi_fine_of(w, type);
    if (!f || f->soon < DFI_LAZY_SURE || dfi_alone()) return 0;
    if (!own->lazy_room) {
        if (!(own->lazy_room = (char *)dfi_malloc(DFI_LAZY_ROOM))) return 0;
        w->hot.lazy_at = own->lazy_room, own->lazy_room_end = own->lazy_room + DFI_LAZY_ROOM;
    }
    own->lazy_root = type;
    return 1;
}

DFI_SMALL_CODE_END

/* --- lazy tasks -------------------------------------------------------------------------------------------- */

/* The slow path of dfi_lazy_new: a new lazy task of the code of root, whose arguments the caller sets. NULL: it needs a
 * record. In code that has no scope of its own the next ones take the fast path. */
static DFI_NOINLINE struct dfi_task *dfi_lazy_of(struct dfi_worker *w, const struct dfi_type *type,
                                                 const struct dfi_flow *root)
{
    struct dfi_flow_worker *own = dfi_tasks_of(w);
    struct dfi_lazy *f;
    if (DFI_UNLIKELY(own->lazy_since)) dfi_lazy_called(w);
    if (root->type != own->lazy_root && !dfi_lazy_allowed(w, root->type)) return NULL;
    if (root->task.mem.special || own->opts || (!w->task && dfi_scope_asks(w->scope))) return NULL;
    if (!dfi_lazy_may(w)) return NULL;
    w->hot.lazy_end = own->lazy_room_end;
    f = dfi_lazy_new(type, 0, type->args_bytes);
    if (DFI_UNLIKELY(own->lazy_due)) {
        own->lazy_due = 0;
        dfi_lazy_measures(w, dfi_os_ns());
    }
    if (!w->task || own->lazy_since) dfi_lazy_ask(w);
    if (!f) return NULL;
    f->as_task.mem.special = DFI_IS_LAZY, f->as_task.args = dfi_lazy_args(f);
    return &f->as_task;
}
DFI_FAST struct dfi_task *dfi_lazy_slow(struct dfi_worker *w, const struct dfi_type *type)
{
    const struct dfi_flow *root = type->modes ? NULL : dfi_lazy_root(w);
    return root ? dfi_lazy_of(w, type, root) : NULL;
}

DFI_SMALL_CODE_BEGIN
/* f, whose body runs, becomes a task like those that dfi_flow_run runs. Without memory it stays a part of the code
 * around it. */
static void dfi_lazy_promote(struct dfi_worker *w, struct dfi_lazy *f)
{
    struct dfi_scope *s = dfi_scope_here(w);
    f->flow = s ? dfi_flow_new(w, s, f->type) : NULL;
    if (!f->flow) {
        dfi_tasks_of(w)->lazy_room_end = NULL; /* it may use its arguments longer than its waits tell */
        return;
    }
    dfi_flow_count(w, f->flow);
    dfi_code_is(w, f->flow, w->head);
}

/* f, which waits, gets a record, and is ready. base: it and its newer siblings are behind it. */
static void dfi_lazy_submit(struct dfi_worker *w, struct dfi_lazy *f, char *base)
{
    struct dfi_scope *s = dfi_scope_here(w);
    struct dfi_flow *t = s ? dfi_flow_new(w, s, f->type) : NULL;
    if (!t) {
        dfi_run_now(f->type, dfi_lazy_args(f)); /* no memory */
        return;
    }
    if (!dfi_flow_of(s)->lazy_base) dfi_flow_of(s)->lazy_base = base;
    dfi_fenv_keep(&t->task.mem, dfi_fenv_of(&f->as_task.mem));
    memcpy(t->task.args, dfi_lazy_args(f), f->type->args_bytes);
    dfi_tasks_of(w)->fine_created++;
    dfi_flow_count(w, t);
    dfi_push(w, t);
}

/* All lazy tasks of w get records, from the oldest to the newest: those that wait go onto the stack, where the oldest
 * ones, which are stolen first, are below the others, as if none had been lazy. */
static DFI_NOINLINE void dfi_lazy_create(struct dfi_worker *w)
{
    struct dfi_lazy *f = w->hot.lazy, *oldest = NULL, *next;
    char *base = NULL;
    w->hot.lazy = NULL;
    dfi_lazy_ask(w);
    dfi_tasks_of(w)->lazy_frame = NULL;
    for (; f; f = next) {
        next = f->before;
        f->before = oldest, oldest = f;
    }
    for (f = oldest; f; f = next) {
        next = f->before;
        if (!base) base = (char *)f;
        if (f->state == DFI_LAZY_WAITS) dfi_lazy_submit(w, f, base);
        else if (f->state == DFI_LAZY_RUNS) dfi_lazy_promote(w, f), base = NULL;
    }
}
#define dfi_up_lazy_create_by , dfi_lazy_create
DFI_SMALL_CODE_END

static void dfi_lazy_run(struct dfi_worker *w);

/* Lazy tasks may not run now: they get records. */
static DFI_NOINLINE DFI_COLD void dfi_lazy_give_up(struct dfi_worker *w)
{
    dfi_flush(w);
    dfi_offer(w);
}

/* The body of f has ended, which has become another task while it ran, as has the code around it. */
static DFI_NOINLINE DFI_COLD void dfi_lazy_ended(struct dfi_worker *w, struct dfi_lazy *f)
{
    struct dfi_flow *t = f->flow;
    dfi_lazy_run(w);
    w->hot.lazy_at = (char *)f;
    if (t && (t = dfi_flow_ended(w, t, NULL, w->task_mark)) != NULL) dfi_push(w, t);
}

/* Runs the lazy tasks of the running code, which are above its own one in the list, newest first, unless they get
 * records. */
static DFI_NOINLINE void dfi_lazy_run(struct dfi_worker *w)
{
    struct dfi_flow_worker *own = dfi_tasks_of(w);
    struct dfi_lazy *f, *const frame = own->lazy_frame;
    size_t height, n;
    if (DFI_UNLIKELY(!w->hot.lazy_end || *dfi_block_here) && !dfi_lazy_may(w)) {
        if (w->hot.lazy != frame) dfi_lazy_give_up(w);
        return;
    }
    while ((f = w->hot.lazy) != frame) {
        if (f->state == DFI_LAZY_ENDED) {
            w->hot.lazy = f->before, w->hot.lazy_at = (char *)f;
            continue;
        }
        /* with modes of its own, dfi_flow_run runs it */
        if (DFI_UNLIKELY(dfi_steal_requested(w)) || DFI_UNLIKELY(!dfi_fenv_is(dfi_fenv_of(&f->as_task.mem)))) {
            dfi_lazy_give_up(w);
            return;
        }
        own->lazy_frame = f;
        f->state = DFI_LAZY_RUNS;
        height = w->head;
        dfi_store_relaxed(&own->n_tasks, n = dfi_load_relaxed(&own->n_tasks) + 1);
        if (DFI_UNLIKELY(n % DFI_LAZY_SAMPLE == 0)) own->lazy_due = 1, dfi_lazy_ask(w);
        f->type->run(dfi_lazy_args(f), NULL);
        if (DFI_UNLIKELY(own->lazy_frame != f)) {
            dfi_lazy_ended(w, f);
            return;
        }
        dfi_report_unsynced(w, height, DFI_END_OF_TASK);
        if (w->hot.lazy == f) w->hot.lazy = f->before, w->hot.lazy_at = (char *)f;
        else f->state = DFI_LAZY_ENDED;
    }
    own->lazy_frame = frame;
}
#define dfi_up_lazy_end_by , dfi_lazy_run

/* A wait of the running code. Nonzero: it is a lazy task, whose children are done. */
DFI_FAST int dfi_lazy_waits(struct dfi_worker *w)
{
    struct dfi_flow_worker *own = dfi_tasks_of(w);
    if (DFI_UNLIKELY(own->lazy_since)) dfi_lazy_called(w);
    if (!w->hot.lazy) return 0;
    dfi_lazy_run(w);
    return own->lazy_frame != NULL;
}

/* The code of w has no children any more: memory of those that were lazy. */
DFI_FAST void dfi_lazy_waited(struct dfi_worker *w)
{
    if (dfi_flow_of(w->scope)->lazy_base) w->hot.lazy_at = dfi_flow_of(w->scope)->lazy_base;
}

#endif
