/* Bodies that acquire and release (OWNED 1), and the same without: tests/compile/run compares the code. */
#include "../../df_owm.h"

#if OWNED
#define GET(p, n, mode) df_owm_acquire((p), (n) * sizeof *(p), (mode))
#define PUT(p, n) df_owm_release((p), (n) * sizeof *(p))
#define FREEZE(p, n) df_owm_freeze((p), (n) * sizeof *(p))
#define OWN_IN df_owm_in
#define OWN_INOUT df_owm_inout
#else
#define GET(p, n, mode) DF_OK
#define PUT(p, n) DF_OK
#define FREEZE(p, n) DF_OK
#define OWN_IN(T, p, n) (const T *, p)
#define OWN_INOUT(T, p, n) (T *, p)
#endif

extern int other(double *p);
int store(double *p, size_t n);
int store(double *p, size_t n)
{
    int wrong = GET(p, n, DF_OWM_RW) != DF_OK;
    p[0] = 1;
    if (PUT(p, 1) != DF_OK) wrong = 1;
    (void)GET(p, n, DF_OWM_R);
    wrong += other(p);
    (void)PUT(p, n);
    return wrong + (FREEZE(p, n) != DF_OK) + (n > 100);
}

double loop(double *restrict x, const double *restrict y, size_t n);
double loop(double *restrict x, const double *restrict y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i += 64) {
        (void)GET(x + i, 64, DF_OWM_RW);
        (void)GET(y + i, 64, DF_OWM_R);
        for (size_t j = i; j < i + 64; j++) x[j] += 2 * y[j], sum += x[j];
        (void)PUT(x + i, 64);
        (void)PUT(y + i, 64);
    }
    return sum;
}

/* a whole task: its call, its record, its submission */
DF_TASK(double, axpy, OWN_IN(double, x, n), OWN_INOUT(double, y, n), (int, n), (double, a));
double axpy(const double *x, double *y, int n, double a)
{
    for (int i = 0; i < n; i++) y[i] += a * x[i];
    return y[0];
}
void submits(double *x);
void submits(double *x)
{
    df_future(axpy) f;
    df_spawn(axpy, &f, x, x + 100, 100, 2.0);
    x[0] = df_sync(axpy, &f);
    df_submit(axpy, x, x + 100, 100, 2.0);
    df_wait();
}
