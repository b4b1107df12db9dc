/* reporter.h - the thread of the observers, which looks periodically for something to write: it reads events, looks for
 * stalls, shows progress */
#ifndef DFI_OBSERVE_REPORTER_H
#define DFI_OBSERVE_REPORTER_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../os/os.h"
#include "../work/types.h"
#include "watching.h"

DFI_SMALL_CODE_BEGIN

/* asked: by dfi_reporter_ask, and not because the time has come. Threads: the reporter, with dfi_reporter_lock. */
typedef void dfi_look_fn(int asked);

/* It must read events now; or see what it has to do, and when. */
enum { DFI_WANTED_EVENTS = 1, DFI_WANTED_LOOK };
struct dfi_reporter {
    struct { dfi_look_fn *look; int ms; uint64_t due; } of[DFI_OBSERVER_COUNT]; /* ms 0: none; dfi_reporter_lock */
    int made;                    /* `wake` exists, to the end: someone may be about to use it. Pool lock, as the next */
    struct dfi_os_thread thread;
    struct dfi_os_event wake;
    DFI_ATOMIC(int) runs;        /* the thread; changed under the pool lock, or when the process ends */
    DFI_ATOMIC(int) wanted;      /* DFI_WANTED_..; 0: nothing */
};
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_os_mutex dfi_reporter_lock = DFI_OS_MUTEX_INIT; /* before all locks but that of the pool */
DFI_API struct dfi_reporter dfi_reporter;
DFI_EXTERN_C_END
static DFI_TLS int dfi_reporter_is_me;

/* Looks where the time has come, or with `asked` at the events. Milliseconds to the next look; -1: there is none. */
static int dfi_reporter_look(int asked)
{
    struct dfi_reporter *r = &dfi_reporter;
    int i, ms, rest = -1;
    uint64_t now;
    dfi_os_lock(&dfi_reporter_lock);
    for (i = 0; i < DFI_OBSERVER_COUNT; i++) {
        if (!r->of[i].ms) continue;
        now = dfi_os_ns();
        if (now >= r->of[i].due || (asked && i == dfi_observer_record)) {
            r->of[i].due = now + (uint64_t)r->of[i].ms * 1000000;
            r->of[i].look(asked);
        }
        ms = now >= r->of[i].due ? 1 : (int)((r->of[i].due - now) / 1000000) + 1;
        if (rest < 0 || ms < rest) rest = ms;
    }
    dfi_os_unlock(&dfi_reporter_lock);
    return rest;
}

static void *dfi_reporter_run(void *unused)
{
    int rest, asked = 0;
    dfi_reporter_is_me = 1;
    while ((rest = dfi_reporter_look(asked)) > 0) {
        (void)dfi_os_event_wait(&dfi_reporter.wake, &dfi_reporter.wanted, 0, rest);
        /* acquire; pairs with dfi_reporter_wake */
        asked = dfi_exchange_acq_rel(&dfi_reporter.wanted, 0) == DFI_WANTED_EVENTS;
    }
    return unused;
}

/* pre: it runs */
static void dfi_reporter_wake(int wanted)
{
    dfi_store_release(&dfi_reporter.wanted, wanted);
    dfi_os_event_wake(&dfi_reporter.wake);
}

/* It reads events now. Threads: any. */
static void dfi_reporter_ask(void)
{
    if (dfi_load_relaxed(&dfi_reporter.runs) && !dfi_load_relaxed(&dfi_reporter.wanted))
        dfi_reporter_wake(DFI_WANTED_EVENTS);
}

/* It looks every ms milliseconds for that observer from now on. 0, or -1: without a thread. pre: pool lock */
static int dfi_reporter_begin(int observer, int ms, dfi_look_fn *look)
{
    struct dfi_reporter *r = &dfi_reporter;
    dfi_os_lock(&dfi_reporter_lock);
    r->of[observer].look = look, r->of[observer].ms = ms;
    r->of[observer].due = dfi_os_ns() + (uint64_t)ms * 1000000;
    dfi_os_unlock(&dfi_reporter_lock);
    if (dfi_load_relaxed(&r->runs)) dfi_reporter_wake(DFI_WANTED_LOOK); /* it may be about to sleep for longer */
    else {
        r->made = r->made || !dfi_os_event_init(&r->wake);
        dfi_store_relaxed(&r->runs, r->made && !dfi_os_thread_start(&r->thread, dfi_reporter_run, NULL, 0));
        dfi_fetch_add_seq_cst(&dfi_pool.reporters, dfi_load_relaxed(&r->runs));
    }
    return dfi_load_relaxed(&r->runs) ? 0 : -1;
}

/* No look for that observer begins any more, and none is in progress. pre: pool lock; or the process ends */
static void dfi_reporter_end(int observer)
{
    struct dfi_reporter *r = &dfi_reporter;
    int i, others = 0;
    if (dfi_reporter_is_me) return; /* the logger of the program ends the process */
    dfi_os_lock(&dfi_reporter_lock);
    r->of[observer].ms = 0;
    for (i = 0; i < DFI_OBSERVER_COUNT; i++) others |= r->of[i].ms;
    dfi_os_unlock(&dfi_reporter_lock);
    if (others || !dfi_load_relaxed(&r->runs)) return;
    dfi_fetch_sub_seq_cst(&dfi_pool.reporters, 1);
    dfi_reporter_wake(DFI_WANTED_LOOK);
    dfi_os_thread_join(&r->thread);
    dfi_store_relaxed(&r->runs, 0);
}

/* In the child of a fork, which has no such thread, and in the end. */
static void dfi_reporter_forget(int forked)
{
    static const struct dfi_os_mutex fresh = DFI_OS_MUTEX_INIT;
    if (!forked && dfi_reporter.made) dfi_os_event_free(&dfi_reporter.wake);
    dfi_reporter_lock = fresh;
    memset((void *)&dfi_reporter, 0, sizeof dfi_reporter);
}

DFI_SMALL_CODE_END

#endif
