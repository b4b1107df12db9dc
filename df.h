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
 * OPTIONS  Same in all files:
 *       DF_SERIAL       every construct is the plain call that it stands for: no thread, no atomic, any C99
 *                       compiler. The output of a correct program is the same, byte for byte.
 *       DF_DEBUG        0 (default): no checks. 1: misuse is reported with file and line of the call. 2: also
 *                       invariants of df itself. 3: as 2, with yields injected.
 *     Implementation file only:
 *       DF_MALLOC(n), DF_FREE(p)   replace malloc and free.
 *       DF_IDLE()       with DF_SERIAL: executed again and again while a wait needs an event from outside; default:
 *                       sleeps 1 ms.
 *       DF_CHECK        1: detects wrong declarations. With AddressSanitizer (-fsanitize=address), a task stops where
 *                       it accesses memory that it has not declared and another task has. Without, df detects writes
 *                       to df_in regions, children that declare more than their parent, and local variables of
 *                       functions that have returned. 2: also, df_out memory has no value before the body.
 *                       Defined in all files, the reports include lines; df_owm.h needs that. See docs/check.md.
 *       DF_DEVELOP      enables warnings inside df.h (for work on df itself).
 *     Environment: DF_WORKERS, DF_CPUSET, DF_DEQUE, DF_WINDOW, DF_DEFER, DF_DETERMINISTIC, DF_RENAME_BYTES, DF_CAPTURE,
 *       DF_SPECULATE, DF_PATIENCE: see df_config below.
 *       DF_STALL=seconds      reports who is waiting for what after that time without progress. See docs/stall.md.
 *       DF_GRAPH=file.txt or file.dot
 *                             writes the tasks of any program and their dependences, as text or for graphviz (-.txt,
 *                             -.dot: to standard output). DF_GRAPH_DEPTH=n: only n levels of nested tasks. See
 *                             docs/graph.md.
 *       DF_TRACE=file.json    writes when and where each task of any program ran, for Perfetto and chrome://tracing;
 *                             file.html: as a page for any browser. See docs/trace.md.
 *       DF_STATS=1, or a file.txt
 *                             reports task times, work, span and the predicted speed-up. With
 *                             DF_STATS_EVENTS=cycles,instructions,.. also events that the processor and the operating
 *                             system counted in the tasks. See docs/stats.md.
 *       DF_SCHEDULE=seed:NUMBER
 *                             runs ready tasks in an order drawn from the seed. record:FILE writes the order of a run
 *                             to a file, seed:NUMBER,record:FILE does both, replay:FILE repeats a recorded order. See
 *                             docs/schedule.md.
 *       A process with privileges that its user lacks (set-user-ID, for example) ignores all these variables. See
 *       docs/security.md.
 *
 * ERRORS  df never exits and never hangs. If a queue is full, or memory or threads run out, the work runs on the
 * calling
 *       thread and one warning is logged (df_config.log; default: stderr).
 *
 * LANGUAGE  C99 or later, or C++11 or later; also gnu89, except for macros that open a block, such as DF_PARALLEL,
 *       because they need the for of C99. A compiler without GNU builtins needs <stdatomic.h> of C11. Waits do not
 *       depend on the wall clock.
 *
 * LIMITATIONS  df does not preempt tasks, and a task that blocks in the operating system blocks its worker.
 *
 * SECTIONS  search for >>tasks  >>dataflow  >>speculation  >>options  >>tokens  >>nodes  >>streams
 *       >>loops  >>pipelines  >>errors  >>blocking  >>life  >>taskgraph
 *       >>implementation  >>licence (last).
 *       Examples are in examples/; the proofs of the lock-free parts are in docs/memory-order.md.
 */
#ifndef DF_H
#define DF_H

#define DF_VERSION_MAJOR 0
#define DF_VERSION_MINOR 1
#define DF_VERSION_PATCH 0

/* gcc then reports an error in a call at the user's line only. Not for clang, which would hide the error. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(DF_DEVELOP)
#pragma GCC system_header
#endif

#include "impl/base/compiler.h"
DFI_QUIET
#include "impl/api/may_block.h"
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
#include "impl/api/speculate.h"

/* Every file that includes df.h refers to this symbol, and all other functions are weak. So a program without the
 * implementation gets one message from the linker, and the name of the symbol is the help text. */
#if defined(DF_SERIAL)
#define DFI_NEED df_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_h__and_DF_SERIAL_in_all
#else
#define DFI_NEED df_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_h
#endif
DFI_EXTERN_C_BEGIN
extern DFI_STRONG char DFI_NEED[1];
DFI_EXTERN_C_END
#if DFI_GNU
static char *const dfi_need __attribute__((used, unused)) = DFI_NEED;
#endif

/* ------------------------------------------------------------------------------------- >>tasks
 * Declaring tasks; fork and join
 *
 *   DF_TASK(R, name, param, ...);         declares  R name(...)  and makes it a task; 0 to 16 parameters
 *   DF_STATIC_TASK(R, name, param, ...);  the same with internal linkage
 *
 *     R       any result type, void, or a pointer. df_submit discards the result of the task.
 *     param   (T, x)                   by value, copied when the task is created. In C++ any type that can be moved or
 *                                      copied; the task owns its object and destroys it (docs/cxx.md).
 *             df_in(T, p, n)           reads n elements at p                      const T *p
 *             df_out(T, p, n)          writes n elements, reads none              T *p
 *             df_inout(T, p, n)        reads and writes n elements                T *p
 *             df_commute(T, p, n)      as df_inout; such tasks run one at a time, T *p
 *                                      in any order. Several per task cannot deadlock.
 *             df_concurrent(T, p, n)   as df_inout; such tasks may run            T *p
 *                                      concurrently and do their own synchronisation
 *             df_reduce(op, T, p, n)   accumulates into p with op                 T *p
 *             df_in2(T, p, rows, cols, ld)      a block of a row-major matrix whose rows are ld elements
 *                      apart (column-major: swap rows and cols); df_out2, df_inout2, df_commute2,
 *                      df_reduce2(op, ...) alike
 *             df_in_range(T, b, e)     elements from b up to, not including, e    const T *b, const T *e
 *                      df_out_range, df_inout_range alike
 *             df_weak_inout(T, p, n)   the task does not touch the region itself, only its children do: it starts
 *                      immediately, and each child waits for just the part it needs; df_weak_in, df_weak_out,
 *                      df_weak_inout2 ... alike
 *             df_owm_in, df_owm_out, df_owm_inout (T, p, n): see df_owm.h
 *     n, rows, cols, ld: elements of T; any expression over the other parameters. Zero: no access. A negative count, an
 *             end before the beginning, or more bytes than there are behind p (a size_t that wrapped) is reported, and
 *             the task is ordered as if it accessed all memory.
 *     op      df_sum df_prod df_band df_bor df_bxor df_land df_lor (0 and 1) df_min df_max for scalar T,
 *             or the name of a DF_REDUCTION or DF_ORDERED_REDUCTION. Tasks that reduce the same region with the same
 *             operator run concurrently. Their p is then the region itself or a private copy, initialised with the
 *             identity, so a body only accumulates and never reads the total. df combines the copies before the next
 *             reader or writer, and at the latest when the scope waits. It is not specified which task gets which copy
 *             (floating-point sums may differ in the last bits), nor in which order copies are combined, unless
 *             df_config.deterministic, df_opts.deterministic or DF_ORDERED_REDUCTION requests the order of a serial
 *             execution.
 *
 *   The declaration is an ordinary prototype: the function is defined, called and debugged like any other. A function
 *   of another library becomes a task when it is declared again in this way.
 *   A pointer to T must be written T *: use a typedef for arrays and functions.
 *
 *   df_future(name) f;             a variable, in the function that spawns and syncs it
 *   df_spawn(name, &f, args...);   from now on the call may run on another worker; args are evaluated here
 *   R df_sync(name, &f);           the result; runs the call on this thread if no other worker took it
 *
 *     Every spawn needs one sync, by the same thread, in the same function; DF_DEBUG and DF_CHECK report a spawn
 *     without a sync, with its line. Any order of syncs is correct; the latest spawn first is fastest. A spawned
 *     function that submits tasks waits for them before it returns (df_wait or DF_PARALLEL). Spawns ignore access
 *     modes, so df_sync is their only ordering.
 *     Threads: any. The first construct starts the pool.
 *     Cost: spawn and sync together about 2 ns more than a call; no atomic read-modify-write.
 *   Source: Cilk's spawn/sync; X-Kaapi's task declarations (RT-0418, 4.2 to 4.4). */
#define DF_TASK(R, ...)        DFI_QUIET DFI_TASK(extern, R, __VA_ARGS__) DFI_LOUD_END
#define DF_STATIC_TASK(R, ...) DFI_QUIET DFI_TASK(static, R, __VA_ARGS__) DFI_LOUD_END

/* DF_REDUCTION(name, T, combine, identity);   declares an operator for df_reduce(name, T, ...), T any type
 *     void combine(T *into, const T *from)  associative and commutative (DF_CHECK tries both orders);
 *     void identity(T *x)                   sets *x to the identity of combine
 *   Source: X-Kaapi's declare reduction (RT-0418, 4.4.4). */
#define DF_REDUCTION(name, T, combine, identity) DFI_QUIET DFI_REDUCTION(name, T, combine, identity, "a") DFI_LOUD_END

/* DF_ORDERED_REDUCTION(name, T, combine, identity);   declares an operator that is associative only: concatenation, the
 *   product of matrices. Contributions are combined in the order in which a serial execution makes them, also those of
 *   tasks that run concurrently. (If a body submits tasks that contribute and contributes itself afterwards, its own
 *   contribution comes before theirs.) Not for kernels, because work-items have no order.
 *   Cost: one copy for each task instead of one for each worker. */
#define DF_ORDERED_REDUCTION(name, T, combine, identity) \
    DFI_QUIET DFI_REDUCTION(name, T, combine, identity, "o") DFI_LOUD_END

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
 *   df_submit(name, args...);      creates a child of the current scope; it starts when its predecessors are done
 *   df_wait();                     waits until all children of this scope, and all their descendants, are done
 *   df_wait_on(p, bytes);          waits until the tasks submitted so far that write to those bytes are done.
 *                                  (Meanwhile tasks of the scope run nested in the wait. If one of them waits for
 *                                  progress of the code after the wait, as in df_retry, it is reported as stuck;
 *                                  df_wait_token sleeps instead.)
 *   DF_PARALLEL { ... }            a scope: waits for its tasks at the closing brace
 *   df_parallel(fn, arg);          the same as a function: fn(arg) is the block
 *   T *df_local(T, n)              n zeroed T that live until the tasks of this scope are done; NULL
 *                                  without memory
 *
 *     A scope is a DF_PARALLEL block, the body of a running task, or else the thread itself. Children of the same scope
 *     behave as if executed in the order of submission: two of them are ordered if, and only if, their regions overlap
 *     and at least one of them writes. Regions of different shapes mix freely.
 *     A task is done when its body and all tasks that it submitted are done; the body need not wait for them.
 *     A thread that submits more than df_config.window unfinished tasks runs tasks itself.
 *     The declared regions of a task must cover those of the tasks that it submits.
 *     `break` and, with gcc and clang, `return` and `goto` leave DF_PARALLEL like the closing brace.
 *     A waiting thread runs only tasks inside the scope it waits for. So it is safe to hold a lock across a wait,
 *     provided that those tasks do not acquire it. There are two exceptions: in the body of a task with weak accesses,
 *     a wait may run any task that precedes it; and a waiting worker runs preceding tasks that are pinned to it.
 *     Threads: any; a scope belongs to the thread that entered it.
 *   Source: X-Kaapi RT-0418, 4.3 to 4.6; StarSs. */
#if (DF_DEBUG || DF_CHECK) && !defined(DF_SERIAL)
#define df_submit(...) (dfi_here(DFI_SITE), DFI_CAT(DFI_SUBMIT_, DFI_ARITY(1, DFI_COUNT(__VA_ARGS__)))(__VA_ARGS__))
#else
#define df_submit(...) DFI_CAT(DFI_SUBMIT_, DFI_ARITY(1, DFI_COUNT(__VA_ARGS__)))(__VA_ARGS__)
#endif
#define DFI_SUBMIT_1(name)      DFI_OF(name, _submit)()
#define DFI_SUBMIT_0(name, ...) DFI_STREAM_CALL DFI_OF(name, _submit)(__VA_ARGS__)

#define df_local(T, n) ((T *)dfi_local_alloc((size_t)(n), sizeof(T)))

/* --------------------------------------------------------------------------------- >>speculation
 * Speculative tasks: submission before the condition is known
 *
 *   df_speculate(cond, guess) { submits }         if (!*cond == !guess) { submits }
 *   df_speculate_while(cond, guess) { submits }   while (!*cond == !guess) { submits }
 *
 *   df_submit(test, x, &converged);
 *   df_speculate_while(&converged, 0) {           does not wait for test
 *       df_submit(sweep, x);
 *       df_submit(test, x, &converged);
 *   }
 *
 *     cond: a pointer to an integer that tasks write to. guess: 0, or not 0. The tasks in the block are submitted, and
 *     run, before the tasks that compute *cond are done, as if *cond were known to be guess. On a misprediction all
 *     their effects are rolled back. Tasks after the block that use their results, df_wait and df_wait_on, wait until
 *     the condition is known; other tasks do not. Blocks nest. If the condition is known already, the block is an `if`,
 *     or a `while`.
 *     A loop submits at most df_config.speculate turns whose conditions are unknown. To count the turns that took
 *     effect, submit a task that counts them, because variables of the submitter also count turns that are rolled back.
 *     The block only submits: its other effects are not rolled back. (In the block, df_wait, df_for, DF_PARALLEL,
 *     streams, nodes, launches and tasks with tokens wait until the condition is known, and have no effect on a
 *     misprediction.)
 *     After a misprediction, tasks of the block may run on values that result from it. Even then they must end, and
 *     write only what they declare. df_cancelled() is 1 once the misprediction is known. A task that declares no writes
 *     may exist for its output, so it waits until the condition is known. df_fail and df_cancel take effect only if the
 *     guess is right.
 *     In a cancelled scope no block and no turn is executed. After the block, the submitter may change *cond only after
 *     a wait.
 *     `break` ends the block, or the loop, and so do, with gcc and clang, `return` and `goto`; the jump is not rolled
 *     back.
 *     Cost: about 1 us a block. A task costs about 0.5 us and a copy of the regions it overwrites, unless an earlier
 *     task of the block wrote there or the condition is known when it begins. Nothing else is tracked, because the
 *     declarations of the tasks show which of them depend on the guess. Without memory for a copy, the task waits.
 *   Errors: with DF_DEBUG, df_spawn in a block whose condition is unknown is reported.
 *   Source: StarSs (TERAFLUX D3.5, 3.1). How it works: docs/speculation.md. */
#define df_speculate(cond, guess)       DFI_SPECULATE(cond, guess, 0)
#define df_speculate_while(cond, guess) DFI_SPECULATE(cond, guess, 1)

/* ----------------------------------------------------------------------------------- >>options
 * Options of a submitted task
 *
 *   df_submit_with(opts, name, args...);   df_submit with options
 *
 *   df_submit_with(DF_OPTS(.priority = 2, .name = "gemm 3,1"), gemm, ...);
 *
 *   opts is a const df_opts *, read during the call. DF_OPTS(.field = value, ...) makes one that lives as long as the
 *   call: &(df_opts){ ... } in C, and the same in C++11 and later. The fields may be in any order. Parenthesise a value
 *   that contains a comma, because the preprocessor splits arguments at commas. The options of other calls are written
 *   alike: DF_LOOP_OPTS(...), DF_PIPE_OPTS(...), DF_CONFIG(...), and DF_PICK_OPTS(...) of df_gpu.h. */
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
} df_opts;
enum { DF_HOST = -1, DF_ANY_GPU = -2, DF_ANY_DEVICE = -3 };
enum { DF_MAIN_THREAD = -1 };      /* worker 0, the thread that started the pool: runs such tasks while it waits in
                                      df */
#define DF_OPTS(...) DFI_OPTIONS(df_opts, dfi_opts_fields, __VA_ARGS__)
#if defined(__cplusplus)
/* The fields of df_opts, with storage for the result of DF_TOKENS. */
struct dfi_opts_fields {
    int priority, worker;
    const char *name;
    dfi_token_field after, signals;
    struct df_group *group;
    int release, device, deterministic;
    df_opts made;
};
inline const df_opts *dfi_options_at(dfi_opts_fields &&o)
{
    o.made.priority = o.priority, o.made.worker = o.worker, o.made.name = o.name;
    o.made.after = o.after.get(), o.made.signals = o.signals.get();
    o.made.group = o.group, o.made.release = o.release, o.made.device = o.device;
    o.made.deterministic = o.deterministic;
    return &o.made;
}
#endif
#define df_submit_with(opts, ...) \
    DFI_CAT(DFI_SUBMIT_WITH_, DFI_ARITY(1, DFI_COUNT(__VA_ARGS__)))(opts, __VA_ARGS__)
#define DFI_SUBMIT_WITH_1(opts, name)      DFI_OF(name, _dfi_with)(opts, DFI_SITE)
#define DFI_SUBMIT_WITH_0(opts, name, ...) DFI_STREAM_CALL DFI_OF(name, _dfi_with)(opts, DFI_SITE, __VA_ARGS__)

/* df_release(p, n);   releases the n elements at p early: the running task, submitted with .release = 1, and its
 * children so far no longer access them, so successors that need only these elements may start.
 * Errors: in a task without .release = 1 the call is reported, and the memory is released when the task ends. */
#define df_release(p, n) dfi_release((p), DFI_BYTES_OF(n, *(p)))

/* ------------------------------------------------------------------------------------ >>tokens
 * Tokens: ordering that memory accesses cannot express
 *
 *   df_token t = DF_TOKEN(k);      closed until it has been signalled k times, then open for good
 *   df_token_init(&t, k);          the same for existing memory, or to use t again
 *   df_signal(&t);                 one signal. Threads: any, also one that never used df (a callback of
 *                                  another library), at any time
 *   df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .signals = DF_TOKENS(&u)), name, args...);
 *                                  the task starts when t is open, and signals u when it is done
 *   df_result df_wait_token(&t);   waits until t is open; meanwhile another thread runs tasks in the caller's place
 *
 *   A token must live until it is open and all tasks that it releases have started.
 *   Errors: a signal beyond the k-th is reported with its line and has no effect. When no thread that uses df has any
 *   work left, tasks that wait for tokens can only be released by signals from outside. df gives these tasks up after
 *   df_config.patience, or immediately if all signals of their tokens are promised by such tasks themselves. Each is
 *   reported with the line of its submit and skipped like a cancelled task, and df_wait_token and df_wait_result return
 *   DF_ERROR_STUCK. Tasks that wait for a DF_TOKEN_EXTERNAL(k) are never given up.
 *   With DF_SERIAL, DF_TOKEN_EXTERNAL is for events from outside: an interrupt, a signal handler, another thread of the
 *   program (which must also make its data visible). df_signal only counts there, and only one of them may signal a
 *   token at a time. Waits sleep until the events have come; the released tasks run in the thread that waits, or in its
 *   next call of df.
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
#define df_token_init(t, k) dfi_token_init((t), (k), DFI_SITE)
#define df_signal(t)        DFI_MAY_BLOCK(dfi_signal((t), DFI_SITE))
#define df_wait_token(t)    DFI_MAY_BLOCK(dfi_wait_token((t), DFI_SITE))

/* ------------------------------------------------------------------------------------- >>nodes
 * Nodes: tasks that start when all their inputs have been given
 *
 *   df_node(name) *n = df_node_new(name);     creates a child of the current scope; NULL without memory
 *   df_node_set(name, n, param, value);       gives parameter `param` of task `name` its value
 *
 *   A node fires when each parameter has been given once. Pointers count like values, and access modes impose no
 *   ordering, because the inputs do. A node no longer exists once it has fired or was given up.
 *   Threads: any, from any task.
 *   Errors: giving a parameter twice is reported with its line and has no effect. A node that can no longer fire is
 *   reported at the end of its scope with its missing inputs (see >>tokens for when that is).
 *   Source: DFScala (TERAFLUX D3.5, 2.2). */
#define df_node(name)                         struct DFI_CAT(name, _dfi_node)
#define df_node_new(name)                     DFI_OF(name, _dfi_node_new)(DFI_SITE)
#define df_node_set(name, node, param, value) \
    DFI_MAY_BLOCK(DFI_OF(DFI_CAT(name, _dfi_set_), param)((node), (value), DFI_SITE))

/* ----------------------------------------------------------------------------------- >>streams
 * Streams: bounded buffers that pass data from task to task, in order
 *
 *   df_stream *s = df_stream_new(sizeof(float), 1000);   room for 1000 elements. NULL without memory
 *   df_stream *r = df_stream_reader(s);       adds a reader: it sees all elements that tasks submitted from now on
 *                                             push, regardless of what s, the first reader, consumes. NULL without
 *                                             memory
 *   df_stream_close(s);                       tasks submitted after this push nothing
 *   df_stream_free(s);  df_stream_free(r);    in any order, also while tasks use the stream: df frees it after the last
 *                                             of them. Elements that no task was submitted to read are reported when
 *                                             the last reader is freed
 *
 *   df_stream_of(float) *s = df_stream_new_of(float, 1000);    a stream whose element type the compiler knows:
 *                                             df_submit with a task of other elements does not compile
 *   df_stream_of(float) *r = df_stream_reader_of(float, s);    adds a reader; all other functions take both kinds
 *   size_t df_stream_count(p);                in a body: the number of elements of the window at p that came from the
 *                                             stream; fewer than requested only at the end of a closed stream. (If
 *                                             several windows of the task begin at p, of the largest.)
 *
 *   Parameters of DF_TASK. The argument of df_submit is the stream; the body receives a window of its elements:
 *
 *       df_pop(T, p, burst)              reads and consumes `burst` elements    df_stream *    const T *p
 *       df_peek(T, p, horizon, burst)    reads `horizon`, consumes the first    df_stream *    const T *p
 *                                        `burst` of them, may be 0
 *       df_push(T, p, burst)             writes `burst` elements                df_stream *    T *p
 *       df_popv(T, p, burst, n)          the same with n streams: an array      df_stream *const *   const T *const *p
 *       df_pushv(T, p, burst, n)         of them, read during the call                              T *const *p
 *
 *   DF_TASK(void, mean, df_peek(float, x, 3, 1), df_push(float, y, 1));
 *   void mean(const float *x, float *y) { *y = (x[0] + x[1] + x[2]) / 3; }
 *   ...  df_submit(mean, in, out);
 *
 *     burst, horizon, n: any expressions over the parameters by value of the same task.
 *     Windows follow each other in the order in which their tasks are submitted: the k-th task that pushes writes the
 *     elements after those of the (k-1)-th, and for each reader likewise. (When several threads submit at the same
 *     time: in some order, which is the same on all streams that two tasks share.) Tasks that read may be submitted
 *     before the tasks that write their elements. A task starts when its input has been written by tasks that are
 *     done, when every reader has passed its output window, by tasks that are done, and when its other parameters and
 *     options permit. A task that waits for room occupies no worker, and its submitter continues.
 *     A window that is cut by the end of the buffer is copied; all others are the buffer itself.
 *     After df_stream_close, a read window that begins at the end or behind it is NULL; one that ends behind it is
 *     padded with zeros. A task that is skipped passes the elements that it should have read; the tasks that read
 *     elements it should have written are skipped.
 *     The elements of a stream have one type: that of df_stream_new_of, or else that of the first task that is
 *     submitted with it. All scalar types are distinguished, except that char, signed char and unsigned char count as
 *     one. Only the compiler knows whether two names of structures denote the same type, so two names cause a warning:
 *     use df_stream_of.
 *     A task with such parameters cannot be a node. df_spawn and calls pass the pointers of the body.
 *     Threads: any, for all of this.
 *     Cost: about 50 ns a task with one window, of any size. Short bodies run in the thread that submits them.
 *   Errors: a window larger than the stream, elements of another type, a negative burst, and NULL for a stream are
 *     reported; the task is skipped and df_wait_result returns DF_ERROR_STREAM. Pushing after the close is reported,
 *     and the elements are dropped. A task that waits for elements that can no longer come is reported and skipped, and
 *     df_wait_result returns DF_ERROR_STUCK; see >>tokens for when that is.
 *   Source: OpenStream (Pop and Cohen, TACO 9(4), 2013). How it works: docs/streams.md. */
typedef struct df_stream df_stream;
#define df_stream_new(bytes, capacity)  dfi_stream_new((bytes), (capacity), 0, "", DFI_SITE)
#define df_stream_close(s)              dfi_stream_close((s), DFI_SITE)
#define df_stream_new_of(T, capacity) \
    ((df_stream_of(T) *)(void *)dfi_stream_new(sizeof(T), (capacity), DFI_TYPE_CODE(T), #T, DFI_SITE))
#define df_stream_reader_of(T, s) \
    ((df_stream_of(T) *)(void *)df_stream_reader(DFI_STREAM_CHECKED(T, s)))

/* ------------------------------------------------------------------------------------- >>loops
 * Parallel loops and wavefronts
 *
 *   DF_LOOP(name, param, ...);     declares  void name(long lo, long hi, ...): the iterations lo .. hi-1
 *   DF_LOOP2, DF_LOOP3             the same with (long lo0, long hi0, long lo1, long hi1, ...) for a rectangle of two,
 *                                  a box of three dimensions; DF_STATIC_LOOP ... with internal linkage
 *   df_for(name, lo, hi, args...); runs the loop over [lo, hi) on all workers and waits; no effect if hi <= lo
 *   df_for2(name, lo0, hi0, lo1, hi1, args...);  df_for3
 *   df_for_with(DF_LOOP_OPTS(.grain = 64, .schedule = DF_DYNAMIC), name, lo, hi, args...);  df_for2_with, df_for3_with
 *
 *     df calls the function for chunks of the range, on several workers concurrently; iterations must not depend on
 *     each other. Chunk sizes adapt while the loop runs, to the time per iteration and to the number of idle workers,
 *     so cheap, expensive and irregular iterations need no tuning. The range is offered to all workers before the first
 *     iteration begins, unless the last loops of this declaration were short: short loops run on the calling thread. If
 *     such a loop turns out to be long, the rest is offered after 1 to 2 milliseconds, or after its first iteration.
 *     Parameters are those of tasks. Their access modes order the loop after the tasks that the same scope has
 *     submitted so far; the loop is done when df_for returns. df_reduce: chunks accumulate concurrently into private
 *     copies. df combines the copies at the end, in any order, or in the order of the iterations if .deterministic (or
 *     df_config.deterministic) is set or the operator is a DF_ORDERED_REDUCTION. Tasks that the function submits are
 *     done when df_for returns; tasks of different iterations are not ordered among each other. After df_cancel in the
 *     function, chunks that have not begun are left out; after df_fail likewise, and the error goes to the enclosing
 *     scope. Loops nest, in tasks and in each other.
 *     Serial build, or one worker: one call for the whole range.
 *     The options are a const df_loop *, read during the call; DF_LOOP_OPTS(...) makes one, like DF_OPTS.
 *     Cost: about 30 ns to enter and leave, with several workers 180 ns.
 *
 *   df_wavefront(name, DF_VECTORS({1, 0}, {0, 1}), lo0, hi0, lo1, hi1, args...);   for loops of 1 to 3 dimensions
 *   df_wavefront_with(opts, name, vectors, ...)       .grain, .grain1, .grain2: size of the tiles
 *
 *     An iteration x starts when x - v is done, for each of the vectors v: {1, 0} and {0, 1} are the neighbours above
 *     and to the left. The iteration space is split into tiles, and each tile starts when its predecessors are done.
 *     The function must traverse its tile in the order of the serial loops, outermost dimension first. The first
 *     component of a vector that is not 0 must be positive, so that x - v comes earlier in that order.
 *     Reductions are combined in any order; with a DF_ORDERED_REDUCTION the loop runs in serial order. If a vector has
 *     a negative component, as in {1, -1}, tiles are as thin in the vector's first dimension as the magnitude of that
 *     component: make the other dimensions of the tiles long.
 *   Errors: a negative .grain, or a vector that points forward, is reported with its line; the loop then runs with
 *     grain 0, the wavefront in serial order.
 *   Source: MetaFork's meta_for and the dependencies of its meta_pipe (thesis, 3 and 5); OpenMP's schedules. */
#define DF_LOOP(...)         DFI_QUIET DFI_LOOP(extern, 1, __VA_ARGS__) DFI_LOUD_END
#define DF_LOOP2(...)        DFI_QUIET DFI_LOOP(extern, 2, __VA_ARGS__) DFI_LOUD_END
#define DF_LOOP3(...)        DFI_QUIET DFI_LOOP(extern, 3, __VA_ARGS__) DFI_LOUD_END
#define DF_STATIC_LOOP(...)  DFI_QUIET DFI_LOOP(static, 1, __VA_ARGS__) DFI_LOUD_END
#define DF_STATIC_LOOP2(...) DFI_QUIET DFI_LOOP(static, 2, __VA_ARGS__) DFI_LOUD_END
#define DF_STATIC_LOOP3(...) DFI_QUIET DFI_LOOP(static, 3, __VA_ARGS__) DFI_LOUD_END

enum df_schedule {
    DF_AUTO,    /* chunks of 5 us to 250 us, and of at least .grain iterations */
    DF_STATIC,  /* equal chunks, one per worker; with .grain: chunks of .grain iterations */
    DF_DYNAMIC, /* chunks of .grain iterations, 1 by default */
    DF_GUIDED   /* a chunk is the rest of the range divided by twice the workers, at least .grain iterations, 1 by
                   default */
};
/* Options of df_for_with and df_wavefront_with; zero in a field means its default. The numbered fields are for the
 * second and third dimension. */
typedef struct df_loop {
    int schedule;             /* enum df_schedule */
    long grain;               /* iterations of the first dimension per chunk; 0: the schedule decides */
    long grain1, grain2;      /* the same for the others; 0: not divided, unless the first alone is too short */
    long step, step1, step2;  /* 0 means 1. The lo of each call is the lo of the loop + k * step, and the function
                                 advances in steps; negative: from lo down to above hi, and the function is called
                                 with lo > hi */
    int unsigned_range;       /* 1: the bounds are unsigned long, passed as long of the same bits */
    int deterministic;        /* 1: reductions give the same bits for any number of workers */
} df_loop;
#define DF_LOOP_OPTS(...) DFI_OPTIONS(df_loop, df_loop, __VA_ARGS__)
typedef long df_vector[3];
#define DF_VECTORS(...) DFI_VECTORS(__VA_ARGS__)

#define df_for(name, ...)             DFI_OF(name, _dfi_for)(NULL, DFI_SITE, __VA_ARGS__)
#define df_for2(name, ...)            DFI_OF(name, _dfi_for)(NULL, DFI_SITE, __VA_ARGS__)
#define df_for3(name, ...)            DFI_OF(name, _dfi_for)(NULL, DFI_SITE, __VA_ARGS__)
#define df_for_with(opts, name, ...)  DFI_OF(name, _dfi_for)(opts, DFI_SITE, __VA_ARGS__)
#define df_for2_with(opts, name, ...) DFI_OF(name, _dfi_for)(opts, DFI_SITE, __VA_ARGS__)
#define df_for3_with(opts, name, ...) DFI_OF(name, _dfi_for)(opts, DFI_SITE, __VA_ARGS__)
#define df_wavefront(name, vectors, ...) DFI_OF(name, _dfi_wavefront)(NULL, vectors, DFI_SITE, __VA_ARGS__)
#define df_wavefront_with(opts, name, vectors, ...) DFI_OF(name, _dfi_wavefront)(opts, vectors, DFI_SITE, __VA_ARGS__)

/* --------------------------------------------------------------------------------- >>pipelines
 * Pipelines whose stages are chosen while they run
 *
 *   DF_PIPE(name, T);              declares  int name(int stage, T *item, long i, void *ctx)
 *   long df_pipe(name, DF_PIPE_OPTS(.window = 16), ctx);   runs the pipeline for items i = 0, 1, ... until stage 0
 *                                  returns DF_PIPE_END, and waits. The options may be NULL.
 *                                  Returns the number of items; DF_ERROR_MEMORY: no item ran, because memory ran out
 *
 *     A stage returns the next stage of its item:
 *       df_continue(s)   stage s, immediately and concurrently with other items
 *       df_in_order(s)   stage s, after all earlier items have finished or skipped their own stage s: items pass
 *                        through it one at a time, in their order
 *       DF_PIPE_DONE     none: the item is finished
 *       DF_PIPE_END      in stage 0: there is no such item, and no further one. In a later stage: the item is finished,
 *                        and items that have not begun will not begin
 *     Stage numbers only increase along an item, up to DF_PIPE_STAGES - 1 (except that df_continue of the same stage,
 *     if it is not stage 0, repeats it); each item may skip different stages.
 *     Stage 0 creates items one at a time. An item is in flight from its begin until it and all older items are
 *     finished; at most `window` items are in flight. Their memory is reused: *item is zero at first, and later holds
 *     the contents that an earlier item left. No thread runs a later item while it waits: a waiting item is parked as
 *     data and never blocks a thread, and the thread that finishes the stage it waits for continues it. After
 *     df_cancel or df_fail in a stage, items stop after their current stage.
 *     Tasks that a stage submits are done when the pipe ends; a stage that needs their results waits (df_wait).
 *     Errors: a stage out of range is reported and ends the pipe like df_fail(DF_ERROR_STAGE, ...).
 *     Serial build, or one worker: each item from begin to end, one after the other.
 *     Cost: about 5 ns a stage, 30 ns where several workers take part.
 *   Source: MetaFork's meta_pipe (thesis, 5); Cilk-P (Lee et al., SPAA 2013). */
#define DF_PIPE(name, T)        DFI_QUIET DFI_PIPE(extern, name, T) DFI_LOUD_END
#define DF_STATIC_PIPE(name, T) DFI_QUIET DFI_PIPE(static, name, T) DFI_LOUD_END
enum { DF_PIPE_DONE = -1, DF_PIPE_END = -2, DF_PIPE_STAGES = 1 << 28 };
typedef struct df_pipe_opts {
    long window;                   /* largest number of items in flight; 0: 4 per worker; at most 65536 */
} df_pipe_opts;
#define DF_PIPE_OPTS(...) DFI_OPTIONS(df_pipe_opts, df_pipe_opts, __VA_ARGS__)
#define df_pipe(name, ...) DFI_OF(name, _dfi_pipe)(DFI_SITE, __VA_ARGS__)
DFI_INLINE int df_continue(int s) { return s >= 0 && s < DF_PIPE_STAGES ? s : DFI_STAGE_WRONG; }
DFI_INLINE int df_in_order(int s) { return s >= 0 && s < DF_PIPE_STAGES ? s | DFI_STAGE_IN_ORDER : DFI_STAGE_WRONG; }

/* ------------------------------------------------------------------------------------ >>errors
 * Errors and cancellation
 *
 *   df_fail(code, text)   the scope of the running task fails: its tasks that have not started are skipped.
 *                         code: not 0; text: copied
 *   df_cancel()           the same without an error
 *   df_cancelled()        1 if the running task belongs to a scope or group that is cancelled: return soon
 *   df_wait_result()      df_wait, then the code of the first error, DF_ERROR_CANCELLED, or DF_OK.
 *                         df_error_text of that code is the text, for the thread that waited
 *   df_group g = DF_GROUP;  df_group_cancel(&g);   cancels the tasks submitted with .group = &g, their
 *                         children, and their successors if the cancelled tasks should have written memory
 *                         or signalled a token (a DF_SERIAL build runs the successors by memory)
 *
 *   If a thread ends inside a body, by pthread_exit or cancellation, the task fails with DF_ERROR_THREAD and waiting
 *   threads continue.
 *   C++: an exception that leaves the body of a task fails the scope like df_fail. df_wait(), the end of DF_PARALLEL,
 *   df_sync, df_for, df_wavefront and df_pipe rethrow it; df_wait_result returns DF_ERROR_EXCEPTION. See docs/cxx.md.
 *   In a block, or outside of tasks, the scope is the caller's own: the one that df_wait waits for. The cancellation
 *   ends with the wait. An error that no wait has returned by the end of its scope propagates to the enclosing task's
 *   scope, and finally to the thread, which reports it when it ends. Skipped tasks signal their tokens, and the tasks
 *   that wait for these tokens are skipped; df_counters.skipped counts them all. */
typedef struct df_group { DFI_ATOMIC(int) dfi_cancelled; } df_group;
#define DF_GROUP { 0 }

/* ---------------------------------------------------------------------------------- >>blocking
 * Locks and blocking calls inside tasks
 *
 *   df_mutex m = DF_MUTEX;  df_mutex_lock(&m);  df_mutex_trylock(&m);  df_mutex_unlock(&m);
 *       While a task waits for the lock, another thread runs tasks in its place. A lock may be held across a wait:
 *       the tasks that run meanwhile belong to the scope that the wait is for.
 *       Errors: DF_ERROR_DEADLOCK if the caller's thread holds the lock already (not locked then).
 *   df_yield_blocking(fn, arg);   calls fn(arg), which may block in the operating system: meanwhile another
 *       thread takes the worker's place.
 *
 *   In these calls, in df_retry (df_stm.h) and in df_wait_token, a task may wait for actions that any other task or its
 *   submitter performs later, even with one worker. For that reason, a program that calls one of them, df_signal or
 *   df_node_set queues its tasks: a single worker does not run them inside df_submit (impl/api/may_block.h). With
 *   DF_SERIAL such tasks have stacks of their own, of 1 MiB, with gcc and clang on Linux and FreeBSD. Elsewhere a later
 *   action of the submitter cannot end a wait, so the wait is given up with a message and DF_ERROR_STUCK. */
typedef struct df_mutex {
    DFI_ATOMIC(int) dfi_state;
    DFI_ATOMIC(void *) dfi_owner;
    DFI_ATOMIC(const char *) dfi_site; /* file and line of the lock call */
} df_mutex;
#define DF_MUTEX { 0, 0, 0 }

/* -------------------------------------------------------------------------------------- >>life
 * Starting, stopping, settings, errors, counters. All of this is optional: the first construct starts the pool with the
 * defaults, and the pool ends with the process. */

/* Settings of df_start. Zero in a field means its default. A field takes precedence over the environment variable named
 * with it. */
typedef struct df_config {
    int workers;          /* number of threads that run tasks, including the caller; DF_WORKERS; default: the CPUs
                             of the affinity mask, at most as many as the cgroup quota allows */
    const char *cpuset;   /* "1,2,6,8" or "0-11,20-31": pins workers to these CPUs, one worker for each CPU unless
                             `workers` is set; DF_CPUSET; default: not pinned */
    size_t deque;         /* capacity of a worker's deque in spawned or ready tasks, at least 2; further tasks run
                             immediately on the calling thread; DF_DEQUE; default 16384 */
    size_t window;        /* largest number of unfinished tasks per scope; DF_WINDOW; default 2048 */
    size_t stack_bytes;   /* stack size of helper threads; default: the system's, at least 1 MiB */
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
                             and then orders them without dependence analysis (docs/taskgraph.md); DF_CAPTURE;
                             default 0 */
    int patience;         /* seconds without progress before tasks that wait for tokens or inputs are given up;
                             DF_PATIENCE; default 2 */
    double stall;         /* seconds without progress before df reports who is waiting for what (docs/stall.md);
                             negative: never; DF_STALL (0: never); default: never, or 2 with DF_CHECK */
    const char *graph;    /* a file that ends in .dot or .txt: receives tasks and their dependences when df stops
                             and at the end of the process (docs/graph.md); DF_GRAPH; default: none */
    int graph_depth;      /* deepest level of nested tasks shown, 1: no nested tasks; DF_GRAPH_DEPTH; default: all */
    const char *trace;    /* a trace, when and where everything ran: a file that ends in .json, for Perfetto and
                             chrome://tracing, or in .html, for any browser (docs/trace.md); DF_TRACE; default: none */
    const char *stats;    /* "1": task times, work, span and the predicted time with other numbers of workers are
                             logged when df stops and at the end of the process (docs/stats.md); a file that ends in
                             .txt: written to the file; DF_STATS; default: none */
    const char *schedule; /* "seed:42": ready tasks run in an order drawn from this seed, 1 or more; "record:FILE":
                             writes the order of this run to the file; "seed:42,record:FILE": both; "replay:FILE":
                             repeats the recorded order (docs/schedule.md); DF_SCHEDULE; default: none */
    unsigned chaos;       /* deprecated, like the next two, and removed in 0.3: write .schedule = "seed:42" */
    const char *record;   /* .schedule = "record:FILE" */
    const char *replay;   /* .schedule = "replay:FILE" */
    /* level: 1 error, 2 warning, 3 a line of statistics. Called by any thread. */
    void (*log)(void *log_arg, int level, const char *text);
    void *log_arg;
} df_config;
#define DF_CONFIG(...) DFI_OPTIONS(df_config, df_config, __VA_ARGS__) /* df_start(DF_CONFIG(.workers = 4)); */

/* Counters since the program started; exact when no task runs. */
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
/* Starts the pool; the calling thread becomes worker 0. config may be NULL.
 * Threads: any, while no other thread uses df. */
DFI_API df_result df_start(const df_config *config);
/* Waits for the caller's tasks, and ends the helper threads. The next construct starts them again.
 * Threads: any, outside of tasks and DF_PARALLEL, while no other thread uses df. */
DFI_API void df_stop(void);
/* The number of workers, and the index of the calling worker: 0 .. df_workers() - 1; larger in other threads of the
 * program. Both start the pool. Threads: any. */
DFI_API int df_workers(void);
DFI_API int df_worker(void);
/* Fills *counters with the current values. */
DFI_API df_result df_counters_get(df_counters *counters);
/* A description of r: one sentence, never NULL. */
DFI_API const char *df_error_text(df_result r);

DFI_API void dfi_token_init(df_token *t, long k, const char *site);
DFI_API void dfi_signal(df_token *t, const char *site);
DFI_API df_result dfi_wait_token(df_token *t, const char *site);
DFI_API void dfi_release(const void *p, size_t bytes);
DFI_API df_stream *dfi_stream_new(size_t bytes, size_t capacity, int code, const char *type, const char *site);
/* s: a handle of any type */
DFI_API void dfi_stream_close(const volatile void *s, const char *site);
DFI_API df_stream *df_stream_reader(const volatile void *s);
DFI_API void df_stream_free(const volatile void *s);
DFI_API size_t df_stream_count(const void *p);
DFI_API void df_fail(int code, const char *text);
DFI_API void df_cancel(void);
DFI_API int df_cancelled(void);
DFI_API df_result df_wait_result(void);
DFI_API void df_group_cancel(df_group *g);
DFI_API df_result df_mutex_lock(df_mutex *m);
DFI_API df_result df_mutex_trylock(df_mutex *m); /* DF_ERROR_DEADLOCK: some thread holds it */
DFI_API void df_mutex_unlock(df_mutex *m);
DFI_API void df_yield_blocking(void (*fn)(void *arg), void *arg);
DFI_EXTERN_C_END

DFI_EXTERN_C_BEGIN
DFI_API void df_wait_on(const void *p, size_t bytes);
DFI_API void df_wait(void);
DFI_API void df_parallel(void (*fn)(void *arg), void *arg);
DFI_EXTERN_C_END

/* In a parallel build these calls also pass their file and line, for the stall report. */
#if !defined(DF_SERIAL)
DFI_EXTERN_C_BEGIN
DFI_API void dfi_wait_here(const char *site);
DFI_API df_result dfi_wait_result_here(const char *site);
DFI_API void dfi_wait_on_here(const char *site, const void *p, size_t bytes);
DFI_API df_result dfi_mutex_lock_here(const char *site, df_mutex *m);
DFI_API df_result dfi_mutex_trylock_here(const char *site, df_mutex *m);
DFI_API void dfi_yield_here(const char *site, void (*fn)(void *arg), void *arg);
DFI_API void dfi_yield(const char *what, const char *site, void (*fn)(void *arg), void *arg);
DFI_EXTERN_C_END
#define df_wait()             dfi_wait_here(DFI_SITE)
#define df_wait_result()      dfi_wait_result_here(DFI_SITE)
#define df_wait_on(...)       dfi_wait_on_here(DFI_SITE, __VA_ARGS__)
#define df_mutex_lock(m)      DFI_MAY_BLOCK(dfi_mutex_lock_here(DFI_SITE, m))
#define df_mutex_trylock(m)   dfi_mutex_trylock_here(DFI_SITE, m)
#define df_yield_blocking(...) DFI_MAY_BLOCK(dfi_yield_here(DFI_SITE, __VA_ARGS__))
#endif

#if DFI_GNU
#define DFI_AT_END_OF_BLOCK __attribute__((cleanup(dfi_scope_leave)))
#else
#define DFI_AT_END_OF_BLOCK
#endif
#include "impl/api/throw_wait.h"
#if !DFI_EXCEPTIONS
#define DF_PARALLEL                                                                                  \
    for (DFI_AT_END_OF_BLOCK struct dfi_block DFI_CAT(dfi_b_, __LINE__) = dfi_scope_enter(DFI_SITE); \
         DFI_CAT(dfi_b_, __LINE__).open; dfi_scope_leave(&DFI_CAT(dfi_b_, __LINE__)))
#endif

/* ----------------------------------------------------------------------------------- >>taskgraph
 * Task graphs: record once, run many times
 *
 *   df_taskgraph *g = df_taskgraph_new();
 *   DF_TASKGRAPH(g) { submits }    runs as DF_PARALLEL does, and g records the tasks, their arguments and their order
 *   df_taskgraph_run(g);           runs them again, without dependence analysis, and waits
 *   df_taskgraph_set(g, name, k, param, value);   task `name` number k gets another argument from now on
 *   df_taskgraph_free(g);
 *
 *   More, and the constructs that a graph cannot contain, in impl/api/taskgraph.h. df_config.capture recognises loops
 *   without any of this. */
#include "impl/api/taskgraph.h"
#include "impl/api/deprecated.h"

DFI_LOUD
#endif /* DF_H */

/* ----------------------------------------------------------------------------- >>implementation */
#if defined(DF_IMPLEMENTATION) && !defined(DFI_IMPLEMENTED)
#define DFI_IMPLEMENTED
DFI_QUIET
#include "impl/modules.h"
DFI_LOUD
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
