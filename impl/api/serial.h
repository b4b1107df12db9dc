/* serial.h - serial elision: the frames of DF_SERIAL builds
 *
 * df_submit is a call inside a frame. The frame holds the state that ends with the task: memory of df_local, the state
 * of cancellation, and tasks that wait for a token, an input or a stream, or for other waiting tasks. C99, no thread,
 * no atomic. */
#ifndef DFI_API_SERIAL_H
#define DFI_API_SERIAL_H

#include "../base/compiler.h"
#include "access.h"
#include "task.h"
#include "throw.h"

#if defined(DF_SERIAL)

struct dfi_local;
struct dfi_scope;
struct dfi_error;
struct dfi_task { void *args; };
struct dfi_future { int state; };
enum { DFI_ERROR_TEXT = 100 };

/* A running task, a DF_PARALLEL block, or the thread. */
struct dfi_frame {
    struct dfi_frame *outer;       /* the enclosing frame */
    struct dfi_frame *moved;       /* a copy in memory that outlives the call; from the first child that waits */
    struct dfi_local *locals;
    struct df_group *group;
    struct dfi_error *error;       /* details of `code`; may be NULL */
    int is_task, is_scope, cancelled, code; /* is_scope: it is the first member of a struct dfi_scope */
};
struct dfi_block { struct dfi_frame *frame; int open; };
struct dfi_error { char text[DFI_ERROR_TEXT]; struct dfi_exception threw; };

DFI_EXTERN_C_BEGIN
/* Begins a task. 0: it is cancelled; 1: call it; 2: other tasks wait and may precede it, so submit it by
 * dfi_serial_with. */
DFI_API int dfi_serial_enter(struct dfi_frame *m);
/* Ends the task. Not NULL: some of its children wait, so the task is not done for its successors: call
 * dfi_serial_keep. */
DFI_API struct dfi_scope *dfi_serial_leave(struct dfi_frame *m);
DFI_API void dfi_serial_keep(struct dfi_scope *s, struct dfi_access *x, unsigned n);
DFI_API void dfi_serial_with(const struct df_opts *opts, const char *site, const struct dfi_type *type,
                             const void *args, struct dfi_access *x, unsigned n);
DFI_API struct dfi_block dfi_scope_enter(const char *site);
DFI_API void dfi_scope_leave(struct dfi_block *b);
DFI_API void *dfi_local_alloc(size_t n, size_t bytes);
DFI_EXTERN_C_END

#endif

#endif
