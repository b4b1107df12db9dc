/* nest.h - tasks that run inside df_submit: how many, one in the other
 *
 * A task that is run where it is submitted may submit the next one, and so on: a chain of a hundred thousand tasks would be as many
 * calls, one in the other. Beyond DFI_NEST_MOST of them tasks are queued, and run when these have returned. Waits in bodies, calls and
 * futures of the program are bounded by the program only. */
#ifndef DFI_WORK_NEST_H
#define DFI_WORK_NEST_H

#include "../base/compiler.h"
#include "types.h"

/* One level takes 0.2 to 1 KiB of stack besides the frame of the body: half of the smallest default stack of a thread that is in use
 * (musl, 128 KiB). In a chain one task in 64 is queued, which costs less than 1 ns per task. */
enum { DFI_NEST_MOST = 64 };

DFI_INLINE void dfi_nest_begin(struct dfi_worker *w) { w->nest++; }
DFI_INLINE void dfi_nest_end(struct dfi_worker *w) { w->nest--; }

/* Nonzero: nothing more is to be run inside df_submit. */
DFI_INLINE int dfi_nested_deeply(const struct dfi_worker *w) { return w->nest >= DFI_NEST_MOST; }

#endif
