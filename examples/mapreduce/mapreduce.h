/* A small MapReduce: from the pieces of an input to one value for each key.
 *
 * It is a pipeline. A piece is read; then it is mapped, many of them at the same time: the user's function emits pairs
 * of a key and a value, and values of the same key are combined at once. Keys are divided into partitions by their
 * hash. There is a last stage for each partition: it reduces the pairs that the piece has there into the result. A
 * piece can be in one of them while the next one is in another. The pipe bounds the number of pieces at a time, so the
 * memory is that of the result, one entry for each key, and that of a few pieces, however long the input is. Pieces
 * come to each partition in their order: values of a key are combined in the order in which they were emitted, and a
 * result is the same for any number of workers, also that of floating-point sums.
 *
 * A file that includes this may hold several kinds of jobs. For each it may define, before it includes this file, which
 * undefines them,
 *
 *     MR_NAME          the names below begin with it, here NAME; otherwise they begin with `mr`
 *     MR_ITEM          type of the items of which pieces consist; otherwise char: a text
 *     MR_PIECE         items in a piece, at most; otherwise 65536
 *     MR_VALUE         type of the values; otherwise long
 *     MR_KEY           type of the keys; otherwise a key is a string of bytes in the piece
 *     MR_SAME(a, b)    are two of these keys equal? otherwise a == b
 *     MR_HASH(k)       a number that is the same for equal keys; otherwise the key, as an integer
 *
 * and it uses
 *
 *     NAME_emit(p, key, value);           in map: a key has a value
 *     NAME_emit(p, key, length, value);   the same without MR_KEY; the key is in the piece, or lives as long as the job
 *     NAME_run(&job);                     runs a job, of which the first members are set and all others zero. Errors:
 *                                         DF_ERROR_MEMORY, and those with which the user's functions failed
 *     NAME_next(&job, pair)               the pair after this one in the result, in no particular order, or NULL; with
 *                                         NULL: the first one. Each key is in one pair
 *     NAME_free(&job);
 *
 * The input of a job is an array, or what a function reads: see mr_job below.
 *
 * Source: Dean and Ghemawat, MapReduce: simplified data processing on large clusters, OSDI 2004. */
#ifndef MAPREDUCE_H
#define MAPREDUCE_H

#include "../../df.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MR_PARTITIONS = 8, MR_BYTES_OF_KEYS = 4000 };
enum { MR_FULL = 1u << 30 };   /* in the hash of a slot that is not empty; tables have fewer slots */

typedef struct mr_keys { struct mr_keys *next; char *at; size_t room; } mr_keys;   /* memory for keys */

static inline uint32_t mr_hash_of_number(uint64_t k)
{
    k *= UINT64_C(0x9e3779b97f4a7c15);   /* Fibonacci hashing, Knuth, 6.4 */
    return (uint32_t)(k >> 32);
}

#define MR_CAT(a, b)  MR_CAT_(a, b)
#define MR_CAT_(a, b) a##_##b

#endif

#ifndef MR_NAME
#define MR_NAME mr
#endif
#ifndef MR_ITEM
#define MR_ITEM char
#endif
#ifndef MR_PIECE
#define MR_PIECE (1 << 16)
#endif
#ifndef MR_VALUE
#define MR_VALUE long
#endif
#ifndef MR_SAME
#define MR_SAME(a, b) ((a) == (b))
#endif
#ifndef MR_HASH
#define MR_HASH(k) mr_hash_of_number((uint64_t)(k))
#endif
/* until the end of this file, mr_emit is NAME_emit, and so on */
#define MR_(name)  MR_CAT(MR_NAME, name)
#define mr_pair    MR_(pair)
#define mr_table   MR_(table)
#define mr_piece   MR_(piece)
#define mr_job     MR_(job)
#define mr_equal   MR_(equal)
#define mr_find    MR_(find)
#define mr_grow    MR_(grow)
#define mr_enter   MR_(enter)
#define mr_emit    MR_(emit)
#define mr_keep    MR_(keep)
#define mr_begin   MR_(begin)
#define mr_read    MR_(read)
#define mr_reduce  MR_(reduce)
#define mr_pointer MR_(pointer)
#define mr_stage   MR_(stage)
#define mr_run     MR_(run)
#define mr_next    MR_(next)
#define mr_free    MR_(free)

typedef struct {
#ifdef MR_KEY
    MR_KEY key;
#else
    const char *key;
    uint32_t length;
#endif
    uint32_t hash;         /* 0: an empty slot */
    MR_VALUE value;
} mr_pair;

typedef struct {
    mr_pair *slot;         /* open addressing, linear probing */
    size_t slots, used;    /* a power of 2, or 0; at most half of them are used */
} mr_table;

typedef struct mr_piece {
    MR_ITEM *item;
    size_t count;
    MR_ITEM *memory;       /* of a piece that is read: MR_PIECE items */
    mr_table out[MR_PARTITIONS];
    const struct mr_job *job;
    struct mr_piece *next;
} mr_piece;

/* The members up to count are the user's. The input is the array of count items, or, if array is NULL, what read
 * reads.
 *   read      fills p->item with up to MR_PIECE items, and sets p->count; 0: there are no more. One task at a time.
 *   map       calls NAME_emit for what is in p->item; may change the items
 *   combine   of two values of a key; associative
 * Each may call df_fail. */
typedef struct mr_job {
    int (*read)(void *input, mr_piece *p);
    void (*map)(mr_piece *p);
    MR_VALUE (*combine)(MR_VALUE x, MR_VALUE y);
    void *input;
    MR_ITEM *array;
    size_t count;
    size_t done;           /* items of the array that are in pieces */
    mr_table result[MR_PARTITIONS];
    mr_keys *keys[MR_PARTITIONS];
    mr_piece *pieces;
} mr_job;

/* --- tables ------------------------------------------------------------------------------------------- */

static inline int mr_equal(const mr_pair *p, const mr_pair *q)
{
#ifdef MR_KEY
    return p->hash == q->hash && MR_SAME(p->key, q->key);
#else
    return p->hash == q->hash && p->length == q->length && memcmp(p->key, q->key, q->length) == 0;
#endif
}

/* The pair with the key of x, or an empty slot. */
static inline mr_pair *mr_find(const mr_table *t, const mr_pair *x)
{
    size_t i = x->hash / MR_PARTITIONS;
    for (;; i++) {
        mr_pair *p = &t->slot[i & (t->slots - 1)];
        if (!p->hash || mr_equal(p, x))
            return p;
    }
}

static int mr_grow(mr_table *t)   /* 0: no memory */
{
    mr_table larger = { NULL, t->slots ? 2 * t->slots : 64, t->used };
    larger.slot = larger.slots < MR_FULL / MR_PARTITIONS ? (mr_pair *)calloc(larger.slots, sizeof *larger.slot) : NULL;
    if (!larger.slot) {
        df_fail(DF_ERROR_MEMORY, "no memory for a table");
        return 0;
    }
    for (size_t i = 0; i < t->slots; i++)
        if (t->slot[i].hash)
            *mr_find(&larger, &t->slot[i]) = t->slot[i];
    free(t->slot);
    *t = larger;
    return 1;
}

/* The pair with the key of x; new: it was not there, and is a copy of x. NULL: no memory, the job ends. */
static inline mr_pair *mr_enter(mr_table *t, const mr_pair *x, int *is_new)
{
    if (t->used >= t->slots / 2 && !mr_grow(t))
        return NULL;
    mr_pair *p = mr_find(t, x);
    *is_new = !p->hash;
    if (*is_new) {
        *p = *x;
        t->used++;
    }
    return p;
}

#ifdef MR_KEY
static inline void mr_emit(mr_piece *piece, MR_KEY key, MR_VALUE value)
{
    mr_pair x = { .key = key, .hash = (uint32_t)MR_HASH(key) | MR_FULL, .value = value };
#else
static inline void mr_emit(mr_piece *piece, const char *key, size_t length, MR_VALUE value)
{
    uint32_t hash = 2166136261u;   /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)key[i]) * 16777619u;
    mr_pair x = { .key = key, .length = (uint32_t)length, .hash = hash | MR_FULL, .value = value };
#endif
    int is_new;
    mr_pair *p = mr_enter(&piece->out[x.hash % MR_PARTITIONS], &x, &is_new);
    if (p && !is_new)
        p->value = piece->job->combine(p->value, value);
}

#ifndef MR_KEY
/* A copy of a key, which lives as long as the job. NULL: no memory. */
static char *mr_keep(mr_keys **keys, const char *key, size_t length)
{
    if (!*keys || (*keys)->room < length) {
        size_t room = length > MR_BYTES_OF_KEYS ? length : MR_BYTES_OF_KEYS;
        mr_keys *more = (mr_keys *)malloc(sizeof *more + room);
        if (!more) {
            df_fail(DF_ERROR_MEMORY, "no memory for keys");
            return NULL;
        }
        *more = (mr_keys){ *keys, (char *)(more + 1), room };
        *keys = more;
    }
    char *copy = (*keys)->at;
    memcpy(copy, key, length);
    (*keys)->at += length;
    (*keys)->room -= length;
    return copy;
}
#endif

/* --- the pipeline --------------------------------------------------------------------------------------- */

static int mr_begin(mr_job *job, mr_piece **piece)   /* 0: no memory */
{
    if (*piece)
        return 1;   /* an earlier one left it */
    mr_piece *p = (mr_piece *)calloc(1, sizeof *p);
    if (p && (job->array || (p->memory = (MR_ITEM *)malloc(MR_PIECE * sizeof *p->memory)))) {
        p->job = job;
        p->next = job->pieces;
        job->pieces = *piece = p;
        return 1;
    }
    free(p);
    df_fail(DF_ERROR_MEMORY, "no memory for a piece");
    return 0;
}

static int mr_read(mr_job *job, mr_piece *p)   /* 0: there is no more */
{
    p->item = p->memory;
    p->count = 0;
    if (!job->array)
        return job->read ? job->read(job->input, p) : 0;
    p->item = job->array + job->done;
    p->count = job->count - job->done < MR_PIECE ? job->count - job->done : MR_PIECE;
    job->done += p->count;
    return p->count > 0;
}

static void mr_reduce(mr_job *job, int partition, mr_table *from)
{
    for (size_t i = 0; i < from->slots; i++) {
        const mr_pair *x = &from->slot[i];
        int is_new;
        if (!x->hash)
            continue;
        mr_pair *p = mr_enter(&job->result[partition], x, &is_new);
        if (!p)
            return;
        if (!is_new)
            p->value = job->combine(p->value, x->value);
#ifndef MR_KEY
        else if (!(p->key = mr_keep(&job->keys[partition], x->key, x->length)))
            return;
#endif
    }
    if (from->slots > 0)
        memset((void *)from->slot, 0, from->slots * sizeof *from->slot);
    from->used = 0;
}

typedef mr_piece *mr_pointer;
DF_STATIC_PIPE(mr_stage, mr_pointer);
static int mr_stage(int stage, mr_piece **p, long i, void *of)
{
    enum { READ, MAP, REDUCE };
    mr_job *job = (mr_job *)of;
    (void)i;
    switch (stage) {
    case READ:
        return mr_begin(job, p) && mr_read(job, *p) ? df_continue(MAP) : DF_PIPE_END;
    case MAP:
        job->map(*p);
        return df_in_order(REDUCE);
    default:
        mr_reduce(job, stage - REDUCE, &(*p)->out[stage - REDUCE]);
        return stage - REDUCE < MR_PARTITIONS - 1 ? df_in_order(stage + 1) : DF_PIPE_DONE;
    }
}

static df_result mr_run(mr_job *job)
{
    long pieces = df_pipe(mr_stage, NULL, job);
    df_result r = df_wait_result();
    for (mr_piece *p = job->pieces, *next; p; p = next) {
        next = p->next;
        for (int i = 0; i < MR_PARTITIONS; i++)
            free(p->out[i].slot);
        free(p->memory);
        free(p);
    }
    job->pieces = NULL;
    return pieces < 0 ? (df_result)pieces : r;
}

static inline const mr_pair *mr_next(const mr_job *job, const mr_pair *pair)
{
    int i = pair ? (int)(pair->hash % MR_PARTITIONS) : 0;
    size_t k = pair ? (size_t)(pair - job->result[i].slot) + 1 : 0;
    for (; i < MR_PARTITIONS; i++, k = 0)
        for (; k < job->result[i].slots; k++)
            if (job->result[i].slot[k].hash)
                return &job->result[i].slot[k];
    return NULL;
}

static void mr_free(mr_job *job)
{
    for (int i = 0; i < MR_PARTITIONS; i++) {
        for (mr_keys *k = job->keys[i], *next; k; k = next) {
            next = k->next;
            free(k);
        }
        free(job->result[i].slot);
    }
}

#undef MR_NAME
#undef MR_ITEM
#undef MR_PIECE
#undef MR_VALUE
#undef MR_KEY
#undef MR_SAME
#undef MR_HASH
#undef MR_
#undef mr_pair
#undef mr_table
#undef mr_piece
#undef mr_job
#undef mr_equal
#undef mr_find
#undef mr_grow
#undef mr_enter
#undef mr_emit
#undef mr_keep
#undef mr_begin
#undef mr_read
#undef mr_reduce
#undef mr_pointer
#undef mr_stage
#undef mr_run
#undef mr_next
#undef mr_free
