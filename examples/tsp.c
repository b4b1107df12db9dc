/* The travelling salesman problem by branch and bound: shared state, and priorities for the most
 * promising tasks.
 *
 * A task takes one partial tour, the first cities of a tour in their order, and submits one task
 * for each city that it can go on to. All share the length of the best tour so far: a partial tour
 * that cannot become shorter is dropped. So the answer does not depend on the order in which tasks
 * run, but their number does: with the lower bound as its priority, the most promising tour is
 * extended first.
 * Source: TERAFLUX D3.5, 2.4, where priorities save 91 % of the work of the worst order and 60 % of
 * that of the better order without bounds, on average. Here it is 95 % and 80 %, of nine problems
 * of TSPLIB with 14 to 52 cities, each solved in less than 0.1 s.
 *
 *     cc -std=c11 -O2 -o tsp examples/tsp.c examples/tsp/[a-z]*.c -lm -pthread
 *     ./tsp FILE.tsp         a problem of TSPLIB; with its optimum, if optima.txt lies beside it
 *     ./tsp 40               random places: prints the work of every order, as for a file
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tsp/bound.h"
#include "tsp/exact.h"
#include "tsp/tsplib.h"

enum {
    STEPS_START = 300, STEPS = 4,   /* on the bound; of 4, 8 and 15 the fewest are fastest for att48
                                       and for 40 to 60 random places */
    SMALL = 6                       /* open cities; a task for so few would take less than 5 us */
};

typedef enum { WORST, CITIES, REVERSED, PROMISE, ORDERS } order;
static const char *const order_name[ORDERS] = {
    "worst: the largest bound first", "as the cities are numbered",
    "the same from the last to the first", "priorities: the smallest bound first"
};

#ifdef DF_SERIAL
#define SHARED
#else
#define SHARED _Atomic
#endif

static tsp problem;
static SHARED long expanded;          /* partial tours */
static SHARED int shortest;           /* the length of `best`; written under the lock */
static df_mutex best_lock = DF_MUTEX;
static partial_tour best;

static void offer(const partial_tour *p)
{
    df_mutex_lock(&best_lock);
    if (p->length < shortest) {
        best = *p;
        shortest = p->length;
    }
    df_mutex_unlock(&best_lock);
}

static int priority(const partial_tour *p, order o)
{
    return o == PROMISE ? -p->bound : o == WORST ? p->bound : 0;
}

DF_TASK(void, extend, (partial_tour, p), (order, o));
void extend(partial_tour p, order o)
{
    const uint8_t *open = p.city + p.fixed;
    int n = problem.n - p.fixed;
    if (p.bound >= shortest)   /* since it was submitted */
        return;
    expanded++;
    for (int k = 0; k < n; k++) {
        int i = o == REVERSED ? n - 1 - k : k;
        if (open[0] == 1 && open[i] == 2)   /* of the two directions of a tour: 1 comes before 2 */
            continue;
        partial_tour q = tour_go_on(&problem, &p, i);
        if (q.fixed < problem.n)
            tour_raise_bound(&problem, &q, STEPS, shortest);
        if (q.bound >= shortest)
            continue;
        if (q.fixed == problem.n)
            offer(&q);
        else if (n <= SMALL)
            extend(q, o);
        else
            df_submit_with(DF_OPTS(.priority = priority(&q, o)), extend, q, o);
    }
}

/* A tour from each city to the nearest one: the best one at first. Without one, the worst order would not end in
 * time where there are 48 cities. */
static partial_tour greedy_tour(void)
{
    partial_tour p = tour_start(&problem);
    while (p.fixed < problem.n) {
        const int *distance = problem.distance[p.city[p.fixed - 1]];
        int nearest = 0;
        for (int i = 1; i < problem.n - p.fixed; i++)
            if (distance[p.city[p.fixed + i]] < distance[p.city[p.fixed + nearest]])
                nearest = i;
        p = tour_go_on(&problem, &p, nearest);
    }
    return p;
}

/* The length of the tour, walked once more; 0 if it does not meet every city. */
static int walked(const partial_tour *p)
{
    int length = 0, seen[TSP_CITIES] = { 0 };
    for (int i = 0; i < problem.n; i++) {
        length += problem.distance[p->city[i]][p->city[(i + 1) % problem.n]];
        if (seen[p->city[i]]++)
            return 0;
    }
    return length;
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    char *end = "", error[200];
    long n = argc > 1 ? strtol(argv[1], &end, 10) : EXACT_CITIES;
    if (!*end && n >= 4 && n <= TSP_CITIES) {
        tsp_generate(&problem, (int)n);
    } else if (!*end) {
        fprintf(stderr, "usage: tsp [FILE.tsp | CITIES]    with CITIES from 4 to %d\n", TSP_CITIES);
        return 1;
    } else if (!tsp_read(&problem, argv[1], error)) {
        fprintf(stderr, "tsp: %s\n", error);
        return 1;
    }
    int optimum = *end ? tsp_known_optimum(&problem, argv[1]) : 0;
    const char *checked = optimum ? "which is the known optimum" : "as dynamic programming says";
    if (!optimum && !(optimum = tsp_exact(&problem)))
        checked = "the same for all orders";

    df_start(DF_CONFIG(.defer = 1));   /* so that there is an order with one worker, too */
    long work[ORDERS];
    double seconds[ORDERS];
    for (order o = 0; o < ORDERS; o++) {
        double start = now();
        expanded = 0;
        best = greedy_tour();
        shortest = best.length;
        partial_tour p = tour_start(&problem);
        tour_raise_bound(&problem, &p, STEPS_START, shortest);
        DF_PARALLEL {
            df_submit(extend, p, o);
        }
        work[o] = expanded;
        seconds[o] = now() - start;
        if (!optimum)
            optimum = shortest;
        if (shortest != optimum || walked(&best) != optimum) {
            printf("WRONG, %s: %d, not %d\n", order_name[o], shortest, optimum);
            return 1;
        }
    }
    printf("%s: the shortest tour of %d cities has length %d, %s\n", problem.name, problem.n,
           optimum, checked);
    if (argc < 2)   /* the following lines differ from run to run */
        return 0;
    long naive = work[CITIES] < work[REVERSED] ? work[CITIES] : work[REVERSED];
    for (order o = 0; o < ORDERS; o++)
        printf("%-38s %8ld expanded %9.4f s\n", order_name[o], work[o], seconds[o]);
    printf("priorities save %.1f %% of the worst order, %.1f %% of the better one without bounds\n",
           100 - 100.0 * (double)work[PROMISE] / (double)work[WORST],
           100 - 100.0 * (double)work[PROMISE] / (double)naive);
    return 0;
}
