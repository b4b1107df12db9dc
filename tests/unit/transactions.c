/* transactions.c - what a block can do besides commit: run again, be left, run alone, allocate, call handlers, and make
 * memory private */
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_stm.h"
#include "../test.h"

enum { TASKS = 24, ROUNDS = 20 };

/* --- handlers: which are called, and in which order ------------------------------------------------------- */

static char trail[200];
static void note(void *letter)
{
    size_t n = 0;
    while (trail[n]) n++;
    CHECK(n + 1 < sizeof trail);
    trail[n] = *(const char *)letter, trail[n + 1] = 0;
}
static void say(const char *what, long x)
{
    printf("%s: %s %ld\n", what, trail, x);
    trail[0] = 0;
}

static char a[] = "a", b[] = "b", c[] = "c", d[] = "d";
static long x;
static void hang(char *aborts, char *commits)
{
    CHECK(df_tm_on_abort(note, aborts) == DF_OK && df_tm_on_commit(note, commits) == DF_OK);
}
static void leaves(void *arg)
{
    hang(a, b);
    df_tm_write(&x, df_tm_read(&x) + *(const long *)arg);
    if (*(const long *)arg < 0) df_abort();
}
static void handlers(void)
{
    static long up = 40, down = -40;
    volatile int runs = 0;
    DF_ATOMIC {
        hang(a, b);
        df_tm_write(&x, df_tm_read(&x) + 1);
        CHECK(df_tm_on_abort(note, c) == DF_OK);
        if (runs++ < 3) df_restart();
    }
    CHECK(runs == 4);
    say("restarted", x);
    DF_ATOMIC {
        hang(a, b);
        df_tm_write(&x, 1000);
        df_abort();
    }
    say("left", x);
    runs = 0;
    DF_ATOMIC {
        hang(a, b);
        df_tm_write(&x, df_tm_read(&x) + 5);
        DF_ATOMIC_CLOSED {
            hang(c, d);
            df_tm_write(&x, 1000);
            if (runs++ < 2) df_restart(); /* the block around it, too */
            df_abort();
        }
        df_tm_write(&x, df_tm_read(&x) + 6);
    }
    say("left inside", x);
    runs = 0;
    DF_ATOMIC {
        hang(a, b);
        if (runs++ == 0) df_restart();
        df_irrevocable();
        df_tm_write(&x, df_tm_read(&x) + 7);
    }
    say("alone", x);
    CHECK(df_atomically(leaves, &up) == DF_OK);
    say("function", x);
    CHECK(df_atomically(leaves, &down) == DF_ERROR_ABORTED);
    say("function left", x);
}

/* --- a block that runs alone may change what no block protects ---------------------------------------------- */

static long total, plain, lines, line[TASKS * ROUNDS];
DF_TASK(void, alone, (int, k));
void alone(int k)
{
    for (int i = 0; i < ROUNDS; i++) {
        DF_ATOMIC {
            long seen = df_tm_read(&total);
            df_tm_write(&total, seen + k);
            if ((k + i) % 3 == 0) {
                df_irrevocable();
                CHECK(df_tm_read(&total) == seen + k);
                plain += k;
                line[lines++] = seen;
            }
        }
    }
}
static void irrevocable(void)
{
    int rises = 0;
    for (int k = 0; k < TASKS; k++) df_submit(alone, k + 1);
    df_wait();
    for (long i = 1; i < lines; i++) rises += line[i] > line[i - 1];
    printf("alone: %ld, %ld of it alone, in %ld blocks, %d after another one\n", total, plain, lines, rises);
}

/* --- a list of memory that blocks allocate ------------------------------------------------------------------- */

struct item { struct item *next; long key, value, zero; };
static struct item *list, *handed;
static int ready;

DF_TASK(void, insert, (int, k));
void insert(int k)
{
    volatile int runs = 0;
    DF_ATOMIC {
        struct item *n = (struct item *)df_tm_calloc(1, sizeof *n), **at = &list, *p;
        CHECK(n && !n->next && !n->value && !n->zero);
        n->zero = k; /* not to be found by the next one that gets this memory */
        while ((p = df_tm_read(at)) && df_tm_read(&p->key) < k) at = &p->next;
        df_tm_write(&n->key, k);
        df_tm_write(&n->value, 100L * k);
        df_tm_write(&n->next, p);
        df_tm_write(at, n);
        if (runs++ == 0 && k % 4 == 0) df_restart(); /* what was allocated is free again */
    }
}
/* Moves value between the first two items, as long as there is a list. */
DF_TASK(void, shift, (int, k));
void shift(int k)
{
    for (int i = 0; i < ROUNDS; i++)
        DF_ATOMIC {
            struct item *p = df_tm_read(&list), *q = p ? df_tm_read(&p->next) : NULL;
            if (q) {
                df_tm_write(&p->value, df_tm_read(&p->value) - k);
                df_tm_write(&q->value, df_tm_read(&q->value) + k);
            }
        }
}
DF_TASK(void, detach, (int, k));
void detach(int k)
{
    DF_ATOMIC {
        df_tm_write(&handed, df_tm_read(&list));
        df_tm_write(&list, NULL);
        df_tm_write(&ready, k);
    }
}
/* It learns in a block that only reads, from the block of another thread, that the list is nobody else's. */
DF_TASK(void, consume, (int, k), df_out(long, sums, 3));
void consume(int k, long *sums)
{
    struct item *volatile mine = NULL;
    DF_ATOMIC {
        if (df_tm_read(&ready) != k) df_retry();
        mine = df_tm_read(&handed);
    }
    df_tm_quiesce();
    sums[0] = sums[1] = sums[2] = 0;
    for (struct item *p = mine, *next; p; p = next) {
        next = p->next;
        CHECK(!next || next->key > p->key);
        sums[0]++, sums[1] += p->key, sums[2] += p->value;
        free(p);
    }
}
static void lists(void)
{
    for (int round = 1; round <= 3; round++) {
        long sums[3];
        df_submit(consume, round, sums);
        DF_PARALLEL {
            for (int k = 0; k < TASKS; k++) df_submit(insert, k * 7 % TASKS);
        }
        for (int k = 0; k < TASKS; k++) {
            df_submit(shift, k);
            if (k == TASKS / 2) df_submit(detach, round);
        }
        df_wait();
        printf("list: %ld items, keys %ld, values %ld\n", sums[0], sums[1], sums[2]);
    }
}

/* --- counters -------------------------------------------------------------------------------------------------- */

static void site(void *arg, const char *at, const df_stm_counters *of)
{
    CHECK(at[0] && of->commits);
    ++*(long *)arg;
}
static void counters(void)
{
    long sites = 0;
    CHECK(df_stm_sites(site, &sites) == DF_OK);
    printf("%ld blocks have counters\n", sites); /* none without DF_STM_SITES */
}

int main(void)
{
    handlers();
    irrevocable();
    lists();
    counters();
    return 0;
}
