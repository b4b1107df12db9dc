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
#include "../os/system.h"
#include "../api/stm_core.h"
#include "../api/stm_frame.h"
#include "events.h"
#include "state.h"

DFI_SMALL_CODE_BEGIN
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

DFI_INLINE int dfi_tm_little_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one;
}

/* The n low-order bytes of a word, as a mask; of a number of `bytes`, where they begin in its representation. */
DFI_INLINE uintptr_t dfi_tm_low(size_t n) { return UINTPTR_MAX >> 8 * (DFI_TM_WORD - n); }
DFI_INLINE char *dfi_tm_low_of(void *number, size_t bytes, size_t n)
{
    return (char *)number + (dfi_tm_little_endian() ? 0 : bytes - n);
}

/* The distance of n bytes at the offset `at` of a word from its low-order end, in bits. */
DFI_INLINE size_t dfi_tm_shift(size_t at, size_t n) { return 8 * (dfi_tm_little_endian() ? at : DFI_TM_WORD - at - n); }

/* n bytes of private memory, at most a word, as the low-order bytes of a word; and back. */
DFI_INLINE uintptr_t dfi_tm_pack(const void *from, size_t n)
{
    uintptr_t x = 0;
    if (n == DFI_TM_WORD) memcpy(&x, from, DFI_TM_WORD);
    else memcpy(dfi_tm_low_of(&x, sizeof x, n), from, n);
    return x;
}
DFI_INLINE void dfi_tm_unpack(void *to, uintptr_t x, size_t n)
{
    const uint32_t half = (uint32_t)x;
    const uint16_t quarter = (uint16_t)x;
    if (n == DFI_TM_WORD) memcpy(to, &x, DFI_TM_WORD);
    else if (n == 4) memcpy(to, &half, 4);
    else if (n == 2) memcpy(to, &quarter, 2);
    else *(unsigned char *)to = (unsigned char)x;
}

/* The largest aligned piece of memory at p within `bytes`: 8 (where a word has that many), 4, 2 or 1. */
DFI_INLINE size_t dfi_tm_piece(const volatile void *p, size_t bytes)
{
    size_t n = DFI_TM_WORD;
    while (n > bytes || (uintptr_t)p % n) n /= 2;
    return n;
}

/* acquire, release: see api/stm_access.h */
DFI_INLINE uintptr_t dfi_tm_load_piece(const volatile void *p, size_t n)
{
    if (n == DFI_TM_WORD) return dfi_load_acquire((const volatile DFI_TM_CELL(dfi_tm_word) *)p);
    if (n == 4) return dfi_load_acquire((const volatile DFI_TM_CELL(dfi_tm_half) *)p);
    if (n == 2) return dfi_load_acquire((const volatile DFI_TM_CELL(dfi_tm_quarter) *)p);
    return dfi_load_acquire((const volatile DFI_TM_CELL(unsigned char) *)p);
}

DFI_INLINE void dfi_tm_store_piece(volatile void *p, uintptr_t x, size_t n)
{
    if (n == DFI_TM_WORD) dfi_store_release((volatile DFI_TM_CELL(dfi_tm_word) *)p, x);
    else if (n == 4) dfi_store_release((volatile DFI_TM_CELL(dfi_tm_half) *)p, (uint32_t)x);
    else if (n == 2) dfi_store_release((volatile DFI_TM_CELL(dfi_tm_quarter) *)p, (uint16_t)x);
    else dfi_store_release((volatile DFI_TM_CELL(unsigned char) *)p, (unsigned char)x);
}

/* --- reads ---------------------------------------------------------------------------------------- */

DFI_INLINE size_t dfi_tm_n_reads(const struct dfi_tm *t) { return (size_t)(t->read_end - t->reads); }

DFI_INLINE void dfi_tm_forget_reads(struct dfi_tm *t, size_t keep) { t->read_end = t->reads + keep; }

static int dfi_tm_grow_reads(struct dfi_tm *t)
{
    size_t n = dfi_tm_n_reads(t), max = (size_t)(t->read_max - t->reads);
    if (dfi_tm_grow(t, (void *)&t->reads, &max, sizeof *t->reads)) return -1;
    t->read_end = t->reads + n, t->read_max = t->reads + max;
    return 0;
}

/* Nonzero: the memory that was read has another value now; with records: its stripe was written after t->time. */
DFI_INLINE int dfi_tm_changed(const struct dfi_tm *t, const struct dfi_tm_read *r)
{
    if (DFI_TM_VALUES) {
        uintptr_t part = r->bits >> DFI_TM_PART_SHIFT;
        if (!(r->at & 1)) return dfi_tm_load_piece((const void *)r->at, DFI_TM_WORD) != r->bits;
        return dfi_tm_load_piece((const char *)r->at - 1 + part % DFI_TM_WORD, part >> 3) !=
               (r->bits & UINTPTR_MAX >> 8);
    } else {
        uintptr_t version = dfi_load_relaxed(dfi_tm_orec(t, (const void *)r->at));
        return DFI_UNLIKELY(version > t->time) && version != (DFI_TM_LOCKED | (uintptr_t)t >> 1);
    }
}

/* The index of the first read that has changed, or the number of reads. With values: SIZE_MAX if the clock is no longer
 * `now`. It is looked at after each value, as the next one may be in memory that has been freed since, if that could be
 * reached at an earlier time only (docs/internals/stm-values.md, "Freed memory" 3). */
static DFI_NOINLINE size_t dfi_tm_first_changed(const struct dfi_tm *t, uintptr_t now)
{
    const struct dfi_tm_read *r = t->reads;
    for (; r < t->read_end && !dfi_tm_changed(t, r); r++)
        /* relaxed: after the value, which is loaded with acquire */
        if (DFI_TM_VALUES && DFI_UNLIKELY(dfi_load_relaxed(&dfi_stm.clock) != now)) return SIZE_MAX;
    return (size_t)(r - t->reads);
}

/* --- writes --------------------------------------------------------------------------------------- */

DFI_INLINE size_t dfi_tm_hash(const struct dfi_tm *t, const uintptr_t *at)
{
    /* the eight words of a line to eight buckets in a row, lines by a multiplicative hash, upper half */
    uintptr_t x = (uintptr_t)at / DFI_TM_WORD;
    return (size_t)((uint32_t)(x >> 3) * 0x9E3779B1u >> t->bucket_shift) << 3 | (x & 7);
}

/* The bucket of the write to the word, or the free one where it would be inserted. */
DFI_INLINE struct dfi_tm_bucket *dfi_tm_probe(struct dfi_tm *t, const uintptr_t *at)
{
    size_t i = dfi_tm_hash(t, at);
    while (t->buckets[i].stamp == t->stamp && t->writes[t->buckets[i].entry].at != at)
        i = (i + 1) & (2 * t->max_writes - 1);
    return &t->buckets[i];
}
static DFI_NOINLINE struct dfi_tm_bucket *dfi_tm_bucket_of(struct dfi_tm *t, const uintptr_t *at)
{
    return dfi_tm_probe(t, at);
}

/* The write to the word, or NULL. pre: its bit is set in the filter */
static DFI_NOINLINE struct dfi_tm_write *dfi_tm_search(struct dfi_tm *t, const uintptr_t *at)
{
    struct dfi_tm_bucket *b;
    size_t i = t->n_writes;
    if (t->few) {
        while (i--) /* the last one first: often it is the other half of a word, or its neighbour */
            if (t->writes[i].at == at) return &t->writes[i];
        return NULL;
    }
    if (t->writes[i - 1].at == at) return &t->writes[i - 1];
    b = dfi_tm_bucket_of(t, at);
    return b->stamp == t->stamp ? &t->writes[b->entry] : NULL;
}

DFI_INLINE struct dfi_tm_write *dfi_tm_find(struct dfi_tm *t, const uintptr_t *at)
{
    return DFI_UNLIKELY((t->filter >> dfi_tm_bit(at) & 1) != 0) ? dfi_tm_search(t, at) : NULL;
}

/* Gives t room for `max` writes, a power of 2, with locks and an empty index. */
static void dfi_tm_lay_out(struct dfi_tm *t, struct dfi_tm_write *room, size_t max)
{
    t->writes = room, t->locks = (struct dfi_tm_lock *)(void *)(room + max);
    t->buckets = (struct dfi_tm_bucket *)(void *)(t->locks + max);
    t->max_writes = max;
    for (t->bucket_shift = 34; max >>= 1;) t->bucket_shift--;
    memset((void *)t->buckets, 0, 2 * t->max_writes * sizeof *t->buckets);
    t->stamp = 1;
}

/* Enters all writes into the hash table, as later ones will be. */
static void dfi_tm_index(struct dfi_tm *t)
{
    size_t i;
    t->few = 0;
    for (i = 0; i < t->n_writes; i++) {
        struct dfi_tm_bucket *b = dfi_tm_bucket_of(t, t->writes[i].at);
        b->stamp = t->stamp, b->entry = (uint32_t)i;
    }
}

/* Doubles the log of writes: writes, locks and buckets, in one piece. 0, or -1 without memory. */
static int dfi_tm_grow_writes(struct dfi_tm *t)
{
    size_t max = 2 * t->max_writes, bytes = sizeof *t->writes + sizeof *t->locks + 2 * sizeof *t->buckets;
    struct dfi_tm_write *writes;
    if (max > UINT32_MAX / 2 || max > SIZE_MAX / bytes || !(writes = (struct dfi_tm_write *)dfi_malloc(max * bytes)))
        return -1;
    memcpy((void *)writes, (void *)t->writes, t->n_writes * sizeof *writes);
    dfi_tm_drop(t, t->writes);
    dfi_tm_lay_out(t, writes, max);
    dfi_tm_index(t);
    return 0;
}

static DFI_NOINLINE void dfi_tm_clear_index(struct dfi_tm *t)
{
    t->few = DFI_TM_FEW;
    if (++t->stamp) return;
    memset((void *)t->buckets, 0, 2 * t->max_writes * sizeof *t->buckets);
    t->stamp = 1;
}

/* Empties the write set. */
DFI_INLINE void dfi_tm_clear_writes(struct dfi_tm *t)
{
    t->n_writes = t->n_undo = 0;
    t->filter = 0;
    if (DFI_UNLIKELY(!t->few)) dfi_tm_clear_index(t);
}

/* Removes the writes since the last block nested in b began. */
static void dfi_tm_undo_writes(struct dfi_tm *t, const struct dfi_tm_block *b)
{
    while (t->n_undo > b->undo) {
        struct dfi_tm_undo *u = &t->undo[--t->n_undo];
        t->writes[u->entry].bits = u->bits, t->writes[u->entry].mask = u->mask;
    }
    while (t->n_writes > b->writes) {
        t->n_writes--;
        if (!t->few) dfi_tm_bucket_of(t, t->writes[t->n_writes].at)->stamp = 0;
    }
    if (!t->n_writes) dfi_tm_clear_writes(t);
}

/* Saves a write before a nested block changes it, if it is one of an outer block: the nested one may be rolled back
 * alone. 0, or -1 without memory. */
static DFI_NOINLINE int dfi_tm_save_write(struct dfi_tm *t, size_t entry)
{
    struct dfi_tm_undo *u;
    if (entry >= t->inner->outer->writes) return 0;
    if (t->n_undo == t->max_undo && dfi_tm_grow(t, (void *)&t->undo, &t->max_undo, sizeof *t->undo)) return -1;
    u = &t->undo[t->n_undo++];
    u->entry = entry, u->bits = t->writes[entry].bits, u->mask = t->writes[entry].mask;
    return 0;
}

/* Adds a write that is in no log yet. pre: there is room */
DFI_INLINE void dfi_tm_append_write(struct dfi_tm *t, uintptr_t *at, uintptr_t bits, uintptr_t mask)
{
    struct dfi_tm_write *w = &t->writes[t->n_writes++];
    w->at = at, w->bits = bits, w->mask = mask;
    t->filter |= (uint64_t)1 << dfi_tm_bit(at);
}

/* Finds room for a write of a word that is in no log yet, and enters it into the index if there is one, or has to be
 * from now on. 0, or -1 without memory. */
static DFI_NOINLINE int dfi_tm_index_next(struct dfi_tm *t, const uintptr_t *at)
{
    struct dfi_tm_bucket *b;
    if (t->few) dfi_tm_index(t);
    if (t->n_writes == t->max_writes && dfi_tm_grow_writes(t)) return -1;
    b = dfi_tm_bucket_of(t, at);
    b->stamp = t->stamp, b->entry = (uint32_t)t->n_writes;
    return 0;
}

/* Adds a write. 0, or -1 without memory. */
DFI_INLINE int dfi_tm_add_write(struct dfi_tm *t, const struct dfi_tm_write *x)
{
    struct dfi_tm_write *w = dfi_tm_find(t, x->at);
    if (w) {
        if (DFI_UNLIKELY(t->inner->outer != NULL) && dfi_tm_save_write(t, (size_t)(w - t->writes))) return -1;
        w->bits = (w->bits & ~x->mask) | x->bits, w->mask |= x->mask;
        return 0;
    }
    if (t->n_writes >= t->few && dfi_tm_index_next(t, x->at)) return -1;
    dfi_tm_append_write(t, x->at, x->bits, x->mask);
    return 0;
}

/* Adds a write of n bytes of one word that is in no log yet. pre: there is room */
DFI_INLINE void dfi_tm_append_part(struct dfi_tm *t, volatile void *p, uintptr_t value, size_t n)
{
    const size_t at = (uintptr_t)p % DFI_TM_WORD, shift = dfi_tm_shift(at, n);
    const uintptr_t mask = dfi_tm_low(n) << shift;
    dfi_tm_append_write(t, (uintptr_t *)((uintptr_t)p - at), value << shift & mask, mask);
}

/* Adds n bytes of one word to the last write, if that is of the same word, and no nested block could be rolled back
 * alone. Nonzero: it was. pre: in a block */
DFI_INLINE int dfi_tm_add_to_last(struct dfi_tm *t, volatile void *p, uintptr_t value, size_t n)
{
    const size_t at = (uintptr_t)p % DFI_TM_WORD, shift = dfi_tm_shift(at, n);
    const uintptr_t mask = dfi_tm_low(n) << shift;
    struct dfi_tm_write *w = t->writes + t->n_writes;
    if (!t->n_writes || (uintptr_t)(--w)->at != (uintptr_t)p - at || t->inner->outer) return 0;
    w->bits = (w->bits & ~mask) | (value << shift & mask), w->mask |= mask;
    return 1;
}

/* Stores a write of a part of a word, in the largest aligned pieces: other threads may use the other bytes. */
static DFI_NOINLINE void dfi_tm_apply_part(const struct dfi_tm_write *w)
{
    uintptr_t bits = w->bits, mask = w->mask;
    size_t at, n; /* from the low-order end */
    for (at = 0; mask; at += n, bits >>= 8 * n, mask >>= 8 * n) {
        for (n = DFI_TM_WORD / 2; n > 1; n /= 2) /* all bytes are written, or none */
            if (at % n == 0 && ((mask & dfi_tm_low(n)) == 0 || (~mask & dfi_tm_low(n)) == 0)) break;
        if (mask & 1) dfi_tm_store_piece((char *)w->at + dfi_tm_shift(at, n) / 8, bits, n);
    }
}

/* Stores one write to memory. */
DFI_INLINE void dfi_tm_apply(const struct dfi_tm_write *w)
{
    enum { DFI_TM_HALF = DFI_TM_WORD / 2 };
    if (DFI_LIKELY(w->mask == UINTPTR_MAX)) dfi_store_release((volatile DFI_TM_CELL(dfi_tm_word) *)w->at, w->bits);
    else if (DFI_TM_HALF == 4 && w->mask == dfi_tm_low(DFI_TM_HALF))
        dfi_tm_store_piece((char *)w->at + dfi_tm_shift(0, DFI_TM_HALF) / 8, w->bits, DFI_TM_HALF);
    else if (DFI_TM_HALF == 4 && w->mask == ~dfi_tm_low(DFI_TM_HALF))
        dfi_tm_store_piece((char *)w->at + dfi_tm_shift(DFI_TM_HALF, DFI_TM_HALF) / 8, w->bits >> 8 * DFI_TM_HALF,
                           DFI_TM_HALF);
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
    for (i = 0; i < c->bytes; i++) c->before[i] = (unsigned char)dfi_tm_load_piece((const unsigned char *)p + i, 1);
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
            if (dfi_tm_load_piece(p, 1) == c->before[i] || !dfi_tm_find(t, word) ||
                t->time != c->time || dfi_load_relaxed(dfi_tm_orec(t, p)) > t->time) continue;
            dfi_error("%s: the atomic block that begins here copies into a local variable by df_tm_copy: the variable "
                      "keeps its old value until the block ends; use df_tm_read_bytes", dfi_tm_place(t));
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

DFI_SMALL_CODE_END

#endif
