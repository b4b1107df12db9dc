/* A bounded queue: first in, first out; a thread that finds it full or empty waits.
 *
 * queue_put and queue_take wait by df_retry, in a block that may do other things, too: the whole block is rolled
 * back and runs again when there is an item to take, or room. The functions with `try` return instead. Each may be
 * called in a block; `try` also while there is one thread. */
#ifndef STM_QUEUE_H
#define STM_QUEUE_H

#include <stdlib.h>

typedef struct {
    long room, *item;
    long put, taken;                              /* so far; item number i is in item[i % room] */
} queue;

/* An empty queue. 0: no memory. */
static inline int queue_init(queue *q, long room)
{
    q->room = room;
    q->put = q->taken = 0;
    q->item = (long *)malloc((size_t)room * sizeof *q->item);
    return q->item != NULL;
}

/* 0: it is full. */
static inline int queue_try_put(queue *q, long item)
{
    long put = df_tm_read(&q->put);
    if (put - df_tm_read(&q->taken) == q->room)
        return 0;
    df_tm_write(&q->item[put % q->room], item);
    df_tm_write(&q->put, put + 1);
    return 1;
}

/* 0: it is empty. */
static inline int queue_try_take(queue *q, long *item)
{
    long taken = df_tm_read(&q->taken);
    if (df_tm_read(&q->put) == taken)
        return 0;
    *item = df_tm_read(&q->item[taken % q->room]);
    df_tm_write(&q->taken, taken + 1);
    return 1;
}

#ifdef df_retry
static inline void queue_put(queue *q, long item)
{
    if (!queue_try_put(q, item))
        df_retry();
}

static inline long queue_take(queue *q)
{
    long item = 0;
    if (!queue_try_take(q, &item))
        df_retry();
    return item;
}
#endif
#endif
