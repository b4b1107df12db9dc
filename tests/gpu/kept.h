/* kept.h - the file of a test in which df keeps measured times, and the messages about it */
#ifndef KEPT_H
#define KEPT_H

#include <stdio.h>
#include <string.h>
#include "../test.h"

static char file[1000];

/* The number of lines that contain `with`; -1: the file does not exist. */
static long lines(const char *with)
{
    char line[1024];
    FILE *f = fopen(file, "r");
    long n = 0;
    if (!f) return -1;
    while (fgets(line, sizeof line, f)) n += strstr(line, with) != NULL;
    fclose(f);
    return n;
}
/* Writes the text with that mode of fopen. */
static void put(const char *mode, const char *text)
{
    FILE *f = fopen(file, mode);
    CHECK(f != NULL);
    fputs(text, f);
    fclose(f);
}

static int messages;
/* A logger. arg: the name of the variable that has the name of the file. */
static void count_messages(void *arg, int level, const char *text)
{
    (void)level;
    messages += strstr(text, (const char *)arg) != NULL;
}

#endif
