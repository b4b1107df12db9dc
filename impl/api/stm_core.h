/* stm_core.h - record of a thread's transactions, for inline reads
 *
 * Memory is guarded in stripes of 32 bytes by a table of ownership records (orecs): the version of the last
 * commit that wrote the stripe, or the transaction that is writing it now. Argument: docs/internals/stm.md. */
#ifndef DFI_API_STM_CORE_H
#define DFI_API_STM_CORE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "stm_frame.h"

/* The values of DF_STM_ENGINE. */
#define DF_STM_RECORDS 1
#define DF_STM_VALUES  2

#if !defined(DF_SERIAL)

/* Stripes of 16 bytes cost 4 to 10 % more for each write in a row, stripes of 64 bytes gained nothing. */
enum { DFI_TM_STRIPE_BITS = 5 };

typedef DFI_ATOMIC(uintptr_t) dfi_orec;
#define DFI_TM_LOCKED (~(UINTPTR_MAX >> 1)) /* bit of an orec; the others then name the transaction */

/* PART_SHIFT: to the highest byte of a word, which a part leaves free */
enum { DFI_TM_WORD = sizeof(uintptr_t), DFI_TM_PART_SHIFT = 8 * sizeof(uintptr_t) - 8,
       DFI_TM_OREC_BITS = sizeof(dfi_orec) == 8 ? 3 : 2, DFI_TM_PREDICTIONS = 64 };
DFI_STATIC_ASSERT(sizeof(dfi_orec) == 1 << DFI_TM_OREC_BITS, "api/stm_core.h: an orec has 4 or 8 bytes");

/* A read of a word: its address and bits. Of a part of one: the address of the word plus 1, and its bits, in whose
 * highest byte stands which part: dfi_tm_log. */
struct dfi_tm_read { uintptr_t at, bits; };
struct dfi_tm_write { uintptr_t *at, bits, mask; }; /* the bits in mask of the aligned word `at` become those of bits */
struct dfi_tm_lock { dfi_orec *orec; uintptr_t version; };
struct dfi_tm_undo { uintptr_t entry, bits, mask; };
struct dfi_tm_bucket { uint32_t stamp, entry; };

enum { DFI_TM_COUNTS = 13 }; /* stm/state.h */
struct dfi_tm_counts { DFI_ATOMIC(uint64_t) n[DFI_TM_COUNTS]; };

/* The transactions of one thread. Two lines of the cache hold what is used most. */
struct dfi_tm {
    /* changed when a block begins or ends; the first four: read or written by other threads */
    DFI_ATOMIC(uintptr_t) active; /* 0, or 1 + the time its reads belong to (a multiple of 4) */
    DFI_ATOMIC(uintptr_t) newest; /* inline reads accept versions below it; 0: every access takes the slow path */
    struct dfi_tm *next;          /* of all records */
    DFI_ATOMIC(int) asked;        /* a thread waits until the time advances */
    unsigned attempts;            /* aborts of this block so far */
    uintptr_t time;               /* all values that were read were in memory at this time */
    struct dfi_tm_block *inner;   /* the innermost open block; NULL outside of blocks */
    DFI_ATOMIC(const char *) site; /* where the outermost one begins; written by its thread */
    unsigned char logs;           /* reads are logged */
    unsigned char odd;            /* any of the following is not 0, or was */
    unsigned char alone, direct;  /* no other transaction runs; and accesses are not buffered */
    unsigned char spare;          /* the record shared by threads without memory for their own; 2: not given back yet */
    unsigned char resumed;        /* a wait in the block interrupted it: the read set may have changed */
    unsigned char forgot;         /* without memory, running alone: the log of reads was dropped */
    unsigned char fenced;         /* a thread that frees orders `active` before our reads by dfi_os_fence_all */
    /* used by accesses */
    DFI_ALIGNED(64) dfi_orec *orecs; /* the table of ownership records, */
    uintptr_t orec_mask;          /* and the bits of an offset in it, in bytes */
    struct dfi_tm_read *read_end, *read_max; /* log of reads */
    uint64_t filter;              /* a bit for each word that may be in the log of writes */
    size_t n_writes;
    struct dfi_tm_write *writes;
    size_t n_events;
    size_t few;                   /* the number of writes that are searched linearly; 0: all writes are in buckets */
    struct dfi_tm_block *outermost; /* of the open blocks */
    unsigned char *prediction;    /* of the outermost one, in log_for */
    struct dfi_tm_read *reads;
    struct dfi_tm_lock *locks;    /* as many as writes, so that a commit needs no memory */
    struct dfi_tm_bucket *buckets; /* index of writes: twice as many, a power of 2 */
    struct dfi_tm_event *events;  /* allocations and handlers */
    struct dfi_tm_undo *undo;     /* older values of writes, overwritten by nested blocks */
    size_t max_writes, max_events, n_undo, max_undo;
    uint32_t stamp;               /* of buckets in use */
    unsigned bucket_shift;        /* 34 - log2(max_writes) */
    uint32_t random;
    struct dfi_tm_counts counts;
    struct dfi_tm *next_free;
    const volatile void *met;     /* the word, with records its orec, that the block is about to abort for, or NULL */
    const unsigned *thrown;       /* number of C++ exceptions in flight in this thread */
    uintptr_t known[DFI_TM_PREDICTIONS]; /* known call paths from a block to a nested one */
    unsigned char log_for[DFI_TM_PREDICTIONS]; /* by block: commits left until it is tried without a log of reads */
};

DFI_EXTERN_C_BEGIN
extern DFI_API DFI_TLS struct dfi_tm *dfi_tm_self; /* this thread's, or &dfi_tm_nobody */

DFI_API uint64_t dfi_tm_get(const volatile void *p, size_t bytes);
DFI_API void dfi_tm_no_room(void);
DFI_EXTERN_C_END

/* The ownership record of the stripe at p. */
DFI_INLINE dfi_orec *dfi_tm_orec(const struct dfi_tm *t, const volatile void *p)
{
    uintptr_t at = (uintptr_t)p >> ((int)DFI_TM_STRIPE_BITS - (int)DFI_TM_OREC_BITS) & t->orec_mask;
    return (dfi_orec *)(void *)((char *)(void *)t->orecs + at);
}

/* The number of its bit in dfi_tm.filter. */
DFI_INLINE unsigned dfi_tm_bit(const volatile void *p) { return (unsigned)((uintptr_t)p / DFI_TM_WORD % 64); }

/* Adds n bytes at p, all of one word, to the read set. pre: x, which was just loaded, is their value at the
 * transaction's time */
DFI_INLINE void dfi_tm_log(struct dfi_tm *t, const volatile void *p, uintptr_t x, size_t n)
{
    if (!t->logs) return; /* an entry may repeat: testing for that would be an unpredictable branch */
    if (DFI_UNLIKELY(t->read_end == t->read_max)) dfi_tm_no_room();
    if (n == DFI_TM_WORD) t->read_end->at = (uintptr_t)p, t->read_end->bits = x;
    else {
        uintptr_t offset = (uintptr_t)p % DFI_TM_WORD;
        t->read_end->at = (uintptr_t)p - offset + 1;
        t->read_end->bits = x | (offset | (uintptr_t)n << 3) << DFI_TM_PART_SHIFT;
    }
    t->read_end++;
}

/* dfi_tm_enter for code that is compiled with exceptions. */
DFI_INLINE struct dfi_tm_block *dfi_tm_enter_unwound(struct dfi_tm_block *b, const char *site, int kind,
                                                     dfi_tm_jump_fn *to_jump, const void *where)
{
    b = dfi_tm_enter(b, site, kind, to_jump, where);
    if (DFI_LIKELY(b->open)) b->thrown = *dfi_tm_self->thrown;
    return b;
}

#endif

#endif
