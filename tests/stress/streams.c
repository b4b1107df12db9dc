/* streams.c - tasks and threads of the program push into and pop from the same streams at the same time, which come and
 * go: `streams SECONDS`
 *
 * The distribution of the elements is not fixed then. The invariants: each is read exactly once by each reader, the
 * windows of one task hold the elements that one other task wrote, in order, and two tasks that share two streams
 * come in the same order on both. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "stress.h"

enum { THREADS = 4, MOST = 400 };

struct item { uint32_t from, number; };
struct graph {
    df_stream *a, *b, *reader;
    int burst, n;                /* tasks of each kind and thread */
    unsigned spin;
    uint64_t seed;
    uint64_t sum[3];             /* of all elements, by their reader */
    uint32_t next;
};

DF_TASK(void, produce, (struct graph *, g), df_push(struct item, x, g->burst), df_push(struct item, y, g->burst));
void produce(struct graph *g, struct item *x, struct item *y)
{
    uint32_t from = __atomic_add_fetch(&g->next, 1, __ATOMIC_RELAXED);
    if (g->spin) test_spin(from * 7919u % g->spin);
    for (int i = 0; i < g->burst; i++) x[i].from = y[i].from = from, x[i].number = y[i].number = (uint32_t)i;
}
/* Windows of several bursts: the elements of one task are adjacent, in both streams at the same place. */
DF_TASK(void, consume, (struct graph *, g), (int, k), df_pop(struct item, x, g->burst * k),
        df_pop(struct item, y, g->burst * k));
void consume(struct graph *g, int k, const struct item *x, const struct item *y)
{
    uint64_t sum = 0;
    if (g->spin) test_spin(x->from * 104729u % g->spin);
    for (int i = 0; i < k * g->burst; i++) {
        CHECK(x[i].from && x[i].from == x[i - i % g->burst].from && (int)x[i].number == i % g->burst);
        CHECK(x[i].from == y[i].from && x[i].number == y[i].number);
        sum += x[i].from;
    }
    __atomic_fetch_add(&g->sum[0], sum, __ATOMIC_RELAXED);
}
DF_TASK(void, watch, (struct graph *, g), df_peek(struct item, x, g->burst, g->burst));
void watch(struct graph *g, const struct item *x)
{
    for (int i = 0; i < g->burst; i++) CHECK(x[i].from == x->from);
    __atomic_fetch_add(&g->sum[1], x->from * (uint64_t)g->burst, __ATOMIC_RELAXED);
}
DF_TASK(void, both, (struct graph *, g), (uint64_t, seed)); /* submits one of each, in any order */
void both(struct graph *g, uint64_t seed)
{
    int order = test_below(&seed, 6);
    for (int i = 0; i < 3; i++)
        switch ((order + i * (1 + order / 3)) % 3) {
        case 0: df_submit(produce, g, g->a, g->b); break;
        case 1: df_submit(consume, g, 1, g->a, g->b); break;
        default: df_submit(watch, g, g->reader);
        }
}

static void *work(void *p)
{
    struct graph *g = p;
    uint64_t seed = g->seed ^ (uintptr_t)&seed;
    int produced = 0, consumed = 0, watched = 0;
    while (produced < g->n || consumed < g->n || watched < g->n) {
        switch (test_below(&seed, 7)) {
        case 0: case 1:
            if (produced < g->n) df_submit(produce, g, g->a, g->b), produced++;
            break;
        case 2:
            if (consumed < g->n) df_submit(consume, g, 1, g->a, g->b), consumed++;
            break;
        case 3:
            if (consumed + 1 < g->n) df_submit(consume, g, 2, g->a, g->b), consumed += 2;
            break;
        case 4:
            if (watched < g->n) df_submit(watch, g, g->reader), watched++;
            break;
        default:
            if (produced < g->n && consumed < g->n && watched < g->n) {
                df_submit(both, g, test_random(&seed));
                produced++, consumed++, watched++;
            }
        }
        if (test_below(&seed, 200) == 0) sched_yield();
    }
    df_wait();
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t seed = 1;
    stress_begin(argc, argv);
    for (int round = 0; stress_goes_on(); round++) {
        pthread_t thread[THREADS];
        int threads = test_below(&seed, THREADS), started = 0;
        struct graph g = { NULL, NULL, NULL, 0, 0, 0, 0, { 0, 0, 0 }, 0 };
        df_config c = { .workers = 1 + round % 5, .window = round % 3 ? 0 : 8, .defer = round % 2 };
        if (round % 10 == 0) {
            df_stop();
            CHECK(df_start(&c) == DF_OK);
        }
        g.burst = 1 + test_below(&seed, 5);
        g.n = 1 + test_below(&seed, MOST);
        g.spin = test_below(&seed, 3) ? 0 : 1u + (unsigned)test_below(&seed, 2000);
        g.seed = test_random(&seed);
        g.a = df_stream_new(sizeof(struct item), (size_t)(g.burst * 2 + test_below(&seed, 20)));
        g.b = df_stream_new(sizeof(struct item), (size_t)(g.burst * 2 + test_below(&seed, 20)));
        CHECK(g.a && g.b && (g.reader = df_stream_reader(g.a)) != NULL);
        for (int i = 0; i < threads; i++) started += !pthread_create(&thread[started], NULL, work, &g);
        DF_PARALLEL {
            work(&g);
            CHECK(df_wait_result() == DF_OK);
        }
        for (int i = 0; i < started; i++) CHECK(!pthread_join(thread[i], NULL));
        df_stream_free(g.reader), df_stream_free(g.b), df_stream_free(g.a);
        uint64_t n = (uint64_t)g.n * (uint64_t)(started + 1);
        CHECK(g.next == n && g.sum[0] == n * (n + 1) / 2 * (uint64_t)g.burst && g.sum[1] == g.sum[0]);
    }
}
