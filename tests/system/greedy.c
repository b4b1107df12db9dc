/* greedy.c - no worker keeps a ready task from the others: random graphs of tasks, some of which end only when all tasks
 * that do not depend on them are done
 *
 * A worker that enters such a body with ready tasks that no other worker can take would never leave it: then the alarm
 * ends the test. One of these bodies runs at a time, because they all change the same variable, so one other worker
 * is enough. */
#define _DEFAULT_SOURCE /* usleep, alarm */
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { TASKS = 60, CELLS = 4, GRAPHS = 40 };

static char cell[CELLS + TASKS], turn;
static int from[TASKS], to[TASKS], is_long[TASKS];
static unsigned spin[TASKS];
static uint64_t needs[TASKS], done; /* sets of tasks: those that come before this one; those that are done */
static int submitted;

static uint64_t only(int i) { return (uint64_t)1 << i; }
static void ends(int i) { __atomic_fetch_or(&done, only(i), __ATOMIC_SEQ_CST); }
static int all_others_done(int i)
{
    int j, n = __atomic_load_n(&submitted, __ATOMIC_SEQ_CST);
    uint64_t d = __atomic_load_n(&done, __ATOMIC_SEQ_CST);
    for (j = 0; j < n; j++)
        if (j != i && !(needs[j] & only(i)) && !(d & only(j))) return 0;
    return 1;
}

DF_TASK(void, root, df_out(char, p, CELLS));
void root(char *p) { (void)p, ends(0); }
DF_TASK(void, body, (int, i), df_in(char, p, 1), df_inout(char, q, 1));
void body(int i, const char *p, char *q)
{
    (void)p, (void)q;
    test_spin(spin[i]);
    ends(i);
}
DF_TASK(void, long_body, (int, i), df_in(char, p, 1), df_inout(char, q, 1), df_inout(char, t, 1));
void long_body(int i, const char *p, char *q, char *t)
{
    (void)p, (void)q, (void)t;
    while (!all_others_done(i)) usleep(100);
    ends(i);
}

static int after(int i, int j)
{
    return from[i] == to[j] || to[i] == from[j] || to[i] == to[j] || (is_long[i] && is_long[j]);
}
static void draw(uint64_t *seed)
{
    for (int i = 1; i < TASKS; i++) {
        from[i] = test_below(seed, CELLS);
        /* few write what others read, so many become ready at once */
        to[i] = test_below(seed, 4) ? CELLS + i : test_below(seed, CELLS);
        is_long[i] = test_below(seed, 6) == 0;
        spin[i] = (unsigned)test_below(seed, 3000);
        needs[i] = only(0);
        for (int j = 1; j < i; j++)
            if (after(i, j)) needs[i] |= needs[j] | only(j);
    }
}

int main(void)
{
    uint64_t seed = 1;
    alarm(100);
    for (int workers = 2; workers <= 4; workers++) {
        df_config c = { .workers = workers };
        CHECK(df_start(&c) == DF_OK);
        for (int g = 0; g < GRAPHS; g++) {
            draw(&seed);
            done = 0, submitted = 0;
            DF_PARALLEL {
                df_submit(root, cell);
                for (int i = 1; i < TASKS; i++) {
                    if (is_long[i]) df_submit(long_body, i, &cell[from[i]], &cell[to[i]], &turn);
                    else df_submit(body, i, &cell[from[i]], &cell[to[i]]);
                    __atomic_store_n(&submitted, i + 1, __ATOMIC_SEQ_CST); /* a body may run inside its submission */
                }
            }
            CHECK(done == only(TASKS) - 1);
        }
        df_stop();
    }
    return 0;
}
