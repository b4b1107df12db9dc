/* order.h - tasks that come after tasks that wait, under DF_SERIAL
 *
 * As long as no task has to wait, for a token, an input or a stream, each is a call, and their order is that of the calls.
 * A task that is held, or has children that are, keeps its place by what it accesses: a scope remembers the memory
 * of its unfinished children, and a later child that conflicts with it waits for them. */
#ifndef DFI_SERIAL_ORDER_H
#define DFI_SERIAL_ORDER_H

#include "../base/compiler.h"
#include "../base/memory.h"
#include "../api/access.h"
#include "../api/task.h"
#include "../flow/region.h"
#include "impl.h"

struct dfi_entry {
    struct dfi_entry *next, *before; /* of the scope */
    struct dfi_entry *more;          /* of the owner */
    struct dfi_scope *owner, *in;    /* whose access it is; in whose list: NULL when a later one stands for it */
    struct dfi_region region;
    unsigned mode;
};

static void dfi_entry_unlink(struct dfi_entry *e)
{
    if (!e->in) return;
    if (e->before) e->before->next = e->next;
    else e->in->entries = e->next;
    if (e->next) e->next->before = e->before;
    e->in = NULL;
}

/* One of the two writes, and they do not share. */
static int dfi_order_conflict(const struct dfi_entry *e, const struct dfi_region *r, unsigned mode)
{
    if (!((e->mode | mode) & DFI_WRITES) || (mode & DFI_SHARED && (e->mode & DFI_SHARED) == (mode & DFI_SHARED))) return 0;
    return dfi_region_overlap(&e->region, r);
}

/* s, a child that accesses x, is remembered; h, its task if that has not begun, comes after those remembered before. */
static void dfi_order_register(struct dfi_scope *s, struct dfi_access *x, unsigned n, struct dfi_held *h)
{
    struct dfi_scope *parent = dfi_scope_of(s->frame.outer);
    unsigned i;
    for (i = 0; i < n; i++) {
        struct dfi_region r = dfi_region_of(&x[i]);
        struct dfi_entry *e, *next;
        if (!r.rows) continue;
        for (e = parent->entries; e; e = next) {
            struct dfi_waiter *w;
            next = e->next;
            if (e->owner == s) continue;
            if (h && dfi_order_conflict(e, &r, x[i].mode) && (w = (struct dfi_waiter *)dfi_malloc(sizeof *w)) != NULL) {
                w->held = h, w->next = e->owner->after;
                e->owner->after = w;
                h->wait++;
            }
            if (h && x[i].mode & DFI_WRITES && !(x[i].mode & DFI_SHARED) && dfi_region_covers(&r, &e->region)) dfi_entry_unlink(e);
        }
        if (!(e = (struct dfi_entry *)dfi_malloc(sizeof *e))) continue;
        e->owner = s, e->in = parent;
        e->region = r, e->mode = x[i].mode;
        e->more = s->own, s->own = e;
        e->before = NULL, e->next = parent->entries;
        if (e->next) e->next->before = e;
        parent->entries = e;
    }
}

/* s is done. */
static void dfi_order_done(struct dfi_scope *s)
{
    struct dfi_waiter *w, *next, *first = NULL;
    int skip = s->task && s->task->skip && s->task->type->modes & DFI_WRITES;
    while (s->own) {
        struct dfi_entry *e = s->own;
        s->own = e->more;
        dfi_entry_unlink(e);
        dfi_mfree(e);
    }
    for (w = s->after; w; w = next) /* newest first: turn them around */
        next = w->next, w->next = first, first = w;
    s->after = NULL;
    for (w = first; w; w = next) {
        next = w->next;
        if (skip) w->held->skip = 1;
        if (--w->held->wait == 0) dfi_held_ready(w->held);
        dfi_mfree(w);
    }
}

/* Does an unfinished child of s write there? */
static int dfi_order_unwritten(const struct dfi_scope *s, const struct dfi_region *r)
{
    const struct dfi_entry *e;
    for (e = s->entries; e; e = e->next)
        if (dfi_order_conflict(e, r, DFI_IN)) return 1;
    return 0;
}

DFI_EXTERN_C_BEGIN
DFI_API void df_wait_on(const void *p, size_t bytes)
{
    struct dfi_scope *s = dfi_scope_of(dfi_frame_here());
    struct dfi_access x;
    struct dfi_region r;
    dfi_access_array(&x, DFI_IN, DFI_NO_ARG, p, bytes);
    r = dfi_region_of(&x);
    while (s->frame.is_scope && r.rows && dfi_order_unwritten(s, &r))
        if (s->ready || s->fired) dfi_scope_run_one(s);
        else if (!dfi_serial_help()) dfi_serial_give_up(s);
}
DFI_EXTERN_C_END

#endif
