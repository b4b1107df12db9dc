/* stm_core.h - what the inline part of df_stm.h sees of a transaction
 *
 * Memory is guarded in stripes of 32 bytes by a table of ownership records (orecs): the version of the last
 * commit that wrote the stripe, or who is writing it now. Argument: docs/stm.md. */
#ifndef DFI_API_STM_CORE_H
#define DFI_API_STM_CORE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "stm_frame.h"

#if !defined(DF_SERIAL)

/* Stripes of 16 bytes cost 4 to 10 % more for each write in a row, of 64 gained nothing; neither did 2^12 to 2^22
 * records in structures below 1 MB. 2^18 keep apart what lies in 8 MB, and are 2 MB. */
enum { DFI_TM_STRIPE_BITS = 5 };
#if defined(DF_STM_ORECS)
enum { DFI_TM_ORECS = DF_STM_ORECS };
DFI_STATIC_ASSERT(DF_STM_ORECS > 0 && (DF_STM_ORECS & (DF_STM_ORECS - 1)) == 0, "df_stm.h: DF_STM_ORECS must be a power of 2");
#else
enum { DFI_TM_ORECS = 1 << 18 };
#endif

typedef DFI_ATOMIC(uintptr_t) dfi_orec;
#define DFI_TM_LOCKED (~(UINTPTR_MAX >> 1)) /* bit of an orec; the others then name the transaction */

enum { DFI_TM_WORD = sizeof(uintptr_t), DFI_TM_PREDICTIONS = 64 };

struct dfi_tm_write { uintptr_t *at, bits, mask; }; /* the bits in mask of the aligned word `at` become those of bits */
struct dfi_tm_lock { dfi_orec *orec; uintptr_t version; };
struct dfi_tm_undo { uintptr_t entry, bits, mask; };
struct dfi_tm_bucket { uint32_t stamp, entry; };

enum { DFI_TM_COUNTS = 13 }; /* stm/counts.h */
struct dfi_tm_counts { DFI_ATOMIC(uint64_t) n[DFI_TM_COUNTS]; };

/* The transactions of one thread. */
struct dfi_tm {
    /* others look at these */
    DFI_ATOMIC(uintptr_t) active; /* 0, or 1 + the time its reads belong to (a multiple of 4) */
    DFI_ATOMIC(uintptr_t) newest; /* reads in line accept versions below it; 0: every read goes the long way */
    DFI_ATOMIC(int) asked;        /* somebody waits until the time moves on */
    char line[64 - 2 * sizeof(uintptr_t) - sizeof(int)];
    /* its own */
    uintptr_t time;               /* what was read was all there at this time */
    dfi_orec **read_end, **read_max; /* log of reads */
    uint64_t filter;              /* a bit for each word that may be among the writes */
    int logs;                     /* reads are logged */
    int buffers;                  /* in a block, and not in direct mode */
    struct dfi_tm_block *inner, *outermost; /* of the blocks that are open, if any is; inner: else NULL */
    const char *site;             /* where the outermost one begins */
    unsigned char *prediction;    /* of it, in log_for */
    dfi_orec **reads;
    struct dfi_tm_write *writes;
    struct dfi_tm_lock *locks;    /* as many as writes, so that a commit needs no memory */
    struct dfi_tm_bucket *buckets; /* index of writes: at least twice as many, a power of 2 */
    struct dfi_tm_undo *undo;     /* older values of writes, overwritten by nested blocks */
    struct dfi_tm_event *events;  /* what commit and abort have to do besides */
    size_t n_writes, max_writes, n_buckets, n_undo, max_undo, n_events, max_events, n_locks;
    int indexed;                  /* all writes are in buckets */
    uint32_t stamp;               /* of buckets in use */
    unsigned bucket_shift;        /* 35 - log2(n_buckets) */
    int odd;                      /* any of the following is not 0 */
    int alone, direct;            /* no other transaction runs; and accesses are not buffered */
    int spare;                    /* this is the record shared by threads without memory for their own */
    int resumed;                  /* a wait in the block interrupted it: what was read may have changed */
    int forgot;                   /* reads, for want of memory: alone it can do without */
    unsigned attempts;            /* in vain, for this block */
    uint32_t random;
    struct dfi_tm_counts counts;
    struct dfi_tm *next_free;
    const unsigned *thrown;       /* how many C++ exceptions are on their way in this thread */
    uintptr_t known[DFI_TM_PREDICTIONS]; /* ways from a block to one in a called function */
    unsigned char log_for[DFI_TM_PREDICTIONS]; /* by block: commits to go until it is tried without a log of reads */
};

DFI_EXTERN_C_BEGIN
extern DFI_API DFI_TLS struct dfi_tm *dfi_tm_self; /* this thread's, or &dfi_tm_nobody */
extern DFI_API dfi_orec dfi_tm_orecs[DFI_TM_ORECS];

DFI_API uint64_t dfi_tm_get(const volatile void *p, size_t bytes);
DFI_API void dfi_tm_no_room(void);
DFI_EXTERN_C_END

DFI_INLINE dfi_orec *dfi_tm_orec(const volatile void *p)
{
    return &dfi_tm_orecs[((uintptr_t)p >> DFI_TM_STRIPE_BITS) & (DFI_TM_ORECS - 1)];
}

/* The number of its bit in dfi_tm.filter. */
DFI_INLINE unsigned dfi_tm_bit(const volatile void *p) { return (unsigned)((uintptr_t)p / DFI_TM_WORD % 64); }

/* The value just loaded from p is the one of the transaction's time: remembers that it was read. */
DFI_INLINE void dfi_tm_log(struct dfi_tm *t, dfi_orec *o)
{
    if (!t->logs) return; /* twice, if it was the last one: the test would be a branch that cannot be predicted */
    if (DFI_UNLIKELY(t->read_end == t->read_max)) dfi_tm_no_room();
    *t->read_end++ = o;
}

#endif

#endif
