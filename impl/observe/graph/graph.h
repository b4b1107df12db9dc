/* graph.h - records of DF_GRAPH: the tasks of a program, their source lines, and their declarations
 *
 * The submitter of a task makes its record, which never changes. The order of the tasks is computed
 * when the graph is written (observe/graph/order.h), so it depends neither on the tasks done at that
 * time, nor on the number of workers. One thread makes all records of a scope, in program order. The
 * lock of the graph protects memory and lists. Texts are copied, because libraries may be unloaded
 * by the end. */
#ifndef DFI_OBSERVE_GRAPH_GRAPH_H
#define DFI_OBSERVE_GRAPH_GRAPH_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/file.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../api/access.h"
#include "../../api/task.h"
#include "../../flow/region.h"
#include "../../more/stream/ring.h"
#include "../../api/public.h"
#if !defined(DF_SERIAL)
#include "../../os/os.h"
#include "../../os/wait.h"
#endif

DFI_SMALL_CODE_BEGIN

enum {
    DFI_G_CHUNK = 64 * 1024, /* bytes: some hundred tasks per malloc */
    DFI_G_HASH = 256         /* lists of texts, and of tokens */
};

/* A declared access; arg: offset of its address in the arguments. The writer sets the last two: the
 * memory that it is in, and the beginning of that. */
struct dfi_g_access {
    struct dfi_region region;
    unsigned mode, arg;
    const void *key;
    unsigned memory;
    uintptr_t base;
};

/* Relations of a task to others besides memory. */
enum { DFI_G_AFTER, DFI_G_SIGNALS, DFI_G_INPUT, DFI_G_POP, DFI_G_PUSH };
struct dfi_g_use {
    struct dfi_g_use *next;       /* of the item */
    struct dfi_g_use *other;      /* of the token or stream */
    struct dfi_g_item *item;
    int kind;
    struct dfi_g_token *token;
    struct dfi_g_stream *stream;
    struct dfi_g_item *giver;     /* input: the task whose body gave it, or NULL */
    unsigned number;              /* input: its index */
    const void *reader;           /* window: its reader; NULL: a write window */
    uint64_t begin, pass, need;   /* window: as in struct dfi_window */
};
struct dfi_g_token {
    struct dfi_g_token *next;
    const void *at;
    const char *site;
    int opened;                   /* the token has opened: a later one at that address is another token */
    struct dfi_g_use *uses;       /* newest first */
    size_t number;                /* writer: 1, 2, .. in the order in which tasks name them; 0: not named yet */
};
struct dfi_g_stream {
    struct dfi_g_stream *next;
    const void *at;
    const char *site;
    uint64_t capacity;
    struct dfi_g_use *uses;       /* newest first */
    size_t n_uses;
    size_t number;                /* writer: as for a token */
    struct dfi_g_use **sorted;    /* writer: by side and position */
};

/* A task, or a scope of tasks. The path of `number` in `parent`, and so on, is its place. */
enum { DFI_G_THREAD, DFI_G_BLOCK, DFI_G_TASK, DFI_G_NODE, DFI_G_ENTRY, DFI_G_EXIT };
struct dfi_g_item {
    struct dfi_g_item *parent, *next, *first, *last; /* next: of the parent; first, last: its own children */
    int kind;
    size_t number, births;        /* 1, 2, ..; children so far */
    size_t phase;                 /* the number of earlier waits of the parent's scope */
    size_t waits;                 /* of its own scope, with unfinished tasks to wait for */
    int loose, waited;            /* it has had tasks since; the next child comes after a wait */
    const void *owner;            /* thread: its identity */
    const char *name, *site;
    const char *titles;           /* of the accesses, a line each */
    unsigned n;
    struct dfi_g_access *access;
    struct dfi_g_use *uses, *last_use;
    /* ticks of the body without nested ones, if events are recorded (DF_TRACE, DF_STATS); 0: unknown */
    uint64_t took;
    size_t steps, level;          /* depth in the tree; number of tasks on that path, including itself */
    /* writer */
    size_t index;                 /* among all items, in the order of the program */
    unsigned names;               /* memories that have a name there */
    int leads, led;               /* it has successors; it has predecessors */
};

struct dfi_g_chunk { struct dfi_g_chunk *next; };
struct dfi_g_text { struct dfi_g_text *next; };

struct dfi_graph {
    int taken;                    /* serial build: a thread is recorded */
    const void *module;           /* an address in the module whose code made this */
    int on;                       /* 0: nothing is recorded at present, or any more */
    int broken;                   /* write error */
    int changed;                  /* since it was last written */
    int incomplete;               /* no memory for some record */
    char *file;
    const char *variable;         /* the setting that names it */
    struct dfi_output to;           /* open, unless it is standard output */
    int standard;
    long process;                 /* the process that it belongs to */
    long depth;
    size_t written;               /* bytes, the last time */
    double ns_per_tick;           /* of dfi_g_item.took */
    struct dfi_g_item *threads, *last_thread;
    size_t n_threads;
    struct dfi_g_stream *streams;
    struct dfi_g_token *token[DFI_G_HASH];
    struct dfi_g_text *text[DFI_G_HASH];
    struct dfi_g_chunk *chunks;
    char *room;
    size_t left;
};

/* NULL: nothing is recorded. Set when df starts, before anything runs, and kept until the end of the
 * process. */
DFI_EXTERN_C_BEGIN
#if defined(DF_SERIAL)
DFI_API struct dfi_graph *dfi_graph_now;
DFI_EXTERN_C_END
#define DFI_GRAPH() dfi_graph_now
#define DFI_GRAPH_SET(g) (dfi_graph_now = (g))
static void dfi_graph_lock(void) {}
static void dfi_graph_unlock(void) {}
#else
DFI_API DFI_ATOMIC(struct dfi_graph *) dfi_graph_now;
DFI_API struct dfi_os_mutex dfi_graph_mutex = DFI_OS_MUTEX_INIT;
DFI_EXTERN_C_END
/* relaxed: set under the pool lock, which every thread that begins to use df takes */
#define DFI_GRAPH() dfi_load_relaxed(&dfi_graph_now)
#define DFI_GRAPH_SET(g) dfi_store_relaxed(&dfi_graph_now, (g))
static void dfi_graph_lock(void) { dfi_os_lock(&dfi_graph_mutex); }
static void dfi_graph_unlock(void) { dfi_os_unlock(&dfi_graph_mutex); }
#endif

/* --- memory, texts: pre of all: the lock --------------------------------------------------------------- */

/* Zeroed memory. NULL: none left, and the graph is incomplete. */
static void *dfi_g_alloc(struct dfi_graph *g, size_t bytes)
{
    void *p;
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > g->left) {
        size_t head = (sizeof(struct dfi_g_chunk) + 15) / 16 * 16,
            room = bytes > DFI_G_CHUNK - head ? bytes : DFI_G_CHUNK - head;
        struct dfi_g_chunk *c = (struct dfi_g_chunk *)dfi_malloc(head + room);
        if (!c) {
            g->incomplete = 1;
            return NULL;
        }
        c->next = g->chunks, g->chunks = c;
        g->room = (char *)c + head, g->left = room;
    }
    p = g->room;
    g->room += bytes, g->left -= bytes;
    g->changed = 1;
    return memset(p, 0, bytes);
}

static unsigned dfi_g_hash_text(const char *text)
{
    unsigned h = 2166136261u; /* FNV-1a */
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u;
    return (h ^ h >> 16) % DFI_G_HASH;
}

/* A copy that lives as long as the graph, one for all equal texts. "" without memory or text. */
static const char *dfi_g_copy(struct dfi_graph *g, const char *text)
{
    struct dfi_g_text **at, *t;
    size_t bytes;
    if (!text || !*text) return "";
    at = &g->text[dfi_g_hash_text(text)];
    for (t = *at; t; t = t->next)
        if (!strcmp((const char *)(t + 1), text)) return (const char *)(t + 1);
    bytes = strlen(text) + 1;
    if (!(t = (struct dfi_g_text *)dfi_g_alloc(g, sizeof *t + bytes))) return "";
    memcpy((void *)(t + 1), text, bytes);
    t->next = *at, *at = t;
    return (const char *)(t + 1);
}

/* --- items --------------------------------------------------------------------------------------------- */

/* True if this process records now. The child of a fork records nothing, because the file belongs to
 * the parent. pre: the lock */
static int dfi_g_on(struct dfi_graph *g)
{
    if (!g->on) return 0;
    if (g->process == dfi_process()) return 1;
    g->on = 0;
    dfi_warn("%s=%s is the file of the process that this one was forked from: what this one does is not in it",
             g->variable, g->file);
    return 0;
}

/* A task runs that could not be recorded. */
static DFI_COLD void dfi_graph_missing(void)
{
    struct dfi_graph *g = DFI_GRAPH();
    if (!g) return;
    dfi_graph_lock();
    if (dfi_g_on(g)) g->incomplete = g->changed = 1;
    dfi_graph_unlock();
}

/* A new child of parent; NULL: a thread, with that owner. NULL without memory. pre: the lock */
static struct dfi_g_item *dfi_g_item_new(struct dfi_graph *g, struct dfi_g_item *parent, int kind, const char *name,
                                         const char *site)
{
    struct dfi_g_item *i = (struct dfi_g_item *)dfi_g_alloc(g, sizeof *i);
    if (!i) return NULL;
    i->parent = parent, i->kind = kind;
    i->name = dfi_g_copy(g, name), i->site = dfi_g_copy(g, site), i->titles = "";
    if (!parent) {
        i->number = ++g->n_threads;
        if (g->last_thread) g->last_thread->next = i;
        else g->threads = i;
        g->last_thread = i;
        return i;
    }
    i->steps = parent->steps + 1;
    i->level = parent->level + (kind == DFI_G_TASK || kind == DFI_G_NODE);
    if (parent->waited) parent->waited = 0, parent->waits++;
    i->phase = parent->waits;
    if (kind != DFI_G_BLOCK) parent->loose = 1;
    i->number = ++parent->births;
    if (parent->last) parent->last->next = i;
    else parent->first = i;
    parent->last = i;
    return i;
}

/* The item of a thread, for code outside blocks and tasks. pre: the lock */
static struct dfi_g_item *dfi_g_thread(struct dfi_graph *g, const void *owner)
{
    struct dfi_g_item *i;
    for (i = g->threads; i && i->owner != owner;) i = i->next;
    if (!i && (i = dfi_g_item_new(g, NULL, DFI_G_THREAD, NULL, NULL)) != NULL) i->owner = owner;
    return i;
}

static struct dfi_g_item *dfi_graph_block(struct dfi_graph *g, struct dfi_g_item *parent, const char *name,
                                          const char *site)
{
    struct dfi_g_item *i;
    if (!parent) return NULL;
    dfi_graph_lock();
    i = dfi_g_on(g) ? dfi_g_item_new(g, parent, DFI_G_BLOCK, name, site) : NULL;
    dfi_graph_unlock();
    return i;
}

static unsigned dfi_g_mode(unsigned mode) { return mode & (DFI_INOUT | DFI_SHARED | DFI_WEAK); }

/* The beginning of r if it is part of a declaration of the task `in`, and that task was given a copy
 * in these arguments. */
static uintptr_t dfi_g_declared(const struct dfi_g_item *in, const void *args, const struct dfi_region *r)
{
    unsigned k;
    for (k = 0; k < in->n && args; k++) {
        const struct dfi_g_access *y = &in->access[k];
        const void *copy;
        if (y->arg == DFI_NO_ARG || !y->region.rows) continue;
        memcpy((void *)&copy, (const char *)args + y->arg, sizeof copy);
        if (r->p < (uintptr_t)copy || r->p - (uintptr_t)copy >= dfi_region_end(&y->region) - y->region.p) continue;
        return y->region.p + (r->p - (uintptr_t)copy);
    }
    return r->p;
}

/* Records the submission of a task with its accesses in the scope of parent. in: the task whose body
 * submits it, with its arguments, or NULL. NULL: not recorded. */
static struct dfi_g_item *dfi_graph_task(struct dfi_graph *g, struct dfi_g_item *parent, const struct dfi_g_item *in,
                                         const void *in_args, int kind, const char *name, const char *site,
                                         const char *titles, const struct dfi_access *x, unsigned n)
{
    struct dfi_g_access *a = NULL;
    struct dfi_g_item *i = NULL;
    unsigned k;
    dfi_graph_lock();
    if (dfi_g_on(g)) {
        if (!parent) g->incomplete = 1;
        else if (!n || (a = (struct dfi_g_access *)dfi_g_alloc(g, n * sizeof *a)) != NULL)
            i = dfi_g_item_new(g, parent, kind, name, site);
    }
    if (i) {
        i->titles = dfi_g_copy(g, titles);
        for (k = 0; k < n; k++) {
            a[k].region = dfi_region_of(&x[k]);
            a[k].mode = dfi_g_mode(x[k].mode), a[k].arg = x[k].arg;
            if (in) a[k].region.p = dfi_g_declared(in, in_args, &a[k].region);
            a[k].key = (x[k].mode & DFI_SHARED) == (DFI_REDUCE & DFI_SHARED) ? x[k].key : NULL;
        }
        i->access = a, i->n = n;
    }
    dfi_graph_unlock();
    return i;
}

/* The children of i so far are done: later items of its scope come after all of them, and their
 * memory may be reused. */
static void dfi_graph_waited(struct dfi_g_item *i)
{
    if (i && i->loose) i->loose = 0, i->waited = 1;
}

/* --- tokens, inputs, streams ----------------------------------------------------------------------------- */

static struct dfi_g_use *dfi_g_use_new(struct dfi_graph *g, struct dfi_g_item *i, int kind)
{
    struct dfi_g_use *u = (struct dfi_g_use *)dfi_g_alloc(g, sizeof *u);
    if (!u) return NULL;
    u->item = i, u->kind = kind;
    if (i->last_use) i->last_use->next = u;
    else i->uses = u;
    i->last_use = u;
    return u;
}

static struct dfi_g_token **dfi_g_token_list(struct dfi_graph *g, const void *t)
{
    return &g->token[((uintptr_t)t >> 4) % DFI_G_HASH];
}

static struct dfi_g_token *dfi_g_token_find(struct dfi_graph *g, const void *t)
{
    struct dfi_g_token *k = *dfi_g_token_list(g, t);
    while (k && k->at != t) k = k->next;
    return k;
}

/* Records that i waits for the token t (DFI_G_AFTER), or signals it. open: t is open; a token that
 * is not open differs from any that has opened at its address. */
static void dfi_graph_token(struct dfi_graph *g, struct dfi_g_item *i, const df_token *t, int kind, int open)
{
    struct dfi_g_token *k;
    struct dfi_g_use *u;
    if (!i) return;
    dfi_graph_lock();
    k = dfi_g_token_find(g, t);
    if ((!k || (k->opened && !open)) && (k = (struct dfi_g_token *)dfi_g_alloc(g, sizeof *k)) != NULL) {
        k->at = t, k->site = dfi_g_copy(g, t->dfi_site);
        k->next = *dfi_g_token_list(g, t), *dfi_g_token_list(g, t) = k;
    }
    if (k && (u = dfi_g_use_new(g, i, kind)) != NULL) u->token = k, u->other = k->uses, k->uses = u;
    dfi_graph_unlock();
}

/* t has opened, or is initialised again. */
static void dfi_graph_token_opens(struct dfi_graph *g, const void *t)
{
    struct dfi_g_token *k;
    dfi_graph_lock();
    if ((k = dfi_g_token_find(g, t)) != NULL) k->opened = 1;
    dfi_graph_unlock();
}

/* Records that the body of giver, or with NULL other code, gives the node i its input. */
static void dfi_graph_input(struct dfi_graph *g, struct dfi_g_item *i, int input, struct dfi_g_item *giver)
{
    struct dfi_g_use *u;
    if (!i) return;
    dfi_graph_lock();
    if ((u = dfi_g_use_new(g, i, DFI_G_INPUT)) != NULL) u->giver = giver, u->number = (unsigned)input;
    dfi_graph_unlock();
}

/* Records a new stream, perhaps at the address of an earlier one. */
static void dfi_graph_stream(const struct dfi_stream *c)
{
    struct dfi_graph *g = DFI_GRAPH();
    struct dfi_g_stream *s;
    if (!g) return;
    dfi_graph_lock();
    if (dfi_g_on(g) && (s = (struct dfi_g_stream *)dfi_g_alloc(g, sizeof *s)) != NULL) {
        s->at = c, s->site = dfi_g_copy(g, c->site), s->capacity = c->capacity;
        s->next = g->streams, g->streams = s;
    }
    dfi_graph_unlock();
}

/* Records the windows that i got at its submission. */
static void dfi_graph_windows(struct dfi_graph *g, struct dfi_g_item *i, const struct dfi_window *v)
{
    if (!i) return;
    dfi_graph_lock();
    for (; v; v = v->of_task) {
        struct dfi_g_stream *s = g->streams;
        struct dfi_g_use *u;
        while (s && s->at != v->stream) s = s->next;
        if (!s || v->scratch || !(u = dfi_g_use_new(g, i, v->reader ? DFI_G_POP : DFI_G_PUSH))) continue;
        u->stream = s;
        u->begin = v->begin, u->pass = v->pass, u->need = v->need;
        u->reader = v->reader;
        u->other = s->uses, s->uses = u;
        s->n_uses++;
    }
    dfi_graph_unlock();
}

DFI_SMALL_CODE_END

#endif
