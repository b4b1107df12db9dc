/* halos.c - the halos of a distributed array at each kind of edge, and their updates one side and one dimension at a
 * time, written out: with one device, several small ones, and the host
 *
 * tests/gpu/dist.c compares random distributions with a model; here are the numbers. The arguments are not used. */
#define DF_IMPLEMENTATION
#include "df_gpu.h"
#include "../test.h"

enum { N = 7, M = 5 };

DF_TASK(void, show, (const char *, what), (const df_part *, p), df_in(int, data, n), (long, n),
        df_inout(char, order, 1));
void show(const char *what, const df_part *p, const int *data, long n, char *order)
{
    (void)n, (void)order;
    if (p->index == 0) printf("%s\n", what);
    printf("  part %d, from %ld:", p->index, p->lo[0]);
    for (long i = 0; i < p->extent[0]; i++) {
        for (long k = 0; k < p->extent[1]; k++) printf(" %d", data[i * p->stride[0] + k]);
        if (p->extent[1] > 1 && i + 1 < p->extent[0]) printf(" |");
    }
    printf("\n");
}
static void print(const char *what, df_dist *u)
{
    char order = 0;
    DF_FOR_PARTS(p, u) df_submit(show, what, p, (int *)p->data, (long)p->elements, &order);
    CHECK(df_wait_result() == DF_OK);
}

/* Halos become negative, so that it is seen which an update fills. */
DF_KERNEL(clear, df_inout(int, x, n), (int, n), (int, first), (int, count),
{
    int i = df_global_id(0);
    if (i < n && (i < first || i >= first + count)) x[i] = -1;
})
/* Element g of the array, which has 10 + g there; beyond its ends what the edge says. */
static int element(long g, enum df_edge left, enum df_edge right)
{
    enum df_edge e = g < 0 ? left : right;
    if (g >= 0 && g < N) return 10 + (int)g;
    if (e == DF_EDGE_NONE) return -1; /* as it was */
    if (e == DF_EDGE_PERIODIC) return 10 + (int)((g + N) % N);
    return 10 + (int)(g < 0 ? -g : 2 * (N - 1) - g);
}
DF_TASK(void, compare, (const df_part *, p), df_in(int, data, n), (long, n), (enum df_edge, left),
        (enum df_edge, right));
void compare(const df_part *p, const int *data, long n, enum df_edge left, enum df_edge right)
{
    for (long i = 0; i < n; i++) CHECK(data[i] == element(df_dist_global(p, 0, i), left, right));
}
static void edges(void)
{
    static const struct { const char *name; enum df_edge left, right; } of[] = {
        { "none", DF_EDGE_NONE, DF_EDGE_NONE }, { "periodic", DF_EDGE_PERIODIC, DF_EDGE_PERIODIC },
        { "reflecting", DF_EDGE_REFLECTING, DF_EDGE_REFLECTING }, { "mixed", DF_EDGE_REFLECTING, DF_EDGE_NONE },
    };
    int a[N];
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < N; i++) a[i] = 10 + i;
        df_dist *u = df_dist_new(DF_DIST(.memory = a, .element = sizeof(int), .parts = { 3 },
            .dim = { { .size = N, .split = DF_BLOCK(0), .halo = { 2, 1 },
                       .edge = { (int)of[k].left, (int)of[k].right } } }));
        CHECK(u && df_dist_parts(u) == 3);
        df_dist_scatter(u);
        DF_FOR_PARTS(p, u)
            df_launch_with(DF_OPTS(.device = p->device), clear, df_grid((long)p->elements), (int *)p->data,
                           (int)p->elements, (int)p->first[0], (int)p->count[0]);
        df_halo_update(u, DF_RIGHT);
        print(of[k].name, u);
        df_halo_exchange(u);
        print("both", u);
        DF_FOR_PARTS(p, u) df_submit(compare, p, (int *)p->data, (long)p->elements, of[k].left, of[k].right);
        df_wait();
        df_dist_free(u);
    }
}

/* Each element becomes the sum of its neighbours in both dimensions. */
DF_KERNEL(cross, df_in(int, x, n), df_inout(int, y, n), (int, n), (int, rows), (int, cols), (int, row), (int, col),
          (int, ld),
{
    int j = df_global_id(0);
    int i = df_global_id(1);
    if (i < rows && j < cols) {
        int at = (row + i) * ld + col + j;
        y[at] = x[at - ld] + x[at + ld] + x[at - 1] + x[at + 1];
    }
})
static void planes(void)
{
    int a[N][M], b[N][M] = { { 0 } };
    df_dist_desc desc = *DF_DIST(.memory = a, .element = sizeof(int), .parts = { 2, 2 },
        .dim = { { .size = N, .split = DF_BLOCK(0), .halo = { 1, 1 },
                   .edge = { DF_EDGE_REFLECTING, DF_EDGE_REFLECTING } },
                 { .size = M, .split = DF_BLOCK(0), .halo = { 1, 1 },
                   .edge = { DF_EDGE_PERIODIC, DF_EDGE_PERIODIC } } });
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) a[i][j] = 10 * i + j;
    df_dist *u = df_dist_new(&desc), *v;
    desc.memory = b;
    v = df_dist_new(&desc);
    CHECK(u && v);
    df_dist_scatter(u);
    df_halo_update(u, DF_LEFT & DF_DIM(0));
    print("from above", u);
    df_halo_update(u, DF_DIM(1));
    print("both sides", u);
    df_halo_exchange(u);
    DF_FOR_PARTS(p, u) {
        const df_part *q = df_dist_part(v, p->index);
        df_launch_with(DF_OPTS(.device = p->device), cross, df_grid2(p->count[1], p->count[0], 8, 4), (int *)p->data,
                       (int *)q->data, (int)p->elements, (int)p->count[0], (int)p->count[1], (int)p->first[0],
                       (int)p->first[1], (int)p->stride[0]);
    }
    df_dist_gather(v);
    CHECK(df_wait_result() == DF_OK);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++) {
            int above = i ? a[i - 1][j] : a[1][j], below = i < N - 1 ? a[i + 1][j] : a[N - 2][j];
            CHECK(b[i][j] == above + below + a[i][(j + M - 1) % M] + a[i][(j + 1) % M]);
            printf(" %d", b[i][j]);
        }
        printf("\n");
    }
    df_dist_free(u), df_dist_free(v);
}

/* Blocks of two in turn, and the share of a part in a range. */
static void turns(void)
{
    int a[11];
    for (int i = 0; i < 11; i++) a[i] = i * i;
    df_dist *u = df_dist_new(DF_DIST(.memory = a, .element = sizeof(int), .parts = { 3 },
                                     .dim = { { .size = 11, .split = DF_CYCLIC(2) } }));
    CHECK(u);
    df_dist_scatter(u);
    print("in turn", u);
    DF_FOR_PARTS(p, u) {
        long from, to, n = df_dist_range(p, 0, 3, 9, &from, &to);
        printf("  %ld of 3 .. 8:", n);
        for (long i = from; i < to; i++) printf(" %ld", df_dist_global(p, 0, i));
        printf(", 7 is at %ld\n", df_dist_local(p, 0, 7));
    }
    df_dist_free(u);
}

int main(void)
{
    int parts[3] = { 0, 2, 0 }, n;
    edges();
    planes();
    turns();
    n = df_dist_arrange(12, 3, parts);
    printf("%d: %d x %d x %d\n", n, parts[0], parts[1], parts[2]);
    return 0;
}
