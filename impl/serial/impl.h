/* impl.h - the functions of api/serial.h and of the API under DF_SERIAL
 *
 * A task that cannot start, as a token is closed, a node lacks an input or a stream elements or room, is a child of the scope it was
 * submitted in. When the last of what it waits for comes it is ready, and runs as soon as control is back in
 * that scope; in the body of a node, other nodes run after it. So the depth of the stack is that of the nesting
 * of calls, df_submit and waits, however many tasks are ready and however many fire one another.
 * The scope of a body that is over while children are unfinished stays until they are done; what becomes ready
 * in it then runs in the nearest scope around it whose body goes on. */
#ifndef DFI_SERIAL_IMPL_H
#define DFI_SERIAL_IMPL_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/env.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/access.h"
#include "../api/result.h"
#include "../api/serial.h"
#include "../api/task.h"
#include "../api/taskgraph.h"
#include "../api/throw.h"
#include "../api/value.h"
#include "../work/tables.h"
#include "../more/stream/ring.h"
#include "../more/taskgraph/list.h"
#include "../observe/graph/file.h"
#include "../observe/graph/graph.h"
#include "hook.h"
#include "../api/public.h"

struct dfi_local { struct dfi_local *next; size_t bytes; };

/* A frame that has, or had, children that wait. */
struct dfi_scope {
    struct dfi_frame frame;              /* first */
    struct dfi_scope *next, *before;     /* unfinished children of frame.outer */
    struct dfi_scope *children;          /* unfinished: held, ready, or ended with unfinished children */
    struct dfi_held *ready, *ready_last; /* tasks below it whose tokens are open, in the order they opened */
    struct dfi_held *fired;              /* nodes below it that have all inputs, the last one first */
    struct dfi_scope *host;              /* after the end of its body: a scope around it */
    struct dfi_held *task;               /* whose body it is; NULL: of df_submit, a block or the thread */
    int ended;                           /* its body is over */
    struct dfi_entry *entries;           /* memory that unfinished children access (serial/order.h) */
    struct dfi_entry *own;               /* that it accesses itself, as a child */
    const char *site;                    /* where a block was opened */
    struct dfi_g_item *graph;            /* what DF_GRAPH has of it (observe/graph/graph.h), or NULL */
    struct dfi_waiter *after;            /* tasks that come after it, as they access that memory */
    struct df_taskgraph *taskgraph;      /* of a block that is recorded */
};

/* A task that has to wait; its arguments follow. */
struct dfi_held {
    struct dfi_scope scope; /* first; of its body */
    struct dfi_task task;
    struct dfi_held *ready;        /* next */
    const struct dfi_type *type;
    const char *name, *site;
    const char *titles;            /* of the inputs; NULL: not a node */
    df_token **after, **signals;   /* copies, NULL at the end */
    int wait, inputs, skip;
    unsigned long given;           /* inputs of a node, a bit each */
    struct dfi_window *windows;    /* on streams (more/stream/ring.h); each that it waits for is counted in `wait` */
    void **window_array;           /* memory for the pointers to them that the body gets as arrays, or NULL */
    struct dfi_pause *pause;       /* the stack that its body has of its own, or NULL (serial/pause.h) */
};
struct dfi_waiter { struct dfi_waiter *next; struct dfi_held *held; }; /* in df_token.dfi_list, dfi_scope.after */
enum { DFI_TOKEN_EXTERNAL = 1, DFI_TOKEN_SKIP = 2 };                   /* bits of df_token.dfi_state */

static DFI_TLS struct dfi_scope dfi_serial_bottom;
static DFI_TLS struct dfi_frame *dfi_serial_top; /* of the code that runs */
static DFI_TLS uint64_t dfi_serial_tasks, dfi_serial_skipped;
static DFI_TLS long dfi_serial_particular; /* held tasks and streams: while there are none order is that of the calls */
static DFI_TLS long dfi_serial_cancels; /* cancelled frames and groups: while there are none nobody looks for them */

static struct dfi_scope *dfi_scope_of(struct dfi_frame *m) { return (struct dfi_scope *)(void *)m; }
static struct dfi_held *dfi_held_of(struct dfi_task *t)
{
    return t ? (struct dfi_held *)(void *)((char *)t - offsetof(struct dfi_held, task)) : NULL;
}

static void dfi_graph_first(void);
static void dfi_pause_begin(void);

/* df starts. name: of df_config.stats, or NULL. */
static void dfi_stats_serial(const char *name)
{
    const char *variable = name ? "df_config.stats" : "DF_STATS";
    if (!name) name = dfi_env(variable);
    if (name && *name && strcmp(name, "0")) dfi_warn_once("%s=%s: a DF_SERIAL build has no statistics",
                                                          variable, name);
}

/* The same of df_config.trace: there is nothing to be seen, as all runs at once, here. */
static void dfi_trace_serial(const char *name)
{
    const char *variable = name ? "df_config.trace" : "DF_TRACE";
    if (!name) name = dfi_env(variable);
    if (name && *name) dfi_warn_once("%s=%s: a DF_SERIAL build has no trace: leave DF_SERIAL out", variable, name);
}

static int dfi_token_is_open(const df_token *t);
static void dfi_graph_submit(struct dfi_held *h, int kind, const char *titles, const struct dfi_access *x, unsigned n);
static struct dfi_g_item *dfi_graph_body(void);
static void dfi_graph_wait(void);
static void dfi_graph_take(void);

static struct dfi_frame *dfi_frame_here(void)
{
    if (dfi_serial_top) return dfi_serial_top;
    dfi_serial_bottom.frame.is_scope = 1;
    dfi_serial_top = &dfi_serial_bottom.frame;
    dfi_graph_first();
    dfi_pause_begin();
    dfi_stats_serial(NULL);
    dfi_trace_serial(NULL);
    return dfi_serial_top;
}

/* The scope of the code that runs. It keeps its address, and the frame on the stack is not used any more. NULL
 * without memory. */
static struct dfi_scope *dfi_scope_here(void)
{
    struct dfi_frame *m = dfi_frame_here();
    struct dfi_scope *s;
    if (m->is_scope) return dfi_scope_of(m);
    if (!(s = (struct dfi_scope *)DF_MALLOC(sizeof *s))) return NULL;
    memset(s, 0, sizeof *s);
    s->frame = *m, s->frame.is_scope = 1;
    return dfi_scope_of(dfi_serial_top = m->moved = &s->frame);
}

/* --- errors ------------------------------------------------------------------------------------ */

static int dfi_frame_cancelled(const struct dfi_frame *m)
{
    if (!dfi_serial_cancels) return 0;
    for (; m; m = m->outer)
        if (m->cancelled || (m->group && m->group->dfi_cancelled)) return 1;
    return 0;
}

static void dfi_frame_cancel(struct dfi_frame *m, int cancelled)
{
    dfi_serial_cancels += cancelled - m->cancelled;
    m->cancelled = cancelled;
}

static void dfi_error_free(struct dfi_error *e)
{
    if (!e) return;
    if (e->threw.drop) e->threw.drop(e->threw.object);
    DF_FREE(e);
}

/* Takes the exception, if there is one. NULL without memory. */
static struct dfi_error *dfi_error_new(const char *text, const struct dfi_exception *x)
{
    struct dfi_error *e = (struct dfi_error *)DF_MALLOC(sizeof *e);
    if (!e) {
        if (x) x->drop(x->object);
        return NULL;
    }
    snprintf(e->text, DFI_ERROR_TEXT, "%s", text);
    if (x) e->threw = *x;
    else e->threw.object = NULL, e->threw.drop = NULL;
    return e;
}

/* The first error stays. Takes e, which may be NULL. */
static void dfi_frame_give_error(struct dfi_frame *m, int code, struct dfi_error *e)
{
    if (m->code) dfi_error_free(e);
    else m->code = code, m->error = e;
}

static void dfi_frame_error(struct dfi_frame *m, int code, const char *text)
{
    if (!m->code) dfi_frame_give_error(m, code, text ? dfi_error_new(text, NULL) : NULL);
}

/* The tasks of m are done. An error nobody asked for goes to the scope of the enclosing task, or the thread
 * remembers it. */
static void dfi_frame_end(struct dfi_frame *m)
{
    while (m->locals) {
        struct dfi_local *l = m->locals;
        m->locals = l->next;
        DF_FREE(l);
    }
    if (m->cancelled) dfi_frame_cancel(m, 0);
    if (m->code) {
        struct dfi_frame *to = m->is_task || !m->outer->is_task ? m->outer : m->outer->outer;
        dfi_frame_give_error(to, m->code, m->error);
        if (m->is_task || m->outer != &dfi_serial_bottom.frame) dfi_frame_cancel(to, 1);
    }
}

/* --- held tasks -------------------------------------------------------------------------------- */

/* s, or the nearest scope around it whose body goes on. */
static struct dfi_scope *dfi_scope_awake(struct dfi_scope *s)
{
    while (s->ended) {
        if (s->host->ended) s->host = s->host->host; /* halves the way for the next one */
        s = s->host;
    }
    return s;
}

static void dfi_held_ready(struct dfi_held *h)
{
    struct dfi_scope *s = dfi_scope_awake(dfi_scope_of(h->scope.frame.outer));
    dfi_serial_events++;
    if (h->titles) h->ready = s->fired, s->fired = h;
    else {
        h->ready = NULL;
        if (s->ready) s->ready_last->ready = h;
        else s->ready = h;
        s->ready_last = h;
    }
}

struct dfi_external { struct dfi_external *next; df_token *token; };
static DFI_TLS struct dfi_external *dfi_externals; /* tokens that are signalled from outside, and tasks wait for (serial/token.h) */
static int dfi_pause_run(struct dfi_held *h);
static int dfi_pause_wait(void);
static void dfi_pause_give_up(struct dfi_held *h);
static int dfi_external_look(void);
static int dfi_external_wait(void);
static int dfi_external_note(df_token *t);
static void dfi_external_now(df_token *t);
static void dfi_token_signal(df_token *t, const char *site, int skip);

static size_t dfi_tokens_count(df_token *const *t)
{
    size_t n = 0;
    while (t && t[n]) n++;
    return n;
}

static void dfi_scope_link(struct dfi_scope *s, struct dfi_scope *parent)
{
    s->frame.outer = &parent->frame;
    s->before = NULL, s->next = parent->children;
    if (s->next) s->next->before = s;
    parent->children = s;
}

static struct dfi_held *dfi_held_new(const struct dfi_type *type, const struct df_opts *o, const char *site)
{
    size_t head = (sizeof(struct dfi_held) + 15) / 16 * 16, args = (type->args_bytes + 15) / 16 * 16;
    size_t after = o ? dfi_tokens_count(o->after) : 0, signals = o ? dfi_tokens_count(o->signals) : 0;
    size_t bytes = head + args + (after + signals + 2) * sizeof(df_token *);
    struct dfi_scope *s = dfi_scope_here();
    char *p = s ? (char *)DF_MALLOC(bytes) : NULL;
    struct dfi_held *h = (struct dfi_held *)(void *)p;
    if (!p) return NULL;
    memset(p, 0, bytes);
    h->task.args = p + head;
    h->type = type, h->site = site;
    h->name = o && o->name ? o->name : type->name;
    h->after = (df_token **)(void *)(p + head + args);
    h->signals = h->after + after + 1;
    if (after) memcpy(h->after, o->after, after * sizeof(df_token *));
    if (signals) memcpy(h->signals, o->signals, signals * sizeof(df_token *));
    h->scope.task = h;
    h->scope.frame.is_task = h->scope.frame.is_scope = 1;
    h->scope.frame.group = o ? o->group : NULL;
    dfi_scope_link(&h->scope, s);
    dfi_serial_particular++;
    return h;
}

static int dfi_stream_begin(struct dfi_held *h);
static void dfi_stream_end(struct dfi_held *h);
static int dfi_serial_begin(struct dfi_frame *m, struct df_group *group);
static struct dfi_scope *dfi_serial_end(struct dfi_frame *m);
static int dfi_stream_stuck(struct dfi_scope *s);
static void dfi_order_register(struct dfi_scope *s, struct dfi_access *x, unsigned n, struct dfi_held *h);
static void dfi_order_done(struct dfi_scope *s);

/* s and all its children are done; its parent may be with that. */
static void dfi_scope_done(struct dfi_scope *s)
{
    for (;;) {
        struct dfi_scope *parent = dfi_scope_of(s->frame.outer);
        df_token **t;
        if (s->before) s->before->next = s->next;
        else parent->children = s->next;
        if (s->next) s->next->before = s->before;
        dfi_frame_end(&s->frame);
        dfi_order_done(s);
        dfi_serial_particular -= s->task != NULL;
        if (s->task && s->task->windows) dfi_stream_end(s->task);
        for (t = s->task ? s->task->signals : NULL; t && *t; t++) dfi_token_signal(*t, s->task->site, s->task->skip);
        DF_FREE(s);
        if (!parent->ended || parent->children) return;
        s = parent;
    }
}

/* The body of s is over, with unfinished children; host, around it, gets what is ready, before what it has. */
static void dfi_scope_outlive(struct dfi_scope *s, struct dfi_scope *host)
{
    struct dfi_held *h;
    s->ended = 1, s->host = host;
    if (s->ready) {
        s->ready_last->ready = host->ready;
        if (!host->ready) host->ready_last = s->ready_last;
        host->ready = s->ready;
    }
    if (s->fired) {
        for (h = s->fired; h->ready; h = h->ready) continue;
        h->ready = host->fired;
        host->fired = s->fired;
    }
    s->ready = s->fired = NULL;
}

static void dfi_frame_unwind(const struct dfi_frame *m);
static void dfi_scope_drain(struct dfi_scope *s, int nodes);

/* The body of h, and what it leaves that is ready. */
static void dfi_held_body(struct dfi_held *h)
{
    struct dfi_scope *s = &h->scope;
    dfi_serial_top = &s->frame;
    h->type->run(h->task.args, NULL);
    dfi_frame_unwind(&s->frame);
    if (!h->titles) dfi_scope_drain(s, 1); /* before those that may use its memory */
}

/* The body of h is over, or was skipped. */
static void dfi_held_end(struct dfi_scope *at, struct dfi_held *h)
{
    dfi_serial_events++;
    if (h->scope.children) dfi_scope_outlive(&h->scope, at);
    else dfi_scope_done(&h->scope);
}

/* pre: the code of `at`, a scope around h, is what runs. */
static void dfi_held_run(struct dfi_scope *at, struct dfi_held *h)
{
    struct dfi_scope *s = &h->scope;
    if (h->skip || dfi_frame_cancelled(&s->frame) || (h->windows && dfi_stream_begin(h))) {
        h->skip = 1;
        dfi_serial_skipped++;
        dfi_args_order(h->type, h->task.args, DFI_ORDER_DROP);
    } else {
        int paused;
        dfi_serial_tasks++;
        paused = dfi_may_block && dfi_pause_run(h);
        if (!dfi_may_block) dfi_held_body(h);
        dfi_serial_top = &at->frame;
        if (paused) return;
    }
    dfi_held_end(at, h);
}

static void dfi_scope_run_one(struct dfi_scope *s)
{
    struct dfi_held *h = s->ready ? s->ready : s->fired;
    if (s->ready) s->ready = h->ready;
    else s->fired = h->ready;
    dfi_held_run(s, h);
}

/* pre: the code of s is what runs. */
static void dfi_scope_drain(struct dfi_scope *s, int nodes)
{
    while (s->ready || (nodes && s->fired)) dfi_scope_run_one(s);
}

/* Something may have become ready in the scope of the code that runs. In the body of a node, nodes wait for its
 * end: chains of them do not pile up on the stack. */
static void dfi_serial_now(void)
{
    struct dfi_scope *s = dfi_scope_of(dfi_serial_top);
    if (dfi_externals) dfi_external_look();
    if (s && s->frame.is_scope) dfi_scope_drain(s, !(s->task && s->task->titles));
}

/* The code that runs waits, and has nothing ready itself: one task that is ready further out may change that, or a signal
 * from outside. Zero: there is none. */
static int dfi_serial_help(void)
{
    struct dfi_frame *top = dfi_frame_here(), *m;
    for (m = top->outer; m; m = m->outer) {
        struct dfi_scope *s = dfi_scope_of(m);
        if (!m->is_scope || !(s->ready || s->fired)) continue;
        dfi_serial_top = m;
        dfi_scope_run_one(s);
        dfi_serial_top = top;
        return 1;
    }
    return dfi_pause_wait() || dfi_external_wait();
}

/* Gives up a task that waits, below s, for what can no longer come. */
static void dfi_serial_give_up(struct dfi_scope *s)
{
    struct dfi_held *h;
    struct dfi_waiter *w;
    df_token **t;
    if (dfi_stream_stuck(s)) return;
    for (s = s->children; s->ended;) s = s->children;
    h = s->task;
    if (h->pause) { /* it waits in its body, and gives that up itself */
        dfi_pause_give_up(h);
        return;
    }
    if (h->titles) {
        char missing[200] = "";
        const char *p = h->titles;
        int i;
        for (i = 0; i < h->inputs; i++) {
            size_t bytes = strcspn(p, " "), at = strlen(missing);
            if (!(h->given >> i & 1) && at + bytes + 3 < sizeof missing)
                snprintf(missing + at, sizeof missing - at, "%s%.*s", at ? ", " : "", (int)bytes, p);
            p += bytes + 1;
        }
        dfi_error("%s: node %s never fired, as it was not given: %s", h->site, h->name, missing);
        dfi_frame_error(s->frame.outer, DF_ERROR_STUCK, NULL);
        h->skip = 1;
        dfi_held_ready(h);
        return;
    }
    for (t = h->after; *t && dfi_token_is_open(*t);) t++;
    for (w = (struct dfi_waiter *)(*t)->dfi_list; w; w = w->next) {
        dfi_error("%s: task %s waits for the token of %s, which %s: skipped",
                  w->held->site, w->held->name, (*t)->dfi_site, "nobody can signal any more");
        dfi_frame_error(w->held->scope.frame.outer, DF_ERROR_STUCK, NULL);
    }
    (*t)->dfi_need = 1;
    dfi_token_signal(*t, h->site, 1);
}

/* Waits for all children of s. pre: the code of s is what runs. */
static void dfi_scope_settle(struct dfi_scope *s)
{
    for (;;) {
        dfi_scope_drain(s, 1);
        if (!s->children) return;
        if (!dfi_serial_help()) dfi_serial_give_up(s);
    }
}

/* The wait of the code that runs. */
static struct dfi_frame *dfi_serial_wait(void)
{
    struct dfi_frame *m = dfi_frame_here();
    if (m->is_scope) dfi_scope_settle(dfi_scope_of(m));
    return m;
}

/* pre: the code of m, a block, is what runs. */
static void dfi_block_end(struct dfi_frame *m)
{
    dfi_serial_wait();
    dfi_frame_end(m);
    dfi_serial_top = m->outer;
    DF_FREE(m);
}

/* Blocks inside m that were left by a jump end. */
static void dfi_frame_unwind(const struct dfi_frame *m)
{
    while (dfi_serial_top != m && dfi_serial_top->outer) dfi_block_end(dfi_serial_top);
}

/* h has its arguments, and waits for its windows. */
static void dfi_held_submit(struct dfi_held *h, struct dfi_access *x, unsigned n)
{
    df_token **t;
    dfi_graph_submit(h, DFI_G_TASK, h->type->labels, x, n);
    dfi_order_register(&h->scope, x, n, h);
    for (t = h->after; *t; t++) {
        struct dfi_waiter *w;
        if ((*t)->dfi_state & DFI_TOKEN_SKIP) h->skip = 1;
        if (dfi_token_is_open(*t)) continue;
        if ((*t)->dfi_state & DFI_TOKEN_EXTERNAL && dfi_external_note(*t)) { /* without memory it is waited for here */
            dfi_external_now(*t);
            continue;
        }
        if (!(w = (struct dfi_waiter *)DF_MALLOC(sizeof *w))) continue;
        w->next = (struct dfi_waiter *)(*t)->dfi_list, w->held = h;
        (*t)->dfi_list = w;
        h->wait++;
    }
    if (h->wait) {
        if (dfi_externals) dfi_serial_now();
        return;
    }
    dfi_held_run(dfi_scope_of(h->scope.frame.outer), h);
    dfi_serial_now();
}

DFI_EXTERN_C_BEGIN
DFI_API void dfi_serial_with(const struct df_opts *o, const char *site, const struct dfi_type *type, const void *args,
                             struct dfi_access *x, unsigned n)
{
    struct df_taskgraph *g = dfi_taskgraph_here();
    struct dfi_held *h = dfi_held_new(type, o, site);
    df_token *const *t;
    if (g) dfi_taskgraph_task(g, type, args, x, n, o, site);
    if (!h) { /* no memory to wait: now, as it would be in a correct order */
        struct dfi_frame m;
        int run = dfi_serial_begin(&m, o ? o->group : NULL);
        dfi_warn_no_memory();
        dfi_graph_missing();
        if (run) {
            type->run((void *)(uintptr_t)args, NULL);
            dfi_serial_end(&m);
        } else dfi_args_order(type, (void *)(uintptr_t)args, DFI_ORDER_DROP);
        for (t = o ? o->signals : NULL; t && *t; t++) dfi_token_signal(*t, site, !run);
        dfi_serial_now();
        return;
    }
    memcpy(h->task.args, args, type->args_bytes);
    dfi_held_submit(h, x, n);
}

DFI_API struct dfi_task *dfi_node_new(const struct dfi_type *type, int inputs, const char *titles, const char *site)
{
    struct dfi_held *h = dfi_held_new(type, NULL, site);
    dfi_taskgraph_cannot("df_node_new", site);
    if (!h) {
        dfi_graph_missing();
        return NULL;
    }
    h->inputs = inputs, h->titles = titles;
    dfi_graph_submit(h, DFI_G_NODE, titles, NULL, 0);
    if (inputs) return &h->task;
    dfi_held_ready(h);
    dfi_serial_now();
    return NULL;
}

DFI_API void *dfi_node_input(struct dfi_task *node, int input, const char *site)
{
    struct dfi_held *h = dfi_held_of(node);
    const char *p;
    char title[64];
    int i;
    if (dfi_taskgraph_is_open(node)) return node->args;
    if (!h) return NULL;
    if (!(h->given >> input & 1)) {
        h->given |= 1ul << input;
        if (DFI_GRAPH()) dfi_graph_input(DFI_GRAPH(), h->scope.graph, input, dfi_graph_body());
        return h->task.args;
    }
    for (i = 0, p = h->titles; i < input; i++) p = strchr(p, ' ') + 1;
    snprintf(title, sizeof title, "%.*s", (int)strcspn(p, " "), p);
    dfi_error("%s: df_node_set gives %s of node %s (created at %s) a second time: no effect",
              site, title, h->name, h->site);
    return NULL;
}

DFI_API void dfi_node_given(struct dfi_task *node)
{
    struct dfi_held *h = dfi_held_of(node);
    if (dfi_taskgraph_is_open(node)) return;
    if (h->given != (h->inputs == 32 ? 0xFFFFFFFFul : (1ul << h->inputs) - 1)) return;
    dfi_held_ready(h);
    dfi_serial_now();
}

DFI_API void dfi_release(const void *p, size_t bytes) { (void)p, (void)bytes; }

/* --- frames ------------------------------------------------------------------------------------ */

static void dfi_frame_push(struct dfi_frame *m, struct df_group *group, int is_task)
{
    m->outer = dfi_frame_here(), m->moved = NULL;
    m->locals = NULL, m->group = group, m->error = NULL;
    m->is_task = is_task, m->is_scope = 0;
    m->cancelled = m->code = 0;
    dfi_serial_top = m;
}

DFI_EXTERN_C_END

static int dfi_serial_begin(struct dfi_frame *m, struct df_group *group)
{
    if (dfi_frame_cancelled(dfi_frame_here()) || (group && group->dfi_cancelled)) {
        dfi_serial_skipped++;
        return 0;
    }
    dfi_serial_tasks++;
    dfi_frame_push(m, group, 1);
    return 1;
}

/* Not NULL: children of m wait for something outside, and its scope goes on. */
static struct dfi_scope *dfi_serial_end(struct dfi_frame *m)
{
    if (m->moved) m = m->moved;
    dfi_frame_unwind(m);
    if (m->is_scope) dfi_scope_drain(dfi_scope_of(m), 1); /* before those that may use its memory */
    dfi_serial_top = m->outer;
    if (m->is_scope && dfi_scope_of(m)->children) { /* they wait for something outside */
        struct dfi_scope *parent = dfi_scope_here();
        if (parent) {
            dfi_scope_link(dfi_scope_of(m), parent);
            dfi_scope_outlive(dfi_scope_of(m), parent);
            return dfi_scope_of(m);
        }
        dfi_warn_no_memory();
        dfi_serial_top = m;
        dfi_serial_wait();
        dfi_serial_top = m->outer;
    }
    dfi_frame_end(m);
    if (m->is_scope) DF_FREE(m);
    if (dfi_serial_top->is_scope) dfi_serial_now();
    return NULL;
}

DFI_EXTERN_C_BEGIN
DFI_API int dfi_serial_enter(struct dfi_frame *m)
{
    struct dfi_scope *s = dfi_scope_of(dfi_frame_here()); /* the first one may find that tasks are to be recorded */
    return dfi_serial_particular || dfi_may_block || (s->frame.is_scope && s->taskgraph) ? 2 : dfi_serial_begin(m, NULL);
}
DFI_API struct dfi_scope *dfi_serial_leave(struct dfi_frame *m) { return dfi_serial_end(m); }
DFI_API void dfi_serial_keep(struct dfi_scope *s, struct dfi_access *x, unsigned n) { dfi_order_register(s, x, n, NULL); }

DFI_API struct dfi_block dfi_scope_enter(const char *site)
{
    struct dfi_scope *s = (struct dfi_scope *)DF_MALLOC(sizeof *s);
    struct dfi_block b;
    dfi_taskgraph_cannot("a block or loop of its own", site);
    b.open = 1;
    b.frame = s ? &s->frame : NULL;
    if (!s) return b;
    memset(s, 0, sizeof *s);
    s->site = site;
    dfi_frame_push(&s->frame, NULL, 0);
    s->frame.is_scope = 1;
    return b;
}

DFI_API void dfi_scope_leave(struct dfi_block *b)
{
    if (!b->open) return;
    b->open = 0;
    if (!b->frame) return;
    dfi_frame_unwind(b->frame);
    dfi_block_end(b->frame);
    dfi_serial_now();
}

DFI_API void *dfi_local_alloc(size_t n, size_t bytes)
{
    struct dfi_frame *m = dfi_frame_here();
    struct dfi_local *l;
    if (bytes && n > (SIZE_MAX - sizeof *l) / bytes) return NULL;
    bytes *= n;
    l = (struct dfi_local *)DF_MALLOC(sizeof *l + bytes);
    if (!l) return NULL;
    l->next = m->locals, m->locals = l;
    l->bytes = bytes;
    return memset(l + 1, 0, bytes);
}

/* --- the rest of the API ----------------------------------------------------------------------- */

DFI_API void (df_wait)(void)
{
    struct df_taskgraph *g = dfi_taskgraph_here();
    dfi_frame_cancel(dfi_serial_wait(), 0);
    dfi_graph_wait();
    if (g) dfi_taskgraph_wait(g);
}

DFI_API void (df_parallel)(void (*fn)(void *arg), void *arg)
{
    struct dfi_block b = dfi_scope_enter(NULL);
    fn(arg);
    dfi_scope_leave(&b);
}

static struct dfi_frame *dfi_frame_to_cancel(void)
{
    struct dfi_frame *m = dfi_frame_here();
    return m->is_task ? m->outer : m;
}

DFI_API void df_fail(int code, const char *text)
{
    struct dfi_frame *m = dfi_frame_to_cancel();
    if (!code) dfi_error("df_fail(0, \"%s\"): 0 is no error: the code is -1", text);
    dfi_frame_error(m, code ? code : -1, text);
    dfi_frame_cancel(m, 1);
}

DFI_API int dfi_threw(const struct dfi_exception *x, const char *text)
{
    struct dfi_frame *m = dfi_frame_to_cancel();
    dfi_frame_give_error(m, DF_ERROR_EXCEPTION, dfi_error_new(text, x));
    dfi_frame_cancel(m, 1);
    return 1;
}

static void dfi_no_exception(void *object) { (void)object; }

/* Takes the exception of m, whose tasks are done. Zero: there is none. */
static int dfi_frame_take_exception(struct dfi_frame *m, struct dfi_exception *x)
{
    if (m->code != DF_ERROR_EXCEPTION || (m->error && !m->error->threw.drop)) return 0;
    x->object = NULL, x->drop = dfi_no_exception; /* there was no memory */
    if (m->error) {
        *x = m->error->threw;
        DF_FREE(m->error);
    }
    m->code = 0, m->error = NULL;
    return 1;
}

DFI_API int dfi_threw_take(struct dfi_exception *x) { return dfi_frame_take_exception(dfi_frame_here(), x); }

DFI_API void dfi_scope_leave_catching(struct dfi_block *b, struct dfi_exception *x)
{
    x->drop = NULL;
    if (b->open && b->frame) {
        dfi_frame_unwind(b->frame);
        dfi_serial_wait();
        if (dfi_frame_take_exception(b->frame, x)) dfi_frame_cancel(b->frame, 0);
    }
    dfi_scope_leave(b);
}

DFI_API void df_cancel(void) { dfi_frame_cancel(dfi_frame_to_cancel(), 1); }
DFI_API int df_cancelled(void) { return dfi_frame_cancelled(dfi_frame_here()); }

DFI_API void df_group_cancel(df_group *g)
{
    if (!dfi_exchange_acq_rel(&g->dfi_cancelled, 1)) dfi_serial_cancels++;
}

DFI_API df_result df_wait_result(void)
{
    struct dfi_frame *m = dfi_serial_wait();
    struct df_taskgraph *g = dfi_taskgraph_here();
    int cancelled = m->cancelled, code = m->code;
    dfi_graph_wait();
    if (g) dfi_taskgraph_wait(g);
    dfi_frame_cancel(m, 0);
    if (!code) return cancelled ? DF_ERROR_CANCELLED : DF_OK;
    dfi_last_error.code = code;
    snprintf(dfi_last_error.text, sizeof dfi_last_error.text, "%s", m->error ? m->error->text : "");
    dfi_error_free(m->error);
    m->code = 0, m->error = NULL;
    return (df_result)code;
}

DFI_API df_result df_mutex_lock(df_mutex *m)
{
    if (m->dfi_state) return DF_ERROR_DEADLOCK;
    m->dfi_state = 1;
    return DF_OK;
}

DFI_API df_result df_mutex_trylock(df_mutex *m) { return df_mutex_lock(m); }

DFI_API void df_mutex_unlock(df_mutex *m)
{
    if (!m->dfi_state) dfi_error("df_mutex_unlock of a lock that the calling thread does not hold: no effect");
    m->dfi_state = 0;
}

DFI_API void df_yield_blocking(void (*fn)(void *arg), void *arg) { fn(arg); }

DFI_API df_result df_start(const df_config *config)
{
    dfi_logger.log = config ? config->log : NULL;
    dfi_logger.arg = config ? config->log_arg : NULL;
    dfi_graph_open(config ? config->graph : NULL, config ? config->graph_depth : 0);
    dfi_trace_serial(config ? config->trace : NULL);
    dfi_graph_take();
    dfi_stats_serial(config ? config->stats : NULL);
    return DF_OK;
}

DFI_API void df_stop(void)
{
    dfi_serial_wait();
    dfi_graph_wait();
    if (DFI_GRAPH()) dfi_graph_end();
}
DFI_API int df_workers(void) { return 1; }
DFI_API int df_worker(void) { return 0; }

DFI_API df_result df_counters_get(df_counters *out)
{
    memset(out, 0, sizeof *out);
    out->tasks = dfi_serial_tasks;
    out->skipped = dfi_serial_skipped;
    return DF_OK;
}
DFI_EXTERN_C_END

#endif
