/* may_block.h - detection, before main, of calls that may block a task
 *
 * A single worker runs a submitted task immediately, inside df_submit. A task that blocked there would wait for code
 * below it on the same stack. So a program in which tasks may block queues its tasks, as several workers do
 * (flow/submit.h), and all other programs pay nothing. The programmer declares nothing: each call that may block adds
 * an entry to the table of functions that the system calls before main, or when it loads a library. The entry costs no
 * instruction at the call.
 *
 * Where compiler or system has no such table, and for calls through a pointer, the first such call announces itself
 * when it runs. An implementation without a table therefore assumes from the beginning that tasks may block. */
#ifndef DFI_API_MAY_BLOCK_H
#define DFI_API_MAY_BLOCK_H

#include "../base/compiler.h"

/* 1: there is such a table. May be defined as 0 in all files, to test the variant without it. */
#ifndef DFI_BLOCKING_TABLE
#if DFI_GNU && defined(__ELF__) && !defined(__TINYC__) && (defined(__linux__) || defined(__FreeBSD__))
#define DFI_BLOCKING_TABLE 1
#else
#define DFI_BLOCKING_TABLE 0
#endif
#endif

/* The optimiser of a whole program (-flto) does not see the entries of the table, so the function needs attributes. */
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
DFI_API void dfi_may_block_linked(void); /* from now on, tasks of the program may block */
DFI_EXTERN_C_END

#define DFI_IN_TABLE_BEFORE_MAIN(bytes)                              \
    ".weak " DFI_LINK_NAME(dfi_may_block_linked) "\n\t"               \
    ".pushsection .init_array,\"aw\"\n\t.balign " bytes "\n\t."       \
    bytes "byte " DFI_LINK_NAME(dfi_may_block_linked) "\n\t.popsection"
DFI_INLINE void dfi_may_block_here(void)
{
#if !DFI_BLOCKING_TABLE
    dfi_may_block_linked();
#elif __SIZEOF_POINTER__ == 8
    __asm__ __volatile__(DFI_IN_TABLE_BEFORE_MAIN("8"));
#else
    __asm__ __volatile__(DFI_IN_TABLE_BEFORE_MAIN("4"));
#endif
}
#endif

#endif
