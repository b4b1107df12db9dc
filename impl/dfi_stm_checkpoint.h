/* dfi_stm_checkpoint.h - a point in the user's function to which a block can go back
 *
 * The builtins save three registers and cost 2 ns, setjmp about 10. Sanitizers follow only the function. */
#ifndef DFI_STM_CHECKPOINT_H
#define DFI_STM_CHECKPOINT_H

#if defined(__has_feature)
#define DFI_HAS_FEATURE(x) __has_feature(x)
#else
#define DFI_HAS_FEATURE(x) 0
#endif

#if !defined(DF_STM_SETJMP) && defined(__GNUC__) && (!defined(__clang__) || defined(__x86_64__) || defined(__i386__)) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !DFI_HAS_FEATURE(address_sanitizer) &&        \
    !DFI_HAS_FEATURE(thread_sanitizer) && !DFI_HAS_FEATURE(memory_sanitizer)
typedef void *dfi_checkpoint[5];
#define DFI_CHECKPOINT(c) __builtin_setjmp(c)
/* In the user's file, as the buffer is the compiler's own; not in the function with the checkpoint. */
DFI_UNUSED static DFI_NOINLINE void dfi_tm_jump(void *jump) { __builtin_longjmp((void **)jump, 1); }
#else
#include <setjmp.h>
typedef jmp_buf dfi_checkpoint;
#if defined(__APPLE__) /* where setjmp saves the signal mask */
#define DFI_CHECKPOINT(c) _setjmp(c)
DFI_UNUSED static DFI_NOINLINE void dfi_tm_jump(void *jump) { _longjmp(*(dfi_checkpoint *)jump, 1); }
#else
#define DFI_CHECKPOINT(c) setjmp(c)
DFI_UNUSED static DFI_NOINLINE void dfi_tm_jump(void *jump) { longjmp(*(dfi_checkpoint *)jump, 1); }
#endif
#endif

#endif
