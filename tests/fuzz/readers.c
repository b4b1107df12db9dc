/* readers.c - the readers of the examples with files that are almost right: `readers FIRST_SEED COUNT` prints a
 * hash per seed
 *
 * Lines are left out, doubled, cut and swapped, numbers replaced by extreme ones and bytes by others. A file that a
 * reader accepts keeps the promises of its header; a file that it refuses leaves nothing to be freed. Runs with
 * AddressSanitizer and UndefinedBehaviorSanitizer, too. */
#define _DEFAULT_SOURCE /* mkdtemp */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"
#include "../gpu/scratch.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

/* names that several examples have */
#define no_memory graph_no_memory
#define next_line graph_next_line
#include "../../examples/pregel/graph.c"
#undef no_memory
#undef next_line
#include "../../examples/pregel/shortest_paths.c"
#define read_matrix tsp_read_matrix
#include "../../examples/tsp/tsplib.c"
#undef read_matrix
#include "../../examples/alignment/sequences.c"
#include "../../examples/sort/items.c"
#define no_memory board_no_memory
#define read_line board_read_line
#include "../../examples/lee/board.c"
#undef no_memory
#undef read_line
#define fail mtx_fail
#define LINE MTX_LINE
#include "../../examples/cholesky/mtx.c"
#undef fail
#undef LINE
#include "../../examples/sparse_lu/sparse.c"
static FILE *nowhere; /* for the programs' message about a file that they refuse */
#undef stderr
#define stderr nowhere
#define main image_main
#define now image_now
#define LARGEST IMAGE_LARGEST
#include "../../examples/image.c"
#undef main
#undef now
#undef LARGEST
#define main histogram_main
#define LARGEST HISTOGRAM_LARGEST
#define image histogram_image
#include "../../examples/07_histogram.c"
#undef main
#undef LARGEST
#undef image
#define main stencil_main
#define now stencil_now
#include "../../examples/stencil.c"
#undef main

/* --- files -------------------------------------------------------------------------------------------------- */

enum { MOST_INPUT = 1 << 14 };
static char folder[SCRATCH], path[SCRATCH + 20], input[MOST_INPUT];
static size_t n_input;

static const char *const extreme[] = {
    "0", "1", "-1", "4", "999", "2147483647", "2147483648", "-2147483648", "4294967296", "9223372036854775807",
    "-9223372036854775808", "99999999999999999999999", "1e308", "-1e999", "nan", "inf", "x", "", "0.5"
};
static const char odd[] = "\0\n\r\t %#-.:PJCEpac>\x7f\x80\xff";

static void put(size_t at, size_t old, const char *text, size_t n) /* in place of `old` bytes */
{
    if (n_input - old + n >= MOST_INPUT) return;
    memmove(input + at + n, input + at + old, n_input - at - old);
    memcpy(input + at, text, n);
    n_input += n - old;
}

static void mutate(uint64_t *r)
{
    size_t at = n_input ? (size_t)test_below(r, (int)n_input) : 0, end = at;
    const char *word;
    char line[MOST_INPUT];
    switch (n_input ? test_below(r, 7) : 6) {
    case 0: /* a number, or a word */
        while (at > 0 && !strchr(" \n", input[at - 1])) at--;
        while (end < n_input && !strchr(" \n", input[end])) end++;
        word = extreme[test_below(r, sizeof extreme / sizeof *extreme)];
        put(at, end - at, word, strlen(word));
        break;
    case 1: n_input = at; break;
    case 2: /* a line twice, or not at all */
    case 3:
        while (at > 0 && input[at - 1] != '\n') at--;
        while (end < n_input && input[end++] != '\n') {}
        memcpy(line, input + at, end - at);
        put(at, test_below(r, 2) ? 0 : end - at, line, test_below(r, 2) ? end - at : 0);
        break;
    case 4: input[at] = odd[test_below(r, sizeof odd - 1)]; break;
    case 5: put(at, 0, odd + test_below(r, sizeof odd - 1), 1); break;
    default: /* a line that is longer than any buffer */
        memset(line, "1 A#"[test_below(r, 4)], 3000);
        put(at, 0, line, (size_t)test_below(r, 3000));
    }
}

static void write_input(uint64_t *r, const char *text, size_t n)
{
    FILE *f = fopen(path, "wb");
    memcpy(input, text, n_input = n);
    for (int i = test_below(r, 5); i > 0; i--) mutate(r);
    CHECK(f && fwrite(input, 1, n_input, f) == n_input && !fclose(f));
}

static uint64_t hash(uint64_t h, const void *p, size_t n)
{
    const unsigned char *b = (const unsigned char *)p;
    while (n--) h = test_mix(h, *b++);
    return h;
}
static uint64_t hash_text(const char *text) { return hash(1, text, strlen(text)); }

/* --- what is read --------------------------------------------------------------------------------------------- */

static uint64_t read_graph(void)
{
    char error[GRAPH_ERROR];
    graph g, both;
    uint64_t h = 0;
    if (!graph_read(&g, path, error)) return hash_text(strrchr(error, ':'));
    CHECK(g.vertices >= 1 && g.first[0] == 0 && g.first[g.vertices] == g.edges);
    for (long v = 0; v < g.vertices; v++) CHECK(g.first[v] <= g.first[v + 1]);
    for (long e = 0; e < g.edges; e++) {
        CHECK(g.edge[e].to >= 0 && g.edge[e].to < g.vertices && g.edge[e].weight >= 0);
        CHECK(g.edge[e].weight <= INT32_MAX / g.vertices);
        h = test_mix(test_mix(h, (uint64_t)g.edge[e].to), (uint64_t)g.edge[e].weight);
    }
    if (g.vertices <= 100) { /* both ways to send messages, against Dijkstra's algorithm */
        int32_t distance[100], expected[100];
        pregel_effort effort;
        for (int shared = 0; shared < 2; shared++) {
            CHECK(shortest_paths(&g, 0, distance, (pregel_way){ 3, shared }, &effort) == DF_OK);
            CHECK(shortest_paths_dijkstra(&g, 0, expected));
            CHECK(!memcmp(distance, expected, (size_t)g.vertices * sizeof *distance));
        }
    }
    CHECK(graph_undirected(&both, &g));
    graph_free(&both);
    graph_free(&g);
    return h;
}

static uint64_t read_tsp(void)
{
    char error[200];
    static tsp t;
    long tour = 0;
    if (!tsp_read(&t, path, error)) return hash_text(strrchr(error, ':'));
    CHECK(t.n >= 4 && t.n <= TSP_CITIES);
    for (int i = 0; i < t.n; i++)
        for (int j = 0; j < t.n; j++) {
            CHECK(t.distance[i][j] >= 0 && t.distance[i][j] <= INT32_MAX / TSP_CITIES);
            CHECK(i == j || t.distance[i][j] == t.distance[j][i]);
            tour += t.distance[i][j];
        }
    return (uint64_t)tour;
}

static uint64_t read_sequences(void)
{
    sequences s;
    const char *wrong = sequences_read(&s, path);
    uint64_t h = 0;
    if (wrong) return hash_text(wrong);
    CHECK(s.count >= 2);
    for (int i = 0; i < s.count; i++) {
        h = test_mix(h, hash_text(s.at[i].name));
        for (long k = 0; k < s.at[i].length; k++) {
            CHECK(s.at[i].letter[k] < LETTERS);
            h = test_mix(h, s.at[i].letter[k]);
        }
    }
    sequences_free(&s);
    return h;
}

static uint64_t read_items(void)
{
    items in;
    const char *wrong = items_read(&in, path);
    uint64_t h = 0;
    if (wrong) return hash_text(wrong);
    CHECK(in.count >= 1);
    for (long i = 0; i < in.count; i++) {
        CHECK(*in.at[i].word && in.at[i].place == i);
        h = test_mix(h, hash_text(in.at[i].word));
    }
    items_free(&in);
    return h;
}

static uint64_t read_board(void)
{
    board b;
    char error[BOARD_ERROR];
    uint64_t h;
    if (!board_read(&b, path, error)) return hash_text(strrchr(error, ':'));
    h = hash(0, b.connection, (size_t)b.connections * sizeof *b.connection);
    for (long i = 0; i < b.connections; i++) {
        const pin *p = &b.connection[i].from, *q = &b.connection[i].to;
        CHECK(p->x >= 0 && p->x < b.width && p->y >= 0 && p->y < b.height && q->x >= 0 && q->x < b.width);
        CHECK(b.pad[board_cell(&b, 1, *p)] && b.pad[board_cell(&b, 0, *q)]);
    }
    board_free(&b);
    return h;
}

static uint64_t read_mtx(void)
{
    enum { SIDE = 50 };
    static double a[SIDE * SIDE];
    mtx_file f;
    if (!mtx_open(&f, path)) return hash_text(strrchr(f.error, ':'));
    if (f.n > SIDE) { /* the caller's limit */
        mtx_close(&f);
        return 1;
    }
    if (!mtx_read(&f, a, SIDE)) return hash_text(strrchr(f.error, ':'));
    for (size_t i = 0; i < f.n; i++)
        for (size_t j = 0; j < f.n; j++) {
            double x = a[i * SIDE + j], y = a[j * SIDE + i];
            CHECK(fabs(x - y) <= 1e-9 * fabs(x) || !isfinite(x));
        }
    return hash(f.n, a, f.n * sizeof *a);
}

static uint64_t read_sparse(void)
{
    sparse m = { 0 };
    const char *wrong = sparse_read(&m, path, 4);
    uint64_t h = wrong ? hash_text(wrong) : (uint64_t)sparse_stored(&m);
    CHECK(wrong || (m.blocks >= 1 && m.size == 4));
    sparse_free(&m);
    return h;
}

static uint64_t read_picture(void)
{
    picture p = { 0, 0, NULL, NULL, fopen(path, "rb"), 0 };
    uint64_t h = 0;
    char program[] = "image", *argv[] = { program, path, NULL };
    int refused = 1;
    CHECK(p.file != NULL);
    if (is_picture(&p)) {
        size_t pixels = (size_t)p.width * (size_t)p.height;
        refused = 0;
        if (pixels < 1 << 20) { /* a larger one has no pixels here */
            CHECK((p.in = (pixel *)calloc(pixels, 1)) && (p.out = (pixel *)calloc(pixels, 1)));
            blur_and_equalise(&p);
            h = p.too_short ? 1 : hash((uint64_t)p.width, p.out, pixels);
            refused = p.too_short;
        }
    }
    fclose(p.file);
    free(p.in);
    free(p.out);
    CHECK(!refused || image_main(2, argv) == 2); /* and nothing is left behind */
    return h;
}

static uint64_t read_samples(void)
{
    static unsigned bin[MOST_LEVELS];
    FILE *f = fopen(path, "rb");
    histogram_image m = read_image(f);
    uint64_t h = 0;
    fclose(f);
    if (!m.sample) return 1;
    memset(bin, 0, sizeof bin);
    h = (uint64_t)histogram(&m, bin);
    for (int i = 0; i < MOST_LEVELS; i++) h = bin[i] ? test_mix(h, bin[i]) : h;
    free(m.sample);
    return h;
}

static uint64_t read_cells(void)
{
    FILE *f = fopen(path, "r");
    grid x = read_grid(f);
    uint64_t h = x.cell ? hash((uint64_t)x.rows, x.cell, sizeof *x.cell * (size_t)x.cols) : 1;
    fclose(f);
    free(x.cell);
    return h;
}

/* --- the files to begin with ------------------------------------------------------------------------------------ */

#define WORK(read, text) { read, text, sizeof text - 1 }
static const struct { uint64_t (*read)(void); const char *text; size_t n; } work[] = {
    WORK(read_graph, "c comment\np sp 4 5\na 1 2 3\na 2 3 1\na 3 4 7\na 4 1 2\na 1 1 5\n"),
    WORK(read_graph, "%%MatrixMarket matrix coordinate integer symmetric\n% comment\n4 4 3\n1 2 3\n3 4 1\n4 4 2\n"),
    WORK(read_graph, "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n3 1\n"),
    WORK(read_graph, "# comment\n0 1\n1 2\n2 0\n"),
    WORK(read_tsp, "NAME : four\nTYPE : TSP\nDIMENSION : 4\n"
                   "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 0\n"
                   "3 3 4\n4 0 4.5\nEOF\n"),
    WORK(read_tsp, "NAME : earth\nDIMENSION : 4\n"
                   "EDGE_WEIGHT_TYPE : GEO\nNODE_COORD_SECTION\n1 16.47 96.10\n2 16.47 96.10\n"
                   "3 20.09 92.54\n4 -22.39 93.37\nEOF\n"),
    WORK(read_tsp, "NAME : att\nDIMENSION : 4\n"
                   "EDGE_WEIGHT_TYPE : ATT\nNODE_COORD_SECTION\n1 6734 1453\n2 2233 10\n3 5530 1424\n"
                   "4 401 841\n"),
    WORK(read_tsp, "NAME : full\nDIMENSION : 4\n"
                   "EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
                   "0 1 2 3\n1 0 4 5\n2 4 0 6\n3 5 6 0\n"),
    WORK(read_tsp, "NAME : low\nDIMENSION : 4\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : LOWER_DIAG_ROW\n"
                   "EDGE_WEIGHT_SECTION\n0\n1 0\n2 4 0\n3 5 6 0\n"),
    WORK(read_sequences, ">first of them\nARNDCQEG\nHILKM\n>second\nFPSTWYV*-.\nxz\n>third\nA\n"),
    WORK(read_items, "Some words, and others: some-words 12 and more.\nA\n"),
    WORK(read_board, "P 3 4\nJ 1 2 30 40\nC 5 5 9 9\n\nJ 0 0 599 599\nJ 7 1 7 2\nE\n"),
    WORK(read_mtx, "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 4\n1 1 2.5\n2 1 -1\n3 3 4e1\n2 2 7\n"),
    WORK(read_mtx, "%%MatrixMarket matrix array integer general\n2 2\n4\n1\n1\n3\n"),
    WORK(read_sparse, "%%MatrixMarket matrix coordinate real symmetric\n% c\n9 9 3\n1 1 2.5\n8 1 -1\n3 3 4e1\n"),
    WORK(read_picture, "P5\n6 4\n255\nabcdefghijklmnopqrstuvwx"),
    WORK(read_samples, "P5 3 2 1000\n\0\1\1\2\3\3\0\4\0\0\2\2"),
    WORK(read_samples, "P6 2 1 255\nabcdef"),
    WORK(read_cells, "ncols 4\nnrows 4\nxllcorner 0\n"
                     "yllcorner 0\ncellsize 1\nNODATA_value -1\n1 2 3 4\n5 6 7 8\n9 1 2 3\n4 5 6 7\n")
};

int main(int argc, char **argv)
{
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    unsigned long long count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    CHECK(mkdtemp(scratch(folder, "df_readers")) != NULL);
    CHECK((nowhere = fopen("/dev/null", "w")) != NULL);
    snprintf(path, sizeof path, "%s/input", folder);
    for (unsigned long long n = first; n < first + count; n++) {
        uint64_t r = n, h = 0;
        for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
            write_input(&r, work[i].text, work[i].n);
            h = test_mix(h, work[i].read());
        }
        printf("%llu %016llx\n", n, (unsigned long long)h);
    }
    CHECK(!remove(path) && !rmdir(folder) && !fclose(nowhere));
    return 0;
}
