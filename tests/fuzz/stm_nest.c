/* stm_nest.c - random nests of atomic blocks have the results of an interpreter that copies its state
 *
 * Blocks flat and closed, with alternatives; reads and writes of every size at any alignment, copies, allocations,
 * aborts and retries that depend on what was read. In the parallel build another thread writes neighbours in the
 * same stripes, some of them in the middle of a block, so that blocks are run again, as a whole and in part.
 * Handlers of commits must be called for committed blocks only, and no memory may be lost. By hand:  stm_nest
 * FIRST_SEED SEEDS */
#define DF_IMPLEMENTATION
#include "df_stm.h"
#include "../test.h"
#if !defined(DF_SERIAL)
#include <pthread.h>
#include <sched.h>
#endif

enum { BYTES = 96, STEPS = 6, DEPTH = 5, NODES = 4000 };
enum op { WRITE, COPY, ALLOCATE, HANDLER, ABORT_IF, RETRY_IF, DISTURB, BLOCK };

struct node {
    enum op op;
    unsigned at, from, bytes, value;
    int closed, alternatives;     /* of a block: 1 to 3 */
    struct node *first[3], *next; /* its steps */
};

struct state {
    unsigned char byte[BYTES];
    uint64_t trace, allocated, handled;
};

struct cell { struct cell *next; uint64_t value; };

/* What the blocks work on: a stripe holds bytes of the test and a word of the other thread. */
static struct stripe { unsigned char byte[24]; uint64_t noise; } memory[BYTES / 24];
static uint64_t trace, handled;
static struct cell *cells;

static unsigned char *byte(unsigned i) { return &memory[i / 24].byte[i % 24]; }

/* --- random programs -------------------------------------------------------------------------------- */

static struct node node[NODES];
static int nodes;

static struct node *steps(uint64_t *r, int depth, int escapes);

static struct node *step(uint64_t *r, int depth, int escapes)
{
    struct node *n = &node[nodes++];
    int kind = test_below(r, 20);
    memset(n, 0, sizeof *n);
    n->bytes = 1u << test_below(r, 4);
    n->at = (unsigned)test_below(r, BYTES / 24) * 24 + (unsigned)test_below(r, (int)(25 - n->bytes));
    n->from = (unsigned)test_below(r, BYTES / 24) * 24 + (unsigned)test_below(r, (int)(25 - n->bytes));
    n->value = (unsigned)test_random(r);
    if (kind < 6 || nodes > NODES - 50) n->op = WRITE;
    else if (kind < 8) n->op = COPY;
    else if (kind < 9) n->op = ALLOCATE;
    else if (kind < 10) n->op = HANDLER;
    else if (kind < 12) n->op = escapes ? ABORT_IF : WRITE;
    else if (kind < 15) n->op = escapes ? RETRY_IF : WRITE;
    else if (kind < 16) n->op = DISTURB;
    else if (depth == DEPTH) n->op = WRITE;
    else {
        int i;
        n->op = BLOCK;
        n->closed = test_below(r, 2);
        n->alternatives = 1 + test_below(r, 3);
        for (i = 0; i < n->alternatives; i++) n->first[i] = steps(r, depth + 1, escapes);
    }
    return n;
}

static struct node *steps(uint64_t *r, int depth, int escapes)
{
    struct node *first = NULL, **at = &first;
    int i, n = 1 + test_below(r, STEPS);
    for (i = 0; i < n; i++) {
        *at = step(r, depth, escapes);
        at = &(*at)->next;
    }
    return first;
}

/* --- the interpreter -------------------------------------------------------------------------------- */

enum outcome { DONE, ABORTED, RETRIED };

static uint64_t value_at(const struct state *s, unsigned at, unsigned bytes)
{
    uint64_t x = 0;
    unsigned i;
    for (i = 0; i < bytes; i++) x = x << 8 | s->byte[at + i];
    return x;
}

static enum outcome interpret(struct state *s, const struct node *n)
{
    for (; n; n = n->next) {
        unsigned i;
        switch (n->op) {
        case WRITE:
            s->trace = test_mix(s->trace, value_at(s, n->from, n->bytes));
            for (i = 0; i < n->bytes; i++) s->byte[n->at + i] = (unsigned char)(n->value * (i + 1) + s->trace);
            break;
        case COPY: {
            struct state old = *s;
            for (i = 0; i < n->bytes; i++) s->byte[n->at + i] = old.byte[n->from + i];
            break;
        }
        case ALLOCATE: s->allocated = test_mix(s->allocated, n->value); break;
        case HANDLER: s->handled += n->value; break;
        case ABORT_IF:
            if (s->byte[n->at] % 4 == 0) return ABORTED;
            break;
        case RETRY_IF:
            if (s->byte[n->at] % 3 == 0) return RETRIED;
            break;
        case DISTURB: break;
        case BLOCK: {
            struct state before = *s;
            enum outcome o = RETRIED;
            int k;
            for (k = 0; k < n->alternatives && o == RETRIED; k++) {
                *s = before;
                o = interpret(s, n->first[k]);
            }
            if (o == DONE) break;
            *s = before;
            if (o == RETRIED || !n->closed) return o;
        }
        }
    }
    return DONE;
}

/* --- the other thread ------------------------------------------------------------------------------- */

static int disturbances; /* left in this nest */
#if defined(DF_SERIAL)
static void disturb(unsigned i) { (void)i; }
#else
static int over, wanted = -1; /* atomic; a stripe to write */

static void *neighbour(void *arg)
{
    unsigned i;
    for (i = 0; !__atomic_load_n(&over, __ATOMIC_RELAXED); i++) {
        int k = __atomic_exchange_n(&wanted, -1, __ATOMIC_ACQ_REL);
        uint64_t *word = &memory[(k < 0 ? i : (unsigned)k) % (BYTES / 24)].noise;
        DF_ATOMIC { df_tm_write(word, df_tm_read(word) + 1); }
        if (k < 0) test_spin(i % 2048);
        if (i % 64 == 0) sched_yield();
    }
    return arg;
}

/* Somebody else writes the stripe now, while the caller is in the middle of a block. */
static void disturb(unsigned i)
{
    uint64_t *word = &memory[i].noise, before = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    int k;
    if (disturbances-- <= 0) return;
    __atomic_store_n(&wanted, (int)i, __ATOMIC_RELEASE);
    for (k = 0; k < 50 && __atomic_load_n(word, __ATOMIC_ACQUIRE) == before; k++) { /* not for ever: we may be alone */
        df_tm_validate();                                                           /* its last block may wait for us */
        sched_yield();
    }
}
#endif

/* --- the same with blocks --------------------------------------------------------------------------- */

static void handler(void *arg) { handled += *(unsigned *)arg; }

static void perform(struct node *n);

static uint64_t read_at(unsigned at, unsigned bytes)
{
    uint64_t x = 0;
    unsigned i;
    unsigned char b[8];
    df_tm_read_bytes(b, byte(at), bytes);
    for (i = 0; i < bytes; i++) x = x << 8 | b[i];
    return x;
}

static void write_at(unsigned at, unsigned bytes, const unsigned char *b)
{
    if (bytes == 1) df_tm_write(byte(at), b[0]);
    else df_tm_write_bytes(byte(at), b, bytes);
}

static void block(struct node *n)
{
    if (n->closed && n->alternatives == 1) {
        DF_ATOMIC_CLOSED { perform(n->first[0]); }
    } else if (n->alternatives == 1) {
        DF_ATOMIC { perform(n->first[0]); }
    } else if (n->closed) {
        DF_ATOMIC_CLOSED { perform(n->first[0]); }
        DF_OR_ELSE { perform(n->first[1]); }
        DF_OR_ELSE
        {
            if (n->alternatives < 3) df_retry();
            perform(n->first[2]);
        }
    } else {
        DF_ATOMIC { perform(n->first[0]); }
        DF_OR_ELSE { perform(n->first[1]); }
        DF_OR_ELSE
        {
            if (n->alternatives < 3) df_retry();
            perform(n->first[2]);
        }
    }
}

static void perform(struct node *n)
{
    for (; n; n = n->next) {
        unsigned i;
        unsigned char b[8];
        switch (n->op) {
        case WRITE: {
            uint64_t t = test_mix(df_tm_read(&trace), read_at(n->from, n->bytes));
            df_tm_write(&trace, t);
            for (i = 0; i < n->bytes; i++) b[i] = (unsigned char)(n->value * (i + 1) + t);
            write_at(n->at, n->bytes, b);
            break;
        }
        case COPY: df_tm_copy(byte(n->at), byte(n->from), n->bytes); break;
        case ALLOCATE: {
            struct cell *c = (struct cell *)df_tm_malloc(sizeof *c);
            CHECK(c != NULL);
            c->value = n->value;
            c->next = df_tm_read(&cells);
            df_tm_write(&cells, c);
            break;
        }
        case HANDLER: CHECK(df_tm_on_commit(handler, &n->value) == DF_OK); break;
        case ABORT_IF:
            if (df_tm_read(byte(n->at)) % 4 == 0) df_abort();
            break;
        case RETRY_IF:
            if (df_tm_read(byte(n->at)) % 3 == 0) df_retry();
            break;
        case DISTURB: disturb(n->at / 24); break;
        case BLOCK: block(n);
        }
    }
}

/* --- both ------------------------------------------------------------------------------------------- */

static uint64_t free_cells(struct cell *c)
{
    struct cell *last = NULL, *next;
    uint64_t x = 0;
    for (; c; c = next) next = c->next, c->next = last, last = c; /* oldest first */
    for (c = last; c; c = next) {
        next = c->next;
        x = test_mix(x, c->value);
        free(c);
    }
    return x;
}

static void try_seed(uint64_t seed)
{
    uint64_t r = seed;
    struct state s;
    struct node *top;
    unsigned i;
    nodes = 0;
    top = &node[nodes++];
    memset(top, 0, sizeof *top);
    top->op = BLOCK, top->alternatives = 3, top->closed = test_below(&r, 2);
    top->first[0] = steps(&r, 1, 1), top->first[1] = steps(&r, 1, 1), top->first[2] = steps(&r, 1, 0);
    memset(&s, 0, sizeof s);
    s.trace = seed;
    for (i = 0; i < BYTES; i++) *byte(i) = s.byte[i] = (unsigned char)test_random(&r);
    trace = seed, handled = 0, cells = NULL;
    disturbances = 3;
    if (interpret(&s, top) == ABORTED) { /* a flat outermost block: nothing happened */
        memset(&s, 0, sizeof s);
        s.trace = seed;
        for (i = 0; i < BYTES; i++) s.byte[i] = *byte(i);
    }
    block(top);
    for (i = 0; i < BYTES; i++)
        if (*byte(i) != s.byte[i])
            fprintf(stderr, "seed %llu: byte %u is %d, not %d\n", (unsigned long long)seed, i, *byte(i), s.byte[i]);
    if (trace != s.trace || handled != s.handled) fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
    for (i = 0; i < BYTES; i++) CHECK(*byte(i) == s.byte[i]);
    CHECK(trace == s.trace);
    CHECK(handled == s.handled);
    CHECK(free_cells(cells) == s.allocated);
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : 100,
        i;
#if !defined(DF_SERIAL)
    pthread_t t;
    CHECK(pthread_create(&t, NULL, neighbour, NULL) == 0);
#endif
    for (i = 0; i < 10 * seeds; i++) try_seed(10 * first + i);
#if !defined(DF_SERIAL)
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    pthread_join(t, NULL);
#endif
    printf("%llu nests from seed %llu on\n", (unsigned long long)(10 * seeds), (unsigned long long)(10 * first));
    return 0;
}
