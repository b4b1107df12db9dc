/* A bank of filters: streams with several readers, with look-ahead, and their sum.
 *
 * One stream of samples has a reader for each of eight filters: every reader gets all samples. A filter computes a
 * sample from TAPS samples and removes one: it declares df_peek with a horizon of n + TAPS - 1 and a burst of n. The
 * task `mix` takes n samples of each of eight streams at once, df_popv, and adds them up with a gain for each.
 *
 * Numbers are integers, and the result is that of a plain convolution.
 *
 *     ./fir_bank                 65 536 samples made here
 *     ./fir_bank SAMPLES
 *     ./fir_bank FILE            its bytes are the samples
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BANDS = 8, TAPS = 64, BURST = 512, CAPACITY = 8 * BURST, MOST = 1 << 26 };

typedef struct {
    int tap[BANDS][TAPS], gain[BANDS];
} bank;

/* --- by streams ------------------------------------------------------------------------------- */

DF_TASK(void, source, (long, n), df_in(int, from, n), df_push(int, to, n));
void source(long n, const int *from, int *to)
{
    for (long i = 0; i < n; i++)
        to[i] = from[i];
}

DF_TASK(void, filter, (long, n), (const int *, tap), df_peek(int, from, n + TAPS - 1, n),
        df_push(long, to, n));
void filter(long n, const int *tap, const int *from, long *to)
{
    for (long i = 0; i < n; i++) {
        long sum = 0;
        for (long k = 0; k < TAPS; k++)
            sum += tap[k] * (long)from[i + k];
        to[i] = sum;
    }
}

DF_TASK(void, mix, (long, n), (const int *, gain), df_popv(long, band, n, BANDS), df_out(long, to, n));
void mix(long n, const int *gain, const long *const *band, long *to)
{
    for (long i = 0; i < n; i++) {
        to[i] = 0;
        for (int b = 0; b < BANDS; b++)
            to[i] += gain[b] * band[b][i];
    }
}

/* out[i], i < n, of in[i] to in[i + TAPS - 1]. Returns 0 without memory. */
static int filter_by_streams(const bank *f, long n, const int *in, long *out)
{
    df_stream *samples[BANDS], *bands[BANDS];   /* samples: the readers of one stream */
    int all = 1;
    for (int b = 0; b < BANDS; b++) {
        samples[b] = b == 0 ? df_stream_new(sizeof(int), CAPACITY) : df_stream_reader(samples[0]);
        bands[b] = df_stream_new(sizeof(long), CAPACITY);
        all = all && samples[b] && bands[b];
    }
    if (all) {
        DF_PARALLEL {
            df_submit(source, TAPS - 1, in, samples[0]);   /* so that the filters can look ahead */
            for (long i = 0; i < n; i += BURST) {
                long burst = n - i < BURST ? n - i : BURST;
                df_submit(source, burst, in + i + TAPS - 1, samples[0]);
                for (int b = 0; b < BANDS; b++)
                    df_submit(filter, burst, f->tap[b], samples[b], bands[b]);
                df_submit(mix, burst, f->gain, bands, out + i);
            }
        }
    }
    for (int b = BANDS - 1; b >= 0; b--) {
        df_stream_free(bands[b]);
        df_stream_free(samples[b]);
    }
    return all;
}

/* --- the program ------------------------------------------------------------------------------ */

static void convolve(const bank *f, long n, const int *in, long *out)
{
    for (long i = 0; i < n; i++) {
        out[i] = 0;
        for (int b = 0; b < BANDS; b++) {
            long sum = 0;
            for (int k = 0; k < TAPS; k++)
                sum += (long)f->tap[b][k] * in[i + k];
            out[i] += f->gain[b] * sum;
        }
    }
}

static int random_number(int below)
{
    static unsigned random = 1;
    random = random * 1664525u + 1013904223u;
    return (int)((random >> 8) % (unsigned)below);
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    static bank f;
    char *end = "";
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 1 << 16;
    FILE *file = *end ? fopen(argv[1], "rb") : NULL;
    if (argc > 2 || (!*end && (n < 1 || n > MOST))) {
        fprintf(stderr, "usage: fir_bank [SAMPLES | FILE]    with SAMPLES from 1 to %d\n", MOST);
        return 2;
    }
    if (file && fseek(file, 0, SEEK_END) == 0)
        n = ftell(file);
    if (*end && (!file || n < 1 || n > MOST || fseek(file, 0, SEEK_SET) != 0)) {
        fprintf(stderr, "fir_bank: %s cannot be read, is empty, or longer than %d bytes\n", argv[1],
                MOST);
        if (file)
            fclose(file);
        return 2;
    }
    int *in = calloc((size_t)n + TAPS - 1, sizeof *in);   /* zeros come first */
    long *out = malloc((size_t)n * sizeof *out), *expected = malloc((size_t)n * sizeof *expected);
    for (long i = 0; in && i < n; i++)
        in[TAPS - 1 + i] = file ? getc(file) - 128 : random_number(256) - 128;
    for (int b = 0; b < BANDS; b++) {
        f.gain[b] = b + 1;
        for (int k = 0; k < TAPS; k++)
            f.tap[b][k] = random_number(2000) - 1000;
    }

    df_start(NULL);   /* would start by itself; the time is for the streams only */
    double start = now();
    if (!in || !out || !expected || !filter_by_streams(&f, n, in, out)) {
        fprintf(stderr, "fir_bank: not enough memory for %ld samples\n", n);
        return 2;
    }
    double seconds = now() - start;
    start = now();
    convolve(&f, n, in, expected);
    unsigned long checksum = 0;
    int right = 1;
    for (long i = 0; i < n; i++) {
        checksum = checksum * 31 + (unsigned long)out[i];
        right &= out[i] == expected[i];
    }
    printf("%ld samples, %d filters of %d taps: checksum %08lx\n", n, BANDS, TAPS, checksum & 0xffffffff);
    printf("%s\n", right ? "as by a plain convolution" : "WRONG: not as by a plain convolution");
    printf("time        %.4f s, plain convolution %.4f s\n", seconds, now() - start);
    printf("workers     %d\n", df_workers());
    if (file)
        fclose(file);
    free(in);
    free(out);
    free(expected);
    return right ? 0 : 1;
}
