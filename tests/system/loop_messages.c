/* loop_messages.c - wrong use of loops, wavefronts and pipes is reported once, with the line of the call, and df's
 * reaction is the documented one; correct use is not reported
 *
 * Each part runs with 1 and 3 workers, at the top of the thread and in a task. */
#define _DEFAULT_SOURCE
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#define DF_IMPLEMENTATION
#include "df.h"
#include "hear.h"
#include "work.h"

/* Exactly one message, an error at `site`, that contains the texts. */
static void heard(const char *site, const char *a, const char *b, const char *c)
{
    char begin[300];
    snprintf(begin, sizeof begin, "1 df: %s: ", site);
    int right = n_said == 1 && !strncmp(said[0], begin, strlen(begin)) && strstr(said[0], a) && strstr(said[0], b) &&
        strstr(said[0], c);
    if (!right)
        for (int i = 0; i < n_said; i++) fprintf(stderr, "%s\n", said[i]);
    CHECK(right);
    n_said = 0;
}
static void silence(void)
{
    for (int i = 0; i < n_said; i++) fprintf(stderr, "%s\n", said[i]);
    CHECK(n_said == 0);
}

/* --- loops ------------------------------------------------------------------------------------------ */

enum { N = 40 };
static int visits[N][N], order[N * N], n_order;

DF_LOOP(row, (int, i));
void row(long lo, long hi, int i)
{
    for (long j = lo; j != hi; j += lo < hi ? 1 : -1) __atomic_fetch_add(&visits[i][j], 1, __ATOMIC_RELAXED);
}
DF_LOOP(row_of, (int *, x), (int, step));
void row_of(long lo, long hi, int *x, int step)
{
    if (!step) x[lo]++;
    else for (long j = lo; j != hi; j += step) __atomic_fetch_add(&x[j], 1, __ATOMIC_RELAXED);
}
DF_LOOP2(plane, (int, unused));
void plane(long lo, long hi, long lo1, long hi1, int unused)
{
    (void)unused;
    for (long i = lo; i < hi; i++)
        for (long j = lo1; j < hi1; j++) {
            __atomic_fetch_add(&visits[i][j], 1, __ATOMIC_RELAXED);
            order[__atomic_fetch_add(&n_order, 1, __ATOMIC_RELAXED)] = (int)(i * N + j);
        }
}
DF_LOOP3(space, (int, unused));
void space(long lo, long hi, long lo1, long hi1, long lo2, long hi2, int unused)
{
    for (long k = lo2; k < hi2; k++) plane(lo, hi, lo1 + k, hi1 + k, unused);
}
static void visited(int rows, int columns, int times)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) CHECK(visits[i][j] == (i < rows && j < columns) * times);
    memset(visits, 0, sizeof visits);
    n_order = 0;
}

static void grains(void)
{
    const char *here = HERE; df_for_with(DF_LOOP_OPTS(.grain = -1), row, 0, N, 0);
    heard(here, "df_loop.grain = -1 ", "negative", "");
    visited(1, N, 1);
    here = HERE; df_for2_with(DF_LOOP_OPTS(.grain = 3, .grain1 = LONG_MIN, .schedule = DF_DYNAMIC), plane, 0, N, 0, N, 0);
    heard(here, "df_loop.grain1 = -", "negative", "");
    visited(N, N, 1);
    here = HERE; df_for3_with(DF_LOOP_OPTS(.grain2 = -7, .schedule = DF_STATIC), space, 0, N, 0, 1, 0, N, 0);
    heard(here, "df_loop.grain2 = -7 ", "negative", "");
    visited(N, N, 1);
    df_for_with(DF_LOOP_OPTS(.grain = LONG_MAX, .grain1 = LONG_MAX, .grain2 = LONG_MAX), row, 0, N, 0);
    visited(1, N, 1);
    here = HERE; df_wavefront_with(DF_LOOP_OPTS(.grain = -2), plane, DF_VECTORS({ 1, 0 }, { 0, 1 }), 0, N, 0, N, 0);
    heard(here, "df_loop.grain = -2 ", "", "");
    visited(N, N, 1);
    here = HERE; df_wavefront_with(DF_LOOP_OPTS(.grain1 = -2), plane, DF_VECTORS({ 0, 0 }), 0, N, 0, N, 0); /* no vectors */
    heard(here, "df_loop.grain1 = -2 ", "", "");
    visited(N, N, 1);
    static const df_loop two_wrong = { .grain = -1, .grain1 = -1 };
    df_for2_with(&two_wrong, plane, 0, 3, 0, 3, 0);
    CHECK(n_said == 2); /* one for each */
    n_said = 0;
    visited(3, 3, 1);
    CHECK(two_wrong.grain == -1);
}
static void schedules(void)
{
    static const int wrong[] = { -1, 4, INT_MAX, INT_MIN };
    for (int k = 0; k < 4; k++) {
        char number[40];
        snprintf(number, sizeof number, "df_loop.schedule = %d ", wrong[k]);
        const char *here = HERE; df_for_with(DF_LOOP_OPTS(.schedule = wrong[k]), row, 0, N, 3);
        heard(here, number, "DF_AUTO", "");
        for (int j = 0; j < N; j++) CHECK(visits[3][j] == 1);
        memset(visits, 0, sizeof visits);
    }
    for (int schedule = DF_AUTO; schedule <= DF_GUIDED; schedule++)
        df_for_with(DF_LOOP_OPTS(.schedule = schedule, .step = -1), row, N - 1, -1, 0);
    silence();
    visited(1, N, 4);
}
static void workers(void)
{
    const char *here = HERE; df_for_with(DF_LOOP_OPTS(.workers = -2), row, 0, N, 3);
    heard(here, "df_loop.workers = -2 ", "all workers", "");
    for (int j = 0; j < N; j++) CHECK(visits[3][j] == 1);
    memset(visits, 0, sizeof visits);
    here = HERE; df_wavefront_with(DF_LOOP_OPTS(.workers = 2), plane, DF_VECTORS({ 1, 0 }), 0, N, 0, N, 0);
    heard(here, "df_loop.workers = 2 of a wavefront", "all workers", "");
    visited(N, N, 1);
    df_wavefront_with(DF_LOOP_OPTS(.workers = 1), plane, DF_VECTORS({ 1, 0 }), 0, N, 0, N, 0);
    for (int i = 0; i < N * N; i++) CHECK(order[i] == i); /* in serial order */
    visited(N, N, 1);
    df_for2_with(DF_LOOP_OPTS(.workers = INT_MAX), plane, 0, N, 0, N, 0);
    silence();
    visited(N, N, 1);
}
DF_LOOP4(everywhere, (int, unused));
void everywhere(long lo, long hi, long lo1, long hi1, long lo2, long hi2, long lo3, long hi3, int unused)
{
    for (long k = lo2; k < hi2; k++)
        for (long l = lo3; l < hi3; l++) plane(lo, hi, lo1 + k + l, hi1 + k + l, unused);
}
/* With the condition !=: a loop that would not end is reported, and does not run. */
DF_LOOP_OVER(int, exact_row, (int, step));
void exact_row(int *lo, int *hi, int step)
{
    for (int *p = lo; p != hi; p += step) __atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
}
static void exact(void)
{
    static const struct { int from, to, step, right; } range[] = {
        { 0, N, 1, 1 }, { 0, N, 4, 1 }, { N - 1, -1, -1, 1 }, { N - 1, -1, -8, 1 }, { 3, 3, 5, 1 }, { 3, 3, -1, 1 },
        { 0, N, 3, 0 }, { 0, N, -1, 0 }, { N, 0, 1, 0 }, { N - 1, 0, -2, 0 }, { 0, 5, 2 * N, 0 },
    };
    for (unsigned k = 0; k < sizeof range / sizeof *range; k++) {
        int from = range[k].from, to = range[k].to, step = range[k].step, *x = visits[1];
        df_loop o = { .step = step, .exact = 1 };
        char text[100];
        snprintf(text, sizeof text, "steps of %d from %d do not reach %d ", step, from, to);
        const char *here = HERE; df_for_with(&o, row_of, from, to, x, step);
        if (!range[k].right) heard(here, "df_loop.exact of loop row_of", text, "in dimension 0: the loop does not run");
        silence();
        for (int i = from; range[k].right && i != to; i += step) x[i]--;
        visited(0, 0, 0);
        snprintf(text, sizeof text, "steps of %d from 0 do not reach %d ", step, to - from);
        here = HERE; df_for_with(&o, exact_row, x + from, x + to, step);
        if (!range[k].right) heard(here, "df_loop.exact of loop exact_row", text, "the loop does not run");
        silence();
        for (int i = from; range[k].right && i != to; i += step) x[i]--;
        visited(0, 0, 0);
    }
    const char *here = HERE; df_for3_with(DF_LOOP_OPTS(.exact = 1, .step2 = 2), space, 0, N, 0, 1, 0, N - 1, 0);
    heard(here, "steps of 2 from 0 do not reach 39 in dimension 2", "", "");
    here = HERE; df_for4_with(DF_LOOP_OPTS(.exact = 1, .step3 = -1), everywhere, 0, N, 0, 1, 0, 1, 0, N, 0);
    heard(here, "steps of -1 from 0 do not reach 40 in dimension 3", "", "");
    here = HERE; df_for_with(DF_LOOP_OPTS(.exact = 1, .unsigned_range = 1), row, -1, 0, 0);
    heard(here, "steps of 1 from -1 do not reach 0 ", "", "");
    here = HERE; df_wavefront_with(DF_LOOP_OPTS(.exact = 1, .step1 = 7), plane, DF_VECTORS({ 1, 0 }), 0, N, 0, N, 0);
    heard(here, "steps of 7 from 0 do not reach 40 in dimension 1", "", "");
    visited(0, 0, 0);
    df_for3_with(DF_LOOP_OPTS(.exact = 1, .step2 = 2), space, 0, 0, 0, 1, 0, N - 1, 0); /* the inner ones do not begin */
    df_for_with(DF_LOOP_OPTS(.exact = 1, .step = LONG_MIN), row_of, 0, LONG_MIN, visits[1], 0);
    silence();
    CHECK(visits[1][0] == 1);
    memset(visits, 0, sizeof visits);
}
static void four(void)
{
    const char *here = HERE; df_for4_with(DF_LOOP_OPTS(.grain3 = -5), everywhere, 0, N, 0, 1, 0, 1, 0, N, 0);
    heard(here, "df_loop.grain3 = -5 ", "negative", "");
    visited(N, N, 1);
    here = HERE; df_wavefront(everywhere, DF_VECTORS({ 1, 0, 0 }), 0, N, 0, N, 0, 1, 0, 1, 0);
    heard(here, "df_wavefront(everywhere, ...)", "4 dimensions", "serial order");
    for (int i = 0; i < N * N; i++) CHECK(order[i] == i);
    visited(N, N, 1);
}
static void vectors(void)
{
    static const struct { df_vector v; const char *text; } wrong[] = {
        { { -1, 0, 0 }, "{-1, 0, 0}" }, { { 0, -1, 0 }, "{0, -1, 0}" }, { { -1, 5, 0 }, "{-1, 5, 0}" },
            { { 0, 0, 1 }, "{0, 0, 1}" },
        { { 1, 0, 1 }, "{1, 0, 1}" }, { { 0, -3, 2 }, "{0, -3, 2}" }, { { LONG_MIN, 1, 0 }, "{-" },
    };
    for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++)
        for (int at = 0; at < 3; at++) {
            df_vector v[5] = { { 1, 0, 0 }, { 1, -1, 0 }, { 0, 2, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };
            memcpy(v[at], wrong[k].v, sizeof v[at]);
            const char *here = HERE; df_wavefront(plane, v, 0, N, 0, N, 0);
            heard(here, wrong[k].text, "plane", "after number 2 must be 0");
            for (int i = 0; i < N * N; i++) CHECK(order[i] == i); /* in serial order */
            visited(N, N, 1);
        }
    const char *here = HERE; df_wavefront(row, DF_VECTORS({ 0, 1 }), 0, N, 0);
    heard(here, "{0, 1, 0}", "row", "after number 1 must be 0");
    here = HERE; df_wavefront(row, DF_VECTORS({ -1 }), 0, N, 1);
    heard(here, "{-1, 0, 0}", "row", "after number 1 must be 0");
    visited(2, N, 1);
    df_wavefront(row, DF_VECTORS({ 1 }, { LONG_MAX }), 0, N, 0);
    df_wavefront(plane, DF_VECTORS({ 1, LONG_MIN }, { 0, LONG_MAX }, { LONG_MAX, LONG_MIN }), 1, N, 0, N, 0);
    df_wavefront(space, DF_VECTORS({ 0, 0, 1 }, { 0, 1, -9 }, { 1, -1, -1 }), 0, 0, 0, N, 0, N, 0);
    silence();
    visited(N, N, 1);
}

/* --- pipes --------------------------------------------------------------------------------------------- */

static long ended, later;
DF_PIPE(three, int);
int three(int stage, int *x, long i, void *ctx)
{
    (void)x, (void)ctx;
    if (i == 100) return DF_PIPE_END;
    if (stage == 2) __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
    return stage == 2 ? (int)DF_PIPE_DONE : df_in_order(stage + 1);
}
static void windows(void)
{
    static const long wrong[] = { -1, LONG_MIN };
    for (int k = 0; k < 2; k++) {
        char number[60];
        snprintf(number, sizeof number, "df_pipe_opts.window = %ld ", wrong[k]);
        ended = 0;
        const char *here = HERE; long n = df_pipe(three, &(df_pipe_opts){ .window = wrong[k] }, NULL);
        heard(here, number, "negative", "");
        CHECK(n == 100 && ended == 100);
    }
    const char *here = HERE; long n = df_pipe(three, DF_PIPE_OPTS(.workers = -2), NULL);
    heard(here, "df_pipe_opts.workers = -2 ", "all workers", "");
    CHECK(n == 100);
    CHECK(df_pipe(three, &(df_pipe_opts){ .window = LONG_MAX }, NULL) == 100);
    CHECK(df_pipe(three, NULL, NULL) == 100);
    silence();
}
typedef struct { char bytes[SIZE_MAX > 0xFFFFFFFFu ? PTRDIFF_MAX / 8 : 0x7FFFFF00]; } enormous;
DF_PIPE(too_large, enormous);
int too_large(int stage, enormous *x, long i, void *ctx)
{
    (void)stage, (void)x, (void)i, (void)ctx;
    CHECK(0);
    return DF_PIPE_END;
}
static void memory(void)
{
    if (TEST_ASAN || TEST_TSAN) return; /* they end the program */
    const char *here = HERE; long n = df_pipe(too_large, &(df_pipe_opts){ .window = 3 }, NULL);
    heard(here, "too_large", "memory", "");
    CHECK(n == DF_ERROR_MEMORY && df_wait_result() == DF_OK);
    silence();
}

/* What stage `from` of item 7 returns is wrong. */
struct wrong_stage { int from, next; };
DF_PIPE(misled, int);
int misled(int stage, int *x, long i, void *ctx)
{
    const struct wrong_stage *w = ctx;
    (void)x;
    if (stage == 0 && i == 100) return DF_PIPE_END;
    if (i == 7) {
        CHECK(stage <= w->from);
        if (stage == w->from) {
            int next = w->next;
            if (df_workers() == 1) CHECK(later == 0);
            return next;
        }
    }
    if (i > 7 && df_workers() == 1) later++;
    if (stage == 9) return DF_PIPE_DONE;
    return stage % 2 ? df_in_order(stage + 3) : df_continue(stage + 3);
}
static void stages(void)
{
    struct { struct wrong_stage w; const char *text, *rule; } wrong[] = {
        { { 0, df_continue(-1) }, "stage 0 of item 7 has a wrong result", "return a stage from 1 to 268435455" },
        { { 0, df_in_order(-1) }, "stage 0 of item 7 has a wrong result", "return a stage from 1 to " },
        { { 0, df_continue(INT_MIN) }, "stage 0 of item 7 has a wrong result", "DF_PIPE_DONE" },
        { { 0, df_in_order(INT_MAX) }, "stage 0 of item 7 has a wrong result", "DF_PIPE_DONE" },
        { { 3, df_continue(DF_PIPE_STAGES) }, "stage 3 of item 7 has a wrong result",
          "return a stage from 3 to 268435455" },
        { { 3, df_in_order(DF_PIPE_STAGES) }, "stage 3 of item 7 has a wrong result", "DF_PIPE_DONE" },
        { { 3, DF_PIPE_STAGES }, "stage 3 of item 7 has a wrong result", "DF_PIPE_DONE" },
        { { 3, INT_MAX }, "stage 3 of item 7 has a wrong result", "DF_PIPE_DONE" },
        { { 3, INT_MIN }, "stage 3 of item 7 has a wrong result", "DF_PIPE_DONE" },
        { { 3, -3 }, "stage 3 of item 7 has a wrong result", "DF_PIPE_DONE" },
        { { 3, -4 }, "stage 3 of item 7 has a wrong result", "DF_PIPE_DONE" },
        { { 3, df_continue(2) }, "stage 3 of item 7 has a wrong result", "return a stage from 3 to 268435455" },
        { { 6, df_in_order(2) }, "stage 6 of item 7 has a wrong result", "return a stage from 7 to 268435455" },
        { { 6, df_in_order(6) }, "stage 6 of item 7 has a wrong result", "return a stage from 7 to 268435455" },
        { { 0, df_in_order(0) }, "stage 0 of item 7 has a wrong result", "return a stage from 1 to 268435455" },
        { { 0, df_continue(0) }, "stage 0 of item 7 has a wrong result", "return a stage from 1 to 268435455" },
        { { 0, 1 << 30 }, "stage 0 of item 7 has a wrong result", "DF_PIPE_DONE" },
    };
    for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++)
        for (long window = 0; window < 3; window++) {
            later = 0;
            const char *here = HERE; long n = df_pipe(misled, &(df_pipe_opts){ .window = window }, &wrong[k].w);
            heard(here, "misled", wrong[k].text, wrong[k].rule);
            CHECK(n >= 8 && n <= 8 + (window ? window : 4 * df_workers()));
            CHECK(later == 0);
            CHECK(df_wait_result() == DF_ERROR_STAGE && strlen(df_error_text(DF_ERROR_STAGE)) > 10);
            silence();
        }
    struct wrong_stage none = { 9, DF_PIPE_DONE };
    CHECK(df_pipe(misled, NULL, &none) == 100 && df_wait_result() == DF_OK);
    silence();
}

static void (*const part[])(void) = { grains, schedules, workers, exact, four, vectors, windows, memory, stages };
enum { PARTS = sizeof part / sizeof *part };
DF_TASK(void, in_task, (int, k));
void in_task(int k) { DF_PARALLEL part[k](); }

int main(void)
{
    static const int workers[] = { 1, 3 };
    for (int w = 0; w < 2; w++) {
        df_config c = { .workers = workers[w], .log = hear };
        for (int k = 0; k < PARTS; k++) {
            alarm(60);
            CHECK(df_start(&c) == DF_OK);
            part[k]();
            df_submit(in_task, k);
            CHECK(df_wait_result() == DF_OK);
            silence();
            CHECK(work_right()); /* all goes on */
            df_stop();
        }
    }
}
