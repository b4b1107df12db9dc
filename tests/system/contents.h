/* contents.h - what a file has in it, as one text */
#ifndef CONTENTS_H
#define CONTENTS_H

#include <stdio.h>
#include <string.h>

static char text[1 << 20];

/* Reads the file into `text`; "": it cannot be read. */
static const char *contents(const char *file)
{
    FILE *f = fopen(file, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = 0;
    if (f) fclose(f);
    return text;
}

/* How often that is in `text`. */
static inline int times(const char *what)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, what)) != NULL; p++) n++;
    return n;
}

#endif
