/* serial.h - devices and data under DF_SERIAL: the host is the only device, and it has all data */
#ifndef DFI_GPU_SERIAL_H
#define DFI_GPU_SERIAL_H

#include "../base/compiler.h"
#include "../api/core.h"
#include "../api/submit_options.h"
#include "../api/wait.h"
#include "../api/result.h"
#include "../api/throw.h"
#include "../observe/graph/graph.h"
#include "../../df_gpu.h"
#include "graph.h"
#include "host/grid.h"

DFI_EXTERN_C_BEGIN
DFI_API int df_gpu_devices(void) { return 1; }

DFI_API df_result df_gpu_info(int device, df_gpu_device *info)
{
    if (device != 1 && device != DF_HOST) return DF_ERROR_DEVICE;
    dfi_host_info(info, 1);
    return DF_OK;
}

DFI_API df_result df_gpu_hold(const void *p, size_t bytes)
{
    (void)p, (void)bytes;
    return DF_OK;
}

DFI_API void df_gpu_release(const void *p, size_t bytes) { (void)p, (void)bytes; }

DFI_API struct dfi_region_block dfi_region_enter(const char *site, const df_data *data)
{
    struct dfi_region_block b;
    b.scope = dfi_scope_enter(site);
    b.data = data;
    b.open = b.scope.open;
    if (DFI_GRAPH()) dfi_graph_region(DFI_GRAPH(), data);
    return b;
}

DFI_API void dfi_region_leave_catching(struct dfi_region_block *b, struct dfi_exception *x)
{
    if (DFI_GRAPH() && b->open) dfi_graph_data(DFI_GRAPH(), b->data, DFI_DATA_OUT, "exit", NULL);
    if (x) dfi_scope_leave_catching(&b->scope, x);
    else dfi_scope_leave(&b->scope);
    b->open = b->scope.open;
}

DFI_API void dfi_region_leave(struct dfi_region_block *b) { dfi_region_leave_catching(b, NULL); }

DFI_API struct dfi_async_block dfi_async_enter(const char *site, int index, const df_data *data)
{
    struct dfi_async_block b;
    b.data = data, b.site = site, b.index = index, b.open = 1;
    if (DFI_GRAPH()) dfi_graph_async(DFI_GRAPH(), data, DFI_DATA_IN, index, site);
    return b;
}

DFI_API void dfi_async_leave(struct dfi_async_block *b)
{
    if (DFI_GRAPH() && b->open) dfi_graph_async(DFI_GRAPH(), b->data, DFI_DATA_OUT, b->index, NULL);
    b->open = 0;
}

/* Its tasks are done, but for those that wait for tokens. */
DFI_API void dfi_data_wait(int index)
{
    (void)index;
    (df_wait)();
}
DFI_EXTERN_C_END

#endif
