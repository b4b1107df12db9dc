/* deque.h: an owner that puts, pops and takes its oldest entry, and thieves. Each entry is taken exactly once, by
 * thieves in the order in which it was put, and the array grows meanwhile. */
#include "../../impl/work/deque.h"
#include "../test.h"
#include <pthread.h>

struct dfi_pool dfi_pool;
struct dfi_logger dfi_logger;
static struct dfi_flow *none(struct dfi_worker *w, struct dfi_flow *t) { (void)w, (void)t; return NULL; }
DFI_LATER_IS(dfi_up_task_run_fn, dfi_up_task_run, none); /* there are tasks, for which the array grows */

enum { ENTRIES = 2000000, THIEVES = 3 };
static struct dfi_worker w;
static unsigned char taken[ENTRIES]; /* each written by the thread that took the entry alone */
static DFI_ATOMIC(int) over;
static long stolen[THIEVES];

/* Entry k, which the deque never looks into. */
static void *entry(size_t k) { return (void *)((k + 1) * 8); }
static size_t number(const void *e) { return (size_t)(uintptr_t)e / 8 - 1; }

static void *steal(void *arg)
{
    long *n = (long *)arg, last = -1;
    struct dfi_filter all = { 0, 0, NULL, NULL };
    for (;;) {
        int last_round = dfi_load_acquire(&over);
        struct dfi_stolen s;
        while (dfi_deque_steal_thief(&w, &all, &s)) {
            CHECK((long)number(s.entry) > last && s.victim == &w && s.scope == NULL);
            last = (long)number(s.entry);
            CHECK(!__atomic_exchange_n(&taken[last], 1, __ATOMIC_RELAXED));
            ++*n;
        }
        if (last_round) return NULL;
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    pthread_t thread[THIEVES];
    size_t next = 0, stack[4096], n = 0; /* stack: numbers of entries that the owner has put, and not popped */
    long own = 0, all = 0;
    struct dfi_ring *first = dfi_ring_new(4, NULL);
    CHECK(first && first->mask == 3);
    dfi_store_relaxed(&w.ring, first);
    CHECK(dfi_deque_empty_owner(&w) && dfi_deque_empty_any(&w));
    for (int i = 0; i < THIEVES; i++) CHECK(!pthread_create(&thread[i], NULL, steal, &stolen[i]));
    while (next < ENTRIES) {
        size_t many = 1 + (size_t)test_below(&seed, 40), k;
        if (many > ENTRIES - next) many = ENTRIES - next;
        if (n + many > 4096) many = 0;
        CHECK(dfi_deque_room_owner(&w, many) >= many);
        for (k = 0; k < many; k++) dfi_deque_put_owner(&w, k, entry(next), NULL, 0), stack[n++] = next++;
        dfi_deque_publish_owner(&w, many);
        if (test_below(&seed, 8) == 0) { /* the oldest, if it is the one that the owner thinks */
            void *e = dfi_load_relaxed(&dfi_deque_item_any(&w, dfi_load_seq_cst(&w.top))->entry);
            if (dfi_deque_take_oldest_owner(&w, e)) {
                CHECK(!__atomic_exchange_n(&taken[number(e)], 1, __ATOMIC_RELAXED));
                own++;
            }
        }
        for (k = (size_t)test_below(&seed, 30); k && n; k--) {
            if (!dfi_deque_pop_owner(&w)) { /* stolen, and so are all below it */
                CHECK(dfi_deque_empty_owner(&w));
                n = 0;
                break;
            }
            n--;
            CHECK(!__atomic_exchange_n(&taken[stack[n]], 1, __ATOMIC_RELAXED));
            own++;
        }
    }
    dfi_store_release(&over, 1);
    for (int i = 0; i < THIEVES; i++) CHECK(!pthread_join(thread[i], NULL)), all += stolen[i];
    CHECK(dfi_deque_empty_any(&w) && all + own == ENTRIES);
    for (size_t k = 0; k < ENTRIES; k++) CHECK(taken[k]);
    CHECK(dfi_load_relaxed(&w.ring) != first && own && all);
    dfi_deque_free(&w);
    return 0;
}
