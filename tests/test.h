/* test.h - the harness of df's tests
 *
 * A unit test prints its results, which must be the same in the parallel and in the serial build (DF_SERIAL).
 * Conditions that can be checked in place are checked with CHECK: it names the line and ends the program. */
#ifndef TEST_H
#define TEST_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Built with a sanitizer that has limits of its own. */
#if defined(__has_feature)
#define TEST_FEATURE(x) __has_feature(x)
#else
#define TEST_FEATURE(x) 0
#endif
#if defined(__SANITIZE_THREAD__) || TEST_FEATURE(thread_sanitizer)
#define TEST_TSAN 1
#else
#define TEST_TSAN 0
#endif
#if defined(__SANITIZE_ADDRESS__) || TEST_FEATURE(address_sanitizer)
#define TEST_ASAN 1
#else
#define TEST_ASAN 0
#endif

/* Built to find more and to run many times as long: a test then repeats less often what it repeats. */
#if TEST_TSAN || TEST_ASAN || !defined(__x86_64__) || (defined(DF_DEBUG) && DF_DEBUG + 0 > 2)
#define TEST_SLOW 1
#else
#define TEST_SLOW 0
#endif

/* Has the process a thread that is neither of the program nor of df? ThreadSanitizer's, or that of an emulated
 * processor. */
static inline int test_foreign_thread(void)
{
    const char *emulator = getenv("EMULATOR");
    return TEST_TSAN || (emulator && *emulator);
}

#define CHECK(c) ((c) ? (void)0 : test_fail(__FILE__, __LINE__, #c))

/* _Exit: nothing of df runs any more, whatever state it is in. */
static inline void test_fail(const char *file, int line, const char *what)
{
    fflush(stdout);
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    _Exit(1);
}

/* splitmix64. The state is the seed. */
static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* 0 .. n-1 */
static inline int test_below(uint64_t *state, int n)
{
    return (int)(test_random(state) % (uint64_t)n);
}

/* Order matters: mix(mix(h, a), b) differs from mix(mix(h, b), a). */
static inline uint64_t test_mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0xD6E8FEB86659FD93u;
    return h ^ (h >> 32);
}

/* Computes for about n nanoseconds; differences in length are what makes schedules differ. */
static inline void test_spin(unsigned n)
{
    volatile unsigned i;
    for (i = 0; i < n; i++) continue;
}

#endif
