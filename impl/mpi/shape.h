/* shape.h - an array over ranks: its tiles, and the tiles of a region of it */
#ifndef DFI_MPI_SHAPE_H
#define DFI_MPI_SHAPE_H

#include "../base/arrange.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../api/shared.h"
#include "../flow/region.h"

#define DFI_MESSAGE_SHARED "%s: df_shared_alloc: %s: the call returns NULL"

DFI_SMALL_CODE_BEGIN

DFI_FAST size_t dfi_size_least(size_t a, size_t b) { return a < b ? a : b; }

enum { DFI_EACH_RANK = -1 }; /* in place of a rank */

/* A rank has a copy of a region of a tile, or will have it when the tasks submitted so far are done. The rank that
 * wrote the tile last knows all copies; the others, their own. */
struct dfi_mpi_copy {
    struct dfi_mpi_copy *next;
    struct dfi_region r;
    int rank;
};
struct dfi_mpi_tile {
    int home, last;                /* ranks: its home; where it is written last by the tasks submitted so far. Or
                                    * DFI_EACH_RANK */
    struct dfi_mpi_copy *copies;   /* of the values that it has then */
};

/* Divisors of offsets in an array. per: 2^64 / by + 1; 0: divide. */
struct dfi_divisor { size_t by; uint64_t per; };

/* An array, as planes of lines of bytes: those of one dimension less have one plane, or one line. If its tiles are
 * contiguous, it is one line. */
enum { DFI_PLANES, DFI_LINES, DFI_BYTES, DFI_DIMS };
struct dfi_shared {
    struct dfi_shared *next;
    uintptr_t base, end;
    size_t size[DFI_DIMS];         /* planes; lines of a plane; bytes of a line */
    size_t each[DFI_DIMS];         /* the same for a tile; those at the ends may be smaller */
    size_t tiles[DFI_DIMS];        /* tiles along each */
    struct dfi_divisor plane, line, of[DFI_DIMS]; /* bytes of a plane, of a line; `each` */
    struct dfi_mpi_tile *tile;     /* in the order of memory */
};

/* --- description ------------------------------------------------------------------------------------------ */

/* Taken from a description. Its last dimension is the last of DFI_DIMS. */
struct dfi_shared_plan {
    int parts[DFI_DIMS];           /* ranks along each */
    size_t each[DFI_DIMS];         /* so many tiles in a row have the same home */
    int dims, divided;
};

/* The sizes of the array and of its tiles, in elements. NULL, or what is wrong. */
static const char *dfi_shared_sizes(struct dfi_shared *a, const df_shared_desc *d, size_t element,
                                    struct dfi_shared_plan *plan)
{
    size_t all = element;
    int i, j;
    for (i = 0; i < DFI_DIMS; i++) a->size[i] = a->each[i] = plan->each[i] = 1, plan->parts[i] = 1;
    for (i = 0; i < DFI_DIMS && d->dim[i].size; i++) continue;
    if (!i) return "dim[0].size is 0";
    plan->dims = i, plan->divided = 0;
    for (i = 0; i < plan->dims; i++) {
        const df_shared_dim *s = &d->dim[i];
        const int kind = (int)(s->split & (DFI_SPLITS - 1));
        if (s->size < 0 || s->tile < 0 || d->parts[i] < 0) return "a number is negative";
        if (kind > DFI_SPLIT_CYCLIC || s->split < 0)
            return "a .split is none of DF_BLOCK(n), DF_CYCLIC(n), DF_DUPLICATE";
        if ((size_t)s->size > SIZE_MAX / 2 / all) return "it has more bytes than there are addresses";
        all *= (size_t)s->size, j = DFI_DIMS - plan->dims + i;
        a->size[j] = (size_t)s->size, a->each[j] = (size_t)s->tile;
        if (kind != DFI_SPLIT_DUPLICATE) plan->parts[j] = d->parts[i], plan->divided = 1;
        else if (d->parts[i] > 1) return "a dimension with several .parts is not divided";
    }
    return NULL;
}

/* The arrangement of the ranks; tiles whose size was not given; and how many of them have a home together. */
static const char *dfi_shared_divide(struct dfi_shared *a, const df_shared_desc *d, int ranks,
                                     struct dfi_shared_plan *plan)
{
    int i;
    if (!plan->divided) ranks = 1;
    if (dfi_arrange(ranks, DFI_DIMS, plan->parts) > ranks) return "it has more .parts than there are ranks";
    for (i = DFI_DIMS - plan->dims; i < DFI_DIMS; i++) {
        const long long split = d->dim[i - DFI_DIMS + plan->dims].split;
        const int kind = (int)(split & (DFI_SPLITS - 1));
        const size_t parts = (size_t)plan->parts[i], size = a->size[i], equal = (size + parts - 1) / parts;
        size_t n = (size_t)(split / DFI_SPLITS);
        if (kind == DFI_SPLIT_DUPLICATE) n = size;
        else if (!n) n = kind == DFI_SPLIT_BLOCK ? equal : 1;
        if (kind == DFI_SPLIT_BLOCK && n < equal)
            return "DF_BLOCK(n) leaves elements without a rank: use DF_BLOCK(0), DF_CYCLIC(n), or a larger n";
        if (!a->each[i]) a->each[i] = n;
        if (a->each[i] > size) a->each[i] = size;
        plan->each[i] = (n + a->each[i] - 1) / a->each[i];
    }
    return NULL;
}

static size_t dfi_shared_size(const struct dfi_shared *a)
{
    return a->size[DFI_PLANES] * a->size[DFI_LINES] * a->size[DFI_BYTES];
}

/* For offsets below n. per gives the same quotient if n * by < 2^64, as per * by exceeds 2^64 by no more than by. */
static struct dfi_divisor dfi_divisor_of(size_t by, size_t n)
{
    struct dfi_divisor d;
    d.by = by, d.per = 0;
#if defined(__SIZEOF_INT128__)
    if (by > 1 && (uint64_t)n <= ~(uint64_t)0 / by) d.per = ~(uint64_t)0 / by + 1;
#endif
    return d;
}
DFI_FAST size_t dfi_divide(size_t o, const struct dfi_divisor *d)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    if (DFI_LIKELY(d->per)) return (size_t)(((wide)o * d->per) >> 64);
#endif
    return d->by == 1 ? o : o / d->by;
}

/* From elements to bytes; contiguous tiles become parts of one line. */
static void dfi_shared_bytes(struct dfi_shared *a, size_t element)
{
    int i, first = 0;
    a->size[DFI_BYTES] *= element, a->each[DFI_BYTES] *= element;
    while (a->each[first] == 1 && a->size[first] == 1) first++;
    for (i = first + 1; i < DFI_DIMS && a->each[i] == a->size[i]; i++) continue;
    if (i >= DFI_DIMS)
        for (i = 0; i < DFI_BYTES; i++) {
            a->size[DFI_BYTES] *= a->size[i], a->each[DFI_BYTES] *= a->each[i];
            a->tiles[DFI_BYTES] *= a->tiles[i];
            a->size[i] = a->each[i] = a->tiles[i] = 1;
        }
    for (i = 0; i < DFI_DIMS; i++) a->of[i] = dfi_divisor_of(a->each[i], a->size[i]);
    a->line = dfi_divisor_of(a->size[DFI_BYTES], a->size[DFI_BYTES] * a->size[DFI_LINES]);
    a->plane = dfi_divisor_of(a->line.by * a->size[DFI_LINES], dfi_shared_size(a));
}

/* The home of each tile. Nonzero: a function gave no rank. */
static int dfi_shared_homes(struct dfi_shared *a, const df_shared_desc *d, int ranks,
                            const struct dfi_shared_plan *plan)
{
    size_t t[DFI_DIMS], n = 0;
    int i, wrong = 0;
    for (t[0] = 0; t[0] < a->tiles[0]; t[0]++)
        for (t[1] = 0; t[1] < a->tiles[1]; t[1]++)
            for (t[2] = 0; t[2] < a->tiles[2]; t[2]++, n++) {
                int home = plan->divided ? 0 : DFI_EACH_RANK;
                if (d->home) {
                    long at[DFI_DIMS] = { 0, 0, 0 };
                    for (i = 0; i < plan->dims; i++) at[i] = (long)t[DFI_DIMS - plan->dims + i];
                    home = d->home(at, d->home_arg);
                    if (home < 0 || home >= ranks) wrong = 1, home = 0;
                } else if (plan->divided) for (i = 0; i < DFI_DIMS; i++)
                    home = home * plan->parts[i] + (int)(t[i] / plan->each[i] % (size_t)plan->parts[i]);
                a->tile[n].home = a->tile[n].last = home;
            }
    return wrong;
}

/* All but its memory. NULL, or what is wrong. */
static const char *dfi_shared_make(struct dfi_shared *a, size_t element, const df_shared_desc *d, int ranks)
{
    const char *wrong;
    struct dfi_shared_plan plan;
    size_t n = 1;
    int i;
    if ((wrong = dfi_shared_sizes(a, d, element, &plan)) != NULL) return wrong;
    if ((wrong = dfi_shared_divide(a, d, ranks, &plan)) != NULL) return wrong;
    for (i = 0; i < DFI_DIMS; i++) n *= a->tiles[i] = (a->size[i] + a->each[i] - 1) / a->each[i];
    if (n > SIZE_MAX / 2 / sizeof *a->tile || !(a->tile = (struct dfi_mpi_tile *)dfi_zeroed(n * sizeof *a->tile)))
        return "memory for the list of its tiles is lacking: use larger ones";
    if (dfi_shared_homes(a, d, ranks, &plan)) return ".home gave a number that is no rank";
    dfi_shared_bytes(a, element);
    return NULL;
}

DFI_SMALL_CODE_END

/* --- regions ------------------------------------------------------------------------------------------------- */

/* dfi_tile_of for an array of several planes. */
static DFI_NOINLINE long dfi_tile_of_planes(const struct dfi_shared *a, size_t o, size_t row, size_t rows, size_t ld)
{
    const size_t width = a->size[DFI_BYTES], *each = a->each;
    const size_t i = dfi_divide(o, &a->plane), j = dfi_divide(o - i * a->plane.by, &a->line);
    const size_t c = o - i * a->plane.by - j * width, z = dfi_divide(i, &a->of[DFI_PLANES]);
    const size_t y = dfi_divide(j, &a->of[DFI_LINES]), x = dfi_divide(c, &a->of[DFI_BYTES]);
    const long t = (long)((z * a->tiles[DFI_LINES] + y) * a->tiles[DFI_BYTES] + x);
    if (row > dfi_size_least(x * each[DFI_BYTES] + each[DFI_BYTES], width) - c) return -1;
    if (rows == 1) return t;
    if (ld == width)
        return rows <= dfi_size_least(y * each[DFI_LINES] + each[DFI_LINES], a->size[DFI_LINES]) - j ? t : -1;
    return ld == a->plane.by &&
           rows <= dfi_size_least(z * each[DFI_PLANES] + each[DFI_PLANES], a->size[DFI_PLANES]) - i ? t : -1;
}

/* The tile that has all of the region, of which no number is 0, and which begins in a; or -1. */
DFI_FAST long dfi_tile_of(const struct dfi_shared *a, uintptr_t p, size_t row, size_t rows, size_t ld)
{
    const size_t width = a->size[DFI_BYTES], lines = a->size[DFI_LINES], *each = a->each;
    size_t o = p - a->base, j = 0, x, y, room;
    if (lines > 1) {
        if (DFI_UNLIKELY(a->size[DFI_PLANES] > 1)) return dfi_tile_of_planes(a, o, row, rows, ld);
        j = dfi_divide(o, &a->line), o -= j * width;
    }
    x = dfi_divide(o, &a->of[DFI_BYTES]), room = dfi_size_least(x * each[DFI_BYTES] + each[DFI_BYTES], width) - o;
    if (DFI_UNLIKELY(row > room)) return -1;
    if (lines == 1) return rows == 1 || rows - 1 <= (room - row) / (ld ? ld : 1) ? (long)x : -1;
    y = dfi_divide(j, &a->of[DFI_LINES]);
    if (DFI_UNLIKELY(rows > 1 && (ld != width ||
                                  rows > dfi_size_least(y * each[DFI_LINES] + each[DFI_LINES], lines) - j))) return -1;
    return (long)(y * a->tiles[DFI_BYTES] + x);
}

/* A region of a tile, and how a task accesses it. */
struct dfi_piece {
    struct dfi_shared *a;
    struct dfi_mpi_tile *tile;
    unsigned mode;
    struct dfi_region r;
};
struct dfi_pieces {
    struct dfi_piece *piece;
    size_t n, room;
    unsigned mode;                 /* of the next ones */
    int lacking;                   /* memory for one was lacking */
};

static void dfi_piece_add(struct dfi_pieces *l, struct dfi_shared *a, size_t t, const struct dfi_region *r)
{
    struct dfi_piece *p;
    if (dfi_array_room((void *)&l->piece, NULL, l->n + 1, &l->room, sizeof *l->piece)) {
        l->lacking = 1;
        return;
    }
    p = &l->piece[l->n++];
    p->a = a, p->tile = &a->tile[t], p->mode = l->mode, p->r = *r;
}

/* The pieces of `rows` rows of `row` bytes, which begin in line j of plane i, at byte c, and stay in that plane. */
static void dfi_pieces_of_plane(struct dfi_shared *a, size_t i, size_t j, size_t c, size_t rows, size_t row,
                               struct dfi_pieces *l)
{
    const size_t width = a->size[DFI_BYTES], *each = a->each;
    size_t y, x, to_y, to_x;
    for (y = j; y < j + rows; y = to_y) {
        to_y = dfi_size_least((y / each[DFI_LINES] + 1) * each[DFI_LINES], j + rows);
        for (x = c; x < c + row; x = to_x) {
            struct dfi_region r;
            to_x = dfi_size_least((x / each[DFI_BYTES] + 1) * each[DFI_BYTES], c + row);
            r.p = a->base + (i * a->size[DFI_LINES] + y) * width + x;
            r.rows = to_y - y, r.row = to_x - x, r.ld = r.rows > 1 ? width : 0;
            dfi_piece_add(l, a, (i / each[DFI_PLANES] * a->tiles[DFI_LINES] + y / each[DFI_LINES]) *
                                   a->tiles[DFI_BYTES] + x / each[DFI_BYTES], &r);
        }
    }
}

/* The pieces of r, which begins in a. What is behind the end of a is left out. */
static void dfi_pieces_of(struct dfi_shared *a, const struct dfi_region *r, struct dfi_pieces *l)
{
    const size_t width = a->size[DFI_BYTES], lines = a->size[DFI_LINES], plane = width * lines;
    const size_t all = a->end - a->base;
    const long t = dfi_tile_of(a, r->p, r->row, r->rows, r->ld);
    size_t o = r->p - a->base, k;
    if (t >= 0) {
        dfi_piece_add(l, a, (size_t)t, r);
        return;
    }
    if (r->ld == width && o % width + r->row <= width && o % plane / width + r->rows <= lines) {
        dfi_pieces_of_plane(a, o / plane, o % plane / width, o % width, r->rows, r->row, l);
        return;
    }
    for (k = 0; k < r->rows && o < all; k++, o = r->p - a->base + k * r->ld) {
        size_t left = dfi_size_least(r->row, all - o);
        while (left) {
            const size_t c = o % width, j = o % plane / width;
            const size_t rows = c || left < width ? 1 : dfi_size_least(left / width, lines - j);
            const size_t row = rows > 1 ? width : dfi_size_least(left, width - c);
            dfi_pieces_of_plane(a, o / plane, j, c, rows, row, l);
            o += rows * row, left -= rows * row;
        }
    }
}

/* All of a tile: several pieces, if it has several planes. */
static void dfi_pieces_of_tile(struct dfi_shared *a, size_t t, struct dfi_pieces *l)
{
    const size_t width = a->size[DFI_BYTES], tiles = a->tiles[DFI_LINES] * a->tiles[DFI_BYTES];
    const size_t j = t % tiles / a->tiles[DFI_BYTES] * a->each[DFI_LINES];
    const size_t c = t % a->tiles[DFI_BYTES] * a->each[DFI_BYTES];
    const size_t rows = dfi_size_least(a->each[DFI_LINES], a->size[DFI_LINES] - j);
    const size_t row = dfi_size_least(a->each[DFI_BYTES], width - c);
    size_t i = t / tiles * a->each[DFI_PLANES];
    const size_t end = dfi_size_least(i + a->each[DFI_PLANES], a->size[DFI_PLANES]);
    for (; i < end; i++) dfi_pieces_of_plane(a, i, j, c, rows, row, l);
}

#endif
