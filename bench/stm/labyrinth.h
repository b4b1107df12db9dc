/* labyrinth: threads route connections through a grid by Lee's algorithm. One block reads the whole grid, 64 KB, into
 * memory of the thread, searches the shortest way there, and writes it to the grid.
 *
 * A task is a connection. There are 24 in a grid; the ends are distinct, and other ways do not cross them. Which ways
 * are found depends on the order, but not that they are disjoint. */
#ifndef STM_LABYRINTH_H
#define STM_LABYRINTH_H

enum { LABYRINTH_SHIFT = 6, LABYRINTH_SIDE = 1 << LABYRINTH_SHIFT, LABYRINTH_LAYERS = 2,
       LABYRINTH_CELLS = LABYRINTH_SIDE * LABYRINTH_SIDE * LABYRINTH_LAYERS, LABYRINTH_WAYS = 24 };

typedef struct { long from, to, cells, *cell; } labyrinth_way;            /* cells: of the way, 0 if there is none */
static struct {
    long (*grid)[LABYRINTH_CELLS];                /* 0: free; -1: an end; else minus the number of the way */
    labyrinth_way *way;
    long ways, next;                              /* to be routed */
} the_labyrinth;
typedef struct {
    long distance[LABYRINTH_CELLS];               /* first the grid; 1 at the beginning of the way */
    int cell[LABYRINTH_CELLS];                    /* first those to be looked at, then the way */
} labyrinth_search;

/* The next cell in direction d, 0 to 5; -1: outside. */
static inline int labyrinth_step(int i, int d)
{
    const int shift = d / 2 * LABYRINTH_SHIFT, last = (d < 4 ? LABYRINTH_SIDE : LABYRINTH_LAYERS) - 1;
    const int at = i >> shift & last;
    return d % 2 ? at < last ? i + (1 << shift) : -1 : at > 0 ? i - (1 << shift) : -1;
}

/* Leaves a shortest way in s->cell, from its end, and returns its length. 0: there is none. */
PRIVATE_CALL static long labyrinth_find(labyrinth_search *s, long from, long to)
{
    int end = 1, i = 0, k = 0, d;
    s->distance[to] = 0, s->distance[from] = 1, s->cell[0] = (int)from;
    for (int begin = 0; begin < end && !s->distance[to]; begin++)
        for (i = s->cell[begin], d = 0; d < 6; d++)
            if ((k = labyrinth_step(i, d)) >= 0 && !s->distance[k])
                s->distance[k] = s->distance[i] + 1, s->cell[end++] = k;
    if (!s->distance[to]) return 0;
    s->cell[0] = i = (int)to;
    for (end = 1; i != from; s->cell[end++] = i = k)
        for (d = 0; (k = labyrinth_step(i, d)) < 0 || s->distance[k] != s->distance[i] - 1; d++) {}
    return end;
}

static inline long labyrinth_lay(labyrinth_search *s, long *grid, long from, long to, long mark)
{
    long cells;
    for (long i = 0; i < LABYRINTH_CELLS; i++) s->distance[i] = df_tm_read(&grid[i]);
    cells = labyrinth_find(s, from, to);
    for (long i = 0; i < cells; i++) df_tm_write(&grid[s->cell[i]], mark);
    return cells;
}
static STM_CALL long labyrinth_connect(labyrinth_search *s, long *grid, long from, long to, long mark)
{
    long cells = 0;
    BLOCK cells = labyrinth_lay(s, grid, from, to, mark); BLOCK_END
    return cells;
}
static STM_CALL long labyrinth_next(void)
{
    long next = 0;
    BLOCK
        next = df_tm_read(&the_labyrinth.next);
        df_tm_write(&the_labyrinth.next, next + 1);
    BLOCK_END
    return next;
}
static void labyrinth_run(void *p)
{
    labyrinth_search *s = (labyrinth_search *)bench_alloc(1, sizeof *s);
    for (long i; (i = labyrinth_next()) < the_labyrinth.ways; ) {
        labyrinth_way *w = &the_labyrinth.way[i];
        w->cells = labyrinth_connect(s, the_labyrinth.grid[i / LABYRINTH_WAYS], w->from, w->to, -2 - i);
        w->cell = (long *)bench_alloc((size_t)w->cells + 1, sizeof *w->cell);
        for (long k = 0; k < w->cells; k++) w->cell[k] = s->cell[k];
        ((worker *)p)->sum++;
    }
    free(s);
}

static outcome labyrinth(long n)
{
    const long grids = n / 32000 + 1, ways = the_labyrinth.ways = grids * LABYRINTH_WAYS;
    outcome o = { 0, 0, 0 };
    worker all;
    long cells = 0, none = 0, wrong = 0;
    uint64_t x = 1;
    the_labyrinth.grid = (long (*)[LABYRINTH_CELLS])bench_alloc((size_t)grids, sizeof *the_labyrinth.grid);
    the_labyrinth.way = (labyrinth_way *)bench_alloc((size_t)ways, sizeof *the_labyrinth.way);
    the_labyrinth.next = 0;
    for (long i = 0; i < 2 * ways; i++) {
        long *grid = the_labyrinth.grid[i / 2 / LABYRINTH_WAYS], at;
        do at = (long)((x = bench_mix(x)) % LABYRINTH_CELLS); while (grid[at]);
        grid[at] = -1;
        *(i % 2 ? &the_labyrinth.way[i / 2].to : &the_labyrinth.way[i / 2].from) = at;
    }
    o.seconds = work_all(labyrinth_run, ways, 1, 0, 0, &all);
    for (long i = 0; i < ways; i++) {
        labyrinth_way *w = &the_labyrinth.way[i];
        long *grid = the_labyrinth.grid[i / LABYRINTH_WAYS];
        for (long k = 0; k < w->cells; k++) wrong += grid[w->cell[k]] != -2 - i;
        wrong += w->cells && (w->cell[0] != w->to || w->cell[w->cells - 1] != w->from);
        cells += w->cells, none += w->cells == 0;
        free(w->cell);
    }
    for (long i = 0; i < grids; i++)
        for (long k = 0; k < LABYRINTH_CELLS; k++) cells -= the_labyrinth.grid[i][k] < -1;
    must(wrong == 0 && cells == 0, "labyrinth: two ways cross");
    must(all.sum == ways && none <= ways / 10, "labyrinth: a connection was not routed");
    o.tasks = ways;
    o.sum = bench_mix((uint64_t)ways);
    free(the_labyrinth.grid);
    free(the_labyrinth.way);
    return o;
}
#endif
