/* dfi_stage.h - what a stage of a pipe may return, and a pipe without parallelism; in both builds */
#ifndef DFI_STAGE_H
#define DFI_STAGE_H

/* What a stage returned, `next`, that is not one of DF_PIPE_DONE and DF_PIPE_END: the same, or after a report
 * DFI_STAGE_WRONG. An item goes forward; only df_continue may repeat the stage. */
static int dfi_stage_after(const struct dfi_pipe_type *type, const char *site, long i, int stage, int next)
{
    int in_order = next >= 0 && next & DFI_STAGE_IN_ORDER, to = next & ~DFI_STAGE_IN_ORDER;
    if (next >= 0 && to < DF_PIPE_STAGES && to >= stage + in_order) return next;
    dfi_log(DFI_LOG_STAGE, site, type->name, stage, i, stage + in_order, DF_PIPE_STAGES - 1);
    df_fail(DF_ERROR_STAGE, df_error_text(DF_ERROR_STAGE));
    return DFI_STAGE_WRONG;
}

/* All items, each from begin to end, in the same memory. Returns how many. */
static long dfi_pipe_items(const struct dfi_pipe_type *type, const char *site, void *ctx, void *item)
{
    long i;
    int end = 0;
    for (i = 0; !end && !df_cancelled(); i++) {
        int stage = 0, next;
        do {
            next = type->run(stage, item, i, ctx);
            if (next == DF_PIPE_DONE || next == DF_PIPE_END) break;
            if ((next = dfi_stage_after(type, site, i, stage, next)) >= 0) stage = next & ~DFI_STAGE_IN_ORDER;
        } while (!df_cancelled());
        end = next == DF_PIPE_END;
        if (end && stage == 0) break;
    }
    return i;
}

#endif
