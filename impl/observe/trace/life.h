/* life.h - begin and end of DF_TRACE: its setting and its file */
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
    dfi_report_close(&t->out);
    dfi_mfree(t->tasks);
    dfi_mfree(t);
}

/* The writer for a file of that name, or NULL. */
static const struct dfi_trace_writer *dfi_trace_writer_of(const char *name)
{
    if (dfi_ends_in(name, dfi_trace_json.ending)) return &dfi_trace_json;
    return dfi_ends_in(name, dfi_trace_html.ending) ? &dfi_trace_html : NULL;
}

static struct dfi_trace *dfi_trace_new(const char *name, const char *variable, int workers)
{
    static const struct dfi_report_kind kind = { "this process is not traced", "the trace ends here",
                                                 "the trace is incomplete or missing" };
    struct dfi_report out;
    struct dfi_trace *t;
    if (dfi_report_open(&out, &kind, variable, name)) return NULL;
    if (!(t = (struct dfi_trace *)dfi_malloc(sizeof *t))) {
        dfi_report_no_memory(&out, name);
        dfi_report_close(&out);
        return NULL;
    }
    memset((void *)t, 0, sizeof *t);
    t->out = out, t->writer = dfi_trace_writer_of(name);
    if ((t->tasks = dfi_trace_tasks_new(workers)) != NULL && !t->writer->begin(t)) return t;
    dfi_report_no_memory(&out, name);
    dfi_trace_free(t);
    return NULL;
}

static void dfi_trace_forget(void)
{
    struct dfi_trace *t = dfi_trace_now;
    if (!t) return;
    dfi_trace_now = NULL;
    dfi_trace_free(t);
}

/* df starts. name: of df_config.trace, or NULL: of the environment. A trace in the same file, or of
 * a start by mere use of df, is kept, and continues. pre: pool lock; no worker runs */
static void dfi_trace_begin(const char *name, int workers)
{
    const char *variable = "df_config.trace";
    struct dfi_trace *t = dfi_trace_now;
    struct dfi_named_file room;
    if (!name) name = dfi_env("DF_TRACE"), variable = "DF_TRACE";
    name = dfi_file_named(name, &room);
    if (t && name && strcmp(name, t->out.file)) dfi_trace_forget(), t = NULL;
    if (t && !dfi_report_is_here(&t->out)) {
        if (!t->out.broken) dfi_report_forked(&t->out, t->out.variable, t->out.file, "trace", "df_config.trace");
        t->out.broken = 1;
        return;
    }
    if (!t && name && *name) {
        if (dfi_trace_writer_of(name)) dfi_trace_now = t = dfi_trace_new(name, variable, workers);
        else dfi_warn(DFI_MESSAGE_BAD_ENV, variable, name, DFI_TRACE_NAMES, "no trace is written");
    } else if (t && !t->out.broken) {
        t->writer = dfi_trace_writer_of(t->out.file); /* of the module that is loaded now */
        t->writer->again(t);
    }
    if (t && !t->out.broken) dfi_events_begin(DFI_RECORD_TRACE, dfi_trace_read);
}

/* All events have been shown. pre: pool lock */
static void dfi_trace_end(void)
{
    struct dfi_trace *t = dfi_trace_now;
    if (!t || !dfi_report_is_here(&t->out)) return;
    dfi_trace_show_late(t, 1);
    t->writer->end(t, dfi_trace_ns(dfi_ticks()));
    if (dfi_events.incomplete) dfi_report_no_memory(&t->out, t->out.file);
    if (t->tasks->lost) dfi_warn("%s=%s: arrows between tasks that are too far apart are left out: %lu",
                                 t->out.variable, t->out.file, t->tasks->lost);
    t->tasks->lost = 0;
}

DFI_SMALL_CODE_END

#endif
