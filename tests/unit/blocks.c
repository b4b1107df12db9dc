/* blocks.c - 2-D blocks with a leading dimension: overlapping tiles, column-major, different ld */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { ROWS = 24, COLS = 20, LD = 32 };
static uint64_t m[ROWS * LD];

/* row-major: element (i, j) at p[i * ld + j] */
DF_TASK(void, tile, df_inout2(uint64_t, p, rows, cols, ld), (int, rows), (int, cols), (int, ld), (int, k));
void tile(uint64_t *p, int rows, int cols, int ld, int k)
{
    uint64_t h = (uint64_t)k;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) h = p[i * ld + j] = test_mix(p[i * ld + j], h);
}
/* column-major: element (i, j) at p[j * ld + i]: rows and cols swap */
DF_TASK(void, tile_by_columns, df_inout2(uint64_t, p, cols, rows, ld), (int, rows), (int, cols), (int, ld), (int, k));
void tile_by_columns(uint64_t *p, int rows, int cols, int ld, int k)
{
    uint64_t h = (uint64_t)k;
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) h = p[j * ld + i] = test_mix(p[j * ld + i], h);
}
/* C += A * B on blocks of one matrix */
DF_TASK(void, gemm, df_in2(uint64_t, a, n, n, LD), df_in2(uint64_t, b, n, n, LD), df_inout2(uint64_t, c, n, n, LD),
        (int, n));
void gemm(const uint64_t *a, const uint64_t *b, uint64_t *c, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) c[i * LD + j] += a[i * LD + k] * b[k * LD + j];
}
DF_TASK(void, copy, df_in2(uint64_t, from, rows, cols, LD), df_out2(uint64_t, to, rows, cols, cols), (int, rows),
        (int, cols));
void copy(const uint64_t *from, uint64_t *to, int rows, int cols)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) to[i * cols + j] = from[i * LD + j];
}
DF_TASK(void, row, df_inout(uint64_t, p, n), (int, n), (int, k));
void row(uint64_t *p, int n, int k) { tile(p, 1, n, n, k); }

static void reset(void)
{
    for (int i = 0; i < ROWS * LD; i++) m[i] = (uint64_t)i;
}

static void show(const char *name)
{
    uint64_t h = 0;
    for (int i = 0; i < ROWS * LD; i++) h = test_mix(h, m[i]);
    printf("%s %016llx\n", name, (unsigned long long)h);
}

int main(void)
{
    reset();
    DF_PARALLEL { /* tiles of 5 x 5, every 3 elements: each overlaps its neighbours */
        for (int k = 0; k < 3; k++)
            for (int i = 0; i + 5 <= ROWS; i += 3)
                for (int j = 0; j + 5 <= COLS; j += 3) df_submit(tile, &m[i * LD + j], 5, 5, LD, k);
    }
    show("overlapping tiles");

    reset();
    DF_PARALLEL { /* disjoint tiles whose address intervals interleave */
        for (int k = 0; k < 5; k++)
            for (int i = 0; i < ROWS; i += 4)
                for (int j = 0; j < COLS; j += 4) df_submit(tile, &m[i * LD + j], 4, 4, LD, k);
    }
    show("disjoint tiles");

    reset();
    DF_PARALLEL { /* rows, columns, ranges and blocks of another leading dimension on the same memory */
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < ROWS; i += 2) df_submit(row, &m[i * LD], LD, k);
            for (int j = 0; j < LD; j += 3) df_submit(tile, &m[j], ROWS, 1, LD, k);
            for (int j = 0; j + 7 < COLS; j += 5) df_submit(tile, &m[j], ROWS * LD / 24, 7, 24, k);
            df_submit(row, &m[100], 50, k);
            df_submit(tile, &m[5], 40, 1, 17, k);
            df_submit(tile, &m[3 * LD], 4, LD, LD, k); /* full rows: contiguous */
        }
    }
    show("different ld");

    reset();
    DF_PARALLEL {
        for (int k = 0; k < 3; k++)
            for (int j = 0; j + 6 <= ROWS; j += 4)
                for (int i = 0; i + 6 <= COLS; i += 4) {
                    df_submit(tile_by_columns, &m[j * LD + i], 6, 6, LD, k);
                    df_submit(tile, &m[j * LD + i], 2, 2, LD, k);
                }
    }
    show("column-major");

    reset();
    uint64_t part[4][16];
    DF_PARALLEL {
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    df_submit(gemm, &m[4 * (i * LD + k)], &m[4 * (k * LD + j)], &m[4 * (i * LD + j)], 4);
        for (int k = 0; k < 4; k++) df_submit(copy, &m[4 * k * (LD + 1)], part[k], 4, 4);
        df_submit(tile, m, 16, 16, LD, 1);
    }
    show("gemm");
    uint64_t h = 0;
    for (int i = 0; i < 64; i++) h = test_mix(h, part[i / 16][i % 16]);
    printf("copied %016llx\n", (unsigned long long)h);
}
