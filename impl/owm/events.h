/* events.h - events between processes: counters that only grow, and waits for them
 *
 * Threads of one process may use them, too. Reed and Kanodia's eventcounts, without sequencers. */
#ifndef DFI_OWM_EVENTS_H
#define DFI_OWM_EVENTS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../api/result.h"
#include "../../df_owm.h"
#include "copies.h"
#include "state.h"
#include "../os/os.h"

#define DFI_MESSAGE_OWM_EVENT_NEVER \
    "%s: df_owm_await waits for event %d to reach count %ld, but it is %ld, and all processes that could raise it " \
    "have ended: the call returns DF_ERROR_STUCK"

/* looks before the thread sleeps: some microseconds, a hand-over between two processors */
enum { DFI_OWM_LOOKS = 1000 };

static DFI_ATOMIC(intptr_t) dfi_owm_event_here[DF_OWM_EVENTS]; /* of one process */

static DFI_ATOMIC(intptr_t) *dfi_owm_event(int event, const char *site)
{
    if (event < 0 || event >= DF_OWM_EVENTS) {
        dfi_error("%s: event %d does not exist: no effect; events have numbers from 0 to %d",
                  site, event, DF_OWM_EVENTS - 1);
        return NULL;
    }
#if DF_OWM_COPIES && DFI_OWM_CALLS
    if (dfi_owm.processes > 1) return &dfi_owm.s->event[event];
#endif
    return &dfi_owm_event_here[event];
}

DFI_EXTERN_C_BEGIN

#if !(DF_OWM_COPIES && DFI_OWM_CALLS)
DFI_API int df_owm_join(const char *name, int processes) { (void)name, (void)processes; return 0; }
DFI_API int df_owm_processes(void) { return 1; }
#endif

DFI_API void dfi_owm_advance(int event, const char *site)
{
    DFI_ATOMIC(intptr_t) *at = dfi_owm_event(event, site);
    if (!at) return;
#if defined(DF_SERIAL)
    ++*at;
#else
    dfi_fetch_add_acq_rel(at, (intptr_t)1); /* pairs with the load in dfi_owm_await */
#endif
}

DFI_API df_result dfi_owm_await(int event, long n, const char *site)
{
    DFI_ATOMIC(intptr_t) *at = dfi_owm_event(event, site);
    if (!at) return DF_ERROR_OWNER;
#if defined(DF_SERIAL)
    if (*at >= n) return DF_OK;
    dfi_error(DFI_MESSAGE_OWM_EVENT_NEVER, site, event, n, (long)*at); /* no other process runs */
    return DF_ERROR_STUCK;
#else
    {
        long looks;
#if DF_OWM_COPIES
        long quiet = 0; /* ms since no other process is left */
#endif
        for (looks = 0; dfi_load_acquire(at) < n; looks++) { /* acquire; pairs with dfi_owm_advance */
            if (looks < DFI_OWM_LOOKS) {
                if (looks % 32 == 31) dfi_os_yield();
                else dfi_os_pause();
                continue;
            }
#if DF_OWM_COPIES
            if (dfi_owm.processes > 1 && looks % 16 == 0) {
                int gone, died = dfi_owm_deaths(&gone);
                quiet = gone ? quiet + 16 : 0;
                if ((died || quiet > dfi_owm_shared.patience) && dfi_load_acquire(at) < n) {
                    dfi_error(DFI_MESSAGE_OWM_EVENT_NEVER, site, event, n, (long)dfi_load_relaxed(at));
                    return DF_ERROR_STUCK;
                }
            }
#endif
            dfi_os_sleep_ms();
        }
    }
    return DF_OK;
#endif
}

DFI_EXTERN_C_END

#endif
