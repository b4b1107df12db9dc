/* no_memory_messages.c - when large allocations fail, the message names df's reaction, and the results are right
 *
 * Allocations of BYTES and more fail: the buffer of a renamed region, the copy of memory that a speculative task
 * overwrites, a stream. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 3000000 };
void *test_malloc(size_t n) { return n < BYTES ? malloc(n) : NULL; }
#define DF_MALLOC(n) test_malloc(n)
#define DF_FREE(p) free(p)
#define DF_IMPLEMENTATION
#include "df.h"
#include "hear.h"

static int heard(const char *text)
{
    int i, n = 0;
    pthread_mutex_lock(&said_lock);
    for (i = 0; i < n_said; i++) n += strstr(said[i], text) != NULL;
    pthread_mutex_unlock(&said_lock);
    return n;
}

static char x[BYTES];
DF_TASK(void, write_it, df_out(char, p, BYTES), (int, k));
void write_it(char *p, int k) { memset(p, k, BYTES); }
DF_TASK(void, read_it, df_in(char, p, BYTES), (int, k));
void read_it(const char *p, int k)
{
    usleep(3000);
    CHECK(p[0] == k && p[BYTES - 1] == k);
}

/* Renaming is tried while a worker is idle: two of four are, as the tasks form a chain. */
static void renamed(void)
{
    df_config c = { .workers = 4, .rename_bytes = (size_t)4 * BYTES, .log = hear };
    int i = 0;
    CHECK(df_start(&c) == DF_OK);
    DF_PARALLEL {
        for (; i < 2000 && !heard("df_out"); i++) {
            df_submit(write_it, x, i % 100);
            df_submit(read_it, x, i % 100);
            usleep(1000);
        }
    }
    CHECK(heard("2 df: out of memory: df_out regions are not renamed; lower df_config.rename_bytes") == 1 &&
          n_said == 1);
    CHECK(x[0] == (i - 1) % 100 && x[BYTES - 1] == (i - 1) % 100);
    df_stop();
}

static int condition;
DF_TASK(void, decide, df_out(int, p, 1));
void decide(int *p)
{
    usleep(1000);
    *p = 1;
}
static void speculated(int workers)
{
    df_config c = { .workers = workers, .log = hear };
    CHECK(df_start(&c) == DF_OK);
    condition = 0, x[0] = 5;
    df_submit(decide, &condition);
    df_speculate(&condition, 1) df_submit(write_it, x, 7);
    df_wait();
    CHECK(x[0] == 7 && x[BYTES - 1] == 7);
    df_stop();
}

static void streams(void)
{
    df_config c = { .workers = 1, .log = hear };
    CHECK(df_start(&c) == DF_OK);
    CHECK(!df_stream_new(sizeof(int), BYTES));
    CHECK(heard("2 df: out of memory: df_stream_new returns NULL; lower the capacity") == 1 && n_said == 1);
    df_stop();
}

int main(void)
{
    renamed();
    n_said = 0;
    speculated(1);
    speculated(2);
    /* once in the process */
    CHECK(heard("df: out of memory: df_speculate waits for its condition") == 1 && n_said == 1);
    n_said = 0;
    streams();
    return 0;
}
