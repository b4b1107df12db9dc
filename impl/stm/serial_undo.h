/* serial_undo.h - roll back, restart and df_retry under DF_SERIAL */
#ifndef DFI_STM_SERIAL_UNDO_H
#define DFI_STM_SERIAL_UNDO_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../api/stm_frame.h"
#include "../api/hooks.h"
#include "../os/system.h"
#include "events.h"
#include "frames.h"
#include "serial_state.h"

/* Restores the older values in the log from entry `keep` on. again: the block that is retried, or NULL. The functions
 * that it called have ended, and their frames are those of df's functions now, which are not overwritten. */
static DFI_NOINLINE void dfi_tm_restore(struct dfi_tm *t, size_t keep, const struct dfi_tm_block *again)
{
    struct dfi_tm_frames f = { 0, 0 };
    if (again) DFI_TM_FRAMES(&f, again->bottom);
    while (t->n_old > keep) {
        struct dfi_tm_old *o = &t->old[--t->n_old];
        if (!dfi_tm_in_frames(&f, o->at)) memcpy(o->at, o->bytes, o->n);
    }
}

/* Everything since the last block in b began. */
static void dfi_tm_roll_back_to(struct dfi_tm *t, struct dfi_tm_block *b, const struct dfi_tm_block *again)
{
    dfi_tm_restore(t, b->writes, again);
    dfi_tm_undo_events(t, b->events);
}
static void dfi_tm_roll_back_inner(struct dfi_tm *t, struct dfi_tm_block *b) { dfi_tm_roll_back_to(t, b, NULL); }

/* The lengths of the logs now, for a block that begins in b. */
static void dfi_tm_note_lengths(struct dfi_tm *t, struct dfi_tm_block *b)
{
    b->writes = t->n_old, b->events = t->n_events;
}

/* Everything since b began: the transaction goes on, and handlers are part of it. */
static void dfi_tm_roll_back(struct dfi_tm *t, struct dfi_tm_block *b)
{
    t->inner = b->outer ? b->outer : b;
    if (b->outer) {
        dfi_tm_roll_back_to(t, b->outer, b);
        return;
    }
    dfi_tm_restore(t, 0, b);
    dfi_tm_undo_events(t, 0);
}

/* The whole transaction. */
static void dfi_tm_take_back(struct dfi_tm *t, const struct dfi_tm_block *again)
{
    dfi_tm_restore(t, 0, again);
    t->inner = NULL;
    dfi_tm_undo_all_events(t);
}

/* Memory has changed: blocks in df_retry look again. */
static void dfi_tm_wake(struct dfi_tm *t)
{
    for (; t->sleepers; t->sleepers = t->sleepers->next) *t->sleepers->awake = 1;
}

static void dfi_tm_finish(struct dfi_tm *t)
{
    t->inner = NULL;
    if (t->n_written) dfi_tm_wake(t);
    t->counts.commits++;
    if (!t->n_written) t->counts.read_only++;
    if (t->n_old > t->counts.most_writes) t->counts.most_writes = t->n_old;
    t->n_old = 0;
    t->direct = 0;
    if (t->n_events) dfi_tm_call_handlers(dfi_tm_take_events(t, dfi_tm_release_now));
}

/* Every block was left, and their frames are gone. */
static DFI_COLD void dfi_tm_give_up(struct dfi_tm *t)
{
    if (t->direct) dfi_tm_finish(t); /* what it did cannot be undone: it ends here */
    else dfi_tm_take_back(t, NULL);
}

static void dfi_tm_spare_back(struct dfi_tm *t) { (void)t; }

/* b runs again, from its beginning. Does not return. */
static void dfi_tm_again(struct dfi_tm *t, struct dfi_tm_block *b)
{
    t->inner = b;
    if (!b->outer) t->outermost = b;
    b->to_jump(b->jump);
}

static void dfi_tm_next_alternative(struct dfi_tm *t, struct dfi_tm_block *b)
{
    dfi_tm_roll_back(t, b);
    b->alternative++;
    b->looked = 0, b->ran = 0;
    dfi_tm_again(t, b);
}

/* Waits until another block has changed memory. Nonzero: no task is left that could. */
static int dfi_tm_sleep_until(struct dfi_tm *t)
{
    const char *site = t->site;
    struct dfi_os_event none;
    struct dfi_tm_sleep s, **at;
    int stuck = 1;
    memset((void *)&none, 0, sizeof none);
    t->inner = NULL; /* what runs meanwhile has transactions of its own */
    if (dfi_df_hooks) {
        s.awake = dfi_df_hooks->retry_flag();
        if (!s.awake) s.awake = &s.own;
        *s.awake = 0;
        s.next = t->sleepers, t->sleepers = &s;
        stuck = dfi_df_hooks->retry(site, &none, s.awake);
        for (at = &t->sleepers; *at && *at != &s;) at = &(*at)->next;
        if (*at) *at = s.next;
    } else dfi_error(DFI_MESSAGE_RETRY_STUCK, site), dfi_retry_stuck = 1;
    t->site = site, t->n_written = 0;
    return stuck;
}

static void dfi_tm_no_alternative(struct dfi_tm *t, struct dfi_tm_block *b)
{
    b->alternative = 0, b->ran = 1;
    if (b->outer) dfi_tm_next_alternative(t, b->outer);
    t->counts.retries++;
    dfi_tm_roll_back(t, b);
    if (dfi_tm_sleep_until(t)) b->left = 1; /* as by df_abort */
    dfi_tm_again(t, b);
}

static int dfi_tm_can_undo(struct dfi_tm *t, const char *site, const char *name)
{
    if (t->inner && !t->direct) return 1;
    if (!t->inner) dfi_error(DFI_MESSAGE_TM_OUTSIDE, site, name);
    else dfi_error("%s: %s after df_irrevocable, or without memory to roll the block back: no effect; call it before "
                   "df_irrevocable", site, name);
    return 0;
}

#define DFI_TM_NOTE_COPY(to, bytes) ((void)0) /* memory changes at once */

#endif
