/* life.h - DF_STATS from the start of df to its end: the setting, what measuring costs, the report */
#ifndef DFI_OBSERVE_STATS_LIFE_H
#define DFI_OBSERVE_STATS_LIFE_H

#include "../../base/compiler.h"
#include "../../base/atomic.h"
#include "../../base/env.h"
#include "../../base/file.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../api/task.h"
#include "../../work/sched.h"
#include "../../work/types.h"
#include "../event.h"
#include "../events.h"
#include "../probes.h"
#include "perf.h"
#include "print.h"
#include "read.h"
#include "stats.h"

DFI_SMALL_CODE_BEGIN
enum { DFI_S_TURNS = 16, DFI_S_EVENTS = 100 }; /* to find out what events cost: 0.1 ms, 5 ms with counters */

static void dfi_s_nothing(void *args, void *result) { (void)args, (void)result; }

static void dfi_s_least(double *least, const struct dfi_event *e)
{
    if ((double)e->at < least[0]) least[0] = (double)e->at;
    if ((double)e->a < least[1]) least[1] = (double)e->a;
    if ((double)e->b < least[2]) least[2] = (double)e->b;
}

/* What events cost: the least of some turns, written by a worker that is none. */
static void dfi_s_calibrate(struct dfi_stats *s)
{
    static const struct dfi_type type = { dfi_s_nothing, "df", 0, 0, 1, 0, NULL };
    struct dfi_worker *w = (struct dfi_worker *)dfi_malloc(sizeof *w);
    struct dfi_event_chunk *c = (struct dfi_event_chunk *)dfi_malloc(sizeof *c);
    struct dfi_flow t;
    uint64_t now;
    double least[3] = { 1e9, 1e9, 1e9 }, inside = 1e9, ticks;
    int turn, i, k;
    memset((void *)&t, 0, sizeof t);
    t.type = &type;
    for (i = 0; i < DFI_PERF_NUMBERS; i++) s->cost.count[i] = 1e18;
    for (turn = 0; w && c && turn < DFI_S_TURNS; turn++) {
        memset((void *)w, 0, sizeof *w);
        dfi_store_relaxed(&w->pen.chunk, c);
        for (k = 0; k < 3; k++) {
            dfi_store_relaxed(&c->n, 0u);
            now = dfi_ticks();
            for (i = 0; i < DFI_S_EVENTS; i++)
                if (k == 0) dfi_event_put(w, DFI_E_EDGE, 0, 1, 2, 0);
                else if (k == 1) dfi_event_put(w, DFI_E_SUBMIT, dfi_ticks(), 1, 2, dfi_event_text(w, type.name));
                else dfi_watch_run(w, &type, NULL, &t);
            ticks = (double)(dfi_ticks() - now) / (double)DFI_S_EVENTS;
            if (ticks < least[k]) least[k] = ticks;
        }
        dfi_perf_close(&w->perf);
        for (i = 0; i < (int)dfi_load_relaxed(&c->n); i++)
            if (c->event[i].kind == DFI_E_RUN && (double)c->event[i].b < inside) inside = (double)c->event[i].b;
            else if (c->event[i].kind == DFI_E_PERF) dfi_s_least(s->cost.count + 3 * c->event[i].level, &c->event[i]);
    }
    if (w && c) {
        s->cost.event = least[0], s->cost.submit = least[1];
        s->cost.inside = inside, s->cost.outside = least[2] > inside ? least[2] - inside : 0;
    }
    for (i = 0; i < DFI_PERF_NUMBERS; i++)
        if (s->cost.count[i] >= 1e18) s->cost.count[i] = 0;
    dfi_mfree(c);
    dfi_mfree(w);
    s->gap_most = dfi_events.ticks_us * DFI_S_GAP_US;
}

static void dfi_s_free(struct dfi_stats *s)
{
    uint32_t i;
    for (i = 0; i < s->workers; i++) dfi_mfree(s->worker[i].item);
    dfi_mfree(s->worker), dfi_mfree(s->name), dfi_mfree(s->perf);
    dfi_mfree(s->body), dfi_mfree(s->step), dfi_mfree(s->edge), dfi_mfree(s->part), dfi_mfree(s->loop), dfi_mfree(s->hash);
    s->worker = NULL, s->name = NULL, s->perf = NULL, s->body = NULL, s->step = NULL, s->edge = NULL, s->part = NULL, s->loop = NULL, s->hash = NULL;
    s->workers = s->names = s->perfs = s->mask = 0;
    s->bodies = s->steps = s->edges = s->parts = s->loops = 0;
    s->body_room = s->step_room = s->edge_room = s->part_room = s->loop_room = 0;
    s->stolen_futures = s->left_out = s->gaps = s->gap_ticks = 0;
    s->full = s->incomplete = 0;
}

/* The file is closed. pre: no worker is left. */
static void dfi_stats_forget(void)
{
    struct dfi_stats *s = &dfi_stats;
    if (s->file && !s->standard && s->process == dfi_process()) dfi_output_close(&s->to);
    dfi_mfree(s->file);
    s->file = NULL;
}

/* The file that the report goes to. 0: it can be written. */
static int dfi_stats_open(struct dfi_stats *s, const char *variable, const char *name)
{
    const char *why;
    int r;
    if (s->file && s->process != dfi_process()) {
        dfi_warn("%s=%s is the file of the process that this one was forked from: there are no statistics of this "
                 "one", variable, name);
        return -1;
    }
    if (s->file && !strcmp(s->file, name)) return s->broken; /* from an earlier start: the reports follow each other */
    dfi_stats_forget();
    s->broken = 0;
    s->standard = !strcmp(name, "-.txt");
    if (!(s->file = (char *)dfi_malloc(strlen(name) + 1))) {
        dfi_warn_no_memory();
        return -1;
    }
    strcpy(s->file, name);
    s->variable = variable;
    r = s->standard ? 0 : dfi_output_open(&s->to, name, &why);
    if (!r) return 0;
    if (r > 0) dfi_warn("%s=%s: another program has this file: there are no statistics of this one; give it "
                        "another name", variable, name);
    else dfi_warn(DFI_MESSAGE_STATS_WRITE, variable, name, why);
    dfi_mfree(s->file);
    s->file = NULL;
    return -1;
}

/* df starts. name: of df_config.stats, or NULL: of the environment. pre: pool lock, no worker runs. */
static void dfi_stats_begin(const char *name)
{
    struct dfi_stats *s = &dfi_stats;
    const char *variable = "df_config.stats";
    if (!name) name = dfi_env("DF_STATS"), variable = "DF_STATS";
    if (s->on && s->process != dfi_process()) { /* what it has is its parent's, and perhaps in the middle of a change */
        struct dfi_stats fresh;
        memset((void *)&fresh, 0, sizeof fresh);
        fresh.file = s->file, fresh.process = s->process;
        *s = fresh;
    }
    if (!name || !*name || !strcmp(name, "0")) return;
    if (strcmp(name, "1")) {
        if (!dfi_ends_in(name, ".txt")) {
            dfi_warn(DFI_MESSAGE_BAD_ENV, variable, name, "1 or the name of a file that ends in .txt");
            return;
        }
        if (dfi_stats_open(s, variable, name)) return;
        s->to_log = 0;
    } else s->to_log = 1;
    if (dfi_events_begin(DFI_WATCH_STATS, dfi_s_read)) return;
    s->process = dfi_process();
    s->on = 1;
    df_counters_get(&s->before);
    dfi_perf_begin();
    dfi_s_calibrate(s);
    s->began = dfi_ticks();
}

/* df has stopped, and all events have been read. */
static void dfi_stats_end(void)
{
    struct dfi_stats *s = &dfi_stats;
    struct dfi_worker *w = dfi_me();
    if (!s->on || s->process != dfi_process()) return;
    s->on = 0;
    dfi_s_print(s);
    dfi_s_free(s);
    if (w) dfi_perf_close(&w->perf); /* those of helpers are; other threads do it when they end, or begin another run */
}

DFI_SMALL_CODE_END

#endif
