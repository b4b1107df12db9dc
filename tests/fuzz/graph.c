/* graph.c - the edges of DF_GRAPH are those that brute force finds: `graph FIRST_SEED COUNT` makes a random program of
 * each seed, runs all with a graph, and prints the content of the file, which must be the same at every number of
 * workers and in the serial build
 *
 * Tasks access two regions in all modes; some have children, inside of their regions, and scopes wait in between.
 * The oracle has sets of elements. An access is remembered until a later one writes all of its elements alone; or
 * shares exactly its region in another way than the accesses that shared it since, which then replace it. Besides,
 * every required order must be that of some path. A join stands for all tasks that it waits for. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { SPAN = 192, TASKS = 48, DEPTH = 3 };
typedef char cell;
struct box { int at, rows, cols, ld; };
struct task {
    char path[40];
    int mode[2], waits, n;          /* waits: its scope does, before it */
    struct box box[2];
    struct task *child;
    unsigned char after[TASKS];     /* result: which of its scope come before it */
};

/* mode m of b, after reading a */
#define TWO(a_word, b_word) \
    (const struct task *, t), a_word(cell, a, t->box[0].rows, t->box[0].cols, t->box[0].ld), \
    b_word(cell, b, t->box[1].rows, t->box[1].cols, t->box[1].ld)
#define SUM2(T, p, rows, cols, ld) df_reduce2(df_sum, T, p, rows, cols, ld)
#define MAX2(T, p, rows, cols, ld) df_reduce2(df_max, T, p, rows, cols, ld)
DF_STATIC_TASK(void, reads, TWO(df_in2, df_in2));
DF_STATIC_TASK(void, writes, TWO(df_in2, df_out2));
DF_STATIC_TASK(void, updates, TWO(df_in2, df_inout2));
DF_STATIC_TASK(void, commutes, TWO(df_in2, df_commute2));
DF_STATIC_TASK(void, shares, (const struct task *, t), df_in2(cell, a, t->box[0].rows, t->box[0].cols, t->box[0].ld),
               df_concurrent(cell, b, t->box[1].cols));
DF_STATIC_TASK(void, sums, TWO(df_in2, SUM2));
DF_STATIC_TASK(void, maxima, TWO(df_in2, MAX2));
DF_STATIC_TASK(void, weakly, TWO(df_weak_in2, df_weak_inout2));
DF_STATIC_TASK(void, both, TWO(df_inout2, df_commute2));

static cell memory[SPAN];
static void submit(const struct task *t)
{
    cell *a = memory + t->box[0].at, *b = memory + t->box[1].at;
    switch (t->mode[1] + 10 * t->mode[0]) {
    case 0: df_submit(reads, t, a, b); break;
    case 1: df_submit(writes, t, a, b); break;
    case 2: df_submit(updates, t, a, b); break;
    case 3: df_submit(commutes, t, a, b); break;
    case 4: df_submit(shares, t, a, b); break;
    case 5: df_submit(sums, t, a, b); break;
    case 6: df_submit(maxima, t, a, b); break;
    case 22: df_submit(weakly, t, a, b); break; /* where it is: like in and inout, see below */
    default: df_submit(both, t, a, b);
    }
}
static void children(const struct task *t)
{
    test_spin(200);
    for (int i = 0; i < t->n; i++) {
        if (t->child[i].waits) df_wait();
        submit(&t->child[i]);
    }
}
static void reads(const struct task *t, const cell *a, const cell *b) { (void)a, (void)b, children(t); }
static void writes(const struct task *t, const cell *a, cell *b) { (void)a, (void)b, children(t); }
static void updates(const struct task *t, const cell *a, cell *b) { (void)a, (void)b, children(t); }
static void commutes(const struct task *t, const cell *a, cell *b) { (void)a, (void)b, children(t); }
static void shares(const struct task *t, const cell *a, cell *b) { (void)a, (void)b, children(t); }
static void sums(const struct task *t, const cell *a, cell *b) { (void)a, (void)b, children(t); }
static void maxima(const struct task *t, const cell *a, cell *b) { (void)a, (void)b, children(t); }
static void weakly(const struct task *t, const cell *a, cell *b) { (void)a, (void)b, children(t); }
static void both(const struct task *t, cell *a, cell *b) { (void)a, (void)b, children(t); }

/* --- a random program -------------------------------------------------------------------------------------- */

/* Children stay inside of the regions of their parent, and write only where it does: a box of t for one that writes,
 * or not, as a range [*lo, *hi). Zero: there is none. A task accumulates into a copy of its own: its children do not
 * access it. */
static int limits(uint64_t *seed, const struct task *t, int writes, int *lo, int *hi)
{
    int first = !writes || t->mode[0] == 1, second = t->mode[1] < 5 && (!writes || t->mode[1] != 0);
    const struct box *x = &t->box[first && second ? test_below(seed, 2) : second];
    *lo = x->at, *hi = x->at + x->cols;
    return first || second;
}

static struct box random_box(uint64_t *seed, int range, int lo, int hi)
{
    struct box x = { 0, 1, 1, 1 };
    x.at = lo + test_below(seed, hi - lo) / 32 * 32;
    if (test_below(seed, 2)) x.at += test_below(seed, hi - x.at < 32 ? hi - x.at : 32);
    x.cols = 1 + test_below(seed, range || test_below(seed, 2) ? 24 : 6);
    if (!range && test_below(seed, 2))
        x.rows = 1 + test_below(seed, 5), x.ld = test_below(seed, 3) ? 16 : 1 + test_below(seed, 20);
    if (test_below(seed, 30) == 0) x.rows = x.cols = 0;
    while (x.rows > 1 && x.at + (x.rows - 1) * x.ld + x.cols > hi) x.rows--;
    if (x.at + x.cols > hi) x.cols = hi - x.at;
    return x;
}

/* Of a task that has children. */
static struct box random_range(uint64_t *seed, int lo, int hi)
{
    struct box x = { 0, 1, 1, 1 };
    x.at = lo + test_below(seed, (hi - lo + 1) / 2);
    x.cols = hi - x.at - test_below(seed, (hi - x.at + 1) / 2);
    return x;
}

static void random_scope(uint64_t *seed, struct task *t, int depth, int *left)
{
    struct box few[4]; /* the same regions again and again, and others */
    int lo, hi, may_write = limits(seed, t, 1, &lo, &hi), alike = 0, step = 1, same_box = 0;
    for (int i = 0; i < 4; i++) {
        limits(seed, t, may_write, &lo, &hi);
        few[i] = i ? random_box(seed, 0, lo, hi) : random_range(seed, lo, hi);
    }
    t->n = depth == 1 ? TASKS : 1 + test_below(seed, TASKS);
    if (t->n > *left) t->n = *left;
    *left -= t->n;
    t->child = t->n ? calloc((size_t)t->n, sizeof *t->child) : NULL;
    for (int i = 0; i < t->n; i++) {
        struct task *c = &t->child[i];
        int parent = depth < DEPTH && test_below(seed, 5) == 0;
        snprintf(c->path, sizeof c->path, "%.24s.%d", t->path, i + 1);
        c->mode[1] = test_below(seed, 7);
        if (test_below(seed, 8) == 0) c->mode[0] = c->mode[1] = 2;      /* weakly */
        else if (test_below(seed, 8) == 0) c->mode[0] = 1, c->mode[1] = 3; /* both */
        if (!may_write) c->mode[0] = c->mode[1] = 0;
        for (int k = 0; k < 2; k++) {
            limits(seed, t, k ? c->mode[1] != 0 : c->mode[0] == 1, &lo, &hi);
            if (parent) c->box[k] = test_below(seed, 2) ? few[0] : random_range(seed, lo, hi);
            else c->box[k] = test_below(seed, 2) &&
                c->mode[k] != 4 ? few[test_below(seed, 4)] : random_box(seed, c->mode[k] == 4, lo, hi);
        }
        if (!alike && i > 1 && test_below(seed, 5) == 0)
            alike = 9 + test_below(seed, 12), step = 1 + test_below(seed, 2), same_box = test_below(seed, 3);
        if (alike) { /* many like the one before, or like the two before in turn */
            const struct task *like = &c[-step];
            memcpy(c->mode, like->mode, sizeof c->mode);
            for (int k = 0; k < 2; k++)
                if (same_box || c->mode[k] == 4 || like->n) c->box[k] = like->box[k];
                else limits(seed, t, k ? c->mode[1] != 0 : c->mode[0] == 1, &lo, &hi),
                    c->box[k] = random_box(seed, 0, lo, hi);
            alike--, parent = 0;
        } else c->waits = i && test_below(seed, 12) == 0;
        if (parent) random_scope(seed, c, depth + 1, left);
    }
}

/* --- the oracle --------------------------------------------------------------------------------------------- */

enum { READS = 1, ALONE, COMMUTES, SHARES, SUMS, MAXIMA };
struct seen {
    int task, kind, writer; /* writer: of the region, for later tasks */
    struct box box;         /* in one form for one set */
    unsigned char set[SPAN];
};

static struct seen seen_of(const struct task *t, int task, int k)
{
    static const int kinds[] = { READS, ALONE, ALONE, COMMUTES, SHARES, SUMS, MAXIMA };
    struct seen s = { 0 };
    struct box x = t->box[k];
    s.task = task;
    s.kind = k == 0 ? t->mode[0] == 1 ? ALONE : READS : t->mode[0] == 2 ? ALONE : kinds[t->mode[k]];
    for (int i = 0; i < x.rows; i++) memset(s.set + x.at + i * x.ld, 1, (size_t)x.cols);
    if (x.rows > 1 && x.ld <= x.cols) x.cols += (x.rows - 1) * x.ld, x.rows = 1;
    if (x.rows == 1) x.ld = 0;
    s.box = x;
    return s;
}
static int meet(const struct seen *a, const struct seen *b)
{
    for (int i = 0; i < SPAN; i++)
        if (a->set[i] && b->set[i]) return 1;
    return 0;
}
static int covers(const struct seen *a, const struct seen *b)
{
    for (int i = 0; i < SPAN; i++)
        if (b->set[i] && !a->set[i]) return 0;
    return 1;
}
static int same_box(const struct seen *a, const struct seen *b) { return !memcmp(&a->box, &b->box, sizeof a->box); }

/* May two tasks make these accesses at the same time, or commute? */
static int may_share(const struct seen *a, const struct seen *b)
{
    return a->kind == b->kind && (a->kind == READS || a->kind == SHARES || (a->kind != ALONE && same_box(a, b)));
}

static void edges(struct task *scope)
{
    static struct seen all[2 * TASKS], list[2 * TASKS];
    int n = 0, m = 0, begin = 0;
    unsigned char path[TASKS][TASKS] = { { 0 } };
    for (int t = 0; t < scope->n; t++) {
        struct task *c = &scope->child[t];
        struct seen x[2] = { seen_of(c, t, 0), seen_of(c, t, 1) };
        if (c->waits) n = 0, m = 0, begin = t;
        if (meet(&x[0], &x[1])) /* it would wait for itself, or its region have two modes */
            for (int k = 0; k < 2; k++)
                if (x[k].kind > ALONE && (x[k].kind != SHARES || same_box(&x[0], &x[1]))) x[k].kind = ALONE;
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < n; i++)
                if (meet(&list[i], &x[k]) && !may_share(&list[i], &x[k])) c->after[list[i].task] = 1;
        for (int k = 0; k < 2; k++) {
            int kept = 0, other = 0;
            if (!x[k].box.rows || !x[k].box.cols) continue;
            if (x[k].kind == ALONE) {
                for (int i = 0; i < n; i++)
                    if (!covers(&x[k], &list[i])) list[kept++] = list[i];
                n = kept;
            } else {
                for (int i = 0; i < n; i++)
                    other |= same_box(&list[i], &x[k]) && !list[i].writer && !may_share(&list[i], &x[k]);
                for (int i = 0; i < n && other; i++) {
                    if (!same_box(&list[i], &x[k])) list[kept++] = list[i];
                    else if (!list[i].writer) list[kept] = list[i], list[kept++].writer = 1;
                }
                if (other) n = kept;
            }
            x[k].writer = x[k].kind == ALONE;
            list[n++] = x[k];
        }
        for (int s = begin; s < t; s++) /* paths */
            if (c->after[s])
                for (int r = begin; r <= s; r++) path[t][r] |= r == s || path[s][r];
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < m; i++)
                CHECK(!meet(&all[i], &x[k]) || may_share(&all[i], &x[k]) || path[t][all[i].task]);
        for (int s = begin; s < t; s++) { /* no edge without a reason */
            int reason = 0;
            for (int i = 0; i < m; i++)
                for (int k = 0; k < 2; k++)
                    reason |= all[i].task == s && meet(&all[i], &x[k]) && !(all[i].kind == READS && x[k].kind == READS);
            CHECK(!c->after[s] || reason);
        }
        for (int k = 0; k < 2; k++) all[m++] = x[k];
    }
}

/* --- the file ------------------------------------------------------------------------------------------------- */

static int by_path(const void *a, const void *b)
{
    return strcmp((*(struct task *const *)a)->path, (*(struct task *const *)b)->path);
}
static struct task **tasks;
static size_t n_tasks;

static void collect(struct task *t)
{
    edges(t);
    for (int i = 0; i < t->n; i++) {
        tasks = realloc(tasks, (n_tasks + 1) * sizeof *tasks);
        tasks[n_tasks++] = &t->child[i];
        collect(&t->child[i]);
    }
}
static struct task *find(const char *path)
{
    struct task key, *p = &key, **found;
    snprintf(key.path, sizeof key.path, "%s", path);
    found = bsearch(&p, tasks, n_tasks, sizeof *tasks, by_path);
    CHECK(found);
    return *found;
}

struct join { char scope[40]; unsigned char after[TASKS]; };
static struct join *joins;
static size_t n_joins;

static void waits_for(struct task *t, const char *scope, int child) /* t waits for it, or the last join: NULL */
{
    size_t length = strlen(scope);
    if (!t) {
        CHECK(!joins[n_joins - 1].scope[0] || !strcmp(joins[n_joins - 1].scope, scope));
        strcpy(joins[n_joins - 1].scope, scope);
        joins[n_joins - 1].after[child] = 1;
        return;
    }
    CHECK(!strncmp(scope, t->path, length) && t->path[length] == '.' && !strchr(t->path + length + 1, '.'));
    if (!t->after[child]) fprintf(stderr, "task %s waits for %s.%d\n", t->path, scope, child + 1);
    CHECK(t->after[child]);
    t->after[child] = 2;
}

/* Takes from the tasks what the file says of them; so nothing is left. */
static uint64_t read_file(const char *name)
{
    FILE *f = fopen(name, "r");
    char line[1000], path[40];
    struct task *t = NULL;
    uint64_t h = 0;
    size_t found = 0, join;
    CHECK(f);
    while (fgets(line, sizeof line, f)) {
        for (const char *p = line; *p; p++) h = test_mix(h, (unsigned char)*p);
        if (sscanf(line, "  task %39s", path) == 1) t = find(path), found++;
        else if (sscanf(line, "  join %zu", &join) == 1) {
            CHECK(join == n_joins + 1);
            joins = realloc(joins, ++n_joins * sizeof *joins);
            memset(&joins[n_joins - 1], 0, sizeof *joins);
            t = NULL;
        } else if (sscanf(line, "    waits for join %zu", &join) == 1) {
            CHECK(join && join <= n_joins - !t);
            for (int i = 0; i < TASKS; i++)
                if (joins[join - 1].after[i]) waits_for(t, joins[join - 1].scope, i);
        } else if (sscanf(line, "    waits for %39s", path) == 1) {
            char *dot = strrchr(find(path)->path, '.');
            snprintf(path, sizeof path, "%.*s", (int)(dot - find(path)->path), find(path)->path);
            waits_for(t, path, atoi(dot + 1) - 1);
        }
    }
    fclose(f);
    CHECK(found == n_tasks);
    for (size_t i = 0; i < n_tasks; i++)
        for (int k = 0; k < TASKS; k++) {
            if (tasks[i]->after[k] == 1) fprintf(stderr, "task %s does not wait for %d\n", tasks[i]->path, k + 1);
            CHECK(tasks[i]->after[k] != 1);
        }
    return h;
}

static void free_children(struct task *t)
{
    for (int i = 0; i < t->n; i++) free_children(&t->child[i]);
    free(t->child);
}

int main(int argc, char **argv)
{
    long first = argc > 1 ? atol(argv[1]) : 1, count = argc > 2 ? atol(argv[2]) : 20;
    struct task *program = calloc((size_t)count, sizeof *program);
    char name[1000];
    uint64_t h;
    df_config config;
    memset(&config, 0, sizeof config);
    snprintf(name, sizeof name, "%s.txt", argv[0]);
    config.graph = name;
    CHECK(df_start(&config) == DF_OK);
    for (long n = 0; n < count; n++) {
        uint64_t seed = (uint64_t)(first + n);
        int left = 120;
        snprintf(program[n].path, sizeof program[n].path, "%ld", n + 1);
        /* it is no task, and has no limit */
        program[n].mode[1] = 2, program[n].box[0].cols = program[n].box[1].cols = SPAN;
        random_scope(&seed, &program[n], 1, &left);
        DF_PARALLEL children(&program[n]);
    }
    df_stop();
    for (long n = 0; n < count; n++) collect(&program[n]);
    qsort(tasks, n_tasks, sizeof *tasks, by_path);
    h = read_file(name);
    printf("%zu tasks, %zu joins, %016llx\n", n_tasks, n_joins, (unsigned long long)h);
    remove(name);
    for (long n = 0; n < count; n++) free_children(&program[n]);
    free(program), free(tasks), free(joins);
}
