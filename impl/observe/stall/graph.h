/* graph.h - wait-for graph of a stall report, and the search for a cycle in it
 *
 * The things are threads, tasks, and the objects that tasks wait for; an arrow says that one cannot
 * continue before the other. All text is copied, because it is printed after every lock was
 * released. */
#ifndef DFI_OBSERVE_STALL_GRAPH_H
#define DFI_OBSERVE_STALL_GRAPH_H

#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../flow/types.h"
#include "../../more/types.h"

DFI_SMALL_CODE_BEGIN

enum {
    DFI_STALL_THINGS = 2048, /* more are left out: a longer report would not be read */
    DFI_STALL_ARROWS = 8192,
    DFI_STALL_TABLE = 4096,  /* a power of two, twice the number of things */
    DFI_STALL_TEXT = 250,
    DFI_STALL_LINES = 100,   /* about threads, tasks */
    DFI_STALL_WEAK = 64,     /* tasks whose successors come after parts of them: locked together; more are left out */
    DFI_STALL_CHAINS = 3     /* printed if none of them is a cycle */
};

struct dfi_stall_thing {
    const void *key;         /* its record; never dereferenced */
    const void *owner;       /* a lock: the thread that holds it (dfi_thread_id) */
    const char *end;         /* printed if it waits for nothing known, or NULL */
    int thread, waits;       /* it is a thread; and one that waits */
    int seen;                /* state of the search: not reached, on the current path, or done; */
    size_t steps;            /* then: length of the longest path from there, */
    struct dfi_stall_arrow *longest; /* which begins with that arrow */
    struct dfi_stall_arrow *arrow;   /* its outgoing arrows, or NULL */
    char text[DFI_STALL_TEXT];
};
struct dfi_stall_arrow { struct dfi_stall_thing *to; struct dfi_stall_arrow *next; const char *verb; };

struct dfi_stall_map {
    double ns_per_tick;
    uint64_t now;
    size_t n_things, n_arrows, n_lines, more_lines;
    size_t n_todo;
    int waiting, idle, busy; /* threads that wait, have no work, run a body; */
    int waits;               /* there is a wait, including those with bodies nested in them */
    struct dfi_stall_thing thing[DFI_STALL_THINGS];
    /* tasks whose neighbours are not yet examined */
    struct { const struct dfi_flow *task; struct dfi_stall_thing *thing; } todo[DFI_STALL_THINGS];
    struct dfi_stall_arrow arrow[DFI_STALL_ARROWS];
    struct dfi_parts *weak[DFI_STALL_WEAK]; /* locked, so that the successors of parts stay */
    size_t n_weak;
    struct dfi_stall_thing *table[DFI_STALL_TABLE];
    struct { struct dfi_stall_thing *at; struct dfi_stall_arrow *next; } way[DFI_STALL_THINGS];
    char line[DFI_STALL_LINES][DFI_STALL_TEXT];
};

/* The thing with that key, added if there is none. NULL: there are too many. */
static struct dfi_stall_thing *dfi_stall_thing_of(struct dfi_stall_map *m, const void *key)
{
    size_t h = ((uintptr_t)key >> 4) * 2654435761u;
    struct dfi_stall_thing **at;
    while (*(at = &m->table[h++ & (DFI_STALL_TABLE - 1)]))
        if ((*at)->key == key) return *at;
    if (m->n_things == DFI_STALL_THINGS) return NULL;
    *at = &m->thing[m->n_things++];
    (*at)->key = key;
    return *at;
}

/* Adds an arrow: a cannot continue before b. verb: the text between the two. Either may be NULL. */
static void dfi_stall_arrow_add(struct dfi_stall_map *m, struct dfi_stall_thing *a, struct dfi_stall_thing *b,
                                const char *verb)
{
    struct dfi_stall_arrow *i;
    if (!a || !b || m->n_arrows == DFI_STALL_ARROWS) return;
    for (i = a->arrow; i; i = i->next)
        if (i->to == b) return;
    i = &m->arrow[m->n_arrows++];
    i->to = b, i->verb = verb;
    i->next = a->arrow, a->arrow = i;
}

static DFI_FORMAT(2, 3) void dfi_stall_line(struct dfi_stall_map *m, const char *format, ...)
{
    va_list ap;
    if (m->n_lines == DFI_STALL_LINES) {
        m->more_lines++;
        return;
    }
    va_start(ap, format);
    vsnprintf(m->line[m->n_lines++], DFI_STALL_TEXT, format, ap);
    va_end(ap);
}

/* Follows arrows from `from`, each thing once, without recursion. A thing met again on the current
 * path closes a cycle: then m->way holds the path from that thing on. Returns its length; 0: no
 * cycle. */
static size_t dfi_stall_cycle(struct dfi_stall_map *m, struct dfi_stall_thing *from, size_t *begin)
{
    enum { DFI_NOT_SEEN, DFI_ON_THE_WAY, DFI_DONE_WITH };
    struct dfi_stall_thing *to = from;
    struct dfi_stall_arrow *i;
    size_t n = 0, k;
    for (;;) {
        if (to->seen == DFI_ON_THE_WAY) {
            for (k = 0; m->way[k].at != to;) k++;
            *begin = k;
            return n;
        }
        if (!to->seen) {
            to->seen = DFI_ON_THE_WAY;
            m->way[n].at = to, m->way[n++].next = to->arrow;
        }
        while (n && !m->way[n - 1].next) {
            struct dfi_stall_thing *t = m->way[--n].at;
            t->seen = DFI_DONE_WITH;
            for (i = t->arrow; i; i = i->next)
                if (i->to->steps >= t->steps) t->steps = i->to->steps + 1, t->longest = i;
        }
        if (!n) return 0;
        i = m->way[n - 1].next;
        m->way[n - 1].next = i->next;
        to = i->to;
    }
}

static const char *dfi_stall_verb(const struct dfi_stall_thing *a, const struct dfi_stall_thing *b)
{
    const struct dfi_stall_arrow *i = a->arrow;
    while (i && i->to != b) i = i->next;
    return i ? i->verb : "";
}

/* A line of the report; verb: before the text, or "". */
static void dfi_stall_say(const char *indent, const char *verb, const char *text)
{
    dfi_warn("stall: %s%s%s%s", indent, verb, *verb ? " " : "", text);
}

static void dfi_stall_say_step(const struct dfi_stall_thing *a, const struct dfi_stall_thing *b)
{
    dfi_stall_say("    ", dfi_stall_verb(a, b), b->text);
}

/* Prints the longest path from a, to a thing without further arrows. pre: there is no cycle */
static void dfi_stall_say_chain(const struct dfi_stall_thing *a)
{
    dfi_stall_say("  ", "", a->text);
    for (; a->longest; a = a->longest->to) dfi_stall_say_step(a, a->longest->to);
    if (a->end) dfi_stall_say("    ", "", a->end);
}

/* Adds arrows from locks to the threads that hold them, if these are known. */
static void dfi_stall_owners(struct dfi_stall_map *m)
{
    struct dfi_stall_thing *i, *t, *end = m->thing + m->n_things;
    for (i = m->thing; i < end; i++)
        for (t = m->thing; i->owner && !i->thread && t < end; t++)
            if (t->thread && t->owner == i->owner) dfi_stall_arrow_add(m, i, t, "which is held by");
}

/* Prints the cycle, or else some chains. */
static void dfi_stall_say_why(struct dfi_stall_map *m)
{
    struct dfi_stall_thing *i, *end = m->thing + m->n_things;
    size_t n = 0, begin = 0, k, chains = 0;
    dfi_stall_owners(m);
    for (i = m->thing; i < end && !n; i++)
        if (i->waits) n = dfi_stall_cycle(m, i, &begin);
    if (n) {
        dfi_stall_say("", "", "a cycle, in which each waits for the next:");
        dfi_stall_say("  ", "", m->way[begin].at->text);
        for (k = begin; k < n; k++) dfi_stall_say_step(m->way[k].at, m->way[k + 1 < n ? k + 1 : begin].at);
        return;
    }
    for (i = m->thing; i < end && chains < DFI_STALL_CHAINS; i++) {
        if (!i->waits || !i->arrow) continue;
        if (!chains++) dfi_stall_say("", "", "who waits for whom:");
        dfi_stall_say_chain(i);
    }
}

DFI_SMALL_CODE_END

#endif
