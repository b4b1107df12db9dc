/* tokens.c - a task starts when its tokens are open, and not before, with any signaller, and any number of signals
 *
 * The shared memory of the tasks is not declared: tokens are their only order. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { MANY = 200 };
static uint64_t trace;

DF_TASK(void, append, (int, k), (unsigned, slow));
void append(int k, unsigned slow)
{
    test_spin(slow);
    trace = test_mix(trace, (uint64_t)k);
}
DF_TASK(void, put, (long *, x), (long, k), (unsigned, slow));
void put(long *x, long k, unsigned slow)
{
    test_spin(slow);
    *x = k;
}
DF_TASK(void, sum, (const long *, x), (int, n), (long *, to));
void sum(const long *x, int n, long *to)
{
    for (*to = 0; n > 0; n--) *to += *x++;
}
DF_TASK(void, signal_it, (df_token *, t), (long *, x), (long, k));
void signal_it(df_token *t, long *x, long k)
{
    *x = k;
    df_signal(t);
}

static void chain(void)
{
    static df_token t[1000];
    trace = 0;
    for (int i = 0; i < 1000; i++) df_token_init(&t[i], 1);
    DF_PARALLEL {
        df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t[0])), append, 0, 5000);
        for (int i = 1; i < 1000; i++)
            df_submit_with(DF_OPTS(.after = DF_TOKENS(&t[i - 1]), .signals = DF_TOKENS(&t[i])), append, i,
                           i % 9 ? 0 : 500);
    }
    printf("chain %016llx\n", (unsigned long long)trace);
}
/* Submitted last to first: the first to run is the last to come. */
static void backwards(void)
{
    enum { N = 20000 };
    static df_token t[N];
    trace = 0;
    for (int i = 0; i < N; i++) df_token_init(&t[i], 1);
    DF_PARALLEL {
        for (int i = N - 1; i >= 1; i--)
            df_submit_with(DF_OPTS(.after = DF_TOKENS(&t[i - 1]), .signals = DF_TOKENS(&t[i])), append, i, 0);
        df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t[0])), append, 0, 0);
    }
    printf("backwards %016llx\n", (unsigned long long)trace);
}
/* Many signals for one token, before and after the tasks that wait for it; by option, by call, from outside. */
static void many(void)
{
    long x[MANY + 1] = { 0 }, y[MANY] = { 0 }, all = 0;
    df_token t = DF_TOKEN(MANY + 1), u = DF_TOKEN(MANY);
    DF_PARALLEL {
        for (int i = 0; i < MANY / 2; i++)
            df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .signals = DF_TOKENS(&u)), sum, x, MANY + 1, &y[i]);
        for (int i = 0; i < MANY; i++)
            if (i % 2) df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), put, &x[i], i, i % 11 ? 0 : 3000);
            else df_submit(signal_it, &t, &x[i], i);
        x[MANY] = 1000;
        df_signal(&t);
        for (int i = MANY / 2; i < MANY; i++)
            df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .signals = DF_TOKENS(&u)), sum, x, MANY + 1, &y[i]);
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&u)), sum, y, MANY, &all);
    }
    printf("many %ld\n", all);
}
/* A random graph, submitted in random order. */
enum { NODES = 120, BEFORE = 4 };
struct node { int n, from[BEFORE]; uint64_t value; };
DF_TASK(void, visit, (struct node *, all), (int, i));
void visit(struct node *all, int i)
{
    uint64_t h = (uint64_t)i;
    for (int k = 0; k < all[i].n; k++) h = test_mix(h, all[all[i].from[k]].value);
    all[i].value = h;
}
static void graph(uint64_t seed)
{
    static struct node all[NODES];
    static df_token t[NODES];
    static df_token *after[NODES][2], *signals[NODES][NODES * BEFORE];
    int order[NODES], out[NODES] = { 0 };
    for (int i = 0; i < NODES; i++) {
        struct node *x = &all[i];
        x->n = i ? test_below(&seed, BEFORE + 1) : 0, x->value = 0;
        for (int k = 0; k < x->n; k++) { /* t[i] opens when all its predecessors are done; one may be there twice */
            x->from[k] = test_below(&seed, i);
            signals[x->from[k]][out[x->from[k]]++] = &t[i];
        }
        df_token_init(&t[i], x->n + 1);
        after[i][0] = &t[i], after[i][1] = NULL;
        order[i] = i;
    }
    for (int i = 0; i < NODES; i++) signals[i][out[i]] = NULL;
    for (int i = NODES - 1; i > 0; i--) {
        int k = test_below(&seed, i + 1), o = order[i];
        order[i] = order[k], order[k] = o;
    }
    DF_PARALLEL {
        for (int i = 0; i < NODES; i++)
            df_submit_with(DF_OPTS(.after = after[order[i]], .signals = signals[order[i]]), visit, all, order[i]);
        for (int i = 0; i < NODES; i++) df_signal(&t[i]); /* and the last signal is ours */
    }
    for (int i = 1; i < NODES; i++) all[0].value = test_mix(all[0].value, all[i].value);
    printf("graph %016llx\n", (unsigned long long)all[0].value);
}
/* After df_wait_token what was signalled is there; a token may be used again. */
static void waiting(void)
{
    long x[8] = { 0 };
    df_token t;
    for (int round = 0; round < 100; round++) {
        df_token_init(&t, 8);
        for (int i = 0; i < 8; i++)
            df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), put, &x[i], round + i,
                           (unsigned)(i == round % 16 ? 3000 : 0));
        CHECK(df_wait_token(&t) == DF_OK);
        for (int i = 0; i < 8; i++) CHECK(x[i] == round + i);
        CHECK(df_wait_token(&t) == DF_OK);
    }
    df_wait();
    df_token_init(&t, 0); /* needs no signal */
    CHECK(df_wait_token(&t) == DF_OK);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), put, &x[0], -1, 0);
    df_wait();
    printf("waiting %ld %ld\n", x[0], x[7]);
}
/* Inside tasks; the memory is declared as well, and tokens add to that order. */
DF_TASK(void, both, df_inout(long, x, 1), (long, k));
void both(long *x, long k) { *x = *x * 10 + k; }
DF_TASK(void, inside, df_out(long, x, 2), (long, k));
void inside(long *x, long k)
{
    df_token t = DF_TOKEN(1), u = DF_TOKEN(2);
    long from = 0;
    x[0] = x[1] = 0;
    df_submit_with(DF_OPTS(.signals = DF_TOKENS(&u)), both, &x[0], k);
    df_submit_with(DF_OPTS(.signals = DF_TOKENS(&u)), both, &x[1], k + 1);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&u), .signals = DF_TOKENS(&t)), sum, x, 2, &from);
    CHECK(df_wait_token(&t) == DF_OK);
    df_submit(both, &x[0], from);
    df_submit(both, &x[1], from + 1);
}
static void nested(void)
{
    long x[40] = { 0 };
    uint64_t h = 0;
    DF_PARALLEL {
        for (int i = 0; i < 200; i++) df_submit(inside, &x[i % 20 * 2], i % 7);
    }
    for (int i = 0; i < 40; i++) h = test_mix(h, (uint64_t)x[i]);
    printf("nested %016llx\n", (unsigned long long)h);
}

static df_token in_static_memory = DF_TOKEN(1), external = DF_TOKEN_EXTERNAL(2);

int main(void)
{
    long x = 0;
    chain();
    backwards();
    many();
    for (uint64_t seed = 1; seed <= 20; seed++) graph(seed);
    waiting();
    nested();
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&in_static_memory, &external)), put, &x, 5, 0);
    df_signal(&external);
    df_signal(&in_static_memory);
    df_signal(&external);
    df_wait();
    printf("%ld\n", x);
}
