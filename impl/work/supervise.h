/* supervise.h - supervision: upcalls around code that may access the memory of tasks
 *
 * Only in builds that check declarations; in others all of these fold away. */
#ifndef DFI_WORK_SUPERVISE_H
#define DFI_WORK_SUPERVISE_H

#include "../base/compiler.h"
#include "../base/upcall.h"

struct dfi_worker;
struct dfi_scope;
struct dfi_flow;
struct dfi_region;

/* The extent of a piece of code that runs: from its begin to its end. On the stack of its thread. */
struct dfi_extent {
    int begun;
    uintptr_t room[10]; /* of the supervisor */
};

/* A function of df was called from that frame: memory below it belongs to functions that have returned. */
DFI_UPCALL(void, dfi_up_called, (struct dfi_worker *w, uintptr_t frame));
/* The running code waits: other code runs meanwhile; and continues. `outside`: it waits for an event outside of df. */
DFI_UPCALL(void, dfi_up_pause, (struct dfi_worker *w, int outside));
DFI_UPCALL(void, dfi_up_resume, (struct dfi_worker *w, int outside));
#define DFI_SUPERVISED (dfi_up_pause != NULL) /* then code must not run nested in other code that does not wait */
/* All code on the stack of w is gone, as its thread ends. */
DFI_UPCALL(void, dfi_up_unwound, (struct dfi_worker *w));
/* A part of the code of scope s begins, or of the running code if s is NULL; and ends. w may be NULL. */
DFI_UPCALL(void, dfi_up_code_begin, (struct dfi_worker *w, struct dfi_extent *c, const struct dfi_scope *s));
DFI_UPCALL(void, dfi_up_code_end, (struct dfi_worker *w, struct dfi_extent *c));
/* df itself is about to access n declared regions; and has. */
DFI_UPCALL(void, dfi_up_own_begin, (struct dfi_extent *c, const struct dfi_region *r, unsigned n));
DFI_UPCALL(void, dfi_up_own_end, (struct dfi_extent *c));
/* w is about to wait for the children of s. */
DFI_UPCALL(void, dfi_up_waits, (struct dfi_worker *w, struct dfi_scope *s));
/* All children of s are done. */
DFI_UPCALL(void, dfi_up_children_done, (struct dfi_scope *s));
/* The memory of s is about to be reused. */
DFI_UPCALL(void, dfi_up_scope_end, (struct dfi_scope *s));

#if DFI_GNU
#define DFI_CALL_FRAME ((uintptr_t)__builtin_frame_address(0))
#else
#define DFI_CALL_FRAME ((uintptr_t)0) /* then no stack is checked */
#endif
#define DFI_CALLED(w) (dfi_up_called && (w) ? dfi_up_called(w, DFI_CALL_FRAME) : (void)0)

DFI_FAST void dfi_code_pause(struct dfi_worker *w, int outside)
{
    if (dfi_up_pause) dfi_up_pause(w, outside);
}
DFI_FAST void dfi_code_resume(struct dfi_worker *w, int outside)
{
    if (dfi_up_resume) dfi_up_resume(w, outside);
}
DFI_FAST void dfi_code_begin(struct dfi_worker *w, struct dfi_extent *c, const struct dfi_scope *s)
{
    if (dfi_up_code_begin) dfi_up_code_begin(w, c, s);
}
DFI_FAST void dfi_code_end(struct dfi_worker *w, struct dfi_extent *c)
{
    if (dfi_up_code_end) dfi_up_code_end(w, c);
}
DFI_FAST void dfi_own_begin(struct dfi_extent *c, const struct dfi_region *r, unsigned n)
{
    if (dfi_up_own_begin) dfi_up_own_begin(c, r, n);
}
DFI_FAST void dfi_own_end(struct dfi_extent *c)
{
    if (dfi_up_own_end) dfi_up_own_end(c);
}
DFI_FAST void dfi_code_waits(struct dfi_worker *w, struct dfi_scope *s)
{
    if (dfi_up_waits) dfi_up_waits(w, s);
}
DFI_FAST void dfi_children_done(struct dfi_scope *s)
{
    if (dfi_up_children_done) dfi_up_children_done(s);
}

#endif
