/* stack_level.c - a long-running program keeps its helpers: after many blocks of each construct tasks are still stolen
 *
 * With the smallest stacks of ready tasks that are of use: if a block left a mark of one stolen task in a hundred
 * behind, nothing would be shared after a few thousand blocks. An argument runs only the construct of that name (all:
 * each), and a second one gives the number of blocks: a million takes a minute. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { DEQUE = 64, TASKS = 4, ROUNDS = 2000, BLOCKS = TEST_SLOW ? 5000 : 200000 };

static uint64_t steals(void)
{
    df_counters n;
    df_counters_get(&n);
    return n.steals;
}

/* --- tasks ----------------------------------------------------------------------------------------- */

static long cell[8][8], loose[8]; /* of tasks that are ordered; of the others */
static unsigned length = 50;

DF_TASK(void, work, df_out(long, x, 8));
void work(long *x)
{
    test_spin(length);
    x[0] = 1;
}
DF_TASK(void, bare, (long *, x));
void bare(long *x)
{
    test_spin(length);
    __atomic_store_n(x, 1, __ATOMIC_RELAXED);
}
DF_TASK(long, call, (long, n));
long call(long n)
{
    test_spin(length);
    return n;
}
DF_TASK(void, parent, (long *, x)); /* leaves children behind */
void parent(long *x)
{
    for (int i = 0; i < 2; i++) df_submit(bare, x);
}
DF_TASK(void, chained, df_inout(long, x, 8)); /* the same, as one of a chain */
void chained(long *x)
{
    for (int i = 0; i < 2; i++) df_submit(bare, &loose[i]);
    x[0]++;
}
DF_TASK(void, nests, (long *, x)); /* blocks in blocks, and futures that are synced in the wrong order */
void nests(long *x)
{
    df_future(call) a, b;
    DF_PARALLEL {
        df_submit(bare, x);
        DF_PARALLEL for (int i = 0; i < 2; i++) df_submit(bare, x);
        df_spawn(call, &a, 1);
    }
    df_spawn(call, &b, 2);
    CHECK(df_sync(call, &a) == 1);
    CHECK(df_sync(call, &b) == 2);
}
DF_TASK(void, weakly, df_weak_inout(long, x, 8));
void weakly(long *x)
{
    df_submit(work, x);
    df_submit(bare, &loose[1]);
}
static void nothing(void *arg) { (void)arg; }
DF_TASK(void, blocks_thread, (long *, x)); /* a spare thread works in its place */
void blocks_thread(long *x)
{
    df_submit(bare, x);
    (df_yield_blocking)(nothing, NULL);
    df_submit(bare, x);
}
DF_LOOP(each, (long *, x));
void each(long lo, long hi, long *x)
{
    for (long i = lo; i < hi; i++) {
        df_submit(bare, x);
        test_spin(length);
    }
}
DF_PIPE(stages, long);
int stages(int stage, long *item, long i, void *end)
{
    if (stage == 0 && i >= *(long *)end) return DF_PIPE_END;
    *item = i;
    df_submit(bare, &loose[i % 8]);
    return stage < 2 ? df_continue(stage + 1) : DF_PIPE_DONE;
}
DF_TASK(void, pushes, df_push(long, to, 1));
void pushes(long *to)
{
    test_spin(length);
    *to = 1;
}
DF_TASK(void, pops, df_pop(long, from, 1));
void pops(const long *from)
{
    test_spin(length);
    CHECK(*from == 1);
}

/* --- n blocks of each construct, of some tasks each --------------------------------------------------- */

static void with_regions(long n)
{
    while (n-- > 0) DF_PARALLEL for (int i = 0; i < TASKS; i++) df_submit(work, cell[i]);
}
static void without_regions(long n)
{
    while (n-- > 0) DF_PARALLEL for (int i = 0; i < TASKS; i++) df_submit(bare, &loose[i]);
}
static void waits(long n)
{
    while (n-- > 0) {
        for (int i = 0; i < TASKS; i++) df_submit(work, cell[i]);
        df_wait();
    }
}
static void waits_on_one(long n)
{
    while (n-- > 0) {
        for (int i = 0; i < TASKS; i++) df_submit(work, cell[i]);
        df_wait_on(cell[TASKS - 1], sizeof cell[0]);
    }
    df_wait();
}
static void between_blocks(long n) /* what lies below a block may be stolen while it is open */
{
    while (n-- > 0) {
        df_submit(work, cell[n % 4]);
        DF_PARALLEL for (int i = 4; i < 4 + TASKS; i++) df_submit(work, cell[i]);
    }
    df_wait();
}
static void replays(long n)
{
    df_taskgraph *g = df_taskgraph_new();
    DF_TASKGRAPH(g) for (int i = 0; i < TASKS; i++) df_submit(work, cell[i]);
    while (n-- > 0) CHECK(df_taskgraph_run(g) == DF_OK);
    df_taskgraph_free(g);
}
static void records(long n)
{
    for (n = n / 4; n > 0; n--) {
        df_taskgraph *g = df_taskgraph_new();
        DF_TASKGRAPH(g) for (int i = 0; i < TASKS; i++) df_submit(work, cell[i]);
        df_taskgraph_free(g);
    }
}
static void futures(long n)
{
    df_future(call) f[TASKS];
    long sum = 0, blocks = n;
    while (n-- > 0) {
        for (int i = 0; i < TASKS; i++) df_spawn(call, &f[i], i);
        for (int i = 0; i < TASKS; i++) sum += df_sync(call, &f[i]); /* the oldest first: most are stolen */
    }
    CHECK(sum == blocks * TASKS * (TASKS - 1) / 2);
}
static void futures_across(long n) /* spawned in a block, synced behind it */
{
    df_future(call) a, b;
    while (n-- > 0) {
        DF_PARALLEL {
            df_submit(bare, &loose[0]);
            df_spawn(call, &a, 1);
            df_submit(bare, &loose[1]);
            df_spawn(call, &b, 2);
        }
        CHECK(df_sync(call, &a) + df_sync(call, &b) == 3);
    }
}
static void children(long n)
{
    while (n-- > 0) DF_PARALLEL for (int i = 0; i < 2; i++) df_submit(parent, &loose[i]);
}
static void chains(long n)
{
    while (n > 0) DF_PARALLEL for (int i = 0; i < 1000 && n-- > 0; i++) df_submit(chained, cell[0]);
}
static void nested(long n)
{
    while (n-- > 0) DF_PARALLEL for (int i = 0; i < 2; i++) df_submit(nests, &loose[i]);
}
static void weak(long n)
{
    while (n-- > 0) DF_PARALLEL {
        df_submit(work, cell[0]);
        df_submit(weakly, cell[0]);
        df_submit(weakly, cell[1]);
    }
}
static void pinned(long n) /* each block wakes a worker */
{
    for (n = n / 64; n > 0; n--) DF_PARALLEL {
        df_submit_with(DF_OPTS(.worker = DF_MAIN_THREAD), bare, &loose[0]);
        df_submit_with(DF_OPTS(.worker = 1), bare, &loose[1]);
        df_submit(bare, &loose[2]);
    }
}
static void tokens(long n)
{
    while (n-- > 0) {
        df_token t = DF_TOKEN(1);
        df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), bare, &loose[0]);
        for (int i = 1; i < TASKS; i++) df_submit(bare, &loose[i]);
        CHECK(df_wait_token(&t) == DF_OK);
        if (n % 2) df_wait();
    }
    df_wait();
}
static void nodes(long n)
{
    while (n-- > 0) DF_PARALLEL for (int i = 0; i < 2; i++) {
        df_node(bare) *k = df_node_new(bare);
        df_submit(bare, &loose[0]);
        df_node_set(bare, k, x, &loose[i]);
    }
}
static void streams(long n)
{
    df_stream *s = df_stream_new(sizeof(long), 8);
    CHECK(s);
    while (n-- > 0) DF_PARALLEL for (int i = 0; i < 2; i++) {
        df_submit(pushes, s);
        df_submit(pops, s);
    }
    df_stream_free(s);
}
static void loops(long n)
{
    while (n-- > 0) {
        df_submit(work, cell[0]);
        df_for(each, 0, 4, &loose[1]);
        if (n % 2) df_wait();
    }
    df_wait();
}
static void pipes(long n)
{
    long items = 4;
    for (n = n / 4; n > 0; n--) {
        df_submit(work, cell[0]);
        df_pipe(stages, &(df_pipe_opts){ .window = 4 }, &items);
        if (n % 2) df_wait();
    }
    df_wait();
}
static void spares(long n)
{
    for (n = n / 16; n > 0; n--) DF_PARALLEL for (int i = 0; i < 2; i++) df_submit(blocks_thread, &loose[i]);
}
static void *of_another_thread(void *n)
{
    without_regions(*(long *)n);
    futures(*(long *)n);
    return NULL;
}
static void threads(long n)
{
    pthread_t t[2];
    n = n / 8;
    for (int i = 0; i < 2; i++) CHECK(!pthread_create(&t[i], NULL, of_another_thread, &n));
    without_regions(n);
    for (int i = 0; i < 2; i++) CHECK(!pthread_join(t[i], NULL));
}

static const struct { const char *name; void (*run)(long); } constructs[] = {
    { "regions", with_regions }, { "bare", without_regions }, { "wait", waits }, { "wait_on", waits_on_one },
        { "between", between_blocks },
    { "replay", replays }, { "record", records }, { "futures", futures }, { "across", futures_across },
    { "children", children },
    { "chains", chains }, { "nested", nested }, { "weak", weak }, { "pinned", pinned }, { "tokens", tokens },
    { "nodes", nodes }, { "loops", loops },
    { "pipes", pipes }, { "streams", streams }, { "spares", spares }, { "threads", threads }
};

/* Not one of these is stolen if nothing is shared. */
static int somebody_helps(void)
{
    uint64_t before = steals();
    length = 20000;
    for (int round = 0; round < ROUNDS && steals() == before; round++) with_regions(1);
    length = 50;
    return steals() != before;
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL;
    for (int k = 0; k < 3; k++) {
        df_config c = { .workers = k == 0 ? 2 : k == 1 ? 3 : 8, .deque = DEQUE };
        long blocks = argc > 2 ? atol(argv[2]) : k < 1 ? BLOCKS : BLOCKS / 50;
        CHECK(df_start(&c) == DF_OK);
        for (size_t i = 0; i < sizeof constructs / sizeof *constructs; i++) {
            if (only && strcmp(only, constructs[i].name)) continue;
            constructs[i].run(blocks);
            if (!somebody_helps()) {
                fprintf(stderr, "%s, %d workers: after %ld blocks nothing is stolen any more\n", constructs[i].name,
                        c.workers, blocks);
                test_fail(__FILE__, __LINE__, "somebody_helps()");
            }
        }
        df_stop();
    }
}
