/* stm_misuse.c - wrong use of blocks is reported with its file and line, and has the effect that df_stm.h says; leaving
 * a block by return, break, continue or goto is no wrong use
 *
 * Each part is a process of its own, which notes what should come on stderr in memory shared with its parent. */
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#define DF_IMPLEMENTATION
#include "df_stm.h"
#include "child.h"
#include <pthread.h>
#include <sched.h>

#define HERE __FILE__ ":" DFI_STR(__LINE__)
#define OUTSIDE(name)  expect(HERE ": " name " outside of an atomic block: no effect; call it in DF_ATOMIC")
#define DIRECT(name)   expect(HERE ": " name " after df_irrevocable, or without memory to roll the block back: no effect; call it before df_irrevocable")
#define NOTHING()      expect(HERE ": df_retry in an atomic block that read nothing by df_tm_read: the block runs again every millisecond; read what it waits for by df_tm_read")
#define STUCK()        expect(HERE ": df_retry waits for a change, but nothing is left that could write what the atomic block has read: the block is rolled back and left, as by df_abort; submit the task that writes it")
#define THREAD_END()   expect(HERE ": a thread ends inside of the atomic block that begins here: the block is rolled back; leave it before the thread ends")
#define BROKEN()       expect(HERE ": break ends the atomic block that begins here, not a loop around it: leave the loop by goto or return, or end the block alone by continue")
#define NO_END()       expect(HERE ": the atomic block that begins here, or a block inside of it, was left by longjmp, by an exception through code compiled without exceptions, or without df_tm_end: that block is rolled back; leave it by return, goto or df_abort, and end by df_tm_end what df_tm_begin began")
#define HANDLER()      expect(HERE ": an atomic block in a signal handler that interrupts an atomic block: it is not executed; set a flag in the handler, and run the block outside of it")
#define OUTLIVED()     expect(HERE ": the atomic block that begins here ended before a block inside of it: a coroutine gave up the thread in that one; its writes until then are part of this block, those behind are not atomic; do not switch stacks in an atomic block")

static char *expected; /* shared with the parent */
static void expect(const char *text) { sprintf(expected + strlen(expected), "df: %s\n", text); }

static long x, y, z;
static int handled;
static void handle(void *p) { handled += (int)(intptr_t)p; }

/* --- outside of blocks ------------------------------------------------------------------------------------- */

static int outside(void *unused)
{
    (void)unused;
    OUTSIDE("df_retry"), df_retry();
    OUTSIDE("df_abort"), df_abort();
    OUTSIDE("df_restart"), df_restart();
    OUTSIDE("df_irrevocable"), df_irrevocable();
    OUTSIDE("df_tm_validate"), df_tm_validate();
    DF_ATOMIC df_tm_write(&x, 1L); /* and the same when the thread has run a block */
    OUTSIDE("df_retry"), df_retry();
    OUTSIDE("df_abort"), df_abort();
    OUTSIDE("df_restart"), df_restart();
    OUTSIDE("df_irrevocable"), df_irrevocable();
    OUTSIDE("df_tm_validate"), df_tm_validate();
    expect("df_stm: df_tm_on_commit outside of an atomic block: no effect; call it in DF_ATOMIC");
    CHECK(df_tm_on_commit(handle, NULL) != DF_OK);
    expect("df_stm: df_tm_on_abort outside of an atomic block: no effect; call it in DF_ATOMIC");
    CHECK(df_tm_on_abort(handle, NULL) != DF_OK);
    df_tm_quiesce();
    CHECK(x == 1 && handled == 0);
    return 0;
}

/* --- after df_irrevocable ------------------------------------------------------------------------------------- */

static int direct(void *unused)
{
    volatile int ran = 0;
    (void)unused;
    DF_ATOMIC {
        ran++;
        df_tm_write(&x, 1L);
        df_irrevocable();
        DIRECT("df_retry"), df_retry();
        DIRECT("df_abort"), df_abort();
        DIRECT("df_restart"), df_restart();
        df_tm_validate();
        df_irrevocable();
        df_tm_write(&y, 2L);
        DF_ATOMIC_CLOSED {
            DIRECT("df_abort"), df_abort();
            df_tm_write(&z, 3L);
            DIRECT("df_retry"), df_retry();
        }
        DF_OR_ELSE df_tm_write(&z, 4L);
    }
    CHECK(ran <= 2 && x == 1 && y == 2 && z == 3);
    DF_ATOMIC { /* the next one is as any other */
        df_tm_write(&x, 5L);
        df_abort();
    }
    CHECK(x == 1);
    return 0;
}

/* --- df_retry that nothing can wake: looks again every millisecond ------------------------------------------------ */

static int nothing_read(void *unused)
{
    volatile int tries = 0;
    (void)unused;
    NOTHING(); DF_ATOMIC {
        if (tries++ < 3) df_retry();
    }
    CHECK(tries == 4);
    tries = 0;
    NOTHING(); DF_ATOMIC { /* what it wrote itself it did not read */
        df_tm_write(&x, 1L);
        DF_ATOMIC {
            CHECK(df_tm_read(&x) == 1);
            if (tries++ < 3) df_retry();
        }
    }
    CHECK(x == 1 && tries == 4);
    DF_ATOMIC df_retry();
    DF_OR_ELSE df_tm_write(&x, 2L); /* another alternative: no mistake */
    CHECK(x == 2);
    return 0;
}

/* --- df_retry in the only thread, without a pool ------------------------------------------------------------------ */

static void *writes_late(void *unused)
{
    usleep(100000);
    DF_ATOMIC df_tm_write(&x, 1L);
    return unused;
}
static int only_thread(void *unused)
{
    pthread_t t;
    (void)unused;
    if (test_foreign_thread()) return 0;
    STUCK(); DF_ATOMIC {
        df_tm_write(&y, 1L);
        if (!df_tm_read(&x)) df_retry();
        df_tm_write(&z, 1L);
    }
    CHECK(y == 0 && z == 0);
    CHECK(!pthread_create(&t, NULL, writes_late, NULL));
    DF_ATOMIC {
        if (!df_tm_read(&x)) df_retry();
        df_tm_write(&z, 2L);
    }
    CHECK(x == 1 && z == 2 && !pthread_join(t, NULL));
    return 0;
}

/* --- a thread that ends in a block -------------------------------------------------------------------------------- */

static void *ends(void *how)
{
    THREAD_END(); DF_ATOMIC {
        df_tm_write(&x, 100L);
        CHECK(df_tm_read(&y) == 0);
        df_tm_on_abort(handle, (void *)1);
        df_tm_on_commit(handle, (void *)100);
        memset(df_tm_malloc(1000), 1, 1000); /* freed: AddressSanitizer */
        DF_ATOMIC_CLOSED {
            df_tm_write(&z, 100L);
            if (how || TEST_ASAN) pthread_exit(NULL); /* it does not know cancellation */
            pthread_cancel(pthread_self());
            pthread_testcancel();
        }
    }
    return NULL;
}
static void *ends_alone(void *unused)
{
    THREAD_END(); DF_ATOMIC {
        df_irrevocable();
        pthread_exit(unused);
    }
    return unused;
}
static void *goes_on(void *unused)
{
    for (int i = 0; i < 1000; i++)
        DF_ATOMIC {
            df_tm_write(&y, df_tm_read(&y) + (i % 2 ? 1 : -1));
            if (i % 100 == 0) df_irrevocable();
        }
    return unused;
}
static int thread_ends(void *unused)
{
    pthread_t t, u;
    (void)unused;
    for (int i = 0; i < 3; i++) {
        handled = 0;
        CHECK(!pthread_create(&t, NULL, i < 2 ? ends : ends_alone, i ? &handled : NULL) && !pthread_join(t, NULL));
        CHECK(x == 0 && z == 0 && handled == (i < 2));
        /* the record is used again */
        CHECK(!pthread_create(&t, NULL, goes_on, NULL) && !pthread_create(&u, NULL, goes_on, NULL));
        goes_on(NULL);
        CHECK(!pthread_join(t, NULL) && !pthread_join(u, NULL));
        CHECK(x == 0 && y == 0 && z == 0);
    }
    return 0;
}

/* --- leaving a block: its end ------------------------------------------------------------------------------------- */

static long returns(long v)
{
    DF_ATOMIC {
        df_tm_write(&x, v);
        if (v == 1) return df_tm_read(&x) + 10;
        DF_ATOMIC_CLOSED {
            df_tm_write(&y, v);
            DF_ATOMIC if (v == 2) return df_tm_read(&y) + 10; /* ends all three */
        }
    }
    return -1;
}
static long go_signal;
static void *changes_x(void *unused)
{
    while (!__atomic_load_n(&go_signal, __ATOMIC_ACQUIRE)) sched_yield();
    DF_ATOMIC df_tm_write(&x, 50L);
    return unused;
}
static long returns_again(void) /* the end that a return is finds a conflict: the block runs again */
{
    DF_ATOMIC {
        long v = df_tm_read(&x);
        __atomic_store_n(&go_signal, 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(&x, __ATOMIC_ACQUIRE) != 50) sched_yield();
        df_tm_write(&y, v + 1);
        return v;
    }
    return -1;
}
static int effect;
static void changes(void *p)
{
    df_tm_write(&x, df_tm_read(&x) + 1);
    if (p) df_abort();
}
static int left_early(void *unused)
{
    pthread_t t;
    int seen = 0;
    (void)unused;
    CHECK(returns(1) == 11 && x == 1 && y == 0);
    CHECK(returns(2) == 12 && x == 2 && y == 2);
    CHECK(returns(3) == -1 && x == 3 && y == 3);
    for (int i = 0; i < 10; i++) {
        if (!i) { BROKEN(); } DF_ATOMIC { /* once for all of them */
            df_tm_write(&x, (long)i);
            if (i % 2) break;
            if (i % 4) continue;
            df_tm_write(&x, -1L);
        }
        CHECK(x == (i % 4 ? i : -1));
        seen++;
    }
    CHECK(seen == 10);
    DF_ATOMIC {
        df_tm_write(&x, 20L);
        for (;;) {
            DF_ATOMIC_CLOSED {
                df_tm_write(&y, 21L);
                goto out;
            }
        }
    }
    CHECK(0);
out:
    CHECK(x == 20 && y == 21);
    DF_ATOMIC df_tm_write(&z, 22L); /* no block is open any more */
    CHECK(z == 22);
    CHECK(!pthread_create(&t, NULL, changes_x, NULL));
    CHECK(returns_again() == 50 && y == 51);
    CHECK(!pthread_join(t, NULL));
    /* as a function */
    x = 0;
    CHECK(df_atomically(changes, NULL) == DF_OK && x == 1);
    CHECK(df_atomically(changes, &effect) == DF_ERROR_ABORTED && x == 1);
    DF_ATOMIC {
        df_tm_write(&x, 5L);
        effect = 1;
        CHECK(df_atomically(changes, &effect) == DF_OK); /* leaves the outermost block: does not come back */
        effect = 2;
    }
    CHECK(effect == 1 && x == 1);
    return 0;
}

/* --- df_tm_begin without df_tm_end --------------------------------------------------------------------------------- */

static volatile int handles;
static void blocks_in_handler(int number)
{
    (void)number;
    HANDLER(); DF_ATOMIC df_tm_write(&z, 100L);
    handles++;
}
static int forgets(int how)
{
    df_tm_block block, inner;
    if (how != 1) { NO_END(); } if (df_tm_begin(&block)) {
        df_tm_write(&x, 100L);
        if (how == 0) return df_tm_read(&x) == 100;
        if (df_tm_begin(&inner)) {
            df_tm_write(&y, 100L);
            if (how == 2) return df_tm_read(&y) == 100;
            df_tm_end(&inner);
        }
        df_tm_write(&x, 200L);
        df_tm_end(&block);
    }
    return x == 200 && y == 100;
}
static int without_end(void *unused)
{
    df_tm_block block;
    (void)unused;
    CHECK(forgets(0));
    DF_ATOMIC CHECK(df_tm_read(&x) == 0);
    CHECK(forgets(0));
    CHECK(forgets(1)); /* the same variable, in the same place */
    x = y = 0;
    CHECK(forgets(2));
    DF_ATOMIC CHECK(df_tm_read(&x) == 0 && df_tm_read(&y) == 0);
    if (!DFI_TM_UNWINDER) return 0; /* a handler is taken for a called function */
    signal(SIGUSR1, blocks_in_handler);
    if (df_tm_begin(&block)) {
        df_tm_write(&x, 1L);
        raise(SIGUSR1);
        df_tm_end(&block);
    }
    CHECK(x == 1 && z == 0 && handles == 1);
    return 0;
}

/* Lines that are the same as the one before are left out: how often a block runs is its own business. */
static void once(char *text)
{
    char *to = text, *last = NULL, *end;
    for (char *line = text; *line; line = end) {
        size_t n;
        end = strchr(line, '\n');
        end = end ? end + 1 : line + strlen(line);
        n = (size_t)(end - line);
        if (last && (size_t)(to - last) == n && !memcmp(last, line, n)) continue;
        last = memmove(to, line, n);
        to += n;
    }
    *to = 0;
}

/* --- coroutines that share a thread ---------------------------------------------------------------------------- */

#if defined(__GLIBC__) && !TEST_ASAN /* which warns of swapcontext on stderr */
#include <ucontext.h>

static ucontext_t whole, part_of[2];
static void adds_twice(int k)
{
    if (!k) { OUTLIVED(); } DF_ATOMIC {
        df_tm_write(&x, df_tm_read(&x) + 1);
        swapcontext(&part_of[k], &whole);
        df_tm_write(&x, df_tm_read(&x) + 1);
    }
}
static void first(void) { adds_twice(0); }
static void second(void) { adds_twice(1); }

static void prepare(int k, void (*fn)(void)) /* getcontext returns twice for the compiler: in no function with blocks */
{
    static char stacks[2][1 << 18];
    getcontext(&part_of[k]);
    part_of[k].uc_stack.ss_sp = stacks[k], part_of[k].uc_stack.ss_size = sizeof stacks[k];
    part_of[k].uc_link = &whole;
    makecontext(&part_of[k], fn, 0);
}
static int coroutines(void *unused)
{
    (void)unused;
    prepare(0, first), prepare(1, second);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) CHECK(!swapcontext(&whole, &part_of[k]));
    CHECK(x == 4);
    DF_ATOMIC df_tm_write(&x, 5L); /* as any other */
    DF_ATOMIC {
        df_tm_write(&x, 6L);
        df_abort();
    }
    CHECK(x == 5);
    return 0;
}
#else
static int coroutines(void *unused) { return unused != NULL; }
#endif

int main(void)
{
    static const struct { const char *name; int (*fn)(void *); } part[] = {
        { "outside", outside }, { "direct", direct }, { "nothing_read", nothing_read },
        { "only_thread", only_thread }, { "thread_ends", thread_ends }, { "left_early", left_early },
        { "without_end", without_end }, { "coroutines", coroutines },
    };
    printf("seed 1\n");
    expected = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(expected != MAP_FAILED);
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++) {
        struct child c;
        *expected = 0;
        c = child_run(part[i].fn, NULL, NULL, 60);
        once(expected);
        once(c.err);
        if (c.status || strcmp(c.err, expected)) fprintf(stderr, "%s\nexpected:\n%s", part[i].name, expected);
        CHECK_CHILD(c, c.status == 0 && !strcmp(c.err, expected));
    }
}
