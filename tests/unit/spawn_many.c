/* spawn_many.c - 100,000 spawns before any sync: more than a worker can hold; both orders of sync */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 100000 };

DF_TASK(uint64_t, work, (int, i));
uint64_t work(int i)
{
    if (i % 1000 == 0) test_spin(20000);
    return test_mix((uint64_t)i, 5);
}

int main(void)
{
    df_future(work) *f = malloc(N * sizeof *f);
    CHECK(f != NULL);
    for (int order = 0; order < 2; order++) {
        uint64_t h = 0;
        for (int i = 0; i < N; i++) df_spawn(work, &f[i], i);
        for (int i = 0; i < N; i++) h = test_mix(h, df_sync(work, &f[order ? i : N - 1 - i]));
        printf("%s first %016llx\n", order ? "oldest" : "newest", (unsigned long long)h);
    }
    free(f);
}
