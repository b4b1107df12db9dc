/* queue.h - unbounded queues: a list, whose two ends are in different lines of the cache
 *
 * So a push and a pop meet only where the queue has no more than one element. */
#ifndef DFI_CONTAINERS_QUEUE_H
#define DFI_CONTAINERS_QUEUE_H

#include "../base/compiler.h"
#include "../api/containers.h"
#include "cell.h"
#include "../../df_stm.h"

static DFI_NOINLINE df_result dfi_fifo_push_in(const struct dfi_container *c, struct dfi_fifo *q, const void *item)
{
    struct dfi_cell *x = dfi_cell_new(c, item, NULL), *last;
    if (!x) return DF_ERROR_MEMORY;
    x->next = NULL;
    last = dfi_link_read(&q->last);
    dfi_link_write(last ? &last->next : &q->first, x);
    dfi_link_write(&q->last, x);
    df_tm_write(&q->pushed, df_tm_read(&q->pushed) + 1);
    return DF_OK;
}

static DFI_NOINLINE int dfi_fifo_pop_in(const struct dfi_container *c, struct dfi_fifo *q, void *item, int waits)
{
    struct dfi_cell *x = dfi_link_read(&q->first), *next;
    if (!x && waits) dfi_tm_retry(c->site);
    if (!x) return 0;
    memcpy(item, dfi_cell_key(c, x), c->key_bytes);
    next = dfi_link_read(&x->next);
    dfi_link_write(&q->first, next);
    if (!next) dfi_link_write(&q->last, NULL);
    df_tm_write(&q->popped, df_tm_read(&q->popped) + 1);
    df_tm_free(x);
    return 1;
}

static DFI_NOINLINE struct dfi_cell *dfi_fifo_take_all(struct dfi_fifo *q)
{
    struct dfi_cell *all = dfi_link_read(&q->first);
    if (all) {
        dfi_link_write(&q->first, NULL);
        dfi_link_write(&q->last, NULL);
        df_tm_write(&q->popped, df_tm_read(&q->pushed));
    }
    return all;
}

/* --- functions of df_containers.h ---------------------------------------------------------------------- */

DFI_EXTERN_C_BEGIN
DFI_API df_result dfi_fifo_push(const struct dfi_container *c, struct dfi_fifo *q, const void *item)
{
    DFI_CONTAINER_RETURN(c, df_result, dfi_fifo_push_in(c, q, item));
}

DFI_API int dfi_fifo_pop(const struct dfi_container *c, struct dfi_fifo *q, void *item, int waits)
{
    DFI_CONTAINER_RETURN(c, int, dfi_fifo_pop_in(c, q, item, waits));
}

DFI_API size_t dfi_fifo_count(const struct dfi_container *c, const struct dfi_fifo *q)
{
    DFI_CONTAINER_RETURN(c, size_t, df_tm_read(&q->pushed) - df_tm_read(&q->popped));
}

DFI_API int dfi_fifo_empty(const struct dfi_container *c, const struct dfi_fifo *q)
{
    DFI_CONTAINER_RETURN(c, int, !dfi_link_read(&q->first));
}

DFI_API void dfi_fifo_clear(const struct dfi_container *c, struct dfi_fifo *q)
{
    struct dfi_cell *volatile all = NULL;
    DFI_CONTAINER_BLOCK(c, c->kind & ~DFI_TM_UNWAITED, all = dfi_fifo_take_all(q));
    dfi_cells_free(all); /* outside of all blocks nobody else can reach them */
}
DFI_EXTERN_C_END

#endif
