/* modes.c - random programs with every mode of access: `modes FIRST_SEED COUNT` prints, per seed, a hash of the
 * memory after 1,000 tasks; the serial build is the oracle
 *
 * A task reads one box, a, and changes two, b and c, in the way its modes permit: updates and writes mix in all that
 * was read, so that the order matters; commuting accesses and reductions only accumulate, so that any order gives
 * the same, but one after the other; concurrent accesses add atomically. A task's children, up to depth 4, access
 * parts of its boxes: in any mode where order is kept, else only in the mode of the task itself. A weak task leaves
 * all of it to its children. Tokens order tasks that declare no common memory: a task that waits for a token reads
 * the notes of the tasks that signal it. Seeds differ in the size of the window and of the deque, and in the memory
 * for renaming. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SPAN = 2048, TASKS = 1000, DEPTH = 4, LD = 32, TOKENS = 6, SIGNALS = 3 };
#include "boxes.h"

/* Operations on the cells of a box. All but the first three give the same result in any order. */
enum { READ, UPDATE, FRESH, SUM, ATOMIC, XOR, MAX, MIN, OR, AND, PROD, KEY };
static cell accumulate(int style, cell x, cell v)
{
    switch (style) {
    case SUM: return x + v;
    case XOR: return x ^ v;
    case MAX: return x < v ? v : x;
    case MIN: return v < x ? v : x;
    case OR: return x | (1u << v % 32);
    case AND: return x & ~(1u << v % 32);
    case PROD: return x * (v | 1);
    default: return v * 2654435769u > x * 2654435769u ? v : x;
    }
}

enum { OF_A, OF_B, OF_C, FROM };
#include "modes.h"

static void body(struct plan s, const cell *a, cell *b, cell *c);

KIND(ordered, df_in2(cell, a, BOX(a)), df_inout2(cell, b, BOX(b)), df_out2(cell, c, BOX(c)))
KIND(commuting, df_in2(cell, a, BOX(a)), df_commute2(cell, b, BOX(b)), df_commute2(cell, c, BOX(c)))
KIND(concurrent, df_in2(cell, a, BOX(a)), df_concurrent(cell, b, FLAT(b)), df_out2(cell, c, BOX(c)))
KIND(sums, df_in2(cell, a, BOX(a)), df_reduce2(df_sum, cell, b, BOX(b)), df_commute2(cell, c, BOX(c)))
KIND(xors, df_in2(cell, a, BOX(a)), df_reduce2(df_bxor, cell, b, BOX(b)), df_inout2(cell, c, BOX(c)))
KIND(extremes, df_in2(cell, a, BOX(a)), df_reduce(df_max, cell, b, FLAT(b)), df_reduce2(df_min, cell, c, BOX(c)))
KIND(masks, df_in2(cell, a, BOX(a)), df_reduce2(df_bor, cell, b, BOX(b)), df_reduce(df_band, cell, c, FLAT(c)))
KIND(products, df_in2(cell, a, BOX(a)), df_reduce2(largest_key, cell, b, BOX(b)), df_reduce(df_prod, cell, c, FLAT(c)))
KIND(weak, df_weak_in2(cell, a, BOX(a)), df_weak_inout2(cell, b, BOX(b)), df_weak_out2(cell, c, BOX(c)))
KIND(weak_flat, df_weak_in(cell, a, FLAT(a)), df_weak_inout(cell, b, FLAT(b)), df_weak_out(cell, c, FLAT(c)))
KIND(weak_half, df_in2(cell, a, BOX(a)), df_weak_inout2(cell, b, BOX(b)), df_out2(cell, c, BOX(c)))

static const struct kind {
    enum mode b, c;
    int style_b, style_c;
    int flat_a, flat_b, flat_c, weak_a, weak_b, weak_c;
} kinds[] = {
    { INOUT, OUT, UPDATE, FRESH, 0, 0, 0, 0, 0, 0 },
    { COMMUTE, COMMUTE, SUM, SUM, 0, 0, 0, 0, 0, 0 },
    { CONCURRENT, OUT, ATOMIC, FRESH, 0, 1, 0, 0, 0, 0 },
    { REDUCE, COMMUTE, SUM, SUM, 0, 0, 0, 0, 0, 0 },
    { REDUCE, INOUT, XOR, UPDATE, 0, 0, 0, 0, 0, 0 },
    { REDUCE, REDUCE, MAX, MIN, 0, 1, 0, 0, 0, 0 },
    { REDUCE, REDUCE, OR, AND, 0, 0, 1, 0, 0, 0 },
    { REDUCE, REDUCE, KEY, PROD, 0, 0, 1, 0, 0, 0 },
    { INOUT, OUT, UPDATE, FRESH, 0, 0, 0, 1, 1, 1 },
    { INOUT, OUT, UPDATE, FRESH, 1, 1, 1, 1, 1, 1 },
    { INOUT, OUT, UPDATE, FRESH, 0, 0, 0, 0, 1, 0 },
};
enum { KINDS = sizeof kinds / sizeof *kinds, WEAK = 8 };

static void submit(const df_opts *o, const struct plan *s, const cell *a, cell *b, cell *c)
{
#define SUBMIT(name) if (o) df_submit_with(o, name, *s, a, b, c); else df_submit(name, *s, a, b, c); break
    switch (s->kind) {
    case 0: SUBMIT(ordered);
    case 1: SUBMIT(commuting);
    case 2: SUBMIT(concurrent);
    case 3: SUBMIT(sums);
    case 4: SUBMIT(xors);
    case 5: SUBMIT(extremes);
    case 6: SUBMIT(masks);
    case 7: SUBMIT(products);
    case 8: SUBMIT(weak);
    case 9: SUBMIT(weak_flat);
    default: SUBMIT(weak_half);
    }
}

/* --- what tasks do ---------------------------------------------------------------------------- */

/* Reads or changes the cells of x at p; returns h with all that was read. */
static uint64_t touch(uint64_t h, struct box x, cell *p)
{
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) {
            volatile cell *q = p + i * x.ld + j; /* volatile: two accesses, between which others could come */
            cell v = (cell)test_mix(h, (uint64_t)(i * 100 + j));
            switch (x.style) {
            case READ: h = test_mix(h, *q); break;
            case UPDATE: *q = (cell)(h = test_mix(h, *q)); break;
            case FRESH: *q = (cell)(h = test_mix(h, 1)); break;
            case ATOMIC: __atomic_fetch_add(q, v, __ATOMIC_RELAXED); break;
            default: *q = accumulate(x.style, *q, v); break;
            }
        }
    return h;
}

/* A scope, and the data that it gives to its children. */
struct scope {
    struct plan s;
    const cell *a;
    cell *b, *c;
    struct promises promises;
    struct plan last;    /* its children have the same boxes now and then */
    int from_a, from_b, from_c;
};
static struct box box_of(const struct scope *m, int i) { return i == OF_A ? m->s.a : i == OF_B ? m->s.b : m->s.c; }
static cell *write_to(const struct scope *m, int i, struct box x)
{
    return !x.rows ? NULL : i == OF_B ? m->b + (x.at - m->s.b.at) : m->c + (x.at - m->s.c.at);
}

static void submit_child(uint64_t *seed, struct scope *m, int children, uint64_t h)
{
    int most = children ? 400 : 40, again = m->last.depth && test_below(seed, 3), with, after, signals, pin;
    struct plan *t = &m->last;
    struct links links;
    df_opts o = { 0 };
    if (!again) {
        const struct kind *k;
        struct box from;
        memset(t, 0, sizeof *t);
        t->a = t->b = t->c = nothing;
        t->kind = test_below(seed, KINDS), k = &kinds[t->kind];
        m->from_a = pick(seed, m, OF_A), m->from_b = pick(seed, m, OF_B), m->from_c = pick(seed, m, OF_B);
        from = box_of(m, m->from_a);
        if (test_below(seed, 3) && (from.style == READ || from.style == UPDATE)) t->a = part_of(seed, from, most);
        t->a.style = READ;
        if (k->flat_a && t->a.rows > 1) t->a.rows = 1;
        from = box_of(m, m->from_b);
        if (test_below(seed, 3)) t->b = with_style(part_of(seed, from, most), from.style, k->b, k->style_b, k->flat_b);
        from = box_of(m, m->from_c);
        if (test_below(seed, 2)) t->c = with_style(part_of(seed, from, most), from.style, k->c, k->style_c, k->flat_c);
        /* what has no value yet, or is a copy, cannot be read or changed in another way by the same task */
        if ((k->c == OUT || k->c == REDUCE) && meet(t->c, t->a)) t->c = nothing;
        if (k->b == REDUCE && meet(t->b, t->a)) t->b = nothing;
        if ((k->b != COMMUTE || k->c != COMMUTE || t->b.style != t->c.style) && meet(t->b, t->c)) t->c = nothing;
    }
    t->seed = test_mix(*seed, h), t->depth = m->s.depth + 1, t->children = children;
    with = test_below(seed, 2), after = test_below(seed, TOKENS), signals = test_below(seed, TOKENS);
    o.priority = test_below(seed, 5) - 2, pin = test_below(seed, 40);
    if (pin == 0) o.worker = DF_MAIN_THREAD;
    if (pin == 1 && df_workers() > 1) o.worker = df_workers() - 1;
    link_tokens(&links, with ? &m->promises : NULL, t, &o, after, signals, o.priority > 0);
    submit(with ? &o : NULL, t,
           !t->a.rows ? NULL : m->from_a == OF_A ? m->a + (t->a.at - m->s.a.at) : write_to(m, m->from_a, t->a),
           write_to(m, m->from_b, t->b), write_to(m, m->from_c, t->c));
}

static void body(struct plan s, const cell *a, cell *b, cell *c)
{
    const struct kind *k = &kinds[s.kind];
    struct scope m = { .s = s, .a = a, .b = b, .c = c };
    uint64_t seed = s.seed, h = s.seed;
    int left = s.children;
    if (test_below(&seed, 8) == 0) test_spin((unsigned)test_below(&seed, 3000));
    for (int i = 0; i < SIGNALS && s.notes; i++) h = test_mix(h, s.notes[i]);
    if (!k->weak_a) h = read_box(h, s.a, a);
    if (!k->weak_b) h = touch(h, s.b, b);
    if (!k->weak_c) h = touch(h, s.c, c);
    if (k->weak_c && s.c.rows) { /* the first child writes it */
        struct plan t = { h, 0, s.depth + 1, 0, nothing, nothing, s.c, NULL, NULL, NULL };
        df_submit(ordered, t, NULL, NULL, c);
    }
    if (s.note) *s.note = (cell)h;
    if (s.signal) df_signal(s.signal);
    if (m.s.c.style == FRESH) m.s.c.style = UPDATE; /* it has a value now */
    if (left > 3) m.promises.tokens = df_local(struct tokens, 1);
    tokens_begin(&m.promises, &seed);
    while (left > 0) {
        int below, n = 1, i;
        switch (test_below(&seed, 50)) {
        case 0: /* all that was submitted is done: b and c are ours again */
            df_wait();
            if (!k->weak_b) h = touch(h, s.b, b);
            if (!k->weak_c) h = touch(h, m.s.c, c);
            tokens_begin(&m.promises, &seed);
            break;
        case 1: case 2: case 3: /* what writes to a part is done: that part may be read */
            if (s.b.rows && s.b.style == UPDATE && !k->weak_b) {
                struct box row = { 0, 1, 0, 1, READ };
                int j = test_below(&seed, s.b.cols);
                i = test_below(&seed, s.b.rows), row.cols = 1 + test_below(&seed, s.b.cols - j);
                df_wait_on(b + i * s.b.ld + j, (size_t)row.cols * sizeof *b);
                h = read_box(h, row, b + i * s.b.ld + j);
            }
            break;
        case 4: /* some of the children in a block: a scope of its own, so the others first */
            df_wait();
            tokens_begin(&m.promises, &seed);
            DF_PARALLEL {
                struct scope in_block = m;
                in_block.promises.tokens = NULL;
                for (n = 1 + test_below(&seed, 10); n > 0 && left > 0; n--, left--)
                    submit_child(&seed, &in_block, 0, h);
            }
            break;
        case 5: /* the notes of the tasks that signal a token */
            i = test_below(&seed, TOKENS);
            if (!promised(&m.promises, i)) break;
            CHECK(df_wait_token(&m.promises.tokens->token[i]) == DF_OK);
            for (n = 0; n < SIGNALS; n++) h = test_mix(h, m.promises.tokens->note[i][n]);
            break;
        default:
            left--;
            below = s.depth < DEPTH && test_below(&seed, 8) == 0 ? test_below(&seed, left / 3 + 1) : 0;
            left -= below;
            submit_child(&seed, &m, below, h);
            break;
        }
    }
}

int main(int argc, char **argv)
{
    static const size_t windows[] = { 0, 4, 50 }, deques[] = { 0, 2, 16, 0, 100 }, renames[] = { 0, 0, 1000, 1 << 20 };
    static cell memory[SPAN];
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
        count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    for (unsigned long long n = first; n < first + count; n++) {
        struct plan all = { n, 0, 0, TASKS, nothing, { 0, 1, SPAN, 1, UPDATE }, nothing, NULL, NULL, NULL };
        df_config config = { .window = windows[n % 3], .deque = deques[n % 5], .rename_bytes = renames[n % 4] };
        memset(memory, 0, sizeof memory);
        CHECK(df_start(&config) == DF_OK);
        if (n % 2) {
            body(all, NULL, memory, NULL);
            df_wait();
        } else DF_PARALLEL body(all, NULL, memory, NULL);
        printf("%llu %016llx\n", n, (unsigned long long)read_box(0, all.b, memory));
        df_stop();
    }
}
