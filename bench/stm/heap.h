/* A binary heap of pointers with a bounded room: the one with the least key comes first. As for the structures of
 * examples/stm, each function may be called in a block, or while there is one thread. */
#ifndef STM_HEAP_H
#define STM_HEAP_H

typedef struct { void *of; long key; } heap_item;
typedef struct {
    long items, room;
    heap_item *item;
} heap;

static inline void heap_set(heap *h, long i, void *of, long key)
{
    df_tm_write(&h->item[i].of, of);
    df_tm_write(&h->item[i].key, key);
}

/* 0: it is full. */
static inline int heap_put(heap *h, void *of, long key)
{
    long i = df_tm_read(&h->items), up, k;
    if (i == h->room) return 0;
    df_tm_write(&h->items, i + 1);
    for (; i > 0 && (k = df_tm_read(&h->item[up = (i - 1) / 2].key)) > key; i = up)
        heap_set(h, i, df_tm_read(&h->item[up].of), k);
    heap_set(h, i, of, key);
    return 1;
}

/* NULL: it is empty. */
static inline void *heap_take(heap *h)
{
    const long n = df_tm_read(&h->items) - 1;
    long i = 0, key, k, other;
    void *first;
    if (n < 0) return NULL;
    df_tm_write(&h->items, n);
    first = df_tm_read(&h->item[0].of);
    key = df_tm_read(&h->item[n].key);
    for (long down; (down = 2 * i + 1) < n; i = down) {
        k = df_tm_read(&h->item[down].key);
        if (down + 1 < n && (other = df_tm_read(&h->item[down + 1].key)) < k) k = other, down++;
        if (k >= key) break;
        heap_set(h, i, df_tm_read(&h->item[down].of), k);
    }
    heap_set(h, i, df_tm_read(&h->item[n].of), key);
    return first;
}
#endif
