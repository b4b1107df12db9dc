/* deprecated.c - the names of version 0.1 that have new ones still do their work (impl/api/deprecated.h) */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

DF_TASK(void, add, df_inout(long, x, 1), (long, a));
void add(long *x, long a) { *x += a; }

int main(void)
{
    long x = 0;
    df_counters before, after;
    df_graph *g = df_graph_new();
    df_taskgraph *same = g;
    CHECK(g && DF_ERROR_CAPTURE == DF_ERROR_TASKGRAPH);
    DF_RECORD(g) {
        df_submit(add, &x, 1);
        df_submit(add, &x, 10);
    }
    CHECK(x == 11 && df_graph_count(same, add) == 2);
    df_graph_set(g, add, 1, a, 100);
    CHECK(df_replay(g) == DF_OK && x == 112);
    df_graph_free(g);
    CHECK(df_stats(&before) == DF_OK && df_counters_get(&after) == DF_OK && before.tasks == after.tasks &&
          after.tasks >= 4);
    printf("%ld\n", x);
}
