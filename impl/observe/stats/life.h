/* life.h - begin and end of DF_STATS: setting, calibration, report */
#ifndef DFI_OBSERVE_STATS_LIFE_H
#define DFI_OBSERVE_STATS_LIFE_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/env.h"
#include "../../base/file.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../api/task.h"
#include "../../work/worker.h"
#include "../../work/types.h"
#include "../../flow/types.h"
#include "../event.h"
#include "../events.h"
#include "../output.h"
#include "stats.h"
#include "../../api/counters.h"

DFI_SMALL_CODE_BEGIN

enum { DFI_S_LINE = 300 };

/* Names of tasks may contain anything: control characters and line ends become spaces, and bytes
 * that are not UTF-8 become question marks. */
static void dfi_one_line(char *text)
{
    while (*text) {
        unsigned n = dfi_utf8(text);
        if (!n) *text++ = '?';
        else if (dfi_utf8_control(text, n)) memset(text, ' ', n), text += n;
        else text += n;
    }
}

DFI_FORMAT(2, 3) static void dfi_s_say(struct dfi_stats *s, const char *format, ...)
{
    char line[DFI_S_LINE];
    va_list ap;
    int n;
    va_start(ap, format);
    n = vsnprintf(line, sizeof line - 1, format, ap);
    va_end(ap);
    if (n < 0) return;
    dfi_one_line(line);
    if (s->to_log) {
        dfi_inform("%s", line);
        return;
    }
    n = (int)strlen(line);
    line[n++] = '\n';
    dfi_report_put(&s->out, line, (size_t)n);
}

static double dfi_s_ns(double ticks)
{
    dfi_event_ns(dfi_events.ticks);
    return ticks * dfi_events.ns_per_tick;
}

static void dfi_s_print_counters(struct dfi_stats *s)
{
    df_counters c;
    const df_counters *b = &s->before;
    df_counters_get(&c);
    dfi_s_say(s, "%llu tasks, %llu edges, %llu steals, %llu of them functions of df_spawn, %llu times asleep",
              (unsigned long long)(c.tasks - b->tasks),
              (unsigned long long)(c.edges - b->edges), (unsigned long long)(c.steals - b->steals),
              (unsigned long long)s->stolen_futures,
              (unsigned long long)(c.parks - b->parks));
    if (c.skipped - b->skipped + c.renamings - b->renamings + c.copies - b->copies + c.speculated - b->speculated +
        c.undone - b->undone)
        dfi_s_say(s, "%llu tasks skipped, %llu outputs renamed, %llu copies for reductions, "
                     "%llu tasks speculated, %llu undone",
                  (unsigned long long)(c.skipped - b->skipped), (unsigned long long)(c.renamings - b->renamings),
                  (unsigned long long)(c.copies - b->copies), (unsigned long long)(c.speculated - b->speculated),
                  (unsigned long long)(c.undone - b->undone));
    if (c.transactions - b->transactions + c.aborts - b->aborts)
        dfi_s_say(s, "%llu transactions, %llu times run again",
                  (unsigned long long)(c.transactions - b->transactions), (unsigned long long)(c.aborts - b->aborts));
    if (c.launches - b->launches)
        dfi_s_say(s, "%llu launches, %llu bytes moved to devices, %llu from devices",
                  (unsigned long long)(c.launches - b->launches),
                  (unsigned long long)(c.bytes_in - b->bytes_in), (unsigned long long)(c.bytes_out - b->bytes_out));
}

static int dfi_s_by_total(const void *a, const void *b)
{
    double x = dfi_stats.name[*(const uint32_t *)a].total, y = dfi_stats.name[*(const uint32_t *)b].total;
    return x < y ? 1 : x > y ? -1 : *(const uint32_t *)a > *(const uint32_t *)b ? 1 : -1;
}

static void dfi_s_print_names(struct dfi_stats *s)
{
    uint32_t i, n = 0, *order = (uint32_t *)dfi_malloc((s->names + 1) * sizeof *order);
    double all = 0;
    char total[16], mean[16], most[16];
    if (!order) {
        s->incomplete = 1;
        return;
    }
    for (i = 0; i < s->names; i++)
        if (s->name[i].count) order[n++] = i, all += s->name[i].total;
    qsort(order, n, sizeof *order, dfi_s_by_total);
    if (n) dfi_s_say(s, "%-24s %10s %10s %10s %10s %8s", "task", "count", "total", "mean", "longest", "share");
    for (i = 0; i < n; i++) {
        const struct dfi_s_name *t = &s->name[order[i]];
        const char *name = dfi_event_text_of(order[i]);
        dfi_s_say(s, "%-24s %10llu %10s %10s %10s %6.1f %%", *name ? name : "?", (unsigned long long)t->count,
                  dfi_time_text(total, dfi_s_ns(t->total)),
                  dfi_time_text(mean, dfi_s_ns(t->total / (double)t->count)),
                  dfi_time_text(most, dfi_s_ns((double)t->most)), all > 0 ? 100 * t->total / all : 0);
    }
    dfi_mfree(order);
}

static int dfi_s_block_by_ticks(const void *a, const void *b)
{
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct dfi_s_block *p = &dfi_stats.block[i], *q = &dfi_stats.block[k];
    const uint64_t x = p->kept + p->lost, y = q->kept + q->lost;
    return x < y ? 1 : x > y ? -1 : i > k ? 1 : -1;
}

static int dfi_s_pair_by_number(const void *a, const void *b)
{
    const struct dfi_s_pair *x = (const struct dfi_s_pair *)a, *y = (const struct dfi_s_pair *)b;
    return x->n < y->n ? 1 : x->n > y->n ? -1 : x < y ? -1 : 1;
}

enum { DFI_S_PAIRS = 10 }; /* the most frequent ones are shown */

/* Atomic blocks: attempts by their end, and which block was in the way of which. */
static void dfi_s_print_blocks(struct dfi_stats *s, double elapsed)
{
    uint32_t i, n = 0, *order = (uint32_t *)dfi_malloc((s->blocks + 1) * sizeof *order);
    double kept = 0, lost = 0, workers = 0;
    char total[16], mean[16], again[16];
    if (!order) {
        s->incomplete = 1;
        return;
    }
    for (i = 0; i < s->blocks; i++)
        if (s->block[i].kept + s->block[i].lost)
            order[n++] = i, kept += (double)s->block[i].kept, lost += (double)s->block[i].lost;
    qsort(order, n, sizeof *order, dfi_s_block_by_ticks);
    if (n)
        dfi_s_say(s, "%-24s %10s %10s %10s %10s %8s %8s %8s %8s %8s %8s %8s", "atomic block", "commits", "total",
                  "mean", "lost", "locked", "too_new", "changed", "to_log", "gave_way", "by_user", "retries");
    for (i = 0; i < n; i++) {
        const struct dfi_s_block *b = &s->block[order[i]];
        const uint64_t *c = b->n;
        const char *name = dfi_event_text_of(order[i]);
        dfi_s_say(s, "%-24s %10llu %10s %10s %10s %8llu %8llu %8llu %8llu %8llu %8llu %8llu", *name ? name : "?",
                  (unsigned long long)c[DFI_ATOMIC_COMMITTED], dfi_time_text(total, dfi_s_ns((double)b->kept)),
                  dfi_time_text(mean, dfi_s_ns((double)b->kept / (double)(c[0] ? c[0] : 1))),
                  dfi_time_text(again, dfi_s_ns((double)b->lost)), (unsigned long long)c[DFI_ATOMIC_LOCKED],
                  (unsigned long long)c[DFI_ATOMIC_TOO_NEW], (unsigned long long)c[DFI_ATOMIC_CHANGED],
                  (unsigned long long)c[DFI_ATOMIC_TO_LOG], (unsigned long long)c[DFI_ATOMIC_GAVE_WAY],
                  (unsigned long long)c[DFI_ATOMIC_BY_USER], (unsigned long long)c[DFI_ATOMIC_RETRIED]);
    }
    dfi_mfree(order);
    for (i = 0; i < s->workers; i++) workers += s->worker[i].seen;
    if (n && elapsed > 0)
        dfi_s_say(s, "atomic blocks took %.1f %% of the time of %.0f workers, and %.1f %% in attempts that did not "
                     "commit", 100 * kept / elapsed / workers, workers, 100 * lost / elapsed / workers);
    if (s->n_pairs) qsort(s->pair, s->n_pairs, sizeof *s->pair, dfi_s_pair_by_number);
    for (i = 0; i < s->n_pairs && i < DFI_S_PAIRS; i++) {
        const char *other = dfi_event_text_of(s->pair[i].other), *name = dfi_event_text_of(s->pair[i].block);
        dfi_s_say(s, "%s was in the way of %s %llu times", *other ? other : "?", *name ? name : "?",
                  (unsigned long long)s->pair[i].n);
    }
}

static void dfi_s_print_workers(struct dfi_stats *s, double elapsed)
{
    uint32_t i;
    char busy[16], waiting[16], rest[16], asleep[16];
    dfi_s_say(s, "%-10s %10s %10s %10s %10s %10s %10s", "worker", "tasks", "busy", "waiting", "program", "idle",
              "asleep");
    for (i = 0; i < s->workers; i++) {
        const struct dfi_s_worker *w = &s->worker[i];
        double idle = elapsed - (double)w->busy - (double)w->waiting;
        int program = w->foreign;
        if (idle < 0) idle = 0;
        if (!w->seen) continue;
        dfi_s_say(s, "%-10u %10llu %10s %10s %10s %10s %10s", w->index, (unsigned long long)w->tasks,
                  dfi_time_text(busy, dfi_s_ns((double)w->busy)),
                  dfi_time_text(waiting, dfi_s_ns((double)w->waiting)),
                  program ? dfi_time_text(rest, dfi_s_ns(idle)) : "-",
                  program ? "-" : dfi_time_text(rest, dfi_s_ns(idle)),
                  dfi_time_text(asleep, dfi_s_ns((double)w->asleep)));
    }
}

/* pre: all events have been read */
static void dfi_s_print(struct dfi_stats *s)
{
    double elapsed = (double)(dfi_events.ended - s->began);
    char a[16];
    dfi_s_say(s, "statistics: %d workers, %s", dfi_workers(), dfi_time_text(a, dfi_s_ns(elapsed)));
    dfi_s_print_counters(s);
    dfi_s_print_names(s);
    dfi_s_print_blocks(s, elapsed);
    dfi_s_print_workers(s, elapsed);
    if (s->incomplete || dfi_events.incomplete) dfi_s_say(s, "INCOMPLETE: there was no memory for all of it");
    dfi_s_say(s, "measuring took %s for a task; it is taken off the times",
              dfi_time_text(a, dfi_s_ns(s->cost.submit + s->cost.outside + s->cost.inside)));
}

/* --- begin and end ------------------------------------------------------------------------------------------- */

enum { DFI_S_TURNS = 16, DFI_S_EVENTS = 100 }; /* to measure the cost of events: 0.1 ms */

static void dfi_s_nothing(void *args, void *result) { (void)args, (void)result; }

/* Measures the cost of events: the minimum of several rounds, written by a record that is no real worker. */
static void dfi_s_calibrate(struct dfi_stats *s)
{
    static const struct dfi_type type = { dfi_s_nothing, "df", 0, 0, 1, 0, NULL };
    struct dfi_worker *w = (struct dfi_worker *)dfi_malloc(dfi_worker_bytes);
    struct dfi_event_chunk *c = (struct dfi_event_chunk *)dfi_malloc(sizeof *c);
    struct dfi_flow t;
    uint64_t now;
    double least[3] = { 1e9, 1e9, 1e9 }, inside = 1e9, ticks;
    int turn, i, k;
    memset((void *)&t, 0, sizeof t);
    t.type = &type;
    for (turn = 0; w && c && turn < DFI_S_TURNS; turn++) {
        memset((void *)w, 0, dfi_worker_bytes);
        dfi_store_relaxed(&dfi_events_of(w)->chunk, c);
        for (k = 0; k < 3; k++) {
            dfi_store_relaxed(&c->n, 0u);
            now = dfi_ticks();
            for (i = 0; i < DFI_S_EVENTS; i++)
                if (k == 0) dfi_event_put(w, DFI_E_EDGE, 0, 1, 2, 0);
                else if (k == 1) dfi_event_put(w, DFI_E_SUBMIT, dfi_ticks(), 1, 2, dfi_event_text(w, type.name));
                else dfi_body_observed(w, &type, NULL, &t);
            ticks = (double)(dfi_ticks() - now) / (double)DFI_S_EVENTS;
            if (ticks < least[k]) least[k] = ticks;
        }
        for (i = 0; i < (int)dfi_load_relaxed(&c->n); i++)
            if (c->event[i].kind == DFI_E_RUN && (double)c->event[i].b < inside) inside = (double)c->event[i].b;
    }
    if (w && c) {
        s->cost.event = least[0], s->cost.submit = least[1];
        s->cost.inside = inside, s->cost.outside = least[2] > inside ? least[2] - inside : 0;
    }
    dfi_mfree(c);
    dfi_mfree(w);
}

static void dfi_s_free(struct dfi_stats *s)
{
    uint32_t i;
    for (i = 0; i < s->workers; i++) dfi_mfree(s->worker[i].item);
    dfi_mfree(s->worker), dfi_mfree(s->name), dfi_mfree(s->block), dfi_mfree(s->pair);
    s->worker = NULL, s->name = NULL, s->block = NULL, s->pair = NULL;
    s->workers = s->names = s->blocks = s->pairs = s->n_pairs = 0;
    s->stolen_futures = 0;
    s->incomplete = s->recorded = 0;
}

/* df starts. name: of df_config.stats, or NULL: of the environment. pre: pool lock; no worker runs */
static void dfi_stats_begin(const char *name)
{
    static const struct dfi_report_kind kind = { "this process writes no statistics", "there are no statistics",
                                                 "there are no statistics" };
    struct dfi_stats *s = &dfi_stats;
    const char *variable = "df_config.stats";
    struct dfi_named_file room;
    if (!name) name = dfi_env("DF_STATS"), variable = "DF_STATS";
    name = dfi_file_named(name, &room);
    if (s->on && !dfi_report_is_here(&s->out)) {
        /* its contents belong to the parent, and may be in the middle of a change */
        struct dfi_stats fresh;
        memset((void *)&fresh, 0, sizeof fresh);
        fresh.out = s->out;
        *s = fresh;
    }
    if (!name || !*name || !strcmp(name, "0")) return;
    if (strcmp(name, "1")) {
        if (!dfi_ends_in(name, ".txt")) {
            dfi_warn(DFI_MESSAGE_BAD_ENV, variable, name, "1 or the name of a file that ends in .txt",
                     "there are no statistics");
            return;
        }
        if (dfi_report_continue(&s->out, &kind, variable, name, "df_config.stats")) return;
        s->to_log = 0;
    } else s->to_log = 1;
    if (dfi_events_begin(DFI_RECORD_STATS, dfi_s_read)) return;
    s->out.process = dfi_process();
    s->on = 1;
    df_counters_get(&s->before);
    dfi_s_calibrate(s);
    s->began = dfi_ticks();
}

/* df has stopped, and all events have been read. */
static void dfi_stats_end(void)
{
    struct dfi_stats *s = &dfi_stats;
    if (!s->on || !dfi_report_is_here(&s->out)) return;
    s->on = 0;
    dfi_s_print(s);
    dfi_s_free(s);
}

DFI_SMALL_CODE_END

#endif
