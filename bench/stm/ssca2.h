/* ssca2: threads put the edges of a large random graph into the adjacency arrays of their vertices. A short block takes
 * the next place of both, 2 reads and 2 writes; nearly no two blocks meet.
 *
 * A task is an edge. */
#ifndef STM_SSCA2_H
#define STM_SSCA2_H

typedef struct { long place[2]; } ssca2_places;
static struct {
    long (*edge)[2], *first, *used, *neighbour;   /* first, used: places of a vertex in neighbour */
} the_ssca2;

static STM_CALL ssca2_places ssca2_take(long *a, long *b)
{
    ssca2_places p = { { 0, 0 } };
    BLOCK
        p.place[0] = df_tm_read(a), p.place[1] = df_tm_read(b);
        df_tm_write(a, p.place[0] + 1);
        df_tm_write(b, p.place[1] + 1);
    BLOCK_END
    return p;
}
static void ssca2_run(void *p)
{
    worker *w = (worker *)p;
    for (long i = w->first; i < w->end; i++) {
        const long a = the_ssca2.edge[i][0], b = the_ssca2.edge[i][1];
        ssca2_places at = ssca2_take(&the_ssca2.used[a], &the_ssca2.used[b]);
        if (at.place[0] < the_ssca2.first[a + 1]) the_ssca2.neighbour[at.place[0]] = b;    /* its own: no other block */
        if (at.place[1] < the_ssca2.first[b + 1]) the_ssca2.neighbour[at.place[1]] = a;    /* accesses it */
    }
}

static outcome ssca2(long n)
{
    const long edges = n / 2, vertices = n / 4 + 2;
    outcome o = { 0, 0, 0 };
    worker all;
    uint64_t sum = 0;
    the_ssca2.edge = (long (*)[2])bench_alloc((size_t)edges, sizeof *the_ssca2.edge);
    the_ssca2.first = (long *)bench_alloc((size_t)vertices + 1, sizeof(long));
    the_ssca2.used = (long *)bench_alloc((size_t)vertices, sizeof(long));
    the_ssca2.neighbour = (long *)bench_alloc(2 * (size_t)edges, sizeof(long));
    for (long i = 0; i < edges; i++) {
        const long a = (long)(bench_mix(2 * (uint64_t)i) % (uint64_t)vertices);
        const long b = (a + 1 + (long)(bench_mix(2 * (uint64_t)i + 1) % (uint64_t)(vertices - 1))) % vertices;
        the_ssca2.edge[i][0] = a, the_ssca2.edge[i][1] = b;
        the_ssca2.first[a + 1]++, the_ssca2.first[b + 1]++;
        sum += bench_mix((uint64_t)(a * vertices + b)) + bench_mix((uint64_t)(b * vertices + a));
    }
    for (long v = 0; v < vertices; v++) {
        the_ssca2.first[v + 1] += the_ssca2.first[v];
        the_ssca2.used[v] = the_ssca2.first[v];
    }
    o.seconds = work_all(ssca2_run, edges, 1, 0, 0, &all);
    for (long v = 0; v < vertices; v++) {
        must(the_ssca2.used[v] == the_ssca2.first[v + 1], "ssca2: a vertex lacks an edge");
        for (long k = the_ssca2.first[v]; k < the_ssca2.first[v + 1]; k++)
            o.sum += bench_mix((uint64_t)(v * vertices + the_ssca2.neighbour[k]));
    }
    must(o.sum == sum, "ssca2: an edge is not in both arrays");
    o.tasks = edges;
    free(the_ssca2.edge);
    free(the_ssca2.first);
    free(the_ssca2.used);
    free(the_ssca2.neighbour);
    return o;
}
#endif
