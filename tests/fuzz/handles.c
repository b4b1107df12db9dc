/* handles.c - tasks with handles and results, in every kind of task: `handles FIRST_SEED COUNT` prints, per seed, a hash of
 * the codes and results of some cases of handles.h, in tasks, in blocks and outside; the serial build is the oracle
 *
 * Seeds differ in the window, the deque, the memory for renaming, df_config.defer and the turns ahead. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"
#include "handles.h"

int main(int argc, char **argv)
{
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
        count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    for (unsigned long long n = first; n < first + count; n++) {
        df_config config = { .window = n % 3 == 2 ? 4 : 0, .deque = n % 5 == 3 ? 4 : 0, .defer = n % 7 == 0,
                             .rename_bytes = n % 4 ? 0 : 1 << 16, .speculate = n % 6 == 5 ? -1 : 0,
                             .deterministic = n % 11 == 0 };
        uint64_t seed = n, h = n;
        CHECK(df_start(&config) == DF_OK);
        for (int i = 0; i < 12; i++) {
            int which = test_below(&seed, CASES);
            h = test_mix(h, handle_case(test_random(&seed), which, 2));
        }
        CHECK(df_wait_result() == DF_OK);
        df_stop();
        printf("%llu %016llx\n", n, (unsigned long long)h);
    }
}
