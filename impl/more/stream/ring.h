/* ring.h - streams: element rings, and the windows of tasks on them; in both builds
 *
 * A stream is a ring of elements. Positions count elements from its beginning and never wrap. The
 * producers of a stream are one side of it, and each reader is another. A side hands out windows in
 * the order of submission. A window is finished when its task is done, and retired when all earlier
 * windows of its side are finished as well: `done` of the side is the end of its retired windows.
 *
 *     done of each reader <= done of the producers <= next of the producers (except after a window
 *     was given up)
 *     a read window may be entered when done of the producers has reached its end, or never will;
 *     a write window, when the done of every reader is at most a capacity behind its end
 *
 * The lock of the stream protects all of this; bodies access the elements without it. Argument:
 * docs/internals/streams.md. */
#ifndef DFI_MORE_STREAM_RING_H
#define DFI_MORE_STREAM_RING_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../base/upcall.h"
#include "../../os/os.h"

enum {
    /* records that come with a stream: a stream of one element, used as a future, is one malloc */
    DFI_WINDOWS_FIRST = 4,
    DFI_WINDOWS_MORE = 32, /* records added at a time later */
    DFI_WINDOWS_FEW = 16,  /* parameters of a task */
    DFI_WINDOWS_NOW = 64,  /* windows of one task that runs without memory: records on the stack of its submitter */
    DFI_STREAM_ALIGN = 64  /* of the first element */
};

/* The elements of a stream that a task may access. Protected by the stream lock, except fields
 * marked (task), which belong to the thread that runs the task. */
struct dfi_window {
    struct dfi_window *next;               /* the next window of its side; in a free record: the next free record */
    struct dfi_window *wait_next, *wait_before; /* the list of waiting windows; wait_next also links released windows */
    struct dfi_window *of_task;            /* (task) the next window of its task, in the order of the parameters */
    struct dfi_stream *stream;
    struct df_stream *reader;              /* NULL: a write window */
    /* struct dfi_flow; dfi_held in the serial build; dfi_stream_now if it runs without memory */
    void *task;
    const char *name;                      /* of the task */
    uint64_t begin, pass;                  /* its first position, and that of the next window of its side */
    uint64_t need;                         /* its end */
    size_t slot;                           /* of its beginning, in the ring */
    size_t asked, count;                   /* its elements; those that came from the stream */
    /* poisoned: a skipped task should have written it, or it would read such elements */
    unsigned char waits, finished, poisoned;
    unsigned char mirrored;                /* (task) it wraps, and uses the second half of the ring memory */
    unsigned char scratch;                 /* written after the close: the elements are dropped */
    unsigned char on_stack;                /* on the stack of the thread that runs the task without memory, and polls */
    void *p;                               /* (task) the pointer that the body gets */
    void *room;                            /* (task) private copy, or NULL */
    unsigned arg;                          /* location of the body's pointer: offset in the argument record; */
    long long index;                       /* and index in the array of pointers there, or -1 */
};

struct dfi_side {
    uint64_t next;                         /* the position of the next window */
    /* all elements before it were written, or consumed, by tasks that are done */
    uint64_t done;
    size_t slot;                           /* of `next` */
    struct dfi_window *first, *last;       /* windows that are not retired */
    struct dfi_window *wait_first, *wait_last; /* those of them that wait, ordered by `need` */
    unsigned ns, turn;                     /* time of its tasks; number submitted */
};

/* A reader of the stream, the handle that the program holds. */
struct df_stream {
    struct dfi_stream *stream;
    struct df_stream *other;               /* the next reader; of a freed one: the next freed one */
    struct dfi_side side;
    int freed;                             /* no more windows: it is freed with its last one */
};

struct dfi_stream {
    DFI_ATOMIC(int) lock;
    int closed;
    int external;                          /* elements are pushed by tasks that threads outside of df submit */
    size_t bytes, capacity;                /* constant */
    char *ring;                            /* capacity elements, followed by as many for windows that wrap (`mirror`) */
    const char *site;
    /* code of the element type, like the next two from the first task that used the stream, */
    int code;
    /* or from df_stream_new_of. Copies, because a library may be unloaded. "": none yet */
    char type[40], typed_by[120];
    DFI_ATOMIC(uintptr_t) known[2];        /* the last read and write parameters found to have this type */
    struct dfi_side push;
    struct df_stream *readers;
    uint64_t room;                         /* every reader is done with the elements before it; may be out of date */
    uint64_t covered;                      /* the largest end of all read windows so far */
    /* all elements before it are poisoned, because there was no memory to tell them apart */
    uint64_t poisoned_to;
    /* retired windows with elements that are poisoned, or not requested so far */
    struct dfi_window *kept, *kept_last;
    size_t n_poisoned;                     /* number of poisoned ones among those */
    size_t handles;                        /* readers that the program holds */
    size_t refs;                           /* readers, and write windows that are not retired: they keep it alive */
    void *mirror;                          /* the task that uses the second half, */
    size_t n_mirror;                       /* and the number of its windows there */
    int mirror_shared;                     /* they lie there as they do in the ring */
    struct dfi_window *free;
    struct dfi_chunk_of_windows *chunks;
    struct df_stream self;                 /* the first reader */
    struct dfi_window few[DFI_WINDOWS_FIRST];
};
struct dfi_chunk_of_windows {
    struct dfi_chunk_of_windows *next;
    struct dfi_window window[DFI_WINDOWS_MORE];
};

/* Work left for after the lock is released. */
struct dfi_after {
    struct dfi_window *ready;  /* windows that no longer wait, by wait_next: each holds one count of its task */
    struct df_stream *gone;    /* readers to free */
    struct dfi_stream *dead;   /* the stream of the last lock, if nothing holds it any more */
};

/* A task has that many windows that wait; a task must not run. pre: locks of its streams */
DFI_UPCALL(void, dfi_up_windows_wait, (void *task, long windows));
DFI_UPCALL(void, dfi_up_window_skips, (void *task));
/* The number of streams changes. */
DFI_UPCALL(void, dfi_up_streams_change, (int by));

/* --- lock, memory ------------------------------------------------------------------------------- */

enum { DFI_STREAM_SPINS = 100 }; /* attempts to take a lock before yielding, about 2 us: longer than it is held */

/* acquire; pairs with dfi_stream_unlock. (Green threads take turns only where one waits, and none waits with it.) */
DFI_FAST int dfi_stream_trylock(struct dfi_stream *c) { return DFI_ALONE || !dfi_exchange_acq_rel(&c->lock, 1); }
static DFI_NOINLINE void dfi_stream_lock(struct dfi_stream *c)
{
    int spins = 0;
    while (DFI_UNLIKELY(!dfi_stream_trylock(c)))
        while (dfi_load_relaxed(&c->lock))
            if (++spins < DFI_STREAM_SPINS) dfi_os_pause();
            else dfi_os_yield(); /* the holder may have been preempted */
}
static void dfi_stream_unlock(struct dfi_stream *c)
{
    if (!DFI_ALONE) dfi_store_release(&c->lock, 0);
}

static struct dfi_side *dfi_window_side(struct dfi_window *v)
{
    return v->reader ? &v->reader->side : &v->stream->push;
}

/* pre: the lock */
static void dfi_window_free(struct dfi_window *v)
{
    if (!v->on_stack) v->next = v->stream->free, v->stream->free = v;
}

/* Allocates more records. 0, or -1 without memory. pre: the lock is not held */
static DFI_NOINLINE DFI_COLD int dfi_stream_more(struct dfi_stream *c)
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
    dfi_up_streams_change(-1);
}

/* Frees the objects listed in `a`, and clears it. pre: no lock */
static DFI_COLD void dfi_after_free(struct dfi_after *a)
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

/* The position before which all elements were written, and consumed by every reader. (A reader that
 * was given up may be ahead of the producers: elements that it skipped free no room before they were
 * written.) */
static DFI_NOINLINE uint64_t dfi_stream_room(const struct dfi_stream *c)
{
    uint64_t least = c->push.done;
    const struct df_stream *r;
    for (r = c->readers; r; r = r->other)
        if (r->side.done < least) least = r->side.done;
    return least;
}

/* True if there is room for elements before position `need`. */
DFI_FAST int dfi_stream_fits(struct dfi_stream *c, uint64_t need)
{
    return need - c->room <= c->capacity || need - (c->room = dfi_stream_room(c)) <= c->capacity;
}

/* True if no more elements will be written. */
static int dfi_stream_ended(const struct dfi_stream *c) { return c->closed && c->push.done >= c->push.next; }

/* pre: v is in the stream */
static int dfi_window_open(struct dfi_window *v)
{
    struct dfi_stream *c = v->stream;
    if (v->reader) return v->need <= c->push.done || dfi_stream_ended(c);
    return dfi_stream_fits(c, v->need);
}

/* v, a read window, may be entered: computes how many of its elements exist, and whether they are poisoned. */
static void dfi_window_enter(struct dfi_window *v)
{
    const struct dfi_stream *c = v->stream;
    const struct dfi_window *k;
    if (v->need > c->push.done) v->count = v->begin < c->push.done ? (size_t)(c->push.done - v->begin) : 0;
    v->poisoned = v->begin < c->poisoned_to && v->asked > 0;
    for (k = c->n_poisoned ? c->kept : NULL; k; k = k->next)
        if (k->poisoned && k->begin < v->need && v->begin < k->pass) v->poisoned = 1;
}

/* Inserts v into the list of waiting windows of its side, ordered by `need`. Write windows come in
 * that order; a read window moves back over those before it with a longer horizon. */
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

/* Releases the windows of a side that may be entered now. */
static void dfi_side_release(struct dfi_side *d, struct dfi_after *a)
{
    struct dfi_window *v;
    while ((v = d->wait_first) != NULL && dfi_window_open(v)) {
        dfi_window_wait_no_more(v);
        if (v->reader) dfi_window_enter(v);
        if (v->poisoned) dfi_up_window_skips(v->task);
        v->wait_next = a->ready, a->ready = v;
    }
}

static void dfi_readers_release(struct dfi_stream *c, struct dfi_after *a)
{
    struct df_stream *r;
    for (r = c->readers; r; r = r->other) dfi_side_release(&r->side, a);
}

/* Frees retired windows that no reader can request any more: all their elements were requested, and
 * poisoned ones consumed. */
static void dfi_stream_forget(struct dfi_stream *c)
{
    struct dfi_window *k;
    while ((k = c->kept) != NULL && k->pass <= c->covered) {
        if (k->poisoned && k->pass > dfi_stream_room(c)) return;
        if (k->poisoned) c->n_poisoned--;
        if (!(c->kept = k->next)) c->kept_last = NULL;
        dfi_window_free(k);
    }
}

/* v, which is on the stack, is about to be kept: moves it to a record of the stream. NULL: there is none. */
static DFI_NOINLINE DFI_COLD struct dfi_window *dfi_window_off_stack(struct dfi_stream *c, const struct dfi_window *v)
{
    struct dfi_window *copy = c->free;
    if (copy) {
        c->free = copy->next;
        *copy = *v;
        copy->on_stack = 0;
    } else if (v->poisoned) c->poisoned_to = v->pass;
    return copy;
}

/* v, a write window, retires: it is kept while a reader may ask which task wrote it. An adjacent one
 * with the same properties is merged with it. Zero: it may be freed. */
static int dfi_stream_keep(struct dfi_stream *c, struct dfi_window *v)
{
    struct dfi_window *last = c->kept_last;
    if (v->begin == v->pass || (!v->poisoned && v->pass <= c->covered)) return 0;
    if (last && last->pass == v->begin && last->name == v->name && last->poisoned == v->poisoned) {
        last->pass = v->pass;
        return 0;
    }
    if (DFI_UNLIKELY(v->on_stack) && !(v = dfi_window_off_stack(c, v))) return 0;
    c->n_poisoned += v->poisoned;
    v->next = NULL;
    if (last) last->next = v;
    else c->kept = v;
    c->kept_last = v;
    return 1;
}

/* The reader r holds back nothing any more: it was freed, and its tasks are done. */
static DFI_COLD void dfi_reader_leave(struct df_stream *r, struct dfi_after *a)
{
    struct dfi_stream *c = r->stream;
    struct df_stream **at = &c->readers;
    while (*at != r) at = &(*at)->other;
    *at = r->other;
    c->refs--;
    if (r == &c->self) return;
    r->other = a->gone, a->gone = r;
}

/* v, which is in no list, or on the stack, is finished before its turn: then it is merged with the window before it. */
static DFI_NOINLINE DFI_COLD void dfi_window_drop(struct dfi_window *v)
{
    struct dfi_stream *c = v->stream;
    struct dfi_side *d = dfi_window_side(v);
    struct dfi_window *before = d->first;
    if (!v->reader) c->refs--;
    if (v->scratch) {
        dfi_window_free(v);
        return;
    }
    while (before->next != v) before = before->next;
    if (!(before->next = v->next)) d->last = before;
    before->pass = v->pass;
    if (v->poisoned) c->poisoned_to = v->pass;
}

/* The task of v is done or was skipped. pre: it does not touch v any more */
static void dfi_window_finish(struct dfi_window *v, int skipped, struct dfi_after *a)
{
    struct dfi_stream *c = v->stream;
    struct df_stream *r = v->reader;
    struct dfi_side *d = dfi_window_side(v);
    if (v->mirrored && --c->n_mirror == 0) c->mirror = NULL;
    v->finished = 1;
    v->poisoned = !r && skipped;
    if (DFI_LIKELY(d->first == v)) {
        while ((v = d->first) != NULL && v->finished) {
            d->done = v->pass;
            if (!(d->first = v->next)) d->last = NULL;
            if (!r) c->refs--;
            if (r || !dfi_stream_keep(c, v)) dfi_window_free(v);
        }
        if (!r) dfi_readers_release(c, a);
        else {
            if (!d->first && r->freed) dfi_reader_leave(r, a);
            if (c->n_poisoned) dfi_stream_forget(c);
        }
        dfi_side_release(&c->push, a);
    } else if (v->scratch || v->on_stack) dfi_window_drop(v);
    if (!c->refs) a->dead = c;
}

#endif
