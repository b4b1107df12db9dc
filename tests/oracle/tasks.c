/* tasks.c - tasks, waits and blocks of the oracle: rules 1 to 6 in oracle.h */
#define _GNU_SOURCE
#include <fenv.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "oracle.h"

char DFI_NEED[1];
char DFI_NEED_DATAFLOW[1], DFI_NEED_MORE[1], DFI_NEED_CHECK[1];
char dfi_keys[dfi_key_end];
struct dfi_hot dfi_nobody = { .steal_request = 1 }; /* spawn and sync always come here */
DFI_TLS struct dfi_hot *dfi_self = &dfi_nobody;

static DFI_TLS struct scope thread, *here, *task_here; /* what runs: innermost, and the task with a stack */
static DFI_TLS struct { int code; char text[DFI_ERROR_TEXT]; } told; /* by df_wait_result */
static DFI_TLS uint64_t run, skipped;
static unsigned long events;     /* what may end a wait has happened; atomic */
static int may_block;
static df_config config;

void oracle_event(void) { __atomic_fetch_add(&events, 1, __ATOMIC_RELEASE); }

void oracle_say(const char *format, ...)
{
    char text[400];
    va_list v;
    va_start(v, format);
    vsnprintf(text, sizeof text, format, v);
    va_end(v);
    if (config.log) config.log(config.log_arg, 1, text);
    else fprintf(stderr, "oracle: %s\n", text);
}
void *oracle_zeroed(size_t n)
{
    void *p = calloc(1, n ? n : 1);
    if (!p) abort();
    return p;
}
struct scope *oracle_current(void) { return here ? here : (here = &thread); }
void dfi_may_block_linked(void) { may_block = 1; }
void dfi_may_lock_linked(void) { may_block = 1; }
void dfi_here(const char *site) { (void)site; }
/* What has this stack: a task, or the thread. */
struct scope *oracle_stack(void) { return task_here ? task_here : &thread; }

/* --- errors ------------------------------------------------------------------------------------------ */

void oracle_give_error(struct scope *s, int code, const char *text)
{
    if (s->code) return; /* the first one stays */
    s->code = code;
    snprintf(s->text, sizeof s->text, "%s", text);
}
df_result oracle_told(int code, const char *text)
{
    told.code = code;
    snprintf(told.text, sizeof told.text, "%s", text);
    return (df_result)code;
}
static int is_cancelled(const struct scope *s)
{
    for (; s; s = s->outer)
        if (s->cancelled || (s->group && s->group->dfi_cancelled)) return 1;
    return 0;
}
static struct scope *scope_of_running_task(void) { return oracle_current()->is_task ? here->outer : here; }
static df_cancel_hook *hooks;
static void call_hooks(void)
{
    df_cancel_hook *h;
    for (h = hooks; h; h = h->dfi_next)
        if (!h->dfi_called && is_cancelled(h->dfi_scope)) h->dfi_called = 1, h->dfi_fn(h->dfi_arg);
}
df_result (df_cancel_hook_set)(df_cancel_hook *h, void (*fn)(void *arg), void *arg)
{
    h->dfi_scope = oracle_current(), h->dfi_fn = fn, h->dfi_arg = arg, h->dfi_called = 0;
    h->dfi_next = hooks, hooks = h;
    call_hooks();
    return DF_OK;
}
int (df_cancel_hook_clear)(df_cancel_hook *h)
{
    df_cancel_hook **at = &hooks;
    while (*at != h) at = &(*at)->dfi_next;
    *at = h->dfi_next;
    return h->dfi_called;
}
void (df_fail)(int code, const char *text)
{
    struct scope *s = scope_of_running_task();
    oracle_give_error(s, code ? code : -1, text);
    s->cancelled = 1;
    call_hooks();
}
void (df_cancel)(void)
{
    scope_of_running_task()->cancelled = 1;
    call_hooks();
}
int (df_cancelled)(void) { return is_cancelled(oracle_current()); }
void (df_group_cancel)(df_group *g)
{
    g->dfi_cancelled = 1;
    call_hooks();
}

/* All children of s are done, and so is s: its error is no longer needed. */
static void pass_error(struct scope *s)
{
    struct scope *to = s->is_task || !s->outer->is_task ? s->outer : s->outer->outer; /* the enclosing task's scope */
    if (!s->code) return;
    oracle_give_error(to, s->code, s->text);
    if (s->is_task || s->outer != &thread) to->cancelled = 1;
}

/* --- which tasks may start --------------------------------------------------------------------------- */

static int everything(const struct dfi_access *a) { return a->row == DFI_NO_BYTES || a->rows == DFI_NO_BYTES; }
static int overlap(const struct dfi_access *a, const struct dfi_access *b)
{
    size_t i, j;
    if (!a->row || !a->rows || !b->row || !b->rows) return 0;
    if (everything(a) || everything(b)) return 1;
    for (i = 0; i < a->rows; i++)
        for (j = 0; j < b->rows; j++) {
            uintptr_t p = (uintptr_t)a->p + i * a->ld, q = (uintptr_t)b->p + j * b->ld;
            if (p < q + b->row && q < p + a->row) return 1;
        }
    return 0;
}
/* Must b wait for a, which came earlier? */
static int ordered(const struct dfi_access *a, const struct dfi_access *b, int a_started)
{
    unsigned shared = a->mode & b->mode & DFI_SHARED;
    if (!((a->mode | b->mode) & DFI_WRITES) || !overlap(a, b)) return 0;
    if (shared & (DFI_CONCURRENT & ~DFI_INOUT)) return 0;
    if (shared & (DFI_COMMUTE & ~DFI_INOUT)) return a_started; /* one at a time */
    if (shared & (DFI_REDUCE & ~DFI_INOUT)) return a->key != b->key || a->p != b->p || (a->mode & DFI_ORDERED);
    return 1;
}
/* Does an unfinished task that came before `place` in its scope stand in the way of x? */
static int in_the_way(const struct scope *place, const struct dfi_access *x)
{
    const struct scope *s;
    unsigned i;
    for (s = place->before; s; s = s->before)
        for (i = 0; i < s->n; i++)
            if (ordered(&s->x[i], x, s->state != WAITS)) return 1;
    for (s = place->outer; s && !s->is_task; s = s->outer) continue;
    /* the task around it has not waited for the memory that it declared for its children only */
    for (i = 0; s && i < s->n; i++)
        if ((s->x[i].mode & DFI_CHILDREN) && overlap(&s->x[i], x)) return in_the_way(s, x);
    return 0;
}
static int memory_free(const struct scope *t)
{
    unsigned i;
    for (i = 0; i < t->n; i++)
        if (!(t->x[i].mode & DFI_CHILDREN) && in_the_way(t, &t->x[i])) return 0;
    return 1;
}
/* Takes the units of t (by 1) or returns them (-1). Zero: more are in use now than there are. */
static int units(const struct scope *t, intptr_t by)
{
    unsigned i;
    int fit = 1;
    for (i = 0; i < t->n; i++) {
        df_semaphore *s = (df_semaphore *)(uintptr_t)t->x[i].p;
        if (!(t->x[i].mode & DFI_LIMIT)) continue;
        s->dfi_free += by * (intptr_t)t->x[i].size; /* in use */
        fit &= s->dfi_free <= s->dfi_units;
    }
    return fit;
}
static int may_start(const struct scope *t)
{
    int fit;
    if (t->state != WAITS || !memory_free(t)) return 0;
    if (t->skip) return 1;
    fit = units(t, 1);
    units(t, -1);
    return fit && !t->missing && !oracle_closed_token(t) && !oracle_windows_wait(t);
}

/* --- the life of a task ------------------------------------------------------------------------------ */

void oracle_accesses(struct scope *s, const struct dfi_access *x, unsigned n)
{
    struct dfi_access *copy = oracle_zeroed(n * sizeof *x);
    if (n) memcpy(copy, x, n * sizeof *x);
    free(s->x);
    s->x = copy, s->n = n;
}
void oracle_append(struct scope *s, struct scope *outer)
{
    s->outer = outer, s->before = outer->last, s->next = NULL;
    if (outer->last) outer->last->next = s;
    else outer->first = s;
    outer->last = s;
}
static void take_out(struct scope *s)
{
    if (s->outer->looks_at == s) s->outer->looks_at = s->next;
    if (s->before) s->before->next = s->next;
    else s->outer->first = s->next;
    if (s->next) s->next->before = s->before;
    else s->outer->last = s->before;
}
void oracle_free_locals(struct local *l)
{
    while (l) {
        struct local *next = l->next;
        free(l);
        l = next;
    }
}
static void forget_poison(struct scope *s)
{
    while (s->poison) {
        struct poison *p = s->poison;
        s->poison = p->next;
        free(p);
    }
}
/* If its body has ended, and all tasks it has submitted are done, t is. */
static void finish(struct scope *t)
{
    struct poison *p;
    df_token **k;
    unsigned i;
    if (t->state != ENDED || t->first) return;
    for (i = 0; (t->skip || t->late) && i < t->n; i++)
        if (t->x[i].mode & DFI_WRITES) {
            p = oracle_zeroed(sizeof *p);
            p->x = t->x[i], p->next = t->outer->poison, t->outer->poison = p;
        }
    take_out(t);
    pass_error(t);
    if (t->units) units(t, -1);
    oracle_windows_leave(t);
    for (k = t->signals; k && *k; k++) oracle_signal(*k, t->site, t->skip || t->late);
    forget_poison(t);
    oracle_free_locals(t->locals);
    free(t->after), free(t->signals), free(t->head.args), free(t->x), free(t);
    oracle_event();
}
static int poisoned(const struct scope *t)
{
    const struct poison *p;
    const struct scope *s;
    df_token **k;
    unsigned i;
    for (k = t->after; k && *k; k++)
        if ((*k)->dfi_state & 2) return 1;
    for (s = t; s->outer; s = s->outer)
        for (p = s->outer->poison; p; p = p->next)
            for (i = 0; i < t->n; i++)
                if (ordered(&p->x, &t->x[i], 1)) return 1;
    return 0;
}
static void body(struct scope *t)
{
    const int rounding = fegetround();
    here = t;
    fesetround(t->rounding);
    t->type->run(t->head.args, NULL);
    fesetround(rounding);
    while (here != t) oracle_leave_block(here); /* left by a jump */
    t->state = ENDED;
}
static char *stacks[1000];
static int n_stacks;
enum { STACK = 1 << 19 };
static void enter(void)
{
    body(task_here);
    setcontext(&task_here->back);
}
/* Continues t, on its own stack, until it ends or is blocked. */
static void go_on(struct scope *t)
{
    struct scope *h = here, *k = task_here;
    here = t->resume, task_here = t;
    swapcontext(&t->back, &t->at);
    here = h, task_here = k;
    if (t->state != ENDED) return;
    if (n_stacks < 1000) stacks[n_stacks++] = t->stack;
    else free(t->stack);
}
/* What t waited for failed. */
static void tell_failures(struct scope *t)
{
    df_token **k = t->after;
    while (k && *k && !(*k)->dfi_code) k++;
    if (!k || !*k) return;
    oracle_give_error(t->outer, (*k)->dfi_code, (*k)->dfi_text);
    t->outer->cancelled = 1;
    call_hooks();
}
static struct df_group of_late = { 1 };
static void start(struct scope *t)
{
    int skip = t->skip || is_cancelled(t) || poisoned(t);
    t->state = RUNS, t->skip = 0;
    oracle_event();
    if (skip) tell_failures(t);
    if (skip && t->always && !t->windows) t->late = 1, t->group = &of_late, skip = 0;
    if (skip || !oracle_windows_enter(t)) {
        t->skip = 1, t->state = ENDED, skipped++;
    } else {
        run += !(t->type->modes & DFI_UNCOUNTED);
        units(t, 1), t->units = 1;
        if (may_block) {
            t->stack = n_stacks ? stacks[--n_stacks] : malloc(STACK);
            getcontext(&t->at);
            t->at.uc_stack.ss_sp = t->stack, t->at.uc_stack.ss_size = STACK;
            makecontext(&t->at, enter, 0);
            t->resume = t;
            go_on(t);
        } else {
            struct scope *h = here;
            body(t);
            here = h;
        }
    }
    finish(t);
}

/* --- waits ------------------------------------------------------------------------------------------- */

/* Lets the tasks below s that can do something. Zero: none can. */
static int step(struct scope *s)
{
    struct scope *t;
    int some = 0;
    for (s->looks_at = s->first; (t = s->looks_at) != NULL;) {
        s->looks_at = t->next; /* take_out changes it */
        if (t->is_task && may_start(t)) start(t), some = 1;
        else if (t->state == BLOCKED && t->seen != events) {
            t->state = RUNS;
            go_on(t);
            finish(t);
            some = 1;
        } else if (t->first) {
            some |= step(t);
            finish(t);
        }
    }
    return some;
}
/* No task below s can continue: gives the first one up. 1: done; 2: an event from outside may come; 0: there is
 * none. */
static int give_up(struct scope *s)
{
    struct scope *t;
    int result = 0;
    for (t = s->first; t && !result; t = t->next) {
        df_token *k = oracle_closed_token(t);
        if (t->is_task && t->state == WAITS && !t->skip && (k || t->missing || oracle_windows_wait(t))) {
            if (k && (k->dfi_state & 1)) return 2;
            oracle_say("%s: task %s can never start: skipped", t->site ? t->site : "", t->type->name);
            oracle_give_error(t->outer, DF_ERROR_STUCK, "");
            t->skip = 1;
            return 1;
        }
        if (t->state == BLOCKED) {
            t->skip = 1, t->seen = events - 1; /* it gives up its wait itself */
            return 1;
        }
        result = give_up(t);
    }
    return result;
}
void oracle_stuck(const char *text)
{
    oracle_say("%s", text);
    oracle_give_error(scope_of_running_task(), DF_ERROR_STUCK, text);
}
/* Until over(arg). Zero: that cannot come any more; external: it may always. */
int oracle_wait(int (*over)(void *arg), void *arg, int external)
{
    struct scope *s = oracle_current();
    while (!over(arg)) {
        if (step(s)) continue;
        if (task_here) {
            struct scope *t = task_here;
            t->state = BLOCKED, t->seen = events, t->resume = here;
            swapcontext(&t->at, &t->back);
            if (t->skip) {
                t->skip = 0;
                return 0;
            }
        } else if (!step(&thread)) {
            int given = external ? 2 : give_up(s);
            if (!given && !external) given = give_up(&thread);
            if (!given) return 0;
            if (given == 2) usleep(100);
        }
    }
    return 1;
}
static int has_no_children(void *s) { return !((struct scope *)s)->first; }
void oracle_wait_here(void)
{
    struct scope *s = oracle_current();
    while (!oracle_wait(has_no_children, s, 0)) give_up(s);
    forget_poison(s);
}
void dfi_wait_here(const char *site)
{
    (void)site;
    oracle_wait_here();
    here->cancelled = 0;
    if (here->graph) oracle_record(here->graph, NULL);
}
void (df_wait)(void) { dfi_wait_here(""); }
df_result dfi_wait_result_here(const char *site)
{
    int cancelled;
    oracle_wait_here();
    cancelled = (df_cancelled)();
    dfi_wait_here(site);
    if (!here->code) return cancelled ? DF_ERROR_CANCELLED : DF_OK;
    cancelled = oracle_told(here->code, here->text);
    here->code = 0;
    return (df_result)cancelled;
}
df_result (df_wait_result)(void) { return dfi_wait_result_here(""); }
/* The time is over when no child can continue. */
df_result dfi_wait_timed_here(int ms, const char *site)
{
    struct scope *s = oracle_current();
    (void)ms;
    while (!has_no_children(s) && (step(s) || (!task_here && step(&thread)))) continue;
    return has_no_children(s) ? dfi_wait_result_here(site) : DF_ERROR_TIMEOUT;
}
df_result (df_wait_for)(int ms) { return dfi_wait_timed_here(ms, ""); }

/* A block at the end of the scope, with accesses: it waits for the tasks before it as a task would. */
static int order_allows(void *b) { return memory_free(b); }
struct scope *oracle_enter_block(const struct dfi_access *x, unsigned n)
{
    struct scope *b = oracle_zeroed(sizeof *b);
    oracle_append(b, oracle_current());
    oracle_accesses(b, x, n);
    while (!oracle_wait(order_allows, b, 0)) continue;
    b->state = RUNS;
    return here = b;
}
void oracle_leave_block(struct scope *b)
{
    while (here != b) oracle_leave_block(here); /* left by a jump */
    oracle_wait_here();
    b->cancelled = 0;
    here = b->outer;
    take_out(b);
    pass_error(b);
    oracle_free_locals(b->locals);
    free(b->x), free(b);
}
struct dfi_parallel_block dfi_scope_enter(const char *site)
{
    struct dfi_parallel_block b = { NULL, 1, 0 };
    (void)site;
    oracle_cannot_record();
    b.scope = (struct dfi_scope *)(void *)oracle_enter_block(NULL, 0);
    return b;
}
void dfi_scope_leave(struct dfi_parallel_block *b)
{
    if (b->open) oracle_leave_block((struct scope *)(void *)b->scope);
    b->open = 0;
}
void (df_parallel)(void (*fn)(void *arg), void *arg) { DF_PARALLEL fn(arg); }
void dfi_wait_on_list_here(const df_region *list, int n, const char *site)
{
    struct dfi_access x;
    (void)site;
    for (; n > 0; n--, list++) {
        dfi_access_block(&x, list->mode & DFI_WRITES ? DFI_INOUT : DFI_IN, DFI_NO_ARG, list->p, list->rows, list->bytes, list->distance);
        oracle_leave_block(oracle_enter_block(&x, 1)); /* which it enters when they are done */
    }
}
void (df_wait_on)(const void *p, size_t bytes) { dfi_wait_on_here(dfi_region_bytes_at(p, bytes), ""); }
void (df_wait_on_list)(const df_region *list, int n) { dfi_wait_on_list_here(list, n, ""); }
void *dfi_local_alloc(size_t n, size_t bytes)
{
    struct local *l;
    if (bytes && n > (SIZE_MAX - sizeof *l) / bytes) return NULL;
    if (!(l = calloc(1, sizeof *l + n * bytes))) return NULL;
    l->next = oracle_current()->locals, l->bytes = n * bytes;
    here->locals = l;
    return l + 1;
}

/* --- spawn and submit -------------------------------------------------------------------------------- */

static void call(struct dfi_future *f)
{
    f->type->run((char *)f + f->type->args_at, (char *)f + f->type->result_at);
}
void dfi_spawn_slow(struct dfi_future *f) { call(f); }
void dfi_spawn_checked(struct dfi_future *f) { call(f); }
int dfi_sync_slow(struct dfi_future *f) { return (void)f, 0; }
int dfi_sync_checked(struct dfi_future *f) { return (void)f, 0; }

static DFI_TLS const df_opts *with;
static DFI_TLS const char *with_site;
void dfi_with(const df_opts *o, const char *site) { with = o, with_site = site; }
void dfi_with_end(const df_opts *o) { (void)o; with = NULL; }

struct scope *oracle_task_new(const struct dfi_type *type, const df_opts *o, const char *site)
{
    struct scope *t = oracle_zeroed(sizeof *t);
    t->is_task = 1, t->type = type, t->site = site, t->rounding = fegetround();
    t->head.args = oracle_zeroed(type->args_bytes);
    if (!o) return t;
    t->always = o->always, t->group = o->group, t->after = oracle_copy_tokens(o->after), t->signals = oracle_copy_tokens(o->signals);
    return t;
}
void oracle_submit(struct scope *t, const struct dfi_access *x, unsigned n)
{
    unsigned i, weak = 0;
    oracle_accesses(t, x, n);
    for (i = 0; i < n; i++) weak |= x[i].mode & DFI_CHILDREN;
    for (i = 0; i < n; i++) /* a task with weak accesses commutes with none */
        if (weak && (x[i].mode & DFI_SHARED) == (DFI_COMMUTE & DFI_SHARED)) t->x[i].mode = DFI_INOUT;
    if (oracle_current()->graph) oracle_record(here->graph, t);
    oracle_append(t, here);
    oracle_event();
    if (may_start(t)) start(t);
}
struct dfi_task *dfi_task_new(const struct dfi_type *type)
{
    struct scope *t = oracle_task_new(type, with, with_site);
    with = NULL;
    return &t->head;
}
void dfi_submit(struct dfi_task *t, struct dfi_access *x, unsigned n)
{
    oracle_submit((struct scope *)(void *)t, x, n);
}
/* A call is a task with a type of its own. */
struct called { df_body *fn; size_t at; void *p[]; };
static void run_called(void *args, void *result)
{
    struct called *c = args;
    (void)result;
    c->fn((char *)args + c->at, c->p);
}
df_result dfi_call(const df_opts *o, df_body *fn, const void *arg, size_t bytes, const df_region *r, int n,
                   const char *site)
{
    const size_t at = (sizeof(struct called) + (size_t)n * sizeof(void *) + 15) / 16 * 16;
    struct dfi_access *x = oracle_zeroed((size_t)n * sizeof *x);
    struct dfi_type *type = oracle_zeroed(sizeof *type); /* never freed: finished tasks have it */
    struct scope *t;
    struct called *c;
    int i;
    type->run = run_called, type->name = o && o->name ? o->name : "df_call", type->args_bytes = at + bytes;
    t = oracle_task_new(type, o, site);
    c = t->head.args;
    c->fn = fn, c->at = at;
    if (bytes) memcpy((char *)c + c->at, arg, bytes);
    for (i = 0; i < n; i++) {
        c->p[i] = (void *)(uintptr_t)r[i].p;
        x[i].p = r[i].p, x[i].row = r[i].bytes, x[i].rows = r[i].rows, x[i].ld = r[i].distance;
        x[i].mode = r[i].mode ? r[i].mode : DF_IN;
        if (r[i].mode == DF_REDUCE) x[i].key = r[i].op->dfi_key ? r[i].op->dfi_key : (void *)(uintptr_t)r[i].op->combine;
        if (r[i].mode == DFI_LIMIT) x[i].size = r[i].bytes, x[i].row = 0;
        if (r[i].mode == DF_REDUCE && r[i].op->ordered) x[i].mode |= DFI_ORDERED;
    }
    oracle_submit(t, x, (unsigned)n);
    free(x);
    return DF_OK;
}
int dfi_regions(df_region *list, int n, const struct dfi_access *x, unsigned n_x)
{
    int i;
    for (i = 0; i < n && i < (int)n_x; i++) {
        const df_region r = { x[i].p, x[i].mode == DFI_LIMIT ? x[i].size : x[i].row, x[i].rows, x[i].ld,
                              x[i].mode & ~(unsigned)(DFI_RANGE | DFI_ORDERED | DFI_WIDE), NULL };
        list[i] = r;
    }
    return (int)n_x;
}
df_result (df_call)(const df_opts *o, df_body *fn, const void *arg, size_t bytes, const df_region *r, int n)
{
    return dfi_call(o, fn, arg, bytes, r, n, "");
}
void dfi_release(const void *p, size_t bytes) { (void)p, (void)bytes; }
/* Without memory for a task: */
void dfi_run_now(const struct dfi_type *type, void *args) { (void)type, (void)args, abort(); }
void dfi_run_after(const struct dfi_type *type, void *args, const struct dfi_access *x, unsigned n)
{
    (void)type, (void)args, (void)x, (void)n, abort();
}

/* --- start, stop, counters --------------------------------------------------------------------------- */

df_result df_start(const df_config *c)
{
    if (c) config = *c;
    return DF_OK;
}
void df_stop(void) { oracle_wait_here(); }
int df_workers(void) { return 1; }
int (df_workers_set)(int n) { return (void)n, 1; }
int df_worker(void) { return 0; }
int df_version(void) { return DF_VERSION; }
int df_abi(void) { return DF_ABI; }
df_result df_counters_get(df_counters *c)
{
    memset(c, 0, sizeof *c);
    c->tasks = run, c->skipped = skipped;
    return DF_OK;
}
const char *df_error_text(df_result r)
{
    switch (r) { /* the words of df, as programs print them */
    case DF_OK: return "no error";
    case DF_ERROR_CANCELLED: return "cancelled by df_cancel";
    case DF_ERROR_STAGE: return "a stage of a pipe returned a stage that is out of range";
    default: return (int)r == told.code ? told.text : "";
    }
}

/* The identities of df_min and df_max. */
void dfi_limit(void *x, size_t bytes, int kind, int largest)
{
    if (kind == 2) {
        float f = largest ? __builtin_inff() : -__builtin_inff();
        double d = f;
        long double l = d;
        memcpy(x, bytes == sizeof f ? (void *)&f : bytes == sizeof d ? (void *)&d : (void *)&l, bytes);
    } else if (kind == 3) *(unsigned char *)x = (unsigned char)largest;
    else {
        uint64_t most = UINT64_MAX >> (64 - 8 * bytes + (kind == 1)), value = largest ? most : kind == 1 ? ~most : 0;
        memcpy(x, &value, bytes); /* little-endian */
    }
}
