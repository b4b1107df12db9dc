/* stats.h - records of DF_STATS: times of bodies, their steps, and their order
 *
 * A body is a task, a stolen future, or the code of a thread outside tasks. Its steps, submissions
 * and waits, divide its own time. Events come in the order of each worker, a body after all bodies
 * nested in it. So each worker has a stack of items whose enclosing body is not yet known. Events of
 * several workers come in any order, so an edge, the end or the submission of a task may be seen
 * first. Only the reader of events accesses these records, and df_stop after it (observe/events.h). */
#ifndef DFI_OBSERVE_STATS_STATS_H
#define DFI_OBSERVE_STATS_STATS_H

#include "../../base/compiler.h"
#include "../../base/file.h"
#include "../../base/memory.h"
#include "../event.h"
#include "../events.h"
#include "../../api/public.h"

DFI_SMALL_CODE_BEGIN

enum {
    DFI_S_MOST = 1 << 18,    /* bodies kept for the simulation: about 40 MB, and a second of simulation */
    DFI_S_GAP_US = 5         /* a longer gap between two tasks of a worker is not due to the scheduler */
};
#define DFI_S_NONE 0xffffffffu

/* dfi_s_body.is */
enum { DFI_S_SUBMITTED = 1, DFI_S_RAN = 2, DFI_S_INTERNAL = 4, DFI_S_PROGRAM = 8, DFI_S_PIECE = 16 };
enum { DFI_S_SUBMIT, DFI_S_WAIT, DFI_S_UNTIL, DFI_S_SIGNAL,  /* steps, */
       /* kinds that matter only for threads of the program: a step; none; */
       DFI_S_LOOP, DFI_S_INLINE,
       DFI_S_COVER };                                        /* not part of a body */

struct dfi_s_body {
    uint64_t id;
    float rest;              /* ticks after its last step */
    uint32_t name, link;     /* link: the next one in its list of the hash table */
    uint32_t first, last;    /* steps */
    uint32_t before;         /* edges to its predecessors */
    uint16_t is, level;      /* level: of the scope that it is a child of */
};
struct dfi_s_step {
    float own;               /* ticks of its body since the last step */
    uint32_t next, of;       /* SUBMIT, UNTIL, SIGNAL: a body; LOOP: a loop */
    uint16_t kind, level;    /* level: WAIT */
};
/* Part of a loop, as one worker executed it; and a loop, as far as its owner executed it. */
struct dfi_s_part {
    uint64_t at;
    double own;
    uint64_t n;              /* iterations, at most */
    int64_t first;
    uint32_t name, loop;     /* loop: DFI_S_NONE: of another worker */
};
struct dfi_s_loop {
    uint64_t since, from;    /* the end of its owner's work before it; the begin of its first part */
    int64_t first;           /* first iteration of its last part so far */
    uint32_t name, body, step, pieces; /* pieces: bodies, linked */
};
struct dfi_s_edge { uint32_t next, before; };

/* An event of a worker whose enclosing body is not yet known. */
struct dfi_s_item {
    uint64_t at, end;
    double cost;             /* ticks spent on writing events */
    uint32_t of;
    uint16_t kind, level;
};
struct dfi_s_worker {
    struct dfi_s_item *item;
    uint32_t n, room;
    uint32_t program;        /* number of the body of its thread's code, plus 1; 0: none */
    uint64_t now;            /* that body is known up to this time */
    uint16_t pending, lowest, highest; /* the thread's code has not waited for children at these levels */
    uint32_t index;          /* df_worker() */
    int seen, foreign;             /* a thread of the program */
    uint64_t iterations;     /* of the part of the next event, */
    int64_t first;           /* from this one on */
    uint64_t own;            /* own ticks of the body or wait of the next event */
    int shared;              /* 0: all ticks are its own */
    uint64_t last;           /* the end of its last task, if nothing happened since, or 0 */
    uint64_t tasks, busy, waiting, asleep;
};
struct dfi_s_name { uint64_t count, most; double total; };
/* number of counted bodies, and the sum of their dfi_running.count */
struct dfi_s_perf { uint64_t count; double sum[DFI_PERF_NUMBERS]; };

/* The cost of events in ticks: of one; of one with a time and a name; of a body, outside its
 * measured time, and inside. The counts of an empty body. */
struct dfi_s_cost { double event, submit, outside, inside, count[DFI_PERF_NUMBERS]; };

struct dfi_stats {
    int on, to_log;
    const char *variable;
    char *file;                      /* the last one, or NULL */
    struct dfi_output to;
    int standard, broken;            /* standard output; write error */
    long process;
    df_counters before;              /* at the start */
    uint64_t began;
    struct dfi_s_cost cost;
    struct dfi_s_body *body;
    struct dfi_s_step *step;
    struct dfi_s_edge *edge;
    struct dfi_s_part *part;
    struct dfi_s_loop *loop;
    uint32_t bodies, steps, edges, parts, loops, body_room, step_room, edge_room, part_room, loop_room;
    uint32_t *hash, mask;            /* mask + 1 lists */
    struct dfi_s_worker *worker;
    uint32_t workers;
    struct dfi_s_name *name;         /* by the number of the text */
    uint32_t names;
    struct dfi_s_perf *perf;         /* likewise */
    uint32_t perfs;
    uint64_t stolen_futures, left_out;
    /* from one task of a worker to the next: the scheduler, and writing events */
    uint64_t gap_most, gaps, gap_ticks;
    int full, incomplete;            /* more than DFI_S_MOST; there was no memory for some record */
};
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_stats dfi_stats;
DFI_EXTERN_C_END

/* Makes room for element n in an array of *room elements. zeroed: new elements are zero; else
 * uninitialised. 0, or -1 without memory. */
static int dfi_s_grow(void **array, uint32_t *room, uint32_t n, size_t bytes, int zeroed)
{
    uint32_t more = *room ? *room : 64;
    void *p;
    if (n < *room) return 0;
    while (more <= n) more *= zeroed ? 2 : 4; /* untouched memory costs nothing, but copies do */
    if (!(p = dfi_malloc(more * bytes))) {
        dfi_stats.incomplete = 1;
        return -1;
    }
    if (*room) memcpy(p, *array, *room * bytes);
    if (zeroed) memset((char *)p + *room * bytes, 0, (more - *room) * bytes);
    dfi_mfree(*array);
    *array = p, *room = more;
    return 0;
}
#define DFI_S_GROW(array, type, room, n, zeroed) \
    do { \
        void *dfi_p = (void *)(array); \
        if (dfi_s_grow(&dfi_p, &(room), (n), sizeof(type), (zeroed))) return DFI_S_NONE; \
        (array) = (type *)dfi_p; \
    } while (0)
#define DFI_S_ROOM(array, type, room, n) DFI_S_GROW(array, type, room, n, 0)
#define DFI_S_ZEROED(array, type, room, n) DFI_S_GROW(array, type, room, n, 1)

static uint32_t dfi_s_new_body(struct dfi_stats *s, uint64_t id)
{
    struct dfi_s_body *b;
    DFI_S_ROOM(s->body, struct dfi_s_body, s->body_room, s->bodies);
    b = &s->body[s->bodies];
    memset((void *)b, 0, sizeof *b);
    b->id = id;
    b->link = b->first = b->last = b->before = DFI_S_NONE;
    return s->bodies++;
}

static uint32_t dfi_s_hash(const struct dfi_stats *s, uint64_t id) { return dfi_id_home(id) & s->mask; }

/* Adapts the hash table to the number of bodies. 0, or DFI_S_NONE without memory. */
static uint32_t dfi_s_rehash(struct dfi_stats *s)
{
    uint32_t mask = s->mask ? 2 * s->mask + 1 : 1023, i;
    uint32_t *hash = (uint32_t *)dfi_malloc(((size_t)mask + 1) * sizeof *hash);
    if (!hash) {
        s->incomplete = 1;
        return s->mask ? 0 : DFI_S_NONE;
    }
    dfi_mfree(s->hash);
    s->hash = hash, s->mask = mask;
    for (i = 0; i <= mask; i++) hash[i] = DFI_S_NONE;
    for (i = 0; i < s->bodies; i++)
        if (!(s->body[i].is & DFI_S_PROGRAM)) {
            uint32_t *at = &hash[dfi_s_hash(s, s->body[i].id)];
            s->body[i].link = *at, *at = i; /* later ones first, as when they come */
        }
    return 0;
}

/* The body with that identity that is not yet known to be all of `is` (else a new one in the same
 * memory). Marks it as `is`. DFI_S_NONE: not recorded. */
static uint32_t dfi_s_find(struct dfi_stats *s, uint64_t id, unsigned is)
{
    uint32_t i, h;
    if (s->bodies >= s->mask && dfi_s_rehash(s)) return DFI_S_NONE;
    h = dfi_s_hash(s, id);
    for (i = s->hash[h]; i != DFI_S_NONE && s->body[i].id != id;) i = s->body[i].link;
    if (i == DFI_S_NONE || (is && (s->body[i].is & is) == is)) {
        if (s->bodies == DFI_S_MOST) s->full = 1;
        if (s->full || (i = dfi_s_new_body(s, id)) == DFI_S_NONE) return DFI_S_NONE;
        s->body[i].link = s->hash[h], s->hash[h] = i;
    }
    s->body[i].is = (uint16_t)(s->body[i].is | is);
    return i;
}

/* Adds a step to that body, after its last one. */
static uint32_t dfi_s_add_step(struct dfi_stats *s, uint32_t body, double own, unsigned kind, uint32_t of,
                               unsigned level)
{
    struct dfi_s_step *t;
    struct dfi_s_body *b = &s->body[body];
    DFI_S_ROOM(s->step, struct dfi_s_step, s->step_room, s->steps);
    t = &s->step[s->steps];
    t->own = (float)own, t->next = DFI_S_NONE, t->of = of;
    t->kind = (uint16_t)kind, t->level = (uint16_t)level;
    if (b->first == DFI_S_NONE) b->first = s->steps;
    else s->step[b->last].next = s->steps;
    b->last = s->steps;
    return s->steps++;
}

static uint32_t dfi_s_add_edge(struct dfi_stats *s, uint32_t before, uint32_t body)
{
    struct dfi_s_edge *e;
    DFI_S_ROOM(s->edge, struct dfi_s_edge, s->edge_room, s->edges);
    e = &s->edge[s->edges];
    e->before = before, e->next = s->body[body].before;
    s->body[body].before = s->edges;
    return s->edges++;
}

DFI_SMALL_CODE_END

#endif
