/* posix.h - systems of POSIX of which nothing more is known, and other compilers on Linux
 *
 * Events are condition variables, because there is no futex. Times are of CLOCK_MONOTONIC, so setting the clock neither
 * shortens nor prolongs a wait. A strict mode that does not declare it has the real-time clock. */
#ifndef DFI_OS_POSIX_H
#define DFI_OS_POSIX_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "pthreads.h"

#include <time.h>

#if defined(CLOCK_MONOTONIC) && (!defined(__linux__) || (defined(_POSIX_C_SOURCE) && _POSIX_C_SOURCE >= 200112L))
DFI_UNUSED static void dfi_os_now(struct timespec *t) { clock_gettime(CLOCK_MONOTONIC, t); }
#define DFI_OS_MONOTONIC CLOCK_MONOTONIC
#else
DFI_UNUSED static void dfi_os_now(struct timespec *t) { (void)timespec_get(t, TIME_UTC); }
#endif
DFI_UNUSED static uint64_t dfi_os_ns(void)
{
    struct timespec t;
    dfi_os_now(&t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct dfi_os_event { pthread_mutex_t m; pthread_cond_t c; };
#define DFI_OS_EVENT_INIT { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER }

#if defined(__APPLE__)
#include "apple.h"
#else
/* A condition variable whose waits end at times of dfi_os_now. */
DFI_UNUSED static int dfi_os_condition_init(pthread_cond_t *c)
{
    pthread_condattr_t a;
    int failed;
    if (pthread_condattr_init(&a)) return -1;
#if defined(DFI_OS_MONOTONIC)
    failed = pthread_condattr_setclock(&a, DFI_OS_MONOTONIC) || pthread_cond_init(c, &a);
#else
    failed = pthread_cond_init(c, &a);
#endif
    pthread_condattr_destroy(&a);
    return failed ? -1 : 0;
}
/* Waits once, at most until `end`. Nonzero: it is over. pre: m is locked. */
DFI_UNUSED static int dfi_os_condition_wait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *end)
{
    return pthread_cond_timedwait(c, m, end);
}
#if DFI_GNU
DFI_EXTERN_C_BEGIN
extern char **dfi_sys_environment __asm__("environ");
DFI_EXTERN_C_END
DFI_UNUSED static char **dfi_os_environment(void) { return dfi_sys_environment; }
#else
DFI_UNUSED static char **dfi_os_environment(void) { return NULL; }
#endif
#endif

DFI_UNUSED static int dfi_os_event_init(struct dfi_os_event *e)
{
    if (pthread_mutex_init(&e->m, NULL)) return -1;
    if (!dfi_os_condition_init(&e->c)) return 0;
    pthread_mutex_destroy(&e->m);
    return -1;
}
DFI_UNUSED static void dfi_os_event_free(struct dfi_os_event *e)
{
    pthread_cond_destroy(&e->c);
    pthread_mutex_destroy(&e->m);
}
DFI_UNUSED static int dfi_os_event_wait_us(struct dfi_os_event *e, DFI_ATOMIC(int) *word, int value, long us)
{
    struct timespec end = { 0, 0 };
    int late = 0, cancel;
    if (us) {
        dfi_os_now(&end);
        end.tv_sec += us / 1000000, end.tv_nsec += us % 1000000 * 1000;
        if (end.tv_nsec >= 1000000000) end.tv_nsec -= 1000000000, end.tv_sec++;
    }
    cancel = dfi_os_uncancel(); /* because a cancelled thread would leave the mutex locked */
    pthread_mutex_lock(&e->m);
    while (dfi_load_acquire(word) == value && !late)
        if (us) late = dfi_os_condition_wait(&e->c, &e->m, &end) != 0;
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
