/* owm.c - tasks that hand large data on in place: ordered by streams, tokens, regions, nodes, futures and loops;
 * ownership orders nothing and, in this build, is nothing */
#include "df_owm.h"
#include "../test.h"
#define DF_IMPLEMENTATION
#include "df_owm.h"

enum { N = 5000, BLOCKS = 10, BLOCK = N / BLOCKS };

/* --- a stream of permissions: the data stay where they are ------------------------------------------------ */

DF_TASK(void, produce, df_owm_out(int, p, n), (int, n), (int, k), df_push(int, done, 1));
void produce(int *p, int n, int k, int *done)
{
    for (int i = 0; i < n; i++) p[i] = i * k;
    *done = k;
}
DF_TASK(void, transform, df_owm_inout(int, p, n), (int, n), df_pop(int, given, 1), df_push(int, done, 1));
void transform(int *p, int n, const int *given, int *done)
{
    for (int i = 0; i < n; i++) p[i] += *given;
    df_owm_release(p, (size_t)n * sizeof *p);
    *done = *given;
}
DF_TASK(void, consume, df_owm_in(int, p, n), (int, n), df_pop(int, given, 1), (long *, sum));
void consume(const int *p, int n, const int *given, long *sum)
{
    for (int i = 0; i < n; i++) *sum += (long)p[i] * *given;
}
static void streams(void)
{
    int *a = (int *)df_owm_alloc(N * sizeof *a);
    long sum[BLOCKS] = { 0 };
    df_stream *first = df_stream_new(sizeof(int), 3), *second = df_stream_new(sizeof(int), 3);
    for (int b = 0; b < BLOCKS; b++) {
        int *p = a + b * BLOCK;
        df_submit(produce, p, BLOCK, b + 1, first);
        df_submit(transform, p, BLOCK, first, second);
        df_submit(consume, p, BLOCK, second, &sum[b]);
    }
    df_wait();
    for (int b = 0; b < BLOCKS; b++) printf(" %ld", sum[b]);
    printf("\n");
    df_stream_free(first), df_stream_free(second);
    df_owm_free(a);
}

/* --- tokens, regions, nodes, futures ---------------------------------------------------------------------- */

DF_TASK(long, add, df_owm_in(int, p, n), df_owm_inout(int, q, n), (int, n));
long add(const int *p, int *q, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) sum += q[i] += p[i];
    return sum;
}
DF_TASK(void, by_region, df_inout(char, order, 1), df_owm_inout(int, p, n), (int, n), (int, k));
void by_region(char *order, int *p, int n, int k)
{
    *order = (char)k;
    for (int i = 0; i < n; i++) p[i] = 3 * p[i] + k;
}
static long in_halves(int *p, int *q, int n)
{
    if (n < 300) { /* a call, which owns nothing by itself */
        size_t bytes = (size_t)n * sizeof *p;
        CHECK(df_owm_acquire(p, bytes, DF_OWM_R) == DF_OK && df_owm_acquire(q, bytes, DF_OWM_RW) == DF_OK);
        long sum = add(p, q, n);
        CHECK(df_owm_release(q, bytes) == DF_OK && df_owm_release(p, bytes) == DF_OK);
        return sum;
    }
    df_future(add) f;
    df_spawn(add, &f, p, q, n / 2);
    long right = in_halves(p + n / 2, q + n / 2, n - n / 2);
    return df_sync(add, &f) + right;
}
static void orders(void)
{
    int *a = (int *)df_owm_alloc(N * sizeof *a), *b = (int *)df_owm_alloc(N * sizeof *b);
    char order = 0;
    df_token t = DF_TOKEN(1), u = DF_TOKEN(1);
    CHECK(a && b && a[N - 1] == 0 && df_owm_acquire(a, N * sizeof *a, DF_OWM_W) == DF_OK);
    for (int i = 0; i < N; i++) a[i] = i;
    CHECK(df_owm_release(a, N * sizeof *a) == DF_OK);
    df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), add, a, b, N);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t), .signals = DF_TOKENS(&u)), add, b, a, N);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&u)), add, a, b, N);
    df_wait();
    for (int k = 0; k < 8; k++) df_submit(by_region, &order, b, N, k);
    df_wait();
    printf("%d %d %d\n", a[N - 1], b[N - 1], order);
    df_node(add) *n = df_node_new(add);
    df_node_set(add, n, p, b);
    df_node_set(add, n, n, N);
    df_node_set(add, n, q, a);
    df_wait();
    printf("%d %ld\n", a[N - 1], in_halves(a, b, N));
    CHECK(df_owm_freeze(b, N * sizeof *b) == DF_OK);
    df_owm_ownership o;
    CHECK(df_owm_owner(b, &o) == DF_OK && o.mode == 0);
    df_owm_free(a);
    df_owm_free(b);
    df_owm_free(NULL);
}

/* --- the mode as an argument -------------------------------------------------------------------------------- */

/* To read: adds up. To write: fills. Else both. */
DF_TASK(void, uses, (df_owm_mode, mode), (int *, p), (int, n), df_inout(char, order, 1), df_inout(long, sum, 1));
void uses(df_owm_mode mode, int *p, int n, char *order, long *sum)
{
    CHECK(df_owm_acquire(p, (size_t)n * sizeof *p, mode) == DF_OK);
    for (int i = 0; i < n; i++) {
        if (mode & DF_OWM_R) *sum += p[i];
        if (mode & DF_OWM_W) p[i] = mode & DF_OWM_R ? 2 * p[i] + *order : i;
    }
    CHECK(df_owm_release(p, (size_t)n * sizeof *p) == DF_OK);
    ++*order;
}
static void modes(void)
{
    static const df_owm_mode in_turn[] = { DF_OWM_W, DF_OWM_R, DF_OWM_RW, DF_OWM_RW, DF_OWM_R };
    int *a = (int *)df_owm_alloc(N * sizeof *a);
    long sum[5] = { 0 };
    char order = 0;
    for (int i = 0; i < 5; i++) df_submit(uses, in_turn[i], a, N, &order, &sum[i]);
    df_wait();
    for (int i = 0; i < 5; i++) printf("%ld%c", sum[i], i < 4 ? ' ' : '\n');
    df_owm_free(a);
}

/* --- loops, and processes of which there is one ---------------------------------------------------------------- */

DF_LOOP(fill, (long *, p));
void fill(long lo, long hi, long *p)
{
    df_owm_acquire(p + lo, (size_t)(hi - lo) * sizeof *p, DF_OWM_W);
    for (long i = lo; i < hi; i++) p[i] = i * i;
    df_owm_release(p + lo, (size_t)(hi - lo) * sizeof *p);
}
static void loops(void)
{
    long *p = (long *)df_owm_alloc(N * sizeof *p), sum = 0;
    int me = df_owm_join(NULL, 4);
    for (int i = me; i < 10; i += df_owm_processes()) df_owm_advance(i);
    for (int i = 0; i < 10; i++) CHECK(df_owm_await(i, 1) == DF_OK);
    df_owm_advance(DF_OWM_EVENTS - 1); /* the last one */
    CHECK(df_owm_await(DF_OWM_EVENTS - 1, 1) == DF_OK);
    df_for(fill, 0, N, p);
    for (int i = 0; i < N; i++) sum += p[i];
    printf("%d of %d: %ld\n", me, df_owm_processes(), sum);
    CHECK((uintptr_t)p % 64 == 0);
    df_owm_free(p);
}

int main(void)
{
    streams();
    orders();
    modes();
    loops();
    return 0;
}
