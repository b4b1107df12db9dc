/* green.h - green threads: what DF_SERIAL has for threads, on stacks of their own that take turns in the only thread
 *
 * What the runtime starts as a thread is a stack of its own (os/fibre.h). One green thread runs until it waits for a
 * word to change (dfi_os_event_wait_us) or yields; then the next one whose wait is over continues. So words change only
 * in waits. If all wait, nothing inside the thread can end a wait. Unless an event from outside is expected, which this
 * file waits for, a wait with a time limit ends then, as if the time was over. The runtime limits each wait that may be
 * a deadlock, and looks for one when the time is over. Before these end the waits whose limits the program has set
 * (dfi_os_limit_begin), the shortest first, also while an event is expected. A build without an operating system has no
 * clock, so a millisecond passes with each execution of DF_IDLE, and if no event is expected, the time jumps to the end
 * of the shortest limit.
 * The ring of the green threads is walked at each change: there is one for each task that blocks.
 * A build without more/ starts no thread: nothing can end a wait there, and no stack is needed. */
#ifndef DFI_OS_GREEN_H
#define DFI_OS_GREEN_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../base/parts.h"
#include "../base/upcall.h"
#include "fibre.h"
#include "fibre_swap.h"
#include "system.h"

#if defined(DF_SERIAL)

#if DFI_WITH_MORE

/* A wait for an event from outside the thread executes this again and again. The program may define it: on a
 * microcontroller, to sleep until the next interrupt. */
#if !defined(DF_IDLE) && (defined(__unix__) || defined(__APPLE__))
#include <poll.h>
#define DF_IDLE() ((void)poll(NULL, 0, 1))
#elif !defined(DF_IDLE)
#define DF_IDLE() ((void)0)
#endif

/* The stack of a green thread: df.h promises 1 MiB to tasks that wait in their bodies. */
struct dfi_green {
    struct dfi_green *next;     /* in the ring of all */
    struct dfi_fibres *fibres;  /* of one */
    struct dfi_fibre *fibre;
    void *(*run)(void *arg);
    void *arg;
    const int *word;            /* it waits while *word == value; NULL: it does not wait */
    int value;
    int limited, late;          /* the wait has a time limit; it is over */
    struct dfi_os_limit *limit; /* the program has set the limit; or NULL */
    int over;                   /* its function has returned: the next one uses its stack */
    void *own[2];               /* the values of dfi_green_own while others run */
};

static DFI_TLS struct dfi_fibres dfi_green_bottom; /* the stack of the thread itself */
static DFI_TLS struct dfi_green dfi_green_first, *dfi_green_now;
static DFI_TLS void *dfi_green_own[2]; /* addresses of pointers of which each green thread has its own value */

/* Looks for events from outside the thread. 1: there was one, 0: none is expected, -1: one is expected. */
DFI_UPCALL(int, dfi_up_outside, (void));

/* Changes stacks. Called through a variable: an optimiser that saw the function would conclude that it leaves the
 * static variables of this file as they are (gcc 12 at -O1: ipa-reference). */
static void (*volatile dfi_green_jump)(struct dfi_fibre *from, struct dfi_fibre *to, int last) = dfi_fibre_jump;

static struct dfi_green *dfi_green_me(void)
{
    if (!dfi_green_now) {
        dfi_green_now = dfi_green_first.next = &dfi_green_first;
        dfi_green_first.fibre = &dfi_green_bottom.main;
        dfi_green_bottom.main.of = &dfi_green_bottom;
        dfi_green_bottom.ordered = 1;
#if DFI_FIBRE_HAND
        dfi_green_bottom.by_hand = !DFI_FIBRE_SHADOW || !dfi_fibre_shadow_stack();
#if DFI_TSAN
        dfi_green_bottom.main.tsan = __tsan_get_current_fiber();
#endif
#endif
    }
    return dfi_green_now;
}

/* Makes *p, a pointer, a variable of each green thread. */
DFI_UNUSED static void dfi_os_own(void *p)
{
    int i = 0;
    while (dfi_green_own[i] && dfi_green_own[i] != p) i++;
    dfi_green_own[i] = p;
}

static void dfi_green_copy(struct dfi_green *g, int back)
{
    int i;
    for (i = 0; i < 2; i++) {
        if (!dfi_green_own[i]) continue;
        if (back) memcpy(dfi_green_own[i], &g->own[i], sizeof g->own[i]);
        else memcpy(&g->own[i], dfi_green_own[i], sizeof g->own[i]);
    }
}

/* Time passes for the waits with limits of the program. */
static void dfi_green_passes(struct dfi_green *me, unsigned ms)
{
    struct dfi_green *g = me;
    do {
        if (g->limit) g->limit->left -= ms < g->limit->left ? ms : g->limit->left;
        g = g->next;
    } while (g != me);
}

/* The green thread that continues when `me` waits or yields. */
static struct dfi_green *dfi_green_choose(struct dfi_green *me)
{
    for (;;) {
        struct dfi_green *g = me, *late = NULL, *soon = NULL;
        int outside;
        do {
            g = g->next;
            if (g->over) continue;
            if (!g->word || *g->word != g->value) return g;
            if (!late || (g->limited && !late->limited)) late = g;
            if (g->limit && (!soon || g->limit->left < soon->limit->left)) soon = g;
        } while (g != me);
        outside = dfi_up_outside ? dfi_up_outside() : 0;
        if (outside < 0) DF_IDLE();
        if (outside > 0 || (outside < 0 && !soon)) continue;
        if (soon) {
            dfi_green_passes(me, outside ? 1 : soon->limit->left);
            if (soon->limit->left) continue;
            late = soon;
        }
        late->late = 1;
        return late;
    }
}

static void dfi_green_switch(struct dfi_green *me)
{
    struct dfi_green *to = dfi_green_choose(me);
    if (to == me) return;
    dfi_green_copy(me, 0);
    dfi_green_copy(to, 1);
    dfi_green_now = to;
    dfi_green_jump(me->fibre, to->fibre, 0);
}

/* The bottom function of a stack: runs one green thread after another. i: 0, always; os/fibre.h counts work-items */
static void dfi_green_body(void *arg, int i)
{
    struct dfi_green *g = (struct dfi_green *)arg;
    while (i == 0) {
        g->run(g->arg);
        g->over = 1;
        dfi_green_switch(g);
    }
}

/* --- threads ------------------------------------------------------------------------------------ */

/* The identity of the running thread: an address that only it has. */
DFI_UNUSED static void *dfi_os_self(void) { return (void *)dfi_green_me(); }

DFI_SMALL_CODE_BEGIN
/* It runs when the others wait. -1: there is no memory, or no way to have a stack. */
DFI_UNUSED static int dfi_os_thread_start(struct dfi_os_thread *t, void *(*fn)(void *), void *arg, size_t stack_bytes)
{
    struct dfi_green *me = dfi_green_me(), *g = me->next;
    (void)stack_bytes;
    while (!g->over && g != me) g = g->next;
    if (!g->over) {
        if (!dfi_fibres_possible() || !(g = (struct dfi_green *)dfi_malloc(sizeof *g))) return -1;
        memset((void *)g, 0, sizeof *g);
        if (!(g->fibres = dfi_fibres_new(1))) {
            dfi_mfree((void *)g);
            return -1;
        }
        g->fibre = &g->fibres->fibre[0];
        g->fibres->ordered = 1;
        g->fibres->run = dfi_green_body, g->fibres->arg = g;
        g->next = me->next, me->next = g;
    }
    g->run = fn, g->arg = arg;
    g->own[0] = g->own[1] = NULL;
    g->over = 0;
    t->green = g;
    return 0;
}
DFI_SMALL_CODE_END
DFI_UNUSED static void dfi_os_yield(void) { dfi_green_switch(dfi_green_me()); }
DFI_UNUSED static void dfi_os_sleep_us(unsigned us) { (void)us, dfi_os_yield(); }
DFI_UNUSED static void dfi_os_sleep_ms(void) { dfi_os_yield(); }

/* --- waits --------------------------------------------------------------------------------------- */

/* Nonzero also if nothing can end the wait. */
DFI_UNUSED static int dfi_os_event_wait_us(struct dfi_os_event *e, DFI_ATOMIC(int) *word, int value, long us)
{
    struct dfi_green *me = dfi_green_me();
    (void)e;
    me->word = word, me->value = value;
    me->limited = us != 0, me->late = 0;
    while (*word == value && !me->late) dfi_green_switch(me);
    me->word = NULL, me->limit = NULL;
    return me->late;
}

/* At least 1: 0 would end the wait before it looks for an event. */
DFI_UNUSED static void dfi_os_limit_begin(struct dfi_os_limit *l, int ms) { l->left = (unsigned)ms + 1; }
DFI_UNUSED static void dfi_os_limit_next(struct dfi_os_limit *l) { dfi_green_me()->limit = l; }

#else

static DFI_TLS char dfi_green_first;

DFI_UNUSED static void *dfi_os_self(void) { return (void *)&dfi_green_first; }
DFI_UNUSED static void dfi_os_own(void *p) { (void)p; }
DFI_UNUSED static int dfi_os_thread_start(struct dfi_os_thread *t, void *(*fn)(void *), void *arg, size_t stack_bytes)
{
    (void)t, (void)fn, (void)arg, (void)stack_bytes;
    return -1;
}
DFI_UNUSED static void dfi_os_yield(void) {}
DFI_UNUSED static void dfi_os_sleep_ms(void) {}
DFI_UNUSED static int dfi_os_event_wait_us(struct dfi_os_event *e, DFI_ATOMIC(int) *word, int value, long us)
{
    (void)e, (void)us;
    return *word == value;
}
DFI_UNUSED static void dfi_os_limit_begin(struct dfi_os_limit *l, int ms) { (void)l, (void)ms; }
DFI_UNUSED static void dfi_os_limit_next(struct dfi_os_limit *l) { (void)l; }

#endif
#endif

#endif
