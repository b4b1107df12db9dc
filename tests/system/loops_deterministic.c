/* loops_deterministic.c - reductions of loops with .deterministic, or df_config.deterministic, give the same bits with
 * 1, 2, 3, 4 and 8 workers, in every run, in tasks, in loops and beside other work */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 5000, LD = 6 };

/* Magnitudes differ by 2^60: any other order of addition gives other bits. */
static double number(uint64_t i)
{
    uint64_t h = test_mix(i, 77);
    double x = (double)(h % 1000003) / 7;
    for (int k = (int)(h >> 40) % 31; k > 0; k--) x *= 4;
    return h & 1 << 21 ? -x : x;
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

DF_LOOP(sums, (unsigned, slow), df_reduce(df_sum, double, x, 3), df_reduce(df_prod, float, p, 1),
        df_reduce(composed, affine, f, 1));
void sums(long lo, long hi, unsigned slow, double *x, float *p, affine *f)
{
    for (long i = lo; i < hi; i++) {
        affine one = { 1 + (double)(i % 5) / 1000, (double)(i % 7) };
        x[i % 3] += number((uint64_t)i);
        *p *= 1 + (float)(i % 13) / 97777;
        affine_join(f, &one);
        if (i % 32 == 0) test_spin(slow);
    }
}
DF_LOOP2(plane, df_reduce2(df_sum, float, x, 3, 4, LD));
void plane(long lo, long hi, long lo1, long hi1, float *x)
{
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++) x[i % 3 * LD + j % 4] += (float)number((uint64_t)(i * 1000 + j)) / 1e20f;
}
DF_LOOP3(box, df_reduce(df_sum, double, x, 1));
void box(long lo, long hi, long lo1, long hi1, long lo2, long hi2, double *x)
{
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++)
            for (long k = lo2; k < hi2; k++) *x += number((uint64_t)(i * 10000 + j * 100 + k));
}
struct values { double x[3], y[3][3], inner; float p, q[3], plane[3 * LD]; affine f, g[3]; };

DF_TASK(void, in_task, df_out(double, y, 3), df_out(float, p, 1), df_out(affine, f, 1), (int, k), (int, option));
void in_task(double *y, float *p, affine *f, int k, int option)
{
    y[0] = y[1] = y[2] = 0, *p = 1;
    affine_none(f);
    df_for_with(DF_LOOP_OPTS(.deterministic = option), sums, k, N / 3, 100, y, p, f);
}
DF_LOOP(nested, (int, option), df_reduce(df_sum, double, x, 1));
void nested(long lo, long hi, int option, double *x)
{
    for (long i = lo; i < hi; i++) df_for3_with(DF_LOOP_OPTS(.deterministic = option), box, i, i + 3, 0, 2, 0, 5, x);
}
static void compute(struct values *v, int option, int schedule)
{
    df_loop o = { .deterministic = option, .schedule = schedule };
    memset(v, 0, sizeof *v);
    v->p = 1;
    affine_none(&v->f);
    df_for_with(&o, sums, 0, N, schedule % 2 ? 500 : 0, v->x, &v->p, &v->f);
    df_for2_with(&o, plane, 0, 3, 0, 200, v->plane);
    df_for2_with(&o, plane, 0, 2, 0, 1, v->plane);
    df_for2_with(&o, plane, 0, 200, 0, 4, v->plane);
    df_for3_with(&o, box, 0, 2, 0, 20, 0, 30, v->x);
    o.grain1 = 3;
    df_for3_with(&o, box, 0, 10, 0, 10, 0, 10, v->x);
    DF_PARALLEL {
        for (int k = 0; k < 3; k++) df_submit(in_task, v->y[k], &v->q[k], &v->g[k], k, option);
        df_for_with(&o, nested, 0, 40, option, &v->inner);
    }
}

int main(void)
{
    static const int workers[] = { 1, 2, 3, 4, 8 };
    static struct values first, v;
    for (int w = 0; w < 5; w++)
        for (int config = 0; config < 2; config++) {
            df_config c = { .workers = workers[w], .deterministic = config };
            CHECK(df_start(&c) == DF_OK);
            for (int r = 0; r < 12; r++) {
                struct values *to = w + config + r ? &v : &first;
                compute(to, !config, r % 4);
                CHECK(!memcmp(to, &first, sizeof first));
            }
            df_stop();
        }
}
