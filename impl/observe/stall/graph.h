/* graph.h - wait-for graph of a stall report, and the search for a cycle in it
 *
 * The things are threads, tasks, and the objects that tasks wait for; an arrow says that one cannot
 * continue before the other. All text is copied, because it is printed after every lock was
 * released. */
#ifndef DFI_OBSERVE_STALL_GRAPH_H
#define DFI_OBSERVE_STALL_GRAPH_H

#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../work/types.h"

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
    size_t steps, longest;   /* then: length of the longest path from there, which begins with that arrow */
    size_t arrow;            /* first of its outgoing arrows, plus 1 */
    char text[DFI_STALL_TEXT];
};
struct dfi_stall_arrow { size_t to, next; const char *verb; };

struct dfi_stall_map {
    double ns_per_tick;
    uint64_t now;
    size_t n_things, n_arrows, n_lines, more_lines;
    size_t n_todo;
    int waiting, idle, busy; /* threads that wait, have no work, run a body; */
    int waits;               /* there is a wait, including those with bodies nested in them */
    struct dfi_stall_thing thing[DFI_STALL_THINGS];
    /* tasks whose neighbours are not yet examined */
    struct { const struct dfi_flow *task; size_t thing; } todo[DFI_STALL_THINGS];
    struct dfi_stall_arrow arrow[DFI_STALL_ARROWS];
    struct dfi_weak *weak[DFI_STALL_WEAK]; /* locked, so that the successors of parts stay */
    size_t n_weak;
    size_t table[DFI_STALL_TABLE]; /* index of a thing, plus 1 */
    size_t way[DFI_STALL_THINGS], way_arrow[DFI_STALL_THINGS];
    char line[DFI_STALL_LINES][DFI_STALL_TEXT];
};
#define DFI_STALL_NONE ((size_t)DFI_STALL_THINGS)

/* The thing with that key, added if there is none. DFI_STALL_NONE: there are too many. */
static size_t dfi_stall_thing_of(struct dfi_stall_map *m, const void *key)
{
    size_t h = ((uintptr_t)key >> 4) * 2654435761u, i;
    for (;; h++) {
        size_t *at = &m->table[h & (DFI_STALL_TABLE - 1)];
        if (*at && m->thing[*at - 1].key == key) return *at - 1;
        if (*at) continue;
        if ((i = m->n_things) == DFI_STALL_THINGS) return DFI_STALL_NONE;
        memset(&m->thing[i], 0, sizeof m->thing[i]);
        m->thing[i].key = key;
        *at = ++m->n_things;
        return i;
    }
}

/* Adds an arrow: a cannot continue before b. verb: the text between the two. */
static void dfi_stall_arrow_add(struct dfi_stall_map *m, size_t a, size_t b, const char *verb)
{
    size_t i;
    if (a == DFI_STALL_NONE || b == DFI_STALL_NONE || m->n_arrows == DFI_STALL_ARROWS) return;
    for (i = m->thing[a].arrow; i; i = m->arrow[i - 1].next)
        if (m->arrow[i - 1].to == b) return;
    i = m->n_arrows++;
    m->arrow[i].to = b, m->arrow[i].verb = verb;
    m->arrow[i].next = m->thing[a].arrow;
    m->thing[a].arrow = i + 1;
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
static size_t dfi_stall_cycle(struct dfi_stall_map *m, size_t from, size_t *begin)
{
    enum { DFI_NOT_SEEN, DFI_ON_THE_WAY, DFI_DONE_WITH };
    size_t n = 0, k;
    if (m->thing[from].seen) return 0;
    m->way[n] = from, m->way_arrow[n++] = m->thing[from].arrow;
    m->thing[from].seen = DFI_ON_THE_WAY;
    while (n) {
        size_t i = m->way_arrow[n - 1], to;
        if (!i) {
            struct dfi_stall_thing *t = &m->thing[m->way[--n]];
            t->seen = DFI_DONE_WITH;
            for (i = t->arrow; i; i = m->arrow[i - 1].next)
                if (m->thing[m->arrow[i - 1].to].steps >= t->steps)
                    t->steps = m->thing[m->arrow[i - 1].to].steps + 1, t->longest = i;
            continue;
        }
        m->way_arrow[n - 1] = m->arrow[i - 1].next;
        to = m->arrow[i - 1].to;
        if (m->thing[to].seen == DFI_ON_THE_WAY) {
            for (k = 0; m->way[k] != to;) k++;
            *begin = k;
            return n;
        }
        if (m->thing[to].seen) continue;
        m->thing[to].seen = DFI_ON_THE_WAY;
        m->way[n] = to, m->way_arrow[n++] = m->thing[to].arrow;
    }
    return 0;
}

static const char *dfi_stall_verb(const struct dfi_stall_map *m, size_t a, size_t b)
{
    size_t i = m->thing[a].arrow;
    while (i && m->arrow[i - 1].to != b) i = m->arrow[i - 1].next;
    return i ? m->arrow[i - 1].verb : "";
}

static void dfi_stall_say(const char *text) { dfi_warn("stall: %s", text); }

static void dfi_stall_say_step(const struct dfi_stall_map *m, size_t a, size_t b)
{
    char text[DFI_STALL_TEXT + 60];
    snprintf(text, sizeof text, "    %s %s", dfi_stall_verb(m, a, b), m->thing[b].text);
    dfi_stall_say(text);
}

/* Prints the longest path from `from`, to a thing without further arrows. pre: there is no cycle */
static void dfi_stall_say_chain(const struct dfi_stall_map *m, size_t from)
{
    char text[DFI_STALL_TEXT + 60];
    size_t a = from;
    snprintf(text, sizeof text, "  %s", m->thing[a].text);
    dfi_stall_say(text);
    while (m->thing[a].longest) {
        size_t b = m->arrow[m->thing[a].longest - 1].to;
        dfi_stall_say_step(m, a, b);
        a = b;
    }
    if (!m->thing[a].end) return;
    snprintf(text, sizeof text, "    %s", m->thing[a].end);
    dfi_stall_say(text);
}

/* Adds arrows from locks to the threads that hold them, if these are known. */
static void dfi_stall_owners(struct dfi_stall_map *m)
{
    size_t i, n = m->n_things, t;
    for (i = 0; i < n; i++)
        for (t = 0; m->thing[i].owner && !m->thing[i].thread && t < n; t++)
            if (m->thing[t].thread && m->thing[t].owner == m->thing[i].owner)
                dfi_stall_arrow_add(m, i, t, "which is held by");
}

/* Prints the cycle, or else some chains. */
static void dfi_stall_say_why(struct dfi_stall_map *m)
{
    size_t i, n = 0, begin = 0, k, chains = 0;
    dfi_stall_owners(m);
    for (i = 0; i < m->n_things && !n; i++)
        if (m->thing[i].waits) n = dfi_stall_cycle(m, i, &begin);
    if (n) {
        char text[DFI_STALL_TEXT + 60];
        dfi_stall_say("a cycle, in which each waits for the next:");
        snprintf(text, sizeof text, "  %s", m->thing[m->way[begin]].text);
        dfi_stall_say(text);
        for (k = begin; k < n; k++) dfi_stall_say_step(m, m->way[k], m->way[k + 1 < n ? k + 1 : begin]);
        return;
    }
    for (i = 0; i < m->n_things && chains < DFI_STALL_CHAINS; i++) {
        if (!m->thing[i].waits || !m->thing[i].arrow) continue;
        if (!chains++) dfi_stall_say("who waits for whom:");
        dfi_stall_say_chain(m, i);
    }
}

DFI_SMALL_CODE_END

#endif
