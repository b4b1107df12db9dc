/* deterministic.c - df_config.deterministic: floating-point reductions give the same bits at every number of workers
 * and in every run */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 7, TASKS = 400, DEEP = 3000, LD = 6 };

/* Magnitudes differ by 2^60: any other order of addition gives other bits. */
static double number(uint64_t i)
{
    uint64_t h = test_mix(i, 77);
    double x = (double)(h % 1000003) / 7;
    for (int k = (int)(h >> 40) % 31; k > 0; k--) x *= 4;
    return h & 1 << 21 ? -x : x;
}
DF_TASK(void, add, df_reduce(df_sum, double, x, N), (int, k), (unsigned, slow));
void add(double *x, int k, unsigned slow)
{
    test_spin(slow);
    for (int i = 0; i < N; i++) x[i] += number((uint64_t)(k * N + i));
}
DF_TASK(void, add_block, df_reduce2(df_sum, float, x, 3, 4, LD), (int, k));
void add_block(float *x, int k)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) x[i * LD + j] += (float)number((uint64_t)(k + i * j)) / 1e20f;
}
DF_TASK(void, multiply, df_reduce(df_prod, double, x, 1), (int, k));
void multiply(double *x, int k) { *x *= 1 + (double)(k % 13) / 977; }
DF_TASK(void, tree, (int, first), (int, n), df_reduce(df_sum, double, x, 1)); /* contributions from below */
void tree(int first, int n, double *x)
{
    *x += number((uint64_t)(first + n));
    if (n > 1) {
        df_submit(tree, first, n / 2, x);
        df_submit(tree, first + n / 2, n - n / 2, x);
    }
}
DF_TASK(void, scale, df_inout(double, x, N));
void scale(double *x)
{
    for (int i = 0; i < N; i++) x[i] /= 3;
}
/* associative, but not commutative */
typedef struct { double a, b; } affine;
static void affine_none(affine *x) { *x = (affine){ 1, 0 }; }
static void affine_join(affine *into, const affine *from)
{
    into->b = from->a * into->b + from->b;
    into->a *= from->a;
}
DF_REDUCTION(composed, affine, affine_join, affine_none);
DF_TASK(void, compose, df_reduce(composed, affine, x, 1), (int, k));
void compose(affine *x, int k)
{
    affine y = { 1 + (double)(k % 5) / 100, k % 7 };
    affine_join(x, &y);
}

struct results { double x[N], p, t; float m[3 * LD]; affine c; };

static void compute(struct results *r)
{
    memset(r, 0, sizeof *r);
    r->p = 1, r->c.a = 1;
    DF_PARALLEL {
        for (int i = 0; i < TASKS; i++) {
            df_submit(add, r->x, i, i % 17 ? 0 : 3000);
            df_submit(multiply, &r->p, i);
            df_submit(add_block, r->m, i);
            df_submit(compose, &r->c, i);
            if (i % 100 == 50) df_submit(scale, r->x);
        }
        df_submit(tree, 1, DEEP, &r->t);
        df_submit(tree, 5, DEEP / 2, &r->t);
    }
}

/* --- tokens and handles of contributions, which do not wait for earlier contributions ------------------------------ */

DF_TASK(void, add_later, df_reduce(df_sum, long, x, 1), (df_token *, t), (long, k));
void add_later(long *x, df_token *t, long k)
{
    if (t) df_wait_token(t);
    *x += k;
}
static void not_in_order(void)
{
    long x = 0;
    df_token t = DF_TOKEN(1), u = DF_TOKEN(1);
    df_handle h = DF_HANDLE;
    df_submit_with(DF_OPTS(.after = DF_TOKENS(&t)), add_later, &x, NULL, 1L); /* the first one is combined last .. */
    df_submit_with(DF_OPTS(.signals = DF_TOKENS(&t)), add_later, &x, NULL, 10L); /* .. and waits for a later one */
    df_submit(add_later, &x, &u, 100L); /* it waits for the caller, .. */
    df_submit_with(DF_OPTS(.handle = &h), add_later, &x, NULL, 1000L);
    CHECK(df_wait_task(&h) == DF_OK); /* .. which waits for a later one */
    df_signal(&u);
    CHECK(df_wait_result() == DF_OK && x == 1111);
}

int main(void)
{
    static const int workers[] = { 1, 2, 3, 4, 8 };
    static struct results first, again;
    for (int i = 0; i < 5; i++)
        for (int defer = 0; defer <= (workers[i] == 1); defer++) {
            df_config c = { .workers = workers[i], .defer = defer, .deterministic = 1 };
            CHECK(df_start(&c) == DF_OK);
            for (int k = 0; k < 20; k++) not_in_order();
            for (int round = 0; round < (i ? 8 : 2); round++) {
                struct results *r = i || round || defer ? &again : &first;
                compute(r);
                if (r == &first) continue;
                CHECK(!memcmp(first.x, again.x, sizeof first.x));
                CHECK(!memcmp(&first.p, &again.p, sizeof first.p));
                CHECK(!memcmp(first.m, again.m, sizeof first.m));
                CHECK(!memcmp(&first.c, &again.c, sizeof first.c));
                CHECK(!memcmp(&first.t, &again.t, sizeof first.t));
            }
            df_stop();
        }
}
