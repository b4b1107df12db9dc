/* os.h - operating system layer: threads, mutex, event, CPUs, time
 *
 * About a dozen functions. pthreads wherever they exist, because ThreadSanitizer cannot follow thrd_create of glibc,
 * and C11 threads have no stack size; <threads.h> elsewhere. GNU extensions are reached by assembler names, so that
 * the user's translation unit needs no feature-test macro and no particular order of includes. */
#ifndef DFI_OS_OS_H
#define DFI_OS_OS_H

#include "../base/atomic.h"
#include "../base/compiler.h"

#if defined(DF_SERIAL)
#include "none.h"
#else
#include "../base/signals.h"
#include <time.h>

#if defined(__unix__) || defined(__APPLE__)
#define DFI_POSIX 1
#include <sys/select.h>
#include <pthread.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif
#else
#define DFI_POSIX 0
#include <threads.h>
#endif

enum { DFI_MAX_CPUS = 4096 };
struct dfi_os_affinity { unsigned long bits[DFI_MAX_CPUS / (8 * sizeof(unsigned long))]; };

#if DFI_POSIX
struct dfi_os_mutex { pthread_mutex_t m; };
#define DFI_OS_MUTEX_INIT { PTHREAD_MUTEX_INITIALIZER }
#if defined(__linux__) && DFI_GNU /* a signal handler may wake a futex, and must not signal a condition variable */
#define DFI_FUTEX 1
struct dfi_os_event { DFI_ATOMIC(int) wakes; };
#define DFI_OS_EVENT_INIT { 0 }
#else
#define DFI_FUTEX 0
struct dfi_os_event { pthread_mutex_t m; pthread_cond_t c; };
#define DFI_OS_EVENT_INIT { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER }
#endif
struct dfi_os_thread { pthread_t t; };
struct dfi_os_key { pthread_key_t key; int made; };

/* Times are of CLOCK_MONOTONIC, so setting the clock neither shortens nor prolongs a wait. Strict C modes on Linux do
 * not declare its functions, so they are reached by their assembler names. Other compilers use the real-time clock
 * there. */
DFI_EXTERN_C_BEGIN
#if defined(__linux__) && DFI_GNU
enum { DFI_OS_CLOCK = 1 }; /* CLOCK_MONOTONIC */
/* 64-bit time_t on 32-bit systems: musl, glibc */
#if defined(_REDIR_TIME64) || (defined(__TIMESIZE) && __TIMESIZE == 32 && defined(__USE_TIME_BITS64))
extern int dfi_sys_clock_gettime(int clock, struct timespec *t) __asm__("__clock_gettime64");
#else
extern int dfi_sys_clock_gettime(int clock, struct timespec *t) __asm__("clock_gettime");
#endif
extern long dfi_sys_call(long number, ...) __asm__("syscall");
#elif defined(CLOCK_MONOTONIC) && (!defined(__linux__) || (defined(_POSIX_C_SOURCE) && _POSIX_C_SOURCE >= 200112L))
#define DFI_OS_CLOCK CLOCK_MONOTONIC
#define dfi_sys_clock_gettime clock_gettime
#if defined(__APPLE__) /* it is not settable there: dfi_os_event_wait passes a duration */
#define dfi_sys_condattr_setclock(a, clock) ((void)(a), 0)
#else
#define dfi_sys_condattr_setclock pthread_condattr_setclock
#endif
#else
#define dfi_sys_clock_gettime(clock, t) ((void)timespec_get((t), TIME_UTC))
#define dfi_sys_condattr_setclock(a, clock) ((void)(a), 0)
#endif
DFI_EXTERN_C_END
#else
struct dfi_os_mutex { once_flag once; mtx_t m; };
#define DFI_OS_MUTEX_INIT { ONCE_FLAG_INIT, {0} }
struct dfi_os_event { mtx_t m; cnd_t c; };
struct dfi_os_thread { thrd_t t; };
struct dfi_os_key { tss_t key; int made; };
#endif

#endif

#endif
