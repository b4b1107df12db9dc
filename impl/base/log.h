/* log.h - log messages: levels, and the call of the program's logger
 *
 * Error: the program used the library wrongly. Warning: df continues in a degraded mode. Information: output that the
 * program requested. The text of a message is at the call that logs it; `_once` logs it once per process and place.
 * Findings (errors, with DF_CHECK or DF_DEBUG) that are equal but for numbers are logged once, and counted: the end of
 * the program, or the next start of df, logs how often they came.
 * A message may have any length. df never exits. */
#ifndef DFI_BASE_LOG_H
#define DFI_BASE_LOG_H

#include "atomic.h"
#include "compiler.h"
#include "hash.h"
#include "held.h"
#include "memory.h"

#include <stdarg.h>
#include <stdio.h>

enum { DFI_LOG_ERROR = 1, DFI_LOG_WARNING = 2, DFI_LOG_INFORMATION = 3, DFI_LOG_FINDING = 4 };

/* The program's logger; NULL: stderr. */
struct dfi_logger {
    void (*log)(void *arg, int level, const char *text);
    void *arg;
};
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_logger dfi_logger;
DFI_EXTERN_C_END

/* --- the log function ------------------------------------------------------------------------------ */

DFI_UNUSED static DFI_COLD void dfi_log_call(struct dfi_logger to, int level, const char *text)
{
    dfi_guest(1);
    (to.log)(to.arg, level, text); /* in parentheses, because `log` may be a macro of <tgmath.h> */
    dfi_guest(0);
}

#if !defined(DF_SERIAL)
/* A line that waits until the calling thread holds no lock. */
struct dfi_line {
    struct dfi_line *next;
    struct dfi_logger to;
    int level; /* the text is behind the record */
};
/* The line of a thread without memory for it. */
enum { DFI_LINE_SPARE = 240 };
static struct { struct dfi_line line; char text[DFI_LINE_SPARE]; } dfi_line_spare;
static DFI_ATOMIC(int) dfi_line_spare_taken;

/* Keeps a line. Zero: there is no memory for it, and another thread has the spare one. */
DFI_UNUSED static DFI_COLD int dfi_line_keep(struct dfi_logger to, int level, const char *text)
{
    size_t bytes = strlen(text) + 1;
    struct dfi_line *line = (struct dfi_line *)dfi_malloc(sizeof *line + bytes);
    if (!line) {
        if (dfi_exchange_acq_rel(&dfi_line_spare_taken, 1)) return 0; /* pairs with the release in dfi_lines_give */
        line = &dfi_line_spare.line;
        if (bytes > DFI_LINE_SPARE) bytes = DFI_LINE_SPARE;
    }
    line->next = NULL, line->to = to, line->level = level;
    memcpy(line + 1, text, bytes);
    ((char *)(line + 1))[bytes - 1] = 0;
    if (dfi_locks.first) dfi_locks.last->next = line;
    else dfi_locks.first = line;
    dfi_locks.last = line;
    dfi_locks.held |= 1;
    return 1;
}

/* The calling thread has unlocked its last lock: passes on the lines that it kept. */
DFI_UNUSED static DFI_COLD DFI_NOINLINE void dfi_lines_give(void)
{
    struct dfi_line *line = dfi_locks.first, *next;
    dfi_locks.first = NULL, dfi_locks.held = 0; /* what the log function says is a line of its own */
    for (; line; line = next) {
        next = line->next;
        dfi_log_call(line->to, line->level, (const char *)(line + 1));
        if (line == &dfi_line_spare.line) dfi_store_release(&dfi_line_spare_taken, 0);
        else dfi_mfree(line);
    }
}

DFI_UNUSED static void dfi_locked(void) { dfi_locks.held += 2; }
DFI_UNUSED static void dfi_unlocked(void)
{
    if (DFI_UNLIKELY((dfi_locks.held -= 2) == 1)) dfi_lines_give();
}
#else
DFI_UNUSED static int dfi_line_keep(struct dfi_logger to, int level, const char *text)
{
    (void)to, (void)level, (void)text;
    return 0;
}
#endif

/* --- findings ---------------------------------------------------------------------------------------- */

#if !defined(DF_MINIMAL) && DFI_GNU
#define DFI_FINDINGS 1
enum { DFI_FOUND_MOST = 1000 }; /* number of different findings that are counted; any other is logged each time */
struct dfi_found {
    struct dfi_found *next;
    uint64_t key;
    DFI_ATOMIC(int) times;
};
DFI_EXTERN_C_BEGIN
extern DFI_API DFI_ATOMIC(struct dfi_found *) dfi_findings; /* pushed only: threads may report while the program ends */
DFI_API DFI_ATOMIC(struct dfi_found *) dfi_findings;
DFI_EXTERN_C_END

/* A hash of the text without its numbers, because sizes and addresses differ between equal findings. Source lines
 * (":12") and names ("task f2") belong to the text. */
static DFI_COLD uint64_t dfi_found_key(const char *text)
{
    uint64_t h = DFI_HASH_BEGIN;
    char before = ' ';
    for (; *text; before = *text++) {
        int number = *text >= '0' && *text <= '9' && strchr(" (-[=", before) != NULL;
        if (number) text += strspn(text, "0123456789abcdefx.") - 1;
        else h = dfi_hash(h, text, 1);
    }
    return h;
}

/* Counts a finding. Nonzero: an equal finding was logged before. */
DFI_UNUSED static DFI_COLD int dfi_found_again(const char *text)
{
    uint64_t key = dfi_found_key(text);
    struct dfi_found *first = dfi_load_acquire(&dfi_findings), *seen = NULL, *made = NULL, *f;
    int n = 0;
    do { /* again after another thread has pushed one, which may be the same */
        for (f = first; f != seen; f = f->next, n++)
            if (f->key == key) {
                dfi_mfree((void *)made);
                return dfi_fetch_add_relaxed(&f->times, 1) != 0;
            }
        if (!made) {
            if (n >= DFI_FOUND_MOST || !(made = (struct dfi_found *)dfi_malloc(sizeof *f + strlen(text) + 1))) return 0;
            strcpy((char *)(made + 1), text);
            made->key = key;
            dfi_store_relaxed(&made->times, 1);
        }
        seen = made->next = first;
    } while (!dfi_cas_acq_rel(&dfi_findings, &first, made)); /* release, for the acquires */
    return 0;
}
#else
#define DFI_FINDINGS 0
DFI_UNUSED static int dfi_found_again(const char *text) { return (void)text, 0; }
#endif

/* Called in the child of a fork: the locks are new, and the findings so far were logged by the parent. */
DFI_UNUSED static void dfi_log_forked(void)
{
#if DFI_FINDINGS
    struct dfi_found *f;
    for (f = dfi_load_relaxed(&dfi_findings); f; f = f->next) dfi_store_relaxed(&f->times, 0);
#endif
    dfi_locks.held = 0, dfi_locks.first = NULL;
}

/* --- messages ---------------------------------------------------------------------------------------- */

#if DFI_GNU
__attribute__((format(printf, 2, 3)))
#endif
DFI_UNUSED static DFI_COLD void dfi_say(int level, const char *format, ...)
{
    const struct dfi_logger to = dfi_logger;
    static const char cut[] = " (the rest is lost: out of memory)";
    char few[400] = "df: ", *text = few;
    va_list arguments;
    int n;
    va_start(arguments, format);
    n = vsnprintf(few + 4, sizeof few - 4, format, arguments);
    va_end(arguments);
    if (n >= (int)sizeof few - 4) {
        if ((text = (char *)dfi_malloc((size_t)n + 5)) != NULL) {
            memcpy(text, few, 4);
            va_start(arguments, format);
            vsnprintf(text + 4, (size_t)n + 1, format, arguments);
            va_end(arguments);
        } else memcpy((text = few) + sizeof few - sizeof cut, cut, sizeof cut);
    }
    if (level == DFI_LOG_FINDING && dfi_found_again(text)) goto counted;
    if (level == DFI_LOG_FINDING) level = DFI_LOG_ERROR;
    if (!to.log || (dfi_locks.held && !dfi_line_keep(to, level, text)))
        fprintf(stderr, "%s\n", text); /* the line of a thread that holds a lock, without memory, comes here, too */
    else if (!dfi_locks.held) dfi_log_call(to, level, text);
counted:
    if (text != few) dfi_mfree(text);
}

#if DFI_FINDINGS
/* Logs the number of each repeated finding, and sets the numbers back. It also runs at the end of the program, after
 * the destructors of the parts of df, which may report findings (work/pool.h). */
static DFI_COLD __attribute__((destructor(102))) void dfi_found_tell(void)
{
    struct dfi_found *f;
    for (f = dfi_load_acquire(&dfi_findings); f; f = f->next) {
        int times = dfi_exchange_acq_rel(&f->times, 0); /* relaxed would do: only this word is communicated */
        if (times > 1) dfi_say(DFI_LOG_WARNING, "%d times in all, numbers apart: %s", times, (char *)(f + 1) + 4);
    }
}
#endif

#define dfi_finding(...) dfi_say(DFI_LOG_FINDING, __VA_ARGS__)
#define dfi_error(...)   dfi_say(DFI_LOG_ERROR, __VA_ARGS__)
#define dfi_warn(...)    dfi_say(DFI_LOG_WARNING, __VA_ARGS__)
#define dfi_inform(...)  dfi_say(DFI_LOG_INFORMATION, __VA_ARGS__)
#define dfi_once(level, ...)                                                                          \
    do {                                                                                              \
        static DFI_ATOMIC(int) dfi_said; /* acq_rel: relaxed would do, because only this word is communicated */ \
        if (!dfi_exchange_acq_rel(&dfi_said, 1)) dfi_say(level, __VA_ARGS__);                         \
    } while (0)
#define dfi_error_once(...)  dfi_once(DFI_LOG_ERROR, __VA_ARGS__)
#define dfi_warn_once(...)   dfi_once(DFI_LOG_WARNING, __VA_ARGS__)
#define dfi_inform_once(...) dfi_once(DFI_LOG_INFORMATION, __VA_ARGS__)

/* Memory for a task is missing. Where something else is lost, the call says what. */
DFI_UNUSED static DFI_COLD void dfi_warn_no_memory(void)
{
    dfi_warn_once("out of memory: tasks run immediately on the thread that creates them; lower df_config.window "
                  "or df_config.deque");
}

#endif
