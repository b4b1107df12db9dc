/* semaphore.h - counting semaphores of tasks: a queue for units, without a lock
 *
 * dfi_state has the free units while no task waits: 2 n + 1; n is negative while tasks hold more than all units,
 * because there were more (df_semaphore_resize). As soon as one waits, the semaphore is contended, and
 * dfi_state is the newest task that has come since the queue was last collected, or 0. Each of these tasks points to
 * the next older one; the oldest, to the value that it found: 2 n + 1, or 0 if the semaphore was contended before.
 * Tasks come by one compare-and-swap, after which they do not touch the semaphore again. Only tasks that return
 * units serve the queue, oldest first, one thread at a time. Argument: docs/internals/flow.md, "Semaphores". */
#ifndef DFI_MORE_SEMAPHORE_H
#define DFI_MORE_SEMAPHORE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../flow/careful.h"
#include "../flow/types.h"
#include "spare.h"
#include "types.h"

DFI_SMALL_CODE_BEGIN

/* A task that has units may be ready, or have ready descendants, where no worker may run them nested in its wait.
 * From the first task that has to wait for units, spares run them (more/spare.h). */
static void dfi_units_lack(void)
{
    if (DFI_UNLIKELY(!dfi_load_relaxed(&dfi_spares.outside))) dfi_waits_need_others();
}

/* The free units of an odd dfi_state. */
DFI_INLINE intptr_t dfi_units_free(uintptr_t state) { return ((intptr_t)state - 1) / 2; }

/* The number of units for u: not more than there are. */
static intptr_t dfi_units_for(const df_semaphore *s, const struct dfi_use *u)
{
    intptr_t all = dfi_load_relaxed(&s->dfi_units);
    return u->units < all ? u->units : all;
}

/* Takes the units of u for the task of x. Zero: x is queued, and may be running already. */
static int dfi_units_take(df_semaphore *s, struct dfi_extra *x, struct dfi_use *u)
{
    uintptr_t old = dfi_load_acquire(&s->dfi_state); /* acquire, as the CAS: dfi_units, which is written before */
    dfi_member_of(x)->asks = u;
    for (;;) { /* acquire: effects of the tasks that returned units; release: x, to the thread that collects it */
        intptr_t n = u->units = dfi_units_for(s, u);
        if (old & 1 && dfi_units_free(old) >= n) {
            if (dfi_cas_acq_rel(&s->dfi_state, &old, old - 2 * (uintptr_t)n)) return 1;
        } else {
            dfi_member_of(x)->lock_wait = (struct dfi_extra *)old;
            if (!dfi_cas_acq_rel(&s->dfi_state, &old, (uintptr_t)x)) continue;
            dfi_units_lack();
            return 0;
        }
    }
}

/* Moves the tasks that came, from x, the newest, to the end of the queue. pre: dfi_busy is the caller's */
static void dfi_units_collect(df_semaphore *s, uintptr_t x)
{
    struct dfi_extra *oldest = NULL, *newest = (struct dfi_extra *)x;
    while (x && !(x & 1)) {
        struct dfi_extra *t = (struct dfi_extra *)x;
        x = (uintptr_t)dfi_member_of(t)->lock_wait;
        dfi_member_of(t)->lock_wait = oldest, oldest = t;
    }
    if (x) s->dfi_free += dfi_units_free(x);
    if (!oldest) return;
    if (s->dfi_first) dfi_member_of((struct dfi_extra *)s->dfi_last)->lock_wait = oldest;
    else s->dfi_first = oldest;
    s->dfi_last = newest;
}

/* Takes the oldest tasks for which there are units from the queue, and appends them to *end. Returns the new end. */
static struct dfi_extra **dfi_units_grant(df_semaphore *s, struct dfi_extra **end)
{
    struct dfi_extra *x;
    while ((x = (struct dfi_extra *)s->dfi_first) != NULL) {
        struct dfi_use *u = dfi_member_of(x)->asks;
        intptr_t n = dfi_units_for(s, u);
        if (n > s->dfi_free) break;
        s->dfi_free -= n, u->units = n;
        s->dfi_first = dfi_member_of(x)->lock_wait;
        dfi_member_of(x)->lock_wait = NULL;
        *end = x, end = &dfi_member_of(x)->lock_wait;
    }
    return end;
}

/* Returns n units; a negative n takes some away. The result: the tasks that have theirs by that, linked by lock_wait,
 * oldest first. */
static struct dfi_extra *dfi_units_return(df_semaphore *s, intptr_t n)
{
    struct dfi_extra *granted = NULL, **end = &granted;
    uintptr_t old = dfi_load_relaxed(&s->dfi_state);
    intptr_t all;
    while (old & 1) /* release: what the task did, to those that take the units */
        if (dfi_cas_acq_rel(&s->dfi_state, &old, old + 2 * (uintptr_t)n)) return NULL;
    dfi_fetch_add_seq_cst(&s->dfi_returned, n);
    do {
        /* seq_cst, also the addition above, the change of dfi_units before it, and the store and the loads below: a
         * thread that finds another one serving leaves its units to that one, which looks again */
        if (dfi_exchange_seq_cst(&s->dfi_busy, 1)) break;
        all = dfi_load_seq_cst(&s->dfi_units);
        s->dfi_free += dfi_exchange_seq_cst(&s->dfi_returned, 0);
        old = dfi_load_relaxed(&s->dfi_state);
        do {
            if (!(old & 1)) { /* only the caller ends the contention */
                dfi_units_collect(s, (uintptr_t)dfi_exchange_acq_rel(&s->dfi_state, 0));
                end = dfi_units_grant(s, end);
                if (s->dfi_first) break;
                old = 0;
            }
        } while (!dfi_cas_acq_rel(&s->dfi_state, &old,
                                  old & 1 ? old + 2 * (uintptr_t)s->dfi_free : 2 * (uintptr_t)s->dfi_free + 1));
        if (!s->dfi_first) s->dfi_free = 0;
        dfi_store_seq_cst(&s->dfi_busy, 0);
    } while (dfi_load_seq_cst(&s->dfi_returned) || dfi_load_seq_cst(&s->dfi_units) != all);
    return granted;
}

/* Takes n units if they are free and no task waits for some. Zero: not. */
static DFI_COLD int dfi_units_try(df_semaphore *s, intptr_t n)
{
    uintptr_t old = dfi_load_relaxed(&s->dfi_state);
    while (old & 1 && dfi_units_free(old) >= n)
        if (dfi_cas_acq_rel(&s->dfi_state, &old, old - 2 * (uintptr_t)n)) return 1;
    dfi_units_lack();
    return 0;
}

/* --- api ------------------------------------------------------------------------------------------------- */

DFI_EXTERN_C_BEGIN
static DFI_ATOMIC(int) dfi_limits_begun;

/* Tasks with limits always have a record: dfi_parts_may_run_now. */
DFI_API void dfi_limits_begin(void)
{
    if (!dfi_load_relaxed(&dfi_limits_begun) && !dfi_exchange_acq_rel(&dfi_limits_begun, 1))
        dfi_careful_add(1);
}

DFI_API void dfi_semaphore_init(df_semaphore *s, long long n, const char *site)
{
    if (n < 1 || (unsigned long long)n > SIZE_MAX / 4) {
        dfi_error("%s: df_semaphore_init with %lld units: the semaphore has 1; pass 1 or more", site, n);
        n = 1;
    }
    memset((void *)s, 0, sizeof *s);
    dfi_store_relaxed(&s->dfi_units, (intptr_t)n), s->dfi_site = site;
    dfi_store_release(&s->dfi_state, 2 * (uintptr_t)n + 1); /* relaxed would do: the caller passes the pointer on */
}

DFI_API int dfi_semaphore_destroy(df_semaphore *s, const char *site)
{
    uintptr_t all = 2 * (uintptr_t)dfi_load_relaxed(&s->dfi_units) + 1; /* CAS: acquire; pairs with dfi_units_return */
    if (dfi_cas_acq_rel(&s->dfi_state, &all, (uintptr_t)1)) {
        dfi_store_relaxed(&s->dfi_units, (intptr_t)0);
        return 1;
    }
    dfi_error("%s: df_semaphore_destroy of the semaphore of %s, of which tasks hold units: it stays as it is; wait for "
              "these tasks before the call", site, s->dfi_site);
    return 0;
}
DFI_EXTERN_C_END

DFI_SMALL_CODE_END

#endif
