/* config.h - start, settings and stop, >>life
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
 *     process. The child of a fork begins with a pool of its own, which its first construct starts. Handlers of
 *     pthread_atfork may use df. So may destructors of threads: in those of a helper thread, constructs run on that
 *     thread.
 *     Threads: any, outside of tasks and DF_PARALLEL, while no other thread uses df. */
#ifndef DFI_API_CONFIG_H
#define DFI_API_CONFIG_H

#include "options.h"
#include "result.h"
#include "../base/compiler.h"

/* Settings of df_start. Zero in a field means its default. A field takes precedence over the environment variable named
 * with it.
 * Errors: a value that is out of range is reported, and the default is used. */
typedef struct df_config {
    size_t size;          /* its sizeof, from DF_CONFIG; 0: that of 0.9 (docs/libdf.md) */
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
    int defer;            /* 1: all tasks of df_submit are queued. Otherwise a single worker runs each immediately, and
                             several run those immediately that are too short to be shared. To examine edges and order,
                             or for tasks that meet through plain flags; DF_DEFER; default 0 */
    int deterministic;    /* 1: reductions give the same bits for any number of workers; DF_DETERMINISTIC; default 0 */
    size_t rename_bytes;  /* memory for renaming, in bytes: a df_out that would wait for earlier accesses to its region,
                             while a worker is idle, gets its own buffer and starts. Bodies must then use the pointer
                             that they are given; DF_RENAME_BYTES; default 0: off */
    int speculate;        /* turns of df_speculate_while that are submitted before the condition of the first is known;
                             negative: df_speculate and df_speculate_while wait for their conditions; DF_SPECULATE (0:
                             wait); default 2 */
    int patience;         /* seconds without progress before tasks that wait for tokens or inputs are given up;
                             DF_PATIENCE; default 2 */
    double stall;         /* seconds without progress before df reports threads and tasks that wait (docs/stall.md);
                             negative: never; DF_STALL (0: never); default: never, or 2 with DF_CHECK */
    const char *graph;    /* a file that ends in .dot or .txt: receives tasks and their dependences when df stops
                             and at the end of the process (docs/graph.md); DF_GRAPH; default: none */
    int graph_depth;      /* deepest level of nested tasks shown, 1: no nested tasks; DF_GRAPH_DEPTH; default: all */
    const char *trace;    /* a trace, when and where everything ran: a file that ends in .json, for Perfetto and
                             chrome://tracing, or in .html, for any browser (docs/trace.md); DF_TRACE; default: none.
                             In the name of a file, %p is the process, %r its rank (MPI, SLURM), %% a % */
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
       level: 1 error, 2 warning, 3 a line of statistics; default: stderr. df holds no lock meanwhile: the function may
       use df, fork, and end the process. Its constructs run on the calling thread, and do not start df */
    void (*log)(void *log_arg, int level, const char *text);
    void *log_arg;        /* the first argument of log */
    /* called by each thread that begins to run tasks, before its first one (>>workers); worker: df_worker() of the
       thread. DF_MINIMAL: never called */
    void (*worker_start)(void *worker_arg, int worker);
    void (*worker_stop)(void *worker_arg, int worker); /* called by each of these threads after its last task */
    void *worker_arg;     /* the first argument of both */
    long (*idle)(void *idle_arg); /* looks for events from outside while df has nothing to do (>>idle) */
    void *idle_arg;       /* its argument */
    const char *thread_name; /* prefix of the names of helper threads, which debuggers and profilers show on Linux: "df"
                             gives "df 1", "df 2" ..; at most 15 bytes with the number; "": the name of the program;
                             default "df" */
    /* new fields come last (base/sized.h) */
} df_config;
enum { DFI_CONFIG_0_9 = offsetof(df_config, thread_name) + sizeof(const char *) };
#define DF_CONFIG(...) DFI_SIZED_OPTIONS(df_config, df_config, __VA_ARGS__)
#if defined(__cplusplus)
inline const df_config *dfi_options_at(df_config &&c) { return c.size = sizeof c, &c; }
#endif

DFI_EXTERN_C_BEGIN
DFI_API df_result df_start(const df_config *config);
DFI_API void df_stop(void);
DFI_EXTERN_C_END

#endif
