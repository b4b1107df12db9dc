/* c11.h - the threads of C11, where POSIX has none
 *
 * They have no size of a stack, no cancellation and no unwinding, and wait by the real-time clock. */
#ifndef DFI_OS_C11_H
#define DFI_OS_C11_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/memory.h"

#include <threads.h>
#include <time.h>

struct dfi_os_mutex { once_flag once; mtx_t m; };
#define DFI_OS_MUTEX_INIT { ONCE_FLAG_INIT, {0} }
struct dfi_os_event { mtx_t m; cnd_t c; };
struct dfi_os_thread { thrd_t t; };
struct dfi_os_key { tss_t key; int made; };

DFI_UNUSED static uint64_t dfi_os_ns(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
DFI_UNUSED static void dfi_os_yield(void) { thrd_yield(); }
DFI_UNUSED static void dfi_os_sleep_us(unsigned us)
{
    struct timespec t = { 0, 0 };
    t.tv_nsec = (long)us * 1000;
    thrd_sleep(&t, NULL);
}

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
DFI_UNUSED static int dfi_os_event_wait_us(struct dfi_os_event *e, DFI_ATOMIC(int) *word, int value, long us)
{
    struct timespec t;
    int late = 0;
    timespec_get(&t, TIME_UTC);
    t.tv_sec += us / 1000000, t.tv_nsec += us % 1000000 * 1000;
    if (t.tv_nsec >= 1000000000) t.tv_nsec -= 1000000000, t.tv_sec++;
    mtx_lock(&e->m);
    while (dfi_load_acquire(word) == value && !late)
        if (us) late = cnd_timedwait(&e->c, &e->m, &t) != thrd_success;
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

struct dfi_os_start { void *(*fn)(void *); void *arg; };
DFI_UNUSED static int dfi_os_thread_main(void *p)
{
    struct dfi_os_start s = *(struct dfi_os_start *)p;
    dfi_mfree(p);
    s.fn(s.arg);
    return 0;
}
DFI_UNUSED static int dfi_os_thread_start(struct dfi_os_thread *t, void *(*fn)(void *), void *arg, size_t stack_bytes)
{
    struct dfi_os_start *s = (struct dfi_os_start *)dfi_malloc(sizeof *s);
    (void)stack_bytes;
    if (!s) return -1;
    s->fn = fn, s->arg = arg;
    if (thrd_create(&t->t, dfi_os_thread_main, s) == thrd_success) return 0;
    dfi_mfree(s);
    return -1;
}
DFI_UNUSED static void dfi_os_thread_join(struct dfi_os_thread *t) { thrd_join(t->t, NULL); }
DFI_UNUSED static void dfi_os_thread_forget(struct dfi_os_thread *t) { thrd_detach(t->t); }
DFI_UNUSED static int dfi_os_thread_is_self(const struct dfi_os_thread *t)
{
    return thrd_equal(t->t, thrd_current()) != 0;
}

DFI_UNUSED static void dfi_os_at_thread_end(struct dfi_os_key *k, void (*fn)(void *), void *p)
{
    if (!k->made && tss_create(&k->key, fn) == thrd_success) k->made = 1;
    if (k->made) tss_set(k->key, p);
}
DFI_UNUSED static void dfi_os_key_free(struct dfi_os_key *k)
{
    if (k->made) tss_delete(k->key);
    k->made = 0;
}

DFI_UNUSED static int dfi_os_uncancel(void) { return 0; }
DFI_UNUSED static void dfi_os_recancel(int before) { (void)before; }
DFI_UNUSED static void dfi_os_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    (void)prepare, (void)parent, (void)child; /* there is no fork */
}
DFI_UNUSED static int dfi_os_online_cpus(void) { return 0; }
DFI_UNUSED static char **dfi_os_environment(void) { return NULL; }

#endif
