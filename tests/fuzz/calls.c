/* calls.c - random programs of df_call: `calls FIRST_SEED COUNT` prints, per seed, a hash of the memory after all tasks
 *
 * A task accesses 0 to 40 regions, ranges and blocks of any leading dimension, each in a mode of its own. It mixes what
 * it may read into what it may write, in an order that matters, and adds to the rest. It may have children on parts of
 * its regions, and only these where it declares a region for its children. Tasks of df_call have names, options, and
 * arguments of any size; one in six is a task of DF_TASK. The submitter waits for lists of regions now and then, and
 * for all. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SPAN = 4096, MOST = 40, SHARED_BOXES = 8, LD = 32 };
#include "boxes.h"

struct plan {
    uint64_t seed;
    struct box a, b, c;
};
static void body(struct plan s, const cell *a, cell *b, cell *c);
KIND(declared, df_in2(cell, a, BOX(a)), df_inout2(cell, b, BOX(b)), df_out2(cell, c, BOX(c)))

/* What a called task is to do, followed in its argument by n boxes and n modes. */
struct work { uint64_t seed; int n, children; };
struct part { struct box x; unsigned mode; };
enum { MOST_BYTES = sizeof(struct work) + MOST * sizeof(struct part) };

static cell memory[SPAN];

static void add(void *into, const void *from, size_t n)
{
    cell *a = (cell *)into;
    const cell *b = (const cell *)from;
    for (size_t i = 0; i < n; i++) a[i] = b ? a[i] + b[i] : 0;
}
static void spread(void *into, const void *from, size_t n) /* the same for pairs: another operator */
{
    add(into, from, 2 * n);
}
static const df_operator sum = { add, sizeof(cell), 0, 0, NULL }, sum_in_order = { add, sizeof(cell), 1, 0, NULL },
                         pairs = { spread, 2 * sizeof(cell), 0, 0, NULL };

static df_region region(struct box x, cell *p, unsigned mode, const df_operator *op)
{
    df_region r = df_region2_of(p, x.rows, x.cols, x.ld);
    r.mode = mode, r.op = op;
    return r;
}

static uint64_t read_all(uint64_t h, struct box x, const cell *p)
{
    for (int i = 0; i < x.rows; i++) for (int j = 0; j < x.cols; j++) h = test_mix(h, p[i * x.ld + j]);
    return h;
}
static void write_all(uint64_t h, struct box x, cell *p)
{
    for (int i = 0; i < x.rows; i++) for (int j = 0; j < x.cols; j++) p[i * x.ld + j] = (cell)(h = test_mix(h, 1));
}
static void add_to(cell value, struct box x, cell *p)
{
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) __atomic_fetch_add(&p[i * x.ld + j], value, __ATOMIC_RELAXED);
}

/* The boxes of tasks that share memory are few, so that these tasks meet. */
static struct box shared_box[SHARED_BOXES];

static void called(void *arg, void *const *p);

/* Submits a task on parts of the n boxes `of`, or anywhere. p: where they are. */
static void submit(uint64_t *seed, const struct part *of, void *const *p, int n_of, int children)
{
    union { char bytes[MOST_BYTES]; struct work w; } arg;
    struct work *w = &arg.w;
    struct part *part = (struct part *)(void *)(arg.bytes + sizeof *w);
    df_region r[MOST];
    int n = 0, kind = test_below(seed, 16), k;
    const int wanted = kind == 0 ? test_below(seed, MOST + 1) : kind == 1 ? 0 : 1 + test_below(seed, 4);
    w->seed = test_random(seed), w->children = children;
    for (int i = 0; i < wanted; i++) {
        static const unsigned modes[] = { DF_IN, 0, DF_IN, DF_OUT, DF_INOUT, DF_INOUT, DF_COMMUTE, DF_CONCURRENT,
                                          DF_REDUCE };
        unsigned mode = modes[test_below(seed, 9)];
        struct box x;
        cell *at;
        int meets = 0;
        if (n_of) {
            const int from = test_below(seed, n_of);
            if (of[from].mode == DF_IN || of[from].mode == (DF_IN | DF_WEAK) || !of[from].mode) mode = DF_IN;
            x = part_of(seed, of[from].x, 60), at = (cell *)p[from] + (x.at - of[from].x.at);
            if (of[from].mode == DF_OUT) mode = DF_INOUT; /* the parent has written it */
            if (of[from].mode & 28) continue;             /* shared with tasks that are no children */
        } else {
            x = mode > DF_INOUT && test_below(seed, 4) ? shared_box[test_below(seed, SHARED_BOXES)]
                                                       : part_of_range(seed, 0, SPAN, 60);
            at = memory + x.at;
            if (children && mode <= DF_INOUT && test_below(seed, 3) == 0) mode = (mode ? mode : DF_IN) | DF_WEAK;
        }
        /* what a task reads may overlap, what it writes does not */
        for (k = 0; k < n; k++) meets |= (mode > DF_IN || part[k].mode > DF_IN) && meet(x, part[k].x);
        if (meets || !x.rows) continue;
        if (mode == DF_REDUCE && (x.rows > 1 || x.cols % 2)) mode = DF_COMMUTE;
        part[n].x = x, part[n].mode = mode;
        r[n] = region(x, at, mode, mode != DF_REDUCE ? NULL : test_below(seed, 4) == 0 ? &pairs
                                   : test_below(seed, 2) ? &sum : &sum_in_order);
        n++;
    }
    w->n = n;
    k = test_below(seed, 4);
    df_call(k == 0 ? DF_OPTS(.name = "named") : k == 1 ? DF_OPTS(.name = "urgent", .priority = 1 + test_below(seed, 3))
            : k == 2 ? DF_OPTS(.deterministic = 1) : NULL,
            called, &arg, sizeof *w + (size_t)n * sizeof *part, r, n);
}

static void called(void *arg, void *const *p)
{
    const struct work *w = (const struct work *)arg;
    const struct part *part = (const struct part *)(const void *)(w + 1);
    uint64_t h = w->seed, seed = w->seed;
    int i;
    if (test_below(&seed, 16) == 0) test_spin((unsigned)test_below(&seed, 2000));
    for (i = 0; i < w->n; i++)
        if (part[i].mode <= DF_INOUT && part[i].mode != DF_OUT) h = read_all(h, part[i].x, (const cell *)p[i]);
    for (i = 0; i < w->n; i++)
        if (part[i].mode == DF_OUT || part[i].mode == DF_INOUT)
            write_all(h = test_mix(h, (uint64_t)i), part[i].x, (cell *)p[i]);
        else if (part[i].mode > DF_INOUT && !(part[i].mode & DF_WEAK)) add_to((cell)w->seed, part[i].x, (cell *)p[i]);
    for (i = 0; w->n && i < w->children; i++) submit(&seed, part, p, w->n, 0);
}

static void body(struct plan s, const cell *a, cell *b, cell *c)
{
    uint64_t h = read_all(read_all(s.seed, s.a, a), s.b, b);
    write_all(h, s.b, b);
    write_all(h, s.c, c);
}

static void program(uint64_t seed)
{
    const int tasks = 30 + test_below(&seed, 300);
    for (int i = 0; i < SHARED_BOXES; i++) {
        shared_box[i] = part_of_range(&seed, 0, SPAN, 40);
        if (i % 2) shared_box[i].rows = 1, shared_box[i].cols = 16;
    }
    for (int i = 0; i < SHARED_BOXES; i++) if (shared_box[i].at > SPAN - 16) shared_box[i].at = SPAN - 16;
    for (int i = 0; i < tasks; i++) {
        const int kind = test_below(&seed, 48);
        if (kind < 8) {
            struct plan s = { test_random(&seed), part_of_range(&seed, 0, SPAN, 60), part_of_range(&seed, 0, SPAN, 60),
                              part_of_range(&seed, 0, SPAN, 60) };
            if (meet(s.a, s.c) || meet(s.b, s.c)) s.c = nothing;
            df_submit(declared, s, memory + s.a.at, memory + s.b.at, memory + s.c.at);
        } else if (kind == 8) df_wait();
        else if (kind == 9) {
            df_region r[3];
            for (int k = 0; k < 3; k++) {
                struct box x = part_of_range(&seed, 0, SPAN, 200);
                r[k] = region(x, memory + x.at, 0, NULL);
            }
            df_wait_on_list(r, 3);
        } else submit(&seed, NULL, NULL, 0, kind < 20 ? test_below(&seed, 6) : 0);
    }
}

int main(int argc, char **argv)
{
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
        count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    for (unsigned long long n = first; n < first + count; n++) {
        struct box all = { 0, 1, SPAN, 1, 0 };
        memset(memory, 0, sizeof memory);
        if (n % 2) {
            program(n);
            df_wait();
        } else DF_PARALLEL program(n);
        printf("%llu %016llx\n", n, (unsigned long long)read_all(0, all, memory));
    }
}
