/* dfi_os_wait.h - the functions of dfi_os.h for waiting: locks, events, giving up the processor */
#ifndef DFI_OS_WAIT_H
#define DFI_OS_WAIT_H

/* A hint to the processor that this thread is waiting in a loop. */
DFI_INLINE void dfi_os_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || (defined(__arm__) && __ARM_ARCH >= 7)
    __asm__ __volatile__("yield");
#endif
}

#if DFI_POSIX

DFI_UNUSED static void dfi_os_lock(struct dfi_os_mutex *m) { pthread_mutex_lock(&m->m); }
DFI_UNUSED static int dfi_os_trylock(struct dfi_os_mutex *m) { return pthread_mutex_trylock(&m->m) == 0; }
DFI_UNUSED static void dfi_os_unlock(struct dfi_os_mutex *m) { pthread_mutex_unlock(&m->m); }
DFI_UNUSED static int dfi_os_event_init(struct dfi_os_event *e)
{
    if (pthread_mutex_init(&e->m, NULL)) return -1;
    if (pthread_cond_init(&e->c, NULL)) { pthread_mutex_destroy(&e->m); return -1; }
    return 0;
}
DFI_UNUSED static void dfi_os_event_free(struct dfi_os_event *e) { pthread_cond_destroy(&e->c); pthread_mutex_destroy(&e->m); }
/* Sleeps while *word == value; the waker changes *word and then calls dfi_os_event_wake. Gives up after
 * `ms` milliseconds unless that is 0; nonzero: it did. */
DFI_UNUSED static int dfi_os_event_wait(struct dfi_os_event *e, DFI_ATOMIC(int) *word, int value, int ms)
{
    struct timespec t;
    int late = 0;
    timespec_get(&t, TIME_UTC);
    t.tv_nsec += ms * 1000000;
    if (t.tv_nsec >= 1000000000) t.tv_nsec -= 1000000000, t.tv_sec++;
    pthread_mutex_lock(&e->m);
    while (dfi_load_acquire(word) == value && !late)
        if (ms) late = pthread_cond_timedwait(&e->c, &e->m, &t) != 0;
        else pthread_cond_wait(&e->c, &e->m);
    pthread_mutex_unlock(&e->m);
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
DFI_UNUSED static void dfi_os_yield(void) { sched_yield(); }
DFI_UNUSED static void dfi_os_sleep_ms(void) /* about a millisecond */
{
    static struct dfi_os_event never = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER };
    int word = 0;
    dfi_os_event_wait(&never, &word, 0, 1);
}
/* fn(p) when the calling thread ends. pre: one thread at a time for each key. */
DFI_UNUSED static void dfi_os_at_thread_end(struct dfi_os_key *k, void (*fn)(void *), void *p)
{
    if (!k->made && !pthread_key_create(&k->key, fn)) k->made = 1;
    if (k->made) pthread_setspecific(k->key, p);
}

#else

static DFI_TLS struct dfi_os_mutex *dfi_os_mutex_once; /* call_once passes no argument */
DFI_UNUSED static void dfi_os_mutex_init(void) { mtx_init(&dfi_os_mutex_once->m, mtx_plain); }
DFI_UNUSED static void dfi_os_lock(struct dfi_os_mutex *m)
{
    dfi_os_mutex_once = m;
    call_once(&m->once, dfi_os_mutex_init);
    mtx_lock(&m->m);
}
DFI_UNUSED static int dfi_os_trylock(struct dfi_os_mutex *m)
{
    dfi_os_mutex_once = m;
    call_once(&m->once, dfi_os_mutex_init);
    return mtx_trylock(&m->m) == thrd_success;
}
DFI_UNUSED static void dfi_os_unlock(struct dfi_os_mutex *m) { mtx_unlock(&m->m); }
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
    timespec_get(&t, TIME_UTC);
    t.tv_nsec += ms * 1000000;
    if (t.tv_nsec >= 1000000000) t.tv_nsec -= 1000000000, t.tv_sec++;
    mtx_lock(&e->m);
    while (dfi_load_acquire(word) == value && !late)
        if (ms) late = cnd_timedwait(&e->c, &e->m, &t) != thrd_success;
        else cnd_wait(&e->c, &e->m);
    mtx_unlock(&e->m);
    return late;
}
DFI_UNUSED static void dfi_os_event_wake(struct dfi_os_event *e) { mtx_lock(&e->m); cnd_signal(&e->c); mtx_unlock(&e->m); }
DFI_UNUSED static void dfi_os_event_wake_all(struct dfi_os_event *e) { mtx_lock(&e->m); cnd_broadcast(&e->c); mtx_unlock(&e->m); }
DFI_UNUSED static void dfi_os_yield(void) { thrd_yield(); }
DFI_UNUSED static void dfi_os_sleep_ms(void)
{
    struct timespec ms = { 0, 1000000 };
    thrd_sleep(&ms, NULL);
}
DFI_UNUSED static void dfi_os_at_thread_end(struct dfi_os_key *k, void (*fn)(void *), void *p)
{
    if (!k->made && tss_create(&k->key, fn) == thrd_success) k->made = 1;
    if (k->made) tss_set(k->key, p);
}

#endif

/* DF_DEBUG 3: holds the thread up, once in 64 calls (dfi_atomic.h). */
DFI_EXTERN_C_BEGIN
DFI_API void dfi_jitter(void)
{
    static DFI_TLS uint32_t random;
    if (!random) random = (uint32_t)(uintptr_t)&random; /* another one in each thread */
    random = random * 1664525u + 1013904223u;
    if (random >> 26 == 0) dfi_os_yield();
}
DFI_EXTERN_C_END

#endif
