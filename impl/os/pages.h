/* pages.h - pages whose protection changes, and the signals of accesses that it forbids: for df_owm.h
 *
 * Under DF_SERIAL pages are memory like any other. <signal.h> hides sigaction from standard C; on Linux it is reached
 * through its name in the library and its record, which is the same on all processors except those excluded below. */
#ifndef DFI_OS_PAGES_H
#define DFI_OS_PAGES_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"

#include <signal.h>

#if DFI_UNIX && !defined(DF_SERIAL)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

/* The bytes of a page: a power of two. */
DFI_UNUSED static uintptr_t dfi_os_page(void)
{
    static DFI_ATOMIC(uintptr_t) bytes;
    uintptr_t n = dfi_load_relaxed(&bytes);
    if (!n) {
        long page = sysconf(_SC_PAGESIZE);
        dfi_store_relaxed(&bytes, n = page > 0 ? (uintptr_t)page : 4096);
    }
    return n;
}
static void *dfi_sys_map(void *at, size_t bytes, int access, int how)
{
    int zero = open("/dev/zero", O_RDWR); /* MAP_ANONYMOUS has no name in standard C */
    void *p = zero < 0 ? MAP_FAILED : mmap(at, bytes, access, MAP_PRIVATE | how, zero, 0);
    if (zero >= 0) close(zero);
    return p == MAP_FAILED ? NULL : p;
}
/* Zeroed pages, taken from the system when they are used; to read only if `sealed`. NULL without memory. */
DFI_UNUSED static void *dfi_os_pages_new(size_t bytes, int sealed)
{
    return dfi_sys_map(NULL, bytes, sealed ? PROT_READ : PROT_READ | PROT_WRITE, 0);
}
DFI_UNUSED static void dfi_os_pages_free(void *p, size_t bytes) { munmap(p, bytes); }

/* Of what is mapped more may be written than there is memory, as far as the system allows that. Standard C hides it. */
#if defined(MAP_NORESERVE)
enum { DFI_SYS_NORESERVE = MAP_NORESERVE };
#elif DFI_LINUX && (defined(__x86_64__) || defined(__aarch64__) || defined(__arm__) || defined(__riscv))
enum { DFI_SYS_NORESERVE = 0x4000 };
#else
enum { DFI_SYS_NORESERVE = 0 };
#endif
/* Reserves `bytes` addresses from `at` on. Zero: some of them are not free, or not valid. */
DFI_UNUSED static int dfi_os_reserve(void *at, size_t bytes)
{
    void *p = dfi_sys_map(at, bytes, PROT_NONE, DFI_SYS_NORESERVE); /* without MAP_FIXED: at `at` if that is free */
    if (p && p != at) munmap(p, bytes);
    return p == at;
}
/* Zeroed pages at reserved addresses. Zero: without memory. */
DFI_UNUSED static int dfi_os_pages_at(void *at, size_t bytes)
{
    return dfi_sys_map(at, bytes, PROT_READ | PROT_WRITE, MAP_FIXED | DFI_SYS_NORESERVE) != NULL;
}
#else
DFI_UNUSED static uintptr_t dfi_os_page(void) { return 4096; }
DFI_UNUSED static void *dfi_os_pages_new(size_t bytes, int sealed)
{
    void *p = dfi_malloc(bytes);
    (void)sealed;
    return p ? memset(p, 0, bytes) : NULL;
}
DFI_UNUSED static void dfi_os_pages_free(void *p, size_t bytes) { (void)bytes, dfi_mfree(p); }
DFI_UNUSED static int dfi_os_reserve(void *at, size_t bytes) { return (void)at, (void)bytes, 0; }
DFI_UNUSED static int dfi_os_pages_at(void *at, size_t bytes) { return (void)at, (void)bytes, 0; }
#endif
DFI_UNUSED static uintptr_t dfi_os_page_down(uintptr_t a) { return a & ~(dfi_os_page() - 1); }
DFI_UNUSED static uintptr_t dfi_os_page_up(uintptr_t a) { return dfi_os_page_down(a + dfi_os_page() - 1); }

/* --- protection, and the signals of accesses that it forbids ------------------------------------------------------ */

#if DFI_LINUX && !defined(DF_SERIAL) && !defined(__mips__) && !defined(__sparc__) && !defined(__alpha__)
#define DFI_OS_FAULTS 1
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
DFI_UNUSED static uintptr_t dfi_sys_fault(const void *info)
{
    uintptr_t at;
    memcpy((void *)&at, (const char *)info + (sizeof at == 8 ? 16 : 12), sizeof at);
    return at;
}
#elif DFI_UNIX && !defined(DF_SERIAL) && defined(SA_SIGINFO)
#define DFI_OS_FAULTS 1
struct dfi_sys_action {
    void (*handler)(int number, void *info, void *context);
    struct sigaction real;
    int flags;
};
enum { DFI_SYS_SIGINFO = SA_SIGINFO, DFI_SYS_ONSTACK = SA_ONSTACK };
DFI_UNUSED static int dfi_sys_sigaction(int number, const struct dfi_sys_action *now, struct dfi_sys_action *before)
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
DFI_UNUSED static uintptr_t dfi_sys_fault(const void *info) { return (uintptr_t)((const siginfo_t *)info)->si_addr; }
#else
#define DFI_OS_FAULTS 0
#endif

/* Makes the pages of [b, e) read-only, or no longer. Nonzero: it failed; a system without faults does nothing. */
#if DFI_OS_FAULTS
DFI_UNUSED static int dfi_os_seal(uintptr_t b, uintptr_t e, int sealed)
{
    return mprotect((void *)b, e - b, sealed ? PROT_READ : PROT_READ | PROT_WRITE);
}
#else
DFI_UNUSED static int dfi_os_seal(uintptr_t b, uintptr_t e, int sealed) { return (void)b, (void)e, (void)sealed, 0; }
#endif

#endif
