/* random.c - random programs of host tasks and kernels: `random FIRST_SEED COUNT` prints, per seed, a hash of the
 * memory after 300 tasks; the serial build is the oracle
 *
 * As fuzz/modes.c, but a task without children may be a kernel, on a device chosen at random, and the host's code
 * works on the same memory in between. A task or kernel reads one box, a, and changes two, b and c, in the way its
 * modes permit: updates and writes mix in all that was read, so that the order matters; commuting accesses and
 * reductions only accumulate, so that any order gives the same; concurrent accesses add atomically. Boxes are
 * ranges, blocks with every relation between the number of columns and the distance of rows, bytes in the middle of
 * cells, the same boxes again, the same memory in another shape, or overlap in part. A kernel works with one item,
 * in order (then a and b may overlap), or with one for each cell. Children, up to depth 3, get parts of their
 * parent's boxes and of its df_local. Tokens order tasks that declare no common memory: a task that waits for a
 * token reads the notes of the tasks that signal it. In every fifth seed two threads run a program each. Any message
 * of df is an error. */
#include <string.h>
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "../test.h"
#if !defined(DF_SERIAL)
#include <pthread.h>
#endif

enum { SPAN = 8192, TASKS = 300, DEPTH = 3, LD = 32, TOKENS = 6, SIGNALS = 3, SPAN_OF_BOX = 500, REDUCED = 4 };
#include "../fuzz/boxes.h"

/* --- what tasks and kernels do -------------------------------------------------------------------- */

DF_KERNEL_CODE(common,
    /* Operations on the cells of a box. All but the first three give the same result in any order. */
    enum { READ, UPDATE, FRESH, SUM, ATOMIC, XOR, MAX, MIN, OR, AND, PROD, KEY };

    /* The boxes and notes of a launch: rows, columns, styles; its items: one, or w * h. */
    struct shape {
        int ar, ac, br, bc, cr, cc, notes, note;
        int style_b, style_c, alone, w, h;
        unsigned seed;
    };

    static inline unsigned mix(unsigned h, unsigned x)
    {
        h = (h ^ x) * 2654435761u + 1u;
        return h ^ (h >> 15);
    }

    static inline unsigned accumulate(int style, unsigned x, unsigned v)
    {
        switch (style) {
        case SUM: return x + v;
        case XOR: return x ^ v;
        case MAX: return x < v ? v : x;
        case MIN: return v < x ? v : x;
        case OR: return x | (1u << (v % 32u));
        case AND: return x & ~(1u << (v % 32u));
        case PROD: return x * (v | 1u);
        default: return v * 2654435761u > x * 2654435761u ? v : x;
        }
    }

    static inline unsigned value(unsigned h, int i, int j) { return mix(h, (unsigned)(i * 100 + j)); }

    static inline unsigned read_cells(unsigned h, df_on_global const unsigned *p, int rows, int cols, int ld)
    {
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) h = mix(h, p[i * ld + j]);
        return h;
    }

    /* One after the other; h gets all that was read. */
    static inline unsigned touch_box(unsigned h, df_on_global unsigned *p, int rows, int cols, int ld, int style)
    {
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) {
                df_on_global unsigned *q = p + i * ld + j;
                unsigned v = value(h, i, j);
                if (style == READ) h = mix(h, *q);
                else if (style == UPDATE) *q = h = mix(h, *q);
                else if (style == FRESH) *q = h = mix(h, 1u);
                else if (style == ATOMIC) df_atomic_add(q, v);
                else *q = accumulate(style, *q, v);
            }
        return h;
    }

    /* A cell of its own. */
    static inline void touch_cell(unsigned h, df_on_global unsigned *p, int i, int j, int rows, int cols, int ld,
                                  int style)
    {
        df_on_global unsigned *q;
        unsigned v = value(h, i, j);
        if (style == ATOMIC && rows > 0 && cols > 0) df_atomic_add(p + (i * 3 % rows) * ld + j * 5 % cols, v);
        if (i >= rows || j >= cols || style == ATOMIC) return;
        q = p + i * ld + j;
        if (style == UPDATE) *q = mix(v, *q);
        else if (style == FRESH) *q = mix(v, 1u);
        else *q = accumulate(style, *q, v);
    }

    /* What an item begins with: its place, and something of a and of the notes. */
    static inline unsigned item_reads(int j, int i, struct shape s, df_on_global const unsigned *a, int al,
                                      df_on_global const unsigned *notes)
    {
        unsigned h = s.alone ? s.seed : value(s.seed, i, j);
        for (int k = 0; k < s.notes; k++) h = mix(h, notes[k]);
        if (s.alone) return read_cells(h, a, s.ar, s.ac, al);
        if (s.ar < 1 || s.ac < 1) return h;
        h = mix(h, a[(i % s.ar) * al + j % s.ac]);
        return mix(h, a[((i * 3 + 1) % s.ar) * al + (j * 5 + 2) % s.ac]);
    }

    static inline unsigned item_writes(unsigned h, int j, int i, struct shape s, df_on_global unsigned *b, int bl,
                                       df_on_global unsigned *c, int cl)
    {
        if (s.alone) return touch_box(touch_box(h, b, s.br, s.bc, bl, s.style_b), c, s.cr, s.cc, cl, s.style_c);
        touch_cell(h, b, i, j, s.br, s.bc, bl, s.style_b);
        touch_cell(h, c, i, j, s.cr, s.cc, cl, s.style_c);
        return h;
    }

    static inline int item_is_one(int j, int i, struct shape s) { return s.alone ? i + j == 0 : i < s.h && j < s.w; }

    static inline void item(int j, int i, struct shape s, df_on_global const unsigned *a, int al,
                            df_on_global unsigned *b, int bl, df_on_global unsigned *c, int cl,
                            df_on_global const unsigned *notes, df_on_global unsigned *note)
    {
        unsigned h;
        if (!item_is_one(j, i, s)) return;
        h = item_writes(item_reads(j, i, s, a, al, notes), j, i, s, b, bl, c, cl);
        if (s.note && i + j == 0) note[0] = h;
    }
)

enum { OF_A, OF_B, OF_C, OF_LOCAL, FROM };
#include "../fuzz/modes.h"

static void body(struct plan s, const cell *a, cell *b, cell *c);

/* --- kernels ----------------------------------------------------------------------------------------- */

DF_KERNEL_USING(common, own_ld, (struct shape, s), df_in2(uint32_t, a, s.ar, s.ac, al),
                df_inout2(uint32_t, b, s.br, s.bc, bl),
    df_out2(uint32_t, c, s.cr, s.cc, cl), df_in(uint32_t, notes, s.notes), df_out(uint32_t, note, s.note), (int, al),
    (int, bl), (int, cl),
{
    item(df_global_id(0), df_global_id(1), s, a, al, b, bl, c, cl, notes, note);
})
DF_KERNEL_USING(common, one_ld, (struct shape, s), df_in2(uint32_t, a, s.ar, s.ac, ld),
                df_inout2(uint32_t, b, s.br, s.bc, ld),
    df_out2(uint32_t, c, s.cr, s.cc, ld), df_in(uint32_t, notes, s.notes), df_out(uint32_t, note, s.note), (int, ld),
{
    item(df_global_id(0), df_global_id(1), s, a, ld, b, ld, c, ld, notes, note);
})
DF_KERNEL_USING(common, fixed_ld, (struct shape, s), df_in2(uint32_t, a, s.ar, s.ac, al * 1),
                df_inout2(uint32_t, b, s.br, s.bc, bl + 0),
    df_out2(uint32_t, c, s.cr, s.cc, cl), df_in(uint32_t, notes, s.notes), df_out(uint32_t, note, s.note), (int, al),
    (int, bl), (int, cl),
{
    item(df_global_id(0), df_global_id(1), s, a, al, b, bl, c, cl, notes, note);
})
DF_KERNEL_USING(common, some_ld, (struct shape, s), df_in2(uint32_t, a, s.ar, s.ac, al),
                df_inout2(uint32_t, b, s.br, s.bc, bl),
    df_out2(uint32_t, c, s.cr, s.cc, cl), df_in(uint32_t, notes, s.notes), df_out(uint32_t, note, s.note),
    (unsigned char, al), (short, bl), (long, cl),
{
    item(df_global_id(0), df_global_id(1), s, a, (int)al, b, (int)bl, c, (int)cl, notes, note);
})
/* rows are as many as the cells between them */
DF_KERNEL_USING(common, square, (struct shape, s), df_in2(uint32_t, a, s.ar, s.ac, al),
                df_inout2(uint32_t, b, n, s.bc, n),
    df_out2(uint32_t, c, s.cr, s.cc, cl), df_in(uint32_t, notes, s.notes), df_out(uint32_t, note, s.note), (int, al),
    (int, n), (int, cl),
{
    s.br = n;
    item(df_global_id(0), df_global_id(1), s, a, al, b, n, c, cl, notes, note);
})
DF_KERNEL_USING(common, flat, (struct shape, s), df_in(uint32_t, a, s.ac), df_inout(uint32_t, b, s.bc),
                df_out(uint32_t, c, s.cc),
    df_in(uint32_t, notes, s.notes), df_out(uint32_t, note, s.note),
{
    s.ar = s.ac > 0, s.br = s.bc > 0, s.cr = s.cc > 0;
    item(df_global_id(0), df_global_id(1), s, a, 0, b, 0, c, 0, notes, note);
})
/* b: bytes, with the distance that the blocks of cells have */
DF_KERNEL_USING(common, bytes, (struct shape, s), df_in2(uint32_t, a, s.ar, s.ac, ld),
                df_inout2(uint8_t, b, s.br, s.bc, ld),
    df_out2(uint32_t, c, s.cr, s.cc, ld), df_in(uint32_t, notes, s.notes), df_out(uint32_t, note, s.note), (int, ld),
{
    int j = df_global_id(0), i = df_global_id(1);
    if (!item_is_one(j, i, s)) return;
    unsigned h = item_reads(j, i, s, a, ld, notes);
    if (s.alone) {
        for (int y = 0; y < s.br; y++)
            for (int x = 0; x < s.bc; x++) h = mix(h, b[y * ld + x]), b[y * ld + x] = (uint8_t)h;
    } else if (i < s.br && j < s.bc) b[i * ld + j] = (uint8_t)mix(h, b[i * ld + j]);
    s.br = 0;
    h = item_writes(h, j, i, s, c, ld, c, ld);
    if (s.note && i + j == 0) note[0] = h;
})
DF_KERNEL_USING(common, commute_k, (struct shape, s), df_in2(uint32_t, a, s.ar, s.ac, al),
                df_commute2(uint32_t, b, s.br, s.bc, bl),
    df_commute2(uint32_t, c, s.cr, s.cc, cl), df_in(uint32_t, notes, s.notes), df_out(uint32_t, note, s.note),
    (int, al), (int, bl), (int, cl),
{
    item(df_global_id(0), df_global_id(1), s, a, al, b, bl, c, cl, notes, note);
})
DF_KERNEL_USING(common, concurrent_k, (struct shape, s), df_in2(uint32_t, a, s.ar, s.ac, al),
                df_concurrent(uint32_t, b, s.bc),
    df_out2(uint32_t, c, s.cr, s.cc, cl), df_in(uint32_t, notes, s.notes), df_out(uint32_t, note, s.note), (int, al),
    (int, cl),
{
    s.br = s.bc > 0;
    item(df_global_id(0), df_global_id(1), s, a, al, b, 0, c, cl, notes, note);
})
DF_KERNEL_USING(common, sums_k, (struct shape, s), df_in2(uint32_t, a, s.ar, s.ac, al),
                df_commute2(uint32_t, b, s.br, s.bc, bl),
    df_reduce(df_sum, uint32_t, c, s.cc), df_in(uint32_t, notes, s.notes), df_out(uint32_t, note, s.note), (int, al),
    (int, bl),
{
    int j = df_global_id(0), i = df_global_id(1);
    if (!item_is_one(j, i, s)) return;
    unsigned h = item_reads(j, i, s, a, al, notes);
    for (int k = 0; k < s.cc; k++) c[k] += value(h, 7, k);
    s.cr = 0;
    h = item_writes(h, j, i, s, b, bl, b, bl);
    if (s.note && i + j == 0) note[0] = h;
})
DF_KERNEL_USING(common, xors_k, (struct shape, s), df_in2(uint32_t, a, s.ar, s.ac, al),
                df_inout2(uint32_t, b, s.br, s.bc, bl),
    df_reduce(df_bxor, uint32_t, c, s.cc), df_in(uint32_t, notes, s.notes), df_out(uint32_t, note, s.note), (int, al),
    (int, bl),
{
    int j = df_global_id(0), i = df_global_id(1);
    if (!item_is_one(j, i, s)) return;
    unsigned h = item_reads(j, i, s, a, al, notes);
    for (int k = 0; k < s.cc; k++) c[k] ^= value(h, 7, k);
    s.cr = 0;
    h = item_writes(h, j, i, s, b, bl, b, bl);
    if (s.note && i + j == 0) note[0] = h;
})
DF_KERNEL_USING(common, extremes_k, (struct shape, s), df_in2(uint32_t, a, s.ar, s.ac, al),
                df_reduce(df_max, uint32_t, b, s.bc),
    df_reduce(df_min, uint32_t, c, s.cc), df_in(uint32_t, notes, s.notes), df_out(uint32_t, note, s.note), (int, al),
{
    int j = df_global_id(0), i = df_global_id(1);
    if (!item_is_one(j, i, s)) return;
    unsigned h = item_reads(j, i, s, a, al, notes);
    for (int k = 0; k < s.bc; k++) b[k] = accumulate(MAX, b[k], value(h, 6, k));
    for (int k = 0; k < s.cc; k++) c[k] = accumulate(MIN, c[k], value(h, 7, k));
    if (s.note && i + j == 0) note[0] = h;
})
DF_KERNEL_USING(common, masks_k, (struct shape, s), df_in2(uint32_t, a, s.ar, s.ac, al),
                df_reduce(df_bor, uint32_t, b, s.bc),
    df_reduce(df_band, uint32_t, c, s.cc), df_in(uint32_t, notes, s.notes), df_out(uint32_t, note, s.note), (int, al),
{
    int j = df_global_id(0), i = df_global_id(1);
    if (!item_is_one(j, i, s)) return;
    unsigned h = item_reads(j, i, s, a, al, notes);
    for (int k = 0; k < s.bc; k++) b[k] = accumulate(OR, b[k], value(h, 6, k));
    for (int k = 0; k < s.cc; k++) c[k] = accumulate(AND, c[k], value(h, 7, k));
    if (s.note && i + j == 0) note[0] = h;
})
DF_KERNEL_USING(common, products_k, (struct shape, s), df_in2(uint32_t, a, s.ar, s.ac, al),
                df_inout2(uint32_t, b, s.br, s.bc, bl),
    df_reduce(df_prod, uint32_t, c, s.cc), df_in(uint32_t, notes, s.notes), df_out(uint32_t, note, s.note), (int, al),
    (int, bl),
{
    int j = df_global_id(0), i = df_global_id(1);
    if (!item_is_one(j, i, s)) return;
    unsigned h = item_reads(j, i, s, a, al, notes);
    for (int k = 0; k < s.cc; k++) c[k] = accumulate(PROD, c[k], value(h, 7, k));
    s.cr = 0;
    h = item_writes(h, j, i, s, b, bl, b, bl);
    if (s.note && i + j == 0) note[0] = h;
})

/* --- host tasks -------------------------------------------------------------------------------------- */

KIND(ordered, df_in2(cell, a, BOX(a)), df_inout2(cell, b, BOX(b)), df_out2(cell, c, BOX(c)))
KIND(commuting, df_in2(cell, a, BOX(a)), df_commute2(cell, b, BOX(b)), df_commute2(cell, c, BOX(c)))
KIND(concurrent, df_in2(cell, a, BOX(a)), df_concurrent(cell, b, FLAT(b)), df_out2(cell, c, BOX(c)))
KIND(sums, df_in2(cell, a, BOX(a)), df_commute2(cell, b, BOX(b)), df_reduce2(df_sum, cell, c, BOX(c)))
KIND(xors, df_in2(cell, a, BOX(a)), df_inout2(cell, b, BOX(b)), df_reduce2(df_bxor, cell, c, BOX(c)))
KIND(extremes, df_in2(cell, a, BOX(a)), df_reduce(df_max, cell, b, FLAT(b)), df_reduce2(df_min, cell, c, BOX(c)))
KIND(masks, df_in2(cell, a, BOX(a)), df_reduce2(df_bor, cell, b, BOX(b)), df_reduce(df_band, cell, c, FLAT(c)))
KIND(products, df_in2(cell, a, BOX(a)), df_inout2(cell, b, BOX(b)), df_reduce(df_prod, cell, c, FLAT(c)))
KIND(keys, df_in2(cell, a, BOX(a)), df_reduce2(largest_key, cell, b, BOX(b)), df_out2(cell, c, BOX(c)))
KIND(weak, df_weak_in2(cell, a, BOX(a)), df_weak_inout2(cell, b, BOX(b)), df_weak_out2(cell, c, BOX(c)))
KIND(weak_half, df_in2(cell, a, BOX(a)), df_weak_inout2(cell, b, BOX(b)), df_out2(cell, c, BOX(c)))

static const struct kind {
    enum mode b, c;
    int style_b, style_c;
    int flat_b, flat_c, weak_a, weak_b, weak_c;
} kinds[] = {
    { INOUT, OUT, UPDATE, FRESH, 0, 0, 0, 0, 0 },
    { COMMUTE, COMMUTE, SUM, SUM, 0, 0, 0, 0, 0 },
    { CONCURRENT, OUT, ATOMIC, FRESH, 1, 0, 0, 0, 0 },
    { COMMUTE, REDUCE, SUM, SUM, 0, 0, 0, 0, 0 },
    { INOUT, REDUCE, UPDATE, XOR, 0, 0, 0, 0, 0 },
    { REDUCE, REDUCE, MAX, MIN, 1, 0, 0, 0, 0 },
    { REDUCE, REDUCE, OR, AND, 0, 1, 0, 0, 0 },
    { INOUT, REDUCE, UPDATE, PROD, 0, 1, 0, 0, 0 },
    { REDUCE, OUT, KEY, FRESH, 0, 0, 0, 0, 0 },
    { INOUT, OUT, UPDATE, FRESH, 0, 0, 1, 1, 1 },
    { INOUT, OUT, UPDATE, FRESH, 0, 0, 0, 1, 0 },
};
enum { KINDS = sizeof kinds / sizeof *kinds, ON_DEVICES = 8 /* the first ones also are kernels */ };

static void submit(const df_opts *o, const struct plan *s, const cell *a, cell *b, cell *c)
{
#define SUBMIT(name) if (o) df_submit_with(o, name, *s, a, b, c); else df_submit(name, *s, a, b, c); break
    switch (s->kind) {
    case 0: SUBMIT(ordered);
    case 1: SUBMIT(commuting);
    case 2: SUBMIT(concurrent);
    case 3: SUBMIT(sums);
    case 4: SUBMIT(xors);
    case 5: SUBMIT(extremes);
    case 6: SUBMIT(masks);
    case 7: SUBMIT(products);
    case 8: SUBMIT(keys);
    case 9: SUBMIT(weak);
    default: SUBMIT(weak_half);
    }
}

/* Rows of b update themselves: a loop between the tasks. */
DF_STATIC_LOOP(rows_of, (struct box, x), (unsigned, h), df_inout2(cell, b, x.rows, x.cols, x.ld));
static void rows_of(long lo, long hi, struct box x, unsigned h, cell *b)
{
    for (long i = lo; i < hi; i++) touch_box(value(h, (int)i, 3), b + i * x.ld, 1, x.cols, 0, x.style);
}

/* --- boxes ------------------------------------------------------------------------------------------- */

static int span(struct box x) { return x.rows ? (x.rows - 1) * x.ld + x.cols : 0; }

/* A part of the range of n cells from `at`: a range, or a block of any leading dimension. */
static struct box block_in_range(uint64_t *seed, int at, int n, int most)
{
    struct box x = { at, 1, 1, 1, READ };
    int length = 1 + test_below(seed, n < most ? n : most);
    x.at += test_below(seed, n - length + 1);
    x.cols = length;
    if (test_below(seed, 3) == 0) return x;
    x.ld = test_below(seed, 2) ? LD : 1 + test_below(seed, 40);
    x.cols = 1 + test_below(seed, x.ld < 9 ? x.ld : 9);
    x.rows = test_below(seed, 4) ? 1 + test_below(seed, 8) : x.ld;
    if (test_below(seed, 4) == 0) x.cols = x.ld;
    while (x.rows > 1 && (x.rows - 1) * x.ld + x.cols > at + n - x.at) x.rows--;
    if (x.cols > at + n - x.at) x.cols = at + n - x.at;
    return x;
}

/* A part of x of about `most` cells: fewer rows and columns, every second row, one row, all of it, or that in another
 * shape. */
static struct box block_in(uint64_t *seed, struct box x, int most)
{
    struct box y = x;
    int i, j;
    if (x.rows == 0 || test_below(seed, 20) == 0) return nothing;
    if (test_below(seed, 4) == 0 && x.rows * x.cols <= most && span(x) <= SPAN_OF_BOX) {
        if (x.rows == 1 || x.cols == x.ld) { /* all of it is contiguous */
            int n = x.rows * x.cols, ld = 1 + test_below(seed, 12);
            if (n % ld == 0) y.rows = n / ld, y.cols = y.ld = ld;
        }
        return y;
    }
    if (x.rows == 1) y = block_in_range(seed, x.at, x.cols, most);
    else {
        i = test_below(seed, x.rows), j = test_below(seed, x.cols);
        y.at += i * x.ld + j;
        y.rows = 1 + test_below(seed, x.rows - i);
        y.cols = 1 + test_below(seed, x.cols - j);
        if (y.rows > 2 && test_below(seed, 4) == 0) y.rows = (y.rows + 1) / 2, y.ld *= 2;
    }
    while (y.rows * y.cols > most || span(y) > SPAN_OF_BOX) y.rows > 1 ? y.rows-- : y.cols--;
    return y;
}

/* --- scopes and their children ---------------------------------------------------------------------- */

static int two_threads; /* run programs; the main thread waits for them, and runs nothing */

/* A scope, and the data that it gives to its children. */
struct scope {
    struct plan s;
    const cell *a;
    cell *b, *c, *local;
    int n_local;
    struct promises promises;
    struct child { struct plan t; int from[3]; } last[4]; /* their boxes are used again */
};
static struct box box_of(const struct scope *m, int i)
{
    struct box local = { 0, m->n_local > 0, m->n_local, 1, UPDATE };
    return i == OF_A ? m->s.a : i == OF_B ? m->s.b : i == OF_C ? m->s.c : local;
}
static cell *write_to(const struct scope *m, int i, struct box x)
{
    return !x.rows ? NULL : i == OF_B ? m->b + (x.at - m->s.b.at) : i == OF_C ? m->c + (x.at - m->s.c.at)
        : m->local + x.at;
}
static const cell *read_from(const struct scope *m, int i, struct box x)
{
    return !x.rows ? NULL : i == OF_A ? m->a + (x.at - m->s.a.at) : write_to(m, i, x);
}

static void choose_boxes(uint64_t *seed, struct scope *m, int children, struct child *k)
{
    int most = children ? 900 : test_below(seed, 3) ? 40 : 300;
    struct plan *t = &k->t;
    const struct kind *what;
    struct box from;
    memset(k, 0, sizeof *k);
    t->a = t->b = t->c = nothing;
    t->kind = test_below(seed, children ? KINDS : 2 * KINDS) % KINDS, what = &kinds[t->kind];
    k->from[0] = pick(seed, m, OF_A), k->from[1] = pick(seed, m, OF_B), k->from[2] = pick(seed, m, OF_B);
    from = box_of(m, k->from[0]);
    if (test_below(seed, 4) && (from.style == READ || from.style == UPDATE)) t->a = block_in(seed, from, most);
    t->a.style = READ;
    from = box_of(m, k->from[1]);
    if (test_below(seed, 4))
        t->b = with_style(block_in(seed, from, most), from.style, what->b, what->style_b, what->flat_b);
    from = box_of(m, k->from[2]);
    if (test_below(seed, 2))
        t->c = with_style(block_in(seed, from, most), from.style, what->c, what->style_c, what->flat_c);
    /* What has no value yet, or is a copy, cannot be read or changed in another way by the same task. The df_local has
     * places of its own. */
    int ab = (k->from[0] == OF_LOCAL) == (k->from[1] == OF_LOCAL),
        ac = (k->from[0] == OF_LOCAL) == (k->from[2] == OF_LOCAL),
        bc = (k->from[1] == OF_LOCAL) == (k->from[2] == OF_LOCAL);
    if ((what->c == OUT || what->c == REDUCE) && ac && meet(t->c, t->a)) t->c = nothing;
    if (what->b == REDUCE && ab && meet(t->b, t->a)) t->b = nothing;
    if ((what->b != COMMUTE || what->c != COMMUTE || t->b.style != t->c.style) && bc && meet(t->b, t->c))
        t->c = nothing;
}

/* Part of the range x as a block of bytes, `ld` of them apart. */
static struct box bytes_of(uint64_t *seed, struct box x, int ld)
{
    struct box y = { 0, 0, 1, ld, UPDATE };
    int n = 4 * x.cols * (x.rows == 1);
    if (n < 8) return y;
    y.at = test_below(seed, 4);
    y.cols = 1 + test_below(seed, ld < n - y.at ? ld : n - y.at);
    y.rows = 1 + test_below(seed, (n - y.at - y.cols) / ld + 1);
    return y;
}

/* Launches t as a kernel. The boxes: which pairs of them share memory is known from `apart`. */
static void launch(uint64_t *seed, const struct plan *t, const df_opts *o, int apart, const cell *a, cell *b, cell *c)
{
    struct shape s = { t->a.rows, t->a.cols, t->b.rows, t->b.cols, t->c.rows, t->c.cols, t->notes ? SIGNALS : 0,
                       t->note != NULL, t->b.style, t->c.style, 0, 0, 0, t->seed };
    int al = t->a.ld, bl = t->b.ld, cl = t->c.ld, bw, bh, variant = test_below(seed, 7);
    const struct kind *k = &kinds[t->kind];
    df_ndrange g;
    if (!s.br) s.bc = 0;
    if (!s.cr) s.cc = 0;
    if (!s.ar) s.ac = 0;
    if (k->b == REDUCE && s.bc > REDUCED) s.bc = REDUCED;
    if (k->c == REDUCE && s.cc > REDUCED) s.cc = REDUCED;
    s.w = s.bc > s.cc ? s.bc : s.cc, s.h = s.br > s.cr ? s.br : s.cr;
    if (!s.w) s.w = 1 + test_below(seed, 9);
    if (!s.h) s.h = 1 + test_below(seed, 9);
    s.alone = !apart || test_below(seed, 3) == 0;
    bw = test_below(seed, 3) ? 0 : 8, bh = test_below(seed, 3) ? 0 : 1 + test_below(seed, 4);
    g = s.alone ? df_grid(1) : df_grid2(s.w, s.h, bw, bh);
    if (variant == 1 && s.ar <= 1 && s.br <= 1) al = bl = cl;
    if (s.ar <= 1) al = s.br > 1 ? bl : cl;
    if (s.br <= 1) bl = al;
    if (s.cr <= 1) cl = bl;
#define LAUNCH(name, ...) df_launch_with(o, name, g, s, a, b, c, (const cell *)t->notes, t->note, __VA_ARGS__); return
    switch (t->kind) {
    case 0:
        if (variant == 0 && s.ar <= 1 && s.br <= 1 && s.cr <= 1) {
            df_launch_with(o, flat, g, s, a, b, c, (const cell *)t->notes, t->note);
            return;
        }
        if (variant <= 1 && al == bl && bl == cl) { LAUNCH(one_ld, al); }
        if (variant == 2) { LAUNCH(fixed_ld, al, bl, cl); }
        if (variant == 3 && al < 128) { LAUNCH(some_ld, (unsigned char)al, (short)bl, (long)cl); }
        if (s.br == bl && s.br > 1) { LAUNCH(square, al, bl, cl); }
        if (variant >= 5 && al == cl && al > 1 && t->b.style == UPDATE) {
            struct box y = bytes_of(seed, t->b, al);
            s.br = y.rows, s.bc = y.cols;
            s.w = s.bc > s.cc ? s.bc : s.cc, s.h = s.br > s.cr ? s.br : s.cr;
            g = s.alone ? df_grid(1) : df_grid2(s.w, s.h, bw, bh);
            df_launch_with(o, bytes, g, s, a, b ? (unsigned char *)b + y.at : NULL, c, (const cell *)t->notes, t->note,
                           al);
            return;
        }
        LAUNCH(own_ld, al, bl, cl);
    case 1: LAUNCH(commute_k, al, bl, cl);
    case 2: LAUNCH(concurrent_k, al, cl);
    case 3: LAUNCH(sums_k, al, bl);
    case 4: LAUNCH(xors_k, al, bl);
    case 5: LAUNCH(extremes_k, al);
    case 6: LAUNCH(masks_k, al);
    default: LAUNCH(products_k, al, bl);
    }
}

/* True if t may be a kernel. Its reductions are then into ranges; memory that other tasks of the host change
 * atomically meanwhile has to be in the host's memory. */
static int can_be_kernel(const struct scope *m, const struct child *k)
{
    const struct plan *t = &k->t;
    const struct kind *what = &kinds[t->kind];
    if (t->kind >= ON_DEVICES || t->children) return 0;
    if (t->b.rows && box_of(m, k->from[1]).style == ATOMIC) return 0;
    if (t->c.rows && box_of(m, k->from[2]).style == ATOMIC) return 0;
    return (what->b != REDUCE || t->b.rows <= 1) && (what->c != REDUCE || t->c.rows <= 1);
}

static void submit_child(uint64_t *seed, struct scope *m, int children, unsigned h)
{
    struct child *k = &m->last[test_below(seed, 4)];
    struct plan *t = &k->t;
    int with, after, signals, pin, device, kernel;
    struct links links;
    df_opts o = { 0 };
    if (!t->depth || test_below(seed, 3) == 0) choose_boxes(seed, m, children, k);
    t->seed = mix(h, (unsigned)test_random(seed)), t->depth = m->s.depth + 1, t->children = children;
    with = test_below(seed, 2), after = test_below(seed, TOKENS), signals = test_below(seed, TOKENS);
    o.priority = test_below(seed, 5) - 2, pin = test_below(seed, 40), device = test_below(seed, 12),
        kernel = test_below(seed, 4) > 0;
    kernel = kernel && can_be_kernel(m, k);
    if (pin == 0 && !two_threads) o.worker = DF_MAIN_THREAD;
    if (pin == 1 && df_workers() > 1) o.worker = df_workers() - 1;
    link_tokens(&links, with ? &m->promises : NULL, t, &o, after, signals, o.priority > 0 && !kernel);
    const cell *a = read_from(m, k->from[0], t->a);
    cell *b = write_to(m, k->from[1], t->b), *c = write_to(m, k->from[2], t->c);
    if (kernel) {
        int same_ab = (k->from[0] == OF_LOCAL) == (k->from[1] == OF_LOCAL),
            same_ac = (k->from[0] == OF_LOCAL) == (k->from[2] == OF_LOCAL),
            same_bc = (k->from[1] == OF_LOCAL) == (k->from[2] == OF_LOCAL);
        int apart = !(same_ab && meet(t->a, t->b)) && !(same_ac && meet(t->a, t->c)) && !(same_bc && meet(t->b, t->c));
        o.device = device < 4 ? 0 : device == 4 ? DF_HOST : device == 5 ? DF_ANY_GPU : device == 6 ? DF_ANY_DEVICE
            : 1 + device % df_gpu_devices();
        uint64_t how = t->seed;
        launch(&how, t, &o, apart, a, b, c);
    } else submit(with ? &o : NULL, t, a, b, c);
}

/* --- bodies ------------------------------------------------------------------------------------------ */

static unsigned touch(unsigned h, struct box x, cell *p) { return touch_box(h, p, x.rows, x.cols, x.ld, x.style); }

static void body(struct plan s, const cell *a, cell *b, cell *c)
{
    const struct kind *k = &kinds[s.kind];
    struct scope m = { .s = s, .a = a, .b = b, .c = c };
    uint64_t seed = s.seed;
    unsigned h = s.seed;
    int left = s.children;
    if (test_below(&seed, 8) == 0) test_spin((unsigned)test_below(&seed, 3000));
    for (int i = 0; i < SIGNALS && s.notes; i++) h = mix(h, s.notes[i]);
    if (!k->weak_a) h = read_cells(h, a, s.a.rows, s.a.cols, s.a.ld);
    if (!k->weak_b) h = touch(h, s.b, b);
    if (!k->weak_c) h = touch(h, s.c, c);
    if (k->weak_c && s.c.rows) { /* the first child writes it */
        struct plan t = { h, 0, s.depth + 1, 0, nothing, nothing, s.c, NULL, NULL, NULL };
        if (h % 2) df_submit(ordered, t, NULL, NULL, c);
        else {
            uint64_t how = h;
            launch(&how, &t, NULL, 1, NULL, NULL, c);
        }
    }
    if (s.note) *s.note = h;
    if (s.signal) df_signal(s.signal);
    if (m.s.c.style == FRESH) m.s.c.style = UPDATE; /* it has a value now */
    if (left > 3) m.promises.tokens = df_local(struct tokens, 1);
    if (left > 3 && test_below(&seed, 2))
        m.n_local = 1 + test_below(&seed, test_below(&seed, 2) ? 30 : 400), m.local = df_local(cell, m.n_local);
    tokens_begin(&m.promises, &seed);
    while (left > 0) {
        int below, n = 1, i;
        switch (test_below(&seed, 40)) {
        case 0: /* all that was submitted is done: b, c and the local memory are ours again */
            df_wait();
            if (!k->weak_b) h = touch(h, s.b, b);
            if (!k->weak_c) h = touch(h, m.s.c, c);
            if (m.local) h = touch(h, box_of(&m, OF_LOCAL), m.local);
            tokens_begin(&m.promises, &seed);
            break;
        case 1: case 2: /* what writes to a part is done: that part may be read */
            if (s.b.rows && s.b.style == UPDATE && !k->weak_b) {
                int j = test_below(&seed, s.b.cols), cols = 1 + test_below(&seed, s.b.cols - j);
                i = test_below(&seed, s.b.rows);
                df_wait_on(b + i * s.b.ld + j, (size_t)cols * sizeof *b);
                h = read_cells(h, b + i * s.b.ld + j, 1, cols, 0);
            }
            break;
        case 3: /* some of the children in a block: a scope of its own, so the others first */
            df_wait();
            tokens_begin(&m.promises, &seed);
            DF_PARALLEL {
                struct scope in_block = m;
                in_block.promises.tokens = NULL;
                for (n = 1 + test_below(&seed, 10); n > 0 && left > 0; n--, left--)
                    submit_child(&seed, &in_block, 0, h);
            }
            break;
        case 4: /* the notes of the tasks that signal a token */
            i = test_below(&seed, TOKENS);
            if (!promised(&m.promises, i)) break;
            CHECK(df_wait_token(&m.promises.tokens->token[i]) == DF_OK);
            for (n = 0; n < SIGNALS; n++) h = mix(h, m.promises.tokens->note[i][n]);
            break;
        case 5: /* a loop, in the order of the tasks, over a part */
            if (s.b.rows && s.b.style == UPDATE && !k->weak_b) {
                struct box x = block_in(&seed, s.b, 300);
                x.style = UPDATE;
                df_for(rows_of, 0, x.rows, x, h, x.rows ? b + (x.at - s.b.at) : NULL);
            }
            break;
        default:
            left--;
            below = s.depth < DEPTH && test_below(&seed, 8) == 0 ? test_below(&seed, left / 3 + 1) : 0;
            left -= below;
            submit_child(&seed, &m, below, h);
            break;
        }
    }
}

/* --- programs ---------------------------------------------------------------------------------------- */

struct program { unsigned long long seed; uint64_t result; cell *memory; };

static void *program(void *p)
{
    struct program *g = (struct program *)p;
    struct plan all = { (unsigned)g->seed, 0, 0, TASKS, nothing, { 0, 1, SPAN, 1, UPDATE }, nothing, NULL, NULL, NULL };
    memset(g->memory, 0, SPAN * sizeof *g->memory);
    if (g->seed % 2) {
        body(all, NULL, g->memory, NULL);
        CHECK(df_wait_result() == DF_OK);
    } else DF_PARALLEL body(all, NULL, g->memory, NULL);
    for (int i = 0; i < SPAN; i++) g->result = test_mix(g->result, g->memory[i]);
    return NULL;
}

#if !defined(DF_SERIAL)
static void said(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    test_fail(text, 0, "no message");
}
#else
#define said NULL
#endif

int main(int argc, char **argv)
{
    static const size_t windows[] = { 0, 4, 50 }, deques[] = { 0, 2, 16, 0, 100 }, renames[] = { 0, 0, 1000, 1 << 20 };
    static cell memory[2][SPAN];
    unsigned long long first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
        count = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    for (unsigned long long n = first; n < first + count; n++) {
        df_config config = { .window = windows[n % 3], .deque = deques[n % 5], .rename_bytes = renames[n % 4],
                             .log = said };
        struct program g[2] = { { n, 0, memory[0] }, { n + 1000000007u, 0, memory[1] } };
        CHECK(df_start(&config) == DF_OK);
        two_threads = n % 5 == 0;
        if (!two_threads) program(&g[0]);
        else {
#if defined(DF_SERIAL)
            program(&g[0]), program(&g[1]);
#else
            pthread_t t[2];
            for (int i = 0; i < 2; i++) CHECK(!pthread_create(&t[i], NULL, program, &g[i]));
            for (int i = 0; i < 2; i++) CHECK(!pthread_join(t[i], NULL));
#endif
        }
        printf("%llu %016llx\n", n, (unsigned long long)test_mix(g[0].result, g[1].result));
        if (fflush(stdout)) return 1;
        df_stop();
    }
}
