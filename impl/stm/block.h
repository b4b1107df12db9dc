/* block.h - a block goes back: restart, partial restart, abort; the time moves on */
#ifndef DFI_STM_BLOCK_H
#define DFI_STM_BLOCK_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/wait.h"
#include "../api/stm_core.h"
#include "../api/stm_frame.h"
#include "copied.h"
#include "counts.h"
#include "events.h"
#include "hook.h"
#include "log.h"
#include "state.h"

/* After this many attempts in vain a block runs alone, which nobody else can while it lasts. 8 to 128 made no difference
 * to two threads that write one word; a nested block is tried alone a few times first. */
enum { DFI_TM_ATTEMPTS = 32, DFI_TM_PARTIAL_ATTEMPTS = 8 };
/* A block whose log of reads was missed keeps one until it was of no use at the commit this many times. */
enum { DFI_TM_PREDICT = 32 };

/* --- going back ----------------------------------------------------------------------------------- */

/* Everything since the last block in b began, but not what was read. */
static void dfi_tm_roll_back_inner(struct dfi_tm *t, struct dfi_tm_block *b)
{
    dfi_tm_undo_writes(t, b);
    dfi_tm_set_newest(t);
    dfi_tm_undo_events(t, b->events);
}

/* The lengths of the logs now, for a block that begins in b. */
DFI_INLINE void dfi_tm_note_lengths(struct dfi_tm *t, struct dfi_tm_block *b)
{
    b->reads = dfi_tm_n_reads(t), b->writes = t->n_writes, b->undo = t->n_undo, b->events = t->n_events;
}

/* What was written since b began. */
static void dfi_tm_roll_back_writes(struct dfi_tm *t, struct dfi_tm_block *b)
{
    if (b->outer) dfi_tm_undo_writes(t, b->outer);
    else if (t->n_writes) dfi_tm_clear_writes(t);
    dfi_tm_set_newest(t);
}

/* Everything since b began, but not what was read: the transaction goes on, and handlers are part of it. */
static void dfi_tm_roll_back(struct dfi_tm *t, struct dfi_tm_block *b)
{
    dfi_tm_roll_back_writes(t, b);
    t->inner = b->outer ? b->outer : b;
    dfi_tm_undo_events(t, b->outer ? b->outer->events : 0);
}

/* The whole transaction, with what was read. */
static void dfi_tm_take_back(struct dfi_tm *t)
{
    if (t->n_writes) dfi_tm_clear_writes(t);
    t->read_end = t->reads;
    t->forgot = t->resumed = t->logs = t->buffers = 0;
    DFI_TM_FORGET_COPIES();
    dfi_tm_end_reading(t);
    t->inner = NULL;
    if (t->n_events) {
        const char *site = t->site;
        unsigned char *prediction = t->prediction;
        dfi_tm_undo_all_events(t);
        t->site = site, t->prediction = prediction;
    }
    dfi_attempt(t->site, DFI_ATOMIC_ABORTED);
}

/* b runs again, from its beginning. Does not return. */
static void dfi_tm_again(struct dfi_tm *t, struct dfi_tm_block *b)
{
    t->inner = b;
    if (!b->outer) t->outermost = b;
    b->to_jump(b->jump);
}

static void dfi_tm_forget_reads(struct dfi_tm *t, size_t keep) { t->read_end = t->reads + keep; }

/* The whole transaction runs again. Does not return. */
static DFI_COLD void dfi_tm_restart(struct dfi_tm *t, int reason)
{
    struct dfi_tm_block *b = t->outermost;
    unsigned attempts = t->attempts + (reason != DFI_TM_TO_LOG);
    dfi_tm_count(t, reason);
    dfi_tm_take_back(t);
    t->inner = b; /* for a block in a signal handler */
    *t->prediction = DFI_TM_PREDICT;
    t->attempts = attempts;
    t->logs = t->buffers = t->odd = 1;
    if (!t->alone) {
        if (t->attempts >= DFI_TM_ATTEMPTS) dfi_tm_alone_begin(t);
        else if (t->attempts) { /* a random part of a time that doubles; the first is about that of a commit */
            unsigned n, most = 32u << (t->attempts < 8 ? t->attempts : 8);
            t->random = t->random * 1664525u + 1013904223u;
            for (n = (t->random >> 8) % most; n; n--) dfi_os_pause();
            if (t->attempts > 3) dfi_os_yield();
        }
    }
    b->alternative = 0, b->ran = 1;
    dfi_attempt(t->site, DFI_ATOMIC_BEGINS);
    dfi_tm_begin_reading(t);
    dfi_tm_again(t, b);
}

/* Memory for a log cannot be had: alone the transaction needs none. Does not return. */
static DFI_COLD void dfi_tm_restart_alone(struct dfi_tm *t, int reason)
{
    t->attempts = DFI_TM_ATTEMPTS;
    dfi_tm_restart(t, reason);
}

/* What read number `changed` read is not as it was. The outermost nested block with partial abort that began before it
 * runs again, or everything does. Does not return. */
static DFI_COLD void dfi_tm_conflict(struct dfi_tm *t, int reason, size_t changed)
{
    struct dfi_tm_block *b = t->inner;
    uintptr_t now;
    while (b->outer && (!(b->kind & DFI_TM_CLOSED) || b->outer->reads > changed)) b = b->outer;
    if (!b->outer || t->attempts >= DFI_TM_PARTIAL_ATTEMPTS) dfi_tm_restart(t, reason);
    now = dfi_tm_time_of(dfi_load_seq_cst(&dfi_stm.clock));
    dfi_tm_forget_reads(t, b->outer->reads);
    if (dfi_tm_first_changed(t) != b->outer->reads) dfi_tm_restart(t, reason);
    dfi_tm_count(t, reason);
    t->attempts++;
    t->odd = 1;
    dfi_attempt(t->site, DFI_ATOMIC_ABORTED);
    dfi_attempt(t->site, DFI_ATOMIC_BEGINS);
    t->time = now;
    dfi_store_release(&t->active, now | 1); /* release: what was read so far, to who quiesces */
    dfi_tm_roll_back(t, b);
    b->alternative = 0, b->ran = 1;
    dfi_tm_again(t, b);
}

/* --- the time moves on ---------------------------------------------------------------------------- */

/* All reads so far are unchanged now: they belong to the present time. Or there is a conflict. */
static DFI_NOINLINE void dfi_tm_extend(struct dfi_tm *t, int reason)
{
    /* acquire: of the commits up to now the locks, or what came after, are seen below */
    uintptr_t now = dfi_tm_time_of(dfi_load_acquire(&dfi_stm.clock));
    size_t changed;
    if (!t->logs) dfi_tm_restart(t, DFI_TM_TO_LOG);
    if ((changed = dfi_tm_first_changed(t)) != dfi_tm_n_reads(t)) dfi_tm_conflict(t, reason, changed);
    dfi_tm_count(t, DFI_TM_EXTENSIONS);
    *t->prediction = DFI_TM_PREDICT;
    t->time = now;
    dfi_store_release(&t->active, now | 1);
    dfi_tm_set_newest(t);
}

/* --- a wait in a block ---------------------------------------------------------------------------- */

static DFI_COLD void dfi_tm_go_on(struct dfi_tm *t)
{
    uintptr_t before = t->time, now;
    size_t changed;
    t->resumed = 0;
    if (!t->logs) dfi_tm_restart(t, DFI_TM_TO_LOG);
    dfi_tm_begin_reading(t);
    now = t->time, t->time = before;
    changed = dfi_tm_first_changed(t);
    t->time = now;
    if (now < before || changed != dfi_tm_n_reads(t)) dfi_tm_restart(t, DFI_TM_CHANGED); /* the clock may have begun anew */
    dfi_tm_set_newest(t);
}

/* Somebody waits until what was read of an older time is finished with, or still right. */
static DFI_COLD void dfi_tm_asked(struct dfi_tm *t)
{
    dfi_store_relaxed(&t->asked, 0);
    if (t->resumed) dfi_tm_go_on(t);
    else if (t->logs) dfi_tm_extend(t, DFI_TM_CHANGED);
    else dfi_tm_set_newest(t); /* without a log it cannot tell: it has to come to its end */
}

/* Is there a block that can be taken back? */
static int dfi_tm_can_undo(struct dfi_tm *t, const char *site, const char *name)
{
    if (t->inner && !t->direct) {
        if (DFI_UNLIKELY(t->resumed)) dfi_tm_go_on(t);
        return 1;
    }
    if (!t->inner) dfi_error(DFI_MESSAGE_TM_OUTSIDE, site, name);
    else dfi_error("%s: %s after df_irrevocable, or without memory to take the block back: no effect", site, name);
    return 0;
}

#endif
