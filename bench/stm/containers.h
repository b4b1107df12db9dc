/* The sets "hash" and "tree" of stm.h with df_containers.h: a hash set and a sorted map. Each function is a block. */
#ifndef STM_CONTAINERS_H
#define STM_CONTAINERS_H
#include "../../df_containers.h"

#define KEY_BEFORE(a, b) ((a) < (b))
DF_TM_SET(hashed, long);
DF_TM_SORTED_MAP(sorted, long, char, KEY_BEFORE);
static hashed the_hash;
static sorted the_tree;

static int hash_begin(size_t elements) { return hashed_reserve(&the_hash, elements) == DF_OK; }
static int hash_put(long key) { return hashed_add(&the_hash, key); }
static int hash_take(long key) { return hashed_remove(&the_hash, key); }
static int hash_has(long key) { return hashed_has(&the_hash, key); }
static long hash_count(void) { return (long)hashed_count(&the_hash); }
static void hash_end(void) { hashed_clear(&the_hash); }

static int tree_put(long key) { return sorted_add(&the_tree, key, 0); }
static int tree_take(long key) { return sorted_remove(&the_tree, key, NULL); }
static int tree_has(long key) { return sorted_has(&the_tree, key); }
static long tree_count(void)
{
    sorted_cursor at = { 0, 0 };
    long key, last = -1, n = 0;
    while (sorted_next(&the_tree, &at, &key, NULL)) {
        if (key <= last) return -1;
        last = key, n++;
    }
    return n;
}
static void tree_end(void) { sorted_clear(&the_tree); }
#endif
