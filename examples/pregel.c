/* Pregel: a framework for computations on graphs, and programs on it: shortest paths, page rank, connected components;
 * and, in pregel/several.c, four that change the graph, or receive messages one by one, or have totals of any type.
 *
 * pregel/pregel.h is the framework, and explains it; a program is a function of one vertex. Every program runs twice:
 * by dataflow alone, and with shared state changed in atomic blocks. The results are the same, and are checked against
 * an algorithm of another kind.
 *
 *     cc -std=c11 -O2 -o pregel examples/pregel.c examples/pregel/[a-z]*.c -pthread
 *     ./pregel [--parts N] [--time] [FILE | VERTICES]
 *
 * FILE: a graph in the format of DIMACS (.gr), Matrix Market or SNAP. VERTICES: of a random graph, 50 000 by default.
 * --parts: tasks in a superstep, 16 by default. --time: seconds, on standard error.
 */
#define DF_IMPLEMENTATION
#include "../df.h"
#include "../df_stm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pregel/programs.h"

enum { DEGREE = 5, MOST_VERTICES = 1 << 24 };

typedef struct {
    graph directed, both;   /* both: with each edge in both directions */
    int parts, show_time;
    int right;
} example;

static void end_without_memory(void)
{
    fprintf(stderr, "pregel: not enough memory\n");
    exit(1);
}

static void *allocate(long n, size_t bytes)
{
    void *p = malloc((size_t)n * bytes);
    if (!p)
        end_without_memory();
    return p;
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- the programs: run one way, and the other; both fill result, of n elements of some size -------------- */

typedef df_result program(example *x, void *result, pregel_way way, pregel_effort *effort);

static df_result run_paths(example *x, void *result, pregel_way way, pregel_effort *effort)
{
    return shortest_paths(&x->directed, 0, result, way, effort);
}
static df_result run_rank(example *x, void *result, pregel_way way, pregel_effort *effort)
{
    return page_rank(&x->directed, result, way, effort);
}
static df_result run_components(example *x, void *result, pregel_way way, pregel_effort *effort)
{
    return components(&x->both, result, way, effort);
}

static df_result run_hub(example *x, void *result, pregel_way way, pregel_effort *effort)
{
    return hub_paths(&x->both, result, way, effort);
}
static df_result run_cores(example *x, void *result, pregel_way way, pregel_effort *effort)
{
    return cores(&x->both, result, way, effort);
}
static df_result run_two_steps(example *x, void *result, pregel_way way, pregel_effort *effort)
{
    return two_steps(&x->directed, result, way, effort);
}
static df_result run_pyramid(example *x, void *result, pregel_way way, pregel_effort *effort)
{
    (void)x;
    return pyramid(result, way, effort);
}

/* The effort is the same either way, and so is the result, of n elements. */
static pregel_effort run_both_ways(example *x, const char *name, program *run, void *result, long n, size_t bytes)
{
    static const char *const way_name[] = { "by dataflow", "by sharing" };
    void *first = allocate(n, bytes);
    pregel_effort effort[2];
    for (int i = 0; i < 2; i++) {
        double start = now();
        if (run(x, i ? result : first, (pregel_way){ x->parts, i }, &effort[i]) != DF_OK)
            end_without_memory();
        if (x->show_time)
            fprintf(stderr, "%-15s %-11s %9.4f s\n", name, way_name[i], now() - start);
    }
    int same = memcmp(first, result, (size_t)n * bytes) == 0
        && effort[0].supersteps == effort[1].supersteps && effort[0].messages == effort[1].messages;
    free(first);
    x->right &= same;
    printf("%s: %ld supersteps, %lld messages, by dataflow and by sharing%s\n", name, effort[1].supersteps,
           (long long)effort[1].messages, same ? "" : ": DIFFERENT");
    return effort[1];
}

static void report(example *x, int right, const char *oracle)
{
    printf(": %s %s\n", right ? "as by" : "WRONG: not as by", oracle);
    x->right &= right;
}

static void show_paths(example *x)
{
    long n = x->directed.vertices, reached = 0, farthest = 0;
    int32_t *distance = allocate(n, sizeof *distance), *expected = allocate(n, sizeof *expected);
    long long sum = 0;
    run_both_ways(x, "shortest paths", run_paths, distance, n, sizeof *distance);
    if (!shortest_paths_dijkstra(&x->directed, 0, expected))
        end_without_memory();
    for (long v = 0; v < n; v++) {
        if (distance[v] == INT32_MAX)
            continue;
        reached++;
        sum += distance[v];
        farthest = distance[v] > distance[farthest] ? v : farthest;
    }
    printf("    %ld reached, all distances add up to %lld, farthest is vertex %ld at %ld", reached, sum, farthest,
           (long)distance[farthest]);
    report(x, memcmp(distance, expected, (size_t)n * sizeof *distance) == 0, "Dijkstra's algorithm");
    free(distance);
    free(expected);
}

static void show_rank(example *x)
{
    long n = x->directed.vertices, highest = 0;
    int64_t *rank = allocate(n, sizeof *rank);
    double *expected = allocate(n, sizeof *expected), difference = 0;
    pregel_effort effort = run_both_ways(x, "page rank", run_rank, rank, n, sizeof *rank);
    if (!page_rank_iteration(&x->directed, expected, effort.supersteps - 1))
        end_without_memory();
    for (long v = 0; v < n; v++) {
        difference += fabs((double)rank[v] / (double)RANK_ONE - expected[v]);
        highest = rank[v] > rank[highest] ? v : highest;
    }
    printf("    vertex %ld has the highest, %.6e", highest, (double)rank[highest] / (double)RANK_ONE);
    report(x, difference <= page_rank_bound(&x->directed), "a power iteration");
    free(rank);
    free(expected);
}

static void show_components(example *x)
{
    long n = x->both.vertices, count = 0, largest = 0;
    int32_t *label = allocate(n, sizeof *label), *expected = allocate(n, sizeof *expected),
        *size = allocate(n, sizeof *size);
    run_both_ways(x, "components", run_components, label, n, sizeof *label);
    components_union_find(&x->both, expected);
    for (long v = 0; v < n; v++)
        size[v] = 0;
    for (long v = 0; v < n; v++) {   /* the label of a component is its smallest vertex */
        count += size[label[v]]++ == 0;
        largest = size[label[v]] > largest ? size[label[v]] : largest;
    }
    printf("    %ld, the largest has %ld vertices", count, largest);
    report(x, memcmp(label, expected, (size_t)n * sizeof *label) == 0, "union and find");
    free(label);
    free(expected);
    free(size);
}

static void show_hub(example *x)
{
    long n = x->both.vertices, hub = hub_of(&x->both);
    int32_t *distance = allocate(n, sizeof *distance), *expected = allocate(n, sizeof *expected);
    run_both_ways(x, "from the hub", run_hub, distance, n, sizeof *distance);
    if (!shortest_paths_dijkstra(&x->both, hub, expected))
        end_without_memory();
    printf("    vertex %ld has most edges", hub);
    report(x, memcmp(distance, expected, (size_t)n * sizeof *distance) == 0, "Dijkstra's algorithm");
    free(distance);
    free(expected);
}

static void show_cores(example *x)
{
    long n = x->both.vertices, in = 0;
    int32_t *degree = allocate(n, sizeof *degree), *expected = allocate(n, sizeof *expected);
    run_both_ways(x, "cores", run_cores, degree, n, sizeof *degree);
    if (!cores_by_queue(&x->both, expected))
        end_without_memory();
    for (long v = 0; v < n; v++)
        in += degree[v] > 0;
    printf("    the 7-core has %ld vertices", in);
    report(x, memcmp(degree, expected, (size_t)n * sizeof *degree) == 0, "a queue");
    free(degree);
    free(expected);
}

static void show_two_steps(example *x)
{
    long n = x->directed.vertices;
    uint64_t *hash = allocate(n, sizeof *hash), *expected = allocate(n, sizeof *expected), sum = 0;
    run_both_ways(x, "two steps", run_two_steps, hash, n, sizeof *hash);
    if (!two_steps_serial(&x->directed, expected))
        end_without_memory();
    for (long v = 0; v < n; v++)
        sum += hash[v];
    printf("    the new graph has hash %016llx", (unsigned long long)sum);
    report(x, memcmp(hash, expected, (size_t)n * sizeof *hash) == 0, "loops");
    free(hash);
    free(expected);
}

static void show_pyramid(example *x)
{
    static int32_t value[PYRAMID], expected[PYRAMID];
    run_both_ways(x, "pyramid", run_pyramid, value, PYRAMID, sizeof *value);
    pyramid_serial(expected);
    printf("    %d vertices", PYRAMID);
    report(x, memcmp(value, expected, sizeof value) == 0, "loops");
}

int main(int argc, char **argv)
{
    example x = { .parts = 16, .right = 1 };
    const char *file = NULL;
    char error[GRAPH_ERROR], *end = "";
    long vertices = 50000;
    int usage = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--time")) {
            x.show_time = 1;
        } else if (!strcmp(argv[i], "--parts") && i + 1 < argc) {
            x.parts = (int)strtol(argv[++i], &end, 10);
            usage |= *end || x.parts < 1 || x.parts > PREGEL_PARTS;
        } else {
            vertices = strtol(argv[i], &end, 10);
            usage |= file || argv[i][0] == '-' || (!*end && (vertices < 1 || vertices > MOST_VERTICES));
            file = *end ? argv[i] : NULL;
        }
    }
    if (usage) {
        fprintf(stderr,
                "usage: pregel [--parts N] [--time] [FILE | VERTICES]    N from 1 to %d, VERTICES from 1 to %d\n",
                PREGEL_PARTS, MOST_VERTICES);
        return 1;
    }
    if (file && !graph_read(&x.directed, file, error)) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    if ((!file && !graph_random(&x.directed, vertices, DEGREE)) || !graph_undirected(&x.both, &x.directed))
        end_without_memory();
    df_start(NULL);   /* would start by itself; the times are for the programs only */
    printf("%s: %ld vertices, %ld edges\n", x.directed.name, x.directed.vertices, x.directed.edges);
    show_paths(&x);
    show_rank(&x);
    show_components(&x);
    show_hub(&x);
    show_cores(&x);
    show_two_steps(&x);
    show_pyramid(&x);
    graph_free(&x.directed);
    graph_free(&x.both);
    return x.right ? 0 : 1;
}
