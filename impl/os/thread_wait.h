/* thread_wait.h - waits of threads: locks, events, yielding, cancellation */
#ifndef DFI_OS_THREAD_WAIT_H
#define DFI_OS_THREAD_WAIT_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/hash.h"
#include "../base/log.h"
#include "clock.h"
#include "os.h"

#if !defined(DF_SERIAL) /* green.h has the same functions */
#include <limits.h>
#if DFI_POSIX
#include <sched.h>
#endif

/* A hint to the processor that this thread spins. */
DFI_INLINE void dfi_os_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || (defined(__arm__) && __ARM_ARCH >= 7)
    __asm__ __volatile__("yield");
#endif
}

/* dfi_os_lock, _trylock, _unlock: of a lock under which no foreign code runs (base/held.h).
 * dfi_os_hold, _try_hold, _let_go: of a lock that a thread holds while it runs code of the program. */
#if DFI_POSIX

DFI_UNUSED static void dfi_os_hold(struct dfi_os_mutex *m) { pthread_mutex_lock(&m->m); }
DFI_UNUSED static int dfi_os_try_hold(struct dfi_os_mutex *m) { return pthread_mutex_trylock(&m->m) == 0; }
DFI_UNUSED static void dfi_os_let_go(struct dfi_os_mutex *m) { pthread_mutex_unlock(&m->m); }
/* Disables cancellation of the thread until dfi_os_recancel is called with the result. */
#if defined(PTHREAD_CANCEL_DISABLE)
DFI_UNUSED static int dfi_os_uncancel(void)
{
    int before;
    return pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before) ? PTHREAD_CANCEL_ENABLE : before;
}
DFI_UNUSED static void dfi_os_recancel(int before) { pthread_setcancelstate(before, &before); }
#else /* Android has no cancellation */
DFI_UNUSED static int dfi_os_uncancel(void) { return 0; }
DFI_UNUSED static void dfi_os_recancel(int before) { (void)before; }
#endif
/* dfi_os_event_wait sleeps while *word == value. The waking thread changes *word and then calls dfi_os_event_wake.
 * Returns nonzero after `ms` milliseconds without a change; 0 ms: waits without limit. */
#if DFI_FUTEX
#include <errno.h>
#if defined(SYS_futex)
enum { DFI_SYS_FUTEX = SYS_futex };
#if defined(__x86_64__) /* also where long has 32 bits */
struct dfi_futex_time { long long s, ns; };
#else
struct dfi_futex_time { long s, ns; };
#endif
#else
enum { DFI_SYS_FUTEX = SYS_futex_time64 };
struct dfi_futex_time { long long s, ns; };
#endif
enum { DFI_FUTEX_WAIT = 128, DFI_FUTEX_WAKE = 129 }; /* private to the process */

DFI_UNUSED static int dfi_os_event_init(struct dfi_os_event *e) { return dfi_store_relaxed(&e->wakes, 0), 0; }
DFI_UNUSED static void dfi_os_event_free(struct dfi_os_event *e) { (void)e; }
DFI_UNUSED static int dfi_os_event_wait(struct dfi_os_event *e, DFI_ATOMIC(int) *word, int value, int ms)
{
    /* ThreadSanitizer calls handlers of signals when the thread calls something that it knows, such as the clock */
    uint64_t now, left, end = ms ? dfi_os_ns() + (uint64_t)ms * 1000000 : 0, most = DFI_TSAN ? 50000000u : end;
    struct dfi_futex_time t = { 0, 0 };
    int saved = errno, late = 0;
    for (;;) {
        /* acquire, and before the word is read: a thread that reads the number after a wake-up also reads the changed
         * word. A thread that reads the number before it does not sleep, because the kernel compares the numbers. */
        int seen = dfi_load_acquire(&e->wakes);
        if (dfi_load_acquire(word) != value) break;
        if (most) {
            now = dfi_os_ns();
            if ((late = ms && now >= end) != 0) break;
            left = ms && end - now < most ? end - now : most;
            t.s = (long)(left / 1000000000), t.ns = (long)(left % 1000000000);
        }
        dfi_sys_call((long)DFI_SYS_FUTEX, (void *)&e->wakes, (long)DFI_FUTEX_WAIT, (long)seen,
                     most ? (void *)&t : NULL, NULL, 0l);
    }
    errno = saved;
    return late;
}
static void dfi_os_event_wakes(struct dfi_os_event *e, int n)
{
    dfi_fetch_add_acq_rel(&e->wakes, 1);
    dfi_sys_call((long)DFI_SYS_FUTEX, (void *)&e->wakes, (long)DFI_FUTEX_WAKE, (long)n, NULL, NULL, 0l);
}
DFI_UNUSED static void dfi_os_event_wake(struct dfi_os_event *e) { dfi_os_event_wakes(e, 1); }
DFI_UNUSED static void dfi_os_event_wake_all(struct dfi_os_event *e) { dfi_os_event_wakes(e, INT_MAX); }
#else
DFI_UNUSED static int dfi_os_event_init(struct dfi_os_event *e)
{
    pthread_condattr_t monotonic;
    int failed;
    if (pthread_mutex_init(&e->m, NULL)) return -1;
    if (!(failed = pthread_condattr_init(&monotonic))) {
        failed = dfi_sys_condattr_setclock(&monotonic, DFI_OS_CLOCK) || pthread_cond_init(&e->c, &monotonic);
        pthread_condattr_destroy(&monotonic);
    }
    if (failed) pthread_mutex_destroy(&e->m);
    return failed ? -1 : 0;
}
DFI_UNUSED static void dfi_os_event_free(struct dfi_os_event *e)
{
    pthread_cond_destroy(&e->c);
    pthread_mutex_destroy(&e->m);
}
/* Waits once, at most until the time `end` of DFI_OS_CLOCK. pre: e was made by dfi_os_event_init, and e->m is
 * locked. */
DFI_UNUSED static int dfi_os_event_until(struct dfi_os_event *e, const struct timespec *end)
{
#if defined(__APPLE__)
    struct timespec t;
    dfi_sys_clock_gettime(DFI_OS_CLOCK, &t);
    t.tv_sec = end->tv_sec - t.tv_sec, t.tv_nsec = end->tv_nsec - t.tv_nsec;
    if (t.tv_nsec < 0) t.tv_nsec += 1000000000, t.tv_sec--;
    return t.tv_sec < 0 || pthread_cond_timedwait_relative_np(&e->c, &e->m, &t);
#else
    return pthread_cond_timedwait(&e->c, &e->m, end);
#endif
}
DFI_UNUSED static int dfi_os_event_wait(struct dfi_os_event *e, DFI_ATOMIC(int) *word, int value, int ms)
{
    struct timespec end = { 0, 0 };
    int late = 0, cancel;
    if (ms) {
        dfi_sys_clock_gettime(DFI_OS_CLOCK, &end);
        end.tv_sec += ms / 1000, end.tv_nsec += ms % 1000 * 1000000;
        if (end.tv_nsec >= 1000000000) end.tv_nsec -= 1000000000, end.tv_sec++;
    }
    cancel = dfi_os_uncancel(); /* because a cancelled thread would leave the mutex locked */
    pthread_mutex_lock(&e->m);
    while (dfi_load_acquire(word) == value && !late)
        if (ms) late = dfi_os_event_until(e, &end) != 0;
        else pthread_cond_wait(&e->c, &e->m);
    pthread_mutex_unlock(&e->m);
    dfi_os_recancel(cancel);
    return late;
}
DFI_UNUSED static void dfi_os_event_wake(struct dfi_os_event *e)
{
    pthread_mutex_lock(&e->m);
    pthread_cond_signal(&e->c);
    pthread_mutex_unlock(&e->m);
}
DFI_UNUSED static void dfi_os_event_wake_all(struct dfi_os_event *e)
{
    pthread_mutex_lock(&e->m);
    pthread_cond_broadcast(&e->c);
    pthread_mutex_unlock(&e->m);
}
#endif
DFI_UNUSED static void dfi_os_yield(void) { sched_yield(); }
DFI_UNUSED static void dfi_os_sleep_us(unsigned us) /* at least; less than a second */
{
    struct timeval t = { 0, 0 };
    t.tv_usec = (int)us;
    select(0, NULL, NULL, NULL, &t);
}
/* Calls fn(p) when the calling thread ends. pre: each key is used by one thread at a time. */
DFI_UNUSED static void dfi_os_at_thread_end(struct dfi_os_key *k, void (*fn)(void *), void *p)
{
    if (!k->made && !pthread_key_create(&k->key, fn)) k->made = 1;
    if (k->made) pthread_setspecific(k->key, p);
}

#else

DFI_UNUSED static int dfi_os_uncancel(void) { return 0; } /* there is no cancellation */
DFI_UNUSED static void dfi_os_recancel(int before) { (void)before; }
static DFI_TLS struct dfi_os_mutex *dfi_os_mutex_once; /* call_once passes no argument */
DFI_UNUSED static void dfi_os_mutex_init(void) { mtx_init(&dfi_os_mutex_once->m, mtx_plain); }
DFI_UNUSED static void dfi_os_hold(struct dfi_os_mutex *m)
{
    dfi_os_mutex_once = m;
    call_once(&m->once, dfi_os_mutex_init);
    mtx_lock(&m->m);
}
DFI_UNUSED static int dfi_os_try_hold(struct dfi_os_mutex *m)
{
    dfi_os_mutex_once = m;
    call_once(&m->once, dfi_os_mutex_init);
    return mtx_trylock(&m->m) == thrd_success;
}
DFI_UNUSED static void dfi_os_let_go(struct dfi_os_mutex *m) { mtx_unlock(&m->m); }
DFI_UNUSED static int dfi_os_event_init(struct dfi_os_event *e)
{
    if (mtx_init(&e->m, mtx_plain) != thrd_success) return -1;
    if (cnd_init(&e->c) != thrd_success) { mtx_destroy(&e->m); return -1; }
    return 0;
}
DFI_UNUSED static void dfi_os_event_free(struct dfi_os_event *e) { cnd_destroy(&e->c); mtx_destroy(&e->m); }
DFI_UNUSED static int dfi_os_event_wait(struct dfi_os_event *e, DFI_ATOMIC(int) *word, int value, int ms)
{
    struct timespec t;
    int late = 0;
    timespec_get(&t, TIME_UTC); /* C11 can wait by this clock only */
    t.tv_sec += ms / 1000, t.tv_nsec += ms % 1000 * 1000000;
    if (t.tv_nsec >= 1000000000) t.tv_nsec -= 1000000000, t.tv_sec++;
    mtx_lock(&e->m);
    while (dfi_load_acquire(word) == value && !late)
        if (ms) late = cnd_timedwait(&e->c, &e->m, &t) != thrd_success;
        else cnd_wait(&e->c, &e->m);
    mtx_unlock(&e->m);
    return late;
}
DFI_UNUSED static void dfi_os_event_wake(struct dfi_os_event *e)
{
    mtx_lock(&e->m);
    cnd_signal(&e->c);
    mtx_unlock(&e->m);
}
DFI_UNUSED static void dfi_os_event_wake_all(struct dfi_os_event *e)
{
    mtx_lock(&e->m);
    cnd_broadcast(&e->c);
    mtx_unlock(&e->m);
}
DFI_UNUSED static void dfi_os_yield(void) { thrd_yield(); }
DFI_UNUSED static void dfi_os_sleep_us(unsigned us)
{
    struct timespec t = { 0, 0 };
    t.tv_nsec = (long)us * 1000;
    thrd_sleep(&t, NULL);
}
DFI_UNUSED static void dfi_os_at_thread_end(struct dfi_os_key *k, void (*fn)(void *), void *p)
{
    if (!k->made && tss_create(&k->key, fn) == thrd_success) k->made = 1;
    if (k->made) tss_set(k->key, p);
}

#endif

DFI_UNUSED static DFI_NOINLINE void dfi_os_lock(struct dfi_os_mutex *m) { dfi_os_hold(m), dfi_locked(); }
DFI_UNUSED static DFI_NOINLINE int dfi_os_trylock(struct dfi_os_mutex *m)
{
    if (!dfi_os_try_hold(m)) return 0;
    dfi_locked();
    return 1;
}
DFI_UNUSED static DFI_NOINLINE void dfi_os_unlock(struct dfi_os_mutex *m) { dfi_os_let_go(m), dfi_unlocked(); }

DFI_UNUSED static void dfi_os_sleep_ms(void) { dfi_os_sleep_us(1000); }

/* The time limit of a wait. os/green.h has one of its own. */
struct dfi_os_limit { uint64_t end; };
DFI_UNUSED static void dfi_os_limit_begin(struct dfi_os_limit *l, int ms)
{
    l->end = dfi_os_ns() + (uint64_t)ms * 1000000;
}
/* The milliseconds that are left, rounded up; 0: the time is over. */
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

/* The number of threads in this process, 0 if unknown. */
#if defined(__linux__)
#include <sys/stat.h>
DFI_UNUSED static int dfi_os_threads(void)
{
    struct stat s;
    return stat("/proc/self/task", &s) || s.st_nlink < 3 ? 0 : (int)s.st_nlink - 2;
}
#else
DFI_UNUSED static int dfi_os_threads(void) { return 0; }
#endif

#endif

#endif
