/* The fast Fourier transform, radix 2, twice: recursive by spawn, iterative by loops.
 *
 * The recursive one transforms the elements with even and those with odd numbers, one half spawned,
 * and combines them. The iterative one brings the elements into the order of their reversed bits and
 * then does the same from the short transforms to the long ones: log2 n loops over n/2 butterflies.
 * Source: Cooley and Tukey, 1965; Cilk's and BOTS' fft.
 *
 *     ./fft [BITS]        2^BITS elements
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SERIAL = 1024, DEFAULT_BITS = 15, MOST_BITS = 26 };   /* a transform of 1024 takes 13 us */

typedef double complex number;

/* The product without C's treatment of infinite parts, with which * takes 2.5 times as long. */
static number times(number a, number b)
{
    return creal(a) * creal(b) - cimag(a) * cimag(b)
        + (creal(a) * cimag(b) + cimag(a) * creal(b)) * _Complex_I;
}

/* The first n/2 n-th roots of unity; backward: their inverses. */
DF_LOOP(fill_roots, (number *, w), (long, n), (int, backward));
void fill_roots(long lo, long hi, number *w, long n, int backward)
{
    double turn = (backward ? 2 : -2) * acos(-1) / (double)n;
    for (long k = lo; k < hi; k++)
        w[k] = cos(turn * (double)k) + sin(turn * (double)k) * _Complex_I;
}

static void butterfly(number *a, number *b, number w)
{
    number t = times(*b, w);
    *b = *a - t;
    *a += t;
}

/* --- recursive ------------------------------------------------------------------------------- */

/* out: the transform of the n elements in[0], in[stride], ...; w has the roots for n * stride. */
DF_TASK(void, fft, (const number *, in), (number *, out), (long, n), (long, stride), (const number *, w));
void fft(const number *in, number *out, long n, long stride, const number *w)
{
    long h = n / 2;
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    if (n <= SERIAL) {
        fft(in, out, h, 2 * stride, w);
        fft(in + stride, out + h, h, 2 * stride, w);
    } else {
        df_future(fft) even;
        df_spawn(fft, &even, in, out, h, 2 * stride, w);
        fft(in + stride, out + h, h, 2 * stride, w);
        df_sync(fft, &even);
    }
    for (long k = 0; k < h; k++)
        butterfly(&out[k], &out[h + k], w[k * stride]);
}

/* --- iterative ------------------------------------------------------------------------------- */

DF_LOOP(reverse_bits, (const number *, in), (number *, out), (int, bits));
void reverse_bits(long lo, long hi, const number *in, number *out, int bits)
{
    for (long i = lo; i < hi; i++) {
        long r = 0;
        for (int b = 0; b < bits; b++)
            r |= (i >> b & 1) << (bits - 1 - b);
        out[i] = in[r];
    }
}

/* Makes transforms of length 2h out of two of length h: butterfly i is number i % h of the i / h-th. */
DF_LOOP(butterflies, (number *, x), (long, h), (long, n), (const number *, w));
void butterflies(long lo, long hi, number *x, long h, long n, const number *w)
{
    for (long i = lo; i < hi; i++) {
        long k = i & (h - 1), a = 2 * (i - k) + k;
        butterfly(&x[a], &x[a + h], w[k * (n / (2 * h))]);
    }
}

static void fft_by_loops(const number *in, number *out, int bits, const number *w)
{
    long n = 1L << bits;
    df_for(reverse_bits, 0, n, in, out, bits);
    for (long h = 1; h < n; h *= 2)
        df_for(butterflies, 0, n / 2, out, h, n, w);
}

/* --- checks ---------------------------------------------------------------------------------- */

/* The largest distance between x[i] * scale and y[i]. */
static double distance(const number *x, double scale, const number *y, long n)
{
    double largest = 0;
    for (long i = 0; i < n; i++)
        largest = fmax(largest, cabs(x[i] * scale - y[i]));
    return largest;
}

int main(int argc, char **argv)
{
    char *end = "";
    long bits = argc > 1 ? strtol(argv[1], &end, 10) : DEFAULT_BITS;
    if (argc > 2 || *end || bits < 1 || bits > MOST_BITS) {
        fprintf(stderr, "usage: %s [BITS]    with BITS from 1 to %d: 2^BITS elements\n", argv[0], MOST_BITS);
        return 2;
    }
    long n = 1L << bits;
    number *part[6];
    for (int k = 0; k < 6; k++)
        if (!(part[k] = malloc((size_t)n * sizeof(number)))) {
            fprintf(stderr, "not enough memory for 2^%ld elements\n", bits);
            return 2;
        }
    number *signal = part[0], *x = part[1], *y = part[2], *back = part[3], *w = part[4], *inverse = part[5];
    df_for(fill_roots, 0, n / 2, w, n, 0);
    df_for(fill_roots, 0, n / 2, inverse, n, 1);
    double tolerance = 1e-15 * (double)bits * 10;   /* the error grows with log2 n; the elements are at most 1 */

    unsigned random = 1;
    for (long i = 0; i < n; i++) {
        random = random * 1664525u + 1013904223u;
        signal[i] = (double)random / 4294967296.0 - 0.5 + (double)(random >> 8 & 255) / 512 * _Complex_I;
    }
    fft(signal, x, n, 1, w);
    fft_by_loops(signal, y, (int)bits, w);
    int same = distance(x, 1, y, n) <= tolerance * (double)n;
    fft(x, back, n, 1, inverse);
    int recursive = distance(back, 1 / (double)n, signal, n) <= tolerance;
    fft_by_loops(y, back, (int)bits, inverse);
    int iterative = distance(back, 1 / (double)n, signal, n) <= tolerance;

    /* a pure tone that goes round `tone` times: one line of height n, and nothing else */
    long tone = n / 3, line = 0, lines = 0;
    for (long i = 0; i < n; i++) {
        long k = i * tone % n;
        signal[i] = k < n / 2 ? inverse[k] : -inverse[k - n / 2];
    }
    fft_by_loops(signal, x, (int)bits, w);
    for (long i = 0; i < n; i++)
        if (cabs(x[i]) > tolerance * (double)n) {
            line = i;
            lines++;
        }
    int pure = lines == 1 && line == tone && fabs(cabs(x[line]) / (double)n - 1) <= tolerance;

    printf("%ld elements\n", n);
    printf("recursive, and back: %s\n", recursive ? "correct" : "WRONG");
    printf("by loops, and back: %s\n", iterative ? "correct" : "WRONG");
    printf("both give the same transform: %s\n", same ? "correct" : "WRONG");
    printf("a pure tone, %ld times round, has %ld line at %ld: %s\n", tone, lines, line, pure ? "correct" : "WRONG");
    for (int k = 0; k < 6; k++)
        free(part[k]);
    return recursive && iterative && same && pure ? 0 : 1;
}
