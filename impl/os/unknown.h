/* unknown.h - what posix.h and c11.h cannot do or tell */
#ifndef DFI_OS_UNKNOWN_H
#define DFI_OS_UNKNOWN_H

#include "../base/compiler.h"

enum { DFI_MAX_CPUS = 4096 };
struct dfi_os_affinity { unsigned long bits[DFI_MAX_CPUS / (8 * sizeof(unsigned long))]; };

DFI_UNUSED static int dfi_os_get_affinity(struct dfi_os_affinity *a) { return (void)a, -1; }
DFI_UNUSED static int dfi_os_process_affinity(struct dfi_os_affinity *a) { return (void)a, -1; }
DFI_UNUSED static int dfi_os_set_affinity(const struct dfi_os_affinity *a) { return (void)a, -1; }
DFI_UNUSED static int dfi_cgroup_cpus(const char *root) { return (void)root, 0; }
DFI_UNUSED static int dfi_os_cpu(void) { return -1; }

DFI_UNUSED static int dfi_os_threads(void) { return 0; }
DFI_UNUSED static long dfi_os_thread_number(void) { return 0; }
DFI_UNUSED static int dfi_os_main_thread(void) { return 0; }
DFI_UNUSED static int dfi_os_thread_runs(long number) { return (void)number, 0; }
DFI_UNUSED static void dfi_os_thread_name(const char *name) { (void)name; }
DFI_UNUSED static int dfi_os_on_stack(const void *p, const void *q) { return p && q ? -1 : 0; }
DFI_UNUSED static int dfi_os_thread_exits(void) { return 0; }
DFI_UNUSED static void dfi_os_at_unwind(void (*fn)(void)) { (void)fn; }

DFI_UNUSED static int dfi_os_fence_all(void) { return -1; }
DFI_UNUSED static void dfi_os_fence_load(void) {}
#define dfi_os_fence_compiler() ((void)0)

DFI_UNUSED static int dfi_os_first_line(const char *path, char *line, int bytes)
{
    return (void)path, (void)line, (void)bytes, -1;
}

#endif
