/* A picture: read and blurred by a pipeline, counted and equalised by parallel loops.
 *
 * The pipeline works on bands of rows. To blur a row takes two more rows below it, and the last ones of a band need the
 * next band. So an item reads one band, and then blurs rows up to two above the last row that was read: bands are read
 * in order, and an item has the rows that it needs without waiting for another. Blurring goes on in parallel, while the
 * next bands are read.
 *
 * The histogram is a reduction: every worker counts in an array of its own, and df adds them up. Equalisation replaces
 * the grey levels so that all of them are about equally frequent.
 *
 * All numbers are integers, and the result is that of plain loops.
 *
 *     ./image                                1 024 x 768, made here
 *     ./image FILE.pgm [-o RESULT.pgm]       a photograph; binary PGM with 8 bits
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BAND = 16, HALO = 2, LARGEST = 1 << 14, LEVELS = 256 };   /* rows; pixels a side */

typedef unsigned char pixel;

typedef struct {
    int width, height;
    pixel *in, *out;
    FILE *file;   /* NULL: a picture made here */
    int too_short;
} picture;

static int clamp(int x, int end) { return x < 0 ? 0 : x < end ? x : end - 1; }

/* --- blur: 5 x 5, binomial weights 1 4 6 4 1, first down the columns, then along the rows ----- */

static void blur_row(const picture *p, int y)
{
    int column[LARGEST + 2 * HALO], w = p->width;
    const pixel *row[2 * HALO + 1];
    for (int k = -HALO; k <= HALO; k++)
        row[HALO + k] = p->in + (long)clamp(y + k, p->height) * w;
    for (int x = -HALO; x < w + HALO; x++) {
        int c = clamp(x, w);
        column[HALO + x] = row[0][c] + row[4][c] + 4 * (row[1][c] + row[3][c]) + 6 * row[2][c];
    }
    for (int x = 0; x < w; x++) {
        const int *c = column + x;
        p->out[(long)y * w + x] = (pixel)((c[0] + c[4] + 4 * (c[1] + c[3]) + 6 * c[2] + 128) / 256);
    }
}

static int read_rows(const picture *p, int y, int end)
{
    pixel *to = p->in + (long)y * p->width;
    size_t n = (size_t)(end - y) * (size_t)p->width;
    if (p->file)
        return fread(to, 1, n, p->file) == n;
    for (; y < end; y++) {   /* rings */
        for (int x = 0; x < p->width; x++) {
            long dx = x - p->width / 2, dy = y - p->height / 2;
            *to++ = (pixel)((dx * dx + dy * dy) / 64 % 160 + (x ^ y) % 8);
        }
    }
    return 1;
}

enum { READ, BLUR };

typedef struct { int y, end; } band;

DF_PIPE(blur_band, band);
int blur_band(int stage, band *b, long i, void *of)
{
    picture *p = of;
    if (stage == READ) {
        if (i * BAND >= p->height)
            return DF_PIPE_END;
        b->y = (int)i * BAND;
        b->end = p->height - b->y < BAND ? p->height : b->y + BAND;
        p->too_short |= !read_rows(p, b->y, b->end);
        return p->too_short ? DF_PIPE_END : df_continue(BLUR);
    }
    for (int y = b->y - HALO; y < b->end - (b->end < p->height ? HALO : 0); y++)
        if (y >= 0)
            blur_row(p, y);
    return DF_PIPE_DONE;
}

/* --- histogram and equalisation --------------------------------------------------------------- */

DF_LOOP(count_levels, (const pixel *, at), df_reduce(df_sum, long, bin, LEVELS));
void count_levels(long first, long end, const pixel *at, long *bin)
{
    for (long i = first; i < end; i++)
        bin[at[i]]++;
}

DF_LOOP(replace_levels, (pixel *, at), (const pixel *, level));
void replace_levels(long first, long end, pixel *at, const pixel *level)
{
    for (long i = first; i < end; i++)
        at[i] = level[at[i]];
}

/* Level i becomes the share of the darker pixels, without those of the darkest level. */
static void equalising_levels(const long *bin, pixel *level)
{
    long darker = 0, all = 0;
    int darkest = 0;
    while (darkest < LEVELS - 1 && !bin[darkest])
        darkest++;
    for (int i = darkest + 1; i < LEVELS; i++)
        all += bin[i];
    for (int i = 0; i < LEVELS; i++) {
        darker += i > darkest ? bin[i] : 0;
        level[i] = (pixel)(all ? (darker * (LEVELS - 1) + all / 2) / all : i);
    }
}

static void blur_and_equalise(picture *p)
{
    long pixels = (long)p->width * p->height, bin[LEVELS] = { 0 };
    pixel level[LEVELS];
    df_pipe(blur_band, NULL, p);
    if (p->too_short)
        return;
    df_for(count_levels, 0, pixels, p->out, bin);
    equalising_levels(bin, level);
    df_for(replace_levels, 0, pixels, p->out, level);
}

/* --- the same by plain loops over the whole picture, 25 products a pixel ---------------------- */

static void plain_loops(const picture *p, pixel *out)
{
    static const int weight[] = { 1, 4, 6, 4, 1 };
    long bin[LEVELS] = { 0 }, pixels = (long)p->width * p->height;
    pixel level[LEVELS];
    for (int y = 0; y < p->height; y++) {
        for (int x = 0; x < p->width; x++) {
            int sum = 128;
            for (int k = 0; k < 25; k++)
                sum += weight[k / 5] * weight[k % 5]
                    * p->in[(long)clamp(y + k / 5 - 2, p->height) * p->width
                            + clamp(x + k % 5 - 2, p->width)];
            bin[*out++ = (pixel)(sum / 256)]++;
        }
    }
    equalising_levels(bin, level);
    for (out -= pixels; pixels > 0; pixels--, out++)
        *out = level[*out];
}

/* --- the program ------------------------------------------------------------------------------ */

static int is_picture(picture *p)   /* reads the header */
{
    int levels = 0, blank = 0;
    return fscanf(p->file, "P5 %d %d %d", &p->width, &p->height, &levels) == 3
        && (blank = getc(p->file)) != EOF && levels == 255 && p->width > 0 && p->height > 0
        && p->width <= LARGEST && p->height <= LARGEST;
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(const char *what, const char *name)
{
    fprintf(stderr, "image: %s %s\n", what, name);
    return 2;
}

/* result: the file for the picture, or NULL. */
static int run(picture *p, pixel *expected, const char *name, const char *result)
{
    size_t pixels = (size_t)p->width * (size_t)p->height;
    df_start(NULL);   /* would start by itself; the time is for the work only */
    double start = now();
    blur_and_equalise(p);
    double seconds = now() - start;
    if (p->too_short)
        return fail("there are pixels missing in", name);
    start = now();
    plain_loops(p, expected);
    int right = memcmp(p->out, expected, pixels) == 0;
    unsigned long sum = 0, weighted = 0;
    for (size_t i = 0; i < pixels; i++)
        weighted += sum += p->out[i];
    printf("%d x %d pixels, blurred and equalised: mean %.3f, checksum %lx\n", p->width, p->height,
           (double)sum / (double)pixels, weighted & 0xffffffff);
    printf("%s\n", right ? "as by plain loops" : "WRONG: not as by plain loops");
    printf("time        %.4f s, plain loops %.4f s\n", seconds, now() - start);
    printf("workers     %d\n", df_workers());

    FILE *out = result ? fopen(result, "wb") : NULL;
    int written = out && fprintf(out, "P5\n%d %d\n255\n", p->width, p->height) > 0
               && fwrite(p->out, 1, pixels, out) == pixels;
    if (result && (!out || fclose(out) != 0 || !written))
        return fail("cannot write", result);
    return right ? 0 : 1;
}

int main(int argc, char **argv)
{
    picture p = { 1024, 768, NULL, NULL, NULL, 0 };
    const char *name = argc > 1 ? argv[1] : "the picture";
    if (argc == 3 || argc > 4 || (argc == 4 && strcmp(argv[2], "-o") != 0))
        return fail("usage: image", "[FILE.pgm [-o RESULT.pgm]]");
    if (argc > 1 && (p.file = fopen(name, "rb")) == NULL)
        return fail("cannot open", name);
    pixel *expected = NULL;
    int status;
    if (p.file && !is_picture(&p)) {
        status = fail("not a binary PGM with 255 grey levels and no comments:", name);
    } else {
        size_t pixels = (size_t)p.width * (size_t)p.height;
        p.in = malloc(pixels);
        p.out = malloc(pixels);
        expected = malloc(pixels);
        status = p.in && p.out && expected ? run(&p, expected, name, argc == 4 ? argv[3] : NULL)
                                           : fail("not enough memory for", name);
    }
    if (p.file)
        fclose(p.file);
    free(p.in);
    free(p.out);
    free(expected);
    return status;
}
