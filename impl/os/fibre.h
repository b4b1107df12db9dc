/* fibre.h - fibres: execution contexts with stacks of their own that alternate in one thread
 *
 * Fibres run the work-items of a group on the host if the items wait at barriers, and bodies that pause under
 * DF_SERIAL. dfi_fibres_run begins item 0. When it waits (dfi_fibres_wait), item 1 begins, and so on. When all items
 * wait, item 0 continues. A barrier therefore costs one stack switch per item: about 9 ns on an AMD EPYC, of which 2
 * ns are for the floating-point modes. There are three ways to switch stacks (os/fibre_swap.h); df uses the first
 * that is available:
 *     assembler            x86-64, i386, aarch64, riscv64; the sanitizers are informed of each switch
 *     threads              other processors and compilers, and processors that guard return addresses with a shadow
 *                          stack: each item is a thread, woken when it is its turn
 *     <ucontext.h>         the same under DF_SERIAL, which has no threads
 * Only the atomics by which threads wake each other are shared between threads. */
#ifndef DFI_OS_FIBRE_H
#define DFI_OS_FIBRE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "fibre_swap.h"
#include "system.h"

/* --- switches by threads and <ucontext.h> --------------------------------------------------------------- */

#if DFI_FIBRE_THREADS
static void dfi_fibre_go(struct dfi_fibre *f)
{
    dfi_store_release(&f->go, 1); /* publishes all earlier writes; pairs with the acquire in dfi_os_event_wait */
    dfi_os_event_wake(&f->event);
}

static void dfi_fibre_sleep(struct dfi_fibre *f)
{
    dfi_os_event_wait(&f->event, &f->go, 0, 0);
    dfi_store_relaxed(&f->go, 0); /* only f waits for it, and it is not set before f has woken another fibre */
}
#endif

static DFI_FIBRE_QUIET void dfi_fibre_jump(struct dfi_fibre *from, struct dfi_fibre *to, int last)
{
#if DFI_FIBRE_HAND
    if (!DFI_FIBRE_SHADOW || from->of->by_hand) {
        dfi_fibre_jump_by_hand(from, to, last);
        return;
    }
#endif
    (void)last;
#if DFI_FIBRE_THREADS
    dfi_fibre_go(to);
    dfi_fibre_sleep(from);
    if (from->of->quit && from != &from->of->main) longjmp(from->begin, 1);
#elif DFI_FIBRE_UCONTEXT
    swapcontext(&from->context, &to->context);
#else
    (void)from, (void)to;
#endif
}

/* --- items ------------------------------------------------------------------------------------------ */

/* The fibre that runs next when the running one waits or ends. Items take turns in the order of their index. */
static DFI_FIBRE_QUIET struct dfi_fibre *dfi_fibres_next(struct dfi_fibres *s)
{
    if (++s->now == s->n) {
        if (!s->waiting) return &s->main;
        if (s->over) {
            s->end = DFI_FIBRES_SPLIT;
            return &s->main;
        }
        s->now = s->waiting = 0;
        s->round++;
    }
    return &s->fibre[s->now];
}

/* Has f stayed within its stack? */
static DFI_FIBRE_QUIET int dfi_fibre_sound(const struct dfi_fibre *f)
{
    uint32_t mark;
#if DFI_FIBRE_HAND
    if (f->of->by_hand && (uintptr_t)__builtin_frame_address(0) - (uintptr_t)f->stack > (uintptr_t)DFI_FIBRE_STRIDE)
        return 0;
#endif
    if (DFI_FIBRE_THREADS && !f->of->by_hand) return 1;
    mark = *(const volatile uint32_t *)(const void *)f->stack;
    return mark == (uint32_t)DFI_FIBRE_MARK;
}

/* A barrier of all items in the group. Called by an item. */
DFI_UNUSED static DFI_FIBRE_QUIET void dfi_fibres_wait(struct dfi_fibres *s)
{
    struct dfi_fibre *f = &s->fibre[s->now], *to = &s->main;
#if DFI_TSAN
    /* two barriers alternate, because one fibre may reach the next barrier before another has left this one */
    char *barrier = &s->barrier[s->round & 1];
    dfi_fibre_release(barrier);
#endif
    if (DFI_LIKELY(dfi_fibre_sound(f))) {
        s->waiting++;
        to = dfi_fibres_next(s);
    } else s->end = DFI_FIBRES_OVERFLOW;
    if (to != f) dfi_fibre_jump(f, to, 0);
#if DFI_TSAN
    dfi_fibre_acquire(barrier);
#endif
}

/* Abandons the group. Called by an item; does not return. */
DFI_UNUSED static DFI_NORETURN DFI_COLD DFI_FIBRE_QUIET void dfi_fibres_leave(struct dfi_fibres *s)
{
    s->end = DFI_FIBRES_LEFT;
    dfi_fibre_release(&s->done);
    for (;;) dfi_fibre_jump(&s->fibre[s->now], &s->main, 0);
}

/* The bottom frame of each stack: runs item f->i of one group after another. */
static DFI_FIBRE_QUIET void dfi_fibre_loop(struct dfi_fibre *f)
{
    struct dfi_fibres *s = f->of;
    struct dfi_fibre *to;
    while (!s->quit) {
        dfi_fibre_acquire(&s->begin);
        s->run(s->arg, f->i);
        dfi_fibre_release(&s->done);
        if (DFI_LIKELY(dfi_fibre_sound(f))) {
            s->over++;
            to = dfi_fibres_next(s);
        } else s->end = DFI_FIBRES_OVERFLOW, to = &s->main;
        if (to != f) dfi_fibre_jump(f, to, 0);
    }
    dfi_fibre_jump(f, &s->main, 1);
}

#if DFI_FIBRE_HAND
static DFI_FIBRE_ENTRY DFI_FIBRE_QUIET void dfi_fibre_entry(struct dfi_fibre *f)
{
    dfi_fibre_landed(f);
    dfi_fibre_loop(f);
}
#endif
#if DFI_FIBRE_THREADS
static void *dfi_fibre_thread(void *p)
{
    struct dfi_fibre *f = (struct dfi_fibre *)p;
    dfi_fibre_sleep(f);
    if (!f->of->quit && !setjmp(f->begin)) dfi_fibre_loop(f);
    return NULL;
}
#elif DFI_FIBRE_UCONTEXT
static void dfi_fibre_context(unsigned high, unsigned low)
{
    /* two shifts by 16, because a pointer may have 32 bits */
    dfi_fibre_loop((struct dfi_fibre *)((uintptr_t)high << 16 << 16 | (uintptr_t)low));
}
#endif

/* Runs run(arg, i) for i = 0 .. n-1, each as a fibre. pre: n <= s->most. */
DFI_UNUSED static enum dfi_fibres_end dfi_fibres_run(struct dfi_fibres *s, int n, void (*run)(void *arg, int i),
                                                     void *arg)
{
    s->n = n, s->now = 0, s->waiting = s->over = 0;
    s->run = run, s->arg = arg;
    s->end = DFI_FIBRES_DONE;
#if DFI_FIBRE_HAND
    if (s->by_hand) {
        uint64_t modes = dfi_fibre_modes();
        int i;
        for (i = 0; modes != s->modes && i < s->most; i++) memcpy(s->fibre[i].sp, &modes, sizeof modes);
        s->modes = modes;
#if DFI_TSAN
        s->main.tsan = __tsan_get_current_fiber();
#endif
    }
#endif
    dfi_fibre_release(&s->begin);
    dfi_fibre_jump(&s->main, &s->fibre[0], 0);
    dfi_fibre_acquire(&s->done);
#if DFI_TSAN
    dfi_fibre_acquire(&s->barrier[0]); /* fibres may still be in a barrier if the group was abandoned */
    dfi_fibre_acquire(&s->barrier[1]);
#endif
    return s->end;
}

/* --- creation and destruction --------------------------------------------------------------------- */

/* Are fibres available on this system? */
DFI_UNUSED static int dfi_fibres_possible(void)
{
#if DFI_FIBRE_HAND
    if (!DFI_FIBRE_SHADOW || !dfi_fibre_shadow_stack()) return 1;
#endif
    return DFI_FIBRE_THREADS || DFI_FIBRE_UCONTEXT;
}

DFI_UNUSED static void dfi_fibres_free(struct dfi_fibres *s)
{
    int i;
    s->quit = 1;
    for (i = 0; i < s->most; i++) {
        struct dfi_fibre *f = &s->fibre[i];
#if DFI_ASAN && DFI_FIBRE_HAND
        /* lets the fibre end, which frees its fake stack */
        if (s->by_hand && f->begun && s->end == DFI_FIBRES_DONE) dfi_fibre_jump(&s->main, f, 0);
#endif
#if DFI_TSAN && DFI_FIBRE_HAND
        if (s->by_hand) __tsan_destroy_fiber(f->tsan);
#endif
#if DFI_FIBRE_THREADS
        if (!s->by_hand) {
            dfi_fibre_go(f);
            dfi_os_thread_join(&f->thread);
        }
#endif
        (void)f;
    }
/* after all joins, because a thread may still be in dfi_os_event_wake for another fibre's event */
#if DFI_FIBRE_THREADS
    for (i = 0; i < s->most && !s->by_hand; i++) dfi_os_event_free(&s->fibre[i].event);
    if (!s->by_hand) dfi_os_event_free(&s->main.event);
#endif
    dfi_mfree(s->memory);
    dfi_mfree((void *)s->fibre);
    dfi_mfree((void *)s);
}

/* Prepares s->fibre[i]. 0, or -1 if no thread can be created for it. */
static int dfi_fibre_make(struct dfi_fibres *s, int i)
{
    struct dfi_fibre *f = &s->fibre[i];
    memset((void *)f, 0, sizeof *f);
    f->of = s, f->i = i;
    if (s->memory) {
        uint32_t mark = (uint32_t)DFI_FIBRE_MARK;
        f->stack = dfi_align(s->memory) + DFI_FIBRE_BELOW + (size_t)i * DFI_FIBRE_STRIDE;
        memcpy(f->stack, &mark, sizeof mark); /* adjacent to the upper end of another stack, which is in use */
    }
#if DFI_FIBRE_HAND
    if (s->by_hand) {
        f->sp = dfi_fibre_frame(f->stack + DFI_FIBRE_STRIDE, dfi_fibre_entry);
        memcpy(f->sp, &s->modes, sizeof s->modes);
#if DFI_ASAN
        f->bottom = f->stack, f->bytes = DFI_FIBRE_STRIDE;
#endif
#if DFI_TSAN
        f->tsan = __tsan_create_fiber(0);
#endif
        return 0;
    }
#endif
#if DFI_FIBRE_THREADS
    if (dfi_os_event_init(&f->event)) return -1;
    if (!dfi_os_thread_start(&f->thread, dfi_fibre_thread, f, DFI_FIBRE_STACK)) return 0;
    dfi_os_event_free(&f->event);
    return -1;
#elif DFI_FIBRE_UCONTEXT
    if (getcontext(&f->context)) return -1;
    f->context.uc_stack.ss_sp = f->stack, f->context.uc_stack.ss_size = DFI_FIBRE_STRIDE, f->context.uc_link = NULL;
    makecontext(&f->context, (void (*)(void))dfi_fibre_context, 2, (unsigned)((uintptr_t)f >> 16 >> 16),
                (unsigned)(uintptr_t)f);
    return 0;
#else
    return -1;
#endif
}

/* Creates n fibres, which one thread at a time may use. NULL: out of memory or threads. pre: dfi_fibres_possible(). */
DFI_UNUSED static struct dfi_fibres *dfi_fibres_new(int n)
{
    struct dfi_fibres *s = (struct dfi_fibres *)dfi_malloc(sizeof *s);
    int failed, stacks;
    if (!s) return NULL;
    memset((void *)s, 0, sizeof *s);
    s->main.of = s;
#if DFI_FIBRE_HAND
    s->by_hand = !DFI_FIBRE_SHADOW || !dfi_fibre_shadow_stack();
    s->modes = dfi_fibre_modes();
#endif
    stacks = s->by_hand || !DFI_FIBRE_THREADS;
    s->fibre = (struct dfi_fibre *)dfi_malloc((size_t)n * sizeof *s->fibre);
    if (stacks) s->memory = (char *)dfi_malloc(DFI_FIBRE_BELOW + (size_t)n * DFI_FIBRE_STRIDE + 64);
    failed = !s->fibre || (stacks && !s->memory);
#if DFI_FIBRE_THREADS
    if (!failed && !s->by_hand && dfi_os_event_init(&s->main.event)) failed = 1;
#endif
    if (failed) {
        dfi_mfree(s->memory);
        dfi_mfree((void *)s->fibre);
        dfi_mfree((void *)s);
        return NULL;
    }
    while (s->most < n && !dfi_fibre_make(s, s->most)) s->most++;
    if (s->most == n) return s;
    dfi_fibres_free(s);
    return NULL;
}

/* May the fibres be cached for other kernels? Fibres that are threads are not. */
DFI_UNUSED static int dfi_fibres_worth_keeping(const struct dfi_fibres *s) { return s->by_hand; }

#endif
