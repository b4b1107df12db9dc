/* may_block.h - whether a program contains calls that may block a task, known before main
 *
 * A worker that is alone runs a submitted task at once, inside df_submit. A task that blocked there would wait for code that lies
 * below it on the same stack. So a program in which tasks may block queues its tasks, as several workers do (flow/submit.h), and all
 * other programs pay nothing. The programmer has nothing to say: each call that may block adds an entry to the table of functions that
 * the system calls before main, or when it loads a library. It costs no instruction where it stands.
 *
 * Compilers and systems without such a table, and calls through a pointer, tell when the first such call is reached. The implementation
 * then takes it that tasks may block, from the beginning. */
#ifndef DFI_API_MAY_BLOCK_H
#define DFI_API_MAY_BLOCK_H

#include "../base/compiler.h"

/* Is there such a table? May be set to 0 in all files, to try the other way. */
#ifndef DFI_BLOCKING_TABLE
#if DFI_GNU && defined(__ELF__) && !defined(__TINYC__) && (defined(__linux__) || defined(__FreeBSD__))
#define DFI_BLOCKING_TABLE 1
#else
#define DFI_BLOCKING_TABLE 0
#endif
#endif

/* The optimiser of a whole program does not see the entries of the table. */
#if DFI_BLOCKING_TABLE && defined(__clang__)
#define DFI_IN_TABLE __attribute__((used))
#elif DFI_BLOCKING_TABLE
#define DFI_IN_TABLE __attribute__((used, externally_visible))
#else
#define DFI_IN_TABLE
#endif

#if defined(DF_SERIAL) && !DFI_BLOCKING_TABLE
#define DFI_MAY_BLOCK(call) (call)
#else
#define DFI_MAY_BLOCK(call) ((void)dfi_may_block_here(), (call))
DFI_EXTERN_C_BEGIN
DFI_API void dfi_may_block_linked(void); /* the program may block from now on */
DFI_EXTERN_C_END

DFI_INLINE void dfi_may_block_here(void)
{
#if !DFI_BLOCKING_TABLE
    dfi_may_block_linked();
#elif __SIZEOF_POINTER__ == 8
    __asm__ __volatile__(".weak dfi_may_block_linked\n\t.pushsection .init_array,\"aw\"\n\t.balign 8\n\t"
                         ".8byte dfi_may_block_linked\n\t.popsection");
#else
    __asm__ __volatile__(".weak dfi_may_block_linked\n\t.pushsection .init_array,\"aw\"\n\t.balign 4\n\t"
                         ".4byte dfi_may_block_linked\n\t.popsection");
#endif
}
#endif

#endif
