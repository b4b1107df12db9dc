/* loop.h - loops and pipes under DF_SERIAL */
#ifndef DFI_SERIAL_LOOP_H
#define DFI_SERIAL_LOOP_H

#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../api/access.h"
#include "../api/loop.h"
#include "../api/result.h"
#include "../api/serial.h"
#include "../api/throw.h"
#include "../more/loop/range.h"
#include "../more/loop/stage.h"
#include "impl.h"
#include "../api/public.h"

static int dfi_stage_run(const struct dfi_pipe_type *type, int stage, void *item, long i, void *ctx) { return type->run(stage, item, i, ctx); }

static void dfi_loop_leave(struct dfi_block *b, struct dfi_exception *threw)
{
    if (threw) dfi_scope_leave_catching(b, threw);
    else dfi_scope_leave(b);
}

DFI_EXTERN_C_BEGIN
DFI_API void dfi_for_catching(const struct dfi_loop_type *type, const df_loop *o, const char *site, const long *bounds, void *args,
                              struct dfi_access *x, unsigned n, struct dfi_exception *threw)
{
    df_loop repaired;
    struct dfi_block b = dfi_scope_enter(site);
    (void)x, (void)n;
    o = dfi_loop_options(o, site, &repaired);
    if (!dfi_range_empty(o, bounds, type->dims) && !dfi_frame_cancelled(dfi_frame_here())) type->run(bounds, args);
    dfi_loop_leave(&b, threw);
}

DFI_API void dfi_for(const struct dfi_loop_type *type, const df_loop *o, const char *site, const long *bounds, void *args,
                     struct dfi_access *x, unsigned n)
{
    dfi_for_catching(type, o, site, bounds, args, x, n, NULL);
}

DFI_API void dfi_wavefront_catching(const struct dfi_loop_type *type, const df_loop *o, const long (*v)[3], const char *site,
                                    const long *bounds, void *args, struct dfi_access *x, unsigned n, struct dfi_exception *threw)
{
    dfi_vectors_right(v, type->dims, site, type->name);
    dfi_for_catching(type, o, site, bounds, args, x, n, threw);
}

DFI_API void dfi_wavefront(const struct dfi_loop_type *type, const df_loop *o, const long (*v)[3], const char *site,
                           const long *bounds, void *args, struct dfi_access *x, unsigned n)
{
    dfi_wavefront_catching(type, o, v, site, bounds, args, x, n, NULL);
}

DFI_API long dfi_pipe_catching(const struct dfi_pipe_type *type, const df_pipe_opts *o, const char *site, void *ctx, struct dfi_exception *threw)
{
    void *memory = DF_MALLOC(type->item_bytes + 63), *item;
    struct dfi_block b;
    long i;
    if (threw) threw->drop = NULL;
    if (o && o->window < 0) dfi_error("%s: df_pipe_opts.window = %ld is negative: taken as 0", site, o->window);
    if (!memory) {
        dfi_error("%s: df_pipe(%s, ...): no memory for one item of %lu bytes: nothing was run",
                  site, type->name, (unsigned long)type->item_bytes);
        return DF_ERROR_MEMORY;
    }
    item = memset(dfi_align(memory), 0, type->item_bytes);
    b = dfi_scope_enter(site);
    i = dfi_pipe_items(type, site, ctx, item);
    dfi_loop_leave(&b, threw);
    DF_FREE(memory);
    return i;
}

DFI_API long dfi_pipe(const struct dfi_pipe_type *type, const df_pipe_opts *o, const char *site, void *ctx)
{
    return dfi_pipe_catching(type, o, site, ctx, NULL);
}
DFI_EXTERN_C_END

#endif
