/* parts.h - the choice of parts: DF_MINIMAL, DF_SMALL, DF_WITH_x and DF_WITHOUT_x as DFI_WITH_x, 1 or 0, >>parts
 * Parts of the implementation
 *
 *   DF_SMALL     the implementation has the language: no trace, statistics, graph, stall report, control of schedules
 *   DF_MINIMAL   the implementation has fork-join only: df_spawn, df_sync, df_start, df_stop, df_workers, df_worker
 *
 *     Parts are chosen in the file with DF_IMPLEMENTATION, before its first include of df. DF_WITH_x adds part x to
 *     DF_SMALL or DF_MINIMAL, DF_WITHOUT_x takes it out of any build. A part brings those that it needs with it; a
 *     contradiction is a compilation error. A construct whose part is missing does not link, and the linker's message
 *     names the macro. docs/size.md is the guide, with sizes.
 *
 *   DF_WITH_DATAFLOW;  DF_WITHOUT_DATAFLOW              dataflow: df_submit, df_wait, accesses
 *   DF_WITH_LOOPS;  DF_WITHOUT_LOOPS                    df_for, df_wavefront
 *   DF_WITH_PIPES;  DF_WITHOUT_PIPES                    df_pipe
 *   DF_WITH_BLOCKING;  DF_WITHOUT_BLOCKING              df_mutex_lock, df_yield_blocking, df_workers_set
 *   DF_WITH_CPUSET;  DF_WITHOUT_CPUSET                  DF_CPUSET: workers pinned to CPUs
 *   DF_WITH_STORAGE;  DF_WITHOUT_STORAGE             df_mine: storage per worker
 *   DF_WITH_TASKGRAPH;  DF_WITHOUT_TASKGRAPH            task graphs. It needs DATAFLOW, as do the next eight
 *   DF_WITH_SPECULATION;  DF_WITHOUT_SPECULATION        df_speculate
 *   DF_WITH_STREAMS;  DF_WITHOUT_STREAMS                streams
 *   DF_WITH_WEAK;  DF_WITHOUT_WEAK                      weak accesses, df_release
 *   DF_WITH_RENAME;  DF_WITHOUT_RENAME                  renaming (DF_RENAME_BYTES)
 *   DF_WITH_REDUCTION;  DF_WITHOUT_REDUCTION            df_reduce, df_commute
 *   DF_WITH_LIMITS;  DF_WITHOUT_LIMITS                  df_limit, semaphores
 *   DF_WITH_TOKENS;  DF_WITHOUT_TOKENS                  tokens and nodes
 *   DF_WITH_ERRORS;  DF_WITHOUT_ERRORS                  df_fail, df_cancel, groups, df_wait_result
 *   DF_WITH_TRACE;  DF_WITHOUT_TRACE                    DF_TRACE
 *   DF_WITH_TRACE_PAGE;  DF_WITHOUT_TRACE_PAGE          DF_TRACE=file.html. It needs TRACE
 *   DF_WITH_STATS;  DF_WITHOUT_STATS                    DF_STATS
 *   DF_WITH_GRAPH;  DF_WITHOUT_GRAPH                    DF_GRAPH
 *   DF_WITH_STALL;  DF_WITHOUT_STALL                    DF_STALL
 *   DF_WITH_SCHEDULE;  DF_WITHOUT_SCHEDULE              DF_SCHEDULE
 *   DF_WITH_OBSERVE;  DF_WITHOUT_OBSERVE                df_observe: observers of the program
 *   DF_WITH_PROGRESS;  DF_WITHOUT_PROGRESS              DF_PROGRESS. It needs OBSERVE
 *
 *     Nothing in api/ depends on a choice, so other files need not know it. A build with a part missing, or with checks
 *     (DF_CHECK), has functions and a pool of its own (DFI_OWN_POOL): otherwise it could take the place of a full one
 *     that another library of the process has. */
#ifndef DFI_BASE_PARTS_H
#define DFI_BASE_PARTS_H

#if defined(DF_MINIMAL) && defined(DF_SMALL)
#error "df: DF_MINIMAL and DF_SMALL are defined: choose one, and add parts to it with DF_WITH_TRACE and the like"
#elif defined(DFI_REDUCED)
#error "df: another header of df follows df_minimal.h or df_small.h: include df.h instead of it, with DF_MINIMAL or so"
#endif

#if defined(DF_MINIMAL) || defined(DF_SMALL)
#define DFI_HAS_CHOICE 1
#else
#define DFI_HAS_CHOICE 0
#endif
/* The parts that are present by default: the language, and the parts that observe a program or steer it. */
#if defined(DF_MINIMAL)
#define DFI_HAS_LANGUAGE 0
#define DFI_HAS_OBSERVERS 0
#elif defined(DF_SMALL)
#define DFI_HAS_LANGUAGE 1
#define DFI_HAS_OBSERVERS 0
#else
#define DFI_HAS_LANGUAGE 1
#define DFI_HAS_OBSERVERS 1
#endif
#if defined(DF_SERIAL) /* what observes or steers threads has nothing to see there */
#define DFI_PARALLEL 0
#define DFI_HAS_WATCHES 0
#else
#define DFI_PARALLEL 1
#define DFI_HAS_WATCHES DFI_HAS_OBSERVERS
#endif
#if defined(DF_WITHOUT_DATAFLOW)
#define DFI_HAS_OPTIONS 0
#else
#define DFI_HAS_OPTIONS DFI_HAS_LANGUAGE
#endif

/* --- observers, and the control of schedules --------------------------------------------------------- */

#if defined(DF_WITH_TRACE) && defined(DF_WITHOUT_TRACE)
#error "df: both DF_WITH_TRACE and DF_WITHOUT_TRACE are defined: remove one of them"
#elif defined(DF_WITH_TRACE) || defined(DF_WITH_TRACE_PAGE) || (DFI_HAS_WATCHES && !defined(DF_WITHOUT_TRACE))
#define DFI_WITH_TRACE 1
#else
#define DFI_WITH_TRACE 0
#endif
#if defined(DF_WITH_TRACE_PAGE) && defined(DF_WITHOUT_TRACE_PAGE)
#error "df: both DF_WITH_TRACE_PAGE and DF_WITHOUT_TRACE_PAGE are defined: remove one of them"
#elif defined(DF_WITH_TRACE_PAGE) && defined(DF_WITHOUT_TRACE)
#error "df: the page is a form of the trace: remove DF_WITHOUT_TRACE or DF_WITH_TRACE_PAGE"
#elif defined(DF_WITH_TRACE_PAGE) || (DFI_HAS_WATCHES && !defined(DF_WITHOUT_TRACE_PAGE) && DFI_WITH_TRACE)
#define DFI_WITH_TRACE_PAGE 1
#else
#define DFI_WITH_TRACE_PAGE 0
#endif
#if defined(DF_WITH_STATS) && defined(DF_WITHOUT_STATS)
#error "df: both DF_WITH_STATS and DF_WITHOUT_STATS are defined: remove one of them"
#elif defined(DF_WITH_STATS) || (DFI_HAS_WATCHES && !defined(DF_WITHOUT_STATS))
#define DFI_WITH_STATS 1
#else
#define DFI_WITH_STATS 0
#endif
#if defined(DF_WITH_GRAPH) && defined(DF_WITHOUT_GRAPH)
#error "df: both DF_WITH_GRAPH and DF_WITHOUT_GRAPH are defined: remove one of them"
#elif defined(DF_WITH_GRAPH) || (DFI_HAS_OBSERVERS && !defined(DF_WITHOUT_GRAPH))
#define DFI_WITH_GRAPH 1
#else
#define DFI_WITH_GRAPH 0
#endif
#if defined(DF_WITH_STALL) && defined(DF_WITHOUT_STALL)
#error "df: both DF_WITH_STALL and DF_WITHOUT_STALL are defined: remove one of them"
#elif defined(DF_WITH_STALL) || (DFI_HAS_WATCHES && !defined(DF_WITHOUT_STALL))
#define DFI_WITH_STALL 1
#else
#define DFI_WITH_STALL 0
#endif
#if defined(DF_WITH_SCHEDULE) && defined(DF_WITHOUT_SCHEDULE)
#error "df: both DF_WITH_SCHEDULE and DF_WITHOUT_SCHEDULE are defined: remove one of them"
#elif defined(DF_WITH_SCHEDULE) || (DFI_HAS_WATCHES && !defined(DF_WITHOUT_SCHEDULE))
#define DFI_WITH_SCHEDULE 1
#else
#define DFI_WITH_SCHEDULE 0
#endif
#if defined(DF_WITH_OBSERVE) && defined(DF_WITHOUT_OBSERVE)
#error "df: both DF_WITH_OBSERVE and DF_WITHOUT_OBSERVE are defined: remove one of them"
#elif defined(DF_WITH_OBSERVE) || defined(DF_WITH_PROGRESS) || (DFI_HAS_OBSERVERS && !defined(DF_WITHOUT_OBSERVE))
#define DFI_WITH_OBSERVE 1
#else
#define DFI_WITH_OBSERVE 0
#endif
#if defined(DF_WITH_PROGRESS) && defined(DF_WITHOUT_PROGRESS)
#error "df: both DF_WITH_PROGRESS and DF_WITHOUT_PROGRESS are defined: remove one of them"
#elif defined(DF_WITH_PROGRESS) && defined(DF_WITHOUT_OBSERVE)
#error "df: progress is counted by an observer: remove DF_WITHOUT_OBSERVE or DF_WITH_PROGRESS"
#elif defined(DF_WITH_PROGRESS) || (DFI_HAS_OBSERVERS && !defined(DF_WITHOUT_PROGRESS) && DFI_WITH_OBSERVE)
#define DFI_WITH_PROGRESS 1
#else
#define DFI_WITH_PROGRESS 0
#endif

/* --- parts of the language that fork-join can have --------------------------------------------------- */

#if defined(DF_WITH_LOOPS) && defined(DF_WITHOUT_LOOPS)
#error "df: both DF_WITH_LOOPS and DF_WITHOUT_LOOPS are defined: remove one of them"
#elif defined(DF_WITH_LOOPS) || (DFI_HAS_LANGUAGE && !defined(DF_WITHOUT_LOOPS))
#define DFI_WITH_LOOPS 1
#else
#define DFI_WITH_LOOPS 0
#endif
#if defined(DF_WITH_PIPES) && defined(DF_WITHOUT_PIPES)
#error "df: both DF_WITH_PIPES and DF_WITHOUT_PIPES are defined: remove one of them"
#elif defined(DF_WITH_PIPES) || (DFI_HAS_LANGUAGE && !defined(DF_WITHOUT_PIPES))
#define DFI_WITH_PIPES 1
#else
#define DFI_WITH_PIPES 0
#endif
#if defined(DF_WITH_BLOCKING) && defined(DF_WITHOUT_BLOCKING)
#error "df: both DF_WITH_BLOCKING and DF_WITHOUT_BLOCKING are defined: remove one of them"
#elif defined(DF_WITH_BLOCKING) || (DFI_HAS_LANGUAGE && !defined(DF_WITHOUT_BLOCKING))
#define DFI_WITH_BLOCKING 1
#else
#define DFI_WITH_BLOCKING 0
#endif
#if defined(DF_WITH_CPUSET) && defined(DF_WITHOUT_CPUSET)
#error "df: both DF_WITH_CPUSET and DF_WITHOUT_CPUSET are defined: remove one of them"
#elif defined(DF_WITH_CPUSET) || (DFI_HAS_LANGUAGE && !defined(DF_WITHOUT_CPUSET))
#define DFI_WITH_CPUSET 1
#else
#define DFI_WITH_CPUSET 0
#endif
#if defined(DF_WITH_STORAGE) && defined(DF_WITHOUT_STORAGE)
#error "df: both DF_WITH_STORAGE and DF_WITHOUT_STORAGE are defined: remove one of them"
#elif defined(DF_WITH_STORAGE) || (DFI_HAS_LANGUAGE && !defined(DF_WITHOUT_STORAGE))
#define DFI_WITH_STORAGE 1
#else
#define DFI_WITH_STORAGE 0
#endif

/* --- options of tasks, which need dataflow ------------------------------------------------------------ */

#if defined(DF_WITH_TASKGRAPH) && defined(DF_WITHOUT_TASKGRAPH)
#error "df: both DF_WITH_TASKGRAPH and DF_WITHOUT_TASKGRAPH are defined: remove one of them"
#elif defined(DF_WITH_TASKGRAPH) && defined(DF_WITHOUT_DATAFLOW)
#error "df: task graphs record tasks of df_submit: remove DF_WITHOUT_DATAFLOW or DF_WITH_TASKGRAPH"
#elif defined(DF_WITH_TASKGRAPH) || (DFI_HAS_OPTIONS && !defined(DF_WITHOUT_TASKGRAPH))
#define DFI_WITH_TASKGRAPH 1
#else
#define DFI_WITH_TASKGRAPH 0
#endif
#if defined(DF_WITH_SPECULATION) && defined(DF_WITHOUT_SPECULATION)
#error "df: both DF_WITH_SPECULATION and DF_WITHOUT_SPECULATION are defined: remove one of them"
#elif defined(DF_WITH_SPECULATION) && defined(DF_WITHOUT_DATAFLOW)
#error "df: speculation submits tasks of df_submit: remove DF_WITHOUT_DATAFLOW or DF_WITH_SPECULATION"
#elif defined(DF_WITH_SPECULATION) || (DFI_HAS_OPTIONS && !defined(DF_WITHOUT_SPECULATION))
#define DFI_WITH_SPECULATION 1
#else
#define DFI_WITH_SPECULATION 0
#endif
#if defined(DF_WITH_STREAMS) && defined(DF_WITHOUT_STREAMS)
#error "df: both DF_WITH_STREAMS and DF_WITHOUT_STREAMS are defined: remove one of them"
#elif defined(DF_WITH_STREAMS) && defined(DF_WITHOUT_DATAFLOW)
#error "df: streams order tasks of df_submit: remove DF_WITHOUT_DATAFLOW or DF_WITH_STREAMS"
#elif defined(DF_WITH_STREAMS) || (DFI_HAS_OPTIONS && !defined(DF_WITHOUT_STREAMS))
#define DFI_WITH_STREAMS 1
#else
#define DFI_WITH_STREAMS 0
#endif
#if defined(DF_WITH_WEAK) && defined(DF_WITHOUT_WEAK)
#error "df: both DF_WITH_WEAK and DF_WITHOUT_WEAK are defined: remove one of them"
#elif defined(DF_WITH_WEAK) && defined(DF_WITHOUT_DATAFLOW)
#error "df: weak accesses are those of tasks of df_submit: remove DF_WITHOUT_DATAFLOW or DF_WITH_WEAK"
#elif defined(DF_WITH_WEAK) || (DFI_HAS_OPTIONS && !defined(DF_WITHOUT_WEAK))
#define DFI_WITH_WEAK 1
#else
#define DFI_WITH_WEAK 0
#endif
#if defined(DF_WITH_RENAME) && defined(DF_WITHOUT_RENAME)
#error "df: both DF_WITH_RENAME and DF_WITHOUT_RENAME are defined: remove one of them"
#elif defined(DF_WITH_RENAME) && defined(DF_WITHOUT_DATAFLOW)
#error "df: renaming is for accesses of tasks of df_submit: remove DF_WITHOUT_DATAFLOW or DF_WITH_RENAME"
#elif defined(DF_WITH_RENAME) || (DFI_HAS_OPTIONS && !defined(DF_WITHOUT_RENAME))
#define DFI_WITH_RENAME 1
#else
#define DFI_WITH_RENAME 0
#endif
#if defined(DF_WITH_REDUCTION) && defined(DF_WITHOUT_REDUCTION)
#error "df: both DF_WITH_REDUCTION and DF_WITHOUT_REDUCTION are defined: remove one of them"
#elif defined(DF_WITH_REDUCTION) && defined(DF_WITHOUT_DATAFLOW)
#error "df: reductions are accesses of tasks of df_submit: remove DF_WITHOUT_DATAFLOW or DF_WITH_REDUCTION"
#elif defined(DF_WITH_REDUCTION) || (DFI_HAS_OPTIONS && !defined(DF_WITHOUT_REDUCTION))
#define DFI_WITH_REDUCTION 1
#else
#define DFI_WITH_REDUCTION 0
#endif
#if defined(DF_WITH_LIMITS) && defined(DF_WITHOUT_LIMITS)
#error "df: both DF_WITH_LIMITS and DF_WITHOUT_LIMITS are defined: remove one of them"
#elif defined(DF_WITH_LIMITS) && defined(DF_WITHOUT_DATAFLOW)
#error "df: semaphores limit tasks of df_submit: remove DF_WITHOUT_DATAFLOW or DF_WITH_LIMITS"
#elif defined(DF_WITH_LIMITS) || (DFI_HAS_OPTIONS && !defined(DF_WITHOUT_LIMITS))
#define DFI_WITH_LIMITS 1
#else
#define DFI_WITH_LIMITS 0
#endif
#if defined(DF_WITH_TOKENS) && defined(DF_WITHOUT_TOKENS)
#error "df: both DF_WITH_TOKENS and DF_WITHOUT_TOKENS are defined: remove one of them"
#elif defined(DF_WITH_TOKENS) && defined(DF_WITHOUT_DATAFLOW)
#error "df: tokens order tasks of df_submit: remove DF_WITHOUT_DATAFLOW or DF_WITH_TOKENS"
#elif defined(DF_WITH_TOKENS) || (DFI_HAS_OPTIONS && !defined(DF_WITHOUT_TOKENS))
#define DFI_WITH_TOKENS 1
#else
#define DFI_WITH_TOKENS 0
#endif
#if defined(DF_WITH_ERRORS) && defined(DF_WITHOUT_ERRORS)
#error "df: both DF_WITH_ERRORS and DF_WITHOUT_ERRORS are defined: remove one of them"
#elif defined(DF_WITH_ERRORS) && defined(DF_WITHOUT_DATAFLOW)
#error "df: errors are those of tasks of df_submit: remove DF_WITHOUT_DATAFLOW or DF_WITH_ERRORS"
#elif defined(DF_WITH_ERRORS) || (DFI_HAS_OPTIONS && !defined(DF_WITHOUT_ERRORS))
#define DFI_WITH_ERRORS 1
#else
#define DFI_WITH_ERRORS 0
#endif

/* Dataflow, which each of these brings with it. */
#if defined(DF_WITH_DATAFLOW) && defined(DF_WITHOUT_DATAFLOW)
#error "df: both DF_WITH_DATAFLOW and DF_WITHOUT_DATAFLOW are defined: remove one of them"
#elif defined(DF_WITH_DATAFLOW) || DFI_HAS_OPTIONS || DFI_WITH_TASKGRAPH || DFI_WITH_SPECULATION ||            \
    DFI_WITH_STREAMS || DFI_WITH_WEAK || DFI_WITH_RENAME || DFI_WITH_REDUCTION || DFI_WITH_LIMITS ||            \
    DFI_WITH_TOKENS || DFI_WITH_ERRORS
#define DFI_WITH_DATAFLOW 1
#else
#define DFI_WITH_DATAFLOW 0
#endif

/* Dataflow comes alone. Each other part brings those of the language that are not separable so far, which are all but
 * loops, pipes, streams, task graphs, speculation, renaming, weak accesses, reductions
 * and limits. */
#if DFI_WITH_TASKGRAPH || DFI_WITH_SPECULATION || DFI_WITH_STREAMS || DFI_WITH_WEAK || DFI_WITH_RENAME ||      \
    DFI_WITH_REDUCTION || DFI_WITH_LIMITS || DFI_WITH_TOKENS || DFI_WITH_ERRORS || DFI_WITH_LOOPS ||           \
    DFI_WITH_PIPES || DFI_WITH_BLOCKING || DFI_WITH_TRACE || DFI_WITH_STATS || DFI_WITH_GRAPH ||               \
    DFI_WITH_STALL || DFI_WITH_SCHEDULE || DFI_WITH_OBSERVE || (defined(DF_CHECK) && DF_CHECK)
#define DFI_WITH_MORE 1
#else
#define DFI_WITH_MORE 0
#endif
#if DFI_WITH_MORE
#undef DFI_WITH_DATAFLOW
#define DFI_WITH_DATAFLOW 1
#undef DFI_WITH_BLOCKING
#define DFI_WITH_BLOCKING 1
#undef DFI_WITH_TOKENS
#define DFI_WITH_TOKENS 1
#undef DFI_WITH_ERRORS
#define DFI_WITH_ERRORS 1
#endif

#define DFI_WITH_ARENAS    (DFI_WITH_LIMITS && DFI_PARALLEL) /* else a block of one is a block of DF_PARALLEL */
/* Bodies of tasks, loops and pipes: blocks, teams, threads that end in a body (work/thread_end.h). */
#define DFI_WITH_BODIES    (DFI_WITH_DATAFLOW || DFI_WITH_LOOPS || DFI_WITH_PIPES || DFI_WITH_BLOCKING)
#define DFI_WITH_EVENTS    (DFI_WITH_TRACE || DFI_WITH_STATS)
#define DFI_WITH_OBSERVERS (DFI_WITH_EVENTS || DFI_WITH_GRAPH || DFI_WITH_STALL || DFI_WITH_SCHEDULE || \
                            DFI_WITH_OBSERVE)
#define DFI_WITH_ALL                                                                                           \
    (DFI_WITH_TRACE >= DFI_PARALLEL && DFI_WITH_TRACE_PAGE >= DFI_PARALLEL && DFI_WITH_STATS >= DFI_PARALLEL && \
     DFI_WITH_GRAPH && DFI_WITH_STALL >= DFI_PARALLEL && DFI_WITH_SCHEDULE >= DFI_PARALLEL &&                   \
     DFI_WITH_OBSERVE && DFI_WITH_PROGRESS &&                                                                  \
     DFI_WITH_DATAFLOW && DFI_WITH_LOOPS && DFI_WITH_PIPES && DFI_WITH_BLOCKING &&                              \
     DFI_WITH_CPUSET && DFI_WITH_STORAGE && DFI_WITH_TASKGRAPH && DFI_WITH_SPECULATION &&                       \
     DFI_WITH_STREAMS && DFI_WITH_WEAK &&                                                                       \
     DFI_WITH_RENAME && DFI_WITH_REDUCTION && DFI_WITH_LIMITS && DFI_WITH_TOKENS && DFI_WITH_ERRORS)

/* What one_build.h compares. */
#if defined(DF_CHECK) && DF_CHECK
#define DFI_WITH_CHECK 1
#else
#define DFI_WITH_CHECK 0
#endif
#define DFI_PARTS                                                                                                    \
    (DFI_WITH_TRACE | DFI_WITH_TRACE_PAGE << 1 | DFI_WITH_STATS << 2 | DFI_WITH_GRAPH << 3 | DFI_WITH_STALL << 4 |   \
     DFI_WITH_SCHEDULE << 5 | DFI_WITH_OBSERVE << 6 | DFI_WITH_PROGRESS << 7 | DFI_WITH_DATAFLOW << 8 |              \
     DFI_WITH_LOOPS << 9 | DFI_WITH_PIPES << 10 | DFI_WITH_BLOCKING << 11 | DFI_WITH_CPUSET << 12 |                  \
     DFI_WITH_STORAGE << 13 | DFI_WITH_TASKGRAPH << 14 | DFI_WITH_SPECULATION << 15 | DFI_WITH_STREAMS << 16 |       \
     DFI_WITH_WEAK << 17 | DFI_WITH_RENAME << 18 | DFI_WITH_REDUCTION << 19 | DFI_WITH_LIMITS << 20 |                \
     DFI_WITH_TOKENS << 21 | DFI_WITH_ERRORS << 22 | DFI_WITH_CHECK << 23)

/* Are messages about absent parts given? */
#if (!DFI_WITH_ALL || !DFI_PARALLEL) && !defined(DF_MINIMAL)
#define DFI_ABSENT_PARTS 1
#else
#define DFI_ABSENT_PARTS 0
#endif

#if defined(DF_IMPLEMENTATION) && (!DFI_WITH_ALL || DFI_WITH_CHECK)
#define DFI_OWN_POOL 1
#else
#define DFI_OWN_POOL 0
#endif

#endif
