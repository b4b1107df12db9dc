/* The lines of a text, each with the number of its words: a pipeline.
 *
 * A pipeline runs the same function for items 0, 1, 2, ...; the result of a stage names the next
 * stage of its item. Stage 0 begins the items one after the other: here it reads a line.
 * df_continue(COUNT) starts the next stage immediately, at the same time as other items: words are
 * counted in parallel. df_in_order(WRITE) waits until the previous item has left that stage: the
 * lines are written in the order in which they were read, without a lock and without a queue.
 * Source: MetaFork's meta_pipe; Cilk-P (Lee et al., SPAA 2013).
 *
 *     ./14_pipeline              a text made here
 *     ./14_pipeline FILE         yours
 */
#define DF_IMPLEMENTATION
#include "../df.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { READ, COUNT, WRITE };   /* the stages: numbers that grow, from 0 */
enum { ROOM = 4096 };

typedef struct {   /* an item, which passes from stage to stage */
    char text[ROOM];
    int words;
} line;

typedef struct {   /* shared by all items; only serial stages write to it, one of them to each field */
    FILE *file;
    int too_long;
    unsigned checksum;   /* of the numbers of words, in their order */
    long words;
} counting;

DF_PIPE(count_words, line);
int count_words(int stage, line *l, long i, void *shared)
{
    counting *c = shared;
    (void)i;
    switch (stage) {
    case READ:
        if (!fgets(l->text, ROOM, c->file))
            return DF_PIPE_END;
        c->too_long = !strchr(l->text, '\n') && !feof(c->file);
        return c->too_long ? DF_PIPE_END : df_continue(COUNT);
    case COUNT:
        l->words = 0;   /* the item has been used before */
        l->text[strcspn(l->text, "\n")] = 0;
        for (const char *p = l->text; *p; p++)
            l->words += !isspace((unsigned char)*p)
                && (p == l->text || isspace((unsigned char)p[-1]));
        return df_in_order(WRITE);
    default:
        c->words += l->words;
        c->checksum = c->checksum * 31 + (unsigned)l->words;
        printf("%4d  %s\n", l->words, l->text);
        return DF_PIPE_DONE;
    }
}

/* The same checksum by a plain loop over the characters. */
static unsigned expected(FILE *f)
{
    unsigned checksum = 0, words = 0;
    int ch, last = '\n';
    for (; (ch = getc(f)) != EOF; last = ch) {
        words += !isspace(ch) && isspace(last);
        if (ch == '\n') {
            checksum = checksum * 31 + words;
            words = 0;
        }
    }
    return last == '\n' ? checksum : checksum * 31 + words;
}

static FILE *make_text(void)
{
    static const char *const word[] = { "a", "task", "waits", "for", "what", "it", "reads" };
    FILE *f = tmpfile();
    unsigned random = 1;
    for (int i = 0; f && i < 20; i++) {
        for (int n = 1 + i * 7 % 11; n > 0; n--) {
            random = random * 1664525u + 1013904223u;
            fprintf(f, "%s%s", word[(random >> 16) % 7], n > 1 ? " " : "\n");
        }
    }
    if (f)
        rewind(f);
    return f;
}

int main(int argc, char **argv)
{
    counting c = { .file = argc > 1 ? fopen(argv[1], "r") : make_text() };
    if (!c.file || argc > 2) {
        fprintf(stderr, argc > 2 ? "usage: 14_pipeline [FILE]\n" : "cannot open %s\n",
                argc > 1 ? argv[1] : "a temporary file");
        if (c.file)
            fclose(c.file);
        return 2;
    }
    long lines = df_pipe(count_words, NULL, &c);   /* NULL: the default number of items at a time */
    if (c.too_long || ferror(c.file)) {
        fprintf(stderr, "line %ld of %s is longer than %d characters, or cannot be read\n",
                lines + 1, argc > 1 ? argv[1] : "the text", ROOM - 1);
        fclose(c.file);
        return 2;
    }
    rewind(c.file);
    int right = expected(c.file) == c.checksum;
    fclose(c.file);
    printf("%ld words in %ld lines%s\n", c.words, lines, right ? "" : ": WRONG");
    return right ? 0 : 1;
}
