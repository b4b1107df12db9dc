/* y += a * x on several devices: a distribution in blocks.
 *
 * DF_BLOCK(0) gives each part n / parts consecutive elements, and the first parts one more if there is a remainder: the
 * same for both vectors, so a part finds its elements of both on its device. Consecutive elements stay in the vector's
 * own memory, and only the devices copy: df_dist_scatter and df_dist_gather are for distributions where this is not so.
 * Parts are assigned to the devices in turn, however many there are; without devices the host computes.
 * Source: Yan et al., Supporting Multiple Accelerators in High-Level Programming Models, PMAM 2015, figure 1.
 *
 *     ./gpu_axpy [LENGTH [PARTS]]
 */
#define DF_USE_CUDA
#define DF_USE_OPENCL
#define DF_IMPLEMENTATION
#include "../df_gpu.h"

#include <stdio.h>
#include <stdlib.h>

enum { LONGEST = 100000000, MOST_PARTS = 1000 };

DF_KERNEL(axpy, (float, a), df_in(float, x, n), df_inout(float, y, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) y[i] += a * x[i];
})

static df_dist *in_blocks(float *v, long n, int parts)
{
    return df_dist_new(DF_DIST(.memory = v, .element = sizeof *v, .dim = { { .size = n, .split = DF_BLOCK(0) } },
                               .parts = { parts }));
}

int main(int argc, char **argv)
{
    char *end = "", *end1 = "";
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 1000000, parts = argc > 2 ? strtol(argv[2], &end1, 10) : 4;
    if (argc > 3 || *end || *end1 || n < 1 || n > LONGEST || parts < 1 || parts > MOST_PARTS) {
        fprintf(stderr, "usage: %s [LENGTH [PARTS]]    with LENGTH from 1 to %d, PARTS from 1 to %d\n", argv[0],
                LONGEST, MOST_PARTS);
        return 2;
    }
    float *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    df_dist *dx = in_blocks(x, n, (int)parts), *dy = in_blocks(y, n, (int)parts);
    if (!x || !y || !dx || !dy) {
        fprintf(stderr, "not enough memory for vectors of length %ld\n", n);
        return 2;
    }
    for (long i = 0; i < n; i++) {
        x[i] = (float)(i % 1000);
        y[i] = 1;
    }

    df_dist_scatter(dx);
    df_dist_scatter(dy);
    DF_FOR_PARTS(p, dy) {
        const df_part *q = df_dist_part(dx, p->index);
        df_launch_with(DF_OPTS(.device = p->device), axpy, df_grid(p->count[0]), 2, q->data, p->data, (int)p->count[0]);
    }
    df_dist_gather(dy);
    int correct = df_wait_result() == DF_OK;

    for (long i = 0; i < n; i++)
        correct = correct && y[i] == 1 + 2 * (float)(i % 1000);
    printf("y += 2 x, vectors of length %ld in %d parts: %s\n", n, df_dist_parts(dy), correct ? "correct" : "WRONG");
    df_dist_free(dx);
    df_dist_free(dy);
    free(x);
    free(y);
    return correct ? 0 : 1;
}
