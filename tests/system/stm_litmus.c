/* stm_litmus.c - the litmus programs of the literature on transactional memory: `stm_litmus [ROUNDS [NAME]]`
 *
 * Each is a few threads that run a block or two again and again, and a condition that must hold in every block that
 * runs, also in one that will be rolled back. Privatisation and publication (Spear, Marathe, Dalessandro, Scott,
 * PODC 2007; Menon et al., SPAA 2008): plain accesses before and after the blocks that hand memory over;
 * ThreadSanitizer sees whether they are ordered, AddressSanitizer whether freed memory is read. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#define DF_IMPLEMENTATION
#include "df_stm.h"
#include "stm_test.h"
#include <sys/mman.h>

static uint64_t seed = 1;
static int rounds, stop; /* stop: for threads that run until the others are done */

/* Asked before each block of a thread that only looks: the others have the processors. */
static int stopped(void)
{
    sched_yield();
    return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}
static void stop_others(void) { __atomic_store_n(&stop, 1, __ATOMIC_RELAXED); }

/* In the middle of a block: now and then another thread runs. */
static void lull(void)
{
    static DFI_TLS unsigned n;
    if (++n % 64 == 0) sched_yield();
    else if (n % 4 == 0) test_spin(n % 256);
}

/* --- privatisation -------------------------------------------------------------------------------------
 * Thread 0 fills a node, publishes it, takes it out again, and uses and frees it without blocks. Two threads change it,
 * one only reads it, as long as they can reach it. */

struct pair { long a, b; char line[80]; long c; };
static struct pair *reachable;

/* Memory of its own now and then, so that a load after its end is noticed. With values others may load from memory that
 * was made private, until it is freed by df_tm_free, or after df_tm_quiesce. */
static struct pair *get_pair(int i)
{
    void *p = i % 16 ? malloc(sizeof(struct pair))
                     : mmap(NULL, sizeof(struct pair), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p && p != MAP_FAILED);
    return p;
}
static void free_pair(struct pair *p, int i)
{
    if (i % 16 == 0) {
        if (STM_VALUES) df_tm_quiesce();
        CHECK(!munmap(p, sizeof *p));
    } else if (STM_VALUES) df_tm_free(p);
    else free(p);
}

static void privatisation_(int self)
{
    for (int i = 0; self == 0 && i < rounds; i++) {
        struct pair *n = get_pair(i), *got = NULL;
        n->a = n->b = n->c = i;
        DF_ATOMIC df_tm_write(&reachable, n);
        lull();
        DF_ATOMIC {
            got = df_tm_read(&reachable);
            lull();
            df_tm_write(&reachable, NULL);
        }
        CHECK(got == n && n->a == n->b && n->a == n->c);
        n->a = -1, n->b = -2, n->c = -3;
        CHECK(n->a == -1 && n->b == -2 && n->c == -3);
        free_pair(n, i);
    }
    if (self == 0) stop_others();
    while (self && !stopped())
        DF_ATOMIC {
            struct pair *n = df_tm_read(&reachable);
            if (n) {
                long a = df_tm_read(&n->a), b = df_tm_read(&n->b), c;
                CHECK(a == b);
                lull();
                if (self != 1) {
                    df_tm_write(&n->a, a + 1);
                    df_tm_write(&n->b, b + 1);
                }
                c = df_tm_read(&n->c);
                CHECK(a == c);
                if (self != 1) df_tm_write(&n->c, c + 1);
            }
        }
}
static void privatisation(void) { stm_run(4, privatisation_); }

/* --- publication: a mailbox ------------------------------------------------------------------------------
 * Filled privately, published by a block, taken out by another thread, which uses and frees it privately. A third
 * one looks into it. */

static struct pair *mailbox;

static void publication_(int self)
{
    for (int i = 0; self < 2 && i < rounds; i++) {
        struct pair *n = self ? NULL : get_pair(i);
        if (self == 0) n->a = i, n->b = ~(long)i;
        DF_ATOMIC {
            struct pair *there = df_tm_read(&mailbox);
            if ((there != NULL) != self) df_retry();
            if (self) n = there;
            df_tm_write(&mailbox, self ? NULL : n);
        }
        if (self) {
            CHECK(n->a == i && n->b == ~(long)i);
            n->a = n->b = 0;
            free_pair(n, i);
        }
    }
    if (self == 1) stop_others();
    while (self == 2 && !stopped())
        DF_ATOMIC {
            struct pair *n = df_tm_read(&mailbox);
            if (n) {
                long a = df_tm_read(&n->a);
                lull();
                CHECK(df_tm_read(&n->b) == ~a);
            }
        }
}
static void publication(void) { stm_run(3, publication_); }

/* --- doomed: no block, whatever becomes of it, sees x != y ----------------------------------------------------
 * The one that would divides by zero, or leaves its array. */

static struct { long x; char line[120]; long y; char line2[40]; short z; } same;

static void doomed_(int self)
{
    volatile char one[1] = { 1 };
    for (int i = 0; self < 2 && i < rounds; i++) {
        DF_ATOMIC {
            long x = df_tm_read(&same.x);
            if (i % 1000 == 0) df_irrevocable();
            df_tm_write(&same.x, (x + 1) % 1000);
            lull();
            df_tm_write(&same.z, (short)((x + 1) % 1000));
            df_tm_write(&same.y, (x + 1) % 1000);
        }
    }
    if (self < 2) stop_others();
    while (self >= 2 && !stopped())
        DF_ATOMIC {
            long y = df_tm_read(&same.y), x;
            short z;
            if (self == 2) df_tm_write(&same.line[0], 1); /* one with a log of reads, one without */
            lull();
            x = df_tm_read(&same.x);
            CHECK(x == y && one[x - y] / (x == y) == 1);
            z = df_tm_read(&same.z);
            CHECK(x == z && one[x - z] / (x == z) == 1);
        }
}
static void doomed(void) { stm_run(4, doomed_); }

/* --- write skew: of two blocks that each read both and write one, one must see the other ---------------------- */

static struct { int x; char line[60]; int y; } skew;

static void write_skew_(int self)
{
    for (int i = 0; i < rounds; i++) {
        volatile int mine = 0; /* changed in the block, used after it */
        DF_ATOMIC {
            int sum = df_tm_read(&skew.x) + df_tm_read(&skew.y);
            lull();
            mine = sum == 0;
            CHECK(sum == 0 || sum == 1);
            if (sum == 0) df_tm_write(self % 2 ? &skew.x : &skew.y, 1);
        }
        if (mine)
            DF_ATOMIC {
                CHECK(df_tm_read(&skew.x) + df_tm_read(&skew.y) == 1);
                df_tm_write(self % 2 ? &skew.x : &skew.y, 0);
            }
    }
}
static void write_skew(void) { stm_run(4, write_skew_); }

/* --- dirty read: values that were rolled back, or overwritten in the same block, are never seen ------------------ */

static struct { long even; char line[60]; int copy; } dirty;

static void dirty_read_(int self)
{
    for (int i = 0; self < 2 && i < rounds; i++) {
        volatile int tries = 0;
        DF_ATOMIC {
            df_tm_write(&dirty.even, 2 * i + 1);
            df_tm_write(&dirty.copy, 1);
            lull();
            switch (i % 5) {
            case 0: df_abort(); break;
            case 1:
                if (tries++ < 2) df_restart();
                break;
            case 2:
                DF_ATOMIC_CLOSED {
                    df_tm_write(&dirty.even, 2 * i + 3);
                    df_abort();
                }
                CHECK(df_tm_read(&dirty.even) == 2 * i + 1);
                break;
            case 3:
                DF_ATOMIC {
                    df_tm_write(&dirty.copy, 7);
                    df_retry();
                }
                DF_OR_ELSE CHECK(df_tm_read(&dirty.copy) == 1);
                break;
            default: CHECK(df_tm_read(&dirty.even) == 2 * i + 1); break;
            }
            df_tm_write(&dirty.even, 2 * i);
            df_tm_write(&dirty.copy, 0);
        }
    }
    if (self < 2) stop_others();
    while (self >= 2 && !stopped())
        DF_ATOMIC {
            CHECK(df_tm_read(&dirty.even) % 2 == 0);
            lull();
            CHECK(df_tm_read(&dirty.copy) == 0);
        }
}
static void dirty_read(void) { stm_run(4, dirty_read_); }

/* --- lost update: counters of every width, next to each other ------------------------------------------------ */

static struct { unsigned char c; signed char s; unsigned short h; unsigned i; uint64_t q; double d; float f; void *p;
                } sum;

static void lost_update_(int self)
{
    for (int i = 0; i < rounds; i++)
        DF_ATOMIC {
            df_tm_write(&sum.c, (unsigned char)(df_tm_read(&sum.c) + 1));
            if (i % 2) df_tm_write(&sum.h, (unsigned short)(df_tm_read(&sum.h) + 3));
            if (i % 3) df_tm_write(&sum.i, df_tm_read(&sum.i) + 1);
            lull();
            df_tm_write(&sum.q, df_tm_read(&sum.q) + ((uint64_t)1 << 31));
            if (i % 4 == 0) df_tm_write(&sum.d, df_tm_read(&sum.d) + 1);
            if (i % 5 == 0) df_tm_write(&sum.p, (void *)((uintptr_t)df_tm_read(&sum.p) + 1));
            df_tm_write(&sum.s, (signed char)(df_tm_read(&sum.s) ^ (1 << self)));
            if (i % 1000 == 0) df_tm_write(&sum.f, df_tm_read(&sum.f) + 1);
        }
}
static void lost_update(void)
{
    int n[6] = { 0 };
    for (int i = 0; i < rounds; i++)
        n[1]++, n[2] += i % 2, n[3] += i % 3 != 0, n[4] += i % 4 == 0, n[5] += i % 5 == 0, n[0] += i % 1000 == 0;
    memset(&sum, 0, sizeof sum);
    stm_run(4, lost_update_);
    CHECK(sum.c == (unsigned char)(4 * (unsigned)n[1]) && sum.h == (unsigned short)(12 * (unsigned)n[2]));
    CHECK(sum.i == 4 * (unsigned)n[3] && sum.q == (uint64_t)n[1] << 33 && sum.d == 4.0 * n[4]);
    CHECK((uintptr_t)sum.p == 4 * (uintptr_t)n[5] && sum.s == (rounds % 2 ? 15 : 0) && sum.f == 4.0f * (float)n[0]);
}

/* --- ABA: nodes are freed and come back at the same address --------------------------------------------------
 * Two stacks; a node moves by being copied to a new one. Each value exists once at any time. */

struct node { struct node *next; long value, check; };
enum { VALUES = 16 };
static struct node *stack[2];

static void push(struct node **to, long value)
{
    struct node *n = df_tm_malloc(sizeof *n);
    CHECK(n);
    n->value = value, n->check = ~value; /* no other thread knows it: plain */
    n->next = df_tm_read(to);
    df_tm_write(to, n);
}
static long pop(struct node **from) /* -1: empty */
{
    struct node *n = df_tm_read(from);
    long value;
    if (!n) return -1;
    value = df_tm_read(&n->value);
    CHECK(df_tm_read(&n->check) == ~value && value >= 0 && value < VALUES);
    df_tm_write(from, df_tm_read(&n->next));
    df_tm_free(n);
    return value;
}
static void freed_(int self)
{
    uint64_t s = seed + (uint64_t)self;
    for (int i = 0; i < rounds; i++) {
        int from = test_below(&s, 2), twice = test_below(&s, 4) == 0, fails = test_below(&s, 8) == 0;
        DF_ATOMIC {
            long a = pop(&stack[from]), b = twice ? pop(&stack[from]) : -1;
            lull();
            if (a >= 0) push(&stack[!from], a);
            if (b >= 0) push(&stack[!from], b);
            if (fails) df_abort();
        }
        if (i % 16 == 0)
            DF_ATOMIC {
                unsigned seen = 0;
                for (int k = 0; k < 2; k++)
                    for (struct node *n = df_tm_read(&stack[k]); n; n = df_tm_read(&n->next)) {
                        unsigned bit = 1u << df_tm_read(&n->value);
                        CHECK(!(seen & bit) && df_tm_read(&n->check) == ~df_tm_read(&n->value));
                        seen |= bit;
                    }
                CHECK(seen == (1u << VALUES) - 1);
            }
    }
}
static void freed(void)
{
    for (long i = 0; i < VALUES; i++) push(&stack[i % 2], i);
    stm_run(4, freed_);
    for (int k = 0; k < 2; k++)
        while (pop(&stack[k]) >= 0) continue;
}

/* --- neighbours: of the bytes of one word, some are written in blocks, some by plain accesses of another thread --- */

static union {
    struct { unsigned char tm, plain, tm2, plain2, tm3[2], plain3[2]; } c;
    struct { uint16_t plain, tm, plain2, tm2; } h;
    struct { uint32_t tm, plain; } i;
    struct { float plain, tm; } f;
    struct { uint64_t tm, plain; } q;
    struct { double tm, plain; } d;
    struct { void *plain, *tm; } p;
} word[7];

static void neighbours_(int self)
{
    for (int i = 0; i < rounds; i++) {
        unsigned u = (unsigned)i;
        if (self == 0) {
#define PLAIN(x, T)                                \
    do {                                           \
        T was = (T)(u - 1), now = (T)u;            \
        if (i) CHECK(memcmp(&(x), &was, sizeof was) == 0); \
        (x) = now;                                 \
    } while (0)
            PLAIN(word[0].c.plain, unsigned char);
            PLAIN(word[0].c.plain2, unsigned char);
            PLAIN(word[0].c.plain3[1], unsigned char);
            PLAIN(word[1].h.plain, uint16_t);
            PLAIN(word[1].h.plain2, uint16_t);
            PLAIN(word[2].i.plain, uint32_t);
            PLAIN(word[3].f.plain, float);
            PLAIN(word[4].q.plain, uint64_t);
            PLAIN(word[5].d.plain, double);
            if (i) CHECK(word[6].p.plain == (void *)(uintptr_t)(u - 1));
            word[6].p.plain = (void *)(uintptr_t)u;
        } else {
            DF_ATOMIC { /* all of them are equal */
                unsigned char x = df_tm_read(&word[0].c.tm);
                CHECK(df_tm_read(&word[0].c.tm2) == x && df_tm_read(&word[0].c.tm3[1]) == x);
                CHECK(df_tm_read(&word[1].h.tm) == x && df_tm_read(&word[1].h.tm2) == x &&
                      df_tm_read(&word[2].i.tm) == x);
                CHECK(df_tm_read(&word[3].f.tm) == x && df_tm_read(&word[4].q.tm) == x &&
                      df_tm_read(&word[5].d.tm) == x);
                CHECK((uintptr_t)df_tm_read(&word[6].p.tm) == x);
                lull();
                x++;
                df_tm_write(&word[0].c.tm, x), df_tm_write(&word[0].c.tm2, x), df_tm_write(&word[0].c.tm3[1], x);
                df_tm_write(&word[1].h.tm, x), df_tm_write(&word[1].h.tm2, x), df_tm_write(&word[2].i.tm, x);
                df_tm_write(&word[3].f.tm, x), df_tm_write(&word[4].q.tm, x), df_tm_write(&word[5].d.tm, x);
                df_tm_write(&word[6].p.tm, (void *)(uintptr_t)x);
                CHECK(df_tm_read(&word[0].c.tm2) == x && df_tm_read(&word[3].f.tm) == x);
            }
        }
    }
}
static void neighbours(void) { stm_run(3, neighbours_); }

/* --- bits: a block preserves every bit of the values that it copies, and none is torn --------------------------- */

static uint64_t random_bits(uint64_t *s)
{
    static const uint64_t special[] = {
        0, 0x8000000000000000u, 1, 0x7ff0000000000000u, 0xfff0000000000000u, 0x7ff8000000000001u, 0xfff8dead0000beefu,
        0x7fffffffffffffffu, 0x000fffffffffffffu, 0x3ff0000000000000u, UINT64_MAX
    };
    int k = test_below(s, 22);
    return k < 11 ? special[k] : test_random(s) & ~((uint64_t)1 << 62); /* no signalling NaN: registers may change it */
}
static struct { double d; uint64_t d_bits; float f; uint32_t f_bits; char at; char odd[8]; uint64_t odd_bits; } bits;

static void bits_(int self)
{
    /* not in the loops: gcc 12 believes that setjmp reads them after their scope */
    uint64_t s = seed + 10 * (uint64_t)self, x, odd;
    uint32_t y;
    double d;
    float f;
    for (int i = 0; self && i < rounds; i++) {
        x = random_bits(&s);
        y = (uint32_t)(random_bits(&s) >> 32) & ~(UINT32_C(1) << 30);
        memcpy(&d, &x, sizeof d);
        memcpy(&f, &y, sizeof f);
        DF_ATOMIC {
            df_tm_write(&bits.d, d);
            lull();
            df_tm_write(&bits.d_bits, x);
            df_tm_write(&bits.f, f);
            df_tm_write(&bits.f_bits, y);
            df_tm_write_bytes(bits.odd, &x, 8); /* across two words */
            df_tm_write(&bits.odd_bits, x);
        }
    }
    if (self) stop_others();
    while (!self && !stopped()) {
        DF_ATOMIC {
            d = df_tm_read(&bits.d);
            lull();
            x = df_tm_read(&bits.d_bits);
            f = df_tm_read(&bits.f);
            y = df_tm_read(&bits.f_bits);
            df_tm_read_bytes(&odd, bits.odd, 8);
            CHECK(memcmp(&d, &x, sizeof d) == 0 && memcmp(&f, &y, sizeof f) == 0);
            CHECK(df_tm_read(&bits.odd_bits) == odd && odd == x);
        }
    }
}
static void bit_patterns(void) { stm_run(3, bits_); }

/* --- several words at once: all of the same moment, with the block's own writes ------------------------------------- */

enum { WORDS = 40 };
static long words[WORDS];
static void many_words_(int self)
{
    uint64_t s = seed + (uint64_t)self;
    long all[WORDS], x;
    int from, n, k;
    for (int i = 0; self && i < rounds; i++) {
        DF_ATOMIC {
            x = df_tm_read(&words[3]) + 1;
            for (k = 0; k < WORDS; k++) {
                df_tm_write(&words[k], x);
                if (k == 20) lull();
            }
        }
    }
    if (self) stop_others();
    while (!self && !stopped()) {
        from = test_below(&s, WORDS - 1), n = 1 + test_below(&s, WORDS - from);
        DF_ATOMIC {
            df_tm_read_bytes(all, &words[from], (size_t)n * sizeof *all);
            x = all[0];
            for (k = 1; k < n; k++) CHECK(all[k] == x);
            lull();
            df_tm_write(&words[from + n / 2], -1L);
            df_tm_read_bytes(all, &words[from], (size_t)n * sizeof *all);
            for (k = 0; k < n; k++) CHECK(all[k] == (k == n / 2 ? -1 : x));
            df_abort();
        }
    }
}
static void many_words(void)
{
    stm_run(3, many_words_);
    CHECK(words[0] == 2 * rounds);
}

/* --- retry: no wake-up is lost (the alarm) ------------------------------------------------------------------------ */

static int turn, turns_of;
static void ping_pong_(int self)
{
    for (int i = 0; i < rounds; i++)
        DF_ATOMIC {
            if (df_tm_read(&turn) != self) df_retry();
            df_tm_write(&turn, (self + 1) % turns_of);
        }
}
static void ping_pong(void)
{
    turns_of = 2;
    stm_run(2, ping_pong_);
    CHECK(turn == 0);
    rounds = rounds / 8 + 1, turns_of = 5; /* each wakes the four others: one of them continues */
    stm_run(5, ping_pong_);
    CHECK(turn == 0);
}

/* Each thread waits for its own word; one hands out work by blocks that write several of them, or irrevocably. */
enum { WAITERS = 4 };
static struct { long work; char line[60]; } desk[WAITERS];
static void waiters_(int self)
{
    for (int i = 0; i < rounds; i++) {
        if (self < WAITERS) {
            DF_ATOMIC {
                long w = df_tm_read(&desk[self].work);
                if (w == 0) df_retry();
                df_tm_write(&desk[self].work, w - 1);
            }
        } else {
            DF_ATOMIC {
                if (i % 50 == 49) df_irrevocable();
                for (int k = 0; k < WAITERS; k++) df_tm_write(&desk[k].work, df_tm_read(&desk[k].work) + 1);
            }
        }
    }
}
static void waiters(void)
{
    stm_run(WAITERS + 1, waiters_);
    for (int k = 0; k < WAITERS; k++) CHECK(desk[k].work == 0);
}

/* Either of two queues: an alternative waits for all that was read. */
static int left[2], taken[2];
static void either_(int self)
{
    for (int i = 0; i < rounds; i++) {
        int first = i % 2, second = 1 - first;
        if (self < 2) {
            DF_ATOMIC df_tm_write(&left[self], df_tm_read(&left[self]) + 1);
        } else {
            DF_ATOMIC {
                if (!df_tm_read(&left[first])) df_retry();
                lull();
                df_tm_write(&left[first], df_tm_read(&left[first]) - 1);
                df_tm_write(&taken[first], df_tm_read(&taken[first]) + 1);
            } DF_OR_ELSE {
                if (!df_tm_read(&left[second])) df_retry();
                df_tm_write(&left[second], df_tm_read(&left[second]) - 1);
                df_tm_write(&taken[second], df_tm_read(&taken[second]) + 1);
            }
        }
    }
}
static void either(void)
{
    stm_run(4, either_);
    CHECK(left[0] == 0 && left[1] == 0 && taken[0] == rounds && taken[1] == rounds);
}

/* --- handlers: order, number, and blocks of their own ----------------------------------------------------------- */

static int heard[64], n_heard;
static long by_handler, by_block;
static void hear(void *p) { heard[n_heard++ % 64] = (int)(uintptr_t)p; }
static void hear_in_block(void *p)
{
    DF_ATOMIC df_tm_write(&by_handler, df_tm_read(&by_handler) + 1);
    hear(p);
}
static void expect(const int *what, int n)
{
    CHECK(n_heard == n);
    for (int i = 0; i < n; i++) CHECK(heard[i] == what[i]);
    n_heard = 0;
}
#define EXPECT(...) expect((const int[]){ __VA_ARGS__ }, (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)))
#define SAY(n) ((void *)(uintptr_t)(n))

static void handlers(void)
{
    volatile int tries = 0;
    n_heard = 0;
    DF_ATOMIC { /* those of the commit in order, those of the abort not at all */
        for (int i = 1; i < 40; i++) {
            CHECK(df_tm_on_commit(hear, SAY(i)) == DF_OK);
            CHECK(df_tm_on_abort(hear, SAY(100 + i)) == DF_OK);
        }
        CHECK(n_heard == 0);
    }
    CHECK(n_heard == 39);
    for (int i = 0; i < 39; i++) CHECK(heard[i] == i + 1);
    n_heard = 0;
    DF_ATOMIC { /* the last one first; each time */
        df_tm_on_abort(hear, SAY(1));
        df_tm_on_commit(hear, SAY(2));
        df_tm_on_abort(hear, SAY(3));
        if (tries++ < 2) df_restart();
        df_tm_on_abort(hear, SAY(4));
    }
    EXPECT(3, 1, 3, 1, 2);
    DF_ATOMIC {
        df_tm_on_abort(hear, SAY(1));
        df_tm_on_abort(hear, SAY(2));
        df_abort();
    }
    EXPECT(2, 1);
    DF_ATOMIC { /* a nested one: only its own */
        n_heard = 0; /* the block may run again, for reasons of its own */
        df_tm_on_abort(hear, SAY(1));
        df_tm_on_commit(hear, SAY(2));
        DF_ATOMIC_CLOSED {
            df_tm_on_abort(hear, SAY(3));
            df_tm_on_commit(hear, SAY(4));
            df_abort();
        }
        DF_ATOMIC_CLOSED {
            df_tm_on_abort(hear, SAY(5));
            df_tm_on_commit(hear, SAY(6));
        }
        DF_ATOMIC {
            df_tm_on_abort(hear, SAY(7));
            df_retry();
        } DF_OR_ELSE df_tm_on_commit(hear, SAY(8));
    }
    EXPECT(3, 7, 2, 6, 8);
    tries = 0;
    /* with a block of its own: of a nested block, part of the one around it; of the outermost, on its own */
    DF_ATOMIC {
        df_tm_write(&by_block, 1);
        df_tm_on_commit(hear, SAY(1));
        df_tm_on_abort(hear_in_block, SAY(2));
        df_tm_free(df_tm_malloc(10));
        DF_ATOMIC_CLOSED {
            df_tm_on_abort(hear_in_block, SAY(3));
            df_tm_write(&by_block, 2);
            df_abort();
        }
        if (tries++ == 0) df_restart();
        df_tm_on_commit(hear_in_block, SAY(4));
        if (tries == 2) df_abort();
    }
    CHECK(n_heard >= 4 && n_heard % 2 == 0); /* an attempt more is no mistake */
    for (int i = 0; i < n_heard; i++) CHECK(heard[i] == (i % 2 ? 2 : 3));
    CHECK(by_block == 0 && by_handler == n_heard / 2);
    n_heard = 0;
    DF_ATOMIC {
        df_tm_on_commit(hear_in_block, SAY(1));
        df_tm_on_commit(hear_in_block, SAY(2));
    }
    EXPECT(1, 2);
    DF_ATOMIC {
        df_tm_on_commit(hear, SAY(1));
        df_irrevocable();
        df_tm_on_commit(hear, SAY(2));
    }
    EXPECT(1, 2);
}

/* --- irrevocable: plain accesses of a block that runs alone; the block before runs at most twice ------------------ */

static long outside, inside;
static void irrevocable_(int self)
{
    for (int i = 0; i < rounds; i++) {
        if ((i + self) % 8) {
            DF_ATOMIC df_tm_write(&inside, df_tm_read(&inside) + 1);
        } else {
            volatile int ran = 0;
            DF_ATOMIC {
                long x = df_tm_read(&inside);
                lull();
                df_tm_write(&inside, x + 1);
                ran++;
                df_irrevocable();
                CHECK(ran <= 2 && df_tm_read(&inside) == x + 1);
                outside++; /* no other one runs */
                if (i % 3 == 0) df_tm_write(&inside, x + 2), df_tm_write(&inside, x + 1);
                df_irrevocable();
            }
        }
    }
}
static void irrevocable(void)
{
    long n = 0;
    stm_run(4, irrevocable_);
    for (int self = 0; self < 4; self++)
        for (int i = 0; i < rounds; i++) n += (i + self) % 8 == 0;
    CHECK(outside == n && inside == 4L * rounds);
}

/* --- progress: all threads write one word, slowly; a thread that polls with df_restart does not block others ------ */

static long hot;
static void progress_(int self)
{
    for (int i = 0; i < rounds; i++)
        DF_ATOMIC {
            long x = df_tm_read(&hot);
            test_spin(20000 + 1000 * (unsigned)self);
            df_tm_write(&hot, x + 1);
        }
}
static int polled;
static void polls_(int self)
{
    if (self) {
        usleep(20000);
        DF_ATOMIC df_tm_write(&polled, 1);
    } else {
        DF_ATOMIC {
            if (!df_tm_read(&polled)) df_restart();
        }
    }
}
static void progress(void)
{
    stm_run(8, progress_);
    CHECK(hot == 8L * rounds);
    stm_run(2, polls_);
}

/* --- a block that only frees does not wait for an older one; the memory is there until that one has ended. With values
 * only if it was unlinked by a write ---- */

static long *lent;
static int reads, returned;
static void lends_(int self)
{
    if (self == 0) {
        while (!__atomic_load_n(&reads, __ATOMIC_ACQUIRE)) sched_yield();
        DF_ATOMIC df_tm_free(lent);
        __atomic_store_n(&returned, 1, __ATOMIC_RELEASE);
    } else DF_ATOMIC {
        CHECK(df_tm_read(lent) == 7);
        __atomic_store_n(&reads, 1, __ATOMIC_RELEASE);
        for (int ms = 0; !__atomic_load_n(&returned, __ATOMIC_ACQUIRE); ms++) {
            CHECK(ms < 20000);
            usleep(1000);
        }
        CHECK(df_tm_read(lent) == 7);
    }
}
static void lends(void)
{
    for (int i = 0; i < rounds; i++) {
        lent = malloc(sizeof *lent);
        CHECK(lent);
        *lent = 7, reads = returned = 0;
        stm_run(2, lends_);
    }
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*fn)(void); int rounds; } part[] = {
        { "privatisation", privatisation, 80000 }, { "publication", publication, 10000 }, { "doomed", doomed, 80000 },
        { "write_skew", write_skew, 100000 },       { "dirty_read", dirty_read, 40000 },
        { "lost_update", lost_update, 80000 },
        { "freed", freed, 40000 },                 { "neighbours", neighbours, 80000 },
        { "bits", bit_patterns, 80000 },           { "many_words", many_words, 20000 },
        { "ping_pong", ping_pong, 10000 },         { "waiters", waiters, 80000 },         { "either", either, 80000 },
        { "handlers", handlers, 1 },               { "irrevocable", irrevocable, 80000 }, { "progress", progress, 300 },
        { "lends", lends, STM_VALUES ? 0 : 10 },
    };
    df_stm_counters c;
    stm_given = argc > 1 ? atoi(argv[1]) : 0;
    if (argc <= 1) stm_watch(100);
    printf("seed %llu\n", (unsigned long long)seed);
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++) {
        if (!part[i].rounds || (argc > 2 && strcmp(argv[2], part[i].name))) continue;
        stop = 0, rounds = stm_rounds(part[i].rounds);
        part[i].fn();
        CHECK(df_stm_stats(&c) == DF_OK);
        printf("%-14s %9d rounds, so far %10llu commits, %llu too new, %llu changed, %llu locked, %llu retries, %llu alone\n",
               part[i].name, rounds, (unsigned long long)c.commits, (unsigned long long)c.too_new,
               (unsigned long long)c.changed, (unsigned long long)c.locked, (unsigned long long)c.retries,
               (unsigned long long)c.alone);
        fflush(stdout);
    }
}
