/* mistakes.c - wrong declarations, and beside each the right one; for tests/check/run
 *
 *   mistakes         a line for each: name, function that is stopped, message with AddressSanitizer and without
 *                    (patterns, - for none)
 *   mistakes right   all of them in the right form: no message
 *   mistakes NAME    that one, in the wrong form */
#define DF_IMPLEMENTATION
#include "df.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64, LD = 8 };
typedef long *numbers; /* what a task is given without saying what it does with it */
static long *a, *b, total[2];
static int wrong;

#if defined(__GNUC__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE
#endif

DF_TASK(void, fill, df_out(long, x, n), (int, n));
void fill(long *x, int n)
{
    for (int i = 0; i < n; i++) x[i] = i;
}
DF_TASK(void, add, df_inout(long, x, n), (int, n));
void add(long *x, int n)
{
    for (int i = 0; i < n; i++) x[i]++;
}
DF_TASK(void, look, df_in(long, x, n), (int, n));
void look(const long *x, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    if (sum < 0) abort();
}

/* --- not declared ---------------------------------------------------------------------------------- */

DF_TASK(void, sum_right, df_in(long, x, N), df_out(long, s, 1));
void sum_right(const long *x, long *s) { *s = x[N / 2]; }
DF_TASK(void, sum_wrong, (numbers, x), df_out(long, s, 1));
void sum_wrong(numbers x, long *s) { *s = x[N / 2]; }
static void missing_in(void)
{
    df_submit(fill, a, N);
    if (wrong) df_submit(sum_wrong, a, total);
    else df_submit(sum_right, a, total);
}
static void missing_in_long_after(void) /* the writer is done long before, by luck */
{
    df_submit(fill, a, N);
    df_submit(fill, b, N);
    df_wait_on(a, N * sizeof *a);
    df_wait_on(b, N * sizeof *b);
    if (wrong) df_submit(sum_wrong, a, total);
    else df_submit(sum_right, a, total);
}

DF_TASK(void, copy_right, df_in(long, x, N), df_out(long, y, N));
void copy_right(const long *x, long *y)
{
    for (int i = 0; i < N; i++) y[i] = x[i];
}
DF_TASK(void, copy_wrong, df_in(long, x, N), (numbers, y));
void copy_wrong(const long *x, numbers y)
{
    for (int i = 0; i < N; i++) y[i] = x[i];
}
static void missing_out(void)
{
    if (wrong) df_submit(copy_wrong, a, b);
    else df_submit(copy_right, a, b);
    df_submit(look, b, N);
}

DF_TASK(void, clear_right, df_inout(long, x, N));
void clear_right(long *x) { memset(x + 1, 0, (N - 1) * sizeof *x); }
DF_TASK(void, clear_wrong, (numbers, x));
void clear_wrong(numbers x) { memset(x + 1, 0, (N - 1) * sizeof *x); }
static void in_a_library(void)
{
    df_submit(fill, a, N);
    if (wrong) df_submit(clear_wrong, a);
    else df_submit(clear_right, a);
}

DF_TASK(void, first_reads, df_in(long, x, n), (int, n), (int, reads), df_out(long, s, 1));
void first_reads(const long *x, int n, int reads, long *s)
{
    *s = n;
    for (int i = 0; i < reads; i++) *s += x[i];
}
static void short_in(void)
{
    df_submit(fill, a, N / 2);
    df_submit(fill, a + N / 2, N / 2);
    df_submit(first_reads, a, wrong ? N / 2 : N / 2 + 1, N / 2 + 1, total);
}
DF_TASK(void, first_writes, df_inout(long, x, n), (int, n), (int, writes));
void first_writes(long *x, int n, int writes)
{
    for (int i = 0; i < writes; i++) x[i] += n;
}
static void short_inout(void)
{
    df_submit(first_writes, a, wrong ? N / 2 : N / 2 + 1, N / 2 + 1);
    df_submit(add, a + N / 2, N / 2);
}
/* The same while other threads free memory, and df looks whether a task has declared it. */
static int stop;
static void *frees(void *unused)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) free(calloc(1, 8));
    return unused;
}
static void beside_frees(void)
{
    pthread_t t[2];
    stop = 0;
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, frees, NULL);
    short_inout();
    df_wait();
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
}
DF_TASK(void, range_reads, df_in_range(long, x, end), (int, reads), df_out(long, s, 1));
void range_reads(const long *x, const long *end, int reads, long *s)
{
    *s = end - x;
    for (int i = 0; i < reads; i++) *s += x[i];
}
static void short_range(void)
{
    df_submit(fill, a + 8, 8);
    df_submit(range_reads, a, wrong ? a + 8 : a + 9, 9, total);
}

DF_TASK(void, block_adds, df_inout2(long, x, rows, cols, LD), (int, rows), (int, cols), (int, r), (int, c));
void block_adds(long *x, int rows, int cols, int r, int c)
{
    for (int i = 0; i < r; i++)
        for (int j = 0; j < c; j++) x[i * LD + j] += rows + cols;
}
static void short_column(void)
{
    df_submit(block_adds, a + 4, 4, 4, 4, 4);
    df_submit(block_adds, a, 4, wrong ? 4 : 5, 4, 5);
}
static void short_row(void)
{
    df_submit(block_adds, a + 2 * LD, 2, 4, 2, 4);
    df_submit(block_adds, a, wrong ? 2 : 3, 4, 3, 4);
}

DF_TASK(void, global_right, df_in(long, x, N), df_out(long, s, 1));
void global_right(const long *x, long *s) { *s = x[0] + a[3]; }
DF_TASK(void, global_wrong, df_out(long, s, 1));
void global_wrong(long *s) { *s = a[3]; }
static void by_a_global(void)
{
    df_submit(fill, a, N);
    if (wrong) df_submit(global_wrong, total);
    else df_submit(global_right, a, total);
}

struct list { long *at; int n; };
typedef struct list list;
DF_TASK(void, list_right, df_in(list, l, 1), df_inout(long, x, N));
void list_right(const list *l, long *x)
{
    for (int i = 0; i < l->n; i++) l->at[i] += x[i];
}
DF_TASK(void, list_wrong, df_in(list, l, 1));
void list_wrong(const list *l)
{
    for (int i = 0; i < l->n; i++) l->at[i]++;
}
static void by_a_structure(void)
{
    static list l;
    l.at = a, l.n = N;
    df_submit(fill, a, N);
    if (wrong) df_submit(list_wrong, &l);
    else df_submit(list_right, &l, a);
}

DF_TASK(void, commutes, df_commute(long, x, 1));
void commutes(long *x) { *x += 1; }
DF_TASK(void, commutes_wrong, (numbers, x));
void commutes_wrong(numbers x) { *x += 1; }
static void missing_commute(void)
{
    df_submit(commutes, a);
    if (wrong) df_submit(commutes_wrong, a);
    else df_submit(commutes, a);
}

DF_TASK(void, adds_up, df_reduce(df_sum, long, s, 1), (int, k));
void adds_up(long *s, int k) { *s += k; }
DF_TASK(void, reads_total_right, df_in(long, s, 1), df_out(long, to, 1));
void reads_total_right(const long *s, long *to) { *to = *s; }
DF_TASK(void, reads_total, (numbers, s), df_out(long, to, 1));
void reads_total(numbers s, long *to) { *to = *s; }
static void total_of_a_reduction(void)
{
    for (int k = 0; k < 4; k++) df_submit(adds_up, a, k);
    if (wrong) df_submit(reads_total, a, total);
    else df_submit(reads_total_right, a, total);
}

/* --- tasks in tasks -------------------------------------------------------------------------------- */

DF_TASK(void, child_right, df_inout(long, x, 1));
void child_right(long *x) { *x += 1; }
DF_TASK(void, child_wrong, (numbers, x));
void child_wrong(numbers x) { *x += 1; }
DF_TASK(void, parent, df_inout(long, x, N));
void parent(long *x)
{
    if (wrong) df_submit(child_wrong, x);
    else df_submit(child_right, x);
}
static void missing_in_a_child(void) { df_submit(parent, a); }

DF_TASK(void, aunt, df_inout(long, x, 8), (numbers, y));
void aunt(long *x, numbers y)
{
    if (wrong) df_submit(child_wrong, y);
    else df_submit(child_right, x);
}
static void of_a_sibling_of_its_parent(void)
{
    df_submit(fill, b, N);
    df_submit(aunt, a, b);
}

DF_TASK(void, hasty, df_inout(long, x, N));
void hasty(long *x)
{
    df_submit(child_right, x);
    if (!wrong) df_wait();
    x[0]++;
}
static void parent_before_its_child(void) { df_submit(hasty, a); }

DF_TASK(void, spawned, (numbers, x));
void spawned(numbers x) { x[0]++; }
DF_TASK(void, spawner, df_inout(long, x, 8), (numbers, y));
void spawner(long *x, numbers y)
{
    df_future(spawned) f;
    df_spawn(spawned, &f, wrong ? y : x);
    x[1]++;
    df_sync(spawned, &f);
}
static void in_a_spawned_call(void)
{
    df_submit(fill, b, N);
    df_submit(spawner, a, b);
}

DF_LOOP(steps, (numbers, x));
void steps(long i, long end, numbers x)
{
    for (; i < end; i++) x[i]++;
}
DF_TASK(void, loops, df_inout(long, x, N), (numbers, y));
void loops(long *x, numbers y) { df_for(steps, 0, N, wrong ? y : x); }
static void in_a_loop(void)
{
    df_submit(fill, b, N);
    df_submit(loops, a, b);
}

DF_TASK(void, releases, df_inout(long, x, N));
void releases(long *x)
{
    x[0]++;
    if (!wrong) x[1]++;
    df_release(x, N * sizeof *x);
    if (wrong) x[1]++;
}
static void after_release(void)
{
    df_submit_with(DF_OPTS(.release = 1), releases, a);
    df_submit(add, a, N);
}

DF_TASK(void, weak_parent, df_weak_inout(long, x, N));
void weak_parent(long *x)
{
    if (wrong) x[0]++;
    df_submit(add, x, N);
}
static void weak_only(void)
{
    df_submit(add, a, N);
    df_submit(weak_parent, a);
}

DF_TASK(void, outsider, df_inout(long, x, 8));
void outsider(long *x) { df_submit(add, x, wrong ? 9 : 8); }
static void more_than_its_parent(void) { df_submit(outsider, a); }

/* --- who submits ----------------------------------------------------------------------------------- */

static void reads_too_early(void)
{
    df_submit(fill, a, N);
    if (!wrong) df_wait();
    total[0] = a[5];
}
static void waits_for_something_else(void)
{
    df_submit(fill, a, N);
    df_submit(fill, b, N);
    df_wait_on(wrong ? b : a, N * sizeof *a);
    a[5] = 1;
}

static void waits_for_an_earlier_task(void)
{
    df_handle h[2];
    df_submit_with(DF_OPTS(.handle = &h[0]), fill, a, N);
    df_submit_with(DF_OPTS(.handle = &h[1]), add, a, N);
    df_wait_task(&h[wrong ? 0 : 1]);
    a[5] = 1;
    df_wait();
}
DF_TASK(void, halves, df_weak_inout(long, x, N), (df_token *, held));
void halves(long *x, df_token *held)
{
    df_submit(add, x, N / 2);
    df_submit_with(DF_OPTS(.after = DF_TOKENS(held)), add, x + N / 2, N / 2);
}
static void waits_for_a_half(void) /* of a task that is not done */
{
    df_token held = DF_TOKEN(1), done = DF_TOKEN(1);
    df_submit(halves, a, &held);
    df_submit_with(DF_OPTS(.signals = DF_TOKENS(&done)), add, a, N / 2);
    if (wrong) df_submit(halves, a, &held);
    df_wait_token(&done);
    a[5] = 1;
    df_signal(&held);
    df_wait();
}

/* --- what is not there ----------------------------------------------------------------------------- */

static void behind_the_end(void) { df_submit(first_reads, a, wrong ? N + 1 : N, N, total); }
static void freed_before(void)
{
    numbers volatile x = (numbers)calloc(8, sizeof *x);
    if (wrong) free(x);
    df_submit(first_reads, x, 8, 0, total);
    df_wait();
    if (!wrong) free(x);
}
static void far_too_much(void) { df_submit(first_reads, a, wrong ? 1 << 30 : N, N, total); }

NOINLINE static void gives_a_variable(void)
{
    long x[N] = { 0 };
    df_submit(first_reads, x, N, 0, total);
    if (!wrong) df_wait();
}
static void variable_of_a_function(void)
{
    gives_a_variable();
    df_wait();
}
DF_TASK(void, leaves_a_variable, (int, n));
void leaves_a_variable(int n)
{
    long x[N] = { 0 };
    df_submit(first_reads, x, n, 0, total);
    if (!wrong) df_wait();
}
static void variable_of_a_body(void) { df_submit(leaves_a_variable, N); }
NOINLINE static numbers variable(void)
{
    long x[4 * N] = { 0 };
    numbers volatile p = x;
    df_submit(add, x, 4 * N);
    df_wait();
    return wrong ? p + 2 * N : a;
}
static void function_has_returned(void) { df_submit(first_reads, variable(), 8, 0, total); }

static jmp_buf outside;
DF_TASK(void, jumps, df_inout(long, x, 1));
void jumps(long *x)
{
    ++*x;
    if (wrong) longjmp(outside, 1);
}
static void left_by_longjmp(void)
{
    if (!setjmp(outside)) {
        df_submit(jumps, total);
        df_wait();
    }
    df_submit(add, total, 1);
    if (wrong) exit(0); /* a wait need not end */
    df_wait();
}

/* --- what a body does besides ---------------------------------------------------------------------- */

DF_TASK(void, casts, df_in(long, x, N));
void casts(const long *x)
{
    if (wrong) *(long *)(uintptr_t)(x + 7) += 1;
}
static void changed_by_a_cast(void) { df_submit(casts, a); }
DF_TASK(void, alias, df_in2(long, x, 4, 4, LD));
void alias(const long *x)
{
    if (x == a) a[wrong ? 2 * LD + 3 : 2 * LD + 4]++; /* inside, and beside it */
}
static void changed_by_a_global(void) { df_submit(alias, a); }

DF_TASK(void, half, df_out(long, x, N));
void half(long *x) { fill(x, wrong ? N / 2 : N); }
static void written_in_part(void) { df_submit(half, a); }
DF_TASK(void, accumulates, df_out(long, x, N));
void accumulates(long *x)
{
    for (int i = 0; i < N; i++)
        if (!wrong) x[i] = i;
        else if (x[i] > 0) x[i] += i; /* all that was there was positive */
}
static void read_before_written(void)
{
    for (int i = 0; i < N; i++) a[i] = 1;
    df_submit(accumulates, a);
}

/* an operator for which the order matters */
typedef struct { char s[24]; } text;
static void append(text *t, const text *more) { strncat(t->s, more->s, sizeof t->s - 1 - strlen(t->s)); }
static void empty(text *t) { t->s[0] = 0; }
DF_REDUCTION(hasty_text, text, append, empty);
DF_ORDERED_REDUCTION(text_in_order, text, append, empty);
DF_TASK(void, types_wrong, df_reduce(hasty_text, text, t, 1), (int, c));
DF_TASK(void, types_right, df_reduce(text_in_order, text, t, 1), (int, c));
static void type(text *t, int c) { t->s[strlen(t->s) + 1] = 0, t->s[strlen(t->s)] = (char)c; }
void types_wrong(text *t, int c) { type(t, c); }
void types_right(text *t, int c) { type(t, c); }
/* and one for which it does not, but for rounding and for padding */
typedef struct { char used; double n, mean; float least; } moments;
static void merge(moments *a, const moments *b)
{
    double n = a->n + b->n, d = b->mean - a->mean;
    if (n > 0) a->mean += d * b->n / n;
    a->n = n, a->used |= b->used;
    if (b->least < a->least) a->least = b->least;
}
static void nothing(moments *m) { m->used = 0, m->n = m->mean = 0, m->least = 1e9f; }
DF_REDUCTION(merged, moments, merge, nothing);
DF_TASK(void, counts, df_reduce(merged, moments, m, 1), (double, x));
void counts(moments *m, double x)
{
    moments one = { 1, 1, x, (float)x };
    merge(m, &one);
}
static void order_matters(void)
{
    static text t;
    static moments m;
    empty(&t), nothing(&m);
    for (int i = 0; i < 6; i++) {
        if (wrong) df_submit(types_wrong, &t, 'a' + i);
        else df_submit(types_right, &t, 'a' + i);
        df_submit(counts, &m, 1.0 / (i + 3));
    }
    df_wait();
}
static void append_all(void *into, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (from) append((text *)into + i, (const text *)from + i);
        else empty((text *)into + i);
    }
}
static void type_by_call(void *c, void *const *p) { type((text *)p[0], *(const int *)c); }
static void order_matters_to_a_call(void)
{
    df_operator op = { append_all, sizeof(text), !wrong, 0, NULL };
    static text t;
    empty(&t);
    for (int i = 0; i < 6; i++) {
        int c = 'a' + i;
        df_region r = df_region_of(&t, 1);
        r.mode = DF_REDUCE, r.op = &op;
        df_call(NULL, type_by_call, &c, sizeof c, &r, 1);
    }
    df_wait();
}

/* --- parts of a loop that write the same memory ------------------------------------------------------------------- */

DF_LOOP(adds_all, (const long *, x), df_inout(long, sum, 1));
void adds_all(long lo, long hi, const long *x, long *sum) { for (; lo < hi; lo++) *sum += x[lo]; }
DF_LOOP(reduces_all, (const long *, x), df_reduce(df_sum, long, sum, 1));
void reduces_all(long lo, long hi, const long *x, long *sum) { for (; lo < hi; lo++) *sum += x[lo]; }
DF_LOOP(counts_all, df_concurrent(long, sum, 1), df_inout(long, x, N));
void counts_all(long lo, long hi, long *sum, long *x)
{
    for (; lo < hi; lo++) x[lo] = __atomic_add_fetch(sum, 1, __ATOMIC_RELAXED);
}
DF_TASK(void, one_more, df_inout(long, x, 1));
void one_more(long *x) { ++*x; }
DF_LOOP(twice_each, df_inout(long, x, N)); /* the tasks of a part may run beside the next one, in parts of their own */
void twice_each(long lo, long hi, long *x)
{
    for (; lo < hi; lo++) {
        df_submit(one_more, x + lo);
        df_submit(one_more, x + lo);
        if (lo % 8 == 7) df_wait();
    }
}
static void sum_in_a_loop(void)
{
    long sum = 0;
    for (int i = 0; i < N; i++) a[i] = i + 1;
    if (wrong) df_for(adds_all, 0, N, a, &sum);
    else {
        df_for(reduces_all, 0, N, a, &sum);
        df_for(counts_all, 0, N, &sum, b);
        df_for(twice_each, 0, N, b);
    }
}

/* --- children of parents that declare nothing --------------------------------------------------------------------- */

static long global[N], other_global[N];
DF_TASK(void, silent, (numbers, x));
void silent(numbers x)
{
    for (int i = 0; i < 5; i++) df_submit(one_more, x + i);
}
DF_TASK(void, tells, df_inout(long, x, N));
void tells(numbers x)
{
    for (int i = 0; i < 5; i++) df_submit(one_more, x + i);
}
/* memory of its own, also if another task gets the same from malloc afterwards */
DF_TASK(void, allocates, (int, k));
void allocates(int k)
{
    numbers x = (numbers)calloc(N, sizeof *x);
    for (int i = 0; i < 5; i++) df_submit(one_more, x + k);
    df_wait();
    free(x);
}
static void undeclared_by_the_parents(void)
{
    for (int k = 0; k < 3; k++) {
        if (wrong) df_submit(silent, global);
        else df_submit(tells, global);
        df_submit(allocates, k);
    }
    df_wait();
    df_submit(silent, global); /* alone, or after all others */
    df_wait();
    df_submit(silent, global);
}
/* their grandparent declares something else */
DF_TASK(void, family, df_inout(long, x, N), (numbers, y));
void family(long *x, numbers y) { df_submit(silent, y), (void)x; }
DF_TASK(void, whole_family, df_inout(long, x, N), df_inout(long, y, N));
void whole_family(long *x, long *y)
{
    (void)x;
    df_submit(tells, y);
}
static void undeclared_by_the_grandparents(void)
{
    for (int k = 0; k < 2; k++) {
        if (wrong) df_submit(family, k ? a : b, other_global);
        else df_submit(whole_family, k ? a : b, other_global);
    }
}
/* a task declares what the child of another one accesses */
static void undeclared_by_one(void)
{
    df_submit(tells, global);
    if (wrong) df_submit(silent, global);
    else df_submit(tells, global);
}

#define UNDECLARED(who, does, of) "task " who " [(].* " does " .* it does not declare .* " of
static const struct { const char *name; void (*run)(void); const char *in, *asan, *plain; } mistakes[] = {
    { "missing_in", missing_in, "sum_wrong",
      UNDECLARED("sum_wrong", "reads 8 bytes",
                 "df_out x of task fill .* of sum_wrong that points to them as df_in"), "-" },
    { "missing_in_long_after", missing_in_long_after, "sum_wrong", UNDECLARED("sum_wrong", "reads", "task fill"), "-" },
    { "missing_out", missing_out, "copy_wrong",
      UNDECLARED("copy_wrong", "writes 8 bytes",
                 "df_in x of task look .* of copy_wrong that points to them as df_inout"), "-" },
    { "in_a_library", in_a_library, "memset",
      UNDECLARED("clear_wrong", "writes 504 bytes", "byte 8 of df_out x of task fill"), "-" },
    { "short_in", short_in, "first_reads", UNDECLARED("first_reads", "reads", "byte 0 of df_out x of task fill"), "-" },
    { "short_inout", short_inout, "first_writes",
      UNDECLARED("first_writes", "(reads|writes)", "byte 0 of df_inout x of task add"), "-" },
    { "beside_frees", beside_frees, "first_writes",
      UNDECLARED("first_writes", "(reads|writes)", "byte 0 of df_inout x of task add"), "-" },
    { "short_range", short_range, "range_reads", UNDECLARED("range_reads", "reads", "task fill"), "-" },
    { "short_column", short_column, "block_adds",
      UNDECLARED("block_adds", "(reads|writes)", "byte 0 of df_inout x of task block_adds"), "-" },
    { "short_row", short_row, "block_adds",
      UNDECLARED("block_adds", "(reads|writes)", "byte 0 of df_inout x of task block_adds"), "-" },
    { "by_a_global", by_a_global, "global_wrong",
      UNDECLARED("global_wrong", "reads", "byte 24 of df_out x of task fill"), "-" },
    { "by_a_structure", by_a_structure, "list_wrong", UNDECLARED("list_wrong", "(reads|writes)", "task fill"), "-" },
    { "missing_commute", missing_commute, "commutes_wrong",
      UNDECLARED("commutes_wrong", "(reads|writes)", "df_commute x of task commutes"), "-" },
    { "total_of_a_reduction", total_of_a_reduction, "reads_total",
      UNDECLARED("reads_total", "reads", "df_reduce s of task adds_up"), "-" },
    { "missing_in_a_child", missing_in_a_child, "child_wrong",
      UNDECLARED("child_wrong", "(reads|writes)", "df_inout x of task parent"), "-" },
    { "of_a_sibling_of_its_parent", of_a_sibling_of_its_parent, "child_wrong",
      UNDECLARED("child_wrong", "(reads|writes)", "task fill"), "-" },
    { "parent_before_its_child", parent_before_its_child, "hasty",
      "task hasty .* while task child_right .* is not done", "-" },
    { "in_a_spawned_call", in_a_spawned_call, "spawned", UNDECLARED("spawner", "(reads|writes)", "task fill"), "-" },
    { "in_a_loop", in_a_loop, "steps", UNDECLARED("loops", "(reads|writes)", "task fill"), "-" },
    { "after_release", after_release, "releases", "task releases .* that it has released", "-" },
    { "weak_only", weak_only, "weak_parent", "task weak_parent .* declares only weakly", "-" },
    { "more_than_its_parent", more_than_its_parent, NULL, "task outsider submits task add.*, which accesses 72 bytes",
      "task outsider submits task add.*, which accesses 72 bytes" },
    { "reads_too_early", reads_too_early, "reads_too_early",
      "outside of all tasks reads 8 bytes .* while task fill .* is not done", "-" },
    { "waits_for_something_else", waits_for_something_else, "waits_for_something_else",
      "outside of all tasks writes .* while task fill .* is not done", "-" },
    { "waits_for_an_earlier_task", waits_for_an_earlier_task, "waits_for_an_earlier_task",
      "outside of all tasks writes .* while task add .* is not done", "-" },
    { "waits_for_a_half", waits_for_a_half, "waits_for_a_half",
      "outside of all tasks writes .* while task halves .* is not done", "-" },
    { "behind_the_end", behind_the_end, NULL, "task first_reads .* 520 bytes at .* may not use byte 512 of them", "-" },
    { "freed_before", freed_before, NULL, "task first_reads .* 64 bytes at .* may not use byte 0 of them", "-" },
    { "far_too_much", far_too_much, NULL, "df_in x, 8589934592 bytes .* may not use byte",
      "df_in x, 8589934592 bytes .* may not use byte" },
    { "variable_of_a_function", variable_of_a_function, NULL, "task first_reads .* a function that has returned",
      "task first_reads .* a function that has returned" },
    { "variable_of_a_body", variable_of_a_body, NULL, "task first_reads .* a function that has returned",
      "task first_reads .* a function that has returned" },
    { "function_has_returned", function_has_returned, NULL, "task first_reads .* function (that )?has returned",
      "task first_reads .* function (that )?has returned" },
    { "left_by_longjmp", left_by_longjmp, NULL, "task jumps was left by longjmp", "task jumps was left by longjmp" },
    { "changed_by_a_cast", changed_by_a_cast, NULL, "task casts .* changed df_in x", "task casts .* changed df_in x" },
    { "changed_by_a_global", changed_by_a_global, NULL, "task alias .* changed df_in x",
      "task alias .* changed df_in x" },
    { "order_matters", order_matters, NULL, "operator hasty_text is not commutative",
      "operator hasty_text is not commutative" },
    { "order_matters_to_a_call", order_matters_to_a_call, NULL, "operator df_region.op of df_call is not commutative",
      "operator df_region.op of df_call is not commutative.*set .ordered of the df_operator" },
    { "sum_in_a_loop", sum_in_a_loop, NULL, "loop adds_all: two of its parts write byte 0 of 8 of access 1, df_inout",
      "loop adds_all: two of its parts write byte 0 of 8 of access 1, df_inout" },
    { "undeclared_by_the_parents", undeclared_by_the_parents, NULL,
      "task one_more .* 8 bytes .* that task silent, which submits it, does not declare, .* with task one_more",
      "task one_more .* 8 bytes .* that task silent, which submits it, does not declare, .* with task one_more" },
    { "undeclared_by_the_grandparents", undeclared_by_the_grandparents, NULL, "that task silent, which submits it",
      "that task silent, which submits it" },
    { "undeclared_by_one", undeclared_by_one, NULL, "that task silent, which submits it",
      "that task silent, which submits it" },
    { "written_in_part", written_in_part, NULL, "-", "task half .* leaves 256 bytes of it, from byte 256 on" },
    { "read_before_written", read_before_written, NULL, "-",
      "task accumulates .* leaves 512 bytes of it, from byte 0 on" },
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

static void run(int i)
{
    a = (numbers)calloc(N, sizeof *a), b = (numbers)calloc(N, sizeof *b);
    mistakes[i].run();
    df_wait();
    free(a), free(b);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        for (int i = 0; i < MISTAKES; i++)
            printf("%s\t%s\t%s\t%s\n", mistakes[i].name, mistakes[i].in ? mistakes[i].in : "-", mistakes[i].asan,
                   mistakes[i].plain);
    for (int i = 0; argc > 1 && i < MISTAKES; i++) {
        if (!strcmp(argv[1], "right")) run(i);
        else if (!strcmp(argv[1], mistakes[i].name)) wrong = 1, run(i);
    }
    return 0;
}
