/* owm.c - random programs that keep the rules of owner-writable memory: DF_CHECK is silent, and each reader finds what
 * was written
 *
 * A program has rounds. In each the arrays are divided at random places into parts, and each part is written, updated
 * or read by tasks of any process, in all the ways in which a task can acquire something, or frozen. Between the rounds
 * the processes wait for each other. Each process knows by a model of its own what it must read. Prints a hash for each
 * seed. One process here; several in owm_copies.c. */
#define _DEFAULT_SOURCE
#ifndef DF_CHECK
#define DF_CHECK 1
#endif
#include <string.h>
#define DF_IMPLEMENTATION
#include "df_owm.h"
#include "../test.h"

#ifndef PROCESSES
#define PROCESSES 1
#endif
enum { ARRAYS = 3, MOST = 6000, ROUNDS = 5, PARTS = 12 };
static int me, processes, barriers;
static uint32_t *array[ARRAYS], model[ARRAYS][MOST];
static int length[ARRAYS], frozen[ARRAYS][MOST];

static void message(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    fprintf(stderr, "%s\n", text);
    CHECK(!"no message");
}

static uint32_t value(uint32_t key, int i) { return (uint32_t)test_mix(key, (uint64_t)i); }

static void write_all(uint32_t *p, int n, int from, uint32_t key)
{
    for (int i = 0; i < n; i++) p[i] = value(key, from + i);
}
static void update_all(uint32_t *p, int n, int from, uint32_t key)
{
    for (int i = 0; i < n; i += 1 + (int)(key & 3)) p[i] += value(key, from + i);
}
static void read_all(const uint32_t *p, int n, const uint32_t *expected)
{
    for (int i = 0; i < n; i++) CHECK(p[i] == expected[i]);
}

DF_TASK(void, writer, df_owm_out(uint32_t, p, n), (int, n), (int, from), (uint32_t, key));
void writer(uint32_t *p, int n, int from, uint32_t key) { write_all(p, n, from, key); }
DF_TASK(int, updater, df_owm_inout(uint32_t, p, n), (int, n), (int, from), (uint32_t, key));
int updater(uint32_t *p, int n, int from, uint32_t key)
{
    update_all(p, n, from, key);
    if (key & 4) CHECK(df_owm_release(p, (size_t)(n / 2) * sizeof *p) == DF_OK); /* early */
    return n;
}
DF_TASK(void, reader, df_owm_in(uint32_t, p, n), (int, n), (const uint32_t *, expected));
void reader(const uint32_t *p, int n, const uint32_t *expected) { read_all(p, n, expected); }

/* kind: how the body acquires, explicitly, in pieces that it releases in another order */
DF_TASK(void, by_hand, (uint32_t *, p), (int, n), (int, mode), (int, from), (uint32_t, key),
        (const uint32_t *, expected));
void by_hand(uint32_t *p, int n, int mode, int from, uint32_t key, const uint32_t *expected)
{
    size_t third = (size_t)(n / 3) * sizeof *p, rest = (size_t)n * sizeof *p - third;
    df_owm_mode m = mode == 0 ? DF_OWM_W : mode == 1 ? DF_OWM_RW : DF_OWM_R;
    CHECK(df_owm_acquire(p, third, m) == DF_OK);
    CHECK(df_owm_acquire(p + n / 3, rest, m) == DF_OK);
    if (mode == 0) write_all(p, n, from, key);
    else if (mode == 1) update_all(p, n, from, key);
    else read_all(p, n, expected);
    if (key & 8) CHECK(df_owm_release(p, third + rest) == DF_OK);
    else CHECK(df_owm_release(p + n / 3, rest) == DF_OK && df_owm_release(p, third) == DF_OK);
}
DF_LOOP(in_parts, (uint32_t *, p), (int, from), (uint32_t, key));
void in_parts(long lo, long hi, uint32_t *p, int from, uint32_t key)
{
    CHECK(df_owm_acquire(p + lo, (size_t)(hi - lo) * sizeof *p, DF_OWM_W) == DF_OK);
    write_all(p + lo, (int)(hi - lo), from + (int)lo, key);
    CHECK(df_owm_release(p + lo, (size_t)(hi - lo) * sizeof *p) == DF_OK);
}

static void all_wait(void)
{
    df_owm_advance(0);
    CHECK(df_owm_await(0, (long)++barriers * processes) == DF_OK);
}

/* What happens to elements [from, from + n) of array a in this round; the same choices in every process. */
static void part(uint64_t *s, int a, int from, int n, int round)
{
    uint32_t *p = array[a] + from, *m = model[a] + from, key = (uint32_t)test_random(s);
    int who = test_below(s, processes), what = test_below(s, 8), how = test_below(s, 4), still = 0;
    for (int i = 0; i < n; i++) still |= frozen[a][from + i];
    if (still || what < 2) { /* several readers */
        for (int k = 0; k < 3; k++, how = (how + 1) % 3) {
            if (test_below(s, processes) != me) continue;
            if (how == 0) df_submit(reader, p, n, m);
            else df_submit(by_hand, p, n, 2, from, key, m);
        }
        return;
    }
    if (what < 5) {
        write_all(m, n, from, key);
        if (who != me) return;
        if (how == 0) df_submit(writer, p, n, from, key);
        else if (how == 1) df_submit(by_hand, p, n, 0, from, key, m);
        else if (how == 2) df_for(in_parts, 0, n, p, from, key);
        else {
            df_future(writer) f;
            df_spawn(writer, &f, p, n, from, key);
            df_sync(writer, &f);
        }
    } else if (what < 7) {
        update_all(m, n, from, key);
        if (who != me) return;
        if (how == 0) {
            df_future(updater) f;
            df_spawn(updater, &f, p, n, from, key);
            CHECK(df_sync(updater, &f) == n);
        } else if (how == 1) df_submit(by_hand, p, n, 1, from, key, m);
        else df_submit(updater, p, n, from, key);
    } else if (round > 1 && n < 200) {
        for (int i = 0; i < n; i++) frozen[a][from + i] = 1;
        if (who == me) CHECK(df_owm_freeze(p, (size_t)n * sizeof *p) == DF_OK);
    }
}

static uint64_t program(uint64_t seed)
{
    uint64_t s = seed * 77, hash = seed;
    int arrays = 1 + test_below(&s, ARRAYS);
    for (int a = 0; a < arrays; a++) {
        length[a] = 1 + test_below(&s, MOST);
        CHECK((array[a] = (uint32_t *)df_owm_alloc((size_t)length[a] * sizeof(uint32_t))) != NULL);
        memset(model[a], 0, sizeof model[a]);
        memset(frozen[a], 0, sizeof frozen[a]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int a = 0; a < arrays; a++)
            for (int from = 0, n; from < length[a]; from += n) {
                n = 1 + test_below(&s, test_below(&s, 2) ? 60 : MOST / PARTS * 4);
                if (n > length[a] - from) n = length[a] - from;
                part(&s, a, from, n, round);
            }
        df_wait();
        all_wait();
    }
    for (int a = 0; a < arrays; a++) {
        size_t bytes = (size_t)length[a] * sizeof(uint32_t);
        CHECK(df_owm_acquire(array[a], bytes, DF_OWM_R) == DF_OK);
        for (int i = 0; i < length[a]; i++) hash = test_mix(hash, array[a][i]);
        read_all(array[a], length[a], model[a]);
        CHECK(df_owm_release(array[a], bytes) == DF_OK);
    }
    all_wait();
    for (int a = arrays; a--;) df_owm_free(array[a]);
    return hash;
}

int main(int argc, char **argv)
{
    df_config c = { .log = message };
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;
    me = df_owm_join(NULL, PROCESSES);
    processes = df_owm_processes();
    CHECK(df_start(&c) == DF_OK);
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        uint64_t hash = program(seed);
        if (!me) printf("%llu %016llx\n", (unsigned long long)seed, (unsigned long long)hash);
    }
    df_stop();
    return 0;
}
