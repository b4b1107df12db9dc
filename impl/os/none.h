/* none.h - operating system layer of DF_SERIAL: one thread, and no operating system
 *
 * There is nothing to lock. Waits are in os/green.h. */
#ifndef DFI_OS_NONE_H
#define DFI_OS_NONE_H

#include "../base/compiler.h"

#include <time.h>

struct dfi_os_mutex { int none; };
#define DFI_OS_MUTEX_INIT { 0 }
struct dfi_os_event { int none; };
struct dfi_os_affinity { int none; };
struct dfi_os_limit { unsigned left; };
struct dfi_green;
struct dfi_os_thread { struct dfi_green *green; };

DFI_UNUSED static void dfi_os_lock(struct dfi_os_mutex *m) { (void)m; }
DFI_UNUSED static int dfi_os_trylock(struct dfi_os_mutex *m) { return m != NULL; }
DFI_UNUSED static void dfi_os_unlock(struct dfi_os_mutex *m) { (void)m; }
DFI_UNUSED static int dfi_os_event_init(struct dfi_os_event *e)
{
    (void)e;
    return 0;
}
DFI_UNUSED static void dfi_os_event_free(struct dfi_os_event *e) { (void)e; }
DFI_UNUSED static void dfi_os_event_wake(struct dfi_os_event *e) { (void)e; }
DFI_UNUSED static void dfi_os_event_wake_all(struct dfi_os_event *e) { (void)e; }
DFI_UNUSED static void dfi_os_pause(void) {}

DFI_UNUSED static int dfi_os_limit_left(const struct dfi_os_limit *l) { return l->left != 0; }

/* The processor time of the process. */
DFI_UNUSED static uint64_t dfi_os_ns(void) { return (uint64_t)((double)clock() * (1e9 / (double)CLOCKS_PER_SEC)); }
DFI_UNUSED static int dfi_os_threads(void) { return 1; }
DFI_UNUSED static int dfi_os_cpu(void) { return -1; }
DFI_UNUSED static int dfi_os_on_stack(const void *p, const void *q) { return p && q ? -1 : 0; }
DFI_UNUSED static int dfi_os_thread_exits(void) { return 0; }

#endif
