/* observe_waits.c - df_observe.h: what a worker waits for, and the kinds of what runs
 *
 * A part of the program uses one construct, and every wait that begins meanwhile is of a kind that this construct can
 * cause. Where a wait is certain it is seen: something that it waits for is done only when it has begun. Prints what
 * the parts compute, and how much of each kind ran. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_observe.h"
#include "../test.h"

enum { BOUND = 1100, KINDS = DF_OBSERVED_WAIT_CONDITION + 1 };

/* --- the observer ------------------------------------------------------------------------------------------- */

static unsigned allowed;               /* the kinds of waits of this part, a bit each */
static int begun[KINDS], ended[KINDS]; /* atomic */
static struct of_worker { long tasks, spawned, stolen, iterations, last_stages; } seen[BOUND]; /* each by one worker */

static const char *name_of(df_observed_wait kind)
{
    switch (kind) {
    case DF_OBSERVED_WAIT_TASKS: return "tasks";
    case DF_OBSERVED_WAIT_ROOM: return "room"; /* not in a program with tokens and locks: observe.c has it */
    case DF_OBSERVED_WAIT_REGION: return "region";
    case DF_OBSERVED_WAIT_FUTURE: return "future";
    case DF_OBSERVED_WAIT_OTHERS: return "others";
    case DF_OBSERVED_WAIT_TOKEN: return "token";
    case DF_OBSERVED_WAIT_LOCK: return "lock";
    case DF_OBSERVED_WAIT_OUTSIDE: return "outside";
    case DF_OBSERVED_WAIT_CONDITION: return "condition";
    }
    return "?";
}
static void wait_begin(void *arg, int worker, df_observed_wait kind, const char *site)
{
    (void)arg, (void)site;
    if (worker < 0 || worker >= BOUND || !(allowed >> kind & 1)) test_fail(__FILE__, __LINE__, name_of(kind));
    __atomic_fetch_add(&begun[kind], 1, __ATOMIC_RELEASE);
}
static void wait_end(void *arg, int worker, df_observed_wait kind, const char *site)
{
    (void)arg, (void)worker, (void)site;
    CHECK(__atomic_fetch_add(&ended[kind], 1, __ATOMIC_RELAXED) < __atomic_load_n(&begun[kind], __ATOMIC_RELAXED));
}
static void task_steal(void *arg, int worker, const df_observed *t, int victim)
{
    (void)arg;
    CHECK(victim != worker);
    if (!strcmp(t->name, "fib")) seen[worker].stolen++;
}
static void task_end(void *arg, int worker, const df_observed *t)
{
    const df_observed_kind kind = t->kind;
    struct of_worker *w = &seen[worker];
    (void)arg;
    switch (kind) {
    case DF_OBSERVED_TASK: w->tasks++; break;
    case DF_OBSERVED_SPAWNED:
        CHECK(!strcmp(t->name, "fib"));
        w->spawned++;
        break;
    case DF_OBSERVED_LOOP:
        CHECK(!strcmp(t->name, "squares"));
        w->iterations += t->last - t->first;
        break;
    case DF_OBSERVED_STAGE:
        CHECK(!strcmp(t->name, "stages"));
        w->last_stages += t->first == 2;
        break;
    }
}

/* --- the parts ------------------------------------------------------------------------------------------------ */

/* Returns when a wait of this kind has begun. Nothing waits in the serial build. */
static void until_begun(void *kind)
{
#if defined(DF_SERIAL)
    (void)kind;
#else
    while (!__atomic_load_n(&begun[*(df_observed_wait *)kind], __ATOMIC_ACQUIRE)) test_spin(1000);
#endif
}
DF_TASK(void, set, df_out(long, p, 1), (long, v), (df_observed_wait, kind));
void set(long *p, long v, df_observed_wait kind)
{
    df_yield_blocking(until_begun, &kind); /* nothing else has to wait for that */
    *p = v;
}
DF_TASK(void, add, df_inout(long, p, 1), (long, v));
void add(long *p, long v) { *p = 3 * *p + v; }

static long tasks(void)
{
    long p = 0;
    df_submit(set, &p, 7, DF_OBSERVED_WAIT_TASKS);
    df_submit(add, &p, 1);
    df_wait();
    return p;
}
static long region(void)
{
    long p = 0;
    df_submit(set, &p, 7, DF_OBSERVED_WAIT_REGION);
    df_submit(add, &p, 2);
    df_wait_on(&p, sizeof p);
    return p;
}
DF_TASK(long, fib, (long, n));
long fib(long n)
{
    df_future(fib) f;
    long x;
    if (n < 2) return n;
    df_spawn(fib, &f, n - 1);
    x = fib(n - 2);
    return x + df_sync(fib, &f);
}
static long future(void) { return fib(16); }

DF_LOOP(squares, df_reduce(df_sum, long, sum, 1));
void squares(long lo, long hi, long *sum)
{
    for (; lo < hi; lo++) *sum += lo * lo;
}
DF_PIPE(stages, long);
int stages(int stage, long *item, long i, void *sum)
{
    if (stage == 0) return i == 40 ? DF_PIPE_END : (*item = i, df_continue(1));
    if (stage == 1) return *item *= 3, df_in_order(2);
    *(long *)sum = *(long *)sum * 5 % 10007 + *item;
    return DF_PIPE_DONE;
}
static long others(void)
{
    long sum = 0, items = 0;
    df_for(squares, 0, 1000, &sum);
    CHECK(df_pipe(stages, NULL, &items) == 40);
    return sum + items;
}
static long token(void)
{
    df_token t = DF_TOKEN(1);
    long p = 0;
    df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), set, &p, 9, DF_OBSERVED_WAIT_TOKEN);
    CHECK(df_wait_token(&t) == DF_OK);
    return p;
}
static df_mutex mutex = DF_MUTEX;
/* One of them has the lock until another one waits for it; its place is free meanwhile. */
DF_TASK(void, locks, (long *, p), (long, v));
void locks(long *p, long v)
{
    df_observed_wait kind = DF_OBSERVED_WAIT_LOCK;
    CHECK(df_mutex_lock(&mutex) == DF_OK);
    df_yield_blocking(until_begun, &kind);
    *p += v;
    df_mutex_unlock(&mutex);
}
static long lock(void)
{
    long p = 0;
    for (int i = 0; i < 6; i++) df_submit(locks, &p, i);
    df_wait();
    return p;
}
static long condition(void)
{
    long known = 0, p = 5;
    df_submit(set, &known, 1, DF_OBSERVED_WAIT_CONDITION);
    df_speculate(&known, 1) {
        df_wait_on(&p, sizeof p); /* for the condition first */
        df_submit(add, &p, known);
    }
    df_wait();
    return p;
}

/* --- together ------------------------------------------------------------------------------------------------- */

/* also: other kinds of waits in it, a bit each; that of df_yield_blocking is in all parts */
static void part(long work(void), df_observed_wait kind, unsigned also, int certain)
{
    int i;
    for (i = 0; i < KINDS; i++) CHECK(begun[i] == ended[i]);
    memset(begun, 0, sizeof begun);
    memset(ended, 0, sizeof ended);
    allowed = 1u << kind | 1u << DF_OBSERVED_WAIT_OUTSIDE | also;
    printf("%s: %ld\n", name_of(kind), work());
    df_wait(); /* of a kind that is allowed */
#if !defined(DF_SERIAL)
    CHECK(begun[kind] || !certain);
#else
    (void)certain;
#endif
}

static void print(void)
{
    struct of_worker all = { 0, 0, 0, 0, 0 };
    for (int i = 0; i < BOUND; i++) {
        all.tasks += seen[i].tasks, all.iterations += seen[i].iterations, all.last_stages += seen[i].last_stages;
        all.spawned += seen[i].spawned, all.stolen += seen[i].stolen;
    }
    CHECK(all.spawned == all.stolen);
    printf("%ld tasks, %ld iterations, %ld items\n", all.tasks, all.iterations, all.last_stages);
}

int main(void)
{
    static df_observer o;
    o.wait_begin = wait_begin, o.wait_end = wait_end, o.task_steal = task_steal, o.task_end = task_end;
    const unsigned of_tasks = 1u << DF_OBSERVED_WAIT_TASKS, of_region = 1u << DF_OBSERVED_WAIT_REGION;
    allowed = of_tasks;
    CHECK(df_observe(&o) == DF_OK);
    part(tasks, DF_OBSERVED_WAIT_TASKS, 0, 1);
    part(region, DF_OBSERVED_WAIT_REGION, of_tasks, 1);
    part(future, DF_OBSERVED_WAIT_FUTURE, of_tasks, 0);
    part(others, DF_OBSERVED_WAIT_OTHERS, of_tasks | of_region, 0); /* a loop waits for what it reduces into */
    part(token, DF_OBSERVED_WAIT_TOKEN, of_tasks, 1);
    part(lock, DF_OBSERVED_WAIT_LOCK, of_tasks, 1);
    part(condition, DF_OBSERVED_WAIT_CONDITION, of_tasks | of_region, 1); /* serial: an if on a region */
    CHECK(df_unobserve(&o) == DF_OK);
    print();
    return 0;
}
