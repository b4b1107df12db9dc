/* outputs.c - inputs of nodes as values: passed to tasks and nodes of other types, kept in memory, given once */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

/* --- continuations: each fib gives its number to whatever waits for it --------------------------------- */

DF_TASK(void, store, (long, value), (long *, to));
void store(long value, long *to) { *to = value; }
DF_TASK(void, add, (long, a), (long, b), (df_output(long) *, to));
void add(long a, long b, df_output(long) *to) { df_give(to, a + b); }
DF_TASK(void, fib, (int, n), (df_output(long) *, to));
void fib(int n, df_output(long) *to)
{
    if (n < 2) df_give(to, n);
    else {
        df_node(add) *sum = df_node_new(add);
        df_node(fib) *second = df_node_new(fib); /* a node takes an output as it takes any value */
        df_submit(fib, n - 1, df_node_output(add, sum, a));
        df_give(df_node_output(add, sum, to), to);
        df_node_set(fib, second, n, n - 2);
        df_node_set(fib, second, to, df_node_output(add, sum, b));
    }
}
static void continuations(void)
{
    long x = 0;
    DF_PARALLEL {
        df_node(store) *end = df_node_new(store);
        df_node_set(store, end, to, &x);
        df_submit(fib, 16, df_node_output(store, end, value));
    }
    printf("fib %ld\n", x);
}

/* --- a task that gives outputs of nodes of several types, which it does not know ------------------------- */

enum { FEW = 40 };
typedef struct { double re, im; } pair;
typedef struct { df_output(int) *n; df_output(pair) *z; df_output(const char *) *text; } places;
static uint64_t seen[3][FEW];

DF_TASK(void, number, (int, at), (const int, n), df_in(int, more, 2));
void number(int at, const int n, const int *more) { seen[0][at] = test_mix((uint64_t)n, (uint64_t)(more[0] + more[1])); }
DF_TASK(void, complex_number, (pair, z), (int, at));
void complex_number(pair z, int at) { seen[1][at] = test_mix((uint64_t)z.re, (uint64_t)z.im); }
DF_TASK(void, words, (char, c), (const char *, text), df_in_range(short, b, e), (int, at), df_out(double, d, 1));
void words(char c, const char *text, const short *b, const short *e, int at, double *d)
{
    seen[2][at] = test_mix(strlen(text), (uint64_t)(c + (e - b)));
    *d = (double)at;
}
DF_TASK(void, gives, (int, i), (places, to));
void gives(int i, places to)
{
    pair z = { i, i + 1 };
    if (i % 4 == 0) test_spin(1000);
    df_give(to.z, z);
    df_give(to.text, i % 2 ? "odd" : "even ");
    df_give(to.n, (short)(i * 3)); /* converted, as in a call */
}
static df_output(char) *letter[FEW];
DF_TASK(void, letters, (int, from), (int, to));
void letters(int from, int to)
{
    for (int i = from; i < to; i++) df_give(letter[i], (char)(40 + i));
}
static void strangers(void)
{
    static const int more[2] = { 5, 6 };
    static const short s[FEW];
    static double d[FEW];
    double sum = 0;
    uint64_t h = 0;
    DF_PARALLEL {
        for (int i = 0; i < FEW; i++) {
            df_node(number) *a = df_node_new(number);
            df_node(complex_number) *b = df_node_new(complex_number);
            df_node(words) *c = df_node_new(words);
            places to = { df_node_output(number, a, n), df_node_output(complex_number, b, z),
                          df_node_output(words, c, text) };
            df_output(const int *) *pointer = df_node_output(number, a, more);
            df_output(const short *) *begin = df_node_output(words, c, b), *end = df_node_output(words, c, e);
            df_output(double *) *out = df_node_output(words, c, d);
            letter[i] = df_node_output(words, c, c);
            df_submit(gives, i, to);
            df_give(end, s + i);
            df_node_set(number, a, at, i);
            df_give(df_node_output(complex_number, b, at), i);
            df_give(pointer, more);
            df_node_set(words, c, at, i);
            df_give(out, &d[i]);
            df_give(begin, s);
        }
        df_submit(letters, 0, FEW / 2);
        df_submit(letters, FEW / 2, FEW);
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < FEW; i++) h = test_mix(h, seen[k][i]), sum += d[i];
    printf("strangers %016llx %.0f\n", (unsigned long long)h, sum);
}

/* --- any parameter: every output of a node with as many inputs as a node can have --------------------------------- */

#define RANGE(b, e) df_in_range(short, b, e)
DF_TASK(void, wide, RANGE(a, b), RANGE(c, d), RANGE(e, f), RANGE(g, h), RANGE(i, j), RANGE(k, l), RANGE(m, n),
        RANGE(o, p), RANGE(q, r), RANGE(s, t), RANGE(u, v), RANGE(w, x), RANGE(y, z), RANGE(aa, bb), RANGE(cc, dd),
        (uint64_t *, sum));
#define ORDERED(b, e) (uint64_t)(e - b) + 10 * (uint64_t)*b
void wide(const short *a, const short *b, const short *c, const short *d, const short *e, const short *f,
          const short *g, const short *h, const short *i, const short *j, const short *k, const short *l,
          const short *m, const short *n, const short *o, const short *p, const short *q, const short *r,
          const short *s, const short *t, const short *u, const short *v, const short *w, const short *x,
          const short *y, const short *z, const short *aa, const short *bb, const short *cc, const short *dd,
          uint64_t *sum)
{
    const uint64_t all[] = { ORDERED(a, b), ORDERED(c, d), ORDERED(e, f), ORDERED(g, h), ORDERED(i, j), ORDERED(k, l),
        ORDERED(m, n), ORDERED(o, p), ORDERED(q, r), ORDERED(s, t), ORDERED(u, v), ORDERED(w, x), ORDERED(y, z),
        ORDERED(aa, bb), ORDERED(cc, dd) };
    for (int at = 0; at < 15; at++) *sum = test_mix(*sum, all[at]);
}
DF_TASK(void, give_shorts, (df_output(const short *) *, to), (const short *, p));
void give_shorts(df_output(const short *) *to, const short *p) { df_give(to, p); }
static void all_inputs(void)
{
    static short x[64];
    uint64_t sum = 0;
    for (int i = 0; i < 64; i++) x[i] = (short)(i * i);
    DF_PARALLEL {
        df_node(wide) *node = df_node_new(wide);
        int at = 0;
        df_give(df_node_output(wide, node, sum), &sum);
#define GIVE(input) df_submit(give_shorts, df_node_output(wide, node, input), &x[at++])
        GIVE(a); GIVE(b); GIVE(c); GIVE(d); GIVE(e); GIVE(f); GIVE(g); GIVE(h); GIVE(i); GIVE(j); GIVE(k); GIVE(l);
        GIVE(m); GIVE(n); GIVE(o); GIVE(p); GIVE(q); GIVE(r); GIVE(s); GIVE(t); GIVE(u); GIVE(v); GIVE(w); GIVE(x);
        GIVE(y); GIVE(z); GIVE(aa); GIVE(bb); GIVE(cc);
        df_give(df_node_output(wide, node, dd), &x[at]);
    }
    printf("wide %016llx\n", (unsigned long long)sum);
}

/* --- none: no effect; arguments are evaluated once ------------------------------------------------------------- */

static void nothing(void)
{
    long x = 0;
    int k = 0;
    df_output(long) *none = df_node_output(store, (df_node(store) *)NULL, value);
    df_output(long) *outputs[2];
    CHECK(none == NULL);
    df_give(none, 1);
    DF_PARALLEL {
        df_node(store) *n = df_node_new(store);
        outputs[0] = none, outputs[1] = df_node_output(store, n, value);
        df_node_set(store, n, to, &x);
        df_give(outputs[k++], 10);
        df_give(outputs[k++], 20);
    }
    CHECK(k == 2);
    printf("given %ld\n", x);
}

/* --- a list of continuations: a value that comes once, for all that wait for it ------------------------------- */

DF_TASK(void, each, (int, i), (uint64_t, value));
static uint64_t got[FEW];
void each(int i, uint64_t value) { got[i] = test_mix(value, (uint64_t)i); }
typedef struct { df_output(uint64_t) *to[FEW]; int n; } list;
DF_TASK(void, broadcast, (uint64_t, value), (list, all));
void broadcast(uint64_t value, list all)
{
    for (int i = 0; i < all.n; i++) df_give(all.to[i], value);
}
DF_TASK(void, late, (df_output(uint64_t) *, to));
void late(df_output(uint64_t) *to)
{
    test_spin(20000);
    df_give(to, 99);
}
static uint64_t lists(void)
{
    uint64_t h = 0;
    list all = { { NULL }, FEW };
    DF_PARALLEL {
        df_node(broadcast) *b = df_node_new(broadcast);
        for (int i = 0; i < FEW; i++) {
            df_node(each) *e = df_node_new(each);
            df_node_set(each, e, i, i);
            all.to[i] = df_node_output(each, e, value);
        }
        df_submit(late, df_node_output(broadcast, b, value));
        df_node_set(broadcast, b, all, all);
    }
    for (int i = 0; i < FEW; i++) h = test_mix(h, got[i]);
    return h;
}

int main(void)
{
    continuations();
    strangers();
    all_inputs();
    nothing();
    uint64_t h = lists();
    for (int i = 0; i < 20; i++) CHECK(lists() == h);
    printf("list %016llx\n", (unsigned long long)h);
}
