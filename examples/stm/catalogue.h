/* The catalogue of a design office: a tree of assemblies, and at its leaves the parts of which they consist.
 *
 * Short and long operations, readers and writers, and changes of the structure run beside each other. Each
 * function may be called in a block, or while there is one thread; see list.h. `random` are bits that choose
 * assemblies and parts.
 * Source: Guerraoui, Kapalka, Vitek, "STMBench7: a benchmark for software transactional memory", EuroSys
 * 2007; this is a small relative of it. */
#ifndef STM_CATALOGUE_H
#define STM_CATALOGUE_H

#include <stdint.h>
#include <stdlib.h>

enum { CATALOGUE_BELOW = 3, CATALOGUE_SUM = 1000 };

typedef struct {
    long x, y;                                    /* together CATALOGUE_SUM, always */
    long date, uses;                              /* in how many places it is */
} part;
typedef struct assembly {
    long date;                                    /* of the last change of anything below */
    struct assembly *below[CATALOGUE_BELOW];      /* NULL at the leaves, which have parts */
    part *parts[CATALOGUE_BELOW];
} assembly;
typedef struct {
    assembly *top;
    long levels, places;                          /* places for parts */
} catalogue;

/* A new part in this place; the old one is released. 0: no memory. */
static inline int catalogue_put_new(part **place, long x)
{
    part *old = df_tm_read(place), *p = (part *)df_tm_malloc(sizeof *p);
    if (!p)
        return 0;
    p->x = x;
    p->y = CATALOGUE_SUM - x;
    p->date = 0;
    p->uses = 1;
    df_tm_write(place, p);
    if (old && df_tm_read(&old->uses) > 1)
        df_tm_write(&old->uses, df_tm_read(&old->uses) - 1);
    else if (old)
        df_tm_free(old);
    return 1;
}

/* A tree of new assemblies and parts, not yet shared. NULL: no memory. */
static inline assembly *catalogue_grow(long levels)
{
    assembly *a = (assembly *)calloc(1, sizeof *a);
    for (int i = 0; a && i < CATALOGUE_BELOW; i++)
        if (levels > 1) {
            if ((a->below[i] = catalogue_grow(levels - 1)) == NULL)
                return NULL;
        } else {
            part *p = (part *)malloc(sizeof *p);
            if (!p)
                return NULL;
            p->x = i;
            p->y = CATALOGUE_SUM - i;
            p->date = 0;
            p->uses = 1;
            a->parts[i] = p;
        }
    return a;
}

/* 0: no memory. */
static inline int catalogue_init(catalogue *c, long levels)
{
    c->levels = levels;
    c->places = CATALOGUE_BELOW;
    for (long i = 1; i < levels; i++)
        c->places *= CATALOGUE_BELOW;
    c->top = catalogue_grow(levels);
    return c->top != NULL;
}

/* A place for a part, by way of the assemblies above it, which get this date unless it is 0. */
static inline part **catalogue_find(catalogue *c, uint64_t random, long date)
{
    assembly *a = c->top;
    for (long level = 1; level < c->levels; level++, random /= CATALOGUE_BELOW)
        a = df_tm_read(&a->below[random % CATALOGUE_BELOW]);
    if (date)             /* of the lowest only: with that of the root, all changes would conflict */
        df_tm_write(&a->date, date);
    return &a->parts[random % CATALOGUE_BELOW];
}

/* A short read. Returns the sum of one part. */
static inline long catalogue_look(catalogue *c, uint64_t random)
{
    part *p = df_tm_read(catalogue_find(c, random, 0));
    return df_tm_read(&p->x) + df_tm_read(&p->y);
}

/* A short update: turns a part. */
static inline void catalogue_turn(catalogue *c, uint64_t random, long date)
{
    part *p = df_tm_read(catalogue_find(c, random, date));
    long x = df_tm_read(&p->x);
    df_tm_write(&p->x, df_tm_read(&p->y));
    df_tm_write(&p->y, x);
    df_tm_write(&p->date, date);
}

/* A change of the structure: the part of another place, or a new one, takes this place. */
static inline void catalogue_replace(catalogue *c, uint64_t random, long date)
{
    part **place = catalogue_find(c, random, date);
    if (random >> 63)
        catalogue_put_new(place, (long)(random >> 32) % CATALOGUE_SUM);
    else {
        part *old = df_tm_read(place), *p = df_tm_read(catalogue_find(c, random >> 20, 0));
        if (p == old)
            return;
        df_tm_write(&p->uses, df_tm_read(&p->uses) + 1);
        df_tm_write(place, p);
        if (df_tm_read(&old->uses) > 1)
            df_tm_write(&old->uses, df_tm_read(&old->uses) - 1);
        else
            df_tm_free(old);
    }
}

static inline long catalogue_total_part(assembly *a, long levels)
{
    long total = 0;
    for (int i = 0; i < CATALOGUE_BELOW; i++)
        if (levels > 1)
            total += catalogue_total_part(df_tm_read(&a->below[i]), levels - 1);
        else {
            part *p = df_tm_read(&a->parts[i]);
            total += df_tm_read(&p->x) + df_tm_read(&p->y);
        }
    return total;
}

/* A long read. Returns the sum of the parts in all places. */
static inline long catalogue_total(catalogue *c) { return catalogue_total_part(c->top, c->levels); }

/* 0 if the number of places in every part is right. */
static inline long catalogue_check(catalogue *c)
{
    long wrong = 0;
    for (uint64_t i = 0; i < (uint64_t)c->places; i++) {
        part *p = df_tm_read(catalogue_find(c, i, 0));
        long uses = 0;
        for (uint64_t k = 0; k < (uint64_t)c->places; k++)
            uses += df_tm_read(catalogue_find(c, k, 0)) == p;
        wrong += uses != df_tm_read(&p->uses);
    }
    return wrong;
}

static inline void catalogue_clear_part(assembly *a, long levels)
{
    for (int i = 0; i < CATALOGUE_BELOW; i++)
        if (levels > 1)
            catalogue_clear_part(df_tm_read(&a->below[i]), levels - 1);
        else {
            part *p = df_tm_read(&a->parts[i]);
            long uses = df_tm_read(&p->uses) - 1;
            df_tm_write(&p->uses, uses);
            if (!uses)
                df_tm_free(p);
        }
    df_tm_free(a);
}

/* Removes everything. */
static inline void catalogue_clear(catalogue *c)
{
    catalogue_clear_part(c->top, c->levels);
    c->top = NULL;
}
#endif
