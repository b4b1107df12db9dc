/* observe.c - df_observe.h: the tasks that an observer sees do not depend on the number of workers */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_observe.h"
#include "../test.h"

enum { NAMES = 8, BOUND = 1100 };
struct counts { long submitted, begun, ended; };
static struct of_worker {
    struct counts by_name[NAMES];
    long iterations, items, edges, depth, waits, room, starts;
} seen[BOUND]; /* each written by one worker */
static const char *const names[NAMES] = { "first", "adds", "parent", "child", "titled", "loop", "stages", "other" };

static struct counts *of(int worker, const df_observed *t)
{
    int i = 0;
    CHECK(worker >= 0 && worker < BOUND && t->id);
    while (i < NAMES - 1 && strcmp(names[i], t->name)) i++;
    return &seen[worker].by_name[i];
}
static void start(void *arg, int worker)
{
    CHECK(arg == names && worker >= 0 && worker < BOUND);
    seen[worker].starts++;
}
static void submit(void *arg, int worker, const df_observed *t)
{
    CHECK(arg == names && t->kind == DF_OBSERVED_TASK && seen[worker].starts > 0);
    of(worker, t)->submitted++;
    CHECK((t->parent != 0) == !strcmp(t->name, "child"));
}
static void begin(void *arg, int worker, const df_observed *t)
{
    (void)arg;
    of(worker, t)->begun++, seen[worker].depth++;
}
static void end(void *arg, int worker, const df_observed *t)
{
    struct counts *c = of(worker, t);
    (void)arg;
    CHECK(seen[worker].depth-- > 0);
    c->ended++;
    if (t->kind == DF_OBSERVED_LOOP) seen[worker].iterations += t->last - t->first;
    if (t->kind == DF_OBSERVED_STAGE) seen[worker].items += t->first == 1;
}
static void wait_begin(void *arg, int worker, df_observed_wait kind, const char *site)
{
    (void)arg, (void)site;
    seen[worker].waits++;
    seen[worker].room += kind == DF_OBSERVED_WAIT_ROOM;
}
static void wait_end(void *arg, int worker, df_observed_wait kind, const char *site)
{
    (void)arg, (void)kind, (void)site;
    CHECK(seen[worker].waits-- > 0);
}

DF_TASK(void, first, df_out(long, x, 1));
void first(long *x) { *x = 1; }
DF_TASK(void, adds, df_inout(long, x, 1));
void adds(long *x)
{
    CHECK(df_worker() < df_worker_bound());
    ++*x;
}
DF_TASK(void, child, df_inout(long, x, 1));
void child(long *x) { *x += 10; }
DF_TASK(void, parent, df_inout(long, x, 1));
void parent(long *x)
{
    df_submit(child, x);
    df_submit(child, x);
}
DF_LOOP(loop, (int *, x));
void loop(long lo, long hi, int *x)
{
    long i;
    for (i = lo; i < hi; i++) x[i]++;
}
DF_PIPE(stages, long);
int stages(int stage, long *item, long i, void *ctx)
{
    if (stage == 0) return i == *(int *)ctx ? DF_PIPE_END : (*item = i, df_continue(1));
    return DF_PIPE_DONE;
}

static void print(void)
{
    struct of_worker all;
    int i, k;
    memset(&all, 0, sizeof all);
    for (i = 0; i < BOUND; i++) {
        CHECK(seen[i].depth == 0 && seen[i].waits == 0);
        for (k = 0; k < NAMES; k++) {
            all.by_name[k].submitted += seen[i].by_name[k].submitted;
            all.by_name[k].begun += seen[i].by_name[k].begun;
            all.by_name[k].ended += seen[i].by_name[k].ended;
        }
        all.iterations += seen[i].iterations, all.items += seen[i].items;
    }
    for (k = 0; k < 5; k++)
        printf("%s %ld %ld %ld\n", names[k], all.by_name[k].submitted, all.by_name[k].begun, all.by_name[k].ended);
    CHECK(all.by_name[7].begun == 0);
    printf("%ld iterations, %ld items\n", all.iterations, all.items);
}

static void work(void)
{
    static long x[4];
    static int y[1000];
    int i, items = 30;
    for (i = 0; i < 4; i++) df_submit(first, &x[i]);
    for (i = 0; i < 40; i++) df_submit(adds, &x[i % 4]);
    for (i = 0; i < 8; i++) df_submit(parent, &x[i % 4]);
    df_submit_with(DF_OPTS(.name = "titled"), adds, &x[0]);
    df_wait();
    printf("%ld %ld\n", x[0], x[3]);
    df_for(loop, 0, 1000, y);
    printf("%ld\n", df_pipe(stages, NULL, &items));
}

/* More tasks than a scope may have unfinished. A single worker, which queues them, has to wait for room. */
static void room(const df_observer *o)
{
    long x = 0;
    int i, waits = 0;
    CHECK(df_start(DF_CONFIG(.window = 4, .defer = 1)) == DF_OK && df_observe(o) == DF_OK);
    for (i = 0; i < 20; i++) df_submit(adds, &x);
    df_wait();
    for (i = 0; i < BOUND; i++) waits += seen[i].room > 0;
#if defined(DF_SERIAL)
    CHECK(!waits);
#else
    CHECK(waits || df_workers() > 1 || getenv("DF_SCHEDULE")); /* the order of a seed may be another */
#endif
    printf("%ld\n", x);
    CHECK(df_unobserve(o) == DF_OK);
    df_stop();
}

int main(void)
{
    static df_observer o, same;
    o.arg = (void *)(uintptr_t)names;
    o.worker_start = start, o.task_submit = submit, o.task_begin = begin, o.task_end = end;
    o.wait_begin = wait_begin, o.wait_end = wait_end;
    same = o;
    CHECK(df_worker_bound() <= BOUND);
    work();
    print(); /* nothing */
    CHECK(df_observe(&o) == DF_OK && df_observe(&o) == DF_ERROR_STARTED);
    work();
    CHECK(df_unobserve(&o) == DF_OK);
    print();
    work();
    print(); /* the same */
    CHECK(df_unobserve(&o) == DF_OK && df_observe(&same) == DF_OK);
    work();
    df_stop();
    work();
    print();
    CHECK(df_unobserve(&same) == DF_OK);
    df_stop();
    room(&o);
    return 0;
}
