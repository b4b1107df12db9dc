/* share.h - parts of DF_STATIC loops, each of which has a worker that prefers it; df_first_touch
 *
 * A DF_STATIC loop without .grain has one part for each worker. A worker that takes part in it claims the part with its
 * own index first, then any other that is left: the next loops of the same length find the data of a part in the caches
 * and in the NUMA node of that worker. It is a preference, because no part waits for a worker that is busy. */
#ifndef DFI_MORE_LOOP_SHARE_H
#define DFI_MORE_LOOP_SHARE_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../api/loop.h"
#include "../../work/stack.h"
#include "../../work/team.h"
#include "../../work/types.h"
#include "iterate.h"
#include "range.h"
#include "../../api/loop_words.h"
#include "../../api/workers.h"

DFI_SMALL_CODE_BEGIN

/* Has the loop such parts? */
static int dfi_share_is(const struct dfi_loop *l) { return l->schedule == DF_STATIC && !l->grain; }

static unsigned long dfi_share_parts(const struct dfi_loop *l) { return (l->count - 1) / l->share + 1; }

/* The part with the index of w, or 0 if w is no worker, but a thread of the program. */
static unsigned long dfi_share_own(const struct dfi_worker *w, unsigned long parts)
{
    int index = dfi_load_relaxed(&w->index);
    return index < DFI_WORKERS_MOST ? (unsigned long)index % parts : 0;
}

/* Part p belongs to the caller. Returns its length, and stores its first iteration in *k. */
static unsigned long dfi_share_part(struct dfi_loop *l, unsigned long p, unsigned long *k)
{
    unsigned long i;
    for (i = 0; i < DFI_SHARE_WORDS && !~dfi_load_relaxed(&l->taken[i]);) i++;
    if (i == DFI_SHARE_WORDS) dfi_store_relaxed(&l->next, l->count); /* a hint: dfi_share_claim stores it at last */
    *k = p * l->share;
    return l->count - *k < l->share ? l->count - *k : l->share;
}

/* The owner, before other workers see the loop: claims its own part. */
static unsigned long dfi_share_first(const struct dfi_worker *w, struct dfi_loop *l, unsigned long *k)
{
    unsigned long parts, p, i;
    l->share = (l->count - 1) / l->workers + 1;
    parts = dfi_share_parts(l), p = dfi_share_own(w, parts);
    for (i = 0; i < DFI_SHARE_WORDS; i++) { /* the bits of parts that do not exist are set */
        unsigned long before = i * DFI_SHARE_BITS, here = parts > before ? parts - before : 0;
        size_t word = here >= DFI_SHARE_BITS ? 0 : ~(size_t)0 << here;
        if (p / DFI_SHARE_BITS == i) word |= (size_t)1 << p % DFI_SHARE_BITS;
        dfi_store_relaxed(&l->taken[i], word);
    }
    return dfi_share_part(l, p, k);
}

/* Claims a part for w: that with its index, or the next one that is left. 0: all parts are claimed. Parts are only ever
 * claimed, so one pass over them finds a part, or there is none. */
static unsigned long dfi_share_claim(const struct dfi_worker *w, struct dfi_loop *l, unsigned long *k)
{
    unsigned long parts = dfi_share_parts(l), p = dfi_share_own(w, parts), i;
    for (i = 0; i < parts && dfi_load_relaxed(&l->next) < l->count; i++, p = p + 1 < parts ? p + 1 : 0) {
        DFI_ATOMIC(size_t) *word = &l->taken[p / DFI_SHARE_BITS];
        size_t bit = (size_t)1 << p % DFI_SHARE_BITS, now = dfi_load_relaxed(word);
        while (!(now & bit))
            /* relaxed would do: the part belongs to the thread that set its bit */
            if (dfi_cas_acq_rel(word, &now, now | bit)) return dfi_share_part(l, p, k);
    }
    dfi_store_relaxed(&l->next, l->count);
    return 0;
}

/* Runs the part [k, k + c), which is claimed already, if c is not 0; then parts until none is left to claim. */
static void dfi_share_run(struct dfi_worker *w, struct dfi_loop *l, void *args, unsigned long k, unsigned long c)
{
    do {
        if (!c) continue;
        dfi_loop_call(w, l, args, k, k + c);
        if (dfi_steal_requested(w)) dfi_poll(w);
    } while (!dfi_loop_cancelled(l) && !dfi_member_retires(w) && (c = dfi_share_claim(w, l, &k)) != 0);
}

/* --- df_first_touch ------------------------------------------------------------------------------ */

enum { DFI_TOUCH_PAGE = 4096 }; /* no system that df runs on has smaller pages */

struct dfi_touch { char *p; size_t bytes; long parts; };

/* Writes to each page whose first byte in the memory belongs to the parts b[0] .. b[1] - 1. */
static void dfi_touch_parts(const long *b, void *args)
{
    const struct dfi_touch *t = (const struct dfi_touch *)args;
    size_t c = (t->bytes - 1) / (size_t)t->parts + 1, from, to, at;
    long k;
    for (k = b[0]; k < b[1]; k++) {
        from = c * (size_t)k, to = t->bytes - from < c ? t->bytes : from + c;
        if (from >= t->bytes) return;
        at = (size_t)((uintptr_t)(t->p + from) % DFI_TOUCH_PAGE);
        if (from && at) from += DFI_TOUCH_PAGE - at, at = 0; /* that page begins in an earlier part */
        for (; from < to; from += DFI_TOUCH_PAGE - at, at = 0) {
            volatile char *q = t->p + from;
            *q = *q;
        }
    }
}

DFI_EXTERN_C_BEGIN
DFI_API void dfi_first_touch(void *p, size_t bytes, const char *site)
{
    static const struct dfi_loop_type type = { dfi_touch_parts, "df_first_touch", sizeof(struct dfi_touch), 1, 0 };
    df_loop o = dfi_loop_default;
    struct dfi_touch t;
    long bounds[2];
    if (!p || !bytes) return;
    o.schedule = DF_STATIC;
    t.p = (char *)p, t.bytes = bytes, t.parts = bounds[1] = df_workers();
    bounds[0] = 0;
    dfi_for(&type, &o, NULL, site, bounds, &t, NULL, 0, NULL);
}
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
