/* spawn_many.c - 100,000 spawns before any sync: more than a worker can hold; synced in any order. With checks of
 * the use of df, which examine every one of them, 20,000. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = DF_DEBUG || DF_CHECK ? 20000 : 100000 };

DF_TASK(uint64_t, work, (int, i));
uint64_t work(int i)
{
    if (i % 1000 == 0) test_spin(20000);
    return test_mix((uint64_t)i, 5);
}

int main(void)
{
    static const char *const name[] = { "newest first", "oldest first", "mixed" };
    df_future(work) *f = malloc(N * sizeof *f);
    CHECK(f != NULL);
    for (int order = 0; order < 3; order++) {
        uint64_t h = 0, model = 0;
        for (int i = 0; i < N; i++) df_spawn(work, &f[i], i);
        for (int i = 0; i < N; i++) {
            int at = order == 0 ? N - 1 - i : order == 1 ? i : (int)((long long)i * 61819 % N); /* all of them once */
            h = test_mix(h, df_sync(work, &f[at]));
            model = test_mix(model, work(at));
        }
        CHECK(h == model);
        printf("%s\n", name[order]); /* nothing that depends on N */
    }
    free(f);
}
