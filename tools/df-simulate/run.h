/* run.h - records of a run: times of bodies, their steps, and their order
 *
 * A body is a task, a stolen future, or the code of a thread outside tasks. Its steps, submissions and waits, divide
 * its own time. Times are in ticks of the clock of the run. */
#ifndef DF_SIMULATE_RUN_H
#define DF_SIMULATE_RUN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE 0xffffffffu

/* body.is */
enum { SUBMITTED = 1, RAN = 2, INTERNAL = 4, PROGRAM = 8, PIECE = 16 };
enum { S_SUBMIT, S_WAIT, S_UNTIL, S_SIGNAL, /* steps, */
       /* items: S_LOOP becomes a step of its body, S_INLINE does not; these begin the code of the program's threads; */
       S_LOOP, S_INLINE,
       S_COVER };                           /* not part of a body */

struct body {
    uint64_t id;                 /* PROGRAM: the time at which it begins */
    double rest;                 /* ticks after its last step */
    uint32_t name, link;         /* link: the next body in its list of the hash table, or of pieces */
    uint32_t first, last;        /* steps */
    uint32_t before;             /* edges to its predecessors */
    uint16_t is, level;          /* level: of the scope that it is a child of */
};
struct step {
    double own;                  /* ticks of its body since the last step */
    uint32_t next, of;           /* SUBMIT, UNTIL, SIGNAL: a body; LOOP: a loop */
    uint16_t kind, level;        /* level: WAIT */
};
/* Part of a loop, as one worker executed it; and a loop, as far as its owner executed it. */
struct part {
    uint64_t at;
    double own;
    uint64_t n;                  /* iterations, at most */
    int64_t first;
    uint32_t name, loop;         /* loop: NONE: of another worker */
};
struct loop {
    uint64_t since, from;        /* the end of its owner's work before it; the begin of its first part */
    int64_t first;               /* first iteration of its last part so far */
    uint32_t name, body, step, pieces; /* pieces: bodies, linked */
};
struct edge { uint32_t next, before; };

/* An event of a worker whose enclosing body is not yet known. */
struct item {
    uint64_t at, end;
    double cost;                 /* ticks spent on writing events */
    uint32_t of;
    uint16_t kind, level;
};
/* A worker, or a thread of the program that takes part. */
struct track {
    struct item *item;
    uint32_t n, room;
    uint32_t program;            /* number of the body of its thread's code, plus 1; 0: none */
    uint64_t now;                /* that body is known up to this time */
    int pending;                 /* that body has not waited for children at these levels: */
    unsigned lowest, highest;
    int foreign;                 /* a thread of the program */
    uint64_t iterations;         /* of the part of the next event, */
    int64_t first;               /* from this one on */
    uint64_t own;                /* own ticks of the body or wait of the next event */
    int shared;                  /* 0: all ticks are its own */
    uint64_t last;               /* the end of its last task, if nothing happened since, or 0 */
};

/* The cost of events in ticks: of an event; of an event with a time and a name; of a body, outside its measured
 * time, and inside. */
struct cost { double event, submit, outside, inside; };

struct run {
    unsigned workers;            /* of df */
    double ns_per_tick;
    struct cost cost;
    struct body *body;
    struct step *step;
    struct edge *edge;
    struct part *part;
    struct loop *loop;
    uint32_t bodies, steps, edges, parts, loops, body_room, step_room, edge_room, part_room, loop_room;
    uint32_t *hash, mask;        /* mask + 1 lists */
    struct track *track;
    uint32_t tracks;
    uint64_t stolen_futures;
    uint64_t gaps, gap_ticks;    /* from one task of a worker to the next: the scheduler, and writing events */
};

/* --- memory ------------------------------------------------------------------------------------------------------- */

static void *allocate(void *old, size_t n, size_t bytes)
{
    void *p = n < SIZE_MAX / bytes ? realloc(old, n * bytes + 1) : NULL;
    if (p) return p;
    fprintf(stderr, "df-simulate: out of memory\n");
    exit(1);
}

/* Makes room for element n in an array of *room elements. */
static void *grown(void *array, uint32_t n, uint32_t *room, size_t bytes)
{
    if (n < *room) return array;
    *room = n < 64 ? 64 : 2 * n;
    return allocate(array, n < NONE / 2 ? *room : SIZE_MAX, bytes);
}

static uint32_t *filled(uint32_t n, uint32_t value)
{
    uint32_t *p = allocate(NULL, n, sizeof *p), i;
    for (i = 0; i < n; i++) p[i] = value;
    return p;
}

static void run_free(struct run *r)
{
    uint32_t i;
    for (i = 0; i < r->tracks; i++) free(r->track[i].item);
    free(r->body), free(r->step), free(r->edge), free(r->part), free(r->loop), free(r->hash), free(r->track);
    memset(r, 0, sizeof *r);
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static struct { char **text; uint32_t n, room, *hash, mask; } names;

/* The place of that text of n bytes in the hash table, or the one that is free for it. */
static uint32_t *name_place(const char *text, size_t n)
{
    uint32_t h = 2166136261u, i; /* FNV-1a */
    size_t k;
    for (k = 0; k < n; k++) h = (h ^ (unsigned char)text[k]) * 16777619u;
    for (h &= names.mask; (i = names.hash[h]) != NONE; h = (h + 1) & names.mask)
        if (!strncmp(names.text[i], text, n) && !names.text[i][n]) break;
    return &names.hash[h];
}

/* The number of that text: the same for equal texts. */
static uint32_t name_of(const char *text, size_t n)
{
    uint32_t i, *place;
    if (2 * names.n >= names.mask) {
        free(names.hash);
        names.mask = names.mask ? 2 * names.mask + 1 : 255;
        names.hash = filled(names.mask + 1, NONE);
        for (i = 0; i < names.n; i++) *name_place(names.text[i], strlen(names.text[i])) = i;
    }
    place = name_place(text, n);
    if (*place != NONE) return *place;
    names.text = grown(names.text, names.n, &names.room, sizeof *names.text);
    names.text[names.n] = allocate(NULL, n + 1, 1);
    memcpy(names.text[names.n], text, n);
    names.text[names.n][n] = 0;
    return *place = names.n++;
}

/* --- bodies ------------------------------------------------------------------------------------------------------- */

static uint32_t new_body(struct run *r, uint64_t id)
{
    struct body *b;
    r->body = grown(r->body, r->bodies, &r->body_room, sizeof *b);
    b = &r->body[r->bodies];
    memset(b, 0, sizeof *b);
    b->id = id;
    b->link = b->first = b->last = b->before = NONE;
    return r->bodies++;
}

static uint32_t *list_of(struct run *r, uint64_t id)
{
    return &r->hash[(uint32_t)(id * 0x9e3779b97f4a7c15u >> 32) & r->mask];
}

/* Adapts the hash table to the number of bodies. */
static void rehash(struct run *r)
{
    uint32_t i, *list;
    free(r->hash);
    r->mask = r->mask ? 2 * r->mask + 1 : 1023;
    r->hash = filled(r->mask + 1, NONE);
    for (i = 0; i < r->bodies; i++)
        if (!(r->body[i].is & PROGRAM)) {
            list = list_of(r, r->body[i].id);
            r->body[i].link = *list, *list = i; /* later ones first, as when they come */
        }
}

/* The body with that identity that is not yet known to be all of `is` (else a new one in the same memory). Marks it as
 * `is`. */
static uint32_t find_body(struct run *r, uint64_t id, unsigned is)
{
    uint32_t i, *list;
    if (r->bodies >= r->mask) rehash(r);
    list = list_of(r, id);
    for (i = *list; i != NONE && r->body[i].id != id;) i = r->body[i].link;
    if (i == NONE || (is && (r->body[i].is & is) == is)) {
        i = new_body(r, id);
        r->body[i].link = *list, *list = i;
    }
    r->body[i].is = (uint16_t)(r->body[i].is | is);
    return i;
}

/* Adds a step to that body, after its last one. */
static uint32_t add_step(struct run *r, uint32_t body, double own, unsigned kind, uint32_t of, unsigned level)
{
    struct step *t;
    struct body *b = &r->body[body];
    r->step = grown(r->step, r->steps, &r->step_room, sizeof *t);
    t = &r->step[r->steps];
    t->own = own, t->next = NONE, t->of = of;
    t->kind = (uint16_t)kind, t->level = (uint16_t)level;
    if (b->first == NONE) b->first = r->steps;
    else r->step[b->last].next = r->steps;
    b->last = r->steps;
    return r->steps++;
}

static void add_edge(struct run *r, uint32_t before, uint32_t body)
{
    struct edge *e;
    r->edge = grown(r->edge, r->edges, &r->edge_room, sizeof *e);
    e = &r->edge[r->edges];
    e->before = before, e->next = r->body[body].before;
    r->body[body].before = r->edges++;
}

/* The time of all bodies, without nested ones: those of the program outside of tasks, or all others. */
static double work_of(const struct run *r, int program)
{
    double ticks = 0;
    uint32_t i, k;
    for (i = 0; i < r->bodies; i++) {
        if (r->body[i].is & INTERNAL || program != ((r->body[i].is & PROGRAM) != 0)) continue;
        ticks += r->body[i].rest;
        for (k = r->body[i].first; k != NONE; k = r->step[k].next) ticks += r->step[k].own;
    }
    return ticks;
}

#endif
