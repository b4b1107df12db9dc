/* A circuit board of two layers: pads, connections to be made, and the tracks that make them. */
#ifndef LEE_BOARD_H
#define LEE_BOARD_H

#include <stdint.h>

enum { LAYERS = 2, BOARD_SIDE = 600, BOARD_ERROR = 300 };   /* cells; bytes of a message */

typedef struct { int x, y; } pin;
typedef struct { pin from, to; } connection;
typedef struct { int32_t *cell; long count; } track;   /* from pin to pin; count 0: there is none */
typedef struct { int x, y, width, height; } rectangle;

typedef struct {
    char name[64];
    int width, height, columns, rows;   /* columns, rows: with a border of cells around each layer that are taken */
    unsigned char *pad;                 /* cells: 1 for pads, pins and the border, which are so on every layer */
    connection *connection;             /* shortest first */
    long connections, room;
} board;

static inline long board_cells(const board *b) { return (long)LAYERS * b->rows * b->columns; }
static inline int32_t board_cell(const board *b, int layer, pin p)
{
    return (layer * b->rows + p.y + 1) * b->columns + p.x + 1;
}

/* Reads a file in the format of Lee-TM: lines `P x y` for a pad, `J x y x y` for a connection, `C x y x y` for a
 * chip with pads everywhere, `E` for the end; coordinates from 0 to BOARD_SIDE - 1. 0: error has a message, with the
 * line. */
int board_read(board *b, const char *path, char error[BOARD_ERROR]);

/* Random connections, the same in every run. 0: no memory. */
int board_generate(board *b, int side, long connections);

/* The smallest rectangle with both pins, and `margin` cells around it, as far as they are on the board. */
rectangle board_around(const board *b, const connection *c, int margin);

/* A board of its own with the cells of a rectangle: layer[k] points to its first row on layer k, whose rows are
 * b->columns cells apart. The new pads are the cells that are taken; there are no connections. 0: no memory. */
int board_cut(board *part, const board *b, rectangle r, unsigned char *const layer[LAYERS]);

void board_free(board *b);

/* Does every track lead from pin to pin, cell by cell, and share none with a pad or another track? -1: no memory. */
int board_verify(const board *b, const track *tracks);

/* A picture in PPM's format: pads grey, one layer red, the other one blue. 0: cannot be written. */
int board_draw(const board *b, const track *tracks, const char *path);

#endif
