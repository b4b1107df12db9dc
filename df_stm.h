/* df_stm.h - transactions for plain C: atomic blocks
 *
 * One of the headers of df; needs no other, and works in threads of any kind.
 *
 * Do this
 *
 *   In one C file:
 *       #define DF_IMPLEMENTATION
 *       #include "df_stm.h"
 *   and link with -pthread (nothing on glibc 2.34 and later). The other files just include it.
 *
 * A complete program: threads move money, and no money is lost
 *
 *       #define DF_IMPLEMENTATION
 *       #include "df_stm.h"
 *       #include <pthread.h>
 *       #include <stdio.h>
 *
 *       static long account[2] = { 1000, 0 };
 *
 *       static void *move(void *arg)
 *       {
 *           for (int i = 0; i < 500; i++)
 *               DF_ATOMIC {
 *                   df_tm_write(&account[0], df_tm_read(&account[0]) - 1);
 *                   df_tm_write(&account[1], df_tm_read(&account[1]) + 1);
 *               }
 *           return arg;
 *       }
 *
 *       int main(void)
 *       {
 *           pthread_t t[2];
 *           for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, move, NULL);
 *           for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
 *           printf("%ld %ld\n", account[0], account[1]);     prints 0 1000
 *       }
 *
 * What a block guarantees
 *
 *   - All its writes become visible together, when it commits, as if nothing else had happened meanwhile.
 *   - Its reads are consistent at every moment, even if it is about to abort (opacity).
 *   - Memory that a block made private (removed from a list, say) belongs to its thread after the block:
 *     it may be used, and freed with free(), like any other. A block that wrote waits for blocks that may
 *     still read it (quiescence). Memory that was filled privately may be published by a block. (DF_STM_VALUES:
 *     without the wait; it is freed by df_tm_free, or after df_tm_quiesce.)
 *   - A block that keeps aborting is eventually run alone, so it always succeeds.
 *
 * Limitations: accesses outside of blocks are plain accesses. Memory that some thread changes in blocks must
 * not be accessed outside of them at the same time. A thread that learns in a read-only block, from another thread's
 * block, that memory has become private calls df_tm_quiesce() before using it.
 *
 * OPTIONS
 *     Same in all files:
 *       DF_SERIAL          one thread only: plain accesses that can be rolled back
 *     Of a file:
 *       DF_STM_SETJMP      roll back by the standard setjmp even where a faster way is known; gcc then warns of
 *                          locals as it does for setjmp (-Wclobbered)
 *       DF_STM_CLOSED      1: nested blocks of this file are closed, as those of DF_ATOMIC_CLOSED; default 0
 *       DF_STM_PRIVATE     0: the blocks of this file do not wait for quiescence: memory that they make private is
 *                          used only after df_tm_quiesce(); df_tm_free remains safe. Short blocks of many threads
 *                          that all write are up to 2.5 times as fast. Default 1
 *     Implementation file only:
 *       DF_STM_ENGINE      DF_STM_RECORDS, the default: conflicts are found by ownership records, for many threads; or
 *                          DF_STM_VALUES: by the values that were read, for few threads and short blocks, which cost
 *                          half as much and wait for no other block. Memory that was made private may be used at
 *                          once, but is freed by df_tm_free, or by free or munmap after df_tm_quiesce(). A block must
 *                          not read by df_tm_read what it changes by plain accesses
 *       DF_STM_RECORDS     a value of DF_STM_ENGINE
 *       DF_STM_VALUES      a value of DF_STM_ENGINE
 *       DF_STM_ORECS       number of ownership records, a power of 2; default 262144, of 8 bytes each, allocated at
 *                          the first block. Fewer need less memory and cause more conflicts
 *       DF_STM_SITES       1: counters for each block, see df_stm_sites; default 0
 *       DF_STM_CLOCK       the time at which the clock begins, a multiple of 4; for tests
 *
 *     DF_MALLOC(bytes), DF_FREE(p) replace malloc and free, as in df.h.
 *
 * SECTIONS  search for >>blocks  >>accesses  >>memory  >>counters  >>implementation  >>licence */
#ifndef DF_STM_H
#define DF_STM_H

/* Errors in a call are then shown at the user's line only. Not for clang: it would hide them. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(DF_DEVELOP)
#pragma GCC system_header
#endif

#include "impl/base/compiler.h"
DFI_BEGIN
#include "impl/api/may_block.h"
#include "impl/api/result.h"
#include "impl/base/atomic.h"
#include "impl/api/stm_checkpoint.h"
#include "impl/api/stm_frame.h"
#include "impl/api/stm_core.h"
#include "impl/api/stm_access.h"

#if defined(DF_SERIAL)
#define DFI_STM_NEED \
    DFI_OF_VERSION(df_stm_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_stm_h__and_DF_SERIAL_in_all)
#else
#define DFI_STM_NEED DFI_OF_VERSION(df_stm_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_stm_h)
#endif
DFI_EXTERN_C_BEGIN
extern DFI_STRONG char DFI_STM_NEED[1];
DFI_EXTERN_C_END
#if DFI_GNU
static char *const dfi_stm_need __attribute__((used, unused)) = DFI_STM_NEED;
#endif

/* ------------------------------------------------------------------------------------ >>blocks
 * Blocks
 *
 *   DF_ATOMIC { ... }
 *             The block commits as a whole, or is rolled back and runs again. continue in it, return and goto out of
 *             it end it like its closing brace (return and goto with gcc and clang; other compilers cannot see them,
 *             and they are not allowed). break does so, too, and does not leave a loop around the block, which is
 *             reported once. Local variables of the function that were set before the block and are changed inside it
 *             must be volatile, as for setjmp, and keep what the last attempt left in them; or be saved at the
 *             beginning of the block by df_tm_save, which restores them. In C++ no object with a destructor may be
 *             alive in a block when it is rolled back.
 *             Cost: 7 ns, and 10 if it writes; with several threads see DF_STM_PRIVATE.
 *   DF_ATOMIC { ... } DF_OR_ELSE { ... }
 *             alternatives: if the first block calls df_retry, it is rolled back, and the second is tried; and so on
 *             for any number. Write braces around the whole where an `else` follows.
 *   DF_ATOMIC_CLOSED { ... }
 *             a nested block that can be rolled back alone: by df_abort, and by a conflict with its own reads. Any
 *             depth. Outside of blocks it is DF_ATOMIC.
 *   df_result df_atomically(fn, arg);   void fn(void *arg) as a block.
 *             Returns DF_OK, or DF_ERROR_ABORTED: df_abort was called.
 *   df_tm_block b;      a variable of the function that calls df_tm_begin
 *   df_tm_begin(&b)     begins a block where no DF_ATOMIC can stand, as in the macros of a program that was written for
 *             another system. The same function must end it by df_tm_end before it returns. Blocks end in the opposite
 *             order of their begin. They have no alternatives; for local variables see DF_ATOMIC.
 *             Returns nonzero: the block runs, perhaps again; or 0: df_abort was called: continue after df_tm_end.
 *   df_tm_end(&b)       ends the block
 *   df_retry()          waits for a condition: rolls the innermost block back, and tries the next alternative, of
 *             this block or one around it. If there is none the thread sleeps until its read set changes, then runs
 *             the block again. In a task another thread takes the worker's place meanwhile. If the task is
 *             cancelled (df_cancel, df_fail), the block is left as by df_abort, once in each body or block. It is no
 *             cancellation point of POSIX.
 *             Errors: if no task is left that could change the read set, that is reported, the block is left as by
 *             df_abort, and df_wait_result returns DF_ERROR_STUCK. In a block that read nothing it is reported, and
 *             the block runs again every millisecond.
 *   df_abort()          leaves the block without effect: the innermost closed one, or else the outermost
 *   df_restart()        rolls the outermost block back and runs it again, also in a closed one
 *   df_irrevocable()    from here on the block cannot be rolled back: no other block runs, and it may do input and
 *             output. The block may run again from its beginning, once, before this returns. (DF_STM_VALUES: open
 *             blocks stop at their next read.)
 *   df_tm_validate()    runs the block again immediately if its read set has changed, as its end would do. For long
 *             loops, which would otherwise find out late.
 *   df_tm_quiesce()     outside of blocks: waits until every block that is running has ended, or has seen the present
 *             memory. With DF_STM_VALUES also after df_irrevocable
 *
 *     Nested blocks, in the same function or a called one, are part of the outer one (flat): their end has no effect,
 *     and df_abort leaves the outermost, unless they are closed.
 *     Leaving a block by a C++ exception, longjmp, pthread_exit or cancellation of the thread rolls the block back;
 *     an enclosing block stays active if it was not left as well. Writes after df_irrevocable stay. A longjmp, or
 *     an exception through code compiled without exceptions, is detected and reported when the thread begins its
 *     next block; until then, writing blocks of other threads may wait. (Detection compares stack frames: with gcc
 *     and clang only, and not on stacks of coroutines.) A signal handler that interrupts a block, or its begin or
 *     end, cannot execute blocks: df reports them on stderr, whatever df_config.log is, and skips them.
 *     Inside a block: no other synchronisation, no waiting (df_wait, df_sync of a stolen task, locks), no threads, no
 *     switch to another stack (swapcontext, a coroutine that yields): df notices it only if the block ends before one
 *     that began inside of it in another coroutine, and reports that.
 *     Threads: any, also those that never used df.
 *   Errors: these are logged: a wait of df in a block; df_retry in a block that read nothing; df_abort, df_retry,
 *     df_restart outside of blocks or after df_irrevocable (no effect); a thread that ends in a block, or leaves it
 *     by longjmp (it is rolled back); a block in a handler of a signal that interrupts a block (it is not executed).
 *     Without memory for its logs a block runs alone; if it does not fit into the first logs either, it becomes
 *     irrevocable. Without memory for the table of ownership records blocks abort more often.
 *   Source: TERAFLUX D3.5, 1.1 (lazy versions, lazy detection of conflicts, flat nesting); composable memory
 *     transactions (Harris, Marlow, Peyton Jones, Herlihy, PPoPP 2005) for df_retry and DF_OR_ELSE. */
#ifndef DF_STM_CLOSED
#define DF_STM_CLOSED 0
#endif
#ifndef DF_STM_PRIVATE
#define DF_STM_PRIVATE 1
#endif
#define DFI_TM_KIND      ((DF_STM_CLOSED ? DFI_TM_CLOSED : 0) | (DF_STM_PRIVATE ? 0 : DFI_TM_UNWAITED))
#define DF_ATOMIC        DFI_TM_BLOCK(DFI_SITE, DFI_TM_KIND)
#define DF_ATOMIC_CLOSED DFI_TM_BLOCK(DFI_SITE, DFI_TM_KIND | DFI_TM_CLOSED)
#define DF_OR_ELSE       else if (dfi_tm_or_else())

/* A nested block has a dfi_tm_around of its own. (gcc says nothing of macros of a system header.) */
#if defined(__clang__)
#define DFI_TM_SHADOW(how)  DFI_TM_SHADOW_##how
#define DFI_TM_SHADOW_push  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wshadow\"")
#define DFI_TM_SHADOW_pop   _Pragma("clang diagnostic pop")
#elif DFI_GNU && defined(DF_DEVELOP)
#define DFI_TM_SHADOW(how)  DFI_TM_SHADOW_##how
#define DFI_TM_SHADOW_push  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")
#define DFI_TM_SHADOW_pop   _Pragma("GCC diagnostic pop")
#else
#define DFI_TM_SHADOW(how)
#endif
#define DFI_TM_BLOCK(site, kind) \
    DFI_TM_BLOCK_(site, kind, DFI_CAT(dfi_tm_b_, __LINE__), DFI_CAT(dfi_tm_p_, __LINE__))
#define DFI_TM_BLOCK_(site, kind, b, p)                                                                  \
    DFI_TM_SHADOW(push)                                                                                  \
    for (struct dfi_tm_block b DFI_TM_AT_END,                                                            \
             *p = DFI_TM_ENTER(&b, site, (kind) | DFI_TM_NESTED_HERE, dfi_tm_jump, DFI_TM_WHERE),         \
             *dfi_tm_around = p;                                                                         \
         p->open; dfi_tm_after(p, DFI_SITE))                                                             \
        for (; p->open && ((void)DFI_CHECKPOINT(p->jump), (void)dfi_tm_around, dfi_tm_go(p)); dfi_tm_end(p)) \
        DFI_TM_SHADOW(pop)                                                                               \
        if (dfi_tm_first(p))

typedef struct dfi_tm_block df_tm_block;
#define df_tm_begin(b)                                                                                     \
    (dfi_tm_enter_pair((b), DFI_SITE, DFI_TM_KIND | DFI_TM_NESTED_HERE, dfi_tm_jump, DFI_TM_WHERE,         \
                       DFI_TM_FRAME_END) &&                                                                \
     ((void)DFI_CHECKPOINT(dfi_tm_inner()->jump), dfi_tm_runs()))
#define df_tm_end(b)           dfi_tm_end(b)
#define df_atomically(fn, arg) dfi_tm_atomically((fn), (arg), DFI_SITE, DFI_TM_KIND)
#define df_retry()             DFI_MAY_BLOCK(dfi_tm_retry(DFI_SITE))
#define df_abort()             dfi_tm_abort(DFI_SITE)
#define df_restart()           dfi_tm_do_restart(DFI_SITE)
#define df_irrevocable()       dfi_tm_irrevocable(DFI_SITE)
#define df_tm_validate()       dfi_tm_validate(DFI_SITE)

/* ---------------------------------------------------------------------------------- >>accesses
 * Reading and writing shared memory
 *
 *   T df_tm_read(p)                  the value of *p. p: const T *; T: any scalar of 1, 2, 4 or 8 bytes, or a pointer
 *             to an object. Other types do not compile.
 *             Cost: 1 to 2 ns.
 *   df_tm_write(p, v)                *p = v, with the conversions of an assignment; T as for df_tm_read.
 *             Cost: 6 to 8 ns.
 *   df_tm_read_bytes(to, from, n)    reads an object of n bytes: from shared memory to the caller's own
 *   df_tm_write_bytes(to, from, n)   writes an object of n bytes: from the caller's own memory to shared memory
 *   df_tm_copy(to, from, n)          from shared to shared memory, n bytes; they may overlap. A local variable gets
 *             its new value only when the block ends: read into one by df_tm_read_bytes. With DF_DEBUG a copy to a
 *             variable that the block then changes by plain accesses is reported.
 *
 *     Outside of blocks these are plain accesses. Alignment does not matter, but a value that crosses a word costs
 *     more. Neighbours in the same word are independent of each other. A write to a local variable of a function that
 *     has returned when the block ends is left out.
 *     Threads: any. */

/* ------------------------------------------------------------------------------------ >>memory
 * Memory and handlers
 *
 *   void *df_tm_malloc(bytes)        memory, freed again if the block is rolled back; NULL without memory
 *   void *df_tm_calloc(n, bytes)     as df_tm_malloc, zeroed, for n objects of `bytes` bytes
 *   df_tm_free(p)                    frees memory after the end of the block, when no other block can read it any
 *             more. p: of df_tm_malloc, df_tm_calloc or malloc; NULL: no effect. Outside of blocks as free; with
 *             DF_STM_VALUES also there when no block can read it any more.
 *   df_tm_on_commit(fn, arg)         calls fn(arg) after the end of the outermost block, outside of it.
 *             Returns DF_OK, or DF_ERROR_MEMORY: not registered, for lack of memory, or outside of blocks, which is
 *             logged.
 *   df_tm_on_abort(fn, arg)          calls fn(arg) each time the block is rolled back; the last one first. A block in
 *             fn is a transaction of its own if the whole transaction is rolled back, else part of it.
 *             Returns as df_tm_on_commit.
 *
 *   df_tm_save(&x)                   if the block is rolled back, x gets back the value that it has now. x: a variable
 *             that only this thread uses, for example a local one, and that plain accesses change; it must live as
 *             long as the block.
 *             Returns DF_OK, or DF_ERROR_MEMORY: not saved. Outside of blocks it has no effect.
 *             Cost: about 50 ns
 *   df_tm_save_bytes(p, n)           the same for n bytes at p
 *
 *     Outside of blocks, df_tm_malloc and df_tm_calloc are malloc and calloc.
 *     Threads: any. */
DFI_EXTERN_C_BEGIN
DFI_API void df_tm_read_bytes(void *to, const volatile void *from, size_t bytes);
DFI_API void df_tm_write_bytes(volatile void *to, const void *from, size_t bytes);
DFI_API void df_tm_copy(volatile void *to, const volatile void *from, size_t bytes);
DFI_API void *df_tm_malloc(size_t bytes);
DFI_API void *df_tm_calloc(size_t n, size_t bytes);
DFI_API void df_tm_free(void *p);
DFI_API df_result df_tm_on_commit(void (*fn)(void *arg), void *arg);
DFI_API df_result df_tm_on_abort(void (*fn)(void *arg), void *arg);
DFI_API df_result df_tm_save_bytes(void *p, size_t bytes);
DFI_API void df_tm_quiesce(void);
#define df_tm_save(p) df_tm_save_bytes((p), sizeof *(p))

/* ---------------------------------------------------------------------------------- >>counters
 * Counters of blocks
 *
 *   df_stm_stats(&counters)          fills a df_stm_counters. Always DF_OK.
 *   df_stm_sites(fn, arg)            calls fn(arg, "file:line", counters) for each outermost block that was run, if
 *             the implementation has DF_STM_SITES. Without it, and with DF_SERIAL, for none.
 *             Returns DF_OK, or DF_ERROR_MEMORY: for none.
 *
 *     Threads: any, at any time; not inside a block. */

/* Counted since the program started, over all threads; exact when no block runs. */
typedef struct df_stm_counters {
    uint64_t commits;     /* outermost blocks that committed */
    uint64_t read_only;   /* of those: wrote nothing */
    uint64_t locked;      /* aborts, because another block was writing the same memory for long */
    uint64_t too_new;     /* aborts, because memory it read was written since it began */
    uint64_t changed;     /* aborts as too_new, but found at the end */
    uint64_t to_log;      /* aborts, because memory was written meanwhile and no log of reads had been kept */
    uint64_t gave_way;    /* aborts without memory, or to let another block run alone */
    uint64_t by_user;     /* df_abort, df_restart */
    uint64_t retries;     /* df_retry without an alternative: slept */
    uint64_t extensions;  /* reads of newer memory that were possible because the read set had not changed */
    uint64_t alone;       /* ran alone: df_irrevocable, too many conflicts, lack of memory */
    uint64_t most_reads, most_writes; /* largest sets: stripes of 32 bytes read, words written */
} df_stm_counters;
DFI_API df_result df_stm_stats(df_stm_counters *counters);
DFI_API df_result df_stm_sites(void (*fn)(void *arg, const char *site, const df_stm_counters *counters), void *arg);

DFI_API df_result dfi_tm_atomically(void (*fn)(void *arg), void *arg, const char *site, int kind);
DFI_API void dfi_tm_retry(const char *site);
DFI_API void dfi_tm_abort(const char *site);
DFI_API void dfi_tm_do_restart(const char *site);
DFI_API void dfi_tm_irrevocable(const char *site);
DFI_API void dfi_tm_validate(const char *site);
DFI_EXTERN_C_END

DFI_END
#endif /* DF_STM_H */

/* ----------------------------------------------------------------------------- >>implementation */
#if defined(DF_IMPLEMENTATION) && !defined(DFI_STM_IMPLEMENTED)
#define DFI_STM_IMPLEMENTED
DFI_IMPL_BEGIN
#include "impl/stm/stm.h"
DFI_IMPL_END
#endif

/* ------------------------------------------------------------------------------------ >>licence
 * MIT licence
 *
 * Copyright (c) 2026 The df authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
 * associated documentation files (the "Software"), to deal in the Software without restriction,
 * including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense,
 * and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so,
 * subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or substantial
 * portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
 * LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN
 * NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
 * WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
 * SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
