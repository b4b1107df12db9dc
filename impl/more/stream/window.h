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

/* --- requests of a task ----------------------------------------------------------------------- */

static struct df_stream *dfi_ask_stream(const struct dfi_ask *y, long long i)
{
    struct df_stream *s = y->stream;
    /* handles of any type */
    if (y->streams) memcpy((void *)&s, (const char *)y->streams + (size_t)i * sizeof s, sizeof s);
    return s;
}

DFI_SMALL_CODE_BEGIN

/* True if the parameter y of a task is valid. If not, the reason is reported. */
static DFI_NOINLINE int dfi_ask_right(const struct dfi_ask *y, const char *name, const char *site)
{
    const char *colon = site ? ": " : "", *title = y->element->title;
    long long i;
    if (!site) site = "";
    if (y->n < 0) {
        dfi_error("%s%stask %s: parameter %s is an array of %ld streams: the task is skipped; correct the count in "
                  "its declaration", site, colon, name, title, (long)y->n);
        return 0;
    }
    if (y->burst < 0 || y->horizon < y->burst) {
        dfi_error("%s%stask %s: parameter %s consumes %ld of %ld elements: the task is skipped; a task consumes from "
                  "0 to as many elements as it reads", site, colon, name, title, (long)y->burst, (long)y->horizon);
        return 0;
    }
    for (i = 0; i < y->n; i++) {
        const struct df_stream *s = dfi_ask_stream(y, i);
        struct dfi_stream *c = s ? s->stream : NULL;
        if (!c) dfi_error("%s%stask %s: the stream for parameter %s is NULL: the task is skipped; check the result of "
                          "df_stream_new", site, colon, name, title);
        else if (c->bytes != y->element->size)
            dfi_error("%s%stask %s: the size of an element of parameter %s is %lu, but in the stream of %s it is %lu: "
                      "the task is skipped; declare the element type of the stream",
                      site, colon, name, title, (unsigned long)y->element->size, c->site, (unsigned long)c->bytes);
        else if ((unsigned long long)y->horizon > c->capacity)
            dfi_error("%s%stask %s: parameter %s is a window of %ld elements, but the stream of %s has room for %lu: "
                      "the task is skipped; raise the capacity",
                      site, colon, name, title, (long)y->horizon, c->site, (unsigned long)c->capacity);
        else if (!dfi_stream_has_type(c, y->element, name, site)) {}
        else continue;
        return 0;
    }
    return 1;
}

DFI_SMALL_CODE_END

/* The request of a task for windows. */
struct dfi_take {
    struct dfi_ask *y;
    unsigned m;
    void *task;
    const char *name, *site;
    struct dfi_stream **locks;     /* room for `count`: the stream of each window, sorted by address */
    struct dfi_window *windows;    /* result; DFI_TAKE_ON_STACK: records on the stack */
    long waits;                    /* result: the number of windows that wait */
    size_t count;
    int arrays;                    /* some parameters are arrays of streams */
    int wrong;                     /* some parameters are invalid: the task must be skipped */
    int tiny;                      /* result: its body takes less time than handing it over */
    int measure;                   /* result: measure the body this time */
    struct dfi_stream *few[DFI_WINDOWS_FEW]; /* room for `locks` if there are no arrays */
};

/* How windows are taken: those that wait, too; all if each can be had immediately; that only if the task is tiny; with
 * records on the stack, which are in no list of waiting windows. */
enum { DFI_TAKE_ALL, DFI_TAKE_AT_ONCE, DFI_TAKE_IF_TINY, DFI_TAKE_ON_STACK };
enum { DFI_TINY_BODY_NS = 300, DFI_MEASURE_EACH = 32 };

/* Checks the parameters of the task; invalid ones request nothing. pre: all but y, m, name and site is zero */
static void dfi_take_check(struct dfi_take *q)
{
    unsigned i;
    q->locks = q->few;
    for (i = 0; i < q->m; i++) {
        struct dfi_ask *y = &q->y[i];
        const struct dfi_stream *c = !y->streams && y->stream ? y->stream->stream : NULL;
        /* unsigned: negative numbers are above each capacity */
        int right = c && dfi_load_relaxed(&c->known[y->element->writes]) == (uintptr_t)y->element &&
                    (unsigned long long)y->horizon <= c->capacity &&
                    (unsigned long long)y->burst <= (unsigned long long)y->horizon;
        if (DFI_UNLIKELY(!right) && !dfi_ask_right(y, q->name, q->site)) q->wrong = 1, y->n = 0;
        q->arrays |= y->streams != NULL;
        q->count += (size_t)y->n;
    }
}

DFI_SMALL_CODE_BEGIN

/* Sorts the streams of the task by address. All are locked at the same time, so that two tasks that share several
 * streams have the same order on all of them. */
static DFI_NOINLINE void dfi_take_sort(struct dfi_take *q)
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
}

DFI_SMALL_CODE_END

static void dfi_take_lock(struct dfi_take *q)
{
    size_t i;
    for (i = 0; i < q->count; i++)
        if ((i == 0 || q->locks[i] != q->locks[i - 1]) && DFI_UNLIKELY(!dfi_stream_trylock(q->locks[i])))
            dfi_stream_lock(q->locks[i]);
}
static void dfi_take_unlock(struct dfi_take *q)
{
    size_t i;
    for (i = 0; i < q->count; i++)
        if (i == 0 || q->locks[i] != q->locks[i - 1]) dfi_stream_unlock(q->locks[i]);
}

/* A stream that lacks records for the windows of the task, or NULL. pre: the locks */
static struct dfi_stream *dfi_take_lacks(const struct dfi_take *q)
{
    const struct dfi_window *v = NULL;
    size_t i;
    for (i = 0; i < q->count; i++) {
        v = i > 0 && q->locks[i] == q->locks[i - 1] ? v->next : q->locks[i]->free;
        if (DFI_UNLIKELY(!v)) return q->locks[i];
    }
    return NULL;
}

/* The side of a stream that the windows of y for it come from. */
static struct dfi_side *dfi_ask_side(const struct dfi_ask *y, struct df_stream *s)
{
    return y->element->writes ? &s->stream->push : &s->side;
}

/* True if the window could be had immediately, complete, not poisoned, and in one piece. pre: the lock */
DFI_FAST int dfi_ask_at_once(const struct dfi_ask *y)
{
    struct dfi_stream *c = y->stream->stream;
    const struct dfi_side *d = dfi_ask_side(y, y->stream);
    size_t n = (size_t)y->horizon;
    if (d->slot + n > c->capacity) return 0;
    if (!y->element->writes) return d->next + n <= c->push.done && !c->n_poisoned && d->next >= c->poisoned_to;
    return !c->closed && dfi_stream_fits(c, d->next + n);
}

/* True if the task can have all its windows immediately, each of another stream, and is tiny if it has to be. pre: no
 * invalid parameter, no arrays, count > 0; the locks */
DFI_FAST int dfi_take_may(const struct dfi_take *q, int how)
{
    const struct dfi_side *d = dfi_ask_side(q->y, q->y->stream);
    unsigned a;
    if (how == DFI_TAKE_IF_TINY && !(d->ns && d->ns < DFI_TINY_BODY_NS)) return 0;
    for (a = 0; a < q->m; a++)
        if ((a > 0 && q->locks[a] == q->locks[a - 1]) || !dfi_ask_at_once(&q->y[a])) return 0;
    return 1;
}

/* Makes v window i of parameter y, on s. pre: the locks */
DFI_FAST void dfi_window_assign(struct dfi_take *q, struct dfi_window *v, const struct dfi_ask *y, struct df_stream *s,
                                long long i, int how)
{
    struct dfi_stream *c = s->stream;
    struct dfi_side *d = dfi_ask_side(y, s);
    v->stream = c;
    v->reader = y->element->writes ? NULL : s;
    v->task = q->task, v->name = q->name;
    v->next = NULL;
    v->asked = v->count = (size_t)y->horizon;
    v->waits = v->finished = v->poisoned = v->mirrored = 0;
    v->on_stack = how == DFI_TAKE_ON_STACK;
    v->scratch = y->element->writes && c->closed;
    v->p = v->room = NULL;
    v->arg = y->element->arg, v->index = y->streams ? i : -1;
    if (y->element->writes) c->refs++;
    if (DFI_UNLIKELY(v->scratch)) {
        v->begin = v->pass = v->need = 0, v->slot = 0;
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
        q->measure = !DFI_ALONE && (d->turn++ % DFI_MEASURE_EACH == 0 || !d->ns);
    }
    if (!y->element->writes && v->need > c->covered && y->horizon) {
        c->covered = v->need;
        if (c->kept) dfi_stream_forget(c);
    }
    if (how != DFI_TAKE_ALL) return;
    if (!dfi_window_open(v)) {
        dfi_window_wait(v);
        q->waits++;
        return;
    }
    if (v->reader) dfi_window_enter(v);
    if (v->poisoned) dfi_up_window_skips(v->task);
}

/* Reports elements pushed after the end. pre: no locks */
static DFI_NOINLINE DFI_COLD void dfi_take_late(struct dfi_take *q)
{
    const char *site = q->site ? q->site : "";
    const struct dfi_window *v;
    for (v = q->windows; v; v = v->of_task)
        if (v->scratch)
            dfi_error("%s%stask %s pushes %lu element%s into the stream of %s after its df_stream_close: df drops "
                      "what it pushes; submit it earlier, or close the stream later", site, q->site ? ": " : "",
                      v->name, (unsigned long)v->asked, v->asked == 1 ? "" : "s", v->stream->site);
}

/* Takes all windows of a task. Zero: nothing has changed, because there is no memory, or because they cannot be had as
 * `how` demands. pre: dfi_take_check; q->locks */
static DFI_NOINLINE int dfi_take_windows(struct dfi_take *q, int how)
{
    int at_once = how == DFI_TAKE_AT_ONCE || how == DFI_TAKE_IF_TINY, late = 0;
    struct dfi_window *on_stack = q->windows, **last = &q->windows;
    struct dfi_stream *lacks;
    unsigned a;
    long long b;
    if (DFI_LIKELY(q->m == 1 && q->count == 1)) q->locks[0] = dfi_ask_stream(q->y, 0)->stream;
    else dfi_take_sort(q);
    dfi_take_lock(q);
    while (how != DFI_TAKE_ON_STACK && (lacks = dfi_take_lacks(q)) != NULL) {
        dfi_take_unlock(q);
        if (at_once || dfi_stream_more(lacks)) return 0;
        dfi_take_lock(q);
    }
    if (at_once && !dfi_take_may(q, how)) {
        dfi_take_unlock(q);
        return 0;
    }
    for (a = 0; a < q->m; a++)
        for (b = 0; b < q->y[a].n; b++) {
            struct df_stream *s = dfi_ask_stream(&q->y[a], b);
            struct dfi_window *v = on_stack;
            if (DFI_UNLIKELY(v != NULL)) on_stack++;
            else v = s->stream->free, s->stream->free = v->next;
            *last = v, last = &v->of_task;
            dfi_window_assign(q, v, &q->y[a], s, b, how);
            late |= v->scratch;
        }
    *last = NULL;
    if (q->waits) dfi_up_windows_wait(q->task, q->waits);
    dfi_take_unlock(q);
    if (DFI_UNLIKELY(late)) dfi_take_late(q);
    return 1;
}

/* True if the window on the stack may be entered, and is the oldest of its side, except for others
 * of the same task. Then it retires immediately when it finishes. */
static int dfi_window_try(struct dfi_window *v)
{
    const struct dfi_window *k;
    int open;
    dfi_stream_lock(v->stream);
    open = v->scratch || dfi_window_open(v);
    if (!v->scratch)
        for (k = dfi_window_side(v)->first; k != v; k = k->next)
            if (k->task != v->task) open = 0;
    if (open && v->reader) dfi_window_enter(v);
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

/* Gives v, which is not complete, or not in one piece in the ring, its memory. A window that wraps continues in the
 * second half of the ring memory, if no other task uses that now; else all of it is copied to private memory. A window
 * that is not complete, or not in the stream, is private; it lies in the second half if there is no memory. 0; -1: no
 * memory; 1: there may be some later. */
static DFI_NOINLINE DFI_COLD int dfi_window_copy(struct dfi_window *v)
{
    struct dfi_stream *c = v->stream;
    size_t wrapped = dfi_window_wrapped(v), bytes = v->asked * c->bytes, have = v->count * c->bytes, straight;
    char *second = c->ring + c->capacity * c->bytes;
    int whole = v->count == v->asked && !v->scratch, taken = 0;
    if (v->count == 0 && v->asked > 0) return 0; /* the end of the stream: no window */
    if (whole && (taken = dfi_window_mirror(v, 0)) == 0) {
        v->p = dfi_window_at(v);
        if (v->reader) memcpy(second, c->ring, wrapped);
        return 0;
    }
    /* elements of other sizes are aligned to at most 16 bytes */
    v->p = v->room = dfi_malloc(bytes + (c->bytes % 32 ? 1 : DFI_ELEMENT_ALIGN));
    if (v->p) {
        if (c->bytes % 32 == 0) v->p = dfi_align(v->room);
    } else {
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

#define DFI_MESSAGE_STREAM_MEMORY "out of memory: a task with streams is skipped; use smaller windows"

/* Prepares the windows of a task whose body is about to run: writes their pointers into its
 * arguments, and into `array`, with room for one per window, for parameters with several. 0; 1:
 * later; -1: no memory, and there will be none. */
static int dfi_windows_begin(struct dfi_window *v, char *args, void **array)
{
    int r;
    for (; v; v = v->of_task) {
        if (!v->p) { /* it may have some from an earlier attempt */
            if (DFI_LIKELY(v->count == v->asked && v->slot + v->asked <= v->stream->capacity && !v->scratch))
                v->p = dfi_window_at(v);
            else if ((r = dfi_window_copy(v)) != 0) return r;
        }
        if (v->index < 0) memcpy(args + v->arg, (const void *)&v->p, sizeof v->p);
        else {
            if (v->index == 0) memcpy(args + v->arg, (const void *)&array, sizeof array);
            *array++ = v->p;
        }
    }
    return 0;
}

/* Leaves the private memory of v, or the second half of the ring memory, and copies what the body wrote there. */
static DFI_NOINLINE DFI_COLD void dfi_window_leave_copy(struct dfi_window *v, int skipped)
{
    struct dfi_stream *c = v->stream;
    size_t wrapped = dfi_window_wrapped(v), straight = v->asked * c->bytes - wrapped;
    if (!v->reader && !v->scratch && !skipped) {
        if (!v->mirrored) memcpy(dfi_window_at(v), v->room, straight);
        memcpy(c->ring, v->mirrored ? c->ring + c->capacity * c->bytes : (char *)v->room + straight, wrapped);
    }
    dfi_mfree(v->room);
}

/* Gives back the windows of a task that is done or was skipped. post: they are gone */
static void dfi_windows_end(struct dfi_window *v, int skipped, unsigned ns, struct dfi_after *a)
{
    while (v) {
        struct dfi_window *next = v->of_task;
        struct dfi_stream *c = v->stream;
        if (DFI_UNLIKELY(v->room || v->mirrored)) dfi_window_leave_copy(v, skipped);
        if (DFI_UNLIKELY(!dfi_stream_trylock(c))) dfi_stream_lock(c);
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

/* True if a task waits for elements that may come from outside of df at any time. v: its windows */
static int dfi_windows_external(struct dfi_window *v)
{
    int some = 0;
    for (; v; v = v->of_task) {
        dfi_stream_lock(v->stream);
        some |= v->waits && v->reader && v->stream->external && !v->stream->closed;
        dfi_stream_unlock(v->stream);
    }
    return some;
}

/* Notes that v cannot come. pre: the lock */
static void dfi_window_misses(struct dfi_window *v, struct dfi_missing *g)
{
    const struct dfi_stream *c = v->stream;
    g->stream = c->site;
    g->what = v->reader ? "elements in" : "free places in";
    g->elements = v->need - (v->reader ? c->push.done : dfi_stream_room(c) + c->capacity);
}

/* Gives up waiting for the windows of a task. */
static DFI_COLD void dfi_windows_give_up(struct dfi_window *v, struct dfi_missing *g)
{
    g->stream = NULL, g->windows = 0;
    for (; v; v = v->of_task) {
        struct dfi_stream *c = v->stream;
        dfi_stream_lock(c);
        if (v->waits) {
            dfi_window_wait_no_more(v);
            v->count = 0;
            if (!g->stream) dfi_window_misses(v, g);
            g->windows++;
        }
        dfi_stream_unlock(c);
    }
}

#endif
