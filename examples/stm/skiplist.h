/* A set of numbers as a skip list: a list, and above it lists of ever fewer elements, shortcuts of a search.
 *
 * The height of a node, random in the original, is computed from its key: a random generator would be one
 * more thing that threads share. Each function may be called in a block, or while there is one thread; see
 * list.h.
 * Source: Pugh, "Skip lists: a probabilistic alternative to balanced trees", Communications of the ACM 33(6),
 * 1990. */
#ifndef STM_SKIPLIST_H
#define STM_SKIPLIST_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

enum { SKIP_HEIGHT = 12 };                        /* at most: one node in 4 is higher, so enough for 4^12 */

typedef struct skip_node {
    long key, height;
    struct skip_node *next[];                     /* `height` links */
} skip_node;
typedef struct { skip_node *first[SKIP_HEIGHT]; } skiplist; /* all zero: empty */

/* 1 for three of 4 keys, 2 for three of 16, and so on. */
static inline int skip_height(long key)
{
    uint64_t x = ((uint64_t)key + 1) * UINT64_C(0x9e3779b97f4a7c15);
    int height = 1;
    for (x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 32; height < SKIP_HEIGHT && x % 4 == 0; x /= 4)
        height++;
    return height;
}

/* Returns the first node with this key or a larger one, and in link[i] the last link of level i before it. */
static inline skip_node *skip_find(skiplist *s, long key, skip_node **link[SKIP_HEIGHT])
{
    skip_node **links = s->first, *n = NULL;
    for (int i = SKIP_HEIGHT - 1; i >= 0; i--) {
        while ((n = df_tm_read(&links[i])) != NULL && df_tm_read(&n->key) < key)
            links = n->next;
        link[i] = &links[i];
    }
    return n;
}

static inline int skiplist_contains(skiplist *s, long key)
{
    skip_node **link[SKIP_HEIGHT], *n = skip_find(s, key, link);
    return n && df_tm_read(&n->key) == key;
}

/* 0: it was there already, or there is no memory. */
static inline int skiplist_insert(skiplist *s, long key)
{
    skip_node **link[SKIP_HEIGHT], *n = skip_find(s, key, link);
    int height = skip_height(key);
    if (n && df_tm_read(&n->key) == key)
        return 0;
    n = (skip_node *)df_tm_malloc(sizeof *n + (size_t)height * sizeof n->next[0]);
    if (!n)
        return 0;
    n->key = key;
    n->height = height;
    for (int i = 0; i < height; i++) {
        n->next[i] = df_tm_read(link[i]);
        df_tm_write(link[i], n);
    }
    return 1;
}

/* 0: it was not there. */
static inline int skiplist_remove(skiplist *s, long key)
{
    skip_node **link[SKIP_HEIGHT], *n = skip_find(s, key, link);
    if (!n || df_tm_read(&n->key) != key)
        return 0;
    for (int i = 0; i < df_tm_read(&n->height); i++)
        df_tm_write(link[i], df_tm_read(&n->next[i]));
    df_tm_free(n);
    return 1;
}

/* The number of elements; -1: a level is not in order, or lacks a node that is high enough. */
static inline long skiplist_check(skiplist *s)
{
    long elements[SKIP_HEIGHT + 1] = { 0 }, higher[SKIP_HEIGHT + 1] = { 0 };
    for (int i = 0; i < SKIP_HEIGHT; i++) {
        long last = LONG_MIN;
        for (skip_node *n = df_tm_read(&s->first[i]); n; n = df_tm_read(&n->next[i])) {
            long key = df_tm_read(&n->key), height = df_tm_read(&n->height);
            if ((elements[i] && key <= last) || height <= i)
                return -1;
            last = key;
            elements[i]++;
            for (long h = 1; i == 0 && h < height; h++)
                higher[h]++;
        }
        if (i && elements[i] != higher[i])
            return -1;
    }
    return elements[0];
}

/* Removes all elements. */
static inline void skiplist_clear(skiplist *s)
{
    skip_node *n = df_tm_read(&s->first[0]), *next;
    for (int i = 0; i < SKIP_HEIGHT; i++)
        df_tm_write(&s->first[i], NULL);
    for (; n; n = next) {
        next = df_tm_read(&n->next[0]);
        df_tm_free(n);
    }
}
#endif
