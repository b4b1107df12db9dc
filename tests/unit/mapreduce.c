/* mapreduce.c - examples/mapreduce: arrays of any length and functions as input; keys that are structures, numbers and
 * text, also with the same hash; values that are structures, combined in order; a job that fails */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

/* --- a structure as key, and a string as value: the order of the items is in the result ------------------ */

typedef struct { char a; int b; } key; /* with padding, which must not count */
typedef struct { int length; uint64_t hash; } chain;

#define MR_NAME       chain
#define MR_ITEM       unsigned
#define MR_PIECE      7
#define MR_KEY        key
#define MR_SAME(x, y) ((x).a == (y).a && (x).b == (y).b)
#define MR_HASH(k)    ((unsigned)(k).b % 3)      /* many keys have the same, and all are in three partitions */
#define MR_VALUE      chain
#include "../../examples/mapreduce/mapreduce.h"

/* Associative, not commutative: the hash of a concatenation, by the powers of 31. */
static chain after(chain x, chain y)
{
    for (int i = 0; i < y.length; i++) x.hash *= 31;
    return (chain){ x.length + y.length, x.hash + y.hash };
}
static key key_of(unsigned x)
{
    key k;
    memset(&k, (int)(x % 251), sizeof k);
    k.a = (char)(x % 2), k.b = (int)(x % 101);
    return k;
}
static void emit_chain(chain_piece *p)
{
    if (p->item[0] % 4 == 0) test_spin(TEST_SLOW ? 1000 : 30000); /* later pieces are ready earlier */
    for (size_t i = 0; i < p->count; i++) {
        if (p->item[i] == 4294967295u) df_fail(77, "an item that is not allowed");
        chain_emit(p, key_of(p->item[i]), (chain){ 1, p->item[i] });
        if (p->item[i] % 5 == 0) chain_emit(p, key_of(p->item[i] + 1), (chain){ 1, 1 });
    }
}
enum { MANY = 3000, KEYS = 202 };
static unsigned item[MANY];

static void chains(size_t n)
{
    static chain expected[KEYS];
    memset(expected, 0, sizeof expected);
    for (size_t i = 0; i < n; i++) {
        key k = key_of(item[i]), l = key_of(item[i] + 1);
        expected[k.a * 101 + k.b] = after(expected[k.a * 101 + k.b], (chain){ 1, item[i] });
        if (item[i] % 5 == 0) expected[l.a * 101 + l.b] = after(expected[l.a * 101 + l.b], (chain){ 1, 1 });
    }
    chain_job job = { .map = emit_chain, .combine = after, .array = item, .count = n };
    long keys = 0, values = 0;
    CHECK(chain_run(&job) == DF_OK);
    for (const chain_pair *p = NULL; (p = chain_next(&job, p)) != NULL; keys++) {
        chain *e = &expected[p->key.a * 101 + p->key.b];
        CHECK(e->length == p->value.length && e->hash == p->value.hash);
        values += e->length;
        e->length = -1; /* each once */
    }
    for (int i = 0; i < KEYS; i++) CHECK(expected[i].length <= 0);
    printf("chains: %lu items, %ld keys, %ld values\n", (unsigned long)n, keys, values);
    chain_free(&job);
}

/* --- a number as key, a sum of floating-point numbers as value, items from a function -------------------- */

#define MR_NAME  sums
#define MR_ITEM  double
#define MR_PIECE 10
#define MR_KEY   long
#define MR_VALUE double
#include "../../examples/mapreduce/mapreduce.h"

static double plus(double x, double y) { return x + y; }
static int some(void *input, sums_piece *p) /* pieces of different lengths */
{
    int *next = (int *)input;
    for (int n = 1 + *next % 10; n > 0 && *next < 2000; n--) p->item[p->count++] = 1.0 / ++*next;
    return p->count > 0;
}
static void emit_sums(sums_piece *p)
{
    for (size_t i = 0; i < p->count; i++) sums_emit(p, (long)(1 / p->item[i] + 0.5) % 5 - 2, p->item[i]);
}
static void sums(void)
{
    int next = 0;
    double sum = 0;
    sums_job job = { .read = some, .map = emit_sums, .combine = plus, .input = &next }, none = { .map = emit_sums };
    CHECK(sums_run(&job) == DF_OK);
    for (long k = -2; k < 3; k++) { /* all bits are the same in each run */
        for (const sums_pair *p = NULL; (p = sums_next(&job, p)) != NULL;)
            if (p->key == k) sum = sum * 3 + p->value, printf("sum %ld: %a\n", k, p->value);
    }
    sums_free(&job);
    CHECK(sums_run(&none) == DF_OK && sums_next(&none, NULL) == NULL);
    sums_free(&none);
}

/* --- the default: text ------------------------------------------------------------------------------------ */

#include "../../examples/mapreduce/mapreduce.h"

static long add(long x, long y) { return x + y; }
static void emit_letters(mr_piece *p)
{
    for (size_t i = 0; i < p->count; i++) mr_emit(p, &p->item[i], i + 1 < p->count ? 2 : 1, 1);
}
static void text(void)
{
    static char words[] = "abababac";
    long n[3] = { 0, 0, 0 };
    mr_job job = { .map = emit_letters, .combine = add, .array = words, .count = 8 };
    CHECK(mr_run(&job) == DF_OK);
    for (const mr_pair *p = NULL; (p = mr_next(&job, p)) != NULL;) {
        CHECK(p->key < words || p->key >= words + sizeof words); /* a copy */
        n[0] += p->length == 2 && !memcmp(p->key, "ab", 2) ? p->value : 0;
        n[1] += p->length == 2 && !memcmp(p->key, "ba", 2) ? p->value : 0;
        n[2] += p->length == 1 && *p->key == 'c' ? p->value : 0;
    }
    printf("text: %ld %ld %ld\n", n[0], n[1], n[2]);
    mr_free(&job);
}

int main(void)
{
    static const size_t lengths[] = { 0, 1, 6, 7, 8, 14, 500, MANY, MANY };
    for (unsigned i = 0; i < MANY; i++) item[i] = i * 2654435761u >> 8;
    for (int i = 0; i < 9; i++) chains(lengths[i]);
    item[MANY / 2] = 4294967295u;
    chain_job job = { .map = emit_chain, .combine = after, .array = item, .count = MANY };
    CHECK(chain_run(&job) == (df_result)77);
    chain_free(&job);
    sums();
    text();
    return 0;
}
