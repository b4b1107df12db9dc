/* simulate.h - simulation of a recorded run with any number of workers
 *
 * A discrete-event simulation of the scheduler. A task that becomes ready is pushed onto the stack
 * of the worker that made it ready. Workers take the newest task of their own, and steal the oldest
 * of others. A waiting worker runs, nested in the wait, only tasks inside the waiting body. Each
 * body takes its own measured time, between the same steps. With DFI_S_ALL workers everything starts
 * as soon as it may, at no cost: that is the span.
 * Source: Blumofe and Leiserson, Scheduling multithreaded computations by work stealing (JACM 1999),
 * for work and span; simulation from a recorded graph as in Simgrid's StarPU (Stanisic et al., CCPE
 * 2015). */
#ifndef DFI_OBSERVE_STATS_SIMULATE_H
#define DFI_OBSERVE_STATS_SIMULATE_H

#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "stats.h"

DFI_SMALL_CODE_BEGIN

enum {
    DFI_S_ALL = 0,         /* as many workers as there are tasks */
    DFI_S_PROBES = 16      /* victims that a waiting worker tries: it may not run most of the tasks found there */
};

/* The data common to all numbers of workers. */
struct dfi_s_plan {
    const struct dfi_stats *s;
    uint32_t n;
    /* the body that submitted it, and the step of that body that waits for it; or DFI_S_NONE */
    uint32_t *parent, *waiter;
    /* the number of its predecessors, plus 1 if it is submitted; of its children, plus 1 */
    uint32_t *before, *children;
    uint32_t *after, *after_at;    /* successors of body i: after[after_at[i]] .. */
    uint32_t *awaited;             /* of a step: bodies that it waits for */
    uint32_t programs;
    /* ticks of the scheduler for a task, for a stolen task, and for a stolen piece of a loop */
    double task, steal, claim;
};

struct dfi_s_event { double at; uint32_t who; };

struct dfi_s_sim_worker {
    uint32_t top;                  /* the body that it runs or waits in; DFI_S_NONE: none */
    uint32_t newest, oldest;       /* ready bodies */
    uint32_t at;                   /* its index in idle or waiting, if it is in one of them */
    uint32_t rich;                 /* its index among workers with ready bodies, or DFI_S_NONE */
    int state;
};
enum { DFI_S_RUNNING, DFI_S_IDLE, DFI_S_WAITING };

struct dfi_s_sim {
    const struct dfi_s_plan *p;
    /* the first `helpers` take any task; the others are threads of the program, and only help while
     * they wait */
    uint32_t workers, helpers;
    struct dfi_s_sim_worker *w;
    uint32_t *list[3], n_list[3];  /* DFI_S_RUNNING: workers with ready bodies; idle; waiting */
    uint32_t victim;
    uint32_t *before, *children, *awaited;
    uint32_t *cursor;              /* the next step */
    uint32_t *blocked;             /* the step in which it waits, or DFI_S_NONE */
    uint32_t *on, *below;          /* the worker whose stack it is on, and the body below it there */
    uint32_t *newer, *older;       /* ready bodies of a worker */
    uint32_t *todo, n_todo;        /* finished, but successors and waiters are not yet notified */
    struct dfi_s_event *heap;
    uint32_t n_heap;
    double now;
    uint32_t left;                 /* unfinished bodies */
    int starved;                   /* a ready body had to wait for a worker */
    int patient;                   /* DFI_S_PROBES is ignored */
};

/* --- events ------------------------------------------------------------------------------------------------------- */

static int dfi_s_earlier(const struct dfi_s_event *a, const struct dfi_s_event *b)
{
    return a->at < b->at || (a->at <= b->at && a->who < b->who);
}

static void dfi_s_at(struct dfi_s_sim *m, double at, uint32_t who)
{
    uint32_t i = m->n_heap++;
    struct dfi_s_event e;
    e.at = at, e.who = who;
    for (; i && dfi_s_earlier(&e, &m->heap[(i - 1) / 2]); i = (i - 1) / 2) m->heap[i] = m->heap[(i - 1) / 2];
    m->heap[i] = e;
}

static struct dfi_s_event dfi_s_next(struct dfi_s_sim *m)
{
    struct dfi_s_event first = m->heap[0], e = m->heap[--m->n_heap];
    uint32_t i = 0, c;
    while ((c = 2 * i + 1) < m->n_heap) {
        if (c + 1 < m->n_heap && dfi_s_earlier(&m->heap[c + 1], &m->heap[c])) c++;
        if (!dfi_s_earlier(&m->heap[c], &e)) break;
        m->heap[i] = m->heap[c], i = c;
    }
    m->heap[i] = e;
    return first;
}

/* Body b continues until its next step, from now on. */
static void dfi_s_go_on(struct dfi_s_sim *m, uint32_t b, double cost)
{
    const struct dfi_stats *s = m->p->s;
    double own = (double)(m->cursor[b] == DFI_S_NONE ? s->body[b].rest : s->step[m->cursor[b]].own);
    dfi_s_at(m, m->now + cost + own, m->workers == DFI_S_ALL ? b : m->on[b]);
}

/* --- ready bodies of a worker ------------------------------------------------------------------------------------- */

static void dfi_s_list(struct dfi_s_sim *m, int list, uint32_t v, uint32_t *at)
{
    *at = m->n_list[list];
    m->list[list][m->n_list[list]++] = v;
}

static void dfi_s_set_state(struct dfi_s_sim *m, uint32_t v, int state)
{
    struct dfi_s_sim_worker *w = &m->w[v];
    if (w->state == state) return;
    if (w->state != DFI_S_RUNNING) { /* removed from its list: the last one takes its place */
        uint32_t last = m->list[w->state][--m->n_list[w->state]];
        m->list[w->state][w->at] = last, m->w[last].at = w->at;
    }
    w->state = state;
    if (state != DFI_S_RUNNING) dfi_s_list(m, state, v, &w->at);
}

static void dfi_s_put(struct dfi_s_sim *m, uint32_t v, uint32_t b)
{
    struct dfi_s_sim_worker *w = &m->w[v];
    m->older[b] = w->newest, m->newer[b] = DFI_S_NONE;
    if (w->newest != DFI_S_NONE) m->newer[w->newest] = b;
    else w->oldest = b, dfi_s_list(m, DFI_S_RUNNING, v, &w->rich);
    w->newest = b;
}

static void dfi_s_take(struct dfi_s_sim *m, uint32_t v, uint32_t b)
{
    struct dfi_s_sim_worker *w = &m->w[v];
    uint32_t newer = m->newer[b], older = m->older[b], last;
    if (newer != DFI_S_NONE) m->older[newer] = older;
    else w->newest = older;
    if (older != DFI_S_NONE) m->newer[older] = newer;
    else w->oldest = newer;
    if (w->newest != DFI_S_NONE) return;
    last = m->list[DFI_S_RUNNING][--m->n_list[DFI_S_RUNNING]];
    m->list[DFI_S_RUNNING][w->rich] = last, m->w[last].rich = w->rich;
}

/* True if b may run nested in the body in which v waits. */
static int dfi_s_may_run(const struct dfi_s_sim *m, uint32_t v, uint32_t b)
{
    uint32_t top = m->w[v].top;
    if (top == DFI_S_NONE || (m->p->programs == 1 && m->p->s->body[top].is & DFI_S_PROGRAM)) return 1;
    while (b != DFI_S_NONE && b != top) b = m->p->parent[b];
    return b == top;
}

/* v has no work, or waits: it finds a body, or joins the list of idle or waiting workers. */
static void dfi_s_find_work(struct dfi_s_sim *m, uint32_t v)
{
    struct dfi_s_sim_worker *w = &m->w[v];
    uint32_t b = w->newest, i, n = m->n_list[DFI_S_RUNNING], from = v;
    double cost;
    if (w->top == DFI_S_NONE && v >= m->helpers) return; /* a thread of the program whose code has ended */
    if (b != DFI_S_NONE && !dfi_s_may_run(m, v, b)) b = DFI_S_NONE;
    if (w->top != DFI_S_NONE && !m->patient && n > DFI_S_PROBES) n = DFI_S_PROBES;
    for (i = 0; b == DFI_S_NONE && i < n; i++) {
        if (m->victim >= m->n_list[DFI_S_RUNNING]) m->victim = 0;
        from = m->list[DFI_S_RUNNING][m->victim];
        b = m->w[from].oldest;
        if (from == v || !dfi_s_may_run(m, v, b)) b = DFI_S_NONE, m->victim++;
    }
    if (b == DFI_S_NONE) {
        dfi_s_set_state(m, v, w->top == DFI_S_NONE ? DFI_S_IDLE : DFI_S_WAITING);
        return;
    }
    cost = m->p->s->body[b].is & DFI_S_PIECE ? 0 : m->p->task;
    if (from != v) cost = m->p->s->body[b].is & DFI_S_PIECE ? m->p->claim : cost + m->p->steal;
    dfi_s_take(m, from, b);
    dfi_s_set_state(m, v, DFI_S_RUNNING);
    m->on[b] = v, m->below[b] = w->top, w->top = b;
    dfi_s_go_on(m, b, cost);
}

/* All predecessors of b are done. v: the worker that made it ready. */
static void dfi_s_ready(struct dfi_s_sim *m, uint32_t b, uint32_t v)
{
    unsigned is = m->p->s->body[b].is;
    uint32_t i;
    if (is & DFI_S_INTERNAL || !(is & DFI_S_RAN)) m->todo[m->n_todo++] = b; /* takes no time, or was skipped */
    else if (m->workers == DFI_S_ALL) dfi_s_go_on(m, b, 0);
    else {
        dfi_s_put(m, v, b);
        if (m->n_list[DFI_S_IDLE]) dfi_s_find_work(m, m->list[DFI_S_IDLE][m->n_list[DFI_S_IDLE] - 1]);
        else {
            m->starved = 1;
            for (i = 0; i < DFI_S_PROBES && i < m->n_list[DFI_S_WAITING] && m->on[b] == DFI_S_NONE; i++)
                dfi_s_find_work(m, m->list[DFI_S_WAITING][m->n_list[DFI_S_WAITING] - 1 - i]);
        }
    }
}

/* --- bodies ------------------------------------------------------------------------------------------------------- */

/* The bodies that b waits for in a step are done: it continues, unless another body runs nested in it. */
static void dfi_s_resume(struct dfi_s_sim *m, uint32_t b)
{
    uint32_t v = m->on[b];
    if (m->workers != DFI_S_ALL) {
        if (m->w[v].top != b || m->w[v].state != DFI_S_WAITING) return;
        dfi_s_set_state(m, v, DFI_S_RUNNING);
    }
    m->cursor[b] = m->p->s->step[m->blocked[b]].next;
    m->blocked[b] = DFI_S_NONE;
    dfi_s_go_on(m, b, 0);
}

/* Notifies the successors of finished bodies, and the bodies that wait for them. */
static void dfi_s_done(struct dfi_s_sim *m, uint32_t v)
{
    const struct dfi_s_plan *p = m->p;
    while (m->n_todo) {
        uint32_t b = m->todo[--m->n_todo], step = p->waiter[b], up = p->parent[b], i;
        m->left--;
        for (i = p->after_at[b]; i < p->after_at[b + 1]; i++)
            if (!--m->before[p->after[i]]) dfi_s_ready(m, p->after[i], v);
        if (step != DFI_S_NONE && !--m->awaited[step] && m->blocked[up] == step) dfi_s_resume(m, up);
        if (up != DFI_S_NONE && !--m->children[up]) m->todo[m->n_todo++] = up;
    }
}

/* Executes the current step of body b. Zero: it waits there. */
static int dfi_s_do_step(struct dfi_s_sim *m, uint32_t b, uint32_t v)
{
    const struct dfi_s_step *t = &m->p->s->step[m->cursor[b]];
    uint32_t k;
    if (t->kind == DFI_S_SIGNAL || (t->kind == DFI_S_SUBMIT && m->p->parent[t->of] == b)) {
        if (!--m->before[t->of]) dfi_s_ready(m, t->of, v);
        dfi_s_done(m, v);
    }
    if (t->kind == DFI_S_LOOP)
        for (k = m->p->s->loop[t->of].pieces; k != DFI_S_NONE; k = m->p->s->body[k].link)
            if (!--m->before[k]) dfi_s_ready(m, k, v);
    if (m->awaited[m->cursor[b]]) {
        m->blocked[b] = m->cursor[b];
        return 0;
    }
    m->cursor[b] = t->next;
    return 1;
}

/* Body b, on v or on no worker, has come to its next step, or its end. */
static void dfi_s_advance(struct dfi_s_sim *m, uint32_t b, uint32_t v)
{
    struct dfi_s_sim_worker *w = &m->w[v];
    if (m->cursor[b] != DFI_S_NONE) {
        if (dfi_s_do_step(m, b, v)) dfi_s_go_on(m, b, 0);
        else if (m->workers != DFI_S_ALL) dfi_s_find_work(m, v);
        return;
    }
    if (m->workers != DFI_S_ALL) w->top = m->below[b];
    if (!--m->children[b]) {
        m->todo[m->n_todo++] = b;
        dfi_s_done(m, v);
    }
    if (m->workers == DFI_S_ALL) return;
    b = w->top;
    if (b != DFI_S_NONE && !m->awaited[m->blocked[b]]) {
        m->cursor[b] = m->p->s->step[m->blocked[b]].next, m->blocked[b] = DFI_S_NONE;
        dfi_s_go_on(m, b, 0);
    } else dfi_s_find_work(m, v);
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* An array of n elements, all of them `value`, after the earlier ones in one block of memory; memory
 * NULL: only counts. */
static uint32_t *dfi_s_array(char *memory, size_t *bytes, size_t n, uint32_t value)
{
    uint32_t *p = memory ? (uint32_t *)(void *)(memory + *bytes) : NULL;
    size_t i;
    *bytes += (n * sizeof *p + 15) / 16 * 16;
    for (i = 0; p && i < n; i++) p[i] = value;
    return p;
}

/* True if the body exists, and is not only mentioned as a predecessor. */
static int dfi_s_there(const struct dfi_s_body *b) { return b->is != 0; }

/* Finds the wait for each child: the next wait of its body at its level or further out. */
static void dfi_s_plan_steps(struct dfi_s_plan *p, uint32_t b, uint32_t *pending)
{
    const struct dfi_stats *s = p->s;
    uint32_t i, last = DFI_S_NONE; /* of the children without a wait so far, linked by `pending` */
    for (i = s->body[b].first; i != DFI_S_NONE; i = s->step[i].next) {
        const struct dfi_s_step *t = &s->step[i];
        if (t->kind == DFI_S_WAIT) {
            for (; last != DFI_S_NONE && s->body[last].level >= t->level; last = pending[last])
                p->waiter[last] = i, p->awaited[i]++;
            continue;
        }
        if (t->kind == DFI_S_SIGNAL) {
            p->before[t->of]++;
            continue;
        }
        if (t->kind == DFI_S_LOOP) {
            uint32_t k;
            for (k = s->loop[t->of].pieces; k != DFI_S_NONE; k = s->body[k].link) {
                p->parent[k] = b, p->waiter[k] = i;
                p->before[k]++, p->awaited[i]++, p->children[b]++;
            }
            continue;
        }
        if (p->parent[t->of] != DFI_S_NONE || t->of == b || s->body[t->of].is & DFI_S_PROGRAM) continue;
        p->parent[t->of] = b;
        p->children[b]++;
        if (t->kind == DFI_S_SUBMIT) {
            p->before[t->of]++;
            pending[t->of] = last, last = t->of;
        } else p->waiter[t->of] = i, p->awaited[i]++;
    }
}

/* memory NULL: only counts. */
static void dfi_s_plan_arrays(struct dfi_s_plan *p, char *memory, size_t *bytes)
{
    const struct dfi_stats *s = p->s;
    *bytes = 0;
    p->parent = dfi_s_array(memory, bytes, p->n, DFI_S_NONE);
    p->waiter = dfi_s_array(memory, bytes, p->n, DFI_S_NONE);
    p->before = dfi_s_array(memory, bytes, p->n, 0);
    p->children = dfi_s_array(memory, bytes, p->n, 1);
    p->after_at = dfi_s_array(memory, bytes, (size_t)p->n + 2, 0);
    p->after = dfi_s_array(memory, bytes, s->edges, 0);
    p->awaited = dfi_s_array(memory, bytes, s->steps, 0);
}

/* Returns the memory to free, or NULL. */
static void *dfi_s_plan_new(struct dfi_s_plan *p, const struct dfi_stats *s)
{
    size_t bytes, scratch = 0;
    char *memory;
    uint32_t i, e, *pending;
    memset((void *)p, 0, sizeof *p);
    p->s = s, p->n = s->bodies;
    dfi_s_plan_arrays(p, NULL, &bytes);
    if (!(memory = (char *)dfi_malloc(bytes + (size_t)p->n * sizeof *pending))) return NULL;
    dfi_s_plan_arrays(p, memory, &bytes);
    pending = dfi_s_array(memory + bytes, &scratch, p->n, DFI_S_NONE);
    for (i = 0; i < p->n; i++) {
        p->programs += (s->body[i].is & DFI_S_PROGRAM) != 0;
        dfi_s_plan_steps(p, i, pending);
        for (e = s->body[i].before; e != DFI_S_NONE; e = s->edge[e].next)
            if (dfi_s_there(&s->body[s->edge[e].before])) p->before[i]++, p->after_at[s->edge[e].before + 2]++;
    }
    for (i = 2; i <= p->n + 1; i++) p->after_at[i] += p->after_at[i - 1];
    for (i = 0; i < p->n; i++) /* after_at[j + 1] moves from the beginning of the list of j to its end */
        for (e = s->body[i].before; e != DFI_S_NONE; e = s->edge[e].next)
            if (dfi_s_there(&s->body[s->edge[e].before])) p->after[p->after_at[s->edge[e].before + 1]++] = i;
    return memory;
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

static void dfi_s_sim_arrays(struct dfi_s_sim *m, char *memory, size_t *bytes)
{
    uint32_t n = m->p->n, w = m->workers + m->p->programs + 1, i;
    *bytes = 0;
    m->heap = (struct dfi_s_event *)(void *)memory;
    *bytes += ((size_t)n + w) * sizeof *m->heap;
    m->w = memory ? (struct dfi_s_sim_worker *)(void *)(memory + *bytes) : NULL;
    *bytes += (w * sizeof *m->w + 15) / 16 * 16;
    for (i = 0; i < 3; i++) m->list[i] = dfi_s_array(memory, bytes, w, 0);
    m->before = dfi_s_array(memory, bytes, n, 0);
    m->children = dfi_s_array(memory, bytes, n, 0);
    m->awaited = dfi_s_array(memory, bytes, m->p->s->steps, 0);
    m->cursor = dfi_s_array(memory, bytes, n, 0);
    m->blocked = dfi_s_array(memory, bytes, n, DFI_S_NONE);
    m->on = dfi_s_array(memory, bytes, n, DFI_S_NONE);
    m->below = dfi_s_array(memory, bytes, n, DFI_S_NONE);
    m->newer = dfi_s_array(memory, bytes, n, DFI_S_NONE);
    m->older = dfi_s_array(memory, bytes, n, DFI_S_NONE);
    m->todo = dfi_s_array(memory, bytes, (size_t)n + 1, 0);
}

/* Begins the code of the threads, the first on worker 0, others on workers of their own, and the
 * bodies without a submitter. */
static void dfi_s_sim_begin(struct dfi_s_sim *m)
{
    const struct dfi_stats *s = m->p->s;
    uint32_t i, v, foreign = m->helpers, first = DFI_S_NONE;
    for (v = 0; v < m->helpers + m->p->programs + 1; v++) {
        memset((void *)&m->w[v], 0, sizeof m->w[v]);
        m->w[v].top = m->w[v].newest = m->w[v].oldest = DFI_S_NONE;
    }
    for (i = 0; i < m->p->n; i++)
        if (s->body[i].is & DFI_S_PROGRAM && (first == DFI_S_NONE || s->body[i].id < s->body[first].id)) first = i;
    for (i = 0; i < m->p->n; i++) {
        if (!(s->body[i].is & DFI_S_PROGRAM)) continue;
        v = i == first && m->helpers ? 0 : foreign++;
        m->on[i] = v, m->w[v].top = i;
        dfi_s_go_on(m, i, (double)(s->body[i].id - s->body[first].id));
    }
    for (v = 0; v < m->helpers; v++)
        if (m->w[v].top == DFI_S_NONE) dfi_s_set_state(m, v, DFI_S_IDLE);
    for (i = 0; i < m->p->n; i++)
        if (dfi_s_there(&s->body[i]) && !(s->body[i].is & DFI_S_PROGRAM) && !m->p->before[i]) {
            dfi_s_ready(m, i, 0);
            dfi_s_done(m, 0);
        }
}

/* The ticks of a run with that number of workers, or DFI_S_ALL; negative: no memory. *starved: more
 * workers may be faster; *left: bodies that never ran, because their predecessors are unknown. */
static double dfi_s_simulate(const struct dfi_s_plan *p, uint32_t workers, int *starved, uint32_t *left)
{
    struct dfi_s_sim m;
    size_t bytes;
    char *memory;
    uint32_t i, n;
    memset((void *)&m, 0, sizeof m);
    m.p = p, m.workers = m.helpers = workers;
    dfi_s_sim_arrays(&m, NULL, &bytes);
    if (!(memory = (char *)dfi_malloc(bytes))) return -1;
    dfi_s_sim_arrays(&m, memory, &bytes);
    memcpy(m.before, p->before, p->n * sizeof *m.before);
    memcpy(m.children, p->children, p->n * sizeof *m.children);
    if (p->s->steps) memcpy(m.awaited, p->awaited, p->s->steps * sizeof *m.awaited);
    for (i = 0; i < p->n; i++) m.cursor[i] = p->s->body[i].first, m.left += (uint32_t)dfi_s_there(&p->s->body[i]);
    dfi_s_sim_begin(&m);
    for (;;) {
        while (m.n_heap) {
            struct dfi_s_event e = dfi_s_next(&m);
            m.now = e.at;
            dfi_s_advance(&m, workers == DFI_S_ALL ? e.who : m.w[e.who].top, workers == DFI_S_ALL ? 0 : e.who);
        }
        if (!m.left || workers == DFI_S_ALL) break;
        m.patient = 1; /* a worker that may run a body found none: now the waiting workers try all victims */
        for (n = m.n_list[DFI_S_WAITING], i = 0; i < n && !m.n_heap; i++) dfi_s_find_work(&m, m.list[DFI_S_WAITING][i]);
        if (!m.n_heap) break;
        m.patient = 0;
    }
    dfi_mfree(memory);
    *starved = m.starved, *left = m.left;
    return m.now;
}

DFI_SMALL_CODE_END

#endif
