/* stm_frame.h - record of a block, in the stack frame of its function */
#ifndef DFI_API_STM_FRAME_H
#define DFI_API_STM_FRAME_H

#include "../base/compiler.h"
#include "stm_checkpoint.h"

#if defined(__cplusplus) && defined(__EXCEPTIONS)
#include <exception>
#endif

/* Nested, with partial abort; does not wait until memory that it made private is; by df_atomically; nested in
 * another block of the same function; by df_tm_begin. */
enum { DFI_TM_CLOSED = 1, DFI_TM_UNWAITED = 2, DFI_TM_CALLED = 4, DFI_TM_INSIDE = 8, DFI_TM_PAIR = 16 };

struct dfi_tm;
typedef void dfi_tm_jump_fn(void *jump); /* to a checkpoint; does not return */

/* One DF_ATOMIC. */
struct dfi_tm_block {
    struct dfi_tm_block *outer, *inner; /* inner: once a block began inside of it, the last one that did */
    const struct dfi_tm *of;           /* the thread */
    const void *from;                  /* return address of its function, if that is easily known */
    dfi_tm_jump_fn *to_jump;
    /* the next four are set by one store when it begins */
    unsigned char open, left;          /* it has not ended; df_abort was called */
    unsigned short ran;                /* the alternative exists */
    unsigned alternative;              /* the one to run: 0 the first */
    unsigned kind;                     /* DFI_TM_CLOSED, DFI_TM_UNWAITED */
    unsigned looked;                   /* DF_OR_ELSE passed so far in this attempt, if it is not the first */
    unsigned thrown;                   /* C++ exceptions in flight when it began; in code compiled with exceptions */
    const void *frame;                 /* of df_tm_begin: where the frame of its function ends */
    size_t reads, writes, undo, events; /* lengths of the logs when `inner` began, whose frame may be gone */
#if defined(DF_SERIAL)
    const void *bottom;                /* of the frame of its function */
#endif
    dfi_checkpoint jump;
};

DFI_EXTERN_C_BEGIN
DFI_API struct dfi_tm_block *dfi_tm_enter(struct dfi_tm_block *b, const char *site, int kind, dfi_tm_jump_fn *to_jump,
                                          const void *where);
#if defined(DF_SERIAL)
DFI_API struct dfi_tm_block *dfi_tm_enter_unwound(struct dfi_tm_block *b, const char *site, int kind,
                                                  dfi_tm_jump_fn *to_jump, const void *where);
#endif
DFI_API int dfi_tm_leave(struct dfi_tm_block *b, int thrown); /* nonzero: it ends as it would without an exception */
DFI_API int dfi_tm_was_left(struct dfi_tm_block *b);
DFI_API struct dfi_tm_block *dfi_tm_inner(void);
DFI_API int dfi_tm_runs(void); /* at the checkpoint of df_tm_begin: nonzero: the block is to be run */
DFI_API void dfi_tm_broke(struct dfi_tm_block *b, const char *site);
DFI_API void dfi_tm_end(struct dfi_tm_block *b);
DFI_API int dfi_tm_or_else(void);
DFI_API void dfi_tm_put(volatile void *p, uint64_t bits, size_t bytes);
DFI_EXTERN_C_END

/* At the checkpoint: is the block to be run? */
DFI_INLINE int dfi_tm_go(struct dfi_tm_block *b) { return DFI_LIKELY(!b->left) || dfi_tm_was_left(b); }

/* For df_tm_begin. Nonzero: the block is open. */
DFI_INLINE int dfi_tm_enter_pair(struct dfi_tm_block *b, const char *site, int kind, dfi_tm_jump_fn *to_jump,
                                 const void *where, const void *frame)
{
    b = dfi_tm_enter(b, site, kind | DFI_TM_PAIR, to_jump, where);
    b->frame = frame;
    return b->open;
}

/* After the loop of a block: break has left it, if the block is open. */
DFI_INLINE void dfi_tm_after(struct dfi_tm_block *b, const char *site)
{
    if (DFI_UNLIKELY(b->open)) dfi_tm_broke(b, site);
}

/* Outside of blocks this name is a function, in a block it is a pointer to the block: so a block that is nested in
 * another one of the same function knows that. (A function, as -Wshadow does not mind a variable of its name.) */
DFI_INLINE void dfi_tm_around(void) { }

/* `where` of dfi_tm_enter: the block of the same function around this one, or else the end of the function's stack
 * frame. Neither gcc nor clang inlines a function with a checkpoint, so there is one function to a frame. */
#if DFI_GNU
#define DFI_TM_FRAME_END ((struct dfi_tm_block *)__builtin_dwarf_cfa())
#else
#define DFI_TM_FRAME_END ((struct dfi_tm_block *)0)
#endif
#if defined(__cplusplus)
DFI_INLINE struct dfi_tm_block *dfi_tm_where(struct dfi_tm_block *around, struct dfi_tm_block *) { return around; }
DFI_INLINE struct dfi_tm_block *dfi_tm_where(void (*)(void), struct dfi_tm_block *end) { return end; }
template <class dfi_t> struct dfi_tm_inside { enum { flags = 0 }; };
template <> struct dfi_tm_inside<struct dfi_tm_block *> { enum { flags = DFI_TM_INSIDE }; };
#define DFI_TM_WHERE       dfi_tm_where(dfi_tm_around, DFI_TM_FRAME_END)
#define DFI_TM_NESTED_HERE ((int)dfi_tm_inside<decltype(dfi_tm_around)>::flags)
#else
#define DFI_TM_WHERE       _Generic(dfi_tm_around, struct dfi_tm_block *: dfi_tm_around, default: DFI_TM_FRAME_END)
#define DFI_TM_NESTED_HERE _Generic(dfi_tm_around, struct dfi_tm_block *: DFI_TM_INSIDE, default: 0)
#endif

/* The block's variable goes out of scope: by return, break or goto, which end the block, or, in code that is
 * compiled with exceptions, as one of them, pthread_exit or a cancellation leaves the function, which rolls it back. */
DFI_INLINE void dfi_tm_close(struct dfi_tm_block *b)
{
    if (DFI_LIKELY(!b->open)) return;
#if !defined(__EXCEPTIONS)
    dfi_tm_end(b);
#elif !defined(__cplusplus)
    if (dfi_tm_leave(b, 0)) dfi_tm_end(b);
#elif __cplusplus >= 201703L
    if (dfi_tm_leave(b, std::uncaught_exceptions())) dfi_tm_end(b);
#else
    if (dfi_tm_leave(b, std::uncaught_exception())) dfi_tm_end(b);
#endif
}
#if DFI_GNU
#define DFI_TM_AT_END __attribute__((cleanup(dfi_tm_close)))
#else
#define DFI_TM_AT_END
#endif
#if defined(__EXCEPTIONS)
#define DFI_TM_ENTER dfi_tm_enter_unwound
#else
#define DFI_TM_ENTER dfi_tm_enter
#endif

DFI_INLINE int dfi_tm_first(const struct dfi_tm_block *b) { return !b->alternative; }

#if DFI_GNU /* it may read a frame that no longer exists; the value read there does not matter */
#define DFI_TM_ANY_FRAME __attribute__((noinline, no_sanitize_address))
#else
#define DFI_TM_ANY_FRAME
#endif

#endif
