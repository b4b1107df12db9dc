/* places.c - descriptions of arrays: homes, tiles, sizes; and what is said of wrong ones */
#define DF_IMPLEMENTATION
#include "../../df_mpi.h"
#include "../test.h"
#include <limits.h>
#include <string.h>

static char said[200];
static int lines;
static void hears(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    lines++;
    snprintf(said, sizeof said, "%s", text);
}
/* The last message has this text. */
static int heard(const char *text)
{
    const int is = lines == 1 && strstr(said, text) != NULL;
    if (!is) fprintf(stderr, "%d lines, the last: %s; not: %s\n", lines, said, text);
    lines = 0;
    return is;
}

static int reverse(const long *tile, void *arg) { return df_ranks() - 1 - (int)(tile[0] + tile[1]) % *(int *)arg; }
static int nowhere(const long *tile, void *arg) { return (void)tile, (void)arg, df_ranks(); }

DF_TASK(void, where, df_inout(int, x, 1));
void where(int *x) { *x = df_rank(); }

DF_TASK(void, count, (int, k));
static int counted;
void count(int k) { __atomic_fetch_add(&counted, k, __ATOMIC_RELAXED); }

int main(void)
{
    df_config c = { .log = hears };
    CHECK(df_rank() == 0 && df_ranks() == 1);
    CHECK(df_mpi_start(MPI_COMM_WORLD, &c) == DF_OK);
    const int ranks = df_ranks();

    /* parts of equal size, in tiles of 3 */
    const long n = 30;
    int *x = df_shared_alloc(int, .dim = {{ .size = n, .tile = 3, .split = DF_BLOCK(0) }});
    const long each = ((n + ranks - 1) / ranks + 2) / 3 * 3;
    for (long i = 0; i < n; i++) CHECK(x[i] == 0 && df_home(&x[i]) == (int)(i / each));
    for (long i = 0; i < n; i++) df_submit(where, &x[i]);
    df_fetch(x, (size_t)n * sizeof *x);
    for (long i = 0; i < n; i++) CHECK(x[i] == df_home(&x[i]));
    /* in turn */
    short *y = df_shared_alloc(short, .dim = {{ .size = 100, .split = DF_CYCLIC(0) }});
    for (int i = 0; i < 100; i++) CHECK(df_home(&y[i]) == i % ranks);
    /* two dimensions, of which one is divided: rows of columns */
    double *z = df_shared_alloc(double, .dim = {{ .size = 5, .split = DF_DUPLICATE }, { .size = 40, .split = DF_CYCLIC(4) }});
    for (int i = 0; i < 200; i++) CHECK(df_home(&z[i]) == i % 40 / 4 % ranks);
    /* an arrangement that is given; three dimensions */
    char *cube = df_shared_alloc(char, .dim = {{ .size = 4, .split = DF_BLOCK(0) }, { .size = 6, .tile = 2 },
                                               { .size = 8, .split = DF_CYCLIC(1) }}, .parts = { 1, 0, ranks });
    for (int i = 0; i < 4 * 6 * 8; i++) CHECK(df_home(&cube[i]) == i % 8 % ranks);
    /* a function */
    int k = ranks;
    float *f = df_shared_alloc(float, .dim = {{ .size = 20, .tile = 5 }, { .size = 20, .tile = 10 }}, .home = reverse,
                               .home_arg = &k);
    for (int i = 0; i < 400; i++) CHECK(df_home(&f[i]) == ranks - 1 - (i / 20 / 5 + i % 20 / 10) % ranks);
    /* an array that is not divided: each rank has it, and runs the tasks that write it */
    int *all = df_shared_alloc(int, .dim = {{ .size = 6, .tile = 2 }});
    for (int i = 0; i < 6; i++) CHECK(df_home(&all[i]) == df_rank());
    for (int i = 0; i < 6; i++) df_submit(where, &all[i]);
    df_wait();
    for (int i = 0; i < 6; i++) CHECK(all[i] == df_rank());
    /* .rank: one rank, each of them, or none of them */
    for (int i = 0; i < ranks; i++) df_submit_with(DF_OPTS(.rank = DF_RANK(i)), where, &all[i % 6]);
    df_fetch(all, 6 * sizeof *all);
    for (int i = 0; i < 6 && i < ranks; i++) CHECK(all[i] == (ranks - 1 - i) / 6 * 6 + i);
    df_submit_with(DF_OPTS(.rank = DF_EACH_RANK), where, &x[n - 1]);
    df_wait();
    CHECK(x[n - 1] == df_rank());
    df_submit_with(DF_OPTS(.rank = DF_RANK(ranks - 1)), count, 5);  /* a task without accesses */
    df_submit_with(DF_OPTS(.rank = DF_EACH_RANK), count, 100);
    df_submit(count, 1000);
    df_wait();
    CHECK(counted == (df_rank() == ranks - 1 ? 1105 : 1100));
    CHECK(!lines);
    df_submit_with(DF_OPTS(.rank = DF_RANK(ranks)), where, &x[n - 1]);
    CHECK(ranks == 1 ? !lines : heard("df_opts.rank is none of DF_RANK(0) to"));
    df_submit_with(DF_OPTS(.rank = ranks - 1), where, &x[n - 1]);
    CHECK(ranks == 1 ? !lines : heard("df_opts.rank is none of DF_RANK(0) to"));
    df_fetch(&x[n - 1], sizeof *x);
    CHECK(x[n - 1] == df_home(&x[n - 1]));
    /* all ranks have all arrays at the same address: it decides the home of a task that writes here */
    CHECK(df_home(&n) == df_rank());
    CHECK(!lines);

    CHECK(!df_shared_alloc(int, .parts = { 1 }) && heard("dim[0].size is 0"));
    CHECK(!df_shared_alloc(int, .dim = {{ .size = -1, .split = DF_BLOCK(0) }}) && heard("a number is negative"));
    CHECK(!df_shared_alloc(int, .dim = {{ .size = 10, .split = 3 }}) && heard("is none of DF_BLOCK(n)"));
    CHECK(!df_shared_alloc(int, .dim = {{ .size = 10, .split = DF_BLOCK(0) }}, .parts = { ranks + 1 }) &&
          heard("more .parts than there are ranks"));
    CHECK(!df_shared_alloc(int, .dim = {{ .size = 10, .split = DF_BLOCK(0) }, { .size = 10 }}, .parts = { 0, 2 }) &&
          heard("a dimension with several .parts is not divided"));
    CHECK(!df_shared_alloc(int, .dim = {{ .size = 10 * ranks, .split = DF_BLOCK(9) }}) == (ranks > 0) &&
          heard("leaves elements without a rank"));
    CHECK(!df_shared_alloc(int, .dim = {{ .size = 10 }}, .home = nowhere) && heard(".home gave a number that is no rank"));
    CHECK(!df_shared_alloc(char, .dim = {{ .size = LONG_MAX / 2, .tile = 1000, .split = DF_BLOCK(0) }}) && heard("memory"));
    CHECK(df_mpi_start(MPI_COMM_WORLD, NULL) == DF_ERROR_STARTED);
    lines = 0;
    CHECK(df_mpi_wait() == DF_OK);
    df_stop();
    /* again */
    CHECK(df_mpi_start(MPI_COMM_WORLD, NULL) == DF_OK);
    for (long i = 0; i < n; i++) df_submit(where, &x[i]);
    df_fetch(x, (size_t)n * sizeof *x);
    for (long i = 0; i < n; i++) CHECK(x[i] == df_home(&x[i]));
    printf("places\n");
    return 0;
}
