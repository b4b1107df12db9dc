/* pauses.c - tasks that wait in their bodies for later actions of other tasks, or of their submitter: the same in the
 * serial build
 *
 * One worker, and the first such call of a process: tests/system/one_blocks.c. */
#define DF_IMPLEMENTATION
#include "df_stm.h"
#include "df.h"
#include <string.h>
#include "../system/hear.h"

enum { N = 20, DEEP = 200 };
static long value, sum;
static long account[64];
static df_token token = DF_TOKEN(1), first = DF_TOKEN(1);

static void add(long k) { DF_ATOMIC df_tm_write(&sum, df_tm_read(&sum) + k); }
static void end(const char *name)
{
    df_result r = df_wait_result();
    printf("%s: result %d, sum %ld\n", name, (int)r, sum);
    value = sum = 0;
    df_token_init(&token, 1);
    df_token_init(&first, 1);
}

DF_TASK(void, retries, (long, least), (long, k));
void retries(long least, long k)
{
    DF_ATOMIC {
        if (df_tm_read(&value) < least) df_retry();
    }
    add(k);
}
DF_TASK(void, raises, (long, k));
void raises(long k)
{
    DF_ATOMIC df_tm_write(&value, df_tm_read(&value) + 1);
    add(k);
}
DF_TASK(void, transfer, (int, from), (int, to), (long, amount));
void transfer(int from, int to, long amount)
{
    DF_ATOMIC {
        long have = df_tm_read(&account[from]);
        if (have < amount) df_retry();
        df_tm_write(&account[from], have - amount);
        df_tm_write(&account[to], df_tm_read(&account[to]) + amount);
    }
}
DF_TASK(void, waits, (long, k));
void waits(long k)
{
    CHECK(df_wait_token(&token) == DF_OK);
    add(k);
}
DF_TASK(void, signals, (long, k));
void signals(long k)
{
    df_signal(&token);
    add(k);
}
DF_TASK(void, leaf, (long, k));
void leaf(long k) { add(k); }
DF_TASK(void, has_child, (long, k));
void has_child(long k)
{
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&token)), leaf, k);
    df_submit(retries, 1L, k);
    df_wait();
    add(k);
}
static df_node(leaf) *node;
DF_TASK(void, has_node, (long, k));
void has_node(long k)
{
    node = df_node_new(leaf);
    df_signal(&first);
    df_wait();
    add(k);
}
DF_TASK(void, pushes, (long, k), df_push(long, x, 1));
void pushes(long k, long *x) { *x = k; }
DF_TASK(void, pops, df_pop(long, x, 1));
void pops(const long *x) { add(*x); }
DF_TASK(void, has_pushes, (df_stream *, s));
void has_pushes(df_stream *s)
{
    for (int i = 0; i < N; i++) df_submit(pushes, i, s);
    df_wait();
    add(1000);
}
DF_TASK(void, writes, df_inout(long, x, 1));
void writes(long *x) { *x = 1; }
DF_TASK(void, ordered, df_inout(long, x, 1), (long, least));
void ordered(long *x, long least) /* what comes after it waits as well */
{
    DF_ATOMIC {
        if (df_tm_read(&value) < least) df_retry();
    }
    *x = *x * 3 + least;
}
DF_TASK(long, fork_join, (long, n));
long fork_join(long n)
{
    df_future(fork_join) f;
    long r;
    if (n < 2) return n;
    df_spawn(fork_join, &f, n - 1);
    r = fork_join(n - 2);
    return r + df_sync(fork_join, &f);
}
static long deep(int n) /* more of the stack than work-items of kernels have */
{
    volatile char more[1000];
    memset((void *)(uintptr_t)more, n, sizeof more);
    return n ? deep(n - 1) + more[n] - more[0] : 0;
}
DF_TASK(void, uses_stack, (long, k));
void uses_stack(long k)
{
    deep(DEEP);
    waits(k);
    add(fork_join(10) + deep(DEEP));
}
DF_TASK(void, alternatives, (long, k));
void alternatives(long k)
{
    DF_ATOMIC {
        if (df_tm_read(&value) < 1) df_retry();
    }
    DF_OR_ELSE {
        if (df_tm_read(&value) < 2) df_retry();
    }
    add(k);
}

int main(void)
{
    long x = 0, other = 0;
    df_stream *s;
    df_config c = { .log = hear };
    CHECK(df_start(&c) == DF_OK);
    DF_PARALLEL {
        for (int i = 63; i > 0; i--) df_submit(transfer, i - 1, i, (long)(64 - i));
        DF_ATOMIC df_tm_write(&account[0], 1000L);
    }
    printf("accounts %ld .. %ld\n", account[0], account[63]);
    for (int i = 0; i < N; i++) df_submit(retries, 1L, i);
    DF_ATOMIC df_tm_write(&value, 1L);
    end("commits of the submitter");
    for (int i = 0; i < N; i++) {
        df_submit(retries, (long)(N - i), i);
        df_submit(raises, 100);
    }
    end("commits of tasks");
    for (int i = 0; i < N; i++) df_submit(waits, i);
    df_signal(&token);
    end("signals of the submitter");
    df_submit(signals, 100);
    for (int i = 0; i < N; i++) df_submit(waits, i);
    end("signals of tasks");
    for (int i = 0; i < N; i++) df_submit(has_child, i);
    df_signal(&token);
    DF_ATOMIC df_tm_write(&value, 1L);
    end("children");
    df_submit(has_node, 1);
    CHECK(df_wait_token(&first) == DF_OK);
    df_node_set(leaf, node, k, 10);
    end("nodes");
    s = df_stream_new(sizeof(long), 2);
    df_submit(has_pushes, s);
    for (int i = 0; i < N; i++) df_submit(pops, s);
    end("streams");
    df_stream_free(s);
    for (int i = 0; i < N; i++) df_submit(retries, 1L, i);
    df_submit(writes, &other);
    df_submit(raises, 100);
    /* may run those that retry nested in itself: the change does not depend on its own end */
    df_wait_on(&other, sizeof other);
    end("df_wait_on");
    for (int i = 1; i < 5; i++) df_submit(ordered, &x, i);
    for (int i = 1; i < 5; i++) df_submit(raises, i);
    end("regions");
    printf("%ld\n", x);
    for (int i = 0; i < N; i++) df_submit(uses_stack, i);
    df_signal(&token);
    end("stacks");
    for (int i = 0; i < N; i++) df_submit(alternatives, i);
    DF_ATOMIC df_tm_write(&value, 1L);
    end("alternatives");
    DF_PARALLEL { /* ends for all, whatever blocks */
        for (int i = 0; i < N; i++) {
            df_submit(retries, (long)i, i);
            df_submit(raises, 100);
        }
    }
    end("a block");
    CHECK(!n_said);
    /* An emulator has a thread of its own, and a signal might come; that none does is found after some time, which
     * no replay repeats. */
    const char *schedule = getenv("DF_SCHEDULE");
    if (test_foreign_thread() || (schedule && !strncmp(schedule, "replay:", 7)))
        printf("nobody: result %d, sum %ld\n", (int)DF_ERROR_STUCK, 6L);
    else {
        int reports = 0;
        for (int i = 0; i < 3; i++) df_submit(retries, 1L, 1), df_submit(leaf, 1L);
        end("nobody");
        for (int i = 0; i < n_said; i++) /* DF_CHECK reports a stall too, on a busy machine */
            if (strstr(said[i], "nothing is left")) reports++;
            else CHECK(strstr(said[i], "df: stall: "));
        CHECK(reports == 3);
    }
    df_stop();
    return 0;
}
