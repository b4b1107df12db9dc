/* os.h - pages whose protection can be changed, and the handler of forbidden writes
 *
 * <signal.h> hides sigaction from standard C; on Linux it is reached through its name in the library and its record,
 * which is the same on all processors except those excluded below. */
#ifndef DFI_OWM_OS_H
#define DFI_OWM_OS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"
#if !defined(DF_SERIAL)
#include "../os/os.h"
#endif

#if DFI_OWM_CALLS

#include <signal.h>

#if DFI_POSIX
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#endif

#if !DF_CHECK
#define DFI_OWM_FAULTS 0
#elif DFI_POSIX && defined(__linux__) && DFI_GNU && !defined(__mips__) && !defined(__sparc__) && !defined(__alpha__)
#define DFI_OWM_FAULTS 1
struct dfi_sys_action {
    void (*handler)(int number, void *info, void *context);
    unsigned long mask[128 / sizeof(unsigned long)];
    int flags;
    void (*restorer)(void);
};
enum { DFI_SYS_SIGINFO = 4, DFI_SYS_ONSTACK = 0x08000000 };
extern int dfi_sys_sigaction(int number, const struct dfi_sys_action *now,
                             struct dfi_sys_action *before) __asm__("sigaction");
/* siginfo_t begins with three ints; the address follows, aligned */
static uintptr_t dfi_sys_fault(const void *info)
{
    uintptr_t at;
    memcpy((void *)&at, (const char *)info + (sizeof at == 8 ? 16 : 12), sizeof at);
    return at;
}
#elif DFI_POSIX && defined(SA_SIGINFO)
#define DFI_OWM_FAULTS 1
struct dfi_sys_action {
    void (*handler)(int number, void *info, void *context);
    struct sigaction real;
    int flags;
};
enum { DFI_SYS_SIGINFO = SA_SIGINFO, DFI_SYS_ONSTACK = SA_ONSTACK };
static int dfi_sys_sigaction(int number, const struct dfi_sys_action *now, struct dfi_sys_action *before)
{
    struct sigaction a, b;
    memset((void *)&a, 0, sizeof a);
    if (now) {
        if (now->flags & DFI_SYS_SIGINFO)
            a.sa_sigaction = (void (*)(int, siginfo_t *, void *))(void (*)(void))now->handler;
        else a.sa_handler = (void (*)(int))(void (*)(void))now->handler;
        a.sa_flags = now->flags, a.sa_mask = now->real.sa_mask;
    }
    if (sigaction(number, now ? &a : NULL, &b)) return -1;
    if (before) {
        before->real = b, before->flags = b.sa_flags;
        before->handler = b.sa_flags & SA_SIGINFO ? (void (*)(int, void *, void *))(void (*)(void))b.sa_sigaction
                                                  : (void (*)(int, void *, void *))(void (*)(void))b.sa_handler;
    }
    return 0;
}
static uintptr_t dfi_sys_fault(const void *info) { return (uintptr_t)((const siginfo_t *)info)->si_addr; }
#else
#define DFI_OWM_FAULTS 0
#endif

static uintptr_t dfi_owm_page(void)
{
#if DFI_POSIX
    static DFI_ATOMIC(uintptr_t) bytes;
    uintptr_t n = dfi_load_relaxed(&bytes);
    if (!n) {
        long page = sysconf(_SC_PAGESIZE);
        dfi_store_relaxed(&bytes, n = page > 0 ? (uintptr_t)page : 4096);
    }
    return n;
#else
    return 4096;
#endif
}
static uintptr_t dfi_owm_down(uintptr_t a) { return a & ~(dfi_owm_page() - 1); }
static uintptr_t dfi_owm_up(uintptr_t a) { return dfi_owm_down(a + dfi_owm_page() - 1); }

/* Zeroed pages, taken from the system when they are used; to read only if `sealed`. NULL without memory. */
static void *dfi_owm_map(size_t bytes, int sealed)
{
#if DFI_POSIX
    int zero = open("/dev/zero", O_RDWR); /* MAP_ANONYMOUS has no name in standard C */
    void *p = zero < 0 ? MAP_FAILED : mmap(NULL, bytes, sealed ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE,
                                           zero, 0);
    if (zero >= 0) close(zero);
    return p == MAP_FAILED ? NULL : p;
#else
    void *p = dfi_malloc(bytes);
    (void)sealed;
    return p ? memset(p, 0, bytes) : NULL;
#endif
}
static void dfi_owm_unmap(void *p, size_t bytes)
{
#if DFI_POSIX
    munmap(p, bytes);
#else
    (void)bytes, dfi_mfree(p);
#endif
}
#if DF_CHECK
static int dfi_owm_protect(uintptr_t b, uintptr_t e, int sealed)
{
#if DFI_OWM_FAULTS
    return mprotect((void *)b, e - b, sealed ? PROT_READ : PROT_READ | PROT_WRITE);
#else
    (void)b, (void)e, (void)sealed;
    return 0;
#endif
}
#endif

#endif

#endif
