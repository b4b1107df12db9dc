/* wavefront.h - df_wavefront: loop nests with dependences between iterations, as a graph of tiles
 *
 * A grid splits the iteration space into tiles. For a vector v, and tiles of b iterations in a
 * dimension, x - v lies floor((-v) / b) to floor((b - 1 - v) / b) tiles away from x. The products of
 * these ranges over the dimensions are the predecessors of a tile. Tiles are submitted in serial
 * order as tasks with these edges.
 * The graph has no cycles if each predecessor is earlier in serial order. That holds if all
 * components of v are 0 or more. If one is negative, then the first component that is not 0, which
 * is positive, must lead to another tile for every iteration: so the tile must not be longer in that
 * dimension than the component.
 * A wavefront that is expected to be short is run alone while sharing it does not pay (more/loop/gain.h).
 * The tile size is chosen after the first corner of the first tile was run and timed. The iterations
 * of the last dimension are assumed to be neighbours in memory, so it is split into fewer parts.
 * Long rows suit caches and prefetching; the column that a tile reads of its left neighbour costs a
 * cache line per row; and in memory first touched after the corner, long rows touch fewer pages per
 * iteration.
 * Source: Wolf and Lam, "A loop transformation theory" (TPDS 1991), for tiling under distance
 * vectors. */
#ifndef DFI_MORE_LOOP_WAVEFRONT_H
#define DFI_MORE_LOOP_WAVEFRONT_H

#include <limits.h>
#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../os/os.h"
#include "../../api/core.h"
#include "../../api/loop.h"
#include "../../api/task.h"
#include "../../work/worker.h"
#include "../../work/stack.h"
#include "../../work/scope.h"
#include "../../work/types.h"
#include "../../work/supervise.h"
#include "../../flow/types.h"
#include "../../work/director.h"
#include "../../work/probe.h"
#include "../../flow/edge.h"
#include "../../flow/task.h"
#include "gain.h"
#include "iterate.h"
#include "../points.h"
#include "../../api/loop_words.h"

DFI_SMALL_CODE_BEGIN

enum {
    /* per dimension and worker, at most: a wavefront fills and drains in 2 / 16 of the time */
    DFI_WAVE_TILES = 16,
    /* the last dimension has one 2nd of that: 20 % faster in a table of 3000 x 3000 cells of 12
     * bytes; with 4, sweeps through doubles take 3 to 6 % longer, because rows that depend on each
     * other overlap less in the processor */
    DFI_WAVE_LONG = 2,
    DFI_WAVE_LEAST = 2,         /* and at least */
    DFI_WAVE_NS = 10000,        /* shortest tile: as a task with edges it costs up to 0.3 us */
    DFI_WAVE_LEAST_NS = 1000,   /* if the vectors allow only shorter tiles, the loop stays serial below this */
    DFI_WAVE_CORNER = 64,       /* the timed corner is one 64th of each dimension */
    DFI_WAVE_TIMED_NS = 20000   /* a shorter time says little: a larger corner is timed */
};

/* Dimensions that the loop does not have are one iteration long. */
struct dfi_wave {
    struct dfi_loop *l;              /* its iterations, arguments and accesses */
    struct dfi_type task;            /* of a tile */
    unsigned long most[3];           /* the longest tiles that the vectors allow */
    unsigned long tile[3], tiles[3]; /* iterations of a tile; number of tiles */
};
struct dfi_tile { struct dfi_wave *wave; unsigned long at; };

/* Runs the iterations in the box [from, to). */
static void dfi_wave_box(const struct dfi_loop *l, const unsigned long *from, const unsigned long *to, void *args)
{
    long b[6];
    struct dfi_extent code;
    int d;
    for (d = 0; d < l->type->dims; d++) {
        if (from[d] >= to[d]) return;
        dfi_loop_bounds(l, d, from[d], to[d], b);
    }
    dfi_code_begin(dfi_me(), &code, l->team.scope);
    dfi_loop_whole(dfi_me(), DFI_RAN_LOOP | DFI_RAN_ORDERED, l->type, b, args);
    dfi_code_end(dfi_me(), &code);
}

/* The position in the grid of tile number `at` in serial order. */
static void dfi_wave_place(const struct dfi_wave *v, unsigned long at, unsigned long *c)
{
    int d;
    for (d = 2; d >= 0; d--) c[d] = at % v->tiles[d], at /= v->tiles[d];
}

/* Runs tile number `at`. */
static void dfi_wave_run_tile(const struct dfi_wave *v, unsigned long at)
{
    struct dfi_loop *l = v->l;
    unsigned long from[3], to[3];
    struct dfi_loop_part *p = NULL;
    int d;
    dfi_wave_place(v, at, from);
    for (d = 0; d < 3; d++) {
        from[d] *= v->tile[d];
        to[d] = l->n[d] - from[d] > v->tile[d] ? from[d] + v->tile[d] : l->n[d];
    }
    if (DFI_UNLIKELY(l->reduces)) { /* into copies of its own; without memory one tile at a time */
        p = dfi_loop_part_new(l->type, l->args, l->x, l->n_x);
        if (!p) dfi_os_lock(&l->lock);
    }
    dfi_wave_box(l, from, to, p ? dfi_loop_part_args(p) : l->args);
    if (DFI_UNLIKELY(l->reduces)) {
        if (p) dfi_os_lock(&l->lock), dfi_loop_part_merge(p, l->x, l->n_x);
        dfi_os_unlock(&l->lock);
        if (p) dfi_mfree(p->memory);
    }
}

/* After iterations on the owner's thread: waits for the tasks that they have submitted. */
static void dfi_wave_settle(struct dfi_worker *w)
{
    if (w->scope->submitted != w->scope->done || dfi_flow_of(w->scope)->table) dfi_wait_all(w, w->scope);
}

static void dfi_wave_task(void *args, void *result)
{
    struct dfi_tile t = *(struct dfi_tile *)args;
    (void)result;
    dfi_internal_counted();
    dfi_wave_run_tile(t.wave, t.at);
}

/* --- tile sizes ------------------------------------------------------------------------------- */

static int dfi_vector_end(const long *v) { return !v[0] && !v[1] && !v[2]; }

/* True if v leads out of the space from every iteration. */
static int dfi_vector_idle(const struct dfi_wave *w, const long *v)
{
    int d;
    for (d = 0; d < 3; d++)
        if ((v[d] < 0 ? 0 - (unsigned long)v[d] : (unsigned long)v[d]) >= w->l->n[d]) return 1;
    return 0;
}

static void dfi_wave_limits(struct dfi_wave *w, const long (*v)[3])
{
    unsigned long *most = w->most;
    int d, k;
    for (d = 0; d < 3; d++) most[d] = w->l->n[d];
    for (; !dfi_vector_end(*v); v++) {
        if (dfi_vector_idle(w, *v)) continue;
        for (d = 0; !(*v)[d];) d++;
        for (k = d + 1; k < 3 && (*v)[k] >= 0;) k++;
        if (k < 3 && most[d] > (unsigned long)(*v)[d]) most[d] = (unsigned long)(*v)[d];
        if (w->l->type->dims == 1) { /* tiles within one vector's length are independent: some for each worker */
            unsigned long some = (unsigned long)(*v)[0] / (2 * w->l->workers);
            if (most[0] > some) most[0] = some ? some : 1;
        }
    }
}

/* The number of parts of dimension d if the others are split into `parts`. */
static unsigned long dfi_wave_parts(const struct dfi_wave *v, int d, unsigned long parts)
{
    unsigned long most = DFI_WAVE_TILES * v->l->workers / DFI_WAVE_LONG;
    return d > 0 && d == v->l->type->dims - 1 && parts > most ? most : parts;
}

/* On the owner's thread, runs the box [0, end) without [0, done), in an order that all vectors allow. Then done is
 * end. */
static void dfi_wave_grow(struct dfi_worker *w, const struct dfi_wave *v, unsigned long *done, const unsigned long *end)
{
    int d, k;
    for (k = v->l->type->dims - 1; k >= 0; k--) {
        unsigned long from[3], to[3];
        for (d = 0; d < 3; d++) from[d] = d == k ? done[d] : 0, to[d] = d < k ? done[d] : end[d];
        dfi_wave_box(v->l, from, to, v->l->args);
        dfi_wave_settle(w);
    }
    memcpy(done, end, 3 * sizeof *done);
}

static double dfi_wave_volume(const unsigned long *n)
{
    double volume = 1;
    int d;
    for (d = 0; d < 3; d++) volume *= (double)n[d];
    return volume;
}

/* Runs and times the corner [0, done) of the space. It grows in small steps, because tiles cannot
 * be smaller than the corner: with four times the length in each step, 20 sweeps through 1000 x 500
 * doubles took 25 % longer. Returns the time per iteration. */
static double dfi_wave_time(struct dfi_worker *w, const struct dfi_wave *v, unsigned long *done)
{
    unsigned long div, corner[3];
    uint64_t begin = dfi_work_ns(w), ns = 0;
    int d;
    for (div = DFI_WAVE_CORNER; div && ns < DFI_WAVE_TIMED_NS; div /= 2) {
        for (d = 0; d < 3; d++) {
            unsigned long length = v->l->n[d] / dfi_wave_parts(v, d, div);
            corner[d] = !length ? 1 : length < v->most[d] ? length : v->most[d];
        }
        dfi_wave_grow(w, v, done, corner);
        ns = dfi_work_ns(w) - begin;
    }
    return (double)ns / dfi_wave_volume(done);
}

/* Chooses the tiles. done: the corner that was run already; ns: the time per iteration, or 0 if it is not known */
static void dfi_wave_cut(struct dfi_wave *v, const df_loop *o, const unsigned long *done, double ns)
{
    const unsigned long grain[3] = { (unsigned long)o->grain, (unsigned long)o->grain1, (unsigned long)o->grain2 };
    unsigned long parts, least = DFI_WAVE_LEAST * v->l->workers;
    int d;
    for (parts = DFI_WAVE_TILES * v->l->workers;; parts /= 2) {
        for (d = 0; d < 3; d++) {
            unsigned long n = v->l->n[d], p = dfi_wave_parts(v, d, parts), tile = grain[d] ? grain[d] : (n - 1) / p + 1;
            if (tile > v->most[d]) tile = v->most[d];
            v->tile[d] = tile > done[d] ? tile : done[d];
        }
        if (parts / 2 < least || dfi_wave_volume(v->tile) * ns >= (double)DFI_WAVE_NS) break;
    }
    if (done[0] && dfi_wave_volume(v->tile) * ns < (double)DFI_WAVE_LEAST_NS)
        for (d = 0; d < 3; d++) v->tile[d] = v->l->n[d]; /* not worth a task: one tile, in serial order */
    for (d = 0; d < 3; d++) v->tiles[d] = (v->l->n[d] - 1) / v->tile[d] + 1;
    for (d = 2; d > 0 && dfi_wave_volume(v->tiles) >= (double)LONG_MAX; d--) /* too many to be numbered */
        if (v->most[d] == v->l->n[d]) v->tile[d] = v->l->n[d], v->tiles[d] = 1;
}

/* --- predecessors of a tile ------------------------------------------------------------------- */

static long dfi_floor_div(long a, unsigned long b)
{
    return a >= 0 ? (long)((unsigned long)a / b) : -(long)(((unsigned long)-(a + 1)) / b) - 1;
}

struct dfi_step { long d[3]; unsigned long back; }; /* an offset to an earlier tile; its distance in serial order */

/* Adds the steps of vector v to s[0..n), without duplicates. Returns the new n. */
static unsigned dfi_wave_steps(const struct dfi_wave *w, const long *v, struct dfi_step *s, unsigned n)
{
    long first[3], last[3], at[3];
    int d;
    for (d = 0; d < 3; d++) {
        first[d] = dfi_floor_div(-v[d], w->tile[d]);
        last[d] = dfi_floor_div((long)(w->tile[d] - 1) - v[d], w->tile[d]);
    }
    for (at[0] = first[0]; at[0] <= last[0]; at[0]++)
        for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
            for (at[2] = first[2]; at[2] <= last[2]; at[2]++) {
                long off = 0;
                unsigned i;
                for (d = 0; d < 3; d++) off = off * (long)w->tiles[d] + at[d];
                for (i = 0; i < n && !(s[i].d[0] == at[0] && s[i].d[1] == at[1] && s[i].d[2] == at[2]);) i++;
                if (dfi_vector_end(at) || i < n) continue;
                memcpy(s[n].d, at, sizeof at);
                s[n++].back = off < 0 ? (unsigned long)-off : 0;
            }
    return n;
}

/* --- submitting ------------------------------------------------------------------------------------ */

/* Submits tile number `at` after its predecessors. ring: the last `size` tiles. */
static void dfi_wave_submit(struct dfi_worker *w, struct dfi_wave *v, unsigned long at, const struct dfi_step *s,
                            unsigned n, struct dfi_ref *ring, unsigned long size)
{
    struct dfi_scope *scope = w->scope;
    struct dfi_flow *t;
    struct dfi_tile tile;
    unsigned long c[3];
    unsigned i;
    int d, failed = 0;
    dfi_wave_place(v, at, c);
    ring[at % size].task = NULL;
    if (scope->submitted - scope->done >= dfi_flow_pool.window) dfi_throttle(w, scope);
    if ((t = dfi_flow_new(w, scope, &v->task)) != NULL) {
        dfi_at_tile(w, t);
        for (i = 0; i < n && !failed; i++) {
            for (d = 0; d < 3; d++) /* inside the grid? */
                if (s[i].d[d] < 0 ? c[d] < (unsigned long)-s[i].d[d]
                    : c[d] + (unsigned long)s[i].d[d] >= v->tiles[d]) break;
            if (d == 3) failed = dfi_edge_add(w, t, &ring[(at - s[i].back) % size]);
        }
    }
    if (!t || failed) { /* no memory: runs here when all tiles before it are done */
        dfi_wait_all(w, scope);
        if (t) dfi_flow_free(w, t);
        dfi_wave_run_tile(v, at);
        dfi_wave_settle(w);
        return;
    }
    tile.wave = v, tile.at = at;
    memcpy(t->task.args, (void *)&tile, sizeof tile);
    ring[at % size].task = t, ring[at % size].seq = t->seq;
    dfi_ready_if(w, t);
    if (dfi_steal_requested(w)) dfi_poll(w);
    else dfi_share(w);
}

/* Submits the tiles after the first. Nonzero without memory: none was submitted. */
static int dfi_wave_submit_all(struct dfi_worker *w, struct dfi_wave *v, const long (*vectors)[3], unsigned long all)
{
    unsigned long at, size = 1;
    unsigned n = 0, i;
    struct dfi_step *s;
    struct dfi_ref *ring;
    for (i = 0; !dfi_vector_end(vectors[i]);) i++;
    s = (struct dfi_step *)dfi_malloc(8 * i * sizeof *s); /* two offsets in each dimension */
    if (!s) return -1;
    for (i = 0; !dfi_vector_end(vectors[i]); i++)
        if (!dfi_vector_idle(v, vectors[i])) n = dfi_wave_steps(v, vectors[i], s, n);
    for (i = 0; i < n; i++)
        if (s[i].back >= size) size = s[i].back + 1;
    if (size > all) size = all;
    ring = (struct dfi_ref *)dfi_malloc(size * sizeof *ring);
    if (ring) ring[0].task = NULL; /* done already */
    for (at = 1; ring && at < all && !dfi_loop_cancelled(v->l); at++) dfi_wave_submit(w, v, at, s, n, ring, size);
    dfi_mfree(ring);
    dfi_mfree(s);
    return ring ? 0 : -1;
}

/* Runs a wavefront that is expected to be short on the owner's thread: a corner, and then the rest. Zero: only the
 * corner, because `until` was over by then. */
static int dfi_wave_alone(struct dfi_worker *w, const struct dfi_wave *v, unsigned long *done, uint64_t until)
{
    unsigned long corner[3];
    int d;
    for (d = 0; d < 3; d++) {
        corner[d] = v->l->n[d] / DFI_WAVE_CORNER ? v->l->n[d] / DFI_WAVE_CORNER : 1;
        if (corner[d] > v->most[d]) corner[d] = v->most[d];
    }
    dfi_wave_grow(w, v, done, corner);
    if (dfi_work_ns(w) > until || dfi_loop_cancelled(v->l)) return 0;
    dfi_wave_grow(w, v, done, v->l->n);
    return 1;
}

/* Runs l, whose iterations depend on each other by the vectors. */
static void dfi_wave_run(struct dfi_worker *w, struct dfi_loop *l, const long (*vectors)[3], const df_loop *o)
{
    struct dfi_wave v;
    struct dfi_gain *g = NULL;
    unsigned long done[3] = { 0, 0, 0 }, at, all, first;
    uint64_t begin = dfi_work_ns(w);
    uintptr_t key = 0;
    int sizes = !(o->grain || o->grain1 || o->grain2); /* df chooses those of the tiles */
    int measured = 0;                                  /* it may be done sooner alone */
    double ns = 0, volume = dfi_wave_volume(l->n);
    v.l = l;
    dfi_wave_limits(&v, vectors);
    if (sizes && volume < (double)LONG_MAX && !dfi_wanted(DFI_AT_TURN))
        g = dfi_gain_of(w, l->place, (unsigned long)volume);
    if (g) key = g->key, measured = dfi_gain_knows(g);
    if (g && g->longest && g->longest < DFI_GAIN_SURE_NS && !(measured && dfi_gain_shares(g))) {
        if (dfi_wave_alone(w, &v, done, begin + 4 * (uint64_t)g->longest)) {
            if (g->key == key && !dfi_loop_cancelled(l))
                dfi_gain_ran(w, g, dfi_work_ns(w) - begin, (unsigned long)volume, measured);
            return;
        }
        ns = (double)(dfi_work_ns(w) - begin) / dfi_wave_volume(done);
        measured = 0;
    } else if (sizes) ns = dfi_wave_time(w, &v, done);
    dfi_wave_cut(&v, o, done, ns);
    dfi_wave_grow(w, &v, done, v.tile); /* the rest of the first tile */
    memset((void *)&v.task, 0, sizeof v.task);
    v.task.run = dfi_wave_task, v.task.name = l->type->name;
    v.task.args_bytes = sizeof(struct dfi_tile), v.task.modes = DFI_WRITES | DFI_UNCOUNTED;
    all = v.tiles[0] * v.tiles[1] * v.tiles[2];
    if (all > 1 && dfi_wave_submit_all(w, &v, vectors, all))
        for (at = 1; at < all && !dfi_loop_cancelled(l); at++) {
            dfi_wave_run_tile(&v, at);
            dfi_wave_settle(w);
        }
    dfi_wait_all(w, w->scope); /* tiles refer to v */
    if (!g || g->key != key || dfi_loop_cancelled(l)) return; /* or it is the entry of another place now */
    first = (unsigned long)dfi_wave_volume(done);
    if (measured) dfi_gain_took(w, g, 1, dfi_gain_time(g, dfi_work_ns(w) - begin, (unsigned long)volume));
    else dfi_gain_ran(w, g, (uint64_t)(ns * (double)first) + 1, first, 0);
}

DFI_SMALL_CODE_END

#endif
