/* range.h - iteration ranges of loops, and validation of loop options; in both builds */
#ifndef DFI_MORE_LOOP_RANGE_H
#define DFI_MORE_LOOP_RANGE_H

#include "../../base/log.h"
#include "../../api/public.h"

static const df_loop dfi_loop_default = { 0, 0, 0, 0, 0, 0, 0, 0, 0 };

/* The number of iterations lo, lo + step, ... before hi. Never overflows: at most ULONG_MAX. */
static unsigned long dfi_range_count(long lo, long hi, long step, int is_unsigned)
{
    unsigned long a = (unsigned long)lo, b = (unsigned long)hi;
    if (step > 0) return (is_unsigned ? a < b : lo < hi) ? (b - a - 1) / (unsigned long)step + 1 : 0;
    return (is_unsigned ? a > b : lo > hi) ? (a - b - 1) / (0 - (unsigned long)step) + 1 : 0;
}

static long dfi_range_step(const df_loop *o, int d)
{
    long step = d == 0 ? o->step : d == 1 ? o->step1 : o->step2;
    return step ? step : 1;
}

/* True if the loop has no iterations, because a dimension has none. */
static int dfi_range_empty(const df_loop *o, const long *bounds, int dims)
{
    int d;
    for (d = 0; d < dims; d++)
        if (!dfi_range_count(bounds[2 * d], bounds[2 * d + 1], dfi_range_step(o, d), o->unsigned_range)) return 1;
    return 0;
}

/* The options of a call, never NULL; errors in them are reported and repaired. */
static const df_loop *dfi_loop_options(const df_loop *o, const char *site, df_loop *repaired)
{
    long *grain[3];
    int d;
    if (!o) return &dfi_loop_default;
    if (o->grain >= 0 && o->grain1 >= 0 && o->grain2 >= 0 && o->schedule >= DF_AUTO && o->schedule <= DF_GUIDED)
        return o;
    *repaired = *o;
    grain[0] = &repaired->grain, grain[1] = &repaired->grain1, grain[2] = &repaired->grain2;
    for (d = 0; d < 3; d++)
        if (*grain[d] < 0) {
            dfi_error("%s: df_loop.grain%s = %ld is negative: taken as 0",
                      site, d ? d == 1 ? "1" : "2" : "", *grain[d]);
            *grain[d] = 0;
        }
    if (o->schedule < DF_AUTO || o->schedule > DF_GUIDED) {
        dfi_error("%s: df_loop.schedule = %d is none of enum df_schedule: taken as DF_AUTO", site, o->schedule);
        repaired->schedule = DF_AUTO;
    }
    return repaired;
}

/* True if all vectors lead to iterations that come earlier in serial order. The first that does not
 * is reported. */
static int dfi_vectors_right(const long (*v)[3], int dims, const char *site, const char *name)
{
    int d, k;
    for (; v && (v[0][0] || v[0][1] || v[0][2]); v++) {
        for (d = 0; d < 2 && !(*v)[d];) d++; /* the first component that is not 0 */
        for (k = dims; k < 3 && !(*v)[k];) k++;
        if ((*v)[d] > 0 && d < dims && k >= 3) continue;
        dfi_error("%s: the vector {%ld, %ld, %ld} of df_wavefront(%s, ...), of %d dimensions, does not name an "
                  "earlier iteration: its first component that is not 0 must be positive; done in serial order",
                  site, (*v)[0], (*v)[1], (*v)[2], name, dims);
        return 0;
    }
    return 1;
}

#endif
