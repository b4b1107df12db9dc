/* df_containers.h - transactional containers: maps, sets, queues and heaps that threads change at once
 *
 * One of the headers of df; includes df_stm.h, and works in threads of any kind.
 *
 * Do this
 *
 *   In one C file:
 *       #define DF_IMPLEMENTATION
 *       #include "df_containers.h"
 *   and link with -pthread (nothing on glibc 2.34 and later). The other files just include it.
 *
 * A complete program: two threads count words, and the total is kept in the same transaction
 *
 *       #define DF_IMPLEMENTATION
 *       #include "df_containers.h"
 *       #include <pthread.h>
 *       #include <stdio.h>
 *
 *       DF_TM_MAP(counts, int, long);                type counts, functions counts_get, counts_put, ...
 *       static counts seen;                          all zero: empty
 *       static long total;
 *
 *       static void *count(void *arg)
 *       {
 *           for (int i = 0; i < 1000; i++)
 *               DF_ATOMIC {
 *                   long n = 0;
 *                   counts_get(&seen, i % 10, &n);
 *                   counts_put(&seen, i % 10, n + 1);
 *                   df_tm_write(&total, df_tm_read(&total) + 1);
 *               }
 *           return arg;
 *       }
 *
 *       int main(void)
 *       {
 *           pthread_t t[2];
 *           long n = 0;
 *           for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, count, NULL);
 *           for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
 *           counts_get(&seen, 7, &n);
 *           printf("%ld of %ld\n", n, total);        prints 200 of 2000
 *           counts_clear(&seen);
 *       }
 *
 * Guarantees
 *
 *   - Each function is a transaction. In an atomic block of df_stm.h it is a part of that: changes of several
 *     containers, and of other memory, become visible together, or are rolled back together.
 *   - Elements are copied in and out: no pointer into a container exists, so none can become invalid.
 *   - Without memory a container is as before, and the function says so.
 *
 * Limitations: keys and values are copied as bytes. A container is used through its functions only, and not moved or
 * copied while it has elements. A container that blocks of some threads change is not used outside of transactions,
 * as any other memory; so outside of blocks a container is not iterated while other threads change it.
 *
 * OPTIONS
 *     Those of df_stm.h. DF_STM_PRIVATE and DF_STM_CLOSED of the file with the declaration hold for the transactions of
 *     its functions; df_stm_sites names these after the line of the declaration.
 *
 * SECTIONS  search for >>maps  >>sorted  >>queues  >>implementation  >>licence */
#include "df_stm.h"

#ifndef DF_CONTAINERS_H
#define DF_CONTAINERS_H

/* Errors in a call are then shown at the user's line only. Not for clang: it would hide them. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(DF_DEVELOP)
#pragma GCC system_header
#endif
DFI_BEGIN
#include "impl/api/containers.h"

/* -------------------------------------------------------------------------------------- >>maps
 * Hash maps and hash sets
 *
 *   DF_TM_MAP(NAME, K, V);           declares the type NAME, a map from keys of type K to values of type V, and the
 *             functions below. At file scope, in as many files as use the map. Keys are equal if their bytes are:
 *             numbers, pointers, and structures without padding. (0.0 and -0.0 are different.)
 *   DF_TM_MAP_BY(NAME, K, V, hash, equal);   the same with functions or macros of yours, which look at nothing but the
 *             keys, and what they point to if it never changes: uint64_t hash(K), any number, and int equal(K, K).
 *             Equal keys have equal hashes.
 *   DF_TM_SET(NAME, K);              declares the type NAME, a set of keys, with the functions marked (*)
 *   DF_TM_SET_BY(NAME, K, hash, equal);   the same for other keys
 *
 *     NAME is a name of your choice; for a map m of type NAME:
 *
 *         int NAME_get(&m, key, &value)          1: value is that of the key; 0: the key is not there, value unchanged
 *     (*) int NAME_has(&m, key)                  1: the key is there
 *         df_result NAME_put(&m, key, value)     the key has this value now; DF_ERROR_MEMORY: nothing changed
 *         int NAME_add(&m, key, value)           1: added; 0: the key was there, nothing changed; DF_ERROR_MEMORY
 *     (*) int NAME_add(&s, key)                  the same for a set
 *         int NAME_remove(&m, key, &old)         1: removed, and old, if not NULL, was its value; 0: it was not there
 *     (*) int NAME_remove(&s, key)               the same for a set
 *         df_result NAME_put_all(&m, keys, values, n)   n keys, which may repeat: all of them, or DF_ERROR_MEMORY
 *     (*) df_result NAME_add_all(&s, keys, n)    the same for a set
 *     (*) size_t NAME_count(&m)                  the number of elements
 *     (*) int NAME_empty(&m)                     1: there are none
 *     (*) df_result NAME_reserve(&m, n)          makes the table large enough for n elements
 *     (*) void NAME_clear(&m)                    removes all elements and frees all memory
 *
 *         NAME_cursor at = { 0, 0 };             iteration, in a block, or while no other thread changes the map:
 *         while (NAME_next(&m, &at, &key, &value)) { }
 *     (*) while (NAME_next(&s, &at, &key)) { }   the same for a set
 *
 *     key and value of NAME_next may be NULL. The order is arbitrary. During an iteration, the element that was
 *     returned last may be removed, and values may be changed. In a block other changes are possible, too: an element
 *     may then be returned twice, or not at all, or although it was removed.
 *     A map that is all zero is empty: a static one, or = { 0 }.
 *     K and V are types without an array or a function in them outside of a structure; use a typedef for the others.
 *     Their alignment is at most that of malloc.
 *     Threads: any.
 *     Cost: an operation costs as much as a lookup in a chained hash table of df_stm.h: about 20 ns and 15 to 25 ns for
 *     the transaction; an insertion also a df_tm_malloc. In a block 10 ns for the transaction. Two operations
 *     conflict if one of them changes what the other one has read: mostly the same chain, of about one element.
 *     NAME_count and NAME_empty walk: about 2 ns a chain and element, and they conflict with every change. Keep a
 *     count of your own where that is too much.
 *     The table doubles when it is about three quarters full: this costs one insertion as much as clearing the new
 *     chains, 8 bytes each, and all operations of that moment run again once. The elements move later, chain by chain,
 *     in the insertions that come upon them; so no operation takes long and none waits. It does not shrink before
 *     NAME_clear.
 *   Errors: without memory a table stays as small as it is, and its chains get longer. */
#define DF_TM_MAP(NAME, K, V)                     DFI_QUIET DFI_MAP(NAME, K, V, NULL, NULL) DFI_LOUD_END
#define DF_TM_MAP_BY(NAME, K, V, hash, equal)     DFI_QUIET DFI_MAP_BY(NAME, K, V, hash, equal) DFI_LOUD_END
#define DF_TM_SET(NAME, K)                        DFI_QUIET DFI_SET(NAME, K, NULL, NULL) DFI_LOUD_END
#define DF_TM_SET_BY(NAME, K, hash, equal)        DFI_QUIET DFI_SET_BY(NAME, K, hash, equal) DFI_LOUD_END

/* ------------------------------------------------------------------------------------ >>sorted
 * Sorted maps
 *
 *   DF_TM_SORTED_MAP(NAME, K, V, less);   declares the type NAME, a map whose keys are in order.
 *             less: a function or macro of yours, int less(K a, K b): 1 if a comes before b, else 0. It looks at
 *             nothing but the keys, and what they point to if it never changes. Keys are equal if none comes before
 *             the other.
 *
 *     The functions of DF_TM_MAP, without NAME_reserve; NAME_next returns the elements in order. Besides, with a map m
 *     and a cursor `at`:
 *
 *         int NAME_first(&m, &key, &value)   1: the smallest key, and its value; 0: there is none
 *         int NAME_last(&m, &key, &value)    the same with the largest key
 *         void NAME_seek(&m, &at, key)       NAME_next(&m, &at, ..) returns the first element whose key is not smaller
 *
 *     key and value may be NULL. NAME_seek as NAME_next: in a block, or while no other thread changes the map.
 *     Threads: any.
 *     Cost: for n elements, about log2(n) reads of 2 ns and calls of less: a red-black tree. An insertion or removal
 *     writes a few words, which are seldom near the root, so two of them conflict seldom. NAME_count and
 *     NAME_clear walk. */
#define DF_TM_SORTED_MAP(NAME, K, V, less)        DFI_QUIET DFI_SORTED_MAP(NAME, K, V, less) DFI_LOUD_END

/* ------------------------------------------------------------------------------------ >>queues
 * Queues and heaps
 *
 *   DF_TM_QUEUE(NAME, T);            declares the type NAME, a queue of any length of elements of type T: first in,
 *             first out
 *   DF_TM_HEAP(NAME, T, less);       declares the type NAME, a priority queue: the element that comes before all others
 *             is the first, and of equal ones the oldest. less: as for DF_TM_SORTED_MAP
 *
 *     For a queue or heap q of type NAME:
 *
 *         df_result NAME_push(&q, x)         adds x; DF_ERROR_MEMORY: nothing changed
 *         int NAME_pop(&q, &x)               1: takes the first element; 0: there is none, x unchanged
 *         int NAME_take(&q, &x)              the same, but waits until there is one, by df_retry; 0: the wait was
 *                                            given up, see df_retry
 *         int NAME_top(&q, &x)               of a heap: as NAME_pop, but the element stays
 *         size_t NAME_count(&q)              the number of elements
 *         int NAME_empty(&q)                 1: there are none
 *         void NAME_clear(&q)                removes all elements
 *
 *     A queue that is all zero is empty: a static one, or = { 0 }.
 *     NAME_take in a block has the whole block wait, and its alternatives tried (DF_OR_ELSE).
 *     Threads: any.
 *     Cost: a push and a pop of a queue conflict if it has at most one element; two pushes always do, and two pops. A
 *     heap costs as much as a sorted map, and two pops conflict, and a push with a pop if it writes at the front.
 *     NAME_count of a heap walks, that of a queue reads two words. */
#define DF_TM_QUEUE(NAME, T)                      DFI_QUIET DFI_QUEUE(NAME, T) DFI_LOUD_END
#define DF_TM_HEAP(NAME, T, less)                 DFI_QUIET DFI_HEAP(NAME, T, less) DFI_LOUD_END

DFI_END
#endif /* DF_CONTAINERS_H */

/* ----------------------------------------------------------------------------- >>implementation */
#if defined(DF_IMPLEMENTATION) && !defined(DFI_CONTAINERS_IMPLEMENTED)
#define DFI_CONTAINERS_IMPLEMENTED
DFI_IMPL_BEGIN
#include "impl/containers/containers.h"
DFI_IMPL_END
#endif

/* ------------------------------------------------------------------------------------ >>licence
 * MIT licence
 *
 * Copyright (c) 2026 The df authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
 * associated documentation files (the "Software"), to deal in the Software without restriction,
 * including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense,
 * and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so,
 * subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or substantial
 * portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
 * LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN
 * NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
 * WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
 * SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
