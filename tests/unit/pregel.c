/* pregel.c - examples/pregel: the rules of changes to a graph, lists of messages, totals of any type; both ways, in one
 * part and in many
 *
 * Vertices follow a script: a line is what a vertex asks for, or sends, in a superstep. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_stm.h"
#include "../test.h"
#include "../../examples/pregel/graph.c"

enum { IDS = 40 };
enum { ADD_VERTEX, REMOVE_VERTEX, ADD_EDGE, REMOVE_EDGE, SEND };
typedef struct { int step, who, what, a, b, weight; } line;

/* --- totals: the number of vertices that were computed, and which ones ---------------------------------- */

typedef struct { long vertices; unsigned char in[IDS]; } seen;
static void both(seen *into, const seen *from)
{
    into->vertices += from->vertices;
    for (int i = 0; i < IDS; i++) into->in[i] |= from->in[i];
}

#define PREGEL_NAME       script
#define PREGEL_VALUE      int64_t
#define PREGEL_MESSAGE    int32_t
#define PREGEL_LIST
#define PREGEL_CHANGES
#define PREGEL_SUMS       1
#define PREGEL_TOTAL      seen
#define PREGEL_TOTAL_ADD  both
#define PREGEL_TOTAL_NONE { 0, { 0 } }
#include "../../examples/pregel/pregel.h"

static int by_number(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}
static void script_compute(script_vertex *v, int32_t *m, long n)
{
    const line *l = v->context;
    long edges, last = 0, left = 0;
    const graph_edge *e = script_edges(v, &edges);
    seen mine = { 1, { 0 } };
    mine.in[v->id] = 1;
    both(v->add_total, &mine);
    v->add[0] += edges;
    /* the value: messages, edges, what was known of the last superstep */
    if (n > 0) qsort(m, (size_t)n, sizeof *m, by_number);
    for (long i = 0; i < n; i++) *v->value = *v->value * 31 + m[i];
    for (long i = 0; i < edges; i++) *v->value = *v->value * 7 + e[i].to * 100 + e[i].weight;
    if (v->step > 0) {
        long in = 0;
        for (int i = 0; i < IDS; i++) in += v->total->in[i];
        CHECK(in == v->total->vertices);
        *v->value = *v->value * 3 + in + v->sums[0];
    } else CHECK(v->total->vertices == 0);
    for (; l->step >= 0; l++) {
        if (l->step > last) last = l->step;
        left += l->who == v->id && l->step > v->step;
        if (l->step != v->step || l->who != v->id) continue;
        if (l->what == ADD_VERTEX) script_add_vertex(v, l->a, l->weight);
        if (l->what == REMOVE_VERTEX) script_remove_vertex(v, l->a);
        if (l->what == ADD_EDGE) script_add_edge(v, l->a, l->b, l->weight);
        if (l->what == REMOVE_EDGE) script_remove_edge(v, l->a, l->b);
        if (l->what == SEND) script_send(v, l->a, l->weight);
    }
    v->halted = left == 0;
}

/* A ring of n vertices, with the weights of their IDs. Prints the result of the first way; the others must agree.
 * text: the edges of the graph in the end, worked out by hand. */
static void play(const char *name, int n, const line *l, const char *text, df_result expected)
{
    char found[400] = "";
    long first[IDS + 1] = { 0 };
    graph_edge edge[IDS];
    graph g = { "ring", n, n, first, edge };
    int64_t value[IDS], once[IDS];
    unsigned char exists[IDS], existed[IDS];
    memset(once, 0, sizeof once), memset(existed, 0, sizeof existed);
    for (int v = 0; v < n; v++) first[v + 1] = v + 1, edge[v] = (graph_edge){ (v + 1) % n, v };
    for (int k = 0; k < 8; k++) {
        static const int parts[] = { 1, 3, 16, 1024 };
        pregel_way way = { parts[k / 2], k % 2 };
        pregel_effort effort;
        graph left;
        for (int v = 0; v < IDS; v++) value[v] = v < n ? v : 0;
        df_result r = script_run(&g, IDS, &left, exists, value, l, way, &effort);
        CHECK(r == expected);
        if (r != DF_OK) continue;
        for (int v = 0; v < IDS; v++)
            if (!exists[v]) value[v] = 0;
        if (k == 0) {
            memcpy(once, value, sizeof once), memcpy(existed, exists, sizeof existed);
            printf("%s: %ld supersteps, %lld messages:", name, effort.supersteps, (long long)effort.messages);
            for (int v = 0; v < IDS; v++) {
                if (!exists[v]) { CHECK(left.first[v] == left.first[v + 1]); continue; }
                printf(" %d=%lld", v, (long long)value[v]);
                sprintf(found + strlen(found), " %d", v);
                for (long e = left.first[v]; e < left.first[v + 1]; e++)
                    sprintf(found + strlen(found), ">%ld/%ld", (long)left.edge[e].to, (long)left.edge[e].weight);
            }
            printf(":%s\n", found);
            CHECK(!strcmp(found, text));
            if (exists[20]) CHECK(value[20] == 661); /* ((2 * 7 + 1) * 7 + 110) * 3 + 8 + 8: 2 asked for it, and said 2 */
        }
        CHECK(!memcmp(once, value, sizeof once) && !memcmp(existed, exists, sizeof existed));
        graph_free(&left);
    }
}

static const line nothing[] = { { -1 } };
static const line order[] = { /* removals first, then additions, however they are asked for */
    { 0, 1, ADD_EDGE, 0, 1, 77 }, { 0, 2, REMOVE_EDGE, 0, 1 },                   /* the edge is there, with 77 */
    { 0, 1, ADD_VERTEX, 3, 0, 500 }, { 0, 2, REMOVE_VERTEX, 3 },                 /* 3 is new, without edges */
    { 0, 1, ADD_EDGE, 3, 0, 9 }, { 0, 0, ADD_EDGE, 4, 4, 4 }, { 0, 0, REMOVE_VERTEX, 4 }, /* 4 is gone */
    { 1, 1, SEND, 0, 0, 2 }, { 1, 1, SEND, 3, 0, 1 }, { -1 } };
static const line conflicts[] = { /* of several who ask, the smallest decides; what exists is not added */
    { 0, 5, ADD_VERTEX, 20, 0, 5 }, { 0, 2, ADD_VERTEX, 20, 0, 2 }, { 0, 2, ADD_VERTEX, 20, 0, 99 },
    { 0, 7, ADD_VERTEX, 20, 0, 1 }, { 0, 7, ADD_VERTEX, 6, 0, 99 },
    { 0, 6, ADD_EDGE, 20, 1, 6 }, { 0, 1, ADD_EDGE, 20, 1, 10 }, { 0, 1, ADD_EDGE, 20, 1, 11 },
    { 0, 0, ADD_EDGE, 0, 1, 44 },
    { 0, 3, ADD_EDGE, 20, 0, 1 }, { 0, 3, ADD_EDGE, 33, 0, 1 },                  /* 33 does not exist */
    { 0, 4, REMOVE_VERTEX, 30 }, { 0, 4, REMOVE_EDGE, 4, 17 }, { 0, 4, REMOVE_EDGE, 31, 1 }, { -1 } };
static const line lost[] = { /* messages to what does not exist; an edge to it; it comes back, and is awake */
    { 0, 0, REMOVE_VERTEX, 1 }, { 0, 2, SEND, 1, 0, 1000 }, { 0, 2, SEND, 25, 0, 1000 }, { 1, 2, SEND, 1, 0, 1000 },
    { 2, 0, ADD_VERTEX, 1, 0, 50 }, { 2, 2, SEND, 1, 0, 7 }, { 2, 3, SEND, 1, 0, 5 }, { 2, 4, SEND, 1, 0, 6 },
    { 3, 0, ADD_EDGE, 1, 39, 8 }, { 3, 0, SEND, 1, 0, 3 }, { 3, 1, SEND, 2, 0, 4 }, { 4, 0, SEND, 1, 0, 1 }, { -1 } };
static const line all_go[] = {
    { 0, 0, REMOVE_VERTEX, 0 }, { 0, 0, REMOVE_VERTEX, 1 }, { 0, 0, REMOVE_VERTEX, 2 }, { 5, 0, SEND, 1 }, { -1 } };
static const line wrong[][3] = {
    { { 1, 0, ADD_VERTEX, IDS }, { -1 } }, { { 0, 1, REMOVE_VERTEX, -1 }, { -1 } },
    { { 0, 0, ADD_EDGE, 0, IDS }, { -1 } }, { { 0, 0, REMOVE_EDGE, IDS, 0 }, { -1 } } };

int main(void)
{
    play("nothing", 3, nothing, " 0>1/0 1>2/1 2>0/2", DF_OK);
    play("order", 8, order, " 0>1/77 1>2/1 2>3/2 3>0/9 5>6/5 6>7/6 7>0/7", DF_OK);
    play("conflicts", 8, conflicts, " 0>1/0 1>2/1 2>3/2 3>4/3 4>5/4 5>6/5 6>7/6 7>0/7 20>0/1>1/10", DF_OK);
    play("lost", 5, lost, " 0>1/0 1>39/8 2>3/2 3>4/3 4>0/4", DF_OK);
    play("all go", 3, all_go, "", DF_OK);
    for (int i = 0; i < 4; i++) play("wrong", 5, wrong[i], "", (df_result)PREGEL_NO_VERTEX);
    return 0;
}
