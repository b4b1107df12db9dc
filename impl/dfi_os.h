/* dfi_os.h - the operating system, in about a dozen functions
 *
 * Threads, a mutex, an event, CPUs, time. pthreads wherever they exist: ThreadSanitizer cannot follow
 * thrd_create of glibc, and C11 threads have no stack size. <threads.h> elsewhere.
 * GNU extensions are reached through assembler names so that the user's translation unit needs no
 * feature-test macro and no particular order of includes. */
#ifndef DFI_OS_H
#define DFI_OS_H

#include <stdio.h>
#include <stdarg.h>
#include <errno.h>
#include <time.h>

#if defined(__unix__) || defined(__APPLE__)
#define DFI_POSIX 1
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#else
#define DFI_POSIX 0
#include <threads.h>
#endif

enum { DFI_MAX_CPUS = 4096 };
struct dfi_os_affinity { unsigned long bits[DFI_MAX_CPUS / (8 * sizeof(unsigned long))]; };

#if DFI_POSIX
struct dfi_os_mutex { pthread_mutex_t m; };
#define DFI_OS_MUTEX_INIT { PTHREAD_MUTEX_INITIALIZER }
struct dfi_os_event { pthread_mutex_t m; pthread_cond_t c; };
struct dfi_os_thread { pthread_t t; };
struct dfi_os_key { pthread_key_t key; int made; };
#else
struct dfi_os_mutex { once_flag once; mtx_t m; };
#define DFI_OS_MUTEX_INIT { ONCE_FLAG_INIT, {0} }
struct dfi_os_event { mtx_t m; cnd_t c; };
struct dfi_os_thread { thrd_t t; };
struct dfi_os_key { tss_t key; int made; };
#endif

#endif
