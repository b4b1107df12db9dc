/* METG with OpenMP's `task depend`. */
#include "metg.h"
#include <omp.h>

static int metg_start(void) { return omp_get_max_threads(); }
static void metg_stop(void) {}
static void metg_pattern(int pattern, int steps) { (void)pattern, (void)steps; }

typedef uint32_t u;
#define BODY(out, n, ...) metg_body(out, n, (const u *const[]){ __VA_ARGS__ })

static void metg_block(int pattern, int steps)
{
    #pragma omp parallel
    #pragma omp single
    for (int t = 0; t < steps; t++)
        for (int i = 0; i < width; i++) {
            u *o = metg_out(t, i), *in[INPUTS_MAX] = { NULL };
            int n = metg_inputs(pattern, t, i, in);
            u *a = in[0], *b = in[1], *c = in[2], *d = in[3], *e = in[4];
            switch (n) {
            case 0:
                #pragma omp task depend(out: o[0]) firstprivate(o)
                metg_body(o, 0, NULL);
                break;
            case 1:
                #pragma omp task depend(out: o[0]) depend(in: a[0]) firstprivate(o, a)
                BODY(o, 1, a);
                break;
            case 2:
                #pragma omp task depend(out: o[0]) depend(in: a[0], b[0]) firstprivate(o, a, b)
                BODY(o, 2, a, b);
                break;
            case 3:
                #pragma omp task depend(out: o[0]) depend(in: a[0], b[0], c[0]) firstprivate(o, a, b, c)
                BODY(o, 3, a, b, c);
                break;
            case 4:
                #pragma omp task depend(out: o[0]) depend(in: a[0], b[0], c[0], d[0]) firstprivate(o, a, b, c, d)
                BODY(o, 4, a, b, c, d);
                break;
            default:
                #pragma omp task depend(out: o[0]) depend(in: a[0], b[0], c[0], d[0], e[0]) \
                    firstprivate(o, a, b, c, d, e)
                BODY(o, 5, a, b, c, d, e);
                break;
            }
        }
}
