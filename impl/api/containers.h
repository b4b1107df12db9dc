/* containers.h - records of df_containers.h, and the typed functions that its declarations make */
#ifndef DFI_API_CONTAINERS_H
#define DFI_API_CONTAINERS_H

#include "../base/compiler.h"
#include "may_block.h"
#include "result.h"

#if defined(DF_SERIAL)
#define DFI_CONTAINERS_NEED DFI_OF_VERSION( \
    df_containers_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_containers_h__and_DF_SERIAL_in_all)
#else
#define DFI_CONTAINERS_NEED DFI_OF_VERSION( \
    df_containers_h__define_DF_IMPLEMENTATION_in_one_C_file_before_including_df_containers_h)
#endif
DFI_EXTERN_C_BEGIN
extern DFI_STRONG char DFI_CONTAINERS_NEED[1];
DFI_EXTERN_C_END
#if DFI_GNU
static char *const dfi_containers_need __attribute__((used, unused)) = DFI_CONTAINERS_NEED;
#endif

/* One per declaration. */
struct dfi_container {
    const char *site;                  /* of the declaration: that of its blocks */
    int kind;                          /* of its blocks: DFI_TM_CLOSED, DFI_TM_UNWAITED */
    size_t bytes;                      /* of a cell with its key and value */
    size_t key_at, key_bytes, value_at, value_bytes; /* in a cell */
    uint64_t (*hash)(const void *key); /* NULL: of the bytes of the key */
    int (*compare)(const void *a, const void *b); /* equal, or less; NULL: equal if the bytes are */
};

/* An element; key and value follow. The key does not change while other threads can reach the cell, so plain accesses
 * read it. */
struct dfi_cell { struct dfi_cell *next; };

struct dfi_map_table;
struct dfi_map { struct dfi_map_table *table; }; /* NULL: empty */
/* Of a map: the cell to return next; if it is NULL or the end of a chain, that of the next chain. Of a sorted map: the
 * cell to return next, if the iteration has begun: chain is 1. */
struct dfi_cursor { struct dfi_cell *next; size_t chain; };

/* An element of a sorted map or heap, which are trees; cell.next: its parent */
struct dfi_node { struct dfi_cell cell; struct dfi_cell *child[2]; size_t red; };
struct dfi_sorted { struct dfi_cell *root; }; /* NULL: empty */

/* The counters since the beginning. apart: the ends are in different lines of the cache */
struct dfi_fifo {
    struct dfi_cell *first;
    size_t popped;
    char apart[64 - 2 * sizeof(size_t)];
    struct dfi_cell *last;
    size_t pushed;
};

enum { DFI_MAP_REPLACE, DFI_MAP_KEEP }; /* the value of a key that is there */

DFI_EXTERN_C_BEGIN
DFI_API int dfi_map_get(const struct dfi_container *c, const struct dfi_map *m, const void *key, void *v);
/* Returns 1: added; 0: the key was there; DF_ERROR_MEMORY. */
DFI_API int dfi_map_put(const struct dfi_container *c, struct dfi_map *m, const void *key, const void *v, int how);
DFI_API df_result dfi_map_put_all(const struct dfi_container *c, struct dfi_map *m, const void *keys,
                                  const void *values, size_t n);
DFI_API int dfi_map_remove(const struct dfi_container *c, struct dfi_map *m, const void *key, void *old);
DFI_API int dfi_map_next(const struct dfi_container *c, const struct dfi_map *m, struct dfi_cursor *cursor, void *key,
                         void *v);
DFI_API size_t dfi_map_count(const struct dfi_container *c, const struct dfi_map *m, size_t most);
DFI_API df_result dfi_map_reserve(const struct dfi_container *c, struct dfi_map *m, size_t n);
DFI_API void dfi_map_clear(const struct dfi_container *c, struct dfi_map *m);

DFI_API int dfi_sorted_get(const struct dfi_container *c, const struct dfi_sorted *s, const void *key, void *v);
DFI_API int dfi_sorted_put(const struct dfi_container *c, struct dfi_sorted *s, const void *key, const void *v,
                           int how);
DFI_API df_result dfi_sorted_put_all(const struct dfi_container *c, struct dfi_sorted *s, const void *keys,
                                     const void *values, size_t n);
DFI_API int dfi_sorted_remove(const struct dfi_container *c, struct dfi_sorted *s, const void *key, void *old);
DFI_API int dfi_sorted_end(const struct dfi_container *c, const struct dfi_sorted *s, int last, void *key, void *v);
DFI_API int dfi_sorted_next(const struct dfi_container *c, const struct dfi_sorted *s, struct dfi_cursor *cursor,
                            void *key, void *v);
DFI_API void dfi_sorted_seek(const struct dfi_container *c, const struct dfi_sorted *s, struct dfi_cursor *cursor,
                             const void *key);
DFI_API size_t dfi_sorted_count(const struct dfi_container *c, const struct dfi_sorted *s, size_t most);
DFI_API void dfi_sorted_clear(const struct dfi_container *c, struct dfi_sorted *s);

DFI_API df_result dfi_heap_push(const struct dfi_container *c, struct dfi_sorted *s, const void *item);
DFI_API int dfi_heap_pop(const struct dfi_container *c, struct dfi_sorted *s, void *item, int waits);

DFI_API df_result dfi_fifo_push(const struct dfi_container *c, struct dfi_fifo *q, const void *item);
DFI_API int dfi_fifo_pop(const struct dfi_container *c, struct dfi_fifo *q, void *item, int waits);
DFI_API size_t dfi_fifo_count(const struct dfi_container *c, const struct dfi_fifo *q);
DFI_API int dfi_fifo_empty(const struct dfi_container *c, const struct dfi_fifo *q);
DFI_API void dfi_fifo_clear(const struct dfi_container *c, struct dfi_fifo *q);
DFI_EXTERN_C_END

/* --- parts of declarations -------------------------------------------------------------------------- */

#if defined(__cplusplus)
#define DFI_COPIED(T) \
    DFI_STATIC_ASSERT(__is_trivially_copyable(T), \
                      "df_containers.h: elements are copied as bytes, so their types must be trivially copyable")
#else
#define DFI_COPIED(T) DFI_STATIC_ASSERT(sizeof(T) > 0, "df_containers.h: elements are objects")
#endif

/* head: struct dfi_cell or struct dfi_node */
#define DFI_CELL(name, head, K, values)                                                                        \
    typedef K name##_dfi_key;                                                                                  \
    struct name##_dfi_cell { head dfi_c; name##_dfi_key dfi_k; values };

#define DFI_CONTAINER(name, value_at, value_bytes, hash, compare)                                              \
    DFI_UNUSED static const struct dfi_container name##_dfi_type = {                                           \
        DFI_SITE, DFI_TM_KIND, sizeof(struct name##_dfi_cell), offsetof(struct name##_dfi_cell, dfi_k),        \
        sizeof(name##_dfi_key), value_at, value_bytes, hash, compare };

/* A function of two keys of the user, which may be a macro, for cells. */
#define DFI_COMPARE(name, fn)                                                                                  \
    DFI_UNUSED static int name##_dfi_compare(const void *dfi_a, const void *dfi_b)                             \
    {                                                                                                          \
        return fn(*(const name##_dfi_key *)dfi_a, *(const name##_dfi_key *)dfi_b) ? 1 : 0;                     \
    }
#define DFI_HASHED(name, fn)                                                                                   \
    DFI_UNUSED static uint64_t name##_dfi_hash(const void *dfi_k)                                              \
    {                                                                                                          \
        return (uint64_t)fn(*(const name##_dfi_key *)dfi_k);                                                   \
    }

/* --- functions of maps and sets; kind: map, sorted -------------------------------------------------- */

#define DFI_KEYS_OF(name, kind)                                                                                \
    typedef struct name { struct dfi_##kind dfi_m; } name;                                                     \
    typedef struct dfi_cursor name##_cursor;                                                                   \
    DFI_UNUSED static inline int name##_has(const name *dfi_x, name##_dfi_key dfi_k)                           \
    {                                                                                                          \
        return dfi_##kind##_get(&name##_dfi_type, &dfi_x->dfi_m, &dfi_k, NULL);                                \
    }                                                                                                          \
    DFI_UNUSED static inline size_t name##_count(const name *dfi_x)                                            \
    {                                                                                                          \
        return dfi_##kind##_count(&name##_dfi_type, &dfi_x->dfi_m, SIZE_MAX);                                  \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_empty(const name *dfi_x)                                               \
    {                                                                                                          \
        return !dfi_##kind##_count(&name##_dfi_type, &dfi_x->dfi_m, 1);                                        \
    }                                                                                                          \
    DFI_UNUSED static inline void name##_clear(name *dfi_x)                                                    \
    {                                                                                                          \
        dfi_##kind##_clear(&name##_dfi_type, &dfi_x->dfi_m);                                                   \
    }

#define DFI_VALUES_OF(name, kind)                                                                              \
    DFI_UNUSED static inline int name##_get(const name *dfi_x, name##_dfi_key dfi_k, name##_dfi_value *dfi_v)  \
    {                                                                                                          \
        name##_dfi_value dfi_got; /* an attempt that is rolled back may have filled it */                      \
        if (!dfi_##kind##_get(&name##_dfi_type, &dfi_x->dfi_m, &dfi_k, &dfi_got)) return 0;                    \
        *dfi_v = dfi_got;                                                                                      \
        return 1;                                                                                              \
    }                                                                                                          \
    DFI_UNUSED static inline df_result name##_put(name *dfi_x, name##_dfi_key dfi_k, name##_dfi_value dfi_v)   \
    {                                                                                                          \
        return dfi_##kind##_put(&name##_dfi_type, &dfi_x->dfi_m, &dfi_k, &dfi_v, DFI_MAP_REPLACE) < 0          \
            ? DF_ERROR_MEMORY : DF_OK;                                                                         \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_add(name *dfi_x, name##_dfi_key dfi_k, name##_dfi_value dfi_v)         \
    {                                                                                                          \
        return dfi_##kind##_put(&name##_dfi_type, &dfi_x->dfi_m, &dfi_k, &dfi_v, DFI_MAP_KEEP);                \
    }                                                                                                          \
    DFI_UNUSED static inline df_result name##_put_all(name *dfi_x, const name##_dfi_key *dfi_k,                \
                                                      const name##_dfi_value *dfi_v, size_t dfi_n)             \
    {                                                                                                          \
        return dfi_##kind##_put_all(&name##_dfi_type, &dfi_x->dfi_m, dfi_k, dfi_v, dfi_n);                     \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_remove(name *dfi_x, name##_dfi_key dfi_k, name##_dfi_value *dfi_old)   \
    {                                                                                                          \
        name##_dfi_value dfi_got;                                                                              \
        if (!dfi_old) return dfi_##kind##_remove(&name##_dfi_type, &dfi_x->dfi_m, &dfi_k, NULL);               \
        if (!dfi_##kind##_remove(&name##_dfi_type, &dfi_x->dfi_m, &dfi_k, &dfi_got)) return 0;                 \
        *dfi_old = dfi_got;                                                                                    \
        return 1;                                                                                              \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_next(const name *dfi_x, name##_cursor *dfi_at, name##_dfi_key *dfi_k,  \
                                             name##_dfi_value *dfi_v)                                          \
    {                                                                                                          \
        return dfi_##kind##_next(&name##_dfi_type, &dfi_x->dfi_m, dfi_at, dfi_k, dfi_v);                       \
    }

/* --- hash maps and hash sets ------------------------------------------------------------------------ */

#define DFI_MAP(name, K, V, hash, equal)     DFI_MAP_CELL(name, struct dfi_cell, K, V) DFI_MAP_OF(name, hash, equal)
#define DFI_MAP_BY(name, K, V, hash, equal)                                                                    \
    DFI_MAP_CELL(name, struct dfi_cell, K, V) DFI_HASHED(name, hash) DFI_COMPARE(name, equal)                  \
    DFI_MAP_OF(name, name##_dfi_hash, name##_dfi_compare)
#define DFI_MAP_CELL(name, head, K, V)                                                                         \
    typedef V name##_dfi_value;                                                                                \
    DFI_CELL(name, head, K, name##_dfi_value dfi_v;)
#define DFI_MAP_OF(name, hash, equal)                                                                          \
    DFI_CONTAINER(name, offsetof(struct name##_dfi_cell, dfi_v), sizeof(name##_dfi_value), hash, equal)        \
    DFI_COPIED(name##_dfi_value);                                                                              \
    DFI_KEYS_OF(name, map)                                                                                     \
    DFI_VALUES_OF(name, map)                                                                                   \
    DFI_UNUSED static inline df_result name##_reserve(name *dfi_x, size_t dfi_n)                               \
    {                                                                                                          \
        return dfi_map_reserve(&name##_dfi_type, &dfi_x->dfi_m, dfi_n);                                        \
    }                                                                                                          \
    DFI_COPIED(name##_dfi_key)

#define DFI_SET(name, K, hash, equal)        DFI_CELL(name, struct dfi_cell, K, ) DFI_SET_OF(name, hash, equal)
#define DFI_SET_BY(name, K, hash, equal)                                                                       \
    DFI_CELL(name, struct dfi_cell, K, ) DFI_HASHED(name, hash) DFI_COMPARE(name, equal)                       \
    DFI_SET_OF(name, name##_dfi_hash, name##_dfi_compare)
#define DFI_SET_OF(name, hash, equal)                                                                          \
    DFI_CONTAINER(name, 0, 0, hash, equal)                                                                     \
    DFI_KEYS_OF(name, map)                                                                                     \
    DFI_UNUSED static inline df_result name##_reserve(name *dfi_x, size_t dfi_n)                               \
    {                                                                                                          \
        return dfi_map_reserve(&name##_dfi_type, &dfi_x->dfi_m, dfi_n);                                        \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_add(name *dfi_x, name##_dfi_key dfi_k)                                 \
    {                                                                                                          \
        return dfi_map_put(&name##_dfi_type, &dfi_x->dfi_m, &dfi_k, NULL, DFI_MAP_KEEP);                       \
    }                                                                                                          \
    DFI_UNUSED static inline df_result name##_add_all(name *dfi_x, const name##_dfi_key *dfi_k, size_t dfi_n)  \
    {                                                                                                          \
        return dfi_map_put_all(&name##_dfi_type, &dfi_x->dfi_m, dfi_k, NULL, dfi_n);                           \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_remove(name *dfi_x, name##_dfi_key dfi_k)                              \
    {                                                                                                          \
        return dfi_map_remove(&name##_dfi_type, &dfi_x->dfi_m, &dfi_k, NULL);                                  \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_next(const name *dfi_x, name##_cursor *dfi_at, name##_dfi_key *dfi_k)  \
    {                                                                                                          \
        return dfi_map_next(&name##_dfi_type, &dfi_x->dfi_m, dfi_at, dfi_k, NULL);                             \
    }                                                                                                          \
    DFI_COPIED(name##_dfi_key)

/* --- sorted maps, heaps, queues --------------------------------------------------------------------- */

#define DFI_SORTED_MAP(name, K, V, less)                                                                       \
    DFI_MAP_CELL(name, struct dfi_node, K, V) DFI_COMPARE(name, less)                                          \
    DFI_CONTAINER(name, offsetof(struct name##_dfi_cell, dfi_v), sizeof(name##_dfi_value), NULL,               \
                  name##_dfi_compare)                                                                          \
    DFI_COPIED(name##_dfi_value);                                                                              \
    DFI_KEYS_OF(name, sorted)                                                                                  \
    DFI_VALUES_OF(name, sorted)                                                                                \
    DFI_UNUSED static inline int name##_dfi_end(const name *dfi_x, int dfi_last, name##_dfi_key *dfi_k,        \
                                                name##_dfi_value *dfi_v)                                       \
    {                                                                                                          \
        name##_dfi_key dfi_key;                                                                                \
        name##_dfi_value dfi_value;                                                                            \
        if (!dfi_sorted_end(&name##_dfi_type, &dfi_x->dfi_m, dfi_last, &dfi_key, &dfi_value)) return 0;        \
        if (dfi_k) *dfi_k = dfi_key;                                                                           \
        if (dfi_v) *dfi_v = dfi_value;                                                                         \
        return 1;                                                                                              \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_first(const name *dfi_x, name##_dfi_key *dfi_k,                        \
                                            name##_dfi_value *dfi_v)                                           \
    {                                                                                                          \
        return name##_dfi_end(dfi_x, 0, dfi_k, dfi_v);                                                         \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_last(const name *dfi_x, name##_dfi_key *dfi_k,                         \
                                           name##_dfi_value *dfi_v)                                            \
    {                                                                                                          \
        return name##_dfi_end(dfi_x, 1, dfi_k, dfi_v);                                                         \
    }                                                                                                          \
    DFI_UNUSED static inline void name##_seek(const name *dfi_x, name##_cursor *dfi_at, name##_dfi_key dfi_k)  \
    {                                                                                                          \
        dfi_sorted_seek(&name##_dfi_type, &dfi_x->dfi_m, dfi_at, &dfi_k);                                      \
    }                                                                                                          \
    DFI_COPIED(name##_dfi_key)

/* Functions of queues and heaps; kind: of the functions, of: of the record. */
#define DFI_ITEMS_OF(name, kind, of)                                                                           \
    typedef struct name { struct dfi_##of dfi_q; } name;                                                       \
    DFI_UNUSED static inline df_result name##_push(name *dfi_x, name##_dfi_key dfi_k)                          \
    {                                                                                                          \
        return dfi_##kind##_push(&name##_dfi_type, &dfi_x->dfi_q, &dfi_k);                                     \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_pop(name *dfi_x, name##_dfi_key *dfi_k)                                \
    {                                                                                                          \
        name##_dfi_key dfi_got;                                                                                \
        if (!dfi_##kind##_pop(&name##_dfi_type, &dfi_x->dfi_q, &dfi_got, 0)) return 0;                         \
        *dfi_k = dfi_got;                                                                                      \
        return 1;                                                                                              \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_take(name *dfi_x, name##_dfi_key *dfi_k)                               \
    {                                                                                                          \
        name##_dfi_key dfi_got;                                                                                \
        if (!DFI_MAY_BLOCK(dfi_##kind##_pop(&name##_dfi_type, &dfi_x->dfi_q, &dfi_got, 1))) return 0;          \
        *dfi_k = dfi_got;                                                                                      \
        return 1;                                                                                              \
    }                                                                                                          \
    DFI_UNUSED static inline void name##_clear(name *dfi_x)                                                    \
    {                                                                                                          \
        dfi_##of##_clear(&name##_dfi_type, &dfi_x->dfi_q);                                                     \
    }

#define DFI_QUEUE(name, T)                                                                                     \
    DFI_CELL(name, struct dfi_cell, T, )                                                                       \
    DFI_CONTAINER(name, 0, 0, NULL, NULL)                                                                      \
    DFI_ITEMS_OF(name, fifo, fifo)                                                                             \
    DFI_UNUSED static inline size_t name##_count(const name *dfi_x)                                            \
    {                                                                                                          \
        return dfi_fifo_count(&name##_dfi_type, &dfi_x->dfi_q);                                                \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_empty(const name *dfi_x)                                               \
    {                                                                                                          \
        return dfi_fifo_empty(&name##_dfi_type, &dfi_x->dfi_q);                                                \
    }                                                                                                          \
    DFI_COPIED(name##_dfi_key)

#define DFI_HEAP(name, T, less)                                                                                \
    DFI_CELL(name, struct dfi_node, T, ) DFI_COMPARE(name, less)                                               \
    DFI_CONTAINER(name, 0, 0, NULL, name##_dfi_compare)                                                        \
    DFI_ITEMS_OF(name, heap, sorted)                                                                           \
    DFI_UNUSED static inline int name##_top(const name *dfi_x, name##_dfi_key *dfi_k)                          \
    {                                                                                                          \
        name##_dfi_key dfi_got;                                                                                \
        if (!dfi_sorted_end(&name##_dfi_type, &dfi_x->dfi_q, 0, &dfi_got, NULL)) return 0;                     \
        *dfi_k = dfi_got;                                                                                      \
        return 1;                                                                                              \
    }                                                                                                          \
    DFI_UNUSED static inline size_t name##_count(const name *dfi_x)                                            \
    {                                                                                                          \
        return dfi_sorted_count(&name##_dfi_type, &dfi_x->dfi_q, SIZE_MAX);                                    \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_empty(const name *dfi_x)                                               \
    {                                                                                                          \
        return !dfi_sorted_count(&name##_dfi_type, &dfi_x->dfi_q, 1);                                          \
    }                                                                                                          \
    DFI_COPIED(name##_dfi_key)

#endif
