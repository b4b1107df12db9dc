/* dfi_gpu_hook.h - what tasks have to do with devices, when df_gpu.h is there and found some
 *
 * A task of the host that runs after a kernel finds the kernel's results in host memory, and what it writes is what later
 * kernels read. So before its body its accesses are shown to the data engine; that is also done for what somebody waits
 * for. Without devices dfi_pool.devices is 0 and nobody looks further. */
#ifndef DFI_GPU_HOOK_H
#define DFI_GPU_HOOK_H

struct dfi_gpu_hook {
    /* The accesses are about to be made by code of the host: waits until they can be. Threads: any, without locks. */
    void (*host)(const struct dfi_access *x, unsigned n);
    /* s launched kernels, and its children are done: waits until their results are in host memory. */
    void (*settle)(struct dfi_scope *s);
    /* df_stop: no task runs. */
    void (*stop)(void);
};
/* May tasks be run at once while one worker is alone? Not if others have to know what they access. */
static int dfi_run_now_allowed(void)
{
    return !DF_CHECK && !dfi_pool.defer && !dfi_pool.deterministic && !dfi_load_relaxed(&dfi_pool.devices);
}

/* t keeps its accesses until it runs. 0, or -1 without memory. pre: w owns t's scope. */
static DFI_COLD int dfi_gpu_note(struct dfi_worker *w, struct dfi_flow *t, const struct dfi_access *x, unsigned n)
{
    struct dfi_extra *e;
    if (!n || t->type->modes & (DFI_LAUNCH | DFI_INTERNAL)) return 0;
    if (!(e = dfi_extra_of(w, t)) || !(e->noted = (struct dfi_access *)dfi_malloc(n * sizeof *x))) return -1;
    memcpy((void *)e->noted, (const void *)x, n * sizeof *x);
    e->n_noted = n;
    return 0;
}

/* t, which the host runs, is about to begin: with the memory that it was given, and the regions it declared. */
static DFI_COLD void dfi_gpu_before_body(struct dfi_flow *t)
{
    struct dfi_extra *e = t->extra;
    unsigned i;
    dfi_gpu_hook->host(e->noted, e->n_noted);
    for (i = 0; i < e->n_noted; i++) {
        const void *p = e->noted[i].p;
        if (e->noted[i].arg == DFI_NO_ARG) continue;
        memcpy(&e->noted[i].p, (char *)t->task.args + e->noted[i].arg, sizeof p);
        if (p != e->noted[i].p) dfi_gpu_hook->host(&e->noted[i], 1); /* a buffer of its own, used before as something else */
    }
}

/* The code that runs launches a kernel as a child of s: who waits for s, or what s is part of, has to settle. */
DFI_UNUSED static DFI_COLD void dfi_scope_launches(struct dfi_scope *s)
{
    for (; s && !dfi_load_relaxed(&s->launched); s = dfi_load_relaxed(&s->parent)) dfi_store_relaxed(&s->launched, 1);
}

static DFI_COLD void dfi_scope_settle_devices(struct dfi_scope *s)
{
    dfi_store_relaxed(&s->launched, 0);
    if (dfi_load_relaxed(&dfi_pool.devices)) dfi_gpu_hook->settle(s);
}

#endif
