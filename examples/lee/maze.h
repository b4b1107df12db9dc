/* Lee's algorithm: a wave goes out from one pin over all free cells, until it reaches the other one; the way back is a
 * shortest track.
 * Source: Lee, An algorithm for path connections and its applications, IRE Transactions on Electronic Computers,
 * 1961. */
#ifndef LEE_MAZE_H
#define LEE_MAZE_H

#include "board.h"

#include <stddef.h>

/* The memory of a wave, one for each task. All zero: not yet allocated. */
typedef struct {
    unsigned char *taken;     /* a copy of the patches that the wave came to, MAZE_PATCH cells in a row each */
    unsigned char *fetched;   /* which these are */
    unsigned char *step;      /* of the wave into a cell; 0: not there yet */
    int32_t *queue;           /* cells in the order in which it came to them */
} maze;

enum { MAZE_PATCH = 256 };   /* from 64 to 512: no difference beyond the noise */

/* Copies n cells. They may change before and after: cells are taken, and never become free. */
typedef void maze_fetch(unsigned char *to, const unsigned char *from, size_t n);

/* Finds a shortest track among the cells that are 0, as they are when the wave gets to their patch. t->count is 0 if
 * there is none; as no cell becomes free, there will be none later. 0: no memory. t->cell is to be freed. */
int maze_find(maze *m, const board *b, const unsigned char *cells, const connection *c, maze_fetch *fetch, track *t);

void maze_free(maze *m);

#endif
