/* stm_test.h - what the tests of df_stm.h share: how many rounds, threads, a watchdog. After df_stm.h. */
#ifndef STM_TEST_H
#define STM_TEST_H

#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "../test.h"

#if defined(DF_STM_ENGINE) && DF_STM_ENGINE == DF_STM_VALUES
enum { STM_VALUES = 1 };
#else
enum { STM_VALUES = 0 };
#endif

/* Sanitizers, emulators and all checks of df are slow. */
#if TEST_TSAN
enum { STM_SLOWER = 6 };
#elif TEST_SLOW
enum { STM_SLOWER = 4 };
#elif DF_DEBUG >= 2
enum { STM_SLOWER = 2 };
#else
enum { STM_SLOWER = 1 };
#endif

#ifndef STM_NAPS /* and slower by that factor */
#define STM_NAPS 1
#endif

static int stm_given; /* rounds, from the command line */

/* n in a release build on two cores, STM_ROUNDS (environment) times that, or what was given. */
static inline int stm_rounds(int n)
{
    const char *times = getenv("STM_ROUNDS");
    double rounds = (double)n / STM_SLOWER / STM_NAPS * (times ? atof(times) : 1);
    if (stm_given) return stm_given;
    return rounds < 1 ? 1 : rounds > 1e9 ? 1000000000 : (int)rounds;
}

/* SIGALRM ends a test that hangs. */
static inline void stm_watch(unsigned seconds)
{
    const char *times = getenv("STM_ROUNDS");
    double more = times && atof(times) > 1 ? atof(times) : 1;
    alarm((unsigned)((double)seconds * more));
}

struct stm_thread { void (*fn)(int self); int self; pthread_barrier_t *begin; };
static inline void *stm_thread(void *p)
{
    struct stm_thread *t = (struct stm_thread *)p;
    pthread_barrier_wait(t->begin);
    t->fn(t->self);
    return NULL;
}

/* fn(0) ... fn(n - 1), each in a new thread, all at once. */
static inline void stm_run(int n, void (*fn)(int self))
{
    enum { MOST = 256 };
    static struct stm_thread t[MOST];
    pthread_t thread[MOST];
    pthread_barrier_t begin;
    CHECK(n <= MOST && !pthread_barrier_init(&begin, NULL, (unsigned)n));
    for (int i = 0; i < n; i++) {
        t[i] = (struct stm_thread){ fn, i, &begin };
        CHECK(!pthread_create(&thread[i], NULL, stm_thread, &t[i]));
    }
    for (int i = 0; i < n; i++) CHECK(!pthread_join(thread[i], NULL));
    CHECK(!pthread_barrier_destroy(&begin));
}

#endif
