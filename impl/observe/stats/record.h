/* record.h - the events of a run in its trace, for tools/df-simulate
 *
 * With DF_STATS, the trace also gets each event that tells of tasks, their order and their waits, as it is. */
#ifndef DFI_OBSERVE_STATS_RECORD_H
#define DFI_OBSERVE_STATS_RECORD_H

#include "../../base/compiler.h"
#include "../../work/types.h"
#include "../event.h"
#include "../events.h"
#include "../trace/trace.h"

DFI_SMALL_CODE_BEGIN

/* The cost of events in ticks: of one; of one with a time and a name; of a body, outside its
 * measured time, and inside. */
struct dfi_s_cost { double event, submit, outside, inside; };

/* By the kind of event; NULL: not recorded. */
static const char *const dfi_s_kind[DFI_E_COUNT] = {
    "run", "part", "own", "submit", NULL, NULL, "edge", "signal", "steal", "park", "wait", "room", "until", NULL,
    "thread", NULL, NULL, NULL
};

/* Records n events of the worker; before the first ones of a run, what they need to be understood. */
static void dfi_s_record(struct dfi_trace *t, const struct dfi_s_cost *cost, int *recorded, int worker,
                         const struct dfi_event *e, unsigned n)
{
    uint64_t v[6];
    unsigned i;
    if (t->out.broken || !dfi_report_is_here(&t->out) || !t->writer->event) return;
    if (!*recorded) {
        dfi_event_ns(dfi_events.ticks);
        v[0] = (uint64_t)(unsigned)dfi_workers(), v[1] = (uint64_t)(dfi_events.ns_per_tick * 1e9);
        v[2] = (uint64_t)(cost->event * 1e3), v[3] = (uint64_t)(cost->submit * 1e3);
        v[4] = (uint64_t)(cost->outside * 1e3), v[5] = (uint64_t)(cost->inside * 1e3);
        t->writer->event(t, 0, "begin", v, 6, 0);
        *recorded = 1;
    }
    for (i = 0; i < n; i++, e++) {
        const char *kind = dfi_s_kind[e->kind];
        if (e->kind == DFI_E_WAIT && e->what != (uint32_t)DFI_WAIT_SCOPE) kind = dfi_s_kind[DFI_E_ROOM];
        v[0] = e->at, v[1] = e->a, v[2] = e->b, v[3] = e->level;
        if (kind)
            t->writer->event(t, (unsigned)worker, kind, v, 4,
                             e->kind == DFI_E_RUN || e->kind == DFI_E_SUBMIT ? e->what : 0);
    }
}

DFI_SMALL_CODE_END

#endif
