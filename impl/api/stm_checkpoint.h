/* stm_checkpoint.h - checkpoint: the point in the user's function to which a block rolls back
 *
 * gcc's builtin saves three registers and costs 2 ns, the few instructions below the same, setjmp about 10. clang's
 * builtin (14) forgets that the flags of the processor are lost. Sanitizers follow only setjmp. */
#ifndef DFI_API_STM_CHECKPOINT_H
#define DFI_API_STM_CHECKPOINT_H

#include "../base/compiler.h"

#if defined(DF_STM_SETJMP) || DFI_SANITIZED
#define DFI_STANDARD_SETJMP
#endif

#if defined(__x86_64__) && defined(__ELF__) && DFI_GNU
#define DFI_TM_SAVE_REGISTERS
DFI_EXTERN_C_BEGIN
/* Saves the registers that a call preserves: rbx, rbp, r12 to r15, rsp, rip. Returns 0, and 1 after
 * dfi_tm_to_registers. */
int dfi_tm_save_registers(void **jump) __attribute__((returns_twice, weak, DFI_VISIBLE));
void dfi_tm_to_registers(void *jump) __attribute__((weak, DFI_VISIBLE));
DFI_EXTERN_C_END
#endif

#if !defined(DFI_STANDARD_SETJMP) && DFI_GNU && !defined(__clang__)
typedef void *dfi_checkpoint[5];
#define DFI_CHECKPOINT(c) __builtin_setjmp(c)
/* In the user's file, as the buffer is the compiler's own; not in the function with the checkpoint. */
DFI_UNUSED static DFI_OWN_FRAME void dfi_tm_jump(void *jump) { __builtin_longjmp((void **)jump, 1); }
#elif !defined(DFI_STANDARD_SETJMP) && defined(DFI_TM_SAVE_REGISTERS)
typedef void *dfi_checkpoint[8];
#define DFI_CHECKPOINT(c) dfi_tm_save_registers(c)
#define dfi_tm_jump dfi_tm_to_registers
#else
#include <setjmp.h>
typedef jmp_buf dfi_checkpoint;
#if defined(__APPLE__) /* where setjmp saves the signal mask */
#define DFI_CHECKPOINT(c) _setjmp(c)
DFI_UNUSED static DFI_OWN_FRAME void dfi_tm_jump(void *jump) { _longjmp(*(dfi_checkpoint *)jump, 1); }
#else
#define DFI_CHECKPOINT(c) setjmp(c)
DFI_UNUSED static DFI_NORETURN DFI_OWN_FRAME void dfi_tm_jump(void *jump) { longjmp(*(dfi_checkpoint *)jump, 1); }
#endif
#endif

#endif
