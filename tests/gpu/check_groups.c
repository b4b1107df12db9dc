/* check_groups.c - DF_CHECK reports groups of a kernel on the host that write the same bytes, and no others */
#define DF_CHECK 1
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_gpu.h"
#include "../test.h"

enum { N = 1024 };
DF_KERNEL(shared_counts, df_in(int, x, N), df_inout(int, count, 4),
{
    const int i = df_global_id(0);
    count[i % 4] += x[i];
})
DF_KERNEL(own_counts, df_in(int, x, N), df_inout(int, count, N),
{
    const int i = df_global_id(0);
    count[i] += x[i];
})

static int n_said;
static char said[400];
static void keep(void *unused, int level, const char *text)
{
    (void)unused, (void)level;
    if (strstr(text, "(DF_CHECK)")) n_said++, snprintf(said, sizeof said, "%s", text);
}

int main(void)
{
    static int x[N], count[N];
    for (int i = 0; i < N; i++) x[i] = i + 1;
    for (int workers = 1; workers <= 4; workers *= 2) {
        df_config config = { .workers = workers, .log = keep };
        CHECK(df_start(&config) == DF_OK);
        n_said = 0;
        df_launch_with(DF_OPTS(.device = DF_HOST), own_counts, df_grid1(N, 16), x, count);
        df_wait();
        CHECK(n_said == 0 && count[N - 1] == N);
        df_launch_with(DF_OPTS(.device = DF_HOST), shared_counts, df_grid1(N, 16), x, count);
        df_wait();
        CHECK(n_said == 1 && strstr(said, "shared_counts") && strstr(said, "two of its parts write byte 0 of 16"));
        memset(count, 0, sizeof count);
        df_stop();
    }
}
