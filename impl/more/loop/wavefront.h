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
#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../os/wait.h"
#include "../../api/access.h"
#include "../../api/core.h"
#include "../../api/loop.h"
#include "../../api/task.h"
#include "../../api/throw.h"
#include "../../work/worker.h"
#include "../../work/stack.h"
#include "../../work/scope.h"
#include "../../work/team.h"
#include "../../work/types.h"
#include "../../flow/edge.h"
#include "../../flow/submit.h"
#include "../../flow/task.h"
#include "../error.h"
#include "for.h"
#include "range.h"
#include "../speculate/block.h"
#include "../../observe/check/check.h"
#include "../../observe/check/view.h"
#include "../../observe/event.h"
#include "../../observe/probes.h"
#include "../../observe/schedule/baton.h"
#include "../../api/public.h"

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

struct dfi_wave {
    const struct dfi_loop_type *type;
    struct dfi_type task;          /* of a tile */
    struct dfi_loop space;         /* step, n, bounds, args, accesses, as dfi_loop_bounds and copies need them */
    unsigned long tile[3], tiles[3]; /* iterations of a tile; number of tiles */
};
struct dfi_tile { struct dfi_wave *wave; unsigned long at; };

/* Runs the iterations in the box [from, to). */
static void dfi_wave_box(const struct dfi_wave *v, const unsigned long *from, const unsigned long *to, void *args)
{
    long b[6];
    struct dfi_check_view view;
    int d, begun;
    for (d = 0; d < v->type->dims; d++) {
        if (from[d] >= to[d]) return;
        dfi_loop_bounds(&v->space, d, from[d], to[d], b);
    }
    begun = dfi_check_part_begin(dfi_me(), &view, v->space.team.scope);
    dfi_loop_whole(dfi_me(), DFI_RAN_LOOP | DFI_RAN_ORDERED, v->type, b, args);
    dfi_check_part_end(dfi_me(), &view, begun);
}

/* The box of tile number `at` in serial order. */
static void dfi_wave_tile(const struct dfi_wave *v, unsigned long at, unsigned long *from, unsigned long *to)
{
    int d;
    for (d = v->type->dims - 1; d >= 0; d--) {
        from[d] = at % v->tiles[d] * v->tile[d];
        to[d] = v->space.n[d] - from[d] > v->tile[d] ? from[d] + v->tile[d] : v->space.n[d];
        at /= v->tiles[d];
    }
}

static void dfi_wave_run_tile(struct dfi_wave *v, unsigned long at)
{
    unsigned long from[3], to[3];
    struct dfi_loop_part *p = NULL;
    dfi_wave_tile(v, at, from, to);
    if (DFI_UNLIKELY(v->space.reduces)) { /* into copies of its own; without memory one tile at a time */
        p = dfi_loop_part_new(v->type, v->space.args, v->space.x, v->space.n_x);
        if (!p) dfi_os_lock(&v->space.lock);
    }
    dfi_wave_box(v, from, to, p ? dfi_loop_part_args(p) : v->space.args);
    if (DFI_UNLIKELY(v->space.reduces)) {
        if (p) dfi_os_lock(&v->space.lock), dfi_loop_part_merge(p, v->space.x, v->space.n_x);
        dfi_os_unlock(&v->space.lock);
        if (p) dfi_mfree(p->memory);
    }
}

/* The same on the owner's thread, including the wait for tasks submitted in it. */
static void dfi_wave_box_here(struct dfi_worker *w, const struct dfi_wave *v, const unsigned long *from,
                              const unsigned long *to)
{
    dfi_wave_box(v, from, to, v->space.args);
    if (w->scope->submitted != w->scope->done || w->scope->table) dfi_wait_all(w, w->scope);
}
static void dfi_wave_tile_here(struct dfi_worker *w, struct dfi_wave *v, unsigned long at)
{
    dfi_wave_run_tile(v, at);
    if (w->scope->submitted != w->scope->done || w->scope->table) dfi_wait_all(w, w->scope);
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
    for (d = 0; d < w->type->dims; d++)
        if ((v[d] < 0 ? 0 - (unsigned long)v[d] : (unsigned long)v[d]) >= w->space.n[d]) return 1;
    return 0;
}

/* The longest tiles that the vectors allow. */
static void dfi_wave_limits(const struct dfi_wave *w, const long (*v)[3], unsigned long *most)
{
    int d, k;
    for (d = 0; d < w->type->dims; d++) most[d] = w->space.n[d];
    for (; !dfi_vector_end(*v); v++) {
        if (dfi_vector_idle(w, *v)) continue;
        for (d = 0; !(*v)[d];) d++;
        for (k = d + 1; k < w->type->dims && (*v)[k] >= 0;) k++;
        if (k < w->type->dims && most[d] > (unsigned long)(*v)[d]) most[d] = (unsigned long)(*v)[d];
        if (w->type->dims == 1) { /* tiles within one vector's length are independent: some for each worker */
            unsigned long some = (unsigned long)(*v)[0] / (2 * w->space.workers);
            if (most[0] > some) most[0] = some ? some : 1;
        }
    }
}

/* The number of parts of dimension d if the others are split into `parts`. */
static unsigned long dfi_wave_parts(const struct dfi_wave *v, int d, unsigned long parts)
{
    unsigned long most = DFI_WAVE_TILES * v->space.workers / DFI_WAVE_LONG;
    return d > 0 && d == v->type->dims - 1 && parts > most ? most : parts;
}

/* Runs and times the corner [0, corner) of the space. It grows in small steps, because tiles cannot
 * be smaller than the corner: with four times the length in each step, 20 sweeps through 1000 x 500
 * doubles took 25 % longer. */
static double dfi_wave_time(struct dfi_worker *w, const struct dfi_wave *v, const unsigned long *most,
                            unsigned long *corner)
{
    const unsigned long zero[3] = { 0, 0, 0 };
    unsigned long div, done[3] = { 0, 0, 0 };
    uint64_t ns = 0;
    double cells = 1;
    int d, k;
    for (div = DFI_WAVE_CORNER; div && ns < DFI_WAVE_TIMED_NS; div /= 2) {
        uint64_t begin = dfi_work_ns(w);
        for (d = 0; d < v->type->dims; d++) {
            unsigned long parts = dfi_wave_parts(v, d, div);
            corner[d] = v->space.n[d] / parts ? v->space.n[d] / parts : 1;
            if (corner[d] > most[d]) corner[d] = most[d];
        }
        for (k = v->type->dims - 1; k >= 0; k--) { /* the part not done before, in an order that all vectors allow */
            unsigned long from[3], to[3];
            for (d = 0; d < v->type->dims; d++) {
                from[d] = d == k ? done[d] : zero[d];
                to[d] = d < k ? done[d] : corner[d];
            }
            dfi_wave_box_here(w, v, from, to);
        }
        for (d = 0; d < v->type->dims; d++) done[d] = corner[d];
        ns += dfi_work_ns(w) - begin;
    }
    for (d = 0; d < v->type->dims; d++) cells *= (double)corner[d];
    return (double)ns / cells;
}

static double dfi_wave_volume(const struct dfi_wave *v)
{
    double cells = 1;
    int d;
    for (d = 0; d < v->type->dims; d++) cells *= (double)v->tile[d];
    return cells;
}

static void dfi_wave_cut(struct dfi_wave *v, const df_loop *o, const unsigned long *most,
                         const unsigned long *corner, int timed, double ns)
{
    const unsigned long grain[3] = { (unsigned long)o->grain, (unsigned long)o->grain1, (unsigned long)o->grain2 };
    unsigned long parts, least = DFI_WAVE_LEAST * v->space.workers;
    int d;
    for (parts = DFI_WAVE_TILES * v->space.workers;; parts /= 2) {
        for (d = 0; d < v->type->dims; d++) {
            unsigned long n = v->space.n[d], p = dfi_wave_parts(v, d, parts);
            v->tile[d] = grain[d] ? grain[d] : n / p + (n % p != 0);
            if (v->tile[d] > most[d]) v->tile[d] = most[d];
            if (v->tile[d] < corner[d]) v->tile[d] = corner[d];
        }
        if (parts / 2 < least || dfi_wave_volume(v) * ns >= (double)DFI_WAVE_NS) break;
    }
    /* not worth a task: all of it is one tile, in serial order */
    if (timed && dfi_wave_volume(v) * ns < (double)DFI_WAVE_LEAST_NS)
        for (d = 0; d < v->type->dims; d++) v->tile[d] = v->space.n[d];
    for (d = 0; d < v->type->dims; d++) v->tiles[d] = (v->space.n[d] - 1) / v->tile[d] + 1;
    for (d = v->type->dims - 1; d > 0 &&
         (double)v->tiles[0] * (double)v->tiles[1] * (double)v->tiles[2] >= (double)LONG_MAX; d--)
        if (most[d] == v->space.n[d]) v->tile[d] = v->space.n[d], v->tiles[d] = 1; /* too many to be numbered */
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
    long first[3] = { 0, 0, 0 }, last[3] = { 0, 0, 0 }, at[3];
    int d;
    for (d = 0; d < w->type->dims; d++) {
        first[d] = dfi_floor_div(-v[d], w->tile[d]);
        last[d] = dfi_floor_div((long)(w->tile[d] - 1) - v[d], w->tile[d]);
    }
    for (at[0] = first[0]; at[0] <= last[0]; at[0]++)
        for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
            for (at[2] = first[2]; at[2] <= last[2]; at[2]++) {
                long off = 0;
                unsigned i;
                for (d = 0; d < w->type->dims; d++) off = off * (long)w->tiles[d] + at[d];
                for (i = 0; i < n && !(s[i].d[0] == at[0] && s[i].d[1] == at[1] && s[i].d[2] == at[2]);) i++;
                if (dfi_vector_end(at) || i < n) continue;
                memcpy(s[n].d, at, sizeof at);
                s[n++].back = off < 0 ? (unsigned long)-off : 0;
            }
    return n;
}

/* --- submitting ------------------------------------------------------------------------------------ */

/* Submits tile number `at`, at position `c` of the grid, after its predecessors. ring: the last
 * `size` tiles. */
static void dfi_wave_submit(struct dfi_worker *w, struct dfi_wave *v, unsigned long at, const unsigned long *c,
                            const struct dfi_step *s, unsigned n, struct dfi_ref *ring, unsigned long size)
{
    struct dfi_scope *scope = w->scope;
    struct dfi_flow *t;
    struct dfi_tile tile;
    unsigned i;
    int d, failed = 0;
    ring[at % size].task = NULL;
    if (scope->submitted - scope->done >= dfi_pool.window) dfi_throttle(w, scope);
    if ((t = dfi_flow_new(w, scope, &v->task)) != NULL) {
        if (DFI_UNLIKELY(dfi_watched())) dfi_watch_tile(w, t);
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
        dfi_wave_tile_here(w, v, at);
        return;
    }
    tile.wave = v, tile.at = at;
    memcpy(t->task.args, (void *)&tile, sizeof tile);
    ring[at % size].task = t, ring[at % size].seq = t->seq;
    dfi_ready_if(w, t);
    if (dfi_asked(w)) dfi_poll(w);
    else dfi_share(w);
}

/* Nonzero without memory: nothing was submitted. */
static int dfi_wave_submit_all(struct dfi_worker *w, struct dfi_wave *v, const long (*vectors)[3])
{
    unsigned long at, all, size = 1, c[3] = { 0, 0, 0 };
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
    all = v->tiles[0] * v->tiles[1] * v->tiles[2];
    if (size > all) size = all;
    if (!(ring = (struct dfi_ref *)dfi_malloc(size * sizeof *ring))) {
        dfi_mfree(s);
        return -1;
    }
    ring[0].task = NULL; /* done already */
    for (at = 1; at < all && !dfi_loop_cancelled(&v->space); at++) {
        if (++c[2] == v->tiles[2]) {
            c[2] = 0;
            if (++c[1] == v->tiles[1]) c[1] = 0, c[0]++;
        }
        dfi_wave_submit(w, v, at, c, s, n, ring, size);
    }
    dfi_mfree(ring);
    dfi_mfree(s);
    return 0;
}

static void dfi_wave_run(struct dfi_worker *w, struct dfi_wave *v, const long (*vectors)[3], const df_loop *o)
{
    unsigned long most[3], corner[3] = { 1, 1, 1 }, zero[3] = { 0, 0, 0 }, to[3];
    int d, k, timed = !(o->grain || o->grain1 || o->grain2);
    double ns = 0;
    for (d = 0; d < 3; d++) v->tile[d] = v->tiles[d] = 1;
    dfi_wave_limits(v, vectors, most);
    if (timed) ns = dfi_wave_time(w, v, most, corner);
    dfi_wave_cut(v, o, most, corner, timed, ns);
    for (k = v->type->dims - 1; k >= 0; k--) { /* the rest of the first tile */
        unsigned long from[3];
        for (d = 0; d < v->type->dims; d++) {
            unsigned long end = v->tile[d] < v->space.n[d] ? v->tile[d] : v->space.n[d];
            from[d] = d == k && timed ? corner[d] : zero[d];
            to[d] = d < k && timed ? corner[d] : end;
        }
        dfi_wave_box_here(w, v, from, to);
        if (!timed) break;
    }
    v->task.run = dfi_wave_task, v->task.name = v->type->name;
    v->task.args_at = v->task.result_at = 0, v->task.args_bytes = sizeof(struct dfi_tile),
        v->task.modes = DFI_WRITES | DFI_UNCOUNTED, v->task.labels = NULL;
    if (dfi_wave_submit_all(w, v, vectors)) {
        unsigned long at, all = v->tiles[0] * v->tiles[1] * v->tiles[2];
        for (at = 1; at < all && !dfi_loop_cancelled(&v->space); at++) dfi_wave_tile_here(w, v, at);
    }
}

DFI_EXTERN_C_BEGIN
DFI_API void dfi_wavefront_catching(const struct dfi_loop_type *type, const df_loop *o,
                                    const long (*vectors)[3], const char *site, const long *bounds, void *args,
                                    struct dfi_access *x, unsigned n, struct dfi_exception *threw)
{
    struct dfi_worker *w = dfi_me_attached();
    struct dfi_block b;
    struct dfi_wave v;
    df_loop repaired;
    unsigned i;
    int d, right = dfi_vectors_right(vectors, type->dims, site, type->name);
    if (threw) threw->drop = NULL;
    o = dfi_loop_options(o, site, &repaired);
    if (dfi_range_empty(o, bounds, type->dims)) return;
    if (w && DFI_UNLIKELY(w->scope->guess != NULL) && dfi_guess_drops(w)) return;
    if (!vectors || (right && dfi_vector_end(*vectors))) { /* iterations are independent */
        dfi_for_catching(type, o, site, bounds, args, x, n, threw);
        return;
    }
    dfi_loop_after(w, type, site, x, n);
    b = dfi_scope_enter(site);
    v.space.team.scope = b.scope;
    /* the order of tiles is not that of iterations */
    for (i = 0; i < n; i++) right = right && !(x[i].mode & DFI_ORDERED);
    if (!w || !b.scope || b.borrowed || !right || (dfi_load_relaxed(&dfi_pool.n_slots) == 1 && !dfi_baton_on())) {
        if (!b.scope || !dfi_loop_cancelled(&v.space))
            dfi_loop_whole(w, DFI_RAN_LOOP | DFI_RAN_ORDERED, type, bounds, args);
    } else if (!dfi_loop_cancelled(&v.space)) {
        v.type = type;
        v.space.bounds = bounds, v.space.args = args;
        v.space.x = x, v.space.n_x = n;
        for (i = 0, v.space.reduces = 0; i < n; i++) v.space.reduces |= (x[i].mode & DFI_REDUCE & DFI_SHARED) != 0;
        v.space.workers = (unsigned long)dfi_pool.n_workers;
        v.space.lock = dfi_board_empty.lock;
        for (d = 0; d < 3; d++) v.space.n[d] = 1;
        for (d = 0; d < type->dims; d++) {
            v.space.step[d] = dfi_range_step(o, d);
            v.space.n[d] = dfi_range_count(bounds[2 * d], bounds[2 * d + 1], v.space.step[d], o->unsigned_range);
        }
        dfi_check_pause(w);
        dfi_wave_run(w, &v, vectors, o);
        dfi_check_resume(w);
    }
    if (threw) dfi_scope_leave_catching(&b, threw);
    else dfi_scope_leave(&b);
}

DFI_API void dfi_wavefront(const struct dfi_loop_type *type, const df_loop *o, const long (*vectors)[3],
                           const char *site, const long *bounds, void *args, struct dfi_access *x, unsigned n)
{
    dfi_wavefront_catching(type, o, vectors, site, bounds, args, x, n, NULL);
}
DFI_EXTERN_C_END

#endif
