#include "maze.h"

#include <stdlib.h>
#include <string.h>

enum { START = 7 };   /* steps 1 to 6 are to neighbours, START is none */

static int allocate(maze *m, const board *b)
{
    size_t cells = (size_t)board_cells(b);
    if (m->queue)
        return 1;
    m->taken = malloc(cells);
    m->fetched = malloc(cells / MAZE_PATCH + 1);
    m->step = calloc(cells, 1);
    m->queue = malloc(cells * sizeof *m->queue);
    if (m->taken && m->fetched && m->step && m->queue)
        return 1;
    maze_free(m);
    return 0;
}

void maze_free(maze *m)
{
    free(m->taken);
    free(m->fetched);
    free(m->step);
    free(m->queue);
    *m = (maze){ NULL, NULL, NULL, NULL };
}

/* The track that ends in the cell `end`, from its beginning. 0: no memory. */
static int walk_back(const maze *m, const int32_t *by, int32_t end, track *t)
{
    long count = 1;
    for (int32_t cell = end; m->step[cell] != START; cell -= by[m->step[cell]])
        count++;
    t->cell = malloc((size_t)count * sizeof *t->cell);
    if (!t->cell)
        return 0;
    t->count = count;
    for (int32_t cell = end; count-- > 0; cell -= m->step[cell] == START ? 0 : by[m->step[cell]])
        t->cell[count] = cell;
    return 1;
}

int maze_find(maze *m, const board *b, const unsigned char *cells, const connection *c, maze_fetch *fetch, track *t)
{
    const int32_t layer = b->rows * b->columns;
    const int32_t by[] = { 0, 1, -1, b->columns, -b->columns, layer, -layer };
    const int32_t target = board_cell(b, 0, c->to), cells_end = LAYERS * layer;
    int32_t end = -1;
    long begin = 0, count = 0;
    int done = 1;
    *t = (track){ NULL, 0 };
    if (!allocate(m, b))
        return 0;
    memset(m->fetched, 0, (size_t)cells_end / MAZE_PATCH + 1);
    for (int k = 0; k < LAYERS; k++) {
        m->queue[count++] = board_cell(b, k, c->from);
        m->step[m->queue[k]] = START;
    }
    for (; begin < count && end < 0; begin++) {
        int32_t cell = m->queue[begin];
        if (cell % layer == target) {
            end = cell;
            break;
        }
        for (int s = 1; s <= 6; s++) {
            int32_t to = cell + by[s];
            if (to < 0 || to >= cells_end || m->step[to])
                continue;
            int32_t patch = to / MAZE_PATCH, first = patch * MAZE_PATCH;
            if (!m->fetched[patch]) {
                fetch(m->taken + first, cells + first,
                      (size_t)(cells_end - first < MAZE_PATCH ? cells_end - first : MAZE_PATCH));
                m->fetched[patch] = 1;
            }
            if (!m->taken[to] || to % layer == target) {
                m->step[to] = (unsigned char)s;
                m->queue[count++] = to;
            }
        }
    }
    if (end >= 0)
        done = walk_back(m, by, end, t);
    while (count > 0)
        m->step[m->queue[--count]] = 0;
    return done;
}
