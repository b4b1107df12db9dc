/* region.h - geometry of regions: overlap and containment of ranges and blocks
 *
 * A region has `rows` rows of `row` bytes, at a distance of `ld` bytes, starting at address p. The results are exact
 * for all combinations of ranges and blocks, with equal or different ld. */
#ifndef DFI_FLOW_REGION_H
#define DFI_FLOW_REGION_H

#include "../base/compiler.h"
#include "../api/access.h"

struct dfi_region { uintptr_t p; size_t row, rows, ld; };

/* All memory. A declared region with more bytes than exist from its address on is ordered like this. */
static DFI_NOINLINE DFI_COLD struct dfi_region dfi_region_all(void)
{
    struct dfi_region r;
    r.p = 0, r.row = UINTPTR_MAX, r.rows = 1, r.ld = 0;
    return r;
}

DFI_UNUSED static int dfi_region_is_all(const struct dfi_region *r) { return r->row == UINTPTR_MAX; }

/* The canonical form of a declared region: contiguous regions have rows == 1 and ld == 0, empty regions have rows ==
 * 0. A region never wraps around the end of the address space. */
static struct dfi_region dfi_region_of(const struct dfi_access *x)
{
    struct dfi_region r;
    size_t room, before = 0; /* bytes from the start of the first row to the start of the last */
    r.p = (uintptr_t)x->p, r.row = x->row, r.rows = x->rows, r.ld = x->ld;
    room = (size_t)(UINTPTR_MAX - r.p);
    if (!r.row || !r.rows) {
        r.row = r.rows = r.ld = 0;
        return r;
    }
    if (DFI_UNLIKELY(r.rows > 1)) {
        if (r.rows == DFI_NO_BYTES || (r.ld && r.rows - 1 > room / r.ld)) return dfi_region_all();
        before = (r.rows - 1) * r.ld;
    }
    if (DFI_UNLIKELY(r.row > room - before || r.row == DFI_NO_BYTES)) return dfi_region_all();
    if (r.rows == 1 || r.ld == 0) r.rows = 1, r.ld = 0;
    else if (r.ld <= r.row) r.row += before, r.rows = 1, r.ld = 0; /* adjacent rows form one range */
    return r;
}

DFI_UNUSED static void dfi_access_region(struct dfi_access *x, unsigned mode, const struct dfi_region *r)
{
    dfi_access_block(x, mode, DFI_NO_ARG, (const void *)r->p, r->rows, r->row, r->ld);
}

static uintptr_t dfi_region_end(const struct dfi_region *r) { return r->p + (r->rows - 1) * r->ld + r->row; }

DFI_UNUSED static size_t dfi_region_bytes(const struct dfi_region *r) { return (r->rows - 1) * r->ld + r->row; }

DFI_UNUSED static unsigned dfi_region_hash(const struct dfi_region *r)
{
    /* multiplicative; the low bits of addresses are equal, so the high half is folded down */
    uint64_t h = (uint64_t)r->p * 0x9E3779B97F4A7C15u + (uint64_t)r->row * 0xC2B2AE3D27D4EB4Fu +
                 (uint64_t)r->rows * 0x165667B19E3779F9u + r->ld;
    return (unsigned)(h >> 32 ^ h >> 15);
}

DFI_UNUSED static int dfi_region_same(const struct dfi_region *a, const struct dfi_region *b)
{
    return a->p == b->p && a->row == b->row && a->rows == b->rows && a->ld == b->ld;
}

/* Does the range [lo, hi) overlap a row of r? pre: r is not empty. O(1). */
static int dfi_region_meets_range(const struct dfi_region *r, uintptr_t lo, uintptr_t hi)
{
    size_t i;
    if (hi <= r->p || lo >= dfi_region_end(r)) return 0;
    if (r->rows == 1 || lo < r->p + r->row) return 1; /* one row, or the first row ends after lo */
    i = (lo - r->p - r->row) / r->ld + 1;             /* the first row that ends after lo */
    return i < r->rows && r->p + i * r->ld < hi;
}

/* Do a and b share a byte? Exact. O(1) for ranges and for equal ld, else O(rows of the region with fewer rows). */
static int dfi_region_overlap(const struct dfi_region *a, const struct dfi_region *b)
{
    size_t i;
    if (a->rows > b->rows) {
        const struct dfi_region *t = a;
        a = b, b = t;
    }
    if (a->rows > 1 && (dfi_region_end(a) <= b->p || dfi_region_end(b) <= a->p)) return 0;
    if (a->rows > 1 && a->ld == b->ld) {
        /* Let a start first. Row j of b overlaps row i of a iff -b.row < d + (j - i) * ld < a.row, where d = b.p -
         * a.p >= 0. With d = q * ld + m, the only candidates are j - i = -q and -q - 1 (rows are shorter than ld):
         * offset m, or m - ld, which is negative. */
        const struct dfi_region *f = a->p <= b->p ? a : b, *g = a->p <= b->p ? b : a;
        size_t d = g->p - f->p, q = d / f->ld, m = d % f->ld;
        if (m < f->row && q < f->rows) return 1;                        /* row q of f and row 0 of g */
        return f->ld - m < g->row && q + 1 < f->rows;                   /* row q + 1 of f and row 0 of g */
    }
    for (i = 0; i < a->rows; i++)
        if (dfi_region_meets_range(b, a->p + i * a->ld, a->p + i * a->ld + a->row)) return 1;
    return 0;
}

/* Does a contain all of b? Exact. O(1), except for blocks of different ld: O(rows of b). */
static int dfi_region_covers(const struct dfi_region *a, const struct dfi_region *b)
{
    size_t d, i;
    if (!b->rows) return 1;
    if (!a->rows || b->p < a->p || dfi_region_end(b) > dfi_region_end(a)) return 0;
    if (a->rows == 1) return 1;
    d = b->p - a->p;
    if (b->rows == 1 || b->ld == a->ld) return d % a->ld + b->row <= a->row && d / a->ld + b->rows <= a->rows;
    for (i = 0; i < b->rows; i++, d += b->ld)
        if (d % a->ld + b->row > a->row) return 0;
    return 1;
}

#endif
