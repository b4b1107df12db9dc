/* Blocks, lists and descriptions of df_gpu.h: data regions, distributions, variants; and the words of a kernel's body
 * that gpu_words.c lacks; valid C11 and C++11.
 *
 * Compiled by tests/compile/run in every language and at every level of optimisation; run once per compiler: prints
 * nothing and returns 0 when each did what it says, on the host and on a simulated device. */
#define DF_IMPLEMENTATION
#include "../../df_gpu.h"

#include <stdio.h>

enum { N = 240 };
static float a[N], b[N], c[N], d[N];
static int wrong; /* line of the first check that failed */
#define CHECK(x) do { if (!(x) && !wrong) wrong = __LINE__; } while (0)

DF_KERNEL(copy_plus, df_in(float, x, n), df_out(float, y, n), (int, n), (float, by),
{
    int i = df_global_id(0);
    if (i < n) y[i] = x[i] + by;
})
DF_KERNEL(plus, df_inout(float, x, n), (int, n), (float, by),
{
    int i = df_global_id(0);
    if (i < n) x[i] += by;
})
DF_KERNEL(plus_by_groups, df_inout(float, x, n), (int, n), (float, by),
{
    int i = df_workgroup_id(0) * df_workgroup_size(0) + df_local_id(0);
    for (; i < n; i += df_global_size(0)) x[i] += by * (float)(df_workgroups(0) > 0);
})
DF_KERNEL(counts, df_inout(int, x, 5), (int, n),
{
    df_on_global int *all = x;
    if (df_global_id(0) >= n) return;
    df_atomic_add(&all[0], 1);
    df_atomic_min(&all[1], -3);
    df_atomic_max(&all[2], 9);
    df_atomic_exchange(&all[3], 4);
    df_atomic_cas(&all[4], 0, 6);
})

static void fill(float by)
{
    for (int i = 0; i < N; i++) a[i] = by, b[i] = c[i] = d[i] = 0;
}
static int all_are(const float *x, float value)
{
    for (int i = 0; i < N; i++)
        if (x[i] < value - 0.25f || x[i] > value + 0.25f) return 0;
    return 1;
}

/* --- data regions ------------------------------------------------------------------------------------- */

#if DFI_GNU || defined(__cplusplus) /* elsewhere a block ends at its brace only */
#define LEAVES(how) how
#else
#define LEAVES(how)
#endif
static int left_by_return(void)
{
    DF_DATA_REGION(df_copy(a, N)) {
        df_launch(plus, df_grid(N), a, N, 1);
        LEAVES(return 1;)
    }
    return 1;
}

static void regions(void)
{
    const int n = N;
    fill(1);
    DF_DATA_REGION(df_copyin(a, n), df_create(b, n), df_copyout(c, n), df_copy(d, n)) {
        df_launch(copy_plus, df_grid(N), a, b, N, 1);
        df_wait();
        df_launch(copy_plus, df_grid(N), b, c, N, 1);
        df_launch(plus, df_grid(N), d, N, 7);
    }
    CHECK(all_are(a, 1) && all_are(c, 3) && all_are(d, 7));
    DF_DATA_REGION(df_copy(&a[0], sizeof a / sizeof *a)) df_launch(plus, df_grid(N), a, N, 1); /* without braces */
    CHECK(all_are(a, 2));
    CHECK(left_by_return() && all_are(a, 3));
    DF_DATA_REGION(df_copy(a, N)) {
        DF_DATA_REGION(df_copyin(a, N), df_copyout(b, N)) {
            df_launch(copy_plus, df_grid(N), a, b, N, 1);
            LEAVES(if (n) break; CHECK(0);)
        }
        for (int i = 0; i < 4; i++) {
            if (i == 2) continue; /* of the loop */
            df_launch(plus, df_grid(N), a, N, 1);
        }
    }
    CHECK(all_are(a, 6) && all_are(b, 4));
    for (int i = 0; i < 3; i++) {
        DF_DATA_REGION_ASYNC(i, df_create(b, N), df_copyout(c, N), df_copyin(a, N)) {
            df_launch(copy_plus, df_grid(N), a, b, N, 1);
            df_launch(copy_plus, df_grid(N), b, c, N, (float)i);
        }
    }
    DF_DATA_REGION_ASYNC(n > 0 ? 7 : 8, df_copy(d, N)) df_launch(plus, df_grid(N), d, N, 1);
    df_data_wait(7);
    CHECK(all_are(d, 8));
    df_data_wait(2);
    CHECK(all_are(c, 9));
    df_data_wait(0), df_data_wait(1);
    if (wrong) return;
    CHECK(df_gpu_hold(d, sizeof d) == DF_OK);
    df_launch(plus, df_grid(N), d, N, 1);
    df_gpu_release(d, sizeof d);
    CHECK(df_wait_result() == DF_OK && all_are(d, 9));
}

#if defined(__cplusplus) && DFI_EXCEPTIONS
DF_TASK(void, throws, df_in(float, after, N), df_out(float, x, 1), (int, code));
void throws(const float *after, float *x, int code) { *x = after[0], throw code; }

static void exceptions()
{
    int caught = 0;
    fill(1);
    for (int how = 0; how < 3; how++) {
        try {
            DF_DATA_REGION(df_copy(a, N)) {
                df_launch(plus, df_grid(N), a, N, 1);
                if (how == 0) throw 100;
                df_submit(throws, a, b, how);
            }
        } catch (int code) {
            caught += code;
        }
        CHECK(all_are(a, (float)(how + 2)));
    }
    try {
        DF_DATA_REGION_ASYNC(5, df_copy(a, N)) {
            df_launch(plus, df_grid(N), a, N, 1);
            throw 1000;
        }
    } catch (int code) {
        caught += code;
    }
    df_data_wait(5);
    CHECK(caught == 1103 && all_are(a, 5));
    try {
        DF_DATA_REGION_ASYNC(5, df_copy(b, N)) df_submit(throws, a, b, 3);
        df_wait();
        CHECK(0);
    } catch (int code) {
        CHECK(code == 3);
    }
    df_data_wait(5);
}
#else
static void exceptions(void) { }
#endif

/* --- distributions ---------------------------------------------------------------------------------------- */

#if defined(__GNUC__) && defined(__cplusplus) /* also of fields after a designator */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
static void parts(void)
{
    df_dist_desc lines;
    df_dist *u, *v;
    long from = 0, to = 0, count = 0;
    int arrangement[2] = { 0, 1 };
    memset((void *)&lines, 0, sizeof lines);
    lines.memory = a, lines.element = sizeof *a, lines.dim[0].size = N, lines.dim[0].split = DF_BLOCK(0);
    lines.dim[0].halo[0] = lines.dim[0].halo[1] = 1, lines.dim[0].edge[0] = lines.dim[0].edge[1] = DF_EDGE_PERIODIC;
    fill(2);
    CHECK((u = df_dist_new(&lines)) != NULL && df_dist_parts(u) >= 1 && df_dist_part(u, 0) == df_dist_next(u, NULL));
    CHECK(df_dist_scatter(u) == DF_OK && df_halo_exchange(u) == DF_OK);
    CHECK(df_halo_update(u, DF_LEFT) == DF_OK && df_halo_update(u, DF_RIGHT & DF_DIM(0)) == DF_OK);
    DF_FOR_PARTS(p, u)
        df_launch_with(DF_OPTS(.device = p->device), plus, df_grid((long)p->elements), (float *)p->data,
                       (int)p->elements, 3);
    CHECK(df_dist_gather(u) == DF_OK && df_wait_result() == DF_OK && all_are(a, 5));
    DF_FOR_PARTS(p, u) {
        count += df_dist_range(p, 0, 0, N, &from, &to);
        CHECK(df_dist_global(p, 0, from) == p->lo[0] && df_dist_local(p, 0, p->lo[0]) == p->first[0]);
    }
    CHECK(count == N && df_dist_arrange(3, 2, arrangement) == 3 && arrangement[0] == 3);
    df_dist_free(u);
#if !defined(__cplusplus) || __cplusplus > 201703L
    v = df_dist_new(DF_DIST(.memory = b, .element = sizeof *b, .dim = {{ .size = 24, .split = DF_CYCLIC(2) },
                                                                       { .size = N / 24, .split = DF_DUPLICATE }}));
#else
    v = df_dist_new(DF_DIST(b, sizeof *b, 2, {{ 24, 0, 0, DF_CYCLIC(2), 0, { 0, 0 }, { 0, 0 } },
                                              { N / 24, 0, 0, DF_DUPLICATE, 0, { 0, 0 }, { 0, 0 } }, {}}, { 0, 0, 0 },
                            NULL, 0, 0, 0));
#endif
    CHECK(v != NULL && df_dist_scatter(v) == DF_OK && df_wait_result() == DF_OK);
    df_dist_free(v);
}

/* --- variants ------------------------------------------------------------------------------------------------- */

static int enough(df_candidate *cand) { return df_at_most(cand, cand->n[0] - 1, N); }
DF_VARIANTS(only_names, plus_by_groups, (plus));
DF_VARIANTS(with_fields, (plus, { { 64, 1, 1 }, { 16 } }, { 1, 1, 1 }, 8, NULL, enough), (plus_by_groups));

static void launch_it(const df_pick *p, void *x)
{
    df_launch_picked(with_fields, p, (float *)x, N, 0);
}

static void variants(void)
{
    df_kernel_needs needs;
    df_pick pick;
    char text[100];
    fill(1);
    df_launch_best(only_names, df_grid(N), a, N, 1);
    df_launch_best_with(DF_OPTS(.priority = 1), with_fields, df_grid(N), a, N, 2);
    pick = df_kernel_pick(with_fields, df_grid(N), DF_PICK_OPTS(.device = DF_HOST, .again = 1));
    CHECK(pick.index == 0 && pick.variant != NULL);
    df_launch_picked(with_fields, &pick, a, N, 3);
    CHECK(df_kernel_explain(only_names, df_grid(N), NULL, text, sizeof text) > 10);
    CHECK(df_kernel_ask(plus, DF_HOST, 16, 1, 1, &needs) == DF_OK && needs.max_group > 0);
    CHECK(df_wait_result() == DF_OK && all_are(a, 7));
    CHECK(df_tune(with_fields, DF_PICK_OPTS(.repeat = 1), df_grid(N), a, N, 5) == DF_OK && all_are(a, 7));
    CHECK(df_tune_by(with_fields, DF_PICK_OPTS(.repeat = 1), df_grid(N), launch_it, a) == DF_OK);
}

int main(void)
{
    int numbers[5] = { 0, 0, 0, 0, 0 };
    df_gpu_device info;
    CHECK(df_gpu_devices() >= 1 && df_gpu_info(1, &info) == DF_OK);
    regions();
    exceptions();
    parts();
    variants();
    df_launch(counts, df_grid(5), numbers, 5);
    df_wait();
    CHECK(numbers[0] == 5 && numbers[1] == -3 && numbers[2] == 9 && numbers[3] == 4 && numbers[4] == 6);
    df_stop();
    if (wrong) fprintf(stderr, "gpu_blocks.c:%d: not so\n", wrong);
    return wrong != 0;
}
