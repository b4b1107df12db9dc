/* The cost of transactional memory: workloads and main().
 *
 *   empty, read, increment     blocks that do nothing; read a word; read and write one; each thread has words of its
 *                              own
 *   read_256                   per read, in blocks that read 256 words in a row
 *   write_16 ... write_4096    per write, in blocks that write that many words in a row
 *   list, hash, tree, skip     per operation on a set, of 256 or 4096 elements of a range twice as large, shared by the
 *                              threads; _0, _20, _100: per cent of operations that insert or remove, the others look up
 *   bank                       per transfer between 2 of 1024 accounts
 *   bank_total                 the same, and every hundredth operation adds up all accounts
 *   one_word                   per increment of one word that all threads share
 *   catalogue                  a tree of 121 assemblies with 243 parts: 60 % short reads, 30 % short updates, 9 %
 *                              changes of the structure, 1 % reads of everything
 *   kmeans, intruder, labyrinth, vacation, ssca2, yada   programs with the shapes of those of STAMP: stm/programs.h
 *
 * The sets and the bank are those of examples/stm; with CONTAINERS, hash and tree are those of df_containers.h. Checksums
 * show that the final contents are in order, and as many as the results of the operations imply. Setup is not timed. A
 * new node comes from malloc in every system.
 *
 * Include bench.h, and define df_tm_read and so on (or include df_stm.h) and the macros of stm/threads.h, before this
 * file. */
#ifndef STM_H
#define STM_H
#include "stm/programs.h"

#include "../examples/stm/bank.h"
#include "../examples/stm/catalogue.h"
#include "../examples/stm/hash.h"
#include "../examples/stm/list.h"
#include "../examples/stm/skiplist.h"
#include "../examples/stm/tree.h"

enum { ACCOUNTS = 1024, BALANCE = 1000, LEVELS = 5 };

/* Blocks. ---------------------------------------------------------------------------------------------------------- */

#ifndef NO_EMPTY_BLOCK
static void run_empty(void *p)
{
    worker *w = (worker *)p;
    for (long i = w->first; i < w->end; i++) {
        BLOCK
        BLOCK_END
    }
}
#endif

static inline long read_words(long *word, long words)
{
    long sum = 0;
    for (long k = 0; k < words; k++) sum += df_tm_read(&word[k]);
    return sum;
}
static void run_read(void *p)
{
    worker *w = (worker *)p;
    long *word = w->word, words = w->words, found = 0;
    for (long i = w->first; i < w->end; i++) {
        READ_BLOCK
            found = read_words(word, words);
        BLOCK_END
        w->sum += found + 1;
    }
}

static void run_increment(void *p)
{
    worker *w = (worker *)p;
    long *word = w->word;
    for (long i = w->first; i < w->end; i++) {
        BLOCK
            df_tm_write(word, df_tm_read(word) + 1);
        BLOCK_END
    }
}

static inline void write_words(long *word, long words, long value)
{
    for (long k = 0; k < words; k++) df_tm_write(&word[k], value);
}
static void run_write(void *p)
{
    worker *w = (worker *)p;
    long *word = w->word, words = w->words;
    for (long i = w->first; i < w->end; i++) {
        BLOCK
            write_words(word, words, i);
        BLOCK_END
    }
    memset(word, 0, (size_t)words * sizeof *word);                  /* the value depends on the number of threads */
    w->sum += w->end - w->first;
}

static void blocks(const char *workload, void (*run)(void *), long n, long words)
{
    worker all;
    double seconds;
    if (!bench_wants(workload)) return;
    n = n / words + 1;
    seconds = work_all(run, n, words, 0, 0, &all);
    bench_line(workload, SYSTEM_NAME, seconds, n * words, bench_mix((uint64_t)all.sum));
}

/* Sets. ------------------------------------------------------------------------------------------------------------ */

/* The functions of one kind of set. The result of a block is known after it: a block that runs twice sets it twice. */
#define SET(kind)                                                                                                \
    static kind the_##kind;                                                                                      \
    static STM_CALL int kind##_put(long key)                                                                     \
    {                                                                                                            \
        int done = 0;                                                                                            \
        BLOCK done = kind##_insert(&the_##kind, key); BLOCK_END                                                  \
        return done;                                                                                             \
    }                                                                                                            \
    static STM_CALL int kind##_take(long key)                                                                    \
    {                                                                                                            \
        int done = 0;                                                                                            \
        BLOCK done = kind##_remove(&the_##kind, key); BLOCK_END                                                  \
        return done;                                                                                             \
    }                                                                                                            \
    static STM_CALL int kind##_has(long key)                                                                     \
    {                                                                                                            \
        int done = 0;                                                                                            \
        READ_BLOCK done = kind##_contains(&the_##kind, key); BLOCK_END                                           \
        return done;                                                                                             \
    }                                                                                                            \
    static long kind##_count(void)                                                                               \
    {                                                                                                            \
        long elements = 0;                                                                                       \
        BLOCK elements = kind##_check(&the_##kind); BLOCK_END                                                    \
        return elements;                                                                                         \
    }                                                                                                            \
    static void kind##_end(void)                                                                                 \
    {                                                                                                            \
        BLOCK kind##_clear(&the_##kind); BLOCK_END                                                               \
    }

#define RUN_SET(kind)                                                                                            \
    static void run_##kind(void *p)                                                                              \
    {                                                                                                            \
        worker *w = (worker *)p;                                                                                 \
        for (long i = w->first; i < w->end; i++) {                                                               \
            uint64_t x = random_next(w);                                                                         \
            long key = (long)(x >> 32) % w->range;                                                               \
            if ((long)(x >> 1 & 0x7fffffff) % 100 >= w->updates) w->sum += kind##_has(key);                      \
            else if (x & 1) w->added += kind##_put(key);                                                         \
            else w->added -= kind##_take(key);                                                                   \
        }                                                                                                        \
    }

SET(list)
SET(skiplist)
#ifdef CONTAINERS
#include "stm/containers.h"
#else
SET(tree)
#define hash_clear hash_empty                                       /* the table stays */
static inline void hash_empty(hash *h) { for (size_t i = 0; i < h->chains; i++) list_clear(&h->chain[i]); }
SET(hash)
#undef hash_clear
static int hash_begin(size_t elements)
{
    free(the_hash.chain);
    return hash_init(&the_hash, elements);
}
#endif
RUN_SET(list)
RUN_SET(tree)
RUN_SET(skiplist)
RUN_SET(hash)

static void set(const char *kind, long n, int (*put)(long), long (*count)(void), void (*end)(void), void (*run)(void *))
{
    static const int sizes[] = { 256, 4096 }, updates[] = { 0, 20, 100 };
    for (int s = 0; s < 2; s++)
        for (int u = 0; u < 3; u++) {
            char workload[64];
            long elements = 0;
            uint64_t x = 1;
            double seconds;
            worker all;
            int right;
            snprintf(workload, sizeof workload, "%s_%d_%d", kind, sizes[s], updates[u]);
            if (!bench_wants(workload)) continue;
            if (!hash_begin((size_t)sizes[s])) exit(1);
            while (elements < sizes[s]) elements += put((long)((x = bench_mix(x)) % (uint64_t)(2 * sizes[s])));
            seconds = work_all(run, n, 1, 2 * sizes[s], updates[u], &all);
            right = count() == elements + all.added;
            bench_line(workload, SYSTEM_NAME, seconds, n, right ? bench_mix((uint64_t)elements) : 0);
            end();
            if (s == 0 && u == 2 && run == run_list) n /= 16;
        }
}

/* The bank. -------------------------------------------------------------------------------------------------------- */

static bank the_bank;

static STM_CALL long transfer(long from, long to)
{
    long moved = 0;
    BLOCK moved = bank_transfer(&the_bank, from, to, 1); BLOCK_END
    return moved;
}
static STM_CALL long sum_up(void)
{
    long total = 0;
    READ_BLOCK total = bank_total(&the_bank); BLOCK_END
    return total;
}
static void run_bank(void *p)
{
    worker *w = (worker *)p;
    for (long i = w->first; i < w->end; i++) {
        uint64_t x = random_next(w);
        if (w->updates && i % 100 == 0) w->sum += sum_up() != ACCOUNTS * BALANCE;
        else transfer((long)(x >> 8) % ACCOUNTS, (long)(x >> 32) % ACCOUNTS);
    }
}

static void bank_of(const char *workload, long n, int totals)
{
    worker all;
    double seconds;
    if (!bench_wants(workload)) return;
    the_bank.accounts = ACCOUNTS;
    the_bank.balance = (long *)bench_alloc(ACCOUNTS, sizeof *the_bank.balance);
    for (long i = 0; i < ACCOUNTS; i++) the_bank.balance[i] = BALANCE;
    seconds = work_all(run_bank, n, 1, 0, totals, &all);
    bench_line(workload, SYSTEM_NAME, seconds, n, bench_mix((uint64_t)(sum_up() + all.sum)));
    free(the_bank.balance);
}

static long the_word[8];

static STM_CALL void increment_it(void)
{
    BLOCK df_tm_write(the_word, df_tm_read(the_word) + 1); BLOCK_END
}
static void run_one_word(void *p)
{
    worker *w = (worker *)p;
    for (long i = w->first; i < w->end; i++) increment_it();
}
static void one_word(const char *workload, long n)
{
    worker all;
    double seconds;
    if (!bench_wants(workload)) return;
    seconds = work_all(run_one_word, n, 1, 0, 0, &all);
    bench_line(workload, SYSTEM_NAME, seconds, n, bench_mix((uint64_t)the_word[0]));
}

/* The catalogue. --------------------------------------------------------------------------------------------------- */

static catalogue the_catalogue;

static STM_CALL long look(uint64_t random)
{
    long sum = 0;
    READ_BLOCK sum = catalogue_look(&the_catalogue, random); BLOCK_END
    return sum;
}
static STM_CALL void turn(uint64_t random, long date)
{
    BLOCK catalogue_turn(&the_catalogue, random, date); BLOCK_END
}
static STM_CALL void replace(uint64_t random, long date)
{
    BLOCK catalogue_replace(&the_catalogue, random, date); BLOCK_END
}
static STM_CALL long look_at_all(void)
{
    long total = 0;
    READ_BLOCK total = catalogue_total(&the_catalogue); BLOCK_END
    return total;
}
static long catalogue_wrong(void)
{
    long wrong = 0;
    BLOCK wrong = catalogue_check(&the_catalogue); BLOCK_END
    return wrong;
}
static void run_catalogue(void *p)
{
    worker *w = (worker *)p;
    for (long i = w->first; i < w->end; i++) {
        uint64_t x = random_next(w);
        long what = i % 100;
        if (what == 0) w->sum += look_at_all() != the_catalogue.places * CATALOGUE_SUM;
        else if (what < 31) turn(x, i);
        else if (what < 40) replace(x, i);
        else w->sum += look(x) != CATALOGUE_SUM;
    }
}

static void work_on_catalogue(const char *workload, long n)
{
    worker all;
    double seconds;
    if (!bench_wants(workload)) return;
    if (!catalogue_init(&the_catalogue, LEVELS)) exit(1);
    seconds = work_all(run_catalogue, n, 1, 0, 0, &all);
    bench_line(workload, SYSTEM_NAME, seconds, n, bench_mix((uint64_t)(look_at_all() + all.sum + catalogue_wrong())));
}

#ifndef THREADS
#define THREADS bench_workers()
#endif
int main(int argc, char **argv)
{
    long n = bench_size(2000000, 200000, 100000);
    bench_start(argc, argv, THREADS);
    SYSTEM_START;
    THREAD_START;
#ifndef NO_EMPTY_BLOCK
    blocks("empty", run_empty, 4 * n, 1);
#endif
    blocks("read", run_read, 4 * n, 1);
    blocks("increment", run_increment, 2 * n, 1);
    blocks("read_256", run_read, 16 * n, 256);
    blocks("write_16", run_write, 4 * n, 16);
    blocks("write_64", run_write, 4 * n, 64);
    blocks("write_256", run_write, 4 * n, 256);
    blocks("write_1024", run_write, 4 * n, 1024);
    blocks("write_4096", run_write, 4 * n, 4096);
    set("list", n / 20, list_put, list_count, list_end, run_list);
    set("hash", n / 2, hash_put, hash_count, hash_end, run_hash);
    set("tree", n / 5, tree_put, tree_count, tree_end, run_tree);
    set("skip", n / 10, skiplist_put, skiplist_count, skiplist_end, run_skiplist);
    bank_of("bank", n / 2, 0);
    bank_of("bank_total", n / 4, 1);
    one_word("one_word", n / 2);
    work_on_catalogue("catalogue", n / 4);
    for (int i = 0; i < PROGRAMS; i++)
        if (bench_wants(programs[i].name)) {
            outcome o = programs[i].solve(n);
            bench_line(programs[i].name, SYSTEM_NAME, o.seconds, o.tasks, o.sum);
        }
    THREAD_STOP;
    SYSTEM_STOP;
    return 0;
}
#endif
