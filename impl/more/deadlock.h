/* deadlock.h - deadlock detection: finds tokens, nodes and streams that can never be satisfied
 *
 * A thread that sleeps in a wait runs this check periodically while tasks are held by tokens,
 * missing inputs or streams. If no worker runs a task, can find one, or blocks in a device call, and
 * this does not change, only code outside df can still signal. If tasks that themselves wait promise
 * all missing signals, the wait is a cycle, because an outside signal would then be one too many:
 * the cycle is broken immediately. Otherwise outside code gets df_config.patience to signal, as long as it takes if
 * something waits for an event that is said to be external, and code behind a wait with a time limit as long as that
 * wait lasts (more/timed.h).
 * If tasks are ready then, but no worker may run them nested in its wait, one is run nevertheless,
 * because another task may wait for its push, or for the room that it makes.
 * A wait that cannot end is reported, and its task skipped. */
#ifndef DFI_MORE_DEADLOCK_H
#define DFI_MORE_DEADLOCK_H

#include <limits.h>
#include "../base/atomic.h"
#include "../base/log.h"
#include "../os/os.h"
#include "../api/result.h"
#include "../work/deque.h"
#include "../flow/queue.h"
#include "../work/worker.h"
#include "../work/find.h"
#include "../work/types.h"
#include "../flow/types.h"
#include "../work/probe.h"
#include "../flow/task.h"
#include "blocking.h"
#include "error.h"
#include "spare.h"
#include "stream/window.h"
#include "token.h"
#include "points.h"
#include "../api/task.h"
#include "../api/token.h"

DFI_SMALL_CODE_BEGIN

/* Of a worker: progress at its last check, and the number of checks since without progress. */
struct dfi_looks { size_t stamp; int looks; };
DFI_ROOM(dfi_looks, dfi_looks_of, dfi_worker);

static int dfi_token_is_closed(df_token *t) { return dfi_load_acquire(&t->dfi_need) > 0; }

/* True if v sleeps in a call that another thread may end. False if v was woken and has not had a CPU
 * since. */
static int dfi_sleeps(const struct dfi_worker *v)
{
    int how = dfi_load_seq_cst(&dfi_blocks_of(v)->asleep);
    if (how == DFI_NOT_ASLEEP) return 0;
    if (how == DFI_ASLEEP) return dfi_load_seq_cst(&v->park) != DFI_AWAKE;
    return !dfi_load_seq_cst(&dfi_blocks_of(v)->retry_awake);
}

/* Has v work, or does it run code that may give others work? asleep: dfi_sleeps(v), loaded before */
static int dfi_advances(struct dfi_worker *v, const struct dfi_worker *me, int asleep)
{
    int awake = dfi_load_seq_cst(&v->park) == DFI_AWAKE && !asleep;
    int inside = dfi_load_relaxed(&v->helper) || dfi_load_relaxed(&v->level); /* of df: code outside is not counted */
    if (awake && inside && v != me) return 1;
    if (!dfi_deque_empty_any(v)) return 1;
    return dfi_load_seq_cst(&dfi_tasks_of(v)->pinned.count) != 0;
}

/* The number of events so far; 0 if anything makes progress outside the code of `me`. (Green threads look when none of
 * them can continue.) */
static size_t dfi_deadlock_stamp(const struct dfi_worker *me)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    int blocked = dfi_load_seq_cst(&dfi_spares.blocked);
    size_t stamp = 1 + dfi_load_relaxed(&dfi_more.events);
    if (dfi_any_opened()) return 0;
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        int asleep = dfi_sleeps(v);
        blocked -= asleep; /* a sleeper waits for what this check may give up */
        if (!DFI_ALONE && dfi_advances(v, me, asleep)) return 0;
        stamp += dfi_load_relaxed(&dfi_tasks_of(v)->n_tasks) + dfi_load_relaxed(&dfi_tasks_of(v)->n_skipped) +
                 dfi_load_relaxed(&dfi_holds_of(v)->n_events);
    }
    if (!DFI_ALONE && blocked > 0) return 0; /* a worker is in a call that this check cannot end */
    return stamp;
}

/* True if h waits for a token of such a kind. */
static int dfi_held_by(const struct dfi_on_hold *h, int kind)
{
    const struct dfi_use *u;
    for (u = h->after; u; u = u->next)
        if (dfi_token_is_closed(u->token) && dfi_load_relaxed(&u->token->dfi_state) & kind) return 1;
    return h->until && dfi_load_relaxed(&h->until->dfi_state) & kind;
}

/* True if h waits for an event that may come from outside df at any time. The only thread of a serial build gives
 * inputs and pushes itself. */
static int dfi_held_external(const struct dfi_on_hold *h)
{
    return dfi_held_by(h, DFI_TOKEN_EXTERNAL) ||
           (!DFI_ALONE && h->of && ((dfi_tokens_of(h->of)->inputs && dfi_tokens_of(h->of)->external) ||
                                    dfi_windows_external(dfi_windows_of(h->of)->first)));
}

/* Does a task or a thread wait for such an event, or df_config.idle look for one? What follows from it may end each
 * other wait. */
static int dfi_deadlock_external(void)
{
    int i, some = dfi_idle_expects(), n = dfi_load_acquire(&dfi_pool.n_slots);
    for (i = 0; i < n && !some; i++) {
        struct dfi_holds *l = dfi_holds_of(dfi_load_acquire(&dfi_pool.slot[i]));
        const struct dfi_on_hold *h;
        dfi_os_lock(&l->lock);
        for (h = dfi_load_relaxed(&l->first); h && !some; h = h->next) some = dfi_held_external(h);
        dfi_os_unlock(&l->lock);
    }
    return some;
}

/* True if tasks promise all missing signals: then no outside code can owe one. */
static int dfi_deadlock_for_certain(void)
{
    int i, certain = 1, n = dfi_load_acquire(&dfi_pool.n_slots);
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        const struct dfi_on_hold *h;
        dfi_os_lock(&dfi_holds_of(v)->lock);
        for (h = dfi_load_relaxed(&dfi_holds_of(v)->first); h; h = h->next) {
            const struct dfi_use *u;
            if (h->of && (dfi_tokens_of(h->of)->inputs || dfi_load_relaxed(&dfi_windows_of(h->of)->missing) > 0))
                certain = 0;
            for (u = h->after; u; u = u->next)
                if (dfi_load_relaxed(&u->token->dfi_promised) < dfi_load_relaxed(&u->token->dfi_need)) certain = 0;
        }
        dfi_os_unlock(&dfi_holds_of(v)->lock);
    }
    return certain;
}

/* Reports the waiters in a list that was given up. */
static void dfi_deadlock_report(const struct dfi_edge *e, const char *token, int certain)
{
    for (; e; e = e->next) {
        struct dfi_flow *u = e->task;
        if ((uintptr_t)u & 1) {
            const struct dfi_token_wait *a = (const struct dfi_token_wait *)((uintptr_t)u - 1);
            if (dfi_load_relaxed(&a->open) == DFI_TOKEN_LEFT) continue;
            dfi_error("%s: df_wait_token waits for the token of %s, which no task can signal any more: it returns "
                      "DF_ERROR_STUCK; signal more often, lower the number of the token, or use DF_TOKEN_EXTERNAL",
                      a->site, token);
        } else {
            dfi_error("%s: task %s waits for the token of %s, which %s: the task is skipped; signal more often, lower "
                      "the number of the token, or use DF_TOKEN_EXTERNAL",
                      u->extra->site, u->extra->name, token,
                      certain ? "only tasks that wait for it in turn could signal (a cycle)"
                              : dfi_alone() && dfi_load_relaxed(&dfi_may_block) != DFI_MAY_WAIT
                              ? "no task can signal any more (a single worker runs tasks inside df_submit, before what "
                                "their submitter does next; with DF_DEFER=1 it queues them)"
                              : "no task can signal any more");
            dfi_flow_fails(u, DF_ERROR_STUCK);
        }
    }
}

enum { DFI_MISSING_TEXT = 200 };

/* Writes the names of the inputs that a node was not given; returns their number. */
static intptr_t dfi_node_missing(const struct dfi_extra *x, uintptr_t given, char missing[DFI_MISSING_TEXT])
{
    const struct dfi_inputs *inputs = dfi_tokens_of(x)->inputs;
    const char *p = inputs->names;
    intptr_t n = 0;
    int i, cut = 0;
    *missing = 0;
    for (i = 0; i < inputs->n; i++) {
        size_t bytes = strcspn(p, " "), at = strlen(missing);
        if (!(given >> i & 1)) {
            n++;
            if (at + bytes + sizeof ", , ..." <= DFI_MISSING_TEXT)
                snprintf(missing + at, DFI_MISSING_TEXT - at, "%s%.*s", at ? ", " : "", (int)bytes, p);
            else if (!cut) strcat(missing, at ? ", ..." : "..."), cut = 1;
        }
        p += bytes + 1;
    }
    return n;
}

/* Gives up a node that cannot fire. */
static void dfi_deadlock_node(struct dfi_worker *w, struct dfi_extra *x, uintptr_t given)
{
    char missing[DFI_MISSING_TEXT];
    intptr_t n = dfi_node_missing(x, given, missing);
    dfi_error("%s: node %s is skipped, because these inputs were not given: %s; call df_node_set or df_give for each",
              x->site, x->name, missing);
    dfi_flow_fails(x->task, DF_ERROR_STUCK);
    dfi_store_relaxed(&dfi_tokens_of(x)->stuck, 1);
    while (n-- > 0)
        if (dfi_flow_unblock(x->task)) dfi_ready_any(w, x->task);
}

/* Reports that a task is given up, because a window of it cannot come. */
static void dfi_missing_report(const char *name, const char *site, const struct dfi_missing *m)
{
    dfi_error("%s%stask %s waits for %lu more %s the stream of %s, which can no longer come: the task is skipped; push "
              "or read what is missing, or close the stream", site ? site : "", site ? ": " : "", name,
              (unsigned long)m->elements, m->what, m->stream);
}

/* Gives up a task that waits for stream elements which cannot come. */
static void dfi_deadlock_stream(struct dfi_worker *w, struct dfi_extra *x, const struct dfi_missing *m)
{
    struct dfi_flow *t = x->task;
    if (!dfi_scope_cancelled(t->scope)) {
        dfi_missing_report(x->name, x->site, m);
        dfi_flow_fails(t, DF_ERROR_STUCK);
    }
    dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
    /* acq_rel; pairs with dfi_windows_ready */
    if (dfi_fetch_sub_acq_rel(&dfi_windows_of(x)->missing, (intptr_t)m->windows) == (intptr_t)m->windows &&
        dfi_flow_unblock(t)) dfi_ready_any(w, t);
}

/* Gives up one token or node held by v, or everything that one task waits for. Nonzero: there was one. */
static int dfi_deadlock_give_up(struct dfi_worker *w, struct dfi_worker *v, int certain)
{
    struct dfi_on_hold *h;
    struct dfi_extra *x = NULL;
    struct dfi_edge *e = NULL;
    df_token *token = NULL;
    const char *site = NULL;
    uintptr_t all = 0, given = 0;
    struct dfi_missing missing;
    int skip;
    missing.windows = 0;
    dfi_os_lock(&dfi_holds_of(v)->lock); /* the tokens of held tasks exist while the lock is held */
    for (h = dfi_load_relaxed(&dfi_holds_of(v)->first); h; h = h->next) {
        const struct dfi_use *u;
        /* a task for which h waits may be given up itself */
        if (dfi_held_by(h, DFI_TOKEN_EXTERNAL | DFI_TOKEN_KEPT)) continue;
        for (u = h->after; u && !dfi_token_is_closed(u->token);) u = u->next;
        if (u) {
            token = u->token, site = token->dfi_site;
            dfi_store_relaxed(&token->dfi_state, dfi_load_relaxed(&token->dfi_state) | DFI_TOKEN_SKIP);
            dfi_store_seq_cst(&token->dfi_need, (intptr_t)0);
            e = dfi_token_close(token, &skip);
            break;
        }
        if (!(x = h->of)) continue;
        if (dfi_tokens_of(x)->inputs) { /* a missing input counts as given from here on */
            all = ((uintptr_t)1 << (dfi_tokens_of(x)->inputs->n - 1) << 1) - 1;
            given = dfi_load_relaxed(&dfi_tokens_of(x)->given);
            while (given != all && !dfi_cas_acq_rel(&dfi_tokens_of(x)->given, &given, all)) continue;
            if (given != all) break;
        }
        if (dfi_load_relaxed(&dfi_windows_of(x)->missing) > 0) {
            dfi_windows_give_up(dfi_windows_of(x)->first, &missing);
            if (missing.windows) break;
        }
    }
    dfi_os_unlock(&dfi_holds_of(v)->lock);
    if (!h) return 0;
    if (token) {
        dfi_deadlock_report(e, site, certain);
        dfi_token_release(w, e, 1, 1);
    } else if (missing.windows) dfi_deadlock_stream(w, x, &missing);
    else dfi_deadlock_node(w, x, given);
    return 1;
}

/* Takes a ready task that w may run nested in its wait only because nothing else makes progress. A
 * task that precedes the entries below it in a serial execution is best, because it cannot wait for
 * them. Zero: none. */
static int dfi_deadlock_help(struct dfi_worker *w)
{
    struct dfi_filter f;
    struct dfi_flow *t;
    f.id = f.depth = 0, f.on_top_of = w, f.thief = NULL;
    if (!(t = dfi_queue_take(&dfi_flow_pool.queue, &f, INT_MIN, NULL))) {
        f.on_top_of = NULL;
        if (!(t = dfi_queue_take(&dfi_flow_pool.queue, &f, INT_MIN, NULL))) return 0;
    }
    dfi_blocks_of(w)->helps++;
    w->outside = 1;
    dfi_push(w, t);
    return 1;
}

/* Ends the df_retry of threads that sleep when no running thread is left to write what they read,
 * and no thread outside df exists to do so. Nonzero: there are some. */
static int dfi_deadlock_retries(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    int threads = dfi_load_seq_cst(&dfi_pool.alive) + dfi_load_seq_cst(&dfi_pool.reporters);
    int external = dfi_deadlock_external(), some = 0;
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        if (dfi_load_relaxed(&v->attached) && !dfi_load_relaxed(&v->helper)) {
            /* outside tasks it may write at any time */
            threads++;
            external |= dfi_load_seq_cst(&v->park) == DFI_AWAKE &&
                dfi_load_seq_cst(&dfi_blocks_of(v)->asleep) == DFI_NOT_ASLEEP;
        }
    }
    if (!DFI_ALONE && (external || dfi_os_threads() != threads)) return 0;
    for (i = 0; i < n; i++) {
        struct dfi_blocks *b = dfi_blocks_of(dfi_load_acquire(&dfi_pool.slot[i]));
        int retries = DFI_ASLEEP_RETRY;
        some |= dfi_cas_seq_cst(&b->asleep, &retries, DFI_ASLEEP_DEADLOCK);
    }
    return some;
}

/* Is a thread in a wait with a time limit? The code after it may signal. */
static int dfi_deadlock_timed(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    for (i = 0; i < n; i++)
        if (dfi_load_relaxed(&dfi_blocks_of(dfi_load_acquire(&dfi_pool.slot[i]))->timed)) return 1;
    return 0;
}

/* Nonzero: w has work, because tasks were given up and so became ready. */
static int dfi_deadlock_look(struct dfi_worker *w)
{
    struct dfi_looks *l = dfi_looks_of(w);
    size_t stamp = dfi_deadlock_stamp(w);
    int i, n = dfi_load_acquire(&dfi_pool.n_slots), certain, some = 0;
    int ready = dfi_load_seq_cst(&dfi_flow_pool.queue.count) && (DFI_ALONE || dfi_load_relaxed(&dfi_more.streams)) &&
        dfi_load_relaxed(&dfi_blocks_of(w)->asleep) == DFI_NOT_ASLEEP;
    if (ready && stamp && (DFI_ALONE || n == 1)) return dfi_deadlock_help(w);
    if (!stamp || stamp != l->stamp) {
        l->stamp = stamp;
        l->looks = 0;
        return 0;
    }
    l->looks++;
    /* no worker takes it */
    if (dfi_load_seq_cst(&dfi_flow_pool.queue.count)) return ready && l->looks > 2 && dfi_deadlock_help(w);
    certain = l->looks > 2 && dfi_deadlock_for_certain();
    if (!certain && (dfi_deadlock_timed() || dfi_deadlock_external())) return 0;
    if (!DFI_ALONE && !certain && l->looks * DFI_LOOK_MS < dfi_more.patience * 1000) return 0;
    dfi_at_stuck(w, (uint64_t)l->looks * DFI_LOOK_MS); /* before the state changes */
    l->looks = 0;
    for (i = 0; i < n; i++)
        while (dfi_deadlock_give_up(w, dfi_load_acquire(&dfi_pool.slot[i]), certain)) some = 1;
    return some || dfi_deadlock_retries();
}

#define dfi_up_look_by , dfi_deadlock_look

static void dfi_deadlock_begin(struct dfi_worker *w) { dfi_looks_of(w)->looks = 0; }
#define dfi_up_looks_begin_by , dfi_deadlock_begin

DFI_SMALL_CODE_END

#endif
