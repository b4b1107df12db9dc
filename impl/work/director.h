/* director.h - the director: what chooses the schedule of a run, by a seed or by a record
 *
 * Programs run without one. With a seed, it ranks ready tasks, and decides at some points which of the permitted things
 * happens. To record or replay a schedule, it gives the threads turns: a thread runs only in its turn, which ends when
 * it leaves df, parks, or comes to a point. */
#ifndef DFI_WORK_DIRECTOR_H
#define DFI_WORK_DIRECTOR_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/upcall.h"
#include "../os/os.h"
#include "probe.h"

struct dfi_worker;
struct dfi_flow;
struct dfi_future;

/* Things that a seed makes a program do never, rarely, often or always: a ready task runs at the next submission, a
 * function runs at its spawn, loops run backwards, turns change. */
enum { DFI_HABIT_SUBMIT, DFI_HABIT_SPAWN, DFI_HABIT_BACKWARDS, DFI_HABIT_TURN, DFI_HABIT_LATE /* and the slot */ };

enum { DFI_SEEDED = 1, DFI_TURNS = 2, DFI_REPLAYS = 4 };
DFI_EXTERN_C_BEGIN
DFI_API DFI_ATOMIC(unsigned) dfi_directed; /* of these; turns may cease while workers run */
DFI_EXTERN_C_END

DFI_UPCALL(void, dfi_up_turn_take, (struct dfi_worker *w));
DFI_UPCALL(void, dfi_up_turn_drop, (struct dfi_worker *w));
DFI_UPCALL(void, dfi_up_turn_outside, (struct dfi_worker *w));
DFI_UPCALL(void, dfi_up_turn_point, (struct dfi_worker *w));
DFI_UPCALL(int, dfi_up_turn_look, (struct dfi_worker *w));
DFI_UPCALL(struct dfi_worker *, dfi_up_stranger, (void));
DFI_UPCALL(void, dfi_up_stranger_is, (struct dfi_worker *stranger, struct dfi_worker *w));
DFI_UPCALL(int, dfi_up_now_and_then, (struct dfi_worker *w, unsigned habit));
DFI_UPCALL(uint64_t, dfi_up_rank, (const struct dfi_flow *t));
DFI_UPCALL(int, dfi_up_backwards, (struct dfi_worker *w));
DFI_UPCALL(uint64_t, dfi_up_clock, (struct dfi_worker *w));

DFI_INLINE unsigned dfi_direction(unsigned which)
{
    return dfi_up_turn_take ? dfi_load_relaxed(&dfi_directed) & which : 0;
}
DFI_INLINE int dfi_seeded(void) { return DFI_UNLIKELY(dfi_direction(DFI_SEEDED)) != 0; }
DFI_INLINE int dfi_turns(void) { return DFI_UNLIKELY(dfi_direction(DFI_TURNS)) != 0; }
DFI_INLINE int dfi_replays(void) { return DFI_UNLIKELY(dfi_direction(DFI_REPLAYS)) != 0; }

/* w comes to df: it waits for its turn unless it has it. */
DFI_FAST void dfi_turn_take(struct dfi_worker *w)
{
    if (dfi_turns()) dfi_up_turn_take(w);
}
/* w is about to park, or leaves df. */
DFI_FAST void dfi_turn_drop(struct dfi_worker *w)
{
    if (dfi_turns()) dfi_up_turn_drop(w);
}
/* The code that w runs on is possibly outside of bodies and blocks. Then its turn ends, unless it has unfinished
 * tasks. */
DFI_FAST void dfi_turn_outside(struct dfi_worker *w)
{
    if (dfi_turns()) dfi_up_turn_outside(w);
}
/* A point at which w may be delayed, or lose its turn. */
DFI_FAST void dfi_turn_point(struct dfi_worker *w)
{
    if (dfi_wanted(DFI_AT_TURN)) dfi_up_turn_point(w);
}
/* A parked worker wakes to check for deadlock. Zero: not now. Nonzero: it has its turn. */
DFI_INLINE int dfi_turn_look(struct dfi_worker *w) { return !dfi_turns() || dfi_up_turn_look(w); }

/* The time of a body is the difference of two of these. If a schedule must repeat, the clock shows the same in every
 * run of it. w may be NULL. */
DFI_FAST uint64_t dfi_work_ns(struct dfi_worker *w)
{
    return !dfi_direction(DFI_SEEDED | DFI_TURNS) || !w ? dfi_os_ns() : dfi_up_clock(w);
}

#endif
