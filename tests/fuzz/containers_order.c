/* containers_order.c - random operations on sorted maps, heaps and queues have the results of a plain model:
 * `containers_order FIRST_SEED SEEDS`
 *
 * Each of several tasks works on keys of its own in a sorted map that all share; then queue and heap pass all numbers
 * from some tasks to others, and the order of what one task has pushed is kept. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_containers.h"
#include "../test.h"
#include <string.h>

enum { TASKS = 6, KEYS = 150, STEPS = 800, ITEMS = 300, PASSERS = 3 };
struct job { int priority, from, number; };
#define BEFORE(a, b) ((a) < (b))
static int more_urgent(struct job a, struct job b) { return a.priority < b.priority; }
DF_TM_SORTED_MAP(table, int, long, BEFORE);
DF_TM_QUEUE(line, struct job);
DF_TM_HEAP(jobs, struct job, more_urgent);
static table shared;
static line passed;
static jobs urgent;

/* The keys of a task lie between those of the others. */
static int key_of(int task, int k) { return k * TASKS + task; }

DF_TASK(void, work, (int, task), (uint64_t, seed), (uint64_t *, result));
void work(int task, uint64_t seed, uint64_t *result)
{
    long is[KEYS];
    int there[KEYS] = { 0 };
    uint64_t s = seed, h = 0;
    for (int i = 0; i < STEPS; i++) {
        int k = test_below(&s, KEYS), key = key_of(task, k), what = test_below(&s, 8), back = test_below(&s, 10) == 0;
        long next = test_below(&s, 1000);
        volatile long value = -1;
        volatile int done = 0;
        DF_ATOMIC {
            long got = -1;
            if (what < 2) done = table_get(&shared, key, &got);
            else if (what < 4) done = table_put(&shared, key, next) == DF_OK;
            else if (what < 6) done = table_add(&shared, key, next);
            else done = table_remove(&shared, key, what == 6 ? &got : NULL);
            value = got;
            if (back) df_abort();
        }
        if (what < 2) CHECK(done == there[k] && value == (there[k] ? is[k] : -1));
        else if (what < 4) CHECK(done == 1);
        else if (what < 6) CHECK(done == !there[k]);
        else CHECK(done == there[k] && value == (there[k] && what == 6 ? is[k] : -1));
        if (!back && ((what >= 2 && what < 4) || (what >= 4 && what < 6 && !there[k]))) is[k] = next, there[k] = 1;
        if (!back && what >= 6) there[k] = 0;
        h = test_mix(h, (uint64_t)(done + value));
    }
    for (int from = 0; from < KEYS; from += 30) { /* a part of the map, in order, with the elements of others */
        volatile uint64_t sum = 0;
        DF_ATOMIC {
            table_cursor at = { 0, 0 };
            long got;
            int key, k = from, last = -1;
            uint64_t seen = 0;
            table_seek(&shared, &at, key_of(task, from));
            while (table_next(&shared, &at, &key, &got) && key < key_of(task, from + 30)) {
                CHECK(key > last && key >= key_of(task, from));
                last = key;
                if (key % TASKS != task) continue;
                while (!there[k]) k++;
                CHECK(key == key_of(task, k) && got == is[k]);
                seen = test_mix(seen, (uint64_t)got), k++;
            }
            while (k < from + 30 && !there[k]) k++;
            CHECK(k == from + 30);
            sum = seen;
        }
        h = test_mix(h, sum);
    }
    *result = h;
}

DF_TASK(void, push, (int, task), (uint64_t, seed));
void push(int task, uint64_t seed)
{
    uint64_t s = seed;
    for (int i = 0; i < ITEMS; i++) {
        struct job j = { test_below(&s, 20), task, i };
        DF_ATOMIC {
            CHECK(line_push(&passed, j) == DF_OK && jobs_push(&urgent, j) == DF_OK);
            if (i % 10 == 0) DF_ATOMIC_CLOSED {
                struct job k;
                CHECK(line_pop(&passed, &k) && line_push(&passed, j) == DF_OK && jobs_push(&urgent, k) == DF_OK);
                df_abort();
            }
        }
    }
}
DF_TASK(void, pass, (uint64_t *, sum));
void pass(uint64_t *sum) /* moves elements behind, of which there are always enough */
{
    for (int i = 0; i < ITEMS; i++) {
        struct job j, k;
        DF_ATOMIC {
            if (line_take(&passed, &j)) CHECK(line_push(&passed, j) == DF_OK);
            if (jobs_take(&urgent, &k)) CHECK(jobs_push(&urgent, k) == DF_OK);
        }
        *sum += j.number < ITEMS && k.priority < 20;
    }
}

static void run(uint64_t seed)
{
    uint64_t result[TASKS] = { 0 }, h = seed, sum[PASSERS] = { 0 };
    int last[TASKS] = { 0 }, seen[TASKS] = { 0 }, key, n = 0, before = -1;
    struct job j = { 0, 0, 0 };
    table_cursor at = { 0, 0 };
    long value = -1, first = -1;
    DF_PARALLEL {
        for (int t = 0; t < TASKS; t++) df_submit(work, t, seed * TASKS + (uint64_t)t, &result[t]);
    }
    for (int t = 0; t < TASKS; t++) h = test_mix(h, result[t]);
    while (table_next(&shared, &at, &key, &value)) {
        CHECK(key > before);
        before = key, n++;
        if (n == 1) first = value;
        h = test_mix(h, test_mix((uint64_t)key, (uint64_t)value));
    }
    CHECK((size_t)n == table_count(&shared) && table_empty(&shared) == !n);
    if (n) {
        long f, l;
        CHECK(table_last(&shared, &key, &l) && key == before && l == value);
        CHECK(table_first(&shared, NULL, &f) && f == first);
    }
    table_clear(&shared);
    CHECK(table_empty(&shared) && !table_first(&shared, &key, &value) && !table_last(&shared, NULL, NULL));

    DF_PARALLEL {
        for (int t = 0; t < TASKS; t++) df_submit(push, t, seed * TASKS + (uint64_t)t);
        for (int p = 0; p < PASSERS; p++) df_submit(pass, &sum[p]);
    }
    for (int p = 0; p < PASSERS; p++) CHECK(sum[p] == ITEMS);
    CHECK(line_count(&passed) == TASKS * ITEMS && jobs_count(&urgent) == TASKS * ITEMS);
    for (n = 0; line_pop(&passed, &j); n++) seen[j.from]++;
    CHECK(n == TASKS * ITEMS && line_empty(&passed));
    for (int t = 0; t < TASKS; t++) CHECK(seen[t] == ITEMS);
    before = 0;
    for (n = 0; jobs_top(&urgent, &j); n++) {
        struct job k;
        CHECK(jobs_pop(&urgent, &k) && !memcmp(&j, &k, sizeof k) && k.priority >= before);
        before = k.priority;
        last[k.from] += k.number;
    }
    CHECK(n == TASKS * ITEMS && jobs_empty(&urgent));
    for (int t = 0; t < TASKS; t++) CHECK(last[t] == ITEMS * (ITEMS - 1) / 2);
    for (int i = 0; i < 100; i++) { /* equal ones in the order in which they came */
        struct job k = { i % 3, 0, i };
        CHECK(jobs_push(&urgent, k) == DF_OK && line_push(&passed, k) == DF_OK);
    }
    for (int i = 0; i < 50; i++) {
        CHECK(jobs_pop(&urgent, &j) && (i == 0 || j.number > key || j.priority > before));
        key = j.number, before = j.priority;
        CHECK(line_pop(&passed, &j) && j.number == i);
    }
    jobs_clear(&urgent);
    line_clear(&passed);
    CHECK(!jobs_pop(&urgent, &j) && !line_pop(&passed, &j) && line_count(&passed) == 0 && !jobs_count(&urgent));
    printf("%llu %016llx\n", (unsigned long long)seed, (unsigned long long)h);
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : 10;
    for (uint64_t seed = first; seed < first + seeds; seed++) run(seed);
    return 0;
}
