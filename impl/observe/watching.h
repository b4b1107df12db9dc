/* watching.h - the list of the observers of df itself, and the points that each wants (work/probe.h) */
#ifndef DFI_OBSERVE_WATCHING_H
#define DFI_OBSERVE_WATCHING_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/parts.h"
#include "../work/probe.h"
#include "../more/points.h"

/* O(builds that have it, NAME): void dfi_NAME_see(w, p, on, other, a), at the points that dfi_watch has for it, in this
 * order; but the end of a body or wait, if it wanted the beginning, in the opposite order (see.h).
 *   told: observers of the program. direct: control of the schedule. chain: the running bodies of each worker, kept
 *   whenever an observer wants bodies. record: events, for the trace and the statistics.
 * A new one, such as progress.h: its file, a row here, its #include in see.h and modules.h, its module in the table of
 * modules.h; what it keeps for each worker or body is a room (rooms.h). */
#define DFI_OBSERVERS(O)                                                                                               \
    O(DFI_WITH_OBSERVERS, told)                                                                                        \
    O(DFI_WITH_WATCHES, direct)                                                                                        \
    O(DFI_WITH_WATCHES, chain)                                                                                         \
    O(DFI_WITH_OBSERVERS, progress)                                                                                    \
    O(DFI_WITH_OBSERVERS, graph)                                                                                       \
    O(DFI_WITH_WATCHES, stall)                                                                                         \
    O(DFI_WITH_WATCHES, record)

#define DFI_OBSERVER_NUMBER(with, name) dfi_observer_##name,
enum { DFI_OBSERVERS(DFI_OBSERVER_NUMBER) DFI_OBSERVER_COUNT };

/* Bits of dfi_recording: the readers of the events. */
enum { DFI_RECORD_TRACE = 1, DFI_RECORD_STATS = 2 };

DFI_EXTERN_C_BEGIN
DFI_API DFI_ATOMIC(unsigned) dfi_watching[DFI_OBSERVER_COUNT]; /* the points that they want */
DFI_API DFI_ATOMIC(unsigned) dfi_seers[32];                    /* the observers that want a point, a bit each */
DFI_API DFI_ATOMIC(unsigned) dfi_recording;
DFI_EXTERN_C_END

#define DFI_BIT(point) (1u << DFI_AT_##point)

/* The points that the observer wants; 0: it is off. */
DFI_FAST unsigned dfi_watched(int observer) { return dfi_load_relaxed(&dfi_watching[observer]); }
DFI_FAST unsigned dfi_recorded(void) { return DFI_WITH_WATCHES ? dfi_load_relaxed(&dfi_recording) : 0; }

/* From now on the observer wants these points. pre: pool lock, and no worker runs; or the process ends; or `told` */
DFI_UNUSED static void dfi_watch(int observer, unsigned points)
{
    unsigned all = 0, who;
    int i, p;
    dfi_store_relaxed(&dfi_watching[observer], points);
    for (i = 0; i < DFI_OBSERVER_COUNT; i++) all |= dfi_watched(i);
    for (p = 0; p < 32; p++) {
        who = p == DFI_AT_BEGIN ? 1u << dfi_observer_chain : 0;
        for (i = 0; i < DFI_OBSERVER_COUNT; i++) who |= (dfi_watched(i) >> p & 1) << i;
        dfi_store_relaxed(&dfi_seers[p], who);
    }
    dfi_store_relaxed(&dfi_points, all);
}

#endif
