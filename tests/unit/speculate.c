/* speculate.c - df_speculate with everything that tasks and their submitters can do; see also fuzz/speculate.c */
#include <stdbool.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SLOW = 20000, N = 64 };
enum colour { RED, GREEN = 1 << 20 };

static uint64_t x[N];

#define SETTER(name, T)                            \
    DF_STATIC_TASK(void, name, df_out(T, c, 1), (T, v)); \
    static void name(T *c, T v) { test_spin(SLOW); *c = v; }
SETTER(set_bool, bool)
SETTER(set_char, signed char)
SETTER(set_int, int)
SETTER(set_long_long, long long)
SETTER(set_colour, enum colour)

DF_STATIC_TASK(void, mix, df_inout(uint64_t, p, n), (int, n), (uint64_t, v));
static void mix(uint64_t *p, int n, uint64_t v)
{
    for (int i = 0; i < n; i++) p[i] = test_mix(p[i], v + (uint64_t)i);
}
DF_STATIC_TASK(void, copy, df_in(uint64_t, from, n), df_out(uint64_t, to, n), (int, n));
static void copy(const uint64_t *from, uint64_t *to, int n)
{
    for (int i = 0; i < n; i++) to[i] = from[i];
}
DF_STATIC_TASK(void, add_commuting, df_commute(uint64_t, p, 1), (uint64_t, v));
static void add_commuting(uint64_t *p, uint64_t v) { *p += v; }
DF_STATIC_TASK(void, add_at_once, df_concurrent(uint64_t, p, 1), (uint64_t, v));
static void add_at_once(uint64_t *p, uint64_t v) { __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
DF_STATIC_TASK(void, add_reducing, df_reduce(df_sum, uint64_t, p, 1), (uint64_t, v));
static void add_reducing(uint64_t *p, uint64_t v) { *p += v; }
DF_STATIC_TASK(void, mix_parts, df_weak_inout(uint64_t, p, n), (int, n), (uint64_t, v));
static void mix_parts(uint64_t *p, int n, uint64_t v)
{
    for (int i = 0; i < n; i += 8) df_submit(mix, p + i, n - i < 8 ? n - i : 8, v);
}
DF_STATIC_TASK(void, fails, df_inout(uint64_t, p, 1), (int, code));
static void fails(uint64_t *p, int code)
{
    *p += 1;
    df_fail(code, "as asked for");
}
DF_STATIC_TASK(void, child_fails, df_inout(uint64_t, p, 1), (int, code));
static void child_fails(uint64_t *p, int code) { df_submit(fails, p, code); }
DF_STATIC_TASK(void, says, (const char *, text));
static void says(const char *text) { printf("%s\n", text); }
DF_STATIC_TASK(void, push, (uint64_t, v), df_push(uint64_t, to, 1));
static void push(uint64_t v, uint64_t *to) { *to = v; }
DF_STATIC_TASK(void, pop, df_pop(uint64_t, from, 1), df_inout(uint64_t, p, 1));
static void pop(const uint64_t *from, uint64_t *p) { *p = test_mix(*p, *from); }
DF_STATIC_LOOP(each, df_inout(uint64_t, p, n), (int, n));
static void each(long lo, long hi, uint64_t *p, int n)
{
    for (long i = lo; i < hi && i < n; i++) p[i] += (uint64_t)i;
}

static void say(const char *what)
{
    uint64_t h = 0;
    df_wait();
    for (int i = 0; i < N; i++) h = test_mix(h, x[i]);
    printf("%-22s %016llx\n", what, (unsigned long long)h);
}

/* What is submitted in the block, with a prediction that turns out right, and with one that turns out wrong. */
#define BOTH_WAYS(...)                                                          \
    for (int guess = 0; guess < 2; guess++) {                                   \
        int c = !guess;                                                         \
        df_submit(set_int, &c, 1);                                              \
        df_speculate(&c, guess) __VA_ARGS__                                         \
        df_submit(mix, x, N, 1);                                                \
        df_wait();                                                              \
    }

static void conditions(void)
{
    static const long long values[] = { 0, 1, -1, 1ll << 40, 255, 256 };
    for (int i = 0; i < 12; i++) {
        long long v = values[i / 2];
        bool b = false;
        signed char s = 1;
        long long l = 5;
        enum colour k = RED;
        df_submit(set_bool, &b, v != 0);
        df_speculate(&b, i % 2) df_submit(mix, x, 1, 1);
        df_submit(set_char, &s, (signed char)v);
        df_speculate(&s, i % 2) df_submit(mix, x + 1, 1, 2);
        df_submit(set_long_long, &l, v);
        df_speculate(&l, 4 * (i % 2)) df_submit(mix, x + 2, 1, 3);
        df_submit(set_colour, &k, v ? GREEN : RED);
        df_speculate(&k, i % 2) df_submit(mix, x + 3, 1, 4);
        df_wait();
    }
    say("conditions");
}

static void modes(void)
{
    for (int k = 0; k < 3; k++) {
        df_submit(add_commuting, x, 3);
        df_submit(add_at_once, x + 1, 4);
        df_submit(add_reducing, x + 2, 5);
        BOTH_WAYS({
            for (int i = 0; i < 20; i++) {
                df_submit(add_commuting, x, 1000);
                df_submit(add_at_once, x + 1, 2000);
                df_submit(add_reducing, x + 2, 3000);
            }
            df_submit(copy, x, x + 32, 16);
            df_submit(mix_parts, x + 8, 24, 7);
            df_submit_with(DF_OPTS(.priority = 2, .worker = DF_MAIN_THREAD), mix, x + 4, 10, 9);
        })
        df_submit(add_commuting, x, 3);
        df_submit(add_at_once, x + 1, 4);
        df_submit(add_reducing, x + 2, 5);
    }
    say("modes");
}

static void nested(void)
{
    for (int i = 0; i < 64; i++) {
        int c[3] = { 0, 0, 0 };
        for (int k = 0; k < 3; k++)
            if (i >> (3 + k) & 1) df_submit(set_int, &c[k], i >> k & 1);
        df_speculate(&c[0], 1) {
            df_submit(mix, x, 8, 1);
            df_speculate(&c[1], 1) {
                df_submit(mix, x + 4, 8, 2);
                df_submit(add_commuting, x + 20, 2);
                df_speculate(&c[2], 1) {
                    df_submit(mix, x + 2, 8, 3);
                    df_submit(add_commuting, x + 20, 3);
                }
                df_submit(mix, x + 1, 2, 4);
            }
            df_submit(mix, x + 6, 3, 5);
            df_speculate(&c[2], 0) df_submit(mix, x + 30, 3, 6);
        }
        df_submit(copy, x, x + 40, 12);
        df_wait();
    }
    say("nested");
}

/* Nothing that cannot be rolled back happens before the condition is known. */
static void irrevocable(void)
{
    df_stream *s = df_stream_new(sizeof(uint64_t), 10);
    BOTH_WAYS({
        df_submit(says, guess ? "the guess was right" : "WRONG");
    })
    BOTH_WAYS({
        df_token never = DF_TOKEN(1);
        df_token sometimes = DF_TOKEN(1);
        df_submit(mix, x, 4, 3);
        if (guess) df_submit_with(DF_OPTS(.signals = DF_TOKENS(&sometimes)), mix, x, 4, 4);
        df_submit_with(DF_OPTS(.after = guess ? DF_TOKENS(&sometimes) : DF_TOKENS(&never)), mix, x + 2, 4, 5);
        df_wait();
    })
    BOTH_WAYS({
        df_submit(push, 77, s);
        df_submit(pop, s, x);
        df_wait();
        df_node(mix) *node = df_node_new(mix);
        df_node_set(mix, node, p, x);
        df_node_set(mix, node, n, 4);
        df_node_set(mix, node, v, 7);
        df_wait();
    })
    BOTH_WAYS({
        df_submit(mix, x, 4, 3);
        df_for(each, 0, 8, x, 8);
        DF_PARALLEL {
            df_submit(mix, x, 4, 4);
            df_speculate(&guess, 1) df_submit(mix, x, 4, 5);
        }
        df_submit(mix, x, 4, 6);
    })
    df_stream_free(s);
    say("irrevocable");
}

static void loops(void)
{
    for (int limit = 0; limit < 12; limit++) {
        int c = limit > 0, inner, turns = 0;
        df_speculate_while(&c, 1) { /* a task sets c to 0 in turn `limit`, one without a turn in between now and then */
            turns++;
            df_submit(mix, x + turns % 7, 5, (uint64_t)turns);
            df_submit(set_int, &c, turns < limit);
            if (turns > 100) break;
        }
        df_submit(mix, x + 3, 9, 1);
        df_wait();
        CHECK(turns >= limit && turns < limit + 64 && c == 0);
        c = 1, turns = 0;
        df_submit(set_int, &c, 1);
        df_speculate_while(&c, 1) {
            df_submit(mix, x, 5, (uint64_t)turns);
            if (++turns == limit) break;
            if (turns > 20) break;
        }
        df_submit(copy, x, x + 32, 16);
        df_wait();
        /* loops in each other, and in a block that turns out wrong */
        c = 1, turns = 0;
        df_submit(set_int, &c, 1);
        df_speculate_while(&c, 1) {
            df_speculate(&c, 1) df_submit(mix, x, 3, (uint64_t)turns);
            df_speculate(&c, 0) df_submit(mix, x, 3, 99);
            df_submit(set_int, &c, turns++ < limit);
        }
        df_wait(); /* decisions of turns that were rolled back may still read c */
        c = 0, inner = 1;
        df_submit(set_int, &c, limit % 2);
        df_speculate(&c, 1) {
            int k = 0;
            df_submit(set_int, &inner, 1);
            df_speculate_while(&inner, 1) {
                df_submit(mix, x + 10, 8, (uint64_t)k);
                df_submit(set_int, &inner, ++k < limit);
            }
        }
        df_submit(mix, x + 12, 8, 5);
        df_wait();
    }
    say("loops");
}

static void left_early(int how)
{
    static int c;
    df_submit(set_int, &c, how & 1);
    df_speculate(&c, 1) {
        df_submit(mix, x, 4, 8);
        if (how > 1) return;
        df_speculate(&c, 1) {
            df_submit(mix, x + 2, 4, 9);
            goto out;
        }
    }
out:
    df_submit(mix, x + 1, 2, 10);
}

static void errors(void)
{
    for (int i = 0; i < 16; i++) {
        int c = 0, d = 0;
        df_submit(set_int, &c, i & 1);
        df_submit(set_int, &d, i >> 1 & 1);
        df_speculate(&c, 1) df_speculate(&d, 1) {
            if (i & 4) df_submit(child_fails, x + 9, 5);
            else df_submit(fails, x + 9, 6);
            df_submit(mix, x + 9, 1, 1);
        }
        if (i & 8) df_submit(set_int, &d, 3); /* not after the block */
        printf("%d ", (int)df_wait_result());
    }
    printf("\n");
    say("errors");
}

int main(void)
{
    conditions();
    modes();
    nested();
    irrevocable();
    loops();
    left_early(0);
    left_early(1);
    left_early(3); /* not 2: the return is not rolled back */
    say("left early");
    errors();
}
