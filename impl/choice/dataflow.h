/* dataflow.h - a build of fork-join and dataflow alone: what other builds have above flow/ (modules.h)
 *
 * Constructs of missing parts do not link (api/need.h). The options of df_submit_with are data, which no linker sees:
 * those that would change the order of tasks are reported. */
#ifndef DFI_CHOICE_DATAFLOW_H
#define DFI_CHOICE_DATAFLOW_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/upcall.h"
#include "../api/core.h"
#include "../api/submit_options.h"
#include "../api/throw.h"
#include "../work/block.h"
#include "../flow/moments.h"
#include "../flow/types.h"

DFI_LATER_NONE(const struct dfi_type *, dfi_common_type);

static DFI_COLD void dfi_options_absent(struct dfi_worker *w, const struct df_opts *o, const char *site)
{
    (void)w;
    if (o->after && *o->after)
        dfi_error("%s%sdf_opts.after has no effect, so that the task may start too early: df was built without "
                  "tokens; define DF_SMALL in place of DF_MINIMAL where DF_IMPLEMENTATION is defined",
                  site ? site : "", site ? ": " : "");
}
#define dfi_up_with_by , dfi_options_absent

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

#endif
