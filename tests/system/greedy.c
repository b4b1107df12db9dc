/* greedy.c - no worker is idle for long while a task is ready: random graphs of tasks that sleep, some of them for long
 *
 * A worker that enters a long body while it has ready tasks that no other worker can take delays them until the body
 * ends. Here a task counts as held up if it was ready, and some worker idle, for half of a long body. A busy machine
 * may hold up a few. */
#define _DEFAULT_SOURCE
#include <time.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { TASKS = 60, CELLS = 4, GRAPHS = 4, LONG_US = 40000, SHORT_US = 2000, HELD_UP = 6 };

static char cell[CELLS + TASKS];
static int from[TASKS], to[TASKS], us[TASKS];
static double start[TASKS], end[TASKS];

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

DF_TASK(void, body, (int, i), df_in(char, p, 1), df_inout(char, q, 1));
void body(int i, const char *p, char *q)
{
    (void)p, (void)q;
    start[i] = now();
    usleep((useconds_t)us[i]);
    end[i] = now();
}
DF_TASK(void, root, df_out(char, p, CELLS));
void root(char *p)
{
    (void)p;
    usleep(SHORT_US);
    end[0] = now();
}

static int after(int i, int j) { return from[i] == to[j] || to[i] == from[j] || to[i] == to[j]; }

/* How many run at that time? */
static int running(double t)
{
    int i, n = 0;
    for (i = 1; i < TASKS; i++) n += start[i] <= t && t < end[i];
    return n;
}

/* Was there a stretch of that length between t and e in which fewer than `workers` ran? */
static int idle_for(double t, double e, double length, int workers)
{
    double since = t;
    while (t < e) {
        double next = e;
        int i;
        for (i = 1; i < TASKS; i++) {
            if (start[i] > t && start[i] < next) next = start[i];
            if (end[i] > t && end[i] < next) next = end[i];
        }
        if (running(t) >= workers) since = next;
        else if (next - since >= length) return 1;
        t = next;
    }
    return 0;
}

static int held_up(int workers)
{
    int i, j, n = 0;
    for (i = 1; i < TASKS; i++) {
        double ready = end[0];
        for (j = 1; j < i; j++)
            if (after(i, j) && end[j] > ready) ready = end[j];
        n += idle_for(ready, start[i], LONG_US * 0.5e-6, workers);
    }
    return n;
}

int main(void)
{
    uint64_t seed = 1;
    int held = 0;
    for (int workers = 2; workers <= 4; workers++) {
        df_config c = { .workers = workers };
        CHECK(df_start(&c) == DF_OK);
        for (int g = 0; g < GRAPHS; g++) {
            for (int i = 1; i < TASKS; i++) {
                from[i] = test_below(&seed, CELLS);
                /* few write what others read, so many become ready at once */
                to[i] = test_below(&seed, 4) ? CELLS + i : test_below(&seed, CELLS);
                us[i] = test_below(&seed, 6) ? test_below(&seed, SHORT_US) : LONG_US;
            }
            DF_PARALLEL {
                df_submit(root, cell);
                for (int i = 1; i < TASKS; i++) df_submit(body, i, &cell[from[i]], &cell[to[i]]);
            }
            held += held_up(workers);
        }
        df_stop();
        printf("2 to %d workers: %d tasks held up\n", workers, held);
    }
    CHECK(held <= HELD_UP);
    return 0;
}
