#include "bound.h"

#include <string.h>

/* The rest of the tour is a path from the last fixed city to the first one through all open cities.
 * It is a spanning tree of the open cities and two edges that tie it to the ends; so the cheapest
 * such tree with its two cheapest edges, a 1-tree, is no longer than the path.
 *
 * In the path every open city has two edges, in the tree some have more, some one. A price, paid
 * for each edge that meets a city and given back twice, changes no path, but it changes which tree
 * is the cheapest: raise it where the tree has too many edges, lower it at its leaves, and the
 * bound climbs (a subgradient method). Children begin with the prices of their parent. All numbers
 * are whole: the bound is exact, whatever the machine. */
enum {
    UNIT = 256,     /* parts of a unit of distance, for prices */
    FINER = 20      /* the first step of a child, as a part of the average cost of an edge: of
                     * 20, 50 and 200 the one that leaves the fewest tours of att48 and random
                     * places */
};

static int round_up(int64_t x) { return (int)((x + UNIT - 1) / UNIT); }

/* The price of the edge from city a to the open city b. */
static int64_t priced(const tsp *t, const partial_tour *p, int a, int b)
{
    return (int64_t)t->distance[a][b] * UNIT + p->price[b];
}

/* The number of the open city to which the edge from city a is cheapest, not `other`. */
static int cheapest(const tsp *t, const partial_tour *p, int a, int other)
{
    const uint8_t *open = p->city + p->fixed;
    int best = other == 0;
    for (int i = best + 1; i < t->n - p->fixed; i++)
        if (i != other && priced(t, p, a, open[i]) < priced(t, p, a, open[best]))
            best = i;
    return best;
}

/* The cost of the cheapest 1-tree, prices given back, and how many edges meet each open city in it.
 * pre: at least two cities are open */
static int64_t one_tree(const tsp *t, const partial_tour *p, int edges[])
{
    const uint8_t *open = p->city + p->fixed;
    int n = t->n - p->fixed, near[TSP_CITIES], left[TSP_CITIES], at = 0;
    int64_t cost[TSP_CITIES], total = (int64_t)p->length * UNIT;

    for (int i = 0; i < n; i++) {
        edges[i] = 0;
        cost[i] = INT64_MAX;
        left[i] = i;
        total -= 2 * p->price[open[i]];
    }
    for (int rest = n - 1; rest > 0; rest--) {   /* Prim: left[1..rest] are not in the tree yet */
        int next = 1;
        for (int k = 1; k <= rest; k++) {
            int i = left[k];
            int64_t c = priced(t, p, open[at], open[i]) + p->price[open[at]];
            if (c < cost[i])
                cost[i] = c, near[i] = at;
            if (cost[i] < cost[left[next]])
                next = k;
        }
        at = left[next];
        left[next] = left[rest];
        total += cost[at];
        edges[at]++;
        edges[near[at]]++;
    }
    int head = p->city[0], tail = p->city[p->fixed - 1];
    int first = cheapest(t, p, head, -1), last = cheapest(t, p, tail, head == tail ? first : -1);
    edges[first]++;
    edges[last]++;
    return total + priced(t, p, head, open[first]) + priced(t, p, tail, open[last]);
}

void tour_raise_bound(const tsp *t, partial_tour *p, int steps, int enough)
{
    int n = t->n - p->fixed, edges[TSP_CITIES];
    int64_t first_step = 0;
    for (int s = 0; s < steps && p->bound < enough; s++) {
        int64_t cost = one_tree(t, p, edges);
        if (round_up(cost) > p->bound)
            p->bound = round_up(cost);
        if (s == 0)
            first_step = cost / n / (p->fixed == 1 ? 2 : FINER);
        int64_t step = first_step * (steps - s) / steps;
        for (int i = 0; i < n; i++)
            p->price[p->city[p->fixed + i]] += step * (edges[i] - 2);
    }
}

partial_tour tour_start(const tsp *t)
{
    partial_tour p = { .fixed = 1 };
    for (int i = 0; i < t->n; i++)
        p.city[i] = (uint8_t)i;
    return p;
}

partial_tour tour_go_on(const tsp *t, const partial_tour *p, int i)
{
    partial_tour q = *p;
    uint8_t *open = q.city + q.fixed, next = open[i];
    memmove(open + 1, open, (size_t)i);
    open[0] = next;
    q.fixed++;
    q.length += t->distance[open[-1]][next];
    if (q.fixed == t->n - 1) {
        q.fixed++;
        q.bound = q.length += t->distance[next][open[1]] + t->distance[open[1]][q.city[0]];
    }
    return q;
}
