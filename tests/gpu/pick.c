/* Variants of kernels: the case distinctions of MetaFork (thesis, 7.4) at every boundary, with invented limits; the
 * explanations; the cache of choices; measurements, and their file. */
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "../test.h"
#include "kept.h"

int setenv(const char *name, const char *value, int overwrite); /* of POSIX, which -std=c11 hides */

/* --- the six examples: case 1 with df_shared and 4 results per item, case 2 with df_shared, case 3 without -------- */

DF_KERNEL(case1, df_inout(int, x, n), (int, n),
{
    int k;
    for (k = 0; k < 4; k++) {
        int i = (df_workgroup_id(0) * 4 + k) * df_workgroup_size(0) + df_local_id(0);
        if (i < n) x[i] += 1;
    }
})
DF_KERNEL(case2, df_inout(int, x, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) x[i] += 1;
})
DF_KERNEL(case3, df_inout(int, x, n), (int, n),
{
    int i = df_global_id(0);
    if (i < n) x[i] += 1;
})

enum { WORD = 4 };
static int s_of(const df_candidate *c) { return c->per_item[0]; }
static int least(int a, int b) { return a < b ? a : b; }
static size_t words(int n) { return (size_t)n * WORD; }
/* b: the group in the first dimension, b1 in it and b0 in the second one */
static size_t reversal_words(const df_candidate *c) { return words(2 * s_of(c) * c->group[0]); }
static size_t matvec_words(const df_candidate *c)
{
    int b = c->group[0], s = s_of(c); return words(s * b * b + s * b + b);
}
static size_t jacobi_words(const df_candidate *c) { return words(2 * s_of(c) * c->group[0] + 2); }
static size_t matadd_words(const df_candidate *c) { return words(3 * s_of(c) * c->group[0] * c->group[1]); }
static size_t transpose_words(const df_candidate *c) { return words(2 * s_of(c) * c->group[0] * c->group[1]); }
static size_t matmul_words(const df_candidate *c)
{
    int b1 = c->group[0], b0 = c->group[1], b = least(b0, b1), s = s_of(c);
    return words(s * b0 * b1 + s * b * b1 + b0 * b);
}
#define CASES(list, b0, r1, r2)                                                                                 \
    DF_VARIANTS(list,                                                                                           \
        (case1, .groups = { { b0 } }, .per_item = { 4 }, .registers = r1, .shared = list##_words),              \
        (case2, .groups = { { b0 } }, .registers = r2, .shared = list##_words),                                 \
        (case3, .groups = { { b0 } }, .registers = r2))
#define CASES2(list, r1, r2)                                                                                    \
    DF_VARIANTS(list,                                                                                           \
        (case1, .groups = { { 8, 16 } }, .per_item = { 4 }, .registers = r1, .shared = list##_words),           \
        (case2, .groups = { { 8, 16 } }, .registers = r2, .shared = list##_words),                              \
        (case3, .groups = { { 8, 16 } }, .registers = r2))
CASES(reversal, 32, 4, 3);
CASES(matvec, 32, 8, 7);
CASES(jacobi, 32, 9, 9);
CASES2(matadd, 7, 6);
CASES2(transpose, 6, 5);
CASES2(matmul, 9, 8);

/* What the table says, in words and registers per item, with B = 32, or B0 = 16 and B1 = 8, and s = 4. */
struct example { struct dfi_variants *list; int items, words1, words2, registers1, registers2; };
static const struct example example[] = {
    { &reversal_dfi_variants, 32, 256, 64, 4, 3 },
    { &matvec_dfi_variants, 32, 4256, 1088, 8, 7 },
    { &jacobi_dfi_variants, 32, 258, 66, 9, 9 },
    { &matadd_dfi_variants, 128, 1536, 384, 7, 6 },
    { &transpose_dfi_variants, 128, 1024, 256, 6, 5 },
    { &matmul_dfi_variants, 128, 896, 320, 9, 8 },
};
enum { EXAMPLES = sizeof example / sizeof *example };

static df_gpu_device roomy(void)
{
    df_gpu_device d;
    int i;
    memset(&d, 0, sizeof d);
    strcpy(d.name, "made up");
    strcpy(d.kind, "test");
    d.max_group = 1024;
    for (i = 0; i < 3; i++) d.max_group_dim[i] = 1024, d.max_groups[i] = 1 << 30;
    d.max_shared = 1 << 20;
    d.registers = 1 << 16;
    d.warp = 32;
    return d;
}

static df_pick pick_on(struct dfi_variants *list, const df_gpu_device *d, df_ndrange n)
{
    df_pick_opts o = { 0 };
    o.limits = d;
    return dfi_kernel_pick(list, n, &o);
}

/* bytes of df_shared, and registers of the whole group */
static void check_case(const struct example *e, size_t bytes, int registers)
{
    df_gpu_device d = roomy();
    df_pick p;
    int per_item = registers / e->items, expect, fits;
    if (registers < 1) return; /* 0: not known */
    d.max_shared = bytes, d.registers = registers;
    p = pick_on(e->list, &d, df_grid2(1000, 1000, 0, 0));
    if (bytes >= (size_t)e->words1 * WORD && per_item >= e->registers1) expect = 0;
    else if (bytes >= (size_t)e->words2 * WORD && per_item >= e->registers2) expect = 1;
    else expect = 2;
    fits = per_item >= e->registers2;
    if (p.index != expect)
        fprintf(stderr, "%s: %lu bytes, %d registers\n", e->list->name, (unsigned long)bytes, registers);
    CHECK(p.index == expect);
    CHECK(p.grid.n[0] == (expect ? 1000 : 250) && p.grid.n[1] == 1000);
    /* the last: df decides */
    CHECK(fits ? p.grid.group[0] * p.grid.group[1] == e->items : !p.grid.group[0] && !p.grid.group[1]);
}

static void test_cases(void)
{
    int i, z, r, dz, dr;
    for (i = 0; i < EXAMPLES; i++) {
        const struct example *e = &example[i];
        const int w[] = { 0, e->words2, (e->words1 + e->words2) / 2, e->words1, 4 * e->words1 };
        const int g[] = { 1, e->registers2, e->registers1, 2 * e->registers1 };
        for (z = 0; z < 5; z++)
            for (r = 0; r < 4; r++)
                for (dz = -1; dz <= 1; dz++)
                    for (dr = -1; dr <= 1; dr++) {
                        long bytes = (long)w[z] * WORD + dz;
                        if (bytes >= 0) check_case(e, (size_t)bytes, g[r] * e->items + dr);
                        bytes = ((long)w[z] + dz) * WORD;
                        if (bytes >= 0) check_case(e, (size_t)bytes, (g[r] + dr) * e->items);
                    }
    }
    /* the hole of the printed case distinction: room for case 1, registers for cases 2 and 3 only */
    {
        df_gpu_device d = roomy();
        d.max_shared = 256 * WORD, d.registers = 3 * 32;
        CHECK(pick_on(&reversal_dfi_variants, &d, df_grid(1000)).index == 1);
    }
}

/* --- what is said ---------------------------------------------------------------------------------------------- */

static char said[4000];
static const char *explain(struct dfi_variants *list, const df_pick_opts *o, df_ndrange n)
{
    size_t length = dfi_kernel_explain(list, n, o, said, sizeof said), i;
    char few[16];
    CHECK(length == strlen(said));
    for (i = 0; i < sizeof few; i++) { /* with too little room, too */
        memset(few, 'x', sizeof few);
        CHECK(dfi_kernel_explain(list, n, o, few, i) == length);
        CHECK(!i || (!strncmp(few, said, i - 1) && !few[length < i ? length : i - 1]));
        CHECK(few[i] == 'x');
    }
    return said;
}
static int says(const char *what) { return strstr(said, what) != NULL; }

static void test_explain(void)
{
    df_gpu_device d = roomy();
    df_pick_opts o = { 0 };
    o.limits = &d;
    explain(&reversal_dfi_variants, &o, df_grid(1000));
    CHECK(says("reversal, 1000 results on made up (test)\n"));
    CHECK(says("case1, groups of 32, 4 results per item: taken [(1)(3a)(4a)]\n") && !says("case2"));
    d.max_shared = 1023;
    explain(&reversal_dfi_variants, &o, df_grid(1000));
    CHECK(says("case1, groups of 32, 4 results per item: refused: 1024 bytes of df_shared > 1023 that a group can have\n"));
    CHECK(says("case2, groups of 32: taken [(1)(3b)(4a)]\n") && !says("case3"));
    d.max_shared = 255, d.registers = 127;
    explain(&reversal_dfi_variants, &o, df_grid(1000));
    CHECK(says("case2, groups of 32: refused: 256 bytes of df_shared > 255 that"));
    CHECK(says("case3, groups of 32: taken [(1)(3b)(4b)]\n"));
    d.max_shared = 1 << 20;
    explain(&reversal_dfi_variants, &o, df_grid(1000));
    CHECK(says("case1, groups of 32, 4 results per item: refused: 4 registers x 32 items = 128 > 127 registers of the device\n"));
    CHECK(says("case2, groups of 32: taken [(1)(3b)(4a)]\n"));
    d.registers = 95;
    explain(&reversal_dfi_variants, &o, df_grid(1000));
    CHECK(says("case3, groups of 32: refused: 3 registers x 32 items = 96 > 95"));
    CHECK(says("case3, groups of 256: taken, as none fits and it is the last\n"));
    explain(&matadd_dfi_variants, NULL, df_grid3(10, 20, 30, 0, 0, 0));
    CHECK(says("matadd, 10 x 20 x 30 results on "));
}

/* --- the other limits ------------------------------------------------------------------------------------------- */

static int asked, allowed; /* predicates: how often; the largest group they let pass */
static int counts(df_candidate *c)
{
    asked++;
    return df_at_most(c, c->group[0], allowed);
}
static int silent(df_candidate *c) { return c->group[0] == 7; }
static int no_spills(df_candidate *c) { return df_at_most(c, c->needs.spilled, 0); }
static df_kernel_needs needs;
static int compiles, compilations;
static int needs_of(const df_candidate *c, df_kernel_needs *n)
{
    (void)c;
    compilations++;
    *n = needs;
    return compiles;
}
DF_VARIANTS(sizes, (case2, .groups = { { 512 }, { 256 }, { 64, 4 }, { 32 } }), (case3, .groups = { { 1 } }));
DF_VARIANTS(counted, (case2, .groups = { { 512 }, { 256 }, { 32 } }, .fits = counts),
            (case3, .groups = { { 16 } }, .fits = counts), case1);
DF_VARIANTS(mute, (case2, .groups = { { 8 } }, .fits = silent), case3);
DF_VARIANTS(spilling, (case2, .groups = { { 8 } }, .fits = no_spills, .registers = 5, .shared = reversal_words), case3);

static void test_limits(void)
{
    df_gpu_device d = roomy();
    df_pick_opts o = { 0 };
    df_pick p;
    o.limits = &d;
    CHECK(pick_on(&sizes_dfi_variants, &d, df_grid(100000)).grid.group[0] == 512);
    d.max_group = 512;
    CHECK(pick_on(&sizes_dfi_variants, &d, df_grid(100000)).grid.group[0] == 512);
    d.max_group = 511;
    CHECK(pick_on(&sizes_dfi_variants, &d, df_grid(100000)).grid.group[0] == 256);
    explain(&sizes_dfi_variants, &o, df_grid(100000));
    CHECK(says("case2, groups of 512: refused: 512 items > 511 that a group can have\n"));
    d.max_group_dim[0] = 255;
    p = pick_on(&sizes_dfi_variants, &d, df_grid(100000));
    CHECK(p.grid.group[0] == 64 && p.grid.group[1] == 4 && p.grid.group[2] == 1);
    explain(&sizes_dfi_variants, &o, df_grid(100000));
    CHECK(says("refused: 256 items > 255 that a group can have in x\n"));
    d.max_group_dim[1] = 3;
    CHECK(pick_on(&sizes_dfi_variants, &d, df_grid(100000)).grid.group[0] == 32);
    d = roomy();
    d.max_groups[0] = 391; /* 391 groups of 256 are 100096 */
    CHECK(pick_on(&sizes_dfi_variants, &d, df_grid(100000)).grid.group[0] == 512);
    d.max_group = 256;
    CHECK(pick_on(&sizes_dfi_variants, &d, df_grid(100000)).grid.group[0] == 256);
    d.max_groups[0] = 390;
    o.again = 1;
    explain(&sizes_dfi_variants, &o, df_grid(100000));
    CHECK(says("case2, groups of 256: refused: 391 groups > 390 that the device can have in x\n") &&
          says("as none fits"));
    o.again = 0;

    d = roomy();
    explain(&mute_dfi_variants, &o, df_grid(100000));
    CHECK(says("case2, groups of 8: refused: its own condition is not met\n"));
    /* the compiler's figures are added to the estimate */
    o.needs = needs_of;
    compiles = 1;
    needs.registers = 10, needs.max_group = 8, needs.shared = 100, needs.spilled = 0;
    CHECK(dfi_kernel_pick(&spilling_dfi_variants, df_grid(10), &o).index == 0);
    needs.spilled = 1;
    d.max_shared = 99999;
    explain(&spilling_dfi_variants, &o, df_grid(10));
    CHECK(says("case2, groups of 8: refused: c->needs.spilled = 1 > 0 = 0\n") &&
          says("case3, groups of 256: refused: 256 items > 8 that the compiled"));
    needs.spilled = 0, needs.max_group = 7;
    d.max_shared = 99998;
    explain(&spilling_dfi_variants, &o, df_grid(10));
    CHECK(says("case2, groups of 8: refused: 8 items > 7 that the compiled kernel leaves room for in a group, with 10 registers each\n"));
    needs.max_group = 1024, needs.shared = 99998;
    d.max_shared = 99997;
    explain(&spilling_dfi_variants, &o, df_grid(10));
    CHECK(says("refused: 99998 bytes of df_shared > 99997 that"));
    needs.shared = 0, needs.registers = 1 << 14;
    d.max_shared = 99996;
    explain(&spilling_dfi_variants, &o, df_grid(10));
    CHECK(says("refused: 16384 registers x 8 items = 131072 > 65536"));
    compiles = 0;
    d.max_shared = 99995;
    explain(&spilling_dfi_variants, &o, df_grid(10));
    CHECK(says("refused: it does not compile for the device\n"));
    compilations = 0; /* what does not fit anyway is not compiled */
    d.registers = 39;
    compiles = 1, needs.registers = 0, needs.max_group = 1024;
    CHECK(dfi_kernel_pick(&spilling_dfi_variants, df_grid(10), &o).index == 1 && compilations == 1);
}

/* --- what is remembered ------------------------------------------------------------------------------------------- */

static void test_memory(void)
{
    df_gpu_device d = roomy();
    df_pick_opts o = { 0 };
    int i, before;
    o.limits = &d;
    allowed = 256;
    asked = 0;
    CHECK(df_kernel_pick(counted, df_grid(4096), &o).grid.group[0] == 256 && asked == 2);
    allowed = 32; /* is not examined: 2049 to 4096 are one class */
    CHECK(df_kernel_pick(counted, df_grid(2049), &o).grid.group[0] == 256 &&
          df_kernel_pick(counted, df_grid(4000), &o).grid.n[0] == 4000);
    CHECK(asked == 2);
    CHECK(df_kernel_pick(counted, df_grid(4097), &o).grid.group[0] == 32 && asked == 5);
    CHECK(df_kernel_pick(counted, df_grid(2048), &o).grid.group[0] == 32 && asked == 8);
    CHECK(df_kernel_pick(counted, df_grid2(4096, 2, 0, 0), &o).grid.group[0] == 32 && asked == 11);
    o.again = 1;
    CHECK(df_kernel_pick(counted, df_grid(4096), &o).grid.group[0] == 32 && asked == 14);
    o.again = 0;
    d.warp = 64; /* another device */
    allowed = 16;
    CHECK(df_kernel_pick(counted, df_grid(4096), &o).index == 1 && asked == 18);
    d.warp = 32;
    CHECK(df_kernel_pick(counted, df_grid(4096), &o).grid.group[0] == 32 && asked == 18);
    allowed = 15; /* nothing fits but what has no condition */
    d.warp = 1;
    CHECK(df_kernel_pick(counted, df_grid(4096), &o).index == 2 &&
          df_kernel_pick(counted, df_grid(4096), &o).index == 2);
    before = asked; /* more of them than there is room for */
    for (i = 100; i < 300; i++) {
        d.warp = i;
        CHECK(df_kernel_pick(counted, df_grid(4096), &o).index == 2);
    }
    CHECK(asked > before);
    before = asked;
    for (i = 299; i > 290; i--) {
        d.warp = i;
        CHECK(df_kernel_pick(counted, df_grid(4096), &o).index == 2);
    }
    CHECK(asked == before);
}

/* --- launches, on the devices that are there ---------------------------------------------------------------------- */

DF_KERNEL(slow, df_inout(int, x, n), (int, n),
{
    int i = df_global_id(0);
    unsigned k;
    unsigned sum = 0;
    for (k = 0; k < 3000; k++) sum ^= sum * 5 + k;
    if (i < n) x[i] += sum == 12345 ? 2 : 1;
})
DF_VARIANTS(speed, (slow, .groups = { { 64 }, { 32 } }), (case1, .groups = { { 64 } }, .per_item = { 4 }), case2);
DF_VARIANTS(again, (slow, .groups = { { 64 }, { 32 } }), (case1, .groups = { { 64 } }, .per_item = { 4 }), case2);

static int x[10000];
static void test_launches(void)
{
    df_opts in_front = { 0 };
    df_kernel_needs k;
    df_pick p;
    int i, n;
    for (n = 1; n <= 10000; n += n < 5 ? 1 : 1999) {
        for (i = 0; i < 10000; i++) x[i] = i;
        df_launch_best(sizes, df_grid(n), x, n);
        in_front.device = DF_HOST;
        df_launch_best_with(&in_front, reversal, df_grid(n), x, n);
        p = df_kernel_pick(speed, df_grid(n), NULL);
        CHECK(p.index == 0 && !strcmp(p.name, "slow") && p.variant->groups[0][0] == 64);
        p.opts.name = "mine";
        df_launch_picked(speed, &p, x, n);
        df_wait();
        for (i = 0; i < 10000; i++) CHECK(x[i] == i + (i < n ? 3 : 0));
    }
    CHECK(df_kernel_ask(case2, 1, 64, 1, 1, &k) == DF_OK && k.max_group >= 64);
    CHECK(df_kernel_ask(case2, DF_HOST, 0, 0, 0, &k) == DF_OK && k.max_group >= 64);
    CHECK(df_kernel_ask(case2, 99, 64, 1, 1, &k) == DF_ERROR_DEVICE);
}

static void try_one(const df_pick *p, void *arg)
{
    df_launch_picked(again, p, x, 3000);
    ++*(int *)arg;
}

static void test_tune(void)
{
    df_pick_opts few = { 0 };
    df_pick p;
    int i, calls = 0;
    few.repeat = 3;
    remove(file);
    for (i = 0; i < 10000; i++) x[i] = i;
    CHECK(df_tune(speed, &few, df_grid(3000), x, 3000) == DF_OK);
    for (i = 0; i < 10000; i++) CHECK(x[i] == i); /* the kernels add to it */
    p = df_kernel_pick(speed, df_grid(2500), NULL);
    CHECK(p.index != 0); /* which computes a thousand times as much */
    CHECK(df_kernel_pick(speed, df_grid(5000), NULL).index == 0); /* not measured */
    explain(&speed_dfi_variants, NULL, df_grid(3000));
    CHECK(says("taken: the fastest that df_tune measured, "));
    CHECK(lines("speed@pick.c\t12 0 0\t") >= 1 && lines("again@") == 0);
    few.device = DF_HOST;
    CHECK(df_tune(speed, &few, df_grid(300), x, 300) == DF_OK && lines("speed@pick.c\t9 0 0\thost\thost") == 1);
    CHECK(df_tune(speed, &few, df_grid(300), x, 300) == DF_OK && lines("speed@pick.c\t9 0 0\thost\thost") == 1);
    few.device = 99;
    CHECK(df_tune(speed, &few, df_grid(300), x, 300) == DF_ERROR_DEVICE);

    /* another run: the times in the file are used, garbage is left out, and lines of other programs are kept */
    put("a", "rubbish\n1 2\tx\n64 0 0 5 slow\tspeed@pick.c\tnot numbers\n64 0 0 5 nothing\tspeed@pick.c\t12 0 0\thost\thost\n"
             "0 0 0 5 case2\tother@other.c\t1 0 0\tCUDA\tsome GPU\n");
    put("a", "32 0 0 7 slow\tspeed@pick.c\t14 0 0\thost\thost\n");
    memset(&speed_dfi_choices, 0, sizeof speed_dfi_choices);
    few.device = DF_HOST;
    p = df_kernel_pick(speed, df_grid(300), &few);
    CHECK(messages == 1 && p.index != 0);
    p = df_kernel_pick(speed, df_grid(10000), &few);
    CHECK(p.index == 0 && p.grid.group[0] == 32);
    few.device = 0;
    CHECK(df_tune_by(again, &few, df_grid(3000), try_one, &calls) == DF_OK && calls >= 3 * 4);
    CHECK(df_kernel_pick(again, df_grid(3000), NULL).index != 0);
    CHECK(lines("again@pick.c\t12 0 0\t") >= 1 && lines("speed@pick.c\t9 0 0\t") == 1 &&
          lines("other@other.c\t1 0 0\tCUDA\tsome GPU") == 1);
    CHECK(lines("rubbish") == 0 && messages == 1);
    /* a file that is not ours is not changed */
    put("w", "my thesis\n");
    CHECK(df_tune(speed, &few, df_grid(3000), x, 3000) == DF_OK && lines("my thesis") == 1 && lines("") == 1);
    remove(file);
}

int main(int argc, char **argv)
{
    df_config config = { 0 };
    snprintf(file, sizeof file, "%s.tune", argc ? argv[0] : "pick");
    setenv("DF_GPU_SIM", "2:64M", 0);
    setenv("DF_TUNE", file, 1);
    config.log = count_messages, config.log_arg = "DF_TUNE";
    CHECK(df_start(&config) == DF_OK);
    test_cases();
    test_explain();
    test_limits();
    test_memory();
    test_launches();
    test_tune();
    df_stop();
    return 0;
}
