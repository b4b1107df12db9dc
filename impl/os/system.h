/* system.h - operating system layer: the list of what df asks a system, and the system of this program
 *
 * A system is a file that defines the functions of the list, the structs of a mutex, an event, a thread, a key and the
 * affinity (its CPUs: bits[], DFI_MAX_CPUS), DFI_OS_MUTEX_INIT and with DFI_UNIX DFI_OS_EVENT_INIT: linux.h; posix.h
 * and c11.h, which unknown.h completes. A new one is such a file, and a branch below. DF_SERIAL has none.h, and
 * green.h for waits. What else depends on the system asks DFI_UNIX or DFI_LINUX (base/compiler.h), and has something
 * for others: files, signals and the environment in base/, memory in pages.h (df_owm.h) and mapped.h (DF_CHECK),
 * libraries of drivers in gpu/library.h. Stacks depend on the calling convention (DFI_FIBRE_HAND, fibre_swap.h). */
#ifndef DFI_OS_SYSTEM_H
#define DFI_OS_SYSTEM_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/hash.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../base/signals.h"

#if defined(DF_SERIAL)
#include "none.h"
#else

struct dfi_os_mutex;
struct dfi_os_event;
struct dfi_os_thread;
struct dfi_os_key;
struct dfi_os_affinity;

/* --- what there is under DF_SERIAL, too -------------------------------------------------------------------------- */

/* A time stamp in nanoseconds. With C11 threads it may jump when the clock is set; under DF_SERIAL it is the processor
 * time of the process. */
DFI_UNUSED static uint64_t dfi_os_ns(void);

/* Sleeps while *word == value. The waking thread changes *word and then calls dfi_os_event_wake or _wake_all. Nonzero
 * after `us` microseconds without a change; 0: no limit. pre: dfi_os_event_init has returned 0. */
DFI_UNUSED static int dfi_os_event_wait_us(struct dfi_os_event *e, DFI_ATOMIC(int) *word, int value, long us);
DFI_UNUSED static int dfi_os_event_init(struct dfi_os_event *e);
DFI_UNUSED static void dfi_os_event_free(struct dfi_os_event *e);
DFI_UNUSED static void dfi_os_event_wake(struct dfi_os_event *e);
DFI_UNUSED static void dfi_os_event_wake_all(struct dfi_os_event *e);

/* Starts a thread that blocks the signals of base/signals.h. -1: there is none. stack_bytes 0: as the main thread's. */
DFI_UNUSED static int dfi_os_thread_start(struct dfi_os_thread *t, void *(*fn)(void *), void *arg, size_t stack_bytes);
DFI_UNUSED static void dfi_os_yield(void);

/* The number of threads in this process, 0 if unknown; the CPU of the calling thread, negative if unknown. */
DFI_UNUSED static int dfi_os_threads(void);
DFI_UNUSED static int dfi_os_cpu(void);
/* Is [p, q) on the calling thread's system stack? 0: no, as on stacks of coroutines; -1: unknown. */
DFI_UNUSED static int dfi_os_on_stack(const void *p, const void *q);
/* Does pthread_exit or a cancellation unwind the calling thread? 0: no, or unknown. */
DFI_UNUSED static int dfi_os_thread_exits(void);

/* --- threads --------------------------------------------------------------------------------------------------- */

/* A lock, DFI_OS_MUTEX_INIT. try: nonzero if it is taken. */
DFI_UNUSED static void dfi_os_hold(struct dfi_os_mutex *m);
DFI_UNUSED static int dfi_os_try_hold(struct dfi_os_mutex *m);
DFI_UNUSED static void dfi_os_let_go(struct dfi_os_mutex *m);

DFI_UNUSED static void dfi_os_thread_join(struct dfi_os_thread *t);
DFI_UNUSED static void dfi_os_thread_forget(struct dfi_os_thread *t);
DFI_UNUSED static int dfi_os_thread_is_self(const struct dfi_os_thread *t);
DFI_UNUSED static void dfi_os_thread_name(const char *name); /* of the calling thread: at most 15 bytes */
DFI_UNUSED static void dfi_os_sleep_us(unsigned us);         /* at least; less than a second */

/* Disables cancellation of the thread until dfi_os_recancel is called with the result. */
DFI_UNUSED static int dfi_os_uncancel(void);
DFI_UNUSED static void dfi_os_recancel(int before);

/* Calls fn(p) when the calling thread ends, if p is not NULL. pre: each key is used by one thread at a time. A
 * freed key calls nothing. */
DFI_UNUSED static void dfi_os_at_thread_end(struct dfi_os_key *k, void (*fn)(void *), void *p);
DFI_UNUSED static void dfi_os_key_free(struct dfi_os_key *k);
/* Calls fn() when pthread_exit or a cancellation unwinds the stack of the calling thread, after the cleanup handlers of
 * the program, before destructors of keys; NULL: no longer. A system that does not unwind calls nothing. */
DFI_UNUSED static void dfi_os_at_unwind(void (*fn)(void));

/* From now on, fork calls them. */
DFI_UNUSED static void dfi_os_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void));

/* A barrier in every thread of the process (1 to 10 us): of a store and a later load of another thread, the store is
 * seen after it, or the load comes after it. They need the macro dfi_os_fence_compiler() in between. -1: there is none;
 * then they have to order them on their own. dfi_os_fence_load prepares it when the program is loaded. */
DFI_UNUSED static int dfi_os_fence_all(void);
DFI_UNUSED static void dfi_os_fence_load(void);

/* --- what a system can tell -------------------------------------------------------------------------------------- */

/* The system's ID of the calling thread; is it the main thread of the process? Both are 0 if unknown. */
DFI_UNUSED static long dfi_os_thread_number(void);
DFI_UNUSED static int dfi_os_main_thread(void);
/* Is the thread with that ID running, runnable, or waiting for a disk? 0: it sleeps, or its state is unknown. */
DFI_UNUSED static int dfi_os_thread_runs(long number);

/* The CPUs that the calling thread may use, or this process; -1: unknown. set: the calling thread uses these. */
DFI_UNUSED static int dfi_os_get_affinity(struct dfi_os_affinity *a);
DFI_UNUSED static int dfi_os_process_affinity(struct dfi_os_affinity *a);
DFI_UNUSED static int dfi_os_set_affinity(const struct dfi_os_affinity *a);
/* The CPUs of the machine, and those that the cgroups of this process allow it to use on average; 0: unknown, no
 * limit. root: "" except in tests. */
DFI_UNUSED static int dfi_os_online_cpus(void);
DFI_UNUSED static int dfi_cgroup_cpus(const char *root);
/* The first line of a file of /sys, without its end. -1: there is none. */
DFI_UNUSED static int dfi_os_first_line(const char *path, char *line, int bytes);

/* The environment, NULL if unknown. */
DFI_UNUSED static char **dfi_os_environment(void);

/* --- the system -------------------------------------------------------------------------------------------------- */

#if DFI_UNIX
#include "pthreads.h"
#if DFI_LINUX
#include "linux.h"
#else
#include "posix.h"
#endif
#else
#include "c11.h"
#endif
#if !DFI_LINUX
#include "unknown.h"
#endif

/* A clock that takes a few nanoseconds to read, and is the same for all processors. */
DFI_FAST uint64_t dfi_ticks(void)
{
#if DFI_GNU && (defined(__x86_64__) || defined(__i386__))
    return __builtin_ia32_rdtsc();
#elif DFI_GNU && defined(__aarch64__)
    uint64_t t;
    __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
    return dfi_os_ns();
#endif
}

/* A hint to the processor that this thread spins. */
DFI_INLINE void dfi_os_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || (defined(__arm__) && __ARM_ARCH >= 7)
    __asm__ __volatile__("yield");
#endif
}

/* --- locks, waits ------------------------------------------------------------------------------------------------ */

/* A lock under which no foreign code runs (base/held.h). A lock that a thread holds while it runs code of the program
 * is taken by dfi_os_hold. */
DFI_UNUSED static DFI_NOINLINE void dfi_os_lock(struct dfi_os_mutex *m) { dfi_os_hold(m), dfi_locked(); }
DFI_UNUSED static DFI_NOINLINE int dfi_os_trylock(struct dfi_os_mutex *m)
{
    if (!dfi_os_try_hold(m)) return 0;
    dfi_locked();
    return 1;
}
DFI_UNUSED static DFI_NOINLINE void dfi_os_unlock(struct dfi_os_mutex *m) { dfi_os_let_go(m), dfi_unlocked(); }

DFI_UNUSED static void dfi_os_sleep_ms(void) { dfi_os_sleep_us(1000); }

/* The time limit of a wait: ms milliseconds from now. Under DF_SERIAL, which has no clock, the next dfi_os_event_wait
 * has that of dfi_os_limit_next, or none if l is NULL. */
struct dfi_os_limit { uint64_t end; };
DFI_UNUSED static void dfi_os_limit_begin(struct dfi_os_limit *l, int ms)
{
    l->end = dfi_os_ns() + (uint64_t)ms * 1000000;
}
/* The milliseconds that are left, rounded up; 0: it is over. */
DFI_UNUSED static int dfi_os_limit_left(const struct dfi_os_limit *l)
{
    uint64_t now = dfi_os_ns();
    return now < l->end ? (int)((l->end - now + 999999) / 1000000) : 0;
}
DFI_UNUSED static void dfi_os_limit_next(struct dfi_os_limit *l) { (void)l; }

/* DF_DEBUG 3: yields in one of 64 calls (base/atomic.h), but at most half of the time: beside busy processes a yield
 * takes milliseconds. */
DFI_EXTERN_C_BEGIN
DFI_API void dfi_jitter(void);
DFI_API void dfi_jitter(void)
{
    static DFI_TLS uint32_t random;
    static DFI_TLS uint64_t not_before;
    uint64_t begin, end;
    if (!random) random = (uint32_t)(uintptr_t)&random; /* a different seed in each thread */
    if (dfi_random(&random) >> 26 || (begin = dfi_os_ns()) < not_before) return;
    dfi_os_yield();
    end = dfi_os_ns();
    not_before = end + (end - begin);
}
DFI_EXTERN_C_END

/* --- CPUs -------------------------------------------------------------------------------------------------------- */

DFI_SMALL_CODE_BEGIN

enum { DFI_LONG_BITS = 8 * sizeof(unsigned long) };
DFI_UNUSED static int dfi_affinity_has(const struct dfi_os_affinity *a, int cpu)
{
    return (int)(a->bits[cpu / DFI_LONG_BITS] >> (cpu % DFI_LONG_BITS) & 1);
}
DFI_UNUSED static void dfi_affinity_add(struct dfi_os_affinity *a, int cpu)
{
    a->bits[cpu / DFI_LONG_BITS] |= 1ul << (cpu % DFI_LONG_BITS);
}
DFI_UNUSED static int dfi_affinity_count(const struct dfi_os_affinity *a)
{
    int cpu, n = 0;
    for (cpu = 0; cpu < DFI_MAX_CPUS; cpu++) n += dfi_affinity_has(a, cpu);
    return n;
}

/* The calling thread, which is new, may use all of them. */
DFI_UNUSED static void dfi_os_use_all_cpus(void)
{
    struct dfi_os_affinity a;
    if (!dfi_os_process_affinity(&a)) dfi_os_set_affinity(&a);
}

/* The number of CPUs that this process may use: at least 1. */
DFI_UNUSED static int dfi_os_cpus(void)
{
    struct dfi_os_affinity a;
    int n = 0;
    if (dfi_os_process_affinity(&a) == 0) n = dfi_affinity_count(&a);
    if (n <= 0) n = dfi_os_online_cpus();
    return n <= 0 ? 1 : n;
}

DFI_SMALL_CODE_END

#endif

#endif
