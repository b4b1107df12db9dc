/* dfi_serial_impl.h - the functions of dfi_serial.h and of the API under DF_SERIAL */
#ifndef DFI_SERIAL_IMPL_H
#define DFI_SERIAL_IMPL_H

struct dfi_local { struct dfi_local *next; void *align; };
static DFI_TLS struct dfi_local *dfi_serial_locals;
static DFI_TLS uint64_t dfi_serial_tasks;

DFI_EXTERN_C_BEGIN
DFI_API struct dfi_local *dfi_serial_enter(void)
{
    dfi_serial_tasks++;
    return dfi_serial_locals;
}

DFI_API void dfi_serial_leave(struct dfi_local *before)
{
    while (dfi_serial_locals != before) {
        struct dfi_local *l = dfi_serial_locals;
        dfi_serial_locals = l->next;
        DF_FREE(l);
    }
}

DFI_API struct dfi_block dfi_scope_enter(const char *site)
{
    struct dfi_block b;
    (void)site;
    b.before = dfi_serial_locals, b.open = 1;
    return b;
}

DFI_API void dfi_scope_leave(struct dfi_block *b)
{
    if (b->open) dfi_serial_leave(b->before);
    b->open = 0;
}

DFI_API void *dfi_local_alloc(size_t n, size_t bytes)
{
    struct dfi_local *l;
    if (bytes && n > (SIZE_MAX - sizeof *l) / bytes) return NULL;
    bytes *= n;
    l = (struct dfi_local *)DF_MALLOC(sizeof *l + bytes);
    if (!l) return NULL;
    l->next = dfi_serial_locals, dfi_serial_locals = l;
    return memset(l + 1, 0, bytes);
}

DFI_API df_result df_start(const df_config *config)
{
    (void)config;
    return DF_OK;
}

DFI_API void df_stop(void) {}
DFI_API int df_workers(void) { return 1; }
DFI_API int df_worker(void) { return 0; }

DFI_API df_result df_stats(df_counters *out)
{
    memset(out, 0, sizeof *out);
    out->tasks = dfi_serial_tasks;
    return DF_OK;
}
DFI_EXTERN_C_END

#endif
