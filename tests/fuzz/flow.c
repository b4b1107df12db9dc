/* flow.c - random dataflow programs: `flow FIRST_SEED COUNT` prints, per seed, a hash of the memory after
 * 2,000 tasks; the serial build is the oracle
 *
 * Every task reads one region, updates one and writes one: ranges and 2-D blocks of equal and different leading
 * dimension, which overlap at random. It mixes its inputs into its outputs, so that the order matters, and writes
 * its `out` region without having read it. A task may have children, up to depth 4, on parts of its own regions; it
 * waits for all of them, or for those that write to a range, or not at all. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SPAN = 2048, TASKS = 2000, DEPTH = 4, LD = 32 };
#include "boxes.h"

/* What a task is to do. `a` is read, `b` updated, `c` written. */
struct plan {
    uint64_t seed;
    int depth, children; /* below it, in all */
    struct box a, b, c;
};

DF_STATIC_TASK(void, blocks, (struct plan, s), df_in2(cell, a, s.a.rows, s.a.cols, s.a.ld),
               df_inout2(cell, b, s.b.rows, s.b.cols, s.b.ld), df_out2(cell, c, s.c.rows, s.c.cols, s.c.ld));
/* the same with ranges, when all three are */
DF_STATIC_TASK(void, ranges, (struct plan, s), df_in_range(cell, a, a_end), df_inout(cell, b, s.b.rows *s.b.cols),
               df_out_range(cell, c, c_end));

/* --- what tasks do ---------------------------------------------------------------------------- */

static void write_box(uint64_t h, struct box x, cell *p, int keep)
{
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) {
            h = test_mix(h, keep ? p[i * x.ld + j] : 1);
            p[i * x.ld + j] = (cell)h;
        }
}

static void submit_child(uint64_t *seed, const struct plan *s, int children, uint64_t h, const cell *a, cell *b,
                         cell *c)
{
    /* its inputs may come from all three regions, its outputs from the two; finds their places */
    const struct { struct box x; const cell *read; cell *write;
                   } from[] = { { s->a, a, NULL }, { s->b, b, b }, { s->c, c, c } };
    int most = children ? 400 : 40, i = test_below(seed, 3), j = 1 + test_below(seed, 2), k = 1 + test_below(seed, 2);
    struct plan t = { test_mix(*seed, h), s->depth + 1, children, nothing, nothing, nothing };
    if (test_below(seed, 3)) t.a = part_of(seed, from[i].x, most);
    if (test_below(seed, 3)) t.b = part_of(seed, from[j].x, most);
    if (test_below(seed, 2)) t.c = part_of(seed, from[k].x, most);
    /* one's own `out` is neither read nor updated: it has no value yet */
    if (meet(t.c, t.a) || meet(t.c, t.b)) t.c = nothing;
    a = t.a.rows ? from[i].read + (t.a.at - from[i].x.at) : NULL;
    b = t.b.rows ? from[j].write + (t.b.at - from[j].x.at) : NULL;
    c = t.c.rows ? from[k].write + (t.c.at - from[k].x.at) : NULL;
    if (t.a.rows == 1 && t.b.rows <= 1 && t.c.rows == 1) df_submit(ranges, t, a, a + t.a.cols, b, c, c + t.c.cols);
    else df_submit(blocks, t, a, b, c);
}

static void body(struct plan s, const cell *a, cell *b, cell *c)
{
    uint64_t seed = s.seed, h = read_box(read_box(seed, s.a, a), s.b, b);
    int left = s.children;
    if (test_below(&seed, 8) == 0) test_spin((unsigned)test_below(&seed, 3000));
    write_box(h, s.b, b, 1);
    write_box(h, s.c, c, 0);
    while (left > 0) {
        int below, n = 1;
        switch (test_below(&seed, 40)) {
        case 0: /* all that was submitted is done: b and c are ours again */
            df_wait();
            h = read_box(h, s.b, b);
            write_box(h, s.c, c, 1);
            break;
        case 1: case 2: case 3: /* what writes to a part is done: that part may be read */
            if (s.b.rows) {
                int i = test_below(&seed, s.b.rows), j = test_below(&seed, s.b.cols);
                struct box row = { 0, 1, 1 + test_below(&seed, s.b.cols - j), 1, 0 };
                df_wait_on(b + i * s.b.ld + j, (size_t)row.cols * sizeof *b);
                h = read_box(h, row, b + i * s.b.ld + j);
            }
            break;
        case 4: /* some of the children in a block: a scope of its own, so the others first */
            df_wait();
            DF_PARALLEL {
                for (n = 1 + test_below(&seed, 10); n > 0 && left > 0; n--, left--)
                    submit_child(&seed, &s, 0, h, a, b, c);
            }
            break;
        default:
            left--;
            below = s.depth < DEPTH && test_below(&seed, 8) == 0 ? test_below(&seed, left / 3 + 1) : 0;
            left -= below;
            submit_child(&seed, &s, below, h, a, b, c);
            break;
        }
    }
}
static void blocks(struct plan s, const cell *a, cell *b, cell *c) { body(s, a, b, c); }
static void ranges(struct plan s, const cell *a, const cell *a_end, cell *b, cell *c, cell *c_end)
{
    CHECK(a_end - a == s.a.cols && c_end - c == s.c.cols);
    body(s, a, b, c);
}

int main(int argc, char **argv)
{
    static cell memory[SPAN];
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
        count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    for (unsigned long long n = first; n < first + count; n++) {
        struct plan all = { n, 0, TASKS, nothing, { 0, 1, SPAN, 1, 0 }, nothing };
        memset(memory, 0, sizeof memory);
        if (n % 2) {
            body(all, NULL, memory, NULL);
            df_wait();
        } else DF_PARALLEL body(all, NULL, memory, NULL);
        printf("%llu %016llx\n", n, (unsigned long long)read_box(0, all.b, memory));
    }
}
