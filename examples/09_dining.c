/* The dining philosophers: each of them needs two forks, and waits until both are free.
 *
 * Both are taken in one block, so no philosopher ever holds one fork and waits for the other, and the forks need no
 * order. df_retry says that the block cannot continue now: it is rolled back, and runs again when a fork that it read
 * has changed. Source of the problem: Dijkstra, "Hierarchical ordering of sequential processes", Acta Informatica 1,
 * 1971; of df_retry: Harris, Marlow, Peyton Jones, Herlihy, "Composable memory transactions", PPoPP 2005.
 */
#define DF_IMPLEMENTATION
#include "../df.h"
#include "../df_stm.h"

#include <stdio.h>

enum { PHILOSOPHERS = 5, MEALS = 2000 };

typedef struct {
    int taken;                    /* read and written in blocks only */
    long used;                    /* by the holder of the fork, with plain accesses */
} dining_fork;

typedef struct {
    dining_fork fork[PHILOSOPHERS];
    int meals[PHILOSOPHERS];
} table;

DF_TASK(void, dine, (table *, t), (int, seat));
void dine(table *t, int seat)
{
    dining_fork *left = &t->fork[seat], *right = &t->fork[(seat + 1) % PHILOSOPHERS];
    while (t->meals[seat] < MEALS) {
        DF_ATOMIC {
            if (df_tm_read(&left->taken) || df_tm_read(&right->taken))
                df_retry();
            df_tm_write(&left->taken, 1);
            df_tm_write(&right->taken, 1);
        }
        left->used++;             /* no other philosopher has these forks */
        right->used++;
        t->meals[seat]++;
        DF_ATOMIC {
            df_tm_write(&left->taken, 0);
            df_tm_write(&right->taken, 0);
        }
    }
}

int main(void)
{
    static table t;
    int right = 1;
    DF_PARALLEL {
        for (int seat = 0; seat < PHILOSOPHERS; seat++)
            df_submit(dine, &t, seat);
    }
    for (int i = 0; i < PHILOSOPHERS; i++) {
        printf("philosopher %d: %d meals; fork %d: %ld\n", i, t.meals[i], i, t.fork[i].used);
        right = right && t.fork[i].used == 2 * MEALS && !t.fork[i].taken;
    }
    return !right;
}
