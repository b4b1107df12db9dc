/* edges.c - two tasks are ordered if and only if regions they declared share an element and one of the two
 * writes: 20,000 random pairs, counted by df_counters_get
 *
 * One worker that queues: the first task is not done when the second is submitted. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SPAN = 500, PAIRS = 20000 };
static int memory[SPAN];

/* what is declared is never used: the bodies are empty */
DF_TASK(void, reads, df_in2(int, p, rows, cols, ld), (int, rows), (int, cols), (int, ld));
void reads(const int *p, int rows, int cols, int ld) { (void)p, (void)rows, (void)cols, (void)ld; }
DF_TASK(void, writes, df_out2(int, p, rows, cols, ld), (int, rows), (int, cols), (int, ld));
void writes(int *p, int rows, int cols, int ld) { (void)p, (void)rows, (void)cols, (void)ld; }
DF_TASK(void, updates, df_inout2(int, p, rows, cols, ld), (int, rows), (int, cols), (int, ld));
void updates(int *p, int rows, int cols, int ld) { (void)p, (void)rows, (void)cols, (void)ld; }
DF_TASK(void, reads_range, df_in_range(int, b, e));
void reads_range(const int *b, const int *e) { (void)b, (void)e; }
DF_TASK(void, writes_array, df_out(int, p, n), (int, n));
void writes_array(int *p, int n) { (void)p, (void)n; }
DF_TASK(void, moves, df_in(int, p, n), df_out2(int, q, rows, cols, ld), (int, n), (int, rows), (int, cols), (int, ld));
void moves(const int *p, int *q, int n, int rows, int cols, int ld)
{
    (void)p, (void)q, (void)n, (void)rows, (void)cols, (void)ld;
}

struct touched { unsigned char r[SPAN], w[SPAN]; };

static void touch(unsigned char *set, int p, int rows, int cols, int ld)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) set[p + i * ld + j] = 1;
}

/* 0, more often than others, to n - 1 */
static int below_twice_0(uint64_t *seed, int n)
{
    int k = test_below(seed, n + 1);
    return k ? k - 1 : 0;
}

/* Submits a random task and returns what it declares. */
static struct touched submit_random(uint64_t *seed)
{
    struct touched t = { { 0 }, { 0 } };
    int p = test_below(seed, 80), rows = below_twice_0(seed, 8), cols = below_twice_0(seed, 8),
        ld = 8 + test_below(seed, 3) * 5;
    int q = test_below(seed, 80), n = below_twice_0(seed, 47);
    switch (test_below(seed, 6)) {
    case 0: touch(t.r, p, rows, cols, ld), df_submit(reads, memory + p, rows, cols, ld); break;
    case 1: touch(t.w, p, rows, cols, ld), df_submit(writes, memory + p, rows, cols, ld); break;
    case 2: touch(t.w, p, rows, cols, ld), df_submit(updates, memory + p, rows, cols, ld); break;
    case 3: touch(t.r, p, 1, n, 0), df_submit(reads_range, memory + p, memory + p + n); break;
    case 4: touch(t.w, p, 1, n, 0), df_submit(writes_array, memory + p, n); break;
    default:
        touch(t.r, p, 1, n, 0), touch(t.w, q, rows, cols, ld);
        df_submit(moves, memory + p, memory + q, n, rows, cols, ld);
        break;
    }
    return t;
}

int main(void)
{
    df_config c = { .workers = 1, .defer = 1 };
    uint64_t seed = 42;
    int ordered = 0;
    CHECK(df_start(&c) == DF_OK);
    for (int i = 0; i < PAIRS; i++) {
        uint64_t before = seed;
        df_counters a, b;
        int conflict = 0;
        df_counters_get(&a);
        DF_PARALLEL {
            struct touched s = submit_random(&seed), t = submit_random(&seed);
            for (int k = 0; k < SPAN; k++) conflict |= (s.w[k] & (t.r[k] | t.w[k])) | (s.r[k] & t.w[k]);
        }
        df_counters_get(&b);
        if (b.edges - a.edges != (uint64_t)conflict)
            fprintf(stderr, "pair %d, seed %llu\n", i, (unsigned long long)before);
        CHECK(b.edges - a.edges == (uint64_t)conflict);
        CHECK(b.tasks - a.tasks == 2);
        ordered += conflict;
    }
    CHECK(ordered > PAIRS / 5 && ordered < 4 * (PAIRS / 5)); /* or the test tests nothing */
}
