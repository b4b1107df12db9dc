/* handles.c - handles: poll, wait and wait with a limit for one task, its code, and its result
 *
 * The waits are by the scope of the task, in bodies, by other tasks, and for tasks that end early, fail, or do not
 * run. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 30, LONG = 100000, SHORT = 2 };
struct pair { long a; double b; };

DF_TASK(long, square, (long, n), (unsigned, slow));
long square(long n, unsigned slow)
{
    test_spin(slow);
    return n * n;
}
DF_TASK(struct pair, pair_of, (long, n));
struct pair pair_of(long n)
{
    struct pair p = { n, 0.5 };
    return p;
}
DF_TASK(void, step, df_inout(long, x, 1), (long, k));
void step(long *x, long k) { *x = *x * 10 + k; }
DF_TASK(long, read_it, df_in(long, x, 1));
long read_it(const long *x) { return *x; }
DF_TASK(long, fails, df_inout(long, x, 1), (int, code));
long fails(long *x, int code)
{
    ++*x;
    df_fail(code, "bad luck");
    return 7;
}
DF_TASK(void, child_fails, df_inout(long, x, 1), (int, code));
void child_fails(long *x, int code) { df_submit(fails, x, code); }
/* a task with descendants, which are done when it is */
DF_TASK(void, deep, df_inout(long, x, n), (int, n));
void deep(long *x, int n)
{
    if (n == 1) {
        test_spin(500);
        ++*x;
        return;
    }
    df_submit(deep, x, n / 2);
    df_submit(deep, x + n / 2, n - n / 2);
}
/* waits for its own child and returns a sum of results */
DF_TASK(long, sum_of, (int, n));
long sum_of(int n)
{
    df_handle h[N];
    long r[N], sum = 0;
    for (int i = 0; i < n; i++)
        df_submit_with(DF_OPTS(.handle = &h[i], .result = DF_RESULT(square, &r[i])), square, i, i % 3 ? 0 : 2000);
    for (int i = n; i-- > 0;) {
        CHECK(df_wait_task(&h[i]) == DF_OK && df_done(&h[i]));
        sum += r[i];
    }
    return sum;
}
/* waits for a sibling */
DF_TASK(long, after_it, (df_handle *, h), (const long *, r), (int, how));
long after_it(df_handle *h, const long *r, int how)
{
    if (how == 0) CHECK(df_wait_task(h) == DF_OK);
    else if (how == 1) CHECK(df_wait_task_for(h, LONG) == DF_OK);
    else if (how == 2) while (!df_done(h)) continue;
    else while (df_wait_task_for(h, 0) == DF_ERROR_TIMEOUT) continue;
    return *r + 1;
}

static void results(void)
{
    df_handle h = DF_HANDLE, many[N];
    long r = 0, rs[N], x[N] = { 0 }, alone = 0;
    struct pair p = { 0, 0 };
    CHECK(df_done(&h) && df_wait_task(&h) == DF_OK && df_wait_task_for(&h, 0) == DF_OK);
    for (int round = 0; round < 20; round++) {
        df_submit_with(DF_OPTS(.handle = &h, .result = DF_RESULT(square, &r)), square, round, 1000);
        CHECK(df_wait_task(&h) == DF_OK && r == (long)round * round);
        df_submit_with(DF_OPTS(.handle = &h, .result = DF_RESULT(pair_of, &p)), pair_of, round);
        while (!df_done(&h)) continue;
        CHECK(p.a == round && p.b == 0.5);
        for (int i = 0; i < N; i++)
            df_submit_with(DF_OPTS(.handle = &many[i], .result = DF_RESULT(square, &rs[i])), square, i, i % 4 * 500u);
        for (int i = 0; i < N; i++) {
            if (i % 3 == 0) CHECK(df_wait_task(&many[i]) == DF_OK);
            else if (i % 3 == 1) CHECK(df_wait_task_for(&many[i], LONG) == DF_OK);
            else while (df_wait_task_for(&many[i], i % 2) == DF_ERROR_TIMEOUT) continue;
            CHECK(rs[i] == (long)i * i);
        }
        df_submit_with(DF_OPTS(.result = DF_RESULT(square, &alone)), square, 9, 0);
        df_submit_with(DF_OPTS(.handle = &h), deep, x, N);
        CHECK(df_wait_task(&h) == DF_OK);
        for (int i = 0; i < N; i++) CHECK(x[i] == round + 1);
        df_wait();
        CHECK(alone == 81);
        alone = 0;
    }
    df_submit_with(DF_OPTS(.handle = &h, .result = DF_RESULT(sum_of, &r)), sum_of, N);
    CHECK(df_wait_task(&h) == DF_OK);
    printf("results %ld %ld\n", r, x[N - 1]);
}

/* Tasks wait for tasks that were submitted before them; the scope ends before some handles are asked. */
static void siblings(void)
{
    long sum = 0;
    for (int round = 0; round < 5; round++) {
        df_handle h = DF_HANDLE, first = DF_HANDLE;
        long r = 0, rs[4], one[1] = { 0 };
        DF_PARALLEL {
            df_submit_with(DF_OPTS(.handle = &first, .result = DF_RESULT(square, &r)), square, 5 + round, 20000);
            for (int i = 0; i < 4; i++)
                df_submit_with(DF_OPTS(.result = DF_RESULT(after_it, &rs[i])), after_it, &first, &r, i);
            df_submit_with(DF_OPTS(.handle = &h), deep, one, 1);
            DF_PARALLEL CHECK(df_wait_task(&first) == DF_OK); /* from an inner scope */
        }
        CHECK(df_done(&h) && df_done(&first));
        for (int i = 0; i < 4; i++) sum += rs[i];
    }
    printf("siblings %ld\n", sum);
}

/* What the order of a task leaves to it: dependences, tokens, reuse. */
static void ends(void)
{
    df_handle h[6];
    df_token t = DF_TOKEN(1);
    df_group g = DF_GROUP;
    long x = 1, y = 0, z = 0, r = 0, s = -5;
    int code[6];
    df_submit_with(DF_OPTS(.handle = &h[0], .after = DF_TOKENS(&t)), step, &x, 2);
    df_submit_with(DF_OPTS(.handle = &h[1], .result = DF_RESULT(read_it, &r)), read_it, &x);
    CHECK(df_wait_task_for(&h[1], SHORT) == DF_ERROR_TIMEOUT && !df_done(&h[0]) && !df_done(&h[1]));
    df_signal(&t);
    CHECK(df_wait_task(&h[1]) == DF_OK && df_done(&h[0]) && r == 12);
    /* the group is cancelled before the task runs */
    df_group_cancel(&g);
    df_submit_with(DF_OPTS(.handle = &h[0], .group = &g, .result = DF_RESULT(read_it, &s)), read_it, &x);
    code[0] = (int)df_wait_task(&h[0]);
    /* it fails, its successor is skipped, and so is a task that comes later */
    df_submit_with(DF_OPTS(.handle = &h[1], .result = DF_RESULT(fails, &r)), fails, &y, 5);
    df_submit_with(DF_OPTS(.handle = &h[2], .result = DF_RESULT(read_it, &s)), read_it, &y);
    code[1] = (int)df_wait_task(&h[1]);
    code[2] = (int)df_wait_task(&h[2]);
    df_submit_with(DF_OPTS(.handle = &h[3]), step, &x, 3);
    code[3] = (int)df_wait_task(&h[3]);
    code[4] = (int)df_wait_result();
    df_submit_with(DF_OPTS(.handle = &h[5]), child_fails, &z, 6);
    code[5] = (int)df_wait_task(&h[5]);
    CHECK(code[0] == DF_ERROR_CANCELLED && code[1] == 5 && code[2] == DF_ERROR_CANCELLED);
    CHECK(code[3] == DF_ERROR_CANCELLED && code[4] == 5 && code[5] == 6 && r == 7 && s == -5);
    printf("ends: %d, %d, %d, %d, %d, %d; %ld %ld %ld, wait %d\n", code[0], code[1], code[2], code[3], code[4], code[5], r,
           s, z, (int)df_wait_result());
}

static void twice(void *arg, void *const *p) { (void)arg, *(int *)p[0] *= 2; }
/* df_call as a function has no line to give to the handle. */
static void called(void)
{
    int x = 21;
    df_handle h = DF_HANDLE;
    df_region r = df_region_of(&x, 1);
    r.mode = DF_INOUT;
    CHECK((df_call)(DF_OPTS(.handle = &h), twice, NULL, 0, &r, 1) == DF_OK);
    CHECK(df_wait_task(&h) == DF_OK && x == 42);
    df_wait();
}

int main(void)
{
    called();
    results();
    siblings();
    ends();
    return 0;
}
