/* map.h - hash maps and hash sets: chains of elements in a table that grows chain by chain
 *
 * The number of chains is a power of 2, and the last bits of a hash are the number of its chain. To double the table
 * changes one pointer: the new chains are `not split yet`. Each has its elements in the chain whose number lacks the
 * first bit, its parent, until an insertion splits it from there, with its neighbours. So when a table grows, all
 * operations read it again once; after that, only those conflict that meet in a chain.
 * Source: Griswold, Townsend, "The design and implementation of dynamic hashing for sets and tables in Icon",
 * Software: Practice and Experience 23(4), 1993, for tables of segments; Shalev, Shavit, "Split-ordered lists", Journal
 * of the ACM 53(3), 2006, for chains that are split when they are used. */
#ifndef DFI_CONTAINERS_MAP_H
#define DFI_CONTAINERS_MAP_H

#include "../base/compiler.h"
#include "../base/hash.h"
#include "../api/containers.h"
#include "cell.h"
#include "../../df_stm.h"

enum { DFI_MAP_FIRST_BITS = 4, DFI_MAP_FIRST = 1 << DFI_MAP_FIRST_BITS, /* chains of a new table */
       DFI_MAP_LINE = 8,  /* chains in a line of the cache */
       DFI_MAP_LONG = 3,  /* an insertion that passes so many elements, one in 25 in a full table, looks at a sample */
       DFI_MAP_SAMPLE = 16, DFI_MAP_FULL = 12 }; /* of so many chains; elements in them that show a full table */

/* The table: never changed, but replaced. Behind it the addresses of its segments: of the first 16 chains, the next 16,
 * then 32, 64, ...; these are shared with the tables that replace it. */
struct dfi_map_table { size_t n, segments; };
DFI_INLINE struct dfi_cell ***dfi_map_segment(const struct dfi_map_table *t)
{
    return (struct dfi_cell ***)(uintptr_t)(t + 1);
}

/* The end of a chain. A chain that is not split yet begins with NULL. */
#define DFI_MAP_END ((struct dfi_cell *)(uintptr_t)1)

DFI_INLINE struct dfi_cell **dfi_map_chain(const struct dfi_map_table *t, size_t i)
{
    unsigned bit;
    if (i < DFI_MAP_FIRST) return &dfi_map_segment(t)[0][i];
    bit = dfi_high_bit(i);
    return &dfi_map_segment(t)[bit - DFI_MAP_FIRST_BITS + 1][i - ((size_t)1 << bit)];
}

/* The chain that has the elements of chain i until it is split. pre: it is not of the first segment */
DFI_INLINE size_t dfi_map_parent(size_t i) { return i - ((size_t)1 << dfi_high_bit(i)); }

DFI_INLINE struct dfi_map_table *dfi_map_table_of(const struct dfi_map *m) { return df_tm_read(&m->table); }

/* --- search ---------------------------------------------------------------------------------------- */

struct dfi_map_found { struct dfi_cell **link, *x; size_t passed; }; /* x: NULL if it is not there */

DFI_INLINE struct dfi_map_found dfi_map_find(const struct dfi_container *c, const struct dfi_map_table *t,
                                             const void *key, uint64_t hash)
{
    struct dfi_map_found f = { NULL, NULL, 0 };
    size_t i = (size_t)hash & (t->n - 1);
    struct dfi_cell *x;
    while (!(x = dfi_link_read(f.link = dfi_map_chain(t, i)))) i = dfi_map_parent(i);
    for (; x != DFI_MAP_END; x = dfi_link_read(f.link = &x->next), f.passed++)
        if (dfi_key_equal(c, dfi_cell_key(c, x), key)) {
            f.x = x;
            break;
        }
    return f;
}

static DFI_NOINLINE int dfi_map_find_value(const struct dfi_container *c, const struct dfi_map *m, const void *key,
                                           void *value)
{
    const struct dfi_map_table *t = dfi_map_table_of(m);
    struct dfi_cell *x = t ? dfi_map_find(c, t, key, dfi_key_hash(c, key)).x : NULL;
    if (x && value) dfi_value_read(c, x, value);
    return x != NULL;
}

/* --- growth ---------------------------------------------------------------------------------------- */

/* Moves the elements of chain i into it, from the chain that has them. */
static DFI_NOINLINE void dfi_map_split(const struct dfi_container *c, const struct dfi_map_table *t, size_t i)
{
    const size_t mask = ((size_t)2 << dfi_high_bit(i)) - 1;
    struct dfi_cell **from = dfi_map_chain(t, dfi_map_parent(i)), **to = dfi_map_chain(t, i), *x;
    int moved = 0; /* x is not what *from leads to */
    if (!dfi_link_read(from)) dfi_map_split(c, t, dfi_map_parent(i));
    for (x = dfi_link_read(from); x != DFI_MAP_END; x = dfi_link_read(&x->next)) {
        const int goes = ((size_t)dfi_key_hash(c, dfi_cell_key(c, x)) & mask) == i;
        if (goes) dfi_link_write(to, x), to = &x->next;
        else {
            if (moved) dfi_link_write(from, x);
            from = &x->next;
        }
        moved = goes;
    }
    if (moved) dfi_link_write(from, DFI_MAP_END);
    dfi_link_write(to, DFI_MAP_END);
}

/* The same for all chains in the line of the cache with chain i: these would conflict anyway. */
static DFI_NOINLINE void dfi_map_split_line(const struct dfi_container *c, const struct dfi_map_table *t, size_t i)
{
    size_t end = (i | (DFI_MAP_LINE - 1)) + 1;
    for (i = end - DFI_MAP_LINE; i < end; i++)
        if (!dfi_link_read(dfi_map_chain(t, i))) dfi_map_split(c, t, i);
}

/* Gives the map at least n chains. Without memory nothing changes. */
static DFI_NOINLINE df_result dfi_map_enlarge(struct dfi_map *m, size_t n)
{
    struct dfi_map_table *old = dfi_map_table_of(m), *t;
    size_t k, known = old ? old->segments : 0, i;
    unsigned bits = DFI_MAP_FIRST_BITS;
    if (n > SIZE_MAX / 4 / sizeof(struct dfi_cell *)) return DF_ERROR_MEMORY;
    while ((size_t)1 << bits < n) bits++;
    if (old && (size_t)1 << bits <= old->n) return DF_OK;
    k = bits - DFI_MAP_FIRST_BITS + 1;
    t = (struct dfi_map_table *)df_tm_malloc(sizeof *t + k * sizeof *dfi_map_segment(t));
    if (!t) return DF_ERROR_MEMORY;
    t->n = (size_t)1 << bits, t->segments = k;
    if (old) memcpy(dfi_map_segment(t), dfi_map_segment(old), known * sizeof *dfi_map_segment(t));
    for (i = known; i < k; i++) {
        size_t chains = (size_t)DFI_MAP_FIRST << (i ? i - 1 : 0), j;
        dfi_map_segment(t)[i] = (struct dfi_cell **)df_tm_calloc(chains, sizeof **dfi_map_segment(t));
        if (!dfi_map_segment(t)[i]) {
            while (i-- > known) df_tm_free(dfi_map_segment(t)[i]);
            df_tm_free(t);
            return DF_ERROR_MEMORY;
        }
        for (j = 0; !old && j < chains; j++) dfi_map_segment(t)[i][j] = DFI_MAP_END;
    }
    df_tm_write(&m->table, t);
    df_tm_free(old);
    return DF_OK;
}

/* Doubles the table if it has three quarters as many elements as chains, as a sample shows, in which a long chain,
 * of equal hashes maybe, counts little. (A counter would be one more word to write for each insertion.) */
static DFI_NOINLINE void dfi_map_grow(struct dfi_map *m, const struct dfi_map_table *t)
{
    size_t i, elements = 0;
    for (i = 0; i < DFI_MAP_SAMPLE; i++) {
        struct dfi_cell *x = dfi_link_read(dfi_map_chain(t, t->n / DFI_MAP_SAMPLE * i));
        size_t most = elements + DFI_MAP_LONG;
        for (; x && x != DFI_MAP_END && elements < most; x = dfi_link_read(&x->next)) elements++;
    }
    if (elements >= DFI_MAP_FULL) (void)dfi_map_enlarge(m, 2 * t->n);
}

/* --- insertion and removal ---------------------------------------------------------------------------- */

/* Adds an element, whose key is not there. passed: the elements of its chain */
static void dfi_map_link(const struct dfi_container *c, struct dfi_map *m, struct dfi_cell *x, uint64_t hash,
                         size_t passed)
{
    const struct dfi_map_table *t = dfi_map_table_of(m);
    size_t i = (size_t)hash & (t->n - 1), late = i | t->n / 2;
    struct dfi_cell **chain = dfi_map_chain(t, i);
    if (t->n > DFI_MAP_FIRST && DFI_UNLIKELY(!dfi_link_read(dfi_map_chain(t, late)))) dfi_map_split_line(c, t, late);
    x->next = dfi_link_read(chain);
    dfi_link_write(chain, x);
    if (DFI_UNLIKELY(passed >= DFI_MAP_LONG)) dfi_map_grow(m, t);
}

static DFI_NOINLINE int dfi_map_insert(const struct dfi_container *c, struct dfi_map *m, const void *key,
                                       const void *value, int how)
{
    const struct dfi_map_table *t = dfi_map_table_of(m);
    const uint64_t hash = dfi_key_hash(c, key);
    struct dfi_map_found f = { NULL, NULL, 0 };
    if (DFI_UNLIKELY(!t) && dfi_map_enlarge(m, DFI_MAP_FIRST) != DF_OK) return DF_ERROR_MEMORY;
    if (DFI_LIKELY(t != NULL)) f = dfi_map_find(c, t, key, hash);
    if (f.x) {
        if (how == DFI_MAP_REPLACE) dfi_value_write(c, f.x, value);
        return 0;
    }
    f.x = dfi_cell_new(c, key, value);
    if (!f.x) return DF_ERROR_MEMORY;
    dfi_map_link(c, m, f.x, hash, f.passed);
    return 1;
}

static DFI_NOINLINE df_result dfi_map_insert_all(const struct dfi_container *c, struct dfi_map *m, const void *keys,
                                                 const void *values, size_t n)
{
    struct dfi_cell *all, *x;
    if (dfi_map_enlarge(m, DFI_MAP_FIRST) != DF_OK || !dfi_cells_new(c, keys, values, n, &all)) return DF_ERROR_MEMORY;
    while ((x = all) != NULL) {
        const void *key = dfi_cell_key(c, x);
        const uint64_t hash = dfi_key_hash(c, key);
        const struct dfi_map_found f = dfi_map_find(c, dfi_map_table_of(m), key, hash);
        all = x->next;
        if (!f.x) dfi_map_link(c, m, x, hash, f.passed);
        else dfi_cell_replace(c, f.x, x);
    }
    return DF_OK;
}

static DFI_NOINLINE int dfi_map_unlink(const struct dfi_container *c, struct dfi_map *m, const void *key, void *old)
{
    const struct dfi_map_table *t = dfi_map_table_of(m);
    struct dfi_map_found f;
    if (!t) return 0;
    f = dfi_map_find(c, t, key, dfi_key_hash(c, key));
    if (!f.x) return 0;
    if (old) dfi_value_read(c, f.x, old);
    dfi_link_write(f.link, dfi_link_read(&f.x->next));
    df_tm_free(f.x);
    return 1;
}

/* --- all elements ------------------------------------------------------------------------------------- */

/* The next element, or NULL. It may be freed before the next call. */
static struct dfi_cell *dfi_map_step(const struct dfi_map_table *t, struct dfi_cursor *at)
{
    struct dfi_cell *x = at->next;
    while ((!x || x == DFI_MAP_END) && at->chain < t->n) x = dfi_link_read(dfi_map_chain(t, at->chain++));
    if (x == DFI_MAP_END) x = NULL;
    at->next = x ? dfi_link_read(&x->next) : NULL;
    return x;
}

static DFI_NOINLINE size_t dfi_map_number(const struct dfi_map *m, size_t most)
{
    const struct dfi_map_table *t = dfi_map_table_of(m);
    struct dfi_cursor at = { NULL, 0 };
    size_t n = 0;
    while (t && n < most && dfi_map_step(t, &at)) n++;
    return n;
}

static DFI_NOINLINE struct dfi_map_table *dfi_map_take(struct dfi_map *m)
{
    struct dfi_map_table *t = dfi_map_table_of(m);
    if (t) df_tm_write(&m->table, NULL);
    return t;
}

/* Frees a table that no map has any more. In a block: at its end. */
static void dfi_map_free(struct dfi_map_table *t)
{
    struct dfi_cursor at = { NULL, 0 };
    struct dfi_cell *x;
    size_t i;
    while ((x = dfi_map_step(t, &at)) != NULL) df_tm_free(x);
    for (i = 0; i < t->segments; i++) df_tm_free(dfi_map_segment(t)[i]);
    df_tm_free(t);
}

/* --- functions of df_containers.h ---------------------------------------------------------------------- */

DFI_EXTERN_C_BEGIN
DFI_API int dfi_map_get(const struct dfi_container *c, const struct dfi_map *m, const void *key, void *value)
{
    DFI_CONTAINER_RETURN(c, int, dfi_map_find_value(c, m, key, value));
}

DFI_API int dfi_map_put(const struct dfi_container *c, struct dfi_map *m, const void *key, const void *value, int how)
{
    DFI_CONTAINER_RETURN(c, int, dfi_map_insert(c, m, key, value, how));
}

DFI_API df_result dfi_map_put_all(const struct dfi_container *c, struct dfi_map *m, const void *keys,
                                  const void *values, size_t n)
{
    DFI_CONTAINER_RETURN(c, df_result, dfi_map_insert_all(c, m, keys, values, n));
}

DFI_API int dfi_map_remove(const struct dfi_container *c, struct dfi_map *m, const void *key, void *old)
{
    DFI_CONTAINER_RETURN(c, int, dfi_map_unlink(c, m, key, old));
}

DFI_API int dfi_map_next(const struct dfi_container *c, const struct dfi_map *m, struct dfi_cursor *cursor,
                         void *key, void *value)
{
    const struct dfi_map_table *t = dfi_map_table_of(m);
    struct dfi_cell *x = t ? dfi_map_step(t, cursor) : NULL;
    if (!x) return 0;
    if (key) memcpy(key, dfi_cell_key(c, x), c->key_bytes);
    if (value) dfi_value_read(c, x, value);
    return 1;
}

DFI_API size_t dfi_map_count(const struct dfi_container *c, const struct dfi_map *m, size_t most)
{
    DFI_CONTAINER_RETURN(c, size_t, dfi_map_number(m, most));
}

DFI_API df_result dfi_map_reserve(const struct dfi_container *c, struct dfi_map *m, size_t n)
{
    DFI_CONTAINER_RETURN(c, df_result, dfi_map_enlarge(m, n));
}

DFI_API void dfi_map_clear(const struct dfi_container *c, struct dfi_map *m)
{
    struct dfi_map_table *volatile t = NULL;
    DFI_CONTAINER_BLOCK(c, c->kind & ~DFI_TM_UNWAITED, t = dfi_map_take(m));
    if (t) dfi_map_free(t); /* outside of all blocks nobody else can reach it */
}
DFI_EXTERN_C_END

#endif
