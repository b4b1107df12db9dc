/* cuda_cholesky.c - functions of a library in the streams of a CUDA device: the Cholesky factorisation of
 * bench/gpu_cholesky_df.c is right
 *
 * The libraries are those of the double. On two devices tiles travel between them; with little memory they come and
 * go. */
#define BENCH_SYSTEM "df"
#define main bench_main
#include "../../bench/gpu_cholesky_df.c"
#undef main
#include "cuda_test.h"

static void factor(void)
{
    enum { N = 192, SIZE = 32 };
    static double a[N * N];
    setenv("BENCH_CUBLAS", getenv("DF_CUDA_LIBRARY"), 1);
    setenv("BENCH_CUSOLVER", getenv("DF_CUDA_LIBRARY"), 1);
    twin_find();
    CHECK(run_start() == 1);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) a[i * N + j] = j <= i ? element(i, j, N) : -1;
        if (round < 2) run_bring(a, N, SIZE); /* else every tile comes with the first task that needs it */
        run_cholesky(a, N, SIZE);
        if (round < 2) run_back(a, N);
        CHECK(!bad_column && is_factor(a, N));
        for (size_t i = 0; i < N; i++)
            for (size_t j = i / SIZE * SIZE + SIZE; j < N; j++) CHECK(a[i * N + j] == -1); /* no task's */
    }
    a[0] = -1; /* not positive definite */
    run_cholesky(a, N, SIZE);
    CHECK(column[0] == 1);
    run_stop();
    CHECK(!twin.wrongs() && !twin.live());
}

int main(int argc, char **argv)
{
    static const struct scenario all[] = {
        { "one device", factor, { NULL } },
        { "late", factor, { "CUDA_DOUBLE_DELAY=200" } },
        { "little memory", factor, { "CUDA_DOUBLE_MEMORY=400000" } },
        { "two devices", factor, { "CUDA_DOUBLE_DEVICES=2" } },
    };
    return scenario_main(all, sizeof all / sizeof *all, argc, argv);
}
