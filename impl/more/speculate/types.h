/* types.h - predicates of speculation, and what tasks, scopes and regions have of them */
#ifndef DFI_MORE_SPECULATE_TYPES_H
#define DFI_MORE_SPECULATE_TYPES_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../api/speculate.h"
#include "../../flow/types.h"
#include "../../work/types.h"
#include "../types.h"

enum { DFI_PREDICATE_OPEN, DFI_PREDICATE_RIGHT, DFI_PREDICATE_WRONG };
struct dfi_predicate {
    struct dfi_predicate *outer;    /* the predicate of the enclosing block, which this one keeps alive, or NULL */
    struct dfi_scope *scope;
    struct dfi_condition when;
    int guess;
    /* owner of the scope only */
    struct dfi_predicate *next, *older; /* predicates of the same loop */
    size_t id;                      /* unique */
    struct dfi_ref decision;
    struct dfi_region *region;      /* regions written by its tasks */
    unsigned n_regions, max_regions;
    int incomplete;                 /* memory to list a region was lacking */
    char line[DFI_LINE];
    DFI_ATOMIC(intptr_t) state;     /* DFI_PREDICATE_OPEN ..; resolved once */
    DFI_ATOMIC(intptr_t) refs;
    DFI_ATOMIC(struct dfi_undo *) undo;
    DFI_ATOMIC(struct dfi_error *) error;
};

/* Of a tentative task: its predicate, and undo memory for the regions that it will overwrite, or NULL. */
struct dfi_tentative_task { struct dfi_predicate *predicate; struct dfi_undo *undo; };
DFI_ROOM(dfi_tentative_task, dfi_tentative_of, dfi_extra);
DFI_FAST struct dfi_predicate *dfi_predicate_over(const struct dfi_flow *t)
{
    return dfi_tentative_of(t->extra)->predicate;
}

/* The predicate that controls new children; only with DFI_ASKS_TENTATIVE. */
struct dfi_tentative_scope { struct dfi_predicate *predicate; };
DFI_ROOM(dfi_tentative_scope, dfi_tentative_in, dfi_scope);
DFI_FAST struct dfi_predicate *dfi_predicate_now(const struct dfi_scope *s)
{
    return s->asks & DFI_ASKS_TENTATIVE ? dfi_tentative_in(s)->predicate : NULL;
}
DFI_FAST void dfi_predicate_set(struct dfi_scope *s, struct dfi_predicate *g)
{
    dfi_tentative_in(s)->predicate = g;
    if (g) s->asks |= DFI_ASKS_TENTATIVE;
    else s->asks &= ~(unsigned)DFI_ASKS_TENTATIVE;
}

/* Of a region: IDs of the predicates that last listed it, and that last saved its contents (task.h). */
struct dfi_tentative_entry { size_t listed, saved; };
DFI_ROOM(dfi_tentative_entry, dfi_listed_of, dfi_entry);

#endif
