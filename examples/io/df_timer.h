/* df_timer.h - timers: a token is signalled at a time, and a task lasts for a time, without a blocked worker
 *
 *   df_timers *df_timers_new(void);      a clock: one thread, which sleeps until the next timer rings. NULL without
 *       memory or thread
 *   void df_timers_free(df_timers *c);   cancels its timers and ends the thread. NULL is ignored
 *   long long df_timer_now(void);        nanoseconds of a clock that never goes back
 *   void df_timer_at(df_timers *c, df_timer *t, long long when, df_token *token);
 *       signals token when df_timer_now() is `when`, or a little later. The token is made by DF_TIMER_TOKEN. A task at
 *       a time is a task that waits for the token:
 *           static df_token noon = DF_TIMER_TOKEN;
 *           df_timer_at(c, &t, when, &noon);
 *           df_submit_with(DF_OPTS(.after = DF_TOKENS(&noon)), lunch);
 *       t needs no initialisation, and must live until it rings or is cancelled
 *   void df_timer_in(df_timers *c, df_timer *t, long ms, df_token *token);    the same in ms milliseconds
 *   int df_timer_cancel(df_timers *c, df_timer *t);
 *       1: t will not ring. Its token is signalled immediately, so that tasks that wait for it start and find that
 *       df_timer_cancelled(t) is 1. 0: it rings now, or has rung. Not for a t that was never set
 *   df_submit(df_delay, c, ms, gate);    a task that is done after ms milliseconds: (df_timers *, c), (long, ms),
 *       df_inout(char, gate, 1). Tasks that use *gate and are submitted later start after it
 *
 *   Threads:    any, also inside tasks.
 *   Errors:     none. c may be NULL in df_delay: the task then sleeps in df_yield_blocking.
 *   Complexity: O(log n) for n timers that wait.
 *   DF_SERIAL:  no thread. A timer rings when no other task is ready; the only thread sleeps until then, and a wait for
 *               the scope in which it was set includes it.
 *   Source:     Fredman et al., The pairing heap, Algorithmica 1, 1986. */
#ifndef DF_TIMER_H
#define DF_TIMER_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1 /* clock_gettime, sigfillset; no effect after the first header of the system */
#endif
#include "../../df.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>
#if !defined(DF_SERIAL)
#include <pthread.h>
#include <signal.h>
#endif

/* Of a signal from outside. With DF_SERIAL it comes from a task, and need not wait until all other tasks wait. */
#if defined(DF_SERIAL)
#define DF_TIMER_TOKEN DF_TOKEN(1)
#else
#define DF_TIMER_TOKEN DF_TOKEN_EXTERNAL(1)
#endif

typedef struct df_timer {
    long long when, number;         /* equal times ring in the order in which they were set */
    df_token *token;
    struct df_timer *child, *next, *before; /* before: the sibling to the left or, for the first child, the parent */
    int in_heap, cancelled;
#if defined(DF_SERIAL)
    int *waits;                     /* of its task df_timer_ring_next */
#endif
} df_timer;

typedef struct df_timers {
    df_timer *first;                /* the root of a pairing heap */
    long long numbers;
#if !defined(DF_SERIAL)
    int ends;
    pthread_mutex_t lock;           /* of all fields, and of all timers */
    pthread_cond_t changed;
    pthread_t thread;
#endif
} df_timers;

#if defined(DF_SERIAL)
static inline void df_timers_lock(df_timers *c) { (void)c; }
static inline void df_timers_unlock(df_timers *c) { (void)c; }
#else
static inline void df_timers_lock(df_timers *c) { pthread_mutex_lock(&c->lock); }
static inline void df_timers_unlock(df_timers *c) { pthread_mutex_unlock(&c->lock); }
#endif

static inline struct timespec df_timer_spec(long long ns)
{
    struct timespec t;
    long long s = ns / 1000000000;
    t.tv_sec = sizeof(time_t) < 8 && s > INT_MAX ? (time_t)INT_MAX : (time_t)s;
    t.tv_nsec = (long)(ns % 1000000000);
    return t;
}
static inline long long df_timer_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static inline long long df_timer_after(long ms)
{
    long long now = df_timer_now();
    return ms > (LLONG_MAX - now) / 1000000 ? LLONG_MAX : now + ms * 1000000LL;
}
static inline void df_timer_sleep(void *when) /* until *when, which is a long long */
{
    long long left;
    while ((left = *(long long *)when - df_timer_now()) > 0) {
        struct timespec t = df_timer_spec(left);
        nanosleep(&t, NULL);
    }
}

/* --- a pairing heap: each timer rings before its children ------------------------------------------------------ */

static inline df_timer *df_timer_meld(df_timer *a, df_timer *b)
{
    if (!a || !b) return a ? a : b;
    if (b->when < a->when || (b->when == a->when && b->number < a->number)) {
        df_timer *other = a;
        a = b, b = other;
    }
    b->before = a, b->next = a->child;
    if (a->child) a->child->before = b;
    a->child = b;
    return a;
}

/* Melds the siblings from t on: in pairs, and then the pairs from the last one on. */
static inline df_timer *df_timer_meld_all(df_timer *t)
{
    df_timer *pairs = NULL, *all = NULL;
    while (t) {
        df_timer *a = t, *b = t->next, *rest = b ? b->next : NULL, *pair;
        a->next = a->before = NULL;
        if (b) b->next = b->before = NULL;
        pair = df_timer_meld(a, b);
        pair->next = pairs;
        pairs = pair;
        t = rest;
    }
    while (pairs) {
        df_timer *rest = pairs->next;
        pairs->next = NULL;
        all = df_timer_meld(all, pairs);
        pairs = rest;
    }
    return all;
}

/* pre: the lock, and t is in the heap */
static inline void df_timer_remove(df_timers *c, df_timer *t)
{
    df_timer *children = df_timer_meld_all(t->child);
    if (t == c->first) c->first = children;
    else {
        if (t->before->child == t) t->before->child = t->next;
        else t->before->next = t->next;
        if (t->next) t->next->before = t->before;
        c->first = df_timer_meld(c->first, children);
    }
    t->child = t->next = t->before = NULL;
    t->in_heap = 0;
#if defined(DF_SERIAL)
    if (t->waits) *t->waits = 0;
#endif
}

/* --- the clock ------------------------------------------------------------------------------------------------- */

#if defined(DF_SERIAL)
/* One for each timer that is set, until that timer has rung or is cancelled: then *waits is 0. It rings the next timer,
 * which may be another one, and lets the tasks run that wait for it. */
DF_STATIC_TASK(void, df_timer_ring_next, (df_timers *, c), (const int *, waits));
static inline void df_timers_set(df_timers *c, df_timer *t)
{
    t->waits = df_local(int, 1);
    if (t->waits) {
        *t->waits = 1;
        df_submit_with(DF_OPTS(.priority = INT_MIN), df_timer_ring_next, c, t->waits);
    } else { /* no memory */
        df_timer_sleep(&t->when);
        df_timer_remove(c, t);
        df_signal(t->token);
    }
}
static inline void df_timer_ring_next(df_timers *c, const int *waits)
{
    df_timer *t = c->first;
    if (!*waits) return;
    df_timer_sleep(&t->when);
    df_timer_remove(c, t);
    df_signal(t->token);
    if (*waits) df_submit_with(DF_OPTS(.priority = INT_MIN), df_timer_ring_next, c, waits);
}
static inline df_timers *df_timers_new(void) { return (df_timers *)calloc(1, sizeof(df_timers)); }
static inline void df_timers_end(df_timers *c) { (void)c; }
#else
static inline void df_timers_set(df_timers *c, const df_timer *t)
{
    if (c->first == t) pthread_cond_signal(&c->changed);
}

static inline void *df_timers_run(void *p)
{
    df_timers *c = (df_timers *)p;
    df_timers_lock(c);
    while (!c->ends) {
        df_timer *t = c->first;
        if (!t) pthread_cond_wait(&c->changed, &c->lock);
        else if (t->when > df_timer_now()) {
            struct timespec until = df_timer_spec(t->when);
            pthread_cond_timedwait(&c->changed, &c->lock, &until);
        } else {
            df_token *token = t->token;
            df_timer_remove(c, t);
            df_timers_unlock(c); /* from here on, t may be gone */
            df_signal(token);
            df_timers_lock(c);
        }
    }
    df_timers_unlock(c);
    return NULL;
}
static inline df_timers *df_timers_new(void)
{
    df_timers *c = (df_timers *)calloc(1, sizeof *c);
    pthread_condattr_t monotonic;
    sigset_t all, old;
    int failed;
    if (!c) return NULL;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); /* signals of the program are for its own threads */
    failed = pthread_create(&c->thread, NULL, df_timers_run, c);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!failed) return c;
    free(c);
    return NULL;
}
static inline void df_timers_end(df_timers *c)
{
    df_timers_lock(c);
    c->ends = 1;
    pthread_cond_signal(&c->changed);
    df_timers_unlock(c);
    pthread_join(c->thread, NULL);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
}
#endif

static inline void df_timer_at(df_timers *c, df_timer *t, long long when, df_token *token)
{
    t->when = when, t->token = token;
    t->child = t->next = t->before = NULL;
    t->in_heap = 1, t->cancelled = 0;
    df_timers_lock(c);
    t->number = c->numbers++;
    c->first = df_timer_meld(c->first, t);
    df_timers_set(c, t);
    df_timers_unlock(c);
}
static inline void df_timer_in(df_timers *c, df_timer *t, long ms, df_token *token)
{
    df_timer_at(c, t, df_timer_after(ms), token);
}
static inline int df_timer_cancel(df_timers *c, df_timer *t)
{
    df_token *token;
    int waits;
    df_timers_lock(c);
    waits = t->in_heap, token = t->token;
    if (waits) {
        df_timer_remove(c, t);
        t->cancelled = 1;
    }
    df_timers_unlock(c);
    if (waits) df_signal(token);
    return waits;
}
/* For a task that the token of t has released. */
static inline int df_timer_cancelled(const df_timer *t) { return t->cancelled; }

static inline void df_timers_free(df_timers *c)
{
    if (!c) return;
    for (;;) {
        df_timer *t;
        df_token *token = NULL;
        df_timers_lock(c);
        if ((t = c->first) != NULL) {
            token = t->token;
            df_timer_remove(c, t);
            t->cancelled = 1;
        }
        df_timers_unlock(c);
        if (!t) break;
        df_signal(token);
    }
    df_timers_end(c);
    free(c);
}

/* --- a task that lasts for a time ------------------------------------------------------------------------------- */

typedef struct { df_timer timer; df_token over; } df_delay_state;

/* The delay is done when this child is. */
DF_STATIC_TASK(void, df_delay_over, (df_delay_state *, s));
static inline void df_delay_over(df_delay_state *s) { (void)s; }

DF_STATIC_TASK(void, df_delay, (df_timers *, c), (long, ms), df_inout(char, gate, 1));
static inline void df_delay(df_timers *c, long ms, char *gate)
{
    long long when = df_timer_after(ms);
    df_delay_state *s = c ? df_local(df_delay_state, 1) : NULL;
    (void)gate;
    if (!s) {
        df_yield_blocking(df_timer_sleep, &when);
        return;
    }
    df_token closed = DF_TIMER_TOKEN;
    s->over = closed;
    df_timer_at(c, &s->timer, when, &s->over);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&s->over)), df_delay_over, s);
}

#endif
