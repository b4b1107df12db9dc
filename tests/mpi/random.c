/* random.c - random programs over ranks: tasks on any regions of arrays of 1 to 3 dimensions, with any tiles and homes
 *
 *   random FIRST LAST       the programs of these seeds; EACH=1: a line for each
 *
 * Each rank prints what the serial build prints: a hash of all arrays at the end of each program. */
#define DF_IMPLEMENTATION
#include "../../df_mpi.h"
#include "../test.h"
#include <string.h>

static uint64_t state;
static int below(int n) { return test_below(&state, n); }
static long least(long a, long b) { return a < b ? a : b; }

static unsigned hash(unsigned h, unsigned x) { return (h ^ x) * 2654435761u + (h >> 13); }

/* Reads all bytes of a block, and changes all of another. */
DF_TASK(void, change, (unsigned, id), (size_t, ar), (size_t, ac), (size_t, br), (size_t, bc), (size_t, ld),
        df_in2(unsigned char, a, ar, ac, ld), df_inout2(unsigned char, b, br, bc, ld));
void change(unsigned id, size_t ar, size_t ac, size_t br, size_t bc, size_t ld, const unsigned char *a, unsigned char *b)
{
    unsigned h = id;
    for (size_t i = 0; i < ar; i++)
        for (size_t j = 0; j < ac; j++) h = hash(h, a[i * ld + j]);
    for (size_t i = 0; i < br; i++)
        for (size_t j = 0; j < bc; j++) h = hash(h, b[i * ld + j]), b[i * ld + j] = (unsigned char)h;
}
DF_TASK(void, fill, (unsigned, id), (size_t, br), (size_t, bc), (size_t, ld), df_out2(unsigned char, b, br, bc, ld));
void fill(unsigned id, size_t br, size_t bc, size_t ld, unsigned char *b)
{
    for (size_t i = 0; i < br; i++)
        for (size_t j = 0; j < bc; j++) b[i * ld + j] = (unsigned char)(id + i * 7 + j);
}
/* Submits tasks of its own, and reads private memory, which is the same in each rank. */
DF_TASK(void, divide, (unsigned, depth), (size_t, n), df_in(unsigned, key, 1), df_inout(unsigned char, b, n));
void divide(unsigned depth, size_t n, const unsigned *key, unsigned char *b)
{
    if (!depth || n < 4) {
        change(*key + depth, 1, 1, 1, n, n, b, b);
        return;
    }
    df_submit(divide, depth - 1, n / 2, key, b);
    df_submit(divide, depth - 1, n - n / 2, key, b + n / 2);
    if (depth == 2) {
        df_wait();
        DF_PARALLEL { df_submit(fill, depth, 1, 2, 2, b); }
    }
    df_submit(divide, 0, n, key, b);
}
/* Any number of blocks, known at run time. */
struct list { unsigned id; int n; struct { size_t bytes, rows, distance; int mode; } r[8]; };
static void called(void *arg, void *const *p)
{
    const struct list *l = (const struct list *)arg;
    unsigned h = l->id;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < l->n; k++)
            for (size_t i = 0; i < l->r[k].rows; i++)
                for (size_t j = 0; j < l->r[k].bytes; j++) {
                    unsigned char *c = (unsigned char *)p[k] + i * l->r[k].distance + j;
                    if (!pass && l->r[k].mode != DF_OUT) h = hash(h, *c);
                    if (pass && l->r[k].mode != DF_IN) *c = (unsigned char)(h + i + j);
                }
}

struct array { unsigned char *p; int dims; long size[3], plane, width, bytes; };
static int any_home(const long *tile, void *arg)
{
    return (int)((tile[0] * 7 + tile[1] * 3 + tile[2] * 5 + *(int *)arg) % df_ranks());
}
static long long any_split(long size)
{
    return below(3) ? DF_CYCLIC(1 + below((int)least(size, 20))) : DF_BLOCK(0);
}
static void array_new(struct array *a)
{
    df_shared_desc d;
    int divided = 0;
    memset(&d, 0, sizeof d);
    memset(a, 0, sizeof *a);
    a->dims = 1 + below(3), a->plane = a->width = a->bytes = 1;
    for (int i = 0; i < 3; i++) a->size[i] = 1;
    for (int i = 0; i < a->dims; i++) {
        long n = a->dims == 1 ? 200 + below(4000) : a->dims == 2 ? 20 + below(60) : 4 + below(16);
        d.dim[i].size = a->size[3 - a->dims + i] = n;
        if (below(3)) d.dim[i].split = any_split(n), divided = 1;
        if (!below(3)) d.dim[i].tile = 1 + below((int)n);
    }
    if (!divided && below(3)) d.dim[0].split = any_split(d.dim[0].size);
    static int shift;
    shift = below(1000);
    if (!below(4)) d.home = any_home, d.home_arg = &shift;
    a->width = a->size[2], a->plane = a->size[1] * a->size[2], a->bytes = a->size[0] * a->plane;
    a->p = (unsigned char *)dfi_shared_alloc(1, "random.c", &d);
    CHECK(a->p);
}
/* A block of a: of lines of a plane, or of the same line of several planes, or of what is contiguous. */
struct block { unsigned char *p; size_t rows, row, ld; };
static struct block any_block(const struct array *a, int one_distance)
{
    struct block b;
    const int how = one_distance ? 0 : below(4);
    const long i = below((int)a->size[0]), j = below((int)a->size[1]), c = below((int)a->width);
    const int small = below(3);
    b.p = a->p + i * a->plane + j * a->width + c, b.ld = (size_t)a->width;
    b.row = (size_t)(1 + below((int)least(a->width - c, small ? 12 : a->width)));
    b.rows = (size_t)(1 + below((int)least(a->size[1] - j, small ? 8 : a->size[1])));
    if (how == 1) b.ld = (size_t)a->plane, b.rows = (size_t)(1 + below((int)(a->size[0] - i)));
    if (how == 2) {
        b.row = (size_t)(1 + below((int)least(a->bytes - (b.p - a->p), small ? 50 : 600)));
        b.rows = 1;
    }
    if (how == 3) { /* a distance that is not that of the array */
        b.row = (size_t)(1 + below(5)), b.ld = b.row + (size_t)below(30);
        b.rows = (size_t)(1 + below((int)least(12, (a->bytes - (b.p - a->p) - (long)b.row) / (long)b.ld + 1)));
        if (b.p + (b.rows - 1) * b.ld + b.row > a->p + a->bytes) b.rows = b.row = 1;
    }
    return b;
}

/* Options, or none: often a place. */
static const df_opts *any_opts(df_opts *o)
{
    const int priority = below(3), rank = below(24);
    *o = *DF_OPTS(.priority = priority, .name = "any");
    if (rank < 8) o->rank = DF_RANK(rank % df_ranks());
    else if (rank < 12) o->rank = DF_EACH_RANK;
    return below(2) ? o : NULL;
}

static unsigned key;
static void call(const struct array *a, const struct array *other, unsigned id)
{
    struct list l;
    df_region r[8];
    memset(&l, 0, sizeof l);
    l.id = id, l.n = 1 + below(8);
    for (int k = 0; k < l.n; k++) {
        struct block b = any_block(below(4) ? a : other, 0);
        static const int modes[] = { DF_IN, DF_IN, DF_INOUT, DF_OUT };
        l.r[k].mode = modes[below(4)], l.r[k].bytes = b.row, l.r[k].rows = b.rows, l.r[k].distance = b.ld;
        memset(&r[k], 0, sizeof r[k]);
        r[k].p = b.p, r[k].bytes = b.row, r[k].rows = b.rows, r[k].distance = b.ld, r[k].mode = (unsigned)l.r[k].mode;
    }
    df_opts o;
    df_call(any_opts(&o), called, &l, sizeof l, r, l.n);
}
static void submit(const struct array *a, const struct array *other, unsigned id)
{
    struct block x = any_block(a, 1), y = any_block(a, 1);
    const int what = below(12);
    df_opts o;
    if (what < 1) df_submit_with(any_opts(&o), change, id, x.rows, x.row, y.rows, y.row, x.ld, x.p, y.p);
    else if (what < 5) df_submit(change, id, x.rows, x.row, y.rows, y.row, x.ld, x.p, y.p);
    else if (what < 7) df_submit(fill, id, y.rows, y.row, y.ld, y.p);
    else if (what < 8) df_submit_with(any_opts(&o), fill, id, 1, y.row, y.ld, y.p);
    else if (what < 9) df_submit(divide, 3, y.row, &key, y.p);
    else call(a, other, id);
}

static uint64_t program(uint64_t seed)
{
    struct array a[3];
    uint64_t h = seed;
    state = seed * 999983u;
    const int arrays = 1 + below(3), n = 20 + below(200);
    key = (unsigned)seed;
    for (int i = 0; i < arrays; i++) {
        array_new(&a[i]);
        for (long k = 0; k < a[i].bytes; k++) /* each rank has the elements that have their home there */
            if (df_home(a[i].p + k) == df_rank()) a[i].p[k] = (unsigned char)(k * 7 + i);
    }
    for (int k = 0; k < n; k++) {
        const struct array *x = &a[below(arrays)], *y = &a[below(arrays)];
        const int what = below(60);
        if (what == 0) df_wait();
        else if (what == 1) { /* a decision that depends on a value */
            const long at = below((int)x->bytes);
            df_fetch(x->p + at, 1);
            if (x->p[at] & 1) submit(x, y, (unsigned)k);
        } else if (what == 2) {
            df_wait(); /* tasks of a block do not follow those before it */
            DF_PARALLEL { for (int i = below(6); i >= 0; i--) submit(x, y, (unsigned)(k + i)); }
        } else submit(x, y, (unsigned)k);
    }
    for (int i = 0; i < arrays; i++) {
        df_fetch(a[i].p, (size_t)a[i].bytes);
        for (long k = 0; k < a[i].bytes; k++) h = test_mix(h, a[i].p[k]);
    }
    CHECK(df_mpi_wait() == DF_OK);
    return h;
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, last = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    uint64_t all = 0;
    CHECK(df_mpi_start(MPI_COMM_WORLD, NULL) == DF_OK);
    for (uint64_t seed = first; seed <= last; seed++) {
        const uint64_t h = program(seed);
        all = test_mix(all, h);
        if (getenv("EACH")) printf("%llu: %016llx\n", (unsigned long long)seed, (unsigned long long)h);
    }
    printf("seeds %llu to %llu: %016llx\n", (unsigned long long)first, (unsigned long long)last, (unsigned long long)all);
    df_stop();
    return 0;
}
