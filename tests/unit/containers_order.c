/* containers_order.c - each function of sorted maps, queues and heaps, with its results; tasks that wait for elements */
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_containers.h"
#include "../test.h"
#include <string.h>

/* --- sorted maps ------------------------------------------------------------------------------------------------- */

#define BEFORE(a, b) ((a) < (b)) /* a macro will do */
static int before_in_text(const char *a, const char *b) { return strcmp(a, b) < 0; }
DF_TM_SORTED_MAP(squares, int, long, BEFORE);
DF_TM_SORTED_MAP(words, const char *, int, before_in_text);

/* The elements from the first whose key is not smaller on. */
static void from(squares *m, int key, int most)
{
    squares_cursor at = { 0, 0 };
    long n;
    squares_seek(m, &at, key);
    printf("from %d:", key);
    while (most-- > 0 && squares_next(m, &at, &key, &n)) printf(" %d=%ld", key, n);
    printf("\n");
}

static void sorted(void)
{
    static squares m;
    static words w;
    squares_cursor at = { 0, 0 };
    long n = 7, values[100], sum = 0;
    int i, key = 5, keys[100], last = -1;
    printf("%d %d %d %d %ld %d\n", squares_get(&m, 1, &n), squares_has(&m, 1), squares_remove(&m, 1, &n),
           squares_first(&m, &key, &n), n, key);
    printf("%d %zu %d\n", squares_empty(&m), squares_count(&m), squares_next(&m, &at, &key, &n));
    from(&m, 0, 1);
    for (i = 0; i < 1000; i++) { /* in an order that turns the tree */
        key = i * 7 % 1000;
        CHECK(squares_add(&m, key, (long)key * key) == 1 && !squares_add(&m, key, 0));
    }
    for (i = 0; i < 1000; i++) CHECK(squares_get(&m, i, &n) && n == (long)i * i);
    CHECK(squares_first(&m, &key, &n) && key == 0 && n == 0);
    CHECK(squares_last(&m, &key, NULL) && key == 999 && squares_last(&m, NULL, &n) && n == 998001);
    for (i = 0; i < 1000; i += 2) CHECK(squares_remove(&m, i, i % 4 ? &n : NULL));
    printf("%ld %zu %d\n", n, squares_count(&m), squares_empty(&m));
    from(&m, -1, 3), from(&m, 500, 3), from(&m, 501, 2), from(&m, 999, 3), from(&m, 1000, 3);
    CHECK(squares_put(&m, 501, -1) == DF_OK && squares_get(&m, 501, &n));
    printf("%ld\n", n);
    for (i = 0; i < 100; i++) keys[i] = i % 90, values[i] = i;
    CHECK(squares_put_all(&m, keys, values, 100) == DF_OK && squares_get(&m, 5, &n));
    printf("%ld %zu\n", n, squares_count(&m));
    DF_ATOMIC { /* what was returned last may be removed */
        squares_cursor all = { 0, 0 };
        while (squares_next(&m, &all, &key, &n)) {
            CHECK(key > last);
            last = key, sum += n;
            if (key % 3) CHECK(squares_remove(&m, key, NULL));
        }
    }
    printf("%ld %zu\n", sum, squares_count(&m));
    squares_clear(&m);
    squares_clear(&m);
    printf("%d %d\n", squares_empty(&m), squares_last(&m, &key, &n));

    CHECK(words_put(&w, "pear", 1) == DF_OK && words_put(&w, "apple", 2) == DF_OK && words_add(&w, "fig", 3) == 1);
    {
        words_cursor in_order = { 0, 0 };
        char other[] = "fig";
        const char *s;
        printf("%d:", words_has(&w, other));
        while (words_next(&w, &in_order, &s, &i)) printf(" %s %d", s, i);
        printf("\n");
    }
    words_clear(&w);
}

/* --- queues and heaps ---------------------------------------------------------------------------------------------- */

struct job { int urgency; char name; };
static int more_urgent(struct job a, struct job b) { return a.urgency > b.urgency; }
DF_TM_QUEUE(line, struct job);
DF_TM_HEAP(jobs, struct job, more_urgent);

static void queues(void)
{
    static line q;
    static jobs h;
    struct job j = { 9, '-' };
    const char *name;
    printf("%d %d %d %c\n", line_pop(&q, &j), jobs_pop(&h, &j), jobs_top(&h, &j), j.name);
    printf("%zu %d %zu %d\n", line_count(&q), line_empty(&q), jobs_count(&h), jobs_empty(&h));
    for (name = "transactional"; *name; name++) {
        j.name = *name, j.urgency = strchr("aeiou", *name) != NULL;
        CHECK(line_push(&q, j) == DF_OK && jobs_push(&h, j) == DF_OK);
    }
    printf("%zu %d %zu %d\n", line_count(&q), line_empty(&q), jobs_count(&h), jobs_empty(&h));
    CHECK(jobs_top(&h, &j) && j.name == 'a');
    while (line_pop(&q, &j)) printf("%c", j.name);
    printf(" ");
    while (jobs_pop(&h, &j)) printf("%c", j.name); /* the vowels first, both in the order in which they came */
    printf(" %zu %zu\n", line_count(&q), jobs_count(&h));
    for (int i = 0; i < 3; i++) CHECK(line_push(&q, j) == DF_OK && jobs_push(&h, j) == DF_OK);
    CHECK(line_take(&q, &j) && jobs_take(&h, &j));
    line_clear(&q), jobs_clear(&h);
    printf("%zu %d %zu %d\n", line_count(&q), line_empty(&q), jobs_count(&h), jobs_empty(&h));
}

static void blocks(void)
{
    static squares m;
    static line q;
    static jobs h;
    struct job j = { 1, 'x' };
    CHECK(squares_put(&m, 1, 1) == DF_OK && line_push(&q, j) == DF_OK);
    DF_ATOMIC {
        struct job k;
        CHECK(squares_remove(&m, 1, NULL) && squares_add(&m, 2, 2) == 1 && line_pop(&q, &k) && line_empty(&q));
        CHECK(jobs_push(&h, k) == DF_OK && jobs_push(&h, k) == DF_OK && jobs_count(&h) == 2);
        squares_clear(&m);
        df_abort();
    }
    printf("%d %d %zu %d\n", squares_has(&m, 1), squares_has(&m, 2), line_count(&q), jobs_empty(&h));
    DF_ATOMIC { /* from an empty heap, or else from the queue */
        CHECK(!jobs_take(&h, &j));
    } DF_OR_ELSE {
        CHECK(line_take(&q, &j));
    }
    printf("%c %d\n", j.name, line_empty(&q));
    squares_clear(&m);
}

/* --- tasks ----------------------------------------------------------------------------------------------------------- */

DF_TM_QUEUE(numbers, long);
DF_TM_HEAP(largest, long, BEFORE);
static numbers sent;
static largest kept;

DF_TASK(void, produce, (long, first), (long, n));
void produce(long first, long n)
{
    for (long i = first; i < first + n; i++) CHECK(numbers_push(&sent, i) == DF_OK);
}
DF_TASK(void, keep, (int, n)); /* the ten largest: the smallest of them is the first of the heap */
void keep(int n)
{
    static int size;
    while (n-- > 0)
        DF_ATOMIC {
            long x, least;
            CHECK(numbers_take(&sent, &x) && largest_push(&kept, x) == DF_OK);
            if (df_tm_read(&size) < 10) df_tm_write(&size, df_tm_read(&size) + 1);
            else CHECK(largest_pop(&kept, &least) && least <= x);
        }
}

static void tasks(void)
{
    long x;
    DF_PARALLEL {
        for (int i = 0; i < 4; i++) {
            df_submit(produce, i * 250L, 250L);
            df_submit(keep, 250); /* waits where it is ahead */
        }
    }
    printf("%d:", numbers_empty(&sent));
    while (largest_pop(&kept, &x)) printf(" %ld", x);
    printf("\n");
}

int main(void)
{
    sorted();
    queues();
    blocks();
    tasks();
    return 0;
}
