/* speculate.c - random programs with df_speculate: `speculate FIRST_SEED COUNT` prints, per seed, a hash of the memory
 * after some hundred tasks, and of the values read on the way; the serial build is the oracle
 *
 * Blocks and loops of random tasks, nested, whose conditions are computed by tasks: as guessed, the other way,
 * alternating, or at random. Conditions are integers, numbers of floating point, pointers, and structures that a
 * predicate judges, of which tasks write parts. Tasks read one box and change another in every mode of access; boxes overlap in every
 * way. Some have children, which speculate themselves. Tasks after a block, and sometimes the program itself after
 * df_wait_on, use memory that was or was not rolled back. Seeds differ in the number of turns ahead, the window, the
 * deque, and the memory for renaming. */
#include <math.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SPAN = 400, TASKS = 250, DEPTH = 3, LD = 16, CONDITIONS = 4, TURNS = 6 };
#include "boxes.h"

struct plan { uint64_t seed; int kind, depth, tasks; struct box a, b, c; };

static void body(struct plan s, const cell *a, cell *b, cell *c);

static void key_combine(cell *into, const cell *from)
{
    if (*from * 2654435769u > *into * 2654435769u) *into = *from;
}
static void key_identity(cell *x) { *x = 0; }
DF_REDUCTION(largest_key, cell, key_combine, key_identity);

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
DF_STATIC_TASK(void, decide_number, (struct plan, s), df_in2(cell, a, BOX(a)), (int, value),
               df_inout(double, condition, 1));
static void decide_number(struct plan s, const cell *a, int value, double *condition)
{
    static const double no[] = { 0, -0. }, yes[] = { 1, 5e-324, (double)NAN, -(double)INFINITY };
    short as_integer = *condition != 0;
    decide(s, a, value, &as_integer);
    *condition = as_integer ? yes[s.seed % 4] : no[s.seed % 2];
}
DF_STATIC_TASK(void, decide_address, (struct plan, s), df_in2(cell, a, BOX(a)), (int, value),
               df_inout(const void *, condition, 1));
static void decide_address(struct plan s, const cell *a, int value, const void **condition)
{
    static int object;
    short as_integer = *condition != NULL;
    decide(s, a, value, &as_integer);
    *condition = as_integer ? &object : NULL;
}
/* True if one of the votes is. */
struct verdict { char text; float weight; short vote[3]; };
static int passed(const struct verdict *v) { return v->vote[0] || v->vote[1] || v->vote[2]; }
DF_PREDICATE(passed, struct verdict, 1);
struct loop { int count; long more; };
static int goes_on(const struct loop *l) { return l->more != 0 && l->count < 1000; }
DF_PREDICATE(goes_on, struct loop, 1);

/* Another turn? At most `turns` of them. */
DF_STATIC_TASK(void, turn, (struct plan, s), df_in2(cell, a, BOX(a)), (int, turns), df_inout(int, count, 1),
               df_out(long, more, 1));
static void turn(struct plan s, const cell *a, int turns, int *count, long *more)
{
    test_spin((unsigned)(s.seed % 5000));
    *more = ++*count < turns && read_box(s.seed, s.a, a) % 8 ? 1L << s.seed % 31 : 0;
}

/* --- boxes ------------------------------------------------------------------------------------ */

static struct box part_of_memory(uint64_t *seed, int at, int n, int most)
{
    struct box x = { at, 1, 1, 1, 0 };
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

/* Memory from cell `at` on, and the state of the code that submits there. */
struct scope {
    cell *p;
    int at, n, depth, left;     /* left: tasks it may still submit, its children's included */
    struct state {
        short condition[CONDITIONS];
        double number[CONDITIONS];
        const void *address[CONDITIONS];
        struct verdict verdict[CONDITIONS];
        struct loop loop;
    } *state;
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
        t->a = test_below(seed, 3) ? part_of_memory(seed, m->at, m->n, 40) : nothing;
        t->b = part_of_memory(seed, m->at, m->n, t->kind == PARENT || t->kind == WEAK ? 150 : 40);
        t->c = test_below(seed, 2) ? part_of_memory(seed, m->at, m->n, 30) : nothing;
        if (t->kind != ORDERED && t->kind != COMMUTING && t->kind != SUMS && t->kind != KEYS && t->b.rows > 1)
            t->b.rows = 1;
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

enum form { INTEGER, NUMBER, ADDRESS, VERDICT, FORMS };
static void submit_decision(struct scope *m, uint64_t *seed, int value, enum form form, int i)
{
    struct plan t = { test_random(seed), 0, 0, 0, nothing, nothing, nothing };
    short *condition = form == VERDICT ? &m->state->verdict[i].vote[t.seed % 3] : &m->state->condition[i];
    t.a = part_of_memory(seed, m->at, m->n, 40);
    if (test_below(seed, 4)) switch (form) {
        case NUMBER: df_submit(decide_number, t, at(m, t.a), value, &m->state->number[i]); break;
        case ADDRESS: df_submit(decide_address, t, at(m, t.a), value, &m->state->address[i]); break;
        default: df_submit(decide, t, at(m, t.a), value, condition); break;
    }
    if (form == NUMBER || form == ADDRESS) return;
    for (int k = test_below(seed, 8) ? 0 : 3; k > 0; k--) df_submit(add_condition, t, at(m, t.a), condition);
}

static void submit_some(struct scope *m, uint64_t seed, int tasks, int inside);
static void submit_in_block(const struct scope *m, uint64_t seed, int tasks, int inside)
{
    struct scope in_block = *m;
    submit_some(&in_block, seed, tasks < m->left ? tasks : m->left, inside + 1);
}

/* A turn of a loop of at most n. */
static void submit_turn(const struct scope *m, uint64_t seed, int number, int n)
{
    uint64_t of_turn = test_mix(seed, (uint64_t)number);
    struct plan t = { of_turn, 0, 0, 0, nothing, nothing, nothing };
    t.a = part_of_memory(&of_turn, m->at, m->n, 40);
    submit_in_block(m, of_turn, 3, 0);
    df_submit(turn, t, at(m, t.a), n, &m->state->loop.count, &m->state->loop.more);
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
            int i = test_below(&seed, CONDITIONS), form = test_below(&seed, FORMS);
            int guess = test_below(&seed, 2), style = test_below(&seed, 5);
            n = 1 + test_below(&seed, 12);
            if (style < 4) submit_decision(m, &seed, style == 0 ? guess : style == 1 ? !guess : style, (enum form)form, i);
            if (inside > 2) break;
            switch (form) {
            case INTEGER: df_speculate(&m->state->condition[i], guess) submit_in_block(m, own, n, inside); break;
            case NUMBER: df_speculate(&m->state->number[i], guess) submit_in_block(m, own, n, inside); break;
            case ADDRESS: df_speculate(&m->state->address[i], guess) submit_in_block(m, own, n, inside); break;
            default: df_speculate_on(passed, &m->state->verdict[i], guess) submit_in_block(m, own, n, inside); break;
            }
            m->left = left - n;
            break;
        }
        case 4: /* a while */
            n = 1 + test_below(&seed, TURNS), k = 0;
            if (inside) break; /* writes of the code around a block that may be wrong cannot be rolled back */
            df_wait_on(&m->state->loop, sizeof m->state->loop);
            m->state->loop.more = 1, m->state->loop.count = 0;
            if (test_below(&seed, 2)) df_speculate_while(&m->state->loop.more, 1) submit_turn(m, own, k++, n);
            else df_speculate_while_on(goes_on, &m->state->loop, 1) submit_turn(m, own, k++, n);
            m->left = left - 3 * n;
            break;
        case 5: /* the results of the tasks so far; in a block they decide how the block continues */
            if (test_below(&seed, 2)) {
                struct box x = { 0, 1, 1 + test_below(&seed, 20), 1, 0 };
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
    touch(h, s.c, c, s.kind == KEYS ? SUM : s.kind == BOTH ? ATOMIC : s.kind == COMMUTING ||
          s.kind == SUMS ? UPDATE : FRESH);
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
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
        count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    for (unsigned long long n = first; n < first + count; n++) {
        struct box all = { 0, 1, SPAN, 1, 0 };
        struct scope m = { memory, 0, SPAN, 0, TASKS, &state, { 0 }, n };
        df_config config = { .window = windows[n % 3], .deque = deques[n % 5], .rename_bytes = renames[n % 4],
                             .speculate = ahead[n % 7], .deterministic = n % 11 == 0, .defer = n % 6 == 0 };
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
