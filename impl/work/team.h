/* team.h - teams: workers that join a loop or a pipe
 *
 * A loop or pipe with enough work is put on the board of the pool. A worker that finds no other work, and may run
 * work inside the scope of the loop, becomes a member: it runs parts until none are left, and leaves. The owner also
 * runs parts, then takes the team off the board, and waits until all members have left. A team is a variable on the
 * stack of its owner. It is accessed under the lock of the board, or by members. Argument: docs/internals/loops.md,
 * "Teams". */
#ifndef DFI_WORK_TEAM_H
#define DFI_WORK_TEAM_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../os/os.h"
#include "deque.h"
#include "goal.h"
#include "wake.h"
#include "help.h"
#include "module.h"
#include "scope.h"
#include "types.h"
#include "wait.h"

#if DFI_WITH_DATAFLOW

DFI_EXTERN_C_BEGIN
DFI_API struct dfi_board dfi_board; /* teams that take members */
DFI_EXTERN_C_END
static const struct dfi_board dfi_board_empty = { DFI_OS_MUTEX_INIT, NULL, 0 };

/* Creates the scope of the parts that w runs, for the owner as for a member, so that a wait in a part waits for the
 * children of that part only. NULL: out of memory. */
static DFI_NOINLINE struct dfi_scope *dfi_team_scope(struct dfi_worker *w, struct dfi_team *team)
{
    return dfi_scope_push_stolen(w, team->scope, team);
}

/* Owner: puts the team on the board. pre: the data that members need are complete. */
static void dfi_team_open(struct dfi_worker *w, struct dfi_team *team)
{
    struct dfi_team **at;
    team->owner = w;
    team->next = NULL;
    dfi_fenv_get(&team->fenv);
    team->cpu = dfi_os_cpu();
    dfi_store_relaxed(&team->members, (intptr_t)0);
    dfi_store_relaxed(&team->lost, 0);
    dfi_os_lock(&dfi_board.lock);
    for (at = &dfi_board.first; *at;) at = &(*at)->next;
    *at = team;
    /* seq_cst: before the check for sleepers; pairs with the last check of a worker about to park */
    dfi_store_seq_cst(&dfi_board.count, dfi_load_relaxed(&dfi_board.count) + 1);
    dfi_os_unlock(&dfi_board.lock);
}

/* Owner: takes the team off the board and waits for its members. Meanwhile runs work that they left inside the team's
 * scope, which is again the innermost scope of w. */
static void dfi_team_close(struct dfi_worker *w, struct dfi_team *team)
{
    struct dfi_team **at;
    struct dfi_goal g;
    int forked;
    dfi_os_lock(&dfi_board.lock);
    for (at = &dfi_board.first; *at && *at != team;) at = &(*at)->next;
    forked = !*at; /* in a part of it: the board is new, and the members are threads of the parent */
    if (!forked) {
        *at = team->next;
        dfi_store_relaxed(&dfi_board.count, dfi_load_relaxed(&dfi_board.count) - 1);
    }
    dfi_os_unlock(&dfi_board.lock);
    if (DFI_UNLIKELY(forked)) return;
    g.kind = DFI_GOAL_TEAM, g.scope = team->scope, g.flag = &team->members;
    if (!dfi_goal_met(&g)) dfi_wait_helping(w, team->scope->mark, &g, DFI_WAIT_TEAM, NULL, NULL);
}

/* Is there a team that takes another member? */
static int dfi_team_wanted(void)
{
    struct dfi_team *t;
    if (DFI_ALONE || DFI_LIKELY(!dfi_load_seq_cst(&dfi_board.count))) return 0;
    dfi_os_lock(&dfi_board.lock);
    for (t = dfi_board.first; t && !(dfi_load_relaxed(&t->members) < t->most && t->wants(t));) t = t->next;
    dfi_os_unlock(&dfi_board.lock);
    return t != NULL;
}

#define dfi_up_team_wanted_by , dfi_team_wanted

/* The first team from t on that w may join. Under the board's lock. */
static struct dfi_team *dfi_team_from(struct dfi_team *t, const struct dfi_worker *w, const struct dfi_filter *f)
{
    for (; t; t = t->next)
        if (t->owner != w && dfi_load_relaxed(&t->members) < t->most && t->wants(t) &&
            dfi_filter_inside(f, t->scope)) break;
    return t;
}

/* Finds a team for w, and makes w a member. If w runs on the CPU that the owner had, it has probably taken it from the
 * owner, which would do the work as well: then the owner goes first. */
static int dfi_team_find(struct dfi_worker *w, const struct dfi_filter *f, struct dfi_stolen *stolen)
{
    struct dfi_team *t;
    int enters = DFI_THIEF_MAY;
    if (DFI_ALONE || DFI_LIKELY(!dfi_load_seq_cst(&dfi_board.count))) return 0; /* also the last check before parking */
    dfi_os_lock(&dfi_board.lock);
    t = dfi_team_from(dfi_board.first, w, f);
    if (t && t->cpu >= 0 && !dfi_turns() && t->cpu == dfi_os_cpu()) {
        dfi_os_unlock(&dfi_board.lock);
        dfi_os_yield(); /* has no effect if the owner sleeps */
        dfi_os_lock(&dfi_board.lock);
        t = dfi_team_from(dfi_board.first, w, f);
    }
    while (t && !(enters = dfi_thief_enters(f->thief, t->scope, NULL, 0))) t = dfi_team_from(t->next, w, f);
    /* relaxed would do: the owner checks after it has taken the lock */
    if (t) dfi_fetch_add_seq_cst(&t->members, (intptr_t)1);
    dfi_os_unlock(&dfi_board.lock);
    stolen->team = t;
    stolen->entered = t && enters == DFI_THIEF_ENTERED;
    return t != NULL;
}

#define dfi_up_team_find_by , dfi_team_find

/* Shall w leave the team that it works for, because it is a helper that is one too many? Not the owner, and not a
 * helper that joined the team in a wait, which would join it again. */
static int dfi_member_retires(const struct dfi_worker *w)
{
    return DFI_UNLIKELY(dfi_retires(w)) && dfi_load_relaxed(&w->helper) && !w->scope->outer->outer;
}

/* Closes the team for new members, because memory is lacking. */
static DFI_COLD void dfi_team_give_up(struct dfi_team *t)
{
    dfi_os_lock(&dfi_board.lock);
    t->most = 0;
    dfi_os_unlock(&dfi_board.lock);
}

/* w works for the team, in the modes of the owner. */
static void dfi_team_work(struct dfi_worker *w, struct dfi_team *team)
{
    const uint32_t before = dfi_fenv_change(team->fenv);
    team->work(w, team);
    dfi_fenv_change(before);
}

static void dfi_team_run(struct dfi_worker *w, struct dfi_team *team)
{
    struct dfi_worker *owner = team->owner;
    struct dfi_scope *s = dfi_team_scope(w, team);
    struct dfi_wait member;
    dfi_count(&w->n_steals);
    if (!s) dfi_team_give_up(team);
    else {
        dfi_wake_for_work(); /* wakes one worker, which wakes the next */
        dfi_wait_enter(w, &member, DFI_WAIT_MEMBER, NULL, NULL);
        dfi_team_work(w, team);
        dfi_wait_leave(w, &member);
        dfi_scope_finish(w, s);
    }
    /* seq_cst: releases the work of this member to the owner's check in dfi_goal_met, and precedes the check whether
     * the owner sleeps. From here on the team may be freed. */
    dfi_fetch_sub_seq_cst(&team->members, (intptr_t)1);
    dfi_wake_waiting(owner);
}

#define dfi_up_team_run_by , dfi_team_run

static void dfi_module_teams(const struct dfi_moment *m)
{
    if (m->is == DFI_FORK_CHILD) dfi_board = dfi_board_empty;
}

#endif

#endif
