/* handles_no_memory.c - memory runs out at the n-th allocation, for every n, while tasks have handles and results: codes
 * and results are right, also those of tasks that fail or are skipped and that the submitting thread runs itself
 *
 * As no_memory.c. */
#define _DEFAULT_SOURCE
#include "failing_malloc.h"
#define DF_IMPLEMENTATION
#include "df.h"
#include "no_memory.h"
#include "../fuzz/handles.h"

static int run(void *unused)
{
    static const uint64_t seeds[] = { 1, 2, 6 };
    long r = 0;
    df_handle h;
    (void)unused;
    handles_in_order = 1;
    df_submit_with(DF_OPTS(.handle = &h, .result = DF_RESULT(twice, &r)), twice, 21, 0);
    CHECK(df_wait_task(&h) == DF_OK && r == 42);
    if (df_start(NULL) == DF_ERROR_MEMORY) return 0; /* this thread is no worker, and nothing remembers errors */
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < CASES; i++) {
            one_case *f = handle_cases[i];
            /* a body without memory for a scope does not remember that children failed or were skipped */
            handle_case(seeds[k] * 1000 + (uint64_t)i, i, f == in_common || f == with_renaming || f == in_turn ? k : 0);
        }
    df_stop();
    return failed ? 0 : 77;
}

int main(void)
{
    for (only_one = 0; only_one < 2; only_one++) {
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "1", "DF_DEFER", "0"), test_step(1), about_memory) > 5);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "1", "DF_DEFER", "1"), test_step(2), about_memory) > 5);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "2", "DF_RENAME_BYTES", "9999"), test_step(3), about_memory) > 5);
        CHECK(every_n(run, SETTINGS("DF_WORKERS", "4", "DF_DETERMINISTIC", "1"), test_step(7), about_memory) > 5);
    }
}
