/* worker.h - the pool and the calling thread's worker */
#ifndef DFI_WORK_WORKER_H
#define DFI_WORK_WORKER_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../os/os.h"
#include "../api/core.h"
#include "../api/result.h"
#include "types.h"

DFI_EXTERN_C_BEGIN
/* The worker of threads without one: it directs their first construct to the slow path. */
DFI_API struct dfi_hot dfi_nobody = { NULL, { 0 }, 1 };
DFI_API DFI_TLS struct dfi_hot *dfi_self = &dfi_nobody;
DFI_API struct dfi_os_mutex dfi_pool_lock = DFI_OS_MUTEX_INIT;
DFI_API const struct dfi_gpu_hook *dfi_gpu_hook = NULL;
DFI_API struct dfi_pool dfi_pool;
DFI_API struct dfi_error dfi_error_unsaid = {
    DF_ERROR_MEMORY, "a task failed, and there was no memory to remember how", { NULL, NULL } };
static void dfi_error_no_object(void *object) { (void)object; }
DFI_API struct dfi_error dfi_error_unkept = {
    DF_ERROR_EXCEPTION, "an exception left a task, and there was no memory to keep it", { NULL, dfi_error_no_object } };
DFI_EXTERN_C_END

static struct dfi_worker *dfi_attach(void);

static struct dfi_worker *dfi_me(void) /* NULL: not attached yet */
{
    return dfi_self == &dfi_nobody ? NULL : (struct dfi_worker *)(void *)dfi_self;
}

/* The calling thread's worker. The first call starts the pool. NULL: out of memory, and all work runs immediately. */
static struct dfi_worker *dfi_me_attached(void)
{
    struct dfi_worker *w = dfi_me();
    return w && dfi_load_relaxed(&dfi_pool.running) ? w : dfi_attach();
}

/* The attached worker with that index, or NULL. */
static struct dfi_worker *dfi_worker_of(int index)
{
    int i, n = dfi_load_acquire(&dfi_pool.n_slots);
    for (i = 0; i < n; i++) {
        struct dfi_worker *v = dfi_load_acquire(&dfi_pool.slot[i]);
        if (v->index == index) return v;
    }
    return NULL;
}

#endif
