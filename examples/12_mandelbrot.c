/* The Mandelbrot set: a loop of two dimensions whose iterations cost between 1 and 1000 steps.
 *
 * DF_LOOP2 declares a function for a rectangle of pixels, df_for2 calls it for parts of the picture. A pixel of the set
 * costs the most, one far from it nearly nothing, and their places are not known in advance: a running part is divided
 * further when another worker has nothing to do.
 * Source: the classic test of OpenMP's schedules; MetaFork's meta_for (thesis, 3).
 *
 *     ./12_mandelbrot [FILE.pgm [WIDTH HEIGHT]]     writes the picture if there is a file name
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 1000, CLASSES = 11, LARGEST = 1 << 15 };

typedef struct {
    int width, height;
    short *steps;   /* of each pixel until it is certain to be outside; STEPS: it is taken for inside */
} picture;

static int steps_at(double cx, double cy)
{
    double x = 0, y = 0;
    int n = 0;
    for (; n < STEPS && x * x + y * y <= 4; n++) {
        double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
    }
    return n;
}

/* In class k: pixels with 2^k to 2^(k+1) - 1 steps. The last class: those inside. */
static int class_of(int steps)
{
    int k = 0;
    while (steps < STEPS && steps >> (k + 1))
        k++;
    return steps < STEPS ? k : CLASSES - 1;
}

/* The picture shows -2.2 .. 0.8 and, pixels being squares, as much of the imaginary axis above 0 as below. */
DF_LOOP2(mandelbrot, (picture, p), df_reduce(df_sum, long, pixels, CLASSES));
void mandelbrot(long y0, long y1, long x0, long x1, picture p, long *pixels)
{
    double side = 3.0 / p.width;
    for (long y = y0; y < y1; y++)
        for (long x = x0; x < x1; x++) {
            int n = steps_at(-2.2 + side * ((double)x + 0.5),
                             side * ((double)y + 0.5 - 0.5 * p.height));
            p.steps[y * p.width + x] = (short)n;
            pixels[class_of(n)]++;
        }
}

static int write_pgm(const picture *p, const char *name)
{
    FILE *f = fopen(name, "wb");
    if (!f)
        return 0;
    fprintf(f, "P5\n%d %d\n255\n", p->width, p->height);
    for (long i = 0; i < (long)p->width * p->height; i++)
        putc(p->steps[i] == STEPS ? 0 : 255 - 25 * class_of(p->steps[i]), f);
    int failed = ferror(f);
    return fclose(f) == 0 && !failed;
}

/* The set is its own mirror image. Its area is 1.5066 (Ewing and Schober, 1992; Foerstemann, 2012),
 * of which pixels at the rim are off by less than their number. */
static int check(const picture *p, const long *pixels)
{
    long counted[CLASSES] = { 0 };
    size_t row = (size_t)p->width * sizeof *p->steps;
    for (long i = 0; i < (long)p->width * p->height; i++)
        counted[class_of(p->steps[i])]++;
    for (int y = 0; y < p->height; y++)
        if (memcmp(p->steps + (long)y * p->width,
                   p->steps + (long)(p->height - 1 - y) * p->width, row) != 0)
            return 0;
    double side = 3.0 / p->width, area = side * side * (double)pixels[CLASSES - 1];
    int whole = p->height * side > 2.3;   /* else part of the set is cut off */
    return memcmp(counted, pixels, sizeof counted) == 0
        && (!whole || fabs(area - 1.5066) < 0.01 + 4 * side);
}

int main(int argc, char **argv)
{
    char *end = "", *end1 = "";
    long width = argc > 3 ? strtol(argv[2], &end, 10) : 450;
    long height = argc > 3 ? strtol(argv[3], &end1, 10) : 360;
    if (argc == 3 || argc > 4 || *end || *end1 || width < 1 || height < 1 || width > LARGEST
        || height > LARGEST) {
        fprintf(stderr, "usage: %s [FILE.pgm [WIDTH HEIGHT]]    with both from 1 to %d\n", argv[0],
                LARGEST);
        return 2;
    }
    picture p = { (int)width, (int)height, malloc((size_t)(width * height) * sizeof *p.steps) };
    if (!p.steps) {
        fprintf(stderr, "not enough memory for %ld x %ld pixels\n", width, height);
        return 2;
    }
    long pixels[CLASSES] = { 0 };
    df_for2(mandelbrot, 0, height, 0, width, p, pixels);

    unsigned long checksum = 2166136261u;   /* FNV-1a, 32 bits */
    for (long i = 0; i < width * height; i++)
        checksum = (checksum ^ (unsigned long)p.steps[i]) * 16777619u & 0xffffffffu;
    int correct = check(&p, pixels);
    for (int k = 0; k < CLASSES - 1; k++)
        printf("%4d .. %4d steps: %8ld pixels\n", 1 << k, k < 9 ? (2 << k) - 1 : STEPS - 1,
               pixels[k]);
    printf("     never outside: %8ld pixels\n", pixels[CLASSES - 1]);
    printf("%ld x %ld pixels, checksum %08lx: %s\n", width, height, checksum,
           correct ? "correct" : "WRONG");
    int written = argc < 2 || write_pgm(&p, argv[1]);
    if (!written)
        fprintf(stderr, "cannot write %s\n", argv[1]);
    free(p.steps);
    return !correct ? 1 : written ? 0 : 2;
}
