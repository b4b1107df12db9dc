/* dfi_blocking.h - tasks that block: a spare thread works in the place of each
 *
 * A spare is a helper beyond the number of workers. Spare k works while more than k workers block, and sleeps
 * otherwise, so at any time as many threads run tasks as there are workers. */
#ifndef DFI_BLOCKING_H
#define DFI_BLOCKING_H

enum {
    DFI_LOCK_SPINS = 100, /* looks at a df_mutex before blocking, 2 us: longer than most critical sections */
    DFI_LOCK_EVENTS = 16  /* sleepers on all mutexes, by address */
};

static struct dfi_os_event dfi_lock_event[DFI_LOCK_EVENTS];

static void *dfi_spare(void *p);

/* Starts a spare, unless the system refuses: then the blocked worker is simply missing. */
static void dfi_spare_start(void)
{
    struct dfi_worker *h;
    while (!dfi_os_trylock(&dfi_pool_lock)) { /* df_stop holds it while it waits for this very task */
        if (!dfi_load_seq_cst(&dfi_pool.running)) return;
        dfi_os_yield();
    }
    if (dfi_load_seq_cst(&dfi_pool.running) && dfi_load_seq_cst(&dfi_pool.spares) < dfi_load_seq_cst(&dfi_pool.blocked) &&
        (h = dfi_worker_take(dfi_pool.deque)) != NULL) {
        h->spare = dfi_fetch_add_seq_cst(&dfi_pool.spares, 1);
        h->index = dfi_pool.n_workers + h->spare;
        h->pin = -1;
        if (dfi_helper_start(h, dfi_spare)) dfi_fetch_sub_seq_cst(&dfi_pool.spares, 1);
    }
    dfi_os_unlock(&dfi_pool_lock);
}

static void *dfi_spare(void *p)
{
    struct dfi_worker *w = (struct dfi_worker *)p;
    struct dfi_goal g;
    int sleeps;
    dfi_be(w);
    dfi_watch_thread(w, 0);
    g.kind = DFI_GOAL_SPARE, g.scope = NULL, g.future = NULL, g.flag = NULL, g.spare = w->spare;
    for (;;) {
        dfi_baton_take(w);
        dfi_help_until(w, 0, &g);
        dfi_outbox_flush(w);
        dfi_share(w);
        dfi_wake_if_work(); /* somebody may have relied on this one to look */
        if (dfi_load_seq_cst(&dfi_pool.stopping)) break;
        /* seq_cst, then look: pairs with dfi_block_begin, which counts and then wakes */
        dfi_store_seq_cst(&w->park, DFI_PARKED_SPARE);
        sleeps = dfi_goal_met(&g) && !dfi_load_seq_cst(&dfi_pool.stopping);
        if (sleeps) {
            dfi_baton_drop(w);
            dfi_os_event_wait(&w->event, &w->park, DFI_PARKED_SPARE, 0);
        }
        dfi_store_seq_cst(&w->park, DFI_AWAKE);
    }
    dfi_be(NULL);
    dfi_fetch_sub_seq_cst(&dfi_pool.alive, 1);
    return NULL;
}

/* The caller is about to block. */
static void dfi_block_begin(struct dfi_worker *w)
{
    int i, n, k = dfi_fetch_add_seq_cst(&dfi_pool.blocked, 1);
    dfi_outbox_flush(w);
    dfi_share(w);
    if (k >= dfi_load_seq_cst(&dfi_pool.spares)) {
        dfi_spare_start();
        return;
    }
    for (i = 0, n = dfi_load_acquire(&dfi_pool.n_slots); i < n; i++)
        dfi_wake(dfi_load_acquire(&dfi_pool.slot[i]), DFI_PARKED_SPARE); /* those too many go to sleep again */
}

static void dfi_block_end(void) { dfi_fetch_sub_seq_cst(&dfi_pool.blocked, 1); }

static size_t dfi_lock_bucket(const df_mutex *m) { return (uintptr_t)m / sizeof *m % DFI_LOCK_EVENTS; }

/* Where to sleep for m; whoever unlocks it while somebody sleeps finds it made. */
static struct dfi_os_event *dfi_lock_event_of(df_mutex *m)
{
    int i;
    if (!dfi_load_acquire(&dfi_lock_events_ready)) {
        dfi_os_lock(&dfi_pool_lock);
        for (i = 0; i < DFI_LOCK_EVENTS && !dfi_load_relaxed(&dfi_lock_events_ready); i++) dfi_os_event_init(&dfi_lock_event[i]);
        dfi_store_release(&dfi_lock_events_ready, 1);
        dfi_os_unlock(&dfi_pool_lock);
    }
    return &dfi_lock_event[dfi_lock_bucket(m)];
}

DFI_EXTERN_C_BEGIN
DFI_API void dfi_yield(const char *what, const char *site, void (*fn)(void *arg), void *arg)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_waits waits;
    if (!w) {
        fn(arg);
        return;
    }
    dfi_waits_begin(w, &waits, DFI_WAITS_OUTSIDE, what, site);
    dfi_check_block_begin(w);
    dfi_block_begin(w);
    dfi_baton_drop(w);
    fn(arg);
    dfi_baton_take(w);
    dfi_block_end();
    dfi_check_block_end(w);
    dfi_waits_end(w, &waits);
}
DFI_API void dfi_yield_here(const char *site, void (*fn)(void *arg), void *arg) { dfi_yield("df_yield_blocking", site, fn, arg); }
DFI_API void (df_yield_blocking)(void (*fn)(void *arg), void *arg) { dfi_yield_here(NULL, fn, arg); }

static void dfi_mutex_taken(df_mutex *m, const char *site)
{
    dfi_store_relaxed(&m->dfi_owner, dfi_thread_id());
    dfi_store_relaxed(&m->dfi_site, site);
}

DFI_API df_result dfi_mutex_trylock_here(const char *site, df_mutex *m)
{
    int free = 0; /* acquire: pairs with the exchange in df_mutex_unlock */
    if (!dfi_cas_acq_rel(&m->dfi_state, &free, 1)) return DF_ERROR_DEADLOCK;
    dfi_mutex_taken(m, site);
    return DF_OK;
}
DFI_API df_result (df_mutex_trylock)(df_mutex *m) { return dfi_mutex_trylock_here(NULL, m); }

/* States: 0 free, 1 held, 2 held and somebody may sleep (Drepper, "Futexes are tricky", 2011). */
DFI_API df_result dfi_mutex_lock_here(const char *site, df_mutex *m)
{
    struct dfi_worker *w = dfi_me();
    struct dfi_waits waits;
    struct dfi_os_event *e;
    int i;
    for (i = 0; i < DFI_LOCK_SPINS; i++) {
        if (!dfi_load_relaxed(&m->dfi_state) && dfi_mutex_trylock_here(site, m) == DF_OK) return DF_OK;
        if (dfi_load_relaxed(&m->dfi_owner) == dfi_thread_id()) return DF_ERROR_DEADLOCK;
        dfi_os_pause();
    }
    e = dfi_lock_event_of(m);
    waits.since = 0;
    if (w) {
        dfi_waits_begin(w, &waits, DFI_WAITS_LOCK, m, site);
        dfi_check_pause(w);
        dfi_block_begin(w);
    }
    while (dfi_exchange_acq_rel(&m->dfi_state, 2)) {
        if (w) dfi_baton_drop(w);
        if (!w || !dfi_baton_replays()) dfi_os_event_wait(e, &m->dfi_state, 2, 0); /* a replay knows when it woke */
        if (w) dfi_baton_take(w);
    }
    if (w) {
        dfi_block_end();
        dfi_check_resume(w);
        dfi_waits_end(w, &waits);
    }
    dfi_mutex_taken(m, site);
    return DF_OK;
}
DFI_API df_result (df_mutex_lock)(df_mutex *m) { return dfi_mutex_lock_here(NULL, m); }

DFI_API void df_mutex_unlock(df_mutex *m)
{
    struct dfi_os_event *e;
    if (dfi_load_relaxed(&m->dfi_owner) != dfi_thread_id()) {
        dfi_log(DFI_LOG_UNLOCK);
        return;
    }
    dfi_store_relaxed(&m->dfi_owner, NULL);
    /* release: what was done under the lock; after it m may be gone, so only its event is touched */
    e = &dfi_lock_event[dfi_lock_bucket(m)];
    if (dfi_exchange_acq_rel(&m->dfi_state, 0) == 2) dfi_os_event_wake_all(e);
}
DFI_EXTERN_C_END

#endif
