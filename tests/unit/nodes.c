/* nodes.c - a node fires when each of its parameters was given once, by whomever, in any order */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

/* --- a grid: each node gives its neighbours to the right and below what they wait for --------------- */

enum { GRID = 60 };
DF_TASK(void, corner, (int, i), (int, j), (uint64_t, above), (uint64_t, left));
static df_node(corner) *grid[GRID][GRID];
static uint64_t result[GRID][GRID];

void corner(int i, int j, uint64_t above, uint64_t left)
{
    uint64_t h = test_mix(test_mix(above, left), (uint64_t)(i * GRID + j));
    if ((i + j) % 16 == 0) test_spin(1000);
    result[i][j] = h;
    if (i + 1 < GRID) df_node_set(corner, grid[i + 1][j], above, h);
    if (j + 1 < GRID) df_node_set(corner, grid[i][j + 1], left, h + 1);
}
static void wavefront(void)
{
    DF_PARALLEL {
        for (int i = 0; i < GRID; i++)
            for (int j = 0; j < GRID; j++) {
                CHECK((grid[i][j] = df_node_new_external(corner)) != NULL);
                df_node_set(corner, grid[i][j], j, j);
                df_node_set(corner, grid[i][j], i, i);
            }
        for (int i = 1; i < GRID; i++) { /* the borders; [0][0] last */
            df_node_set(corner, grid[i][0], left, 0);
            df_node_set(corner, grid[0][i], above, 0);
        }
        df_node_set(corner, grid[0][0], above, 1);
        df_node_set(corner, grid[0][0], left, 2);
    }
    printf("wavefront %016llx\n", (unsigned long long)result[GRID - 1][GRID - 1]);
}

/* --- nodes made by tasks, which hand on where their result has to go --------------------------------- */

struct place { struct add_dfi_node *node; int second; long *result; };
DF_TASK(void, add, (long, a), (long, b), (struct place, to));
DF_TASK(void, fib, (int, n), (struct place, to));
static void give(struct place to, long value)
{
    if (to.result) *to.result = value;
    else if (to.second) df_node_set(add, to.node, b, value);
    else df_node_set(add, to.node, a, value);
}
void add(long a, long b, struct place to) { give(to, a + b); }
void fib(int n, struct place to)
{
    if (n < 2) give(to, n);
    else {
        df_node(add) *sum = df_node_new(add);
        df_node(fib) *second = df_node_new(fib);
        struct place first = { sum, 0, NULL }, other = { sum, 1, NULL };
        df_submit(fib, n - 1, first);
        df_node_set(add, sum, to, to);
        df_node_set(fib, second, to, other);
        df_node_set(fib, second, n, n - 2);
    }
}

/* --- a long chain ------------------------------------------------------------------------------- */

enum { LONG = 100000 };
DF_TASK(void, pass_on, (int, i), (uint64_t, x));
static df_node(pass_on) *chain[LONG + 1];
static uint64_t end_of_chain;
void pass_on(int i, uint64_t x)
{
    if (i + 1 < LONG) df_node_set(pass_on, chain[i + 1], x, test_mix(x, (uint64_t)i));
    else end_of_chain = x;
}

/* --- any parameter -------------------------------------------------------------------------------- */

typedef struct { double re, im; } pair;
DF_TASK(void, any, (char, a), (pair, b), df_in(int, c, 2), df_out(double, d, 1), df_in_range(short, e, f),
        (const char *, g), df_reduce(df_sum, long, h, 1), df_commute2(int, i, 1, 1, 1), df_weak_inout(int, j, 1));
void any(char a, pair b, const int *c, double *d, const short *e, const short *f, const char *g, long *h, int *i,
         int *j)
{
    *d = a + b.re + b.im + c[0] + c[1] + (double)(f - e) + g[0];
    *h += 5, *i += 6, *j += 7;
}
DF_TASK(void, sixteen, (int, a), (int, b), (int, c), (int, d), (int, e), (int, f), (int, g), (int, h), (int, i),
        (int, j), (int, k), (int, l), (int, m), (int, n), (int, o), (long *, to));
void sixteen(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m, int n, int o,
             long *to)
{
    *to = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m + 14 * n + 15 * o;
}
static int fired;
DF_TASK(void, none);
void none(void) { fired++; }

/* Gives one of the parameters of a node, from a task of its own. */
DF_TASK(void, gives, (struct sixteen_dfi_node *, n), (int, which));
void gives(struct sixteen_dfi_node *n, int which)
{
    switch (which) {
#define GIVE(k, x) case k: df_node_set(sixteen, n, x, k); break
    GIVE(1, a); GIVE(2, b); GIVE(3, c); GIVE(4, d); GIVE(5, e); GIVE(6, f); GIVE(7, g); GIVE(8, h);
    GIVE(9, i); GIVE(10, j); GIVE(11, k); GIVE(12, l); GIVE(13, m); GIVE(14, n); GIVE(15, o);
    }
}
static void parameters(void)
{
    int c[2] = { 1, 2 }, i = 0, j = 0;
    short e[3];
    long h = 0, to[50] = { 0 };
    double d = 0;
    pair b = { 3, 4 };
    DF_PARALLEL {
        df_node(any) *n = df_node_new(any);
        df_node_set(any, n, j, &j);
        df_node_set(any, n, i, &i);
        df_node_set(any, n, h, &h);
        df_node_set(any, n, f, e + 3);
        df_node_set(any, n, e, e);
        df_node_set(any, n, g, "\001");
        df_node_set(any, n, d, &d);
        df_node_set(any, n, c, c);
        df_node_set(any, n, a, 5);
        df_node_set(any, n, b, b);
        for (int k = 0; k < 50; k++) {
            df_node(sixteen) *s = df_node_new(sixteen);
            df_node_set(sixteen, s, to, &to[k]);
            for (int w = 0; w < 15; w++) df_submit(gives, s, (w + k) % 15 + 1);
        }
        (void)df_node_new(none); /* has all it needs */
    }
    printf("parameters %.0f %ld %d %d %d", d, h, i, j, fired);
    for (int k = 0; k < 50; k++) CHECK(to[k] == to[0]);
    printf(" %ld\n", to[0]);
}

int main(void)
{
    wavefront();
    long x = 0;
    df_submit(fib, 16, (struct place){ NULL, 0, &x });
    df_wait();
    printf("fib %ld\n", x);
    DF_PARALLEL {
        for (int i = 0; i < LONG; i++) {
            CHECK((chain[i] = df_node_new(pass_on)) != NULL);
            df_node_set(pass_on, chain[i], i, i);
        }
        df_node_set(pass_on, chain[0], x, 1);
    }
    printf("chain %016llx\n", (unsigned long long)end_of_chain);
    parameters();
}
