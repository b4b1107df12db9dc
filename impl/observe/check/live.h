/* live.h - DF_CHECK with AddressSanitizer: live bytes, and their shadow
 *
 * A byte is live if a task of an open scope has declared it, from the submission until the scope has
 * waited. Live bytes are poisoned, except those that the running code may access
 * (observe/check/view.h). AddressSanitizer accounts for 8 bytes together, of which the first k are
 * accessible: so up to 7 bytes at the beginning and at the end of a range may stay accessible, and
 * no byte outside it is poisoned.
 *
 * The ranges are disjoint, in an array sorted by address; each counts the regions that it is part
 * of. All of it is under the lock of the checks. */
#ifndef DFI_OBSERVE_CHECK_LIVE_H
#define DFI_OBSERVE_CHECK_LIVE_H

#include "../../base/compiler.h"
#include "../../base/memory.h"
#include "../../flow/region.h"

#if DFI_CHECK_ASAN

DFI_EXTERN_C_BEGIN
extern void dfi_asan_poison(const volatile void *p, size_t n) __asm__("__asan_poison_memory_region");
extern void dfi_asan_unpoison(const volatile void *p, size_t n) __asm__("__asan_unpoison_memory_region");
extern void *dfi_asan_poisoned(const void *p, size_t n) __asm__("__asan_region_is_poisoned");
extern size_t dfi_asan_size(const volatile void *p) __asm__("__sanitizer_get_allocated_size");
extern int dfi_asan_hooks(void (*allocated)(const volatile void *, size_t), void (*freed)(const volatile void *))
    __asm__("__sanitizer_install_malloc_and_free_hooks");
DFI_EXTERN_C_END

struct dfi_check_range { uintptr_t lo, hi; size_t count; }; /* count 0: no longer live, and open */

struct dfi_check_live {
    struct dfi_check_range *range;
    size_t n, room, dead;     /* dead: ranges with count 0 */
    int failed;               /* no memory: nothing is checked from here on */
};
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_check_live dfi_check_live;
DFI_EXTERN_C_END

/* The first range that ends after p. */
static size_t dfi_live_find(uintptr_t p)
{
    size_t lo = 0, hi = dfi_check_live.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (dfi_check_live.range[mid].hi > p) hi = mid;
        else lo = mid + 1;
    }
    return lo;
}

/* Inserts [lo, hi) as range i, before the ranges from i on. */
static void dfi_live_insert(size_t i, uintptr_t lo, uintptr_t hi, size_t count)
{
    struct dfi_check_live *v = &dfi_check_live;
    if (dfi_array_room((void *)&v->range, NULL, v->n + 1, &v->room, sizeof *v->range)) {
        v->failed = 1;
        return;
    }
    memmove((void *)(v->range + i + 1), (void *)(v->range + i), (v->n - i) * sizeof *v->range);
    v->range[i].lo = lo, v->range[i].hi = hi, v->range[i].count = count;
    v->n++;
    if (!count) v->dead++;
}

/* Splits range i; the second part begins at p. */
static void dfi_live_split(size_t i, uintptr_t p)
{
    struct dfi_check_range *r = &dfi_check_live.range[i];
    uintptr_t hi = r->hi;
    size_t count = r->count, n = dfi_check_live.n;
    dfi_live_insert(i + 1, p, hi, count);
    if (dfi_check_live.n != n) dfi_check_live.range[i].hi = p;
}

static void dfi_live_add(uintptr_t lo, uintptr_t hi)
{
    struct dfi_check_live *v = &dfi_check_live;
    size_t i = dfi_live_find(lo);
    if (i < v->n && v->range[i].lo < lo) dfi_live_split(i++, lo);
    for (; lo < hi && !v->failed; i++) {
        if (i == v->n || v->range[i].lo >= hi) {
            dfi_live_insert(i, lo, hi, 1);
            return;
        }
        if (v->range[i].lo > lo) dfi_live_insert(i, lo, v->range[i].lo, 1);
        else {
            if (v->range[i].hi > hi) dfi_live_split(i, hi);
            if (!v->range[i].count) v->dead--;
            v->range[i].count++;
        }
        lo = v->range[i].hi;
    }
}

/* Removes one region from the ranges in [lo, hi). open: ranges that are no longer live are opened;
 * else the memory was freed, and stays as it is. */
static void dfi_live_take(uintptr_t lo, uintptr_t hi, int open)
{
    struct dfi_check_live *v = &dfi_check_live;
    size_t i = dfi_live_find(lo);
    if (i < v->n && v->range[i].lo < lo) dfi_live_split(i++, lo);
    for (; i < v->n && v->range[i].lo < hi && !v->failed; i++) {
        if (v->range[i].hi > hi) dfi_live_split(i, hi);
        if (!v->range[i].count || --v->range[i].count) continue;
        v->dead++;
        if (open) dfi_asan_unpoison((void *)v->range[i].lo, v->range[i].hi - v->range[i].lo);
    }
}

/* ranges, 1.5 MiB: a loop declares the same ones again, and inserting them is the most expensive step */
enum { DFI_LIVE_FEW = 1 << 16 };

/* Removes ranges that are no longer live, if there are many. */
static void dfi_live_compact(void)
{
    struct dfi_check_live *v = &dfi_check_live;
    size_t i, to = 0;
    if (v->n <= (size_t)DFI_LIVE_FEW || v->dead * 2 <= v->n) return;
    for (i = 0; i < v->n; i++)
        if (v->range[i].count) v->range[to++] = v->range[i];
    v->n = to, v->dead = 0;
}

/* True if a byte of [lo, hi) is live. */
static int dfi_live_any(uintptr_t lo, uintptr_t hi)
{
    size_t i;
    for (i = dfi_live_find(lo); i < dfi_check_live.n && dfi_check_live.range[i].lo < hi; i++)
        if (dfi_check_live.range[i].count) return 1;
    return 0;
}

/* Poisons the live bytes in [lo, hi). Neighbours are poisoned together, because they may share 8 bytes. */
static void dfi_live_close(uintptr_t lo, uintptr_t hi)
{
    const struct dfi_check_live *v = &dfi_check_live;
    size_t i = dfi_live_find(lo);
    while (i < v->n && v->range[i].lo < hi) {
        uintptr_t from = v->range[i].lo, to = v->range[i].hi;
        if (!v->range[i++].count) continue;
        for (; i < v->n && to < hi && v->range[i].count && v->range[i].lo == to; i++) to = v->range[i].hi;
        if (from < lo) from = lo;
        if (to > hi) to = hi;
        dfi_asan_poison((void *)from, to - from);
    }
}

static void dfi_live_all(int open)
{
    const struct dfi_check_live *v = &dfi_check_live;
    size_t i;
    if (!open) dfi_live_close(0, UINTPTR_MAX);
    else for (i = 0; i < v->n; i++)
        if (v->range[i].count) dfi_asan_unpoison((void *)v->range[i].lo, v->range[i].hi - v->range[i].lo);
}

/* --- regions ----------------------------------------------------------------------------------- */

static void dfi_live_region_open(const struct dfi_region *r)
{
    size_t i;
    for (i = 0; i < r->rows; i++) dfi_asan_unpoison((void *)(r->p + i * r->ld), r->row);
}
static void dfi_live_region_close(const struct dfi_region *r)
{
    size_t i;
    for (i = 0; i < r->rows; i++) dfi_live_close(r->p + i * r->ld, r->p + i * r->ld + r->row);
}
static void dfi_live_region_add(const struct dfi_region *r)
{
    size_t i;
    for (i = 0; i < r->rows; i++) dfi_live_add(r->p + i * r->ld, r->p + i * r->ld + r->row);
}
static void dfi_live_region_take(const struct dfi_region *r, int open)
{
    size_t i;
    for (i = 0; i < r->rows; i++) dfi_live_take(r->p + i * r->ld, r->p + i * r->ld + r->row, open);
}

/* The first byte of r that the program may not access, whichever task declares it: it was freed, or
 * lies beyond the end. 0: none. */
static uintptr_t dfi_live_region_wrong(const struct dfi_region *r)
{
    size_t i, k;
    for (i = 0; i < r->rows; i++) {
        uintptr_t lo = r->p + i * r->ld, hi = lo + r->row, at;
        while (lo < hi && (at = (uintptr_t)dfi_asan_poisoned((void *)lo, hi - lo)) != 0) {
            k = dfi_live_find(at);
            if (k == dfi_check_live.n || dfi_check_live.range[k].lo > at || !dfi_check_live.range[k].count) return at;
            lo = dfi_check_live.range[k].hi; /* poisoned by the checks */
        }
    }
    return 0;
}

#endif

#endif
