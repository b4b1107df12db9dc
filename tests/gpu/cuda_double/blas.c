/* blas.c - what bench/gpu_cholesky.h calls of cuBLAS and cuSOLVER: plain loops, put into the stream as kernels are
 *
 * Matrices by columns, in double; other forms than those in use are refused. */
#include "double.h"
#include <math.h>

enum { NOT_INITIALIZED = 1, WRONG_VALUE = 7, NOT_SUPPORTED = 15, PLAIN = 0, TRANSPOSED = 1, LEFT = 0, UPPER = 1,
       NOT_UNIT = 0, HANDLE = 0xb1a5 };
struct handle { unsigned magic; struct stream *stream; };

static int create(void **handle)
{
    struct handle *h = calloc(1, sizeof *h);
    if (!h) return NOT_INITIALIZED;
    h->magic = HANDLE;
    *handle = h;
    return 0;
}
static int destroy(struct handle *h)
{
    if (!h || h->magic != HANDLE) return NOT_INITIALIZED;
    memset(h, 0, sizeof *h);
    free(h);
    return 0;
}
static int set_stream(struct handle *h, struct stream *s)
{
    if (!h || h->magic != HANDLE) return NOT_INITIALIZED;
    h->stream = s;
    return 0;
}

/* In the stream: f with three pointers, each of device memory or NULL, and six numbers. */
struct numbers { int n, m, k, lda, ldb, ldc; double alpha, beta; };
static int launch(struct handle *h, struct function *f, double *a, double *b, double *c, struct numbers with)
{
    static const unsigned one[3] = { 1, 1, 1 };
    struct { void *value[MAX_PARAMETERS + 1]; double *p[3]; struct numbers with; } *v;
    int code;
    if (!h || h->magic != HANDLE || !h->stream) return NOT_INITIALIZED;
    if (!(v = malloc(sizeof *v))) return NOT_INITIALIZED;
    v->p[0] = a, v->p[1] = b, v->p[2] = c, v->with = with;
    for (int i = 0; i < 3; i++) v->value[i] = &v->p[i];
    v->value[3] = &v->with;
    pthread_mutex_lock(&double_lock);
    code = double_launch(h->stream, f, one, one, 0, v->value);
    pthread_mutex_unlock(&double_lock);
    if (code) free(v);
    return code ? 13 : 0; /* CUBLAS_STATUS_EXECUTION_FAILED */
}
#define KERNEL(name)                                                                                                  \
    static int name##_run(void **v, const unsigned *groups, const unsigned *group, unsigned shared)                  \
    {                                                                                                                  \
        name##_of(*(double **)v[0], *(double **)v[1], *(double **)v[2], (const struct numbers *)v[3]);                \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static const struct cuda_double_kernel name##_kernel = { 4, 0, bytes, is_pointer, name##_run };                   \
    static struct module name##_module;                                                                              \
    static struct function name##_function = { 0, &name##_module, &name##_kernel, #name, NULL };
static const unsigned bytes[4] = { sizeof(double *), sizeof(double *), sizeof(double *), sizeof(struct numbers) };
static const unsigned char is_pointer[4] = { 1, 1, 1, 0 };

/* c = alpha a^T b + beta c: m x n, the upper triangle alone if k is negative. */
static void multiply_of(const double *a, const double *b, double *c, const struct numbers *w)
{
    int deep = abs(w->k);
    for (int j = 0; j < w->n; j++)
        for (int i = 0; i < w->m && (w->k > 0 || i <= j); i++) {
            double s = 0, *to = &c[(size_t)j * (size_t)w->ldc + (size_t)i];
            for (int k = 0; k < deep; k++)
                s += a[(size_t)i * (size_t)w->lda + (size_t)k] * b[(size_t)j * (size_t)w->ldb + (size_t)k];
            *to = w->alpha * s + w->beta * *to;
        }
}
KERNEL(multiply)
/* a^T x = alpha b for the columns of b: m x n; a is upper, x takes the place of b. */
static void solve_of(const double *a, double *b, double *unused, const struct numbers *w)
{
    for (int j = 0; j < w->n; j++)
        for (int i = 0; i < w->m; i++) {
            double *x = &b[(size_t)j * (size_t)w->ldb], s = w->alpha * x[i];
            for (int k = 0; k < i; k++) s -= a[(size_t)i * (size_t)w->lda + (size_t)k] * x[k];
            x[i] = s / a[(size_t)i * (size_t)w->lda + (size_t)i];
        }
}
KERNEL(solve)
/* a = u^T u for the upper triangle; the column, from 1, that has no square root, or 0. */
static void factor_of(double *a, double *work, double *info, const struct numbers *w)
{
    int bad = 0;
    for (int j = 0; j < w->n && !bad; j++)
        for (int i = 0; i <= j; i++) {
            double *x = &a[(size_t)j * (size_t)w->lda], *y = &a[(size_t)i * (size_t)w->lda], s = x[i];
            for (int k = 0; k < i; k++) s -= x[k] * y[k];
            if (i < j) x[i] = s / y[i];
            else if (s > 0) x[i] = sqrt(s);
            else bad = j + 1;
        }
    work[0] = 0;
    memcpy(info, &bad, sizeof bad);
}
KERNEL(factor)

int cublasCreate_v2(void **handle);
int cublasCreate_v2(void **handle) { return create(handle); }
int cublasDestroy_v2(struct handle *h);
int cublasDestroy_v2(struct handle *h) { return destroy(h); }
int cublasSetStream_v2(struct handle *h, struct stream *s);
int cublasSetStream_v2(struct handle *h, struct stream *s) { return set_stream(h, s); }
int cublasDgemm_v2(struct handle *h, int ta, int tb, int m, int n, int k, const double *alpha, double *a, int lda,
                   double *b, int ldb, const double *beta, double *c, int ldc);
int cublasDgemm_v2(struct handle *h, int ta, int tb, int m, int n, int k, const double *alpha, double *a, int lda,
                   double *b, int ldb, const double *beta, double *c, int ldc)
{
    struct numbers w = { n, m, k, lda, ldb, ldc, *alpha, *beta };
    if (ta != TRANSPOSED || tb != PLAIN) return NOT_SUPPORTED;
    return m < 1 || n < 1 || k < 1 || lda < k || ldb < k ||
        ldc < m ? WRONG_VALUE : launch(h, &multiply_function, a, b, c, w);
}
int cublasDsyrk_v2(struct handle *h, int uplo, int t, int n, int k, const double *alpha, double *a, int lda,
                   const double *beta, double *c, int ldc);
int cublasDsyrk_v2(struct handle *h, int uplo, int t, int n, int k, const double *alpha, double *a, int lda,
                   const double *beta, double *c, int ldc)
{
    struct numbers w = { n, n, -k, lda, lda, ldc, *alpha, *beta };
    if (uplo != UPPER || t != TRANSPOSED) return NOT_SUPPORTED;
    return n < 1 || k < 1 || lda < k || ldc < n ? WRONG_VALUE : launch(h, &multiply_function, a, a, c, w);
}
int cublasDtrsm_v2(struct handle *h, int side, int uplo, int t, int diagonal, int m, int n, const double *alpha,
                   double *a, int lda, double *b, int ldb);
int cublasDtrsm_v2(struct handle *h, int side, int uplo, int t, int diagonal, int m, int n, const double *alpha,
                   double *a, int lda, double *b, int ldb)
{
    struct numbers w = { n, m, 0, lda, ldb, 0, *alpha, 0 };
    if (side != LEFT || uplo != UPPER || t != TRANSPOSED || diagonal != NOT_UNIT) return NOT_SUPPORTED;
    return m < 1 || n < 1 || lda < m || ldb < m ? WRONG_VALUE : launch(h, &solve_function, a, b, a, w);
}

int cusolverDnCreate(void **handle);
int cusolverDnCreate(void **handle) { return create(handle); }
int cusolverDnDestroy(struct handle *h);
int cusolverDnDestroy(struct handle *h) { return destroy(h); }
int cusolverDnSetStream(struct handle *h, struct stream *s);
int cusolverDnSetStream(struct handle *h, struct stream *s) { return set_stream(h, s); }
int cusolverDnDpotrf_bufferSize(struct handle *h, int uplo, int n, double *a, int lda, int *items);
int cusolverDnDpotrf_bufferSize(struct handle *h, int uplo, int n, double *a, int lda, int *items)
{
    if (!h || h->magic != HANDLE) return NOT_INITIALIZED;
    if (uplo != UPPER || n < 1 || lda < n) return WRONG_VALUE;
    *items = n;
    return 0;
}
int cusolverDnDpotrf(struct handle *h, int uplo, int n, double *a, int lda, double *work, int items, int *info);
int cusolverDnDpotrf(struct handle *h, int uplo, int n, double *a, int lda, double *work, int items, int *info)
{
    struct numbers w = { n, n, n, lda, 0, 0, 0, 0 };
    return uplo != UPPER || n < 1 || lda < n ||
        items < n ? WRONG_VALUE : launch(h, &factor_function, a, work, (double *)(void *)info, w);
}
