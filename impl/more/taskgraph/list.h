/* list.h - the contents of a task graph: the submissions of a block, with arguments, accesses and options
 *
 * A thread that records, runs or changes a graph first moves its state away from DFI_TASKGRAPH_READY by
 * compare-and-swap, so one thread at a time accesses the rest. Argument: docs/internals/taskgraph.md. */
#ifndef DFI_MORE_TASKGRAPH_LIST_H
#define DFI_MORE_TASKGRAPH_LIST_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../api/access.h"
#include "../../api/task.h"
#include "../../api/value.h"
#include "../../api/submit_options.h"
#include "../../api/taskgraph.h"
#include "../../api/token.h"
#include "../../api/core.h"
#include "../types.h"

DFI_SMALL_CODE_BEGIN

#define DFI_MESSAGE_TASKGRAPH_NULL "%s: %s: the graph is NULL: %s; check the result of df_taskgraph_new"
#define DFI_MESSAGE_TASKGRAPH_MEMORY \
    "%s: DF_TASKGRAPH: out of memory: its tasks run, but are not recorded, and df_taskgraph_run returns " \
    "DF_ERROR_MEMORY"

struct dfi_plan;

/* Options of a submission; the arrays of tokens, NULL at the end, follow. */
struct dfi_captured_opts { df_opts opts; const char *site; };

/* DFI_C_TASK: a task; WAIT: df_wait; WAIT_ON: df_wait_on; ONCE: a task that cannot run again */
enum { DFI_C_TASK, DFI_C_WAIT, DFI_C_WAIT_ON, DFI_C_ONCE };
struct dfi_captured {
    const struct dfi_type *type;     /* DFI_C_WAIT: NULL */
    struct dfi_captured_opts *opts;  /* or NULL */
    size_t args, x;                  /* indices of its first argument byte and first access in the arrays */
    unsigned n;                      /* accesses */
    int kind;
};

/* The submissions of a scope, in order. */
struct dfi_sequence {
    struct dfi_captured *task;
    struct dfi_access *x;      /* behind the last one there is room for those of one submission (dfi_sequence_spare) */
    char *args;
    size_t n, max, n_x, max_x, n_args, max_args, widest; /* widest: the largest n of a submission */
};

enum { DFI_TASKGRAPH_NEW, DFI_TASKGRAPH_RECORDING, DFI_TASKGRAPH_READY, DFI_TASKGRAPH_RUNNING };

/* The times of its runs (here.h). */
struct dfi_way {
    unsigned ns[2];                  /* of a run by the plan; by its caller alone; 0: unknown */
    unsigned runs, left, pause;      /* by the caller; until the other way is tried; between two trials */
    int here, trial, creates;        /* the caller is faster; runs left of a trial; bodies create tasks */
};

struct df_taskgraph {
    DFI_ATOMIC(int) state;           /* DFI_TASKGRAPH_NEW .. */
    const char *site;                /* where it was recorded; before that, where it was created */
    struct dfi_sequence list;
    int failed;                      /* there was no memory for some of it */
    const char *cannot, *cannot_site; /* the construct in its block that cannot be captured, and its line, or NULL */
    struct dfi_local *locals;        /* df_local of the block */
    struct dfi_captured **of_type;   /* the tasks, sorted by the name of their type; NULL: not yet */
    size_t n_of_type;
    struct dfi_plan *plan;           /* NULL: not computed, or out of date */
    int planless;                    /* there can be no plan: a run submits the tasks */
    struct dfi_way way;
};

/* The graph that records the children of s, or NULL. */
static struct df_taskgraph *dfi_taskgraph_in(const struct dfi_scope *s) { return dfi_recorded_in(s)->by; }

/* The bytes of the arguments of a task, aligned as malloc aligns, for any scalar. */
static size_t dfi_args_room(const struct dfi_type *type) { return (type->args_bytes + 15) / 16 * 16; }

/* Appends a submission to q; args may be NULL. NULL without memory. */
static struct dfi_captured *dfi_sequence_add(struct dfi_sequence *q, int kind, const struct dfi_type *type,
                                             const void *args, const struct dfi_access *x, unsigned n)
{
    size_t bytes = args ? dfi_args_room(type) : 0;
    struct dfi_captured *c;
    if (q->widest < n) q->widest = n;
    if (dfi_array_room((void *)&q->task, NULL, q->n + 1, &q->max, sizeof *q->task) ||
        dfi_array_room((void *)&q->x, NULL, q->n_x + n + q->widest, &q->max_x, sizeof *q->x) ||
        dfi_array_room((void *)&q->args, NULL, q->n_args + bytes, &q->max_args, 1))
        return NULL;
    c = &q->task[q->n++];
    c->type = type, c->opts = NULL, c->kind = kind;
    c->args = q->n_args, c->x = q->n_x, c->n = n;
    if (bytes) memcpy(q->args + q->n_args, args, type->args_bytes);
    if (n) memcpy((void *)(q->x + q->n_x), (const void *)x, n * sizeof *x);
    q->n_args += bytes, q->n_x += n;
    return c;
}

/* A copy of the accesses of c, which the runtime may change; until the next call. pre: the caller has the graph. */
static struct dfi_access *dfi_sequence_spare(const struct dfi_sequence *q, const struct dfi_captured *c)
{
    struct dfi_access *x = q->x + q->n_x;
    if (c->n) memcpy((void *)x, (const void *)(q->x + c->x), c->n * sizeof *x);
    return x;
}

static void dfi_sequence_free(struct dfi_sequence *q)
{
    size_t i;
    for (i = 0; i < q->n; i++) {
        if (q->task[i].kind == DFI_C_TASK && q->args)
            dfi_args_order(q->task[i].type, q->args + q->task[i].args, DFI_ORDER_FREE);
        dfi_mfree((void *)q->task[i].opts);
    }
    dfi_mfree((void *)q->task);
    dfi_mfree((void *)q->x);
    dfi_mfree(q->args);
    memset((void *)q, 0, sizeof *q);
}

static size_t dfi_taskgraph_tokens(df_token *const *t)
{
    size_t n = 0;
    while (t && t[n]) n++;
    return n;
}

/* Copies t, and the NULL at its end, to *at, which moves behind it. Returns the copy. */
static df_token *const *dfi_taskgraph_tokens_to(df_token ***at, df_token *const *t)
{
    df_token **copy = *at;
    while (t && *t) *(*at)++ = *t++;
    *(*at)++ = NULL;
    return copy;
}

/* Copies o and the arrays that it points to. NULL without memory. */
static struct dfi_captured_opts *dfi_captured_opts_new(const df_opts *o, const char *site)
{
    size_t tokens = dfi_taskgraph_tokens(o->after) + dfi_taskgraph_tokens(o->signals) + 2;
    struct dfi_captured_opts *c = (struct dfi_captured_opts *)dfi_malloc(sizeof *c + tokens * sizeof(df_token *));
    df_token **at;
    if (!c) return NULL;
    at = (df_token **)(void *)(c + 1);
    c->opts = *o, c->site = site;
    c->opts.handle = NULL; /* a run of the graph has no handles */
    c->opts.after = dfi_taskgraph_tokens_to(&at, o->after);
    c->opts.signals = dfi_taskgraph_tokens_to(&at, o->signals);
    return c;
}

static DFI_COLD void dfi_taskgraph_fails(struct df_taskgraph *g)
{
    if (!g->failed) dfi_warn(DFI_MESSAGE_TASKGRAPH_MEMORY, g->site);
    g->failed = 1;
}

static DFI_COLD void dfi_taskgraph_refuses(struct df_taskgraph *g, const char *what, const char *site)
{
    if (!g->cannot) g->cannot = what, g->cannot_site = site;
}

/* Records the submission of a task in the block, with options o or NULL. */
static void dfi_taskgraph_task(struct df_taskgraph *g, const struct dfi_type *type, const void *args,
                               const struct dfi_access *x, unsigned n, const df_opts *o, const char *site)
{
    struct dfi_captured *c = dfi_sequence_add(&g->list, DFI_C_TASK, type, args, x, n);
    if (!c || (o && !(c->opts = dfi_captured_opts_new(o, site)))) dfi_taskgraph_fails(g);
    if (type->modes & DFI_HELD_ONCE) {
        if (c) c->kind = DFI_C_ONCE; /* the first run consumes it */
        dfi_taskgraph_refuses(g, "a task with a parameter that can be moved only", site ? site : type->name);
    } else if (c) dfi_args_order(type, g->list.args + c->args, DFI_ORDER_KEEP);
}

/* Records a df_wait in the block. */
static void dfi_taskgraph_wait(struct df_taskgraph *g)
{
    if (!g->list.n || g->list.task[g->list.n - 1].kind == DFI_C_WAIT) return;
    if (!dfi_sequence_add(&g->list, DFI_C_WAIT, NULL, NULL, NULL, 0)) dfi_taskgraph_fails(g);
}

/* --- the tasks of one name ------------------------------------------------------------------------------- */

/* Compares types by name, because each file declares a type anew. */
static int dfi_type_order(const struct dfi_type *a, const struct dfi_type *b)
{
    int order = a == b ? 0 : strcmp(a->name, b->name);
    return order ? order : (a->args_bytes > b->args_bytes) - (a->args_bytes < b->args_bytes);
}

static int dfi_captured_order(const void *a, const void *b)
{
    const struct dfi_captured *x = *(const struct dfi_captured *const *)a,
                              *y = *(const struct dfi_captured *const *)b;
    int order = dfi_type_order(x->type, y->type);
    return order ? order : (x > y) - (x < y);
}

/* Fills g->of_type. 0, or -1 without memory. */
static int dfi_taskgraph_index(struct df_taskgraph *g)
{
    size_t i;
    if (g->of_type) return 0;
    if (!(g->of_type = (struct dfi_captured **)dfi_malloc((g->list.n + 1) * sizeof *g->of_type))) return -1;
    for (i = 0; i < g->list.n; i++)
        if (g->list.task[i].kind == DFI_C_TASK) g->of_type[g->n_of_type++] = &g->list.task[i];
    qsort((void *)g->of_type, g->n_of_type, sizeof *g->of_type, dfi_captured_order);
    return 0;
}

/* The first task of that type in g->of_type; *n: their number. pre: g->of_type */
static struct dfi_captured **dfi_taskgraph_find(const struct df_taskgraph *g, const struct dfi_type *type, size_t *n)
{
    size_t end[2];
    int upper;
    for (upper = 0; upper < 2; upper++) {
        size_t lo = 0, hi = g->n_of_type;
        while (lo < hi) {
            size_t at = lo + (hi - lo) / 2;
            if (dfi_type_order(g->of_type[at]->type, type) < upper) lo = at + 1;
            else hi = at;
        }
        end[upper] = lo;
    }
    *n = end[1] - end[0];
    return g->of_type + end[0];
}

/* --- states ---------------------------------------------------------------------------------------------- */

/* Moves g from state `from` to state `to`. Zero: it was in another state. Acquire and release:
 * passes on what the previous holder did to g. */
static int dfi_taskgraph_move(struct df_taskgraph *g, int from, int to)
{
    return dfi_cas_acq_rel(&g->state, &from, to);
}

static int dfi_taskgraph_state(const struct df_taskgraph *g)
{
    return dfi_load_acquire(&g->state);
}

/* Reports why g cannot be run, changed or freed. */
static DFI_COLD void dfi_taskgraph_say(const struct df_taskgraph *g, const char *call, const char *site)
{
    static const char *const why[] = { "was never recorded: use DF_TASKGRAPH first",
                                       "is being recorded: call it after the block",
                                       "is in use by another thread: call it later",
                                       "is running: call it after its df_taskgraph_run has returned" };
    dfi_error("%s: %s has no effect, because the graph of %s %s", site, call, g->site, why[dfi_taskgraph_state(g)]);
}

/* Reserves g for the caller until dfi_taskgraph_give_back. Zero: g is not ready; reported if site is
 * not NULL. */
static int dfi_taskgraph_take(struct df_taskgraph *g, const char *call, const char *site)
{
    if (g && dfi_taskgraph_move(g, DFI_TASKGRAPH_READY, DFI_TASKGRAPH_RUNNING)) return 1;
    if (g) dfi_taskgraph_say(g, call, site);
    else dfi_error(DFI_MESSAGE_TASKGRAPH_NULL, site, call, "it has no effect");
    return 0;
}

static void dfi_taskgraph_give_back(struct df_taskgraph *g)
{
    (void)dfi_taskgraph_move(g, DFI_TASKGRAPH_RUNNING, DFI_TASKGRAPH_READY);
}

/* --- queries by other parts ------------------------------------------------------------------- */

/* The placeholder for a captured task while df_taskgraph_set is executed. */
static DFI_TLS struct {
    struct dfi_task task;
    struct df_taskgraph *graph;
    struct dfi_captured *of;
} dfi_taskgraph_open_task;

static int dfi_taskgraph_is_open(const struct dfi_task *t) { return t == &dfi_taskgraph_open_task.task; }

DFI_SMALL_CODE_END

#endif
