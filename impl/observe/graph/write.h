/* write.h - the graph as text, and the parts shared with the dot form
 *
 * Scopes stand in program order, and in each its tasks. A task deeper than df_config.graph_depth is
 * part of the one it is in. Nothing depends on addresses; times are included if they were measured. */
#ifndef DFI_OBSERVE_GRAPH_WRITE_H
#define DFI_OBSERVE_GRAPH_WRITE_H

#include "../../base/compiler.h"
#include "../../base/file.h"
#include "../../base/memory.h"
#include "../../api/task.h"
#include "graph.h"
#include "join.h"
#include "order.h"

#include <stdarg.h>

DFI_SMALL_CODE_BEGIN

/* --- output: buffered, and handed over in pieces ---------------------------------------------- */

struct dfi_g_out {
    int (*put)(struct dfi_graph *g, const char *p, size_t n); /* nonzero: write error */
    struct dfi_graph *g;
    size_t n, total;
    int dot, failed;                                          /* dot: all texts are quoted */
    char room[4096];
};

static void dfi_g_flush(struct dfi_g_out *out)
{
    if (!out->failed && out->n) out->failed = out->put(out->g, out->room, out->n);
    out->total += out->n;
    out->n = 0;
}

static void dfi_g_char(struct dfi_g_out *out, char c)
{
    if (out->n == sizeof out->room) dfi_g_flush(out);
    out->room[out->n++] = c;
}

static void dfi_g_puts(struct dfi_g_out *out, const char *text)
{
    for (; *text; text++) dfi_g_char(out, *text);
}

static void dfi_g_number(struct dfi_g_out *out, size_t n)
{
    char digits[24], *p = digits + sizeof digits;
    *--p = 0;
    do *--p = (char)('0' + n % 10);
    while (n /= 10);
    dfi_g_puts(out, p);
}

/* The first n bytes of a program text, as one line of UTF-8: control characters and line ends become
 * spaces, and bytes that are not UTF-8 become question marks. */
static void dfi_g_name(struct dfi_g_out *out, const char *text, size_t n)
{
    const char *end = text + n;
    while (text < end) {
        unsigned bytes = dfi_utf8(text);
        if (out->dot && (*text == '"' || *text == '\\')) dfi_g_char(out, '\\');
        if (!bytes || dfi_utf8_control(text, bytes)) dfi_g_char(out, bytes ? ' ' : '?'), text += bytes ? bytes : 1;
        else
            while (bytes--) dfi_g_char(out, *text++);
    }
}

/* 1.3.2, from the thread on; the first thread is not named. */
static void dfi_g_path(struct dfi_g_out *out, const struct dfi_g_item *i)
{
    const struct dfi_g_item *up = i->parent;
    if (up) {
        dfi_g_path(out, up);
        if (up->parent || up->number > 1) dfi_g_char(out, '.');
        dfi_g_number(out, i->number);
    } else if (i->number > 1) dfi_g_char(out, 't'), dfi_g_number(out, i->number);
}

/* %s literal text, %n program text, %u size_t; of an item: %p its path, %t path and name, %i its dot
 * node, %w the node of the wait before it. */
static void dfi_g_say(struct dfi_g_out *out, const char *format, ...)
{
    const struct dfi_g_item *i;
    const char *text;
    va_list ap;
    va_start(ap, format);
    for (; *format; format++) {
        if (*format != '%') {
            dfi_g_char(out, *format);
            continue;
        }
        switch (*++format) {
        case 's': dfi_g_puts(out, va_arg(ap, const char *)); break;
        case 'n': text = va_arg(ap, const char *), dfi_g_name(out, text, strlen(text)); break;
        case 'u': dfi_g_number(out, va_arg(ap, size_t)); break;
        case 'p': dfi_g_path(out, va_arg(ap, const struct dfi_g_item *)); break;
        case 't': i = va_arg(ap, const struct dfi_g_item *), dfi_g_say(out, "%p %n", i, i->name); break;
        case 'i': i = va_arg(ap, const struct dfi_g_item *), dfi_g_say(out, "n%u", i->index); break;
        case 'w':
            i = va_arg(ap, const struct dfi_g_item *);
            dfi_g_say(out, "w%u_%u", i->parent->index, i->phase);
            break;
        }
    }
    va_end(ap);
}

/* The source line, if known. */
static void dfi_g_site(struct dfi_g_out *out, const char *site)
{
    if (*site) dfi_g_say(out, " (%n)", site);
}

/* --- items ------------------------------------------------------------------------------------------------- */

/* The next item in program order; inside: including those in i. */
static struct dfi_g_item *dfi_g_next(struct dfi_g_item *i, int inside)
{
    if (inside && i->first) return i->first;
    while (i && !i->next) i = i->parent;
    return i ? i->next : NULL;
}

static int dfi_g_is_task(const struct dfi_g_item *i) { return i->kind == DFI_G_TASK || i->kind == DFI_G_NODE; }

/* True if its children are shown. */
static int dfi_g_is_open(const struct dfi_graph *g, const struct dfi_g_item *i)
{
    return i->first && (g->depth == 0 || i->level < (size_t)g->depth);
}

/* i, or the task that stands for it. */
static struct dfi_g_item *dfi_g_shown(const struct dfi_graph *g, struct dfi_g_item *i)
{
    struct dfi_g_item *shown = i;
    for (; i; i = i->parent)
        if (i->parent && !dfi_g_is_open(g, i->parent)) shown = i->parent;
    return dfi_g_is_task(shown) || shown->kind >= DFI_G_ENTRY ? shown : dfi_g_task_around(shown);
}

static size_t dfi_g_count_inside(struct dfi_g_item *top)
{
    struct dfi_g_item *i, *end = dfi_g_next(top, 0);
    size_t n = 0;
    for (i = dfi_g_next(top, 1); i != end; i = dfi_g_next(i, 1)) n += (size_t)dfi_g_is_task(i);
    return n;
}

static const char *dfi_g_time(struct dfi_g_out *out, char *text, const struct dfi_g_item *i)
{
    return dfi_time_text(text, (double)i->took * out->g->ns_per_tick);
}

static void dfi_g_scope_title(struct dfi_g_out *out, const struct dfi_g_item *i)
{
    if (i->kind == DFI_G_THREAD) {
        dfi_g_say(out, "thread %u", i->number);
        return;
    }
    dfi_g_say(out, "%p %n", i, *i->name ? i->name : "block");
    dfi_g_site(out, i->site);
}

/* --- accesses and causes ------------------------------------------------------------------------------------- */

/* The name of access a of i; *n: its length, 0: unknown. */
static const char *dfi_g_parameter(const struct dfi_g_item *i, unsigned a, size_t *n)
{
    const char *p = i->titles;
    for (; a && *p; a--)
        if (*(p += strcspn(p, " "))) p++;
    *n = strcspn(p, " ");
    return p;
}
static void dfi_g_put_parameter(struct dfi_g_out *out, const struct dfi_g_item *i, unsigned a)
{
    size_t n;
    const char *p = dfi_g_parameter(i, a, &n);
    if (n) dfi_g_name(out, p, n);
    else dfi_g_say(out, "access %u", (size_t)a + 1);
}

/* A[8..24), or A[8..24) x 4 rows 64 apart; byte offsets in memory A. */
static void dfi_g_bytes(struct dfi_g_out *out, const struct dfi_g_access *x)
{
    char letters[8], *p = letters + sizeof letters;
    unsigned n = x->memory;
    if (!x->region.rows) {
        dfi_g_puts(out, "nothing");
        return;
    }
    *--p = 0;
    for (; n; n = (n - 1) / 26) *--p = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(n - 1) % 26]; /* A .. Z, AA .. ZZ, AAA .. */
    dfi_g_say(out, "%s[%u..%u)", p, (size_t)(x->region.p - x->base), (size_t)(x->region.p - x->base) + x->region.row);
    if (x->region.rows > 1) dfi_g_say(out, " x %u rows %u apart", x->region.rows, x->region.ld);
}

static const char *dfi_g_mode_name(unsigned mode)
{
    switch (mode & (DFI_SHARED | DFI_INOUT)) {
    case DFI_IN: return "in ";
    case DFI_OUT: return "out ";
    case DFI_COMMUTE: return "commute ";
    case DFI_CONCURRENT: return "concurrent ";
    case DFI_REDUCE: return "reduce ";
    }
    return "inout ";
}

static void dfi_g_put_access(struct dfi_g_out *out, const struct dfi_g_item *i, unsigned a)
{
    dfi_g_say(out, "%s%s", i->access[a].mode & DFI_WEAK ? "weak " : "", dfi_g_mode_name(i->access[a].mode));
    dfi_g_put_parameter(out, i, a);
    dfi_g_char(out, ' ');
    dfi_g_bytes(out, &i->access[a]);
}
static void dfi_g_accesses(struct dfi_g_out *out, const struct dfi_g_item *i, const char *between)
{
    unsigned a;
    for (a = 0; a < i->n; a++) {
        if (a) dfi_g_puts(out, between);
        dfi_g_put_access(out, i, a);
    }
}

/* The label of an edge: the parameters of both tasks, or the other cause. */
static void dfi_g_label(struct dfi_g_out *out, const struct dfi_g_edge *e)
{
    const char *p, *q;
    size_t n, m;
    if (e->token) dfi_g_say(out, "token %u", e->token->number);
    else if (e->stream) dfi_g_say(out, "stream %u", e->stream->number);
    else {
        if (e->cause != DFI_G_GIVEN && !e->join) {
            dfi_g_put_parameter(out, e->from, e->before);
            p = dfi_g_parameter(e->from, e->before, &n), q = dfi_g_parameter(e->to, e->after, &m);
            if (n == m && !strncmp(p, q, n)) return;
            dfi_g_puts(out, " -> ");
        }
        dfi_g_put_parameter(out, e->to, e->after);
    }
}

static const char *const dfi_g_cause_name[DFI_G_CAUSES] = {
    "flow", "anti", "output", "token", "input", "stream", "room"
};

static const char *const dfi_g_cause_text[DFI_G_CAUSES] = {
    "flow (read after write)", "anti (write after read)", "output (write after write)", "signalled", "input given",
    "elements written", "room: elements read"
};

/* The whole cause, including the memory. */
static void dfi_g_put_cause(struct dfi_g_out *out, const struct dfi_g_edge *e)
{
    dfi_g_label(out, e);
    dfi_g_site(out, e->token ? e->token->site : e->stream ? e->stream->site : "");
    dfi_g_say(out, ", %s", dfi_g_cause_text[e->cause]);
    if (e->cause <= DFI_G_OUTPUT) {
        const struct dfi_g_access *x = &e->from->access[e->before], *y = &e->to->access[e->after];
        dfi_g_puts(out, (x->mode & DFI_WEAK && !e->join) || y->mode & DFI_WEAK ? ", weak, " : ", ");
        dfi_g_bytes(out, y);
        if (e->join || !dfi_g_region_order(&x->region, &y->region)) return;
        dfi_g_puts(out, " and ");
        dfi_g_bytes(out, x);
    }
}

/* --- traversal -------------------------------------------------------------------------------- */

struct dfi_g_counts { size_t tasks, edges, causes[DFI_G_CAUSES], joins, joined; }; /* joined: edges to joins */

/* Numbers items, tokens and streams in program order, and sorts the windows of streams. 0, or -1
 * without memory. */
static int dfi_g_prepare(struct dfi_graph *g)
{
    struct dfi_g_item *i;
    struct dfi_g_use *u;
    struct dfi_g_stream *s;
    size_t n = 0, tokens = 0, streams = 0, k;
    for (k = 0; k < DFI_G_HASH; k++) {
        struct dfi_g_token *t;
        for (t = g->token[k]; t; t = t->next) t->number = 0;
    }
    for (s = g->streams; s; s = s->next) {
        s->number = 0;
        if (!(s->sorted = (struct dfi_g_use **)dfi_g_array(s->n_uses, sizeof *s->sorted))) return -1;
        for (u = s->uses, k = 0; u; u = u->other) s->sorted[k++] = u;
        qsort((void *)s->sorted, k, sizeof *s->sorted, dfi_g_use_order);
    }
    for (i = g->threads; i; i = dfi_g_next(i, 1)) {
        i->index = n++;
        i->leads = i->led = 0;
        for (u = i->uses; u; u = u->next) {
            if (u->token && !u->token->number) u->token->number = ++tokens;
            if (u->stream && !u->stream->number) u->stream->number = ++streams;
        }
    }
    return 0;
}

static void dfi_g_finish(struct dfi_graph *g)
{
    struct dfi_g_stream *s;
    for (s = g->streams; s; s = s->next) {
        if (s->sorted) dfi_mfree((void *)s->sorted);
        s->sorted = NULL;
    }
}

/* True if two edges of a task come from the same task, or join. */
static int dfi_g_edges_meet(const struct dfi_g_edge *a, const struct dfi_g_edge *b)
{
    return a->join ? a->join == b->join : !b->join && a->from == b->from;
}

/* Collects the edges of the task i, a child of the current scope, including those of hidden tasks
 * inside it. */
static void dfi_g_edges_of(const struct dfi_graph *g, struct dfi_g_order *o, struct dfi_g_item *i,
                           struct dfi_g_counts *counts)
{
    struct dfi_g_item *inside, *end = dfi_g_is_open(g, i) ? NULL : dfi_g_next(i, 0);
    size_t k, kept = 0;
    o->n_edges = 0;
    dfi_g_order_next(o, i);
    dfi_g_order_uses(o, i);
    if (i->first && !dfi_g_is_open(g, i))
        for (inside = i->first; inside != end; inside = dfi_g_next(inside, 1)) dfi_g_order_uses(o, inside);
    for (k = 0; k < o->n_edges; k++) {
        struct dfi_g_edge e = o->edge[k];
        if (e.from->parent != i->parent && !(e.from = dfi_g_shown(g, e.from))) continue;
        if (e.from == i) continue;
        e.to = i;
        o->edge[kept++] = e;
    }
    o->n_edges = kept;
    dfi_g_edges_sort(o);
    for (k = 0; k < o->n_edges; k++) {
        counts->causes[o->edge[k].cause]++;
        if (k && dfi_g_edges_meet(&o->edge[k - 1], &o->edge[k])) continue;
        counts->edges++;
        o->edge[k].from->leads = i->led = 1;
    }
}

static void dfi_g_count_tasks(const struct dfi_graph *g, struct dfi_g_counts *counts)
{
    struct dfi_g_item *i;
    memset((void *)counts, 0, sizeof *counts);
    for (i = g->threads; i; i = dfi_g_next(i, 1)) counts->tasks += (size_t)dfi_g_is_task(i);
}

/* Calls task() for each shown child of each shown scope, with its edges in o; and scope() before the
 * first child and after each wait: `first` is the item after it. */
struct dfi_g_visitor {
    void (*scope)(struct dfi_g_out *out, struct dfi_g_item *first);
    void (*task)(struct dfi_g_out *out, struct dfi_g_item *i, const struct dfi_g_order *o);
    void (*join)(struct dfi_g_out *out, const struct dfi_g_order *o, struct dfi_g_item *scope);
};
static int dfi_g_visit(struct dfi_g_out *out, const struct dfi_g_visitor *v, struct dfi_g_counts *counts)
{
    struct dfi_g_item *scope, *i;
    struct dfi_g_order o;
    memset((void *)&o, 0, sizeof o);
    o.join = v->join, o.out = out;
    for (scope = out->g->threads; scope; scope = dfi_g_next(scope, dfi_g_is_open(out->g, scope)))
        for (i = dfi_g_is_open(out->g, scope) ? scope->first : NULL; i && !o.failed;) {
            struct dfi_g_item *first = i;
            dfi_g_order_begin(&o, first);
            if (!o.failed) {
                dfi_g_name_memory(&o, first);
                if (v->scope) v->scope(out, first);
            }
            for (; !o.failed && dfi_g_in_phase(i, first->phase); i = i->next)
                if (i->kind != DFI_G_BLOCK) {
                    dfi_g_edges_of(out->g, &o, i, counts);
                    v->task(out, i, &o);
                }
            dfi_g_order_end(&o);
        }
    counts->joins = o.n_joins, counts->joined = o.all_joined;
    dfi_mfree(o.edge), dfi_mfree(o.joined);
    return o.failed ? -1 : 0;
}

/* --- text -------------------------------------------------------------------------------------------------- */

static void dfi_g_text_scope(struct dfi_g_out *out, struct dfi_g_item *first)
{
    struct dfi_g_item *i;
    for (i = first; dfi_g_in_phase(i, first->phase) && i->kind == DFI_G_BLOCK;) i = i->next;
    if (!dfi_g_in_phase(i, first->phase)) return; /* only blocks, which are scopes of their own */
    dfi_g_puts(out, "\nscope ");
    dfi_g_scope_title(out, first->parent);
    if (first->phase) dfi_g_say(out, ", after wait %u", first->phase);
    dfi_g_char(out, '\n');
}

static void dfi_g_text_waits(struct dfi_g_out *out, size_t join, const struct dfi_g_item *i)
{
    if (join) dfi_g_say(out, "    waits for join %u: ", join);
    else dfi_g_say(out, "    waits for %t: ", i);
}

static void dfi_g_text_join(struct dfi_g_out *out, const struct dfi_g_order *o, struct dfi_g_item *scope)
{
    size_t k;
    (void)scope;
    dfi_g_say(out, "  join %u\n", o->n_joins);
    for (k = 0; k < o->n_joined; k++) {
        const struct dfi_g_seen *s = &o->joined[k];
        dfi_g_text_waits(out, s->join, s->item);
        if (s->join) dfi_g_puts(out, "all of it");
        else dfi_g_put_access(out, s->item, s->access);
        dfi_g_char(out, '\n');
    }
}

static void dfi_g_text_task(struct dfi_g_out *out, struct dfi_g_item *i, const struct dfi_g_order *o)
{
    char time[16];
    size_t k;
    dfi_g_say(out, "  %s%t", i->kind == DFI_G_NODE ? "node " : dfi_g_is_task(i) ? "task " : "", i);
    dfi_g_site(out, i->site);
    if (i->n && i->kind != DFI_G_NODE) dfi_g_puts(out, ": "), dfi_g_accesses(out, i, ", ");
    if (i->first && !dfi_g_is_open(out->g, i)) dfi_g_say(out, "; tasks inside: %u", dfi_g_count_inside(i));
    if (i->took) dfi_g_say(out, "; took %s", dfi_g_time(out, time, i));
    dfi_g_char(out, '\n');
    for (k = 0; k < o->n_edges; k++) {
        dfi_g_text_waits(out, o->edge[k].join, o->edge[k].from);
        dfi_g_put_cause(out, &o->edge[k]);
        dfi_g_char(out, '\n');
    }
}

DFI_SMALL_CODE_END

#endif
