/* Cholesky on a CUDA device by one call of cuSOLVER: the whole matrix lies there. */
#include "gpu_cholesky.h"

static uintptr_t matrix, work, info;                                /* on the device */
static void *handle, *stream;
static int work_items;

static int run_start(void)
{
    void *context;
    if (!find_libraries()) return 0;
    CALL(driver.retain, (&context, 0));
    CALL(driver.push, (context));
    CALL(driver.stream_new, (&stream, 1));                          /* it does not wait for the default stream */
    CALL(solver.create, (&handle));
    CALL(solver.set_stream, (handle, stream));
    return 1;
}
static void run_stop(void)
{
    void *context;
    CALL(solver.destroy, (handle));
    CALL(driver.stream_free, (stream));
    CALL(driver.pop, (&context));
    CALL(driver.release, (0));
}

static void run_bring(double *a, size_t n, size_t size)
{
    (void)size;
    CALL(driver.alloc, (&matrix, n * n * sizeof *a));
    CALL(driver.alloc, (&info, sizeof(int)));
    CALL(driver.to_device, (matrix, a, n * n * sizeof *a, stream));
    CALL(solver.potrf_size, (handle, UPPER, (int)n, (double *)matrix, (int)n, &work_items));
    CALL(driver.alloc, (&work, ((size_t)work_items + 1) * sizeof *a));
    CALL(driver.sync, ());
}
static void run_cholesky(double *a, size_t n, size_t size)
{
    (void)a, (void)size;
    CALL(solver.potrf, (handle, UPPER, (int)n, (double *)matrix, (int)n, (double *)work, work_items, (int *)info));
    CALL(driver.sync, ());
}
static void run_back(double *a, size_t n)
{
    int column = 0;
    CALL(driver.to_host, (a, matrix, n * n * sizeof *a, stream));
    CALL(driver.to_host, (&column, info, sizeof column, stream));
    CALL(driver.sync, ());
    bad_column |= (size_t)column;
    CALL(driver.free, (matrix));
    CALL(driver.free, (work));
    CALL(driver.free, (info));
}
