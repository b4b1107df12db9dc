/* A text, from files one after the other or random, and its words. */
#ifndef MAPREDUCE_TEXT_H
#define MAPREDUCE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    char *const *file;   /* ends with NULL; without a file: `made` bytes of random words */
    size_t made;
    FILE *now;
    uint32_t random, word, letters;   /* letters: of the word that are made */
    size_t in_file;      /* bytes read from it */
    const char *name;    /* of the file */
    char error[300];     /* a message, or "" */
} text;

void text_open(text *t, char *const *file, size_t made);

/* The next n bytes, or fewer at the end; 0 also after an error. */
size_t text_read(text *t, char *to, size_t n);

void text_close(text *t);

/* Is it part of a word? Words are made of the 26 letters, and small and capital ones are the same. */
static inline int text_is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

#endif
