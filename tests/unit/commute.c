/* commute.c - commuting tasks run one at a time on each datum, all of them, and between their predecessors and
 * successors; with several data per task, in any order, no task waits for ever. The argument: the number of tasks of
 * philosophers */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

static int meals_at_all = 30000;

typedef struct { long value; int busy; } datum;

/* Nobody else is here, from enter to leave. */
static void enter(datum *x) { CHECK(__atomic_exchange_n(&x->busy, 1, __ATOMIC_RELAXED) == 0); }
static void leave(datum *x) { CHECK(__atomic_exchange_n(&x->busy, 0, __ATOMIC_RELAXED) == 1); }

/* --- one datum --------------------------------------------------------------------------------- */

DF_TASK(void, add, df_commute(datum, x, 1), (long, k), (unsigned, slow));
void add(datum *x, long k, unsigned slow)
{
    enter(x);
    long was = x->value;
    test_spin(slow);
    x->value = was + k;
    leave(x);
}
DF_TASK(void, times, df_inout(datum, x, 1), (long, k));
void times(datum *x, long k)
{
    enter(x);
    x->value = x->value * k % 1000003;
    leave(x);
}
DF_TASK(void, look, df_in(datum, x, 1), df_inout(uint64_t, seen, 1));
void look(const datum *x, uint64_t *seen) { *seen = test_mix(*seen, (uint64_t)x->value); }

static void one(void)
{
    datum x = { 1, 0 };
    uint64_t seen[2] = { 0, 0 };
    DF_PARALLEL {
        for (int i = 0; i < 300; i++) {
            for (int k = 0; k < 1 + i % 9; k++) df_submit(add, &x, i + k, k % 4 ? 0 : 1000);
            if (i % 2) df_submit(times, &x, 3);
            if (i % 3) df_submit(look, &x, &seen[0]), df_submit(look, &x, &seen[1]);
        }
    }
    printf("one: %ld %016llx %016llx\n", x.value, (unsigned long long)seen[0], (unsigned long long)seen[1]);
}

/* --- several ----------------------------------------------------------------------------------- */

/* The same datum may be given twice. */
DF_TASK(void, move, df_commute(datum, from, 1), df_commute(datum, to, 1), (long, k));
void move(datum *from, datum *to, long k)
{
    enter(from);
    if (to != from) enter(to);
    from->value -= k;
    test_spin(k % 7 ? 0 : 500);
    to->value += k;
    if (to != from) leave(to);
    leave(from);
}
DF_TASK(void, move3, df_commute(datum, a, 1), df_inout(datum, b, 1), df_commute(datum, c, 1));
void move3(datum *a, datum *b, datum *c)
{
    enter(a), enter(b), enter(c);
    a->value++, b->value = b->value * 5 % 1000003, c->value--;
    leave(c), leave(b), leave(a);
}
static void several(void)
{
    enum { N = 12 };
    datum x[N] = { { 0, 0 } }, y[3] = { { 1, 0 }, { 2, 0 }, { 3, 0 } };
    uint64_t seed = 7;
    DF_PARALLEL {
        for (int i = 0; i < 4000; i++) {
            int a = test_below(&seed, N), b = test_below(&seed, N), c = test_below(&seed, N);
            df_submit(move, &x[a], &x[b], i);
            if (i % 5 == 0 && a != c) df_submit(move3, &x[a], &y[i % 3], &x[c]);
        }
    }
    printf("several:");
    for (int i = 0; i < N; i++) printf(" %ld", x[i].value);
    printf(" %ld %ld %ld\n", y[0].value, y[1].value, y[2].value);
}

/* --- some of the same elements ------------------------------------------------------------------- */

DF_TASK(void, add_range, df_commute(datum, x, n), (int, n));
void add_range(datum *x, int n)
{
    for (int i = 0; i < n; i++) enter(&x[i]), x[i].value += n;
    for (int i = n - 1; i >= 0; i--) leave(&x[i]);
}
DF_TASK(void, add_block, df_commute2(datum, x, rows, cols, ld), (int, rows), (int, cols), (int, ld));
void add_block(datum *x, int rows, int cols, int ld)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) enter(&x[i * ld + j]), x[i * ld + j].value += i - j;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) leave(&x[i * ld + j]);
}
static void overlapping(void)
{
    enum { N = 60 };
    static datum x[N];
    uint64_t seed = 3;
    DF_PARALLEL {
        for (int i = 0; i < 3000; i++) {
            int at = test_below(&seed, N);
            if (i % 2) df_submit(add_range, &x[at], 1 + test_below(&seed, N - at < 20 ? N - at : 20));
            else {
                int rows = 1 + test_below(&seed, 4), cols = 1 + test_below(&seed, 5);
                df_submit(add_block, &x[at % 20], rows, cols, 8 + i % 3);
            }
            if (i % 400 == 0) df_submit(times, &x[at], 7);
        }
    }
    printf("overlapping:");
    for (int i = 0; i < N; i++) printf(" %ld", x[i].value);
    printf("\n");
}

/* --- children: a commuting task keeps the datum until they are done ---------------------------------- */

DF_TASK(void, next, df_inout(datum, x, 1), (long, expected), (int, more));
void next(datum *x, long expected, int more)
{
    CHECK(x->value == expected);
    test_spin(200);
    x->value++;
    if (more) df_submit(next, x, expected + 1, more - 1);
}
DF_TASK(void, family, df_commute(datum, x, 1), (int, n));
void family(datum *x, int n) { df_submit(next, x, x->value, n); }
static void children(void)
{
    datum x[3] = { { 0, 0 } };
    DF_PARALLEL {
        for (int i = 0; i < 500; i++) df_submit(family, &x[i % 3], i % 5), df_submit(add, &x[i % 3], 100, 0);
    }
    printf("children: %ld %ld %ld\n", x[0].value, x[1].value, x[2].value);
}

/* --- dining philosophers ------------------------------------------------------------------------- */

DF_TASK(void, eat, df_commute(datum, left, 1), df_commute(datum, right, 1), df_commute(long, meals, 1));
void eat(datum *left, datum *right, long *meals)
{
    enter(left), enter(right);
    left->value++, right->value++, ++*meals;
    leave(right), leave(left);
}
static void philosophers(void)
{
    enum { N = 5 };
    datum fork[N] = { { 0, 0 } };
    long meals[N] = { 0 };
    DF_PARALLEL {
        for (int i = 0; i < meals_at_all; i++) {
            int k = i % 11 * 3 % N; /* some are hungrier */
            df_submit(eat, &fork[k], &fork[(k + 1) % N], &meals[k]);
        }
    }
    printf("philosophers:");
    for (int i = 0; i < N; i++) printf(" %ld/%ld", meals[i], fork[i].value);
    printf("\n");
}

int main(int argc, char **argv)
{
    if (argc > 1) meals_at_all = atoi(argv[1]);
    one();
    several();
    overlapping();
    children();
    philosophers();
}
