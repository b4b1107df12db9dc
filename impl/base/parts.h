/* parts.h - how much of df an implementation has: all, DF_SMALL, DF_MINIMAL with DF_WITH_DATAFLOW, DF_MINIMAL, >>parts
 * Parts of the implementation
 *
 *   DF_SMALL            the language: no trace, statistics, graph, stall report, progress, observers of the program,
 *                       control of schedules
 *   DF_MINIMAL          fork-join only: df_spawn, df_sync, df_start, df_stop, df_workers, df_worker
 *   DF_WITH_DATAFLOW    beside DF_MINIMAL: also df_submit of tasks with df_in, df_out, df_inout, df_concurrent;
 *                       df_wait
 *
 *     Chosen in the file with DF_IMPLEMENTATION, before its first include of df. A construct that is missing does not
 *     link, and the linker's message names the macro. docs/size.md is the guide, with sizes.
 *
 *     Nothing in api/ depends on a choice, so other files need not know it. A build that is not whole, or with checks
 *     (DF_CHECK), has functions and a pool of its own (DFI_OWN_POOL): otherwise it could take the place of a full one
 *     that another library of the process has. */
#ifndef DFI_BASE_PARTS_H
#define DFI_BASE_PARTS_H

#if defined(DF_MINIMAL) && defined(DF_SMALL)
#error "df: DF_MINIMAL and DF_SMALL are defined: choose one"
#elif defined(DFI_REDUCED)
#error "df: another header of df follows df_minimal.h or df_small.h: include df.h instead of it, with DF_MINIMAL or so"
#elif defined(DF_WITH_DATAFLOW) && !defined(DF_MINIMAL)
#error "df: DF_WITH_DATAFLOW adds dataflow to DF_MINIMAL, and other builds have it: remove it or define DF_MINIMAL"
#elif defined(DF_WITH_TRACE) || defined(DF_WITH_TRACE_PAGE) || defined(DF_WITH_STATS) || \
    defined(DF_WITH_GRAPH) || defined(DF_WITH_STALL) || defined(DF_WITH_SCHEDULE) || defined(DF_WITH_OBSERVE) || \
    defined(DF_WITH_PROGRESS) || defined(DF_WITH_LOOPS) || defined(DF_WITH_PIPES) || defined(DF_WITH_BLOCKING) || \
    defined(DF_WITH_CPUSET) || defined(DF_WITH_STORAGE) || defined(DF_WITH_TASKGRAPH) || \
    defined(DF_WITH_SPECULATION) || defined(DF_WITH_STREAMS) || defined(DF_WITH_WEAK) || defined(DF_WITH_RENAME) || \
    defined(DF_WITH_REDUCTION) || defined(DF_WITH_LIMITS) || defined(DF_WITH_TOKENS) || defined(DF_WITH_ERRORS)
#error "df: DF_WITH_x is gone: DF_SMALL has the language, and df without DF_SMALL or DF_MINIMAL everything: choose one"
#elif defined(DF_WITHOUT_TRACE) || defined(DF_WITHOUT_TRACE_PAGE) || defined(DF_WITHOUT_STATS) || \
    defined(DF_WITHOUT_GRAPH) || defined(DF_WITHOUT_STALL) || defined(DF_WITHOUT_SCHEDULE) || \
    defined(DF_WITHOUT_OBSERVE) || defined(DF_WITHOUT_PROGRESS) || defined(DF_WITHOUT_LOOPS) || \
    defined(DF_WITHOUT_PIPES) || defined(DF_WITHOUT_BLOCKING) || defined(DF_WITHOUT_CPUSET) || \
    defined(DF_WITHOUT_STORAGE) || defined(DF_WITHOUT_TASKGRAPH) || defined(DF_WITHOUT_SPECULATION) || \
    defined(DF_WITHOUT_STREAMS) || defined(DF_WITHOUT_WEAK) || defined(DF_WITHOUT_RENAME) || \
    defined(DF_WITHOUT_REDUCTION) || defined(DF_WITHOUT_LIMITS) || defined(DF_WITHOUT_TOKENS) || \
    defined(DF_WITHOUT_ERRORS) || defined(DF_WITHOUT_DATAFLOW)
#error "df: DF_WITHOUT_x is gone: DF_SMALL leaves out what observes, DF_MINIMAL all but fork-join: choose one or none"
#endif

/* The floors flow/, more/ and observe/. */
#if defined(DF_CHECK) && DF_CHECK
#define DFI_WITH_CHECK 1
#else
#define DFI_WITH_CHECK 0
#endif
#if !defined(DF_MINIMAL) || DFI_WITH_CHECK
#define DFI_WITH_MORE 1
#else
#define DFI_WITH_MORE 0
#endif
#if DFI_WITH_MORE || defined(DF_WITH_DATAFLOW)
#define DFI_WITH_DATAFLOW 1
#else
#define DFI_WITH_DATAFLOW 0
#endif
#if !defined(DF_MINIMAL) && !defined(DF_SMALL)
#define DFI_WITH_OBSERVERS 1
#else
#define DFI_WITH_OBSERVERS 0
#endif

/* Those that observe, check, place or steer threads have nothing to do in a serial build. */
#if defined(DF_SERIAL)
#define DFI_WITH_WATCHES 0
#define DFI_WITH_CHECKS  0
#define DFI_WITH_CREWS   0
#else
#define DFI_WITH_WATCHES DFI_WITH_OBSERVERS
#define DFI_WITH_CHECKS  DFI_WITH_CHECK
#define DFI_WITH_CREWS   DFI_WITH_MORE
#endif

/* What one_build.h compares. */
#define DFI_PARTS (DFI_WITH_DATAFLOW | DFI_WITH_MORE << 1 | DFI_WITH_OBSERVERS << 2 | DFI_WITH_CHECK << 3)

/* Are messages about absent parts given? */
#if !DFI_WITH_WATCHES && !defined(DF_MINIMAL)
#define DFI_ABSENT_PARTS 1
#else
#define DFI_ABSENT_PARTS 0
#endif

#if defined(DF_IMPLEMENTATION) && (!DFI_WITH_OBSERVERS || DFI_WITH_CHECK)
#define DFI_OWN_POOL 1
#else
#define DFI_OWN_POOL 0
#endif

#endif
