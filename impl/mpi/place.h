/* place.h - where a task runs, and the messages that it needs
 *
 * Each rank looks at each task of the program: a task runs in the home of the data that it writes, or in each rank. A
 * tile is where it was written last. A read elsewhere is a message from that rank, of which only the two ranks take
 * notice. All take notice of a write, after which copies are old. A task that writes a part of a tile elsewhere than
 * where the tile was written last needs the rest of it. */
#ifndef DFI_MPI_PLACE_H
#define DFI_MPI_PLACE_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/os.h"
#include "../api/access.h"
#include "../api/ranks.h"
#include "../api/task.h"
#include "../flow/region.h"
#include "message.h"
#include "shared.h"
#include "state.h"

/* Rank `where` reads r, of a tile. */
static void dfi_mpi_read(struct dfi_mpi_tile *tile, const struct dfi_region *r, int where)
{
    const int from = tile->last;
    struct dfi_mpi_copy *c;
    for (c = tile->copies; c; c = c->next)
        if (c->rank == where && dfi_region_covers(&c->r, r)) return;
    if ((c = dfi_mpi.unused) != NULL) dfi_mpi.unused = c->next;
    else if (!(c = (struct dfi_mpi_copy *)dfi_malloc(sizeof *c))) {
        dfi_mpi_ends("memory for the list of copies is lacking");
        return;
    }
    c->r = *r, c->rank = where, c->next = tile->copies, tile->copies = c;
    dfi_message(from == dfi_mpi.rank, from == dfi_mpi.rank ? where : from, r);
}

/* A task in rank `where` accesses piece i of the list: the values that it needs are sent before it. */
static void dfi_piece_needs(size_t i, int where)
{
    struct dfi_pieces *l = &dfi_mpi.pieces;
    const struct dfi_piece p = l->piece[i];
    const size_t n = l->n;
    const int last = p.tile->last, me = dfi_mpi.rank;
    if (last == where || (last != me && where != me)) return;
    if (!(p.mode & DFI_WRITES)) {
        dfi_mpi_read(p.tile, &p.r, where);
        return;
    }
    dfi_pieces_of_tile(p.a, (size_t)(p.tile - p.a->tile), l);
    for (i = n; i < l->n; i++)
        if (p.mode & DFI_IN || !dfi_region_covers(&p.r, &l->piece[i].r)) dfi_mpi_read(p.tile, &l->piece[i].r, where);
    l->n = n;
}

/* A task in rank `where` writes p: copies are old behind it. */
static void dfi_piece_written(const struct dfi_piece *p, int where)
{
    struct dfi_mpi_copy **at = &p->tile->copies, *c;
    const int moves = p->tile->last != where;
    while ((c = *at) != NULL)
        if (moves || dfi_region_overlap(&c->r, &p->r)) *at = c->next, c->next = dfi_mpi.unused, dfi_mpi.unused = c;
        else at = &c->next;
    p->tile->last = where;
}

/* The rank that is the home of most bytes that the task writes; of several, the first. DFI_EACH_RANK: it writes none
 * that have a home. */
static int dfi_pieces_home(void)
{
    const struct dfi_pieces *l = &dfi_mpi.pieces;
    int best = DFI_EACH_RANK;
    size_t i;
    for (i = 0; i < l->n; i++) {
        const struct dfi_piece *p = &l->piece[i];
        const int home = p->mode & DFI_WRITES ? p->tile->home : DFI_EACH_RANK;
        if (home == DFI_EACH_RANK) continue;
        dfi_mpi.bytes[home] += p->r.rows * p->r.row;
        if (best < 0 || dfi_mpi.bytes[home] > dfi_mpi.bytes[best] ||
            (dfi_mpi.bytes[home] == dfi_mpi.bytes[best] && home < best)) best = home;
    }
    for (i = 0; i < l->n; i++)
        if (l->piece[i].tile->home != DFI_EACH_RANK) dfi_mpi.bytes[l->piece[i].tile->home] = 0;
    return best;
}

/* --- tasks --------------------------------------------------------------------------------------------------- */

/* Lists the pieces of the accesses. */
static void dfi_mpi_pieces(const char *name, const struct dfi_access *x, unsigned n)
{
    struct dfi_pieces *l = &dfi_mpi.pieces;
    unsigned i;
    l->n = 0;
    for (i = 0; i < n; i++) {
        struct dfi_shared *a;
        struct dfi_region r;
        if (!(x[i].mode & DFI_INOUT) || !(a = dfi_shared_find((uintptr_t)x[i].p))) continue;
        r = dfi_region_of(&x[i]);
        if (!r.rows) continue;
        if (dfi_region_is_all(&r) || dfi_region_end(&r) > a->end)
            dfi_error("df_mpi: task %s: access %u begins in an array of df_shared_alloc and ends behind it: only the "
                      "part in the array comes from other ranks and goes to them", name, i);
        l->mode = x[i].mode;
        dfi_pieces_of(a, &r, l);
    }
}

/* The rank of a task whose pieces are listed. */
static int dfi_mpi_where(const char *name, ptrdiff_t rank)
{
    if (rank && rank != DF_EACH_RANK && (rank > -1 || -1 - rank >= dfi_mpi.ranks)) {
        dfi_error("df_mpi: task %s: df_opts.rank is none of DF_RANK(0) to DF_RANK(%d), DF_EACH_RANK: it counts as 0",
                  name, dfi_mpi.ranks - 1);
        rank = 0;
    }
    return !rank ? dfi_pieces_home() : rank == DF_EACH_RANK ? (int)DFI_EACH_RANK : (int)(-1 - rank);
}

/* The answer for any task. */
static DFI_NOINLINE int dfi_mpi_task(const char *name, const struct dfi_access *x, unsigned n, ptrdiff_t rank)
{
    const int me = dfi_mpi.rank;
    size_t i, pieces;
    int where, to;
    dfi_mpi_pieces(name, x, n), pieces = dfi_mpi.pieces.n;
    where = dfi_mpi_where(name, rank);
    for (i = 0; i < pieces; i++) {
        const int last = dfi_mpi.pieces.piece[i].tile->last;
        if (last == DFI_EACH_RANK) continue;
        if (where != DFI_EACH_RANK) dfi_piece_needs(i, where);
        else if (last != me) dfi_piece_needs(i, me);
        else for (to = 0; to < dfi_mpi.ranks; to++) dfi_piece_needs(i, to);
    }
    if (dfi_mpi.pieces.lacking) dfi_mpi_ends("memory for the list of pieces is lacking");
    for (i = 0; i < pieces; i++)
        if (dfi_mpi.pieces.piece[i].mode & DFI_WRITES) dfi_piece_written(&dfi_mpi.pieces.piece[i], where);
    return where == DFI_EACH_RANK || where == me;
}

enum { DFI_ELSEWHERE, DFI_HERE, DFI_NOT_SHARED };

/* Most tasks have each access in one tile, and write tiles where these are already. If all of them are in this rank, or
 * none is, there is nothing to do. */
static int dfi_mpi_here(const char *name, const struct dfi_access *x, unsigned n, ptrdiff_t rank)
{
    enum { SHARED = 1, MINE = 2, OTHERS = 4 };
    const int me = dfi_mpi.rank;
    const struct dfi_access *const end = x + n, *y;
    int home = DFI_EACH_RANK;
    unsigned at = 0;
    if (rank) return dfi_mpi_task(name, x, n, rank);
    for (y = x; y < end; y++) {
        const struct dfi_shared *a;
        const struct dfi_mpi_tile *tile;
        long t;
        if (!(y->mode & DFI_INOUT) || !(a = dfi_shared_find((uintptr_t)y->p)) || !y->row || !y->rows) continue;
        at |= SHARED;
        if (DFI_UNLIKELY((t = dfi_tile_of(a, (uintptr_t)y->p, y->row, y->rows, y->ld)) < 0)) break;
        tile = &a->tile[t];
        if (tile->last == me) at |= MINE;
        else if (DFI_LIKELY(tile->last != DFI_EACH_RANK)) at |= OTHERS;
        if (!(y->mode & DFI_WRITES)) continue;
        if (tile->home != tile->last || tile->copies || (home != tile->home && home != DFI_EACH_RANK)) break;
        home = tile->home;
    }
    if (!at) return DFI_NOT_SHARED;
    if (y == end && home != DFI_EACH_RANK && !(at & (home == me ? OTHERS : MINE))) return home == me;
    return dfi_mpi_task(name, x, n, 0);
}
static const struct dfi_ranks dfi_mpi_hook = { dfi_mpi_here };

/* DF_MPI_FAKE */
static int dfi_mpi_here_fake(const char *name, const struct dfi_access *x, unsigned n, ptrdiff_t rank)
{
    int here;
    if (!dfi_mpi.began) dfi_mpi.began = dfi_os_ns();
    here = dfi_mpi_here(name, x, n, rank);
    dfi_mpi.tasks++, dfi_mpi.here += here != 0;
    return here == DFI_NOT_SHARED;
}
static const struct dfi_ranks dfi_mpi_hook_fake = { dfi_mpi_here_fake };

static void dfi_mpi_report_fake(void)
{
    const double ns = (double)(dfi_os_ns() - dfi_mpi.began), tasks = (double)dfi_mpi.tasks;
    unsigned long sent = 0, received = 0;
    int i;
    if (!dfi_mpi.began) return;
    for (i = 0; i < dfi_mpi.ranks; i++) {
        sent += dfi_mpi.sent[i], received += dfi_mpi.received[i];
        dfi_mpi.sent[i] = dfi_mpi.received[i] = 0;
    }
    dfi_inform("DF_MPI_FAKE: rank %d of %d: %lld tasks, %lld of them here; %lu messages sent, %lu received; %.1f ns a "
               "submission", dfi_mpi.rank, dfi_mpi.ranks, dfi_mpi.tasks, dfi_mpi.here, sent, received, ns / tasks);
    dfi_mpi.tasks = dfi_mpi.here = 0, dfi_mpi.began = 0;
}

#endif
