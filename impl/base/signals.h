/* signals.h - the signals that a thread blocks
 *
 * A new thread blocks what its creator blocks. Those of df would otherwise take signals that the program expects in
 * other threads: it may block SIGTERM later, to read it from a signalfd, and whoever still accepts it is killed. So
 * they block all signals, except those that the kernel sends to a thread for what it does itself, such as SIGSEGV and
 * SIGPIPE, and SIGPROF, by which profilers take their samples.
 *
 * Standard C hides these functions. On Linux they are reached by their assembler names, as in os/linux.h. */
#ifndef DFI_BASE_SIGNALS_H
#define DFI_BASE_SIGNALS_H

#include "compiler.h"

#include <signal.h>

#if DFI_LINUX && !defined(__mips__) && !defined(__sparc__) && !defined(__alpha__)
#define DFI_SIGNALS_LINUX 1
struct dfi_signals { unsigned long bits[128 / sizeof(unsigned long)]; }; /* signal n: bit n - 1 */
struct dfi_no_time { long zero[4]; }; /* a zero struct timespec, at least as large as any */
extern int dfi_sys_mask(int how, const struct dfi_signals *s, struct dfi_signals *before) __asm__("sigprocmask");
extern int dfi_sys_pending(struct dfi_signals *s) __asm__("sigpending");
extern int dfi_sys_take(const struct dfi_signals *s, void *info, const struct dfi_no_time *t) __asm__("sigtimedwait");
enum { DFI_SYS_BLOCK = 0, DFI_SYS_SETMASK = 2, DFI_SYS_SIGNALS = 1 << 12 | 1 << 24 /* SIGPIPE, SIGXFSZ */ };

DFI_UNUSED static void dfi_signals_block(struct dfi_signals *before)
{
    /* without SIGILL, TRAP, BUS, FPE, SEGV, PIPE, XFSZ, PROF, SYS, and 32 to below SIGRTMIN, which are the library's */
#if defined(__GLIBC__)
    const uint64_t kept = 0x1c50014d8u;
#else
    const uint64_t kept = 0x3c50014d8u;
#endif
    struct dfi_signals s;
    memset((void *)&s, 0xff, sizeof s);
    s.bits[0] = (unsigned long)~kept;
    if (sizeof *s.bits == 4) s.bits[1] = (unsigned long)(~kept >> 32);
    dfi_sys_mask(DFI_SYS_BLOCK, &s, before);
}
DFI_UNUSED static void dfi_signals_get(struct dfi_signals *now) { dfi_sys_mask(DFI_SYS_BLOCK, NULL, now); }
DFI_UNUSED static void dfi_signals_set(const struct dfi_signals *s) { dfi_sys_mask(DFI_SYS_SETMASK, s, NULL); }
#elif defined(SIG_BLOCK)
struct dfi_signals { sigset_t set; };
DFI_UNUSED static void dfi_signals_block(struct dfi_signals *before)
{
    static const int kept[] = { SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGPIPE,
#if defined(SIGXFSZ)
                                SIGXFSZ,
#endif
#if defined(SIGPROF)
                                SIGPROF,
#endif
                                SIGSYS };
    sigset_t s;
    size_t i;
    sigfillset(&s);
    for (i = 0; i < sizeof kept / sizeof *kept; i++) sigdelset(&s, kept[i]);
    sigprocmask(SIG_BLOCK, &s, &before->set);
}
DFI_UNUSED static void dfi_signals_get(struct dfi_signals *now) { sigprocmask(SIG_BLOCK, NULL, &now->set); }
DFI_UNUSED static void dfi_signals_set(const struct dfi_signals *s) { sigprocmask(SIG_SETMASK, &s->set, NULL); }
#else
struct dfi_signals { int unused; };
DFI_UNUSED static void dfi_signals_block(struct dfi_signals *before) { before->unused = 0; }
DFI_UNUSED static void dfi_signals_get(struct dfi_signals *now) { now->unused = 0; }
DFI_UNUSED static void dfi_signals_set(const struct dfi_signals *s) { (void)s; }
#endif

#endif
