/* stream.c - streams, events, and their operations */
#include "double.h"
#include <unistd.h>

enum { STREAM = 0x57AEA, EVENT = 0xE7E27 };
enum kind { COPY, KERNEL, WAIT, RECORD };
struct side { uintptr_t p; size_t pitch; struct block *block; int on_device; };
struct op {
    struct op *next;
    enum kind kind;
    struct mark *mark;
    /* a copy */
    struct side to, from;
    size_t width, height;
    /* a kernel */
    struct function *function;
    unsigned groups[3], group[3], shared;
    void **values;
    struct block *block[MAX_PARAMETERS];
};
struct stream {
    unsigned magic;
    struct context *context;
    pthread_t thread;
    struct op *first, **end;
    int ending;
};

/* Something was put into a stream, was done, or is not held any more. */
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int held;
static long delay = -1;

void cuda_double_hold(int what);
void cuda_double_hold(int what)
{
    pthread_mutex_lock(&double_lock);
    held = what;
    pthread_cond_broadcast(&change);
    pthread_mutex_unlock(&double_lock);
}

struct context *double_stream_context(struct stream *s) { return s && s->magic == STREAM ? s->context : NULL; }

static void mark_release(struct mark *m)
{
    if (m && !--m->refs) free(m);
}

/* --- what a stream's thread does ------------------------------------------------------------------------ */

/* Where the host finds it; block: of device or pinned memory. */
static char *real(const struct side *e) { return e->on_device ? e->block->real + (e->p - e->block->at) : (char *)e->p; }

static int copy(const struct op *o)
{
    size_t y;
    for (y = 0; y < o->height; y++)
        memcpy(real(&o->to) + y * o->to.pitch, real(&o->from) + y * o->from.pitch, o->width);
    return 0;
}

/* The kernel's parameters: addresses of device memory become those that the host finds it at. */
static int kernel(const struct op *o)
{
    const struct cuda_double_kernel *k = o->function->kernel;
    int i;
    for (i = 0; i < k->n; i++) {
        uintptr_t p;
        if (!k->is_pointer[i]) continue;
        memcpy(&p, o->values[i], sizeof p);
        if (!p) continue;
        if (!o->block[i]) return E_ILLEGAL_ADDRESS;
        p = (uintptr_t)o->block[i]->real + (p - o->block[i]->at);
        memcpy(o->values[i], &p, sizeof p);
    }
    return k->run(o->values, o->groups, o->group, o->shared) ? E_LAUNCH_FAILED : 0;
}

static void pin(struct op *o, int by)
{
    int i;
    if (o->to.block) o->to.block->pins += by;
    if (o->from.block) o->from.block->pins += by;
    if (o->function) o->function->module->pins += by;
    for (i = 0; i < MAX_PARAMETERS; i++)
        if (o->block[i]) o->block[i]->pins += by;
}

/* One operation, taken out of the stream. Called and left under the lock. */
static void carry_out(struct stream *s, struct op *o, unsigned *random)
{
    int code = 0, real_work = o->kind == COPY || o->kind == KERNEL;
    while (o->kind == WAIT && !o->mark->done) pthread_cond_wait(&change, &double_lock);
    while (real_work && held & (o->kind == KERNEL ? 1 : 2)) pthread_cond_wait(&change, &double_lock);
    if (real_work && !s->context->lost) {
        code = double_fault(o->kind == KERNEL ? N_kernel : N_copy);
        if (!code) {
            pthread_mutex_unlock(&double_lock);
            if (delay) usleep((unsigned)((*random = *random * 1103515245u + 12345u) >> 8) % (unsigned)delay);
            code = o->kind == KERNEL ? kernel(o) : copy(o);
            pthread_mutex_lock(&double_lock);
        }
        if (code) s->context->lost = code;
    }
    if (o->kind == RECORD) o->mark->done = 1;
    pin(o, -1);
    s->context->pending--;
    mark_release(o->mark);
    free(o->values);
    free(o);
    pthread_cond_broadcast(&change);
}

static void *stream_main(void *p)
{
    struct stream *s = p;
    unsigned random = (unsigned)(uintptr_t)s;
    pthread_mutex_lock(&double_lock);
    while (s->first || !s->ending) {
        struct op *o = s->first;
        if (!o) {
            pthread_cond_wait(&change, &double_lock);
            continue;
        }
        if (!(s->first = o->next)) s->end = &s->first;
        carry_out(s, o, &random);
    }
    pthread_mutex_unlock(&double_lock);
    return NULL;
}

/* --- streams -------------------------------------------------------------------------------------------- */

int cuStreamCreate(struct stream **stream, unsigned flags);
int cuStreamCreate(struct stream **stream, unsigned flags)
{
    struct context *c;
    struct stream *s;
    int code = double_enter_context(N_cuStreamCreate, &c);
    if (code) return code;
    if (!(s = calloc(1, sizeof *s))) return E_MEMORY;
    s->magic = STREAM, s->context = c, s->end = &s->first;
    pthread_mutex_lock(&double_lock);
    if (delay < 0) delay = double_number("CUDA_DOUBLE_DELAY", 0);
    if (pthread_create(&s->thread, NULL, stream_main, s)) code = E_MEMORY;
    else c->streams++;
    pthread_mutex_unlock(&double_lock);
    if (code) free(s);
    else *stream = s;
    return code;
}

int cuStreamDestroy_v2(struct stream *s);
int cuStreamDestroy_v2(struct stream *s)
{
    struct context *c;
    int code = double_enter_destroy(N_cuStreamDestroy, &c);
    if (!c) return code;
    if (double_stream_context(s) != c) return E_HANDLE;
    pthread_mutex_lock(&double_lock);
    s->ending = 1;
    pthread_cond_broadcast(&change);
    pthread_mutex_unlock(&double_lock);
    pthread_join(s->thread, NULL);
    pthread_mutex_lock(&double_lock);
    c->streams--;
    pthread_mutex_unlock(&double_lock);
    memset(s, 0, sizeof *s);
    free(s);
    return code;
}

/* Under the lock; *o is copied. */
static int put(struct stream *s, const struct op *o)
{
    struct op *new = malloc(sizeof *new);
    if (!new) return E_MEMORY;
    *new = *o;
    new->next = NULL;
    if (o->mark) o->mark->refs++;
    pin(new, 1);
    s->context->pending++;
    *s->end = new, s->end = &new->next;
    pthread_cond_broadcast(&change);
    return 0;
}

int cuCtxSynchronize(void);
int cuCtxSynchronize(void)
{
    struct context *c;
    int code = double_enter_destroy(N_cuCtxSynchronize, &c);
    if (!c) return code;
    pthread_mutex_lock(&double_lock);
    while (c->pending) pthread_cond_wait(&change, &double_lock);
    if (!code) code = c->lost;
    pthread_mutex_unlock(&double_lock);
    return code;
}

/* --- events --------------------------------------------------------------------------------------------- */

static int is_event(const struct event *e) { return e && e->magic == EVENT; }

int cuEventCreate(struct event **event, unsigned flags);
int cuEventCreate(struct event **event, unsigned flags)
{
    struct context *c;
    struct event *e;
    int code = double_enter_context(N_cuEventCreate, &c);
    if (code) return code;
    if (flags & ~7u) return E_VALUE;
    if (!(e = calloc(1, sizeof *e))) return E_MEMORY;
    e->magic = EVENT, e->context = c;
    pthread_mutex_lock(&double_lock);
    c->events++;
    pthread_mutex_unlock(&double_lock);
    *event = e;
    return 0;
}

int cuEventDestroy_v2(struct event *e);
int cuEventDestroy_v2(struct event *e)
{
    struct context *c;
    int code = double_enter_destroy(N_cuEventDestroy, &c);
    if (!c) return code;
    if (!is_event(e)) return E_HANDLE;
    pthread_mutex_lock(&double_lock);
    mark_release(e->last);
    e->context->events--;
    pthread_mutex_unlock(&double_lock);
    memset(e, 0, sizeof *e);
    free(e);
    return code;
}

int cuEventRecord(struct event *e, struct stream *s);
int cuEventRecord(struct event *e, struct stream *s)
{
    struct context *c;
    struct op o;
    int code = double_enter_context(N_cuEventRecord, &c);
    if (code) return code;
    if (!is_event(e) || double_stream_context(s) != c || e->context != c) return E_HANDLE;
    memset(&o, 0, sizeof o);
    o.kind = RECORD;
    if (!(o.mark = calloc(1, sizeof *o.mark))) return E_MEMORY;
    pthread_mutex_lock(&double_lock);
    o.mark->refs = 1;
    code = put(s, &o);
    if (code) mark_release(o.mark);
    else {
        mark_release(e->last);
        e->last = o.mark;
    }
    pthread_mutex_unlock(&double_lock);
    return code;
}

int cuStreamWaitEvent(struct stream *s, struct event *e, unsigned flags);
int cuStreamWaitEvent(struct stream *s, struct event *e, unsigned flags)
{
    struct context *c;
    struct op o;
    int code = double_enter_context(N_cuStreamWaitEvent, &c);
    if (code) return code;
    if (!is_event(e) || double_stream_context(s) != c) return E_HANDLE;
    memset(&o, 0, sizeof o);
    o.kind = WAIT;
    pthread_mutex_lock(&double_lock);
    if ((o.mark = e->last) != NULL) code = put(s, &o);
    pthread_mutex_unlock(&double_lock);
    return code;
}

int cuEventQuery(struct event *e);
int cuEventQuery(struct event *e)
{
    struct context *c;
    int code = double_enter_context(N_cuEventQuery, &c);
    if (code) return code;
    if (!is_event(e)) return E_HANDLE;
    pthread_mutex_lock(&double_lock);
    code = e->last && !e->last->done ? E_NOT_READY : e->context->lost;
    pthread_mutex_unlock(&double_lock);
    return code;
}

/* --- copies and launches --------------------------------------------------------------------------------- */

/* One side of a copy of height rows. Under the lock. */
static int resolve(struct side *e, const struct context *c, size_t width, size_t height)
{
    size_t bytes = (height - 1) * e->pitch + width;
    if (!e->on_device) return double_host(e->p, bytes, &e->block) < 0 ? E_VALUE : 0;
    if (!(e->block = double_block(e->p, bytes))) return E_VALUE;
    return e->block->device == c->device || c->peer[e->block->device] ? 0 : E_VALUE;
}

static int copy_later(enum call n, struct side to, struct side from, size_t width, size_t height, struct stream *s,
                      struct context *peer)
{
    struct context *c;
    struct op o;
    int code = double_enter_context(n, &c);
    if (code) return code;
    if (double_stream_context(s) != c) return E_HANDLE;
    if (!width || !height) return 0;
    if (height > 1 && (to.pitch < width || from.pitch < width)) return E_VALUE;
    memset(&o, 0, sizeof o);
    o.kind = COPY, o.to = to, o.from = from, o.width = width, o.height = height;
    pthread_mutex_lock(&double_lock);
    code = resolve(&o.to, c, width, height);
    if (!code) code = resolve(&o.from, peer ? peer : c, width, height);
    if (!code) code = put(s, &o);
    pthread_mutex_unlock(&double_lock);
    return code;
}
static struct side on_device(uintptr_t p)
{
    struct side e = { p, 0, NULL, 1 };
    return e;
}
static struct side on_host(const void *p)
{
    struct side e = { (uintptr_t)p, 0, NULL, 0 };
    return e;
}

int cuMemcpyHtoDAsync_v2(uintptr_t to, const void *from, size_t bytes, struct stream *s);
int cuMemcpyHtoDAsync_v2(uintptr_t to, const void *from, size_t bytes, struct stream *s)
{
    return copy_later(N_cuMemcpyHtoDAsync, on_device(to), on_host(from), bytes, 1, s, NULL);
}
int cuMemcpyDtoHAsync_v2(void *to, uintptr_t from, size_t bytes, struct stream *s);
int cuMemcpyDtoHAsync_v2(void *to, uintptr_t from, size_t bytes, struct stream *s)
{
    return copy_later(N_cuMemcpyDtoHAsync, on_host(to), on_device(from), bytes, 1, s, NULL);
}
int cuMemcpyDtoDAsync_v2(uintptr_t to, uintptr_t from, size_t bytes, struct stream *s);
int cuMemcpyDtoDAsync_v2(uintptr_t to, uintptr_t from, size_t bytes, struct stream *s)
{
    return copy_later(N_cuMemcpyDtoDAsync, on_device(to), on_device(from), bytes, 1, s, NULL);
}
int cuMemcpyPeerAsync(uintptr_t to, struct context *to_context, uintptr_t from, struct context *from_context,
                      size_t bytes, struct stream *s);
int cuMemcpyPeerAsync(uintptr_t to, struct context *to_context, uintptr_t from, struct context *from_context,
                      size_t bytes, struct stream *s)
{
    return copy_later(N_cuMemcpyPeerAsync, on_device(to), on_device(from), bytes, 1, s, from_context);
}

struct end { size_t x, y; int type; void *host; uintptr_t device; void *array; size_t pitch; };
struct box { struct end from, to; size_t width, height; };
int cuMemcpy2DAsync_v2(const struct box *b, struct stream *s);
int cuMemcpy2DAsync_v2(const struct box *b, struct stream *s)
{
    struct side e[2];
    int i;
    for (i = 0; i < 2; i++) {
        const struct end *f = i ? &b->from : &b->to;
        uintptr_t p = f->type == 2 ? f->device : (uintptr_t)f->host;
        if ((f->type != 1 && f->type != 2) || f->pitch > MAX_PITCH) return E_VALUE;
        p += f->y * f->pitch + f->x;
        e[i] = f->type == 2 ? on_device(p) : on_host((const void *)p);
        e[i].pitch = f->pitch;
    }
    return copy_later(N_cuMemcpy2DAsync, e[0], e[1], b->width, b->height, s, NULL);
}

int double_launch(struct stream *s, struct function *f, const unsigned *groups, const unsigned *group, unsigned shared,
                  void **values)
{
    struct op o;
    int i;
    memset(&o, 0, sizeof o);
    o.kind = KERNEL, o.function = f, o.shared = shared, o.values = values;
    for (i = 0; i < 3; i++) o.groups[i] = groups[i], o.group[i] = group[i];
    for (i = 0; i < f->kernel->n; i++) {
        uintptr_t p;
        if (!f->kernel->is_pointer[i]) continue;
        memcpy(&p, values[i], sizeof p);
        o.block[i] = double_block_of(p);
        if (o.block[i] && o.block[i]->device != s->context->device && !s->context->peer[o.block[i]->device])
            o.block[i] = NULL;
    }
    return put(s, &o);
}
