/* rounds.h - main of programs that fill an array of CELLS cells in ROUNDS rounds: `PROGRAM FIRST_SEED COUNT` prints, per
 * seed, a hash of the cells after each round. Half of the rounds are in a DF_PARALLEL block. Seeds differ in the window.
 *
 * The program defines, before this file, the constants and `cell`; begins() and ends(), called after df_start and before
 * df_stop; and submits(), which fills the cells. */
#ifndef ROUNDS_H
#define ROUNDS_H

#include "../test.h"

static void begins(uint64_t *seed);
static void submits(cell *c, uint64_t seed, int depth, int tasks);
static void ends(void);

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? (uint64_t)atoll(argv[1]) : 1, n = argc > 2 ? (uint64_t)atoll(argv[2]) : 10, s;
    for (s = first; s < first + n; s++) {
        uint64_t seed = s, hash = 0;
        cell c[CELLS] = { 0 };
        df_config config = { .window = test_below(&seed, 3) ? 0 : 2 + (size_t)test_below(&seed, 20) };
        int round, i;
        CHECK(df_start(&config) == DF_OK);
        begins(&seed);
        for (round = 0; round < ROUNDS; round++) {
            uint64_t of_round = test_random(&seed);
            if (round % 2) {
                DF_PARALLEL submits(c, of_round, DEEP, TASKS);
            } else submits(c, of_round, DEEP, TASKS);
            for (i = 0; i < CELLS; i++) hash = test_mix(hash, c[i]);
        }
        printf("%llu: %016llx\n", (unsigned long long)s, (unsigned long long)hash);
        ends();
        df_stop();
    }
    return 0;
}

#endif
