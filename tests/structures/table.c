/* table.h against a list of regions: each region has one entry, which knows the entries that share bytes with it, and
 * which of them it contains; a sweep drops those whose tasks are done, and no others. */
#include "../../impl/flow/table.h"
#include "../test.h"

struct dfi_pool dfi_pool;
struct dfi_flow_pool dfi_flow_pool;
struct dfi_logger dfi_logger;
DFI_LATER_IS(size_t, dfi_scope_bytes, sizeof(struct dfi_flow_scope));
static size_t bytes_of(unsigned cls)
{
    return cls == DFI_CLS_TABLE ? sizeof(struct dfi_table) : sizeof(struct dfi_entry);
}
DFI_LATER_IS(dfi_up_block_bytes_fn, dfi_up_block_bytes, bytes_of);

enum { TASKS = 64 };
static struct dfi_worker w;
static struct dfi_flow task[TASKS];

/* ld: not 0: most are blocks, or parts of rows, of matrices with rows of ld bytes. */
static struct dfi_region any(uint64_t *seed, int bytes, int ld)
{
    struct dfi_access x;
    memset(&x, 0, sizeof x);
    x.p = (const void *)(4096 + (uintptr_t)test_below(seed, bytes));
    x.row = 1 + (size_t)test_below(seed, test_below(seed, 10) ? 20 : bytes), x.rows = 1;
    if (ld && test_below(seed, 8)) x.row = 1 + (size_t)test_below(seed, ld < 20 ? ld : 20), x.ld = (size_t)ld;
    else if (test_below(seed, 3) == 0) x.ld = x.row + (size_t)test_below(seed, 30);
    if (x.ld) x.rows = 1 + (size_t)test_below(seed, 6);
    return dfi_region_of(&x);
}
/* The entries of t: as many as it counts, with right lists. */
static void check(struct dfi_table *t)
{
    size_t n = 0;
    for (struct dfi_entry *a = t->all; a; a = a->all, n++) {
        unsigned over = 0;
        for (struct dfi_entry *b = t->all; b; b = b->all)
            if (a != b && dfi_region_overlap(&a->region, &b->region)) over++;
        CHECK(over == a->n_over);
        for (unsigned i = 0; i < over; i++) {
            struct dfi_entry *b = dfi_entry_over(a, i);
            CHECK(b != a && dfi_region_overlap(&a->region, &b->region));
            CHECK(((uintptr_t)a->over[i] & 1) == (uintptr_t)dfi_region_covers(&a->region, &b->region));
            for (unsigned k = 0; k < i; k++) CHECK(dfi_entry_over(a, k) != b);
        }
    }
    CHECK(n == t->count);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    size_t swept = 0;
    for (int i = 0; i < TASKS; i++) task[i].seq = 1; /* not done: no task has the edge that marks its end */
    for (int round = 0; round < 12; round++) {
        static struct dfi_flow_scope scope;
        struct dfi_table *t = dfi_table_of(&w, &scope.scope);
        int bytes = round % 3 == 0 ? 60 : round % 3 == 1 ? 2000 : 100000;
        int ld = round < 3 ? 0 : bytes == 60 ? 16 : 250;
        CHECK(t && !t->all && !t->count && dfi_table_of(&w, &scope.scope) == t);
        for (int i = 0; i < (bytes == 60 ? 200 : 600); i++) {
            struct dfi_region r = any(&seed, bytes, i < 100 ? 0 : i < 400 ? ld : ld / 2);
            size_t before = t->count;
            struct dfi_entry *n = dfi_table_find(&w, t, &r);
            CHECK(n && dfi_region_same(&n->region, &r) && dfi_table_find(&w, t, &r) == n);
            if (test_below(&seed, 2)) n->writer.task = &task[test_below(&seed, TASKS)], n->writer.seq = 1;
            else {
                struct dfi_ref reader = { &task[test_below(&seed, TASKS)], 1 };
                for (int k = test_below(&seed, 8); k >= 0; k--) CHECK(!dfi_entry_add_reader(n, reader));
            }
            if (i % 100 == 99) {
                int done = test_below(&seed, TASKS);
                dfi_store_release(&task[done].succ, DFI_DONE_EDGE);
                if (i % 300 == 299) t->sweep_at = t->count; /* the next new region sweeps */
                task[test_below(&seed, TASKS)].seq++;       /* its memory is used again: that is an end as well */
            }
            swept += before > t->count;
            if (i % 100 == 0) check(t);
        }
        for (struct dfi_entry *n = t->all; n; n = n->all)
            CHECK(dfi_table_find(&w, t, &n->region) == n);
        for (int i = 0; i < TASKS; i++) dfi_store_relaxed(&task[i].succ, NULL), task[i].seq = 1;
        dfi_table_free(&w, &scope.scope);
        scope.table = NULL;
    }
    CHECK(swept > 3);
    dfi_blocks_free_all(&w);
    return 0;
}
