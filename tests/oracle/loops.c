/* loops.c - loops, pipes and speculation of the oracle: all of it in serial order */
#include <stdlib.h>
#include <string.h>
#include "oracle.h"

static int is_empty(const df_loop *o, const long *bounds, int dims)
{
    int d;
    for (d = 0; d < dims; d++) {
        long lo = bounds[2 * d], hi = bounds[2 * d + 1];
        long step = !o ? 0 : d == 0 ? o->step : d == 1 ? o->step1 : d == 2 ? o->step2 : o->step3;
        if (step < 0) hi = lo, lo = bounds[2 * d + 1];
        if (o && o->unsigned_range ? (unsigned long)lo >= (unsigned long)hi : lo >= hi) return 1;
    }
    return 0;
}
void dfi_for(const struct dfi_loop_type *type, const df_loop *o, const long (*v)[3], const char *site,
             const long *bounds, void *args, struct dfi_access *x, unsigned n, struct dfi_exception *threw)
{
    (void)v, (void)site, (void)threw; /* serial order agrees with all vectors that are allowed */
    oracle_cannot_record();
    oracle_enter_block(x, n);
    if (!is_empty(o, bounds, type->dims) && !df_cancelled()) type->run(bounds, args);
    oracle_leave_block(oracle_current());
}
void dfi_first_touch(void *p, size_t bytes, const char *site) { (void)p, (void)bytes, (void)site; }
long dfi_pipe(const struct dfi_pipe_type *type, const df_pipe_opts *o, const char *site, void *ctx,
              struct dfi_exception *threw)
{
    void *item = aligned_alloc(64, (type->item_bytes + 63) / 64 * 64);
    struct scope *b;
    long i;
    int stage, next, more = 1;
    (void)o, (void)threw;
    oracle_cannot_record();
    b = oracle_enter_block(NULL, 0);
    memset(item, 0, type->item_bytes);
    for (i = 0; more && !df_cancelled(); i++)
        for (stage = 0;;) {
            next = type->run(stage, item, i, ctx);
            if (next == DF_PIPE_DONE) break;
            if (next == DF_PIPE_END && stage == 0) i--; /* there is no such item */
            if (next >= 0) {
                int least = stage == 0 || next & DFI_STAGE_IN_ORDER ? stage + 1 : stage;
                if ((next & ~DFI_STAGE_IN_ORDER) < least) next = DFI_STAGE_WRONG;
            }
            if (next < 0 && next != DF_PIPE_END) {
                oracle_say("%s: a stage out of range", site);
                df_fail(DF_ERROR_STAGE, df_error_text(DF_ERROR_STAGE));
            }
            if (next < 0 || df_cancelled()) {
                more = 0;
                break;
            }
            stage = next & ~DFI_STAGE_IN_ORDER;
        }
    oracle_leave_block(b);
    free(item);
    return i;
}
int dfi_speculate_next(struct dfi_speculation *b)
{
    oracle_cannot_record();
    if (!b->open || (b->begun && !b->loop)) return 0;
    b->begun = 1;
    dfi_wait_on_here(dfi_region_bytes_at(b->when.p, b->when.bytes), b->site);
    if (df_cancelled()) return 0;
    return (b->when.holds ? b->when.holds(b->when.p) : dfi_condition_bits(b->when.p, b->when.bytes)) == b->guess;
}
void dfi_speculate_end(struct dfi_speculation *b) { b->open = 0; }
