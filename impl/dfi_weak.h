/* dfi_weak.h - to come */
#ifndef DFI_WEAK_H
#define DFI_WEAK_H
static int dfi_weak_releasable(struct dfi_worker *w, struct dfi_flow *t) { (void)w, (void)t; return 0; }
static int dfi_weak_submit(struct dfi_worker *w, struct dfi_flow *t, struct dfi_access *x, unsigned n)
{
    unsigned i;
    (void)w, (void)t;
    for (i = 0; i < n; i++) x[i].mode &= ~(unsigned)DFI_WEAK;
    return 0;
}
DFI_API void dfi_release(const void *p, size_t bytes) { (void)p, (void)bytes; }
#endif
