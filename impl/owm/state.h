/* state.h - the state of owner-writable memory: records of owners, and the segment that holds them
 *
 * A record is a range of addresses. There are four sets of records (owm/tree.h): allocated, freed, owned and frozen
 * ranges. They lie in one segment, which the processes of a program share (owm/copies.h), so records refer to each
 * other by number. The segment is accessed under the lock of the home. */
#ifndef DFI_OWM_STATE_H
#define DFI_OWM_STATE_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../../df_owm.h"
#include "../os/os.h"

#if DFI_OWM_CALLS

enum {
    DFI_OWM_RECORDS = 1 << 16, /* in all four sets together; 15 MiB of addresses, used as needed */
    DFI_OWM_FREED = 1024,      /* of freed memory, to recognise what is freed twice */
    DFI_OWM_PROCESSES = 32,
    DFI_OWM_REJECTED = 8,      /* a mode: the acquire was against the rules; kept for its release */
    /* flags */
    DFI_OWM_PARAMETER = 1,     /* acquired as a parameter: released at the end of the body */
    DFI_OWM_FAULTY = 2         /* was reported already when it was acquired */
};

/* Where something was done, and by whom. */
struct dfi_owm_place { char who[56], site[88]; };

struct dfi_owm_record {
    uintptr_t begin, end;
    uintptr_t most;           /* the largest end in its subtree */
    uint64_t frame;           /* owned: whose it is, in its process */
    unsigned left, right;     /* in its set; 0: none */
    unsigned rank;            /* larger than those of the subtrees */
    unsigned next, previous;  /* owned: of the same frame; allocated: in the order of the calls; unused: the next one */
    int mode, process, flags;
    uint32_t gone;            /* allocated: a bit for each process that has freed it */
    struct dfi_owm_place at;  /* acquired, allocated, frozen */
    struct dfi_owm_place then; /* allocated: the last release in it; freed: where */
};

struct dfi_owm_process { DFI_ATOMIC(int) state; };
enum { DFI_OWM_ABSENT = 0, DFI_OWM_HERE = 1, DFI_OWM_LEFT = 2, DFI_OWM_DEAD = 3 };

struct dfi_owm_segment {
    DFI_ATOMIC(intptr_t) event[DF_OWM_EVENTS];
    struct dfi_owm_process process[DFI_OWM_PROCESSES];
    DFI_ATOMIC(int) joined, complete; /* processes that have joined; no other will join */
    int processes;
    uintptr_t view, home_bytes;  /* the copies of all processes are here, each in its own memory */
    unsigned allocated, freed, owned, frozen; /* the sets */
    unsigned unused, used;       /* records that were given back; how many were ever taken */
    unsigned n_freed;
    unsigned first, last;        /* allocated, in the order of the calls */
    uint32_t random;
    struct dfi_owm_record record[DFI_OWM_RECORDS];
};

/* The home of the memory, which views are copies of: the interface of a back end. */
struct dfi_owm_home {
    void (*lock)(void), (*unlock)(void);        /* of the directory: all that is in the segment */
    /* from home to the copy of this process; NULL: there is one copy only */
    void (*fetch)(uintptr_t b, uintptr_t e);
    void (*publish)(uintptr_t b, uintptr_t e);  /* and back */
};

struct dfi_owm_state {
    struct dfi_owm_segment *s;
    const struct dfi_owm_home *home;
    int process, processes;
    unsigned cursor;             /* of several processes: the last allocation this one made */
    DFI_ATOMIC(int) unguarded;   /* pages could not be protected (owm/guard.h) */
    DFI_ATOMIC(int) full;        /* there was no record for something: from then on not all is known */
    DFI_ATOMIC(uint64_t) frames;
    struct dfi_os_mutex lock;
};
DFI_EXTERN_C_BEGIN
DFI_API DFI_TLS struct dfi_owm_frame *dfi_owm_here = NULL;
DFI_EXTERN_C_END
static void dfi_owm_lock_one(void);
static void dfi_owm_unlock_one(void);
static const struct dfi_owm_home dfi_owm_one = { dfi_owm_lock_one, dfi_owm_unlock_one, NULL, NULL };
DFI_EXTERN_C_BEGIN
DFI_API struct dfi_owm_segment dfi_owm_segment; /* of a program of one process; zero, so it takes no room in the file */
DFI_API struct dfi_owm_state dfi_owm = { &dfi_owm_segment, &dfi_owm_one, 0, 1, 0, 0, 0, 0, DFI_OS_MUTEX_INIT };
DFI_EXTERN_C_END
static void dfi_owm_lock_one(void) { dfi_os_lock(&dfi_owm.lock); }
static void dfi_owm_unlock_one(void) { dfi_os_unlock(&dfi_owm.lock); }

/* The innermost body of this thread; the thread itself if there is none. It has an id. */
static struct dfi_owm_frame *dfi_owm_me(void)
{
    static DFI_TLS struct dfi_owm_frame thread;
    struct dfi_owm_frame *f = dfi_owm_here ? dfi_owm_here : &thread;
    if (!f->id) f->id = dfi_fetch_add_relaxed(&dfi_owm.frames, (uint64_t)1) + 1;
    return f;
}

#endif

#endif
