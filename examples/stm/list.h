/* A set of numbers as a sorted linked list: the simplest structure that several threads change at once.
 *
 * All accesses to memory that threads share are df_tm_read and df_tm_write, and df_tm_free frees memory that a block
 * has unlinked, when no other block can be reading it. So each function may be called in a block, of which it is then a
 * part, and also outside, while there is one thread. A new node belongs to its block alone until it is linked in: it is
 * filled like any other memory.
 *
 * Include df_stm.h before this file, or define df_tm_read, df_tm_write, df_tm_malloc and df_tm_free as
 * something else with the same meaning (bench/stm_lock.c). */
#ifndef STM_LIST_H
#define STM_LIST_H

#include <limits.h>
#include <stddef.h>

typedef struct list_node {
    long key;
    struct list_node *next;
} list_node;
typedef struct { list_node *first; } list;        /* all zero: empty */

/* The link to the first node with this key or a larger one, or to the end. */
static inline list_node **list_find(list *l, long key)
{
    list_node **link = &l->first, *n;
    while ((n = df_tm_read(link)) != NULL && df_tm_read(&n->key) < key)
        link = &n->next;
    return link;
}

static inline int list_contains(list *l, long key)
{
    list_node *n = df_tm_read(list_find(l, key));
    return n && df_tm_read(&n->key) == key;
}

/* 0: it was there already, or there is no memory. */
static inline int list_insert(list *l, long key)
{
    list_node **link = list_find(l, key), *next = df_tm_read(link), *n;
    if (next && df_tm_read(&next->key) == key)
        return 0;
    n = (list_node *)df_tm_malloc(sizeof *n);
    if (!n)
        return 0;
    n->key = key;
    n->next = next;
    df_tm_write(link, n);
    return 1;
}

/* 0: it was not there. */
static inline int list_remove(list *l, long key)
{
    list_node **link = list_find(l, key), *n = df_tm_read(link);
    if (!n || df_tm_read(&n->key) != key)
        return 0;
    df_tm_write(link, df_tm_read(&n->next));
    df_tm_free(n);
    return 1;
}

/* The number of elements; -1: they are not in order. */
static inline long list_check(list *l)
{
    long elements = 0, last = LONG_MIN;
    for (list_node *n = df_tm_read(&l->first); n; n = df_tm_read(&n->next), elements++) {
        long key = df_tm_read(&n->key);
        if (elements && key <= last)
            return -1;
        last = key;
    }
    return elements;
}

/* Removes all elements. */
static inline void list_clear(list *l)
{
    list_node *n = df_tm_read(&l->first), *next;
    df_tm_write(&l->first, NULL);
    for (; n; n = next) {
        next = df_tm_read(&n->next);
        df_tm_free(n);
    }
}
#endif
