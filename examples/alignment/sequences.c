#include "sequences.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BYTES = 1 << 28, MOST_SEQUENCES = 20000,
    FAMILIES = 5, MEMBERS = 5,                        /* of random sequences */
    SHORTEST = 50, GROWTH = 60, LONG_ONE = 1000       /* lengths of families, and of the last one */
};

const signed char similarity[LETTERS][LETTERS] = {
    /*A   R   N   D   C   Q   E   G   H   I   L   K   M   F   P   S   T   W   Y   V   X */
    { 4, -1, -2, -2,  0, -1, -1,  0, -2, -1, -1, -1, -1, -2, -1,  1,  0, -3, -2,  0, -1 },
    {-1,  5,  0, -2, -3,  1,  0, -2,  0, -3, -2,  2, -1, -3, -2, -1, -1, -3, -2, -3, -1 },
    {-2,  0,  6,  1, -3,  0,  0,  0,  1, -3, -3,  0, -2, -3, -2,  1,  0, -4, -2, -3, -1 },
    {-2, -2,  1,  6, -3,  0,  2, -1, -1, -3, -4, -1, -3, -3, -1,  0, -1, -4, -3, -3, -1 },
    { 0, -3, -3, -3,  9, -3, -4, -3, -3, -1, -1, -3, -1, -2, -3, -1, -1, -2, -2, -1, -1 },
    {-1,  1,  0,  0, -3,  5,  2, -2,  0, -3, -2,  1,  0, -3, -1,  0, -1, -2, -1, -2, -1 },
    {-1,  0,  0,  2, -4,  2,  5, -2,  0, -3, -3,  1, -2, -3, -1,  0, -1, -3, -2, -2, -1 },
    { 0, -2,  0, -1, -3, -2, -2,  6, -2, -4, -4, -2, -3, -3, -2,  0, -2, -2, -3, -3, -1 },
    {-2,  0,  1, -1, -3,  0,  0, -2,  8, -3, -3, -1, -2, -1, -2, -1, -2, -2,  2, -3, -1 },
    {-1, -3, -3, -3, -1, -3, -3, -4, -3,  4,  2, -3,  1,  0, -3, -2, -1, -3, -1,  3, -1 },
    {-1, -2, -3, -4, -1, -2, -3, -4, -3,  2,  4, -2,  2,  0, -3, -2, -1, -2, -1,  1, -1 },
    {-1,  2,  0, -1, -3,  1,  1, -2, -1, -3, -2,  5, -1, -3, -1,  0, -1, -3, -2, -2, -1 },
    {-1, -1, -2, -3, -1,  0, -2, -3, -2,  1,  2, -1,  5,  0, -2, -1, -1, -1, -1,  1, -1 },
    {-2, -3, -3, -3, -2, -3, -3, -3, -1,  0,  0, -3,  0,  6, -4, -2, -2,  1,  3, -1, -1 },
    {-1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4,  7, -1, -1, -4, -3, -2, -1 },
    { 1, -1,  1,  0, -1,  0,  0,  0, -1, -2, -2,  0, -1, -2, -1,  4,  1, -3, -2, -2, -1 },
    { 0, -1,  0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1,  1,  5, -2, -2,  0, -1 },
    {-3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1,  1, -4, -3, -2, 11,  2, -3, -1 },
    {-2, -2, -2, -3, -2, -1, -2, -3,  2, -1, -1, -2, -1,  3, -3, -2, -2,  2,  7, -1, -1 },
    { 0, -3, -3, -3, -1, -2, -2, -3, -3,  3,  1, -2,  1, -1, -2, -2,  0, -3, -1,  4, -1 },
    {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 }
};

static const char amino_acids[] = "ARNDCQEGHILKMFPSTWYV";

void sequences_free(sequences *s)
{
    free(s->at);
    free(s->text);
}

/* Takes the sequences out of s->text, a FASTA file and a 0: names are ended by a 0, and the letters of a
 * sequence are put together, as numbers, where its first line begins. */
static const char *parse(sequences *s)
{
    char *p = s->text;
    p += strspn(p, " \t\r\n");
    while (*p == '>' && s->count < MOST_SEQUENCES) {
        sequence *q = &s->at[s->count++];
        q->name = ++p;
        p += strcspn(p, " \t\r\n");
        char *line = p + strcspn(p, "\n");
        if (*line)
            line++;
        if (*p)
            *p = '\0';
        unsigned char *letter = (unsigned char *)line;
        q->letter = letter;
        for (p = line; *p && *p != '>'; p++) {
            const char *known = strchr(amino_acids, toupper((unsigned char)*p));
            if (isalpha((unsigned char)*p))
                letter[q->length++] = (unsigned char)(known ? known - amino_acids : AMINO_ACIDS);
            else if (!strchr("*-. \t\r\n", *p))
                return "it is not a FASTA file: letters were expected";
        }
        if (q->length == 0)
            return "there is a sequence without letters";
    }
    return *p ? s->count ? "there are too many sequences" : "it is not a FASTA file: it does not begin with >"
        : s->count < 2 ? "there are fewer than two sequences" : NULL;
}

const char *sequences_read(sequences *s, const char *file)
{
    FILE *f = fopen(file, "rb");
    const char *wrong = "cannot be read, or is too large";
    *s = (sequences){ 0, calloc(MOST_SEQUENCES, sizeof *s->at), NULL };
    long bytes = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (bytes >= 0 && bytes < MOST_BYTES)
        s->text = calloc((size_t)bytes + 1, 1);
    if (s->at && s->text && fseek(f, 0, SEEK_SET) == 0 && fread(s->text, 1, (size_t)bytes, f) == (size_t)bytes)
        wrong = memchr(s->text, 0, (size_t)bytes) ? "it is not a text" : parse(s);
    if (f)
        fclose(f);
    if (wrong)
        sequences_free(s);
    return wrong;
}

static unsigned below(unsigned n)
{
    static unsigned random = 62;
    random = random * 1664525u + 1013904223u;
    return (random >> 8) % n;
}

/* Families: a member differs from its ancestor in each fourth letter, and here and there letters are
 * missing or too many. */
const char *sequences_generate(sequences *s)
{
    enum { ROOM = 16 + 2 * LONG_ONE };
    unsigned char ancestor[LONG_ONE];
    *s = (sequences){ 0, calloc(FAMILIES * MEMBERS, sizeof *s->at), calloc(FAMILIES * MEMBERS, ROOM) };
    if (!s->at || !s->text) {
        sequences_free(s);
        return "not enough memory";
    }
    for (int f = 0; f < FAMILIES; f++) {
        int length = f < FAMILIES - 1 ? SHORTEST + GROWTH * f : LONG_ONE;
        int members = f < FAMILIES - 1 ? MEMBERS : 2;
        for (int i = 0; i < length; i++)
            ancestor[i] = (unsigned char)below(AMINO_ACIDS);
        for (int m = 0; m < members; m++) {
            sequence *q = &s->at[s->count];
            char *name = s->text + ROOM * s->count++;
            unsigned char *letter = (unsigned char *)name + 16;
            snprintf(name, 16, "%c%d", 'a' + f, m + 1);
            q->name = name;
            q->letter = letter;
            for (int i = 0; i < length; i++) {
                if (below(50) == 0)
                    i += (int)below(6);   /* missing */
                if (below(50) == 0)
                    letter[q->length++] = (unsigned char)below(AMINO_ACIDS);
                letter[q->length++] = below(4) ? ancestor[i % length] : (unsigned char)below(AMINO_ACIDS);
            }
        }
    }
    return NULL;
}
