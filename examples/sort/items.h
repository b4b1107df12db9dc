/* The items to be sorted: numbers, or the words of a text. */
#ifndef SORT_ITEMS_H
#define SORT_ITEMS_H

enum { MOST_ITEMS = 50000000 };

typedef struct {
    const char *word;   /* "" for numbers */
    long number;        /* 0 for words */
    long place;         /* in the input; not compared */
} item;

typedef struct {
    long count;   /* at least 1 */
    item *at;
    char *text;   /* where the words are; NULL for numbers */
    char *seen;   /* count bytes, for items_are_sorted */
} items;

int item_less(const item *a, const item *b);

/* Both return NULL, or a message: then there is nothing to be freed. */
const char *items_read(items *in, const char *file);
const char *items_generate(items *in, long count);

void items_free(items *in);

/* True if a has the items of the input, each once, in order. stable: and equal items in the order of the input. */
int items_are_sorted(const items *in, const item *a, int stable);

#endif
