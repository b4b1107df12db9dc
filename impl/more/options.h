/* options.h - the options of a task that features take (df_opts), besides those of flow/options.h */
#ifndef DFI_MORE_OPTIONS_H
#define DFI_MORE_OPTIONS_H

#include "../work/types.h"
#include "../flow/moments.h"
#include "../flow/types.h"
#include "handle.h"
#include "token.h"
#include "types.h"
#include "weak.h"
#include "../api/result.h"
#include "../api/submit_options.h"

DFI_SMALL_CODE_BEGIN

static void dfi_more_with(struct dfi_worker *w, const struct df_opts *o, const char *site)
{
    /* not in a block that should not have been executed. The decision comes first, because an earlier turn of a loop
     * may use the same handle */
    if (DFI_UNLIKELY(o->handle != NULL) && !(w && dfi_dropped(w))) dfi_handle_begin(w, o->handle, site);
    dfi_token_with(w, o, site);
}
#define dfi_up_with_by , dfi_more_with

static void dfi_more_with_end(struct dfi_worker *w, const struct df_opts *o)
{
    int ran = w ? dfi_tasks_of(w)->ran_now : DFI_RAN_NOW;
    dfi_token_with_end(w, o);
    if (DFI_UNLIKELY(o->handle != NULL) && ran && ran != DFI_DROPPED) {
        int code = dfi_load_relaxed(&o->handle->dfi_code); /* dfi_here_failed */
        dfi_handle_not_here(w, o->handle);
        dfi_handle_end(w, o->handle, w ? dfi_tasks_of(w)->opts_site : "df_submit_with",
                       ran == DFI_PASSED_OVER && !code ? (int)DF_ERROR_CANCELLED : code);
    }
}
#define dfi_up_with_end_by , dfi_more_with_end

static int dfi_more_options_matter(const struct df_opts *o)
{
    return (o->after && *o->after) || (o->signals && *o->signals) || o->group || o->release || o->deterministic ||
           o->handle || o->rank;
}
#define dfi_up_options_matter_by , dfi_more_options_matter

/* Gives t, which has optional state, the options o, except tokens and df_release. */
static void dfi_more_options_give(struct dfi_flow *t, const struct df_opts *o)
{
    dfi_cancel_of(t->extra)->group = o->group;
    dfi_cancel_of(t->extra)->always = o->always;
    dfi_noted_of(t->extra)->device = o->device;
}

static int dfi_more_options(struct dfi_worker *w, struct dfi_flow *t, const struct df_opts *o)
{
    dfi_more_options_give(t, o);
    if (o->handle) dfi_handle_give(w, t, o->handle);
    if (dfi_token_opts(w, t, o)) return -1;
    return o->release ? dfi_weak_releasable(w, t) : 0;
}
#define dfi_up_options_by , dfi_more_options

DFI_SMALL_CODE_END

#endif
