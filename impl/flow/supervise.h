/* supervise.h - supervision of tasks (work/supervise.h): upcalls of builds that check declarations */
#ifndef DFI_FLOW_SUPERVISE_H
#define DFI_FLOW_SUPERVISE_H

#include "../base/upcall.h"
#include "../api/access.h"

struct dfi_flow;
struct dfi_region;
struct dfi_scope;
struct dfi_worker;

/* t is new; s is new. */
DFI_UPCALL(void, dfi_up_created, (struct dfi_flow *t));
DFI_UPCALL(void, dfi_up_scope_created, (struct dfi_scope *s));
/* t is being submitted with n accesses. */
DFI_UPCALL(void, dfi_up_submits, (struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x, unsigned n));
/* The source line that submitted t, or NULL. */
DFI_UPCALL(const char *, dfi_up_site, (const struct dfi_flow *t));
/* t is ready: its predecessors are done. */
DFI_UPCALL(void, dfi_up_is_ready, (struct dfi_flow *t));
/* t and its descendants are done, and no thread or task knows it yet. May be told twice. */
DFI_UPCALL(void, dfi_up_task_done, (struct dfi_flow *t));
/* df_wait_on: all tasks submitted so far that write there are done. */
DFI_UPCALL(void, dfi_up_waited_on, (struct dfi_worker *w, const struct dfi_access *x));
/* The running task no longer accesses r. */
DFI_UPCALL(void, dfi_up_released, (struct dfi_worker *w, const struct dfi_region *r));
/* Code of scope s, which may be NULL, passes these bytes on from one of its parts to the next; bytes 0: no longer. */
DFI_UPCALL(void, dfi_up_items, (struct dfi_scope *s, const void *p, size_t bytes));
/* The operator with that key is about to combine n elements at `from` into those at `into`, in any order. */
DFI_UPCALL(void, dfi_up_combines, (void (*combine)(void *, const void *, size_t), const void *key, size_t size,
                                   const char *into, const char *from, size_t n));
/* Is that operator compared in both orders? Then there must be something to combine, even if tasks run one after the
 * other. */
DFI_UPCALL(int, dfi_up_combines_more, (const void *key));

#endif
