/* containers_kinds.c - threads move elements between containers of four kinds, and pass others through a queue:
 * `containers_kinds SECONDS`
 *
 * At each moment, each number is in one of the four. A heap gives the smallest one, a sorted map is in order, and each
 * thread gets the elements that a thread pushed into the queue in the order of its pushes. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#define DF_IMPLEMENTATION
#include "df_containers.h"
#include "stress.h"

enum { TOKENS = 200, MOST_THREADS = 8, BATCH = 16, HASHED = 0, SORTED, HEAP, QUEUE, KINDS };

struct passed { long from, number; };
static int before(long a, long b) { return a < b; }
DF_TM_MAP(table, long, long);
DF_TM_SORTED_MAP(sorted, long, long, before);
DF_TM_HEAP(heap, long, before);
DF_TM_QUEUE(queue, long);
DF_TM_QUEUE(line, struct passed);
static table hashed;
static sorted in_order;
static heap urgent;
static queue waiting;
static line passing;
static long pushed[MOST_THREADS], pushed_sum[MOST_THREADS]; /* into passing, by each thread */
static long taken[MOST_THREADS], taken_sum[MOST_THREADS];   /* of each thread's elements, by any */

/* Takes a number, about `near` if it can be chosen. -1: there is none */
static long take_from(int kind, long near)
{
    long x = -1, y;
    switch (kind) {
    case HASHED: return table_remove(&hashed, near, &y) ? (CHECK(y == 3 * near), near) : -1;
    case SORTED: {
        sorted_cursor at = { 0, 0 };
        sorted_seek(&in_order, &at, near);
        if (!sorted_next(&in_order, &at, &x, &y)) return -1;
        CHECK(x >= near && y == 3 * x && sorted_has(&in_order, x) && sorted_remove(&in_order, x, &y) && y == 3 * x);
        CHECK(!sorted_next(&in_order, &at, &y, NULL) || y > x);
        return x;
    }
    case HEAP:
        if (!heap_top(&urgent, &y)) return -1;
        CHECK(heap_pop(&urgent, &x) && x == y && (!heap_top(&urgent, &y) || y > x));
        return x;
    default: return queue_pop(&waiting, &x) ? x : -1;
    }
}
static void put_into(int kind, long x)
{
    switch (kind) {
    case HASHED: CHECK(table_add(&hashed, x, 3 * x) == 1); break;
    case SORTED: CHECK(sorted_add(&in_order, x, 3 * x) == 1); break;
    case HEAP: CHECK(heap_push(&urgent, x) == DF_OK); break;
    default: CHECK(queue_push(&waiting, x) == DF_OK);
    }
}

static void move(uint64_t *s)
{
    int from = test_below(s, KINDS), to = test_below(s, KINDS), back = test_below(s, 16) == 0;
    long near = test_below(s, TOKENS);
    DF_ATOMIC {
        long x = take_from(from, near);
        if (x >= 0) put_into(to, x);
        if (back) df_abort();
    }
}

static void audit(void)
{
    DF_ATOMIC {
        sorted_cursor at = { 0, 0 };
        long x, y, last = -1, first = -1, n = 0;
        while (sorted_next(&in_order, &at, &x, &y)) {
            CHECK(x > last && y == 3 * x);
            if (!n++) first = x;
            last = x;
        }
        CHECK(sorted_first(&in_order, &x, NULL) == (n > 0) && (!n || x == first));
        CHECK(sorted_last(&in_order, &x, NULL) == (n > 0) && (!n || x == last));
        CHECK(sorted_count(&in_order) == (size_t)n && queue_empty(&waiting) == !queue_count(&waiting));
        CHECK(table_count(&hashed) + heap_count(&urgent) + queue_count(&waiting) + (size_t)n == TOKENS);
    }
}

struct thread { pthread_t thread; long self; uint64_t seed; double end; long last[MOST_THREADS]; };

/* Each thread takes as many elements as it pushed before, so that none waits forever. */
static void pass(struct thread *t, uint64_t *s)
{
    int n = 1 + test_below(s, BATCH), i;
    for (i = 0; i < n; i++) {
        struct passed p = { t->self, pushed[t->self]++ };
        pushed_sum[t->self] += p.number;
        CHECK(line_push(&passing, p) == DF_OK);
    }
    for (i = 0; i < n; i++) {
        struct passed p = { -1, -1 };
        CHECK(line_take(&passing, &p) && p.from >= 0 && p.from < MOST_THREADS && p.number > t->last[p.from]);
        t->last[p.from] = p.number;
        __atomic_fetch_add(&taken[p.from], 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&taken_sum[p.from], p.number, __ATOMIC_RELAXED);
    }
}

static void *work(void *arg)
{
    struct thread *t = (struct thread *)arg;
    uint64_t s = t->seed;
    while (stress_now() < t->end) {
        for (int i = 0; i < 50; i++) move(&s);
        pass(t, &s);
        audit();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct thread t[MOST_THREADS];
    static int seen[TOKENS];
    uint64_t seed = 1;
    long moved = 0, x;
    stress_begin(argc, argv);
    for (x = 0; x < TOKENS; x++) put_into((int)(x % KINDS), x);
    for (int i = 0; i < MOST_THREADS; i++)
        for (int j = 0; j < MOST_THREADS; j++) t[i].last[j] = -1;
    for (int n = 2; n == 2 || stress_goes_on(); n = n == MOST_THREADS ? 2 : n * 2) {
        double end = stress_now() + 0.25;
        for (int i = 0; i < n; i++) {
            t[i].self = i, t[i].seed = seed++, t[i].end = end;
            CHECK(!pthread_create(&t[i].thread, NULL, work, &t[i]));
        }
        for (int i = 0; i < n; i++) CHECK(!pthread_join(t[i].thread, NULL));
        audit();
        CHECK(line_empty(&passing));
        for (int i = 0; i < MOST_THREADS; i++) CHECK(taken[i] == pushed[i] && taken_sum[i] == pushed_sum[i]);
    }
    for (int kind = 0; kind < KINDS; kind++)
        for (long near = 0; near < (kind == HASHED ? TOKENS : 1); near++)
            while ((x = take_from(kind, near)) >= 0) CHECK(x < TOKENS && !seen[x]++);
    for (x = 0; x < TOKENS; x++) CHECK(seen[x] == 1);
    for (int i = 0; i < MOST_THREADS; i++) moved += taken[i];
    printf("%ld elements passed\n", moved);
    table_clear(&hashed);
    return 0;
}
