/* A set of numbers as a hash table with chains: operations rarely meet, as each touches one chain.
 *
 * A chain is the list of list.h; see there for where the functions may be called. */
#ifndef STM_HASH_H
#define STM_HASH_H

#include "list.h"

#include <stdint.h>
#include <stdlib.h>

typedef struct {
    size_t chains;                                /* a power of 2, as long as the table lives */
    list *chain;
} hash;

static inline list *hash_chain(hash *h, long key)
{
    uint64_t x = (uint64_t)key * UINT64_C(0x9e3779b97f4a7c15);
    return &h->chain[(x >> 32) & (h->chains - 1)];
}

/* An empty table. 0: no memory. */
static inline int hash_init(hash *h, size_t chains)
{
    h->chains = chains;
    h->chain = (list *)calloc(chains, sizeof *h->chain);
    return h->chain != NULL;
}

static inline int hash_contains(hash *h, long key) { return list_contains(hash_chain(h, key), key); }
static inline int hash_insert(hash *h, long key) { return list_insert(hash_chain(h, key), key); }
static inline int hash_remove(hash *h, long key) { return list_remove(hash_chain(h, key), key); }

/* The number of elements; -1: a chain is not in order. */
static inline long hash_check(hash *h)
{
    long elements = 0;
    for (size_t i = 0; i < h->chains; i++) {
        long n = list_check(&h->chain[i]);
        if (n < 0)
            return -1;
        elements += n;
    }
    return elements;
}

/* Removes all elements, and the table. */
static inline void hash_clear(hash *h)
{
    for (size_t i = 0; i < h->chains; i++)
        list_clear(&h->chain[i]);
    free(h->chain);
    h->chain = NULL;
}
#endif
