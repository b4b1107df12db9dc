/* own.h - acquire, release, freeze, and the release at the end of a body */
#ifndef DFI_OWM_OWN_H
#define DFI_OWM_OWN_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/result.h"
#include "../../df_owm.h"
#include "guard.h"
#include "state.h"
#include "tell.h"
#include "tree.h"

#if DFI_OWM_CALLS

/* The state of one call. */
struct dfi_owm_call {
    struct dfi_owm_frame *frame;
    struct dfi_owm_place by;
    struct dfi_owm_notes notes;
};

static void dfi_owm_begin(struct dfi_owm_call *c, struct dfi_owm_frame *f, const char *site)
{
    c->frame = f;
    c->notes.n = 0;
    if (!f->name) f->site = site; /* of a thread the latest call is known */
    dfi_owm_place_set(&c->by, f, site);
    dfi_owm.home->lock();
    dfi_owm_guard_again(f);
}

static df_result dfi_owm_end(struct dfi_owm_call *c)
{
    dfi_owm.home->unlock();
    dfi_owm_tell(&c->notes);
    return c->notes.n ? DF_ERROR_OWNER : DF_OK;
}

static unsigned long dfi_owm_common(const struct dfi_owm_record *r, uintptr_t b, uintptr_t e)
{
    return (unsigned long)((r->end < e ? r->end : e) - (r->begin > b ? r->begin : b));
}

static int dfi_owm_mine(const struct dfi_owm_record *r, const struct dfi_owm_frame *f)
{
    return r->frame == f->id && r->process == dfi_owm.process;
}

/* The records of frame f form a list. */
static void dfi_owm_give(struct dfi_owm_frame *f, unsigned i)
{
    DFI_OWM_AT(i)->next = f->held, DFI_OWM_AT(i)->previous = 0;
    if (f->held) DFI_OWM_AT(f->held)->previous = i;
    f->held = i;
}
static void dfi_owm_take(struct dfi_owm_frame *f, unsigned i)
{
    struct dfi_owm_record *r = DFI_OWM_AT(i);
    if (r->previous) DFI_OWM_AT(r->previous)->next = r->next;
    else f->held = r->next;
    if (r->next) DFI_OWM_AT(r->next)->previous = r->previous;
}

/* A record of [b, e) for the frame of c; 0: no room. */
static unsigned dfi_owm_keep(struct dfi_owm_call *c, uintptr_t b, uintptr_t e, int mode, int flags)
{
    unsigned i = dfi_owm_record_new(b, e);
    struct dfi_owm_record *r = DFI_OWM_AT(i);
    if (!i) return 0;
    r->mode = mode, r->process = dfi_owm.process, r->flags = flags, r->frame = c->frame->id, r->at = c->by;
    dfi_owm.s->owned = dfi_owm_insert(dfi_owm.s->owned, i);
    dfi_owm_give(c->frame, i);
    return i;
}

/* The allocation that contains [b, e). 0: none, which is noted. */
static unsigned dfi_owm_inside(struct dfi_owm_call *c, uintptr_t b, uintptr_t e)
{
    unsigned i = dfi_owm_allocation(b);
    struct dfi_owm_note *n;
    if (i && b <= e && e <= DFI_OWM_AT(i)->end) return i;
    n = dfi_owm_noted(&c->notes, i ? DFI_OWM_SAYS_OUTSIDE : DFI_OWM_SAYS_NOWHERE, &c->by,
                      i ? &DFI_OWM_AT(i)->at : NULL);
    n->n = (unsigned long)(e - b);
    if (i) n->m = (unsigned long)(DFI_OWM_AT(i)->end - DFI_OWM_AT(i)->begin);
    return 0;
}

/* Does another owner conflict with the acquisition of [b, e)? The first one is noted. */
static int dfi_owm_contested(struct dfi_owm_call *c, uintptr_t b, uintptr_t e, int mode, int flags)
{
    struct dfi_owm_walk w;
    unsigned i;
    struct dfi_owm_note *n;
    for (i = dfi_owm_first(dfi_owm.s->owned, &w, b, e); i; i = dfi_owm_next(dfi_owm.s->owned, &w)) {
        const struct dfi_owm_record *r = DFI_OWM_AT(i);
        int writes = (mode | r->mode) & DF_OWM_W, mine = dfi_owm_mine(r, c->frame);
        if (r->mode == DFI_OWM_REJECTED || dfi_load_relaxed(&dfi_owm.s->process[r->process].state) == DFI_OWM_DEAD)
            continue;
        if (mine && flags & DFI_OWM_PARAMETER) continue;               /* parameters of one task overlap */
        if (!writes && (!mine || r->flags & DFI_OWM_PARAMETER)) continue; /* all read */
        n = dfi_owm_noted(&c->notes, mine ? DFI_OWM_SAYS_TWICE : DFI_OWM_SAYS_OWNERS, &c->by, &r->at);
        n->n = dfi_owm_common(r, b, e), n->mode = mode, n->other_mode = r->mode;
        return 1;
    }
    if (!(mode & DF_OWM_W) || !(i = dfi_owm_first(dfi_owm.s->frozen, &w, b, e))) return 0;
    n = dfi_owm_noted(&c->notes, DFI_OWM_SAYS_FROZEN, &c->by, &DFI_OWM_AT(i)->at);
    n->n = dfi_owm_common(DFI_OWM_AT(i), b, e);
    return 1;
}

static void dfi_owm_fetch(void *arg, uintptr_t b, uintptr_t e) { (void)arg, dfi_owm.home->fetch(b, e); }

static df_result dfi_owm_claim(struct dfi_owm_frame *f, const void *p, size_t bytes, int mode, int flags,
                               const char *site)
{
    uintptr_t b = (uintptr_t)p, e = b + bytes;
    struct dfi_owm_call c;
    unsigned a, kept = 1;
    if (!bytes) return DF_OK;
    dfi_owm_begin(&c, f, site);
    a = dfi_owm_inside(&c, b, e);
    if (a && (mode < DF_OWM_R || mode > DF_OWM_RW))
        dfi_owm_noted(&c.notes, DFI_OWM_SAYS_MODE, &c.by, NULL)->mode = mode, a = 0;
    if (!a) { /* its release is no second mistake */
        if (b < e && !(flags & DFI_OWM_PARAMETER)) kept = dfi_owm_keep(&c, b, e, DFI_OWM_REJECTED, DFI_OWM_FAULTY);
    } else {
        if (dfi_owm_contested(&c, b, e, mode, flags)) flags |= DFI_OWM_FAULTY;
        dfi_owm_guard_look(a, b, e, &c.notes, &c.by);
        /* memory that this process owns already is up to date, and may be in use */
        if (dfi_owm.home->fetch) dfi_owm_unowned(b, e, 1, dfi_owm_fetch, NULL);
        if (mode & DF_OWM_W) dfi_owm_guard_open(a, b, e);
        kept = dfi_owm_keep(&c, b, e, mode, flags);
    }
    dfi_owm_end(&c);
    return c.notes.n ? DF_ERROR_OWNER : kept ? DF_OK : DF_ERROR_MEMORY;
}

/* The part [b, e) of record i, of the frame of c, is released. */
static void dfi_owm_cut(struct dfi_owm_call *c, unsigned i, uintptr_t b, uintptr_t e)
{
    struct dfi_owm_record *r = DFI_OWM_AT(i);
    struct dfi_owm_segment *s = dfi_owm.s;
    unsigned a = r->mode == DFI_OWM_REJECTED ? 0 : dfi_owm_allocation(b), rest;
    uintptr_t end = r->end;
    int mode = r->mode;
    if (a && mode & DF_OWM_W && dfi_owm.home->publish) dfi_owm.home->publish(b, e);
    s->owned = dfi_owm_remove(s->owned, i);
    if (r->begin < b) {
        r->end = b;
        s->owned = dfi_owm_insert(s->owned, i);
        if (e < end && (rest = dfi_owm_record_new(e, end)) != 0) {
            struct dfi_owm_record *to = DFI_OWM_AT(rest);
            to->mode = mode, to->process = r->process, to->flags = r->flags, to->frame = r->frame, to->at = r->at;
            s->owned = dfi_owm_insert(s->owned, rest);
            dfi_owm_give(c->frame, rest);
        }
    } else if (e < end) {
        r->begin = e;
        s->owned = dfi_owm_insert(s->owned, i);
    } else {
        dfi_owm_take(c->frame, i);
        dfi_owm_record_free(i);
    }
    if (!a) return;
    if (mode & DF_OWM_W) {
        dfi_owm_guard_close(a, b, e, &c->notes, &c->by);
        DFI_OWM_AT(a)->then = c->by;
    }
}

DFI_EXTERN_C_BEGIN

DFI_API df_result dfi_owm_acquire(const void *p, size_t bytes, int mode, const char *site)
{
    return dfi_owm_claim(dfi_owm_me(), p, bytes, mode, 0, site);
}

DFI_API df_result dfi_owm_release(const void *p, size_t bytes, const char *site)
{
    uintptr_t b = (uintptr_t)p, e = b + bytes, at = b;
    struct dfi_owm_call c;
    unsigned long missing = 0;
    if (!bytes) return DF_OK;
    dfi_owm_begin(&c, dfi_owm_me(), site);
    while (at < e) { /* the parts of it that the caller owns, from the left */
        struct dfi_owm_walk w;
        unsigned i, best = 0;
        uintptr_t to = e;
        for (i = dfi_owm_first(dfi_owm.s->owned, &w, at, e); i; i = dfi_owm_next(dfi_owm.s->owned, &w)) {
            const struct dfi_owm_record *r = DFI_OWM_AT(i);
            if (!dfi_owm_mine(r, c.frame)) continue;
            if (r->begin > at) {
                if (r->begin < to) to = r->begin;
                break;
            }
            /* of several that which was acquired first and rightly */
            if (!best || (DFI_OWM_AT(best)->flags & DFI_OWM_FAULTY && !(r->flags & DFI_OWM_FAULTY))) best = i;
        }
        if (best) {
            if (DFI_OWM_AT(best)->end < e) to = DFI_OWM_AT(best)->end;
            else to = e;
            dfi_owm_cut(&c, best, at, to);
        } else missing += (unsigned long)(to - at);
        at = to;
    }
    if ((missing && !dfi_load_relaxed(&dfi_owm.full)) || b > e) {
        unsigned a = dfi_owm_allocation(b);
        if (!a) dfi_owm_inside(&c, b, e);
        else dfi_owm_noted(&c.notes, DFI_OWM_SAYS_NOT_ACQUIRED, &c.by, &DFI_OWM_AT(a)->at)->n = missing;
    }
    return dfi_owm_end(&c);
}

DFI_API df_result dfi_owm_freeze(const void *p, size_t bytes, const char *site)
{
    uintptr_t b = (uintptr_t)p, e = b + bytes;
    struct dfi_owm_call c;
    struct dfi_owm_walk w;
    unsigned i, kept = 1;
    if (!bytes) return DF_OK;
    dfi_owm_begin(&c, dfi_owm_me(), site);
    if (dfi_owm_inside(&c, b, e)) {
        for (i = dfi_owm_first(dfi_owm.s->owned, &w, b, e); i; i = dfi_owm_next(dfi_owm.s->owned, &w)) {
            const struct dfi_owm_record *r = DFI_OWM_AT(i);
            if (r->mode == DFI_OWM_REJECTED || !(r->mode & DF_OWM_W) || dfi_owm_mine(r, c.frame)) continue;
            dfi_owm_noted(&c.notes, DFI_OWM_SAYS_FREEZE, &c.by, &r->at)->n = dfi_owm_common(r, b, e);
            break;
        }
        if (!i && (kept = dfi_owm_record_new(b, e)) != 0) {
            DFI_OWM_AT(kept)->at = c.by;
            dfi_owm.s->frozen = dfi_owm_insert(dfi_owm.s->frozen, kept);
        }
    }
    dfi_owm_end(&c);
    return c.notes.n ? DF_ERROR_OWNER : kept ? DF_OK : DF_ERROR_MEMORY;
}

DFI_API df_result df_owm_owner(const void *p, df_owm_ownership *to)
{
    struct dfi_owm_walk w;
    unsigned i;
    memset((void *)to, 0, sizeof *to);
    dfi_owm.home->lock();
    for (i = dfi_owm_first(dfi_owm.s->owned, &w, (uintptr_t)p, (uintptr_t)p + 1); i;
         i = dfi_owm_next(dfi_owm.s->owned, &w)) {
        const struct dfi_owm_record *r = DFI_OWM_AT(i);
        if (r->mode == DFI_OWM_REJECTED || (to->mode && !(r->mode & DF_OWM_W))) continue;
        to->mode = r->mode, to->process = r->process;
        memcpy(to->who, r->at.who, sizeof to->who);
        memcpy(to->site, r->at.site, sizeof to->site);
    }
    dfi_owm.home->unlock();
    return DF_OK;
}

/* --- bodies -------------------------------------------------------------------------------------- */

DFI_API void dfi_owm_enter(struct dfi_owm_frame *f, const char *name, const char *site)
{
    f->name = name, f->site = site, f->id = 0, f->held = 0, f->reported = 0;
    f->outer = dfi_owm_here;
    dfi_owm_here = f;
}

DFI_API void dfi_owm_subscribe(struct dfi_owm_frame *f, const void *p, size_t bytes, int mode)
{
    dfi_owm_claim(dfi_owm_me(), p, bytes, mode, DFI_OWM_PARAMETER, f->site);
}

DFI_API void dfi_owm_leave(struct dfi_owm_frame *f)
{
    while (f->held || f->reported) {
        struct dfi_owm_call c;
        unsigned i;
        dfi_owm_begin(&c, f, f->site);
        while ((i = f->held) != 0 && !c.notes.n) { /* the messages are logged before it continues */
            const struct dfi_owm_record *r = DFI_OWM_AT(i);
            if (!(r->flags & (DFI_OWM_PARAMETER | DFI_OWM_FAULTY)))
                dfi_owm_noted(&c.notes, DFI_OWM_SAYS_HELD, &c.by, &r->at)->n = (unsigned long)(r->end - r->begin);
            dfi_owm_cut(&c, i, r->begin, r->end);
        }
        dfi_owm_end(&c);
    }
    dfi_owm_here = f->outer;
}

DFI_EXTERN_C_END

#endif

#endif
