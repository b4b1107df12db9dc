/* dfi_stream_core.h - streams: who may touch which elements, in both builds
 *
 * A stream is a ring of elements. Positions count elements from its beginning and never wrap. The producers of a
 * stream are one side of it, each reader another; a side hands out windows, one after the other, in the order of
 * submission. A window is finished when its task is done, and retired when all windows of its side before it are
 * finished as well: `done` of the side says up to where that is so.
 *
 *     done of each reader <= done of the producers <= next of the producers        (what was given up aside)
 *     a window to read may be entered when done of the producers has reached its end, or will not any more;
 *     a window to write, when every reader's done is at most a capacity behind its end
 *
 * All of this is under the lock of the stream; bodies work on the elements without it. Argument: docs/streams.md. */
#ifndef DFI_STREAM_CORE_H
#define DFI_STREAM_CORE_H

enum {
    DFI_WINDOWS_FIRST = 4, /* records that come with a stream: one of a single element, used like a future, is one malloc */
    DFI_WINDOWS_MORE = 32, /* and so many at a time later */
    DFI_WINDOWS_FEW = 16,  /* parameters of a task */
    DFI_WINDOWS_NOW = 64,  /* of one task that is run without memory; records on the stack of its submitter */
    DFI_STREAM_ALIGN = 64  /* of the first element */
};

/* What a task may touch of a stream. Stream lock, but for what is marked (task): who runs the task. */
struct dfi_window {
    struct dfi_window *next;               /* the one after it on its side; a free record: the next */
    struct dfi_window *wait_next, *wait_before; /* while it waits; wait_next also in a list of those released */
    struct dfi_window *of_task;            /* (task) the next of its task, in the order of the parameters */
    struct dfi_stream *stream;
    struct df_stream *reader;              /* NULL: it is written */
    void *task;                            /* struct dfi_flow, dfi_held in the serial build; who runs it without either */
    const char *name;                      /* of the task */
    uint64_t begin, pass;                  /* where it begins, and where the next one of its side does */
    uint64_t need;                         /* its end */
    size_t slot;                           /* of its beginning, in the ring */
    size_t asked, count;                   /* its elements; those that came from the stream */
    unsigned char waits, finished, spoilt; /* spoilt: a skipped task should have written it, or it would read such */
    unsigned char scratch;                 /* written after the close: what is written is dropped */
    unsigned char on_stack;                /* of who runs the task without memory, and looks by itself */
    unsigned char mirrored;                /* (task) it wraps, and uses the second half of the ring memory */
    void *p;                               /* (task) what the body gets */
    void *room;                            /* (task) private copy, or NULL */
    unsigned arg;                          /* where the body's pointer goes: offset in the argument record; */
    long long index;                       /* and in the array of pointers that lies there, or -1 */
};

struct dfi_side {
    uint64_t next;                         /* where the next window begins */
    uint64_t done;                         /* all before it was written, or consumed, by tasks that are done */
    size_t slot;                           /* of `next` */
    struct dfi_window *first, *last;       /* windows that are not retired */
    struct dfi_window *wait_first, *wait_last; /* those of them that wait, by what they need */
    unsigned ns, turn;                     /* how long its tasks take; how many were submitted */
};

/* What the program holds: a reader of the stream. */
struct df_stream {
    struct dfi_stream *stream;
    struct df_stream *other;               /* the next reader; one that is gone: the next of those */
    struct dfi_side side;
    int freed;                             /* no more windows: it goes with its last */
};

struct dfi_stream {
    DFI_ATOMIC(int) lock;
    int closed;
    size_t bytes, capacity;                /* constant */
    char *ring;                            /* capacity elements, and as many behind them for what wraps (`mirror`) */
    const char *site;
    struct dfi_side push;
    struct df_stream *readers;
    uint64_t room;                         /* every reader was seen to be done with what is before; may be old */
    uint64_t covered;                      /* the largest end of all windows to read so far */
    uint64_t spoilt_to;                    /* all before is spoilt, for want of memory to tell apart */
    struct dfi_window *kept, *kept_last;   /* retired windows with elements that are spoilt or were not asked for so far */
    size_t n_spoilt;                       /* of those, spoilt */
    size_t handles;                        /* readers that the program holds */
    size_t refs;                           /* readers, and windows to write that are not retired: keeps it alive */
    void *mirror;                          /* the task that uses the second half, */
    size_t n_mirror;                       /* with so many windows */
    int mirror_shared;                     /* which lie there as they do in the ring */
    struct dfi_window *free;
    struct dfi_chunk_of_windows *chunks;
    struct df_stream self;                 /* the first reader */
    struct dfi_window few[DFI_WINDOWS_FIRST];
};
struct dfi_chunk_of_windows {
    struct dfi_chunk_of_windows *next;
    struct dfi_window window[DFI_WINDOWS_MORE];
};

/* What is left to do after the lock was given back. */
struct dfi_after {
    struct dfi_window *ready;  /* windows that wait no more, by wait_next: each holds one count of its task */
    struct df_stream *gone;    /* readers to free */
    struct dfi_stream *dead;   /* the stream of the last lock, if nothing holds it any more */
};

/* Of each build. The lock is held for a few dozen instructions. A task of so many windows that wait; a task that is
 * not to run; a stream more or less. pre of both: locks of its streams. */
static void dfi_stream_task_waits(void *task, long windows);
static void dfi_stream_task_skip(void *task);
static void dfi_stream_created(int by);
static void dfi_stream_lock(struct dfi_stream *c);
static void dfi_stream_unlock(struct dfi_stream *c);

/* --- lock, memory ------------------------------------------------------------------------------- */

static struct dfi_side *dfi_window_side(struct dfi_window *v) { return v->reader ? &v->reader->side : &v->stream->push; }

/* pre: lock */
static void dfi_window_free(struct dfi_window *v)
{
    if (!v->on_stack) v->next = v->stream->free, v->stream->free = v;
}

/* More records. 0, or -1 without memory. pre: not the lock. */
static DFI_NOINLINE int dfi_stream_more(struct dfi_stream *c)
{
    struct dfi_chunk_of_windows *more = (struct dfi_chunk_of_windows *)dfi_malloc(sizeof *more);
    int i;
    if (!more) return -1;
    memset((void *)more, 0, sizeof *more);
    for (i = 0; i < DFI_WINDOWS_MORE; i++) {
        more->window[i].stream = c;
        more->window[i].next = i + 1 < DFI_WINDOWS_MORE ? &more->window[i + 1] : NULL;
    }
    dfi_stream_lock(c);
    more->next = c->chunks, c->chunks = more;
    more->window[DFI_WINDOWS_MORE - 1].next = c->free, c->free = more->window;
    dfi_stream_unlock(c);
    return 0;
}

static void dfi_stream_destroy(struct dfi_stream *c)
{
    while (c->chunks) {
        struct dfi_chunk_of_windows *more = c->chunks;
        c->chunks = more->next;
        dfi_mfree(more);
    }
    dfi_mfree(c);
    dfi_stream_created(-1);
}

/* Frees what `a` says, and forgets it. pre: no lock */
static void dfi_after_free(struct dfi_after *a)
{
    while (a->gone) {
        struct df_stream *r = a->gone;
        a->gone = r->other;
        dfi_mfree(r);
    }
    if (a->dead) dfi_stream_destroy(a->dead);
    a->dead = NULL;
}

/* --- positions: pre of all: the lock ------------------------------------------------------------- */

/* All before this was written, and consumed by every reader. (A reader that was given up may be ahead of the
 * producers: what it skipped is nobody's room before it was written.) */
static uint64_t dfi_stream_room(const struct dfi_stream *c)
{
    uint64_t least = c->push.done;
    const struct df_stream *r;
    for (r = c->readers; r; r = r->other)
        if (r->side.done < least) least = r->side.done;
    return least;
}

/* Nothing more will be written than is. */
static int dfi_stream_ended(const struct dfi_stream *c) { return c->closed && c->push.done >= c->push.next; }

static int dfi_window_open(struct dfi_window *v)
{
    struct dfi_stream *c = v->stream;
    if (v->scratch) return 1;
    if (v->reader) return v->need <= c->push.done || dfi_stream_ended(c);
    return v->need - c->room <= c->capacity || v->need - (c->room = dfi_stream_room(c)) <= c->capacity;
}

/* v may be entered: how much of it is there, and is it good? */
static void dfi_window_enter(struct dfi_window *v)
{
    const struct dfi_stream *c = v->stream;
    const struct dfi_window *k;
    v->count = v->asked;
    if (!v->reader) return;
    if (v->need > c->push.done) v->count = v->begin < c->push.done ? (size_t)(c->push.done - v->begin) : 0;
    v->spoilt = v->begin < c->spoilt_to && v->asked > 0;
    for (k = c->n_spoilt ? c->kept : NULL; k; k = k->next)
        if (k->spoilt && k->begin < v->need && v->begin < k->pass) v->spoilt = 1;
}

/* v waits, in its side's list, which begins with those that need least. Windows to write come in that order;
 * windows to read go back over those before them with a longer horizon. */
static void dfi_window_wait(struct dfi_window *v)
{
    struct dfi_side *d = dfi_window_side(v);
    struct dfi_window *before = d->wait_last;
    while (before && before->need > v->need) before = before->wait_before;
    v->waits = 1;
    v->wait_before = before;
    v->wait_next = before ? before->wait_next : d->wait_first;
    if (v->wait_next) v->wait_next->wait_before = v;
    else d->wait_last = v;
    if (before) before->wait_next = v;
    else d->wait_first = v;
}

static void dfi_window_wait_no_more(struct dfi_window *v)
{
    struct dfi_side *d = dfi_window_side(v);
    v->waits = 0;
    if (v->wait_before) v->wait_before->wait_next = v->wait_next;
    else d->wait_first = v->wait_next;
    if (v->wait_next) v->wait_next->wait_before = v->wait_before;
    else d->wait_last = v->wait_before;
}

/* Those of a side that may be entered now. */
static void dfi_side_release(struct dfi_side *d, struct dfi_after *a)
{
    struct dfi_window *v;
    while ((v = d->wait_first) != NULL && dfi_window_open(v)) {
        dfi_window_wait_no_more(v);
        dfi_window_enter(v);
        if (v->spoilt) dfi_stream_task_skip(v->task);
        v->wait_next = a->ready, a->ready = v;
    }
}

static void dfi_readers_release(struct dfi_stream *c, struct dfi_after *a)
{
    struct df_stream *r;
    for (r = c->readers; r; r = r->other) dfi_side_release(&r->side, a);
}

/* Retired windows that nobody will ask about: all their elements were asked for, and those spoilt consumed. */
static void dfi_stream_forget(struct dfi_stream *c)
{
    struct dfi_window *k;
    while ((k = c->kept) != NULL && k->pass <= c->covered) {
        if (k->spoilt && k->pass > dfi_stream_room(c)) return;
        if (k->spoilt) c->n_spoilt--;
        if (!(c->kept = k->next)) c->kept_last = NULL;
        dfi_window_free(k);
    }
}

/* v, written, retires: kept as long as somebody may ask who wrote it. What follows it in the same way is one with it. */
static void dfi_stream_keep(struct dfi_stream *c, struct dfi_window *v)
{
    struct dfi_window *last = c->kept_last;
    if (v->begin == v->pass || (!v->spoilt && v->pass <= c->covered)) {
        dfi_window_free(v);
        return;
    }
    if (last && last->pass == v->begin && last->name == v->name && last->spoilt == v->spoilt) {
        last->pass = v->pass;
        dfi_window_free(v);
        return;
    }
    if (v->on_stack) { /* another record, or none */
        struct dfi_window *copy = c->free;
        if (!copy) {
            if (v->spoilt) c->spoilt_to = v->pass;
            return;
        }
        c->free = copy->next;
        *copy = *v;
        copy->on_stack = 0;
        v = copy;
    }
    c->n_spoilt += v->spoilt;
    v->next = NULL;
    if (last) last->next = v;
    else c->kept = v;
    c->kept_last = v;
}

/* The reader r holds nothing back any more: it was freed, and its tasks are done. */
static void dfi_reader_leave(struct df_stream *r, struct dfi_after *a)
{
    struct dfi_stream *c = r->stream;
    struct df_stream **at = &c->readers;
    while (*at != r) at = &(*at)->other;
    *at = r->other;
    c->refs--;
    if (r == &c->self) return;
    r->other = a->gone, a->gone = r;
}

/* The task of v, which does not touch it any more, is done, or was skipped. */
static void dfi_window_finish(struct dfi_window *v, int skipped, struct dfi_after *a)
{
    struct dfi_stream *c = v->stream;
    struct df_stream *r = v->reader;
    struct dfi_side *d = dfi_window_side(v);
    if (v->mirrored && --c->n_mirror == 0) c->mirror = NULL;
    v->finished = 1;
    if (!r) v->spoilt = (unsigned char)skipped;
    if (v->scratch) {
        c->refs--;
        dfi_window_free(v);
    } else if (d->first == v) {
        while ((v = d->first) != NULL && v->finished) {
            d->done = v->pass;
            if (!(d->first = v->next)) d->last = NULL;
            if (!r) c->refs--, dfi_stream_keep(c, v);
            else dfi_window_free(v);
        }
        if (!r) dfi_readers_release(c, a);
        else {
            if (!d->first && r->freed) dfi_reader_leave(r, a);
            if (c->n_spoilt) dfi_stream_forget(c);
        }
        dfi_side_release(&c->push, a);
    } else if (v->on_stack) { /* given up before its turn: one with the window before it */
        struct dfi_window *before = d->first;
        while (before->next != v) before = before->next;
        if (!(before->next = v->next)) d->last = before;
        before->pass = v->pass;
        if (!r) {
            c->refs--;
            if (skipped) c->spoilt_to = v->pass;
        }
    }
    if (!c->refs) a->dead = c;
}

/* --- what a task asks for ------------------------------------------------------------------------ */

static struct df_stream *dfi_ask_stream(const struct dfi_ask *y, long long i) { return y->streams ? y->streams[i] : y->stream; }

/* Is the parameter y of a task right? If not it is said why. */
static DFI_NOINLINE int dfi_ask_right(const struct dfi_ask *y, const char *name, const char *site)
{
    const char *colon = site ? ": " : "";
    long long i;
    if (!site) site = "";
    if (y->n < 0) {
        dfi_log(DFI_LOG_STREAM_COUNT, site, colon, name, y->title, (long)y->n);
        return 0;
    }
    if (y->burst < 0 || y->horizon < y->burst) {
        dfi_log(DFI_LOG_STREAM_BURST, site, colon, name, y->title, (long)y->burst, (long)y->horizon);
        return 0;
    }
    for (i = 0; i < y->n; i++) {
        const struct df_stream *s = dfi_ask_stream(y, i);
        const struct dfi_stream *c = s ? s->stream : NULL;
        if (!c) dfi_log(DFI_LOG_STREAM_NULL, site, colon, name, y->title);
        else if (c->bytes != y->size)
            dfi_log(DFI_LOG_STREAM_SIZE, site, colon, name, y->title, (unsigned long)y->size, c->site, (unsigned long)c->bytes);
        else if ((unsigned long long)y->horizon > c->capacity)
            dfi_log(DFI_LOG_STREAM_LARGE, site, colon, name, y->title, (long)y->horizon, c->site, (unsigned long)c->capacity);
        else continue;
        return 0;
    }
    return 1;
}

/* A task asks for windows. */
struct dfi_take {
    struct dfi_ask *y;
    unsigned m;
    void *task;
    const char *name, *site;
    struct dfi_stream **locks;     /* room for `count`; here if there are no arrays: */
    struct dfi_stream *few[DFI_WINDOWS_FEW];
    struct dfi_window *windows;    /* result, and without memory given: records on the stack */
    long waits;                    /* result: how many of them wait */
    size_t count, n_locks;
    int arrays;                    /* some parameters are of arrays of streams */
    int wrong;                     /* some parameters are: the task is to be skipped */
    int tiny;                      /* result: its body takes less than to hand it over */
    int measure;                   /* result: see how long it takes this time */
};

/* The parameters of the task are looked at; wrong ones ask for nothing. */
static void dfi_take_check(struct dfi_take *q)
{
    unsigned i;
    q->count = 0, q->wrong = 0, q->waits = 0, q->windows = NULL, q->locks = NULL;
    q->tiny = q->measure = q->arrays = 0;
    for (i = 0; i < q->m; i++) {
        struct dfi_ask *y = &q->y[i];
        const struct dfi_stream *c = !y->streams && y->stream ? y->stream->stream : NULL;
        int right = c && c->bytes == y->size && y->burst >= 0 && y->horizon >= y->burst &&
                    (unsigned long long)y->horizon <= c->capacity;
        if (DFI_UNLIKELY(!right) && !dfi_ask_right(y, q->name, q->site)) q->wrong = 1, y->n = 0;
        q->arrays |= y->streams != NULL;
        q->count += (size_t)y->n;
    }
}

/* The streams of the task, each once, by address: all are locked at the same time, so that two tasks that share
 * several streams have the same order on all of them. */
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

/* v becomes window i of parameter y. pre: locks */
DFI_INLINE void dfi_window_assign(struct dfi_take *q, struct dfi_window *v, const struct dfi_ask *y, long long i)
{
    struct df_stream *s = dfi_ask_stream(y, i);
    struct dfi_stream *c = s->stream;
    struct dfi_side *d = y->writes ? &c->push : &s->side;
    v->stream = c;
    v->reader = y->writes ? NULL : s;
    v->task = q->task, v->name = q->name;
    v->next = NULL;
    v->asked = (size_t)y->horizon;
    v->waits = v->finished = v->spoilt = v->mirrored = 0;
    v->scratch = y->writes && c->closed;
    v->p = v->room = NULL;
    v->arg = y->arg, v->index = y->streams ? i : -1;
    if (y->writes) c->refs++;
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
    if (!y->writes && v->need > c->covered && y->horizon) {
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

/* Says what was pushed after the end. pre: no locks */
static DFI_COLD void dfi_take_late(struct dfi_take *q)
{
    const char *site = q->site ? q->site : "";
    const struct dfi_window *v;
    for (v = q->windows; v; v = v->of_task)
        if (v->scratch)
            dfi_log(DFI_LOG_STREAM_LATE, site, q->site ? ": " : "", v->name, (unsigned long)v->asked, v->stream->site);
}

/* All windows of a task. 0, or -1 without memory: then nothing has happened. pre: dfi_take_check; q->locks */
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

/* Could this be had right now, whole, good and in one piece? pre: lock */
DFI_UNUSED static int dfi_ask_at_once(const struct dfi_ask *y)
{
    struct dfi_stream *c = y->stream->stream;
    const struct dfi_side *d = y->writes ? &c->push : &y->stream->side;
    size_t n = (size_t)y->horizon;
    uint64_t need = d->next + n;
    if (!c->free || d->slot + n > c->capacity) return 0;
    if (!y->writes) return need <= c->push.done && !c->n_spoilt && d->next >= c->spoilt_to;
    return !c->closed && (need - c->room <= c->capacity || need - (c->room = dfi_stream_room(c)) <= c->capacity);
}

/* All windows of a task that has few, if each could be had right now; `always`, or if the task is tiny. Nonzero: got
 * them. pre: dfi_take_check, nothing wrong, no arrays, one window for each parameter, count > 0 */
DFI_UNUSED static int dfi_take_at_once(struct dfi_take *q, int always)
{
    const struct dfi_side *d = q->y[0].writes ? &q->y[0].stream->stream->push : &q->y[0].stream->side;
    struct dfi_window **last = &q->windows;
    unsigned a;
    int all = 1;
    q->locks = q->few;
    if (q->m == 1) q->few[0] = q->y[0].stream->stream, q->n_locks = 1;
    else {
        dfi_take_sort(q);
        if (q->n_locks != q->m) return 0; /* a stream twice */
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
        for (a = 0, last = &q->windows; a < q->m; a++, last = &(*last)->of_task) dfi_window_assign(q, *last, &q->y[a], 0);
    }
    dfi_take_unlock(q);
    return all;
}

/* The same with records on the stack, at q->windows: they are in no list of those that wait. pre: q->locks */
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

/* May the window on the stack be entered, and is it the oldest of its side, but for others of the same task? Then
 * it will be retired at once. */
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

/* --- what the body gets --------------------------------------------------------------------------- */

static char *dfi_window_at(const struct dfi_window *v) { return v->stream->ring + v->slot * v->stream->bytes; }

/* Bytes of the window that lie at the beginning of the ring again, as it wraps. */
static size_t dfi_window_wrapped(const struct dfi_window *v)
{
    size_t end = v->slot + v->asked;
    return end > v->stream->capacity && !v->scratch ? (end - v->stream->capacity) * v->stream->bytes : 0;
}

/* v may use the second half of the ring memory, alone or with others of its task. 0; 1: not now; -1: its task has it. */
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

/* What wraps goes on in the second half of the ring memory, if no other task uses that now; or else all of it into
 * private memory. A window that is not all there, or not in the stream, is private, in the second half if there is no
 * memory. 0, or -1: no memory, 1: there may be some later. */
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

/* The body of the task with these windows is about to run: its pointers go into its arguments, and into `array`, with
 * room for one per window, if it has parameters of several. 0; 1: later; -1: no memory, and there will be none. */
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

/* The task is done, or was skipped: its windows are gone after this. */
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
        if (ns) { /* a mean of the last few; one that was interrupted is not the rule */
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

/* What a task waits for in vain. */
struct dfi_missing {
    const char *stream;     /* its site; NULL: it waits for no window */
    const char *what;
    uint64_t elements;      /* that are missing to go on */
    long windows;           /* how many of its windows do not wait any more */
};

/* The windows of a task are not waited for any more. */
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

/* --- the API ---------------------------------------------------------------------------------------- */

static void dfi_windows_ready(struct dfi_window *v, int outside); /* of each build: windows that wait no more */

/* Is p the address of one of these windows? The number of its elements, or -1. */
static long long dfi_windows_find(const struct dfi_window *v, const void *p)
{
    long long most = -1;
    for (; v; v = v->of_task)
        if (v->p == p && (long long)v->count > most) most = (long long)v->count;
    return most;
}

static void dfi_reader_begin(struct df_stream *r, struct dfi_stream *c)
{
    memset((void *)r, 0, sizeof *r);
    r->stream = c;
    r->side.next = r->side.done = c->push.next;
    r->side.slot = c->push.slot;
    r->other = c->readers, c->readers = r;
    c->handles++, c->refs++;
}

DFI_EXTERN_C_BEGIN
DFI_API struct df_stream *dfi_stream_new(size_t bytes, size_t capacity, const char *site)
{
    size_t head = sizeof(struct dfi_stream) + DFI_STREAM_ALIGN;
    struct dfi_stream *c;
    int i;
    if (!bytes || !capacity) {
        dfi_log(DFI_LOG_STREAM_NEW, site, (unsigned long)bytes, (unsigned long)capacity);
        return NULL;
    }
    if (capacity > (SIZE_MAX - head) / 2 / bytes) return NULL;
    if (!(c = (struct dfi_stream *)dfi_malloc(head + 2 * capacity * bytes))) return NULL;
    memset((void *)c, 0, sizeof *c);
    c->bytes = bytes, c->capacity = capacity, c->site = site;
    c->ring = (char *)(c + 1);
    c->ring += (DFI_STREAM_ALIGN - (uintptr_t)c->ring % DFI_STREAM_ALIGN) % DFI_STREAM_ALIGN;
    for (i = 0; i < DFI_WINDOWS_FIRST; i++) {
        c->few[i].stream = c;
        c->few[i].next = c->free, c->free = &c->few[i];
    }
    dfi_reader_begin(&c->self, c);
    dfi_stream_created(1);
    return &c->self;
}

DFI_API struct df_stream *df_stream_reader(struct df_stream *s)
{
    struct df_stream *r = s ? (struct df_stream *)dfi_malloc(sizeof *r) : NULL;
    if (!r) return NULL;
    dfi_stream_lock(s->stream);
    dfi_reader_begin(r, s->stream);
    dfi_stream_unlock(s->stream);
    return r;
}

DFI_API void dfi_stream_close(struct df_stream *s, const char *site)
{
    struct dfi_after a = { NULL, NULL, NULL };
    struct dfi_stream *c = s ? s->stream : NULL;
    int twice;
    if (!c) return;
    dfi_stream_lock(c);
    twice = c->closed;
    c->closed = 1;
    if (dfi_stream_ended(c)) dfi_readers_release(c, &a);
    dfi_stream_unlock(c);
    if (twice) dfi_log(DFI_LOG_STREAM_CLOSED, site, c->site);
    dfi_windows_ready(a.ready, 1);
}

DFI_API void df_stream_free(struct df_stream *s)
{
    struct dfi_after a = { NULL, NULL, NULL };
    struct dfi_stream *c = s ? s->stream : NULL;
    const struct dfi_window *k = NULL;
    const char *site = NULL, *name = "?";
    uint64_t left = 0;
    if (!c) return;
    dfi_stream_lock(c);
    s->freed = 1;
    if (--c->handles == 0 && c->push.next > c->covered) {
        left = c->push.next - c->covered;
        for (k = c->kept; k && k->pass <= c->covered;) k = k->next;
        if (!k)
            for (k = c->push.first; k && k->pass <= c->covered;) k = k->next;
        if (k) name = k->name;
        site = c->site;
    }
    if (!s->side.first) {
        dfi_reader_leave(s, &a);
        dfi_side_release(&c->push, &a);
        if (!c->refs) a.dead = c;
    }
    dfi_stream_unlock(c);
    dfi_after_free(&a);
    if (left) dfi_log(DFI_LOG_STREAM_LEFT, site, (unsigned long)left, name);
    dfi_windows_ready(a.ready, 1);
}
DFI_EXTERN_C_END

#endif
