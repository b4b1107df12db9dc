/* pipes.c - df_pipe: which stages run, in which order, how many items at a time, the initial memory of an item; pipes,
 * loops and tasks in stages, pipes in loops and tasks; the ways a pipe ends
 *
 * Each item leaves notes of how far it is, and each stage checks those of the item before. */
#include <limits.h>
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { MOST = 3000, STAGES = 8 };

/* --- random paths -------------------------------------------------------------------------------------------- */

typedef struct {
    long i;
    int visits;
    unsigned char pattern[100];
} item;
struct run {
    uint64_t seed;
    long items, window, from_new_memory;
    unsigned slow;
    int in_stage_0;
    long in_flight, began, ended;
    int left[MOST];                /* the lowest stage the item may still enter; INT_MAX: it is finished */
    unsigned char visits[MOST];
    uint64_t log[STAGES];          /* of each stage, if all items enter it in order */
};

static int note(const int *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }

/* What comes after stage s of item i, visited for the k-th time. */
static int choice(const struct run *r, long i, int s, int k)
{
    uint64_t h = test_mix(test_mix(test_mix(r->seed, (uint64_t)i), (uint64_t)s), (uint64_t)k);
    int to = s + 1 + (int)(h % 16 / 13);
    if (s && h % 7 == 0 && k < 200) return df_continue(s);
    if (s < 4) to = 4; /* all items enter stage 4, in order */
    if (h % 11 == 0 && s != 0) to = s < 4 ? 4 : STAGES;
    if (s == 0) to = 1 + (int)(h >> 8 & 3);
    if (to >= STAGES) return DF_PIPE_DONE;
    return to == 4 || h >> 20 & 1 ? df_in_order(to) : df_continue(to);
}
static uint64_t pattern_of(long i) { return test_mix(77, (uint64_t)i); }

DF_PIPE(path, item);
int path(int stage, item *x, long i, void *ctx)
{
    struct run *r = ctx;
    int next;
    CHECK(i >= 0 && i < r->items + 1);
    if (stage == 0) {
        CHECK(__atomic_fetch_add(&r->in_stage_0, 1, __ATOMIC_RELAXED) == 0);
        CHECK(i == r->began); /* plain: stage 0 is serial */
        if (i == r->items) {
            __atomic_fetch_sub(&r->in_stage_0, 1, __ATOMIC_RELAXED);
            return DF_PIPE_END;
        }
        r->began++;
        CHECK(__atomic_fetch_add(&r->in_flight, 1, __ATOMIC_RELAXED) < r->window);
        if (i >= r->window) CHECK(note(&r->left[i - r->window]) == INT_MAX);
        if (x->visits == 0) {
            static const item zero;
            CHECK(!memcmp(x, &zero, sizeof zero));
            r->from_new_memory++;
        } else {
            uint64_t h = pattern_of(x->i);
            CHECK(x->i >= 0 && x->i < i && note(&r->left[x->i]) == INT_MAX);
            for (int k = 0; k < 100; k++) CHECK(x->pattern[k] == (unsigned char)(h >> k % 56));
        }
        x->i = i, x->visits = 0;
        for (int k = 0; k < 100; k++) x->pattern[k] = (unsigned char)(pattern_of(i) >> k % 56);
    }
    CHECK(x->i == i && note(&r->left[i]) <= stage);
    if (stage == 4) {
        CHECK(!i || note(&r->left[i - 1]) > 4);
        r->log[4] = test_mix(r->log[4], (uint64_t)i * 1000 + (uint64_t)x->visits); /* plain: it is entered in order */
    }
    x->visits++;
    __atomic_fetch_add(&r->visits[i], 1, __ATOMIC_RELAXED);
    if ((i + stage) % 5 == 0) test_spin(r->slow);
    next = choice(r, i, stage, x->visits);
    if (next == DF_PIPE_DONE) {
        __atomic_fetch_add(&r->ended, 1, __ATOMIC_RELAXED);
        __atomic_fetch_sub(&r->in_flight, 1, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&r->left[i], next == DF_PIPE_DONE ? INT_MAX : next & 0xFFFFFF, __ATOMIC_RELAXED);
    if (stage == 0) __atomic_fetch_sub(&r->in_stage_0, 1, __ATOMIC_RELAXED);
    return next;
}
static void paths(void)
{
    static const long windows[] = { 0, 1, 2, 3, 16, 1000 };
    static struct run r;
    for (int k = 0; k < 36; k++) {
        df_pipe_opts o = { windows[k % 6] };
        uint64_t h = 0;
        memset(&r, 0, sizeof r);
        r.seed = (uint64_t)k / 6, r.slow = k % 4 ? 1500 : 0;
        r.items = k < 6 ? k : k % 5 == 4 ? MOST - 1 : 150;
        r.window = windows[k % 6] ? windows[k % 6] : 4 * df_workers();
        CHECK(df_pipe(path, k % 6 ? &o : k == 6 ? NULL : &o, &r) == r.items);
        CHECK(r.began == r.items && r.ended == r.items && r.in_flight == 0);
        CHECK(r.from_new_memory <= r.window + 1 && (r.items == 0 || r.from_new_memory > 0));
        for (long i = 0; i < r.items; i++) {
            CHECK(r.left[i] == INT_MAX);
            h = test_mix(h, r.visits[i]);
        }
        printf("paths: %ld %016llx %016llx\n", r.items, (unsigned long long)h, (unsigned long long)r.log[4]);
    }
}

/* --- df_in_order: all items before are through, whichever way they go -------------------------------------------- */

struct order { uint64_t seed; long items; int left[MOST]; };
DF_STATIC_PIPE(orders, char);
static int orders(int stage, char *x, long i, void *ctx)
{
    struct order *o = ctx;
    uint64_t h = test_mix(test_mix(o->seed, (uint64_t)i), (uint64_t)stage);
    int ordered = (int)(h >> 40 & 3) != 0, to = stage + 1 + (int)(h % 3) * (int)(h % 5);
    int entered = stage == 0 || *x; /* was this stage entered in order? */
    if (stage == 0 && i == o->items) return DF_PIPE_END;
    for (long k = i - 1; entered && k >= 0 && k > i - 20; k--) CHECK(note(&o->left[k]) > stage);
    if (h % 3 == 0) test_spin((unsigned)(h >> 13) % 3000);
    if (stage > 40) ordered = to = -1;
    *x = (char)ordered;
    __atomic_store_n(&o->left[i], to < 0 ? INT_MAX : to, __ATOMIC_RELAXED);
    return to < 0 ? (int)DF_PIPE_DONE : ordered ? df_in_order(to) : df_continue(to);
}
static void in_order(void)
{
    static struct order o;
    for (int k = 0; k < 8; k++) {
        df_pipe_opts p = { k % 4 * 5 };
        memset(&o, 0, sizeof o);
        o.seed = (uint64_t)k, o.items = k % 3 ? 100 : 20;
        CHECK(df_pipe(orders, &p, &o) == o.items);
        for (long i = 0; i < o.items; i++) CHECK(o.left[i] == INT_MAX);
    }
    printf("in order\n");
}

/* Most items are dropped early, in stage 0 or 1; the others are written in order. */
struct filter { uint64_t seed, log; long last, written; int inside; };
DF_PIPE(filters, uint64_t);
int filters(int stage, uint64_t *x, long i, void *ctx)
{
    struct filter *f = ctx;
    uint64_t h = test_mix(f->seed, (uint64_t)i);
    if (stage == 0) {
        *x = h;
        return i == 300 ? DF_PIPE_END : h % 3 == 0 ? DF_PIPE_DONE : df_continue(1);
    }
    if (stage == 1) {
        test_spin(h % 7 ? 50 : 6000);
        return h % 4 == 0 ? DF_PIPE_DONE : h % 5 ? df_in_order(2) : df_in_order(3);
    }
    if (stage > 2) return DF_PIPE_DONE; /* past the writers */
    CHECK(__atomic_fetch_add(&f->inside, 1, __ATOMIC_RELAXED) == 0 && i > f->last);
    f->last = i, f->written++;
    f->log = test_mix(f->log, *x);
    test_spin((unsigned)(h >> 32) % 500);
    __atomic_fetch_sub(&f->inside, 1, __ATOMIC_RELAXED);
    return h % 8 ? DF_PIPE_DONE : df_continue(9);
}
static void filtered(void)
{
    for (int k = 0; k < 16; k++) {
        struct filter f = { (uint64_t)k, 0, -1, 0, 0 };
        CHECK(df_pipe(filters, &(df_pipe_opts){ .window = k % 5 * 3 }, &f) == 300);
        printf("filtered: %ld %016llx\n", f.written, (unsigned long long)f.log);
    }
}

/* --- numbers of stages -------------------------------------------------------------------------------------------- */

typedef struct { long sum; long double align; } summed;
DF_PIPE(many_stages, summed);
int many_stages(int stage, summed *x, long i, void *ctx)
{
    long *total = ctx;
    if (stage == 0) {
        if (i == 40) return DF_PIPE_END;
        CHECK((uintptr_t)x % sizeof(double) == 0 && x->align >= 0);
        x->sum = 0, x->align = (long double)i;
    }
    x->sum += stage % 1000;
    if (stage == DF_PIPE_STAGES - 1) {
        *total = *total * 3 % 1000003 + x->sum; /* in order */
        return DF_PIPE_DONE;
    }
    if (stage < i * i) return stage % 2 ? df_in_order(stage + 1) : df_continue(stage + 1);
    return df_in_order(DF_PIPE_STAGES - 1);
}
DF_PIPE(repeats, int);
int repeats(int stage, int *x, long i, void *ctx)
{
    (void)ctx;
    if (stage == 0) {
        *x = 0;
        return i == 100 ? (int)DF_PIPE_END : df_continue(5);
    }
    CHECK(stage == 5);
    return ++*x < 100 ? df_continue(5) : (int)DF_PIPE_DONE;
}
DF_PIPE(only_stage_0, int);
int only_stage_0(int stage, int *x, long i, void *ctx)
{
    CHECK(stage == 0 && !ctx && *x <= i);
    ++*x;
    return i == 1000 ? DF_PIPE_END : DF_PIPE_DONE;
}
typedef struct { unsigned char bytes[70000]; } large;
DF_PIPE(large_items, large);
int large_items(int stage, large *x, long i, void *ctx)
{
    if (i == 30) return DF_PIPE_END;
    CHECK(x->bytes[0] == x->bytes[sizeof *x - 1]);
    if (stage == 0) memset(x, (int)i, sizeof *x);
    else *(long *)ctx += x->bytes[stage * 100];
    return stage == 3 ? (int)DF_PIPE_DONE : df_in_order(stage + 1);
}
DF_PIPE(empty, int);
int empty(int stage, int *x, long i, void *ctx)
{
    CHECK(stage == 0 && *x == 0 && i == 0);
    ++*(int *)ctx;
    return DF_PIPE_END;
}
static void stages(void)
{
    long total = 1, sum[4] = { 0 }; /* different stages add at the same time: to different words */
    int calls = 0;
    printf("many stages: %ld", df_pipe(many_stages, NULL, &total));
    printf(" %ld\n", total);
    printf("repeats: %ld, only stage 0: %ld", df_pipe(repeats, NULL, NULL), df_pipe(only_stage_0, NULL, NULL));
    printf(", empty: %ld", df_pipe(empty, NULL, &calls));
    printf(" %d, large: ", calls);
    printf("%ld\n", df_pipe(large_items, &(df_pipe_opts){ .window = 1 }, sum));
    printf("%ld\n", sum[0]);
    CHECK(df_pipe(only_stage_0, &(df_pipe_opts){ .window = LONG_MAX }, NULL) == 1000);
    CHECK(df_pipe(only_stage_0, &(df_pipe_opts){ .window = 1L << 30 }, NULL) == 1000);
}

/* --- ends --------------------------------------------------------------------------------------------------------- */

struct ending { long at, window, began; int how, ended, in_last; };
DF_PIPE(ends, int);
int ends(int stage, int *x, long i, void *ctx)
{
    struct ending *e = ctx;
    *x = stage;
    if (stage == 0) {
        e->began++;
        return i % 3 ? df_in_order(1) : df_continue(2);
    }
    if (i == e->at && stage == 2) {
        if (e->how == 0) {
            __atomic_fetch_add(&e->ended, 1, __ATOMIC_RELAXED);
            return DF_PIPE_END;
        }
        if (e->how > 0) df_fail(e->how, "stage");
        else df_cancel();
        CHECK(df_cancelled());
        return df_in_order(3);
    }
    test_spin((unsigned)(i % 4) * 200);
    if (stage == 3) {
        CHECK(e->how == 0 || i != e->at); /* it stopped after the stage it was in */
        e->in_last++; /* plain: in order */
        __atomic_fetch_add(&e->ended, 1, __ATOMIC_RELAXED);
        return DF_PIPE_DONE;
    }
    return df_in_order(stage + 1);
}
DF_TASK(void, fails_in_task, df_out(long, count, 1), (int, how));
void fails_in_task(long *count, int how)
{
    struct ending e = { 5, 10, 0, how, 0, 0 };
    *count = df_pipe(ends, &(df_pipe_opts){ .window = e.window }, &e);
}
DF_TASK(void, not_reached, df_in(long, count, 1), df_out(long, x, 1));
void not_reached(const long *count, long *x) { *x = *count; }
static void endings(void)
{
    static const long at[] = { 0, 1, 17, 100 };
    long count = 0, x = 0;
    for (int k = 0; k < 4; k++)
        for (int how = -1; how < 2; how++)
            for (long window = 1; window < 30; window = 3 * window) {
                struct ending e = { at[k], window, 0, how * (40 + k), 0, 0 };
                if (how < 0) e.how = -1;
                count = df_pipe(ends, &(df_pipe_opts){ .window = window }, &e);
                CHECK(count == e.began && count > e.at && count <= e.at + window);
                if (how == 0) CHECK(e.ended == count && e.in_last == count - 1);
                df_result r = df_wait_result();
                printf("ends: %d %s\n", (int)r, df_error_text(r));
                CHECK(df_wait_result() == DF_OK && !df_cancelled());
            }
    for (int how = 45; how < 48; how++) {
        df_submit(fails_in_task, &count, how);
        df_submit(not_reached, &count, &x);
        printf("in a task: %d, ", (int)df_wait_result());
        CHECK(count > 5 && count <= 15);
    }
    DF_PARALLEL {
        struct ending e = { 5, 10, 0, 49, 0, 0 };
        df_pipe(ends, &(df_pipe_opts){ .window = e.window }, &e);
        printf("in a block: %d", df_cancelled());
        CHECK(df_pipe(ends, NULL, &e) == 0); /* nothing begins */
        printf(" %d\n", (int)df_wait_result());
    }
    struct ending e = { 5, 10, 0, 0, 0, 0 };
    CHECK(df_pipe(ends, NULL, &e) > 5 && df_wait_result() == DF_OK);
}

/* --- what stages do ----------------------------------------------------------------------------------------------- */

typedef struct { long in[20], sum; } work;
DF_TASK(void, square, df_inout(long, x, 1));
void square(long *x) { *x *= *x; }
static int behind;
DF_TASK(void, left_behind, (int, n));
void left_behind(int n) { __atomic_fetch_add(&behind, n, __ATOMIC_RELAXED); }
DF_TASK(long, fib, (long, n));
long fib(long n)
{
    df_future(fib) a;
    if (n < 2) return n;
    df_spawn(fib, &a, n - 1);
    long b = fib(n - 2);
    return b + df_sync(fib, &a);
}
DF_LOOP(sum_of, df_in(long, x, 20), df_reduce(df_sum, long, sum, 1));
void sum_of(long lo, long hi, const long *x, long *sum)
{
    for (long i = lo; i < hi; i++) *sum += x[i];
}
DF_PIPE(inner, long);
int inner(int stage, long *x, long i, void *ctx)
{
    long *to = ctx;
    if (stage == 0) {
        if (i == 10) return DF_PIPE_END;
        *x = i;
        return df_continue(1);
    }
    if (stage == 1) {
        *x *= 7;
        return df_in_order(2);
    }
    *to = (*to * 3 + *x) % 1000003;
    return DF_PIPE_DONE;
}
DF_PIPE(works, work);
int works(int stage, work *x, long i, void *ctx)
{
    long *all = ctx;
    switch (stage) {
    case 0:
        if (i == 60) return DF_PIPE_END;
        for (int k = 0; k < 20; k++) x->in[k] = i + k;
        x->sum = fib(i % 8);
        return i % 2 ? df_continue(1) : df_in_order(1);
    case 1:
        for (int k = 0; k < 20; k++) df_submit(square, &x->in[k]);
        if (i % 3 == 0) for (int k = 0; k < 20; k += 3) df_submit(square, &x->in[k]);
        df_wait();
        for (int k = 0; k < 20; k++) x->in[k] %= 1000;
        return df_continue(2);
    case 2:
        df_for_with(DF_LOOP_OPTS(.schedule = (int)(i % 4)), sum_of, 0, 20, x->in, &x->sum);
        DF_PARALLEL df_submit(square, &x->sum);
        x->sum = x->sum % 1000 + fib(5);
        return i % 5 ? df_continue(3) : df_in_order(3);
    case 3:
        CHECK(df_pipe(inner, i % 4 ? &(df_pipe_opts){ .window = i % 4 } : NULL, &x->sum) == 10);
        return df_in_order(4);
    default:
        *all = (*all * 5 + x->sum) % 1000003;
        df_submit(left_behind, 1); /* only the pipe waits for it */
        return DF_PIPE_DONE;
    }
}
DF_TASK(void, pipe_task, df_out(long, x, 1), (long, window));
void pipe_task(long *x, long window)
{
    *x = 1;
    CHECK(df_pipe(works, &(df_pipe_opts){ .window = window }, x) == 60);
}
DF_TASK(long, pipe_spawned, (long, n));
long pipe_spawned(long n)
{
    long x = n;
    df_future(pipe_spawned) f;
    if (n) df_spawn(pipe_spawned, &f, n - 1);
    CHECK(df_pipe(inner, NULL, &x) == 10);
    return n ? x + df_sync(pipe_spawned, &f) : x;
}
DF_LOOP(pipes_in_loop, (long *, x));
void pipes_in_loop(long lo, long hi, long *x)
{
    for (long i = lo; i < hi; i++) x[i] = i, CHECK(df_pipe(inner, &(df_pipe_opts){ .window = i % 5 }, &x[i]) == 10);
}
static void in_stages(void)
{
    long x[12] = { 0 }, y[40] = { 0 }, h = 0;
    pipe_task(&x[0], 0);
    CHECK(behind == 60);
    DF_PARALLEL {
        for (int k = 0; k < 5; k++) df_submit(pipe_task, &x[k], 1 + 3 * k);
        for (int k = 0; k < 4; k++) df_submit(square, &x[k]);
        df_for_with(DF_LOOP_OPTS(.schedule = DF_DYNAMIC), pipes_in_loop, 0, 40, y);
    }
    CHECK(behind == 360);
    df_future(pipe_spawned) f;
    df_spawn(pipe_spawned, &f, 12);
    for (int k = 0; k < 40; k++) h = (h * 3 + y[k]) % 1000003;
    printf("in stages: %ld %ld %ld %ld %ld\n", x[0] % 1000, x[3] % 1000, x[4], h, df_sync(pipe_spawned, &f));
}

int main(void)
{
    paths();
    in_order();
    filtered();
    stages();
    endings();
    in_stages();
}
