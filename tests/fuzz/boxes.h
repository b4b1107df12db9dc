/* boxes.h - random parts of a memory of cells, and declarations of tasks that access three of them
 *
 * A program defines LD, a leading dimension that many blocks shall have in common, before it includes this file, and
 * `struct plan` with the boxes a, b and c, and body(), before it uses KIND. */
#ifndef TESTS_FUZZ_BOXES_H
#define TESTS_FUZZ_BOXES_H

#include <stdint.h>
#include <string.h>
#include "df.h"
#include "../test.h"

typedef uint32_t cell;

/* `rows` rows of `cols` cells, `ld` apart, from cell `at` of the memory; no rows: nothing. `style`: the program's. */
struct box { int at, rows, cols, ld, style; };
static const struct box nothing = { 0, 0, 1, 1, 0 };

#define BOX(x) s.x.rows, s.x.cols, s.x.ld
#define FLAT(x) s.x.rows *s.x.cols
/* A task of the kind `name`, which reads a, and accesses b and c as B and C say. */
#define KIND(name, A, B, C)                                \
    DF_STATIC_TASK(void, name, (struct plan, s), A, B, C); \
    static void name(struct plan s, const cell *a, cell *b, cell *c) { body(s, a, b, c); }

/* A part of the range of n cells from `at`: a range, or a block of any leading dimension. */
static inline struct box part_of_range(uint64_t *seed, int at, int n, int most)
{
    struct box x = { at, 1, 1, 1, 0 };
    int length = 1 + test_below(seed, n < most ? n : most);
    x.at += test_below(seed, n - length + 1);
    x.cols = length;
    if (test_below(seed, 3) == 0) return x;
    x.ld = test_below(seed, 2) ? LD : 1 + test_below(seed, 40);
    x.cols = 1 + test_below(seed, x.ld < 9 ? x.ld : 9);
    x.rows = 1 + test_below(seed, 8);
    while (x.rows > 1 && (x.rows - 1) * x.ld + x.cols > at + n - x.at) x.rows--;
    if (x.cols > at + n - x.at) x.cols = at + n - x.at;
    return x;
}

/* A part of x of about `most` cells: fewer rows and columns, every second row, one row, or all of it. */
static inline struct box part_of(uint64_t *seed, struct box x, int most)
{
    struct box y = x;
    int i, j;
    if (x.rows == 0 || test_below(seed, 20) == 0) return nothing;
    if (test_below(seed, 4) == 0 && x.rows * x.cols <= most) return x;
    if (x.rows == 1) return part_of_range(seed, x.at, x.cols, most);
    i = test_below(seed, x.rows), j = test_below(seed, x.cols);
    y.at += i * x.ld + j;
    y.rows = 1 + test_below(seed, x.rows - i);
    y.cols = 1 + test_below(seed, x.cols - j);
    if (y.rows > 2 && test_below(seed, 4) == 0) y.rows = (y.rows + 1) / 2, y.ld *= 2;
    while (y.rows * y.cols > most) y.rows > 1 ? y.rows-- : y.cols--;
    return y;
}

/* Have x and y a cell in common? */
static inline int meet(struct box x, struct box y)
{
    int i, j;
    for (i = 0; i < x.rows; i++)
        for (j = 0; j < y.rows; j++) {
            int p = x.at + i * x.ld, q = y.at + j * y.ld;
            if (p < q + y.cols && q < p + x.cols) return 1;
        }
    return 0;
}

/* h with the cells of x, which begins at p. */
static inline uint64_t read_box(uint64_t h, struct box x, const cell *p)
{
    int i, j;
    for (i = 0; i < x.rows; i++)
        for (j = 0; j < x.cols; j++) h = test_mix(h, p[i * x.ld + j]);
    return h;
}

#endif
