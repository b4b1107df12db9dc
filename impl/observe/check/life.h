/* life.h - DF_CHECK: the checks as supervision of the core (work/supervise.h), and as a module of the pool */
#ifndef DFI_OBSERVE_CHECK_LIFE_H
#define DFI_OBSERVE_CHECK_LIFE_H

#include "../../base/compiler.h"
#include "../../base/env.h"
#include "../../base/log.h"
#include "../../base/upcall.h"
#include "../../work/module.h"
#include "../../work/supervise.h"
#include "../../work/types.h"
#include "../../flow/body.h"
#include "../../flow/supervise.h"
#include "check.h"
#include "declared.h"
#include "entry.h"
#include "reduce.h"
#include "run.h"
#include "view.h"

#if DF_CHECK

/* Code whose frame ends at `frame` calls df. Stacks grow downwards: if that is above the frame of the innermost body,
 * the body is gone and has not returned. (Not reported if the code runs on another stack, or deeper than the body.) */
static void dfi_check_called(struct dfi_worker *w, uintptr_t frame)
{
    struct dfi_check_worker *k = dfi_checked_of(w);
    k->call = frame;
    if (!k->body || frame <= k->body || frame - k->body > (uintptr_t)DFI_CHECK_NEAR) return;
    dfi_finding("task %s was left by longjmp (DF_CHECK): df cannot continue reliably; return from the body instead",
                k->name);
    k->body = 0;
}

#define dfi_up_called_by , dfi_check_called
#define dfi_up_waits_by , dfi_check_waits
#define dfi_up_children_done_by , dfi_check_children_done
#define dfi_up_scope_end_by , dfi_check_scope_end
#define dfi_up_body_by , dfi_check_run
#define dfi_up_submits_by , dfi_check_submit
#define dfi_up_items_by , dfi_check_items
#define dfi_up_combines_by , dfi_check_commutes
#define dfi_up_combines_more_by , dfi_check_operator

/* w gets another stack, or the code on its stack is gone. */
static void dfi_check_worker_new(struct dfi_worker *w)
{
    memset((void *)dfi_checked_of(w), 0, sizeof *dfi_checked_of(w));
}
static const char *dfi_check_site(const struct dfi_flow *t) { return dfi_task_checks(t)->site; }
static void dfi_check_created(struct dfi_flow *t)
{
    struct dfi_check_task *c = dfi_task_checks(t);
    c->n_checked = c->family.depth = 0, c->site = NULL, c->declared = NULL, c->checked = c->few;
}
static void dfi_check_scope_created(struct dfi_scope *s)
{
    memset((void *)dfi_scope_checks(s), 0, sizeof *dfi_scope_checks(s));
}
#define dfi_up_created_by , dfi_check_created
static void dfi_check_task_done(struct dfi_flow *t)
{
    struct dfi_check_task *c = dfi_task_checks(t);
    dfi_check_family_done(t);
#if DFI_CHECK_ASAN
    dfi_check_done(t);
#endif
    c->n_checked = 0;
    if (c->checked == c->few) return;
    dfi_mfree((void *)c->checked);
    c->checked = c->few;
}
#define dfi_up_task_done_by , dfi_check_task_done
#define dfi_up_scope_created_by , dfi_check_scope_created
#define dfi_up_unwound_by , dfi_check_worker_new
#define dfi_up_site_by , dfi_check_site

#if DFI_CHECK_ASAN
#define dfi_up_pause_by , dfi_check_pause
#define dfi_up_resume_by , dfi_check_resume
#define dfi_up_code_begin_by , dfi_check_part_begin
#define dfi_up_code_end_by , dfi_check_part_end
#define dfi_up_own_begin_by , dfi_check_own_begin
#define dfi_up_own_end_by , dfi_check_own_end
#define dfi_up_waited_on_by , dfi_check_waited
#define dfi_up_released_by , dfi_check_release

/* The pool begins or ends. off: the process ends, and bodies may still run. */
static void dfi_check_reset(int off)
{
    dfi_check_lock();
    if (!dfi_check.made) dfi_check.made = !dfi_os_event_init(&dfi_check.event);
    dfi_check_clear();
    dfi_check.off = off;
    dfi_check_live.failed = 0;
    if (!dfi_check.entries) {
        dfi_mfree((void *)dfi_check.bucket);
        dfi_mfree(dfi_check_live.range);
        dfi_check.bucket = NULL, dfi_check.buckets = 0;
        memset((void *)&dfi_check_live, 0, sizeof dfi_check_live);
    }
    dfi_check_unlock();
}

/* The tasks belong to the parent. */
static void dfi_check_fork_child(void)
{
    static const struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    struct dfi_check_entry *n;
    dfi_check_clear();
    while ((n = dfi_check.entries) != NULL) dfi_check_forget(n);
    dfi_mfree((void *)dfi_check.bucket);
    dfi_check.lock = fresh;
    dfi_check.made = !dfi_os_event_init(&dfi_check.event);
    dfi_check.running = dfi_check.overdue = dfi_check.waiting = 0;
    dfi_check.bucket = NULL, dfi_check.buckets = 0;
    dfi_check_locked = 0;
    dfi_check_family_forked();
}

#endif

#if DFI_FINDINGS
/* DF_CHECK_EXIT: the exit status of a program that ends normally and has findings. */
static DFI_COLD __attribute__((destructor(103))) void dfi_check_exit(void)
{
    int status = dfi_load_acquire(&dfi_findings)
        ? (int)dfi_env_number("DF_CHECK_EXIT", 1, 255, 0, "an exit status from 1 to 255") : 0;
    if (!status) return;
    dfi_found_tell();
    fflush(NULL);
    _exit(status);
}
#endif

static void dfi_module_check(const struct dfi_moment *m)
{
    switch (m->is) {
    case DFI_WORKER_TAKEN: dfi_check_worker_new(m->w); break;
    case DFI_POOL_BEGINS:
#if DFI_FINDINGS
        dfi_found_tell();
#endif
#if !DFI_CHECK_ASAN
        break;
    case DFI_FORK_CHILD: dfi_check_family_forked(); break;
#else
        dfi_check_reset(0);
        break;
    case DFI_STOP_CALLED: dfi_check_reset(0); break;
    case DFI_POOL_EXITS: dfi_check_reset(1); break;
    case DFI_THREAD_LEAVES: dfi_check_thread_end(m->w); break;
    case DFI_FORK_PREPARE: dfi_check_lock(); break;
    case DFI_FORK_PARENT: dfi_check_unlock(); break;
    case DFI_FORK_CHILD: dfi_check_fork_child(); break;
#endif
    default: break;
    }
}
#endif

#endif
