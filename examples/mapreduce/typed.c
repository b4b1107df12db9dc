/* Two jobs in one file: a key that is a structure, of the items of an array; a key that is a number, of items that a
 * function makes. */
#include "typed.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* --- the coldest, the warmest and the mean temperature of each station in each month --------------------------- */

typedef struct { short station, month; float celsius; } sample;
typedef struct { short station, month; } place;
typedef struct { long samples; float least, most; double sum; } climate;

#define MR_NAME       climate
#define MR_ITEM       sample
#define MR_PIECE      1000
#define MR_KEY        place
#define MR_SAME(a, b) ((a).station == (b).station && (a).month == (b).month)
#define MR_HASH(k)    mr_hash_of_number((uint64_t)(k).station * 12 + (uint64_t)(k).month)
#define MR_VALUE      climate
#include "mapreduce.h"

enum { SAMPLES = 60000, STATIONS = 37 };

static climate both(climate x, climate y)
{
    return (climate){ x.samples + y.samples, x.least < y.least ? x.least : y.least, x.most > y.most ? x.most : y.most,
                      x.sum + y.sum };
}

static void emit_samples(climate_piece *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const sample *s = &p->item[i];
        climate_emit(p, (place){ s->station, s->month }, (climate){ 1, s->celsius, s->celsius, (double)s->celsius });
    }
}

df_result show_stations(int *right)
{
    sample *all = malloc(SAMPLES * sizeof *all);
    uint32_t random = 1;
    if (!all)
        return DF_ERROR_MEMORY;
    for (long i = 0; i < SAMPLES; i++) {
        random = random * 1664525u + 1013904223u;   /* Numerical Recipes, 7.1 */
        int month = (int)(i * 12 / SAMPLES), station = (int)(random >> 16) % STATIONS;
        all[i] = (sample){ (short)station, (short)month,
                           (float)(station - abs(month - 6) * 4) + (float)(random >> 8 & 1023) / 64 };
    }
    climate_job job = { .map = emit_samples, .combine = both, .array = all, .count = SAMPLES };
    df_result r = climate_run(&job);
    long keys = 0, samples = 0, same = 0;
    const climate_pair *coldest = NULL;
    for (const climate_pair *p = NULL; r == DF_OK && (p = climate_next(&job, p)); keys++) {
        climate c = { 0, 1000, -1000, 0 };   /* sums of multiples of 1 / 64 are exact */
        for (long i = 0; i < SAMPLES; i++)
            if (all[i].station == p->key.station && all[i].month == p->key.month)
                c = both(c, (climate){ 1, all[i].celsius, all[i].celsius, (double)all[i].celsius });
        same += c.samples == p->value.samples && c.sum <= p->value.sum && c.sum >= p->value.sum
            && c.least <= p->value.least && c.least >= p->value.least && c.most <= p->value.most
            && c.most >= p->value.most;
        samples += p->value.samples;
        if (!coldest || p->value.sum / (double)p->value.samples < coldest->value.sum / (double)coldest->value.samples)
            coldest = p;
    }
    if (coldest)
        printf("%ld samples of %ld stations and months, the coldest is station %d in month %d: %.2f to %.2f, %.3f\n",
               samples, keys, coldest->key.station, coldest->key.month + 1, (double)coldest->value.least,
               (double)coldest->value.most, coldest->value.sum / (double)coldest->value.samples);
    *right &= same == keys && samples == SAMPLES && keys == STATIONS * 12;
    climate_free(&job);
    free(all);
    return r;
}

/* --- the sequences n, n / 2 or 3 n + 1, ... to 1: how many of which length, and the first of them --------------- */

typedef struct { long sequences, first; } of_length;

#define MR_NAME  length
#define MR_ITEM  long
#define MR_PIECE 500
#define MR_KEY   int
#define MR_VALUE of_length
#include "mapreduce.h"

enum { SEQUENCES = 30000 };

static int next_numbers(void *input, length_piece *p)
{
    long *next = input;
    for (; p->count < 500 && *next <= SEQUENCES; p->count++)
        p->item[p->count] = (*next)++;
    return p->count > 0;
}

static int length_of(long n)
{
    int length = 1;
    for (long long x = n; x != 1; length++)
        x = x % 2 ? 3 * x + 1 : x / 2;
    return length;
}

static void emit_lengths(length_piece *p)
{
    for (size_t i = 0; i < p->count; i++)
        length_emit(p, length_of(p->item[i]), (of_length){ 1, p->item[i] });
}

static of_length first_of(of_length x, of_length y)   /* not commutative */
{
    return (of_length){ x.sequences + y.sequences, x.first };
}

df_result show_lengths(int *right)
{
    enum { LONGEST = 1000 };
    static of_length expected[LONGEST];
    long next = 1, sequences = 0, most = 0;
    length_job job = { .read = next_numbers, .map = emit_lengths, .combine = first_of, .input = &next };
    df_result r = length_run(&job);
    for (long n = 1; n <= SEQUENCES; n++) {
        of_length *e = &expected[length_of(n)];
        *e = e->sequences ? first_of(*e, (of_length){ 1, n }) : (of_length){ 1, n };
    }
    for (const length_pair *p = NULL; r == DF_OK && (p = length_next(&job, p));) {
        *right &= p->value.sequences == expected[p->key].sequences && p->value.first == expected[p->key].first;
        sequences += p->value.sequences;
        most = p->key > most ? p->key : most;
    }
    if (r == DF_OK)
        printf("%ld sequences, the longest has length %ld, first of %ld\n", sequences, most, expected[most].first);
    *right &= sequences == SEQUENCES;
    length_free(&job);
    return r;
}
