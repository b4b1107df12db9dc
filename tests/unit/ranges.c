/* ranges.c - ranges, sizes that are expressions over the other parameters, empty regions */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

DF_TASK(void, fill, df_out_range(int, b, e), (int, v));
void fill(int *b, int *e, int v)
{
    for (; b < e; b++) *b = v++;
}
DF_TASK(void, scale, df_inout_range(int, b, e), (int, f));
void scale(int *b, int *e, int f)
{
    for (; b < e; b++) *b = *b * f % 1009;
}
DF_TASK(void, total, df_in_range(int, b, e), df_out(int, to, 1));
void total(const int *b, const int *e, int *to)
{
    *to = 0;
    for (; b < e; b++) *to += *b;
}
/* a triangle in packed storage: row i holds i + 1 elements and starts at i * (i + 1) / 2 */
typedef struct { int rows; } shape;
DF_TASK(void, triangle, (shape, s), df_inout(int, t, s.rows *(s.rows + 1) / 2), df_in(int, x, 2 * s.rows - 1));
void triangle(shape s, int *t, const int *x)
{
    for (int i = 0; i < s.rows; i++)
        for (int j = 0; j <= i; j++) t[i * (i + 1) / 2 + j] += x[i + j];
}
/* counts of every integer type, signed and unsigned */
DF_TASK(void, types, df_inout(int, a, n1), df_inout(int, b, n2), df_inout(int, c, n3), df_inout(int, d, n4),
        (signed char, n1), (unsigned short, n2), (size_t, n3), (long long, n4));
void types(int *a, int *b, int *c, int *d, signed char n1, unsigned short n2, size_t n3, long long n4)
{
    for (int i = 0; i < n1; i++) a[i]++;
    for (int i = 0; i < n2; i++) b[i] += 2;
    for (size_t i = 0; i < n3; i++) c[i] += 3;
    for (long long i = 0; i < n4; i++) d[i] += 4;
}
DF_TASK(void, maybe, df_inout(int, p, n), df_inout2(int, q, rows, cols, 4), (int, n), (int, rows), (int, cols));
void maybe(int *p, int *q, int n, int rows, int cols)
{
    for (int i = 0; i < n; i++) p[i]++;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) q[4 * i + j]++;
}

enum { N = 300 };

int main(void)
{
    int a[N], sum[10], t[28] = { 0 }, none[1] = { 0 };
    DF_PARALLEL { /* ranges that overlap partly, and such that only touch */
        df_submit(fill, a, a + N, 1);
        for (int k = 0; k < 60; k++) {
            int at = k * 37 % 250;
            df_submit(scale, a + at, a + at + 50, k + 2);
            df_submit(fill, a + at, a + at, 99);    /* empty */
        }
        for (int k = 0; k < 10; k++) df_submit(total, a + 30 * k, a + 30 * (k + 1), &sum[k]);
        df_submit(fill, a + 100, a + 200, 7);
    }
    for (int k = 0; k < 10; k++) printf("%d ", sum[k]);
    printf("\n");

    DF_PARALLEL {
        for (int n = 7; n > 0; n--) df_submit(triangle, (shape){ n }, t, a + 100);
        df_submit(fill, a + 100, a + 113, 1);
        df_submit(triangle, (shape){ 7 }, t, a + 100);
    }
    for (int i = 0; i < 28; i++) printf("%d ", t[i]);
    printf("\n");

    DF_PARALLEL {
        df_submit(fill, a, a + N, 0);
        for (int k = 0; k < 20; k++) df_submit(types, a, a + 100, a + 150, a + 250, 60, 50, 100, 50);
        for (int k = 0; k <= 4; k++) {
            df_submit(types, a, a, a, a, (signed char)k, 0, 0, k);
            df_submit(maybe, a, a + 50, k, k, 2);
            df_submit(maybe, a, a + 50, k, 2, k);
            df_submit(maybe, none, none, 0, 0, 0);
        }
    }
    int h = 0;
    for (int i = 0; i < N; i++) h = (h * 31 + a[i]) % 1000003;
    printf("%d %d\n", h, none[0]);
}
