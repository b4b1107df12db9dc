/* limits.c - random programs with semaphores: `limits FIRST_SEED COUNT` prints, per seed, a hash of the memory
 *
 * Tasks update, add to, or commute on cells, wait for tokens and signal them, have weak accesses and children, and hold
 * random units of up to three semaphores, in any order and also twice. Some ask for all units, some for none. The
 * semaphores of a task and those of its children differ, because a child must not wait for its parent. Each body counts
 * the units in use: they are never more than the semaphore has. All tasks run, and the order of updates shows in the
 * hash; in the end, no semaphore is in use. */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { CELLS = 8, ROUNDS = 4, TASKS = 70, DEEP = 3, MANY = 3, LARGEST = 9 };
typedef uint64_t cell;

/* A set for each depth. */
static struct resource { df_semaphore s; long units; DFI_ATOMIC(long) used; } resource[DEEP + 1][MANY];
static DFI_ATOMIC(long) ran;

static void enter(df_semaphore *s, int k)
{
    struct resource *r = (struct resource *)(void *)s;
    long used = __atomic_fetch_add(&r->used, (long)k, __ATOMIC_ACQ_REL) + k;
    CHECK(used <= r->units);
}
static void leave(df_semaphore *s, int k)
{
    struct resource *r = (struct resource *)(void *)s;
    CHECK(__atomic_fetch_sub(&r->used, (long)k, __ATOMIC_ACQ_REL) >= k);
}

DF_STATIC_TASK(void, update, df_limit(s, k), df_inout(cell, c, 1), (int, k), (uint64_t, by), (unsigned, slow));
static void update(df_semaphore *s, cell *c, int k, uint64_t by, unsigned slow)
{
    enter(s, k);
    test_spin(slow);
    *c = test_mix(*c, by);
    __atomic_fetch_add(&ran, 1L, __ATOMIC_ACQ_REL);
    leave(s, k);
}
/* Both semaphores may be the same. */
DF_STATIC_TASK(void, mix_in, df_in(cell, a, 1), df_limit(s, k), df_limit(t, m), df_inout(cell, b, 1), (int, k), (int, m));
static void mix_in(const cell *a, df_semaphore *s, df_semaphore *t, cell *b, int k, int m)
{
    enter(s, k), enter(t, m);
    *b = test_mix(*b, *a);
    __atomic_fetch_add(&ran, 1L, __ATOMIC_ACQ_REL);
    leave(t, m), leave(s, k);
}
DF_STATIC_TASK(void, exchange, df_commute(cell, a, 1), df_limit(s, k), df_commute(cell, b, 1), df_limit(t, 1),
               (int, k), (unsigned, slow));
static void exchange(cell *a, df_semaphore *s, cell *b, df_semaphore *t, int k, unsigned slow)
{
    enter(s, k), enter(t, 1);
    *a += 3;
    test_spin(slow);
    *b += 5;
    __atomic_fetch_add(&ran, 1L, __ATOMIC_ACQ_REL);
    leave(s, k), leave(t, 1);
}
DF_STATIC_TASK(void, add, df_reduce(df_sum, cell, c, 1), df_limit(s, 1), (uint64_t, k));
static void add(cell *c, df_semaphore *s, uint64_t k)
{
    enter(s, 1);
    *c += k;
    __atomic_fetch_add(&ran, 1L, __ATOMIC_ACQ_REL);
    leave(s, 1);
}
DF_STATIC_TASK(void, family, df_limit(s, k), df_inout(cell, c, CELLS), (int, k), (uint64_t, seed), (int, depth));
DF_STATIC_TASK(void, weak_family, df_weak_inout(cell, c, CELLS), (uint64_t, seed), (int, depth));

static void submits(cell *c, uint64_t seed, int depth, int tasks)
{
    df_token open = DF_TOKEN(1), begun = DF_TOKEN(1);
    int signalled = 0, i;
    for (i = 0; i < tasks; i++) {
        uint64_t r = test_random(&seed);
        cell *a = &c[test_below(&seed, CELLS)], *b = &c[test_below(&seed, CELLS)];
        struct resource *s = &resource[depth][test_below(&seed, MANY)], *t = &resource[depth][test_below(&seed, MANY)];
        int how = test_below(&seed, 4), of = (int)(s == t ? s->units - 1 : s->units);
        int k = how == 3 ? of : how == 2 || !of ? 0 : test_below(&seed, of) + 1;
        unsigned slow = test_below(&seed, 4) ? 0 : 5000;
        if (k > of) k = of;
        switch (test_below(&seed, 9)) {
        case 0: df_submit(add, a, &s->s, r); break;
        case 1:
            if (a != b) df_submit(exchange, a, &s->s, b, &t->s, k, slow);
            break;
        case 2:
            if (a != b) df_submit(mix_in, a, &s->s, &t->s, b, k, s == t ? (int)s->units - k : 1);
            break;
        case 3:
            if (depth) df_submit(family, &s->s, c, k, r, depth - 1);
            break;
        case 4:
            if (depth) df_submit(weak_family, c, r, depth - 1);
            break;
        case 5: df_submit_with(DF_OPTS(.after = DF_TOKENS(&open)), update, &s->s, a, k, r, slow); break;
        case 6:
            df_submit_with(DF_OPTS(.priority = test_below(&seed, 3) - 1, .signals = DF_TOKENS(signalled ? NULL : &begun)),
                           update, &s->s, a, k, r, slow);
            signalled = 1;
            break;
        default: df_submit(update, &s->s, a, k, r, slow); break;
        }
    }
    df_signal(&open);
    if (!signalled) df_signal(&begun);
    df_wait_token(&begun);
    df_wait();
}
static void family(df_semaphore *s, cell *c, int k, uint64_t seed, int depth)
{
    int tasks = test_below(&seed, 12);
    enter(s, k);
    submits(c, seed, depth, tasks);
    leave(s, k);
}
static void weak_family(cell *c, uint64_t seed, int depth)
{
    int tasks = test_below(&seed, 12);
    submits(c, seed, depth, tasks);
}

static void begins(uint64_t *seed)
{
    for (int i = 0; i <= DEEP; i++)
        for (int k = 0; k < MANY; k++) {
            resource[i][k].units = 1 + test_below(seed, LARGEST);
            df_semaphore_init(&resource[i][k].s, resource[i][k].units);
        }
}
static void ends(void)
{
    for (int i = 0; i <= DEEP; i++)
        for (int k = 0; k < MANY; k++) CHECK(df_semaphore_destroy(&resource[i][k].s));
    printf("%ld bodies so far\n", ran);
}

#include "rounds.h"
