/* Tiled Cholesky on a CUDA device with df: the functions of cuBLAS and cuSOLVER are tasks of the device by
 * DF_DEVICE_TASK. From the declared accesses df knows the tasks that may be in flight at the same time, in different
 * streams, and the places of the tiles. */
#include "gpu_cholesky.h"
#include <pthread.h>
#define DF_IMPLEMENTATION
#define DF_USE_CUDA
#include "../df_gpu.h"

enum { STREAMS = 64, MOST_TILES = 4096 };

/* A handle has a stream and memory of its own: one of each library for a stream. Calls with one handle must not
 * overlap. */
static struct on_stream { void *stream, *blas, *solver; uintptr_t work; int work_items, device; } streams[STREAMS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t tile;
static int column[MOST_TILES]; /* the result of potrf of a tile: 0 */

static struct on_stream *begin(const df_queue *q)
{
    struct on_stream *s = streams;
    if (strcmp(q->kind, "CUDA")) good(1, "the task was not given a stream");
    pthread_mutex_lock(&lock);
    while (s < streams + STREAMS && s->stream && s->stream != q->native) s++;
    if (s == streams + STREAMS) good(STREAMS, "more streams than");
    if (s->stream) return s;
    s->stream = q->native, s->device = q->device;
    CALL(blas.create, (&s->blas));
    CALL(blas.set_stream, (s->blas, s->stream));
    CALL(solver.create, (&s->solver));
    CALL(solver.set_stream, (s->solver, s->stream));
    CALL(solver.potrf_size, (s->solver, UPPER, (int)tile, NULL, (int)tile, &s->work_items));
    CALL(driver.alloc, (&s->work, ((size_t)s->work_items + 1) * sizeof(double)));
    return s;
}
static void end(void) { pthread_mutex_unlock(&lock); }

DF_DEVICE_TASK(gemm_tile, df_in2(double, a, n, n, lda), df_in2(double, b, n, n, ldb), df_inout2(double, c, n, n, ldc),
               (int, n), (int, lda), (int, ldb), (int, ldc));
void gemm_tile(df_queue *q, const double *a, const double *b, double *c, int n, int lda, int ldb, int ldc)
{
    CALL(blas.gemm, (begin(q)->blas, TRANSPOSED, PLAIN, n, n, n, &minus, b, ldb, a, lda, &plus, c, ldc));
    end();
}
DF_DEVICE_TASK(syrk_tile, df_in2(double, a, n, n, lda), df_inout2(double, c, n, n, ldc), (int, n), (int, lda),
               (int, ldc));
void syrk_tile(df_queue *q, const double *a, double *c, int n, int lda, int ldc)
{
    CALL(blas.syrk, (begin(q)->blas, UPPER, TRANSPOSED, n, n, &minus, a, lda, &plus, c, ldc));
    end();
}
DF_DEVICE_TASK(trsm_tile, df_in2(double, l, n, n, ldl), df_inout2(double, b, n, n, ldb), (int, n), (int, ldl),
               (int, ldb));
void trsm_tile(df_queue *q, const double *l, double *b, int n, int ldl, int ldb)
{
    CALL(blas.trsm, (begin(q)->blas, LEFT, UPPER, TRANSPOSED, NOT_UNIT, n, n, &plus, l, ldl, b, ldb));
    end();
}
DF_DEVICE_TASK(potrf_tile, df_inout2(double, a, n, n, lda), (int, n), (int, lda), df_out(int, info, 1));
void potrf_tile(df_queue *q, double *a, int n, int lda, int *info)
{
    struct on_stream *s = begin(q);
    CALL(solver.potrf, (s->solver, UPPER, n, a, lda, (double *)s->work, s->work_items, info));
    end();
}
DF_DEVICE_TASK(arrive, df_inout2(double, a, n, n, lda), (int, n), (int, lda)); /* the tile is on the device */
void arrive(df_queue *q, double *a, int n, int lda)
{
    (void)a, (void)n, (void)lda;
    begin(q);
    end();
}
DF_DEVICE_TASK(close_all, (int, unused)); /* of one device, whose context is current */
void close_all(df_queue *q, int unused)
{
    begin(q);
    (void)unused;
    for (struct on_stream *s = streams; s < streams + STREAMS && s->stream; s++) {
        if (s->device != q->device) continue;
        CALL(blas.destroy, (s->blas));
        CALL(solver.destroy, (s->solver));
        CALL(driver.free, (s->work));
    }
    end();
}

static void done(void)
{
    df_result r = df_wait_result();
    if (r) good((int)r, df_error_text(r));
}

static int run_start(void)
{
    df_gpu_device info;
    if (!find_libraries()) return 0;
    df_start(NULL);
    for (int d = 1; d <= df_gpu_devices(); d++)
        if (!df_gpu_info(d, &info) && !strcmp(info.kind, "CUDA")) return 1;
    fprintf(stderr, "%s: there is no device\n", BENCH_SYSTEM);
    return 0;
}
static void run_stop(void)
{
    for (int d = 1; d <= df_gpu_devices(); d++) df_launch_with(DF_OPTS(.device = d), close_all, 0);
    done();
    df_stop();
    memset(streams, 0, sizeof streams);
}

static void run_bring(double *a, size_t n, size_t size)
{
    tile = size;
    if (n / size > MOST_TILES) good(MOST_TILES, "rows of tiles, at most");
    df_gpu_hold(a, n * n * sizeof *a);
    for (size_t i = 0; i < n; i += size)
        for (size_t j = 0; j <= i; j += size) df_launch(arrive, &a[i * n + j], (int)size, (int)n);
    done();
}
static void run_back(double *a, size_t n)
{
    df_gpu_release(a, n * n * sizeof *a);
    for (size_t k = 0; k < n / tile; k++) bad_column |= (size_t)column[k];
}

static void run_cholesky(double *a, size_t n, size_t size)
{
    int t = (int)size, ld = (int)n;
    for (size_t k = 0; k < n; k += size) {
        double *kk = &a[k * n + k];
        df_launch(potrf_tile, kk, t, ld, &column[k / size]);
        for (size_t i = k + size; i < n; i += size) df_launch(trsm_tile, kk, &a[i * n + k], t, ld, ld);
        for (size_t i = k + size; i < n; i += size) {
            double *ik = &a[i * n + k];
            for (size_t j = k + size; j < i; j += size)
                df_launch(gemm_tile, ik, &a[j * n + k], &a[i * n + j], t, ld, ld, ld);
            df_launch(syrk_tile, ik, &a[i * n + i], t, ld, ld);
        }
    }
    done();
}
