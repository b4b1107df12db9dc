/* extra.h - optional state of a task: priority, worker and name, and what upper floors keep behind them
 *
 * Most tasks have none and pay one test for all of it: the flag `special`, in a cache line that is read anyway. */
#ifndef DFI_FLOW_EXTRA_H
#define DFI_FLOW_EXTRA_H

#include "../api/core.h"
#include "../work/blocks.h"
#include "../work/types.h"
#include "moments.h"
#include "types.h"

/* The optional state of t, created if t has none. NULL: out of memory. pre: only w knows t. */
static struct dfi_extra *dfi_extra_of(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *x;
    struct dfi_block_head head;
    if (t->task.mem.special) return t->extra;
    if (!(x = (struct dfi_extra *)dfi_block_new(w, DFI_CLS_EXTRA))) return NULL;
    head = x->head;
    memset((void *)x, 0, dfi_extra_bytes);
    x->head = head;
    x->task = t, x->home = w;
    x->pin = -1;
    t->extra = x;
    t->task.mem.special = DFI_HAS_EXTRA;
    return x;
}

static void dfi_extra_free(struct dfi_worker *w, struct dfi_flow *t)
{
    if (dfi_up_extra_free) dfi_up_extra_free(w, t);
    dfi_block_free(w, t->extra->home, &t->extra->head);
    t->task.mem.special = 0;
}

#endif
