/* Blocks that are left by longjmp, a C++ exception, pthread_exit or a cancellation, and blocks in signal handlers: the
 * same in C and in C++, with exceptions and without, in parallel and with DF_SERIAL.
 *
 * Compiled and run by tests/compile/run. Prints nothing and returns 0 when the memory and the messages of df are
 * right. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wreserved-macro-identifier" /* of the next one */
#endif
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif
#if !defined(DF_SERIAL)
#include <pthread.h>
#endif
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wclobbered" /* of setjmp, as for any local */
#endif
#define DF_IMPLEMENTATION
#include "../../df_stm.h"

static int wrong; /* line of the first check that failed */
#define CHECK(c) do { if (!(c) && !wrong) wrong = __LINE__; } while (0)

/* Messages are counted where the implementation is in this file; else they go to standard error. */
#if defined(DFI_BASE_LOG_H)
#define HEARD(c) (c)
#else
#define HEARD(c) (1 || (c))
#define dfi_logger not_here
static struct { void (*log)(void *arg, int level, const char *text); } not_here;
#endif

static long x, y, z;
static int left, left_direct, thread_ends, rest; /* messages */
static jmp_buf back;

static void hear(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    if (strstr(text, "that block is rolled back")) left++;
    else if (strstr(text, "after df_irrevocable: the block ends there")) left_direct++;
    else if (strstr(text, "a thread ends inside")) thread_ends++;
    else rest++;
}

static void clear(void)
{
    x = y = z = 0;
    left = left_direct = thread_ends = rest = 0;
}

/* A block that writes, in another thread: it waits for every block that is open, or seems to be. */
static void *writes(void *p)
{
    DF_ATOMIC { df_tm_write(&z, df_tm_read(&z) + 1); }
    return p;
}
static void others_go_on(void)
{
#if !defined(DF_SERIAL)
    pthread_t t;
    long before = z;
    CHECK(!pthread_create(&t, NULL, writes, NULL) && !pthread_join(t, NULL) && z == before + 1);
#else
    writes(NULL);
#endif
}

/* --- longjmp ------------------------------------------------------------------------------------------------- */

static void out_of_same_function(void)
{
    volatile int i;
    clear();
    for (i = 0; i < 5; i++) {
        if (setjmp(back) == 0) {
            DF_ATOMIC {
                df_tm_write(&x, df_tm_read(&x) + 1);
                longjmp(back, 1);
            }
        }
        DF_ATOMIC { df_tm_write(&y, df_tm_read(&y) + 1); }
    }
    CHECK(x == 0 && y == 5 && HEARD(left == 5 && rest == 0));
    others_go_on();
}

static void jumps_out(volatile long *p) { DF_ATOMIC { df_tm_write(p, df_tm_read(p) + 1); longjmp(back, 1); } }
static void adds(long *p) { DF_ATOMIC { df_tm_write(p, df_tm_read(p) + 1); } }
static void adds_deeper(long *p)
{
    volatile char room[600];
    room[0] = room[599] = 1;
#if !defined(__x86_64__) && !defined(__i386__) /* where only what is left of the frame can show that it is gone */
    for (size_t i = 0; i < sizeof room; i++) room[i] = 7;
#endif
    adds(p);
}

static void out_of_called_function(void)
{
    clear();
    if (setjmp(back) == 0) jumps_out(&x);
    adds(&y);
    CHECK(x == 0 && y == 1 && HEARD(left == 1));
    if (setjmp(back) == 0) jumps_out(&x);
    adds_deeper(&y); /* in a frame that covers the one which is gone */
    CHECK(x == 0 && y == 2 && HEARD(left == 2 && rest == 0));
    others_go_on();
}

static int undone;
static void undoes(void *p) { (void)p, undone++; }

static void out_of_nested(void)
{
    clear();
    DF_ATOMIC { /* in a function, then in this one */
        df_tm_write(&x, 1L);
        if (setjmp(back) == 0) jumps_out(&y);
        adds(&z);
    }
    CHECK(x == 1 && y == 0 && z == 1 && HEARD(left == 1));
    DF_ATOMIC {
        df_tm_write(&x, 2L);
        if (setjmp(back) == 0) {
            DF_ATOMIC_CLOSED {
                df_tm_write(&x, 3L);
                df_tm_write(&y, 3L);
                (void)df_tm_on_abort(undoes, NULL);
                CHECK(df_tm_malloc(100) != NULL);
                longjmp(back, 1);
            }
        }
        DF_ATOMIC { df_tm_write(&z, df_tm_read(&x)); }
    }
    CHECK(x == 2 && y == 0 && z == 2 && undone == 1 && HEARD(left == 2 && rest == 0));
    others_go_on();
}

static void after_irrevocable(void)
{
    clear();
    if (setjmp(back) == 0) {
        DF_ATOMIC {
            df_tm_write(&x, 1L);
            df_irrevocable();
            df_tm_write(&y, 2L);
            longjmp(back, 1);
        }
    }
    DF_ATOMIC {
        df_tm_write(&x, df_tm_read(&x) + 1);
        if (df_tm_read(&x) == 3) df_abort();
    }
    CHECK(x == 2 && y == 2 && HEARD(left_direct == 1 && rest == 0));
    others_go_on();
}

/* --- the end of the thread --------------------------------------------------------------------------------------- */

#if !defined(DF_SERIAL)
static void *exits(void *p)
{
    DF_ATOMIC {
        df_tm_write(&x, 1L);
        DF_ATOMIC_CLOSED {
            df_tm_write(&y, 1L);
            if (p) pthread_exit(p);
            for (;;) pthread_testcancel();
        }
    }
    return NULL;
}

static void thread_exits(void)
{
    pthread_t t;
    clear();
    CHECK(!pthread_create(&t, NULL, exits, &x) && !pthread_join(t, NULL));
    CHECK(x == 0 && y == 0 && HEARD(thread_ends == 1));
    others_go_on();
    CHECK(!pthread_create(&t, NULL, exits, NULL) && !pthread_cancel(t) && !pthread_join(t, NULL));
    CHECK(x == 0 && y == 0 && HEARD(thread_ends <= 2 && rest == 0)); /* 1: it was cancelled before its block began */
    others_go_on();
}
#else
static void thread_exits(void) { }
#endif

/* --- exceptions --------------------------------------------------------------------------------------------------- */

#if defined(__cplusplus) && defined(__EXCEPTIONS)
static int may_throw(int how)
{
    DF_ATOMIC {
        df_tm_write(&x, df_tm_read(&x) + 1);
        DF_ATOMIC_CLOSED {
            df_tm_write(&y, df_tm_read(&y) + 1);
            if (how == 1) throw 1;
            if (how == 2) return 2;
        }
        if (how == 3) throw 3;
        if (how == 4) break;
    }
    return 0;
}

static void catches_inside(void)
{
    DF_ATOMIC {
        df_tm_write(&x, 10L);
        try {
            DF_ATOMIC_CLOSED {
                df_tm_write(&x, 11L);
                df_tm_write(&y, 11L);
                throw 1;
            }
        } catch (int) {
            df_tm_write(&z, df_tm_read(&x));
        }
    }
}

/* its block is left by return while an exception is on its way */
struct at_end { ~at_end() { CHECK(may_throw(2) == 2); } };
static void unwinds(void)
{
    at_end a;
    (void)a;
    throw 5;
}
static void throws(void *p)
{
    df_tm_write((long *)p, 9L);
    throw 9;
}

static void exceptions(void)
{
    int caught = 0;
    clear();
    for (int how = 1; how <= 4; how++) {
        try {
            (void)may_throw(how);
        } catch (int n) {
            caught += n;
        }
        CHECK(x == (how < 2 ? 0 : how < 4 ? 1 : 2) && y == x);
    }
    CHECK(caught == 4);
    catches_inside();
    CHECK(x == 10 && y == 2 && z == 10);
    try {
        unwinds();
    } catch (int n) {
        caught += n;
    }
    CHECK(x == 11 && y == 3 && caught == 9);
    try {
        (void)df_atomically(throws, &x);
    } catch (int n) {
        caught += n;
    }
    CHECK(x == 11 && caught == 18);
    CHECK(HEARD(left == 0 && rest == 0)); /* that is no mistake */
    others_go_on();
}
#else
static void exceptions(void) { }
#endif

/* --- signal handlers ---------------------------------------------------------------------------------------------- */

static void handler(int s) { (void)s, adds(&y); }

static void signals(void)
{
    char text[4096];
    int fd[2], err = dup(2), n = 0;
    ssize_t got = 0;
    clear();
    CHECK(!pipe(fd) && dup2(fd[1], 2) == 2);
    signal(SIGUSR1, handler);
    raise(SIGUSR1); /* no block is interrupted */
    CHECK(y == 1);
    for (int i = 0; i < 3; i++)
        DF_ATOMIC {
            df_tm_write(&x, df_tm_read(&x) + 1);
            raise(SIGUSR1);
            handler(0); /* a call is none */
            df_tm_write(&x, df_tm_read(&x) + 1);
        }
    CHECK(x == 6 && y == 4);
    DF_ATOMIC {
        handler(0);
        adds_deeper(&y);
        raise(SIGUSR1);
    }
    CHECK(y == 6 && HEARD(left == 0 && rest == 0));
    CHECK(dup2(err, 2) == 2 && !close(fd[1]));
    do got += n > 0 ? n : 0, n = (int)read(fd[0], text + got, sizeof text - 1 - (size_t)got);
    while (n > 0);
    text[got] = 0;
    n = 0;
    for (const char *p = text; (p = strstr(p, "stm_left.c:")) != NULL; p++) n++;
    CHECK(n == 4 &&
          strstr(text, ": an atomic block in a signal handler that interrupts an atomic block: it is not executed"));
    close(fd[0]), close(err);
    others_go_on();
}

int main(void)
{
    dfi_logger.log = hear;
    alarm(50);
    out_of_same_function();
    out_of_called_function();
    out_of_nested();
    after_irrevocable();
    thread_exits();
    exceptions();
    signals();
    if (wrong) fprintf(stderr, "stm_left.c:%d\n", wrong);
    return wrong != 0;
}
