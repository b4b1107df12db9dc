/* iterate.h - iterations of parallel loops: their numbers, blocks and calls; copies for reductions */
#ifndef DFI_MORE_LOOP_ITERATE_H
#define DFI_MORE_LOOP_ITERATE_H

#include <limits.h>
#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../api/access.h"
#include "../../api/loop.h"
#include "../../api/task.h"
#include "../../work/worker.h"
#include "../../work/stack.h"
#include "../../work/team.h"
#include "../../work/types.h"
#include "../../flow/supervise.h"
#include "../../work/director.h"
#include "../../work/probe.h"
#include "../../flow/region.h"
#include "../error.h"
#include "../points.h"
#include "../../api/loop_words.h"

enum {
    /* if the first dimension has fewer iterations per worker than this, the others are divided, too */
    DFI_LOOP_ROWS = 32,
    /* a deterministic loop is divided for this number of workers, independently of the actual number */
    DFI_LOOP_FIXED = 8,
    DFI_LOOP_LEAVES = 256,        /* parts of a deterministic reduction, and so the most copies it can have */
    DFI_LOOP_COPY_BYTES = 1 << 26, /* fewer copies if their total is larger than this */
    DFI_SHARE_BITS = 8 * sizeof(size_t),
    DFI_SHARE_WORDS = (DFI_WORKERS_MOST + DFI_SHARE_BITS - 1) / DFI_SHARE_BITS
};

struct dfi_loop_part { /* The private arguments of one worker, or one leaf; the record and the copies follow. */
    struct dfi_loop_part *next;
    void *memory;
    unsigned long leaf;
    int direct;                /* no copies: it accumulates into the regions themselves */
};

struct dfi_loop {
    struct dfi_team team;           /* first */
    const struct dfi_loop_type *type;
    const struct dfi_access *x;     /* of the call */
    unsigned n_x;
    int reduces, deterministic;
    int ordered;                    /* some reductions must be combined in the order of the iterations */
    void *args;
    const long *bounds;
    long step[DFI_LOOP_DIMS];
    unsigned long n[DFI_LOOP_DIMS];      /* iterations of each dimension */
    unsigned long block[DFI_LOOP_DIMS];  /* of all dimensions but the first: block length, */
    /* and number of blocks; within blocks the iterations of the first dimension are numbered fastest */
    unsigned long blocks[DFI_LOOP_DIMS];
    unsigned long count;
    uintptr_t place;                     /* of the call (more/loop/gain.h) */
    unsigned long grain;
    int schedule;
    unsigned long workers;
    int backwards;                  /* the parts are claimed from the end: a seed (df_config.schedule) */
    uint64_t speed;                 /* as far as the owner knows (dfi_loop_speed); 0: unknown */
    unsigned long leaf_count;       /* deterministic reductions, else 0 */
    struct dfi_os_mutex lock;       /* of the next two */
    struct dfi_loop_part *leaves;   /* done, and waiting for their turn */
    DFI_ATOMIC(unsigned long) turn;
    DFI_ATOMIC(int) opened;         /* a watcher has put the team on the board, while the owner runs the loop alone */
    unsigned long share;            /* more/loop/share.h: iterations of each part that a worker prefers */
    char line0[DFI_LINE];
    DFI_ATOMIC(unsigned long) next; /* the first iteration that is not claimed; with shares: count if all are */
    DFI_ATOMIC(size_t) taken[DFI_SHARE_WORDS]; /* with shares: a bit for each part, set if it is claimed */
    DFI_ATOMIC(struct dfi_loop_part *) parts; /* of members that have left */
    char line1[DFI_LINE];
};

/* --- bounds of iterations --------------------------------------------------------------------- */

DFI_SMALL_CODE_BEGIN

static void dfi_loop_space(struct dfi_loop *l, const df_loop *o)
{
    const unsigned long grain[DFI_LOOP_DIMS] = { (unsigned long)o->grain, (unsigned long)o->grain1,
                                                 (unsigned long)o->grain2, (unsigned long)o->grain3 };
    int d;
    l->count = l->n[0];
    for (d = 1; d < l->type->dims; d++) {
        unsigned long rows =
            DFI_LOOP_ROWS * (l->reduces && l->deterministic ? (unsigned long)DFI_LOOP_FIXED : l->workers), parts = 1;
        if (l->ordered) l->block[d] = l->n[d]; /* only rows are numbered in the order of the iterations */
        else if (grain[d]) l->block[d] = grain[d] < l->n[d] ? grain[d] : l->n[d];
        else {
            if (l->count < rows) parts = rows / l->count + 1;
            l->block[d] = l->n[d] / parts + (l->n[d] % parts != 0);
        }
        l->blocks[d] = (l->n[d] - 1) / l->block[d] + 1;
        if (l->blocks[d] > ULONG_MAX / l->count) l->block[d] = l->n[d], l->blocks[d] = 1; /* too many to be numbered */
        l->count *= l->blocks[d];
    }
}

DFI_SMALL_CODE_END

/* The bounds of iterations [i, e) of n in dimension d. */
static void dfi_loop_bounds(const struct dfi_loop *l, int d, unsigned long i, unsigned long e, long *b)
{
    unsigned long lo = (unsigned long)l->bounds[2 * d], step = (unsigned long)l->step[d];
    b[2 * d] = (long)(lo + i * step);
    b[2 * d + 1] = e >= l->n[d] ? l->bounds[2 * d + 1] : (long)(lo + e * step);
}

/* Runs the iterations with the numbers [k, e). */
static void dfi_loop_call(struct dfi_worker *w, const struct dfi_loop *l, void *args, unsigned long k, unsigned long e)
{
    struct dfi_body r;
    int watched = dfi_part_begin(w, &r, DFI_RAN_LOOP, l->type->name);
    unsigned long from;
    long b[2 * DFI_LOOP_DIMS];
    struct dfi_extent c;
    int d;
    if (DFI_UNLIKELY(l->backwards)) {
        unsigned long first = l->count - e;
        e = l->count - k, k = first;
    }
    from = k;
    while (k < e) {
        unsigned long i = k % l->n[0], at = k / l->n[0], m = l->n[0] - i < e - k ? l->n[0] - i : e - k;
        dfi_loop_bounds(l, 0, i, i + m, b);
        for (d = 1; d < l->type->dims; d++) {
            unsigned long first = at % l->blocks[d] * l->block[d];
            dfi_loop_bounds(l, d, first, l->n[d] - first > l->block[d] ? first + l->block[d] : l->n[d], b);
            at /= l->blocks[d];
        }
        dfi_code_begin(dfi_me(), &c, l->team.scope);
        l->type->run(b, args);
        dfi_code_end(dfi_me(), &c);
        k += m;
    }
    if (DFI_UNLIKELY(watched)) {
        if (l->type->dims == 1) dfi_loop_bounds(l, 0, from, e, b);
        else b[0] = (long)from, b[1] = (long)e; /* the numbers themselves */
        dfi_part_end(w, &r, b[0], b[1]);
    }
}

/* Runs the iterations within bounds on the calling thread. w may be NULL. level: DFI_RAN_.. */
static void dfi_loop_whole(struct dfi_worker *w, unsigned level, const struct dfi_loop_type *type,
                           const long *bounds, void *args)
{
    struct dfi_body r;
    int watched = dfi_part_begin(w, &r, level, type->name);
    type->run(bounds, args);
    if (DFI_UNLIKELY(watched)) dfi_part_end(w, &r, bounds[0], bounds[1]);
}

static int dfi_loop_cancelled(const struct dfi_loop *l)
{
    return dfi_cancels_any() && dfi_scope_cancelled(l->team.scope);
}

/* --- reductions ---------------------------------------------------------------------------------- */

DFI_SMALL_CODE_BEGIN

static size_t dfi_loop_round(size_t bytes) { return (bytes + 63) / 64 * 64; }

static size_t dfi_access_span(const struct dfi_access *x)
{
    return x->rows && x->row ? (x->rows - 1) * x->ld + x->row : 0;
}

/* Bytes of all copies of one part; PTRDIFF_MAX, for which malloc fails, if the sum overflows. */
static size_t dfi_loop_copy_bytes(const struct dfi_access *x, unsigned n)
{
    size_t bytes = 0;
    unsigned i;
    for (i = 0; i < n; i++)
        if (x[i].mode & DFI_REDUCE & DFI_SHARED) {
            struct dfi_region r = dfi_region_of(&x[i]);
            size_t one = dfi_loop_round(dfi_access_span(&x[i]));
            if (dfi_region_is_all(&r) || one > (size_t)PTRDIFF_MAX / DFI_PARAMETERS) return (size_t)PTRDIFF_MAX;
            bytes += one;
        }
    return bytes;
}

static void *dfi_loop_part_args(struct dfi_loop_part *p) { return (char *)p + dfi_loop_round(sizeof *p); }

/* Makes private arguments whose reductions go to copies that begin as the identity. NULL without memory. */
static struct dfi_loop_part *dfi_loop_part_new(const struct dfi_loop_type *type, const void *args,
                                               const struct dfi_access *x, unsigned n)
{
    size_t head = dfi_loop_round(sizeof(struct dfi_loop_part)), record = dfi_loop_round(type->args_bytes),
        copies = dfi_loop_copy_bytes(x, n), r;
    void *memory = copies == (size_t)PTRDIFF_MAX ? NULL : dfi_malloc(63 + head + record + copies);
    struct dfi_loop_part *p;
    char *copy, *to;
    unsigned i;
    if (!memory) return NULL;
    p = (struct dfi_loop_part *)(void *)dfi_align(memory);
    p->memory = memory;
    to = (char *)p + head, copy = to + record;
    memcpy(to, args, type->args_bytes);
    for (i = 0; i < n; i++) {
        if (!(x[i].mode & DFI_REDUCE & DFI_SHARED) || !dfi_access_span(&x[i])) continue;
        for (r = 0; r < x[i].rows; r++) x[i].combine(copy + r * x[i].ld, NULL, x[i].row / x[i].size);
        memcpy(to + x[i].arg, (void *)&copy, sizeof copy);
        copy += dfi_loop_round(dfi_access_span(&x[i]));
    }
    return p;
}

/* Adds the copies of p to the regions themselves. */
static void dfi_loop_part_merge(struct dfi_loop_part *p, const struct dfi_access *x, unsigned n)
{
    struct dfi_extent c;
    unsigned i;
    size_t r;
    dfi_code_begin(dfi_me(), &c, NULL);
    for (i = 0; i < n; i++) {
        char *copy;
        if (!(x[i].mode & DFI_REDUCE & DFI_SHARED) || !dfi_access_span(&x[i])) continue;
        memcpy((void *)&copy, (char *)dfi_loop_part_args(p) + x[i].arg, sizeof copy);
        if (dfi_up_combines && !(x[i].mode & DFI_ORDERED))
            dfi_up_combines(x[i].combine, x[i].key, x[i].size, (const char *)x[i].p, copy, x[i].row / x[i].size);
        for (r = 0; r < x[i].rows; r++)
            x[i].combine((char *)(uintptr_t)x[i].p + r * x[i].ld, copy + r * x[i].ld, x[i].row / x[i].size);
    }
    dfi_code_end(dfi_me(), &c);
}

/* Adds the copies of p, frees it, and returns the next one in its list. */
static struct dfi_loop_part *dfi_loop_part_end(struct dfi_loop *l, struct dfi_loop_part *p)
{
    struct dfi_loop_part *next = p->next;
    dfi_loop_part_merge(p, l->x, l->n_x);
    dfi_mfree(p->memory);
    return next;
}

/* Deterministic reductions: the iterations are divided into leaves independently of the number of
 * workers. Each leaf has copies of its own, which are combined in order. The first leaf accumulates
 * into the region itself; so does any leaf without memory for copies, when its turn has come. */
static void dfi_loop_leaf_done(struct dfi_loop *l, struct dfi_loop_part *p)
{
    struct dfi_loop_part **at;
    unsigned long turn;
    dfi_os_lock(&l->lock);
    for (at = &l->leaves; *at && (*at)->leaf < p->leaf;) at = &(*at)->next;
    p->next = *at, *at = p;
    turn = dfi_load_relaxed(&l->turn);
    while ((p = l->leaves) != NULL && p->leaf == turn) {
        l->leaves = p->next;
        if (!p->direct) {
            dfi_loop_part_merge(p, l->x, l->n_x);
            dfi_mfree(p->memory);
        }
        /* release: passes the combined value to the thread that waits for its turn */
        dfi_store_release(&l->turn, ++turn);
    }
    dfi_os_unlock(&l->lock);
}

/* Waits until the leaves before the k-th are combined. The thread that has such a leaf is running it, or waits for an
 * earlier one still; it may need the turn of w for that (DF_SCHEDULE). Zero: the thread of a leaf has ended. */
static DFI_COLD int dfi_loop_leaf_wait(struct dfi_worker *w, struct dfi_loop *l, unsigned long k)
{
    int lost = 0;
    if (DFI_ALONE || dfi_load_acquire(&l->turn) == k) return 1; /* pairs with the release in dfi_loop_leaf_done */
    dfi_turn_drop(w);
    while (!lost && dfi_load_acquire(&l->turn) != k) { /* pairs with the same */
        lost = dfi_load_relaxed(&l->team.lost) != 0;
        if (!lost) dfi_os_yield();
    }
    dfi_turn_take(w);
    return !lost;
}

static void dfi_loop_leaves(struct dfi_worker *w, struct dfi_loop *l)
{
    unsigned long size = l->count / l->leaf_count, more = l->count % l->leaf_count;
    while (!dfi_member_retires(w)) {
        unsigned long k = dfi_load_relaxed(&l->next), begin;
        struct dfi_loop_part direct, *p = NULL;
        do
            if (k >= l->leaf_count || dfi_loop_cancelled(l)) return;
        /* relaxed would do: the leaf belongs to the thread that moved `next` */
        while (!dfi_cas_acq_rel(&l->next, &k, k + 1));
        begin = k * size + (k < more ? k : more);
        if (k && (p = dfi_loop_part_new(l->type, l->args, l->x, l->n_x)) != NULL) p->direct = 0;
        else {
            p = &direct, p->direct = 1;
            if (!dfi_loop_leaf_wait(w, l, k)) return;
        }
        p->leaf = k;
        dfi_loop_call(w, l, p->direct ? l->args : dfi_loop_part_args(p), begin, begin + size + (k < more));
        dfi_loop_leaf_done(l, p);
        if (dfi_steal_requested(w)) dfi_poll(w);
    }
}

DFI_SMALL_CODE_END

#endif
