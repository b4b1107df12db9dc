/* blocks.h: workers take blocks of several classes, and free them, their own and those of others. No block is in use
 * twice at a time, it keeps its class, and comes home: memory stays small. */
#include "../../impl/work/blocks.h"
#include "../test.h"
#include <pthread.h>

struct dfi_pool dfi_pool;
struct dfi_logger dfi_logger;
DFI_LATER_IS(size_t, dfi_scope_bytes, sizeof(struct dfi_scope));
enum { SMALL = DFI_CLS_UPPER, LARGE, CLASSES };
static size_t bytes_of(unsigned cls) { return cls == SMALL ? 40 : 1000; }
DFI_LATER_IS(dfi_up_block_bytes_fn, dfi_up_block_bytes, bytes_of);

/* What a user keeps in a block; `use` and `owner` stay when it is free. */
struct block {
    struct dfi_block_head head;
    struct dfi_worker *home;
    DFI_ATOMIC(int) in_use;
};
enum { WORKERS = 3, ROUNDS = 300000, MAIL = 256 };
static struct dfi_worker worker[WORKERS];
static struct { DFI_ATOMIC(struct block *) slot[MAIL]; } mail; /* blocks that any worker may free */

static void *work(void *arg)
{
    struct dfi_worker *w = (struct dfi_worker *)arg;
    uint64_t seed = (uint64_t)(w - worker) + 1;
    for (int i = 0; i < ROUNDS; i++) {
        unsigned cls = (unsigned)test_below(&seed, CLASSES);
        struct block *b = (struct block *)dfi_block_new(w, cls), *other;
        CHECK(b && b->head.cls == cls && (uintptr_t)b % DFI_LINE == 0);
        CHECK(!b->home || b->home == w); /* the class and the home of a block never change */
        b->home = w;
        CHECK(!__atomic_exchange_n(&b->in_use, 1, __ATOMIC_ACQ_REL));
        memset((char *)b + sizeof *b, i, dfi_cls_bytes(cls) - sizeof *b);
        other = dfi_swap_acq_rel(&mail.slot[test_below(&seed, MAIL)], b);
        if (other) {
            CHECK(__atomic_exchange_n(&other->in_use, 0, __ATOMIC_ACQ_REL));
            dfi_block_free(w, other->home, &other->head);
        }
    }
    dfi_outbox_flush(w);
    return NULL;
}

int main(void)
{
    pthread_t thread[WORKERS];
    for (int i = 0; i < WORKERS; i++) CHECK(!pthread_create(&thread[i], NULL, work, &worker[i]));
    for (int i = 0; i < WORKERS; i++) CHECK(!pthread_join(thread[i], NULL));
    for (int i = 0; i < WORKERS; i++) {
        size_t chunks = 0;
        for (struct dfi_chunk *c = worker[i].chunks; c; c = c->next) chunks++;
        CHECK(chunks < 200); /* 900000 blocks, of which few are in use at a time */
        dfi_blocks_free_all(&worker[i]);
        CHECK(!worker[i].chunks);
    }
    return 0;
}
