/* no_memory.h - after failing_malloc.h and df.h: memory runs out at allocation after allocation */
#ifndef NO_MEMORY_H
#define NO_MEMORY_H

#include "child.h"

#define SETTINGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Calls run() in a process of its own, with these settings, for every step-th n, while the n-th allocation fails, or
 * (only_one is 0) all from there on. It exits with 77 if it had no more than n - 1; else it ends well, and may_say()
 * all that it has said. Returns how many allocations it has. */
static inline int every_n(int (*run)(void *), const char *const *settings, int step,
                          int (*may_say)(const struct child *c))
{
    for (int n = 1;; n += step) {
        left = n;
        struct child c = child_run(run, NULL, settings, 30);
        if (c.status == 77) return n - 1;
        if (!c.status && may_say(&c)) continue;
        for (; *settings; settings += 2) fprintf(stderr, "%s=%s ", settings[0], settings[1]);
        fprintf(stderr, "%s allocation %d\n", only_one ? "only" : "from", n);
        CHECK_CHILD(c, 0);
    }
}
/* True if all messages are about memory, and each of them comes once. */
static inline int each_once(const struct child *c)
{
    for (const char *line = c->err, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        char text[400];
        if (strncmp(line, "df: out of memory: ", 19) || end - line >= (int)sizeof text) return 0;
        memcpy(text, line, (size_t)(end - line)), text[end - line] = 0;
        if (strstr(end, text)) return 0;
    }
    return 1;
}

/* True if all messages are about memory. */
static inline int about_memory(const struct child *c)
{
    for (const char *line = c->err, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        const char *said = strstr(line, "out of memory");
        if (!said || said > end) return 0;
    }
    return 1;
}

/* Starts df with that configuration, calls work() and stops it, in this process, again and again: one allocation
 * fails, or all from there on. after(): called after each, or NULL. */
static inline void memory_runs_out(const df_config *config, int (*work)(void *), void (*after)(void), int density)
{
    for (int only = 0; only < 2; only++) {
        int k = 0;
        do {
            k += 1 + k / density;
            left = k, only_one = only, failed = 0;
            if (df_start(config) == DF_OK) {
                work(NULL);
                df_stop();
            }
            left = ENOUGH;
            if (after) after();
        } while (failed && k < 400);
        CHECK(k > 5);
    }
}

#endif
