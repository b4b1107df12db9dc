/* identity.h - identities of bodies and tasks, for observers */
#ifndef DFI_OBSERVE_IDENTITY_H
#define DFI_OBSERVE_IDENTITY_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/upcall.h"
#include "../work/probe.h"
#include "../work/types.h"
#include "../flow/edge.h"
#include "../flow/types.h"

/* The numbers of a worker are consecutive, so that data indexed by them is contiguous, and cached. Above them is its
 * slot. Below them it counts tasks in the memory of a numbered one that were submitted while no observer was told: each
 * has the identity before plus 1. */
#define DFI_ID_NUMBERED ((uint64_t)1 << 63)
enum { DFI_ID_UNTOLD = 16, DFI_ID_SLOT = 54 }; /* bits of that count; bits below those of the slot */
DFI_STATIC_ASSERT(DFI_MAX_WORKERS <= 1 << (63 - DFI_ID_SLOT), "DFI_ID_SLOT");

struct dfi_numbers { uint64_t last; };      /* owner: the last number that it gave */
DFI_ROOM(dfi_numbers, dfi_numbers_of, dfi_worker);

static uint64_t dfi_id_new(struct dfi_worker *w)
{
    uint64_t n = ++dfi_numbers_of(w)->last & (((uint64_t)1 << (DFI_ID_SLOT - DFI_ID_UNTOLD)) - 1);
    return DFI_ID_NUMBERED | (uint64_t)dfi_slot_of(w) << DFI_ID_SLOT | n << DFI_ID_UNTOLD;
}

/* The dfi_flow.seq of a task that w begins to submit, in memory whose last task had `before`: an
 * identity, if seq has room for one. It is larger than those of earlier tasks in that memory,
 * including some that were not observed. */
static DFI_COLD size_t dfi_id_seq(struct dfi_worker *w, size_t before)
{
#if SIZE_MAX > 0xffffffff
    uint64_t n = (before & (((uint64_t)1 << DFI_ID_SLOT) - 1)) >> DFI_ID_UNTOLD;
    if (before & DFI_ID_NUMBERED && n > dfi_numbers_of(w)->last) dfi_numbers_of(w)->last = n;
    return (size_t)dfi_id_new(w);
#else
    (void)w;
    return before + 1;
#endif
}
#define dfi_up_task_number_by , dfi_id_seq

/* The identity of the task that is, or was, in the memory t; seq tells which. */
DFI_FAST uint64_t dfi_id_of(const struct dfi_flow *t, size_t seq)
{
#if SIZE_MAX > 0xffffffff
    return seq & DFI_ID_NUMBERED ? seq : (uint64_t)(uintptr_t)t >> 4 << 20 | (seq & 0xfffff);
#else
    return (uint64_t)(uintptr_t)t >> 4 << 32 | seq;
#endif
}

/* The identity of the body b, which w runs. */
DFI_UNUSED static uint64_t dfi_body_id(struct dfi_worker *w, struct dfi_body *b)
{
    if (!b->id) b->id = b->task ? dfi_id_of(b->task, b->task->seq) : dfi_id_new(w);
    return b->id;
}

/* Its home slot in a hash table with a power of two of slots. */
DFI_FAST uint32_t dfi_id_home(uint64_t id)
{
    return id & DFI_ID_NUMBERED ? (uint32_t)(id >> DFI_ID_UNTOLD) + (uint32_t)(id >> DFI_ID_SLOT) * 0x9e3779u
        : (uint32_t)(id * 0x9e3779b97f4a7c15u >> 32);
}

/* The task in whose body s is, directly or in nested scopes; NULL: none, and *bottom is the scope of the thread.
 * Threads: any that keeps s alive, because the fields read here are constant. */
DFI_UNUSED static const struct dfi_flow *dfi_around(const struct dfi_scope *s, const struct dfi_scope **bottom)
{
    const struct dfi_flow *t;
    for (;; s = dfi_load_relaxed(&s->parent)) {
        *bottom = s;
        if ((t = dfi_task_of_scope(s)) != NULL || s->kind == DFI_BOTTOM) return t;
    }
}

#endif
