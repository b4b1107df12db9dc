/* modes.c - random programs with every mode of access: `modes FIRST_SEED COUNT` prints, per seed, a hash of the
 * memory after 1,000 tasks; the serial build is the oracle
 *
 * A task reads one box, a, and changes two, b and c, in the way its modes permit: what updates or writes mixes
 * in all that was read, order matters; what commutes or is reduced only accumulates, so that any order gives
 * the same, but one after the other; what is concurrent adds atomically. A task's children, up to depth 4, work
 * on parts of its boxes: as they like where order is kept, else only as the task itself may. A weak task leaves
 * all of it to its children. Tokens order tasks that have no memory in common as far as df knows: who waits for
 * one reads the notes of those who signal it. Seeds differ in the size of the window and of the deque, and in
 * the memory for renaming. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SPAN = 2048, TASKS = 1000, DEPTH = 4, LD = 32, TOKENS = 6, SIGNALS = 3 };
typedef uint32_t cell;

/* What is done with the cells of a box. All but the first three: any order gives the same. */
enum style { READ, UPDATE, FRESH, SUM, ATOMIC, XOR, MAX, MIN, OR, AND, PROD, KEY };
enum mode { INOUT, OUT, COMMUTE, CONCURRENT, REDUCE };

/* `rows` rows of `cols` cells, `ld` apart, from cell `at` of the memory; no rows: nothing. */
struct box { int at, rows, cols, ld; enum style style; };
struct plan {
    uint64_t seed;
    int kind, depth, children;  /* children: below it, in all */
    struct box a, b, c;
    const cell *notes;          /* of the token it waits for */
    cell *note;                 /* for the token it signals */
    df_token *signal;           /* by itself */
};

static void body(struct plan s, const cell *a, cell *b, cell *c);

/* An operator whose order is not that of the numbers. */
static void key_combine(cell *into, const cell *from)
{
    if (*from * 2654435769u > *into * 2654435769u) *into = *from;
}
static void key_identity(cell *x) { *x = 0; }
DF_REDUCTION(largest_key, cell, key_combine, key_identity);

#define BOX(x) s.x.rows, s.x.cols, s.x.ld
#define FLAT(x) s.x.rows *s.x.cols
#define KIND(name, A, B, C)                               \
    DF_STATIC_TASK(void, name, (struct plan, s), A, B, C); \
    static void name(struct plan s, const cell *a, cell *b, cell *c) { body(s, a, b, c); }

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
    enum style style_b, style_c;
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

/* --- boxes ------------------------------------------------------------------------------------ */

static const struct box nothing = { 0, 0, 1, 1, READ };

/* A part of the range of n cells from `at`: a range, or a block of any leading dimension. */
static struct box part_of_range(uint64_t *seed, int at, int n, int most)
{
    struct box x = { at, 1, 1, 1, READ };
    int length = 1 + test_below(seed, n < most ? n : most);
    x.at += test_below(seed, n - length + 1);
    x.cols = length;
    if (test_below(seed, 3) == 0) return x;
    x.ld = test_below(seed, 2) ? LD : 1 + test_below(seed, 40);
    x.cols = 1 + test_below(seed, x.ld < 9 ? x.ld : 9);
    x.rows = 1 + test_below(seed, 8);
    while (x.rows > 1 && (x.rows - 1) * x.ld + x.cols > at + n - x.at) x.rows--;
    if (x.cols > at + n - x.at) x.cols = at + n - x.at;
    return x;
}

/* A part of x of about `most` cells: fewer rows and columns, every second row, one row, or all of it. */
static struct box part_of(uint64_t *seed, struct box x, int most)
{
    struct box y = x;
    int i, j;
    if (x.rows == 0 || test_below(seed, 20) == 0) return nothing;
    if (test_below(seed, 4) == 0 && x.rows * x.cols <= most) return x;
    if (x.rows == 1) return part_of_range(seed, x.at, x.cols, most);
    i = test_below(seed, x.rows), j = test_below(seed, x.cols);
    y.at += i * x.ld + j;
    y.rows = 1 + test_below(seed, x.rows - i);
    y.cols = 1 + test_below(seed, x.cols - j);
    if (y.rows > 2 && test_below(seed, 4) == 0) y.rows = (y.rows + 1) / 2, y.ld *= 2;
    while (y.rows * y.cols > most) y.rows > 1 ? y.rows-- : y.cols--;
    return y;
}

static int meet(struct box x, struct box y)
{
    unsigned char in[SPAN] = { 0 };
    for (int i = 0; i < x.rows; i++) memset(in + x.at + i * x.ld, 1, (size_t)x.cols);
    for (int i = 0; i < y.rows; i++)
        for (int j = 0; j < y.cols; j++)
            if (in[y.at + i * y.ld + j]) return 1;
    return 0;
}

/* --- what tasks do ---------------------------------------------------------------------------- */

static cell accumulate(enum style style, cell x, cell v)
{
    switch (style) {
    case SUM: return x + v;
    case XOR: return x ^ v;
    case MAX: return x < v ? v : x;
    case MIN: return v < x ? v : x;
    case OR: return x | (1u << v % 32);
    case AND: return x & ~(1u << v % 32);
    case PROD: return x * (v | 1);
    default: key_combine(&x, &v); return x;
    }
}

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
static uint64_t read_box(uint64_t h, struct box x, const cell *p)
{
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) h = test_mix(h, p[i * x.ld + j]);
    return h;
}

/* What a scope gives to its children, and what is known about those so far. */
struct scope {
    struct plan s;
    const cell *a;
    cell *b, *c;
    struct tokens { df_token token[TOKENS]; cell note[TOKENS][SIGNALS]; } *tokens;
    int needs[TOKENS], promised[TOKENS];
    struct plan last;    /* its children have the same boxes now and then */
    int from_a, from_b, from_c;
};
static struct box box_of(const struct scope *m, int i) { return i == 0 ? m->s.a : i == 1 ? m->s.b : m->s.c; }
static cell *write_to(const struct scope *m, int i, struct box x)
{
    return !x.rows ? NULL : i == 1 ? m->b + (x.at - m->s.b.at) : m->c + (x.at - m->s.c.at);
}

/* One of the scope's boxes, from the `first` on, that is not empty. */
static int pick(uint64_t *seed, const struct scope *m, int first)
{
    int i = first + test_below(seed, 3 - first);
    for (int k = first; k < 3 && box_of(m, i).rows == 0; k++) i = i == 2 ? first : i + 1;
    return i;
}

static void tokens_begin(struct scope *m, uint64_t *seed)
{
    for (int i = 0; i < TOKENS; i++) {
        m->needs[i] = 1 + test_below(seed, SIGNALS), m->promised[i] = 0;
        if (!m->tokens) continue;
        df_token_init(&m->tokens->token[i], m->needs[i]);
        memset(m->tokens->note[i], 0, sizeof m->tokens->note[i]);
    }
}

/* A part for a child whose mode is `mode` and which, if free to choose, treats it as `style`. */
static struct box part_for(uint64_t *seed, struct box x, int most, enum mode mode, enum style style, int flat)
{
    enum style parent = x.style;
    struct box y = part_of(seed, x, most);
    if (flat && y.rows > 1) y.rows = 1;
    if (parent == UPDATE) y.style = style;
    else if (mode == INOUT || mode == COMMUTE) y.style = parent;
    else if (mode == CONCURRENT && (parent == SUM || parent == ATOMIC)) y.style = ATOMIC;
    else if (mode == REDUCE && parent == style) y.style = parent;
    else return nothing;
    return parent == READ ? nothing : y;
}

static void submit_child(uint64_t *seed, struct scope *m, int children, uint64_t h)
{
    int most = children ? 400 : 40, again = m->last.depth && test_below(seed, 3), with, after, signals, priority, pin;
    struct plan *t = &m->last;
    df_token *wait_for[2] = { NULL, NULL }, *to_signal[2] = { NULL, NULL };
    df_opts o = { 0 };
    if (!again) {
        const struct kind *k;
        struct box from;
        memset(t, 0, sizeof *t);
        t->a = t->b = t->c = nothing;
        t->kind = test_below(seed, KINDS), k = &kinds[t->kind];
        m->from_a = pick(seed, m, 0), m->from_b = pick(seed, m, 1), m->from_c = pick(seed, m, 1);
        from = box_of(m, m->from_a);
        if (test_below(seed, 3) && (from.style == READ || from.style == UPDATE)) t->a = part_of(seed, from, most);
        t->a.style = READ;
        if (k->flat_a && t->a.rows > 1) t->a.rows = 1;
        if (test_below(seed, 3)) t->b = part_for(seed, box_of(m, m->from_b), most, k->b, k->style_b, k->flat_b);
        if (test_below(seed, 2)) t->c = part_for(seed, box_of(m, m->from_c), most, k->c, k->style_c, k->flat_c);
        /* what has no value yet, or is a copy, cannot be read or changed in another way by the same task */
        if ((k->c == OUT || k->c == REDUCE) && meet(t->c, t->a)) t->c = nothing;
        if (k->b == REDUCE && meet(t->b, t->a)) t->b = nothing;
        if ((k->b != COMMUTE || k->c != COMMUTE || t->b.style != t->c.style) && meet(t->b, t->c)) t->c = nothing;
    }
    t->seed = test_mix(*seed, h), t->depth = m->s.depth + 1, t->children = children;
    t->notes = NULL, t->note = NULL, t->signal = NULL;
    with = test_below(seed, 2), after = test_below(seed, TOKENS), signals = test_below(seed, TOKENS);
    o.priority = priority = test_below(seed, 5) - 2, pin = test_below(seed, 40);
    if (pin == 0) o.worker = DF_MAIN_THREAD;
    if (pin == 1 && df_workers() > 1) o.worker = df_workers() - 1;
    if (with && m->promised[after] == m->needs[after]) { /* all of its signals will come from tasks before this one */
        wait_for[0] = &m->tokens->token[after];
        t->notes = m->tokens->note[after];
        o.after = wait_for;
    }
    if (with && m->tokens && m->promised[signals] < m->needs[signals]) {
        t->note = &m->tokens->note[signals][m->promised[signals]++];
        if (priority > 0) t->signal = &m->tokens->token[signals];
        else to_signal[0] = &m->tokens->token[signals], o.signals = to_signal;
    }
    submit(with ? &o : NULL, t,
           !t->a.rows ? NULL : m->from_a == 0 ? m->a + (t->a.at - m->s.a.at) : write_to(m, m->from_a, t->a),
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
    if (left > 3) m.tokens = df_local(struct tokens, 1);
    tokens_begin(&m, &seed);
    while (left > 0) {
        int below, n = 1, i;
        switch (test_below(&seed, 50)) {
        case 0: /* all that was submitted is done: b and c are ours again */
            df_wait();
            if (!k->weak_b) h = touch(h, s.b, b);
            if (!k->weak_c) h = touch(h, m.s.c, c);
            tokens_begin(&m, &seed);
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
            tokens_begin(&m, &seed);
            DF_PARALLEL {
                struct scope in_block = m;
                in_block.tokens = NULL;
                for (n = 1 + test_below(&seed, 10); n > 0 && left > 0; n--, left--) submit_child(&seed, &in_block, 0, h);
            }
            break;
        case 5: /* the notes of those who signal a token */
            i = test_below(&seed, TOKENS);
            if (m.promised[i] < m.needs[i]) break;
            CHECK(df_wait_token(&m.tokens->token[i]) == DF_OK);
            for (n = 0; n < SIGNALS; n++) h = test_mix(h, m.tokens->note[i][n]);
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
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
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
