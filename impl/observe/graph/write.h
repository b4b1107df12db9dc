/* write.h - the graph as text, and in the dot language of Graphviz
 *
 * Scopes stand in program order, and in each its tasks. A task deeper than df_config.graph_depth is part of the one it
 * is in. Nothing depends on addresses; times are included if they were measured. */
#ifndef DFI_OBSERVE_GRAPH_WRITE_H
#define DFI_OBSERVE_GRAPH_WRITE_H

#include "../../base/compiler.h"
#include "../../base/file.h"
#include "../../base/memory.h"
#include "../../api/task.h"
#include "graph.h"
#include "order.h"

#include <stdarg.h>

DFI_SMALL_CODE_BEGIN

/* --- output -------------------------------------------------------------------------------------------------- */

static void dfi_g_flush(struct dfi_g_draw *d)
{
    dfi_report_put(&d->g->out, d->room, d->n);
    d->total += d->n;
    d->n = 0;
}

static void dfi_g_char(struct dfi_g_draw *d, char c)
{
    if (d->n == sizeof d->room) dfi_g_flush(d);
    d->room[d->n++] = c;
}

static void dfi_g_number(struct dfi_g_draw *d, size_t n)
{
    if (n > 9) dfi_g_number(d, n / 10);
    dfi_g_char(d, (char)('0' + n % 10));
}

/* The first n bytes of a program text, as one line of UTF-8: control characters and line ends become spaces, and bytes
 * that are not UTF-8 become question marks. */
static void dfi_g_name(struct dfi_g_draw *d, const char *text, size_t n)
{
    const char *end = text + n;
    while (text < end) {
        unsigned bytes = dfi_utf8(text);
        if (d->dot && (*text == '"' || *text == '\\')) dfi_g_char(d, '\\');
        if (!bytes || dfi_utf8_control(text, bytes)) dfi_g_char(d, bytes ? ' ' : '?'), text += bytes ? bytes : 1;
        else
            while (bytes--) dfi_g_char(d, *text++);
    }
}

/* 1.3.2, from the thread on; the first thread is not named. */
static void dfi_g_path(struct dfi_g_draw *d, const struct dfi_g_item *i)
{
    const struct dfi_g_item *up = i->parent;
    if (up) dfi_g_path(d, up);
    if (up ? up->parent || up->number > 1 : i->number > 1) dfi_g_char(d, up ? '.' : 't');
    if (up || i->number > 1) dfi_g_number(d, i->number);
}

/* %s literal text, %n program text, %l source line if known, %u size_t; of an item: %p its path, %t path and name,
 * %i its dot node, %w the node of the wait before it. */
static void dfi_g_say(struct dfi_g_draw *d, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    for (; *format; format++) {
        const struct dfi_g_item *i = NULL;
        const char *text = NULL;
        int how = *format == '%' ? *++format : 0;
        if (!how) dfi_g_char(d, *format);
        else if (how == 'u') dfi_g_number(d, va_arg(ap, size_t));
        else if (how == 's' || how == 'n' || how == 'l') text = va_arg(ap, const char *);
        else i = va_arg(ap, const struct dfi_g_item *);
        if (how == 's') while (*text) dfi_g_char(d, *text++);
        else if (how == 'n') dfi_g_name(d, text, strlen(text));
        else if (how == 'l' && *text) dfi_g_say(d, " (%n)", text);
        else if (how == 'p') dfi_g_path(d, i);
        else if (how == 't') dfi_g_say(d, "%p %n", i, i->name);
        else if (how == 'i') dfi_g_say(d, "n%u", i->index);
        else if (how == 'w') dfi_g_say(d, "w%u_%u", i->parent->index, i->phase);
    }
    va_end(ap);
}

/* --- items, accesses, edges ------------------------------------------------------------------------------------ */

static int dfi_g_is_task(const struct dfi_g_item *i) { return i->kind == DFI_G_TASK || i->kind == DFI_G_NODE; }

static size_t dfi_g_count_inside(struct dfi_g_item *top)
{
    struct dfi_g_item *i, *end = dfi_g_next(top, 0);
    size_t n = 0;
    for (i = dfi_g_next(top, 1); i != end; i = dfi_g_next(i, 1)) n += (size_t)dfi_g_is_task(i);
    return n;
}

/* The time of i, if it is known. */
static void dfi_g_put_time(struct dfi_g_draw *d, const char *before, const struct dfi_g_item *i)
{
    char text[16];
    if (i->took) dfi_g_say(d, "%s%s", before, dfi_time_text(text, (double)i->took * d->g->ns_per_tick));
}

static void dfi_g_put_scope(struct dfi_g_draw *d, const struct dfi_g_item *i)
{
    if (i->kind == DFI_G_THREAD) dfi_g_say(d, "thread %u", i->number);
    else dfi_g_say(d, "%p %n%l", i, *i->name ? i->name : "block", i->site);
}

/* The name of access a of i; *n: its length, 0: unknown. */
static const char *dfi_g_parameter(const struct dfi_g_item *i, unsigned a, size_t *n)
{
    const char *p = i->access_names;
    for (; a && *p; a--)
        if (*(p += strcspn(p, " "))) p++;
    *n = strcspn(p, " ");
    return p;
}
static void dfi_g_put_parameter(struct dfi_g_draw *d, const struct dfi_g_item *i, unsigned a)
{
    size_t n;
    const char *p = dfi_g_parameter(i, a, &n);
    if (n) dfi_g_name(d, p, n);
    else dfi_g_say(d, "access %u", (size_t)a + 1);
}

/* A[8..24), or A[8..24) x 4 rows 64 apart; byte offsets in memory A. */
static void dfi_g_put_bytes(struct dfi_g_draw *d, const struct dfi_g_access *x)
{
    char letters[8], *p = letters + sizeof letters;
    size_t at = (size_t)(x->region.p - x->base);
    unsigned n = x->memory;
    *--p = 0;
    for (; n; n = (n - 1) / 26) *--p = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(n - 1) % 26]; /* A .. Z, AA .. ZZ, AAA .. */
    if (!x->region.rows) dfi_g_say(d, "nothing");
    else dfi_g_say(d, "%s[%u..%u)", p, at, at + x->region.row);
    if (x->region.rows > 1) dfi_g_say(d, " x %u rows %u apart", x->region.rows, x->region.ld);
}

static void dfi_g_put_access(struct dfi_g_draw *d, const struct dfi_g_item *i, unsigned a)
{
    unsigned mode = i->access[a].mode, shared = mode & DFI_SHARED;
    dfi_g_say(d, "%s%s ", mode & DFI_CHILDREN ? "weak " : "",
              shared == (DFI_COMMUTE & DFI_SHARED) ? "commute" : shared == (DFI_REDUCE & DFI_SHARED) ? "reduce"
              : shared ? "concurrent" : (mode & DFI_INOUT) == DFI_INOUT ? "inout" : mode & DFI_IN ? "in" : "out");
    dfi_g_put_parameter(d, i, a);
    dfi_g_say(d, " ");
    dfi_g_put_bytes(d, &i->access[a]);
}
static void dfi_g_put_accesses(struct dfi_g_draw *d, const struct dfi_g_item *i, const char *between)
{
    unsigned a;
    for (a = 0; a < i->n; a++) {
        if (a) dfi_g_say(d, "%s", between);
        dfi_g_put_access(d, i, a);
    }
}

/* The label of an edge to i: the parameters of both tasks, or the other cause. */
static void dfi_g_put_label(struct dfi_g_draw *d, const struct dfi_g_edge *e, const struct dfi_g_item *i)
{
    const char *p, *q;
    size_t n, m;
    if (e->channel) {
        dfi_g_say(d, "%s %u", e->channel->capacity ? "stream" : "token", e->channel->number);
        return;
    }
    if (e->cause != DFI_G_GIVEN && !e->join) {
        dfi_g_put_parameter(d, e->from, e->before);
        p = dfi_g_parameter(e->from, e->before, &n), q = dfi_g_parameter(i, e->after, &m);
        if (n == m && !strncmp(p, q, n)) return;
        dfi_g_say(d, " -> ");
    }
    dfi_g_put_parameter(d, i, e->after);
}

static const char *const dfi_g_causes[DFI_G_CAUSES][3] = { /* name, description, style in dot */
    { "flow", "flow (read after write)", "" },
    { "anti", "anti (write after read)", ", style=dashed" },
    { "output", "output (write after write)", ", style=dotted" },
    { "token", "signalled", ", color=blue" },
    { "input", "input given", ", color=blue" },
    { "stream", "elements written", ", color=darkgreen" },
    { "room", "room: elements read", ", color=darkgreen, style=dashed" }
};

/* The whole cause of an edge to i, including the memory. */
static void dfi_g_put_cause(struct dfi_g_draw *d, const struct dfi_g_edge *e, const struct dfi_g_item *i)
{
    const struct dfi_g_access *x, *y;
    dfi_g_put_label(d, e, i);
    dfi_g_say(d, "%l, %s", e->channel ? e->channel->site : "", dfi_g_causes[e->cause][1]);
    if (e->cause > DFI_G_OUTPUT) return;
    x = &e->from->access[e->before], y = &i->access[e->after];
    dfi_g_say(d, (x->mode & DFI_CHILDREN && !e->join) || y->mode & DFI_CHILDREN ? ", weak, " : ", ");
    dfi_g_put_bytes(d, y);
    if (e->join || !dfi_g_region_order(&x->region, &y->region)) return;
    dfi_g_say(d, " and ");
    dfi_g_put_bytes(d, x);
}

/* --- edges of one item or join --------------------------------------------------------------------------------- */

/* Do two edges come from the same item or join? */
static int dfi_g_edges_meet(const struct dfi_g_edge *a, const struct dfi_g_edge *b)
{
    return a->join == b->join && (a->join || a->from == b->from);
}

/* Sorts the edges into program order, and removes duplicates. */
static void dfi_g_edges_sort(struct dfi_g_draw *d)
{
    size_t k, kept = 0;
    if (d->n_edges > 1) qsort((void *)d->edge, d->n_edges, sizeof *d->edge, dfi_g_edge_order);
    for (k = 0; k < d->n_edges; k++)
        if (!kept || dfi_g_edge_order(&d->edge[kept - 1], &d->edge[k])) d->edge[kept++] = d->edge[k];
    d->n_edges = kept;
}

/* Writes what an edge to i stands for; i NULL: to a join. */
static void dfi_g_put_why(struct dfi_g_draw *d, const struct dfi_g_edge *e, const struct dfi_g_item *i, int whole)
{
    if (i && whole) dfi_g_put_cause(d, e, i);
    else if (i) dfi_g_put_label(d, e, i);
    else if (e->join) dfi_g_say(d, "all of it");
    else dfi_g_put_access(d, e->from, e->before);
}

/* Writes all edges to i, or to the newest join. */
static void dfi_g_put_edges(struct dfi_g_draw *d, const struct dfi_g_item *i)
{
    size_t from, to, k;
    int whole;
    for (from = 0; from < d->n_edges; from = to) {
        const struct dfi_g_edge *e = &d->edge[from];
        to = from + 1;
        if (!d->dot) dfi_g_say(d, "    waits for ");
        if (e->join) dfi_g_say(d, d->dot ? "j%u -> " : "join %u: ", e->join->number);
        else dfi_g_say(d, d->dot ? "%i -> " : "%t: ", e->from);
        if (!d->dot) {
            dfi_g_put_why(d, e, i, 1);
            dfi_g_say(d, "\n");
            continue;
        }
        while (to < d->n_edges && dfi_g_edges_meet(&d->edge[to], e)) to++;
        if (i) dfi_g_say(d, "%i [label=\"", i);
        else dfi_g_say(d, "j%u [arrowhead=none, edgetooltip=\"", d->joins);
        for (whole = !i; whole < 2; whole++) {
            for (k = from; k < to; k++) {
                if (k > from) dfi_g_say(d, "\\n");
                dfi_g_put_why(d, &d->edge[k], i, whole);
            }
            dfi_g_say(d, whole ? "\"" : "\", edgetooltip=\"");
        }
        dfi_g_say(d, "%s];\n", i ? dfi_g_causes[e->cause][2] : ""); /* the first cause is the strongest */
    }
}

/* In dot: opens the cluster of a scope again, within those around it. Returns their number. The first thread has none:
 * its tasks and blocks are graphs of their own. */
static size_t dfi_g_clusters(struct dfi_g_draw *d, const struct dfi_g_item *scope)
{
    size_t n = scope->parent ? dfi_g_clusters(d, scope->parent) : 0;
    if (!scope->parent && scope->number == 1) return 0;
    dfi_g_say(d, "subgraph cluster%u { ", scope->index);
    return n + 1;
}
static void dfi_g_clusters_end(struct dfi_g_draw *d, size_t n)
{
    while (n--) dfi_g_say(d, "} ");
    dfi_g_say(d, "\n");
}

/* Writes the joins that edges of c, and `join` in it, come from. A join is a point in the cluster of its scope. */
static void dfi_g_put_joins(struct dfi_g_draw *d, const struct dfi_g_item *scope, struct dfi_g_chain *c,
                            struct dfi_g_chain *join)
{
    while (c != join && c->part) {
        dfi_g_put_joins(d, scope, c->part, c->part->join);
        if (!(c = c->up)->part) join = c->join;
    }
    while (join && !join->number && !d->failed) {
        struct dfi_g_chain *up, *last = NULL;
        size_t k;
        for (c = join; (up = dfi_g_above(c)) != NULL && (last = up->join) != NULL && !last->number;) c = last;
        if (!up) last = NULL;
        dfi_g_put_joins(d, scope, c, last);
        d->n_edges = 0;
        dfi_g_edges_of_chain(d, c, last, NULL, 0);
        dfi_g_edges_sort(d);
        for (k = 0; k < d->n_edges; k++) d->edge[k].from->leads = 1;
        d->joined += d->n_edges;
        c->number = ++d->joins;
        if (d->dot) {
            k = dfi_g_clusters(d, scope);
            dfi_g_say(d, "j%u [shape=point]; ", d->joins);
            dfi_g_clusters_end(d, k);
        } else dfi_g_say(d, "  join %u\n", d->joins);
        dfi_g_put_edges(d, NULL);
    }
}

/* Finds the edges of i, a child of the current scope, and of the items in it that are not shown. Joins among them are
 * written first. */
static void dfi_g_edges_of(struct dfi_g_draw *d, struct dfi_g_item *i)
{
    struct dfi_g_item *in, *end = dfi_g_next(i, dfi_g_is_open(d->g, i));
    struct dfi_g_chain *c;
    size_t k, n = 2 * (size_t)i->n;
    for (k = 0; k < n; k++)
        if ((c = i->access[k / 2].after[k % 2]) != NULL) dfi_g_put_joins(d, i->parent, c, c->join);
    d->n_edges = 0;
    for (k = 0; k < n; k++)
        if ((c = i->access[k / 2].after[k % 2]) != NULL) dfi_g_edges_of_chain(d, c, c->join, i, (unsigned)(k / 2));
    for (in = i; in != end; in = dfi_g_next(in, 1)) dfi_g_edges_of_uses(d, in, i);
    dfi_g_edges_sort(d);
    for (k = 0; k < d->n_edges; k++) {
        d->causes[d->edge[k].cause]++;
        if (k && dfi_g_edges_meet(&d->edge[k - 1], &d->edge[k])) continue;
        d->edges++;
        d->edge[k].from->leads = i->led = 1;
    }
}

/* --- items ------------------------------------------------------------------------------------------------------ */

static void dfi_g_put_item(struct dfi_g_draw *d, struct dfi_g_item *i)
{
    if (d->dot && (*i->site || i->n)) { /* the node is there, but memory has names only now */
        dfi_g_say(d, "%i [tooltip=\"%n%s", i, i->site, *i->site && i->n ? "\\n" : "");
        dfi_g_put_accesses(d, i, "\\n");
        dfi_g_say(d, "\"];\n");
    } else if (!d->dot) {
        dfi_g_say(d, "  %s%t%l", i->kind == DFI_G_NODE ? "node " : dfi_g_is_task(i) ? "task " : "", i, i->site);
        if (i->n) dfi_g_say(d, ": "), dfi_g_put_accesses(d, i, ", ");
        if (i->first && !dfi_g_is_open(d->g, i)) dfi_g_say(d, "; tasks inside: %u", dfi_g_count_inside(i));
        dfi_g_put_time(d, "; took ", i);
        dfi_g_say(d, "\n");
    }
    dfi_g_put_edges(d, i);
}

/* In text: the head of a scope, or of its part after a wait. Blocks are scopes themselves. */
static void dfi_g_put_head(struct dfi_g_draw *d, const struct dfi_g_item *first)
{
    const struct dfi_g_item *i = first;
    while (dfi_g_in_phase(i, first->phase) && i->kind == DFI_G_BLOCK) i = i->next;
    if (!dfi_g_in_phase(i, first->phase)) return;
    dfi_g_say(d, "\nscope ");
    dfi_g_put_scope(d, first->parent);
    if (first->phase) dfi_g_say(d, ", after wait %u", first->phase);
    dfi_g_say(d, "\n");
}

/* In dot: the nodes of a scope, and of its waits. */
static void dfi_g_put_nodes(struct dfi_g_draw *d, struct dfi_g_item *scope)
{
    struct dfi_g_item *i;
    size_t clusters = dfi_g_clusters(d, scope);
    if (clusters) dfi_g_say(d, "label=\"");
    if (clusters && dfi_g_is_task(scope)) dfi_g_say(d, "%t", scope);
    else if (clusters) dfi_g_put_scope(d, scope);
    if (clusters) dfi_g_say(d, "\";\n");
    for (i = scope->first; i; i = i->next) {
        if (i->kind != DFI_G_BLOCK) {
            dfi_g_say(d, "%i [label=\"%t", i, i);
            dfi_g_put_time(d, "\\n", i);
            if (i->first && !dfi_g_is_open(d->g, i)) dfi_g_say(d, "\\n+ %u tasks inside", dfi_g_count_inside(i));
            dfi_g_say(d, "\"%s];\n", i->kind == DFI_G_NODE ? ", shape=ellipse"
                                    : dfi_g_is_task(i) ? "" : ", style=rounded");
        }
        if (i->next && i->next->phase != i->phase) dfi_g_say(d, "%w [label=\"wait\", shape=plaintext];\n", i->next);
    }
    dfi_g_clusters_end(d, clusters);
}

/* In dot: edges of waits, after all items of a scope without successors, and before all without predecessors. */
static void dfi_g_put_waits(struct dfi_g_draw *d, struct dfi_g_item *scope)
{
    struct dfi_g_item *i, *first = scope->first, *k;
    for (i = first; i; i = i->next) {
        if (i->phase == first->phase) continue;
        for (k = first; k != i; k = k->next)
            if (!k->leads && k->kind != DFI_G_BLOCK) dfi_g_say(d, "%i -> %w [color=gray];\n", k, i);
        for (k = i; dfi_g_in_phase(k, i->phase); k = k->next)
            if (!k->led && k->kind != DFI_G_BLOCK) dfi_g_say(d, "%w -> %i [color=gray];\n", i, k);
        if (i->phase > 1) dfi_g_say(d, "%w -> %w [style=invis];\n", first, i);
        first = i;
    }
}

/* --- the file --------------------------------------------------------------------------------------------------- */

/* Numbers items and channels in program order, and sorts the uses of channels. */
static void dfi_g_prepare(struct dfi_g_draw *d)
{
    struct dfi_g_item *i;
    struct dfi_g_use *u;
    size_t n = 0, number[2] = { 0, 0 }; /* tokens, streams */
    for (i = d->g->threads; i; i = dfi_g_next(i, 1)) {
        i->index = n++;
        i->leads = i->led = 0;
        d->tasks += (size_t)dfi_g_is_task(i);
        for (u = i->uses; u; u = u->next)
            if (u->channel) u->channel->number = 0, d->n_uses++;
    }
    n = d->n_uses < SIZE_MAX / sizeof *d->use ? d->n_uses : 0;
    d->use = (struct dfi_g_use **)dfi_malloc((n + 1) * sizeof *d->use);
    d->failed = !d->use || n < d->n_uses;
    for (i = d->failed ? NULL : d->g->threads, n = 0; i; i = dfi_g_next(i, 1))
        for (u = i->uses; u; u = u->next)
            if (u->channel) {
                if (!u->channel->number) u->channel->number = ++number[u->channel->capacity > 0];
                d->use[n++] = u;
            }
    if (n > 1) qsort((void *)d->use, n, sizeof *d->use, dfi_g_use_order);
}

/* Calls put for each scope that is shown. */
static void dfi_g_scopes(struct dfi_g_draw *d, void (*put)(struct dfi_g_draw *d, struct dfi_g_item *scope))
{
    struct dfi_g_item *scope;
    for (scope = d->g->threads; scope && !d->failed; scope = dfi_g_next(scope, dfi_g_is_open(d->g, scope)))
        if (dfi_g_is_open(d->g, scope)) put(d, scope);
}

static void dfi_g_put_items(struct dfi_g_draw *d, struct dfi_g_item *scope)
{
    struct dfi_g_item *i, *first;
    for (first = i = scope->first; first && !d->failed; first = i) {
        dfi_g_order(d, first);
        if (!d->dot) dfi_g_put_head(d, first);
        for (; !d->failed && dfi_g_in_phase(i, first->phase); i = i->next)
            if (i->kind != DFI_G_BLOCK) dfi_g_edges_of(d, i), dfi_g_put_item(d, i);
        dfi_g_free(&d->arena);
        d->max_edges = 0;
    }
}

/* Writes everything, in dot or as text. 0; -1: no memory; 1: write error. */
static int dfi_graph_write(struct dfi_graph *g)
{
    struct dfi_g_draw d;
    const char *comment;
    int c;
    memset((void *)&d, 0, sizeof d);
    d.g = g, d.dot = dfi_ends_in(g->out.file, ".dot");
    dfi_report_seek(&g->out, 0);
    comment = d.dot ? "// " : "";
    dfi_g_say(&d, "%sdf: tasks and what orders them. B[8..24): bytes 8 to 23 of memory B; names of memory begin anew "
                  "in each scope and after each wait\n", comment);
    if (g->incomplete) dfi_g_say(&d, "%sINCOMPLETE: there was no memory for all of it\n", comment);
    dfi_g_prepare(&d);
    if (d.dot) dfi_g_say(&d, "digraph df {\nnode [shape=box, fontsize=11];\nedge [fontsize=9];\n");
    if (d.dot) dfi_g_scopes(&d, dfi_g_put_nodes);
    dfi_g_scopes(&d, dfi_g_put_items);
    if (d.dot) dfi_g_scopes(&d, dfi_g_put_waits);
    dfi_mfree((void *)d.use);
    dfi_g_say(&d, "%s%s%u tasks, %u edges:", d.dot ? "}\n" : "\n", comment, d.tasks, d.edges);
    for (c = 0; c < DFI_G_CAUSES; c++) dfi_g_say(&d, "%s %u %s", c ? "," : "", d.causes[c], dfi_g_causes[c][0]);
    if (d.joins) dfi_g_say(&d, "; joins: %u, edges to them: %u", d.joins, d.joined);
    dfi_g_say(&d, "\n");
    while (d.total + d.n < g->written) dfi_g_char(&d, '\n'); /* overwrites the rest of a longer earlier version */
    dfi_g_flush(&d);
    if (!d.failed && !g->out.standard) g->written = d.total;
    return g->out.broken ? 1 : -d.failed;
}

DFI_SMALL_CODE_END

#endif
