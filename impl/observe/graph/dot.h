/* dot.h - the graph for graphviz; and the whole file, in either form */
#ifndef DFI_OBSERVE_GRAPH_DOT_H
#define DFI_OBSERVE_GRAPH_DOT_H

#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "graph.h"
#include "order.h"
#include "write.h"

DFI_SMALL_CODE_BEGIN

static void dfi_g_dot_name(struct dfi_g_out *out, const struct dfi_g_item *i)
{
    dfi_g_char(out, 'n');
    dfi_g_number(out, i->index);
}

static void dfi_g_dot_node(struct dfi_g_out *out, struct dfi_g_item *i, int inside)
{
    dfi_g_dot_name(out, i);
    dfi_g_puts(out, " [label=\"");
    dfi_g_title(out, i, 1);
    if (i->took) dfi_g_puts(out, "\\n"), dfi_g_time(out, i);
    if (inside) dfi_g_puts(out, "\\n+ "), dfi_g_number(out, dfi_g_count_inside(i)), dfi_g_puts(out, " tasks inside");
    dfi_g_puts(out, i->kind >= DFI_G_ENTRY ? "\", style=rounded];\n" : i->kind == DFI_G_NODE ? "\", shape=ellipse];\n" : "\"];\n");
}

/* A wait of the scope of `first`, which comes after it. */
static void dfi_g_dot_wait(struct dfi_g_out *out, const struct dfi_g_item *first)
{
    dfi_g_puts(out, "w");
    dfi_g_number(out, first->parent->index);
    dfi_g_char(out, '_');
    dfi_g_number(out, first->phase);
}

/* All clusters and nodes. The first thread is no cluster: its tasks and blocks are graphs of their own. */
static void dfi_g_dot_nodes(struct dfi_g_out *out)
{
    struct dfi_g_item *i, *up;
    for (i = out->g->threads; i;) {
        int open = dfi_g_is_open(out->g, i);
        if (open && (i->parent || i->number > 1)) {
            dfi_g_puts(out, "subgraph cluster");
            dfi_g_number(out, i->index);
            dfi_g_puts(out, " { label=\"");
            if (dfi_g_is_task(i)) dfi_g_title(out, i, 1);
            else dfi_g_scope_title(out, i, 1);
            dfi_g_puts(out, "\";\n");
        }
        if (i->kind != DFI_G_THREAD && i->kind != DFI_G_BLOCK) dfi_g_dot_node(out, i, i->first && !open);
        if (i->next && i->next->phase != i->phase) {
            /* between them, in the scope of both; an open i is a cluster that has not ended yet, so then below */
            if (!open) dfi_g_dot_wait(out, i->next), dfi_g_puts(out, " [label=\"wait\", shape=plaintext];\n");
        }
        if (open) {
            i = i->first;
            continue;
        }
        for (up = i; up && !up->next; up = up->parent)
            if (up->parent && (up->parent->parent || up->parent->number > 1)) {
                dfi_g_puts(out, "}\n");
                if (up->parent->next && up->parent->next->phase != up->parent->phase)
                    dfi_g_dot_wait(out, up->parent->next), dfi_g_puts(out, " [label=\"wait\", shape=plaintext];\n");
            }
        i = up ? up->next : NULL;
    }
}

/* Where an edge begins. */
static void dfi_g_dot_end(struct dfi_g_out *out, size_t join, const struct dfi_g_item *i)
{
    if (join) dfi_g_char(out, 'j'), dfi_g_number(out, join);
    else dfi_g_dot_name(out, i);
}

/* A join is a point in the cluster of its scope, which is opened again for that, with those around it. */
static void dfi_g_dot_point(struct dfi_g_out *out, size_t join, const struct dfi_g_item *scope)
{
    size_t n = 0, k = 0;
    const struct dfi_g_item *i, **around = (const struct dfi_g_item **)dfi_g_array(scope->steps + 1, sizeof *around);
    for (i = scope; around && i; i = i->parent)
        if (i->parent || i->number > 1) around[n++] = i;
    for (k = n; k--;) dfi_g_puts(out, "subgraph cluster"), dfi_g_number(out, around[k]->index), dfi_g_puts(out, " { ");
    dfi_g_dot_end(out, join, NULL);
    dfi_g_puts(out, " [shape=point];");
    for (k = n; k--;) dfi_g_puts(out, " }");
    dfi_g_char(out, '\n');
    if (around) dfi_mfree((void *)around);
}

static void dfi_g_dot_join(struct dfi_g_out *out, const struct dfi_g_order *o, struct dfi_g_item *scope)
{
    size_t from, to, k;
    dfi_g_dot_point(out, o->n_joins, scope);
    for (from = 0; from < o->n_joined; from = to) {
        const struct dfi_g_seen *s = &o->joined[from];
        for (to = from + 1; to < o->n_joined && !s->join && o->joined[to].item == s->item && !o->joined[to].join;) to++;
        dfi_g_dot_end(out, s->join, s->item);
        dfi_g_puts(out, " -> ");
        dfi_g_dot_end(out, o->n_joins, NULL);
        if (!s->join) {
            dfi_g_puts(out, " [arrowhead=none, edgetooltip=\"");
            for (k = from; k < to; k++) {
                if (k > from) dfi_g_puts(out, "\\n");
                dfi_g_put_access(out, s->item, o->joined[k].access, 1);
            }
            dfi_g_puts(out, "\"]");
        } else dfi_g_puts(out, " [arrowhead=none]");
        dfi_g_puts(out, ";\n");
    }
}

static void dfi_g_dot_task(struct dfi_g_out *out, struct dfi_g_item *i, const struct dfi_g_order *o)
{
    static const char *const style[DFI_G_CAUSES] = { "", ", style=dashed", ", style=dotted", ", color=blue", ", color=blue", ", color=darkgreen",
                                                     ", color=darkgreen, style=dashed" };
    size_t from, to, k;
    if (*i->site || i->n) { /* memory has names only now */
        dfi_g_dot_name(out, i);
        dfi_g_puts(out, " [tooltip=\"");
        dfi_g_name(out, i->site, 1);
        if (*i->site && i->n) dfi_g_puts(out, "\\n");
        dfi_g_accesses(out, i, "\\n", 1);
        dfi_g_puts(out, "\"];\n");
    }
    for (from = 0; from < o->n_edges; from = to) {
        for (to = from; to < o->n_edges && dfi_g_edges_meet(&o->edge[to], &o->edge[from]);) to++;
        dfi_g_dot_end(out, o->edge[from].join, o->edge[from].from);
        dfi_g_puts(out, " -> ");
        dfi_g_dot_name(out, i);
        dfi_g_puts(out, " [label=\"");
        for (k = from; k < to; k++) {
            if (k > from) dfi_g_puts(out, "\\n");
            dfi_g_label(out, &o->edge[k], 1);
        }
        dfi_g_puts(out, "\", edgetooltip=\"");
        for (k = from; k < to; k++) {
            if (k > from) dfi_g_puts(out, "\\n");
            dfi_g_put_cause(out, &o->edge[k], 1);
        }
        dfi_g_char(out, '"');
        dfi_g_puts(out, style[o->edge[from].cause]); /* the first is the strongest */
        dfi_g_puts(out, "];\n");
    }
}

/* A wait comes after what nothing else comes after, and before what comes after nothing else. */
static void dfi_g_dot_waits(struct dfi_g_out *out)
{
    struct dfi_g_item *scope, *i, *first, *k;
    for (scope = out->g->threads; scope; scope = dfi_g_next(scope, dfi_g_is_open(out->g, scope)))
        for (i = first = dfi_g_is_open(out->g, scope) ? scope->first : NULL; i; i = i->next) {
            if (i->phase == first->phase) continue;
            for (k = first; k != i; k = k->next)
                if (!k->leads && k->kind != DFI_G_BLOCK)
                    dfi_g_dot_name(out, k), dfi_g_puts(out, " -> "), dfi_g_dot_wait(out, i), dfi_g_puts(out, " [color=gray];\n");
            for (k = i; dfi_g_in_phase(k, i->phase); k = k->next)
                if (!k->led && k->kind != DFI_G_BLOCK)
                    dfi_g_dot_wait(out, i), dfi_g_puts(out, " -> "), dfi_g_dot_name(out, k), dfi_g_puts(out, " [color=gray];\n");
            if (i->phase > 1) dfi_g_dot_wait(out, first), dfi_g_puts(out, " -> "), dfi_g_dot_wait(out, i), dfi_g_puts(out, " [style=invis];\n");
            first = i;
        }
}

/* --- the file ------------------------------------------------------------------------------------------------------ */

static void dfi_g_counts_line(struct dfi_g_out *out, const struct dfi_g_counts *n)
{
    int c;
    dfi_g_number(out, n->tasks);
    dfi_g_puts(out, " tasks, ");
    dfi_g_number(out, n->edges);
    dfi_g_puts(out, " edges:");
    for (c = 0; c < DFI_G_CAUSES; c++) {
        dfi_g_puts(out, c ? ", " : " ");
        dfi_g_number(out, n->causes[c]);
        dfi_g_char(out, ' ');
        dfi_g_puts(out, dfi_g_cause_name[c]);
    }
    if (n->joins) dfi_g_puts(out, "; joins: "), dfi_g_number(out, n->joins), dfi_g_puts(out, ", edges to them: "), dfi_g_number(out, n->joined);
    dfi_g_char(out, '\n');
}

/* Writes all of it, for graphviz or as text. 0; -1: no memory; 1: it could not be written. */
static int dfi_graph_write(struct dfi_graph *g, int (*put)(struct dfi_graph *g, const char *p, size_t n), int dot)
{
    static const struct dfi_g_visitor visit_text = { dfi_g_text_scope, dfi_g_text_task, dfi_g_text_join };
    static const struct dfi_g_visitor visit_dot = { NULL, dfi_g_dot_task, dfi_g_dot_join };
    const char *comment = dot ? "// " : "";
    struct dfi_g_counts counts;
    struct dfi_g_out out;
    int failed;
    out.put = put, out.g = g, out.n = out.total = 0, out.failed = 0;
    dfi_g_puts(&out, comment);
    dfi_g_puts(&out, "df: tasks and what orders them. B[8..24): bytes 8 to 23 of memory B; names of memory begin anew in each scope and after each wait\n");
    if (g->incomplete) dfi_g_puts(&out, comment), dfi_g_puts(&out, "INCOMPLETE: there was no memory for all of it\n");
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
    while (out.total + out.n < g->written) dfi_g_char(&out, '\n'); /* over all of what was written last time */
    dfi_g_flush(&out);
    if (!failed && !g->standard) g->written = out.total;
    return out.failed ? 1 : failed;
}

DFI_SMALL_CODE_END

#endif
