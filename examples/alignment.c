/* Local alignment of all pairs of proteins: the Smith-Waterman algorithm with affine gaps.
 *
 * The pairs are independent but differ much in length: a loop, whose parts are divided while they run. For one pair
 * alone, the cells of its table are computed in parallel: a cell depends on its neighbours above, to the left, and
 * between these, which are the vectors given to df_wavefront. The best pairs and the longest one are computed in this
 * way, too, and both ways must find the same score; the alignment that is read from the table must have this score as
 * well.
 * Source: Smith and Waterman, J. Mol. Biol. 147, 1981; Gotoh, J. Mol. Biol. 162, 1982; BOTS' alignment.
 *
 *     cc -std=c11 -O2 -o alignment examples/alignment.c examples/alignment/[a-z]*.c -pthread
 *     ./alignment                sequences made here
 *     ./alignment FILE.fasta     sequences of amino acids
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alignment/sequences.h"

enum {
    OPEN = 11, EXTEND = 1,   /* a gap of k letters costs 11 + k, as in BLAST */
    BEST = 3,                /* pairs that are shown */
    LONGEST = 4096           /* letters of a sequence in a table, which then takes 192 MiB */
};

static int larger(int a, int b) { return a > b ? a : b; }

/* --- all pairs ------------------------------------------------------------------------------- */

typedef struct {
    int first, second, score;
} pair;

/* The best score of a part of a against a part of b. Keeps one row of the table: h the score of cells, gap
 * that of alignments that end with a gap in b. */
static int align(const sequence *a, const sequence *b, int *h, int *gap)
{
    int best = 0;
    memset(h, 0, (size_t)(b->length + 1) * sizeof *h);
    memset(gap, 0, (size_t)(b->length + 1) * sizeof *gap);
    for (long i = 0; i < a->length; i++) {
        const signed char *similar = similarity[a->letter[i]];
        int diagonal = 0, gap_in_a = 0;   /* below 1, a gap is of no use: a new beginning is better */
        for (long j = 1; j <= b->length; j++) {
            gap_in_a = larger(gap_in_a - EXTEND, h[j - 1] - OPEN - EXTEND);
            gap[j] = larger(gap[j] - EXTEND, h[j] - OPEN - EXTEND);
            int score = larger(larger(diagonal + similar[b->letter[j - 1]], 0), larger(gap_in_a, gap[j]));
            diagonal = h[j];
            h[j] = score;
            best = larger(best, score);
        }
    }
    return best;
}

DF_LOOP(align_pairs, (const sequence *, s), (long, longest), (pair *, p));
void align_pairs(long lo, long hi, const sequence *s, long longest, pair *p)
{
    int *rows = malloc((size_t)(longest + 1) * 2 * sizeof *rows);
    if (!rows)
        df_fail(1, "no memory for two rows");
    for (long k = lo; rows && k < hi; k++)
        p[k].score = align(&s[p[k].first], &s[p[k].second], rows, rows + longest + 1);
    free(rows);
}

/* --- one pair -------------------------------------------------------------------------------- */

typedef struct {
    int h, gap_in_a, gap_in_b;   /* as in align */
} cell;

/* Row and column 0 of the table are zero. They are written, not left to calloc: a tile reads column 0 first, and
 * memory that is read before it is written is mapped twice, the second time with an interrupt of all CPUs that have
 * mapped it. */
DF_LOOP(left_column, (cell *, table), (long, row));
void left_column(long lo, long hi, cell *table, long row)
{
    for (long i = lo; i < hi; i++)
        table[i * row] = (cell){ 0, 0, 0 };
}

/* Iteration i, j, from 1: letter i of a against letter j of b. */
DF_LOOP2(cells, (const sequence *, a), (const sequence *, b), (cell *, table), df_reduce(df_max, int, best, 1));
void cells(long i0, long i1, long j0, long j1, const sequence *a, const sequence *b, cell *table, int *best)
{
    long row = b->length + 1;
    for (long i = i0; i < i1; i++) {
        const signed char *similar = similarity[a->letter[i - 1]];
        for (long j = j0; j < j1; j++) {
            cell *c = &table[i * row + j];
            const cell *left = c - 1, *above = c - row;
            c->gap_in_a = larger(left->gap_in_a - EXTEND, left->h - OPEN - EXTEND);
            c->gap_in_b = larger(above->gap_in_b - EXTEND, above->h - OPEN - EXTEND);
            c->h = larger(larger((above - 1)->h + similar[b->letter[j - 1]], 0), larger(c->gap_in_a, c->gap_in_b));
            *best = larger(*best, c->h);
        }
    }
}

/* Walks back from the best cell, and returns the sum of the scores on its way. */
static int walk_back(const sequence *a, const sequence *b, const cell *table, int best, long *letters, long *equal)
{
    long row = b->length + 1, i = 0, j = 0;
    int score = 0;
    *letters = *equal = 0;
    for (long k = 0; k < (a->length + 1) * row; k++)
        if (table[k].h == best) {
            i = k / row;
            j = k % row;
        }
    while (i > 0 && j > 0 && table[i * row + j].h > 0) {
        int h = table[i * row + j].h, gap = 0;
        if (h == table[i * row + j].gap_in_a) {
            for (; h != table[i * row + j - gap].h - OPEN - EXTEND * gap || gap == 0; gap++)
                if (gap == j)
                    return -1;
            j -= gap;
        } else if (h == table[i * row + j].gap_in_b) {
            for (; h != table[(i - gap) * row + j].h - OPEN - EXTEND * gap || gap == 0; gap++)
                if (gap == i)
                    return -1;
            i -= gap;
        } else {
            i--;
            j--;
            score += similarity[a->letter[i]][b->letter[j]];
            *equal += a->letter[i] == b->letter[j];
            ++*letters;
        }
        if (gap)
            score -= OPEN + EXTEND * gap;
    }
    return score;
}

/* Aligns a pair by the table and prints it; 1 if `score` is right, -1 without memory. */
static int show(const sequence *first, const sequence *second, int score)
{
    sequence a = *first, b = *second;
    if (a.length > LONGEST || b.length > LONGEST) {   /* their beginnings only */
        a.length = a.length < LONGEST ? a.length : LONGEST;
        b.length = b.length < LONGEST ? b.length : LONGEST;
        int *rows = malloc((size_t)(b.length + 1) * 2 * sizeof *rows);
        if (!rows)
            return -1;
        score = align(&a, &b, rows, rows + b.length + 1);
        free(rows);
    }
    long row = b.length + 1;
    cell *table = malloc((size_t)((a.length + 1) * row) * sizeof *table);
    int best = 0;
    long letters, equal;
    if (!table)
        return -1;
    memset(table, 0, (size_t)row * sizeof *table);
    df_for(left_column, 1, a.length + 1, table, row);
    df_wavefront(cells, DF_VECTORS({1, 0}, {0, 1}, {1, 1}), 1, a.length + 1, 1, b.length + 1, &a, &b, table, &best);
    int walked = walk_back(&a, &b, table, best, &letters, &equal);
    printf("%s (%ld) and %s (%ld): score %d, %ld letters aligned, %ld of them equal\n", a.name, a.length, b.name,
           b.length, best, letters, equal);
    free(table);
    return best == score && walked == score;
}

/* --- the program ----------------------------------------------------------------------------- */

static int by_score(const void *x, const void *y)
{
    const pair *p = x, *q = y;
    return p->score != q->score ? q->score - p->score
        : p->first != q->first ? p->first - q->first : p->second - q->second;
}

int main(int argc, char **argv)
{
    sequences s;
    if (argc > 2) {
        fprintf(stderr, "usage: %s [FILE.fasta]\n", argv[0]);
        return 2;
    }
    const char *wrong = argc > 1 ? sequences_read(&s, argv[1]) : sequences_generate(&s);
    if (wrong) {
        fprintf(stderr, "%s: %s\n", argc == 2 ? argv[1] : argv[0], wrong);
        return 2;
    }
    int longest = 0, next = 1;   /* the two longest ones */
    for (int i = 1; i < s.count; i++)
        if (s.at[i].length > s.at[longest].length) {
            next = longest;
            longest = i;
        } else if (i != next && s.at[i].length > s.at[next].length) {
            next = i;
        }
    long pairs = (long)s.count * (s.count - 1) / 2, k = 0;
    pair *p = malloc((size_t)pairs * sizeof *p);
    for (int i = 0; p && i < s.count; i++)
        for (int j = 0; j < i; j++)
            p[k++] = (pair){ i, j, 0 };

    if (p)
        df_for(align_pairs, 0, pairs, s.at, s.at[longest].length, p);
    if (!p || df_wait_result() != DF_OK) {
        fprintf(stderr, "not enough memory\n");
        return 2;
    }
    int first = longest > next ? longest : next, second = longest + next - first;
    int score = p[(long)first * (first - 1) / 2 + second].score;
    double sum = 0;
    for (k = 0; k < pairs; k++)
        sum += p[k].score;
    qsort(p, (size_t)pairs, sizeof *p, by_score);

    printf("%d sequences, %ld pairs, the sum of their scores is %.0f; the best ones:\n", s.count, pairs, sum);
    int correct = 1;
    for (k = 0; k < BEST && k < pairs && correct == 1; k++)
        correct = show(&s.at[p[k].first], &s.at[p[k].second], p[k].score);
    puts("the longest ones:");
    if (correct == 1)
        correct = show(&s.at[first], &s.at[second], score);
    puts(correct == 1 ? "by rows, by the table and by the alignments themselves: correct"
         : correct ? "not enough memory for a table" : "WRONG");
    free(p);
    sequences_free(&s);
    return correct == 1 ? 0 : correct ? 2 : 1;
}
