/* access.h - slow paths of reads and writes
 *
 * Argument: docs/internals/stm.md, "Commit". */
#ifndef DFI_STM_ACCESS_H
#define DFI_STM_ACCESS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../api/stm_core.h"
#include "../api/stm_frame.h"
#include "block.h"
#include "events.h"
#include "frames.h"
#include "log.h"
#include "state.h"
#include "../../df_stm.h"

DFI_SMALL_CODE_BEGIN
/* --- reads ---------------------------------------------------------------------------------------- */

/* Reads one aligned piece of memory, as it was at the transaction's time. */
static DFI_NOINLINE uintptr_t dfi_tm_read_memory(struct dfi_tm *t, const volatile void *p, size_t n)
{
    dfi_orec *o = dfi_tm_orec(t, p);
    unsigned round = 0;
    uintptr_t x;
    for (;;) {
        uintptr_t version = dfi_load_acquire(o); /* acquire, both: see api/stm_access.h */
        x = dfi_tm_load_piece(p, n);
        if (version <= t->time && dfi_load_relaxed(o) == version) break;
        t->met = DFI_TM_VALUES ? p : (const volatile void *)o;
        if (DFI_TM_VALUES) {
            if (t->alone) break; /* the lock is its own */
            if (++round > DFI_TM_SPINS) dfi_tm_isolate(t);
            dfi_tm_extend(t, DFI_TM_TOO_NEW);
        } else if (!(version & DFI_TM_LOCKED)) {
            if (version > t->time) dfi_tm_extend(t, DFI_TM_TOO_NEW);
        } else if (round < DFI_TM_SPINS) dfi_tm_pause(round++); /* the commit that holds it will end soon */
        else dfi_tm_conflict(t, DFI_TM_LOCK_FAILED, SIZE_MAX);
    }
    dfi_tm_log(t, p, x, n);
    return x;
}

/* The same, with the transaction's own writes. */
static DFI_NOINLINE uintptr_t dfi_tm_read_piece(struct dfi_tm *t, const volatile void *p, size_t n)
{
    size_t at = (uintptr_t)p % DFI_TM_WORD, shift = dfi_tm_shift(at, n);
    const struct dfi_tm_write *w = dfi_tm_find(t, (uintptr_t *)((uintptr_t)p - at));
    uintptr_t all = dfi_tm_low(n), own, mask;
    if (!w || !(mask = w->mask >> shift & all)) return dfi_tm_read_memory(t, p, n);
    own = w->bits >> shift & all;
    return mask == all ? own : (dfi_tm_read_memory(t, p, n) & ~mask) | own;
}

enum { DFI_TM_STRIPE = 1 << DFI_TM_STRIPE_BITS, DFI_TM_STRIPE_WORDS = DFI_TM_STRIPE / sizeof(uintptr_t) };

/* Reads the words at p up to the end of their stripe, as the read in line does for one (api/stm_access.h). Returns the
 * number of bytes, at most `bytes`; 0: that takes the slow path. */
DFI_INLINE size_t dfi_tm_read_words(struct dfi_tm *t, void *to, const volatile void *p, size_t bytes)
{
    dfi_orec *o = dfi_tm_orec(t, p);
    uintptr_t x[DFI_TM_STRIPE_WORDS], version = dfi_load_acquire(o);
    size_t left = DFI_TM_STRIPE - (uintptr_t)p % DFI_TM_STRIPE, n = (bytes < left ? bytes : left) / DFI_TM_WORD, i;
    const volatile char *from = (const volatile char *)p;
    if ((uintptr_t)p % DFI_TM_WORD || t->filter >> dfi_tm_bit(p) & (((uint64_t)1 << n) - 1)) return 0;
    if (DFI_LIKELY(n == DFI_TM_STRIPE_WORDS)) /* unrolled */
        for (i = 0; i < DFI_TM_STRIPE_WORDS; i++) x[i] = dfi_tm_load_piece(from + i * DFI_TM_WORD, DFI_TM_WORD);
    else
        for (i = 0; i < n; i++) x[i] = dfi_tm_load_piece(from + i * DFI_TM_WORD, DFI_TM_WORD);
    if (version >= dfi_load_relaxed(&t->newest) || dfi_load_relaxed(o) != version) return 0;
    for (i = 0; t->logs && i < n; i++) dfi_tm_log(t, from + i * DFI_TM_WORD, x[i], DFI_TM_WORD);
    if (DFI_LIKELY(n == DFI_TM_STRIPE_WORDS)) memcpy(to, x, DFI_TM_STRIPE);
    else
        for (i = 0; i < n; i++) memcpy((char *)to + i * DFI_TM_WORD, &x[i], DFI_TM_WORD);
    return n * DFI_TM_WORD;
}

DFI_EXTERN_C_BEGIN
/* Reads any memory, in a block or outside. */
DFI_API void df_tm_read_bytes(void *to, const volatile void *p, size_t bytes)
{
    struct dfi_tm *t = dfi_tm_self;
    int logged = t->inner && !t->direct;
    if (logged && dfi_load_relaxed(&t->asked)) dfi_tm_asked(t);
    while (bytes) {
        size_t n = logged && bytes >= DFI_TM_WORD ? dfi_tm_read_words(t, to, p, bytes) : 0;
        if (n) {
            to = (char *)to + n, p = (const volatile char *)p + n, bytes -= n;
            continue;
        }
        n = dfi_tm_piece(p, bytes);
        dfi_tm_unpack(to, logged ? dfi_tm_read_piece(t, p, n) : dfi_tm_load_piece(p, n), n);
        to = (char *)to + n, p = (const volatile char *)p + n, bytes -= n;
    }
}
DFI_EXTERN_C_END

/* --- writes --------------------------------------------------------------------------------------- */

/* Stores a write of a transaction that runs alone. The version is for threads in df_retry; relaxed: others begin after
 * dfi_tm_let_in */
static void dfi_tm_apply_alone(struct dfi_tm *t, const struct dfi_tm_write *w)
{
    dfi_tm_apply(w);
    if (!DFI_TM_VALUES) dfi_store_relaxed(dfi_tm_orec(t, w->at), t->time);
}

/* Stores all buffered writes; later ones are not buffered. end_of_frames: of df. pre: t runs alone, and its read set is
 * unchanged */
static DFI_NOINLINE void dfi_tm_go_direct(struct dfi_tm *t, const void *end_of_frames)
{
    struct dfi_tm_frames f;
    size_t i;
    DFI_TM_FRAMES(&f, end_of_frames);
    t->time = dfi_tm_tick(1);
    t->direct = 1, t->logs = 0;
    if (dfi_attempted()) dfi_tm_note_commit(t, t->time);
    dfi_store_relaxed(&t->newest, (uintptr_t)0);
    for (i = 0; i < t->n_writes; i++)
        if (!dfi_tm_in_frames(&f, t->writes[i].at)) dfi_tm_apply_alone(t, &t->writes[i]);
    dfi_tm_clear_writes(t);
}

/* Writes n bytes of one word, in a block or outside. */
static DFI_NOINLINE void dfi_tm_write_part(struct dfi_tm *t, volatile void *p, uintptr_t value, size_t n)
{
    size_t at = (uintptr_t)p % DFI_TM_WORD, shift = dfi_tm_shift(at, n);
    struct dfi_tm_write w;
    if (t->inner && dfi_tm_add_to_last(t, p, value, n)) return; /* often it is the other half of a word */
    w.at = (uintptr_t *)((uintptr_t)p - at), w.mask = dfi_tm_low(n) << shift, w.bits = value << shift & w.mask;
    if (DFI_UNLIKELY(!t->inner)) dfi_tm_apply(&w);
    else {
        if (DFI_LIKELY(!t->direct)) {
            if (DFI_LIKELY(!dfi_tm_add_write(t, &w))) return;
            if (!t->alone) dfi_tm_restart_alone(t, DFI_TM_GIVES_WAY); /* without memory */
            dfi_tm_go_direct(t, DFI_TM_FRAME_END);
        }
        dfi_tm_apply_alone(t, &w);
    }
}

DFI_SMALL_CODE_END

/* Writes a word by the index. pre: all writes are in it, and the block is not in direct mode */
static DFI_NOINLINE void dfi_tm_write_indexed(struct dfi_tm *t, uintptr_t *at, uintptr_t value)
{
    struct dfi_tm_bucket *b;
    if (DFI_LIKELY(t->n_writes < t->max_writes)) {
        b = dfi_tm_probe(t, at);
        if (b->stamp != t->stamp) {
            b->stamp = t->stamp, b->entry = (uint32_t)t->n_writes;
            dfi_tm_append_write(t, at, value, UINTPTR_MAX);
            return;
        }
    }
    dfi_tm_write_part(t, at, value, DFI_TM_WORD);
}

DFI_SMALL_CODE_BEGIN
DFI_EXTERN_C_BEGIN
/* Writes any memory, in a block or outside. */
DFI_API void df_tm_write_bytes(volatile void *p, const void *from, size_t bytes)
{
    struct dfi_tm *t = dfi_tm_self;
    while (bytes) {
        size_t n = DFI_TM_WORD - (uintptr_t)p % DFI_TM_WORD;
        if (n > bytes) n = bytes;
        dfi_tm_write_part(t, p, dfi_tm_pack(from, n), n);
        p = (volatile char *)p + n, from = (const char *)from + n, bytes -= n;
    }
}
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
