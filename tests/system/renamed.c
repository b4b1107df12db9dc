/* renamed.c - with memory for it, a writer does not wait for sleeping readers, and no more memory is taken than was
 * allowed; without, nothing is renamed
 *
 * A buffer of df is as large as the region: allocations of that size are counted. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 300000, SLACK = 4096 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t taken, most; /* by blocks of about BYTES */
void *test_malloc(size_t n)
{
    union { size_t n; max_align_t align; } *p = malloc(n + sizeof *p);
    if (!p) return NULL;
    p->n = n;
    if (n >= BYTES && n <= BYTES + SLACK) {
        pthread_mutex_lock(&lock);
        taken += n;
        if (most < taken) most = taken;
        pthread_mutex_unlock(&lock);
    }
    return p + 1;
}
void test_free(void *x)
{
    union { size_t n; max_align_t align; } *p = x;
    if (!p) return;
    p--;
    if (p->n >= BYTES && p->n <= BYTES + SLACK) {
        pthread_mutex_lock(&lock);
        taken -= p->n;
        pthread_mutex_unlock(&lock);
    }
    free(p);
}
#define DF_MALLOC(n) test_malloc(n)
#define DF_FREE(p) test_free(p)
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { ROUNDS = 60, READERS = 2 };
static char x[BYTES];

DF_TASK(void, write_it, df_out(char, p, BYTES), (int, k));
void write_it(char *p, int k) { memset(p, k, BYTES); }
DF_TASK(void, read_it, df_in(char, p, BYTES), (int, k));
void read_it(const char *p, int k)
{
    CHECK(p[0] == k && p[BYTES - 1] == k);
    usleep(3000);
    CHECK(p[0] == k && p[BYTES - 1] == k);
}

static uint64_t renamed(int workers, size_t bytes)
{
    df_config c = { .workers = workers, .rename_bytes = bytes };
    df_counters before, after;
    most = 0;
    CHECK(df_start(&c) == DF_OK);
    df_counters_get(&before);
    DF_PARALLEL {
        for (int i = 0; i < ROUNDS; i++) {
            df_submit(write_it, x, i);
            for (int k = 0; k < READERS; k++) df_submit(read_it, x, i);
            usleep(1000); /* the readers have begun, and other workers look for work */
        }
    }
    for (int i = 0; i < BYTES; i++) CHECK(x[i] == ROUNDS - 1);
    df_counters_get(&after);
    CHECK(after.tasks - before.tasks == ROUNDS * (1 + READERS));
    CHECK(most <= bytes + bytes / BYTES * SLACK);
    df_stop();
    CHECK(taken == 0);
    return after.renamings - before.renamings;
}

int main(void)
{
    alarm(100);
    CHECK(renamed(4, 0) == 0);
    CHECK(renamed(4, BYTES - 1) == 0); /* not enough for one */
    CHECK(renamed(4, 20 * BYTES) > 0);
    CHECK(renamed(4, 2 * BYTES) > 0);
    CHECK(renamed(2, 2 * BYTES) < ROUNDS);
}
