/* log.h - read set and write set of a transaction
 *
 * A filter of one bit for each word rules out most searches of the write set. A few writes are searched linearly,
 * more by a hash table with linear probing. Its last entries can be removed in the opposite order of insertion: no
 * later entry was displaced by them. */
#ifndef DFI_STM_LOG_H
#define DFI_STM_LOG_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../os/stack.h"
#include "../api/stm_core.h"
#include "../api/stm_frame.h"
#include "events.h"
#include "state.h"

enum { DFI_TM_FEW = 8 }; /* writes searched linearly: costs about as much as a look into the hash table */

/* --- reads ---------------------------------------------------------------------------------------- */

static size_t dfi_tm_n_reads(const struct dfi_tm *t) { return (size_t)(t->read_end - t->reads); }

static void dfi_tm_forget_reads(struct dfi_tm *t, size_t keep) { t->read_end = t->reads + keep; }

static int dfi_tm_grow_reads(struct dfi_tm *t)
{
    size_t n = dfi_tm_n_reads(t), max = (size_t)(t->read_max - t->reads);
    void *array = t->reads;
    if (dfi_tm_grow(t, &array, n, &max, sizeof *t->reads)) return -1;
    t->reads = (dfi_orec **)array;
    t->read_end = t->reads + n, t->read_max = t->reads + max;
    return 0;
}

/* The index of the first read whose stripe was written after t->time, or the number of reads. */
static DFI_NOINLINE size_t dfi_tm_first_changed(struct dfi_tm *t)
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
    /* the eight words of a line to eight buckets in a row, lines by a multiplicative hash, upper half */
    uintptr_t x = (uintptr_t)at / DFI_TM_WORD;
    return ((size_t)((uint32_t)(x >> 3) * 0x9E3779B1u >> t->bucket_shift) << 3 | (x & 7)) & (t->n_buckets - 1);
}

/* The bucket of the write to the word, or the free one where it would be inserted. */
DFI_INLINE struct dfi_tm_bucket *dfi_tm_bucket_of(struct dfi_tm *t, const uintptr_t *at)
{
    size_t i = dfi_tm_hash(t, at);
    while (t->buckets[i].stamp == t->stamp && t->writes[t->buckets[i].entry].at != at) i = (i + 1) & (t->n_buckets - 1);
    return &t->buckets[i];
}

/* The write to the word, or NULL. pre: its bit is set in the filter */
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

/* Enters all writes into the hash table, as later ones will be. */
static DFI_NOINLINE void dfi_tm_index(struct dfi_tm *t)
{
    size_t i;
    t->indexed = 1;
    for (i = 0; i < t->n_writes; i++) {
        struct dfi_tm_bucket *b = dfi_tm_bucket_of(t, t->writes[i].at);
        b->stamp = t->stamp, b->entry = (uint32_t)i;
    }
}

static DFI_COLD int dfi_tm_grow_writes(struct dfi_tm *t)
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

/* Empties the write set. */
DFI_INLINE void dfi_tm_clear_writes(struct dfi_tm *t)
{
    t->n_writes = t->n_undo = 0;
    t->filter = 0;
    if (DFI_UNLIKELY(t->indexed)) dfi_tm_clear_index(t);
}

/* Removes the writes since the last block nested in b began. */
static DFI_COLD void dfi_tm_undo_writes(struct dfi_tm *t, const struct dfi_tm_block *b)
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

/* Saves a write of an outer block before a nested one changes it, as the nested one may be rolled back alone. 0, or
 * -1 without memory. */
static DFI_COLD int dfi_tm_save_write(struct dfi_tm *t, size_t entry)
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

/* Adds a write of the bytes of the word that are in mask. 0, or -1 without memory. */
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
        if (DFI_UNLIKELY(t->inner->outer != NULL) && (size_t)(w - t->writes) < t->inner->outer->writes &&
            dfi_tm_save_write(t, (size_t)(w - t->writes)))
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

/* --- access to memory in aligned pieces ----------------------------------------------------------- */

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
    if (n == DFI_TM_WORD) {
        uintptr_t x = dfi_load_acquire((const volatile DFI_TM_CELL(dfi_tm_word) *)p);
        memcpy(to, &x, sizeof x);
    } else if (n == 4) {
        uint32_t x = dfi_load_acquire((const volatile DFI_TM_CELL(dfi_tm_half) *)p);
        memcpy(to, &x, sizeof x);
    } else if (n == 2) {
        uint16_t x = dfi_load_acquire((const volatile DFI_TM_CELL(dfi_tm_quarter) *)p);
        memcpy(to, &x, sizeof x);
    } else *(unsigned char *)to = dfi_load_acquire((const volatile DFI_TM_CELL(unsigned char) *)p);
}

static DFI_NOINLINE void dfi_tm_store_piece(volatile void *p, const void *from, size_t n)
{
    if (n == DFI_TM_WORD) {
        uintptr_t x;
        memcpy(&x, from, sizeof x);
        dfi_store_release((volatile DFI_TM_CELL(dfi_tm_word) *)p, x);
    } else if (n == 4) {
        uint32_t x;
        memcpy(&x, from, sizeof x);
        dfi_store_release((volatile DFI_TM_CELL(dfi_tm_half) *)p, x);
    } else if (n == 2) {
        uint16_t x;
        memcpy(&x, from, sizeof x);
        dfi_store_release((volatile DFI_TM_CELL(dfi_tm_quarter) *)p, x);
    } else dfi_store_release((volatile DFI_TM_CELL(unsigned char) *)p, *(const unsigned char *)from);
}

static DFI_NOINLINE void dfi_tm_load(void *to, const volatile void *p, size_t bytes)
{
    while (bytes) {
        size_t n = dfi_tm_piece(p, bytes);
        dfi_tm_load_piece(to, p, n);
        to = (char *)to + n, p = (const volatile char *)p + n, bytes -= n;
    }
}

static DFI_NOINLINE void dfi_tm_store(volatile void *p, const void *from, size_t bytes)
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

/* Stores one write to memory. */
DFI_INLINE void dfi_tm_apply(const struct dfi_tm_write *w)
{
    if (DFI_LIKELY(w->mask == UINTPTR_MAX)) dfi_store_release((volatile DFI_TM_CELL(dfi_tm_word) *)w->at, w->bits);
    else dfi_tm_apply_part(w);
}

/* --- DF_DEBUG: df_tm_copy to a local variable, which keeps its old value until the block ends ------- */

/* A variable on the stack may be shared. But if its orec shows that no other thread has written it since the block
 * began, and its value changed after the copy, then the block itself used it as a local, by a plain access, and the
 * commit would overwrite that. */
#if DF_DEBUG
enum { DFI_TM_COPIED = 8, DFI_TM_COPIED_BYTES = 64 }; /* copies of a block that are checked, and the length of each */
struct dfi_tm_copied {
    const unsigned char *at;
    size_t bytes;
    uintptr_t time;
    unsigned char before[DFI_TM_COPIED_BYTES];
};
static DFI_TLS struct dfi_tm_copied dfi_tm_copied[DFI_TM_COPIED];
static DFI_TLS unsigned dfi_tm_n_copied;

/* Remembers that the calling thread's block copies to `to`. */
static void dfi_tm_note_copy(const volatile void *to, size_t bytes)
{
    struct dfi_tm_copied *c = &dfi_tm_copied[dfi_tm_n_copied];
    const void *p = (const void *)(uintptr_t)to;
    size_t i;
    if (!dfi_tm_self->inner || dfi_tm_self->direct || dfi_tm_n_copied == DFI_TM_COPIED) return;
    if (!dfi_os_on_stack(p, p)) return;
    c->at = (const unsigned char *)p, c->bytes = bytes < DFI_TM_COPIED_BYTES ? bytes : (size_t)DFI_TM_COPIED_BYTES;
    for (i = 0; i < c->bytes; i++) /* acquire: commits of earlier times have finished writing there */
        if (dfi_load_acquire(dfi_tm_orec(dfi_tm_self, (const unsigned char *)p + i)) > dfi_tm_self->time) return;
    c->time = dfi_tm_self->time; /* one that was extended since may cover commits of others */
    dfi_tm_load(c->before, p, c->bytes);
    dfi_tm_n_copied++;
}

/* Reports misuse, at the end of the outermost block before it commits. */
static DFI_TM_ANY_FRAME void dfi_tm_check_copies(struct dfi_tm *t)
{
    size_t i;
    unsigned n;
    for (n = 0; n < dfi_tm_n_copied; n++) {
        const struct dfi_tm_copied *c = &dfi_tm_copied[n];
        for (i = 0; i < c->bytes; i++) {
            const unsigned char *p = c->at + i;
            uintptr_t *word = (uintptr_t *)((uintptr_t)p - (uintptr_t)p % DFI_TM_WORD);
            unsigned char now;
            dfi_tm_load_piece(&now, p, 1);
            if (now == c->before[i] || !dfi_tm_find(t, word) ||
                t->time != c->time || dfi_load_relaxed(dfi_tm_orec(t, p)) > t->time) continue;
            dfi_error("%s: the atomic block that begins here uses df_tm_copy for a local variable, which has its "
                      "old value until the block ends: read into it by df_tm_read_bytes", t->site);
            break;
        }
    }
    dfi_tm_n_copied = 0;
}
#define DFI_TM_NOTE_COPY(to, bytes) dfi_tm_note_copy((to), (bytes))
#define DFI_TM_CHECK_COPIES(t)      (dfi_tm_n_copied ? dfi_tm_check_copies(t) : (void)0)
#define DFI_TM_FORGET_COPIES()      (dfi_tm_n_copied = 0)
#else
#define DFI_TM_NOTE_COPY(to, bytes) ((void)0)
#define DFI_TM_CHECK_COPIES(t)      ((void)0)
#define DFI_TM_FORGET_COPIES()      ((void)0)
#endif

#endif
