/* held.h - the locks of df that a thread holds, and foreign code: functions of the program that df calls
 *
 * df holds no lock while foreign code runs (docs/internals/locks.md). The log function is the one that df may have to
 * call anywhere: lines of a thread that holds a lock are kept until it has unlocked the last one. */
#ifndef DFI_BASE_HELD_H
#define DFI_BASE_HELD_H

#include "atomic.h"
#include "compiler.h"

typedef void dfi_guest_fn(int begins);
struct dfi_line;
struct dfi_locks {
    int held;                      /* twice the number of locks that the thread holds; plus 1: lines are kept */
    int forks;                     /* handlers of fork that the thread has begun, and not ended */
    struct dfi_line *first, *last; /* the lines */
};
DFI_EXTERN_C_BEGIN
extern DFI_API DFI_TLS struct dfi_locks dfi_locks;
DFI_API DFI_TLS struct dfi_locks dfi_locks;
/* Called with 1 before foreign code that df calls in the middle of its own work, and with 0 after it; NULL: df.h is not
 * in use. Meanwhile the constructs of the thread are calls of functions, and do not start df (dfi_guest_is). */
extern DFI_API DFI_ATOMIC(dfi_guest_fn *) dfi_guest_hook;
DFI_API DFI_ATOMIC(dfi_guest_fn *) dfi_guest_hook;
DFI_EXTERN_C_END

DFI_UNUSED static DFI_COLD void dfi_guest(int begins)
{
    dfi_guest_fn *hook = dfi_load_acquire(&dfi_guest_hook); /* relaxed would do: it is a function */
    if (hook) hook(begins);
}

/* fork: shall a handler of df take its locks? Not if the calling thread holds one, because DF_MALLOC forks. */
DFI_UNUSED static int dfi_fork_begins(void)
{
    if (dfi_locks.held && !dfi_locks.forks) return 0;
    dfi_locks.forks++;
    return 1;
}
/* In the parent and in the child, once for each handler: did it take them? */
DFI_UNUSED static int dfi_fork_ends(void) { return dfi_locks.forks && dfi_locks.forks--; }

#endif
