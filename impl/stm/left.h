/* left.h - blocks left by longjmp, an exception or the end of the thread; blocks in signal handlers
 *
 * Used by the serial and the parallel implementation, each with its own struct dfi_tm. Argument: docs/internals/stm.md,
 * "Blocks that are left". */
#ifndef DFI_STM_LEFT_H
#define DFI_STM_LEFT_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/system.h"
#include "../api/stm_frame.h"
#include "../api/stm_core.h"
#if defined(DF_SERIAL)
#include "serial_state.h"
#include "serial_undo.h"
#else
#include "block.h"
#include "commit.h"
#include "state.h"
#endif

#define DFI_MESSAGE_TM_THREAD_END \
    "%s: a thread ends inside of the atomic block that begins here: the block is rolled back; leave it before the " \
    "thread ends"

#if DFI_GNU && (defined(__GLIBC__) || defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || \
                  defined(__OpenBSD__))
#include <errno.h>
#include <unistd.h>
#include <unwind.h>

#define DFI_TM_UNWINDER 1
#else
#define DFI_TM_UNWINDER 0
#endif

DFI_SMALL_CODE_BEGIN
/* --- unwinding of the calling function -------------------------------------------------------------- */

struct dfi_tm_cxx { void *caught; unsigned uncaught; }; /* the beginning of __cxa_eh_globals in the Itanium C++ ABI */
static const unsigned dfi_tm_none = 0;

#if DFI_GNU && defined(__ELF__)
DFI_EXTERN_C_BEGIN
extern struct dfi_tm_cxx *dfi_sys_cxa_get_globals(void) __asm__("__cxa_get_globals") __attribute__((weak));
DFI_EXTERN_C_END
/* The number of C++ exceptions in flight in this thread. */
static const unsigned *dfi_tm_uncaught(void)
{
    return dfi_sys_cxa_get_globals ? &dfi_sys_cxa_get_globals()->uncaught : &dfi_tm_none;
}
#else
static const unsigned *dfi_tm_uncaught(void) { return &dfi_tm_none; }
#endif

/* --- a block was left -------------------------------------------------------------------------------- */

/* Rolls back the effects since the last block nested in b began. pre: b is open, and not t->inner */
static void dfi_tm_leave_inner(struct dfi_tm *t, struct dfi_tm_block *b)
{
    t->inner = b;
    if (!t->direct) dfi_tm_roll_back_inner(t, b);
}

/* Only `live` and the blocks around it are still open; NULL: none is. */
static void dfi_tm_was_abandoned(struct dfi_tm *t, struct dfi_tm_block *live)
{
    if (t->direct)
        dfi_error("%s: the atomic block that begins here was left by longjmp or an exception after df_irrevocable: "
                  "the block ends there, and its writes stay; leave it by return or goto", dfi_tm_place(t));
    else
        dfi_error("%s: the atomic block that begins here, or a block inside of it, was left by longjmp, by an "
                  "exception through code compiled without exceptions, or without df_tm_end: that block is rolled "
                  "back; leave it by return, goto or df_abort, and end by df_tm_end what df_tm_begin began",
                  dfi_tm_place(t));
    if (live) dfi_tm_leave_inner(t, live);
    else dfi_tm_give_up(t);
}

/* The return address of the function whose stack frame ends at `where`; NULL on processors that keep it in no fixed
 * place. */
DFI_INLINE const void *dfi_tm_return_of(const void *where)
{
#if DFI_GNU && (defined(__x86_64__) || defined(__i386__))
    return ((const void *const *)where)[-1];
#else
    (void)where;
    return NULL;
#endif
}

/* --- a block nested in one of another function -------------------------------------------------------- */

enum { DFI_TM_UNKNOWN, DFI_TM_CALLED_FROM, DFI_TM_INTERRUPTS, DFI_TM_GONE };

#if DFI_TM_UNWINDER
struct dfi_tm_walk { uintptr_t at, frame; const void *from, *where; int steps, interrupts, how, exact; };

static _Unwind_Reason_Code dfi_tm_walk_frame(struct _Unwind_Context *c, void *p)
{
    struct dfi_tm_walk *w = (struct dfi_tm_walk *)p;
    uintptr_t frame = (uintptr_t)_Unwind_GetCFA(c); /* the beginning of this frame, and the end of the previous one */
    int interrupted = 0;
    if (w->frame && w->frame <= w->at && w->at < frame) {
        if (w->interrupts) w->how = DFI_TM_INTERRUPTS;
        else w->how = w->exact && (const void *)_Unwind_GetIP(c) != w->from ? DFI_TM_GONE : DFI_TM_CALLED_FROM;
        return _URC_END_OF_STACK;
    }
    if (frame == (uintptr_t)w->where)
        w->exact = w->from && (const void *)_Unwind_GetIP(c) == dfi_tm_return_of(w->where);
    (void)_Unwind_GetIPInfo(c, &interrupted);
    w->interrupts |= interrupted;
    w->frame = frame;
    return ++w->steps < 100000 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* The relation between the function with b and the one whose frame ends at `where`: the first called the second; or
 * the second, or a caller of it, interrupted the first; or the frame of the first is gone, and b lies in another
 * one. (The last only if the return address found for the second frame is the one the unwinder uses.) Costs about
 * 0.3 us a frame. */
static DFI_COLD DFI_TM_ANY_FRAME int dfi_tm_how_called(const struct dfi_tm_block *b, const void *where)
{
    struct dfi_tm_walk w = { 0, 0, NULL, NULL, 0, 0, DFI_TM_UNKNOWN, 0 };
    w.at = (uintptr_t)b, w.from = b->from, w.where = where;
    (void)_Unwind_Backtrace(dfi_tm_walk_frame, &w);
    return w.how;
}

#define DFI_MESSAGE_TM_SIGNAL                                                                                     \
    "%s: an atomic block in a signal handler that interrupts an atomic block: it is not executed; set a flag in " \
    "the handler, and run the block outside of it"

/* Reports to stderr, not to df_config.log: a signal handler may call little more than write(). */
static void dfi_tm_refuse(const char *site)
{
    static const char format[] = "df: " DFI_MESSAGE_TM_SIGNAL "\n", *const what = format + sizeof "df: %s" - 1;
    char text[400] = "df: ";
    size_t bytes = strlen(what), n = strlen(site);
    int saved = errno;
    if (n > sizeof text - 4 - bytes) n = sizeof text - 4 - bytes;
    memcpy(text + 4, site, n);
    memcpy(text + 4 + n, what, bytes);
    (void)!write(2, text, 4 + n + bytes);
    errno = saved;
}
#else
static int dfi_tm_how_called(const struct dfi_tm_block *b, const void *where)
{
    return b && where ? DFI_TM_CALLED_FROM : DFI_TM_UNKNOWN;
}
static void dfi_tm_refuse(const char *site) { (void)site; }
#endif

/* The innermost block that is still open, seen from a function whose frame ends at `where`, or NULL. It lies in a
 * frame further out, at a higher address: stacks grow downwards. */
static DFI_COLD DFI_TM_ANY_FRAME struct dfi_tm_block *dfi_tm_still_open(struct dfi_tm *t, const void *where)
{
    struct dfi_tm_block *volatile b = t->outermost, *volatile live = NULL;
    while ((uintptr_t)b >= (uintptr_t)where && b->outer == live && b->open == 1 &&
           dfi_tm_how_called(b, where) != DFI_TM_GONE) {
        live = b;
        if (b == t->inner) break;
        b = b->inner;
    }
    return live;
}

/* The call path from a block to one in a called function, as a hash of the call that begins the second block and the
 * distance between the frames. Paths that were found to be calls are kept in `known`. In a signal handler the
 * distance is larger, by the registers that the kernel saves. */
DFI_INLINE uintptr_t dfi_tm_way(const struct dfi_tm *t, uintptr_t caller, const void *where)
{
    return caller + ((uintptr_t)t->inner - (uintptr_t)where) * 0x2545F491u;
}
DFI_INLINE uintptr_t *dfi_tm_known(struct dfi_tm *t, uintptr_t way)
{
    return &t->known[(way >> 3) % DFI_TM_PREDICTIONS];
}

/* Nonzero: b looks like an open block of t. If its frame is gone, some of its many words have most likely been
 * overwritten since. */
DFI_INLINE int dfi_tm_looks_open(const struct dfi_tm *t, const struct dfi_tm_block *b)
{
    return b->open == 1 && (b->outer ? b->of == t : b == t->outermost);
}

/* Nonzero: it is clear that t->inner is open, and that a block which begins at `caller` is nested in it. */
DFI_INLINE int dfi_tm_nests(struct dfi_tm *t, uintptr_t caller, int kind, const void *where)
{
    const struct dfi_tm_block *in = t->inner;
    uintptr_t way = dfi_tm_way(t, caller, where);
    if (kind & DFI_TM_INSIDE) return in == where;
    return (uintptr_t)in >= (uintptr_t)where && *dfi_tm_known(t, way) == way && dfi_tm_looks_open(t, in);
}

/* Nonzero: t->inner was begun by df_tm_begin in the function that begins b, and is still open. */
static DFI_TM_ANY_FRAME int dfi_tm_in_pair(const struct dfi_tm *t, const struct dfi_tm_block *b, int kind,
                                           const void *where)
{
    const struct dfi_tm_block *in = t->inner;
    return in != b && in->kind & DFI_TM_PAIR && dfi_tm_looks_open(t, in) &&
           (kind & DFI_TM_INSIDE ? (uintptr_t)in->frame > (uintptr_t)where : in->frame == where);
}

/* Finds the block that b, a new one, is nested in, and rolls back those that were left: 0; or -1 in a signal handler
 * that interrupts a block. pre: dfi_tm_nests() is 0. where: see api/stm_frame.h */
static DFI_COLD DFI_TM_ANY_FRAME int dfi_tm_settle(struct dfi_tm *t, const struct dfi_tm_block *b, const char *site,
                                                   uintptr_t caller, int kind, const void *where)
{
    struct dfi_tm_block *in = t->inner, *live;
    if (dfi_tm_in_pair(t, b, kind, where)) live = in;
    else if (kind & DFI_TM_INSIDE) live = (struct dfi_tm_block *)(uintptr_t)where;
    else if (!where) live = in;
    else if ((uintptr_t)in < (uintptr_t)where && (uintptr_t)in > (uintptr_t)&live)
        /* of this function, and not around the new block */
        live = dfi_tm_still_open(t, where);
    else {
        uintptr_t way = dfi_tm_way(t, caller, where);
        int how = *dfi_tm_known(t, way) == way ? DFI_TM_CALLED_FROM : dfi_tm_how_called(in, where);
        /* in the frames of df, where that of a function was which has returned: the callers' lie at higher addresses */
        int ended = (uintptr_t)in < (uintptr_t)where && dfi_os_on_stack(in, where) > 0;
        if (how == DFI_TM_INTERRUPTS) {
            dfi_tm_refuse(site);
            return -1;
        }
        if (how == DFI_TM_CALLED_FROM && !ended) *dfi_tm_known(t, way) = way;
        if (ended) live = dfi_tm_still_open(t, where);
        else if (how == DFI_TM_CALLED_FROM && dfi_tm_looks_open(t, in)) live = in;
        else if (how == DFI_TM_UNKNOWN && !dfi_os_on_stack(in, where)) live = in;
        else live = dfi_tm_still_open(t, where);
    }
    if (live != in) dfi_tm_was_abandoned(t, live);
    return 0;
}

/* Refuses to run the block b. site: not NULL if that is not reported yet */
static struct dfi_tm_block *dfi_tm_not_now(struct dfi_tm_block *b, const char *site)
{
    if (site) dfi_tm_refuse(site);
    b->open = b->left = 0;
    return b;
}

/* Opens b, nested in t->inner. */
DFI_INLINE struct dfi_tm_block *dfi_tm_nest(struct dfi_tm *t, struct dfi_tm_block *b, const void *where)
{
    struct dfi_tm_block *outer = t->inner;
    dfi_tm_note_lengths(t, outer);
    outer->inner = b;
    b->outer = outer, b->of = t, b->from = b->kind & DFI_TM_INSIDE ? outer->from : dfi_tm_return_of(where);
    return t->inner = b;
}

/* --- end of scope of a block's variable while the block is open ------------------------------------------ */

DFI_EXTERN_C_BEGIN
DFI_API int dfi_tm_leave(struct dfi_tm_block *b, int thrown)
{
    struct dfi_tm *t = dfi_tm_here();
    unsigned uncaught = *dfi_tm_uncaught();
    int exits = 0;
    if (uncaught < (unsigned)thrown) uncaught = (unsigned)thrown;
    if (uncaught <= b->thrown && !(exits = dfi_os_thread_exits())) return 1;
    b->open = 0;
    if (!t->inner) return 0;
    if (exits && !b->outer) dfi_error(DFI_MESSAGE_TM_THREAD_END, dfi_tm_place(t));
    if (b->outer) dfi_tm_leave_inner(t, b->outer);
    else {
        dfi_tm_give_up(t);
        dfi_tm_spare_back(dfi_tm_here());
    }
    return 0;
}
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
