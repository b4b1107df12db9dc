#include "items.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int item_less(const item *a, const item *b)
{
    return a->number != b->number ? a->number < b->number : strcmp(a->word, b->word) < 0;
}

void items_free(items *in)
{
    free(in->at);
    free(in->text);
    free(in->seen);
}

static int allocate(items *in, long count)
{
    in->count = count;
    in->at = calloc((size_t)count, sizeof *in->at);
    in->seen = malloc((size_t)count);
    return in->at && in->seen;
}

const char *items_generate(items *in, long count)
{
    *in = (items){ 0 };
    if (!allocate(in, count)) {
        items_free(in);
        return "not enough memory";
    }
    long random = 1;
    for (long i = 0; i < count; i++) {
        random = random * 16807 % 2147483647;
        in->at[i] = (item){ "", random % (count / 2 + 1), i };   /* many are equal */
    }
    return NULL;
}

/* The next word at or after *p, ended by a 0 and in small letters; moves *p behind it. NULL: none. */
static const char *next_word(char **p)
{
    while (**p && !isalpha((unsigned char)**p))
        ++*p;
    char *word = *p;
    for (; isalpha((unsigned char)**p); ++*p)
        **p = (char)tolower((unsigned char)**p);
    if (*p == word)
        return NULL;
    if (**p)
        *(*p)++ = '\0';
    return word;
}

/* A whole file as a string; NULL if that is not possible. */
static char *read_text(const char *name)
{
    FILE *f = fopen(name, "rb");
    long bytes = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    char *text = bytes >= 0 && bytes < 2L * MOST_ITEMS ? calloc((size_t)bytes + 1, 1) : NULL;
    if (text && (fseek(f, 0, SEEK_SET) != 0 || fread(text, 1, (size_t)bytes, f) != (size_t)bytes)) {
        free(text);
        text = NULL;
    }
    if (f)
        fclose(f);
    return text;
}

const char *items_read(items *in, const char *file)
{
    const char *wrong = "not enough memory", *word;
    long n = 0;
    *in = (items){ .text = read_text(file) };
    if (!in->text)
        return "cannot be read, or is too large";
    for (char *p = in->text; *p; p++)   /* the ends of words */
        n += isalpha((unsigned char)p[0]) && !isalpha((unsigned char)p[1]);
    if (n == 0)
        wrong = "there are no words in it";
    if (n == 0 || !allocate(in, n)) {
        items_free(in);
        return wrong;
    }
    char *p = in->text;
    for (long i = 0; i < n && (word = next_word(&p)); i++)
        in->at[i] = (item){ word, 0, i };
    return NULL;
}

int items_are_sorted(const items *in, const item *a, int stable)
{
    memset(in->seen, 0, (size_t)in->count);
    for (long i = 0; i < in->count; i++) {
        long place = a[i].place;
        if (place < 0 || place >= in->count || in->seen[place]++ || in->at[place].word != a[i].word
            || in->at[place].number != a[i].number)
            return 0;
        if (i > 0 && (item_less(&a[i], &a[i - 1])
                      || (stable && !item_less(&a[i - 1], &a[i]) && place < a[i - 1].place)))
            return 0;
    }
    return 1;
}
