/* df_observe.h - observers: a program, or a tool, is called when tasks, waits and workers begin and end
 *
 * WHAT  A table of callbacks, registered before df starts or at any time, and unregistered while workers run: for
 *       profilers, displays, tests of a schedule, and measurements by task. Several observers can be registered at a
 *       time. While none is, a task costs one load and one branch more, which it costs without this header, too.
 *       Ready-made observers need no code: DF_TRACE, DF_STATS, DF_GRAPH, DF_PROGRESS.
 *
 * DO THIS
 *       #include "df_observe.h"        which includes df.h. The implementation is that of df.h: DF_IMPLEMENTATION in
 *                                      ONE C file, before df.h or this header
 *
 * A COMPLETE PROGRAM
 *       #define DF_IMPLEMENTATION
 *       #include "df_observe.h"
 *       #include <stdio.h>
 *
 *       DF_TASK(void, hello, (int, i));
 *       void hello(int i) { printf("hello %d\n", i); }
 *
 *       static void ends(void *arg, int worker, const df_observed *t)
 *       {
 *           fprintf((FILE *)arg, "worker %d has run %s\n", worker, t->name);
 *       }
 *       int main(void)
 *       {
 *           static df_observer o;
 *           o.arg = stderr, o.task_end = ends;
 *           df_observe(&o);
 *           df_submit(hello, 1);
 *           df_submit(hello, 2);
 *           df_wait();
 *           df_unobserve(&o);
 *       }
 *
 * OPTIONS  DF_SMALL and DF_MINIMAL leave observers out (docs/size.md).
 *
 * NOT   An observer cannot change the run: it cannot delay a task but by its own time, cannot choose a worker, and
 *       cannot cancel. docs/observe.md is the guide.
 *
 * SECTIONS  search for >>observers  >>licence (last)
 * Source: OMPT, the tools interface of OpenMP 5.0; ObserverInterface of Taskflow. */
#ifndef DF_OBSERVE_H
#define DF_OBSERVE_H

#if defined(__GNUC__) && !defined(__clang__) && !defined(DF_DEVELOP)
#pragma GCC system_header
#endif
#include "impl/base/compiler.h"
DFI_BEGIN

/* ----------------------------------------------------------------------------------- >>observers
 * Observers of the program
 *
 *   df_result df_observe(&o)       from now on, the callbacks of the df_observer o are called. o must not change until
 *             df_unobserve has returned.
 *             Errors: DF_ERROR_STARTED: o is registered already. DF_ERROR_MEMORY: 16 observers are registered.
 *             DF_ERROR_DEADLOCK: called in a callback.
 *   df_result df_unobserve(&o)     ends that. When it returns, no callback of o runs or will be called, and memory
 *             that they wrote can be read. Tasks continue meanwhile. If o is not registered: DF_OK.
 *             Errors: DF_ERROR_DEADLOCK: called in a callback.
 *
 *     Threads of callbacks: each runs on the thread of the worker that is its argument. So those of one worker come
 *     one after the other, in the order of the events, and those of several workers at the same time. `worker` is
 *     df_worker() of that thread, below df_worker_bound(). Memory of its own for each worker needs no lock.
 *
 *     Workers: worker_start is the first callback of a worker, also for an observer that is registered later, and
 *     worker_stop the last one. A worker can start again: after df_stop and df_start, or with another thread. The end
 *     of the process stops some threads without worker_stop.
 *
 *     Tasks: task_submit comes first, on the worker that submits, and the edges of the task follow on the same worker.
 *     task_begin and task_end enclose the body, on one worker, and nest as bodies do that a worker runs in a wait or in
 *     df_submit of another one. What task_submit did happens before task_begin. A task that runs inside its df_submit,
 *     as it may with one worker, has the same callbacks. A task that is cancelled before it begins has no task_begin,
 *     and a body in which pthread_exit ends the thread no task_end.
 *
 *     Pairs: each task_end, wait_end and worker_wake has its beginning, for the same observer. An observer
 *     that is registered while tasks run may see the beginning of a task whose submission it has not seen.
 *
 *     Edges: those that dependence analysis finds to earlier tasks that may be unfinished; some come twice.
 *     Tokens and streams are no edges. A number without task_submit is that of a task of df itself, which passes the
 *     order on, such as one that combines the copies of a reduction.
 *
 *     df_spawn, which takes 2 ns, has no callback. A function that another worker steals has task_steal, task_begin and
 *     task_end, as DF_OBSERVED_SPAWNED. Parts of loops and stages of pipes are not submitted: they begin and end.
 *
 *     A callback must return, must not throw, and may use nothing of df but df_mine() and df_counters_get(). It must
 *     not wait for a lock that a caller of df_unobserve holds.
 *
 *     With DF_SERIAL the one thread calls them, and nothing is stolen or sleeps. The child of a fork keeps the
 *     observers.
 *     Threads: any that is in no callback, at any time: before df_start, while tasks run, and in tasks.
 *     Cost: without observers none. Else about 45 ns for the beginning and end of a task, 25 ns for its submission,
 *     and the callbacks; each task then has a record, as with DF_TRACE. */
#include "impl/api/observe.h"

DFI_END
#endif /* DF_OBSERVE_H */

#include "df.h" /* after that, because the implementation includes it, too */

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
