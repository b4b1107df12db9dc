/* The workloads of gpu.h written by hand, for any interface that has memory, queues in order and events: one queue
 * for kernels, and for outofcore one for transfers in each direction, ordered by events. Arguments that are constant
 * in a row of launches are set once. The host waits only at the end, and where it reads memory. */
#ifndef GPU_HAND_H
#define GPU_HAND_H
#define IN_PARTS 1
#include "gpu.h"

enum { MOST = 8 };                                                  /* devices */
enum { IN, OUT, RUN, QUEUES };

/* The parts that an interface defines: MEMORY, EVENT (macros: types), and */
static MEMORY device_memory(int d, size_t bytes);
static void device_free(MEMORY m);
static void device_in(int d, int q, MEMORY m, struct square s);     /* its rows lie close together on the device */
static void device_out(int d, int q, struct square s, MEMORY m);
static void device_line_in(int d, int q, MEMORY m, const void *p, size_t bytes);
static void device_line_out(int d, int q, void *p, MEMORY m, size_t bytes);
static EVENT device_mark(int d, int q);                             /* the operations in the queue so far */
static void device_after(int d, int q, EVENT e);                    /* later operations wait for it */
static void device_drop(EVENT e);
static void device_finish(int d, int q);
static void bump_begin(MEMORY x);
static void bump(uint32_t k);
static void add_begin(int d, float a, MEMORY x, MEMORY y, long n);
static void add(int d);
static void sweep(MEMORY from, MEMORY to, long side);
static void multiply(MEMORY a, MEMORY b, MEMORY c, long n);
static void peek(MEMORY x, MEMORY sum, long last);
static void poke(MEMORY x, long step, float k);

/* --- the data on the devices -------------------------------------------------------------------------------------- */

static struct { char *p; int devices; MEMORY m[MOST]; } kept[4];

static int place_of(const void *p)
{
    int i = 0;
    while (kept[i].p != p) i++;
    return i;
}
static MEMORY memory_of(const void *p) { return kept[place_of(p)].m[0]; }

static void run_keep(void *p, size_t bytes, int devices)
{
    int i = place_of(NULL);
    size_t part = bytes / (size_t)devices;
    kept[i].p = (char *)p;
    kept[i].devices = devices;
    for (int d = 0; d < devices; d++) {
        kept[i].m[d] = device_memory(d, part);
        device_line_in(d, RUN, kept[i].m[d], kept[i].p + (size_t)d * part, part);
    }
    for (int d = 0; d < devices; d++) device_finish(d, RUN);
}
static void run_back(void *p, size_t bytes)
{
    int i = place_of(p);
    size_t part = bytes / (size_t)kept[i].devices;
    for (int d = 0; d < kept[i].devices; d++) device_line_out(d, RUN, kept[i].p + (size_t)d * part, kept[i].m[d], part);
    for (int d = 0; d < kept[i].devices; d++) {
        device_finish(d, RUN);
        device_free(kept[i].m[d]);
    }
    kept[i].p = NULL;
}

/* --- resident data ------------------------------------------------------------------------------------------------ */

static void run_chain(uint32_t *x, long times, int wait)
{
    bump_begin(memory_of(x));
    for (long k = 0; k < times; k++) {
        bump((uint32_t)k);
        if (wait) device_finish(0, RUN);
    }
    device_finish(0, RUN);
}

static void run_axpy(float a, float *x, float *y, long n, int devices, long times)
{
    for (int d = 0; d < devices; d++) add_begin(d, a, kept[place_of(x)].m[d], kept[place_of(y)].m[d], n / devices);
    for (long k = 0; k < times; k++)
        for (int d = 0; d < devices; d++) add(d);
    for (int d = 0; d < devices; d++) device_finish(d, RUN);
}

static void run_jacobi(float *from, float *to, long side, long sweeps)
{
    MEMORY m[2] = { memory_of(from), memory_of(to) };
    for (long k = 0; k < sweeps; k++) sweep(m[k % 2], m[1 - k % 2], side);
    device_finish(0, RUN);
}

static void run_multiply(struct square a, struct square b, struct square c, long times)
{
    MEMORY x = memory_of(a.p), y = memory_of(b.p), z = memory_of(c.p);
    for (long k = 0; k < times; k++) multiply(x, y, z, a.n);
    device_finish(0, RUN);
}

/* --- transfers ---------------------------------------------------------------------------------------------------- */

static void run_to_device(float *x, float *sum, long n, long times)
{
    MEMORY there = memory_of(x), there_sum = memory_of(sum);
    for (long k = 0; k < times; k++) {
        touch_body(x, n, k);
        device_line_in(0, RUN, there, x, (size_t)n * sizeof *x);
        peek(there, there_sum, n - n / POKES);
        device_finish(0, RUN);
    }
}

static void run_to_host(float *x, float *sum, long n, long times)
{
    MEMORY there = memory_of(x);
    for (long k = 0; k < times; k++) {
        poke(there, n / POKES, (float)k);
        device_line_out(0, RUN, x, there, (size_t)n * sizeof *x);
        device_finish(0, RUN);
        look_body(x, sum, n);
    }
}

/* --- data that do not fit ------------------------------------------------------------------------------------------
 * Two rows of tiles of a stay while all of b passes by; the next two rows take the places of the last but one. The
 * tiles of b and c take turns in places of their own. All of them together are TILES_AT_ONCE. */

enum { A_PLACES = 4 * TILES, C_PLACES = 8, B_PLACES = TILES_AT_ONCE - A_PLACES - C_PLACES };

/* One tile's place: the transfer that filled it, and the last operation that needs its content. */
struct place { MEMORY m; EVENT ready, over; int is_ready, is_over; };
static struct place place[TILES_AT_ONCE];

static void run_limit(size_t bytes)
{
    static int there;
    size_t part = bytes / TILES_AT_ONCE;
    float *something = bytes ? numbers((long)(part / sizeof(float)), 12) : NULL;  /* kernels alone compute with it */
    for (int i = 0; i < TILES_AT_ONCE; i++) {
        if (there) device_free(place[i].m);
        if (!bytes) continue;
        place[i].m = device_memory(0, part);
        device_line_in(0, IN, place[i].m, something, part);
    }
    device_finish(0, IN);
    free(something);
    there = bytes != 0;
}

static void replace_event(EVENT *e, int *is, EVENT by)
{
    if (*is) device_drop(*e);
    *e = by;
    *is = 1;
}

static void tile_in(struct place *p, struct square s, int what)
{
    if (!(what & TRANSFERS)) return;
    if (p->is_over) device_after(0, IN, p->over);
    device_in(0, IN, p->m, s);
    replace_event(&p->ready, &p->is_ready, device_mark(0, IN));
    if (what & KERNELS) device_after(0, RUN, p->ready);
}

static void tile_over(struct place *p, int q) { replace_event(&p->over, &p->is_over, device_mark(0, q)); }

static struct square tile_of(struct square s, long tile, long row, long column)
{
    struct square t = { s.p + row * tile * s.ld + column * tile, tile, s.ld };
    return t;
}

static void run_outofcore(struct square a, struct square b, struct square c, long tile, int what)
{
    struct place *in_a = place, *in_b = place + A_PLACES, *in_c = in_b + B_PLACES;
    long tiles = a.n / tile, next_b = 0, next_c = 0;
    for (long i = 0; i < tiles; i += 2)
        for (long j = 0; j < tiles; j++) {
            struct place *z[2];
            for (int r = 0; r < 2; r++) {
                z[r] = &in_c[next_c++ % C_PLACES];
                tile_in(z[r], tile_of(c, tile, i + r, j), what);
            }
            for (long k = 0; k < tiles; k++) {
                struct place *y = &in_b[next_b++ % B_PLACES];
                tile_in(y, tile_of(b, tile, k, j), what);
                for (int r = 0; r < 2; r++) {
                    struct place *x = &in_a[((i + r) * tiles + k) % (4 * tiles)];
                    if (j == 0) tile_in(x, tile_of(a, tile, i + r, k), what);
                    if (what & KERNELS) multiply(x->m, y->m, z[r]->m, tile);
                    if (what == (TRANSFERS | KERNELS) && j == tiles - 1) tile_over(x, RUN);
                }
                if (what == (TRANSFERS | KERNELS)) tile_over(y, RUN);
            }
            for (int r = 0; r < 2 && what & TRANSFERS; r++) {
                if (what & KERNELS) {
                    tile_over(z[r], RUN);
                    device_after(0, OUT, z[r]->over);
                } else device_after(0, OUT, z[r]->ready);
                device_out(0, OUT, tile_of(c, tile, i + r, j), z[r]->m);
                tile_over(z[r], OUT);
            }
        }
    for (int q = 0; q < QUEUES; q++) device_finish(0, q);
    for (int i = 0; i < TILES_AT_ONCE; i++) {
        if (place[i].is_ready) device_drop(place[i].ready);
        if (place[i].is_over) device_drop(place[i].over);
        place[i].is_ready = place[i].is_over = 0;
    }
}
#endif
