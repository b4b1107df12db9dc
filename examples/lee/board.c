#include "board.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int board_new(board *b, int width, int height)   /* 0: no memory */
{
    *b = (board){ .width = width, .height = height, .columns = width + 2, .rows = height + 2 };
    b->pad = calloc((size_t)board_cells(b), 1);
    for (int y = 0; b->pad && y < LAYERS * b->rows; y++) {
        unsigned char *row = b->pad + (long)y * b->columns;
        int outside = y % b->rows == 0 || y % b->rows == b->rows - 1;
        memset(row, outside, (size_t)b->columns);
        row[0] = row[b->columns - 1] = 1;
    }
    return b->pad != NULL;
}

void board_free(board *b)
{
    free(b->pad);
    free(b->connection);
}

static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }

rectangle board_around(const board *b, const connection *c, int margin)
{
    int x = most(0, least(c->from.x, c->to.x) - margin), y = most(0, least(c->from.y, c->to.y) - margin);
    int end_x = least(b->width, most(c->from.x, c->to.x) + margin + 1);
    int end_y = least(b->height, most(c->from.y, c->to.y) + margin + 1);
    return (rectangle){ x, y, end_x - x, end_y - y };
}

int board_cut(board *part, const board *b, rectangle r, unsigned char *const layer[LAYERS])
{
    if (!board_new(part, r.width, r.height))
        return 0;
    for (int k = 0; k < LAYERS; k++)
        for (int y = 0; y < r.height; y++)
            memcpy(&part->pad[board_cell(part, k, (pin){ 0, y })], layer[k] + (long)y * b->columns, (size_t)r.width);
    return 1;
}

static void put_pad(board *b, pin p)
{
    for (int layer = 0; layer < LAYERS; layer++)
        b->pad[board_cell(b, layer, p)] = 1;
}

static int put_connection(board *b, pin from, pin to)   /* 0: no memory */
{
    if (b->connections == b->room) {
        long room = b->room ? 2 * b->room : 256;
        connection *more = realloc(b->connection, (size_t)room * sizeof *more);
        if (!more)
            return 0;
        b->connection = more;
        b->room = room;
    }
    put_pad(b, from);
    put_pad(b, to);
    b->connection[b->connections++] = (connection){ from, to };
    return 1;
}

static int by_length(const void *p, const void *q)
{
    const connection *a = p, *b = q;
    int ax = a->from.x - a->to.x, ay = a->from.y - a->to.y, bx = b->from.x - b->to.x, by = b->from.y - b->to.y;
    int difference = ax * ax + ay * ay - bx * bx - by * by;
    return difference ? difference
         : a->from.y != b->from.y ? a->from.y - b->from.y : a->from.x != b->from.x ? a->from.x - b->from.x
         : a->to.y != b->to.y ? a->to.y - b->to.y : a->to.x - b->to.x;
}

static void sort(board *b)
{
    if (b->connections > 0)
        qsort(b->connection, (size_t)b->connections, sizeof *b->connection, by_length);
}

int board_generate(board *b, int side, long connections)
{
    uint32_t random = 1;
    int done = board_new(b, side, side);
    while (done && b->connections < connections) {
        pin p[2];
        for (int i = 0; i < 4; i++) {
            random = random * 1664525u + 1013904223u;   /* Numerical Recipes, 7.1 */
            *(i % 2 ? &p[i / 2].y : &p[i / 2].x) = (int)(random >> 16) % side;
        }
        if (!b->pad[board_cell(b, 0, p[0])] && !b->pad[board_cell(b, 0, p[1])])
            done = put_connection(b, p[0], p[1]);
    }
    if (done)
        sort(b);
    else
        board_free(b);
    snprintf(b->name, sizeof b->name, "random board");
    return done;
}

/* --- files ----------------------------------------------------------------------------------------- */

static const char no_memory[] = "not enough memory";

/* Are n numbers in the text, all of them coordinates? */
static int coordinates(const char *s, int n, pin *p)
{
    char *end;
    for (int i = 0; i < n; i++, s = end) {
        long x = strtol(s, &end, 10);
        if (end == s || x < 0 || x >= BOARD_SIDE)
            return 0;
        *(i % 2 ? &p[i / 2].y : &p[i / 2].x) = (int)x;
    }
    return s[strspn(s, " \t\r\n")] == '\0';
}

/* A message for a wrong line, or NULL. */
static const char *read_line(board *b, const char *s)
{
    pin p[2];
    switch (*s) {
    case 'P':
        if (!coordinates(s + 1, 2, p))
            return "expected `P x y`, coordinates from 0 to 599";
        put_pad(b, p[0]);
        return NULL;
    case 'J':
        if (!coordinates(s + 1, 4, p))
            return "expected `J x y x y`, coordinates from 0 to 599";
        return put_connection(b, p[0], p[1]) ? NULL : no_memory;
    case 'C':
        if (!coordinates(s + 1, 4, p) || p[0].x > p[1].x || p[0].y > p[1].y)
            return "expected `C x y x y`, the first corner and the last, coordinates from 0 to 599";
        for (pin q = p[0]; q.y <= p[1].y; q.y++)
            for (q.x = p[0].x; q.x <= p[1].x; q.x++)
                put_pad(b, q);
        return NULL;
    default:
        return "expected a line that begins with P, J, C or E";
    }
}

int board_read(board *b, const char *path, char error[BOARD_ERROR])
{
    const char *slash = strrchr(path, '/'), *wrong = NULL;
    char line[200];
    long number = 0;
    int ended = 0;
    *b = (board){ .width = 0 };
    FILE *f = fopen(path, "r");
    if (!f) {
        snprintf(error, BOARD_ERROR, "%.200s: %.60s", path, strerror(errno));
        return 0;
    }
    if (!board_new(b, BOARD_SIDE, BOARD_SIDE))
        wrong = no_memory;
    while (!wrong && !ended && fgets(line, sizeof line, f)) {
        const char *s = line + strspn(line, " \t\r\n");
        number++;
        ended = *s == 'E';
        wrong = strlen(line) == sizeof line - 1 ? "the line is too long" : ended || !*s ? NULL : read_line(b, s);
    }
    if (!wrong && !ended)
        wrong = ferror(f) ? "cannot be read" : "the line `E` is missing";
    fclose(f);
    if (wrong) {
        snprintf(error, BOARD_ERROR, "%.150s:%ld: %.120s", path, number, wrong);
        board_free(b);
        return 0;
    }
    snprintf(b->name, sizeof b->name, "%.63s", slash ? slash + 1 : path);
    sort(b);
    return 1;
}

/* --- tracks ------------------------------------------------------------------------------------------ */

static int is_at(const board *b, int32_t cell, pin p)
{
    return cell % (b->rows * b->columns) == board_cell(b, 0, p);
}

static int are_neighbours(const board *b, int32_t p, int32_t q)
{
    /* no track enters the border: cells whose numbers differ by 1 are in the same row */
    int32_t d = p < q ? q - p : p - q;
    return d == 1 || d == b->columns || d == b->rows * b->columns;
}

int board_verify(const board *b, const track *tracks)
{
    unsigned char *taken = malloc((size_t)board_cells(b));
    int right = 1;
    if (!taken)
        return -1;
    memcpy(taken, b->pad, (size_t)board_cells(b));
    for (long k = 0; k < b->connections; k++) {
        const track *t = &tracks[k];
        if (t->count == 0)
            continue;
        right &= is_at(b, t->cell[0], b->connection[k].from) && is_at(b, t->cell[t->count - 1], b->connection[k].to);
        for (long i = 1; i < t->count; i++)
            right &= are_neighbours(b, t->cell[i - 1], t->cell[i]);
        for (long i = 1; i < t->count - 1; i++)
            right &= !taken[t->cell[i]]++;
    }
    free(taken);
    return right;
}

int board_draw(const board *b, const track *tracks, const char *path)
{
    long cells = (long)b->rows * b->columns;
    unsigned char *picture = malloc((size_t)cells * 3);
    FILE *f = picture ? fopen(path, "wb") : NULL;
    for (long i = 0; picture && i < cells; i++)
        memset(picture + 3 * i, b->pad[i] ? 150 : 20, 3);
    for (long k = 0; picture && k < b->connections; k++)
        for (long i = 1; i < tracks[k].count - 1; i++) {
            long cell = tracks[k].cell[i];
            picture[3 * (cell % cells) + (cell < cells ? 0 : 2)] = 240;
        }
    int done = f && fprintf(f, "P6\n%d %d\n255\n", b->columns, b->rows) > 0
        && fwrite(picture, 3, (size_t)cells, f) == (size_t)cells;
    free(picture);
    return f && fclose(f) == 0 && done;
}
