/* The frequency of each word in a text, by a small MapReduce.
 *
 * mapreduce/mapreduce.h is the framework, a pipeline, and explains it. The parts to be written for a job are here: how
 * pieces are read, which pairs are emitted for one, how two values are combined. The counts are checked by sorting all
 * words. mapreduce/typed.c has two jobs whose items, keys and values have types of their own.
 *
 *     cc -std=c11 -O2 -o mapreduce examples/mapreduce.c examples/mapreduce/[a-z]*.c -pthread
 *     ./mapreduce [--time] [FILE.txt ...]
 *
 * Without a file: random words. --time: seconds, on standard error.
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mapreduce/mapreduce.h"
#include "mapreduce/text.h"
#include "mapreduce/typed.h"

enum { MADE = 1 << 20, PIECE = 1 << 16, BEST = 5, ERROR_TEXT = 1 };   /* bytes without a file; a code of our own */

/* --- the job ------------------------------------------------------------------------------------------- */

typedef struct {
    text text;
    char *rest;   /* PIECE bytes: a word that may go on in the next piece */
    size_t rests;
} word_input;

static int read_piece(void *input, mr_piece *p)
{
    word_input *in = input;
    size_t n = in->rests, got = 1;
    memcpy(p->item, in->rest, n);
    while (n < PIECE && (got = text_read(&in->text, p->item + n, PIECE - n)) > 0)
        n += got;
    p->count = n;
    while (got > 0 && p->count > 0 && text_is_letter(p->item[p->count - 1]))
        p->count--;
    in->rests = n - p->count;
    memcpy(in->rest, p->item + p->count, in->rests);
    if (n > 0 && p->count == 0)
        snprintf(in->text.error, sizeof in->text.error, "%.200s: the word that is at byte %zu has more than %d letters",
                 in->text.name, in->text.in_file, PIECE - 1);
    if (in->text.error[0])
        df_fail(ERROR_TEXT, in->text.error);
    return p->count > 0 && !in->text.error[0];
}

static void emit_words(mr_piece *p)
{
    char *s = p->item, *end = s + p->count;
    for (;;) {
        while (s < end && !text_is_letter(*s))
            s++;
        if (s == end)
            return;
        char *word = s;
        for (; s < end && text_is_letter(*s); s++)
            *s |= 32;   /* a small letter */
        mr_emit(p, word, (size_t)(s - word), 1);
    }
}

static long add(long x, long y) { return x + y; }

/* --- the same by sorting all words ------------------------------------------------------------------------ */

static int by_letters(const void *p, const void *q)
{
    const mr_pair *a = p, *b = q;
    int order = memcmp(a->key, b->key, a->length < b->length ? a->length : b->length);
    return order ? order : a->length < b->length ? -1 : a->length > b->length;
}

static int by_value(const void *p, const void *q)
{
    const mr_pair *a = p, *b = q;
    return a->value != b->value ? (a->value < b->value) - (a->value > b->value) : by_letters(p, q);
}

static void end_with(const char *message)
{
    fprintf(stderr, "%s\n", message);
    exit(1);
}

static void *check(void *memory)
{
    if (!memory)
        end_with("mapreduce: not enough memory");
    return memory;
}

/* The distinct words, sorted, with their numbers; *all keeps their letters. Both are to be freed. */
static mr_pair *count_by_sorting(char *const *file, char **all, long *distinct)
{
    text t;
    size_t n = 0, room = PIECE, words = 0, got;
    *all = check(malloc(room));
    for (text_open(&t, file, MADE); (got = text_read(&t, *all + n, room - n)) > 0;) {
        n += got;
        if (n == room)
            *all = check(realloc(*all, room *= 2));
    }
    for (size_t i = 0; i < n; i++)
        words += text_is_letter((*all)[i]) && (i + 1 == n || !text_is_letter((*all)[i + 1]));
    mr_pair *word = check(malloc((words + 1) * sizeof *word));
    words = 0;
    for (size_t i = 0, begin = 0; i < n; i++) {
        (*all)[i] = text_is_letter((*all)[i]) ? (char)((*all)[i] | 32) : ' ';
        if ((*all)[i] == ' ')
            begin = i + 1;
        else if (i + 1 == n || !text_is_letter((*all)[i + 1]))
            word[words++] = (mr_pair){ *all + begin, (uint32_t)(i + 1 - begin), 0, 1 };
    }
    qsort(word, words, sizeof *word, by_letters);
    *distinct = 0;
    for (size_t i = 0; i < words; i++)
        if (*distinct > 0 && by_letters(&word[*distinct - 1], &word[i]) == 0)
            word[*distinct - 1].value++;
        else
            word[(*distinct)++] = word[i];
    return word;
}

/* --- the program ------------------------------------------------------------------------------------------ */

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All pairs, sorted by key. To be freed. */
static mr_pair *collect(const mr_job *job, long *count)
{
    size_t n = 0;
    for (int i = 0; i < MR_PARTITIONS; i++)
        n += job->result[i].used;
    mr_pair *pair = check(malloc((n + 1) * sizeof *pair));
    *count = 0;
    for (const mr_pair *p = NULL; (p = mr_next(job, p));)
        pair[(*count)++] = *p;
    qsort(pair, n, sizeof *pair, by_letters);
    return pair;
}

int main(int argc, char **argv)
{
    int show_time = argc > 1 && !strcmp(argv[1], "--time");
    char *const *files = argv + (argc > 0) + show_time, *all;
    if (*files && **files == '-')
        end_with("usage: mapreduce [--time] [FILE.txt ...]");
    word_input in = { .rest = check(malloc(PIECE)) };
    mr_job job = { .read = read_piece, .map = emit_words, .combine = add, .input = &in };
    text_open(&in.text, files, MADE);
    df_start(NULL);   /* would start by itself; the time is for the job only */
    double start = now();
    df_result r = mr_run(&job);
    double seconds = now() - start;
    text_close(&in.text);
    free(in.rest);
    if (r != DF_OK)
        end_with(in.text.error[0] ? in.text.error : "mapreduce: not enough memory");

    long distinct, expected, words = 0, same;
    mr_pair *found = collect(&job, &distinct), *sorted = count_by_sorting(files, &all, &expected);
    for (same = 0; same < distinct && same < expected; same++)
        if (by_letters(&found[same], &sorted[same]) != 0 || found[same].value != sorted[same].value)
            break;
    for (long i = 0; i < distinct; i++)
        words += found[i].value;
    qsort(found, (size_t)distinct, sizeof *found, by_value);
    printf("%ld words, %ld of them distinct; the most frequent:", words, distinct);
    for (long i = 0; i < BEST && i < distinct; i++)
        printf(" %.*s %ld", (int)found[i].length, found[i].key, found[i].value);
    int right = same == distinct && same == expected;
    printf("\n%s\n", right ? "as by sorting" : "WRONG: not as by sorting");
    if (show_time)
        fprintf(stderr, "%.4f s\n", seconds);
    free(found);
    free(sorted);
    free(all);
    mr_free(&job);
    int typed = 1;
    if (show_stations(&typed) != DF_OK || show_lengths(&typed) != DF_OK)
        end_with("mapreduce: not enough memory");
    printf("%s\n", typed ? "as by loops" : "WRONG: not as by loops");
    return right && typed ? 0 : 1;
}
