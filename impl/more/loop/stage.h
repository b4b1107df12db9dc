/* stage.h - results of pipe stages, and pipes run serially; in both builds */
#ifndef DFI_MORE_LOOP_STAGE_H
#define DFI_MORE_LOOP_STAGE_H

#include "../../base/log.h"
#include "../../api/loop.h"
#include "../../api/result.h"
#include "../../work/probe.h"
#include "../../work/tables.h"
#include "../../work/worker.h"
#include "../points.h"
#include "../../api/error.h"
#include "../../api/pipe.h"

/* Checks `next`, returned by a stage, and neither DF_PIPE_DONE nor DF_PIPE_END. Returns it, or
 * DFI_STAGE_WRONG after a report. An item moves forward. Only df_continue may repeat a stage, and
 * none may repeat stage 0, which ends when the next item begins. */
static int dfi_stage_after(const struct dfi_pipe_type *type, const char *site, long i, int stage, int next)
{
    int least = stage + (stage == 0 || (next >= 0 && next & DFI_STAGE_IN_ORDER)), to = next & ~DFI_STAGE_IN_ORDER;
    if (next >= 0 && to < DF_PIPE_STAGES && to >= least) return next;
    dfi_error("%s: df_pipe(%s, ...): stage %d of item %ld has a wrong result: the pipe ends with DF_ERROR_STAGE; "
              "return a stage from %d to %d, DF_PIPE_DONE or DF_PIPE_END",
              site, type->name, stage, i, least, DF_PIPE_STAGES - 1);
    df_fail(DF_ERROR_STAGE, df_error_text(DF_ERROR_STAGE));
    return DFI_STAGE_WRONG;
}

/* Executes that stage of item i. */
static DFI_NOINLINE int dfi_stage_watched(const struct dfi_pipe_type *type, int stage, void *item, long i, void *ctx)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_body r;
    int watched = dfi_part_begin(w, &r, DFI_RAN_STAGE, type->name), next = type->run(stage, item, i, ctx);
    if (watched) dfi_part_end(w, &r, stage, i);
    return next;
}

static int dfi_stage_run(const struct dfi_pipe_type *type, int stage, void *item, long i, void *ctx)
{
    return !dfi_wanted(DFI_AT_BEGIN) ? type->run(stage, item, i, ctx) : dfi_stage_watched(type, stage, item, i, ctx);
}

enum { DFI_ITEM_DONE, DFI_ITEM_NONE, DFI_ITEM_LAST };

/* Runs all stages of item i. DFI_ITEM_NONE: stage 0 returned that there is none; DFI_ITEM_LAST: none
 * follows. */
static int dfi_pipe_whole(const struct dfi_pipe_type *type, const char *site, void *ctx, void *item, long i)
{
    int stage = 0, next;
    do {
        next = dfi_stage_run(type, stage, item, i, ctx);
        if (next == DF_PIPE_DONE) return DFI_ITEM_DONE;
        if (next == DF_PIPE_END) return stage ? DFI_ITEM_LAST : DFI_ITEM_NONE;
        if ((next = dfi_stage_after(type, site, i, stage, next)) < 0) break;
        stage = next & ~DFI_STAGE_IN_ORDER;
    } while (!df_cancelled());
    return DFI_ITEM_LAST;
}

/* Runs all items serially in the same memory. Returns their number. */
static long dfi_pipe_items(const struct dfi_pipe_type *type, const char *site, void *ctx, void *item)
{
    long i;
    int result = DFI_ITEM_DONE;
    for (i = 0; result == DFI_ITEM_DONE && !df_cancelled(); i += result != DFI_ITEM_NONE)
        result = dfi_pipe_whole(type, site, ctx, item, i);
    return i;
}

#endif
