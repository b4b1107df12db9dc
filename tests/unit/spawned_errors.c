/* spawned_errors.c - df_fail and df_cancel in spawned functions act where these are synced, whoever runs them */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { ROUNDS = TEST_SLOW ? 10 : 60, FAILS = 7 };

static void spin(int n)
{
    for (volatile int i = 0; i < n; i++) continue;
}
DF_TASK(void, fails, (int, us));
void fails(int us)
{
    spin(us);
    df_fail(FAILS, "seven");
}
DF_LOOP(loop_fails);
void loop_fails(long lo, long hi)
{
    if (lo <= 7 && 7 < hi) df_fail(FAILS, "seven");
}
DF_LOOP(loop_task_fails);
void loop_task_fails(long lo, long hi)
{
    spin(200);
    if (lo <= 7 && 7 < hi) df_submit(fails, 0);
}
DF_PIPE(pipe_fails, int);
int pipe_fails(int stage, int *item, long i, void *none)
{
    (void)item, (void)none;
    if (stage == 0) return i == 5 ? DF_PIPE_END : df_continue(1);
    if (i == 2) df_fail(FAILS, "seven");
    return DF_PIPE_DONE;
}

/* --- how a function fails -------------------------------------------------------------------------- */

enum {
    NOT, ITSELF, CANCELS, CANCELS_BLOCK, BLOCK, BLOCK_TASK, LOOP, LOOP_TASK, BLOCK_LOOP, PIPE, TASK, LATE_TASK, TAKEN,
    HOWS
};
DF_TASK(int, spawned, (int, how), (int, depth));
int spawned(int how, int depth)
{
    if (depth) {
        df_future(spawned) f;
        int r;
        df_spawn(spawned, &f, how, depth - 1);
        spin(500);
        r = df_sync(spawned, &f);
        return r + 1;
    }
    switch (how) {
    case NOT: break;
    case ITSELF: df_fail(FAILS, "seven"); break;
    case CANCELS: df_cancel(); break;
    case CANCELS_BLOCK: DF_PARALLEL df_cancel(); break;
    case BLOCK: DF_PARALLEL df_fail(FAILS, "seven"); break;
    case BLOCK_TASK: DF_PARALLEL df_submit(fails, 200); break;
    case LOOP: df_for(loop_fails, 0, 20); break;
    case LOOP_TASK: df_for_with(DF_LOOP_OPTS(.schedule = DF_DYNAMIC, .grain = 1), loop_task_fails, 0, 20); break;
    case BLOCK_LOOP: DF_PARALLEL df_for(loop_fails, 0, 20); break;
    case PIPE: df_pipe(pipe_fails, NULL, NULL); break;
    case TASK: df_submit(fails, 0); df_wait(); break;
    case LATE_TASK: df_submit(fails, 2000); df_wait(); break;
    default:
        DF_PARALLEL {
            df_submit(fails, 0);
            CHECK(df_wait_result() == FAILS);
        }
    }
    spin(1000);
    return 1;
}

/* --- where it is spawned ---------------------------------------------------------------------------- */

struct seen { int inner, after, outer; }; /* results of waits, and whether a task behind the sync ran */
DF_TASK(void, set, (int *, x));
void set(int *x) { *x = 1; }

/* 0: nothing but the two calls; 1: df_wait between them */
static void calls(int how, int depth, int waits, int round, struct seen *s)
{
    df_future(spawned) f;
    df_spawn(spawned, &f, how, depth);
    spin(round % 7 * 500);
    if (waits) df_wait();
    CHECK(df_sync(spawned, &f) == depth + 1);
    df_submit(set, &s->after);
    s->inner = (int)df_wait_result();
}
DF_TASK(void, task_calls, (int, how), (int, depth), (int, waits), (int, round), (struct seen *, s));
void task_calls(int how, int depth, int waits, int round, struct seen *s) { calls(how, depth, waits, round, s); }
DF_TASK(void, task_of_block, (int, how), (int, depth), (int, waits), (int, round), (struct seen *, s));
void task_of_block(int how, int depth, int waits, int round, struct seen *s)
{
    DF_PARALLEL calls(how, depth, waits, round, s);
}
DF_TASK(void, behind_block, (int, how), (int, depth), (int, waits), (int, round), (struct seen *, s));
void behind_block(int how, int depth, int waits, int round, struct seen *s)
{
    df_future(spawned) f;
    DF_PARALLEL {
        df_spawn(spawned, &f, how, depth);
        spin(round % 7 * 500);
        if (waits) df_wait();
        s->inner = (int)df_wait_result();
    }
    CHECK(df_sync(spawned, &f) == depth + 1);
    df_submit(set, &s->after);
    df_wait();
}

enum { IN_THREAD, IN_BLOCK, IN_TASK, IN_BLOCK_OF_TASK, BEHIND_BLOCK, BEHIND_BLOCK_OF_TASK, PLACES };
static struct seen one(int place, int how, int depth, int waits, int round)
{
    struct seen s = { -9, 0, -9 };
    switch (place) {
    case IN_THREAD: calls(how, depth, waits, round, &s); break;
    case IN_BLOCK: DF_PARALLEL calls(how, depth, waits, round, &s); break;
    case IN_TASK: df_submit(task_calls, how, depth, waits, round, &s); break;
    case IN_BLOCK_OF_TASK: df_submit(task_of_block, how, depth, waits, round, &s); break;
    case BEHIND_BLOCK: behind_block(how, depth, waits, round, &s); break;
    default: df_submit(behind_block, how, depth, waits, round, &s);
    }
    s.outer = (int)df_wait_result();
    CHECK(df_wait_result() == DF_OK && !df_cancelled());
    return s;
}

int main(void)
{
    for (int place = 0; place < PLACES; place++)
        for (int how = 0; how < HOWS; how++)
            for (int depth = 0; depth < 3; depth++)
                for (int waits = 0; waits < 2; waits++) {
                    struct seen first = one(place, how, depth, waits, 0);
                    if (!waits && place < BEHIND_BLOCK) /* as with DF_SERIAL, where df_spawn is the call */
                        printf("place %d how %d depth %d: %d %d %d\n", place, how, depth, first.inner, first.after,
                               first.outer);
                    for (int i = 1; i < ROUNDS; i++) {
                        struct seen s = one(place, how, depth, waits, i);
                        CHECK(s.inner == first.inner && s.after == first.after && s.outer == first.outer);
                    }
                }
    return 0;
}
