/* blocks.h - allocator for tasks, scopes and region entries: size classes, per worker
 *
 * Each worker carves blocks of a few size classes from chunks, and is the home of its blocks. A block freed by
 * another worker returns to its home through an outbox, so that one atomic operation serves DFI_OUTBOX blocks. The
 * blocks of a class are reused only for structs of the same type, so a stale pointer never points to another type
 * (struct dfi_flow and struct dfi_scope in work/types.h rely on this). The chunks are freed when the pool is
 * destroyed. */
#ifndef DFI_WORK_BLOCKS_H
#define DFI_WORK_BLOCKS_H

#include "../base/atomic.h"
#include "../base/compiler.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../base/upcall.h"
#include "../api/core.h"
#include "types.h"

enum {
    DFI_CHUNK_FIRST = 8,   /* blocks in the first chunk of a class: a program with few needs little memory */
    DFI_CHUNK = 32 * 1024, /* bytes of the largest chunk; each is twice as large as the one before */
    DFI_OUTBOX = 32        /* cost of a remote free on a chain of two workers: 12 ns with 1, below 1 ns with 32 */
};
struct dfi_chunk { struct dfi_chunk *next; };

/* The bytes of blocks of upper floors. */
DFI_UPCALL(size_t, dfi_up_block_bytes, (unsigned cls));
/* Without upper floors all blocks are scopes, which their owners free; under DF_SERIAL, any worker gives them back to
 * their home. */
#define DFI_BLOCKS_STAY (DFI_ALONE || !dfi_up_block_bytes)

static size_t dfi_cls_bytes(unsigned cls)
{
    return !dfi_up_block_bytes || cls == DFI_CLS_SCOPE ? dfi_scope_bytes : dfi_up_block_bytes(cls);
}

static void dfi_block_take_back(struct dfi_worker *w)
{
    /* acquire; pairs with the release in dfi_outbox_send */
    struct dfi_block_head *b =
        !DFI_BLOCKS_STAY && dfi_load_relaxed(&w->returned) ? dfi_swap_acq_rel(&w->returned, NULL) : NULL;
    while (b) {
        struct dfi_block_head *next = b->next;
        b->next = w->free[b->cls], w->free[b->cls] = b;
        b = next;
    }
}

static DFI_NOINLINE void *dfi_block_fresh(struct dfi_worker *w, unsigned cls)
{
    size_t bytes = (dfi_cls_bytes(cls) + DFI_LINE - 1) / DFI_LINE * DFI_LINE;
    struct dfi_block_head *b;
    dfi_block_take_back(w);
    if ((b = w->free[cls])) {
        w->free[cls] = b->next;
        return b;
    }
    if ((size_t)(w->fresh_end[cls] - w->fresh[cls]) < bytes) {
        size_t size = sizeof(struct dfi_chunk) + DFI_LINE + (bytes * DFI_CHUNK_FIRST << w->carved[cls]);
        struct dfi_chunk *chunk;
        char *c;
        if (size > DFI_CHUNK) size = DFI_CHUNK;
        else w->carved[cls]++;
        c = (char *)dfi_malloc(size);
        chunk = (struct dfi_chunk *)(void *)c;
        if (!c) {
            dfi_warn_no_memory();
            return NULL;
        }
        memset(c, 0, size);
        chunk->next = w->chunks, w->chunks = chunk;
        w->fresh_end[cls] = c + size;
        c += sizeof *chunk;
        w->fresh[cls] = c + (DFI_LINE - (uintptr_t)c % DFI_LINE) % DFI_LINE;
    }
    b = (struct dfi_block_head *)(void *)w->fresh[cls];
    w->fresh[cls] += bytes;
    b->cls = cls;
    return b;
}

/* Returns a struct that begins with a struct dfi_block_head. It is zeroed at its first use, and later as its last use
 * left it. NULL: out of memory. pre: w is the calling thread's worker. */
DFI_FAST void *dfi_block_new(struct dfi_worker *w, unsigned cls)
{
    struct dfi_block_head *b = w->free[cls];
    struct dfi_block_head *after;
    if (DFI_UNLIKELY(!b)) return dfi_block_fresh(w, cls);
    w->free[cls] = after = b->next;
    if (after) { /* the next block may be in another worker's cache */
        DFI_PREFETCH_WRITE(after);
        DFI_PREFETCH_WRITE((char *)after + DFI_LINE);
        DFI_PREFETCH_WRITE((char *)after + 2 * DFI_LINE);
    }
    return b;
}

/* The same where its length does not matter. */
static DFI_NOINLINE void *dfi_block_get(struct dfi_worker *w, unsigned cls) { return dfi_block_new(w, cls); }

/* Returns the collected blocks to their home. */
static DFI_NOINLINE void dfi_outbox_send(struct dfi_worker *w)
{
    struct dfi_block_head *old;
    old = dfi_load_relaxed(&w->outbox_home->returned);
    do w->outbox_last->next = old; /* release; pairs with the acquire in dfi_block_take_back */
    while (!dfi_cas_release(&w->outbox_home->returned, &old, w->outbox));
    w->outbox = w->outbox_last = NULL;
    w->outbox_n = 0;
}

static void dfi_outbox_flush(struct dfi_worker *w)
{
    if (!DFI_BLOCKS_STAY && w->outbox) dfi_outbox_send(w);
}

static DFI_NOINLINE void dfi_block_send(struct dfi_worker *w, struct dfi_worker *home, struct dfi_block_head *b)
{
    if (w->outbox_home != home) {
        dfi_outbox_flush(w);
        w->outbox_home = home;
    }
    b->next = w->outbox, w->outbox = b;
    if (!w->outbox_last) w->outbox_last = b;
    if (++w->outbox_n >= DFI_OUTBOX) dfi_outbox_send(w);
}

/* pre: w is the calling thread's worker; home carved the block. */
DFI_FAST void dfi_block_free(struct dfi_worker *w, struct dfi_worker *home, struct dfi_block_head *b)
{
    if (DFI_ALONE) w = home;
    if (DFI_BLOCKS_STAY || DFI_LIKELY(home == w)) b->next = w->free[b->cls], w->free[b->cls] = b;
    else dfi_block_send(w, home, b);
}

static void dfi_blocks_free_all(struct dfi_worker *w)
{
    while (w->chunks) {
        struct dfi_chunk *c = w->chunks;
        w->chunks = c->next;
        dfi_mfree(c);
    }
}

#endif
