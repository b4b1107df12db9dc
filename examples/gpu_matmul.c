/* C = A B on several devices, distributed in three ways.
 *
 *     rows      a part has rows of A and C, and all of B
 *     columns   a part has all of A, and columns of B and C
 *     both      parts are arranged in two dimensions: rows of A along the first, columns of B along the second
 *               (.along), blocks of C
 *
 * Each part has a copy of the data that a dimension of the arrangement does not divide. A and B are only read
 * (.read_only): such parts share their memory in the host, and only the devices have copies. .blocks: the kernel
 * declares blocks of matrices with a leading dimension, so parts may lie in the matrices themselves, and the drivers of
 * the devices copy the columns from the rows.
 * Source: Yan et al., Supporting Multiple Accelerators in High-Level Programming Models, PMAM 2015, section 5.2.
 *
 *     ./gpu_matmul [ORDER [PARTS]]
 */
#define DF_USE_CUDA
#define DF_USE_OPENCL
#define DF_IMPLEMENTATION
#include "../df_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 8192, MOST_PARTS = 1000 };

DF_KERNEL(multiply, df_in2(float, a, m, k, lda), df_in2(float, b, k, n, ldb), df_out2(float, c, m, n, ldc), (int, m),
          (int, n), (int, k), (int, lda), (int, ldb), (int, ldc),
{
    int i = df_global_id(1), j = df_global_id(0);
    float sum = 0;
    if (i >= m || j >= n) return;
    for (int l = 0; l < k; l++) sum += a[i * lda + l] * b[l * ldb + j];
    c[i * ldc + j] = sum;
})

typedef struct {
    const char *name;
    int parts[3];
    df_dist_dim a[2], b[2], c[2];   /* how their dimensions are divided */
} distribution;

static df_dist *divide(float *x, long n, const int *parts, const df_dist_dim *dim, int read_only)
{
    df_dist_desc d = { .memory = x, .element = sizeof *x, .blocks = 1, .read_only = read_only };
    memcpy(d.parts, parts, sizeof d.parts);
    memcpy(d.dim, dim, 2 * sizeof *dim);
    d.dim[0].size = d.dim[1].size = n;
    return df_dist_new(&d);
}

/* 0 without memory, or if a launch failed */
static int multiply_distributed(const distribution *how, long n, float *a, float *b, float *c)
{
    df_dist *da = divide(a, n, how->parts, how->a, 1), *db = divide(b, n, how->parts, how->b, 1);
    df_dist *dc = divide(c, n, how->parts, how->c, 0);
    int done = da && db && dc;
    if (done) {
        df_dist_scatter(da);
        df_dist_scatter(db);
    }
    DF_FOR_PARTS(p, dc) {
        const df_part *q = df_dist_part(da, p->index), *r = df_dist_part(db, p->index);
        df_launch_with(DF_OPTS(.device = p->device), multiply, df_grid2(p->count[1], p->count[0], 0, 0), q->data,
                       r->data, p->data, (int)p->count[0], (int)p->count[1], (int)n, (int)q->stride[0],
                       (int)r->stride[0], (int)p->stride[0]);
    }
    if (done) {
        df_dist_gather(dc);
        done = df_wait_result() == DF_OK;
    }
    df_dist_free(da);
    df_dist_free(db);
    df_dist_free(dc);
    return done;
}

int main(int argc, char **argv)
{
    char *end = "", *end1 = "";
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 150, parts = argc > 2 ? strtol(argv[2], &end1, 10) : 4;
    if (argc > 3 || *end || *end1 || n < 1 || n > LARGEST || parts < 1 || parts > MOST_PARTS) {
        fprintf(stderr, "usage: %s [ORDER [PARTS]]    with ORDER from 1 to %d, PARTS from 1 to %d\n", argv[0], LARGEST,
                MOST_PARTS);
        return 2;
    }
    int p = (int)parts, correct = 1;
    distribution how[3] = {
        { "rows", { p }, { { .split = DF_BLOCK(0) } }, { { 0 } }, { { .split = DF_BLOCK(0) } } },
        { "columns", { p }, { { 0 } }, { { 0 }, { .split = DF_BLOCK(0) } }, { { 0 }, { .split = DF_BLOCK(0) } } },
        { "both", { 0 }, { { .split = DF_BLOCK(0) } }, { { 0 }, { .split = DF_BLOCK(0), .along = 2 } },
          { { .split = DF_BLOCK(0) }, { .split = DF_BLOCK(0) } } },
    };
    df_dist_arrange(p, 2, how[2].parts);
    size_t bytes = (size_t)n * (size_t)n * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
    if (!a || !b || !c) {
        fprintf(stderr, "not enough memory for matrices of order %ld\n", n);
        return 2;
    }
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            a[i * n + j] = (float)(j == (i + 1) % n ? 2 : 0);   /* so C is 2 B, its rows moved up by one */
            b[i * n + j] = (float)((i * n + j) % 1000);
        }
    for (int h = 0; h < 3; h++) {
        memset(c, 0, bytes);
        correct = multiply_distributed(&how[h], n, a, b, c) && correct;
        for (long i = 0; i < n && correct; i++)
            for (long j = 0; j < n; j++)
                correct = correct && c[i * n + j] == 2 * b[(i + 1) % n * n + j];
    }
    printf("matrices of order %ld by %s, by %s and by %s, %d parts each: %s\n", n, how[0].name, how[1].name,
           how[2].name, p, correct ? "correct" : "WRONG");
    free(a);
    free(b);
    free(c);
    return correct ? 0 : 1;
}
