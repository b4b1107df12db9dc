/* limits_no_memory.c - memory runs out at the n-th allocation, for every n: tasks that run in their submitter for that
 * reason hold their units, too, and return them */
#define _DEFAULT_SOURCE
#include "failing_malloc.h"
#define DF_IMPLEMENTATION
#include "df.h"
#include "no_memory.h"

enum { UNITS = 3, TASKS = 900 };
static df_semaphore some, one;
static int used, inside, ran;

DF_TASK(void, use, df_limit(s, k), df_limit(t, m), (int, k), (int, m), df_inout(long, x, 1));
void use(df_semaphore *s, df_semaphore *t, int k, int m, long *x)
{
    (void)s, (void)t;
    CHECK(__atomic_fetch_add(&used, k, __ATOMIC_ACQ_REL) + k <= UNITS);
    CHECK(__atomic_fetch_add(&inside, m, __ATOMIC_ACQ_REL) + m <= 1);
    *x = (*x * 3 + 1) % 1000003;
    test_spin(300);
    __atomic_fetch_sub(&inside, m, __ATOMIC_ACQ_REL);
    __atomic_fetch_sub(&used, k, __ATOMIC_ACQ_REL);
    __atomic_fetch_add(&ran, 1, __ATOMIC_ACQ_REL);
}
DF_TASK(void, slow, df_limit(s, 1));
void slow(df_semaphore *s) { (void)s, test_spin(300000); }
DF_TASK(void, push, df_push(int, out, 1), df_limit(s, UNITS), (int, i));
void push(int *out, df_semaphore *s, int i)
{
    (void)s;
    CHECK(__atomic_fetch_add(&used, UNITS, __ATOMIC_ACQ_REL) == 0);
    *out = i;
    __atomic_fetch_sub(&used, UNITS, __ATOMIC_ACQ_REL);
    __atomic_fetch_add(&ran, 1, __ATOMIC_ACQ_REL);
}
DF_TASK(void, pop, df_pop(int, in, 1), df_inout(long, x, 1));
void pop(const int *in, long *x) { *x += *in; }

static void log_it(void *arg, int level, const char *text) { (void)arg, (void)level, (void)text; }

static void work(void)
{
    long x[3] = { 0, 0, 0 }, sum = 0, expected = 0, power = 0;
    df_stream *s = df_stream_new(sizeof(int), 8);
    int i, pushed = 0;
    for (i = 0; i < TASKS / 3; i++) power = (power * 3 + 1) % 1000003;
    ran = 0;
    df_semaphore_init(&some, UNITS), df_semaphore_init(&one, 1);
    DF_PARALLEL {
        df_submit(slow, &one); /* the others queue up, with their records */
        for (i = 0; i < TASKS; i++) {
            df_submit(use, &some, &one, i % (UNITS + 1), i % 5 == 0, &x[i % 3]);
            if (s && i % 50 == 0) df_submit(push, s, &some, i), df_submit(pop, s, &sum), pushed++, expected += i;
        }
    }
    CHECK(ran == TASKS + pushed && sum == expected);
    CHECK(x[0] == power && x[1] == power && x[2] == power);
    CHECK(used == 0 && inside == 0 && df_semaphore_destroy(&some) && df_semaphore_destroy(&one));
    if (s) df_stream_free(s);
}

static int run(void *unused)
{
    df_config config = { .log = log_it, .window = TASKS * 2 };
    (void)unused;
    df_start(&config);
    work();
    return failed ? 0 : 77;
}
static int anything(const struct child *c) { return (void)c, 1; }

int main(void)
{
    for (only_one = 0; only_one < 2; only_one++) {
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "1"), test_step(2), anything) > 10);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "2"), test_step(1), anything) > 10);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "4"), test_step(2), anything) > 10);
    }
    return 0;
}
