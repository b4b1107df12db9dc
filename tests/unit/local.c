/* local.c - df_local: zeroed, aligned for its type, alive until the tasks of the scope are done */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

typedef struct { char c[3]; } odd;

DF_TASK(void, fill, df_out(int, x, n), (int, n), (int, v));
void fill(int *x, int n, int v)
{
    test_spin(2000);
    for (int i = 0; i < n; i++) x[i] = v + i;
}
DF_TASK(void, sum, df_in(int, x, n), (int, n), df_inout(long, to, 1));
void sum(const int *x, int n, long *to)
{
    for (int i = 0; i < n; i++) *to += x[i];
}
/* the body ends long before its temporaries are used */
DF_TASK(void, temporary, (int, n), (int, v), df_inout(long, to, 1));
void temporary(int n, int v, long *to)
{
    int *a = df_local(int, n), *b = df_local(int, n);
    CHECK(a && b);
    for (int i = 0; i < n; i++) CHECK(a[i] == 0 && b[i] == 0);
    df_submit(fill, a, n, v);
    df_submit(fill, b, n, 2 * v);
    df_submit(sum, a, n, to);
    df_submit(sum, b, n, to);
}
/* without a task below it */
DF_TASK(void, alone, df_out(int, to, 1));
void alone(int *to)
{
    int *a = df_local(int, 10);
    for (int i = 0; i < 10; i++) a[i] = i;
    *to = a[9];
}

int main(void)
{
    static const int size[] = { 0, 1, 2, 7, 8, 31, 32, 33, 1000, 100000 };
    long to[10] = { 0 };
    int nine[8];
    DF_PARALLEL {
        for (int i = 0; i < 10; i++)
            for (int k = 0; k < 10; k++) df_submit(temporary, size[i], k, &to[i]);
        for (int i = 0; i < 8; i++) df_submit(alone, &nine[i]);
    }
    for (int i = 0; i < 10; i++) printf("%ld ", to[i]);
    for (int i = 0; i < 8; i++) CHECK(nine[i] == 9);
    printf("\n");
    for (int round = 0; round < 3; round++)
        DF_PARALLEL {
            for (int i = 0; i < 20; i++) {
                long double *l = df_local(long double, 1);
                odd *o = df_local(odd, 1);
                void **p = df_local(void *, 2);
                CHECK(l && (uintptr_t)l % _Alignof(long double) == 0 && *l == 0);
                CHECK(o && o->c[2] == 0);
                CHECK(p && (uintptr_t)p % _Alignof(void *) == 0 && p[1] == NULL);
                *l = 1, o->c[2] = 1, p[1] = p;
            }
        }
    CHECK(df_local(int, SIZE_MAX / 2) == NULL); /* more than there is: NULL, nothing else happens */
    CHECK(df_local(int, SIZE_MAX / sizeof(int)) == NULL);
}
