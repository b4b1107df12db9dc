/* loop.h - DF_CHECK: parts of a loop that write the same memory
 *
 * The accesses of a loop order it with tasks, not its parts with each other. So a loop that writes declared memory runs
 * in a few parts, one after the other, and after each its memory is compared with a copy. A byte that two parts have
 * changed is reported: two workers could have run them at the same time. */
#ifndef DFI_OBSERVE_CHECK_LOOP_H
#define DFI_OBSERVE_CHECK_LOOP_H

#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../api/access.h"
#include "../../work/supervise.h"
#include "../../work/types.h"
#include "../../flow/region.h"
#include "../../more/loop/for.h"
#include "check.h"
#include "declared.h"

#if DF_CHECK

DFI_SMALL_CODE_BEGIN

enum {
    DFI_CHECK_LOOP_PARTS = 4,
    DFI_CHECK_LOOP_BYTES = 1 << 16 /* of a region that are compared: pieces of DFI_CHECK_SUM_PART */
};

/* An iterator over the pieces of a region that are compared. */
struct dfi_check_bytes {
    const struct dfi_region *region;
    size_t step, row, piece, at;   /* every step-th piece is compared; the other fields begin with 0 */
};
/* Returns the address of the next piece and stores its length, or returns NULL at the end of the region. */
DFI_UNCHECKED static char *dfi_check_piece(struct dfi_check_bytes *b, size_t *bytes)
{
    const struct dfi_region *r = b->region;
    while (b->row < r->rows) {
        char *p = (char *)(r->p + b->row * r->ld + b->at);
        *bytes = r->row - b->at < (size_t)DFI_CHECK_SUM_PART ? r->row - b->at : (size_t)DFI_CHECK_SUM_PART;
        if ((b->at += *bytes) == r->row) b->at = 0, b->row++;
        if (b->piece++ % b->step == 0) return p;
    }
    return NULL;
}

/* A region that a loop writes. */
struct dfi_check_written {
    struct dfi_region region;
    unsigned parameter, mode;
    size_t step;
    char *copy;                    /* of the bytes that are compared */
    unsigned char *part;           /* the number of the part of the loop that has changed each byte, or 0 */
};

static void dfi_check_written_begin(const struct dfi_check_written *c, struct dfi_check_bytes *b)
{
    memset((void *)b, 0, sizeof *b);
    b->region = &c->region, b->step = c->step;
}

/* Copies the region of x. Returns 0 if it is not compared. */
DFI_UNCHECKED static int dfi_check_written_new(struct dfi_check_written *c, const struct dfi_access *x, unsigned i)
{
    struct dfi_check_bytes b;
    size_t n, all = 0, k;
    char *p;
    c->region = dfi_region_of(x), c->parameter = i, c->mode = x->mode;
    if (!(x->mode & DFI_WRITES) || x->mode & DFI_SHARED || !c->region.rows || dfi_region_is_all(&c->region) ||
        dfi_check_elsewhere(c->region.p) || dfi_check_unmapped(&c->region)) return 0;
    c->step = dfi_region_bytes(&c->region) / DFI_CHECK_LOOP_BYTES + 1;
    for (dfi_check_written_begin(c, &b); dfi_check_piece(&b, &n);) all += n;
    if (!all || !(c->copy = (char *)dfi_malloc(2 * all))) return 0;
    c->part = (unsigned char *)c->copy + all;
    memset(c->part, 0, all);
    for (all = 0, dfi_check_written_begin(c, &b); (p = dfi_check_piece(&b, &n)) != NULL;)
        for (k = 0; k < n; k++) c->copy[all++] = p[k];
    return 1;
}

/* Compares the region after that part of the loop. Returns the address of the first byte that an earlier part has
 * changed, too, or NULL. */
DFI_UNCHECKED static char *dfi_check_written_by(const struct dfi_check_written *c, unsigned char part)
{
    struct dfi_check_bytes b;
    char *p, *both = NULL;
    size_t n, k, at = 0;
    for (dfi_check_written_begin(c, &b); (p = dfi_check_piece(&b, &n)) != NULL;)
        for (k = 0; k < n; k++, at++) {
            if (c->copy[at] == p[k]) continue;
            if (c->part[at] && c->part[at] != part && !both) both = p + k;
            c->part[at] = part, c->copy[at] = p[k];
        }
    return both;
}

/* Runs l in parts. Returns 0 without running it if it writes no region that can be compared. */
static int dfi_check_loop(struct dfi_worker *w, struct dfi_loop *l, const df_loop *o, const char *site)
{
    struct dfi_check_written written[DFI_PARAMETERS];
    const struct dfi_scope *s = l->team.scope;
    unsigned long k = 0, most, e;
    unsigned i, n = 0;
    unsigned char part = 0;
    int compares = 1;
    for (i = 0; i < l->n_x; i++) n += (unsigned)dfi_check_written_new(&written[n], &l->x[i], i);
    if (!n) return 0;
    dfi_loop_space(l, o);
    most = l->count / DFI_CHECK_LOOP_PARTS + 1;
    if (l->grain) most = (most / l->grain + 1) * l->grain;
    for (; k < l->count && !dfi_loop_cancelled(l); k = e) {
        e = l->count - k < most ? l->count : k + most;
        dfi_loop_call(w, l, l->args, k, e);
        /* unfinished tasks of this part may write during the next one */
        if ((intptr_t)(s->submitted - s->done) + dfi_load_acquire(&s->pending) != 0) compares = 0;
        for (i = 0, part++; i < n && compares; i++) {
            const char *both = dfi_check_written_by(&written[i], part);
            const struct dfi_region *r = &written[i].region;
            if (!both) continue;
            dfi_finding("%s: loop %s: two of its parts write byte %lu of %lu of access %u, df_%s at %p (DF_CHECK): "
                        "parts run concurrently, and the accesses of a loop order it with tasks only; declare "
                        "df_reduce, or df_concurrent and use atomic operations, or let each iteration write memory of "
                        "its own",
                        site, l->type->name, (unsigned long)((uintptr_t)both - r->p),
                        (unsigned long)dfi_region_bytes(r), written[i].parameter + 1,
                        dfi_check_mode(written[i].mode), (void *)r->p);
            compares = 0;
        }
    }
    for (i = 0; i < n; i++) dfi_mfree(written[i].copy);
    return 1;
}
#define dfi_up_loop_checked_by , dfi_check_loop

DFI_SMALL_CODE_END

#endif

#endif
