/* arena.h - arenas: how many workers may run the tasks of a part of the program, >>arenas
 *
 *   static df_arena a = DF_ARENA(n);       an arena for at most n workers, 1 or more; also with automatic storage
 *   df_arena_init(&a, n);                  the same for existing memory, at run time
 *   DF_IN_ARENA(&a) { ... }                a DF_PARALLEL block whose tasks, and their descendants, belong to the arena
 *   DF_PARALLEL_AT_MOST(n) { ... }         the same with an arena of its own, which ends with the block
 *   int df_arena_destroy(&a);              ends the arena. Returns 1; 0 if threads are in its blocks: that is reported,
 *             and the arena stays as it is. Without the call, an arena keeps 32 bytes until the process ends.
 *
 *     A library that never takes more than four CPUs, however many workers the program has started:
 *
 *         static df_arena ours = DF_ARENA(4);
 *         void lib_transform(float *x, size_t n)
 *         {
 *             DF_IN_ARENA(&ours)
 *                 for (size_t i = 0; i < n; i += 4096) df_submit(transform, x + i, n - i < 4096 ? n - i : 4096);
 *         }
 *
 *     A worker enters an arena when it runs one of its tasks, and leaves it when no further one is at hand. While n
 *     workers are in the arena, no further one enters; they do other work meanwhile. All kinds of work count: tasks,
 *     spawned functions, parts of loops and pipes. A thread that executes the block itself enters in any case, so a
 *     block never waits for others to begin. Several threads may be in blocks of the same arena at the same time.
 *     An arena is isolated, as each DF_PARALLEL block is: a thread that waits in it runs only tasks of the block. So
 *     code of a library runs nothing of its caller in between, and a lock that it holds is not asked for by a task of
 *     its caller on the same thread.
 *     The number can be exceeded for a while: by threads that execute the block; by a worker that returns from a wait
 *     during which it counted as blocked (df_mutex_lock, df_wait_token ...) and was replaced; by tasks that are pinned
 *     to a worker. If blocks are nested, a worker counts in the arenas that it entered itself: one that executes both
 *     blocks in both, one that takes a task from the inner block in the inner arena only.
 *     A block is left like one of DF_PARALLEL: at its end, or by break.
 *     DF_SERIAL: a block of DF_PARALLEL; the number has no meaning.
 *     Threads: any. df_arena_init, df_arena_destroy: while no thread is in a block of the arena.
 *     Errors: n less than 1: reported, and n is 1. Without memory for an arena, its block has no limit, which is
 *     logged once.
 *     Cost: a block 0.1 us more than DF_PARALLEL; a task nothing; from the first arena of the process on, a steal some
 *     ns for each scope between the task and its arena, or the outermost one.
 *   Source: task_arena and isolate of oneTBB; num_threads of OpenMP's parallel. */
#ifndef DFI_API_ARENA_H
#define DFI_API_ARENA_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/pp.h"
#include "need.h"

typedef struct df_arena {
    int dfi_workers;
    const char *dfi_site;
    DFI_ATOMIC(void *) dfi_crew;         /* a struct dfi_crew, from the first block on (more/arena.h) */
} df_arena;
#define DF_ARENA(n) { (n), DFI_SITE, NULL }
#define df_arena_init(a, n)  DFI_NEEDING(more, dfi_arena_init((a), (n), DFI_SITE))
#define df_arena_destroy(a)  DFI_NEEDING(more, dfi_arena_destroy((a), DFI_SITE))
DFI_EXTERN_C_BEGIN
DFI_API void dfi_arena_init(df_arena *a, int n, const char *site);
DFI_API int dfi_arena_destroy(df_arena *a, const char *site);
/* The innermost block, which has just begun, belongs to a; to an arena of its own. */
DFI_API int dfi_arena_enter(df_arena *a, const char *site);
DFI_API int dfi_arena_at_most(int n, const char *site);
DFI_EXTERN_C_END

#define DFI_BLOCK_WITH(call)                                                              \
    DF_PARALLEL for (int DFI_CAT(dfi_in_, __LINE__) = DFI_NEEDING(more, call);            \
                     DFI_CAT(dfi_in_, __LINE__); DFI_CAT(dfi_in_, __LINE__) = 0)
#define DF_IN_ARENA(a)         DFI_BLOCK_WITH(dfi_arena_enter((a), DFI_SITE))
#define DF_PARALLEL_AT_MOST(n) DFI_BLOCK_WITH(dfi_arena_at_most((n), DFI_SITE))

#endif
