/* A small MapReduce: from the pieces of an input to one value for each key.
 *
 * It is a pipeline. A piece is read; then it is mapped, many of them at the same time: the user's function emits pairs of a key and
 * a value, and values of the same key are combined at once. Keys are divided into partitions by their hash. The last stages are one
 * for each partition: what the piece has there is reduced into the result. A piece can be in one of them while the next
 * one is in another. The pipe bounds how many pieces there are at a time, so memory is that of the result, of which each key is one
 * entry, and that of a few pieces, however long the input is. Pieces come to each partition in their order.
 *
 * Source: Dean and Ghemawat, MapReduce: simplified data processing on large clusters, OSDI 2004. */
#ifndef MAPREDUCE_H
#define MAPREDUCE_H

#include "../../df.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MR_PARTITIONS = 8, MR_PIECE = 1 << 16 };   /* bytes of a piece, at most */

typedef struct {
    const char *key;       /* NULL: an empty slot */
    uint32_t length, hash;
    long value;
} mr_pair;

typedef struct {
    mr_pair *slot;         /* open addressing, linear probing */
    size_t slots, used;    /* a power of 2, or 0; at most half of them are used */
} mr_table;

typedef struct mr_piece {
    char *text;            /* MR_PIECE bytes */
    size_t length;         /* that read has put there */
    mr_table out[MR_PARTITIONS];
    const struct mapreduce *job;
    struct mr_piece *next;
} mr_piece;

typedef struct mr_keys { struct mr_keys *next; char *at; size_t room; } mr_keys;   /* memory for keys */

/* The first four are the user's. read: fills p->text and p->length; 0: there is no more. Called by one task at a time. map: calls
 * mr_emit; may change the text. combine: of two values; associative. Either may call df_fail. */
typedef struct mapreduce {
    int (*read)(void *input, mr_piece *p);
    void (*map)(mr_piece *p);
    long (*combine)(long x, long y);
    void *input;
    mr_table result[MR_PARTITIONS];
    mr_keys *keys[MR_PARTITIONS];
    mr_piece *pieces;
} mapreduce;

/* --- tables ------------------------------------------------------------------------------------------- */

static inline mr_pair *mr_find(const mr_table *t, const char *key, size_t length, uint32_t hash)   /* or an empty slot */
{
    size_t i = hash / MR_PARTITIONS;
    for (;; i++) {
        mr_pair *p = &t->slot[i & (t->slots - 1)];
        if (!p->key || (p->hash == hash && p->length == length && memcmp(p->key, key, length) == 0))
            return p;
    }
}

static int mr_grow(mr_table *t)   /* 0: no memory */
{
    mr_table larger = { NULL, t->slots ? 2 * t->slots : 64, t->used };
    larger.slot = (mr_pair *)calloc(larger.slots, sizeof *larger.slot);
    if (!larger.slot) {
        df_fail(DF_ERROR_MEMORY, "no memory for a table");
        return 0;
    }
    for (size_t i = 0; i < t->slots; i++)
        if (t->slot[i].key)
            *mr_find(&larger, t->slot[i].key, t->slot[i].length, t->slot[i].hash) = t->slot[i];
    free(t->slot);
    *t = larger;
    return 1;
}

/* The pair of a key; new: it was not there, and has no value yet. NULL: no memory, the job ends. */
static inline mr_pair *mr_enter(mr_table *t, const char *key, size_t length, uint32_t hash, int *is_new)
{
    if (t->used >= t->slots / 2 && !mr_grow(t))
        return NULL;
    mr_pair *p = mr_find(t, key, length, hash);
    *is_new = !p->key;
    if (!p->key) {
        *p = (mr_pair){ key, (uint32_t)length, hash, 0 };
        t->used++;
    }
    return p;
}

/* In map: a key, in the text of the piece, has a value. */
static inline void mr_emit(mr_piece *piece, const char *key, size_t length, long value)
{
    uint32_t hash = 2166136261u;   /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)key[i]) * 16777619u;
    int is_new;
    mr_pair *p = mr_enter(&piece->out[hash % MR_PARTITIONS], key, length, hash, &is_new);
    if (p)
        p->value = is_new ? value : piece->job->combine(p->value, value);
}

/* A copy of a key that lives as long as the job. NULL: no memory. */
static char *mr_keep(mr_keys **keys, const char *key, size_t length)
{
    if (!*keys || (*keys)->room < length) {
        size_t room = length > 4000 ? length : 4000;
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

/* --- the pipeline --------------------------------------------------------------------------------------- */

static int mr_begin(mapreduce *job, mr_piece **piece)   /* 0: no memory */
{
    if (*piece)
        return 1;   /* an earlier one left it */
    mr_piece *p = (mr_piece *)calloc(1, sizeof *p);
    if (p && (p->text = (char *)malloc(MR_PIECE))) {
        p->job = job;
        p->next = job->pieces;
        job->pieces = *piece = p;
        return 1;
    }
    free(p);
    df_fail(DF_ERROR_MEMORY, "no memory for a piece");
    return 0;
}

static void mr_reduce(mapreduce *job, int partition, mr_table *from)
{
    for (size_t i = 0; i < from->slots; i++) {
        const mr_pair *x = &from->slot[i];
        int is_new;
        if (!x->key)
            continue;
        mr_pair *p = mr_enter(&job->result[partition], x->key, x->length, x->hash, &is_new);
        if (!p || (is_new && !(p->key = mr_keep(&job->keys[partition], x->key, x->length))))
            return;
        p->value = is_new ? x->value : job->combine(p->value, x->value);
    }
    if (from->slots > 0)
        memset(from->slot, 0, from->slots * sizeof *from->slot);
    from->used = 0;
}

typedef mr_piece *mr_piece_pointer;
DF_STATIC_PIPE(mr_stage, mr_piece_pointer);
static int mr_stage(int stage, mr_piece **p, long i, void *of)
{
    enum { READ, MAP, REDUCE };
    mapreduce *job = (mapreduce *)of;
    (void)i;
    switch (stage) {
    case READ:
        return mr_begin(job, p) && job->read(job->input, *p) ? df_continue(MAP) : DF_PIPE_END;
    case MAP:
        job->map(*p);
        return df_in_order(REDUCE);
    default:
        mr_reduce(job, stage - REDUCE, &(*p)->out[stage - REDUCE]);
        return stage - REDUCE < MR_PARTITIONS - 1 ? df_in_order(stage + 1) : DF_PIPE_DONE;
    }
}

/* Runs a job, of which the user's members are set and all others zero; afterwards each key is once in job->result. DF_ERROR_MEMORY,
 * and what read and map failed with. */
static df_result mr_run(mapreduce *job)
{
    long pieces = df_pipe(mr_stage, NULL, job);
    df_result r = df_wait_result();
    for (mr_piece *p = job->pieces, *next; p; p = next) {
        next = p->next;
        for (int i = 0; i < MR_PARTITIONS; i++)
            free(p->out[i].slot);
        free(p->text);
        free(p);
    }
    job->pieces = NULL;
    return pieces < 0 ? (df_result)pieces : r;
}

static void mr_free(mapreduce *job)
{
    for (int i = 0; i < MR_PARTITIONS; i++) {
        for (mr_keys *k = job->keys[i], *next; k; k = next) {
            next = k->next;
            free(k);
        }
        free(job->result[i].slot);
    }
}

#endif
