/* scheduler.h - simulation of a recorded run with any number of workers
 *
 * A discrete-event simulation of the scheduler. A task that becomes ready is pushed onto the stack of the worker that
 * made it ready. Workers take the newest task of their own, and steal the oldest of others. A waiting worker runs,
 * nested in the wait, only tasks inside the waiting body. Each body takes its own measured time, between the same
 * steps. With ALL workers everything starts as soon as it may, at no cost: that is the span.
 * Source: Blumofe and Leiserson, Scheduling multithreaded computations by work stealing (JACM 1999), for work and span;
 * simulation from a recorded graph as in Simgrid's StarPU (Stanisic et al., CCPE 2015). */
#ifndef DF_SIMULATE_SCHEDULER_H
#define DF_SIMULATE_SCHEDULER_H

#include "run.h"

enum {
    ALL = 0,         /* as many workers as there are tasks */
    PROBES = 16      /* victims that a waiting worker tries: it may not run most of the tasks found there */
};

/* The data common to all numbers of workers. */
struct plan {
    const struct run *r;
    uint32_t n;
    /* the body that submitted it, and the step of that body that waits for it; or NONE */
    uint32_t *parent, *waiter;
    /* the number of its predecessors, plus 1 if it is submitted; of its children, plus 1 */
    uint32_t *before, *children;
    uint32_t *after, *after_at;    /* successors of body i: after[after_at[i]] .. */
    uint32_t *awaited;             /* of a step: bodies that it waits for */
    uint32_t programs;
    /* ticks of the scheduler for a task, for a stolen task, and for a stolen piece of a loop */
    double task, steal, claim;
};

struct moment { double at; uint32_t who; };

struct sim_worker {
    uint32_t top;                  /* the body that it runs or waits in; NONE: none */
    uint32_t newest, oldest;       /* ready bodies */
    uint32_t at;                   /* its index in idle or waiting, if it is in one of them */
    uint32_t rich;                 /* its index among workers with ready bodies, or NONE */
    int state;
};
enum { RUNNING, IDLE, WAITING };

struct sim {
    const struct plan *p;
    /* the first `helpers` take any task; the others are threads of the program, and only help while
     * they wait */
    uint32_t workers, helpers;
    struct sim_worker *w;
    uint32_t *list[3], n_list[3];  /* RUNNING: workers with ready bodies; idle; waiting */
    uint32_t victim;
    uint32_t *before, *children, *awaited;
    uint32_t *cursor;              /* the next step */
    uint32_t *blocked;             /* the step in which it waits, or NONE */
    uint32_t *on, *below;          /* the worker whose stack it is on, and the body below it there */
    uint32_t *newer, *older;       /* ready bodies of a worker */
    uint32_t *todo, n_todo;        /* finished, but successors and waiters are not yet notified */
    struct moment *heap;
    uint32_t n_heap;
    double now;
    uint32_t left;                 /* unfinished bodies */
    int starved;                   /* a ready body had to wait for a worker */
    int patient;                   /* PROBES is ignored */
};

/* --- events ------------------------------------------------------------------------------------------------------- */

static int earlier(const struct moment *a, const struct moment *b)
{
    return a->at < b->at || (a->at <= b->at && a->who < b->who);
}

static void put_moment(struct sim *m, double at, uint32_t who)
{
    uint32_t i = m->n_heap++;
    struct moment e;
    e.at = at, e.who = who;
    for (; i && earlier(&e, &m->heap[(i - 1) / 2]); i = (i - 1) / 2) m->heap[i] = m->heap[(i - 1) / 2];
    m->heap[i] = e;
}

static struct moment next_moment(struct sim *m)
{
    struct moment first = m->heap[0], e = m->heap[--m->n_heap];
    uint32_t i = 0, c;
    while ((c = 2 * i + 1) < m->n_heap) {
        if (c + 1 < m->n_heap && earlier(&m->heap[c + 1], &m->heap[c])) c++;
        if (!earlier(&m->heap[c], &e)) break;
        m->heap[i] = m->heap[c], i = c;
    }
    m->heap[i] = e;
    return first;
}

/* Body b continues until its next step, from now on. */
static void go_on(struct sim *m, uint32_t b, double cost)
{
    const struct run *r = m->p->r;
    double own = (double)(m->cursor[b] == NONE ? r->body[b].rest : r->step[m->cursor[b]].own);
    put_moment(m, m->now + cost + own, m->workers == ALL ? b : m->on[b]);
}

/* --- ready bodies of a worker ------------------------------------------------------------------------------------- */

static void list_add(struct sim *m, int list, uint32_t v, uint32_t *at)
{
    *at = m->n_list[list];
    m->list[list][m->n_list[list]++] = v;
}

static void set_state(struct sim *m, uint32_t v, int state)
{
    struct sim_worker *w = &m->w[v];
    if (w->state == state) return;
    if (w->state != RUNNING) { /* removed from its list: the last one takes its place */
        uint32_t last = m->list[w->state][--m->n_list[w->state]];
        m->list[w->state][w->at] = last, m->w[last].at = w->at;
    }
    w->state = state;
    if (state != RUNNING) list_add(m, state, v, &w->at);
}

static void put_ready(struct sim *m, uint32_t v, uint32_t b)
{
    struct sim_worker *w = &m->w[v];
    m->older[b] = w->newest, m->newer[b] = NONE;
    if (w->newest != NONE) m->newer[w->newest] = b;
    else w->oldest = b, list_add(m, RUNNING, v, &w->rich);
    w->newest = b;
}

static void take_ready(struct sim *m, uint32_t v, uint32_t b)
{
    struct sim_worker *w = &m->w[v];
    uint32_t newer = m->newer[b], older = m->older[b], last;
    if (newer != NONE) m->older[newer] = older;
    else w->newest = older;
    if (older != NONE) m->newer[older] = newer;
    else w->oldest = newer;
    if (w->newest != NONE) return;
    last = m->list[RUNNING][--m->n_list[RUNNING]];
    m->list[RUNNING][w->rich] = last, m->w[last].rich = w->rich;
}

/* True if b may run nested in the body in which v waits. */
static int may_run(const struct sim *m, uint32_t v, uint32_t b)
{
    uint32_t top = m->w[v].top;
    if (top == NONE || (m->p->programs == 1 && m->p->r->body[top].is & PROGRAM)) return 1;
    while (b != NONE && b != top) b = m->p->parent[b];
    return b == top;
}

/* v has no work, or waits: it finds a body, or joins the list of idle or waiting workers. */
static void find_work(struct sim *m, uint32_t v)
{
    struct sim_worker *w = &m->w[v];
    uint32_t b = w->newest, i, n = m->n_list[RUNNING], from = v;
    double cost;
    if (w->top == NONE && v >= m->helpers) return; /* a thread of the program whose code has ended */
    if (b != NONE && !may_run(m, v, b)) b = NONE;
    if (w->top != NONE && !m->patient && n > PROBES) n = PROBES;
    for (i = 0; b == NONE && i < n; i++) {
        if (m->victim >= m->n_list[RUNNING]) m->victim = 0;
        from = m->list[RUNNING][m->victim];
        b = m->w[from].oldest;
        if (from == v || !may_run(m, v, b)) b = NONE, m->victim++;
    }
    if (b == NONE) {
        set_state(m, v, w->top == NONE ? IDLE : WAITING);
        return;
    }
    cost = m->p->r->body[b].is & PIECE ? 0 : m->p->task;
    if (from != v) cost = m->p->r->body[b].is & PIECE ? m->p->claim : cost + m->p->steal;
    take_ready(m, from, b);
    set_state(m, v, RUNNING);
    m->on[b] = v, m->below[b] = w->top, w->top = b;
    go_on(m, b, cost);
}

/* All predecessors of b are done. v: the worker that made it ready. */
static void make_ready(struct sim *m, uint32_t b, uint32_t v)
{
    unsigned is = m->p->r->body[b].is;
    uint32_t i;
    if (is & INTERNAL || !(is & RAN)) m->todo[m->n_todo++] = b; /* takes no time, or was skipped */
    else if (m->workers == ALL) go_on(m, b, 0);
    else {
        put_ready(m, v, b);
        if (m->n_list[IDLE]) find_work(m, m->list[IDLE][m->n_list[IDLE] - 1]);
        else {
            m->starved = 1;
            for (i = 0; i < PROBES && i < m->n_list[WAITING] && m->on[b] == NONE; i++)
                find_work(m, m->list[WAITING][m->n_list[WAITING] - 1 - i]);
        }
    }
}

/* --- bodies ------------------------------------------------------------------------------------------------------- */

/* The bodies that b waits for in a step are done: it continues, unless another body runs nested in it. */
static void resume(struct sim *m, uint32_t b)
{
    uint32_t v = m->on[b];
    if (m->workers != ALL) {
        if (m->w[v].top != b || m->w[v].state != WAITING) return;
        set_state(m, v, RUNNING);
    }
    m->cursor[b] = m->p->r->step[m->blocked[b]].next;
    m->blocked[b] = NONE;
    go_on(m, b, 0);
}

/* Notifies the successors of finished bodies, and the bodies that wait for them. */
static void notify(struct sim *m, uint32_t v)
{
    const struct plan *p = m->p;
    while (m->n_todo) {
        uint32_t b = m->todo[--m->n_todo], step = p->waiter[b], up = p->parent[b], i;
        m->left--;
        for (i = p->after_at[b]; i < p->after_at[b + 1]; i++)
            if (!--m->before[p->after[i]]) make_ready(m, p->after[i], v);
        if (step != NONE && !--m->awaited[step] && m->blocked[up] == step) resume(m, up);
        if (up != NONE && !--m->children[up]) m->todo[m->n_todo++] = up;
    }
}

/* Executes the current step of body b. Zero: it waits there. */
static int do_step(struct sim *m, uint32_t b, uint32_t v)
{
    const struct step *t = &m->p->r->step[m->cursor[b]];
    uint32_t k;
    if (t->kind == S_SIGNAL || (t->kind == S_SUBMIT && m->p->parent[t->of] == b)) {
        if (!--m->before[t->of]) make_ready(m, t->of, v);
        notify(m, v);
    }
    if (t->kind == S_LOOP)
        for (k = m->p->r->loop[t->of].pieces; k != NONE; k = m->p->r->body[k].link)
            if (!--m->before[k]) make_ready(m, k, v);
    if (m->awaited[m->cursor[b]]) {
        m->blocked[b] = m->cursor[b];
        return 0;
    }
    m->cursor[b] = t->next;
    return 1;
}

/* Body b, on v or on no worker, has come to its next step, or its end. */
static void advance(struct sim *m, uint32_t b, uint32_t v)
{
    struct sim_worker *w = &m->w[v];
    if (m->cursor[b] != NONE) {
        if (do_step(m, b, v)) go_on(m, b, 0);
        else if (m->workers != ALL) find_work(m, v);
        return;
    }
    if (m->workers != ALL) w->top = m->below[b];
    if (!--m->children[b]) {
        m->todo[m->n_todo++] = b;
        notify(m, v);
    }
    if (m->workers == ALL) return;
    b = w->top;
    if (b != NONE && !m->awaited[m->blocked[b]]) {
        m->cursor[b] = m->p->r->step[m->blocked[b]].next, m->blocked[b] = NONE;
        go_on(m, b, 0);
    } else find_work(m, v);
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* True if the body exists, and is not only mentioned as a predecessor. */
static int is_there(const struct body *b) { return b->is != 0; }

/* Finds the wait for each child: the next wait of its body at its level or further out. */
static void plan_steps(struct plan *p, uint32_t b, uint32_t *pending)
{
    const struct run *r = p->r;
    uint32_t i, last = NONE; /* of the children without a wait so far, linked by `pending` */
    for (i = r->body[b].first; i != NONE; i = r->step[i].next) {
        const struct step *t = &r->step[i];
        if (t->kind == S_WAIT) {
            for (; last != NONE && r->body[last].level >= t->level; last = pending[last])
                p->waiter[last] = i, p->awaited[i]++;
            continue;
        }
        if (t->kind == S_SIGNAL) {
            p->before[t->of]++;
            continue;
        }
        if (t->kind == S_LOOP) {
            uint32_t k;
            for (k = r->loop[t->of].pieces; k != NONE; k = r->body[k].link) {
                p->parent[k] = b, p->waiter[k] = i;
                p->before[k]++, p->awaited[i]++, p->children[b]++;
            }
            continue;
        }
        if (p->parent[t->of] != NONE || t->of == b || r->body[t->of].is & PROGRAM) continue;
        p->parent[t->of] = b;
        p->children[b]++;
        if (t->kind == S_SUBMIT) {
            p->before[t->of]++;
            pending[t->of] = last, last = t->of;
        } else p->waiter[t->of] = i, p->awaited[i]++;
    }
}

static void plan_new(struct plan *p, const struct run *r)
{
    uint32_t i, e, *pending;
    memset(p, 0, sizeof *p);
    p->r = r, p->n = r->bodies;
    p->parent = filled(p->n, NONE);
    p->waiter = filled(p->n, NONE);
    p->before = filled(p->n, 0);
    p->children = filled(p->n, 1);
    p->after_at = filled(p->n + 2, 0);
    p->after = filled(r->edges, 0);
    p->awaited = filled(r->steps, 0);
    pending = filled(p->n, NONE);
    for (i = 0; i < p->n; i++) {
        p->programs += (r->body[i].is & PROGRAM) != 0;
        plan_steps(p, i, pending);
        for (e = r->body[i].before; e != NONE; e = r->edge[e].next)
            if (is_there(&r->body[r->edge[e].before])) p->before[i]++, p->after_at[r->edge[e].before + 2]++;
    }
    for (i = 2; i <= p->n + 1; i++) p->after_at[i] += p->after_at[i - 1];
    for (i = 0; i < p->n; i++) /* after_at[j + 1] moves from the beginning of the list of j to its end */
        for (e = r->body[i].before; e != NONE; e = r->edge[e].next)
            if (is_there(&r->body[r->edge[e].before])) p->after[p->after_at[r->edge[e].before + 1]++] = i;
    free(pending);
}

static void plan_free(struct plan *p)
{
    free(p->parent), free(p->waiter), free(p->before), free(p->children), free(p->after_at), free(p->after),
        free(p->awaited);
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

/* Begins the code of the threads, the first on worker 0, others on workers of their own, and the
 * bodies without a submitter. */
static void sim_begin(struct sim *m)
{
    const struct run *r = m->p->r;
    uint32_t i, v, foreign = m->helpers, first = NONE;
    for (v = 0; v < m->helpers + m->p->programs + 1; v++) {
        memset(&m->w[v], 0, sizeof m->w[v]);
        m->w[v].top = m->w[v].newest = m->w[v].oldest = NONE;
    }
    for (i = 0; i < m->p->n; i++)
        if (r->body[i].is & PROGRAM && (first == NONE || r->body[i].id < r->body[first].id)) first = i;
    for (i = 0; i < m->p->n; i++) {
        if (!(r->body[i].is & PROGRAM)) continue;
        v = i == first && m->helpers ? 0 : foreign++;
        m->on[i] = v, m->w[v].top = i;
        go_on(m, i, (double)(r->body[i].id - r->body[first].id));
    }
    for (v = 0; v < m->helpers; v++)
        if (m->w[v].top == NONE) set_state(m, v, IDLE);
    for (i = 0; i < m->p->n; i++)
        if (is_there(&r->body[i]) && !(r->body[i].is & PROGRAM) && !m->p->before[i]) {
            make_ready(m, i, 0);
            notify(m, 0);
        }
}

static uint32_t *copied(const uint32_t *from, uint32_t n)
{
    uint32_t *p = filled(n, 0);
    if (n) memcpy(p, from, n * sizeof *p);
    return p;
}

static void sim_new(struct sim *m, const struct plan *p, uint32_t workers)
{
    uint32_t n = p->n, all = workers + p->programs + 1, i;
    memset(m, 0, sizeof *m);
    m->p = p, m->workers = m->helpers = workers;
    m->heap = allocate(NULL, (size_t)n + all, sizeof *m->heap);
    m->w = allocate(NULL, all, sizeof *m->w);
    for (i = 0; i < 3; i++) m->list[i] = filled(all, 0);
    m->before = copied(p->before, n), m->children = copied(p->children, n);
    m->awaited = copied(p->awaited, p->r->steps);
    m->cursor = filled(n, 0), m->blocked = filled(n, NONE);
    m->on = filled(n, NONE), m->below = filled(n, NONE);
    m->newer = filled(n, NONE), m->older = filled(n, NONE);
    m->todo = filled(n + 1, 0);
}

static void sim_free(struct sim *m)
{
    uint32_t i;
    for (i = 0; i < 3; i++) free(m->list[i]);
    free(m->heap), free(m->w), free(m->before), free(m->children), free(m->awaited), free(m->cursor), free(m->blocked),
        free(m->on), free(m->below), free(m->newer), free(m->older), free(m->todo);
}

/* The ticks of a run with that number of workers, or ALL. *starved: more workers may be faster; *left: bodies that
 * never ran, because their predecessors are unknown. */
static double simulate(const struct plan *p, uint32_t workers, int *starved, uint32_t *left)
{
    struct sim m;
    uint32_t i, n;
    sim_new(&m, p, workers);
    for (i = 0; i < p->n; i++) m.cursor[i] = p->r->body[i].first, m.left += (uint32_t)is_there(&p->r->body[i]);
    sim_begin(&m);
    for (;;) {
        while (m.n_heap) {
            struct moment e = next_moment(&m);
            m.now = e.at;
            advance(&m, workers == ALL ? e.who : m.w[e.who].top, workers == ALL ? 0 : e.who);
        }
        if (!m.left || workers == ALL) break;
        m.patient = 1; /* a worker that may run a body found none: now the waiting workers try all victims */
        for (n = m.n_list[WAITING], i = 0; i < n && !m.n_heap; i++) find_work(&m, m.list[WAITING][i]);
        if (!m.n_heap) break;
        m.patient = 0;
    }
    sim_free(&m);
    *starved = m.starved, *left = m.left;
    return m.now;
}

#endif
