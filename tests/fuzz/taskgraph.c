/* taskgraph.c - random programs, recorded: `taskgraph FIRST_SEED COUNT` prints, per seed, hashes of the memory; the
 * serial build is the oracle
 *
 * A program is a list of tasks with accesses of all modes, to ranges and blocks that overlap at random, and waits
 * between them. It is recorded and run several times while arguments change, some of them so that tasks access other
 * memory. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SPAN = 400, MOST = 60, LD = 16 };
typedef uint32_t cell;

/* `rows` rows of `cols` cells, LD apart, from cell `at` of the memory. */
struct box { int at, rows, cols; };
enum { MIX, WRITE, ADD, MOST_OF, COMMUTE, TICK, PARENT, WEAK, URGENT, WAIT, WAIT_ON, KINDS };
struct step { int kind; struct box a, b; uint64_t salt; };

static cell memory[SPAN];
static uint64_t sums[4]; /* of reductions, commuting and concurrent tasks */

DF_STATIC_TASK(void, mix, df_in2(cell, a, ra, ca, LD), df_inout2(cell, b, rb, cb, LD), (int, ra), (int, ca), (int, rb),
               (int, cb), (uint64_t, salt));
DF_STATIC_TASK(void, mix_range, df_in(cell, a, n), df_out_range(cell, b, end), (int, n), (uint64_t, salt));
DF_STATIC_TASK(void, add, df_in(cell, a, n), df_reduce(df_sum, uint64_t, s, 1), (int, n), (uint64_t, salt));
DF_STATIC_TASK(void, most, df_in(cell, a, n), df_reduce(df_max, uint64_t, s, 1), (int, n), (uint64_t, salt));
DF_STATIC_TASK(void, commute, df_commute(uint64_t, s, 1), df_in(cell, a, n), (int, n), (uint64_t, salt));
DF_STATIC_TASK(void, tick, df_concurrent(uint64_t, s, 1), df_in(cell, a, n), (int, n), (uint64_t, salt));
DF_STATIC_TASK(void, parent, df_inout(cell, b, n), (int, n), (uint64_t, salt), (int, depth));
DF_STATIC_TASK(void, weak, df_weak_inout(cell, b, n), (int, n), (uint64_t, salt));

static uint64_t hash(uint64_t h, const cell *a, int rows, int cols)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) h = test_mix(h, a[i * LD + j]);
    return h;
}

static void mix(const cell *a, cell *b, int ra, int ca, int rb, int cb, uint64_t salt)
{
    uint64_t h = hash(salt, a, ra, ca);
    if (salt % 16 == 0) test_spin((unsigned)(salt >> 8 & 2047));
    for (int i = 0; i < rb; i++)
        for (int j = 0; j < cb; j++) b[i * LD + j] = (cell)(h = test_mix(h, b[i * LD + j]));
}
static void mix_range(const cell *a, cell *b, cell *end, int n, uint64_t salt)
{
    uint64_t h = hash(salt, a, 1, n);
    for (; b < end; b++) *b = (cell)(h = test_mix(h, 1));
}
static void add(const cell *a, uint64_t *s, int n, uint64_t salt) { *s += hash(salt, a, 1, n); }
static void most(const cell *a, uint64_t *s, int n, uint64_t salt)
{
    uint64_t h = hash(salt, a, 1, n);
    if (h > *s) *s = h;
}
static void commute(uint64_t *s, const cell *a, int n, uint64_t salt) { *s ^= hash(salt, a, 1, n); }
static void tick(uint64_t *s, const cell *a, int n, uint64_t salt)
{
    uint64_t h = hash(salt, a, 1, n);
#if defined(DF_SERIAL)
    *s += h;
#else
    __atomic_fetch_add(s, h, __ATOMIC_RELAXED);
#endif
}
/* children without a wait, on parts of b that overlap */
static void parent(cell *b, int n, uint64_t salt, int depth)
{
    mix(b, b, 1, n, 1, n, salt);
    if (n < 4 || !depth) return;
    for (int i = 0; i < 3; i++) df_submit(parent, b + i * n / 4, n / 2, salt + (uint64_t)i, depth - 1);
}
static void weak(cell *b, int n, uint64_t salt)
{
    for (int i = 0; i < 3; i++) df_submit(parent, b + i * n / 4, n / 2, salt + (uint64_t)i, 0);
}

/* --- programs ------------------------------------------------------------------------------------------ */

static struct box range_at(uint64_t *seed)
{
    struct box x = { 0, 1, 1 };
    x.cols = 1 + test_below(seed, 30);
    x.at = test_below(seed, 4) ? 20 * test_below(seed, (SPAN - 30) / 20) : test_below(seed, SPAN - x.cols);
    return x;
}
static struct box block_at(uint64_t *seed)
{
    struct box x = range_at(seed);
    if (test_below(seed, 2)) return x;
    x.cols = 1 + test_below(seed, LD);
    x.rows = 1 + test_below(seed, 6);
    while (x.at + x.rows * LD > SPAN) x.at -= LD;
    return x;
}

/* plain: only tasks without options that are ordered by regions. */
static void step_make(uint64_t *seed, struct step *s, int plain)
{
    int k = test_below(seed, 100);
    s->kind = k < 45 ? MIX : k < 65 ? WRITE : k < 70 ? TICK : k < 72 ? WAIT_ON : plain ? MIX : k < 75 ? URGENT
        : k < 80 ? ADD : k < 83 ? MOST_OF : k < 89 ? COMMUTE : k < 94 ? PARENT : k < 97 ? WAIT : WEAK;
    s->a = s->kind == MIX || s->kind == URGENT ? block_at(seed) : range_at(seed);
    s->b = s->kind == MIX || s->kind == URGENT ? block_at(seed) : range_at(seed);
    if (s->kind == WRITE) /* what it writes it does not read */
        while (s->b.at < s->a.at + s->a.cols && s->a.at < s->b.at + s->b.cols) s->b = range_at(seed);
    s->salt = test_random(seed);
}

static void step_submit(const struct step *s)
{
    cell *a = memory + s->a.at, *b = memory + s->b.at;
    uint64_t *sum = &sums[s->kind == ADD ? s->salt % 2 : s->kind == MOST_OF ? 1 : s->kind == COMMUTE ? 2 : 3];
    switch (s->kind) {
    case MIX: df_submit(mix, a, b, s->a.rows, s->a.cols, s->b.rows, s->b.cols, s->salt); break;
    case URGENT:
        df_submit_with(DF_OPTS(.priority = (int)(s->salt % 5) - 2), mix, a, b, s->a.rows, s->a.cols, s->b.rows,
                       s->b.cols, s->salt); break;
    case WRITE: df_submit(mix_range, a, b, b + s->b.cols, s->a.cols, s->salt); break;
    case ADD: df_submit(add, a, sum, s->a.cols, s->salt); break;
    case MOST_OF: df_submit(most, a, sum, s->a.cols, s->salt); break;
    case COMMUTE: df_submit(commute, sum, a, s->a.cols, s->salt); break;
    case TICK: df_submit(tick, sum, a, s->a.cols, s->salt); break;
    case PARENT: df_submit(parent, b, s->b.cols, s->salt, 2); break;
    case WEAK: df_submit(weak, b, s->b.cols, s->salt); break;
    case WAIT: df_wait(); break;
    default: df_wait_on(a, (size_t)s->a.cols * sizeof *a); break;
    }
}

static void memory_reset(uint64_t seed)
{
    for (int i = 0; i < SPAN; i++) memory[i] = (cell)test_random(&seed);
    memset(sums, 0, sizeof sums);
}
static uint64_t memory_hash(void)
{
    uint64_t h = hash(1, memory, 1, SPAN);
    for (int i = 0; i < 4; i++) h = test_mix(h, sums[i]);
    return h;
}

/* --- recorded and run again ------------------------------------------------------------------------------- */

static uint64_t graphed(uint64_t *seed)
{
    static struct step step[MOST];
    int n = 1 + test_below(seed, MOST), plain = test_below(seed, 3) == 0, runs = 2 + test_below(seed, 4);
    uint64_t h = 0;
    df_taskgraph *g = df_taskgraph_new();
    for (int i = 0; i < n; i++) step_make(seed, &step[i], plain);
    memory_reset(*seed);
    DF_TASKGRAPH(g) {
        for (int i = 0; i < n; i++) step_submit(&step[i]);
    }
    h = test_mix(h, memory_hash());
    for (int run = 0; run < runs; run++) {
        int others = test_below(seed, 4) == 0;
        for (int k = 0; k < df_taskgraph_count(g, mix); k++) {
            struct box a = block_at(seed);
            if (test_below(seed, 3) == 0) df_taskgraph_set(g, mix, k, salt, test_random(seed));
            if (!others || test_below(seed, 10)) continue;
            df_taskgraph_set(g, mix, k, a, memory + a.at); /* reads something else */
            df_taskgraph_set(g, mix, k, ra, a.rows);
            df_taskgraph_set(g, mix, k, ca, a.cols);
        }
        for (int k = 0; k < df_taskgraph_count(g, add); k++) df_taskgraph_set(g, add, k, salt, test_random(seed));
        CHECK(df_taskgraph_run(g) == DF_OK);
        h = test_mix(h, memory_hash());
    }
    df_taskgraph_free(g);
    return h;
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;
    for (int defer = 0; defer < 2; defer++) { /* a single worker has plans, too; or several run short graphs alone */
        df_config c;
        memset((void *)&c, 0, sizeof c);
        c.defer = defer;
        df_start(&c);
        for (uint64_t s = first; s < first + count; s++) {
            uint64_t seed = s;
            printf("%llu %016llx\n", (unsigned long long)s, (unsigned long long)graphed(&seed));
        }
        df_stop();
    }
    return 0;
}
