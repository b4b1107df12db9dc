/* The state of the machine, which a virtual one changes within minutes: ns in which a cache line crosses from one CPU
 * to another (- if there is only one), and ns of 1000 dependent steps, which show the clock. */
#include "bench.h"
#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 2000, TRIES = 20, SPINS = 200000 };
static struct { atomic_int turn; char rest[124]; } line;

static void *answer(void *unused)
{
    for (int i = 0; i < ROUNDS * TRIES; i++) {
        while (atomic_load_explicit(&line.turn, memory_order_acquire) != 2 * i + 1) {}
        atomic_store_explicit(&line.turn, 2 * i + 2, memory_order_release);
    }
    return unused;
}

int main(void)
{
    double clock = 1, crossing = 1;
    uint32_t x = 1;
    for (int k = 0; k < TRIES; k++) {
        double t = bench_now();
        for (long i = 0; i < SPINS; i++) {
            x = x * 1664525u + 1013904223u;
            __asm__ volatile("" : "+r"(x));
        }
        t = bench_now() - t;
        if (t < clock) clock = t;
    }
    pthread_t other;
    if (sysconf(_SC_NPROCESSORS_ONLN) > 1 && !pthread_create(&other, NULL, answer, NULL)) {
        for (int k = 0, i = 0; k < TRIES; k++) {
            double t = bench_now();
            for (int end = i + ROUNDS; i < end; i++) {
                atomic_store_explicit(&line.turn, 2 * i + 1, memory_order_release);
                while (atomic_load_explicit(&line.turn, memory_order_acquire) != 2 * i + 2) {}
            }
            t = (bench_now() - t) / (2 * ROUNDS);
            if (t < crossing) crossing = t;
        }
        pthread_join(other, NULL);
        printf("%.0f %.0f\n", crossing * 1e9, clock * 1e9 / SPINS * 1000);
    } else printf("- %.0f\n", clock * 1e9 / SPINS * 1000);
    return 0;
}
