/* stm_undo.h - df_stm.h under DF_SERIAL: a block goes back */
#ifndef DFI_SERIAL_STM_UNDO_H
#define DFI_SERIAL_STM_UNDO_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../api/stm_frame.h"
#include "../stm/events.h"
#include "hook.h"
#include "stm.h"

static void dfi_tm_restore(struct dfi_tm *t, size_t keep)
{
    while (t->n_old > keep) {
        struct dfi_tm_old *o = &t->old[--t->n_old];
        memcpy(o->at, o->bytes, o->n);
    }
}

/* Everything since the last block in b began. */
static void dfi_tm_roll_back_inner(struct dfi_tm *t, struct dfi_tm_block *b)
{
    dfi_tm_restore(t, b->writes);
    dfi_tm_undo_events(t, b->events);
}

/* The lengths of the logs now, for a block that begins in b. */
static void dfi_tm_note_lengths(struct dfi_tm *t, struct dfi_tm_block *b) { b->writes = t->n_old, b->events = t->n_events; }

/* Everything since b began: the transaction goes on, and handlers are part of it. */
static void dfi_tm_roll_back(struct dfi_tm *t, struct dfi_tm_block *b)
{
    t->inner = b->outer ? b->outer : b;
    if (b->outer) {
        dfi_tm_roll_back_inner(t, b->outer);
        return;
    }
    dfi_tm_restore(t, 0);
    dfi_tm_undo_events(t, 0);
}

/* The whole transaction. */
static void dfi_tm_take_back(struct dfi_tm *t)
{
    dfi_tm_restore(t, 0);
    t->inner = NULL;
    dfi_tm_undo_all_events(t);
}

static void dfi_tm_finish(struct dfi_tm *t)
{
    t->inner = NULL;
    dfi_serial_events++;
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
    else dfi_tm_take_back(t);
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

static void dfi_tm_no_alternative(struct dfi_tm *t, struct dfi_tm_block *b)
{
    b->alternative = 0, b->ran = 1;
    if (b->outer) dfi_tm_next_alternative(t, b->outer);
    t->counts.retries++;
    if (dfi_serial_retry_hook) {
        const char *site = t->site;
        int again;
        dfi_tm_roll_back(t, b);
        t->inner = NULL; /* what runs meanwhile has transactions of its own */
        again = dfi_serial_retry_hook(site);
        t->site = site, t->n_written = 0;
        if (again) dfi_tm_again(t, b);
    }
    dfi_error("%s: df_retry waits for a change, but nothing is left that could write what the atomic block has "
              "read: the block is rolled back and left, as by df_abort; submit the task that writes it", t->site);
    b->left = 1;
    dfi_tm_again(t, b);
}

static int dfi_tm_can_undo(struct dfi_tm *t, const char *site, const char *name)
{
    if (t->inner && !t->direct) return 1;
    if (!t->inner) dfi_error(DFI_MESSAGE_TM_OUTSIDE, site, name);
    else dfi_error("%s: %s after df_irrevocable, or without memory to take the block back: no effect", site, name);
    return 0;
}

#define DFI_TM_NOTE_COPY(to, bytes) ((void)0) /* memory changes at once */

#endif
