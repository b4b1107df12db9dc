/* thread_end.h - end of a thread inside a body: by pthread_exit, thrd_exit or cancellation
 *
 * The bodies on the thread's stack have failed. They are completed in order, innermost first, so that the threads
 * waiting for them continue. The scopes of the worker identify them; nothing is recorded in advance. Argument:
 * docs/internals/work.md, "Threads that end inside a body". */
#ifndef DFI_WORK_THREAD_END_H
#define DFI_WORK_THREAD_END_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/os.h"
#include "../api/core.h"
#include "../api/result.h"
#include "deque.h"
#include "future.h"
#include "worker.h"
#include "goal.h"
#include "module.h"
#include "wake.h"
#include "stack.h"
#include "find.h"
#include "help.h"
#include "scope.h"
#include "slot.h"
#include "task.h"
#include "tables.h"
#include "team.h"
#include "types.h"
#include "supervise.h"

#if DFI_WITH_DATAFLOW

/* --- moments ----------------------------------------------------------------------------------------- */

/* The code that w runs has failed: the code that waits for it is told. */
DFI_UPCALL(void, dfi_up_fails, (struct dfi_worker *w, int code, const char *text));
/* The body of task t, on top of the stack of w, has failed: ends it. */
DFI_UPCALL(void, dfi_up_task_unwinds, (struct dfi_worker *w, struct dfi_flow *t));
/* So has the code of block or thread s; what it began without a scope ends. */
DFI_UPCALL(void, dfi_up_code_unwinds, (struct dfi_worker *w, struct dfi_scope *s));
/* Ends a task without a record that runs in the code of w; called before each of these, and at the end. */
DFI_UPCALL(void, dfi_up_plain_unwinds, (struct dfi_worker *w));
/* Does one run in the code of w? */
DFI_UPCALL(int, dfi_up_runs_plain, (const struct dfi_worker *w));

DFI_UNUSED static void dfi_exit_fails(struct dfi_worker *w, const char *what, const char *name, const char *site)
{
    char text[DFI_ERROR_TEXT];
    snprintf(text, sizeof text, "%s%s%s: its thread ended in its body", what, *name ? " " : "", name);
    dfi_error("%s%s%s%s%s: its thread ended in its body, by pthread_exit or cancellation: it fails with "
              "DF_ERROR_THREAD; return from the body instead",
              site ? site : "", site ? ": " : "", what, *name ? " " : "", name);
    if (dfi_up_fails) dfi_up_fails(w, DF_ERROR_THREAD, text);
}

#if defined(DF_SERIAL) /* there are no threads */
DFI_UNUSED static void dfi_exit_futures(struct dfi_worker *w) { (void)w; }
#else
DFI_SMALL_CODE_BEGIN

enum { DFI_EXIT_STEPS = 10000 }; /* a longer list of scopes was changed while it was read */

/* --- futures of the ended code ------------------------------------------------------------------------ */

/* A future that another worker has stolen from the code in scope s of w, and runs now. NULL: none. */
static struct dfi_future *dfi_exit_stolen(const struct dfi_worker *w, const struct dfi_scope *s)
{
    int i, k, n = dfi_load_acquire(&dfi_pool.n_slots);
    for (i = 0; i < n; i++) { /* acquire; pairs with the release in dfi_future_run_stolen */
        struct dfi_scope *r = dfi_load_acquire(&dfi_load_acquire(&dfi_pool.slot[i])->stolen);
        for (k = 0; r && k < DFI_EXIT_STEPS; k++, r = dfi_load_acquire(&r->under))
            if (dfi_load_relaxed(&r->victim) == w && dfi_load_relaxed(&r->parent) == s)
                return dfi_load_relaxed(&r->future);
    }
    return NULL;
}

/* Waits until the thief of f has set its state. (If f's memory was reused, the state may never change.) */
static void dfi_exit_await(const struct dfi_future *f)
{
    void *link = dfi_load_acquire(&f->link);
    int ms;
    for (ms = 0; ms < DFI_THIEF_MS && DFI_F_IS_AT(link) && dfi_load_acquire(&f->link) == link; ms++) dfi_os_sleep_ms();
}

/* Clears the stack of the running code: futures that have not begun are dropped, tasks run here or are cancelled.
 * Then waits until no thief runs one of its futures. */
static void dfi_exit_futures(struct dfi_worker *w)
{
    size_t floor = dfi_stack_floor(w);
    struct dfi_future *f;
    struct dfi_goal g;
    dfi_flush(w);
    while (w->head > floor) {
        const void *e = w->stack[w->head - 1];
        int mine = !((uintptr_t)e & DFI_PUBLIC) || dfi_deque_pop_owner(w);
        w->head--;
        if (w->split > w->head) w->split = w->head;
        f = (struct dfi_future *)((uintptr_t)e & ~DFI_PUBLIC);
        if (!f) continue;
        if (dfi_is_task(e)) {
            if (mine) dfi_run_chain(w, dfi_task_of(e), NULL);
        } else if (mine) dfi_store_relaxed(&f->link, DFI_F_DONE);
        else dfi_exit_await(f);
    }
    /* no scope, so none of its futures was published */
    if (w->task || dfi_alone()) return;
    dfi_os_sleep_ms(); /* for a thief whose mark was removed before it could set the state */
    g.kind = DFI_GOAL_FUTURE, g.scope = NULL;
    while ((f = dfi_exit_stolen(w, w->scope)) != NULL) {
        g.future = f;
        dfi_wait_helping(w, w->head, &g, DFI_WAIT_FUTURE, f, NULL);
        while (dfi_exit_stolen(w, w->scope) == f) dfi_os_yield(); /* its thief has not left it yet */
    }
}

/* --- bodies on the stack ------------------------------------------------------------------------------- */

static void dfi_exit_future(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_future *f = dfi_load_relaxed(&s->future);
    struct dfi_worker *victim = dfi_load_relaxed(&s->victim);
    struct dfi_scope *under;
    dfi_exit_fails(w, "spawned task", f->type->name, NULL);
    dfi_exit_futures(w);
    under = dfi_load_relaxed(&s->under);
    dfi_store_seq_cst(&f->link, dfi_future_finish(w, s)); /* as in dfi_future_run_stolen */
    dfi_store_release(&w->stolen, under);
    dfi_wake_waiting(victim);
}

static void dfi_exit_team(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_team *team = s->team;
    struct dfi_worker *owner = team->owner;
    dfi_exit_fails(w, team->what, "", team->scope->site);
    dfi_exit_futures(w);
    /* seq_cst: before the owner is woken, which checks it before it parks */
    dfi_store_seq_cst(&team->lost, 1);
    dfi_scope_finish(w, s);
    if (owner == w) {
        dfi_team_close(w, team);
        return;
    }
    if (team->told) team->told(team);
    dfi_fetch_sub_seq_cst(&team->members, (intptr_t)1); /* as in dfi_team_run */
    dfi_wake_waiting(owner);
}

/* Ends all bodies that w ran. The children of a thread of the program itself continue. */
static DFI_COLD void dfi_exit_bodies(struct dfi_worker *w)
{
    int cancel = dfi_os_uncancel();
    struct dfi_scope *s;
    dfi_code_pause(w, 0);
    dfi_tell(DFI_THREAD_UNWINDS, w);
    w->fixed = 0;
    for (s = w->scope; w->task || s->outer; s = w->scope) {
        struct dfi_flow *t = w->task ? w->task : s->task;
        if (dfi_up_plain_unwinds) dfi_up_plain_unwinds(w);
        if (dfi_up_task_unwinds && t) dfi_up_task_unwinds(w, t);
        else if (s->kind == DFI_STOLEN && s->team) dfi_exit_team(w, s);
        else if (s->kind == DFI_STOLEN) dfi_exit_future(w, s);
        else {
            if (dfi_up_code_unwinds) dfi_up_code_unwinds(w, s);
            dfi_exit_futures(w);
            if (dfi_up_fails) dfi_up_fails(w, DF_ERROR_THREAD, df_error_text(DF_ERROR_THREAD));
            dfi_scope_finish(w, s);
        }
    }
    if (dfi_up_plain_unwinds) dfi_up_plain_unwinds(w);
    dfi_exit_futures(w);
    dfi_store_relaxed(&w->level, 0);
    dfi_tell(DFI_THREAD_UNWOUND, w);
    if (dfi_up_unwound) dfi_up_unwound(w);
    dfi_os_recancel(cancel);
}

static void dfi_exit_rest(struct dfi_worker *w)
{
    if (w->task || w->scope->outer || w->helper || (dfi_up_runs_plain && dfi_up_runs_plain(w))) dfi_exit_bodies(w);
}
#define dfi_up_bodies_end_by , dfi_exit_rest

/* --- detection of the end --------------------------------------------------------------------------- */

/* Systems that do not unwind have no moment before the destructors of a thread's keys, and a destructor (dfi_detach) is
 * early enough there. */
#if DFI_LINUX
extern void dfi_sys_asan_no_return(void) __asm__("__asan_handle_no_return") __attribute__((weak));
#endif

static void dfi_exit_unwound(void)
{
    struct dfi_worker *w = dfi_me_at_end();
    if (w) dfi_exit_bodies(w);
#if DFI_LINUX
    if (dfi_sys_asan_no_return) dfi_sys_asan_no_return(); /* destructors run on the memory of the unwound frames */
#endif
}
static void dfi_exit_watch(void) { dfi_os_at_unwind(dfi_exit_unwound); }
static void dfi_exit_unwatch(void) { dfi_os_at_unwind(NULL); }
#define dfi_up_end_watch_by , dfi_exit_watch
#define dfi_up_end_unwatch_by , dfi_exit_unwatch

DFI_SMALL_CODE_END
#endif

#endif

#endif
