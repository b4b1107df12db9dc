/* settings.h - settings of the pool from df_config, environment variables and defaults
 *
 * df_config takes precedence over the environment, and the environment over the defaults. An invalid value is logged
 * once, with the name of the field or variable, and the default is used. */
#ifndef DFI_WORK_SETTINGS_H
#define DFI_WORK_SETTINGS_H

#include <limits.h>
#include "../base/env.h"
#include "../base/log.h"
#include "../os/os.h"
#include "../os/threads.h"
#include "../api/public.h"

DFI_SMALL_CODE_BEGIN
enum {
    DFI_DEQUE_DEFAULT = 16384, /* entries of the private stack: 128 KB of address space, mapped when used */
    DFI_DEQUE_LEAST = 2,
    DFI_DEQUE_MOST = 1 << 26,
    DFI_WINDOW_DEFAULT = 2048, /* unfinished children: their records fit into a 1 MB second-level cache */
    DFI_WINDOW_MOST = 1 << 26,
    DFI_RENAME_MOST = 1 << 30, /* limit of the environment variable */
    DFI_PATIENCE_DEFAULT = 2,  /* seconds */
    DFI_PATIENCE_MOST = 1000000,
    DFI_STALL_DEFAULT = DF_CHECK ? 2 : 0, /* seconds; 0: no stall reports */
    DFI_STALL_MOST = 1000000,   /* limit of the environment variable */
    /* iterations: the second hides the latency of the first decision, further ones cost more to roll back */
    DFI_SPECULATE_DEFAULT = 2,
    DFI_SPECULATE_MOST = 1000,
    DFI_SEED_MOST = 1000000000,
    DFI_WORKERS_MOST = 256     /* the remaining slots are for threads of the program */
};

/* The schedule of a run: a seed, and a file for a record or a replay. */
struct dfi_schedule {
    unsigned seed;      /* 0: none */
    int replays;        /* the file is replayed, not recorded */
    const char *file;   /* NULL: none */
    const char *origin; /* prefix of the file name in messages: "DF_SCHEDULE=record:" */
};

struct dfi_settings {
    int workers;                 /* 0: not set */
    int n_cpus;                  /* CPUs in the list, 0: no list */
    int cpu[DFI_MAX_CPUS];
    size_t deque, window, stack_bytes, rename_bytes;
    int capture, defer, deterministic, patience, speculate;
    double stall;
    struct dfi_schedule schedule;
};

/* Parses a decimal number without any other characters. -1: malformed or too large. */
static int dfi_parse_number(const char *text, long *value)
{
    long v = 0;
    const char *p = text;
    if (!*p) return -1;
    for (; *p; p++) {
        if (*p < '0' || *p > '9' || v > 200000000) return -1;
        v = 10 * v + (*p - '0');
    }
    *value = v;
    return 0;
}

/* Parses "1,2,6,8" or "0-11,20-31" into s->cpu. -1: malformed. */
static int dfi_parse_cpus(const char *text, struct dfi_settings *s)
{
    const char *p = text;
    s->n_cpus = 0;
    for (;;) {
        long from = 0, to, *at = &from;
        int digits = 0;
        for (to = -1;; p++) {
            if (*p >= '0' && *p <= '9' && *at < DFI_MAX_CPUS) *at = 10 * *at + (*p - '0'), digits++;
            else if (*p == '-' && at == &from && digits) to = 0, at = &to, digits = 0;
            else break;
        }
        if (!digits) return -1;
        if (to < 0) to = from;
        if (from >= DFI_MAX_CPUS || to >= DFI_MAX_CPUS || to < from) return -1;
        for (; from <= to; from++)
            if (s->n_cpus < DFI_MAX_CPUS) s->cpu[s->n_cpus++] = (int)from;
        if (!*p) return 0;
        if (*p++ != ',') return -1;
    }
}

static long dfi_env_number(const char *name, long least, long most, long otherwise, const char *what)
{
    const char *text = dfi_env(name);
    long v;
    if (!text || !*text) return otherwise;
    if (dfi_parse_number(text, &v) == 0 && v >= least && v <= most) return v;
    dfi_warn(DFI_MESSAGE_BAD_ENV, name, text, what);
    return otherwise;
}

/* Parses seconds, such as 2 or 0.25, independent of the locale, unlike strtod. -1: malformed or too large. */
static double dfi_parse_seconds(const char *text)
{
    double v = 0, unit = 1, most = (double)DFI_STALL_MOST;
    const char *p = text;
    int digits = 0;
    for (; *p >= '0' && *p <= '9' && v <= most; p++, digits++) v = 10 * v + (*p - '0');
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++, digits++) v += (*p - '0') * (unit /= 10);
    return digits && !*p && v <= most ? v : -1;
}

static double dfi_env_stall(void)
{
    const char *text = dfi_env("DF_STALL");
    double v;
    if (!text || !*text) return (double)DFI_STALL_DEFAULT;
    if ((v = dfi_parse_seconds(text)) >= 0) return v;
    dfi_warn(DFI_MESSAGE_BAD_ENV, "DF_STALL", text, "a number of seconds such as 2 or 0.5, or 0");
    return (double)DFI_STALL_DEFAULT;
}

static size_t dfi_config_size(const char *field, size_t value, long least, long most, size_t otherwise,
                              const char *what)
{
    if (!value) return otherwise;
    if (value >= (size_t)least && value <= (size_t)most) return value;
    dfi_warn(DFI_MESSAGE_BAD_CONFIG, field, value > LONG_MAX ? LONG_MAX : (long)value, what);
    return otherwise;
}

/* Removes CPUs that this process may not use. */
static void dfi_settings_allowed_cpus(struct dfi_settings *s)
{
    struct dfi_os_affinity a;
    int i, kept = 0, given = s->n_cpus;
    if (dfi_os_get_affinity(&a)) return;
    for (i = 0; i < s->n_cpus; i++)
        if (dfi_affinity_has(&a, s->cpu[i])) s->cpu[kept++] = s->cpu[i];
        else if (i - kept < 4) dfi_warn("DF_CPUSET names CPU %d, which this process may not use: left out",
                                        s->cpu[i]); /* up to four examples are logged */
    s->n_cpus = kept;
    if (given && !kept) dfi_warn("DF_CPUSET names no CPU that this process may use: ignored");
}

/* Parses seed:NUMBER, record:FILE, replay:FILE or seed:NUMBER,record:FILE. The rest of the text is the file name,
 * which must not contain ",seed:", ",record:" or ",replay:". Returns NULL, or the rule that the text breaks. */
static const char *dfi_parse_schedule(const char *text, struct dfi_schedule *s)
{
    const char *p = text;
    memset((void *)s, 0, sizeof *s);
    if (!strncmp(p, "seed:", 5)) {
        size_t digits = strspn(p += 5, "0123456789");
        char number[12] = "";
        long v;
        if (digits < sizeof number) memcpy(number, p, digits);
        p += digits;
        if ((*p && *p != ',') || dfi_parse_number(number, &v) || v < 1 || v > DFI_SEED_MOST)
            return "seed: is followed by a number from 1 to 1000000000";
        s->seed = (unsigned)v;
        if (!*p++) return NULL;
    }
    s->replays = !strncmp(p, "replay:", 7);
    if (!s->replays && strncmp(p, "record:", 7) != 0)
        return "write seed:NUMBER, record:FILE, replay:FILE, or seed:NUMBER,record:FILE";
    s->file = p += 7;
    if (!*p) return "record: and replay: are followed by the name of a file";
    if (strstr(p, ",seed:")) return "seed: comes first, and the name of a file last";
    if (strstr(p, ",record:") || strstr(p, ",replay:")) return "a run is either recorded or replayed, with one file";
    if (s->replays && s->seed) return "a replay has the seed of its record: leave out seed:";
    return NULL;
}

/* Variables and fields of version 0.1, supported until version 0.3. */
static void dfi_schedule_old(struct dfi_schedule *s, unsigned seed, const char *record, const char *replay,
                             const char *record_origin, const char *replay_origin)
{
    if (seed) s->seed = seed;
    if (record && *record) {
        if (s->replays) dfi_warn("%s%s: a replay is not recorded: ignored", record_origin, record);
        else s->file = record, s->origin = record_origin;
    }
    if (replay && *replay) {
        if (s->file && !s->replays) dfi_warn("%s%s: a replay is not recorded: ignored", s->origin, s->file);
        s->file = replay, s->origin = replay_origin, s->replays = 1;
    }
}
static void dfi_schedule_old_variables(struct dfi_schedule *s)
{
    char seed[20] = "";
    dfi_schedule_old(s, (unsigned)dfi_env_number("DF_CHAOS", 1, DFI_SEED_MOST, 0, "a seed from 1 to 1000000000"),
                     dfi_env("DF_RECORD"), dfi_env("DF_REPLAY"), "DF_RECORD=", "DF_REPLAY=");
    if (!s->seed && !s->file) return;
    if (s->seed && !s->replays) snprintf(seed, sizeof seed, "seed:%u", s->seed);
    dfi_warn("DF_CHAOS, DF_RECORD and DF_REPLAY will be ignored from version 0.3 on: write DF_SCHEDULE=%s%s%s%s", seed,
             *seed && s->file ? "," : "", !s->file ? "" : s->replays ? "replay:" : "record:", s->file ? s->file : "");
}

static void dfi_settings_schedule(struct dfi_schedule *s, const df_config *c)
{
    int field = c && c->schedule && *c->schedule;
    const char *name = field ? "df_config.schedule" : "DF_SCHEDULE";
    const char *text = field ? c->schedule : dfi_env("DF_SCHEDULE"), *rule;
    memset((void *)s, 0, sizeof *s);
    if (text && *text) {
        rule = dfi_parse_schedule(text, s);
        if (rule) {
            dfi_warn("%s='%s' is ignored: %s", name, text, rule);
            memset((void *)s, 0, sizeof *s);
        }
        if (field) s->origin = s->replays ? "df_config.schedule=replay:" : "df_config.schedule=record:";
        else s->origin = s->replays ? "DF_SCHEDULE=replay:" : "DF_SCHEDULE=record:";
    } else dfi_schedule_old_variables(s);
    if (c && !field) dfi_schedule_old(s, c->chaos, c->record, c->replay, "df_config.record=", "df_config.replay=");
}

static void dfi_settings_read(struct dfi_settings *s, const df_config *c)
{
    const char *list = c && c->cpuset ? c->cpuset : dfi_env("DF_CPUSET");
    memset(s, 0, sizeof *s);
    s->workers = (int)dfi_env_number("DF_WORKERS", 1, 100000000, 0, "a number of workers from 1");
    if (c && c->workers < 0)
        dfi_warn(DFI_MESSAGE_BAD_CONFIG, "workers", (long)c->workers, "a number of workers from 1");
    if (c && c->workers > 0) s->workers = c->workers;
    if (list && *list) {
        if (dfi_parse_cpus(list, s) == 0) dfi_settings_allowed_cpus(s);
        else {
            s->n_cpus = 0;
            dfi_warn(DFI_MESSAGE_BAD_ENV, c && c->cpuset ? "df_config.cpuset" : "DF_CPUSET", list,
                     "a list of CPUs such as 1,2,6,8 or 0-11,20-31");
        }
    }
    if (!s->workers) s->workers = s->n_cpus ? s->n_cpus : dfi_os_cpus();
    if (s->workers > DFI_WORKERS_MOST) {
        dfi_warn("%d workers are too many: %d are used; set DF_WORKERS or df_config.workers",
                 s->workers, DFI_WORKERS_MOST);
        s->workers = DFI_WORKERS_MOST;
    }
    s->deque = (size_t)dfi_env_number("DF_DEQUE", DFI_DEQUE_LEAST, DFI_DEQUE_MOST, DFI_DEQUE_DEFAULT,
                                      "a number of entries from 2 to 67108864");
    s->window = (size_t)dfi_env_number("DF_WINDOW", 1, DFI_WINDOW_MOST, DFI_WINDOW_DEFAULT,
                                       "a number of tasks from 1 to 67108864");
    s->defer = (int)dfi_env_number("DF_DEFER", 0, 1, 0, "0 or 1") || (c && c->defer);
    s->deterministic = (int)dfi_env_number("DF_DETERMINISTIC", 0, 1, 0, "0 or 1") || (c && c->deterministic);
    s->capture = (int)dfi_env_number("DF_CAPTURE", 0, 1, 0, "0 or 1") || (c && c->capture);
    s->rename_bytes = (size_t)dfi_env_number("DF_RENAME_BYTES", 0, DFI_RENAME_MOST, 0,
                                             "a number of bytes up to 1073741824");
    s->patience = (int)dfi_env_number("DF_PATIENCE", 1, DFI_PATIENCE_MOST, DFI_PATIENCE_DEFAULT,
                                      "a number of seconds from 1 to 1000000");
    s->speculate = (int)dfi_env_number("DF_SPECULATE", 0, DFI_SPECULATE_MOST, DFI_SPECULATE_DEFAULT,
                                       "a number of turns from 0 to 1000");
    s->stall = dfi_env_stall();
    dfi_settings_schedule(&s->schedule, c);
    if (c) {
        if (c->stall < 0) s->stall = 0;
        else if (c->stall > 0) s->stall = c->stall;
        s->deque = dfi_config_size("deque", c->deque, DFI_DEQUE_LEAST, DFI_DEQUE_MOST, s->deque,
                                   "a number of entries from 2 to 67108864");
        s->window = dfi_config_size("window", c->window, 1, DFI_WINDOW_MOST, s->window,
                                    "a number of tasks from 1 to 67108864");
        s->stack_bytes = c->stack_bytes;
        if (c->rename_bytes) s->rename_bytes = c->rename_bytes;
        s->patience = (int)dfi_config_size("patience", (size_t)c->patience, 1, DFI_PATIENCE_MOST, (size_t)s->patience,
                                           "a number of seconds from 1 to 1000000");
        if (c->speculate < 0) s->speculate = 0;
        else
            s->speculate = (int)dfi_config_size("speculate", (size_t)c->speculate, 1, DFI_SPECULATE_MOST,
                                                (size_t)s->speculate,
                                                 "a number of turns up to 1000");
    }
}

DFI_SMALL_CODE_END

#endif
