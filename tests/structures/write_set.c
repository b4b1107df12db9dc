/* log.h: the write set of nested transactions against arrays of words: what it finds, what it stores, and what is left
 * of it when a nested block is undone. */
#include "../../impl/stm/log.h"
#include "../test.h"

struct dfi_logger dfi_logger;

enum { WORDS = 600, DEPTH = 4 };
static struct dfi_tm_room room;
static struct { uintptr_t bits[WORDS], mask[WORDS]; } model[DEPTH + 1]; /* one for each open block */
static uintptr_t memory[WORDS], stored[WORDS];

static void check(struct dfi_tm *t, int depth, int used)
{
    for (int i = 0; i < used; i++) {
        const struct dfi_tm_write *x = dfi_tm_find(t, &memory[i]);
        CHECK((x != NULL) == (model[depth].mask[i] != 0));
        if (!x) continue;
        CHECK(x->at == &memory[i] && x->mask == model[depth].mask[i]);
        CHECK((x->bits & x->mask) == model[depth].bits[i]);
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    struct dfi_tm *t = &room.tm;
    int grown = 0, undone = 0;
    dfi_tm_lay_out(t, room.writes, DFI_TM_WRITES);
    t->few = DFI_TM_FEW;
    for (int round = 0; round < 400; round++) {
        struct dfi_tm_block block[DEPTH + 1];
        int depth = 0, used = round % 4 == 0 ? WORDS : 4 + round % 60;
        memset(block, 0, sizeof block);
        memset(&model[0], 0, sizeof model[0]);
        t->inner = &block[0];
        for (int step = 0; step < used * 2; step++) {
            struct dfi_tm_write x;
            int i = test_below(&seed, used), what = test_below(&seed, 12);
            if (what == 0 && depth < DEPTH) { /* a block begins */
                block[depth].writes = t->n_writes, block[depth].undo = t->n_undo; /* kept by the outer one */
                block[depth + 1].outer = &block[depth];
                model[depth + 1] = model[depth];
                t->inner = &block[++depth];
            } else if (what == 1 && depth) { /* it is rolled back alone */
                t->inner = &block[--depth];
                dfi_tm_undo_writes(t, t->inner);
                check(t, depth, used);
                undone++;
            } else {
                size_t n = (size_t)1 << test_below(&seed, 4);
                size_t at = (size_t)test_below(&seed, (int)(DFI_TM_WORD / n)) * n;
                x.at = &memory[i];
                x.mask = dfi_tm_low(n) << dfi_tm_shift(at, n), x.bits = (uintptr_t)test_random(&seed) & x.mask;
                CHECK(!dfi_tm_add_write(t, &x));
                model[depth].bits[i] = (model[depth].bits[i] & ~x.mask) | x.bits, model[depth].mask[i] |= x.mask;
            }
        }
        check(t, depth, used);
        while (depth) { /* the blocks end with effect */
            model[depth - 1] = model[depth];
            t->inner = &block[--depth];
        }
        for (int i = 0; i < WORDS; i++) stored[i] = memory[i] = (uintptr_t)test_random(&seed);
        for (size_t i = 0; i < t->n_writes; i++) dfi_tm_apply(&t->writes[i]);
        for (int i = 0; i < used; i++)
            CHECK(memory[i] == ((stored[i] & ~model[0].mask[i]) | model[0].bits[i]));
        grown |= t->max_writes > DFI_TM_WRITES;
        dfi_tm_clear_writes(t);
        CHECK(!t->n_writes && !dfi_tm_find(t, &memory[0]));
    }
    CHECK(grown && undone > 100);
    dfi_tm_drop(t, t->writes);
    dfi_tm_drop(t, t->undo);
    return 0;
}
