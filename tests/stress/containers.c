/* containers.c - threads move elements between containers, and none is lost or doubled: `containers SECONDS`
 *
 * Numbers move, each with a value of several words that belongs to it. Meanwhile each thread adds and removes
 * many elements of its own, so that tables grow. In some rounds a container is cleared, and filled again. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#define DF_IMPLEMENTATION
#include "df_containers.h"
#include "stress.h"

enum { TOKENS = 64, OWN = 3000, MOST_THREADS = 8 };

struct value { long n, twice, text[3]; };
static struct value value_of(long n)
{
    struct value v = { n, 2 * n, { n, n, n } };
    return v;
}
static void check(long key, const struct value *v)
{
    CHECK(v->n == key && v->twice == 2 * key && v->text[0] == key && v->text[2] == key);
}

DF_TM_MAP(box, long, struct value);
DF_TM_SET(names, long);
static struct { box tokens; names keys; } place[2]; /* keys: of the tokens */
static long rounds_done;

/* Moves a token, if it is there, to the other place. */
static void move(uint64_t *s)
{
    long k = test_below(s, TOKENS);
    int from = test_below(s, 2);
    struct value v;
    DF_ATOMIC {
        if (box_remove(&place[from].tokens, k, &v)) {
            check(k, &v);
            CHECK(names_remove(&place[from].keys, k));
            CHECK(box_add(&place[!from].tokens, k, v) == 1);
            CHECK(names_add(&place[!from].keys, k) == 1);
        } else CHECK(!names_has(&place[from].keys, k));
    }
}

/* All of one place to the other one: the first is cleared. */
static void move_all(uint64_t *s)
{
    int from = test_below(s, 2);
    DF_ATOMIC {
        box_cursor at = { 0, 0 };
        struct value v;
        long k;
        while (box_next(&place[from].tokens, &at, &k, &v)) {
            if (k >= TOKENS) continue;
            CHECK(box_add(&place[!from].tokens, k, v) == 1 && names_add(&place[!from].keys, k) == 1);
            CHECK(names_remove(&place[from].keys, k) && box_remove(&place[from].tokens, k, NULL));
        }
        CHECK(names_empty(&place[from].keys));
        names_clear(&place[from].keys);
    }
}

static void audit(void)
{
    DF_ATOMIC {
        long n = 0, sum = 0;
        for (int i = 0; i < 2; i++) {
            names_cursor at = { 0, 0 };
            struct value v;
            long k, here = 0;
            while (names_next(&place[i].keys, &at, &k)) {
                CHECK(box_get(&place[i].tokens, k, &v));
                check(k, &v);
                n++, here++, sum += k;
            }
            CHECK(names_count(&place[i].keys) == (size_t)here);
        }
        CHECK(n == TOKENS && sum == TOKENS * (TOKENS - 1L) / 2);
    }
}

struct thread { pthread_t thread; int self, threads; uint64_t seed; double end; };
static void *work(void *p)
{
    struct thread *t = (struct thread *)p;
    uint64_t s = t->seed;
    long own = 0, i, k;
    while (stress_now() < t->end) {
        box *mine = &place[test_below(&s, 2)].tokens;
        int n = 1 + test_below(&s, OWN);
        for (i = 0; i < n; i++) { /* grows, while others use it */
            k = TOKENS + i * MOST_THREADS + t->self;
            CHECK(box_put(mine, k, value_of(k)) == DF_OK);
            if (i % 8 == 0) move(&s);
        }
        if (test_below(&s, 4) == 0) move_all(&s);
        audit();
        for (i = 0; i < n; i++) {
            struct value v;
            k = TOKENS + i * MOST_THREADS + t->self;
            CHECK(i % 2 ? box_get(mine, k, &v) : box_remove(mine, k, &v));
            check(k, &v);
            if (i % 2) CHECK(box_remove(mine, k, NULL));
            if (i % 8 == 0) move(&s);
        }
        own++;
    }
    __atomic_fetch_add(&rounds_done, own, __ATOMIC_RELAXED);
    return NULL;
}

int main(int argc, char **argv)
{
    struct thread t[MOST_THREADS];
    uint64_t seed = 1;
    stress_begin(argc, argv);
    for (long k = 0; k < TOKENS; k++)
        CHECK(box_put(&place[0].tokens, k, value_of(k)) == DF_OK && names_add(&place[0].keys, k) == 1);
    for (int n = 2; n == 2 || stress_goes_on(); n = n == MOST_THREADS ? 2 : n * 2) {
        double end = stress_now() + 0.25;
        for (int i = 0; i < n; i++) {
            t[i].self = i, t[i].threads = n, t[i].seed = seed++, t[i].end = end;
            CHECK(!pthread_create(&t[i].thread, NULL, work, &t[i]));
        }
        for (int i = 0; i < n; i++) CHECK(!pthread_join(t[i].thread, NULL));
        audit();
        CHECK(box_count(&place[0].tokens) + box_count(&place[1].tokens) == TOKENS);
        if (seed % 4 == 0) { /* a new table; outside of blocks, nobody else uses it */
            for (long k = 0; k < TOKENS; k++) {
                struct value v;
                if (box_remove(&place[1].tokens, k, &v)) {
                    CHECK(names_remove(&place[1].keys, k));
                    CHECK(box_add(&place[0].tokens, k, v) == 1 && names_add(&place[0].keys, k) == 1);
                }
            }
            box_clear(&place[1].tokens);
        }
    }
    CHECK(rounds_done > 0);
    printf("%ld rounds\n", rounds_done);
    for (int i = 0; i < 2; i++) box_clear(&place[i].tokens), names_clear(&place[i].keys);
    return 0;
}
