/* graph.h - records of DF_GRAPH: the tasks of a program, their source lines, and their declarations
 *
 * The submitter of a task makes its record, which never changes. The order of the tasks is computed when the graph is
 * written (observe/graph/order.h), so it depends neither on the tasks done at that time, nor on the number of workers.
 * One thread makes all records of a scope, in program order. The lock of the graph protects memory and lists. Texts are
 * copied, because libraries may be unloaded by the end. */
#ifndef DFI_OBSERVE_GRAPH_GRAPH_H
#define DFI_OBSERVE_GRAPH_GRAPH_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/parts.h"
#include "../../base/memory.h"
#include "../../api/access.h"
#include "../../api/task.h"
#include "../../flow/region.h"
#include "../../more/stream/ring.h"
#include "../../api/token.h"
#include "../../os/os.h"
#include "../output.h"
#include "../watching.h"

DFI_SMALL_CODE_BEGIN

enum {
    DFI_G_CHUNK = 64 * 1024, /* bytes: some hundred tasks per malloc */
    DFI_G_HASH = 256         /* texts, and lists of channels */
};

/* A declared access. */
struct dfi_g_access {
    struct dfi_region region;
    unsigned mode, arg;             /* arg: offset of its address in the arguments */
    unsigned kind;                  /* mode of sharing; 0: exclusive */
    const void *key;                /* reductions with equal keys share a region */
    /* writer (observe/graph/order.h) */
    unsigned memory;                /* the memory that it is in; 0: no bytes, */
    uintptr_t base;                 /* and the beginning of that */
    struct dfi_g_cell *cell;
    struct dfi_g_chain *after[2];   /* the accesses that it follows: those that write, and those that only read */
};

/* A token or a stream. */
struct dfi_g_channel {
    struct dfi_g_channel *next;     /* of the hash list, the newest first */
    const void *at;
    const char *site;
    uint64_t capacity;              /* elements; 0: a token */
    int opened;                     /* a token that is not open differs from any that has opened at its address */
    size_t number;                  /* writer: 1, 2, .. in the order in which tasks name them */
};

/* What ties a task to others besides memory. A token is a channel with one element, which all its signals write. */
struct dfi_g_use {
    struct dfi_g_use *next;         /* of the item */
    struct dfi_g_item *item;
    struct dfi_g_item *giver;       /* an input of a node: the task whose body gave it, */
    unsigned number;                /* and its index; else: */
    struct dfi_g_channel *channel;
    const void *side;               /* NULL: it writes; else the reader */
    uint64_t begin, pass, need;     /* as in struct dfi_window */
};

/* A task, or a scope of tasks. The path of `number` in `parent`, and so on, is its place. */
enum { DFI_G_THREAD, DFI_G_BLOCK, DFI_G_TASK, DFI_G_NODE, DFI_G_ENTRY, DFI_G_EXIT };
struct dfi_g_item {
    struct dfi_g_item *parent, *next, *first, *last; /* next: of the parent; first, last: its own children */
    int kind;
    size_t number;                  /* 1, 2, .. */
    size_t level;                   /* number of tasks on its path, including itself */
    size_t phase;                   /* the number of earlier waits of the parent's scope */
    size_t waits;                   /* of its own scope, with unfinished tasks to wait for; */
    int loose;                      /* and there are such tasks since */
    const void *owner;              /* thread: its identity */
    const char *name, *site;
    const char *access_names;       /* of the accesses, separated by spaces */
    unsigned n;
    struct dfi_g_access *access;
    struct dfi_g_use *uses, *last_use;
    /* ticks of the body without nested ones, if events are recorded (DF_TRACE, DF_STATS); 0: unknown */
    uint64_t took;
    /* writer */
    size_t index;                   /* among all items, in the order of the program */
    unsigned names;                 /* memories that have a name there */
    int leads, led;                 /* it has successors; it has predecessors */
};

/* Memory that is freed as a whole. */
struct dfi_g_chunk { struct dfi_g_chunk *next; };
struct dfi_g_arena { struct dfi_g_chunk *chunks; char *room; size_t left; };

struct dfi_graph {
    int on;                         /* 0: the file cannot be written, or belongs to the process that forked this one */
    int changed;                    /* since it was last written */
    int incomplete;                 /* no memory for some record */
    struct dfi_report out;
    long depth;
    size_t written;                 /* bytes, the last time */
    double ns_per_tick;             /* of dfi_g_item.took */
    struct dfi_g_item *threads, *last_thread;
    struct dfi_g_channel *channel[DFI_G_HASH];
    const char *text[DFI_G_HASH];   /* recent copies */
    struct dfi_g_arena records;
};

/* NULL: nothing is recorded. Set when df starts, before anything runs, and kept until the end of the process. */
DFI_EXTERN_C_BEGIN
DFI_API DFI_ATOMIC(struct dfi_graph *) dfi_graph_now;
DFI_API struct dfi_os_mutex dfi_graph_mutex = DFI_OS_MUTEX_INIT;
DFI_EXTERN_C_END
/* relaxed: set under the pool lock, which every thread that begins to use df takes */
#define DFI_GRAPH() (DFI_WITH_OBSERVERS ? dfi_load_relaxed(&dfi_graph_now) : NULL)
static void dfi_graph_lock(void) { dfi_os_lock(&dfi_graph_mutex); }
static void dfi_graph_unlock(void) { dfi_os_unlock(&dfi_graph_mutex); }

/* --- memory, texts ----------------------------------------------------------------------------------------------- */

/* Zeroed memory; NULL: none left. */
static void *dfi_g_alloc(struct dfi_g_arena *a, size_t bytes)
{
    size_t head = (sizeof(struct dfi_g_chunk) + 15) / 16 * 16, room = DFI_G_CHUNK - head;
    struct dfi_g_chunk *c;
    if (bytes > SIZE_MAX - DFI_G_CHUNK) return NULL;
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > a->left) {
        if (room < bytes) room = bytes;
        if (!(c = (struct dfi_g_chunk *)dfi_malloc(head + room))) return NULL;
        c->next = a->chunks, a->chunks = c;
        a->room = (char *)c + head, a->left = room;
    }
    a->room += bytes, a->left -= bytes;
    return memset(a->room - bytes, 0, bytes);
}

static void dfi_g_free(struct dfi_g_arena *a)
{
    while (a->chunks) {
        struct dfi_g_chunk *c = a->chunks;
        a->chunks = c->next;
        dfi_mfree(c);
    }
    a->room = NULL, a->left = 0;
}

/* Memory for a record. NULL: none left, and the graph is incomplete. pre of all from here on: the lock */
static void *dfi_g_new(struct dfi_graph *g, size_t bytes)
{
    void *p = dfi_g_alloc(&g->records, bytes);
    g->changed = 1;
    if (!p) g->incomplete = 1;
    return p;
}

/* A copy that lives as long as the graph; usually one for equal texts. "" without memory or text. */
static const char *dfi_g_copy(struct dfi_graph *g, const char *text)
{
    const char *p, **at;
    char *copy;
    unsigned h = 2166136261u; /* FNV-1a */
    if (!text || !*text) return "";
    for (p = text; *p; p++) h = (h ^ (unsigned char)*p) * 16777619u;
    at = &g->text[(h ^ h >> 16) % DFI_G_HASH];
    if (*at && !strcmp(*at, text)) return *at;
    if (!(copy = (char *)dfi_g_new(g, strlen(text) + 1))) return "";
    return *at = strcpy(copy, text);
}

/* --- items ------------------------------------------------------------------------------------------------------ */

/* Does this process record? The child of a fork does not, because the file belongs to the parent. */
static int dfi_g_on(struct dfi_graph *g)
{
    if (!g->on || dfi_report_is_here(&g->out)) return g->on;
    dfi_report_forked(&g->out, g->out.variable, g->out.file, "file", "df_config.graph");
    return g->on = 0;
}

/* A new child of parent; NULL: a thread. NULL without memory. */
static struct dfi_g_item *dfi_g_item_new(struct dfi_graph *g, struct dfi_g_item *parent, int kind, const char *name,
                                         const char *site)
{
    struct dfi_g_item **first = parent ? &parent->first : &g->threads, *i;
    struct dfi_g_item **last = parent ? &parent->last : &g->last_thread;
    if (!(i = (struct dfi_g_item *)dfi_g_new(g, sizeof *i))) return NULL;
    i->parent = parent, i->kind = kind;
    i->name = dfi_g_copy(g, name), i->site = dfi_g_copy(g, site), i->access_names = "";
    i->number = *first ? (*last)->number + 1 : 1;
    *(*first ? &(*last)->next : first) = i;
    *last = i;
    if (!parent) return i;
    i->level = parent->level + (kind == DFI_G_TASK || kind == DFI_G_NODE);
    i->phase = parent->waits;
    if (kind != DFI_G_BLOCK) parent->loose = 1;
    return i;
}

/* The item of a thread, for code outside blocks and tasks. */
static struct dfi_g_item *dfi_g_thread(struct dfi_graph *g, const void *owner)
{
    struct dfi_g_item *i;
    for (i = g->threads; i && i->owner != owner;) i = i->next;
    if (!i && (i = dfi_g_item_new(g, NULL, DFI_G_THREAD, NULL, NULL)) != NULL) i->owner = owner;
    return i;
}

/* The beginning of r if it is part of a declaration of the task `in`, and that task was given a copy in these
 * arguments. */
static uintptr_t dfi_g_declared(const struct dfi_g_item *in, const void *args, const struct dfi_region *r)
{
    unsigned k;
    for (k = 0; in && k < in->n && args; k++) {
        const struct dfi_g_access *y = &in->access[k];
        const void *copy;
        if (y->arg == DFI_NO_ARG || !y->region.rows) continue;
        memcpy((void *)&copy, (const char *)args + y->arg, sizeof copy);
        if (r->p < (uintptr_t)copy || r->p - (uintptr_t)copy >= dfi_region_bytes(&y->region)) continue;
        return y->region.p + (r->p - (uintptr_t)copy);
    }
    return r->p;
}

/* Records the submission of a task with its accesses in the scope of parent. in: the task whose body submits it, with
 * its arguments, or NULL. NULL: not recorded. */
static struct dfi_g_item *dfi_g_task(struct dfi_graph *g, struct dfi_g_item *parent, const struct dfi_g_item *in,
                                     const void *in_args, int kind, const char *name, const char *site,
                                     const char *access_names, const struct dfi_access *x, unsigned n)
{
    struct dfi_g_access *a = (struct dfi_g_access *)dfi_g_new(g, n ? n * sizeof *a : 1);
    struct dfi_g_item *i = a && parent ? dfi_g_item_new(g, parent, kind, name, site) : NULL;
    unsigned k;
    if (!parent) g->incomplete = 1;
    if (!i) return NULL;
    i->access_names = dfi_g_copy(g, access_names);
    i->access = a, i->n = n;
    for (k = 0; k < n; k++) {
        a[k].region = dfi_region_of(&x[k]);
        a[k].region.p = dfi_g_declared(in, in_args, &a[k].region);
        a[k].mode = x[k].mode, a[k].arg = x[k].arg;
        a[k].kind = x[k].mode & DFI_WRITES ? 0 : DFI_IN;
        if (x[k].mode & DFI_REDUCE & DFI_SHARED) a[k].key = x[k].key;
    }
    return i;
}

/* The children of i so far are done: later ones come after all of them, and their memory may be reused. */
static void dfi_g_waited(struct dfi_g_item *i)
{
    if (i && i->loose) i->loose = 0, i->waits++;
}

/* --- tokens, inputs, streams ------------------------------------------------------------------------------------ */

static struct dfi_g_use *dfi_g_use_new(struct dfi_graph *g, struct dfi_g_item *i, struct dfi_g_channel *c,
                                       const void *side)
{
    struct dfi_g_use *u = (struct dfi_g_use *)dfi_g_new(g, sizeof *u);
    if (!u) return NULL;
    u->item = i, u->channel = c, u->side = side;
    *(i->uses ? &i->last_use->next : &i->uses) = u;
    return i->last_use = u;
}

static struct dfi_g_channel **dfi_g_channels(struct dfi_graph *g, const void *at)
{
    return &g->channel[((uintptr_t)at >> 4) % DFI_G_HASH];
}

/* The newest channel at that address; NULL: none. */
static struct dfi_g_channel *dfi_g_channel_at(struct dfi_graph *g, const void *at)
{
    struct dfi_g_channel *c = *dfi_g_channels(g, at);
    while (c && c->at != at) c = c->next;
    return c;
}

/* capacity: of a stream; 0: a token */
static struct dfi_g_channel *dfi_g_channel_new(struct dfi_graph *g, const void *at, const char *site, uint64_t capacity)
{
    struct dfi_g_channel *c = (struct dfi_g_channel *)dfi_g_new(g, sizeof *c), **list = dfi_g_channels(g, at);
    if (!c) return NULL;
    c->at = at, c->site = dfi_g_copy(g, site), c->capacity = capacity;
    c->next = *list;
    return *list = c;
}

/* Records that i waits for the token t, or signals it. open: t is open. */
static void dfi_g_token(struct dfi_graph *g, struct dfi_g_item *i, const df_token *t, int waits, int open)
{
    struct dfi_g_channel *c = dfi_g_channel_at(g, t);
    struct dfi_g_use *u;
    if (!c || c->capacity || (c->opened && !open)) c = dfi_g_channel_new(g, t, t->dfi_site, 0);
    if (!c || !(u = dfi_g_use_new(g, i, c, waits ? t : NULL))) return;
    u->pass = !waits, u->need = 1;
}

/* t has opened, or is initialised again. */
static void dfi_g_token_opens(struct dfi_graph *g, const void *t)
{
    struct dfi_g_channel *c = dfi_g_channel_at(g, t);
    if (c) c->opened = 1;
}

/* Records that the body of giver, or with NULL other code, gives the node i its input. */
static void dfi_g_input(struct dfi_graph *g, struct dfi_g_item *i, unsigned input, struct dfi_g_item *giver)
{
    struct dfi_g_use *u = i && giver ? dfi_g_use_new(g, i, NULL, NULL) : NULL;
    if (u) u->giver = giver, u->number = input;
}

/* Records the windows that i got at its submission. */
static void dfi_g_windows(struct dfi_graph *g, struct dfi_g_item *i, const struct dfi_window *v)
{
    for (; v; v = v->of_task) {
        struct dfi_g_channel *c = dfi_g_channel_at(g, v->stream);
        struct dfi_g_use *u = c && !v->scratch ? dfi_g_use_new(g, i, c, v->reader) : NULL;
        if (u) u->begin = v->begin, u->pass = v->pass, u->need = v->need;
    }
}

DFI_SMALL_CODE_END

#endif
