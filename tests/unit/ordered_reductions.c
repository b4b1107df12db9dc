/* ordered_reductions.c - operators that are associative and not commutative: contributions in the order of a serial
 * execution */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

typedef struct { char s[300]; } text;
static void append(text *a, const text *b) { strncat(a->s, b->s, sizeof a->s - 1 - strlen(a->s)); }
static void empty(text *a) { a->s[0] = 0; }
DF_ORDERED_REDUCTION(concatenation, text, append); /* the identity is zero: an empty string */
DF_REDUCTION(joined, text, append, empty); /* only in order where the task or the loop asks for it */
typedef struct { long long a, b, c, d; } matrix;
static void times(matrix *x, const matrix *y)
{
    matrix z = { (x->a * y->a + x->b * y->c) % 10007, (x->a * y->b + x->b * y->d) % 10007,
                 (x->c * y->a + x->d * y->c) % 10007, (x->c * y->b + x->d * y->d) % 10007 };
    *x = z;
}
DF_ORDERED_REDUCTION(product, matrix, times, ({ 1, 0, 0, 1 }));

static void put(text *t, int c)
{
    char s[2];
    s[0] = (char)('!' + c % 90), s[1] = 0;
    strcat(t->s, s);
    test_spin((unsigned)(c * 7 % 5) * 1000);
}
DF_TASK(void, letter, df_reduce(concatenation, text, t, 1), (int, c));
void letter(text *t, int c) { put(t, c); }
DF_TASK(void, plain_letter, df_reduce(joined, text, t, 1), (int, c));
void plain_letter(text *t, int c) { put(t, c); }
DF_TASK(void, tree, df_reduce(concatenation, text, t, 1), (int, lo), (int, hi)); /* contributions from below */
void tree(text *t, int lo, int hi)
{
    int middle = (lo + hi) / 2;
    put(t, lo);
    if (hi - lo < 2) return;
    df_submit(tree, t, lo, middle);
    df_submit(tree, t, middle, hi);
}
DF_TASK(void, mixed, df_reduce(df_sum, long, sum, 3), df_reduce(product, matrix, m, 2),
        df_reduce(concatenation, text, t, 1), (int, k));
void mixed(long *sum, matrix *m, text *t, int k)
{
    matrix f = { k + 1, 2, k % 3, 1 };
    for (int i = 0; i < 3; i++) sum[i] += k * i;
    times(&m[k % 2], &f);
    put(t, k);
}
DF_TASK(void, change, df_inout(text, t, 1));
void change(text *t) { t->s[strlen(t->s) / 2] = '-'; }

DF_LOOP(line, df_reduce(concatenation, text, t, 1));
void line(long lo, long hi, text *t) { for (; lo < hi; lo++) put(t, (int)lo); }
DF_LOOP(plain_line, df_reduce(joined, text, t, 1));
void plain_line(long lo, long hi, text *t) { for (; lo < hi; lo++) put(t, (int)lo); }
DF_LOOP2(plane, df_reduce(concatenation, text, t, 1));
void plane(long lo0, long hi0, long lo1, long hi1, text *t)
{
    for (long i = lo0; i < hi0; i++)
        for (long j = lo1; j < hi1; j++) put(t, (int)(i * 20 + j));
}
DF_LOOP3(box, df_reduce(concatenation, text, t, 1));
void box(long lo0, long hi0, long lo1, long hi1, long lo2, long hi2, text *t)
{
    for (long i = lo0; i < hi0; i++)
        for (long j = lo1; j < hi1; j++)
            for (long k = lo2; k < hi2; k++) put(t, (int)(i * 36 + j * 6 + k));
}

int main(void)
{
    text t, u;
    matrix m[2];
    long sum[3] = { 1, 2, 3 };
    df_taskgraph *g = df_taskgraph_new();
    for (int again = 0; again < 4; again++) {
        empty(&t), empty(&u), m[0] = m[1] = (matrix){ 1, 0, 0, 1 };
        DF_PARALLEL {
            for (int i = 0; i < 40; i++) df_submit(letter, &t, i);
            df_submit(change, &t);
            df_submit(tree, &t, 0, 30);
            for (int i = 0; i < 40; i++) df_submit(mixed, sum, m, &t, i);
            for (int i = 0; i < 40; i++) df_submit_with(DF_OPTS(.deterministic = 1), plain_letter, &u, i);
        }
        printf("%s\n%s\n%ld %ld %ld %lld %lld\n", t.s, u.s, sum[0], sum[1], sum[2], m[0].b, m[1].c);
        empty(&t), empty(&u);
        df_for(line, 0, 70, &t);
        df_for_with(DF_LOOP_OPTS(.grain = 3, .schedule = DF_DYNAMIC), line, 0, 70, &t);
        df_for_with(DF_LOOP_OPTS(.deterministic = 1), plain_line, 0, 70, &u);
        printf("%s\n%s\n", t.s, u.s);
        empty(&t);
        df_for2(plane, 0, 3, 0, 20, &t);
        df_for2_with(DF_LOOP_OPTS(.grain = 1, .grain1 = 7), plane, 0, 3, 0, 20, &t);
        df_for3(box, 0, 2, 0, 5, 0, 6, &t);
        df_wavefront_with(DF_LOOP_OPTS(.grain = 2, .grain1 = 3), plane, DF_VECTORS({1, 0}, {0, 1}), 0, 4, 0, 15, &t);
        printf("%s\n", t.s);
    }
    empty(&t);
    if (g) {
        DF_TASKGRAPH(g) for (int i = 0; i < 30; i++) df_submit(letter, &t, i);
        df_taskgraph_run(g);
        df_taskgraph_free(g);
    }
    printf("%s\n", t.s);
}
