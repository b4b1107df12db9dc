/* ring.h - streams: who may touch which elements, in both builds
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
#ifndef DFI_MORE_STREAM_RING_H
#define DFI_MORE_STREAM_RING_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/memory.h"

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
    int code;                              /* of the element type, with the next two: of the first task that used the stream, */
    char type[40], typed_by[120];          /* or of df_stream_new_of. Copies: a library may be unloaded. "": none yet */
    DFI_ATOMIC(uintptr_t) known[2];        /* the last parameter that reads, that writes, and was found to have this type */
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
static void dfi_graph_stream(const struct dfi_stream *c);
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

#endif
