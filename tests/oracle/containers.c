/* containers.c - df_containers.h for the oracle: a list of elements in no order */
#include <stdlib.h>
#include <string.h>
#include "oracle.h"
#include "df_containers.h"

char DFI_CONTAINERS_NEED[1];
#define BLOCK(c) DFI_TM_BLOCK((c)->site, (c)->kind)

static int equal(const struct dfi_container *c, const void *a, const void *b)
{
    return c->compare ? c->compare(a, b) : !memcmp(a, b, c->key_bytes);
}
static char *key_in(const struct dfi_container *c, struct dfi_cell *x) { return (char *)x + c->key_at; }
static char *value_in(const struct dfi_container *c, struct dfi_cell *x) { return (char *)x + c->value_at; }

/* The link to the element with this key, or to the end. */
static struct dfi_cell **find(const struct dfi_container *c, struct dfi_cell **link, const void *key)
{
    struct dfi_cell *x;
    while ((x = df_tm_read(link)) != NULL && !equal(c, key_in(c, x), key)) link = &x->next;
    return link;
}
static struct dfi_cell *new_cell(const struct dfi_container *c, const void *key, const void *value)
{
    struct dfi_cell *x = df_tm_malloc(c->bytes);
    if (!x) abort();
    memcpy(key_in(c, x), key, c->key_bytes);
    if (value) memcpy(value_in(c, x), value, c->value_bytes);
    return x;
}
static void clear(struct dfi_cell **link)
{
    struct dfi_cell *x = df_tm_read(link), *next;
    df_tm_write(link, NULL);
    for (; x; x = next) next = df_tm_read(&x->next), df_tm_free(x);
}
static size_t number(struct dfi_cell *const *link, size_t most)
{
    struct dfi_cell *x;
    size_t n = 0;
    for (x = df_tm_read(link); x && n < most; x = df_tm_read(&x->next)) n++;
    return n;
}

/* --- hash maps and hash sets ---------------------------------------------------------------------------- */

/* The table is the first element. */
static struct dfi_cell **all(const struct dfi_map *m) { return (struct dfi_cell **)(uintptr_t)&m->table; }

int dfi_map_get(const struct dfi_container *c, const struct dfi_map *m, const void *key, void *value)
{
    struct dfi_cell *volatile x = NULL;
    BLOCK(c) {
        x = df_tm_read(find(c, all(m), key));
        if (x && value) df_tm_read_bytes(value, value_in(c, x), c->value_bytes);
    }
    return x != NULL;
}
int dfi_map_put(const struct dfi_container *c, struct dfi_map *m, const void *key, const void *value, int how)
{
    volatile int added = 0;
    BLOCK(c) {
        struct dfi_cell **link = find(c, all(m), key), *x = df_tm_read(link);
        if (!x) df_tm_write(&(x = new_cell(c, key, value))->next, NULL), df_tm_write(link, x), added = 1;
        else if (how == DFI_MAP_REPLACE) df_tm_write_bytes(value_in(c, x), value, c->value_bytes);
    }
    return added;
}
df_result dfi_map_put_all(const struct dfi_container *c, struct dfi_map *m, const void *keys, const void *values,
                          size_t n)
{
    BLOCK(c) {
        for (size_t i = 0; i < n; i++)
            dfi_map_put(c, m, (const char *)keys + i * c->key_bytes,
                        values ? (const char *)values + i * c->value_bytes : NULL,
                        values ? DFI_MAP_REPLACE : DFI_MAP_KEEP);
    }
    return DF_OK;
}
int dfi_map_remove(const struct dfi_container *c, struct dfi_map *m, const void *key, void *old)
{
    volatile int found = 0;
    BLOCK(c) {
        struct dfi_cell **link = find(c, all(m), key), *x = df_tm_read(link);
        found = x != NULL;
        if (x && old) df_tm_read_bytes(old, value_in(c, x), c->value_bytes);
        if (x) df_tm_write(link, df_tm_read(&x->next)), df_tm_free(x);
    }
    return found;
}
int dfi_map_next(const struct dfi_container *c, const struct dfi_map *m, struct dfi_cursor *at, void *key,
                 void *value)
{
    struct dfi_cell *x = at->chain ? at->next : df_tm_read(all(m));
    at->next = x ? df_tm_read(&x->next) : NULL, at->chain = 1;
    if (x && key) memcpy(key, key_in(c, x), c->key_bytes);
    if (x && value) df_tm_read_bytes(value, value_in(c, x), c->value_bytes);
    return x != NULL;
}
size_t dfi_map_count(const struct dfi_container *c, const struct dfi_map *m, size_t most)
{
    volatile size_t n = 0;
    BLOCK(c) n = number(all(m), most);
    return n;
}
df_result dfi_map_reserve(const struct dfi_container *c, struct dfi_map *m, size_t n)
{
    return (void)c, (void)m, (void)n, DF_OK;
}
void dfi_map_clear(const struct dfi_container *c, struct dfi_map *m)
{
    BLOCK(c) clear(all(m));
}

/* --- sorted maps, heaps and queues: the list is in order ------------------------------------------------- */

static struct dfi_cell **list(const struct dfi_sorted *s) { return (struct dfi_cell **)(uintptr_t)&s->root; }

/* The link to the first element that is not before the key; behind: that comes after it. */
static struct dfi_cell **find_place(const struct dfi_container *c, struct dfi_cell **link, const void *key, int behind)
{
    struct dfi_cell *x;
    while ((x = df_tm_read(link)) != NULL &&
           (behind ? !c->compare(key, key_in(c, x)) : c->compare(key_in(c, x), key))) link = &x->next;
    return link;
}
static struct dfi_cell **find_equal(const struct dfi_container *c, const struct dfi_sorted *s, const void *key)
{
    struct dfi_cell **link = find_place(c, list(s), key, 0), *x = df_tm_read(link);
    return x && !c->compare(key, key_in(c, x)) ? link : NULL;
}
static void insert(const struct dfi_container *c, struct dfi_cell **link, const void *key, const void *value)
{
    struct dfi_cell *x = new_cell(c, key, value);
    df_tm_write(&x->next, df_tm_read(link));
    df_tm_write(link, x);
}
static int copy(const struct dfi_container *c, struct dfi_cell *x, void *key, void *value)
{
    if (x && key) memcpy(key, key_in(c, x), c->key_bytes);
    if (x && value) df_tm_read_bytes(value, value_in(c, x), c->value_bytes);
    return x != NULL;
}
static int take_first(const struct dfi_container *c, struct dfi_cell **link, void *item)
{
    struct dfi_cell *x = df_tm_read(link);
    if (!copy(c, x, item, NULL)) return 0;
    df_tm_write(link, df_tm_read(&x->next));
    df_tm_free(x);
    return 1;
}

int dfi_sorted_get(const struct dfi_container *c, const struct dfi_sorted *s, const void *key, void *value)
{
    volatile int found = 0;
    BLOCK(c) {
        struct dfi_cell **link = find_equal(c, s, key);
        found = link && copy(c, df_tm_read(link), NULL, value);
    }
    return found;
}
int dfi_sorted_put(const struct dfi_container *c, struct dfi_sorted *s, const void *key, const void *value, int how)
{
    volatile int added = 0;
    BLOCK(c) {
        struct dfi_cell **link = find_equal(c, s, key);
        if (!link) insert(c, find_place(c, list(s), key, 0), key, value), added = 1;
        else if (how == DFI_MAP_REPLACE) df_tm_write_bytes(value_in(c, df_tm_read(link)), value, c->value_bytes);
    }
    return added;
}
df_result dfi_sorted_put_all(const struct dfi_container *c, struct dfi_sorted *s, const void *keys, const void *values,
                             size_t n)
{
    BLOCK(c) {
        for (size_t i = 0; i < n; i++)
            dfi_sorted_put(c, s, (const char *)keys + i * c->key_bytes, (const char *)values + i * c->value_bytes,
                           DFI_MAP_REPLACE);
    }
    return DF_OK;
}
int dfi_sorted_remove(const struct dfi_container *c, struct dfi_sorted *s, const void *key, void *old)
{
    volatile int found = 0;
    BLOCK(c) {
        struct dfi_cell **link = find_equal(c, s, key), *x = link ? df_tm_read(link) : NULL;
        found = copy(c, x, NULL, old);
        if (x) df_tm_write(link, df_tm_read(&x->next)), df_tm_free(x);
    }
    return found;
}
int dfi_sorted_end(const struct dfi_container *c, const struct dfi_sorted *s, int last, void *key, void *value)
{
    volatile int found = 0;
    BLOCK(c) {
        struct dfi_cell *x = df_tm_read(list(s)), *next;
        while (x && last && (next = df_tm_read(&x->next)) != NULL) x = next;
        found = copy(c, x, key, c->value_bytes ? value : NULL);
    }
    return found;
}
int dfi_sorted_next(const struct dfi_container *c, const struct dfi_sorted *s, struct dfi_cursor *at, void *key,
                    void *value)
{
    struct dfi_cell *x = at->chain ? at->next : df_tm_read(list(s));
    at->next = x ? df_tm_read(&x->next) : NULL, at->chain = 1;
    return copy(c, x, key, value);
}
void dfi_sorted_seek(const struct dfi_container *c, const struct dfi_sorted *s, struct dfi_cursor *at,
                     const void *key)
{
    at->next = df_tm_read(find_place(c, list(s), key, 0)), at->chain = 1;
}
size_t dfi_sorted_count(const struct dfi_container *c, const struct dfi_sorted *s, size_t most)
{
    volatile size_t n = 0;
    BLOCK(c) n = number(list(s), most);
    return n;
}
void dfi_sorted_clear(const struct dfi_container *c, struct dfi_sorted *s)
{
    BLOCK(c) clear(list(s));
}
df_result dfi_heap_push(const struct dfi_container *c, struct dfi_sorted *s, const void *item)
{
    BLOCK(c) insert(c, find_place(c, list(s), item, 1), item, NULL);
    return DF_OK;
}
int dfi_heap_pop(const struct dfi_container *c, struct dfi_sorted *s, void *item, int waits)
{
    volatile int found = 0;
    BLOCK(c) {
        found = take_first(c, list(s), item);
        if (!found && waits) dfi_tm_retry(c->site);
    }
    return found;
}
df_result dfi_fifo_push(const struct dfi_container *c, struct dfi_fifo *q, const void *item)
{
    BLOCK(c) {
        struct dfi_cell **link = &q->first, *x;
        while ((x = df_tm_read(link)) != NULL) link = &x->next;
        insert(c, link, item, NULL);
    }
    return DF_OK;
}
int dfi_fifo_pop(const struct dfi_container *c, struct dfi_fifo *q, void *item, int waits)
{
    volatile int found = 0;
    BLOCK(c) {
        found = take_first(c, &q->first, item);
        if (!found && waits) dfi_tm_retry(c->site);
    }
    return found;
}
size_t dfi_fifo_count(const struct dfi_container *c, const struct dfi_fifo *q)
{
    volatile size_t n = 0;
    BLOCK(c) n = number(&q->first, SIZE_MAX);
    return n;
}
int dfi_fifo_empty(const struct dfi_container *c, const struct dfi_fifo *q) { return !dfi_fifo_count(c, q); }
void dfi_fifo_clear(const struct dfi_container *c, struct dfi_fifo *q)
{
    BLOCK(c) clear(&q->first);
}
