/* words.c - the words of a kernel's body, launches, tasks of a device, data that stays on devices, and variants: with
 * one device, several small ones, and the host
 *
 * Compares with plain C. Prints what is computed, and the choices among variants for a device that is made up. Each of
 * the simulated devices may have as little as 8 KiB. Sizes and seeds are fixed: the arguments are not used. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "../test.h"

enum { N = 300 }; /* 1200 bytes of int */
static int x[N], y[N];

static void begin(void)
{
    for (int i = 0; i < N; i++) x[i] = i * 37 % 101 - 50, y[i] = 7 * i;
}
static void say(const char *what, const int *p, int n)
{
    uint64_t h = 0;
    for (int i = 0; i < n; i++) h = test_mix(h, (uint64_t)p[i]);
    printf("%s %016llx\n", what, (unsigned long long)h);
}

/* --- the language --------------------------------------------------------------------------------------------- */

/* Where an item is: as many numbers as the grid has items, in groups of 8 x 4 x 2. */
DF_KERNEL(places, df_out(int, out, most), (int, most),
{
    const int at = df_global_id(0) + df_global_size(0) * (df_global_id(1) + df_global_size(1) * df_global_id(2));
    int place = 0;
    int d;
    if (at >= most) return;
    for (d = 0; d < 3; d++) {
        place = place * 7 + df_workgroups(d);
        place = place * 7 + df_workgroup_id(d) * df_workgroup_size(d) + df_local_id(d);
        place = place * 7 + df_global_size(d);
    }
    out[at] = place;
})
/* Each group turns its part of x around, by the second half of shared memory. */
DF_KERNEL(turn, df_inout(int, x, n), (int, n),
{
    df_shared(int, both, 2 * df_block(0));
    df_on_shared int *half = both + df_block(0);
    const int me = df_local_id(0);
    const int i = df_global_id(0);
    half[me] = i < n ? x[i] : 1000;
    df_barrier();
    if (i < n) x[i] = half[df_block(0) - 1 - me] + df_workgroup_id(0);
})
/* What all items do in any order: the least and the most, a sum by compare and swap, and a chain of exchanges, which
 * leaves all values but one in c[5], and that one in c[4]. */
DF_KERNEL(atomics, df_in(int, x, n), df_concurrent(int, c, 6), df_concurrent(unsigned, u, 3),
          df_concurrent(float, f, 3), (int, n),
{
    const int i = df_global_id(0);
    int seen;
    int v;
    if (i >= n) return;
    v = x[i];
    df_atomic_add(&c[0], v);
    df_atomic_min(&c[1], v);
    df_atomic_max(&c[2], v);
    seen = 0; /* a guess: a plain read would be a data race on the host */
    do {
        const int old = df_atomic_cas(&c[3], seen, seen + v * v);
        if (old == seen) break;
        seen = old;
    } while (1);
    df_atomic_add(&c[5], df_atomic_exchange(&c[4], v));
    df_atomic_min(&u[0], (unsigned)(v + 60));
    df_atomic_max(&u[1], (unsigned)(v + 60));
    df_atomic_cas(&u[2], 5u, 6u);
    df_atomic_min(&f[0], (float)v / 4);
    df_atomic_max(&f[1], (float)v / 4);
    df_atomic_add(&f[2], df_atomic_exchange(&f[2], 0.0f)); /* an item has it, or it is there */
})
DF_KERNEL(rest, df_inout(int, c, 6), { if (df_global_id(0) == 0) c[5] += c[4]; })

static void language(void)
{
    int sum = 0, squares = 0, least = 10000, most = -10000;
    int c[6] = { 0, 1000, -1000, 0, 0, 0 };
    unsigned u[3] = { 1000, 0, 5 };
    float f[3] = { 1000, -1000, 2.5f };
    begin();
    df_launch(places, df_grid3(10, 7, 3, 8, 4, 2), y, N);
    df_launch(turn, df_grid1(N, 8), x, N);
    df_wait();
    for (int i = 0, size[3] = { 16, 8, 4 }, group[3] = { 8, 4, 2 }; i < N; i++) { /* what the items say */
        int at[3] = { i % 16, i / 16 % 8, i / 128 }, place = 0;
        for (int d = 0; d < 3; d++) place = ((place * 7 + size[d] / group[d]) * 7 + at[d]) * 7 + size[d];
        CHECK(y[i] == place);
    }
    say("places", y, N);
    for (int i = 0; i < N; i++) {
        int other = i / 8 * 8 + 7 - i % 8;
        CHECK(x[i] == (other < N ? other * 37 % 101 - 50 : 1000) + i / 8);
        sum += x[i], squares += x[i] * x[i];
        if (x[i] < least) least = x[i];
        if (x[i] > most) most = x[i];
    }
    say("turned", x, N);
    df_launch(atomics, df_grid1(N, 16), x, c, u, f, N);
    df_launch(rest, df_grid(1), c);
    df_wait();
    CHECK(c[0] == sum && c[1] == least && c[2] == most && c[3] == squares && c[5] == sum);
    CHECK((int)u[0] == least + 60 && (int)u[1] == most + 60 && u[2] == 6);
    CHECK(4 * f[0] == (float)least && 4 * f[1] == (float)most && f[2] == 2.5f);
    printf("atomics %d %d %d %d %d, %u %u %u, %g %g %g\n", c[0], c[1], c[2], c[3], c[5], u[0], u[1], u[2], f[0], f[1],
           f[2]);
}

/* --- tasks of a device, and its properties ------------------------------------------------------------------- */

DF_KERNEL(plus, df_inout(int, x, n), (int, n), (int, by),
{
    int i = df_global_id(0);
    if (i < n) x[i] = (3 * x[i] + by) % 100003;
})
/* Puts work into a queue of a device by other means. The memory of a simulated device is memory of the host; another
 * device has none that plain C can use. */
DF_DEVICE_TASK(mixes, df_in(int, x, n), df_inout(int, y, n), (int, n));
void mixes(df_queue *q, const int *x, int *y, int n)
{
    CHECK(q->device == DF_HOST ? !strcmp(q->kind, "host") && !q->native
                               : q->device >= 1 && q->device <= df_gpu_devices());
    for (int i = 0; i < n; i++) y[i] = (y[i] * 5 + x[n - 1 - i]) % 100003;
}
/* Two bodies: the host's, for all items, and that of an item. */
static void fold_all(df_ndrange grid, int *x, int n, int k)
{
    CHECK(grid.n[0] == n && grid.n[1] == 1);
    for (int i = 0; i < n; i++) x[i] = x[i] * k % 9973 + i;
}
DF_KERNEL_OR(fold_all, fold, df_inout(int, x, n), (int, n), (int, k),
{
    int i = df_global_id(0);
    if (i < n) x[i] = x[i] * k % 9973 + i;
})
/* The rest of a group waits for the items that have ended. */
DF_KERNEL(uneven, df_inout(int, x, n), (int, n),
{
    if (df_local_id(0) == 3) return;
    df_barrier();
    if (df_global_id(0) < n) x[df_global_id(0)] = 0;
})
/* The same by plain C. */
static int want[N], want_y[N];
static void plain_plus(int *p, int by)
{
    for (int i = 0; i < N; i++) p[i] = (3 * p[i] + by) % 100003;
}
static void plain_mixes(const int *p, int *q)
{
    for (int i = 0; i < N; i++) q[i] = (q[i] * 5 + p[N - 1 - i]) % 100003;
}
/* A device for mixes: this one, if plain C can use its memory. */
static int plain(int device)
{
    df_gpu_device info;
    CHECK(df_gpu_info(device == DF_ANY_GPU ? 1 : device, &info) == DF_OK);
    return strcmp(info.kind, "simulated") && strcmp(info.kind, "host") ? DF_HOST : device;
}
static void devices(void)
{
    const int n = df_gpu_devices();
    df_gpu_device info;
    df_kernel_needs needs;
    begin();
    for (int d = 1; d <= n; d++) {
        CHECK(df_gpu_info(d, &info) == DF_OK && info.max_group >= 64 && info.units >= 1 && *info.name);
        CHECK(df_kernel_ask(plus, d, 64, 1, 1, &needs) == DF_OK && needs.max_group >= 64);
    }
    memcpy(want, x, sizeof x), memcpy(want_y, y, sizeof y);
    for (int k = 0; k < 12; k++) {
        plain_plus(want, k), plain_mixes(want, want_y), plain_mixes(want_y, want);
        df_launch_with(DF_OPTS(.device = k % 3 ? 1 + k % n : DF_HOST), plus, df_grid(N), x, N, k);
        df_launch_with(DF_OPTS(.device = k % 5 ? plain(1 + k / 2 % n) : DF_HOST), mixes, x, y, N);
        df_launch_with(DF_OPTS(.device = plain(DF_ANY_GPU)), mixes, y, x, N);
    }
    CHECK(df_wait_result() == DF_OK);
    CHECK(!memcmp(x, want, sizeof x) && !memcmp(y, want_y, sizeof y));
    say("tasks of a device", x, N);
    say("and their results", y, N);
    for (int k = 2; k < 8; k++) {
        const int where = k % 3 ? DF_ANY_DEVICE : k % 2 ? DF_ANY_GPU : DF_HOST;
        df_launch_with(DF_OPTS(.device = where), fold, df_grid(N), x, N, k);
    }
    df_submit(fold, df_grid(N), x, N, 8);
    df_wait();
    for (int k = 2; k <= 8; k++)
        for (int i = 0; i < N; i++) want[i] = want[i] * k % 9973 + i;
    CHECK(!memcmp(x, want, sizeof x));
    say("two bodies", x, N);
    CHECK(df_gpu_info(DF_HOST, &info) == DF_OK && !strcmp(info.kind, "host"));
    printf("host %d %d, %d %d\n", info.max_group, info.max_group_dim[2], (int)df_gpu_info(n + 1, &info),
           (int)df_kernel_ask(plus, n + 1, 64, 1, 1, &needs));
    CHECK(df_gpu_info(n + 1, &info) == DF_ERROR_DEVICE);
    /* a message says why */
    df_launch_with(DF_OPTS(.device = DF_HOST), plus, df_grid(-5), x, N, 1);
    CHECK(df_wait_result() == DF_ERROR_GRID);
    df_launch_with(DF_OPTS(.device = DF_HOST), uneven, df_grid1(16, 8), x, N);
    CHECK(df_wait_result() == DF_ERROR_KERNEL);
    say("not launched", x, N);
}

/* --- data that stays on the devices ----------------------------------------------------------------------------- */

static void data(void)
{
    begin();
    const df_data regions[] = { df_copy(x, N), df_copyin(y, 10), df_create(y, N), df_copyout(x, N / 2) };
    for (int i = 0; i < 4; i++)
        printf("%s %d %d ", regions[i].name, (int)regions[i].bytes, regions[i].p == x);
    printf("\n");
    memcpy(want, x, sizeof x);
    for (int k = 0; k < 4; k++) plain_plus(want, k), plain_mixes(y, want);
    DF_DATA_REGION(df_copy(x, N), df_copyin(y, N)) {
        for (int k = 0; k < 4; k++) {
            df_launch(plus, df_grid(N), x, N, k);
            df_launch_with(DF_OPTS(.device = plain(DF_ANY_GPU)), mixes, y, x, N);
            df_wait(); /* copies nothing */
        }
    }
    CHECK(!memcmp(x, want, sizeof x));
    say("region", x, N);
    /* held twice, and from one wait to the next */
    CHECK(df_gpu_hold(x, sizeof x) == DF_OK && df_gpu_hold(x, sizeof x) == DF_OK);
    for (int k = 0; k < 4; k++) {
        df_launch(plus, df_grid1(N, 32), x, N, k);
        df_wait();
        if (k == 1) df_gpu_release(x, sizeof x);
        plain_plus(want, k);
    }
    df_gpu_release(x, sizeof x);
    CHECK(!memcmp(x, want, sizeof x));
    say("held", x, N);
    df_gpu_release(x, sizeof x); /* it is not held: no effect */
    for (int i = 0; i < N; i++) x[i] -= i; /* the host's again */
    df_launch(plus, df_grid(N), x, N, 9);
    df_wait();
    say("released", x, N);
}

/* --- variants --------------------------------------------------------------------------------------------------- */

/* Four results for an item, or one: out = 2 x + 1, however often. */
DF_KERNEL(by_four, df_in(int, x, n), df_out(int, out, n), (int, n),
{
    int k;
    for (k = 0; k < 4; k++) {
        int i = (df_workgroup_id(0) * 4 + k) * df_workgroup_size(0) + df_local_id(0);
        if (i < n) out[i] = 2 * x[i] + 1;
    }
})
DF_KERNEL(by_one, df_in(int, x, n), df_out(int, out, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) out[i] = 2 * x[i] + 1;
})
static int few(df_candidate *c) { return df_at_most(c, c->n[0] / c->per_item[0], 64); }
static size_t half_of_it(const df_candidate *c) { return (size_t)(8 * c->group[0]); }
DF_VARIANTS(doubles, (by_four, .groups = { { 64 }, { 16 } }, .per_item = { 4 }, .fits = few),
            (by_one, .groups = { { 32 } }, .shared = half_of_it), by_one);

static void chosen(const df_gpu_device *limits, long n)
{
    df_pick p = df_kernel_pick(doubles, df_grid(n), DF_PICK_OPTS(.limits = limits));
    const df_variant *v = p.variant;
    int sizes = 0;
    while (sizes < DF_VARIANT_GROUPS && v->groups[sizes][0]) sizes++;
    printf("%ld: variant %d of %s, %d sizes, %d per item; %ld items in groups of %d\n", n, p.index, p.name, sizes,
           v->per_item[0], p.grid.n[0], p.grid.group[0]);
}
static void launches(const df_pick *p, void *calls)
{
    df_launch_picked(doubles, p, x, y, N);
    ++*(int *)calls;
}
static void variants(void)
{
    const df_pick_opts on_first = { .device = 1, .again = 1 };
    df_gpu_device made_up;
    char text[2000];
    int calls = 0;
    df_pick p;
    memset(&made_up, 0, sizeof made_up);
    strcpy(made_up.name, "made up"), strcpy(made_up.kind, "test");
    made_up.max_group = 32, made_up.max_shared = 256, made_up.registers = 1 << 16, made_up.warp = 8;
    for (int d = 0; d < 3; d++) made_up.max_group_dim[d] = 32, made_up.max_groups[d] = 1000;
    chosen(&made_up, 200);
    chosen(&made_up, 300);
    made_up.max_group = 64, made_up.max_group_dim[0] = 64, made_up.warp = 16;
    chosen(&made_up, 200);
    made_up.max_shared = 255, made_up.warp = 32;
    chosen(&made_up, 300);
    CHECK(df_kernel_explain(doubles, df_grid(300), DF_PICK_OPTS(.limits = &made_up), text, sizeof text) < sizeof text);
    printf("%s", text);

    begin();
    df_launch_best_with(DF_OPTS(.device = DF_HOST, .name = "doubled"), doubles, df_grid(N), x, y, N);
    df_launch_best_with(NULL, doubles, df_grid(N), y, x, N);
    df_launch_best(doubles, df_grid(N - 100), x, y, N - 100);
    df_wait();
    for (int i = 0; i < N; i++) {
        CHECK(x[i] == 4 * (i * 37 % 101 - 50) + 3);
        CHECK(y[i] == (i < N - 100 ? 2 * x[i] + 1 : 2 * (i * 37 % 101 - 50) + 1));
    }
    say("best", x, N);
    say("best of some", y, N);
    p = df_kernel_pick(doubles, df_grid(N), &on_first);
    df_launch_picked(doubles, &p, y, x, N);
    df_wait();
    for (int i = 0; i < N; i++) CHECK(x[i] == 2 * y[i] + 1);
    say("picked", x, N);
    /* each candidate is launched at least twice; the fastest is then chosen, whichever it is */
    CHECK(df_tune_by(doubles, DF_PICK_OPTS(.repeat = 1), df_grid(N), launches, &calls) == DF_OK && calls >= 4);
    begin();
    df_launch_best(doubles, df_grid(N), x, y, N);
    df_wait();
    for (int i = 0; i < N; i++) CHECK(y[i] == 2 * x[i] + 1);
    say("tuned", y, N);
}

int main(void)
{
    language();
    devices();
    data();
    variants();
    return 0;
}
