/* parallel_block.c - DF_PARALLEL: its tasks are done at the closing brace, nested, in loops, and when it
 * is left by break, return or goto; df_parallel is the same as a function */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 16 };
static int x[N];

DF_TASK(void, put, df_out(int, p, 1), (int, v));
void put(int *p, int v)
{
    test_spin(3000);
    *p = v;
}
DF_TASK(void, bump, df_inout(int, p, 1));
void bump(int *p) { ++*p; }

static void submit_all(int v)
{
    for (int i = 0; i < N; i++) df_submit(put, &x[i], v);
}
static int all_are(int v)
{
    for (int i = 0; i < N; i++)
        if (x[i] != v) return 0;
    return 1;
}

static int left_by_return(int v)
{
    DF_PARALLEL {
        submit_all(v);
        if (v > 0) return v;
        df_submit(bump, &x[0]);
    }
    return -1;
}
static void left_by_goto(int v)
{
    DF_PARALLEL {
        DF_PARALLEL {
            submit_all(v);
            if (v) goto out; /* two blocks at once */
        }
        CHECK(0);
    }
    CHECK(0);
out:
    CHECK(all_are(v));
}
static void block(void *v) { submit_all(*(int *)v); }

/* a block in a task: only its own tasks are waited for, at its end */
DF_TASK(void, with_block, df_inout(int, p, 4), (int, v));
void with_block(int *p, int v)
{
    DF_PARALLEL {
        for (int i = 0; i < 4; i++) df_submit(put, &p[i], v);
        df_submit(bump, &p[2]);
    }
    CHECK(p[0] == v && p[2] == v + 1 && p[3] == v);
    p[0] = p[2];
    df_submit(bump, &p[0]);
}

int main(void)
{
    DF_PARALLEL {}
    for (int v = 1; v <= 20; v++) {
        DF_PARALLEL submit_all(v); /* one statement will do */
        CHECK(all_are(v));
        DF_PARALLEL {
            submit_all(-v);
            if (v > 0) break;
            df_submit(bump, &x[0]);
        }
        CHECK(all_are(-v));
        CHECK(left_by_return(v) == v && all_are(v));
        CHECK(left_by_return(0) == -1 && x[0] == 1);
        left_by_goto(v);
        int w = v + 1;
        df_parallel(block, &w);
        CHECK(all_are(w));
    }
    for (int i = 0; i < 10; i++) { /* continue ends the block, too: it is its own loop */
        DF_PARALLEL {
            submit_all(i);
            if (i % 2) continue;
            df_submit(bump, &x[0]);
        }
        CHECK(x[1] == i && x[0] == i + 1 - i % 2);
    }
    DF_PARALLEL {
        submit_all(5);
        DF_PARALLEL { /* scopes are ordered inside only: other elements than outside */
            int y[4] = { 0, 0, 0, 0 };
            DF_PARALLEL {
                for (int k = 0; k < 10; k++)
                    for (int i = 0; i < 4; i++) df_submit(bump, &y[i]);
            }
            CHECK(y[0] == 10 && y[3] == 10);
            for (int i = 0; i < 4; i++) df_submit(bump, &y[i]);
            df_wait();
            CHECK(y[0] == 11 && y[3] == 11);
        }
        for (int i = 0; i < N; i++) df_submit(bump, &x[i]);
    }
    CHECK(all_are(6));
    for (int v = 0; v < 10; v++)
        DF_PARALLEL {
            for (int i = 0; i < N; i += 4) df_submit(with_block, &x[i], v);
            for (int i = 0; i < N; i += 4) df_submit(bump, &x[i]);
        }
    for (int i = 0; i < N; i++) printf("%d ", x[i]);
    printf("\n");
}
