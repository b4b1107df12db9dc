/* The dot product of two vectors: a parallel loop that reduces.
 *
 * DF_LOOP declares a function that does the iterations lo .. hi-1. df_for calls it for parts of the
 * range, on several workers at the same time, and returns when all are done. df_reduce: each call
 * adds to *sum itself or to a copy that began as 0, and df adds the copies up.
 *
 * The order of these additions differs from run to run, and with it the last bits of a sum of
 * doubles. With .deterministic the bits are always the same, with any number of workers.
 * Source: OpenMP's reduction; MetaFork's meta_for (thesis, 3).
 *
 *     ./10_dot_product [LENGTH]
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 100000000 };

DF_LOOP(dot, (long, n), df_in(double, x, n), df_in(double, y, n), df_reduce(df_sum, double, sum, 1));
void dot(long lo, long hi, long n, const double *x, const double *y, double *sum)
{
    double part = 0;
    (void)n;
    for (long i = lo; i < hi; i++)
        part += x[i] * y[i];
    *sum += part;
}

int main(int argc, char **argv)
{
    char *end = "";
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 1000000;
    if (argc > 2 || *end || n < 1 || n > LONGEST) {
        fprintf(stderr, "usage: %s [LENGTH]    with LENGTH from 1 to %d\n", argv[0], LONGEST);
        return 2;
    }
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    if (!x || !y) {
        fprintf(stderr, "not enough memory for vectors of length %ld\n", n);
        return 2;
    }
    for (long i = 0; i < n; i++) {
        x[i] = 1.0 / (double)(i + 1);
        y[i] = 1.0 / (double)(i + 2);
    }
    double expected = (double)n / (double)(n + 1);   /* 1/(1*2) + 1/(2*3) + ... + 1/(n*(n+1)) */

    double sum = 0;
    df_for(dot, 0, n, n, x, y, &sum);

    double first = 0;
    int same = 1;
    for (int workers = 1; workers <= 4; workers++) {
        df_stop();                                   /* the next construct starts the pool again, */
        df_start(DF_CONFIG(.workers = workers));   /* here with another number of workers */
        for (int run = 0; run < 5; run++) {
            double again = 0;
            df_for_with(DF_LOOP_OPTS(.deterministic = 1), dot, 0, n, n, x, y, &again);
            if (workers == 1 && run == 0)
                first = again;
            same = same && memcmp(&again, &first, sizeof first) == 0;
        }
    }
    free(x);
    free(y);

    int correct = fabs(sum - expected) < 1e-11 && fabs(first - expected) < 1e-11;
    printf("the dot product of two vectors of length %ld is %.6f: %s\n", n, sum,
           correct ? "correct" : "WRONG");
    printf("the deterministic one, 5 times with 1 to 4 workers: %s\n",
           same ? "always the same bits" : "NOT THE SAME BITS");
    return correct && same ? 0 : 1;
}
