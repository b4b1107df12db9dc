/* event.h - what happened, 32 bytes each: the raw material of the trace and of the statistics (observe/events.h) */
#ifndef DFI_OBSERVE_EVENT_H
#define DFI_OBSERVE_EVENT_H

#include "../base/atomic.h"

/* What happened at `at`. Times, and durations in b, are in ticks (dfi_ticks). Bodies and tasks have identities (dfi_id_of, dfi_id_new);
 * 0 stands for the code of the program outside of all of them. Texts: numbers (dfi_event_text), or 0. Workers: their slots. */
enum dfi_event_kind {
    DFI_E_RUN,    /* the body a ran from `at` on, for b; what: its name; level: DFI_RAN_.. */
    DFI_E_PART,   /* about the body whose DFI_E_RUN comes next: `at` is the first and a the last iteration; or stage and item */
    DFI_E_OWN,    /* about the DFI_E_RUN, DFI_E_WAIT or DFI_E_ROOM that comes next: for b nothing else ran on top of it, nor did the body
                     wait; without this: all the time */
    DFI_E_SUBMIT, /* the body b submitted the task a; what: its name; level: of the scope it is a child of */
    DFI_E_SITE,   /* about the task whose DFI_E_SUBMIT came before; what: the text of where */
    DFI_E_WRITE,  /* about the same: it writes a rows of b bytes from the address `at` on; what: the names of its accesses; level:
                     which of them this is */
    DFI_E_EDGE,   /* the task b, which is being submitted or released, comes after the task a, level 1: or after something in its body;
                     no time; the same may come twice */
    DFI_E_SIGNAL, /* the body b released something that the task a waits for */
    DFI_E_STEAL,  /* a was taken from the worker b; level 1: a spawned function, and it begins */
    DFI_E_PARK,   /* the worker slept for b */
    DFI_E_WAIT,   /* the body a waited for b, and ran others meanwhile; what: DFI_WAIT_..; with DFI_WAIT_SCOPE: for its children
                     at `level` and deeper, also if they were done */
    DFI_E_ROOM,   /* the body a ran others for b, as its scope had too many children */
    DFI_E_UNTIL,  /* what the body b waits for next is the task a */
    DFI_E_ATOMIC, /* an atomic block was tried for b; what: the text of where it is; level: DFI_ATOMIC_.. */
    DFI_E_THREAD, /* the worker has the index a; b: 0, a helper; 1, a thread of the program begins, 2, ends to use it */
    DFI_E_STATE,  /* a: tasks submitted and not done; b: bytes in private buffers; what: workers that run something */
    DFI_E_TRACK,  /* a queue of a device has a name: what; level: its track */
    DFI_E_DEVICE, /* a device did something for b; what: its name; a: bytes, or 0: a kernel; level: track */
    DFI_E_PERF,   /* about the body whose DFI_E_RUN came before, not of df itself; what: its name. at, a, b: of what was counted
                     (dfi_running.count), level 0: the first three numbers, 1: the next */
    DFI_E_COUNT
};
/* A task of df itself; one that ran at once, in the scope of its submitter; no task: a spawned function that another worker took, part of
 * a loop, and its iterations follow on each other, a stage of a pipe. */
enum { DFI_RAN_INTERNAL = 1, DFI_RAN_INLINE = 2, DFI_RAN_SPAWNED = 4, DFI_RAN_LOOP = 8, DFI_RAN_STAGE = 16, DFI_RAN_ORDERED = 32 };
struct dfi_event {
    uint64_t at, a, b;
    uint32_t what;
    uint16_t kind, level;
};

enum {
    DFI_EVENT_BYTES = 64 * 1024, /* of a chunk */
    DFI_EVENT_ROOM = (DFI_EVENT_BYTES - 64) / (int)sizeof(struct dfi_event),
    DFI_TEXT_CACHE = 16          /* texts a worker finds again quickly; a power of two */
};
/* Ticks in which a body waited, or others ran on top of it; the same when its last wait began. */
struct dfi_not_own { uint64_t ticks, before; };

struct dfi_event_pen;
struct dfi_event_chunk {
    struct dfi_event_chunk *next;
    struct dfi_event_pen *pen;   /* whose it is */
    int worker;                  /* its slot */
    unsigned seen;               /* reader only */
    DFI_ATOMIC(unsigned) n;      /* its worker writes, the reader looks */
    struct dfi_event event[DFI_EVENT_ROOM];
};

/* What a worker writes events with. */
struct dfi_event_pen {
    int slot;                    /* of the worker: constant */
    DFI_ATOMIC(struct dfi_event_chunk *) chunk; /* changed by the owner under the lock of the events */
    DFI_ATOMIC(int) chunks;      /* how many there are of it, full ones included; changed under that lock, the owner looks without */
    DFI_ATOMIC(intptr_t) unfinished; /* tasks it submitted less tasks it ran; written by the owner, read by anybody */
    uint64_t ids;                /* owner only, from here on */
    uint64_t now;                /* the last time it noted (dfi_watch_now) */
    struct dfi_not_own others;   /* of the code of the program outside of bodies */
    uint64_t ends;               /* the task at whose end others are released, or 0: by the body that runs */
    struct { const char *at; uint32_t text; } cache[DFI_TEXT_CACHE], constant[DFI_TEXT_CACHE]; /* constant: `at` is where the program has it */
};

enum { DFI_PERF_MOST = 4, DFI_PERF_NUMBERS = 2 + DFI_PERF_MOST };
/* The counters of the thread of a worker (observe/stats/perf.h). */
struct dfi_perf_group {
    unsigned run;                /* the number of the run that they are for; 0: none are open */
    int n, fd[DFI_PERF_MOST];    /* n = 0: the system refused. These change under the lock of the events; the owner looks without */
    uint64_t last[DFI_PERF_NUMBERS]; /* owner: what they were at the last look */
};

#endif
