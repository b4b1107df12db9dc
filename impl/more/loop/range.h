/* range.h - iteration ranges of loops, and validation of loop options; in both builds */
#ifndef DFI_MORE_LOOP_RANGE_H
#define DFI_MORE_LOOP_RANGE_H

#include "../../base/log.h"
#include "../../api/loop.h"
#include "../../api/loop_words.h"

static const df_loop dfi_loop_default = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };

static long dfi_range_step(const df_loop *o, int d)
{
    long step = d == 0 ? o->step : d == 1 ? o->step1 : d == 2 ? o->step2 : o->step3;
    return step ? step : 1;
}

/* True if the loop has no iterations, because a dimension has none. */
static int dfi_range_empty(const df_loop *o, const long *bounds, int dims)
{
    int d;
    for (d = 0; d < dims; d++) {
        long lo = bounds[2 * d], hi = bounds[2 * d + 1];
        if (lo == hi || ((o->unsigned_range ? (unsigned long)lo > (unsigned long)hi : lo > hi) ^
                         (dfi_range_step(o, d) < 0))) return 1;
    }
    return 0;
}

DFI_SMALL_CODE_BEGIN

/* The number of iterations lo, lo + step, ... before hi. pre: there is one. Never overflows: at most ULONG_MAX. */
static unsigned long dfi_range_count(long lo, long hi, long step)
{
    unsigned long a = (unsigned long)lo, b = (unsigned long)hi;
    return step > 0 ? (b - a - 1) / (unsigned long)step + 1 : (a - b - 1) / (0 - (unsigned long)step) + 1;
}

/* For df_loop.exact: true if the steps of all dimensions reach their hi. The first that does not is reported. */
static DFI_NOINLINE int dfi_range_exact(const df_loop *o, const long *bounds, int dims, const char *site,
                                        const char *name)
{
    int d;
    for (d = 0; d < dims; d++) {
        long lo = bounds[2 * d], hi = bounds[2 * d + 1], step = dfi_range_step(o, d);
        unsigned long way = step > 0 ? (unsigned long)hi - (unsigned long)lo : (unsigned long)lo - (unsigned long)hi;
        int ahead = (o->unsigned_range ? (unsigned long)lo < (unsigned long)hi : lo < hi) == (step > 0);
        if (lo == hi) return 1; /* no iterations: the serial loops inside of this one would not begin */
        if (ahead && way % (step > 0 ? (unsigned long)step : 0 - (unsigned long)step) == 0) continue;
        dfi_error("%s: df_loop.exact of loop %s: steps of %ld from %ld do not reach %ld in dimension %d: the loop does "
                  "not run; correct the step or the end, or leave .exact out", site, name, step, lo, hi, d);
        return 0;
    }
    return 1;
}

/* The options of a call; errors in them are reported and repaired. wave: it is a wavefront. */
static DFI_NOINLINE const df_loop *dfi_loop_options(const df_loop *o, const char *site, int wave, df_loop *repaired)
{
    static const char dimension[DFI_LOOP_DIMS][2] = { "", "1", "2", "3" };
    long *grain[DFI_LOOP_DIMS];
    int d;
    if (o->grain >= 0 && o->grain1 >= 0 && o->grain2 >= 0 && o->grain3 >= 0 && o->schedule >= DF_AUTO &&
        o->schedule <= DF_GUIDED && (o->workers == 0 || o->workers == 1 || (o->workers > 1 && !wave)))
        return o;
    *repaired = *o;
    grain[0] = &repaired->grain, grain[1] = &repaired->grain1, grain[2] = &repaired->grain2;
    grain[3] = &repaired->grain3;
    for (d = 0; d < DFI_LOOP_DIMS; d++)
        if (*grain[d] < 0) {
            dfi_error("%s: df_loop.grain%s = %ld is negative: df chooses the size of chunks, as for 0; use 0 or a "
                      "positive number",
                      site, dimension[d], *grain[d]);
            *grain[d] = 0;
        }
    if (o->schedule < DF_AUTO || o->schedule > DF_GUIDED) {
        dfi_error("%s: df_loop.schedule = %d is no constant of enum df_schedule: DF_AUTO is used", site, o->schedule);
        repaired->schedule = DF_AUTO;
    }
    if (o->workers < 0 || (o->workers > 1 && wave)) {
        if (o->workers < 0)
            dfi_error("%s: df_loop.workers = %d is negative: all workers run the loop; use 0 or a positive number",
                      site, o->workers);
        else
            dfi_error("%s: df_loop.workers = %d of a wavefront: all workers run its tiles; use 0, or 1 for serial "
                      "order", site, o->workers);
        repaired->workers = 0;
    }
    return repaired;
}

/* True if all vectors lead to iterations that come earlier in serial order. The first that does not
 * is reported. */
static DFI_NOINLINE int dfi_vectors_right(const long (*v)[3], int dims, const char *site, const char *name)
{
    int d, k;
    if (dims > DFI_WAVE_DIMS) {
        dfi_error("%s: df_wavefront(%s, ...): the loop has %d dimensions, and vectors have 3: the loop runs in serial "
                  "order; combine two dimensions in one", site, name, dims);
        return 0;
    }
    for (; v && (v[0][0] || v[0][1] || v[0][2]); v++) {
        for (d = 0; d < 2 && !(*v)[d];) d++; /* the first component that is not 0 */
        for (k = dims; k < 3 && !(*v)[k];) k++;
        if ((*v)[d] > 0 && d < dims && k >= 3) continue;
        dfi_error("%s: the vector {%ld, %ld, %ld} of df_wavefront(%s, ...) does not name an earlier iteration: the "
                  "loop runs in serial order; its first component that is not 0 must be positive, and those after "
                  "number %d must be 0", site, (*v)[0], (*v)[1], (*v)[2], name, dims);
        return 0;
    }
    return 1;
}

DFI_SMALL_CODE_END

#endif
