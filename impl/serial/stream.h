/* stream.h - streams and tasks under DF_SERIAL: a task with windows that may not be entered yet is held */
#ifndef DFI_SERIAL_STREAM_H
#define DFI_SERIAL_STREAM_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/access.h"
#include "../api/result.h"
#include "../api/serial.h"
#include "../api/stream.h"
#include "../api/task.h"
#include "../api/value.h"
#include "../more/stream/api.h"
#include "../more/stream/ring.h"
#include "../more/stream/window.h"
#include "../observe/graph/graph.h"
#include "impl.h"
#include "token.h"
#include "../api/public.h"

static void dfi_stream_lock(struct dfi_stream *c) { (void)c; }
static void dfi_stream_unlock(struct dfi_stream *c) { (void)c; }
static void dfi_stream_task_waits(void *task, long windows) { ((struct dfi_held *)task)->wait += (int)windows; }
static void dfi_stream_task_skip(void *task) { ((struct dfi_held *)task)->skip = 1; }
static void dfi_stream_created(int by) { dfi_serial_particular += by; }

static void dfi_windows_ready(struct dfi_window *v, int outside)
{
    struct dfi_window *next, *first = NULL;
    for (; v; v = next) /* newest first: turn them around */
        next = v->wait_next, v->wait_next = first, first = v;
    for (v = first; v; v = next) {
        struct dfi_held *h = (struct dfi_held *)v->task;
        next = v->wait_next;
        if (--h->wait == 0) dfi_held_ready(h);
    }
    if (outside) dfi_serial_now();
}

/* Nonzero: without memory for a copy the task cannot run. */
static int dfi_stream_begin(struct dfi_held *h)
{
    if (!dfi_windows_begin(h->windows, (char *)h->task.args, h->window_array)) return 0;
    dfi_warn_no_memory();
    dfi_frame_error(h->scope.frame.outer, DF_ERROR_MEMORY, NULL);
    return 1;
}

static void dfi_stream_end(struct dfi_held *h)
{
    struct dfi_after a = { NULL, NULL, NULL };
    dfi_windows_end(h->windows, h->skip, 0, &a);
    DF_FREE((void *)h->window_array);
    dfi_windows_ready(a.ready, 0);
}

/* All tasks below s that wait for streams are given up. Zero: there is none. */
static int dfi_stream_stuck(struct dfi_scope *s)
{
    int some = 0;
    for (s = s->children; s; s = s->next) {
        struct dfi_held *h = s->task;
        struct dfi_missing m;
        some |= dfi_stream_stuck(s);
        if (!h || s->ended || !h->windows) continue;
        dfi_windows_give_up(h->windows, &m);
        if (!m.windows) continue;
        some = 1;
        if (!dfi_frame_cancelled(&s->frame)) {
            dfi_error("%s%stask %s waits for %lu %s the stream of %s, which can no longer come: skipped",
                      h->site ? h->site : "", h->site ? ": " : "", h->name, (unsigned long)m.elements, m.what, m.stream);
            dfi_frame_error(s->frame.outer, DF_ERROR_STUCK, NULL);
        }
        h->skip = 1;
        if ((h->wait -= (int)m.windows) == 0) dfi_held_ready(h);
    }
    return some;
}

/* A task that is run without memory for a record. */
struct dfi_stream_now { struct dfi_window *windows; struct dfi_stream_now *outer; };
static DFI_TLS struct dfi_stream_now *dfi_streams_now;

/* Without memory: now, if its windows may be entered, or can be after what is ready was run. */
static void dfi_stream_run_now(const struct df_opts *o, const struct dfi_type *type, void *args, struct dfi_take *q)
{
    struct dfi_window windows[DFI_WINDOWS_NOW], *v;
    struct dfi_stream *locks[DFI_WINDOWS_NOW];
    void *pointers[DFI_WINDOWS_NOW];
    struct dfi_after a = { NULL, NULL, NULL };
    struct dfi_stream_now me;
    struct dfi_frame m;
    df_token *const *t;
    int code = q->wrong ? DF_ERROR_STREAM : DF_OK;
    dfi_warn_no_memory();
    dfi_graph_missing();
    if (q->count > DFI_WINDOWS_NOW) {
        dfi_frame_error(dfi_frame_here(), DF_ERROR_MEMORY, NULL);
        return;
    }
    me.windows = q->windows = windows, me.outer = dfi_streams_now;
    q->locks = locks, q->task = &me;
    dfi_take_windows_now(q);
    for (v = q->windows; v && !code; v = v->of_task)
        while (!dfi_window_try(v) && !code) {
            struct dfi_scope *s = dfi_scope_of(dfi_frame_here());
            if (s->frame.is_scope && (s->ready || s->fired)) dfi_scope_run_one(s);
            else if (!dfi_serial_help()) {
                dfi_error("%s%stask %s waits for %lu %s the stream of %s, which can no longer come: skipped",
                          q->site ? q->site : "", q->site ? ": " : "", q->name, (unsigned long)v->asked, v->reader ? "elements in" : "free places in", v->stream->site);
                code = DF_ERROR_STUCK;
            }
        }
    for (v = q->windows; v && !code; v = v->of_task)
        if (v->reader && v->spoilt) code = DF_ERROR_CANCELLED;
    if (!code && dfi_windows_begin(q->windows, (char *)args, pointers)) code = DF_ERROR_MEMORY;
    if (!code && dfi_serial_begin(&m, o ? o->group : NULL)) {
        dfi_streams_now = &me;
        type->run(args, NULL);
        dfi_serial_end(&m);
        dfi_streams_now = me.outer;
    } else {
        dfi_args_order(type, args, DFI_ORDER_DROP);
        if (code && code != DF_ERROR_CANCELLED) dfi_frame_error(dfi_frame_here(), code, NULL);
        if (!code) code = DF_ERROR_CANCELLED;
    }
    dfi_windows_end(q->windows, code, 0, &a);
    dfi_windows_ready(a.ready, 0);
    for (t = o ? o->signals : NULL; t && *t; t++) dfi_token_signal(*t, q->site, code != 0);
    dfi_serial_now();
}

/* Windows for h. 0, or -1 without memory. */
static int dfi_stream_take(struct dfi_held *h, struct dfi_take *q)
{
    q->task = h, q->locks = q->few;
    if (q->arrays && q->count) {
        if (!(h->window_array = (void **)DF_MALLOC(q->count * sizeof(void *)))) return -1;
        q->locks = (struct dfi_stream **)(void *)h->window_array;
    }
    if (q->count && dfi_take_windows(q)) return -1;
    h->windows = q->windows;
    if (q->wrong) {
        h->skip = 1;
        dfi_frame_error(h->scope.frame.outer, DF_ERROR_STREAM, NULL);
    }
    return 0;
}

DFI_EXTERN_C_BEGIN
DFI_API void dfi_stream_submit(const struct df_opts *o, const char *site, const struct dfi_type *type, void *args,
                               struct dfi_access *x, unsigned n, struct dfi_ask *y, unsigned m)
{
    struct dfi_held *h;
    struct dfi_take q;
    dfi_taskgraph_cannot("a task on streams", type->name);
    q.y = y, q.m = m;
    q.name = o && o->name ? o->name : type->name, q.site = site;
    dfi_take_check(&q);
    h = dfi_held_new(type, o, site);
    if (h && dfi_stream_take(h, &q)) {
        struct dfi_scope *s = &h->scope, *parent = dfi_scope_of(s->frame.outer);
        if ((parent->children = s->next) != NULL) s->next->before = NULL;
        DF_FREE((void *)h->window_array);
        DF_FREE(h);
        dfi_serial_particular--;
        h = NULL;
    }
    if (!h) {
        dfi_stream_run_now(o, type, args, &q);
        return;
    }
    memcpy(h->task.args, args, type->args_bytes);
    dfi_held_submit(h, x, n);
}

DFI_API size_t df_stream_count(const void *p)
{
    const struct dfi_stream_now *k;
    struct dfi_frame *m;
    long long n = -1;
    if (!p) return 0;
    for (k = dfi_streams_now; k && n < 0; k = k->outer) n = dfi_windows_find(k->windows, p);
    for (m = dfi_serial_top; m && n < 0; m = m->outer)
        if (m->is_scope && dfi_scope_of(m)->task) n = dfi_windows_find(dfi_scope_of(m)->task->windows, p);
    return n < 0 ? 0 : (size_t)n;
}
DFI_EXTERN_C_END

#endif
