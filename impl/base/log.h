/* log.h - every message df can say, in one list, and the function that says it
 *
 * ERROR: the program used the library wrongly. WARNING: it went on, with less than was asked for.
 * INFORMATION: what was asked for. A message marked ONCE is said once per process. The library never exits. */
#ifndef DFI_BASE_LOG_H
#define DFI_BASE_LOG_H

#include "atomic.h"
#include "compiler.h"

#include <stdio.h>
#include <stdarg.h>

#define DFI_MESSAGES(X)                                                                                        \
    X(NO_THREAD, WARNING, ONCE, "cannot start worker thread %d (%s): going on with %d workers; "               \
                                "raise the limit on threads or lower DF_WORKERS")                              \
    X(NO_MEMORY, WARNING, ONCE, "out of memory: tasks run at once in the thread that creates them; "           \
                                "lower df_config.window or df_config.deque")                                   \
    X(TOO_MANY_THREADS, WARNING, ONCE, "more than %d threads use df: in the others tasks run at once")         \
    X(BAD_ENV, WARNING, ALWAYS, "%s='%s' is not %s: the default is used")                                      \
    X(PRIVILEGED, WARNING, ONCE, "%s and all other variables of df are ignored: this process has privileges that the user who started " \
                                 "it lacks, such as set-user-ID; use df_config")                               \
    X(PRIVILEGED_DEVICE, WARNING, ONCE, "OpenCL and CUDA are not loaded: this process has privileges that the user who started it lacks, and variables " \
                                        "of that user choose which libraries they load; the host runs the kernels") \
    X(BAD_CONFIG, WARNING, ALWAYS, "df_config.%s = %ld is not %s: the default is used")                        \
    X(TOO_MANY_WORKERS, WARNING, ALWAYS, "%d workers are too many: %d are used; set DF_WORKERS or df_config.workers") \
    X(BAD_CPU, WARNING, ALWAYS, "DF_CPUSET names CPU %d, which this process may not use: left out")            \
    X(NO_CPU, WARNING, ALWAYS, "DF_CPUSET names no CPU that this process may use: ignored")                    \
    X(EXIT_PENDING, WARNING, ALWAYS, "the program ends with %ld tasks of df_submit not done: "                 \
                                     "call df_wait() before leaving main")                                     \
    X(EXIT_BUSY, WARNING, ALWAYS, "the program ends while %d workers still run a task: they are not waited for") \
    X(STOP_INSIDE, ERROR, ALWAYS, "df_stop called inside a task or DF_PARALLEL block: ignored; "               \
                                  "call it where the program is outside of all df constructs")                 \
    X(SYNC_TWICE, ERROR, ALWAYS, "%s: df_sync(%s) on a future that was not spawned, was synced before, "       \
                                 "or was spawned by another thread")                                           \
    X(NOT_SYNCED, ERROR, ALWAYS, "%s: df_spawn(%s) without df_sync before %s: %s; sync it in the function that spawns it") \
    X(LEFT_BLOCK, ERROR, ALWAYS, "%s: DF_PARALLEL was left by return, goto or longjmp: its tasks were not waited for") \
    X(LEFT_GUESS, ERROR, ALWAYS, "a df_speculate block was left by longjmp: it is ended at the end of the code around it; " \
                                 "leave it by break, return or goto")                                          \
    X(SPAWN_GUESS, ERROR, ALWAYS, "%s: df_spawn in a df_speculate block whose condition is not known: the call cannot be taken back; " \
                                  "submit a task that spawns")                                                 \
    X(STALL, WARNING, ALWAYS, "stall: %s")                                                                      \
    X(STALL_THREAD, WARNING, ALWAYS, "DF_STALL: the system refused a thread: stalls are not reported")           \
    X(TOKEN_OPEN, ERROR, ALWAYS, "%s: a signal too many for the token of %s, which is open already: no effect")  \
    X(TOKEN_STUCK, ERROR, ALWAYS, "%s: df_wait_token waits for the token of %s, which nobody can signal any more: " \
                                  "given up; raise its signals, lower its count, or use DF_TOKEN_EXTERNAL")    \
    X(RETRY_STUCK, ERROR, ALWAYS, "%s: df_retry waits for a change, but nothing is left that could write what the atomic block " \
                                  "has read: the block is taken back and left, as by df_abort; submit the task that writes it") \
    X(NO_SPARE, WARNING, ONCE, "no thread can be started in the place of one that blocks (%d block now): its worker is missing " \
                               "meanwhile; raise the limit on threads, or let fewer tasks block at a time") \
    X(TASK_STUCK, ERROR, ALWAYS, "%s: task %s waits for the token of %s, which %s: skipped")                   \
    X(NODE_STUCK, ERROR, ALWAYS, "%s: node %s never fired, as it was not given: %s")                           \
    X(NODE_TWICE, ERROR, ALWAYS, "%s: df_node_set gives %s of node %s (created at %s) a second time: no effect") \
    X(NO_WORKER, WARNING, ALWAYS, "%s: df_opts.worker = %d, but workers are 1 to %d or DF_MAIN_THREAD: any worker runs it") \
    X(FAIL_ZERO, ERROR, ALWAYS, "df_fail(0, \"%s\"): 0 is no error: the code is -1")                           \
    X(THREAD_LEFT, ERROR, ALWAYS, "%s%s%s%s%s: its thread ended in its body, by pthread_exit or cancellation: it has failed") \
    X(THREAD_LOST, WARNING, ALWAYS, "the thread of worker %d ended in a body, and the system refused another: going on with fewer") \
    X(ERROR_LOST, WARNING, ALWAYS, "a task failed with %d, \"%s\", and nobody called df_wait_result")          \
    X(NOT_RELEASABLE, WARNING, ONCE, "df_release in task %s, which was not submitted with .release = 1: "      \
                                     "its memory is released at its end")                                      \
    X(UNLOCK, ERROR, ALWAYS, "df_mutex_unlock of a lock that the calling thread does not hold: no effect")     \
    X(OUTSIDE, ERROR, ALWAYS, "task %s submits task %s, which accesses %lu bytes at %p that its parent did not declare " \
                              "(DF_CHECK): add them to the declaration of %s")                                 \
    X(CHECK_UNDECLARED, ERROR, ALWAYS, "%s%s %s %lu bytes at %p that it does not declare (DF_CHECK): byte %lu of df_%s %.*s of task %s%s: " \
                                       "add them, df_%s(.., %.*s, ..), to the declaration of %s")               \
    X(CHECK_UNFINISHED, ERROR, ALWAYS, "%s%s %s %lu bytes at %p while task %s%s, which writes them (df_%s %.*s), is not done " \
                                       "(DF_CHECK): wait before, by df_wait or df_wait_on")                     \
    X(CHECK_WEAK, ERROR, ALWAYS, "%s%s %s %lu bytes at %p that it declares only weakly, for tasks it submits (DF_CHECK): " \
                                 "declare %.*s without weak")                                                   \
    X(CHECK_RELEASED, ERROR, ALWAYS, "%s%s %s %lu bytes at %p that it has released (DF_CHECK): call df_release for %.*s later") \
    X(CHECK_MEMORY, ERROR, ALWAYS, "task %s%s declares df_%s %.*s, %lu bytes at %p, but byte %lu of them is no memory the program may use " \
                                   "(DF_CHECK): it was freed, or lies behind the end, or its function has returned")             \
    X(CHECK_STACK, ERROR, ALWAYS, "task %s%s declares df_%s %.*s at %p, a variable of a function that has returned (DF_CHECK)") \
    X(CHECK_OUTLIVES, ERROR, ALWAYS, "task %s%s is not done, and %.*s at %p is a variable of a function that has returned " \
                                     "(DF_CHECK): call df_wait before it returns, or submit in DF_PARALLEL")    \
    X(CHECK_CHANGED, ERROR, ALWAYS, "task %s%s changed df_in %.*s, which it declares to read only (DF_CHECK): declare df_inout(.., %.*s, ..)") \
    X(CHECK_UNWRITTEN, ERROR, ALWAYS, "task %s%s declares df_out %.*s and leaves %lu bytes of it, from byte %lu on, as they were (DF_CHECK=2): " \
                                      "declare df_inout(.., %.*s, ..), or less")                                \
    X(CHECK_REDUCTION, ERROR, ALWAYS, "operator %s of DF_REDUCTION is not commutative: combine(a, b) and combine(b, a) differ by more than rounding " \
                                      "(DF_CHECK): declare it by DF_ORDERED_REDUCTION")                         \
    X(CHECK_TURN, WARNING, ONCE, "DF_CHECK: a task went on for more than %d seconds while others waited for their turn: while they run " \
                                 "beside each other undeclared accesses are not found")                         \
    X(REGION, ERROR, ALWAYS, "%s%stask %s: the size of parameter %.*s is negative, or larger than the memory behind its address: " \
                             "the task is ordered as if it accessed all memory; correct the count in its declaration") \
    X(REGION_WAIT, ERROR, ALWAYS, "%s%sdf_wait_on: there are fewer bytes behind the address: it waits for all tasks that write") \
    X(REGION_LOOP, ERROR, ALWAYS, "%s: loop %s: the size of a parameter is negative, or larger than the memory behind its address: " \
                                  "the loop is ordered as if it accessed all memory; correct the count in its declaration") \
    X(RELEASE, ERROR, ALWAYS, "df_release in task %s: the size is larger than the memory behind the address: no effect") \
    X(GRAIN, ERROR, ALWAYS, "%s: df_loop.grain%s = %ld is negative: taken as 0")                                \
    X(SCHEDULE, ERROR, ALWAYS, "%s: df_loop.schedule = %d is none of enum df_schedule: taken as DF_AUTO")      \
    X(VECTOR, ERROR, ALWAYS, "%s: the vector {%ld, %ld, %ld} of df_wavefront(%s, ...), of %d dimensions, does not name an " \
                             "earlier iteration: its first component that is not 0 must be positive; done in serial order") \
    X(PIPE_WINDOW, ERROR, ALWAYS, "%s: df_pipe_opts.window = %ld is negative: taken as 0")                      \
    X(PIPE_MEMORY, ERROR, ALWAYS, "%s: df_pipe(%s, ...): no memory for one item of %lu bytes: nothing was run") \
    X(STAGE, ERROR, ALWAYS, "%s: df_pipe(%s, ...): after stage %d of item %ld comes a stage from %d to %d, DF_PIPE_DONE or " \
                            "DF_PIPE_END: the pipe is ended")                                                  \
    X(STREAM_NEW, ERROR, ALWAYS, "%s: df_stream_new(%lu, %lu): an element has at least 1 byte, and a stream room for 1: NULL") \
    X(STREAM_CLOSED, ERROR, ALWAYS, "%s: df_stream_close of the stream of %s, which is closed already: no effect") \
    X(STREAM_LATE, ERROR, ALWAYS, "%s%stask %s pushes %lu elements into the stream of %s after its df_stream_close: they are dropped") \
    X(STREAM_LEFT, WARNING, ALWAYS, "the stream of %s is freed with %lu elements that no task was submitted to read, the first " \
                                    "pushed by task %s")                                                       \
    X(STREAM_STUCK, ERROR, ALWAYS, "%s%stask %s waits for %lu %s the stream of %s, which can no longer come: skipped") \
    X(STREAM_NULL, ERROR, ALWAYS, "%s%stask %s: the stream for parameter %s is NULL: skipped")                 \
    X(STREAM_SIZE, ERROR, ALWAYS, "%s%stask %s: elements of parameter %s have %lu bytes, those of the stream of %s %lu: skipped") \
    X(STREAM_TYPE, ERROR, ALWAYS, "%s%stask %s, declared at %s: elements of parameter %s are of type %s, but those of the stream of %s " \
                                  "are of type %s by %s: skipped")                                              \
    X(STREAM_NAMES, WARNING, ONCE, "%s%stask %s, declared at %s: elements of parameter %s are of type %s, those of the stream of %s " \
                                   "of type %s by %s: if this is one type, give it the same name in both places") \
    X(STREAM_LARGE, ERROR, ALWAYS, "%s%stask %s: parameter %s is a window of %ld elements, but the stream of %s has room for %lu: " \
                                   "skipped; raise its capacity")                                              \
    X(STREAM_BURST, ERROR, ALWAYS, "%s%stask %s: parameter %s is to consume %ld of %ld elements: skipped")      \
    X(STREAM_COUNT, ERROR, ALWAYS, "%s%stask %s: parameter %s is of %ld streams: skipped")                     \
    X(GRAPH_WRITE, WARNING, ALWAYS, "%s=%s cannot be written: %s: there is no graph")                          \
    X(GRAPH_BUSY, WARNING, ALWAYS, "%s=%s: another program has this file: the graph of this one is not written; give it another name") \
    X(GRAPH_FORK, WARNING, ALWAYS, "%s=%s is the file of the process that this one was forked from: what this one does is not in it") \
    X(GRAPH_MEMORY, WARNING, ALWAYS, "%s=%s: out of memory: the graph is incomplete")                          \
    X(TRACE_WRITE, WARNING, ALWAYS, "%s=%s cannot be written: %s: the trace ends here")                        \
    X(TRACE_BUSY, WARNING, ALWAYS, "%s=%s: another program has this file: this one is not traced; give it another name") \
    X(TRACE_FORK, WARNING, ALWAYS, "%s=%s is the trace of the process that this one was forked from: this one is not traced") \
    X(TRACE_ARROWS, WARNING, ALWAYS, "%s=%s: %lu arrows are left out: there are too many tasks between their ends") \
    X(TRACE_SERIAL, WARNING, ONCE, "%s=%s: a DF_SERIAL build has no trace: leave DF_SERIAL out")               \
    X(TRACE_MEMORY, WARNING, ALWAYS, "%s=%s: out of memory: the trace is incomplete")                          \
    X(CAPTURE_STATE, ERROR, ALWAYS, "%s: %s: the graph of %s cannot be used now: %s")                           \
    X(CAPTURE_NULL, ERROR, ALWAYS, "%s: %s: the graph is NULL")                                                 \
    X(CAPTURE_MEMORY, WARNING, ALWAYS, "%s: out of memory: the tasks of this block run, but are not captured")  \
    X(CAPTURE_TWICE, ERROR, ALWAYS, "%s: DF_RECORD of a graph that was recorded at %s already: its tasks run, and the graph stays as it is") \
    X(CAPTURE_CANNOT, ERROR, ALWAYS, "%s: df_replay: the block recorded at %s contains %s (%s), which cannot be captured: nothing is run; " \
                                     "submit it again instead, or move that out of the block")                  \
    X(CAPTURE_NO_TASK, ERROR, ALWAYS, "%s: df_graph_set: the graph of %s has %ld tasks %s, numbered from 0; there is no number %ld: no effect") \
    X(STATS_LINE, INFORMATION, ALWAYS, "%s")                                                                   \
    X(STATS_WRITE, WARNING, ALWAYS, "%s=%s cannot be written: %s: there are no statistics")                    \
    X(STATS_BUSY, WARNING, ALWAYS, "%s=%s: another program has this file: there are no statistics of this one; give it another name") \
    X(STATS_FORK, WARNING, ALWAYS, "%s=%s is the file of the process that this one was forked from: there are no statistics of this one") \
    X(STATS_SERIAL, WARNING, ONCE, "%s=%s: a DF_SERIAL build has no statistics")                               \
    X(STATS_EVENTS, WARNING, ALWAYS, "DF_STATS_EVENTS: no count of %s: %s")                                     \
    X(STATS_THREAD, WARNING, ONCE, "DF_STATS_EVENTS: the system refused the counters of a thread: %s: what it runs is not counted") \
    X(RECORD_WRITE, WARNING, ALWAYS, "%s=%s cannot be written: %s: the run is not recorded, or not to its end")  \
    X(RECORD_BUSY, WARNING, ALWAYS, "%s=%s: another program has this file: this run is not recorded; give it another name") \
    X(RECORD_AWAY, WARNING, ONCE, "a task did not come to an end, nor to df, for %d seconds while others waited: others run beside it, " \
                                  "and that is not in the record; raise DF_PATIENCE if it only takes long")    \
    X(RECORD_FORK, WARNING, ALWAYS, "%s=%s is the file of the process that this one was forked from: this one is neither recorded nor repeated") \
    X(RECORD_BOTH, WARNING, ALWAYS, "%s=%s: a replay is not recorded: ignored")                                 \
    X(REPLAY_READ, WARNING, ALWAYS, "%s=%s cannot be read: %s: the program runs freely")                        \
    X(REPLAY_FOREIGN, WARNING, ALWAYS, "%s=%s is not a record of df, or of another version or machine: the program runs freely") \
    X(REPLAY_MISFIT, WARNING, ALWAYS, "%s=%s: step %lu does not fit: the record is of another program, or of other input, settings or times; " \
                                      "the program runs freely from here on")                                  \
    X(REPLAY_ENDS, WARNING, ALWAYS, "%s=%s ends with step %lu, as the recorded program did, without an end: the program runs freely from here on") \
    X(DEVICE_OPEN, WARNING, ALWAYS, "%s device %d is not used: %s")                                             \
    X(CUDA_NONE, WARNING, ONCE, "CUDA: %s: its devices are not used")                                          \
    X(NO_DEVICE, WARNING, ALWAYS, "DF_GPU=%s, but there is no such device: the host runs the kernels")          \
    X(FILE_FOREIGN, WARNING, ALWAYS, "%s=%s: this file is not one that df wrote: it is neither read nor changed") \
    X(FILE_LINES, WARNING, ALWAYS, "%s=%s: %ld lines are not as df writes them: they are left out")              \
    X(FILE_WRITE, WARNING, ALWAYS, "%s=%s cannot be written: %s: what was measured is known to this run only")   \
    X(FILE_READ, WARNING, ALWAYS, "%s=%s is neither read nor written: %s; name a file in a folder of yours")      \
    X(CACHE, WARNING, ALWAYS, "DF_KERNEL_CACHE=%s is not used: %s; each run compiles its kernels")               \
    X(DEVICE_LOST, ERROR, ALWAYS, "device %d (%s) failed while %s: %s; it is not used any more, and %lu bytes that only it had " \
                                  "are lost: the host's memory has what was there before")                     \
    X(NO_SUCH_DEVICE, ERROR, ALWAYS, "%s: launch of %s on device %d: devices are 1 to %d, or DF_HOST: not run") \
    X(KERNEL_TEXT, ERROR, ALWAYS, "%s:%d: kernel %s runs on the host, but would not compile for a device: %s")  \
    X(DEVICE_POINTER, ERROR, ALWAYS, "%s: launch of %s: parameter %s is an address of device memory (%s): not run; df moves memory " \
                                     "to devices itself: pass memory of the host")                              \
    X(KERNEL_BUILD, ERROR, ALWAYS, "%s:%d: kernel %s does not compile for device %d (%s): not run\n%s")         \
    X(GRID, ERROR, ALWAYS, "%s: launch of %s on device %d (%s): %ld x %ld x %ld work-items in groups of %d x %d x %d: %s: not run") \
    X(DEVICE_MEMORY, ERROR, ALWAYS, "%s: launch of %s on device %d (%s): it accesses %lu bytes, the largest part %lu as %s, and the " \
                                    "device has %lu for df: not run; use smaller parts")                       \
    X(BARRIER, ERROR, ALWAYS, "%s:%d: kernel %s: some work-items of a group ended while others wait in df_barrier: all must come " \
                              "there or none; the group is given up")                                          \
    X(KERNEL_HERE, ERROR, ALWAYS, "%s:%d: kernel %s on the host: %s: given up")                                 \
    X(DIST, ERROR, ALWAYS, "%s: df_dist_new: %s = %lld %s: NULL")                                              \
    X(DIST_MEMORY, ERROR, ALWAYS, "%s: df_dist_new: no memory for %lu bytes: NULL")                            \
    X(DIST_ARRAY, ERROR, ALWAYS, "%s: %s: the distribution of %s does not exist, or has no array (df_dist_desc.memory): nothing is done") \
    X(WAIT_IN_ATOMIC, ERROR, ALWAYS, "%s: the atomic block that begins here waits for tasks: they may wait for it; " \
                                     "wait before or after the block")                                         \
    X(TM_OUTSIDE, ERROR, ALWAYS, "%s: %s outside of an atomic block: no effect")                               \
    X(TM_DIRECT, ERROR, ALWAYS, "%s: %s after df_irrevocable, or without memory to take the block back: no effect") \
    X(TM_RETRY_NOTHING, ERROR, ALWAYS, "%s: df_retry in an atomic block that read nothing by df_tm_read: nothing can wake it") \
    X(TM_LEFT, ERROR, ALWAYS, "%s: an atomic block that begins here, or a block inside of it, was left by longjmp, or by an exception through " \
                              "code compiled without exceptions: it is rolled back; leave it by return, break, goto or df_abort") \
    X(TM_LEFT_DIRECT, ERROR, ALWAYS, "%s: the atomic block that begins here was left by longjmp or an exception after df_irrevocable: what it " \
                                     "did stays, and it ends there")                                           \
    X(TM_COPY_LOCAL, ERROR, ALWAYS, "%s: the atomic block that begins here uses df_tm_copy for a local variable, which has its old value until the " \
                                    "block ends: read into it by df_tm_read_bytes")                             \
    X(TM_SIGNAL, ERROR, ALWAYS, "%s: an atomic block in a signal handler that interrupts an atomic block: it is not executed; " \
                                "set a flag in the handler, and run the block outside of it")                  \
    X(TM_THREAD_END, ERROR, ALWAYS, "%s: a thread ends inside of the atomic block that begins here: it has no effect") \
    X(TM_NO_RECORD, WARNING, ONCE, "out of memory: some threads run their atomic blocks one after another")    \
    X(OWM_OWNERS, ERROR, ALWAYS, "%s: %s acquires %lu bytes %s that %s owns %s since %s: order the two, or release first") \
    X(OWM_TWICE, ERROR, ALWAYS, "%s: %s acquires %lu bytes that it owns already, since %s")                    \
    X(OWM_FROZEN, ERROR, ALWAYS, "%s: %s acquires %lu bytes to write that were frozen at %s")                  \
    X(OWM_NOT_ACQUIRED, ERROR, ALWAYS, "%s: %s releases %lu bytes that it has not acquired, of the memory of %s") \
    X(OWM_HELD, ERROR, ALWAYS, "%s: %s (%s) ends owning %lu bytes that it acquired here: add df_owm_release")  \
    X(OWM_OUTSIDE, ERROR, ALWAYS, "%s: %s asks for %lu bytes that are not all inside of the memory of %s, which has %lu") \
    X(OWM_NOWHERE, ERROR, ALWAYS, "%s: %s asks for %lu bytes that are in no memory of df_owm_alloc")           \
    X(OWM_MODE, ERROR, ALWAYS, "%s: df_owm_acquire: mode %d is none of DF_OWM_R, DF_OWM_W, DF_OWM_RW")         \
    X(OWM_WRITE, ERROR, ALWAYS, "%s: %s writes without owning it to byte %lu of the memory of %s%s")           \
    X(OWM_CHANGED, ERROR, ALWAYS, "%s: %s finds byte %lu of the memory of %s changed%s: somebody wrote it without owning it") \
    X(OWM_FREEZE, ERROR, ALWAYS, "%s: %s freezes %lu bytes that another one owns to write since %s: no effect") \
    X(OWM_FREED, ERROR, ALWAYS, "%s: df_owm_free of memory that was freed at %s already: no effect")           \
    X(OWM_FREE, ERROR, ALWAYS, "%s: df_owm_free of an address that is not the beginning of memory of df_owm_alloc: no effect") \
    X(OWM_FREE_OWNED, ERROR, ALWAYS, "%s: df_owm_free of memory of which %lu bytes are owned by %s since %s")  \
    X(OWM_FULL, WARNING, ONCE, "more than %d parts of owner-writable memory in use: further ones are not checked, and not handed " \
                               "on to other processes")                                                       \
    X(OWM_NO_MEMORY, WARNING, ALWAYS, "%s: df_owm_alloc: no memory for %lu bytes%s: NULL")                     \
    X(OWM_UNGUARDED, WARNING, ONCE, "the system protects no more pieces of memory: writes without ownership are found later, when " \
                                    "the memory is acquired")                                                 \
    X(OWM_JOIN, WARNING, ALWAYS, "df_owm_join: %s: going on without")                                          \
    X(OWM_FEWER, WARNING, ALWAYS, "df_owm_join: %d processes instead of %d: %s")                               \
    X(OWM_DEAD, ERROR, ALWAYS, "process %d died while it owned %lu bytes, acquired by %s at %s: what it wrote there is lost") \
    X(OWM_DEAD_CLEAN, WARNING, ALWAYS, "process %d died; it owned nothing")                                    \
    X(OWM_EVENT, ERROR, ALWAYS, "%s: event %d: events are 0 to %d: no effect")                                 \
    X(OWM_EVENT_NEVER, ERROR, ALWAYS, "%s: df_owm_await waits for event %d to be counted %ld times; it was %ld times, and who " \
                                      "should count it has ended: given up")
#define DFI_LOG_ID(id, level, once, text) DFI_LOG_##id,
enum dfi_log_id { DFI_MESSAGES(DFI_LOG_ID) DFI_LOG_COUNT };
enum { DFI_LOG_ERROR = 1, DFI_LOG_WARNING = 2, DFI_LOG_INFORMATION = 3, DFI_LOG_ONCE = 1, DFI_LOG_ALWAYS = 0 };

/* Who is told, and what was said already. */
struct dfi_logger {
    void (*log)(void *arg, int level, const char *text);
    void *arg;
    DFI_ATOMIC(int) said[DFI_LOG_COUNT];
};
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_logger dfi_logger;
DFI_EXTERN_C_END

#define DFI_LOG_ROW(id, level, once, text) { DFI_LOG_##level, DFI_LOG_##once, text },
struct dfi_message { int level, once; const char *text; };
static const struct dfi_message dfi_message[] = { DFI_MESSAGES(DFI_LOG_ROW) };

static void dfi_log(int id, ...)
{
    void (*say)(void *arg, int level, const char *line);
    char text[400];
    va_list ap;
    int n;
    /* acq_rel: relaxed would do, nothing but the word itself is communicated */
    if (dfi_message[id].once && dfi_exchange_acq_rel(&dfi_logger.said[id], 1)) return;
    n = snprintf(text, sizeof text, "df: ");
    va_start(ap, id);
    DFI_QUIET_FORMAT
    vsnprintf(text + n, sizeof text - (size_t)n, dfi_message[id].text, ap);
    DFI_LOUD
    va_end(ap);
    say = dfi_logger.log; /* not called as a member: `log` may be a macro of <tgmath.h> */
    if (say) say(dfi_logger.arg, dfi_message[id].level, text);
    else fprintf(stderr, "%s\n", text);
}

#endif
