/* deep_submission.c - a chain of a hundred thousand tasks, each submitted by the one before, needs no deep stack;
 * and the children of a task that ran inside df_submit are done before its successors start */
#define _DEFAULT_SOURCE
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { DEPTH = TEST_SLOW ? 20000 : 100000 };
static long done, *const counter = &done;

DF_TASK(void, ordered, (long, n), df_inout(long, x, 1));
void ordered(long n, long *x)
{
    ++*x;
    if (n > 1) df_submit(ordered, n - 1, x);
}
DF_TASK(void, add, df_inout(long, x, 1));
void add(long *x) { ++*x; }
DF_TASK(void, weakly, (long, n), df_weak_inout(long, x, 1));
void weakly(long n, long *x)
{
    df_submit(add, x);
    if (n > 1) df_submit(weakly, n - 1, x);
}
DF_TASK(void, bare, (long, n));
void bare(long n)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
    if (n > 1) df_submit(bare, n - 1);
}
DF_TASK(void, pass, df_pop(long, n, 1), (df_stream *, s));
DF_TASK(void, start, (long, n), df_push(long, to, 1));
void start(long n, long *to) { *to = n; }
void pass(const long *n, df_stream *s)
{
    ++*counter;
    if (*n <= 1) return;
    df_submit(start, *n - 1, s);
    df_submit(pass, s, s);
}
DF_TASK(void, crowd, (long, n)); /* more children than the window has room for */
void crowd(long n)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
    if (n > 1) df_submit(crowd, n - 1);
    for (int i = 0; n > 1 && i < 3; i++) df_submit(bare, 1);
}

static void first_chain(long depth) /* nothing is looked up before the first option, stream or hook */
{
    done = 0;
    df_submit(ordered, depth, counter);
    df_wait();
    CHECK(done == depth);
}

static void chains(long depth)
{
    df_stream *s = df_stream_new(sizeof(long), depth / 10 + 1); /* a window is left when the children are done */
    done = 0;
    df_submit(ordered, depth, counter);
    df_wait();
    CHECK(done == depth);
    df_submit(weakly, depth, counter);
    df_wait();
    CHECK(done == 2 * depth);
    df_submit(bare, depth);
    df_wait();
    CHECK(done == 3 * depth);
    CHECK(s);
    df_submit(start, depth / 10, s);
    df_submit(pass, s, s);
    df_wait();
    CHECK(done == 3 * depth + depth / 10);
    df_stream_free(s);
    done = 0;
    df_submit(crowd, depth / 4);
    df_wait();
    CHECK(done == depth / 4 + 3 * (depth / 4 - 1));
}

/* --- children that are queued ------------------------------------------------------------------------ */

DF_TASK(void, store, (long *, x), (long, value));
void store(long *x, long value) { *x = value; }
DF_TASK(void, parent, (long, value), df_inout(long, x, 1)); /* its child has no regions of its own */
void parent(long value, long *x) { df_submit_with(DF_OPTS(.priority = -1), store, x, value); }
DF_TASK(void, copy, df_in(long, x, 1), df_out(long, y, 1));
void copy(const long *x, long *y) { *y = *x; }
DF_TASK(void, around, (long, value), df_inout(long, x, 2));
void around(long value, long *x)
{
    df_submit(parent, value, x);
    df_submit(copy, x, x + 1);
}
DF_TASK(void, deep_parent, (long, n), df_inout(long, x, 1)); /* the last one's child is queued, as the stack is deep */
DF_TASK(void, deep_child, (long, n), (long *, x));
void deep_child(long n, long *x)
{
    if (n > 0) df_submit(deep_child, n - 1, x);
    else ++*x;
}
void deep_parent(long n, long *x) { df_submit(deep_child, n, x); }

static void left_behind(void)
{
    static long x[2], y;
    x[0] = x[1] = y = 0;
    df_submit(parent, 1, &x[0]);
    df_submit(copy, &x[0], &y);
    df_wait();
    CHECK(y == 1);
    df_submit(around, 2, x);
    df_submit(copy, &x[1], &y);
    df_wait();
    CHECK(x[1] == 2 && y == 2);
    for (long n = 0; n < 2000; n += 97) {
        x[0] = 0;
        df_submit(deep_parent, n, &x[0]);
        df_submit(copy, &x[0], &y);
        df_wait();
        CHECK(y == 1);
    }
}

int main(void)
{
    static const int workers[] = { 1, 2, 3, 4, 8 };
    for (int i = 0; i < 10; i++) {
        df_config c = { .workers = workers[i % 5], .deque = i < 5 ? 0 : 2, .window = i < 5 ? 0 : 2 };
        CHECK(df_start(&c) == DF_OK);
        first_chain(DEPTH);
        left_behind();
        chains(i < 5 ? DEPTH : DEPTH / 10);
        left_behind();
        df_stop();
    }
}
