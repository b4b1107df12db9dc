/* tiny.c - a deque of 2 entries and a window of 1 task: slower, never wrong, never stuck */
#define _DEFAULT_SOURCE
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "work.h"

enum { N = 50 };

DF_TASK(void, fan_out, df_out(uint64_t, x, 1));
void fan_out(uint64_t *x)
{
    test_spin(3000);
    *x = 1;
}
DF_TASK(void, nested, df_inout(uint64_t, x, n), (int, n), (int, depth));
void nested(uint64_t *x, int n, int depth)
{
    uint64_t one = 1;
    for (int i = 0; i < n; i++) x[i]++;
    if (!depth) return;
    for (int i = 0; i < n; i++) df_submit(nested, &x[i], 1, 0);
    df_submit(nested, x, n, depth - 1);
    df_submit(nested, x, n / 2, depth - 1);
    DF_PARALLEL df_submit(work_add, &one, &one, 1);
}
static void nested_answer(uint64_t *x, int n, int depth)
{
    for (int i = 0; i < n; i++) x[i] += depth ? 2 : 1;
    if (!depth) return;
    nested_answer(x, n, depth - 1);
    nested_answer(x, n / 2, depth - 1);
}

int main(void)
{
    uint64_t want[8] = { 0 };
    nested_answer(want, 8, 4);
    alarm(300);
    for (int workers = 1; workers <= 8; workers *= 2)
        for (size_t deque = 2; deque <= 5; deque++)
            for (size_t window = 1; window <= 9; window += 4) {
                df_config c = { .workers = workers, .deque = deque, .window = window };
                CHECK(df_start(&c) == DF_OK);
                for (int round = 0; round < 10; round++) {
                    uint64_t source = 0, x[N] = { 0 }, all = 0, y[8] = { 0 };
                    CHECK(work_right());
                    DF_PARALLEL { /* one task makes 50 ready at once */
                        df_submit(fan_out, &source);
                        for (int i = 0; i < N; i++) df_submit(work_add, &source, &x[i], 1);
                        df_submit(work_add, x, &all, N);
                        df_submit(nested, y, 8, 4);
                        df_submit(fan_out, &source);
                        for (int i = 0; i < N; i++) df_submit(work_add, &source, &x[i], 1);
                    }
                    for (int i = 0; i < N; i++) CHECK(x[i] == 4);
                    for (int i = 0; i < 8; i++) CHECK(y[i] == want[i]);
                }
                df_stop();
            }
}
