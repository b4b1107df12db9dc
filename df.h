/* df.h - dataflow and task parallelism for plain C, as a header library
 *
 * WHAT  One declaration line above a function makes it a task. A task can be forked and joined at a cost of a few
 *       nanoseconds (df_spawn, df_sync), or submitted and ordered with all other tasks by the memory that it
 *       declares to read and write (df_submit). Tasks run on all CPUs that the process may use.
 *
 * DO THIS
 *       #define DF_IMPLEMENTATION      in ONE C file, before
 *       #include "df.h"
 *       and link with -pthread (nothing on glibc 2.34 and later). All other files only include df.h.
 *
 * A COMPLETE PROGRAM
 *       #define DF_IMPLEMENTATION
 *       #include "df.h"
 *       #include <stdio.h>
 *
 *       DF_TASK(long, fib, (long, n));
 *       long fib(long n)
 *       {
 *           if (n < 2) return n;
 *           df_future(fib) a;
 *           df_spawn(fib, &a, n - 1);
 *           long b = fib(n - 2);
 *           return df_sync(fib, &a) + b;
 *       }
 *       int main(void) { printf("%ld\n", fib(38)); }
 *
 * OPTIONS
 *     Same in all files:
 *       DF_SERIAL       every construct is the plain call that it stands for: no thread, no atomic, any C99
 *                       compiler. The output of a correct program is the same, byte for byte. (If tasks of the
 *                       program may block, on a token or in df_retry, tasks run at the next wait.)
 *       DF_DEBUG        0 (default): no checks. 1: misuse is reported with file and line of the call. 2: also
 *                       invariants of df itself. 3: as 2, with yields injected.
 *       DF_COPY         a name, in all files of a library: its copy of df, with its pool, is its own, whatever else is
 *                       in the process. See docs/guide/libraries.md.
 *     Implementation file only:
 *       DF_IMPLEMENTATION   the file contains the implementation of the headers that it includes. In one C or C++
 *                       file of a program; libraries that embed df have one each, and share one pool of workers.
 *       DF_MALLOC(n), DF_FREE(p)   replace malloc and free; defined together. DF_MALLOC returns NULL without memory;
 *                       any thread calls them.
 *       DF_IDLE()       with DF_SERIAL: executed repeatedly while a wait needs an event from outside; default:
 *                       sleeps 1 ms.
 *       DF_CHECK        1: detects wrong declarations. With AddressSanitizer (-fsanitize=address), a task stops where
 *                       it accesses memory that it has not declared and another task has. Without, df detects writes
 *                       to df_in regions, children that declare more than their parent, and local variables of
 *                       functions that have returned. 2: also, df_out memory has no value before the body.
 *                       Defined in all files, the reports include lines; df_owm.h needs that. See docs/check.md.
 *       DF_DEVELOP      enables warnings inside df.h (for work on df itself).
 *     Environment:
 *       DF_WORKERS=4          the number of threads that run tasks. This and the next ten variables set the field of
 *                             df_config with the same name, which describes them; the field takes precedence
 *       DF_CPUSET=0-11,20     the CPUs to which the workers are pinned, or close, spread, close:cores, spread:cores
 *       DF_DEQUE=16384        the capacity of a worker's deque
 *       DF_STACK=16M          bytes of stack of a helper thread; its field is stack_bytes
 *       DF_WINDOW=2048        the largest number of unfinished tasks per scope
 *       DF_DEFER=1            a single worker queues the tasks of df_submit, too
 *       DF_DETERMINISTIC=1    reductions give the same bits for any number of workers
 *       DF_RENAME_BYTES=n     bytes of memory for renaming
 *       DF_CAPTURE=1          repeated sequences of tasks are recognised
 *       DF_SPECULATE=2        turns of df_speculate_while that are submitted early; 0: none
 *       DF_PATIENCE=2         seconds until tasks that wait for tokens or inputs are given up; also of df_owm_await
 *       DF_STALL=seconds      after that time without progress, reports the threads and tasks that wait, and the
 *                             objects for which they wait; 0: never. See docs/stall.md.
 *       DF_GRAPH=file.txt     writes the tasks of any program and their dependences, as text; file.dot: for graphviz;
 *                             -.txt, -.dot: to standard output. See docs/graph.md.
 *       DF_GRAPH_DEPTH=n      with DF_GRAPH: shows only n levels of nested tasks
 *       DF_TRACE=file.json    writes when and where each task of any program ran, for Perfetto and chrome://tracing;
 *                             file.html: as a page for any browser. See docs/trace.md.
 *       DF_STATS=1            reports how long the tasks of each name took, and what the workers did; file.txt:
 *                             writes it to the file. See docs/stats.md. Together with DF_TRACE=file.json:
 *                             `df-simulate file.json` predicts the speed-up with more workers. See docs/simulate.md.
 *       DF_STATS_EVENTS=list   with DF_STATS: also events that the processor and the operating system counted in the
 *                             tasks, as in cycles,instructions. See docs/stats.md.
 *       DF_PROGRESS=1         shows in one line, if stderr is a terminal, how many tasks are done, and when the rest
 *                             will be; always: a line per second in the log; file.txt: in the file. See
 *                             docs/progress.md.
 *       DF_SCHEDULE=seed:n    runs ready tasks in an order drawn from the seed n. record:FILE writes the order of a
 *                             run to a file, seed:n,record:FILE does both, replay:FILE repeats a recorded order. See
 *                             docs/schedule.md.
 *
 *     A process with privileges that its user lacks (set-user-ID, for example) ignores all these variables. See
 *     docs/security.md.
 *
 * ERRORS  df never exits and never hangs. If a queue is full, or memory or threads run out, the work runs on the
 *       calling thread and one warning is logged (df_config.log; default: stderr).
 *
 * LANGUAGE  C99 or later, or C++11 or later; also gnu89, except for macros that open a block, such as DF_PARALLEL,
 *       because they need the for of C99. A compiler without GNU builtins needs <stdatomic.h> of C11. Waits do not
 *       depend on the wall clock.
 *
 * LIMITATIONS  df does not preempt tasks, and a task that blocks in the operating system blocks its worker.
 *
 * SECTIONS  search for >>tasks  >>forkjoin  >>dataflow  >>waiting  >>speculation  >>options  >>tokens  >>nodes
 *       >>streams  >>loops  >>pipelines  >>errors  >>blocking  >>limits  >>arenas  >>life  >>workers  >>storage
 *       >>version  >>counters  >>taskgraph  >>implementation  >>licence (last). docs/reference has an entry for each
 *       name, made of these comments; tools/reference describes their form. Examples are in examples/; the proofs of
 *       the lock-free parts are in docs/internals/memory-order.md.
 */
#ifndef DF_H
#define DF_H

/* gcc then reports an error in a call at the user's line only. Not for clang, which would hide the error. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(DF_DEVELOP)
#pragma GCC system_header
#endif

#include "impl/base/compiler.h"
DFI_BEGIN
#include "impl/api/may_block.h"
#include "impl/api/need.h"
#include "impl/api/result.h"
#include "impl/base/pp.h"
#include "impl/api/options.h"
#include "impl/api/task.h"
#include "impl/api/value.h"
#include "impl/api/throw.h"
#include "impl/base/atomic.h"
#include "impl/api/access.h"
#include "impl/api/core.h"
#include "impl/api/serial.h"
#include "impl/api/stream.h"
#include "impl/api/taskgraph_declare.h"
#include "impl/api/param.h"
#include "impl/api/declare.h"
#include "impl/api/loop.h"
#include "impl/api/limits.h"
#include "impl/api/arena.h"
#include "impl/api/speculate.h"

/* Every file that includes df.h refers to this symbol, and all other functions are weak. So a program without the
 * implementation, or with one of another version, gets one message from the linker, and the name of the symbol is the
 * help text. */
#if defined(DF_SERIAL)
#define DFI_NEED \
    DFI_OF_VERSION(df_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_h__and_DF_SERIAL_in_all)
#else
#define DFI_NEED DFI_OF_VERSION(df_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_h)
#endif
DFI_EXTERN_C_BEGIN
extern DFI_STRONG char DFI_NEED[1];
DFI_EXTERN_C_END
#if DFI_GNU
static char *const dfi_need __attribute__((used, unused)) = DFI_NEED;
#endif

/* ------------------------------------------------------------------------------------- >>tasks
 * Tasks and accesses
 *
 *   DF_TASK(R, name, param, ...);         declares  R name(...)  and makes it a task; 0 to 16 parameters.
 *             It stands at file scope, in each file that uses the task, before the function or after it.
 *             R: any result type, void, or a pointer. df_submit discards the result of the task.
 *             Errors: a parameter that has none of the forms below is one compilation error, which names it.
 *             Cost: nothing at run time; about 300 bytes of object code.
 *   DF_STATIC_TASK(R, name, param, ...);   as DF_TASK, with internal linkage
 *
 *     The declaration is an ordinary prototype: the function is defined, called and debugged like any other. A
 *     function of another library becomes a task when it is declared again in this way.
 *     A parameter is (T, x), passed by value and copied when the task is created, or one of the words below, which
 *     declare an access to memory. In C++, T of (T, x) is any type that can be moved or copied; the task owns its
 *     object and destroys it (docs/cxx.md). A pointer to T must be written T *: use a typedef for arrays and
 *     functions. n, rows, cols, ld are elements of T: any expressions over the other parameters. Zero: no access. A
 *     negative count, an end before the beginning, or more bytes than there are from p on (a size_t that wrapped) is
 *     reported, and the task is ordered as if it accessed all memory.
 *     df calls a body on any thread that runs tasks.
 *
 *   df_in(T, p, n)           the task reads n elements at p; the body gets  const T *p
 *   df_out(T, p, n)          writes n elements and reads none; T *p. Elements that the body does not write keep their
 *             value, unless df_config.rename_bytes is set or DF_CHECK is 2.
 *   df_inout(T, p, n)        reads and writes n elements; T *p
 *   df_commute(T, p, n)      as df_inout; such tasks run one at a time, in any order. Several per task cannot
 *             deadlock.
 *   df_concurrent(T, p, n)   as df_inout; such tasks may run concurrently and do their own synchronisation
 *   df_reduce(op, T, p, n)   accumulates into p with op; T *p. Tasks that reduce the same region with the same
 *             operator run concurrently. Their p is then the region itself or a private copy, initialised with the
 *             identity, so a body only accumulates and never reads the total. df combines the copies before the next
 *             reader or writer, and at the latest when the scope waits. It is not specified which task gets which
 *             copy (floating-point sums may differ in the last bits), nor in which order copies are combined, unless
 *             df_config.deterministic, df_opts.deterministic or DF_ORDERED_REDUCTION requests the order of a serial
 *             execution.
 *             op: df_sum df_prod df_band df_bor df_bxor df_land df_lor df_min df_max, or the name of a DF_REDUCTION
 *             or DF_ORDERED_REDUCTION.
 *   df_in2(T, p, rows, cols, ld);  df_out2;  df_inout2;  df_commute2
 *             a block of a row-major matrix: rows of cols elements, which begin ld elements apart (column-major: swap
 *             rows and cols). Otherwise as df_in, df_out, df_inout, df_commute.
 *   df_reduce2(op, T, p, rows, cols, ld)   a block, as df_reduce
 *   df_in_range(T, b, e);  df_out_range;  df_inout_range
 *             the elements from b up to, not including, e; the body gets two pointers, b and e
 *   df_read(T, p, n);  df_read2(T, p, rows, cols, ld);  df_read_range(T, b, e)
 *             as df_in, df_in2 and df_in_range for a function whose prototype exists and lacks const: the body gets
 *             T *p, and does not write. Not for kernels.
 *   df_weak_in(T, p, n);  df_weak_out;  df_weak_inout
 *             the task does not touch the region itself, only its children do: it starts immediately, and each child
 *             waits for just the part it needs
 *   df_weak_in2(T, p, rows, cols, ld);  df_weak_out2;  df_weak_inout2
 *             as df_weak_in and the like, for a block as that of df_in2
 *   df_sum;  df_prod;  df_min;  df_max
 *             operators of df_reduce: +, *, the smallest, the largest; for arithmetic types. They are words, not
 *             macros, and may also be names of the program. A body that subtracts uses df_sum.
 *   df_band;  df_bor;  df_bxor
 *             operators of df_reduce: &, |, ^; for integers
 *   df_land;  df_lor
 *             operators of df_reduce: && and ||; for scalars. The result is 0 or 1.
 *
 *     One more word, df_limit(s, k), is no access: the task holds k units of a semaphore while it runs; see >>limits.
 *
 *   DF_REDUCTION(name, T, combine, identity);   declares an operator for df_reduce(name, T, ...), T any type.
 *             void combine(T *into, const T *from): associative and commutative (DF_CHECK tries both orders);
 *             void identity(T *x): sets *x to the identity of combine. Any thread calls them.
 *   DF_REDUCTION(name, T, combine, ({ initialiser }));   declares one with the identity as an initialiser of a T
 *   DF_REDUCTION(name, T, combine);   declares one with zero as the identity: the value of a static T
 *   DF_ORDERED_REDUCTION(name, T, combine, identity);   declares an operator that is associative only: concatenation,
 *             the product of matrices. Contributions are combined in the order in which a serial execution makes
 *             them, also those of tasks that run concurrently. (If a body submits tasks that contribute and
 *             contributes itself afterwards, its own contribution comes before theirs.) Not for kernels, because
 *             work-items have no order.
 *             Cost: one copy for each task instead of one for each worker.
 *
 *   NAME_future;  NAME_spawn;  NAME_sync;  NAME_submit
 *             the functions and the type that DF_TASK generates for a task NAME: df_future(NAME), df_spawn(NAME,
 *             ...), df_sync(NAME, ...) and df_submit(NAME, ...) are these. So a call has the types of the
 *             declaration, the compiler checks it, and a function pointer may be taken. Further names begin with
 *             NAME_dfi_ and are internal.
 *   Source: X-Kaapi's task declarations and declare reduction (RT-0418, 4.2 to 4.4). */
#define DF_TASK(R, ...)        DFI_QUIET DFI_TASK(extern, R, __VA_ARGS__) DFI_LOUD_END
#define DF_STATIC_TASK(R, ...) DFI_QUIET DFI_TASK(static, R, __VA_ARGS__) DFI_LOUD_END

#define DF_REDUCTION(name, T, ...) DFI_QUIET DFI_REDUCTION(name, T, "a", __VA_ARGS__) DFI_LOUD_END

#define DF_ORDERED_REDUCTION(name, T, ...) DFI_QUIET DFI_REDUCTION(name, T, "o", __VA_ARGS__) DFI_LOUD_END

/* ---------------------------------------------------------------------------------- >>forkjoin
 * Fork and join
 *
 *   df_future(name) f;             a variable of the function that spawns and syncs it: the arguments of one call of
 *             task `name`, and its result. It needs no initialisation, and is not copied while it is spawned.
 *   df_spawn(name, &f, args...);   from now on the call may run on another worker; args are evaluated here
 *   R df_sync(name, &f);           the result of the call; runs it on this thread if no other worker took it. While
 *             another worker runs it, the thread runs tasks that this worker left.
 *             Errors: with DF_DEBUG or DF_CHECK, a future that was not spawned is reported.
 *
 *     Every spawn needs one sync, by the same thread, in the same function; DF_DEBUG and DF_CHECK report a spawn
 *     without a sync, with its line. Any order of syncs is correct; the latest spawn first is fastest. A spawned
 *     function that submits tasks must wait for them before it returns (df_wait or DF_PARALLEL): df_sync does not.
 *     Spawns ignore access modes, so df_sync is their only ordering.
 *     Threads: any. The first construct starts the pool.
 *     Cost: spawn and sync together about 2 ns more than a call; no atomic read-modify-write.
 *   Source: Cilk's spawn/sync. */
#define df_future(name)     DFI_CAT(name, _future)
#if (DF_DEBUG || DF_CHECK) && !defined(DF_SERIAL)
#define df_spawn(name, ...) (dfi_here(DFI_SITE), DFI_OF(name, _spawn)(__VA_ARGS__))
#define df_sync(name, ...)  (dfi_here(DFI_SITE), DFI_OF(name, _sync)(__VA_ARGS__))
#else
#define df_spawn(name, ...) DFI_OF(name, _spawn)(__VA_ARGS__)
#define df_sync(name, ...)  DFI_OF(name, _sync)(__VA_ARGS__)
#endif

/* ---------------------------------------------------------------------------------- >>dataflow
 * Tasks ordered by their memory accesses
 *
 *   df_submit(name, args...);      creates a child of the current scope from a declared task and its arguments.
 *             It starts when its predecessors are done, on any worker; on the calling thread if memory runs out, or
 *             if a single worker may run it immediately. The arguments are copied; the memory they point to must
 *             exist until the task is done. Its result is discarded.
 *             A thread that submits more than df_config.window unfinished tasks runs tasks itself.
 *             Cost: about 7 ns with one worker, which runs the task immediately; 0.1 to 0.3 us with several.
 *   T *df_local(T, n)              n zeroed T that live until the tasks of this scope are done; NULL without memory.
 *             Memory for the results that tasks of the scope hand to each other.
 *
 *     A scope is a DF_PARALLEL block, the body of a running task, or else the thread itself. Children of the same
 *     scope behave as if executed in the order of submission: two of them are ordered if, and only if, their regions
 *     overlap and at least one of them writes. Regions of different shapes mix freely.
 *     A task is done when its body and all tasks that it submitted are done; the body need not wait for them.
 *     The declared regions of a task must cover those of the tasks that it submits.
 *     Threads: any; a scope belongs to the thread that entered it.
 *   Source: X-Kaapi RT-0418, 4.3 to 4.6; StarSs. */
#if (DF_DEBUG || DF_CHECK) && !defined(DF_SERIAL)
#define df_submit(...) (dfi_here(DFI_SITE), DFI_CAT(DFI_SUBMIT_, DFI_ARITY(1, DFI_COUNT(__VA_ARGS__)))(__VA_ARGS__))
#else
#define df_submit(...) DFI_CAT(DFI_SUBMIT_, DFI_ARITY(1, DFI_COUNT(__VA_ARGS__)))(__VA_ARGS__)
#endif
#define DFI_SUBMIT_1(name)      DFI_OF(name, _submit)()
#define DFI_SUBMIT_0(name, ...) DFI_STREAM_CALL DFI_OF(name, _submit)(__VA_ARGS__)

#define df_local(T, n) DFI_NEEDING(dataflow, (T *)dfi_local_alloc((size_t)(n), sizeof(T)))

/* ----------------------------------------------------------------------------------- >>waiting
 * Waiting for tasks
 *
 *   df_wait();                     waits until all children of this scope, and all their descendants, are done.
 *             Errors: none; an error of the tasks stays with the scope until df_wait_result returns it.
 *   df_wait_on(p, bytes);          waits until the tasks submitted so far that write to those bytes are done.
 *             (Meanwhile tasks of the scope run nested in the wait. If one of them waits for progress of the code
 *             after the wait, as in df_retry, it is reported as stuck; df_wait_token sleeps instead.)
 *   df_wait_on2(p, rows, cols, ld);   as df_wait_on, for a block: rows of cols elements of *p, ld elements apart
 *   df_wait_on_list(list, n);      as df_wait_on, for n regions, df_region list[n]
 *   df_region_of(p, n);  df_region2_of(p, rows, cols, ld)
 *             n elements of *p, and a block, as a df_region. A negative count stands for all memory from p on.
 *   DF_PARALLEL { ... }            a scope: waits for its tasks at the closing brace. `break` and, with gcc and
 *             clang, `return` and `goto` leave it like the closing brace. It nests, and is one statement. So do the
 *             blocks of coroutines that share a thread: the one that was opened last ends first.
 *             Errors: an error that no df_wait_result of the block has returned goes to the scope around it.
 *   df_parallel(fn, arg);          DF_PARALLEL as a function: void fn(void *arg) is the block
 *
 *     A waiting thread runs only tasks inside the scope it waits for. So it is safe to hold a lock across a wait,
 *     provided that those tasks do not acquire it. There are two exceptions: in the body of a task with weak
 *     accesses, a wait may run any task that precedes it; and a waiting worker runs preceding tasks that are pinned
 *     to it. Without such a task, a thread that waits sleeps.
 *     Threads: any; each waits for the tasks of its own scope. Not inside an atomic block of df_stm.h.
 */

/* --------------------------------------------------------------------------------- >>speculation
 * Speculative tasks: submission before the condition is known
 *
 *   df_speculate(cond, guess) { submits }         if (!*cond == !guess) { submits }, without waiting for *cond
 *   df_speculate_while(cond, guess) { submits }   while (!*cond == !guess) { submits }, likewise
 *   DF_PREDICATE(name, T, n);   declares a condition on n elements of any type T. The program has declared the function
 *             int name(const T *x) before. n is an expression; the submitter evaluates it at each block.
 *   df_speculate_on(name, x, guess) { submits }         if (!name(x) == !guess) { submits }, likewise
 *   df_speculate_while_on(name, x, guess) { submits }   while (!name(x) == !guess) { submits }, likewise
 *
 *     An iteration that does not wait for its test:
 *
 *         df_submit(test, x, &converged);
 *         df_speculate_while(&converged, 0) {
 *             df_submit(sweep, x);
 *             df_submit(test, x, &converged);
 *         }
 *
 *     cond: a pointer to an integer, a floating-point number or a pointer that tasks write to; -0.0 is false, and NaN
 *     is true, as in an `if`. guess: 0, or not 0. The tasks in the block are submitted, and run, before the tasks that
 *     compute *cond are done, as if *cond were known to be guess. On a misprediction all their effects are rolled
 *     back. Tasks after the block that use their results, df_wait and df_wait_on, wait until the condition is known;
 *     other tasks do not. Blocks nest. If the condition is known already, the block is an `if`, or a `while`.
 *     A loop submits at most df_config.speculate turns whose conditions are unknown. To count the turns that took
 *     effect, submit a task that counts them, because variables of the submitter also count turns that are rolled
 *     back. The block only submits: its other effects are not rolled back. (In the block, df_wait, df_for,
 *     DF_PARALLEL, streams, nodes, launches and tasks with tokens wait until the condition is known, and have no
 *     effect on a misprediction.)
 *     After a misprediction, tasks of the block may run on values that result from it. Even then they must end, and
 *     write only what they declare. df_cancelled() is 1 once the misprediction is known. A task that declares no
 *     writes may exist for its output, so it waits until the condition is known. df_fail and df_cancel take effect
 *     only if the guess is right.
 *     In a cancelled scope no block and no turn is executed. After the block, the submitter may change *cond only
 *     after a wait.
 *     A predicate is for everything else, for example the residuals of a solver:
 *
 *         static int small(const double *r)
 *         {
 *             for (int i = 0; i < BLOCKS; i++) if (r[i] > 1e-9) return 0;
 *             return 1;
 *         }
 *         DF_PREDICATE(small, double, BLOCKS);
 *         ... df_speculate_while_on(small, residual, 0) { submits }
 *
 *     df calls name(x) when the tasks that write any of the n elements are done, at most once for each block or turn:
 *     on the thread of any worker, or, if these tasks are done when the block begins, on that of the submitter. No
 *     task writes there meanwhile. The function only reads these elements, and memory that does not change, because it
 *     is also called for turns that are rolled back. It returns for all values: also for those that result from a
 *     misprediction, or that are as before because the tasks that write them were skipped. It calls no construct of df,
 *     does not wait, and does not throw (the program would terminate). Successors of the block wait for it, so it
 *     should take microseconds: tasks compute, a predicate judges.
 *     `break` ends the block, or the loop, and so do, with gcc and clang, `return` and `goto`; the jump is not rolled
 *     back.
 *     Cost: about 1 us a block, and the call of the predicate. A task costs about 0.5 us and a copy of the regions it
 *     overwrites, unless an earlier task of the block wrote there or the condition is known when it begins. Nothing
 *     else is tracked, because the declarations of the tasks show which of them depend on the prediction. Without
 *     memory for a copy, the task waits.
 *     Threads: any; the block is part of the scope of the thread that executes it.
 *   Errors: with DF_DEBUG, df_spawn in a block whose condition is unknown is reported. A cond of another type (a
 *     structure, an array, a complex number) does not compile, nor does an x of another type than the predicate's. (Of
 *     the latter, gcc before 14 only warns, in C.)
 *   Source: StarSs (TERAFLUX D3.5, 3.1). How it works: docs/internals/speculation.md. */
#define df_speculate(cond, guess)       DFI_SPECULATE(cond, guess, 0)
#define df_speculate_while(cond, guess) DFI_SPECULATE(cond, guess, 1)

#define DF_PREDICATE(name, T, n) DFI_QUIET DFI_PREDICATE(name, T, n) DFI_LOUD_END

#define df_speculate_on(name, x, guess)       DFI_SPECULATE_ON(name, x, guess, 0)
#define df_speculate_while_on(name, x, guess) DFI_SPECULATE_ON(name, x, guess, 1)

/* ----------------------------------------------------------------------------------- >>options
 * Options of a submitted task
 *
 *   df_submit_with(opts, name, args...);   df_submit with options, as in
 *             df_submit_with(DF_OPTS(.priority = 2, .name = "gemm 3,1"), gemm, ...);
 *             opts: a const df_opts *, read during the call; NULL: none.
 *   DF_OPTS(.field = value, ...)   options that live as long as the call that they are written in: &(df_opts){ ... }
 *             in C, and the same in C++11 and later. The fields may be in any order. Parenthesise a value that
 *             contains a comma, because the preprocessor splits arguments at commas.
 *   df_release(p, n);   releases the n elements at p early: the running task, submitted with .release = 1, and its
 *             children so far no longer access them, so successors that need only these elements may start. Called in
 *             the body of a task.
 *             Errors: in a task without .release = 1 the call is reported, and the memory is released when the task
 *             ends.
 *   DF_MAIN_THREAD                 df_opts.worker: worker 0, the thread that started the pool. It runs such tasks
 *             while it waits in df.
 *   DF_HOST                        df_opts.device: the host, which is never a number of a device
 *   DF_ANY_GPU                     df_opts.device: the best device for the launch, as 0
 *   DF_ANY_DEVICE                  df_opts.device: the best device or the host, by the times that the kernel took
 *             there; for kernels of DF_KERNEL_OR, and for df_pick_opts
 *
 *     The options of other calls are written alike: DF_LOOP_OPTS(...), DF_PIPE_OPTS(...), DF_CONFIG(...), and
 *     DF_PICK_OPTS(...) of df_gpu.h. Zero in a field means its default.
 *     Threads: any. */

/* Options of df_submit_with and df_launch_with. */
typedef struct df_opts {
    int priority;                  /* ready tasks with a larger value run first; default 0 */
    int worker;                    /* runs only on worker 1, 2, .. df_workers()-1, or DF_MAIN_THREAD; 0: any. A waiting
                                      worker without other work runs tasks pinned to it, from any scope */
    const char *name;              /* for messages and traces, kept by address; default: the function's */
    struct df_token *const *after; /* DF_TOKENS(&t, &u): the task starts when they are open */
    struct df_token *const *signals; /* DF_TOKENS(...): signalled when the task is done */
    struct df_group *group;        /* df_group_cancel of this group cancels the task */
    int release;                   /* 1: the task calls df_release */
    int device;                    /* of a launch (df_gpu.h): 1, 2, ..; DF_HOST; 0, DF_ANY_GPU: the best device */
    int deterministic;             /* 1: reductions of such tasks are combined in the order of submission */
    struct df_handle *handle;      /* becomes the handle of the task: df_done, df_wait_task */
    void *result;                  /* DF_RESULT(name, &r): the result of the task is stored in r when its body ends; r
                                      must live until the task is done */
} df_opts;
enum { DF_HOST = -1, DF_ANY_GPU = -2, DF_ANY_DEVICE = -3 };
enum { DF_MAIN_THREAD = -1 };
#define DF_OPTS(...) DFI_OPTIONS(df_opts, dfi_opts_fields, __VA_ARGS__)
#if defined(__cplusplus)
/* The fields of df_opts, with storage for the result of DF_TOKENS. */
struct dfi_opts_fields {
    int priority, worker;
    const char *name;
    dfi_token_field after, signals;
    struct df_group *group;
    int release, device, deterministic;
    struct df_handle *handle;
    void *result;
    df_opts made;
};
inline const df_opts *dfi_options_at(dfi_opts_fields &&o)
{
    o.made.priority = o.priority, o.made.worker = o.worker, o.made.name = o.name;
    o.made.after = o.after.get(), o.made.signals = o.signals.get();
    o.made.group = o.group, o.made.release = o.release, o.made.device = o.device;
    o.made.deterministic = o.deterministic;
    o.made.handle = o.handle, o.made.result = o.result;
    return &o.made;
}
#endif
#define df_submit_with(opts, ...) \
    DFI_CAT(DFI_SUBMIT_WITH_, DFI_ARITY(1, DFI_COUNT(__VA_ARGS__)))(opts, __VA_ARGS__)
#define DFI_SUBMIT_WITH_1(opts, name)      DFI_OF(name, _dfi_with)(opts, DFI_SITE)
#define DFI_SUBMIT_WITH_0(opts, name, ...) DFI_STREAM_CALL DFI_OF(name, _dfi_with)(opts, DFI_SITE, __VA_ARGS__)

#define df_release(p, n) DFI_NEEDING(weak, dfi_release((p), DFI_BYTES_OF(n, *(p))))

/* ------------------------------------------------------------------------------------ >>tokens
 * Tokens: ordering that memory accesses cannot express
 *
 *   df_token t = DF_TOKEN(k);      closed until it has been signalled k times, then open for good
 *   DF_TOKEN_EXTERNAL(k)           as DF_TOKEN, for signals from outside of df: tasks that wait for it are not given
 *             up, nor is anything else meanwhile that may follow from it
 *   df_token_init(&t, k);          the same as DF_TOKEN for existing memory, or to use t again when it is open and
 *             all tasks that waited for it have started
 *   df_token_init_external(&t, k); the same as DF_TOKEN_EXTERNAL
 *   df_signal(&t);                 one signal. Everything that the thread did before it is visible to the tasks that
 *             it releases.
 *             Threads: any, also one that never used df (a callback of another library), at any time.
 *             Errors: a signal beyond the k-th is reported with its line and has no effect.
 *   DF_TOKENS(&t, &u)              a list of up to 16 tokens, for df_opts.after and df_opts.signals:
 *             df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .signals = DF_TOKENS(&u)), name, args...);
 *             the task starts when t is open, and signals u when it is done.
 *   df_result df_wait_token(&t);   waits until t is open; meanwhile another thread runs tasks in the caller's place.
 *             Returns DF_OK; DF_ERROR_STUCK if nothing is left that could signal it; DF_ERROR_CANCELLED if a task that
 *             should have signalled it was skipped, or if the running task was cancelled meanwhile, and no wait of it
 *             was ended for that before. In the last case the token may still be closed, and a second call waits.
 *
 *     A token must live until it is open and all tasks that it releases have started.
 *     With DF_SERIAL, DF_TOKEN_EXTERNAL is for events from outside: an interrupt, a signal handler, another thread of
 *     the program (which must also make its data visible). df_signal only counts there, and only one of them may
 *     signal a token at a time. The next wait of the program looks for such signals and runs the released tasks;
 *     while none has come and nothing else is ready, it executes DF_IDLE().
 *     Threads: any.
 *   Errors: when no thread that uses df has any work left, tasks that wait for tokens can only be released by signals
 *     from outside. df gives these tasks up after df_config.patience, but not while a task or thread waits for a
 *     DF_TOKEN_EXTERNAL, an external node or an external stream; or immediately if all signals of their tokens are
 *     promised by such tasks themselves. Each is reported with the line of its submit and skipped like a
 *     cancelled task, and df_wait_token and df_wait_result return DF_ERROR_STUCK.
 *   Source: DFScala and TFLUX (TERAFLUX D3.5); OpenMP's detach. */
typedef struct df_token {
    DFI_ATOMIC(void *) dfi_list;
    DFI_ATOMIC(intptr_t) dfi_need;
    DFI_ATOMIC(intptr_t) dfi_promised;
    const char *dfi_site;
    DFI_ATOMIC(int) dfi_state;
} df_token;
#define DF_TOKEN(k)          { (void *)(uintptr_t)((k) <= 0), (k), 0, DFI_SITE, 0 }
#define DF_TOKEN_EXTERNAL(k) { (void *)(uintptr_t)((k) <= 0), (k), 0, DFI_SITE, 1 }
#define DF_TOKENS(...) DFI_TOKENS(__VA_ARGS__)
#define df_token_init(t, k) DFI_NEEDING(tokens, dfi_token_init((t), (k), DFI_SITE))
#define df_token_init_external(t, k) DFI_NEEDING(tokens, dfi_token_init_external((t), (k), DFI_SITE))
#define df_signal(t)        DFI_MAY_BLOCK(DFI_NEEDING(tokens, dfi_signal((t), DFI_SITE)))
#define df_wait_token(t)    DFI_MAY_BLOCK(DFI_NEEDING(tokens, dfi_wait_token((t), DFI_SITE)))

/* ----------------------------------------------------------------------------------- >>handles
 * Handles: polling and waiting for one task, and its result
 *
 *         df_handle h = DF_HANDLE;
 *         long r;
 *         df_submit_with(DF_OPTS(.handle = &h, .result = DF_RESULT(square, &r)), square, 7);
 *         ...
 *         if (df_wait_task(&h) == DF_OK) printf("%ld\n", r);
 *
 *   df_handle h = DF_HANDLE;   a handle that no task has yet: done, with DF_OK. It can be used again when it is done
 *   int df_done(&h);           1 if the task and its descendants are done, else 0
 *   df_result df_wait_task(&h);           waits until they are: DF_OK; the code with which the task failed (df_fail,
 *             DF_ERROR_EXCEPTION, ..); DF_ERROR_STUCK if it was given up; DF_ERROR_CANCELLED if it did not run
 *             for another reason
 *   df_result df_wait_task_for(&h, ms);   the same for at most ms milliseconds, 0 or more: DF_ERROR_TIMEOUT if the
 *             task is unfinished then. The call is late by at most the rest of the task that the thread runs then
 *   DF_RESULT(name, p)         p as a void *, if it points to the result type of task name; else it does not compile
 *
 *     The handle and the result must live until the task is done: until one of these calls says so, or a wait for the
 *     scope of the task has ended. After that the handle is a plain value. Reads of the result are ordered by these
 *     calls and by waits for the scope, and not by accesses of tasks. The error of a task goes to its scope in any
 *     case. A task without a handle costs nothing more.
 *     While a thread waits for a child of its own scope, it runs other children of that scope; for another task it
 *     sleeps, and another thread takes its place. With one worker, df_done runs a task, and with several it does so now
 *     and then, so that a loop of calls ends.
 *     A task that is skipped (its scope or group is cancelled, a predecessor that should have written its input was
 *     skipped, or it was given up) stores no result. A task of a df_speculate block that has a handle or a result waits
 *     until the condition is known; on a misprediction it is not submitted, as in an `if`, and its handle stays as it
 *     was before the call. Runs of a task graph have no handles, and store results.
 *     Threads: any may poll and wait. A task must not wait for itself or for its parent: that wait never ends.
 *     Errors: a handle that is overwritten before its task is done is reported, and not written.
 *     Cost: about 50 ns. */
typedef struct df_handle {
    df_token dfi_done;
    DFI_ATOMIC(int) dfi_code;
    uintptr_t dfi_scope;
    const void *dfi_task;
    struct df_handle *dfi_outer;
} df_handle;
#define DF_HANDLE { DF_TOKEN(0), 0, 0, NULL, NULL }
#if defined(DFI_GENERIC) && (DFI_GNU || defined(__TINYC__)) /* in a macro of this file gcc shows no warning */
#define DF_RESULT(name, p) \
    DFI_GENERIC((p), __typeof__(((DFI_CAT(name, _future) *)NULL)->dfi_result) *: (void *)(p))
#else
#define DF_RESULT(name, p) \
    ((void)sizeof(1 ? (p) : &((DFI_CAT(name, _future) *)NULL)->dfi_result), (void *)(p))
#endif
#define df_done(h)              DFI_NEEDING(tokens, dfi_done_here(DFI_SITE, (h)))
#define df_wait_task(h)         DFI_MAY_BLOCK(DFI_NEEDING(tokens, dfi_wait_task_here(DFI_SITE, (h))))
#define df_wait_task_for(h, ms) DFI_MAY_BLOCK(DFI_NEEDING(tokens, dfi_wait_task_timed_here(DFI_SITE, (h), (ms))))

/* ------------------------------------------------------------------------------------- >>nodes
 * Nodes: tasks that start when all their inputs have been given
 *
 *   df_node(name) *n = df_node_new(name);     creates a child of the current scope; NULL without memory
 *   df_node(name) *n = df_node_new_external(name);   the same for inputs from outside of df: from a thread that does
 *             not use df otherwise, at any time. The node is not given up
 *   df_node_set(name, n, param, value);       gives parameter `param` of task `name` its value, which is copied. With
 *             the last one the node may start, and n must not be used any more.
 *             Errors: giving a parameter twice is reported with its line and has no effect. NULL for n: no effect.
 *
 *     A node fires when each parameter has been given once. Pointers count like values, and access modes impose no
 *     ordering, because the inputs do. A node no longer exists once it has fired. Tasks with stream parameters cannot
 *     be nodes. Inputs as values that tasks pass on, df_output(T): impl/api/output.h.
 *     Threads: any, from any task.
 *   Errors: a node that can no longer fire is reported at the end of its scope with its missing inputs, and skipped
 *     (see >>tokens for when that is). An input that comes later is reported and has no effect.
 *   Source: DFScala (TERAFLUX D3.5, 2.2). */
#define df_node(name)                         struct DFI_CAT(name, _dfi_node)
#define df_node_new(name)                     DFI_OF(name, _dfi_node_new)(DFI_SITE)
#define df_node_new_external(name)            ((df_node(name) *)dfi_node_external(df_node_new(name)))
#define df_node_set(name, node, param, value) \
    DFI_MAY_BLOCK(DFI_OF(DFI_CAT(name, _dfi_set_), param)((node), (value), DFI_SITE))
#include "impl/api/output.h"

/* ----------------------------------------------------------------------------------- >>streams
 * Streams: bounded buffers that pass data from task to task, in order
 *
 *     df_stream_new makes a stream, and df_push, df_pop, df_peek are the parameters of tasks that use it:
 *     impl/api/stream_public.h. */
#include "impl/api/stream_public.h"

/* ------------------------------------------------------------------------------------- >>loops
 * Parallel loops and wavefronts
 *
 *   DF_LOOP(name, param, ...);     declares  void name(long lo, long hi, ...), which executes the iterations lo ..
 *             hi-1; 0 to 16 parameters, as of DF_TASK, but no stream windows. At file scope.
 *   DF_LOOP2(name, param, ...);    as DF_LOOP, with (long lo0, long hi0, long lo1, long hi1, ...), for a rectangle
 *   DF_LOOP3(name, param, ...);  DF_LOOP4
 *             as DF_LOOP2, for a box of three or four dimensions
 *   DF_LOOP_OVER(T, name, param, ...);   declares  void name(T *lo, T *hi, ...), which executes the iterations for the
 *             elements *lo .. hi[-1] of an array: the control variable is a pointer. T: any object type, with const
 *             if the function only reads. The range is no access: if tasks of this scope use the elements, add a
 *             parameter such as df_inout_range(T, b, e). At file scope.
 *   DF_STATIC_LOOP(name, param, ...);  DF_STATIC_LOOP2;  DF_STATIC_LOOP3;  DF_STATIC_LOOP4
 *             as DF_LOOP and the like, with internal linkage
 *   DF_STATIC_LOOP_OVER(T, name, param, ...);   as DF_LOOP_OVER, with internal linkage
 *   df_for(name, lo, hi, args...); runs the loop over [lo, hi) on all workers and waits; no effect if hi <= lo. lo
 *             and hi are long; for a loop of DF_LOOP_OVER they are pointers to T, at most LONG_MAX elements apart, and
 *             .step counts elements:
 *
 *                 DF_LOOP_OVER(double, scale, (double, factor));
 *                 void scale(double *lo, double *hi, double factor)
 *                 {
 *                     for (double *p = lo; p < hi; p++) *p *= factor;
 *                 }
 *                 ... df_for(scale, x, x + n, 0.5);
 *
 *   df_for2(name, lo0, hi0, lo1, hi1, args...);  df_for3;  df_for4
 *             runs a loop of DF_LOOP2, of DF_LOOP3, of DF_LOOP4
 *   df_for_with(opts, name, lo, hi, args...);  df_for2_with;  df_for3_with;  df_for4_with
 *             df_for with options: df_for_with(DF_LOOP_OPTS(.grain = 64, .schedule = DF_DYNAMIC), f, 0, n);
 *             opts: a const df_loop *, read during the call; NULL: none.
 *   DF_LOOP_OPTS(.field = value, ...)   options for these calls, as DF_OPTS for df_submit_with
 *
 *     df calls the function for chunks of the range, on several workers concurrently; iterations must not depend on
 *     each other. Chunk sizes adapt while the loop runs, to the time per iteration and to the number of idle workers,
 *     so cheap, expensive and irregular iterations need no tuning. The range is offered to all workers before the
 *     first iteration begins, unless the last loops of this declaration were short: short loops run on the calling
 *     thread. If such a loop turns out to be long, the rest is offered after 1 to 2 milliseconds, or after its first
 *     iteration. Parameters are those of tasks. Their access modes order the loop after the tasks that the same scope
 *     has submitted so far; the loop is done when df_for returns. df_reduce: chunks accumulate concurrently into
 *     private copies. df combines the copies at the end, in any order, or in the order of the iterations if
 *     .deterministic (or df_config.deterministic) is set or the operator is a DF_ORDERED_REDUCTION. Tasks that the
 *     function submits are done when df_for returns; tasks of different iterations are not ordered among each other.
 *     After df_cancel in the function, chunks that have not begun are left out; after df_fail likewise, and the error
 *     goes to the enclosing scope. Loops nest, in tasks and in each other.
 *     Serial build, or one worker: one call for the whole range.
 *     Threads: any, also in tasks and loops.
 *     Cost: about 30 ns to enter and leave, with several workers 180 ns.
 *
 *   df_first_touch(p, bytes);      writes to each page of the memory [p, p + bytes) once, without changing what is in
 *             it: worker k to the k-th of as many equal parts as there are workers. On a machine with several NUMA
 *             nodes the system places a page in the node of the thread that writes to it first. Call it for memory
 *             that is new from the system, before anything is stored there, and then use that memory in loops with
 *             .schedule = DF_STATIC over all of it, in which worker k prefers the k-th part as well. Pages that were
 *             written before are not moved. No other thread may access the memory meanwhile:
 *
 *                 double *x = (double *)malloc(n * sizeof *x);
 *                 df_first_touch(x, n * sizeof *x);
 *                 df_for_with(DF_LOOP_OPTS(.schedule = DF_STATIC), scale, x, x + n, 0.5);
 *
 *             p may be NULL and bytes 0: no effect. Workers that no CPU is assigned to (df_config.cpuset) may move to
 *             another node later.
 *             Cost: that of a loop, and 0.1 us or more for each page of 4096 bytes that the system has to provide.
 *
 *   df_wavefront(name, vectors, lo0, hi0, lo1, hi1, args...);   runs a loop nest of 1 to 3 dimensions whose
 *             iterations depend on earlier ones, and waits; the bounds are those of df_for, df_for2 or df_for3
 *   df_wavefront_with(opts, name, vectors, bounds..., args...);   df_wavefront with options: .grain, .grain1, .grain2
 *             are the sizes of the tiles, in iterations
 *   DF_VECTORS({1, 0}, {0, 1})     the dependences of df_wavefront: a list of vectors, which lives as long as the
 *             call
 *
 *     An iteration x starts when x - v is done, for each of the vectors v: {1, 0} and {0, 1} are the neighbours above
 *     and to the left. The iteration space is split into tiles, and each tile starts when its predecessors are done.
 *     The function must traverse its tile in the order of the serial loops, outermost dimension first. The first
 *     component of a vector that is not 0 must be positive, so that x - v comes earlier in that order.
 *     Reductions are combined in any order; with a DF_ORDERED_REDUCTION the loop runs in serial order. If a vector
 *     has a negative component, as in {1, -1}, tiles are as thin in the vector's first dimension as the magnitude of
 *     that component: make the other dimensions of the tiles long.
 *   Errors: a negative .grain, or a vector that points forward, is reported with its line; the loop then runs with
 *     grain 0, the wavefront in serial order, and so does a wavefront of four dimensions. A loop with .exact whose
 *     steps do not reach hi is reported with its line, and does not run.
 *   Source: MetaFork's meta_for and the dependencies of its meta_pipe (thesis, 3 and 5); OpenMP's schedules. */
#define DF_LOOP(...)         DFI_QUIET DFI_LOOP(extern, 1, long, __VA_ARGS__) DFI_LOUD_END
#define DF_LOOP2(...)        DFI_QUIET DFI_LOOP(extern, 2, long, __VA_ARGS__) DFI_LOUD_END
#define DF_LOOP3(...)        DFI_QUIET DFI_LOOP(extern, 3, long, __VA_ARGS__) DFI_LOUD_END
#define DF_LOOP4(...)        DFI_QUIET DFI_LOOP(extern, 4, long, __VA_ARGS__) DFI_LOUD_END
#define DF_STATIC_LOOP(...)  DFI_QUIET DFI_LOOP(static, 1, long, __VA_ARGS__) DFI_LOUD_END
#define DF_STATIC_LOOP2(...) DFI_QUIET DFI_LOOP(static, 2, long, __VA_ARGS__) DFI_LOUD_END
#define DF_STATIC_LOOP3(...) DFI_QUIET DFI_LOOP(static, 3, long, __VA_ARGS__) DFI_LOUD_END
#define DF_STATIC_LOOP4(...) DFI_QUIET DFI_LOOP(static, 4, long, __VA_ARGS__) DFI_LOUD_END
#define DF_LOOP_OVER(T, ...)        DFI_QUIET DFI_LOOP(extern, dfi_pointer, T, __VA_ARGS__) DFI_LOUD_END
#define DF_STATIC_LOOP_OVER(T, ...) DFI_QUIET DFI_LOOP(static, dfi_pointer, T, __VA_ARGS__) DFI_LOUD_END

/* The division of a loop into chunks: df_loop.schedule. The last chunk has the remaining iterations. */
enum df_schedule {
    DF_AUTO,    /* chunks of 5 us to 250 us, and of at least .grain iterations */
    DF_STATIC,  /* equal chunks, one per worker: a worker runs the chunk of its own number first, if that is left, and
                   then any other; with .grain: chunks of .grain iterations, for any worker */
    DF_DYNAMIC, /* chunks of .grain iterations, 1 by default */
    DF_GUIDED   /* a chunk is the rest of the range divided by twice the workers, at least .grain iterations, 1 by
                   default */
};
/* Options of df_for_with and df_wavefront_with; zero in a field means its default. The numbered fields are for the
 * second to fourth dimension. */
typedef struct df_loop {
    int schedule;             /* enum df_schedule */
    long grain;               /* iterations of the first dimension per chunk; 0: the schedule decides */
    long grain1, grain2;      /* the same for the others; 0: not divided, unless the first alone is too short */
    long step, step1, step2;  /* 0 means 1. The lo of each call is the lo of the loop + k * step, and the function
                                 advances in steps; negative: from lo down to above hi, and the function is called
                                 with lo > hi */
    int unsigned_range;       /* 1: the bounds are unsigned long, passed as long of the same bits */
    int deterministic;        /* 1: reductions give the same bits for any number of workers */
    int workers;              /* at most this number of workers, the caller included, run chunks of the loop at a time;
                                 0: all. For a wavefront: 1 is serial order, other numbers are reported */
    long grain3, step3;       /* of the fourth dimension */
    int exact;                /* 1: the condition is i != hi, instead of i < hi or i > hi, and may be so in the
                                 function: in each dimension the steps reach hi exactly. If they do not, so that the
                                 serial loop would not end, this is reported, and the loop does not run */
} df_loop;
#define DF_LOOP_OPTS(...) DFI_OPTIONS(df_loop, df_loop, __VA_ARGS__)
/* A row of DF_VECTORS: the distance to an iteration that comes earlier, in each dimension; unused dimensions are 0. */
typedef long df_vector[3];
#define DF_VECTORS(...) DFI_VECTORS(__VA_ARGS__)

#define df_for(name, ...)             DFI_OF(name, _dfi_for)(NULL, NULL, DFI_SITE, __VA_ARGS__)
#define df_for2(name, ...)            DFI_OF(name, _dfi_for)(NULL, NULL, DFI_SITE, __VA_ARGS__)
#define df_for3(name, ...)            DFI_OF(name, _dfi_for)(NULL, NULL, DFI_SITE, __VA_ARGS__)
#define df_for4(name, ...)            DFI_OF(name, _dfi_for)(NULL, NULL, DFI_SITE, __VA_ARGS__)
#define df_for_with(opts, name, ...)  DFI_OF(name, _dfi_for)(opts, NULL, DFI_SITE, __VA_ARGS__)
#define df_for2_with(opts, name, ...) DFI_OF(name, _dfi_for)(opts, NULL, DFI_SITE, __VA_ARGS__)
#define df_for3_with(opts, name, ...) DFI_OF(name, _dfi_for)(opts, NULL, DFI_SITE, __VA_ARGS__)
#define df_for4_with(opts, name, ...) DFI_OF(name, _dfi_for)(opts, NULL, DFI_SITE, __VA_ARGS__)
#define df_first_touch(p, bytes)      DFI_NEEDING(loops, dfi_first_touch((p), (bytes), DFI_SITE))
#define df_wavefront(name, vectors, ...) DFI_OF(name, _dfi_for)(NULL, vectors, DFI_SITE, __VA_ARGS__)
#define df_wavefront_with(opts, name, vectors, ...) DFI_OF(name, _dfi_for)(opts, vectors, DFI_SITE, __VA_ARGS__)

/* --------------------------------------------------------------------------------- >>pipelines
 * Pipelines whose stages are chosen while they run
 *
 *     DF_PIPE declares the stages of a pipeline, and df_pipe runs it: impl/api/pipe.h. */
#include "impl/api/pipe.h"

/* ------------------------------------------------------------------------------------ >>errors
 * Errors and cancellation
 *
 *   df_fail(code, text)   the scope of the running task fails: its tasks that have not started are skipped.
 *             code: not 0; those of a program are positive, because those of df_result are negative. text: up to 99
 *             bytes, copied. The first error of a scope counts. The body continues, and should return soon.
 *             Errors: code 0 is reported and becomes -1.
 *   df_cancel()           as df_fail, without an error: df_wait_result returns DF_ERROR_CANCELLED
 *   df_cancelled()        1 if the running task belongs to a scope or group that is cancelled: return soon; else 0
 *   df_cancel_hook_set, df_cancel_hook_clear   a function that is called when the running task is cancelled:
 *             impl/api/cancel.h
 *   df_wait_result()      df_wait, then the code of the first error, else DF_ERROR_CANCELLED if the scope or one around
 *             it is cancelled, else DF_OK. The scope can be used again afterwards.
 *   df_wait_for(ms)       df_wait_result for at most ms milliseconds, 0 or more: DF_ERROR_TIMEOUT if tasks are
 *             unfinished then. Everything is then as before the call: the tasks continue, more can be submitted, and
 *             another wait, or the end of the block, waits for the rest:
 *
 *                 while (df_wait_for(100) == DF_ERROR_TIMEOUT) draw_progress();
 *
 *             The thread runs tasks of its scope meanwhile: at least one if one is ready, and no further one when the
 *             time is over. So the call returns late by at most the rest of the task that the thread runs then, and
 *             the time to wake up. Tasks that wait for tokens are not given up during the call, except cycles,
 *             because the code after it may signal. A replay of a record fits by chance (docs/schedule.md). With
 *             DF_SERIAL the call ends when no task can continue; while it waits for a DF_TOKEN_EXTERNAL, ms counts
 *             the executions of DF_IDLE().
 *             Errors: a negative time is reported, and counts as 0.
 *   const char *df_error_text(r)   a description of the result r: one sentence, never NULL. For a code that
 *             df_wait_result has returned to this thread, the text of df_fail or what() of the exception, until its
 *             next wait.
 *   df_group g = DF_GROUP;  df_group_cancel(&g);   a group of tasks, submitted with .group = &g, and its
 *             cancellation: of the tasks, their children, and their successors if the cancelled tasks should have
 *             written memory or signalled a token. The group must exist until its tasks are done. Any thread may
 *             cancel it, at any time.
 *
 *     A cancelled task that sleeps in df_wait_token or df_retry is woken, once in each body or block: df_wait_token
 *     returns DF_ERROR_CANCELLED, and df_retry leaves its block as df_abort does. So what comes after may clean up and
 *     wait. df_mutex_lock, df_wait_task and df_yield_blocking are not ended: code behind them relies on the lock, the
 *     result or the call.
 *     If a thread ends inside a body, by pthread_exit or cancellation, the task fails with DF_ERROR_THREAD and
 *     waiting threads continue. A body must not be left by longjmp, because df would not notice its end, and the code
 *     that called setjmp may be on the stack of another thread. DF_CHECK reports it where it can.
 *     C++: an exception that leaves the body of a task fails the scope like df_fail. df_wait(), the end of
 *     DF_PARALLEL, df_sync, df_for, df_wavefront and df_pipe rethrow it; df_wait_result returns DF_ERROR_EXCEPTION.
 *     See docs/cxx.md.
 *     In a block, or outside of tasks, the scope is the caller's own: the one that df_wait waits for. The
 *     cancellation ends with the wait. An error that no wait has returned by the end of its scope propagates to the
 *     enclosing task's scope, and finally to the thread, which reports it when it ends. Skipped tasks signal their
 *     tokens, and the tasks that wait for these tokens are skipped; df_counters.skipped counts them all.
 *     Threads: any. df_fail, df_cancel and df_cancelled act on the task that the calling thread runs. */
typedef struct df_group { DFI_ATOMIC(int) dfi_cancelled; } df_group;
#define DF_GROUP { 0 }
#include "impl/api/cancel.h"

/* ---------------------------------------------------------------------------------- >>blocking
 * Locks and blocking calls inside tasks
 *
 *   df_mutex m = DF_MUTEX;         a lock, unlocked; with static or automatic storage. It is not copied, and needs no
 *             end.
 *   df_result df_mutex_lock(&m);   locks it. While a task waits for the lock, another thread runs tasks in its place.
 *             A lock may be held across a wait: the tasks that run meanwhile belong to the scope that the wait is
 *             for. Returns DF_OK, or DF_ERROR_DEADLOCK if the caller's thread holds the lock already (not locked
 *             then, and reported). Locks are not handed over in the order of the calls.
 *   df_result df_mutex_trylock(&m);   df_mutex_lock without waiting. Returns DF_OK if it is locked now,
 *             DF_ERROR_DEADLOCK if any thread holds it.
 *   df_mutex_unlock(&m);           unlocks it; by the thread that locked it.
 *             Errors: a lock that the calling thread does not hold is reported and stays as it is.
 *   df_yield_blocking(fn, arg);    calls fn(arg), which may block in the operating system: meanwhile another thread
 *             takes the worker's place. void fn(void *arg) runs on the calling thread.
 *
 *     In these calls, in df_retry (df_stm.h) and in df_wait_token, a task may wait for actions that any other task or
 *     its submitter performs later, even with one worker. For that reason, a program that calls one of them,
 *     df_signal or df_node_set queues its tasks: a single worker does not run them inside df_submit
 *     (impl/api/may_block.h). With DF_SERIAL such tasks have stacks of their own, of 1 MiB, with gcc and clang on
 *     x86-64, i386, AArch64 and RISC-V, and with any compiler where glibc or a BSD has <ucontext.h>. Elsewhere the
 *     tasks that run during a wait are nested in it. A wait that only code below it on the stack could end is given
 *     up with a message and DF_ERROR_STUCK.
 *     Threads: any. */
typedef struct df_mutex {
    DFI_ATOMIC(int) dfi_state;
    DFI_ATOMIC(void *) dfi_owner;
    DFI_ATOMIC(const char *) dfi_site; /* file and line of the lock call */
} df_mutex;
#define DF_MUTEX { 0, NULL, NULL }

/* ------------------------------------------------------------------------------------- >>limits
 * Limits: how many tasks may use a resource at a time; how many workers may run a part of the program
 *
 *     A task with df_limit(s, k) holds k units of a semaphore while it runs: impl/api/limits.h.
 *     The tasks of DF_IN_ARENA(&a) { } and DF_PARALLEL_AT_MOST(n) { } run on at most so many workers:
 *     impl/api/arena.h. */

/* -------------------------------------------------------------------------------------- >>life
 * Start, settings and stop
 *
 *   df_result df_start(config)     starts the pool; the calling thread becomes worker 0. config: a const df_config *,
 *             read during the call; NULL: all defaults.
 *             Returns DF_OK; DF_ERROR_STARTED: df runs already (settings, which then have no effect, are an error in
 *             the log); DF_ERROR_MEMORY. A thread that the system refuses is no error: fewer workers run, and one
 *             warning is logged.
 *   df_stop()                      waits for the caller's tasks, and ends the helper threads. The next construct
 *             starts them again, with the defaults, and so does df_start.
 *             Errors: a call inside of a task or a construct is reported and has no effect.
 *   DF_CONFIG(.field = value, ...)   settings for df_start, as in df_start(DF_CONFIG(.workers = 4))
 *
 *     All of this is optional: the first construct starts the pool with the defaults, and the pool ends with the
 *     process. The child of a fork begins with a pool of its own, which its first construct starts.
 *     Threads: any, outside of tasks and DF_PARALLEL, while no other thread uses df. */

/* Settings of df_start. Zero in a field means its default. A field takes precedence over the environment variable named
 * with it.
 * Errors: a value that is out of range is reported, and the default is used. */
typedef struct df_config {
    int workers;          /* number of threads that run tasks, including the caller; DF_WORKERS; default: the CPUs
                             of the affinity mask, at most as many as the cgroup quota allows */
    const char *cpuset;   /* "1,2,6,8" or "0-11,20-31": pins workers to these CPUs, one worker for each CPU unless
                             `workers` is set. "close", "spread": to all CPUs of the process, one hyper-thread of each
                             core first, node after node, or each NUMA node in turn; with ":cores" after it: to one
                             hyper-thread of each core only. DF_CPUSET; default: not pinned */
    size_t deque;         /* capacity of a worker's deque in spawned or ready tasks, at least 2; further tasks run
                             immediately on the calling thread; DF_DEQUE; default 16384 */
    size_t window;        /* largest number of unfinished tasks per scope; DF_WINDOW; default 2048 */
    size_t stack_bytes;   /* stack size of helper threads; DF_STACK; default: the system's, but if that is
                             below 1 MiB (musl) as large as the main thread's, and at least 8 MiB if the stack of the
                             main thread has no limit (ulimit -s unlimited) */
    int defer;            /* 1: a single worker also queues the tasks of df_submit, as several workers do, instead of
                             running each immediately; to examine edges and order; DF_DEFER; default 0 */
    int deterministic;    /* 1: reductions give the same bits for any number of workers; DF_DETERMINISTIC; default 0 */
    size_t rename_bytes;  /* memory for renaming, in bytes: a df_out that would wait for earlier accesses to its region,
                             while a worker is idle, gets its own buffer and starts. Bodies must then use the pointer
                             that they are given; DF_RENAME_BYTES; default 0: off */
    int speculate;        /* turns of df_speculate_while that are submitted before the condition of the first is known;
                             negative: df_speculate and df_speculate_while wait for their conditions; DF_SPECULATE (0:
                             wait); default 2 */
    int capture;          /* 1: df recognises repeated sequences of tasks that a scope submits between two waits,
                             and then orders them without dependence analysis (docs/guide/task-graphs.md); DF_CAPTURE;
                             default 0 */
    int patience;         /* seconds without progress before tasks that wait for tokens or inputs are given up;
                             DF_PATIENCE; default 2 */
    double stall;         /* seconds without progress before df reports threads and tasks that wait (docs/stall.md);
                             negative: never; DF_STALL (0: never); default: never, or 2 with DF_CHECK */
    const char *graph;    /* a file that ends in .dot or .txt: receives tasks and their dependences when df stops
                             and at the end of the process (docs/graph.md); DF_GRAPH; default: none */
    int graph_depth;      /* deepest level of nested tasks shown, 1: no nested tasks; DF_GRAPH_DEPTH; default: all */
    const char *trace;    /* a trace, when and where everything ran: a file that ends in .json, for Perfetto and
                             chrome://tracing, or in .html, for any browser (docs/trace.md); DF_TRACE; default: none */
    const char *stats;    /* "1": the times of tasks by name, and what the workers did, are logged when df stops and at
                             the end of the process (docs/stats.md); a file that ends in .txt: written to the file;
                             DF_STATS; default: none */
    const char *progress; /* "1": tasks done, their rate and the time that is left are shown in one line, if stderr is a
                             terminal; "always": a line per second in the log, level 3; a file that ends in .txt: the
                             same lines in the file (docs/progress.md); DF_PROGRESS; default: none */
    const char *schedule; /* "seed:42": ready tasks run in an order drawn from this seed, 1 or more; "record:FILE":
                             writes the order of this run to the file; "seed:42,record:FILE": both; "replay:FILE":
                             repeats the recorded order (docs/schedule.md); DF_SCHEDULE; default: none */
    unsigned chaos;       /* deprecated, like the next two, and removed in 1.0: write .schedule = "seed:42" */
    const char *record;   /* .schedule = "record:FILE" */
    const char *replay;   /* .schedule = "replay:FILE" */
    /* called with each message: a line that begins with "df: ", without its end; by any thread, by several at a time.
       level: 1 error, 2 warning, 3 a line of statistics; default: stderr */
    void (*log)(void *log_arg, int level, const char *text);
    void *log_arg;        /* the first argument of log */
    /* called by each thread that begins to run tasks, before its first one (>>workers); worker: df_worker() of the
       thread. DF_MINIMAL: never called */
    void (*worker_start)(void *worker_arg, int worker);
    void (*worker_stop)(void *worker_arg, int worker); /* called by each of these threads after its last task */
    void *worker_arg;     /* the first argument of both */
    const char *thread_name; /* prefix of the names of helper threads, which debuggers and profilers show on Linux: "df"
                             gives "df 1", "df 2" ..; at most 15 bytes with the number; "": the name of the program;
                             default "df" */
} df_config;
#define DF_CONFIG(...) DFI_OPTIONS(df_config, df_config, __VA_ARGS__)

/* ----------------------------------------------------------------------------------- >>workers
 * Workers
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

/* ------------------------------------------------------------------------------------- >>storage
 * Storage per worker
 *
 *     A variable with one element for each thread that runs tasks, which needs no lock: impl/api/storage.h. */

/* ----------------------------------------------------------------------------------- >>version
 * Version
 *
 *   DF_VERSION_MAJOR, DF_VERSION_MINOR, DF_VERSION_PATCH   the version of this header: integers, for #if
 *   DF_VERSION                     10000 * major + 100 * minor + patch, for #if: 900 for 0.9.0
 *   DF_VERSION_STRING              "0.9.0"
 *   int df_version()               DF_VERSION of the implementation that this program uses
 *
 *     All files of a program need the same version; docs/versions.md says what a number promises.
 *     Threads: any. */

/* ---------------------------------------------------------------------------------- >>counters
 * Counters
 *
 *   df_result df_counters_get(&counters)   fills a df_counters with the current values. Always DF_OK.
 *             Cost: reads the counters of all workers.
 *
 *     Statistics by name of task, with times, are those of DF_STATS (docs/stats.md).
 *     Threads: any, at any time. */

/* Counters since the program started; exact when no task runs. Counters of absent parts stay 0 (docs/size.md). */
typedef struct df_counters {
    uint64_t tasks;   /* tasks of df_submit that ran */
    uint64_t edges;   /* dependences of a submitted task on an unfinished predecessor */
    uint64_t steals;  /* tasks and futures stolen from another worker */
    uint64_t parks;   /* times a worker parked (went to sleep) */
    uint64_t skipped; /* tasks not run because they were cancelled */
    uint64_t renamings; /* outputs that got their own buffer */
    uint64_t copies;  /* private copies made for reductions */
    uint64_t speculated; /* tasks of df_speculate that ran before their condition was known */
    uint64_t undone;  /* tasks of df_speculate that did not run, because a misprediction was known before */
    uint64_t transactions; /* outermost atomic blocks of df_stm.h that ended with effect */
    uint64_t aborts;  /* times such a block was rolled back and run again, for any reason except df_retry */
    uint64_t launches; /* kernels of df_gpu.h given to devices */
    uint64_t bytes_in, bytes_out; /* bytes moved to devices, from the host and between devices; bytes moved to the
                                     host */
} df_counters;

DFI_EXTERN_C_BEGIN
DFI_API df_result df_start(const df_config *config);
DFI_API void df_stop(void);
DFI_API int df_workers(void);
DFI_API int df_workers_set(int n);
DFI_API int df_worker(void);
DFI_API int df_worker_bound(void);
DFI_API df_result df_counters_get(df_counters *counters);
DFI_API const char *df_error_text(df_result r);
DFI_API int df_version(void);

DFI_API void dfi_token_init(df_token *t, long k, const char *site);
DFI_API void dfi_token_init_external(df_token *t, long k, const char *site);
DFI_API void dfi_signal(df_token *t, const char *site);
DFI_API df_result dfi_wait_token(df_token *t, const char *site);
DFI_API int dfi_done_here(const char *site, df_handle *h);
DFI_API df_result dfi_wait_task_here(const char *site, df_handle *h);
DFI_API df_result dfi_wait_task_timed_here(const char *site, df_handle *h, int ms);
DFI_API void dfi_release(const void *p, size_t bytes);
DFI_API void df_fail(int code, const char *text);
DFI_API void df_cancel(void);
DFI_API int df_cancelled(void);
DFI_API df_result df_wait_result(void);
DFI_API df_result df_wait_for(int ms);
DFI_API void df_group_cancel(df_group *g);
DFI_API df_result df_mutex_lock(df_mutex *m);
DFI_API df_result df_mutex_trylock(df_mutex *m);
DFI_API void df_mutex_unlock(df_mutex *m);
DFI_API void df_yield_blocking(void (*fn)(void *arg), void *arg);
DFI_EXTERN_C_END

/* A region of memory, made by df_region_of and df_region2_of. */
typedef struct df_region {
    const void *p;   /* the first byte */
    size_t bytes;    /* bytes of a row */
    size_t rows;     /* number of rows; 1: an array */
    size_t distance; /* bytes from the beginning of a row to that of the next one; any with one row */
} df_region;
#define df_region_of(p, n)               dfi_region_from((p), sizeof *(p), 1, (n), 0)
#define df_region2_of(p, rows, cols, ld) dfi_region_from((p), sizeof *(p), (rows), (cols), (ld))
DFI_INLINE df_region dfi_region_bytes_at(const void *p, size_t bytes)
{
    df_region r;
    r.p = p, r.bytes = bytes, r.rows = 1, r.distance = 0;
    return r;
}
DFI_INLINE df_region dfi_region_from(const void *p, size_t size, long long rows, long long cols, long long ld)
{
    df_region r;
    r.p = p;
    r.bytes = dfi_count_bytes(cols, size), r.rows = dfi_count_bytes(rows, 1), r.distance = dfi_count_bytes(ld, size);
    return r;
}

DFI_EXTERN_C_BEGIN
DFI_API void df_wait_on(const void *p, size_t bytes);
DFI_API void df_wait_on_list(const df_region *list, int n);
DFI_API void df_wait(void);
DFI_API void df_parallel(void (*fn)(void *arg), void *arg);
DFI_EXTERN_C_END

DFI_EXTERN_C_BEGIN
DFI_API void dfi_wait_here(const char *site);
DFI_API df_result dfi_wait_result_here(const char *site);
DFI_API df_result dfi_wait_timed_here(const char *site, int ms);
DFI_API void dfi_wait_on_list_here(const char *site, const df_region *list, int n);
DFI_API df_result dfi_mutex_lock_here(const char *site, df_mutex *m);
DFI_API df_result dfi_mutex_trylock_here(const char *site, df_mutex *m);
DFI_API void dfi_yield_here(const char *site, void (*fn)(void *arg), void *arg);
DFI_API void dfi_yield(const char *what, const char *site, void (*fn)(void *arg), void *arg);
DFI_EXTERN_C_END
DFI_INLINE void dfi_wait_on_here(const char *site, df_region r) { dfi_wait_on_list_here(site, &r, 1); }
#define df_wait_on2(p, rows, cols, ld) \
    DFI_NEEDING(dataflow, dfi_wait_on_here(DFI_SITE, df_region2_of((p), (rows), (cols), (ld))))
/* In a parallel build these calls also pass their file and line, for the stall report. */
#if !defined(DF_SERIAL)
#define df_wait()             DFI_NEEDING(dataflow, dfi_wait_here(DFI_SITE))
#define df_wait_result()      DFI_NEEDING(errors, dfi_wait_result_here(DFI_SITE))
#define df_wait_for(ms)       DFI_NEEDING(errors, dfi_wait_timed_here(DFI_SITE, (ms)))
#define df_wait_on(...)       DFI_NEEDING(dataflow, dfi_wait_on_here(DFI_SITE, dfi_region_bytes_at(__VA_ARGS__)))
#define df_wait_on_list(...)  DFI_NEEDING(dataflow, dfi_wait_on_list_here(DFI_SITE, __VA_ARGS__))
#define df_workers_set(n)     DFI_NEEDING(blocking, (df_workers_set)(n))
#define df_mutex_lock(m)      DFI_MAY_BLOCK(DFI_NEEDING(blocking, dfi_mutex_lock_here(DFI_SITE, m)))
#define df_mutex_trylock(m)   DFI_NEEDING(blocking, dfi_mutex_trylock_here(DFI_SITE, m))
#define df_yield_blocking(...) DFI_MAY_BLOCK(DFI_NEEDING(blocking, dfi_yield_here(DFI_SITE, __VA_ARGS__)))
#endif
#define df_fail(code, text) DFI_NEEDING(errors, (df_fail)((code), (text)))
#define df_cancel()         DFI_NEEDING(errors, (df_cancel)())
#define df_cancelled()      DFI_NEEDING(errors, (df_cancelled)())
#define df_group_cancel(g)  DFI_NEEDING(errors, (df_group_cancel)(g))

#if DFI_GNU
#define DFI_AT_END_OF_BLOCK __attribute__((cleanup(dfi_scope_leave)))
#else
#define DFI_AT_END_OF_BLOCK
#endif
#include "impl/api/throw_wait.h"
#if !DFI_EXCEPTIONS
#define DF_PARALLEL                                                                         \
    for (DFI_AT_END_OF_BLOCK struct dfi_parallel_block DFI_CAT(dfi_b_, __LINE__) =          \
             DFI_NEEDING(dataflow, dfi_scope_enter(DFI_SITE));                              \
         DFI_CAT(dfi_b_, __LINE__).open; dfi_scope_leave(&DFI_CAT(dfi_b_, __LINE__)))
#endif

/* ----------------------------------------------------------------------------------- >>taskgraph
 * Task graphs: record once, run many times
 *
 *     DF_TASKGRAPH records the tasks of a block, and df_taskgraph_run runs them again, without dependence analysis:
 *     impl/api/taskgraph.h. df_config.capture recognises loops without any of this. */
#include "impl/api/storage.h"
#include "impl/api/taskgraph.h"
#include "impl/api/deprecated.h"

DFI_END
#endif /* DF_H */

/* ----------------------------------------------------------------------------- >>implementation */
#if defined(DF_IMPLEMENTATION) && !defined(DFI_IMPLEMENTED)
#define DFI_IMPLEMENTED
DFI_IMPL_BEGIN
#include "impl/modules.h"
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
