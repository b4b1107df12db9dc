/* dfi_log.h - every message df can say, in one list, and the function that says it
 *
 * ERROR: the program used the library wrongly. WARNING: it went on, with less than was asked for.
 * A message marked ONCE is said once per process. The library never exits. */
#ifndef DFI_LOG_H
#define DFI_LOG_H

#define DFI_MESSAGES(X)                                                                                        \
    X(NO_THREAD, WARNING, ONCE, "cannot start worker thread %d (%s): going on with %d workers; "               \
                                "raise the limit on threads or lower DF_WORKERS")                              \
    X(NO_MEMORY, WARNING, ONCE, "out of memory: tasks run at once in the thread that creates them; "           \
                                "lower df_config.window or df_config.deque")                                   \
    X(TOO_MANY_THREADS, WARNING, ONCE, "more than %d threads use df: in the others tasks run at once")         \
    X(BAD_ENV, WARNING, ALWAYS, "%s='%s' is not %s: the default is used")                                      \
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
    X(NOT_SYNCED, ERROR, ALWAYS, "%s: df_spawn without df_sync before the end of the task it is in")       \
    X(LEFT_BLOCK, ERROR, ALWAYS, "%s: DF_PARALLEL was left by return, goto or longjmp: its tasks were not waited for")

#define DFI_LOG_ID(id, level, once, text) DFI_LOG_##id,
enum dfi_log_id { DFI_MESSAGES(DFI_LOG_ID) DFI_LOG_COUNT };
enum { DFI_LOG_ERROR = 1, DFI_LOG_WARNING = 2, DFI_LOG_ONCE = 1, DFI_LOG_ALWAYS = 0 };

static void dfi_log(int id, ...)
{
#define DFI_LOG_ROW(id, level, once, text) { DFI_LOG_##level, DFI_LOG_##once, text },
    static const struct { int level, once; const char *text; } message[] = { DFI_MESSAGES(DFI_LOG_ROW) };
    void (*say)(void *arg, int level, const char *line);
    char text[400];
    va_list ap;
    int n;
    if (message[id].once) {
        unsigned bit = 1u << id, seen = dfi_load_relaxed(&dfi_pool.logged);
        do { /* relaxed would do: nothing but the bit itself is communicated */
            if (seen & bit) return;
        } while (!dfi_cas_acq_rel(&dfi_pool.logged, &seen, seen | bit));
    }
    n = snprintf(text, sizeof text, "df: ");
    va_start(ap, id);
    vsnprintf(text + n, sizeof text - (size_t)n, message[id].text, ap);
    va_end(ap);
    say = dfi_pool.log; /* not called as a member: `log` may be a macro of <tgmath.h> */
    if (say) say(dfi_pool.log_arg, message[id].level, text);
    else fprintf(stderr, "%s\n", text);
}

#endif
