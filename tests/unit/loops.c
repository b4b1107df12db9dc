/* loops.c - df_for: every iteration once, by legal parts, for all schedules, grains, steps and shapes; loops in loops,
 * in tasks and in spawned functions; tasks in loops; loops after tasks; cancelled loops
 *
 * A part is legal if it begins at an iteration, ends at one or at the end of the range, and is not empty. */
#include <limits.h>
#include <string.h>
#include <time.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

typedef unsigned long ulong_t;

/* --- what is visited ------------------------------------------------------------------------------ */

enum { CELLS = 4096 };
struct space {
    int dims, unsigned_range;
    long lo[4], hi[4], step[4];   /* as given to df_for; step not 0 */
    ulong_t n[4];
    ulong_t most[4], least;       /* of iterations in a part: at most per dimension, at least in the first; 0: any */
    unsigned slow;
    int calls;
    unsigned char seen[CELLS];
};

static ulong_t length(const struct space *s, int d, long from, long to) /* iterations from `from` to before `to` */
{
    ulong_t a = (ulong_t)from, b = (ulong_t)to;
    int up = s->step[d] > 0, some = s->unsigned_range ? (up ? a < b : a > b) : up ? from < to : from > to;
    ulong_t stride = up ? (ulong_t)s->step[d] : 0 - (ulong_t)s->step[d];
    return some ? ((up ? b - a : a - b) - 1) / stride + 1 : 0;
}
/* The number of iteration x of dimension d; x must be one. */
static ulong_t number(const struct space *s, int d, long x)
{
    int up = s->step[d] > 0;
    ulong_t stride = up ? (ulong_t)s->step[d] : 0 - (ulong_t)s->step[d];
    ulong_t way = up ? (ulong_t)x - (ulong_t)s->lo[d] : (ulong_t)s->lo[d] - (ulong_t)x;
    CHECK(way % stride == 0);
    return way / stride;
}
static void visit(struct space *s, const long *b)
{
    ulong_t from[4] = { 0, 0, 0, 0 }, n[4] = { 1, 1, 1, 1 };
    for (int d = 0; d < s->dims; d++) {
        from[d] = number(s, d, b[2 * d]);
        n[d] = length(s, d, b[2 * d], b[2 * d + 1]);
        CHECK(n[d] > 0 && from[d] < s->n[d] && n[d] <= s->n[d] - from[d]);
        if (from[d] + n[d] == s->n[d]) CHECK(b[2 * d + 1] == s->hi[d]);
        else CHECK(number(s, d, b[2 * d + 1]) == from[d] + n[d]);
        if (df_workers() > 1) CHECK(!s->most[d] || n[d] <= s->most[d]);
    }
    CHECK(n[0] >= s->least || from[0] + n[0] == s->n[0]);
    for (ulong_t i = from[0]; i < from[0] + n[0]; i++)
        for (ulong_t j = from[1]; j < from[1] + n[1]; j++)
            for (ulong_t k = from[2]; k < from[2] + n[2]; k++)
                for (ulong_t l = from[3]; l < from[3] + n[3]; l++) {
                    ulong_t at = (i * (s->dims > 1 ? s->n[1] : 1) + j) * (s->dims > 2 ? s->n[2] : 1) + k;
                    at = at * (s->dims > 3 ? s->n[3] : 1) + l;
                    __atomic_fetch_add(&s->seen[at], 1, __ATOMIC_RELAXED);
                    test_spin(s->slow);
                }
    __atomic_fetch_add(&s->calls, 1, __ATOMIC_RELAXED);
}
DF_LOOP(visit1, (struct space *, s));
void visit1(long lo, long hi, struct space *s)
{
    const long b[] = { lo, hi };
    visit(s, b);
}
DF_LOOP2(visit2, (struct space *, s));
void visit2(long lo0, long hi0, long lo1, long hi1, struct space *s)
{
    const long b[] = { lo0, hi0, lo1, hi1 };
    visit(s, b);
}
DF_LOOP3(visit3, (struct space *, s));
void visit3(long lo0, long hi0, long lo1, long hi1, long lo2, long hi2, struct space *s)
{
    const long b[] = { lo0, hi0, lo1, hi1, lo2, hi2 };
    visit(s, b);
}
DF_LOOP4(visit4, (struct space *, s));
void visit4(long lo0, long hi0, long lo1, long hi1, long lo2, long hi2, long lo3, long hi3, struct space *s)
{
    const long b[] = { lo0, hi0, lo1, hi1, lo2, hi2, lo3, hi3 };
    visit(s, b);
}
/* Runs the loop and looks whether each of the n iterations was visited once. */
static void run(struct space *s, const df_loop *o)
{
    ulong_t all = 1;
    for (int d = 0; d < s->dims; d++) all *= s->n[d] = length(s, d, s->lo[d], s->hi[d]);
    CHECK(all <= CELLS);
    memset(s->seen, 0, sizeof s->seen);
    s->calls = 0;
    if (s->dims == 1) {
        if (o) df_for_with(o, visit1, s->lo[0], s->hi[0], s);
        else df_for(visit1, s->lo[0], s->hi[0], s);
    } else if (s->dims == 2) {
        if (o) df_for2_with(o, visit2, s->lo[0], s->hi[0], s->lo[1], s->hi[1], s);
        else df_for2(visit2, s->lo[0], s->hi[0], s->lo[1], s->hi[1], s);
    } else if (s->dims == 3) {
        if (o) df_for3_with(o, visit3, s->lo[0], s->hi[0], s->lo[1], s->hi[1], s->lo[2], s->hi[2], s);
        else df_for3(visit3, s->lo[0], s->hi[0], s->lo[1], s->hi[1], s->lo[2], s->hi[2], s);
    } else {
        const long *a = s->lo, *e = s->hi;
        if (o) df_for4_with(o, visit4, a[0], e[0], a[1], e[1], a[2], e[2], a[3], e[3], s);
        else df_for4(visit4, a[0], e[0], a[1], e[1], a[2], e[2], a[3], e[3], s);
    }
    for (ulong_t i = 0; i < CELLS; i++) CHECK(s->seen[i] == (i < all));
    CHECK((s->calls > 0) == (all > 0));
}

/* --- one dimension ---------------------------------------------------------------------------------- */

#define STRIDE (ULONG_MAX / 1024 + 1) /* 2^54 where long has 64 bits */
static const struct range { long lo, hi, step; int unsigned_range; ulong_t n; } ranges[] = {
    { 0, 0, 1, 0, 0 }, { 5, 5, 0, 0, 0 }, { 7, 3, 1, 0, 0 }, { 3, 7, -1, 0, 0 }, { LONG_MAX, LONG_MIN, 1, 0, 0 },
    { LONG_MIN, LONG_MIN, -1, 0, 0 }, { 0, 1, 0, 0, 1 }, { -5, -4, 1, 0, 1 }, { 3, 2, -1, 0, 1 }, { 0, 10, 100, 0, 1 },
    { 0, 1000, 1, 0, 1000 }, { -500, 501, 1, 0, 1001 }, { 500, -501, -1, 0, 1001 }, { 0, 1000, 7, 0, 143 },
    { -3, -1003, -7, 0, 143 }, { LONG_MIN, LONG_MIN + 333, 1, 0, 333 }, { LONG_MIN + 333, LONG_MIN, -1, 0, 333 },
    { LONG_MAX - 333, LONG_MAX, 1, 0, 333 }, { LONG_MAX, LONG_MAX - 333, -2, 0, 167 },
    { LONG_MAX - 10, LONG_MAX, 3, 0, 4 },
    { LONG_MIN, LONG_MAX, (long)STRIDE, 0, 1024 }, { LONG_MAX, LONG_MIN, -(long)STRIDE, 0, 1024 },
    { LONG_MIN, LONG_MAX, LONG_MAX, 0, 3 }, { LONG_MAX, LONG_MIN, LONG_MIN, 0, 2 }, { 0, LONG_MIN, LONG_MIN, 0, 1 },
    { LONG_MAX - 99, LONG_MIN + 100, 1, 1, 200 }, /* LONG_MAX + 101 as unsigned */
    { 0, -1, (long)STRIDE, 1, 1024 }, { -1, 0, -(long)STRIDE, 1, 1024 }, { -778, -1, 1, 1, 777 },
    { -1, -778, -3, 1, 259 },
    { -1, 5, 1, 1, 0 }, { 5, -1, -1, 1, 0 }, { 5, 5, 1, 1, 0 }, { -1, 0, LONG_MIN, 1, 2 },
};
static const long grains[] = { 0, 1, 7, LONG_MAX };

static void one_dimension(void)
{
    static struct space s;
    long in_all = 0;
    for (unsigned r = 0; r < sizeof ranges / sizeof *ranges; r++)
        for (int schedule = DF_AUTO; schedule <= DF_GUIDED; schedule++)
            for (int g = 0; g < 4; g++) {
                df_loop o = { .schedule = schedule, .grain = grains[g], .step = ranges[r].step,
                              .unsigned_range = ranges[r].unsigned_range };
                memset(&s, 0, sizeof s);
                s.dims = 1, s.unsigned_range = o.unsigned_range;
                s.lo[0] = ranges[r].lo, s.hi[0] = ranges[r].hi, s.step[0] = o.step ? o.step : 1;
                if (schedule == DF_DYNAMIC) s.most[0] = (ulong_t)(o.grain ? o.grain : 1);
                if (schedule == DF_STATIC && o.grain) s.most[0] = (ulong_t)o.grain;
                if (schedule != DF_STATIC) s.least = (ulong_t)o.grain;
                run(&s, &o);
                CHECK(s.n[0] == ranges[r].n);
                in_all += (long)s.n[0];
                if (g == 0 && schedule == DF_AUTO && o.step <= 1 && o.step >= 0 && !o.unsigned_range) run(&s, NULL);
            }
    printf("one dimension: %ld\n", in_all);
    for (enum df_schedule schedule = DF_AUTO; schedule <= DF_GUIDED; schedule++) /* long and uneven */
        for (int g = 0; g < 3; g++) {
            df_loop o = { .schedule = (int)schedule, .grain = grains[g] };
            memset(&s, 0, sizeof s);
            s.dims = 1, s.hi[0] = 1500, s.step[0] = 1, s.slow = 600;
            run(&s, &o);
        }
}

/* Ranges too long to run through: the parts must cover them. */
enum { PARTS = 1 << 14 };
static struct piece { ulong_t from, n; } piece[PARTS];
static int pieces;
DF_LOOP(take, (long, first), (int, down));
void take(long lo, long hi, long first, int down)
{
    int at = __atomic_fetch_add(&pieces, 1, __ATOMIC_RELAXED);
    CHECK(at < PARTS);
    piece[at].from = down ? (ulong_t)first - (ulong_t)lo : (ulong_t)lo - (ulong_t)first;
    piece[at].n = down ? (ulong_t)lo - (ulong_t)hi : (ulong_t)hi - (ulong_t)lo;
}
DF_LOOP2(take2, (long, first));
void take2(long lo, long hi, long lo1, long hi1, long first)
{
    CHECK(lo1 == LONG_MIN && hi1 == LONG_MAX); /* it cannot be divided: the parts could not be numbered */
    take(lo, hi, first, 0);
}
static int by_begin(const void *a, const void *b)
{
    const struct piece *p = a, *q = b;
    return p->from < q->from ? -1 : p->from > q->from;
}
static void covered(ulong_t n)
{
    ulong_t at = 0;
    qsort(piece, (size_t)pieces, sizeof *piece, by_begin);
    for (int i = 0; i < pieces; i++) {
        CHECK(piece[i].from == at && piece[i].n > 0);
        at += piece[i].n;
    }
    CHECK(at == n);
    pieces = 0;
}
static void longest(void)
{
    for (int schedule = DF_AUTO; schedule <= DF_GUIDED; schedule++) {
        df_loop o = { .schedule = schedule, .grain = schedule == DF_DYNAMIC ? LONG_MAX / 500 : 0 };
        df_for_with(&o, take, LONG_MIN, LONG_MAX, LONG_MIN, 0), covered(ULONG_MAX);
        o.step = -1;
        df_for_with(&o, take, LONG_MAX, LONG_MIN, LONG_MAX, 1), covered(ULONG_MAX);
        o.unsigned_range = 1;
        df_for_with(&o, take, -1, 0, -1, 1), covered(ULONG_MAX);
        o.step = 0;
        df_for_with(&o, take, 0, -1, 0, 0), covered(ULONG_MAX);
        df_for_with(&o, take, 1, -1, 1, 0), covered(ULONG_MAX - 1);
        o.unsigned_range = 0;
        o.grain1 = 1;
        df_for2_with(&o, take2, LONG_MIN, LONG_MAX, LONG_MIN, LONG_MAX, LONG_MIN), covered(ULONG_MAX);
    }
}
/* A part that is interrupted seems slow, but does not keep the parts after it short. */
DF_LOOP(interrupted_once, (int, loop));
void interrupted_once(long lo, long hi, int loop)
{
    static __thread int before;
    struct timespec while_others_run = { 0, 20000000 };
    (void)lo, (void)hi;
    __atomic_fetch_add(&pieces, 1, __ATOMIC_RELAXED);
    if (before != loop) nanosleep(&while_others_run, NULL);
    before = loop;
}
static void interrupted(void)
{
    for (int loop = 1; loop < 10; loop++) {
        df_for(interrupted_once, 0, 1 << 20, loop);
        CHECK(pieces < 4096);
        pieces = 0;
    }
}

/* --- two, three and four ------------------------------------------------------------------------------------ */

static void boxes(void)
{
    static const int shape[][4] = {
        { 1, 500, 1, 1 }, { 500, 1, 1, 1 }, { 30, 40, 1, 1 }, { 1, 1, 1, 1 }, { 0, 5, 1, 1 }, { 5, 0, 1, 1 },
        { 2, 700, 1, 1 }, { 33, 2, 1, 1 }, { 1, 1, 300, 1 }, { 300, 1, 1, 1 }, { 1, 300, 1, 1 }, { 5, 6, 7, 1 },
        { 2, 3, 50, 1 }, { 4, 4, 0, 1 }, { 11, 3, 13, 1 }, { 1, 1, 1, 300 }, { 3, 4, 5, 6 }, { 2, 1, 3, 40 },
        { 4, 5, 3, 0 }, { 40, 2, 1, 2 },
    };
    static const long grain[][4] = { { 0, 0, 0, 0 }, { 1, 1, 1, 1 }, { 7, 0, 0, 0 }, { 0, 7, 0, 0 }, { 0, 0, 3, 2 },
                                     { 3, 2, 5, 0 }, { LONG_MAX, LONG_MAX, LONG_MAX, LONG_MAX },
                                     { 2, LONG_MAX, 1, 7 } };
    static const long step[][4] = { { 1, 1, 1, 1 }, { -1, 2, -3, 4 }, { 5, -1, 1, -2 },
                                    { 1, 3, (long)(STRIDE / 4), 1 } };
    static struct space s;
    long in_all = 0;
    for (unsigned r = 0; r < sizeof shape / sizeof *shape; r++)
        for (int dims = r < 8 ? 2 : r < 15 ? 3 : 4; dims <= 4; dims++)
            for (unsigned g = 0; g < sizeof grain / sizeof *grain; g++)
                for (unsigned t = 0; t < sizeof step / sizeof *step; t++) {
                    int schedule = (int)(g + t + r) % 4;
                    df_loop o = { .schedule = schedule, .grain = grain[g][0], .grain1 = grain[g][1],
                                  .grain2 = grain[g][2], .grain3 = grain[g][3], .step = step[t][0],
                                  .step1 = step[t][1], .step2 = step[t][2], .step3 = step[t][3] };
                    int grid = 1; /* the steps reach the ends exactly */
                    memset(&s, 0, sizeof s);
                    s.dims = dims;
                    for (int d = 0; d < dims; d++) {
                        /* not on the grid */
                        long past = shape[r][d] && step[t][d] > 1 && step[t][d] < 10 ? (long)(r % 2) : 0;
                        grid &= !past;
                        s.step[d] = step[t][d];
                        s.lo[d] = d == 1 ? LONG_MAX / 2 : d ? -3 : 10;
                        if (d == 2 && step[t][2] > 100) s.lo[2] = LONG_MIN;
                        s.hi[d] = (long)((ulong_t)s.lo[d] + (ulong_t)shape[r][d] * (ulong_t)step[t][d]) - past;
                        if (d && grain[g][d]) s.most[d] = (ulong_t)grain[g][d];
                    }
                    if (g == 0 && t == 0) run(&s, NULL), s.slow = 100;
                    if (schedule == DF_DYNAMIC) s.most[0] = (ulong_t)(o.grain ? o.grain : 1);
                    o.exact = grid;
                    run(&s, &o);
                    in_all += (long)(s.n[0] * s.n[1] * (dims > 2 ? s.n[2] : 1) * (dims > 3 ? s.n[3] : 1));
                }
    printf("boxes: %ld\n", in_all);
}

/* --- parameters --------------------------------------------------------------------------------------- */

typedef struct { long n; double x; } pair;
static int calls_of_none, columns;
DF_LOOP(none);
DF_STATIC_LOOP(none_static);
DF_STATIC_LOOP2(none2);
DF_STATIC_LOOP3(none3);
DF_STATIC_LOOP4(none4);
DF_LOOP(sixteen, (char, a), (short, b), (unsigned, c), (const long, d), (float, e), (pair, f), (const char *, g),
        df_in(int, h, n), df_out(int, i, n), df_inout(int, j, n), df_in2(int, k, 2, 3, 4), df_commute(int, l, 1),
        df_concurrent(int, m, 1), df_in_range(int, from, to), (int, n), df_reduce(df_sum, long, sum, 2));
void none(long lo, long hi) { __atomic_fetch_add(&calls_of_none, (int)(hi - lo), __ATOMIC_RELAXED); }
static void none_static(long lo, long hi) { none(lo, hi); }
static void none2(long lo, long hi, long lo1, long hi1)
{
    __atomic_fetch_add(&columns, (int)((hi1 - lo1) * (hi - lo)), __ATOMIC_RELAXED);
}
static void none3(long lo, long hi, long lo1, long hi1, long lo2, long hi2)
{
    none2(lo, hi, (hi2 - lo2) * lo1, (hi2 - lo2) * hi1);
}
static void none4(long lo, long hi, long lo1, long hi1, long lo2, long hi2, long lo3, long hi3)
{
    none3(lo, hi, lo1, hi1, (hi3 - lo3) * lo2, (hi3 - lo3) * hi2);
}
void sixteen(long lo, long hi, char a, short b, unsigned c, const long d, float e, pair f, const char *g, const int *h,
             int *i, int *j, const int *k, int *l, int *m, const int *from, const int *to, int n, long *sum)
{
    CHECK(a == 1 && b == 2 && c == 3 && d == 4 && e > 4.5f && e < 5.5f && f.n == 6 && g[0] == 'g' && n == 100);
    CHECK(k[5] == h[5] && to - from == n && from == h && *l == 7);
    for (long x = lo; x < hi; x++) {
        i[x] = h[x] * 2;
        j[x] += h[x];
        __atomic_fetch_add(m, 1, __ATOMIC_RELAXED);
        sum[x % 2] += h[x];
    }
}
static void parameters(void)
{
    int h[100], i[100], j[100], l = 7, m = 0, right = 1;
    long sum[2] = { 1000, 2000 };
    pair f = { 6, 6 };
    df_for(none, 0, 100);
    df_for(none_static, -50, 50);
    df_for_with(DF_LOOP_OPTS(.grain = 3, .schedule = DF_DYNAMIC), none_static, -50, 50);
    df_for2(none2, 0, 10, 0, 10);
    df_for3_with(DF_LOOP_OPTS(.schedule = DF_GUIDED), none3, 0, 10, 0, 10, 0, 3);
    df_for4(none4, 0, 10, 0, 10, 0, 3, 0, 2);
    printf("none: %d %d\n", calls_of_none, columns);
    for (int x = 0; x < 100; x++) h[x] = x, j[x] = 3;
    df_for_with(DF_LOOP_OPTS(.schedule = DF_DYNAMIC, .grain = 3), sixteen, 0, 100, 1, 2, 3, 4, 5, f, "g", h, i, j, h,
                &l, &m, h, h + 100, 100, sum);
    for (int x = 0; x < 100; x++) right &= i[x] == 2 * x && j[x] == 3 + x;
    printf("sixteen: %d %d %ld %ld\n", right, m, sum[0], sum[1]);
}

/* --- nested ------------------------------------------------------------------------------------------- */

enum { OUTER = 24, INNER = 40 };
static int table[OUTER][INNER];

DF_LOOP(inner, (int *, row), (long, i), (int, schedule));
void inner(long lo, long hi, int *row, long i, int schedule)
{
    for (long j = lo; j < hi; j++) row[j] += (int)(i * j), test_spin(schedule ? 0 : 200);
}
DF_LOOP(middle, (int *, row), (long, i), (int, schedule)); /* divides a range once more */
void middle(long lo, long hi, int *row, long i, int schedule)
{
    df_for_with(DF_LOOP_OPTS(.schedule = schedule), inner, lo, hi, row, i, schedule);
}
DF_LOOP(outer, (int, schedule));
void outer(long lo, long hi, int schedule)
{
    for (long i = lo; i < hi; i++)
        df_for_with(DF_LOOP_OPTS(.schedule = schedule, .grain = INNER / 3), middle, 0, INNER, table[i], i, schedule);
}
DF_TASK(void, task_loop, df_inout(int, row, INNER), (long, i));
void task_loop(int *row, long i)
{
    df_for_with(DF_LOOP_OPTS(.schedule = DF_GUIDED), inner, 0, INNER, row, i, 1);
    df_for(inner, 0, INNER, row, i, 0);
}
DF_TASK(int, spawned_loop, (int, from), (int, to));
int spawned_loop(int from, int to)
{
    if (to - from == 1) {
        df_for_with(DF_LOOP_OPTS(.schedule = from % 4), inner, 0, INNER, table[from], from, 1);
        return 1;
    }
    df_future(spawned_loop) a, b;
    int half = (from + to) / 2, n;
    df_spawn(spawned_loop, &a, from, half);
    df_spawn(spawned_loop, &b, half, to);
    df_for(none, 0, 10); /* with spawns pending */
    n = df_sync(spawned_loop, &b);
    return n + df_sync(spawned_loop, &a);
}
static void show(const char *what)
{
    uint64_t h = 0;
    for (int i = 0; i < OUTER; i++)
        for (int j = 0; j < INNER; j++) h = test_mix(h, (uint64_t)table[i][j]);
    printf("%s: %016llx\n", what, (unsigned long long)h);
    memset(table, 0, sizeof table);
}
static void nested(void)
{
    for (int outside = DF_AUTO; outside <= DF_GUIDED; outside++)
        for (int inside = DF_AUTO; inside <= DF_GUIDED; inside++)
            df_for_with(DF_LOOP_OPTS(.schedule = outside), outer, 0, OUTER, inside);
    show("nested");
    DF_PARALLEL {
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < OUTER; i++) df_submit(task_loop, table[i], i + k);
    }
    show("loops in tasks");
    df_future(spawned_loop) f;
    df_spawn(spawned_loop, &f, 0, OUTER);
    printf("%d, ", df_sync(spawned_loop, &f));
    show("loops in spawned functions");
}

/* --- tasks in loops -------------------------------------------------------------------------------------- */

DF_TASK(void, change, df_inout(int, x, 1), (int, by), (unsigned, slow));
void change(int *x, int by, unsigned slow)
{
    test_spin(slow);
    *x = *x * 3 + by;
}
DF_TASK(long, fib, (long, n));
long fib(long n)
{
    df_future(fib) a;
    if (n < 2) return n;
    df_spawn(fib, &a, n - 1);
    long b = fib(n - 2);
    return b + df_sync(fib, &a);
}
DF_LOOP(leaves_tasks, df_inout(int, x, n), (int, n));
void leaves_tasks(long lo, long hi, int *x, int n)
{
    CHECK(hi <= n);
    for (long i = lo; i < hi; i++) /* in order, as they are of one scope */
        for (int k = 0; k < 4; k++) df_submit(change, &x[i], (int)i + k, i % 8 ? 0 : 1000);
}
DF_LOOP(waits, df_inout(int, x, n), (int, n));
void waits(long lo, long hi, int *x, int n)
{
    CHECK(hi <= n);
    for (long i = lo; i < hi; i++) {
        int y = 1, *z = df_local(int, 2);
        CHECK(z && !z[0] && !z[1]);
        df_submit(change, &y, (int)i, 300);
        df_submit(change, &y, (int)i, 0);
        df_submit(change, z, (int)i, 0);
        df_wait_on(&y, sizeof y);
        CHECK(y == 9 + 4 * (int)i);
        df_submit(change, &y, 0, 100);
        df_wait();
        CHECK(*z == (int)i);
        x[i] += y;
        DF_PARALLEL {
            df_submit(change, &x[i], 1, 100);
            df_submit(change, &x[i], 2, 0);
        }
        x[i] += (int)fib(i % 12);
    }
}
static void tasks_in_loops(void)
{
    enum { N = 100 };
    int x[N];
    for (int i = 0; i < N; i++) x[i] = i;
    for (int schedule = DF_AUTO; schedule <= DF_GUIDED; schedule++) {
        df_for_with(DF_LOOP_OPTS(.schedule = schedule), leaves_tasks, 0, N, x, N);
        for (int i = 0; i < N; i++) x[i] = x[i] % 1000 + 1;
        df_for_with(DF_LOOP_OPTS(.schedule = schedule), waits, 0, N, x, N);
        for (int i = 0; i < N; i++) x[i] %= 1000;
    }
    uint64_t h = 0;
    for (int i = 0; i < N; i++) h = test_mix(h, (uint64_t)x[i]);
    printf("tasks in loops: %016llx\n", (unsigned long long)h);
}

/* --- loops after tasks -------------------------------------------------------------------------------------- */

enum { LONG = 64 };
DF_TASK(void, fill, df_out(long, x, n), (int, n), (long, k));
void fill(long *x, int n, long k)
{
    test_spin(3000);
    for (int i = 0; i < n; i++) x[i] = k + i;
}
DF_TASK(void, look, df_in(long, x, n), (int, n), df_inout(uint64_t, seen, 1));
void look(const long *x, int n, uint64_t *seen)
{
    test_spin(3000);
    for (int i = 0; i < n; i++) *seen = test_mix(*seen, (uint64_t)x[i]);
}
DF_TASK(void, more, df_reduce(df_sum, long, x, n), (int, n), (long, k));
void more(long *x, int n, long k)
{
    test_spin(1000);
    for (int i = 0; i < n; i++) x[i] += k + i;
}
DF_LOOP(copy_loop, df_in(long, x, LONG), df_out(long, y, LONG));
void copy_loop(long lo, long hi, const long *x, long *y)
{
    for (long i = lo; i < hi; i++) y[i] = x[i];
}
DF_LOOP(change_loop, df_inout(long, x, LONG));
void change_loop(long lo, long hi, long *x)
{
    for (long i = lo; i < hi; i++) x[i] = 2 * x[i] % 10007;
}
DF_LOOP(sum_loop, df_in(long, x, LONG), df_reduce(df_sum, long, total, 1));
void sum_loop(long lo, long hi, const long *x, long *total)
{
    for (long i = lo; i < hi; i++) *total += x[i];
}
DF_LOOP2(block_loop, df_inout2(long, x, 4, 3, 8));
void block_loop(long lo, long hi, long lo1, long hi1, long *x)
{
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++) x[i * 8 + j] = x[i * 8 + j] * 7 % 10007;
}
static uint64_t mixed_with_tasks(int schedule, int round)
{
    long x[LONG] = { 0 }, y[LONG] = { 0 }, total[1] = { 5 };
    uint64_t seen = 0, h = 0;
    df_loop o = { .schedule = schedule, .grain = schedule == DF_DYNAMIC ? 5 : 0 };
    df_submit(fill, x, LONG / 2, round);
    df_submit(fill, x + LONG / 2, LONG / 2, round + 100);
    df_for_with(&o, copy_loop, 0, LONG, x, y); /* after both */
    for (int i = 0; i < LONG; i++) h = test_mix(h, (uint64_t)y[i]);
    df_submit(look, x, LONG, &seen);
    df_submit(look, y, LONG, &seen);
    df_for_with(&o, change_loop, 0, LONG, x); /* after the first, which is to see the old value */
    df_submit(look, x, LONG, &seen);
    for (int k = 0; k < 5; k++) df_submit(more, x, LONG, k);
    df_for_with(&o, sum_loop, 0, LONG, x, total); /* after a reduction */
    h = test_mix(h, (uint64_t)*total);
    for (int k = 0; k < 5; k++) df_submit(more, total, 1, k);
    df_for_with(&o, sum_loop, 0, LONG, y, total); /* in the middle of one */
    for (int k = 0; k < 5; k++) df_submit(more, total, 1, k);
    df_submit(more, &x[9], 1, 1);
    df_submit(more, &x[3], 1, 1); /* beside the block */
    df_for2_with(&o, block_loop, 0, 4, 0, 3, x);
    df_submit(look, x, LONG, &seen);
    df_submit(look, total, 1, &seen);
    df_for_with(&o, change_loop, 0, LONG / 2, y);
    df_wait();
    for (int i = 0; i < LONG; i++) h = test_mix(test_mix(h, (uint64_t)x[i]), (uint64_t)y[i]);
    return test_mix(test_mix(h, seen), (uint64_t)*total);
}
DF_TASK(void, mixed_in_task, df_out(uint64_t, to, 1), (int, schedule), (int, round));
void mixed_in_task(uint64_t *to, int schedule, int round) { *to = mixed_with_tasks(schedule, round); }
static void after_tasks(void)
{
    enum { ROUNDS = 8 };
    uint64_t h = 0, in_tasks[ROUNDS] = { 0 };
    for (int r = 0; r < ROUNDS; r++) h = test_mix(h, mixed_with_tasks(r % 4, r));
    DF_PARALLEL {
        for (int r = 0; r < ROUNDS; r++) df_submit(mixed_in_task, &in_tasks[r], r % 4, r);
    }
    for (int r = 0; r < ROUNDS; r++) h = test_mix(h, in_tasks[r]);
    printf("after tasks: %016llx\n", (unsigned long long)h);
}

/* --- cancelled ------------------------------------------------------------------------------------------------ */

static int after_it;
DF_LOOP(fails, (int, code), (long, at));
void fails(long lo, long hi, int code, long at)
{
    for (long i = lo; i < hi; i++) {
        test_spin(300);
        if (i != at) continue;
        if (code) df_fail(code, "iteration");
        else df_cancel();
        CHECK(df_cancelled());
    }
}
DF_TASK(void, fails_in_task, df_inout(int, x, 1), (int, code), (int, schedule));
void fails_in_task(int *x, int code, int schedule)
{
    ++*x;
    df_for_with(DF_LOOP_OPTS(.schedule = schedule), fails, 0, 50, code, 20);
    ++*x;
}
DF_TASK(void, count_it, df_inout(int, x, 1));
void count_it(int *x) { ++*x; }
DF_LOOP(touches_all);
void touches_all(long lo, long hi) { __atomic_fetch_add(&after_it, (int)(hi - lo), __ATOMIC_RELAXED); }
/* Iterations up to the one that fails are claimed before it: with one part per claim none is left out or done twice. */
static unsigned char done_of_fail[2000];
DF_LOOP(stops_here, (long, at));
void stops_here(long lo, long hi, long at)
{
    for (long i = lo; i < hi && !df_cancelled(); i++) {
        __atomic_fetch_add(&done_of_fail[i], 1, __ATOMIC_RELAXED);
        if (i == at) df_cancel();
    }
}
static void cancelled(void)
{
    int x = 0;
    for (int schedule = DF_AUTO; schedule <= DF_GUIDED; schedule++) {
        df_loop o = { .schedule = schedule };
        df_for_with(&o, fails, 0, 200, 40 + schedule, 100);
        df_result r = df_wait_result();
        printf("failed: %d %s\n", (int)r, df_error_text(r));
        CHECK(df_wait_result() == DF_OK && !df_cancelled());
        DF_PARALLEL {
            df_for_with(&o, fails, 0, 200, 50 + schedule, 0);
            printf("in a block: %d\n", df_cancelled());
            df_for(touches_all, 0, 10); /* left out */
            printf("failed: %d\n", (int)df_wait_result());
            df_for(touches_all, 0, 10);
        }
        df_for_with(&o, fails, 0, 200, 0, 100);
        printf("cancelled: %d %d %d\n", (int)df_wait_result(), after_it, df_cancelled());
        df_submit(fails_in_task, &x, 60 + schedule, schedule);
        df_submit(count_it, &x);
        printf("in a task: %d, ", (int)df_wait_result());
        printf("%d\n", x > 0);
        memset(done_of_fail, 0, sizeof done_of_fail);
        df_for_with(&o, stops_here, 0, 2000, 700);
        CHECK(done_of_fail[700] == 1);
        for (int i = 0; i < 2000; i++) CHECK(done_of_fail[i] <= 1);
    }
    CHECK(df_wait_result() == DF_OK);
}

int main(void)
{
    one_dimension();
    longest();
    interrupted();
    boxes();
    parameters();
    nested();
    tasks_in_loops();
    after_tasks();
    cancelled();
}
