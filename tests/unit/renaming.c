/* renaming.c - outputs may get a buffer of their own, invisibly to the program: the same results without memory for
 * that and with little or much of it, whole and part, contiguous and blocks */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 64, LD = 24, ROWS = 9, COLS = 8 };

DF_TASK(void, fill, df_out(uint64_t, x, n), (int, n), (int, k));
void fill(uint64_t *x, int n, int k)
{
    for (int i = 0; i < n; i++) x[i] = (uint64_t)(k * 1000 + i);
}
DF_TASK(void, look, df_in(uint64_t, x, n), (int, n), df_inout(uint64_t, seen, 1), (unsigned, slow));
void look(const uint64_t *x, int n, uint64_t *seen, unsigned slow)
{
    test_spin(slow);
    for (int i = 0; i < n; i++) *seen = test_mix(*seen, x[i]);
}
DF_TASK(void, update, df_inout(uint64_t, x, n), (int, n));
void update(uint64_t *x, int n)
{
    for (int i = 0; i < n; i++) x[i] = test_mix(x[i], (uint64_t)i);
}
DF_TASK(void, add, df_reduce(df_sum, uint64_t, x, n), (int, n), (int, k));
void add(uint64_t *x, int n, int k)
{
    for (int i = 0; i < n; i++) x[i] += (uint64_t)k;
}
DF_TASK(void, commute, df_commute(uint64_t, x, n), (int, n), (int, k));
void commute(uint64_t *x, int n, int k) { add(x, n, k); }
/* writes with children: parts of its own region */
DF_TASK(void, fill_halves, df_out(uint64_t, x, n), (int, n), (int, k));
void fill_halves(uint64_t *x, int n, int k)
{
    df_submit(fill, x, n / 2, k);
    df_submit(fill, x + n / 2, n - n / 2, k + 1);
    df_submit(update, x + n / 4, n / 2);
}
DF_TASK(void, fill_block, df_out2(uint64_t, x, ROWS, COLS, LD), (int, k));
void fill_block(uint64_t *x, int k)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) x[i * LD + j] = (uint64_t)(k + i * j);
}
DF_TASK(void, look_block, df_in2(uint64_t, x, ROWS, COLS, LD), df_inout(uint64_t, seen, 1), (unsigned, slow));
void look_block(const uint64_t *x, uint64_t *seen, unsigned slow)
{
    test_spin(slow);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) *seen = test_mix(*seen, x[i * LD + j]);
}
DF_TASK(void, update_between, df_inout2(uint64_t, x, ROWS, LD - COLS, LD)); /* what lies between the rows of a block */
void update_between(uint64_t *x)
{
    for (int i = 0; i < ROWS; i++) update(x + i * LD, LD - COLS);
}
DF_TASK(void, mirror, df_in(uint64_t, x, N), df_out(uint64_t, y, N), df_inout(uint64_t, z, 1));
void mirror(const uint64_t *x, uint64_t *y, uint64_t *z)
{
    for (int i = 0; i < N; i++) y[N - 1 - i] = x[i] + *z;
    ++*z;
}

static uint64_t hash(const uint64_t *x, int n)
{
    uint64_t h = 0;
    for (int i = 0; i < n; i++) h = test_mix(h, x[i]);
    return h;
}

/* One buffer, written again and again while it is read. */
static void ping_pong(void)
{
    static uint64_t x[N], m[ROWS * LD + 2];
    uint64_t seen[6] = { 0 }, at_address = 0;
    memset(m, 0, sizeof m);
    DF_PARALLEL {
        for (int i = 0; i < 300; i++) {
            if (i % 7 == 3) df_submit(fill_halves, x, N, i);
            else df_submit(fill, x, N, i);
            for (int k = 0; k < 4; k++) df_submit(look, x, N, &seen[k], k == i % 5 ? 2000 : 0);
            if (i % 10 == 4) df_submit(update, x, N);
            if (i % 10 == 6) df_submit(look, x + 5, N / 2, &seen[i % 4], 1000);
            if (i % 10 == 7) df_submit(fill, x + 9, N / 4, -i);
            if (i % 10 == 8) df_submit(add, x, N, i), df_submit(add, x, N, 1), df_submit(commute, x, N, 2);
            df_submit(fill_block, m + 2, i);
            df_submit(look_block, m + 2, &seen[4], i % 3 ? 0 : 2000);
            df_submit(look_block, m + 2, &seen[5], i % 4 ? 0 : 1000);
            if (i % 6 == 0) df_submit(update_between, m + 2 + COLS);
            if (i % 50 == 49) { /* what is at the address itself is the last value */
                df_wait_on(&x[N - 1], sizeof *x);
                at_address = test_mix(at_address, x[N - 1]);
            }
        }
    }
    printf("ping-pong %016llx %016llx %016llx %016llx\n", (unsigned long long)hash(x, N),
           (unsigned long long)hash(m, ROWS * LD), (unsigned long long)hash(seen, 6), (unsigned long long)at_address);
}
/* Random tasks on a few regions that are written as a whole, most of the time. */
static void random_tasks(uint64_t seed)
{
    static uint64_t x[4][N];
    uint64_t seen[4] = { 0 }, z = 0;
    memset(x, 0, sizeof x);
    DF_PARALLEL {
        for (int i = 0; i < 400; i++) {
            int a = test_below(&seed, 4), b = test_below(&seed, 4);
            switch (test_below(&seed, 8)) {
            case 0: case 1: df_submit(fill, x[a], N, i); break;
            case 2: case 3: df_submit(look, x[a], N, &seen[b], (unsigned)test_below(&seed, 1500)); break;
            case 4: if (a != b) df_submit(mirror, x[a], x[b], &z); break;
            case 5: df_submit(update, x[a], N); break;
            case 6: df_submit(fill_halves, x[a], N, i); break;
            default: df_submit(look, &x[a][test_below(&seed, N)], 1, &seen[b], 0); break;
            }
        }
    }
    printf("random %016llx %016llx\n", (unsigned long long)hash(&x[0][0], 4 * N), (unsigned long long)hash(seen, 4));
}

int main(void)
{
    static const size_t bytes[] = { 0, 2000, 64u << 20 };
    for (int i = 0; i < 3; i++) {
        df_config c = { .rename_bytes = bytes[i] };
        CHECK(df_start(&c) == DF_OK);
        ping_pong();
        for (uint64_t seed = 1; seed <= 25; seed++) random_tasks(seed);
        df_stop();
    }
}
