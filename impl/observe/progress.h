/* progress.h - DF_PROGRESS: how many tasks are done, how fast, and when the rest will be
 *
 * Workers count what they submit and end, each in its own memory. The reporter adds the numbers up and shows them: on a
 * terminal a line that it rewrites in place, else lines in the log or in a file. With DF_SERIAL the thread of the
 * program does it at the end of a task. */
#ifndef DFI_OBSERVE_PROGRESS_H
#define DFI_OBSERVE_PROGRESS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/env.h"
#include "../base/file.h"
#include "../base/log.h"
#include "../os/os.h"
#if !defined(DF_SERIAL)
#include "chains.h"
#include "reporter.h"
#endif
#include "../work/module.h"
#include "../work/probe.h"
#include "../work/types.h"
#include "../flow/types.h"
#include "../more/points.h"
#include "observers.h"
#include "output.h"
#include "watching.h"
#include "../api/task.h"

DFI_SMALL_CODE_BEGIN

enum {
    DFI_PROGRESS_MS = 200,      /* between two changes of a line on a terminal: often enough to be seen to move, */
    DFI_PROGRESS_LINE_MS = 1000, /* and between two lines that stay */
    DFI_PROGRESS_LINE = 160,
    DFI_PROGRESS_SECONDS = 5    /* the rate is a mean whose weights fall by a factor e in this time */
};
enum { DFI_PROGRESS_TERMINAL = 1, DFI_PROGRESS_LOG, DFI_PROGRESS_FILE };

struct dfi_progress_count { uint64_t submitted, ended, iterations; };

struct dfi_progress {
    int to;                      /* DFI_PROGRESS_..; 0: off. Written under the pool lock while no worker runs */
    struct dfi_report out;       /* FILE */
    uint64_t began, shown;       /* in ns; shown: the last time */
    struct dfi_progress_count base, last; /* when df started, and at the last time */
    double rate;                 /* per second: of tasks, or of iterations if there are no tasks */
};
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_progress dfi_progress;
DFI_EXTERN_C_END

/* Adds up what the workers have counted; cancelled tasks count as ended. */
static void dfi_progress_sum(struct dfi_progress_count *c)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    memset((void *)c, 0, sizeof *c);
    for (i = 0; i < n; i++) {
        const struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        const struct dfi_observing *x = dfi_observing_of(v);
        c->ended += dfi_load_relaxed(&x->n_ended) + dfi_load_relaxed(&dfi_tasks_of(v)->n_skipped);
        c->submitted += dfi_load_relaxed(&x->n_submitted);
        c->iterations += dfi_load_relaxed(&x->n_iterations);
    }
}

static int dfi_progress_busy(void)
{
    int n = 0;
#if !defined(DF_SERIAL)
    int i;
    for (i = 0; i < dfi_load_acquire(&dfi_pool.n_slots); i++) {
        const struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        n += dfi_load_relaxed(&dfi_chains_of(v)->running) && dfi_load_relaxed(&v->park) == DFI_AWAKE;
    }
#endif
    return n;
}

DFI_FORMAT(2, 3) static void dfi_progress_add(char *line, const char *format, ...)
{
    size_t n = strlen(line);
    va_list ap;
    va_start(ap, format);
    vsnprintf(line + n, DFI_PROGRESS_LINE - n, format, ap);
    va_end(ap);
}

static void dfi_progress_add_time(char *line, double s, const char *behind)
{
    if (s < 100) dfi_progress_add(line, "%.*f s%s", s < 10 ? 1 : 0, s, behind);
    else if (s < 6000) dfi_progress_add(line, "%.0f min%s", s / 60, behind);
    else dfi_progress_add(line, "%.1f h%s", s / 3600, behind);
}

static void dfi_progress_put(struct dfi_progress *g, const char *line, int last)
{
    char text[DFI_PROGRESS_LINE + 1];
    int n;
    if (g->to == DFI_PROGRESS_TERMINAL) { /* a carriage return, and the code that clears the rest of a line */
        fprintf(stderr, "\r%s%s\033[K", last ? "" : "df: ", last ? "" : line);
        fflush(stderr);
    } else if (g->to == DFI_PROGRESS_LOG) dfi_inform("%s", line);
    else {
        n = snprintf(text, sizeof text, "%s\n", line);
        dfi_report_put(&g->out, text, (size_t)n);
    }
}

/* Shows the numbers. last: df has stopped. */
static void dfi_progress_show(struct dfi_progress *g, int last)
{
    char line[DFI_PROGRESS_LINE] = "";
    struct dfi_progress_count c;
    uint64_t now = dfi_os_ns(), all, done, iterations;
    double s = (double)(now - g->shown) * 1e-9, rate;
    dfi_progress_sum(&c);
    all = c.submitted - g->base.submitted, done = c.ended - g->base.ended;
    iterations = c.iterations - g->base.iterations;
    if (done > all) all = done; /* they are read one after the other */
    rate = (double)(all ? c.ended - g->last.ended : c.iterations - g->last.iterations) / (s > 0 ? s : 1);
    g->rate = g->shown == g->began ? rate : g->rate + (rate - g->rate) * s / (s + (double)(int)DFI_PROGRESS_SECONDS);
    if (last) g->rate = (double)(all ? done : iterations) / (now > g->began ? (double)(now - g->began) * 1e-9 : 1);
    g->shown = now, g->last = c;
    if (all) dfi_progress_add(line, "%llu of %llu tasks (%.0f%%), ", (unsigned long long)done, (unsigned long long)all,
                              100.0 * (double)done / (double)all);
    if (iterations || !all) dfi_progress_add(line, "%llu iterations, ", (unsigned long long)iterations);
    dfi_progress_add(line, "%.*f/s, ", g->rate < 100, g->rate);
    if (last) dfi_progress_add_time(line, (double)(now - g->began) * 1e-9, " in all");
    else {
        if (!DFI_ALONE) dfi_progress_add(line, "%d of %d workers busy, ", dfi_progress_busy(), dfi_pool.n_workers);
        if (all > done && g->rate > 0) dfi_progress_add_time(line, (double)(all - done) / g->rate, " left");
        else dfi_progress_add_time(line, (double)(now - g->began) * 1e-9, " so far");
    }
    dfi_progress_put(g, line, last);
}

/* --- counting ---------------------------------------------------------------------------------------------------- */

static int dfi_progress_ms(void)
{
    return dfi_progress.to == DFI_PROGRESS_TERMINAL ? DFI_PROGRESS_MS : DFI_PROGRESS_LINE_MS;
}

static DFI_COLD void dfi_progress_see(struct dfi_worker *w, unsigned p, const void *on, const void *other, uint64_t a)
{
    struct dfi_observing *x;
    const struct dfi_flow *t = (const struct dfi_flow *)on;
    const struct dfi_body *b = (const struct dfi_body *)on;
    int tells;
    (void)other, (void)a;
    if (!w) return;
    x = dfi_observing_of(w);
    if (p == DFI_AT_SUBMIT && !(t->type->modes & (DFI_INTERNAL | DFI_UNCOUNTED))) dfi_count(&x->n_submitted);
    if ((p != DFI_AT_BEGIN && p != DFI_AT_END) || b->kind & DFI_RAN_INTERNAL || b->future) return;
    tells = p == DFI_AT_END && !b->part;
    if (p == DFI_AT_BEGIN && !b->part && !b->task) dfi_count(&x->n_submitted); /* it has no record */
    else if (tells) dfi_count(&x->n_ended);
    else if (p == DFI_AT_END && !(b->kind & DFI_RAN_STAGE))
        dfi_store_relaxed(&x->n_iterations, dfi_load_relaxed(&x->n_iterations) + (size_t)(b->last - b->first));
    if (DFI_ALONE && p == DFI_AT_END && dfi_os_ns() - dfi_progress.shown > (uint64_t)dfi_progress_ms() * 1000000)
        dfi_progress_show(&dfi_progress, 0);
}

/* --- beginning and end ------------------------------------------------------------------------------------------- */

DFI_UNUSED static void dfi_progress_look(int asked)
{
    (void)asked;
    dfi_progress_show(&dfi_progress, 0);
}

/* Where the setting says that it goes; 0: nowhere. */
static int dfi_progress_to(struct dfi_progress *g, const char *name, const char *variable)
{
    static const struct dfi_report_kind kind = { "this process writes no progress", "there is no progress",
                                                 "there is no progress" };
    struct dfi_named_file room;
    if (!name || !*name || !strcmp(name, "0")) return 0;
    if (!strcmp(name, "1")) return dfi_output_terminal(dfi_env("TERM")) ? (int)DFI_PROGRESS_TERMINAL : 0;
    if (!strcmp(name, "always")) return DFI_PROGRESS_LOG;
    if (!dfi_ends_in(name, ".txt")) {
        dfi_warn(DFI_MESSAGE_BAD_ENV, variable, name, "1, always, or the name of a file that ends in .txt",
                 "progress is not shown");
        return 0;
    }
    name = dfi_file_named(name, &room);
    return dfi_report_continue(&g->out, &kind, variable, name, "df_config.progress") ? 0 : (int)DFI_PROGRESS_FILE;
}

static void dfi_progress_begin(struct dfi_progress *g, const char *name)
{
    g->to = dfi_progress_to(g, name ? name : dfi_env("DF_PROGRESS"), name ? "df_config.progress" : "DF_PROGRESS");
    if (!g->to) return;
    g->began = g->shown = dfi_os_ns(), g->rate = 0;
    dfi_progress_sum(&g->base);
    g->last = g->base;
    dfi_watch(dfi_observer_progress, DFI_BIT(SUBMIT) | DFI_BIT(BEGIN));
}

static void dfi_progress_start(struct dfi_progress *g)
{
    if (!g->to) return;
#if !defined(DF_SERIAL)
    if (dfi_reporter_begin(dfi_observer_progress, dfi_progress_ms(), dfi_progress_look))
        dfi_warn("DF_PROGRESS: the system refused a thread: progress is not shown; raise the limit on threads");
#endif
}

/* Also at the end of a process in which workers still run. */
static void dfi_progress_end(struct dfi_progress *g)
{
    if (!g->to) return;
#if !defined(DF_SERIAL)
    if (dfi_reporter_is_me) return; /* the logger of the program ends the process */
    dfi_reporter_end(dfi_observer_progress);
#endif
    dfi_watch(dfi_observer_progress, 0);
    dfi_progress_show(g, 1);
    g->to = 0;
}

static void dfi_module_progress(const struct dfi_moment *m)
{
    struct dfi_progress *g = &dfi_progress;
    switch (m->is) {
    case DFI_POOL_BEGINS: dfi_progress_begin(g, m->config ? m->config->progress : NULL); break;
    case DFI_POOL_STARTED: dfi_progress_start(g); break;
    case DFI_STOP_CALLED:
    case DFI_STOP_AT_EXIT:
    case DFI_STOP_ABANDONED: dfi_progress_end(g); break;
    case DFI_POOL_FORGETS: dfi_report_close(&g->out); break;
    case DFI_FORK_CHILD: /* it may show its own progress when df starts there */
        g->to = 0;
        dfi_watch(dfi_observer_progress, 0);
        break;
    default: break;
    }
}

DFI_SMALL_CODE_END

#endif
