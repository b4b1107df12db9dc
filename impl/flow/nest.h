/* nest.h - nesting depth of tasks that run inside df_submit
 *
 * A task that runs where it is submitted may submit the next one, and so on: a chain of 100,000 tasks would be as
 * many nested calls. Beyond depth DFI_NEST_MOST, tasks are queued and run when the calls have returned. The depth of
 * waits in bodies, calls and futures is up to the program. */
#ifndef DFI_FLOW_NEST_H
#define DFI_FLOW_NEST_H

#include "../base/compiler.h"
#include "types.h"

/* One level takes 0.2 to 1 KiB of stack besides the frame of the body. 64 levels take half of the smallest default
 * stack in use (musl, 128 KiB). In a chain, one task in 64 is queued, which costs less than 1 ns per task. */
enum { DFI_NEST_MOST = 64 };

DFI_FAST void dfi_nest_begin(struct dfi_worker *w) { dfi_tasks_of(w)->nest++; }
DFI_FAST void dfi_nest_end(struct dfi_worker *w) { dfi_tasks_of(w)->nest--; }

/* Nonzero: no further task may run inside df_submit. */
DFI_FAST int dfi_nested_deeply(const struct dfi_worker *w) { return dfi_tasks_of(w)->nest >= DFI_NEST_MOST; }

#endif
