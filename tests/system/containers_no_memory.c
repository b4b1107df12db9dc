/* containers_no_memory.c - memory runs out: a container is then as before, and its functions say so
 *
 * In each of many rounds the n-th allocation fails, or all from the n-th on, in one operation, outside of a block, in
 * one, and in one that is irrevocable. Elements are compared before and after. No memory may be lost. */
#include <limits.h>
#include <stdlib.h>
static int calls, from, only;
static long alive;
void *test_malloc(size_t n);
void test_free(void *p);
void *test_malloc(size_t n)
{
    void *p;
    calls++;
    if ((from && calls >= from) || (only && calls == only)) return NULL;
    p = malloc(n);
    alive += p != NULL;
    return p;
}
void test_free(void *p)
{
    alive -= p != NULL;
    free(p);
}
#define DF_MALLOC(n) test_malloc(n)
#define DF_FREE(p) test_free(p)
#define DF_IMPLEMENTATION
#include "df_containers.h"
#include "../test.h"

enum { KEYS = 500, ALL = 100 };
struct wide { long n[5]; };
DF_TM_MAP(longs, long, long);
DF_TM_MAP(wides, long, struct wide);
DF_TM_SET(keys, long);
static int before(long a, long b) { return a < b; }
DF_TM_SORTED_MAP(sorted, long, struct wide, before);
DF_TM_QUEUE(line, struct wide);
DF_TM_HEAP(heap, long, before);
static sorted in_order;
static line waiting;
static heap urgent;
static longs m;
static wides w;
static keys s;

static struct wide wide(long n)
{
    struct wide x = { { n, n, n, n, n } };
    return x;
}

/* A hash of all elements. */
static uint64_t contents(void)
{
    longs_cursor a = { 0, 0 };
    wides_cursor b = { 0, 0 };
    keys_cursor c = { 0, 0 };
    sorted_cursor d = { 0, 0 };
    uint64_t h = 0;
    long key, value, last = -1;
    struct wide x;
    while (longs_next(&m, &a, &key, &value)) h += test_mix(test_mix(1, (uint64_t)key), (uint64_t)value);
    while (wides_next(&w, &b, &key, &x)) {
        CHECK(x.n[0] == x.n[4]);
        h += test_mix(test_mix(2, (uint64_t)key), (uint64_t)x.n[0]);
    }
    while (keys_next(&s, &c, &key)) h += test_mix(3, (uint64_t)key);
    while (sorted_next(&in_order, &d, &key, &x)) {
        CHECK(key > last && x.n[0] == x.n[4]);
        last = key;
        h += test_mix(test_mix(4, (uint64_t)key), (uint64_t)x.n[0]);
    }
    if (heap_top(&urgent, &key)) h += test_mix(5, (uint64_t)key);
    return h + test_mix(6, heap_count(&urgent)) + test_mix(7, line_count(&waiting));
}

static long all_keys[ALL], all_values[ALL];
static struct wide all_wide[ALL];

/* An operation: 0 if it did nothing for lack of memory, else 1. */
static int put_long(long k) { return longs_put(&m, k, k + 1) == DF_OK; }
static int put_wide(long k) { return wides_put(&w, k, wide(k + 1)) == DF_OK; }
static int add_key(long k)
{
    int r = keys_add(&s, k);
    CHECK(r == 1 || r == DF_ERROR_MEMORY);
    return r == 1;
}
static int add_long(long k)
{
    int r = longs_add(&m, k, -1);
    CHECK(r == 1 || r == DF_ERROR_MEMORY);
    return r == 1;
}
static int put_all(long k)
{
    for (int i = 0; i < ALL; i++) all_keys[i] = k + i / 2, all_values[i] = i, all_wide[i] = wide(i);
    return longs_put_all(&m, all_keys, all_values, ALL) == DF_OK;
}
static int add_all(long k)
{
    for (int i = 0; i < ALL; i++) all_keys[i] = k + i;
    return keys_add_all(&s, all_keys, ALL) == DF_OK;
}
static int put_all_wide(long k)
{
    for (int i = 0; i < ALL; i++) all_keys[i] = k + i, all_wide[i] = wide(i);
    return wides_put_all(&w, all_keys, all_wide, ALL) == DF_OK;
}
static int put_sorted(long k) { return sorted_put(&in_order, k, wide(k + 1)) == DF_OK; }
static int add_sorted(long k)
{
    int r = sorted_add(&in_order, k, wide(k));
    CHECK(r == 1 || r == DF_ERROR_MEMORY);
    return r == 1;
}
static int put_all_sorted(long k)
{
    for (int i = 0; i < ALL; i++) all_keys[i] = k + i / 2, all_wide[i] = wide(i);
    return sorted_put_all(&in_order, all_keys, all_wide, ALL) == DF_OK;
}
static int push_line(long k) { return line_push(&waiting, wide(k)) == DF_OK; }
static int push_heap(long k) { return heap_push(&urgent, -k) == DF_OK; }
static int reserve(long k) { return longs_reserve(&m, (size_t)k * 3 + 100) == DF_OK; }

typedef int operation(long k);
static operation *const operations[] = { put_long,   put_wide,   add_key,        add_long,  put_all,
                                         add_all,    put_all_wide, reserve,      put_sorted, add_sorted,
                                         put_all_sorted, push_heap, push_line };
enum { OPERATIONS = sizeof operations / sizeof *operations, OUTSIDE = 0, INSIDE, IRREVOCABLE, WAYS };

static int run(operation *f, int way, long k)
{
    volatile int done = 0;
    if (way == OUTSIDE) return f(k);
    DF_ATOMIC {
        if (way == IRREVOCABLE) df_irrevocable();
        done = f(k);
    }
    return done;
}

int main(void)
{
    int failed = 0, succeeded = 0;
    static long none;
    DF_ATOMIC df_tm_write(&none, 1); /* this thread's record */
    for (int way = 0; way < WAYS; way++)
        for (int o = 0; o < OPERATIONS; o++)
            for (int n = 0; n < 30; n++) {
                const long before = alive, k = 10000L * o + (o >= 4 ? ALL : 1) * n;
                const uint64_t h = contents();
                int done;
                calls = 0;
                only = n % 2 ? n / 2 + 1 : 0, from = n % 2 ? 0 : n / 2 + 1;
                done = run(operations[o], way, k);
                only = from = 0;
                succeeded += done, failed += !done;
                if (!done) CHECK(contents() == h);
                else if (operations[o] == reserve) CHECK(contents() == h);
                else CHECK(contents() != h);
                CHECK(before > 0);
                if (n == 29) {
                    long last = LONG_MIN, x;
                    while (heap_pop(&urgent, &x)) CHECK(x >= last), last = x;
                    longs_clear(&m), wides_clear(&w), keys_clear(&s), sorted_clear(&in_order), line_clear(&waiting);
                }
            }
    CHECK(failed > 50 && succeeded > 50);
    DF_ATOMIC df_tm_write(&none, 2);
    df_tm_quiesce();
    printf("%d failed, %d succeeded, %ld blocks of memory are in use\n", failed, succeeded, alive);
    CHECK(alive < 20); /* logs */
    return 0;
}
