/* undo.h - undo data: old contents of memory that speculative tasks overwrite
 *
 * A task that begins before its predicate is known copies the memory that it will overwrite, and
 * then works in place. If the predicate was right, the copies are freed; if it was wrong, they are
 * written back, newest first. The memory for the copies is allocated at submission, so that a
 * running task never lacks it.
 * Argument: docs/internals/speculation.md, "Predicates". */
#ifndef DFI_MORE_SPECULATE_UNDO_H
#define DFI_MORE_SPECULATE_UNDO_H

#include "../../base/atomic.h"
#include "../../base/compiler.h"
#include "../../base/log.h"
#include "../../base/memory.h"
#include "../../api/task.h"
#include "../../work/types.h"
#include "../../work/supervise.h"
#include "../devices.h"
#include "../../flow/region.h"

#if !defined(DF_SERIAL)

DFI_SMALL_CODE_BEGIN

struct dfi_undo {
    struct dfi_undo *next;
    size_t stamp;                  /* later copies have larger stamps */
    char *bytes;                   /* of all regions, one after the other */
    unsigned n;
    struct dfi_region region[1];   /* n of them, then the bytes */
};

/* Logged once in a process, wherever memory was lacking. */
static DFI_COLD void dfi_warn_not_ahead(void) { dfi_warn_once("out of memory: df_speculate waits for its condition"); }

/* Allocates undo data for the contents of n regions. NULL without memory. */
static struct dfi_undo *dfi_undo_new(const struct dfi_region *r, unsigned n)
{
    size_t head = sizeof(struct dfi_undo) + n * sizeof *r, bytes = 0;
    struct dfi_undo *k;
    unsigned i;
    for (i = 0; i < n; i++) {
        if (r[i].row > (SIZE_MAX / 2 - bytes - head) / r[i].rows) return NULL;
        bytes += r[i].row * r[i].rows;
    }
    if (!(k = (struct dfi_undo *)dfi_malloc(head + bytes))) {
        dfi_warn_not_ahead();
        return NULL;
    }
    k->bytes = (char *)k + head;
    k->n = n;
    memcpy((void *)k->region, (const void *)r, n * sizeof *r);
    return k;
}

static void dfi_undo_free(struct dfi_undo *k)
{
    while (k) {
        struct dfi_undo *next = k->next;
        dfi_mfree(k);
        k = next;
    }
}

/* Pushes the whole list k, in any order, onto *list. Threads: any. */
static void dfi_undo_push(DFI_ATOMIC(struct dfi_undo *) *list, struct dfi_undo *k)
{
    struct dfi_undo *last = k, *old = dfi_load_relaxed(list);
    if (!k) return;
    while (last->next) last = last->next;
    do last->next = old; /* acq_rel; pairs with the exchange in dfi_commit */
    while (!dfi_cas_acq_rel(list, &old, k));
}

/* Copies the current contents of the regions of k. pre: the caller is about to write there, and no
 * other task does */
static void dfi_undo_fill(struct dfi_undo *k)
{
    struct dfi_extent c;
    char *to = k->bytes;
    unsigned i;
    size_t row;
    dfi_own_begin(&c, k->region, k->n);
    for (i = 0; i < k->n; i++)
        for (row = 0; row < k->region[i].rows; row++, to += k->region[i].row)
            memcpy(to, (const char *)k->region[i].p + row * k->region[i].ld, k->region[i].row);
    dfi_own_end(&c);
    /* relaxed: of two tasks that write the same memory one happens before the other, and so do their
     * stamps */
    k->stamp = dfi_fetch_add_relaxed(&dfi_more.stamps, (size_t)1);
    k->next = NULL;
}

/* Writes the old contents back. */
static void dfi_undo_restore(const struct dfi_undo *k)
{
    struct dfi_extent c;
    const char *from = k->bytes;
    unsigned i;
    size_t row;
    for (i = 0; i < k->n; i++) {
        const struct dfi_region *r = &k->region[i];
        dfi_gpu_before_region(r, DFI_INOUT); /* a device may hold the newest contents */
        dfi_own_begin(&c, r, 1);
        for (row = 0; row < r->rows; row++, from += r->row) memcpy((char *)r->p + row * r->ld, from, r->row);
        dfi_own_end(&c);
    }
}

/* Merges two lists, newest first. */
static struct dfi_undo *dfi_undo_merge(struct dfi_undo *a, struct dfi_undo *b)
{
    struct dfi_undo *first = NULL, **at = &first;
    while (a && b) {
        struct dfi_undo **newer = a->stamp > b->stamp ? &a : &b;
        *at = *newer, at = &(*at)->next;
        *newer = *at;
    }
    *at = a ? a : b;
    return first;
}

static struct dfi_undo *dfi_undo_sort(struct dfi_undo *k)
{
    struct dfi_undo *half[2] = { NULL, NULL };
    unsigned i = 0;
    if (!k || !k->next) return k;
    while (k) {
        struct dfi_undo *next = k->next;
        k->next = half[i], half[i] = k;
        i ^= 1u, k = next;
    }
    return dfi_undo_merge(dfi_undo_sort(half[0]), dfi_undo_sort(half[1]));
}

/* Rolls back every change made since the copies in the list, and frees them. */
static void dfi_undo_apply(struct dfi_undo *k)
{
    struct dfi_undo *i;
    k = dfi_undo_sort(k);
    for (i = k; i; i = i->next) dfi_undo_restore(i);
    dfi_undo_free(k);
}

DFI_SMALL_CODE_END

#endif

#endif
