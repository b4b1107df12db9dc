/* containers.c - each function of df_containers.h, with its results; tasks that share containers */
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_containers.h"
#include "../test.h"
#include <string.h>

/* --- maps ------------------------------------------------------------------------------------------------------- */

static uint64_t hash_of_text(const char *s)
{
    uint64_t h = 5381;
    while (*s) h = h * 33 + (unsigned char)*s++;
    return h;
}
#define SAME(a, b) (strcmp((a), (b)) == 0) /* a macro will do */
struct pair { int a, b; };
DF_TM_MAP(squares, int, long);
DF_TM_MAP(pairs, struct pair, struct pair);
DF_TM_MAP_BY(words, const char *, int, hash_of_text, SAME);

static void maps(void)
{
    static squares m;
    static pairs p;
    static words w;
    long n = 7;
    int i, keys[100];
    long values[100];
    struct pair q = { 1, 2 }, r = { 3, 4 };
    printf("%d %d %d %ld\n", squares_get(&m, 1, &n), squares_has(&m, 1), squares_remove(&m, 1, NULL), n);
    printf("%d %zu\n", squares_empty(&m), squares_count(&m));
    for (i = 0; i < 1000; i++) CHECK(squares_add(&m, i, (long)i * i) == 1 && !squares_add(&m, i, 0));
    printf("%d %zu\n", squares_empty(&m), squares_count(&m));
    for (i = 0; i < 1000; i++) CHECK(squares_get(&m, i, &n) && n == (long)i * i);
    CHECK(squares_put(&m, 30, -1) == DF_OK && squares_get(&m, 30, &n));
    printf("%ld\n", n);
    for (i = 0; i < 1000; i += 2) CHECK(squares_remove(&m, i, i % 4 ? &n : NULL));
    printf("%ld %zu\n", n, squares_count(&m));
    for (i = 0; i < 100; i++) keys[i] = i % 90, values[i] = i;
    CHECK(squares_put_all(&m, keys, values, 100) == DF_OK && squares_get(&m, 5, &n));
    printf("%ld %zu\n", n, squares_count(&m));
    CHECK(squares_put_all(&m, keys, values, 0) == DF_OK && squares_reserve(&m, 5000) == DF_OK);
    printf("%zu %d\n", squares_count(&m), squares_has(&m, 999));
    squares_clear(&m);
    squares_clear(&m);
    printf("%d %zu\n", squares_get(&m, 5, &n), squares_count(&m));

    CHECK(pairs_add(&p, q, r) == 1 && pairs_get(&p, q, &r) && r.b == 4 && !pairs_has(&p, r));
    pairs_clear(&p);

    {
        char text[] = "one", other[] = "one";
        CHECK(words_put(&w, text, 1) == DF_OK && words_put(&w, other, 2) == DF_OK && words_get(&w, "one", &i));
        printf("%d %zu %d\n", i, words_count(&w), words_has(&w, "two"));
        words_clear(&w);
    }
}

/* --- sets ------------------------------------------------------------------------------------------------------- */

static uint64_t hash_of_parity(int n) { return (uint64_t)(n % 2); }
static int same_parity(int a, int b) { return a % 2 == b % 2; }
DF_TM_SET(evens, long);
DF_TM_SET_BY(parities, int, hash_of_parity, same_parity);

static void sets(void)
{
    static evens s;
    static parities two;
    evens_cursor at = { 0, 0 }, again = { 0, 0 };
    long key, sum = 0, keys[50];
    int i, n = 0;
    for (i = 0; i < 300; i++) CHECK(evens_add(&s, 2L * i) == 1);
    for (i = 0; i < 50; i++) keys[i] = i;
    CHECK(evens_add_all(&s, keys, 50) == DF_OK);
    DF_ATOMIC {
        while (evens_next(&s, &at, &key)) {
            sum += key, n++;
            if (key % 4 == 2) CHECK(evens_remove(&s, key));
        }
    }
    printf("%d %ld %zu %d\n", n, sum, evens_count(&s), evens_has(&s, 4));
    while (evens_next(&s, &again, &key)) CHECK(evens_remove(&s, key)); /* outside of blocks: its memory is freed */
    printf("%d\n", evens_empty(&s));
    for (i = 0; i < 10; i++) CHECK(parities_add(&two, i) == (i < 2));
    printf("%zu\n", parities_count(&two));
    evens_clear(&s);
    parities_clear(&two);
}

/* --- blocks ------------------------------------------------------------------------------------------------------ */

static void blocks(void)
{
    static squares m;
    static evens s;
    static long outside;
    long n = 0;
    DF_ATOMIC {
        CHECK(squares_put(&m, 1, 1) == DF_OK && evens_add(&s, 1) == 1);
        df_tm_write(&outside, 1);
        df_abort();
    }
    printf("%d %d %ld\n", squares_empty(&m), evens_empty(&s), outside);
    DF_ATOMIC {
        CHECK(squares_put(&m, 1, 1) == DF_OK && squares_get(&m, 1, &n) && n == 1);
        DF_ATOMIC_CLOSED {
            for (int i = 0; i < 200; i++) CHECK(squares_put(&m, i, 2) == DF_OK);
            squares_clear(&m);
            df_abort();
        }
        CHECK(squares_count(&m) == 1 && squares_remove(&m, 1, &n) && squares_add(&m, 2, n + 1) == 1);
    }
    CHECK(squares_get(&m, 2, &n));
    printf("%ld %zu\n", n, squares_count(&m));
    DF_ATOMIC {
        if (squares_has(&m, 2)) df_retry();
        n = -1;
    } DF_OR_ELSE {
        squares_clear(&m);
    }
    printf("%ld %d\n", n, squares_empty(&m));
}

/* --- tasks: words of a text are counted -------------------------------------------------------------------------- */

DF_TM_MAP(counts, int, long);
static counts seen;
static long total;

DF_TASK(void, count, (int, first), (int, n));
void count(int first, int n)
{
    for (int i = first; i < first + n; i++)
        DF_ATOMIC {
            long so_far = 0;
            counts_get(&seen, i * i % 1009, &so_far);
            CHECK(counts_put(&seen, i * i % 1009, so_far + 1) == DF_OK);
            df_tm_write(&total, df_tm_read(&total) + 1);
        }
}

static void tasks(void)
{
    counts_cursor at = { 0, 0 };
    long n, sum = 0;
    int key;
    uint64_t hash = 0;
    DF_PARALLEL {
        for (int i = 0; i < 40; i++) df_submit(count, i * 100, 100);
    }
    while (counts_next(&seen, &at, &key, &n)) sum += n, hash += test_mix((uint64_t)key, (uint64_t)n);
    CHECK(!counts_next(&seen, &at, NULL, NULL));
    printf("%zu %ld %ld %016llx\n", counts_count(&seen), sum, total, (unsigned long long)hash);
    counts_clear(&seen);
}

int main(void)
{
    maps();
    sets();
    blocks();
    tasks();
    return 0;
}
