/* place.h - where a task runs, and the messages that it needs
 *
 * Each rank looks at each task of the program: a task runs in the home of the data that it writes. A tile is where it
 * was written last. A read elsewhere is a message from that rank, of which only the two ranks take notice. All take
 * notice of a write, after which copies are old. A task that writes a part of a tile elsewhere than where the tile was
 * written last needs the rest of it. */
#ifndef DFI_MPI_PLACE_H
#define DFI_MPI_PLACE_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/access.h"
#include "../api/ranks.h"
#include "../api/task.h"
#include "../flow/region.h"
#include "message.h"
#include "shared.h"
#include "state.h"

/* Rank `where` reads r, of tile t. */
static void dfi_mpi_read(struct dfi_shared *a, long t, const struct dfi_region *r, int where)
{
    struct dfi_mpi_tile *tile = &a->tile[t];
    const int from = tile->last, me = dfi_mpi.rank;
    struct dfi_mpi_copy *c;
    if (from == where || (from != me && where != me)) return;
    for (c = tile->copies; c; c = c->next)
        if (c->rank == where && dfi_region_covers(&c->r, r)) return;
    if ((c = dfi_mpi.unused) != NULL) dfi_mpi.unused = c->next;
    else if (!(c = (struct dfi_mpi_copy *)dfi_malloc(sizeof *c))) {
        dfi_mpi_ends("memory for the list of copies is lacking");
        return;
    }
    c->r = *r, c->rank = where, c->next = tile->copies, tile->copies = c;
    dfi_message(from == me, from == me ? where : from, r);
}

/* Rank `where` writes r, of tile t. */
static void dfi_mpi_write(struct dfi_shared *a, long t, const struct dfi_region *r, int where)
{
    struct dfi_mpi_tile *tile = &a->tile[t];
    struct dfi_mpi_copy **at = &tile->copies, *c;
    const int moves = tile->last != where;
    while ((c = *at) != NULL)
        if (moves || dfi_region_overlap(&c->r, r)) *at = c->next, c->next = dfi_mpi.unused, dfi_mpi.unused = c;
        else at = &c->next;
    tile->last = where;
}

/* --- parts of an access ------------------------------------------------------------------------------------ */

struct dfi_mpi_place { int where; unsigned mode; const struct dfi_region *r; };

static void dfi_part_rest(struct dfi_shared *a, long t, const struct dfi_region *whole, void *arg)
{
    const struct dfi_mpi_place *p = (const struct dfi_mpi_place *)arg;
    if (p->mode & DFI_IN || !dfi_region_covers(p->r, whole)) dfi_mpi_read(a, t, whole, p->where);
}
/* Before the task: the values that it needs. */
static void dfi_part_needs(struct dfi_shared *a, long t, const struct dfi_region *r, void *arg)
{
    struct dfi_mpi_place *p = (struct dfi_mpi_place *)arg;
    p->r = r;
    if (p->mode & DFI_WRITES && a->tile[t].last != p->where) dfi_tile_whole(a, t, dfi_part_rest, arg);
    else if (p->mode & DFI_IN) dfi_mpi_read(a, t, r, p->where);
}
/* Behind the task: the values that it leaves. */
static void dfi_part_leaves(struct dfi_shared *a, long t, const struct dfi_region *r, void *arg)
{
    dfi_mpi_write(a, t, r, ((const struct dfi_mpi_place *)arg)->where);
}

/* *arg: the home of most bytes so far, or -1. */
static void dfi_part_home(struct dfi_shared *a, long t, const struct dfi_region *r, void *arg)
{
    int *best = (int *)arg;
    const int home = a->tile[t].home;
    const size_t bytes = dfi_mpi.bytes[home] += r->rows * r->row, most = *best < 0 ? 0 : dfi_mpi.bytes[*best];
    if (bytes > most || (bytes == most && home < *best)) *best = home;
}
static void dfi_part_home_clear(struct dfi_shared *a, long t, const struct dfi_region *r, void *arg)
{
    (void)r, (void)arg;
    dfi_mpi.bytes[a->tile[t].home] = 0;
}

/* --- tasks --------------------------------------------------------------------------------------------------- */

/* The array in which an access is, and its region; or NULL. */
static struct dfi_shared *dfi_mpi_of(const struct dfi_access *x, struct dfi_region *r)
{
    struct dfi_shared *a;
    if (!(x->mode & DFI_INOUT) || !(a = dfi_shared_find((uintptr_t)x->p))) return NULL;
    *r = dfi_region_of(x);
    return r->rows ? a : NULL;
}

/* The rank that is the home of most bytes that the task writes; of several, the first. -1: it writes nothing shared. */
static int dfi_mpi_home(const struct dfi_access *x, unsigned n)
{
    int best = -1;
    struct dfi_region r;
    struct dfi_shared *a;
    unsigned i;
    for (i = 0; i < n; i++)
        if (x[i].mode & DFI_WRITES && (a = dfi_mpi_of(&x[i], &r)) != NULL) dfi_parts_of(a, &r, dfi_part_home, &best);
    for (i = 0; i < n; i++)
        if (x[i].mode & DFI_WRITES && (a = dfi_mpi_of(&x[i], &r)) != NULL)
            dfi_parts_of(a, &r, dfi_part_home_clear, NULL);
    return best;
}

static void dfi_mpi_behind(const char *name, unsigned i, const struct dfi_shared *a, const struct dfi_region *r)
{
    if (dfi_region_is_all(r) || dfi_region_end(r) > a->end)
        dfi_error("df_mpi: task %s: access %u begins in an array of df_shared_alloc and ends behind it: only the "
                  "part in the array comes from other ranks and goes to them", name, i);
}

/* The answer for any task. */
static DFI_NOINLINE int dfi_mpi_task(const char *name, const struct dfi_access *x, unsigned n)
{
    struct dfi_mpi_place p;
    struct dfi_region r;
    struct dfi_shared *a;
    const int home = dfi_mpi_home(x, n), from = home < 0 ? 0 : home, to = home < 0 ? dfi_mpi.ranks : home + 1;
    unsigned i;
    for (i = 0; i < n; i++) {
        if (!(a = dfi_mpi_of(&x[i], &r))) continue;
        dfi_mpi_behind(name, i, a, &r);
        p.mode = x[i].mode;
        for (p.where = from; p.where < to; p.where++) dfi_parts_of(a, &r, dfi_part_needs, &p);
    }
    p.where = home;
    for (i = 0; i < n; i++)
        if (x[i].mode & DFI_WRITES && (a = dfi_mpi_of(&x[i], &r)) != NULL) dfi_parts_of(a, &r, dfi_part_leaves, &p);
    return home < 0 || home == dfi_mpi.rank;
}

/* Most tasks write one tile, and have each access in one tile. Few of them concern this rank. */
static int dfi_mpi_here(const char *name, const struct dfi_access *x, unsigned n)
{
    unsigned i, shared = 0, writes = 0, concerned = 0;
    int home = -1;
    if (dfi_mpi.fetches) return 1;
    for (i = 0; i < n; i++) {
        const struct dfi_shared *a;
        const struct dfi_mpi_tile *tile;
        long t;
        if (!(x[i].mode & DFI_INOUT) || !(a = dfi_shared_find((uintptr_t)x[i].p)) || !x[i].row || !x[i].rows) continue;
        shared = 1;
        if (DFI_UNLIKELY((t = dfi_tile_of(a, (uintptr_t)x[i].p, x[i].row, x[i].rows, x[i].ld)) < 0)) break;
        tile = &a->tile[t];
        concerned |= (unsigned)(tile->last == dfi_mpi.rank);
        if (!(x[i].mode & DFI_WRITES)) continue;
        home = tile->home, writes++;
        concerned |= (unsigned)(tile->last != home) | (unsigned)(tile->copies != NULL);
    }
    if (!shared) return 1;
    if (i == n && writes == 1 && !concerned && home != dfi_mpi.rank) return 0;
    return dfi_mpi_task(name, x, n);
}
static const struct dfi_ranks dfi_mpi_hook = { dfi_mpi_here };

#endif
