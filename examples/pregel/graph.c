#include "graph.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- from a list of edges to the edges of each vertex ------------------------------------------ */

typedef struct { int32_t from, to, weight; } edge;
typedef struct {
    edge *at;
    long count, room, vertices;
    int32_t heaviest;
} edges;

static int add(edges *l, long from, long to, long weight)   /* 0: no memory */
{
    if (l->count == l->room) {
        long room = l->room ? 2 * l->room : 1 << 12;
        edge *more = realloc(l->at, (size_t)room * sizeof *more);
        if (!more)
            return 0;
        l->at = more;
        l->room = room;
    }
    l->at[l->count++] = (edge){ (int32_t)from, (int32_t)to, (int32_t)weight };
    l->heaviest = weight > l->heaviest ? (int32_t)weight : l->heaviest;
    return 1;
}

static int build(graph *g, const edges *l)   /* all but the name. 0: no memory */
{
    g->vertices = l->vertices;
    g->edges = l->count;
    g->first = calloc((size_t)l->vertices + 2, sizeof *g->first);
    g->edge = malloc((size_t)(l->count + 1) * sizeof *g->edge);
    if (!g->first || !g->edge) {
        graph_free(g);
        return 0;
    }
    long *next = g->first + 1;   /* [v]: where the next edge of v goes; in the end, where those of v + 1 begin */
    for (long i = 0; i < l->count; i++)
        next[l->at[i].from + 1]++;
    for (long v = 0; v < l->vertices; v++)
        next[v + 1] += next[v];
    for (long i = 0; i < l->count; i++)
        g->edge[next[l->at[i].from]++] = (graph_edge){ l->at[i].to, l->at[i].weight };
    return 1;
}

int graph_random(graph *g, long vertices, long degree)
{
    edges l = { .vertices = vertices };
    uint64_t random = 1;
    int done = 1;
    for (long i = 0; done && i < vertices * degree; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);   /* Knuth, MMIX */
        done = add(&l, i / degree, (long)((random >> 33) % (uint64_t)vertices),
                   1 + (long)(random >> 20 & 0xffff) % 100);
    }
    done = done && build(g, &l);
    snprintf(g->name, sizeof g->name, "random graph");
    free(l.at);
    return done;
}

int graph_undirected(graph *both, const graph *g)
{
    edges l = { .vertices = g->vertices };
    int done = 1;
    for (long v = 0; v < g->vertices; v++)
        for (long e = g->first[v]; done && e < g->first[v + 1]; e++)
            done = add(&l, v, g->edge[e].to, g->edge[e].weight) && add(&l, g->edge[e].to, v, g->edge[e].weight);
    memcpy(both->name, g->name, sizeof both->name);
    done = done && build(both, &l);
    free(l.at);
    return done;
}

void graph_free(graph *g)
{
    free(g->first);
    free(g->edge);
    *g = (graph){ .vertices = 0 };
}

/* --- files: functions return a message, or NULL ------------------------------------------------ */

enum { LINE = 1024, FIELDS = 3 };
static const char no_memory[] = "not enough memory";

typedef struct {
    FILE *f;
    long number;   /* of the line, from 1 */
    char line[LINE];
} lines;

/* The next line that is neither empty nor a comment. 0: there is none. */
static int next_line(lines *in, char comment)
{
    while (in->number++, fgets(in->line, LINE, in->f)) {
        const char *s = in->line + strspn(in->line, " \t\r\n");
        int is_comment = *s == comment;
        if (strlen(in->line) == LINE - 1 && in->line[LINE - 2] != '\n') {
            for (int c = 0; c != '\n' && c != EOF;)
                c = getc(in->f);
            strcpy(in->line + 1, "? too long");   /* still a comment if it was one, and nothing else */
        }
        if (*s && !is_comment)
            return 1;
    }
    return 0;
}

/* Are exactly n numbers in the text? */
static int numbers(const char *s, int n, long *x)
{
    char *end;
    for (int i = 0; i < n; i++, s = end) {
        errno = 0;
        x[i] = strtol(s, &end, 10);
        if (end == s || errno || !strchr(" \t\r\n", *end))
            return 0;
    }
    return s[strspn(s, " \t\r\n")] == '\0';
}

static const char *add_checked(edges *l, const long *x, long base, int weighted, int both)
{
    long last = l->vertices - 1 + base, weight = weighted ? x[2] : 1;
    if (x[0] < base || x[1] < base || x[0] > last || x[1] > last)
        return "an edge from or to a vertex that does not exist";
    long from = x[0] - base, to = x[1] - base;
    if (weight < 0 || weight > INT32_MAX)
        return "a weight must be from 0 to 2147483647";
    return add(l, from, to, weight) && (!both || from == to || add(l, to, from, weight)) ? NULL : no_memory;
}

static const char *check_size(long vertices, long count)
{
    return vertices < 1 || vertices > GRAPH_VERTICES || count < 0 ? "the number of vertices must be from 1 to 2^28, "
                                                                    "that of edges from 0 on"
                                                                  : NULL;
}

static const char *read_dimacs(lines *in, edges *l)
{
    long x[FIELDS], count = -1, seen = 0;
    const char *wrong = NULL;
    do {
        const char *s = in->line;
        if (*s == 'c')
            continue;
        if (!strncmp(s, "p sp ", 5) && count < 0 && numbers(s + 5, 2, x)) {
            wrong = check_size(x[0], x[1]);
            l->vertices = x[0];
            count = x[1];
        } else if (*s == 'a' && count >= 0 && numbers(s + 1, 3, x)) {
            wrong = seen++ == count ? "more edges than announced" : add_checked(l, x, 1, 1, 0);
        } else {
            wrong = "expected `c COMMENT`, one `p sp VERTICES EDGES`, then `a FROM TO WEIGHT`";
        }
    } while (!wrong && next_line(in, 'c'));
    return wrong ? wrong : count < 0 ? "there is no line `p sp VERTICES EDGES`" : seen < count ? "edges are missing"
        : NULL;
}

static const char *read_matrix(lines *in, edges *l)
{
    char field[20], symmetry[20];
    long x[FIELDS], count;
    const char *wrong = NULL;
    if (sscanf(in->line, "%%%%MatrixMarket matrix coordinate %19s %19s", field, symmetry) != 2
        || (strcmp(field, "pattern") && strcmp(field, "integer"))
        || (strcmp(symmetry, "symmetric") && strcmp(symmetry, "general")))
        return "expected `%%MatrixMarket matrix coordinate pattern|integer symmetric|general`";
    int weighted = field[0] == 'i', both = symmetry[0] == 's';
    if (!next_line(in, '%') || !numbers(in->line, 3, x) || x[0] != x[1])
        return "expected `VERTICES VERTICES EDGES`";
    l->vertices = x[0];
    count = x[2];
    wrong = check_size(x[0], count);
    for (long i = 0; !wrong && i < count; i++)
        wrong = !next_line(in, '%') ? "edges are missing"
              : !numbers(in->line, 2 + weighted, x) ? (weighted ? "expected `FROM TO WEIGHT`" : "expected `FROM TO`")
              : add_checked(l, x, 1, weighted, both);
    return wrong ? wrong : next_line(in, '%') ? "more edges than announced" : NULL;
}

static const char *read_pairs(lines *in, edges *l)
{
    long x[FIELDS];
    const char *wrong = NULL;
    do {
        if (in->line[0] == '#')
            continue;
        if (!numbers(in->line, 2, x))
            return "expected `FROM TO`, or a comment, `# ...`";
        for (int i = 0; i < 2; i++)
            if (x[i] >= l->vertices && x[i] < GRAPH_VERTICES)
                l->vertices = x[i] + 1;   /* a larger one is one that does not exist */
        wrong = add_checked(l, x, 0, 0, 0);
    } while (!wrong && next_line(in, '#'));
    return wrong || l->count ? wrong : "there are no edges";
}

int graph_read(graph *g, const char *path, char error[GRAPH_ERROR])
{
    const char *slash = strrchr(path, '/'), *wrong = NULL;
    edges l = { .vertices = 0 };
    lines in = { .f = fopen(path, "r") };
    *g = (graph){ .vertices = 0 };
    if (!in.f) {
        snprintf(error, GRAPH_ERROR, "%.200s: %.60s", path, strerror(errno));
        return 0;
    }
    wrong = !next_line(&in, '\0') ? "the file is empty"
          : in.line[0] == '%' ? read_matrix(&in, &l)
          : in.line[0] == 'c' || in.line[0] == 'p' ? read_dimacs(&in, &l) : read_pairs(&in, &l);
    if (ferror(in.f))
        wrong = "cannot be read";
    if (!wrong && (long long)l.vertices * l.heaviest > INT32_MAX)
        wrong = "vertices times the largest weight is more than 2147483647: distances would not fit";
    if (!wrong && !build(g, &l))
        wrong = no_memory;
    if (wrong)
        snprintf(error, GRAPH_ERROR, "%.150s:%ld: %.120s", path, in.number, wrong);
    snprintf(g->name, sizeof g->name, "%.63s", slash ? slash + 1 : path);
    fclose(in.f);
    free(l.at);
    return !wrong;
}
