/* Every word of df_containers.h, and every function that its declarations make; valid C11 and C++11.
 *
 * Compiled and run as stm_words.c. One thread; tests with several are in tests/unit. */
#define DF_IMPLEMENTATION
#include "../../df_containers.h"
#include <string.h>

static int wrong; /* line of the first check that failed */
#define CHECK(c) do { if (!(c) && !wrong) wrong = __LINE__; } while (0)

typedef struct { float re, im; } complex_number;
enum colour { RED, GREEN };
struct long_key { char name[16]; int number; };
static uint64_t hash_of(const char *s) { return (uint64_t)strlen(s); }
static int same(const char *a, const char *b) { return strcmp(a, b) == 0; }

DF_TM_MAP(by_int, int, long);
DF_TM_MAP(by_char, char, char);
DF_TM_MAP(by_double, double, complex_number);
DF_TM_MAP(by_pointer, const void *, void *);
DF_TM_MAP(by_colour, enum colour, long double);
DF_TM_MAP(by_struct, struct long_key, struct long_key);
DF_TM_MAP_BY(by_text, const char *, const char *, hash_of, same);
static int shorter(const char *a, const char *b) { return strlen(a) < strlen(b); }
#define LESS(a, b) ((a) < (b))
DF_TM_SORTED_MAP(int_order, int, long, LESS);
DF_TM_SORTED_MAP(text_order, const char *, complex_number, shorter);
DF_TM_QUEUE(ints, int);
DF_TM_QUEUE(structs, struct long_key);
DF_TM_HEAP(doubles, double, LESS);
DF_TM_HEAP(by_length, const char *, shorter);
DF_TM_SET(shorts, short);
DF_TM_SET_BY(texts, const char *, hash_of, same);

/* All functions of a map: key a has the value x, then y. */
#define MAP(name, K, V, a, b, x, y, equal)                                                               \
    static void try_##name(void)                                                                         \
    {                                                                                                    \
        static name m;                                                                                   \
        const name *const c = &m;                                                                        \
        name##_cursor at = { NULL, 0 };                                                                  \
        K keys[2];                                                                                       \
        K k = a;                                                                                         \
        V values[2];                                                                                     \
        V v = x;                                                                                         \
        keys[0] = a, keys[1] = b, values[0] = x, values[1] = y;                                          \
        CHECK(!name##_get(c, a, &v) && !name##_has(c, a) && name##_empty(c) && name##_count(c) == 0);    \
        CHECK(name##_reserve(&m, 20) == DF_OK && name##_put(&m, a, x) == DF_OK);                         \
        CHECK(name##_add(&m, a, y) == 0 && name##_get(c, a, &v) && equal(v, x));                         \
        CHECK(name##_put(&m, a, y) == DF_OK && name##_get(c, a, &v) && equal(v, y));                     \
        CHECK(name##_add(&m, b, x) == 1 && name##_count(c) == 2 && !name##_empty(c));                    \
        CHECK(name##_put_all(&m, keys, values, 2) == DF_OK && name##_count(c) == 2);                     \
        CHECK(name##_get(c, a, &v) && equal(v, x));                                                      \
        CHECK(name##_remove(&m, b, &v) && equal(v, y) && !name##_remove(&m, b, NULL));                   \
        CHECK(name##_next(c, &at, &k, &v) && equal(v, x) && !name##_next(c, &at, NULL, NULL));           \
        CHECK(!memcmp(&k, &keys[0], sizeof k) && name##_has(c, k));                                      \
        name##_clear(&m);                                                                                \
        CHECK(name##_empty(c));                                                                          \
    }
#define EQUAL(a, b)    ((a) == (b))
#define NEAR(a, b)     ((a) > (b) - 1 && (a) < (b) + 1)
#define SAME_RE(a, b)  NEAR((a).re, (b).re)
#define SAME_NUMBER(a, b) ((a).number == (b).number)

static complex_number one, two;
static struct long_key first, second;
MAP(by_int, int, long, 1, -1, 5L, 7L, EQUAL)
MAP(by_char, char, char, 'a', 'b', 'c', 'd', EQUAL)
MAP(by_double, double, complex_number, 1.5, -1e300, one, two, SAME_RE)
MAP(by_pointer, const void *, void *, &one, &two, &first, &second, EQUAL)
MAP(by_colour, enum colour, long double, RED, GREEN, 1.0L, 5.0L, NEAR)
MAP(by_struct, struct long_key, struct long_key, first, second, first, second, SAME_NUMBER)
MAP(by_text, const char *, const char *, "a", "bc", "d", "e", same)

#define SET(name, K, a, b)                                                                               \
    static void try_##name(void)                                                                         \
    {                                                                                                    \
        static name s;                                                                                   \
        name##_cursor at = { NULL, 0 };                                                                  \
        K keys[2];                                                                                       \
        K k = a;                                                                                         \
        keys[0] = a, keys[1] = b;                                                                        \
        CHECK(!name##_has(&s, a) && name##_empty(&s) && name##_add(&s, a) == 1 && name##_add(&s, a) == 0);\
        CHECK(name##_reserve(&s, 1) == DF_OK && name##_add_all(&s, keys, 2) == DF_OK);                   \
        CHECK(name##_count(&s) == 2 && name##_remove(&s, a) && !name##_remove(&s, a));                   \
        CHECK(name##_next(&s, &at, &k) && !memcmp(&k, &keys[1], sizeof k) && !name##_next(&s, &at, NULL));\
        name##_clear(&s);                                                                                \
        CHECK(name##_empty(&s));                                                                         \
    }
SET(shorts, short, 1, -1)
SET(texts, const char *, "a", "bc")

/* All functions of a sorted map: a comes before b. */
#define SORTED(name, K, V, a, b, x, y, equal_keys, equal)                                                \
    static void try_##name(void)                                                                         \
    {                                                                                                    \
        static name m;                                                                                   \
        const name *const c = &m;                                                                        \
        name##_cursor at = { NULL, 0 };                                                                  \
        K keys[2];                                                                                       \
        K k = a;                                                                                         \
        V values[2];                                                                                     \
        V v = x;                                                                                         \
        keys[0] = b, keys[1] = a, values[0] = y, values[1] = x;                                          \
        CHECK(!name##_get(c, a, &v) && !name##_has(c, a) && name##_empty(c) && name##_count(c) == 0);    \
        CHECK(!name##_first(c, &k, &v) && !name##_last(c, NULL, NULL));                                  \
        CHECK(name##_put_all(&m, keys, values, 2) == DF_OK && name##_count(c) == 2 && !name##_empty(c)); \
        CHECK(name##_first(c, &k, &v) && equal_keys(k, keys[1]) && equal(v, x));                         \
        CHECK(name##_last(c, &k, &v) && equal_keys(k, keys[0]) && equal(v, y));                          \
        CHECK(name##_next(c, &at, &k, NULL) && equal_keys(k, keys[1]));                                  \
        CHECK(name##_next(c, &at, NULL, &v) && equal(v, y) && !name##_next(c, &at, &k, &v));             \
        name##_seek(c, &at, b);                                                                          \
        CHECK(name##_next(c, &at, &k, &v) && equal_keys(k, keys[0]) && equal(v, y));                     \
        CHECK(name##_add(&m, a, y) == 0 && name##_put(&m, a, y) == DF_OK && name##_get(c, a, &v));       \
        CHECK(equal(v, y) && name##_remove(&m, a, &v) && !name##_remove(&m, a, NULL));                   \
        CHECK(name##_add(&m, a, x) == 1 && name##_count(c) == 2);                                        \
        name##_clear(&m);                                                                                \
        CHECK(name##_empty(c));                                                                          \
    }
SORTED(int_order, int, long, -1, 1, 5L, 7L, EQUAL, EQUAL)
SORTED(text_order, const char *, complex_number, "a", "bc", one, two, same, SAME_RE)

/* All functions of queues and heaps: a comes out before b. */
#define ITEMS(name, T, a, b, equal)                                                                      \
    static void try_##name(void)                                                                         \
    {                                                                                                    \
        static name q;                                                                                   \
        T x = b;                                                                                         \
        CHECK(!name##_pop(&q, &x) && name##_empty(&q) && name##_push(&q, a) == DF_OK);                   \
        CHECK(name##_push(&q, b) == DF_OK && name##_count(&q) == 2 && !name##_empty(&q));                \
        CHECK(name##_pop(&q, &x) && equal(x, a) && name##_take(&q, &x) && equal(x, b));                  \
        CHECK(!name##_pop(&q, &x) && name##_push(&q, x) == DF_OK);                                       \
        name##_clear(&q);                                                                                \
        CHECK(name##_empty(&q) && name##_count(&q) == 0);                                                \
    }
ITEMS(ints, int, 3, 2, EQUAL)
ITEMS(structs, struct long_key, first, second, SAME_NUMBER)
ITEMS(doubles, double, -1.5, 2.5, NEAR)
ITEMS(by_length, const char *, "a", "bc", same)

static void try_top(void)
{
    static doubles q;
    double x = 0;
    CHECK(!doubles_top(&q, &x) && doubles_push(&q, 2.5) == DF_OK && doubles_push(&q, 1.5) == DF_OK);
    CHECK(doubles_top(&q, &x) && NEAR(x, 1.5) && doubles_count(&q) == 2);
    doubles_clear(&q);
}

int main(void)
{
    one.re = 1, two.re = 20, second.number = 9, second.name[3] = 'x';
    try_by_int();
    try_by_char();
    try_by_double();
    try_by_pointer();
    try_by_colour();
    try_by_struct();
    try_by_text();
    try_shorts();
    try_texts();
    try_int_order();
    try_text_order();
    try_ints();
    try_structs();
    try_doubles();
    try_by_length();
    try_top();
    return wrong;
}
