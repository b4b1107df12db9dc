/* stm_invariants.c - a bank, a sorted list, a tree and a queue, all changed by 2, 4 and 8 threads in blocks, and their
 * invariants, inside of the blocks and at the end: `stm_invariants SECONDS [TRANSACTIONS]`
 *
 * With a number of transactions, each number of threads runs until it has done as many. Threads end and new ones
 * begin every quarter of a second. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#define DF_IMPLEMENTATION
#include "df_stm.h"
#include "stress.h"

enum { ACCOUNTS = 64, LIST_KEYS = 128, TREE_KEYS = 2048, MOST_THREADS = 8, QUEUE = 64 };

static void maybe_yield(uint64_t *s)
{
    if (test_below(s, 2000) == 0) sched_yield();
}

/* --- a bank: money is neither made nor lost ------------------------------------------------------------------ */

static long account[ACCOUNTS];

static void transfer(uint64_t *s)
{
    int from = test_below(s, ACCOUNTS), to = test_below(s, ACCOUNTS), much = test_below(s, 100);
    DF_ATOMIC {
        df_tm_write(&account[from], df_tm_read(&account[from]) - much);
        maybe_yield(s);
        df_tm_write(&account[to], df_tm_read(&account[to]) + much);
    }
}
static void audit(uint64_t *s, int irrevocable)
{
    DF_ATOMIC {
        long sum = 0;
        if (irrevocable) df_irrevocable();
        for (int i = 0; i < ACCOUNTS; i++) {
            if (i == ACCOUNTS / 2) maybe_yield(s);
            sum += df_tm_read(&account[i]);
        }
        CHECK(sum == 0);
    }
}

/* --- a sorted list: each key at most once, in order ------------------------------------------------------------ */

struct item { struct item *next; long key, check; };
static struct item *list;
static long list_size;

/* The place where the key is, or would be. */
static struct item **list_find(long key)
{
    struct item **at = &list, *x;
    long before = -1;
    while ((x = df_tm_read(at)) != NULL) {
        long k = df_tm_read(&x->key);
        CHECK(k > before && df_tm_read(&x->check) == ~k);
        if (k >= key) break;
        before = k, at = &x->next;
    }
    return at;
}
/* In the list afterwards? */
static int list_toggle(long key)
{
    struct item **at = list_find(key), *x = df_tm_read(at);
    if (x && df_tm_read(&x->key) == key) {
        df_tm_write(at, df_tm_read(&x->next));
        df_tm_write(&list_size, df_tm_read(&list_size) - 1);
        df_tm_free(x);
        return 0;
    }
    struct item *n = df_tm_malloc(sizeof *n);
    CHECK(n);
    n->next = x, n->key = key, n->check = ~key;
    df_tm_write(at, n);
    df_tm_write(&list_size, df_tm_read(&list_size) + 1);
    return 1;
}

/* --- a search tree, not balanced: random keys do that ------------------------------------------------------------- */

struct node { struct node *child[2]; int key; long check; };
static struct node *tree;

static int tree_toggle(int key)
{
    struct node **at = &tree, *x, *n;
    int low = -1, high = TREE_KEYS;
    while ((x = df_tm_read(at)) != NULL) {
        int k = df_tm_read(&x->key);
        CHECK(low < k && k < high);
        if (k == key) break;
        *(key > k ? &low : &high) = k;
        at = &x->child[key > k];
    }
    if (!x) {
        n = df_tm_calloc(1, sizeof *n);
        CHECK(n);
        n->key = key, n->check = key * 3L;
        df_tm_write(at, n);
        return 1;
    }
    CHECK(df_tm_read(&x->check) == key * 3L);
    /* takes the place of the next key, which has no left child */
    if (df_tm_read(&x->child[0]) && df_tm_read(&x->child[1])) {
        struct node **next = &x->child[1];
        while (df_tm_read(&(n = df_tm_read(next))->child[0])) next = &n->child[0];
        df_tm_write(&x->key, df_tm_read(&n->key));
        df_tm_write(&x->check, df_tm_read(&n->check));
        at = next, x = n;
    }
    n = df_tm_read(&x->child[0]);
    df_tm_write(at, n ? n : df_tm_read(&x->child[1]));
    df_tm_free(x);
    return 0;
}
static long tree_count(const struct node *x, int low, int high)
{
    if (!x) return 0;
    CHECK(low < x->key && x->key < high && x->check == x->key * 3L);
    return 1 + tree_count(x->child[0], low, x->key) + tree_count(x->child[1], x->key, high);
}

/* --- a queue: the items of each thread come out in the order in which they were put in ---------------------------- */

struct entry { struct entry *next; long number; int who; };
static struct entry *first, **last = &first;
static long in[MOST_THREADS], out[MOST_THREADS], queued;

static void put(int self)
{
    struct entry *e = df_tm_malloc(sizeof *e);
    CHECK(e);
    e->next = NULL, e->who = self, e->number = df_tm_read(&in[self]) + 1;
    df_tm_write(&in[self], e->number);
    df_tm_write(df_tm_read(&last), e);
    df_tm_write(&last, &e->next);
    df_tm_write(&queued, df_tm_read(&queued) + 1);
}
static void take(void)
{
    struct entry *e = df_tm_read(&first), *next;
    int who;
    if (!e) df_retry();
    who = df_tm_read(&e->who);
    CHECK(df_tm_read(&e->number) == df_tm_read(&out[who]) + 1);
    df_tm_write(&out[who], df_tm_read(&e->number));
    next = df_tm_read(&e->next);
    df_tm_write(&first, next);
    if (!next) df_tm_write(&last, &first);
    df_tm_write(&queued, df_tm_read(&queued) - 1);
    df_tm_free(e);
}
/* One in or one out; in that order of preference, or the other. */
static void put_or_take(int self, int takes)
{
    if (takes) {
        DF_ATOMIC take();
        DF_OR_ELSE put(self);
    } else {
        DF_ATOMIC {
            if (df_tm_read(&queued) >= QUEUE) df_retry();
            put(self);
        }
        DF_OR_ELSE take();
    }
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

struct worker { int self, list[LIST_KEYS]; uint64_t seed, done; long tree_size; } worker[MOST_THREADS];
static double until;

/* What is in the list and in the tree, changed together: a key of the list has its bit here. */
static unsigned char in_list[LIST_KEYS];

static void *work(void *p)
{
    struct worker *w = p;
    uint64_t *s = &w->seed; /* not a local variable: blocks that run again change it */
    volatile int change = 0;
    while (w->done % 64 || stress_now() < until) {
        int key = test_below(s, TREE_KEYS), k = key % LIST_KEYS;
        w->done++;
        switch (test_below(s, 16)) {
        case 0: audit(s, test_below(s, 1000) == 0); break;
        case 1: case 2: case 3: case 4: case 5: case 6: transfer(s); break;
        case 7: case 8:
            DF_ATOMIC df_tm_write(&in_list[k], (unsigned char)list_toggle(k));
            break;
        case 9:
            DF_ATOMIC {
                struct item *x = df_tm_read(list_find(k));
                CHECK((x && df_tm_read(&x->key) == k) == df_tm_read(&in_list[k]));
            }
            break;
        case 10: case 11: case 12:
            DF_ATOMIC change = tree_toggle(key) ? 1 : -1;
            w->tree_size += change;
            break;
        case 13: /* two structures, or none */
            DF_ATOMIC {
                df_tm_write(&in_list[k], (unsigned char)list_toggle(k));
                DF_ATOMIC_CLOSED {
                    change = tree_toggle(key) ? 1 : -1;
                    if (key % 8 == 0) {
                        change = 0;
                        df_abort();
                    }
                }
                if (df_tm_read(&account[key % ACCOUNTS]) % 16 == 1) {
                    change = 0;
                    df_abort();
                }
            }
            w->tree_size += change;
            break;
        default: put_or_take(w->self, test_below(s, 2)); break;
        }
    }
    return NULL;
}

static void check_all(void)
{
    long sum = 0, n = 0, size = 0, before = -1;
    for (int i = 0; i < ACCOUNTS; i++) sum += account[i];
    CHECK(sum == 0);
    for (struct item *x = list; x; before = x->key, x = x->next, n++)
        CHECK(x->key > before && x->check == ~x->key && in_list[x->key]);
    CHECK(n == list_size);
    for (int i = 0; i < LIST_KEYS; i++) n -= in_list[i];
    CHECK(n == 0);
    for (int i = 0; i < MOST_THREADS; i++) size += worker[i].tree_size;
    CHECK(tree_count(tree, -1, TREE_KEYS) == size);
    struct entry **end = &first;
    for (n = 0; *end; end = &(*end)->next) n++;
    CHECK(n == queued && end == last && n <= QUEUE + 1);
    for (int i = 0; i < MOST_THREADS; i++) n -= in[i] - out[i];
    CHECK(n == 0);
}

int main(int argc, char **argv)
{
    uint64_t transactions = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    double seconds;
    df_stm_counters c;
    stress_begin(argc, argv);
    seconds = stress_end - stress_now();
    printf("seed 1\n");
    for (int i = 0; i < MOST_THREADS; i++) worker[i] = (struct worker){ .self = i, .seed = 1 + 1000 * (uint64_t)i };
    for (int threads = 2; threads <= MOST_THREADS; threads *= 2) {
        double begin = stress_now(), end = begin + seconds / 3;
        uint64_t done = 0;
        while (transactions ? done < transactions && stress_goes_on() : stress_now() < end) {
            pthread_t t[MOST_THREADS];
            until = stress_now() + 0.25;
            for (int i = 0; i < threads; i++) {
                worker[i].done = 0;
                CHECK(!pthread_create(&t[i], NULL, work, &worker[i]));
            }
            for (int i = 0; i < threads; i++) {
                CHECK(!pthread_join(t[i], NULL));
                done += worker[i].done;
            }
            check_all();
        }
        CHECK(df_stm_stats(&c) == DF_OK);
        printf("%d threads: %llu transactions in %.1f s; so far %llu too new, %llu changed, %llu locked, %llu gave way, %llu alone\n",
               threads, (unsigned long long)done, stress_now() - begin, (unsigned long long)c.too_new,
               (unsigned long long)c.changed, (unsigned long long)c.locked, (unsigned long long)c.gave_way,
               (unsigned long long)c.alone);
        fflush(stdout);
    }
}
