/* log.h - the logs of a transaction: what it read, what it will write, what else it will do
 *
 * A bit for each word tells most of the time that there is no write to it. A few writes are searched one by one, more
 * are found by a hash table. Its last entries can be taken out again in the opposite order of their insertion without a
 * gap (linear probing: nobody came by their bucket since). */
#ifndef DFI_STM_LOG_H
#define DFI_STM_LOG_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#include "../api/stm_core.h"
#include "../api/stm_frame.h"
#include "events.h"
#include "state.h"

/* --- reads ---------------------------------------------------------------------------------------- */

static size_t dfi_tm_n_reads(const struct dfi_tm *t) { return (size_t)(t->read_end - t->reads); }

static int dfi_tm_grow_reads(struct dfi_tm *t)
{
    size_t n = dfi_tm_n_reads(t), max = (size_t)(t->read_max - t->reads);
    void *array = t->reads;
    if (dfi_tm_grow(t, &array, n, &max, sizeof *t->reads)) return -1;
    t->reads = (dfi_orec **)array;
    t->read_end = t->reads + n, t->read_max = t->reads + max;
    return 0;
}

/* The first read in the log that is not of a time up to t->time any more, or the number of reads. */
DFI_INLINE size_t dfi_tm_first_changed(struct dfi_tm *t)
{
    uintptr_t mine = DFI_TM_LOCKED | (uintptr_t)t >> 1;
    dfi_orec **r;
    for (r = t->reads; r < t->read_end; r++) {
        uintptr_t version = dfi_load_relaxed(*r);
        if (DFI_UNLIKELY(version > t->time) && version != mine) break;
    }
    return (size_t)(r - t->reads);
}

/* --- writes --------------------------------------------------------------------------------------- */

DFI_INLINE size_t dfi_tm_hash(const struct dfi_tm *t, const uintptr_t *at)
{
    /* the eight words of a line to eight buckets in a row, lines anywhere: multiplicative, upper half */
    uintptr_t x = (uintptr_t)at / DFI_TM_WORD;
    return ((size_t)((uint32_t)(x >> 3) * 0x9E3779B1u >> t->bucket_shift) << 3 | (x & 7)) & (t->n_buckets - 1);
}

/* Where the write to the word is, or would be. */
DFI_INLINE struct dfi_tm_bucket *dfi_tm_bucket_of(struct dfi_tm *t, const uintptr_t *at)
{
    size_t i = dfi_tm_hash(t, at);
    while (t->buckets[i].stamp == t->stamp && t->writes[t->buckets[i].entry].at != at) i = (i + 1) & (t->n_buckets - 1);
    return &t->buckets[i];
}

/* pre: its bit is in the filter. NULL: there is none all the same. */
static DFI_NOINLINE struct dfi_tm_write *dfi_tm_search(struct dfi_tm *t, const uintptr_t *at)
{
    struct dfi_tm_bucket *b;
    size_t i;
    if (t->indexed) {
        b = dfi_tm_bucket_of(t, at);
        return b->stamp == t->stamp ? &t->writes[b->entry] : NULL;
    }
    for (i = 0; i < t->n_writes; i++)
        if (t->writes[i].at == at) return &t->writes[i];
    return NULL;
}

DFI_INLINE struct dfi_tm_write *dfi_tm_find(struct dfi_tm *t, const uintptr_t *at)
{
    return DFI_UNLIKELY((t->filter >> dfi_tm_bit(at) & 1) != 0) ? dfi_tm_search(t, at) : NULL;
}

/* All writes are in the hash table from here on. */
static DFI_NOINLINE void dfi_tm_index(struct dfi_tm *t)
{
    size_t i;
    t->indexed = 1;
    for (i = 0; i < t->n_writes; i++) {
        struct dfi_tm_bucket *b = dfi_tm_bucket_of(t, t->writes[i].at);
        b->stamp = t->stamp, b->entry = (uint32_t)i;
    }
}

static DFI_NOINLINE int dfi_tm_grow_writes(struct dfi_tm *t)
{
    size_t max = t->max_writes, n_buckets = t->n_buckets * 2;
    struct dfi_tm_bucket *buckets;
    struct dfi_tm_lock *locks;
    void *array = t->writes;
    if (max > UINT32_MAX / 2 || n_buckets > SIZE_MAX / sizeof *buckets) return -1;
    buckets = (struct dfi_tm_bucket *)dfi_malloc(n_buckets * sizeof *buckets);
    locks = (struct dfi_tm_lock *)dfi_malloc(2 * max * sizeof *locks);
    if (!buckets || !locks || dfi_tm_grow(t, &array, t->n_writes, &max, sizeof *t->writes)) {
        dfi_mfree(buckets);
        dfi_mfree(locks);
        return -1;
    }
    dfi_tm_drop(t, t->buckets);
    dfi_tm_drop(t, t->locks);
    t->writes = (struct dfi_tm_write *)array, t->locks = locks, t->buckets = buckets;
    t->max_writes = max, t->n_buckets = n_buckets, t->bucket_shift--;
    memset(buckets, 0, n_buckets * sizeof *buckets);
    t->stamp = 1;
    dfi_tm_index(t);
    return 0;
}

static DFI_NOINLINE void dfi_tm_clear_index(struct dfi_tm *t)
{
    t->indexed = 0;
    if (++t->stamp) return;
    memset(t->buckets, 0, t->n_buckets * sizeof *t->buckets);
    t->stamp = 1;
}

/* All writes are forgotten. */
DFI_INLINE void dfi_tm_clear_writes(struct dfi_tm *t)
{
    t->n_writes = t->n_undo = 0;
    t->filter = 0;
    if (DFI_UNLIKELY(t->indexed)) dfi_tm_clear_index(t);
}

/* Those since the last block in b began are. */
static void dfi_tm_undo_writes(struct dfi_tm *t, const struct dfi_tm_block *b)
{
    while (t->n_undo > b->undo) {
        struct dfi_tm_undo *u = &t->undo[--t->n_undo];
        t->writes[u->entry].bits = u->bits, t->writes[u->entry].mask = u->mask;
    }
    while (t->n_writes > b->writes) {
        t->n_writes--;
        if (t->indexed) dfi_tm_bucket_of(t, t->writes[t->n_writes].at)->stamp = 0;
    }
    if (!t->n_writes) dfi_tm_clear_writes(t);
}

/* A nested block changes what an outer one wrote, which may go on without it. 0, or -1 without memory. */
static DFI_NOINLINE int dfi_tm_save_write(struct dfi_tm *t, size_t entry)
{
    struct dfi_tm_undo *u;
    void *array = t->undo;
    if (t->n_undo == t->max_undo) {
        if (dfi_tm_grow(t, &array, t->n_undo, &t->max_undo, sizeof *t->undo)) return -1;
        t->undo = (struct dfi_tm_undo *)array;
    }
    u = &t->undo[t->n_undo++];
    u->entry = entry, u->bits = t->writes[entry].bits, u->mask = t->writes[entry].mask;
    return 0;
}

/* The bytes in mask of the word are to become those of value. 0, or -1 without memory. */
DFI_INLINE int dfi_tm_add_write(struct dfi_tm *t, uintptr_t *at, uintptr_t bits, uintptr_t mask)
{
    size_t n = t->n_writes;
    struct dfi_tm_bucket *b = NULL;
    struct dfi_tm_write *w = NULL;
    if (DFI_UNLIKELY(n == DFI_TM_FEW) && !t->indexed) dfi_tm_index(t);
    if (DFI_UNLIKELY(t->indexed)) {
        if (DFI_UNLIKELY(n == t->max_writes) && dfi_tm_grow_writes(t)) return -1;
        b = dfi_tm_bucket_of(t, at);
        if (b->stamp == t->stamp) w = &t->writes[b->entry];
    } else w = dfi_tm_find(t, at);
    if (w) {
        if (DFI_UNLIKELY(t->inner->outer != NULL) && (size_t)(w - t->writes) < t->inner->outer->writes && dfi_tm_save_write(t, (size_t)(w - t->writes)))
            return -1;
        w->bits = (w->bits & ~mask) | (bits & mask);
        w->mask |= mask;
        return 0;
    }
    if (DFI_UNLIKELY(b != NULL)) b->stamp = t->stamp, b->entry = (uint32_t)n;
    w = &t->writes[n];
    w->at = at, w->bits = bits & mask, w->mask = mask;
    t->n_writes = n + 1;
    t->filter |= (uint64_t)1 << dfi_tm_bit(at);
    return 0;
}

/* --- memory: a few bytes at a time ---------------------------------------------------------------- */

#if DFI_GNU
typedef uintptr_t __attribute__((may_alias)) dfi_tm_word;
typedef uint32_t __attribute__((may_alias)) dfi_tm_half;
typedef uint16_t __attribute__((may_alias)) dfi_tm_quarter;
#define DFI_TM_CELL(T) T
#else
typedef uintptr_t dfi_tm_word;
typedef uint32_t dfi_tm_half;
typedef uint16_t dfi_tm_quarter;
#define DFI_TM_CELL(T) _Atomic(T)
#endif

/* The largest aligned piece of memory at p within `bytes`: 8 (where a word has that many), 4, 2 or 1. */
static size_t dfi_tm_piece(const volatile void *p, size_t bytes)
{
    size_t n = DFI_TM_WORD;
    while (n > bytes || (uintptr_t)p % n) n /= 2;
    return n;
}

/* acquire, release: see api/stm_access.h */
DFI_INLINE void dfi_tm_load_piece(void *to, const volatile void *p, size_t n)
{
    if (n == DFI_TM_WORD) { uintptr_t x = dfi_load_acquire((const volatile DFI_TM_CELL(dfi_tm_word) *)p); memcpy(to, &x, sizeof x); }
    else if (n == 4) { uint32_t x = dfi_load_acquire((const volatile DFI_TM_CELL(dfi_tm_half) *)p); memcpy(to, &x, sizeof x); }
    else if (n == 2) { uint16_t x = dfi_load_acquire((const volatile DFI_TM_CELL(dfi_tm_quarter) *)p); memcpy(to, &x, sizeof x); }
    else *(unsigned char *)to = dfi_load_acquire((const volatile DFI_TM_CELL(unsigned char) *)p);
}

static void dfi_tm_store_piece(volatile void *p, const void *from, size_t n)
{
    if (n == DFI_TM_WORD) { uintptr_t x; memcpy(&x, from, sizeof x); dfi_store_release((volatile DFI_TM_CELL(dfi_tm_word) *)p, x); }
    else if (n == 4) { uint32_t x; memcpy(&x, from, sizeof x); dfi_store_release((volatile DFI_TM_CELL(dfi_tm_half) *)p, x); }
    else if (n == 2) { uint16_t x; memcpy(&x, from, sizeof x); dfi_store_release((volatile DFI_TM_CELL(dfi_tm_quarter) *)p, x); }
    else dfi_store_release((volatile DFI_TM_CELL(unsigned char) *)p, *(const unsigned char *)from);
}

static void dfi_tm_load(void *to, const volatile void *p, size_t bytes)
{
    while (bytes) {
        size_t n = dfi_tm_piece(p, bytes);
        dfi_tm_load_piece(to, p, n);
        to = (char *)to + n, p = (const volatile char *)p + n, bytes -= n;
    }
}

static void dfi_tm_store(volatile void *p, const void *from, size_t bytes)
{
    while (bytes) {
        size_t n = dfi_tm_piece(p, bytes);
        dfi_tm_store_piece(p, from, n);
        p = (volatile char *)p + n, from = (const char *)from + n, bytes -= n;
    }
}

static DFI_NOINLINE void dfi_tm_apply_part(const struct dfi_tm_write *w)
{
    const unsigned char *mask = (const unsigned char *)&w->mask;
    size_t i, n;
    for (i = 0; i < DFI_TM_WORD; i += n) {
        for (n = 0; i + n < DFI_TM_WORD && mask[i + n]; n++) continue;
        if (n) dfi_tm_store((char *)w->at + i, (const char *)&w->bits + i, n);
        else n = 1;
    }
}

/* One write reaches memory. */
DFI_INLINE void dfi_tm_apply(const struct dfi_tm_write *w)
{
    if (DFI_LIKELY(w->mask == UINTPTR_MAX)) dfi_store_release((volatile DFI_TM_CELL(dfi_tm_word) *)w->at, w->bits);
    else dfi_tm_apply_part(w);
}

#endif
