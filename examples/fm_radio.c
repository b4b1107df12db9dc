/* A radio in software: a chain of filters connected by streams.
 *
 *     antenna -> low pass, 1 of 4 samples -> demodulator -> equaliser of 8 bands -> sound
 *
 * Every arrow is a stream, and every word a kind of task. The low pass reads 64 samples for each that it writes, and
 * removes four: the rates of its streams differ. The demodulator looks one sample ahead. The bands of the equaliser are
 * readers of one stream, and their results are added up by a task that reads eight streams. Parts of the chain run at
 * the same time, and so do, in each part, tasks for different samples.
 *
 * A stream with look-ahead begins with as many zeros, the samples before the first one. The result is that of plain
 * loops, bit by bit.
 * Source: FMRadio, one of the benchmarks of StreamIt (Thies and Amarasinghe, PACT 2010).
 *
 *     ./fm_radio                 32 768 samples of sound, from two tones that are sent here
 *     ./fm_radio SAMPLES
 *     ./fm_radio FILE            what an antenna received: its bytes are samples
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    RATE = 256000, CARRIER = 16000, CUTOFF = 24000,   /* Hz; the carrier is a quarter of SOUND_RATE: */
    DECIMATION = 4, SOUND_RATE = RATE / DECIMATION,   /* see demodulated */
    TAPS = 64, BANDS = 8, LOWEST = 500, HIGHEST = 16000,
    BURST = 256, CAPACITY = 8 * DECIMATION * BURST, MOST = 1 << 24
};

typedef struct {
    float low_pass[TAPS], band[BANDS][TAPS];
} radio;

/* --- operations on one sample ----------------------------------------------------------------- */

static float filtered(const float *tap, const float *x)
{
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += tap[k] * x[k];
    return sum;
}

/* The product of cosines a quarter of a turn apart is a constant, the offset of the frequency, and a
 * term of twice the frequency, which no band lets through. */
static float demodulated(const float *x)
{
    return atanf(x[0] * x[1]);
}

/* --- the chain -------------------------------------------------------------------------------- */

DF_TASK(void, silence, (long, n), df_push(float, to, n));
void silence(long n, float *to)
{
    for (long i = 0; i < n; i++)
        to[i] = 0;
}

DF_TASK(void, antenna, (long, n), df_in(float, air, n), df_push(float, to, n));
void antenna(long n, const float *air, float *to)
{
    memcpy(to, air, (size_t)n * sizeof *to);
}

DF_TASK(void, low_pass, (long, n), (const float *, tap),
        df_peek(float, from, DECIMATION * (n - 1) + TAPS, DECIMATION * n), df_push(float, to, n));
void low_pass(long n, const float *tap, const float *from, float *to)
{
    for (long i = 0; i < n; i++)
        to[i] = filtered(tap, from + DECIMATION * i);
}

DF_TASK(void, demodulate, (long, n), df_peek(float, from, n + 1, n), df_push(float, to, n));
void demodulate(long n, const float *from, float *to)
{
    for (long i = 0; i < n; i++)
        to[i] = demodulated(from + i);
}

DF_TASK(void, equalise, (long, n), (const float *, tap), df_peek(float, from, n + TAPS - 1, n),
        df_push(float, to, n));
void equalise(long n, const float *tap, const float *from, float *to)
{
    for (long i = 0; i < n; i++)
        to[i] = filtered(tap, from + i);
}

DF_TASK(void, sound, (long, n), df_popv(float, band, n, BANDS), df_out(float, out, n));
void sound(long n, const float *const *band, float *out)
{
    for (long i = 0; i < n; i++) {
        out[i] = 0;
        for (int b = 0; b < BANDS; b++)
            out[i] += band[b][i];
    }
}

/* n samples of sound from DECIMATION times as many in `air`. Returns 0 without memory. */
static int receive(const radio *r, long n, const float *air, float *out)
{
    df_stream *received = df_stream_new(sizeof(float), CAPACITY);
    df_stream *channel = df_stream_new(sizeof(float), CAPACITY);
    df_stream *audio[BANDS], *band[BANDS];   /* audio: the readers of one stream */
    int all = received && channel;
    for (int b = 0; b < BANDS; b++) {
        audio[b] = b == 0 ? df_stream_new(sizeof(float), CAPACITY) : df_stream_reader(audio[0]);
        band[b] = df_stream_new(sizeof(float), CAPACITY);
        all = all && audio[b] && band[b];
    }
    if (all) {
        DF_PARALLEL {
            df_submit(silence, TAPS - DECIMATION, received);
            df_submit(silence, 1, channel);
            df_submit(silence, TAPS - 1, audio[0]);
            for (long i = 0; i < n; i += BURST) {
                long burst = n - i < BURST ? n - i : BURST;
                df_submit(antenna, DECIMATION * burst, air + DECIMATION * i, received);
                df_submit(low_pass, burst, r->low_pass, received, channel);
                df_submit(demodulate, burst, channel, audio[0]);
                for (int b = 0; b < BANDS; b++)
                    df_submit(equalise, burst, r->band[b], audio[b], band[b]);
                df_submit(sound, burst, band, out + i);
            }
        }
    }
    for (int b = BANDS - 1; b >= 0; b--) {
        df_stream_free(band[b]);
        df_stream_free(audio[b]);
    }
    df_stream_free(channel);
    df_stream_free(received);
    return all;
}

/* --- the same by plain loops ------------------------------------------------------------------ */

static int receive_plainly(const radio *r, long n, const float *air, float *out)
{
    float *received = calloc((size_t)(DECIMATION * n + TAPS), sizeof(float));
    float *channel = calloc((size_t)n + 1, sizeof(float));
    float *audio = calloc((size_t)n + TAPS, sizeof(float));
    int all = received && channel && audio;
    if (all) {
        memcpy(received + TAPS - DECIMATION, air, DECIMATION * (size_t)n * sizeof *air);
        for (long i = 0; i < n; i++)
            channel[1 + i] = filtered(r->low_pass, received + DECIMATION * i);
        for (long i = 0; i < n; i++)
            audio[TAPS - 1 + i] = demodulated(channel + i);
        for (long i = 0; i < n; i++) {
            out[i] = 0;
            for (int b = 0; b < BANDS; b++)
                out[i] += filtered(r->band[b], audio + i);
        }
    }
    free(received);
    free(channel);
    free(audio);
    return all;
}

/* --- the program ------------------------------------------------------------------------------ */

static const double pi = 3.14159265358979323846;

/* Adds gain times a filter for frequencies below `cutoff`, both in Hz: sin x / x in Hamming's window. */
static void add_low_pass(float *tap, double gain, double cutoff, double rate)
{
    for (int i = 0; i < TAPS; i++) {
        double x = i - 0.5 * (TAPS - 1), window = 0.54 - 0.46 * cos(2 * pi * i / (TAPS - 1));
        tap[i] += (float)(gain * window * sin(2 * pi * cutoff / rate * x) / (pi * x));
    }
}

static radio tune(void)
{
    radio r = { { 0 }, { { 0 } } };
    add_low_pass(r.low_pass, 1, CUTOFF, RATE);
    for (int b = 0; b < BANDS; b++) {
        double low = LOWEST * pow(HIGHEST / LOWEST, b / (double)BANDS);
        double high = LOWEST * pow(HIGHEST / LOWEST, (b + 1) / (double)BANDS);
        double gain = 2 - fabs(b - 0.5 * (BANDS - 1)) / BANDS;   /* the middle is louder */
        add_low_pass(r.band[b], gain, high, SOUND_RATE);
        add_low_pass(r.band[b], -gain, low, SOUND_RATE);
    }
    return r;
}

/* Sample i of two tones, 1 and 3 kHz, that change the frequency of the carrier. */
static float sent(long i)
{
    double t = (double)i / RATE;
    return (float)cos(2 * pi * CARRIER * t - 4 * cos(2 * pi * 1000 * t) - cos(2 * pi * 3000 * t));
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    char *end = "";
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 1 << 15;
    FILE *file = *end ? fopen(argv[1], "rb") : NULL;
    if (argc > 2 || (!*end && (n < 1 || n > MOST))) {
        fprintf(stderr, "usage: fm_radio [SAMPLES | FILE]    with SAMPLES from 1 to %d\n", MOST);
        return 2;
    }
    if (*end)
        n = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) / DECIMATION : 0;
    if (*end && (n < 1 || n > MOST || fseek(file, 0, SEEK_SET) != 0)) {
        fprintf(stderr, "fm_radio: %s cannot be read, or has not from %d to %d bytes\n", argv[1],
                DECIMATION, DECIMATION * MOST);
        if (file)
            fclose(file);
        return 2;
    }
    float *air = malloc((size_t)n * DECIMATION * sizeof *air);
    float *out = malloc((size_t)n * sizeof *out), *expected = calloc((size_t)n, sizeof *expected);
    radio r = tune();
    for (long i = 0; air && i < DECIMATION * n; i++)
        air[i] = file ? (float)(getc(file) - 128) / 128 : sent(i);

    df_start(NULL);   /* would start by itself; the time is for the chain only */
    double start = now();
    int all = air && out && expected && receive(&r, n, air, out);
    double seconds = now() - start;
    start = now();
    if (!all || !receive_plainly(&r, n, air, expected)) {
        fprintf(stderr, "fm_radio: not enough memory for %ld samples\n", n);
        return 2;
    }
    double plain_seconds = now() - start, power = 0;
    int right = memcmp(out, expected, (size_t)n * sizeof *out) == 0;
    uint32_t checksum = 0, bits;
    for (long i = 0; i < n; i++) {
        memcpy(&bits, &out[i], sizeof bits);
        checksum = checksum * 31 + bits;
        power += (double)out[i] * (double)out[i];
    }
    printf("%ld samples of sound, power %.4f, checksum %08lx\n", n, power / (double)n,
           (unsigned long)checksum);
    printf("%s\n", right ? "as by plain loops" : "WRONG: not as by plain loops");
    printf("time        %.4f s, plain loops %.4f s\n", seconds, plain_seconds);
    printf("workers     %d\n", df_workers());
    if (file)
        fclose(file);
    free(air);
    free(out);
    free(expected);
    return right ? 0 : 1;
}
