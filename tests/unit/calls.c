/* calls.c - df_call: any number of regions in each mode, arguments of any size, options, and tasks of both kinds in one
 * order */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { MANY = 200, ROW = 24 };
static uint32_t x[MANY][ROW], y[MANY][ROW], z[MANY][ROW];

static df_region part(void *p, size_t bytes, unsigned mode)
{
    df_region r = df_region_of((char *)p, (long long)bytes);
    r.mode = mode;
    return r;
}
static uint64_t hash(const void *p, size_t bytes)
{
    uint64_t h = 1;
    for (size_t i = 0; i < bytes; i++) h = test_mix(h, ((const unsigned char *)p)[i]);
    return h;
}
static void show(const char *what)
{
    df_wait();
    printf("%s: %016llx %016llx %016llx\n", what, (unsigned long long)hash(x, sizeof x),
           (unsigned long long)hash(y, sizeof y), (unsigned long long)hash(z, sizeof z));
}

/* Each element of p[1], p[3], .. becomes a mix of those of the array before it. */
static df_body mix_pairs;
static void mix_pairs(void *arg, void *const *p)
{
    const int n = ((const int *)arg)[0], k = ((const int *)arg)[1];
    for (int i = 0; i + 1 < n; i += 2)
        for (int j = 0; j < ROW; j++) {
            const uint32_t *from = (const uint32_t *)p[i];
            uint32_t *to = (uint32_t *)p[i + 1];
            to[j] = (uint32_t)test_mix(to[j], (uint64_t)from[(j + 1) % ROW] + (uint64_t)k);
        }
}
DF_TASK(void, next, df_in(uint32_t, from, ROW), df_inout(uint32_t, to, ROW), (int, k));
void next(const uint32_t *from, uint32_t *to, int k)
{
    if (k % 8 == 0) test_spin(3000);
    for (int j = 0; j < ROW; j++) to[j] = (uint32_t)test_mix(to[j], (uint64_t)from[j] * (uint64_t)k);
}
static void many(void)
{
    static const int sizes[] = { 0, 1, 2, 15, 16, 17, 18, 40, MANY };
    for (int round = 0; round < 3; round++)
        for (int s = 0; s < 9; s++) {
            df_region r[MANY];
            int arg[2] = { sizes[s], round * 100 + s };
            for (int i = 0; i < sizes[s]; i++) r[i] = part(i % 2 ? y[i] : x[i], sizeof x[i], i % 2 ? DF_INOUT : DF_IN);
            if (s % 3 == 0) df_submit(next, y[1], x[0], s + 1), df_submit(next, y[7], x[2], 8);
            df_call(NULL, mix_pairs, arg, sizeof arg, r, sizes[s]);
            df_submit(next, y[s], x[(s + 3) / 2 * 2], s);
        }
}

/* The argument is a copy, aligned, of any size. */
static void check_argument(void *arg, void *const *p)
{
    struct { size_t bytes; unsigned char text[1]; } head;
    const unsigned char *c = (const unsigned char *)arg;
    memcpy(&head, arg, sizeof head);
    CHECK((uintptr_t)arg % 16 == 0);
    for (size_t i = sizeof head; i < head.bytes; i++) CHECK(c[i] == (unsigned char)(i * 7));
    ++*(uint32_t *)p[0];
}
static void arguments(void)
{
    static const size_t sizes[] = { 16, 17, 100, 303, 304, 305, 400, 512, 5000 };
    static uint32_t count[4];
    unsigned char bytes[5000];
    for (int round = 0; round < 4; round++)
        for (int s = 0; s < 9; s++) {
            df_region r = part(&count[(round + s) % 4], sizeof *count, DF_INOUT);
            for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 7);
            memcpy(bytes, &sizes[s], sizeof *sizes);
            df_call(NULL, check_argument, bytes, sizes[s], &r, 1);
            memset(bytes, 0, sizeof bytes);
        }
    df_wait();
    printf("arguments: %u %u %u %u\n", count[0], count[1], count[2], count[3]);
}

/* --- reductions, commuting and concurrent tasks ---------------------------------------------------------------- */

static void add(void *into, const void *from, size_t n)
{
    uint32_t *a = (uint32_t *)into;
    const uint32_t *b = (const uint32_t *)from;
    for (size_t i = 0; i < n; i++) a[i] = b ? a[i] + b[i] : 0;
}
/* Of two numbers that are maps a * x + b, the one that is both, one after the other: not commutative. */
static void compose(void *into, const void *from, size_t n)
{
    uint32_t *a = (uint32_t *)into;
    const uint32_t *b = (const uint32_t *)from;
    for (size_t i = 0; i < 2 * n; i += 2)
        if (b) a[i + 1] = b[i] * a[i + 1] + b[i + 1], a[i] *= b[i];
        else a[i] = 1, a[i + 1] = 0;
}
static void adds(void *arg, void *const *p)
{
    const int k = *(const int *)arg;
    for (int i = 0; i < ROW; i++) __atomic_fetch_add((uint32_t *)p[0] + i, (uint32_t)(k + i), __ATOMIC_RELAXED);
    ++*(uint32_t *)p[1];
    if (k % 8 == 0) test_spin(2000);
}
/* Adds to all n regions. */
static void add_to_all(void *arg, void *const *p)
{
    const int *a = (const int *)arg;
    for (int i = 0; i < a[0]; i++) for (int j = 0; j < ROW; j++) ((uint32_t *)p[i])[j] += (uint32_t)(a[1] * j);
}
static void many_commute(void)
{
    for (int k = 0; k < 40; k++) {
        df_region r[MANY];
        int a[2] = { k % 4 ? 3 + k : MANY, k };
        for (int i = 0; i < a[0]; i++) r[i] = part(y[(i * 7 + k) % MANY], sizeof *y, DF_COMMUTE);
        df_call(NULL, add_to_all, a, sizeof a, r, a[0]);
        if (k % 10 == 9) df_submit(next, y[k], x[k], k);
    }
}
static void composes(void *arg, void *const *p)
{
    uint32_t map[2] = { (uint32_t)*(const int *)arg * 2 + 1, (uint32_t)*(const int *)arg };
    compose(p[0], map, 1);
}
static void shared(unsigned mode, const df_operator *op)
{
    for (int k = 0; k < 100; k++) {
        df_region r[2] = { part(z[1], sizeof z[1], mode), part(z[2], sizeof **z, DF_COMMUTE) };
        r[0].op = op;
        df_call(NULL, adds, &k, sizeof k, r, 2);
        if (k % 30 == 29) df_submit(next, z[1], z[3], k);
    }
}
static void in_order(const df_opts *o, int ordered)
{
    const df_operator op = { compose, 2 * sizeof **z, ordered, 0, NULL };
    z[5][0] = 1, z[5][1] = 0;
    for (int k = 0; k < 60; k++) {
        df_region r = part(z[5], 2 * sizeof **z, DF_REDUCE);
        r.op = &op;
        df_call(o, composes, &k, sizeof k, &r, 1);
    }
    df_wait();
}

/* Tasks of both kinds reduce a region together, by operators of df and of the program. */
typedef struct { uint32_t a, b; } affine;
static void after_each_other(affine *into, const affine *from)
{
    into->b = from->a * into->b + from->b, into->a *= from->a;
}
static void unchanged(affine *x) { x->a = 1, x->b = 0; }
DF_ORDERED_REDUCTION(composition, affine, after_each_other, unchanged);
DF_OPERATOR(largest, df_max, int);
DF_OPERATOR(composed, composition, affine);
DF_TASK(void, look, df_reduce(df_max, int, most, 4), df_reduce(composition, affine, f, 1), (int, k));
void look(int *most, affine *f, int k)
{
    const affine g = { 2 * (uint32_t)k + 1, (uint32_t)k };
    if (k * 37 % 101 > most[k % 4]) most[k % 4] = k * 37 % 101;
    after_each_other(f, &g);
    if (k % 8 == 0) test_spin(2000);
}
static void looks(void *k, void *const *p) { look((int *)p[0], (affine *)p[1], *(const int *)k); }
static void both_kinds(void)
{
    static int most[4];
    static affine f;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++) most[i] = -1;
        f.a = 1, f.b = (uint32_t)round;
        for (int k = 0; k < 100; k++) {
            df_region r[2] = { part(most, sizeof most, DF_REDUCE), part(&f, sizeof f, DF_REDUCE) };
            r[0].op = &largest, r[1].op = &composed;
            if (k % 3) df_call(NULL, looks, &k, sizeof k, r, 2);
            else df_submit(look, most, &f, k);
        }
        df_wait();
        printf("both kinds: %d %d %d %d, %u %u\n", most[0], most[1], most[2], most[3], f.a, f.b);
    }
}

/* Units: no more than two tasks of either kind at a time. */
static df_semaphore two = DF_SEMAPHORE(2);
static int inside, ran;
static void enter_and_leave(void)
{
    CHECK(__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) < 2);
    test_spin(3000);
    __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
}
DF_TASK(void, limited, df_limit(two, 1));
void limited(df_semaphore *s) { (void)s, enter_and_leave(); }
static void limited_call(void *arg, void *const *p) { CHECK(p[0] == &two), (void)arg, enter_and_leave(); }
static void limits(void)
{
    for (int k = 0; k < 60; k++) {
        df_region r[2] = { df_units_of(&two, 1), part(z[k % 5], sizeof *z, DF_INOUT) };
        if (k % 3 == 0) df_submit(limited, &two);
        else df_call(NULL, limited_call, NULL, 0, r, 1 + k % 2);
    }
    df_wait();
    printf("limits: %d\n", ran);
}

/* --- for the children ------------------------------------------------------------------------------------------- */

static void leaf(void *arg, void *const *p) { mix_pairs(arg, p); }
static void family(void *arg, void *const *p)
{
    const int n = *(const int *)arg;
    for (int i = 0; i + 1 < n; i += 2) {
        df_region r[2] = { part(p[i], sizeof x[i], DF_IN), part(p[i + 1], sizeof x[i], DF_INOUT) };
        int of[2] = { 2, i };
        df_call(DF_OPTS(.priority = i % 3), leaf, of, sizeof of, r, 2);
    }
}
static void families(void)
{
    for (int round = 0; round < 3; round++) {
        df_region r[MANY];
        int n = round == 1 ? 10 : MANY;
        for (int i = 0; i < n; i++)
            r[i] = part(i % 2 ? x[i] : y[i], sizeof x[i], (i % 2 ? DF_INOUT : DF_IN) | (round < 2 ? DF_WEAK : 0));
        df_submit(next, x[3], y[2], 8);
        df_call(NULL, family, &n, sizeof n, r, n);
        df_submit(next, x[1], y[4], round);
    }
}

/* --- a box of three dimensions: a block of each plane -------------------------------------------------------- */

enum { SIDE = 12 };
static uint32_t box[SIDE][SIDE][SIDE];
static void in_box(void *arg, void *const *p)
{
    const int *size = (const int *)arg;
    for (int i = 0; i < size[0]; i++)
        for (int j = 0; j < size[1]; j++)
            for (int k = 0; k < size[2]; k++) {
                uint32_t *at = (uint32_t *)p[i] + j * SIDE + k;
                *at = *at * 3 + (uint32_t)size[3];
            }
}
static void boxes(void)
{
    uint64_t seed = 9;
    for (int n = 0; n < 200; n++) {
        int a = test_below(&seed, SIDE), b = test_below(&seed, SIDE), c = test_below(&seed, SIDE);
        int size[4] = { 1 + test_below(&seed, SIDE - a), 1 + test_below(&seed, SIDE - b),
                        1 + test_below(&seed, SIDE - c), n };
        df_region r[SIDE];
        for (int i = 0; i < size[0]; i++)
            r[i] = df_region2_of(&box[a + i][b][c], size[1], size[2], SIDE), r[i].mode = DF_INOUT;
        df_call(DF_OPTS(.name = "in a box"), in_box, size, sizeof size, r, size[0]);
    }
    df_wait();
    printf("boxes: %016llx\n", (unsigned long long)hash(box, sizeof box));
}

/* --- options, task graphs --------------------------------------------------------------------------------------- */

static void options(void)
{
    df_token opens = DF_TOKEN_EXTERNAL(1), done = DF_TOKEN(1);
    df_token *after[] = { &opens, NULL }, *signals[] = { &done, NULL };
    df_region r[2] = { part(x[0], sizeof *x, DF_IN), part(y[0], sizeof *y, DF_INOUT) };
    int arg[2] = { 2, 77 };
    df_opts o = { 0 };
    o.after = after, o.signals = signals, o.name = "late";
    CHECK(df_call(&o, mix_pairs, arg, sizeof arg, r, 2) == DF_OK);
    CHECK((df_call)(NULL, mix_pairs, arg, sizeof arg, r, 2) == DF_OK);
    df_signal(&opens);
    df_wait_token(&done);
}
/* Tasks with many regions that are rolled back, or not. */
DF_TASK(void, is_odd, df_in(uint32_t, from, ROW), df_out(int, odd, 1));
void is_odd(const uint32_t *from, int *odd) { test_spin(2000), *odd = (int)(from[0] & 1); }
static void guesses(void)
{
    static const int sizes[] = { 16, 17, 40, MANY };
    for (int k = 0; k < 16; k++) {
        df_region r[MANY];
        int arg[2] = { sizes[k % 4], k }, odd = 0;
        for (int i = 0; i < sizes[k % 4]; i++) r[i] = part(i % 2 ? x[i] : y[i], sizeof *x, i % 2 ? DF_INOUT : DF_IN);
        df_submit(is_odd, x[1], &odd);
        df_speculate(&odd, k / 4 % 2) {
            df_call(NULL, mix_pairs, arg, sizeof arg, r, sizes[k % 4]);
            df_submit(next, x[1], y[2], k);
        }
        df_submit(next, x[3], y[0], k);
        df_submit(next, y[0], x[1], k);
        df_wait();
    }
}
/* Tasks with many regions that give up half of these before they write the others. */
static void gives_up(void *arg, void *const *p)
{
    int half[2] = { ((const int *)arg)[0] / 4 * 2, ((const int *)arg)[1] };
    mix_pairs(half, p);
    for (int i = 0; i < half[0]; i++) df_release((uint32_t *)p[i], ROW);
    test_spin(1000);
    p += half[0], half[0] = ((const int *)arg)[0] - half[0];
    mix_pairs(half, p);
}
static void early(void)
{
    for (int k = 0; k < 10; k++) {
        const int n = k % 2 ? MANY : 40;
        df_region r[MANY];
        int arg[2] = { n, k };
        for (int i = 0; i < n; i++) r[i] = part(i % 2 ? z[i] : y[i], sizeof *z, i % 2 ? DF_INOUT : DF_IN);
        df_call(DF_OPTS(.release = 1), gives_up, arg, sizeof arg, r, n);
        df_submit(next, z[1], y[0], k);
        df_submit(next, z[n - 1], y[n - 2], k);
    }
}
static void graph(void)
{
    df_taskgraph *g = df_taskgraph_new();
    DF_TASKGRAPH(g) {
        many();
        families();
    }
    for (int i = 0; i < 3; i++) CHECK(df_taskgraph_run(g) == DF_OK);
    df_taskgraph_free(g);
}

int main(void)
{
    static const df_operator sum = { add, sizeof(uint32_t), 0, 0, NULL };
    for (int i = 0; i < MANY; i++)
        for (int j = 0; j < ROW; j++) x[i][j] = (uint32_t)(i * j), y[i][j] = (uint32_t)(i + j);
    many(), show("many");
    many_commute(), show("many that commute");
    arguments();
    shared(DF_CONCURRENT, NULL), show("concurrent");
    shared(DF_COMMUTE, NULL), show("commuting");
    shared(DF_REDUCE, &sum), show("reducing");
    in_order(NULL, 1), show("in order");
    in_order(DF_OPTS(.deterministic = 1), 0), show("in order by an option");
    both_kinds();
    limits();
    families(), show("families");
    boxes();
    options(), show("options");
    guesses(), show("guesses");
    early(), show("early");
    graph(), show("task graph");
}
