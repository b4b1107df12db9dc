/* pending.c - random programs in which later tasks write memory that tasks held by tokens have still to read: `pending
 * FIRST_SEED COUNT` prints, per seed, a hash of the memory and of what each task has read
 *
 * Every task is executed twice: by df, and on a copy of the memory when it is submitted, which is the order that df
 * promises. Tasks read a box and change another: update it, write it without reading it, or leave parts of both to
 * children that are held, too, and outlive them. Tokens are opened late, one by one, by the main program or by a
 * task. In between, the program waits for the writers of a range, for a token, or for a block of other tasks: just
 * the tokens that this wait needs are opened before, and all other tasks stay held. Seeds differ in the size of the
 * window and of the deque, in df_config.defer, and in the memory for renaming. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SPAN = 64, ROUNDS = 12, TASKS = 40, TOKENS = 8, CHILDREN = 3, NOT_HELD = -1, LD = 8 };
enum { NOTES = TASKS * (1 + CHILDREN) + 1 };
#include "boxes.h"

enum kind { LOOK, UPDATE, FRESH, FAMILY, KINDS };
/* What a task is to do. It reads a, changes b, and notes what it has read; its children have the notes that follow. */
struct plan {
    uint64_t seed;
    enum kind kind;
    int held, note;      /* the token that it waits for; the number of its note */
    struct box a, b;
};

static df_token token[TOKENS], aside_token;
static cell memory[SPAN], aside[SPAN];
static uint64_t note[NOTES];

/* --- tasks --------------------------------------------------------------------------------------------------- */

DF_STATIC_TASK(void, look, (struct plan, s), df_in2(cell, a, BOX(a)));
DF_STATIC_TASK(void, update, (struct plan, s), df_in2(cell, a, BOX(a)), df_inout2(cell, b, BOX(b)));
DF_STATIC_TASK(void, fresh, (struct plan, s), df_in2(cell, a, BOX(a)), df_out2(cell, b, BOX(b)));
DF_STATIC_TASK(void, family, (struct plan, s), df_in2(cell, a, BOX(a)), df_inout2(cell, b, BOX(b)));
DF_STATIC_TASK(void, tick, (int, unused));

static void act(const struct plan *s, const cell *a, cell *b, uint64_t *notes)
{
    uint64_t h = read_box(s->seed, s->a, a);
    for (int i = 0; i < s->b.rows; i++)
        for (int j = 0; j < s->b.cols; j++) {
            cell *x = &b[i * s->b.ld + j];
            *x = (cell)(h = test_mix(h, s->kind == FRESH ? 1 : *x));
        }
    notes[s->note] = h;
}

static uint64_t cells_of(struct box x)
{
    uint64_t cells = 0;
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) cells |= (uint64_t)1 << (x.at + i * x.ld + j);
    return cells;
}

/* Some adjacent rows and columns of x. */
static struct box block_in(uint64_t *seed, struct box x)
{
    int i = x.rows ? test_below(seed, x.rows) : 0, j = x.rows ? test_below(seed, x.cols) : 0;
    if (!x.rows) return x;
    x.at += i * x.ld + j;
    x.rows = 1 + test_below(seed, x.rows - i), x.cols = 1 + test_below(seed, x.cols - j);
    return x;
}
static int some_token(uint64_t *seed) { return test_below(seed, 2) ? NOT_HELD : test_below(seed, TOKENS); }

static struct plan child_of(const struct plan *s, int k)
{
    uint64_t seed = s->seed + (uint64_t)k;
    enum kind kind = test_below(&seed, 2) ? LOOK : UPDATE;
    struct plan c = { 0, kind, NOT_HELD, s->note + 1 + k, nothing, nothing };
    c.held = some_token(&seed);
    c.a = block_in(&seed, s->a);
    if (c.kind == UPDATE) c.b = block_in(&seed, s->b);
    c.seed = test_random(&seed);
    return c;
}

static void submit(const struct plan *s, const cell *a, cell *b)
{
    df_token *const after[] = { s->held == NOT_HELD ? NULL : &token[s->held], NULL };
    const df_opts o = { .after = after };
    switch (s->kind) {
    case LOOK: df_submit_with(&o, look, *s, a); break;
    case UPDATE: df_submit_with(&o, update, *s, a, b); break;
    case FRESH: df_submit_with(&o, fresh, *s, a, b); break;
    default: df_submit_with(&o, family, *s, a, b); break;
    }
}
static void look(struct plan s, const cell *a) { act(&s, a, NULL, note); }
static void update(struct plan s, const cell *a, cell *b) { act(&s, a, b, note); }
static void fresh(struct plan s, const cell *a, cell *b) { act(&s, a, b, note); }
static void family(struct plan s, const cell *a, cell *b)
{
    act(&s, a, b, note);
    for (int k = 0; k < CHILDREN; k++) {
        struct plan c = child_of(&s, k);
        submit(&c, a + (c.a.at - s.a.at), c.b.rows ? b + (c.b.at - s.b.at) : NULL);
    }
}
static void tick(int unused) { (void)unused; }

/* --- the program, and its expected state ----------------------------------------------------------------------- */

static struct sent { uint64_t reads, writes; unsigned tokens; } sent[TASKS]; /* of this round, children included */
static int n_sent;
static unsigned opened;                  /* tokens, a bit each */
static cell model[SPAN];
static uint64_t model_note[NOTES];

static void model_task(const struct plan *s)
{
    act(s, model + s->a.at, model + s->b.at, model_note);
    for (int k = 0; s->kind == FAMILY && k < CHILDREN; k++) {
        struct plan c = child_of(s, k);
        model_task(&c);
    }
}

static struct box some_box(uint64_t *seed)
{
    static const int lds[] = { LD, LD, 2 * LD, 5 };
    struct box x = { 0, 1, 1, 1, 0 };
    x.ld = lds[test_below(seed, 4)];
    x.cols = 1 + test_below(seed, 5), x.rows = 1 + test_below(seed, 3);
    x.at = test_below(seed, SPAN - (x.rows - 1) * x.ld - x.cols + 1);
    return x;
}

static void submit_some(uint64_t *seed)
{
    enum kind kind = (enum kind)test_below(seed, KINDS);
    struct plan s = { 0, kind, NOT_HELD, n_sent * (1 + CHILDREN), nothing, nothing };
    struct sent *t = &sent[n_sent++];
    s.held = some_token(seed);
    s.a = some_box(seed);
    if (s.kind != LOOK) do s.b = some_box(seed); while (cells_of(s.a) & cells_of(s.b));
    s.seed = test_random(seed);
    t->reads = cells_of(s.a), t->writes = cells_of(s.b);
    t->tokens = s.held == NOT_HELD ? 0 : 1u << s.held;
    for (int k = 0; s.kind == FAMILY && k < CHILDREN; k++) {
        struct plan c = child_of(&s, k);
        if (c.held != NOT_HELD) t->tokens |= 1u << c.held;
    }
    model_task(&s);
    submit(&s, memory + s.a.at, memory + s.b.at);
}

static void open_token(uint64_t *seed, int k)
{
    if (opened >> k & 1) return;
    opened |= 1u << k;
    if (test_below(seed, 2)) df_signal(&token[k]);
    else df_submit_with(DF_OPTS(.signals = DF_TOKENS(&token[k])), tick, k);
}
/* Opens these tokens, in any order. */
static void open_tokens(uint64_t *seed, unsigned some)
{
    for (int i = test_below(seed, TOKENS), n = 0; n < TOKENS; n++, i = (i + 3) % TOKENS)
        if (some >> i & 1) open_token(seed, i);
}

/* The tokens of the tasks that write to these cells, and of all that these tasks come after. */
static unsigned tokens_before(uint64_t cells)
{
    uint64_t reads = cells, writes = 0;
    unsigned tokens = 0;
    for (int i = n_sent; i-- > 0;)
        if (sent[i].writes & (reads | writes) || sent[i].reads & writes)
            reads |= sent[i].reads, writes |= sent[i].writes, tokens |= sent[i].tokens;
    return tokens;
}

/* What is written to a range is there, whatever else is held. */
static void wait_for_range(uint64_t *seed)
{
    int at = test_below(seed, SPAN), n = 1 + test_below(seed, SPAN - at < 8 ? SPAN - at : 8);
    struct box range = { 0, 1, 0, 1, 0 };
    range.at = at, range.cols = n;
    open_tokens(seed, tokens_before(cells_of(range)));
    df_wait_on(memory + at, (size_t)n * sizeof *memory);
    CHECK(!memcmp(memory + at, model + at, (size_t)n * sizeof *memory));
}

/* A block is a scope of its own: it waits for its tasks, held or not, and for no others. */
static void wait_for_block(uint64_t *seed)
{
    struct plan s = { test_random(seed), UPDATE, NOT_HELD, NOTES - 1, { 0, 2, 3, LD, 0 }, { 3, 2, 3, LD, 0 } };
    cell before[SPAN];
    uint64_t unused[NOTES];
    memcpy(before, aside, sizeof before);
    df_token_init(&aside_token, 1);
    DF_PARALLEL {
        df_submit_with(DF_OPTS(.after = DF_TOKENS(&aside_token)), update, s, aside, aside + 3);
        df_submit(update, s, aside + 3, aside);
        df_submit_with(DF_OPTS(.signals = DF_TOKENS(&aside_token)), tick, 0);
    }
    act(&s, before, before + 3, unused);
    act(&s, before + 3, before, unused);
    CHECK(!memcmp(before, aside, sizeof before));
}

static void go_on(uint64_t *seed)
{
    int k = test_below(seed, TOKENS);
    switch (test_below(seed, 24)) {
    case 0: case 1: open_token(seed, k); break;
    case 2: case 3: wait_for_range(seed); break;
    case 4:
        open_token(seed, k);
        CHECK(df_wait_token(&token[k]) == DF_OK);
        break;
    case 5: wait_for_block(seed); break;
    default: submit_some(seed);
    }
}

static void round_of(uint64_t *seed)
{
    opened = 0, n_sent = 0;
    for (int k = 0; k < TOKENS; k++) df_token_init(&token[k], 1);
    memset(note, 0, sizeof note), memset(model_note, 0, sizeof model_note);
    while (n_sent < TASKS) go_on(seed);
    open_tokens(seed, ~0u);
    df_wait();
    CHECK(!memcmp(memory, model, sizeof model));
    note[NOTES - 1] = model_note[NOTES - 1]; /* of wait_for_block */
    CHECK(!memcmp(note, model_note, sizeof note));
}

int main(int argc, char **argv)
{
    static const size_t windows[] = { 0, 4, 50 }, deques[] = { 0, 2, 16, 0, 100 }, renames[] = { 0, 0, 1000, 1 << 20 };
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    unsigned long long count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    for (unsigned long long n = first; n < first + count; n++) {
        df_config config = { .window = windows[n % 3], .deque = deques[n % 5], .rename_bytes = renames[n % 4] };
        uint64_t seed = n, h = 0;
        config.defer = n % 7 == 0;
        memset(memory, 0, sizeof memory), memset(model, 0, sizeof model), memset(aside, 0, sizeof aside);
        CHECK(df_start(&config) == DF_OK);
        for (int i = 0; i < ROUNDS; i++) {
            if (n % 2) round_of(&seed);
            else DF_PARALLEL round_of(&seed);
            for (int j = 0; j < NOTES - 1; j++) h = test_mix(h, note[j]);
        }
        for (int j = 0; j < SPAN; j++) h = test_mix(h, memory[j]);
        printf("%llu %016llx\n", n, (unsigned long long)h);
        df_stop();
    }
}
