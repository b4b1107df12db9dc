/* stm_limits.c - deep nests, millions of words, every alignment, plain accesses outside, hundreds of threads, fork, and
 * the end of the clock: nothing breaks there
 *
 * The clock of transactions begins shortly before its end, and a thread pushes it there again and again while blocks
 * run and threads sleep in df_retry. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#define DF_STM_CLOCK (DFI_TM_CLOCK_END - 4000)
#define DF_IMPLEMENTATION
#include "df_stm.h"
#include <sys/wait.h>
#include "stm_test.h"

#ifndef STM_ONLY
#define STM_ONLY NULL
#endif

static int rounds;

/* --- depth: a block in each call of a recursive function --------------------------------------------------- */

static long deepest, sum, back;
static void flat(int n)
{
    DF_ATOMIC {
        df_tm_write(&sum, df_tm_read(&sum) + 1);
        if (n) flat(n - 1);
        else df_tm_write(&deepest, df_tm_read(&deepest) + 1);
    }
}
static void closed(int n, int leave, volatile int *again)
{
    DF_ATOMIC_CLOSED {
        df_tm_write(&sum, df_tm_read(&sum) + 1);
        if (n) closed(n - 1, leave, again);
        else if (leave == 1) df_abort();     /* the innermost one has no effect */
        else if (leave == 2) df_retry();     /* all of them: to the alternative of the first */
        else if (leave == 3 && (*again)++ == 0) df_restart();
    }
}
static int depth;
static void *deep(void *unused)
{
    volatile int again = 0;
    flat(depth);
    CHECK(sum == depth + 1 && deepest == 1);
    sum = 0;
    closed(depth, 0, &again);
    CHECK(sum == depth + 1);
    sum = 0;
    closed(depth, 1, &again);
    CHECK(sum == depth);
    sum = 0;
    DF_ATOMIC {
        df_tm_write(&sum, 7L);
        closed(depth, 2, &again);
    }
    DF_OR_ELSE df_tm_write(&back, df_tm_read(&sum) + 1);
    CHECK(sum == 0 && back == 1);
    closed(depth, 3, &again);
    CHECK(sum == depth + 1 && again == 2);
    return unused;
}
static void nesting(void)
{
    pthread_attr_t a;
    pthread_t t;
    /* 100 to 500 bytes of stack each, ten times that with a sanitizer */
    depth = TEST_ASAN || TEST_TSAN ? 10000 : 100000;
    CHECK(!pthread_attr_init(&a) && !pthread_attr_setstacksize(&a, (size_t)200 << 20));
    CHECK(!pthread_create(&t, &a, deep, NULL) && !pthread_join(t, NULL));
    pthread_attr_destroy(&a);
}

/* --- size: more words than the table of versions has entries ------------------------------------------------- */

enum { WORDS = 1200000 / STM_SLOWER };
static long word[WORDS];
static void many_words(void)
{
    volatile int tries = 0;
    df_stm_counters c;
    for (int round = 0; round < 2; round++)
        DF_ATOMIC {
            for (int i = 0; i < WORDS; i++) df_tm_write(&word[i], df_tm_read(&word[i]) + i);
            if (round && tries++ == 0) df_restart();
            for (int i = 0; i < WORDS; i += 3) CHECK(df_tm_read(&word[i]) == (long)(round + 1) * i);
        }
    for (int i = 0; i < WORDS; i++) CHECK(word[i] == 2L * i);
    DF_ATOMIC {
        static const char zeros[4096];
        for (size_t at = 0; at < sizeof word; at += sizeof zeros)
            df_tm_write_bytes((char *)word + at, zeros,
                              sizeof word - at < sizeof zeros ? sizeof word - at : sizeof zeros);
        if (df_tm_read(&word[WORDS - 1])) df_abort();
        df_abort();
    }
    for (int i = 0; i < WORDS; i++) CHECK(word[i] == 2L * i);
    CHECK(df_stm_stats(&c) == DF_OK && c.most_writes >= WORDS && c.most_reads >= WORDS / (32 / sizeof(long)) - 1);
    DF_ATOMIC { /* a small block after it */
        df_tm_write(&word[0], 5L);
        CHECK(df_tm_read(&word[0]) == 5);
    }
    CHECK(word[0] == 5);
}

/* --- alignment: every type at every offset, over the edges of words and stripes ----------------------------------- */

static union { unsigned char c[128]; uint64_t aligned; } area;

/* A function for each: gcc 12 believes that setjmp in a loop reads variables of the loop's body after their scope. */
#define TYPES(X)                                                                                               \
    X(bool, _Bool, 0, 1) X(char, char, 'a', 'b') X(schar, signed char, -3, 100) X(uchar, unsigned char, 200, 3) \
    X(short, short, -300, 12345) X(ushort, unsigned short, 60000, 258) X(int, int, -70000, 123456789)          \
    X(uint, unsigned, 4000000000u, 16909060) X(long, long, -70000, 123456789)                                  \
    X(ulong, unsigned long, 4000000000u, 16909060) X(llong, long long, -5000000000, 1234567890123456789)       \
    X(ullong, unsigned long long, 12345678901234567890u, 72623859790382856) X(float, float, 1.5f, -2.25e30f)   \
    X(double, double, 1.5, -2.25e300) X(pointer, char *, &area.c[3], &area.c[77]) X(null, void *, &area, NULL)  \
    X(to_const, const int *, NULL, &rounds)
#define CHECK_TYPE(name, T, v1, v2)                                                                            \
    static void unaligned_##name(size_t at)                                                                    \
    {                                                                                                          \
        typedef T type;                                                                                        \
        type *p = (type *)(void *)&area.c[at], x = (type)(v1), y = (type)(v2), z;                              \
        memset(&area, 0x5a, sizeof area);                                                                      \
        memcpy(&area.c[at], &x, sizeof x);                                                                     \
        DF_ATOMIC {                                                                                            \
            CHECK(df_tm_read(p) == x);                                                                         \
            df_tm_write(p, y);                                                                                 \
            CHECK(df_tm_read(p) == y);                                                                         \
            df_tm_read_bytes(&z, &area.c[at], sizeof z);                                                       \
            CHECK(z == y);                                                                                     \
            CHECK(df_tm_read(&area.c[at - 1]) == 0x5a && df_tm_read(&area.c[at + sizeof y]) == 0x5a);          \
            CHECK(memcmp(&area.c[at], &x, sizeof x) == 0); /* nothing is there before the end */               \
        }                                                                                                      \
        CHECK(memcmp(&area.c[at], &y, sizeof y) == 0);                                                         \
        for (size_t i = 0; i < sizeof area; i++) CHECK((i >= at && i < at + sizeof y) || area.c[i] == 0x5a);   \
        df_tm_write(p, x); /* outside */                                                                       \
        CHECK(df_tm_read(p) == x);                                                                             \
    }
TYPES(CHECK_TYPE)

static void unaligned(void)
{
#define CHECK_ALL(name, T, v1, v2) \
    for (size_t at = 16; at < 80; at++) unaligned_##name(at);
    TYPES(CHECK_ALL)
}

/* Ranges of every length, and copies that overlap, against memmove. */
static void ranges(void)
{
    static unsigned char a[2000], b[2000], part[2000];
    uint64_t s = 1;
    for (int i = 0; i < 2000; i++) a[i] = b[i] = (unsigned char)test_random(&s);
    for (int i = 0; i < 2000 / STM_SLOWER; i++) {
        int n = test_below(&s, i % 10 ? 40 : 1000), to = test_below(&s, 1000),
            from = i % 3 ? test_below(&s, 1000) : to + test_below(&s, 9) - 4;
        if (from < 0) from = 0;
        if (i % 7 == 0) { /* outside */
            df_tm_copy(a + to, a + from, (size_t)n);
            memmove(b + to, b + from, (size_t)n);
        } else {
            DF_ATOMIC {
                df_tm_copy(a + to, a + from, (size_t)n);
                df_tm_read_bytes(part, a + to, (size_t)n);
                df_tm_write_bytes(a + from, part, (size_t)(n / 2));
            }
            memmove(b + to, b + from, (size_t)n);
            CHECK(memcmp(part, b + to, (size_t)n) == 0);
            memmove(b + from, part, (size_t)(n / 2));
        }
        CHECK(memcmp(a, b, sizeof a) == 0);
    }
}

/* --- outside of blocks: plain, whatever the thread did before ----------------------------------------------------- */

static void *outside_(void *unused)
{
    static long plain[100000];
    df_stm_counters c, d;
    CHECK(df_stm_stats(&c) == DF_OK);
    for (int i = 0; i < 100000; i++) {
        df_tm_write(&plain[i], (long)i);
        CHECK(plain[i] == i && df_tm_read(&plain[i]) == i);
    }
    free(df_tm_malloc(100));
    df_tm_free(calloc(1, 1));
    df_tm_free(NULL);
    df_tm_quiesce();
    memset(plain, 0, sizeof plain);
    CHECK(df_stm_stats(&d) == DF_OK && d.commits == c.commits && d.most_reads == c.most_reads);
    return unused;
}
static void outside(void)
{
    pthread_t t;
    outside_(NULL); /* this thread has run blocks, the other one has not */
    CHECK(!pthread_create(&t, NULL, outside_, NULL) && !pthread_join(t, NULL));
    DF_ATOMIC df_tm_write(&word[0], df_tm_read(&word[0]) + 1);
    outside_(NULL);
}

/* --- threads: one after another, and at once ---------------------------------------------------------------------- */

static long counted;
static int counts;
static void count(int self)
{
    for (int i = 0; i < counts; i++)
        DF_ATOMIC {
            long x = df_tm_read(&counted);
            if ((self + i) % 8 == 0) sched_yield();
            df_tm_write(&counted, x + 1);
        }
}
static void threads(void)
{
    enum { AT_ONCE = 200 };
    int n = 400 / STM_SLOWER;
    counts = 20;
    for (int i = 0; i < n; i++) stm_run(1, count);
    CHECK(counted == 20L * n);
    counted = 0, counts = 5;
    stm_run(AT_ONCE, count);
    stm_run(AT_ONCE, count);
    CHECK(counted == 10L * AT_ONCE);
}

/* --- the end of the clock ----------------------------------------------------------------------------------------- */

static long account[8], turn;
static int finished;
static unsigned wraps;
static void push_clock(void)
{
    uintptr_t near = DFI_TM_CLOCK_END - 40, now = dfi_load_seq_cst(&dfi_stm.clock);
    if (now >= near) return;
    dfi_fetch_add_seq_cst(&dfi_stm.clock, (near - now) & ~(uintptr_t)3);
    wraps++;
}
static void clock_(int self)
{
    if (self == 0) {
        do { /* at least once, also if the others are done before this thread begins */
            push_clock();
            usleep(50);
        } while (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) < 4);
        return;
    }
    for (int i = 0; i < rounds; i++) {
        int a = (i + self) % 8, b = (i * 3 + 1) % 8;
        if (self <= 2) {
            DF_ATOMIC { /* two that take turns */
                if (df_tm_read(&turn) % 2 != self % 2) df_retry();
                df_tm_write(&turn, df_tm_read(&turn) + 1);
            }
        } else {
            DF_ATOMIC {
                long total = 0;
                df_tm_write(&account[a], df_tm_read(&account[a]) - 1);
                df_tm_write(&account[b], df_tm_read(&account[b]) + 1);
                for (int k = 0; k < 8; k++) total += df_tm_read(&account[k]);
                CHECK(total == 0);
                if (i % 500 == 0) df_irrevocable();
            }
        }
    }
    __atomic_add_fetch(&finished, 1, __ATOMIC_RELEASE);
}
static void clock_ends(void)
{
    rounds = stm_rounds(8000), finished = 0;
    stm_run(5, clock_);
    CHECK(turn == 2L * rounds && wraps > 0);
}

/* --- fork while other threads run blocks, or sleep in df_retry ---------------------------------------------------- */

static long never, a, b;
static int stop;
static void child_works(int i)
{
    int status = 0;
    alarm(60);
    for (int k = 0; k < 20; k++) {
        DF_ATOMIC {
            CHECK(df_tm_read(&a) == df_tm_read(&b)); /* no half of a block of the parent's */
            df_tm_write(&a, df_tm_read(&a) + 1);
            df_tm_write(&b, df_tm_read(&b) + 1);
        }
    }
    DF_ATOMIC {
        df_tm_write(&a, 0L);
        df_retry();
    }
    DF_OR_ELSE df_tm_write(&never, 1L); /* no thread sleeps here any more */
    DF_ATOMIC {
        CHECK(df_tm_read(&a) == df_tm_read(&b));
        df_irrevocable();
        a++;
    }
    df_tm_quiesce();
    if (!TEST_TSAN && !TEST_ASAN) { /* they cannot follow threads in a forked child */
        counted = 0, counts = 20;
        stm_run(2, count);
        CHECK(counted == 40);
    }
    if (i % 10 == 0) { /* a grandchild */
        pid_t pid = fork();
        CHECK(pid >= 0);
        DF_ATOMIC df_tm_write(&b, df_tm_read(&b) + 1);
        CHECK(a == b);
        if (pid == 0) _exit(0);
        CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    }
    _exit(0);
}
static void fork_(int self)
{
    for (int i = 0; self == 0 && i < rounds; i++) {
        int status;
        pid_t pid;
        if (i % 3 == 0) usleep(200);
        pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) child_works(i);
        DF_ATOMIC {
            CHECK(df_tm_read(&a) == df_tm_read(&b));
            df_tm_write(&a, df_tm_read(&a) + 1);
            df_tm_write(&b, df_tm_read(&b) + 1);
        }
        CHECK(waitpid(pid, &status, 0) == pid);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    if (self == 0) {
        __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
        DF_ATOMIC df_tm_write(&never, 1L);
    }
    if (self == 1)
        DF_ATOMIC {
            if (!df_tm_read(&never)) df_retry();
        }
    while (self > 1 && !__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        DF_ATOMIC {
            long x = df_tm_read(&a);
            if (self == 2 && x % 64 == 0) df_irrevocable();
            df_tm_write(&a, x + 1);
            df_tm_write(&b, df_tm_read(&b) + 1);
        }
    }
}
static void forks(void)
{
    rounds = stm_rounds(25);
    if (rounds > 1000) rounds = 1000;
    stm_run(5, fork_);
    CHECK(a == b);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*fn)(void); } part[] = {
        { "clock", clock_ends }, { "nesting", nesting }, { "many_words", many_words }, { "unaligned", unaligned },
        { "ranges", ranges },    { "outside", outside }, { "threads", threads },       { "forks", forks },
    };
    const char *only = argc > 1 ? argv[1] : STM_ONLY;
    stm_watch(100);
    printf("seed 1\n");
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++) {
        if (only && !strstr(only, part[i].name)) continue;
        part[i].fn();
        printf("%s%s", part[i].name, part[i].fn == clock_ends ? "" : "\n");
        if (part[i].fn == clock_ends) printf(": pushed %u times\n", wraps);
        fflush(stdout);
    }
}
