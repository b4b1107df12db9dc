/* Every structure of examples/stm, changed by several threads at once, and checked.
 *
 *     ./stm            each operation is a block: DF_ATOMIC, here as df_atomically
 *     ./stm --lock     each operation holds one global lock instead, with the same functions
 *
 * Of the keys of a set each thread inserts and removes its own, every fourth one, and knows which of them must be
 * there. So the threads meet everywhere, and yet the final contents do not depend on their order. Without threads
 * (DF_SERIAL) their work runs one after the other.
 */
#define DF_IMPLEMENTATION
#include "../df_stm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stm/bank.h"
#include "stm/catalogue.h"
#include "stm/hash.h"
#include "stm/list.h"
#include "stm/queue.h"
#include "stm/skiplist.h"
#include "stm/tree.h"

#ifndef DF_SERIAL
#include <pthread.h>
#endif

enum {
    THREADS = 4, KEYS = 512, CHANGES = 8000, ROOM = 2, ITEMS = 4000, ACCOUNTS = 64, BALANCE = 1000, LEVELS = 5
};

/* One at a time: the blocks, or the lock. ------------------------------------------------------------ */

static int use_lock;
#ifdef DF_SERIAL
static void locked(void (*fn)(void *), void *arg) { fn(arg); }
static void wait_for_others(void) { df_retry(); }
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void locked(void (*fn)(void *), void *arg)
{
    pthread_mutex_lock(&lock);
    fn(arg);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* In fn: waits until another thread has changed something that fn has read. df_retry does not return. */
static void wait_for_others(void)
{
    if (use_lock)
        pthread_cond_wait(&changed, &lock);
    else
        df_retry();
}
#endif

static void at_once(void (*fn)(void *), void *arg)
{
    if (use_lock)
        locked(fn, arg);
    else
        df_atomically(fn, arg);
}

/* Runs thread(&number) for the numbers from 0 to THREADS - 1, beside each other. */
static void run(void *(*thread)(void *))
{
    static int number[THREADS];
#ifdef DF_SERIAL
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        thread(&number[i]);
    }
#else
    pthread_t id[THREADS];
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        if (pthread_create(&id[i], NULL, thread, &number[i]))
            exit(2);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
#endif
}

static unsigned next(unsigned *random) { return (*random = *random * 1664525u + 1013904223u) >> 8; }

static int failures;
static void report(const char *what, long value, int right)
{
    printf("%-22s %8ld  %s\n", what, value, right ? "right" : "WRONG");
    failures += !right;
}

/* Sets. --------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    void *set;
    int (*insert)(void *, long), (*remove)(void *, long), (*contains)(void *, long);
    long (*check)(void *);
    void (*clear)(void *);
} set_kind;

#define SET(type)                                                                               \
    static type the_##type;                                                                     \
    static int insert_##type(void *s, long key) { return type##_insert((type *)s, key); }       \
    static int remove_##type(void *s, long key) { return type##_remove((type *)s, key); }       \
    static int contains_##type(void *s, long key) { return type##_contains((type *)s, key); }   \
    static long check_##type(void *s) { return type##_check((type *)s); }                       \
    static void clear_##type(void *s) { type##_clear((type *)s); }
#define SET_KIND(name, type)                                                                    \
    { name, &the_##type, insert_##type, remove_##type, contains_##type, check_##type, clear_##type }
SET(list)
SET(hash)
SET(skiplist)
SET(tree)

typedef struct {
    int (*fn)(void *set, long key);
    long key;
    int result;
} set_call;

static const set_kind *kind;
static char there[KEYS];                           /* each thread has its own keys */
static int surprises[THREADS];                     /* wrong answers */

static void call_set(void *p)
{
    set_call *c = (set_call *)p;
    c->result = c->fn(kind->set, c->key);          /* a block that runs again sets it again */
}

static void *change_set(void *p)
{
    int me = *(int *)p;
    unsigned random = (unsigned)me;
    for (int i = 0; i < CHANGES; i++) {
        unsigned what = next(&random) % 4;
        long key = (long)(next(&random) % (KEYS / THREADS)) * THREADS + me;
        set_call c = { what == 0 ? kind->insert : what == 1 ? kind->remove : kind->contains, key, 0 };
        at_once(call_set, &c);
        surprises[me] += c.result != (what == 0 ? !there[key] : there[key]);
        if (what < 2)
            there[key] = what == 0;
    }
    return NULL;
}

static void test_set(const set_kind *k)
{
    long elements = 0;
    int right = 1;
    memset(there, 0, sizeof there);
    memset(surprises, 0, sizeof surprises);
    kind = k;
    run(change_set);
    for (long key = 0; key < KEYS; key++) {
        elements += there[key];
        right = right && k->contains(k->set, key) == there[key];
    }
    for (int i = 0; i < THREADS; i++)
        right = right && !surprises[i];
    report(k->name, elements, right && k->check(k->set) == elements);
    k->clear(k->set);
}

/* Queues: an item is 100000 times the number of the thread that put it, and a number that grows. ---- */

typedef struct { queue *q; long item; } queue_call;
static queue narrow, wide;
static long taken[THREADS];                        /* sum of the numbers */

static void put(void *p)
{
    queue_call *c = (queue_call *)p;
    while (!queue_try_put(c->q, c->item))
        wait_for_others();
}
static void take(void *p)
{
    queue_call *c = (queue_call *)p;
    while (!queue_try_take(c->q, &c->item))
        wait_for_others();
}

/* Takes an item, of which every thread's must come in the order in which it put them. */
static void take_in_order(queue *q, int me, long last[THREADS])
{
    queue_call c = { q, 0 };
    at_once(take, &c);
    long from = c.item / 100000, number = c.item % 100000;
    surprises[me] += number <= last[from];
    last[from] = number;
    taken[me] += number;
}

/* There is room for 2 items: a thread that puts a third one waits until another thread takes one. */
static void *put_and_take(void *p)
{
    int me = *(int *)p;
    long last[THREADS] = { 0 };
    for (int i = 1; i <= ITEMS; i++) {
        queue_call c = { &narrow, me * 100000 + i };
        at_once(put, &c);
        take_in_order(&narrow, me, last);
    }
    return NULL;
}

/* Half of the threads put, half take: they wait until there is something. */
static void *put_or_take(void *p)
{
    int me = *(int *)p;
    long last[THREADS] = { 0 };
    for (int i = 1; i <= ITEMS; i++)
        if (me < THREADS / 2) {
            queue_call c = { &wide, me * 100000 + i };
            at_once(put, &c);
        } else take_in_order(&wide, me, last);
    return NULL;
}

static void test_queue(const char *name, queue *q, long room, void *(*thread)(void *), long putters)
{
    long sum = 0;
    int right = 1;
    if (!queue_init(q, room))
        exit(2);
    memset(surprises, 0, sizeof surprises);
    memset(taken, 0, sizeof taken);
    run(thread);
    for (int i = 0; i < THREADS; i++) {
        sum += taken[i];
        right = right && !surprises[i];
    }
    report(name, sum, right && sum == putters * ITEMS * (ITEMS + 1) / 2 && q->put == q->taken);
    free(q->item);
}

/* The bank and the catalogue. ----------------------------------------------------------------------- */

typedef struct { long a, b, c, result; } numbers;
static long balance[ACCOUNTS];
static bank the_bank = { ACCOUNTS, balance };
static catalogue the_catalogue;

static void transfer(void *p)
{
    numbers *n = (numbers *)p;
    n->result = bank_transfer(&the_bank, n->a, n->b, n->c);
}
static void add_up(void *p) { ((numbers *)p)->result = bank_total(&the_bank); }

static void *use_bank(void *p)
{
    int me = *(int *)p;
    unsigned random = (unsigned)me;
    for (int i = 0; i < CHANGES; i++) {
        numbers n = { next(&random) % ACCOUNTS, next(&random) % ACCOUNTS, next(&random) % 100, 0 };
        at_once(i % 50 ? transfer : add_up, &n);
        surprises[me] += i % 50 == 0 && n.result != ACCOUNTS * BALANCE;
    }
    return NULL;
}

typedef struct { uint64_t random; long date, result; } visit;
static void look(void *p) { visit *v = (visit *)p; v->result = catalogue_look(&the_catalogue, v->random); }
static void total(void *p) { visit *v = (visit *)p; v->result = catalogue_total(&the_catalogue); }
static void turn(void *p) { visit *v = (visit *)p; catalogue_turn(&the_catalogue, v->random, v->date); }
static void replace(void *p) { visit *v = (visit *)p; catalogue_replace(&the_catalogue, v->random, v->date); }

static void *use_catalogue(void *p)
{
    int me = *(int *)p;
    unsigned random = (unsigned)me;
    for (int i = 0; i < CHANGES; i++) {
        visit v = { (uint64_t)next(&random) << 40 ^ (uint64_t)next(&random) << 20 ^ next(&random), i + 1, 0 };
        int what = i % 100;
        at_once(what == 0 ? total : what < 30 ? turn : what < 40 ? replace : look, &v);
        surprises[me] += (what == 0 && v.result != the_catalogue.places * CATALOGUE_SUM)
            || (what >= 40 && v.result != CATALOGUE_SUM);
    }
    return NULL;
}

static void test_totals(const char *name, void *(*thread)(void *), void (*sum_up)(void *), long expected)
{
    numbers n = { 0, 0, 0, 0 };
    visit v = { 0, 0, 0 };
    int right = 1;
    memset(surprises, 0, sizeof surprises);
    run(thread);
    for (int i = 0; i < THREADS; i++)
        right = right && !surprises[i];
    sum_up(sum_up == total ? (void *)&v : (void *)&n);
    report(name, n.result + v.result, right && n.result + v.result == expected);
}

int main(int argc, char **argv)
{
    use_lock = argc > 1 && !strcmp(argv[1], "--lock");
    static const set_kind sets[] = {
        SET_KIND("list", list), SET_KIND("hash table", hash), SET_KIND("skip list", skiplist),
        SET_KIND("red-black tree", tree)
    };
    if (!hash_init(&the_hash, KEYS / 4) || !catalogue_init(&the_catalogue, LEVELS))
        return 2;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        test_set(&sets[i]);
    test_queue("queue, put and take", &narrow, ROOM, put_and_take, THREADS);
    test_queue("queue, put or take", &wide, THREADS / 2 * ITEMS, put_or_take, THREADS / 2);
    for (int i = 0; i < ACCOUNTS; i++)
        balance[i] = BALANCE;
    test_totals("bank", use_bank, add_up, ACCOUNTS * BALANCE);
    test_totals("catalogue", use_catalogue, total, the_catalogue.places * CATALOGUE_SUM);
    report("parts with wrong uses", catalogue_check(&the_catalogue), catalogue_check(&the_catalogue) == 0);
    catalogue_clear(&the_catalogue);
    return failures != 0;
}
