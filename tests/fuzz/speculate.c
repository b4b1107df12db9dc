/* speculate.c - random programs with df_speculate: `speculate FIRST_SEED COUNT` prints, per seed, a hash of the memory after some
 * hundred tasks, and of what was read on the way; the serial build is the oracle
 *
 * Blocks and loops of random tasks, nested, whose conditions are computed by tasks: as guessed, the other way, alternating, or
 * at random. Tasks read one box and change another in every mode of access; boxes overlap in every way. Some have
 * children, which speculate themselves. What comes after a block, and now and then the program itself after
 * df_wait_on, uses what was or was not taken back. Seeds differ in the number of turns ahead, the window, the deque, and
 * the memory for renaming. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SPAN = 400, TASKS = 250, DEPTH = 3, LD = 16, CONDITIONS = 4, TURNS = 6 };
typedef uint32_t cell;

/* `rows` rows of `cols` cells, `ld` apart, from cell `at` of the memory; no rows: nothing. */
struct box { int at, rows, cols, ld; };
struct plan { uint64_t seed; int kind, depth, tasks; struct box a, b, c; };
static const struct box nothing = { 0, 0, 1, 1 };

static void body(struct plan s, const cell *a, cell *b, cell *c);

static void key_combine(cell *into, const cell *from)
{
    if (*from * 2654435769u > *into * 2654435769u) *into = *from;
}
static void key_identity(cell *x) { *x = 0; }
DF_REDUCTION(largest_key, cell, key_combine, key_identity);

#define BOX(x) s.x.rows, s.x.cols, s.x.ld
#define FLAT(x) s.x.rows *s.x.cols
#define KIND(name, A, B, C)                                \
    DF_STATIC_TASK(void, name, (struct plan, s), A, B, C); \
    static void name(struct plan s, const cell *a, cell *b, cell *c) { body(s, a, b, c); }
enum kind { ORDERED, COMMUTING, CONCURRENT, SUMS, KEYS, PARENT, WEAK, BOTH, KINDS };
KIND(ordered, df_in2(cell, a, BOX(a)), df_inout2(cell, b, BOX(b)), df_out2(cell, c, BOX(c)))
KIND(commuting, df_in2(cell, a, BOX(a)), df_commute2(cell, b, BOX(b)), df_inout2(cell, c, BOX(c)))
KIND(concurrent, df_in2(cell, a, BOX(a)), df_concurrent(cell, b, FLAT(b)), df_out2(cell, c, BOX(c)))
KIND(sums, df_in2(cell, a, BOX(a)), df_reduce2(df_sum, cell, b, BOX(b)), df_inout2(cell, c, BOX(c)))
KIND(keys, df_in2(cell, a, BOX(a)), df_reduce2(largest_key, cell, b, BOX(b)), df_commute2(cell, c, BOX(c)))
KIND(parent, df_in2(cell, a, BOX(a)), df_inout(cell, b, FLAT(b)), df_out2(cell, c, BOX(c)))
KIND(weak, df_in2(cell, a, BOX(a)), df_weak_inout(cell, b, FLAT(b)), df_out2(cell, c, BOX(c)))
KIND(both, df_in2(cell, a, BOX(a)), df_reduce(df_sum, cell, b, FLAT(b)), df_concurrent(cell, c, FLAT(c)))

/* --- conditions ------------------------------------------------------------------------------- */

static uint64_t read_box(uint64_t h, struct box x, const cell *p)
{
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) h = test_mix(h, p[i * x.ld + j]);
    return h;
}

DF_STATIC_TASK(void, decide, (struct plan, s), df_in2(cell, a, BOX(a)), (int, value), df_inout(short, condition, 1));
static void decide(struct plan s, const cell *a, int value, short *condition)
{
    uint64_t h = read_box(s.seed, s.a, a);
    test_spin((unsigned)(s.seed % 30000));
    *condition = (short)(value < 2 ? value * (1 + (int)(h % 3) * 256) : value == 2 ? !*condition : (int)(h >> 7 & 1));
}
DF_STATIC_TASK(void, add_condition, (struct plan, s), df_in2(cell, a, BOX(a)), df_reduce(df_lor, short, condition, 1));
static void add_condition(struct plan s, const cell *a, short *condition)
{
    test_spin((unsigned)(s.seed % 3000));
    if (read_box(s.seed, s.a, a) % 4 == 0) *condition = 1;
}
/* Another turn? At most `turns` of them. */
DF_STATIC_TASK(void, turn, (struct plan, s), df_in2(cell, a, BOX(a)), (int, turns), df_inout(int, count, 1), df_out(long, more, 1));
static void turn(struct plan s, const cell *a, int turns, int *count, long *more)
{
    test_spin((unsigned)(s.seed % 5000));
    *more = ++*count < turns && read_box(s.seed, s.a, a) % 8 ? 1L << s.seed % 31 : 0;
}

/* --- boxes ------------------------------------------------------------------------------------ */

static struct box part_of_range(uint64_t *seed, int at, int n, int most)
{
    struct box x = { at, 1, 1, 1 };
    int length = 1 + test_below(seed, n < most ? n : most);
    x.at += test_below(seed, n - length + 1);
    if (test_below(seed, 2)) x.at = at + (x.at - at) / 8; /* most tasks meet there */
    x.cols = length;
    if (test_below(seed, 2)) return x;
    x.ld = test_below(seed, 2) ? LD : 1 + test_below(seed, 20);
    x.cols = 1 + test_below(seed, x.ld < 9 ? x.ld : 9);
    x.rows = 1 + test_below(seed, 6);
    while (x.rows > 1 && (x.rows - 1) * x.ld + x.cols > at + n - x.at) x.rows--;
    if (x.cols > at + n - x.at) x.cols = at + n - x.at;
    return x;
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

enum style { UPDATE, FRESH, SUM, ATOMIC, KEY };
static uint64_t touch(uint64_t h, struct box x, cell *p, enum style style)
{
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) {
            volatile cell *q = p + i * x.ld + j; /* volatile: two accesses, between which others could come */
            cell v = (cell)test_mix(h, (uint64_t)(i * 100 + j)), old;
            switch (style) {
            case UPDATE: *q = (cell)(h = test_mix(h, *q)); break;
            case FRESH: *q = (cell)(h = test_mix(h, 1)); break;
            case SUM: *q = *q + v; break;
            case ATOMIC: __atomic_fetch_add(q, v, __ATOMIC_RELAXED); break;
            default: old = *q, key_combine(&old, &v), *q = old; break;
            }
        }
    return h;
}

/* Memory from cell `at` on, and what the code that submits there knows. */
struct scope {
    cell *p;
    int at, n, depth, left;     /* left: tasks it may still submit, its children's included */
    struct state { short condition[CONDITIONS]; int count; long more; } *state;
    struct plan last;           /* the next task has the same boxes now and then */
    uint64_t heard;             /* what it read itself */
};

static cell *at(const struct scope *m, struct box x) { return x.rows ? m->p + (x.at - m->at) : NULL; }

static void submit_one(struct scope *m, uint64_t *seed)
{
    struct plan *t = &m->last;
    df_opts o = { 0 };
    if (t->depth != m->depth + 1 || test_below(seed, 3) == 0) {
        memset(t, 0, sizeof *t);
        t->depth = m->depth + 1;
        t->kind = test_below(seed, KINDS);
        t->a = test_below(seed, 3) ? part_of_range(seed, m->at, m->n, 40) : nothing;
        t->b = part_of_range(seed, m->at, m->n, t->kind == PARENT || t->kind == WEAK ? 150 : 40);
        t->c = test_below(seed, 2) ? part_of_range(seed, m->at, m->n, 30) : nothing;
        if (t->kind != ORDERED && t->kind != COMMUTING && t->kind != SUMS && t->kind != KEYS && t->b.rows > 1) t->b.rows = 1;
        if (t->kind == BOTH && t->c.rows > 1) t->c.rows = 1;
        if (meet(t->b, t->c)) t->c = nothing;
        if (meet(t->a, t->c) || (t->kind != ORDERED && meet(t->a, t->b))) t->a = nothing;
    }
    t->seed = test_random(seed);
    t->tasks = (t->kind == PARENT || t->kind == WEAK) && m->depth < DEPTH ? test_below(seed, m->left / 3 + 1) : 0;
    m->left -= 1 + t->tasks;
    o.priority = test_below(seed, 5) - 2;
    if (test_below(seed, 20) == 0) o.worker = DF_MAIN_THREAD;
    if (test_below(seed, 20) == 0 && df_workers() > 1) o.worker = df_workers() - 1;
#define SUBMIT(name)                                                                                             \
    if (test_below(seed, 3)) df_submit(name, *t, at(m, t->a), at(m, t->b), at(m, t->c));                          \
    else df_submit_with(&o, name, *t, at(m, t->a), at(m, t->b), at(m, t->c));                                     \
    break
    switch (t->kind) {
    case ORDERED: SUBMIT(ordered);
    case COMMUTING: SUBMIT(commuting);
    case CONCURRENT: SUBMIT(concurrent);
    case SUMS: SUBMIT(sums);
    case KEYS: SUBMIT(keys);
    case PARENT: SUBMIT(parent);
    case WEAK: SUBMIT(weak);
    default: SUBMIT(both);
    }
}

static void submit_decision(struct scope *m, uint64_t *seed, int value, short *condition)
{
    struct plan t = { test_random(seed), 0, 0, 0, nothing, nothing, nothing };
    t.a = part_of_range(seed, m->at, m->n, 40);
    if (test_below(seed, 4)) df_submit(decide, t, at(m, t.a), value, condition);
    for (int i = test_below(seed, 8) ? 0 : 3; i > 0; i--) df_submit(add_condition, t, at(m, t.a), condition);
}

/* Submits about `tasks` tasks. `inside`: how many blocks of this scope are open. */
static void submit_some(struct scope *m, uint64_t seed, int tasks, int inside)
{
    int k, n, limit = m->left - tasks;
    if (limit < 0) limit = 0;
    while (m->left > limit) {
        uint64_t own = test_random(&seed); /* of a block: the serial build does not execute all of them */
        int left = m->left;
        switch (test_below(&seed, 16)) {
        case 0: case 1: case 2: case 3: { /* an if */
            short *condition = &m->state->condition[test_below(&seed, CONDITIONS)];
            int guess = test_below(&seed, 2), style = test_below(&seed, 5);
            n = 1 + test_below(&seed, 12);
            if (style < 4) submit_decision(m, &seed, style == 0 ? guess : style == 1 ? !guess : style, condition);
            if (inside > 2) break;
            df_speculate(condition, guess) {
                struct scope in_block = *m;
                submit_some(&in_block, own, n < m->left ? n : m->left, inside + 1);
            }
            m->left = left - n;
            break;
        }
        case 4: /* a while */
            n = 1 + test_below(&seed, TURNS), k = 0;
            if (inside) break; /* what the code around a block that may be wrong writes itself cannot be taken back */
            df_wait_on(&m->state->more, sizeof m->state->more);
            df_wait_on(&m->state->count, sizeof m->state->count);
            m->state->more = 1, m->state->count = 0;
            df_speculate_while(&m->state->more, 1) {
                struct scope in_block = *m;
                uint64_t of_turn = test_mix(own, (uint64_t)k++);
                struct plan t = { of_turn, 0, 0, 0, nothing, nothing, nothing };
                t.a = part_of_range(&of_turn, m->at, m->n, 40);
                submit_some(&in_block, of_turn, 3 < m->left ? 3 : m->left, inside + 1);
                df_submit(turn, t, at(m, t.a), n, &m->state->count, &m->state->more);
            }
            m->left = left - 3 * n;
            break;
        case 5: /* what the tasks so far wrote; in a block it decides what the block goes on with */
            if (test_below(&seed, 2)) {
                struct box x = { 0, 1, 1 + test_below(&seed, 20), 1 };
                x.at = test_below(&seed, m->n - (x.cols < m->n ? x.cols : m->n) + 1);
                if (x.cols > m->n) x.cols = m->n;
                df_wait_on(m->p + x.at, (size_t)x.cols * sizeof *m->p);
                m->heard = read_box(m->heard, x, m->p + x.at);
                if (inside) seed = test_mix(seed, m->heard);
            }
            break;
        case 6: /* a scope of its own: the others first */
            if (test_below(&seed, 4)) break;
            df_wait();
            DF_PARALLEL {
                struct scope in_block = *m;
                submit_some(&in_block, own, 4 < m->left ? 4 : m->left, 3);
            }
            m->left = left - 4;
            break;
        default: submit_one(m, &seed); break;
        }
    }
}

static void body(struct plan s, const cell *a, cell *b, cell *c)
{
    uint64_t h = read_box(s.seed, s.a, a);
    if (s.seed % 4 == 0) test_spin((unsigned)(s.seed >> 8) % 3000);
    switch (s.kind) {
    case ORDERED: case PARENT: h = touch(h, s.b, b, UPDATE); break;
    case COMMUTING: case SUMS: case BOTH: touch(h, s.b, b, SUM); break;
    case CONCURRENT: touch(h, s.b, b, ATOMIC); break;
    case KEYS: touch(h, s.b, b, KEY); break;
    default: break;
    }
    touch(h, s.c, c, s.kind == KEYS ? SUM : s.kind == BOTH ? ATOMIC : s.kind == COMMUTING || s.kind == SUMS ? UPDATE : FRESH);
    if (s.tasks) {
        struct scope m = { b, s.b.at, s.b.cols, s.depth, s.tasks, NULL, { 0 }, 0 };
        if (!(m.state = df_local(struct state, 1))) return;
        submit_some(&m, h, s.tasks, 0);
    }
}

int main(int argc, char **argv)
{
    static const size_t windows[] = { 0, 4, 50 }, deques[] = { 0, 2, 16, 0, 100 }, renames[] = { 0, 0, 1000, 1 << 20 };
    static const int ahead[] = { 0, 1, 5, 0, -1, 3, 0 };
    static cell memory[SPAN];
    static struct state state;
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    for (unsigned long long n = first; n < first + count; n++) {
        struct box all = { 0, 1, SPAN, 1 };
        struct scope m = { memory, 0, SPAN, 0, TASKS, &state, { 0 }, n };
        df_config config = { .window = windows[n % 3], .deque = deques[n % 5], .rename_bytes = renames[n % 4], .speculate = ahead[n % 7],
                             .deterministic = n % 11 == 0, .defer = n % 6 == 0 };
        memset(memory, 0, sizeof memory);
        memset(&state, 0, sizeof state);
        CHECK(df_start(&config) == DF_OK);
        if (n % 2) {
            submit_some(&m, test_mix(n, 1), TASKS, 0);
            df_wait();
        } else DF_PARALLEL submit_some(&m, test_mix(n, 1), TASKS, 0);
        printf("%llu %016llx %016llx\n", n, (unsigned long long)read_box(0, all, memory), (unsigned long long)m.heard);
        df_stop();
    }
}
