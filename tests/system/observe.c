/* observe.c - df_observe.h: what observers are told of one run of tasks, spawned functions, loops, pipes and waits
 *
 * Each event of a worker is between its start and its stop, on its own thread. Beginnings and ends nest. A task is
 * submitted, begins and ends once, in this order, and its parent is the task whose body submitted it. A second observer
 * sees the same; one that asks for nothing is told nothing. Each run is in a process of its own. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "../../df_observe.h"
#include "child.h"
#include "hear.h"
#include "work.h"

enum { WORKERS = 4, IDS = 1 << 16, DEEP = 256, BOUND = 600 };

/* --- what an observer has seen --------------------------------------------------------------------------------- */

enum { SUBMITTED = 1, BEGUN = 2, ENDED = 4 };
struct seen {
    pthread_mutex_t lock;
    uint64_t id[IDS];            /* a hash table of tasks and other bodies */
    unsigned state[IDS];
    int n, submitted, begun, ended, other, stolen, edges, waits, waited, sleeps, wakes, starts, stops;
    long iterations, items;
    struct of_worker {
        int runs, deep, waits, sleeps;
        pthread_t thread;
        uint64_t stack[DEEP];    /* the running bodies */
        int task[DEEP];          /* is it a task? */
        int wait[DEEP];          /* the kinds of the waits */
    } w[BOUND];
};

static unsigned *state_of(struct seen *s, uint64_t id)
{
    size_t i = (size_t)(id * 0x9e3779b97f4a7c15u >> 48) % IDS;
    CHECK(id != 0);
    while (s->id[i] && s->id[i] != id) i = (i + 1) % IDS;
    if (!s->id[i]) {
        CHECK(++s->n < IDS / 2);
        s->id[i] = id;
    }
    return &s->state[i];
}

static struct of_worker *enter(struct seen *s, int worker)
{
    pthread_mutex_lock(&s->lock);
    CHECK(worker >= 0 && worker < BOUND);
    CHECK(s->w[worker].runs && pthread_equal(s->w[worker].thread, pthread_self()));
    return &s->w[worker];
}
static void leave(struct seen *s) { pthread_mutex_unlock(&s->lock); }

static void worker_start(void *arg, int worker)
{
    struct seen *s = (struct seen *)arg;
    pthread_mutex_lock(&s->lock);
    CHECK(worker >= 0 && worker < BOUND && !s->w[worker].runs);
    s->w[worker].runs = 1, s->w[worker].thread = pthread_self(), s->starts++;
    pthread_mutex_unlock(&s->lock);
}
static void worker_stop(void *arg, int worker)
{
    struct seen *s = (struct seen *)arg;
    struct of_worker *w = enter(s, worker);
    CHECK(!w->deep && !w->waits && !w->sleeps);
    w->runs = 0, s->stops++;
    leave(s);
}
static void task_submit(void *arg, int worker, const df_observed *t)
{
    struct seen *s = (struct seen *)arg;
    struct of_worker *w = enter(s, worker);
    unsigned *state = state_of(s, t->id);
    int i = w->deep;
    CHECK(t->kind == DF_OBSERVED_TASK && t->name && !*state);
    while (i > 0 && !w->task[i - 1]) i--;
    CHECK(t->parent == (i ? w->stack[i - 1] : 0));
    *state |= SUBMITTED, s->submitted++;
    leave(s);
}
static void task_edge(void *arg, int worker, uint64_t before, uint64_t after)
{
    struct seen *s = (struct seen *)arg;
    enter(s, worker);
    CHECK(before && before != after);
    CHECK(*state_of(s, after) == 0 || *state_of(s, after) == SUBMITTED); /* 0: of a task of df itself */
    s->edges++;
    leave(s);
}
static void task_begin(void *arg, int worker, const df_observed *t)
{
    struct seen *s = (struct seen *)arg;
    struct of_worker *w = enter(s, worker);
    unsigned *state = state_of(s, t->id);
    int task = t->kind == DF_OBSERVED_TASK;
    CHECK(*state == (task ? SUBMITTED : 0) && w->deep < DEEP && !t->parent && !t->site);
    *state |= BEGUN;
    w->stack[w->deep] = t->id, w->task[w->deep++] = task;
    if (task) s->begun++;
    else s->other++;
    leave(s);
}
static void task_end(void *arg, int worker, const df_observed *t)
{
    struct seen *s = (struct seen *)arg;
    struct of_worker *w = enter(s, worker);
    unsigned *state = state_of(s, t->id);
    CHECK(*state & BEGUN && !(*state & ENDED) && w->deep && w->stack[w->deep - 1] == t->id);
    *state |= ENDED;
    w->deep--, s->ended++;
    if (t->kind == DF_OBSERVED_LOOP) s->iterations += t->last - t->first;
    if (t->kind == DF_OBSERVED_STAGE) s->items += t->first == 1;
    leave(s);
}
static void task_steal(void *arg, int worker, const df_observed *t, int victim)
{
    struct seen *s = (struct seen *)arg;
    enter(s, worker);
    CHECK(victim >= 0 && victim != worker && t->id);
    s->stolen++;
    leave(s);
}
static void wait_begin(void *arg, int worker, df_observed_wait kind, const char *site)
{
    struct seen *s = (struct seen *)arg;
    struct of_worker *w = enter(s, worker);
    (void)site;
    CHECK(w->waits < DEEP && (int)kind >= 0 && kind <= DF_OBSERVED_WAIT_CONDITION);
    w->wait[w->waits++] = (int)kind, s->waits++;
    leave(s);
}
static void wait_end(void *arg, int worker, df_observed_wait kind, const char *site)
{
    struct seen *s = (struct seen *)arg;
    struct of_worker *w = enter(s, worker);
    (void)site;
    CHECK(w->waits && w->wait[--w->waits] == (int)kind);
    s->waited++;
    leave(s);
}
static void worker_sleep(void *arg, int worker)
{
    struct seen *s = (struct seen *)arg;
    struct of_worker *w = enter(s, worker);
    CHECK(!w->sleeps);
    w->sleeps = 1, s->sleeps++;
    leave(s);
}
static void worker_wake(void *arg, int worker)
{
    struct seen *s = (struct seen *)arg;
    struct of_worker *w = enter(s, worker);
    CHECK(w->sleeps);
    w->sleeps = 0, s->wakes++;
    leave(s);
}

static df_observer observer_of(struct seen *s)
{
    df_observer o = { s, worker_start, worker_stop, task_submit, task_edge, task_begin, task_end, task_steal,
                      wait_begin, wait_end, worker_sleep, worker_wake };
    pthread_mutex_init(&s->lock, NULL);
    return o;
}

/* --- the work -------------------------------------------------------------------------------------------------- */

DF_TASK(void, add, df_inout(long, x, 1));
void add(long *x) { ++*x; }
DF_TASK(void, sum, df_reduce(df_sum, long, x, 1));
void sum(long *x) { ++*x; }
DF_TASK(void, tree, (int, deep), df_inout(long, x, 1));
void tree(int deep, long *x)
{
    if (!deep) {
        ++*x;
        return;
    }
    DF_PARALLEL {
        df_submit(tree, deep - 1, x);
        df_submit(add, x);
    }
    df_submit(tree, deep - 1, x);
    df_submit(add, x);
    if (deep % 2) df_wait();
}
DF_LOOP(loop, (long *, to));
void loop(long lo, long hi, long *to)
{
    __atomic_fetch_add(to, hi - lo, __ATOMIC_RELAXED);
}
DF_PIPE(pipe3, long);
int pipe3(int stage, long *item, long i, void *ctx)
{
    if (stage == 0) return i == *(int *)ctx ? DF_PIPE_END : (*item = i, df_continue(1));
    return stage == 1 ? df_in_order(2) : DF_PIPE_DONE;
}

enum { TREES = 8, DEPTH = 4, SUMS = 50, LOOP = 100000, ITEMS = 60 };
/* submissions of tree(deep) and of what it submits */
static int tasks_of(int deep) { return deep ? 3 + 2 * tasks_of(deep - 1) : 1; }
static int all_tasks(void) { return TREES * tasks_of(DEPTH) + 2 * SUMS + 1; }

static void work(void)
{
    static long x[TREES], total, iterations;
    int items = ITEMS;
    memset(x, 0, sizeof x);
    total = iterations = 0;
    for (int i = 0; i < TREES; i++) df_submit(tree, DEPTH, &x[i]);
    for (int i = 0; i < SUMS; i++) df_submit(sum, &total);
    df_wait_on(&total, sizeof total);
    for (int i = 0; i < SUMS; i++) df_submit(add, &total);
    df_submit_with(DF_OPTS(.name = "last"), add, &total);
    df_wait();
    CHECK(total == 2 * SUMS + 1 && x[0] == x[TREES - 1]);
    CHECK(work_fib(15) == 610);
    df_for(loop, 0, LOOP, &iterations);
    CHECK(iterations == LOOP);
    CHECK(df_pipe(pipe3, NULL, &items) == ITEMS);
}

static void balanced(const struct seen *s, int runs)
{
    CHECK(s->submitted == runs * all_tasks() && s->begun == s->submitted);
    CHECK(s->ended == s->begun + s->other);
    CHECK(s->iterations == (long)runs * LOOP && s->items == (long)runs * ITEMS);
    CHECK(s->waits == s->waited && s->sleeps == s->wakes && s->starts == s->stops && s->starts > 0);
}

static struct seen seen, again;
static void ignored(void *arg, int worker) { (void)arg, (void)worker; }

static int whole(void *arg)
{
    int workers = *(int *)arg;
    df_observer o = observer_of(&seen), second = observer_of(&again), empty = { .worker_start = ignored };
    CHECK(df_observe(&o) == DF_OK && df_observe(&empty) == DF_OK && df_observe(&second) == DF_OK);
    for (int i = 0; i < 3; i++) {
        CHECK(df_start(DF_CONFIG(.workers = workers)) == DF_OK);
        work();
        df_stop();
        balanced(&seen, i + 1);
        balanced(&again, i + 1);
        CHECK(again.stolen == seen.stolen && again.edges == seen.edges && again.other == seen.other);
        CHECK(seen.starts >= workers * (i + 1) && (workers > 1 || !seen.stolen));
    }
    CHECK(df_unobserve(&second) == DF_OK);
    CHECK(df_start(DF_CONFIG(.workers = workers)) == DF_OK);
    work();
    df_stop();
    balanced(&seen, 4);
    balanced(&again, 3);
    CHECK(df_unobserve(&o) == DF_OK && df_unobserve(&o) == DF_OK && df_unobserve(&empty) == DF_OK);
    CHECK(df_start(DF_CONFIG(.workers = workers)) == DF_OK);
    work();
    df_stop();
    balanced(&seen, 4);
    return 0;
}

/* --- one worker: the order is fixed ------------------------------------------------------------------------------ */

static char line[1000];
static uint64_t last_outer;
static void note(const char *what, const df_observed *t)
{
    size_t n = strlen(line);
    const char *site = t->site ? strstr(t->site, "observe.c:") : NULL;
    if (!strcmp(t->name, "outer")) last_outer = t->id;
    snprintf(line + n, sizeof line - n, "%s %s%s%s; ", what, t->name, site ? " here" : "",
             !t->parent ? "" : t->parent == last_outer ? " in outer" : " in another");
}
static void noted_submit(void *arg, int w, const df_observed *t) { (void)arg, (void)w, note("submit", t); }
static void noted_begin(void *arg, int w, const df_observed *t) { (void)arg, (void)w, note("begin", t); }
static void noted_end(void *arg, int w, const df_observed *t) { (void)arg, (void)w, note("end", t); }

DF_TASK(void, outer, (int, n));
DF_TASK(void, inner, (int, n));
void outer(int n) { df_submit(inner, n); }
void inner(int n) { (void)n; }

#if defined(DF_DEBUG) && DF_DEBUG
#define HERE " here" /* every call knows its line */
#else
#define HERE ""
#endif

static int one(void *unused)
{
    df_observer o = { .task_submit = noted_submit, .task_begin = noted_begin, .task_end = noted_end };
    static const char expected[] = "submit outer" HERE "; begin outer; submit inner" HERE " in outer; begin inner; "
                                   "end inner; end outer; submit titled here; begin titled; end titled; ";
    (void)unused;
    CHECK(df_start(DF_CONFIG(.workers = 1)) == DF_OK);
    df_submit(inner, 1); /* nobody looks */
    CHECK(df_observe(&o) == DF_OK);
    df_submit(outer, 1);
    df_submit_with(DF_OPTS(.name = "titled"), inner, 1);
    df_wait();
    if (strcmp(line, expected)) fprintf(stderr, "%s\n", line);
    CHECK(!strcmp(line, expected));
    CHECK(df_unobserve(&o) == DF_OK);
    df_submit(inner, 1);
    df_wait();
    CHECK(!strcmp(line, expected));
    return 0;
}

/* A task that is submitted while nobody observes has the id of no task that is submitted later. */
static uint64_t begun[2];
static int n_begun;
static void noted_id(void *arg, int w, const df_observed *t)
{
    (void)arg, (void)w;
    CHECK(n_begun < 2);
    begun[n_begun++] = t->id;
}
static int later(void *unused)
{
    df_observer o = { .task_submit = noted_submit }, second = { .task_begin = noted_id };
    (void)unused;
    CHECK(df_start(DF_CONFIG(.workers = 1, .defer = 1)) == DF_OK);
    CHECK(df_observe(&o) == DF_OK);
    df_submit(inner, 1);
    df_wait();
    CHECK(df_unobserve(&o) == DF_OK);
    df_submit(inner, 2); /* in the memory of the first one */
    CHECK(df_observe(&second) == DF_OK);
    df_submit(inner, 3);
    df_wait();
    CHECK(n_begun == 2 && begun[0] != begun[1] && df_unobserve(&second) == DF_OK);
    return 0;
}

/* --- wrong use --------------------------------------------------------------------------------------------------- */

static df_observer inside;
static df_result in_callback[2];
static void wrong(void *arg, int worker, const df_observed *t)
{
    static df_observer other;
    (void)arg, (void)worker, (void)t;
    in_callback[0] = df_observe(&other);
    in_callback[1] = df_unobserve(&inside);
}
static int misuse(void *unused)
{
    static df_observer many[17];
    (void)unused;
    CHECK(df_start(DF_CONFIG(.workers = 1, .log = hear)) == DF_OK);
    for (int i = 0; i < 16; i++) CHECK(df_observe(&many[i]) == DF_OK);
    CHECK(df_observe(&many[3]) == DF_ERROR_STARTED && df_observe(&many[16]) == DF_ERROR_MEMORY);
    for (int i = 0; i < 16; i++) CHECK(df_unobserve(&many[i]) == DF_OK);
    CHECK(df_observe(&many[16]) == DF_OK && df_unobserve(&many[16]) == DF_OK);
    inside.task_begin = wrong;
    CHECK(df_observe(&inside) == DF_OK);
    df_submit(inner, 1);
    df_wait();
    CHECK(df_unobserve(&inside) == DF_OK);
    CHECK(in_callback[0] == DF_ERROR_DEADLOCK && in_callback[1] == DF_ERROR_DEADLOCK && n_said == 2);
    CHECK(!strcmp(said[1], "1 df: df_unobserve in a callback of an observer does nothing: call it outside of callbacks"));
    return 0;
}

/* --- a child of a fork ------------------------------------------------------------------------------------------- */

static int forks(void *unused)
{
    df_observer o = observer_of(&seen);
    pid_t pid;
    int status;
    (void)unused;
    CHECK(df_start(DF_CONFIG(.workers = WORKERS)) == DF_OK && df_observe(&o) == DF_OK);
    work();
    df_stop();
    CHECK((pid = fork()) >= 0);
    if (pid == 0) {
        CHECK(df_start(DF_CONFIG(.workers = 2)) == DF_OK);
        work();
        df_stop();
        CHECK(seen.submitted == 2 * all_tasks() && seen.begun == seen.submitted);
        CHECK(df_unobserve(&o) == DF_OK);
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(df_unobserve(&o) == DF_OK);
    return 0;
}

int main(void)
{
    static const int workers[] = { 1, 2, WORKERS, 8 };
    struct child c;
    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++) {
        c = child_run(whole, (void *)(uintptr_t)&workers[i], NULL, 120);
        CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    }
    c = child_run(one, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    c = child_run(later, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    c = child_run(misuse, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    c = child_run(forks, NULL, NULL, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 0);
    return 0;
}
