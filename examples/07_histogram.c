/* The histogram of an image: a reduction of an array.
 *
 * A task counts the pixels of one block, a two-dimensional region of the image that stays where it
 * is. All tasks add to the same bins. Declared with df_inout they would follow each other; with
 * df_reduce a worker counts in bins of its own, and df adds those up, element by element, before
 * any task reads them.
 * Source: X-Kaapi report RT-0418, section 5.3.
 *
 *     ./07_histogram                 an image made here, 1024 x 768
 *     ./07_histogram FILE.pgm        a photograph; PGM and PPM, binary, 1 or 2 bytes a sample
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 128, LARGEST = 1 << 14, MOST_LEVELS = 1 << 16 };   /* samples a side; PGM's limit */

typedef struct {
    int width, height;         /* in samples: a pixel of a PPM has three */
    int levels;                /* samples are from 0 to levels - 1 */
    unsigned short *sample;
} image;

DF_TASK(void, count_block, (int, rows), (int, cols),
        df_in2(unsigned short, block, rows, cols, ld), (int, ld),
        (int, levels), df_reduce(df_sum, unsigned, bin, levels));
void count_block(int rows, int cols, const unsigned short *block, int ld, int levels, unsigned *bin)
{
    (void)levels;
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < cols; x++)
            bin[block[(long)y * ld + x]]++;
}

DF_TASK(void, most_frequent, (int, levels), df_in(unsigned, bin, levels), df_out(int, level, 1));
void most_frequent(int levels, const unsigned *bin, int *level)
{
    *level = 0;
    for (int i = 1; i < levels; i++)
        if (bin[i] > bin[*level])
            *level = i;
}

static int at_most(int n, int limit) { return n < limit ? n : limit; }

static int histogram(const image *m, unsigned *bin)
{
    int level = -1;
    DF_PARALLEL {
        for (int y = 0; y < m->height; y += BLOCK)
            for (int x = 0; x < m->width; x += BLOCK)
                df_submit(count_block, at_most(BLOCK, m->height - y), at_most(BLOCK, m->width - x),
                          m->sample + (long)y * m->width + x, m->width, m->levels, bin);
        df_submit(most_frequent, m->levels, bin, &level);   /* reads the bins: after all blocks */
    }
    return level;
}

/* Light falling off from the middle, with some noise. */
static image generate(int width, int height)
{
    image m = { width, height, 256, malloc(sizeof *m.sample * (size_t)width * (size_t)height) };
    unsigned noise = 1;
    for (long i = 0; m.sample && i < (long)width * height; i++) {
        int x = (int)(i % width) - width / 2, y = (int)(i / width) - height / 2;
        noise = noise * 1664525u + 1013904223u;
        m.sample[i] = (unsigned short)(200 / (1 + (x * x + y * y) / 40000) + (int)(noise >> 27));
    }
    return m;
}

/* .sample is NULL if that is not possible. */
static image read_image(FILE *f)
{
    image m = { 0, 0, 0, NULL };
    char format = 0, blank = 0;
    if (!f || fscanf(f, "P%c %d %d %d%c", &format, &m.width, &m.height, &m.levels, &blank) != 5)
        return m;
    if ((format != '5' && format != '6') || m.width < 1 || m.width > LARGEST
        || m.height < 1 || m.height > LARGEST || m.levels < 1 || m.levels >= MOST_LEVELS)
        return m;
    m.levels++;
    if (format == '6')
        m.width *= 3;
    long n = (long)m.width * m.height;
    m.sample = malloc(sizeof *m.sample * (size_t)n);
    for (long i = 0; m.sample && i < n; i++) {
        int high = m.levels > 256 ? getc(f) : 0, low = getc(f), value = high * 256 + low;
        if (high == EOF || low == EOF || value >= m.levels) {
            free(m.sample);
            m.sample = NULL;
            break;
        }
        m.sample[i] = (unsigned short)value;
    }
    return m;
}

int main(int argc, char **argv)
{
    static unsigned bin[MOST_LEVELS], expected[MOST_LEVELS];
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    image m = argc > 1 ? read_image(f) : generate(1024, 768);
    if (f)
        fclose(f);
    if (!m.sample) {
        fprintf(stderr, "%s is not a binary PGM or PPM without comments\n",
                argc > 1 ? argv[1] : "the image");
        return 1;
    }
    int level = histogram(&m, bin);
    for (long i = 0; i < (long)m.width * m.height; i++)
        expected[m.sample[i]]++;
    free(m.sample);
    printf("%d x %d samples, %u of them of the most frequent level, %d\n", m.width, m.height,
           bin[level], level);
    return memcmp(bin, expected, sizeof bin) == 0 ? 0 : 1;
}
