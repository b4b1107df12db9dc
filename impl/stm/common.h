/* common.h - functions of df_stm.h that are the same in the serial and the parallel implementation */
#ifndef DFI_STM_COMMON_H
#define DFI_STM_COMMON_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../api/result.h"
#include "../api/stm_checkpoint.h"
#include "../api/stm_frame.h"
#include "events.h"
#include "../api/stm_core.h"
#if defined(DF_SERIAL)
#include "../serial/stm.h"
#include "../serial/stm_impl.h"
#include "../serial/stm_undo.h"
#else
#include "api.h"
#include "commit.h"
#include "copied.h"
#include "state.h"
#endif

static df_result dfi_tm_on(int kind, void (*fn)(void *), void *arg, const char *name)
{
    struct dfi_tm *t = dfi_tm_here();
    if (!t->inner) {
        dfi_error(DFI_MESSAGE_TM_OUTSIDE, "df_stm", name);
        return DF_ERROR_MEMORY;
    }
    return dfi_tm_add_event(t, kind, fn, arg) ? DF_ERROR_MEMORY : DF_OK;
}

DFI_EXTERN_C_BEGIN
#if defined(DFI_TM_SAVE_REGISTERS)
__attribute__((naked, noinline, weak, visibility("default"), returns_twice)) int dfi_tm_save_registers(void **jump __attribute__((unused)))
{
    __asm__("movq %rbx, (%rdi)\nmovq %rbp, 8(%rdi)\nmovq %r12, 16(%rdi)\nmovq %r13, 24(%rdi)\n"
            "movq %r14, 32(%rdi)\nmovq %r15, 40(%rdi)\nleaq 8(%rsp), %rdx\nmovq %rdx, 48(%rdi)\n"
            "movq (%rsp), %rdx\nmovq %rdx, 56(%rdi)\nxorl %eax, %eax\nret");
}
__attribute__((naked, noinline, weak, visibility("default"))) void dfi_tm_to_registers(void *jump __attribute__((unused)))
{
    __asm__("movq (%rdi), %rbx\nmovq 8(%rdi), %rbp\nmovq 16(%rdi), %r12\nmovq 24(%rdi), %r13\n"
            "movq 32(%rdi), %r14\nmovq 40(%rdi), %r15\nmovq 48(%rdi), %rsp\nmovl $1, %eax\njmpq *56(%rdi)");
}
#endif
DFI_API char DFI_STM_NEED[1] = { 0 };

DFI_API df_result df_tm_on_commit(void (*fn)(void *arg), void *arg) { return dfi_tm_on(DFI_TM_AT_COMMIT, fn, arg, "df_tm_on_commit"); }
DFI_API df_result df_tm_on_abort(void (*fn)(void *arg), void *arg) { return dfi_tm_on(DFI_TM_AT_ABORT, fn, arg, "df_tm_on_abort"); }

DFI_API void *df_tm_calloc(size_t n, size_t bytes)
{
    void *p = bytes && n > SIZE_MAX / bytes ? NULL : df_tm_malloc(n * bytes);
    return p ? memset(p, 0, n * bytes) : NULL;
}

DFI_API void df_tm_copy(volatile void *to, const volatile void *from, size_t bytes)
{
    unsigned char part[256];
    int back = (uintptr_t)to - (uintptr_t)from < bytes; /* they overlap, and the end must be copied first */
    DFI_TM_NOTE_COPY(to, bytes);
    while (bytes) {
        size_t n = bytes < sizeof part ? bytes : sizeof part, at = back ? bytes - n : 0;
        df_tm_read_bytes(part, (const volatile char *)from + at, n);
        df_tm_write_bytes((volatile char *)to + at, part, n);
        if (!back) to = (volatile char *)to + n, from = (const volatile char *)from + n;
        bytes -= n;
    }
}

DFI_API df_result dfi_tm_atomically(void (*fn)(void *arg), void *arg, const char *site, int kind)
{
    struct dfi_tm_block b DFI_TM_AT_END, *p = DFI_TM_ENTER(&b, site, kind | DFI_TM_CALLED, dfi_tm_jump, DFI_TM_FRAME_END);
    if (!p->open) return DF_ERROR_ABORTED;
    (void)DFI_CHECKPOINT(p->jump);
    if (!dfi_tm_go(p)) return DF_ERROR_ABORTED;
    if (!p->alternative) fn(arg);
    dfi_tm_end(p);
    return DF_OK;
}
DFI_EXTERN_C_END

#endif
