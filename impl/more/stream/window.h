/* window.h - stream windows of a task: taken at submission, entered, and given back; in both builds */
#ifndef DFI_MORE_STREAM_WINDOW_H
#define DFI_MORE_STREAM_WINDOW_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../api/stream.h"
#include "ring.h"
#include "type.h"
#include "../../api/public.h"

/* --- requests of a task ----------------------------------------------------------------------- */

static struct df_stream *dfi_ask_stream(const struct dfi_ask *y, long long i)
{
    struct df_stream *s = y->stream;
    /* handles of any type */
    if (y->streams) memcpy((void *)&s, (const char *)y->streams + (size_t)i * sizeof s, sizeof s);
    return s;
}

/* True if the parameter y of a task is valid. If not, the reason is reported. */
static DFI_NOINLINE int dfi_ask_right(const struct dfi_ask *y, const char *name, const char *site)
{
    const char *colon = site ? ": " : "", *title = y->element->title;
    long long i;
    if (!site) site = "";
    if (y->n < 0) {
        dfi_error("%s%stask %s: parameter %s is of %ld streams: skipped", site, colon, name, title, (long)y->n);
        return 0;
    }
    if (y->burst < 0 || y->horizon < y->burst) {
        dfi_error("%s%stask %s: parameter %s is to consume %ld of %ld elements: skipped",
                  site, colon, name, title, (long)y->burst, (long)y->horizon);
        return 0;
    }
    for (i = 0; i < y->n; i++) {
        const struct df_stream *s = dfi_ask_stream(y, i);
        struct dfi_stream *c = s ? s->stream : NULL;
        if (!c) dfi_error("%s%stask %s: the stream for parameter %s is NULL: skipped", site, colon, name, title);
        else if (c->bytes != y->element->size)
            dfi_error("%s%stask %s: elements of parameter %s have %lu bytes, those of the stream of %s %lu: skipped",
                      site, colon, name, title, (unsigned long)y->element->size, c->site, (unsigned long)c->bytes);
        else if ((unsigned long long)y->horizon > c->capacity)
            dfi_error("%s%stask %s: parameter %s is a window of %ld elements, but the stream of %s has room for "
                      "%lu: skipped; raise its capacity",
                      site, colon, name, title, (long)y->horizon, c->site, (unsigned long)c->capacity);
        else if (!dfi_stream_has_type(c, y->element, name, site)) {}
        else continue;
        return 0;
    }
    return 1;
}

/* The request of a task for windows. */
struct dfi_take {
    struct dfi_ask *y;
    unsigned m;
    void *task;
    const char *name, *site;
    struct dfi_stream **locks;     /* room for `count`; here if there are no arrays: */
    struct dfi_stream *few[DFI_WINDOWS_FEW];
    struct dfi_window *windows;    /* result; without memory given: records on the stack */
    long waits;                    /* result: the number of windows that wait */
    size_t count, n_locks;
    int arrays;                    /* some parameters are arrays of streams */
    int wrong;                     /* some parameters are invalid: the task must be skipped */
    int tiny;                      /* result: its body takes less time than handing it over */
    int measure;                   /* result: measure the body this time */
};

/* Checks the parameters of the task; invalid ones request nothing. */
static void dfi_take_check(struct dfi_take *q)
{
    unsigned i;
    q->count = 0, q->wrong = 0, q->waits = 0, q->windows = NULL, q->locks = NULL;
    q->tiny = q->measure = q->arrays = 0;
    for (i = 0; i < q->m; i++) {
        struct dfi_ask *y = &q->y[i];
        const struct dfi_stream *c = !y->streams && y->stream ? y->stream->stream : NULL;
        int right = c && dfi_load_relaxed(&c->known[y->element->writes]) == (uintptr_t)y->element && y->burst >= 0 &&
                    y->horizon >= y->burst && (unsigned long long)y->horizon <= c->capacity;
        if (DFI_UNLIKELY(!right) && !dfi_ask_right(y, q->name, q->site)) q->wrong = 1, y->n = 0;
        q->arrays |= y->streams != NULL;
        q->count += (size_t)y->n;
    }
}

/* The streams of the task, each once, sorted by address. All are locked at the same time, so that
 * two tasks that share several streams have the same order on all of them. */
static void dfi_take_sort(struct dfi_take *q)
{
    struct dfi_stream **k = q->locks;
    size_t n = 0, i, j, gap;
    unsigned a;
    long long b;
    for (a = 0; a < q->m; a++)
        for (b = 0; b < q->y[a].n; b++) k[n++] = dfi_ask_stream(&q->y[a], b)->stream;
    for (gap = n / 2; gap > 0; gap /= 2) /* Shell sort */
        for (i = gap; i < n; i++) {
            struct dfi_stream *c = k[i];
            for (j = i; j >= gap && (uintptr_t)k[j - gap] > (uintptr_t)c; j -= gap) k[j] = k[j - gap];
            k[j] = c;
        }
    for (i = j = 0; i < n; i++)
        if (i == 0 || k[i] != k[i - 1]) k[j++] = k[i];
    q->n_locks = j;
}

static void dfi_take_lock(struct dfi_take *q)
{
    size_t i;
    for (i = 0; i < q->n_locks; i++) dfi_stream_lock(q->locks[i]);
}
static void dfi_take_unlock(struct dfi_take *q)
{
    size_t i;
    for (i = 0; i < q->n_locks; i++) dfi_stream_unlock(q->locks[i]);
}

enum { DFI_TINY_BODY_NS = 300, DFI_MEASURE_EACH = 32 };

/* Makes v window i of parameter y. pre: the locks */
DFI_INLINE void dfi_window_assign(struct dfi_take *q, struct dfi_window *v, const struct dfi_ask *y, long long i)
{
    struct df_stream *s = dfi_ask_stream(y, i);
    struct dfi_stream *c = s->stream;
    struct dfi_side *d = y->element->writes ? &c->push : &s->side;
    v->stream = c;
    v->reader = y->element->writes ? NULL : s;
    v->task = q->task, v->name = q->name;
    v->next = NULL;
    v->asked = (size_t)y->horizon;
    v->waits = v->finished = v->spoilt = v->mirrored = 0;
    v->scratch = y->element->writes && c->closed;
    v->p = v->room = NULL;
    v->arg = y->element->arg, v->index = y->streams ? i : -1;
    if (y->element->writes) c->refs++;
    if (DFI_UNLIKELY(v->scratch)) {
        v->begin = v->pass = v->need = 0, v->slot = 0;
        v->count = v->asked;
        return;
    }
    v->begin = d->next, v->slot = d->slot;
    v->pass = v->begin + (uint64_t)y->burst, v->need = v->begin + (uint64_t)y->horizon;
    d->next = v->pass;
    d->slot += (size_t)y->burst;
    if (d->slot >= c->capacity) d->slot -= c->capacity;
    if (d->last) d->last->next = v;
    else d->first = v;
    d->last = v;
    if (v == q->windows) { /* the first stands for all */
        q->tiny = d->ns && d->ns < DFI_TINY_BODY_NS;
        q->measure = d->turn++ % DFI_MEASURE_EACH == 0 || !d->ns;
    }
    if (!y->element->writes && v->need > c->covered && y->horizon) {
        c->covered = v->need;
        if (c->kept) dfi_stream_forget(c);
    }
    if (v->on_stack) return;
    if (!dfi_window_open(v)) {
        dfi_window_wait(v);
        q->waits++;
        return;
    }
    dfi_window_enter(v);
    if (v->spoilt) dfi_stream_task_skip(v->task);
}

/* Reports elements pushed after the end. pre: no locks */
static DFI_COLD void dfi_take_late(struct dfi_take *q)
{
    const char *site = q->site ? q->site : "";
    const struct dfi_window *v;
    for (v = q->windows; v; v = v->of_task)
        if (v->scratch)
            dfi_error("%s%stask %s pushes %lu elements into the stream of %s after its df_stream_close: they are "
                      "dropped", site, q->site ? ": " : "", v->name, (unsigned long)v->asked, v->stream->site);
}

/* Takes all windows of a task. 0, or -1 without memory: then nothing has changed. pre:
 * dfi_take_check; q->locks */
static int dfi_take_windows(struct dfi_take *q)
{
    struct dfi_window *v, **last;
    struct dfi_stream *c;
    unsigned a;
    long long b;
    int late = 0;
    if (q->count == 1 && q->m == 1) q->locks[0] = dfi_ask_stream(q->y, 0)->stream, q->n_locks = 1;
    else dfi_take_sort(q);
    for (;;) {
        dfi_take_lock(q);
        last = &q->windows, c = NULL;
        for (a = 0; a < q->m && !c; a++)
            for (b = 0; b < q->y[a].n; b++) {
                struct dfi_stream *from = dfi_ask_stream(&q->y[a], b)->stream;
                if (!(v = from->free)) {
                    c = from;
                    break;
                }
                from->free = v->next;
                *last = v, last = &v->of_task;
            }
        *last = NULL;
        if (DFI_LIKELY(!c)) break;
        while ((v = q->windows) != NULL) {
            q->windows = v->of_task;
            dfi_window_free(v);
        }
        dfi_take_unlock(q);
        if (dfi_stream_more(c)) return -1;
    }
    for (a = 0, v = q->windows; a < q->m; a++)
        for (b = 0; b < q->y[a].n; b++, v = v->of_task) {
            dfi_window_assign(q, v, &q->y[a], b);
            late |= v->scratch;
        }
    if (q->waits) dfi_stream_task_waits(q->task, q->waits);
    dfi_take_unlock(q);
    if (DFI_UNLIKELY(late)) dfi_take_late(q);
    return 0;
}

/* True if the window could be had immediately, complete, not poisoned, and in one piece. pre: the lock */
DFI_UNUSED static int dfi_ask_at_once(const struct dfi_ask *y)
{
    struct dfi_stream *c = y->stream->stream;
    const struct dfi_side *d = y->element->writes ? &c->push : &y->stream->side;
    size_t n = (size_t)y->horizon;
    uint64_t need = d->next + n;
    if (!c->free || d->slot + n > c->capacity) return 0;
    if (!y->element->writes) return need <= c->push.done && !c->n_spoilt && d->next >= c->spoilt_to;
    return !c->closed && (need - c->room <= c->capacity || need - (c->room = dfi_stream_room(c)) <= c->capacity);
}

/* Takes all windows of a task that has few, if each could be had immediately, and if `always`, or
 * the task is tiny. Nonzero: taken. pre: dfi_take_check, no invalid parameter, no arrays, one window
 * for each parameter, count > 0 */
DFI_UNUSED static int dfi_take_at_once(struct dfi_take *q, int always)
{
    const struct dfi_side *d = q->y[0].element->writes ? &q->y[0].stream->stream->push : &q->y[0].stream->side;
    struct dfi_window **last = &q->windows;
    unsigned a;
    int all = 1;
    q->locks = q->few;
    if (q->m == 1) q->few[0] = q->y[0].stream->stream, q->n_locks = 1;
    else {
        dfi_take_sort(q);
        if (q->n_locks != q->m) return 0; /* one stream twice */
    }
    dfi_take_lock(q);
    if (!always) all = d->ns && d->ns < DFI_TINY_BODY_NS;
    for (a = 0; a < q->m && all; a++) all = dfi_ask_at_once(&q->y[a]);
    if (all) {
        for (a = 0; a < q->m; a++) {
            struct dfi_stream *c = q->y[a].stream->stream;
            *last = c->free, last = &c->free->of_task;
            c->free = c->free->next;
        }
        *last = NULL;
        for (a = 0, last = &q->windows; a < q->m; a++, last = &(*last)->of_task)
            dfi_window_assign(q, *last, &q->y[a], 0);
    }
    dfi_take_unlock(q);
    return all;
}

/* The same with records on the stack, at q->windows, which are in no list of waiting windows. pre:
 * q->locks */
static DFI_COLD void dfi_take_windows_now(struct dfi_take *q)
{
    struct dfi_window *v = q->windows;
    unsigned a;
    long long b;
    dfi_take_sort(q);
    dfi_take_lock(q);
    for (a = 0; a < q->m; a++)
        for (b = 0; b < q->y[a].n; b++, v++) {
            memset((void *)v, 0, sizeof *v);
            v->on_stack = 1;
            v->of_task = v + 1;
            dfi_window_assign(q, v, &q->y[a], b);
        }
    if (v != q->windows) v[-1].of_task = NULL;
    else q->windows = NULL;
    dfi_take_unlock(q);
    dfi_take_late(q);
}

/* True if the window on the stack may be entered, and is the oldest of its side, except for others
 * of the same task. Then it retires immediately when it finishes. */
static int dfi_window_try(struct dfi_window *v)
{
    const struct dfi_window *k;
    int open;
    dfi_stream_lock(v->stream);
    open = dfi_window_open(v);
    if (!v->scratch)
        for (k = dfi_window_side(v)->first; k != v; k = k->next)
            if (k->task != v->task) open = 0;
    if (open) dfi_window_enter(v);
    dfi_stream_unlock(v->stream);
    return open;
}

/* --- the body's pointers ---------------------------------------------------------------------- */

static char *dfi_window_at(const struct dfi_window *v) { return v->stream->ring + v->slot * v->stream->bytes; }

/* Bytes of the window that wrap to the beginning of the ring. */
static size_t dfi_window_wrapped(const struct dfi_window *v)
{
    size_t end = v->slot + v->asked;
    return end > v->stream->capacity && !v->scratch ? (end - v->stream->capacity) * v->stream->bytes : 0;
}

/* Lets v use the second half of the ring memory, alone or with others of its task. 0; 1: not now;
 * -1: its task has it. */
static int dfi_window_mirror(struct dfi_window *v, int alone)
{
    struct dfi_stream *c = v->stream;
    int mine;
    dfi_stream_lock(c);
    mine = c->mirror == v->task;
    if (!c->mirror || (!alone && mine && c->mirror_shared))
        c->mirror = v->task, c->mirror_shared = !alone, c->n_mirror++, v->mirrored = 1;
    dfi_stream_unlock(c);
    return v->mirrored ? 0 : mine ? -1 : 1;
}

/* A window that wraps continues in the second half of the ring memory, if no other task uses that
 * now; else all of it is copied to private memory. A window that is not complete, or not in the
 * stream, is private; it lies in the second half if there is no memory. 0, or -1: no memory, 1:
 * there may be some later. */
static DFI_NOINLINE int dfi_window_copy(struct dfi_window *v, size_t wrapped)
{
    struct dfi_stream *c = v->stream;
    size_t bytes = v->asked * c->bytes, have = v->count * c->bytes, straight;
    char *second = c->ring + c->capacity * c->bytes;
    int whole = v->count == v->asked && !v->scratch, taken = 0;
    if (whole && (taken = dfi_window_mirror(v, 0)) == 0) {
        v->p = dfi_window_at(v);
        if (v->reader) memcpy(second, c->ring, wrapped);
        return 0;
    }
    v->p = v->room = dfi_malloc(bytes ? bytes : 1);
    if (!v->p) {
        if (whole || (taken = dfi_window_mirror(v, 1)) != 0) return taken;
        v->p = second;
    }
    if (!v->reader) return 0;
    straight = have < bytes - wrapped ? have : bytes - wrapped;
    memcpy(v->p, dfi_window_at(v), straight);
    memcpy((char *)v->p + straight, c->ring, have - straight);
    memset((char *)v->p + have, 0, bytes - have);
    return 0;
}

/* Prepares the windows of a task whose body is about to run: writes their pointers into its
 * arguments, and into `array`, with room for one per window, for parameters with several. 0; 1:
 * later; -1: no memory, and there will be none. */
static int dfi_windows_begin(struct dfi_window *v, char *args, void **array)
{
    int r;
    for (; v; v = v->of_task) {
        size_t wrapped = dfi_window_wrapped(v);
        if (!v->p) {
            if (v->count == 0 && v->asked > 0) { /* the end of the stream: no window */ }
            else if (DFI_LIKELY(!wrapped && v->count == v->asked && !v->scratch)) v->p = dfi_window_at(v);
            else if ((r = dfi_window_copy(v, wrapped)) != 0) return r;
        }
        if (v->index < 0) memcpy(args + v->arg, (const void *)&v->p, sizeof v->p);
        else {
            if (v->index == 0) memcpy(args + v->arg, (const void *)&array, sizeof array);
            *array++ = v->p;
        }
    }
    return 0;
}

/* Gives back the windows of a task that is done or was skipped. post: they are gone */
static void dfi_windows_end(struct dfi_window *v, int skipped, unsigned ns, struct dfi_after *a)
{
    while (v) {
        struct dfi_window *next = v->of_task;
        struct dfi_stream *c = v->stream;
        void *room = v->room;
        if (DFI_UNLIKELY(room || v->mirrored) && !v->reader && !v->scratch && !skipped) {
            size_t wrapped = dfi_window_wrapped(v);
            if (v->mirrored) memcpy(c->ring, c->ring + c->capacity * c->bytes, wrapped);
            else {
                memcpy(dfi_window_at(v), room, v->asked * c->bytes - wrapped);
                memcpy(c->ring, (char *)room + v->asked * c->bytes - wrapped, wrapped);
            }
        }
        if (DFI_UNLIKELY(room != NULL)) dfi_mfree(room);
        dfi_stream_lock(c);
        if (ns) { /* a mean of the last few, because one that was interrupted is not typical */
            struct dfi_side *d = dfi_window_side(v);
            if (ns > 4 * DFI_TINY_BODY_NS) ns = 4 * DFI_TINY_BODY_NS;
            d->ns = d->ns ? (7 * d->ns + ns) / 8 + 1 : ns;
            ns = 0;
        }
        dfi_window_finish(v, skipped, a);
        dfi_stream_unlock(c);
        if (DFI_UNLIKELY(a->gone || a->dead)) dfi_after_free(a);
        v = next;
    }
}

/* The window that a task waits for, and that cannot come. */
struct dfi_missing {
    const char *stream;     /* its site; NULL: it waits for no window */
    const char *what;
    uint64_t elements;      /* the number of missing elements */
    long windows;           /* the number of its windows that no longer wait */
};

/* Gives up waiting for the windows of a task. */
static void dfi_windows_give_up(struct dfi_window *v, struct dfi_missing *g)
{
    g->stream = NULL, g->windows = 0;
    for (; v; v = v->of_task) {
        struct dfi_stream *c = v->stream;
        dfi_stream_lock(c);
        if (v->waits) {
            dfi_window_wait_no_more(v);
            v->count = 0;
            if (!g->stream) {
                g->stream = c->site;
                g->what = v->reader ? "elements in" : "free places in";
                g->elements = v->reader ? v->need - c->push.done : v->need - dfi_stream_room(c) - c->capacity;
            }
            g->windows++;
        }
        dfi_stream_unlock(c);
    }
}

#endif
