/* cell.h - elements of containers: their keys, values and links */
#ifndef DFI_CONTAINERS_CELL_H
#define DFI_CONTAINERS_CELL_H

#include "../base/compiler.h"
#include "../api/containers.h"
#include "../api/stm_access.h"
#include "../../df_stm.h"

/* The block of a container's function: a transaction, or a part of the one around it. It calls another function,
 * because in one with a checkpoint nothing stays in registers. (DF_ATOMIC would need C99.) */
#define DFI_CONTAINER_BLOCK(c, kind, statement)                                                                 \
    do {                                                                                                        \
        struct dfi_tm_block dfi_b DFI_TM_AT_END;                                                                \
        struct dfi_tm_block *const dfi_p =                                                                      \
            DFI_TM_ENTER(&dfi_b, (c)->site, (kind) | DFI_TM_CALLED, dfi_tm_jump, DFI_TM_FRAME_END);             \
        if (dfi_p->open && ((void)DFI_CHECKPOINT(dfi_p->jump), dfi_tm_go(dfi_p))) {                             \
            if (!dfi_p->alternative) { statement; }                                                             \
            dfi_tm_end(dfi_p);                                                                                  \
        }                                                                                                       \
    } while (0)

/* The body of a function that is one such block, and returns the result of the statement, of type T. */
#define DFI_CONTAINER_RETURN(c, T, call)                                                                        \
    do {                                                                                                        \
        volatile T dfi_result = (T)0;                                                                           \
        DFI_CONTAINER_BLOCK(c, (c)->kind, dfi_result = call);                                                   \
        return dfi_result;                                                                                      \
    } while (0)

DFI_INLINE struct dfi_cell *dfi_link_read(struct dfi_cell *const *link) { return df_tm_read(link); }
DFI_INLINE void dfi_link_write(struct dfi_cell **link, struct dfi_cell *to) { df_tm_write(link, to); }

/* --- values: memory that threads share ------------------------------------------------------------- */

DFI_INLINE void *dfi_cell_value(const struct dfi_container *c, struct dfi_cell *x) { return (char *)x + c->value_at; }

/* A value of a word is read and written in line. */
DFI_INLINE void dfi_value_read(const struct dfi_container *c, struct dfi_cell *x, void *to)
{
    if (DFI_LIKELY(c->value_bytes == sizeof(uintptr_t))) {
        uintptr_t bits = df_tm_read((const uintptr_t *)dfi_cell_value(c, x));
        memcpy(to, &bits, sizeof bits);
    } else df_tm_read_bytes(to, dfi_cell_value(c, x), c->value_bytes);
}

DFI_INLINE void dfi_value_write(const struct dfi_container *c, struct dfi_cell *x, const void *from)
{
    uintptr_t bits;
    if (DFI_LIKELY(c->value_bytes == sizeof bits)) {
        memcpy(&bits, from, sizeof bits);
        df_tm_write((uintptr_t *)dfi_cell_value(c, x), bits);
    } else df_tm_write_bytes(dfi_cell_value(c, x), from, c->value_bytes);
}

/* --- keys: memory that does not change while it is shared ------------------------------------------- */

DFI_INLINE const void *dfi_cell_key(const struct dfi_container *c, const struct dfi_cell *x)
{
    return (const char *)x + c->key_at;
}

DFI_INLINE int dfi_key_equal(const struct dfi_container *c, const void *a, const void *b)
{
    uint64_t x, y;
    if (c->compare) return c->compare(a, b);
    if (c->key_bytes != sizeof x) return !memcmp(a, b, c->key_bytes);
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x == y;
}

/* The low bits of the result depend on all bits of h. Consecutive numbers, also of other distances, get results that
 * are far apart, and further than random ones (Fibonacci hashing: Knuth, "The Art of Computer Programming", 6.4). */
DFI_INLINE uint64_t dfi_hash_mix(uint64_t h)
{
    h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return h >> 32 | h << 32;
}

DFI_INLINE uint64_t dfi_key_hash(const struct dfi_container *c, const void *key)
{
    uint64_t h = 0, x;
    size_t i, n;
    if (c->hash) return dfi_hash_mix(c->hash(key));
    if (c->key_bytes == sizeof x) {
        memcpy(&x, key, sizeof x);
        return dfi_hash_mix(x);
    }
    for (i = 0; i < c->key_bytes; i += n) {
        n = c->key_bytes - i < sizeof x ? c->key_bytes - i : sizeof x;
        x = 0;
        memcpy(&x, (const char *)key + i, n);
        h = dfi_hash_mix(h ^ x);
    }
    return h;
}

/* --- elements -------------------------------------------------------------------------------------- */

/* A new element, which is this block's alone; value: NULL if the container has none. NULL: no memory. */
static struct dfi_cell *dfi_cell_new(const struct dfi_container *c, const void *key, const void *value)
{
    struct dfi_cell *x = (struct dfi_cell *)df_tm_malloc(c->bytes);
    if (!x) return NULL;
    memcpy((char *)x + c->key_at, key, c->key_bytes);
    if (value) memcpy(dfi_cell_value(c, x), value, c->value_bytes);
    return x;
}

/* Frees a list of elements that no other thread can reach. In a block: at its end. */
static void dfi_cells_free(struct dfi_cell *all)
{
    struct dfi_cell *x;
    while ((x = all) != NULL) {
        all = dfi_link_read(&x->next);
        df_tm_free(x);
    }
}

/* New elements for an array, linked in its order. 0: no memory, and there are none */
static int dfi_cells_new(const struct dfi_container *c, const void *keys, const void *values, size_t n,
                         struct dfi_cell **all)
{
    *all = NULL;
    while (n-- > 0) {
        const void *value = values ? (const char *)values + n * c->value_bytes : NULL;
        struct dfi_cell *x = dfi_cell_new(c, (const char *)keys + n * c->key_bytes, value);
        if (!x) {
            dfi_cells_free(*all);
            return 0;
        }
        x->next = *all;
        *all = x;
    }
    return 1;
}

/* An element gets the value of a new one, which is freed. */
static void dfi_cell_replace(const struct dfi_container *c, struct dfi_cell *x, struct dfi_cell *by)
{
    if (c->value_bytes) dfi_value_write(c, x, dfi_cell_value(c, by));
    df_tm_free(by);
}

#endif
