/* taskgraph.c - recorded task graphs of the oracle: a run submits copies of the tasks */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>
#include "oracle.h"

struct recorded { struct scope *task; struct recorded *next; };   /* a task that never runs, to copy; NULL: df_wait */
struct df_taskgraph {
    struct recorded *first, **end;
    struct local *locals;
    enum { NEW, RECORDED, IN_USE, WRONG } state;
};
struct df_taskgraph *dfi_taskgraph_new(const char *site)
{
    struct df_taskgraph *g = oracle_zeroed(sizeof *g);
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
        if (r->task) free(r->task->after), free(r->task->signals), free(r->task->head.args), free(r->task->x),
            free(r->task);
        free(r);
    }
    oracle_free_locals(g->locals);
    free(g);
}
void oracle_cannot_record(void)
{
    struct df_taskgraph *g = oracle_current()->graph;
    if (g) g->state = WRONG;
}
static struct scope *copy_of(const struct scope *t)
{
    struct scope *c = oracle_zeroed(sizeof *c);
    *c = *t, c->x = NULL;
    oracle_accesses(c, t->x, t->n);
    c->head.args = oracle_zeroed(t->type->args_bytes);
    memcpy(c->head.args, t->head.args, t->type->args_bytes);
    c->after = oracle_copy_tokens(t->after), c->signals = oracle_copy_tokens(t->signals);
    return c;
}
void oracle_record(struct df_taskgraph *g, const struct scope *t)
{
    struct recorded *r = oracle_zeroed(sizeof *r);
    r->task = t ? copy_of(t) : NULL;
    *g->end = r, g->end = &r->next;
}
struct dfi_taskgraph_block dfi_taskgraph_enter(struct df_taskgraph *g, const char *site)
{
    struct dfi_taskgraph_block r = { dfi_scope_enter(site), g };
    if (g && g->state == NEW) oracle_current()->graph = g, g->state = IN_USE;
    else r.graph = NULL;
    return r;
}
void dfi_taskgraph_leave(struct dfi_taskgraph_block *r)
{
    struct scope *b = (struct scope *)(void *)r->around.scope;
    if (r->around.open && r->graph) {
        while (oracle_current() != b) oracle_leave_block(oracle_current());
        oracle_wait_here();
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
    oracle_cannot_record();
    if (!g || g->state != RECORDED) return DF_ERROR_CAPTURE;
    g->state = IN_USE;
    for (l = g->locals; l; l = l->next) memset(l + 1, 0, l->bytes);
    oracle_enter_block(NULL, 0);
    for (r = g->first; r; r = r->next)
        if (!r->task) dfi_wait_here("");
        else {
            struct scope *t = copy_of(r->task);
            t->rounding = fegetround();
            oracle_submit(t, r->task->x, r->task->n);
        }
    result = dfi_wait_result_here("");
    oracle_leave_block(oracle_current());
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
static DFI_TLS struct scope stand_in, *opened; /* of df_taskgraph_set: the argument to write, and the recorded task */
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
