/* speculate.h - df_speculate under DF_SERIAL: `if` and `while` */
#ifndef DFI_SERIAL_SPECULATE_H
#define DFI_SERIAL_SPECULATE_H

#include "../base/compiler.h"
#include "../api/speculate.h"
#include "impl.h"
#include "order.h"
#include "../api/public.h"

DFI_EXTERN_C_BEGIN
DFI_API int dfi_speculate_next(struct dfi_speculation *b)
{
    if (b->begun && !b->loop) return 0;
    if (!b->begun) dfi_taskgraph_cannot("df_speculate", b->site);
    b->begun = 1;
    df_wait_on(b->p, b->bytes);
    if (dfi_frame_cancelled(dfi_frame_here())) return 0; /* what would end a loop is skipped */
    return dfi_condition(b->p, b->bytes) == b->guess;
}

DFI_API void dfi_speculate_end(struct dfi_speculation *b) { (void)b; }
DFI_EXTERN_C_END

#endif
