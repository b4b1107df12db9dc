/* oracle.c - a second implementation of df.h, for one thread and as plain as possible: the tests' reference
 *
 * WHAT  The functions behind the macros of df.h, declared in impl/api/. tests/run links a test program with
 *       this file (and stm.c, for df_stm.h and df_owm.h) in place of the implementation, and compares the
 *       output. Common to both is what a macro expands to, as the object file of the program is the same;
 *       what it means is not: no function of impl/ is used. Not shipped.
 *
 * RULES 1. df_spawn is the call. A loop is one call for the whole range. A pipe runs item after item.
 *          Speculation is `if` or `while`. A reduction accumulates into the region itself. An atomic block
 *          runs alone.
 *       2. df_submit is the call, if the task may start. Else the task stays in the list of its scope.
 *       3. may_start: its tokens are open, it was given its inputs, it can enter its stream windows, and
 *          none of its accesses conflicts with one of an earlier unfinished task of the same scope. All of
 *          this is looked up each time: there is no graph.
 *       4. A wait starts the tasks that may start, in order of submission, until what it waits for has
 *          come. If no task may start, the first one that waits for a token, an input or a window is given
 *          up: it is skipped, with DF_ERROR_STUCK.
 *       5. A task is skipped if its scope or group is cancelled when it would start, or if it comes after a
 *          skipped one.
 *       6. In programs whose tasks may block (impl/api/may_block.h) a task has a stack of its own: when it
 *          waits for something that its own tasks cannot bring, the code that let it run continues.
 *          Elsewhere it runs on the stack of that code.
 *
 * NOT   Settings, workers, priorities, df_release, renaming, observers, checks and devices have no effect.
 *       C++ exceptions and failed allocations are left out. Each thread has tasks of its own: tokens may be
 *       signalled and atomic blocks executed by any thread, but groups, streams, locks and task graphs
 *       belong to one. 64 bits, little-endian, <ucontext.h>. Programs that need more are listed in
 *       tests/oracle/without, with the reason. */
#define _GNU_SOURCE
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include "oracle.h"

char DFI_NEED[1];
char dfi_keys[dfi_key_end];
struct dfi_hot dfi_nobody = { .asked = 1 }; /* spawn and sync always come here */
DFI_TLS struct dfi_hot *dfi_self = &dfi_nobody;

/* --- what there is ---------------------------------------------------------------------------------- */

struct window {                  /* of a task on a stream */
    struct window *next;         /* of its reader, in order */
    struct window *of_task;      /* the next one of its task */
    struct stream *stream;
    struct df_stream *reader;    /* NULL: it writes */
    long at, horizon, burst;     /* elements [at, at + horizon); `burst` are consumed */
    char *memory;                /* what the body sees, */
    void **pointer;              /* and where it finds the address of it */
    size_t count;                /* elements that came from the stream */
    int dropped;                 /* pushed after the end of the stream */
};
struct stream {
    size_t size;                 /* of an element */
    long capacity, pushed;       /* by the tasks submitted so far */
    int closed, code;
    const char *type;
    char *ring, *spoilt;         /* elements, and whether the task that should have pushed them was skipped */
    long *lap;                   /* which element is in that place: k + 1, pushed by a task that is done; 0: none */
    struct df_stream *readers;
};
struct df_stream {               /* a handle */
    struct stream *stream;
    struct df_stream *next;
    long at;                     /* consumed by the tasks submitted so far */
    struct window *first, **end; /* of unfinished tasks, in order */
    int freed;
};
enum state { WAITS, RUNS, BLOCKED, ENDED }; /* ENDED: its body; children are unfinished */

struct scope {                   /* a task, a block, or a thread */
    struct dfi_task head;        /* where arguments go; first */
    struct scope *outer, *before, *next, *first, *last; /* children, unfinished, in order of submission */
    struct scope *looks_at;      /* child, in step */
    enum state state;
    int is_task, skip;
    df_token **after, **signals; /* of a task */
    uint64_t missing;            /* inputs of a node, a bit each */
    struct window *windows;
    int cancelled, code;         /* of its children: df_cancel, df_fail */
    char text[DFI_ERROR_TEXT];
    struct df_group *group;
    struct local { struct local *next; size_t bytes; } *locals;
    struct poison { struct poison *next; struct dfi_access x; } *poison; /* what skipped tasks did not write */
    struct df_taskgraph *graph;      /* a block that is recorded */
    /* of a task */
    const struct dfi_type *type;
    const char *site;
    struct dfi_access x[DFI_PARAMETERS];
    unsigned n;
    void ***arrays;              /* of pointers to windows, as the body gets them */
    ucontext_t at, back;         /* with a stack of its own: where it is, and who let it run */
    char *stack;
    struct scope *resume;        /* what runs there: it, or a block in it */
    unsigned long seen;          /* what had happened when it was blocked */
};
static DFI_TLS struct scope thread, *here, *task_here; /* what runs: innermost, and the task with a stack */
static DFI_TLS struct { int code; char text[DFI_ERROR_TEXT]; } told; /* by df_wait_result */
static DFI_TLS uint64_t run, skipped;
static unsigned long events;     /* what may end a wait has happened; atomic */
static int may_block;
static df_config config;

void oracle_event(void) { __atomic_fetch_add(&events, 1, __ATOMIC_RELEASE); }

static void say(const char *format, ...)
{
    char text[400];
    va_list v;
    va_start(v, format);
    vsnprintf(text, sizeof text, format, v);
    va_end(v);
    if (config.log) config.log(config.log_arg, 1, text);
    else fprintf(stderr, "oracle: %s\n", text);
}
static void *zeroed(size_t n)
{
    void *p = calloc(1, n ? n : 1);
    if (!p) abort();
    return p;
}
static struct scope *current(void) { return here ? here : (here = &thread); }
void dfi_may_block_linked(void) { may_block = 1; }
void dfi_here(const char *site) { (void)site; }

/* --- errors ----------------------------------------------------------------------------------------- */

static void give_error(struct scope *s, int code, const char *text)
{
    if (s->code) return; /* the first one stays */
    s->code = code;
    snprintf(s->text, sizeof s->text, "%s", text);
}
static int is_cancelled(const struct scope *s)
{
    for (; s; s = s->outer)
        if (s->cancelled || (s->group && s->group->dfi_cancelled)) return 1;
    return 0;
}
static struct scope *scope_of_running_task(void) { return current()->is_task ? here->outer : here; }
void df_fail(int code, const char *text)
{
    struct scope *s = scope_of_running_task();
    give_error(s, code ? code : -1, text);
    s->cancelled = 1;
}
void df_cancel(void) { scope_of_running_task()->cancelled = 1; }
int df_cancelled(void) { return is_cancelled(current()); }
void df_group_cancel(df_group *g) { g->dfi_cancelled = 1; }

/* All children of s are done, and so is s: nobody asks for its error any more. */
static void pass_error(struct scope *s)
{
    struct scope *to = s->is_task || !s->outer->is_task ? s->outer : s->outer->outer; /* the enclosing task's scope */
    if (!s->code) return;
    give_error(to, s->code, s->text);
    if (s->is_task || s->outer != &thread) to->cancelled = 1;
}

/* --- which tasks may start -------------------------------------------------------------------------- */

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
    for (i = 0; s && i < s->n; i++) /* the task around it has not waited for what it declared for its children only */
        if ((s->x[i].mode & DFI_WEAK) && overlap(&s->x[i], x)) return in_the_way(s, x);
    return 0;
}
static int memory_free(const struct scope *t)
{
    unsigned i;
    for (i = 0; i < t->n; i++)
        if (!(t->x[i].mode & DFI_WEAK) && in_the_way(t, &t->x[i])) return 0;
    return 1;
}
static int is_open(df_token *t) { return __atomic_load_n(&t->dfi_need, __ATOMIC_ACQUIRE) <= 0; }
static df_token *closed_token(const struct scope *t)
{
    df_token **k;
    for (k = t->after; k && *k; k++)
        if (!is_open(*k)) return *k;
    return NULL;
}
static int may_enter(const struct window *w)
{
    const struct stream *s = w->stream;
    const struct df_stream *r;
    long i, end = w->at + w->horizon, past = end - s->capacity;
    if (w->dropped || !w->horizon) return 1;
    if (w->reader) { /* what it reads is pushed, by tasks that are done */
        if (end > s->pushed && !s->closed) return 0;
        for (i = w->at; i < end && i < s->pushed; i++)
            if (s->lap[i % s->capacity] != i + 1) return 0;
        return 1;
    }
    for (r = s->readers; r; r = r->next) /* where it writes every reader has passed, by tasks that are done */
        if ((!r->freed && r->at < past) || (r->first && r->first->at < past)) return 0;
    return 1;
}
static int waits_for_window(const struct scope *t)
{
    const struct window *w;
    for (w = t->windows; w; w = w->of_task)
        if (!may_enter(w)) return 1;
    return 0;
}
static int may_start(const struct scope *t)
{
    if (t->state != WAITS || !memory_free(t)) return 0;
    return t->skip || (!t->missing && !closed_token(t) && !waits_for_window(t));
}

/* --- the life of a task ----------------------------------------------------------------------------- */

static void append(struct scope *s, struct scope *outer)
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
static void free_locals(struct local *l)
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
static void signal_token(df_token *t, const char *site, int skip)
{
    if (is_open(t)) {
        if (!skip) say("%s: a signal too many for the token of %s", site, t->dfi_site);
        return;
    }
    if (skip) t->dfi_state |= 2;
    __atomic_fetch_sub(&t->dfi_need, 1, __ATOMIC_ACQ_REL);
    oracle_event();
}
/* What it pushed is there, and what it popped is gone. */
static void leave_windows(struct scope *t)
{
    struct window *w, **at;
    long i;
    int k;
    while ((w = t->windows) != NULL) {
        for (i = 0; i < w->burst && !w->reader && !w->dropped; i++) {
            struct stream *s = w->stream;
            size_t place = (size_t)((w->at + i) % s->capacity);
            s->spoilt[place] = (char)t->skip, s->lap[place] = w->at + i + 1;
            memcpy(s->ring + place * s->size, w->memory + (size_t)i * s->size, s->size);
        }
        if (w->reader && w->horizon) {
            for (at = &w->reader->first; *at != w;) at = &(*at)->next;
            if (!(*at = w->next)) w->reader->end = at;
        }
        t->windows = w->of_task;
        free(w->memory);
        free(w);
    }
    for (k = 0; t->arrays && t->arrays[k]; k++) free(t->arrays[k]);
    free(t->arrays);
}
/* If its body has ended, and all tasks it has submitted are done, t is. */
static void finish(struct scope *t)
{
    struct poison *p;
    df_token **k;
    unsigned i;
    if (t->state != ENDED || t->first) return;
    for (i = 0; t->skip && i < t->n; i++)
        if (t->x[i].mode & DFI_WRITES) {
            p = zeroed(sizeof *p);
            p->x = t->x[i], p->next = t->outer->poison, t->outer->poison = p;
        }
    take_out(t);
    pass_error(t);
    leave_windows(t);
    for (k = t->signals; k && *k; k++) signal_token(*k, t->site, t->skip);
    forget_poison(t);
    free_locals(t->locals);
    free(t->after), free(t->signals), free(t->head.args), free(t);
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
/* Its windows get their elements. Zero: some were never pushed, as the task that should have done so was skipped. */
static int enter_windows(struct scope *t)
{
    struct window *w;
    long i;
    for (w = t->windows; w; w = w->of_task) {
        struct stream *s = w->stream;
        if (!w->reader) continue;
        for (i = w->at; i < w->at + w->horizon && i < s->pushed; i++, w->count++) {
            size_t place = (size_t)(i % s->capacity);
            if (s->spoilt[place]) return 0;
            memcpy(w->memory + w->count * s->size, s->ring + place * s->size, s->size);
        }
        if (w->horizon && !w->count) *w->pointer = NULL; /* behind the end */
    }
    return 1;
}

static void leave_block(struct scope *b);
static void body(struct scope *t)
{
    here = t;
    t->type->run(t->head.args, NULL);
    while (here != t) leave_block(here); /* left by a jump */
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
/* Lets t go on, on its own stack, until it ends or is blocked. */
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
static void start(struct scope *t)
{
    t->state = RUNS;
    oracle_event();
    if (t->skip || is_cancelled(t) || poisoned(t) || !enter_windows(t)) {
        t->skip = 1, t->state = ENDED, skipped++;
    } else {
        run += !(t->type->modes & DFI_UNCOUNTED);
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

/* --- waits ------------------------------------------------------------------------------------------ */

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
/* Nothing below s can go on: gives the first one up. 1: done; 2: an event from outside may come; 0: there is none. */
static int give_up(struct scope *s)
{
    struct scope *t;
    int result = 0;
    for (t = s->first; t && !result; t = t->next) {
        df_token *k = closed_token(t);
        if (t->is_task && t->state == WAITS && !t->skip && (k || t->missing || waits_for_window(t))) {
            if (k && (k->dfi_state & 1)) return 2;
            say("%s: task %s can never start: skipped", t->site ? t->site : "", t->type->name);
            give_error(t->outer, DF_ERROR_STUCK, "");
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
    say("%s", text);
    give_error(scope_of_running_task(), DF_ERROR_STUCK, text);
}
/* Until over(arg). Zero: that cannot come any more; external: it may always. */
int oracle_wait(int (*over)(void *arg), void *arg, int external)
{
    struct scope *s = current();
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
static void wait_here(void)
{
    struct scope *s = current();
    while (!oracle_wait(has_no_children, s, 0)) give_up(s);
    forget_poison(s);
}
static void record_wait(struct df_taskgraph *g);
void dfi_wait_here(const char *site)
{
    (void)site;
    wait_here();
    here->cancelled = 0;
    if (here->graph) record_wait(here->graph);
}
void (df_wait)(void) { dfi_wait_here(""); }
df_result dfi_wait_result_here(const char *site)
{
    int cancelled;
    wait_here();
    cancelled = here->cancelled;
    dfi_wait_here(site);
    if (!here->code) return cancelled ? DF_ERROR_CANCELLED : DF_OK;
    told.code = here->code;
    memcpy(told.text, here->text, sizeof told.text);
    here->code = 0;
    return (df_result)told.code;
}
df_result (df_wait_result)(void) { return dfi_wait_result_here(""); }

/* A block at the end of the scope, with accesses: it waits for the tasks before it as a task would. */
static int order_allows(void *b) { return memory_free(b); }
static struct scope *enter_block(const struct dfi_access *x, unsigned n)
{
    struct scope *b = zeroed(sizeof *b);
    append(b, current());
    if (n) memcpy(b->x, x, n * sizeof *x);
    b->n = n;
    while (!oracle_wait(order_allows, b, 0)) continue;
    b->state = RUNS;
    return here = b;
}
static void leave_block(struct scope *b)
{
    while (here != b) leave_block(here); /* left by a jump */
    wait_here();
    b->cancelled = 0;
    here = b->outer;
    take_out(b);
    pass_error(b);
    free_locals(b->locals);
    free(b);
}
static void cannot_record(void);
struct dfi_block dfi_scope_enter(const char *site)
{
    struct dfi_block b = { NULL, 1, 0 };
    (void)site;
    cannot_record();
    b.scope = (struct dfi_scope *)(void *)enter_block(NULL, 0);
    return b;
}
void dfi_scope_leave(struct dfi_block *b)
{
    if (b->open) leave_block((struct scope *)(void *)b->scope);
    b->open = 0;
}
void (df_parallel)(void (*fn)(void *arg), void *arg) { DF_PARALLEL fn(arg); }
void dfi_wait_on_here(const char *site, const void *p, size_t bytes)
{
    struct dfi_access x;
    (void)site;
    dfi_access_array(&x, DFI_IN, DFI_NO_ARG, p, bytes);
    leave_block(enter_block(&x, 1)); /* which it enters when they are done */
}
void (df_wait_on)(const void *p, size_t bytes) { dfi_wait_on_here("", p, bytes); }
void *dfi_local_alloc(size_t n, size_t bytes)
{
    struct local *l;
    if (bytes && n > (SIZE_MAX - sizeof *l) / bytes) return NULL;
    if (!(l = calloc(1, sizeof *l + n * bytes))) return NULL;
    l->next = current()->locals, l->bytes = n * bytes;
    here->locals = l;
    return l + 1;
}

/* --- spawn and submit ------------------------------------------------------------------------------- */

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

static df_token **copy_tokens(struct df_token *const *t)
{
    size_t n = 0;
    df_token **copy;
    while (t && t[n]) n++;
    copy = zeroed((n + 1) * sizeof *copy);
    if (n) memcpy(copy, t, n * sizeof *copy);
    return copy;
}
static struct scope *new_task(const struct dfi_type *type, const df_opts *o, const char *site)
{
    struct scope *t = zeroed(sizeof *t);
    t->is_task = 1, t->type = type, t->site = site;
    t->head.args = zeroed(type->args_bytes);
    if (!o) return t;
    t->group = o->group, t->after = copy_tokens(o->after), t->signals = copy_tokens(o->signals);
    return t;
}
static void record(struct df_taskgraph *g, const struct scope *t);
static void submit(struct scope *t, const struct dfi_access *x, unsigned n)
{
    if (n) memcpy(t->x, x, n * sizeof *x);
    t->n = n;
    if (current()->graph) record(here->graph, t);
    append(t, here);
    oracle_event();
    if (may_start(t)) start(t);
}
struct dfi_task *dfi_task_new(const struct dfi_type *type)
{
    struct scope *t = new_task(type, with, with_site);
    with = NULL;
    return &t->head;
}
void dfi_submit(struct dfi_task *t, struct dfi_access *x, unsigned n) { submit((struct scope *)(void *)t, x, n); }
/* Without memory for a task: */
void dfi_run_now(const struct dfi_type *type, void *args) { (void)type, (void)args, abort(); }
void dfi_run_after(const struct dfi_type *type, void *args, const struct dfi_access *x, unsigned n)
{
    (void)type, (void)args, (void)x, (void)n, abort();
}

/* --- tokens, nodes, locks --------------------------------------------------------------------------- */

void dfi_release(const void *p, size_t bytes) { (void)p, (void)bytes; }
void dfi_token_init(df_token *t, long k, const char *site)
{
    memset(t, 0, sizeof *t);
    t->dfi_need = k, t->dfi_site = site;
}
void dfi_signal(df_token *t, const char *site) { signal_token(t, site, 0); }
static int token_is_open(void *t) { return is_open(t); }
df_result dfi_wait_token(df_token *t, const char *site)
{
    (void)site;
    cannot_record();
    if (!oracle_wait(token_is_open, t, t->dfi_state & 1)) return DF_ERROR_STUCK;
    return t->dfi_state & 2 ? DF_ERROR_CANCELLED : DF_OK;
}

static DFI_TLS struct scope stand_in; /* of a recorded task that gets another argument (df_taskgraph_set) */
struct dfi_task *dfi_node_new(const struct dfi_type *type, int inputs, const char *titles, const char *site)
{
    struct scope *t = new_task(type, NULL, site);
    (void)titles;
    cannot_record();
    t->missing = ((uint64_t)1 << inputs) - 1;
    append(t, current());
    oracle_event();
    return inputs ? &t->head : NULL;
}
void *dfi_node_input(struct dfi_task *node, int input, const char *site)
{
    struct scope *t = (struct scope *)(void *)node;
    if (!t || t == &stand_in) return t ? t->head.args : NULL;
    if (t->missing >> input & 1) {
        t->missing &= ~((uint64_t)1 << input);
        t->missing |= (uint64_t)1 << 40; /* not before dfi_node_given */
        return t->head.args;
    }
    say("%s: an input of node %s a second time", site, t->type->name);
    return NULL;
}
void dfi_node_given(struct dfi_task *node)
{
    ((struct scope *)(void *)node)->missing &= ~((uint64_t)1 << 40);
    oracle_event();
}

static int is_unlocked(void *m) { return !((df_mutex *)m)->dfi_state; }
df_result dfi_mutex_lock_here(const char *site, df_mutex *m)
{
    void *me = task_here ? task_here : (void *)&thread;
    (void)site;
    if (m->dfi_state && m->dfi_owner == me) return DF_ERROR_DEADLOCK;
    if (!oracle_wait(is_unlocked, m, 0)) return DF_ERROR_DEADLOCK;
    m->dfi_state = 1, m->dfi_owner = me;
    return DF_OK;
}
df_result dfi_mutex_trylock_here(const char *site, df_mutex *m)
{
    return m->dfi_state ? DF_ERROR_DEADLOCK : dfi_mutex_lock_here(site, m);
}
void (df_mutex_unlock)(df_mutex *m)
{
    if (!m->dfi_state) say("df_mutex_unlock of a lock that is not held");
    m->dfi_state = 0;
    oracle_event();
}
void dfi_yield_here(const char *site, void (*fn)(void *arg), void *arg) { (void)site, fn(arg); }

/* --- loops, pipes, speculation ---------------------------------------------------------------------- */

static int is_empty(const df_loop *o, const long *bounds, int dims)
{
    int d;
    for (d = 0; d < dims; d++) {
        long lo = bounds[2 * d], hi = bounds[2 * d + 1];
        long step = !o ? 0 : d == 0 ? o->step : d == 1 ? o->step1 : o->step2;
        if (step < 0) hi = lo, lo = bounds[2 * d + 1];
        if (o && o->unsigned_range ? (unsigned long)lo >= (unsigned long)hi : lo >= hi) return 1;
    }
    return 0;
}
void dfi_for(const struct dfi_loop_type *type, const df_loop *o, const char *site, const long *bounds, void *args,
             struct dfi_access *x, unsigned n)
{
    (void)site;
    cannot_record();
    enter_block(x, n);
    if (!is_empty(o, bounds, type->dims) && !df_cancelled()) type->run(bounds, args);
    leave_block(here);
}
void dfi_wavefront(const struct dfi_loop_type *type, const df_loop *o, const long (*v)[3], const char *site,
                   const long *bounds, void *args, struct dfi_access *x, unsigned n)
{
    (void)v; /* serial order agrees with all vectors that are allowed */
    dfi_for(type, o, site, bounds, args, x, n);
}
long dfi_pipe(const struct dfi_pipe_type *type, const df_pipe_opts *o, const char *site, void *ctx)
{
    void *item = aligned_alloc(64, (type->item_bytes + 63) / 64 * 64);
    struct scope *b;
    long i;
    int stage, next, more = 1;
    (void)o;
    cannot_record();
    b = enter_block(NULL, 0);
    memset(item, 0, type->item_bytes);
    for (i = 0; more && !df_cancelled(); i++)
        for (stage = 0;;) {
            next = type->run(stage, item, i, ctx);
            if (next == DF_PIPE_DONE) break;
            if (next == DF_PIPE_END && stage == 0) i--; /* there is no such item */
            if (next >= 0) {
                int least = stage == 0 || next & DFI_STAGE_IN_ORDER ? stage + 1 : stage;
                if ((next & ~DFI_STAGE_IN_ORDER) < least) next = DFI_STAGE_WRONG;
            }
            if (next < 0 && next != DF_PIPE_END) {
                say("%s: a stage out of range", site);
                df_fail(DF_ERROR_STAGE, df_error_text(DF_ERROR_STAGE));
            }
            if (next < 0 || df_cancelled()) {
                more = 0;
                break;
            }
            stage = next & ~DFI_STAGE_IN_ORDER;
        }
    leave_block(b);
    free(item);
    return i;
}
int dfi_speculate_next(struct dfi_speculation *b)
{
    cannot_record();
    if (!b->open || (b->begun && !b->loop)) return 0;
    b->begun = 1;
    dfi_wait_on_here(b->site, b->p, b->bytes);
    return !df_cancelled() && dfi_condition(b->p, b->bytes) == b->guess;
}
void dfi_speculate_end(struct dfi_speculation *b) { b->open = 0; }

/* --- streams ---------------------------------------------------------------------------------------- */

df_stream *dfi_stream_new(size_t bytes, size_t capacity, int code, const char *type, const char *site)
{
    struct df_stream *h = zeroed(sizeof *h);
    (void)site;
    if (!bytes || !capacity || capacity > SIZE_MAX / 4 / bytes) return NULL;
    h->stream = zeroed(sizeof *h->stream);
    h->stream->size = bytes, h->stream->capacity = (long)capacity, h->stream->code = code, h->stream->type = type;
    h->stream->ring = zeroed(bytes * capacity), h->stream->spoilt = zeroed(capacity);
    h->stream->lap = zeroed(capacity * sizeof(long));
    h->stream->readers = h, h->end = &h->first;
    return h;
}
df_stream *df_stream_reader(const volatile void *p)
{
    struct df_stream *s = (struct df_stream *)(uintptr_t)p, *h;
    if (!s) return NULL;
    h = zeroed(sizeof *h);
    h->stream = s->stream, h->at = s->stream->pushed, h->end = &h->first;
    h->next = s->stream->readers, s->stream->readers = h;
    return h;
}
void dfi_stream_close(const volatile void *p, const char *site)
{
    (void)site;
    if (p) ((struct df_stream *)(uintptr_t)p)->stream->closed = 1;
    oracle_event();
}
void df_stream_free(const volatile void *p) /* its memory stays: tasks may use it */
{
    if (p) ((struct df_stream *)(uintptr_t)p)->freed = 1;
    oracle_event();
}
size_t df_stream_count(const void *p)
{
    const struct scope *s;
    const struct window *w;
    for (s = current(); s; s = s->outer)
        for (w = s->windows; w; w = w->of_task)
            if (p && w->memory == p) return w->count;
    return 0;
}
/* One window; NULL: it was asked for what the stream cannot give. */
static struct window *new_window(struct scope *t, const struct dfi_ask *y, struct df_stream *h, void **pointer)
{
    const struct dfi_element *e = y->element;
    struct stream *s = h ? h->stream : NULL;
    struct window *w;
    if (!s || y->burst < 0 || y->horizon < y->burst || y->horizon > s->capacity || e->size != s->size ||
        (s->code && e->code && s->code != e->code)) {
        say("%s: %s of task %s: the stream cannot give that", t->site ? t->site : "", e->title, t->type->name);
        return NULL;
    }
    if (!s->code) s->code = e->code;
    w = zeroed(sizeof *w);
    w->stream = s, w->horizon = (long)y->horizon, w->burst = (long)y->burst;
    w->memory = zeroed(s->size * (size_t)w->horizon);
    w->pointer = pointer;
    *pointer = w->memory;
    w->count = e->writes ? (size_t)w->horizon : 0;
    if (!e->writes) w->reader = h, w->at = h->at, h->at += w->burst;
    else if (s->closed) w->dropped = 1;
    else w->at = s->pushed, s->pushed += w->burst;
    if (w->reader && w->horizon) *h->end = w, h->end = &w->next;
    w->of_task = t->windows, t->windows = w;
    return w;
}
void dfi_stream_submit(const struct dfi_type *type, void *args, struct dfi_access *x, unsigned n, struct dfi_ask *y,
                       unsigned m)
{
    struct scope *t = new_task(type, with, with_site);
    unsigned i, arrays = 0;
    long long k;
    with = NULL;
    cannot_record();
    memcpy(t->head.args, args, type->args_bytes);
    t->arrays = zeroed((m + 1) * sizeof *t->arrays);
    for (i = 0; i < m; i++) {
        void **field = (void **)(void *)((char *)t->head.args + y[i].element->arg), **to = field;
        int wrong = y[i].n < 0 || (y[i].n && !y[i].streams && y[i].n != 1);
        if (y[i].streams && !wrong) {
            to = t->arrays[arrays++] = zeroed((size_t)y[i].n * sizeof *to);
            *field = to;
        }
        for (k = 0; k < y[i].n; k++) {
            const void *s = y[i].streams ? ((struct df_stream *const *)y[i].streams)[k] : y[i].stream;
            wrong |= !new_window(t, &y[i], (struct df_stream *)(uintptr_t)s, &to[k]);
        }
        if (!wrong) continue;
        t->skip = 1;
        give_error(current(), DF_ERROR_STREAM, "");
    }
    submit(t, x, n);
}

/* --- recorded graphs -------------------------------------------------------------------------------- */

struct recorded { struct scope *task; struct recorded *next; };   /* a task that never runs, to copy; NULL: df_wait */
struct df_taskgraph {
    struct recorded *first, **end;
    struct local *locals;
    enum { NEW, RECORDED, IN_USE, WRONG } state;
};
struct df_taskgraph *dfi_taskgraph_new(const char *site)
{
    struct df_taskgraph *g = zeroed(sizeof *g);
    (void)site;
    g->end = &g->first;
    return g;
}
void dfi_taskgraph_free(struct df_taskgraph *g, const char *site)
{
    struct recorded *r, *next;
    (void)site;
    if (!g || g->state == IN_USE) return;
    for (r = g->first; r; r = next) {
        next = r->next;
        if (r->task) free(r->task->after), free(r->task->signals), free(r->task->head.args), free(r->task);
        free(r);
    }
    free_locals(g->locals);
    free(g);
}
static void cannot_record(void)
{
    if (current()->graph) here->graph->state = WRONG;
}
static struct scope *copy_of(const struct scope *t)
{
    struct scope *c = zeroed(sizeof *c);
    *c = *t;
    c->head.args = zeroed(t->type->args_bytes);
    memcpy(c->head.args, t->head.args, t->type->args_bytes);
    c->after = copy_tokens(t->after), c->signals = copy_tokens(t->signals);
    return c;
}
static void record(struct df_taskgraph *g, const struct scope *t)
{
    struct recorded *r = zeroed(sizeof *r);
    r->task = t ? copy_of(t) : NULL;
    *g->end = r, g->end = &r->next;
}
static void record_wait(struct df_taskgraph *g) { record(g, NULL); }
struct dfi_taskgraph_block dfi_taskgraph_enter(struct df_taskgraph *g, const char *site)
{
    struct dfi_taskgraph_block r = { dfi_scope_enter(site), g };
    if (g && g->state == NEW) here->graph = g, g->state = IN_USE;
    else r.graph = NULL;
    return r;
}
void dfi_taskgraph_leave(struct dfi_taskgraph_block *r)
{
    struct scope *b = (struct scope *)(void *)r->around.scope;
    if (r->around.open && r->graph) {
        while (here != b) leave_block(here);
        wait_here();
        r->graph->locals = b->locals, b->locals = NULL, b->graph = NULL;
        if (r->graph->state == IN_USE) r->graph->state = RECORDED;
    }
    dfi_scope_leave(&r->around);
}
df_result dfi_taskgraph_run(struct df_taskgraph *g, const char *site)
{
    const struct recorded *r;
    struct local *l;
    df_result result;
    (void)site;
    cannot_record();
    if (!g || g->state != RECORDED) return DF_ERROR_CAPTURE;
    g->state = IN_USE;
    for (l = g->locals; l; l = l->next) memset(l + 1, 0, l->bytes);
    enter_block(NULL, 0);
    for (r = g->first; r; r = r->next)
        if (!r->task) dfi_wait_here("");
        else {
            struct scope *t = copy_of(r->task);
            submit(t, r->task->x, r->task->n);
        }
    result = dfi_wait_result_here("");
    leave_block(here);
    g->state = RECORDED;
    return result;
}
static struct scope *nth(struct df_taskgraph *g, const struct dfi_type *type, long k, long *count)
{
    const struct recorded *r;
    *count = 0;
    for (r = g && g->state == RECORDED ? g->first : NULL; r; r = r->next)
        if (r->task && r->task->type == type && (*count)++ == k) return r->task;
    return NULL;
}
long dfi_taskgraph_count(struct df_taskgraph *g, const struct dfi_type *type, const char *site)
{
    long n;
    (void)site;
    nth(g, type, -1, &n);
    return n;
}
static DFI_TLS struct scope *opened;
struct dfi_task *dfi_taskgraph_open(struct df_taskgraph *g, const struct dfi_type *type, long k, const char *site)
{
    long n;
    (void)site;
    if (!(opened = nth(g, type, k, &n))) return NULL;
    stand_in.head.args = opened->head.args;
    return &stand_in.head;
}
void dfi_taskgraph_close(unsigned (*accesses)(const void *args, struct dfi_access *x))
{
    if (opened) opened->n = accesses(opened->head.args, opened->x);
}

/* --- life ------------------------------------------------------------------------------------------- */

df_result df_start(const df_config *c)
{
    if (c) config = *c;
    return DF_OK;
}
void df_stop(void) { wait_here(); }
int df_workers(void) { return 1; }
int df_worker(void) { return 0; }
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
