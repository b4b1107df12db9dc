/* extra.h - optional state of a task: options, locks, reductions, tokens, streams
 *
 * Most tasks have none and pay one test for all of it: the flag `special`, in a cache line that is read anyway. */
#ifndef DFI_FLOW_EXTRA_H
#define DFI_FLOW_EXTRA_H

#include "../base/compiler.h"
#include "../base/memory.h"
#include "../api/core.h"
#include "../work/blocks.h"
#include "../work/types.h"

/* The optional state of t, created if t has none. NULL: out of memory. pre: w owns t's scope. */
static struct dfi_extra *dfi_extra_of(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *x;
    struct dfi_block_head head;
    if (t->task.mem.special) return t->extra;
    if (!(x = (struct dfi_extra *)dfi_block_new(w, DFI_CLS_EXTRA))) return NULL;
    head = x->head;
    memset((void *)x, 0, sizeof *x);
    x->head = head;
    x->task = t;
    x->pin = -1;
    t->extra = x;
    t->task.mem.special = 1;
    return x;
}

static struct dfi_use *dfi_use_new(struct dfi_worker *w, struct dfi_use **list)
{
    struct dfi_use *u = (struct dfi_use *)dfi_block_new(w, DFI_CLS_USE);
    if (!u) return NULL;
    u->group = NULL, u->copy = NULL, u->token = NULL;
    u->own.p = NULL;
    u->next = *list, *list = u;
    return u;
}

static void dfi_uses_free(struct dfi_worker *w, struct dfi_worker *home, struct dfi_use *u)
{
    while (u) {
        struct dfi_use *next = u->next;
        dfi_block_free(w, home, &u->head);
        u = next;
    }
}

static void dfi_extra_free(struct dfi_worker *w, struct dfi_flow *t)
{
    struct dfi_extra *x = t->extra;
    struct dfi_worker *home = t->scope->owner;
    dfi_uses_free(w, home, x->locks);
    dfi_uses_free(w, home, x->reductions);
    dfi_uses_free(w, home, x->signals);
    dfi_uses_free(w, home, x->after);
    if (DFI_UNLIKELY(x->window_array != NULL)) dfi_mfree((void *)x->window_array);
    if (DFI_UNLIKELY(x->noted != NULL)) dfi_mfree((void *)x->noted);
    if (DFI_UNLIKELY(x->kept != NULL)) dfi_mfree((void *)x->kept);
    dfi_block_free(w, home, &x->head);
    t->task.mem.special = 0;
}

#endif
