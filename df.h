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
 *                       any thread calls them. Constructs in them are calls on the calling thread; atomic blocks in
 *                       them are not supported.
 *       DF_IDLE()       with DF_SERIAL: executed repeatedly while a wait needs an event from outside; default:
 *                       sleeps 1 ms.
 *       DF_CHECK        1: detects wrong declarations. With AddressSanitizer (-fsanitize=address), a task stops where
 *                       it accesses memory that it has not declared and another task has. Without, df detects writes
 *                       to df_in regions, children that declare more than their parent, and local variables of
 *                       functions that have returned. 2: also, df_out memory has no value before the body.
 *                       Defined in all files, the reports include lines; df_owm.h needs that. In a file of a program
 *                       whose implementation lacks it, the linker names it. See docs/check.md.
 *       DF_DEVELOP      enables warnings inside df.h (for work on df itself).
 *     Environment:
 *       DF_WORKERS=4          the number of threads that run tasks. This and the next nine variables set the field of
 *                             df_config with the same name, which describes them; the field takes precedence
 *       DF_CPUSET=0-11,20     the CPUs to which the workers are pinned, or close, spread, close:cores, spread:cores
 *       DF_DEQUE=16384        the capacity of a worker's deque
 *       DF_STACK=16M          bytes of stack of a helper thread; its field is stack_bytes
 *       DF_WINDOW=2048        the largest number of unfinished tasks per scope
 *       DF_DEFER=1            a single worker queues the tasks of df_submit, too
 *       DF_DETERMINISTIC=1    reductions give the same bits for any number of workers
 *       DF_RENAME_BYTES=n     bytes of memory for renaming
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
 *       DF_CHECK_EXIT=9       with DF_CHECK, findings make this the exit status at the normal end
 *       DF_PROGRESS=1         shows in one line, if stderr is a terminal, how many tasks are done, and when the rest
 *                             will be; always: a line per second in the log; file.txt: in the file. See
 *                             docs/progress.md.
 *       DF_SCHEDULE=seed:n    runs ready tasks in an order drawn from the seed n. record:FILE writes the order of a
 *                             run to a file, seed:n,record:FILE does both, replay:FILE repeats a recorded order. See
 *                             docs/schedule.md.
 *
 *     In the name of a file, %p is the number of the process, %r its rank as a launcher of MPI or SLURM tells it, else
 *     0, and %% a %.
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
#if DFI_GNU && !DFI_LIBRARY
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
 *     Alignment: T of (T, x) may have any. Elements in memory of df, which are those of df_local, df_per_worker,
 *     DF_PIPE and streams, and the copies of a reduction, are aligned as their type requires, to at most 64 bytes. A
 *     type that requires more is a compilation error.
 *     df calls a body on any thread that runs tasks. That of df_submit, of a loop, of a pipe and of a task graph
 *     computes in the floating-point modes of the code that made the call: rounding, denormals, traps, but not the
 *     exception flags (on x86, AArch64 and RISC-V).
 *
 *   df_in(T, p, n)           the task reads n elements at p; the body gets  const T *p
 *   df_out(T, p, n)          writes n elements and reads none; T *p. Elements that the body does not write keep their
 *             value, unless df_config.rename_bytes is set or DF_CHECK is 2.
 *   df_inout(T, p, n)        reads and writes n elements; T *p
 *   df_commute(T, p, n)      as df_inout; such tasks run one at a time, in any order. Several per task cannot
 *             deadlock. As df_inout in a task that also has weak accesses.
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
 *             waits for just the part it needs. So does a loop, and df_wait_on, in its body; a pipe waits for all of it
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

#define DF_REDUCTION(name, T, ...) DFI_QUIET DFI_REDUCTION(name, T, "", __VA_ARGS__) DFI_LOUD_END

#define DF_ORDERED_REDUCTION(name, T, ...) DFI_QUIET DFI_REDUCTION(name, T, "o", __VA_ARGS__) DFI_LOUD_END

/* ---------------------------------------------------------------------------------- >>forkjoin
 * Fork and join
 *
 *   df_future(name) f;             a variable of the function that spawns and syncs it: the arguments of one call of
 *             task `name`, and its result. It needs no initialisation, and is not copied while it is spawned.
 *   df_spawn(name, &f, args...);   from now on the call may run on another worker; args are evaluated here
 *   R df_sync(name, &f);           the result of the call; runs it on this thread if no other worker took it. While
 *             another worker runs it, the thread runs tasks that this worker left.
 *             Errors: with DF_DEBUG or DF_CHECK, a future that was not spawned is reported. The calling code fails with
 *             DF_ERROR_CANCELLED if its scope was cancelled while another worker ran the call, which is not complete,
 *             and a wait has ended the cancellation since.
 *
 *     Every spawn needs one sync, by the same thread, in the same function; DF_DEBUG and DF_CHECK report a spawn
 *     without a sync, with its line. Any order of syncs is correct; the latest spawn first is fastest. A spawned
 *     function that submits tasks must wait for them before it returns (df_wait or DF_PARALLEL): df_sync does not.
 *     Spawns ignore access modes, so df_sync is their only ordering. A call that another worker runs computes in the
 *     floating-point modes of that worker, which are those of the thread that started df unless a body changed them.
 *     A fork between them leaves the call to the parent if another worker has begun it: df_sync in the child reports
 *     that, and the result is not set.
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
 *             It starts when its predecessors are done, on any worker; on the calling thread, inside df_submit, if
 *             memory runs out, if there is a single worker, or if bodies of its type are shorter than it takes to
 *             share them. So it must not wait by a flag that its submitter sets later. The arguments are copied;
 *             the memory they point to must exist until the task is done. Its result is discarded.
 *             A thread that submits more than df_config.window unfinished tasks runs tasks itself.
 *             Cost: about 7 ns with one worker, 15 to 30 ns for short bodies with several; if others may run the task,
 *             0.1 to 0.3 us, on 16 CPUs 1 us.
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

#define df_local(T, n)                                                                       \
    DFI_NEEDING(dataflow, (T *)(DFI_ALIGN_OF(T) > (size_t)DFI_RECORD_ALIGN                   \
                                    ? dfi_local_wide((size_t)(n), sizeof(T), DFI_ALIGN_OF(T)) \
                                    : dfi_local_alloc((size_t)(n) + DFI_ALIGN_ZERO(T, "df_local"), sizeof(T))))

/* ----------------------------------------------------------------------------------- >>waiting
 * Waiting for tasks
 *
 *     df_wait waits for all tasks of a scope, df_wait_on for those that write to some memory; DF_PARALLEL { } is a
 *     scope: impl/api/wait.h. */
#include "impl/api/wait.h"

/* --------------------------------------------------------------------------------- >>speculation
 * Speculative tasks: submission before the condition is known
 *
 *     df_speculate submits tasks before the condition on which they depend is known: impl/api/speculate_words.h. */
#include "impl/api/speculate_words.h"

/* ----------------------------------------------------------------------------------- >>options
 * Options of a submitted task
 *
 *     df_submit_with(DF_OPTS(.priority = 2), name, args...): impl/api/submit_options.h. */
#include "impl/api/submit_options.h"

/* -------------------------------------------------------------------------------------- >>call
 * Tasks whose accesses are known only at run time
 *
 *     df_call submits a function with a list of regions: impl/api/call.h. */
#include "impl/api/call.h"

/* ------------------------------------------------------------------------------------ >>tokens
 * Tokens: ordering that memory accesses cannot express
 *
 *     A df_token opens when it has been signalled k times; tasks and threads wait for it: impl/api/token.h. */
#include "impl/api/token.h"

/* -------------------------------------------------------------------------------------- >>idle
 * Events from outside
 *
 *     df_config.idle looks for events while df has nothing to do, and signals tokens: impl/api/idle.h. */
#include "impl/api/idle.h"

/* ----------------------------------------------------------------------------------- >>handles
 * Handles: polling and waiting for one task, and its result
 *
 *     A df_handle stands for one task: df_done, df_wait_task, DF_RESULT: impl/api/handle.h. */
#include "impl/api/handle.h"

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
 *     DF_LOOP declares a parallel loop, and df_for runs it; df_wavefront runs a loop whose iterations depend on each
 *     other: impl/api/loop_words.h. */
#include "impl/api/loop_words.h"

/* --------------------------------------------------------------------------------- >>pipelines
 * Pipelines whose stages are chosen while they run
 *
 *     DF_PIPE declares the stages of a pipeline, and df_pipe runs it: impl/api/pipe.h. */
#include "impl/api/pipe.h"

/* ------------------------------------------------------------------------------------ >>errors
 * Errors and cancellation
 *
 *     df_fail and df_cancel end a scope early, and df_wait_result returns the first error: impl/api/error.h. */
#include "impl/api/error.h"

/* ---------------------------------------------------------------------------------- >>blocking
 * Locks and blocking calls inside tasks
 *
 *     df_mutex is a lock for tasks, and df_yield_blocking calls a function that blocks: impl/api/blocking.h. */
#include "impl/api/blocking.h"

/* ------------------------------------------------------------------------------------- >>limits
 * Limits: how many tasks may use a resource at a time; how many workers may run a part of the program
 *
 *     A task with df_limit(s, k) holds k units of a semaphore while it runs: impl/api/limits.h.
 *     The tasks of DF_IN_ARENA(&a) { } and DF_PARALLEL_AT_MOST(n) { } run on at most so many workers:
 *     impl/api/arena.h. */

/* -------------------------------------------------------------------------------------- >>life
 * Start, settings and stop
 *
 *     df_start, df_stop, and the settings, df_config. All of it is optional: impl/api/config.h. */
#include "impl/api/config.h"

/* ----------------------------------------------------------------------------------- >>workers
 * Workers
 *
 *     df_workers, df_workers_set, df_worker: impl/api/workers.h. */
#include "impl/api/workers.h"

/* ------------------------------------------------------------------------------------- >>storage
 * Storage per worker
 *
 *     A variable with one element for each thread that runs tasks, which needs no lock: impl/api/storage.h. */

/* ----------------------------------------------------------------------------------- >>version
 * Version
 *
 *     DF_VERSION of this header and df_version() of the implementation: impl/api/version.h. */
#include "impl/api/version.h"

/* ---------------------------------------------------------------------------------- >>counters
 * Counters
 *
 *     df_counters_get: how many tasks ran, were stolen, waited: impl/api/counters.h. */
#include "impl/api/counters.h"

/* ----------------------------------------------------------------------------------- >>taskgraph
 * Task graphs: record once, run many times
 *
 *     DF_TASKGRAPH records the tasks of a block, and df_taskgraph_run runs them again, without dependence analysis:
 *     impl/api/taskgraph.h. */
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
