/* conditions.c - conditions of df_speculate: each kind of scalar, and objects of any type by predicates */
#include <math.h>
#include <stdbool.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SLOW = 3000, N = 24 };

static uint64_t x[N];

DF_STATIC_TASK(void, mix, df_inout(uint64_t, p, n), (int, n), (uint64_t, v));
static void mix(uint64_t *p, int n, uint64_t v)
{
    for (int i = 0; i < n; i++) p[i] = test_mix(p[i], v + (uint64_t)i);
}

static void say(const char *what)
{
    uint64_t h = 0;
    df_wait();
    for (int i = 0; i < N; i++) h = test_mix(h, x[i]);
    printf("%-16s %016llx\n", what, (unsigned long long)h);
}

/* --- scalars ------------------------------------------------------------------------------------- */

typedef int (*function)(void);
/* A task sets a condition of type T, which was not v, to v; truth: that of v. In the block, and after it, memory is
 * changed, as an `if` on the truth of v would. */
#define SCALAR(T, name)                                                                              \
    DF_STATIC_TASK(void, set_##name, df_out(T, c, 1), (T, v));                                       \
    static void set_##name(T *c, T v) { test_spin(SLOW); *c = v; }                                   \
    static void with_##name(T before, T v, int truth)                                                \
    {                                                                                                \
        for (int guess = 0; guess < 2; guess++) {                                                    \
            T c = before;                                                                            \
            T const *same = &c;                                                                      \
            uint64_t taken = 0, expect = 0;                                                          \
            int evaluated = 0;                                                                       \
            df_submit(set_##name, &c, v);                                                            \
            df_speculate((evaluated++, &c), guess) df_submit(mix, &taken, 1, 1);                     \
            df_submit(mix, x, N, 2);                                                                 \
            df_wait();                                                                               \
            if (truth == guess) mix(&expect, 1, 1);                                                  \
            CHECK(taken == expect && evaluated == 1);                                                \
            df_speculate(same, guess) df_submit(mix, &taken, 1, 3); /* known */                      \
            df_wait();                                                                               \
            if (truth == guess) mix(&expect, 1, 3);                                                  \
            CHECK(taken == expect);                                                                  \
            mix(x, 1, taken);                                                                        \
        }                                                                                            \
    }
SCALAR(bool, bool)
SCALAR(char, char)
SCALAR(unsigned short, short)
SCALAR(long long, long_long)
SCALAR(float, float)
SCALAR(double, double)
SCALAR(long double, long_double)
SCALAR(const void *, address)
SCALAR(uint64_t *, pointer)
SCALAR(function, function)

static int none(void) { return 0; }

/* A long double with value v among bytes that are all `byte`: some of them have no meaning. */
static long double dirty(long double v, int byte)
{
    volatile unsigned char room[sizeof(long double)];
    long double r;
    for (size_t i = 0; i < sizeof room; i++) room[i] = (unsigned char)byte;
    memcpy(&r, (const unsigned char *)(uintptr_t)room, sizeof r);
    r = v;
    return r;
}

static void scalars(void)
{
    with_bool(true, false, 0), with_bool(false, true, 1);
    with_char(5, 0, 0), with_char(0, -1, 1);
    with_short(5, 0, 0), with_short(0, 256, 1);
    with_long_long(5, 0, 0), with_long_long(0, 1ll << 40, 1);
    say("integers");
    with_float(1, 0, 0), with_float(1, -0.f, 0), with_float(0, 1e-40f, 1), with_float(0, (float)NAN, 1);
    with_double(1, 0, 0), with_double(1, -0., 0), with_double(0, 5e-324, 1), with_double(0, (double)NAN, 1);
    with_double(NAN, -0., 0), with_double(-0., -1, 1), with_double(0, (double)INFINITY, 1);
    with_long_double(1, dirty(0, 0xff), 0), with_long_double(1, dirty(-0.L, 0x5a), 0);
    with_long_double(0, dirty(1e-300L, 0), 1), with_long_double(0, (long double)NAN, 1);
    say("floating point");
    with_address(&x, NULL, 0), with_address(NULL, &x, 1);
    with_pointer(x, NULL, 0), with_pointer(NULL, x + 1, 1);
    with_function(none, NULL, 0), with_function(NULL, none, 1);
    say("pointers");
}

/* A loop until a residual is exactly 0. */
DF_STATIC_TASK(void, halve, df_inout(float, residual, 1), df_inout(uint64_t, turns, 1));
static void halve(float *residual, uint64_t *turns)
{
    *residual /= -2;
    ++*turns;
}
static void underflow(void)
{
    float residual = 1, expect = 1;
    uint64_t turns = 0, turns_expected = 0;
    df_submit(halve, &residual, &turns);
    df_speculate_while(&residual, 1) df_submit(halve, &residual, &turns);
    df_wait();
    do halve(&expect, &turns_expected);
    while (expect != 0);
    CHECK(turns == turns_expected && residual == 0);
    mix(x, 2, turns);
    say("underflow");
}

/* --- predicates ---------------------------------------------------------------------------------- */

struct state { char name[3]; int turn, stop_at; double residual[2]; };

static int goes_on(const struct state *s) { return s->turn < s->stop_at ? 256 : 0; }
DF_PREDICATE(goes_on, struct state, 1);

static double tolerance = 1e-3;
static bool small(const double *residual) { return *residual < tolerance; }
DF_PREDICATE(small, double, 1);

static int n_tiles = 6;
int all_done(const short *tile);
DF_PREDICATE(all_done, short, n_tiles);
int all_done(const short *tile)
{
    for (int i = 0; i < n_tiles; i++)
        if (!tile[i]) return 0;
    return 1;
}

DF_STATIC_TASK(void, advance, df_inout(struct state, s, 1), df_inout(uint64_t, p, 3));
static void advance(struct state *s, uint64_t *p)
{
    test_spin(SLOW / 4);
    s->residual[s->turn & 1] /= 2;
    mix(p, 3, (uint64_t)++s->turn);
}
DF_STATIC_TASK(void, set_tile, df_out(short, c, 1), (int, v), (unsigned, slow));
static void set_tile(short *c, int v, unsigned slow) { test_spin(slow); *c = (short)v; }
DF_STATIC_TASK(void, set_residual, df_inout(double, r, 1), (double, v));
static void set_residual(double *r, double v) { test_spin(SLOW); *r = v; }

static void structures(void)
{
    for (int limit = 0; limit < 9; limit++) {
        struct state s = { "s", 0, limit, { 1, 1 } };
        df_submit(advance, &s, x);
        df_speculate_while_on(goes_on, &s, 1) df_submit(advance, &s, x);
        df_speculate_on(goes_on, &s, 0) df_submit(mix, x + 4, 5, 8);
        df_speculate_on(goes_on, &s, 7) df_submit(mix, x + 4, 5, 9);
        df_wait();
        CHECK(s.turn == (limit > 1 ? limit : 1));
    }
    say("structures");
}

/* Part of an object; the tasks write other parts meanwhile. */
static void members(void)
{
    for (int i = 0; i < 8; i++) {
        struct state s = { "s", 0, 0, { 1, 1 } };
        df_submit(set_residual, &s.residual[0], i & 1 ? 1e-4 : 1e-2);
        df_submit(set_residual, &s.residual[1], i & 2 ? 1e-4 : 1e-2);
        df_speculate_on(small, &s.residual[0], i >> 2) {
            df_submit(mix, x + 1, 8, 1);
            df_speculate_on(small, &s.residual[1], 1) df_submit(mix, x + 5, 8, 2); /* nested */
            df_submit(mix, x + 3, 4, 3);
        }
        df_submit(mix, x, 3, 4);
        df_wait();
    }
    say("members");
}

/* The object is an array whose parts are written by several tasks. */
static void arrays(void)
{
    short tile[8];
    for (int i = 0; i < 128; i++) {
        for (int k = 0; k < 8; k++) tile[k] = (short)(i & 1);
        n_tiles = 3 + i % 5;
        for (int k = 0; k < n_tiles; k++) df_submit(set_tile, &tile[k], i % 6 != k, k ? 40u * SLOW : 0u);
        df_speculate_on(all_done, tile, i / 8 % 2) df_submit(mix, x, 6, (uint64_t)i);
        df_submit(set_tile, tile + n_tiles, i, SLOW); /* not part of the condition */
        df_submit(mix, x + 4, 4, 5);
        if (i % 3 == 0) df_wait_on(x, sizeof *x);
        df_submit(set_tile, tile, 1, 0u); /* after the decision */
        df_wait();
    }
    n_tiles = 0; /* no element: nothing to wait for */
    df_speculate_on(all_done, tile, 1) df_submit(mix, x, 6, 7);
    df_speculate_on(all_done, tile, 0) df_submit(mix, x, 6, 8);
    n_tiles = 6;
    say("arrays");
}

/* In tasks, on objects that are arguments. */
DF_STATIC_TASK(void, iterate, df_inout(struct state, s, 1), df_inout(uint64_t, p, 3));
static void iterate(struct state *s, uint64_t *p)
{
    df_submit(advance, s, p);
    df_speculate_while_on(goes_on, s, 1) df_submit(advance, s, p);
    df_speculate(&s->residual[1], 1) df_submit(mix, p, 2, 1);
}
static void in_tasks(void)
{
    static struct state s[4];
    for (int i = 0; i < 4; i++) {
        struct state start = { "s", 0, 3 * i, { 1, i & 1 ? 0 : -0. } };
        s[i] = start;
        df_submit(iterate, &s[i], x + 3 * i);
    }
    df_wait();
    say("in tasks");
}

int main(void)
{
    scalars();
    underflow();
    structures();
    members();
    arrays();
    in_tasks();
}
