/* wavefronts.c - df_wavefront: no cell before the cells its vectors name, each cell once, the values of the serial nest
 *
 * A cell first looks whether its predecessors are done, then computes a hash of their values. Random spaces, steps,
 * grains and vectors, also with negative components and longer than the space. */
#include <limits.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { CELLS = 6000, VECTORS = 5 };
struct space {
    int dims;
    long lo[3], hi[3], step[3], n[3];
    df_vector v[VECTORS + 1];
    long cheap;           /* one in so many cells is slow */
    unsigned slow;
    uint64_t value[CELLS];
    unsigned char done[CELLS];
};

static long index_of(const struct space *s, const long *x) { return (x[0] * s->n[1] + x[1]) * s->n[2] + x[2]; }

static void cell(struct space *s, const long *x)
{
    uint64_t h = (uint64_t)index_of(s, x) + 1;
    long at = index_of(s, x);
    for (int k = 0; s->v[k][0] || s->v[k][1] || s->v[k][2]; k++) {
        long y[3] = { 0, 0, 0 };
        int inside = 1;
        for (int d = 0; d < s->dims; d++) {
            y[d] = (long)((unsigned long)x[d] - (unsigned long)s->v[k][d]);
            if (s->v[k][d] > x[d] || y[d] >= s->n[d] || y[d] < 0) inside = 0;
        }
        if (!inside) continue;
        /* acquire: as a program would see it if it looked itself. That plain accesses are ordered ThreadSanitizer checks
         * by the value. */
        CHECK(__atomic_load_n(&s->done[index_of(s, y)], __ATOMIC_RELAXED) == 1);
        h = test_mix(h, s->value[index_of(s, y)]);
    }
    if (at % s->cheap == 0) test_spin(s->slow);
    s->value[at] = h;
    CHECK(__atomic_fetch_add(&s->done[at], 1, __ATOMIC_RELAXED) == 0);
}
static void box(struct space *s, const long *b)
{
    long from[3] = { 0, 0, 0 }, to[3] = { 1, 1, 1 }, x[3];
    for (int d = 0; d < s->dims; d++) {
        long first = b[2 * d] - s->lo[d], past = b[2 * d + 1] - s->lo[d], step = s->step[d];
        CHECK(first % step == 0);
        from[d] = first / step;
        to[d] = b[2 * d + 1] == s->hi[d] ? s->n[d] : past / step;
        if (b[2 * d + 1] != s->hi[d]) CHECK(past % step == 0);
        CHECK(from[d] >= 0 && from[d] < to[d] && to[d] <= s->n[d]);
    }
    for (x[0] = from[0]; x[0] < to[0]; x[0]++)
        for (x[1] = from[1]; x[1] < to[1]; x[1]++)
            for (x[2] = from[2]; x[2] < to[2]; x[2]++) cell(s, x);
}
DF_LOOP(wave1, (struct space *, s));
void wave1(long lo, long hi, struct space *s)
{
    const long b[] = { lo, hi };
    box(s, b);
}
DF_STATIC_LOOP2(wave2, (struct space *, s));
static void wave2(long lo, long hi, long lo1, long hi1, struct space *s)
{
    const long b[] = { lo, hi, lo1, hi1 };
    box(s, b);
}
DF_LOOP3(wave3, (struct space *, s));
void wave3(long lo, long hi, long lo1, long hi1, long lo2, long hi2, struct space *s)
{
    const long b[] = { lo, hi, lo1, hi1, lo2, hi2 };
    box(s, b);
}
static uint64_t run(struct space *s, const df_loop *o)
{
    uint64_t h = 0;
    long all = 1;
    for (int d = 0; d < 3; d++) {
        if (d >= s->dims) s->n[d] = 1, s->step[d] = 1;
        else s->n[d] = (s->step[d] > 0) == (s->lo[d] < s->hi[d]) && s->lo[d] != s->hi[d]
                           ? (s->hi[d] - s->lo[d] - (s->step[d] > 0 ? 1 : -1)) / s->step[d] + 1 : 0;
        all *= s->n[d];
    }
    CHECK(all <= CELLS);
    memset(s->done, 0, sizeof s->done);
    memset(s->value, 0, sizeof s->value);
    if (s->dims == 1) {
        if (o) df_wavefront_with(o, wave1, s->v, s->lo[0], s->hi[0], s);
        else df_wavefront(wave1, s->v, s->lo[0], s->hi[0], s);
    } else if (s->dims == 2) {
        if (o) df_wavefront_with(o, wave2, s->v, s->lo[0], s->hi[0], s->lo[1], s->hi[1], s);
        else df_wavefront(wave2, s->v, s->lo[0], s->hi[0], s->lo[1], s->hi[1], s);
    } else {
        if (o) df_wavefront_with(o, wave3, s->v, s->lo[0], s->hi[0], s->lo[1], s->hi[1], s->lo[2], s->hi[2], s);
        else df_wavefront(wave3, s->v, s->lo[0], s->hi[0], s->lo[1], s->hi[1], s->lo[2], s->hi[2], s);
    }
    for (long i = 0; i < CELLS; i++) {
        CHECK(s->done[i] == (i < all));
        h = test_mix(h, s->value[i]);
    }
    return h;
}

/* --- random ones ------------------------------------------------------------------------------------------ */

static void random_vector(uint64_t *seed, int dims, long *v)
{
    int first = test_below(seed, dims);
    v[0] = v[1] = v[2] = 0;
    for (int d = first; d < dims; d++) {
        int size = test_below(seed, 8) == 0 ? 40 : 4; /* some are longer than the space */
        v[d] = d == first ? 1 + test_below(seed, size) : test_below(seed, 2 * size) - size;
        if (d != first && test_below(seed, 2)) v[d] = v[d] < 0 ? -v[d] : 0;
    }
    if (test_below(seed, 60) == 0) v[first] = LONG_MAX;
    if (first + 1 < dims && test_below(seed, 60) == 0) v[dims - 1] = test_below(seed, 2) ? LONG_MIN : LONG_MAX;
}
static void random_ones(int dims, int count)
{
    static struct space s;
    static const int most[] = { 0, 400, 40, 13 };
    uint64_t seed = (uint64_t)dims, h = 0;
    for (int k = 0; k < count; k++) {
        df_loop o = { 0 };
        int n_vectors = 1 + test_below(&seed, VECTORS), small = test_below(&seed, 3) == 0;
        long *const grain[3] = { &o.grain, &o.grain1, &o.grain2 }, *const step[3] = { &o.step, &o.step1, &o.step2 };
        memset(s.v, 0, sizeof s.v);
        s.dims = dims;
        s.cheap = 1 + test_below(&seed, 50);
        s.slow = k % 3 ? 100 : 0;
        for (int d = 0; d < dims; d++) {
            long n = test_below(&seed, 25) == 0 ? 0 : 1 + test_below(&seed, small ? 3 : most[dims]);
            s.step[d] = test_below(&seed, 3) ? 1 : test_below(&seed, 9) - 4;
            if (!s.step[d]) s.step[d] = -1;
            *step[d] = s.step[d] == 1 && test_below(&seed, 2) ? 0 : s.step[d];
            s.lo[d] = test_below(&seed, 100) - 50;
            s.hi[d] = s.lo[d] + n * s.step[d];
            if (n > 1 && test_below(&seed, 4) == 0)
                s.hi[d] -= (s.step[d] > 0 ? 1 : -1) * test_below(&seed, (int)labs(s.step[d]));
            if (k % 2) *grain[d] = test_below(&seed, 4) == 0 ? 0 : 1 + test_below(&seed, small ? 3 : (int)n / 2 + 2);
        }
        for (int i = 0; i < n_vectors; i++) random_vector(&seed, dims, s.v[i]);
        h = test_mix(h, run(&s, k % 8 == 0 && !s.step[0] ? NULL : &o));
    }
    printf("%d: %016llx\n", dims, (unsigned long long)h);
}

/* --- chosen ones --------------------------------------------------------------------------------------------- */

static void chosen(void)
{
    static struct space s;
    static const struct { int dims; long n[3]; df_vector v[4]; } c[] = {
        { 2, { 70, 70, 0 }, { { 1, 0, 0 }, { 0, 1, 0 } } },
        { 2, { 70, 70, 0 }, { { 1, -1, 0 }, { 0, 1, 0 } } },
        { 2, { 70, 70, 0 }, { { 2, -1, 0 }, { 1, 1, 0 } } },
        { 2, { 3, 1500, 0 }, { { 1, -20, 0 }, { 0, 3, 0 } } },
        { 2, { 1, 300, 0 }, { { 0, 1, 0 } } },
        { 2, { 300, 1, 0 }, { { 1, 0, 0 }, { 1, -1, 0 } } },
        { 2, { 60, 60, 0 }, { { 0, 7, 0 } } }, /* rows are independent */
        { 2, { 60, 60, 0 }, { { 7, 0, 0 } } },
        { 2, { 60, 60, 0 }, { { 100, 0, 0 }, { 1, 100, 0 } } }, /* all are */
        { 2, { 60, 60, 0 }, { { 0, 0, 0 } } },
        { 1, { 500, 0, 0 }, { { 1, 0, 0 } } },
        { 1, { 2000, 0, 0 }, { { 64, 0, 0 }, { 100, 0, 0 } } },
        { 1, { 500, 0, 0 }, { { 600, 0, 0 } } },
        { 3, { 16, 16, 16 }, { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } },
        { 3, { 16, 16, 16 }, { { 0, 1, -1 }, { 1, -2, 0 }, { 0, 0, 1 } } },
        { 3, { 16, 16, 16 }, { { 0, 0, 2 }, { 3, -1, -1 } } },
    };
    for (unsigned k = 0; k < sizeof c / sizeof *c; k++) {
        uint64_t h = 0;
        for (int r = 0; r < 4; r++) {
            df_loop o = { .grain = r == 1 ? 1 : r == 2 ? 5 : 0, .grain1 = r == 1 ? 17 : r == 3 ? 9 : 0,
                          .grain2 = r == 2, .schedule = r };
            memset(s.v, 0, sizeof s.v);
            memcpy(s.v, c[k].v, sizeof c[k].v);
            s.dims = c[k].dims, s.cheap = 7, s.slow = r % 2 ? 100 : 0;
            for (int d = 0; d < 3; d++) s.lo[d] = 0, s.hi[d] = c[k].n[d], s.step[d] = 1;
            h = test_mix(h, run(&s, r ? &o : NULL));
        }
        printf("%u: %016llx\n", k, (unsigned long long)h);
    }
}

/* --- with tasks and loops inside, and inside of tasks --------------------------------------------------------- */

enum { SIDE = 12 };
static int stamp[SIDE][SIDE];
DF_TASK(void, set_stamp, (int *, p), (unsigned, slow));
void set_stamp(int *p, unsigned slow)
{
    test_spin(slow);
    __atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
}
DF_LOOP(part_of_cell, (int *, p));
void part_of_cell(long lo, long hi, int *p)
{
    if (lo == 0) __atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
    test_spin((unsigned)(hi - lo) * 20);
}
/* What the iterations submit is part of them: with one iteration per tile nothing waits for it here. */
DF_LOOP2(with_tasks, (int, kind));
void with_tasks(long lo, long hi, long lo1, long hi1, int kind)
{
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++) {
            CHECK(!i || __atomic_load_n(&stamp[i - 1][j], __ATOMIC_RELAXED) == 1);
            CHECK(!j || __atomic_load_n(&stamp[i][j - 1], __ATOMIC_RELAXED) == 1);
            if (kind < 2) df_submit(set_stamp, &stamp[i][j], (i + j) % 3 ? 0 : 3000);
            else df_for_with(DF_LOOP_OPTS(.schedule = DF_DYNAMIC, .grain = 10), part_of_cell, 0, 30, &stamp[i][j]);
            if (kind == 1 || df_workers() == 1) df_wait();
        }
}
static void stamps_right(void)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) CHECK(stamp[i][j] == 1);
    memset(stamp, 0, sizeof stamp);
}
static df_vector neighbours[] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 } };
static void tasks_inside(void)
{
    for (int kind = 0; kind < 3; kind++)
        for (int r = 0; r < 6; r++) {
            df_loop o = { .grain = 1 + r % 3 * (kind > 0), .grain1 = 1 + r / 2 * (kind > 0) };
            df_wavefront_with(&o, with_tasks, neighbours, 0, SIDE, 0, SIDE, kind);
            stamps_right();
        }
}

DF_LOOP2(reducing, (const int *, v), df_reduce(df_sum, long, sum, 2), df_reduce(df_max, int, most, 1));
void reducing(long lo, long hi, long lo1, long hi1, const int *v, long *sum, int *most)
{
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++) {
            int x = v[i * SIDE + j];
            sum[j % 2] += x;
            *most = x > *most ? x : *most;
            test_spin(x % 100);
        }
}
DF_TASK(void, in_task, (const int *, v), df_reduce(df_sum, long, sum, 2), df_out(int, most, 1));
void in_task(const int *v, long *sum, int *most)
{
    *most = -1;
    df_wavefront_with(DF_LOOP_OPTS(.grain = 2, .grain1 = 3), reducing, neighbours, 0, SIDE, 0, SIDE, v, sum, most);
}
enum { BINS = 3000 };
DF_LOOP2(histogram, df_reduce(df_sum, int, bins, BINS)); /* copies that take longer to add up than to fill */
void histogram(long lo, long hi, long lo1, long hi1, int *bins)
{
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++)
            for (long k = 0; k < BINS; k++) bins[k]++;
}
static void reductions(void)
{
    static int bins[BINS];
    for (int r = 0; r < 3; r++)
        df_wavefront_with(DF_LOOP_OPTS(.grain = 1, .grain1 = 1), histogram, DF_VECTORS({ 1, 0 }), 0, SIDE, 0, SIDE,
                          bins);
    for (int k = 0; k < BINS; k++) CHECK(bins[k] == 3 * SIDE * SIDE);
    int v[SIDE * SIDE], most[4] = { 0 };
    long sum[2] = { 1, 2 };
    uint64_t seed = 9;
    for (int i = 0; i < SIDE * SIDE; i++) v[i] = test_below(&seed, 10000);
    df_wavefront(reducing, neighbours, 0, SIDE, 0, SIDE, v, sum, &most[0]);
    for (int g = 1; g < SIDE + 2; g += 3)
        df_wavefront_with(DF_LOOP_OPTS(.grain = g, .grain1 = SIDE / g), reducing, DF_VECTORS({ 1, 0 }, { 1, -1 }), 0,
                          SIDE, 0, SIDE, v, sum, &most[1]);
    DF_PARALLEL {
        for (int i = 0; i < 5; i++) df_submit(in_task, v, sum, &most[2 + i % 2]);
        /* after them */
        df_wavefront_with(DF_LOOP_OPTS(.grain = 1), reducing, neighbours, 0, SIDE, 0, SIDE, v, sum, &most[3]);
    }
    printf("reductions: %ld %ld %d %d %d %d\n", sum[0], sum[1], most[0], most[1], most[2], most[3]);
}

/* --- ordered after tasks; cancelled ------------------------------------------------------------------------------- */

DF_TASK(void, fill, df_out(int, x, SIDE * SIDE), (int, k));
void fill(int *x, int k)
{
    test_spin(5000);
    for (int i = 0; i < SIDE * SIDE; i++) x[i] = k + i;
}
DF_LOOP2(sweep, df_inout(int, x, SIDE * SIDE));
void sweep(long lo, long hi, long lo1, long hi1, int *x)
{
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++)
            x[i * SIDE + j] = (x[i * SIDE + j] + (i ? x[(i - 1) * SIDE + j] : 0) +
                               (j ? x[i * SIDE + j - 1] : 0)) % 10007;
}
static int begun;
DF_LOOP2(fails, (int, code));
void fails(long lo, long hi, long lo1, long hi1, int code)
{
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++) {
            CHECK(i < 8 || j < 8); /* comes after the one that fails, in another tile */
            __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
            if (i == 4 && j == 4) df_fail(code, "cell");
            if (df_cancelled()) return;
        }
}
static void others(void)
{
    int x[SIDE * SIDE];
    uint64_t h = 0;
    for (int k = 0; k < 10; k++) {
        df_submit(fill, x, k);
        df_wavefront_with(DF_LOOP_OPTS(.grain = k, .grain1 = k), sweep, neighbours, 0, SIDE, 0, SIDE, x);
        for (int i = 0; i < SIDE * SIDE; i++) h = test_mix(h, (uint64_t)x[i]);
    }
    printf("after tasks: %016llx\n", (unsigned long long)h);
    for (int k = 0; k < 10; k++) {
        df_wavefront_with(DF_LOOP_OPTS(.grain = 1 + k % 4, .grain1 = 1 + k % 3), fails, neighbours, 0, SIDE, 0, SIDE,
                          70 + k);
        df_result r = df_wait_result();
        printf("failed: %d %s\n", (int)r, df_error_text(r));
        CHECK(df_wait_result() == DF_OK);
    }
    CHECK(begun > 0);
}

/* --- the shape of tiles ------------------------------------------------------------------------------------------- */

static long highest, shortest;
DF_LOOP2(dear, (void *, nothing));
void dear(long lo, long hi, long lo1, long hi1, void *nothing)
{
    (void)nothing;
    if (hi - lo > __atomic_load_n(&highest, __ATOMIC_RELAXED)) __atomic_store_n(&highest, hi - lo, __ATOMIC_RELAXED);
    if (hi1 - lo1 < __atomic_load_n(&shortest, __ATOMIC_RELAXED))
        __atomic_store_n(&shortest, hi1 - lo1, __ATOMIC_RELAXED);
    for (long i = (hi - lo) * (hi1 - lo1); i > 0; i--) test_spin(100000);
}
/* Where tiles can be as small as they may, they are longer in the last dimension, that of neighbours in memory. */
static void rows_are_long(void)
{
    long n = 16L * df_workers();
    highest = 0, shortest = n;
    if (df_workers() > 4) return; /* the corner that is timed is a square then, and so are tiles */
    if (getenv("DF_SCHEDULE")) return; /* time is not measured then */
    df_wavefront(dear, neighbours, 0, n, 0, n, NULL);
    CHECK(df_workers() == 1 || (highest == 1 && shortest == 2));
}

int main(void)
{
    rows_are_long();
    random_ones(1, 100);
    random_ones(2, 250);
    random_ones(3, 150);
    chosen();
    tasks_inside();
    reductions();
    others();
}
