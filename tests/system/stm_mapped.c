/* stm_mapped.c - freed memory is not loaded: each allocation has pages of its own, which are unmapped when it is freed
 *
 * The blocks run a second time, so that they keep a log of their reads. */
#define _DEFAULT_SOURCE
#include <stddef.h>
void *test_malloc(size_t n);
void test_free(void *p);
#define DF_MALLOC(n) test_malloc(n)
#define DF_FREE(p) test_free(p)
#define DF_IMPLEMENTATION
#include "df_stm.h"
#include "stm_test.h"
#include <sys/mman.h>

enum { HEAD = 64 };
void *test_malloc(size_t n)
{
    size_t *p = mmap(NULL, n + HEAD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    *p = n + HEAD;
    return (char *)p + HEAD;
}
void test_free(void *p)
{
    size_t *head;
    if (!p) return;
    head = (size_t *)(void *)((char *)p - HEAD);
    CHECK(!munmap(head, *head));
}

static long x, other, flag;
static int step, stop;
/* Not for ever: where commits wait for open blocks, the other thread may wait for the caller's. */
static void wait_for_step(int n)
{
    for (int i = 0; i < 100 && __atomic_load_n(&step, __ATOMIC_ACQUIRE) < n; i++) usleep(50);
}
static void go_to_step(int n) { __atomic_store_n(&step, n, __ATOMIC_RELEASE); }

/* --- a block that was rolled back in part has read its own memory, which was freed: another block commits meanwhile */

static void of_block(char value)
{
    enum { BYTES = 9 }; /* the last one is the first of a word */
    char *n = df_tm_malloc(BYTES);
    CHECK(n);
    n[0] = n[BYTES - 1] = value;
    CHECK(df_tm_read(&n[0]) == value && df_tm_read(&n[BYTES - 1]) == value);
}
static void meanwhile(void)
{
    go_to_step(1);
    wait_for_step(2);
    (void)df_tm_read(&x);
    df_tm_write(&x, 1);
}
static void own(int self, int how)
{
    volatile int runs = 0;
    if (self) {
        wait_for_step(1);
        DF_ATOMIC df_tm_write(&other, df_tm_read(&other) + 1);
        go_to_step(2);
        usleep(2000);
        DF_ATOMIC df_tm_write(&flag, 1);
        return;
    }
    DF_ATOMIC {
        if (++runs == 1) df_restart();
        (void)df_tm_read(&x);
        if (how == 0) {
            DF_ATOMIC_CLOSED {
                of_block(7);
                df_abort();
            }
            meanwhile();
        } else if (how == 1) {
            DF_ATOMIC {
                of_block(8);
                df_retry();
            } DF_OR_ELSE meanwhile();
        } else {
            of_block(9);
            go_to_step(1);
            if (!df_tm_read(&flag)) df_retry();
        }
    }
    CHECK(runs >= 2);
}
static void own_abort(int self) { own(self, 0); }
static void own_else(int self) { own(self, 1); }
static void own_retry(int self) { own(self, 2); }

/* --- a block that is about to sleep compares values of two times: linked is mapped if a == 1 && b == 5 --- */

static long a, b, fill[4000], *linked;
static void pause_once(void *unused)
{
    (void)unused;
    if (__atomic_load_n(&step, __ATOMIC_ACQUIRE)) return;
    go_to_step(1);
    wait_for_step(2);
}
static void two_times(int self)
{
    volatile int runs = 0;
    if (self) {
        wait_for_step(1);
        DF_ATOMIC {
            df_tm_write(&b, 6);
            df_tm_free(linked);
        }
        df_tm_quiesce();
        go_to_step(2);
        for (int k = 1; !__atomic_load_n(&stop, __ATOMIC_ACQUIRE); k = !k) {
            DF_ATOMIC {
                df_tm_write(&a, k ? 3 : 1);
                df_tm_write(&b, k ? 5 : 6);
            }
            test_spin(500);
        }
        return;
    }
    DF_ATOMIC {
        long old = df_tm_read(&a);
        for (size_t i = 0; i < sizeof fill / sizeof *fill; i++) (void)df_tm_read(&fill[i]);
        if (++runs == 1) df_restart();
        if (runs == 2 && old == 1 && df_tm_read(&b) == 5 && df_tm_read(linked) == 1) {
            df_tm_on_abort(pause_once, NULL);
            df_retry();
        }
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
}

/* --- df_tm_quiesce in a handler of a block that ran alone --- */

static void quiesces(void *unused)
{
    (void)unused;
    df_tm_quiesce();
}
static void handler(int self)
{
    volatile int runs = 0;
    if (self) {
        wait_for_step(1);
        DF_ATOMIC df_tm_write(&x, 1);
        go_to_step(2);
        return;
    }
    DF_ATOMIC {
        (void)df_tm_read(&x);
        if (++runs == 1) { /* x has changed then: the block runs again, alone */
            go_to_step(1);
            wait_for_step(2);
            df_irrevocable();
        }
        df_tm_on_abort(quiesces, NULL);
        df_abort();
    }
    CHECK(runs == 2);
}

/* --- an irrevocable block unlinks memory and unmaps it --- */

static long *head;
static void unmaps(int self)
{
    if (self) {
        while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
            DF_ATOMIC {
                long *p = df_tm_read(&head);
                if (p) {
                    go_to_step(1);
                    sched_yield();
                    CHECK(df_tm_read(p) == 1);
                }
            }
        return;
    }
    wait_for_step(1);
    DF_ATOMIC {
        df_irrevocable();
        df_tm_write(&head, NULL);
        df_tm_quiesce();
        test_free(linked);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
}

static void rounds_of(int rounds, void (*fn)(int))
{
    for (int i = 0; i < stm_rounds(rounds); i++) {
        a = 1, b = 5, step = stop = 0, x = other = flag = 0;
        linked = test_malloc(sizeof *linked);
        CHECK(linked);
        *linked = 1;
        head = linked;
        stm_run(2, fn);
        if (fn != two_times && fn != unmaps) test_free(linked);
    }
}

int main(void)
{
    stm_watch(100);
    rounds_of(20, own_abort);
    rounds_of(20, own_else);
    rounds_of(20, own_retry);
    rounds_of(100, two_times);
    rounds_of(10, handler);
    rounds_of(300, unmaps);
}
