/* containers.h - records of df_containers.h, and the typed functions that its declarations make */
#ifndef DFI_API_CONTAINERS_H
#define DFI_API_CONTAINERS_H

#include "../base/compiler.h"
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
/* The cell to return next; if it is NULL or the end of a chain, that of the next chain. */
struct dfi_map_cursor { struct dfi_cell *next; size_t chain; };
enum { DFI_MAP_REPLACE, DFI_MAP_KEEP }; /* the value of a key that is there */

DFI_EXTERN_C_BEGIN
DFI_API int dfi_map_get(const struct dfi_container *c, const struct dfi_map *m, const void *key, void *v);
/* Returns 1: added; 0: the key was there; DF_ERROR_MEMORY. */
DFI_API int dfi_map_put(const struct dfi_container *c, struct dfi_map *m, const void *key, const void *v, int how);
DFI_API df_result dfi_map_put_all(const struct dfi_container *c, struct dfi_map *m, const void *keys,
                                  const void *values, size_t n);
DFI_API int dfi_map_remove(const struct dfi_container *c, struct dfi_map *m, const void *key, void *old);
DFI_API int dfi_map_next(const struct dfi_container *c, const struct dfi_map *m, struct dfi_map_cursor *cursor,
                         void *key, void *v);
DFI_API size_t dfi_map_count(const struct dfi_container *c, const struct dfi_map *m, size_t most);
DFI_API df_result dfi_map_reserve(const struct dfi_container *c, struct dfi_map *m, size_t n);
DFI_API void dfi_map_clear(const struct dfi_container *c, struct dfi_map *m);
DFI_EXTERN_C_END

/* --- parts of declarations -------------------------------------------------------------------------- */

#if defined(__cplusplus)
#define DFI_COPIED(T) \
    DFI_STATIC_ASSERT(__is_trivially_copyable(T), \
                      "df_containers.h: elements are copied as bytes, so their types must be trivially copyable")
#else
#define DFI_COPIED(T) DFI_STATIC_ASSERT(sizeof(T) > 0, "df_containers.h: elements are objects")
#endif

#define DFI_CELL(name, K, values)                                                                              \
    typedef K name##_dfi_key;                                                                                  \
    struct name##_dfi_cell { struct dfi_cell dfi_c; name##_dfi_key dfi_k; values };

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

/* --- hash maps and hash sets ------------------------------------------------------------------------ */

#define DFI_MAP_BOTH(name)                                                                                     \
    typedef struct name { struct dfi_map dfi_m; } name;                                                        \
    typedef struct dfi_map_cursor name##_cursor;                                                               \
    DFI_UNUSED static inline int name##_has(const name *dfi_x, name##_dfi_key dfi_k)                           \
    {                                                                                                          \
        return dfi_map_get(&name##_dfi_type, &dfi_x->dfi_m, &dfi_k, NULL);                                     \
    }                                                                                                          \
    DFI_UNUSED static inline size_t name##_count(const name *dfi_x)                                            \
    {                                                                                                          \
        return dfi_map_count(&name##_dfi_type, &dfi_x->dfi_m, SIZE_MAX);                                       \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_empty(const name *dfi_x)                                               \
    {                                                                                                          \
        return !dfi_map_count(&name##_dfi_type, &dfi_x->dfi_m, 1);                                             \
    }                                                                                                          \
    DFI_UNUSED static inline df_result name##_reserve(name *dfi_x, size_t dfi_n)                               \
    {                                                                                                          \
        return dfi_map_reserve(&name##_dfi_type, &dfi_x->dfi_m, dfi_n);                                        \
    }                                                                                                          \
    DFI_UNUSED static inline void name##_clear(name *dfi_x) { dfi_map_clear(&name##_dfi_type, &dfi_x->dfi_m); }

#define DFI_MAP(name, K, V, hash, equal)     DFI_MAP_CELL(name, K, V) DFI_MAP_OF(name, hash, equal)
#define DFI_MAP_BY(name, K, V, hash, equal)                                                                    \
    DFI_MAP_CELL(name, K, V) DFI_HASHED(name, hash) DFI_COMPARE(name, equal)                                   \
    DFI_MAP_OF(name, name##_dfi_hash, name##_dfi_compare)
#define DFI_MAP_CELL(name, K, V)                                                                               \
    typedef V name##_dfi_value;                                                                                \
    DFI_CELL(name, K, name##_dfi_value dfi_v;)
#define DFI_MAP_OF(name, hash, equal)                                                                          \
    DFI_CONTAINER(name, offsetof(struct name##_dfi_cell, dfi_v), sizeof(name##_dfi_value), hash, equal)        \
    DFI_COPIED(name##_dfi_value);                                                                              \
    DFI_MAP_BOTH(name)                                                                                         \
    DFI_UNUSED static inline int name##_get(const name *dfi_x, name##_dfi_key dfi_k, name##_dfi_value *dfi_v)  \
    {                                                                                                          \
        name##_dfi_value dfi_got; /* an attempt that is rolled back may have filled it */                      \
        if (!dfi_map_get(&name##_dfi_type, &dfi_x->dfi_m, &dfi_k, &dfi_got)) return 0;                         \
        *dfi_v = dfi_got;                                                                                      \
        return 1;                                                                                              \
    }                                                                                                          \
    DFI_UNUSED static inline df_result name##_put(name *dfi_x, name##_dfi_key dfi_k, name##_dfi_value dfi_v)   \
    {                                                                                                          \
        return dfi_map_put(&name##_dfi_type, &dfi_x->dfi_m, &dfi_k, &dfi_v, DFI_MAP_REPLACE) < 0               \
            ? DF_ERROR_MEMORY : DF_OK;                                                                         \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_add(name *dfi_x, name##_dfi_key dfi_k, name##_dfi_value dfi_v)         \
    {                                                                                                          \
        return dfi_map_put(&name##_dfi_type, &dfi_x->dfi_m, &dfi_k, &dfi_v, DFI_MAP_KEEP);                     \
    }                                                                                                          \
    DFI_UNUSED static inline df_result name##_put_all(name *dfi_x, const name##_dfi_key *dfi_k,                \
                                                      const name##_dfi_value *dfi_v, size_t dfi_n)             \
    {                                                                                                          \
        return dfi_map_put_all(&name##_dfi_type, &dfi_x->dfi_m, dfi_k, dfi_v, dfi_n);                          \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_remove(name *dfi_x, name##_dfi_key dfi_k, name##_dfi_value *dfi_old)   \
    {                                                                                                          \
        name##_dfi_value dfi_got;                                                                              \
        if (!dfi_old) return dfi_map_remove(&name##_dfi_type, &dfi_x->dfi_m, &dfi_k, NULL);                    \
        if (!dfi_map_remove(&name##_dfi_type, &dfi_x->dfi_m, &dfi_k, &dfi_got)) return 0;                      \
        *dfi_old = dfi_got;                                                                                    \
        return 1;                                                                                              \
    }                                                                                                          \
    DFI_UNUSED static inline int name##_next(const name *dfi_x, name##_cursor *dfi_at, name##_dfi_key *dfi_k,  \
                                             name##_dfi_value *dfi_v)                                          \
    {                                                                                                          \
        return dfi_map_next(&name##_dfi_type, &dfi_x->dfi_m, dfi_at, dfi_k, dfi_v);                            \
    }                                                                                                          \
    DFI_COPIED(name##_dfi_key)

#define DFI_SET(name, K, hash, equal)        DFI_CELL(name, K, ) DFI_SET_OF(name, hash, equal)
#define DFI_SET_BY(name, K, hash, equal)                                                                       \
    DFI_CELL(name, K, ) DFI_HASHED(name, hash) DFI_COMPARE(name, equal)                                        \
    DFI_SET_OF(name, name##_dfi_hash, name##_dfi_compare)
#define DFI_SET_OF(name, hash, equal)                                                                          \
    DFI_CONTAINER(name, 0, 0, hash, equal)                                                                     \
    DFI_MAP_BOTH(name)                                                                                         \
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

#endif
