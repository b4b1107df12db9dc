/* errors.c - a task fails: each rank learns it from df_mpi_wait, nothing hangs, and the next turn is right */
#define DF_IMPLEMENTATION
#include "../../df_mpi.h"
#include "../test.h"

enum { N = 64, TURNS = 30 };
DF_TASK(void, step, (int, k), (int, fails), df_in(int, a, 1), df_inout(int, b, 1));
void step(int k, int fails, const int *a, int *b)
{
    if (k == fails) {
        df_fail(77, "step");
        return;
    }
    *b += *a + 1;
}

int main(void)
{
    CHECK(df_mpi_start(MPI_COMM_WORLD, NULL) == DF_OK);
    for (int turn = 0; turn < TURNS; turn++) {
        int *v = df_shared_alloc(int, .dim = {{ .size = N, .split = DF_CYCLIC(1 + turn % 3) }});
        const int fails = turn % 2 ? 1 + turn * 7 % (N - 1) : 0;
        CHECK(v);
        for (int k = 1; k < N; k++) df_submit(step, k, fails, &v[k - 1], &v[k]);
        const df_result r = df_mpi_wait();
        CHECK(r == (fails ? (df_result)77 : DF_OK));
        if (!fails) {
            df_fetch(v, N * sizeof *v);
            CHECK(v[N - 1] == N - 1);
            CHECK(df_mpi_wait() == DF_OK);
        }
    }
    printf("%d turns\n", TURNS);
    return 0;
}
