/* guard.h - DF_CHECK: detection of writes without ownership
 *
 * A page without an owner for writing is sealed: it is write-protected, and a task that writes to it faults, is
 * reported, and continues with the page open. A page with owned and other bytes is `mixed`: it can be written, and a
 * second copy, the twin, has the expected values of the bytes without an owner. They are compared when they are
 * acquired, and when the last owner in the page releases it, which seals the page. So whole pages are not copied.
 * Sealing and opening a page costs more than copying it: a page that is released again and again stays open, and mixed,
 * for good; so do all pages where protection is not available. Everything here is under the lock of the home;
 * allocations are whole pages. */
#ifndef DFI_OWM_GUARD_H
#define DFI_OWM_GUARD_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../os/pages.h"
#include "../../df_owm.h"
#include "state.h"
#include "tell.h"
#include "tree.h"

#include <errno.h>

#if DFI_OWM_CALLS

#if DF_CHECK

enum { /* of a page; none of the first three, and no owner: it is sealed */
    DFI_OWM_MIXED = 1,
    DFI_OWM_OPEN = 2,      /* reported: written without ownership, and not compared */
    DFI_OWM_STAYS = 4,     /* mixed for good */
    DFI_OWM_SEALING = 8,   /* how often it was sealed: in the bits from this one on */
    DFI_OWM_SEALINGS = 16  /* at most. A page sealed and opened costs 3 us, compared and copied 0.4 us (EPYC, virtual
                              machine); 16 times are 0.05 s for a thousand pages, and enough to name the writer in most
                              tests */
};

struct dfi_owm_guard {
    uintptr_t begin, end;
    unsigned char *twin, *flags; /* as many bytes; one for each page */
    int seals;
};
static struct dfi_owm_guard *dfi_owm_guards[DFI_OWM_RECORDS]; /* by the number of the allocation */
static int dfi_owm_opened;                                    /* some page is open */

struct dfi_owm_look { /* the thread that compares */
    struct dfi_owm_guard *g;
    unsigned allocation;
    struct dfi_owm_notes *notes;
    const struct dfi_owm_place *by;
    int found;
};

static unsigned char *dfi_owm_flags(const struct dfi_owm_guard *g, uintptr_t a)
{
    return &g->flags[(a - g->begin) / dfi_os_page()];
}
static unsigned char *dfi_owm_twin(const struct dfi_owm_guard *g, uintptr_t a) { return g->twin + (a - g->begin); }

static void dfi_owm_seal(struct dfi_owm_guard *g, uintptr_t b, uintptr_t e, int sealed)
{
    if (!g->seals || b >= e || !dfi_os_seal(b, e, sealed)) return;
    /* there are too many pieces for the system: it is one piece again, and compared as if it could not be sealed */
    dfi_os_seal(g->begin, g->end, 0);
    g->seals = 0;
    for (b = g->begin; b < g->end; b += dfi_os_page()) {
        /* else it is zero in */
        if (!(*dfi_owm_flags(g, b) & DFI_OWM_MIXED) && memcmp(dfi_owm_twin(g, b), (const void *)b, dfi_os_page()))
            memcpy(dfi_owm_twin(g, b), (const void *)b, dfi_os_page()); /* both, and need not have memory */
        *dfi_owm_flags(g, b) |= DFI_OWM_MIXED | DFI_OWM_STAYS;
    }
    dfi_store_relaxed(&dfi_owm.unguarded, 1);
}

/* " (...)": further information about byte a. */
static void dfi_owm_more(struct dfi_owm_note *n, unsigned allocation, uintptr_t a)
{
    const struct dfi_owm_place *then = &DFI_OWM_AT(allocation)->then;
    struct dfi_owm_walk w;
    unsigned frozen = dfi_owm_first(dfi_owm.s->frozen, &w, a, a + 1);
    if (frozen) snprintf(n->more, sizeof n->more, " (frozen at %s)", DFI_OWM_AT(frozen)->at.site);
    else if (*then->site) snprintf(n->more, sizeof n->more, " (last release in it: %s, %s)", then->who, then->site);
}

/* Compares [b, e), which has no owner for writing, where it is mixed; the twin then has the present values. */
static void dfi_owm_compare(void *arg, uintptr_t b, uintptr_t e)
{
    struct dfi_owm_look *k = (struct dfi_owm_look *)arg;
    while (b < e) {
        uintptr_t next = dfi_os_page_down(b) + dfi_os_page(), to = next < e ? next : e;
        unsigned char *twin = dfi_owm_twin(k->g, b);
        int flags = *dfi_owm_flags(k->g, b);
        if (flags & DFI_OWM_MIXED && memcmp(twin, (const void *)b, to - b)) {
            if (k->notes && !k->found && !(flags & DFI_OWM_OPEN)) {
                struct dfi_owm_note *n = dfi_owm_noted(k->notes, DFI_OWM_SAYS_CHANGED, k->by,
                                                       &DFI_OWM_AT(k->allocation)->at);
                uintptr_t a = b;
                while (*dfi_owm_twin(k->g, a) == *(const unsigned char *)a) a++;
                n->n = (unsigned long)(a - k->g->begin);
                dfi_owm_more(n, k->allocation, a);
                k->found = 1; /* one message for one call */
            }
            memcpy(twin, (const void *)b, to - b);
        }
        b = to;
    }
}

/* [b, e) is acquired: its bytes without an owner must have the values that were released. notes NULL: any value. */
static void dfi_owm_guard_look(unsigned allocation, uintptr_t b, uintptr_t e, struct dfi_owm_notes *notes,
                               const struct dfi_owm_place *by)
{
    struct dfi_owm_look k;
    k.g = dfi_owm_guards[allocation], k.allocation = allocation, k.notes = notes, k.by = by, k.found = 0;
    if (k.g) dfi_owm_unowned(b, e, 0, dfi_owm_compare, &k);
}

/* The page at b is about to have bytes that are owned and others. */
static void dfi_owm_mix(struct dfi_owm_guard *g, uintptr_t b)
{
    unsigned char *flags = dfi_owm_flags(g, b);
    if (*flags & DFI_OWM_MIXED || dfi_owm_has_owner(b, b + dfi_os_page(), 0)) return;
    memcpy(dfi_owm_twin(g, b), (const void *)b, dfi_os_page());
    *flags |= DFI_OWM_MIXED;
}

/* [b, e) is about to be owned for writing. */
static void dfi_owm_guard_open(unsigned allocation, uintptr_t b, uintptr_t e)
{
    struct dfi_owm_guard *g = dfi_owm_guards[allocation];
    uintptr_t from = dfi_os_page_down(b), to = from, page = dfi_os_page(), p;
    if (!g) return;
    for (p = from; p < e; p += page) {
        unsigned char *flags = dfi_owm_flags(g, p);
        int closed = !(*flags & (DFI_OWM_MIXED | DFI_OWM_OPEN));
        if (p < b || p + page > e) dfi_owm_mix(g, p);
        else if (!(*flags & DFI_OWM_STAYS)) *flags &= (unsigned char)~(DFI_OWM_MIXED | DFI_OWM_OPEN);
        if (!closed) dfi_owm_seal(g, from, to, 0), from = p + page;
        to = p + page;
    }
    dfi_owm_seal(g, from, to, 0);
}

/* The page at p has no owner for writing any more, and equals its twin if it is mixed. Does it stay open? */
static int dfi_owm_settle_page(struct dfi_owm_guard *g, uintptr_t p)
{
    unsigned char *flags = dfi_owm_flags(g, p);
    *flags &= (unsigned char)~DFI_OWM_OPEN;
    if (*flags & DFI_OWM_STAYS) return 1;
    if (*flags / DFI_OWM_SEALING >= DFI_OWM_SEALINGS) {
        memcpy(dfi_owm_twin(g, p), (const void *)p, dfi_os_page());
        *flags |= DFI_OWM_MIXED | DFI_OWM_STAYS;
        return 1;
    }
    *flags = (unsigned char)((*flags & ~DFI_OWM_MIXED) + DFI_OWM_SEALING);
    return 0;
}

/* [b, e) was owned for writing, and is no more. */
static void dfi_owm_guard_close(unsigned allocation, uintptr_t b, uintptr_t e, struct dfi_owm_notes *notes,
                                const struct dfi_owm_place *by)
{
    struct dfi_owm_guard *g = dfi_owm_guards[allocation];
    uintptr_t page = dfi_os_page(), p, from, to;
    int shared;
    if (!g) return;
    from = to = dfi_os_page_down(b);
    shared = dfi_owm_has_owner(from, dfi_os_page_up(e), 0);
    for (p = from; p < e; p += page) {
        unsigned char *flags = dfi_owm_flags(g, p);
        uintptr_t first = p < b ? b : p, last = p + page < e ? p + page : e;
        int others = shared && dfi_owm_has_owner(p, p + page, 0);
        if (*flags & DFI_OWM_MIXED || others) memcpy(dfi_owm_twin(g, first), (const void *)first, last - first);
        if (others) *flags |= DFI_OWM_MIXED; /* another owner still writes here */
        else if (*flags & DFI_OWM_MIXED) {
            dfi_owm_guard_look(allocation, p, first, notes, by);
            dfi_owm_guard_look(allocation, last, p + page, notes, by);
        }
        if (others || dfi_owm_settle_page(g, p)) dfi_owm_seal(g, from, to, 1), from = p + page;
        to = p + page;
    }
    dfi_owm_seal(g, from, to, 1);
}

/* What was left open for those who were reported is sealed again. Who goes on there opens it again, and is reported
 * once only until he makes a call himself. */
static void dfi_owm_guard_again(struct dfi_owm_frame *f)
{
    struct dfi_owm_walk w;
    unsigned i;
    f->reported = 0;
    if (!dfi_owm_opened) return;
    dfi_owm_opened = 0;
    for (i = dfi_owm_first(dfi_owm.s->allocated, &w, 0, UINTPTR_MAX); i; i = dfi_owm_next(dfi_owm.s->allocated, &w)) {
        struct dfi_owm_guard *g = dfi_owm_guards[i];
        uintptr_t p;
        for (p = g ? g->begin : 0; g && p < g->end; p += dfi_os_page()) {
            unsigned char *flags = dfi_owm_flags(g, p);
            if (!(*flags & DFI_OWM_OPEN)) continue;
            dfi_owm_guard_look(i, p, p + dfi_os_page(), NULL, NULL); /* the twin is what is there */
            *flags &= (unsigned char)~DFI_OWM_OPEN;
            if (!dfi_owm_has_owner(p, p + dfi_os_page(), 0) && !dfi_owm_settle_page(g, p))
                dfi_owm_seal(g, p, p + dfi_os_page(), 1);
        }
    }
}

/* Copies `from` to [b, e) of this copy. */
DFI_UNUSED static void dfi_owm_guard_write(unsigned allocation, uintptr_t b, uintptr_t e, const void *from)
{
    struct dfi_owm_guard *g = dfi_owm_guards[allocation];
    while (b < e) { /* page by page: not all need be sealed */
        uintptr_t p = dfi_os_page_down(b), next = p + dfi_os_page(), to = next < e ? next : e;
        int sealed = g && !(*dfi_owm_flags(g, p) & (DFI_OWM_MIXED | DFI_OWM_OPEN)) && !dfi_owm_has_owner(p, next, 0);
        if (sealed) dfi_owm_seal(g, p, next, 0);
        memcpy((void *)b, from, to - b);
        if (g) memcpy(dfi_owm_twin(g, b), from, to - b);
        if (sealed) dfi_owm_seal(g, p, next, 1);
        from = (const char *)from + (to - b);
        b = to;
    }
}

/* --- faults -------------------------------------------------------------------------------------- */

#if DFI_OS_FAULTS

enum { DFI_OWM_SIGNALS = 2 };
static const int dfi_owm_signal[DFI_OWM_SIGNALS] = { SIGSEGV, SIGBUS }; /* some systems have the second one for it */
static struct dfi_sys_action dfi_owm_signal_before[DFI_OWM_SIGNALS];

/* The fault is not of df: to whom it would have gone. */
static void dfi_owm_fault_before(int number, void *info, void *context)
{
    const struct dfi_sys_action *before = &dfi_owm_signal_before[number != dfi_owm_signal[0]];
    struct dfi_sys_action none;
    if (before->flags & DFI_SYS_SIGINFO) before->handler(number, info, context);
    else if ((uintptr_t)before->handler > 1) ((void (*)(int))(void (*)(void))before->handler)(number);
    else { /* none: the instruction faults again, and ends the program */
        memset((void *)&none, 0, sizeof none);
        dfi_sys_sigaction(number, &none, NULL);
    }
}

/* [b, e), which has no owner, is written now. */
static void dfi_owm_fault_open(struct dfi_owm_guard *g, uintptr_t b, uintptr_t e)
{
    for (; b < e; b += dfi_os_page()) *dfi_owm_flags(g, b) |= DFI_OWM_OPEN;
    dfi_owm_opened = 1;
}

static void dfi_owm_fault(int number, void *info, void *context)
{
    struct dfi_owm_notes notes;
    struct dfi_owm_frame *f = dfi_owm_me();
    uintptr_t at = dfi_sys_fault(info), page = dfi_os_page(), b, e;
    struct dfi_owm_guard *g;
    unsigned i;
    int error = errno;
    notes.n = 0;
    dfi_owm.home->lock(); /* code that holds it writes no sealed page */
    i = dfi_owm_allocation(at), g = i ? dfi_owm_guards[i] : NULL;
    if (g) {
        b = dfi_os_page_down(at), e = b + page;
        if (!dfi_owm_has_owner(b, e, 0)) { /* one message for all that is written there now */
            struct dfi_owm_note *n;
            struct dfi_owm_place by;
            while (b > g->begin && !dfi_owm_has_owner(b - page, b, 0)) b -= page;
            while (e < g->end && !dfi_owm_has_owner(e, e + page, 0)) e += page;
            dfi_owm_fault_open(g, b, e);
            if (f->reported != i) {
                dfi_owm_place_set(&by, f, f->site ? f->site : "?");
                n = dfi_owm_noted(&notes, DFI_OWM_SAYS_WRITE, &by, &DFI_OWM_AT(i)->at);
                n->n = (unsigned long)(at - g->begin);
                dfi_owm_more(n, i, at);
            }
            f->reported = i;
        }
        dfi_owm_seal(g, b, e, 0);
    }
    dfi_owm.home->unlock();
    dfi_owm_tell(&notes);
    errno = error;
    if (!g) dfi_owm_fault_before(number, info, context);
}

/* pre: under the lock. */
static void dfi_owm_catch_faults(void)
{
    static int done;
    struct dfi_sys_action a;
    int i;
    if (done) return;
    done = 1;
    memset((void *)&a, 0, sizeof a);
    a.handler = dfi_owm_fault;
    a.flags = DFI_SYS_SIGINFO | DFI_SYS_ONSTACK;
    for (i = 0; i < DFI_OWM_SIGNALS; i++) dfi_sys_sigaction(dfi_owm_signal[i], &a, &dfi_owm_signal_before[i]);
}

#endif

/* The pages of a new allocation, [b, e), which are sealed if they can be. 0: no memory. */
static int dfi_owm_guard_new(unsigned allocation, uintptr_t b, uintptr_t e)
{
    size_t pages = (e - b) / dfi_os_page();
    struct dfi_owm_guard *g = (struct dfi_owm_guard *)dfi_malloc(sizeof *g + pages);
    if (!g) return 0;
    g->begin = b, g->end = e, g->seals = DFI_OS_FAULTS;
    g->flags = (unsigned char *)(g + 1);
    memset(g->flags, DFI_OS_FAULTS ? 0 : DFI_OWM_MIXED | DFI_OWM_STAYS, pages);
    if (!(g->twin = (unsigned char *)dfi_os_pages_new(e - b, 0))) {
        dfi_mfree(g);
        return 0;
    }
#if DFI_OS_FAULTS
    dfi_owm_catch_faults();
#endif
    dfi_owm_guards[allocation] = g;
    return 1;
}

static void dfi_owm_guard_free(unsigned allocation)
{
    struct dfi_owm_guard *g = dfi_owm_guards[allocation];
    if (!g) return;
    dfi_owm_guards[allocation] = NULL;
    dfi_os_pages_free((void *)g->twin, g->end - g->begin);
    dfi_mfree(g);
}

#else /* the rules for acquire and release are checked, but not what is written in between */

static void dfi_owm_guard_look(unsigned allocation, uintptr_t b, uintptr_t e, struct dfi_owm_notes *notes,
                               const struct dfi_owm_place *by)
{
    (void)allocation, (void)b, (void)e, (void)notes, (void)by;
}
static void dfi_owm_guard_open(unsigned allocation, uintptr_t b, uintptr_t e) { (void)allocation, (void)b, (void)e; }
static void dfi_owm_guard_close(unsigned allocation, uintptr_t b, uintptr_t e, struct dfi_owm_notes *notes,
                                const struct dfi_owm_place *by)
{
    (void)allocation, (void)b, (void)e, (void)notes, (void)by;
}
static void dfi_owm_guard_again(struct dfi_owm_frame *f) { (void)f; }
DFI_UNUSED static void dfi_owm_guard_write(unsigned allocation, uintptr_t b, uintptr_t e, const void *from)
{
    (void)allocation, memcpy((void *)b, from, e - b);
}
static int dfi_owm_guard_new(unsigned allocation, uintptr_t b, uintptr_t e)
{
    (void)allocation, (void)b, (void)e;
    return 1;
}
static void dfi_owm_guard_free(unsigned allocation) { (void)allocation; }

#endif

#endif

#endif
