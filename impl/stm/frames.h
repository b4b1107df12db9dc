/* frames.h - stack frames that have ended
 *
 * A block may have written, by df_tm_write, to a local variable of a function that has returned since, as in pop(&x).
 * The frames of df's own functions lie there when the write is stored, or undone. It is left out: nobody can read it.
 * libitm does the same. */
#ifndef DFI_STM_FRAMES_H
#define DFI_STM_FRAMES_H

#include "../base/compiler.h"

/* The frames of df that run now: `bytes` from `low` on. They begin at `end`, the end of the frame of a function of df
 * that was called from outside, or where the frame of a block's function ends. */
struct dfi_tm_frames { uintptr_t low, bytes; };
DFI_INLINE int dfi_tm_in_frames(const struct dfi_tm_frames *f, const void *p)
{
    return (uintptr_t)p - f->low < f->bytes;
}

/* FRAMES: of the function that asks: its frame, those of what it calls, and 128 bytes below, which the ABI of x86-64
 * allows. FEW_FRAMES: the same where these are few, for the fast path. Without optimisation the variables of all
 * functions in line have places of their own: 1360 bytes in dfi_tm_commit. */
#if defined(__OPTIMIZE__)
enum { DFI_TM_CALLEES = 1024 };
#else
enum { DFI_TM_CALLEES = 4096 };
#endif
#if DFI_GNU
#define DFI_TM_FRAMES(f, end) \
    ((f)->low = (uintptr_t)__builtin_frame_address(0) - DFI_TM_CALLEES, (f)->bytes = (uintptr_t)(end) - (f)->low)
#else
#define DFI_TM_FRAMES(f, end) ((f)->low = (f)->bytes = 0, (void)(end))
#endif
#if DFI_GNU && defined(__OPTIMIZE__)
#define DFI_TM_FEW_FRAMES(f, end) ((f)->low = (uintptr_t)(end) - DFI_TM_CALLEES, (f)->bytes = DFI_TM_CALLEES)
#else
#define DFI_TM_FEW_FRAMES(f, end) DFI_TM_FRAMES(f, end)
#endif

#endif
