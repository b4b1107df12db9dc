/* containers.c - random operations on containers have the results of a plain model: `containers FIRST_SEED SEEDS`
 *
 * Each of several tasks works on keys of its own in maps that all share, so that it knows each result, in blocks and
 * outside, while others make the tables grow. Some blocks are rolled back. Keys and values of several sizes; keys that
 * are equal although their bytes differ; a hash that is the same for many keys. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "df_containers.h"
#include "../test.h"
#include <string.h>

enum { TASKS = 6, KEYS = 120, STEPS = 500 };

struct point { short x, y; };
struct record { long number; char text[19]; };
static uint64_t few(const char *s) { return (uint64_t)s[0] % 3; }
static int same_text(const char *a, const char *b) { return !strcmp(a, b); }

DF_TM_MAP(numbers, long, long);
DF_TM_MAP(points, struct point, struct record);
DF_TM_MAP_BY(texts, const char *, char, few, same_text);
DF_TM_SET(flags, int);

static numbers by_number;
static points by_point;
static texts by_text;
static flags by_flag;

/* --- one map, with keys and values that are made of an int ----------------------------------------------------- */

static char text[2][TASKS * KEYS][8]; /* equal texts at different addresses */
static const char *text_of(int key, int copy) { return text[copy][key]; }
static struct point point_of(int key)
{
    struct point p = { (short)(key % 30), (short)(key / 30) };
    return p;
}
static struct record record_of(int value)
{
    struct record r;
    memset(&r, 0, sizeof r);
    r.number = value;
    snprintf(r.text, sizeof r.text, "%d", value);
    return r;
}

enum { NUMBERS, POINTS, TEXTS, FLAGS, MAPS };
static int get(int map, int key, int *value)
{
    long n = -1;
    char c = -1;
    struct record r = record_of(-1);
    int found;
    switch (map) {
    case NUMBERS:
        found = numbers_get(&by_number, key * 3L, &n);
        *value = (int)n;
        return found;
    case POINTS:
        found = points_get(&by_point, point_of(key), &r);
        CHECK(r.number == atoi(r.text));
        *value = (int)r.number;
        return found;
    case TEXTS:
        found = texts_get(&by_text, text_of(key, 1), &c);
        *value = c;
        return found;
    default:
        *value = flags_has(&by_flag, key) ? 1 : -1;
        return *value == 1;
    }
}
static int has(int map, int key)
{
    switch (map) {
    case NUMBERS: return numbers_has(&by_number, key * 3L);
    case POINTS: return points_has(&by_point, point_of(key));
    case TEXTS: return texts_has(&by_text, text_of(key, 1));
    default: return flags_has(&by_flag, key);
    }
}
static void put(int map, int key, int value)
{
    switch (map) {
    case NUMBERS: CHECK(numbers_put(&by_number, key * 3L, value) == DF_OK); break;
    case POINTS: CHECK(points_put(&by_point, point_of(key), record_of(value)) == DF_OK); break;
    case TEXTS: CHECK(texts_put(&by_text, text_of(key, 0), (char)value) == DF_OK); break;
    default: CHECK(flags_add(&by_flag, key) >= 0);
    }
}
static int add(int map, int key, int value)
{
    switch (map) {
    case NUMBERS: return numbers_add(&by_number, key * 3L, value);
    case POINTS: return points_add(&by_point, point_of(key), record_of(value));
    case TEXTS: return texts_add(&by_text, text_of(key, 0), (char)value);
    default: return flags_add(&by_flag, key);
    }
}
static int take(int map, int key, int *value)
{
    long n = -1;
    char c = -1;
    struct record r = record_of(-1);
    int found;
    switch (map) {
    case NUMBERS:
        found = numbers_remove(&by_number, key * 3L, &n);
        *value = (int)n;
        return found;
    case POINTS:
        found = points_remove(&by_point, point_of(key), &r);
        *value = (int)r.number;
        return found;
    case TEXTS:
        found = texts_remove(&by_text, text_of(key, 1), &c);
        *value = c;
        return found;
    default:
        found = flags_remove(&by_flag, key);
        *value = found ? 1 : -1;
        return found;
    }
}

/* --- random steps, and the model ------------------------------------------------------------------------------- */

struct model { int there[MAPS][KEYS], value[MAPS][KEYS]; };

static int new_value(uint64_t *s, int map) { return map == FLAGS ? 1 : test_below(s, 100); }

/* One operation, and the same on the model. */
static uint64_t operate(uint64_t *s, int task, struct model *m)
{
    int map = test_below(s, MAPS), k = test_below(s, KEYS), key = task * KEYS + k, value = -1;
    int *there = &m->there[map][k], *is = &m->value[map][k], next = new_value(s, map);
    switch (test_below(s, 8)) {
    case 0:
        CHECK(get(map, key, &value) == *there && value == (*there ? *is : -1));
        return (uint64_t)value;
    case 1:
        CHECK(has(map, key) == *there);
        return (uint64_t)*there;
    case 2:
    case 3:
        put(map, key, next);
        *is = next, *there = 1;
        return 3;
    case 4:
    case 5:
        CHECK(add(map, key, next) == !*there);
        if (!*there) *is = next, *there = 1;
        return (uint64_t)*is;
    case 6:
        CHECK(take(map, key, &value) == *there && value == (*there ? *is : -1));
        *there = 0;
        return (uint64_t)value;
    default:
        if (!has(map, key)) return 9;
        CHECK(map == FLAGS ? flags_remove(&by_flag, key) : map == NUMBERS ? numbers_remove(&by_number, key * 3L, NULL) :
              map == POINTS ? points_remove(&by_point, point_of(key), NULL)
                            : texts_remove(&by_text, text_of(key, 0), NULL));
        *there = 0;
        return 8;
    }
}

/* Several operations in a block, which may be rolled back, as a whole or its inner part. */
struct step { uint64_t seed, result; struct model before, after; int task, n, back; };
static void block(struct step *p, int back)
{
    uint64_t s = p->seed, h = 0;
    p->after = p->before;
    for (int i = 0; i < p->n; i++) h = test_mix(h, operate(&s, p->task, &p->after));
    if (p->n > 2) DF_ATOMIC_CLOSED {
        struct model kept = p->after;
        uint64_t inner = s; /* it may run again: s is not changed in it */
        for (int i = 0; i < p->n; i++) (void)operate(&inner, p->task, &kept);
        df_abort();
    }
    for (int i = 0; i < p->n; i++) h = test_mix(h, operate(&s, p->task, &p->after));
    p->result = h;
    if (back) df_abort();
}

DF_TASK(void, work, (int, task), (uint64_t, seed), (uint64_t *, result));
void work(int task, uint64_t seed, uint64_t *result)
{
    struct step *p = calloc(1, sizeof *p);
    uint64_t s = seed, h = 0;
    CHECK(p != NULL);
    p->task = task;
    for (int i = 0; i < STEPS; i++) {
        int back = test_below(&s, 8) == 0;
        if (test_below(&s, 3)) {
            h = test_mix(h, operate(&s, task, &p->before));
            continue;
        }
        p->seed = test_random(&s), p->n = 1 + test_below(&s, 4);
        DF_ATOMIC block(p, back);
        h = test_mix(h, p->result);
        if (!back) p->before = p->after;
    }
    for (int map = 0; map < MAPS; map++)
        for (int k = 0; k < KEYS; k++) {
            int value;
            CHECK(get(map, task * KEYS + k, &value) == p->before.there[map][k]);
            CHECK(!p->before.there[map][k] || value == p->before.value[map][k]);
            h = test_mix(h, (uint64_t)value);
        }
    free(p);
    *result = h;
}

/* --- all elements ----------------------------------------------------------------------------------------------- */

/* Iterates in a block, and removes what it has seen; returns a sum, which does not depend on the order. */
static uint64_t take_all(uint64_t *n)
{
    numbers_cursor a = { 0, 0 };
    points_cursor b = { 0, 0 };
    texts_cursor c = { 0, 0 };
    flags_cursor d = { 0, 0 };
    uint64_t sum = 0;
    long key, value;
    struct point p;
    struct record r;
    const char *string;
    char letter;
    int flag;
    *n = 0;
    while (numbers_next(&by_number, &a, &key, &value)) {
        sum += test_mix((uint64_t)key, (uint64_t)value), ++*n;
        if (key % 2) CHECK(numbers_remove(&by_number, key, NULL));
        else CHECK(numbers_put(&by_number, key, 1) == DF_OK);
    }
    while (points_next(&by_point, &b, &p, &r)) sum += test_mix((uint64_t)(p.x + 30 * p.y), (uint64_t)r.number), ++*n;
    while (texts_next(&by_text, &c, &string, &letter)) sum += test_mix((uint64_t)atoi(string), (uint64_t)letter), ++*n;
    while (flags_next(&by_flag, &d, &flag)) {
        sum += test_mix(5, (uint64_t)flag), ++*n;
        CHECK(flags_remove(&by_flag, flag));
    }
    CHECK(flags_empty(&by_flag) && !flags_next(&by_flag, &d, NULL));
    return sum;
}

static void run(uint64_t seed)
{
    uint64_t result[TASKS] = { 0 }, h = seed, s = seed;
    volatile uint64_t n = 0, sum = 0, counted = 0;
    if (test_below(&s, 4) == 0) CHECK(numbers_reserve(&by_number, (size_t)test_below(&s, 3000)) == DF_OK);
    DF_PARALLEL {
        for (int t = 0; t < TASKS; t++) df_submit(work, t, seed * TASKS + (uint64_t)t, &result[t]);
    }
    for (int t = 0; t < TASKS; t++) h = test_mix(h, result[t]);
    DF_ATOMIC {
        uint64_t seen = 0;
        counted = numbers_count(&by_number) + points_count(&by_point) + texts_count(&by_text) + flags_count(&by_flag);
        sum = take_all(&seen);
        n = seen;
        if (seed % 3 == 0) texts_clear(&by_text);
    }
    CHECK(n == counted && texts_empty(&by_text) == (seed % 3 == 0 || n == 0));
    numbers_clear(&by_number);
    points_clear(&by_point);
    texts_clear(&by_text);
    flags_clear(&by_flag);
    CHECK(numbers_empty(&by_number) && !points_count(&by_point));
    printf("%llu %016llx\n", (unsigned long long)seed, (unsigned long long)(h ^ n ^ sum));
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : 10;
    for (int i = 0; i < TASKS * KEYS; i++)
        for (int copy = 0; copy < 2; copy++) snprintf(text[copy][i], sizeof text[copy][i], "%d", i);
    for (uint64_t seed = first; seed < first + seeds; seed++) run(seed);
    return 0;
}
