/* stm_no_memory.c - memory for logs, records and blocks of memory runs out: every block still does all of it, or
 * nothing
 *
 * Every n-th allocation fails, for several n; or all from the n-th on; four threads that are new each time. Blocks
 * read and write more than the logs hold at first, nest, have handlers and allocate. Mistakes would be a wrong
 * result, a hang, a handler that is lost without the caller knowing, a leak. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
static int every, from_now_on, calls, failed;
static size_t too_much; /* 0, or the bytes from which on there is no memory */
static long alive;
#if defined(STM_NO_TABLE) /* see stm_no_table.c */
static int tables = 0;
#else
static int tables = 2; /* the first allocations, a record and the table of ownership records, do not fail */
#endif
static void *test_malloc(size_t n)
{
    int now = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    int e = __atomic_load_n(&every, __ATOMIC_RELAXED), from = __atomic_load_n(&from_now_on, __ATOMIC_RELAXED);
    if (__atomic_load_n(&tables, __ATOMIC_RELAXED) > 0 && __atomic_fetch_sub(&tables, 1, __ATOMIC_RELAXED) > 0)
        e = from = 0;
    if ((e && now % e == 0) || (from && now >= from) || (too_much && n >= too_much)) {
        __atomic_fetch_add(&failed, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    __atomic_fetch_add(&alive, 1, __ATOMIC_RELAXED);
    return malloc(n);
}
static void test_free(void *p)
{
    if (p) __atomic_fetch_sub(&alive, 1, __ATOMIC_RELAXED);
    free(p);
}
#define DF_MALLOC(n) test_malloc(n)
#define DF_FREE(p) test_free(p)
#define DF_IMPLEMENTATION
#include "df_stm.h"
#include "stm_test.h"

enum { THREADS = 4, CELLS = 4096, STRIDE = 32 / sizeof(long), FEW = 64 };

static long cell[CELLS * STRIDE]; /* one for each stripe */
static long few[FEW];
static int rounds;

/* --- what the blocks do ----------------------------------------------------------------------------------- */

/* Reads `n` stripes, moves 1 from one cell to another. */
static long read_many(int n, int from, int to)
{
    long sum = 0;
    DF_ATOMIC {
        sum = 0;
        for (int i = 0; i < n; i++) sum += df_tm_read(&cell[i * STRIDE]);
        df_tm_write(&cell[from * STRIDE], df_tm_read(&cell[from * STRIDE]) - 1);
        df_tm_write(&cell[to * STRIDE], df_tm_read(&cell[to * STRIDE]) + 1);
    }
    return sum;
}

/* Changes n cells, an even number, not their sum. */
static void write_many(int n, long d)
{
    DF_ATOMIC {
        for (int i = 0; i < n; i++) df_tm_write(&cell[i * STRIDE], df_tm_read(&cell[i * STRIDE]) + (i % 2 ? d : -d));
        for (int i = 0; i < n; i += 7) CHECK(df_tm_read(&cell[i * STRIDE]) != 1000000);
    }
}

/* Nested blocks change memory that the enclosing ones wrote. One is rolled back; without memory this may be
 * impossible. */
static void nest(int depth)
{
    DF_ATOMIC_CLOSED {
        for (int i = 0; i < FEW; i++) df_tm_write(&few[i], df_tm_read(&few[i]) + depth);
        if (depth) nest(depth - 1);
        if (depth == 2 && !every && !from_now_on) {
            DF_ATOMIC {
                for (int i = 0; i < FEW; i++) df_tm_write(&few[i], -1L);
                df_retry();
            }
            DF_OR_ELSE {
                for (int i = 1; i < FEW; i++) CHECK(df_tm_read(&few[i]) == df_tm_read(&few[0]));
            }
        }
    }
}

/* Handlers: each is called, once, or df_tm_on_commit said that it will not be. */
static int commits, aborts;
static void at_commit(void *p) { __atomic_fetch_add(&commits, (int)(intptr_t)p, __ATOMIC_RELAXED); }
static long in_handlers;
static void at_abort(void *p)
{
    __atomic_fetch_add(&aborts, (int)(intptr_t)p, __ATOMIC_RELAXED);
    DF_ATOMIC df_tm_write(&in_handlers, df_tm_read(&in_handlers) + 1); /* with the record of the block, if it has one */
}
static int told, told_abort; /* what was accepted */
static void handle(int n, int back)
{
    volatile int mine = 0, mine_abort = 0;
    DF_ATOMIC {
        mine = mine_abort = 0;
        df_tm_write(&few[0], df_tm_read(&few[0])); /* conflicts: those of the abort are told at once */
        for (int i = 0; i < n; i++) {
            df_result r = df_tm_on_commit(at_commit, (void *)(intptr_t)1);
            CHECK(r == DF_OK || r == DF_ERROR_MEMORY);
            mine += r == DF_OK;
            r = df_tm_on_abort(at_abort, (void *)(intptr_t)1);
            CHECK(r == DF_OK || r == DF_ERROR_MEMORY);
            if (r == DF_OK) __atomic_fetch_add(&told_abort, 1, __ATOMIC_RELAXED), mine_abort++;
        }
        if (back) df_abort();
    }
    if (back) return; /* all of them were called */
    __atomic_fetch_add(&told, mine, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&told_abort, mine_abort, __ATOMIC_RELAXED);
}

/* A list of nodes: as many as there was memory for. */
struct node { struct node *next; long value; };
static struct node *list;
static long length;
static void allocate(int n, int back)
{
    DF_ATOMIC {
        for (int i = 0; i < n; i++) {
            struct node *x = df_tm_calloc(1, sizeof *x);
            if (!x) break;
            CHECK(!x->next && !x->value);
            x->value = 77;
            x->next = df_tm_read(&list);
            df_tm_write(&list, x);
            df_tm_write(&length, df_tm_read(&length) + 1);
        }
        if (back) {
            for (int i = 0; i < n / 2; i++) { /* freed again in the same block */
                struct node *x = df_tm_read(&list);
                if (!x) break;
                df_tm_write(&list, df_tm_read(&x->next));
                df_tm_write(&length, df_tm_read(&length) - 1);
                df_tm_free(x);
            }
        }
    }
}
static void release(int n)
{
    DF_ATOMIC {
        for (int i = 0; i < n; i++) {
            struct node *x = df_tm_read(&list);
            if (!x) break;
            CHECK(df_tm_read(&x->value) == 77);
            df_tm_write(&list, df_tm_read(&x->next));
            df_tm_write(&length, df_tm_read(&length) - 1);
            df_tm_free(x);
        }
    }
}

/* Waits for the thread before it: also without memory for its log it does not sleep for ever. */
static int turn;
static void wait_for_turn(int self)
{
    DF_ATOMIC {
        long sum = 0;
        for (int i = 0; i < CELLS; i++) sum += df_tm_read(&cell[i * STRIDE]) != 1000000;
        CHECK(sum == CELLS);
        if (df_tm_read(&turn) % THREADS != self) df_retry();
        df_tm_write(&turn, df_tm_read(&turn) + 1);
    }
}

/* --- all of it, in new threads -------------------------------------------------------------------------------- */

static int nested_many[THREADS];
static void work(int self)
{
    uint64_t s = (uint64_t)self + 1;
    for (int i = 0; i < rounds; i++) {
        int a = test_below(&s, CELLS), b = test_below(&s, CELLS);
        if (i % 5 == self) CHECK(read_many(CELLS, a, b) == 0);
        read_many(10, b, a);
        if (i % 5 == 1) {
            write_many(500, 3);
            write_many(500, -3);
        }
        if (i % 5 == 2) nest(40), nested_many[self]++;
        handle(i % 3 ? 3 : 40, i % 4 == 0);
        allocate(i % 3 ? 2 : 30, i % 2);
        release(i % 3 ? 2 : 20);
        if (i % 10 == 9) wait_for_turn(self);
    }
}

static void check_all(void)
{
    long sum = 0, n = 0;
    static long nested;
    for (int i = 0; i < CELLS; i++) sum += cell[i * STRIDE];
    CHECK(sum == 0);
    for (int k = 0; k < THREADS; k++) nested += nested_many[k], nested_many[k] = 0;
    for (int i = 0; i < FEW; i++) CHECK(few[i] == nested * 40 * 41 / 2);
    CHECK(commits == told && aborts >= told_abort && in_handlers == aborts);
    in_handlers = commits = told = aborts = told_abort = 0;
    for (struct node *x = list; x; x = x->next) n++;
    CHECK(n == length);
}

static void all(int n, int from)
{
    __atomic_store_n(&calls, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&every, n, __ATOMIC_RELAXED);
    __atomic_store_n(&from_now_on, from, __ATOMIC_RELAXED);
    stm_run(THREADS, work);
    __atomic_store_n(&every, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&from_now_on, 0, __ATOMIC_RELAXED);
    check_all();
}

/* Without memory for a record: threads share one. One that ends inside of a block gives it back. */
static void *ends_inside(void *unused)
{
    DF_ATOMIC {
        df_tm_write(&length, -1L);
        pthread_exit(unused);
    }
    return unused;
}
static void end_inside(void)
{
    pthread_t t;
    long before = length;
    from_now_on = 1;
    CHECK(!pthread_create(&t, NULL, ends_inside, NULL) && !pthread_join(t, NULL));
    CHECK(length == before);
    rounds = 2;
    all(0, 1);
}

/* The same where there is memory for handlers: these have blocks of their own, while theirs is being rolled back. */
static pthread_barrier_t shared;
static void share_record(int self)
{
    for (int i = 0; i < rounds; i++) {
        handle(3, (i + self) % 2);
        release(1);
        allocate(2, i % 2);
    }
    pthread_barrier_wait(&shared); /* no record is free before */
}
static void share(void)
{
    uint64_t before = dfi_tm_spare.tm.counts.n[DFI_TM_COMMITS];
    too_much = sizeof(struct dfi_tm_room);
    rounds = 300;
    CHECK(!pthread_barrier_init(&shared, NULL, 4 * THREADS));
    stm_run(4 * THREADS, share_record);
    CHECK(!pthread_barrier_destroy(&shared));
    too_much = 0;
    CHECK(dfi_tm_spare.tm.counts.n[DFI_TM_COMMITS] > before + 1000);
    check_all();
}

int main(void)
{
    static const int n[] = { 1, 2, 3, 4, 7, 13, 50, 200 };
    df_stm_counters c;
    long before;
    stm_watch(100);
    printf("seed 1\n");
    rounds = stm_rounds(200);
    if (rounds < 10) rounds = 10;
    /* before any thread has a record: a bit of everything with the shared one */
    all(1, 0);
    for (int from = 1; from < 12; from++) all(0, from);
    for (unsigned i = 0; i < sizeof n / sizeof *n; i++) all(n[i], 0);
    for (int from = 1; from < 400; from = from * 3 / 2 + 1) all(0, from);
    CHECK(failed > 1000);
    all(0, 0);
    before = alive - length;
    for (int i = 0; i < 3; i++) all(5, 0);
    all(0, 30);
    while (length) release(10);
    CHECK(alive <= before); /* records are used again, logs are freed */
    end_inside();
    while (length) release(10);
    CHECK(alive <= before + 1); /* the main thread's log */
    share();
    CHECK(df_stm_stats(&c) == DF_OK);
#if DF_STM_ENGINE == DF_STM_VALUES
    CHECK(dfi_stm.orecs == &dfi_stm.clock && dfi_stm.orec_mask == 0);
#elif defined(STM_NO_TABLE)
    CHECK(dfi_stm.orecs == dfi_tm_few_orecs && dfi_stm.orec_mask == (DFI_TM_FEW_ORECS - 1) * sizeof(dfi_orec));
#else
    CHECK(dfi_stm.orec_mask == (DF_STM_ORECS - 1) * sizeof(dfi_orec));
#endif
    printf("%d allocations failed; %llu commits, %llu gave way, %llu alone\n", failed, (unsigned long long)c.commits,
           (unsigned long long)c.gave_way, (unsigned long long)c.alone);
    CHECK(c.most_reads >= CELLS && c.most_writes >= 500);
}
