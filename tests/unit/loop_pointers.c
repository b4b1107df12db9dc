/* loop_pointers.c - DF_LOOP_OVER: loops over pointers visit every element once, in parts within the range, for all
 * schedules, steps and element types; after tasks on the elements; with reductions; as wavefronts; with != as condition */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { N = 3000 };
typedef struct { int seen; char rest[9]; } record; /* its size is no power of 2 */
typedef int row[7];
typedef const char *text;

static record all[N];

DF_LOOP_OVER(record, visit, (const record *, first), (const record *, end), (long, step));
void visit(record *lo, record *hi, const record *first, const record *end, long step)
{
    if (step > 0) {
        CHECK(first <= lo && lo < hi && hi <= end && (lo - first) % step == 0);
        CHECK(hi == end || (hi - first) % step == 0);
        for (record *p = lo; p < hi; p += step) p->seen++;
    } else {
        CHECK(first >= lo && lo > hi && hi >= end && (first - lo) % step == 0);
        CHECK(hi == end || (first - hi) % step == 0);
        for (record *p = lo; p > hi; p += step) p->seen++;
    }
}
/* The same with the condition !=, which goes on forever if a part does not end at an element. */
DF_LOOP_OVER(record, visit_exact, (long, step));
void visit_exact(record *lo, record *hi, long step)
{
    for (record *p = lo; p != hi; p += step) {
        CHECK(p >= all && p < all + N);
        p->seen++;
    }
}

static void ranges(void)
{
    static const struct { int from, to, step; } range[] = {
        { 0, N, 1 }, { 0, N, 7 }, { 5, 6, 1 }, { 5, 5, 1 }, { 6, 5, 1 }, { 5, 6, -1 }, { N - 1, 0, -1 },
        { N - 1, 10, -13 }, { 10, 2010, 100 }, { N - 1, 1999, -100 }, { 3, 1000, N },
    };
    long in_all = 0;
    for (unsigned r = 0; r < sizeof range / sizeof *range; r++)
        for (int schedule = DF_AUTO; schedule <= DF_GUIDED; schedule++)
            for (long grain = 0; grain < 10; grain += 3)
                for (int exact = 0; exact < 2; exact++) {
                    int from = range[r].from, to = range[r].to, step = range[r].step;
                    df_loop o = { .schedule = schedule, .grain = grain, .step = step, .exact = exact };
                    if (exact && ((to - from) % step || (from < to) != (step > 0))) continue;
                    memset(all, 0, sizeof all);
                    if (exact) df_for_with(&o, visit_exact, all + from, all + to, step);
                    else df_for_with(&o, visit, all + from, all + to, all + from, all + to, step);
                    for (int i = from; step > 0 ? i < to : i > to; i += step) all[i].seen--, in_all++;
                    for (int i = 0; i < N; i++) CHECK(all[i].seen == 0);
                }
    printf("ranges: %ld\n", in_all);
    df_for(visit, all, all + N, all, all + N, 1);
    for (int i = 0; i < N; i++) CHECK(all[i].seen == 1);
}

/* --- types and parameters ----------------------------------------------------------------------------- */

DF_STATIC_LOOP_OVER(const int, total, df_reduce(df_sum, long, sum, 1), df_reduce(df_max, int, most, 1));
static void total(const int *lo, const int *hi, long *sum, int *most)
{
    for (const int *p = lo; p != hi; p++) {
        *sum += *p;
        if (*p > *most) *most = *p;
    }
}
DF_LOOP_OVER(row, fill, (int, x));
void fill(row *lo, row *hi, int x)
{
    for (row *p = lo; p < hi; p++)
        for (int i = 0; i < 7; i++) (*p)[i] = x + i;
}
DF_LOOP_OVER(text, lengths, df_reduce(df_sum, long, sum, 1));
void lengths(text *lo, text *hi, long *sum)
{
    while (lo < hi) *sum += (long)strlen(*lo++);
}
DF_LOOP_OVER(int, twice, df_inout_range(int, from, to));
void twice(int *lo, int *hi, int *from, int *to)
{
    CHECK(from <= lo && hi <= to);
    for (int *p = lo; p < hi; p++) *p *= 2;
}
DF_TASK(void, count_up, df_out(int, x, n), (int, n));
void count_up(int *x, int n)
{
    for (int i = 0; i < n; i++) x[i] = i, test_spin(10);
}
DF_LOOP_OVER(long, add_left);
void add_left(long *lo, long *hi)
{
    for (long *p = lo; p < hi; p++) *p = (*p * 3 + p[-5]) % 1009;
}

static void types(void)
{
    static int x[N];
    static row rows[500];
    static text words[] = { "one", "two", "three", "four" };
    static long a[N + 5];
    long sum = 0, length = 1000;
    int most = -1;
    DF_PARALLEL {
        df_submit(count_up, x, N);
        df_for(twice, x, x + N, x, x + N); /* after the task */
    }
    df_for(total, x, x + N, &sum, &most);
    printf("total: %ld %d\n", sum, most);
    df_for_with(DF_LOOP_OPTS(.deterministic = 1, .step = -1), total, x + N - 1, x + N - 1, &sum, &most); /* empty */
    df_for_with(DF_LOOP_OPTS(.deterministic = 1), total, x, x + 1000, &sum, &most);
    df_for(fill, rows, rows + 500, 3);
    for (int i = 0; i < 500; i++) CHECK(rows[i][0] == 3 && rows[i][6] == 9);
    df_for_with(DF_LOOP_OPTS(.schedule = DF_DYNAMIC), lengths, words, words + 4, &length);
    for (int i = 0; i < N + 5; i++) a[i] = i;
    df_wavefront(add_left, DF_VECTORS({ 5 }), a + 5, a + N + 5);
    printf("types: %ld %ld %ld\n", sum, length, a[N + 4]);
}

int main(void)
{
    ranges();
    types();
    return 0;
}
