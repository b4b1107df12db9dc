/* dataflow.h - a build of fork-join and dataflow alone: what other builds have above flow/ (modules.h)
 *
 * The upcalls are absent, so the compiler removes the questions, with the code for the answers. Constructs of missing
 * parts do not link (api/need.h). The options of df_submit_with are data, which no linker sees: those that would change
 * the order of tasks are reported. */
#ifndef DFI_CHOICE_DATAFLOW_H
#define DFI_CHOICE_DATAFLOW_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/upcall.h"
#include "../api/throw.h"
#include "../work/find.h"
#include "../work/future.h"
#include "../work/pool.h"
#include "../work/scope.h"
#include "../work/task.h"
#include "../work/thread_end.h"
#include "../work/types.h"
#include "../work/wake.h"
#include "../flow/edge.h"
#include "../flow/moments.h"
#include "../flow/scope.h"
#include "../flow/throttle.h"
#include "../api/core.h"
#include "../api/submit_options.h"
#include "../api/task.h"

DFI_LATER_NONE(const struct dfi_type *, dfi_common_type);

static DFI_COLD void dfi_options_absent(struct dfi_worker *w, const struct df_opts *o, const char *site)
{
    (void)w;
    if (o->after && *o->after)
        dfi_error("%s%sdf_opts.after has no effect, so that the task may start too early: df was built without "
                  "tokens; define DF_SMALL in place of DF_MINIMAL where DF_IMPLEMENTATION is defined",
                  site ? site : "", site ? ": " : "");
}
DFI_UPCALL_IS(dfi_up_with, dfi_options_absent);
DFI_UPCALL_NONE(dfi_up_with_end);

/* Functions that C++ files refer to, whether or not an exception leaves a task. */
DFI_EXTERN_C_BEGIN
DFI_API DFI_COLD int dfi_threw(const struct dfi_exception *x, const char *text)
{
    dfi_error("an exception that left a task is dropped, \"%s\": df was built without errors; catch it in the task, or "
              "define DF_SMALL in place of DF_MINIMAL where DF_IMPLEMENTATION is defined", text);
    x->drop(x->object);
    return 1;
}
DFI_API int dfi_threw_take(struct dfi_exception *x)
{
    (void)x;
    return 0;
}
DFI_API void dfi_scope_leave_catching(struct dfi_parallel_block *b, struct dfi_exception *x)
{
    (void)x;
    dfi_scope_leave(b);
}
DFI_EXTERN_C_END

/* --- work/ ------------------------------------------------------------------------------------------------ */

DFI_UPCALL_NONE(dfi_up_code_unwinds);
DFI_UPCALL_NONE(dfi_up_fails);
DFI_UPCALL_NONE(dfi_up_throttle);

/* --- flow/ ------------------------------------------------------------------------------------------------ */

DFI_UPCALL_NONE(dfi_up_access);
DFI_UPCALL_NONE(dfi_up_alone_cancelled);
DFI_UPCALL_NONE(dfi_up_alone_done);
DFI_UPCALL_NONE(dfi_up_alone_ready);
DFI_UPCALL_NONE(dfi_up_alone_runs);
DFI_UPCALL_NONE(dfi_up_alone_waits);
DFI_UPCALL_NONE(dfi_up_arrives);
DFI_UPCALL_NONE(dfi_up_bare_begins);
DFI_UPCALL_NONE(dfi_up_bare_ends);
DFI_UPCALL_NONE(dfi_up_bare_waited);
DFI_UPCALL_NONE(dfi_up_bare_waits);
DFI_UPCALL_NONE(dfi_up_before_begins);
DFI_UPCALL_NONE(dfi_up_before_done);
DFI_UPCALL_NONE(dfi_up_begins);
DFI_UPCALL_NONE(dfi_up_block_comes);
DFI_UPCALL_NONE(dfi_up_block_opens);
DFI_UPCALL_NONE(dfi_up_body_begins);
DFI_UPCALL_NONE(dfi_up_body_done);
DFI_UPCALL_NONE(dfi_up_body_ends);
DFI_UPCALL_NONE(dfi_up_code_left);
DFI_UPCALL_NONE(dfi_up_creates);
DFI_UPCALL_NONE(dfi_up_done);
DFI_UPCALL_NONE(dfi_up_ends_on_stack);
DFI_UPCALL_NONE(dfi_up_entry_free);
DFI_UPCALL_NONE(dfi_up_entry_new);
DFI_UPCALL_NONE(dfi_up_extra_free);
DFI_UPCALL_NONE(dfi_up_find_around);
DFI_UPCALL_NONE(dfi_up_flow_scope_free);
DFI_UPCALL_NONE(dfi_up_flow_scope_new);
DFI_UPCALL_NONE(dfi_up_follows_parts);
DFI_UPCALL_NONE(dfi_up_follows_sharers);
DFI_UPCALL_NONE(dfi_up_joined);
DFI_UPCALL_NONE(dfi_up_joins);
DFI_UPCALL_NONE(dfi_up_lacks_record);
DFI_UPCALL_NONE(dfi_up_leaves_stack);
DFI_UPCALL_NONE(dfi_up_may_run_now);
DFI_UPCALL_NONE(dfi_up_opened);
DFI_UPCALL_NONE(dfi_up_options);
DFI_UPCALL_NONE(dfi_up_options_matter);
DFI_UPCALL_NONE(dfi_up_owes);
DFI_UPCALL_NONE(dfi_up_ready);
DFI_UPCALL_NONE(dfi_up_registered);
DFI_UPCALL_NONE(dfi_up_registers);
DFI_UPCALL_NONE(dfi_up_releases);
DFI_UPCALL_NONE(dfi_up_runs_here);
DFI_UPCALL_NONE(dfi_up_runs_now);
DFI_UPCALL_NONE(dfi_up_sharers_end);
DFI_UPCALL_NONE(dfi_up_skipped);
DFI_UPCALL_NONE(dfi_up_stays);
DFI_UPCALL_NONE(dfi_up_waited);
DFI_UPCALL_NONE(dfi_up_waited_for);
DFI_UPCALL_NONE(dfi_up_waits_for);

#endif
