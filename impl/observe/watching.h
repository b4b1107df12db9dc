/* watching.h - the active observers, and the points that they want (work/probe.h) */
#ifndef DFI_OBSERVE_WATCHING_H
#define DFI_OBSERVE_WATCHING_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/parts.h"
#include "../work/probe.h"
#include "../more/points.h"

/* Bits of dfi_watching. DIRECT: the director (observe/schedule). */
enum { DFI_WATCH_TRACE = 1, DFI_WATCH_STATS = 2, DFI_WATCH_EVENTS = DFI_WATCH_TRACE | DFI_WATCH_STATS,
       DFI_WATCH_DIRECT = 4, DFI_WATCH_STALL = 8, DFI_WATCH_GRAPH = 16, DFI_WATCH_PROGRESS = 32 };
DFI_EXTERN_C_BEGIN
DFI_API DFI_ATOMIC(unsigned) dfi_watching;
DFI_API unsigned dfi_points_program; /* pool lock: the points that observers of the program want (observers.h) */
DFI_EXTERN_C_END

/* The observers that this build has. */
enum {
    DFI_WATCH_HAVE = DFI_WITH_WATCHES ? 2 * DFI_WATCH_PROGRESS - 1
        : DFI_WITH_OBSERVERS ? DFI_WATCH_GRAPH | DFI_WATCH_PROGRESS : 0
};

DFI_FAST unsigned dfi_watched(void)
{
    return DFI_WATCH_HAVE != 0 ? dfi_load_relaxed(&dfi_watching) & DFI_WATCH_HAVE : 0;
}

#define DFI_BIT(point) (1u << DFI_AT_##point)
#define DFI_GRAPH_POINTS \
    (DFI_BIT(NEW) | DFI_BIT(CHILDREN) | DFI_BIT(TOKEN) | DFI_BIT(SIGNAL) | DFI_BIT(NODE) | DFI_BIT(INPUT) | \
     DFI_BIT(STREAM) | DFI_BIT(LOST))
/* Adds or removes observers. pre: pool lock, and no worker runs; or the process ends; or who is 0 */
static void dfi_watch(unsigned who, int on)
{
    unsigned now = on ? dfi_watched() | who : dfi_watched() & ~who, points = 0;
    if (now & DFI_WATCH_EVENTS)
        points |= DFI_BIT(SUBMIT) | DFI_BIT(BEGIN) | DFI_BIT(END) | DFI_BIT(WAIT) | DFI_BIT(SLEEP) | DFI_BIT(WOKE);
    if (now & DFI_WATCH_TRACE)
        points |= DFI_BIT(EDGE) | DFI_BIT(RELEASE) | DFI_BIT(RELEASES) | DFI_BIT(UNTIL) | DFI_BIT(STEAL);
    if ((now & DFI_WATCH_EVENTS) == DFI_WATCH_EVENTS) /* a trace from which a run is simulated: the order is complete */
        points |= DFI_BIT(TILE) | DFI_BIT(PAST_EDGE);
    if (now & DFI_WATCH_STALL)
        points |= DFI_BIT(SUBMIT) | DFI_BIT(BEGIN) | DFI_BIT(END) | DFI_BIT(WAIT) | DFI_BIT(SITE) | DFI_BIT(STUCK);
    if (now & DFI_WATCH_DIRECT) points |= DFI_BIT(SUBMIT) | DFI_BIT(BEGIN) | DFI_BIT(END) | DFI_BIT(TURN);
    if (now & DFI_WATCH_GRAPH) points |= DFI_GRAPH_POINTS;
    if (now & DFI_WATCH_PROGRESS) points |= DFI_BIT(SUBMIT) | DFI_BIT(BEGIN) | DFI_BIT(END);
    points |= dfi_points_program;
    dfi_store_relaxed(&dfi_watching, now);
    dfi_store_relaxed(&dfi_points, points);
}

#endif
