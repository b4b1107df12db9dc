/* workers.h - workers, >>workers
 *
 *   int df_workers()               the number of workers, the calling thread among them: at least 1; 1 with
 *             DF_SERIAL. Starts the pool.
 *   int df_workers_set(n)          changes the number of workers to n, 1 .. 256, until df_stop or the next change.
 *             Returns the new number. With DF_SERIAL it stays 1. Starts the pool.
 *   int df_worker()                the index of the calling worker, which no other thread has at the same time: 0 ..
 *             df_workers() - 1, where 0 is the thread that started the pool. Larger in other threads of the program,
 *             and in threads that run tasks while a worker blocks; 0 in a thread for which there is no memory. A task
 *             keeps its worker, also if df_workers_set makes the number smaller. Starts the pool.
 *   int df_worker_bound()          an upper limit of df_worker() + 1 in each thread until df_stop. It is much more
 *             than df_workers(): storage per worker (>>storage) is better than an array of that length. Starts the
 *             pool.
 *
 *     df_config.workers sets the number, df_config.cpuset the CPUs, df_opts.worker the worker of one task.
 *
 *     df_workers_set may be called at any time, also in tasks and while tasks are pending. More workers start at once.
 *     If there are fewer, workers n, n + 1, .. finish their present task, or part of a loop or pipe, with all that it
 *     waits for; leave their ready tasks to the others; and sleep until the number is raised. (A worker that is looking
 *     for a task during the change may find one more.) They keep their threads
 *     and indices, and so they still run tasks that were pinned to them (df_opts.worker) before the change. Worker 0
 *     is always one of the workers. A program that makes room for another one while it waits for input:
 *
 *         int before = df_workers();
 *         df_workers_set(1);
 *         read_input();
 *         df_workers_set(before);
 *
 *     Errors: a number below 1 changes nothing and is logged. Without memory or threads for more workers there are as
 *     many as could be started. While DF_SCHEDULE records or replays, the number does not change.
 *     Cost: 20 to 50 us for each thread that starts, else a lock, and a wake-up for each worker that sleeps.
 *
 *     df_config.worker_start is called by each thread that joins: by helper threads and by threads that take the
 *     place of one that blocks, when they start; by a thread of the program in df_start or its first construct.
 *     df_config.worker_stop is called by the same thread, with the same arguments, when it ends; by the caller of
 *     df_stop also there, and by the thread that ends the process. Threads that the end of the process stops in a
 *     task or outside of df do not call it. They are for needs of a thread: a CUDA context, an attachment to a
 *     virtual machine, an arena of an allocator.
 *
 *         static void begin(void *arg, int worker) { printf("%s: worker %d\n", (const char *)arg, worker); }
 *         df_start(DF_CONFIG(.worker_start = begin, .worker_arg = "solver"));
 *
 *     Errors: none can be returned; a callback that fails stores that for the tasks. It must return, must not throw,
 *     and may use df_mine but nothing else of df: df_start and df_stop may be waiting for it.
 *     With DF_SERIAL the one thread calls them. The child of a fork does not call worker_stop of its parent's
 *     threads.
 *     Cost: one call for each thread.
 *     Threads: any. */
#ifndef DFI_API_WORKERS_H
#define DFI_API_WORKERS_H

#include "need.h"
#include "../base/compiler.h"

DFI_EXTERN_C_BEGIN
DFI_API int df_workers(void);
DFI_API int df_workers_set(int n);
DFI_API int df_worker(void);
DFI_API int df_worker_bound(void);
DFI_EXTERN_C_END
#if !defined(DF_SERIAL)
#define df_workers_set(n) DFI_NEEDING(more, (df_workers_set)(n))
#endif

#endif
