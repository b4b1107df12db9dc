/* dfi_serial_impl.h - the functions of dfi_serial.h and of the API under DF_SERIAL
 *
 * A task that cannot start, as a token is closed or a node lacks an input, is held by the frame that
 * submitted it and runs when the last of that comes: at once, or, inside another held task, after it,
 * so that long chains do not pile up on the stack. */
#ifndef DFI_SERIAL_IMPL_H
#define DFI_SERIAL_IMPL_H

struct dfi_local { struct dfi_local *next; void *align; };

/* A task that has to wait; its arguments follow. */
struct dfi_held {
    struct dfi_task task; /* first */
    struct dfi_held *next, *before, *ready;
    const struct dfi_type *type;
    struct dfi_frame *frame;
    struct df_group *group;
    const char *name, *site, *titles;
    df_token **after, **signals;   /* copies, NULL at the end */
    int wait, inputs, skip;
    unsigned long given;           /* inputs of a node, a bit each */
};
struct dfi_waiter { struct dfi_waiter *next; struct dfi_held *held; }; /* in df_token.dfi_list */
enum { DFI_TOKEN_EXTERNAL = 1, DFI_TOKEN_SKIP = 2 };                   /* bits of df_token.dfi_state */

static DFI_TLS struct dfi_frame dfi_serial_bottom;
static DFI_TLS struct dfi_frame *dfi_serial_top;
static DFI_TLS struct dfi_local *dfi_serial_locals;
static DFI_TLS uint64_t dfi_serial_tasks, dfi_serial_skipped;
static DFI_TLS struct dfi_held *dfi_serial_ready, **dfi_serial_ready_end;
static DFI_TLS int dfi_serial_running; /* a held task runs */

static struct dfi_frame *dfi_frame_here(void)
{
    return dfi_serial_top ? dfi_serial_top : (dfi_serial_top = &dfi_serial_bottom);
}

static int dfi_frame_cancelled(const struct dfi_frame *m)
{
    for (; m; m = m->outer)
        if (m->cancelled || (m->group && m->group->dfi_cancelled)) return 1;
    return 0;
}

static void dfi_frame_fail(struct dfi_frame *m, int code, const char *text)
{
    if (!m->code && code) m->code = code, snprintf(m->text, sizeof m->text, "%s", text);
    m->cancelled = 1;
}

/* --- held tasks -------------------------------------------------------------------------------- */

static int dfi_token_is_open(const df_token *t) { return t->dfi_need <= 0; }
static void dfi_token_signal(df_token *t, const char *site, int skip);
static void dfi_serial_settle(struct dfi_frame *m);

static void dfi_held_run(struct dfi_held *h)
{
    struct dfi_frame *top = dfi_frame_here(), m;
    df_token **t;
    dfi_serial_top = h->frame;
    if (h->skip) dfi_serial_skipped++;
    else if (dfi_serial_enter(&m, h->group)) {
        h->type->run(h->task.args, NULL);
        dfi_serial_leave(&m);
    } else h->skip = 1;
    dfi_serial_top = top;
    for (t = h->signals; t && *t; t++) dfi_token_signal(*t, h->site, h->skip);
    DF_FREE(h);
}

static void dfi_serial_drain(void)
{
    if (dfi_serial_running) return;
    dfi_serial_running = 1;
    while (dfi_serial_ready) {
        struct dfi_held *h = dfi_serial_ready;
        dfi_serial_ready = h->ready;
        dfi_held_run(h);
    }
    dfi_serial_running = 0;
}

static void dfi_held_ready(struct dfi_held *h)
{
    if (h->before) h->before->next = h->next;
    else h->frame->held = h->next;
    if (h->next) h->next->before = h->before;
    h->ready = NULL;
    if (!dfi_serial_ready) dfi_serial_ready_end = &dfi_serial_ready;
    *dfi_serial_ready_end = h, dfi_serial_ready_end = &h->ready;
}

static void dfi_token_signal(df_token *t, const char *site, int skip)
{
    struct dfi_waiter *w, *next;
    if (dfi_token_is_open(t)) {
        if (!skip && !(t->dfi_state & DFI_TOKEN_SKIP)) dfi_log(DFI_LOG_TOKEN_OPEN, site, t->dfi_site);
        return;
    }
    if (skip) t->dfi_state |= DFI_TOKEN_SKIP;
    if (--t->dfi_need) return;
    w = (struct dfi_waiter *)t->dfi_list;
    t->dfi_list = NULL;
    skip = t->dfi_state & DFI_TOKEN_SKIP;
    for (; w; w = next) {
        next = w->next;
        if (skip) w->held->skip = 1;
        if (--w->held->wait == 0) dfi_held_ready(w->held);
        DF_FREE(w);
    }
    dfi_serial_drain();
}

static size_t dfi_tokens_count(df_token *const *t)
{
    size_t n = 0;
    while (t && t[n]) n++;
    return n;
}

static struct dfi_held *dfi_held_new(const struct dfi_type *type, const struct df_opts *o, const char *site)
{
    size_t head = (sizeof(struct dfi_held) + 15) / 16 * 16, args = (type->args_bytes + 15) / 16 * 16;
    size_t after = o ? dfi_tokens_count(o->after) : 0, signals = o ? dfi_tokens_count(o->signals) : 0;
    struct dfi_frame *m = dfi_frame_here();
    char *p = (char *)DF_MALLOC(head + args + (after + signals + 2) * sizeof(df_token *));
    struct dfi_held *h = (struct dfi_held *)(void *)p;
    if (!p) return NULL;
    memset(p, 0, head + args + (after + signals + 2) * sizeof(df_token *));
    h->task.args = p + head;
    h->type = type, h->site = site, h->frame = m;
    h->name = o && o->name ? o->name : type->name;
    h->group = o ? o->group : NULL;
    h->after = (df_token **)(void *)(p + head + args);
    h->signals = h->after + after + 1;
    if (after) memcpy(h->after, o->after, after * sizeof(df_token *));
    if (signals) memcpy(h->signals, o->signals, signals * sizeof(df_token *));
    h->next = m->held;
    if (m->held) m->held->before = h;
    m->held = h;
    return h;
}

/* The wait of a frame: whoever is still held waits for nobody. */
static void dfi_serial_settle(struct dfi_frame *m)
{
    int running = dfi_serial_running;
    for (;;) {
        struct dfi_held *h;
        df_token **t;
        dfi_serial_running = 0; /* also inside a held task: its own children come first */
        dfi_serial_drain();
        dfi_serial_running = running;
        if (!(h = m->held)) return;
        if (h->inputs) {
            char missing[200] = "";
            const char *p = h->titles;
            int i;
            for (i = 0; i < h->inputs; i++) {
                size_t n = strcspn(p, " ");
                if (!(h->given >> i & 1) && strlen(missing) + n + 2 < sizeof missing) {
                    if (*missing) strcat(missing, ", ");
                    strncat(missing, p, n);
                }
                p += n + 1;
            }
            dfi_log(DFI_LOG_NODE_STUCK, h->site, h->name, missing);
            h->skip = 1;
            dfi_held_ready(h);
            m->code = m->code ? m->code : DF_ERROR_STUCK;
            continue;
        }
        for (t = h->after; *t && dfi_token_is_open(*t);) t++;
        dfi_log(DFI_LOG_TASK_STUCK, h->site, h->name, (*t)->dfi_site, "nobody can signal any more");
        m->code = m->code ? m->code : DF_ERROR_STUCK;
        (*t)->dfi_need = 1;
        dfi_token_signal(*t, h->site, 1);
    }
}

DFI_EXTERN_C_BEGIN
DFI_API struct dfi_logger dfi_logger;

DFI_API void dfi_serial_with(const struct df_opts *o, const char *site, const struct dfi_type *type, const void *args)
{
    struct dfi_held *h = dfi_held_new(type, o, site);
    df_token *const *t;
    if (!h) { /* no memory to wait: now, as it would be in a correct order */
        dfi_log(DFI_LOG_NO_MEMORY);
        type->run((void *)(uintptr_t)args, NULL);
        for (t = o->signals; t && *t; t++) dfi_token_signal(*t, site, 0);
        return;
    }
    memcpy(h->task.args, args, type->args_bytes);
    h->wait = 1;
    for (t = h->after; *t; t++) {
        struct dfi_waiter *w;
        if ((*t)->dfi_state & DFI_TOKEN_SKIP) h->skip = 1;
        if (dfi_token_is_open(*t) || !(w = (struct dfi_waiter *)DF_MALLOC(sizeof *w))) continue;
        w->next = (struct dfi_waiter *)(*t)->dfi_list, w->held = h;
        (*t)->dfi_list = w;
        h->wait++;
    }
    if (--h->wait) return;
    dfi_held_ready(h);
    if (dfi_serial_ready == h) { /* no held task before it: now, wherever we are */
        dfi_serial_ready = NULL;
        dfi_held_run(h);
        dfi_serial_drain();
    } else dfi_serial_drain();
}

DFI_API struct dfi_task *dfi_node_new(const struct dfi_type *type, int inputs, const char *titles, const char *site)
{
    struct dfi_held *h = dfi_held_new(type, NULL, site);
    if (!h) return NULL;
    h->inputs = inputs, h->titles = titles;
    if (inputs) return &h->task;
    dfi_held_ready(h);
    dfi_serial_drain();
    return NULL;
}

DFI_API void *dfi_node_input(struct dfi_task *node, int input, const char *site)
{
    struct dfi_held *h = (struct dfi_held *)(void *)node;
    const char *p;
    char title[64];
    int i;
    if (!h) return NULL;
    if (!(h->given >> input & 1)) {
        h->given |= 1ul << input;
        return h->task.args;
    }
    for (i = 0, p = h->titles; i < input; i++) p = strchr(p, ' ') + 1;
    snprintf(title, sizeof title, "%.*s", (int)strcspn(p, " "), p);
    dfi_log(DFI_LOG_NODE_TWICE, site, title, h->name, h->site);
    return NULL;
}

DFI_API void dfi_node_given(struct dfi_task *node)
{
    struct dfi_held *h = (struct dfi_held *)(void *)node;
    if (h->given != (h->inputs == 32 ? 0xFFFFFFFFul : (1ul << h->inputs) - 1)) return;
    dfi_held_ready(h);
    dfi_serial_drain();
}

DFI_API void dfi_token_init(df_token *t, long k, const char *site)
{
    memset(t, 0, sizeof *t);
    t->dfi_need = (intptr_t)k, t->dfi_site = site;
}

DFI_API void dfi_signal(df_token *t, const char *site) { dfi_token_signal(t, site, 0); }

DFI_API df_result dfi_wait_token(df_token *t, const char *site)
{
    int running = dfi_serial_running;
    dfi_serial_running = 0;
    dfi_serial_drain();
    dfi_serial_running = running;
    if (dfi_token_is_open(t)) return t->dfi_state & DFI_TOKEN_SKIP ? DF_ERROR_CANCELLED : DF_OK;
    dfi_log(DFI_LOG_TOKEN_STUCK, site, t->dfi_site);
    return DF_ERROR_STUCK;
}

DFI_API void dfi_release(const void *p, size_t bytes) { (void)p, (void)bytes; }

/* --- frames ------------------------------------------------------------------------------------ */

static void dfi_locals_free(struct dfi_local *before)
{
    while (dfi_serial_locals != before) {
        struct dfi_local *l = dfi_serial_locals;
        dfi_serial_locals = l->next;
        DF_FREE(l);
    }
}

static void dfi_frame_push(struct dfi_frame *m, struct df_group *group, int is_task)
{
    m->outer = dfi_frame_here();
    m->locals = dfi_serial_locals;
    m->group = group, m->held = NULL;
    m->is_task = is_task, m->cancelled = m->code = 0;
    m->text[0] = 0;
    dfi_serial_top = m;
}

static void dfi_frame_pop(struct dfi_frame *m)
{
    if (m->held || dfi_serial_ready) dfi_serial_settle(m);
    dfi_locals_free(m->locals);
    dfi_serial_top = m->outer;
    if (m->code) { /* nobody asked: the enclosing task fails as well, or the thread remembers it */
        struct dfi_frame *to = m->is_task || !m->outer->is_task ? m->outer : m->outer->outer;
        int was = to->cancelled;
        dfi_frame_fail(to, m->code, m->text);
        if (to == &dfi_serial_bottom && !m->is_task) to->cancelled = was;
    }
}

DFI_API int dfi_serial_enter(struct dfi_frame *m, struct df_group *group)
{
    if (dfi_frame_cancelled(dfi_frame_here()) || (group && group->dfi_cancelled)) {
        dfi_serial_skipped++;
        return 0;
    }
    dfi_serial_tasks++;
    dfi_frame_push(m, group, 1);
    return 1;
}

DFI_API void dfi_serial_leave(struct dfi_frame *m) { dfi_frame_pop(m); }

DFI_API struct dfi_block dfi_scope_enter(const char *site)
{
    struct dfi_block b;
    (void)site;
    b.open = 1;
    b.frame = (struct dfi_frame *)DF_MALLOC(sizeof *b.frame);
    if (b.frame) dfi_frame_push(b.frame, NULL, 0);
    return b;
}

DFI_API void dfi_scope_leave(struct dfi_block *b)
{
    if (!b->open) return;
    b->open = 0;
    if (!b->frame) return;
    while (dfi_serial_top != b->frame && dfi_serial_top->outer) dfi_frame_pop(dfi_serial_top); /* left by a jump */
    dfi_frame_pop(b->frame);
    DF_FREE(b->frame);
}

DFI_API void *dfi_local_alloc(size_t n, size_t bytes)
{
    struct dfi_local *l;
    if (bytes && n > (SIZE_MAX - sizeof *l) / bytes) return NULL;
    bytes *= n;
    l = (struct dfi_local *)DF_MALLOC(sizeof *l + bytes);
    if (!l) return NULL;
    l->next = dfi_serial_locals, dfi_serial_locals = l;
    return memset(l + 1, 0, bytes);
}

/* --- the rest of the API ----------------------------------------------------------------------- */

DFI_API void df_wait(void)
{
    struct dfi_frame *m = dfi_frame_here();
    dfi_serial_settle(m);
    m->cancelled = 0;
}

DFI_API void df_parallel(void (*fn)(void *arg), void *arg)
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
    if (!code) dfi_log(DFI_LOG_FAIL_ZERO, text);
    dfi_frame_fail(dfi_frame_to_cancel(), code ? code : -1, text);
}

DFI_API void df_cancel(void) { dfi_frame_to_cancel()->cancelled = 1; }
DFI_API int df_cancelled(void) { return dfi_frame_cancelled(dfi_frame_here()); }
DFI_API void df_group_cancel(df_group *g) { g->dfi_cancelled = 1; }

DFI_API df_result df_wait_result(void)
{
    struct dfi_frame *m = dfi_frame_here();
    int cancelled, code;
    dfi_serial_settle(m);
    cancelled = m->cancelled, code = m->code;
    m->cancelled = m->code = 0;
    if (!code) return cancelled ? DF_ERROR_CANCELLED : DF_OK;
    dfi_last_error.code = code;
    memcpy(dfi_last_error.text, m->text, sizeof dfi_last_error.text);
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
    if (!m->dfi_state) dfi_log(DFI_LOG_UNLOCK);
    m->dfi_state = 0;
}

DFI_API void df_yield_blocking(void (*fn)(void *arg), void *arg) { fn(arg); }

DFI_API df_result df_start(const df_config *config)
{
    dfi_logger.log = config ? config->log : NULL;
    dfi_logger.arg = config ? config->log_arg : NULL;
    return DF_OK;
}

DFI_API void df_stop(void) { dfi_serial_settle(dfi_frame_here()); }
DFI_API int df_workers(void) { return 1; }
DFI_API int df_worker(void) { return 0; }

DFI_API df_result df_stats(df_counters *out)
{
    memset(out, 0, sizeof *out);
    out->tasks = dfi_serial_tasks;
    out->skipped = dfi_serial_skipped;
    return DF_OK;
}
DFI_EXTERN_C_END

#endif
