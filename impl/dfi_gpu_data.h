/* dfi_gpu_data.h - memory whose copies stay on the devices: df_gpu_hold, DF_DATA_REGION */
#ifndef DFI_GPU_DATA_H
#define DFI_GPU_DATA_H

static struct dfi_held *dfi_held_find(const char *p, const char *end)
{
    int i;
    for (i = 0; i < dfi_engine.n_held; i++)
        if (dfi_engine.held[i].p == p && dfi_engine.held[i].end == end) return &dfi_engine.held[i];
    return NULL;
}

DFI_EXTERN_C_BEGIN
DFI_API df_result df_gpu_hold(const void *memory, size_t bytes)
{
    const char *p = (const char *)memory;
    struct dfi_held *h;
    df_result result = DF_OK;
    if (!bytes || !dfi_gpu_ready()) return DF_OK;
    dfi_os_lock(&dfi_engine_lock);
    if ((h = dfi_held_find(p, p + bytes)) != NULL) h->count++;
    else if (dfi_engine.n_held < DFI_MAX_HELD) {
        h = &dfi_engine.held[dfi_engine.n_held++];
        h->p = p, h->end = p + bytes, h->count = 1;
    } else result = DF_ERROR_MEMORY;
    dfi_os_unlock(&dfi_engine_lock);
    return result;
}
DFI_EXTERN_C_END

/* One hold less. The last one: the host gets what the devices have, if it wants it, and they forget it. */
static void dfi_held_end(const void *memory, size_t bytes, int wanted)
{
    const char *p = (const char *)memory;
    struct dfi_record *r;
    struct dfi_held *h;
    size_t i;
    int wait;
    if (!bytes || !dfi_load_relaxed(&dfi_pool.devices)) return;
    dfi_os_lock(&dfi_engine_lock);
    if ((h = dfi_held_find(p, p + bytes)) != NULL && !--h->count) {
        *h = dfi_engine.held[--dfi_engine.n_held];
        do {
            for (wait = 0, i = 0; i < DFI_RECORD_BUCKETS; i++)
                for (r = dfi_engine.records.bucket[i]; r; r = r->chain) {
                    if ((const char *)r->region.p < p || (const char *)dfi_region_end(&r->region) > p + bytes || dfi_region_held(&r->region))
                        continue;
                    if (!wanted && !r->job.under_way) dfi_record_host_valid(&dfi_engine.records, r, 1);
                    if (dfi_record_write_back(r)) wait = 1;
                    else if (!r->pins) dfi_record_invalidate(r, -1);
                }
            if (wait) dfi_engine_wait();
        } while (wait);
    }
    dfi_os_unlock(&dfi_engine_lock);
}

DFI_EXTERN_C_BEGIN
DFI_API void df_gpu_release(const void *p, size_t bytes) { dfi_held_end(p, bytes, 1); }

DFI_API struct dfi_region_block dfi_region_enter(const char *site, const struct df_data *data)
{
    struct dfi_region_block b;
    const struct df_data *d;
    b.data = data;
    for (d = data; d->how; d++) df_gpu_hold(d->p, d->bytes);
    b.block = dfi_scope_enter(site);
    b.open = 1;
    return b;
}

DFI_API void dfi_region_leave(struct dfi_region_block *b)
{
    const struct df_data *d;
    if (!b->open) return;
    b->open = 0;
    dfi_scope_leave(&b->block);
    for (d = b->data; d->how; d++) dfi_held_end(d->p, d->bytes, d->how & DFI_DATA_OUT);
}
DFI_EXTERN_C_END

#endif
