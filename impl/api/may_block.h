/* may_block.h - detection, before main, of calls that may block a task
 *
 * A single worker runs a submitted task immediately, inside df_submit. A task that blocked there would wait for code
 * below it on the same stack. So a program in which tasks may block queues its tasks, as several workers do
 * (flow/submit.h), and all other programs pay nothing. The programmer declares nothing: each call that may block adds
 * an entry to the table of functions that the system calls before main, or when it loads a library. The entry costs no
 * instruction at the call.
 *
 * df_mutex_lock has an entry of another kind. With it, several workers queue the tasks that they would otherwise run
 * immediately because they are short; a single worker still runs tasks immediately, unless the thread holds a df_mutex.
 *
 * Where compiler or system has no such table, and for calls through a pointer, the first such call announces itself
 * when it runs. An implementation without a table therefore assumes from the beginning that tasks may block. */
#ifndef DFI_API_MAY_BLOCK_H
#define DFI_API_MAY_BLOCK_H

#include "../base/compiler.h"

/* 1: there is such a table. May be defined as 0 in all files, to test the variant without it. Code in other languages
 * that uses libdf.so has none. */
#ifndef DFI_BLOCKING_TABLE
#if DFI_GNU && !DFI_LIBRARY && defined(__ELF__) && !defined(__TINYC__) && (defined(__linux__) || defined(__FreeBSD__))
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

#if (defined(DF_SERIAL) || DFI_LIBRARY) && !DFI_BLOCKING_TABLE
#define DFI_MAY_BLOCK(call) (call)
#define DFI_MAY_LOCK(call)  (call)
#else
#define DFI_MAY_BLOCK(call) ((void)dfi_may_block_here(), (call))
#define DFI_MAY_LOCK(call)  ((void)dfi_may_lock_here(), (call))
DFI_EXTERN_C_BEGIN
DFI_API void dfi_may_block_linked(void); /* from now on, tasks of the program may block */
DFI_API void dfi_may_lock_linked(void);  /* they may lock */
DFI_EXTERN_C_END

#if !DFI_BLOCKING_TABLE
#define DFI_IN_TABLE_BEFORE_MAIN(function) (function())
#else
#if __SIZEOF_POINTER__ == 8
#define DFI_IN_TABLE_BYTES "8"
#else
#define DFI_IN_TABLE_BYTES "4"
#endif
#define DFI_IN_TABLE_BEFORE_MAIN(function)                                                     \
    __asm__ __volatile__(".weak " DFI_LINK_NAME(function) "\n\t"                               \
                         ".pushsection .init_array,\"aw\"\n\t.balign " DFI_IN_TABLE_BYTES "\n\t." \
                         DFI_IN_TABLE_BYTES "byte " DFI_LINK_NAME(function) "\n\t.popsection")
#endif
DFI_INLINE void dfi_may_block_here(void) { DFI_IN_TABLE_BEFORE_MAIN(dfi_may_block_linked); }
DFI_INLINE void dfi_may_lock_here(void) { DFI_IN_TABLE_BEFORE_MAIN(dfi_may_lock_linked); }
#endif

#endif
