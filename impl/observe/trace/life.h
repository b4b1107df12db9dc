/* life.h - DF_TRACE: a trace begins when df starts, is complete when df stops, and goes on when df starts again */
#ifndef DFI_OBSERVE_TRACE_LIFE_H
#define DFI_OBSERVE_TRACE_LIFE_H

#include "../../base/compiler.h"
#include "../../base/env.h"
#include "../../base/file.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../events.h"
#include "html.h"
#include "json.h"
#include "read.h"
#include "trace.h"

DFI_SMALL_CODE_BEGIN
static void dfi_trace_free(struct dfi_trace *t)
{
    if (t->own) t->writer->free(t);
    dfi_trace_tasks_free(t->tasks);
    dfi_mfree(t->file);
    dfi_mfree(t);
}

static void dfi_trace_memory(const char *variable, const char *name) { dfi_warn("%s=%s: out of memory: the trace is "
                                                                                "incomplete", variable, name); }

static struct dfi_trace *dfi_trace_new(const char *name, const char *variable, const struct dfi_trace_writer *writer, int workers)
{
    struct dfi_trace *t = (struct dfi_trace *)dfi_malloc(sizeof *t);
    char *file = (char *)dfi_malloc(strlen(name) + 1);
    const char *why;
    int r;
    if (!t || !file) {
        dfi_mfree(t), dfi_mfree(file);
        dfi_trace_memory(variable, name);
        return NULL;
    }
    memset((void *)t, 0, sizeof *t);
    t->file = strcpy(file, name), t->variable = variable, t->writer = writer;
    t->process = dfi_process();
    if ((r = dfi_output_open(&t->to, name, &why)) != 0) {
        if (r > 0) dfi_warn("%s=%s: another program has this file: this one is not traced; give it another name",
                            variable, name);
        else dfi_warn(DFI_MESSAGE_TRACE_WRITE, variable, name, why);
    } else if (!(t->tasks = dfi_trace_tasks_new(workers)) || writer->begin(t)) {
        dfi_trace_memory(variable, name);
        dfi_output_close(&t->to);
        r = -1;
    }
    if (!r) return t;
    dfi_trace_free(t);
    return NULL;
}

static void dfi_trace_forget(void)
{
    struct dfi_trace *t = dfi_trace_now;
    if (!t) return;
    dfi_trace_now = NULL;
    dfi_output_close(&t->to);
    dfi_trace_free(t);
}

/* df starts. name: of df_config.trace, or NULL: of the environment. What was written before to the same file, or when df was started by
 * nothing but its use, stays, and goes on. pre: pool lock, no worker runs. */
static void dfi_trace_begin(const char *name, int workers)
{
    static const struct dfi_trace_writer *const writer[] = { &dfi_trace_json, &dfi_trace_html };
    const char *variable = "df_config.trace";
    struct dfi_trace *t = dfi_trace_now;
    size_t i = 0;
    if (!name) name = dfi_env("DF_TRACE"), variable = "DF_TRACE";
    if (t && t->process != dfi_process()) {
        if (t->broken) return;
        t->broken = 1;
        dfi_warn("%s=%s is the trace of the process that this one was forked from: this one is not traced",
                 t->variable, t->file);
        return;
    }
    if (t && name && strcmp(name, t->file)) dfi_trace_forget(), t = NULL;
    if (!t && name && *name) {
        while (i < sizeof writer / sizeof *writer && !dfi_ends_in(name, writer[i]->ending)) i++;
        if (i == sizeof writer / sizeof *writer) dfi_warn(DFI_MESSAGE_BAD_ENV, variable, name, "the name of a file that ends in .json or .html");
        else dfi_trace_now = t = dfi_trace_new(name, variable, writer[i], workers);
    } else if (t && !t->broken) {
        for (i = 0; i < sizeof writer / sizeof *writer; i++) /* those of the module that is there now */
            if (!strcmp(t->writer->ending, writer[i]->ending)) t->writer = writer[i];
        t->writer->again(t);
    }
    if (t && !t->broken) dfi_events_begin(DFI_WATCH_TRACE, dfi_trace_read);
}

/* All events have been shown. pre: pool lock. */
static void dfi_trace_end(void)
{
    struct dfi_trace *t = dfi_trace_now;
    if (!t || t->process != dfi_process()) return;
    dfi_trace_show_late(t, 1);
    t->writer->end(t, dfi_trace_ns(dfi_ticks()));
    if (dfi_events.incomplete) dfi_trace_memory(t->variable, t->file);
    if (t->tasks->lost) dfi_warn("%s=%s: %lu arrows are left out: there are too many tasks between their ends",
                                 t->variable, t->file, t->tasks->lost);
    t->tasks->lost = 0;
}

DFI_SMALL_CODE_END

#endif
