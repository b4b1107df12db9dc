/* thread_end.h - end of a thread inside a body: by pthread_exit, thrd_exit or cancellation
 *
 * The bodies on the thread's stack have failed. They are completed in order, innermost first, so that the threads
 * waiting for them continue. The scopes of the worker identify them; nothing is recorded in advance. Argument:
 * docs/memory-order.md, "Threads that end inside a body". */
#ifndef DFI_WORK_THREAD_END_H
#define DFI_WORK_THREAD_END_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/wait.h"
#include "../api/core.h"
#include "../api/result.h"
#include "deque.h"
#include "future.h"
#include "worker.h"
#include "goal.h"
#include "wake.h"
#include "stack.h"
#include "find.h"
#include "help.h"
#include "scope.h"
#include "tables.h"
#include "team.h"
#include "types.h"
#include "../flow/task.h"
#include "../more/error.h"
#include "../more/loop/alone.h"
#include "../more/loop/for.h"
#include "../more/loop/pipe.h"
#include "../more/stream/task.h"
#include "../more/weak.h"
#include "../observe/check/check.h"
#include "../observe/check/view.h"
#include "../observe/probes.h"

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
        uintptr_t e = (uintptr_t)w->stack[w->head - 1];
        int mine = !(e & DFI_PUBLIC) || dfi_deque_pop_owner(w);
        w->head--;
        if (w->split > w->head) w->split = w->head;
        f = (struct dfi_future *)(e & ~(DFI_PUBLIC | DFI_FLOW));
        if (!f) continue;
        if (e & DFI_FLOW) {
            if (mine) dfi_run_chain(w, (struct dfi_flow *)(void *)f, NULL);
        } else if (mine) dfi_store_relaxed(&f->link, DFI_F_DONE);
        else dfi_exit_await(f);
    }
    /* no scope, so none of its futures was published */
    if (w->task || dfi_load_relaxed(&dfi_pool.n_slots) == 1) return;
    dfi_os_sleep_ms(); /* for a thief whose mark was removed before it could set the state */
    g.kind = DFI_GOAL_FUTURE, g.scope = NULL, g.flag = NULL;
    while ((f = dfi_exit_stolen(w, w->scope)) != NULL) {
        g.future = f;
        dfi_wait_helping(w, w->head, &g, DFI_WAIT_FUTURE, f, NULL);
        while (dfi_exit_stolen(w, w->scope) == f) dfi_os_yield(); /* its thief has not left it yet */
    }
}

/* --- bodies on the stack ------------------------------------------------------------------------------- */

static void dfi_exit_fails(struct dfi_worker *w, const char *what, const char *name, const char *site)
{
    char text[DFI_ERROR_TEXT];
    snprintf(text, sizeof text, "%s%s%s: its thread ended in its body", what, *name ? " " : "", name);
    dfi_error("%s%s%s%s%s: its thread ended in its body, by pthread_exit or cancellation: it has failed",
              site ? site : "", site ? ": " : "", what, *name ? " " : "", name);
    dfi_fail(w, DF_ERROR_THREAD, text);
}

static void dfi_exit_task(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_flow *ready;
    const char *site = t->task.mem.special == 1 ? t->extra->site : NULL;
#if DF_CHECK
    if (!site) site = t->site;
#endif
    dfi_exit_fails(w, "task", dfi_flow_name(t), site);
    if (t->task.mem.special == DFI_ON_STACK && !(t = dfi_stream_move(w))) {
        dfi_stream_end(w, w->task);
        w->task = NULL;
        return;
    }
    dfi_exit_futures(w);
    dfi_store_relaxed(&t->skip, (unsigned)DFI_SKIPPED);
    if (t->task.mem.special && t->extra->weak) dfi_weak_body_end(w, t, 1);
    if (w->task == t) {
        w->task = NULL;
        ready = dfi_flow_done(w, t);
    } else ready = dfi_flow_end_scope(w, t, NULL, 0);
    if (ready) dfi_push(w, ready);
}

static void dfi_exit_future(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_future *f = dfi_load_relaxed(&s->future);
    struct dfi_worker *victim = dfi_load_relaxed(&s->victim);
    struct dfi_scope *under;
    dfi_exit_fails(w, "spawned task", f->type->name, NULL);
    dfi_exit_futures(w);
    under = dfi_load_relaxed(&s->under);
    dfi_scope_finish(w, s);
    dfi_store_seq_cst(&f->link, DFI_F_DONE); /* as in dfi_future_run_stolen */
    dfi_store_release(&w->stolen, under);
    dfi_wake_waiting(victim);
}

static void dfi_exit_team(struct dfi_worker *w, struct dfi_scope *s)
{
    struct dfi_team *team = s->team;
    struct dfi_worker *owner = team->owner;
    dfi_exit_fails(w, team->work == dfi_pipe_work ? "pipe" : "loop", "", team->scope->site);
    dfi_exit_futures(w);
    /* seq_cst: before the owner is woken, which checks it before it parks */
    dfi_store_seq_cst(&team->lost, 1);
    dfi_scope_finish(w, s);
    if (owner == w) {
        dfi_team_close(w, team);
        return;
    }
    if (team->work == dfi_pipe_work) dfi_store_seq_cst(&((struct dfi_pipe *)(void *)team)->news, (intptr_t)1);
    dfi_fetch_sub_seq_cst(&team->members, (intptr_t)1); /* as in dfi_team_run */
    dfi_wake_waiting(owner);
}

/* Ends the loops that the worker runs alone in a block, or in the code of the thread itself. */
static void dfi_exit_loops(struct dfi_worker *w, struct dfi_scope *s)
{
    while (w->n_alone) {
        unsigned d = w->n_alone - 1;
        struct dfi_loop *l = (struct dfi_loop *)(dfi_load_relaxed(&w->alone[d]) & ~(uintptr_t)1);
        if (!l || l->team.scope != s) return;
        dfi_exit_fails(w, "loop", l->type->name, s->site);
        if (!dfi_loop_hide(w, d)) continue;
        while (!dfi_load_acquire(&l->opened)) dfi_os_yield(); /* as in dfi_loop_alone */
        dfi_team_close(w, &l->team);
    }
}

/* Ends all bodies that w ran. The children of a thread of the program itself continue. */
static DFI_COLD void dfi_exit_bodies(struct dfi_worker *w)
{
    int cancel = dfi_os_uncancel();
    struct dfi_scope *s;
    dfi_check_pause(w);
    w->opts = NULL, w->reg_task = NULL, w->reg_access = NULL;
    dfi_store_relaxed(&w->running, (struct dfi_running *)NULL);
    dfi_os_lock(&w->watch_lock);
    w->waits = NULL;
    dfi_os_unlock(&w->watch_lock);
    dfi_streams_now = NULL;
    while (w->blocking) dfi_block_end();
    w->fixed = 0;
    for (s = w->scope; w->task || s->outer; s = w->scope) {
        struct dfi_flow *t = w->task ? w->task : s->task;
        if (dfi_runs_now(w)) {
            dfi_exit_fails(w, "a task", "", NULL);
            w->now = NULL;
        }
        if (t) dfi_exit_task(w, t);
        else if (s->kind == DFI_STOLEN && s->team) dfi_exit_team(w, s);
        else if (s->kind == DFI_STOLEN) dfi_exit_future(w, s);
        else {
            dfi_exit_loops(w, s);
            dfi_exit_futures(w);
            dfi_fail(w, DF_ERROR_THREAD, df_error_text(DF_ERROR_THREAD));
            dfi_scope_finish(w, s);
        }
    }
    if (w->now == s) dfi_exit_fails(w, "a task that ran in its submitter", "", NULL);
    dfi_exit_futures(w);
    w->now = NULL;
    w->nest = 0;
    w->n_alone = 0;
    dfi_store_relaxed(&w->level, 0);
    dfi_store_seq_cst(&w->asleep, (int)DFI_NOT_ASLEEP);
#if DF_CHECK
    w->body = w->call = w->deepest = 0;
#endif
#if DFI_CHECK_ASAN
    w->in_turn = w->blocks = w->pauses = 0;
    w->view = NULL;
#endif
    dfi_os_recancel(cancel);
}

/* --- detection of the end --------------------------------------------------------------------------- */

/* glibc unwinds the stack before the destructors of a thread's keys run. During unwinding it calls cleanup handlers
 * of the old kind while the frames below still exist. These handlers are in thread-local memory rather than on the
 * stack, so they are called last, or first in the main thread. Other systems do not unwind, and a destructor
 * (dfi_detach) is early enough. */
#if DFI_GNU && defined(__GLIBC__)
DFI_EXTERN_C_BEGIN
extern void dfi_sys_cleanup_push(struct _pthread_cleanup_buffer *b, void (*fn)(void *),
                                 void *arg) __asm__("_pthread_cleanup_push") __attribute__((weak));
extern void dfi_sys_cleanup_pop(struct _pthread_cleanup_buffer *b,
                                int execute) __asm__("_pthread_cleanup_pop") __attribute__((weak));
extern void dfi_sys_asan_no_return(void) __asm__("__asan_handle_no_return") __attribute__((weak));
DFI_EXTERN_C_END
static DFI_TLS struct _pthread_cleanup_buffer dfi_exit_buffer;
static DFI_TLS int dfi_exit_watched;

static void dfi_exit_unwound(void *none)
{
    struct dfi_worker *w = dfi_me();
    (void)none;
    dfi_exit_watched = 0;
    if (w) dfi_exit_bodies(w);
    if (dfi_sys_asan_no_return) dfi_sys_asan_no_return(); /* destructors run on the memory of the unwound frames */
}
static void dfi_exit_watch(void)
{
    if (dfi_exit_watched || !dfi_sys_cleanup_push || !dfi_sys_cleanup_pop) return;
    dfi_exit_watched = 1;
    dfi_sys_cleanup_push(&dfi_exit_buffer, dfi_exit_unwound, NULL);
}
static void dfi_exit_unwatch(void)
{
    if (dfi_exit_watched) dfi_sys_cleanup_pop(&dfi_exit_buffer, 0);
    dfi_exit_watched = 0;
}
#else
static void dfi_exit_watch(void) {}
static void dfi_exit_unwatch(void) {}
#endif

DFI_SMALL_CODE_END

#endif
