/* dot.h - the graph in the dot language of Graphviz, and the whole file in either form */
#ifndef DFI_OBSERVE_GRAPH_DOT_H
#define DFI_OBSERVE_GRAPH_DOT_H

#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "graph.h"
#include "order.h"
#include "write.h"

DFI_SMALL_CODE_BEGIN

static void dfi_g_dot_node(struct dfi_g_out *out, struct dfi_g_item *i, int inside)
{
    char time[16];
    dfi_g_say(out, "%i [label=\"%t", i, i);
    if (i->took) dfi_g_say(out, "\\n%s", dfi_g_time(out, time, i));
    if (inside) dfi_g_say(out, "\\n+ %u tasks inside", dfi_g_count_inside(i));
    dfi_g_say(out, "\"%s];\n",
              i->kind >= DFI_G_ENTRY ? ", style=rounded" : i->kind == DFI_G_NODE ? ", shape=ellipse" : "");
}

/* A wait between i and the next item of its scope, if there is one. */
static void dfi_g_dot_wait(struct dfi_g_out *out, const struct dfi_g_item *i)
{
    if (i->next && i->next->phase != i->phase) dfi_g_say(out, "%w [label=\"wait\", shape=plaintext];\n", i->next);
}

/* All clusters and nodes. The first thread is no cluster: its tasks and blocks are graphs of their own. */
static void dfi_g_dot_nodes(struct dfi_g_out *out)
{
    struct dfi_g_item *i, *up;
    for (i = out->g->threads; i;) {
        int open = dfi_g_is_open(out->g, i);
        if (open && (i->parent || i->number > 1)) {
            dfi_g_say(out, "subgraph cluster%u { label=\"", i->index);
            if (dfi_g_is_task(i)) dfi_g_say(out, "%t", i);
            else dfi_g_scope_title(out, i);
            dfi_g_puts(out, "\";\n");
        }
        if (i->kind != DFI_G_THREAD && i->kind != DFI_G_BLOCK) dfi_g_dot_node(out, i, i->first && !open);
        if (!open) dfi_g_dot_wait(out, i); /* else it is a cluster that has not ended yet: below */
        if (open) {
            i = i->first;
            continue;
        }
        for (up = i; up && !up->next; up = up->parent)
            if (up->parent && (up->parent->parent || up->parent->number > 1))
                dfi_g_puts(out, "}\n"), dfi_g_dot_wait(out, up->parent);
        i = up ? up->next : NULL;
    }
}

/* The source of an edge. */
static void dfi_g_dot_from(struct dfi_g_out *out, size_t join, const struct dfi_g_item *i)
{
    if (join) dfi_g_say(out, "j%u -> ", join);
    else dfi_g_say(out, "%i -> ", i);
}

/* Opens the cluster of a scope again, within those around it. Returns their number. */
static size_t dfi_g_dot_clusters(struct dfi_g_out *out, const struct dfi_g_item *scope)
{
    size_t n = scope->parent ? dfi_g_dot_clusters(out, scope->parent) : 0;
    if (!scope->parent && scope->number == 1) return 0;
    dfi_g_say(out, "subgraph cluster%u { ", scope->index);
    return n + 1;
}

/* A join is a point in the cluster of its scope. */
static void dfi_g_dot_join(struct dfi_g_out *out, const struct dfi_g_order *o, struct dfi_g_item *scope)
{
    size_t from, to, k = dfi_g_dot_clusters(out, scope);
    dfi_g_say(out, "j%u [shape=point];", o->n_joins);
    while (k--) dfi_g_puts(out, " }");
    dfi_g_char(out, '\n');
    for (from = 0; from < o->n_joined; from = to) {
        const struct dfi_g_seen *s = &o->joined[from];
        for (to = from + 1; to < o->n_joined && !s->join && o->joined[to].item == s->item && !o->joined[to].join;) to++;
        dfi_g_dot_from(out, s->join, s->item);
        dfi_g_say(out, "j%u [arrowhead=none", o->n_joins);
        for (k = from; k < to && !s->join; k++) {
            dfi_g_puts(out, k > from ? "\\n" : ", edgetooltip=\"");
            dfi_g_put_access(out, s->item, o->joined[k].access);
        }
        dfi_g_puts(out, s->join ? "];\n" : "\"];\n");
    }
}

static void dfi_g_dot_task(struct dfi_g_out *out, struct dfi_g_item *i, const struct dfi_g_order *o)
{
    static const char *const style[DFI_G_CAUSES] = {
        "", ", style=dashed", ", style=dotted", ", color=blue", ", color=blue", ", color=darkgreen",
        ", color=darkgreen, style=dashed"
    };
    size_t from, to, k;
    if (*i->site || i->n) { /* memory has names only now */
        dfi_g_say(out, "%i [tooltip=\"%n%s", i, i->site, *i->site && i->n ? "\\n" : "");
        dfi_g_accesses(out, i, "\\n");
        dfi_g_puts(out, "\"];\n");
    }
    for (from = 0; from < o->n_edges; from = to) {
        const struct dfi_g_edge *e = &o->edge[from];
        for (to = from; to < o->n_edges && dfi_g_edges_meet(&o->edge[to], e);) to++;
        dfi_g_dot_from(out, e->join, e->from);
        dfi_g_say(out, "%i [label=\"", i);
        for (k = from; k < to; k++) dfi_g_puts(out, k > from ? "\\n" : ""), dfi_g_label(out, &o->edge[k]);
        dfi_g_puts(out, "\", edgetooltip=\"");
        for (k = from; k < to; k++) dfi_g_puts(out, k > from ? "\\n" : ""), dfi_g_put_cause(out, &o->edge[k]);
        dfi_g_say(out, "\"%s];\n", style[e->cause]); /* the first cause is the strongest */
    }
}

/* Edges of waits: after all items without successors, and before all items without predecessors. */
static void dfi_g_dot_waits(struct dfi_g_out *out)
{
    struct dfi_g_item *scope, *i, *first, *k;
    for (scope = out->g->threads; scope; scope = dfi_g_next(scope, dfi_g_is_open(out->g, scope)))
        for (i = first = dfi_g_is_open(out->g, scope) ? scope->first : NULL; i; i = i->next) {
            if (i->phase == first->phase) continue;
            for (k = first; k != i; k = k->next)
                if (!k->leads && k->kind != DFI_G_BLOCK) dfi_g_say(out, "%i -> %w [color=gray];\n", k, i);
            for (k = i; dfi_g_in_phase(k, i->phase); k = k->next)
                if (!k->led && k->kind != DFI_G_BLOCK) dfi_g_say(out, "%w -> %i [color=gray];\n", i, k);
            if (i->phase > 1) dfi_g_say(out, "%w -> %w [style=invis];\n", first, i);
            first = i;
        }
}

/* --- the file ---------------------------------------------------------------------------------------------- */

static void dfi_g_counts_line(struct dfi_g_out *out, const struct dfi_g_counts *n)
{
    int c;
    dfi_g_say(out, "%u tasks, %u edges:", n->tasks, n->edges);
    for (c = 0; c < DFI_G_CAUSES; c++) dfi_g_say(out, "%s %u %s", c ? "," : "", n->causes[c], dfi_g_cause_name[c]);
    if (n->joins) dfi_g_say(out, "; joins: %u, edges to them: %u", n->joins, n->joined);
    dfi_g_char(out, '\n');
}

/* Writes everything, in dot or as text. 0; -1: no memory; 1: write error. */
static int dfi_graph_write(struct dfi_graph *g, int (*put)(struct dfi_graph *g, const char *p, size_t n), int dot)
{
    static const struct dfi_g_visitor visit_text = { dfi_g_text_scope, dfi_g_text_task, dfi_g_text_join };
    static const struct dfi_g_visitor visit_dot = { NULL, dfi_g_dot_task, dfi_g_dot_join };
    const char *comment = dot ? "// " : "";
    struct dfi_g_counts counts;
    struct dfi_g_out out;
    int failed;
    out.put = put, out.g = g, out.dot = dot, out.n = out.total = 0, out.failed = 0;
    dfi_g_say(&out, "%sdf: tasks and what orders them. B[8..24): bytes 8 to 23 of memory B; names of memory begin anew "
                    "in each scope and after each wait\n", comment);
    if (g->incomplete) dfi_g_say(&out, "%sINCOMPLETE: there was no memory for all of it\n", comment);
    dfi_g_count_tasks(g, &counts);
    failed = dfi_g_prepare(g);
    if (dot) {
        dfi_g_puts(&out, "digraph df {\nnode [shape=box, fontsize=11];\nedge [fontsize=9];\n");
        dfi_g_dot_nodes(&out);
    }
    if (!failed) failed = dfi_g_visit(&out, dot ? &visit_dot : &visit_text, &counts);
    if (dot) {
        dfi_g_dot_waits(&out);
        dfi_g_puts(&out, "}\n");
    }
    dfi_g_finish(g);
    if (!dot) dfi_g_char(&out, '\n');
    dfi_g_puts(&out, comment);
    dfi_g_counts_line(&out, &counts);
    while (out.total + out.n < g->written) dfi_g_char(&out, '\n'); /* overwrites the rest of a longer earlier version */
    dfi_g_flush(&out);
    if (!failed && !g->standard) g->written = out.total;
    return out.failed ? 1 : failed;
}

DFI_SMALL_CODE_END

#endif
