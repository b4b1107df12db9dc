/* yada: threads refine a mesh of triangles until each is as small as its place demands. A shared heap has the triangles
 * that are too large. A block bisects one, after the neighbours beyond the longest sides as far as necessary; it frees
 * the old triangles and allocates the new ones.
 *
 * A task is a bisection. Triangles are right-angled and isosceles; two are bisected together at the middle of the
 * longest side that they share. The bisections that are necessary, and so the final mesh, do not depend on the order.
 * Source of the bisection: Rivara, "New longest-edge algorithms for the refinement and/or improvement of unstructured
 * triangulations", International Journal for Numerical Methods in Engineering 40, 1997. */
#ifndef STM_YADA_H
#define STM_YADA_H

#include "heap.h"

enum { YADA_UNIT = 1 << 12, YADA_NEW = 256 };     /* side of a square of the first mesh; new triangles of a block */

/* Corner 0 has the right angle; the neighbour beyond[i] has the side opposite corner i, NULL at the border. */
typedef struct triangle {
    struct triangle *beyond[3];
    long x[3], y[3], level;                       /* level: bisections since the first mesh; constant, as x and y */
    long held, retired;                           /* in the heap, or taken from there; no longer in the mesh */
} triangle;
typedef struct { triangle *t[YADA_NEW]; int n; } yada_new;
static struct {
    triangle *some;                               /* in the mesh */
    heap large;
} the_yada;

/* Triangles have to be small near the diagonals of large squares. */
static inline int yada_too_large(const triangle *t)
{
    const long size = 8 * YADA_UNIT, u = (t->x[1] + t->x[2]) / 2 % size, v = (t->y[1] + t->y[2]) / 2 % size;
    const long a = labs(u - v), b = labs(u + v - size), near = a < b ? a : b;
    return t->level < (near < YADA_UNIT / 4 ? 10 : near < YADA_UNIT ? 6 : near < 2 * YADA_UNIT ? 3 : 1);
}

/* Divides t in two, which are new. 0: no memory. */
static inline int yada_halve(triangle *t, triangle *half[2], yada_new *made)
{
    long x[3], y[3];
    for (int i = 0; i < 3; i++) x[i] = df_tm_read(&t->x[i]), y[i] = df_tm_read(&t->y[i]);
    half[0] = (triangle *)df_tm_malloc(sizeof *t), half[1] = (triangle *)df_tm_malloc(sizeof *t);
    if (!half[0] || !half[1]) return 0;
    for (int k = 0; k < 2; k++) {
        triangle *h = half[k], *outer = df_tm_read(&t->beyond[2 - k]);
        h->x[0] = (x[1] + x[2]) / 2, h->x[1] = x[k ? 2 : 0], h->x[2] = x[k ? 0 : 1];
        h->y[0] = (y[1] + y[2]) / 2, h->y[1] = y[k ? 2 : 0], h->y[2] = y[k ? 0 : 1];
        h->level = df_tm_read(&t->level) + 1, h->retired = 0;
        h->beyond[0] = outer, h->beyond[2 - k] = half[!k], h->beyond[1 + k] = NULL;
        h->held = made->n < YADA_NEW && yada_too_large(h);
        if (h->held) made->t[made->n++] = h;
        for (int i = 0; i < 3 && outer; i++)
            if (df_tm_read(&outer->beyond[i]) == t) df_tm_write(&outer->beyond[i], h);
    }
    if (df_tm_read(&the_yada.some) == t) df_tm_write(&the_yada.some, half[0]);
    if (df_tm_read(&t->held)) df_tm_write(&t->retired, 1);
    else df_tm_free(t);
    return 1;
}
static inline void yada_refine(triangle *t, yada_new *made)
{
    made->n = 0;
    while (!df_tm_read(&t->retired)) {
        triangle *a = t, *b, *of_a[2], *of_b[2];
        while ((b = df_tm_read(&a->beyond[0])) != NULL && df_tm_read(&b->beyond[0]) != a) a = b;
        if (!yada_halve(a, of_a, made) || (b && !yada_halve(b, of_b, made))) return;
        if (!b) continue;
        of_a[0]->beyond[1] = of_b[1], of_a[1]->beyond[2] = of_b[0];
        of_b[0]->beyond[1] = of_a[1], of_b[1]->beyond[2] = of_a[0];
    }
    df_tm_free(t);
}

static STM_CALL triangle *yada_next(void)
{
    triangle *t = NULL;
    BLOCK t = (triangle *)heap_take(&the_yada.large); BLOCK_END
    return t;
}
static STM_CALL void yada_step(triangle *t, yada_new *made)
{
    BLOCK yada_refine(t, made); BLOCK_END
}
static STM_CALL void yada_add(triangle *t)
{
    BLOCK heap_put(&the_yada.large, t, t->level); BLOCK_END
}
static void yada_run(void *p)
{
    yada_new made = { { NULL }, 0 };
    (void)p;
    for (triangle *t; (t = yada_next()) != NULL; ) {
        yada_step(t, &made);
        for (int i = 0; i < made.n; i++) yada_add(made.t[i]);
    }
}

/* The first mesh: in each square a triangle below the diagonal, and one above it, of an odd number. */
static void yada_begin(long side, long n)
{
    static const int x[2][3] = { { 1, 1, 0 }, { 0, 0, 1 } }, y[2][3] = { { 0, 1, 0 }, { 1, 0, 1 } };
    triangle **t = (triangle **)bench_alloc((size_t)n, sizeof *t);
    the_yada.large.items = 0, the_yada.large.room = 256 * n;
    the_yada.large.item = (heap_item *)bench_alloc((size_t)the_yada.large.room, sizeof(heap_item));
    for (long i = 0; i < n; i++) t[i] = (triangle *)bench_alloc(1, sizeof **t);
    for (long i = 0; i < n; i++) {
        const long right = i / 2 % side, up = i / 2 / side, odd = i % 2;
        for (int k = 0; k < 3; k++) {
            t[i]->x[k] = (right + x[odd][k]) * YADA_UNIT;
            t[i]->y[k] = (up + y[odd][k]) * YADA_UNIT;
        }
        t[i]->beyond[0] = t[i ^ 1];
        if (odd ? up + 1 < side : up > 0) t[i]->beyond[1] = t[odd ? i - 1 + 2 * side : i + 1 - 2 * side];
        if (odd ? right > 0 : right + 1 < side) t[i]->beyond[2] = t[odd ? i - 3 : i + 3];
        t[i]->held = yada_too_large(t[i]);
        if (t[i]->held) heap_put(&the_yada.large, t[i], 0);
    }
    the_yada.some = t[0];
    free(t);
}

static outcome yada(long n)
{
    const long side = 4 + n / 125000, room = 512 * side * side;
    outcome o = { 0, -2 * side * side, 0 };
    triangle **t = (triangle **)bench_alloc((size_t)room, sizeof *t);
    int64_t area = (int64_t)2 * side * side * YADA_UNIT * YADA_UNIT;
    worker all;
    yada_begin(side, 2 * side * side);
    o.seconds = work_all(yada_run, 1, 1, 0, 0, &all);
    must(the_yada.large.items == 0, "yada: a triangle is left in the heap");
    n = 0;
    t[n++] = the_yada.some, the_yada.some->retired = 1;
    for (long i = 0; i < n; i++) {
        triangle *a = t[i];
        must(!a->held && !yada_too_large(a), "yada: a triangle is too large");
        area -= (int64_t)(a->x[1] - a->x[0]) * (a->y[2] - a->y[0]) - (int64_t)(a->x[2] - a->x[0]) * (a->y[1] - a->y[0]);
        o.sum += bench_mix(bench_mix((uint64_t)(a->x[0] << 24 ^ a->y[0])) ^ (uint64_t)(a->x[1] + a->x[2]));
        for (int k = 0; k < 3; k++) {
            triangle *b = a->beyond[k];
            must(!b || b->beyond[0] == a || b->beyond[1] == a || b->beyond[2] == a, "yada: neighbours");
            if (!b || b->retired) continue;
            must(n < room, "yada: triangles");
            b->retired = 1, t[n++] = b;
        }
    }
    must(area == 0, "yada: the triangles do not cover the mesh");
    for (long i = 0; i < n; i++) free(t[i]);
    o.tasks += n;
    free(t);
    free(the_yada.large.item);
    return o;
}
#endif
