/* pthreads.h - threads of POSIX: for linux.h and posix.h
 *
 * pthreads and not C11 threads wherever they exist, because ThreadSanitizer cannot follow thrd_create of glibc, and C11
 * threads have no stack size. */
#ifndef DFI_OS_PTHREADS_H
#define DFI_OS_PTHREADS_H

#include "../base/compiler.h"
#include "../base/signals.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <unistd.h>

struct dfi_os_mutex { pthread_mutex_t m; };
#define DFI_OS_MUTEX_INIT { PTHREAD_MUTEX_INITIALIZER }
struct dfi_os_thread { pthread_t t; };
struct dfi_os_key { pthread_key_t key; int made; };

DFI_UNUSED static void dfi_os_hold(struct dfi_os_mutex *m) { pthread_mutex_lock(&m->m); }
DFI_UNUSED static int dfi_os_try_hold(struct dfi_os_mutex *m) { return pthread_mutex_trylock(&m->m) == 0; }
DFI_UNUSED static void dfi_os_let_go(struct dfi_os_mutex *m) { pthread_mutex_unlock(&m->m); }

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

DFI_UNUSED static void dfi_os_yield(void) { sched_yield(); }
DFI_UNUSED static void dfi_os_sleep_us(unsigned us)
{
    struct timeval t = { 0, 0 };
    t.tv_usec = (int)us;
    select(0, NULL, NULL, NULL, &t);
}

DFI_UNUSED static void dfi_os_at_thread_end(struct dfi_os_key *k, void (*fn)(void *), void *p)
{
    if (!k->made && !pthread_key_create(&k->key, fn)) k->made = 1;
    if (k->made) pthread_setspecific(k->key, p);
}

DFI_SMALL_CODE_BEGIN

DFI_UNUSED static void dfi_os_key_free(struct dfi_os_key *k)
{
    if (k->made) pthread_key_delete(k->key);
    k->made = 0;
}
DFI_UNUSED static void dfi_os_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    pthread_atfork(prepare, parent, child);
}

/* Stacks of threads for which no size was chosen. musl's default of 128 KB is too small for recursion and numeric
 * kernels: they get what the main thread has, as with glibc. So is glibc's of 2 MB for a program whose main thread has
 * no limit. */
enum { DFI_STACK_LEAST = 1 << 20, DFI_STACK_UNLIMITED = 8 << 20 };

DFI_UNUSED static size_t dfi_os_stack_bytes(const pthread_attr_t *attr)
{
    struct rlimit most;
    size_t bytes = 0, least = DFI_STACK_LEAST;
    if (pthread_attr_getstacksize(attr, &bytes)) bytes = 0;
    if (!getrlimit(RLIMIT_STACK, &most)) {
        if (most.rlim_cur == RLIM_INFINITY) least = DFI_STACK_UNLIMITED;
        else if (bytes < least && most.rlim_cur > least) least = (size_t)most.rlim_cur;
    }
    return bytes < least ? least : bytes;
}
DFI_UNUSED static int dfi_os_thread_start(struct dfi_os_thread *t, void *(*fn)(void *), void *arg, size_t stack_bytes)
{
    pthread_attr_t attr;
    struct dfi_signals before;
    int failed;
    if (pthread_attr_init(&attr)) return -1;
    if (!stack_bytes) stack_bytes = dfi_os_stack_bytes(&attr);
    pthread_attr_setstacksize(&attr, stack_bytes); /* below the system's minimum, this fails and the default remains */
    dfi_signals_block(&before);
    failed = pthread_create(&t->t, &attr, fn, arg);
    dfi_signals_set(&before);
    pthread_attr_destroy(&attr);
    return failed ? -1 : 0;
}
DFI_UNUSED static void dfi_os_thread_join(struct dfi_os_thread *t) { pthread_join(t->t, NULL); }
DFI_UNUSED static void dfi_os_thread_forget(struct dfi_os_thread *t) { pthread_detach(t->t); }
DFI_UNUSED static int dfi_os_thread_is_self(const struct dfi_os_thread *t)
{
    return pthread_equal(t->t, pthread_self()) != 0;
}

#if defined(_SC_NPROCESSORS_ONLN)
DFI_UNUSED static int dfi_os_online_cpus(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }
#else
DFI_UNUSED static int dfi_os_online_cpus(void) { return 0; }
#endif

DFI_SMALL_CODE_END

#endif
