/* modes.c - two tasks on the same element, every pair of access modes: ordered as submitted
 *
 * Read after write, write after read, write after write. The first task of a pair is slow in every
 * second round, so that a missing order shows. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

static unsigned delay;

DF_TASK(void, t_in, df_in(long, x, 1), df_out(long, seen, 1));
void t_in(const long *x, long *seen)
{
    test_spin(delay);
    *seen = *x;
}
DF_TASK(void, t_out, df_out(long, x, 1), (long, k), (unsigned, slow));
void t_out(long *x, long k, unsigned slow)
{
    test_spin(slow);
    *x = k;
}
DF_TASK(void, t_inout, df_inout(long, x, 1), (long, k), (unsigned, slow));
void t_inout(long *x, long k, unsigned slow)
{
    test_spin(slow);
    *x = *x * 10 + k;
}
DF_TASK(void, t_commute, df_commute(long, x, 1), (long, k), (unsigned, slow));
void t_commute(long *x, long k, unsigned slow)
{
    test_spin(slow);
    *x += k;
}
DF_TASK(void, t_concurrent, df_concurrent(long, x, 1), (long, k), (unsigned, slow));
void t_concurrent(long *x, long k, unsigned slow)
{
    test_spin(slow);
    __atomic_fetch_add(x, k, __ATOMIC_RELAXED); /* such tasks synchronise themselves */
}
DF_TASK(void, t_reduce, df_reduce(df_sum, long, x, 1), (long, k), (unsigned, slow));
void t_reduce(long *x, long k, unsigned slow)
{
    test_spin(slow);
    *x += k;
}
/* as a 1 x 1 block */
DF_TASK(void, t_inout2, df_inout2(long, x, 1, 1, 1), (long, k), (unsigned, slow));
void t_inout2(long *x, long k, unsigned slow)
{
    test_spin(slow);
    *x = *x * 10 + k;
}

enum { MODES = 7 };
static const char *const mode_name[MODES] = { "in", "out", "inout", "commute", "concurrent", "reduce", "inout2" };

static void submit(int mode, long *x, long *seen, long k, unsigned slow)
{
    switch (mode) {
    case 0: df_submit(t_in, x, seen); break;
    case 1: df_submit(t_out, x, k, slow); break;
    case 2: df_submit(t_inout, x, k, slow); break;
    case 3: df_submit(t_commute, x, k, slow); break;
    case 4: df_submit(t_concurrent, x, k, slow); break;
    case 5: df_submit(t_reduce, x, k, slow); break;
    default: df_submit(t_inout2, x, k, slow); break;
    }
}

int main(void)
{
    for (int a = 0; a < MODES; a++)
        for (int b = 0; b < MODES; b++) {
            long x = 0, s = -1, t = -1;
            for (int round = 0; round < 20; round++) {
                long seen_a = -1, seen_b = -1;
                delay = round % 2 ? 20000 : 0;
                x = 5;
                DF_PARALLEL {
                    submit(a, &x, &seen_a, 1, delay);
                    submit(b, &x, &seen_b, 2, 0);
                }
                if (round) CHECK(seen_a == s && seen_b == t);
                s = seen_a, t = seen_b;
            }
            printf("%s then %s: %ld %ld %ld\n", mode_name[a], mode_name[b], x, s, t);
        }
}
