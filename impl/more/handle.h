/* handle.h - handles of submitted tasks: df_done, df_wait_task, df_wait_task_for
 *
 * A handle contains a token that the task opens when it and its descendants are done, and the code of the task,
 * stored before. The optional state of the task points to the handle.
 * Argument: docs/internals/waiting.md, "Handles". */
#ifndef DFI_MORE_HANDLE_H
#define DFI_MORE_HANDLE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/os.h"
#include "../api/result.h"
#include "../work/goal.h"
#include "../work/help.h"
#include "../work/stack.h"
#include "../work/types.h"
#include "../work/wait.h"
#include "../work/worker.h"
#include "../flow/types.h"
#include "points.h"
#include "spare.h"
#include "token.h"
#include "types.h"
#include "../api/core.h"
#include "../api/handle.h"
#include "../api/token.h"

DFI_SMALL_CODE_BEGIN

/* acquire; pairs with the exchange in dfi_token_close: the code, and what the task wrote */
static int dfi_handle_open(const df_handle *h)
{
    return dfi_load_acquire(&h->dfi_done.dfi_list) == (void *)DFI_DONE_EDGE;
}
static int dfi_handle_made(df_handle *h, const char *site)
{
    return DFI_LIKELY(h->dfi_done.dfi_site != NULL) ||
           dfi_token_missing(&h->dfi_done, site, "handle", "begin with DF_HANDLE, or submit a task with the handle");
}
/* Is it a task of the parent of this process, which is done, if at all, in the parent only? */
static int dfi_handle_forked(const df_handle *h) { return h->dfi_era != dfi_pool.era && !dfi_handle_open(h); }

/* The task of h, which has no other record, is about to run in the code of w. */
static void dfi_handle_here(struct dfi_worker *w, df_handle *h)
{
    h->dfi_task = w->task ? (const void *)w->task : (const void *)w->scope;
    h->dfi_outer = dfi_handles_of(w)->first;
    dfi_handles_of(w)->first = h;
}
static void dfi_handle_not_here(struct dfi_worker *w, const df_handle *h)
{
    if (w && dfi_handles_of(w)->first == h) dfi_handles_of(w)->first = h->dfi_outer;
}

/* The next submission of w, which may be NULL, makes h its handle. */
static void dfi_handle_begin(struct dfi_worker *w, df_handle *h, const char *site)
{
    struct dfi_scope *s = w ? dfi_scope_here(w) : NULL;
    dfi_token_init(&h->dfi_done, 1, site ? site : "df_call"); /* NULL: of (df_call)() */
    dfi_store_relaxed(&h->dfi_done.dfi_state, (int)DFI_TOKEN_KEPT);
    dfi_store_relaxed(&h->dfi_done.dfi_promised, (intptr_t)1);
    dfi_store_relaxed(&h->dfi_code, 0);
    h->dfi_era = dfi_pool.era;
    h->dfi_scope = s ? dfi_load_relaxed(&s->id) : 0;
    h->dfi_task = h->dfi_outer = NULL;
    if (w) dfi_handle_here(w, h);
}

/* h belongs to t, which has optional state. */
static void dfi_handle_give(struct dfi_worker *w, struct dfi_flow *t, df_handle *h)
{
    dfi_handle_not_here(w, h);
    h->dfi_task = t;
    dfi_cancel_of(t->extra)->handle = h;
}

/* The task of h is done. From the signal on, h may be gone. */
static void dfi_handle_end(struct dfi_worker *w, df_handle *h, const char *site, int code)
{
    dfi_store_relaxed(&h->dfi_code, code);
    dfi_token_keep_promise(w, &h->dfi_done, site, 0);
}

/* The same, of t, which has optional state. */
static void dfi_handle_done(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_cancel *c = dfi_cancel_of(t->extra);
    int code = dfi_load_acquire(&c->code); /* pairs with dfi_task_failed */
    if (DFI_UNLIKELY(c->handle->dfi_task != t))
        dfi_error("%s: task %s: its handle was overwritten before the task was done: it is not written; keep it until "
                  "df_done, df_wait_task or a wait for the scope", t->extra->site, t->extra->name);
    else dfi_handle_end(w, c->handle, t->extra->site,
                        code ? code : dfi_load_relaxed(&t->skip) ? (int)DF_ERROR_CANCELLED : (int)DF_OK);
    c->handle = NULL;
}

/* With several workers each of so many calls of df_done runs a task, or sleeps: some microseconds of polling */
enum { DFI_HANDLE_POLLS = 256 };

/* Waits until h is open or the time of `limit` is over. own: its task is a child of s. */
struct dfi_handle_timer { df_handle *h; struct dfi_os_limit limit; int looks; };
static int dfi_handle_over(void *p)
{
    struct dfi_handle_timer *a = (struct dfi_handle_timer *)p;
    return dfi_handle_open(a->h) || (a->looks++ && !dfi_os_limit_left(&a->limit));
}
static void dfi_handle_timed(struct dfi_worker *w, struct dfi_scope *s, df_handle *h, int own, int ms)
{
    struct dfi_handle_timer a;
    struct dfi_goal g;
    int begun;
    a.h = h, a.looks = 0;
    dfi_os_limit_begin(&a.limit, ms);
    g.kind = DFI_GOAL_POLL, g.scope = s, g.until = dfi_handle_over, g.arg = &a;
    g.limit = &a.limit, g.wakes = DFI_ALONE; /* without an edge, the task does not wake the thread */
    begun = !own && !dfi_block_begin(w);
    dfi_fetch_add_relaxed(&dfi_blocks_of(w)->timed, 1);
    dfi_help_until(w, s->mark, &g);
    dfi_fetch_add_relaxed(&dfi_blocks_of(w)->timed, -1);
    if (begun) dfi_block_end();
}
static void dfi_handle_sleep(struct dfi_worker *w, struct dfi_scope *s, df_handle *h, int own, const char *site)
{
    struct dfi_token_wait a;
    struct dfi_goal g;
    dfi_token_wait_set(&a, w, s, &h->dfi_done, site);
    dfi_hold(w, &a.held);
    if (dfi_token_push(&h->dfi_done, &a.edge)) {
        g.kind = DFI_GOAL_FLAG, g.scope = s, g.flag = &a.open;
        if (own) dfi_help_until(w, s->mark, &g);
        else dfi_sleep_until(w, &g);
    }
    dfi_token_wait_end(&a, 0);
}

/* ms: -1: without limit */
static df_result dfi_handle_wait(const char *site, df_handle *h, int ms)
{
    struct dfi_worker *w;
    struct dfi_wait wait;
    struct dfi_scope *s;
    int own;
    if (!dfi_handle_made(h, site)) return DF_ERROR_STUCK;
    if (DFI_UNLIKELY(dfi_handle_forked(h))) {
        dfi_fork_left();
        return DF_ERROR_CANCELLED;
    }
    if (!dfi_handle_open(h)) {
        w = dfi_me_attached();
        s = w ? dfi_scope_here(w) : NULL;
        DFI_CALLED(w);
        dfi_no_graph(w, "df_wait_task", site);
        if (!s) { /* no memory for an ordinary wait */
            while (!dfi_handle_open(h) && ms) dfi_os_sleep_ms(), ms -= ms > 0;
        } else {
            own = h->dfi_scope == dfi_load_relaxed(&s->id);
            dfi_flush(w);
            dfi_wait_enter(w, &wait, DFI_WAIT_TOKEN, &h->dfi_done, site);
            if (ms < 0) dfi_handle_sleep(w, s, h, own, site);
            else dfi_handle_timed(w, s, h, own, ms);
            dfi_wait_leave(w, &wait);
        }
        if (!dfi_handle_open(h)) return DF_ERROR_TIMEOUT;
    }
    return (df_result)dfi_load_relaxed(&h->dfi_code);
}

DFI_EXTERN_C_BEGIN
DFI_API df_result dfi_wait_task_here(df_handle *h, const char *site) { return dfi_handle_wait(site, h, -1); }

DFI_API df_result dfi_wait_task_timed_here(df_handle *h, int ms, const char *site)
{
    if (ms < 0)
        dfi_error("%s: df_wait_task_for(%d): the time is negative, and counts as 0; pass milliseconds, 0 or more", site,
                  ms);
    return dfi_handle_wait(site, h, ms < 0 ? 0 : ms);
}

DFI_API int dfi_done_here(df_handle *h, const char *site)
{
    struct dfi_worker *w = dfi_me();
    if (dfi_handle_open(h) || !dfi_handle_made(h, site) || DFI_UNLIKELY(dfi_handle_forked(h))) return 1;
    if (!w) return 0;
    if (dfi_steal_requested(w)) dfi_poll(w);
    /* all workers may be in such loops, and the task is in the stack of one of them */
    if (!dfi_alone() && ++dfi_blocks_of(w)->polls % DFI_HANDLE_POLLS) return 0;
    return dfi_handle_wait(site, h, !w->task && h->dfi_scope == dfi_load_relaxed(&w->scope->id) ? 0 : 1) !=
           DF_ERROR_TIMEOUT;
}
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
