/* dist.c - distributed arrays: random shapes, policies, arrangements, halos, edges and devices against one array
 *
 * The model knows the array only: an element of a part, halo or not, is the array's element at its index, as the edges
 * map it; an element that was not updated keeps its value. Kernels combine elements that are halos apart, corners too,
 * for several steps.
 *
 *     dist [SEED [CASES]]       so many cases with each setting of devices and workers; if DF_GPU is set to a driver,
 *                               on its devices alone */
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "../test.h"

enum { MOST_PARTS = 24, NEIGHBOURS = 3 };

/* --- kernels, on elements of any size: their bytes -------------------------------------------------- */

DF_KERNEL_CODE(places,
enum { FAR = 3 };
struct place {              /* of a part, in bytes, and how its indices map to the array's */
    int64_t first[3], stride[3], count[3], lo[3], chunk[3], step[3];
    int64_t low[3], high[3]; /* elements from low to high exist: beyond are halos that df does not fill */
    int64_t element;
};
struct offsets { int64_t at[FAR][3], salt; };
static inline uint8_t mixed(uint8_t a, uint8_t b, uint8_t c, int64_t g0, int64_t g1, int64_t g2, int64_t k,
                            int64_t salt)
{
    return (uint8_t)(a * 3 + b * 5 + c * 7 + (g0 * 11 + g1 * 31 + g2 * 101 + k + salt) % 251);
}
/* A byte of an element. `to` is stride bytes apart like to.stride[0], but in the first dimension ld, which a device may
 * choose. */
static inline void step_of(df_on_global const uint8_t *from, df_on_global uint8_t *to, int64_t ld, int64_t ld_to,
                           struct place a, struct place b, struct offsets o, int64_t item)
{
    int64_t k = item % a.element;
    int64_t i2 = item / a.element % a.count[2];
    int64_t i1 = item / a.element / a.count[2] % a.count[1];
    int64_t i0 = item / a.element / a.count[2] / a.count[1];
    uint8_t near[3];
    if (i0 >= a.count[0]) return;
    for (int n = 0; n < 3; n++) {
        int64_t j0 = i0 + o.at[n][0], j1 = i1 + o.at[n][1], j2 = i2 + o.at[n][2];
        near[n] = 0;
        if (a.lo[0] + j0 >= a.low[0] && a.lo[0] + j0 <= a.high[0] && a.lo[1] + j1 >= a.low[1] &&
            a.lo[1] + j1 <= a.high[1] && a.lo[2] + j2 >= a.low[2] && a.lo[2] + j2 <= a.high[2])
            near[n] = from[(a.first[0] + j0) * ld + (a.first[1] + j1) * a.stride[1] + (a.first[2] + j2) * a.stride[2] + k];
    }
    to[(b.first[0] + i0) * ld_to + (b.first[1] + i1) * b.stride[1] + (b.first[2] + i2) * b.stride[2] + k] =
        mixed(near[0], near[1], near[2], a.lo[0] + i0 / a.chunk[0] * a.step[0] + i0 % a.chunk[0],
              a.lo[1] + i1 / a.chunk[1] * a.step[1] + i1 % a.chunk[1],
              a.lo[2] + i2 / a.chunk[2] * a.step[2] + i2 % a.chunk[2], k, o.salt);
})

#define STEP(name, ...) DF_KERNEL_USING(places, name, __VA_ARGS__, (int64_t, ld), (int64_t, ld_to), (struct place, a), (struct place, b), \
                                        (struct offsets, o), { step_of(from, to, ld, ld_to, a, b, o, df_global_id(0)); })
#define STEP_OF_ALL(name) STEP(name, df_in(uint8_t, from, n), df_inout(uint8_t, to, n_to), (int64_t, n), (int64_t, n_to))
#define STEP_OF_BLOCKS(name) STEP(name, df_in2(uint8_t, from, rows, cols, ld), df_inout2(uint8_t, to, rows_to, cols_to, ld_to), (int64_t, rows), \
                                  (int64_t, cols), (int64_t, rows_to), (int64_t, cols_to))
STEP_OF_ALL(step_of_all)
STEP_OF_BLOCKS(step_of_blocks)

/* --- a case ----------------------------------------------------------------------------------------------- */

static uint64_t state;
static int below(int n) { return test_below(&state, n); }

struct array {
    df_dist_desc ask;
    df_dist *dist;
    unsigned char *memory, *model;         /* in memory; the expected content after a gather */
    unsigned char *start;                  /* what tasks write into memory */
    unsigned char *local[MOST_PARTS];      /* what the parts should be, where that has been checked by a look */
    size_t bytes;
};
static int dims, parts;
static long size[3];                       /* 1 where there is no dimension */
static int devices[MOST_PARTS];

static df_dist_dim dimension(const struct array *x, int j)
{
    df_dist_dim none = { .size = 1 }, d = j < dims ? x->ask.dim[j] : none;
    if (!d.extent) d.extent = d.size - d.offset;
    return d;
}

/* The part from which the element at index g of dimension j comes; -1: none. Computed step by step, as in the paper. */
static long source(const df_dist_dim *d, long g)
{
    long lo = d->offset, hi = d->offset + d->extent - 1;
    while (g < lo || g > hi) {
        int edge = d->edge[g > hi];
        if (edge == DF_EDGE_NONE) return -1;
        if (edge == DF_EDGE_PERIODIC) g += g < lo ? d->extent : -d->extent;
        else if (d->extent == 1) g = lo;
        else g = g < lo ? 2 * lo - g : 2 * hi - g;
    }
    return g;
}

static size_t place_of(const long *g) { return (size_t)((g[0] * size[1] + g[1]) * size[2] + g[2]); }

static df_dist_dim random_dim(long n, int longest_halo)
{
    df_dist_dim d = { .size = n };
    if (below(3) == 0) {
        d.offset = below((int)n);
        d.extent = below(2) ? 1 + below((int)(n - d.offset)) : 0;
    }
    long extent = d.extent ? d.extent : n - d.offset;
    switch (below(4)) {
    case 0: d.split = DF_DUPLICATE; break;
    case 1: d.split = DF_CYCLIC(below(4)); break;
    default:
        d.split = DF_BLOCK(0);
        for (int side = 0; side < 2; side++)
            d.halo[side] = below(2) ? below(longest_halo + 1) : 0, d.edge[side] = below(3);
        /* where the other edge's rule would begin the model stops */
        for (int side = 0; side < 2 && d.edge[0] != d.edge[1]; side++)
            if (d.halo[side] >= extent) d.halo[side] = extent - 1;
    }
    return d;
}

/* Blocks of a given length, for the parts that there are. */
static void random_blocks(struct array *x, const int *along)
{
    for (int j = 0; j < dims; j++) {
        df_dist_dim d = dimension(x, j);
        if (d.split != DF_BLOCK(0) || below(3)) continue;
        int n = x->ask.parts[along[j]];
        x->ask.dim[j].split = DF_BLOCK((d.extent + n - 1) / n + below(3));
    }
}

static void array_new(struct array *x, const df_dist_desc *ask, int with_memory)
{
    x->ask = *ask;
    x->bytes = (size_t)(size[0] * size[1] * size[2]) * ask->element;
    x->memory = malloc(x->bytes), x->model = malloc(x->bytes), x->start = malloc(x->bytes);
    CHECK(x->memory && x->model && x->start);
    for (size_t i = 0; i < x->bytes; i++) x->memory[i] = x->model[i] = (unsigned char)test_random(&state);
    if (with_memory) x->ask.memory = x->memory;
    x->dist = df_dist_new(&x->ask);
    CHECK(x->dist);
    CHECK(df_dist_parts(x->dist) == parts);
    for (int i = 0; i < parts; i++) {
        const df_part *p = df_dist_part(x->dist, i);
        x->local[i] = calloc(p->elements + 1, ask->element);
        CHECK(x->local[i] && p->index == i && (!ask->devices || p->device == ask->devices[i % ask->n_devices]));
    }
}

static void array_free(struct array *x)
{
    df_dist_free(x->dist);
    for (int i = 0; i < parts; i++) free(x->local[i]);
    free(x->memory);
    free(x->model);
    free(x->start);
}

/* Parts have memory of their own, unless it is only read and they have the same elements. */
static void check_memory(struct array *x)
{
    DF_FOR_PARTS(p, x->dist) {
        DF_FOR_PARTS(q, x->dist) {
            int same = p->lo[0] == q->lo[0] && p->lo[1] == q->lo[1] && p->lo[2] == q->lo[2];
            CHECK((p->data == q->data) == (p == q || (same && x->ask.read_only)));
        }
    }
}

/* --- the model ------------------------------------------------------------------------------------------- */

static unsigned char *local_at(struct array *x, const df_part *p, const long *l)
{
    long at = (l[0] * p->extent[1] + l[1]) * p->extent[2] + l[2];
    return x->local[p->index] + (size_t)at * x->ask.element;
}

/* Parts become what the model says: those elements that are no halo (which 0), or that are in the halos `which`. */
static void model_update(struct array *x, int which)
{
    DF_FOR_PARTS(p, x->dist) {
        long l[3];
        for (l[0] = 0; l[0] < p->extent[0]; l[0]++)
            for (l[1] = 0; l[1] < p->extent[1]; l[1]++)
                for (l[2] = 0; l[2] < p->extent[2]; l[2]++) {
                    long g[3];
                    int halos = 0, wanted = 1;
                    for (int j = 0; j < 3; j++) {
                        df_dist_dim d = dimension(x, j);
                        g[j] = source(&d, df_dist_global(p, j, l[j]));
                        if (g[j] < 0) wanted = 0;
                        if (l[j] >= p->first[j] && l[j] < p->first[j] + p->count[j]) continue;
                        halos = 1;
                        if (!(which & (l[j] < p->first[j] ? DF_LEFT : DF_RIGHT) & DF_DIM(j))) wanted = 0;
                    }
                    if (wanted && halos == (which != 0))
                        memcpy(local_at(x, p, l), x->model + place_of(g) * x->ask.element, x->ask.element);
                }
    }
}

static void model_step(struct array *x, struct array *to, const struct offsets *o)
{
    df_dist_dim d[3];
    long g[3];
    for (int j = 0; j < 3; j++) d[j] = dimension(x, j);
    for (g[0] = d[0].offset; g[0] < d[0].offset + d[0].extent; g[0]++)
        for (g[1] = d[1].offset; g[1] < d[1].offset + d[1].extent; g[1]++)
            for (g[2] = d[2].offset; g[2] < d[2].offset + d[2].extent; g[2]++)
                for (size_t k = 0; k < x->ask.element; k++) {
                    uint8_t near[NEIGHBOURS] = { 0, 0, 0 };
                    for (int n = 0; n < NEIGHBOURS; n++) {
                        long from[3];
                        int inside = 1;
                        for (int j = 0; j < 3; j++) {
                            from[j] = source(&d[j], g[j] + (long)o->at[n][j]);
                            inside &= from[j] >= 0;
                        }
                        if (inside) near[n] = x->model[place_of(from) * x->ask.element + k];
                    }
                    to->model[place_of(g) * x->ask.element + k] =
                        mixed(near[0], near[1], near[2], g[0], g[1], g[2], (int64_t)k, o->salt);
                }
}

/* --- the same by tasks -------------------------------------------------------------------------------------- */

static int wrong_looks;
/* Checks the part against the model. */
DF_TASK(void, fill, df_out(unsigned char, p, n), (long, n), (const unsigned char *, from));
void fill(unsigned char *p, long n, const unsigned char *from) { memcpy(p, from, (size_t)n); }

static int has_halos(struct array *x)
{
    int halos = 0;
    for (int j = 0; j < 3; j++) {
        df_dist_dim d = dimension(x, j);
        halos |= d.halo[0] || d.halo[1];
    }
    return halos;
}

/* Everything in the parts, halos too, is something else. Not if they may lie in the array. */
static void fill_parts(struct array *x)
{
    if (!has_halos(x) || x->ask.read_only) return;
    DF_FOR_PARTS(p, x->dist) {
        size_t bytes = p->elements * x->ask.element;
        for (size_t i = 0; i < bytes; i++) x->local[p->index][i] = (unsigned char)test_random(&state);
        df_submit(fill, p->data, (long)bytes, x->local[p->index]);
    }
    CHECK(df_wait_result() == DF_OK); /* `local` changes from here on */
}

DF_TASK(void, look, df_in2(unsigned char, p, rows, cols, ld), (long, rows), (long, cols), (long, ld),
        (const unsigned char *, expected), df_reduce(df_sum, int, wrong, 1));
void look(const unsigned char *p, long rows, long cols, long ld, const unsigned char *expected, int *wrong)
{
    for (long i = 0; i < rows; i++) *wrong += memcmp(p + i * ld, expected + i * cols, (size_t)cols) != 0;
}

static void look_at(struct array *x)
{
    long element = (long)x->ask.element;
    wrong_looks = 0;
    DF_FOR_PARTS(p, x->dist)
        df_submit(look, p->data, p->extent[0], p->extent[1] * p->extent[2] * element, p->stride[0] * element,
                  x->local[p->index], &wrong_looks);
    df_wait_on(&wrong_looks, sizeof wrong_looks);
    CHECK(wrong_looks == 0);
}

static struct place place(const struct array *x, const df_part *p, size_t element)
{
    struct place a;
    for (int j = 0; j < 3; j++) {
        df_dist_dim d = dimension(x, j);
        a.low[j] = d.edge[0] == DF_EDGE_NONE ? d.offset : INT64_MIN;
        a.high[j] = d.edge[1] == DF_EDGE_NONE ? d.offset + d.extent - 1 : INT64_MAX;
        a.first[j] = p->first[j], a.stride[j] = p->stride[j] * (long)element, a.count[j] = p->count[j];
        a.lo[j] = p->lo[j], a.chunk[j] = p->chunk[j], a.step[j] = p->step[j];
    }
    a.element = (int64_t)element;
    return a;
}

static void step(struct array *x, struct array *to, const struct offsets *o)
{
    size_t element = x->ask.element;
    DF_FOR_PARTS(p, x->dist) {
        const df_part *q = df_dist_part(to->dist, p->index);
        struct place a = place(x, p, element), b = place(to, q, element);
        df_ndrange grid = df_grid(p->count[0] * p->count[1] * p->count[2] * (long)element);
        long cols = p->extent[1] * p->extent[2] * (long)element, cols_to = q->extent[1] * q->extent[2] * (long)element;
        CHECK(q->device == p->device);
        if (x->ask.blocks)
            df_launch_with(DF_OPTS(.device = p->device), step_of_blocks, grid, p->data, q->data, p->extent[0], cols,
                           q->extent[0], cols_to, a.stride[0], b.stride[0], a, b, *o);
        else
            df_launch_with(DF_OPTS(.device = p->device), step_of_all, grid, p->data, q->data,
                           (int64_t)(p->elements * element), (int64_t)(q->elements * element), a.stride[0],
                           b.stride[0], a, b, *o);
    }
}

/* Tasks on parts of the array write new values, or read it. */
static void array_tasks(struct array *x, int look_at_it)
{
    long n = (long)x->bytes, at = 0, most = n / 9 + 1;
    if (!look_at_it)
        for (size_t i = 0; i < x->bytes; i++) x->model[i] = x->start[i] = (unsigned char)test_random(&state);
    for (; at < n; at += most) {
        long bytes = n - at < most ? n - at : most;
        if (look_at_it) df_submit(look, x->memory + at, 1, bytes, bytes, x->model + at, &wrong_looks);
        else df_submit(fill, x->memory + at, bytes, x->start + at);
    }
}

static void maybe_wait(void)
{
    if (below(4) == 0) CHECK(df_wait_result() == DF_OK);
}

/* Random halos of x, then all; parts that lie in the array change it. */
static void updates(struct array *x)
{
    for (int n = below(3); n >= 0; n--) {
        int which = n ? below(64) : DF_LEFT | DF_RIGHT;
        if (n) CHECK(df_halo_update(x->dist, which) == DF_OK);
        else CHECK(df_halo_exchange(x->dist) == DF_OK);
        model_update(x, which);
        maybe_wait();
        if (below(2)) look_at(x);
    }
}

static struct offsets random_offsets(const struct array *x)
{
    struct offsets o;
    for (int n = 0; n < NEIGHBOURS; n++)
        for (int j = 0; j < 3; j++) {
            df_dist_dim d = dimension(x, j);
            o.at[n][j] = below((int)(d.halo[0] + d.halo[1] + 1)) - d.halo[0];
        }
    o.salt = below(1000);
    return o;
}

static void check_ranges(struct array *x)
{
    for (int j = 0; j < 3; j++) {
        df_dist_dim d = dimension(x, j);
        long lo = below((int)size[j] + 1) - 1, hi = lo + below((int)size[j] + 3) - 1, seen[64] = { 0 };
        DF_FOR_PARTS(p, x->dist) {
            long from, to, n = df_dist_range(p, j, lo, hi, &from, &to);
            CHECK(n == to - from && n >= 0 && from >= p->first[j] && to <= p->first[j] + p->count[j]);
            for (long l = from; l < to; l++) {
                long g = df_dist_global(p, j, l);
                CHECK(g >= lo && g < hi && g >= d.offset && g < d.offset + d.extent && df_dist_local(p, j, g) == l);
                seen[g]++;
            }
            for (long g = -2; g < size[j] + 2; g++) {
                long l = df_dist_local(p, j, g);
                CHECK(l < 0 || df_dist_global(p, j, l) == g);
                if (l >= 0 && g >= lo && g < hi) CHECK(--seen[g] >= 0);
            }
        }
        for (long g = 0; g < size[j]; g++) CHECK(seen[g] == 0);
    }
    size_t elements = 1, owned = 0; /* each once per copy */
    int copies = parts;
    for (int j = 0; j < 3; j++) {
        df_dist_dim d = dimension(x, j);
        elements *= (size_t)d.extent;
    }
    DF_FOR_PARTS(p, x->dist) owned += (size_t)(p->count[0] * p->count[1] * p->count[2]);
    CHECK(owned % elements == 0 && copies % (int)(owned / elements) == 0);
}

static void one_case(int n_devices)
{
    static const size_t elements[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24 };
    df_dist_desc ask;
    struct array u, v;
    int along[3] = { -1, -1, -1 }, used[3] = { 0, 0, 0 }, divided = 0, arrangement = 0, longer = below(3) == 0;
    memset(&ask, 0, sizeof ask);
    dims = 1 + below(3);
    ask.dims = below(2) ? dims : 0;
    ask.element = elements[below(9)];
    ask.blocks = below(2), ask.read_only = below(6) == 0;
    for (int j = 0; j < 3; j++) size[j] = 1;
    for (int j = 0; j < dims; j++) {
        size[j] = 1 + below(dims == 1 ? 40 : dims == 2 ? 14 : j < 2 && longer ? 26 : 8);
        ask.dim[j] = random_dim(size[j], dims == 3 ? 2 : 4);
        if (ask.dim[j].split == DF_DUPLICATE) continue;
        divided++;
        along[j] = below(4) ? divided - 1 : below(3);
        if (used[along[j]]) for (along[j] = 0; used[along[j]];) along[j]++;
        used[along[j]] = 1;
    }
    for (int j = 0, next = 0; j < dims; j++) {
        if (along[j] < 0) continue;
        ask.dim[j].along = along[j] == next && below(2) ? 0 : along[j] + 1;
        next = along[j] + 1;
    }
    for (parts = 1, arrangement = 0; arrangement < 3; arrangement++) {
        ask.parts[arrangement] = used[arrangement] || below(4) == 0 ? 1 + below(dims == 1 ? 6 : 3) : 1;
        if (parts * ask.parts[arrangement] > MOST_PARTS) ask.parts[arrangement] = 1;
        parts *= ask.parts[arrangement];
    }
    if (below(2)) {
        ask.n_devices = 1 + below(4);
        for (int i = 0; i < ask.n_devices; i++) devices[i] = below(5) ? 1 + below(n_devices) : DF_HOST;
        ask.devices = devices;
    } else if (below(2)) ask.n_devices = 1 + below(5);
    struct array probe = { .ask = ask };
    random_blocks(&probe, along);
    ask = probe.ask;

    array_new(&u, &ask, 1);
    ask.read_only = 0;
    array_new(&v, &ask, below(3) != 0);
    check_ranges(&u);
    check_memory(&u);
    check_memory(&v);
    for (int round = 1 + below(2); round > 0; round--) {
        struct array *x = &u, *to = &v;
        if (below(2)) fill_parts(&u), fill_parts(&v);
        array_tasks(&u, 0);
        CHECK(df_dist_scatter(u.dist) == DF_OK);
        model_update(&u, 0);
        maybe_wait();
        if (below(2)) look_at(&u);
        for (int steps = u.ask.read_only ? 1 : 1 + below(4); steps > 0; steps--) {
            updates(x);
            struct offsets o = random_offsets(x);
            step(x, to, &o);
            model_step(x, to, &o);
            model_update(to, 0);
            maybe_wait();
            struct array *t = x;
            x = to, to = t;
        }
        if (below(2)) look_at(x);
        wrong_looks = 0;
        if (x->ask.memory) {
            CHECK(df_dist_gather(x->dist) == DF_OK);
            array_tasks(x, 1);
        }
        /* while they are used */
        if (round == 1 && below(2)) df_dist_free(u.dist), df_dist_free(v.dist), u.dist = v.dist = NULL;
        CHECK(df_wait_result() == DF_OK && wrong_looks == 0);
        if (x->ask.memory) CHECK(memcmp(x->memory, x->model, x->bytes) == 0);
    }
    array_free(&u);
    array_free(&v);
}

/* --- bad input ---------------------------------------------------------------------------------------------- */

static char said[400];
static void hear(void *arg, int level, const char *text)
{
    (void)arg, (void)level;
    snprintf(said, sizeof said, "%s", text);
}

static void refused(const df_dist_desc *ask, const char *field)
{
    said[0] = 0;
    CHECK(df_dist_new(ask) == NULL);
    if (!strstr(said, field) || !strstr(said, __FILE__)) {
        fprintf(stderr, "%s\n", said);
        CHECK(!"the message names the field");
    }
}

static void bad_input(void)
{
    static const int no_device[] = { 1, 0 };
    static const struct { const char *field; df_dist_desc ask; } all[] = {
        { "dim[0].size", { .element = 4 } },
        { "dim[1].size", { .element = 4, .dims = 2, .dim = { { .size = 3 }, { .size = -1 } } } },
        { "dim[0].offset", { .element = 4, .dim = { { .size = 3, .offset = 4 } } } },
        { "dim[0].extent", { .element = 4, .dim = { { .size = 3, .offset = 2, .extent = 2 } } } },
        { "dim[2].split", { .element = 4,
                            .dim = { { .size = 3 }, { .size = 3 }, { .size = 3, .split = DF_CYCLIC(-1) } } } },
        { "dim[0].split", { .element = 4, .dim = { { .size = 3, .split = 7 } } } },
        { "dim[0].split = 3", { .element = 4, .dim = { { .size = 10, .split = DF_BLOCK(3) } }, .parts = { 3 } } },
        { "dim[0].halo[1]", { .element = 4, .dim = { { .size = 10, .split = DF_BLOCK(0), .halo = { 0, -1 } } } } },
        { "dim[0].halo[0]", { .element = 4, .dim = { { .size = 10, .split = DF_CYCLIC(0), .halo = { 1, 0 } } } } },
        { "dim[1].halo[1]", { .element = 4, .dim = { { .size = 3 }, { .size = 10, .halo = { 0, 1 } } } } },
        { "dim[0].edge[1]", { .element = 4, .dim = { { .size = 10, .split = DF_BLOCK(0), .edge = { 0, 3 } } } } },
        { "dim[0].along", { .element = 4, .dim = { { .size = 10, .split = DF_BLOCK(0), .along = 4 } } } },
        { "dim[1].along", { .element = 4, .dim = { { .size = 10, .split = DF_BLOCK(0), .along = 3 },
                                                   { .size = 10, .split = DF_BLOCK(0) } } } },
        { "dim[1].along", { .element = 4, .dim = { { .size = 10, .split = DF_BLOCK(0), .along = 2 },
                                                   { .size = 10, .split = DF_BLOCK(0), .along = 2 } } } },
        { "parts[1]", { .element = 4, .dim = { { .size = 10 } }, .parts = { 1, -2 } } },
        { "parts[1]", { .element = 4, .dim = { { .size = 10 } }, .parts = { 65536, 2 } } },
        { "dims", { .element = 4, .dims = 4, .dim = { { .size = 10 } } } },
        { "n_devices", { .element = 4, .dim = { { .size = 10 } }, .n_devices = -1 } },
        { "n_devices", { .element = 4, .dim = { { .size = 10 } }, .devices = devices } },
        { "devices[1]", { .element = 4, .dim = { { .size = 10 } }, .devices = no_device, .n_devices = 2 } },
        { "element", { .memory = devices, .dim = { { .size = 10 } } } },
        { "dim[0].size", { .element = 4,
                           .dim = { { .size = 1L << 30 }, { .size = 1L << 30 }, { .size = 1L << 30 } } } },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) refused(&all[i].ask, all[i].field);
    df_dist *d = df_dist_new(DF_DIST(.element = 4, .dim = { { .size = 10, .split = DF_BLOCK(0) } }, .parts = { 3 }));
    CHECK(d && df_dist_scatter(d) == DF_ERROR_DIST && strstr(said, "df_dist_scatter"));
    CHECK(df_dist_gather(d) == DF_ERROR_DIST && strstr(said, "df_dist_gather"));
    CHECK(df_halo_exchange(NULL) == DF_ERROR_DIST && strstr(said, "df_halo_update"));
    CHECK(df_halo_exchange(d) == DF_OK);
    CHECK(df_dist_part(d, -1) == NULL && df_dist_part(d, 3) == NULL && df_dist_part(NULL, 0) == NULL);
    df_dist_free(d);
    df_dist_free(NULL);
}

/* No elements, or fewer than parts; no data at all; the defaults. */
static void odd_shapes(void)
{
    int two[2] = { 0, 0 }, three[3] = { 0, 3, 0 };
    CHECK(df_dist_arrange(12, 2, two) == 12 && two[0] == 4 && two[1] == 3);
    CHECK(df_dist_arrange(12, 3, three) == 12 && three[0] == 2 && three[1] == 3 && three[2] == 2);
    CHECK(df_dist_arrange(7, 2, (int[]){ 2, 0 }) == 6);
    CHECK(df_dist_arrange(1, 1, (int[]){ 5 }) == 5);

    df_dist *d = df_dist_new(DF_DIST(.memory = devices, .element = 4, .dims = 1,
                                     .dim = { { .split = DF_BLOCK(0), .halo = { 1, 1 }, .edge = { 1, 1 } } },
                                     .parts = { 4 }));
    CHECK(d && df_dist_scatter(d) == DF_OK && df_halo_exchange(d) == DF_OK && df_dist_gather(d) == DF_OK);
    CHECK(df_dist_parts(d) == 4 && df_dist_next(d, NULL) == NULL);
    df_dist_free(d);

    d = df_dist_new(DF_DIST(.dim = { { .size = 2, .split = DF_BLOCK(0) }, { .size = 5, .split = DF_CYCLIC(2) } },
                            .parts = { 3, 2 }));
    CHECK(d && df_dist_parts(d) == 6);
    int n = 0;
    DF_FOR_PARTS(p, d) {
        CHECK(!p->data && p->count[0] == 1 && p->count[1] == (p->coord[1] ? 2 : 3));
        n++;
    }
    CHECK(n == 4);
    df_dist_free(d);

    d = df_dist_new(DF_DIST(.element = 1, .dim = { { .size = 9, .split = DF_BLOCK(0) }, { .size = 9 } }));
    CHECK(d && df_dist_parts(d) == df_gpu_devices());
    df_dist_free(d);
    d = df_dist_new(DF_DIST(.element = 1, .dim = { { .size = 9 }, { .size = 9 } })); /* all for each */
    CHECK(d && df_dist_parts(d) == df_gpu_devices());
    DF_FOR_PARTS(p, d) CHECK(p->elements == 81 && p->device == p->index + 1);
    df_dist_free(d);
}

int main(int argc, char **argv)
{
    static const char *const sim[] = { "", "1:64M", "2:64M", "3:64M", "4:64M" };
    static const int workers[] = { 1, 2, 4 };
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int cases = argc > 2 ? atoi(argv[2]) : 40, settings = 0;
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    const char *kind = getenv("DF_GPU"); /* set to a driver: once, on its devices */
    const int real = kind && strcmp(kind, "sim") && strcmp(kind, "none");
    for (int s = 0; s < (real ? 1 : 5); s++)
        for (int w = 0; w < 3; w++) {
            char text[24];
            if (!real) setenv("DF_GPU", s ? "sim" : "none", 1), setenv("DF_GPU_SIM", sim[s], 1);
            snprintf(text, sizeof text, "%d", (int)(seed % 1000) + w);
            if (w) setenv("DF_GPU_SIM_SEED", text, 1);
            else unsetenv("DF_GPU_SIM_SEED");
            CHECK(df_start(&(df_config){ .workers = workers[w], .log = hear }) == DF_OK);
#if !defined(DF_SERIAL)
            CHECK(real || df_gpu_devices() == (s ? s : 1));
#endif
            bad_input();
            odd_shapes();
            said[0] = 0;
            for (int i = 0; i < cases; i++) {
                state = seed * 1000003 + (uint64_t)settings;
                one_case(df_gpu_devices());
                if (said[0]) {
                    fprintf(stderr, "seed %llu, case %d, devices %s, workers %d: %s\n", (unsigned long long)seed,
                            settings, real ? kind : sim[s], workers[w], said);
                    CHECK(!said[0]);
                }
                settings++;
            }
            df_stop();
#if defined(DF_SERIAL)
            s = w = 5;
#endif
        }
    printf("cases: %d\n", settings);
}
