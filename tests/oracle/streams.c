/* streams.c - streams of the oracle: every window is a copy of its elements */
#include <stdlib.h>
#include <string.h>
#include "oracle.h"

struct window {                  /* of a task on a stream */
    struct window *next;         /* of its reader, in order */
    struct window *of_task;      /* the next one of its task */
    struct stream *stream;
    struct df_stream *reader;    /* NULL: it writes */
    long at, horizon, burst;     /* elements [at, at + horizon); `burst` are consumed */
    char *memory;                /* what the body sees, */
    void **pointer;              /* and where it finds the address of it */
    size_t count;                /* elements that came from the stream */
    int dropped;                 /* pushed after the end of the stream */
};
struct stream {
    size_t size;                 /* of an element */
    long capacity, pushed;       /* by the tasks submitted so far */
    int closed, code;
    const char *type;
    char *ring, *poisoned;       /* elements, and whether the task that should have pushed them was skipped */
    long *lap;                   /* which element is in that place: k + 1, pushed by a task that is done; 0: none */
    struct df_stream *readers;
};
struct df_stream {               /* a handle */
    struct stream *stream;
    struct df_stream *next;
    long at;                     /* consumed by the tasks submitted so far */
    struct window *first, **end; /* of unfinished tasks, in order */
    int freed;
};

/* --- windows ----------------------------------------------------------------------------------------- */

static int may_enter(const struct window *w)
{
    const struct stream *s = w->stream;
    const struct df_stream *r;
    long i, end = w->at + w->horizon, past = end - s->capacity;
    if (w->dropped || !w->horizon) return 1;
    if (w->reader) { /* what it reads is pushed, by tasks that are done */
        if (end > s->pushed && !s->closed) return 0;
        for (i = w->at; i < end && i < s->pushed; i++)
            if (s->lap[i % s->capacity] != i + 1) return 0;
        return 1;
    }
    for (r = s->readers; r; r = r->next) /* where it writes every reader has passed, by tasks that are done */
        if ((!r->freed && r->at < past) || (r->first && r->first->at < past)) return 0;
    return 1;
}
int oracle_windows_wait(const struct scope *t)
{
    const struct window *w;
    for (w = t->windows; w; w = w->of_task)
        if (!may_enter(w)) return 1;
    return 0;
}
/* Its windows get their elements. Zero: some were never pushed, as the task that should have done so was skipped. */
int oracle_windows_enter(struct scope *t)
{
    struct window *w;
    long i;
    for (w = t->windows; w; w = w->of_task) {
        struct stream *s = w->stream;
        if (!w->reader) continue;
        for (i = w->at; i < w->at + w->horizon && i < s->pushed; i++, w->count++) {
            size_t place = (size_t)(i % s->capacity);
            if (s->poisoned[place]) return 0;
            memcpy(w->memory + w->count * s->size, s->ring + place * s->size, s->size);
        }
        if (w->horizon && !w->count) *w->pointer = NULL; /* behind the end */
    }
    return 1;
}
/* The elements that it pushed are there, and those that it popped are gone. */
void oracle_windows_leave(struct scope *t)
{
    struct window *w, **at;
    long i;
    int k;
    while ((w = t->windows) != NULL) {
        for (i = 0; i < w->burst && !w->reader && !w->dropped; i++) {
            struct stream *s = w->stream;
            size_t place = (size_t)((w->at + i) % s->capacity);
            s->poisoned[place] = (char)t->skip, s->lap[place] = w->at + i + 1;
            memcpy(s->ring + place * s->size, w->memory + (size_t)i * s->size, s->size);
        }
        if (w->reader && w->horizon) {
            for (at = &w->reader->first; *at != w;) at = &(*at)->next;
            if (!(*at = w->next)) w->reader->end = at;
        }
        t->windows = w->of_task;
        free(w->memory);
        free(w);
    }
    for (k = 0; t->arrays && t->arrays[k]; k++) free(t->arrays[k]);
    free(t->arrays);
}

/* --- what programs call ------------------------------------------------------------------------------ */

df_stream *dfi_stream_new(size_t bytes, size_t capacity, int code, const char *type, const char *site)
{
    struct df_stream *h = oracle_zeroed(sizeof *h);
    (void)site;
    if (!bytes || !capacity || capacity > SIZE_MAX / 4 / bytes) return NULL;
    h->stream = oracle_zeroed(sizeof *h->stream);
    h->stream->size = bytes, h->stream->capacity = (long)capacity, h->stream->code = code, h->stream->type = type;
    h->stream->ring = oracle_zeroed(bytes * capacity), h->stream->poisoned = oracle_zeroed(capacity);
    h->stream->lap = oracle_zeroed(capacity * sizeof(long));
    h->stream->readers = h, h->end = &h->first;
    return h;
}
df_stream *df_stream_reader(const volatile void *p)
{
    struct df_stream *s = (struct df_stream *)(uintptr_t)p, *h;
    if (!s) return NULL;
    h = oracle_zeroed(sizeof *h);
    h->stream = s->stream, h->at = s->stream->pushed, h->end = &h->first;
    h->next = s->stream->readers, s->stream->readers = h;
    return h;
}
void df_stream_external(const volatile void *p) { (void)p; } /* the only thread pushes */
size_t df_stream_room(const volatile void *p)
{
    const struct stream *s = p ? ((struct df_stream *)(uintptr_t)p)->stream : NULL;
    const struct df_stream *r;
    long passed;
    if (!s || s->closed) return 0;
    passed = s->pushed;
    for (r = s->readers; r; r = r->next)
        if (!r->freed || r->first) {
            long at = r->first ? r->first->at : r->at;
            if (at < passed) passed = at;
        }
    return (size_t)(s->capacity - (s->pushed - passed));
}
void dfi_stream_close(const volatile void *p, const char *site)
{
    (void)site;
    if (p) ((struct df_stream *)(uintptr_t)p)->stream->closed = 1;
    oracle_event();
}
void df_stream_free(const volatile void *p) /* its memory stays: tasks may use it */
{
    if (p) ((struct df_stream *)(uintptr_t)p)->freed = 1;
    oracle_event();
}
size_t df_stream_count(const void *p)
{
    const struct scope *s;
    const struct window *w;
    for (s = oracle_current(); s; s = s->outer)
        for (w = s->windows; w; w = w->of_task)
            if (p && w->memory == p) return w->count;
    return 0;
}
/* One window; NULL: the stream cannot have such a window. */
static struct window *new_window(struct scope *t, const struct dfi_ask *y, struct df_stream *h, void **pointer)
{
    const struct dfi_element *e = y->element;
    struct stream *s = h ? h->stream : NULL;
    struct window *w;
    if (!s || y->burst < 0 || y->horizon < y->burst || y->horizon > s->capacity || e->size != s->size ||
        (s->code && e->code && s->code != e->code)) {
        oracle_say("%s: %s of task %s: the stream cannot give that", t->site ? t->site : "", e->title, t->type->name);
        return NULL;
    }
    if (!s->code) s->code = e->code;
    w = oracle_zeroed(sizeof *w);
    w->stream = s, w->horizon = (long)y->horizon, w->burst = (long)y->burst;
    w->memory = oracle_zeroed(s->size * (size_t)w->horizon);
    w->pointer = pointer;
    *pointer = w->memory;
    w->count = e->writes ? (size_t)w->horizon : 0;
    if (!e->writes) w->reader = h, w->at = h->at, h->at += w->burst;
    else if (s->closed) w->dropped = 1;
    else w->at = s->pushed, s->pushed += w->burst;
    if (w->reader && w->horizon) *h->end = w, h->end = &w->next;
    w->of_task = t->windows, t->windows = w;
    return w;
}
void dfi_stream_submit(const struct dfi_type *type, void *args, struct dfi_access *x, unsigned n, struct dfi_ask *y,
                       unsigned m)
{
    struct scope *t = (struct scope *)(void *)dfi_task_new(type);
    unsigned i, arrays = 0;
    long long k;
    oracle_cannot_record();
    memcpy(t->head.args, args, type->args_bytes);
    t->arrays = oracle_zeroed((m + 1) * sizeof *t->arrays);
    for (i = 0; i < m; i++) {
        void **field = (void **)(void *)((char *)t->head.args + y[i].element->arg), **to = field;
        int wrong = y[i].n < 0 || (y[i].n && !y[i].streams && y[i].n != 1);
        if (y[i].streams && !wrong) {
            to = t->arrays[arrays++] = oracle_zeroed((size_t)y[i].n * sizeof *to);
            *field = to;
        }
        for (k = 0; k < y[i].n; k++) {
            const void *s = y[i].streams ? ((struct df_stream *const *)y[i].streams)[k] : y[i].stream;
            wrong |= !new_window(t, &y[i], (struct df_stream *)(uintptr_t)s, &to[k]);
        }
        if (!wrong) continue;
        t->skip = 1;
        oracle_give_error(oracle_current(), DF_ERROR_STREAM, "");
    }
    oracle_submit(t, x, n);
}
