/* memory_flat.c - the memory of df stays the same in programs that go on: with tasks that block and leave other tasks to
 * other workers, and with ever new regions that overlap */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <unistd.h>
static long in_use; /* bytes; atomic */
void *test_malloc(size_t n)
{
    size_t *p = malloc(n + 16);
    if (!p) return NULL;
    *p = n;
    __atomic_add_fetch(&in_use, (long)n, __ATOMIC_SEQ_CST);
    return (char *)p + 16;
}
void test_free(void *q)
{
    size_t *p = q ? (size_t *)(void *)((char *)q - 16) : NULL;
    if (p) __atomic_sub_fetch(&in_use, (long)*p, __ATOMIC_SEQ_CST);
    free(p);
}
#define DF_MALLOC(n) test_malloc(n)
#define DF_FREE(p)   test_free(p)
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { PARTS = 64, ROUNDS = TEST_SLOW ? 500 : 2500, REGIONS = 4000, UNFINISHED = 100 };
enum { MORE = 2 << 20 }; /* blocks that wait in workers for their next use */
static long now(void) { return __atomic_load_n(&in_use, __ATOMIC_SEQ_CST); }

static long x[PARTS];
static void nothing(void *p) { (void)p; }
DF_TASK(void, head, df_inout(long, x, PARTS));
void head(long *x)
{
    test_spin(2000);
    ++*x;
}
DF_TASK(void, part, df_inout(long, x, 1));
void part(long *x)
{
    df_yield_blocking(nothing, NULL); /* the ready tasks of its worker go to the queue */
    ++*x;
}
static void blocking(void)
{
    long quarter = 0;
    for (int r = 0; r < ROUNDS; r++) {
        if (r == ROUNDS / 4) quarter = now();
        df_submit(head, x);
        for (int i = 0; i < PARTS; i++) df_submit(part, &x[i]);
        df_wait();
    }
    quarter += quarter / 10 + MORE;
    if (now() > quarter) fprintf(stderr, "%ld bytes, at most %ld\n", now(), quarter);
    CHECK(now() <= quarter);
}

static char bytes[2 * REGIONS];
DF_TASK(void, touch, df_inout(char, p, n), (int, n));
void touch(char *p, int n) { p[n - 1]++; }
static void overlapping(void)
{
    long before = now(), most = 0;
    for (int i = 0; i < REGIONS; i++) {
        df_submit(touch, bytes + i, REGIONS - i + 1);
        if (now() > most) most = now();
        if (i % UNFINISHED == UNFINISHED - 1) df_wait();
    }
    if (most - before >= 32l << 20) fprintf(stderr, "%ld bytes more\n", most - before);
    CHECK(most - before < 32l << 20);
}

int main(void)
{
    for (int workers = 1; workers <= 4; workers++) {
        df_config c = { .workers = workers, .defer = 1 };
        CHECK(df_start(&c) == DF_OK);
        if (workers == 2) blocking();
        overlapping();
        df_stop();
    }
    return 0;
}
