/* idle.h - df_config.idle: a function of the program that looks for events from outside, called by threads of df
 *
 * At most one thread is in it. A worker calls it when it finds no work, and between two tasks when the last call is
 * DFI_IDLE_US ago. While workers sleep, one of them, the watcher, wakes each time the function wants to be called. The
 * watcher keeps that role while it searches, and when it has work to do, it wakes another sleeper, which takes the role
 * when it sleeps again. Argument that no event is missed: docs/internals/work.md, "The idle function". */
#ifndef DFI_MORE_IDLE_H
#define DFI_MORE_IDLE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/upcall.h"
#include "../os/os.h"
#include "../api/idle.h"
#include "../api/token.h"
#include "../work/find.h"
#include "../work/help.h"
#include "../work/module.h"
#include "../work/types.h"
#include "../work/wake.h"
#include "spare.h"
#include "token.h"
#include "types.h"

enum {
    DFI_IDLE_US = 20,    /* a worker that runs tasks calls it after so much time */
    DFI_IDLE_BUSY_US = 50 /* when another thread is in it, the watcher comes back after so much time */
};

static struct dfi_idle {
    long (*fn)(void *arg);              /* written while the pool starts */
    void *arg;
    char line0[DFI_LINE];
    DFI_ATOMIC(int) asked;              /* counts df_idle_soon */
    DFI_ATOMIC(struct dfi_worker *) watcher; /* or NULL */
    char line1[DFI_LINE];
    DFI_ATOMIC(int) busy;               /* a thread is in fn; the rest is written by that thread: */
    DFI_ATOMIC(int) seen;               /* `asked` before the last call that has ended */
    DFI_ATOMIC(long) us;                /* what that call returned */
    long last;                          /* the last result but 0 */
    DFI_ATOMIC(unsigned) at;            /* and when, in us */
} dfi_idle;

DFI_SMALL_CODE_BEGIN

static unsigned dfi_idle_now(void) { return (unsigned)(dfi_os_ns() / 1000); }

/* Is it to be called again, now or later? seq_cst: `asked` pairs with df_idle_soon, `us` with dfi_idle_call. */
static int dfi_idle_expects(void)
{
    return dfi_load_relaxed(&dfi_pool.polled) &&
           (dfi_load_seq_cst(&dfi_idle.us) >= 0 ||
            dfi_load_seq_cst(&dfi_idle.asked) != dfi_load_relaxed(&dfi_idle.seen));
}

static void dfi_idle_rouse(struct dfi_worker *v)
{
    if (!dfi_wake(v, DFI_PARKED_IDLE)) dfi_wake(v, DFI_PARKED_WAITING);
}

/* Calls it, unless another thread is in it. 0: something happened; else the microseconds until the next call is due;
 * negative: none is. pre: dfi_pool.polled */
static DFI_NOINLINE long dfi_idle_call(void)
{
    struct dfi_worker *v = NULL, *w = dfi_me();
    int asked;
    long us;
    /* acquire; pairs with the release below: calls do not overlap, and each sees what the earlier ones did */
    if (dfi_load_relaxed(&dfi_idle.busy) || dfi_exchange_acq_rel(&dfi_idle.busy, 1)) return DFI_IDLE_BUSY_US;
    asked = dfi_load_seq_cst(&dfi_idle.asked);
    if (w) dfi_blocks_of(w)->in_idle = 1;
    us = (dfi_idle.fn)(dfi_idle.arg);
    if (w) dfi_blocks_of(w)->in_idle = 0;
    dfi_store_seq_cst(&dfi_idle.us, us); /* then a look for the watcher, which gets the role and then reads it */
    dfi_store_relaxed(&dfi_idle.seen, asked);
    dfi_store_relaxed(&dfi_idle.at, dfi_idle_now());
    if (us > 0 && (us < dfi_idle.last || dfi_idle.last < 0)) v = dfi_load_seq_cst(&dfi_idle.watcher);
    if (us) dfi_idle.last = us;
    dfi_store_release(&dfi_idle.busy, 0);
    if (v && v != w) dfi_idle_rouse(v); /* it sleeps for longer */
    /* asked meanwhile, perhaps after it looked */
    return us && dfi_load_seq_cst(&dfi_idle.asked) != asked ? 1 : us;
}

/* A worker has found no work. Nonzero: it should look again. */
static int dfi_idle_search(void) { return dfi_idle_expects() && !dfi_idle_call(); }
#define dfi_up_polls_by , dfi_idle_search

/* Between two tasks. */
static DFI_NOINLINE void dfi_idle_between(void)
{
    if (dfi_idle_expects() && dfi_idle_now() - dfi_load_relaxed(&dfi_idle.at) >= DFI_IDLE_US) dfi_idle_call();
}
#define dfi_up_between_by , dfi_idle_between

/* w has announced that it sleeps. Returns the microseconds until it has to call dfi_idle_search, or 0: it is not the
 * watcher, or no call is due. */
static long dfi_idle_watch(struct dfi_worker *w)
{
    struct dfi_worker *none = NULL;
    long us;
    if (DFI_ALONE || !dfi_load_relaxed(&dfi_pool.polled)) return 0;
    if (dfi_load_relaxed(&dfi_idle.watcher) != w && !dfi_cas_seq_cst(&dfi_idle.watcher, &none, w)) return 0;
    if (!dfi_idle_expects()) return 0; /* df_idle_soon wakes it */
    us = dfi_load_relaxed(&dfi_idle.us);
    return us > 0 ? us : 1;
}

/* Wakes a worker that sleeps in dfi_park, which will look for events before it sleeps again. Others, whose place a
 * spare has, would not. */
static DFI_NOINLINE void dfi_idle_wake(void)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    if (dfi_load_seq_cst(&dfi_pool.parked_idle) > 0) dfi_wake_one_idle();
    else if (dfi_load_seq_cst(&dfi_pool.parked_waiting) > 0)
        for (i = 0; i < n; i++) {
            struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
            if (dfi_load_seq_cst(&dfi_blocks_of(v)->asleep) != DFI_ASLEEP && dfi_wake(v, DFI_PARKED_WAITING)) return;
        }
}

/* w, which has slept and searched, has work to do. */
static void dfi_idle_leave(struct dfi_worker *w)
{
    /* seq_cst, then a look for sleepers; a worker that falls asleep counts itself and then tries to get the role */
    if (dfi_load_relaxed(&dfi_idle.watcher) == w) dfi_store_seq_cst(&dfi_idle.watcher, NULL);
    if (dfi_idle_expects() && !dfi_load_seq_cst(&dfi_idle.watcher)) dfi_idle_wake();
}
#define dfi_up_busy_by , dfi_idle_leave

DFI_EXTERN_C_BEGIN
DFI_API void (df_idle_soon)(void)
{
    struct dfi_worker *v;
    dfi_fetch_add_seq_cst(&dfi_idle.asked, 1); /* then a look for sleepers, as above */
    if (!dfi_load_relaxed(&dfi_pool.polled)) return;
    v = dfi_load_seq_cst(&dfi_idle.watcher);
    if (!v) dfi_idle_wake();
    else dfi_idle_rouse(v);
}
DFI_API void dfi_signal_external(df_token *t, int code, const char *text, const char *site)
{
    const struct dfi_worker *w = dfi_me();
    if (w && !dfi_blocks_of(w)->in_idle && !(dfi_load_relaxed(&t->dfi_state) & DFI_TOKEN_EXTERNAL))
        dfi_error("%s: df_signal_external in a thread that runs or submits tasks: one that runs inside df_submit may "
                  "wait for this signal forever; call df_signal", site);
    if (code) dfi_signal_failed(t, code, text, site);
    else dfi_signal(t, site);
}
DFI_EXTERN_C_END

static void dfi_idle_set(const df_config *c)
{
    dfi_idle.fn = c ? c->idle : NULL, dfi_idle.arg = c ? c->idle_arg : NULL;
    dfi_store_relaxed(&dfi_idle.watcher, NULL);
    dfi_store_relaxed(&dfi_idle.busy, 0);
    dfi_store_relaxed(&dfi_idle.us, 0L); /* it is called a first time */
    dfi_idle.last = 0;
    dfi_store_relaxed(&dfi_pool.polled, dfi_idle.fn != NULL);
}

static void dfi_module_idle(const struct dfi_moment *m)
{
    switch (m->is) {
    case DFI_POOL_BEGINS: dfi_idle_set(m->config); break;
    case DFI_STOP_CALLED:
    case DFI_FORK_CHILD: dfi_idle_set(NULL); break;
    case DFI_STOP_AT_EXIT:
    case DFI_STOP_ABANDONED: dfi_store_relaxed(&dfi_pool.polled, 0); break;
    default: break;
    }
}

DFI_SMALL_CODE_END

#endif
