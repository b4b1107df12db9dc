/* replay.c - DF_SCHEDULE=replay:FILE repeats the order of a recorded run, a crash included. Files and records that are
 * wrong: one message, and the results are right */
#define _DEFAULT_SOURCE /* fork, setenv, symlink */
#include <pthread.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_stm.h"
#include "child.h"
#include "one_file.h"

/* --- a program that does a little of everything, and writes down in which order --------------------- */

static uint64_t order; /* wrong if two bodies run at the same time, and then seen */
static int inside, alone; /* alone: recorded or repeated from begin to end */
static void happens(uint64_t what)
{
    int k = __atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED);
    CHECK(k == 0 || !alone);
    __atomic_store_n(&order, test_mix(__atomic_load_n(&order, __ATOMIC_RELAXED), what + 1000 * (uint64_t)df_worker()),
                     __ATOMIC_RELAXED);
    __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
}

DF_TASK(int, fork2, (int, k));
int fork2(int k)
{
    df_future(fork2) a;
    int n;
    happens((uint64_t)k);
    if (k > 40) return 1;
    df_spawn(fork2, &a, 2 * k);
    n = fork2(2 * k + 1);
    return n + df_sync(fork2, &a);
}
DF_LOOP(part, df_reduce(df_sum, long, sum, 1));
void part(long lo, long hi, long *sum)
{
    happens((uint64_t)(lo * 100 + hi));
    for (; lo < hi; lo++) *sum += lo;
}
DF_TASK(void, mine, (int, k), df_commute(long, x, 1));
void mine(int k, long *x)
{
    happens((uint64_t)k);
    *x += k;
}
static long account[4];
DF_TASK(void, move, (int, k));
void move(int k)
{
    DF_ATOMIC {
        long a = df_tm_read(&account[k % 4]);
        df_tm_write(&account[k % 4], a - 1);
        df_tm_write(&account[(k + 1) % 4], df_tm_read(&account[(k + 1) % 4]) + 1);
    }
    happens((uint64_t)k);
}
DF_TASK(void, source, (int, k), df_push(int, p, 2));
void source(int k, int *p)
{
    happens((uint64_t)k);
    p[0] = k, p[1] = -k;
}
DF_TASK(void, drain, df_pop(int, p, 1), df_commute(long, sum, 1));
void drain(const int *p, long *sum)
{
    happens((uint64_t)(*p + 100));
    *sum = *sum * 3 + *p;
}
struct item { int v; };
DF_PIPE(stage, struct item);
int stage(int s, struct item *item, long i, void *ctx)
{
    happens((uint64_t)(s * 50 + i));
    if (s == 0 && i == 20) return DF_PIPE_END;
    if (s == 0) item->v = (int)i;
    if (s == 2) *(long *)ctx += item->v;
    return s == 2 ? DF_PIPE_DONE : s == 1 ? df_in_order(2) : df_continue(s + 1);
}
static df_mutex lock = DF_MUTEX;
DF_TASK(void, locked, (int, k), df_commute(long, x, 1), (int, depth));
static void pause_here(void *unused) { (void)unused; }
void locked(int k, long *x, int depth)
{
    CHECK(df_mutex_lock(&lock) == DF_OK);
    happens((uint64_t)k);
    df_yield_blocking(pause_here, NULL);
    ++*x;
    df_mutex_unlock(&lock);
    if (depth) df_submit(locked, k + 1, x, depth - 1);
}
static df_token token = DF_TOKEN_EXTERNAL(1);
static void *outside(void *unused)
{
    df_signal(&token);
    return unused;
}

static void everything(void)
{
    long sum = 0, x = 0, y = 0, z = 0;
    pthread_t thread;
    df_stream *s = df_stream_new(sizeof(int), 4);
    CHECK(s && fork2(1) == 41);
    df_for(part, 0, 5000, &sum);
    CHECK(sum == 4999L * 2500);
    DF_PARALLEL {
        for (int i = 0; i < 20; i++) df_submit(mine, i, &x);
        for (int i = 0; i < 20; i++) df_submit(move, i);
        for (int i = 0; i < 10; i++) df_submit(source, i, s);
        for (int i = 0; i < 20; i++) df_submit(drain, s, &y);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&token)), mine, 100, &x);
        CHECK(pthread_create(&thread, NULL, outside, NULL) == 0);
        for (int i = 0; i < 6; i++) df_submit(locked, i, &z, 2);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(x == 290 && z == 18 && account[0] + account[1] + account[2] + account[3] == 0);
    CHECK(df_pipe(stage, NULL, &sum) == 20 && sum == 4999L * 2500 + 190);
    happens((uint64_t)y);
    df_stream_free(s);
}

static int all_of_it(void *unused)
{
    (void)unused;
    everything();
    fprintf(stderr, "%016llx\n", (unsigned long long)order);
    return 0;
}
static int twice(void *unused) /* df is stopped and started again in between */
{
    everything();
    df_stop();
    df_token_init(&token, 1);
    return all_of_it(unused);
}
/* what ran freely before leaves the workers in a state that differs from run to run */
static int after_freedom(void *unused)
{
    const char *setting = getenv("DF_SCHEDULE");
    char kept[200];
    snprintf(kept, sizeof kept, "%s", setting);
    unsetenv("DF_SCHEDULE");
    alone = 0;
    for (int i = 0; i < 20; i++) CHECK(fork2(1) == 41);
    df_stop();
    setenv("DF_SCHEDULE", kept, 1);
    alone = 1, order = 0;
    for (int i = 0; i < 1000; i++) CHECK(fork2(1) == 41); /* steals with a choice of victims */
    return all_of_it(unused);
}

/* --- a program with a mistake ------------------------------------------------------------------------ */

enum { N = 12 };
DF_TASK(void, set, (int, k), df_out(int, to, 1));
void set(int k, int *to) { *to = k; }
DF_TASK(void, add, (const int *, y), df_inout(int, to, 1)); /* df_in is missing */
void add(const int *y, int *to) { *to = *to * 3 + *y; }

static int mistaken(void *crash)
{
    int x[N] = { 0 }, sum = 0, right = 0;
    DF_PARALLEL {
        for (int i = 0; i < N; i++) {
            df_submit(set, i + 1, x + i);
            if (i % 3 == 0) df_submit(add, x + i, &sum);
        }
    }
    for (int i = 0; i < N; i += 3) right = right * 3 + i + 1;
    if (crash && sum != right) abort();
    fprintf(stderr, "%d\n", sum);
    return sum != right;
}

/* --- runs -------------------------------------------------------------------------------------------- */

static char file[1000], other[1010];

static struct child recorded(int (*fn)(void *), void *arg, const char *workers, const char *seed)
{
    char schedule[sizeof file + 30];
    const char *env[] = { "DF_WORKERS", workers, "DF_SCHEDULE", schedule, NULL };
    snprintf(schedule, sizeof schedule, "%s%s%srecord:%s", *seed ? "seed:" : "", seed, *seed ? "," : "", file);
    return child_run(fn, arg, env, 60);
}
static struct child replayed(int (*fn)(void *), void *arg)
{
    char schedule[sizeof file + 30];
    const char *env[] = { "DF_SCHEDULE", schedule, NULL };
    snprintf(schedule, sizeof schedule, "replay:%s", file);
    return child_run(fn, arg, env, 60);
}

/* The run repeats its order, n times out of n. */
static void repeats(int (*fn)(void *), const char *workers, const char *seed, int n)
{
    struct child a;
    alone = 1;
    a = recorded(fn, NULL, workers, seed);
    CHECK_CHILD(a, a.status == 0 && a.lines == 1);
    while (n-- > 0) {
        struct child b = replayed(fn, NULL);
        CHECK_CHILD(b, b.status == a.status && !strcmp(a.err, b.err));
    }
    alone = 0;
}

/* A run in which the mistake shows is found, and repeats n times out of n. */
static void found_again(void *crash, const char *workers, int failed, int n)
{
    struct child a, b;
    int seed = 0;
    do {
        char text[20];
        CHECK(++seed <= 200);
        snprintf(text, sizeof text, "%d", seed);
        a = recorded(mistaken, crash, workers, text);
        CHECK_CHILD(a, a.status == 0 || a.status == failed);
    } while (a.status != failed);
    while (n-- > 0) {
        b = replayed(mistaken, crash);
        CHECK_CHILD(b, b.status == failed && !strcmp(a.err, b.err));
    }
}

/* One message, and the right result. */
static void says(const char *what, const char *name, const char *message)
{
    char schedule[sizeof other + 30];
    const char *env[] = { "DF_WORKERS", "2", "DF_SCHEDULE", schedule, NULL };
    snprintf(schedule, sizeof schedule, "%s:%s", what, name);
    struct child c = child_run(all_of_it, NULL, env, 60);
    CHECK_CHILD(c, c.status == 0 && c.lines == 2 && strstr(c.err, message));
}

static void cut(long bytes)
{
    CHECK(truncate(file, (off_t)bytes) == 0);
}
static long bytes_of(const char *name)
{
    FILE *f = fopen(name, "rb");
    long n;
    CHECK(f && fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) > 0);
    fclose(f);
    return n;
}

/* Changes the record: each worker that came when the baton was dropped has also looked for deadlock just then, because
 * its sleep was over at the moment when it was woken. The number of such changes. */
static int with_looks(void)
{
    static struct dfi_schedule_step step[100000];
    struct dfi_schedule_step look;
    size_t n, i;
    int changed = 0, begun = 0;
    FILE *f = fopen(file, "rb");
    CHECK(f && (n = fread(step, sizeof step[0], 100000, f)) > 0 && n < 100000);
    fclose(f);
    f = fopen(file, "wb");
    CHECK(f);
    for (i = 0; i < n; i++) {
        if (begun && dfi_step_kind(&step[i]) == DFI_STEP_DROP) {
            look = step[i], changed++;
            look.who = (uint16_t)(DFI_STEP_LOOK << DFI_STEP_KIND | dfi_step_who(&look));
            step[i].points = step[i].check = 0;
            CHECK(fwrite(&look, sizeof look, 1, f) == 1);
        }
        begun |= dfi_step_kind(&step[i]) == DFI_STEP_START; /* behind the head */
        CHECK(fwrite(&step[i], sizeof step[i], 1, f) == 1);
    }
    CHECK(fclose(f) == 0);
    return changed;
}
static void repeats_with_looks(const char *workers, const char *seed)
{
    struct child a = recorded(all_of_it, NULL, workers, seed), b;
    CHECK_CHILD(a, a.status == 0 && a.lines == 1);
    CHECK(with_looks() > 0);
    b = replayed(all_of_it, NULL);
    CHECK_CHILD(b, b.status == 0 && !strcmp(a.err, b.err));
}

static int fork_stopped(void *unused)
{
    pid_t pid;
    int status;
    (void)unused;
    CHECK(fork2(1) == 41);
    df_stop();
    if ((pid = fork()) == 0) {
        if (TEST_TSAN) setenv("DF_WORKERS", "1", 1); /* it cannot follow threads in a forked child */
        exit(fork2(1) != 41);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    return 0;
}

int main(void)
{
    const char *folder = getenv("TMPDIR");
    static char crash;
    struct child c;
    one_work = all_of_it;
    snprintf(file, sizeof file, "%s/df-replay-%ld", folder && *folder ? folder : "/tmp", (long)getpid());
    snprintf(other, sizeof other, "%s-other", file);
    repeats(all_of_it, "1", "", 2);
    repeats(all_of_it, "2", "", 4);
    repeats(all_of_it, "2", "4", 4);
    repeats(all_of_it, "4", "", 4);
    repeats(all_of_it, "4", "5", 4);
    repeats(twice, "3", "4", 4);
    repeats(after_freedom, "8", "4", 6);
    repeats_with_looks("2", "");
    repeats_with_looks("4", "5");
    found_again(NULL, "1", 1, 10);
    found_again(NULL, "2", 1, TEST_TSAN || TEST_ASAN ? 20 : 100);
    found_again(&crash, "2", 1000 + SIGABRT, 10);

    /* records of something else */
    c = recorded(mistaken, NULL, "2", "3");
    says("replay", file, "differs from this run");
    c = recorded(all_of_it, NULL, "2", "");
    CHECK_CHILD(c, c.status == 0 && c.lines == 1);
    cut(bytes_of(file) / 16 * 8);
    says("replay", file, "stops at step");
    cut(20);
    says("replay", file, "is not a record of this version of df");
    says("replay", "/dev/null", "it is not a regular file");
    says("replay", "/nowhere/x", "DF_SCHEDULE=replay:/nowhere/x cannot be read: ");

    /* files */
    says("record", "/nowhere/x", "DF_SCHEDULE=record:/nowhere/x cannot be written: ");
    if (access("/dev/full", W_OK) == 0) {
        CHECK(symlink("/dev/full", other) == 0);
        says("record", other, "cannot be written: ");
        CHECK(remove(other) == 0);
    }
    c = recorded(two_programs, NULL, "2", "");
    CHECK_CHILD(c, c.status == 0 && c.lines == 3 && strstr(c.err, "is in use by another process"));
    c = recorded(fork_stopped, NULL, "2", "");
    CHECK_CHILD(c, c.status == 0 && c.lines == 1 && strstr(c.err, "was forked from"));
    CHECK(remove(file) == 0);
}
